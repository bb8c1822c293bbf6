# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The seeds of fuzz_perf_data: recordings of the program in bolted_program.h, written by the tables of
docs/formats/perf-data.md."""

import struct

IP, TID, TIME, ADDR, READ, CHAIN, ID, CPU, PERIOD = 1, 2, 4, 8, 16, 32, 64, 128, 256
RAW, BRANCHES, IDENTIFIER = 1024, 2048, 1 << 16
USUAL = IP | TID | TIME | PERIOD | BRANCHES


def zstd_frame(data):
    """A frame of one block that is not compressed."""
    return b"\x28\xb5\x2f\xfd\x00\x58" + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def zstd_run(byte, n):
    """A frame of one block that repeats a byte."""
    return b"\x28\xb5\x2f\xfd\x00\x58" + struct.pack("<I", n << 3 | 3)[:3] + bytes([byte])


class Recording:
    def __init__(self, order="<", kinds=(USUAL,), branch_type=1 | 8, ids=True, size=80, read_format=0):
        self.order, self.kinds, self.branch_type, self.size = order, kinds, branch_type, size
        self.read_format, self.ids = read_format, ids

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def attr(self, kind):
        flags = [8, 9, 13, 18, 5]  # mmap, comm, task, sample_id_all, exclude_kernel
        bits = sum(1 << (bit if self.order == "<" else 63 - bit) for bit in flags)
        fixed = self.pack("IIQQQQQIIQQQ", 0, self.size, 0, 1000, kind, self.read_format, bits, 0, 0, 0, 0,
                          self.branch_type)
        return fixed + bytes(self.size - len(fixed)) if self.size > len(fixed) else fixed[:self.size]

    def record(self, kind, misc, body):
        return self.pack("IHH", kind, misc, 8 + len(body)) + body

    def end(self, time, number=0, pid=100):
        kind = self.kinds[0]
        fields = [(TID, self.pack("II", pid, pid)), (TIME, self.pack("Q", time)), (ID, self.pack("Q", 7 + number)),
                  (CPU, self.pack("II", 1, 0)), (IDENTIFIER, self.pack("Q", 7 + number))]
        return b"".join(data for bit, data in fields if kind & bit)

    @staticmethod
    def text(name):
        return name + bytes(8 - len(name) % 8)

    def map(self, time, start=0x10000, pid=100, name=b"/x/program", misc=2, size=0x1000, at=0):
        return self.record(1, misc, self.pack("IIQQQ", pid, pid, start, size, at) + self.text(name) + self.end(time))

    def map2(self, time, start=0x10000, pid=100, build=b"", name=b"/x/program", prot=5):
        union = struct.pack("B3x20s", len(build), build) if build else self.pack("IIQQ", 8, 1, 77, 0)
        return self.record(10, 2 | (1 << 14 if build else 0), self.pack("IIQQQ", pid, pid, start, 0x1000, 0) + union +
                           self.pack("II", prot, 2) + self.text(name) + self.end(time))

    def fork(self, time, child, parent=100):
        return self.record(7, 0, self.pack("IIIIQ", child, parent, child, parent, time) + self.end(time))

    def leave(self, time, pid):
        return self.record(4, 0, self.pack("IIIIQ", pid, 1, pid, 1, time) + self.end(time))

    def execute(self, time, pid):
        return self.record(3, 1 << 13, self.pack("II", pid, pid) + self.text(b"program") + self.end(time))

    def branch(self, start, to, bits=1):
        """bits: predicted or mispredicted, as numbered from the first field."""
        flags = 1 << bits if self.order == "<" else 1 << (63 - bits)
        return self.pack("QQQ", start, to, flags)

    def sample(self, time, pid=100, base=0x10000, number=0, misc=2, n=2):
        kind = self.kinds[number]
        stack = [self.branch(base + 6, base), self.branch(base + 2, base + 5, 0), self.branch(base + 6, base, 40)]
        stack = (stack * 11)[:n]
        index = self.pack("q", -1) if self.branch_type >> 17 & 1 else b""
        parts = [(IDENTIFIER, self.pack("Q", 7 + number)), (IP, self.pack("Q", base + 3)),
                 (TID, self.pack("II", pid, pid)), (TIME, self.pack("Q", time)), (ADDR, self.pack("Q", 0x7f00)),
                 (ID, self.pack("Q", 7 + number)), (CPU, self.pack("II", 1, 0)), (PERIOD, self.pack("Q", 1000)),
                 (READ, self.pack("QQ", 5, 7)),
                 (CHAIN, self.pack("QQQQ", 3, 2 ** 64 - 512, base + 3, base + 5)),
                 (RAW, self.pack("IIQ", 12, 1, 2)), (BRANCHES, self.pack("Q", len(stack)) + index + b"".join(stack))]
        return self.record(9, misc, b"".join(data for bit, data in parts if kind & bit))

    def mark(self):
        return self.record(68, 0, b"")

    def string(self, text):
        return self.pack("I", 16) + text.ljust(16, b"\0")

    def build_id(self, build, name, misc=2, kind=0):
        return self.record(kind, misc, self.pack("i", -1) + build.ljust(20, b"\0") +
                           struct.pack("B3x", len(build)) + self.text(name))

    def description(self):
        """The feature EVENT_DESC."""
        return self.pack("II", len(self.kinds), self.size) + b"".join(
            self.attr(kind) + self.pack("I", 1) + self.string(b"event%d:u" % i) + self.pack("Q", 7 + i)
            for i, kind in enumerate(self.kinds))

    def file(self, records, size=None, features=True, cut=0):
        at = 104
        ids = b"".join(self.pack("Q", 7 + i) for i in range(len(self.kinds))) if self.ids else b""
        attrs = b"".join(self.attr(kind) + self.pack("QQ", at + 8 * i, 8 if self.ids else 0)
                         for i, kind in enumerate(self.kinds))
        data_at = at + len(ids) + len(attrs)
        contents = [(2, self.build_id(b"\x00\x11\x22\x33\x44\x55\x66\x77", b"/x/program")),
                    (3, self.string(b"host")), (11, self.pack("I", 2) + self.string(b"perf") + self.string(b"record")),
                    (12, self.description())] if features else []
        bits = sum(1 << number for number, _ in contents)
        magic = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        header = magic + self.pack("QQQQQQQQ", 104, self.size + 16, at + len(ids), len(attrs), data_at,
                                   len(records) if size is None else size, 0, 0) + self.pack("QQQQ", bits, 0, 0, 0)
        place, table, payload = data_at + len(records) + 16 * len(contents), b"", b""
        for _, content in contents:
            table += self.pack("QQ", place + len(payload), len(content))
            payload += content
        whole = header + ids + attrs + records + table + payload
        return whole[:len(whole) - cut]

    def pipe(self, records, name=b"event:u"):
        magic = b"PERFILE2" if self.order == "<" else b"2ELIFREP"
        attrs = b"".join(self.record(64, 0, self.attr(kind) + self.pack("Q", 7 + i))
                         for i, kind in enumerate(self.kinds))
        names = b"".join(self.record(78, 0, self.pack("QQ", 2, 7 + i) + self.text(name))
                        for i, _ in enumerate(self.kinds))
        return (magic + self.pack("Q", 16) + attrs + self.record(80, 0, self.pack("Q", 3) + self.string(b"host")) +
                names + records)

    def usual(self):
        return (self.map(0, -(1 << 31) % 2 ** 64, 2 ** 32 - 1, b"[kernel.kallsyms]_text", 1) + self.map2(0) +
                self.map2(1, 0x7f0000, name=b"[vdso]", prot=4) + self.sample(10) + self.fork(20, 102) +
                self.sample(30, 102) + self.mark() + self.sample(25) + self.execute(40, 102) +
                self.map(50, pid=102, name=b"/x/other") + self.sample(60, 102) + self.mark() + self.leave(70, 102) +
                self.sample(80, n=0) + self.sample(0) + self.sample(90, 5) + self.sample(91, n=1, misc=1))


def perf_data_seeds():
    little, big, two = Recording(), Recording(">"), Recording(kinds=(USUAL | IDENTIFIER, USUAL | IDENTIFIER | CHAIN))
    full = Recording(kinds=(USUAL | ADDR | READ | CHAIN | ID | CPU | RAW,), read_format=4)
    plain = Recording(kinds=(IP | TID,))
    trace = little.record(71, 0, struct.pack("<QQQIIII", 24, 0, 0, 0, 0, 0, 0)) + bytes(range(24))
    records, pair = little.usual(), two.usual() + two.sample(95, number=1) + two.sample(96, number=1)
    few = little.map2(1) + little.sample(2) + little.fork(3, 102) + little.sample(4, 102)
    half = len(few) // 2
    packed = b"".join(little.record(81, 0, part) for part in (
        zstd_frame(few[:half])[:99], zstd_frame(few[:half])[99:], zstd_frame(few[half:])))
    newer = zstd_frame(few)
    newer = little.record(83, 0, struct.pack("<Q", len(newer)) + newer + bytes(-len(newer) % 8))
    yield "little", little.file(records)
    yield "big", big.file(big.usual())
    yield "pipe", little.pipe(few)
    yield "big-pipe", big.pipe(big.map2(1) + big.sample(2))
    yield "moved", little.file(little.map2(1, 0x555555560000) + little.sample(2, base=0x555555560000))
    yield "two-events", two.file(pair, features=False)
    yield "two-events-pipe", two.pipe(two.map2(1) + two.sample(2, number=1) +
                                      two.build_id(b"\x12" * 20, b"/x/program", 2 | 1 << 15, 67))
    yield "no-ids", Recording(kinds=(USUAL, USUAL), ids=False).file(few)
    yield "all-fields", full.file(full.map2(1) + full.sample(2) + full.sample(3, n=0))
    yield "all-fields-pipe", full.pipe(full.map2(1) + full.sample(2))
    yield "no-branches", plain.file(plain.map2(0) + plain.sample(0))
    yield "deep", little.file(little.map2(1) + little.sample(2, n=32))
    yield "hw-index", Recording(branch_type=8 | 1 << 17).file(Recording(branch_type=8 | 1 << 17).sample(1))
    yield "old-attr", Recording(size=64).file(little.map2(1) + little.sample(2))
    yield "new-attr", Recording(size=144).file(little.map2(1) + little.sample(2))
    yield "builds", little.file(little.map2(1, build=b"\x00\x11\x22\x33\x44\x55\x66\x77") +
                                little.map2(2, 0x20000, build=b"\x99" * 20) + little.sample(3))
    yield "overlaps", little.file(b"".join(
        little.map(i, 0x10000 + 0x800 * (i * 7 % 13), size=0x1800, at=0x1000 * i) + little.fork(i, 200 + i) +
        little.map(i, 0x10400 + 0x800 * (i * 5 % 13), 200 + i, size=0x300) +
        little.sample(i, 200 + i, base=0x13900, n=1) for i in range(1, 5)))
    yield "compressed", little.file(packed)
    yield "compressed-pipe", little.pipe(little.record(81, 0, zstd_frame(few)) + little.mark() + little.sample(99))
    yield "compressed-newer", little.file(newer)
    yield "compressed-bomb", little.pipe(b"".join(little.record(81, 0, zstd_run(68, 1 << 17)) for _ in range(4)))
    yield "compressed-cut", little.pipe(little.record(81, 0, zstd_frame(records)[:300]))
    yield "compressed-damaged", little.pipe(little.map2(1) + little.sample(2) +
                                            little.record(81, 0, zstd_frame(b"")[:6] + b"\xff" * 30))
    yield "compressed-short", little.pipe(little.record(81, 0, zstd_frame(little.mark())))
    yield "trace", little.file(little.record(70, 0, struct.pack("<IIQ", 4, 0, 0)) + trace + few + trace)
    yield "trace-cut", little.pipe(few + trace[:-5])
    yield "backwards", little.file(little.map(1) + b"".join(
        little.sample(100 - i, n=i % 2) + (little.mark() if i % 5 == 0 else b"") for i in range(10)))
    yield "name-with-blanks", little.pipe(few, b"raw 0x1\t:u")
    yield "lost", little.file(few + little.record(2, 0, struct.pack("<QQ", 7, 5) + little.end(92)) +
                              little.record(13, 0, struct.pack("<Q", 3) + little.end(93)) +
                              little.record(5, 0, struct.pack("<QQQ", 9, 7, 7) + little.end(94)) +
                              little.record(23, 0, bytes(8)) + little.record(120, 0, b""))
    yield "killed", little.file(few, size=0, features=False)
    yield "cut", little.file(few, cut=500)
    yield "beyond", little.file(few, size=1 << 40)
    yield "broken", little.file(few + little.record(9, 2, b"")[:6] + b"\x07\x00" + few)
    yield "short-samples", little.file(few + little.record(9, 2, bytes(8)) + little.record(9, 2, bytes(40)))
    yield "no-events", little.pipe(b"")[:16] + few
    yield "guests", little.file(little.map2(1) + little.sample(2, misc=4) + little.sample(3, misc=5) + little.sample(4))
