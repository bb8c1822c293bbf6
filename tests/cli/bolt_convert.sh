#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof bolt convert: errors of samples by line and column, what it refuses, what it says. What becomes of samples of
# real programs is compared with perf2bolt by oracle/bolt_convert.py.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_bolt.sh"

[ "$(uname -m)" = x86_64 ] || skip "assembles x86-64 code"
command -v as >/dev/null && command -v ld >/dev/null || skip "no assembler or linker"
# Beside f, functions without a table: g is one block, h has a jump to an unknown place, bad has
# bytes that are no instruction.
{
    printf '        .text\n        .globl f, g, h, bad\n'
    f_code
    cat <<'END'
        .type g, @function
g:      call f
        ret
        .size g, .-g
        .type h, @function
h:      test %edi, %edi
        je 1f
        jmp *%rax
1:      nop
        ret
        .size h, .-h
        .type bad, @function
bad:    .byte 6
        ret
        .size bad, .-bad
END
    f_table
} >program.s
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
            30   96.8 %      in the profile
            15   48.4 %          in functions without a table, by their code
             1    3.2 %      not in the program's functions
             5           different places in the profile"
ends 0 bolt convert program --pa=samples --quiet
silent
is "the same on standard output" "$(cat "$out")" "$(cat out.fdata)"
ends 0 bolt convert program --pa=samples --quiet -o again.fdata --report=report.json
is "the same profile" "$(cat again.fdata)" "$(cat out.fdata)"
is "report" "$(sed 3,6d report.json)" '{
  "schema": "anyprof-bolt-conversion/1",
  "records": 8,
  "different": 8,
  "branches": {"seen": 25, "mapped": 16, "returns": 8, "outside": 1, "unnamed": 0},
  "falls": {"seen": 31, "mapped": 30, "outside": 1, "unnamed": 0, "inconsistent": 0, "without_table": 0, '\
'"unresolved": 0, "by_code": 15},
  "basic": {"seen": 0, "mapped": 0, "outside": 0, "unnamed": 0},
  "untranslated": 0,
  "other_mode": 0,
  "perf": null,
  "unresolved_jumps": 0,
  "edges": 5,
  "saturated": 0,
  "lost": {"in_program": 46, "no_branch": 0, "torn": 0, "unresolved": 0, "without_table": 0, "left_out": 0, '\
'"no_symbol": 0},
  "losing_functions": [],
  "functions": {"seen": 0, "left_out": 0}
}'
# By blocks: 0 to 3, 4, and 5, with the hashes 1, 2 and 3.
ends 0 bolt convert program --pa=samples -w out.yaml
is "nothing else is written" "$(cat "$out")" ""
says "             5           different places in the profile
             2  100.0 %  functions
             1   50.0 %      not in the YAML: BOLT left them alone, so the table has no hashes of them"
is "YAML" "$(cat out.yaml)" "---
header:
  profile-version: 1
  binary-name:     program
  binary-build-id: '<unknown>'
  profile-flags:   [ lbr ]
  profile-origin:  perf data aggregator
  profile-events:  'cycles:u'
  dfs-order:       false
  hash-func:       xxh3
functions:
  - name:            f
    fid:             1
    hash:            0x1122334455667788
    exec:            11
    nblocks:         3
    blocks:
      - bid:             0
        insns:           0
        hash:            0x1
        exec:            11
        succ:            [ { bid: 1, cnt: 3 }, { bid: 2, cnt: 5 } ]
      - bid:             1
        insns:           0
        hash:            0x2
        succ:            [ { bid: 2, cnt: 3 } ]
