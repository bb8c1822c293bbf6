#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof bolt convert with what perf recorded: text of perf script, and perf itself, which a script of ours stands in
# for. What becomes of samples is compared with perf2bolt by oracle/bolt_perf.py.
. "$(dirname "$0")/_lib.sh"
. "$(dirname "$0")/_bolt.sh"

[ "$(uname -m)" = x86_64 ] || skip "assembles x86-64 code"
command -v as >/dev/null && command -v ld >/dev/null || skip "no assembler or linker"
{
    printf '        .text\n        .globl f\n'
    f_code
    f_table
} >program.s
id=00112233445566778899aabbccddeeff00112233
as program.s -o program.o && ld -e f -Ttext=0x10000 --build-id=0x$id program.o -o program &&
    ld -pie -e f -Ttext=0x10000 --build-id=0x$id program.o -o movable &&
    ld -e f -Ttext=0x10000 program.o -o without || skip "the assembler or linker fails"
ends 0 bat verify program
offset=0x$(readelf -SW program | sed -nE 's/.* \.text +PROGBITS +[0-9a-f]+ ([0-9a-f]+).*/\1/p')
offset_movable=0x$(readelf -SW movable | sed -nE 's/.* \.text +PROGBITS +[0-9a-f]+ ([0-9a-f]+).*/\1/p')

mapping() { # mapping PID START [FILE [OFFSET [ID]]]: a page of code
    printf '%5d %5d.%06d: PERF_RECORD_MMAP2 %d/%d: [%s(0x1000) @ %s %s]: r-xp %s\n' "$1" 1 1 "$1" "$1" "$2" \
        "${4:-$offset}" "${5:-08:01 77 0}" "${3:-/x/program}"
}
event() { printf '%5d     1.000002: PERF_RECORD_%s\n' "$1" "$2"; }
stack() { # stack PID BRANCH...
    printf '%5d     1.000003: cycles:u: ' "$1"
    shift
    printf ' %s/-/-/0/ ' "$@"
    printf '\n'
}
newest=0x10005/0x99/P call=0x77/0x10000/P older=0x10002/0x10005/M

# ---- what becomes of it ----

{
    mapping 99 0x400000 /x/other
    mapping 100 0x10000
    event 102 'FORK(102:102):(100:100)'
    event 103 'FORK(103:103):(100:100)'
    event 103 'COMM exec: other:103/103'
    event 103 'EXIT(103:103):(1:1)'
    stack 100 $newest $call $older 0x10005/0x99/-
    stack 102 $newest 0xffffffff81000000/0x10000/P $call
    stack 103 $newest $older
    stack 102
    echo 'something else'
} >both
sed -i 's/cycles:u:  .-.-.0. $/cycles:u: /' both # the empty one
ends 0 bolt convert program --perf-script=both -o out.fdata
is "profile" "$(cat out.fdata)" "boltedcollection
1 f 0 1 f 4 0 2
1 f 2 1 f 5 1 1
1 f 4 1 f 5 0 2
0 [unknown] 0 1 f 0 0 2"
is "what became of it" "$(cat "$err")" "            11           lines read
             2           processes of the program
             4  100.0 %  samples
             1   25.0 %      of other processes
             1   25.0 %      without branches
             7  100.0 %  entries of branch stacks
             1   14.3 %      from or to the kernel: left out
             1   14.3 %      without prediction: counted as predicted
             6  100.0 %  branches seen
             3   50.0 %      in the profile
             3   50.0 %      returns, which profiles do not hold
             4  100.0 %  runs from a branch to the next one
             2   50.0 %      in the profile
             2   50.0 %      not in the program's functions
             4           different places in the profile
