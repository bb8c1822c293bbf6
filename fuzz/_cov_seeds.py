# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of fuzz_cov: small programs with coverage of every version of the mapping, in every container, and what a
compiler never writes. Tests make programs of it, too."""

import hashlib
import struct
import zlib

DIRECTORY = b"/src"


def uleb(n):
    out = bytearray()
    while True:
        out.append(n & 0x7f | (0x80 if n > 0x7f else 0))
        n >>= 7
        if not n:
            return bytes(out)


def numbers(*values):
    return b"".join(map(uleb, values))


def reference(data):
    return hashlib.md5(data, usedforsecurity=False).digest()[:8]


# ---- mappings ----


def slot(n):
    return n << 2 | 1


def minus(n):
    return n << 2 | 2


def plus(n):
    return n << 2 | 3


def code(counter, *place):
    """place: lines since the region before, column, lines to the end, end column."""
    return numbers(counter, *place)


def gap(counter, *place):
    return numbers(counter, *place[:3], place[3] | 1 << 31)


def expansion(file, *place):
    return numbers(file << 3 | 4, *place)


def skipped(*place):
    return numbers(2 << 3, *place)


def branch(true, false, *place):
    return numbers(4 << 3, true, false, *place)


def decision(end_bit, n_conditions, *place):
    return numbers(5 << 3, end_bit, n_conditions, *place)


def condition(true, false, ids, *place):
    """ids plus 1: its own, the next one if it is true, and if it is false."""
    return numbers(6 << 3, true, false, *ids, *place)


def mapping(files, expressions, *regions):
    """regions: those of each file."""
    return (numbers(len(files), *files, len(expressions)) + b"".join(numbers(*pair) for pair in expressions) +
            b"".join(uleb(len(of_file)) + b"".join(of_file) for of_file in regions))


# ---- sections ----


def file_list(version, names, packed=False):
    text = b"".join(uleb(len(name)) + name for name in names)
    if version < 4:
        return uleb(len(names)) + text
    stream = zlib.compress(text, 9) if packed else b""
    return numbers(len(names), len(text), len(stream)) + (stream or text)


def name_section(names, packed=False):
    text = b"\1".join(names)
    stream = zlib.compress(text, 9) if packed else b""
    return numbers(len(text), len(stream)) + (stream or text)


def padded(data):
    return data + bytes(-len(data) % 8)


class Sections:
    """The three sections of one unit. functions: names, hashes and mappings."""

    def __init__(self, version, files, functions, order="<", pointer="Q", packed=False):
        names = [name for name, _, _ in functions]
        files = file_list(version, files, packed)
        self.version, self.order, self.pointer = version, order, pointer
        self.names = name_section(names, packed) if version > 1 else b"\0".join(names)
        records = mappings = self.covfun = b""
        at = 0x1000
        for name, hash_, regions in functions:
            if version >= 4:
                record = reference(name) if order == "<" else reference(name)[::-1]
                unit = reference(files) if order == "<" else reference(files)[::-1]
                self.covfun += padded(record + struct.pack(order + "IQ", len(regions), hash_) + unit + regions)
                continue
            mappings += regions
            if version > 1:
                records += reference(name) if order == "<" else reference(name)[::-1]
            else:
                records += struct.pack(order + pointer + "I", at, len(name))
                at += len(name) + 1
            records += struct.pack(order + "IQ", len(regions), hash_)
        head = struct.pack(order + "IIII", len(functions) if records else 0, len(files), len(mappings), version - 1)
        self.covmap = padded(head + records + files + mappings)

    def parts(self, names=("__llvm_prf_names", "__llvm_covmap", "__llvm_covfun")):
        parts = list(zip(names, (0x1000, 0, 0), (self.names, self.covmap, self.covfun)))
        return parts if self.covfun else parts[:2]

    def in_coff(self, marker=b"", group=""):
        (name, address, names), *others = self.parts((".lprfn" + group, ".lcovmap" + group, ".lcovfun" + group))
        return [(name, address, marker + names), *others]


# ---- containers ----


def covtest(sections):
    """LLVM's testing format."""
    data = b"llvmcovm" + struct.pack("<Q", 1) + numbers(len(sections.names), 0x1000) + sections.names
    return padded(padded(data + uleb(len(sections.covmap))) + sections.covmap) + sections.covfun


