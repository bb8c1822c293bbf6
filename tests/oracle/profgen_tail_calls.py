#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames that tail calls have left out, beside llvm-profgen-22, with every --max-search-depth: chains of one to four
jumps, two ways, and a circle. The samples are made up: first all calls and jumps, each alone and so without a context,
then what was called and returned. Where several searches meet, LLVM's profile depends on the order of samples, see
docs/differences.md; ours does not, and is what the searches find one by one. Last, programs whose jumps are drawn by
lot, with many circles, for which all ways are counted here."""

import json
import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _bolt import ANYPROF, run  # noqa: E402
from _profgen import Built, both, check, count, first_difference, tally, write_text  # noqa: E402
from _profgen_compare import ALL  # noqa: E402

SOURCE = """
volatile int sink;
#define FUNCTION __attribute__((noinline)) int
FUNCTION leaf(int x) { if (x & 1) sink++; return x * 3; }
FUNCTION one(int x) { sink += x; return leaf(x + 1); }
FUNCTION two(int x) { sink += x; return one(x + 2); }
FUNCTION three(int x) { sink += x; return two(x + 3); }
FUNCTION four(int x) { sink += x; return three(x + 4); }
FUNCTION fork(int x) { if (x & 1) { sink += 2; return two(x); } sink += 1; return one(x + 5); }
FUNCTION back(int x);
FUNCTION circle(int x) { if (x & 4) { sink += 2; return back(x - 1); } sink += 1; return one(x + 6); }
FUNCTION back(int x) { sink += x; return circle(x + 7); }
FUNCTION aside(int x) { sink = x; return x; }
int (*volatile either)(int) = one, (*volatile both)(int) = two;
#define CALL(name) FUNCTION call_##name(int x) { return name(x) + 1; }
CALL(either) CALL(both) CALL(one) CALL(two) CALL(three) CALL(four) CALL(fork) CALL(circle) CALL(back)
int main(void) { if (sink) { either = aside; both = one; }
                 return call_either(1) + call_both(2) + call_one(1) + call_two(2) + call_three(3) + call_four(4) +
                        call_fork(5) + call_circle(6) + call_back(7); }
