#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Everything CI runs, on a fresh Debian 12 or on a machine that has it all. See usage below.
set -uo pipefail
cd "$(dirname "$0")" || exit 1

usage() {
    cat <<'END'
usage: ./test.sh [all] [SUITE...]      without a suite: deps sanitize release short cross fuzz tidy format
       ./test.sh full         all of deps sanitize release packages short cross tsan valgrind fuzz tidy format

Of these all are run without a suite; a share is a fifteenth, which the commit chooses. Where processes start slowly, as
in some virtual machines, there are two to four times as many shares and turns:

  deps      install what is missing (apt-get; as root or through sudo); oracles that cannot be had are noted
  sanitize  build with AddressSanitizer, UndefinedBehaviorSanitizer and libFuzzer, of clang 22 and 19 in turn, run all
            tests but long comparisons, rules and costs; full: with the other clang, too, unit tests and fuzz corpora
  release   build with gcc -O2, run the script tests (rules, cli, cost, runtime, oracle, python), not those of damage;
            oracle: a share of the cases of the long ones; a quarter of the longest tests, half of those that sanitize
            runs, too
  packages  build Debian's packages, the static tarballs and the recipes for CI, and try them; part of full runs only
  short     the part of tsan and valgrind that finds most: parallel merges, and the command's merge, show and errors
  cross     build the command for s390x, which is big-endian, without ELF, and run it with qemu: its results are those
            of the release build; full: all unit tests and fuzz corpora on aarch64 and s390x
  fuzz      run a share of the fuzz targets for FUZZ_SECONDS each (10; full: 60), in the build of sanitize; without
            clang: replay all corpora
  tidy      clang-tidy 22 on the files that changed in the two days before the last commit, or include such a file; a
            share of them if they are many
  format    clang-format 22

These only by their names:
  unit, cli, oracle, rules, cost, runtime, python   one kind of test, in the sanitizer build (the last four: release
            build)
  tsan      build with ThreadSanitizer, run the unit and command tests
  valgrind  the release build's unit tests under valgrind
  coverage  build with clang-22's coverage, run all tests; what they reach, by file, and in docs/reliability.md
  all       leave nothing out in the suites named beside it: all cases, all fuzz targets, tidy on all files

The last line says "N passed, N failed"; the exit code is 1 if anything failed.
JOBS=N sets the parallelism (default: number of processors, at least 2).
ANYPROF_SHARE=K/N runs share K of N (K from 0), ANYPROF_SEED=N makes the choices of tests that choose by chance,
ANYPROF_PACE=N, from 1 to 4, says how slow the machine is: a run prints all, so that its failures can be had again.
END
}

jobs=${JOBS:-$(nproc)}
[ "$jobs" -ge 2 ] || jobs=2
passed=0 failed=0 skipped=0
failures=()
top=build/test

say() {
    printf '\n== %s (%d s)\n' "$*" "$SECONDS"
}

pass() {
    passed=$((passed + 1))
}

lose() { # lose WHAT
    failed=$((failed + 1))
    failures+=("$1")
    printf 'FAILED: %s\n' "$1"
}

miss() { # miss WHAT: counted, and says why
    skipped=$((skipped + 1))
    printf 'skipped: %s\n' "$1"
}

# --- what the tests need ----------------------------------------------------------------------------------------

needed=(gcc g++ libc6-dev cmake ninja-build pkg-config python3 binutils
    zlib1g-dev libdeflate-dev libzstd-dev libmd-dev libxxhash-dev libelf-dev libdw-dev libcapstone-dev
    libjansson-dev libyaml-dev libprotobuf-c-dev protobuf-c-compiler libiberty-dev libcmocka-dev node-d3)
oracles=(valgrind clang-format-22 clang-tidy-22 lld-22
    clang-13 clang-14 clang-15 clang-16 clang-19 clang-22 llvm-13 llvm-14 llvm-15 llvm-16 llvm-19 llvm-22
    libclang-common-13-dev libclang-rt-14-dev libclang-common-15-dev
    libclang-rt-16-dev libclang-rt-19-dev libclang-rt-22-dev
    bolt-15 bolt-16 bolt-19 bolt-22
    gcc-11 g++-11 autofdo
    libc6-dev-i386 lib32stdc++-12-dev qemu-system-arm strace
    gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
    groff-base mandoc zsh fish parallel make libopenmpi-dev openmpi-bin systemd
    python3-dev python3-setuptools python3-wheel python3-pip python3-venv python3-numpy mypy
    python3-jsonschema python3-prometheus-client util-linux jq faketime libxml2-utils chromium abigail-tools
    libdevel-nytprof-perl sqlite3 protobuf-compiler golang-github-google-pprof-dev
    python3-sphinx python3-myst-parser furo)
