#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof cov`: what users do wrong, where profiles are found, and how much has to run. What is written about real
programs is compared in oracle/cov.py; here the program is one of three functions in LLVM's testing format."""

import os
import subprocess
import sys
import tempfile

ANYPROF = os.environ["ANYPROF"]
PLAIN = os.path.join(os.environ["ANYPROF_SOURCE_DIR"], "fuzz", "corpus", "cov", "plain")
FAILURES = []
CHECKS = 0


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


def test_usage(where):
    rows = [(["cov", "report"], 2, "a PROGRAM is required"),
            (["cov", "report", "program"], 2, "--profile=FILE is required, or --empty-profile"),
            (["cov", "report", "program", "--profile=counts", "--empty-profile"], 2, "exclude each other"),
            (["cov", "report", "program", "--profile=none"], 1, "error: none: No such file or directory"),
            (["cov", "report", "none", "--profile=counts"], 1, "error: none: No such file or directory"),
            (["cov", "report", "counts", "--profile=counts"], 1, "counts: The file was not recognized"),
            (["cov", "report", "program", "--profile=program"], 1, "error: program: "),
            (["cov", "report", "program", "--profile=counts", "other.c"], 1, "no source file that was named is"),
            (["cov", "report", "program", "--profile=counts", "--show-functions"], 2, "source files must be specified"),
            (["cov", "report", "program", "--profile=empty.d"], 1, "there is no profile in this directory"),
            (["cov", "export", "program", "--profile=counts", "--ignore-filename-regex=("], 2, "ignore-filename-regex"),
            (["cov", "export", "program", "--profile=counts", "--compat=llvm-3"], 2, "compat"),
            (["cov", "show", "program", "--profile=counts", "--path-equivalence=x"], 2, "FROM,TO has two names"),
            (["cov", "show", "program", "--profile=counts"], 0, "the source file '/src/a.c' cannot be read"),
            (["cov", "nothing"], 2, "cov nothing")]
    os.mkdir(os.path.join(where, "empty.d"))
    for words, code, text in rows:
        says(" ".join(words), run(where, *words), code, text)
    done = run(where, "cov", "report", "program", "--profile=counts", "-o", "report")
    expect("into a file", (done.returncode, done.stdout, os.path.getsize(os.path.join(where, "report")) > 300),
           (0, b"", True))
    done = run(where, "report", "program", name="llvm-cov")
    expect("llvm-cov's exit code", done.returncode, 1)
    says("llvm-cov without a command", run(where, name="llvm-cov"), 1, "Usage: llvm-cov COMMAND")
    says("llvm-cov gcov", run(where, "gcov", name="llvm-cov"), 1, "Unrecognized command: gcov.")


def test_profiles(where):
    """Profiles in a directory, by a pattern, and named twice are added up."""
    def count(*profiles):
        done = run(where, "cov", "export", "--format=lcov", "program", *(f"--profile={name}" for name in profiles))
        return [line for line in done.stdout.split(b"\n") if line == b"FNDA:7,main" or line.startswith(b"FNDA:14,")]
    os.mkdir(os.path.join(where, "runs"))
    for name in ("a.proftext", "b.proftext"):
        with open(os.path.join(where, "counts"), "rb") as source, open(os.path.join(where, "runs", name), "wb") as to:
            to.write(source.read())
    expect("one", count("counts"), [b"FNDA:7,main"])
    for profiles in (["runs"], ["runs/*.proftext"], ["runs/a.proftext", "runs/b.proftext"], ["counts", "runs/[b]*"]):
        expect(" ".join(profiles), count(*profiles), [b"FNDA:14,main"])


def test_gates(where):
    def code(*words):
        return run(where, "cov", "report", "program", "--profile=counts", *words).returncode
    expect("enough", code("--fail-under-lines=80", "--fail-under-functions=66.66", "--fail-under-branches=100"), 0)
    for name, least in (("lines", "81.9"), ("functions", "66.7"), ("regions", "80.1"), ("branches", "100")):
        expect(name, code(f"--fail-under-{name}={least}"), 0 if name == "branches" else 3)
    expect("no share", code("--fail-under-lines=101"), 2)
    done = run(where, "cov", "export", "program", "--profile=counts", "--fail-under-lines=99")
    expect("the output is complete", (done.returncode, done.stdout.endswith(b"}")), (3, True))


def test_mismatch(where):
    with open(os.path.join(where, "counts"), "rb") as file:
        text = file.read()
    with open(os.path.join(where, "old"), "wb") as file:
        file.write(text.replace(b"main\n5\n", b"main\n4\n"))
    says("another hash", run(where, "cov", "report", "program", "--profile=old"), 0,
         "warning: 1 function counted as not executed: the profile is of other source code")
    says("as LLVM", run(where, "cov", "report", "program", "--profile=old", "--compat=llvm-22"), 0,
         "warning: 1 function left out")
    says("under LLVM's name", run(where, "report", "program", "-instr-profile=old", name="llvm-cov"), 0,
         "warning: 1 functions have mismatched data")


def main():
    with open(PLAIN, "rb") as file:
        profile, _, program = file.read().partition(b"\0")
    for test in (test_usage, test_profiles, test_gates, test_mismatch):
        with tempfile.TemporaryDirectory() as where:
            for name, content in (("counts", profile), ("program", program)):
                with open(os.path.join(where, name), "wb") as file:
                    file.write(content)
            test(where)
    print("%d checks, %d failures" % (CHECKS, len(FAILURES)))
    return 1 if FAILURES else 0


sys.exit(main())
