#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof collect, ended at every file operation (killed before it, or in the middle of a write), or with an operation
that fails, or killed at random moments while programs write: run again, each count is in the output once."""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import _share  # noqa: E402
from _collect import ANYPROF, STATE, counts, files, kept, profile, read, write  # noqa: E402

LIBRARY = os.path.join(os.environ["ANYPROF_BUILD_DIR"], "tests", "helpers", "libfault_preload.so")
WANT = {"a0": 11, "a1": 22, "b0": 100, "c0": 7}
ROUNDS = 30
WRITERS = 4


def prepare(where):
    """A spool with profiles of three builds, two of which have sums, and a damaged one; the outputs are of before."""
    spool = where + "/spool"
    write(spool + "/1.profraw", profile(1, 2))
    write(spool + "/2.profraw", profile(0, 0, build="c"))
    collect(where)
    write(spool + "/3.profraw", profile(10, 20))
    write(spool + "/sub/4.profraw", profile(100, build="b"))
    write(spool + "/5.profraw", profile(7, 0, build="c"))
    write(spool + "/6.profraw", b"damaged")


def collect(where, **fault):
    """Its exit code and messages, below 0 if it was killed."""
    environment = dict(os.environ, LC_ALL="C", **fault)
    if fault:
        environment["LD_PRELOAD"] = LIBRARY
        environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    if "FAULT_KILL" not in fault and fault:
        environment["ASAN_OPTIONS"] += ":detect_leaks=0"  # the leak checker needs calls that fail here
    done = subprocess.run([ANYPROF, "collect", "--once", "-j1", "--spool", where + "/spool", "-o", where + "/out",
                           "--settle=1h", "--metrics", where + "/m.prom"], capture_output=True, check=False,
                          env=environment, timeout=120)
    return done.returncode, done.stderr.decode(errors="replace")


def what_is_wrong(where):
    """After the collector has run to its end."""
    spool = where + "/spool"
    got = {name: n for name, n in counts(where + "/out").items() if n}
    if got != WANT:
        return "the output has %r" % got
    left = [f for f in files(spool) if not f.startswith((STATE + "/sums/", STATE + "/rejected/"))]
    if left or any(f.startswith(".") for f in kept(spool, "sums")):
        return "left over: %r" % (left + kept(spool, "sums"))
    if [f.rsplit("-", 1)[1] for f in kept(spool, "rejected")] != ["6.profraw"]:
        return "rejected: %r" % kept(spool, "rejected")
    others = sorted(set(os.listdir(where)) - {"spool", "out", "m.prom", "report"})
    return "beside the output: %r" % others if others else None


def end_at(k, calls, how):
    """(whether there is a K-th call, what is wrong or None)"""
    with tempfile.TemporaryDirectory() as where:
        prepare(where)
        report = where + "/report"
        fault = {"FAULT_CALL": calls, "FAULT_AT": str(k), "FAULT_REPORT": report}
        if how != "fail":
            fault["FAULT_KILL"] = how
        code, messages = collect(where, **fault)
        if "Sanitizer" in messages or code not in (0, 1, -signal.SIGKILL):
            return True, "ended with %d: %s" % (code, messages)
        if os.path.exists(report) and b"failed 0\n" in read(report):
            return False, None
        if code == 1 and "error: " not in messages:
            return True, "no reason: " + messages
        code, messages = collect(where)
        wrong = what_is_wrong(where)
        if code:
            wrong = "run again: exit code %d: %s" % (code, messages)
    return True, wrong


def every_call(share):
    """Failures, and how many runs were ended."""
    failures = runs = 0
    for calls, how in ("changes", "before"), ("changes", "half"), ("files", "fail"), ("memory", "fail"):
        if calls == "memory" and os.environ.get("ANYPROF_SANITIZE"):
            continue  # sanitizers have allocators of their own
        k = 1 + (share[0] if share[1] > 1 else 0)
        while True:
            there, wrong = end_at(k, calls, how)
            if wrong:
                print("FAILED: %s, %s %d: %s" % (calls, how, k, wrong))
                failures += 1
            if not there:
                break
            runs += 1
            k += share[1]
    return failures, runs


def wrong_order():
    """What is made to last, and when: profiles that were taken, before they are merged; or None."""
    with tempfile.TemporaryDirectory() as where:
        prepare(where)
        collect(where, FAULT_CALL="changes", FAULT_AT="1000000", FAULT_LOG=where + "/report")
        lines = read(where + "/report").decode().replace(os.path.realpath(where) + "/spool", ".").splitlines()
        merged = next(i for i, line in enumerate(lines) if line.endswith(".anyprof-merged"))
        for i, line in enumerate(lines[:merged]):
            if not re.fullmatch(r"renameat \d\.profraw .*", line):
                continue
            rest = [next_line for next_line in lines[i:merged] if next_line.startswith("fsync ")]
            order = ["fsync ./%s/claimed" % STATE, "fsync ./sub" if " 4.profraw" in line else "fsync ."]
            if not (order[0] in rest and order[1] in rest[rest.index(order[0]):]):
                return "%s\n%s" % (line, "\n".join(lines))
        return None if sum(line.startswith("renameat ") for line in lines) == 5 else "\n".join(lines)


# ---- programs that write meanwhile ----


def program(spool, number, n, stop):
    """Writes n profiles as programs do: some in place, as compiler-rt, some by a rename."""
    draw = random.Random(number)
    for i in range(n):
        path = "%s/%d/%d-%d.profraw" % (spool, draw.randrange(3), number, i)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = profile(1, number, build="pq"[number % 2])
        if draw.random() < 0.5:
            with open(path, "wb") as f:
                for byte in range(0, len(data), 9):
                    f.write(data[byte:byte + 9])
                    f.flush()
        else:
            with open(path + ".tmp", "wb") as f:
                f.write(data)
            os.rename(path + ".tmp", path)
        if stop.is_set():
            break
        time.sleep(draw.random() * 0.004)


def while_programs_write(number, n):
    """What is wrong after a collector was killed again and again while programs write n profiles each; or None."""
    with tempfile.TemporaryDirectory() as where:
        spool, out, draw, stop = where + "/spool", where + "/out", random.Random(number), threading.Event()
        os.mkdir(spool)
        writers = [threading.Thread(target=program, args=(spool, i, n, stop)) for i in range(WRITERS)]
        for w in writers:
            w.start()
        words = [ANYPROF, "collect", "--spool", spool, "-o", out, "--every=1", "--settle=1h", "--quiet"]
        while any(w.is_alive() for w in writers):
            with subprocess.Popen(words, stderr=subprocess.PIPE) as p:
                time.sleep(draw.random() * 0.3)
                draw.choice((p.kill, p.kill, p.terminate))()
                messages = p.stderr.read()
            if messages or p.returncode not in (0, -signal.SIGKILL, -signal.SIGTERM):
                stop.set()
                return "ended with %d: %s" % (p.returncode, messages)
        done = subprocess.run([*words, "--once"], capture_output=True, check=False)
        want = {"p0": 2 * n, "p1": 2 * n, "q0": 2 * n, "q1": 4 * n}
        got = counts(out)
        if done.returncode or got != want:
            return "%d %s: %r, not %r" % (done.returncode, done.stderr, got, want)
        left = [f for f in files(spool) if not f.startswith(STATE + "/sums/")]
        return "left over: %r" % left if left else None


def main():
    if not os.path.exists(LIBRARY):
        print("skipped: no " + LIBRARY)
        sys.exit(77)
    share = (_share.SHARE, _share.SHARES)
    failures, runs = every_call(share)
    print("%d runs were ended" % runs)
    wrong = wrong_order()
    if wrong:
        print("FAILED: order: " + wrong)
        failures += 1
    rounds = range(share[0], ROUNDS, share[1])
    for number in rounds:
        wrong = while_programs_write(number, 100)
        if wrong:
            print("FAILED: round %d: %s" % (number, wrong))
            failures += 1
    print("%d rounds while programs write, %d failures" % (len(rounds), failures))
    sys.exit(failures != 0 or runs == 0)


if __name__ == "__main__":
    main()
