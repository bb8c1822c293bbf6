#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of BOLT, fdata and YAML: what they hold, the bytes of `anyprof bolt merge`, damage, and what is opened."""

import gzip
import os
import unittest

import _package as p
from _bolt_texts import FDATA, SAMPLES, WRITTEN, YAML, command_merges, yaml

import anyprof
from anyprof import FdataKind, FdataSymbol


class Fdata(unittest.TestCase):
    def test_records(self):
        with anyprof.open(p.file("x.fdata", FDATA)) as profile:
            self.assertIsInstance(profile, anyprof.FdataProfile)
            records = list(profile)
            self.assertEqual(len(profile), 5)
            self.assertEqual([(FdataKind(r.kind).name, r.count, r.mispredictions) for r in records],
                             [("BRANCH", 2**63 - 1, 0), ("BRANCH", 7, 2), ("BRANCH", 1, 0), ("BRANCH", 3, 0),
                              ("MEMORY", 5, 0)])
            odd, call, entry, jump, load = records
            self.assertEqual((odd.source.name, odd.source.escaped, odd.source.symbol),
                             ("a b\\c/1", "a\\ b\\\\c/1", FdataSymbol.LOCAL_SYMBOL))
            self.assertEqual(odd.target.name.encode("utf-8", "surrogateescape"), b"caf\xc3\xa9\xff")
            self.assertEqual(odd.target.offset, 2**64 - 1)
            self.assertEqual(tuple(call.source), ("main", 0xd4, FdataSymbol.SYMBOL, "main"))
            self.assertEqual(tuple(entry.source), ("[unknown]", 0, FdataSymbol.NO_SYMBOL, "[unknown]"))
            self.assertEqual((jump.target.name, jump.target.offset), ("worker", 0x3c))
            self.assertEqual((load.source.name, load.target.name, load.target.offset), ("worker", "table", 8))
            self.assertEqual([profile[i] for i in range(5)], records)
            self.assertEqual(profile[-1], load)
            for number in (5, -6, 2**62):
                with self.assertRaises(IndexError):
                    profile[number]
            iterator = iter(profile)
            list(iterator)
            self.assertEqual(list(iterator), [])

    def test_samples(self):
        with anyprof.open(anyprof.Contents(SAMPLES, "samples")) as profile:
            self.assertEqual([(FdataKind(r.kind).name, r.source.offset, r.target, r.count) for r in profile],
                             [("SAMPLE", 0, None, 2), ("SAMPLE", 4, None, 3)])
            self.assertEqual(anyprof.FdataFlag(profile.info.flags), anyprof.FdataFlag.NO_LBR)
            self.assertEqual(profile.info.events, ["cycles:u", "instructions:u"])
            self.assertEqual(profile.write(), b"no_lbr cycles:u instructions:u\n1 f 0 2\n1 f 4 3\n")

    def test_info(self):
        with anyprof.open(anyprof.Contents(FDATA, "name")) as profile:
            info = profile.info
            self.assertEqual((info.flags, info.known, info.n_inputs, info.n_empty, info.n_lines),
                             (anyprof.FdataFlag.BOLTED, True, 1, 0, 6))
            self.assertEqual((info.n_branches, info.n_samples, info.n_memory, info.n_saturated, info.events),
                             (4, 0, 1, 0, []))
            self.assertEqual((profile.source, repr(profile)), ("name", "<anyprof.FdataProfile 'name', 5 records>"))

    def test_write(self):
        with anyprof.open(anyprof.Contents(FDATA)) as profile:
            self.assertEqual(profile.write(), WRITTEN)
            self.assertEqual(profile.write(), command_merges(FDATA))
            out = p.path("out.fdata")
            self.assertIsNone(profile.write(out))
            self.assertEqual(p.read(out), WRITTEN)
            with self.assertRaises(FileNotFoundError):
                profile.write(p.path("no/such/place"))
            self.assertEqual(len(list(profile)), 5)

    def test_escapes(self):
        """Only a backslash before another byte is an escape."""
        for escaped, name in (("\\\\", "\\"), ("\\ ", " "), ("a\\bc", "abc"), ("\\\\\\ x", "\\ x"), ("plain", "plain")):
            with anyprof.open(anyprof.Contents(f"1 {escaped} 0 1 m 1 0 1\n".encode())) as profile:
                self.assertEqual((profile[0].source.name, profile[0].source.escaped), (name, escaped))

    def test_empty(self):
        with self.assertWarnsRegex(anyprof.ProfileWarning, "the file is empty"):
            profile = anyprof.open(p.file("empty", b""), "fdata")
        self.assertEqual((len(profile), list(profile), profile.info.known, bool(profile)), (0, [], False, True))
        self.assertEqual((profile.info.n_empty, profile.write()), (1, b""))
        with self.assertRaises(anyprof.Error):
            anyprof.open(p.path("empty"))
        with anyprof.open(anyprof.Contents(b"no_lbr cycles\n")) as profile:
            self.assertEqual((len(profile), profile.info.known), (0, True))


