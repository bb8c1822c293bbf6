#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whether inputs are instrumentation or sample profiles: all of them decide, and a mixture is never merged in silence.
# shellcheck source=tests/cli/_lib.sh disable=SC2154  # what _lib.sh sets
. "$(dirname "$0")/_lib.sh"

cp "$profiles"/server-1.prof a.prof
cp "$profiles"/server-2.prof b.prof
cp "$profiles"/clang-16-ir.profraw r.profraw
"$anyprof" merge --text --for=llvm-16 -o want a.prof b.prof
"$anyprof" merge --text --for=llvm-16 -o want-instr r.profraw
unknown='Unrecognized sample profile encoding format'
magic="$unknown [magic at offset 0: found 81 72 66 6f 72 70 6c ff \".rforpl.\", expected 84 e4 d0 b1 f4 c9 94 a8 \
\"........\"]"
no_hash='malformed instrumentation profile data: function hash is not a valid integer [line 2, text.record.hash]'
unrecognized='unrecognized instrumentation profile encoding format'
options='the profiles of the other kind are bad inputs then, which --max-loss=PCT or --failure-mode=all leaves out'

# refuses MESSAGE ARGUMENT...: the merge stops with the message before anything is written or removed.
refuses() {
    local message=$1
    shift
    rm -f z report
    ends 1 merge --report=report -o z "$@"
    is "what it says" "$(cat "$err")" "error: $message: give --sample or --instr
note: $options"
    gone z
    gone report
}

# merges FILE ARGUMENT...: the merge of the arguments is the file.
merges() {
    local file=$1
    shift
    rm -f z
    ends 0 merge --text --for=llvm-16 -o z "$@"
    same z "$file"
}

# ---- directories ----

mkdir hosts
cp a.prof b.prof hosts
merges want hosts
silent
cp r.profraw hosts
mixed='2 sample profiles (hosts/a.prof, ...) and 1 instrumentation profile (hosts/r.profraw) cannot be merged'
refuses "$mixed" hosts
refuses "$mixed" --max-loss=0 hosts
refuses "$mixed" --failure-mode=all hosts
refuses "$mixed" --quiet hosts
refuses "$mixed" --delete-inputs hosts
there hosts/a.prof
there hosts/r.profraw
refuses '2 sample profiles (hosts/a.prof, ...) and 2 instrumentation profiles (r.profraw, ...) cannot be merged' \
    r.profraw hosts
merges want --include='*.prof' hosts
merges want-instr --include='*.profraw' hosts

# The profile of the other kind than an option says is a bad input.
ends 1 merge --sample -o z hosts
says "warning: hosts/r.profraw: $magic
note: hosts/r.profraw is a raw instrumentation profile: leave out --sample
error: nothing is written: 1 of 3 inputs is bad
note: --max-loss=PCT or --failure-mode=all merges the other inputs"
merges want --sample --failure-mode=all --report=report hosts
says "warning: hosts/r.profraw: $magic
note: 1 of 3 inputs was rejected"
grep -q '"hosts/r.profraw"' report && good || bad "the report does not name it"
ends 1 merge --sample --max-loss=0 -o z hosts
says "error: more inputs are lost than --max-loss allows: 1 of 3"
ends 1 merge --instr -o z hosts
says "warning: hosts/a.prof: $no_hash
note: hosts/a.prof is a text sample profile: leave out --instr
error: nothing is written: 2 of 3 inputs are bad"
merges want-instr --instr --failure-mode=all hosts

# A file that is no profile by its bytes has no say.
rm hosts/r.profraw
printf '# nothing\n' >hosts/comments.txt
cp "$anyprof" hosts/program
merges want hosts
says "note: 2 files of directories were not read: no profiles; give such a file by name, or choose names by \
--include=GLOB"
rm hosts/comments.txt hosts/program
: >hosts/empty.profraw
merges want hosts
says "note: 1 of 3 inputs was empty"
rm hosts/empty.profraw
mkdir d
cp a.prof d
: >e.prof
"$anyprof" merge --text --for=llvm-16 -o want-a a.prof
merges want-a d e.prof
says "note: 1 of 2 inputs was empty"

