#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Many fragments and many symbols at one address, as a damaged file may have them: of twice as many of both, anyprof
# executes about twice as many instructions, not four times.
. "$(dirname "$0")/_lib.sh"

command -v valgrind >/dev/null || skip "no valgrind"
ANYPROF_ORACLE=$here/../oracle python3 - <<'END' || skip "no python3"
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["ANYPROF_ORACLE"])
import _bat


def program(n, address, table):
    """n functions of 8 bytes at one address."""
    strings, symbols = b"\0", bytes(24)
    for i in range(n):
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, address, 8)
        strings += b"f%d\0" % i
    names = b"\0.text\0.symtab\0.strtab\0.note.bolt_bat\0.shstrtab\0"
    parts = ((b".text", 1, 6, address, bytes(8), 0, 0, 0), (b".symtab", 2, 0, 0, symbols, 3, 1, 24),
             (b".strtab", 3, 0, 0, strings, 0, 0, 0), (b".note.bolt_bat", 7, 0, 0, table, 0, 0, 0),
             (b".shstrtab", 3, 0, 0, names, 0, 0, 0))
    body, headers = bytes(64), bytes(64)
    for name, kind, flags, where, data, link, info, size in parts:
        body += bytes(-len(body) % 8)
        headers += struct.pack("<IIQQQQIIQQ", names.index(name), kind, flags, where, len(body), len(data), link, info,
                               8, size)
        body += data
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, len(body), 0, 64, 0, 0, 64, 6, 5)
    return head + body[64:] + headers


for n in 2000, 4000:
    fragment = {"address": 0x600000, "cold": False, "hash": 1, "blocks": 1, "secondary": [], "skew": 0,
                "entries": [(0, 0, False, 1, 0)]}
    for name, address, table in ("output", 0x600000, _bat.note(_bat.encode([fragment] * n))), ("input", 0x400000, b""):
        with open("%s%d" % (name, n), "wb") as f:
            f.write(program(n, address, table))
END

costs() { # costs NAME ARGUMENT...: with N for how many there are
    local name=$1 once
    shift
    count_own "${@//N/2000}"
    once=$counted
    count_own "${@//N/4000}"
    printf '%s: %d, of twice as many %d\n' "$name" "$once" "$counted"
    if [ "$counted" -gt "$once" ] && [ "$counted" -lt $((once * 3)) ]; then good; else bad "$name grows faster"; fi
}

ends 0 bat translate --original=input2000 --reverse output2000 f1999
prints "0x600000"
costs opened bat stats outputN
costs "with the input" bat translate --original=inputN outputN 0x600000
finish
