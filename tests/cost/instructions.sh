#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How many instructions anyprof executes for small fixed inputs, beside the committed counts in instructions.txt. Only
# those of its own code count: what libc, zlib and libmd execute depends on the processor. More than 10 % above is a
# slow change; more than 10 % below is a gain to be kept: renew the table.
#
#     tests/cost/instructions.sh --update     writes the table, from build/ or ANYPROF_BUILD_DIR
. "$(dirname "$0")/_lib.sh"

table=$here/instructions.txt
command -v valgrind >/dev/null || skip "no valgrind"
built_with=$(cat "$build/tests/built_with.txt")
counted_with=$(sed -n 's/^# built with: //p' "$table")
[ "$built_with" = "$counted_with" ] || skip "the counts are for '$counted_with', this build is '$built_with'"

generate raw raw 6 2000 1
for i in 2 3 4 5; do
    generate text $i.proftext 1000 $i
    ends 0 merge -o $i.profdata $i.proftext
done
generate text big.proftext 3000 6
ends 0 merge -o big.profdata big.proftext
generate_samples same same 6 2000 1
generate_samples different different 6 2000 1

count() { # count MERGE-ARGUMENT...: sets `counted`
    count_own merge -j 1 -o result "$@"
}

new=()
# What is put where in the hash tables is random in each run: the counts of two runs are to differ by less than 1 %.
costs() { # costs NAME MERGE-ARGUMENT...
    local name=$1 first committed change
    shift
    count "$@"
    first=$counted
    count "$@"
    new+=("$(printf '%-18s %d' "$name" "$counted")")
    if [ $((counted * 100)) -gt $((first * 101)) ] || [ $((first * 100)) -gt $((counted * 101)) ]; then
        bad "$name: two runs differ by 1 % or more: $first, $counted"
    fi
    [ "$update" = 0 ] || return 0
    committed=$(awk -v name="$name" '$1 == name { print $2 }' "$table")
    : "${committed:=0}"
    change="$name: $counted instructions, not $committed as in tests/cost/instructions.txt"
    printf '%s: %d of %d\n' "$name" "$counted" "$committed"
    if [ $((counted * 10)) -gt $((committed * 11)) ]; then
        bad "$change: more than 10 % slower"
    elif [ $((counted * 10)) -lt $((committed * 9)) ]; then
        bad "$change: more than 10 % faster; renew the table (tests/cost/instructions.sh --update)"
    else
        good
    fi
}

update=0
[ "${1:-}" != --update ] || update=1
costs raw raw
costs indexed 2.profdata 3.profdata 4.profdata 5.profdata
costs text_to_indexed big.proftext
costs indexed_to_text --text big.profdata
costs samples_same --sample --for=llvm-22 same/*.afdo
costs samples_different --sample --for=llvm-22 different/*.afdo
costs samples_to_text --sample --text same/0000.afdo
costs text_to_samples --sample --for=llvm-22 same/0000.prof
if [ "$update" = 1 ] && [ "$failures" = 0 ]; then
    {
        grep '^#' "$table"
        printf '%s\n' "${new[@]}"
    } >table
    cp table "$table"
fi
finish
