#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# diff: its text, JSON, limits, and exit codes. The numbers are those of unit/instr/views/test_profile_diff.c.
. "$(dirname "$0")/_lib.sh"

printf 'f\n1\n2\n30\n30\n\ng\n1\n1\n20\n\nh\n1\n1\n5\n\ni\n1\n1\n5\n\nj\n1\n1\n10\n\n' >a
printf 'f\n1\n2\n400\n100\n\ng\n2\n1\n100\n\nh\n1\n2\n50\n50\n\nk\n1\n1\n200\n\nj\n1\n1\n100\n\n' >b
ends 0 diff a b
is "the text" "$(cat "$out")" "A: a: functions 5, sum of counts 100
B: b: functions 5, sum of counts 1000

  effect      in A      in B  function
 15.000%   60.000%   50.000%  f: counts
 15.000%   20.000%   10.000%  g: hash 0x0000000000000001 -> 0x0000000000000002
 10.000%    0.000%   20.000%  k: only in B
  7.500%    5.000%   10.000%  h: counters 1 -> 2
  2.500%    5.000%    0.000%  i: only in A

  effect functions
  2.500%         1  only in A
 10.000%         1  only in B
 15.000%         1  different hash
  7.500%         1  different number of counters
 15.000%         1  counts changed

difference: 50.000% of the counts moved; functions that differ: 5, equal: 1"
ends 0 diff a b --topn=2
is "a limit" "$(sed -n '4,7p' "$out")" "  effect      in A      in B  function
 15.000%   60.000%   50.000%  f: counts
 15.000%   20.000%   10.000%  g: hash 0x0000000000000001 -> 0x0000000000000002
... and 3 more; --topn=0 lists all"
ends 0 diff a b --function=f
is "a filter" "$(tail -n 1 "$out")" \
    "difference: 15.000% of the counts moved; functions that differ: 1, equal: 0"
ends 0 diff a b --absolute
is "as they are" "$(tail -n 1 "$out")" \
    "difference: 87.273% of the counts moved; functions that differ: 6, equal: 0"
ends 0 diff a a
is "nothing" "$(cat "$out")" "A: a: functions 5, sum of counts 100
B: a: functions 5, sum of counts 100

difference: 0.000% of the counts moved; functions that differ: 0, equal: 5"

# The verdict.
ends 0 diff a b --fail-above=50
is "no complaint" "$(cat "$err")" ""
ends 0 diff a b --fail-above=50%
ends 3 diff a b --fail-above=49.999999
says "error: 50 % of the counts moved, more than 49.999999 %"
is "the text is there all the same" "$(wc -l <"$out")" 18
ends 0 diff a a --fail-above=0
ends 3 diff a b --fail-above=0 --json -o x.json
is "so is the file" "$(head -n 2 x.json | tail -n 1)" '  "schema": "anyprof-diff/1",'
ends 2 diff a b --fail-above=101
hints "anyprof: --fail-above takes a percentage from 0 to 100"

# A run ten times as long does not differ.
for release in 14 19 22; do
    ends 0 merge "$profiles/clang-$release-ir.profraw" -o one.profdata
    ends 0 merge --weighted-input="10,$profiles/clang-$release-ir.profraw" -o ten.profdata
    ends 0 diff --fail-above=0 one.profdata ten.profdata
    is "differences of $release" "$(grep -c 'functions that differ: 0,' "$out")" 1
    ends 3 diff --fail-above=0 --absolute one.profdata ten.profdata
done

# Names.
printf ':ir\nx.c:f\n1\n1\n1\n\ng.llvm.123\n1\n1\n1\n\n' >old
printf ':ir\nx.c;f\n1\n1\n1\n\ng.llvm.77\n1\n1\n1\n\n' >new
ends 0 diff old new --fail-above=0
is "paired" "$(sed -n '5,6p' "$out")" "  0.000%   50.000%   50.000%  g.llvm.123: in B g.llvm.77
  0.000%   50.000%   50.000%  x.c:f: in B x.c;f"
ends 3 diff old new --fail-above=99.9 --exact-names
says "error: 100 % of the counts moved, more than 99.9 %"

# Control characters do not reach the terminal.
printf 'a_long_name\033[2Jb\n1\n1\n1\n\n' >escape
ends 0 diff escape a
is "escaped" "$(grep -c 'a_long_name\\x1b\[2Jb: only in A' "$out")" 1

# JSON for programs, and the example of docs/json.md.
if command -v python3 >/dev/null; then
    ends 0 diff --json a b
    python3 - "$out" "$source_dir/docs/json.md" <<'END' || bad "the JSON"
import json, re, sys
made = json.load(open(sys.argv[1]))
text = open(sys.argv[2], encoding="utf-8").read()
shown = re.search(r"diff --json a b -->\n```json\n(.*?)```", text, re.S).group(1)
shown = json.loads(shown)
shown["generator"] = made["generator"]
sys.exit(0 if made == shown else print("docs/json.md shows something else:", made) or 1)
END
    good
fi
ends 0 diff --json --topn=1 a b
is "not listed" "$(grep -c '"not_listed": 4' "$out")" 1

# Errors.
ends 1 diff a none -o never
says "error: none: No such file or directory"
gone never
ends 2 diff a b -o b
ends 0 diff a b # it is still there
ends 2 diff a
says "anyprof: diff: two profiles are required.  Try: '$anyprof diff --help'"
ends 1 diff --max-records=3 a b
hints "error: a: a limit of this run was exceeded"
if [ -w /dev/full ]; then
    ends 1 diff a b -o /dev/full
    says "error: /dev/full: No space left on device"
    "$anyprof" diff --fail-above=0 a b >/dev/full 2>"$err"
    is "exit code when the output is lost" $? 1
fi

# Where nothing is compared nothing is said to be the same.
ends 1 diff old old --function=nosuch --fail-above=0
says "error: no function was compared: neither profile has one of this name"
ends 0 diff old old --function=nosuch
says "warning: no function was compared: neither profile has one of this name"
ends 1 diff old old --cs --fail-above=0
says "error: no function was compared: neither profile has context-sensitive records"
# An input that cannot be read is another exit code than one that differs.
ends 1 diff old nothing --fail-above=0
# Front-end and IR profiles have nothing in common.
printf 'f\n1\n1\n1\n\n' >fe
printf ':ir\nf\n2\n1\n1\n\n' >ir
ends 0 diff fe ir
hints "is one of the front end: their hashes and counters are made in different ways, so that their counts cannot be"

# A memory profile has nothing to compare, and that is said.
printf -- '---\nHeapProfileRecords:\n  - GUID: 0x1\n' >memory.yaml
ends 0 diff memory.yaml memory.yaml
says "warning: memory.yaml: this is a memory profile without counts; only counts are compared"
finish
