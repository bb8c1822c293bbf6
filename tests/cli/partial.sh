#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof merge --partial: what it refuses, and partial profiles as inputs. Groups of inputs are compared with one merge
# by oracle/partial.py.
. "$(dirname "$0")/_lib.sh"

cat >a.proftext <<'END'
:ir
main
1
2
10
20

END
sed 's/20/22/' a.proftext >b.proftext
echo bad >bad.proftext
ends 0 merge -o both a.proftext b.proftext
ends 0 merge --partial -o a.part a.proftext
ends 0 merge --partial -o b.part b.proftext
ends 0 merge -o out a.part b.part
same both out
ends 0 merge -o out a.part b.proftext
same both out
ends 0 merge --partial -o both.part a.part b.part
ends 0 merge -o out both.part
same both out
ends 0 merge --partial -o again.part a.proftext b.proftext
same both.part again.part
gzip -k both.part
ends 0 merge -o out both.part.gz
same both out
ends 0 merge -o out - <both.part
same both out
ends 0 merge --partial -o - a.proftext
same "$out" a.part

# Bad inputs are judged by the last merge, which knows them by their names.
ends 0 merge --partial -o c.part bad.proftext a.proftext
hints "warning: bad.proftext: "
ends 1 merge -o new c.part b.part
hints "warning: bad.proftext: "
gone new
ends 0 merge --max-loss=50 -o out c.part b.part
same both out
ends 1 merge --max-loss=20 -o new c.part b.part
ends 1 merge -o new nothing.part
gone new

# Damage.
head -c -1 a.part >cut
ends 1 merge -o new cut b.part
hints "warning: cut: partial profile with an error: the file is cut off inside of a block"
ends 0 merge --failure-mode=all -o out cut b.part
ends 0 merge -o b b.proftext
same b out
{ head -c 8 a.part; printf '\377\377'; tail -c +11 a.part; } >newer
ends 1 merge -o new newer
hints "of a newer anyprof"
gone new

# What is for the last merge, or cannot be yet.
for option in --for=llvm-16 --text --sparse --failure-mode=all --max-loss=5 --delete-inputs --function=a; do
    ends 2 merge --partial $option -o new a.proftext
    hints "is for the merge of partial profiles: --partial decides nothing"
done
gone new
ends 1 merge -o new --weighted-input=2,a.part
hints "the inputs of a partial profile have their weights already"
printf ':ir\n:temporal_prof_traces\n2\n9\n1\na,b,c\n3\nc,a\n' >traces.proftext
printf '%s\n1\n1\n1\n\n' a b c >>traces.proftext
ends 0 merge --partial -o traces.part traces.proftext a.proftext
ends 0 merge -o traces traces.proftext a.proftext
ends 0 merge -o out traces.part
same traces out
ends 1 merge -o new --temporal-profile-trace-reservoir-size=7 traces.part
hints "its traces were chosen with other limits: a reservoir of 100, and at most 10000 functions of each"
gone new

# Other commands read what a merge of the file would write, and warn of inputs that were lost.
ends 0 merge --max-loss=50 -o c.profdata c.part
for command in "show --all-functions --counts" "show --detailed-summary" order "lookup --name main"; do
    case $command in lookup*) set -- lookup c.profdata main ;; *) set -- $command c.profdata ;; esac
    ends 0 "$@"
    cp "$out" expected
    case $command in lookup*) set -- lookup c.part main ;; *) set -- $command c.part ;; esac
    ends 0 "$@"
    same expected "$out"
done

ends 0 show c.part
hints "warning: bad.proftext: "
ends 0 show both.part
silent
ends 0 diff c.part a.proftext
prints "functions that differ: 0, equal: 1"
ends 0 overlap c.part a.proftext
prints "Edge profile overlap: 100.000%"
ends 0 convert --to=text -o c.text c.part
ends 0 merge --text -o a.text a.proftext
same a.text c.text
ends 0 convert --to=json -o c.json c.part
ends 0 convert --to=text -o c.text c.json
same a.text c.text
ends 0 convert --to=text -o t.text traces.part
ends 0 merge --text -o out traces.part
same out t.text
ends 1 convert --to=text -o new cut
hints "cut: partial profile with an error"
ends 1 show cut
hints "error: cut: partial profile with an error: the file is cut off"
ends 0 merge --partial -o bad.part bad.proftext
ends 1 show bad.part
hints "error: bad.part: truncated profile data"
ends 1 convert --to=text -o new bad.part
gone new
ends 0 show - <c.part
ends 0 show both.part.gz

ends 0 info c.part
prints "partial instrumentation profile, version 1"
prints "inputs:            2"
prints "inputs rejected:   1"
prints "functions:         1"
ends 1 info cut
prints "unreadable:        partial profile with an error"
ends 0 info bad.part
prints "inputs rejected:   1"
ends 0 info --json traces.part
prints '"kind": "partial"'
prints '"part": "traces"'
ends 0 check c.part
prints "note: truncated profile data: input bad.proftext was lost"
ends 1 check cut
prints "cut: error: partial profile with an error"
ends 1 check --against=/bin/sh c.part

# Directories.
mkdir parts
cp a.part b.part parts
ends 0 merge -o out parts
same both out
ends 0 check parts
prints "in 2 files"
finish
