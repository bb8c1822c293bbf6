#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Versions are data: code asks a table row for a capability. A version is compared by order only where the tables are.
. "$(dirname "$0")/_lib.sh"

mapfile -t files < <(tree src -- -name '*.[ch]' |
    grep -vE '/([^/]*_layout\.[ch]|[^/]*_versions\.[ch]|release[^/]*\.c)$')
hits=$(code "${files[@]}" | grep -E \
    -e '[Vv]ersion[A-Za-z0-9_]*[])]* *[<>]=?($|[^<>])' -e '[0-9] *[<>]=? *[A-Za-z_.>-]*[Vv]ersion' |
    grep -vE ':[[:space:]]*#[[:space:]]*include' || true)
[ -z "$hits" ] || fail "a version compared outside the tables: $hits"
finish
