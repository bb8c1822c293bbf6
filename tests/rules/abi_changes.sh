#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The comparison of abi.sh finds what breaks programs, and lets through what does not: of a library of three functions.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_abi.sh"

for tool in abidw abidiff python3 gcc; do
    command -v $tool >/dev/null || skip "no $tool"
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

mkdir "$tmp/old"
cat >"$tmp/old/api.h" <<'END'
#include <stddef.h>
enum apf_kind { APF_ONE, APF_TWO };
struct apf_still { int a, b; };
struct apf_growing { size_t size; int a, b; };
int apf_first(const struct apf_still *still, enum apf_kind kind);
int apf_second(const struct apf_growing *growing);
int apf_third(unsigned n);
struct apf_handle;
int apf_handled(struct apf_handle *handle);
END
abi_suppressions "$tmp/old" apf_still apf_stiller >"$tmp/compatible"
# The handle is private, though its structure is in a file that is called as a header is.
mkdir "$tmp/private"
cat >"$tmp/private/api.h" <<'END'
struct apf_handle { int a, b; };
END
cat >"$tmp/api.c" <<'END'
#include "api.h"
#include "private/api.h"
int apf_handled(struct apf_handle *handle) { return handle->b; }
int apf_first(const struct apf_still *still, enum apf_kind kind) { return still->a + (int)kind; }
int apf_second(const struct apf_growing *growing) { return growing->a; }
int apf_third(unsigned n) { return (int)n; }
int anyprof_private(struct apf_still *still) { return still->b; }
END

build_abi() { # build_abi DIRECTORY: with the headers there, and its own source if there is one
    local source=$tmp/api.c
    [ ! -e "$1/api.c" ] || source=$1/api.c
    gcc -g -O0 -fPIC -shared -I"$1" -I"$1/.." "$source" -Wl,-soname,libtrial.so.0 -o "$1/libtrial.so" &&
        abi_write "$1/libtrial.so" "$1" "$1/abi"
}

try() { # try 0|1 WHAT SED-SCRIPT: of the header and the source
    local dir=$tmp/$2 code=0
    mkdir "$dir"
    sed -E "$3" "$tmp/old/api.h" >"$dir/api.h"
    sed -E "$3" "$tmp/api.c" >"$dir/api.c"
    ! { cmp -s "$dir/api.h" "$tmp/old/api.h" && cmp -s "$dir/api.c" "$tmp/api.c"; } || fail "$2 changes nothing"
    build_abi "$dir" >"$tmp/log" 2>&1 || fail "$2: $(cat "$tmp/log")"
    abi_compare "$tmp/old" "$tmp/old/abi" "$dir/abi" >"$tmp/report" 2>&1 || code=1
    [ $code = "$1" ] || fail "$2: $([ "$1" = 0 ] && echo 'is refused' || echo 'is not found'): $(cat "$tmp/report")"
}

build_abi "$tmp/old" >"$tmp/log" 2>&1 || fail "$(cat "$tmp/log")"
try 0 one-more-function \
    's/^int apf_third.*\}/&\nint apf_fourth(void) { return 4; }/; s/^int apf_third.*;$/&\nint apf_fourth(void);/'
try 0 one-more-field 's/(size_t size; int a, b;)/\1 int c;/'
try 0 one-more-enumerator 's/APF_TWO }/APF_TWO, APF_THREE }/'
try 0 another-private-function 's/anyprof_private\(struct apf_still/anyprof_private(int unused, struct apf_still/'
try 0 a-new-structure 's/^(enum apf_kind.*)/\1\nstruct apf_new { int a; };/'
sed -i 's/int a, b;/long c; int a, b;/' "$tmp/private/api.h"
try 0 another-private-structure 's/anyprof_private\(struct/anyprof_other(struct/'
sed -i 's/long c; //' "$tmp/private/api.h"
try 1 one-function-less 's/^(int )apf_third/\1apf_other/'
try 1 another-parameter 's/unsigned n/unsigned long n/'
try 1 another-result 's/^int apf_third/long apf_third/'
try 1 a-field-in-the-middle 's/(size_t size; int a, )b;/\1between, b;/'
try 1 a-field-less 's/(size_t size; int a), b;/\1;/'
try 1 another-field 's/(size_t size;) int a, b;/\1 int a; long b;/'
try 1 a-frozen-structure-grows 's/(apf_still \{ int a, b);/\1, c;/'
try 1 enumerators-are-renumbered 's/APF_ONE, APF_TWO/APF_ZERO, APF_ONE, APF_TWO/'
finish