warning: lines that are neither samples nor events are not used: 1, the first one is line 11"
ends 0 bolt convert program --perf-script=- --quiet --report=report.json <both
is "the same on standard output" "$(cat "$out")" "$(cat out.fdata)"
is "report" "$(sed -n '/"perf"/,/^  }/p' report.json)" '  "perf": {
    "lines_of_events": 1,
    "lines_of_losses": 0,
    "lines_other": 1,
    "first_other_line": 11,
    "processes": 2,
    "mappings_ignored": 0,
    "build_id_unknown": false,
    "name_by_build_id": false,
    "samples": {"seen": 4, "elsewhere": 1, "empty": 1, "loads": 0, "beyond": 0},
    "entries": {"seen": 7, "kernel": 1, "repeated": 0, "without_prediction": 1, "not_taken": 0}
  },'
gzip -k both
ends 0 bolt convert program --perf-script=both.gz --quiet
is "packed" "$(cat "$out")" "$(cat out.fdata)"
ends 0 bolt convert program --perf-script=both --quiet --pid=102
is "one process" "$(cat "$out")" "boltedcollection
1 f 0 1 f 4 0 1
1 f 4 1 f 5 0 1
0 [unknown] 0 1 f 0 0 1"
ends 0 bolt convert program --perf-script=both --max-samples=1
is "samples" "$(sed -n '3,4p' "$err")" "             1  100.0 %  samples
             3   75.0 %  more samples, which were not read"
ends 0 bolt convert program --perf-script=both --ignore-interrupt-lbr=0
hints "             7  100.0 %  branches seen"
ends 1 bolt convert program --perf-script=both --pid=103
says "error: program: no samples of this program: the program was not in the process 103"
# Parts of one recording, in any order.
grep -v PERF_RECORD both | sed 's/something.*//' >samples
grep PERF_RECORD both >events
for order in "samples events" "events samples"; do
    # shellcheck disable=SC2086
    ends 0 bolt convert program $(printf -- '--perf-script=%s ' $order) --quiet
    is "parts" "$(cat "$out")" "$(cat out.fdata)"
done

# Of stacks of 32 entries the newest two are left out, from the first one on.
# shellcheck disable=SC2046
{
    mapping 100 0x10000
    stack 100 $newest $older $older
    stack 100 $(printf "$older %.0s" {1..32})
    stack 100 $newest
} >deep
ends 0 bolt convert program --perf-script=deep
hints "             3    8.3 %      the newest of stacks of 32, which may be wrong: left out"
hints "            33  100.0 %  branches seen"

# A program that is loaded anywhere; it runs itself again, elsewhere.
{
    mapping 7 0x555555560000 /x/movable $offset_movable
    stack 7 0x555555560005/0x99/P 0x555555560002/0x555555560005/P
    mapping 7 0x666666660000 /x/movable $offset_movable
    stack 7 0x666666660005/0x99/P 0x666666660002/0x666666660005/P
    stack 7 0x777777770002/0x555555560005/P 0x10002/0x10005/P
} >moved
ends 0 bolt convert movable --perf-script=moved --quiet
is "profile" "$(cat "$out")" "boltedcollection
1 f 2 1 f 5 0 2
0 [unknown] 0 1 f 5 0 1"

# Samples of instructions, and of loads.
{
    mapping 100 0x10000
    echo '  100 cycles:u:    10003'
    echo '  100 cpu/mem-loads/:    7f00     10005'
    stack 100 $newest
    echo '  100 instructions:u:    10003'
} >basic
ends 0 bolt convert program --perf-script=basic --ba
is "profile" "$(cat "$out")" "no_lbr cycles:u: instructions:u:
boltedcollection
1 f 3 2"
hints "             1   25.0 %  loads: the data they loaded is not in the profile"
hints "             1  100.0 %  of the other kind, which was not asked for"

# ---- where the program was ----