oracles_of_full=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    dpkg-dev debhelper dh-python lintian debootstrap autopkgtest git curl)

absent() { # absent PACKAGE...: those that are not installed
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed$' || echo "$package"
    done
}

suite_deps() {
    local missing extra package root=()
    say "packages"
    if ! command -v apt-get >/dev/null; then
        printf 'note: no apt-get; using what is installed\n'
        return
    fi
    mapfile -t missing < <(absent "${needed[@]}")
    [[ $whole = 0 && " ${chosen[*]} " != *" packages "* ]] || oracles+=("${oracles_of_full[@]}")
    mapfile -t extra < <(absent "${oracles[@]}")
    if [ ${#missing[@]} -eq 0 ] && [ ${#extra[@]} -eq 0 ]; then
        printf 'all there\n'
        pass
        return
    fi
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            printf 'note: neither root nor sudo; missing: %s\n' "${missing[*]} ${extra[*]}"
            if [ ${#missing[@]} -eq 0 ]; then
                pass
            else
                lose "packages: ${missing[*]}"
            fi
            return
        fi
        root=(sudo)
    fi
    local get=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0)
    local install=("${get[@]}" install -y --no-install-recommends)
    "${get[@]}" update >/dev/null || printf 'note: apt-get update failed\n'
    if [ ${#missing[@]} -gt 0 ]; then
        "${install[@]}" "${missing[@]}" >/dev/null || {
            lose "packages: ${missing[*]}"
            return
        }
    fi
    # All at once is quicker; one by one shows which of them this machine's sources do not have.
    if [ ${#extra[@]} -gt 0 ] && ! "${install[@]}" "${extra[@]}" >/dev/null 2>&1; then
        for package in "${extra[@]}"; do
            "${install[@]}" "$package" >/dev/null 2>&1 ||
                printf 'note: %s cannot be installed; tests that need it are skipped\n' "$package"
        done
    fi
    pass
}

# --- builds and ctest -------------------------------------------------------------------------------------------

declare -A built=()

build() { # build NAME CMAKE-OPTION... [-- TARGET...]: into $top/NAME; every warning is an error
    local name=$1 options=() targets=() key
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -lt 2 ] || targets=(--target "${@:2}")
    key="$name ${targets[*]}"
    [ -z "${built[$key]:-}" ] || return "$((built[$key] - 1))"
    say "build $name"
    options=(-DANYPROF_WERROR=ON -DANYPROF_TESTS=ON "${options[@]}")
    # With large pages, compilers have a quarter of the page faults, which can be a fifth of their time.
    if cmake -S . -B "$top/$name" -G Ninja "${options[@]}" >"$top/$name.log" 2>&1 &&
        GLIBC_TUNABLES=glibc.malloc.hugetlb=1 \
            cmake --build "$top/$name" -j "$jobs" "${targets[@]}" >>"$top/$name.log" 2>&1; then
        grep '^-- anyprof:' "$top/$name.log"
        built[$key]=1
        pass
        return 0
    fi
    grep -E -A 12 'error|FAILED|Error' "$top/$name.log" | head -n 60
    ! grep -q 'Could NOT find' "$top/$name.log" || printf 'note: ./test.sh deps installs what is missing\n'
    built[$key]=2
    lose "build $name ($top/$name.log)"
    return 1
}

# With clang, what sanitize and fuzz run is one build: the fuzz targets are libFuzzer's, and the tests run code that
# counts its edges, too.
build_sanitize() { # build_sanitize [COMPILER]
    local options=(-DCMAKE_C_COMPILER="${1:-$sanitizing}")
    [ "${1:-$sanitizing}" = gcc ] || options+=(-DANYPROF_FUZZ=ON)
    [ "${1:-$sanitizing}" = gcc ] || ! command -v ld.lld-22 >/dev/null || # which takes half of the time
        options+=(-DCMAKE_EXE_LINKER_FLAGS=--ld-path="$(command -v ld.lld-22)")
    build "asan-ubsan-${1:-$sanitizing}" "${options[@]}" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DANYPROF_SANITIZE=address,undefined -DANYPROF_PYTHON="$(have_python_headers)"
}

# Sets the compilers whose sanitizers are used: $sanitizing this time, $others in full runs, too. They find different
# things: clang 19 an offset of 0 added to a null pointer, which 22 permits. Each share of the fuzz targets gets both.
choose_sanitizers() {
    local found=() compiler
    for compiler in clang-22 clang-19; do
        ! command -v $compiler >/dev/null || found+=("$compiler")
    done
    [ ${#found[@]} -gt 0 ] || found=(gcc)
    sanitizing=${found[$((ANYPROF_SEED / shares % ${#found[@]}))]} others=()
    for compiler in "${found[@]}"; do
        [ "$compiler" = "$sanitizing" ] || others+=("$compiler")
    done
}

have_python_headers() { # ON, or OFF where CPython 3.11 or later with its headers is missing
    local found=OFF
    if python3 -c 'import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 11) or not os.path.exists(header))'; then
        found=ON
    else
        printf 'note: no python3-dev, tests/python is left out\n' >&2
    fi
    echo $found
}

build_release() {
    local mpi=OFF
    ! command -v mpicc >/dev/null || mpi=ON
    build release -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DANYPROF_MPI=$mpi \
        -DANYPROF_PYTHON="$(have_python_headers)"
}

number() { # number ATTRIBUTE FILE: of the test suite in ctest's report
    sed -nE "s/.*[[:space:]]$1=\"([0-9]+)\".*/\\1/p" "$2" | head -n 1
}

run_ctest() { # run_ctest BUILD CTEST-OPTION...
    local name=$1 report=$PWD/$top/$1-tests.xml all bad left
    shift
    say "tests of $name $*"
    rm -f "$report"
    ctest --test-dir "$top/$name" -j "$jobs" --output-on-failure --output-junit "$report" "$@"
    if [ ! -s "$report" ]; then
        lose "ctest in $name"
        return
    fi
    all=$(number tests "$report") bad=$(number failures "$report")
    left=$(($(number skipped "$report") + $(number disabled "$report")))
    passed=$((passed + all - bad - left))
    failed=$((failed + bad))
    skipped=$((skipped + left))
    [ "$bad" = 0 ] || failures+=("$bad tests of $name $*")
    grep -h '^skipped: ' "$top/$name/Testing/Temporary/LastTest.log" | sort | uniq -c
    return 0
}

# Long comparisons with other tools, whose inputs are valid, and what kills the command: they run in the release build,
# which is five times as fast.
comparisons='^(cli\.(bat_many_sections|bolt_perf|delete_inputs_killed)'
comparisons+='|oracle\.(bat_tables|bolt_.*|convert|correlate|corpus_(llvm_tests|mix)|debug_files|determinism'
comparisons+='|cov(_(releases|schemas))?|exports|fdata_merge|format_docs|generated_.*|indexed_versions'
comparisons+='|json_(numbers|schemas.*)|report_programs|site'
comparisons+='|memprof|native_releases|parity_.*|partial'
comparisons+='|perf_(data|made)|pgo_use|probe_programs|probes_asm|probes_disasm|profgen.*|sample_.*|supplement'
comparisons+='|yaml_merge))$'
# What reads damaged or random bytes runs with sanitizers. cli.faults runs in both builds: sanitizers replace malloc, so
# that only the release build lets allocations fail.
damage='^oracle\.(hostile|probes_disasm_damage|sweep)$'

# Long tests take turns: each runs for every fourth commit. The longest are first, so that turns are equally long.
in_turn=(cli.delete_inputs_killed cli.mpi oracle.partial oracle.report_programs
    cli.faults oracle.profgen_contexts oracle.site oracle.json_schemas_views
    oracle.cov_releases rules.abi oracle.native_releases cli.collect
    oracle.cov_schemas runtime.cost runtime.api oracle.profgen_several
    cli.mpi_kills oracle.json_schemas_programs runtime.parity_images runtime.bare_metal
    cli.bat_many_sections rules.without_elf runtime.kills runtime.continuous
    oracle.bolt_round_trip runtime.parity cost.profgen_growth cost.memory
    runtime.pool runtime.foreign python.install oracle.json_schemas
    oracle.mpi oracle.exports runtime.disk runtime.layouts
    runtime.around)

turn_of_others() { # turn_of_others TURNS TEST...: a pattern, |^a$|^b$, for those of the tests that other commits run
    local turns=$1 i=0 test
    shift
    [ "$whole" = 0 ] || return
    for test in "$@"; do
        [ $((i++ % turns)) = $((ANYPROF_SEED % turns)) ] || printf '|^%s$' "${test//./\\.}"
    done
}

tests_of() { # tests_of BUILD CTEST-OPTION...: the names of tests, if there is the build
    [ ! -e "$top/$1/CTestTestfile.cmake" ] ||
        ctest --test-dir "$top/$1" -N "${@:2}" | sed -nE 's/^ *Test +#[0-9]+: //p'
}

not_in_turn() { # those of the names on standard input that do not take turns as the longest ones
    grep -vxF "$(printf '%s\n' "${in_turn[@]}")"
}

# The script tests of suite_sanitize.
sanitized() {
    tests_of "asan-ubsan-$sanitizing" -L '^(cli|oracle)$' -E "$comparisons"
}

suite_sanitize() {
    local scripts left_out leaks=0
    build_sanitize || return
    mapfile -t scripts < <(sanitized)
    left_out=$(turn_of_others "$pace" "${scripts[@]}")
    # Leaks of the command; those of unit tests and fuzz targets are looked for in every run.
    [ "$whole" = 0 ] && [ $((ANYPROF_SEED / pace % 4)) != 0 ] || leaks=1
    # The runtime is linked with other compilers' programs: it has no sanitizers in it in any build. Rules are about
    # the tree.
    ASAN_OPTIONS=detect_leaks=$leaks \
        run_ctest "asan-ubsan-$sanitizing" -E "$comparisons$left_out" -LE '^(cost|rules|runtime|packages)$'
    [ "$whole" = 1 ] || return
    local compiler
    for compiler in "${others[@]}"; do
        build_sanitize "$compiler" && run_ctest "asan-ubsan-$compiler" -L '^(unit|fuzz)$'
    done
}

suite_release() {
    local others left_out
    build_release || return
    # Those that suite_sanitize runs, too, run with gcc's code for every second commit.
    left_out=$(turn_of_others $((4 * pace)) "${in_turn[@]}")
    mapfile -t others < <(sanitized | not_in_turn)
    left_out+=$(turn_of_others $((2 * pace)) "${others[@]}")
    mapfile -t others < <(tests_of release -R "$comparisons" | not_in_turn)
    left_out+=$(turn_of_others "$pace" "${others[@]}")
    # valgrind needs minutes for the Python tests, which the sanitizers run in every run.
    [ "$whole" = 1 ] || left_out+='|^python\.memory$'
    run_ctest release -E "$damage$left_out" -LE '^(unit|fuzz|packages)$'
}

suite_label() {
    if [[ $1 = rules || $1 = cost || $1 = runtime || $1 = python || $1 = packages ]]; then
        build_release && run_ctest release -L "^$1\$"
    else
        build_sanitize && run_ctest "asan-ubsan-$sanitizing" -L "^$1\$"
    fi
}

take_share() { # the lines of standard input that are of the share
    local share=${ANYPROF_SHARE:-0/1}
    awk -v share="${share%/*}" -v shares="${share#*/}" '(NR - 1) % shares == share % shares'
}

# A short run of each fuzz target of the share from its corpus on; without libFuzzer all corpora are replayed.
suite_fuzz() {
    local result target seconds=${FUZZ_SECONDS:-10}
    [ "$sanitizing" != gcc ] || {
        suite_label fuzz
        return
    }
    build_sanitize || return
    [ "$whole" = 0 ] || seconds=${FUZZ_SECONDS:-60}
    say "fuzz targets, share ${ANYPROF_SHARE:-0/1}, $seconds s each"
    rm -rf "$top/fuzz-work"
    mkdir -p "$top/fuzz-work"
    # shellcheck disable=SC2016  # expanded by the inner shell
    find fuzz -name 'fuzz_*.c' -printf '%f\n' | sed 's/^fuzz_//; s/\.c$//' | sort | take_share |
        xargs -P "$jobs" -I TARGET bash -c 'work=$1/fuzz-work/$2
            mkdir -p "$work"
            if fuzz/target.sh "$4/fuzz" "$2" -seed="$ANYPROF_SEED" -max_total_time="$3" \
                -artifact_prefix="$work-" "$work" >"$work.log" 2>&1; then
            echo "pass $2"; else echo "fail $2"; fi' _ "$top" TARGET "$seconds" "$top/asan-ubsan-$sanitizing" \
        >"$top/fuzz-work/results"
    while read -r result target; do
        printf '%s: %s\n' "$target" "$(grep '^Done ' "$top/fuzz-work/$target.log")"
        if [ "$result" = pass ]; then
            pass
        else
            tail -n 40 "$top/fuzz-work/$target.log"
            lose "fuzz target $target ($top/fuzz-work/$target-*)"
        fi
    done <"$top/fuzz-work/results"
}

tsan_options=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DANYPROF_SANITIZE=thread)
if command -v clang-22 >/dev/null; then
    tsan_options+=(-DCMAKE_C_COMPILER=clang-22)
else
    tsan_options+=(-DCMAKE_C_COMPILER=gcc)
fi

suite_tsan() {
    build tsan "${tsan_options[@]}" && run_ctest tsan -L '^(unit|cli)$' -E "$comparisons"
}

# Unit tests of what several threads share; the other tests have one thread at a time.
parallel=("test_pool pool" "unit_instr_merge merge_threads")

attempt() { # attempt CODE WHAT COMMAND...: passes if it ends with the code
    local want=$1 what=$2 code
    shift 2
    mkdir -p "$top/short"
    "$@" >"$top/short/out" 2>"$top/short/err"
    code=$?
    if [ "$code" = "$want" ]; then
        printf 'passed: %s\n' "$what"
        pass
    else
        tail -n 40 "$top/short/err"
        lose "$what: exit code $code"
    fi
}

suite_short() {
    local test valgrind=(valgrind -q --error-exitcode=9 --leak-check=full) anyprof=$top/release/anyprof
    local profiles=(examples/profiles/*.profraw) samples=(examples/profiles/server-*.prof)
    rm -rf "$top/short"
    mkdir -p "$top/short"
    if build tsan "${tsan_options[@]}" -- anyprof "${parallel[@]%% *}"; then
        say "threads, with ThreadSanitizer"
        for test in "${parallel[@]}"; do
            attempt 0 "tsan $test" "$top/tsan/tests/unit/${test% *}" "${test#* }"
        done
        attempt 0 "tsan merge -j 3" "$top/tsan/anyprof" merge -j 3 -o "$top/short/three" "${profiles[@]}"
        attempt 0 "tsan merge -j 3 of samples" "$top/tsan/anyprof" merge -j 3 -o "$top/short/samples3" \
            "${samples[@]}" "${samples[@]}"
    fi
    build_release || return
    say "the command, with valgrind"
    command -v valgrind >/dev/null || {
        miss "no valgrind"
        return
    }
    attempt 0 "valgrind merge" "${valgrind[@]}" "$anyprof" merge -j 2 -o "$top/short/two" "${profiles[@]}"
    attempt 0 "valgrind merge --text" "${valgrind[@]}" "$anyprof" merge --text -o "$top/short/text" "$top/short/two"
    attempt 0 "the same result" cmp "$top/short/two" "$top/short/three"
    attempt 0 "valgrind merge of samples" "${valgrind[@]}" "$anyprof" merge -j 2 -o "$top/short/samples2" \
        "${samples[@]}" "${samples[@]}"
    attempt 0 "the same samples" cmp "$top/short/samples2" "$top/short/samples3"
    attempt 0 "valgrind merge --text of samples" "${valgrind[@]}" "$anyprof" merge --text -o "$top/short/text2" \
        "$top/short/samples2" "${samples[@]}"
    attempt 0 "valgrind show of samples" "${valgrind[@]}" "$anyprof" show "$top/short/samples2"
    attempt 0 "valgrind lookup of samples" "${valgrind[@]}" "$anyprof" lookup "$top/short/samples2" main
    attempt 0 "valgrind show" "${valgrind[@]}" "$anyprof" show --all-functions --counts --ic-targets "$top/short/text"
    head -c 1000 "$top/short/two" >"$top/short/cut"
    attempt 1 "valgrind merge of a bad file" "${valgrind[@]}" "$anyprof" merge -o "$top/short/none" "$top/short/cut" \
        --report="$top/short/report" "${profiles[@]}"
    attempt 1 "valgrind show of a bad file" "${valgrind[@]}" "$anyprof" show "$top/short/cut"
    attempt 2 "valgrind wrong usage" "${valgrind[@]}" "$anyprof" merge --nothing
}

# build_cross NAME ARCHITECTURE DEBIAN-NAME CMAKE-OPTION... [-- TARGET...]
build_cross() {
    local name=$1 arch=$2 debian=$3 root=$PWD/$top/cross/$3
    shift 3
    if ! command -v "$arch-linux-gnu-gcc" >/dev/null || ! command -v "qemu-$arch" >/dev/null; then
        miss "no compiler for $arch, or no qemu-$arch"
        return 1
    fi
    mkdir -p "$top/cross"
    tests/cross/libraries.sh "$debian" "$root" >"$top/cross/$debian.log" 2>&1 || {
        miss "no libraries for $arch ($top/cross/$debian.log)"
        return 1
    }
    build "$name" --toolchain "$PWD/tests/cross/toolchain.cmake" \
        -DANYPROF_CROSS="$arch" -DANYPROF_CROSS_ROOT="$root" "$@"
}

suite_cross() {
    local pair
    if [ "$whole" = 1 ]; then
        for pair in aarch64:arm64 s390x:s390x; do
            build_cross "cross-${pair%:*}" "${pair%:*}" "${pair#*:}" -DCMAKE_BUILD_TYPE=Release &&
                run_ctest "cross-${pair%:*}" -L '^(unit|fuzz)$'
        done
        return
    fi
    build_release || return
    build_cross cross-command s390x s390x -DCMAKE_BUILD_TYPE=Debug -DANYPROF_ELF=OFF -DANYPROF_TESTS=OFF -- anyprof ||
        return
    say "the command on s390x"
    attempt 0 "results of s390x" tests/cross/compare.sh "$top/release/anyprof" "$top/cross/s390x" \
        "$top/cross-command/anyprof"
}

suite_valgrind() {
    local test result
    build_release || return
    say "unit tests under valgrind"
    command -v valgrind >/dev/null || {
        miss "no valgrind"
        return
    }
    rm -rf "$top/valgrind"
    mkdir -p "$top/valgrind"
    # shellcheck disable=SC2016  # expanded by the inner shell
    find "$top/release/tests/unit" -maxdepth 1 -executable -type f | sort |
        xargs -P "$jobs" -I TEST bash -c 'name=$(basename "$2")
            if valgrind -q --error-exitcode=9 --leak-check=full "$2" >"$1/valgrind/$name.log" 2>&1; then
            echo "pass $name"; else echo "fail $name"; fi' _ "$top" TEST >"$top/valgrind/results"
    while read -r result test; do
        if [ "$result" = pass ]; then
            pass
        else
            tail -n 40 "$top/valgrind/$test.log"
            lose "valgrind $test"
        fi
    done <"$top/valgrind/results"
}

# Counts what the tests reach, merges the counts with the command that is being tested, compares that with what
# llvm-profdata makes of them, and shows them.
# Where functions of one name have hashes that collide in its table (`main` of a hundred tests), llvm-profdata's bytes
# depend on the order of its inputs: then the records have to be the same.
same_records() {
    find "$1/profiles" -name '*.profraw' -print0 | sort -rz |
        xargs -0 llvm-profdata-22 merge -j=1 -o "$1/reversed.profdata"
    ! cmp -s "$1/reversed.profdata" "$1/llvm.profdata" &&
        cmp <(llvm-profdata-22 merge --text -o - "$1/tests.profdata") \
            <(llvm-profdata-22 merge --text -o - "$1/llvm.profdata")
}

suite_coverage() {
    local dir=$PWD/$top/coverage objects
    command -v clang-22 >/dev/null && command -v llvm-cov-22 >/dev/null || {
        miss "no clang-22 or no llvm-cov-22"
        return
    }
    build coverage -DCMAKE_C_COMPILER=clang-22 -DCMAKE_BUILD_TYPE=RelWithDebInfo -DANYPROF_COVERAGE=ON || return
    rm -rf "$dir/profiles"
    LLVM_PROFILE_FILE="$dir/profiles/%8m.profraw" run_ctest coverage -L '^(unit|cli|oracle|fuzz)$'
    say "coverage"
    export LLVM_PROFILE_FILE=/dev/null # of the command, from here on
    "$dir/anyprof" merge --for=llvm-22 -o "$dir/tests.profdata" "$dir/profiles" || {
        lose "merging the profiles of the tests"
        return
    }
    if llvm-profdata-22 merge -j=1 -o "$dir/llvm.profdata" "$dir"/profiles/*.profraw &&
        { cmp "$dir/tests.profdata" "$dir/llvm.profdata" || same_records "$dir"; }; then
        pass
    else
        lose "llvm-profdata-22 merges the profiles of the tests in another way"
    fi
    mapfile -t objects < <(find "$dir/tests" "$dir/tests/unit" "$dir/fuzz" -maxdepth 1 -type f -executable \
        -printf '-object=%p\n')
    llvm-cov-22 export -summary-only -instr-profile="$dir/tests.profdata" "$dir/anyprof" "${objects[@]}" \
        >"$dir/summary.json" 2>"$dir/llvm-cov.log" &&
        tests/helpers/coverage_table.py "$dir/summary.json" docs/reliability.md
    if [ $? = 0 ]; then
        pass
    else
        lose "coverage ($dir/llvm-cov.log)"
    fi
    printf 'lines: llvm-cov-22 show -instr-profile=%s %s %s\n' "$dir/tests.profdata" "$dir/anyprof" "${objects[0]} ..."
    unset LLVM_PROFILE_FILE
}

# --- clang-tidy and clang-format --------------------------------------------------------------------------------

# The files that differ from the last commit that is two days older than HEAD. False: all files are to be checked,
# since git does not know that commit, or what every file's findings depend on has changed.
changed_files() {
    local age base
    age=$(in_git log -1 --format=%ct) && base=$(in_git rev-list -1 --before=$((age - 172800)) HEAD) && [ -n "$base" ] &&
        { in_git diff --name-only "$base" && in_git ls-files --others --exclude-standard; } >"$top/tidy/changed" &&
        ! grep -qxE '\.clang-tidy|((runtime|fuzz)/)?CMakeLists\.txt' "$top/tidy/changed"
}

# The sources that clang-tidy checks: the product, fuzz targets and examples, as far as they are compiled; and only
# those that changed, or whose object was compiled from a file that changed.
tidy_files() {
    find src cli mpi python runtime fuzz examples -name '*.c' -not -path 'examples/profiles/*' 2>/dev/null | sort |
        while read -r file; do
            ! grep -qF "\"$PWD/$file\"" "$top/release/compile_commands.json" || echo "$file"
        done >"$top/tidy/files"
    if [ "$whole" = 1 ] || ! changed_files; then
        cat "$top/tidy/files"
        return
    fi
    # An object's first dependency is its source. Paths are absolute, or relative to the build directory.
    ninja -C "$top/release" -t deps | sed -E "s,^( +)(\\.\\./\\.\\./\\.\\./|$PWD/),\\1," | awk '
        NR == FNR { changed[$0] = 1; next }
        /^[^ ]/ { source = ""; next }
        source == "" { source = $1 }
        $1 in changed { print source }
        ' "$top/tidy/changed" - | sort -u | comm -12 - "$top/tidy/files"
}

many_files=30 # which clang-tidy checks in a minute; all that a week of changes reaches would take ten

suite_tidy() {
    local file result
    build_release || return
    say "clang-tidy"
    command -v clang-tidy-22 >/dev/null || {
        miss "no clang-tidy-22"
        return
    }
    rm -rf "$top/tidy"
    mkdir -p "$top/tidy"
    tidy_files >"$top/tidy/chosen"
    if [ "$whole" = 0 ] && [ "$(wc -l <"$top/tidy/chosen")" -gt $many_files ]; then
        take_share <"$top/tidy/chosen" >"$top/tidy/share"
        mv "$top/tidy/share" "$top/tidy/chosen"
    fi
    printf '%d of %d files\n' "$(wc -l <"$top/tidy/chosen")" "$(wc -l <"$top/tidy/files")"
    # One line per file, then the findings.
    # shellcheck disable=SC2016  # expanded by the inner shell
    xargs -r -P "$jobs" -I FILE bash -c 'log=$1/tidy/$(echo "$2" | tr / -)
            if clang-tidy-22 --quiet -p "$1/release" "$2" >"$log.log" 2>/dev/null; then echo "pass $2"; else
            echo "fail $2 $log.log"; fi' _ "$top" FILE <"$top/tidy/chosen" >"$top/tidy/results"
    while read -r result file log; do
        if [ "$result" = pass ]; then
            pass
        else
            cat "$log"
            lose "clang-tidy $file"
        fi
    done <"$top/tidy/results"
}

suite_format() {
    say "clang-format"
    tests/rules/format.sh
    case $? in
    0) pass ;;
    77) miss "no clang-format-22" ;;
    *) lose "clang-format" ;;
    esac
}

# --- shares -------------------------------------------------------------------------------------------------------

# Prints how slow this machine is, from 1 to 4: the best of five times in which the shell starts 40 processes, in units
# of 50 ms.
measure_pace() {
    local start time best=$((4 * 50000))
    for _ in 1 2 3 4 5; do
        start=${EPOCHREALTIME/[.,]/}
        for _ in {1..40}; do
            /bin/true
        done
        time=$((${EPOCHREALTIME/[.,]/} - start))
        [ $time -ge $best ] || best=$time
    done
    echo $((best < 50000 ? 1 : (best + 25000) / 50000))
}

in_git() { # this directory may belong to another user
    git -c safe.directory="$PWD" "$@" 2>/dev/null
}

# Successive commits have successive shares and seeds; where git does not know how many there are, a hash decides.
choose_share() {
    local number
    if [ "$(in_git rev-parse --is-shallow-repository)" = false ]; then
        number=$(in_git rev-list --count HEAD)
    else
        number=$( (in_git rev-parse HEAD || cat src/*/*.c) | cksum | cut -d ' ' -f 1)
    fi
    pace=${ANYPROF_PACE:-$(measure_pace)}
    shares=$((16 * pace - 1)) # without a common factor with any turns, so that tests that take turns get every share
    export ANYPROF_SEED=${ANYPROF_SEED:-$number} ANYPROF_SHARE=${ANYPROF_SHARE:-$((number % shares))/$shares}
    [ "$whole" = 0 ] || ANYPROF_SHARE=0/1
    printf 'share: ANYPROF_SHARE=%s ANYPROF_SEED=%s ANYPROF_PACE=%s\n' "$ANYPROF_SHARE" "$ANYPROF_SEED" "$pace"
}

# --- main -------------------------------------------------------------------------------------------------------

whole=0 chosen=()
for suite in "$@"; do
    case $suite in
    deps | sanitize | release | short | cross | tidy | format | unit | cli | oracle | rules | cost | runtime | fuzz) ;;
    python | packages) ;;
    tsan | valgrind | coverage) ;;
    all)
        whole=1
        continue
        ;;
    full)
        whole=1
        chosen+=(deps sanitize release packages short cross tsan valgrind fuzz tidy format)
        continue
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    chosen+=("$suite")
done
[ ${#chosen[@]} -gt 0 ] || chosen=(deps sanitize release short cross fuzz tidy format)
# Version managers put a script in the interpreter's place, which takes longer to start than most tests to run.
if [ "$(head -c 2 "$(command -v python3)" 2>/dev/null)" = '#!' ]; then
    PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH
fi
mkdir -p "$top"
choose_share
for suite in "${chosen[@]}"; do
    choose_sanitizers # deps may have installed them
    case $suite in
    unit | cli | oracle | rules | cost | runtime | python | packages) suite_label "$suite" ;;
    *) "suite_$suite" ;;
    esac
done

say "done"
for failure in "${failures[@]}"; do
    printf 'FAILED: %s\n' "$failure"
done
[ "$skipped" = 0 ] || printf '%d skipped\n' "$skipped"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
