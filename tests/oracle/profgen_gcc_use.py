#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GCC uses the profiles of `anyprof profgen --for=gcc-N`: blocks get the counts that are known to be true.

Each block of afdo_blocks.c and afdo_members.cpp calls a function of its own, which counts how often it ran. The
programs run under branch_trace; their profiles go to the same compiler, whose dump says how often each block runs.
Samples without branches are of every so many instructions of such a run; they do not give the counts, but their
shares. Targets of calls do not make the compiler crash, and name what an indirect call does call."""

import collections
import concurrent.futures
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _profgen  # noqa: E402
import _profgen_gcc as g  # noqa: E402
import _share  # noqa: E402
from _perf import Recording  # noqa: E402

tally = _bolt.Tally()
check, count = tally.check, tally.count
SOURCES = ("afdo_blocks.c", "afdo_members.cpp")
OPTIONS = (["-O1", "-no-pie", "-fno-pie"], ["-O2", "-pie", "-fpie"], ["-O3", "-pie", "-fpie"])
ROUNDING = 3  # counts of parts of a block that the compiler copied are rounded, each by itself
PID = 4242
MANY_TIMES, COMPILATIONS = 1 << 20, 20
# Blocks whose shares of samples without branches are compared, and how much these may differ: the last ones ran ten
# times each.
PAIRS = (("mark0", "mark1", 0.1), ("mark3", "mark4", 0.1), ("mark8", "mark9", 0.15))


def truths(output):
    return {name: int(n) for name, n in re.findall(r"^(mark\d+) (\d+)$", output, re.M)}


def scale_of(compiler, path):
    """What GCC 16 multiplies counts by when it reads a profile: the largest one becomes about 2^50."""
    return (1 << 50) // max(g.read_table(path, "3").counts.values()) if compiler == "gcc-16" else 1


def sum_of(compiler, counts):
    """Of {function: count}. Where GCC 16 keeps a function beside its clone, both have the counts."""
    if compiler != "gcc-16":
        return sum(counts.values())
    largest = collections.Counter()
    for function, count in counts.items():
        stem = function.split(".")[0]
        largest[stem] = max(largest[stem], count)
    return sum(largest.values())


def block_counts(compiler, source, options, profile, where):
    """What the compiler knows of the blocks that call a function: {function: (sum of counts, kinds of counts)}."""
    dump = os.path.join(where, "dump")
    done = g.run([g.driver(compiler, source), "-g", *options, "-fauto-profile=" + profile,
                  "-fdump-tree-optimized-all=" + dump, "-c", os.path.join(g.SOURCES, source), "-o",
                  os.path.join(where, "used.o")])
    if done.returncode or done.stderr:
        return done.stderr.decode()
    found, block, function = collections.defaultdict(collections.Counter), (0, "no block"), ""
    kinds = collections.defaultdict(set)
    with open(dump, encoding="utf-8") as f:
        for line in f:
            if m := re.match(r";; Function .* \((\S+), funcdef_no", line):
                function = m[1]
            if m := re.match(r";;   basic block \d+, loop depth \d+(?:, count (\d+) \(([^,)]*)[^)]*\))?", line):
                block = (int(m[1] or 0), m[2] or "no count")
            if m := re.match(r"  .*\b(mark\d+)(?:D\.\d+)? \(", line):
                found[m[1]][function] += block[0]
                kinds[m[1]].add(block[1])
    scale = scale_of(compiler, profile)
    return {name: (sum_of(compiler, counts) / scale, kinds[name]) for name, counts in found.items()}


def check_exact(ran, compiler, source, options, what):
    path, text = g.profgen(ran, compiler, "--quiet")
    if not check(path and not text, "%s: %s" % (what, text)):
        return
    found = block_counts(compiler, source, options, path, ran.where)
    if not check(isinstance(found, dict), "%s: the compiler says %s" % (what, found)):
        return
    for name, truth in truths(ran.output).items():
        got, kinds = found.get(name, (0, set()))
        check(kinds == {"auto FDO"} and abs(got - truth) <= ROUNDING, "%s: %s ran %d times, the compiler has %.1f (%s)"
              % (what, name, truth, got, ", ".join(kinds)))
        count("blocks")


# ---- samples without branches ------------------------------------------------------------------------------------

def record_plain(ran, path):
    """A recording of every 7th instruction."""
    basic = os.path.join(ran.where, "basic")
    g.run([_bolt.TRACER, "-S", basic, "-n", "7", "--", ran.path])
    recording = Recording(branches=False)
    for address, size, offset in ran.program.segments:
        recording.mmap(PID, address + ran.base, size, offset, ran.path)
    with open(basic, encoding="ascii") as f:
        for _, address, n in (line.split() for line in f if line.startswith("S ")):
            for _ in range(int(n)):
                recording.sample(PID, int(address, 16) + ran.base)
    for _ in range(3):
        recording.sample(PID, 0x7fff00000000)
    recording.write(path)


def check_plain(ran, compiler, source, options, what):
    data = os.path.join(ran.where, "plain.data")
    record_plain(ran, data)
    path, text = g.profgen(ran, compiler, source="--perfdata=" + data)
    if not check(path and "without branches: each counts for where it was taken" in text, "%s: %s" % (what, text)):
        return
    check(re.search(r"^ +3 .*outside of the program$", text, re.M), "%s: %s" % (what, text))
    found = block_counts(compiler, source, options, path, ran.where)
    if not check(isinstance(found, dict), "%s: the compiler says %s" % (what, found)):
        return
    known = truths(ran.output)
    for one, other, near in PAIRS:
        share = known[one] / (known[one] + known[other])
        got = found[one][0] / max(found[one][0] + found[other][0], 1)
        check(abs(share - got) < near, "%s: without branches: %s is %.2f of both, the compiler has %.2f"
              % (what, one, share, got))
        count("shares without branches")


# ---- times -------------------------------------------------------------------------------------------------------

def check_times(ran, what):
    """A function's first time is that of the first sample with it, as where it was taken or in its branches."""
    recording, first = Recording(), {}
    for address, size, offset in ran.program.segments:
        recording.mmap(PID, address + ran.base, size, offset, ran.path)
    for entries, _ in ran.stacks:
        branches = [(a + ran.base if a else 0x7fff00000000, b + ran.base if b else 0x7fff00000000, flag)
                    for a, b, flag in entries]
        recording.sample(PID, branches[0][1], branches)
        for _, b, _ in entries:
            for name in ran.names_at(b):
                first.setdefault(name, recording.time)
    data = os.path.join(ran.where, "times.data")
    recording.write(data)
    path, text = g.profgen(ran, "gcc-16", "--quiet", source="--perfdata=" + data)
    if not check(path, "%s: %s" % (what, text)):
        return
    newest = g.read_table(path, "3")
    for name, time in newest.times.items():
        check(first.get(name) == time, "%s: the first time of %s is %d, not %s" % (what, name, time, first.get(name)))
        count("first times")
    path, text = g.profgen(ran, "gcc-16", "--quiet")
    same = path and g.read_table(path, "3")
    check(same and same.counts == newest.counts and not any(same.times.values()),
          "%s: perf.data and text give different profiles" % what)


