#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen` beside llvm-profgen-22 on branch stacks of real runs: the same profiles.

Programs of every clang from 16 on, with pseudo probes and without, run instruction by instruction under branch_trace,
which writes branch stacks. They are made into the text that llvm-profgen reads, and into perf.data, in which several
processes run the program at different addresses."""

import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _profgen import (LONGER, Built, as_text, both, build, cases, check, count, first_difference,  # noqa: E402
                      missing, tally, trace, without_dropped, write_recording, write_text)

OPTIONS = ([], ["--use-dwarf-correlation"], ["--load-function-from-symbol=0"], ["--format=binary"],
           ["--use-md5"], ["--format=text", "--use-dwarf-correlation", "--load-function-from-symbol=0"])
# Of these each program gets some.
MORE = (["--trim-cold-profile"], ["--trim-cold-profile", "--profile-summary-cold-count=70"], ["--update-total-samples"],
        ["--trim-cold-profile", "--profile-summary-cutoff-cold=800000"], ["--fill-zero-for-all-funcs"],
        ["--mark-all-context-preinlined"], ["--update-total-samples", "--use-dwarf-correlation"],
        ["--fill-zero-for-all-funcs", "--load-function-from-symbol=0", "--use-dwarf-correlation"])


def check_symbol_list(program, text, where, what):
    lists = []
    for data in both(program, ["--perfscript=" + text, "--populate-profile-symbol-list"], where, [], what):
        if data is None:  # llvm-profgen crashes where the names of probes differ from those of debug information
            count("refused by llvm-profgen")
            return
        with open(os.path.join(where, "profile"), "wb") as f:
            f.write(data or b"")
        shown = run(["llvm-profdata-22", "show", "--sample", "--show-prof-sym-list", os.path.join(where, "profile")])
        lists.append(shown.stdout.partition(b"Dump profile symbol list")[2])
    check(lists[0] and lists[0] == lists[1], "%s: lists of symbols" % what)
    count("lists of symbols")


def check_script(program, text, where, what, chance):
    theirs, ours = both(program, ["--perfscript=" + text, "--skip-symbolization"], where, [], what)
    check(theirs == ours, "%s: unsymbolized: %s" % (what, first_difference(theirs or b"", ours or b"")))
    count("unsymbolized")
    first = ["--use-first-loadable-segment-as-base"]
    theirs_first, ours_first = both(program, ["--perfscript=" + text, "--skip-symbolization", *first], where, [], what)
    check(theirs_first == ours_first, "%s: unsymbolized, from the first segment" % what)
    raw = os.path.join(where, "raw")
    with open(raw, "wb") as f:
        f.write(theirs)
    for options in (*OPTIONS, *chance.sample(MORE, 3)):
        format_ = [] if any("format" in o or "md5" in o for o in options) else ["--format=text"]
        theirs, ours = both(program, ["--perfscript=" + text, *options], where, format_, what)
        if theirs is None:
            count("refused by llvm-profgen")
            continue
        count("profiles")
        count("bytes", len(theirs))
        theirs = without_dropped(theirs) if format_ or "--format=text" in options else theirs
        if format_ or "--format=text" in options:
            # With this option, there are functions that did not run in both.
            alike = without_dropped(ours or b"") if "--fill-zero-for-all-funcs" in options else ours
            check(theirs == alike, "%s %s: %s" % (what, options, first_difference(theirs, alike or b"")))
            check(both(program, ["--unsymbolized-profile=" + raw, *options], where, format_, what)[1] == ours,
                  "%s %s: of unsymbolized counts" % (what, options))
        else:
            read = [as_text(os.path.join(where, name), where) for name in ("theirs", "ours")]
            read[0] = read[0] and without_dropped(read[0])
            check(read[0] == read[1], "%s %s: read back: %s"
                  % (what, options, first_difference(read[0] or b"", read[1] or b"")))


def check_recording(program, data, text, where, what):
    """perf.data gives the profile that the text of one process gives."""
    profiles = []
    for source in ("--perfscript=" + text, "--perfdata=" + data):
        out = os.path.join(where, "ours")
        done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, source, "--format=text", "-o", out])
        check(done.returncode == 0, "%s: %s: %s" % (what, source, done.stderr[-300:]))
        with open(out, "rb") as f:
            profiles.append(f.read())
    check(profiles[0] == profiles[1], "%s: perf.data: %s" % (what, first_difference(*profiles)))
    count("recordings")


def check_program(path, where, what, seed, arguments):
    program, chance = Built(path), random.Random(seed)
    stacks, status = trace(path, where, False, arguments)
    if len(stacks) < 20:
        check(False, "%s: %d stacks (exit %d)" % (what, len(stacks), status))
        return
    count("programs")
    count("stacks", len(stacks))
    base = 0x555555000000 if program.movable else 0
    text, data = os.path.join(where, "text"), os.path.join(where, "perf.data")
    write_text(text, program, stacks, base)
    write_recording(data, program, stacks, chance)
    check_script(program, text, where, what, chance)
    check_symbol_list(program, text, where, what)
    check_recording(program, data, text, where, what)


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
    check(tally.counts.get("profiles", 0) >= _share.least(150, plans), "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
