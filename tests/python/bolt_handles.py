#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of BOLT that are closed, used by several threads or in other wrong ways, and what outlives them."""

import copy
import gc
import os
import pickle
import sys
import threading
import time
import unittest

import _package as p
from _bolt_texts import FDATA, FUNCTIONS, YAML, yaml

import anyprof


def uses(profile):
    """Everything that needs an open profile."""
    common = [lambda: len(profile), lambda: iter(profile), lambda: profile.info, profile.write, profile.__enter__]
    if isinstance(profile, anyprof.FdataProfile):
        return common + [lambda: profile[0]]
    return common + [lambda: profile["main"], lambda: "main" in profile, lambda: profile.function(3),
                     lambda: profile.header]


class Misuse(unittest.TestCase):
    def test_closed(self):
        for text in (FDATA, YAML):
            profile = anyprof.open(anyprof.Contents(text))
            iterator = iter(profile)
            record, info = next(iterator), profile.info
            expected = repr([record, info])
            for use in uses(profile):
                use()
            profile.close()
            profile.close()
            self.assertTrue(profile.closed)
            self.assertTrue(profile)
            self.assertIn("closed", repr(profile))
            for use in [*uses(profile), lambda iterator=iterator: next(iterator)]:
                with self.assertRaisesRegex(ValueError, "is closed"):
                    use()
            # Rows are copies, which outlive the profile.
            del profile, iterator
            gc.collect()
            self.assertEqual(repr([record, info]), expected)
            again = pickle.loads(pickle.dumps(record))
            self.assertEqual((type(again), again), (type(record), record))

    def test_iterator_outlives_the_name(self):
        """An iterator keeps its profile."""
        for text, n in ((FDATA, 5), (YAML, 2)):
            iterator = iter(anyprof.open(anyprof.Contents(text)))
            gc.collect()
            self.assertEqual(len(list(iterator)), n)

    def test_context_manager(self):
        for text in (FDATA, YAML):
            with anyprof.open(anyprof.Contents(text)) as profile:
                pass
            self.assertTrue(profile.closed)
            with self.assertRaises(ValueError):
                with anyprof.open(anyprof.Contents(text)) as profile:
                    for _ in profile:
                        profile.close()

    def test_no_copies(self):
        for text in (FDATA, YAML):
            profile = anyprof.open(anyprof.Contents(text))
            for thing in (profile, iter(profile)):
                with self.assertRaises((TypeError, pickle.PicklingError)):
                    pickle.dumps(thing)
                with self.assertRaises(TypeError):
                    copy.copy(thing)

    def test_arguments(self):
        for text in (FDATA, YAML):
            profile = anyprof.open(anyprof.Contents(text))
            for bad in (1, 1.5, bytearray(b"x"), object()):
                with self.assertRaises(TypeError):
                    profile.write(bad)
                with self.assertRaises(TypeError):
                    profile._write(bad)
            for bad in ("", "a\0b"):
                with self.assertRaises(ValueError):
                    profile.write(bad)
            with self.assertRaises(TypeError):
                profile.write(None, None)
        with self.assertRaises(TypeError):
            anyprof.open(anyprof.Contents(FDATA))["main"]

    def test_closing_in_a_finalizer(self):
        """The collector of garbage may run at any allocation, and close what is being read."""
        for text in (FDATA, YAML):
            profile = anyprof.open(anyprof.Contents(text))

            class Closer:
                def __init__(self):
                    self.me = self

                def __del__(self):
                    try:
                        profile.close()  # pylint: disable=cell-var-from-loop
                    except RuntimeError:
                        pass

            before = gc.get_threshold()
            try:
                gc.set_threshold(1)
                for _ in range(100):
                    Closer()
                    try:
                        repr([use() for use in uses(profile)])
                        self.assertIn(len(list(profile)), (2, 5))
                    except ValueError:
                        profile = anyprof.open(anyprof.Contents(text))
            finally:
                gc.set_threshold(*before)

    def test_references(self):
        for text, kind in ((FDATA, anyprof.FdataRecord), (YAML, anyprof.BoltYamlFunction)):
            profile = anyprof.open(anyprof.Contents(text))
            before, before_kind = sys.getrefcount(profile), sys.getrefcount(kind)
            rows = [list(profile) for _ in range(10)]
            self.assertEqual(sys.getrefcount(kind), before_kind + 10 * len(profile))
            del rows
            self.assertEqual((sys.getrefcount(profile), sys.getrefcount(kind)), (before, before_kind))


class Threads(unittest.TestCase):
    def test_one_at_a_time(self):
        """Another use is refused while one works without the lock, and never a crash; afterwards all is as before."""
        text = b"".join(b"1 f%d 0 1 g%d %x 0 1\n" % (i % 97, i % 89, i) for i in range(20000))
        functions = "".join(FUNCTIONS.replace("work", f"w{i}").replace("main", f"m{i}")
                            .replace("fid:             7", f"fid:             {2 * i + 8}")
                            .replace("fid:             3", f"fid:             {2 * i + 9}") for i in range(1000))
        for source in (text, yaml(functions=functions)):
            profile = anyprof.open(anyprof.Contents(source))
            expected, n, failures = profile.write(), len(profile), []
            good, refused = [], []

            def use(profile=profile, expected=expected, n=n, failures=failures, good=good, refused=refused):
                for _ in range(10):
                    try:
                        if profile.write() != expected or sum(1 for _ in profile) != n:
                            failures.append("another profile")
                        good.append(1)
                    except RuntimeError as error:
                        refused.append(str(error))
                    except BaseException as error:  # pylint: disable=broad-exception-caught
                        failures.append(repr(error))

            threads = [threading.Thread(target=use) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            self.assertGreater(len(good), 0)
            self.assertTrue(all("another thread" in words for words in refused))
            self.assertEqual(profile.write(), expected)
            profile.close()

    def test_closing_while_writing(self):
        """A profile that a call is writing is not closed."""
        for source in (FDATA, YAML):
            profile, name = anyprof.open(anyprof.Contents(source)), p.path("fifo")
            os.mkfifo(name)
            # The writer waits in the library, without the lock, until the pipe is opened for reading.
            writer = threading.Thread(target=profile.write, args=(name,), daemon=True)
            writer.start()
            refused = None
            for _ in range(60000):  # until the writer has begun
                try:
                    len(profile)
                except RuntimeError as error:
                    refused = error
                    break
                time.sleep(0.001)
            self.assertIsNotNone(refused)
            for use in [*uses(profile), profile.close]:
                with self.assertRaisesRegex(RuntimeError, "another thread"):
                    use()
            with open(name, "rb") as f:
                data = f.read()
            writer.join()
            self.assertEqual(data, profile.write())
            profile.close()
            os.unlink(name)


if __name__ == "__main__":
    p.main()