def covtest_of_old(sections):
    data = b"llvmcovmtestdata" + numbers(len(sections.names), 0x1000) + sections.names
    return padded(data) + sections.covmap + sections.covfun


def elf(sections):
    big, wide = sections.order == ">", sections.pointer == "Q"
    parts = [("", 0, b""), *sections.parts()]
    strings = b"".join(name.encode() + b"\0" for name, _, _ in parts) + b".shstrtab\0"
    parts.append((".shstrtab", 0, strings))
    at, body, headers = 64, b"", b""
    for i, (name, address, data) in enumerate(parts):
        values = [strings.index(name.encode() + b"\0"), (3 if name == ".shstrtab" else 1) if i else 0, 0, address, at,
                  len(data), 0, 0, 8, 0]
        headers += struct.pack(sections.order + ("IIQQQQIIQQ" if wide else "10I"), *values)
        body += padded(data)
        at += len(padded(data))
    head = b"\x7fELF" + bytes([2 if wide else 1, 2 if big else 1, 1]) + bytes(9)
    head += struct.pack(sections.order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), 1, 62 if wide else 3, 1, 0, 0,
                        at, 0, 64 if wide else 52, 0, 0, 64 if wide else 40, len(parts), len(parts) - 1)
    return head.ljust(64, b"\0") + body + headers


def macho(sections):
    wide, order = sections.pointer == "Q", sections.order
    parts = sections.parts()
    size = (72 if wide else 56) + len(parts) * (80 if wide else 68)
    at = (32 if wide else 28) + 16 + size
    head = struct.pack(order + "IIIIIII", 0xfeedfacf if wide else 0xfeedface, 0x1000007 if wide else 7, 3, 1, 2,
                       16 + size, 0) + bytes(4 if wide else 0)
    head += struct.pack(order + "II8x", 0x1b, 16)  # a command that is no segment
    head += struct.pack(order + "II16x", 0x19 if wide else 1, size) + bytes(32 if wide else 16)
    head += struct.pack(order + "IIII", 0, 0, len(parts), 0)
    body = b""
    for name, address, data in parts:
        head += name[:16].encode().ljust(16, b"\0") + b"__LLVM_COV".ljust(16, b"\0")
        head += struct.pack(order + ("QQI" if wide else "III"), address, len(data), at) + bytes(28 if wide else 24)
        body += padded(data)
        at += len(padded(data))
    return head + body


def coff(parts, machine=0x8664, big=False, image=False, long_names=False):
    start = (0x48 if image else 0) + (56 if big else 20)
    at = start + 40 * len(parts)
    body = headers = strings = b""
    for name, address, data in parts:
        name = name.encode()
        if len(name) > 8 or long_names:
            strings, name = strings + name + b"\0", b"/%d" % (4 + len(strings))
        headers += name.ljust(8, b"\0") + struct.pack("<IIII16x", len(data), address, len(data), at)
        body += padded(data)
        at += len(padded(data))
    if big:
        head = struct.pack("<HHHHI", 0, 0xffff, 2, machine, 0) + bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")
        head += struct.pack("<16xIII", len(parts), at, 0)
    else:
        head = struct.pack("<HHIIIHH", machine, len(parts), 0, at, 0, 0, 0)
    if image:
        head = (b"MZ" + bytes(0x3a) + struct.pack("<I", 0x44)).ljust(0x44, b"\0") + b"PE\0\0" + head
    return head + headers + body + struct.pack("<I", 4 + len(strings)) + strings


