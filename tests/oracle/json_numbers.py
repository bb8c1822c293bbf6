#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No JSON of anyprof has a number above 2^53, which jq and browsers would round, or a hash as a number: profiles with
the largest counts, hashes and sizes there are go through every command that prints JSON. speedscope's format, which
knows no strings for numbers, is the exception: there they are rounded on purpose."""

import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _profiles as p  # noqa: E402  (found through the line before)

MOST = 2**53
COUNT = p.COUNT_MAX
# Keys whose values are hashes or ids, or null, or lists of them.
HASHES = {"hash", "id", "guid", "checksum", "build_digest", "call_target_hash"}
HASH = re.compile(r"0x[0-9a-f]{16}")

INSTR = f""":ir
:entry_first
:temporal_prof_traces
2
{COUNT}
{COUNT}
main,callee
1
callee,main

main
{2**64 - 1}
2
{COUNT}
{COUNT}
3
0
1
2
callee:{COUNT}
main:{COUNT}
1
1
1
18446744073709551615:{COUNT}
2
0

callee
{2**60 + 1}
1
9007199254740993

cs
{2**60 + 2**53 + 1}
2
{COUNT}
1

"""
SAMPLE = f"""main:{COUNT}:{COUNT}
 65535: {COUNT} callee:{COUNT}
 2: {2**53 + 1}
 3: inner:{COUNT}
  1: {COUNT}
 !CFGChecksum: {2**64 - 1}
callee:{2**53 + 1}:1
 1: {2**53 + 1}
 !CFGChecksum: {2**53 + 1}
"""
MEMPROF = f"""---
HeapProfileRecords:
  - GUID:            0xffffffffffffffff
    AllocSites:
      - Callstack:
          - {{ Function: 0xfffffffffffffffe, LineOffset: 4294967295, Column: 4294967295, IsInlineFrame: true }}
        MemInfoBlock:
          AllocCount:      4294967295
          TotalAccessCount: {2**64 - 1}
          MinAccessCount:  {2**64 - 1}
          MaxAccessCount:  {2**64 - 1}
          TotalSize:       {2**64 - 1}
    CallSites:       []
...
"""


class Numbers:
    def __init__(self, report, what):
        self.report, self.what, self.large = report, what, []

    def number(self, text):
        value = float(text)
        if abs(value) > MOST or ("." not in text and "e" not in text and abs(int(text)) > MOST):
            self.large.append(text)
        return value

    def hashes(self, value, key=""):
        if isinstance(value, dict):
            for name, inner in value.items():
                self.hashes(inner, name)
        elif isinstance(value, list):
            for inner in value:
                self.hashes(inner, key)
        elif key in HASHES and value is not None:
            good = isinstance(value, str) and HASH.fullmatch(value)
            self.report.check(f"{self.what}: {key} is a hash", good, repr(value))

    def check(self, text):
        document = json.loads(text, parse_int=self.number, parse_float=self.number)
        self.report.check(f"{self.what}: all numbers are exact as doubles", not self.large, self.large[:5])
        if not document["schema"].startswith("anyprof-probe-"):  # whose ids count the probes of a function
            self.hashes(document)
        return document


def documents(report, what, text):
    """One document, or one after the other."""
    found = Numbers(report, what).check(text)
    report.check(f"{what}: it has a schema", isinstance(found, dict) and found["schema"].startswith("anyprof-"))
    return found


def run(report, command, codes=(0,), report_file=None):
    done = p.anyprof(*command)
    what = " ".join(os.path.basename(word) if "/" in word else word for word in command)
    if not report.check(f"{what}: exit code", done.code in codes, done.errors()):
        return None
    if report_file:
        with open(report_file, "rb") as file:
            return documents(report, what, file.read().decode())
    return documents(report, what, done.out.decode())


def both_kinds(report, directory):
    def write(name, text):
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    instr, sample = write("instr.proftext", INSTR), write("probes.prof", SAMPLE)
    other, other_sample = write("other.proftext", INSTR.replace("9007199254740993", "7")), write(
        "other.prof", SAMPLE.replace(f"2: {2**53 + 1}", "2: 7"))
    lines = write("lines.prof", re.sub(r" !CFG.*\n", "", SAMPLE).replace("65535: ", "65535.4294967295: "))
    shown = ("--all-functions", "--counts", "--ic-targets", "--memop-sizes", "--show-vtables", "--topn=9",
             "--hot-func-list", "--detailed-summary", "--binary-ids", "--temporal-profile-traces")
    made = os.path.join(directory, "report.json")
    for a, b in ((instr, other), (sample, other_sample), (lines, lines)):
        as_samples = ("--sample",) if a != instr else ()
        document = run(report, ["convert", "--to=json", a, *as_samples])
        report.check("counts are strings", str(COUNT) in json.dumps(document))
        run(report, ["show", "--json", *(shown if a == instr else ("--topn=9", "--detailed-summary")), a, *as_samples])
        run(report, ["show", "--json", "--list-below-cutoff", f"--value-cutoff=4294967295", a, *as_samples]
            if a == instr else ["show", "--json", "--function=main", a, *as_samples])
        run(report, ["overlap", "--json", a, b, "--function=main", *as_samples])
        run(report, ["diff", "--json", a, b, *as_samples])
        run(report, ["lookup", "--json", a, "main", *as_samples])
        run(report, ["info", "--json", a])
        run(report, ["check", "--json", a], (0, 1))
        run(report, ["merge", f"--report={made}", "-o", os.path.join(directory, "x.profdata"), a, b, *as_samples], (0,),
            made)
    run(report, ["order", "--json", instr])
    run(report, ["order", "--json", "--num-test-traces=1", instr])
    memprof = write("m.yaml", MEMPROF)
    run(report, ["convert", "--to=json", memprof])


def corpus(report):
    """Documents about programs: what the corpus has."""
    for path in sorted(glob.glob(os.path.join(p.CORPUS, "bat", "*")) + [os.path.join(p.CORPUS, "bolt", "prog.b22")]):
        if not os.path.isfile(path):
            continue
        for command in ("dump", "stats", "verify"):
            done = p.anyprof("bat", command, "--json", path)
            if done.code in (0, 1) and done.out:
                documents(report, f"bat {command} {os.path.basename(path)}", done.out.decode())
    desc = os.path.join(p.CORPUS, "probes", "d.bin")
    for path in sorted(glob.glob(os.path.join(p.CORPUS, "probes", "p*.bin"))):
        for command in ("desc", "list", "tree", "stats"):
            done = p.anyprof("probes", command, "--json", "--keep-going", "--section", path, f"--desc-section={desc}")
            if done.out:
                documents(report, f"probes {command} {os.path.basename(path)}", done.out.decode())


def main():
    report = p.Report(floor=100)
    with p.work_directory() as directory:
        both_kinds(report, directory)
    corpus(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
