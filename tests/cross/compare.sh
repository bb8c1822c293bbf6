#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# compare.sh ANYPROF ROOT FOREIGN: FOREIGN, the command built for s390x without ELF, writes and prints what ANYPROF
# does, byte for byte, whichever byte order its inputs have. The exit code is 1 if it does not.
set -euo pipefail
native=$1 root=$2 foreign=$3
here=$(cd "$(dirname "$0")" && pwd)
profiles=$here/../../examples/profiles
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# same ARGUMENT...: of both commands, run where their outputs are, which are called the same.
same() {
    local code=0 other=0
    (cd "$tmp/native" && "$native" "$@") >"$tmp/native.out" 2>&1 || code=$?
    (cd "$tmp/foreign" && "$here/run.sh" s390x "$root" "$foreign" "$@") >"$tmp/foreign.out" 2>&1 || other=$?
    if [ "$code" != "$other" ] || ! diff -a "$tmp/native.out" "$tmp/foreign.out" ||
        ! diff -r "$tmp/native" "$tmp/foreign"; then
        printf 'anyprof %s: exit codes %s and %s, or other results\n' "$*" "$code" "$other" >&2
        bad=1
    fi
}

native=$(realpath "$native") root=$(realpath "$root") foreign=$(realpath "$foreign")
mkdir "$tmp/native" "$tmp/foreign"
for version in 1 4 7 12 13; do
    same merge --for=indexed-$version -o indexed-$version.profdata "$profiles"/*.profraw
done
same merge --text -o all.proftext indexed-13.profdata
same convert --to=json -o all.json indexed-13.profdata
same convert --to=indexed -o again.profdata all.json
same merge -o from-text.profdata all.proftext
for file in "$profiles"/*.profraw indexed-1.profdata indexed-12.profdata indexed-13.profdata all.proftext; do
    same show --all-functions --counts --ic-targets --memop-sizes --binary-ids "$file"
    same info "$file"
    same check "$file"
done
same overlap indexed-7.profdata indexed-12.profdata
same diff --json "$profiles/clang-13-ir.profraw" "$profiles/clang-22-ir.profraw"
same order indexed-13.profdata
same lookup indexed-13.profdata main
head -c 1500 "$profiles/clang-22-ir.profraw" >"$tmp/cut.profraw"
same merge --salvage --report=report.json -o salvaged.profdata "$tmp/cut.profraw" "$profiles/clang-13-ir.profraw"
exit $bad
