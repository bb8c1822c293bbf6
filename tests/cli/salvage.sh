#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --salvage: what is taken of damaged inputs, what is said of them, and who is content with that.
. "$(dirname "$0")/_lib.sh"

whole=$profiles/clang-22-ir.profraw
size=$(stat -c %s "$whole")
names=$((size - 500)) # somewhere in the names or after them

# counters FILE: the sum of all counts.
counters() {
    "$anyprof" show --detailed-summary "$1" | sed -n 's/^Total count: //p'
}

# entry KEY...: of the report.
entry() {
    python3 - report.json "$@" <<'END'
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[int(key) if key.isdigit() else key]
print(json.dumps(value))
END
}

"$anyprof" merge -o whole "$whole"
functions=$("$anyprof" show whole | sed -n 's/^Total functions: //p')
total=$(counters whole)

# Without the option nothing of a damaged input is taken.
head -c $((size - 1)) "$whole" >cut.profraw
ends 1 merge -o x cut.profraw
gone x
says "error: nothing is written: the only input is bad"
says "note: --salvage keeps the intact parts of damaged inputs"

# Cut in the values: every count is there, and the rest is said.
head -c 60 "$whole" >header.profraw
ends 1 merge --salvage -o never header.profraw
says "note: nothing could be salvaged: no record of the damaged inputs is known to be intact"
ends 0 merge --salvage -o x --report=report.json cut.profraw
is "the sum" "$(counters x)" "$total"
hints "warning: cut.profraw: too much profile data"
hints "warning: cut.profraw: damaged, and only what is intact was taken: $functions functions, values of 1 lost"
says "note: the only input was salvaged: $functions functions were taken, 1 without its values"
is verdict "$(entry inputs 0 verdict)" '"salvaged"'
is functions "$(entry inputs 0 salvage functions)" "{\"taken\": $functions, \"lost\": 0}"
is lost "$(entry inputs 0 salvage values lost)" 1
is error "$(entry inputs 0 error code)" '"TOO_LARGE"'
is totals "$(entry totals inputs) $(entry totals merged) $(entry totals salvaged) $(entry totals rejected)" "1 0 1 0"
ends 0 merge --salvage --quiet -o x cut.profraw
silent

# Cut in the names: an intact input has them; else the records are lost, and counted.
head -c $names "$whole" >cut.profraw
ends 0 merge --salvage -o alone --report=report.json cut.profraw
lost=$(entry inputs 0 salvage names lost)
says "note: the only input was salvaged: $((functions - lost)) of $functions intact functions were taken, 2 without \
their values, \
$lost lost for want of a name"
says "note: to recover names, add an intact input of the same program, or give --binary-file=PROGRAM"
ends 0 merge --salvage -o x --report=report.json cut.profraw "$whole"
is "the sum" "$(counters x)" $((2 * total))
is found "$(entry inputs 0 salvage names found)" "$lost"
is lost "$(entry inputs 0 salvage names lost)" 0
says "note: 1 of 2 inputs was salvaged: $functions functions were taken, 2 without their values, \
$lost with the name from another file"
if grep -q 'no profile data available' "$err"; then
    bad 'a name that another input has is said to be missing'
else
    good
fi
ends 0 merge --salvage -o y "$whole" cut.profraw
same x y
ends 0 merge --salvage -j 3 -o y "$whole" cut.profraw "$whole"
is "the sum" "$(counters y)" $((3 * total))

# Cut in front of the names: nothing can be used without them, and an output that is there stays.
ends 0 merge --salvage -o x cut.profraw "$whole"
there=$(sed -n 's/.*raw.header.names_size .*at most \([0-9]*\)\]$/\1/p' "$err")
head -c $((names - there)) "$whole" >counts.profraw
cp whole kept
ends 1 merge --salvage -o kept --report=report.json counts.profraw
hints "error: no profile can be merged: the salvaged functions have lost their names"
same kept whole
is verdict "$(entry verdict)" '"refused"'
is lost "$(entry inputs 0 salvage names lost)" "$functions"
ends 0 merge --salvage --failure-mode=warn -o kept counts.profraw
says "error: kept: left as it was: no input can be merged"
same kept whole
ends 0 merge --salvage -o y counts.profraw "$whole"
is "the sum" "$(counters y)" $((2 * total))

# Cut in the header: nothing can be taken.
head -c 100 "$whole" >header.profraw
ends 1 merge --salvage -o none header.profraw
gone none
ends 0 merge --salvage --failure-mode=all -o y header.profraw cut.profraw "$whole"
same x y
says "note: 1 of 3 inputs was rejected"
hints "note: 1 of 3 inputs was salvaged: $functions functions were taken"

# --max-loss counts what was salvaged as lost, as it would without the option; --failure-mode does not.
ends 0 merge --salvage --failure-mode=any -o y cut.profraw "$whole"
ends 0 merge --salvage --max-loss=50 -o y cut.profraw "$whole"
ends 1 merge --salvage --max-loss=49 -o none cut.profraw "$whole"
says "error: more inputs are lost than --max-loss allows: 1 of 2"
gone none
ends 0 merge --salvage --max-loss=49 --failure-mode=any -o y cut.profraw "$whole"

# What was salvaged is never removed, and is not added twice.
mkdir new
cp "$whole" new/whole
cp cut.profraw new/cut
ends 0 merge --salvage --delete-inputs -o total new
hints "merged, but not removed: it is damaged, and only a part of it was merged"
there new/cut
gone new/whole
is "the sum" "$(counters total)" $((2 * total))
ends 0 merge --salvage --delete-inputs -o total total new
there new/cut
is "the sum" "$(counters total)" $((2 * total))

# An indexed profile: names whose records are there to the last byte.
n=$(stat -c %s whole)
head -c $((n / 2)) whole >half.profdata
ends 1 merge -o none half.profdata
ends 0 merge --salvage -o x --report=report.json half.profdata
is lost "$(entry inputs 0 salvage functions lost)" null
is sections "$(entry inputs 0 salvage lost_sections)" '["binary_ids", "vtable_names"]'
"$anyprof" show --all-functions --counts whole >want
"$anyprof" show --all-functions --counts x >got
taken=$(grep -c '^  [^ ].*:$' got)
[ "$taken" -gt 0 ] || bad "nothing was taken of half a file"
is "functions that are not those of the whole" \
    "$(paste -sd ' ' got | sed 's/   *Hash/\n&/g' | grep -c .)" $((taken + 1))

# A text: a number at its end may be the first digits of another one.
profile two.proftext foo 10 1 2
profile more bar 11 1234
cat more >>two.proftext
head -c -4 two.proftext >cut.proftext # 12
ends 0 merge -o x cut.proftext
is "without the option" "$(counters x)" 15
ends 0 merge --salvage -o x cut.proftext
is "with it" "$(counters x)" 3
hints "warning: cut.proftext: truncated profile data: the last function may be cut off"
ends 0 merge --salvage --for=llvm-23 -o x two.proftext
silent

# Compressed: streams that are whole.
head -c $names "$whole" | gzip >one.gz
tail -c +$((names + 1)) "$whole" | gzip >two.gz
cat one.gz two.gz >both.gz
ends 0 merge --salvage -o x both.gz
silent
head -c -4 both.gz >cut.gz
ends 0 merge --salvage -o x --report=report.json cut.gz
is "where" "$(entry inputs 0 error where)" '"gzip.stream"'
head -c -4 one.gz >cut.gz
ends 1 merge --salvage -o none cut.gz
hints "warning: cut.gz: truncated profile data: the compressed data end too early"
there .total.anyprof-merged # which knows that new/cut was merged
finish
