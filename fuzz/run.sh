#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fuzz/run.sh MINUTES [TARGET...]: runs each fuzz target (default: all) for that long, one after the other, or JOBS of
# them at a time. build/fuzz-work/TARGET keeps all inputs found, from run to run; the smallest of them that reach all
# the code become the new fuzz/corpus/TARGET.pack; the figures are added to the table in docs/reliability.md, and
# printed. Inputs that break a property are build/fuzz-work/TARGET-crash-*; then the exit code is 1.
# Needs clang 22. SEED=N repeats the choices of a run (as far as the time it gets is the same).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
most_bytes=36000 # of each committed corpus, named files and pack
page=docs/reliability.md
build=build/libfuzzer
work=build/fuzz-work

minutes=${1:-}
case $minutes in '' | *[!0-9]* | 0)
    sed -n '4,8s/^# //p' "$0" >&2
    exit 2
    ;;
esac
shift
if [ $# = 0 ]; then
    for source in fuzz/fuzz_*.c; do
        source=${source##*/fuzz_}
        set -- "$@" "${source%.c}"
    done
fi
for target in "$@"; do
    [ -f "fuzz/fuzz_$target.c" ] || { printf 'no target %s\n' "$target" >&2; exit 2; }
done

mkdir -p build "$work"
if ! { cmake --preset fuzz && cmake --build --preset fuzz -j "$(nproc)"; } >build/fuzz.log 2>&1; then
    printf 'cannot build the targets: see build/fuzz.log\n' >&2
    exit 1
fi

# stat_of NAME LOG: one of the numbers that libFuzzer prints at its end.
stat_of() {
    sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

# fuzz TARGET: runs it; the seconds of processor time that it used go to TARGET.time.
fuzz() {
    local target=$1 TIMEFORMAT='%U %S'
    mkdir -p "$work/$target"
    { time nice fuzz/target.sh "$build/fuzz" "$target" -max_total_time=$((60 * minutes)) ${SEED:+-seed=$SEED} \
        -print_final_stats=1 -artifact_prefix="$work/$target-" "$work/$target" \
        >"$work/$target.log" 2>&1; } 2>"$work/$target.time"
}

# minimise TARGET: renews the pack: the smallest inputs that reach code which the named files do not reach, smallest
# first, up to a size of all.
minimise() {
    local target=$1 corpus=fuzz/corpus/$1 small=$work/$1.small bytes size file
    rm -rf "$small"
    mkdir -p "$small"
    [ ! -d "$corpus" ] || cp "$corpus"/* "$small"
    bytes=$(find "$small" -type f -exec cat {} + | wc -c)
    fuzz/target.sh "$build/fuzz" "$target" -merge=1 -use_counters=0 "$small" "$work/$target" \
        >"$work/$target.merge.log" 2>&1 || return 1
    while read -r size file; do
        [ $((bytes += size)) -le $most_bytes ] || rm "$file"
    done < <(find "$small" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -printf '%s %p\n' | sort -n)
    fuzz/pack.py pack "$corpus.pack" "$small" && rm -rf "$small"
}

# row TARGET: adds the figures of the last run to those in the table and prints the row.
row() {
    local target=$1 log=$work/$1.log runs edges all seconds found
    runs=$(stat_of number_of_executed_units "$log")
    edges=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
    all=$(sed -nE 's/^INFO: Loaded .*\(([0-9]+) inline 8-bit counters.*/\1/p' "$log" | head -n 1)
    seconds=$(tail -n 1 "$work/$target.time")
    found=$(find "$work" -maxdepth 1 -newer "$work/$target.start" \
        -regex ".*/$target-\(crash\|leak\|timeout\|oom\)-.*" | wc -l)
    touch "$page"
    awk -F ' *[|] *' -v target="$target" -v runs="${runs:-0}" -v edges="${edges:-0}" -v all="${all:-0}" \
        -v seconds="$seconds" -v found="$found" -v today="$(date +%F)" -v row="$work/$target.row" '
        BEGIN { split(seconds, s, " "); hours = (s[1] + s[2]) / 3600 }
        NF == 8 && $2 == target {
            $0 = sprintf("| %s | %d | %.3f | %d of %d | %d | %s |", target, $3 + runs, $4 + hours, edges, all,
                $6 + found, today)
            print >row
        }
        { print }' "$page" >"$work/page" && cp "$work/page" "$page"
    cat "$work/$target.row"
    [ "$found" = 0 ]
}

one() {
    local target=$1 code=0
    rm -f "$work/$target.row"
    touch "$work/$target.start"
    fuzz "$target"
    minimise "$target" || { printf '%s: the corpus could not be minimised\n' "$target" >&2; code=1; }
    # All targets share the page.
    (flock 9; row "$target") 9>"$work/lock" || code=1
    return $code
}

code=0
running=0
for target in "$@"; do
    one "$target" &
    running=$((running + 1))
    if [ "$running" -ge "${JOBS:-1}" ]; then
        wait -n || code=1
        running=$((running - 1))
    fi
done
while [ "$running" -gt 0 ]; do
    wait -n || code=1
    running=$((running - 1))
done
exit $code
