#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof bolt merge` beside merge-fdata 22, and 15, 16, 19 where they are installed, on random files of fdata and on
those of the corpus: the same records, and nothing else. merge-fdata's come in an order of chance, so lines are compared
sorted. What the two make of odd files is pinned down, and llvm-bolt 22 must read what is written.

    ANYPROF=command fdata_merge.py"""

import glob
import os
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt_merge  # noqa: E402
from _bolt_merge import ANYPROF, BOLT, CORPUS, TOOL, check, run  # noqa: E402


def ours(*arguments):
    return run([ANYPROF, "bolt", "merge", *arguments])


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "wb") as f:
        f.write(text.encode("utf-8", "surrogateescape"))
    return path


# ---- random files ----

NAMES = ["main", "f", "f/1", "f/a.c/1", "f/a.c/2", "_ZN3FooC2Ev", "g\\ x\\\\y", "[heap]", "__BOLT_FDE_FUNCat4005d0",
         "h.constprop.0/1", "h.cold", "\\\\", "\\ ", "ü", "b@PLT", "a" * 300]


def location(rng, base=0):
    if rng.random() < 0.08:
        return "%d [unknown] %x" % (base, rng.choice([0, 0x7FFFDEADBEEF]))
    offset = rng.choice([0, rng.randrange(40), 2**64 - 1])
    return "%d %s %x" % (base + rng.choice([1, 1, 1, 1, 2]), rng.choice(NAMES), offset)


def number(rng):
    return rng.choice([0, 1, rng.randrange(100), rng.randrange(2**40)])


def records(rng, samples, n):
    for _ in range(n):
        if rng.random() < 0.1:
            yield "%s %s %d" % (location(rng, 3), location(rng, 3), number(rng))
        elif samples:
            yield "%s %d" % (location(rng), number(rng))
        else:
            yield "%s %s %d %d" % (location(rng), location(rng), number(rng), number(rng))


def header(bolted, samples):
    return "boltedcollection\n" * bolted + "no_lbr\n" * samples


def random_files(directory, rng, bolted, samples, files):
    return [write(directory, "%d.fdata" % i,
                  header(bolted, samples) + "".join(r + "\n" for r in records(rng, samples, rng.randrange(1, 400))))
            for i in range(files)]


def lines(data):
    return sorted(data.splitlines(keepends=True))


def compare(paths, rng, what, directory):
    """The records of both; any order; once more; through merge-fdata and back."""
    theirs, mine = run([TOOL, *paths]), ours(*paths)
    check(theirs.returncode == 0 and mine.returncode == 0, "%s: exit codes %d, %d: %s" %
          (what, theirs.returncode, mine.returncode, mine.stderr.decode(errors="replace")))
    check(lines(theirs.stdout) == lines(mine.stdout), what + ": other records than merge-fdata")
    shuffled = paths[:]
    rng.shuffle(shuffled)
    check(ours(*shuffled).stdout == mine.stdout, what + ": the order of the inputs matters")
    for name, data in (("ours", mine.stdout), ("theirs", theirs.stdout)):
        path = os.path.join(directory, name)
        with open(path, "wb") as f:
            f.write(data)
        check(ours(path).stdout == mine.stdout, "%s: %s, merged alone, is another profile" % (what, name))
    return mine.stdout


def without_mispredictions(data):
    return [(line.rsplit(b" ", 2)[::2] if line[:1] < b"3" else line) for line in data.splitlines()]


def older_tools(paths, expected, what, directory):
    """They keep records apart whose mispredictions differ, lose these of records that are equal, and mix branches and
    loads; but for the mispredictions, it is the same when it is added up."""
    for version in ("15", "16", "19"):
        tool = "merge-fdata-" + version
        if shutil.which(tool):
            path = os.path.join(directory, "old")
            done = run([tool, *paths, "-o", path])
            check(done.returncode == 0, "%s: %s fails" % (what, tool))
            check(without_mispredictions(ours(path).stdout) == without_mispredictions(expected),
                  "%s: what %s merged is another profile" % (what, tool))


def random_tests():
    for seed in range(60):
        rng = random.Random(seed)
        bolted, samples = seed % 2, seed // 2 % 2
        what = "random %d" % seed
        with tempfile.TemporaryDirectory() as directory:
            paths = random_files(directory, rng, bolted, samples, rng.randrange(1, 9))
            merged = compare(paths, rng, what, directory)
            if not samples:
                older_tools(paths, merged, what, directory)


# ---- odd files ----

GOOD = "1 a 0 1 b 0 1 2\n"
# Text, whether merge-fdata takes it, what we write (None: an error). Each difference is a row of docs/differences.md.
ODD = [
    ("1 a 0 1 b 0 1 2", True, None),  # cut off, perhaps
    ("1 a 0 1 b 0 1 2\r\n", False, None),
    ("1 a 0 1 b 0 1 2 \n", False, GOOD),
    ("1  a 0 1 b 0  1 2\n", True, GOOD),
    ("1 a 0 1 b 0 -1 2\n", False, None),
    ("1 a 0 1 b 0 1 0x2\n", False, None),
    ("1 a 0x0 1 b 0 1 2\n", True, None),
    ("9 a 0 1 b 0 1 2\n", True, None),
    ("1 a 0 3 b 0 1 2\n", True, None),
    ("1 a 0 1 b 1 2\n", True, None),
    ("1 a 0 2\n", True, None),
    ("\n", False, None),
    ("# x\n", False, None),
    ("", False, None),
    ("1 a 0 1 b 0 1 9223372036854775808\n", True, None),
    ("1 a 0 1 b 0 1 18446744073709551616\n", False, None),
    ("boltedcollectionx\n" + GOOD, True, None),
    ("no_lbr cycles:u\n1 a 0 2\n", True, "no_lbr cycles:u\n1 a 0 2\n"),
    ("boltedcollection\nno_lbr\n1 a 0 2\n", True, "no_lbr\nboltedcollection\n1 a 0 2\n"),
    ("no_lbr\nboltedcollection\n1 a 0 2\n", False, "no_lbr\nboltedcollection\n1 a 0 2\n"),
    ("1 a 0 1 b 0 1 9223372036854775807\n" * 2, True, "1 a 0 1 b 0 2 9223372036854775807\n"),
    ("1 a A 1 b 0 1 2\n1 a a 1 b 0 1 2\n", True, "1 a a 1 b 0 2 4\n"),
]


def odd_tests():
    with tempfile.TemporaryDirectory() as directory:
        for text, taken, expected in ODD:
            path = write(directory, "odd", text)
            theirs, mine = run([TOOL, path]), ours(path)
            check((theirs.returncode == 0) == taken, "merge-fdata and %r: %d" % (text, theirs.returncode))
            check(mine.returncode == (1 if expected is None else 0), "exit code %d of %r" % (mine.returncode, text))
            check(mine.stdout.decode() == (expected or ""), "%r becomes %r" % (text, mine.stdout))
        for one, other in ((GOOD, "boltedcollection\n" + GOOD), (GOOD, "no_lbr\n1 a 0 2\n")):
            paths = [write(directory, "one", one), write(directory, "other", other)]
            for order in (paths, paths[::-1]):
                check(run([TOOL, *order]).returncode == 1, "merge-fdata mixes what does not go together")
                mine = ours(*order)
                check(mine.returncode == 1 and all(os.fsencode(path) in mine.stderr for path in paths),
                      "a conflict that does not name both files: %s" % mine.stderr.decode())


# ---- real files ----

def bolt(program, fdata, directory, name):
    """The profile as llvm-bolt understands it: its YAML, and what it says of the profile."""
    yaml = os.path.join(directory, name)
    out = os.path.join(directory, "out")
    done = run([BOLT, program, "-data", fdata, "-w", yaml, "-o", out, "--reorder-blocks=none"])
    said = [line for line in (done.stdout + done.stderr).decode(errors="replace").splitlines()
            if "profile" in line and "rror" in line or "invalid profile" in line]
    check(done.returncode == 0 and not said, "llvm-bolt does not read %s: %s" % (name, said))
    with open(yaml) as f:
        return f.read()


def corpus_tests():
    paths = sorted(glob.glob(os.path.join(CORPUS, "*.fdata")))
    program = os.path.join(CORPUS, "prog")
    if not paths or not os.path.exists(program):
        print("skipped: no profiles of BOLT in the corpus")
        return
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as directory:
        for path in paths:
            merged = compare([path], rng, path, directory)
            with open(path, "rb") as f:
                check(merged == f.read(), "%s: not in the order of perf2bolt" % path)
        compare(paths, rng, "corpus", directory)
        if not shutil.which(BOLT):
            print("skipped: no %s, what it reads is not compared" % BOLT)
            return
        mine, theirs = os.path.join(directory, "ours"), os.path.join(directory, "theirs")
        check(bolt(program, mine, directory, "a.yaml") == bolt(program, theirs, directory, "b.yaml"),
              "llvm-bolt sees other profiles")
        both = write(directory, "both", "boltedcollection\nno_lbr cycles\n1 main 0 5\n")
        check(ours(both, "-o", mine).returncode == 0, "samples of a BAT binary")
        bolt(program, mine, directory, "c.yaml")


def main():
    if _bolt_merge.missing(TOOL):
        return 77
    random_tests()
    odd_tests()
    corpus_tests()
    return _bolt_merge.verdict()


if __name__ == "__main__":
    sys.exit(main())
