#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# show, overlap and order with --json: exact values, what options add, and what stays as it is under LLVM's name.
# tests/oracle/json_schemas.py has the schemas, json_numbers.py large numbers.
. "$(dirname "$0")/_lib.sh"
command -v jq >/dev/null || skip "no jq"

cat >ir.proftext <<'END'
:ir
:entry_first
main
12
3
5
6
7
1
0
1
2
a.c;helper:30
a.c;other:10

a.c;helper
15
2
100
1

idle
9
1
0

hot
3
1
18446744073709551615

END
ends 0 show --json ir.proftext
has '.schema == "anyprof-show/1" and .functions == null and .hot == null and .top == null and .functions_shown == 0'
has '.summary == {functions: 3, counters: 6, max_function_count: 100, max_internal_count: 7, total_count: 119,
    value_cutoff: 0, functions_below_cutoff: 0}'
has '.source.kind == "text" and .variant == ["ir", "entry_first"] and .context_sensitive == false'
ends 0 show --json --all-functions --counts --ic-targets --topn=1 ir.proftext
has '[.functions[].name] | sort == ["a.c;helper", "hot", "idle", "main"]'
has '.functions_shown == 4 and .top == [{name: "a.c;helper", hash: "0x000000000000000f", max_count: 100}]'
has '.functions[] | select(.name == "main") | .hash == "0x000000000000000c" and .counts == [5, 6, 7] and .sum == 18 and
    .max_count == 7 and .function_count == null and ([.indirect_calls[][].count] == [30, 10])'
has '.functions[] | select(.name == "hot") | .pseudo == "hot" and .sum == null and has("counts") == false'
has '.value_sites.indirect_calls == {sites: 1, sites_with_values: 1, values: 2, histogram: [{values: 2, sites: 1}]}'
has '.value_sites.vtables == null'
ends 0 show --json --covered ir.proftext
has '(.covered | sort) == ["a.c;helper", "hot", "main"] and .functions == null'
ends 0 show --json --list-below-cutoff --value-cutoff=50 ir.proftext
has '(.below_cutoff | map([.name, .max_count, .sum]) | sort) == [["idle", 0, 0], ["main", 7, 18]]'
has '.summary.functions_below_cutoff == 2'
ends 0 show --json --hot-func-list --detailed-summary --detailed-summary-cutoffs=990000 ir.proftext
has '.detailed_summary == [{cutoff: 990000, min_count: 5, counters: 4}] and .hot.threshold == 5 and
    [.hot.functions[].name] == ["a.c;helper", "main"]'
printf 'fe\n1\n2\n4\n9\n\n' >fe.proftext
ends 0 show --json --function=fe fe.proftext
has '.functions[0].function_count == 4 and .functions[0].sum == 13'

# --- sample profiles ---
printf 'main:30:2\n 1: 10\n 2: foo:20\n  1: 20\nbar:5:1\n 1: 5\n' >a.prof
ends 0 show --json --topn=1 --detailed-summary a.prof
has '.schema == "anyprof-sample-show/1" and [.functions[].name] == ["main", "bar"] and .symbols == null'
has '.summary == {functions: 2, counts: 3, max_count: 20, max_head: 2, total: 35}'
has '(.detailed_summary | length) == 16'
has '.functions[0].inlined == [{depth: 1, line: 2, name: "foo", total: 20, lines: [{line: 1, count: 20}]}]'
has '.hot.functions == [{name: "main", total: 30, max_count: 20, entries: 10}] and .hot.samples == 35'
ends 0 show --json --function=bar a.prof
has '[.functions[].name] == ["bar"] and .hot == null'
ends 2 show --json --show-format=json a.prof
says "error: --json and --show-format=json are two formats: give one of them"
ends 2 show --json --show-sec-info-only a.prof
ends 0 show --show-format=json a.prof
has 'type == "array"'

# --- overlap and order ---
printf ':ir\nmain\n12\n3\n5\n6\n7\n\nnew\n1\n1\n18\n\n' >b.proftext
printf ':ir\nmain\n12\n3\n5\n6\n7\n\na.c;helper\n15\n2\n100\n1\n\n' >real.proftext
ends 0 overlap --json --function=main real.proftext b.proftext
has '.schema == "anyprof-overlap/1" and .base.path == "real.proftext" and .test.path == "b.proftext"'
has '.totals.overlap.functions == 1 and .totals.only_in_test.functions == 1 and .totals.only_in_test.counts == 0.5'
has '.without_counts == null and .totals.base_sums.counts == 119 and .totals.test_sums.counts == 36'
has '.functions[0].name == "main" and .functions[0].overlap.counters == 3 and .functions[0].overlap.counts == 1'
printf ':ir\nidle\n9\n1\n0\n\n' >none.proftext
ends 0 overlap --json none.proftext b.proftext
has '.without_counts == "base" and .totals.overlap.counts == 0'
printf 'main:40:2\n 1: 20\n 2: foo:20\n  1: 20\nonly:5:1\n 1: 5\n' >b.prof
ends 0 overlap --json --value-cutoff=20 a.prof b.prof
has '.schema == "anyprof-sample-overlap/1" and .base.samples == 35 and .test.samples == 45'
has '.functions_in == {both: 1, only_in_base: 1, only_in_test: 1} and [.functions[].name] == ["main"]'
has '.functions[0].base.samples == 30 and .functions[0].test.samples == 40'
cat >traces.proftext <<'END'
:ir
:temporal_prof_traces
2
2
1
a,b
1
b,c

a
1
1
1

b
1
1
1

c
1
1
1

END
ends 0 order --json traces.proftext
has '.schema == "anyprof-order/1" and .traces == 2 and .test_traces == 0 and .page_fault_area == null and
    ([.functions[].name] | sort) == ["a", "b", "c"] and (.functions[0].id | test("^0x[0-9a-f]{16}$"))'
jq -r '.functions[].name' "$out" >names
ends 0 order traces.proftext
is "the order" "$(cat names)" "$(grep -v '^#' "$out")"
ends 0 order --json --num-test-traces=1 traces.proftext
has '.traces == 1 and .test_traces == 1 and .page_fault_area > 0'

# --- under LLVM's name ---
ln -s "$anyprof" llvm-profdata
anyprof=$PWD/llvm-profdata
ends 1 show --json ir.proftext
says "error: JSON output is not supported for instr profiles"
ends 0 show --sample --json a.prof
has 'type == "array"'
finish