def member(name, data, thin=False):
    head = name.ljust(16) + b"0".ljust(12) + b"0     0     644     " + b"%d" % len(data)
    return head.ljust(58) + b"`\n" + (b"" if thin else data + b"\n"[:len(data) % 2])


def archive(*members):
    return b"!<arch>\n" + b"".join(members)


def universal(*images, wide=False):
    """images: the processor, its kind, and the file."""
    at = 8 + len(images) * (32 if wide else 20)
    head, body = struct.pack(">II", 0xcafebabf if wide else 0xcafebabe, len(images)), b""
    for cpu, kind, data in images:
        head += struct.pack(">II" + ("QQI4x" if wide else "III"), cpu, kind, at + len(body), len(data), 0)
        body += data
    return head + body


# ---- programs ----

MAIN_PROFILE = b"main\n5\n4\n7\n3\n1\n2\n$2\n0x5\n0x13\n\n"
PROFILE = MAIN_PROFILE + b"mac\n6\n2\n9\n4\n\nmac2\n6\n2\n0\n8\n\ndec\n7\n3\n4\n3\n1\n$1\n0x5\n\n"
# Bitmaps as LLVM 18 numbers them.
SPARSE_PROFILE = (b'{"schema": "anyprof-profile/1", "source": {"kind": "text", "front_end": true}, "functions": ['
                  b'{"name": "main", "hash": "0x5", "counts": [7, 3, 1, 2]}, {"name": "dec", "hash": "0x7", '
                  b'"counts": [4, 3, 1], "bitmap": "000000008b000003", "dense_bitmap": false}]}\n')
# Of another build: fewer counters, another hash. Counts that doubles, and signed numbers, cannot hold.
OTHER_PROFILE = PROFILE.replace(b"main\n5\n4\n7\n", b"main\n5\n3\n").replace(b"mac\n6\n", b"mac\n8\n")
HUGE_PROFILE = PROFILE.replace(b"main\n5\n4\n7\n3\n", b"main\n5\n4\n18446744073709551613\n9007199254740993\n")
FILES = [DIRECTORY, b"a.c", b"./inc/../b.h", b"/other/c.h"]

# Loops and conditions, with gaps, skipped lines and branches; the second region begins where the first one does.
MAIN = mapping([1], [(slot(0), slot(1)), (minus(0), slot(2)), (plus(1), slot(3))],
               [code(slot(0), 1, 1, 12, 2), code(slot(0), 0, 1, 3, 9), code(slot(1), 1, 5, 1, 20),
                branch(slot(1), minus(0), 0, 5, 0, 9), gap(slot(1), 0, 20, 1, 3), code(plus(1), 1, 3, 2, 4),
                skipped(1, 1, 1, 0), branch(0, slot(2), 1, 8, 0, 9), code(minus(2), 0, 3, 0, 30), code(0, 1, 0, 1, 0)])
# A macro in a macro, with a branch in each, used twice.
MAC = mapping([1, 2, 3, 2], [(slot(0), slot(1))],
              [code(slot(0), 20, 1, 5, 2), expansion(1, 1, 3, 0, 9), expansion(3, 1, 3, 0, 9)],
              [code(slot(0), 1, 9, 0, 40), branch(slot(1), minus(0), 0, 12, 0, 16), expansion(2, 0, 20, 0, 25)],
              [code(slot(1), 7, 3, 1, 20), branch(slot(0), 0, 0, 5, 0, 8)],
              [code(slot(0), 1, 9, 0, 40), branch(slot(1), minus(0), 0, 12, 0, 16)])
# (a && b) || c, and a decision in a decision.
DEC = mapping([1], [(slot(0), slot(1)), (slot(1), slot(2))],
              [code(slot(0), 30, 1, 4, 2), decision(4, 3, 1, 7, 0, 30),
               condition(slot(1), minus(0), (1, 2, 3), 0, 7, 0, 8),
               condition(slot(2), minus(1), (2, 0, 3), 0, 12, 0, 13),
               condition(slot(1), slot(2), (3, 0, 0), 0, 18, 0, 30), decision(7, 2, 0, 19, 0, 29),
               condition(slot(1), slot(2), (1, 2, 0), 0, 19, 0, 20),
               condition(slot(2), slot(1), (2, 0, 0), 0, 24, 0, 29)])
