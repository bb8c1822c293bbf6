#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --delete-inputs, ended at every file operation (killed before it, killed in the middle of a write, or the
# operation fails) and run again with the same arguments: every count is in the output once, nothing is left over.
. "$(dirname "$0")/_lib.sh"

preload=${ANYPROF_BUILD_DIR:-$(dirname "$anyprof")}/tests/helpers/libfault_preload.so
[ -e "$preload" ] || skip "no $preload"

# The state every run begins with: inputs that add up to 111,222 for foo, and an output that holds 1000,2000.
mkdir -p start/new start/other
profile start/new/a foo 10 1 2
profile start/new/b foo 10 10 20
gzip -n start/new/b
profile start/other/c foo 10 100 200
: >start/new/empty
profile start/old foo 10 1000 2000
ln -s total start/link

# faulty K HOW ARGUMENT...: ends at the K-th file operation (HOW: before, half, fail), or has no memory the K-th time
# that it wants some (HOW: memory). True: it did not come to that.
faulty() {
    local k=$1 how=$2
    shift 2
    local kill=(FAULT_KILL="$how") calls=changes
    case $how in
    fail) kill=() calls=files ;;
    memory) kill=() calls=memory ;;
    esac
    rm -f "$tmp/report"
    { # the shell says nothing of killed processes
        timeout 60 env LD_PRELOAD="$preload" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
            FAULT_REPORT="$tmp/report" FAULT_CALL=$calls FAULT_AT="$k" "${kill[@]}" "$anyprof" "$@" >"$out" 2>"$err"
    } 2>/dev/null
    grep -q 'Sanitizer\|runtime error' "$err" && bad "a sanitizer found something"
    [ "$(sed -n 2p "$tmp/report" 2>/dev/null)" = "failed 0" ]
}

begin() { # a fresh state; "old": with an output
    cd "$tmp" && rm -rf work moved && cp -Rp start work && cd work || exit 1
    [ -z "${1:-}" ] || mv "$1" total
    rm -f old oldest
}

holds() { # holds COUNTS WHAT
    local got
    got=$("$anyprof" merge --text total 2>&1 | grep -x '[0-9][0-9]*' | tail -n +3 | paste -sd ,)
    if [ "$got" = "$1" ]; then good; else bad "$2: the output holds $got, not $1"; fi
}

clean() { # clean WHAT: nothing is left but the output, and the empty input
    local got
    got=$(find . ! -type d | sort | paste -sd ' ')
    if [ "$got" = "./link ./new/empty ./total" ]; then good; else bad "$1: left over: $got"; fi
}

again() { # again ARGUMENT...: the same command; how it ends depends on how far it had come
    timeout 60 "$anyprof" "$@" >"$out" 2>"$err" </dev/null
    code=$?
    if [ "$code" -gt 2 ]; then bad "ended with $code when it was run again"; fi
}

# everywhere "HOW..." OLD WANTED-COUNTS BETWEEN ARGUMENT...: BETWEEN is done between the two runs; $k and $how are set.
everywhere() {
    local ways=$1 old=$2 want=$3 between=$4 how k n
    shift 4
    for how in $ways; do
        for ((k = 1, n = 0; n == 0; k++)); do
            begin "$old"
            faulty "$k" "$how" "$@" && n=$k
            eval "$between"
            again "$@"
            holds "$want" "$how at $k: $*"
            # What was complete but for the end of the journal, and has no inputs any more, the next merge finishes.
            [ ! -e .total.anyprof-merged ] || again merge --delete-inputs -o total total
            clean "$how at $k: $*"
        done
        # Memory of programs built with clang's sanitizer is not seen.
        if [ "$n" -lt 25 ] && [ "$how" != memory ]; then bad "only $n operations: $*"; fi
    done
}

# To add to an output; without one; the first time of adding; by names, as a list that is not complete the second time;
# text, through a link, with weights and a file that is given twice.
add=(merge -j 1 --delete-inputs -o total total new other)
everywhere "before half fail memory" old 1111,2222 '' "${add[@]}"
everywhere "before fail" '' 111,222 '' merge -j 1 --delete-inputs -o total new other
everywhere before '' 111,222 '' "${add[@]}"
everywhere "before fail" old 1111,2222 '' merge -j 1 --delete-inputs -o total other/c new/a total new/b.gz
everywhere before old 1122,2244 '' merge -j 1 --delete-inputs --text -o link --weighted-input=2,new/a link new/b.gz \
    --weighted-input=1,new/empty other/c new/b.gz
# Partial profiles: with inputs that contradict each other, and an output that is one.
part=(merge -j 1 --partial --forget-inputs --delete-inputs -o total total new other)
"$anyprof" merge --partial -o "$tmp/start/oldest" "$tmp/start/old"
everywhere "before half fail memory" old 1111,2222 '' "${part[@]}"
everywhere "before fail" oldest 1111,2222 '' "${part[@]}"
rm "$tmp/start/oldest"

# Meanwhile more has come.
everywhere before old 1611,2722 'profile new/d foo 10 500 500' "${add[@]}"
# The output was written anew without the option.
everywhere before old 1111,2222 '"$anyprof" merge --text -o total total' "${add[@]}"
# The machine lost its power, and files that were removed are there again, on other inodes.
everywhere before old 1111,2222 '[ ! -e .total.anyprof-merged ] || cp -Rp ../start/new ../start/other .' "${add[@]}"
# The directory is on another disk now.
everywhere before old 1111,2222 'cp -Rp . ../moved && cd ../moved && rm -rf ../work' "${add[@]}"

# Killed, and then something happens to the second run, too.
twice() { # twice STEP HOW...
    local step=$1 how first k n=0 runs=0
    shift
    for how in "$@"; do
        for ((first = 18; first < 45; first += step)); do
            for ((k = 1, n = 0; n == 0; k += step)); do
                begin old
                faulty $first before "${add[@]}"
                faulty $k "$how" "${add[@]}" && n=$k
                again "${add[@]}"
                holds 1111,2222 "killed at $first, then $how at $k"
                clean "killed at $first, then $how at $k"
                runs=$((runs + 1))
            done
        done
    done
    printf '%d runs were killed, and then disturbed\n' $runs
}
twice ${ANYPROF_KILL_STEP:-5} before fail memory

# Nothing could be removed; then a merge without the option, that must leave the inputs out, is disturbed.
begin old
LD_PRELOAD=$preload FAULT_CALL=unlink FAULT_AT=1+ ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
    "$anyprof" "${add[@]}" >"$out" 2>"$err"
cp -Rp . ../full
for how in before fail memory; do
    for ((k = 1, n = 0; n == 0; k++)); do
        rm -rf "$tmp/work" && cp -Rp "$tmp/full" "$tmp/work" && cd "$tmp/work" || exit 1
        faulty $k "$how" merge -j 1 --text -o total total new other && n=$k
        again "${add[@]}"
        holds 1111,2222 "nothing was removed, then $how at $k"
        clean "nothing was removed, then $how at $k"
    done
done
finish