..."
ends 0 bolt convert program --pa=samples -o again.fdata --write-yaml=again.yaml --report=report.json --quiet
same again.fdata out.fdata
same again.yaml out.yaml
is "report" "$(tail -2 report.json)" '  "functions": {"seen": 2, "left_out": 1}
}'
ends 0 bolt convert program --pa=samples -w - --quiet
is "YAML on standard output" "$(cat "$out")" "$(cat out.yaml)"
ends 1 bolt convert program --pa=samples -o new -w new
says "error: new: the profile in YAML and the profile cannot both be written there"
ends 1 bolt convert program --pa=samples -w new --report=new
says "error: new: the report and the profile in YAML cannot both be written there"
gone new
ends 1 bolt convert program --pa=samples -w samples
says "error: samples: the profile in YAML would replace an input"
# The number of the last block, which is not that of the one before it, or not below that of all blocks.
for number in 0 2; do
    sed "s/^1:      .uleb128 1, 0x10000/&/; s/^        .uleb128 1\$/        .uleb128 $number/" program.s >odd.s
    as odd.s -o odd.o && ld -e f -Ttext=0x10000 odd.o -o odd
    ends 1 bolt convert odd --pa=samples -w new --quiet
    hints "the numbers of blocks are not in order, or too large"
    gone new
    ends 0 bolt convert odd --pa=samples -o odd.fdata --quiet
    same odd.fdata out.fdata
done
printf 'F 10002 10008 4\nF 10005 10002 3\nF 10006 1000b 2\n' >torn
ends 0 bolt convert program --pa=torn -o out
says "             7   77.8 %      from one function to another, or over code that does not run through: lost"
# In functions without a table the code decides: samples of h from its branch on, across its branch, and after its
# jump; and samples of bytes that are no code.
printf 'F 1000c 10010 4\nF 1000c 1000e 7\nF 10010 10013 3\nF 10012 10013 2\nF 10014 10015 5\n' >code
ends 0 bolt convert program --pa=code -o out --report=code.json
is "profile" "$(cat out)" "boltedcollection
1 h 2 1 h 4 0 4"
is "what became of them" "$(cat "$err")" "             5           records read
            21  100.0 %  runs from a branch to the next one
            13   61.9 %      in the profile
            13   61.9 %          in functions without a table, by their code
             3   14.3 %      over an indirect jump whose targets are unknown: lost
             5   23.8 %      over code that cannot be followed: lost
             1           indirect jumps in that code whose targets are unknown
             1           different places in the profile
             8   38.1 %  of the samples in the program are lost
             5   23.8 %      in bad: runs over code that cannot be followed
             3   14.3 %      in h: runs over indirect jumps whose targets are unknown
warning: program: 100.0 % of the runs are in functions that BOLT left alone, or in their old code; is this a \
recording of the program before BOLT? If so, give that program
warning: program: 38.1 % of the samples in it are lost (8 of 21), 5 of them: runs over code that cannot be followed"
is "report" "$(grep -e '"falls"' -e jumps code.json | tr -d '\n')" "  \"falls\": {\"seen\": 21, \"mapped\": 13, \
\"outside\": 0, \"unnamed\": 0, \"inconsistent\": 0, \"without_table\": 5, \
\"unresolved\": 3, \"by_code\": 13},  \"unresolved_jumps\": 1,"

# A program that BOLT has not changed: places stay what they are, and local functions are numbered. YAML needs BOLT.
{
    printf '        .text\n        .globl f\n'
    f_code
    cat <<'END'
        .type g, @function
g:      call f
        ret
        .size g, .-g
END
} >plain.s
as plain.s -o plain.o && ld -e f -Ttext=0x10000 plain.o -o plain
ends 0 bolt convert plain --pa=samples -o plain.fdata
is "profile" "$(cat plain.fdata)" "1 f 2 1 f 4 0 3
1 f 2 1 f 5 0 5
1 f 4 1 f 5 0 3
0 [unknown] 0 1 f 0 0 4
1 g/1 0 1 f 0 0 7"
is "what became of them" "$(cat "$err")" "             8           records read
            25  100.0 %  branches seen
            16   64.0 %      in the profile
             8   32.0 %      returns, which profiles do not hold
             1    4.0 %      outside of the program's functions
            31  100.0 %  runs from a branch to the next one
            30   96.8 %      in the profile
             1    3.2 %      not in the program's functions
             5           different places in the profile"
no_yaml="error: plain: not supported: YAML needs hashes, which only LLVM can compute for a program without a BAT \
table; write fdata, and let llvm-bolt make YAML of it: llvm-bolt PROGRAM -data FDATA -w YAML -o /dev/null"
ends 1 bolt convert plain --pa=samples -w new.yaml
says "$no_yaml"
gone new.yaml
ends 1 bolt convert plain --pa=samples -o new -w new.yaml
says "$no_yaml"
says "note: only the fdata is written: new"
same new plain.fdata
rm -f new
gone new.yaml
# One that BOLT wrote without the table.
printf x >x
objcopy --add-section .note.bolt_info=x plain moved
ends 1 bolt convert moved --pa=samples -o new
says "error: moved: no BAT table found: BOLT wrote the program without --enable-bat; write it with that option, or \
sample the program as it was before BOLT"
gone new

