#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What can be counted of the runtime's costs, the same in each run: the instructions of a value-profiling call, beside
# compiler-rt's runtime linked with the same objects, and the system calls of a run, beside those of the same program
# without a profile. bench/runtime.sh measures times.
ANYPROF_BUILD_DIR=${ANYPROF_BUILD_DIR:-$(cd "$(dirname "$0")/../.." && pwd)/build}
. "$(dirname "$0")/../cli/_lib.sh"

libraries=$(cd "$ANYPROF_BUILD_DIR" && pwd)
[ -e "$libraries/libanyprof_rt.a" ] || skip "no $libraries/libanyprof_rt.a"
grep -q -- '-O2' "$libraries/tests/built_with.txt" || skip "the runtime is not optimized"
clangs=()
for version in 13 14 15 16 19 22; do
    ! command -v "clang-$version" >/dev/null || clangs+=("clang-$version")
done
[ "${#clangs[@]}" -gt 0 ] || skip "no clang of 13 14 15 16 19 22"
compared=0

link() { # link PROGRAM FLAG OBJECT...: with our runtime
    local program=$1 flag=$2 pie=()
    shift 2
    [ "$clang" != clang-13 ] || pie=(-pie)
    "$clang" "$flag" "${pie[@]}" -pthread "$@" -L "$libraries" -lanyprof_rt -o "$program" >"$out" 2>"$err" ||
        bad "$clang does not link $program"
}

executed() { # executed PROGRAM ARGUMENT...: its instructions
    LLVM_PROFILE_FILE=/dev/null valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

a_round() { # a_round PROGRAM calls|sizes DIFFERENT: instructions of 100 rounds of its loop
    echo $((($(executed "$1" "$2" "$3" 12000 1) - $(executed "$1" "$2" "$3" 2000 1)) / 100))
}

# No more than compiler-rt's; of values that are not the first of their list, at most 5 % more.
values_cost_no_more() {
    local case ours theirs
    "$clang" -fPIE -O2 -fprofile-generate -c "$source_dir/bench/runtime_values.c" -o values.o >"$out" 2>"$err" ||
        bad "$clang does not compile"
    link values.ours -fprofile-generate values.o
    "$clang" -pie -fprofile-generate -pthread values.o -o values.theirs >"$out" 2>"$err" || bad "$clang does not link"
    for case in "calls 1" "calls 24" "sizes 40"; do
        # shellcheck disable=SC2086  # two words
        ours=$(a_round ./values.ours $case) theirs=$(a_round ./values.theirs $case)
        printf '%s, %s: %d instructions in 100 rounds, with compiler-rt %d\n' "$clang" "$case" "$ours" "$theirs"
        compared=$((compared + 1))
        if [ "$ours" -gt 1000 ] && [ $((ours * 100)) -le $((theirs * ("${case#* }" == 1 ? 100 : 105))) ]; then
            good
        else
            bad "$clang, $case: $ours instructions, compiler-rt's $theirs"
        fi
    done
}

system_calls() { # system_calls PROGRAM: how many it makes
    strace -f -o trace "$1" >"$out" 2>"$err" || bad "strace $1"
    grep -c '(' trace
}

calls_at_most() { # calls_at_most WHAT MOST
    local made
    made=$(($(system_calls ./tiny.ours) - without))
    printf '%s, %s: %d system calls\n' "$clang" "$1" "$made"
    compared=$((compared + 1))
    if [ "$made" -gt 5 ] && [ "$made" -le "$2" ]; then good; else bad "$clang, $1: $made system calls, not $2"; fi
}

calls_are_few() {
    local without
    echo 'int main(void) { return 0; }' >tiny.c
    "$clang" -fPIE -pie tiny.c -o tiny.without
    "$clang" -fPIE -fprofile-instr-generate -c tiny.c -o tiny.o
    link tiny.ours -fprofile-instr-generate tiny.o
    without=$(system_calls ./tiny.without)
    export LLVM_PROFILE_FILE=$tmp/plain.profraw
    calls_at_most "a new file" "$1"
    calls_at_most "in place of a file" "$2"
    export LLVM_PROFILE_FILE=$tmp/%m.profraw
    calls_at_most "a new pool" "$3"
    calls_at_most "into a pool" "$4"
    rm ./*.profraw
    unset LLVM_PROFILE_FILE
}

for clang in "${clangs[@]}"; do
    ! command -v valgrind >/dev/null || values_cost_no_more
    ! command -v strace >/dev/null || calls_are_few 24 41 32 44
done
[ "$compared" -gt 0 ] || skip "no valgrind, no strace"
printf '%d costs compared\n' "$compared"
finish
