#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures the profile runtime beside compiler-rt's: the same objects linked with either, run in turn. Prints one
# table: ours, compiler-rt's and their ratio, for a run's wall time and CPU time in microseconds, its peak memory in
# MB, and the figure that the program itself prints.
#
#     bench/runtime.sh [CASE...]        start write values fork; ROUNDS=9 of each, CLANGS="22 16"
#
# Programs are kept in build/bench/runtime. Takes five minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-9}
build=${ANYPROF_BUILD_DIR:-$PWD/build}
library=$build/libanyprof_rt.a
dir=$PWD/build/bench/runtime
turns=$PWD/build/bench/turns
[ -e "$library" ] || { echo "no $library: cmake -S . -B build && cmake --build build" >&2; exit 1; }
mkdir -p "$dir"
[ "$turns" -nt bench/turns.c ] ||
    ${CC:-cc} -O2 -std=c11 -D_GNU_SOURCE -Wall -Wextra bench/turns.c -o "$turns"
tmpfs=/dev/shm/anyprof.$$
trap 'rm -rf "$tmpfs"' EXIT
mkdir -p "$tmpfs"

link() { # link NAME FLAG OBJECT...: NAME.ours and NAME.theirs
    local name=$1 flag=$2
    shift 2
    [ -e "$name.theirs" ] || "$clang" "$flag" -pthread "$@" -o "$name.theirs"
    "$clang" "$flag" -pthread "$@" -L "$(dirname "$library")" -lanyprof_rt -o "$name.ours"
}

compile() { # compile OBJECT SOURCE FLAG...: unless OBJECT exists
    [ "$1" -nt "$2" ] || "$clang" -c -o "$1" "$2" "${@:3}"
}

