#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The runtime of a build with LTO and without libanyprof-elf: its archives hold machine code alone, which the linker of
# every compiler reads; the runtime's manual page is installed with it.
. "$(dirname "$0")/_lib.sh"

command -v readelf >/dev/null || skip "no readelf"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc=${ANYPROF_CC:-cc}
CFLAGS=-flto cmake -S . -B "$tmp/b" -DCMAKE_C_COMPILER="$cc" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DANYPROF_ELF=OFF \
    >"$tmp/log" 2>&1 || fail "configuring: $(tail -n 20 "$tmp/log")"
cmake --build "$tmp/b" -j 2 --target anyprof_rt anyprof_rt_core >"$tmp/log" 2>&1 || fail "$(tail -n 20 "$tmp/log")"
cmake --install "$tmp/b/runtime" --prefix "$tmp/usr" >"$tmp/log" 2>&1 || fail "install: $(tail -n 20 "$tmp/log")"

for name in anyprof_rt anyprof_rt_core; do
    archive=$(find "$tmp/usr" -name "lib$name.a")
    [ -n "$archive" ] || fail "lib$name.a is not installed"
    # LLVM's bitcode is no ELF, and gcc's LTO is in sections of this name.
    said=$(readelf -SW "$archive" 2>&1) || fail "lib$name.a: $said"
    ! grep -E 'Not an ELF|\.gnu\.lto_' <<<"$said" >"$tmp/hits" || fail "lib$name.a: $(head -n 3 "$tmp/hits")"
done
cmp -s docs/man/anyprof_rt.7 "$tmp/usr/share/man/man7/anyprof_rt.7" || fail "anyprof_rt.7 is not installed"
finish
