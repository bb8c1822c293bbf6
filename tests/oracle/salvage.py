# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file of the corpus is cut off at every 8th byte (ANYPROF_SALVAGE_STEP), and what --salvage takes of it is
compared with its twin: each record has the counts, bitmap and values of the twin, none is invented, and there are as
many as the rule permits, which is found here from the layout alone (_raw_layout.py). The same of indexed files of some
versions and of texts made of them: the rule is that of items, which _indexed.py reads, and of lines."""

import hashlib
import os
import re
import subprocess
import sys

from _indexed import Indexed
from _profiles import (
    ANYPROF,
    BUILD,
    EXTERNAL,
    MEMOP,
    Report,
    clip,
    expected_profiles,
    name_ref,
    need,
    run,
    skip,
    twin_names,
    work_directory,
)
from _raw_layout import read_profiles

HELPER = os.path.join(BUILD, "tests", "salvage_prefixes")
SLOW = os.environ.get("ANYPROF_SANITIZE", "")
STEP = int(os.environ.get("ANYPROF_SALVAGE_STEP", "64" if SLOW else "8"))
FLOOR = 18000 if SLOW else 140000
MADE_OF = ("14_ir", "22_mo", "22_mcdc", "22_vt32", "22_temp", "23_cc", "5.0_mo", "22_bcov", "19_cs")
GUARD = b"# Num Value Kinds:\n1\n# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n0\n"
CUT_ALREADY = {"tr6": "22_ird"}  # inside the first block of values; the same program


class Cut:
    """The helper's report on a prefix."""

    def __init__(self, words):
        self.size, self.verdict, self.code = int(words[0]), words[1], words[2]
        self.lost = None if words[3] == "?" else int(words[3])
        self.values, self.lost_values, self.nameless, self.sections, self.ids, self.traces = map(int, words[4:10])
        self.records = [] if words[10] == "-" else [int(n) for n in words[10].rstrip(",").split(",")]


class Taken:
    """A record that was salvaged."""

    def __init__(self, words):
        self.id, self.hash = int(words[0], 16), int(words[1], 16)
        self.name = None if words[2] == "-" else bytes.fromhex(words[2])
        self.counts = [int(n) for n in words[4].rstrip(",").split(",")]
        self.bitmap = "" if words[5] == "-" else words[5]
        kinds = words[6].split("/")[1:]
        self.sites = [[self.site(kind, s) for s in text.split("[")[1:]] for kind, text in enumerate(kinds)]
        self.uniform = [] if words[7] == "-" else [int(n) for n in words[7].rstrip(",").split(",")]

    @staticmethod
    def site(kind, text):
        pairs = [p.split(":") for p in text.split(",") if p]
        return [(int(value, 16), int(count)) for value, count in pairs]

    def content(self):
        return (self.id, self.hash, self.counts, self.bitmap, self.sites, self.uniform)


