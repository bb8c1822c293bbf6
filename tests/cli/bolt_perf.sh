#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof bolt convert with what perf recorded: text of perf script, and perf.data. What becomes of samples is compared
# with perf2bolt by oracle/bolt_perf.py.
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
lost program "no mapping of any file is in the samples; perf script prints them with --show-mmap-events" \
    < <(stack 100 $newest)
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
says "error: program: no samples of this program: no file in the recording has the build id $id
note: --ignore-build-id accepts the recording nevertheless"
gone new
ends 0 bolt convert program --perf-script=both --build-ids=ids --ignore-build-id --quiet
ends 0 bolt convert without --perf-script=<(sed s/program/without/ both) --build-ids=ids --quiet
ends 0 bolt convert program --perf-script=<(cat both; echo '100 1.5: PERF_RECORD_LOST lost 7') --report=lost.json
hints "warning: perf lost samples or events, so that the profile is not complete; its messages about that: 1"
is "report" "$(grep lines_of_losses lost.json)" '    "lines_of_losses": 1,'
printf '1122 /x/other\n /x/program\n' >ids
ends 0 bolt convert program --perf-script=both --build-ids=ids
says "warning: program: the recording does not name its build id; is this the program that was recorded?"
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
wrong "--build-ids needs --perf-script" -p both --build-ids=ids
wrong "--pid, --max-samples, --ignore-build-id and --ignore-interrupt-lbr need --perf-script or -p" \
    --pa=both --pid=3

# ---- perf.data ----

oracle=$(cd "$(dirname "$0")/../oracle" && pwd)
record() { # record FILE [STATEMENT]...: the recording of `both` as perf writes it, changed by statements of Python
    local file=$1
    shift
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$oracle python3 - "$file" "$offset" "$id" "$@" <<'END_OF_PYTHON'
import sys
from _perf import Recording

newest, call, older = (0x10005, 0x99, "P"), (0x77, 0x10000, "P"), (0x10002, 0x10005, "M")
r = Recording()
r.mmap(99, 0x400000, 0x1000, 0, "/x/other")
r.mmap(100, 0x10000, 0x1000, int(sys.argv[2], 0), "/x/program")
r.fork(100, 102)
r.fork(100, 103)
r.execute(103, "other")
r.exits(103)
r.sample(100, 0x10005, [newest, call, older, (0x10005, 0x99, "-")])
r.sample(102, 0x10005, [newest, (0xffffffff81000000, 0x10000, "P"), call])
r.sample(103, 0x10005, [newest, older])
r.sample(102, 0x10005, [])
r.build_ids = [(sys.argv[3], "/x/program")]
for statement in sys.argv[4:]:
    exec(statement)
r.write(sys.argv[1])
END_OF_PYTHON
}
record recorded || skip "no Python"
ends 0 bolt convert program -p recorded -o out
is "perf.data" "$(cat out)" "$(cat out.fdata)"
is "what became of it" "$(sed -n '1,9p' "$err")" "            10           records read
             2           processes of the program
             4  100.0 %  samples
             1   25.0 %      of other processes
             1   25.0 %      without branches
             7  100.0 %  entries of branch stacks
             1   14.3 %      from or to the kernel: left out
             1   14.3 %      without prediction: counted as predicted
             6  100.0 %  branches seen"
ends 0 bolt convert program --perfdata=recorded --quiet --report=report.json -o out
is "report" "$(sed -n '/"perf"/,/^  }/p' report.json)" '  "perf": {
    "cut_at": null,
    "lost": 0,
    "damaged_samples": 0,
    "processes": 2,
    "mappings_ignored": 0,
    "build_id_unknown": false,
    "name_by_build_id": false,
    "samples": {"seen": 4, "elsewhere": 1, "empty": 1, "loads": 0, "beyond": 0},
    "entries": {"seen": 7, "kernel": 1, "repeated": 0, "without_prediction": 1, "not_taken": 0}
  },'
ends 0 bolt convert program -p - --quiet -o out < <(cat recorded)
is "from a pipe" "$(cat out)" "$(cat out.fdata)"
gzip -k recorded
ends 0 bolt convert program -p recorded.gz --quiet -o out
is "packed" "$(cat out)" "$(cat out.fdata)"
mkdir directory && cp recorded directory/data && : >directory/data.0
ends 0 bolt convert program -p directory --quiet -o out
is "a directory" "$(cat out)" "$(cat out.fdata)"
ends 0 bolt convert program -p recorded --pid=102 --quiet -o out
is "one process" "$(wc -l <out)" 4
record basic.data 'r = Recording(branches=False)' "r.mmap(100, 0x10000, 0x1000, $offset, '/x/program')" \
    'r.sample(100, 0x10003)' 'r.sample(100, 0x10003)'
ends 0 bolt convert program -p basic.data --ba -o out
is "basic samples" "$(cat out)" "no_lbr cycles:u:
boltedcollection
1 f 3 2"
says "warning: program: the recording does not name its build id; is this the program that was recorded?"
ends 0 bolt convert program -p basic.data -o out
says "warning: program: all samples are of the other kind: the profile is empty; --basic-events is for samples of \
instructions, and only for them"
rm out

# Another build; another name.
record another 'r.build_ids = [("11" * 20, "/x/program")]'
ends 1 bolt convert program -p another -o out
says "error: program: no samples of this program: no file in the recording has the build id $id
note: --ignore-build-id accepts the recording nevertheless"
gone out
ends 0 bolt convert program -p another --ignore-build-id --quiet -o out
is "another build" "$(cat out)" "$(cat out.fdata)"
record renamed 'r.records[1] = r.records[1][:6] + ("/x/renamed",)' 'r.build_ids = [(sys.argv[3], "/x/renamed")]'
ends 0 bolt convert program -p renamed -o out
says "warning: program: it was recorded under another name, and recognised by its build id"
is "renamed" "$(cat out)" "$(cat out.fdata)"

# Recordings that perf does not read.
size=$(stat -c %s recorded)
{ head -c 48 recorded; printf '\0\0\0\0\0\0\0\0'; tail -c +57 recorded; } >killed
ends 0 bolt convert program -p killed -o out # the table of features, which it does not know of, is no record
is "the recorder was killed" "$(cat out)" "$(cat out.fdata)"
head -c $((size - 300)) recorded >cut
ends 0 bolt convert program -p cut -o out
hints "warning: the recording is cut off or damaged at byte"
hints "; what comes before is used ('anyprof perf info' says more)"
rm out
head -c 60 recorded >cut
ends 1 bolt convert program -p cut -o out
says "error: cut: recording of perf with an error: the file is cut off \
[perf.header at offset 16: found 44, expected 88]"
gone out
ends 1 bolt convert program -p both -o out
says "error: both: recording of perf with an error: it is no file of perf record [perf.header.magic at offset 0]
note: both is the output of perf script: give it as --perf-script=both"
ends 1 bolt convert program --perf-script=recorded -o out
hints "note: recorded is a perf.data file: give it as -p recorded"
: >empty
ends 1 bolt convert program -p empty -o out
says "error: empty: recording of perf with an error: the file is empty
note: empty is an empty file: give a recording of perf (perf.data)"
ends 1 bolt convert program -p nothing -o out
says "error: nothing: No such file or directory"
cp recorded keep
ends 1 bolt convert program -p recorded -o recorded
says "error: recorded: the profile would replace an input"
same recorded keep
gone out
finish
