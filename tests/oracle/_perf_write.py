# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of `perf record` that are made up record by record, for tests: of either byte order, as `perf record -o FILE`,
`-o -` and `-z` write them. Numbers are those of the kernel's include/uapi/linux/perf_event.h and of perf.

A record, and what a feature says, is a list of parts: tuples (FORMAT, VALUE...) as struct has them, Bits, bytes."""

import os
import random
import struct
import subprocess

LITTLE, BIG = "<", ">"
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, \
    DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, \
    WEIGHT_STRUCT = (1 << bit for bit in range(25))
FORMAT_ID, FORMAT_GROUP, FORMAT_LOST = 4, 8, 16
ANY, HW_INDEX, COUNTERS = 1 << 3, 1 << 17, 1 << 19
KERNEL, USER = 1, 2
DATA_MAPPING, FORKED_EXEC, MAP_BUILD_ID, BUILD_ID_SIZE = 1 << 13, 1 << 13, 1 << 14, 1 << 15
MARKERS = {name: 2 ** 64 - n for name, n in (("hypervisor", 32), ("kernel", 128), ("user", 512), ("guest", 2048))}
# Bits of perf_event_attr: inherit, exclude_kernel, exclude_hv, mmap, comm, task, sample_id_all, mmap2, comm_exec.
SAMPLE_ID_ALL = 1 << 18
FLAGS = 1 << 1 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9 | 1 << 13 | SAMPLE_ID_ALL | 1 << 23 | 1 << 24
FEATURES = {"build ids": 2, "hostname": 3, "release": 4, "version": 5, "arch": 6, "cpu": 8, "cpu id": 9, "command": 11,
            "events": 12, "compressed": 27}
NO_PID = 2 ** 32 - 1


class Bits:
    """Bit fields (VALUE, WIDTH) of a word. The first is at its lowest end; on a big-endian machine at its highest."""

    def __init__(self, *fields, size=64):
        self.fields, self.size = fields, size

    def pack(self, order):
        word = at = 0
        for value, width in self.fields:
            word |= (value & (1 << width) - 1) << (at if order == LITTLE else self.size - at - width)
            at += width
        return struct.pack(order + {64: "Q", 32: "I"}[self.size], word)


def pack(parts, order):
    out = []
    for part in parts:
        if isinstance(part, tuple):
            part = struct.pack(order + part[0], *part[1:])
        out.append(part.pack(order) if isinstance(part, Bits) else part)
    return b"".join(out)


def padded(text, size=8):
    data = (text if isinstance(text, bytes) else os.fsencode(text)) + b"\0"
    return data + b"\0" * (-len(data) % size)


def words(values):
    return ("%dQ" % len(values), *values)


# ---- events and samples ----

class Event:
    """An event, as in struct perf_event_attr; `kind` is its type. Values of its samples that are not given are 0."""

    def __init__(self, name, sample_type, kind=1, config=0, ids=(), period=1000, flags=FLAGS, size=128, read_format=0,
                 branch_type=0, regs_user=0, regs_intr=0):
        self.name, self.sample_type, self.kind, self.config = name, sample_type, kind, config
        self.ids, self.period, self.flags, self.size, self.read_format = list(ids), period, flags, size, read_format
        self.branch_type, self.regs_user, self.regs_intr = branch_type, regs_user, regs_intr

    def attr(self, order):
        said = Bits(*((self.flags >> i & 1, 1) for i in range(64)))
        parts = [("IIQQQQ", self.kind, self.size, self.config, self.period, self.sample_type, self.read_format), said,
                 ("IIQQQQIIQ", 0, 0, 0, 0, self.branch_type, self.regs_user, 0, 0, self.regs_intr)]
        return pack(parts, order).ljust(self.size or 64, b"\0")[:self.size or 64]

    def has(self, bit):
        return self.sample_type & bit

    def sample(self, v):
        """Parts of a sample with the values v."""
        def get(name, default=0):
            return v.get(name, default)

        ident = get("id", self.ids[0] if self.ids else 0)
        thread = ("II", get("pid"), get("tid", get("pid")))
        numbers = [(IDENTIFIER, ("Q", ident)), (IP, ("Q", get("ip"))), (TID, thread), (TIME, ("Q", get("time"))),
                   (ADDR, ("Q", get("addr"))), (ID, ("Q", ident)), (STREAM_ID, ("Q", get("stream_id"))),
                   (CPU, ("II", get("cpu"), 0)), (PERIOD, ("Q", get("period")))]
        parts = [part for bit, part in numbers if self.has(bit)]
        if self.has(READ):
            parts += self.read_parts(get("value"), ident)
        if self.has(CALLCHAIN):
            parts += [("Q", len(get("chain", ()))), words(get("chain", ()))]
        if self.has(RAW):
            parts += [("I", len(get("raw", b""))), get("raw", b"")]
        if self.has(BRANCH_STACK):
            parts += self.branch_parts(get("branches", ()), get("hw_index"))
        if self.has(REGS_USER):
            parts += registers(get("user_abi"), self.regs_user)
        if self.has(STACK_USER):
            stack = get("stack", b"")
            parts += [("Q", len(stack)), stack] + ([("Q", len(stack))] if stack else [])
        parts += [("Q", get(bit)) for bit in (WEIGHT, WEIGHT_STRUCT, DATA_SRC, TRANSACTION) if self.has(bit)]
        if self.has(REGS_INTR):
            parts += registers(get("intr_abi"), self.regs_intr)
        parts += [("Q", get(bit)) for bit in (PHYS_ADDR, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE) if self.has(bit)]
        if self.has(AUX):
            parts += [("Q", len(get("aux", b""))), get("aux", b"")]
        return parts

    def read_parts(self, value, ident):
        bits = self.read_format
        times = [("Q", 5) for bit in (1, 2) if bits & bit]
        rest = ([("Q", ident)] if bits & FORMAT_ID else []) + ([("Q", 0)] if bits & FORMAT_LOST else [])
        if bits & FORMAT_GROUP:
            return [("Q", 1)] + times + [("Q", value)] + rest
        return [("Q", value)] + times + rest

    def branch_parts(self, branches, hw_index):
        parts = [("Q", len(branches))] + ([("Q", hw_index)] if self.branch_type & HW_INDEX else [])
        for source, target, flags in branches:
            parts += [("QQ", source, target), flags]
        return parts + ([words([7] * len(branches))] if self.branch_type & COUNTERS else [])

    def trailer(self, v):
        """What ends records that are no samples."""
        ident = v.get("id", self.ids[0] if self.ids else 0)
        fields = [(TID, ("II", v.get("pid", 0), v.get("tid", v.get("pid", 0)))), (TIME, ("Q", v.get("time", 0))),
                  (ID, ("Q", ident)), (STREAM_ID, ("Q", v.get("stream_id", 0))), (CPU, ("II", v.get("cpu", 0), 0)),
                  (IDENTIFIER, ("Q", ident))]
        return [part for bit, part in fields if self.has(bit)] if self.flags & SAMPLE_ID_ALL else []


def registers(abi, mask):
    return [("Q", abi)] + ([words(range(bin(mask).count("1")))] if abi else [])


BRANCH_FIELDS = (("mispredicted", 1), ("predicted", 1), ("transaction", 1), ("abort", 1), ("cycles", 16), ("type", 4),
                 ("speculation", 2), ("new_type", 4), ("privilege", 3), ("not_taken", 1))


def branch(source, target, **flags):
    """An entry of a branch stack; flags are named in BRANCH_FIELDS."""
    return source, target, Bits(*((flags.get(name, 0), width) for name, width in BRANCH_FIELDS))


# ---- recordings ----

class Made:
    """Records in the order of the file. `v` are values by name, for the sample or for what ends the record."""

    def __init__(self, *events):
        self.events, self.records, self.features = events, [], {}

    def add(self, kind, misc, *parts, after=b""):
        """`after`: data that follow, and that the size of the record does not count."""
        self.records.append((kind, misc, list(parts), after))

    def kernel(self, kind, misc, *parts, event=0, **v):
        """A record of the kernel that is no sample."""
        self.add(kind, misc, *parts, *self.events[event].trailer(v))

    def sample(self, event=0, mode=USER, **v):
        self.add(9, mode, *self.events[event].sample(v))

    def mmap(self, pid, start, size, offset, path, misc=USER, **v):
        self.kernel(1, misc, ("IIQQQ", pid, pid, start, size, offset), padded(path), pid=pid, **v)

    def mmap2(self, pid, start, size, offset, path, misc=USER, build_id=None, prot=5, **v):
        union = [("IIQQ", 8, 1, 77, 0)]
        if build_id is not None:
            union = [("BBH", len(build_id), 0, 0), build_id.ljust(20, b"\0")]
            misc |= MAP_BUILD_ID
        self.kernel(10, misc, ("IIQQQ", pid, pid, start, size, offset), *union, ("II", prot, 2), padded(path), pid=pid,
                    **v)

    def comm(self, pid, name, execute=False, **v):
        self.kernel(3, FORKED_EXEC if execute else 0, ("II", pid, pid), padded(name), pid=pid, **v)

    def fork(self, parent, child, time=0, misc=0, **v):
        self.kernel(7, misc, ("IIIIQ", child, parent, child, parent, time), pid=child, time=time, **v)

    def exit(self, pid, parent=1, time=0, **v):
        self.kernel(4, 0, ("IIIIQ", pid, parent, pid, parent, time), pid=pid, time=time, **v)

    def lost(self, n, **v):
        self.kernel(2, 0, ("QQ", v.get("id", 0), n), **v)

    def lost_samples(self, n, **v):
        self.kernel(13, 0, ("Q", n), **v)

    def throttle(self, time=0, **v):
        self.kernel(5, 0, ("QQQ", time, v.get("id", 0), 0), time=time, **v)

    def finished_round(self):
        self.add(68, 0)

    def auxtrace(self, kind, data):
        """A trace of some tracer."""
        self.add(70, 0, ("IIQQ", kind, 0, 1, 2))
        self.add(71, 0, ("QQQIIII", len(data), 0, 0, 0, 0, 0, 0), after=data)

    # ---- features: what is known about the recording ----

    def text(self, feature, text):
        data = padded(text, 64)
        self.features[FEATURES[feature]] = [("I", len(data)), data]

    def command(self, *line):
        self.features[FEATURES["command"]] = [("I", len(line))] + [
            part for word in line for part in (("I", len(padded(word, 64))), padded(word, 64))]

    def build_ids(self, *ids, misc=USER | BUILD_ID_SIZE):
        """Pairs (DIGITS, PATH)."""
        self.features[FEATURES["build ids"]] = [
            part for digits, path in ids for part in build_id_parts(bytes.fromhex(digits), path, misc)]

    def names(self):
        """The names of the events."""
        def parts(order):
            yield ("II", len(self.events), len(self.events[0].attr(order)))
            for e in self.events:
                name = padded(e.name, 64)
                yield from (e.attr(order), ("II", len(e.ids), len(name)), name, words(e.ids))

        self.features[FEATURES["events"]] = parts

    def feature(self, number, order):
        parts = self.features[number]
        return pack(parts(order) if callable(parts) else parts, order)

    # ---- files ----

    def pieces(self, order):
        for kind, misc, parts, after in self.records:
            body = pack(parts, order)
            yield kind, struct.pack(order + "IHH", kind, misc, 8 + len(body)) + body + after

    def data(self, order=LITTLE):
        return b"".join(piece for _, piece in self.pieces(order))

    def packed(self, order=LITTLE, seed=1, kind=81, each=False):
        """The same, with records of the kernel compressed. Pieces end in the middle of records; each can be unpacked
        alone, as perf needs, or they end anywhere in what zstd made."""
        chance, out, run = random.Random(seed), [], b""

        def flush():
            longest = 20000 if each else 900
            data = run if each or not run else zstd(run)
            while data:
                n = chance.randrange(1, longest)
                piece, data = zstd(data[:n]) if each else data[:n], data[n:]
                body = piece if kind == 81 else struct.pack(order + "Q", len(piece)) + piece + b"\0" * (-len(piece) % 8)
                out.append(record(kind, body, order))

        for number, piece in self.pieces(order):
            if number < 64:
                run += piece
                continue
            flush()
            run = b""
            out.append(piece)
        flush()
        return b"".join(out)

    def with_packed(self):
        """What perf needs to know of packed data. Undone by removing the feature."""
        self.features[FEATURES["compressed"]] = [("IIIII", 1, 1, 1, 1, 528384)]

    def file(self, order=LITTLE, data=None, unfinished=False):
        """As of perf record -o FILE. unfinished: perf was killed."""
        data = self.data(order) if data is None else data
        attrs = [e.attr(order) for e in self.events]
        ids = [struct.pack(order + words(e.ids)[0], *e.ids) for e in self.events]
        at, entries = 104, b""
        for attr, own in zip(attrs, ids):
            entries += attr + struct.pack(order + "QQ", at if own else 0, len(own))
            at += len(own)
        attrs_at, data_at = at, at + len(entries)
        table_at, numbers = data_at + len(data), sorted(self.features)
        payload, table = b"", b""
        for number in numbers:
            said = self.feature(number, order)
            table += struct.pack(order + "QQ", table_at + 16 * len(numbers) + len(payload), len(said))
            payload += said
        bitmap = sum(1 << number for number in numbers)
        header = (b"PERFILE2" if order == LITTLE else b"2ELIFREP") + struct.pack(
            order + "QQQQQQQQ", 104, len(attrs[0]) + 16, attrs_at, len(entries), data_at,
            0 if unfinished else len(data), 0, 0)
        header += struct.pack(order + "QQQQ", *(bitmap >> 64 * i & 2 ** 64 - 1 for i in range(4)))
        return header + b"".join(ids) + entries + data + (b"" if unfinished else table + payload)

    def pipe(self, order=LITTLE, data=None):
        """As of perf record -o -. Names of events come as records of their own."""
        head = (b"PERFILE2" if order == LITTLE else b"2ELIFREP") + struct.pack(order + "Q", 16)
        for e in self.events:
            head += record(64, e.attr(order) + pack([words(e.ids)], order), order)
        for number in sorted(self.features):
            if number not in (FEATURES["build ids"], FEATURES["events"]):
                head += record(80, struct.pack(order + "Q", number) + self.feature(number, order), order)
        for e in self.events:
            if e.ids and FEATURES["events"] in self.features:
                head += record(78, pack([("QQ", 2, e.ids[0]), padded(e.name)], order), order)
        return head + (self.data(order) if data is None else data)


def build_id_parts(build_id, path, misc):
    name = padded(path)
    return [("IHHi", 0, misc, 36 + len(name), -1), build_id.ljust(20, b"\0"), ("BBH", len(build_id), 0, 0), name]


def zstd(data):
    return subprocess.run(["zstd", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def record(kind, body, order=LITTLE, misc=0):
    return struct.pack(order + "IHH", kind, misc, 8 + len(body)) + body