NEVER = mapping([1], [], [code(0, 38, 1, 1, 2)])
WITHOUT_BRANCHES = mapping([0, 1], [(slot(0), slot(1))],
                           [code(slot(0), 1, 1, 12, 2), code(slot(1), 2, 5, 1, 20), expansion(1, 1, 3, 0, 9)],
                           [code(minus(0), 3, 1, 0, 9)])
FUNCTIONS = [(b"main", 5, MAIN), (b"mac", 6, MAC), (b"mac2", 6, MAC), (b"dec", 7, DEC), (b"never", 0, NEVER)]
OLD = [(b"main", 5, WITHOUT_BRANCHES), (b"mac", 6, WITHOUT_BRANCHES)]

PATCH = b"""diff --git a/src/a.c b/src/a.c
index 1..2 100644
--- a/src/a.c
+++ b/src/a.c\t2026-01-01
@@ -1,3 +1,8 @@ main
 x
-y
+y
+z
+1
+2
+3
+4
 x
\\ No newline at end of file
@@ -20,0 +26,2 @@
+a
+b
diff --git a/inc/old.h b/b.h
rename from inc/old.h
rename to b.h
--- "a/inc/\\303\\244\\t.h"
+++ "b/\\142.h"
@@ -0,0 +1,9 @@
+1
+2
+3
+4
+5
+6
+7
+8
+9
--- /dev/null
+++ doc
@@ -0,0 +1 @@
+text
--- gone
+++ /dev/null
@@ -1 +0,0 @@
-text
"""
# As diff -u writes it, with the line ends of Windows, and a file twice.
OTHER_PATCH = (b"Index: a.c\r\n--- ./src/a.c\r\n+++ ./src/a.c\r\n@@ -1 +1,3 @@\r\n\r\n+1\r\n+2\r\n"
               b"--- src/a.c\n+++ src/a.c\n@@ -9,0 +9 @@\n+3\n--- ./src/a.c\n+++ ./src/a.c\n@@ -9,0 +9 @@\n+3\n")


def whole(version=7, functions=None, files=FILES, **options):
    return Sections(version, files, functions or FUNCTIONS, **options)


def old(version, **options):
    return Sections(version, [DIRECTORY + b"/a.c", b"b.h"], OLD, **options)


def one(regions, name=b"main", hash_=5, files=FILES):
    return covtest(whole(functions=[(name, hash_, regions)], files=files))


def two_units():
    """A function without code in the first unit, and with code in the second, with a local one beside it."""
    first, second = whole(functions=[(b"main", 0, NEVER)]), whole(functions=[(b"main", 5, MAIN), (b"a.c:dec", 7, DEC)],
                                                                  files=[*FILES, b"more"])
    second.covmap, second.covfun = first.covmap + second.covmap, first.covfun + second.covfun
    return second


def sections():
    """Which sections are there."""
    plain = whole(functions=FUNCTIONS[:1])
    (_, address, names), covmap, covfun = plain.parts()
    other = (".lprfd", 0, b"data")
    yield "names-of-correlation", coff([(".lcovn", address, names), *plain.in_coff()[1:], other])
    yield "covmap-twice", coff([*plain.in_coff(), plain.in_coff()[1]])
    yield "names-twice", coff([*plain.in_coff(), plain.in_coff()[0]])
    linked = plain.in_coff(marker=b"\0")
    yield "empty-names-twice", coff([*linked, (".lprfn", 0, b"\0\0")], image=True)
    again = bytearray(coff([*plain.in_coff(), *[(".lcovfun", 0, b"")] * 9]))
    for i in range(3, 12):  # all of them are the same bytes
        again[20 + 40 * i:60 + 40 * i] = again[100:140]
    yield "covfun-again", bytes(again)
    packed, cut = whole(packed=True), whole()
    packed.names = packed.names[:-3] + b"???"
    yield "names-damaged", covtest(packed)
    cut.covmap = cut.covmap[:30]
    yield "covmap-cut", covtest(cut)
    records = whole(functions=FUNCTIONS[:1])
    records.covmap = b"\1\0\0\0" + records.covmap[4:]
    yield "covmap-records", covtest(records)
    yield "units", covtest(two_units())
    yield "archive-builds", archive(*(member(b"a.o/", covtest(whole(functions=[(b"main", hash_, MAIN)])))
                                      for hash_ in (9, 5, 5)))
    yield "many-files", one(mapping([1] * 1100, [], [code(slot(0), 1, 1, 9, 2)], *[[]] * 1099),
                            files=[DIRECTORY, b"a.c"])


