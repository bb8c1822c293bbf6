#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the runtime's core and the example for a Cortex-M3 and runs it in qemu: bare_metal.profraw is its profile.
#   examples/bare_metal/build.sh [DIRECTORY]     builds in DIRECTORY (default: build/bare_metal)
#
# CLANG (clang-22), LLD (ld.lld-22), PROFILE (-fprofile-instr-generate), CPU and TARGET may be set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "${1:-build/bare_metal}"
cd "${1:-build/bare_metal}"
clang=${CLANG:-clang-22} lld=${LLD:-ld.lld-22}

target=(--target="${TARGET:-thumbv7m-none-eabi}" -mcpu="${CPU:-cortex-m3}")
flags=("${target[@]}" -std=c11 -Oz -ffreestanding -ffunction-sections -fdata-sections)
quiet=(-fno-unwind-tables -fno-asynchronous-unwind-tables)

# 1. The core: twelve small files of runtime/; the linker drops unused sections.
core=(bare buffer clock core elf layout out register reset sections values values_write write)
objects=()
for part in "${core[@]}"; do
    "$clang" "${flags[@]}" "${quiet[@]}" -I"$root/include" -I"$root/src" -c "$root/runtime/rt_$part.c" -o "rt_$part.o"
    objects+=("rt_$part.o")
done

# 2. The program, with the profile flags; start-up code and transport without.
read -ra profile <<<"${PROFILE:--fprofile-instr-generate}"
"$clang" "${flags[@]}" "${quiet[@]}" "${profile[@]}" -c "$here/bare_program.c" -o bare_program.o
for part in main start semihosting; do
    "$clang" "${flags[@]}" "${quiet[@]}" -I"$root/include" -c "$here/bare_$part.c" -o "bare_$part.o"
done
"$clang" "${flags[@]}" "${quiet[@]}" -fno-builtin -c "$here/bare_memory.c" -o bare_memory.o

# 3. Link core and program.
rm -f libanyprof_rt_core.a bare_metal.profraw
llvm-ar-22 rcs libanyprof_rt_core.a "${objects[@]}"
"$lld" -T "$here/mps2_an385.ld" --gc-sections bare_main.o bare_program.o bare_start.o bare_semihosting.o \
    bare_memory.o libanyprof_rt_core.a -o bare_metal.elf

# 4. Run it.
qemu-system-arm -M mps2-an385 -nographic -monitor none -serial none \
    -semihosting-config enable=on,target=native -kernel bare_metal.elf
ls -l bare_metal.profraw
