#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --delete-inputs: what is removed, what is kept, and what is refused. delete_inputs_killed.sh ends it anywhere.
. "$(dirname "$0")/_lib.sh"

# begin: a directory with inputs that add up to 111,222 for foo.
begin() {
    cd "$tmp" && rm -rf work && mkdir -p work/new && cd work || exit 1
    profile new/a foo 10 1 2
    profile new/b foo 10 10 20
    gzip new/b
    profile new/c foo 10 100 200
    size_a=$(stat -c %s new/a) size_b=$(stat -c %s new/b.gz) size_c=$(stat -c %s new/c)
}

# holds FILE COUNTS: of foo.
holds() {
    is "counts in $1" "$("$anyprof" merge --text "$1" 2>&1 | grep -x '[0-9][0-9]*' | tail -n +3 | paste -sd ,)" "$2"
}

# names DIRECTORY "NAMES": all that is in it.
names() {
    is "files in $1" "$(find "$1" -mindepth 1 -maxdepth 1 ! -type d -printf '%f\n' | sort | paste -sd ' ')" "$2"
}

# ---- removed ----

begin
ends 0 merge --delete-inputs -o total new
says "note: 3 inputs removed ($((size_a + size_b + size_c)) bytes)"
holds total 111,222
names new ""
names . total

# To add to an output; it need not be there the first time.
begin
for round in 1 2 3; do
    profile new/d foo 10 1000 2000
    ends 0 merge --delete-inputs -o total total new
    holds total "$((111 + 1000 * round)),$((222 + 2000 * round))"
    names new ""
    names . total
done
begin
ends 0 merge --delete-inputs -o new/total new
holds new/total 111,222
profile new/d foo 10 1000 2000
ends 0 merge --delete-inputs -o new/total new
holds new/total 1111,2222
names new total
ends 0 merge --delete-inputs --text -o new/total new
holds new/total 1111,2222

# An input of which something does not go with the others is kept; what is in the output already is not outvoted.
begin
ends 0 merge --delete-inputs -o total new
profile new/d foo 10 5 5 5
printf ':ir\nother\n1\n1\n7\n' >>new/d
sed -i '2,${/^:ir$/d}' new/d
ends 0 merge --delete-inputs --report=report.json -o total total new
lost="1 functions, 0 bitmaps, 0 kinds of values that do not go with the others"
says "warning: new/d: merged, but not removed: left out are $lost"
names new d
is "lost in the report" "$(grep -A1 '"lost"' report.json | grep -o '"functions": [0-9]*' | paste -sd ' ')" \
    '"functions": 0 "functions": 1'
is "removed in the report" \
    "$(grep -o '"removed": [a-z][a-z]*' report.json | paste -sd ' ')" '"removed": false "removed": false'
is "counts" "$("$anyprof" merge --text total 2>&1 | grep -x '[0-9][0-9]*' | paste -sd ,)" 10,2,111,222,1,1,7
# Again: it is neither added nor removed.
ends 0 merge --delete-inputs -o total total new
says "warning: new/d: merged, but not removed: a part of it was left out when it was merged"
names new d
profile new/e foo 10 1 1
ends 0 merge --delete-inputs -o total total new
names new d
is "counts" "$("$anyprof" merge --text total 2>&1 | grep -x '[0-9][0-9]*' | paste -sd ,)" 10,2,112,223,1,1,7
rm new/d
ends 0 merge --delete-inputs -o total total
names . "report.json total"

# An empty output is as good as none; links are followed.
begin
: >total
ln -s total link
ends 0 merge --delete-inputs -o link new
holds total 111,222
names . "link total"
profile new/d foo 10 1000 2000
ends 0 merge --delete-inputs -o link total new
ends 0 merge --delete-inputs -o total link
silent
holds total 1111,2222
names . "link total"

