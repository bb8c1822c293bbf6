#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Peak memory does not grow with the number of files of one binary: merging 1,000 needs at most 10 % more than merging
# 10. What may grow is what is kept of each input for the report, about 600 bytes, and what waits to be put in order,
# at most 0.1 MB; so the profile is one of 15,000 functions. The 1,000 are 10 different files, 100 times each. Sample
# profiles are larger in memory, and have 6,000 functions.
. "$(dirname "$0")/_lib.sh"

generate raw raw 10 15000 1
mkdir indexed
for file in raw/*; do
    ends 0 merge -o "indexed/$(basename "$file" .profraw)" "$file"
done

generate_samples samples same 10 6000 1
rm samples/*.prof

peak() { # peak THREADS [OPTION]: of merging what is in `list`, in KB, the highest of 2 runs
    "$compare" 2 "'$anyprof' merge ${2:-} -j $1 -o result -f list"
}

grows_little() { # grows_little FORMAT THREADS [OPTION]
    local few many
    printf '%s\n' "$1"/* >ten
    cp ten list
    few=$(peak "${@:2}")
    for _ in {1..100}; do cat ten; done >list
    many=$(peak "${@:2}")
    printf '%s, -j %s: 10 files need %s KB, %s files %s KB\n' "$1" "$2" "$few" "$(wc -l <list)" "$many"
    if [ $((many * 10)) -le $((few * 11)) ]; then good; else bad "$1, -j $2: more than 10 % more memory"; fi
}

grows_little raw 1
grows_little raw 2
# Not with two threads: how much of two profiles is in memory at the same moment differs from run to run.
grows_little indexed 1
grows_little samples 1 --sample
finish
