# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BAT sections, read and written without anyprof: what tests compare with.

Written from the description of the format. A table is a list of fragments, hot ones first; each has the address, the
entries (output, input, branch, hash, block) and of hot ones hash, blocks and secondary entry points, of cold ones the
number of the hot fragment and the skew."""
import struct

MASK64 = (1 << 64) - 1
MASK32 = (1 << 32) - 1


class Malformed(Exception):
    pass


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise Malformed("cut off")
        self.at += n
        return self.data[self.at - n:self.at]

    def fixed(self, n):
        return int.from_bytes(self.take(n), "little")

    def number(self, signed=False):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                break
        if value >> 64 and not signed:
            raise Malformed("more than 64 bits")
        return value - (1 << shift) if signed and byte & 64 else value & MASK64


def payload_of(section):
    name, size, kind = struct.unpack_from("<III", section)
    if kind != 1 or section[12:16] != b"BOLT":
        raise Malformed("no such note")
    start = 12 + (name + 3) // 4 * 4
    return section[start:start + size]


def note(payload):
    return struct.pack("<III8s", 5, len(payload), 1, b"BOLT") + payload + bytes(-len(payload) % 4)


def decode(payload):
    """The current encoding."""
    r, fragments, base = Reader(payload), [], 0
    for cold in (False, True):
        index = 0
        for _ in range(r.number()):
            f = {"cold": cold, "secondary": [], "entries": [], "skew": 0}
            base = f["address"] = (base + r.number()) & MASK64
            if cold:
                index = f["hot"] = (index + r.number()) & MASK64
                f["skew"] = r.number()
                secondary = 0
            else:
                f["hash"], f["blocks"], secondary = r.fixed(8), r.number(), r.number()
            count = r.number()
            equal = r.number()
            bits = int.from_bytes(r.take((equal + 7) // 8), "little")
            value = block = 0
            for i in range(count):
                base = (base + r.number()) & MASK64
                output = (base - f["address"]) & MASK32
                if i < equal:
                    value = ((output + f["skew"]) & MASK32) << 1 | (bits >> i & 1)
                else:
                    value = (value + r.number(True)) & MASK64
                branch, digest, number = bool(value & 1), 0, 0
                if not branch:
                    digest = r.fixed(8)
                    number = block = (block + r.number()) & MASK64
                f["entries"].append((output, value >> 1, branch, digest, number))
            offset = 0
            for _ in range(secondary):
                offset = (offset + r.number()) & MASK32
                f["secondary"].append(offset)
            fragments.append(f)
    if r.at != len(payload):
        raise Malformed("a rest of %d bytes" % (len(payload) - r.at))
    return fragments


def uleb(value):
    out = bytearray()
    value &= MASK64
    while True:
        out.append(value & 127 | (128 if value >> 7 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def sleb(value):
    out = bytearray()
    while True:
        byte, value = value & 127, value >> 7
        last = value == (-1 if byte & 64 else 0)
        out.append(byte | (0 if last else 128))
        if last:
            return bytes(out)


def encode(fragments):
    out, base = bytearray(), 0
    for cold in (False, True):
        chosen, index = [f for f in fragments if f["cold"] == cold], 0
        out += uleb(len(chosen))
        for f in chosen:
            out += uleb(f["address"] - base)
            base = f["address"]
            if cold:
                out += uleb(f["hot"] - index) + uleb(f["skew"])
                index = f["hot"]
            else:
                out += struct.pack("<Q", f["hash"]) + uleb(f["blocks"]) + uleb(len(f["secondary"]))
            equal = 0
            while equal < len(f["entries"]) and f["entries"][equal][0] == (f["entries"][equal][1] - f["skew"]) & MASK32:
                equal += 1
            bits = sum(1 << i for i in range(equal) if f["entries"][i][2])
            out += uleb(len(f["entries"])) + uleb(equal) + bits.to_bytes((equal + 7) // 8, "little")
            value = block = 0
            for i, (output, start, branch, digest, number) in enumerate(f["entries"]):
                out += uleb(f["address"] + output - base)
                base = f["address"] + output
                if i >= equal:
                    out += sleb((start << 1 | branch) - value)
                value = start << 1 | branch
                if not branch:
                    out += struct.pack("<Q", digest) + uleb(number - block)
                    block = number
            offset = 0
            for place in f["secondary"]:
                out += uleb((place - offset) & MASK32)
                offset = place
    return bytes(out)


def encode_fixed(fragments):
    """The table of BOLT 15 to 17: all fragments by address, and what the cold ones belong to."""
    ordered = sorted(fragments, key=lambda f: f["address"])
    out = bytearray(struct.pack("<I", len(ordered)))
    for f in ordered:
        out += struct.pack("<QI", f["address"], len(f["entries"]))
        for output, start, branch, _, _ in f["entries"]:
            out += struct.pack("<II", output, start | (branch << 31))
    cold = [f for f in ordered if f["cold"]]
    out += struct.pack("<I", len(cold))
    for f in cold:
        out += struct.pack("<QQ", f["address"], fragments[f["hot"]]["address"])
    return bytes(out)


def encode_18(fragments):
    """The table of BOLT 18, which wrote the number of the cold fragment where that of the hot one belongs."""
    out, base = bytearray(), 0
    for cold in (False, True):
        chosen, index = [f for f in fragments if f["cold"] == cold], 0
        out += uleb(len(chosen))
        for rank, f in enumerate(chosen):
            out += uleb(f["address"] - base)
            base = f["address"]
            if cold:
                out += uleb(rank - index)
                index = rank
            out += uleb(len(f["entries"]))
            value = 0
            for output, start, branch, _, _ in f["entries"]:
                out += uleb(f["address"] + output - base) + sleb((start << 1 | branch) - value)
                base, value = f["address"] + output, start << 1 | branch
    return bytes(out)
