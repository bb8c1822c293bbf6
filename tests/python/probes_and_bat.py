#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pseudo probes and BAT tables."""

import array
import json
import os
import shutil
import subprocess
import sys
import unittest

import _package as p

import anyprof

sys.path.insert(0, os.path.join(p.SOURCE, "tests", "oracle"))
import _bat

MID, MAIN = anyprof.name_id("mid"), anyprof.name_id("main")
SECTION = {"section": 1, "text": None, "group": None, "comdat": False}
LIST = {
    "schema": "anyprof-probe-list/1",
    "file": {"elf_bits": 64, "elf_machine": 62, "big_endian": False, "relocatable": False, "old_encoding": False,
             "literal_bytes": None},
    "partial": False,
    "sections": [SECTION],
    "texts": [],
    "nodes": [
        {"node": 0, "parent": None, "call_probe": 0, "guid": hex(MAIN), "section": 1, "offset": 0},
        {"node": 1, "parent": 0, "call_probe": 2, "guid": hex(MID), "section": 1, "offset": 9},
    ],
    "probes": [
        dict(row, attributes=0, discriminator=0, probe=number) for number, row in enumerate([
            {"address": "0x1000", "distance": 0, "id": 1, "type": "block", "node": 0},
            {"address": "0x1010", "distance": 16, "id": 1, "type": "block", "node": 1},
            {"address": "0x1020", "distance": 16, "id": 3, "type": "direct_call", "node": 1},
        ])
    ],
}
DESCRIPTORS = {
    "schema": "anyprof-probe-descriptors/1",
    "file": LIST["file"],
    "partial": False,
    "sections": [SECTION],
    "descriptors": [
        {"guid": hex(MID), "hash": "0x10001", "function": "mid", "section": 1, "offset": 0},
        {"guid": hex(MAIN), "hash": "0x20002", "function": "main", "section": 1, "offset": 20},
    ],
}


class Probes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = p.path("probes.elf")
        documents = [p.file(n, json.dumps(d).encode()) for n, d in (("l.json", LIST), ("d.json", DESCRIPTORS))]
        p.command("probes", "emit", "-o", cls.file, *documents)

    def setUp(self):
        self.probes = anyprof.open(self.file)

    def test_iteration(self):
        self.assertEqual((len(self.probes), self.probes.info.n_nodes), (3, 2))
        self.assertEqual([(x.number, x.id, x.type, x.node) for x in self.probes],
                         [(0, 1, 0, 0), (1, 1, 0, 1), (2, 3, anyprof.ProbeType.DIRECT_CALL, 1)])
        self.assertEqual({f.name: f.hash for f in self.probes.functions()}, {"mid": 0x10001, "main": 0x20002})
        self.assertEqual([(n.guid, n.parent, n.depth) for n in self.probes.nodes()], [(MAIN, None, 0), (MID, 0, 1)])

    def test_searches(self):
        self.assertEqual(self.probes.name(MID), "mid")
        self.assertIsNone(self.probes.name(1))
        self.assertIsNone(self.probes.start(1))
        self.assertEqual(self.probes.find_functions("mid"), [MID])
        self.assertEqual(self.probes.find_functions("nothing"), [])
        self.assertEqual([n.depth for n in self.probes.find_nodes(MID)], [1])
        self.assertEqual([(f.name, f.call_probe) for f in self.probes.frames(2)], [("main", 2)])
        self.assertEqual(self.probes.frames(0), [])
        self.assertEqual((self.probes.node(1).guid, self.probes[2].id, self.probes[-1].id), (MID, 3, 3))
        addresses = [x.address for x in self.probes if x.address is not None]
        for low, high in ((0, 2**64 - 1), (0x1010, 0x1011), (5, 5), (2**64 - 1, 0)):
            self.assertEqual([x.address for x in self.probes.find_range(low, high)],
                             sorted(a for a in addresses if low <= a < high))
        for use in (lambda: self.probes.frames(3), lambda: self.probes.node(2), lambda: self.probes[3]):
            with self.assertRaises(IndexError):
                use()

    def test_lookup(self):
        """Of a program that a compiler has made; the one of the other tests has no code."""
        compiler = next((c for c in ("clang-22", "clang-19", "clang-16") if shutil.which(c)), None)
        if not compiler:
            self.skipTest("no clang")
        source, program = p.file("x.c", b"int main(int n, char **v) { return n > 3 ? 2 : !v; }\n"), p.path("x")
        subprocess.run([compiler, "-O1", "-g", "-fpseudo-probe-for-profiling", "-o", program, source], check=True)
        with anyprof.open(program) as probes:
            start = probes.start(MAIN)
            ours = probes.lookup([start, start + 1])
            self.assertEqual(ours, json.loads(p.command("probes", "lookup", "--json", program, hex(start),
                                                        hex(start + 1))))
            self.assertEqual(ours["addresses"][0]["symbol"], "main")
            self.assertEqual(probes.lookup(start)["addresses"], ours["addresses"][:1])
            with self.assertRaises(OverflowError):
                probes.lookup(-1)

    def test_closed(self):
        iterators = [iter(self.probes), self.probes.functions(), self.probes.nodes()]
        self.probes.close()
        self.probes.close()
        uses = [lambda i=i: next(i) for i in iterators]
        uses += [lambda: len(self.probes), lambda: self.probes[0], lambda: self.probes.frames(0),
                 lambda: self.probes.find_range(0, 1), lambda: self.probes.name(1), lambda: self.probes.lookup([1]),
                 self.probes.functions, self.probes.__enter__, lambda: self.probes.info]
        for use in uses:
            with self.assertRaises(ValueError):
                use()

    def test_kinds(self):
        for kind in ("instr", "sample", "bat"):
            with self.assertRaises(anyprof.Error):
                anyprof.open(self.file, kind)
        with self.assertRaises(ValueError):
            anyprof.open(self.file, "elf")
        with self.assertRaises(anyprof.Error) as caught:
            anyprof.open(sys.executable)
        self.assertEqual(caught.exception.code, anyprof.Code.UNSUPPORTED)


