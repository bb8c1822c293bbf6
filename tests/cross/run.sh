#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run.sh ARCHITECTURE ROOT PROGRAM ARGUMENT...: runs a program of another architecture (aarch64, s390x) with qemu, and
# with the libraries that libraries.sh has unpacked into ROOT.
arch=$1 root=$2
shift 2
libraries=$root/usr/lib/$arch-linux-gnu:$root/lib/$arch-linux-gnu
exec "qemu-$arch" -L "/usr/$arch-linux-gnu" -E "LD_LIBRARY_PATH=$libraries" "$@"
