#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Where the inputs of a merge come from: arguments, weights, lists, directories, standard input, response files.
. "$(dirname "$0")/_lib.sh"

profile a.proftext foo 10 1 2
profile b.proftext foo 10 100 200
profile c.proftext bar 20 5
cp b.proftext "b two.proftext"
cp b.proftext "#b.proftext"
mkdir dir dir/deep empty
cp a.proftext dir/1.proftext
cp b.proftext dir/deep/2.proftext

# counts NAME: its counts in the text on standard output, with commas.
counts() {
    awk -v name="$1" '
        $0 == name { at = NR }
        at && NR > at + 4 && /^[0-9]+$/ && !done { list = list (list == "" ? "" : ",") $0 }
        at && NR > at + 4 && !/^[0-9#]+/ { done = 1 }
        END { print list }' "$out"
}

# gives "COUNTS OF FOO" ARGUMENT...: the merge has these.
gives() {
    local want=$1
    shift
    ends 0 merge --text "$@"
    is "counts of foo, merge $*" "$(counts foo)" "$want"
}

gives 1,2 a.proftext
gives 101,202 a.proftext b.proftext
gives 2,4 a.proftext a.proftext
gives 1,2 -- a.proftext
silent

# Weights.
gives 3,6 --weighted-input=3,a.proftext
gives 3,6 -weighted-input 3,a.proftext
gives 103,206 --weighted-input=3,a.proftext b.proftext
gives 302,604 --weighted-input=2,a.proftext --weighted-input=3,b.proftext
gives 3,6 --weighted-input=0003,a.proftext
gives 18446744073709551613,18446744073709551613 --weighted-input=18446744073709551615,b.proftext
hints "smaller weights"
cp a.proftext "a,b.proftext"
gives 2,4 --weighted-input="2,a,b.proftext"
HOME=$tmp gives 2,4 --weighted-input="2,~/a.proftext"
list() {
    printf -- "$@" >list
}
list 'a.proftext\n3,\n'
ends 1 merge -f list
says "error: '3,' is a weight without a file: give WEIGHT,FILE"
says "note: this is line 2 of list"

# Lists.
list 'a.proftext\n'
gives 1,2 -f list
gives 1,2 -f=list
gives 1,2 --input-files=list
gives 1,2 --input-files list
list '# a list\n\n  \t a.proftext\r\n   # more\n 2,b.proftext \n\n'
gives 201,402 -f list
list 'a.proftext'
gives 1,2 -f list
list '\n'
ends 2 merge -f list
hints "merge: the list of input files is empty."
gives 1,2 -f list a.proftext
list 'b two.proftext\n'
gives 100,200 -f list
list 'dir\n'
gives 101,202 -f list
list '3,dir\n'
gives 303,606 -f list
list './#b.proftext\n'
gives 100,200 -f list
list '0,a.proftext\n'
ends 1 merge -f list
says "error: input weight must be a positive integer"
list 'a.proftext\nnone.proftext\n'
ends 1 merge -f list
says "error: none.proftext: No such file or directory"
says "note: this is line 2 of list"
ends 1 merge -f none
says "error: none: No such file or directory"
ends 1 merge -f dir
hints "error: dir: Is a directory"
gives 1,2 -f= a.proftext

# Standard input: as a list, and as a profile.
printf 'a.proftext\n2,b.proftext\n' | gives 201,402 -f -
gives 1,2 - <a.proftext
gives 101,202 - b.proftext <a.proftext
"$anyprof" merge a.proftext -o a.profdata
gives 1,2 - <a.profdata
ends 2 merge -f - - </dev/null
says "error: standard input cannot be both a profile and the list of inputs"

# Directories, links.
gives 101,202 dir
gives 102,204 dir a.proftext

# A directory without files: an error when there is nothing else, else a warning, but not where it is the rule.
mkdir empty/deep empty2
ends 1 merge -o never.profdata empty
says "error: empty: there are no files in this directory"
ends 1 merge -o never.profdata empty --weighted-input=2,empty2/
says "error: empty: there are no files in this directory"
says "error: empty2/: there are no files in this directory"
list 'empty\n'
ends 1 merge -o never.profdata -f list
says "error: empty: there are no files in this directory"
for option in --failure-mode=warn --max-loss=100 --delete-inputs --dump-input-file-list; do
    ends 1 merge -o never.profdata $option empty
    says "error: empty: there are no files in this directory"
done
gone never.profdata
gives 1,2 empty a.proftext
says "warning: empty: there are no files in this directory"
is "lines" "$(wc -l <"$err")" 1
gives 1,2 --quiet empty a.proftext
silent
# As a profile that grows begins, and as it stays when nothing has come.
ends 1 merge --delete-inputs -o total total empty
says "error: empty: there are no files in this directory"
gone total
"$anyprof" merge --for=llvm-22 -o total a.proftext
cp total want
for i in 1 2; do
    ends 0 merge --delete-inputs -o total total empty
    silent
    same total want
done

ln -s dir link
gives 101,202 link
cp b.proftext empty/real.proftext
ln -s real.proftext empty/link.proftext # not a second time
gives 100,200 empty
ends 0 merge --dump-input-file-list dir
is "files of a directory" "$(sed 's/^1,//' "$out" | paste -sd ' ')" "dir/1.proftext dir/deep/2.proftext"

# Links that lead out of a directory are not followed; cycles of links end.
mkdir far far/deep
cp a.proftext far/3.proftext
cp b.proftext far/deep/4.proftext
mkdir near near/own
cp c.proftext near/own/5.proftext
ln -s ../far near/link
ln -s ../far/3.proftext near/file.proftext
ln -s own near/inside
ln -s .. far/deep/up
ln -s . near/itself
ln -s nowhere near/dangling
ends 0 merge --dump-input-file-list near/link/
is "files of a link given by name" "$(sed 's/^1,//' "$out" | paste -sd ' ')" \
    "near/link/3.proftext near/link/deep/4.proftext"
ends 0 merge --dump-input-file-list near
is "files in a directory" "$(sed 's/^1,//' "$out" | paste -sd ' ')" "near/own/5.proftext"
ends 0 merge --text near
prints bar
says "note: 2 links lead out of a directory and were not followed; give what they lead to by name"
ends 0 merge --delete-inputs -o grown near
is "what is left" "$(find near far -not -type d | sort | paste -sd ' ')" \
    "far/3.proftext far/deep/4.proftext far/deep/up near/dangling near/file.proftext near/inside near/itself near/link"
rm near/file.proftext near/link
ends 1 merge --text near
says "error: near: there are no files in this directory"

# Order: arguments, weighted inputs, list; nothing is written.
list 'c.proftext\n7,a.proftext\n'
ends 0 merge --dump-input-file-list -f list --weighted-input=2,b.proftext a.proftext -o never.profdata c.proftext
is "order of inputs" "$(paste -sd ' ' "$out")" \
    "1,a.proftext 1,c.proftext 2,b.proftext 1,c.proftext 7,a.proftext"
gone never.profdata

# Response files: GNU's quoting; a file that is not there is a name.
response() {
    printf -- "$@" >args
}
response 'merge --text a.proftext\n'
ends 0 @args
is "response file" "$(counts foo)" 1,2
response '--text\n\t"b two.proftext" a.proftext\n'
ends 0 merge @args
is "double quotes" "$(counts foo)" 101,202
response "'b two.proftext'"
gives 100,200 @args
response 'b\\ two.proftext'
gives 100,200 @args
response 'b" "two.prof"te"xt'
gives 100,200 @args
response '"\\"b\\" two"'
ends 1 merge @args
says 'error: "b" two: No such file or directory'
printf 'a.proftext @args2' >args
printf 'b.proftext' >args2
gives 101,202 @args
: >args
gives 1,2 @args a.proftext
# As editors of other systems save them.
printf '\xef\xbb\xbfa.proftext' >args
gives 1,2 @args
printf '\xff\xfea\0' >args
ends 2 merge @args
hints "the response file 'args' is UTF-16: save it as UTF-8"
ends 1 merge @none
says "error: @none: No such file or directory"
gives 1,2 --output @none2 a.proftext -o -
printf '@args' >args
ends 2 merge @args
hints "recursive expansion of: 'args'"
printf -- '-- --text' >args
ends 1 merge @args
says "error: --text: No such file or directory"
ends 2 merge @dir
hints "error: dir: Is a directory"

# Missing files are an error before any work, whatever is tolerated.
for tolerance in --failure-mode=warn --failure-mode=all --max-loss=100; do
    ends 1 merge $tolerance a.proftext none.profraw -o never.profdata
    says "error: none.profraw: No such file or directory"
    gone never.profdata
done

# Pipes.
mkfifo pipe
cat a.proftext >pipe &
gives 1,2 pipe
wait
gives 101,202 <(cat a.proftext) <(cat b.proftext)
# Neither losses nor advice read a pipe again, which would wait for another writer.
printf ':ir\nfoo\n10\n1\n5\n' >other.proftext
cat other.proftext >pipe &
ends 0 merge --report=report.json pipe a.proftext -o x.profdata
wait
printf 'This is no profile\nat all\n' >pipe &
ends 1 merge pipe -o x.profdata
wait

# A file that may not be read.
if can_be_nobody; then
    cp a.proftext secret.proftext
    chmod 000 secret.proftext
    as_nobody "$anyprof" merge secret.proftext b.proftext --text 2>"$err" >"$out"
    is "exit code for a file we may not read" $? 1
    says "warning: secret.proftext: Permission denied"
fi

# Directories that may not be read, or not entered: what is in them is lost, and that is counted and named.
if can_be_nobody; then
    mkdir mixed mixed/closed mixed/listed
    cp a.proftext mixed/
    cp b.proftext mixed/closed/
    cp b.proftext mixed/listed/
    chmod 000 mixed/closed
    chmod 444 mixed/listed
    mkdir out
    chmod 777 out
    run_as_nobody() {
        as_nobody "$anyprof" "$@" 2>"$err" >"$out"
        code=$?
    }
    run_as_nobody merge -o out/x mixed
    is "exit code of closed directories" $code 1
    says "warning: mixed/closed: Permission denied"
    says "warning: mixed/listed/b.proftext: Permission denied"
    says "error: nothing is written: 2 of 3 inputs are bad"
    gone out/x
    for option in --failure-mode=warn --failure-mode=all --max-loss=67; do
        run_as_nobody merge --text $option mixed --report=out/report
        is "exit code with $option" $code 0
        is "counts with $option" "$(counts foo)" 1,2
        says "warning: mixed/closed: Permission denied"
        says "note: 2 of 3 inputs were rejected"
        is "in the report" "$(grep -c '"path": "mixed/closed",' out/report)" 1
    done
    run_as_nobody merge --text --max-loss=66 mixed
    is "exit code with too many" $code 1
    says "error: more inputs are lost than --max-loss allows: 2 of 3"
    run_as_nobody merge --text mixed/closed
    is "exit code of one closed directory" $code 1
    says "warning: mixed/closed: Permission denied"
fi

# ---- standard input in messages ----

printf 'foo\nx\n' >bad.proftext
ends 1 merge -o never - <bad.proftext
hints "warning: standard input: malformed instrumentation profile data"
ln -sf "$anyprof" llvm-profdata
./llvm-profdata merge -o never - <bad.proftext 2>"$err"
hints "warning: -: malformed instrumentation profile data"

# ---- files of directories that are no inputs ----

mkdir runs
cp a.proftext runs/a.proftext
ends 0 merge --for=llvm-22 -o runs/all.profdata runs
silent
cp runs/all.profdata once
ends 0 merge --for=llvm-22 -o runs/all.profdata runs # again: the output is not counted a second time
says "note: runs/all.profdata is in a directory of inputs and was not read: it is the output"
same runs/all.profdata once
ln -s ../runs/all.profdata dir/link
ends 0 merge --quiet --for=llvm-22 -o runs/all.profdata runs dir
silent
rm dir/link
gives 103,206 runs/all.profdata runs/a.proftext # given by name, it is an input
cp once runs/all.profdata
ends 0 merge --delete-inputs -o runs/all.profdata runs # it holds what the last run removed
ends 0 show --all-functions --counts --text runs/all.profdata
is "counts of foo" "$(counts foo)" 2,4
cp a.proftext runs/a.profraw.bad
cp a.proftext runs/a.profraw.bad.1
cp a.proftext runs/a.live.77.profraw
gives 2,4 runs
says "note: 2 files of directories were not read: damaged profiles that the runtime has set aside (NAME.bad)"
says "note: 1 file of a directory was not read: counters of processes that run or were killed (NAME.live.PID.profraw); \
to merge such a file, give it by name"
gives 3,6 runs runs/a.live.77.profraw
rm runs/all.profdata
ends 1 merge --text runs
says "error: runs: there are no other files in this directory"

# Of the files in a directory those are inputs that are profiles by content, or should be by their name.
mkdir heap heap/sub
cp a.proftext heap/run.1 # content
gzip -c b.proftext >heap/sub/run.2
"$anyprof" merge --for=llvm-22 -o heap/run.3 a.proftext
"$anyprof" convert --to=json a.proftext -o heap/run.4
gives 103,206 heap
silent
printf 'How to run this:\n\n    make\n' >heap/README
printf '{"name": "package", "version": 1}\n' >heap/package.json
printf '<!doctype html>\n<html></html>\n' >heap/index.html
printf -- '---\nkey: value\n' >heap/config.yaml
printf '\0\1\2\3\4\5\6\7\10\11' >heap/sub/blob
tar -cf heap/sub/old.tar a.proftext
tar -czf heap/sub/old.tar.gz a.proftext
cp "$anyprof" heap/sub/program
: >heap/empty
gives 103,206 heap
says "note: 9 files of directories were not read: no profiles; give such a file by name, or choose names by \
--include=GLOB"
ends 0 check heap
hints "note: 9 files of directories were not read: no profiles"
ends 0 merge --quiet --text heap
silent
ends 0 merge --text heap/sub
hints "note: 4 files of directories were not read: no profiles"
ends 1 merge --text heap/README # named, so it is meant
: >heap/sub/empty.profraw # a program that wrote nothing
gives 103,206 heap
hints "1 of 5 inputs was empty"
hints "note: 9 files of directories were not read"
ends 1 merge --text --max-loss=0 heap
rm heap/sub/empty.profraw
head -c 1000 /dev/zero >heap/sub/zeros.profraw.gz # not lost without a message
ends 1 merge --text heap
hints "heap/sub/zeros.profraw.gz"
rm heap/sub/zeros.profraw.gz
head -c 100 heap/run.3 >heap/cut # damaged
ends 1 merge --text heap
hints "heap/cut"
rm heap/cut heap/run.* heap/sub/run.2
ends 1 merge --text heap
says "error: heap: there are no profiles in this directory"

# --include: the name alone decides.
cp a.proftext heap/a.x
cp b.proftext heap/sub/b.x
gives 101,202 heap --include='*.x'
silent
gives 100,200 heap --include='b.?'
gives 101,202 heap --include='b.?' --include='[a]*'
gives 302,604 heap dir --include='*.x' --include='*.proftext' b.proftext
ends 1 merge --text --include=README heap
hints "heap/README"
ends 1 merge --text --include='*.profraw' heap
says "error: heap: no name of a file in this directory matches --include"
ends 0 info --include='*.x' heap
if grep -qF README "$out" "$err"; then bad "README, which no --include chooses, is shown"; else good; fi
ends 0 check --include='*.x' heap
silent

# Paths that are longer than the system allows in one call.
long=$(printf '%0200d' 0)
mkdir deep
(
    cd deep || exit
    for _ in $(seq 25); do mkdir "$long" && cd -P "$long" || exit; done
    printf 'foo\n10\n2\n1\n2\n' >a.proftext
)
gives 102,204 deep a.proftext b.proftext
gives 102,204 b.proftext "$(find deep -name a.proftext)" a.proftext
ends 1 merge --delete-inputs -o removed deep b.proftext # it could be read, but not removed
hints "File name too long"
there b.proftext
ends 0 merge --delete-inputs --failure-mode=warn -o removed deep b.proftext
gone b.proftext
is "what is left" "$(find deep -name a.proftext | wc -l)" 1
rm -r deep
finish