def salvage(paths, step=STEP):
    """{path: [(cut, [record])]}."""
    p = subprocess.run([HELPER, str(step), *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=900)
    if p.returncode or p.stderr:
        print(p.stderr.decode(errors="replace")[:4000])
        sys.exit(1)
    found, path, seen = {}, None, []
    for line in p.stdout.decode().splitlines():
        words = line.split(" ")
        if words[0] == "F":
            path, seen = line[2:], []
            found[path] = []
        elif words[0] == "R":
            seen.append(Taken(words[2:]))
        else:
            cut = Cut(words[1:])
            found[path].append((cut, [seen[n] for n in cut.records]))
    return found


# --- raw --------------------------------------------------------------------------------------------------------


def to_bytes(name):
    return name.encode("utf-8", "surrogateescape")


def twin_value(kind, value):
    target, count = value
    return (target if kind == MEMOP else 0 if target == EXTERNAL else name_ref_of(target), count)


def name_ref_of(target):
    return int(target, 16) if re.fullmatch("0x[0-9a-f]{16}", target) else name_ref(target)


def twin_content(record, values):
    """As Taken.content, with the values or with empty sites."""
    sites = [record.get("values", {}).get(str(kind), []) for kind in range(3)]
    sites = [[[twin_value(k, v) for v in site] if values else [] for site in kind] for k, kind in enumerate(sites)]
    return (
        name_ref(record["name"]) if record["name"] else int(record["name_ref"], 16),
        record["hash"],
        record["counts"],
        record.get("bitmap", ""),
        sites,
        record.get("uniform", []),
    )


class Want:
    def __init__(self):
        self.contents, self.names = [], []
        self.lost, self.lost_values = 0, 0
        self.damaged = False


def wanted(size, layout, twins):
    """Returns the facts that the first `size` bytes prove."""
    want, names = Want(), {}
    for profile, twin in zip(layout, twins):
        if size <= profile.start or profile.data[profile.end : size].strip(b"\0") == b"" and size < profile.start:
            break
        if size < profile.header_end:
            want.damaged, want.lost = True, None
            break
        announced = sum(1 for _ in profile.records)
        if size < profile.data_end:
            want.damaged, want.lost = True, profile.words["NumData"]
            break
        found = profile.names(size)
        if found is None:
            found = {name_ref(r["name"]): to_bytes(r["name"]) for r in twin["records"]}
        names.update(found)
        n_before, values_whole = len(want.contents), size >= profile.values_at
        zeros = not profile.data[profile.values_at : size].strip(b"\0")  # as if they had never been written
        missing = size >= profile.values_at and (profile.values_missing or zeros)
        for record, twin_record in zip(profile.records, twin["records"]):
            if record.end > size or record.name_end > size:
                continue
            has_sites = sum(record.sites) > 0
            values = has_sites and record.values_end is not None and record.values_end <= size
            want.contents.append(twin_content(twin_record, values))
            want.lost_values += has_sites and not values and not missing
            values_whole = values_whole and (values or missing or not has_sites)
        want.lost = want.lost + announced - (len(want.contents) - n_before)
        if not values_whole:
            want.damaged = True
            break
    want.names = [names.get(content[0]) for content in want.contents]
    return want


def check_raw(report, name, path, cuts, twins):
    with open(path, "rb") as file:
        data = file.read()
    layout = read_profiles(data)
    if len(layout) != len(twins) or any(len(p.records) != len(t["records"]) for p, t in zip(layout, twins)):
        report.fail(f"{name}: the layout is not that of the twin")
        return
    for cut, records in cuts:
        what = f"{name} cut at {cut.size}"
        want = wanted(cut.size, layout, twins)
        report.same(what, [r.content() for r in records], want.contents)
        report.same(f"{what}: names", [r.name for r in records], want.names)
        if not want.contents and cut.verdict != "I":
            report.same(f"{what}: verdict", cut.verdict, "X")
            continue
        report.same(f"{what}: verdict", cut.verdict, "S" if want.damaged else "I")
        report.same(f"{what}: lost values", cut.lost_values, want.lost_values)
        report.same(f"{what}: without names", cut.nameless, want.names.count(None))
        if want.damaged:
            report.same(f"{what}: lost", cut.lost, want.lost)
            report.same(f"{what}: trace", cut.traces, int(cut.lost == 0 and bool(twins[0].get("trace"))))


def raw_files(report, raw):
    names = twin_names(raw)
    found = salvage([os.path.join(raw, name + ".profraw") for name in names])
    for name in names:
        path = os.path.join(raw, name + ".profraw")
        twins = expected_profiles(raw, name)
        if twins is not None:
            check_raw(report, name, path, found[path], twins)
            continue
        if name not in CUT_ALREADY:  # without metadata, or not even a header
            report.same(f"{name}: nothing", {cut.verdict for cut, _ in found[path]}, {"X"})
            continue
        twin = expected_profiles(raw, CUT_ALREADY[name])[0]
        want = [twin_content(r, False) for r in twin["records"]]
        for cut, records in found[path]:
            got = [r.content() for r in records]
            report.check(f"{name} cut at {cut.size}", all(content in want for content in got), clip(got))
        report.same(f"{name}: all of it", got, want)


# --- indexed ----------------------------------------------------------------------------------------------------


def items_of(data, indexed):
    """[(end, [content])], item by item in file order; where the table ends, and where the array of buckets does."""
    array = indexed.words[4]
    n_buckets = int.from_bytes(data[array : array + 8], "little")
    places = [int.from_bytes(data[array + 16 + 8 * i :][:8], "little") for i in range(n_buckets)]
    by_key, ends = {}, []
    for record in indexed.records:
        by_key.setdefault(record.name, []).append(record)
    for at in sorted(place for place in places if place):
        n = int.from_bytes(data[at : at + 2], "little")
        at += 2
        for _ in range(n):
            key_size = int.from_bytes(data[at + 8 : at + 16], "little")
            size = int.from_bytes(data[at + 16 : at + 24], "little")
            key = data[at + 24 : at + 24 + key_size]
            at += 24 + key_size + size
            ends.append((at, key, by_key[key]))
    return ends


def indexed_content(key, record):
    ref = int.from_bytes(hashlib.md5(key).digest()[:8], "little")
    sites = [[[tuple(v) for v in site] for site in kind] for kind in record.sites]
    return (ref, record.hash, record.counts, bytes(record.bitmap).hex(), sites, [])


def check_indexed(report, path, cuts):
    with open(path, "rb") as file:
        data = file.read()
    indexed = Indexed(data)
    items = items_of(data, indexed)
    name = os.path.basename(path)
    for cut, records in cuts:
        there = [item for item in items if item[0] <= cut.size]
        want = [indexed_content(key, r) for _, key, group in there for r in group]
        what = f"{name} cut at {cut.size}"
        report.same(what, [r.content() for r in records], want)
        report.same(f"{what}: names", [r.name for r in records], [key for _, key, group in there for _ in group])
        # The end of the file may be that of a section, or padding that no reader needs.
        intact = cut.verdict == "I" and there == items
        report.check(f"{what}: verdict", intact or cut.verdict == ("S" if want else "X"))
        if cut.verdict == "S" and there == items:
            known = cut.size >= items[-1][0] + (-items[-1][0] % 8 and 2)
            report.check(f"{what}: lost", cut.lost in ((0,) if known else (0, None)), str(cut.lost))
        elif cut.verdict == "S":
            report.same(f"{what}: lost", cut.lost, None)


# --- text -------------------------------------------------------------------------------------------------------


def check_text(report, path, cuts):
    """A record is taken when the next one's name is there, or the text ends as a whole one does."""
    with open(path, "rb") as file:
        data = file.read()
    whole = [r.content() for r in cuts[-1][1]]
    name = os.path.basename(path)
    starts = record_starts(data, [r.name for r in cuts[-1][1]])
    report.same(f"{name}: all of it", (cuts[-1][0].verdict, len(starts)), ("I", len(whole)))
    for cut, records in cuts:
        # Between two records there is nothing but the empty line after the first, or with it what keeps the next name
        # from being misread.
        n = sum(1 for begin in starts[1:] + [len(data)] if begin <= cut.size)
        guarded = data.startswith(GUARD, cut.size) and cut.size + len(GUARD) in starts
        proper = cut.size in starts[1:] + [len(data)] or guarded
        got = [r.content() for r in records]
        what = f"{name} cut at {cut.size}"
        report.same(what, got, whole[: n + guarded])
        if cut.size > starts[0]:  # else it is one without a function, or no text yet
            report.same(f"{what}: verdict", cut.verdict, "I" if proper else "S" if got else "X")


def record_starts(data, names):
    starts, at = [], 0
    for name in names:
        at = (b"\n" + data).index(b"\n" + name + b"\n# Func Hash:\n", at)
        starts.append(at)
        at += 1
    return starts


def made_files(report, raw, directory):
    indexed, texts = [], []
    for name in MADE_OF:
        path = os.path.join(raw, name + ".profraw")
        if not os.path.exists(path):
            report.skip(name, "it is not in this corpus")
            continue
        for version in (1, 2, 3, 7, 10, 12, 14):
            out = os.path.join(directory, f"{name}.{version}.profdata")
            run([ANYPROF, "merge", "--quiet", f"--for=indexed-{version}", "--keep-vtable-symbols", path, "-o", out])
            indexed.append(out)
        out = os.path.join(directory, name + ".proftext")
        run([ANYPROF, "merge", "--quiet", "--text", path, "-o", out])
        texts.append(out)
    step = max(STEP // 4, 1)
    for path, cuts in salvage(indexed, STEP).items():
        check_indexed(report, path, cuts)
    for path, cuts in salvage(texts, step).items():
        check_text(report, path, cuts)


def main():
    raw = need("raw")
    if not os.access(HELPER, os.X_OK):
        skip(f"no helper at {HELPER}")
    report = Report(FLOOR)
    raw_files(report, raw)
    with work_directory() as directory:
        made_files(report, raw, directory)
    report.finish()


if __name__ == "__main__":
    main()
