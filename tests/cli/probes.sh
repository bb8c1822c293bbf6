#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The commands about pseudo probes: what they print of sections, options, damage, exit codes.
. "$(dirname "$0")/_lib.sh"

# hex FILE BYTES: a file from hexadecimal digits.
hex() {
    local digits=${2// /}
    # shellcheck disable=SC2001
    printf "$(sed 's/../\\x&/g' <<<"$digits")" >"$1"
}

main=fad58de7366495db top=b28354b543375bfa mid=22384709d743fe3c leaf=bab4ff04cc14af66
mid_probes="0500 018068 028005 038202 048007 058003"
hex p "$main 0200 018000 028209 $top 0301 018000 02800c 048018 03 $mid $mid_probes $leaf 0100 018000"
leaf_and_mid="$leaf ffffffff00000000 04 6c656166 $mid e054dce810000100 03 6d6964"
hex d "$leaf_and_mid $top ffffffff07000100 03 746f70 $main ffffffff00000100 04 6d61696e"
is "bytes" "$(wc -c <p)" 74

ends 0 probes desc --desc-section d
silent
is "lines of desc" "$(wc -l <"$out")" 5
prints "15822663052811949562      281479271677951      1      0  ffffffff  main"
ends 0 probes list --section p --desc-section=d
prints "    +24      4  Block         top"
prints "     +c      1  Block         mid  @ top:3"
cp "$out" list
ends 0 probes list p --desc-section=d
same "$out" list
ends 0 probes list --section - --desc-section=d <p
same "$out" list
ends 0 probes list --section p --desc-section=d -o written
same written list
ends 0 probes list --section p --function top
prints "    +24      4  Block         18040073496307205042" # no name without descriptors
ends 0 probes list --section p --function 0x3cfe43d709473822
prints "4395024877212874786  @ 18040073496307205042:3"
is "lines" "$(wc -l <"$out")" 6
ends 0 probes list --section p --function 4395024877212874786
is "lines" "$(wc -l <"$out")" 6
ends 1 probes list --section p --function nobody
says "error: p: no function is called 'nobody'"
ends 0 probes tree --section p --desc-section=d
prints "       26        5      5    3: mid"
ends 0 probes stats --section p --desc-section=d
prints "          32    43.2 %    20.5 %  GUIDs"
ends 0 probes verify --section p --desc-section=d
prints "0 findings in 11 probes and 4 descriptors"
for command in desc list tree stats verify; do
    ends 0 probes $command --section p --desc-section=d --json
    silent
    if python3 -c 'import json, sys; json.load(sys.stdin)' <"$out" 2>/dev/null; then good; else bad "no JSON"; fi
    is "the same twice" "$("$anyprof" probes $command --section p --desc-section=d --json | cmp - "$out" 2>&1)" ""
done

# What is read is not replaced, by whatever name.
cp p keep
cp d keep.d
ln p hard
for command in list tree stats verify; do
    ends 2 probes $command --section p --desc-section=d -o hard
    says "error: hard: the output would replace an input"
    ends 2 probes $command --section p --desc-section=d -o d
    says "error: d: the output would replace an input"
done
ends 2 probes desc --desc-section d -o ./d
says "error: ./d: the output would replace an input"
cp "$anyprof" program
ends 2 probes disasm program -o program
says "error: program: the output would replace an input"
ends 2 probes diff "$anyprof" program -o program
says "error: program: the output would replace an input"
ends 2 probes verify "$anyprof" --against=program -o program
says "error: program: the output would replace an input"
same program "$anyprof"
same p keep
same d keep.d

# Damage.
head -c 70 p >short
ends 1 probes list --section short
is "nothing is printed" "$(cat "$out")" ""
hints "error: short: Pseudo Probe decoder fail in .pseudo_probe section: more items than fit in the section"
hints "[pseudo_probe.function.num_probes at offset 69: found 1, expected 0]"
ends 1 probes list --section short --keep-going
hints "error: short: Pseudo Probe decoder fail in .pseudo_probe section"
is "what is intact" "$(wc -l <"$out")" 11
ends 1 probes verify --section short --desc-section d
prints "1 finding in 10 probes and 4 descriptors"
silent
head -c 70 d >cut
ends 1 probes desc --desc-section cut
hints "error: cut: Pseudo Probe decoder fail in .pseudo_probe_desc section"
ends 1 probes list --section p --desc-section cut
hints "error: cut: Pseudo Probe decoder fail in .pseudo_probe_desc section"
ends 1 probes desc --desc-section cut --keep-going
is "what is intact" "$(wc -l <"$out")" 4

# What verify finds.
hex odd "$leaf 0300 018001 008001 078701 0000000000000000 0100 018000 0500000000000000 0100 018000"
hex strange "$leaf ffffffff00000000 04 6c656167 $leaf feffffff00000000 04 6c656166"
ends 1 probes verify --section odd --desc-section strange
prints "not checked: whether instructions begin at the addresses of 5 probes (not supported: sections alone have"
prints "leag: the descriptor's GUID is not that of its name"
prints "leag: descriptors with different hashes: differently compiled copies"
prints "0: a function with the GUID 0"
prints "5: no descriptor has its GUID; LLVM's tools may crash (1 probe)"
prints "leag: a probe with the index 0, at 0x2"
prints "leag: a probe of an unknown type: 7, at 0x3"
prints "6 findings in 5 probes and 2 descriptors"
ends 1 probes verify --section odd --json
is "kinds" "$(grep -oE '"kind": "[a-z_]+"' "$out" | sort | tr -d '\n')" \
    '"kind": "no_guid""kind": "no_index""kind": "unknown_type"'
hex mixed "$leaf 0100 018001 $top 0100 01000010000000000000"
ends 1 probes verify --section mixed --desc-section d
prints "objects of LLVM 13 to 15 and later ones are mixed: addresses may be wrong"

# Names as in the source; those of two functions.
hex twins "01000000 00000000 0700000000000000 07 5f5a336d696461 02000000 00000000 0800000000000000 07 5f5a336d696462"
hex local "01000000 00000000 0700000000000000 0c 5f5a4c336d6964612e783130"
ends 0 probes desc --desc-section local --function=mid
prints "                   1                    7      0      0         7  _ZL3mida.x10"
ends 1 probes desc --desc-section twins --function=mid
hints "error: 2 functions are called mid; give the whole name of one:"
hints "note: _Z3mida"
hints "note: _Z3midb"
ends 0 probes desc --desc-section twins --function=2
prints "                   2                    8      0      0         8  _Z3midb"

# Big-endian sections.
hex big "66af14cc04ffb4ba 0100 018001"
ends 0 probes list --section big --desc-section d --big-endian
prints "     +1      1  Block         7399155579282764986"

# Limits.
ends 1 probes list --section p --max-records=10
hints "a limit of this run was exceeded: too many [pseudo_probe.probes: found 11, expected at most 10]"
ends 0 probes list --section p --max-records=11
ends 1 probes list --section p --max-depth=1
hints "[pseudo_probe.depth: found 2, expected at most 1]"
ends 1 probes list --section p --max-input-size=73
ends 0 probes list --section p --max-input-size=74

# Sections of the corpus, whole and damaged.
if [ -d "$corpus/probes" ]; then
    probes=$corpus/probes
    ends 0 probes list --section "$probes/p.bin" --desc-section "$probes/d.bin"
    is "probes" "$(wc -l <"$out")" 33
    bad_section() { # bad_section FILE WHERE OFFSET LINES: damaged there; so many lines are shown of what is before
        ends 1 probes list --section "$probes/$1"
        hints "[$2 at offset $3"
        ends 1 probes list --section "$probes/$1" --keep-going
        is "lines of $1" "$(wc -l <"$out")" "$4"
    }
    bad_section p_trunc.bin pseudo_probe.probe.distance 162 32
    bad_section p_huge.bin pseudo_probe.function.num_probes 171 33
    bad_section p_idx.bin pseudo_probe.probe.index 173 33
    ends 0 probes list --section "$probes/p_k3.bin"
    prints "     +0      5  type 3        7399155579282764986"
    ends 0 probes list --section "$probes/p_disc5.bin"
    prints "     +0      5  Block                     5  7399155579282764986"
    ends 0 probes list --section "$probes/p_noguid.bin" --desc-section "$probes/d.bin"
    prints "1234605616436508552"
    ends 0 probes tree --section "$probes/p_zerochildren.bin"
    prints "       10        0      0  "
    ends 1 probes desc --desc-section "$probes/d_bigname.bin"
    hints "the number has more than 32 bits [pseudo_probe_desc.name_size at offset 150]"
    ends 1 probes desc --desc-section "$probes/d_trunc.bin"
    hints "[pseudo_probe_desc.name_size at offset 129: found 4, expected 2]"
else
    printf 'skipped: no %s\n' "$corpus/probes"
fi

# Files that are none, or have none.
ends 1 probes list p
says "error: p: The file was not recognized as a valid object file"
ends 1 probes list nothing
says "error: nothing: No such file or directory"
ends 1 probes list "$(type -P true)"
hints "no pseudo probe sections"

# Programs are read piece by piece, and refused when they are cut off or too large all the same.
size=$(wc -c <"$anyprof")
head -c $((size - 1)) "$anyprof" >off
for command in list "verify --json" disasm; do
    # shellcheck disable=SC2086
    ends 1 probes $command off
    hints "error: off: The file was not recognized as a valid object file: the section headers lie outside the file, "
    hints "[elf.shoff at offset 40: found $size, expected at most $((size - 1))]"
    # shellcheck disable=SC2086
    ends 1 probes $command "$anyprof" --max-input-size=$((size - 1))
    hints "larger than the limit for one input [file.size: found $size, expected at most"
done
ends 1 probes list "$anyprof" --max-input-size="$size"
hints "no pseudo probe sections"

# Wrong command lines.
ends 2 probes list
hints "probes list: a FILE is required.  Try:"
ends 2 probes list p q
hints "probes list: too many arguments, it takes FILE.  Try:"
ends 2 probes list p --big-endian
hints "--big-endian needs --section or --desc-section"
ends 2 probes diff p
hints "two files are required"
ends 2 probes verify p --max-stale=5
hints "--max-stale needs --against"
for address in "" x 1- 0x20-0x20 0x20-0x10 -5 18446744073709551615 1-2-3; do
    ends 2 probes list --section p "--address=$address"
    hints "--address takes an address or a range, such as 0x1000 or 0x1000-0x2000, not '$address'"
done

# Of a program: addresses, two builds.
if command -v llvm-mc-22 >/dev/null && command -v ld.lld-22 >/dev/null; then
    build() { # build NAME HASH EXTRA
        cat >"$1.s" <<END
    .text
    .globl leaf, top
    .type leaf,@function
    .type top,@function
leaf:
    .pseudoprobe 7399155579282764986 1 0 0 leaf
    nop
    $3
    .pseudoprobe 7399155579282764986 2 0 0 leaf
    ret
    .size leaf, .-leaf
top:
    .pseudoprobe 18040073496307205042 1 0 0 top
    nop
    .pseudoprobe 7399155579282764986 1 0 0 @ 18040073496307205042:$4 top
    ret
    .size top, .-top
    .section .pseudo_probe_desc,"",@progbits
    .quad 7399155579282764986, $2
    .byte 4
    .ascii "leaf"
    .quad 18040073496307205042, 5
    .byte 3
    .ascii "top"
END
        llvm-mc-22 -filetype=obj -triple=x86_64-linux-gnu "$1.s" -o "$1.o" && ld.lld-22 -e top "$1.o" -o "$1"
    }
    build one 7 "" 2
    build moved 7 nop 2
    build changed 8 "" 3
    start=$("$anyprof" probes list one | awk 'NR == 2 {print $1}')
    ends 0 probes list one --address="0x$start"
    is "lines" "$(wc -l <"$out")" 2
    ends 0 probes list one --address="$start-$(printf %x $((0x$start + 2)))"
    is "lines" "$(wc -l <"$out")" 3
    ends 0 probes tree one --address="$(printf %X $((0x$start + 3)))"
    prints "    2: leaf"
    ends 0 probes verify one --against moved --function=leaf
    prints "A profile of the other build is stale for 0 of 1 function, with 0 of 3 probes (0.0 %)."
    ends 0 probes verify one --against moved
    prints "A profile of the other build is stale for 0 of 2 functions, with 0 of 4 probes (0.0 %)."
    ends 1 probes verify one --against changed
    prints "           3                     7                     8  leaf"
    prints "A profile of the other build is stale for 1 of 2 functions, with 3 of 4 probes (75.0 %)."
    ends 0 probes verify one --against changed --max-stale=75
    ends 1 probes verify one --against changed --max-stale=74.9
    ends 0 probes diff one one
    prints "0 of 2 functions differ"
    ends 0 probes diff one moved
    is "moved probes" "$(cat "$out")" "0 of 2 functions differ
In 1 other function, probes only moved (--moved lists it)"
    ends 1 probes diff one moved --moved
    prints "leaf: 1 probe moved"
    prints "1 of 2 functions differ"
    ends 1 probes diff one changed
    prints "leaf: hash 7 -> 8, 1 place gone, 1 new place"
    ends 1 probes diff one changed --json
    prints '"places_gone": 1, "places_new": 1'
    prints '"other_hash": {'
    ends 1 probes diff one changed --summary
    is "summary" "$(cat "$out")" "Functions  Probes in A  Probes in B
        0            0            0  only in A
        0            0            0  only in B
        1            3            3  another hash
        0            0            0  other probes
        0            0            0  inlined elsewhere
        2            4            4  in all
1 of 2 functions differ"
    ends 1 probes verify one --against changed --json
    prints '"function": "leaf", "hash": "0x0000000000000007", "other_hash": "0x0000000000000008", "probes": 3}'
    ends 2 probes verify p --section --against one
    hints "--against compares programs, not sections"
    # Many functions, of which one build has others.
    many() { # many NAME FIRST LAST HASH
        {
            printf '.text\n.globl f\nf: ret\n.section .pseudo_probe_desc,"",@progbits\n'
            for ((i = $2; i <= $3; i++)); do
                printf '.quad %d, %s\n.byte 1\n.byte 65\n' "$i" "$4"
            done
        } | llvm-mc-22 -filetype=obj -triple=x86_64-linux-gnu -o "$1"
    }
    many a.o 1 40 7
    many b.o 2 41 8
    ends 1 probes verify a.o --against b.o
    prints "and 20 more: the descriptor's GUID is not that of its name"
    prints "and 19 more"
    prints "A profile of the other build is stale for 39 of 39 functions, with 0 of 0 probes (0.0 %)."
    prints "Only here: 1 functions; only in the other one: 1."
    ends 1 probes diff a.o b.o
    prints "A: only in A"
    prints "A: only in B"
    prints "A: hash 7 -> 8"
    prints "41 of 41 functions differ"
    ends 1 probes diff a.o b.o --topn=3
    is "lines of the first 3" "$(wc -l <"$out")" 5
    prints "and 38 more"
    prints "41 of 41 functions differ"
    ends 1 probes diff a.o b.o --topn=3 --json
    prints '"not_listed": 38'
    # Ranked: a stale function before others, then by the number of probes.
    ranked() { # ranked NAME PROBES-OF-1 HASH-OF-2 PROBES-OF-3
        local i hash probes=("$2" 1 "$4") names=(65 66 67)
        {
            printf '.section .pseudo_probe_desc,"",@progbits\n'
            for i in 0 1 2; do
                hash=7
                [ $i = 1 ] && hash=$3
                printf '.quad %d, %d\n.byte 1, %d\n' $((i + 1)) "$hash" "${names[i]}"
            done
            printf '.section .pseudo_probe,"",@progbits\n'
            for i in 0 1 2; do
                printf '.quad %d\n.byte %d, 0\n' $((i + 1)) "${probes[i]}"
                for ((id = 1; id <= probes[i]; id++)); do printf '.byte %d, 0x80, 1\n' "$id"; done
            done
        } | llvm-mc-22 -filetype=obj -triple=x86_64-linux-gnu -o "$1"
    }
    ranked c.o 5 7 2
    ranked d.o 4 8 9
    ends 1 probes diff c.o d.o
    is "ranking" "$(cut -d: -f1 "$out" | tr '\n' ' ')" "B C A 3 of 3 functions differ "
    ends 1 probes diff a.o b.o --json
    prints '"a": {"hash": null, "probes": 0, "copies": 0}'
    if [ -w /dev/full ]; then
        for command in "list one" "verify one" "diff one changed"; do
            # shellcheck disable=SC2086
            ends 1 probes $command -o /dev/full
            says "error: /dev/full: No space left on device"
        done
    fi
    # The object: addresses are offsets in its sections.
    ends 0 probes list one.o
    prints "In section 2 .text"
    prints "      0      1  Block         leaf"
    # Without symbols nothing has an address.
    cp one stripped
    strip -s stripped
    ends 0 probes list stripped
    prints "      ?      1  Block         leaf"
    ends 0 probes diff one stripped
    prints "0 of 2 functions differ"
    ends 1 probes verify stripped
    prints "leaf: its start is unknown: no symbol in .symtab has its GUID (2 probes)"
    # Addresses outside of the function.
    sed 's/\.size leaf, .-leaf/.size leaf, 1/' one.s >outside.s
    llvm-mc-22 -filetype=obj -triple=x86_64-linux-gnu outside.s -o outside.o && ld.lld-22 -e top outside.o -o outside
    ends 1 probes verify outside
    prints "leaf: addresses are outside of the function (1 probe), at 0x$(printf %x $((0x$start + 1)))"
    # An address in the middle of an instruction, and code that is elsewhere.
    sed '0,/    nop/s//    .byte 0xe8/; 0,/    ret/s//    .long 0\n    ret/' one.s >middle.s
    llvm-mc-22 -filetype=obj -triple=x86_64-linux-gnu middle.s -o middle.o && ld.lld-22 -e top middle.o -o middle
    ends 1 probes verify middle
    prints "leaf: no instruction begins at the addresses (1 probe), at 0x$(printf %x $((0x$start + 1)))"
    prints "1 finding in 4 probes and 2 descriptors"
    ends 1 probes verify middle.o --json
    prints '"kind": "not_at_instruction"'
    is "starts" "$(grep -A3 instruction_starts "$out" | tr -d ' \n')" \
        '"instruction_starts":{"checked":4,"unchecked":0,"reason":null'
    llvm-objcopy-22 --only-keep-debug one elsewhere
    ends 0 probes verify elsewhere
    prints "not checked: whether instructions begin at the addresses of 4 probes (no symbol's code is there)"
else
    printf 'skipped: no llvm-mc-22 or ld.lld-22, programs are not tested\n'
fi
# A long name is in the file once, and in a listing with each probe: it is shortened where listings would grow with the
# square of the file. Names that are long as in real programs are not.
long_name() { # long_name BYTES PROBES: sections lp and ld
    python3 - "$1" "$2" <<'END'
import sys
def uleb(v):
    out = b""
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])
name, probes = b"n" * int(sys.argv[1]), int(sys.argv[2])
guid = (7).to_bytes(8, "little")
open("ld", "wb").write(guid + (1).to_bytes(8, "little") + uleb(len(name)) + name)
open("lp", "wb").write(guid + uleb(probes) + b"\0" + b"\x01\x80\x01" * probes)
END
}
long_name 5000 100
ends 0 probes list --section lp --desc-section ld
is "whole names" "$(grep -cE ' n{5000}$' "$out")" 100
long_name 5000 4000
ends 0 probes list --section lp --desc-section ld
is "the first name" "$(sed -n 2p "$out" | grep -cE ' n{5000}$')" 1
is "the last name" "$(tail -n 1 "$out" | grep -cE ' n{256}\.\.\.\[5000 bytes, GUID 7]$')" 1
is "4,000 rows, in less than 4 MiB" "$(($(wc -l <"$out") == 4001 && $(wc -c <"$out") < 1 << 22))" 1
ends 0 probes list --section lp --desc-section ld --json
is "names of the first and the last probe" "$(python3 -c 'import json, sys
names = [p["function"] for p in json.load(sys.stdin)["probes"]]
print(len(names[0]), names[-1])' <"$out")" "5000 None"
is "JSON, in less than 4 MiB" "$(($(wc -c <"$out") < 1 << 22))" 1

finish