# Weights, files given twice and by several names.
begin
ends 0 merge --delete-inputs -o total --weighted-input=3,new/a new/c
holds total 103,206
names new "b.gz"
begin
ends 0 merge --delete-inputs -o total new/a ./new/a --weighted-input=2,new/a
says "note: 1 input removed ($size_a bytes)"
holds total 4,8
names new "b.gz c"
begin
ln new/a new/other
ends 0 merge --delete-inputs -o total new/a new/other
says "note: 2 inputs removed ($((2 * size_a)) bytes)"
holds total 2,4
names new "b.gz c"
begin
ends 0 merge --delete-inputs -o total - new/c <new/a
holds total 101,202
names new "a b.gz"
begin
mkfifo pipe
cat new/a >pipe &
ends 0 merge --for=llvm-23 --delete-inputs -o total pipe new/c
wait
is "what it says" "$(cat "$err")" "note: 1 input removed ($size_c bytes)"
holds total 101,202
[ -p pipe ] || bad "the pipe was removed"
names new "a b.gz"
ends 0 merge --delete-inputs -o total --quiet --report=report total new
silent
names new ""
if command -v python3 >/dev/null; then
    got=$(python3 -c 'import json; t = json.load(open("report"))["totals"]; print(t["removed"], t["removed_bytes"])')
    is "the report" "$got" "2 $((size_a + size_b))"
fi

# Nothing is written through a journal that is another file's second name.
begin
echo precious >precious
ln precious .total.anyprof-merged
ends 1 merge --delete-inputs -o total new
says "error: total: Too many links: $PWD/.total.anyprof-merged"
is "the other name" "$(cat precious)" "precious"
names new "a b.gz c"
rm .total.anyprof-merged

# ---- kept ----

# Rejected and empty inputs.
begin
printf 'foo\nx\n' >new/bad
: >new/empty
ends 0 merge --delete-inputs --failure-mode=warn -o total new
holds total 111,222
names new "bad empty"
begin
printf ':ir\nfoo\n1\n1\n1\n\n' >ir
printf ':fe\nfoo\n1\n1\n1\n\n' >fe
ends 0 merge --delete-inputs --failure-mode=all -o total ir fe
names . "fe total"

# Nothing is removed when nothing is written.
# stays EXIT-CODE TEXT ARGUMENT...
stays() {
    local code=$1 text=$2
    shift 2
    ends "$code" merge --delete-inputs "$@"
    hints "$text"
    names new "a b.gz c"
}
begin
printf 'foo\nx\n' >bad
stays 1 "error: nothing is written: 1 of 4 inputs is bad" -o total new bad
names . bad
stays 2 "error: --delete-inputs needs a file as the output: give -o FILE" new
stays 2 "--delete-inputs needs a file as the output: give -o FILE" -o - new
refusal="inputs can only be removed if the output is a file"
stays 1 "error: /dev/null: invalid argument: $refusal" -o /dev/null new
mkfifo pipe
stays 1 "error: pipe: invalid argument: $refusal" -o pipe new
stays 1 "error: new: invalid argument: $refusal" -o new new
stays 1 "error: none/total: No such file or directory" -o none/total new
long=$(printf 'n%.0s' $(seq 250))
stays 1 "error: $long: File name too long" -o "$long" new
names . "bad pipe"
ends 0 merge --delete-inputs --dump-input-file-list -o total new
names new "a b.gz c"
stays 1 "error: new/none: No such file or directory" -o total new new/none
names . "bad pipe"

# An output whose counts would be lost, or would count twice when the command is run again.
profile total foo 10 1000 2000
text="error: total: invalid argument: the output exists and would be replaced: make it one of the inputs, or remove it"
stays 1 "$text" -o total new
printf 'foo\nx\n' >total
stays 1 "$text" --failure-mode=warn -o total total new
profile total foo 10 1000 2000
stays 1 "the output is an input with the weight 2" -o total --weighted-input=2,total new
stays 1 "the output is an input with the weight 2" -o total total total new
holds total 1000,2000
names . "bad pipe total"

