#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# private_symbols.sh [--update]: libanyprof-elf.so has no code of libanyprof, it uses libanyprof.so. What it uses beside
# the public functions is in src/private_symbols.txt, nothing more; --update renews that file from the built archives.
# libanyprof.so exports these symbols, with the prefix anyprof_, and the functions of the public headers, and calls none
# of them indirectly.
. "$(dirname "$0")/_lib.sh"

list=src/private_symbols.txt
[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build: it may use more functions"
for tool in nm readelf; do
    command -v $tool >/dev/null || skip "no $tool"
done
for lib in libanyprof.a libanyprof-elf.a; do
    [ -e "$build/$lib" ] || skip "no $lib in $build"
done

# "source symbol" of everything that libanyprof.a defines and libanyprof-elf.a uses, without the public functions.
used() {
    local member symbol
    join -2 2 <(nm -u "$build/libanyprof-elf.a" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u) \
        <(nm -A --defined-only "$build/libanyprof.a" 2>/dev/null |
            awk '$(NF-1) ~ /^[A-Z]$/ { split($1, at, ":"); print at[2], $NF }' | sort -k 2) |
        while read -r symbol member; do
            [[ $symbol == apf_* ]] ||
                printf '%s %s\n' "$(find src -name "${member%.o}" -printf %P)" "${symbol#anyprof_}"
        done | sort
}

used=$(used)
[ -n "$used" ] || skip "no symbols in the archives: they are of link-time optimization"
if [ "${1:-}" = --update ]; then
    printf '%s\n' "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" \
        "# What libanyprof-elf.so uses of libanyprof.so beside public functions: the source below src, the symbol." \
        "# tests/rules/private_symbols.sh --update writes this file." "$used" >$list
    exit
fi

change=$(diff <(grep -v '^#' $list) <(printf '%s\n' "$used") || true)
[ -z "$change" ] || fail "$list (renew it with $0 --update; < is in it, > used): $change"

[ -e "$build/libanyprof-elf.so" ] || skip "no shared libraries in $build"
exported() { # exported LIBRARY NODE: the symbols of a node of versions
    nm -D --defined-only "$build/$1" | sed -nE "s/.* [A-Z] (.*)@@$2\$/\\1/p" | sort
}
# A line may end after the type of a function.
public=$(cat include/anyprof/*.h | sed -zE 's/\*\n(apf_)/*\1/g' | grep -oE '^APF_API .*\(' |
    grep -oE '\bapf_[a-z0-9_]+\($' | tr -d '(' | sort)
for node in 'ANYPROF_[0-9.]+' 'ANYPROF_PRIVATE_[0-9a-f]{16}'; do
    case $node in
    *PRIVATE*) want=$(grep -v '^#' $list | sed 's/.* /anyprof_/' | sort) ;;
    *) want=$(comm -12 <(echo "$public") <(nm --defined-only "$build/libanyprof.a" 2>/dev/null |
        awk '$2 == "T" { print $3 }' | sort)) ;;
    esac
    change=$(diff <(exported libanyprof.so "$node") <(echo "$want") || true)
    [ -z "$change" ] || fail "libanyprof.so, $node (< is exported, > should be): $change"
done
for lib in libanyprof.so libanyprof-elf.so; do
    own=$(nm -D --defined-only "$build/$lib" | sed -E 's/.* [A-Z] //; s/@.*//' | sort)
    through=$(readelf -rW "$build/$lib" | awk '$3 ~ /_(JUMP_SLO|GLOB_DAT)/ { sub(/@.*/, "", $5); print $5 }' | sort)
    indirect=$(comm -12 <(echo "$own") <(echo "$through"))
    [ -z "$indirect" ] || fail "$lib reaches functions of its own through its tables: $indirect"
done
copied=$(comm -12 <(nm --defined-only "$build/libanyprof-elf.so" 2>/dev/null | awk '{ print $3 }' | sort -u) \
    <(printf '%s\n' "$used" | sed 's/.* /anyprof_/' | sort))
[ -z "$copied" ] || fail "libanyprof-elf.so has a copy of: $copied"
finish
