#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON of convert, show, overlap, order, diff, lookup, of the reports of merges and of bat is what
docs/schemas says: of the profiles of the examples and of the corpus, and of made ones. The schemas refuse every
document in which something is missing, added, or of another type. json_schemas.py has info and check."""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _profiles as p  # noqa: E402  (found through the line before)
import _schemas as s  # noqa: E402
import json_numbers as numbers  # noqa: E402

EXAMPLES = os.path.join(p.SOURCE, "examples", "profiles")
FLAGS = ("--all-functions", "--counts", "--ic-targets", "--memop-sizes", "--show-vtables", "--topn=3",
         "--hot-func-list", "--detailed-summary", "--binary-ids", "--temporal-profile-traces")
SAMPLE_FLAGS = ("--topn=3", "--detailed-summary", "--show-prof-sym-list")
MADE = {
    "large.proftext": numbers.INSTR,
    "large.prof": numbers.SAMPLE,
    "lines.prof": re.sub(r" !CFG.*\n", "", numbers.SAMPLE),
    "memory.yaml": numbers.MEMPROF,
    "nameless.prof": "123456789:8:7\n 1: 5 987654321:4\n 2: 7:3\n  1: 3\n",
    "contexts.prof": "[main:3.1 @ foo:2 @ bar]:30:1\n 1: 30\n[main]:10:1\n 1: 10\n",
    "marks.proftext": f":ir\nhot\n3\n1\n{2**64 - 1}\n\nwarm\n3\n1\n{2**64 - 2}\n\nb\xe4d\n1\n1\n3\n\n",
    "front.proftext": "main\n0\n2\n3\n4\n$1\n0x5\n\nother.c:idle\n1\n1\n0\n\n",
    "cut.proftext": ":ir\nmain\n5\n2\n1\n",
    "empty.profraw": "",
}


# What no profile here has: dense bitmaps in a lookup, counters of GPUs, functions without a name or with sums that
# were cut, raw files with more than one loss, losses of variant bits and of flags, attributes in functions that differ,
# names and files of types of objects, times of inlined functions.
RECORD = tuple(f"/functions/*/{key}" for key in ("id", "saturated", "uniformity", "uniform_counts"))
INLINED = ("/functions/*/inlined/*/saturated", "/functions/*/inlined/*/first_time", "/functions/*/vtables/*/file",
           "/functions/*/inlined/*/vtables/*/file", "/functions/*/inlined/*/vtables/*/name",
           "/functions/*/context/*/file", "/names/*/file", "/functions/*/inlined/*/vtables/*/demangled",
           "/functions/*/vtables/*/demangled")
ABSENT = {
    "anyprof-lookup-1": (*RECORD, "/functions/*/dense_bitmap"),
    "anyprof-merge-report-1": ("/inputs/*/salvage/lost_sections", "/output/left_out/variant"),
    "anyprof-profile-1": (*RECORD, "/names"),
    "anyprof-sample-1": INLINED,
    "anyprof-sample-show-1": INLINED,
    "anyprof-sample-diff-1": ("/functions/*/a/attributes", "/functions/*/b/attributes"),
    "anyprof-sample-merge-report-1": ("/output/left_out/flags",),
}


def json_of(*command):
    done = p.anyprof(*command)
    return done.out if done.code in (0, 1, 3) and done.out[:1] == b"{" else b""


def of_profile(path, is_sample):
    kind = ("--sample",) if is_sample else ()
    yield json_of("convert", "--to=json", path, *kind)
    yield json_of("show", "--json", *(SAMPLE_FLAGS if is_sample else FLAGS), path, *kind)
    yield json_of("show", "--json", path, *kind)
    yield json_of("show", "--json", "--demangle", *(SAMPLE_FLAGS if is_sample else FLAGS), path, *kind)
    if not is_sample:
        yield json_of("show", "--json", "--covered", path)
        yield json_of("show", "--json", "--list-below-cutoff", "--value-cutoff=100", path)
        yield json_of("show", "--json", "--demangle", "--list-below-cutoff", "--value-cutoff=100", path)
        yield json_of("order", "--json", "--demangle", path)
        yield json_of("order", "--json", "--num-test-traces=1", path)
    for name in ("main", "foo"):
        yield json_of("lookup", "--json", path, name, *kind)
        yield json_of("lookup", "--json", "--demangle", path, name, *kind)


def of_pair(a, b, is_sample):
    kind = ("--sample",) if is_sample else ()
    yield json_of("overlap", "--json", a, b, "--value-cutoff=1", *kind)
    yield json_of("overlap", "--json", a, b, "--function=a", *kind)
    yield json_of("overlap", "--json", "--demangle", a, b, "--value-cutoff=1", *kind)
    yield json_of("diff", "--json", a, b, *kind)
    yield json_of("diff", "--json", "--demangle", a, b, *kind)


def report_of(directory, *command):
    made = os.path.join(directory, "report.json")
    if os.path.exists(made):
        os.remove(made)
    p.anyprof("merge", f"--report={made}", "-o", os.path.join(directory, "out"), *command)
    if not os.path.exists(made):
        return b""
    with open(made, "rb") as file:
        return file.read()


def of_merges(directory, instr, samples):
    cut = os.path.join(directory, "cut.profraw")
    with open(os.path.join(EXAMPLES, "clang-22-ir.profraw"), "rb") as file, open(cut, "wb") as to:
        to.write(file.read()[:-300])
    odd = os.path.join(directory, "odd\udcff.proftext")
    with open(odd, "wb") as file:
        file.write(b"main\n1\n1\n3\n")
    quirk = os.path.join(directory, "quirk.profraw")
    with open(os.path.join(EXAMPLES, "clang-14-ir.profraw"), "rb") as file, open(quirk, "wb") as to:
        data = file.read()
        to.write(data + bytes(4) + data)  # an odd length
    bad = [quirk, os.path.join(directory, "cut.proftext"), os.path.join(directory, "empty.profraw"), odd, p.ANYPROF]
    for extra in ((), ("--for=llvm-13",), ("--for=llvm-22", "--salvage"), ("--text",), ("--failure-mode=all",),
                  ("--max-loss=99", "--salvage"), ("--for=indexed-4", "--drop-memprof")):
        yield report_of(directory, *extra, *instr)
        yield report_of(directory, *extra, *bad, cut, *instr[:3])
    for path in instr:
        yield report_of(directory, path)
    sample = os.path.join(directory, "large.prof")
    for path in instr:
        yield report_of(directory, f"--supplement-instr-with-sample={sample}", path)
    for target in ("llvm-16", "llvm-22", "gcc-12", "gcc-16", "llvm-8"):
        for path in samples:
            yield report_of(directory, "--sample", f"--for={target}", path)
    yield report_of(directory, "--sample", "--max-loss=99", "--salvage", *bad, *samples)
    yield report_of(directory, "--sample", "--text", *samples)
    made = os.path.join(directory, "report.json")  # the output cannot be written
    p.anyprof("merge", f"--report={made}", "-o", os.path.join(directory, "none", "out"), instr[0])
    p.anyprof("merge", f"--report={made}", "-o", "/dev/full", instr[0])
    with open(made, "rb") as file:
        yield file.read()


def of_tables():
    for path in sorted(glob.glob(os.path.join(p.CORPUS, "bat", "*.sec"))):
        for command in ("dump", "stats"):
            yield json_of("bat", command, "--json", path)
        yield json_of("bat", "translate", "--json", path, "0x400500", "0x600500", "0x0")
    for command in ("dump", "stats"):
        yield json_of("bat", command, "--json", os.path.join(p.CORPUS, "bolt", "prog.b22"))


def corpus(room, n):
    found = [path for path in sorted(glob.glob(os.path.join(p.CORPUS, room, "**", "*"), recursive=True))
             if os.path.isfile(path) and not path.endswith((".md", ".json"))]
    return found[::1 + len(found) // n]


def documents(directory):
    """Documents of all schemas, as they were written."""
    made = []
    for name, text in MADE.items():
        made.append(os.path.join(directory, name))
        with open(made[-1], "w", encoding="latin-1") as file:
            file.write(text)
    instr = sorted(glob.glob(os.path.join(EXAMPLES, "*.profraw")))
    instr += [path for path in made if not path.endswith((".prof", ".yaml"))]
    samples = sorted(glob.glob(os.path.join(EXAMPLES, "*.prof"))) + [path for path in made if path.endswith(".prof")]
    fuzz = os.path.join(p.SOURCE, "fuzz", "corpus")
    seeds = sorted(glob.glob(os.path.join(fuzz, "json_profile", "*")) + glob.glob(os.path.join(fuzz, "memprof", "*")))
    for path in (*instr, *seeds, *corpus("raw", 40), *corpus("llvm-tests", 40), os.path.join(directory, "memory.yaml")):
        yield from of_profile(path, False)
    seeds = sorted(glob.glob(os.path.join(fuzz, "sample_gcc", "*")) + glob.glob(os.path.join(fuzz, "sample_json", "*")))
    for path in (*samples, *seeds, *corpus("sample", 60), *corpus("afdo", 20)):
        yield from of_profile(path, True)
    for a, b in zip(instr, instr[2:]):  # of one level of instrumentation: the examples alternate
        yield from of_pair(a, b, False)
    for a in samples:  # without the largest counts, whose sums wrap as in LLVM
        for b in samples:
            yield from of_pair(a, b, True) if "large.prof" not in a + b and "lines.prof" not in a + b else ()
    yield from of_merges(directory, instr, samples)
    yield from of_tables()


def main():
    report = p.Report(floor=2000)
    names = [name[:-len(".schema.json")] for name in sorted(os.listdir(s.DIRECTORY))]
    theirs = [name for name in names if name.startswith("anyprof-") and "-cov-" not in name and
              name not in ("anyprof-info-1", "anyprof-check-1") and not s.is_of_programs(name)]
    schemas = {}
    for name in theirs:
        schema = s.Schema(report, name)
        schema.other, schema.optional = s.facts(schema)
        schemas[name[:-2]] = schema
    with p.work_directory() as directory:
        for data in documents(directory):
            match = re.match(rb'\{\s*"schema": "(anyprof-[a-z-]+)/1"', data)
            if match and match[1].decode() in schemas:
                name = match[1].decode()
                schemas[name].add(f"document {len(schemas[name].documents)}", data)
    for schema in schemas.values():
        report.check(f"{schema.name}: there are documents", schema.documents)
        schema.change_everything(ABSENT.get(schema.name, ()))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
