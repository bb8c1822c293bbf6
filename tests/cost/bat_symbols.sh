#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Many fragments and many symbols at one address, as a damaged file may have them: of twice as many of both, anyprof
# executes about twice as many instructions, not four times.
. "$(dirname "$0")/_lib.sh"

command -v valgrind >/dev/null || skip "no valgrind"
ANYPROF_TESTS=$here/.. python3 - <<'END' || skip "no python3"
import os
import sys

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.environ["ANYPROF_TESTS"], name) for name in ("oracle", "cli")]
import _bat
import _elf


def program(n, address, table):
    """n functions of 8 bytes at one address."""
    sections = [(".text", _elf.PROGBITS, _elf.CODE, address, bytes(8)), (".note.bolt_bat", _elf.NOTE, 0, 0, table)]
    return _elf.build(sections, [("f%d" % i, 1, address, 8) for i in range(n)])


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