# ---- branches alone ----------------------------------------------------------------------------------------------

def check_branches(ran, what):
    """A call that no range covers counts for its line as often as it was seen."""
    raw = os.path.join(ran.where, "raw")
    with open(raw, "w", encoding="ascii") as f:
        f.write("0\n%d\n" % len(ran.branches))
        for (a, b), n in sorted(ran.branches.items()):
            f.write("%x->%x:%d\n" % (a, b, n))
    path, text = g.profgen(ran, "gcc-13", "--quiet", "--use-offset=0", source="--unsymbolized-profile=" + raw)
    if not check(path, "%s: %s" % (what, text)):
        return
    table = g.read_table(path, "2")
    check(table.targets and all(table.counts[path] == max(targets.values()) for path, targets in table.targets.items()),
          "%s: calls without ranges: %s" % (what, table.counts))
    check(table.counts.keys() == table.targets.keys(), "%s: lines without ranges or calls" % what)
    count("calls without ranges", len(table.targets))


# ---- call stacks -------------------------------------------------------------------------------------------------

def check_calls(ran, what):
    """Call stacks are not used: neither do they make contexts, nor are samples left out because of them."""
    stacks = [(entries, [entries[0][1], entries[-1][0]]) for entries, _ in ran.stacks]
    text, data = os.path.join(ran.where, "called"), os.path.join(ran.where, "called.data")
    _profgen.write_text(text, ran.program, stacks, ran.base)
    recording = Recording(chains=True)
    for address, size, offset in ran.program.segments:
        recording.mmap(PID, address + ran.base, size, offset, ran.path)
    for branches, frames in (_profgen.moved(stack, ran.base) for stack in stacks):
        recording.sample(PID, branches[0][1], branches, [_profgen.USER_FRAMES, *frames])
    recording.write(data)
    tables = []
    for source in ("--perfscript=" + ran.text, "--perfscript=" + text, "--perfdata=" + data):
        path, said = g.profgen(ran, "gcc-13", "--quiet", source=source)
        if not check(path, "%s: call stacks: %s" % (what, said)):
            return
        tables.append(g.read_table(path, "2"))
    check(all(t.counts == tables[0].counts and t.heads == tables[0].heads for t in tables),
          "%s: call stacks change the profile" % what)
    count("profiles with call stacks", 2)


