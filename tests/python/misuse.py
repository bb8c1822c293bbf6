#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nothing that Python code does crashes the interpreter: objects after closing, wrong types, odd numbers and paths,
hostile files, and the module in C called directly."""

import copy
import gc
import itertools
import os
import pickle
import threading
import unittest
import warnings

import _package as p

import anyprof
from anyprof import _anyprof

OPTIONS = (1, 0, 0, 0, 0, None, None)
ODD_VALUES = [None, True, 0, -1, 2**31, 2**32, 2**64 - 1, 2**64, -2**70, 1.5, float("nan"), "", "x", "\0", "\udcff",
              "\ud800", b"", b"x", b"\0", bytearray(b"x"), memoryview(b"x"), [], [None], (), (None,), ((),), {},
              object(), int, len, OPTIONS]


class Text:
    """An object that says it is everything, and raises."""

    def __fspath__(self):
        raise ZeroDivisionError

    def __index__(self):
        raise ZeroDivisionError

    def __bool__(self):
        raise ZeroDivisionError

    def __len__(self):
        raise ZeroDivisionError


class Closed(unittest.TestCase):
    def test_after_closing(self):
        profile = anyprof.open(anyprof.Contents(p.TEXT))
        record, iterator = profile["targets"], iter(profile)
        counts, counts_iterator = record.counts, iter(record.counts)
        next(iterator)
        profile.close()
        profile.close()
        uses = [lambda: next(iterator), lambda: next(counts_iterator), lambda: len(counts), lambda: counts[0],
                lambda: counts[:], counts.tolist, lambda: counts == [1], lambda: record.sites(0), lambda: len(profile),
                lambda: iter(profile), lambda: profile["x"], lambda: "x" in profile, lambda: profile.find("x", 1),
                lambda: profile.find_all("x"), lambda: profile.name(1), lambda: profile.info, lambda: profile.salvage,
                profile.summary, profile.write_text, profile.write_json, profile.__enter__]
        uses += [lambda name=name: getattr(record, name) for name in dir(record) if not name.startswith("_")
                 and name != "sites"]
        for use in uses:
            with self.assertRaises(ValueError):
                use()
        for thing in (profile, record, counts):
            self.assertIn("closed", repr(thing))
        self.assertTrue(profile.closed)

    def test_closing_while_iterating(self):
        profile = anyprof.open(p.IR[5])
        with self.assertRaises(ValueError):
            for _ in profile:
                profile.close()

    def test_closing_in_a_callback(self):
        """A profile cannot be closed while a call uses it: here by what a buffer's contents do."""
        profile = anyprof.open(anyprof.Contents(p.TEXT))

        class Name(str):
            def encode(self, *args):
                profile.close()
                return super().encode(*args)

        self.assertEqual(len(profile.find_all(Name("targets"))), 1)

        class Number:
            def __index__(self):
                profile.close()
                return 3

        with self.assertRaises(ValueError):
            profile.find("targets", Number())
        with self.assertRaises(ValueError):
            profile.name(Number())

    def test_closing_in_a_finalizer(self):
        """The collector of garbage may run at any allocation, and close what is being read."""
        profile = anyprof.open(anyprof.Contents(p.TEXT))

        class Closer:
            def __init__(self):
                self.me = self

            def __del__(self):
                try:
                    profile.close()
                except (RuntimeError, BufferError):
                    pass

        before = gc.get_threshold()
        try:
            gc.set_threshold(1)
            for _ in range(50):
                Closer()
                try:
                    self.assertIn(len(profile["targets"].sites(0)), (0, 1))
                    self.assertTrue(profile.info)
                    self.assertTrue(profile.summary().rows)
                except ValueError:
                    profile = anyprof.open(anyprof.Contents(p.TEXT))
        finally:
            gc.set_threshold(*before)


class Types(unittest.TestCase):
    def test_no_instances(self):
        for name in ("Array", "Record", "InstrProfile", "Function", "SampleProfile", "Probes", "BatTable",
                     "FdataProfile", "BoltYamlProfile"):
            kind = getattr(anyprof, name)
            with self.assertRaises(TypeError):
                kind()
            with self.assertRaises(TypeError):
                kind.__new__(kind)
            with self.assertRaises(TypeError):
                object.__new__(kind)
            with self.assertRaises(TypeError):
                type("Sub", (kind,), {})
            with self.assertRaises(TypeError):
                kind.close = None
            self.assertTrue(kind.__doc__)

    def test_no_copies(self):
        profile = anyprof.open(anyprof.Contents(p.TEXT))
        sample = anyprof.open(p.SAMPLES[0])
        for thing in (profile, profile["targets"], profile["targets"].counts, iter(profile), sample, sample["main"]):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.assertRaises((TypeError, pickle.PicklingError)):
                    pickle.dumps(thing, protocol)
            with self.assertRaises((TypeError, copy.Error)):
                copy.copy(thing)
            with self.assertRaises((TypeError, copy.Error)):
                copy.deepcopy(thing)

    def test_rows(self):
        """Plain results are tuples that can be pickled, and outlive their profile."""
        with anyprof.open(anyprof.Contents(p.TEXT)) as profile:
            rows = [profile.info, profile.summary(), profile["targets"].sites(0)[0][0]]
        for row in rows:
            again = pickle.loads(pickle.dumps(row))
            self.assertEqual((type(again), tuple(again)), (type(row), tuple(row)))
        for name in anyprof.__all__:
            self.assertTrue(getattr(anyprof, name).__doc__, name)

    def test_documented(self):
        for kind in (anyprof.Array, anyprof.Record, anyprof.InstrProfile, anyprof.Function, anyprof.SampleProfile,
                     anyprof.Probes, anyprof.BatTable, anyprof.FdataProfile, anyprof.BoltYamlProfile):
            for name, member in vars(kind).items():
                if not name.startswith("_"):
                    self.assertTrue(member.__doc__, f"{kind.__name__}.{name}")


