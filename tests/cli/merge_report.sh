#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a merge says of what was lost or changed; and that it says nothing when nothing was.
. "$(dirname "$0")/_lib.sh"

merge() {
    ends 0 merge -o x "$@"
}

# A call target without a name is normal.
printf ':ir\nfoo\n10\n1\n9\n1\n0\n1\n1\n** External Symbol **:9\n\n' >ir.proftext
profile fe.proftext foo 10 1
merge --for=llvm-23 ir.proftext ir.proftext
silent
merge --text ir.proftext
silent
merge --for=llvm-23 fe.proftext fe.proftext
silent
# Text does not say for which compiler it is; where other inputs do, nothing is guessed.
merge fe.proftext
hints "note: no input says which compiler made it: the output (indexed version 14) is for the newest LLVM; --for=llvm-N"
merge fe.proftext "$profiles/clang-22-fe.profraw"
if grep -q 'no input says' "$err"; then bad "the raw profile says which compiler"; else good; fi

# Kinds.
merge "$profiles/clang-22-ir.profraw" "$profiles/clang-22-fe.profraw"
hints "note: 1 front-end profile was merged with IR profiles"

# Structure.
profile two.proftext foo 10 1 2
merge two.proftext two.proftext fe.proftext
counters="function basic block count change detected (counter mismatch)"
says "warning: fe.proftext: foo: $counters [counters: 1 here, 2 in other inputs]"
merge fe.proftext two.proftext two.proftext
says "warning: fe.proftext: foo: $counters [counters: 1 here, 2 in other inputs]"
says "note: left out, because the inputs disagree on the function: 1 set of counters"
says "note: make sure that all inputs are of the same build of the program"
# The first of several files with equal functions is named, which the fast path adds.
for i in 1 2 3; do cp "$profiles/clang-22-ir.profraw" raw$i.profraw; done
"$anyprof" convert --to=text raw1.profraw -o raw.proftext
awk '/^# Func Hash:/ { getline; print name "\n" $0 "\n1\n7\n"; exit } /^#|^:/ { next } { name = $0 }' raw.proftext |
    sed '1i :ir' >other.proftext
name=$(sed -n 2p other.proftext)
merge --weighted-input=100,other.proftext raw1.profraw raw2.profraw raw3.profraw
hints "warning: raw1.profraw: $name: $counters [counters: "
merge raw3.profraw raw1.profraw other.proftext
hints "warning: other.proftext: $name: $counters [counters: 1 here, "
printf ':ir\nfoo\n10\n1\n18446744073709551615\n\n' >hot.proftext
merge ir.proftext hot.proftext
says "warning: hot.proftext: foo: $counters [it is only marked as hot or warm, other inputs have counts]"
merge ir.proftext hot.proftext hot.proftext
says "warning: ir.proftext: foo: $counters [it has counts, other inputs only mark it as hot or warm]"
printf 'foo\n10\n1\n1\n$1\n0x1\n\n' >bits1.proftext
printf 'foo\n10\n1\n1\n$2\n0x1\n0x2\n\n' >bits2.proftext
merge bits1.proftext bits1.proftext bits2.proftext
says "note: left out, because the inputs disagree on the function: 1 bitmap"
printf ':ir\nfoo\n10\n1\n9\n1\n0\n2\n0\n0\n\n' >sites2.proftext
merge ir.proftext ir.proftext sites2.proftext
says "note: left out, because the inputs disagree on the function: 1 set of values"

# Counts.
profile huge.proftext foo 10 18446744073709551613
merge huge.proftext fe.proftext
says "warning: huge.proftext: foo: counter overflow [the sum of all inputs is cut; this is the first one]"
says "note: counts were cut at the largest possible number in 1 function; smaller weights avoid it"

# Values: the cut, and only with it the targets without a name.
{
    printf ':ir\nfoo\n10\n1\n9\n1\n1\n1\n300\n'
    seq 1 300 | sed 's/$/:7/'
    printf '\n'
} >values.proftext
merge values.proftext
says "note: values of call sites: 1 site cut to 255 values, 45 values dropped"
merge values.proftext fe.proftext
printf 'bar\n10\n1\n9\n1\n0\n1\n1\n** External Symbol **:9\n\n' >>values.proftext
merge values.proftext
says "note: values of call sites: 1 site cut to 255 values, 45 values dropped, 1 target without a name"