class Yaml(unittest.TestCase):
    def test_functions(self):
        with anyprof.open(p.file("x.yaml", YAML)) as profile:
            self.assertIsInstance(profile, anyprof.BoltYamlProfile)
            self.assertEqual(len(profile), 2)
            main, work = profile  # by fid
            self.assertEqual((main.name, main.fid, main.hash, main.exec, main.entered, main.n_all_blocks, main.blocks),
                             ("main", 3, 2**64 - 1, 1, 1, 1, []))
            self.assertEqual((work.name, work.fid, work.exec, work.entered, work.n_all_blocks, work.probes),
                             ("work/app.c/1", 7, 4, 0, 3, None))
            first, last = work.blocks
            self.assertEqual((first.number, first.n_instructions, first.hash, first.exec, first.events),
                             (0, 2, 10, 4, 0))
            self.assertEqual([tuple(call) for call in first.calls],
                             [(4, 3, 0, 4, 1, 0, 0, False), (9, 0, 2, 1, 0, 0, 0, False)])
            self.assertEqual([(s.block, s.count, s.mispredictions) for s in first.successors], [(2, 3, 1)])
            self.assertEqual((last.number, last.events, last.calls, last.successors), (2, 5, [], []))

    def test_searches(self):
        with anyprof.open(anyprof.Contents(YAML)) as profile:
            self.assertEqual(profile["main"].fid, 3)
            self.assertEqual(profile[b"work/app.c/1"], list(profile)[1])
            self.assertIn("main", profile)
            self.assertNotIn("mai", profile)
            self.assertNotIn(b"main\0", profile)
            self.assertEqual(profile.function(7).name, "work/app.c/1")
            self.assertIsNone(profile.function(0))
            with self.assertRaises(KeyError) as caught:
                profile["none"]
            self.assertEqual(caught.exception.args, ("none",))
            for bad in (-1, 2**32):
                with self.assertRaises(OverflowError):
                    profile.function(bad)
            for bad in (1, None, 1.5, ["main"]):
                with self.assertRaises(TypeError):
                    profile[bad]
                with self.assertRaises(TypeError):
                    bad in profile  # pylint: disable=pointless-statement
            with self.assertRaises(TypeError):
                profile.function("7")
            with self.assertRaises(UnicodeEncodeError):
                profile["\ud800"]

    def test_header_and_info(self):
        with anyprof.open(anyprof.Contents(YAML, "name")) as profile:
            header = profile.header
            self.assertEqual((header.binary_name, header.build_id, header.origin, header.events),
                             ("app", "f00d", "perf data aggregator", None))
            self.assertEqual((header.flags, header.order, header.hash),
                             (anyprof.BoltYamlFlag.LBR, anyprof.BoltYamlOrder.LAYOUT, anyprof.BoltYamlHash.XXH3))
            self.assertEqual(tuple(profile.info), (True, False, 1, 2, 0, 0))
            self.assertEqual(repr(profile), "<anyprof.BoltYamlProfile 'name', 2 functions>")
            self.assertEqual(profile.source, "name")

    def test_write(self):
        with anyprof.open(anyprof.Contents(YAML)) as profile:
            text = profile.write()
            self.assertEqual(text, command_merges(YAML))
            self.assertLess(text.index(b"fid:             3"), text.index(b"fid:             7"))
            self.assertIsNone(profile.write(p.path("out.yaml")))
            self.assertEqual(p.read(p.path("out.yaml")), text)

    def test_unknown_keys(self):
        text = YAML.replace(b"    nblocks:         1\n", b"    nblocks:         1\n    later:           1\n")
        with self.assertWarnsRegex(anyprof.ProfileWarning, "later"):
            profile = anyprof.open(anyprof.Contents(text))
        self.assertEqual(profile.info.n_unknown_keys, 1)

    def test_no_functions(self):
        text = yaml(functions="").replace(b"functions:\n", b"functions:       []\n")
        with anyprof.open(anyprof.Contents(text)) as profile:
            self.assertEqual((len(profile), list(profile), bool(profile), "x" in profile), (0, [], True, False))
            self.assertEqual(profile.write(), text)


