#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof-mpi: the result of `anyprof merge` for 1 to 16 ranks, inputs of several machines, errors of use, and damage
in the work directory."""

import fcntl
import json
import os
import subprocess
import sys
import tempfile

import _mpi

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import _share

FAILURES = []
# Small pieces, each of which becomes a part.
OWN = ["merge", "--work-dir=work", "--piece-size=3000", "--checkpoint=0"]


def expect(what, got, expected):
    if got != expected:
        FAILURES.append(what)
        if isinstance(got, list) and isinstance(expected, list):
            got, expected = [x for x in got if x not in expected], [x for x in expected if x not in got]
        print("FAILED: %s: %.600s, not %.600s" % (what, got, expected))


def make_inputs(where, n):
    """n profiles of functions that are partly the same; each fifth one is damaged."""
    for i in range(n):
        with open(os.path.join(where, "%02d.proftext" % i), "w", encoding="ascii") as f:
            f.write(":ir\n")
            for k in range(i % 7, 40 + i % 7):
                f.write("f%d\n%d\n2\n%d\n1\n1\n0\n1\n2\nf%d:%d\nf%d:1\n\n" % (k, k % 3, i + k, i % 5, k + 1, i % 9))
            f.write("x\n" if i % 5 == 4 else "")


def merge(where, *words):
    return subprocess.run([_mpi.ANYPROF, "merge", *words], capture_output=True, check=False, cwd=where)


def remove(where, *names):
    for name in names:
        if os.path.exists(os.path.join(where, name)):
            os.remove(os.path.join(where, name))


def test_ranks(where):
    """The output, messages, report and exit code for each number of ranks."""
    numbers = _share.pick(range(1, 17), what="numbers of ranks")
    for last in (["--failure-mode=all"], []):
        remove(where, "one", "report")
        one = merge(where, *last, "-o", "one", "--report=report", "in")
        report = _mpi.read(os.path.join(where, "report"))
        expected = _mpi.read(os.path.join(where, "one"))
        expect("the merge", one.returncode, 0 if last else 1)
        for n in numbers:
            words = [*OWN, *last, "-o", "one", "--report=report", "in"]
            remove(where, "one", "report")
            done = _mpi.run((n, words), cwd=where)
            what = "%d ranks, %s" % (n, last)
            expect(what, done.returncode, one.returncode)
            expect(what + ": messages", [line for line in done.stderr.splitlines() if b"earlier run" not in line],
                   [line.replace(b"anyprof: ", b"anyprof-mpi: ") for line in one.stderr.splitlines()])
            expect(what + ": profile", _mpi.read(os.path.join(where, "one")), expected)
            expect(what + ": report", _mpi.read(os.path.join(where, "report")), report)
            if last:
                expect(what + ": what is left", os.listdir(os.path.join(where, "work")), [])


def parts_in(where):
    return [name for name in os.listdir(os.path.join(where, "work")) if name.endswith(".anyprof-part")]


def test_again(where):
    """What is finished is found: by other ranks, with other options of the last merge, but not for other inputs."""
    words = [*OWN, "-o", "out", "in"]
    first = _mpi.run((2, words), cwd=where)
    expect("inputs are damaged", first.returncode, 1)
    parts = parts_in(where)
    again = _mpi.run((3, [*words, "--quiet"]), cwd=where)
    expect("again", again.returncode, 1)
    later = _mpi.run((3, [*words[:-1], "--max-loss=50", "in"]), cwd=where)
    expect("another tolerance", later.returncode, 0)
    expect("pieces that were found", b"%d of %d parts were in work from an earlier run" % (len(parts), len(parts))
           in later.stderr, True)
    _mpi.run((2, words), cwd=where)
    parts = parts_in(where)
    os.utime(os.path.join(where, "in", "03.proftext"), (1, 1))
    changed = _mpi.run((2, [*words[:-1], "--max-loss=50", "in"]), cwd=where)
    expect("one input has changed", b"note: %d of " % (len(parts) - 1) in changed.stderr, True)
    _mpi.run((2, words), cwd=where)
    salvaged = _mpi.run((2, [*words[:-1], "--salvage", "in"]), cwd=where)
    expect("other ways to read", (salvaged.returncode, b"earlier run" in salvaged.stderr), (0, False))


def test_damaged_part(where):
    """A part in the work directory that is not whole is never an input that may be lost."""
    words = [*OWN, "-o", "out", "in"]
    _mpi.run((2, words), cwd=where)
    part = os.path.join(where, "work", sorted(parts_in(where))[1])
    with open(part, "r+b") as f:
        f.truncate(os.path.getsize(part) - 5)
    done = _mpi.run((2, [*words[:-1], "--failure-mode=all", "in"]), cwd=where)
    expect("a damaged part", (done.returncode, part[len(where) + 1:].encode() in done.stderr), (1, True))
    done = _mpi.run((2, [*words[:-1], "--failure-mode=all", "in"]), cwd=where)
    expect("after a damaged part", done.returncode, 0)
    _mpi.run((2, words), cwd=where)
    part = os.path.join(where, "work", sorted(parts_in(where))[0])
    merge(where, "-o", part + "2", "in/00.proftext")
    os.rename(part + "2", part)
    done = _mpi.run((2, [*words[:-1], "--failure-mode=all", "in"]), cwd=where)
    expect("what is no part", (done.returncode, b"it is no part" in done.stderr), (1, True))
    os.mkfifo(part)
    done = _mpi.run((2, [*words[:-1], "--failure-mode=all", "in"]), cwd=where)
    expect("a pipe", done.returncode, 0)
    expect("its profile", _mpi.read(os.path.join(where, "out")), _mpi.read(os.path.join(where, "one")))


def test_machines(where):
    """Inputs of two machines, with two ranks on one of them, and as many on the other."""
    own = [*OWN, "--local-inputs", "--failure-mode=all", "-o", "out", "--report=report"]
    for n in (1, 2, 3):
        other = [*own, "--machine=b", "in/00.proftext", "few"]
        done = _mpi.run((n, [*own, "--machine=a", "in"]), (2, other), cwd=where)
        expect("machines", done.returncode, 0)
        expected = merge(where, "--failure-mode=all", "-o", "expected", "in", "in/00.proftext", "few")
        expect("inputs of machines", expected.returncode, 0)
        expect("profile of machines", _mpi.read(os.path.join(where, "out")), _mpi.read(os.path.join(where, "expected")))
        with open(os.path.join(where, "report"), encoding="utf-8") as f:
            names = [entry["path"] for entry in json.load(f)["inputs"]]
        expect("names", names, ["a:in/%02d.proftext" % i for i in range(30)] +
               ["b:in/00.proftext", "b:few/00.proftext", "b:few/01.proftext"])
        expect("left by machines", os.listdir(os.path.join(where, "work")), [])


def test_machine_without_profiles(where):
    """A machine whose files are no profiles takes part in merges of both kinds."""
    with open(os.path.join(where, "foo.prof"), "w", encoding="ascii") as f:
        f.write("foo:10:10\n 1: 10\n")
    with open(os.path.join(where, "nothing"), "w", encoding="ascii"):
        pass
    own = [*OWN, "--local-inputs", "-o", "out"]
    for profile in ("foo.prof", "in/00.proftext"):
        for first, second in ((profile, "nothing"), ("nothing", profile)):
            done = _mpi.run((1, [*own, "--machine=a", first]), (1, [*own, "--machine=b", second]), cwd=where)
            expect("a machine without profiles", done.returncode, 0)
            merge(where, "-o", "expected", first, second)
            expect("its profile", _mpi.read(os.path.join(where, "out")), _mpi.read(os.path.join(where, "expected")))
    done = _mpi.run((1, [*own, "--use-md5", "--for=gcc-12", "--gcc", "--machine=a", "nothing"]),
                    (1, [*own, "--use-md5", "--for=gcc-12", "--gcc", "--machine=b", "foo.prof"]), cwd=where)
    expect("options of the kind that another machine has", done.returncode, 0)
    expect("no warning of the other kind", b"no effect on instrumentation" in done.stderr, False)


def test_work_dir_of_inputs(where):
    """A work directory in a directory of inputs, with files of the user."""
    for path in ("few/fold-1.part", "few/x.part"):
        merge(where, "--partial", "-o", path, "in/00.proftext")
    merge(where, "-o", "expected", "few")
    for own in (["--work-dir=few/work"], ["--work-dir=few"]):
        words = ["merge", *own, "--piece-size=1", "--checkpoint=0", "-j", "1"]
        bad = _mpi.run((2, [*words, "-o", "out", "few", "in/04.proftext"]), cwd=where)
        expect("a bad one", bad.returncode, 1)
        done = _mpi.run((2, [*words, "-o", "out", "few"]), cwd=where)
        expect("in a directory of inputs", done.returncode, 0)
        expect("its profile", _mpi.read(os.path.join(where, "out")), _mpi.read(os.path.join(where, "expected")))
    expect("files of the user", sorted(os.listdir(os.path.join(where, "few"))),
           ["00.proftext", "01.proftext", "fold-1.part", "work", "x.part"])
    remove(where, "few/fold-1.part", "few/x.part")
    os.rmdir(os.path.join(where, "few", "work"))


def test_limits(where):
    """Limits are of the inputs, not of parts of them."""
    for own in (["--max-records=41"], ["--max-input-size=10K"]):
        done = _mpi.run((2, [*OWN, *own, "-o", "out", "few"]), cwd=where)
        expect("limits", (done.returncode, done.stderr.count(b"limit")), (0, 0))
    done = _mpi.run((2, [*OWN, "--max-records=3", "-o", "out", "few"]), cwd=where)
    expect("a limit", (done.returncode, b"few/00.proftext" in done.stderr), (1, True))


def test_many_parts(where):
    """More parts than one merge takes at once."""
    os.mkdir(os.path.join(where, "many"))
    for i in range(700):
        with open(os.path.join(where, "many", "%03d.proftext" % i), "w", encoding="ascii") as f:
            f.write(":ir\nf%d\n1\n1\n%d\n\nall\n1\n1\n1\n\n" % (i % 90, i))
    words = ["merge", "-j", "1", "--work-dir=work", "--piece-size=1", "--checkpoint=0", "-o", "out"]
    bad = _mpi.run((1, [*words, "many", "in/04.proftext"]), cwd=where)
    expect("many and a bad one", (bad.returncode, len(parts_in(where)) > 128), (1, True))
    done = _mpi.run((1, [*words, "many"]), cwd=where)
    merge(where, "-o", "expected", "many")
    expect("many", done.returncode, 0)
    expect("profile of many", _mpi.read(os.path.join(where, "out")), _mpi.read(os.path.join(where, "expected")))
    expect("left of many", os.listdir(os.path.join(where, "work")), [])


def test_errors(where):
    base = ["--work-dir=work", "-o", "out"]
    for words, code, message in (
            (["merge", "-o", "out", "in"], 2, b"--work-dir=DIR is required"),
            (["merge", "--work-dir", "work", "-o", "out", "in", "--piece-size"], 2, b"--piece-size: it needs a value"),
            (["merge", *base, "--piece-size=0", "in"], 2, b"0: it needs a number of bytes"),
            (["merge", *base, "--message-size=3G", "in"], 2, b"3G: it needs a number of bytes"),
            (["merge", *base, "--machine=a", "in"], 2, b"--machine is for --local-inputs"),
            (["merge", *base, "--local-inputs", "--machine=a/b", "in"], 2, b"--machine needs a name without"),
            (["merge", *base, "--delete-inputs", "in"], 2, b"--delete-inputs is not for anyprof-mpi"),
            (["merge", "--work-dir", "-o", "out", "in"], 2, b"one that begins with '-' follows a '='"),
            (["merge", "--work-dir=work", "few"], 2, b"give -o FILE"),
            (["merge", *base, "-"], 2, b"standard input and pipes cannot be inputs"),
            (["merge", *base, "absent"], 1, b"absent: No such file or directory"),
            (["merge", *base, "--for=nothing", "in"], 2, b"nothing"),
            (["merge", *base, "--sample", "--for=nothing", "in"], 2, b"nothing"),
            (["merge", "--work-dir=in/00.proftext", "-o", "out", "in"], 1, b"Not a directory"),
            (["merge", "--work-dir=no/such", "-o", "out", "in"], 1, b"no/such: No such file or directory"),
            (["merge", *base, "--no-such-option", "in"], 2, b"no-such-option"),
            (["merge", *base, "-o", "no/out", "few"], 1, b"no/out"),
            (["show", *base, "in"], 2, b"'show' is no command of anyprof-mpi"),
            (["--work-dir=work"], 2, b"a command is missing")):
        done = _mpi.run((3, words), cwd=where, stdin=subprocess.DEVNULL)
        expect("%s: exit code" % words, done.returncode, code)
        expect("%s: %s" % (words, done.stderr), message in done.stderr, True)
        expect("%s: said once" % words, done.stderr.count(message), 1)
    for ranks, message in (
            (((1, ["merge", *base, "few"]), (1, ["merge", "few"])), b"all ranks need the same arguments"),
            (((1, ["merge", *base, "few"]), (2, ["merge", *base, "in"])), b"all ranks need the same arguments"),
            (((1, ["merge", *base, "few"]), (1, ["merge", *base, "--local-inputs", "few"])), b"need the same options"),
            (((1, ["merge", *base, "few"]), (1, ["merge", *base, "--piece-size=7", "few"])), b"need the same options"),
            (((1, ["merge", *base, "few"]), (1, ["--help"])), b"need the same options"),
            (((2, ["merge", *base, "--local-inputs", "few"]), (1, ["merge", *base, "--local-inputs", "in"])),
             b"all ranks of a machine need the same arguments")):
        done = _mpi.run(*ranks, cwd=where)
        expect("%s: exit code" % (ranks,), done.returncode, 2)
        expect("%s: %s" % (ranks, done.stderr), done.stderr.count(message), 1)
    for words in (["--version"], ["merge", "--version", *base]):
        expect(words, _mpi.run((2, words)).stdout.count(b"anyprof "), 1)
    done = _mpi.run((2, ["--help"]))
    expect("help", (done.returncode, done.stdout.startswith(b"Usage: mpirun ")), (0, True))
    listed = _mpi.run((2, ["merge", *base, "--dump-input-file-list", "few"]), cwd=where)
    expect("list", listed.stdout, b"1,few/00.proftext\n1,few/01.proftext\n")
    with open(os.path.join(where, "work", ".mpi-all.anyprof-lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = _mpi.run((2, ["merge", *base, "few"]), cwd=where)
    expect("locked", (done.returncode, b"work: another anyprof-mpi is at work" in done.stderr), (1, True))


def main():
    _mpi.skip_without_mpi()
    with tempfile.TemporaryDirectory() as where:
        for name, n in (("in", 30), ("few", 2)):
            os.mkdir(os.path.join(where, name))
            make_inputs(os.path.join(where, name), n)
        test_ranks(where)
        merge(where, "--failure-mode=all", "-o", "one", "in")
        test_again(where)
        test_damaged_part(where)
        test_machines(where)
        test_machine_without_profiles(where)
        test_many_parts(where)
        test_work_dir_of_inputs(where)
        test_limits(where)
        test_errors(where)
    print("%d failures" % len(FAILURES))
    return 1 if FAILURES else 0


sys.exit(main())
