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
for option in --for=llvm-16 --text --extbinary --binary --gcc --compbinary --sparse --failure-mode=all --max-loss=5 \
    --function=a --memprof-version=3 --memprof-full-schema --keep-vtable-symbols; do
    ends 2 merge --partial $option -o new a.proftext
    hints "${option%=*} is for the merge of partial profiles: --partial decides nothing"
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
hints "error: traces.part: not supported: its traces were chosen with other limits: a reservoir of 100, "
hints "--temporal-profile-trace-reservoir-size=N and --temporal-profile-max-trace-length=N"
gone new
# Options that do not go with a part are no reason to lose its inputs, also where no input is judged.
ends 1 merge --partial -o new --temporal-profile-trace-reservoir-size=7 traces.part a.proftext
hints "error: traces.part: not supported"
ends 1 merge --partial -o new --temporal-profile-max-trace-length=7 traces.part a.proftext
ends 1 merge --failure-mode=all -o new --weighted-input=2,a.part b.proftext
hints "error: a.part: not supported: the inputs of a partial profile have their weights already"
gone new

# --salvage is of the making of parts.
printf 'main\n1\n2\n10\n20\nfoo\n1\n2\n10\n' | cat - a.proftext | head -c 40 >damaged.proftext
ends 0 merge --salvage -o salvaged damaged.proftext
ends 0 merge --partial --salvage -o damaged.part damaged.proftext
ends 0 merge -o out damaged.part
same salvaged out
ends 0 merge --partial -o damaged.part damaged.proftext
ends 1 merge --salvage -o new damaged.part
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

# Inputs without names: the same result, of which it is known how many inputs there were.
: >none.proftext
for_all=(a.proftext b.proftext bad.proftext none.proftext a.proftext)
ends 0 merge --partial -o names.part "${for_all[@]}"
ends 0 merge --partial --forget-inputs -o kinds.part "${for_all[@]}"
hints "warning: bad.proftext: truncated"
ends 0 merge --partial --forget-inputs -o turned.part none.proftext b.proftext a.proftext a.proftext bad.proftext
same kinds.part turned.part
ends 0 merge --partial --forget-inputs -o turned.part names.part
same kinds.part turned.part
ends 0 merge --partial --forget-inputs -o twice.part kinds.part names.part
ends 0 merge --partial --forget-inputs -o turned.part "${for_all[@]}" "${for_all[@]}"
same twice.part turned.part
if grep -q proftext kinds.part; then bad "a name is left"; else good; fi
ends 0 info twice.part
prints "inputs:            10"
prints "inputs rejected:   2"
prints "inputs empty:      2"
ends 0 merge --failure-mode=all -o expected names.part
ends 0 merge --failure-mode=all -o out kinds.part
hints "warning: kinds.part: truncated profile data"
same expected out
ends 0 merge --max-loss=40 -o out --report=report.json twice.part
hints "warning: twice.part: truncated profile data: 2 of its inputs"
ends 1 merge --max-loss=39 -o new twice.part
hints "more inputs are lost than --max-loss allows: 4 of 10"
ends 1 merge -o new twice.part
hints "2 of 10 inputs are bad"
gone new
is "totals" "$(python3 -c 'import json; t = json.load(open("report.json")); print(
    [t["totals"][k] for k in ("inputs", "merged", "rejected", "empty", "sum_of_counts")],
    sorted((i["verdict"], i["inputs"], i["path"], i["functions"]) for i in t["inputs"]))')" \
    "[10, 6, 2, 2, 184] [('empty', 2, 'twice.part', None), ('merged', 6, 'twice.part', 6), \
('rejected', 2, 'twice.part', None)]"
ends 0 merge --partial -o named.part kinds.part a.proftext
ends 0 merge --failure-mode=all -o out named.part
hints "warning: kinds.part: truncated profile data"
for i in $(seq 300); do cp a.proftext many.$i.proftext; done
ends 0 merge --partial --forget-inputs -o many.part many.*.proftext
ends 0 merge --partial --forget-inputs -o few.part many.1.proftext
is "size of one input and of 300" "$(($(stat -c %s many.part) - $(stat -c %s few.part) < 20))" 1
ends 0 merge --partial --forget-inputs --weighted-input=2,a.proftext -o weights.part b.proftext
ends 0 merge -o expected --weighted-input=2,a.proftext b.proftext
ends 0 merge -o out weights.part
same expected out
ends 2 merge --forget-inputs -o new a.proftext
hints "--forget-inputs is for --partial"
rm many.*
# Inputs of two kinds that share a function, in any order.
sed 's/^:ir$/:ir\n:entry_first/' a.proftext >entry.proftext
ends 0 merge --partial --forget-inputs -o one.part a.proftext entry.proftext b.proftext
ends 0 merge --partial --forget-inputs -o two.part entry.proftext b.proftext a.proftext
same one.part two.part

