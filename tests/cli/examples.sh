#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The example programs do what their first comment says.
. "$(dirname "$0")/_lib.sh"
examples=${ANYPROF_BUILD_DIR:-$source_dir/build}/examples
[ -x "$examples/hot_functions" ] && [ -x "$examples/merge_profiles" ] || skip "no examples in $examples"

# hot_functions: the order and the numbers of show --topn, which lists "NAME, max count = N".
ends 0 merge -o all.profdata "$profiles"/clang-*-ir.profraw
ends 0 show --topn=5 all.profdata
sed -n 's/^  \(.*\), max count = \(.*\)$/\2 \1/p' "$out" | cut -d' ' -f1 >theirs
[ "$(wc -l <theirs)" = 5 ] && good || bad "show --topn=5 lists $(wc -l <theirs) functions"
"$examples/hot_functions" all.profdata 5 | awk '{ print $1 }' >ours || bad "hot_functions failed"
cmp -s ours theirs && good || bad "hot_functions: $(paste -sd' ' ours), show: $(paste -sd' ' theirs)"
"$examples/hot_functions" missing.profdata >"$out" 2>"$err"
[ $? = 1 ] && grep -q 'No such file' "$err" && good || bad "hot_functions on a missing file"

# merge_profiles: the bytes of the command.
"$examples/merge_profiles" llvm-16 ours.profdata "$profiles"/clang-*-ir.profraw >"$out" 2>"$err" ||
    bad "merge_profiles failed"
grep -q '^6 of 6 inputs, [0-9]* functions, indexed version 9$' "$out" && good ||
    bad "merge_profiles says something else"
ends 0 merge --for=llvm-16 -o theirs.profdata "$profiles"/clang-*-ir.profraw
same ours.profdata theirs.profdata
"$examples/merge_profiles" llvm-99 never.profdata "$profiles"/clang-22-ir.profraw >"$out" 2>"$err"
[ $? = 1 ] && [ ! -e never.profdata ] && good || bad "merge_profiles with an impossible target"
finish
