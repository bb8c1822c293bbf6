# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raw profiles of all versions, widths and byte orders merged in one command give the sum of their twins, as text and
for LLVM 22, in every order, with any number of threads and weights.

The sums are made here a second time, by rules and not by the code of src/instr:
  - counters and values are added, times the weight of their file, and stop at the largest number there is; bitmaps are
    ORed;
  - where inputs disagree about a function's number of counters, bitmap bytes or sites, the most weight wins, of equals
    the larger; the others' part is left out;
  - of a function added more than once, equal values of a site are added up (unknown targets too: they are value 0) and
    stand in order of their number; else they stand as in the file. Then they are sorted by count, highest first;
  - for LLVM 22, local functions of IR profiles are renamed from file:name to file;name.
"""

import collections
import os
import random
import re

from _profiles import (
    BYTE_COVERAGE,
    CALL,
    COUNT_MAX,
    CS,
    ENTRY_FIRST,
    EXTERNAL,
    IR,
    KINDS,
    LOOP_ENTRIES,
    MEMOP,
    READ_ON_PURPOSE,
    SITE_MAX_VALUES,
    TEMPORAL,
    VALUE_MAX,
    Crash,
    Report,
    TextError,
    anyprof,
    dump,
    expected_profiles,
    in_parallel,
    name_ref,
    need,
    parse_text,
    profdata,
    run,
    twin_names,
    work_directory,
)

SEED = 20240229
TARGET_VERSION = 13  # what LLVM 22 reads and writes
WEIGHTS = (1, 2, 3, 7, 1000, 2**32, 2**40, 2**64 - 1)

# Class, subsets, and how many files at most. Byte coverage goes with byte coverage, IR with IR.
CLASSES = (("FE", 9, 30), ("IR", 12, 30), ("FE bytes", 1, 2), ("IR bytes", 4, 13))

# Functions that inputs disagree about, in each of the ways; found in the corpus, not chosen by chance.
DISAGREEING = (
    ("counters", ("cat9", "22_nc", "19_fe"), (1, 1, 1)),
    ("counters, outweighed", ("cat9", "22_nc", "19_fe"), (7, 3, 3)),
    ("counters, equal weight", ("cat9", "22_nc"), (5, 5)),
    ("numbering of bitmaps", ("18_mcdc", "19_bemcdc", "19_mcdc32"), (1, 1, 1)),
    ("numbering of bitmaps, equal weight", ("18_mcdc", "19_bemcdc"), (1, 1)),
    ("sites", ("10_mo", "9_ir", "9_mo", "11_mo"), (1, 1, 1, 1)),
    ("sites, outweighed", ("10_mo", "9_ir", "9_beir32"), (1, 2, 3)),
    ("sites, outweighed by three of one binary", ("10_mo", "10_mo", "10_mo", "9_ir", "9_beir32"), (2, 2, 2, 4, 1)),
    ("a name and its old form", ("17_ir", "19_temp", "22_mrgpie"), (1, 2, 3)),
    ("weights", ("22_vt32", "19_vt", "5.0_mo", "22_mrgpie"), (1, 2**40, 3, 2**64 - 1)),
    ("one file", ("22_mrgpie",), (1,)),
    ("one file, weighted", ("22_mrgpie",), (9,)),
    ("one file twice", ("22_mrgpie", "22_mrgpie"), (1, 2)),
    ("largest weights", ("22_mrgpie", "22_mrgpie", "19_mrg", "22_mrgpie"), (2**63, 2**63, 2**64 - 1, 2**62)),
)

# Several runs of one binary: from the second one on they are added without looking at every record. Where the counters
# of all functions lie side by side in the file, each run is given other numbers.
ONE_BINARY = (
    "13_mo32 13_wbir 16_bedsosha1 19_betemp 19_betempbcov 19_cs 19_sbc 22_beir32 22_bevt 22_fonly 22_loop 22_mcdc"
    " 22_mrgpie 22_temp 22_tempbcov 23_bemcdc 3.7_c32be 3.8_befe 5.0_beir32 cat9"
).split()


# --- the model --------------------------------------------------------------------------------------------------


def target_id(kind, target):
    if kind == MEMOP:
        return target
    return 0 if target == EXTERNAL else name_ref(target)


def modern_name(name):
    """As compilers from 18 on name a local function in IR profiles."""
    return re.sub(r"^([\w.+-]+\.(?:c|cc|cpp)):", r"\1;", name)


def numbering_of(profile, record):
    """The release whose way of numbering test vectors a bitmap follows: 18, or 19 for it and all later ones."""
    return None if not record.get("bitmap") else 18 if profile["version"] < 10 else 19


class Sum:
    """The sum of all records that agree in structure."""

    def __init__(self, record, numbering):
        values = record.get("values", {})
        self.numbering = numbering
        self.counts = [0] * len(record["counts"])
        self.bitmap = bytes(len(record.get("bitmap", "")) // 2)
        self.sites = [[[] for _ in values.get(str(kind), [])] for kind in range(KINDS)]
        self.adds = self.weight = 0

    @staticmethod
    def structure(record, numbering):
        values = record.get("values", {})
        sites = tuple(len(values.get(str(kind), [])) for kind in range(KINDS))
        return (len(record["counts"]), len(record.get("bitmap", "")), numbering, sites)

    def add(self, record, weight):
        self.counts = [min(a + b * weight, COUNT_MAX) for a, b in zip(self.counts, record["counts"])]
        self.bitmap = bytes(a | b for a, b in zip(self.bitmap, bytes.fromhex(record.get("bitmap", ""))))
        for kind, sites in enumerate(self.sites):
            for site, values in zip(sites, record.get("values", {}).get(str(kind), [])):
                site += [(target, min(count * weight, VALUE_MAX)) for target, count in values]
        self.adds += 1
        self.weight = min(self.weight + weight, 2**64 - 1)


class Model:
    """The sum of (profiles, weight), one for each file. Targets of values are names, EXTERNAL, or sizes."""

    def __init__(self, files, modern):
        self.modern = modern
        self.disagreed = set()
        sums = {}
        for profiles, weight in files:
            for profile in profiles:
                for record in profile["records"]:
                    group = sums.setdefault((self.renamed(record["name"]), record["hash"]), {})
                    numbering = numbering_of(profile, record)
                    structure = Sum.structure(record, numbering)
                    group.setdefault(structure, Sum(record, numbering)).add(record, weight)
        weights = collections.Counter()
        for group in sums.values():
            for s in group.values():
                weights[s.numbering] += s.weight
        self.dropped = None if not weights[18] or not weights[19] else 19 if weights[18] > weights[19] else 18
        if self.dropped:
            self.disagreed.add("numbering of bitmaps")
        self.records = {key: self.combine(list(sums[key].values())) for key in sums}
        traces = [(p["trace"], w) for profiles, w in files for p in profiles if p["trace"]]
        # With several traces their order is that of the ids, as they are in the files.
        traces.sort(key=lambda t: ([name_ref(n) for n in t[0]], t[1]))
        self.traces = [(weight, [self.renamed(n) for n in names]) for names, weight in traces]
        self.variant = 0
        for profiles, _ in files:
            self.variant |= int(profiles[0]["variant"], 16)
        ids = [i for profiles, _ in files for p in profiles for i in (p["binary_ids"] or [None])]
        self.binary_ids = None if None in ids else sorted(set(ids))

    def renamed(self, name):
        return modern_name(name) if self.modern else name

    def majority(self, sums, aspect, what):
        weights = {}
        for s in sums:
            weights[aspect(s)] = min(weights.get(aspect(s), 0) + s.weight, 2**64 - 1)
        if len(weights) > 1:
            self.disagreed.add(what)
        return max(weights, key=lambda value: (weights[value], value))

    def combine(self, sums):
        n_counts = self.majority(sums, lambda s: len(s.counts), "counters")
        sums = [s for s in sums if len(s.counts) == n_counts]
        adds = sum(s.adds for s in sums)
        counts = [min(sum(column), COUNT_MAX) for column in zip(*(s.counts for s in sums))]
        good = [s for s in sums if self.dropped is None or s.numbering != self.dropped]
        n_bitmap = self.majority(good, lambda s: len(s.bitmap), "bitmap bytes") if good else 0
        bitmap = bytearray(n_bitmap)
        for s in good:
            if len(s.bitmap) == n_bitmap:
                bitmap = bytes(a | b for a, b in zip(bitmap, s.bitmap))
        sites = []
        for kind in range(KINDS):
            n_sites = self.majority(sums, lambda s, k=kind: len(s.sites[k]), "sites")
            fitting = [s.sites[kind] for s in sums if len(s.sites[kind]) == n_sites]
            sites.append([self.site(kind, sum((f[i] for f in fitting), []), adds) for i in range(n_sites)])
        return {"counts": counts, "bitmap": list(bitmap), "sites": sites}

    def site(self, kind, values, adds):
        renamed = [(t if kind == MEMOP else self.renamed(t), c) for t, c in values]
        if adds > 1 or renamed != values:
            total = {}
            for target, count in renamed:
                total[target] = min(total.get(target, 0) + count, VALUE_MAX)
            renamed = sorted(total.items(), key=lambda v: target_id(kind, v[0]))
        return sorted(renamed, key=lambda v: -v[1])[:SITE_MAX_VALUES]

    def functions(self):
        return {name for name, _ in self.records}

    def with_targets(self, change):
        """The records with other targets: change(kind, target)."""

        def changed(sites):
            return [[[(change(kind, t), c) for t, c in site] for site in s] for kind, s in enumerate(sites)]

        return {key: dict(record, sites=changed(record["sites"])) for key, record in self.records.items()}

    def text(self):
        """As text has it: targets that are no function of the output have no name, vtables never have."""
        known = self.functions()
        return self.with_targets(lambda kind, t: t if kind == MEMOP or (kind == CALL and t in known) else EXTERNAL)

    def ids(self):
        return self.with_targets(target_id)

    def flags(self):
        rows = ((CS, "csir"), (IR, "ir"), (ENTRY_FIRST, "entry_first"), (LOOP_ENTRIES, "instrument_loop_entries"))
        found = [flag for bit, flag in rows if self.variant & bit]
        if "csir" in found:
            found.remove("ir")
        return found + (["single_byte_coverage"] if self.variant & BYTE_COVERAGE else [])


# --- other runs of a binary --------------------------------------------------------------------------------------


def replaced(data, old, new):
    """With the only place where `old` is changed; as it was, if there is not just one."""
    if not old or data.count(old) != 1:
        return data, False
    return data.replace(old, new), True


def vary_counts(data, profile, rng):
    """Gives the functions of a profile other counts, of as many bytes."""
    width = 1 if int(profile["variant"], 16) & BYTE_COVERAGE else 8

    def packed(counts):
        if width == 1:
            return bytes(0 if c else 255 for c in counts)
        return b"".join(c.to_bytes(8, profile["endian"]) for c in counts)

    old = [r["counts"] for r in profile["records"]]
    new = [[rng.randrange(2) if width == 1 else rng.getrandbits(rng.randrange(50)) for _ in c] for c in old]
    data, done = replaced(data, packed(sum(old, [])), packed(sum(new, [])))
    for record, counts in zip(profile["records"], new if done else old):
        record["counts"] = counts
    return data, done


def vary_bitmaps(data, profile, rng):
    records = [r for r in profile["records"] if r.get("bitmap")]
    old = [bytes.fromhex(r["bitmap"]) for r in records]
    new = [rng.randbytes(len(b)) for b in old]
    data, done = replaced(data, b"".join(old), b"".join(new))
    for record, bitmap in zip(records, new if done else old):
        record["bitmap"] = bitmap.hex()
    return data, done


varied_files = {"counts": 0, "bitmaps": 0}


def vary(source, path, profiles, rng):
    with open(source, "rb") as file:
        data = file.read()
    for profile in profiles:
        data, counts = vary_counts(data, profile, rng)
        data, bitmaps = vary_bitmaps(data, profile, rng)
        varied_files["counts"] += counts
        varied_files["bitmaps"] += bitmaps
    with open(path, "wb") as file:
        file.write(data)


# --- running a case ---------------------------------------------------------------------------------------------


class Case:
    """Files of one class with weights. `what` names it in failures. The files are made from the corpus's, in `varied`,
    if there is such a directory."""

    def __init__(self, what, names, weights, raw, seed, varied=None):
        self.what = what
        self.names, self.weights = names, weights
        self.paths = [os.path.join(raw, name + ".profraw") for name in names]
        self.profiles = [expected_profiles(raw, name) for name in names]
        self.random = random.Random(seed)
        for i, path in enumerate(self.paths if varied else []):
            self.paths[i] = os.path.join(varied, f"{i}-{os.path.basename(path)}")
            vary(path, self.paths[i], self.profiles[i], self.random)

    def orders(self):
        """The same inputs four times: options (how they are named, and threads) and order."""
        inputs = list(zip(self.paths, self.weights))
        for how, threads in (("options", 1), ("options", 2), ("list", 8), ("list", 2)):
            yield how, threads, list(inputs)
            self.random.shuffle(inputs)

    def ir(self):
        return any(int(p[0]["variant"], 16) & IR for p in self.profiles)

    def model(self, modern):
        return Model(list(zip(self.profiles, self.weights)), modern)


def merge(inputs, how, threads, options, output, directory):
    arguments = ["merge", f"-j={threads}" if threads != 2 else "--num-threads=2", *options, "-o", output]
    if how == "options":
        arguments += [path for path, weight in inputs if weight == 1]
        arguments += [f"--weighted-input={weight},{path}" for path, weight in inputs if weight != 1]
    else:
        listing = os.path.join(directory, "list")
        with open(listing, "w", encoding="utf-8") as file:
            file.writelines(f"{weight},{path}\n" if weight != 1 else f"{path}\n" for path, weight in inputs)
        arguments += ["--input-files", listing]
    return anyprof(*arguments)


def notes(result):
    """The summary on stderr; warnings about inputs stand in their order."""
    return [line for line in result.errors().splitlines() if line.startswith("note: ")]


def merge_all_ways(case, directory, kind, options):
    """The output, and what went wrong: every order and number of threads has to give the same bytes."""
    first = None
    for i, (how, threads, inputs) in enumerate(case.orders()):
        output = os.path.join(directory, f"{i}.{kind}")
        result = merge(inputs, how, threads, options, output, directory)
        if result.code:
            return None, f"exit code {result.code}: {result.errors()}"
        with open(output, "rb") as file:
            data = file.read()
        if first is None:
            first = (output, data, notes(result))
        elif data != first[1]:
            return None, f"{how}, {threads} threads, other order: other bytes; {inputs}"
        elif notes(result) != first[2]:
            return None, f"{how}, {threads} threads: says {notes(result)}, before {first[2]}"
    return first[0], ""


def run_case(case):
    """All processes of a case; what they left is checked later."""
    results = {}
    with work_directory() as directory:
        try:
            results["text"], results["text error"] = merge_all_ways(case, directory, "proftext", ["--text"])
            results["indexed"], results["indexed error"] = merge_all_ways(
                case, directory, "profdata", ["--for=indexed-13"]
            )
            if results["text"]:
                with open(results["text"], "rb") as file:
                    results["text"] = file.read()
            if results["indexed"]:
                path = results["indexed"]
                results["indexed"] = dump([path])[path]
                if profdata(22):
                    read = run([profdata(22), "merge", "--text", path, "-o", "-"])
                    results["llvm"] = read.out if read.code == 0 else read.err
        except Crash as crash:
            results["crash"] = str(crash)
    return results


# --- checking it ------------------------------------------------------------------------------------------------


def check_text(report, what, data, model):
    try:
        profile = parse_text(data)
        records = profile.by_key()
    except TextError as error:
        report.check(f"{what}: text", False, str(error))
        return
    report.same(f"{what}: records", records, model.text())
    keys = [(name.encode("utf-8", "surrogateescape"), hash_) for name, hash_ in records]
    report.check(f"{what}: sorted", keys == sorted(keys))
    report.same(f"{what}: flags", profile.flags, model.flags())
    known = model.functions()
    traces = [(weight, [n if n in known else "" for n in names]) for weight, names in model.traces]
    report.same(f"{what}: traces", profile.traces, traces)
    report.same(f"{what}: stream", profile.stream_size, len(model.traces) if model.variant & TEMPORAL else None)


def check_indexed(report, what, dumped, model):
    if "error" in dumped:
        report.check(f"{what}: is read", False, dumped["error"]["message"])
        return
    info = dumped["info"]
    records = {
        (r["name"], int(r["hash"], 16)): {
            "counts": [int(c) for c in r["counts"]],
            "bitmap": list(bytes.fromhex(r["bitmap"])),
            "sites": [[[(int(t, 16), int(c)) for t, c, _ in site] for site in sites] for sites in r["sites"]],
        }
        for r in dumped["records"]
    }
    report.same(f"{what}: records", records, model.ids())
    report.same(f"{what}: number of records", len(dumped["records"]), len(model.records))
    report.same(f"{what}: version", info["version"], TARGET_VERSION)
    report.same(f"{what}: bits", int(info["variant"], 16), model.variant)
    traces = [(int(t["weight"]), t["names"]) for t in info["traces"]]
    report.same(f"{what}: traces", traces, model.traces)
    if model.binary_ids is not None:
        report.same(f"{what}: binary ids", info["binary_ids"], model.binary_ids)


def check_case(report, case, results):
    if "crash" in results:
        report.check(case.what, False, results["crash"])
        return set()
    old, modern = case.model(False), case.model(case.ir())
    if report.check(f"{case.what}: text, every way", results["text"] is not None, results["text error"]):
        check_text(report, f"{case.what}: text", results["text"], old)
    if report.check(f"{case.what}: for LLVM 22, every way", results["indexed"] is not None, results["indexed error"]):
        check_indexed(report, f"{case.what}: for LLVM 22", results["indexed"], modern)
    if "llvm" in results:
        check_text(report, f"{case.what}: read by LLVM 22", results["llvm"], modern)
    else:
        report.skip(case.what, "llvm-profdata-22 is not installed")
    return old.disagreed | modern.disagreed


# --- the cases --------------------------------------------------------------------------------------------------


def classes_of(raw):
    classes = {}
    for name in twin_names(raw):
        profiles = expected_profiles(raw, name)
        if not profiles:
            continue
        variant = int(profiles[0]["variant"], 16)
        what = ("IR" if variant & IR else "FE") + (" bytes" if variant & BYTE_COVERAGE else "")
        classes.setdefault(what, []).append(name)
    return classes


def make_cases(raw, varied):
    cases = []
    choice = random.Random(SEED)
    classes = classes_of(raw)
    for what, subsets, most in CLASSES:
        for i in range(subsets):
            size = choice.randint(2, most) if i else most
            names = choice.sample(classes[what], min(size, len(classes[what])))
            # Some files come again, as those of one binary do: what was learnt of the first is used for the others.
            names += [choice.choice(names) for _ in range(min(most, 30) - len(names)) if i % 2]
            weights = [choice.choice(WEIGHTS) if i % 3 == 2 else 1 for _ in names]
            cases.append(Case(f"{what} {i} ({len(names)} files)", names, weights, raw, i))
    for what, names, weights in DISAGREEING:
        cases.append(Case(what, names, weights, raw, len(what)))
    for i, name in enumerate(ONE_BINARY):
        cases.append(Case(f"runs of {name}", [name] * 4, (5, 3, 1, 7), raw, i, varied))
    return cases


def main():
    raw = need("raw")
    report = Report(floor=1050 if profdata(22) else 750)
    disagreed = set()
    with work_directory() as varied:
        cases = make_cases(raw, varied)
        for case, results in zip(cases, in_parallel(run_case, cases)):
            disagreed |= check_case(report, case, results)
    report.same("inputs have disagreed about", disagreed, {"counters", "numbering of bitmaps", "sites"})
    used = {name for case in cases for name in case.names}
    report.check("files that LLVM rejects are among them", len(used & set(READ_ON_PURPOSE)) >= 4)
    report.check(f"runs that differ: {varied_files}", varied_files["counts"] >= 40 and varied_files["bitmaps"] >= 8)
    print(f"{len(cases)} merges of {sum(len(c.names) for c in cases)} inputs, {len(used)} files, each in 8 ways")
    print(f"runs made different: {varied_files}")
    report.finish()


if __name__ == "__main__":
    main()
