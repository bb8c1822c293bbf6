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