lost() { # lost PROGRAM MESSAGE [OPTION]: of the text on standard input
    cat >text
    ends 1 bolt convert "$1" --perf-script=text -o new "${@:3}"
    says "error: $1: no samples of this program: $2"
    gone new
}
lost program "no mapping of any file is in the text; print it with --show-mmap-events" < <(stack 100 $newest)
lost program "no file program was mapped; among those that were: a, a b" < <(
    for file in /x/a '/x/a b' /x/a '[vdso]' //anon; do mapping 1 0x1000 "$file"; done
)
wrong_place="files of its name were mapped, but not where this program can be, or of another build"
lost program "$wrong_place" < <(mapping 1 0x20000)
lost program "no file program was mapped; among those that were: program (deleted)" \
    < <(mapping 1 0x10000 '/x/program (deleted)')
{ mapping 100 0x10000 /x/program $offset "<$id>"; stack 100 $older; mapping 100 0x30000; } >text
ends 0 bolt convert program --perf-script=text
hints "warning: program: mappings of files with this name that are of another build, or at an impossible \
address, are not used: 1"
{ mapping 100 0x10000 /x/program $offset "<1122>"; stack 100 $older; } >another
lost program "$wrong_place" <another
ends 0 bolt convert program --perf-script=text --ignore-build-id --quiet
ends 0 bolt convert without --perf-script=<(sed s/program/without/ text) --quiet # it has no build id

echo "$id /x/program" >ids
ends 0 bolt convert program --perf-script=both --build-ids=ids --quiet
echo "1122 /x/program" >ids
ends 1 bolt convert program --perf-script=both --build-ids=ids -o new
says "error: program: no samples of this program: no file in the recording has the build id $id; \
--ignore-build-id accepts the recording nevertheless"
gone new
ends 0 bolt convert program --perf-script=both --build-ids=ids --ignore-build-id --quiet
ends 0 bolt convert without --perf-script=<(sed s/program/without/ both) --build-ids=ids --quiet
ends 0 bolt convert program --perf-script=<(cat both; echo '100 1.5: PERF_RECORD_LOST lost 7') --report=lost.json
hints "warning: perf lost samples or events, so that the profile is not complete; its messages about that: 1"
is "report" "$(grep lines_of_losses lost.json)" '    "lines_of_losses": 1,'
printf '1122 /x/other\n /x/program\n' >ids
ends 0 bolt convert program --perf-script=both --build-ids=ids
says "warning: program: the recording does not name its build id, but has files without one; is \
this the program that was recorded?"
echo "$id /x/renamed" >ids
ends 0 bolt convert program --perf-script=<(sed s/program/renamed/ both) --build-ids=ids
says "warning: program: it was recorded under another name, and recognised by its build id"
is "renamed" "$(cat "$out")" "$(cat out.fdata)"
printf '%s' "$id /x/program" >ids
ends 1 bolt convert program --perf-script=both --build-ids=ids
hints "error: ids: samples with an error: the last line has no end"
hints "[line 1, column 52, text.line]"
ends 0 bolt convert program --perf-script=<(mapping 100 0x10000; stack 103 $older; stack 104 $newest)
says "warning: program: less than half of the samples are of this program"
says "warning: program: no sample is in the program: the profile is empty; is this the program that was recorded?"

# ---- errors ----

{ mapping 100 0x10000; echo '  100 main+0x4/f+0x2/P/-/-/0/'; } >bad
ends 1 bolt convert program --perf-script=both --perf-script=bad -o new
not_hex="samples with an error: expected a hexadecimal number (print brstack, not brstacksym) \
[line 2, column 7, perf.branch.from]"
says "error: bad: $not_hex"
gone new
for _ in {1..99}; do cat both; done >large
ends 1 bolt convert program --perf-script=both --perf-script=large --max-input-size=6000
hints "error: large: a limit of this run was exceeded: larger than the limit for one input"
ends 1 bolt convert program --perf-script=nothing
says "error: nothing: No such file or directory"
for place in both ids; do
    cp $place keep
    ends 1 bolt convert program --perf-script=both --build-ids=ids -o $place
    says "error: $place: the profile would replace an input"
    same $place keep
