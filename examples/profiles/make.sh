#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the .profraw files beside this script: builds src/ with every installed clang, instrumented as IR (ir)
# and by the front end (fe), and runs each program with its own input.
set -euo pipefail
cd "$(dirname "$0")/src"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

seed=0
orders=(count text length)
for n in 13 14 15 16 19 22; do
    for mode in ir fe; do
        seed=$((seed + 1))
        command -v "clang-$n" >/dev/null || { echo "clang-$n: not installed, skipped"; continue; }
        flag=-fprofile-generate
        [ $mode = ir ] || flag=-fprofile-instr-generate
        # The names of static functions contain the file names, so these must be relative.
        "clang-$n" -O2 $flag -Wl,--build-id word_main.c word_order.c word_table.c -o "$tmp/words"
        LLVM_PROFILE_FILE=$tmp/out.profraw "$tmp/words" $seed $((15000 + 1000 * seed)) "${orders[seed % 3]}" \
            >/dev/null
        mv "$tmp/out.profraw" "../clang-$n-$mode.profraw"
        printf 'clang-%s-%s.profraw: %s bytes\n' "$n" $mode "$(stat -c %s "../clang-$n-$mode.profraw")"
    done
done
