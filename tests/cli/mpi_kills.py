#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof-mpi whose ranks are killed at random moments, one of them or all: the same command goes on from what is
finished, and the profile and report are those of one merge."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import _mpi

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import _share

ROUNDS = 50
INPUTS = 240


def make_inputs(where):
    """Profiles with functions of one program, some of which contradict each other, and a few damaged ones."""
    for i in range(INPUTS):
        with open(os.path.join(where, "%03d.proftext" % i), "w", encoding="ascii") as f:
            f.write(":ir\n")
            for k in range(i % 50, 700 + i % 50):
                f.write("f%d\n%d\n3\n%d\n1\n%d\n\n" % (k, k % 3 + (i % 20 == 7), i + k, k))
            f.write("x\n" if i % 60 == 4 else "")


def ranks_of(pid):
    """The processes that mpirun has started."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % name, "rb") as f:
                if int(f.read().rsplit(b")", 1)[1].split()[1]) == pid:
                    found.append(int(name))
        except (OSError, ValueError, IndexError):
            continue
    return found


def kill(process, draw):
    """Kills a rank, or mpirun, or all of them."""
    ranks = ranks_of(process.pid)
    chosen = draw.choice(([draw.choice(ranks)] if ranks else [], ranks, [process.pid]))
    for pid in chosen:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired: # mpirun of Open MPI 4.1 may miss it when ranks end while it starts them
        process.kill()
        process.wait()
    for pid in ranks: # those of an mpirun that was killed end by themselves, at some time
        for _ in range(600):
            if not os.path.exists("/proc/%d" % pid):
                break
            time.sleep(0.05)


def check(where, number, words, expected):
    """What is wrong after a round, and how many runs were killed and how many parts were found."""
    draw, killed, found = random.Random(number), 0, 0
    for _ in range(draw.randrange(1, 4)):
        process = _mpi.start((draw.randrange(1, 5), words))
        time.sleep(draw.random() * 1.2)
        if process.poll() is None:
            kill(process, draw)
            killed += 1
    done = _mpi.run((draw.randrange(1, 5), words))
    for line in done.stderr.splitlines():
        if line.endswith(b"from an earlier run"):
            found += int(line.split()[1])
    got = [done.returncode, _mpi.read(os.path.join(where, "out")), _mpi.read(os.path.join(where, "report")),
           os.listdir(os.path.join(where, "work"))]
    for name in ("out", "report"):
        os.remove(os.path.join(where, name))
    if got != [0, *expected, []]:
        print("FAILED: round %d: %s" % (number, (got[0], got[3], done.stderr[-600:])))
        return 1, killed, found
    return 0, killed, found


def main():
    _mpi.skip_without_mpi()
    seed = ROUNDS * int(os.environ.get("ANYPROF_SEED", "0"))
    rounds = _share.pick(range(seed, seed + ROUNDS), what="rounds")
    with tempfile.TemporaryDirectory() as where:
        inputs, out, report = (os.path.join(where, name) for name in ("in", "out", "report"))
        os.mkdir(inputs)
        make_inputs(inputs)
        words = ["merge", "-j", "1", "--failure-mode=all", "-o", out, "--report=" + report, inputs]
        subprocess.run([_mpi.ANYPROF, *words], check=True, capture_output=True)
        expected = [_mpi.read(out), _mpi.read(report)]
        own = [words[0], "--work-dir=" + os.path.join(where, "work"), "--piece-size=60000", "--checkpoint=0",
               *words[1:]]
        results = [check(where, number, own, expected) for number in rounds]
    failures, killed, found = (sum(column) for column in zip(*results))
    print("%d rounds, %d runs killed, %d parts found by later ones, %d failures" %
          (len(results), killed, found, failures))
    few = len(results) >= 20 and (killed < len(results) / 4 or not found)
    return 1 if failures or few else 0


sys.exit(main())
