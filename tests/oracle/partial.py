#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that are merged in groups, by `merge --partial` in trees drawn by lot, beside one merge of all of them: the
same profile, exit code, messages and report; where names are forgotten, the same profile, exit code and totals. Some
parts are removed when they are merged. The inputs are the examples and instrumentation profiles of the corpus,
and then its sample profiles, many of them damaged, of every version and kind, with weights up to sums that are cut. At
last profiles of one kind are merged with files that are none, without an option that says the kind."""

import glob
import json
import os
import random
import subprocess
import sys
import tempfile

ANYPROF = os.environ["ANYPROF"]
SOURCE = os.environ["ANYPROF_SOURCE_DIR"]
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
ENDS = {"instr": (".profraw", ".profdata", ".proftext"), "sample": (".prof", ".afdo", ".json")}
ALIKE = {"instr": ("",), "sample": ("", "probe", "cs", "plain", "gcc", "-hyb", "v22")}
# Options of the last merge.
LAST = {"instr": ([], ["--failure-mode=warn"], ["--max-loss=40"], ["--for=llvm-15"], ["--text"]),
        "sample": ([], ["--failure-mode=warn"], ["--max-loss=40"], ["--for=llvm-13"], ["--text"], ["--use-md5"],
                   ["--convert-sample-profile-layout=flat"], ["--convert-sample-profile-layout=nest"],
                   ["--for=gcc-12"], ["--sample-merge-cold-context"], ["--drop-profile-symbol-list"],
                   ["--output-size-limit=2000"])}
LARGEST = 300000
ROUNDS = 1000


MEMPROF = """---
HeapProfileRecords:
  - GUID: f%d
    AllocSites:
      - Callstack:
          - { Function: f%d, LineOffset: %d, Column: 2, IsInlineFrame: false }
          - { Function: main, LineOffset: 7, Column: 4, IsInlineFrame: false }
        MemInfoBlock: { AllocCount: %d, TotalSize: %d, MinSize: 4, DeallocTimestamp: %d }
    CallSites:
      - Frames:
          - { Function: 0xff, LineOffset: 3, Column: %d, IsInlineFrame: true }
        CalleeGuids: [ 0x5, 0x%d ]
