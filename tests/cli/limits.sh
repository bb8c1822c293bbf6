#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# --max-input-size and --max-records of merge and show: below, at and above what a file has; units; standard input.
. "$(dirname "$0")/_lib.sh"

too_large="a limit of this run was exceeded: larger than the limit for one input [file.size: found"
too_many="a limit of this run was exceeded: more functions than the limit allows"

# refused WORDS ARGUMENT...: by show, and by a merge, which leaves no output.
refused() {
    local words=$1
    shift
    ends 1 show "$@"
    hints "error: "
    hints "$words"
    is "standard output" "$(cat "$out")" ""
    rm -f x
    ends 1 merge -o x "$@"
    hints "warning: "
    hints "$words"
    hints "error: nothing is written: "
    if grep -qF -- --salvage "$err"; then bad "advises to salvage"; else good; fi
    gone x
    no_leftovers
}

accepted() {
    ends 0 show "$@"
    silent
    ends 0 merge --for=llvm-22 -o x "$@"
    there x
    silent
}

# 1000 functions, in every format; the text is 64 KiB long, to the byte.
seq 1 1000 | awk '{ printf "f%d\n%d\n1\n%d\n\n", $1, $1, $1 }' >many.proftext
printf '#%*s\n' $((65536 - $(wc -c <many.proftext) - 2)) '' >>many.proftext
"$anyprof" merge many.proftext -o many.profdata || bad "the indexed file"
raw=$profiles/clang-22-fe.profraw

is "size" "$(wc -c <many.proftext)" 65536
for limit in 65536 64K 65537 65K 1M 1G 18446744073709551615 17179869183G; do
    accepted --max-input-size="$limit" many.proftext
    accepted --max-input-size "$limit" many.proftext
done
for limit in 65535 63K 1; do
    refused "$too_large 65536, expected at most $((${limit/K/*1024}))]" --max-input-size="$limit" many.proftext
done
for file in many.profdata "$raw"; do
    size=$(wc -c <"$file")
    accepted --max-input-size="$size" "$file"
    refused "$too_large $size, expected at most $((size - 1))]" --max-input-size=$((size - 1)) "$file"
done
# Of a pipe the size is not known before.
"$anyprof" show --max-input-size=64K - <many.proftext >"$out" 2>"$err"
is "exit code of standard input" $? 0
# shellcheck disable=SC2002
cat many.proftext | "$anyprof" show --max-input-size=65535 - >"$out" 2>"$err"
is "exit code of standard input" $? 1
hints "$too_large 65536, expected at most 65535]"
for command in show merge; do # a device without an end
    ends 1 $command /dev/zero -o result
    hints "/dev/zero: File too large"
done
ends 1 check /dev/zero
grep -q "larger than the limit for one input" "$out" && good || bad "check /dev/zero: $(head -n 1 "$out")"
ends 1 show --max-input-size=100K /dev/zero
hints "a limit of this run was exceeded"

for file in many.proftext many.profdata; do
    for limit in 1000 1001 1K 256M 268435456; do
        accepted --max-records="$limit" "$file"
    done
    for limit in 999 1; do
        refused "$too_many" --max-records="$limit" "$file"
    done
done
records=$("$anyprof" show "$raw" | sed -n 's/^Total functions: //p')
accepted --max-records="$records" "$raw"
refused "$too_many" --max-records=$((records - 1)) "$raw"
# Profiles of a file count together; those of several files do not.
cat "$raw" "$raw" >twice.profraw
accepted --max-records=$((2 * records)) twice.profraw
refused "$too_many" --max-records=$((2 * records - 1)) twice.profraw
cp "$raw" one.profraw
ends 0 merge -o x --max-records="$records" one.profraw "$raw" "$raw"
for order in "one.profraw twice.profraw" "twice.profraw one.profraw"; do
    # shellcheck disable=SC2086
    ends 0 merge -o x --failure-mode=all --max-records=$((2 * records - 1)) $order "$raw"
    hints "warning: twice.profraw: $too_many"
    says "note: 1 of 3 inputs was rejected"
done

# Commands that read one profile, or two; what they print of findings is no error. The limit of an input is the same.
# every LIMIT WORDS: what each says of a limit that is too small, and that it is no output's fault.
every() {
    local limit=$1 words=$2 file=$3
    for line in "order $file" "overlap $file small.proftext" "overlap small.proftext $file" \
        "diff $file small.proftext" "diff small.proftext $file" "convert $file -o y.profdata" "lookup $file f1"; do
        # shellcheck disable=SC2086
        ends 1 $line "$limit"
        hints "$words"
        hints "$file"
        gone y.profdata
    done
    ends 1 check "$limit" "$file"
    prints "$file: error: $words"
    ends 1 info "$limit" "$file"
    prints "$words"
}
# enough LIMIT FILE: all of them are content.
enough() {
    for line in "overlap $2 $2" "diff $2 $2" "convert $2 -o y.profdata" "lookup $2 f1" "check $2" "info $2"; do
        # shellcheck disable=SC2086
        ends 0 $line "$1"
    done
    rm y.profdata
}
profile small.proftext foo 10 1 2
"$anyprof" convert many.proftext -o many.json || bad "the JSON file"
"$anyprof" merge --quiet --text "$raw" -o raw.proftext
for file in many.proftext many.json; do
    every --max-records=999 "$too_many" $file
    enough --max-records=1000 $file
