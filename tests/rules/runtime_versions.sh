#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Each raw version of src/instr/layout/raw_versions.c is a row of runtime/rt_layout.c with the same records and header,
# or that file's comment "Not written" lists it.
. "$(dirname "$0")/_lib.sh"

library=src/instr/layout/raw_versions.c runtime=runtime/rt_layout.c
not_written=$(sed -nE 's|^/\* Not written: ([0-9, ]+)[:;.].*|\1|p' "$runtime" | tr -d ' ')
# "NUMBER RECORD HEADER" of each version
in_library=$(sed -nE 's/^ *ROW\(([0-9]+), (V[0-9]+), (V[0-9]+),.*/\1 \3 \2/p' "$library")
in_runtime=$(sed -nE 's/^ *ROW\(([0-9]+), (V[0-9]+), header_v([0-9]+),.*/\1 \2 V\3/p' "$runtime")
[ -n "$in_library" ] || fail "$library: no rows found"
[ -n "$in_runtime" ] || fail "$runtime: no rows found"

while read -r version layout; do
    row=$(awk -v version="$version" '$1 == version { print $2, $3 }' <<<"$in_runtime")
    if [[ ,$not_written, == *,$version,* ]]; then
        [ -z "$row" ] || fail "$runtime: raw version $version has a row and is listed as not written"
    elif [ -z "$row" ]; then
        fail "$runtime: raw version $version of $library needs a row, or a place in the list of those not written"
    elif [ "$row" != "$layout" ]; then
        fail "raw version $version has records and header $layout in $library, $row in $runtime"
    fi
done <<<"$in_library"
while read -r version _; do
    grep -q "^$version " <<<"$in_library" || fail "$runtime: raw version $version is not in $library"
done <<<"$in_runtime"
finish
