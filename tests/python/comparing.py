#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""diff() and overlap(): the numbers of the command."""

import json
import os
import unittest

import _package as p

import anyprof

OTHER = p.TEXT.replace(b"\n5\n7\n", b"\n5\n700\n").replace(b"targets\n3\n", b"targets\n4\n")
FE = [os.path.join(p.PROFILES, f"clang-{n}-fe.profraw") for n in (19, 22)]


class Diff(unittest.TestCase):
    def test_instr(self):
        with anyprof.open(anyprof.Contents(p.TEXT)) as a, anyprof.open(anyprof.Contents(OTHER)) as b:
            totals, functions = anyprof.diff(a, b)
            self.assertEqual((list(totals.functions), totals.equal, totals.differ), ([3, 3], 0, 3))
            change = {f.a.name if f.a else f.b.name: anyprof.DiffChange(f.changes) for f in functions}
            self.assertIn(anyprof.DiffChange.HASH, change["targets"])
            self.assertEqual(anyprof.diff(a, a).functions, [])
            self.assertEqual(anyprof.diff(a, a).totals.difference, 0)
            self.assertEqual(len(anyprof.diff(a, b, max_functions=1).functions), 1)
            self.assertEqual(anyprof.diff(a, b, max_functions=1).totals.differ, 3)
            self.assertEqual({f.b.name for f in anyprof.diff(a, b, function="targ").functions}, {"targets"})
            self.assertFalse(a.closed)

    def test_only_one_has_it(self):
        less = anyprof.Contents(p.TEXT[:p.TEXT.index(b"targets")])
        function, = [f for f in anyprof.diff(less, anyprof.Contents(p.TEXT), absolute=True).functions]
        self.assertEqual(anyprof.DiffChange(function.changes), anyprof.DiffChange.ONLY_B)
        self.assertIsNone(function.a)
        self.assertEqual((function.b.name, function.b.count), ("targets", 100))

    def test_as_the_command(self):
        for pair in (p.IR[4:], FE, p.SAMPLES):
            totals, functions = anyprof.diff(*pair)
            theirs = json.loads(p.command("diff", "--json", *pair))
            self.assertEqual((totals.difference, totals.differ), (theirs["difference"], theirs["differ"]))
            self.assertEqual(len(functions), totals.differ)

    def test_kinds_do_not_mix(self):
        with self.assertRaises(TypeError):
            anyprof.diff(p.IR[0], p.SAMPLES[0])
        with self.assertRaises(TypeError):
            anyprof.diff(p.IR[0], object())
        with self.assertRaises(ValueError):
            anyprof.diff(*p.SAMPLES, cs=True)

    def test_closed(self):
        with anyprof.open(p.IR[0]) as a:
            pass
        with self.assertRaises(ValueError):
            anyprof.diff(a, p.IR[0])


class Overlap(unittest.TestCase):
    def test_instr(self):
        result = anyprof.overlap(p.IR[5], p.IR[5])
        self.assertAlmostEqual(result.overlap.edges, 1.0)
        self.assertEqual((result.base.n, result.zero), (12, 0))
        text = p.command("overlap", p.IR[4], p.IR[5]).decode()
        result = anyprof.overlap(p.IR[4], p.IR[5])
        self.assertIn(f"Edge profile overlap: {100 * result.overlap.edges:.3f}%", text)
        with self.assertRaises(ValueError):
            anyprof.overlap(*p.SAMPLES, cs=True)

    def test_samples(self):
        text = p.command("overlap", "--sample", *p.SAMPLES).decode()
        result = anyprof.overlap(*p.SAMPLES)
        self.assertIn(f"Whole program profile similarity: {100 * result.similarity:.3f}%", text)
        self.assertEqual(result.functions.both + result.functions.base, len(anyprof.open(p.SAMPLES[0])))


if __name__ == "__main__":
    p.main()
