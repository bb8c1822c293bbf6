#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All global symbols of the static libraries begin with apf_ or anyprof_: cmake/symbol_prefix.cmake gives private ones
# their prefix. A program that has functions of its own with the names of all private functions and variables can be
# linked with all of both libraries, and they do not call its functions.
. "$(dirname "$0")/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build: sanitizers and coverage bring symbols of their own"
libraries=()
for lib in libanyprof-elf.a libanyprof.a; do
    [ -e "$build/$lib" ] || skip "no $lib in $build"
    libraries+=("$build/$lib")
    symbols=$(nm -A --defined-only "$build/$lib" 2>/dev/null |
        awk '$(NF - 1) ~ /^[A-Zuvw]$/ { split($1, at, ":"); print at[2] ": " $NF }')
    foreign=$(grep -vE ': (apf|anyprof)_' <<<"$symbols" || true)
    [ -z "$foreign" ] || fail "$lib: no prefix, since cmake/symbol_prefix.cmake did not find the declaration: $foreign"
done

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
names=$(find "$build/prefixed_headers" -name '*.h' -exec sed -nE 's/^#pragma redefine_extname ([^ ]+) .*/\1/p' {} +)
grep -qx arena_alloc <<<"$names" || fail "$build/prefixed_headers has no arena_alloc"
cat >"$tmp/program.c" <<'END'
#include <anyprof/anyprof.h>

int own_calls;

int main(int argc, char **argv)
{
    struct apf_merge *merge;
    struct apf_file_info info;
    if (argc != 3)
        return 2;
    struct apf_input input = apf_input_file(argv[1]), program = apf_input_file(argv[0]);
    struct apf_output output = apf_output_file(argv[2]);
    if (apf_merge_new(&merge, NULL, NULL) != APF_OK || apf_merge_add(merge, &input, 1, NULL) != APF_OK ||
        apf_merge_write(merge, NULL, &output, NULL) != APF_OK)
        return 3;
    apf_merge_free(merge);
    info.size = sizeof info;
    if (apf_file_detect(&program, NULL, &info, NULL) != APF_OK || info.kind != APF_KIND_ELF)
        return 4;
    return own_calls != 0;
}
END
{
    printf 'extern int own_calls;\n'
    for name in $names; do
        printf 'void %s(void) { own_calls++; }\n' "$name"
    done
} >"$tmp/own.c"
link() { # link SOURCE...: the program, with all of both libraries
    "${ANYPROF_CC:-cc}" -O1 -Wall -Wextra -Werror -fno-builtin -Iinclude "$@" -o "$tmp/program" \
        -Wl,--whole-archive "${libraries[@]}" -Wl,--no-whole-archive \
        -ldw -lelf -lyaml -lprotobuf-c -lz -ldeflate -lzstd -lmd -ldl -pthread
}
if ! link "$tmp/program.c" 2>"$tmp/log"; then
    ! grep -q 'not an object\|not recognized' "$tmp/log" || skip "the libraries are of link-time optimization"
    fail "a program without functions of its own does not link: $(cat "$tmp/log")"
elif link "$tmp/program.c" "$tmp/own.c"; then
    input=examples/profiles/clang-22-ir.profraw
    "$build/anyprof" merge -o "$tmp/expected" $input || fail "the command does not merge $input"
    "$tmp/program" $input "$tmp/merged" || fail "a program with functions of its own ends with exit code $?"
    cmp "$tmp/merged" "$tmp/expected" || fail "a program with functions of its own merges in another way"
else
    fail "a program with functions of its own does not link"
fi
finish