# Symbolic links, and other names of the output.
begin
ln -s new/a link
ends 0 merge --delete-inputs -o total link new/c
says "warning: link: merged, but not removed: it is a symbolic link"
says "note: 1 input removed ($size_c bytes)"
holds total 101,202
names . ".total.anyprof-merged link total"
# It is left out as long as it is there.
for round in 1 2 3; do
    profile new/d foo 10 1000 2000
    ends 0 merge --delete-inputs -o total link total new/d
    says "warning: link: merged, but not removed: it is a symbolic link"
    says "note: 1 input was in the output already, from an earlier merge"
    holds total "$((101 + 1000 * round)),$((202 + 2000 * round))"
    names . ".total.anyprof-merged link total"
    is "warnings" "$(grep -c '^warning: ' "$err")" 1
    [ "$round" = 1 ] || is "the size of the journal" "$(stat -c %s .total.anyprof-merged)" "$size"
    size=$(stat -c %s .total.anyprof-merged)
done
rm link
ends 0 merge --delete-inputs -o total total
names . total
# Files of a directory that is given as a link are merged once, and stay.
begin
mkdir at && mv new at/new && ln -s at/new link
ends 0 merge --delete-inputs -o total link
says "warning: link/a: merged, but not removed: its directory was given as a symbolic link, without a slash at the end"
is "warnings" "$(grep -c '^warning: ' "$err")" 3
holds total 111,222
names at/new "a b.gz c"
ends 0 merge --delete-inputs -o total total link
says "note: 3 inputs were in the output already, from an earlier merge"
holds total 111,222
names at/new "a b.gz c"
ends 0 merge --delete-inputs -o total total link/ # the directory itself
holds total 111,222
names at/new ""
names . "link total"
begin
profile total foo 10 1000 2000
ln total hard
ends 0 merge --delete-inputs -o total hard new
says "warning: hard: merged, but not removed: it is the output by another name"
holds total 1111,2222
holds hard 1000,2000
ends 0 merge -o total total hard
holds total 1111,2222

# What changes while it is merged; a pipe holds the merge up.
# while_merging COMMAND ARGUMENT...: merges the arguments and then a pipe; when they were read, runs the command.
while_merging() {
    local command=$1
    shift
    mkfifo pipe
    "$anyprof" merge -j 1 --delete-inputs "$@" pipe >"$out" 2>"$err" &
    exec 9>pipe # as soon as it is opened to be read
    eval "$command"
    cat "$tmp/last" >&9
    exec 9>&-
    wait $!
    code=$?
}
profile "$tmp/last" foo 10 5 5
begin
while_merging 'printf "# more\n" >>new/a' -o total new/a new/c
is "exit code" $code 0
says "warning: new/a: merged, but not removed: it has changed since it was read, and may count twice in another merge"
says "note: 1 input removed ($size_c bytes)"
holds total 106,207
names new "a b.gz"
names . "pipe total"
begin
while_merging 'cp new/a x; mv x new/a' -o total new/a new/c
hints "new/a: merged, but not removed: it has changed"
names new "a b.gz"
begin
profile total foo 10 1000 2000
while_merging 'profile total foo 10 7 7' -o total total new/a
is "exit code" $code 1
says "error: total: another program changes the output: it was changed while it was merged; nothing was written"
holds total 7,7
names new "a b.gz c"
names . "pipe total"
begin
while_merging 'profile total foo 10 7 7' -o total new/a
is "exit code" $code 1
hints "it was changed while it was merged; nothing was written"
names new "a b.gz c"

# Only one at a time.
second='"$anyprof" merge --delete-inputs -o total total new/c >/dev/null 2>second; echo $? >>second
    "$anyprof" merge -o total total new/c >/dev/null 2>>second; echo $? >>second'
begin
profile total foo 10 1000 2000
while_merging "$second" -o total total new/a
is "exit code" $code 0
busy="error: total: another program changes the output: a merge that removes its inputs is at work"
is "the second one" "$(paste -sd '|' second)" "$busy|1|$busy|1"
holds total 1006,2007
names new "b.gz c"

# ---- what cannot be removed ----

