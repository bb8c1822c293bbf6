#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All C code is as clang-format 22 writes it. `tests/rules/format.sh --fix` rewrites it.
. "$(dirname "$0")/_lib.sh"

command -v clang-format-22 >/dev/null || skip "no clang-format-22"
mapfile -t files < <(tree src include cli mpi python runtime tests fuzz bench examples -- -name '*.[ch]')
[ ${#files[@]} -gt 0 ] || exit 0
if [ "${1:-}" = --fix ]; then
    clang-format-22 -i "${files[@]}"
else
    clang-format-22 --dry-run -Werror --ferror-limit=1 "${files[@]}" || fail "run tests/rules/format.sh --fix"
    finish
fi
