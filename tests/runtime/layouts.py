#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each raw version that objects can be of, also of releases that are not installed: programs made by hand, whose
records are as that version has them. The runtime finds out which it is, and writes it."""

import hashlib
import itertools
import os
import struct

import _lib
from _lib import ANYPROF, OURS, SOURCE, must

# version: the row of raw_layout.h, are pointers relative, has it bitmaps, releases whose tool reads it
VERSIONS = {
    7: ("V4", 0, 0, (13,)),
    8: ("V4", 1, 0, (14, 15, 16)),
    9: ("V9", 1, 1, (18,)),
    10: ("V10", 1, 1, (19, 22)),
    11: ("V11", 1, 1, (23,)),
}


def name_hash(name):
    return "0x%016xull" % struct.unpack("<Q", hashlib.md5(name.encode()).digest()[:8])


class Case:
    """A version, with or without bitmaps, of 64 or 32 bits."""

    def __init__(self, version, bitmaps, bits):
        self.version, self.bitmaps, self.bits = version, bitmaps, bits

    def __str__(self):
        return "raw version %d, %d bits%s" % (self.version, self.bits, ", bitmaps" * self.bitmaps)

    def written(self):
        """Without bitmaps 9 is as 10 is, with no virtual tables; then 10 is written."""
        return 10 if self.version == 9 and not self.bitmaps else self.version


def expected(case):
    """{function: hash, counters, bitmap}."""
    def bitmap(at, n):
        return list(range(0x10 + at, 0x10 + at + n)) if case.bitmaps else []

    return {"first": (0x1234, [10, 11], bitmap(0, 5)), "second": (0x1235, [12, 13, 14], bitmap(5, 2))}


def check(case, shop, clang, checks):
    row, relative, _, releases = VERSIONS[case.version]
    options = ["-DVERSION=" + row, "-DRELATIVE=%d" % relative, "-DBITMAPS=%d" % case.bitmaps,
               "-DFIRST=" + name_hash("first"), "-DSECOND=" + name_hash("second"), "-I" + os.path.join(SOURCE, "src")]
    program, runtime = shop.path("program"), OURS
    if case.bits == 32:
        options += _lib.BITS32
        runtime = [shop.library32]
    source = os.path.join(_lib.PROGRAMS, "hand_made.c")
    must([clang.path, "-Wall", "-Wextra", "-Werror", *options, source, *runtime, "-o", program])
    raw = os.path.join(os.path.dirname(program), "p.profraw")
    must(_lib.bits32.command(options, program), profile=raw)
    with open(raw, "rb") as file:
        head = struct.unpack("<QQ", file.read(16))
    letter = ord("r" if case.bits == 64 else "R")
    checks.equal(head, (0xff6c70726f660081 | letter << 8, case.written()), "%s: magic and version" % case)
    tools = [ANYPROF] + [c.profdata for c in _lib.clangs() if c.number in releases]
    for tool in tools:
        text = _lib.merged(tool, raw)
        if not checks.that(text is not None, "%s: %s cannot read it" % (case, tool)):
            continue
        found = _lib.functions(text)
        checks.equal({f.name: (f.hash, f.counters, f.bitmap) for f in found}, expected(case),
                     "%s: functions by %s" % (case, tool))
        values = [pair for f in found for sites in f.values.values() for site in sites for pair in site]
        checks.equal(sorted(values), [("8", 1), ("first", 3)], "%s: values by %s" % (case, tool))


def main():
    checks, shop = _lib.Checks(), _lib.Workshop()
    clang = max(_lib.clangs(), key=lambda c: c.number)
    cases = [Case(v, b, bits) for v, b, bits in itertools.product(VERSIONS, (0, 1), (64, 32))
             if b <= VERSIONS[v][2]]
    if os.path.exists("/usr/lib32/libc.so") and _lib.bits32.runner() is not None:
        shop.library32 = _lib.build_runtime(shop, [clang.path, *_lib.BITS32])
    else:
        print("skipped: no C library of 32 bits, or its programs do not run")
        cases = [c for c in cases if c.bits == 64]
    checks.each(cases, lambda case: check(case, shop, clang, checks))
    checks.finish("%d layouts" % len(cases))


if __name__ == "__main__":
    main()
