#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# resident.sh CLIENT SERVER VICTIM: does a tool that waits in memory behave like one that is started?
set -euo pipefail
client=$1 server=$2 victim=$3
dir=$(mktemp -d "${TMPDIR:-/tmp}/anyprof-test-XXXXXX")
trap 'rm -rf "$dir"' EXIT # the server cannot be reached any more and ends by itself
mkdir "$dir/tools" "$dir/stand-ins" "$dir/empty"
cp "$victim" "$dir/tools/victim"
cp "$client" "$dir/stand-ins/client"
cp "$server" "$dir/stand-ins/libresident_server.so"
ln -s client "$dir/stand-ins/victim"
export PATH=$dir/stand-ins:$dir/tools:$PATH
broken=0

expect() { # expect WHAT WANT GOT
    [ "$2" = "$3" ] || { printf '%s:\n  want %s\n  got  %s\n' "$1" "$2" "$3"; broken=1; }
}

both() { # both WHAT COMMAND...: with the stand-in and with the tool; output, exit code and error have to be the same
    local what=$1 how code
    shift
    for how in stand-ins tools; do
        code=0
        "$@" "$dir/$how/victim" >"$dir/$how.out" 2>"$dir/$how.err" <"$dir/input" || code=$?
        echo "$code" >>"$dir/$how.out"
    done
    sed -i "s,$dir/stand-ins/victim,$dir/tools/victim," "$dir/tools.out" "$dir/stand-ins.out"
    cmp "$dir/stand-ins.out" "$dir/tools.out" && cmp "$dir/stand-ins.err" "$dir/tools.err" || {
        echo "$what: not as the tool itself"
        broken=1
    }
}

with() { # with WORD... TOOL: the tool comes last in both()
    "${@: -1}" "${@:1:$#-1}"
}

printf 'a line\n' >"$dir/input"
expect "it is a copy" yes "$(victim copied)"
expect "and the tool itself is none" no "$("$dir/tools/victim" copied)"
both "words, input and errors" with say "two words" "" "*"
both "a variable" env VICTIM=value bash -c '"$0" say'
both "no variables" env -i PATH="$PATH" bash -c '"$0" say'
both "another directory" bash -c 'cd "$1"/empty && "$2" say' _ "$dir"
for code in 0 1 2 77 255; do
    both "exit code $code" with end "$code"
done
both "a signal" bash -c '"$0" signal 15 2>/dev/null; echo $?'
both "a long word" with say "$(head -c 100000 /dev/zero | tr '\0' x)"
both "no input" bash -c '"$0" say </dev/null'

# Stand-ins of two builds do not take each other for the tool.
cp -a "$dir/stand-ins" "$dir/more"
expect "two builds" yes "$(PATH=$dir/more:$PATH victim copied)"
expect "two builds" 3 "$(code=0; PATH=$dir/more:$PATH victim end 3 || code=$?; echo $code)"

# Many at once.
for i in $(seq 40); do
    victim end "$((i % 7))" &
    pids[i]=$!
done
for i in $(seq 40); do
    code=0
    wait "${pids[i]}" || code=$?
    expect "number $i of many" "$((i % 7))" "$code"
done

# A killed caller ends its copy of the tool, too.
victim wait >"$dir/pid" &
waits=$!
while [ ! -s "$dir/pid" ]; do
    sleep 0.02
done
kill -9 "$waits"
wait "$waits" 2>/dev/null || true
for _ in $(seq 500); do
    kill -0 "$(cat "$dir/pid")" 2>/dev/null || break
    sleep 0.02
done
expect "copy of a killed one" gone "$(kill -0 "$(cat "$dir/pid")" 2>/dev/null && echo there || echo gone)"

# Without what it needs it is the tool itself, or says that there is none.
rm "$dir/stand-ins/victim.socket" "$dir/stand-ins/libresident_server.so"
expect "without a server" no "$(victim copied 2>/dev/null)"
rm "$dir/tools/victim"
code=0
victim say 2>/dev/null || code=$?
expect "without a tool" 127 "$code"
exit "$broken"
