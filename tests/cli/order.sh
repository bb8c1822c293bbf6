#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# order against text that llvm-profdata 22 has printed (more in oracle/parity_order.py), its output file, and its
# errors.
. "$(dirname "$0")/_lib.sh"

warning='# Warning: Mach-O may prefix symbols with "_" depending on the linkage and this output does not take that'
warning+=' into account. Some post-processing may be required before passing to the linker via -order_file.'

records() { # records NAME...
    printf '%s\n1\n1\n1\n\n' "$@"
}

{
    printf ':ir\n:temporal_prof_traces\n3\n3\n2\na,b,file.c;y,semi;,;lead,nowhere\n2\na,b,a,c\n1\na\n'
    records a b 'file.c;y' 'semi;' ';lead'
} >traces
ends 0 order --num-test-traces=2 traces
is "an order" "$(cat "$out")" "# Ordered 6 functions
# Total area under the page fault curve: 4.000000e+00
$warning
a
b
# file.c
y
semi;
lead"
{
    printf ':ir\n:temporal_prof_traces\n8\n8\n1\nf4,f0,f1,f2,\n1\nf4,\n1\nf2,f3,f1,f3,\n1\nf3,f2,\n1\n,\n1\n,\n'
    printf '1\nf4,f4,f2,f4,\n1\nf4,f4,\n'
    records f0 f1 f2 f3 f4
} >other
ends 0 order other
is "another order" "$(cat "$out")" "# Ordered 5 functions
$warning
f3
f2
f4
f0
f1"
cp "$out" want
records a >none.proftext
ends 0 order none.proftext
is "no traces" "$(cat "$out")" "# Ordered 0 functions
$warning"

# A merge keeps the order, and linkers take what is printed.
ends 0 merge other -o indexed
ends 0 order indexed
same "$out" want
ends 0 order indexed -o x
same x want
ends 0 order - <other
same "$out" want

ends 1 order --num-test-traces=3 traces
says "error: --num-test-traces must be smaller than the total number of traces: expected: < 3, actual: 3"
ends 1 order --num-test-traces=1 none.proftext -o never
says "error: --num-test-traces must be smaller than the total number of traces: expected: < 0, actual: 1"
gone never
ends 2 order --num-test-traces=4294967296 traces
says "anyprof: --num-test-traces takes a number from 0 to 4294967295, not '4294967296'"
ends 2 order
hints "order: a FILE is required."
ends 2 order ""
says "error: No such file or directory (no profile is named)"
ends 2 order traces other
hints "order: too many arguments, it takes FILE."
ends 1 order none
says "error: none: No such file or directory"
ends 2 order traces -o traces
ends 0 order traces # it is still there
ends 1 order traces -o none/x
says "error: none/x: No such file or directory"
if [ -w /dev/full ]; then
    ends 1 order traces -o /dev/full
    says "error: /dev/full: No space left on device"
fi
printf 'f\n1\n1\n1\n\nbar\nx\n' >late
ends 1 order late
hints "error: late: malformed instrumentation profile data: function hash is not a valid integer"
is "output before an error" "$(cat "$out")" ""
printf ':ir\nf\n1\n1\n1\n' >untimed
ends 0 order untimed
says "warning: untimed: it has no temporal traces, so the order is empty; compile with -fprofile-generate -mllvm \
-pgo-temporal-instrumentation"
finish
