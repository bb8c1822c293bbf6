#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory: references are neither lost nor dropped twice, and valgrind finds no error and no leak of the library in the
other tests (with the suppressions for the interpreter that come with valgrind)."""

import gc
import os
import re
import shutil
import subprocess
import sys
import tracemalloc
import unittest
import warnings

import _package as p

import anyprof

# Tests whose every call valgrind follows; a part of the hostile inputs.
FOLLOWED = ["instr_profiles", "sample_profiles", "comparing", "probes_and_bat", "errors", "merging", "misuse",
            "coverage", "bolt_profiles", "bolt_merging", "bolt_handles"]
SUPPRESSIONS = [f for f in ("/usr/lib/valgrind/python3.supp", "/usr/share/valgrind/python3.supp") if os.path.exists(f)]


def everything():
    """One use of all that makes objects."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with anyprof.open(anyprof.Contents(p.TEXT)) as profile:
            for record in profile:
                repr([getattr(record, name) for name in dir(record) if name[0] != "_"])
                memoryview(record.counts).tolist()
                record.sites(0)
            for key in ("none", "twice", 5, None):
                try:
                    profile[key]
                except (LookupError, TypeError):
                    pass
            try:
                profile.find("twice", 9)
            except KeyError:
                pass
            profile.summary()
            profile.write_json()
            anyprof.diff(profile, profile)
            anyprof.overlap(profile, profile)
        with anyprof.open(p.SAMPLES[0]) as profile:
            for function in profile:
                repr([getattr(function, name) for name in dir(function) if name[0] != "_"])
            profile.write(target="gcc-12")
            profile.write_json()
        for text in (p.FDATA, p.BOLT_YAML):
            with anyprof.merge_bolt([anyprof.Contents(text)] * 2, p.path("out.bolt")) as profile:
                repr([profile.info, *profile, profile.write()])
                if isinstance(profile, anyprof.BoltYamlProfile):
                    repr([profile.header, profile["main"], profile.function(7), "x" in profile])
            try:
                anyprof.open(anyprof.Contents(text + b"x\n"))
            except anyprof.Error:
                pass
        anyprof.merge(p.IR, report=True).profile.close()
        anyprof.merge(p.SAMPLES, report=True)
        anyprof.merge(p.SAMPLES, p.path("out.prof"))
        for bad in (p.path("missing"), anyprof.Contents(b"x" * 100), anyprof.Contents(b":ir\nx\n")):
            try:
                anyprof.open(bad)
            except anyprof.Error:
                pass
        for bad in (p.path("missing"), anyprof.Contents(b"x" * 100)):
            try:
                anyprof.merge([p.IR[0], bad], p.path("never"), max_loss=0)
            except anyprof.Error:
                pass
        anyprof.detect(p.IR[0])
        anyprof.info(p.IR)


class References(unittest.TestCase):
    @unittest.skipIf(p.INSTRUMENTED, "instrumented build: tests of the release build count objects")
    def test_nothing_accumulates(self):
        """The number of objects, and of bytes that Python has allocated, does not rise with the number of uses."""
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        steps = []
        for uses in (60, 300):
            for _ in range(uses):
                everything()
            gc.collect()
            steps.append((len(gc.get_objects()), tracemalloc.get_traced_memory()[0]))
        (objects, allocated), (objects_later, allocated_later) = steps
        self.assertLess(objects_later - objects, 100)
        # Less than a small object for each use; the interpreter's lists of free objects still grow by 15,000 bytes.
        self.assertLess(allocated_later - allocated, 300 * 64)

    def test_counts_of_types(self):
        """Each object has one reference to its type, and gives it back."""
        profile = anyprof.open(anyprof.Contents(p.TEXT))
        for kind, make in ((anyprof.Record, lambda: profile["targets"]),
                           (anyprof.Array, lambda: profile["targets"].counts),
                           (anyprof.InstrInfo, lambda: profile.info)):
            before = sys.getrefcount(kind)
            things = [make() for _ in range(100)]
            self.assertEqual(sys.getrefcount(kind), before + 100)
            del things
            self.assertEqual(sys.getrefcount(kind), before)
        before = sys.getrefcount(profile)
        records = list(profile) + [r.counts for r in profile] + [memoryview(r.counts) for r in profile]
        self.assertGreater(sys.getrefcount(profile), before)
        del records
        self.assertEqual(sys.getrefcount(profile), before)

    def test_callbacks_are_dropped(self):
        class Callback:
            def __call__(self, _):
                pass

        callback = Callback()
        before = sys.getrefcount(callback)
        anyprof.merge(p.IR, on_finding=callback, on_progress=callback)
        anyprof.open(p.IR[0], on_finding=callback).close()
        self.assertEqual(sys.getrefcount(callback), before)


def lost_here(text):
    """The records of memory that the module or the library has lost; the interpreter never frees some of its own."""
    records = re.split(r"\n==\d+== *\n", text)
    frames = {record: [line for line in record.splitlines() if re.match(r"==\d+== +(at|by) ", line)][:7]
              for record in records if "definitely lost" in record}
    return [record for record, lines in frames.items() if "anyprof" in "\n".join(lines)]


class Valgrind(unittest.TestCase):
    def test_tests(self):
        if p.INSTRUMENTED:
            self.skipTest("instrumented build: its sanitizers look for errors")
        if not shutil.which("valgrind") or not SUPPRESSIONS:
            self.skipTest("no valgrind, or no suppressions for Python with it")
        valgrind = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite",
                    "--errors-for-leak-kinds=none", "--gen-suppressions=no", f"--suppressions={SUPPRESSIONS[0]}"]
        environment = dict(os.environ, PYTHONMALLOC="malloc", ANYPROF_PYTHON_HOSTILE="8")
        # Not a shim of python3, which starts another program. Some interpreters have errors of their own.
        for python in (os.path.realpath(sys.executable), "/usr/bin/python3"):
            words = [*valgrind, python]
            code = "import json, sys, unittest; sys.exit(sys.version_info < (3, 11))"
            if subprocess.run([*words, "-c", code], capture_output=True, env=environment, check=False).returncode == 0:
                break
        else:
            self.skipTest("no interpreter without errors of its own")
        for name in FOLLOWED:
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
            with self.subTest(name):
                result = subprocess.run([*words, script], capture_output=True, text=True, env=environment, check=False)
                self.assertEqual(result.returncode, 0, result.stderr[-5000:])
                self.assertEqual("\n".join(lost_here(result.stderr)), "")


if __name__ == "__main__":
    p.main()