done
wrong() { # wrong MESSAGE ARGUMENT...
    ends 2 bolt convert program "${@:2}"
    hints "bolt convert: $1."
}
wrong "samples are required: --pa=FILE, --perf-script=FILE or -p FILE"
wrong "give samples of one kind only: --pa, --perf-script or -p" --pa=both --perf-script=both
wrong "give samples of one kind only: --pa, --perf-script or -p" -p both --perf-script=both
wrong "-p needs a file, not standard input, because perf reads it several times" -p -
wrong "--build-ids needs --perf-script" -p both --build-ids=ids
wrong "--pid, --max-samples, --ignore-build-id and --ignore-interrupt-lbr need --perf-script or -p" \
    --pa=both --pid=3

# ---- perf ----

mkdir bin
cat >bin/perf <<END_OF_PERF
#!/bin/sh
echo "\$*" >>$tmp/asked
case \$1 in
buildid-list) echo "\${IDS-$id /x/program}"; exit \${IDS_EXIT:-0} ;;
esac
cat \${TEXT:-$tmp/both}
[ -z "\${SAY:-}" ] || echo "\$SAY" >&2
[ -z "\${KILL:-}" ] || kill -\$KILL \$\$
exit \${EXIT:-0}
END_OF_PERF
chmod +x bin/perf
printf PERFILE2 >recorded
path=$PATH
PATH=$tmp/bin:$PATH
ends 0 bolt convert program -p recorded -o out --quiet
is "perf" "$(cat out)" "$(cat out.fdata)"
is "what it was asked" "$(cat asked)" "buildid-list -f -i recorded
script -F pid,time,event,brstack --show-mmap-events --show-task-events -f -i recorded"
rm asked
TEXT=basic ends 0 bolt convert program --perfdata=recorded --ba --ignore-build-id --quiet -o out
is "what it was asked" "$(cat asked)" \
    "script -F pid,time,event,ip -G --show-mmap-events --show-task-events -f -i recorded"
is "basic samples" "$(tail -n 1 out)" "1 f 3 2"
rm out
EXIT=3 SAY="it says why" ends 1 bolt convert program -p recorded -o out
says "it says why
error: recorded: perf script has failed with exit code 3"
gone out
KILL=KILL ends 1 bolt convert program -p recorded -o out
says "error: recorded: perf script was ended by signal 9"
gone out
EXIT=3 TEXT=/dev/null ends 1 bolt convert program -p recorded -o out # not that there is no mapping
is "said" "$(cat "$err")" "error: recorded: perf script has failed with exit code 3"
IDS_EXIT=4 ends 1 bolt convert program -p recorded -o out
is "said" "$(cat "$err")" "error: recorded: perf buildid-list has failed with exit code 4"
gone out
IDS="1122 /x/program" ends 1 bolt convert program -p recorded -o out
hints "error: program: no samples of this program: no file in the recording has the build id"
gone out
# An error at the beginning of a long text, which perf then need not print.
for _ in {1..100}; do cat both; done >hundred
{ cat bad; for _ in {1..200}; do cat hundred; done; } >long
TEXT=long ends 1 bolt convert program -p recorded -o out
is "said" "$(cat "$err")" "error: recorded: $not_hex"
gone out
cp both recorded
ends 1 bolt convert program -p recorded -o recorded
says "error: recorded: the profile would replace an input"
same both recorded
ends 1 bolt convert program -p recorded -o out
says "error: recorded: this is text, not a file of perf record; give pre-aggregated samples as --pa=recorded, the \
output of perf script as --perf-script=recorded"
printf PERFILE2 >recorded
PATH=$tmp/nothing
"$anyprof" bolt convert program -p recorded -o out 2>"$err"
code=$?
PATH=$path
is "exit code" $code 1
says "error: recorded: perf, which has to read this file, is not on PATH. Where perf is installed, run 'perf script \
-F pid,time,event,brstack --show-mmap-events --show-task-events -i recorded' (with --basic-events, 'ip -G' for \
'brstack'), and give its output to --perf-script"
gone out
finish