class Arguments(unittest.TestCase):
    def test_paths(self):
        for bad in ("a\0b", b"a\0b", "", b""):
            for use in (anyprof.open, anyprof.merge, anyprof.detect):
                with self.assertRaises(ValueError):
                    use(bad)
        for bad in (None, 1, 1.5, bytearray(b"x"), memoryview(b"x"), object()):
            with self.assertRaises(TypeError):
                anyprof.open(bad)
        with self.assertRaises(ZeroDivisionError):
            anyprof.open(Text())
        with self.assertRaises(ValueError):
            anyprof.merge(p.IR[0], "a\0b")
        with self.assertRaises(OSError):
            anyprof.open("x" * 5000)
        with self.assertRaises(FileNotFoundError):
            anyprof.open("\udcff\udcfe")
        with self.assertRaises(UnicodeEncodeError):
            anyprof.open("\ud800")

    def test_contents(self):
        for bad in (None, 1, "text", object(), [1]):
            with self.assertRaises(TypeError):
                anyprof.open(anyprof.Contents(bad))
        with self.assertRaises(ValueError):
            anyprof.open(anyprof.Contents(p.TEXT, "a\0b"))
        data = bytearray(p.TEXT)
        with anyprof.open(anyprof.Contents(data)) as profile:
            data.extend(bytes(100000))
            data[:] = bytes(len(data))
            self.assertEqual(list(profile["targets"].counts), [100])
        self.assertEqual(len(anyprof.open(anyprof.Contents(memoryview(p.TEXT)[:]))), 3)
        every_second = b"".join(p.TEXT[i:i + 1] + b"x" for i in range(len(p.TEXT)))
        self.assertEqual(len(anyprof.open(anyprof.Contents(memoryview(every_second)[::2]))), 3)

    def test_contents_that_change(self):
        """Contents that change while the library reads are those of before."""
        text = p.TEXT + p.TEXT[4:] * 50
        data, stop = bytearray(text), threading.Event()

        def change():
            while not stop.is_set():
                data[:] = bytes(len(text))
                data[:] = text

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(50):
                try:
                    profile = anyprof.merge([anyprof.Contents(data)], on_finding=str).profile
                    self.assertEqual(profile["targets"].counts[0] % 100, 0)
                except (anyprof.Error, KeyError):
                    pass
        finally:
            stop.set()
            thread.join()

        def grow(_):
            data.append(0)

        data[:] = text
        anyprof.merge([anyprof.Contents(data)], on_progress=grow, on_finding=str)

    def test_numbers(self):
        for options in ({"threads": -1}, {"threads": 2**32}, {"threads": 2**80}, {"max_bytes": 2**64},
                        {"max_bytes": -1}, {"max_records": -5}, {"max_depth": 2**64}):
            with self.subTest(options), self.assertRaises(OverflowError):
                anyprof.open(p.IR[0], **options)
        for options in ({"threads": 1.5}, {"threads": "1"}, {"max_bytes": None}, {"on_finding": 1}):
            with self.subTest(options), self.assertRaises(TypeError):
                anyprof.open(p.IR[0], **options)
        with self.assertRaises(TypeError):
            anyprof.merge(p.IR, on_progress="x")
        profile = anyprof.open(p.IR[0])
        for use in (lambda n: profile.name(n), lambda n: profile.find("main", n), lambda n: profile["main"].sites(n)):
            for bad in (-1, 2**64, 2**90):
                with self.assertRaises(OverflowError):
                    use(bad)
            for bad in (1.5, "1", None):
                with self.assertRaises(TypeError):
                    use(bad)
        for bad in (None, 1, 1.5, [], object(), bytearray(b"x")):
            with self.assertRaises(TypeError):
                profile[bad]
            with self.assertRaises(TypeError):
                profile.find_all(bad)

    def test_odd_names(self):
        profile = anyprof.open(p.IR[0])
        for name in ("", b"", "\0", "a\0b", "\udc80", "x" * 100000, "\U0001f600"):
            self.assertEqual(profile.find_all(name), [])
        with self.assertRaises(UnicodeEncodeError):
            profile["\ud800"]

    def test_module_in_c(self):
        """Every function and method that only the package calls, with everything in every place."""
        names = [n for n in dir(_anyprof) if n[0] != "_" and not isinstance(getattr(_anyprof, n), type)]
        functions = [getattr(_anyprof, n) for n in names]
        things = [anyprof.open(anyprof.Contents(p.TEXT)), anyprof.open(p.SAMPLES[0]),
                  anyprof.open(anyprof.Contents(p.FDATA))]
        methods = [getattr(t, n) for t in things for n in ("_write", "_summary") if hasattr(t, n)]
        item = (None, p.TEXT, None, 1, 0)
        values = [*ODD_VALUES, Text(), *things, (item,), (item, item), item, (p.IR[0].encode(), None, None, 1, 0)]
        called = 0
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(p.TEMPORARY)  # some calls write files of the names among the values
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for function in functions + methods:
                for n in range(4):
                    for args in itertools.product(values, repeat=n) if n < 3 else self.some(values):
                        called += 1
                        try:
                            function(*args)
                        except (TypeError, ValueError, OverflowError, ZeroDivisionError, OSError, BufferError,
                                anyprof.Error, MemoryError, IndexError):
                            pass
        self.assertGreater(called, 10000)

    @staticmethod
    def some(values):
        """Plausible arguments, with one of them replaced by anything."""
        item = (None, p.TEXT, None, 1, 0)
        settings = ("auto", 0, 0, 0, 0, 0, 0, True, False)
        shapes = [((item,), OPTIONS, "x"), ((item,), OPTIONS, "x", 0), ((item,), OPTIONS, "x", 0, 0),
                  ((item,), OPTIONS), ((item,), None, OPTIONS, settings),
                  (((None, p.FDATA, None, 1, 0),), OPTIONS, "x", 1),
                  (((None, p.BOLT_YAML, None, 1, 0),), OPTIONS, "x", 2)]
        for shape in shapes:
            for i, value in itertools.product(range(len(shape)), values):
                yield (*shape[:i], value, *shape[i + 1:])
        for i, value in itertools.product(range(len(settings)), values):
            yield ((item,), None, OPTIONS, (*settings[:i], value, *settings[i + 1:]))
        for i, value in itertools.product(range(5), values):
            yield ((*((*item[:i], value, *item[i + 1:]),),), None, OPTIONS, settings)
        for i, value in itertools.product(range(7), values):
            yield ((item,), (*OPTIONS[:i], value, *OPTIONS[i + 1:]), "x")