# Inputs that are removed: those that contradict each other, too, and partial profiles. Bad ones stay, unlisted.
mkdir removed
for i in 1 2 3; do cp a.proftext removed/a$i.proftext; done
sed 's/^2$/1/; /^20$/d' a.proftext >removed/other.proftext
cp bad.proftext removed
cp names.part removed/names.part
ends 0 merge --failure-mode=all -o expected removed
ends 0 merge --partial --delete-inputs -o sum.part removed
hints "note: 5 inputs removed"
is "left" "$(ls -A removed)" bad.proftext
ends 0 info sum.part
prints "inputs:            9"
prints "inputs rejected:   1"
ends 0 merge --failure-mode=all -o out sum.part
same expected out
for i in 1 2; do
    cp a.proftext removed/a.proftext
    ends 0 merge --partial --delete-inputs --forget-inputs -o sum.part sum.part removed/a.proftext
done
ends 0 merge --failure-mode=all -o expected --weighted-input=7,a.proftext b.proftext
ends 0 merge --failure-mode=all -o out sum.part
same expected out
ends 1 merge --partial --delete-inputs -o new removed/bad.proftext
gone new
is "left" "$(ls -A removed)" bad.proftext
ends 1 merge --partial --delete-inputs -o sum.part a.proftext
hints "the output exists and would be replaced: make it one of the inputs, or remove it"
cp a.part b.part removed
ends 0 merge --delete-inputs -o removed.profdata removed/a.part removed/b.part
hints "2 inputs removed"
same both removed.profdata
cp sum.part removed
cp a.proftext other.proftext
ends 0 merge --delete-inputs --failure-mode=all -o some.profdata removed/sum.part
hints "removed/sum.part: merged, but not removed: a part of its inputs was left out, or may have been"
is "left" "$(ls -A removed)" "bad.proftext
sum.part"

# Inputs of kinds that do not go together are in the part, and removed; what they become is for the last merge.
printf ':fe\nmain\n1\n2\n10\n20\n\n' >fe.proftext
mkdir kinds
for i in 1 2; do cp a.proftext kinds/a$i.proftext; done
cp fe.proftext kinds
ends 0 merge --partial --delete-inputs --forget-inputs -o sides.part kinds
hints "note: 3 inputs removed"
is "left" "$(ls -A kinds)" ""
for i in 1 2; do
    cp fe.proftext kinds/fe.proftext
    ends 0 merge --partial --delete-inputs -o sides.part sides.part kinds
done
ends 0 merge --failure-mode=all -o expected a.proftext a.proftext fe.proftext fe.proftext fe.proftext
ends 0 merge --failure-mode=all -o out sides.part
hints "warning: sides.part: "
same expected out

# An input that could not be removed is in the part, and a merge without the option leaves it out.
cp a.proftext kinds/real.proftext
ln -s real.proftext kinds/link.proftext
ends 0 merge --partial -o grown.part b.proftext
ends 0 merge --partial --delete-inputs -o grown.part grown.part kinds/link.proftext
hints "kinds/link.proftext: merged, but not removed: it is a symbolic link"
ends 0 merge --partial -o grown.part grown.part a.part kinds/link.proftext
ends 0 merge --partial --delete-inputs -o grown.part grown.part kinds/link.proftext
ends 0 merge -o expected b.proftext a.proftext a.proftext
ends 0 merge -o out grown.part
same expected out
ends 0 info grown.part
prints "inputs:            3"
rm -r kinds

