# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the tests of costs share: the command and the programs of bench/, as they are in build/ or ANYPROF_BUILD_DIR.
# Costs are those of the command as it is released: an instrumented build is not measured.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${ANYPROF_BUILD_DIR:-$here/../../build}
build=$(cd "$build" 2>/dev/null && pwd) || { echo "skipped: nothing is built" && exit 77; }
export ANYPROF=${ANYPROF:-$build/anyprof}
. "$here/../cli/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build: its costs are not those of the command"
make_profiles=$build/bench/make_profiles
# shellcheck disable=SC2034  # for the scripts that read this
compare=$build/bench/compare
[ -x "$make_profiles" ] || skip "no $make_profiles"

generate() { # generate ARGUMENT...: made by bench/make_profiles.c
    "$make_profiles" "$@" || bad "make_profiles $*"
}

generate_samples() { # generate_samples DIR ARGUMENT...: text by bench/make_sample_profiles.c, and extbinary of it
    local dir=$1 kind=$2 file
    shift 2
    "${make_profiles%/*}/make_sample_profiles" "$kind" "$dir" "$@" || bad "make_sample_profiles $kind $*"
    for file in "$dir"/*.prof; do
        ends 0 merge --sample --for=llvm-22 -o "${file%.prof}.afdo" "$file"
    done
}

# The counts of callgrind are "LINE COUNT" below the object they belong to; after "calls=" comes what was called.
own() { # own FILE OBJECT: the instructions of one object
    awk -v object="$2" '
        /^ob=/ { counts = $0 == "ob=" object }
        /^calls=/ { getline; next }
        counts && /^[0-9]+ [0-9]+$/ { n += $2 }
        END { printf "%.0f\n", n }' "$1"
}

count_ended() { # count_ended CODE ARGUMENT...: sets `counted`, the instructions of anyprof itself with them
    local code=0 expected=$1
    shift
    rm -f callgrind.out
    valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out --compress-strings=no --compress-pos=no \
        "$anyprof" "$@" >"$out" 2>"$err" || code=$?
    [ "$code" = "$expected" ] || bad "valgrind anyprof $* ended with code $code"
    # shellcheck disable=SC2034  # for the scripts that read this
    counted=$(own callgrind.out "$(readlink -f "$anyprof")")
}

count_own() { # count_own ARGUMENT...: the same for a command that succeeds
    count_ended 0 "$@"
}