"""
# Targets of calls through a pointer.
POINTERS = {"either": ("one", "aside"), "both": ("two", "one")}
# The least depth at which the way is found, and the one from which on there are two.
WAYS = {"either": (1, 99), "both": (1, 2), "one": (1, 99), "two": (2, 99), "three": (3, 99), "four": (4, 99),
        "fork": (2, 3), "circle": (2, 99), "back": (3, 99)}
# Callers of the longest context, and jumps of the longest way that is searched for.
LONGEST = 998
DEPTHS = (0, 1, 2, 3, 4, 5, None)


class Chains:
    """A program: where its functions begin, and its calls and jumps."""

    def __init__(self, where, text, names, pointers=()):
        source, self.path = os.path.join(where, "chains.c"), os.path.join(where, "chains")
        self.names, self.pointers = (*names, "leaf", "aside"), dict(pointers)
        with open(source, "w", encoding="ascii") as f:
            f.write(text)
        done = run(["clang-22", "-O2", "-g", "-fpseudo-probe-for-profiling", "-fno-omit-frame-pointer",
                    "-mno-omit-leaf-frame-pointer", "-fno-pie", "-no-pie", source, "-o", self.path])
        self.why = None if done.returncode == 0 else done.stderr[-300:]
        self.bodies, self.name_at, self.jumps, self.calls, self.returns = {}, {}, [], {}, 0
        if not self.why:
            self.program = Built(self.path)
            self.read(run(["llvm-objdump-22", "-d", "--no-show-raw-insn", self.path]).stdout.decode())

    def read(self, listing):
        names = dict((name, int(at, 16)) for at, name in re.findall(r"^([0-9a-f]+) <(\w+)>:$", listing, re.M))
        for name, code in re.findall(r"^[0-9a-f]+ <(\w+)>:\n(.*?)(?:\n\n|\Z)", listing, re.M | re.S):
            lines = re.findall(r"^ *([0-9a-f]+):\s+(\w+)\s*(.*)$", code, re.M)
            at = [int(line[0], 16) for line in lines]
            for i, (_, what, operands) in enumerate(lines):
                to = re.search(r"<(\w+)>$", operands)
                if name in self.names and what == "jmp" and to and to[1] in self.names:
                    self.jumps.append((at[i], names[to[1]], to[1], name))
                if name.startswith("call_") and what.startswith("call"):
                    called = name[len("call_"):]
                    targets = self.pointers.get(called, (called,))
                    self.calls[called] = (at[i], [names[target] for target in targets], at[i + 1])
                if name == "leaf" and what.startswith("ret"):
                    self.returns = at[i]
            self.name_at[names[name]] = name
            self.bodies[name] = at[min(2, len(at) - 1)]  # after what makes the frame: samples there are left out

    def edges(self):
        found = [([(site, to, "P")], [self.bodies[name]]) for site, to, name, _ in self.jumps]
        return found + [([(site, to, "P")], [self.bodies[self.name_at[to]], after])
                        for site, targets, after in self.calls.values() for to in targets]

    def query(self, called):
        """leaf ran, came from another function by a jump, and returned to what has called `called`."""
        after = self.calls[called][2]
        jump = next((site, to, "P") for site, to, name, _ in self.jumps if name == "leaf")
        return [(self.returns, after, "P"), jump], [after]


def profiles(chains, samples, depth, where, *more):
    text = os.path.join(where, "text")
    write_text(text, chains.program, samples, 0)
    words = ["--perfscript=" + text, *ALL, *more, *([] if depth is None else ["--max-search-depth=%d" % depth])]
    count("profiles")
    return both(chains.program, words, where, ["--format=text"], "depth %s" % depth)


def found_way(profile, called):
    return re.search(rb"^\[call_%s:[^]]* @ one:[0-9]+ @ leaf\]" % called.encode(), profile or b"", re.M) is not None


def is_found(called, depth):
    least, most = WAYS[called]
    return least <= (98 if depth is None else depth) < most


def check_alone(chains, where):
    """One search for each function: nothing depends on an order, but where one search comes to a function twice."""
    for called in WAYS:
        for depth in DEPTHS:
            what = "%s, depth %s" % (called, depth)
            theirs, ours = profiles(chains, [*chains.edges(), chains.query(called)], depth, where)
            check(found_way(ours, called) == is_found(called, depth), "%s: %s" % (what, ours))
            if (called, depth) not in (("fork", 2), ("both", 1)):  # a way without end spoils LLVM's other one
                check(theirs == ours, "%s: %s" % (what, first_difference(theirs or b"", ours or b"")))


def check_orders(chains, where):
    """Several searches in other orders, also through the circle."""
    for depth, queries in ((2, ("two", "four")), (3, ("two", "four")), (3, tuple(WAYS)), (None, tuple(WAYS))):
        seen = set()
        for seed in range(10):
            samples = [*chains.edges(), *(chains.query(called) for called in queries)]
            random.Random(seed).shuffle(samples)
            theirs, ours = profiles(chains, samples, depth, where)
            for called in queries:
                check(found_way(ours, called) == is_found(called, depth),
                      "%s, depth %s, order %d: %s" % (called, depth, seed, ours))
            seen.add(tuple(found_way(theirs, called) for called in queries))
        count("profiles of llvm-profgen for the same samples", len(seen))


def random_source(seed):
    draw = random.Random(seed)
    names = ["f%d" % i for i in range(9)]
    text = "volatile int sink;\n#define FUNCTION __attribute__((noinline)) int\n"
    text += "FUNCTION leaf(int x) { if (x & 1) sink++; return x * 3; }\n"
    text += "".join("FUNCTION %s(int x);\n" % name for name in names)
    for i, name in enumerate(names):
        # Different ones: clang makes one jump without a probe of two to one function.
        jumps = draw.sample([*names[:i], *names[i + 1:], "leaf"], draw.choice((1, 1, 2, 3)))
        text += "FUNCTION %s(int x) {\n" % name
        for k, to in enumerate(jumps[:-1]):
            text += "    if (x & %d) { sink += %d; return %s(x + %d); }\n" % (1 << k, k + 2, to, i + k)
        text += "    sink = %d;\n    return %s(x - %d);\n}\n" % (i, jumps[-1], i + 1)
    text += "".join("FUNCTION call_%s(int x) { return %s(x) + 1; }\n" % (name, name) for name in names)
    return text + "int main(void) { return %s; }\n" % " + ".join("call_%s(1)" % name for name in names), names


def all_ways(jumps, way, most):
    """The ways on from the last function of a way to leaf, through no function twice."""
    if way[-1] == "leaf":
        return [way]
    if len(way) > most:
        return []
    return [found for _, _, to, name in jumps if name == way[-1] and to not in way
            for found in all_ways(jumps, [*way, to], most)]


def ways_in(profile, called):
    found = re.findall(rb"^\[call_%s:[^] ]*((?: @ \w+:[0-9.]+)*) @ leaf\]" % called.encode(), profile or b"", re.M)
    return [re.findall(r"@ (\w+):", way.decode()) for way in found]


def check_random(where, seed):
    source, names = random_source(seed)
    chains = Chains(where, source, names)
    check(not chains.why, "seed %d: %s" % (seed, chains.why))
    names = list(chains.calls)  # clang leaves out what follows a call that never returns
    if not any(name == "leaf" for _, _, name, _ in chains.jumps):
        return
    for depth in (1, 2, 3, 5, 9, None):
        samples = [*chains.edges(), *(chains.query(called) for called in names)]
        random.Random(seed).shuffle(samples)
        _, ours = profiles(chains, samples, depth, where, "--csspgo-preinliner=0")
        for called in names:
            ways = all_ways(chains.jumps, [called], 99 if depth is None else depth)
            expected = [way[:-1] for way in ways] if len(ways) == 1 else [[]]
            count("searches through programs drawn by lot")
            count("of them with one way", len(ways) == 1)
            check(ways_in(ours, called) == expected, "seed %d, %s, depth %s: %s, not %s" %
                  (seed, called, depth, ways_in(ours, called), expected))


def check_long(where):
    """Chains about as long as the longest way that is searched for, of which LLVM's recursion finds each."""
    names = ["f%d" % i for i in range(LONGEST + 1)]
    pairs = zip(names, ["leaf", *names])
    text = "volatile int sink;\n#define FUNCTION __attribute__((noinline)) int\n"
    text += "FUNCTION leaf(int x) { if (x & 1) sink++; return x * 3; }\n"
    text += "".join("FUNCTION %s(int x) { sink += x; return %s(x + 1); }\n" % pair for pair in pairs)
    called = [names[n - 1] for n in (LONGEST - 1, LONGEST, LONGEST + 1)]
    text += "".join("FUNCTION call_%s(int x) { return %s(x) + 1; }\n" % (name, name) for name in called)
    text += "int main(void) { return %s; }\n" % " + ".join("call_%s(1)" % name for name in called)
    chains = Chains(where, text, names)
    check(not chains.why and len(chains.calls) == 3, "long chains: %s" % chains.why)
    report, words = os.path.join(where, "report"), "--csspgo-preinliner=0"
    for name, cut, unsearched in zip(called, (0, 1, 1), (0, 0, 1)):  # the second time cut is f0, which jumps to leaf
        theirs, ours = profiles(chains, [*chains.edges(), chains.query(name)], LONGEST + 9, where, words)
        check(theirs.startswith(b"[call_%s:" % name.encode()), "llvm-profgen from %s: %s" % (name, theirs[:80]))
        check((theirs == ours) == (not cut), "from %s: %s" % (name, first_difference(theirs, ours)[:200]))
        done = run([ANYPROF, "profgen", "--quiet", "--binary=" + chains.program.path, "-o", os.path.join(where, "ours"),
                    "--perfscript=" + os.path.join(where, "text"), "--report=" + report, *ALL, words])
        check(done.returncode == 0, "from %s: %s" % (name, done.stderr))
        with open(report, encoding="ascii") as f:
            contexts = json.load(f)["contexts"]
        check((contexts["long"], contexts["unsearched"]) == (cut, unsearched), "from %s: %s" % (name, contexts))


def main():
    for tool in ("clang-22", "llvm-profgen-22", "llvm-objdump-22"):
        if not shutil.which(tool):
            print("skipped: needs " + tool)
            return 77
    with tempfile.TemporaryDirectory() as where:
        chains = Chains(where, SOURCE, WAYS, POINTERS)
        if chains.why:
            print("skipped: not built: %s" % chains.why)
            return 77
        check(len(chains.jumps) == 9 and len(chains.calls) == 9 and chains.returns != 0,
              "other code: %s %s" % (chains.jumps, chains.calls))
        if not tally.failures:
            check_alone(chains, where)
            check_orders(chains, where)
            for seed in range(12):
                check_random(where, seed)
            check_long(where)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    return 1 if tally.failures else 0


sys.exit(main())
