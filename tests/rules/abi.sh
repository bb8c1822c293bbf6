#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Programs that were compiled for the last release, whose ABI is in tests/rules/abi, work with the libraries of this
# tree, unless apf_soversion of CMakeLists.txt is another. debian/libanyprof0.symbols has what the libraries export.
#
# abi.sh --update renews both, after additions or for a release. It refuses changes that are not compatible if there is
# a release (a tag v0.1.0) and apf_soversion is still that of the release.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_abi.sh"

for tool in abidw abidiff python3 gcc cmake; do
    command -v $tool >/dev/null || skip "no $tool"
done
[ "$(uname -m)" = x86_64 ] || skip "the ABI is stored for x86-64"
[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build; the release build compares"
update=0
[ "${1:-}" != --update ] || update=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mapfile -t frozen < <(sed -n 's/^ *FROZEN(\([a-z_0-9]*\),.*/\1/p' tests/unit/jobs/test_layout.c)
[ ${#frozen[@]} -gt 5 ] || fail "tests/unit/jobs/test_layout.c names no frozen structures"
abi_suppressions include "${frozen[@]}" >"$tmp/compatible"

# Types are in debug information, which the release build has not; gcc makes it fastest without optimisation. What is
# stored names no directory of the machine.
generator=()
! command -v ninja >/dev/null || generator=(-G Ninja)
{ cmake -S . -B "$build/abi" "${generator[@]}" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=gcc \
    "-DCMAKE_C_FLAGS_DEBUG=-O0 -g -ffile-prefix-map=$PWD/=" &&
    cmake --build "$build/abi" -j 2 --target anyprof_shared anyprof-elf_shared; } \
    >"$tmp/log" 2>&1 || {
    fail "the build: $(tail -n 20 "$tmp/log")"
    finish
}

soname_in() { # soname_in ABI
    sed -n "1s/.* soname='\([^']*\)'.*/\1/p" "$1"
}

for name in libanyprof libanyprof-elf; do
    stored=tests/rules/abi/$name.abi
    abi_write "$build/abi/$name.so" include "$tmp/$name.abi" || fail "abidw of $name.so failed"
    same=0
    [ ! -e $stored ] || [ "$(soname_in $stored)" != "$(soname_in "$tmp/$name.abi")" ] || same=1
    if [ $same = 1 ] && ! abi_compare include $stored "$tmp/$name.abi" >"$tmp/report" 2>&1; then
        if [ $update = 0 ]; then
            fail "$name.so is not compatible with the last release; see 'The ABI' in CONTRIBUTING.md:" \
                "$(cat "$tmp/report")"
        elif git tag --list 'v[0-9]*' 2>/dev/null | grep -q .; then
            fail "$name.so is not compatible with the last release: raise apf_soversion first: $(cat "$tmp/report")"
            continue
        fi
    elif [ $same = 0 ] && [ $update = 0 ]; then
        fail "$stored is not of $(soname_in "$tmp/$name.abi"): tests/rules/abi.sh --update"
    fi
    [ $update = 0 ] || cp "$tmp/$name.abi" $stored
done

# The list of dpkg: each symbol with the version that it came with. Symbols of ANYPROF_PRIVATE stand there as a pattern.
symbols=debian/libanyprof0.symbols
version=$(sed -nE 's/.*define +APF_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' include/anyprof/anyprof.h | paste -sd.)
for name in libanyprof-elf libanyprof; do
    soname=$(soname_in "$tmp/$name.abi")
    printf '%s libanyprof0 #MINVER#\n* Build-Depends-Package: libanyprof-dev\n' "$soname"
    [ $name = libanyprof-elf ] || printf ' (regex|optional)"%s" 0.1.0\n' \
        '^(anyprof_[a-z0-9_]+|ANYPROF_PRIVATE_[0-9a-f]+)@ANYPROF_PRIVATE_[0-9a-f]+$'
    nm -D --defined-only --with-symbol-versions "$build/abi/$name.so" | awk '{ sub(/@@/, "@", $NF); print $NF }' |
        { grep -E '^(apf_|ANYPROF_[0-9]+)' || true; } | sort -u | while read -r symbol; do
        case $symbol in
        ANYPROF_*) symbol=${symbol%@*}@${symbol%@*} ;;
        *@*) ;;
        *) symbol=$symbol@Base ;;
        esac
        since=$(awk -v s="$symbol" '$1 == s { print $2; exit }' $symbols 2>/dev/null || true)
        printf ' %s %s\n' "$symbol" "${since:-$version}"
    done
done >"$tmp/symbols"
if [ $update = 1 ]; then
    cp "$tmp/symbols" $symbols
elif ! cmp -s "$tmp/symbols" $symbols; then
    fail "$symbols is not what the libraries export; tests/rules/abi.sh --update renews it:" \
        "$(diff $symbols "$tmp/symbols" | grep '^[<>]' | head -n 20)"
fi
finish