def containers():
    plain, few = whole(), Sections(6, FILES, FUNCTIONS[:1])
    yield "elf", elf(whole(packed=True))
    yield "elf-32-big", elf(whole(order=">", pointer="I"))
    yield "macho-32", macho(Sections(6, FILES, FUNCTIONS[:2], pointer="I"))
    yield "macho-big", macho(Sections(6, FILES, FUNCTIONS[:2], order=">"))
    yield "coff-long", coff(plain.in_coff(group="$M"), long_names=True)
    yield "coff-big", coff(few.in_coff(), 0xaa64, big=True)
    yield "image", coff(few.in_coff(marker=b"\0"), image=True)
    yield "covtest-old", covtest_of_old(old(2))
    names = b"a-very-long-name-of-a-member.o/\n"
    yield "archive-names", archive(member(b"/", b"\0\0\0\0"), member(b"//", names), member(b"/0", covtest(few)),
                                   member(b"#1/8", b"b.o\0\0\0\0\0" + covtest(old(4))), member(b"text", b"text"))
    yield "archive-thin", b"!<thin>\n" + member(b"//", names) + member(b"/0", b"x" * 99, thin=True)
    arch = archive(member(b"a.o/", covtest(few)))
    yield "universal-64", universal((0x1000007, 3, arch), wide=True)
    yield "universal-two", universal((0x1000007, 3, covtest(few)), (0x100000c, 0, covtest(old(6))))


def versions():
    for version in (1, 2, 3, 4, 5):
        yield f"version-{version}", covtest(old(version)) if version > 3 else elf(old(version))
    yield "version-1-32", elf(old(1, pointer="I"))
    yield "version-2-big", elf(old(2, order=">"))
    yield "version-8", covtest(old(8))


