#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every option of merge that changes the output, and that threads do not; against llvm-profdata-22 where it is there.
. "$(dirname "$0")/_lib.sh"

llvm="llvm-profdata-22"
compared=0
printf ':ir\nfoo\n10\n2\n100\n50\n1\n0\n2\n2\nbar:40\nqux:10\n0\n\nbar\n20\n1\n7\n\nzero\n30\n2\n0\n0\n\n' >ir.proftext
printf ':ir\nfoo\n10\n2\n1\n2\n1\n0\n2\n1\nbar:4\n0\n\n' >ir2.proftext
printf ':ir\n:temporal_prof_traces\n2\n9\n1\na,b,c\n3\nc,a\n' >traces.proftext
printf '%s\n1\n1\n1\n\n' a b c >>traces.proftext
profile fe.proftext foo 10 1 2

# like_llvm ARGUMENT...: merges with both; the results are equal. The target that llvm-profdata-22 writes is given.
like_llvm() {
    rm -f ours theirs
    ends 0 merge --for=indexed-13 -o ours "$@"
    command -v $llvm >/dev/null || return 0
    $llvm merge -j=1 -o theirs "$@" 2>/dev/null || bad "$llvm merge $*"
    same ours theirs
    compared=$((compared + 1))
}

like_llvm ir.proftext
like_llvm ir.proftext ir2.proftext
like_llvm ir2.proftext ir.proftext --binary
like_llvm fe.proftext --extbinary
like_llvm fe.proftext --instr --text --binary
like_llvm ir.proftext ir2.proftext --text
like_llvm --sparse ir.proftext
like_llvm --sparse --text ir.proftext
like_llvm --sparse=false ir.proftext
like_llvm --weighted-input=3,ir.proftext ir.proftext
like_llvm --weighted-input=3,ir.proftext --weighted-input=1000000000000,ir2.proftext --text
# Values that are new to a site are weighted too, in either order of the inputs; LLVM forgets it.
ends 0 merge --text --weighted-input=3,ir.proftext ir2.proftext
prints "bar:124"
prints "** External Symbol **:30"
like_llvm traces.proftext
like_llvm traces.proftext --text
like_llvm traces.proftext --temporal-profile-trace-reservoir-size=2
like_llvm traces.proftext --temporal-profile-max-trace-length=2
like_llvm traces.proftext --temporal-profile-max-trace-length=2 --text
like_llvm traces.proftext --temporal-profile-max-trace-length=1
like_llvm traces.proftext --temporal-profile-max-trace-length=0
like_llvm traces.proftext --temporal-profile-max-trace-length=0 --text
like_llvm -j 3 ir.proftext fe.proftext
like_llvm "$profiles"/clang-22-ir.profraw
like_llvm "$profiles"/clang-22-fe.profraw
like_llvm "$profiles"/clang-19-ir.profraw "$profiles"/clang-22-ir.profraw --text
like_llvm --keep-vtable-symbols "$profiles"/clang-22-ir.profraw
if [ -f "$corpus/raw/22_vt32.profraw" ]; then
    like_llvm "$corpus/raw/22_vt32.profraw"
    like_llvm --keep-vtable-symbols "$corpus/raw/22_vt32.profraw"
fi

# No traces at all: only ours is checked, LLVM keeps their number.
ends 0 merge --text traces.proftext --temporal-profile-trace-reservoir-size=0
if grep -q '^a,' "$out"; then bad "a trace was kept"; else good; fi

# What the output is for.
# version VERSION ARGUMENT...: the version that the merge writes.
version() {
    local want=$1
    shift
    ends 0 merge -o x "$@"
    is "version, merge $*" "$("$anyprof" show --profile-version x | sed -n 's/^Profile version: //p')" "$want"
}
for v in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    version $v --for=indexed-$v fe.proftext
done
version 2 --for=llvm-3.6 fe.proftext
version 4 --for=llvm-3.9 ir.proftext
version 7 --for=llvm-13 ir.proftext
version 9 --for=llvm-16 ir.proftext
version 9 --for llvm-16 ir.proftext
version 12 --for=llvm-19 ir.proftext
version 13 --for=llvm-22 ir.proftext
version 13 --for=llvm-16 --for=llvm-22 ir.proftext
version 11 --write-prev-version ir.proftext
version 11 --for=llvm-22 --write-prev-version ir.proftext
version 13 --write-prev-version --for=llvm-22 ir.proftext
version 13 --write-prev-version=false --for=llvm-22 ir.proftext
for target in 99 llvm indexed-0 indexed-99 llvm- clang-99 clang- gcc-16 ""; do
    ends 2 merge --for=$target ir.proftext -o never
    hints "unknown target"
    gone never
done
ends 0 merge --for=llvm-16 ir.proftext -o y
for target in 16 clang-16 16.0.6; do
    ends 0 merge --for=$target ir.proftext -o x
    same x y
