#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles through JSON and back: every file of the corpus and profiles made from seeds.

What is read from the JSON is what was read from the file, by the public interface (dump_profile), and is converted to
the same bytes as the file itself: indexed for the compiler that made it, the oldest and the newest version, and text.
The same JSON with its keys in another order and without blanks means the same. Python's reader understands it, and
finds in it what the public interface says. Memory profiles (oracle/memprof.py makes them in every version, with few
fields and with all) are in the JSON of what they are in, and no byte of them is lost. llvm-profdata-22 shows of a
converted file what it shows of its own.
"""

import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402
import _memprof  # noqa: E402
from _profiles import (  # noqa: E402
    SOURCE,
    Report,
    anyprof,
    dump,
    in_parallel,
    is_sample_profile,
    need,
    profdata,
    run,
    work_directory,
)

FLOOR = 4200  # comparisons
FLOOR_WITHOUT_LLVM = 4100
OUTPUTS = {
    "auto": ["--to=indexed", "--keep-vtable-symbols"],
    "14": ["--to=indexed", "--for=indexed-14"],
    "1": ["--to=indexed", "--for=indexed-1"],
    "llvm-16": ["--to=indexed", "--for=llvm-16", "--sparse"],
    "text": ["--to=text"],
}
ODD = ['"', "\\", "\x01", "\x7f", "\u0085", "\u20ac", "\U0001f600", '{"', "\udcff"]
# The same with merge.
MERGES = {
    "auto": ["--keep-vtable-symbols"],
    "14": ["--for=indexed-14"],
    "1": ["--for=indexed-1"],
    "text": ["--text"],
}
UNLIMITED = ["--temporal-profile-trace-reservoir-size=1000000", "--temporal-profile-max-trace-length=1000000"]
VALUE_KEYS = ("indirect_calls", "memory_sizes", "vtables")


def corpus_files():
    found = []
    for top in (need("raw"), need("llvm-tests"), os.path.join(SOURCE, "examples", "profiles")):
        for directory, _, names in os.walk(top):
            found += [
                os.path.join(directory, n)
                for n in names
                if os.path.splitext(n)[1] in (".profraw", ".profdata", ".proftext", ".v1", ".v2", ".v3", ".v4", ".v10")
            ]
    different = {}  # LLVM's tests are much the same in several releases
    for path in sorted(found):
        with open(path, "rb") as file:
            different.setdefault(file.read(), path)
    # Sample profiles are not what `convert` makes indexed profiles of: sample_formats.py has them.
    return [path for path in sorted(different.values()) if not is_sample_profile(path)]


def generated_files(work):
    """Names that are no UTF-8 or need escapes, vtables, bitmaps, traces, pseudo counts, the largest counts."""
    found = []
    for i in range(40):
        header = [["ir"], [], ["csir"], ["fe"], ["ir", "entry_first"]][i % 5]
        profile = g.make_profile(
            f"convert {i}", functions=[3, 20, 100, 0][i % 4], header=header, values=40, wide=20, pseudo=5,
            bitmaps=30, several_hashes=20, odd=i % 2 == 0, huge_values=i % 3 == 0, kinds=(0, 1, 2),
            counts=["huge", None, "zero"][i % 3], traces=[None, 120][i % 7 == 0], mixed=True,
        )
        for n, record in enumerate(profile.records):
            if n % 5 == 0:
                record.name = ODD[n // 5 % len(ODD)] + record.name
        path = os.path.join(work, f"generated{i}.proftext")
        with open(path, "wb") as file:
            file.write(render(profile))
        found.append(path)
    return found


def render(profile):
    """g.render encodes as UTF-8, which has no lone surrogates."""
    marked = {}
    for record in profile.records:
        for c in record.name:
            if "\udc80" <= c <= "\udcff":
                marked[c] = True
    for record in profile.records:
        record.name = "".join(chr(0xF0000 + ord(c)) if c in marked else c for c in record.name)
    data = g.render(profile)
    for c in marked:
        data = data.replace(chr(0xF0000 + ord(c)).encode(), bytes([ord(c) - 0xDC00]))
    return data


def content(dumped):
    """Returns the part that a file and its JSON have in common."""
    if "info" not in dumped:
        return dumped
    info = dict(dumped["info"])
    del info["format"]
    records = [dict(r) for r in dumped["records"]]
    for record in records:
        record.pop("offset", None)
    return {"info": info, "summary": dumped.get("summary"), "records": records}


def number(v):
    return int(v, 0) if isinstance(v, str) else v


def compare_document(report, name, path, dumped):
    """Compares the document as Python reads it."""
    with open(path, "rb") as file:
        data = file.read()
    document = json.loads(data)
    report.check(f"{name}: schema", document["schema"] == "anyprof-profile/1")
    functions = [
        (f["name"] or "", number(f["hash"]), [number(c) for c in f["counts"]], f.get("bitmap", ""))
        for f in document["functions"]
    ]
    wanted = [
        (r["name"] or "", number(r["hash"]), [number(c) for c in r["counts"]], r["bitmap"]) for r in dumped["records"]
    ]
    report.same(f"{name}: functions in JSON", functions, wanted)
    return document


def shuffled(document):
    """The same, written in another way: keys in another order, counts as strings, no blanks."""
    for function in document["functions"]:
        function["counts"] = [str(c) for c in function["counts"]]
        function["unknown"] = [{"a": [1.5e3, None, True]}]
    return json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


class File:
    def __init__(self, path, work, number_):
        self.path, self.name = path, os.path.basename(path)
        self.base = os.path.join(work, f"f{number_}")
        self.json = self.base + ".json"
        self.read = False

    def convert(self):
        """Everything that starts processes; what came out is compared later."""
        result = anyprof("convert", "--drop-memprof", self.path, "-o", self.json)
        self.code, self.errors = result.code, result.errors()
        if self.code:
            return self
        self.again = self.base + ".again.json"
        anyprof("convert", self.json, "-o", self.again)
        self.made = {}
        for what, options in OUTPUTS.items():
            commands = [
                ["convert", *options, "--drop-memprof", self.path],
                ["convert", *options, self.json],
            ]
            if what in MERGES:
                commands.append(["merge", "-j", "1", "--drop-memprof", *UNLIMITED, *MERGES[what], self.path])
            self.made[what] = []
            for i, command in enumerate(commands):
                out = f"{self.base}.{what}.{i}"
                code = anyprof(*command, "--quiet", "-o", out).code
                self.made[what].append((code, content_of(out)))
        with open(self.json, "rb") as file:
            document = json.loads(file.read())
        with open(self.base + ".order.json", "wb") as file:
            file.write(shuffled(document))
        anyprof("convert", self.base + ".order.json", "-o", self.base + ".back.json")
        return self


def content_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def compare(report, file, dumped, dumped_json):
    refused = "error" in dumped
    report.check(f"{file.name}: exit code", (file.code != 0) == refused, file.errors)
    if refused or file.code:
        return
    report.same(f"{file.name}: what is read", content(dumped_json), content(dumped))
    report.same(f"{file.name}: JSON of JSON", content_of(file.again), content_of(file.json))
    report.same(f"{file.name}: other order", content_of(file.base + ".back.json"), content_of(file.json))
    compare_document(report, file.name, file.json, dumped)
    for what, (direct, *others) in file.made.items():
        for other, how in zip(others, ("JSON", "merge")):
            report.same(f"{file.name}: {what} of {how}", other, direct)


def compare_llvm(report, files, work):
    """llvm-profdata-22 shows text and indexed files that came from JSON as it shows its own conversions of the
    originals. It reads all raw files of its own version."""
    show = [profdata(22), "show", "--all-functions", "--counts", "--ic-targets", "--memop-sizes"]

    def work_on(file):
        ours, theirs = file.base + ".ours", file.base + ".theirs"
        if run([profdata(22), "merge", *UNLIMITED, file.path, "-o", theirs]).code:
            return None
        if anyprof("convert", "--quiet", "--for=llvm-22", "--to=indexed", file.json, "-o", ours).code:
            return (1, 0)
        shown = [run([*show, path]) for path in (ours, theirs)]
        return [sorted(s.out.splitlines()) for s in shown]

    # Records that contradict each other: which one stays is decided in another way (docs/differences.md).
    chosen = [
        f
        for f in files
        if not f.code and f.path.endswith((".proftext", ".profdata")) and not f.name.startswith("counter-mismatch")
    ][::2]
    for file, pair in zip(chosen, in_parallel(work_on, chosen)):
        if pair is None:
            report.skip(file.name, "llvm-profdata-22 does not merge it")
        else:
            report.same(f"{file.name}: shown by LLVM", pair[0], pair[1])


def memory_files(work):
    """Each with the options of the target that reads it."""
    rng = random.Random(22)
    for i in range(4):
        yaml = os.path.join(work, f"memory{i}.yaml")
        with open(yaml, "w", encoding="utf-8") as file:
            file.write(_memprof.make_yaml(rng, [1, 3, 20, 60][i], data=i % 3 != 0))
        counts = [os.path.join(work, "counts.proftext")] if i % 2 else []
        for path in counts:
            with open(path, "w", encoding="utf-8") as file:
                file.write(":ir\nmain\n1\n2\n3\n4\n\n")
        yield yaml, []
        for version in range(5):
            for schema in ([], ["--memprof-full-schema"]):
                target = "--for=llvm-" + ("19" if version < 2 else "22")
                path = os.path.join(work, f"memory{i}.{version}.{len(schema)}")
                if anyprof("merge", "--quiet", target, f"--memprof-version={version}", *schema, yaml, *counts,
                           "-o", path).code == 0:
                    yield path, [target]
        if profdata(22) and run([profdata(22), "merge", yaml, "-o", yaml + ".llvm"]).code == 0:
            yield yaml + ".llvm", []


def memory_count(path):
    """Of functions, contexts and call sites in the JSON, as Python reads it."""
    with open(path, "rb") as file:
        functions = json.loads(file.read())["memprof"]["functions"]
    return [len(functions), sum(len(f["allocs"]) for f in functions), sum(len(f["call_sites"]) for f in functions)]


def compare_memory(report, work):
    def work_on(entry):
        path, options = entry
        document, again = path + ".json", path + ".again.json"
        codes = [anyprof("convert", "--to=json", path, "-o", document).code,
                 anyprof("convert", document, "-o", again).code]
        pairs = [(content_of(document), content_of(again))]
        for target in (options, ["--for=indexed-14"]):
            for tail, source in enumerate((path, document)):
                codes.append(anyprof("convert", "--quiet", "--to=indexed", *target, source, "-o",
                                     f"{path}.{tail}").code)
            pairs.append((content_of(path + ".0"), content_of(path + ".1")))
        shown = [anyprof("show", "--memory", p).out for p in (path, document)]
        return codes, [*pairs, shown]

    files = list(memory_files(work))
    for (path, _), (codes, pairs) in zip(files, in_parallel(work_on, files)):
        name = os.path.basename(path)
        report.same(f"{name}: exit codes", codes, [0] * len(codes))
        for what, (a, b) in zip(("JSON of JSON", "indexed", "indexed 14", "shown"), pairs):
            report.check(f"{name}: {what}", a and a == b)
        if path.endswith(".yaml"):
            text = content_of(path).decode()
            report.same(f"{name}: functions", memory_count(path + ".json")[0], len(set(
                line.split()[-1] for line in text.splitlines() if "GUID:" in line)))


def main():
    report = Report(FLOOR if profdata(22) else FLOOR_WITHOUT_LLVM)
    with work_directory() as work:
        paths = corpus_files() + generated_files(work)
        files = in_parallel(lambda i: File(paths[i], work, i).convert(), range(len(paths)))
        read = [f for f in files if not f.code]
        dumped = dump([f.path for f in files] + [f.json for f in read])
        for file in files:
            compare(report, file, dumped[file.path], dumped.get(file.json))
        print(f"{len(files)} files, {len(read)} of them read")
        compare_memory(report, work)
        if profdata(22):
            compare_llvm(report, files, work)
        else:
            report.skip("comparisons with LLVM", "there is no llvm-profdata-22")
    report.finish()


if __name__ == "__main__":
    main()