def hostile():
    """What no compiler writes."""
    line = code(slot(0), 1, 1, 9, 2)
    circle = [(minus(1), slot(0)), (plus(0), slot(1))]
    yield "circle", one(mapping([1], circle, [code(minus(0), 1, 1, 9, 2)]))
    deep = [(plus(i + 1), plus(i + 1)) for i in range(63)] + [(slot(0), slot(1))]
    yield "deep", one(mapping([1], deep, [code(plus(0), 1, 1, 9, 2)]))
    yield "counters", one(mapping([1], [], [line, code(slot(99), 1, 1, 1, 2)]))
    files = [1] * 40
    nested = [[code(slot(0), 1, 1, 9, 2), expansion(i + 1, 1, 1, 0, 5)] for i in range(39)] + [[line]]
    yield "nested", one(mapping(files, [], *nested))
    yield "expansions-circle", one(mapping([1, 2, 2], [], [line, expansion(1, 1, 1, 0, 5)], [expansion(2, 1, 1, 0, 5)],
                                           [expansion(1, 1, 1, 0, 5)]))
    yield "expansions-twice", one(mapping([1, 2], [], [expansion(1, 1, 1, 0, 5)] * 2, [line]))
    yield "no-main-file", one(mapping([1], [], [expansion(0, 1, 1, 0, 5), line]))
    yield "lines", one(mapping([1, 2], [], [code(slot(0), 1, 1, 9000, 2)], [code(slot(1), 11000, 1, 0, 9)]))
    yield "too-many-lines", one(mapping([1], [], [code(slot(0), 1, 1, 1 << 24, 2)]))
    yield "columns", one(mapping([1], [], [code(slot(0), 1, 1 << 24, 0, 1 << 24), code(slot(1), 0, 0, 0, 1 << 25)]))
    overlapping = [code(slot(i % 4), 0 if i else 1, 1 + i % 5, i % 3, 9 - i) for i in range(9)]
    yield "overlap", one(mapping([1], [], overlapping))
    yield "empty-names", one(mapping([1, 2], [], [line], [line]), files=[b"", b"", b"\xff/\n\"&<"])
    yield "other-word", one(mapping([1], [], [numbers(1 << 3, 1, 1, 1, 1)]))
    yield "ends", one(mapping([1], [], [line]))[:-9]
    yield "no-files", one(mapping([], [], ))
    yield "file-99", one(mapping([99], [], [line]))
    yield "decision-in-macro", one(mapping(
        [1, 2], [], [line, decision(3, 2, 0, 1, 5, 2), expansion(1, 1, 3, 0, 9),
                     condition(slot(1), slot(2), (2, 0, 0), 1, 1, 0, 5)],
        [code(slot(0), 1, 1, 0, 9), condition(slot(0), slot(1), (1, 2, 0), 0, 1, 0, 5)]))
    conditions = [condition(slot(0), slot(1), (i + 1, i + 2 if i < 11 else 0, 0), 1, 1, 0, 5) for i in range(12)]
    yield "many-conditions", one(mapping([1], [], [code(slot(0), 1, 1, 30, 2), decision(13, 12, 0, 1, 20, 2),
                                                   *conditions]))
    yield "orphans", one(mapping([1], [], [line, conditions[0], decision(3, 2, 0, 1, 5, 2), conditions[1]]))
    loop = condition(slot(0), slot(1), (1, 1, 1), 1, 1, 0, 5)
    yield "loop", one(mapping([1], [], [line, decision(3, 2, 0, 1, 5, 2), loop, loop]))
    bits = decision(1 << 20, 2, 0, 1, 5, 2)
    yield "bits", one(mapping([1], [], [line, bits, condition(1, 5, (1, 2, 0), 1, 1, 0, 5),
                                        condition(1, 5, (2, 0, 0), 1, 1, 0, 5)]))


def cov_seeds():
    everything, small = covtest(whole()), covtest(whole(functions=FUNCTIONS[:1]))
    yield "everything", PROFILE + b"\0" + everything
    yield "other-profile", OTHER_PROFILE + b"\0" + everything
    yield "huge-counts", HUGE_PROFILE + b"\0" + everything
    yield "sparse-bitmaps", SPARSE_PROFILE + b"\0" + everything
    yield "no-profile", b"\0" + everything
    yield "patch", PROFILE + b"\1" + PATCH + b"\0" + everything
    for name, patch in (("forms", OTHER_PATCH), ("cut", PATCH[:150]), ("colors", b"\33[1mdiff\n--- a/a.c\n"),
                        ("more", PATCH.replace(b"-1,3 +1,8", b"-1,3 +1,7")[:160]),
                        ("bad", b"--- a/src/a.c\n+++ b/src/a.c\n@@ -1,2 +1,99999999999999999999 @@\n"),
                        ("merge", b"--- a/a.c\n+++ b/a.c\n@@@ -1 -1 +1 @@@\n"), ("no-file", b"@@ -1 +1 @@\n-a\n+b\n")):
        yield "patch-" + name, MAIN_PROFILE + b"\1" + patch + b"\0" + small
    for name, program in containers():
        yield name, PROFILE + b"\0" + program
    for name, program in (*sections(), *versions(), *hostile()):
        yield name, MAIN_PROFILE + b"\0" + program
