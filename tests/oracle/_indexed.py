# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reader of indexed profiles, versions 1 to 14, written from the specification and not from src/instr.

It is as strict as it can be: every byte has to belong to something, every part has to begin where the one before it
ends, padding is zero, names have their hashes and are in their buckets, the summary is recomputed. What is not as it
should be is an IndexedError.
"""

import hashlib
import struct
import zlib

MAGIC = b"\xfflprofi\x81"
NEWEST = 14
LOOP_ENTRIES, IR, CS, ENTRY_FIRST = 1 << 55, 1 << 56, 1 << 57, 1 << 58
BYTE_COVERAGE, ENTRY_ONLY, MEMPROF, TEMPORAL = 1 << 60, 1 << 61, 1 << 62, 1 << 63
HASH_CS = 1 << 60
HOT, WARM = 2**64 - 1, 2**64 - 2
KINDS = 3
CUTOFFS = (10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000) + (
    950000,
    990000,
    999000,
    999900,
    999990,
    999999,
)


class IndexedError(Exception):
    pass


class Record:
    """sites[kind] is a list of sites, each a list of (value, count)."""

    def __init__(self, name, hash_):
        self.name, self.hash = name, hash_
        self.counts, self.bitmap, self.uniformity = [], b"", b""
        self.sites = [[] for _ in range(KINDS)]


class Summary:
    def __init__(self, fields, rows):
        self.fields, self.rows = fields, rows


def name_hash(name):
    return int.from_bytes(hashlib.md5(name).digest()[:8], "little")


def need(good, why):
    if not good:
        raise IndexedError(why)


class Bytes:
    """Goes through the file; every read is inside [at, end)."""

    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def left(self):
        return self.end - self.at

    def take(self, n):
        need(0 <= n <= self.left(), f"{n} bytes at {self.at}, {self.left()} are left")
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def u64(self):
        return self.number(8)

    def u64s(self, n):
        return list(struct.unpack(f"<{n}Q", self.take(8 * n)))

    def sub(self, n):
        start = self.at
        self.take(n)
        return Bytes(self.data, start, start + n)

    def zeros(self, n):
        need(self.take(n) == bytes(n), f"padding before {self.at} is not zero")

    def pad(self, alignment_of):
        self.zeros(-alignment_of % 8)


class Indexed:
    """version, variant; records in file order; keys: names in file order; summary and cs_summary or None; ids,
    vtable_names (bytes); traces: (weight, [hash]); stream_size."""

    def __init__(self, data):
        self.data = data
        self.records, self.keys, self.ids, self.vtable_names, self.traces = [], [], [], [], []
        self.summary = self.cs_summary = None
        self.stream_size = 0
        self.header()
        at = Bytes(data, len(self.words) * 8)
        if self.version >= 4:
            self.summary = self.read_summary(at)
            if self.variant & CS:
                self.cs_summary = self.read_summary(at)
        self.table(at)
        self.sections(at)
        need(at.left() == 0, f"{at.left()} bytes are left at {at.at}")
        self.check_summaries()

    # --- header and what lies after the table ---

    def header(self):
        at = Bytes(self.data)
        need(at.take(8) == MAGIC, "magic")
        word = at.u64()
        self.version, self.variant = word & 0xFFFFFFFF, word & ~0xFFFFFFFF
        need(1 <= self.version <= NEWEST, f"version {self.version}")
        known = LOOP_ENTRIES | IR | CS | ENTRY_FIRST | BYTE_COVERAGE | ENTRY_ONLY | MEMPROF | TEMPORAL
        need(self.variant & ~known == 0, f"variant {self.variant:#x}")
        sizes = {8: 48, 9: 56, 10: 64, 11: 64, 12: 72, 13: 72, 14: 72}
        at = Bytes(self.data)
        self.words = at.u64s(sizes.get(self.version, 40) // 8)
        need(self.words[3] == 0, "hash type")
        need(self.version <= 3 or self.words[2] == 0, "the unused word is not 0")
        need(self.version < 8 or (self.words[5] != 0) == bool(self.variant & MEMPROF), "offset of MemProf data")
        need(self.version < 10 or (self.words[7] != 0) == bool(self.variant & TEMPORAL), "offset of traces")

    def sections(self, at):
        need(not self.variant & MEMPROF, "MemProf data is not read here")
        if self.version >= 9:
            need(self.words[6] == at.at, f"binary ids at {self.words[6]}, not {at.at}")
            self.read_ids(at)
        if self.version >= 12:
            need(self.words[8] == at.at, f"vtable names at {self.words[8]}, not {at.at}")
            size = at.u64()
            self.vtable_names = read_names(at.sub(size))
            at.pad(size)
        if self.version >= 10 and self.variant & TEMPORAL:
            need(self.words[7] == at.at, f"traces at {self.words[7]}, not {at.at}")
            count, self.stream_size = at.u64(), at.u64()
            for _ in range(count):
                weight, n = at.u64(), at.u64()
                self.traces.append((weight, at.u64s(n)))
            need(self.stream_size >= count, "more traces than were seen")

    def read_ids(self, at):
        size = at.u64()
        need(size % 8 == 0, "size of binary ids")
        ids = at.sub(size)
        while ids.left():
            n = ids.u64()
            need(n > 0, "an empty binary id")
            self.ids.append(ids.take(n))
            ids.pad(n)
        need(self.ids == sorted(set(self.ids)), "binary ids are not sorted, or not unique")

    # --- the table ---

    def table(self, at):
        start, where = at.at, self.words[4]
        need(where % 8 == 0 and start <= where, f"table at {where}")
        head = Bytes(self.data, where)
        n_buckets, n_entries = head.u64(), head.u64()
        need(n_buckets and n_buckets & (n_buckets - 1) == 0, f"{n_buckets} buckets")
        offsets = head.u64s(n_buckets)
        want = 1
        while n_entries > 2 and want <= 4 * n_entries // 3:
            want *= 2
        need(n_buckets == want, f"{n_buckets} buckets for {n_entries} names, not {want}")
        payload = Bytes(self.data, start, where)
        for bucket, offset in enumerate(offsets):
            if offset == 0:
                continue
            need(offset == payload.at, f"bucket {bucket} at {offset}, not {payload.at}")
            n = payload.number(2)
            need(n > 0, f"bucket {bucket} is empty")
            for _ in range(n):
                self.item(payload, bucket, n_buckets)
        payload.pad(payload.at)
        need(payload.left() == 0, f"{payload.left()} bytes between items and buckets")
        need(len(self.keys) == n_entries, f"{len(self.keys)} names, not {n_entries}")
        need(len(set(self.keys)) == n_entries, "a name is there twice")
        at.at = head.at

    def item(self, payload, bucket, n_buckets):
        hash_, key_size, data_size = payload.u64s(3)
        key = payload.take(key_size)
        need(hash_ == name_hash(key), f"hash of {key}")
        need(hash_ & (n_buckets - 1) == bucket, f"{key} is in bucket {bucket}")
        data = payload.sub(data_size)
        first = len(self.records)
        need(data_size > 0, f"{key} has no record")
        while data.left():
            self.records.append(self.record(key, data))
        own = self.records[first:]
        need(self.version > 1 or len(own) == 1, f"{key} has {len(own)} records")
        need(len({r.hash for r in own}) == len(own), f"a hash of {key} is there twice")
        self.keys.append(key)

    def record(self, key, data):
        r = Record(key, data.u64())
        r.counts = data.u64s(data.u64() if self.version >= 2 else data.left() // 8)
        need(len(r.counts) > 0, f"{key} has no counters")
        if 11 <= self.version <= 13:
            words = data.u64s(data.u64())
            need(all(w < 256 for w in words), f"a bitmap byte of {key} has more than 8 bits")
            r.bitmap = bytes(words)
        if self.version >= 14:
            r.bitmap = self.padded(data)
            r.uniformity = self.padded(data)
            need(len(r.uniformity) in (0, (len(r.counts) + 7) // 8), f"{len(r.uniformity)} uniformity bytes of {key}")
        if self.version >= 3:
            self.values(r, data)
        return r

    @staticmethod
    def padded(data):
        n = data.u64()
        found = data.take(n)
        data.pad(n)
        return found

    def values(self, r, data):
        start = data.at
        total, kinds = data.number(4), data.number(4)
        need(total % 8 == 0, f"size of the values of {r.name}")
        last = -1
        for _ in range(kinds):
            kind, n_sites = data.number(4), data.number(4)
            need(last < kind < KINDS, f"kind {kind} of {r.name}")
            need(n_sites > 0, f"{r.name} has no sites of kind {kind}")
            last = kind
            sizes = data.take(n_sites)
            data.pad(n_sites)
            for size in sizes:
                flat = data.u64s(2 * size)
                site = list(zip(flat[0::2], flat[1::2]))
                counts = [count for _, count in site]
                need(counts == sorted(counts, reverse=True), f"values of {r.name} are not sorted by count")
                r.sites[kind].append(site)
        need(data.at - start == total, f"values of {r.name} have {data.at - start} bytes, not {total}")

    # --- the summary ---

    def read_summary(self, at):
        n_fields, n_rows = at.u64(), at.u64()
        need((n_fields, n_rows) == (6, len(CUTOFFS)), "size of the summary")
        fields = at.u64s(n_fields)
        return Summary(fields, [tuple(at.u64s(3)) for _ in range(n_rows)])

    def check_summaries(self):
        if self.version <= 3:
            # The summary of these versions is one number.
            most = max((r.counts[0] for r in self.records), default=0)
            need(self.words[2] == most, f"largest function count is {self.words[2]}, not {most}")
            return
        # Releases that know no context-sensitive records (3.9 to 5, version 4) look at all hashes alike.
        plain = [r for r in self.records if self.version == 4 or not r.hash & HASH_CS]
        check_summary("summary", self.summary, plain, self.version)
        if self.cs_summary:
            check_summary("CS summary", self.cs_summary, [r for r in self.records if r.hash & HASH_CS], self.version)


def read_names(at):
    names = []
    while at.left():
        size, packed = uleb128(at), uleb128(at)
        text = zlib.decompress(at.take(packed)) if packed else at.take(size)
        need(len(text) == size, f"names have {len(text)} bytes, not {size}")
        found = text.split(b"\1")
        need(all(found), "an empty name")
        names += found
        while at.left() and at.data[at.at] == 0:
            at.at += 1
    return names


def uleb128(at):
    value = shift = 0
    while True:
        byte = at.number(1)
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value


def check_summary(what, summary, records, version):
    pseudo_known = version >= 9  # LLVM 16
    functions = counters = function_max = inner_max = total = 0
    frequencies = {}
    for r in records:
        if pseudo_known and r.counts[0] in (HOT, WARM):
            continue
        functions += 1
        for i, count in enumerate(r.counts):
            if count == HOT and not pseudo_known:
                continue
            counters += 1
            total = (total + count) % 2**64
            frequencies[count] = frequencies.get(count, 0) + 1
            if i == 0:
                function_max = max(function_max, count)
            else:
                inner_max = max(inner_max, count)
    want = [functions, counters, function_max, max(function_max, inner_max), inner_max, total]
    need(summary.fields == want, f"{what}: {summary.fields}, not {want}")
    values = iter(sorted(frequencies, reverse=True))
    rows, reached, seen, least = [], 0, 0, 0
    left = len(frequencies)
    for cutoff in CUTOFFS:
        desired = total * cutoff // 1000000
        while reached < desired and left:
            least = next(values)
            left -= 1
            reached = (reached + least * frequencies[least]) % 2**64
            seen += frequencies[least]
        rows.append((cutoff, least, seen))
    need(summary.rows == rows, f"{what}: rows {summary.rows}, not {rows}")