compile_all() { # compile_all NAME FLAG: compiles the 100,000 functions
    [ -e "$dir/functions/main.c" ] || bench/runtime_functions.sh "$dir/functions"
    if ! [ -e "$1.done" ]; then
        mkdir -p "$1"
        (cd "$dir/functions" && printf '%s\n' *.c) |
            xargs -P "$(nproc)" -I{} "$clang" "$2" -O0 -c "$dir/functions/{}" -o "$1/{}.o"
        touch "$1.done"
    fi
    link "$1" "$2" "$1"/*.o
}

row() { # row NAME FILE|- PROGRAM ARGUMENT...: LLVM_PROFILE_FILE is set
    "$turns" "$rounds" "$times" "$clang: $1" "$2" "$3.ours" "$3.theirs" "${@:4}"
}

calls() { # calls NAME PROGRAM: counts the system calls of a run
    local of out=()
    command -v strace >/dev/null || return 0
    for of in ours theirs; do
        out+=("$(strace -f "$2.$of" 2>&1 >/dev/null | grep -c '(')")
    done
    printf '%-44s | %s %s\n' "$clang: $1" "${out[@]}"
}

case_start() {
    local where place
    echo 'int main(void) { return 0; }' >"$dir/tiny.c"
    compile "$dir/tiny.$clang.o" "$dir/tiny.c" -fprofile-instr-generate
    link "$dir/tiny.$clang" -fprofile-instr-generate "$dir/tiny.$clang.o"
    times=40
    for place in "$tmpfs" "$dir"; do
        where=disk
        [ "$place" = "$dir" ] || where=tmpfs
        export LLVM_PROFILE_FILE=$place/start.profraw
        row "plain, no file, $where" "$LLVM_PROFILE_FILE" "$dir/tiny.$clang"
        row "plain, file is there, $where" - "$dir/tiny.$clang"
        calls "system calls of this" "$dir/tiny.$clang"
        rm -f "$place"/*.profraw
        LLVM_PROFILE_FILE=$place/%m.profraw
        "$dir/tiny.$clang.ours"
        local pool=("$place"/*.profraw)
        row "pool, no file, $where" "${pool[0]}" "$dir/tiny.$clang"
        row "pool, merged, $where" - "$dir/tiny.$clang"
        calls "system calls of this" "$dir/tiny.$clang"
        rm -f "$place"/*.profraw
    done
    export LLVM_PROFILE_FILE=start.profraw
    (cd "$tmpfs" && row "plain, relative, no file, tmpfs" start.profraw "$dir/tiny.$clang")
}

write_cases() { # write_cases WHAT PROGRAM
    local place where
    times=1
    for place in "$tmpfs" "$dir"; do
        where=disk
        [ "$place" = "$dir" ] || where=tmpfs
        rm -f "$place"/*.profraw
        export LLVM_PROFILE_FILE=$place/write.profraw
        row "$1, start and exit, $where" "$LLVM_PROFILE_FILE" "$2"
        row "$1, write, $where" "$LLVM_PROFILE_FILE" "$2" write
        rm -f "$place"/*.profraw
        LLVM_PROFILE_FILE=$place/%m.profraw
        "$2.ours"
        local pool=("$place"/*.profraw)
        row "$1, pool, $where" "${pool[0]}" "$2" write
        "$2.ours"
        row "$1, merged, $where" - "$2" write
        rm -f "$place"/*.profraw
    done
}

case_write() {
    compile_all "$dir/fe.$clang" -fprofile-instr-generate
    write_cases "100,000 functions" "$dir/fe.$clang"
    compile_all "$dir/ir.$clang" -fprofile-generate
    write_cases "100,000, with values" "$dir/ir.$clang"
}

values() { # values WHAT DIFFERENT TIMES THREADS
    local program=$dir/values.$clang
    LLVM_PROFILE_FILE=/dev/null row "$1: $2, threads: $4, ns" - "$program" "$1" "$2" "$3" "$4"
    sums "$program" "$@"
}

instructions() { # instructions PROGRAM WHAT DIFFERENT TIMES
    LLVM_PROFILE_FILE=/dev/null valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 1 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

sums() { # sums PROGRAM WHAT DIFFERENT TIMES THREADS: the sum of all values' counts, and the instructions per round
    local of counted=() executed=() show=--ic-targets
    [ "$2" = calls ] || show=--memop-sizes
    for of in ours theirs; do
        LLVM_PROFILE_FILE=$tmpfs/values.profraw "$1.$of" "$2" "$3" "$4" "$5" >/dev/null
        "llvm-profdata-${clang#*-}" merge -o "$tmpfs/values" "$tmpfs/values.profraw"
        counted+=("$("llvm-profdata-${clang#*-}" show --all-functions "$show" "$tmpfs/values" |
            awk '/\[.*%\)/ { sum += $(NF - 2) } END { print sum + 0 }')")
        rm "$tmpfs"/values*
        if [ "$5" = 1 ] && command -v valgrind >/dev/null; then
            local many few
            many=$(instructions "$1.$of" "$2" "$3" 30000) few=$(instructions "$1.$of" "$2" "$3" 10000)
            executed+=("$(((many - few) / 20000))")
        fi
    done
    printf '%-44s | %s %s of %s%s\n' "$clang:   counts" "${counted[@]}" "$(($4 * $5))" \
        "${executed[*]:+; instructions ${executed[*]}}"
}

case_values() {
    local different
    compile "$dir/values.$clang.o" bench/runtime_values.c -O2 -fprofile-generate
    link "$dir/values.$clang" -fprofile-generate "$dir/values.$clang.o"
    times=1
    for different in 1 3 24 40; do
        values calls "$different" 3000000 1
    done
    values sizes 1 3000000 1
    values sizes 40 3000000 1
    values calls 1 1000000 4
    values calls 3 1000000 4
    values sizes 40 1000000 4
}

case_fork() {
    times=1
    compile_all "$dir/fe.$clang" -fprofile-instr-generate
    LLVM_PROFILE_FILE=/dev/null row "fork, 100,000 functions" - "$dir/fe.$clang" fork 20
    compile_all "$dir/ir.$clang" -fprofile-generate
    LLVM_PROFILE_FILE=/dev/null row "fork, 100,000 functions, with values" - "$dir/ir.$clang" fork 20
}

[ $# -gt 0 ] || set -- start write values fork
printf '%-44s | %23s | %23s | %23s | %23s\n' "ours, compiler-rt, ours / compiler-rt" "wall us" "CPU us" "peak MB" \
    "measured by the program"
for name in "$@"; do
    for version in ${CLANGS:-22 16}; do
        clang=clang-$version
        command -v "$clang" >/dev/null || { echo "no $clang: left out" >&2; continue; }
        "case_$name"
    done
done
