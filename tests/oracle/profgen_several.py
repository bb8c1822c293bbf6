#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen` of several programs in one pass: what each of them gets is what a run for it alone makes.

Programs run under branch_trace. Their samples become those of processes that have mapped all of them, as a program and
its libraries, with branches from one to another one. Profiles, counts and reports are compared as bytes; the pass reads
perf.data, also from standard input, and the text of perf script."""

import json
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _probes  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _perf import Recording  # noqa: E402
from _profgen import LIBRARY, USER_FRAMES, Built, build, cases, check, count, missing, moved, tally, trace  # noqa: E402

NAMES = ("c-pie", "cpp", "c-split")
OPTIONS = ([], ["--ignore-stack-samples"], ["--use-dwarf-correlation"], ["--csspgo-preinliner=0"],
           ["--skip-symbolization"], ["--pid=101"])
PIDS = (100, 101)


class Process:
    """Where programs are."""

    def __init__(self, pid, programs, chance):
        self.pid = pid
        self.bases = [(chance.randrange(0x550000000, 0x560000000) + (i << 24)) << 12 if p.movable else 0
                      for i, p in enumerate(programs)]


def movable(program):
    """Programs of one process are in different places."""
    return _probes.Program(program.name, program.sources, [*program.flags, "-fPIE"], [*program.link, "pie"],
                           program.first, program.freestanding)


def joined(chance, samples):
    """Samples of all programs in turns, each with the branches of one sample of another program after its own."""
    found = []
    for i, of_one in enumerate(samples):
        for branches, frames in of_one:
            other = chance.choice([k for k in range(len(samples)) if k != i])
            before, _ = chance.choice(samples[other])
            found.append((i, branches[:chance.randrange(1, len(branches) + 1)], frames, other, before))
    chance.shuffle(found)
    return found


def placed(sample, process):
    """Branches and frames in a process: the newest branch of the other program goes to the oldest one's end."""
    i, branches, frames, other, before = sample
    ours, frames = moved((branches, frames), process.bases[i])
    theirs, _ = moved((before, []), process.bases[other])
    return [*ours, (theirs[0][1], ours[-1][0], "P"), *theirs][:32], frames


def write_text(path, programs, samples, process):
    with open(path, "w", encoding="ascii") as f:
        for program, base in zip(programs, process.bases):
            for address, size, offset in program.segments:
                f.write("PERF_RECORD_MMAP2 %d/1: [0x%x(0x%x) @ %s 08:01 77 0]: r-xp %s\n"
                        % (process.pid, address + base, size, "0x%x" % offset if offset else "0", program.path))
        for branches, frames in (placed(sample, process) for sample in samples):
            line = "  ".join("0x%x/0x%x/%s/-/-/0/" % e for e in branches)
            f.write("%s %s\n\n" % ("".join("\t%16x\n" % a for a in frames), line) if frames
                    else " %x  %s\n" % (branches[0][1], line))


def write_recording(path, programs, samples, processes, chance):
    recording = Recording(chains=any(frames for _, _, frames, _, _ in samples))
    for process in processes:
        recording.mmap(process.pid, LIBRARY, 0x200000, 0x26000, "/usr/lib/libc.so.6")
        for program, base in zip(programs, process.bases):
            for address, size, offset in program.segments:
                recording.mmap(process.pid, address + base, size, offset, program.path)
    for sample in samples:
        process = chance.choice(processes)
        branches, frames = placed(sample, process)
        recording.sample(process.pid, branches[0][1], branches, [USER_FRAMES, *frames] if frames else [])
    recording.write(path)


def profgen(words, binaries, where, stdin=None):
    """The outputs and the report; None: it fails."""
    outputs = [os.path.join(where, "out%d" % i) for i in range(len(binaries))]
    report = os.path.join(where, "report")
    done = run([ANYPROF, "profgen", "--quiet", "--report=" + report, *words,
                *(word for b, o in zip(binaries, outputs) for word in ("--binary=" + b, "-o", o))], stdin=stdin)
    if len(binaries) == 1 and done.returncode == 1 and b"no branch is in it" in done.stderr:
        # An error for one program alone; of several, its profile is empty.
        return [b""], [None]
    if not check(done.returncode == 0, "%s: %s" % (words, done.stderr[-300:])):
        return None
    found = []
    for path in outputs:
        with open(path, "rb") as f:
            found.append(f.read())
    with open(report, encoding="utf-8") as f:
        numbers = json.load(f)
    return found, numbers["programs"] if len(binaries) > 1 else [numbers]


def facts(numbers):
    return {key: value for key, value in numbers.items() if key not in ("schema", "generator", "program", "original")}


def compare(words, source, paths, where, what):
    formats = [] if "--skip-symbolization" in words else ["--format=text"]
    alone = [profgen([*words, source, *formats], [path], where) for path in paths]
    for order in (range(len(paths)), reversed(range(len(paths)))):
        order = list(order)
        together = profgen([*words, source, *formats], [paths[i] for i in order], where)
        if together is None or None in alone:
            return
        for at, i in enumerate(order):
            if not alone[i][1][0]:
                check(b":" not in together[0][at], "%s %s: a profile of %s" % (what, words, paths[i]))
                continue
            check(together[0][at] == alone[i][0][0], "%s %s: profile of %s" % (what, words, paths[i]))
            x, y = facts(together[1][at]), facts(alone[i][1][0])
            other = [(key, x[key], y[key]) for key in x if x[key] != y[key]]
            check(x == y, "%s %s: report of %s: %s" % (what, words, paths[i], other))
            count("profiles")
            count("bytes", len(together[0][at]))
    if source.startswith("--perfdata=") and not words:
        with open(source.partition("=")[2], "rb") as f:
            piped = profgen([*words, "--perfdata=-", *formats], paths, where, stdin=f)
        check(piped and piped[0] == [one[0][0] for one in alone], "%s: from standard input" % what)
        count("pipes")


def main():
    if missing():
        print("skipped: %s" % missing())
        return 77
    plans = [case for case in cases() if case[0].name in NAMES and case[1] == 22]
    with tempfile.TemporaryDirectory() as where:
        for probes in (True, False):
            programs, samples = {}, {}
            for i, (program, version, _) in enumerate(case for case in plans if case[2] == probes):
                built = build(movable(program), version, probes, os.path.join(where, "%s%d" % (probes, i)))
                if isinstance(built, str):
                    continue
                path = os.path.join(where, "%s-%s" % (program.name, probes))
                os.rename(built[1], path)
                programs[program.name] = Built(path)
                for calls in (True, False):
                    samples[program.name, calls] = trace(path, where, calls)[0][:400]
            for calls in (True, False):
                chance, built = random.Random(calls), list(programs.values())
                paths, what = [p.path for p in built], "%s, %s" % (probes, calls)
                parts = joined(chance, [samples[name, calls] for name in programs])
                processes = [Process(pid, built, chance) for pid in PIDS]
                text, data = os.path.join(where, "text"), os.path.join(where, "perf.data")
                write_text(text, built, parts, processes[1])
                write_recording(data, built, parts, processes, chance)
                for words in OPTIONS:
                    for source in ("--perfscript=" + text, "--perfdata=" + data):
                        compare(words, source, paths, where, what)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("profiles", 0) >= 250, "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
