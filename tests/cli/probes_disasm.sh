#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof probes disasm: its options and what it refuses. What it prints of real programs is compared with llvm-profgen
# by tests/oracle/probes_disasm.py.
. "$(dirname "$0")/_lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "assembles x86-64 code"
command -v as >/dev/null && command -v ld >/dev/null || skip "no assembler or linker"
cat >fib.s <<'END'
        .text
        .globl main
        .type main, @function
main:   push %rbp
        mov $9, %edi
        call leaf
        pop %rbp
        ret
        .type leaf, @function
leaf:   lea 1(%rdi,%rdi,2), %eax
        ret
        .section .pseudo_probe_desc, "", @progbits
        .byte 0xba,0xb4,0xff,0x04,0xcc,0x14,0xaf,0x66, 0xff,0xff,0xff,0xff,0,0,0,0, 4
        .ascii "leaf"
        .section .pseudo_probe, "", @progbits
        .byte 0xfa,0xd5,0x8d,0xe7,0x36,0x64,0x95,0xdb, 1,0, 2,0x82,6
        .byte 0xba,0xb4,0xff,0x04,0xcc,0x14,0xaf,0x66, 1,0, 1,0x80,0
END
as fib.s -o fib.o && ld -e main -Ttext=0x10000 fib.o -o fib || skip "the assembler or linker fails"
call=' [Probe]:	FUNC: main Index: 2  Type: DirectCall  '
block=' [Probe]:	FUNC: leaf Index: 1  Type: Block  '
descs='Pseudo Probe Desc:
GUID: 7399155579282764986 Name: leaf
Hash: 4294967295
'


# listing: what the last run printed, without instructions (which are spelled as Capstone pleases) and without the
# symbols that the linker adds at the end of the code.
listing() {
    sed -E '/^<(__bss_start|_edata|_end)>:/,/^$/d; s/^( *[0-9a-f]+:).*/\1/' "$out"
}

whole="$descs
Disassembly of fib:

Disassembly of section .text [0x10000, 0x10012]:

<main>:
   10000:
   10001:
$call
   10006:
   1000b:
   1000c:

<leaf>:
$block
   1000d:
   10011:"
ends 0 probes disasm fib
silent
is "listing" "$(listing)" "$whole"
ends 0 probes disasm fib -o written
silent
is "nothing on standard output" "$(cat "$out")" ""
cp written "$out"
is "listing in a file" "$(listing)" "$whole"
ends 0 probes disasm fib --show-source-locations
is "listing without debug information" "$(listing)" "$whole"

# Filters.
for option in --disassemble-functions=leaf --disassemble-functions=a,leaf,b --function=leaf \
    --address=0x1000d-0x10012 --function=7399155579282764986; do
    ends 0 probes disasm fib "$option"
    is "labels with $option" "$(listing | grep '<')" "<leaf>:"
    is "instructions with $option" "$(listing | grep -c '^ *[0-9a-f]*:')" 2
done
ends 0 probes disasm fib --disassemble-functions=main --disassemble-functions=leaf
is "listing of both" "$(listing)" "$whole"
ends 0 probes disasm fib --address=0x10003 # in the middle of an instruction
is "instructions at an address" "$(listing | grep '^ *[0-9a-f]*:')" "   10001:"
ends 0 probes disasm fib --show-pseudo-probe=false
is "no probes" "$(listing | grep -c -e Probe -e GUID)" 0
ends 1 probes disasm fib --function=nobody
says "error: fib: no function is called 'nobody'"

# Syntax.
ends 0 probes disasm fib
prints "$(printf '   10000:\tpushq\t%%rbp')"
ends 0 probes disasm fib --x86-asm-syntax=intel
prints "$(printf '   10000:\tpush\trbp')"

# A function with two names: its code belongs to the last one. Code that was split off.
sed 's/^leaf: /        .type zleaf, @function\nleaf:\nzleaf: /; s/^main: /main.cold.1: nop\nmain: /' \
    fib.s >names.s
as names.s -o names.o
ends 0 probes disasm names.o --function=leaf
is "both names" "$(grep -c '^<z*leaf>:' "$out")" 2
prints "$block"
ends 0 probes disasm names.o --function=main
prints "<main.cold.1>:"

ends 0 probes disasm fib --show-source-locations
says "warning: fib: not supported: there is no debug information: no source locations are shown"

# A program without probes; names without suffixes.
sed '/pseudo_probe/,$d; s/^leaf: /leaf.llvm.12: /; s/ leaf/ leaf.llvm.12/' fib.s >plain.s
as plain.s -o plain.o && ld -e main -Ttext=0x10000 plain.o -o plain
ends 0 probes disasm plain
silent
is "code alone" "$(listing)" "
Disassembly of plain:

