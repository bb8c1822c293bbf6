#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen --original` on programs that BOLT wrote: the profile is that of the same run of the original.

Programs, with pseudo probes and without, and what BOLT makes of them run instruction by instruction under branch_trace,
which writes every branch, and the call stack after it. Both runs are cut into samples of any number of branches, at the
same returns of calls, since both have these. So the profiles must be equal, line by line and count by count, with call
stacks and without. Where BOLT inlines calls, returns differ, and a run is one sample. Of functions that BOLT folds the
sums must be equal: which of them runs is not in its output."""

import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _profgen import (Built, check, count, first_difference, read_stacks, tally, write_recording,  # noqa: E402
                      write_text)

# Functions of one code, which run unlike often.
TWINS = r"""
__attribute__((noinline)) int one(int x) { return x & 4 ? x * 3 : x - 7; }
__attribute__((noinline)) int two(int x) { return x & 4 ? x * 3 : x - 7; }
__attribute__((noinline)) int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 5 ? one(i) : two(i + s);
    return s; }
int main(int argc, char **argv) { (void)argv; return work(argc * 300) == 1; }
"""
COMMON = ["-O2", "-g", "-fdebug-info-for-profiling", "-Wl,-q", "-Wl,--build-id", "-Wl,-znow"]
SOURCES = ["main.c", "other.c", "far/other.c"]
PROGRAMS = {"pie": ("clang-22", SOURCES), "fixed": ("clang-22", [*SOURCES, "-no-pie"]),
            "frames": ("clang-22", [*SOURCES, "-O1", "-fno-omit-frame-pointer"]),
            "goto": ("clang-22", ["goto.c", "-no-pie"]), "exceptions": ("clang++-22", ["exceptions.cpp"]), "twins": ("clang-22", ["twins.c"])}
PROBES = {"probes": ["-fpseudo-probe-for-profiling"], "lines": []}
KINDS = {"plain": [], "reversed": ["--reorder-blocks=reverse", "--reorder-functions=none"],
         "split": ["--split-functions", "--split-strategy=randomN", "--bolt-seed=7"],
         "split in two": ["--split-functions", "--split-strategy=random2", "--bolt-seed=3", "--split-eh"],
         "all apart": ["--split-functions", "--split-strategy=all"], "in place": ["--relocs=0"],
         "inlined": ["--inline-small-functions"], "folded": ["--icf=1"],
         "skipped": ["--skip-funcs=work,deep,walk,local.*,order.*,_ZL.*,_ZN.*"],
         "simpler": ["--plt=all", "--peepholes=all", "--simplify-conditional-tail-calls", "--sctc-mode=always"],
         "profiled": ["--reorder-blocks=ext-tsp", "--split-functions", "--indirect-call-promotion=all",
                      "--icp-topn=1", "--icp-calls-topn=9", "--inline-small-functions"]}
INLINING = ("inlined", "profiled")
RELEASES = {22: list(KINDS), 19: ["reversed", "split", "profiled"], 16: ["reversed"], 15: ["reversed"]}


def trace(path, where):
    """All branches of a run, each with the call stack after it."""
    out = os.path.join(where, "traced")
    run([_bolt.TRACER, "-P", out, "-C", "-d", "1", "-n", "1", "--", path])
    return read_stacks(out)


def samples(events, every, calls):
    """Cuts a run at each so many returns; a sample begins with the last branch of the one before."""
    found, oldest, depth, returns = [], 0, 0, 0
    for i, (_, frames) in enumerate(events):
        returns += len(frames) < depth
        if i == len(events) - 1 or (len(frames) < depth and returns % every == 0):
            found.append(([event[0][0] for event in events[oldest:i + 1]][::-1], frames if calls else []))
            oldest = i
        depth = len(frames)
    return found


def profile(words, where, what):
    out = os.path.join(where, "profile")
    done = run([ANYPROF, "profgen", "--format=text", "-o", out, *words])
    if not check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:])):
        return b"", ""
    with open(out, "rb") as f:
        return f.read(), done.stderr.decode()


class Case:
    def __init__(self, program, probes, release, kind):
        self.program, self.probes, self.release, self.kind = program, probes, release, kind
        self.what = "%s, %s, BOLT %d, %s" % (program, probes, release, kind)


def cases():
    return [Case(program, probes, release, kind) for program in PROGRAMS for probes in PROBES
            for release, kinds in RELEASES.items() for kind in kinds if shutil.which("llvm-bolt-%d" % release)]


class Originals:
    """Programs before BOLT, and their runs."""

    def __init__(self, where):
        self.where, self.known = where, {}
        _bolt.build(where)
        with open(os.path.join(where, "goto.c"), "w", encoding="utf-8") as f:
            f.write(_bolt.GOTO.replace("static int (*choose", "int (*choose"))
        with open(os.path.join(where, "twins.c"), "w", encoding="utf-8") as f:
            f.write(TWINS)

    def get(self, case):
        key = case.program, case.probes
        if key not in self.known:
            tool, words = PROGRAMS[case.program]
            path = os.path.join(self.where, "%s-%s" % key)
            _bolt.check_run([tool, *COMMON, "--ld-path=" + shutil.which("ld.lld-22"), *PROBES[case.probes], *words, "-o",
                             path], cwd=self.where)
            self.known[key] = path, trace(path, self.where)
        return self.known[key]


def rewrite(case, original, where):
    """What BOLT makes; None: it does not."""
    bolted, options = original + ".bolt", list(KINDS[case.kind])
    if case.kind == "profiled":
        fdata = os.path.join(where, "fdata")
        files = _bolt.trace(original, os.path.join(where, "samples"))
        _bolt.perf2bolt(case.release, original, files[_bolt.sample_kind(case.release)], fdata)
        options += ["-data", fdata]
    why = _bolt.bolt(case.release, original, options, bolted)
    if why:
        print("not made: %s: %s" % (case.what, why))
        count("not made")
        return None
    return bolted


def add_up(text):
    """A profile of branches with the functions of TWINS as one: {what: count}."""
    counts, function = {}, ""
    for line in re.sub(rb"\btwo\b", b"one", text).splitlines():
        name, _, numbers = line.partition(b":")
        function = function if line.startswith(b" ") else name
        if line.startswith(b" !"):
            continue
        total, *calls = numbers.split()
        for key, number in [(b"", total.split(b":")[0]), *(call.rsplit(b":", 1) for call in calls)]:
            key = function, name, key
            counts[key] = counts.get(key, 0) + int(number)
    return counts


def compare(case, texts, calls, what):
    count("profiles")
    count("bytes", len(texts[0]))
    if case.program == "twins" and case.kind == "folded":
        check(texts[0] != texts[1] and (calls or add_up(texts[0]) == add_up(texts[1])),
              "%s: not folded, or other sums: %s" % (what, first_difference(*texts)))
        count("folded")
    else:
        check(texts[0] == texts[1], "%s: %s" % (what, first_difference(*texts)))


def check_recording(program, run_, words, expected, where, what):
    data = os.path.join(where, "perf.data")
    write_recording(data, program, run_, random.Random(len(run_)))
    check(profile(["--perfdata=" + data, *words], where, what)[0] == expected, "%s: perf.data" % what)
    count("recordings")


def check_case(case, originals, where):
    original, events = originals.get(case)
    bolted = rewrite(case, original, where)
    if not bolted:
        return
    followed = trace(bolted, where)
    words = ["--binary=" + bolted, "--original=" + original]
    for every in (10 ** 9,) if case.kind in INLINING else (10 ** 9, 7, 1):
        for calls in (False, True):
            what = "%s, %s, %s" % (case.what, "every %d returns" % every, "call stacks" if calls else "branches")
            texts, text = [], os.path.join(where, "text")
            for path, run_ in ((original, events), (bolted, followed)):
                program, cut = Built(path), samples(run_, every, calls)
                write_text(text, program, cut, 0x555555000000 if program.movable else 0)
                texts.append(profile(["--perfscript=" + text, *(words if path == bolted else ["--binary=" + path])],
                                     where, what))
            compare(case, [one for one, _ in texts], calls, what)
            for n, line in re.findall(r"^ +(\d+) .*(inlined|cannot be followed)", texts[1][1], re.M):
                check(line == "inlined" and case.kind in INLINING, "%s: %s %s" % (what, n, line))
            if every == 7:
                check_recording(program, cut, words, texts[1][0], where, what)


def main():
    why = _bolt.can_trace()
    if why or not shutil.which("llvm-bolt-22") or not shutil.which("clang-22") or not shutil.which("ld.lld-22"):
        print("skipped: %s" % (why or "needs clang-22, ld.lld-22 and llvm-bolt-22"))
        return 77
    plans = _share.pick(cases(), lambda case: case.program)
    with tempfile.TemporaryDirectory() as where:
        originals = Originals(where)
        for case in plans:
            check_case(case, originals, where)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("profiles", 0) >= _share.least(300, plans), "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
