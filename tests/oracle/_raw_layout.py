# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rest of a raw file that was cut off, found from the layout alone: written from the specification of the
format, and not from src/instr. Of a record it says whether it is there, not what it holds."""

import hashlib
import zlib

MAGICS = {
    bytes.fromhex("8172666f72706cff"): (8, "little"),
    bytes.fromhex("ff6c70726f667281"): (8, "big"),
    bytes.fromhex("8152666f72706cff"): (4, "little"),
    bytes.fromhex("ff6c70726f665281"): (4, "big"),
}
# Words after magic and version, by the names of the specification.
V1 = "NumData NumCounters NamesSize CountersDelta NamesDelta".split()
V5 = ("NumData PadBefore NumCounters PadAfter NamesSize CountersDelta NamesDelta KindLast").split()
V9 = (
    "IdsSize NumData PadBefore NumCounters PadAfter NumBitmap PadBitmap NamesSize CountersDelta BitmapDelta NamesDelta "
    "KindLast"
).split()
V10 = V9[:-1] + ["NumVTables", "VNamesSize", "KindLast"]
V11 = V10[:7] + ["NumUniform", "PadUniform", "UniformDelta"] + V10[7:]
WORDS = {
    1: V1,
    2: V1 + ["KindLast", "ValueSize", "ValueDelta"],
    4: V1 + ["KindLast"],
    5: V5,
    7: ["IdsSize"] + V5,
    8: ["IdsSize"] + V5,
    9: V9,
    10: V10,
    11: V11,
}
# Data records: size, and offsets of name, hash, counter pointer, bitmap pointer, uniform pointer, number of
# counters, site counts (and how many there are), bitmap bytes; for 64 and for 32 bits. None: it has no such field.
RECORDS = {
    1: ((32, None, 8, 24, None, None, 4, None, 0, None), (24, None, 8, 20, None, None, 4, None, 0, None)),
    2: ((56, None, 8, 24, None, None, 4, 48, 1, None), (40, None, 8, 20, None, None, 4, 32, 1, None)),
    4: ((48, 0, 8, 16, None, None, 40, 44, 2, None), (40, 0, 8, 16, None, None, 28, 32, 2, None)),
    9: ((64, 0, 8, 16, 24, None, 48, 52, 2, 56), (48, 0, 8, 16, 20, None, 32, 36, 2, 40)),
    10: ((64, 0, 8, 16, 24, None, 48, 52, 3, 60), (48, 0, 8, 16, 20, None, 32, 36, 3, 44)),
    11: ((72, 0, 8, 16, 32, 24, 56, 60, 3, 68), (56, 0, 8, 16, 24, 20, 36, 40, 3, 48)),
}
RECORD_OF = {1: 1, 2: 2, 4: 4, 5: 4, 7: 4, 8: 4, 9: 9, 10: 10, 11: 11}
TEMPORAL, BYTES = 1 << 63, 1 << 60


def align8(n):
    return (n + 7) // 8 * 8


class Record:
    """`end`: everything but name and values lies before it. `name_end`: versions 1 and 2, where it has to be there too.
    `values_end`: of its block, None without sites; `sites`: announced, by kind."""

    def __init__(self):
        self.end = self.name_end = 0
        self.values_end = None
        self.sites = []


class Profile:
    """A profile of an intact file: `start`; `records` without those that are all zero; `n_announced` of both kinds;
    `data_end`; `names_at`, `names_size`; `end` of everything. `values_missing`: announced, but never written."""

    def __init__(self, data, start):
        self.data, self.start = data, start
        self.pointer, self.order = MAGICS[data[start : start + 8]]
        word = self.u64(start + 8)
        self.version, self.variant = word & 0xFFFFFFFF, word >> 32 << 32
        self.words = dict.fromkeys(V11 + V1, 0)
        for i, name in enumerate(WORDS[self.version]):
            self.words[name] = self.u64(start + 16 + 8 * i)
        self.header_end = start + 16 + 8 * len(WORDS[self.version])
        self.lay_out()
        self.read_records()
        self.read_values()

    def number(self, at, size):
        return int.from_bytes(self.data[at : at + size], self.order)

    def u64(self, at):
        return self.number(at, 8)

    def lay_out(self):
        w = self.words
        self.field = RECORDS[RECORD_OF[self.version]][self.pointer == 4]
        self.c = 1 if self.variant & BYTES else 8
        self.data_at = self.header_end + w["IdsSize"]
        self.data_end = self.data_at + w["NumData"] * self.field[0]
        self.counters = (self.data_end + w["PadBefore"], w["NumCounters"] * self.c)
        at = sum(self.counters) + w["PadAfter"]
        self.bitmap = (at, w["NumBitmap"])
        at += w["NumBitmap"] + w["PadBitmap"]
        self.uniform = (at, 8 * w["NumUniform"])
        at += 8 * w["NumUniform"] + w["PadUniform"]
        self.names_at, self.names_size = at, w["NamesSize"]
        at += w["NamesSize"] if self.version == 1 else align8(w["NamesSize"])
        self.vtables_end = at + w["NumVTables"] * (24 if self.pointer == 8 else 16)
        at = self.names_at + align8(w["NamesSize"]) + align8(self.vtables_end - at) if w["NumVTables"] else at
        self.values_at = at + align8(w["VNamesSize"])

    def place(self, i, field, delta, section, relative):
        """Where in the file something begins, or None."""
        distance = delta - (i * self.field[0] if relative else 0)
        at = self.data_at + i * self.field[0] + self.field[field]
        pointer = self.number(at, self.pointer)
        offset = (pointer - distance) % (1 << 8 * self.pointer)
        if offset >= section[1] and relative:
            offset %= 1 << 32
        return section[0] + offset if offset < section[1] else None

    def read_records(self):
        relative = self.version >= 8
        records = self.try_records(relative)
        if records is None:
            records = self.try_records(True)
        assert records is not None, "records that make no sense"
        self.records = records

    def try_records(self, relative):
        w, f, records = self.words, self.field, []
        counts = [self.number(self.data_at + i * f[0] + f[6], 4) for i in range(w["NumData"])]
        small = self.variant & BYTES and any(0 < n < 8 for n in counts)
        stamps = self.variant & TEMPORAL and not small
        for i, n in enumerate(counts):
            at = self.data_at + i * f[0]
            if not any(self.data[at : at + f[0]]):
                continue
            record = Record()
            begin = self.place(i, 3, w["CountersDelta"], self.counters, relative)
            if begin is None or n * self.c > sum(self.counters) - begin or n <= (8 // self.c if stamps else 0):
                return None
            record.end = begin + n * self.c
            bits = self.number(at + f[9], 4) if f[9] is not None else 0
            if bits:
                record.end = max(record.end, self.place(i, 4, w["BitmapDelta"], self.bitmap, True) + bits)
            if w["NumUniform"]:
                place = self.place(i, 5, w["UniformDelta"], self.uniform, True)
                record.end = max(record.end, place + 8 * (n - (8 // self.c if stamps else 0)))
            if f[1] is None:
                name = self.number(at + 16, self.pointer) - w["NamesDelta"]
                record.name_end = self.names_at + name + self.number(at, 4)
            kinds = min(w["KindLast"] + 1, f[8])
            record.sites = [self.number(at + f[7] + 2 * k, 2) for k in range(kinds)]
            records.append(record)
        return records

    def read_values(self):
        at = self.values_at
        self.values_missing = False
        rest = self.data[at:].lstrip(b"\0")
        for record in self.records:
            if not sum(record.sites):
                continue
            if at == self.values_at and (not rest or rest[:8] in MAGICS):
                self.values_missing = True
                break
            at += self.number(at, 4)
            record.values_end = at
        self.end = at

    # --- of a part of the file ---

    def names(self, size):
        """Names that can be made of the first `size` bytes of the file, by id; pieces may be no names. None where the
        records point to their names."""
        if self.version <= 2:
            return None
        at, end = self.names_at, min(size, self.names_at + self.names_size)
        found = set()
        while at < end:
            length, at = self.uleb(at, end)
            packed, at = self.uleb(at, end) if at is not None else (0, None)
            if at is None:
                break
            piece = self.data[at : min(end, at + (packed or length))]
            text = zlib.decompressobj().decompress(piece) if packed else piece
            found.update(text.split(b"\1"))
            at += packed or length
            while at < end and self.data[at] == 0:
                at += 1
        return {int.from_bytes(hashlib.md5(name).digest()[:8], "little"): name for name in found}

    def uleb(self, at, end):
        value = shift = 0
        while at < end:
            value |= (self.data[at] & 0x7F) << shift
            shift += 7
            at += 1
            if not self.data[at - 1] & 0x80:
                return value, at
        return 0, None


def read_profiles(data):
    """All profiles of an intact file."""
    profiles, at = [], 0
    while at < len(data):
        profiles.append(Profile(data, at))
        at = profiles[-1].end
        while at < len(data) and data[at] == 0:
            at += 1
    return profiles