preload=${ANYPROF_BUILD_DIR:-$(dirname "$anyprof")}/tests/helpers/libfault_preload.so
if [ -e "$preload" ]; then
    # faulty CALL K: what follows
    faulty() {
        local call=$1 at=$2
        shift 2
        LD_PRELOAD=$preload FAULT_CALL=$call FAULT_AT=$at ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
            "$anyprof" "$@" >"$out" 2>"$err"
        code=$?
    }
    # A merge of other inputs does not forget them.
    begin
    faulty unlink 1+ merge --delete-inputs -o total new
    profile d foo 10 4 8
    ends 0 merge --delete-inputs -o total total d
    holds total 115,230
    names . ".total.anyprof-merged total"
    ends 0 merge --delete-inputs -o total total new
    says "note: 3 inputs were in the output already, from an earlier merge"
    holds total 115,230
    names new ""
    names . total

    begin
    faulty unlink 1+ merge --delete-inputs -o total new
    is "exit code" $code 1
    for name in a b.gz c; do
        says "error: new/$name: merged, but not removed: Permission denied"
    done
    says "note: other merges into this output will leave out what could not be removed"
    holds total 111,222
    names new "a b.gz c"
    names . ".total.anyprof-merged total"
    # They are left out, whether inputs are to be removed or not, also when the output changes meanwhile.
    ends 0 merge --text -o total total new
    says "note: 3 inputs were in the output already, from an earlier merge"
    holds total 111,222
    profile new/d foo 10 1000 2000
    faulty unlink 1+ merge --delete-inputs -o total --quiet total new
    is "exit code" $code 1
    is "errors" "$(grep -c '^error: new/.*: merged, but not removed: Permission denied' "$err")" 4
    is "other words" "$(grep -vc '^error: new/' "$err")" 0
    holds total 1111,2222
    ends 0 merge -o total new/d total
    holds total 1111,2222
    # A file that is not what was merged any more is another one, but that is not sure.
    printf '# more\n' >>new/d
    ends 0 merge --delete-inputs -o total total new
    says "warning: new/d: already in the output: as it was before it changed; it is added, and may count twice"
    says "note: 3 inputs were in the output already, from an earlier merge"
    hints "note: 4 inputs removed ("
    holds total 2111,4222
    names new ""
    names . total

    # Nothing is left to merge: an output that is no input stays as it is.
    begin
    faulty unlink 2+ merge --delete-inputs -o total new
    names new "b.gz c"
    before=$(stat -c %i total)
    ends 0 merge --delete-inputs -o total new
    says "note: 2 inputs were in the output already, from an earlier merge: nothing was left to merge"
    says "note: 2 inputs removed ($((size_b + size_c)) bytes)"
    is "the output" "$(stat -c %i total)" "$before"
    names . total

    # What is made to last, and when: the output before the journal, that before the renaming, that before anything is
    # removed, and that before the journal is; also when an interrupted merge is taken up again.
    # in_order WANT ARGUMENT...
    in_order() {
        local want=$1
        shift
        rm -f ../log
        FAULT_LOG=$tmp/log faulty changes 1000 "$@"
        is "order" "$(sed "s|$PWD|.|g; s| \./| |g; s|tmp........|tmpX|g" ../log | paste -sd ',')" "$want"
    }
    begin
    want="open .total.anyprof-merged,open .total.anyprof-tmpX,fsync .total.anyprof-tmpX,fsync .total.anyprof-merged,"
    want+="fsync .,rename .total.anyprof-tmpX total,fsync .,unlink new/a,unlink new/b.gz,unlink new/c,fsync new,"
    want+="unlink .total.anyprof-merged"
    in_order "$want" merge -j 1 --delete-inputs -o total new
    begin
    faulty unlink 1+ merge --delete-inputs -o total new
    # The directory is searched once more for files that the output holds, and synchronised after that.
    want="fsync total,fsync .,unlink new/a,unlink new/b.gz,unlink new/c,fsync new,fsync new,"
    want+="unlink .total.anyprof-merged"
    in_order "$want" merge -j 1 --delete-inputs -o total new

    # A full disk, wherever: the output, the journal.
    for k in 1 2; do
        begin
        profile total foo 10 1000 2000
        faulty write $k merge --delete-inputs -o total total new
        is "exit code" $code 1
        if [ "$k" = 1 ]; then journal=; else journal=": $PWD/.total.anyprof-merged"; fi
        says "error: total: No space left on device$journal"
        holds total 1000,2000
        names new "a b.gz c"
        names . total
    done
    # What cannot be made to last is not relied on: the output, the journal and its directory before the renaming ...
    for k in 1 2 3; do
        begin
        faulty fsync $k merge --delete-inputs -o total new
        is "exit code" $code 1
        names new "a b.gz c"
        names . ""
    done
    # ... its directory after it ...
    begin
    faulty fsync 4 merge --delete-inputs -o total new
    is "exit code" $code 1
    says "error: total: Input/output error"
    holds total 111,222
    names new "a b.gz c"
    ends 0 merge --delete-inputs -o total new
    holds total 111,222
    names . total
    # ... and that of the inputs.
    begin
    faulty fsync 5+ merge --delete-inputs -o total new
    is "exit code" $code 0
    names new ""
    names . ".total.anyprof-merged total"
    ends 0 merge --delete-inputs -o total total
    names . total
