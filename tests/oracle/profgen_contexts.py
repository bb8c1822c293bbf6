#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen` beside llvm-profgen-22 on samples with call stacks: the same context-sensitive profiles.

Programs with pseudo probes and without are run under tests/tools/branch_trace.c, which writes branch and call stacks.
Counts by context and profiles are compared as bytes, with each option alone and with pairs of them chosen by chance;
what was read back of counts by context gives the same profile, and so does perf.data of several processes."""

import itertools
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _profgen import (LONGER, Built, both, build, cases, check, count, first_difference, missing,  # noqa: E402
                      tally, trace, without_dropped, write_recording, write_text)

FLAT = ["--csspgo-preinliner=0", "--gen-cs-nested-profile=0"]
ALL = [*FLAT, "--profile-summary-hot-count=0"]
# With its preinliner, llvm-profgen loses counts of recursive functions whose contexts are not compressed.
DEEP = ["--csspgo-preinliner=0", "--compress-recursion=0"]
SINGLE = (["--infer-missing-frames=0"], ["--csspgo-preinliner=0"], ["--gen-cs-nested-profile=0"],
          ["--use-context-cost-for-preinliner=0"], ["--csspgo-replay-preinline"], ["--trim-cold-profile"],
          ["--csprof-merge-cold-context=1"], ["--compress-recursion=1"],
          ["--csprof-max-context-depth=2"], ["--csprof-max-unsymbolized-context-depth=1"],
          ["--csprof-max-cold-context-depth=2"], ["--profile-summary-hot-count=0"], ["--profile-summary-cold-count=7"],
          ["--use-dwarf-correlation"], ["--load-function-from-symbol=0"], ["--ignore-stack-samples"])
# Of these each program gets some.
MORE = (["--update-total-samples"], ["--mark-all-context-preinlined"], ["--sample-profile-hot-inline-threshold=0"],
        ["--sample-profile-hot-inline-threshold=0", "--csspgo-preinliner-multiplier-for-previous-inlining=40"],
        ["--sample-profile-hot-inline-threshold=0", "--sample-profile-cold-inline-threshold=50"],
        ["--sample-profile-cold-inline-threshold=500"], ["--sample-profile-inline-limit-max=150"],
        ["--sample-profile-inline-growth-limit=1", "--sample-profile-inline-limit-min=5"],
        ["--profile-summary-cutoff-cold=500000"], ["--profile-summary-cutoff-hot=500000", "--trim-cold-profile"])
RAW = (["--compress-recursion=0"], ["--csprof-max-context-depth=2"], ["--csprof-max-unsymbolized-context-depth=1"],
       ["--use-dwarf-correlation"], ["--ignore-stack-samples"])


def names_of(options):
    return {option.partition("=")[0] for option in options}


def options_of(chance):
    """Each alone, and some pairs."""
    pairs = [a + b for a, b in itertools.combinations(SINGLE + MORE, 2) if not names_of(a) & names_of(b)]
    return [[], FLAT, ALL, DEEP, *SINGLE, *chance.sample(MORE, 3), *chance.sample(pairs, 6)]


def alike(text, words, lines):
    """Without what differs on purpose, see docs/differences.md: attributes of contexts that lost callers, entries of
    recursive functions that llvm-profgen's preinliner loses, and what it takes the address 1 for."""
    inlines = "--csspgo-preinliner=0" not in words
    if "--ignore-stack-samples" in words:
        text = without_dropped(text)
    if lines and inlines:
        text = re.sub(rb"^(\S.*):[0-9]+$", rb"\1", text, flags=re.M)
    if (any("cold-" in w or "context-depth" in w for w in words) or
            (not inlines and "--profile-summary-hot-count=0" not in words)):
        text = b"".join(line for line in text.splitlines(keepends=True) if b"!Attributes:" not in line)
    return text


def compare(program, words, where, format_, what):
    theirs, ours = both(program, words, where, format_, what)
    if theirs is None:
        count("refused by llvm-profgen")
        return None
    if format_:
        lines = "lines" in what or "--use-dwarf-correlation" in words
        theirs, ours = alike(theirs, words, lines), alike(ours or b"", words, lines)
    count("profiles" if format_ else "unsymbolized")
    count("bytes", len(theirs))
    check(theirs == ours, "%s %s: %s" % (what, words[1:], first_difference(theirs, ours or b"")))
    return ours


def check_counts(program, text, where, what):
    """Counts by context, and what is made of them."""
    for options in ([], *RAW):
        words = ["--perfscript=" + text, "--skip-symbolization", *options]
        ours = compare(program, words, where, [], what)
        if ours is None or options not in ([], ["--use-dwarf-correlation"]):
            continue
        raw, profiles = os.path.join(where, "raw"), []
        with open(raw, "wb") as f:
            f.write(ours)
        for source in ("--perfscript=" + text, "--unsymbolized-profile=" + raw):
            out = os.path.join(where, "ours")
            done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, source, "--format=text", *ALL,
                        *options, "-o", out])
            check(done.returncode == 0, "%s: %s: %s" % (what, source, done.stderr[-300:]))
            with open(out, "rb") as f:
                profiles.append(f.read())
        check(profiles[0] == profiles[1],
              "%s: of counts: %s" % (what, first_difference(profiles[0], profiles[1])))
        count("profiles of counts")


def check_given(program, text, where, what):
    """The last steps of a profile that was written before them."""
    given = os.path.join(where, "given")
    done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, "--perfscript=" + text, "--format=text",
                *ALL, "-o", given])
    check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:]))
    for options in ([], ["--trim-cold-profile"], ["--gen-cs-nested-profile=0"]):
        compare(program, ["--llvm-sample-profile=" + given, *options], where, ["--format=text"], what)
        count("profiles of profiles")


def check_recording(program, text, data, where, what):
    profiles = []
    for source in ("--perfscript=" + text, "--perfdata=" + data):
        out = os.path.join(where, "ours")
        done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, source, "--format=text", "-o", out])
        check(done.returncode == 0, "%s: %s: %s" % (what, source, done.stderr[-300:]))
        with open(out, "rb") as f:
            profiles.append(f.read())
    check(profiles[0] == profiles[1], "%s: perf.data: %s" % (what, first_difference(profiles[0], profiles[1])))
    count("recordings")


def check_program(path, where, what, seed, arguments):
    program, chance = Built(path), random.Random(seed)
    stacks, status = trace(path, where, True, arguments)
    if len(stacks) < 20:
        check(False, "%s: %d stacks (exit %d)" % (what, len(stacks), status))
        return
    count("programs")
    count("samples", len(stacks))
    text, data = os.path.join(where, "text"), os.path.join(where, "perf.data")
    write_text(text, program, stacks, 0x555555000000 if program.movable else 0)
    write_recording(data, program, stacks, chance)
    check_counts(program, text, where, what)
    check_given(program, text, where, what)
    for options in options_of(chance):
        compare(program, ["--perfscript=" + text, *options], where, ["--format=text"], what)
    check_recording(program, text, data, where, what)


def main():
    if missing():
        print("skipped: %s" % missing())
        return 77
    plans = _share.pick(cases(), lambda case: case[0].name)
    with tempfile.TemporaryDirectory() as where:
        for i, (program, version, probes) in enumerate(plans):
            what = "%s, clang %d, %s" % (program.name, version, "probes" if probes else "lines")
            built = build(program, version, probes, os.path.join(where, str(i)))
            if isinstance(built, str):
                print("not built: %s: %s" % (what, built))
                count("not built")
                continue
            check_program(built[1], where, what, i, LONGER.get(program.name, []))
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("profiles", 0) >= _share.least(500, plans), "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
