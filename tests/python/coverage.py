#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coverage: the same as the command's and as llvm-cov's, of files and of contents in memory."""

import json
import os
import threading
import unittest

import _package as p

import anyprof
from anyprof import _anyprof

COV = os.path.join(p.CORPUS, "cov")
CASES = ("basic-22", "macro-22", "mcdc-22", "tmpl-22", "rust-22", "exc-22", "gap-22")
NUMBERS = ("functions", "instantiations", "lines", "regions", "branches", "mcdc")


def case(name):
    """The programs and the profile of a case of the corpus."""
    directory = os.path.join(COV, name)
    command = json.loads(p.read(os.path.join(directory, "cmd")))
    return [os.path.join(directory, name) for name in command["objects"]], os.path.join(directory, command["profile"])


@unittest.skipUnless(os.path.isdir(COV), "no corpus")
class Coverage(unittest.TestCase):
    def test_totals(self):
        """They are those that llvm-cov has found."""
        for name in CASES:
            programs, profile = case(name)
            theirs = json.loads(p.read(os.path.join(COV, name, "22.json")))["data"][0]
            with anyprof.coverage(programs, profile) as coverage:
                totals = coverage.totals()
                for key in NUMBERS:
                    ours = getattr(totals, key)
                    self.assertEqual((ours.n, ours.covered),
                                     (theirs["totals"][key]["count"], theirs["totals"][key]["covered"]), (name, key))
                self.assertEqual(coverage.files, [file["filename"] for file in theirs["files"]])
                self.assertEqual(coverage.totals(coverage.files), totals)
                self.assertEqual(coverage.totals("no such file").lines.n, 0)

    def test_lines(self):
        """The lines of a file are those of its tracefile."""
        for name in CASES:
            programs, profile = case(name)
            with anyprof.coverage(programs, profile) as coverage:
                found = {}
                for text in coverage.write(format="lcov").decode().splitlines():
                    key, _, value = text.partition(":")
                    if key == "SF":
                        lines = found.setdefault(value, [])
                    elif key == "DA":
                        lines.append(tuple(int(number) for number in value.split(",")))
                self.assertEqual({file: [(line.line, line.count) for line in coverage.lines(file)]
                                  for file in coverage.files}, found)

    def test_functions(self):
        programs, profile = case("basic-22")
        with anyprof.coverage(programs, profile) as coverage:
            functions = {function.name: function for function in coverage.functions()}
            main, uncalled = functions["main"], functions["uncalled"]
            self.assertEqual((main.count > 0, uncalled.count, uncalled.fit), (True, 0, anyprof.CoverageFit.FITS))
            self.assertEqual(coverage.files[main.file], "/src/basic.c")
            self.assertEqual(uncalled.lines.covered, 0)
            number = [function.name for function in coverage.functions()].index("uncalled")
            regions = coverage.regions(number)
            self.assertEqual((regions[0].kind, regions[0].line, regions[0].count),
                             (anyprof.CoverageRegionKind.CODE, uncalled.line, 0))
            self.assertEqual(coverage.stats.n_functions, len(functions))
            with self.assertRaises(anyprof.ArgumentError):
                coverage.regions(len(functions))
        programs, profile = case("otherprofile-22")
        with anyprof.coverage(programs, profile, on_finding=str) as coverage:
            self.assertGreater(coverage.stats.mismatched + coverage.stats.short_counters, 0)

    def test_writes(self):
        """The bytes are the command's."""
        programs, profile = case("tmpl-22")
        for union in (False, True):
            with anyprof.coverage(programs, profile, merge_instantiations=union) as coverage:
                for words, options in ((("export",), {}), (("export", "--format=lcov"), {"format": "lcov"}),
                                       (("export", "--summary-only"), {"summary_only": True}),
                                       (("export", "--format=codecov"), {"format": "codecov"})):
                    if union:
                        words = (*words, "--merge-instantiations=union")
                    out = p.command("cov", *words, *programs, f"--profile={profile}")
                    self.assertEqual(coverage.write(**options).replace(b"\n", b""), out.replace(b"\n", b""), words)
                self.assertIsNone(coverage.write(p.path("report"), format="report"))
                self.assertIn(b"TOTAL", p.read(p.path("report")))

    def test_inputs(self):
        """Contents in memory, directories, several profiles, none, and changed names."""
        programs, profile = case("basic-22")
        with anyprof.coverage(programs, profile) as coverage:
            once, lines = coverage.write(), coverage.lines("/src/basic.c")
        contents = [anyprof.Contents(bytearray(p.read(path)), path) for path in programs]
        coverage = anyprof.coverage(contents, anyprof.Contents(p.read(profile)))
        del contents
        self.assertEqual(coverage.write(), once)
        coverage.close()
        directory = p.path("runs")
        os.makedirs(directory)
        for name in ("a", "b"):
            with open(os.path.join(directory, name + ".profdata"), "wb") as file:
                file.write(p.read(profile))
        with anyprof.coverage(programs, directory, prefix_map={"/src": "there"}) as coverage:
            self.assertEqual(coverage.files, ["there/basic.c"])
            self.assertEqual([line.count for line in coverage.lines("there/basic.c")],
                             [2 * line.count for line in lines])
        with anyprof.coverage(programs) as coverage:
            self.assertEqual(coverage.totals().functions.covered, 0)

    def test_mistakes(self):
        programs, profile = case("basic-22")
        with self.assertRaises(ValueError):
            anyprof.coverage()
        with self.assertRaises(anyprof.Error) as caught:
            anyprof.coverage(profile)
        self.assertEqual(caught.exception.file, profile)
        with self.assertRaises(anyprof.MissingFileError):
            anyprof.coverage("missing", profile)
        with self.assertRaisesRegex(ValueError, "there is no profile"):
            anyprof.coverage(programs, [])  # a pattern that found nothing
        coverage = anyprof.coverage(programs, profile)
        with self.assertRaises(KeyError):
            coverage.lines("no such file")
        with self.assertRaises(ValueError):
            coverage.write(format="no such format")
        with self.assertRaises(ValueError):
            coverage.write(format="html", summary_only=True)
        with self.assertRaises(FileNotFoundError):
            coverage.write(p.path("no/such/directory"))
        for use in (lambda: coverage.lines(1), lambda: coverage.regions("x"), lambda: coverage._write(1, 2),
                    lambda: coverage._write(None, 0, 0, (), ((1, 2),)), lambda: coverage._totals((1,)),
                    lambda: _anyprof.open_cov((), (), None, ()), lambda: _anyprof.open_cov(1, 2, 3, 4),
                    lambda: _anyprof.open_cov((), (), (0, 0, 0, 0, 0, None, None), (0, None, None, (1,), ()))):
            self.assertRaises(TypeError, use)
        coverage.close()
        coverage.close()
        self.assertTrue(coverage.closed)
        self.assertEqual(repr(coverage), "<anyprof.Coverage, closed>")
        for use in (lambda: coverage.files, lambda: coverage.stats, coverage.functions, coverage.totals, coverage.write,
                    lambda: coverage.lines("x"), lambda: coverage.regions(0), coverage.__enter__):
            self.assertRaises(ValueError, use)

    def test_threads(self):
        """Several threads use one coverage."""
        programs, profile = case("tmpl-22")
        results = []
        with anyprof.coverage(programs, profile) as coverage:
            def look():
                results.append((coverage.functions(), coverage.write(), [coverage.lines(f) for f in coverage.files]))

            threads = [threading.Thread(target=look) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(len(results), 8)
        self.assertTrue(all(result == results[0] for result in results))


if __name__ == "__main__":
    p.main()
