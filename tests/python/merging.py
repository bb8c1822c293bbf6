#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""merge(): the bytes of `anyprof merge`, what is lost and what is said of it, and how it can be stopped."""

import json
import os
import signal
import threading
import unittest
import warnings

import _package as p

import anyprof
from anyprof import _anyprof

BAD = b"\xfflprofr\x81" + bytes(40)


class Instr(unittest.TestCase):
    def test_bytes_of_the_command(self):
        for name, options, words in (
            ("auto", {}, []),
            ("llvm-16", {"target": "llvm-16"}, ["--for=llvm-16"]),
            ("text", {"format": "text"}, ["--text"]),
            ("sparse", {"sparse": True}, ["--sparse"]),
        ):
            with self.subTest(name):
                ours, theirs = p.path("ours." + name), p.path("theirs." + name)
                result = anyprof.merge(p.IR, ours, **options)
                p.command("merge", *words, "-o", theirs, *p.IR)
                self.assertEqual(p.read(ours), p.read(theirs))
                self.assertEqual((result.totals.n_merged, len(result.inputs), result.profile), (6, 6, None))
                self.assertEqual([i.name for i in result.inputs], p.IR)

    def test_threads_and_order(self):
        for threads in (1, 2, 5):
            anyprof.merge(reversed(p.IR), p.path("threads"), threads=threads)
            anyprof.merge(p.IR, p.path("one"))
            self.assertEqual(p.read(p.path("threads")), p.read(p.path("one")))

    def test_weights(self):
        anyprof.merge(p.IR[:2], p.path("weighted"), weights=[3, 1])
        anyprof.merge([p.IR[0], p.IR[0], p.IR[0], p.IR[1]], p.path("thrice"))
        self.assertEqual(p.read(p.path("weighted")), p.read(p.path("thrice")))
        for weights in ([1], [1, 0], [1, -1], [1, 2, 3]):
            with self.assertRaises(ValueError):
                anyprof.merge(p.IR[:2], p.path("never"), weights=weights)
        with self.assertRaises(OverflowError):
            anyprof.merge(p.IR[:1], p.path("never"), weights=[2**64])
        self.assertFalse(os.path.exists(p.path("never")))

    def test_no_output(self):
        result = anyprof.merge([anyprof.Contents(p.TEXT), anyprof.Contents(p.TEXT, "b")])
        self.assertEqual([i.name for i in result.inputs], ["<memory>", "b"])
        with result.profile as profile:
            self.assertEqual(profile.info.format, anyprof.InstrFormat.MERGED)
            self.assertEqual(list(profile["targets"].counts), [200])
            view = memoryview(profile["targets"].counts)
            with self.assertRaises(BufferError):
                profile.close()
            view.release()
        # A merge's memory lives as long as what points to it.
        view = memoryview(anyprof.merge([anyprof.Contents(p.TEXT)]).profile["targets"].counts)
        self.assertEqual(view.tolist(), [100])

    def test_one_path(self):
        self.assertEqual(anyprof.merge(p.IR[0]).totals.n_merged, 1)
        self.assertEqual(anyprof.merge(anyprof.Contents(p.TEXT)).totals.n_merged, 1)

    def test_directory(self):
        directory = p.path("directory")
        os.makedirs(os.path.join(directory, "deep"))
        for i, path in enumerate(p.IR):
            os.symlink(path, os.path.join(directory, f"link{i}.profraw"))
            with open(os.path.join(directory, "deep", f"{i}.profraw"), "wb") as f:
                f.write(p.read(path))
        with open(os.path.join(directory, "notes.txt"), "w", encoding="ascii") as f:
            f.write("# nothing\n")
        out = os.path.join(directory, "out.profdata")
        for _ in range(2):  # the second time the output is there
            result = anyprof.merge(directory, out)
            self.assertEqual(result.totals.n_merged, 6)
        skipped = result.skipped[directory]
        self.assertEqual((skipped.n_links, skipped.n_others, skipped.n_output), (6, 1, 1))
        anyprof.merge(p.IR, p.path("listed"))
        self.assertEqual(p.read(out), p.read(p.path("listed")))

    def test_many_inputs(self):
        """More than are added at once; the progress is that of all."""
        steps = []
        result = anyprof.merge([anyprof.Contents(p.TEXT, f"n{i}") for i in range(200)], on_progress=steps.append)
        self.assertEqual(list(result.profile["targets"].counts), [20000])
        self.assertEqual((steps[-1].n_done, steps[-1].n_inputs, steps[-1].n_bad), (200, 200, 0))
        done = [s.n_done for s in steps]
        self.assertEqual(done, sorted(done))

    def test_partial(self):
        """A partial profile stands for its inputs, bad ones included."""
        p.command("merge", "--partial", "-o", p.path("whole.part"), *p.IR)
        result = anyprof.merge([p.path("whole.part")] * 70, p.path("from-part"))
        self.assertEqual((result.totals.n_inputs, len(result.inputs)), (420, 420))
        anyprof.merge(p.IR * 70, p.path("from-files"))
        self.assertEqual(p.read(p.path("from-part")), p.read(p.path("from-files")))

    def test_output_is_an_input(self):
        out = p.file("both.proftext", p.TEXT)
        anyprof.merge([p.file("other.proftext", p.TEXT)] * 70 + [out], out, format="text")
        with anyprof.open(out) as profile:
            self.assertEqual(list(profile["targets"].counts), [7100])

    def test_report(self):
        result = anyprof.merge(p.IR, p.path("with-report"), report=True)
        p.command("merge", "-o", p.path("with-report"), "--report", p.path("report.json"), *p.IR)
        theirs = json.loads(p.read(p.path("report.json")))
        self.assertEqual(result.report["inputs"], theirs["inputs"])
        self.assertEqual(result.report["totals"], theirs["totals"])
        self.assertIsNone(anyprof.merge(p.IR, p.path("with-report")).report)


