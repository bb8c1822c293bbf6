#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The work of profgen, and of bolt convert with samples, grows with the size of hostile samples and programs, as
# _profgen_growth.py makes them: from twice to four times a size it takes less than 2.7 times the instructions that it
# takes from once to twice the size (2 if it grows as the size, 4 if as its square).
#
# Three families are left out of that. One is about memory. In a chain of tail calls, each of which is searched for,
# every search ends after 8192 jumps, which is more than these sizes need; and functions that are inlined into each
# other are read up to a depth of 512, in each level of which libdw walks through what is below it.
. "$(dirname "$0")/_lib.sh"

command -v valgrind >/dev/null || skip "no valgrind"
[ "$(uname -m)" = x86_64 ] || skip "assembles x86-64 code"
command -v clang-22 >/dev/null || skip "no clang-22, which assembles pseudo probes"
command -v python3 >/dev/null || skip "no python3"

make_family() { # make_family FAMILY N: sets `kind`
    rm -f program program.s samples out.prof
    kind=$(python3 "$here/_profgen_growth.py" "$1" "$2") && clang-22 -c program.s -o program.o &&
        ld -e leaf -Ttext=0x401000 program.o -o program 2>/dev/null || bad "$1: cannot make the program"
}

count_family() { # count_family FAMILY N: sets `counted`
    make_family "$1" "$2"
    if [ "$kind" = --perf-script ]; then
        count_own bolt convert program --nl "$kind=samples" -o out.prof --quiet
    else
        count_own profgen --binary=program "$kind=samples" --format=text -o out.prof --quiet --report=report
    fi
}

# What is left out since it would take too long is counted.
count_family chain_of_tail_calls 1200
if [ "$(grep -c '"unsearched": [1-9]' report)" = 1 ]; then good; else bad "tail calls: $(grep unsearched report)"; fi
# A search looks at what the call may have led to, not at all that leads to the function.
count_family hub_of_tail_calls 9000
ends 0 profgen --binary=program --unsymbolized-profile=samples --format=text --csspgo-preinliner=0 \
    --gen-cs-nested-profile=0 --profile-summary-hot-count=0 -o out.prof --quiet
is "a hub of tail calls" "$(grep -c '^\[main:2 @ t0:2 @ t8999\]' out.prof)" 1
# What was found is forgotten before it takes much memory: for 200 callers it would be 70 MB.
make_family deep_tail_calls 200
peak() { # peak OPTION...: of making the profile, in KB
    "$compare" 1 "'$anyprof' profgen --binary=program --unsymbolized-profile=samples -o out.prof --quiet $*"
}
with=$(peak) without=$(peak --infer-missing-frames=0)
printf 'deep tail calls: %s KB, %s KB without inference\n' "$with" "$without"
if [ $((with - without)) -lt 70000 ]; then good; else bad "deep tail calls: $with KB, not $without KB"; fi
count_family deep_line_inlining 300
if grep -q '"inlining_cut": 1,' report; then good; else bad "inlining: $(grep inlining_cut report)"; fi

for family in $(python3 "$here/_profgen_growth.py"); do
    [ "$family" != chain_of_tail_calls ] && [ "$family" != deep_tail_calls ] || continue
    counts=()
    for n in 96 192 384; do
        count_family "$family" "$n"
        counts+=("$counted")
    done
    printf '%s: %s instructions\n' "$family" "${counts[*]}"
    first=$((counts[1] - counts[0])) second=$((counts[2] - counts[1]))
    if [ $((10 * second)) -lt $((27 * first)) ]; then good; else bad "$family: $first, then $second more"; fi
done
finish