else
    printf 'skipped: no %s: failing calls are not tested\n' "$preload"
fi

# A limit on the size of files.
begin
seq 1 20000 | awk '{ print "f" $1; print $1; print 1; print $1; print "" }' >new/big
(trap '' XFSZ && ulimit -f 64 && exec timeout 60 "$anyprof" merge --delete-inputs -o total new 2>"$err")
is "exit code at a size limit" $? 1
says "error: total: File too large"
names new "a b.gz big c"
names . ""

# A directory that may not be changed.
if can_be_nobody; then
    begin
    mkdir open
    chmod 777 open
    chmod 555 new
    chmod 644 new/*
    as_nobody "$anyprof" merge --delete-inputs -o open/total open/total new 2>"$err" >"$out"
    is "exit code" $? 1
    says "error: new/a: merged, but not removed: Permission denied"
    holds open/total 111,222
    as_nobody "$anyprof" merge --delete-inputs -o open/total open/total new 2>"$err" >"$out"
    is "exit code" $? 1
    holds open/total 111,222
    chmod 777 new
    as_nobody "$anyprof" merge --delete-inputs -o open/total open/total new 2>"$err" >"$out"
    is "exit code" $? 0
    holds open/total 111,222
    names new ""
    names open total
    begin
    chmod 777 new
    mkdir -m 555 closed
    as_nobody "$anyprof" merge --delete-inputs -o closed/total new 2>"$err" >"$out"
    is "exit code" $? 1
    says "error: closed/total: Permission denied: $PWD/closed/.total.anyprof-merged"
    names new "a b.gz c"
fi

# ---- leftovers ----

# Files of our own are no inputs; those that no process writes to are removed.
begin
printf x >new/.total.anyprof-tmpabcdefgh
profile new/.total.anyprof-tmpabcdefg foo 10 0 0 # one letter less: not of anyprof
printf x >new/.totals.anyprof-tmpabcdefgh
printf x >new/.total.anyprof-merged
ends 0 merge -o new/total new
holds new/total 111,222
names new ".total.anyprof-merged .total.anyprof-tmpabcdefg .total.anyprof-tmpabcdefgh .totals.anyprof-tmpabcdefgh \
a b.gz c total"
rm new/total new/.total.anyprof-tmpabcdefg
exec 9<new/.totals.anyprof-tmpabcdefgh
cp new/.totals.anyprof-tmpabcdefgh new/.total.anyprof-tmp00000000
exec 8<new/.total.anyprof-tmp00000000
if command -v flock >/dev/null; then
    flock -n 8
    ends 0 merge --delete-inputs -o new/total new
    holds new/total 111,222
    names new ".total.anyprof-tmp00000000 .totals.anyprof-tmpabcdefgh total"
    exec 8<&-
    ends 0 merge --delete-inputs -o new/total new
    names new ".totals.anyprof-tmpabcdefgh total"
else
    printf 'skipped: no flock(1)\n'
fi
exec 8<&- 9<&-
cd "$tmp" || exit 1
finish
