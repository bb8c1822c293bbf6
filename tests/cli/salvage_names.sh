#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --salvage --binary-file: functions whose names are cut off take them from the program, which clang 22 builds.
. "$(dirname "$0")/_lib.sh"

command -v clang-22 >/dev/null || skip "no clang-22"
cat >program.c <<'END'
#include <stdio.h>
static int twice(int n) { return n % 3 ? 2 * n : n; }
int thrice(int n) { return n % 2 ? 3 * n : n; }
int main(int argc, char **argv) {
    int sum = argc;
    (void)argv;
    for (int i = 0; i < 100; i++) sum += i & 1 ? twice(i) : thrice(i);
    return sum == 0;
}
END
clang-22 -O1 -fno-inline -fprofile-generate -mllvm -enable-name-compression=false program.c -o program \
    2>build.log || skip "clang-22 cannot build an instrumented program: $(head -n 1 build.log)"
sed 's/thrice/others/g' program.c >other.c
clang-22 -O1 -fno-inline -fprofile-generate other.c -o other
LLVM_PROFILE_FILE=$tmp/whole.profraw ./program
there whole.profraw
"$anyprof" merge --text -o want.proftext whole.profraw

# part NAME: where it begins.
part() {
    "$anyprof" info whole.profraw | awk -v name="$1" '$NF == name { print $1 }'
}

# Cut where the names begin: all counts are there, and no name.
names=$(part names)
is "there are names" "$((names > 0))" 1
head -c "$((names + 1))" whole.profraw >cut.profraw
ends 1 merge --salvage --text -o none.proftext cut.profraw
hints "error: no profile can be merged: the salvaged functions have lost their names"
gone none.proftext
ends 0 merge --salvage --text --binary-file=program -o got.proftext --report=report.json cut.profraw
is "functions" "$(grep -cE '^(main|thrice|program.c;twice)$' got.proftext)" 3
# Values are after the names, and so are lost: the rest is that of the whole.
counts() {
    awk '/^# Num Value Kinds/ { values = 1 } /^$/ { values = 0 } !values' "$1" | grep -vE '^:|^# IR|^$'
}
is "names and counts" "$(counts got.proftext)" "$(counts want.proftext)"
is "the report" "$(python3 -c '
import json
print(json.load(open("report.json"))["inputs"][0]["salvage"]["names"])')" "{'taken': 0, 'found': 3, 'lost': 0}"

# Programs of another build have no names for it; several may be named.
ends 0 merge --salvage --text --binary-file=other -o other.proftext cut.profraw
is "of another program" "$(grep -cE '^(main|thrice|program.c;twice)$' other.proftext)" 1 # main is main
ends 0 merge --salvage --text --binary-file=other --binary-file=program -o both.proftext cut.profraw
same both.proftext got.proftext

# What is whole is not changed by it, and an indexed profile is the same in any order.
ends 0 merge --quiet --salvage --text --binary-file=program -o got.proftext whole.profraw
silent
same got.proftext want.proftext
ends 0 merge --salvage --binary-file=program -o a.profdata cut.profraw whole.profraw
ends 0 merge -j 1 --salvage --binary-file=program -o b.profdata whole.profraw cut.profraw
same a.profdata b.profdata

# Without --salvage it is as it was, and what is no instrumented program is refused.
ends 1 merge --binary-file=program -o never whole.profraw
says "error: program: unable to correlate profile: could not find section (__llvm_covdata) (its profiles hold their \
metadata: merge them without a program)"
gone never
ends 1 merge --salvage --binary-file=program.c -o never cut.profraw
gone never
ends 1 merge --salvage --binary-file=missing -o never cut.profraw
says "error: missing: No such file or directory"
gone never
finish
