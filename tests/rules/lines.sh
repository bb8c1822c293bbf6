#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lines of at most 120 characters, no tabs in C, no blanks at the end of a line, a newline at the end of the file;
# files of src/ of at most 700 lines (500 is the aim), other sources and tests of at most 600; functions of the
# product of at most 60; no declaration cut after its type, which is what clang-format does to one with a long comment
# after it.
. "$(dirname "$0")/_lib.sh"
export LC_ALL=C.UTF-8

mapfile -t files < <(tree src include cli mpi python runtime tests fuzz bench examples cmake CMakeLists.txt demo.sh \
    test.sh -- -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name '*.in' \
    -o -name CMakeLists.txt)
long=$(awk 'length($0) > 120 { print FILENAME ":" FNR ": " length($0) " characters" }' "${files[@]}")
[ -z "$long" ] || fail "$long"
tabs=$(printf '%s\n' "${files[@]}" | grep -E '\.[ch]$' | xargs -r grep -nP '\t' | cut -c 1-100 || true)
[ -z "$tabs" ] || fail "tabs: $tabs"
blanks=$(grep -nE '[[:blank:]]+$' "${files[@]}" | cut -c 1-100 || true)
[ -z "$blanks" ] || fail "blanks at the end of a line: $blanks"
# Processes start slowly on some machines: one looks at all files. Exit codes of grep above 1 are errors.
unended=$(grep -LPz '\n\z' "${files[@]}") || [ $? = 1 ] || fail "grep -LPz"
while read -r file; do
    [ ! -s "$file" ] || fail "$file: no newline at the end"
done <<<"$unended"

lines() { # "number file" for each of the files on standard input
    xargs wc -l | grep -v ' total$'
}
while read -r n file; do
    if [ "$n" -gt 700 ]; then
        fail "$file: $n lines (at most 700)"
    elif [ "$n" -gt 500 ]; then
        printf 'note: %s: %s lines, the aim is 500\n' "$file" "$n"
    fi
done < <(tree src -- -name '*.c' | lines)
while read -r n file; do
    [ "$n" -le 600 ] || fail "$file: $n lines (at most 600)"
done < <(tree cli mpi python runtime tests fuzz bench -- -name '*.[ch]' -o -name '*.py' -o -name '*.sh' | lines)
mapfile -t product < <(tree src cli mpi python runtime include -- -name '*.[ch]')
functions=$(awk '
    /^{$/ { from = FNR }
    /^}$/ && from { if (FNR - from > 60) print FILENAME ":" from ": " FNR - from; from = 0 }' "${product[@]}")
[ -z "$functions" ] || fail "functions of more than 60 lines: $functions"
cut=$(grep -nE '^\s+(const )?(struct \w+|bool|u?int[0-9]+_t|size_t|unsigned|char|int)( \*+)?$' "${product[@]}" || true)
[ -z "$cut" ] || fail "put the comment above the declaration: $cut"
finish
