#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The law of includes: base <- object <- {instr, probe, bolt, perf, sample} <- jobs. Rooms of one level do not include
# each other, instr does not include object, and cli, examples, fuzz and bench use nothing but <anyprof/...>.
# The runtime shares the tables of raw fields (src/instr/*_layout.h) and nothing else; rt.h is its own header. What it
# does has no public interface to fuzz: fuzz/fuzz_rt_*.c use its headers.
. "$(dirname "$0")/_lib.sh"

declare -A level=([base]=0 [object]=1 [instr]=2 [probe]=2 [bolt]=2 [perf]=2 [sample]=2 [jobs]=3)

includes() {
    code "$@" | sed -nE 's/^([^:]*):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*[>"]).*/\1 \2 \3/p'
}

mapfile -t inside < <(tree src -- -name '*.[ch]')
while read -r file line target; do
    name=${target:1:-1}
    room=${file#src/}
    room=${room%%/*}
    if [ -z "${level[$room]:-}" ]; then
        fail "$file: src/$room is not a room this law knows"
        continue
    fi
    case $target in
    '<anyprof/'*) continue ;;
    '<'*)
        [ -e "src/$name" ] && fail "$file:$line: write \"$name\", not <$name>"
        continue
        ;;
    esac
    other=${name%%/*}
    if [ "$other" = "$name" ]; then
        fail "$file:$line: \"$name\" must be written with its room (\"$room/$name\")"
    elif [ -z "${level[$other]:-}" ]; then
        fail "$file:$line: \"$name\" is of no room under src/"
    elif [ "$other" != "$room" ] && [ "${level[$other]}" -ge "${level[$room]}" ]; then
        fail "$file:$line: $room must not include $other (\"$name\")"
    elif [ "$room" = instr ] && [ "$other" = object ]; then
        fail "$file:$line: instr must not include object (\"$name\"); what needs both belongs into jobs"
    fi
done < <(includes "${inside[@]}")

mapfile -t outside < <(tree cli examples fuzz bench include -- -name '*.[ch]')
while read -r file line target; do
    name=${target:1:-1}
    case $target in
    '<'*) [ -e "src/$name" ] && fail "$file:$line: <$name> is a private header" ;;
    '"'*) # a header of the same directory only
        case $file:$name in
        include/*) fail "$file:$line: public headers include each other as <anyprof/...>" ;;
        fuzz/fuzz_rt_*:rt_*) # a target of the runtime
            [ -e "runtime/$name" ] || fail "$file:$line: \"$name\" is not of the runtime"
            ;;
        *) [[ $name != */* && -e $(dirname "$file")/$name ]] || fail "$file:$line: \"$name\" is not <anyprof/...>" ;;
        esac
        ;;
    esac
done < <(includes "${outside[@]}")

mapfile -t runtime < <(tree runtime -- -name '*.[ch]')
while read -r file line target; do
    name=${target:1:-1}
    case $target in
    '<anyprof/rt.h>') ;;
    '<anyprof/'*) fail "$file:$line: the runtime does not use the library" ;;
    '"instr/'*_layout.h\")
        grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "src/$name" &&
            fail "src/$name: shared with the runtime, so it must not include other headers of src/"
        ;;
    '"'*)
        [ -e "$(dirname "$file")/$name" ] || [ -e "runtime/$name" ] ||
            fail "$file:$line: \"$name\" is not of the runtime"
        ;;
    esac
done < <(includes "${runtime[@]}")
finish