class Opening(unittest.TestCase):
    def test_kinds(self):
        for text, kind in ((FDATA, "fdata"), (SAMPLES, "fdata"), (YAML, "bolt-yaml")):
            for source in (text, gzip.compress(text)):
                self.assertIs(type(anyprof.open(anyprof.Contents(source))),
                              type(anyprof.open(anyprof.Contents(source), kind)))
            for other in {"instr", "sample", "bat", "probes", "fdata", "bolt-yaml"} - {kind}:
                with self.assertRaises(anyprof.Error):
                    anyprof.open(anyprof.Contents(text), other)
        with self.assertRaises(anyprof.Error) as caught:
            anyprof.open(anyprof.Contents(YAML, "it"), "fdata")
        self.assertEqual((caught.exception.code, caught.exception.file), (anyprof.Code.UNSUPPORTED, "it"))
        with self.assertRaisesRegex(ValueError, "fdata, bolt-yaml"):
            anyprof.open(anyprof.Contents(FDATA), "bolt")
        with self.assertRaises(FileNotFoundError):
            anyprof.open(p.path("missing"), "fdata")

    def test_damage(self):
        for text, code, line, column, where in (
                (FDATA + b"1 main d4 1 worker 0 x 3\n", "BAD_FDATA", 8, 22, "fdata.mispredictions"),
                (FDATA + b"\n", "BAD_FDATA", 8, 1, "fdata.symbol"),
                (FDATA[:-1], "BAD_FDATA", 7, 23, "fdata.end"),
                (YAML.replace(b"hash:            0x12", b"hash:            zero"), "BAD_YAML", 14, 22, None),
                (YAML.replace(b"bid:             2", b"bid:             3"), "BAD_YAML", 12, None, None),
                (YAML.replace(b"fid:             7", b"fid:             3"), "YAML_CONFLICT", 0, 0, None)):
            with self.subTest(text), self.assertRaises(anyprof.Error) as caught:
                anyprof.open(anyprof.Contents(text, "it"))
            error = caught.exception
            self.assertEqual((error.code.name, error.file), (code, "it"), str(error))
            self.assertEqual(error.line, line, str(error))
            if column is not None:
                self.assertEqual(error.column, column, str(error))
            if where:
                self.assertEqual(error.where, where)

    def test_every_prefix(self):
        """What is cut is opened whole, or refused with an error of the package."""
        for text in (FDATA, SAMPLES, YAML):
            for n in range(len(text)):
                for kind in (None, "fdata", "bolt-yaml"):
                    try:
                        with anyprof.open(anyprof.Contents(text[:n]), kind, on_finding=str) as profile:
                            repr(list(profile))
                    except anyprof.Error as error:
                        str(error)

    def test_damaged_in_its_first_line(self):
        """Such a text is fdata by its name, or if it is said to be."""
        text = b"1 main 0 1 main 4 0 x\n"
        for source, kind, code in ((anyprof.Contents(text, "x.fdata"), None, "BAD_FDATA"),
                                   (p.file("cut.fdata", text), None, "BAD_FDATA"),
                                   (anyprof.Contents(text), "fdata", "BAD_FDATA"),
                                   (anyprof.Contents(text), None, "TRUNCATED")):
            with self.assertRaises(anyprof.Error) as caught:
                anyprof.open(source, kind)
            self.assertEqual((caught.exception.code.name, caught.exception.line > 0), (code, True))

    def test_other_texts(self):
        """Texts that are profiles of other kinds stay what they are, whatever the file is called."""
        for text, kind in ((p.TEXT, anyprof.InstrProfile), (b":ir\nno_lbr\n1\n1\n5\n\n", anyprof.InstrProfile)):
            for name in ("x", "x.fdata"):
                self.assertIsInstance(anyprof.open(anyprof.Contents(text, name)), kind)

    def test_salvage(self):
        """What is not of a kind that is salvaged is opened whole or not at all."""
        for text in (FDATA, YAML):
            with anyprof.open(anyprof.Contents(text), salvage=True) as profile:
                self.assertGreater(len(profile), 1)
            with self.assertRaises(anyprof.Error):
                anyprof.open(anyprof.Contents(text + b"x"), salvage=True)

    def test_limits(self):
        for text in (FDATA, YAML):
            for limits in ({"max_bytes": 10}, {"max_records": 1}):
                with self.assertRaises(anyprof.Error) as caught:
                    anyprof.open(anyprof.Contents(text), **limits)
                self.assertEqual(caught.exception.code, anyprof.Code.LIMIT)

    def test_callback_raises(self):
        def stop(finding):
            raise ZeroDivisionError(finding.message)

        with self.assertRaises(ZeroDivisionError):
            anyprof.open(anyprof.Contents(b""), "fdata", on_finding=stop)

    def test_not_compared(self):
        for text in (FDATA, YAML):
            with self.assertRaisesRegex(TypeError, "is neither"):
                anyprof.diff(anyprof.Contents(text), anyprof.Contents(text))

    def test_corpus(self):
        """The profiles of BOLT itself, and those that `anyprof bolt convert` makes of the same samples."""
        where = os.path.join(p.CORPUS, "bolt")
        if not os.path.isdir(where):
            self.skipTest("no corpus")
        made = {"made.fdata": ["-o"], "made.yaml": ["-w"]}
        for name, words in made.items():
            p.command("bolt", "convert", os.path.join(where, "prog.b22"), "--pa=" + os.path.join(where, "b22.preagg"),
                      *words, p.path(name))
        paths = [p.path(name) for name in made]
        paths += [os.path.join(where, name) for name in ("b22.fdata", "b22.yaml", "ex.fdata", "ex.yaml")]
        for path in paths:
            with anyprof.open(path, on_finding=str) as profile:
                self.assertGreater(len(profile), 2)
                self.assertEqual(len(list(profile)), len(profile))
                self.assertEqual(profile.write(), command_merges(p.read(path)), path)
                if isinstance(profile, anyprof.BoltYamlProfile):
                    for function in profile:
                        self.assertEqual(profile[function.name], function)
                        self.assertEqual(profile.function(function.fid), function)
        samples = os.path.join(where, "b22.preagg")
        with self.assertRaisesRegex(anyprof.Error, "bolt convert"):
            anyprof.open(samples)

    def test_names_are_those_of_both(self):
        """A function has one name in fdata and in YAML."""
        where = os.path.join(p.CORPUS, "bolt")
        if not os.path.isdir(where):
            self.skipTest("no corpus")
        with anyprof.open(os.path.join(where, "b22.fdata")) as fdata:
            names = {record.source.name for record in fdata if record.source.symbol}
        with anyprof.open(os.path.join(where, "b22.yaml")) as profile:
            self.assertGreater(len(names & {function.name for function in profile}), 5)


