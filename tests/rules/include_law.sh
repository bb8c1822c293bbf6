#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The law of includes: src/rooms.txt gives each room of src its level. A room includes rooms of lower levels only,
# object only if the list allows it, and only rooms that are in every build in which it is itself. cli, python,
# examples, fuzz and bench use nothing but <anyprof/...>.
# The runtime shares the tables of raw fields (src/instr/layout/*_layout.h) and nothing else; rt.h is its own header.
# The runtime has no public interface to fuzz, so fuzz/fuzz_rt_*.c use its private headers; nor have the readers of
# samples, which fuzz_preagg.c and fuzz_perf_script.c call without a program, since opening one takes ten times as long.
. "$(dirname "$0")/_lib.sh"

# Inside instr: layout <- model <- memprof <- {raw, indexed, text, json} <- read <- sums <- partial <-
# {merge, views, check, lookup} <- open.
# Inside sample: layout <- model <- {text, binary, gcc, json} <- {read, write} <- partial <- {merge, views, check,
# lookup} <- open.
declare -A folder_level=([instr/layout]=0 [instr/model]=1 [instr/memprof]=2 [instr/raw]=3 [instr/indexed]=3
    [instr/text]=3 [instr/json]=3 [instr/read]=4 [instr/sums]=5 [instr/partial]=6
    [instr/merge]=7 [instr/views]=7 [instr/check]=7 [instr/lookup]=7 [instr/open]=8
    [sample/layout]=0 [sample/model]=1 [sample/text]=3 [sample/binary]=3 [sample/gcc]=3 [sample/json]=3
    [sample/read]=4 [sample/write]=4 [sample/partial]=5 [sample/merge]=6 [sample/views]=6
    [sample/check]=6 [sample/lookup]=6 [sample/open]=7)
# A public header belongs to the lowest room, and in instr to the lowest folder, that is meant to use its types. Rooms
# that may include that room's private headers may include the public header.
declare -A public_room=([error]=base [io]=base [anyprof]=base [supplement]=base [instr]=instr/layout
    [memprof]=instr/layout [merge]=instr/sums [compare]=instr/views [show]=instr/views [lookup]=instr/lookup
    [probe]=probe [bolt]=bolt [perf]=perf [profgen]=profgen [bat]=bolt [correlate]=jobs [cov]=cov [jobs]=jobs
    [report]=jobs [export]=export
    [sample]=sample/layout [sample_merge]=sample/merge [sample_write]=sample/layout
    [sample_views]=sample/model [sample_functions]=sample/model [sample_lookup]=sample/lookup)
declare -A level objects library alone
while read -r room of without rank object rest; do
    [[ $of =~ ^(anyprof(-elf)?|-)$ && $without =~ ^(anyprof|-)$ &&
        $rank =~ ^[0-9]+$ && $object =~ ^(yes|no)$ && -z $rest && -z ${level[$room]:-} ]] ||
        fail "src/rooms.txt: not a row, or the second one of its room: $room $of $without $rank $object $rest"
    level[$room]=$rank objects[$room]=$object library[$room]=$of alone[$room]=$without
done < <(grep -v '^#' src/rooms.txt)
for room in src/*/; do
    room=${room%/}
    [ -n "${level[${room#src/}]:-}" ] || fail "$room is not in src/rooms.txt"
done

includes() {
    code "$@" | sed -nE 's/^([^:]*):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*[>"]).*/\1 \2 \3/p'
}

mapfile -t inside < <(tree src -- -name '*.[ch]')
while read -r file line target; do
    name=${target:1:-1}
    room=${file#src/}
    room=${room%%/*}
    [ -n "${level[$room]:-}" ] || continue
    case $target in
    '<anyprof/'*)
        header=${name#anyprof/}
        owner=${public_room[${header%.h}]:-}
        [ "$header" = anyprof.h ] && [ "$room" != base ] && fail "$file:$line: $target has the headers of every room"
        if [ -z "$owner" ]; then
            fail "$file:$line: $target is a public header of no room this law knows"
            continue
        fi
        name=$owner/$name
        ;;
    '<'*)
        [ -e "src/$name" ] && fail "$file:$line: write \"$name\", not <$name>"
        continue
        ;;
    esac
    other=${name%%/*}
    if [ "$room" = instr ] || [ "$room" = sample ]; then
        folder=${file#"src/$room/"}
        folder=${folder%%/*}
        if [ -z "${folder_level[$room/$folder]:-}" ]; then
            fail "$file: src/$room/$folder is not a folder this law knows"
            continue
        fi
        from=${name#"$room/"}
        from=${from%%/*}
        if [ "$other" = "$room" ] && [ "$from" != "$folder" ] &&
            [ "${folder_level[$room/$from]:-9}" -ge "${folder_level[$room/$folder]}" ]; then
            fail "$file:$line: $room/$folder must not include $room/$from (\"$name\")"
        fi
    fi
    if [ "$other" = "$name" ]; then
        fail "$file:$line: \"$name\" must be written with its room (\"$room/$name\")"
    elif [ -z "${level[$other]:-}" ]; then
        fail "$file:$line: \"$name\" is of no room under src/"
    elif [ "$other" != "$room" ] && [ "${level[$other]}" -ge "${level[$room]}" ]; then
        fail "$file:$line: $room must not include $other (\"$name\")"
    elif [ "$other" = object ] && [ "${objects[$room]}" != yes ] && [ "$room" != object ]; then
        fail "$file:$line: $room must not include object (\"$name\"); what needs both belongs into programs"
    elif [ "${library[$room]}" = anyprof ] && [ "${library[$other]}" != anyprof ]; then
        fail "$file:$line: $room is of libanyprof, which does not use libanyprof-elf (\"$name\")"
    elif [ "${alone[$room]}" = anyprof ] && [ "${alone[$other]}" != anyprof ]; then
        fail "$file:$line: $room is in builds without ELF, which do not have $other (\"$name\")"
    fi
done < <(includes "${inside[@]}")

mapfile -t outside < <(tree cli mpi python examples fuzz bench include -- -name '*.[ch]')
while read -r file line target; do
    name=${target:1:-1}
    case $target in
    '<'*) [ -e "src/$name" ] && fail "$file:$line: <$name> is a private header" ;;
    '"'*) # a header of the same directory only
        case $file:$name in
        include/*) fail "$file:$line: public headers include each other as <anyprof/...>" ;;
        fuzz/fuzz_preagg.c:bolt/preagg_read.h | fuzz/fuzz_perf_script.c:perf/perf_script.h) ;;
        fuzz/fuzz_rt_*:rt_*) # a target of the runtime
            [ -e "runtime/$name" ] || fail "$file:$line: \"$name\" is not of the runtime"
            ;;
        mpi/*) # uses the command's parts
            [[ $name != */* && (-e mpi/$name || -e cli/$name) ]] || fail "$file:$line: \"$name\" is not of the command"
            ;;
        *) [[ $name != */* && -e ${file%/*}/$name ]] || fail "$file:$line: \"$name\" is not <anyprof/...>" ;;
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
    '"instr/layout/'*_layout.h\")
        grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "src/$name" &&
            fail "src/$name: shared with the runtime, so it must not include other headers of src/"
        ;;
    '"'*)
        [ -e "${file%/*}/$name" ] || [ -e "runtime/$name" ] ||
            fail "$file:$line: \"$name\" is not of the runtime"
        ;;
    esac
done < <(includes "${runtime[@]}")
finish
