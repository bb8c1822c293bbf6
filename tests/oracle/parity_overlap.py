#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""overlap prints what llvm-profdata-22 prints, byte for byte: of generated profiles, of programs that each installed
clang has built in each way that it has, of the examples and the files of the corpus, and of command lines that are
wrong."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _built  # noqa: E402
import _compare  # noqa: E402
import _generate as g  # noqa: E402

# A change of this test must not make it compare less. Without a clang, or what it needs for 32 bits, there is nothing
# of that group; without the corpus nothing of it.
FLOORS = {"generated": 180, "examples": 3, "corpus": 66, "wrong": 11,
          "clang 13": 33, "clang 13, 32 bits": 22, "clang 14": 44, "clang 14, 32 bits": 22,
          "clang 15": 44, "clang 15, 32 bits": 22, "clang 16": 44, "clang 16, 32 bits": 22,
          "clang 19": 117, "clang 19, 32 bits": 26, "clang 22": 117, "clang 22, 32 bits": 26}
CASES = 36
OPTIONS = [
    [],
    ["--value-cutoff=0"],
    ["--value-cutoff=1000", "--function=function_2"],
    ["--function=_1"],
    ["--cs"],
    ["--cs", "--value-cutoff=0"],
    ["--function=static", "--value-cutoff=5000"],
    ["--value-cutoff=0x10", "-instr"],
    ["--function", "", "--value-cutoff", "18446744073709551615"],
]
HEADERS = [[], ["ir"], ["csir"], ["fe"], ["ir", "entry_first"]]


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def generated(work):
    """Two runs of one program, and another program. What LLVM's own text reader gets wrong is left out: bitmaps of 256
    bytes and more. Repeated values of sites with more than 16 values it sorts in an order of its own."""
    for n in range(CASES):
        header = HEADERS[n % 5]
        p = g.make_profile("overlap %d" % n, functions=[1, 3, 20, 100, 300][n * 7 % 5], header=header,
                           values=[0, 50, 90][n % 3], several_hashes=n % 30, counts=[None, "zero", "huge"][n // 2 % 3],
                           most_values=[6, 14, 40][n % 3], wide=20, unknown=n % 3 != 2, pseudo=n % 4, mixed=n % 2,
                           huge_values=n % 7 == 0, odd=n % 5 == 0)
        q = g.vary(p, "again %d" % n, restructure=n % 10, new_values=20, counts=[None, "zero"][n % 2])
        r = g.make_profile("other %d" % n, functions=50, header=header, values=40)
        if n % 4 == 1:  # some stand there twice, or thrice
            p.records += [x.copy() for x in g.Random(n).shuffled(p.records, len(p.records) // 2 + 1)]
            p.records += [x.copy() for x in p.records[-3:]]
        paths = [write(os.path.join(work, "%d-%d.proftext" % (n, i)), g.render(x)) for i, x in enumerate((p, q, r))]
        if n % 6 == 2:
            indexed = paths[1].replace("proftext", "profdata")
            if _compare.run([_compare.LLVM, "merge", "-o", indexed, paths[1]])[0] == 0:
                paths[1] = indexed
        a, b, c = paths
        for k, pair in enumerate(((a, b), (b, a), (a, a), (c, b), (a, c))):
            yield OPTIONS[(n + k) % len(OPTIONS)] + list(pair), False


# The profiles of each kind and clang: two runs of one program, and a run of the program a day later.
PAIRS = [
    (["--value-cutoff=0"], "first", "second"),
    (["--value-cutoff=0"], "first", "later"),
    (["--cs"], "second", "first"),
    (["--cs", "--value-cutoff=0"], "second", "later"),
    (["--function=_1"], "later", "first"),
    (["--function=main", "--value-cutoff=5"], "first", "second"),
    (["--similarity-cutoff=500000"], "later", "second"),
    (["--similarity-cutoff=10", "--cs", "--function=o", "--value-cutoff=20"], "first", "second"),
    (["--value-cutoff=40"], "second", "second"),
]


def programs(every):
    for profiles in every:
        group = profiles.group
        for options, a, b in PAIRS:
            yield group, [*options, getattr(profiles, a), getattr(profiles, b)], False
        if profiles.number in _built.RAW:
            yield group, ["--value-cutoff=0", profiles.raw, profiles.second], False
            yield group, ["--cs", "--value-cutoff=10", profiles.later, profiles.raw], False


def kinds(every):
    """Each against another kind of that clang, and against its kind of another clang."""
    for i, profiles in enumerate(every):
        other = every[i - 1]
        alike = [p.first for p in every if p.name == profiles.name and p.number > profiles.number]
        options = [["--value-cutoff=0"], ["--cs"], ["--value-cutoff=10"], ["--cs", "--value-cutoff=0"]]
        yield profiles.group, [*options[i % 2], profiles.first, other.second], False
        yield profiles.group, [*options[2 + i % 2], (alike or [other.later])[0], profiles.second], False


def found(where):
    paths = _compare.found_files(where)
    for i, path in enumerate(paths):
        yield ["--value-cutoff=0", path, path], True
        if i % 3 == 0:
            yield OPTIONS[i // 3 % len(OPTIONS)] + [path, paths[i - 1]], True


def wrong(work):
    good, zero = os.path.join(work, "good.proftext"), os.path.join(work, "zero.proftext")
    write(good, b"f\n1\n1\n3\n\n")
    write(zero, b"f\n1\n1\n0\n\n")
    empty = write(os.path.join(work, "empty"), b"")
    none = os.path.join(work, "none")
    for words in ([good, none], [none, good], [good, empty], [empty, good], [good, work], [good, "/bin/sh"],
                  [good, zero], [zero, good], [zero, zero], ["--cs", good, good], [good, good, "-o", work + "/none/x"]):
        yield words, False


if __name__ == "__main__":
    _compare.need_tools()
    comparer = _compare.Comparer("overlap")
    with tempfile.TemporaryDirectory() as scratch, _built.built() as built:
        comparer.run_all("generated", generated(scratch))
        comparer.run_all(None, programs(built))
        comparer.run_all(None, kinds(built))
        comparer.run_all("examples", found("examples"))
        comparer.run_all("corpus", found("corpus"))
        comparer.run_all("wrong", wrong(scratch))
        missing = _compare.without(built)
    comparer.finish(FLOORS, missing)
