# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MemProf sections of versions 0 to 4, decoded from their description alone, shown as llvm-profdata 22 shows them, and
added up; and YAML made by chance."""

import struct
import zlib

FIELDS = [None, ("AllocCount", 4), ("TotalAccessCount", 8), ("MinAccessCount", 8), ("MaxAccessCount", 8),
          ("TotalSize", 8), ("MinSize", 4), ("MaxSize", 4), ("AllocTimestamp", 4), ("DeallocTimestamp", 4),
          ("TotalLifetime", 8), ("MinLifetime", 4), ("MaxLifetime", 4), ("AllocCpuId", 4), ("DeallocCpuId", 4),
          ("NumMigratedCpu", 4), ("NumLifetimeOverlaps", 4), ("NumSameAllocCpu", 4), ("NumSameDeallocCpu", 4),
          ("DataTypeId", 8), ("TotalAccessDensity", 8), ("MinAccessDensity", 4), ("MaxAccessDensity", 4),
          ("TotalLifetimeAccessDensity", 8), ("MinLifetimeAccessDensity", 4), ("MaxLifetimeAccessDensity", 4),
          ("AccessHistogramSize", 4), ("AccessHistogram", 8)]
LAST = (9, 8, 14, 13)  # of the last allocation
HOT_COLD = (1, 5, 10, 23)


class Bad(Exception):
    pass


def need(good, what):
    if not good:
        raise Bad(what)


class Section:
    """records: [(guid, [(stack, {field: value})], [(stack, [callee])])], stacks: tuples of (function, line, column,
    inline), the innermost first."""

    def __init__(self, data):
        self.data = data
        need(data[:8] == b"\xfflprofi\x81", "magic")
        self.start = self.word(40)
        word = self.word(self.start)
        self.version = word if 1 <= word <= 4 else 0
        self.at = self.start + (8 if self.version else 0)
        self.summary, self.samples, self.cold, self.cold_hashes = None, [], [], []
        getattr(self, "read_tables" if self.version < 3 else "read_arrays")()

    def word(self, at):
        need(at + 8 <= len(self.data), "offset")
        return struct.unpack_from("<Q", self.data, at)[0]

    def half(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def next(self, n=1):
        words = struct.unpack_from("<%dQ" % n, self.data, self.at)
        self.at += 8 * n
        return words

    def read_schema(self):
        n, = self.next()
        need(n < len(FIELDS), "schema")
        self.schema = list(self.next(n))

    def table(self, payload, buckets, key_size=True):
        """(key, data) of each item. The bucket array says where each bucket begins, and nothing lies between."""
        n_buckets, n_items = self.word(buckets), self.word(buckets + 8)
        offsets = [self.word(buckets + 16 + 8 * i) for i in range(n_buckets)]
        at, items = payload, []
        for bucket, offset in enumerate(offsets):
            if not offset:
                continue
            need(offset == at, "bucket")
            n = struct.unpack_from("<H", self.data, at)[0]
            at += 2
            for _ in range(n):
                head = 3 if key_size else 2
                words = struct.unpack_from("<%dQ" % (head + 1), self.data, at)
                need(words[0] == words[-1] and words[0] % n_buckets == bucket, "hash of a key")
                need(not key_size or words[1] == 8, "size of a key")
                at += 8 * (head + 1)
                items.append((words[-1], self.data[at:at + words[-2]]))
                at += words[-2]
        need(len(items) == n_items and (at + 7) // 8 * 8 == buckets, "end of a table")
        self.end = buckets + 16 + 8 * n_buckets
        return items

    @staticmethod
    def frame(p):
        need(len(p) == 17, "size of a frame")
        return struct.unpack("<QIIB", p)

    def read_tables(self):
        offsets = self.next(5 if self.version == 2 else 3)
        self.read_schema()
        records = self.table(self.at, offsets[0])
        need(self.end == offsets[1], "frames follow the records")
        self.frames = {key: self.frame(p) for key, p in self.table(offsets[1], offsets[2])}
        if self.version == 2:
            need(self.end == offsets[3], "call stacks follow the frames")
            self.stacks = {key: self.path(p) for key, p in self.table(offsets[3], offsets[4], False)}
        self.read_records(records)

    def path(self, p):
        return tuple(self.frames[i] for i in struct.unpack("<%dQ" % (len(p) // 8), p))

    def read_arrays(self):
        words, payload, buckets = self.next(3)
        data = 0
        if self.version == 4:
            data, = self.next()
            n = self.half(self.at)
            self.at += 4
            self.summary = self.next(n)[:6]
        self.read_schema()
        need((words - self.at) % 17 == 0, "frames")
        self.frames = [self.frame(self.data[i:i + 17]) for i in range(self.at, words, 17)]
        self.array = struct.unpack("<%dI" % ((payload - words) // 4), self.data[words:payload])
        self.read_records(self.table(payload, buckets))
        if data:
            need(data == self.end, "data access profiles follow the records")
            self.read_data(data)

    def linear(self, i):
        n, stack = self.array[i], []
        i += 1
        for _ in range(n):
            if self.array[i] >> 31:
                i += (1 << 32) - self.array[i]
            stack.append(self.frames[self.array[i]])
            i += 1
        return tuple(stack)

    def read_stack(self, p, at):
        if self.version < 2:
            n = struct.unpack_from("<Q", p, at)[0]
            return self.path(p[at + 8:at + 8 + 8 * n]), at + 8 + 8 * n
        if self.version == 2:
            return self.stacks[struct.unpack_from("<Q", p, at)[0]], at + 8
        return self.linear(struct.unpack_from("<I", p, at)[0]), at + 4

    def read_records(self, items):
        self.records = []
        for guid, p in items:
            allocs, sites, at = [], [], 8
            for _ in range(struct.unpack_from("<Q", p)[0]):
                stack, at = self.read_stack(p, at)
                block = {}
                for field in self.schema:
                    size = FIELDS[field][1]
                    block[field] = int.from_bytes(p[at:at + size], "little")
                    at += size
                allocs.append((stack, block))
            n = struct.unpack_from("<Q", p, at)[0]
            at += 8
            for _ in range(n):
                stack, at = self.read_stack(p, at)
                callees = []
                if self.version == 4:
                    n_callees = struct.unpack_from("<Q", p, at)[0]
                    callees = list(struct.unpack_from("<%dQ" % n_callees, p, at + 8))
                    at += 8 + 8 * n_callees
                sites.append((stack, callees))
            need(at == len(p), "end of a record")
            self.records.append((guid, allocs, sites))

    def leb(self, p, at):
        value = shift = 0
        while True:
            value |= (p[at] & 127) << shift
            shift += 7
            at += 1
            if p[at - 1] < 128:
                return value, at

    def read_data(self, at):
        n, n_cold, size = struct.unpack_from("<3Q", self.data, at)
        blob, strings = self.data[at + 24:at + 24 + size], []
        if size:
            full, i = self.leb(blob, 0)
            packed, i = self.leb(blob, i)
            text = zlib.decompress(blob[i:i + packed]) if packed else blob[i:i + full]
            strings = text.decode().split("\x01")
        need(len(strings) == n + n_cold, "strings")
        self.cold = strings[n:]
        self.at = at + 24 + (size + 7) // 8 * 8
        n, = self.next()
        self.cold_hashes = list(self.next(n))
        n, = self.next()
        for _ in range(n):
            name, literal, count, places = struct.unpack_from("<QBQQ", self.data, self.at)
            self.at += 25
            where = []
            for _ in range(places):
                file, line = struct.unpack_from("<QI", self.data, self.at)
                self.at += 12
                where.append((strings[file], line))
            self.samples.append((name if literal else strings[name], count, where))


# ---- shown ----

def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def summarise(records):
    seen, s = set(), [0] * 6
    for _, allocs, _ in records:
        for stack, block in allocs:
            if stack in seen:
                continue
            seen.add(stack)
            count = f32(block.get(1, 0))
            cold = count and f32(f32(f32(block.get(23, 0)) / count) / 100) < f32(0.05) and \
                f32(f32(block.get(10, 0)) / count) >= 200000
            s[0] += 1
            s[1] += bool(cold)
            s[3 if cold else 4] = max(s[3 if cold else 4], block.get(5, 0))
    return s


def key(indent, name):
    return "%s%s:%s" % (indent, name, " " * max(1, 16 - len(name)))


def show(section):
    """Names of data must need no quotes."""
    s = section.summary or summarise(section.records)
    names = ["Total contexts", "Total cold contexts", "Total hot contexts", "Maximum cold context total size",
             "Maximum warm context total size", "Maximum hot context total size"]
    lines = ["---", "# MemProfSummary:"] + ["#   %s: %d" % pair for pair in zip(names, s)]
    data = section.samples or section.cold or section.cold_hashes
    if data:
        lines += ["#   Num hot symbols and string literals: %d" % len(section.samples),
                  "#   Num known cold symbols: %d" % len(section.cold),
                  "#   Num known cold string literals: %d" % len(section.cold_hashes)]
    lines += ["---"] + ["HeapProfileRecords:"] * bool(section.records)

    def put_stack(head, name, stack):
        if not stack:
            lines.append(head + key("", name) + "[]")
            return
        lines.append("%s%s:" % (head, name))
        for f in stack:
            lines.append("          - { Function: 0x%x, LineOffset: %d, Column: %d, IsInlineFrame: %s }"
                         % (f[0], f[1], f[2], "true" if f[3] else "false"))

    for guid, allocs, sites in section.records:
        lines.append(key("  - ", "GUID") + "0x%x" % guid)
        lines += ["    AllocSites:"] * bool(allocs)
        for stack, block in allocs:
            put_stack("      - ", "Callstack", stack)
            lines.append("        MemInfoBlock:")
            lines += [key("          ", FIELDS[f][0]) + str(block[f]) for f in sorted(block)]
        lines += ["    CallSites:"] * bool(sites)
        for stack, callees in sites:
            put_stack("      - ", "Frames", stack)
            if callees:
                lines.append(key("        ", "CalleeGuids") + "[ %s ]" % ", ".join("0x%x" % c for c in callees))
    lines += ["DataAccessProfiles:"] * bool(data) + ["  SampledRecords:"] * bool(section.samples)
    for name, count, where in sorted(section.samples, key=lambda r: -r[1]):
        if isinstance(name, int):
            lines.append(key("    - ", "Hash") + str(name))
        else:
            lines.append(key("    - ", "Symbol") + name)
        lines += [key("      ", "AccessCount") + str(count)] + ["      Locations:"] * bool(where)
        for file, line in where:
            lines += [key("        - ", "FileName") + (file or "''"), key("          ", "Line") + str(line)]
    lines += ["  KnownColdSymbols:"] * bool(section.cold) + ["    - " + name for name in sorted(section.cold)]
    if section.cold_hashes:
        lines.append("  KnownColdStrHashes: [ %s ]" % ", ".join(map(str, sorted(section.cold_hashes))))
    if not section.records and not data:
        lines.append("{}")
    return "\n".join(lines + ["...", ""])


# ---- added up ----

def most(field):
    return (1 << 8 * FIELDS[field][1]) - 1


def weigh(block, weight):
    return {f: min(v * weight, most(f)) if FIELDS[f][0][:5] in ("Total", "Alloc") and f not in (8, 13) or
            FIELDS[f][0].startswith("Num") else v for f, v in block.items()}


def join(a, b):
    out = dict(a)
    later = [b.get(f, 0) for f in LAST] > [a.get(f, 0) for f in LAST]
    for f, v in b.items():
        name = FIELDS[f][0]
        if f not in a:
            out[f] = v
        elif f in LAST:
            out[f] = v if later else a[f]
        elif name.startswith("Min"):
            out[f] = min(a[f], v)
        elif name.startswith("Max") or f in (19, 26):
            out[f] = max(a[f], v)
        elif f == 27:
            out[f] = v if v == a[f] else 0
        else:
            out[f] = min(a[f] + v, most(f))
    return out


class Sum:
    def __init__(self):
        self.allocs, self.sites, self.samples = {}, {}, {}
        self.cold, self.cold_hashes, self.functions = set(), set(), set()

    def add(self, section, weight=1):
        for guid, allocs, sites in section.records:
            self.functions.add(guid)
            for stack, block in allocs:
                block = weigh(block, weight)
                old = self.allocs.get((guid, stack))
                self.allocs[guid, stack] = join(old, block) if old else block
            for stack, callees in sites:
                self.sites.setdefault((guid, stack), set()).update(callees)
        for name, count, where in section.samples:
            old = self.samples.setdefault(name, [0, set()])
            old[0] = min(old[0] + count * weight, (1 << 64) - 1)
            old[1].update(where)
        self.cold.update(section.cold)
        self.cold_hashes.update(section.cold_hashes)

    def state(self):
        """Of several sections: what is cold in one, and not in another, is not."""
        return (self.functions, self.allocs, self.sites, self.samples, self.cold - set(self.samples),
                self.cold_hashes - set(self.samples))


# ---- by chance ----

def make_yaml(rng, n_functions, fields=None, data=True, seen_from=0):
    """A profile whose contexts are all different; `fields`: those of every block, else any."""
    functions = ["0x%x" % rng.getrandbits(64) if rng.random() < 0.5 else "fun%d" % rng.randrange(40)
                 for _ in range(n_functions)]
    functions = list(dict.fromkeys(functions))
    frames = [(rng.choice(functions), rng.randrange(60), rng.randrange(30), rng.random() < 0.3) for _ in range(24)]

    def stack(seen):
        while True:
            s = tuple(rng.choice(frames) for _ in range(rng.choice([1, 1, 2, 3, 5, 9, 30])))
            if s not in seen:
                seen.add(s)
                return s

    def put(lines, s):
        for f in s:
            lines.append("          - { Function: %s, LineOffset: %d, Column: %d, IsInlineFrame: %s }"
                         % (f[0], f[1], f[2], "true" if f[3] else "false"))

    lines = ["---", "HeapProfileRecords:"]
    for function in functions:
        lines.append("  - GUID: %s" % function)
        seen = set()
        n = rng.randrange(5)
        lines += ["    AllocSites:"] * bool(n)
        for _ in range(n):
            lines.append("      - Callstack:")
            put(lines, stack(seen))
            chosen = fields or sorted(rng.sample(range(1, 28), rng.randrange(1, 28)))
            lines.append("        MemInfoBlock:")
            for f in chosen:
                v = rng.choice([0, 1, rng.randrange(1000), rng.randrange(1 << 31)])
                lines.append("          %s: %d" % (FIELDS[f][0], v))
        seen = set()
        n = rng.randrange(4)
        lines += ["    CallSites:"] * bool(n)
        for _ in range(n):
            lines.append("      - Frames:")
            put(lines, stack(seen))
            if rng.random() < 0.5:
                lines.append("        CalleeGuids: [ %s ]"
                             % ", ".join(dict.fromkeys("0x%x" % rng.randrange(1, 9) for _ in range(3))))
    if data:
        lines += ["DataAccessProfiles:", "  SampledRecords:"]
        names = rng.sample(["sym%d" % i for i in range(20)], 6) + rng.sample(range(1, 20), 4)
        rng.shuffle(names)
        for name in names:
            lines.append("    - %s: %s" % ("Hash" if isinstance(name, int) else "Symbol", name))
            lines.append("      AccessCount: %d" % rng.randrange(50))
            places = list(dict.fromkeys((rng.choice("abc") + ".h", rng.randrange(5)) for _ in range(rng.randrange(4))))
            lines += ["      Locations:"] * bool(places)
            for file, line in places:
                lines += ["        - FileName: %s" % file, "          Line: %d" % line]
        lines += ["  KnownColdSymbols:"] + ["    - %s" % n for n in rng.sample(["sym%d" % i for i in range(30)], 4)]
        lines += ["  KnownColdStrHashes: [ %s ]" % ", ".join(map(str, rng.sample(range(1, 40), 4)))]
    return "\n".join(lines + ["...", ""])
