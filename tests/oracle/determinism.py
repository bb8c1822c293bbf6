#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result of a merge depends neither on the number of threads nor on the order of the inputs: the same bytes for 1,
2 and 8 threads, and for permuted inputs, also where LLVM's tool depends on both (DESIGN.md 1): temporal traces beyond
the reservoir, structures that do not fit together, repeated unknown targets, hashes that collide, more than 255
values of a site, weights.
"""

import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402
import _share  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
FLOOR = 1500  # comparisons; more when there is a corpus

OUTPUTS = [
    [],
    ["--text"],
    ["--for=llvm-22", "--sparse", "--keep-vtable-symbols"],
    ["--for=llvm-16"],
    ["--for=indexed-14"],
    ["--for=indexed-2", "--sparse"],
    ["--text", "--temporal-profile-trace-reservoir-size=7", "--temporal-profile-max-trace-length=5"],
]
THREADS = [1, 2, 8]
ORDERS = 4


def merge(inputs, options, threads, out):
    """The bytes of the output and what was said about it; the paths of the inputs are long, so they go into a list."""
    listing = out + ".list"
    with open(listing, "w") as f:
        f.write("".join("%d,%s\n" % (weight, path) for path, weight in inputs))
    command = [ANYPROF, "merge", "-j", str(threads), "--failure-mode=warn", "-f", listing, "-o", out] + options
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=300)
    if p.returncode != 0:
        return "exit code %d: %s" % (p.returncode, p.stderr.decode(errors="replace")[:300]), p.stderr
    with open(out, "rb") as f:
        return f.read(), p.stderr


class Case:
    """inputs: (path, weight) pairs."""

    def __init__(self, name, inputs):
        self.name, self.inputs = name, inputs
        self.compared = 0
        self.failures = []

    def compare(self, options, directory):
        reference, said = merge(self.inputs, options, 1, os.path.join(directory, "reference"))
        if isinstance(reference, str):
            self.failures.append("%s %s: %s" % (self.name, " ".join(options), reference))
            return
        rng = g.Random(self.name)
        orders = [self.inputs, list(reversed(self.inputs))] + [rng.shuffled(self.inputs) for _ in range(ORDERS - 2)]
        for number, order in enumerate(orders):
            for threads in THREADS:
                if number == 0 and threads == 1:
                    continue
                got, got_said = merge(order, options, threads, os.path.join(directory, "got"))
                self.compared += 1
                if got != reference:
                    self.failures.append(
                        "%s %s: other bytes with -j %d, order %d" % (self.name, " ".join(options), threads, number)
                    )
                if number == 0 and got_said != said:
                    self.failures.append(
                        "%s %s: other messages with -j %d" % (self.name, " ".join(options), threads)
                    )

    def run(self):
        with tempfile.TemporaryDirectory() as directory:
            for options in OUTPUTS:
                self.compare(options, directory)
        return self


def write(directory, name, data):
    path = os.path.join(directory, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def as_indexed(text, version):
    """An indexed file of that version, made of a text file."""
    path = text + ".%d.profdata" % version
    got, _ = merge([(text, 1)], ["--for=indexed-%d" % version], 1, path)
    if isinstance(got, str):
        raise RuntimeError("%s: %s" % (text, got))
    return path


def generated_cases(directory):
    for n in range(24):
        name = "generated %d" % n
        rng = g.Random(name)
        ir = n % 3 != 0
        base = g.make_profile(
            name,
            functions=[3, 40, 300][n % 3],
            header=["ir"] if ir else [],
            values=40,
            wide=20,
            most_values=[6, 255, 300][n // 3 % 3],
            bitmaps=20,
            pseudo=5 if n % 4 == 1 else 0,
            several_hashes=20,
            most_hashes=5,
            counts=[None, "zero", "huge"][n // 2 % 3],
            traces=[None, 5, 60][n % 3],
            plain_hashes=n % 5 != 0,
            odd=n % 2 == 0,
        )
        inputs = []
        for i in range(rng.between(2, 24)):
            run = g.vary(
                base,
                "%s %d" % (name, i),
                present=60,
                counts=[None, "zero", "huge"][n // 2 % 3],
                new_values=40,
                restructure=[0, 10, 40][n // 4 % 3],
                traces=[None, 3, 60][n % 3] if rng.chance(80) else None,
            )
            if n % 2 and run.records and i % 3 == 0:  # a record twice, a site with unknown targets twice
                double = rng.pick(run.records).copy()
                values = [(g.EXTERNAL, 3), ("new_target", 4), (g.EXTERNAL, 5)]
                double.sites = {0: [values] * len(double.sites.get(0, []))}
                double.sites = {k: v for k, v in double.sites.items() if v}
                run.records.append(double)
            path = write(directory, "%d-%d.proftext" % (n, i), g.render(run, "%s %d" % (name, i)))
            if i % 2:
                path = as_indexed(path, rng.pick([2, 3, 5, 9, 11, 12, 13, 14]))
            inputs.append((path, rng.pick([1, 1, 2, 1000, 1 << 63]) if n % 3 == 1 else 1))
        yield Case(name, inputs)


def example_cases(directory):
    files = sorted(glob.glob(os.path.join(SOURCE, "examples", "profiles", "*.profraw")))
    yield Case("examples", [(f, 1) for f in files])
    yield Case("examples, weighted", [(f, 1 + i) for i, f in enumerate(files)])
    yield Case("examples, each four times", [(f, 1) for f in files] * 4)
    damaged = []
    for i, f in enumerate(files):
        with open(f, "rb") as file:
            data = file.read()
        damaged.append((write(directory, "damaged-%d.profraw" % i, data[: len(data) * (i + 1) // 14]), 1))
    yield Case("examples with damaged ones", [pair for both in zip(damaged, [(f, 1) for f in files]) for pair in both])
    # MD5 of both names begins with the same 8 bytes; the first file takes longer to read.
    slow = "".join("f%d\n1\n1\n1\n" % i for i in range(20000)) + "khdbkigidoeejblk\n1\n1\n5\n"
    colliding = [write(directory, "slow", slow.encode()), write(directory, "quick", b"jddkacglddeaceof\n1\n1\n7\n")]
    yield Case("two names with one id", [(f, 1) for f in colliding + files[:1]])
    empty = write(directory, "empty", b"")
    yield Case("examples with empty ones", [(f, 1) for f in files[:4]] + [(empty, 1)] * 3)


def corpus_cases():
    """Raw profiles by what may be merged: coverage bytes and entry-only profiles do not go with others."""
    groups = {}
    for path in sorted(glob.glob(os.path.join(CORPUS, "raw", "*.profraw"))):
        command = [ANYPROF, "merge", "--text", path, "-o", "-"]
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if p.returncode != 0:
            continue
        header = [line for line in p.stdout.split(b"\n")[:20] if line.startswith(b":")]
        key = (b":single_byte_coverage" in header, "fonly" in path, b":entry_first" in header)
        groups.setdefault(key, []).append((path, 1))
    for key, inputs in sorted(groups.items()):
        yield Case("corpus %s %s %s" % key, inputs)
    everything = [(path, 1) for path in sorted(glob.glob(os.path.join(CORPUS, "raw", "*.profraw")))]
    if everything:
        yield Case("corpus, everything", everything)


def main():
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command at '%s'" % ANYPROF)
        return 77
    with tempfile.TemporaryDirectory() as directory:
        cases = list(generated_cases(directory)) + list(example_cases(directory)) + list(corpus_cases())
        only = sys.argv[1:]
        left_out = 0
        if only:
            cases = [c for c in cases if any(c.name.startswith(o) for o in only)]
        else:
            cases = _share.pick(cases, lambda case: case.name.split()[0])
            left_out = sum(cases.left_out.values()) * len(OUTPUTS) * (ORDERS * len(THREADS) - 1)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            cases = list(pool.map(Case.run, cases))
    compared = sum(c.compared for c in cases)
    failures = [f for c in cases for f in c.failures]
    for failure in failures[:100]:
        print("FAILED: " + failure)
    print("%d comparisons of %d cases, %d failures" % (compared, len(cases), len(failures)))
    if not only and compared + left_out < FLOOR:
        print("FAILED: fewer comparisons than %d" % FLOOR)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
