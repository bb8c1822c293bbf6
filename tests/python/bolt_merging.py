#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""merge_bolt(): the bytes of `anyprof bolt merge`, what does not go together, and what is said of it."""

import os
import threading
import unittest
import warnings

import _package as p
from _bolt_texts import FDATA, FUNCTIONS, SAMPLES, TWO, WRITTEN, YAML, command_merges, merged, yaml

import anyprof


class Merging(unittest.TestCase):
    def test_bytes_of_the_command(self):
        second = b"boltedcollection\n1 main d4 1 worker 0 5 6\n"
        other = yaml(functions=FUNCTIONS.replace("main", "other").replace("fid:             3", "fid:             2"))
        for name, texts in (("fdata", (FDATA, second)), ("yaml", (YAML, other))):
            with self.subTest(name):
                out = p.path("merged." + name)
                with merged(*texts) as profile:
                    self.assertEqual(profile.write(), command_merges(*texts))
                    self.assertEqual(profile.info.n_inputs, 2)
                    self.assertEqual(profile.source, "a merge")
                merged(*reversed(texts), out=out).close()
                self.assertEqual(p.read(out), command_merges(*texts))

    def test_weights(self):
        with merged(TWO, TWO, weights=[2, 3]) as profile:
            self.assertEqual([r.count for r in profile], [15, 15])
        with merged(YAML, weights=[10]) as profile:
            self.assertEqual((profile["main"].exec, profile.function(7).blocks[0].calls[0].count), (10, 40))
        for weights in ([], [1, 2], [0], [-1]):
            with self.assertRaises(ValueError):
                merged(FDATA, weights=weights)
        with self.assertRaises(OverflowError):
            merged(FDATA, weights=[2**64])

    def test_saturation(self):
        with self.assertWarnsRegex(anyprof.ProfileWarning, "those of 1 records"):
            with merged(FDATA, FDATA) as profile:
                self.assertEqual((profile.info.n_saturated, profile[0].count), (1, 2**63 - 1))
        with self.assertWarnsRegex(anyprof.ProfileWarning, "cut at 2.64 - 1"):
            with merged(YAML, weights=[2**63]) as profile:
                self.assertEqual(profile.function(7).exec, 2**64 - 1)
        findings = []
        merged(FDATA, FDATA, on_finding=findings.append)
        self.assertEqual([(f.code, f.severity, f.source) for f in findings],
                         [(anyprof.Code.COUNTER_OVERFLOW, "warning", "a merge")])
        self.assertIsInstance(findings[0].error, anyprof.Error)
        # A warning that is an error stops the merge before anything is written.
        with warnings.catch_warnings():
            warnings.simplefilter("error", anyprof.ProfileWarning)
            with self.assertRaises(anyprof.ProfileWarning):
                merged(FDATA, FDATA, out=p.path("never"))
        self.assertFalse(os.path.exists(p.path("never")))

    def test_differences(self):
        findings = []
        with merged(yaml(events="a,b"), yaml("beef", events="c"), on_finding=findings.append) as profile:
            self.assertEqual(profile.header.events, "a;b;c")
            self.assertIs(profile.header, profile.header)
            self.assertEqual(profile.write(), command_merges(yaml(events="a,b"), yaml("beef", events="c")))
        self.assertEqual({f.code for f in findings}, {anyprof.Code.YAML_CONFLICT})
        with self.assertWarnsRegex(anyprof.ProfileWarning, "does not read profiles with a comma"):
            merged(yaml(events="a,b"))
        one = FUNCTIONS + "    inline_tree:     [ { g: 1 } ]\n"
        two = FUNCTIONS + "    inline_tree:     [ { g: 2 } ]\n"
        with anyprof.open(anyprof.Contents(yaml(functions=one))) as profile:
            self.assertIn("inline_tree:", profile["main"].probes)
        with self.assertWarnsRegex(anyprof.ProfileWarning, "pseudo probes of the profiles differ"):
            with merged(yaml(functions=one), yaml(functions=two)) as profile:
                self.assertTrue(profile.info.probes_dropped)
                self.assertIsNone(profile["main"].probes)

    def test_refused(self):
        for texts, code, number in (
                ((FDATA, YAML), "UNSUPPORTED", 1), ((YAML, FDATA), "UNSUPPORTED", 1),
                ((FDATA, b"1 f 0 1 f 8 0 1\n"), "FDATA_CONFLICT", 1), ((FDATA, SAMPLES), "FDATA_CONFLICT", 1),
                ((FDATA, FDATA, FDATA + b"x\n"), "BAD_FDATA", 2), ((YAML, yaml(flags="sample")), "YAML_CONFLICT", 1),
                ((YAML, YAML.replace(b"0x12", b"0x13")), "YAML_CONFLICT", 1), ((p.TEXT,), "BAD_FDATA", 0)):
            with self.subTest(texts), self.assertRaises(anyprof.Error) as caught:
                merged(*texts, out=p.path("never"), on_finding=str)
            error = caught.exception
            self.assertEqual((error.code.name, error.input, error.file), (code, number, f"input {number}"))
        self.assertFalse(os.path.exists(p.path("never")))
        for nothing in ([], ()):
            with self.assertRaisesRegex(ValueError, "no paths"):
                anyprof.merge_bolt(nothing)
        for bad in (None, 1, [1], [None]):
            with self.assertRaises(TypeError):
                anyprof.merge_bolt(bad)
        with self.assertRaises(FileNotFoundError):
            anyprof.merge_bolt(p.path("missing"))
        for text in (FDATA, YAML):
            with self.assertRaisesRegex(ValueError, "^name is a profile of BOLT: merge_bolt"):
                anyprof.merge(anyprof.Contents(text, "name"))
        with self.assertRaises(TypeError):
            merged(FDATA, on_progress=1)

    def test_empty_inputs(self):
        with self.assertWarnsRegex(anyprof.ProfileWarning, "input 0: .*the file is empty"):
            with merged(b"", FDATA) as profile:
                self.assertEqual(profile.write(), WRITTEN)
                self.assertEqual((profile.info.n_inputs, profile.info.n_empty), (2, 1))
        for texts in ((b"",), (b"", b"")):
            with self.assertRaises(anyprof.Error) as caught:
                merged(*texts, out=p.path("never"), on_finding=str)
            self.assertEqual(caught.exception.code, anyprof.Code.EMPTY_FDATA)
        self.assertFalse(os.path.exists(p.path("never")))

    def test_directory(self):
        """A directory stands for all files in it but the output, whatever they are called."""
        directory = p.path("runs")
        os.makedirs(os.path.join(directory, "deep"))
        for name in ("first", os.path.join("deep", "second.fdata")):
            with open(os.path.join(directory, name), "wb") as f:
                f.write(TWO)
        os.symlink(p.file("elsewhere", FDATA), os.path.join(directory, "link"))
        out, findings = os.path.join(directory, "out"), []
        for _ in range(2):
            with anyprof.merge_bolt(directory, out, on_finding=findings.append) as profile:
                self.assertEqual([r.count for r in profile], [6, 6])
        self.assertEqual([(f.severity, f.source) for f in findings], [("note", directory)] * 2)
        self.assertIn("output of an earlier merge (1)", findings[1].message)
        self.assertIn("symbolic links that lead out of the directory (1)", findings[1].message)
        with self.assertRaises(anyprof.Error):  # which is no profile
            with open(os.path.join(directory, "notes"), "wb") as f:
                f.write(b"# nothing\n")
            anyprof.merge_bolt(directory)
        os.makedirs(p.path("nothing"))
        with self.assertRaisesRegex(ValueError, "no profiles in"):
            anyprof.merge_bolt(p.path("nothing"))
        self.assertEqual(p.read(out).count(b"\n"), 3)

    def test_output(self):
        out = p.file("both.fdata", TWO)
        with anyprof.merge_bolt([out, out], out) as profile:
            self.assertEqual(p.read(out), profile.write())
        before = p.read(out)
        with self.assertRaises(anyprof.Error):
            anyprof.merge_bolt([out, anyprof.Contents(b"bad")], out)
        self.assertEqual(p.read(out), before)
        with self.assertRaises(FileNotFoundError):
            anyprof.merge_bolt(out, p.path("no/such/place"))
        with self.assertRaises(IsADirectoryError):
            anyprof.merge_bolt(out, p.TEMPORARY)
        self.assertEqual([n for n in os.listdir(p.TEMPORARY) if "anyprof-tmp" in n], [])

    def test_progress(self):
        steps = []
        merged(*[TWO] * 5, on_progress=steps.append)
        self.assertEqual((steps[-1].n_done, steps[-1].n_inputs), (5, 5))

        def stop(_):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            merged(FDATA, FDATA, out=p.path("never"), on_progress=stop, on_finding=str)
        self.assertFalse(os.path.exists(p.path("never")))

    def test_pipe(self):
        """A pipe is read once."""
        for text in (FDATA, YAML):
            name = p.path("pipe")
            os.mkfifo(name)

            def feed(text=text, name=name):
                with open(name, "wb") as f:
                    f.write(text)

            thread = threading.Thread(target=feed)
            thread.start()
            with anyprof.merge_bolt(name) as profile:
                self.assertEqual(profile.write(), command_merges(text))
            thread.join()
            os.unlink(name)


if __name__ == "__main__":
    p.main()
