#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text profiles made at random, from fixed seeds: what anyprof writes `--for` each release is what that release's
llvm-profdata merge -j=1 writes, byte for byte. _identity.py says what is claimed of several inputs.

Up to LLVM 16 the functions of a file are in the order of a hash map, whose layout depends on what came first; and so
are the records of a function in all releases.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402
from _identity import ANYPROF, RELEASES, Case, choose, merge, profdata, report, run_cases  # noqa: E402

# Comparisons for each release. A change of this test must not make it compare less.
FLOOR = 196
# Of the comparisons of several inputs.
MOST = {"other order": 0.08, "other vtable order": 0, "other trace order": 0, "varies": 0}
MERGES = [[], ["--sparse"]]
HEADERS = [[], ["ir"], ["ir", "entry_first"], ["csir"], ["fe"]]
HEADERS += [["csir", "entry_first"], ["ir", "entry_first", "not_entry_first"]]
# The map of names grows after 12, 24, 48, ... of them, the table in the file at other sizes.
SIZES = [0, 1, 2, 3, 4, 7, 12, 13, 24, 25, 47, 48, 49, 96, 97, 193, 384, 385, 770]


def limits(release):
    """Returns the limits of the release's text profiles."""
    if release <= 16:
        return {"kinds": (0, 1), "local": ":", "bitmaps": 0}
    return {"local": ";", "bitmaps": 20}


def saturates_as_we_do(release):
    """Before LLVM 16 a sum that is too large became 2^64-1, which is also a pseudo count. See DIFFERENCES."""
    return release >= 16


def single_cases(release):
    for n in range(3 * len(SIZES)):
        huge = ["huge"] if saturates_as_we_do(release) else []
        weight = [1, 1, 3, 1, 1 << 62 if huge else 1000][n % 5]
        size = SIZES[n % len(SIZES)]
        profile = g.make_profile(
            "single %d" % n,
            functions=size,
            header=HEADERS[n % len(HEADERS)],
            values=[0, 20, 50][n % 3] if size < 300 else 5,
            wide=20,
            most_values=[6, 300][n % 2],
            counts=([None, "zero"] + huge)[n // 2 % (2 + len(huge))],
            pseudo=[0, 10][n % 2] if weight == 1 else 0,
            huge_values=n % 5 == 0 and weight == 1,
            several_hashes=[0, 15, 60, 100][n % 4],
            most_hashes=[1, 2, 5, 70][n // 4 % 4] if size < 300 else 2,
            plain_hashes=n % 7 != 0,
            mixed=n % 2 == 1,
            odd=n % 3 == 1,
            traces=[None, None, 0, 3, 40][n % 5] if release >= 22 else None,  # 19 counts them in another way
            **limits(release),
        )
        formats = ["indexed" if n % 3 == 0 else "text"]
        yield Case("single %d" % n, [profile], MERGES, formats, [weight], n if n % 4 else None, release=release)


def large_case(release):
    sizes = {"functions": 6000, "values": 5, "several_hashes": 5}
    profile = g.make_profile("large", header=["ir"], mixed=True, **sizes, **limits(release))
    return Case("large", [profile], MERGES, release=release)


def several_cases(release):
    for n in range(40):
        rng = g.Random("several %d" % n)
        base = g.make_profile(
            "several %d" % n,
            functions=rng.pick([1, 2, 5, 12, 13, 60, 150, 400]),
            header=HEADERS[n % 4],
            values=[0, 15, 50][n % 3],
            several_hashes=[0, 0, 10, 50][n // 2 % 4],
            most_hashes=[1, 4][n % 2],
            mixed=n % 3 == 0,
            **dict(limits(release), bitmaps=[0, 100][n // 2 % 2] if release > 16 else 0),
        )
        weighted = n % 6 == 5  # then no value may be new to a site: LLVM forgets its weight
        runs = [base] + [
            g.vary(
                base,
                "%d %d" % (n, i),
                present=[90, 100, 50, 100][n % 4],
                new_values=0 if weighted else 30,
                kept_values=100 if weighted else 80,
            )
            for i in range(rng.between(1, 3))
        ]
        if n % 5 == 4:  # the largest is not the first
            runs = rng.shuffled(runs)
        formats = [["text"], ["indexed"], ["text", "indexed"]][n % 3]
        yield Case(
            "several %d" % n,
            runs,
            MERGES,
            formats=[formats[i % len(formats)] for i in range(len(runs))],
            weights=[rng.pick([1, 2, 7, 1000]) for _ in runs] if weighted else None,
            style=n if n % 2 else None,
            release=release,
        )


DIFFERENCES = [
    # what, releases, inputs (text, weight), LLVM's counters as LLVM 22 reads the file, ours
    (
        "a sum that is too large",
        (13, 14, 15),
        [("f\n1\n2\n%d\n5\n" % (g.U64 - 9), 1)] * 2,
        [g.U64, 10],
        [g.U64 - 2, 10],
    ),
    (
        "pseudo counts of several inputs",
        (13, 14, 15),
        [("f\n1\n2\n%d\n5\n" % g.WARM, 1)] * 2,
        [g.U64, 10],
        [g.WARM, 5],
    ),
    (
        "a pseudo count with a weight",
        (13, 14, 15),
        [("f\n1\n2\n%d\n5\n" % g.WARM, 2)],
        [g.U64, 10],
        [g.WARM, 5],
    ),
]


def counters(data):
    """Those of the only record of an indexed file without value data."""
    at = int.from_bytes(data[32:40], "little")  # of the table: number of buckets, of entries, place of the bucket
    item = int.from_bytes(data[at + 16 : at + 24], "little")
    key = int.from_bytes(data[item + 10 : item + 18], "little")
    words = [int.from_bytes(data[i : i + 8], "little") for i in range(item + 26 + key, at - 7, 8)]
    return words[2 : 2 + words[1]]


def check_differences(release):
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        for what, releases, texts, theirs, ours in DIFFERENCES:
            inputs = []
            for i, (text, weight) in enumerate(texts):
                path = os.path.join(directory, "%d.proftext" % i)
                with open(path, "w", encoding="ascii") as f:
                    f.write(text)
                inputs.append((path, weight))
            for tool, expected in ((profdata(release), theirs), (ANYPROF, ours)):
                got = merge(tool, release, [], inputs, os.path.join(directory, "out"))
                got = got if isinstance(got, str) else counters(got)
                if release in releases and got != expected:
                    failures.append("%s, %s: %s, not %s" % (what, os.path.basename(tool), got, expected))
    return failures


def main():
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command at '%s'" % ANYPROF)
        return 77
    there = [r for r in RELEASES if profdata(r)]
    absent = [r for r in RELEASES if r not in there]
    if absent:
        print("skipped %d because not installed: %s" % (len(absent), ", ".join("llvm-profdata-%d" % r for r in absent)))
    if not there:
        return 77
    cases, failures = [], []
    for release in there:
        cases += [large_case(release), *single_cases(release), *several_cases(release)]
        failures += check_differences(release)
    cases, others = choose(cases, sys.argv[1:])
    return report(run_cases(cases), others, failures, sys.argv[1:], FLOOR * len(there), MOST)


if __name__ == "__main__":
    sys.exit(main())
