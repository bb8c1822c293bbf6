#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --report=FILE: where it goes, when it is written, and what happens when that fails.
. "$(dirname "$0")/_lib.sh"
command -v python3 >/dev/null || skip "no python3"
library=${ANYPROF_BUILD_DIR:-$source_dir/build}/tests/helpers/libfault_preload.so

profile good.proftext foo 10 1 2
profile more.proftext foo 10 100 200
printf 'foo\nx\n' >bad.proftext
: >empty.profraw
"$anyprof" merge good.proftext more.proftext -o want.profdata || bad "the reference"

# value FILE EXPRESSION: of the report r.
value() {
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1], encoding="utf-8")); print(eval(sys.argv[2]))' "$@"
}

# reads FILE EXPRESSION WANT
reads() {
    is "$2" "$(value "$1" "$2")" "$3"
}

# writes VERDICT CODE ARGUMENT...: that exit code and a report with that verdict.
writes() {
    local verdict=$1
    shift
    rm -f x r.json
    ends "$1" merge -o x --report=r.json "${@:2}"
    reads r.json 'r["verdict"]' "$verdict"
}

# ---- when there is one ----

writes written 0 good.proftext more.proftext
same x want.profdata
is "what is said" "$(cat "$err")" "note: no input says which compiler made it: \
the output (indexed version 14) is for the newest LLVM; --for=llvm-N writes for another"
reads r.json 'r["output"]["version_guessed"]' 1
reads r.json 'r["schema"], r["error"], r["failure_mode"], r["max_loss"]' "('anyprof-merge-report/1', None, 'any', None)"
reads r.json '[i["path"] for i in r["inputs"]]' "['good.proftext', 'more.proftext']"
reads r.json '[i["sum_of_counts"] for i in r["inputs"]], r["totals"]["sum_of_counts"], r["result"]["sum_of_counts"]' \
    "([3, 300], 303, 303)"
reads r.json 'r["output"]["path"], r["output"]["kind"], r["output"]["version"]' "('x', 'indexed', 14)"
writes refused 1 good.proftext bad.proftext empty.profraw
gone x
reads r.json '[i["verdict"] for i in r["inputs"]]' "['merged', 'rejected', 'empty']"
reads r.json 'r["inputs"][1]["error"]["code"], r["inputs"][1]["error"]["offset"]' "('MALFORMED', 4)"
reads r.json 'r["result"], r["output"], r["totals"]["rejected"]' "(None, None, 1)"
hints "error: nothing is written: "
writes refused 1 bad.proftext --failure-mode=all
reads r.json 'r["failure_mode"]' all
writes refused 1 empty.profraw
writes written 0 good.proftext bad.proftext --failure-mode=any --max-loss=50
reads r.json 'r["failure_mode"], r["max_loss"]' "(None, 50)"
writes refused 1 good.proftext bad.proftext --max-loss=49.999999
reads r.json 'r["failure_mode"], r["max_loss"]' "(None, 49.999999)"
writes written 0 good.proftext bad.proftext --max-loss=0 --failure-mode=warn
reads r.json 'r["failure_mode"], r["max_loss"]' "('warn', None)"
writes written 0 --quiet --failure-mode=warn good.proftext bad.proftext
silent
writes written 0 --text good.proftext
reads r.json 'r["output"]["kind"], r["output"]["version"]' "('text', None)"
rm -f r.json
ends 1 merge -o none/x --report=r.json good.proftext
says "error: none/x: No such file or directory"
reads r.json 'r["verdict"], r["error"]["errno"], r["output"]' "('failed', 2, None)"
reads r.json 'r["result"]["functions"]' 1
if [ -w /dev/full ]; then
    ends 1 merge -o /dev/full --report=r.json good.proftext
    reads r.json 'r["verdict"], r["error"]["code"], r["error"]["message"]' "('failed', 'IO', 'No space left on device')"
fi

# Not for a wrong command line, or what is found before any work.
rm -f r.json
ends 2 merge --report=r.json
ends 2 merge --report=r.json --max-loss=x good.proftext
ends 1 merge --report=r.json missing.proftext
ends 0 merge --report=r.json --dump-input-file-list good.proftext
gone r.json

# The last one of the option counts; its value may be the next argument.
ends 0 merge good.proftext --report never.json -o x --report r.json
gone never.json
there r.json

# ---- inputs ----

mkdir runs
cp good.proftext "runs/$(printf 'caf\351')"
cp good.proftext "runs/ä \"x\""
printf '3,good.proftext\n# no input\n' >list
writes written 0 -f list runs --weighted-input=2,more.proftext
reads r.json '[i["weight"] for i in r["inputs"]]' "[1, 1, 2, 3]"
reads r.json '[i["path"] == "runs/caf\ufffd" for i in r["inputs"]]' "[True, False, False, False]"
reads r.json 'bytes.fromhex(r["inputs"][0]["path_hex"])' "b'runs/caf\\xe9'"
reads r.json 'r["inputs"][1]["path"].encode(), r["inputs"][1]["path_hex"]' \
    "(b'runs/\\xc3\\xa4 \"x\"', None)"