# Samples of another build: branches from where there is none, of a function with a table and of one without; a torn
# run; and where no symbol is. The profile is written all the same.
printf 'B 10000 10005 30 0\nB 10004 10000 4 0\nB 10002 10005 60 0\nF 10005 10002 3\nB 1000c 10000 1 0\n' >other
ends 0 bolt convert program --pa=other -o other.fdata --report=other.json
hints "            35   36.8 %          from where the program has no branch
"
hints "            38   38.8 %  of the samples in the program are lost
            37   37.8 %      in f: branches from where the program has no branch
             1    1.0 %      in h: branches from where the program has no branch
"
hints "warning: program: 38.8 % of the samples in it are lost (38 of 98), 35 of them: branches from where the program \
has no branch; is this the build that was recorded?"
is "report" "$(grep -A4 '"lost"' other.json | head -5)" '  "lost": {"in_program": 98, "no_branch": 35, "torn": 3, '\
'"unresolved": 0, "without_table": 0, "left_out": 0, "no_symbol": 0},
  "losing_functions": [
    {"name": "f", "seen": 97, "lost": 37, "reason": "no_branch"},
    {"name": "h", "seen": 1, "lost": 1, "reason": "no_branch"}
  ],'
ends 3 bolt convert program --pa=other -o more.fdata --max-lost=38.7 --quiet
says "error: program: 38.7755 % of the samples in it are lost, more than 38.7 %"
same more.fdata other.fdata
ends 0 bolt convert program --pa=other -o more.fdata --max-lost=38.8 --quiet
silent
ends 2 bolt convert program --pa=other --max-lost=101
# Functions without a table are lost where only YAML is written.
ends 3 bolt convert program --pa=samples -w new.yaml --max-lost=10 --quiet
hints "error: program: "
ends 0 bolt convert program --pa=samples -o new.fdata -w new.yaml --max-lost=0 --quiet
rm new.yaml new.fdata
# Samples that are all elsewhere say nothing about losses.
printf 'B 77 88 95 0\nB 10002 10005 5 0\n' >elsewhere
ends 3 bolt convert program --pa=elsewhere -o new --max-lost=5
says "warning: program: only 5.0 % of the samples are in the program; is this the build that was recorded?"
says "error: program: only 5.0 % of the samples are in the program, so that what is lost says little"
rm new
ends 0 bolt convert program --pa=elsewhere -o new --max-lost=100 --quiet
rm new

# As perf2bolt takes it: -p and the flag --pa, in any order.
for words in "program -p samples --pa" "program --pa -p samples" "-p samples --pa program" "--pa program -p samples" \
    "-p=samples -pa -o again.fdata program" "program -p samples --pa --time-aggr --show-density"; do
    # shellcheck disable=SC2086
    ends 0 bolt convert $words --quiet
    case $words in *again.fdata*) cp again.fdata "$out" ;; esac
    is "profile of $words" "$(cat "$out")" "$(cat out.fdata)"
done
ends 0 bolt convert program -p samples --pa --time-aggr -o again.fdata
hints "warning: --time-aggr has no effect: times are not measured"
ends 0 bolt convert program -p samples --pa -o again.fdata -w again.yaml --quiet
same again.fdata out.fdata
same again.yaml out.yaml
ends 2 bolt convert program --pa
hints "bolt convert: --pa needs a file: --pa=FILE, or -p FILE as for perf2bolt."
ends 2 bolt convert program -p samples --pa=samples
hints "bolt convert: give samples of one kind only: --pa, --perf-script or -p."
ends 1 bolt convert program -p samples -o new
says "error: samples: recording of perf with an error: it is no file of perf record [perf.header.magic at offset 0]
note: samples is a file of pre-aggregated samples: give it as --pa=samples"
printf 'some words that are no samples\n' >words
ends 1 bolt convert program -p words -o new
says "error: words: recording of perf with an error: it is no file of perf record [perf.header.magic at offset 0]
note: words is text: give pre-aggregated samples as --pa=words, the output of perf script as --perf-script=words"
ends 2 bolt convert program -p samples --itrace=i100us -o new
hints "--itrace is not supported: run 'perf script --itrace=VALUE "
ends 2 bolt convert program -p samples --spe -o new
hints "--spe is not supported: use perf2bolt for samples of Arm SPE"
ends 2 bolt convert program -p samples --profile-format=yaml -o new
hints "--profile-format is not supported: -o FILE writes fdata, -w FILE writes YAML"
gone new