# Files of which none is a profile: merges of both kinds take a part of them, and its names are as good as theirs.
: >empty
printf 'hello world\n' >words.afdo
printf '# nothing\n' >bare
printf 'foo:10:10\n 1: 10\n' >foo.prof
for files in "empty foo.prof" "empty a.proftext" "words.afdo foo.prof" "words.afdo a.proftext" "bare foo.prof" \
    "bare a.proftext" "empty words.afdo" "words.afdo bare" "empty"; do
    for option in "" --failure-mode=all; do
        rm -f one new
        wanted=0
        "$ANYPROF" merge $option -o one $files 2>one.messages || wanted=$?
        parts=
        for file in $files; do
            ends 0 merge --partial -o "$file.part" "$file"
            parts="$parts $file.part"
        done
        ends 0 merge --partial --forget-inputs -o forgotten.part $parts
        ends 0 merge --partial -o up.part $parts
        ends $wanted merge $option -o new $parts
        same "$err" one.messages
        [ ! -e one ] || same new one
        ends $wanted merge $option -o new up.part
        same "$err" one.messages
        [ ! -e one ] || same new one
        ends $wanted merge $option -o new forgotten.part
        [ ! -e one ] || same new one
        rm -rf parts.d && mkdir parts.d && mv $parts parts.d
        ends $wanted merge $option -o new parts.d
        [ ! -e one ] || same new one
    done
done
ends 0 merge --partial -o none.part empty words.afdo
hints "warning: words.afdo: Unrecognized sample profile"
ends 0 info none.part
prints "as samples"
ends 1 show --instr none.part
hints "empty raw profile file"
ends 1 show none.part
hints "the file is empty"
head -c -1 none.part >cut
ends 1 merge -o new cut foo.prof
ends 1 merge -o new cut a.proftext
ends 0 merge --partial -o foo.prof.part foo.prof
head -c 12 foo.prof.part >cut
ends 0 merge --failure-mode=all -o new cut foo.prof
ends 0 merge --partial --report=none.json -o none.part empty words.afdo
if grep -q '"verdict": "written"' none.json; then good; else bad "another verdict in the report"; fi
ends 0 merge --partial --report=none.json -o - empty words.afdo
if grep -q '"verdict": "written"' none.json; then good; else bad "another verdict in the report on standard output"; fi
# Inputs that are removed are in one file, whose kind is known; the output has it if a run before has removed them.
ends 1 merge --partial --delete-inputs -o more.part none.part empty
hints "with --delete-inputs, give --instr or --sample"
ends 2 merge --partial --delete-inputs words.afdo
hints "--delete-inputs needs a file as the output"
ends 0 merge --partial --delete-inputs --sample -o more.part none.part empty
gone none.part
is "what is kept" "$(echo empty*)" empty
ends 0 merge --partial --delete-inputs -o more.part more.part empty
ends 0 merge --failure-mode=all -o new more.part foo.prof
ends 0 merge -o foo foo.prof
same foo new
rm -f empty words.afdo bare new one

# Directories.
mkdir parts
cp a.part b.part parts
ends 0 merge -o out parts
same both out
ends 0 check parts
prints "in 2 files"

# Sample profiles, of which some contradict each other.
cat >a.prof <<'END'
foo:10:1
 1: 5
 2: bar:4
  1: 4
  !CFGChecksum: 77
 !CFGChecksum: 5
baz:3:1
 1: 3
 !CFGChecksum: 9
END
sed 's/77/78/; s/^ 1: 5$/ 1: 50/' a.prof >b.prof
printf 'foo:30:1\n 1: 15\n !CFGChecksum: 6\n' >c.prof
printf 'line:30:1\n 1: 15\n' >line.prof
echo bad >bad.prof
all=(a.prof c.prof --weighted-input=3,b.prof)
ends 0 merge --extbinary -o expected --report=expected.json "${all[@]}"
cp "$err" messages
ends 0 merge --partial -o one.part --weighted-input=3,b.prof
ends 0 merge --partial -o two.part a.prof c.prof
ends 0 merge --partial -o tree.part two.part one.part
for inputs in "two.part one.part" "a.prof c.prof one.part" tree.part "- one.part"; do
    ends 0 merge --extbinary -o out --report=report.json $inputs <two.part
    same expected out
    same messages "$err"
    same <(sed 's/"path": "expected"//' expected.json) <(sed 's/"path": "out"//' report.json)
done
ends 0 merge --partial -o all.part "${all[@]}"
ends 0 merge --extbinary -o out --use-md5 all.part
ends 0 merge --extbinary -o hashes --use-md5 "${all[@]}"
same hashes out
ends 0 merge --partial -o again.part tree.part
same tree.part again.part

