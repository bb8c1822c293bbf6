#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The command reports what an output of sample profiles cannot hold, in messages and in the report of a merge. The order
# of the inputs does not change it.
# shellcheck source=tests/cli/_lib.sh disable=SC2154  # what _lib.sh sets
. "$(dirname "$0")/_lib.sh"

cannot="warning: the output cannot hold this:"

# left_out KEY VALUE: the report says so.
left_out() {
    # shellcheck disable=SC2016  # $ is grep's
    there_is=$(sed -n '/"left_out"/,/}/p' report | tr -d ' \n' | grep -o "\"$1\":[^,}]*")
    is "left_out of the report" "$there_is" "\"$1\":$2"
}

# ---- contexts ----

printf '[main:1 @ foo]:100:7\n 1: 100\n !CFGChecksum: 111\n' >heavy.prof
printf '[bar:1 @ foo]:50:7\n 1: 50\n !CFGChecksum: 222\n' >light.prof
for inputs in "heavy.prof light.prof" "light.prof heavy.prof"; do
    # shellcheck disable=SC2086  # several files
    ends 0 merge $inputs --for=llvm-12 -o plain.afdo --report=report
    says "$cannot functions left out: the checksums of their other contexts differ (1)"
    left_out contexts 2
    left_out variants 1
    ends 0 merge --text plain.afdo -o -
    is "the function of most samples" "$(cat "$out")" "foo:100:7
 1: 100
 !CFGChecksum: 111"
done
# Functions that are left out when the output is written may be of any input: none is removed.
cat heavy.prof light.prof >inputs.prof
ends 0 merge --delete-inputs inputs.prof --for=llvm-12 -o new.afdo --report=report
says "warning: inputs.prof: merged, but not removed: it is not known whether a part of it was left out"
there inputs.prof
is "lost in the report" "$(grep -c '"lost": null' report)" 1
rm inputs.prof
# All lines count in the summary, and both contexts are one function.
printf '[main:1 @ foo]:100:7\n 1: 100\n 2: 1\n !CFGChecksum: 111\n' >both.prof
cat light.prof >>both.prof
ends 0 show --detailed-summary both.prof
prints 'Total functions: 1
Total number of blocks: 2
Total count: 151'

# ---- names that left functions had ----

printf 'main:7:1\n 1: 7\n' >named.prof
printf '15822663052811949563:7:1\n 1: 7\n' >hash.prof
ends 0 merge named.prof hash.prof --function=main --text -o - --report=report
is "what it says" "$(cat "$err")" "1 of 2 functions in the original profile are filtered."
left_out decimal_names 0
ends 0 merge named.prof hash.prof --function=main --for=llvm-9 -o old.prof
ends 0 info old.prof
prints '  kind:              binary sample profile, version 103'
printf '[main:1 @ foo]:100:7\n 1: 100\n' >cs.prof
printf 'bar.__uniq.123:3:1\n 1: 3\n' >uniq.prof
for limit in "" --output-size-limit=100000; do
    # shellcheck disable=SC2086  # may be empty
    ends 0 merge cs.prof cs.prof uniq.prof $limit --max-loss=100 -o limited$limit.afdo
done
same limited.afdo limited--output-size-limit=100000.afdo

# ---- places and names ----

printf 'foo:1:1\n 1: 1\n 70000.1: vtables _ZTV1A:55\n' >far.prof
ends 0 merge far.prof --extbinary --for=llvm-22 -o far.afdo
says "$cannot types of objects (vtables) left out (1)"
printf '{"schema":"anyprof-sample/1","functions":[{"name":"123","total":7,"lines":[{"line":1,"count":7}]}]}' \
    >number.json
for to in text binary extbinary; do
    ends 0 convert number.json --to=$to -o number.prof
    says "$cannot names are numbers, which readers take for hashes of other names (1)"
done

# ---- what a release does not read in text and in the split layout ----

printf 'foo:100:10\n 1: 60\n' >lines.prof
ends 1 merge --for=llvm-16 --text --split-layout -o never.prof lines.prof
hints 'LLVM 16 does not read !Flat, the split layout of text'
gone never.prof
ends 0 merge --for=llvm-22 --text --split-layout -o flat.prof lines.prof
ends 0 info flat.prof
prints '  read by:           LLVM 22 to 23'
printf 'foo:100:10\n 1: 60\n 2: bar:40\n  1: 40\n  !CFGChecksum: 77\n !CFGChecksum: 55\n' >probes.prof
ends 0 merge --for=llvm-13 --text -o - probes.prof
says "$cannot checksums of functions left out (1)"
is "no line of an inlined function" "$(grep -c '^  !' "$out")" 0
printf 'foo:8965:0\n 1: 3\n 3: bar:8965\n  1: 5\n  !Attributes: 2\nzed:9:0\n 1: 9\n' >inner.prof
ends 0 merge --for=llvm-13 --split-layout -o split.afdo inner.prof
ends 0 show --show-sec-info-only split.afdo
is "no metadata" "$(grep -o 'FunctionMetadata.*Size: 0,' "$out" | grep -c .)" 1
# Probes whose checksums are lost would become lines.
ends 0 merge -o probes.afdo probes.prof
head -c "$(($(stat -c %s probes.afdo) - 2))" probes.afdo >cut.afdo
ends 1 merge --salvage --text -o never.prof cut.afdo
hints 'the profile is of pseudo probes without checksums, which text has no word for'

# ---- bytes after the end ----

mkdir dir
"$anyprof" merge -o one.afdo lines.prof
"$anyprof" merge --compbinary -o one.compact lines.prof
for form in afdo compact; do
    cat one.$form one.$form >dir/two.$form
    ends 0 merge --delete-inputs -o out.afdo dir
    size=$(stat -c %s one.$form)
    says "warning: dir/two.$form: Malformed sample profile data: bytes after the end of the profile, which were not \
read: another one may be there ($size)"
    says "warning: dir/two.$form: merged, but not removed: it has bytes after its end that were not read"
    there dir/two.$form
    rm -r dir out.afdo
    mkdir dir
done

# The summary is that of what is written.
printf '{"schema":"anyprof-sample/1","functions":[{"name":"foo","total":10,"head":1,"lines":%s}]}' \
    '[{"line":1,"count":10},{"line":70000,"count":50}]' >far.json
ends 0 merge far.json -o far.afdo
says "$cannot lines left out: their offsets are more than readers accept (1)"
ends 0 check far.afdo
prints '0 errors, 0 warnings and 0 notes in 1 file with 1 record'

# A section whose type has all bits is one of an unknown type.
printf '\377\377\377\377\377\377\377\377' | dd of=one.afdo bs=1 seek=50 conv=notrunc 2>/dev/null
ends 1 check one.afdo
prints 'a section of an unknown type'

# ---- properties of the whole profile ----

ends 0 merge cs.prof --split-layout -o split.afdo --report=report
says "$cannot not in the split layout, which would lose all contexts (1)"
left_out not_split 1
ends 0 merge named.prof --gen-partial-profile -o partial.afdo
ends 0 merge partial.afdo --text -o - --report=report
says "$cannot properties of the whole profile left out: partial"
left_out flags '["partial"]'

finish
