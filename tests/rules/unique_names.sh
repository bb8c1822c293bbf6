#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Names of .c files are unique in the tree, names of headers are unique within src/, so that a name alone says where.
. "$(dirname "$0")/_lib.sh"

twice() {
    sed 's|.*/||' | sort | uniq -d
}

for name in $(tree . -- -name '*.c' | twice); do
    fail "several files are named $name: $(tree . -- -name "$name" | tr '\n' ' ')"
done
for name in $(tree src -- -name '*.h' | twice); do
    fail "several headers are named $name: $(tree src -- -name "$name" | tr '\n' ' ')"
done
finish
