# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `anyprof cov` have in common: a program of three functions in LLVM's testing format, and checks."""

import os
import subprocess
import tempfile

ANYPROF = os.environ["ANYPROF"]
PLAIN = os.path.join(os.environ["ANYPROF_SOURCE_DIR"], "fuzz", "corpus", "cov", "plain")
FAILURES = []
CHECKS = 0

PATCH = """diff --git a/src/a.c b/src/a.c
--- a/src/a.c
+++ b/src/a.c
@@ -0,0 +1,%d @@
%sdiff --git a/doc b/doc
--- a/doc
+++ b/doc
@@ -0,0 +1 @@
+text
"""


def expect(what, got, wanted):
    global CHECKS
    CHECKS += 1
    if got != wanted:
        FAILURES.append(what)
        print("FAILED: %s: %r, not %r" % (what, got, wanted))


def run(where, *words, name=None):
    return subprocess.run([name or ANYPROF, *words], executable=ANYPROF, cwd=where, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)


def says(what, done, code, text):
    expect(what, (done.returncode, text in done.stderr.decode()), (code, True))


def touch(path, time):
    os.utime(path, (time, time))


def run_tests(tests):
    """Runs each in a directory with the program and its profile, "counts". Returns the exit code."""
    with open(PLAIN, "rb") as file:
        profile, _, program = file.read().partition(b"\0")
    for test in tests:
        with tempfile.TemporaryDirectory() as where:
            for name, content in (("counts", profile), ("program", program)):
                with open(os.path.join(where, name), "wb") as file:
                    file.write(content)
            test(where)
    print("%d checks, %d failures" % (CHECKS, len(FAILURES)))
    return 1 if FAILURES else 0
