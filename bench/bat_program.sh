#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Generates a program of functions that branch, loop, switch and call each other, builds it with clang-22 -O2, and
# rewrites it by llvm-bolt-22 --enable-bat, every function in two pieces.
#
#     bench/bat_program.sh FILE [FUNCTIONS]        6,000 functions and main by default
#
# Takes half a minute on two cores. Fails with a message if something is missing.
set -euo pipefail
result=$1 functions=${2:-6000}
clang=${CLANG:-clang-22} linker=${LLD:-ld.lld-22} bolt=${LLVM_BOLT:-llvm-bolt-22}
per_file=200
work=$result.build

fail() {
    echo "bat_program: $*" >&2
    exit 1
}
command -v "$clang" >/dev/null || fail "no $clang"
command -v "$bolt" >/dev/null || fail "no $bolt"
linker=$(command -v "$linker") || fail "no linker $linker"
mkdir -p "$work"

write_file() { # write_file NUMBER: functions NUMBER * per_file and on
    awk -v file="$1" -v per_file="$per_file" -v functions="$functions" 'BEGIN {
        for (i = 0; i < per_file; i++) {
            n = file * per_file + i
            a = (n * 7919 + 13) % functions; b = (n * 104729 + 7) % functions
            printf "int f%d(int *, int); int f%d(int *, int); int f%d(int *, int);\n", n, a, b
            printf "int f%d(int *at, int n) {\n    int sum = n ^ %d;\n", n, n
            print "    for (int i = 0; i < n; i++) {"
            for (k = 0; k < 5; k++) {
                printf "        if (at[(i + %d) & 63] > %d) sum += f%d(at, n - %d);\n", k, n % 97 + k, a, k + 1
                printf "        else if (sum & %d) at[sum & 63] -= i * %d;\n", 2 ^ ((n + k) % 9), n % 7 + 3
                printf "        if ((at[sum & 63] ^ i) == %d) return f%d(at, sum) + %d;\n", n * 3 + k, b, k
            }
            print "        switch (sum & 15) { case 1: sum++; break; case 3: at[i & 63] = f" b "(at, i); break;"
            print "        case 6: at[0] = 1; break; case 9: sum ^= i; break; case 12: at[i & 7] += sum; }"
            print "    }\n    return sum;\n}"
        }
        if (file == 0)
            print "int main(int argc, char **argv) { int at[64] = {0}; (void)argv; return f0(at, argc - 1); }"
    }' >"$work/$1.c"
}

files=$(((functions + per_file - 1) / per_file))
functions=$((files * per_file))
for ((i = 0; i < files; i++)); do
    write_file "$i"
done
seq 0 $((files - 1)) | xargs -P "$(nproc)" -I{} \
    "$clang" -O2 -c "$work/{}.c" -o "$work/{}.o" || fail "does not compile"
"$clang" --ld-path="$linker" -Wl,-q -no-pie "$work"/*.o -o "$work/linked" || fail "does not link"
"$bolt" "$work/linked" -o "$result.new" --enable-bat --split-functions --split-strategy=random2 --bolt-seed=1 \
    >"$work/log" 2>&1 || fail "llvm-bolt: $(tail -n 1 "$work/log")"
mv "$result.new" "$result"
rm -r "$work"
