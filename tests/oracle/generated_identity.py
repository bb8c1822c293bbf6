#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated profiles: what anyprof merges, writes and shows is what llvm-profdata-22 -j=1 does, byte for byte. What is
claimed where LLVM's own output depends on the order of its inputs is said in _identity.py. Repeated unknown targets of
a site are the one thing that LLVM treats the same in any order, and we in another way: they are added up.
"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402
from _identity import ANYPROF, Case, choose, merge, profdata, report, run_cases  # noqa: E402

RELEASE = 22
LLVM = profdata(RELEASE)
# A change of this test must not make it compare less.
FLOOR = 3300
MOST = {"other order": 0.005, "other vtable order": 0.05, "varies": 0.05}  # of the comparisons of several inputs

MERGES = [
    ["--text"],
    [],
    ["--sparse"],
    ["--text", "--sparse"],
    ["--keep-vtable-symbols"],
    ["--text", "--keep-vtable-symbols"],
]
SHOWS = [
    ["--all-functions", "--counts"],
    ["--all-functions", "--counts", "--text"],
    ["--all-functions", "--ic-targets", "--memop-sizes", "--show-vtables", "--detailed-summary"],
    ["--all-functions", "--counts", "--showcs", "--temporal-profile-traces", "--topn=5"],
]


HEADERS = [
    [],
    ["ir"],
    ["ir", "entry_first"],
    ["csir"],
    ["fe"],
    ["ir", "instrument_loop_entries"],
    ["csir", "entry_first", "instrument_loop_entries"],
    ["single_byte_coverage"],
    ["ir", "entry_first", "not_entry_first"],
    ["ir", "single_byte_coverage", "entry_first"],
]


def case(name, profiles, merges=MERGES, shows=SHOWS, **more):
    return Case(name, profiles, merges, shows=shows, **more)


SIZES = [0, 1, 2, 3, 4, 7, 12, 13, 40, 48, 49, 95, 96, 97, 200, 500]


def single_weight(n):
    return [1, 1, 3, 1, 1 << 62, 1, g.U64][n % 7] if n % 3 else 1


