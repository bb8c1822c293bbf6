#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof-mpi with 1 to 16 ranks beside `anyprof merge`, with inputs, weights and options drawn by lot: the same
profile, exit code, messages and report. The inputs are those of oracle/partial.py."""

import collections
import glob
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import _share
import _mpi  # in tests/cli

SOURCE = os.environ["ANYPROF_SOURCE_DIR"]
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
ENDS = {"instr": (".profraw", ".profdata", ".proftext"), "sample": (".prof", ".afdo", ".json")}
READING = ([], ["--salvage"], ["-j", "3"], ["-v"], ["--quiet"])
LAST = {"instr": ([], ["--failure-mode=warn"], ["--max-loss=40"], ["--for=llvm-15"], ["--text"],
                  ["--sparse"], ["--function=a"], ["--partial"]),
        "sample": ([], ["--failure-mode=warn"], ["--max-loss=40"], ["--for=llvm-13"], ["--text"], ["--use-md5"],
                   ["--convert-sample-profile-layout=flat"], ["--sample-merge-cold-context"],
                   ["--drop-profile-symbol-list"], ["--for=gcc-12"], ["--output-size-limit=2000"])}
ROUNDS = 120


def find_inputs(kind):
    found = []
    for top in filter(None, (os.path.join(SOURCE, "examples"), CORPUS)):
        for path in sorted(glob.glob(os.path.join(top, "**", "*"), recursive=True)):
            if path.endswith(ENDS[kind]) and ("sample" in path) == (kind == "sample") and \
                    os.path.getsize(path) < 300000:
                found.append(path)
    return found


def without_costs(messages):
    """Messages without what --verbose says of the work of ranks."""
    own = (b"parts of the inputs: ", b"exchange: ", b"profile: ", b" from one to another")
    return [line for line in messages.splitlines() if not any(word in line for word in own)]


def result(where, done):
    out, report = os.path.join(where, "out"), os.path.join(where, "report")
    messages = without_costs(done.stderr.replace(b"anyprof-mpi: ", b"anyprof: "))
    found = {"exit code": done.returncode, "messages": messages,
             "profile": _mpi.read(out), "report": _mpi.read(report), "text": done.stdout}
    for path in (out, report):
        if os.path.exists(path):
            os.remove(path)
    return found


def check(where, number, inputs, codes):
    """What differs in a round."""
    draw = random.Random(number)
    kind = draw.choice(tuple(inputs))
    picked = ["%d,%s" % (draw.choice((1, 1, 1, 2, 7, 2**63)), draw.choice(inputs[kind]))
              for _ in range(draw.randrange(1, 40))]
    path = os.path.join(where, "list")
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(line + "\n" for line in picked))
    last = draw.choice(LAST[kind])
    if last != ["--partial"] and draw.random() < 0.6:
        last = ["--failure-mode=all", *last]
    words = ["merge", "--" + kind, *draw.choice(READING), *last, "-f", path, "-o", os.path.join(where, "out")]
    if draw.random() < 0.7:
        words.append("--report=" + os.path.join(where, "report"))
    n = draw.randrange(1, 17)
    own = ["--work-dir=" + os.path.join(where, "work"), "--piece-size=%d" % draw.choice((1, 20000, 10**9)),
           "--checkpoint=%d" % draw.choice((0, 60)),
           "--message-size=%d" % draw.choice((1000, 2**20))]
    one = result(where, subprocess.run([_mpi.ANYPROF, *words], capture_output=True, check=False))
    many = result(where, _mpi.run((n, [words[0], *own, *words[1:]])))
    differ = ["round %d, %d ranks, %s: another %s: %.400s, not %.400s" % (number, n, words, what, many[what], expected)
              for what, expected in one.items() if many[what] != expected]
    codes[one["exit code"]] += 1
    left = one["exit code"] == 0 and os.listdir(os.path.join(where, "work"))
    if left:
        differ.append("round %d: left in the work directory: %s" % (number, left))
    return differ


def main():
    _mpi.skip_without_mpi()
    first = ROUNDS * int(os.environ.get("ANYPROF_SEED", "0"))
    rounds = _share.pick(range(first, first + ROUNDS), what="rounds")
    inputs = {kind: find_inputs(kind) for kind in ENDS}
    inputs = {kind: found for kind, found in inputs.items() if found}
    failures = []
    codes = collections.Counter()
    for number in rounds:
        with tempfile.TemporaryDirectory() as where:
            failures += check(where, number, inputs, codes)
    for failure in failures:
        print("FAILED: " + failure)
    print("%d rounds; how often each exit code: %s" % (len(rounds), dict(codes)))
    return 1 if failures or codes[0] < len(rounds) / 4 else 0


sys.exit(main())
