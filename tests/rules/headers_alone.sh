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

try() { # try COMPILER LANGUAGE STANDARD HEADER FLAG...
    local cc=$1 language=$2 std=$3 header=$4
    shift 4
    # A C compiler without its C++ half (cc1plus) says so for an empty file too.
    if [ "$language" = c++ ] && ! "$cc" -x c++ -fsyntax-only /dev/null 2>/dev/null; then
        printf 'note: %s has no C++\n' "$cc"
        return
    fi
    printf '#include <%s>\n#include <%s>\nextern int nothing_else;\n' "$header" "$header" |
        "$cc" -x "$language" -std="$std" "${warn[@]}" "$@" - || fail "$cc -std=$std: <$header> does not stand alone"
}

declare -A seen=()
for cc in "${compilers[@]}"; do
    real=$(readlink -f "$(command -v "$cc")")
    [ -z "${seen[$real]:-}" ] || continue
    seen[$real]=1
    for header in $(tree include -- -name '*.h'); do
        try "$cc" c c11 "${header#include/}" -Iinclude
        try "$cc" c++ c++11 "${header#include/}" -Iinclude
        try "$cc" c++ c++17 "${header#include/}" -Iinclude
    done
done
for header in $(tree include -- -name '*.h'); do
    ! grep -q '^APF_API' "$header" || grep -q '^extern "C"' "$header" || fail "$header: no extern \"C\""
done
for header in $(tree src -- -name '*.h'); do
    try "${compilers[0]}" c c11 "${header#src/}" -Iinclude -Isrc -Wno-unused-function \
        -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_FILE_OFFSET_BITS=64
done
for header in $(tree runtime -- -name '*.h'); do
    try "${compilers[0]}" c c11 "${header#runtime/}" -Iinclude -Isrc -Iruntime -Wno-unused-function -D_GNU_SOURCE
done
finish