class Losses(unittest.TestCase):
    def setUp(self):
        self.bad = p.file("bad.profraw", BAD)
        self.out = p.file("kept", b"old")

    def test_bad_input(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaises(anyprof.Error) as caught:
                anyprof.merge([*p.IR, self.bad], self.out)
        error = caught.exception
        self.assertEqual(error.code, anyprof.Code.INVALID_PROFILE)
        self.assertIn("bad.profraw", str(error))
        self.assertEqual(len(error.inputs), 7)
        self.assertEqual([i.code == anyprof.Code.OK for i in error.inputs], [True] * 6 + [False])
        self.assertIsInstance(error.inputs[-1].error, anyprof.Error)
        self.assertEqual((error.totals.n_merged, error.totals.n_rejected), (6, 1))
        self.assertEqual(p.read(self.out), b"old")

    def test_without_output_it_is_an_error_too(self):
        with self.assertWarns(anyprof.ProfileWarning), self.assertRaises(anyprof.Error) as caught:
            anyprof.merge([*p.IR, self.bad])
        self.assertEqual(len(caught.exception.inputs), 7)

    def test_tolerated(self):
        for options in ({"max_loss": 15}, {"max_loss": 14.29}, {"failure_mode": "all"}, {"failure_mode": "warn"}):
            with self.subTest(options), self.assertWarns(anyprof.ProfileWarning) as caught:
                result = anyprof.merge([*p.IR, self.bad], p.path("tolerant"), **options)
            self.assertEqual((result.totals.n_merged, result.totals.n_rejected), (6, 1))
            self.assertEqual(caught.filename, __file__)
        with self.assertWarns(anyprof.ProfileWarning), self.assertRaises(anyprof.Error):
            anyprof.merge([*p.IR, self.bad], p.path("tolerant"), max_loss=14.28)

    def test_findings(self):
        findings = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            anyprof.merge([*p.IR, self.bad], p.path("found"), failure_mode="all", on_finding=findings.append)
        bad, = [f for f in findings if f.source == self.bad]
        self.assertEqual((bad.severity != "note", bad.input), (True, 6))
        self.assertIsInstance(bad.error, anyprof.Error)

    def test_many_warnings(self):
        """Not more than a person reads, and the last one says how many there are."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            anyprof.merge([p.IR[0], *[anyprof.Contents(BAD, f"b{i}") for i in range(50)]], failure_mode="all")
        self.assertEqual(len(caught), 21)
        self.assertIn("30 more", str(caught[-1].message))

    def test_warnings_as_errors_stop_it(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(anyprof.ProfileWarning):
                anyprof.merge([*p.IR, self.bad], self.out, failure_mode="all")
        self.assertEqual(p.read(self.out), b"old")

    def test_arguments(self):
        for options in ({"max_loss": 101}, {"max_loss": -1}, {"max_loss": float("nan")}, {"failure_mode": "none"},
                        {"max_loss": 1, "failure_mode": "all"}, {"format": "gcc"}, {"kind": "raw"},
                        {"target": "llvm-99"}):
            with self.subTest(options), self.assertRaises(ValueError):
                anyprof.merge(p.IR, self.out, **options)
        with self.assertRaisesRegex(ValueError, "both instrumentation and sample"):
            anyprof.merge([p.IR[0], p.SAMPLES[0]], self.out)
        self.assertEqual(p.read(self.out), b"old")

    def test_no_inputs(self):
        os.makedirs(p.path("nothing"), exist_ok=True)
        for nothing in ([], (), p.path("nothing"), [p.path("nothing")]):
            with self.assertRaisesRegex(ValueError, "nothing to merge"):
                anyprof.merge(nothing, self.out)
        with self.assertRaises(anyprof.Error):
            anyprof.merge([p.file("empty", b"")], self.out)
        self.assertEqual(p.read(self.out), b"old")

    def test_missing(self):
        missing = p.path("missing.profraw")
        with self.assertRaises(anyprof.MissingFileError) as caught:
            anyprof.merge([p.IR[0], missing], self.out, max_loss=50)
        self.assertEqual(caught.exception.filename, missing)
        with self.assertRaises(FileNotFoundError):
            anyprof.merge(p.IR, p.path("no/such/directory"))

    def test_salvage(self):
        cut = anyprof.Contents(p.read(p.IR[5])[:-8], "cut")
        with self.assertRaises(anyprof.Error), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            anyprof.merge([p.IR[0], cut])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = anyprof.merge([p.IR[0], cut], salvage=True)
        self.assertEqual(result.totals.n_salvaged, 1)
        self.assertGreater(result.inputs[1].salvage.functions, 0)


class Samples(unittest.TestCase):
    def test_bytes_of_the_command(self):
        for options, words in (({}, []), ({"format": "text"}, ["--text"]), ({"target": "gcc-12"}, ["--for=gcc-12"])):
            with self.subTest(options):
                result = anyprof.merge(p.SAMPLES, p.path("ours"), on_finding=lambda f: None, **options)
                p.command("merge", *words, "-o", p.path("theirs"), *p.SAMPLES)
                self.assertEqual(p.read(p.path("ours")), p.read(p.path("theirs")))
                self.assertIsInstance(result.written, anyprof.SampleWritten)

    def test_no_output(self):
        result = anyprof.merge(p.SAMPLES)
        with result.profile as profile:
            self.assertEqual(profile.info.format, anyprof.SampleFormat.MERGED)
            self.assertEqual(profile["main"].samples, sum(anyprof.open(s)["main"].samples for s in p.SAMPLES))
        self.assertIsNone(result.written)
        function = anyprof.merge(p.SAMPLES).profile["main"]
        self.assertEqual(function.name, "main")

    def test_bad_input(self):
        with self.assertWarns(anyprof.ProfileWarning), self.assertRaises(anyprof.Error) as caught:
            anyprof.merge([*p.SAMPLES, anyprof.Contents(b"main:x\n")], kind="sample")
        self.assertEqual(len(caught.exception.inputs), 3)
        with self.assertRaises(ValueError):
            anyprof.merge(p.SAMPLES, sparse=True)


class Names(unittest.TestCase):
    """Changed names, as the command changes them."""

    def test_instr(self):
        remapping = p.file("remapping", b"main start\nsort_words order\n")
        anyprof.merge(p.IR, p.path("changed"), renames={"main": "start", "sort_words": "order"},
                      prefix_map=[("word_", "other/word_"), ("word_order", "x")])
        p.command("merge", *p.IR, "-o", p.path("wanted"), f"--remapping-file={remapping}",
                  "--prefix-map=word_=other/word_", "--prefix-map=word_order=x")
        self.assertEqual(p.read(p.path("changed")), p.read(p.path("wanted")))
        with anyprof.open(p.path("changed")) as profile:
            self.assertIn("start", profile)
            self.assertNotIn("main", profile)

    def test_sample(self):
        remapping = p.file("remapping", b"parse load\n")
        anyprof.merge(p.SAMPLES, p.path("changed.prof"), format="text", renames=[("parse", "load")])
        p.command("merge", "--sample", "--text", *p.SAMPLES, "-o", p.path("wanted.prof"),
                  f"--remapping-file={remapping}")
        self.assertEqual(p.read(p.path("changed.prof")), p.read(p.path("wanted.prof")))
        with self.assertRaises(ValueError):
            anyprof.merge(p.SAMPLES, prefix_map={"a": "b"})

    def test_without_effect(self):
        found = []
        anyprof.merge(p.IR, renames={"mian": "start"}, prefix_map={"/nowhere": ""}, on_finding=found.append)
        self.assertEqual([(f.severity, f.error.where) for f in found],
                         [("warning", "merge.renames"), ("warning", "merge.prefix_map")])
        with self.assertWarns(anyprof.ProfileWarning):
            anyprof.merge(p.IR, renames={"mian": "start"})

    def test_mistakes(self):
        for wrong in ([1], [("a",)], {"a": 1}, 5):
            with self.assertRaises((TypeError, ValueError)):
                anyprof.merge(p.IR, renames=wrong)
        settings = (None, 0, 0, 0, 0, 0, 0, False)
        for wrong in (((b"a", 1),), (b"ab",), [], ((b"a", b"b", b"c"),)):
            with self.assertRaises(TypeError):
                _anyprof.merge_instr((), None, (0, 0, 0, 0, 0, None, None), (*settings, wrong))


@unittest.skipUnless(os.path.isdir(os.path.join(p.CORPUS, "correlate")), "no corpus")
class Correlation(unittest.TestCase):
    """Programs that complete profiles."""

    def test_programs(self):
        for name, option in (("14_dbg", "debug_info"), ("19_cdebug-info", "debug_info"), ("19_cbinary", "binary_file")):
            profile, program = (os.path.join(p.CORPUS, "correlate", one) for one in (name + ".profraw", "bin_" + name))
            with self.assertRaises(anyprof.Error) as caught:
                anyprof.open(profile)
            self.assertEqual(caught.exception.code, anyprof.Code.MISSING_CORRELATION)
            anyprof.merge(profile, p.path("completed"), on_finding=str, **{option: [program]})
            p.command("merge", profile, "-o", p.path("wanted"), f"--{option.replace('_', '-')}={program}")
            self.assertEqual(p.read(p.path("completed")), p.read(p.path("wanted")))
            contents = anyprof.Contents(bytearray(p.read(program)))
            with anyprof.open(profile, on_finding=str, **{option: contents}) as opened:
                del contents
                self.assertGreater(len(opened), 0)
                self.assertTrue(all(record.name for record in opened))
        with self.assertRaises(ValueError):
            anyprof.open(profile, debug_info=program, binary_file=program)
        with self.assertRaises(anyprof.Error) as caught:
            anyprof.open(profile, binary_file=profile)
        self.assertEqual(caught.exception.file, profile)

    def test_mistakes(self):
        for use in (lambda: _anyprof.correlator((), (0, 0, 0, 0, 0, None, None), 1, 0),
                    lambda: _anyprof.correlator(1, (0, 0, 0, 0, 0, None, None), 3, 0),
                    lambda: _anyprof.open_instr((), (0, 0, 0, 0, 0, None, None, 1), "x")):
            with self.assertRaises((TypeError, anyprof.Error)):
                use()


class Stops(unittest.TestCase):
    """Exceptions of callbacks and signals stop a merge, and nothing is written."""

    def setUp(self):
        self.out = p.file("stopped", b"old")
        self.inputs = [anyprof.Contents(p.TEXT, f"n{i}") for i in range(300)]

    def tearDown(self):
        self.assertEqual(p.read(self.out), b"old")

    def test_progress_raises(self):
        def stop(progress):
            raise ZeroDivisionError(progress.n_done)

        with self.assertRaises(ZeroDivisionError):
            anyprof.merge(self.inputs, self.out, on_progress=stop)

    def test_finding_raises(self):
        def stop(finding):
            raise ZeroDivisionError(finding.message)

        with self.assertRaises(ZeroDivisionError):
            anyprof.merge([*self.inputs, anyprof.Contents(BAD)], self.out, failure_mode="all", on_finding=stop)

    def test_interrupt(self):
        def interrupt(progress):
            if progress.n_done:
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            anyprof.merge(self.inputs, self.out, on_progress=interrupt)

    def test_interrupt_inside_an_input(self):
        """Ctrl-C is noticed in the middle of a large input, of any kind, also when it is opened."""
        text = b":ir\n" + b"".join(b"f%d\n1\n1\n9\n\n" % i for i in range(20000))
        samples = b"".join(b"f%d:9:9\n 1: 9\n" % i for i in range(20000))
        steps = []

        def interrupt(progress):
            steps.append(progress.n_done)
            os.kill(os.getpid(), signal.SIGINT)

        for data in (text, samples):
            with self.assertRaises(KeyboardInterrupt):
                anyprof.merge(anyprof.Contents(data), self.out, on_progress=interrupt)
            given = (None, data, None, 1, 0)
            options = (0, 0, 0, 0, 0, None, interrupt)
            with self.assertRaises(KeyboardInterrupt):
                if data is text:
                    _anyprof.open_instr((given,), options, "text")
                else:
                    _anyprof.open_sample((given,), options, "samples", 0, 0)
        self.assertEqual(steps, [0] * 4)

    def test_interrupt_of_one_call(self):
        """While the library works, the main thread runs no Python; the signal is noticed all the same, before the
        output is written. Where the call has ended before the signal comes, there is another try with more inputs,
        and with a larger one."""
        self.interrupt(lambda attempt: ((None, p.TEXT, None, 1, 0),) * (20000 << attempt))
        text = b"".join(b"f%d\n1\n1\n9\n\n" % i for i in range(50000))
        self.interrupt(lambda attempt: ((None, b":ir\n" + text * (1 << attempt), None, 1, 0),))

    def interrupt(self, inputs_of):
        options = (1, 0, 0, 0, 0, None, None)
        settings = (None, 0, 0, 0, 0, 0, 0, False)
        out = p.path("interrupted")
        for attempt in range(6):
            inputs = inputs_of(attempt)
            thread = threading.Timer(0.03, os.kill, (os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                thread.start()
                _anyprof.merge_instr(inputs, os.fsencode(out), options, settings)
                thread.join()
            if not os.path.exists(out):
                return
            os.remove(out)
        self.fail("the merge ended before it noticed the signal")


if __name__ == "__main__":
    p.main()
