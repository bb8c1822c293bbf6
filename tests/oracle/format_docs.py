#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/formats is true: what is written by its tables alone is read by anyprof and by whichever llvm-profdata reads the
version; the examples give what the text says; tables and limits are those of the code; what is accepted is accepted."""

import os
import re

from _format_docs import (
    BYTES,
    IR,
    TEMPORAL,
    Function,
    IndexedTables,
    RawTables,
    RawWriter,
    blocks,
    from_hex,
    little,
    md5id,
    pad8,
    page,
    table,
    versions,
)
from _profiles import ANYPROF, RELEASES, SOURCE, Report, anyprof, profdata, run, skip, work_directory

EXTERNAL = "** External Symbol **"


def source(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def lines_of(data):
    """A text profile without comments and empty lines."""
    return [line for line in data.decode("utf-8").splitlines() if line and not line.startswith("#")]


class Checker:
    def __init__(self, directory, report):
        self.directory, self.report = directory, report
        self.raw, self.indexed = RawTables(), IndexedTables()
        rows = self.indexed.releases
        self.raw_of = {r["LLVM"]: int(r["raw"]) for r in rows}
        self.indexed_of = {r["LLVM"]: int(r["indexed"]) for r in rows}
        self.order = [r["LLVM"] for r in rows]

    def path(self, data, name="input"):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def reads(self, what, data, want, releases):
        """anyprof and the llvm-profdata of these releases make this text of it."""
        path = self.path(data)
        result = anyprof("merge", "--text", "--quiet", "--keep-vtable-symbols", path, "-o", "-")
        self.report.same(what, (result.code, lines_of(result.out)), (0, want))
        for release in releases:
            tool = profdata(release)
            if not tool:
                self.report.skip(f"{what} by {release}", "there is no such llvm-profdata")
                continue
            keep = ["--keep-vtable-symbols"] if release >= 19 else []
            result = run([tool, "merge", "--text", *keep, path, "-o", "-"])
            said = self.as_read_by(release, data, want)
            self.report.same(f"{what} by llvm-profdata-{release}", (result.code, lines_of(result.out)), (0, said))

    @staticmethod
    def as_read_by(release, data, want):
        """Chapter 18 of raw.md: releases up to 17 lose the targets of profiles of the other byte order. Text has no
        word for coverage in 13 to 16."""
        foreign = data[:6] == b"\xfflprof" and data[6:7] in (b"r", b"R")
        if release <= 17 and foreign:
            want = [re.sub(r"^[^:0-9].*:(\d+)$", EXTERNAL + r":\1", line) for line in want]
        return [line for line in want if release > 17 or line != ":single_byte_coverage"]

    # --- raw ---

    def raw_readers(self, version):
        return [r for r in RELEASES if self.raw_of[str(r)] == version]

    def expected(self, functions, version, flags=()):
        """Returns the text that merge --text prints of these functions."""
        kinds, bitmaps = self.raw.kinds(version), "NumBitmapBytes" in self.raw.words[version]
        names = {f.address: f.name.decode() for f in functions if f.address}
        out = list(flags)
        for f in sorted(functions, key=lambda f: f.name):
            out += [f.name.decode(), str(f.hash), str(len(f.counts)), *map(str, f.counts)]
            if bitmaps and f.bitmap:
                out += [f"${len(f.bitmap)}", *(f"0x{b:x}" for b in f.bitmap)]
            sites = {k: s for k, s in sorted(f.sites.items()) if k < kinds}
            out += [str(len(sites))] if sites else []
            for kind, of_kind in sites.items():
                out += [str(kind), str(len(of_kind))]
                for site in of_kind:
                    targets = [(str(v) if kind == 1 else names.get(v, self.vtable(kind, v)), c) for v, c in site]
                    targets.sort(key=lambda t: -t[1])
                    out += [str(len(site)), *(f"{t}:{c}" for t, c in targets)]
        return out

    VTABLES = [(b"table one", 0x9000, 0x28), (b"table two", 0x9100, 0x18)]

    def vtable(self, kind, address):
        inside = (n.decode() for n, start, size in self.VTABLES if start <= address < start + size)
        return next(inside, EXTERNAL) if kind == 2 else EXTERNAL

    def functions(self):
        calls = [[(0x1100, 6), (0xBAD0, 7)], []]
        sizes, tables = [[(8, 3), (513, 4)]], [[(0x9010, 2), (0x9100, 3), (0x9118, 5)]]
        return [
            Function(b"caller", 11, [1, 2, 3], 0x1000, b"\x81\x02\x03", {0: calls, 1: sizes, 2: tables}),
            Function(b"callee", (1 << 60) + 5, [9], 0x1100, b"\xff"),
            Function(b"other", 0, [0, 1 << 40], sites={0: [[(0x1000, 1)]]}),
        ]

    def raw_tables(self):
        for version in self.raw.rows:
            for pointer in (8, 4):
                for big in (False, True):
                    self.raw_version(version, pointer, big)

    def raw_version(self, version, pointer, big):
        what = f"raw {version}, {8 * pointer} bits, {'big' if big else 'little'}"
        functions = self.functions()
        ids = [b"eight by", b"tw"] if version != 7 else [b"eight by"]
        writer = RawWriter(self.raw, version, pointer, big)
        data = writer.write(functions, self.VTABLES, ids)
        if version == 1:
            functions = [Function(f.name, f.hash, f.counts) for f in functions]
        readers = self.raw_readers(version)
        self.reads(what, data, self.expected(functions, version), readers)
        last = [Function(b"second profile", 1, [5])]
        want = self.expected(functions + last, version)
        more = writer.write(last, self.VTABLES)  # LLVM keeps the vtable names of the last profile only
        self.reads(f"{what}, two", data + bytes(16) + more, want, readers)
        self.reads(f"{what}, names in the first", data + writer.write(last), want, [])
        if version < 8:
            return
        writer = RawWriter(self.raw, version, pointer, big, IR | BYTES)
        covered = [Function(b"some", 3, [1, 0, 1]), Function(b"none", 4, [0])]
        want = self.expected(covered, version, [":ir", ":single_byte_coverage"])
        self.reads(f"{what}, coverage", writer.write(covered), want, readers)
        if version < 9 and readers:
            return  # LLVM 14 to 16 know no temporal profiles
        writer = RawWriter(self.raw, version, pointer, big, IR | TEMPORAL)
        timed = [Function(b"late", 3, [7], timestamp=9), Function(b"early", 4, [8], timestamp=2)]
        timed.append(Function(b"never", 5, [0], timestamp=0))
        want = self.expected(timed, version, [":ir", ":temporal_prof_traces", "1", "1", "1", "early,late,"])
        self.reads(f"{what}, temporal", writer.write(timed), want, readers)

    # --- indexed ---

    def indexed_readers(self, version):
        return [r for r in RELEASES if self.indexed_of[str(r)] >= version]

    def indexed_tables(self):
        t = self.indexed
        for version in t.rows:
            bitmap = b"\x0f\x10" if version >= 11 else b""
            values = {0: [[(md5id(b"other"), 5)], []]} if version >= 3 else {}
            keys = {b"first": [t.record(version, 7, [100, 50], bitmap, values)], b"other": [t.record(version, 8, [9])]}
            want = ["first", "7", "2", "100", "50"] + (["$2", "0xf", "0x10"] if bitmap else [])
            want += ["1", "0", "2", "1", "other:5", "0"] if values else []
            want += ["other", "8", "1", "9"]
            for buckets in (1, 64):
                data = t.write(version, keys, buckets=buckets)
                self.reads(f"indexed {version}, {buckets} buckets", data, want, self.indexed_readers(version))
            path = self.path(b"first\n7\n2\n100\n50\n")
            result = anyprof("merge", "--quiet", f"--for=indexed-{version}", path, "-o", "-")
            words = [int.from_bytes(result.out[i : i + 8], "little") for i in range(0, 72, 8)]
            self.report.same(f"version of indexed {version}", words[1] & 0xFFFFFFFF, version)
            self.report.same(f"header of indexed {version}", t.header_size(version), int(t.rows[version]["header"]))

    def accepted(self):
        """Chapter 20 of indexed.md and 19 of raw.md: accepted without a finding, by LLVM 22 as well."""
        t, version = self.indexed, 13
        plain, want = [t.record(version, 7, [100])], ["f", "7", "1", "100"]
        ids = b"".join(little(8, 2) + pad8(i) for i in (b"zz", b"aa"))
        no_rows, wrong = little(8, 6) + bytes(56), little(8, 7) + bytes(8) + little(8, 5) * 7
        bits = t.record(version, 7, [100])
        bits = bits[:24] + little(8, 1) + little(8, 0x1FF) + bits[32:]
        values = {1: [[(8, 1), (9, 5)]], 0: [[(0, 2)]]}
        cases = {
            "any word at 16": (t.write(version, {b"f": plain}, unused=77), want),
            "unknown variant bits": (t.write(version, {b"f": plain}, variant=1 << 40 | 1 << 59), want),
            "bytes after the last part": (t.write(version, {b"f": plain}, tail=b"more"), want),
            "no zeros before the buckets": (t.write(version, {b"f": plain}, pad=False), want),
            "ids not sorted": (t.write(version, {b"f": plain}, ids=ids), want),
            "no summary rows": (t.write(version, {b"f": plain}, summary=no_rows), want),
            "a wrong summary": (t.write(version, {b"f": plain}, summary=wrong), want),
            "a hash twice": (t.write(version, {b"f": plain * 2}), ["f", "7", "1", "200"]),
            "a bitmap word above 255": (t.write(version, {b"f": [bits]}), [*want, "$1", "0xff"]),
            "kinds and values in any order": (
                t.write(version, {b"f": [t.record(version, 7, [100], b"", values)]}),
                [*want, "2", "0", "1", "1", EXTERNAL + ":2", "1", "1", "2", "9:5", "8:1"],
            ),
        }
        for what, (data, text) in cases.items():
            self.reads(what, data, text, [22])
        data = bytearray(t.write(version, {b"f": plain}))
        data[48:56] = data[64:72] = bytes(8)
        self.reads("offsets of 0", bytes(data), want, [])
        for version in (8, 10):
            functions = self.functions()
            for f in functions:
                f.sites = {k: s for k, s in f.sites.items() if k < 2}
            writer = RawWriter(self.raw, version, 8, False)
            data = writer.write(functions, kind_order=lambda kinds: sorted(kinds, reverse=True))
            want = self.expected(functions, version)
            self.reads(f"raw {version}, kinds in any order", data, want, self.raw_readers(version))

    # --- examples ---

    def examples(self):
        for name in ("raw.md", "indexed.md"):
            made, text = blocks(page(name), "hex"), blocks(page(name), "text")
            self.report.same(f"examples of {name}", sorted(made), sorted(text))
            readers = self.raw_readers if name == "raw.md" else self.indexed_readers
            for example, block in made.items():
                want, version = text[example].splitlines(), int(example[1:])
                self.reads(f"{name}, {example}", from_hex(block), want, readers(version))
        made = from_hex(blocks(page("indexed.md"), "hex")["v13"])
        path = self.path(blocks(page("indexed.md"), "text")["v13"].encode())
        self.report.same("v13 by anyprof", anyprof("merge", "--for=llvm-22", path, "-o", "-").out, made)
        text = blocks(page("text.md"), "proftext")
        least = blocks(page("raw.md"), "text")["v10"].splitlines()
        self.reads("text.md, least", text["least"].encode(), least, RELEASES)
        self.reads("text.md, notation", text["notation"].encode(), [":ir", *least], RELEASES)
        path = self.path(text["all"].encode())
        self.report.same("text.md, all", anyprof("merge", "--text", path, "-o", "-").out, text["all"].encode())
        if tool := profdata(22):
            out = os.path.join(self.directory, "output")
            made_text = run([tool, "merge", "--text", path, "-o", "-"]).out.decode()
            self.report.same("text.md, all, by 22", made_text, text["all"])
            run([tool, "merge", self.path(blocks(page("indexed.md"), "text")["v13"].encode()), "-o", out])
            with open(out, "rb") as f:
                self.report.same("v13 by llvm-profdata-22", f.read(), made)

    def text_releases(self):
        """Chapter 5 of text.md: what each release reads or refuses; anyprof reads all."""
        record = "f\n1\n1\n5\n"
        parts = {"bitmaps": record + "$1\n3\n", "kind 2": record + "1\n2\n1\n1\ng:2\n"}
        for row in table(page("text.md"), ""):
            head = row.pop("")
            names = re.findall(r"`(\w+)`", head)
            texts = [f":{n}\n" + ("1\n1\n1\nf\n" if "traces" in n else "") + record for n in names]
            for what, text in zip(names or head.split(", "), texts or [parts[n] for n in head.split(", ")]):
                path = self.path(text.encode())
                self.report.same(f"text: {what}", anyprof("merge", path, "-o", os.devnull).code, 0)
                for release, said in row.items():
                    tool = profdata(int(release))
                    if not tool:
                        self.report.skip(f"text: {what} by {release}", "there is no such llvm-profdata")
                        continue
                    code = run([tool, "merge", path, "-o", os.path.join(self.directory, "output")]).code
                    self.report.same(f"text: {what} by {release}", code, 0 if said == "yes" else 1)

    def text_numbers(self):
        """Chapters 3 and 6 of text.md: forms of a number; lines that mean nothing."""
        forms = {"0x1F": 31, "0X1f": 31, "0b101": 5, "0B101": 5, "0o17": 15, "017": 15, "0": 0, "00": 0}
        forms.update(dict.fromkeys(["0O17", "08", "+1", " 1", "18446744073709551616"]))
        forms["18446744073709551613"] = 2**64 - 3  # LLVM loses the two hashes above it
        for form, value in forms.items():
            path = self.path(f"f\n{form}\n1\n5\n".encode())
            want = (1, []) if value is None else (0, ["f", str(value), "1", "5"])
            commands = {"anyprof": [ANYPROF], **{str(r): [profdata(r)] for r in RELEASES if profdata(r)}}
            for who, command in commands.items():
                result = run([*command, "merge", "--text", path, "-o", "-"])
                self.report.same(f"number {form} by {who}", (result.code, lines_of(result.out)), want)
        want = ["123", "2", "1", "6", "f", "1", "1", "5"]
        self.reads("a name of digits", b"f\n1\n1\n5\n1\n0\n0\n123\n2\n1\n6\n", want, RELEASES)

    # --- the tables and the code ---

    def code_raw(self):
        """Words and fields of src/instr/layout/raw_layout.h."""
        layout = re.sub(r"\\\n", " ", source("src/instr/layout/raw_layout.h"))
        rows = re.findall(r"ROW\((\d+), (V\d+), (V\d+), (.*?)\)", source("src/instr/layout/raw_versions.c"))
        self.report.same("raw versions", [int(r[0]) for r in rows], sorted(self.raw.rows))
        for number, header, record, caps in rows:
            version, what = int(number), f"raw {number}"
            row, words = self.raw.rows[version], self.raw.words[version]
            fields = self.expand(layout, f"RAW_RECORD_{record}")
            names = [self.word(n) for n in re.findall(r"X\(C, (\w+)\)", self.expand(layout, f"RAW_HEADER_{header}"))]
            sites = re.search(r"SITES\(C, (\d)\)", fields)
            sizes = " / ".join(str(self.raw.record_size(version, p)) for p in (8, 4))
            made_by = [r for r in self.order if self.raw_of[r] == version]
            size = 16 + 8 * len(names)
            at = sorted((a, w) for w, a in words.items() if w != "header size")
            want = list(zip(range(0, size, 8), ["Magic", "Version", *names]))
            self.report.same(f"words of {what}", at, want)
            self.report.same(f"header of {what}", (words["header size"], row["header"]), (size, str(size)))
            for pointer in (8, 4):
                have = {f: a for f, (a, kind) in self.raw.fields[version, pointer].items() if kind}
                self.report.same(f"fields of {what}, {8 * pointer} bits", have, self.layout(fields, pointer))
            way = "absolute" if "ABSOLUTE" in caps else "relative"
            self.report.same(f"pointers of {what}", row["counter pointers"], way)
            kinds = sites[1] if sites else "0"
            self.report.same(f"kinds of {what}", (str(self.raw.kinds(version)), row["kinds"]), (kinds, kinds))
            self.report.same(f"records of {what}", row["record 64 / 32"], sizes)
            if made_by:
                said = row["LLVM releases that write and read it"].split(", ")
                self.report.same(f"releases of {what}", said, made_by)

    @staticmethod
    def word(name):
        """The name that raw.md has for a word or a field of raw_layout.h."""
        own = {"NUM_UNIFORM": "NumUniformCounters", "UNIFORM_DELTA": "UniformCountersDelta"}
        own.update({"uniform_ptr": "UniformCounterPtr", "function_ptr": "FunctionPointer"})
        own.update({"NUM_VTABLES": "NumVTables", "VNAMES_SIZE": "VNamesSize"})
        camel = "".join(part.capitalize() for part in name.split("_"))
        return own.get(name, camel.replace("PadAfter", "PaddingBytesAfter").replace("PadBefore", "PaddingBytesBefore"))

    def layout(self, fields, pointer):
        """Offsets of the fields of a record by the rules of C."""
        sizes, at, out = {"U64": 8, "PTR": pointer, "U32": 4, "U16": 2, "SITES": 2}, 0, {}
        for kind, name in re.findall(r"(U64|PTR|U32|U16|SITES)\(C, (\w+)\)", fields):
            at += -at % sizes[kind]
            out["NumValueSites" if kind == "SITES" else self.word(name)] = at
            at += 2 * int(name) if kind == "SITES" else sizes[kind]
        return out

    @staticmethod
    def expand(layout, macro):
        """The body of a macro, with the macros of header words in it expanded."""
        body = re.search(rf"#define {macro}\([^)]*\)(.*)", layout)[1]
        for inner in re.findall(r"RAW_HEADER_\w+(?=\(X, C\))", body):
            body = body.replace(inner + "(X, C)", Checker.expand(layout, inner))
        return body

    def code_releases(self):
        text = source("src/instr/layout/releases.c")
        names = dict(re.findall(r"#define (V\d+) \(?(.*?)\)?\n", text))
        variants = r"#define APF_VARIANT_(\w+) \(\(uint64_t\)1 << (\d+)\)"
        bits = {name: int(bit) for name, bit in re.findall(variants, source("include/anyprof/instr.h"))}

        def known(macro):
            if macro == "0":
                return set()
            found = {bits[m] for m in re.findall(r"APF_VARIANT_(\w+)", names[macro])}
            return found.union(*(known(m) for m in re.findall(r"\bV\d+", names[macro])))

        rows = re.findall(r"\{\"([\d.]+)\", (\d+), (\d+), (\d), '(.)', (\w+)(?:, \d+){4}\}", text)
        have, before = [], set()
        for row in self.indexed.releases:
            before = before | {int(b) for b in row["variant bits"].split()}
            have.append((row["LLVM"], row["raw"], row["indexed"], row["kinds"], row["separator"].strip("`"), before))
        self.report.same("releases", have, [(*r[:5], known(r[5])) for r in rows])
        since = {int(r["bit"]): r["since"] for r in table(page("raw.md"), "bit")}
        first = {int(b): r["LLVM"] for r in self.indexed.releases for b in r["variant bits"].split()}
        self.report.same("variant bits", since, first)
        path = self.path(b":ir\nf\n5\n1\n7\n")
        for release, version in self.indexed_of.items():
            made = anyprof("merge", "--quiet", f"--for=llvm-{release}", path, "-o", "-").out
            self.report.same(f"--for=llvm-{release}", int.from_bytes(made[8:12], "little"), version)
        result = anyprof("merge", f"--for=llvm-{int(self.order[-1]) + 1}", path, "-o", "-")
        said = f"({self.order[0]} to {self.order[-1]}) or indexed-N (1 to {self.indexed.newest})"
        self.report.check("the newest release", result.code != 0 and said in result.errors(), result.errors())

    def code_indexed(self):
        text = source("src/instr/layout/indexed_layout.c")
        rows = {int(v): int(size) for v, size in re.findall(r"\{(\d+), (\d+), [^}]*\}", text)}
        self.report.same("indexed versions", {v: self.indexed.header_size(v) for v in self.indexed.rows}, rows)
        for version, row in self.indexed.rows.items():
            made_by = [r for r in self.order if self.indexed_of[r] == version]
            self.report.same(f"releases of indexed {version}", row["written by LLVM"].split(", "), made_by)

    def code_limits(self):
        raw, indexed = page("raw.md"), page("indexed.md")
        limits = {r["limit"]: (r["value"], r["code"]) for r in table(raw, "limit")}
        claimed = source("src/instr/raw/raw_read.c")

        def constant(path, name):
            return re.search(rf"#define {name} (.*)", source(path))[1]

        wanted = {
            "size of a file": "64 GiB",
            "records in a file": "2^28",
            "names of a file, inflated": "256 x its size as it is stored + 4 MiB",
        }
        for limit, value in wanted.items():
            self.report.same(f"limit: {limit}", limits[limit][0], value)
        self.report.same("GiB", constant("src/base/options_read.c", "DEFAULT_MAX_BYTES"), "((uint64_t)64 << 30)")
        self.report.same("records", constant("src/instr/model/profile.c", "DEFAULT_MAX_RECORDS"), "((uint64_t)1 << 28)")
        self.report.same("growth", constant("src/base/deflate.c", "MOST_GROWTH"), "256u")
        self.report.same("growth anyway", constant("src/base/deflate.c", "GROWTH_ANYWAY"), "((uint64_t)4 << 20)")
        claims = [v for limit, (v, _) in limits.items() if v.endswith("x the section")]
        factor = re.search(r"#define CLAIM_FACTOR (\d+)", claimed)[1]
        self.report.same("claims", claims, [f"{factor} x the section"] * 2)
        sites = re.search(r"SITES_PER_RECORD (\d+)\n#define EMPTY_SITES_ANYWAY (\d+)", claimed)
        value = limits["sites that are announced without value data"][0]
        self.report.same("sites", value, f"{sites[1]} x records + {sites[2]}")
        self.report.check("ratio", f"above {constant('src/base/deflate.h', 'DEFLATE_MAX_RATIO')} x" in raw)
        self.report.check("limits of indexed", "2^28 records; vtable names above 256 x their size + 4 MiB" in indexed)
        codes = set(re.findall(r"X\((\w+), \d+,", source("include/anyprof/error.h")))
        used = {r["code"] for text in (raw, indexed) for r in table(text, "code")} | {c for _, c in limits.values()}
        self.report.same("codes", sorted(used - codes), [])


def main():
    if not os.access(ANYPROF, os.X_OK):
        skip(f"no command at {ANYPROF}")
    with work_directory() as directory:
        report = Report(floor=400)
        c = Checker(directory, report)
        for check in (c.raw_tables, c.indexed_tables, c.accepted, c.examples, c.text_releases, c.text_numbers):
            check()
        for check in (c.code_raw, c.code_releases, c.code_indexed, c.code_limits):
            check()
        report.finish()


if __name__ == "__main__":
    main()