reads r.json 'r["inputs"][2]["path"], r["inputs"][3]["path"]' "('more.proftext', 'good.proftext')"
reads r.json 'r["totals"]["sum_of_counts"]' "$((3 + 3 + 2 * 300 + 3 * 3))"
ends 0 merge -o x --report=r.json - <good.proftext
reads r.json 'r["inputs"][0]["path"]' -

# ---- one report, whatever the number of threads; the order of the inputs is kept ----

for i in 1 2 3 4 5 6 7 8; do
    set -- "$@" "$profiles/clang-22-ir.profraw" "$profiles/clang-14-ir.profraw" \
        "$profiles/clang-19-fe.profraw" bad.proftext
done
for threads in 1 2 3 8; do
    run merge --failure-mode=all -j $threads -o x --report=$threads.json "$@"
    same $threads.json 1.json
done
reads 1.json '[i["path"].split("/")[-1] for i in r["inputs"]] == [p.split("/")[-1] for p in "'"$*"'".split()]' True
run merge --failure-mode=all -o x bad.proftext good.proftext --report=r.json
reads r.json '[i["verdict"] for i in r["inputs"]]' "['rejected', 'merged']"

# What the summary says stands in the report.
ends 0 merge --failure-mode=all --for=llvm-13 -o x --report=r.json bad.proftext empty.profraw \
    "$profiles/clang-22-ir.profraw" "$profiles/clang-22-fe.profraw"
says "note: 1 of 4 inputs was rejected, 1 was empty"
says "note: 1 front-end profile was merged with IR profiles: a compiler uses only one of the two kinds"
hints "note: left out of the output (indexed version 7): 2 binary ids; all counts are kept"
reads r.json 'r["totals"]["inputs"], r["totals"]["rejected"], r["totals"]["empty"], r["totals"]["front_end_in_ir"]' \
    "(4, 1, 1, 1)"
reads r.json 'r["output"]["version"], r["output"]["left_out"]["binary_ids"]' "(7, 2)"
printf ':ir\nx\n1\n1\n1\n$1\n0x1\n' >bits.proftext
ends 0 merge -o x --report=r.json "$profiles/clang-16-ir.profraw" bits.proftext
hints "note: LLVM 14 to 17 may have made an input but cannot read the output"
reads r.json 'r["output"]["cannot_read"]' "['14', '15', '16', '17']"

# ---- places of what the command line is read from, and names that we may remove ----

printf 'good.proftext\n' >list
printf -- 'good.proftext --text' >args
printf '@args' >outer
cp list list.was
cp args args.was
cp outer outer.was
ln -s list list.link
for option in --report=list --report=./list --report=list.link; do
    ends 2 merge -o never -f list "$option"
    says "error: ${option#*=}: the report would replace the list of inputs or of arguments"
done
for place in args outer; do
    ends 2 merge -o never @outer --report=$place
    says "error: $place: the report would replace the list of inputs or of arguments"
    ends 2 merge @outer -o $place
    says "error: $place: the profile would replace the list of inputs or of arguments"
    same $place $place.was
done
ends 2 merge -o list -f list
says "error: list: the profile would replace the list of inputs or of arguments"
same list list.was
ends 0 merge -o never2 -f - --report=list <list.was
printf 'foo bar\n' >remap
cp remap remap.was
ends 2 merge -r remap good.proftext -o remap
says "error: remap: the profile would replace the remapping file"
ends 2 merge -r remap good.proftext -o never3 --report=./remap
says "error: ./remap: the report would replace the remapping file"
same remap remap.was
gone never3
printf 'main:1:1\n 1: 1\n' >plain.prof
ends 2 merge --prof-sym-list=remap plain.prof -o remap
says "error: remap: the profile would replace the list of all functions"
same remap remap.was
mkdir -p d
for name in .never.anyprof-merged d/.x.anyprof-merged .never.anyprof-tmp01234567; do
    ends 2 merge good.proftext -o never --report=$name
    says "error: $name: names like this one are reserved for files that anyprof removes: choose another"
    ends 2 merge good.proftext -o $name
    says "error: $name: names like this one are reserved for files that anyprof removes: choose another"
    gone $name
done
gone never

# ---- standard output, and places that must not meet ----

ends 0 merge -o x --report=- good.proftext more.proftext
same x want.profdata
reads "$out" 'r["verdict"]' written
"$anyprof" merge -o x --report=/dev/stdout good.proftext | cat >r.json
reads r.json 'r["verdict"]' written
ends 0 merge --report=/dev/stderr good.proftext more.proftext
same "$out" want.profdata
reads "$err" 'r["output"]["path"]' -
ends 0 merge -o /dev/null --report=/dev/null good.proftext

