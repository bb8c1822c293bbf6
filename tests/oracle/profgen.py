#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen` beside llvm-profgen-22 on branch stacks of real runs: the same profiles.

Programs of every clang from 16 on, with pseudo probes and without, run instruction by instruction under branch_trace,
which writes branch stacks. They are made into the text that llvm-profgen reads, and into perf.data, in which several
processes run the program at different addresses."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _share  # noqa: E402
from _profgen import LONGER, Built, build, cases, check, count, missing, tally, trace  # noqa: E402
from _profgen_compare import compare_branches  # noqa: E402


def check_program(path, where, what, seed, arguments):
    stacks, status = trace(path, where, False, arguments)
    if len(stacks) < 20:
        check(False, "%s: %d stacks (exit %d)" % (what, len(stacks), status))
        return
    count("programs")
    count("stacks", len(stacks))
    compare_branches(Built(path), stacks, where, what, seed)


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
