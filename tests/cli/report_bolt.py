#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of BOLT as `anyprof report` and commands for other profiles meet them: damaged ones are described in the
words of their own format."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _cov import expect, run, run_tests, says  # noqa: E402  (found through the line before)

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
KIND = "bad.yaml is a YAML profile of BOLT: 'anyprof bolt merge' merges such profiles"


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
    for words in (["merge", "-o", "x"], ["show"], ["order"], ["diff", "bad.yaml"], ["overlap", "bad.yaml"],
                  ["convert", "--to=json", "-o", "x"]):
        done = run(where, *words, "bad.yaml")
        says(f"{words}: not its format", done, 1, MAGIC)
        says(f"{words}: what it is", done, 1, KIND)
    write(where, "bad.yaml", YAML.replace("header:", "haeder:"))
    says("an error in the first key", run(where, "report", "bad.yaml", "--markdown"), 1, "functions before the header")


def test_other_yaml(where):
    """Memory profiles are still memory profiles, and other documents no profiles."""
    write(where, "memory.yaml", "---\nHeapProfileRecords:\n  - Guid: 1\n")
    says("a memory profile", run(where, "report", "memory.yaml", "--markdown"), 1, "memprof.yaml.HeapProfileRecords")
    write(where, "other.yaml", "---\nkind: Deployment\n")
    expect("another document", b"unreadable:        unrecognized" in run(where, "info", "other.yaml").stdout, True)


sys.exit(run_tests([test_damaged_yaml, test_other_yaml]))
