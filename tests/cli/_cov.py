# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `anyprof cov` have in common: a program of three functions in LLVM's testing format, and checks."""

import hashlib
import os
import struct
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


def uleb(v):
    return bytes([v]) if v < 128 else bytes([v & 127 | 128]) + uleb(v >> 7)


def make_program(names, file_name):
    """A program of functions of one line in one source file, in LLVM's testing format, version 7."""
    def ref(data):
        return hashlib.md5(data).digest()[:8]

    def pad(data):
        return data + bytes(-len(data) % 8)
    paths = b"".join(uleb(len(path)) + path for path in (b"/", file_name))
    files = b"\2" + uleb(len(paths)) + b"\0" + paths
    text = b"\1".join(names)
    section = uleb(len(text)) + b"\0" + text
    covmap = pad(struct.pack("<4I", 0, len(files), 0, 6) + files)
    head = b"llvmcovm" + struct.pack("<Q", 1) + uleb(len(section)) + b"\0" + section + uleb(len(covmap))
    mapping = b"\1\1\0\1\1\1\1\0\x09"
    return pad(head) + covmap + b"".join(pad(ref(name) + struct.pack("<IQ", len(mapping), 1) + ref(files) + mapping)
                                         for name in names)


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