done
for file in many.proftext many.profdata many.json; do
    size=$(wc -c <$file)
    every --max-input-size=$((size - 1)) "$too_large $size, expected at most $((size - 1))]" $file
    enough --max-input-size="$size" $file
done
# Of an indexed profile lookup reads one name: its records count.
printf 'f\n1\n1\n1\n\nf\n2\n1\n1\n\nf\n3\n1\n1\n\ng\n1\n1\n1\n\n' >hashes.proftext
"$anyprof" merge --quiet hashes.proftext -o hashes.profdata
ends 0 lookup --max-records=3 hashes.profdata f
ends 0 lookup --max-records=1 hashes.profdata g
ends 1 lookup --max-records=2 hashes.profdata f
hints "error: hashes.profdata: $too_many"
ends 1 lookup --max-records=3 hashes.proftext g
hints "error: hashes.proftext: $too_many"

# Memory profiles: what a function has counts, too.
frame() { printf '{ Function: %s, LineOffset: 1, Column: 2, IsInlineFrame: false }' "$1"; }
{
    printf -- '---\nHeapProfileRecords:\n  - GUID: f\n    AllocSites:\n'
    for i in 1 2 3 4 5; do
        printf '      - { Callstack: [ %s ], MemInfoBlock: { AllocCount: 1 } }\n' "$(frame "a$i")"
    done
} >memory.yaml
ends 0 merge --for=indexed-13 memory.yaml -o memory.profdata
ends 0 convert memory.yaml -o memory.json
for file in memory.yaml memory.profdata memory.json; do
    for line in "show --memory $file" "convert $file -o y.profdata"; do
        # shellcheck disable=SC2086
        ends 0 $line --max-records=5
        rm -f y.profdata
        # shellcheck disable=SC2086
        ends 1 $line --max-records=4
        hints "error: $file: a limit of this run was exceeded: more frames than the limit allows"
        gone y.profdata
    done
    ends 1 check --max-records=4 "$file"
    prints "more frames than the limit allows"
    ends 1 merge --max-records=4 "$file" -o y
    hints "more frames than the limit allows"
    gone y
done

# How deep JSON is nested is no matter of a limit that could be another one.
nest() { printf '{"schema": "anyprof-profile/1", "x": %s%s}' "$(printf '%*s' "$1" '' | tr ' ' '[')" \
    "$(printf '%*s' "$1" '' | tr ' ' ']')"; }
nest 64 >deep.json
ends 0 show deep.json
nest 65 >deep.json
ends 1 show deep.json
says "error: deep.json: JSON with an error: nested more than 64 deep [line 1, column 102, json]"

# The limit is on each input, and the other inputs are merged.
profile small.proftext foo 10 1 2
ends 0 merge --failure-mode=all --max-input-size=1K -o x small.proftext many.proftext
hints "warning: many.proftext: $too_large 65536, expected at most 1024]"
ends 0 merge -o want small.proftext
same x want

# A limit of the system's on memory is an error like others, and the old output stays. Sanitizers need more of it.
if [ "${ANYPROF_INSTRUMENTED:-0}" = 0 ]; then
    seq 1 400000 | awk '{ printf "function_with_a_name_%d\n%d\n1\n%d\n\n", $1, $1, $1 }' >large.proftext
    for command in "merge -j 1" "show --all-functions --counts"; do
        cp small.proftext x
        # shellcheck disable=SC2086
        (ulimit -v 60000 && "$anyprof" $command large.proftext -o x 2>"$err")
        is "exit code of $command" $? 1
        hints "out of memory"
        same x small.proftext
        # shellcheck disable=SC2086
        (ulimit -v 4000000 && "$anyprof" $command large.proftext -o x 2>"$err")
        is "exit code of $command" $? 0
    done
    no_leftovers
fi

# What is no size.
for option in --max-input-size --max-records; do
    for value in 0 0K "" K -1 1k 1T 1KB "1 K" x 0x10 1.5G 18446744073709551616 18446744073709551615K 17179869184G; do
        for command in merge show; do
            ends 2 $command "$option=$value" small.proftext
            hints "$option takes a number such as 500, 64K, 20M or 1G, not '$value'"
        done
    done
done
# More records than there can be are not taken for as many as there can be.
for value in 257M 268435457 1G 18446744073709551615; do
    for command in merge show overlap order diff convert lookup info check "bolt merge"; do
        # shellcheck disable=SC2086
        ends 2 $command --max-records="$value" small.proftext
        hints "--max-records takes a number up to 256M, not '$value'"
    done
done
finish
