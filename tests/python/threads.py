#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads: the interpreter's lock is released in long work, profiles are read by several threads, and a handle that is
in use is not closed or used by another thread."""

import threading
import unittest

import _package as p

import anyprof


def together(*works):
    """Runs functions at the same time; raises what one of them has raised."""
    failures = []

    def run(work):
        try:
            work()
        except BaseException as error:  # pylint: disable=broad-exception-caught
            failures.append(error)

    threads = [threading.Thread(target=run, args=(w,)) for w in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Threads(unittest.TestCase):
    def test_lock_is_released(self):
        """While a merge works, another thread gets through its own merges: the callbacks of the two alternate."""
        first, second = threading.Event(), threading.Event()
        inputs = [anyprof.Contents(p.TEXT, str(i)) for i in range(70)]

        def wait_for(mine, other):
            def progress(_):
                mine.set()
                # The other merge must begin while this one has not ended.
                self.assertTrue(other.wait(60))

            return lambda: anyprof.merge(inputs, on_progress=progress)

        together(wait_for(first, second), wait_for(second, first))

    def test_pure_python_runs(self):
        """A thread of Python code makes progress during one call of the library."""
        inputs = [anyprof.Contents(p.TEXT, str(i)) for i in range(3000)]
        ran, stop = threading.Event(), threading.Event()

        def count():
            while not stop.is_set():
                ran.set()

        def work():
            try:
                while not ran.is_set():
                    anyprof.merge(inputs)
            finally:
                stop.set()

        together(count, work)

    def test_one_profile(self):
        """Several threads read one profile, and one makes the index for searches."""
        profile = anyprof.open(p.IR[5])
        expected = [(r.name, r.counts.tolist()) for r in profile]

        def read():
            for _ in range(20):
                self.assertEqual([(r.name, r.counts.tolist()) for r in profile], expected)
                self.assertEqual([profile[name].counts.tolist() for name, _ in expected], [c for _, c in expected])
                profile.summary()
                profile.write_text()
                anyprof.diff(profile, profile)
                anyprof.overlap(profile, profile)

        together(read, read, read)

    def test_closing_meanwhile(self):
        """A profile is closed by another thread: each use works, or raises ValueError, or refuses to close."""
        for source in (p.IR[5], p.SAMPLES[0]):
            for _ in range(30):
                profile = anyprof.open(source)

                def use(profile=profile):
                    try:
                        for _ in range(10):
                            anyprof.diff(profile, profile)
                            profile.write_json()
                            for thing in profile:
                                repr(thing)
                    except ValueError:
                        pass

                def close(profile=profile):
                    while not profile.closed:
                        try:
                            profile.close()
                        except RuntimeError:
                            pass

                together(use, use, close)

    def test_exclusive_handles(self):
        """A BAT table is used by one thread at a time; another use is refused, not a crash."""
        import probes_and_bat  # pylint: disable=import-outside-toplevel

        table = anyprof.open(anyprof.Contents(probes_and_bat.TABLE))
        addresses = [0x2000 + i % 0x7000 for i in range(20000)]
        refused = []

        def use():
            for _ in range(5):
                try:
                    places = table.translate(addresses)
                    self.assertEqual(len(places), len(addresses))
                except RuntimeError as error:
                    self.assertIn("another thread", str(error))
                    refused.append(error)

        together(use, use, use)
        self.assertLess(len(refused), 15)
        table.close()

    def test_use_in_a_callback(self):
        """A callback may open and merge other things."""
        def nested(_):
            anyprof.merge([anyprof.Contents(p.TEXT)])
            anyprof.open(p.IR[0]).close()

        result = anyprof.merge([anyprof.Contents(p.TEXT)], on_progress=nested)
        self.assertEqual(result.totals.n_merged, 1)


if __name__ == "__main__":
    p.main()