# ---- indirect calls ----------------------------------------------------------------------------------------------

def write_raw(ran, path, times):
    """The ranges and branches of a run, as if it had run so many times."""
    with open(path, "w", encoding="ascii") as f:
        for counts, word in ((ran.ranges, "%x-%x:%d\n"), (ran.branches, "%x->%x:%d\n")):
            f.write("%d\n" % len(counts))
            f.writelines(word % (a, b, n * times) for (a, b), n in sorted(counts.items()))


def check_pointer(compiler):
    """GCC 11 takes the count of an indirect call's target for a number of targets, and reads that far: in each of these
    compilations it would leave its memory. GCC 12 asks of an indirect call whether it calls the line's most frequent
    target: that is not to be the one of the direct calls, which are twice as many."""
    what = "%s: an indirect call beside direct ones" % compiler
    with tempfile.TemporaryDirectory() as where:
        program = g.build(compiler, "afdo_pointer.c", ["-O2", "-no-pie", "-fno-pie"], where, debug="-g")
        if not check(program, "%s: not built" % what):
            return
        ran, raw, dump = g.Run(program, where), os.path.join(where, "raw"), os.path.join(where, "dump")
        write_raw(ran, raw, MANY_TIMES)
        path, text = g.profgen(ran, compiler, "--quiet", "--use-offset=0", source="--unsymbolized-profile=" + raw)
        if not check(path, "%s: %s" % (what, text)):
            return
        targets = {name for names in g.read_table(path, g.LAYOUTS[compiler]).targets.values() for name in names}
        if compiler in ("gcc-11", "gcc-12"):
            check(targets == ({"pointed"} if compiler == "gcc-12" else set()), "%s: targets %s" % (what, targets))
        for _ in range(COMPILATIONS):
            done = g.run([compiler, "-O2", "-g", "-fauto-profile=" + path, "-fdump-tree-optimized=" + dump, "-c",
                          os.path.join(g.SOURCES, "afdo_pointer.c"), "-o", os.path.join(where, "used.o")])
            check(done.returncode == 0 and not done.stderr, "%s: %s" % (what, done.stderr))
            count("compilations with indirect calls")
        if compiler == "gcc-12":
            with open(dump, encoding="utf-8") as f:
                asked = set(re.findall(r"if \(pointer\S* == (\w+)\)", f.read()))
            check(asked == {"pointed"}, "%s: the call is taken for one of %s" % (what, asked))


# ---- what is refused ---------------------------------------------------------------------------------------------

def check_refusals(ran, what):
    bare = os.path.join(ran.where, "stripped", os.path.basename(ran.path))
    os.makedirs(os.path.dirname(bare))
    g.run(["strip", "--strip-debug", "-o", bare, ran.path])
    done = g.run([g.ANYPROF, "profgen", "--binary=" + bare, "--perfscript=" + ran.text, "--for=gcc-12",
                  "-o", bare + ".afdo"])
    check(done.returncode == 1 and b"debug information" in done.stderr, "%s: without -g: %s" % (what, done.stderr))
    count("refusals")


def check_case(case):
    compiler, source, options = case
    what = "%s %s %s" % (compiler, source, " ".join(options))
    with tempfile.TemporaryDirectory() as where:
        program = g.build(compiler, source, options, where, debug="-g")
        if not check(program, "%s: not built" % what):
            return
        ran = g.Run(program, where)
        check(ran.code == 0 and len(truths(ran.output)) > 9, "%s: exit %d: %s" % (what, ran.code, ran.output))
        check_exact(ran, compiler, source, options, what)
        if "-O2" in options:
            check_plain(ran, compiler, source, options, what)
            check_times(ran, what)
            check_branches(ran, what)
            check_calls(ran, what)
            check_refusals(ran, what)


def main():
    if g.missing():
        print("skipped: %s" % g.missing())
        return 77
    plans = _share.pick([(compiler, source, options) for compiler in g.RELEASES for source in SOURCES
                         for options in OPTIONS if g.installed(compiler, source)], lambda case: "%s %s" % case[:2])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(check_case, plans))
        list(pool.map(check_pointer, [compiler for compiler in g.RELEASES if g.installed(compiler, "afdo_pointer.c")]))
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("blocks", 0) >= _share.least(60, plans), "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
