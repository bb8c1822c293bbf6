#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof bat: what it prints of sections, its errors and its exit codes. Programs: oracle/bat_tables.py.
. "$(dirname "$0")/_lib.sh"

hex() { # hex FILE BYTES
    local text=${2//[^0-9a-f]/}
    printf '%b' "$(sed 's/../\\x&/g' <<<"$text")" >"$1"
}

note() { # note FILE PAYLOAD: of at most 127 bytes
    local text=${2//[^0-9a-f]/} n
    n=$((${#text} / 2))
    while (((${#text} / 2) % 4)); do text+=00; done
    hex "$1" "05000000 $(printf %02x $n)000000 01000000 424f4c5400000000 $text"
}

# One function in one piece; one with a cold fragment, that is below it.
one="80808003 39f0ed6c9db4c959 01 00 02 02 02 00 000040ff65670000 00 1b"
two="07 8877665544332211 03 01 02 02 02 00 0100000000000000 00 05 08"
cold="d9fffbffffffffffff01 01 30 02 01 00 00 0400000000000000 02 04 10 0500000000000000 feffffffffffffffff01"
note table "02 $one $two 01 $cold"
ends 0 bat dump table
silent
is "lines" "$(tr '\n' '|' <"$out")" "BOLT-INFO: Parsed 3 BAT entries|BAT tables for 3 functions:|\
Function Address: 0x5f0000|BB mappings:|0x0 -> 0x30 hash: 0x4|0x4 -> 0x38 hash: 0x5||\
Function Address: 0x600000, hash: 0x59c9b49d6cedf039|BB mappings:|0x0 -> 0x0 hash: 0x6765ff400000|\
0x1b -> 0x1b (branch)|NumBlocks: 1||Function Address: 0x600022, hash: 0x1122334455667788|BB mappings:|\
0x0 -> 0x0 hash: 0x1|0x5 -> 0x5 (branch)|NumBlocks: 3|1 secondary entry points:|0x8||1 cold mappings:|\
0x5f0000 -> 600022||"
cp "$out" dump
ends 0 bat dump - <table
cmp -s "$out" dump || fail "from standard input it is another dump"
ends 0 bat dump --json table
prints '"encoding": "current"'
prints '"output": 4, "input": 56, "branch": false, "deleted": false, "block": 0, "hash": "0x0000000000000005"'
ends 0 bat dump table -o file
cmp -s file dump || fail "-o"
ends 0 bat extract table -o same
cmp -s same table || fail "extract"
ends 0 bat extract --convert table -o same
cmp -s same table || fail "extract --convert"
silent
ends 0 bat stats table
prints "           2  functions"
prints "           1  of these in several fragments"
prints "          32     31.7 %  hashes of blocks"
ends 0 bat stats --json table
prints '"block_hashes": 32,'

# Places. Where fragments end is not known without symbols.
ends 0 bat translate table 0x600003 0x5f0004 0x5f0007 0x10
is "places" "$(cat "$out")" "0x600003  0x600000+0x3
0x5f0004  0x600022+0x38
0x5f0007  0x600022+0x3b
0x10  ?  (no fragment has it)"
ends 0 bat translate --branch-source table 0x60001f
prints "0x60001f  0x600000+0x1b"
printf '0x600003\n\n  6225923 \n' >addresses
ends 0 bat translate table <addresses
is "places" "$(cat "$out")" "0x600003  0x600000+0x3
0x5f0003  0x600022+0x33"
# More than fit in a batch; as much as is asked for of an input without an end; a full disk.
seq 6291459 6391459 >addresses
ends 0 bat translate table <addresses
cp "$out" printed
ends 0 bat translate -o all table <addresses
same all printed
is "places" "$(wc -l <all)" 100001
is "the first place" "$(yes 0x600003 | timeout 60 "$anyprof" bat translate table | head -n 1)" "0x600003  0x600000+0x3"
if [ -w /dev/full ]; then
    "$anyprof" bat translate table <addresses >/dev/full 2>"$err" && fail "a full disk is no error"
    is "a full disk" "$(cat "$err")" "error: standard output: No space left on device"
fi
printf '0x600003\n0x600004\0005\n' >addresses
ends 1 bat translate table <addresses
prints "0x600003  0x600000+0x3"
says "error: <stdin>: a zero byte in a line"
ends 1 bat translate table 0x600003 elsewhere
prints "0x600003  0x600000+0x3"
says "error: 'elsewhere' is not an address"
ends 1 bat translate --reverse table 0x10
says "error: '0x10' is an address; give --original=FILE to find its function"
ends 1 bat translate --reverse table main
says "error: no function in the table is called 'main'"
ends 1 bat translate --reverse table main+x
says "error: 'main+x': the offset after + is not a number"
ends 2 bat translate --reverse --branch-source table main
hints "bat translate: --branch-source cannot be combined with --reverse."
ends 0 bat translate --json table 0x5f0004
prints '{"output": "0x5f0004", "fragment": 2, "function": 1, "name": null, "offset": 56, "input": null, "note": null}'

# What is read is not replaced, by whatever name; but a program by itself with a table or without one.
cp table keep
cp "$anyprof" original
ln -s table link
for command in dump stats verify extract "extract --convert"; do
    # shellcheck disable=SC2086
    ends 2 bat $command table -o link
    says "error: link: the output would replace an input"
done
ends 2 bat translate table 0x600003 -o table
says "error: table: the output would replace an input"
for command in verify translate; do
    ends 2 bat $command --original=original table -o original
    says "error: original: the output would replace an input"
done
same table keep
same original "$anyprof"
ends 0 bat translate table 0x600003 -o 0x600003
is "a file called like an address" "$(cat 0x600003)" "0x600003  0x600000+0x3"
ends 0 bat translate table 0x600003 -o 0x600003
ends 0 bat inject original table -o original
ends 0 bat dump original
same "$out" dump
ends 0 bat strip original -o original
ends 1 bat dump original

# What is wrong.
ends 0 bat verify table
prints "not checked: whether instructions begin where entries are (not supported: a section alone has no code; give the"
prints "0 findings in 3 fragments with 6 entries; code of 0 fragments and, in the input, 0 functions compared"
note rest "02 $one $two 01 $cold 00 00"
ends 0 bat dump rest
says "warning: rest: 2 bytes after the tables are not used"
ends 1 bat verify rest
prints "2 bytes after the tables, which BOLT ignores"
note odd "01 80808003 39f0ed6c9db4c959 01 00 02 01 00 00 000040ff65670000 05 00 00 0700000000000000 02 00"
ends 1 bat verify odd
prints "0x600000+0x0 -> 0x0: the function has fewer blocks (and 1 more entry)"
prints "0x600000+0x0 -> 0x0: another block is at this offset in the input"
prints "0x600000: the equal prefix is not the longest: BOLT would have written other bytes"
ends 1 bat verify --json odd
is "kinds" "$(grep -oE '"kind": "[a-z_]+"' "$out" | sort | tr -d '\n')" \
    '"kind": "block_number""kind": "block_twice""kind": "equal_prefix"'

# What is no table.
ends 1 bat dump nothing
says "error: nothing: No such file or directory"
printf 'text' >text
ends 1 bat dump text
says "error: text: no BAT table found: neither an ELF file nor the section alone"
ends 1 bat dump "$anyprof"
says "error: $anyprof: no BAT table found: the program was not written by BOLT with --enable-bat, or was stripped of it"
size=$(wc -c <"$anyprof")
head -c $((size - 1)) "$anyprof" >off
ends 1 bat dump off
hints "error: off: The file was not recognized as a valid object file: the section headers lie outside the file, "
hints "[elf.shoff at offset 40: found $size, expected at most $((size - 1))]"
ends 1 bat dump --max-input-size=$((size - 1)) "$anyprof"
hints "a limit of this run was exceeded: larger than the limit for one input [file.size: found $size, expected at most"
note cut "02 $one"
ends 1 bat dump cut
says "error: cut: failed to parse BOLT address translation table: the table ends within it, or a number has more than \
64 bits [bat.address at offset 49]"
ends 1 bat dump --max-input-size=10 table
hints "a limit of this run was exceeded"
ends 1 bat strip "$anyprof" -o stripped
says "error: $anyprof: no BAT table found: there is no section to remove"
gone stripped
ends 1 bat strip table -o stripped
says "error: table: The file was not recognized as a valid object file"
ends 2 bat strip table
hints "bat strip: -o OUT is required."
ends 2 bat inject table -o x
hints "bat inject: a FILE and a TABLE are required."
ends 2 bat extract table
hints "bat extract: -o OUT is required."
ends 2 bat dump
hints "bat dump: a FILE is required."

# Under the name of LLVM's tool.
ln -s "$anyprof" llvm-bat-dump
./llvm-bat-dump table --dump-all | cmp -s - dump || fail "as llvm-bat-dump"
is "without options" "$(./llvm-bat-dump table)" "BOLT-INFO: Parsed 3 BAT entries"
is "translated" "$(./llvm-bat-dump --translate=16 table)" "BOLT-INFO: Parsed 3 BAT entries
Translating addresses according to parsed BAT tables:
No function symbol found for 0x10"
is "cut" "$(./llvm-bat-dump cut 2>&1)" \
    "BOLT-ERROR: failed to parse BOLT address translation table. Malformed BAT section"
is "no table" "$(./llvm-bat-dump "$anyprof" 2>&1)" "error: no BAT table found."
is "no number" "$(./llvm-bat-dump --translate=x table 2>&1)" \
    "llvm-bat-dump: for the --translate option: 'x' value invalid for ulong argument!"
./llvm-bat-dump 2>/dev/null && fail "without a file it ends with 0"

# A table in a program: that runs as before.
ends 0 bat inject "$anyprof" table -o with
silent
[ -x with ] || fail "the program may not be executed"
./with --version >version || fail "it does not run"
is "version" "$(cat version)" "$("$anyprof" --version)"
ends 0 bat dump with
cmp -s "$out" dump || fail "the injected table"
# A section that is loaded is part of the program.
if objcopy --set-section-flags .note.bolt_bat=alloc,readonly with loaded 2>/dev/null; then
    ends 1 bat strip loaded -o x
    hints "the section is loaded"
fi
ends 0 bat strip with -o without
./without --version >version || fail "it does not run without the table"
ends 1 bat dump without
if command -v cmp >/dev/null; then
    n=$(cmp -l "$anyprof" with 2>/dev/null | awk '$1 > 64' | wc -l)
    is "bytes after the ELF header that changed" "$n" 0
fi

# All functions of one name are reported, also a hundred.
if command -v as >/dev/null && command -v ld >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    mkdir many
    for i in $(seq 100); do
        printf ' .text\n .type loc, @function\nloc: nop\n nop\n .size loc, 2\n .balign 16\n' | as -o many/$i.o -
    done
    {
        printf ' .section .note.bolt_bat, "", @note\n .long 5, 2f-1f, 1\n .ascii "BOLT\\0\\0\\0\\0"\n'
        printf '1: .uleb128 100, 0x10000\n'
        # Addresses count from the last entry of the one before.
        for i in $(seq 100); do
            [ "$i" = 1 ] || printf ' .uleb128 16\n'
            printf ' .quad 7\n .uleb128 1, 0, 1, 1\n .byte 0\n .uleb128 0\n .quad 9\n .uleb128 0\n'
        done
        printf ' .byte 0\n2: .balign 4\n'
    } | as -o many/0.o -
    ld -e 0x10000 -Ttext=0x10000 -o many/all many/?.o many/??.o many/100.o 2>/dev/null || fail "ld"
    ends 0 bat translate --reverse many/all loc/7.o/1+1
    is "the seventh" "$(cat "$out")" "loc+0x1  0x10061  in loc"
    ends 1 bat translate --reverse many/all loc/7.o/2
    says "error: no function in the table is called 'loc/7.o/2'"
    ends 0 bat translate --reverse many/all loc+1
    is "places" "$(grep -c '^loc+0x1  0x1[0-9a-f]*1  in loc' "$out" || cat "$out" "$err")" 100
fi
finish