class Hostile(unittest.TestCase):
    """Inputs that fuzzing found: each one is refused with an Error, or all of it can be read and written."""

    MOST = max(40, int(os.environ.get("ANYPROF_PYTHON_HOSTILE", "400")))  # of less, too few are profiles

    def opened(self, target, kind):
        found, good = p.pack(target), 0
        for data in found[::max(1, len(found) // self.MOST)]:
            for text in {data, *data.split(b"\0")}:
                try:
                    with anyprof.open(anyprof.Contents(text), kind, on_finding=str, max_bytes=1 << 24) as profile:
                        good += 1
                        yield profile
                except anyprof.Error as error:
                    str(error)
        self.assertGreater(good, 1)

    def test_fdata(self):
        for profile in self.opened("fdata", "fdata"):
            self.assertEqual(len(list(profile)), len(profile))
            with anyprof.open(anyprof.Contents(profile.write()), "fdata", on_finding=str) as again:
                self.assertEqual(list(again), list(profile))

    def test_yaml(self):
        for profile in self.opened("bolt_yaml", "bolt-yaml"):
            functions = list(profile)
            self.assertEqual(len(functions), len(profile))
            self.assertEqual([profile[f.name] for f in functions], functions)
            self.assertEqual([profile.function(f.fid) for f in functions], functions)
            with anyprof.open(anyprof.Contents(profile.write()), "bolt-yaml", on_finding=str) as again:
                self.assertEqual(([*again], again.header), (functions, profile.header))


if __name__ == "__main__":
    p.main()