# Files that should be sample profiles by their name are not lost in silence.
mkdir fl
cp a.prof fl
: >fl/c.prof
head -c 400 /dev/zero >fl/d.prof
for end in prof afdo prof.gz; do
    [ -e "fl/d.$end" ] || mv fl/d.* "fl/d.$end"
    ends 1 merge -o z fl
    hints "warning: fl/d.$end: $unknown"
    says "error: nothing is written: 1 of 3 inputs is bad"
    ends 1 merge --max-loss=0 -o z fl
    says "error: more inputs are lost than --max-loss allows: 2 of 3"
    ends 1 check fl
    prints "fl/c.prof: error: $unknown: the file is empty"
    prints "fl/d.$end: error: $unknown [magic at offset 0: found 00 "
done

# ---- named files ----

one='1 sample profile (a.prof) and 1 instrumentation profile (r.profraw) cannot be'
refuses "$one merged" a.prof r.profraw
refuses "$one merged" r.profraw a.prof
refuses "2 sample profiles (a.prof, ...) and 1 instrumentation profile (r.profraw) cannot be merged" \
    r.profraw a.prof b.prof
refuses "$one merged" --weighted-input=100,a.prof r.profraw
printf 'a.prof\nr.profraw\n' >list
refuses "$one merged" --input-files=list
head -c 400 /dev/zero >0.prof
for files in 'a.prof 0.prof' '0.prof e.prof a.prof' 'a.prof b.prof 0.prof'; do
    # shellcheck disable=SC2086  # several words
    ends 1 merge -o z $files
    hints "warning: 0.prof: $unknown"
done
for command in diff overlap; do
    ends 1 $command a.prof r.profraw
    is "what $command says" "$(cat "$err")" "error: $one compared"
    ends 1 $command r.profraw a.prof
    is "what $command says" "$(cat "$err")" "error: $one compared"
done

# ---- files of the other kind ----

for command in show convert lookup; do
    more=
    [ $command != convert ] || more=--to=text
    name=
    [ $command != lookup ] || name=main
    # shellcheck disable=SC2086  # no word, or one
    ends 1 $command --sample $more r.profraw $name
    says "error: r.profraw: $magic
note: r.profraw is a raw instrumentation profile: leave out --sample"
done
"$anyprof" convert --to=text r.profraw -o r.proftext
ends 1 show --sample r.proftext
says "note: r.proftext is a text instrumentation profile: leave out --sample"
ends 1 show --sample "$anyprof"
says "note: $anyprof is an ELF file: it is no profile"
# Texts of BOLT are recognized by their first lines, also with the line ends of Windows, which BOLT refuses.
printf 'boltedcollection\n1 main 0 1 other 4 0 7\n' >fdata
printf 'B 10 20 3 1\n' >samples
ends 1 check fdata samples
prints "fdata: error: $unrecognized: this is an fdata profile of BOLT, no profile that is checked"
prints "samples: error: $unrecognized: this is a file of pre-aggregated samples for BOLT, no profile that is checked"
ends 1 merge -o z fdata
says "note: fdata is an fdata profile of BOLT: 'anyprof bolt merge' merges such profiles"
ends 1 bolt merge -o z samples
says "note: samples is a file of pre-aggregated samples for BOLT: give a profile of BOLT, fdata or YAML"
ends 1 perf info fdata
says "note: fdata is an fdata profile of BOLT: give a recording of perf (perf.data)"
for file in fdata samples; do
    sed 's/$/\r/' "$file" >windows
    ends 1 info windows
    prints "a carriage return: lines end with a line feed alone"
done

printf 'PERFILE2%0200d' 0 >perf.data
ends 1 show --sample perf.data
says "note: perf.data is a perf.data file: 'anyprof profgen' makes a profile of it, 'anyprof bolt convert' one for BOLT"
ends 1 show --instr a.prof
says "note: a.prof is a text sample profile: leave out --instr"
ends 1 order a.prof
says "error: a.prof: $no_hash
note: a.prof is a text sample profile: this command is for instrumentation profiles"
ln -s "$anyprof" llvm-profdata
LLVM_PROFDATA=./llvm-profdata
"$LLVM_PROFDATA" show a.prof >"$out" 2>"$err" && bad "llvm-profdata takes it for a sample profile"
hints "give --sample"
"$LLVM_PROFDATA" merge -o z a.prof r.profraw >"$out" 2>"$err"
hints "a.prof is a text sample profile: give --sample"

