# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparisons of `anyprof bolt merge` with merge-fdata share this: checks that are counted, and running tools."""

import os
import shutil
import subprocess

ANYPROF = os.environ.get("ANYPROF", "")
CORPUS = os.path.join(os.environ.get("ANYPROF_CORPUS", ""), "bolt")
TOOL, BOLT = "merge-fdata-22", "llvm-bolt-22"
checks = 0
failures = []


def check(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)
        print("FAILED:", what)


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    check(b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr.decode(errors="replace"))
    return done


def missing(*tools):
    """Whether the command or a tool is not here, which is said."""
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command (ANYPROF)")
        return True
    absent = [tool for tool in tools if not shutil.which(tool)]
    if absent:
        print("skipped: no %s" % ", no ".join(absent))
    return bool(absent)


def verdict():
    """The exit code."""
    print("%d checks, %d failures" % (checks, len(failures)))
    return 1 if failures else 0