done
ends 0 merge "$profiles/clang-22-ir.profraw" -o auto
ends 0 merge --for=auto "$profiles/clang-22-ir.profraw" -o x
same auto x
# The older compilers' own tools are the judges.
for release in 13 14 15 16 19 22; do
    for level in fe ir; do
        ends 0 merge --for=llvm-$release "$profiles/clang-22-$level.profraw" -o x
        command -v llvm-profdata-$release >/dev/null || continue
        if llvm-profdata-$release show x >/dev/null 2>"$err"; then good; else bad "LLVM $release does not read it"; fi
        compared=$((compared + 1))
    done
done
# So does the name of the program.
ln -s "$anyprof" llvm-profdata-16
./llvm-profdata-16 merge ir.proftext -o x
./llvm-profdata-16 merge --for=llvm-22 ir.proftext -o y
is "version by name" "$("$anyprof" show --profile-version x | tail -n 1)" "Profile version: 9"
is "version by name and option" "$("$anyprof" show --profile-version y | tail -n 1)" "Profile version: 13"
ln -s "$anyprof" llvm-profdata-99
./llvm-profdata-99 merge "$profiles/clang-16-ir.profraw" -o x 2>"$err" || bad "an unknown release in the name"
says "warning: llvm-profdata-99: this release is not known yet: writing what LLVM 23 reads"
ends 0 merge --for=llvm-23 "$profiles/clang-16-ir.profraw" -o y
same x y
./llvm-profdata-99 merge --quiet "$profiles/clang-16-ir.profraw" -o x 2>"$err" || bad "an unknown release in the name"
silent
./llvm-profdata-99 merge --for=llvm-13 "$profiles/clang-16-ir.profraw" -o x 2>"$err" || bad "a known release"
is "warnings" "$(grep -c '^warning: ' "$err")" 0
# named NAME TARGET: what it writes.
named() {
    ln -sf "$anyprof" "$1"
    ./"$1" merge "$profiles/clang-16-ir.profraw" -o x 2>"$err" || bad "$1"
    is "warnings" "$(grep -c '^warning: ' "$err")" 0
    ends 0 merge --for="$2" "$profiles/clang-16-ir.profraw" -o y
    same x y
}
named llvm-profdata auto
named llvm-profdata-13 llvm-13
named llvm-profdata-3.9 llvm-3.9
named llvm-profdata-3.9.1 llvm-3.9
named llvm-profdata-16.0.6 llvm-16
named llvm-profdata15 llvm-15
named llvm-profdata-16.exe llvm-16
named llvm-profdata.exe auto
named .llvm-profdata-14-wrapped llvm-14
named x86_64-pc-linux-gnu-llvm-profdata-16 llvm-16
named llvm-profdata-16a auto
named llvm-profdata-2 auto
named llvm-profdata-wrapper auto
named llvm-profdata-4294967319999999999999999999999999999 auto
# shown_by NAME RELEASE TEXT: its --version, with what build scripts look for in front.
shown_by() {
    is "release of $1" "$(./"$1" --version | sed -n 1p)" "LLVM version $2"
    is "version of $1" "$(./"$1" --version | sed -n 2p)" "  anyprof $("$anyprof" --version | sed -n "1s/anyprof //p")"
    is "target of $1" "$(./"$1" merge --version | sed -n 3p)" "  works as llvm-profdata of LLVM 22$3"
}
# Directories in the path say nothing: through PATH they would not be seen.
mkdir -p llvm-16/bin
named llvm-16/bin/llvm-profdata auto
# A name that merely ends so is ours.
named my_llvm-profdata-16 auto
named anyprof-16 auto
ln -s "$anyprof" llvm-profdata-22
shown_by llvm-profdata 22.1.0 "; merge writes what the compilers of the inputs read"
shown_by llvm-profdata-22 22.1.0 ""
shown_by llvm-profdata-16 16.0.0 "; merge writes what LLVM 16 reads"
shown_by llvm-profdata-3.9 3.9.0 "; merge writes what LLVM 3.9 reads"
shown_by llvm-profdata-99 23.1.0 "; merge writes what LLVM 23 reads"

# Threads and the order of inputs change nothing, under no target.
files=("$profiles"/clang-*-ir.profraw)
reversed=()
for file in "${files[@]}"; do
    reversed=("$file" "${reversed[@]}")
done
for format in --binary --text "--sparse --for=llvm-16"; do
    # shellcheck disable=SC2086
    ends 0 merge $format -j=1 "${files[@]}" -o x
    for threads in 0 2 3 8 100; do
        # shellcheck disable=SC2086
        ends 0 merge $format --num-threads=$threads "${reversed[@]}" -o y
        same x y
    done
done

# What is written can be read, and merged again without a change.
ends 0 merge x -o y --for=llvm-16
ends 0 merge y -o z --for=llvm-16
same y z
ends 0 merge --text x -o x.proftext
ends 0 merge --text x.proftext -o y.proftext
same x.proftext y.proftext
printf '%d results compared with LLVM tools\n' $compared
finish