# What could not be made again is not replaced, and a report replaces no profile.
cp "$profiles/clang-22-ir.profraw" raw && cp program other
"$anyprof" merge --quiet -o old.profdata raw
for place in raw other; do
    ends 1 bolt convert program --pa=samples -o $place
    hints "error: $place: the profile would replace "
    ends 1 bolt convert program --pa=samples -o new --report=$place
    hints "error: $place: the report would replace "
done
ends 1 bolt convert program --pa=samples -o new --report=old.profdata
says "error: old.profdata: the report would replace a profile; remove the file if that is meant"
gone new
rm raw other

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
ends 0 bolt convert program --pa=basic --basic-events -w - --quiet
is "samples by block" "$(grep -v header "$out" | grep -E 'flags|events|exec|bid|succ')" "  profile-flags:   [ sample ]
  profile-events:  'cycles:u;instructions'
    exec:            0
      - bid:             0
        events:          7
      - bid:             2
        events:          2"
ends 0 bolt convert program --pa=basic
hints "            10  100.0 %  of the other kind, which was not asked for"
says "warning: program: all samples are of the other kind: the profile is empty; --basic-events is for samples of \
instructions, and only for them"
printf 'S 99 1\n' >elsewhere
ends 0 bolt convert program --pa=elsewhere --basic-events
says "warning: program: no sample is in the program: the profile is empty; is this the program that was recorded?"
# Equal ones are added up, as far as llvm-bolt can count.
printf 'B 10006 10000 9223372036854775807 1\nB 10006 10000 5 2\n' >large
ends 0 bolt convert program --pa=large --report=large.json -o large.fdata
is "the largest count" "$(tail -1 large.fdata)" "1 g 0 1 f 0 3 9223372036854775807"
hints "             1           different ones"
hints "warning: program: counts that would be above 2^63 - 1, the largest that llvm-bolt reads, stay there: 1"
is "report" "$(grep -e saturated -e different large.json | tr -d '\n')" '  "different": 1,  "saturated": 1,'
# In front of the first entry of a table, which is at the branch here; and where no symbol is.
sed 's/^        .uleb128 3, 0, 4, 4/        .uleb128 3, 0, 3, 3/; s/^        .byte 2 .*/        .byte 1/
    /^        .uleb128 0$/,/^        .uleb128 0, 2, 2/c\        .uleb128 2, 2' program.s >late.s
