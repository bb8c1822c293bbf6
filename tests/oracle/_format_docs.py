# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documents in docs/formats as data: their tables and examples; and writers of raw and indexed profiles that
know nothing else: every offset, size and version in them comes from those tables."""

import hashlib
import os
import re
import struct
import zlib

from _profiles import SOURCE

ABSENT = ("", "-")
IR, BYTES, TEMPORAL = 1 << 56, 1 << 60, 1 << 63


def page(name):
    with open(os.path.join(SOURCE, "docs", "formats", name), encoding="utf-8") as f:
        return f.read()


def table(text, first):
    """The table whose head begins with the cell `first`: a list of {head: cell}."""
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith(f"| {first} |" if first else "| | ")]
    if len(starts) != 1:
        raise ValueError(f"{len(starts)} tables begin with {first!r}")
    cells = [[c.strip() for c in line[1:-1].split("|")] for line in lines[starts[0] :]]
    n = next(i for i, line in enumerate(lines[starts[0] :]) if not line.startswith("|"))
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:n]]


def blocks(text, kind):
    """The fenced blocks whose info string is `kind NAME`: {name: text}."""
    found = re.findall(rf"^```{kind} (\S+)\n(.*?)^```$", text, re.M | re.S)
    return dict(found)


def from_hex(block):
    """The bytes of an example; `00*24` is 24 times that byte. The offsets have to be right."""
    data = b""
    for line in block.splitlines():
        found = re.fullmatch(r"([0-9a-f]{4})  ((?:[0-9a-f]{2}(?:\*\d+)? +)+)\| \S.*", line)
        if not found or int(found[1], 16) != len(data):
            raise ValueError(f"line {line!r} at {len(data):#x}")
        for token in found[2].split():
            byte, _, times = token.partition("*")
            data += bytes([int(byte, 16)]) * int(times or 1)
    return data


def versions(cell, newest):
    """Returns the versions that "3 to 8", "2, 3", "11 and later" or "all" stands for."""
    if cell.startswith("all"):
        return set(range(1, newest + 1))
    if found := re.match(r"(\d+) and later", cell):
        return set(range(int(found[1]), newest + 1))
    if found := re.match(r"(\d+) to (\d+)", cell):
        return set(range(int(found[1]), int(found[2]) + 1))
    return {int(n) for n in cell.split(",")}


def md5id(name):
    return int.from_bytes(hashlib.md5(name).digest()[:8], "little")


def pad8(data):
    return data + bytes(-len(data) % 8)


def uleb128(value):
    out = b""
    while True:
        out += bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
        value >>= 7
        if not value:
            return out


def chunk(names, compress=False):
    text = b"\1".join(names)
    packed = zlib.compress(text, 9) if compress else b""
    return uleb128(len(text)) + uleb128(len(packed)) + (packed or text)


class Function:
    def __init__(self, name, hash_, counts, address=0, bitmap=b"", sites=(), timestamp=None):
        self.name, self.hash, self.counts, self.address = name, hash_, counts, address
        self.bitmap, self.sites, self.timestamp = bitmap, dict(sites), timestamp


def value_block(sites, number, order=sorted):
    """`number(size, value)` makes bytes of a number; `order` puts the kinds in order."""
    body = b""
    for kind in order(sites):
        body += number(4, kind) + number(4, len(sites[kind])) + pad8(bytes(len(site) for site in sites[kind]))
        body += b"".join(number(8, part) for site in sites[kind] for pair in site for part in pair)
    return number(4, 8 + len(body)) + number(4, len(sites)) + body


class RawTables:
    """Chapters 2, 4, 5 and 6 of raw.md."""

    def __init__(self):
        text = page("raw.md")
        self.rows = {int(row["version"]): row for row in table(text, "version")}
        self.newest = max(self.rows)
        self.words, self.fields = {v: {} for v in self.rows}, {(v, p): {} for v in self.rows for p in (8, 4)}
        for row in table(text, "word"):
            for head, cell in list(row.items())[1:]:
                for version in versions(head, self.newest):
                    if cell not in ABSENT:
                        self.words[version][row["word"]] = int(cell)
        for row in table(text, "field"):
            for head, cell in list(row.items())[2:]:
                for version in versions(head, self.newest):
                    for pointer, at in zip((8, 4), (cell.split("/") * 2)[:2]):
                        if at.strip() not in ABSENT:
                            kind = row["type"].split()[0] if row["type"] else ""
                            self.fields[version, pointer][row["field"]] = (int(at), kind)
        self.sections = table(text, "section")

    def header_size(self, version):
        return self.words[version]["header size"]

    def record_size(self, version, pointer):
        return self.fields[version, pointer]["record size"][0]

    def kinds(self, version):
        return self.fields[version, 8]["room for value kinds"][0]


class RawWriter:
    """One profile of a version, width and order, by chapter 16 of raw.md."""

    def __init__(self, tables, version, pointer, big, variant=0):
        self.t, self.version, self.pointer, self.order = tables, version, pointer, "big" if big else "little"
        self.variant, self.entry = variant, 1 if variant & BYTES else 8
        self.fields, self.words = tables.fields[version, pointer], tables.words[version]
        self.size = tables.record_size(version, pointer)
        self.relative = tables.rows[version]["counter pointers"] == "relative"
        self.base = 0x4000
        self.names_address = 0x7000

    def number(self, size, value):
        return value.to_bytes(size, self.order)

    def has(self, word):
        return word in self.words

    def counters(self, function):
        stamp = b"" if function.timestamp is None else self.number(8, function.timestamp)
        if self.entry == 1:
            return stamp + bytes(0 if count else 0xFF for count in function.counts)
        return stamp + b"".join(self.number(8, count) for count in function.counts)

    def sites(self, function):
        return {k: s for k, s in function.sites.items() if k < self.t.kinds(self.version)}

    def record(self, i, function, at_counters, at_bitmap, at_name):
        record = bytearray(self.size)
        delta = self.base - i * self.size if self.relative else self.base
        values = {
            "NameSize": len(function.name),
            "NamePtr": self.names_address + at_name,
            "NameRef": md5id(function.name),
            "FuncHash": function.hash,
            "CounterPtr": delta + at_counters,
            "BitmapPtr": delta + at_bitmap,
            "FunctionPointer": function.address,
            "NumCounters": len(self.counters(function)) // self.entry,
            "NumBitmapBytes": len(function.bitmap),
        }
        for field, value in values.items():
            if field in self.fields:
                at, kind = self.fields[field]
                size = self.pointer if kind == "ptr" else int(kind[1:]) // 8
                record[at : at + size] = self.number(size, value)
        for kind, sites in self.sites(function).items():
            at = self.fields["NumValueSites"][0] + 2 * kind
            record[at : at + 2] = self.number(2, len(sites))
        return bytes(record)

    def names(self, functions):
        if "NamePtr" in self.fields:
            return b"".join(f.name for f in functions)
        half = (len(functions) + 1) // 2
        first, second = [f.name for f in functions[:half]], [f.name for f in functions[half:]]
        return chunk(first) + (bytes(3) + chunk(second, True) if second else b"")

    def vtables(self, vtables):
        pad = bytes(4 if self.pointer == 8 else 0)
        rows = (self.number(8, md5id(n)) + self.number(self.pointer, a) + self.number(4, s) for n, a, s in vtables)
        return b"".join(row + pad for row in rows), chunk([v[0] for v in vtables]) if vtables else b""

    def ids(self, ids):
        padded = self.version >= 8
        made = (self.number(8, len(i)) + (pad8(i) if padded else i) for i in ids)
        return b"".join(made) if self.has("BinaryIdsSize") else b""

    def write(self, functions, vtables=(), ids=(), kind_order=sorted):
        data = counters = bitmaps = values = b""
        name_at = 0
        for i, f in enumerate(functions):
            data += self.record(i, f, len(counters), len(bitmaps), name_at)
            counters += self.counters(f)
            bitmaps += f.bitmap if self.has("NumBitmapBytes") else b""
            name_at += len(f.name)
            if self.sites(f):
                values += value_block(self.sites(f), self.number, kind_order)
        parts = {"binary ids": self.ids(ids), "data records": data, "counters": counters, "bitmaps": bitmaps}
        parts["names"] = self.names(functions)
        if self.has("NumVTables"):
            parts["vtable records"], parts["vtable names"] = self.vtables(vtables)
        parts["value data"] = values
        return self.assemble(parts, len(functions), len(vtables))

    def assemble(self, parts, n_records, n_vtables):
        counted = -len(parts["counters"]) % 8 if self.has("PaddingBytesAfterCounters") else 0
        delta = self.base
        header = {
            "Magic": int.from_bytes(b"\xfflprofr\x81" if self.pointer == 8 else b"\xfflprofR\x81", "big"),
            "Version": self.version | self.variant,
            "BinaryIdsSize": len(parts["binary ids"]),
            "NumData": n_records,
            "NumCounters": len(parts["counters"]) // self.entry,
            "PaddingBytesAfterCounters": counted,
            "NumBitmapBytes": len(parts["bitmaps"]),
            "PaddingBytesAfterBitmap": -len(parts["bitmaps"]) % 8,
            "NamesSize": len(parts["names"]),
            "CountersDelta": delta,
            "BitmapDelta": delta,
            "NamesDelta": self.names_address,
            "NumVTables": n_vtables,
            "VNamesSize": len(parts.get("vtable names", b"")),
            "ValueKindLast": self.t.kinds(self.version) - 1 if self.has("ValueKindLast") else 0,
            "ValueDataSize": len(parts["value data"]),
        }
        out = bytearray(self.words["header size"])
        for word, value in header.items():
            if self.has(word):
                out[self.words[word] : self.words[word] + 8] = self.number(8, value)
        for row in self.t.sections[1:]:
            part = parts.get(row["section"], b"")
            out += part
            if "PaddingBytesAfter" in row["padding after it"]:
                out += bytes(-len(part) % 8 if row["section"] != "counters" else counted)
            elif row["section"] == "names" and self.version == 1:
                out += bytes(8 - len(part) % 8)
            elif "pad8" in row["padding after it"]:
                out += bytes(-len(part) % 8)
        return bytes(out)


def little(size, value):
    return value.to_bytes(size, "little")


class IndexedTables:
    """Chapters 2, 3, 4 and 8 of indexed.md."""

    def __init__(self):
        text = page("indexed.md")
        self.rows = {int(row["version"]): row for row in table(text, "version")}
        self.newest = max(self.rows)
        self.releases = table(text, "LLVM")
        self.words = [(int(r["offset"]), versions(r["in versions"], self.newest)) for r in table(text, "offset")]
        self.fields = [(r["field"], r["type"], r["in versions"]) for r in table(text, "field")]

    def header_size(self, version):
        return 8 + max(at for at, have in self.words if version in have)

    def record(self, version, hash_, counts, bitmap=b"", values=None):
        numbers = {"function hash": [hash_], "number of counters n": [len(counts)], "counters": counts}
        numbers["number of bitmap bytes m"] = [len(bitmap)]
        numbers["number of uniformity bytes q"] = [0]
        out = b""
        for field, kind, cell in self.fields:
            if version not in versions(cell, self.newest):
                continue
            if field == "value data":
                out += value_block(values or {}, little, lambda kinds: kinds)
            elif field == "bitmap":
                out += b"".join(little(8, b) for b in bitmap) if "x u64" in kind else pad8(bytes(bitmap))
            elif field != "uniformity bits":
                out += b"".join(little(8, n) for n in numbers[field])
        return out

    def write(self, version, keys, variant=0, ids=b"", summary=None, buckets=1, pad=True, tail=b"", unused=0):
        """keys: {name: [record]}; everything else is as small as it can be."""
        size = self.header_size(version)
        head = b"" if version < 4 else summary if summary is not None else struct.pack("<QQ", 6, 0) + bytes(48)
        at, items, offsets = size + len(head), b"", [0] * buckets
        for bucket in range(buckets):
            names = [n for n in keys if md5id(n) % buckets == bucket]
            offsets[bucket] = at + len(items) if names else 0
            items += little(2, len(names)) if names else b""
            for name in names:
                data = b"".join(keys[name])
                items += little(8, md5id(name)) + little(8, len(name)) + little(8, len(data)) + name + data
        items += bytes(-(at + len(items)) % 8) if pad else b""
        table_at = at + len(items)
        items += little(8, buckets) + little(8, len(keys)) + b"".join(little(8, o) for o in offsets)
        ids_at = at + len(items)
        words = {0: int.from_bytes(b"\xfflprofi\x81", "little"), 8: version | variant, 16: unused, 32: table_at}
        words.update({48: ids_at, 64: ids_at + 8 + len(ids)})
        header = b"".join(little(8, words.get(o, 0)) for o, have in self.words if version in have)
        out = header + head + items
        out += little(8, len(ids)) + ids if version >= 9 else b""
        out += bytes(8) if version >= 12 else b""
        return out + tail
