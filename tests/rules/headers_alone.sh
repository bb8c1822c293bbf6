#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each public header compiles alone and included twice (what is right twice is right once) as C11, C++11 and C++17,
# with gcc and clang, without a warning, and its functions are C's in C++ too. Each private one compiles alone as C11.
. "$(dirname "$0")/_lib.sh"

warn=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only)
compilers=()
for cc in "${ANYPROF_CC:-cc}" gcc clang-22; do
    if command -v "$cc" >/dev/null; then compilers+=("$cc"); else printf 'note: no %s\n' "$cc"; fi
done
[ ${#compilers[@]} -gt 0 ] || skip "no compiler"

# A C compiler without its C++ half (cc1plus) says so for an empty file, too.
declare -A has_cpp=()
for cc in "${compilers[@]}"; do
    if "$cc" -x c++ -fsyntax-only /dev/null 2>/dev/null; then
        has_cpp[$cc]=1
    else
        printf 'note: %s has no C++\n' "$cc"
    fi
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

make_users() { # make_users DIRECTORY: for each header below it a file that includes it twice
    local header
    mkdir "$tmp/$1"
    for header in $(tree "$1" -- -name '*.h'); do
        header=${header#"$1/"}
        printf '#include <%s>\n#include <%s>\nextern int nothing_else;\n' "$header" "$header" \
            >"$tmp/$1/${header//\//-}.c"
    done
}

# One driver for all of them, which names those with errors: processes start slowly on some machines.
try() { # try COMPILER LANGUAGE STANDARD DIRECTORY FLAG...
    [ "$2" = c ] || [ -n "${has_cpp[$1]:-}" ] || return 0
    "$1" -x "$2" -std="$3" "${warn[@]}" "${@:5}" "$tmp/$4"/*.c || fail "$1 -std=$3: headers of $4 do not stand alone"
}

make_users include
make_users src
make_users runtime
declare -A seen=()
for cc in "${compilers[@]}"; do
    real=$(readlink -f "$(command -v "$cc")")
    [ -z "${seen[$real]:-}" ] || continue
    seen[$real]=1
    try "$cc" c c11 include -Iinclude
    try "$cc" c++ c++11 include -Iinclude
    try "$cc" c++ c++17 include -Iinclude
done
for header in $(tree include -- -name '*.h'); do
    ! grep -q '^APF_API' "$header" || grep -q '^extern "C"' "$header" || fail "$header: no extern \"C\""
done
try "${compilers[0]}" c c11 src -Iinclude -Isrc -Wno-unused-function -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 \
    -D_FILE_OFFSET_BITS=64
try "${compilers[0]}" c c11 runtime -Iinclude -Isrc -Iruntime -Wno-unused-function -D_GNU_SOURCE
finish