...
"""


def make_memprof(where):
    """Memory profiles whose functions, stacks and callees are the same in part."""
    made = []
    for i in range(8):
        path = os.path.join(where, "memprof%d.yaml" % i)
        with open(path, "w", encoding="ascii") as f:
            f.write(MEMPROF % (i % 3, i % 3, i % 2, i + 1, 100 * i, 50 - i, i % 4, i % 5))
        made.append(path)
    return made


def make_junk(where):
    """Files that are no profiles by their first bytes, and names that say either kind, both, or nothing."""
    made = []
    for name, content in (("empty", b""), ("empty.profraw", b""), ("empty.afdo", b""), ("text", b"hello world\n"),
                          ("text.prof", b"hello world\n"), ("blank.proftext", b" \n\n"), ("bytes", bytes(range(9))),
                          ("bytes.afdo", bytes(range(40))), ("bare", b"main\n0\n1\n7\n"),
                          ("bare.proftext", b"main\n0\n1\n7\n"), ("comment", b"# nothing\n")):
        path = os.path.join(where, name)
        with open(path, "wb") as f:
            f.write(content)
        made.append(path)
    return made


def find_inputs(kind):
    found = []
    for top in filter(None, (os.path.join(SOURCE, "examples"), CORPUS)):
        for path in sorted(glob.glob(os.path.join(top, "**", "*"), recursive=True)):
            if path.endswith(ENDS[kind]) and ("sample" in path) == (kind == "sample") and \
                    os.path.getsize(path) < LARGEST:
                found.append(path)
    return found


class Round:
    """Some inputs, and how they are merged."""

    def __init__(self, where, kind, inputs, seed, junk):
        self.where, self.kind, self.draw = where, kind, random.Random(seed)
        self.says = [] if junk else ["--" + kind]
        word = self.draw.choice(ALIKE[kind]) # inputs that go together more often than any would
        pool = [path for path in inputs if word in os.path.basename(path)] or inputs
        self.inputs = ["%d,%s" % (self.draw.choice((1, 1, 1, 2, 7, 2**63)), self.draw.choice(pool))
                       for _ in range(self.draw.randrange(1, 9))]
        if junk: # sometimes nothing but junk
            self.inputs = self.inputs[:self.draw.randrange(4)]
            self.inputs += ["1," + self.draw.choice(junk) for _ in range(self.draw.randrange(1, 5))]
            self.draw.shuffle(self.inputs)
        self.reading = self.draw.choice(([], ["--salvage"], ["-j", "3"]))
        self.last = self.draw.choice(LAST[kind])
        self.forgets, self.removed = False, 0

    def path(self, name):
        return os.path.join(self.where, name)

    def merge(self, words, inputs):
        with open(self.path("list"), "w", encoding="utf-8") as f:
            f.write("".join(line + "\n" for line in inputs))
        return subprocess.run([ANYPROF, "merge", *self.says, *words, *self.reading, "-f", self.path("list")],
                              capture_output=True, check=False)

    def group(self):
        """The inputs of the last merge, among them one partial profile at least; or what went wrong."""
        nodes, made, self.forgets = list(self.inputs), 0, False
        while made == 0 or (len(nodes) > 1 and self.draw.random() < 0.7):
            first = self.draw.randrange(len(nodes))
            end = min(len(nodes), first + self.draw.randrange(1, 4))
            out = self.path("part%d" % made)
            forget = ["--forget-inputs"] if self.draw.random() < 0.15 else []
            parts = [node[2:] for node in nodes[first:end] if os.path.basename(node).startswith("part")]
            remove = len(parts) == end - first and self.draw.random() < 0.5
            words = ["--partial", "-o", out, *forget]
            done = self.merge([*words, *(["--delete-inputs"] if remove else [])], nodes[first:end])
            if remove and b"no input says which kind" in done.stderr:
                remove, done = False, self.merge(words, nodes[first:end])
            if done.returncode != 0 or any(os.path.exists(path) == remove for path in parts):
                return None, done.stderr.decode()
            self.forgets |= bool(forget)
            self.removed += remove
            nodes[first:end] = ["1," + out]
            made += 1
        return nodes, None

    def result(self, name, inputs):
        out, report = self.path("out"), self.path("report")
        for path in (out, report):
            if os.path.exists(path):
                os.remove(path)
        done = self.merge([*self.last, "-o", out, "--report=" + report], inputs)
        profile = None
        if os.path.exists(out):
            with open(out, "rb") as f:
                profile = f.read()
        reported = None # if the options of the last merge are not for the kind of profiles that the junk is taken for
        if os.path.exists(report):
            with open(report, encoding="utf-8") as f:
                reported = json.load(f)
        return {"exit code": done.returncode, "messages": done.stderr, "profile": profile, "report": reported}


def main():
    rounds = int(os.environ.get("ANYPROF_ROUNDS", str(ROUNDS)))
    with tempfile.TemporaryDirectory() as where:
        instr = compare("instr", find_inputs("instr") + 5 * make_memprof(where), rounds)
        sample = compare("sample", find_inputs("sample"), rounds)
        junk = make_junk(where)
        any_instr = compare("instr", find_inputs("instr"), rounds // 2, junk)
        return compare("sample", find_inputs("sample"), rounds // 2, junk) or any_instr or sample or instr


def compare(kind, inputs, rounds, junk=None):
    failures, compared, removed, forgot = 0, 0, 0, 0
    seed = int(os.environ.get("ANYPROF_SEED", "0")) * ROUNDS
    for number in range(seed, seed + rounds):
        with tempfile.TemporaryDirectory() as where:
            this = Round(where, kind, inputs, number, junk)
            if junk and b"cannot be merged: give" in this.merge(["-o", "/dev/null"], this.inputs).stderr:
                continue # a file of the pool is of the other kind
            grouped, why = this.group()
            if why:
                failures += 1
                print("FAILED: %s, round %d: %s" % (kind, number, why))
                continue
            one, parts = this.result("one", this.inputs), this.result("parts", grouped)
            compared += 1
            removed += this.removed
            forgot += this.forgets
            for what, expected in one.items():
                if this.forgets and what == "messages":
                    continue
                if this.forgets and what == "report" and expected and parts[what]:
                    for result in one, parts:
                        result[what] = {key: result[what][key] for key in ("totals", "result", "output", "verdict")}
                    expected = one[what]
                if parts[what] != expected:
                    failures += 1
                    print("FAILED: %s, round %d: another %s of %s, %s: %s, not %s" % (kind, number, what, this.inputs,
                          this.last, str(parts[what])[:400], str(expected)[:400]))
    print("%d inputs (%s%s), %d groupings, %d of them without names, and %d merges that removed their inputs" %
          (len(inputs), kind, ", and junk" if junk else "", compared, forgot, removed))
    return 1 if failures else 0


sys.exit(main())