# The hash of a name in one file and the name in another become one, in whichever order they come.
ends 0 merge --extbinary --use-md5 -o hashed.prof a.prof
ends 0 merge --partial -o hashed.part hashed.prof
ends 0 merge --partial -o expected.part hashed.prof c.prof a.prof
for inputs in "hashed.part c.prof a.prof" "two.part hashed.part" "hashed.part two.part" "hashed.prof two.part"; do
    ends 0 merge --partial --forget-inputs -o got.part $inputs
    ends 0 merge --extbinary -o got got.part
    ends 0 merge --extbinary -o expected expected.part
    same expected got
done

# Which kind wins is decided at the end, and inputs that are lost are known by their names.
ends 0 merge --partial -o line.part line.prof bad.prof
hints "warning: bad.prof: "
ends 1 merge -o new line.part a.prof
hints "warning: a.prof: cannot merge probe-based profile with non-probe-based profile"
ends 1 merge -o new line.part two.part
hints "warning: line.prof: cannot merge probe-based profile with non-probe-based profile"
gone new
ends 1 merge -o new one.part a.part
gone new
ends 1 merge --sample -o new a.part
hints "it is a partial instrumentation profile"
ends 1 merge --instr -o new one.part
hints "it is a partial sample profile"
ends 1 merge -o new --weighted-input=2,one.part
hints "the inputs of a partial profile have their weights already"
for option in --use-md5 --prof-sym-list=a.prof --output-size-limit=900 --convert-sample-profile-layout=flat \
    --sample-merge-cold-context; do
    ends 2 merge --partial $option -o new a.prof
    hints "is for the merge of partial profiles: --partial decides nothing"
done
ends 1 merge -o new --profile-isfs one.part
hints "its inputs were not read with flow-sensitive discriminators"

ends 0 convert --to=text -o all.text tree.part
ends 0 merge --text -o out "${all[@]}"
same all.text out
for command in "show --all-functions" "show --json"; do
    ends 0 $command all.text
    sed 's/all.text//; s/"kind": "[a-z]*"//' "$out" >expected
    ends 0 $command tree.part
    same <(sed 's/tree.part//; s/"kind": "[a-z]*"//' "$out") expected
done
ends 0 diff tree.part all.text
prints "functions that differ: 0"
ends 0 overlap tree.part all.text
ends 0 lookup tree.part foo
ends 0 show line.part
hints "warning: bad.prof: "
ends 0 info line.part
prints "partial sample profile, version 1"
prints "inputs:            2"
prints "inputs rejected:   1"
ends 0 info --json line.part
prints '"kind": "partial_sample"'
ends 0 check line.part
prints "input bad.prof was lost"
head -c -1 line.part >cut
ends 1 merge -o new cut a.prof
hints "warning: cut: partial profile with an error: the file is cut off inside of a block"
ends 1 check cut
ends 1 info cut
ends 1 show --sample cut
hints "error: cut: partial profile with an error: the file is cut off"
ends 1 order line.part
mkdir samples
cp one.part two.part samples
ends 0 merge --extbinary -o out samples
ends 0 merge --extbinary -o expected "${all[@]}"
same expected out

# Memory profiles are added in the order in which threads come to them, which does not show.
mkdir memory
for i in 1 2 3 4 5 6 7 8 9; do
    cat >memory/$i.yaml <<END
---
HeapProfileRecords:
  - GUID: f$((i % 3))
    AllocSites:
      - Callstack:
          - { Function: f$((i % 4)), LineOffset: $i, Column: 2, IsInlineFrame: false }
          - { Function: main, LineOffset: $((i % 2)), Column: 4, IsInlineFrame: false }
        MemInfoBlock: { AllocCount: $i, TotalSize: 8, MinSize: 4 }
    CallSites:
      - Frames:
          - { Function: 0xff, LineOffset: $((i % 5)), Column: 1, IsInlineFrame: true }
        CalleeGuids: [ 0x5, 0x$i ]
...
END
done
ends 0 merge --partial -j 1 -o expected memory/*.yaml
for _ in 1 2 3 4 5 6 7 8 9; do
    ends 0 merge --partial -j 4 -o out memory/*.yaml
    same expected out
done
ends 0 merge --partial -j 1 -o out memory/{9,3,5,1,7,2,8,4,6}.yaml
ends 0 merge -o new.profdata out
ends 0 merge -o old.profdata expected
same new.profdata old.profdata
finish
