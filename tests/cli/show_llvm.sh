#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# show prints what llvm-profdata-22 prints, byte for byte, for every profile that tool reads.
. "$(dirname "$0")/_lib.sh"

llvm=llvm-profdata-22
command -v $llvm >/dev/null || skip "no $llvm"

option_sets=(
    ""
    "--all-functions"
    "--all-functions --counts"
    "--all-functions --counts --ic-targets --memop-sizes --show-vtables"
    "--all-functions --counts --showcs"
    "--all-functions --text"
    "--text"
    "--text --function=a"
    "--function=o --counts"
    "--function=main --ic-targets"
    "--function=no-such-function --memop-sizes"
    "--topn=3"
    "--topn=1000 --showcs"
    "--topn=2 --value-cutoff=5"
    "--value-cutoff=1 --all-functions"
    "--value-cutoff=10 --list-below-cutoff"
    "--value-cutoff=100000 --list-below-cutoff --all-functions --counts"
    "--covered"
    "--covered --showcs"
    "--detailed-summary"
    "--detailed-summary --showcs"
    "--hot-func-list"
    "--hot-func-list --topn=2 --detailed-summary"
    "--binary-ids --profile-version"
    "--temporal-profile-traces"
)

# Everything there is, and what llvm-profdata-22 makes of it in the two formats it writes.
inputs=()
collect() {
    local file base n=0
    for file in "$profiles"/*.profraw "$corpus"/raw/*.profraw "$corpus"/llvm-tests/*/*; do
        [ -f "$file" ] && $llvm show "$file" >/dev/null 2>&1 || continue
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

# A nameless record, and one whose name the text format cannot hold, are not printed as text; LLVM prints text that
# no tool reads back.
compare() {
    local file=$1 options=$2 want_code
    # shellcheck disable=SC2086
    timeout 60 $llvm show $options "$file" >want 2>want.err
    want_code=$?
    [ "$want_code" -le 1 ] || return 0 # it crashed
    # shellcheck disable=SC2086
    run show $options "$file"
    if [ "$code" != "$want_code" ]; then
        bad "exit code $code, not $want_code: show $options $file"
    elif ! cmp -s want "$out"; then
        bad "show $options $file: $(diff want "$out" | head -n 6)"
    else
        good
    fi
}

collect
[ ${#inputs[@]} -gt 0 ] || skip "no input that $llvm reads"
for file in "${inputs[@]}"; do
    for options in "${option_sets[@]}"; do
        compare "$file" "$options"
    done
done
printf '%d files, %d option sets\n' ${#inputs[@]} ${#option_sets[@]}
finish
