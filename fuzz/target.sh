#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fuzz/target.sh BUILD TARGET ARGUMENT...: runs BUILD/fuzz_TARGET with the limits and the dictionary that it has in
# every run, on the arguments and, after them, on its committed corpus: the named files, and the pack, unpacked into
# BUILD/corpus/TARGET.
set -euo pipefail
build=$1 target=$2
shift 2
fuzz=$(dirname "$0")
dictionary=$fuzz/$target.dict
[ -f "$dictionary" ] || dictionary=$fuzz/binary.dict
corpus=()
if [ -f "$fuzz/corpus/$target.pack" ]; then
    "$fuzz/pack.py" unpack "$fuzz/corpus/$target.pack" "$build/corpus/$target"
    corpus+=("$build/corpus/$target")
fi
[ ! -d "$fuzz/corpus/$target" ] || corpus+=("$fuzz/corpus/$target")
exec "$build/fuzz_$target" -timeout=25 -rss_limit_mb=2500 -max_len=8192 -dict="$dictionary" "$@" "${corpus[@]}"
