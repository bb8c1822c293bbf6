#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""convert into formats of other tools, of all profiles of the corpus: the four formats hold the same stacks, which are
those of the JSON of the profile; pprof's is read by a decoder of its own here. Then the tools that the formats are for,
as far as they are installed, open some profiles, and hostile ones: they must show the same stacks."""

import collections
import csv
import glob
import gzip
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _export_tools as tools  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402

MOST = 2**64 - 1
EXAMPLES = os.path.join(p.SOURCE, "examples", "profiles")


def unescaped(text):
    """A name as in the profile: \\xNN is a byte. Bytes that are not UTF-8 are surrogates, as in all of these tests."""
    data = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
    return data.decode("utf-8", "surrogateescape")


# --- pprof: fields by number -------------------------------------------------------------------------------------


def fields(data):
    """(number, value) of a message: a number, or the bytes of a text, message or packed list."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            size = varint()
            assert at + size <= len(data)
            yield key >> 3, data[at:at + size]
            at += size


def packed(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


def read_pprof(report, what, data):
    """(names of values, stacks as in CSV: [(((function, file, line), ...), values)])."""
    whole = collections.defaultdict(list)
    for number, value in fields(gzip.decompress(data)):
        whole[number].append(value)
    texts = [text.decode() for text in whole[6]]  # must be UTF-8
    report.check(f"{what}: pprof's first text is empty", texts and texts[0] == "")
    report.check(f"{what}: pprof's fields", set(whole) <= {1, 2, 4, 5, 6, 13, 14}, sorted(whole))
    functions, locations, stacks = {}, {}, []
    for message in whole[5]:
        f = dict(fields(message))
        functions[f[1]] = (texts[f.get(3, 0)], texts[f.get(4, 0)])
    for message in whole[4]:
        f = dict(fields(message))
        line = dict(fields(f[4]))
        locations[f[1]] = (*functions[line[1]], line.get(2, 0))
    for message in whole[2]:
        f = dict(fields(message))
        stacks.append((tuple(locations[i] for i in reversed(packed(f[1]))), packed(f[2])))
    names = [texts[dict(fields(message))[1]] for message in whole[1]]
    report.check(f"{what}: pprof's default value", texts[whole[14][0]] == names[0])
    return names, stacks


# --- the other formats -------------------------------------------------------------------------------------------


def read_folded(report, what, data):
    sums = collections.Counter()
    for line in data.decode().split("\n")[:-1]:
        match = re.fullmatch(r"(.*) ([1-9]\d*)", line)
        if report.check(f"{what}: a folded line", match, line):
            sums[tuple(match[1].split(";"))] += int(match[2])
    return sums


def read_csv(report, what, data):
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    lines = data.decode().split("\n")
    report.check(f"{what}: each row of CSV is a line", len(rows) == len(lines) - 2)
    report.check(f"{what}: columns of CSV", all(None not in row and None not in row.values() for row in rows))
    return rows


def read_speedscope(report, what, data):
    s = json.loads(data)
    frames = s["shared"]["frames"]
    found = {}
    for profile in s["profiles"]:
        sums = collections.Counter()
        report.check(f"{what}: lists of speedscope", len(profile["samples"]) == len(profile["weights"]))
        for stack, weight in zip(profile["samples"], profile["weights"]):
            sums[tuple(frames[i]["name"] for i in stack)] += weight
        found[profile["name"]] = sums
    return found


def close(a, b):
    """Equal but for what doubles cannot hold, and sums that stay at the largest number."""
    return a.keys() == b.keys() and all(abs(a[k] - b[k]) <= 1e-9 * abs(a[k]) for k in a)


# --- the profile itself, by its JSON -----------------------------------------------------------------------------


def sum_of_counters(function):
    counts = [int(count) for count in function["counts"]]
    return 0 if counts and counts[0] in p.PSEUDO else min(sum(counts), MOST)


def samples_of(function):
    """The samples of a function and of what is inlined in it, but for what the inlined one's own profile has, too."""
    yield from (int(line["count"]) for line in function.get("lines", ()))
    left_out = None  # the depth of what is left out, with all that is deeper
    for inner in function.get("inlined", ()):
        if left_out is not None and inner["depth"] > left_out:
            continue
        left_out = inner["depth"] if "duplicated" in inner.get("attributes", ()) else None
        if left_out is None:
            yield from (int(line["count"]) for line in inner.get("lines", ()))


def compare(report, what, path, options=()):
    made = {}
    for to in ("folded", "csv", "speedscope", "pprof", "json"):
        made[to] = p.anyprof("convert", f"--to={to}", path, *options)
    codes = {to: done.code for to, done in made.items()}
    json_code = codes.pop("json")
    if codes["folded"]:
        report.check(f"{what}: refused by all", all(codes.values()) and json_code, codes)
        return False
    report.check(f"{what}: exit codes", not any(codes.values()), codes)
    folded = {tuple(map(unescaped, stack)): count
              for stack, count in read_folded(report, what, made["folded"].out).items()}
    rows = read_csv(report, what, made["csv"].out)
    names, stacks = read_pprof(report, what, made["pprof"].out)
    first = names[0]
    by_csv, by_pprof = collections.Counter(), collections.Counter()
    # In profiles without callers, only local functions have files; folded stacks have these in the names.
    local = not rows or "callers" not in rows[0]
    joined = lambda function, file: f"{file}:{function}" if local and file else function  # noqa: E731
    for row in rows:
        callers = [re.sub(r":\d+$", "", part) for part in (row.get("callers") or "").split(";") if part]
        by_csv[tuple(map(unescaped, (*callers, joined(row["function"], row["file"]))))] += int(row[first])
    divisor = int((re.search(r"counts are divided by (\d+)", made["pprof"].errors()) or [0, 1])[1])
    for stack, values in stacks:
        by_pprof[tuple(unescaped(joined(function, file)) for function, file, _ in stack)] += values[0]
    keep = lambda sums: {key: value for key, value in sums.items() if value}  # noqa: E731
    if "callers" in (rows[0] if rows else ()) and max((int(row[first]) for row in rows), default=0) >= MOST:
        return True  # sums of lines stay at the largest number
    report.same(f"{what}: CSV and folded", keep(by_csv), folded)
    report.check(f"{what}: pprof's sums", all(sum(column) < 2**63 for column in zip(*(v for _, v in stacks))))
    if divisor == 1:
        report.same(f"{what}: pprof and folded", keep(by_pprof), folded)
    else:  # each of its numbers was rounded up
        report.check(f"{what}: pprof and folded", by_pprof.keys() == folded.keys() and all(
            0 <= by_pprof[key] * divisor - folded[key] < divisor * len(stacks) for key in folded))
    speedscope = read_speedscope(report, what, made["speedscope"].out)
    report.check(f"{what}: speedscope", close(folded, speedscope[first]))
    if json_code == 0:  # else it is a profile of BOLT
        document = json.loads(made["json"].out)
        is_instr = document["schema"] == "anyprof-profile/1"
        want = sum(sum_of_counters(f) if is_instr else sum(samples_of(f)) for f in document["functions"])
        report.same(f"{what}: the sum of all", sum(int(row[first]) for row in rows), want)
    return True


# --- other tools -------------------------------------------------------------------------------------------------

ODD = ["a b 12", "x 5.5", " lead", "trail ", "semi;colon", "quo\"te'", "\\'+alert(1)+\\'", "<b>&amp", "new\nline",
       "tab\t", "\u00e9\u4e2d", "\u2028next", "f\u00a07", "rtl\u202e", "-", "=cmd", "a,b", "]]>", "\\x41",
       "name\\", "\udcff\udcfe"]


def write_hostile(directory):
    """Paths of profiles with odd names, counts near 2^64, and nothing."""
    names = [name for name in ODD if not set(name) & set("\n\t") and name.strip() == name]  # which text can hold
    texts = {"odd.prof": "".join(f"{name}:90:1\n 1: {50 + i}\n 2: {names[i - 1]}:7\n  3: 7\n"
                                 for i, name in enumerate(names)),
             "large.proftext": ":ir\n" + "".join(f"f{i}\n1\n1\n{count}\n\n" for i, count in enumerate(
                 (2**64 - 3, 2**63, 2**63 - 1, 2**53 + 1, 1))),
             "none.prof": "main:0:0\n"}
    for name, text in texts.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    with open(os.path.join(directory, "odd.json"), "w", encoding="ascii") as file:
        json.dump({"schema": "anyprof-profile/1", "level": "ir", "functions": [
            {"name": name, "hash": "0x1", "counts": [3 + i]} for i, name in enumerate(ODD)]}, file)
    return [os.path.join(directory, name) for name in (*texts, "odd.json")]


def added_up(stacks):
    sums = {}
    for stack, values in stacks:
        sums[stack] = [a + b for a, b in zip(values, sums.get(stack, [0] * len(values)))]
    return sums


def try_tools(report, path, directory):
    """The tools show what the files hold, which compare() has compared with the profile."""
    name = os.path.basename(path)
    made = {end: os.path.join(directory, "x" + end) for end in (".folded", ".pb.gz", ".csv")}
    for out in made.values():
        done = p.anyprof("convert", path, "-o", out)
        if not report.check(f"{name}: is exported", done.code == 0, done.errors()):
            return
    with open(made[".folded"], "rb") as file:
        folded = file.read()
    stacks = read_folded(report, name, folded)
    graph = tools.flamegraph(folded) if folded else ({}, [])  # of nothing it makes an error
    if graph is None:
        report.skip(name, "flamegraph.pl is not installed")
    else:
        largest = max(stacks.values(), default=0)
        report.same(f"{name}: flamegraph.pl's scripts", graph[1], [])
        if largest < 2**50:  # it adds up doubles
            report.same(f"{name}: flamegraph.pl", graph[0], tools.rows_of(stacks))
    with open(made[".pb.gz"], "rb") as file:
        want = read_pprof(report, name, file.read())
    places = [tuple((function, file, str(line)) for function, file, line in stack) for stack, _ in want[1]]
    go = tools.go_pprof(made[".pb.gz"], directory)
    if go is None:
        report.skip(name, "Go's pprof is not installed")
    else:
        report.same(f"{name}: pprof", added_up(go[0]), added_up(zip(places, (values for _, values in want[1]))))
        total = sum(values[0] for _, values in want[1])
        report.check(f"{name}: pprof's total", f"of {total} total" in go[1] or total > 2**53, go[1])
    decoded = tools.protoc(made[".pb.gz"])
    if decoded is None:
        report.skip(name, "protoc or pprof's profile.proto is not installed")
    else:
        report.check(f"{name}: fields that pprof's definition has", not any(map(str.isdigit, decoded)) and
                     [sample["value"] for sample in decoded["sample"]] == [values for _, values in want[1]], decoded)
    rows = tools.sqlite(made[".csv"])
    if rows is None:
        report.skip(name, "sqlite3 is not installed")
    else:
        with open(made[".csv"], newline="", encoding="utf-8") as file:
            report.same(f"{name}: sqlite3", rows, list(csv.DictReader(file)))


def profiles():
    yield from sorted(glob.glob(os.path.join(EXAMPLES, "*.prof*")))
    for room in ("raw", "sample", "afdo", "llvm-tests", "bolt"):
        found = [path for path in sorted(glob.glob(os.path.join(p.CORPUS, room, "**", "*"), recursive=True))
                 if os.path.isfile(path)]
        yield from found[::1 + len(found) // 120]


def main():
    report = p.Report(floor=300)
    opened = []
    with p.work_directory() as directory:
        for path in profiles():
            if compare(report, os.path.relpath(path, p.CORPUS), path):
                opened.append(path)
        report.check("many profiles are exported", len(opened) >= 14, len(opened))
        hostile = write_hostile(directory)
        for path in hostile:
            report.check(f"{os.path.basename(path)} is exported", compare(report, os.path.basename(path), path))
        for path in hostile + opened[:6] + opened[6::1 + len(opened) // 10]:
            try_tools(report, path, directory)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
