#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions, findings, and what files are."""

import errno
import os
import pickle
import sys
import unittest
import warnings

import _package as p

import anyprof
from anyprof import _anyprof, _errors

RAW = p.read(p.IR[5])


class Errors(unittest.TestCase):
    def caught(self, source, **options):
        with self.assertRaises(anyprof.Error) as caught:
            anyprof.open(source, **options)
        return caught.exception

    def test_place(self):
        error = self.caught(anyprof.Contents(RAW[:4] + b"\0" + RAW[5:], "changed"))
        self.assertEqual(str(error).startswith("changed: "), True)
        self.assertEqual(error.file, "changed")
        error = self.caught(anyprof.Contents(RAW[:8] + (99).to_bytes(8, "little") + RAW[16:], "new"))
        self.assertEqual((error.code, error.where, error.offset, error.found),
                         (anyprof.Code.UNSUPPORTED_VERSION, "raw.header.version", 8, 99))
        self.assertGreaterEqual(error.expected, 10)
        self.assertEqual((error.errno, error.line, error.inputs, error.totals), (None, 0, None, None))
        error = self.caught(anyprof.Contents(b":ir\nmain\nx\n"))
        self.assertEqual((error.line, error.code), (3, anyprof.Code.MALFORMED))
        error = self.caught(anyprof.Contents(RAW[:100]))
        self.assertIn(error.code, (anyprof.Code.TRUNCATED, anyprof.Code.BAD_HEADER))
        self.assertTrue(_anyprof.code(int(error.code))[2])

    def test_system(self):
        error = self.caught(p.path("missing"))
        self.assertIsInstance(error, FileNotFoundError)
        self.assertEqual((error.code, error.errno, error.filename), (anyprof.Code.IO, errno.ENOENT, p.path("missing")))
        self.assertIsInstance(self.caught(p.TEMPORARY), IsADirectoryError)
        self.assertIsInstance(self.caught(p.path("missing"), kind="bat"), FileNotFoundError)
        if os.getuid():
            secret = p.file("secret", b"")
            os.chmod(secret, 0)
            self.assertIsInstance(self.caught(secret), PermissionError)

    def test_kinds_of_exceptions(self):
        self.assertIsInstance(_errors.make(anyprof.Code.NO_MEMORY, "x", "y"), MemoryError)
        self.assertEqual(_errors.make(999, "x", "y").code, 999)
        self.assertIsInstance(_errors.make(anyprof.Code.IO, "x", "y", number=errno.ENOSPC), anyprof.FileError)
        error = self.caught(p.IR[0], max_bytes=10)
        self.assertEqual(error.code, anyprof.Code.LIMIT)

    def test_pickle(self):
        for error in (self.caught(p.path("missing")), self.caught(anyprof.Contents(RAW[:100], "cut")),
                      _errors.make(anyprof.Code.UNKNOWN_FUNCTION, "a", "b")):
            again = pickle.loads(pickle.dumps(error))
            self.assertIs(type(again), type(error))
            self.assertEqual((str(again), again.code, again.offset, again.args, again.errno),
                             (str(error), error.code, error.offset, error.args, error.errno))

    def test_made_by_hand(self):
        self.assertEqual((str(anyprof.Error("x")), str(anyprof.Error()), anyprof.Error("x").offset), ("x", "", None))

    def test_other_kinds(self):
        """What open() does not read is an error that says what the file is, and what reads it."""
        for data, words in (
                (b"<html>", "a web page: it is for browsers"),
                (b"!<arch>\n", "an ar archive: coverage() reads"),
                (b"B 1 2 3 4\n", "a file of pre-aggregated samples for BOLT: 'anyprof bolt convert' makes a profile"),
                (b'{"schema": "anyprof-diff/1"}', "a JSON document of anyprof"),
                (b"PERFILE2" + bytes(200), "a perf.data file: 'anyprof profgen' makes")):
            error = self.caught(anyprof.Contents(data, "it"))
            self.assertEqual((error.code, error.where), (anyprof.Code.UNSUPPORTED, "open.kind"), str(error))
            self.assertIn(f"it: open() does not read {words}", str(error))
        error = self.caught(anyprof.Contents(b"no profile at all\n"))
        self.assertIn("it is no kind of text that anyprof knows", str(error))
        self.assertIn("it is JSON without a schema", str(self.caught(anyprof.Contents(b'{"a": 1}'))))
        self.assertNotIn("it is", str(self.caught(anyprof.Contents(b":ir\nmain\nx\n"))))

    def test_corpus(self):
        """Every file is opened, or refused by an error of the package."""
        if not os.path.isdir(p.CORPUS):
            self.skipTest("no corpus")
        opened = 0
        for directory, _, names in os.walk(p.CORPUS):
            for name in names:
                source = os.path.join(directory, name)
                try:
                    anyprof.open(source, on_finding=str).close()
                    opened += 1
                except anyprof.Error as error:
                    self.assertTrue(str(error).startswith(source + ": "), str(error))
                except ValueError as error:
                    self.assertIn("has both pseudo probes and a BAT table", str(error))
        self.assertGreater(opened, 100)

    def test_codes(self):
        """The package knows the codes of the headers."""
        self.assertEqual({(c.name, int(c)) for c in anyprof.Code}, {(n, i) for n, i, _ in _anyprof.codes()})

    def test_messages_are_text(self):
        error = self.caught(os.path.join(os.fsencode(p.TEMPORARY), b"no\xff"))
        self.assertIn("no", str(error))
        self.assertEqual(repr(error)[:4], "Miss")