Disassembly of section .text [0x10000, 0x10012]:

<main>:
   10000:
   10001:
   10006:
   1000b:
   1000c:

<leaf.llvm.12>:
   1000d:
   10011:"
ends 1 probes list plain
hints "no pseudo probe sections"
ends 0 probes disasm plain --show-canonical-fname --disassemble-functions=leaf
prints "<leaf>:"
ends 0 probes disasm plain --show-canonical-fname --disassemble-functions=leaf.llvm.12
is "the name with its suffix" "$(listing | grep -c leaf)" 0

# Single addresses. oracle/probes_disasm.py compares lines with llvm-symbolizer.
ends 0 probes lookup fib 0x10006 1000b 0x1000d
silent
is "places" "$(cat "$out")" "0x10006  main + 0x6
  probe    2 DirectCall  main
0x1000b  main + 0xb
  nearest  2 DirectCall  main  (5 bytes before)
0x1000d  leaf + 0x0
  probe    1 Block  leaf"
ends 0 probes lookup fib 0x10000
prints "  nearest  2 DirectCall  main  (6 bytes after)"
# Of code that is repeated, as of unrolled loops, a few of the probes at another address.
sed 's/1,0, 2,0x82,6/6,0, 2,0x82,6, 2,0x82,0, 2,0x82,0, 2,0x82,0, 2,0x82,0, 2,0x82,0/' fib.s >many.s
cat >>many.s <<'END'
        .section .debug_info, "", @progbits
        .long 2f - 1f
1:      .short 4
        .long .debug_abbrev
        .byte 8
        .uleb128 1
        .quad main, 13
        .uleb128 2
        .asciz "main"
        .quad main, 13
        .byte 0
2:      .section .debug_abbrev, "", @progbits
        .byte 1,0x11,1, 0x11,1, 0x12,7, 0,0
        .byte 2,0x2e,0, 0x03,8, 0x11,1, 0x12,7, 0,0
        .byte 0
END
as many.s -o many.o && ld -e main -Ttext=0x10000 many.o -o many
ends 0 probes lookup many 0x10006
is "all at the address" "$(grep -c '^  probe    2 ' "$out")" 6
ends 0 probes lookup many 0x1000b
prints "  line     ?:?  main"
is "the nearest" "$(grep -c '^  nearest  2 ' "$out"), $(tail -n 1 "$out")" "4,            2 more there"
ends 1 probes lookup fib 0x20000 0x10006
is "an address in no function" "$(head -n 1 "$out")" "0x20000  in no function"
ends 0 probes lookup fib 0x1000b --json
is "JSON" "$(python3 -c 'import json, sys
a, = json.load(sys.stdin)["addresses"]
print(a["symbol"], a["offset"], a["frames"], [(p["function"], p["id"], p["address"]) for p in a["probes"]])' <"$out")" \
    "main 11 [] [('main', 2, '0x10006')]"
# A GUID below 2^60 has its leading zeros.
sed 's/leaf/lear/; s/0xba,0xb4,0xff,0x04,0xcc,0x14,0xaf,0x66/0xf4,0x56,0x95,0x52,0xb8,0x03,0xe0,0x01/' fib.s >small.s
as small.s -o small.o && ld -e main -Ttext=0x10000 small.o -o small
ends 0 probes lookup small 0x1000d --json
prints '"guid": "0x01e003b8529556f4"'
ends 0 probes lookup plain 0x1000d
prints "0x1000d  leaf.llvm.12 + 0x0"
# Names of Swift begin with a dollar sign, as mapping symbols of other processors do.
# shellcheck disable=SC2016
objcopy --redefine-sym leaf.llvm.12='$s3app4leafyyF' plain swift
ends 0 probes lookup swift 0x1000d
# shellcheck disable=SC2016
prints '0x1000d  $s3app4leafyyF + 0x0'
ends 2 probes lookup fib
hints "a PROGRAM and an ADDRESS are required"
ends 2 probes lookup fib main
hints "'main' is not an address, such as 0x1000"
ends 1 probes lookup fib.o 0
hints "only linked programs have addresses that stand for one place"

# Objects, sections, wrong usage.
ends 0 probes disasm fib.o --function=leaf
is "code of an object" "$(listing | tail -n 5)" "<leaf>:
$block
       d:
      11:"
ends 1 probes disasm fib.o --show-source-locations
hints "source locations are shown of linked files only"
ends 1 probes disasm fib.s
ends 2 probes disasm
hints "a FILE is required"
ends 2 probes disasm fib --address=main
hints "--address takes an address or a range"
ends 2 probes disasm fib --x86-asm-syntax=nasm
ends 2 probes disasm fib --section
ends 2 probes disasm fib --json
finish