# ---- standard input and pipes ----

gzip -c a.prof >a.gz
for file in a.prof a.gz; do
    ends 0 merge --text --for=llvm-16 -o z - < <(cat $file)
    same z want-a
    ends 0 merge --text --for=llvm-16 -o z - <$file
    same z want-a
    "$anyprof" convert --to=json a.prof -o json
    ends 0 convert --to=json - -o z < <(cat $file)
    same z json
    ends 0 show - < <(cat $file)
    prints "Function: main: 18751, 1, 3 sampled lines"
    ends 0 lookup - main < <(cat $file)
    prints "Function: main: 18751, 1, 3 sampled lines"
done
merges want <(cat a.prof) <(cat b.prof)
merges want a.prof <(cat b.prof)
ends 0 diff <(cat a.prof) <(cat b.prof)
prints "functions 6, samples"
ends 0 overlap <(cat a.prof) - < <(cat a.prof)
prints "Whole program profile similarity: 100.000%"
merges want-instr - < <(cat r.profraw)
ends 0 show - < <(cat r.profraw)
rm -f z
ends 1 merge -o z - <(cat a.prof) < <(cat r.profraw)
grep -q '^error: 1 sample profile (/dev/fd/[0-9]*) and 1 instrumentation profile (standard input) cannot be merged: ' \
    "$err" && good || bad "a mixture of pipes"
gone z
ends 1 merge -o z a.prof - < <(cat r.profraw) # the file decides
says "warning: standard input: $magic
error: nothing is written: 1 of 2 inputs is bad"
ends 1 show --sample - < <(cat r.profraw)
says "note: standard input is a raw instrumentation profile: leave out --sample"
ends 1 show --max-input-size=100 - < <(cat a.prof)
hints "error: standard input: a limit of this run was exceeded: larger than the limit for one input"
ends 1 show - </dev/null
says "error: standard input: empty raw profile file"

# ---- missing and empty files ----

for more in '' --to=extbinary --to=text '--sample --to=gcc'; do
    # shellcheck disable=SC2086  # several words
    ends 1 convert $more nope -o z
    is "what convert says" "$(cat "$err")" "error: nope: No such file or directory"
done
: >empty.afdo
: >empty.profraw
ends 1 convert --to=extbinary empty.afdo -o z
says "error: empty.afdo: $unknown: the file is empty"
ends 2 convert empty.afdo -o z
hints "give --to=extbinary, binary, compbinary, gcc, text, json, folded, speedscope, pprof or csv, or --for=TARGET"
ends 1 show empty.afdo
says "error: empty.afdo: $unknown: the file is empty"
ends 1 check empty.afdo
prints "empty.afdo: error: $unknown: the file is empty"
ends 1 check empty.profraw
prints "empty.profraw: error: empty raw profile file"
ends 1 show empty.profraw
says "error: empty.profraw: empty raw profile file"
ends 1 merge -o z empty.afdo
says "error: nothing is written: every input is empty"
# ---- kinds of sample profiles ----

printf 'main:100:7\n 1: 100\n' >line.prof
printf 'main:50:7\n 1: 30\n !CFGChecksum: 77\n' >probe.prof
printf '[main]:20:1\n 1: 20\n' >cs.prof
heaviest='profiles are merged, the first of the kinds with the largest sum of weights'
advice='--weighted-input gives an input more weight, and each kind can be merged apart'
ends 1 merge -o z --weighted-input=3,line.prof probe.prof cs.prof
is "what it says" "$(cat "$err")" "warning: probe.prof: cannot merge probe-based profile with non-probe-based profile
warning: cs.prof: cannot merge CS profile with non-CS profile
note: non-CS line-based $heaviest (non-CS line-based 3, CS line-based 1, non-CS probe-based 1); $advice
error: nothing is written: 2 of 3 inputs are bad
note: --max-loss=PCT or --failure-mode=all merges the other inputs"
ends 0 merge --text --max-loss=50 -o z line.prof --weighted-input=2,cs.prof
says "note: CS line-based $heaviest (non-CS line-based 1, CS line-based 2); $advice"
is "what is merged" "$(cat z)" "[main]:40:2
 1: 40"
finish
