#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of BOLT as `anyprof report` and commands for other profiles meet them: damaged ones are described in the
words of their own format, and directories have them beside other files."""

import gzip
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _cov import ANYPROF, expect, run, run_tests, says  # noqa: E402  (found through the line before)

YAML = """---
header:
  profile-version: 1
  binary-name:     prog
  profile-flags:   [ lbr ]
  profile-origin:  perf
  profile-events:  ''
functions:
  - name:            hot
    fid:             1
    hash:            0x10
    exec:            7
    nblocks:         2
    blocks:
      - bid:             0
        insns:           0
        hash:            0x20
        exec:            7
        succ:            [ { bid: 1, cnt: 9 } ]
...
"""
NUMBER = "YAML profile with an error: expected a number of at most 64 bits [line 11, column 22, yaml.functions.hash]"
MAGIC = 'found 2d 2d 2d 0a 68 65 61 64 "---.head"'
KIND = "bad.yaml is a YAML profile of BOLT: "
MERGES = "'anyprof bolt merge' merges such profiles"
SHOWS = "'anyprof report' and 'anyprof convert --to=csv' show such profiles"
CONVERTS = "a profile of BOLT is converted to folded, speedscope, pprof or csv"
COMPARES = "'anyprof report PROFILE --against=OTHER' compares such profiles"


def write(where, name, text):
    with open(os.path.join(where, name), "w", encoding="utf-8") as file:
        file.write(text)


def test_damaged_yaml(where):
    """One wrong number does not turn a profile of BOLT into a memory profile."""
    write(where, "good.yaml", YAML)
    write(where, "bad.yaml", YAML.replace("0x10", "zork"))
    says("report", run(where, "report", "bad.yaml", "--markdown"), 1, NUMBER)
    says("as the base", run(where, "report", "good.yaml", "--against=bad.yaml", "--markdown"), 1, NUMBER)
    says("bolt merge", run(where, "bolt", "merge", "bad.yaml"), 1, NUMBER)
    says("export", run(where, "convert", "--to=folded", "bad.yaml", "-o", "x"), 1, NUMBER)
    done = run(where, "info", "bad.yaml").stdout.decode()
    expect("info", ("YAML profile of BOLT\n" in done, NUMBER in done), (True, True))
    expect("check", b"this is a YAML profile of BOLT" in run(where, "check", "bad.yaml").stdout, True)
    says("a format that is not for it", run(where, "convert", "--to=json", "bad.yaml", "-o", "x"), 2, CONVERTS)
    for words, hint in ((["merge", "-o", "x"], MERGES), (["show"], SHOWS), (["order"], SHOWS),
                        (["diff", "bad.yaml"], COMPARES), (["overlap", "bad.yaml"], COMPARES)):
        done = run(where, *words, "bad.yaml")
        says(f"{words}: not its format", done, 1, MAGIC)
        says(f"{words}: what it is", done, 1, KIND + hint)
    write(where, "bad.yaml", YAML.replace("header:", "haeder:"))
    says("an error in the first key", run(where, "report", "bad.yaml", "--markdown"), 1, "functions before the header")


def test_other_yaml(where):
    """Memory profiles are still memory profiles, and other documents no profiles."""
    write(where, "memory.yaml", "---\nHeapProfileRecords:\n  - Guid: 1\n")
    says("a memory profile", run(where, "report", "memory.yaml", "--markdown"), 1, "memprof.yaml.HeapProfileRecords")
    write(where, "other.yaml", "---\nkind: Deployment\n")
    expect("another document", b"unreadable:        unrecognized" in run(where, "info", "other.yaml").stdout, True)


FDATA = "1 main d4 1 worker 0 0 3\n1 worker 0 1 worker 13 1 3\n"
MORE = "1 worker 0 1 worker 13 1 4\n0 [unknown] 0 1 main 0 0 1\n"


def make_directories(where):
    for name in ("fdata", "yaml", "samples", "mixed"):
        os.mkdir(os.path.join(where, name))
    write(where, "fdata/a", FDATA)
    write(where, "fdata/cut.fdata", "1 main\n")
    write(where, "fdata/README", "These are profiles.\n")
    with gzip.open(os.path.join(where, "fdata", "b.gz"), "wt") as file:
        file.write(MORE)
    write(where, "yaml/a.txt", YAML)
    write(where, "yaml/b.txt", YAML.replace("hot", "other").replace("fid:             1", "fid:             2"))
    write(where, "samples/a", "T 10 20 30 5\n")
    write(where, "mixed/a.fdata", FDATA)
    write(where, "mixed/b.proftext", ":ir\nmain\n1\n1\n5\n")


def test_directories(where):
    """Of a directory, what begins as a profile of BOLT is merged as `bolt merge` does it."""
    make_directories(where)
    done = run(where, "report", "fdata", "--markdown", "--title=T")
    expect("other files", (done.returncode, b"1 file of a directory was not read" in done.stderr), (0, True))
    says("a damaged one", done, 0, "fdata/cut.fdata: not used, or only in part: fdata with an error")
    run(where, "bolt", "merge", "fdata/a", "fdata/b.gz", "-o", "sum")
    tables = [text.split("| Function")[-1].split("####")[0]
              for text in (run(where, "report", name, "--markdown").stdout.decode() for name in ("fdata", "sum"))]
    tables = [text[text.index("| Hottest"):] for text in tables]
    expect("the sum", tables[0], tables[1])
    expect("and its counts", "| `worker` | 70.0 % | 7 |" in tables[1], True)
    done = run(where, "report", "yaml", "--markdown")
    expect("YAML", (done.returncode, b"| `other` | 50.0 % |" in done.stdout, b"losses" in done.stdout),
           (0, True, False))
    says("samples", run(where, "report", "samples", "--markdown"), 1, "needs the one program that was sampled")
    done = run(where, "report", "yaml", "--against=fdata", "--markdown")
    expect("as the base", (done.returncode, b"| `worker` | gone" in done.stdout), (0, True))


def test_other_program(where):
    """Samples of another program than the one that is given."""
    write(where, "samples.preagg", "T 10 20 30 5\n")
    words = "no sample is in the program, so that the profile is empty: is this the program that was recorded?"
    done = run(where, "report", f"--binary={ANYPROF}", "samples.preagg", "--markdown")
    says("said", done, 0, f"note: {words}")
    expect("in Markdown", (f"- {words}\n" in done.stdout.decode(), b"hold 90 %" in done.stdout), (True, False))


def test_words(where):
    """What is counted has one name on a page, and calls are not called indirect."""
    write(where, "branches", FDATA)
    write(where, "instructions", "no_lbr cycles:\n1 main 0 5\n1 worker 0 0\n")
    for names in (("branches", "instructions"), ("instructions", "branches")):
        says("not compared", run(where, "report", names[0], f"--against={names[1]}", "--markdown"), 1,
             "one of the profiles has branches, and the other samples of instructions")
    write(where, "empty.fdata", "")
    expect("an empty one", run(where, "report", "instructions", "--against=empty.fdata", "--markdown").returncode, 0)
    for name, unit in (("branches", "branches"), ("instructions", "samples")):
        short = run(where, "report", name, "--markdown").stdout.decode()
        expect(f"{name}: lead", (f"had no {unit}. 1 function holds 90 % of all" in short or
                                 f"had no {unit}. 2 functions hold 90 % of all" in short,
                                 f"{unit}.\n" in short, f"| Share | {unit.title()} |" in short), (True, True, True))
        run(where, "report", name, "-o", "page.html")
        with open(os.path.join(where, "page.html"), encoding="utf-8") as file:
            page = file.read()
        expect(f"{name}: page", (f"Share of all {unit}<" in page, f'<th class="n">{unit.title()}</th>' in page,
                                 "<h2>Calls</h2>" in page, "do not say which calls are indirect" in page,
                                 "Calls, sizes and types" in page),
               (True, True, unit == "branches", unit == "branches", False))


def test_mixtures(where):
    """One file of each kind is named, with what to do."""
    make_directories(where)
    note = "note: give those of one kind by name, or choose from a directory by --include=GLOB"
    mixed = "mixed/b.proftext: invalid argument: this is an instrumentation profile, but mixed/a.fdata is an fdata"
    for words in (["mixed"], ["mixed/a.fdata", "--against=mixed"]):
        done = run(where, "report", *words, "--markdown")
        says(f"{words}: the files", done, 1, mixed)
        says(f"{words}: what to do", done, 1, note)
    done = run(where, "report", "fdata/a", ANYPROF, "--markdown")
    says("a program", done, 1, "this is a program, but fdata/a is an fdata profile of BOLT")
    says("where it belongs", done, 1, "note: give the program with --binary=PROGRAM")
    done = run(where, "report", "mixed", "--include=*.fdata", "--markdown")
    expect("one kind was chosen", (done.returncode, b"| `main` |" in done.stdout), (0, True))
    for words in (["mixed/a.fdata", "mixed/b.proftext"], ["mixed/b.proftext", "fdata"]):
        done = run(where, "report", *words, "--markdown")
        expect(f"{words}: by name, in any order", (done.returncode, all(name in done.stderr for name in (
            b"an instrumentation profile", b"an fdata profile of BOLT", b"such profiles cannot be merged",
            note.encode()))), (1, True))
    says("of two directories", run(where, "report", "yaml", "fdata", "--markdown"), 1, "but yaml/a.txt is a YAML")
    done = run(where, "report", "yaml", "--against=mixed/b.proftext", "--markdown")
    says("not compared", done, 1, "such profiles cannot be compared")
    expect("nothing to choose", note.encode() in done.stderr, False)
    write(where, "mixed/\x1b[31m.fdata", FDATA)
    done = run(where, "report", "mixed", "--markdown")
    expect("names that a terminal obeys", (done.returncode, b"\x1b" in done.stderr, b"\\x1b[31m" in done.stderr),
           (1, False, True))


sys.exit(run_tests([test_damaged_yaml, test_other_yaml, test_directories, test_other_program, test_words,
                    test_mixtures]))
