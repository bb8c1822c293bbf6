#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# show prints what llvm-profdata-22 prints, byte for byte, for every profile that tool reads.
. "$(dirname "$0")/_lib.sh"

llvm="llvm-profdata-22"
command -v $llvm >/dev/null || skip "no $llvm"

# Sections do not influence each other, so one run tries many.
everything="--all-functions --counts --ic-targets --memop-sizes --show-vtables --detailed-summary --binary-ids"
everything="$everything --profile-version --temporal-profile-traces"
option_sets=(
    "$everything"
    "$everything --showcs"
    "--topn=3 --hot-func-list --function=o --ic-targets"
    "--topn=1000 --value-cutoff=2 --all-functions"
    "--value-cutoff=10 --list-below-cutoff"
    "--covered"
    "--all-functions --text"
    "--text --function=a"
)
# On a few files also the rest.
more_sets=(
    ""
    "--text"
    "--all-functions"
    "--function=main --counts"
    "--function=no-such-function --memop-sizes"
    "--value-cutoff=1 --counts --function=o"
    "--value-cutoff=100000 --list-below-cutoff --all-functions --counts"
    "--topn=1 --showcs"
    "--topn=0"
    "--covered --showcs"
    "--hot-func-list --detailed-summary --showcs"
    "--binary-ids"
    "--show-format=text --instr"
    "--counts=false --all-functions=1"
)

# Everything there is, each content once, and what llvm-profdata-22 makes of it in the two formats it writes.
inputs=()
known=0
declare -A seen
collect() {
    local file base sum n=0
    for file in "$profiles"/*.profraw "$corpus"/raw/*.profraw "$corpus"/llvm-tests/*/*; do
        [ -f "$file" ] && $llvm show "$file" >/dev/null 2>&1 || continue
        sum=$(md5sum <"$file")
        [ -z "${seen[$sum]:-}" ] || continue
        seen[$sum]=1
        if deliberate "$file"; then
            known=$((known + 1))
            continue
        fi
        inputs+=("$file")
        n=$((n + 1))
        base=$tmp/$n-$(basename "$file")
        if $llvm merge "$file" -o "$base.profdata" >/dev/null 2>&1; then
            inputs+=("$base.profdata")
        fi
        if $llvm merge --text "$file" -o "$base.proftext" >/dev/null 2>&1 && [ -s "$base.proftext" ]; then
            inputs+=("$base.proftext")
        fi
    done
}

# Files on which we differ on purpose: counters without the functions they belong to, of which LLVM shows nothing,
# and what an independent decoder refuses, of which LLVM shows nonsense.
deliberate() {
    grep -q '"rejected": *true' "${1%.profraw}.json" 2>/dev/null && return 0
    run show "$1"
    [ "$code" = 1 ] && grep -qF "debug info/binary for correlation is required" "$err"
}

# When a file holds several raw profiles, LLVM's lists of hottest functions name freed memory, and --showcs asks each
# profile anew whether it is IR.
several() {
    [ "$(head -c 100000 "${1%.profraw}.json" 2>/dev/null | grep -o '"version"' | wc -l)" -gt 1 ]
}

# From text, LLVM prints a bitmap again for the functions behind it that have none.
has_bitmap() {
    [[ $1 == *text ]] && grep -q '^\$' "$1"
}

compare() {
    local file=$1 options=$2 want_code
    case $options in
    *--topn* | *--hot-func-list* | *--showcs*) ! several "$file" || return 0 ;;
    *--text*) ! has_bitmap "$file" || return 0 ;;
    esac
    # shellcheck disable=SC2086
    timeout 60 $llvm show $options "$file" >want 2>/dev/null
    want_code=$?
    [ "$want_code" -le 1 ] || return 0 # it crashed
    # shellcheck disable=SC2086
    run show $options "$file"
    if [ "$code" != "$want_code" ]; then
        bad "exit code $code, not $want_code: show $options $file"
    elif ! cmp -s want "$out"; then
        bad "show $options $file: $(diff -a want "$out" | head -n 6 | tr -d '\0')"
    else
        good
    fi
}

collect
[ ${#inputs[@]} -gt 0 ] || skip "no input that $llvm reads"
for i in "${!inputs[@]}"; do
    for options in "${option_sets[@]}"; do
        compare "${inputs[i]}" "$options"
    done
    [ $((i % 25)) = 0 ] || continue
    for options in "${more_sets[@]}"; do
        compare "${inputs[i]}" "$options"
    done
done
printf '%d comparisons with %s on %d files; %d files different on purpose\n' $checks $llvm ${#inputs[@]} $known
finish