def single_cases():
    n = 0
    for size in SIZES:
        for header in HEADERS if size < 100 else HEADERS[:4]:
            n += 1
            yield case(
                "plain %d" % n,
                [
                    g.make_profile(
                        "plain %d" % n,
                        functions=size,
                        header=header,
                        values=[0, 20, 60][n % 3],
                        bitmaps=[0, 15][n % 2],
                        counts=[None, "zero", "huge"][n // 2 % 3],
                        pseudo=[0, 0, 10][n % 3] if single_weight(n) == 1 else 0,
                        huge_inside=n % 4 == 0 and single_weight(n) == 1,
                        huge_values=n % 5 == 0,
                        several_hashes=[0, 0, 15, 30][n % 4],
                        most_hashes=[1, 2, 5, 70][n // 4 % 4],
                        plain_hashes=n % 7 != 0,
                        odd=n % 3 == 1,
                        traces=[None, None, 0, 3, 40][n % 5],
                    )
                ],
                formats=["indexed" if n % 3 == 0 else "text"],
                weights=[single_weight(n)],
                style="plain %d" % n if n % 4 else None,
            )


def large_cases():
    for n, size in enumerate([1500, 3071, 3072, 5000, 5000]):
        p = g.make_profile("large %d" % n, functions=size, header=HEADERS[n], values=10, bitmaps=2, odd=n == 4)
        yield case("large %d" % n, [p], formats=["text" if n % 2 else "indexed"])


def value_cases():
    for n in range(24):
        p = g.make_profile(
            "values %d" % n,
            functions=20 if n % 2 else 400,
            header=["ir"],
            values=80,
            most_values=[254, 255, 256, 300][n % 4],
            wide=30,
            n_vtables=[1, 40, 400, 3000][n // 4 % 4],
            huge_values=n % 3 == 0,
        )
        yield case("values %d" % n, [p], formats=["indexed" if n % 5 == 0 else "text"], style=n)


def trace_cases():
    for n in range(24):
        count = [99, 100, 101, 130, 500, 1000][n % 6]
        p = g.make_profile("traces %d" % n, functions=60, header=["ir"], traces=count, longest=40)
        stream, traces = p.traces
        if n % 8 == 3:
            traces[0] = (5, [g.Random(n).pick(p.records).name for _ in range([10000, 10001, 12345][n % 3])])
        if n % 8 == 5:
            stream = [0, 1, count - 1, 1 << 20][n // 8 % 4]
        p.traces = (stream, traces)
        yield case("traces %d" % n, [p], formats=["indexed" if n % 7 == 0 else "text"], merges=MERGES[:3])
        few = ["--temporal-profile-trace-reservoir-size=%d" % [1, 7, 50, 2000][n % 4]]
        short = ["--temporal-profile-max-trace-length=%d" % [1, 3, 50, 10][n % 4]]
        yield case("limited traces %d" % n, [p], shows=(), merges=[few, short, few + short + ["--text"]])


def several_cases():
    for n in range(150):
        rng = g.Random("several %d" % n)
        base = g.make_profile(
            "several %d" % n,
            functions=rng.pick([1, 2, 5, 12, 13, 60, 150, 400]),
            header=[[], ["ir"], ["csir", "entry_first"], ["ir", "instrument_loop_entries"]][n % 4],
            values=[0, 15, 50][n % 3],
            # A record that was added to another one leaves its bitmap in LLVM's text reader, which gives it to the
            # next record that has none: so all have one, or none has.
            bitmaps=[0, 100][n // 2 % 2],
            counts=[None, None, "zero", "huge"][n // 3 % 4],
            pseudo=5 if n % 4 == 3 and n % 6 != 5 else 0,
            bare_pseudo=True,
            several_hashes=[0, 0, 0, 3][n // 5 % 4],
            n_vtables=20,
            unknown=n % 2 == 0,
            traces=[None, None, None, 5][n % 4],
        )
        weighted = n % 6 == 5
        runs = [base] + [
            g.vary(
                base,
                "%d %d" % (n, i),
                counts=[None, None, "zero", "huge"][n // 3 % 4],
                present=[90, 90, 50, 100][n % 4],
                # Values that are new to a site meet weights: LLVM forgets those.
                new_values=0 if weighted else 30,
                kept_values=100 if weighted else 80,
                restructure=1 if n % 15 == 7 else 0,
                traces=5 if n % 20 == 3 else None,
            )
            for i in range(rng.between(1, 5))
        ]
        formats = [["text"], ["indexed"], ["text", "indexed"]][n % 3]
        varies = "records that do not fit" if n % 15 == 7 else "traces of several inputs" if n % 20 == 3 else None
        yield case(
            "several %d" % n,
            runs,
            formats=[formats[i % len(formats)] for i in range(len(runs))],
            weights=[rng.pick([1, 2, 7, 1 << 40]) for _ in runs] if weighted else None,
            style=n if n % 2 else None,
            shows=SHOWS if n % 5 == 0 else (),
            varies=varies,
        )


DIFFERENCES = [
    # what, options, inputs (text, weight), LLVM's text, ours
    (
        "hashes that are sentinels of LLVM's map",
        [("f\n%d\n1\n5\ng\n%d\n1\n6\nh\n1\n1\n7\n" % (g.U64, g.U64 - 1), 1)],
        {"h": [7]},
        {"f": [5], "g": [6], "h": [7]},
    ),
    (
        "a pseudo count with a weight",
        [("f\n1\n2\n%d\n3\n" % g.HOT, 2)],
        {"f": [g.U64 - 2, 6]},
        {"f": [g.HOT, 3]},
    ),
    (
        "repeated unknown targets",
        [("f\n1\n1\n1\n1\n0\n1\n2\n" + g.EXTERNAL + ":5\n" + g.EXTERNAL + ":3\n", 1)] * 2,
        {"f": [2, (0, 10), (0, 6)]},
        {"f": [2, (0, 16)]},
    ),
    (
        "a value that is new to a site and has a weight",
        [("f\n1\n1\n1\n1\n1\n1\n1\n8:5\n", 1), ("f\n1\n1\n1\n1\n1\n1\n1\n9:5\n", 10)],
        {"f": [11, (8, 5), (9, 5)]},
        {"f": [11, (9, 50), (8, 5)]},
    ),
    (
        "a record without a bitmap after one that was added",
        [("f\n1\n1\n1\n$1\n0x7\n", 1), ("f\n1\n1\n1\n$1\n0x7\ng\n1\n1\n1\n", 1)],
        {"f": [2, "$7"], "g": [1, "$7"]},
        {"f": [2, "$7"], "g": [1]},
    ),
    (
        "value data of two records with pseudo counts",
        [("f\n1\n1\n%d\n1\n1\n1\n1\n8:5\n" % g.HOT, 1)] * 2,
        {"f": [g.HOT, (8, 5)]},
        {"f": [g.HOT, (8, 10)]},
    ),
]


def parse_text(text):
    """Parses a text profile without several hashes of a name into the shape of the table above."""
    lines = [x for x in text.decode().split("\n") if x and x[0] not in "#:"]
    result, at = {}, 0
    while at < len(lines):
        name, n = lines[at], int(lines[at + 2])
        values = [int(x) for x in lines[at + 3 : at + 3 + n]]
        at += 3 + n
        if at < len(lines) and lines[at][0] == "$":
            n = int(lines[at][1:])
            values += ["$%x" % int(x, 16) for x in lines[at + 1 : at + 1 + n]]
            at += 1 + n
        if at < len(lines) and lines[at].isdigit():  # one kind, one site
            n = int(lines[at + 3])
            for line in lines[at + 4 : at + 4 + n]:
                value, count = line.rsplit(":", 1)
                values.append((0 if value == g.EXTERNAL else int(value), int(count)))
            at += 4 + n
        result[name] = values
    return result


def check_differences():
    """Where the outputs are known to differ: both are what docs/differences.md says they are."""
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        for what, texts, theirs, ours in DIFFERENCES:
            inputs = []
            for i, (text, weight) in enumerate(texts):
                path = os.path.join(directory, "%d" % i)
                with open(path, "wb") as f:
                    f.write(text.encode())
                inputs.append((path, weight))
            for tool, expected in ((LLVM, theirs), (ANYPROF, ours)):
                got = merge(tool, RELEASE, ["--text"], inputs, os.path.join(directory, "out"))
                got = got if isinstance(got, str) else parse_text(got)
                if got != expected:
                    failures.append("%s, %s: %s, not %s" % (what, os.path.basename(tool), got, expected))
    return failures


def main():
    if not LLVM:
        print("skipped: no llvm-profdata-22")
        return 77
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command at '%s'" % ANYPROF)
        return 77
    only = sys.argv[1:]
    cases = [c for kind in (large_cases, single_cases, value_cases, trace_cases, several_cases) for c in kind()]
    cases, others = choose(cases, only)
    return report(run_cases(cases), others, check_differences(), only, FLOOR, MOST)


if __name__ == "__main__":
    sys.exit(main())
