#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof bolt convert: errors of samples by line and column, what it refuses, what it says. What becomes of samples of
# real programs is compared with perf2bolt by oracle/bolt_convert.py.
. "$(dirname "$0")/_lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "assembles x86-64 code"
command -v as >/dev/null && command -v ld >/dev/null || skip "no assembler or linker"
# Two functions: f, of two blocks and a return, with a table that swaps nothing; g, without one.
cat >program.s <<'END'
        .text
        .globl f, g
        .type f, @function
f:      test %edi, %edi
        je 1f
        nop
1:      ret
        .size f, .-f
        .type g, @function
g:      call f
        ret
        .size g, .-g
        .section .note.bolt_bat, "", @note
        .long 5, 2f-1f, 1
        .ascii "BOLT\0\0\0\0"
1:      .uleb128 1, 0x10000
        .quad 0x1122334455667788
        .uleb128 3, 0, 4, 4
        .byte 2                 # the second entry is a branch
        .uleb128 0
        .quad 1
        .uleb128 0, 2, 2
        .quad 2
        .uleb128 1, 1
        .quad 3
        .uleb128 1
        .byte 0
2:      .balign 4
END
as program.s -o program.o && ld -e f -Ttext=0x10000 program.o -o program || skip "the assembler or linker fails"
ends 0 bat verify program

# A branch, a call, a fall-through, a return; what is outside, and what has no table.
cat >samples <<'END'
T 10002 10005 10005 5
T 10006 10000 10002 7
  f 10000  10005 3@
B 1000b 0 2 1
B 99999 10000 4 0
R 10005 1000b 1000b 6
F 10006 1000b 9
T 77 88 99 1
E cycles:u
END
sed -i 's/@/ /' samples # one blank at the end of a line
ends 0 bolt convert program --pa=samples -o out.fdata
is "profile" "$(cat out.fdata)" "boltedcollection
1 f 0 1 f 4 0 3
1 f 2 1 f 5 0 5
1 f 4 1 f 5 0 3
0 [unknown] 0 1 f 0 0 4
1 g 0 1 f 0 0 7"
is "what became of them" "$(cat "$err")" "             8           records read
            25  100.0 %  branches seen
            16   64.0 %      in the profile
             8   32.0 %      returns, which profiles do not hold
             1    4.0 %      outside of the program's functions
            31  100.0 %  runs from a branch to the next one
            15   48.4 %      in the profile
             1    3.2 %      not in the program's functions
            15   48.4 %      in functions that BOLT left alone, whose blocks are not known: lost
             5           different places in the profile"
ends 0 bolt convert program --pa=samples --quiet
silent
is "the same on standard output" "$(cat "$out")" "$(cat out.fdata)"
ends 0 bolt convert program --pa=samples --quiet -o again.fdata --report=report.json
is "the same profile" "$(cat again.fdata)" "$(cat out.fdata)"
is "report" "$(sed 3,6d report.json)" '{
  "schema": "anyprof-bolt-conversion/1",
  "records": 8,
  "branches": {"seen": 25, "mapped": 16, "returns": 8, "outside": 1},
  "falls": {"seen": 31, "mapped": 15, "outside": 1, "torn": 0, "without_table": 15},
  "basic": {"seen": 0, "mapped": 0, "outside": 0},
  "other_mode": 0,
  "perf": null,
  "edges": 5
}'
printf 'F 10002 10008 4\nF 10005 10002 3\nF 10006 1000b 2\n' >torn
ends 0 bolt convert program --pa=torn -o out
says "             7   77.8 %      from one function to another one"
# What is read is not replaced.
cp program keep && cp samples samples.keep
for place in program samples; do
    ends 1 bolt convert program --pa=samples -o $place
    says "error: $place: the profile would replace an input"
    ends 1 bolt convert program --pa=samples -o new --report=$place
    says "error: $place: the report would replace an input"
    gone new
done
same program keep
same samples samples.keep
ends 1 bolt convert program --pa=samples -o new --report=new
says "error: new: the report and the profile cannot both be written there"
gone new
ends 1 bolt convert program --pa=samples -o made --report=nowhere/report --quiet
hints "error: nowhere/report: "
ends 0 bolt convert program --pa=samples --pa=- --quiet <samples
prints "1 f 2 1 f 5 0 10"

# Samples of instructions.
printf 'E cycles:u\nS 10003 7\nS 10005 2\nS 999 1\nE cycles:u\nE instructions\n' >basic
ends 0 bolt convert program --pa=basic --basic-events
is "profile" "$(cat "$out")" "no_lbr cycles:u instructions
boltedcollection
1 f 3 7
1 f 5 2"
hints "             1   10.0 %      outside of the program's functions"
ends 0 bolt convert program --pa=basic
hints "            10  100.0 %  of the other kind, not asked for"
hints "warning: program: no sample is in the program: the profile is empty"

# Errors have a line and a column.
wrong() { # wrong TEXT MESSAGE
    printf '%b' "$1" >bad
    ends 1 bolt convert program --pa=samples --pa=bad -o new
    says "error: bad: samples with an error: $2"
    gone new
}
wrong 'T 1 2 3 4\nX 1 2\n' "expected T, R, S, E, B, F, f or r [line 2, column 1, samples.kind]"
wrong 'T 1 2 3 4\n\n' "expected T, R, S, E, B, F, f or r [line 2, column 1, samples.kind]"
wrong 'T 1 2 3\n' "expected a decimal number [line 1, column 8, samples.count]"
wrong 'T 1 0x2 3 4\n' "expected a hexadecimal number [line 1, column 6, samples.from]"
wrong 'B 1 2 3 -4\n' "a count below 0 [line 1, column 9, samples.mispredictions]"
wrong 'B 1 2 3 4 5\n' "more than the record has [line 1, column 11, samples.line]"
wrong 'S 1 9223372036854775808\n' "the count is above 2^63 - 1 [line 1, column 5, samples.count]"
wrong 'S 12345678123456781 1\n' "the number has more than 64 bits [line 1, column 3, samples.branch]"
wrong 'S 1 1' "the last line has no end: the file may have been cut off [line 1, column 6, samples.line]"
wrong 'S 1 1\r\n' "expected a decimal number [line 1, column 6, samples.count]"
wrong 'E a b\n' "expected the name of an event [line 1, column 3, samples.event]"
ends 1 bolt convert samples --pa=samples
hints "error: samples: no BAT table found"
ends 1 bolt convert program --pa=nothing
says "error: nothing: No such file or directory"
ends 2 bolt convert program
hints "bolt convert: samples are required: --pa=FILE, --perf-script=FILE or -p FILE."
ends 2 bolt convert --pa=samples
hints "bolt convert: a PROGRAM is required."
: >empty
ends 0 bolt convert program --pa=empty --quiet
is "an empty profile" "$(cat "$out")" "boltedcollection"
finish
