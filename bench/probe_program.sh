#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Generates a C++ program with 340,000 pseudo probes, of functions that branch, loop, and call and inline each other,
# and builds it with clang-22 -O2 -g -fpseudo-probe-for-profiling.
#
#     bench/probe_program.sh FILE [FUNCTIONS]        4,000 functions by default
#
# Takes a minute or two on two cores. Fails with a message if something is missing.
set -euo pipefail
result=$1 functions=${2:-4000}
clang=${CLANGXX:-clang++-22} linker=${LLD:-ld.lld-22}
per_file=200
work=$result.build

fail() {
    echo "probe_program: $*" >&2
    exit 1
}
command -v "$clang" >/dev/null || fail "no $clang"
linker=$(command -v "$linker") || fail "no linker $linker"
mkdir -p "$work"

write_file() { # write_file NUMBER: functions NUMBER * per_file and on
    awk -v file="$1" -v per_file="$per_file" -v functions="$functions" 'BEGIN {
        print "namespace { struct state { int *at; int n; unsigned seed; };"
        for (i = 0; i < 12; i++) {
            printf "inline int step%d(state &s, int x) {\n", i
            printf "    s.seed = s.seed * %du + %du;\n", 1103515245 + i * 2, 12345 + i
            printf "    if (x & %d) { s.at[x & 63] += x; return x + %d; }\n", 2 ^ (i % 5), i
            if (i > 0)
                printf "    if (s.seed & %d) return step%d(s, x >> 1) ^ %d;\n", 4096 + i, int(i / 2), i
            printf "    return x * %d - 1;\n}\n", i + 3
        }
        print "}"
        for (i = 0; i < per_file; i++) {
            n = file * per_file + i
            callee = (n * 7919 + 13) % functions
            printf "int function_%d(int *, int, unsigned);\nint function_%d(int *, int, unsigned);\n", n, callee
            printf "int function_%d(int *at, int n, unsigned seed) {\n", n
            print "    state s{at, n, seed};\n    int sum = 0;"
            print "    for (int i = 0; i < n; i++) {"
            for (k = 0; k < 3; k++)
                printf "        if (at[(i + %d) & 63] > %d) sum += step%d(s, sum + i);\n",
                    k, n % 97 + k, (n * 5 + k * 7) % 12
            printf "        else if (sum & %d) sum -= function_%d(at, n - 1, s.seed);\n", n % 31 + 1, callee
            print "        switch (sum & 7) { case 1: sum++; break; case 3: sum ^= i; break;"
            print "        case 6: s.at[i & 63] = 1; }"
            print "    }\n    return sum;\n}"
        }
        if (file == 0)
            print "int main(int argc, char **) { int at[64] = {}; return function_0(at, argc - 1, 1); }"
    }' >"$work/$1.cpp"
}

files=$(((functions + per_file - 1) / per_file))
functions=$((files * per_file))
for ((i = 0; i < files; i++)); do
    write_file "$i"
done
seq 0 $((files - 1)) | xargs -P "$(nproc)" -I{} \
    "$clang" -O2 -g -fpseudo-probe-for-profiling -c "$work/{}.cpp" -o "$work/{}.o" || fail "does not compile"
"$clang" --ld-path="$linker" "$work"/*.o -o "$result.new" || fail "does not link"
mv "$result.new" "$result"
rm -r "$work"