# Two hot fragments and a cold one of the first. Entries are (output, input, branch, hash, block).
FRAGMENTS = [
    {"cold": False, "address": 0x2000, "hash": 7, "blocks": 3, "secondary": [], "skew": 0,
     "entries": [(0, 0, False, 11, 0), (8, 16, False, 12, 1), (12, 20, True, 0, 0)]},
    {"cold": False, "address": 0x3000, "hash": 9, "blocks": 1, "secondary": [], "skew": 0,
     "entries": [(0, 0, False, 13, 0)]},
    {"cold": True, "address": 0x8000, "hot": 0, "secondary": [], "skew": 32, "entries": [(0, 32, False, 14, 2)]},
]
TABLE = _bat.note(_bat.encode(FRAGMENTS))


class Bat(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = [TABLE]
        for data in p.pack("bat"):
            for contents in (data, data[1:]):
                try:
                    with anyprof.open(anyprof.Contents(contents), "bat") as opened:
                        if len(opened) and opened.info.n_entries:
                            cls.tables.append(contents)
                except anyprof.Error:
                    pass

    def test_table(self):
        with anyprof.open(p.file("table.bat", TABLE)) as opened:
            self.assertIsInstance(opened, anyprof.BatTable)
            info = opened.info
            self.assertEqual((len(opened), info.n_hot, info.n_cold, info.n_entries), (3, 2, 1, 5))
            self.assertEqual(info.encoding, anyprof.BatEncoding.CURRENT)
            self.assertEqual([(f.address, f.is_cold, f.function, f.hash) for f in opened],
                             [(0x2000, False, 0, 7), (0x3000, False, 1, 9), (0x8000, True, 0, 0)])
            self.assertEqual([(e.output, e.input, e.block, e.flags, e.hash) for e in opened.entries(0)],
                             [(0, 0, 0, 0, 11), (8, 16, 1, 0, 12), (12, 20, 0, anyprof.BatEntryFlag.BRANCH, 0)])
            places = opened.translate([0x2009, 0x8004, 0x1000])
            self.assertEqual([(x.function, x.offset) for x in places], [(0, 17), (0, 36), (None, 0)])
            self.assertEqual(places[2].flags, anyprof.BatPlaceFlag.OUTSIDE)
            self.assertEqual(opened.translate(0x200e, branch_source=True).offset, 20)
            self.assertEqual([(x.address, x.fragment) for x in opened.reverse(0, 32)], [(0x8000, 2)])

    def test_as_the_command(self):
        for number, contents in enumerate(self.tables[:20]):
            path = p.file(f"{number}.bat", contents)
            addresses = []
            with anyprof.open(path, "bat") as opened:
                for fragment in opened:
                    addresses += [fragment.address, (fragment.address + 5) % 2**64]
                places = opened.translate(addresses)
                self.assertEqual([x.address for x in places], addresses)
                self.assertEqual([tuple(opened.translate(a)) for a in addresses], [tuple(x) for x in places])
                self.assertEqual(opened.translate(array.array("Q", addresses)), places)
                self.assertEqual(opened.translate([]), [])
            theirs = p.command("bat", "translate", "--json", path, *[hex(a) for a in addresses])
            rows = json.loads(theirs)["places"]
            self.assertEqual(len(rows), len(places))
            for ours, row in zip(places, rows):
                self.assertEqual((ours.fragment, ours.function), (row["fragment"], row["function"]))
                if row["offset"] is not None:
                    self.assertEqual(ours.offset, row["offset"])

    def test_tables(self):
        for contents in self.tables:
            with anyprof.open(anyprof.Contents(contents), "bat") as opened:
                self.assertEqual(len(list(opened)), len(opened))
                total = 0
                for i, fragment in enumerate(opened):
                    entries = opened.entries(i)
                    total += len(entries)
                    self.assertEqual(tuple(opened[i]), tuple(fragment))
                    if not fragment.is_cold:
                        for entry in entries[:5]:
                            for place in opened.reverse(i, entry.input):
                                self.assertIsInstance(place, anyprof.BatPlace)
                self.assertEqual(total, opened.info.n_entries)
                self.assertEqual(opened.find_named("nothing"), [])
                self.assertIsNone(opened.find_function(0x1234))
                for use in (lambda: opened[len(opened)], lambda: opened.entries(2**40),
                            lambda: opened.reverse(2**32 - 1, 0)):
                    with self.assertRaises(IndexError):
                        use()

    def test_arguments(self):
        opened = anyprof.open(anyprof.Contents(self.tables[0]), "bat")
        for bad in ([-1], [2**64], -1, 2**64):
            with self.assertRaises(OverflowError):
                opened.translate(bad)
        for bad in (["1"], [1.5], "abc", None):
            with self.assertRaises(TypeError):
                opened.translate(bad)
        with self.assertRaises(anyprof.Error):
            opened.read_original(p.IR[0])
        with self.assertRaises(FileNotFoundError):
            opened.read_original(p.path("missing"))
        opened.close()
        for use in (lambda: opened.translate([1]), lambda: len(opened), lambda: opened.entries(0),
                    lambda: opened.reverse(0, 0), lambda: opened.info, lambda: opened.read_original(p.IR[0])):
            with self.assertRaises(ValueError):
                use()


if __name__ == "__main__":
    p.main()