# Inputs without functions: they are valid, whatever their kind, and decide nothing.
printf ':fe\n' >no-functions.proftext
merge --for=llvm-22 no-functions.proftext no-functions.proftext no-functions.proftext
says "warning: no input has a function, so the output has none: was the program instrumented?"
merge --for=llvm-22 no-functions.proftext no-functions.proftext ir.proftext
silent
is "functions" "$("$anyprof" show x | sed -n 's/^Total functions: //p')" 1
is "kind" "$("$anyprof" show x | head -n 1 | cut -d " " -f -3)" "Instrumentation level: IR"
# Of LLVM 19 to 22, the header and two words of binary ids.
{
    printf '\201rforpl\377\12\0\0\0\0\0\0\0\40\0\0\0\0\0\0\0'
    head -c 96 /dev/zero
    printf '\2\0\0\0\0\0\0\0\24\0\0\0\0\0\0\0abcdefghijklmnopqrst\0\0\0\0'
} >header.profraw
merge header.profraw
says "warning: no input has a function, so the output has none: was the program instrumented?"
# As text, too, such a profile can be read again.
profile zero.proftext foo 10 0
for input in header.profraw "--sparse zero.proftext"; do
    # shellcheck disable=SC2086 # an option and a file
    ends 0 merge --text -o none.proftext $input
    is "text of $input" "$(cat none.proftext)" "# No functions"
    merge --for=llvm-22 none.proftext
    says "warning: no input has a function, so the output has none: was the program instrumented?"
done
merge header.profraw "$profiles/clang-22-fe.profraw"
silent
merge header.profraw "$profiles/clang-22-ir.profraw"
silent

# What a version cannot hold.
printf ':ir\n:temporal_prof_traces\n1\n1\n1\na,b\na\n1\n1\n1\n\nb\n1\n1\n1\n\n' >traces.proftext
merge --for=llvm-22 traces.proftext
silent
merge --for=llvm-14 traces.proftext
hints "note: left out of the output (indexed version 7): 1 temporal trace"
merge --for=llvm-22 "$profiles/clang-22-ir.profraw"
silent
# What no option keeps the automatic target from keeping: LLVM 14 may have made a raw profile of LLVM 16.
merge "$profiles/clang-16-fe.profraw"
hints "note: left out of the output (indexed version 7): 1 binary id; all counts are kept; --for=llvm-16 keeps binary \
ids, for LLVM 16 and later"
merge "$profiles/clang-16-fe.profraw" --for=llvm-16
silent
merge "$profiles/clang-19-fe.profraw"
silent
merge --for=llvm-13 "$profiles/clang-22-ir.profraw"
hints "1 binary id"
merge --for=llvm-13 --quiet "$profiles/clang-22-ir.profraw"
silent

# Who cannot read it.
printf ':ir\nx\n1\n1\n1\n$1\n0x1\n' >bits.proftext
merge "$profiles/clang-16-ir.profraw" bits.proftext
hints "note: LLVM 14 to 17 may have made an input but cannot read the output; --for=llvm-N writes for one"
merge --text "$profiles/clang-22-fe.profraw"
if grep -q "cannot read" "$err"; then bad "text is for everybody"; else good; fi

# Local functions have another separator before LLVM 18.
printf ':ir\na.c;foo\n10\n1\n1\n\na.c:foo\n10\n1\n2\n\na.c;bar\n10\n1\n3\n\n' >local.proftext
merge --for=llvm-16 local.proftext
says "note: renamed as the target's compiler names them: 2 local functions (1 added to one of the same name)"
merge --for=llvm-22 local.proftext
says "note: renamed as the target's compiler names them: 1 local function (1 added to one of the same name)"

# Losses that only real files have.
if [ -f "$corpus/raw/22_vt32.profraw" ]; then
    merge --for=llvm-22 "$corpus/raw/22_vt32.profraw"
    hints "; --keep-vtable-symbols keeps vtable names"
    merge --for=llvm-22 --keep-vtable-symbols "$corpus/raw/22_vt32.profraw"
    silent
fi

# Names from a file do not steer the terminal.
printf '# a name that colours\nf\033[31m\n10\n1\n1\n\nf\033[31m\n10\n2\n1\n2\n\n' >escape.proftext
merge escape.proftext
hints 'f\x1b[31m: function basic block'
name=$'f\302\23331m\342\200\256g' # U+009B and U+202E
printf '# in UTF-8\n%s\n10\n1\n1\n\n%s\n10\n2\n1\n2\n\n' "$name" "$name" >escape.proftext
merge escape.proftext
hints 'f\xc2\x9b31m\xe2\x80\xaeg: function basic block'
finish