as late.s -o late.o && ld -e f -Ttext=0x10000 late.o -o late
printf 'T 10000 10001 10005 5\nB 10006 999 3 0\n' >early
ends 0 bolt convert late --pa=early --report=early.json --quiet
is "report" "$(grep -e branches -e falls -e untranslated early.json | cut -d, -f1,2)" \
    '  "branches": {"seen": 8, "mapped": 8
  "falls": {"seen": 5, "mapped": 5
  "untranslated": 10,'
objcopy --strip-all program bare
ends 1 bolt convert bare --pa=samples -o new
says "error: bare: not supported: it has no symbols of functions, which profiles need; give the program as it was \
before it was stripped"
gone new
ends 0 bat verify bare
says "warning: bare: it has no symbols of functions: the names and sizes of code are not checked"
ends 2 bolt convert program --pa=- --pa=- <samples
hints "bolt convert: only one input can be standard input."
ends 2 bolt convert - --pa=- <samples
hints "bolt convert: only one input can be standard input."

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
wrong 'B 1 2 3 4 5\n' "more fields than the record has [line 1, column 11, samples.line]"
wrong 'S 1 9223372036854775808\n' "the count is above 2^63 - 1 [line 1, column 5, samples.count]"
wrong 'S 12345678123456781 1\n' "the number has more than 64 bits [line 1, column 3, samples.branch]"
wrong 'S 1 1' "the last line has no end: the file may have been cut off [line 1, column 6, samples.line]"
wrong 'S 1 1\r\n' "a carriage return: lines end with a line feed alone [line 1, column 6, samples.carriage_return]"
wrong 'E a b\n' "expected the name of an event [line 1, column 3, samples.event]"
ends 1 bolt convert samples --pa=samples
says "error: samples: The file was not recognized as a valid object file
note: samples is a file of pre-aggregated samples for BOLT: give a program, a shared library or an object file"
ends 1 bolt convert program --pa=nothing
says "error: nothing: No such file or directory"
ends 2 bolt convert program
hints "bolt convert: samples are required: --pa=FILE, --perf-script=FILE or -p FILE."
ends 2 bolt convert --pa=samples
hints "bolt convert: a PROGRAM is required."
: >empty
ends 0 bolt convert program --pa=empty --quiet
is "an empty profile" "$(cat "$out")" "boltedcollection"

# --skip-funcs: the code of such functions is not followed.
cat >plain.s <<'END'
        .text
        .globl first, second
        .type first, @function
first:  test %edi, %edi
        je 1f
        nop
1:      ret
        .size first, .-first
        .type second, @function
second: test %edi, %edi
        je 1f
        nop
1:      ret
        .size second, .-second
END
as plain.s -o plain.o && ld -e first -Ttext=0x10000 plain.o -o plain || bad "the assembler or linker fails"
printf 'F 10000 10005 3\nF 10006 1000b 4\n' >plain.pa
one='1 first 2 1 first 4 0 3
1 first 4 1 first 5 0 3' two='1 second 2 1 second 4 0 4
1 second 4 1 second 5 0 4'
ends 0 bolt convert plain --pa=plain.pa --quiet
is "all functions" "$(cat "$out")" "$one
$two"
for names in second 'sec.*,third' 'a,b,second' 's|second'; do
    ends 0 bolt convert plain --pa=plain.pa --quiet --skip-funcs="$names"
    is "without $names" "$(cat "$out")" "$one"
done
ends 0 bolt convert plain --pa=plain.pa --quiet --skip-funcs=first --skip-funcs second
is "without both" "$(cat "$out")" ""
ends 0 bolt convert plain --pa=plain.pa --skip-funcs=sec
says "warning: --skip-funcs='sec' matches no function"
ends 2 bolt convert plain --pa=plain.pa --skip-funcs='fi(rst'
hints "--skip-funcs takes a regular expression, not 'fi(rst': parentheses not balanced"

# Samples that are something else are named for what they are, on whatever line the error is.
ends 1 bolt convert plain --pa=plain
says "note: plain is an ELF file: give a text with samples"
printf 'PERFILE2\n\n\1' >recorded
ends 1 bolt convert plain --perf-script=recorded
says "note: recorded is a perf.data file: give it as -p recorded"
ends 1 bolt convert plain --pa=recorded
says "note: recorded is a perf.data file: give it as -p recorded"
# -p of what is no recording; the flag --pa with a value.
ends 1 bolt convert plain -p plain -o x
says "note: plain is an ELF file: give a recording of perf (perf.data)"
ends 1 bolt convert plain -p absent -o x
says "error: absent: No such file or directory"
for flag in -pa=true --pa=1; do
    ends 0 bolt convert plain -p plain.pa $flag --quiet
    is "the samples with $flag" "$(cat "$out")" "$one
$two"
done

# Many stubs whose resolver has a long name: memory would grow with their product.
{
    resolver=r$(printf '%050000d' 0)
    printf '.globl _start, %s\n_start: ret\n.type %s, @function\n%s: ret\n.size %s, 1\n' \
        "$resolver" "$resolver" "$resolver" "$resolver"
    for i in $(seq 1000); do
        printf 'call f%d\n.type f%d, @gnu_indirect_function\n.set f%d, %s\n' "$i" "$i" "$i" "$resolver"
    done
} >stubs.s
as stubs.s -o stubs.o && ld -static -pie --no-dynamic-linker stubs.o -o stubs
echo "B 1 1 1 0" >stubs.pa
ends 1 bolt convert stubs --pa=stubs.pa
hints "a limit of this run was exceeded: too many stubs share the name of a resolver [elf.symbol.name: found "
finish
