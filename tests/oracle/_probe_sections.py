# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pseudo probes in ELF files, and .pseudoprobe directives in assembly, read without anyprof: what tests compare with.

Written from the description of the format; little-endian files and the encoding of LLVM 16 and newer only."""
import collections
import hashlib
import re
import struct

Section = collections.namedtuple("Section", "index name flags link data group linked")
Symbol = collections.namedtuple("Symbol", "name value section kind")
Probe = collections.namedtuple("Probe", "guid id kind attributes discriminator stack")
LINK_ORDER, GROUPED = 0x80, 0x200
SENTINEL, WITH_DISCRIMINATOR = 2, 4


def guid(name):
    return int.from_bytes(hashlib.md5(name.encode("utf-8", "surrogateescape")).digest()[:8], "little")


class Elf:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.wide = self.bytes[4] == 2
        self.relocatable = struct.unpack_from("<H", self.bytes, 16)[0] == 1
        headers = self._headers()
        names = headers[struct.unpack_from("<H", self.bytes, 62 if self.wide else 50)[0]]
        groups = self._groups(headers)
        self.sections = []
        for index, (name, kind, flags, _, offset, size, link) in enumerate(headers):
            data = b"" if kind == 8 else self.bytes[offset:offset + size]
            linked = self._text(names, headers[link][0]) if flags & LINK_ORDER else None
            self.sections.append(Section(index, self._text(names, name), flags, link, data, groups.get(index), linked))
        self.symbols = self._symbols(headers)

    def _headers(self):
        start, = struct.unpack_from("<Q" if self.wide else "<I", self.bytes, 40 if self.wide else 32)
        count, = struct.unpack_from("<H", self.bytes, 60 if self.wide else 48)
        shape, size = ("<IIQQQQI", 64) if self.wide else ("<IIIIIII", 40)
        return [struct.unpack_from(shape, self.bytes, start + i * size) for i in range(count)]

    def _text(self, table, at):
        start = table[4] + at
        return self.bytes[start:self.bytes.index(b"\0", start)].decode("utf-8", "surrogateescape")

    def _symbols(self, headers):
        symbols = []
        for header in headers:
            if header[1] != 2:
                continue
            size = 24 if self.wide else 16
            for at in range(header[4], header[4] + header[5], size):
                if self.wide:
                    name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.bytes, at)
                else:
                    name, value, _, info, _, section = struct.unpack_from("<IIIBBH", self.bytes, at)
                symbols.append(Symbol(self._text(headers[header[6]], name), value, section, info & 15))
        return symbols

    def _groups(self, headers):
        """Section index -> (signature, whether it is a COMDAT group)."""
        groups, symbols = {}, self._symbols(headers)
        for at, header in enumerate(headers):
            if header[1] != 17:
                continue
            words = struct.unpack_from(f"<{header[5] // 4}I", self.bytes, header[4])
            start, = struct.unpack_from("<Q" if self.wide else "<I", self.bytes, 40 if self.wide else 32)
            entry = start + at * (64 if self.wide else 40)
            info, = struct.unpack_from("<I", self.bytes, entry + (44 if self.wide else 28))
            signature = symbols[info].name
            for member in words[1:]:
                groups[member] = (signature, bool(words[0] & 1))
        return groups

    def named(self, name):
        return [section for section in self.sections if section.name == name]


# ---- the section ---------------------------------------------------------------------------------------------------

class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u8(self):
        self.at += 1
        return self.data[self.at - 1]

    def u64(self):
        self.at += 8
        return int.from_bytes(self.data[self.at - 8:self.at], "little")

    def number(self, signed=False):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return value - (1 << shift) if signed and byte & 64 else value


def records(data):
    """The bytes of each top-level record."""
    reader, result = Reader(data), []
    while reader.at < len(data):
        start = reader.at
        for _ in body(reader, (), None):
            pass
        result.append(data[start:reader.at])
    return result


def body(reader, stack, site):
    """Yields (what, ...) of a function and all that is inlined into it, in the order of the section."""
    function = reader.u64()
    stack = stack if site is None else (*stack, site)
    if site is None:
        yield ("record", function)
    probes, inlined = reader.number(), reader.number()
    for _ in range(probes):
        index, packed = reader.number(), reader.u8()
        attributes = packed >> 4 & 7
        if attributes & SENTINEL and not packed & 128:
            yield ("sentinel", reader.u64())
            continue
        assert packed & 128, "a literal address"
        distance = reader.number(signed=True)
        discriminator = reader.number() if attributes & WITH_DISCRIMINATOR else 0
        yield ("probe", distance, Probe(function, index, packed & 15, attributes & ~WITH_DISCRIMINATOR, discriminator,
                                        stack))
    for _ in range(inlined):
        call_probe = reader.number()
        yield from body(reader, stack, (function, call_probe))


def placed_probes(elf):
    """(address, probe) of each probe in a linked file."""
    starts = {guid(s.name): s.value for s in elf.symbols if s.name and s.section}
    result, address = [], 0
    for section in elf.named(".pseudo_probe"):
        reader = Reader(section.data)
        while reader.at < len(section.data):
            for event in body(reader, (), None):
                if event[0] != "probe":
                    address = starts.get(event[1], address)
                else:
                    address = (address + event[1]) % 2 ** 64
                    result.append((address, event[2]))
    return result


# ---- the directive -------------------------------------------------------------------------------------------------

DIRECTIVE = re.compile(r"^\t\.pseudoprobe\t(\d+) (\d+) (\d+) (\d+)( \d+(?= |$))?((?: @ \d+:\d+)*)( [^ ]+)?$")
FUNCTION = re.compile(r"^\t\.type\t(\S+),[@%]function")


def directives(text):
    """(line number, probe, symbol or None) of each directive that a compiler wrote."""
    for number, line in enumerate(text.split("\n")):
        if not line.startswith("\t.pseudoprobe"):
            continue
        found = DIRECTIVE.match(line)
        assert found, line
        own, index, kind, attributes, discriminator, stack, symbol = found.groups()
        sites = tuple(tuple(map(int, site.split(":"))) for site in re.findall(r"\d+:\d+", stack))
        probe = Probe(int(own), int(index), int(kind), int(attributes), int(discriminator or 0), sites)
        yield number, probe, symbol.strip() if symbol else None


def for_llvm_22(text):
    """The same assembly as LLVM 22 wants it: each directive names its function, and announces its discriminator."""
    lines, functions, last = text.split("\n"), set(), None
    found = {number: (probe, symbol) for number, probe, symbol in directives(text)}
    for number, line in enumerate(lines):
        declared = FUNCTION.match(line)
        if declared:
            functions.add(declared.group(1))
        elif line.split(":")[0] in functions:
            last = line.split(":")[0]
        if number not in found:
            continue
        probe, symbol = found[number]
        words = [str(probe.guid), str(probe.id), str(probe.kind)]
        words.append(str(probe.attributes | (WITH_DISCRIMINATOR if probe.discriminator else 0)))
        words += [str(probe.discriminator)] if probe.discriminator else []
        words += [f"@ {caller}:{site}" for caller, site in probe.stack]
        lines[number] = "\t.pseudoprobe\t" + " ".join([*words, symbol or last])
    return "\n".join(lines)
