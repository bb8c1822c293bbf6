# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every raw profile of the corpus holds exactly what its twin says, which an independent decoder wrote."""

import os

from _profiles import (
    EXTERNAL,
    KINDS,
    MEMOP,
    READ_ON_PURPOSE,
    WITHOUT_METADATA,
    Report,
    dump,
    expected_profiles,
    load_twin,
    name_ref,
    need,
    twin_names,
)

SPARSE, DENSE = 4, 8  # flags of records: how LLVM 18, and 19 and later, number the test vectors of bitmaps

# What is rejected: the code and the offset of what is wrong.
REJECTED = {
    "tr1": ("BAD_HEADER", "raw.header.size", 0),  # 100 of the header's 128 bytes
    "tr3": ("BAD_HEADER", "raw.header.version", 8),  # the magic and nothing else
    "tr4": ("UNRECOGNIZED_FORMAT", "magic", 0),  # 4 bytes of the magic
    "tr6": ("TOO_LARGE", "value_data.total_size", 1000),  # cut inside the first block of values
    "14_dbg": ("MISSING_CORRELATION", "raw.header.num_data", 24),
    "16_dbg": ("MISSING_CORRELATION", "raw.header.num_data", 24),
    "22_cbinary": ("MISSING_CORRELATION", "raw.header.num_data", 24),
    "22_cdebug-info": ("MISSING_CORRELATION", "raw.header.num_data", 24),
    "23_cmdebug-info": ("MISSING_CORRELATION", "raw.header.num_data", 24),
}

# The findings about files without an error; the other files of the corpus have none.
FINDINGS = {
    name: "UNPADDED_IDS"  # LLVM 13 does not pad binary ids: the later sections are not aligned
    for name in ("13_bedsosha1", "13_beir32", "13_dso0x1122334455", "13_mo32", "13_sid0x1122334455", "13_sidsha1")
}
FINDINGS.update({name: reference.finding for name, reference in READ_ON_PURPOSE.items() if reference.finding})


def release_of(name):
    """The release in a name such as 5.0_mo, as apf_release_name has it; None: a file without one."""
    release = name.partition("_")[0]
    if not release[0].isdigit():
        return None
    return release[:-2] if release.endswith(".0") else release


def got_value(kind, value, count, name):
    if kind == MEMOP:
        return (int(value, 16), int(count))
    return (name or (EXTERNAL if value == "0x0" else value), int(count))


def got_records(dumped):
    return [
        {
            "name": r["name"],
            "id": int(r["id"], 16),
            "hash": int(r["hash"], 16),
            "counts": [int(c) for c in r["counts"]],
            "bitmap": r["bitmap"],
            "sites": [[[got_value(kind, *v) for v in site] for site in r["sites"][kind]] for kind in range(KINDS)],
            "uniform": [int(c) for c in r["uniform"]],
            "uniformity": r["uniformity"],
            "flags": r["flags"],
        }
        for r in dumped["records"]
    ]


def want_records(profiles):
    return [
        {
            "name": r["name"],
            "id": name_ref(r["name"]),
            "hash": r["hash"],
            "counts": r["counts"],
            "bitmap": r.get("bitmap", ""),
            "sites": [
                [[tuple(v) for v in site] for site in r.get("values", {}).get(str(kind), [])] for kind in range(KINDS)
            ],
            "uniform": r.get("uniform", []),
            "uniformity": "",
            "flags": 0 if not r.get("bitmap") else SPARSE if p["version"] < 10 else DENSE,
        }
        for p in profiles
        for r in p["records"]
    ]


def check_info(report, name, dumped, profiles):
    """Compares the facts that a file states about itself."""
    info = dumped["info"]
    first, last = profiles[0], profiles[-1]
    records = [r for p in profiles for r in p["records"]]
    want = {
        "format": "raw",
        "version": first["version"],
        "version_word": hex(int(first["variant"], 16) | first["version"]),
        "variant": hex(int(first["variant"], 16)),
        "last_variant": hex(int(last["variant"], 16)),
        "pointer_bits": first["pointer_bits"],
        "big_endian": first["endian"] == "big",
        "front_end": False,
        "n_profiles": len(profiles),
        "n_records": len(records),
        "n_counters": sum(len(r["counts"]) for r in records),
        "nameless": sum(r["name"] == "" for r in records),
    }
    if None not in [p["binary_ids"] for p in profiles]:
        want["binary_ids"] = [i for p in profiles for i in p["binary_ids"]]
    report.same(f"{name}: info", {key: info[key] for key in want}, want)
    traces = [p["trace"] for p in profiles if p["trace"]]
    assert len(traces) <= 1, f"{name}: several profiles with traces; the test has to be extended"
    report.same(f"{name}: traces", [(t["weight"], t["names"]) for t in info["traces"]], [(1, t) for t in traces])
    report.same(f"{name}: stream", info["trace_stream_size"], len(traces))
    for trace in info["traces"]:
        ran = sorted((r["timestamp"], int(r["id"], 16)) for r in dumped["records"] if r["timestamp"])
        report.same(f"{name}: timestamps", [i for _, i in ran], [int(i, 16) for i in trace["ids"]])
    if release_of(name):
        report.check(f"{name}: producers {info['producers']}", release_of(name) in info["producers"])


def check_read(report, name, dumped, profiles):
    if "error" in dumped:
        report.check(f"{name}: is read", False, dumped["error"]["message"])
        return
    check_info(report, name, dumped, profiles)
    report.same(f"{name}: records", got_records(dumped), want_records(profiles))
    offsets = [r["offset"] for r in dumped["records"]]
    report.check(f"{name}: offsets of records ascend", all(a < b for a, b in zip(offsets, offsets[1:])))
    findings = [f["where"] for f in dumped["findings"]]
    want = ["quirk." + FINDINGS[name]] if name in FINDINGS else []
    report.same(f"{name}: findings", findings, want)


def check_rejected(report, name, dumped):
    if "error" not in dumped:
        report.check(f"{name}: is rejected", False)
        return
    error = dumped["error"]
    report.same(f"{name}: error", (error["code"], error["where"], error["offset"]), REJECTED[name])


def check_tables(report, raw, names):
    """The twins are as the tables say, so that no exception outlives its reason."""
    for name in names:
        rejected = load_twin(raw, name).get("rejected", False)
        on_purpose = name in READ_ON_PURPOSE
        known = on_purpose or name in REJECTED
        report.check(f"{name}: a twin that is rejected is in a table", known if rejected else not on_purpose)
        if name in WITHOUT_METADATA:
            profiles = load_twin(raw, name)["profiles"]
            report.same(f"{name}: records of the twin", [len(p["records"]) for p in profiles], [0])
        elif name in REJECTED:
            report.check(f"{name}: a rejected file has a rejected twin", rejected)
    missing = (set(REJECTED) | set(READ_ON_PURPOSE) | set(FINDINGS)) - set(names)
    report.check(f"files of the tables are there: {sorted(missing)}", not missing)


def main():
    raw = need("raw")
    names = twin_names(raw)
    report = Report(floor=1300)
    dumped = dump([os.path.join(raw, name + ".profraw") for name in names])
    check_tables(report, raw, names)
    rejected = 0
    for name in names:
        one = dumped[os.path.join(raw, name + ".profraw")]
        if name in REJECTED:
            check_rejected(report, name, one)
            rejected += 1
        else:
            check_read(report, name, one, expected_profiles(raw, name))
    print(f"{len(names)} files, {rejected} of them rejected, {len(READ_ON_PURPOSE)} read on purpose")
    report.finish()


if __name__ == "__main__":
    main()
