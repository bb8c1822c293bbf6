#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""order prints what llvm-profdata-22 prints, byte for byte: of generated traces of up to 3000 functions, of programs
that each installed clang has built in each way that it has, of the examples and the files of the corpus, and of command
lines that are wrong."""

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
FLOORS = {"generated": 215, "examples": 2, "corpus": 53, "wrong": 11,
          "clang 13": 3, "clang 13, 32 bits": 2, "clang 14": 4, "clang 14, 32 bits": 2,
          "clang 15": 4, "clang 15, 32 bits": 2, "clang 16": 4, "clang 16, 32 bits": 2,
          "clang 19": 32, "clang 19, 32 bits": 2, "clang 22": 32, "clang 22, 32 bits": 2}
CASES = 110
SIZES = [1, 2, 3, 5, 17, 33, 64, 100, 129, 400, 1000]
LARGE = [(1500, 9), (2048, 5), (3000, 20), (3000, 3)]  # functions, traces


def make_trace(rng, names, how):
    n = len(names)
    length = rng.between(0 if how else 1, n)
    if how == 0:  # in any order
        return rng.shuffled(names, length)
    if how == 1:  # from somewhere on, about in order
        start = rng.below(n)
        return [names[(start + i + rng.below(7)) % n] for i in range(length)]
    if how == 2:  # with repetitions
        return [rng.pick(names) for _ in range(length)]
    part = rng.below(5)  # of one part of the program, and a few others
    return [name for i, name in enumerate(names) if i % 5 == part or rng.chance(10)]


def make_text(seed, n, n_traces):
    rng = g.Random("order %s" % seed)
    names = ["f%d" % i for i in range(n)]
    if rng.chance(30):
        names = [x if rng.chance(80) else "file%d.c;%s" % (rng.below(9), x) for x in names]
    p = g.Profile()
    p.header = ["ir"]
    how = rng.below(4)
    p.traces = (n_traces, [(rng.between(1, 9), make_trace(rng, names, how)) for _ in range(n_traces)])
    p.records = [g.Record(name, 1, [1]) for name in names if rng.chance(98)]
    return g.render(p)


def generated(work):
    rng = g.Random("cases")
    sizes = [(SIZES[n % len(SIZES)], rng.pick([1, 2, 3, 5, 8, 20, 60])) for n in range(CASES)] + LARGE
    for n, (size, traces) in enumerate(sizes):
        path = os.path.join(work, "%d.proftext" % n)
        with open(path, "wb") as f:
            f.write(make_text(n, size, traces))
        yield [path], False
        if traces > 1:
            yield ["--num-test-traces=%d" % rng.between(1, traces - 1), path], False


def programs(every, work):
    """Three traces, one by one and merged; of the other kinds it is the error."""
    for profiles in every:
        group = profiles.group
        if profiles.name != "temporal":
            yield group, [profiles.first], False
            continue
        merged = os.path.join(work, "%d.profdata" % profiles.number)
        for form in ([], ["--text"]):
            path = merged + "".join(form)
            if _compare.run([_compare.LLVM, "merge", *form, *profiles.three, "-o", path])[0] != 0:
                continue  # there will be too few
            yield group, [path], False
            for n in ("0", "1", "2", "3", "4"):
                yield group, ["--num-test-traces", n, path], False
        for path in (*profiles.three, profiles.raw):
            yield group, [path], False
            yield group, ["--num-test-traces=0", path], False
            yield group, ["-num-test-traces=1", path], False


def found(where):
    for path in _compare.found_files(where):
        yield [path], True


def wrong(work):
    def write(name, data):
        with open(os.path.join(work, name), "wb") as f:
            f.write(data)
        return os.path.join(work, name)

    good = write("good.proftext", b"f\n1\n1\n3\n\n")
    traces = write("traces.proftext", b":ir\n:temporal_prof_traces\n2\n2\n1\nf,g,a.c;h,;i,j;\n1\ng\nf\n1\n1\n3\n\n")
    empty = write("empty", b"")
    for words in ([good], [good, "--num-test-traces=1"], [traces, "--num-test-traces=2"], [traces], [empty], [work],
                  [traces, "--num-test-traces=1"], [traces, "-num-test-traces=7"], ["/bin/sh"], [work + "/none"],
                  [traces, "-o", work + "/none/x"]):
        yield words, False


if __name__ == "__main__":
    _compare.need_tools()
    comparer = _compare.Comparer("order")
    with tempfile.TemporaryDirectory() as scratch, _built.built() as built:
        comparer.run_all("generated", generated(scratch))
        comparer.run_all(None, programs(built, scratch))
        comparer.run_all("examples", found("examples"))
        comparer.run_all("corpus", found("corpus"))
        comparer.run_all("wrong", wrong(scratch))
        missing = _compare.without(built)
    comparer.finish(FLOORS, missing)