class Hostile(unittest.TestCase):
    """Inputs that fuzzing found: each one is refused with an Error, or all of it can be read."""

    MOST = int(os.environ.get("ANYPROF_PYTHON_HOSTILE", "400"))

    def inputs(self, *targets):
        for target in targets:
            found = p.pack(target)
            for data in found[::max(1, len(found) // self.MOST)]:
                yield data
                yield data[1:]  # some targets take options from the first byte

    def opened(self, kind, *targets):
        good = 0
        for data in self.inputs(*targets):
            try:
                with anyprof.open(anyprof.Contents(data), kind, on_finding=str, salvage=kind in ("instr", "sample"),
                                  max_bytes=1 << 24) as thing:
                    good += 1
                    yield thing
            except anyprof.Error as error:
                str(error)
        self.assertGreater(good, 1)

    def test_instr(self):
        for profile in self.opened("instr", "raw", "indexed", "text", "json_profile", "salvage"):
            repr(profile.info)
            for record in itertools.islice(profile, 200):
                repr([getattr(record, n) for n in dir(record) if n[0] != "_"])
                for array in (record.counts, record.bitmap, record.uniform, record.uniformity):
                    self.assertEqual(array.tolist(), memoryview(array).tolist())
                for kind in range(3):
                    for site in record.sites(kind):
                        [profile.name(value.value) for value in site]
                if record.name is not None:
                    self.assertTrue(any(r.hash == record.hash for r in profile.find_all(record.name)))
                    profile.find(record.name, record.hash)
            profile.summary()

    def test_sample(self):
        for profile in self.opened("sample", "sample_text", "sample_binary", "sample_gcc", "sample_json"):
            self.assertEqual(sum(1 for _ in profile), len(profile))
            for function in itertools.islice(profile, 200):
                pending = [function]
                while pending:
                    f = pending.pop()
                    repr([getattr(f, n) for n in dir(f) if n[0] != "_"])
                    pending += f.inlinees
                if function.name is not None:
                    self.assertIn(function.hash, [g.hash for g in profile.find_all(function.name)])

    def test_bat(self):
        for table in self.opened("bat", "bat"):
            for i, fragment in enumerate(itertools.islice(table, 50)):
                table.entries(i)
                table.translate([fragment.address, (fragment.address - 1) % 2**64])
                if fragment.name:
                    table.find_named(fragment.name)


if __name__ == "__main__":
    p.main()