# refused ARGUMENT...: exit code 2 and the reason, before anything is written.
refused() {
    ends 2 merge "$@" good.proftext more.proftext
    hints "the report and the profile cannot both be written there"
}
mkdir dir
cp more.proftext old
ln -s old link
ln old hard
refused --report=-
refused -o - --report=-
refused --report=/dev/stdout
refused -o new --report=new
refused -o new --report=./new
refused -o dir/new --report=dir/../dir/new
refused -o "$tmp/new" --report=new
refused -o old --report=old
refused -o link --report=old
refused -o old --report=link
refused -o old --report=hard
same old more.proftext
gone new
mkfifo pipe
refused -o pipe --report=pipe
# A link that leads to nothing: it is seen when the profile is there, which stays.
ln -s later dangling
ends 1 merge -o dangling --report=later good.proftext more.proftext
hints "the report and the profile cannot both be written there"
same later want.profdata

# A forgotten value must not cost an input.
cp good.proftext a.proftext
ends 2 merge -o x --report a.proftext more.proftext a.proftext
says "error: a.proftext: the report would replace an input"
ends 2 merge -o x --report=link old
says "error: link: the report would replace an input"
same a.proftext good.proftext
same old more.proftext

# Called like LLVM's tool it ends as that does.
ln -s "$anyprof" llvm-profdata
./llvm-profdata merge --report=- good.proftext >"$out" 2>"$err"
is "exit code under LLVM's name" $? 1

# ---- what cannot be written ----

# fails FILE REASON: exit code 1, the reason; the profile is there.
fails() {
    rm -f x
    ends 1 merge -o x --report="$1" good.proftext more.proftext
    says "error: $1: $2"
    same x want.profdata
}
[ ! -w /dev/full ] || fails /dev/full "No space left on device"
fails none/r.json "No such file or directory"
fails dir "Is a directory"
fails good.proftext/r "Not a directory"
"$anyprof" merge -o x --report=- good.proftext >&- 2>"$err"
is "exit code without standard output" $? 1
says "error: standard output: Bad file descriptor"
# Both reasons are said when the merge fails, too.
ends 1 merge -o x --report=none/r.json bad.proftext
hints "warning: bad.proftext: "
says "error: nothing is written: the only input is bad"
says "error: none/r.json: No such file or directory"
if can_be_nobody; then
    mkdir closed out
    chmod 777 out
    cp old closed/old
    chmod 666 closed/old
    chmod 555 closed
    for file in closed/new closed/old; do
        as_nobody "$anyprof" merge -o out/x --report=$file good.proftext more.proftext 2>"$err" >"$out"
        is "exit code for $file" $? 1
        says "error: $file: Permission denied"
        same out/x want.profdata
        rm -f out/x
    done
    same closed/old more.proftext
    gone closed/new
    no_leftovers closed
    chmod 755 closed
fi
no_leftovers

# A limit on the size of files stands for a full disk: the profile fits, the report does not. An old report stays.
for i in $(seq 400); do
    printf 'good.proftext\n'
done >many
printf 'old report\n' >old.json
cp old.json r.json
(trap '' XFSZ && ulimit -f 16 && exec timeout 60 "$anyprof" merge -f many -o x --report=r.json 2>"$err")
is "exit code at a size limit" $? 1
says "error: r.json: File too large"
there x
same r.json old.json
no_leftovers
# The same when the caller has not ignored the signal.
(ulimit -c 0 -f 16 && exec timeout 60 "$anyprof" merge -f many -o x --report=r.json 2>"$err")
is "exit code at a size limit" $? 1
says "error: r.json: File too large"
same r.json old.json
no_leftovers
ends 0 merge -f many -o x --report=r.json
reads r.json 'len(r["inputs"]), r["totals"]["merged"]' "(400, 400)"

# Every call of a kind fails in turn: there are the old files or the new ones, nothing else, and the exit code and the
# verdict of a report say which. A report fails to come only if it cannot be written itself, or memory is out.
if [ -f "$library" ] && [ -z "${ANYPROF_SANITIZE:-}" ]; then
    for call in open read write close rename memory; do
        for ((k = 1; ; k++)); do
            cp old.json r.json
            cp old x
            LD_PRELOAD=$library FAULT_CALL=$call FAULT_AT=$k FAULT_REPORT=$tmp/calls \
                "$anyprof" merge -j 1 -o x --report=r.json good.proftext more.proftext >"$out" 2>"$err"
            code=$?
            grep -q '^failed 1$' calls || break
            written=broken verdict=none
            ! cmp -s x old || written=old
            ! cmp -s x want.profdata || written=new
            cmp -s r.json old.json || verdict=$(value r.json 'r["verdict"]' 2>&1 | tail -n 1)
            case $call:$code:$verdict:$written in
            *:0:written:new | *:1:refused:old | *:1:failed:old | *:1:none:new | memory:1:none:old) good ;;
            *) bad "$call $k: exit code $code, the report says $verdict, the profile is $written" ;;
            esac
            no_leftovers
        done
        [ $k -gt 1 ] || bad "$call was never called"
    done
else
    printf 'skipped: no %s, or sanitizers: failing calls are not tested\n' "$library"
fi
finish
