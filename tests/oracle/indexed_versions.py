#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every version of the indexed format: inputs of all kinds are written as versions 1 to 14, read by an independent
reader that accounts for every byte, and compared with `merge --text` of the same inputs.

What a version cannot hold has to be missing in exactly the way that is written down here, and to be counted on standard
error; everything else has to be there. Then anyprof reads its own files back, and the llvm-profdata that wrote the
version shows the same counts.
"""

import hashlib
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate  # noqa: E402
import _indexed  # noqa: E402
import _share  # noqa: E402
from _profiles import (  # noqa: E402
    ANYPROF,
    BUILD,
    CORPUS,
    EXTERNAL,
    KINDS,
    SOURCE,
    Crash,
    Report,
    TextError,
    anyprof,
    dump,
    in_parallel,
    parse_text,
    profdata,
    run,
    skip,
    work_directory,
)

MAKE_RAW = os.path.join(BUILD, "tests", "make_raw")
FLOOR = 11000  # comparisons, without corpus and tools; these make it more
HOT, WARM = 2**64 - 1, 2**64 - 2
FLAGS = {"ir": _indexed.IR, "csir": _indexed.IR | _indexed.CS, "entry_first": _indexed.ENTRY_FIRST,
                "instrument_loop_entries": _indexed.LOOP_ENTRIES, "single_byte_coverage": _indexed.BYTE_COVERAGE}
# Releases whose llvm-profdata writes a version, among those that are tested with.
TOOLS = {7: (13, 14), 8: (15,), 9: (16,), 12: (19,), 13: (22,)}


# --- what a version can hold: the specification's tables, sections 1, 2 and 5, and the releases in 2.2 --------------


def value_kinds(version):
    """Kinds 0, 1 (LLVM 5, version 4) and 2 (LLVM 19, version 12); values from version 3 (LLVM 3.8) on."""
    return 0 if version < 3 else 1 if version < 4 else 2 if version < 12 else 3


def variants(version):
    """Bits known to the newest release that writes the version: IR 3.9; CS 9; entry first 12; coverage 14; temporal 17;
    loop entries 20."""
    bits = 0
    for first, bit in ((4, _indexed.IR), (5, _indexed.CS), (7, _indexed.ENTRY_FIRST), (7, _indexed.BYTE_COVERAGE),
                       (7, _indexed.ENTRY_ONLY), (10, _indexed.TEMPORAL), (12, _indexed.LOOP_ENTRIES)):
        bits |= bit if version >= first else 0
    return bits


def separator(version):
    """Between file and name of a local function of an IR profile: ';' from LLVM 18, which writes version 11."""
    return ":" if version < 11 else ";"


def renamed(name, to):
    """The name as the target's compilers have it. A colon after a drive letter, and those of Objective-C methods and
    of names in quotes, separate nothing; nor does one at an end."""
    own = ":" if to == ";" else ";"
    at = name.find(own)
    if own == ":" and at == 1 and len(name) > 2 and name[2] in "\\/":
        at = name.find(own, 2)
    if at <= 0 or at == len(name.encode("utf-8", "surrogateescape")) - 1 or name[at + 1:] == "":
        return name
    if own == ":" and name[0] in "-+\1":
        return name
    return name[:at] + to + name[at + 1:]


class Want:
    """The contents that a file of a version must have, from the text of the same input and from the input itself."""

    def __init__(self, text, info, version, keep_vtables):
        self.version = version
        bits = info["variant"]
        for flag in text.flags:
            bits |= FLAGS[flag]
        bits |= _indexed.TEMPORAL if text.stream_size is not None else 0
        self.to = separator(version) if bits & _indexed.IR else None
        self.renames = any(self.name(n) != n for n in info["names"])
        self.dropped = dict.fromkeys(("record", "value site", "bitmap", "temporal trace", "binary id", "vtable name",
                                      "set of uniformity bits", "flag of the profile"), 0)
        self.records = self.make_records(text)
        self.traces = [(w, [self.name(n) for n in names if n]) for w, names in text.traces]
        self.stream_size = text.stream_size or 0
        self.ids = sorted(set(info["ids"]))
        self.vtable_names = sorted(info["vtable_names"]) if keep_vtables else []
        if not keep_vtables:
            self.dropped["vtable name"] = len(info["vtable_names"])
        self.drop_sections(bits)

    def name(self, name):
        return renamed(name, self.to) if self.to else name

    def make_records(self, text):
        """{name: {hash: content}}"""
        names = {}
        for r in text.records:
            sites = [[[(t if k == 1 or t == EXTERNAL else self.name(t), c) for t, c in site] for site in r.sites[k]]
                     for k in range(KINDS)]
            own = names.setdefault(self.name(r.name), {})
            content = {"counts": r.counts, "bitmap": r.bitmap, "sites": sites}
            own[r.hash] = together(own[r.hash], content) if r.hash in own else content
        if self.version == 1:
            names = {name: self.hottest(own) for name, own in names.items()}
        for content in (c for own in names.values() for c in own.values()):
            self.drop_parts(content)
            content["sites"] = self.ordered(content["sites"])
        return names

    def hottest(self, own):
        """Version 1 holds one record for each name: the one with the highest count, of equals that of the lowest hash.
        What the others lose with their records is not counted again."""
        best = max(sorted(own), key=lambda h: max(own[h]["counts"]))
        self.dropped["record"] += len(own) - 1
        return {best: own[best]}

    def drop_parts(self, content):
        for k in range(value_kinds(self.version), KINDS):
            self.dropped["value site"] += len(content["sites"][k])
            content["sites"][k] = []
        if self.version < 11 and content["bitmap"]:
            self.dropped["bitmap"] += 1
            content["bitmap"] = []

    def ordered(self, sites):
        """Where a target is renamed, values of equal counts are in the order of their new ids, and equal ones are added
        up: names do not show that order, so it is left out of account."""
        return [[added_up(site) for site in own] for own in sites] if self.renames else sites

    def drop_sections(self, bits):
        if self.version < 10:
            self.dropped["temporal trace"], self.traces, self.stream_size = len(self.traces), [], 0
            bits &= ~_indexed.TEMPORAL
        if self.version < 9:
            self.dropped["binary id"], self.ids = len(self.ids), []
        if self.version < 12:
            self.dropped["vtable name"] += len(self.vtable_names)
            self.vtable_names = []
        self.dropped["flag of the profile"] = bin(bits & ~variants(self.version)).count("1")
        self.variant = bits & variants(self.version)


def added_up(site):
    sums = {}
    for target, count in site:
        sums[target] = min(sums.get(target, 0) + count, 2**64 - 1)
    return sorted(sums.items(), key=str)


def together(a, b):
    """Two records that have one name now."""
    assert len(a["counts"]) == len(b["counts"]) and not a["bitmap"] and not b["bitmap"]
    return {"counts": [min(x + y, 2**64 - 3) for x, y in zip(a["counts"], b["counts"])], "bitmap": [],
            "sites": [[x + y for x, y in zip(p, q, strict=True)] for p, q in zip(a["sites"], b["sites"])]}


# --- the comparison ---------------------------------------------------------------------------------------------


def content_of(found, want):
    """The records of a file as Want has them: targets by name where a record has it, as the text does."""
    names = {_indexed.name_hash(key): key.decode("utf-8", "surrogateescape") for key in found.keys}
    vtables = {_indexed.name_hash(key): key.decode("utf-8", "surrogateescape") for key in found.vtable_names}
    records = {}
    for r in found.records:
        sites = [[[(v if k == 1 else names.get(v) or vtables.get(v) or EXTERNAL, c) for v, c in site]
                  for site in r.sites[k]] for k in range(KINDS)]
        own = records.setdefault(r.name.decode("utf-8", "surrogateescape"), {})
        own[r.hash] = {"counts": r.counts, "bitmap": list(r.bitmap), "sites": want.ordered(sites)}
    return records


PIECES = {
    "record": "records?",
    "value site": "value sites?",
    "bitmap": "bitmaps?",
    "temporal trace": "temporal traces?",
    "binary id": "binary ids?",
    "vtable name": "vtable names?",
    "set of uniformity bits": "sets? of uniformity bits",
    "flag of the profile": "flags? of the profile",
}


def said(errors):
    """The numbers of the line on standard error that says what was left out."""
    counts = dict.fromkeys(PIECES, 0)
    for line in errors.splitlines():
        if "left out of the output (indexed version" not in line:
            continue
        for piece in line.partition("): ")[2].partition("; ")[0].split(", "):
            n, _, what = piece.partition(" ")
            name = [k for k, pattern in PIECES.items() if re.fullmatch(pattern, what)]
            counts[name[0] if name else what] = int(n)
    return counts


def traces_of(found):
    names = {_indexed.name_hash(key): key.decode("utf-8", "surrogateescape") for key in found.keys}
    return [(weight, [names[i] for i in ids if i in names]) for weight, ids in found.traces]


class Case:
    def __init__(self, name, inputs, options=(), keep_vtables=True, uniformity=None, tools=True):
        """uniformity: {(name, hash): bytes or None} of the records of version 14, or None where there are none."""
        self.name, self.inputs, self.options = name, list(inputs), list(options)
        self.keep_vtables, self.uniformity, self.tools = keep_vtables, uniformity or {}, tools

    def merge(self, *more):
        keep = ["--keep-vtable-symbols"] if self.keep_vtables else []
        return anyprof("merge", *keep, *self.options, *more, *self.inputs)


def check_version(report, case, text, info, version, path):
    """True when the file was written and is sound."""
    what = f"{case.name} version {version}"
    result = case.merge(f"--for=indexed-{version}", "-o", path)
    if not report.check(what + ": merge", result.code == 0, result.errors()):
        return False
    with open(path, "rb") as file:
        data = file.read()
    try:
        found = _indexed.Indexed(data)
    except _indexed.IndexedError as error:
        return report.check(what + ": reader", False, str(error))
    want = Want(text, info, version, case.keep_vtables)
    report.same(what + ": records", content_of(found, want), want.records)
    report.same(what + ": version", (found.version, hex(found.variant)), (version, hex(want.variant)))
    report.same(what + ": traces", (traces_of(found), found.stream_size), (want.traces, want.stream_size))
    report.same(what + ": binary ids", [i.hex() for i in found.ids], want.ids)
    vtables = sorted(n.decode("utf-8", "surrogateescape") for n in found.vtable_names)
    report.same(what + ": vtable names", vtables, want.vtable_names)
    bits = {(r.name.decode("utf-8", "surrogateescape"), r.hash): r.uniformity for r in found.records if r.uniformity}
    uniform = {(want.name(n), h): b for (n, h), b in case.uniformity.items() if b}
    report.same(what + ": uniformity", bits, uniform if version >= 14 else {})
    if version < 14:
        want.dropped["set of uniformity bits"] = len({k for k in uniform if k[1] in want.records.get(k[0], {})})
    report.same(what + ": standard error", said(result.errors()), want.dropped)
    check_read_back(report, what, path, want)
    if case.tools:
        check_tools(report, what, path, version, want)
    return True


# --- reading back -----------------------------------------------------------------------------------------------


def check_read_back(report, what, path, want):
    """anyprof's text of its own file is that file's content."""
    result = anyprof("merge", "--text", "--keep-vtable-symbols", path)
    if not report.check(what + ": read back", result.code == 0, result.errors()):
        return
    back = parse_text(result.out)
    records = {}
    for r in back.records:
        records.setdefault(r.name, {})[r.hash] = {"counts": r.counts, "bitmap": r.bitmap,
                                                     "sites": want.ordered(r.sites)}
    report.same(what + ": records read back", records, want.records)
    bits = _indexed.TEMPORAL if back.stream_size is not None else 0
    for flag in back.flags:
        bits |= FLAGS[flag]
    report.same(what + ": flags read back", hex(bits), hex(want.variant & ~_indexed.ENTRY_ONLY))
    traces = [(w, [n for n in names if n]) for w, names in back.traces]
    report.same(what + ": traces read back", (traces, back.stream_size or 0), (want.traces, want.stream_size))


# --- llvm-profdata ----------------------------------------------------------------------------------------------

FUNCTION = re.compile(
    r"^  (?P<name>\S.*):\n    Hash: (?P<hash>0x[0-9a-f]{16})\n    Counters: (?P<n>\d+)\n"
    r"(?:    Function count: (?P<entry>\d+)\n)?(?:    Number of Bitmap Bytes: \d+\n)?"
    r"    Block counts: \[(?P<counts>[0-9, ]*)\]\n", re.M)


def shown_counts(tool, path, *more):
    result = run([tool, "show", "--all-functions", "--counts", *more, path])
    if result.code:
        return result.errors()
    text = result.out.decode("utf-8", "surrogateescape")
    found = {}
    for m in FUNCTION.finditer(text):
        counts = [int(m["entry"])] if m["entry"] else []
        counts += [int(c) for c in m["counts"].split(",") if c.strip()]
        if len(counts) != int(m["n"]):
            return f"{m['name']} has {len(counts)} counts, not {m['n']}"
        found[(m["name"], int(m["hash"], 16))] = counts
    shown = re.search(r"^Functions shown: (\d+)$", text, re.M)
    if not shown or int(shown[1]) != len(found):
        return f"{len(found)} functions were understood of {shown and shown[1]}"
    return found


def check_tools(report, what, path, version, want):
    counts = {(n, h): c["counts"] for n, own in want.records.items() for h, c in own.items()}
    if any(c[0] in (HOT, WARM) for c in counts.values()):
        return report.skip(what, "llvm-profdata does not show functions with pseudo counts")
    if any("\n" in n for n, _ in counts):
        return report.skip(what, "a name that cannot be parsed in a listing")
    for release in TOOLS.get(version, ()):
        tool = profdata(release)
        if not tool:
            report.skip(what, f"llvm-profdata-{release} is not installed")
            continue
        try:
            found = shown_counts(tool, path)
            if want.variant & _indexed.CS:
                more = shown_counts(tool, path, "--showcs")
                found = {**found, **more} if isinstance(found, dict) and isinstance(more, dict) else (found, more)
            elif want.variant & _indexed.IR:  # it hides what has the bit
                counts = {k: c for k, c in counts.items() if not k[1] & _indexed.HASH_CS}
        except Crash as error:
            found = str(error)
        report.same(f"{what}: llvm-profdata-{release}", found, counts)


# --- inputs -----------------------------------------------------------------------------------------------------


def generated_cases(directory):
    headers = ([], ["ir"], ["csir"], ["ir", "entry_first"], ["ir", "instrument_loop_entries"], ["single_byte_coverage"],
               ["fe"], ["ir", "temporal_prof_traces"])
    everything = {"values": 60, "bitmaps": 40, "several_hashes": 30, "most_hashes": 6, "odd": True, "wide": 10,
                  "most_values": 300}
    cases = []
    for seed in range(40):
        header = [h for h in headers[seed % len(headers)] if h != "temporal_prof_traces"]
        options = dict(everything, functions=(1, 2, 3, 12, 25, 60, 200)[seed % 7], header=header)
        if "ir" in header or "csir" in header:
            options["most_values"] = 200  # where targets are renamed, which of equal counts are cut off is not defined
        if "temporal_prof_traces" in headers[seed % len(headers)]:
            options["traces"] = 5
        options["pseudo"] = 10 if seed % 5 == 0 else 0
        options["counts"] = ("huge", "zero", "plain")[seed % 3]
        options["huge_values"] = seed % 4 == 0
        path = os.path.join(directory, f"text{seed}.proftext")
        with open(path, "wb") as file:
            file.write(_generate.render(_generate.make_profile(f"versions {seed}", **options)))
        cases.append(Case(f"text {seed}", [path]))
    weighted = "--weighted-input=7," + cases[8].inputs[0]
    cases.append(Case("several texts", [c.inputs[0] for c in cases[:40:8]], [weighted]))
    return cases


def example_cases():
    profiles = os.path.join(SOURCE, "examples", "profiles")
    paths = sorted(os.path.join(profiles, f) for f in os.listdir(profiles) if f.endswith(".profraw"))
    cases = [Case(os.path.basename(p), [p]) for p in paths]
    cases.append(Case("all IR examples", [p for p in paths if p.endswith("-ir.profraw")]))
    cases.append(Case("all front-end examples", [p for p in paths if p.endswith("-fe.profraw")], keep_vtables=False))
    return cases


def corpus_cases():
    raw = os.path.join(CORPUS, "raw")
    if not os.path.isdir(raw):
        return []
    cases = []
    for name in sorted(f for f in os.listdir(raw) if f.endswith(".profraw")):
        path = os.path.join(raw, name)
        if anyprof("merge", "--text", "-o", os.devnull, path).code == 0 and os.path.getsize(path):
            cases.append(Case(name, [path], uniformity=twin_uniformity(path)))
    return cases


def bits_of(counts, uniform):
    """All set, those after the last counter too, but where a uniform counter is below nine tenths of the count."""
    bits = bytearray(b"\xff" * ((len(counts) + 7) // 8))
    for i, (count, same) in enumerate(zip(counts, uniform)):
        if same < count - count // 10:
            bits[i // 8] &= ~(1 << i % 8)
    return bytes(bits)


def twin_uniformity(path):
    with open(path[: -len(".profraw")] + ".json", encoding="utf-8") as file:
        twin = json.load(file)
    return {(r["name"], r["hash"]): bits_of(r["counts"], r["uniform"])
            for p in twin.get("profiles", []) for r in p["records"] if r.get("uniform")}


def uniform_cases(directory):
    """Files of tests/helpers/make_raw.c, and what has to become of the uniform counters when they are merged."""
    done = subprocess.run([MAKE_RAW, directory], capture_output=True, check=True, timeout=60)
    files = {}
    for line in done.stdout.decode().splitlines():
        entry = json.loads(line)
        files[entry["file"]] = {(r["name"], r["hash"]): (r["counts"], r["uniform"]) for r in entry["records"]}
    path = {name: os.path.join(directory, name + ".profraw") for name in files}
    a, b, plain = files["uniform_a"], files["uniform_b"], files["plain"]
    alone = {name: {k: bits_of(*v) for k, v in file.items() if v[1]} for name, file in files.items()}

    def added(x, y, weight):
        return [[s + weight * t for s, t in zip(p, q)] for p, q in zip(x, y)]

    sums = {k: bits_of(*added(a[k], b[k], 3)) for k in a}
    anded = {k: bytes(x & y for x, y in zip(alone["uniform_a"][k], alone["uniform_b"][k])) for k in a}
    cases = [Case(name, [path[name]], uniformity=alone[name]) for name in files]
    cases.append(Case("uniform weighted", [], ["--weighted-input=1000," + path["uniform_a"]],
                      uniformity=alone["uniform_a"]))
    # Both sides have them: their sums decide. One has none: what bits there were is all that is left.
    cases.append(Case("uniform and uniform", [path["uniform_a"]], ["--weighted-input=3," + path["uniform_b"]],
                      uniformity=sums))
    cases.append(Case("uniform and plain", [path["uniform_a"], path["plain"]], uniformity=alone["uniform_a"]))
    cases.append(Case("plain and uniform", [path["plain"], path["uniform_a"]], uniformity=alone["uniform_a"]))
    cases.append(Case("uniform, uniform and plain", [path["uniform_b"], path["plain"], path["uniform_a"]],
                      uniformity=anded))
    # Version 14 holds bits and no counters, so two such files are ANDed too.
    packed = {}
    for name in ("uniform_a", "uniform_b"):
        packed[name] = os.path.join(directory, name + ".profdata")
        if anyprof("merge", "--for=indexed-14", "-o", packed[name], path[name]).code:
            raise Crash(f"{name} cannot be packed")
    cases.append(Case("packed", [packed["uniform_a"]], uniformity=alone["uniform_a"]))
    cases.append(Case("packed and packed", list(packed.values()), uniformity=anded))
    cases.append(Case("packed and uniform", [packed["uniform_a"], path["uniform_b"]], uniformity=anded))
    assert sums != anded and plain.keys() == a.keys()
    return cases


# --- the whole --------------------------------------------------------------------------------------------------


def info_of(case):
    """Returns the facts that the text lacks: binary ids, names of vtables, bits that have no word in a header."""
    paths = case.inputs + [o.partition(",")[2] for o in case.options if o.startswith("--weighted-input=")]
    info = {"variant": 0, "ids": [], "vtable_names": set(), "names": set()}
    for entry in dump(paths).values():
        info["variant"] |= int(entry["info"]["variant"], 16) & _indexed.ENTRY_ONLY
        info["ids"] += entry["info"]["binary_ids"]
        info["vtable_names"] |= set(entry["info"]["vtable_names"])
        for record in entry["records"]:
            info["names"].add(record["name"])
            info["names"] |= {value[2] for sites in record["sites"] for site in sites for value in site}
    return info


def check_case(arguments):
    case, directory = arguments
    report = Report(0)
    try:
        result = case.merge("--text")
        if not report.check(case.name + ": merge --text", result.code == 0, result.errors()):
            return report
        text, info = parse_text(result.out), info_of(case)
        for version in range(1, _indexed.NEWEST + 1):
            path = os.path.join(directory, re.sub(r"\W", "_", case.name) + f"-{version}.profdata")
            check_version(report, case, text, info, version, path)
            if os.path.exists(path):
                os.unlink(path)
    except (Crash, TextError) as error:
        report.fail(case.name, str(error))
    return report


def check_foreign(report, directory):
    """The reader also accounts for every byte of what the tools of LLVM write."""
    profiles = os.path.join(SOURCE, "examples", "profiles")
    for version, releases in TOOLS.items():
        for release in releases:
            for kind in ("ir", "fe"):
                what = f"llvm-profdata-{release} {kind}"
                source = os.path.join(profiles, f"clang-{release}-{kind}.profraw")
                path = os.path.join(directory, f"foreign-{release}-{kind}")
                if not profdata(release):
                    report.skip(what, f"llvm-profdata-{release} is not installed")
                    continue
                run([profdata(release), "merge", "-o", path, source])
                try:
                    with open(path, "rb") as file:
                        report.same(what, _indexed.Indexed(file.read()).version, version)
                except _indexed.IndexedError as error:
                    report.check(what, False, str(error))


def check_vector(report):
    """The specification's test vector: the reader reads it, and anyprof's bytes are the same."""
    with work_directory() as directory:
        source, path = os.path.join(directory, "vector.proftext"), os.path.join(directory, "vector.profdata")
        with open(source, "w", encoding="ascii") as file:
            file.write(":ir\nfoo\n10\n2\n100\n50\n1\n1\n1\n1\n8:5\n")
        anyprof("merge", "--for=indexed-13", "-o", path, source)
        with open(path, "rb") as file:
            data = file.read()
        report.same("size of the test vector", len(data), 672)
        report.same("MD5 of the test vector", hashlib.md5(data).hexdigest(), "014d271123c9f6a6bc317ddc813e6678")
        report.same("summary of the test vector", _indexed.Indexed(data).summary.fields, [1, 2, 100, 100, 50, 150])


def main():
    if not os.access(ANYPROF, os.X_OK):
        skip(f"no command at {ANYPROF}")
    if not os.access(MAKE_RAW, os.X_OK):
        skip(f"no helper at {MAKE_RAW}")
    total = Report(FLOOR)
    check_vector(total)
    with work_directory() as directory:
        check_foreign(total, directory)
        cases = generated_cases(directory) + example_cases() + corpus_cases() + uniform_cases(directory)
        cases = _share.pick(cases, lambda case: re.sub(r"[^a-z].*", "", case.name))
        total.floor = _share.least(total.floor, cases)
        for report in in_parallel(check_case, [(case, directory) for case in cases]):
            total.compared += report.compared
            total.failed += report.failed
            for why, names in report.skips.items():
                total.skips.setdefault(why, []).extend(names)
    total.finish()


if __name__ == "__main__":
    main()
