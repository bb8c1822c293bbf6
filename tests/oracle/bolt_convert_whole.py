#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof bolt convert` of programs that BOLT has not changed beside perf2bolt-22: the same fdata of the same
samples. Programs of C, C++ and assembly, by gcc and clang, with relocations and without, fixed and movable, for x86-64
and AArch64. Samples are of real runs, and made up: branches of the code, ranges of code from where they go, the ends
of some of them elsewhere."""

import bisect
import os
import random
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402

counts = {"programs": 0, "records": 0, "lines": 0, "runs": 0, "lines of runs": 0, "lines of split functions": 0,
          "lines with skipped functions": 0, "not made": 0}
tally = _bolt.Tally()
failures, check = tally.failures, tally.check


def make_samples(program, seed, n):
    """Half of them follow a branch of the code; a part of the functions has none."""
    functions, branches = _bolt.read_code(program)
    chance, lines = random.Random("samples %d" % seed), []
    functions = [f for f in functions if chance.random() < .7] or functions
    every = [a for f in functions for a in f]
    known = set(every)
    branches = [b for b in branches if b[0] in known] or [(every[0], None)]
    sources = [b[0] for b in branches]
    for _ in range(n):
        code = chance.choice(functions)
        if chance.random() < .5:
            branch, to = chance.choice(branches)
            to = to if to in known else chance.choice(code)
            end = sources[min(bisect.bisect_left(sources, to) + chance.choice((0, 0, 0, 1, 2, 4)), len(sources) - 1)]
        else:
            at = 0 if chance.random() < .3 else chance.randrange(len(code))
            branch, to = chance.choice(every), code[at]
            end = code[min(at + chance.choice((0, 1, 1, 2, 3, 5, 9, 20, 50)), len(code) - 1)]
        branch = 0 if chance.random() < .1 else branch
        kind, count = chance.choice("TTTTRBFFfr"), chance.randint(1, 50)
        if kind == "B":
            lines.append("B %x %x %d %d" % (branch, to, count, chance.randint(0, count)))
        elif kind in "TR":
            lines.append("%s %x %x %x %d" % (kind, branch, to, end, count))
        else:
            lines.append("%s %x %x %d" % (kind, to, end, count))
    return lines


def drop_split(program, got, expected):
    """Without relocations, perf2bolt follows no code that the compiler split: what anyprof has there is more."""
    def family(line):
        words = line.split()
        return words[1].split("/")[0].split(".cold")[0] if words[1:5:3] == words[1:2] * 2 else None

    names = run(["llvm-nm-22", program]).stdout.decode().split()
    split = {name.split(".cold")[0] for name in names if ".cold" in name}
    extra = {line for line in set(got) - set(expected) if family(line) in split}
    counts["lines of split functions"] += len(extra)
    return [line for line in got if line not in extra]


def compare(program, what, samples, where, options=()):
    """How many lines are the same; 0 after a difference."""
    theirs, ours = os.path.join(where, "theirs"), os.path.join(where, "ours")
    try:
        _bolt.perf2bolt(22, program, samples, theirs, options=options)
    except _bolt.Failed as error:
        counts["not made"] += 1
        print("not made: %s: %s" % (what, error))
        return 0
    done = run([ANYPROF, "bolt", "convert", program, "--pa=" + samples, "-o", ours, "--quiet", *options])
    if not check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:])):
        return 0
    texts = []
    for path in (ours, theirs):
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            texts.append(f.read().splitlines())
    got, expected = texts
    if "without relocations" in what:
        got = drop_split(program, got, expected)
    if "--ba" in options:  # perf2bolt writes samples of instructions in no order
        got, expected = sorted(got), sorted(expected)
    only = [sorted(set(a) - set(b))[:3] for a, b in ((expected, got), (got, expected))]
    same = check(got == expected, "%s: perf2bolt has %s, anyprof %s" % (what, *only))
    return len(got) if same else 0


def skip_functions(program, seed):
    """--skip-funcs with a fifth of the functions: cold fragments are skipped with their functions, and the reverse."""
    chance = random.Random(seed)
    said = run(["llvm-nm-22", "--defined-only", program]).stdout.decode(errors="replace")
    names = sorted({line.split()[2] for line in said.splitlines() if line.split()[1] in "tTwW"})
    names = [re.sub(r"([][.+*?(){}^$|\\])", r"\\\1", name) for name in names if "," not in name]
    chosen = [name + "(/.*)?" for name in names if chance.random() < .2] or names[:1]
    return "--skip-funcs=" + ",".join(chosen)


def check_program(what, program, where):
    samples = os.path.join(where, "samples")
    for seed in range(3):
        lines = make_samples(program, seed, 1500)
        with open(samples, "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        counts["lines"] += compare(program, "%s, samples %d" % (what, seed), samples, where)
        counts["records"] += len(lines)
        skip = skip_functions(program, seed)
        counts["lines with skipped functions"] += compare(program, "%s, samples %d, %s" % (what, seed, skip), samples,
                                                          where, (skip,))
    counts["programs"] += 1
    if "AArch64" in what or "assembly" in what or _bolt.can_trace():
        return
    traced = _bolt.trace(program, os.path.join(where, "traced"), every=7)
    for kind, options in (("T", ()), ("B", ()), ("old", ()), ("basic", ("--ba",))):
        same = compare(program, "%s, run, %s" % (what, kind), traced[kind], where, options)
        counts["lines of runs"] += same
        counts["runs"] += bool(same)


def main():
    with tempfile.TemporaryDirectory() as where:
        programs = _bolt.build_whole(where) if shutil.which("perf2bolt-22") else {}
        if not programs:
            print("skipped: no perf2bolt-22, or no compiler for it")
        plans = _share.pick(programs.items(), lambda plan: plan[0].split(", ")[-1])
        for what, program in plans:
            check_program(what, program, where)
    print(", ".join("%d %s" % (n, what) for what, n in counts.items()))
    if not counts["programs"]:
        return 77
    if len(programs) > 10:
        check(counts["lines"] >= _share.least(10000, plans), "too little was compared")
    return 1 if failures else 0


sys.exit(main())
