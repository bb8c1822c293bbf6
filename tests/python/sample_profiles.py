#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sample profiles: functions, lines, calls, what is inlined, contexts, and writing them."""

import json
import unittest

import _package as p

import anyprof

NESTED = b"""\
main:100:2
 1: 2
 2.1: 30 callee:20 other:10
 3: inner:68
  1: 8
  2: innermost:60
   1: 60
callee:50:20
 1: 50
"""
CONTEXTS = b"""\
[main:1 @ foo:2 @ bar]:30:3
 1: 30
[bar]:20:2
 1: 20
[main]:10:1
 1: 10
"""


class Functions(unittest.TestCase):
    def setUp(self):
        self.profile = anyprof.open(anyprof.Contents(NESTED), "sample")

    def test_iteration(self):
        self.assertEqual([(f.name, f.samples, f.head) for f in self.profile], [("main", 100, 2), ("callee", 50, 20)])
        self.assertEqual(len(self.profile), 2)

    def test_parts(self):
        main = self.profile["main"]
        self.assertEqual([tuple(line) for line in main.lines], [(1, 0, 2), (2, 1, 30)])
        self.assertEqual([(c.line, c.discriminator, c.count, c.name) for c in main.calls],
                         [(2, 1, 20, "callee"), (2, 1, 10, "other")])
        self.assertEqual(main.hash, anyprof.name_id("main"))
        inner, = main.inlinees
        self.assertEqual((inner.name, inner.depth, inner.line, inner.samples), ("inner", 1, 3, 68))
        innermost, = inner.inlinees
        self.assertEqual((innermost.name, innermost.depth, [l.count for l in innermost.lines]), ("innermost", 2, [60]))
        self.assertEqual((innermost.inlinees, innermost.context, main.vtables), ([], [], []))
        self.assertIsNone(main.file)

    def test_search(self):
        self.assertIn("callee", self.profile)
        self.assertNotIn("inner", self.profile)  # it is not at the top level
        self.assertEqual(self.profile[anyprof.name_id("callee")].samples, 50)
        with self.assertRaises(KeyError):
            self.profile["none"]

    def test_contexts(self):
        with anyprof.open(anyprof.Contents(CONTEXTS), "sample") as profile:
            self.assertTrue(anyprof.SampleFlag(profile.info.flags) & anyprof.SampleFlag.CONTEXTS)
            self.assertEqual(sorted(f.samples for f in profile.find_all("bar")), [20, 30])
            with self.assertRaisesRegex(LookupError, "contexts"):
                profile["bar"]
            deep, = [f for f in profile if f.samples == 30]
            self.assertEqual([(x.name, x.line) for x in deep.context], [("main", 1), ("foo", 2), ("bar", 0)])

    def test_write(self):
        written = self.profile.write(target="llvm-22")
        with anyprof.open(anyprof.Contents(written.data)) as again:
            self.assertEqual(again.info.format, anyprof.SampleFormat.EXTBINARY)
            self.assertEqual([(f.name, f.samples) for f in again], [(f.name, f.samples) for f in self.profile])
        text = self.profile.write(format=anyprof.SampleFormat.TEXT).data
        self.assertEqual(text, NESTED)
        out = p.path("out.afdo")
        result = self.profile.write(out, target="gcc-12")
        self.assertIsNone(result.data)
        self.assertEqual(result.losses.format, anyprof.SampleFormat.GCC)
        self.assertIn("12", anyprof.releases(result.losses.gcc_readers, "gcc"))
        self.assertEqual(anyprof.detect(out).kind, anyprof.FileKind.SAMPLE_GCOV)

    def test_write_loses(self):
        """What the format cannot hold is in the result, and a warning."""
        with anyprof.open(anyprof.Contents(CONTEXTS), "sample") as profile:
            with self.assertWarns(anyprof.ProfileWarning) as caught:
                losses = profile.write(target="gcc-12").losses
            self.assertEqual(losses.lost_contexts, 1)
            self.assertEqual(caught.filename, __file__)
            findings = []
            profile.write(target="gcc-12", on_finding=findings.append)
            self.assertTrue(findings)

    def test_json(self):
        document = json.loads(self.profile.write_json())
        self.assertEqual(document["schema"], "anyprof-sample/1")
        with self.assertRaises(ValueError):
            self.profile.write(format=anyprof.SampleFormat.JSON)
        with self.assertRaises(ValueError):
            self.profile.write(format=99)
        with self.assertRaises(anyprof.ArgumentError):
            self.profile.write(target="llvm-99")

    def test_closed(self):
        function = self.profile["main"]
        iterator = iter(self.profile)
        self.profile.close()
        self.profile.close()
        for use in (lambda: function.lines, lambda: function.name, lambda: function.inlinees, lambda: next(iterator),
                    lambda: len(self.profile), lambda: self.profile["main"], lambda: self.profile.info,
                    lambda: self.profile.write(), lambda: function.context, self.profile.__enter__):
            with self.assertRaises(ValueError):
                use()
        self.assertIn("closed", repr(self.profile))
        self.assertIn("closed", repr(function))


if __name__ == "__main__":
    p.main()
