#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The man pages of the headers: each function that the libraries export has one, with the library that exports it. Their
# prototypes are those of the headers, says a compiler. Each function has a comment. groff and mandoc find nothing
# wrong.
. "$(dirname "$0")/_lib.sh"
command -v python3 >/dev/null || skip "no python3"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

python3 docs/api_pages.py check || fail "functions without a comment"
python3 docs/api_pages.py man "$tmp/man3" || fail "docs/api_pages.py man"
cd "$tmp/man3"
mapfile -t aliases < <(grep -l '^\.so ' ./*.3)
mapfile -t pages < <(grep -L '^\.so ' ./*.3)
for page in "${aliases[@]}"; do
    [ -e "$(sed 's|^\.so man3/||' "$page")" ] || fail "$page leads to a page that does not exist"
done

# The code of their synopses, without the escapes of man pages: from the first .nf to the .PP after it.
printf '%s\n' "${pages[@]}" | grep '^\./apf_' | xargs awk '
    FNR == 1 { part = 0 }
    part == 0 && $0 == ".nf" { part = 1; next }
    part == 1 && $0 == ".PP" { part = 2 }
    part == 1' | sed -e 's/\\&//; s/\\-/-/g; s/\\e/\\/g' >"$tmp/prototypes"
n=$(grep -c ');$' "$tmp/prototypes" || true)
[ "$n" -gt 250 ] || fail "only $n prototypes were found"
printf '#include <anyprof/rt.h>\n#include <anyprof/anyprof.h>\n' | cat - "$tmp/prototypes" >"$tmp/all.c"
cc=${ANYPROF_CC:-cc}
compiles() {
    "$cc" -std=c11 -Wall -Werror -fsyntax-only -I"$root/include" "$1" >"$tmp/log" 2>&1
}
compiles "$tmp/all.c" || fail "prototypes of pages are not those of the headers: $(head -n 5 "$tmp/log")"
sed 's/^uint32_t apf_processors/int64_t apf_processors/' "$tmp/all.c" >"$tmp/wrong.c"
! compiles "$tmp/wrong.c" || fail "the compiler takes a prototype that is wrong"

# Libraries: those of an instrumented build export more.
for library in anyprof anyprof-elf; do
    [ -e "$build/lib$library.so" ] || continue
    nm -D --defined-only "$build/lib$library.so" | sed -n 's/.* T \(apf_[a-z0-9_]*\)\(@.*\)*$/\1/p' |
        sort -u >"$tmp/exported"
    [ -s "$tmp/exported" ] || fail "lib$library.so exports nothing"
    exported=()
    while read -r name; do
        if [ -e "$name.3" ]; then
            exported+=("$name.3")
        else
            fail "$name of lib$library has no page"
        fi
    done <"$tmp/exported"
    command="cc program.c \$(pkg\\-config \\-\\-cflags \\-\\-libs ${library/-/\\-})"
    while read -r page; do
        fail "$page does not say that ${page%.3} is in lib$library"
    done < <(grep -LxF "$command" "${exported[@]}" </dev/null || true)
done

# A build without ELF has the functions that its library has.
python3 "$root/docs/api_pages.py" man "$tmp/without" --without-elf || fail "docs/api_pages.py man --without-elf"
for name in apf_info_open.3 apf_merge_files.3 apf_input_file.3 apf_rt_write.3; do
    [ -e "$tmp/without/$name" ] || fail "$name is missing in a build without ELF"
done
for name in apf_bat_open.3 apf_cov_open.3 anyprof_probe.h.3; do
    [ -e "$name" ] && [ ! -e "$tmp/without/$name" ] || fail "$name is that of a build with ELF, too, or of none"
done

if command -v groff >/dev/null; then
    groff -ww -man -Tascii "${pages[@]}" 2>&1 >/dev/null | head -n 5 >"$tmp/log"
    [ ! -s "$tmp/log" ] || fail "groff: $(cat "$tmp/log")"
else
    printf 'note: no groff\n'
fi
if command -v mandoc >/dev/null; then
    # A date would change with the day of the build.
    mandoc -T lint -W warning "${pages[@]}" 2>&1 | grep -v 'missing date' | head -n 5 >"$tmp/log" || true
    [ ! -s "$tmp/log" ] || fail "mandoc: $(cat "$tmp/log")"
else
    printf 'note: no mandoc\n'
fi

# What the check must find: a function whose comment is gone.
mkdir "$tmp/tree"
cp -R "$root/docs" "$root/include" "$root/examples" "$tmp/tree"
mkdir "$tmp/tree/src"
cp "$root/src/rooms.txt" "$tmp/tree/src"
sed -i '/^\/\*\* Closes a lookup/d' "$tmp/tree/include/anyprof/lookup.h"
[ "$(python3 "$tmp/tree/docs/api_pages.py" check)" = "lookup.h: apf_lookup_close has no comment" ] ||
    fail "a function without a comment is not found"
finish
