# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts of merge --report are true: of every raw profile those of its twin, which an independent decoder wrote; of
every file that llvm-profdata reads what its show prints; of outputs what is in them."""

import json
import os
import re

from _profiles import (
    CORPUS,
    PSEUDO,
    READ_ON_PURPOSE,
    RELEASES,
    Report,
    anyprof,
    dump,
    expected_profiles,
    in_parallel,
    need,
    profdata,
    run,
    twin_names,
    work_directory,
)

VARIANTS = {  # bit: name
    56: "ir",
    57: "context_sensitive",
    58: "entry_first",
    55: "loop_entries",
    61: "entry_only",
    60: "byte_coverage",
    63: "temporal",
    62: "memprof",
    59: "debug_correlate",
}
SHOWN = {"functions": "Total functions", "blocks": "Total number of blocks", "sum": "Total count"}


def variant_names(bits):
    return [name for bit, name in VARIANTS.items() if bits >> bit & 1]


def merge(work, name, *arguments):
    """The report of a merge that may fail; the files are merged into work/name."""
    path = os.path.join(work, name + ".json")
    anyprof("merge", "--quiet", "-o", os.path.join(work, name), "--report=" + path, *arguments)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def number(value):
    return None if value is None else int(value)


def saturated(n):
    return min(n, 2**64 - 1)


# --- inputs -----------------------------------------------------------------------------------------------------


def counts_of(profiles):
    """The counts of all records that are numbers."""
    records = [r["counts"] for p in profiles for r in p["records"]]
    return [c for counts in records if int(counts[0]) not in PSEUDO for c in map(int, counts)]


def check_twin(report, name, entry, profiles):
    if profiles is None:
        report.same(f"{name}: verdict", entry["verdict"], "rejected")
        report.check(f"{name}: has an error", entry["error"] and entry["functions"] is None)
        return
    first = profiles[0]
    want = {
        "kind": "raw",
        "version": first["version"],
        "variant": variant_names(int(first["variant"], 16)),
        "byte_order": first["endian"],
        "pointer_bits": first["pointer_bits"],
        "profiles": len(profiles),
        "functions": sum(len(p["records"]) for p in profiles),
        "counters": sum(len(r["counts"]) for p in profiles for r in p["records"]),
    }
    report.same(f"{name}: entry", {key: entry[key] for key in want}, want)
    report.same(f"{name}: sum", number(entry["sum_of_counts"]), saturated(sum(counts_of(profiles))))
    if None not in [p["binary_ids"] for p in profiles]:
        report.same(f"{name}: ids", entry["binary_ids"], [i for p in profiles for i in p["binary_ids"]])
    release = name.partition("_")[0]
    if release[0].isdigit():
        release = release[:-2] if release.endswith(".0") else release
        report.check(f"{name}: producers {entry['producers']}", release in entry["producers"])


def shown(release, path, *options):
    """The numbers of show, of both kinds of records of a context-sensitive profile together; None: it does not read the
    file."""
    command = [profdata(release), "show", "--detailed-summary", "--binary-ids", *options, path]
    result = run(command)
    if result.code:
        return None
    text = result.out.decode("utf-8", "replace")
    found = {key: re.search(rf"^{line}: (\d+)$", text, re.M) for key, line in SHOWN.items()}
    if None in found.values():
        return None
    ids = re.search(r"^Binary IDs: *\n((?:[0-9a-f]+\n?)*)", text, re.M)
    return {key: int(match[1]) for key, match in found.items()} | {"ids": ids[1].split() if ids else []}


def check_shown(report, path, entry, release):
    """Against llvm-profdata. Of several profiles in a file, some releases print the ids of the last one only."""
    name = os.path.relpath(path, CORPUS)
    values = shown(release, path)
    if values is None:
        report.skip(name, "llvm-profdata does not read it, or prints no totals")
        return
    if "context_sensitive" in entry["variant"]:
        other = shown(release, path, "--showcs")
        if other is None:
            report.skip(name, "no second half")
            return
        values = {key: values[key] + other[key] for key in SHOWN} | {"ids": values["ids"]}
    if entry["profiles"] != 1:
        del values["ids"]
    if number(entry["sum_of_counts"]) == 2**64 - 1:
        del values["sum"]  # LLVM's wraps
    got = {
        "functions": entry["functions"],
        "blocks": entry["counters"],
        "sum": number(entry["sum_of_counts"]),
        "ids": entry["binary_ids"],
    }
    got = {key: got[key] for key in values}
    report.same(f"{name}: {os.path.basename(profdata(release))}", got, values)


def check_dumped(report, path, entry, dumped):
    """Against what opening the file alone says: the merge reads some files in another way."""
    name = os.path.relpath(path, CORPUS)
    if entry["verdict"] == "empty":
        report.same(f"{name}: empty", os.path.getsize(path), 0)
        return
    if "error" in dumped:
        error = dumped["error"]
        offset = None if error["offset"] in (None, 2**64 - 1, str(2**64 - 1)) else int(error["offset"])
        report.same(
            f"{name}: error",
            (entry["verdict"], entry["error"]["code"], entry["error"]["where"], number(entry["error"]["offset"])),
            ("rejected", error["code"], error["where"], offset),
        )
        return
    info = dumped["info"]
    want = {
        "kind": info["format"],
        "version": info["version"] or None,
        "variant": variant_names(int(info["variant"], 16)),
        "producers": info["producers"],
        "functions": info["n_records"],
        "counters": info["n_counters"],
        "binary_ids": info["binary_ids"],
        "findings": [(f["where"], f["code"]) for f in dumped["findings"]],
    }
    got = {key: entry[key] for key in want}
    got["findings"] = [(f["where"], f["code"]) for f in entry["findings"]]
    report.same(f"{name}: as opened alone", got, want)
    report.same(f"{name}: sum", number(entry["sum_of_counts"]), saturated(sum(counts_of([dumped]))))


def check_inputs(report, work):
    raw = need("raw")
    names = twin_names(raw)
    raws = [os.path.join(raw, name + ".profraw") for name in names]
    others = sorted(
        os.path.join(directory, file)
        for directory, _, files in os.walk(os.path.join(CORPUS, "llvm-tests"))
        for file in files
    )
    paths = raws + others
    # Each twice: the second time a raw file takes the fast path.
    whole = merge(work, "all", "--instr", "--failure-mode=warn", *paths, *paths)
    entries = whole["inputs"]
    report.same("paths, in order", [e["path"] for e in entries], paths + paths)
    again = entries[len(paths) :]
    del entries[len(paths) :]
    report.same("the second time", [e["path"] for e, f in zip(entries, again) if e != f], [])
    totals = whole["totals"]
    report.same("verdicts", [e["verdict"] for e in entries + again].count("merged"), totals["merged"])
    merged = [int(e["sum_of_counts"]) for e in entries + again if e["verdict"] == "merged"]
    report.same("sums", number(totals["sum_of_counts"]), saturated(sum(merged)))
    dumped = dump(paths)
    for name, entry in zip(names, entries):
        check_twin(report, name, entry, expected_profiles(raw, name))
    for path, entry in zip(paths, entries):
        if entry["verdict"] == "rejected" and entry["functions"] is not None:
            report.check(f"{path}: contradicts the others", entry["error"]["where"] == "merge.kind")
        check_dumped(report, path, entry if entry["functions"] is None else entry | {"error": None}, dumped[path])
    jobs = []
    for path, entry in zip(paths, entries):
        able = [n for n in RELEASES if profdata(n) and (entry["kind"] != "raw" or str(n) in entry["producers"])]
        if entry["functions"] is None:
            continue
        if os.path.basename(path)[: -len(".profraw")] in READ_ON_PURPOSE:
            report.skip(os.path.basename(path), "llvm-profdata misreads it")
        elif able:
            jobs.append((path, entry, able[-1]))
        else:
            report.skip(os.path.basename(path), "no llvm-profdata of a release that reads it")
    in_parallel(lambda job: check_shown(report, *job), jobs)


# --- outputs ----------------------------------------------------------------------------------------------------


def check_output(report, work, inputs, options):
    name = re.sub("[^a-z0-9]", "_", " ".join(options))
    whole = merge(work, name, *options, *inputs)
    path = os.path.join(work, name)
    dumped = dump([path])[path]
    info, output = dumped["info"], whole["output"]
    want = {
        "kind": info["format"],
        "version": info["version"] or None,
        "variant": variant_names(int(info["variant"], 16)),
        "functions": info["n_records"],
        "path": path,
    }
    report.same(f"{options}: output", {key: output[key] for key in want}, want)
    left = output["left_out"]
    ids = {i for e in whole["inputs"] for i in e["binary_ids"]}
    report.same(f"{options}: ids", len(info["binary_ids"]) + left["binary_ids"], len(ids))
    records = info["n_records"] + left["records"] + left["unexecuted"]
    report.same(f"{options}: functions", records, whole["result"]["functions"])
    if not left["records"]:
        report.same(f"{options}: sum", sum(counts_of([dumped])), number(whole["result"]["sum_of_counts"]))
    report.same(f"{options}: nothing lost", whole["result"]["sum_of_counts"], whole["totals"]["sum_of_counts"])
    report.same(f"{options}: verdict", whole["verdict"], "written")


def check_outputs(report, work):
    names = ("14_ir", "19_vt", "22_vt32", "19_temp", "16_id16", "22_mcdc")
    inputs = [os.path.join(CORPUS, "raw", name + ".profraw") for name in names]
    for options in (
        ["--for=auto"],
        ["--text"],
        ["--text", "--sparse"],
        ["--sparse"],
        ["--for=llvm-13"],
        ["--for=llvm-16", "--sparse"],
        ["--for=llvm-22", "--keep-vtable-symbols"],
        *(["--for=indexed-%d" % v] for v in range(1, 15)),
    ):
        check_output(report, work, inputs, options)


def main():
    report = Report(floor=1700)
    need("raw")
    with work_directory() as work:
        check_inputs(report, work)
        check_outputs(report, work)
    report.finish()


if __name__ == "__main__":
    main()