class Findings(unittest.TestCase):
    TEXT = p.TEXT + b"twice\n1\n1\n5\n\n"  # comes twice

    def test_callback(self):
        findings = []
        data = bytearray(RAW)
        data[16:16] = b""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            anyprof.open(anyprof.Contents(RAW + bytes(8), "padded"), on_finding=findings.append)
        for finding in findings:
            self.assertIsInstance(finding, anyprof.Finding)
            self.assertIn(finding.severity, ("note", "warning", "error"))

    def test_callback_raises(self):
        def stop(finding):
            raise ZeroDivisionError(finding.message)

        odd = None
        for target in ("raw", "indexed", "text"):
            for data in p.pack(target)[:400]:
                found = []
                try:
                    anyprof.open(anyprof.Contents(data), "instr", on_finding=found.append)
                except anyprof.Error:
                    continue
                if found:
                    odd = data
        if odd is None:
            self.skipTest("no input with a finding")
        with self.assertRaises(ZeroDivisionError):
            anyprof.open(anyprof.Contents(odd), "instr", on_finding=stop)


class Files(unittest.TestCase):
    def test_detect(self):
        for path, kind in ((p.IR[0], "INSTR_RAW"), (p.SAMPLES[0], "SAMPLE_TEXT"), (sys.executable, "ELF"),
                           (p.file("none", b""), "EMPTY"), (p.file("x.tar.gz", b"\x1f\x8b\x08"), "GZIP")):
            info = anyprof.detect(path)
            self.assertEqual(anyprof.FileKind(info.kind).name, kind, path)
            self.assertTrue(info.kind_name)
        self.assertEqual(anyprof.detect(anyprof.Contents(p.TEXT)).kind, anyprof.FileKind.INSTR_TEXT)
        with self.assertRaises(FileNotFoundError):
            anyprof.detect(p.path("missing"))

    def test_info(self):
        document = anyprof.info(p.IR)
        self.assertEqual(len(document["files"]), 6)
        self.assertEqual(anyprof.info(p.IR[0])["files"][0]["path"], p.IR[0])

    def test_check(self):
        self.assertEqual(anyprof.check(p.IR[0])["totals"]["errors"], 0)
        self.assertGreater(anyprof.check([anyprof.Contents(RAW[:100])])["totals"]["errors"], 0)


if __name__ == "__main__":
    p.main()
