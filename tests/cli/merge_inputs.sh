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
ends 1 merge --weighted-input=3
says "error: No such file or directory"

# Lists.
list() {
    printf -- "$@" >list
}
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
hints "no input files specified"
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
ends 2 merge empty
hints "no input files specified"
ln -s dir link
gives 101,202 link
ln -s ../b.proftext empty/link.proftext
gives 100,200 empty
ends 0 merge --dump-input-file-list dir
is "files of a directory" "$(sed 's/^1,//' "$out" | paste -sd ' ')" "dir/1.proftext dir/deep/2.proftext"

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

# A file that may not be read.
if can_be_nobody; then
    cp a.proftext secret.proftext
    chmod 000 secret.proftext
    as_nobody "$anyprof" merge secret.proftext b.proftext --text 2>"$err" >"$out"
    is "exit code for a file we may not read" $? 1
    says "warning: secret.proftext: Permission denied"
fi
finish
