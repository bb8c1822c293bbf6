#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instrumentation profiles: records, counts as buffers, values, searches, summaries, text and JSON."""

import json
import os
import unittest

import _package as p

import anyprof

try:
    import numpy
except ImportError:
    numpy = None

ODD = b"odd\xff\xfe\nname".replace(b"\n", b"_")


class Records(unittest.TestCase):
    def setUp(self):
        self.profile = anyprof.open(anyprof.Contents(p.TEXT, "text"))
        self.addCleanup(lambda: self.profile.closed or self.profile.close())

    def test_iteration(self):
        self.assertEqual([r.name for r in self.profile], ["twice", "twice", "targets"])
        self.assertEqual(len(self.profile), 3)
        self.assertEqual([list(r.counts) for r in self.profile], [[5, 7], [9], [100]])
        self.assertEqual([r.hash for r in self.profile], [1, 2, 3])

    def test_iterator_ends_once(self):
        iterator = iter(self.profile)
        list(iterator)
        self.assertEqual(list(iterator), [])

    def test_search(self):
        record = self.profile["targets"]
        self.assertEqual((record.name, record.hash, record.id), ("targets", 3, anyprof.name_id("targets")))
        self.assertIn("targets", self.profile)
        self.assertIn(b"targets", self.profile)
        self.assertNotIn("target", self.profile)
        self.assertEqual([r.hash for r in self.profile.find_all("twice")], [1, 2])
        self.assertEqual(self.profile.find_all("none"), [])
        self.assertEqual(list(self.profile.find("twice", 2).counts), [9])

    def test_search_fails(self):
        with self.assertRaises(KeyError):
            self.profile["none"]
        with self.assertRaisesRegex(LookupError, "2 records"):
            self.profile["twice"]
        with self.assertRaises(anyprof.UnknownFunctionError) as caught:
            self.profile.find("twice", 3)
        self.assertEqual(caught.exception.code, anyprof.Code.HASH_MISMATCH)
        self.assertIsInstance(caught.exception, KeyError)
        with self.assertRaises(anyprof.UnknownFunctionError) as caught:
            self.profile.find("none", 3)
        self.assertEqual(caught.exception.code, anyprof.Code.UNKNOWN_FUNCTION)

    def test_values(self):
        sites = self.profile["targets"].sites(anyprof.ValueKind.INDIRECT_CALL)
        self.assertEqual([[(v.value, v.count) for v in site] for site in sites],
                         [[(anyprof.name_id("twice"), 60), (anyprof.name_id("unknown_function"), 40)]])
        self.assertEqual(self.profile.name(sites[0][0].value), "twice")
        self.assertIsNone(self.profile.name(12345))
        self.assertEqual(self.profile["targets"].sites(anyprof.ValueKind.MEMOP_SIZE), [])
        for kind in (3, 2**32 - 1):
            with self.assertRaises(ValueError):
                self.profile["targets"].sites(kind)

    def test_info(self):
        info = self.profile.info
        self.assertEqual((info.format, info.n_records, info.n_counters), (anyprof.InstrFormat.TEXT, 3, 4))
        self.assertEqual(anyprof.Variant(info.variant), anyprof.Variant.IR)
        raw = anyprof.open(p.IR[5]).info
        self.assertEqual((raw.format, raw.version, raw.pointer_bits, raw.big_endian), (1, 10, 64, False))
        self.assertEqual(len(raw.binary_ids[0]), 20)
        self.assertEqual(anyprof.releases(raw.producers)[-1], "22")

    def test_names_that_are_no_utf8(self):
        with anyprof.open(anyprof.Contents(p.TEXT + ODD + b"\n1\n1\n5\n\n")) as profile:
            name = ODD.decode("utf-8", "surrogateescape")
            self.assertEqual([r.name for r in profile][-1], name)
            self.assertEqual(profile[name].name.encode("utf-8", "surrogateescape"), ODD)
            self.assertEqual(profile[ODD].hash, 1)
            self.assertIn("odd\\udcff\\udcfe_name", repr(profile[name]))

    def test_summary(self):
        summary = self.profile.summary()
        self.assertEqual((summary.n_functions, summary.max_count, summary.total_count), (3, 100, 121))
        self.assertEqual(self.profile.summary(anyprof.SummaryScope.CS).n_functions, 0)
        with self.assertRaises(ValueError):
            self.profile.summary(7)

    def test_text_and_json(self):
        text = self.profile.write_text()
        with anyprof.open(anyprof.Contents(text)) as again:
            self.assertEqual([(r.name, r.hash, list(r.counts)) for r in again],
                             [(r.name, r.hash, list(r.counts)) for r in self.profile])
        document = json.loads(self.profile.write_json())
        self.assertEqual(document["schema"], "anyprof-profile/1")
        out = p.path("out.json")
        self.assertIsNone(self.profile.write_json(out))
        self.assertEqual(json.loads(p.read(out)), document)
        p.command("convert", "-o", p.path("theirs.json"), p.file("in.proftext", p.TEXT))
        self.assertEqual(p.read(out), p.read(p.path("theirs.json")))

    def test_all_kinds_of_paths(self):
        class Path:
            def __fspath__(self):
                return p.IR[0]

        for source in (p.IR[0], p.IR[0].encode(), Path()):
            with anyprof.open(source) as profile:
                self.assertEqual(profile.source, p.IR[0])
                self.assertEqual(profile.info.version, 7)

    def test_minus_is_a_file(self):
        p.file("-", p.TEXT)
        before = os.getcwd()
        os.chdir(p.TEMPORARY)
        try:
            with anyprof.open("-") as profile:
                self.assertEqual(len(profile), 3)
        finally:
            os.chdir(before)

    def test_pipe(self):
        reader, writer = os.pipe()
        with open(writer, "wb") as f:
            f.write(p.TEXT)
        with open(reader, "rb"), anyprof.open(f"/dev/fd/{reader}") as profile:
            self.assertEqual(len(profile), 3)

    def test_endless(self):
        """Of a pipe or a device, no more is read than the limit allows."""
        with self.assertRaises(anyprof.Error) as caught:
            anyprof.open("/dev/zero", max_bytes=100000)
        self.assertEqual(caught.exception.code, anyprof.Code.LIMIT)
        reader, writer = os.pipe()
        with open(writer, "wb", buffering=0) as f:
            f.write(bytes(20000))
            with open(reader, "rb"), self.assertRaises(anyprof.Error) as caught:
                anyprof.open(f"/dev/fd/{reader}", max_bytes=10000)  # the writer is open: it would wait for the end
            self.assertEqual((caught.exception.found, caught.exception.expected), (10001, 10000))

    def test_salvage(self):
        text = p.TEXT[:-30]
        with self.assertRaises(anyprof.Error) as caught:
            anyprof.open(anyprof.Contents(text))
        with anyprof.open(anyprof.Contents(text), salvage=True) as profile:
            self.assertEqual(profile.salvage.functions, len(profile))
            self.assertEqual(profile.salvage.error.code, caught.exception.code)
        self.assertIsNone(self.profile.salvage)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.profile = anyprof.open(anyprof.Contents(p.TEXT, "text"))
        self.counts = self.profile.find("twice", 1).counts

    def test_sequence(self):
        counts = self.counts
        self.assertEqual((len(counts), counts[0], counts[1], counts[-1], counts[-2]), (2, 5, 7, 7, 5))
        self.assertEqual((counts[:], counts[::-1], counts[1:], counts[5:]), ([5, 7], [7, 5], [7], []))
        self.assertEqual((sum(counts), max(counts), list(reversed(counts)), 7 in counts), (12, 7, [7, 5], True))
        self.assertEqual(counts, [5, 7])
        self.assertEqual(counts, (5, 7))
        self.assertEqual(counts, self.profile.find("twice", 1).counts)
        self.assertNotEqual(counts, [5])
        self.assertNotEqual(counts, "57")
        self.assertEqual(repr(counts), "anyprof.Array([5, 7])")
        for index in (2, -3, 2**70):
            with self.assertRaises(IndexError):
                counts[index]
        with self.assertRaises(TypeError):
            counts["0"]
        with self.assertRaises(TypeError):
            hash(counts)

    def test_buffer(self):
        view = memoryview(self.counts)
        self.assertEqual((view.format, view.itemsize, view.shape, view.strides, view.readonly, view.ndim),
                         ("Q", 8, (2,), (8,), True, 1))
        self.assertEqual(view.tolist(), [5, 7])
        self.assertEqual(bytes(view), (5).to_bytes(8, "little") + (7).to_bytes(8, "little"))
        with self.assertRaises(TypeError):
            view[0] = 1
        with self.assertRaises(BufferError):
            self.profile.close()
        view.release()
        self.profile.close()
        self.assertTrue(self.profile.closed)
        with self.assertRaises(BufferError):
            memoryview(self.counts)

    def test_buffer_keeps_profile(self):
        view = memoryview(self.counts)
        del self.profile, self.counts
        self.assertEqual(view.tolist(), [5, 7])

    def test_with_and_buffer(self):
        with self.assertRaises(BufferError), self.profile:
            view = memoryview(self.counts)
        self.assertEqual(view.tolist(), [5, 7])
        del view
        self.profile.close()

    def test_empty_and_bytes(self):
        empty = self.profile["targets"].bitmap
        self.assertEqual((len(empty), memoryview(empty).tolist(), memoryview(empty).format), (0, [], "B"))
        self.assertEqual(memoryview(self.profile["targets"].uniform).nbytes, 0)
        raw = anyprof.open(os.path.join(p.PROFILES, "clang-22-fe.profraw"))
        self.assertTrue(all(memoryview(r.bitmap).tolist() == list(r.bitmap) for r in raw))

    def test_writable_is_refused(self):
        with self.assertRaises((TypeError, BufferError)):
            memoryview(self.counts)[0:1] = b"12345678"
        with open(os.devnull, "rb") as f, self.assertRaises((TypeError, BufferError)):
            f.readinto(self.counts)

    @unittest.skipIf(numpy is None, "no numpy")
    def test_numpy(self):
        array = numpy.asarray(self.counts)
        self.assertEqual((array.dtype, array.tolist(), array.flags.writeable, array.flags.owndata),
                         (numpy.uint64, [5, 7], False, False))
        # No copy: the array is at the address of the profile's memory.
        again = numpy.asarray(self.profile.find("twice", 1).counts)
        self.assertEqual(array.__array_interface__["data"][0], again.__array_interface__["data"][0])
        with self.assertRaises(BufferError):
            self.profile.close()
        del array, again
        self.profile.close()

    @unittest.skipIf(numpy is None, "no numpy")
    def test_numpy_outlives(self):
        array = numpy.asarray(self.counts)
        del self.profile, self.counts
        self.assertEqual(int(array.sum()), 12)


if __name__ == "__main__":
    p.main()
