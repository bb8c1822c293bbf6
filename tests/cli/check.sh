#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof check: its text, its JSON, exit codes and wrong usage. What it finds: unit/instr/check/test_check_*.c,
# oracle/check.py.
. "$(dirname "$0")/_lib.sh"

profile good main 0x1 7 8
profile other foo 5 1
ends 0 merge -o good.profdata good
ends 0 check good
silent
is "text" "$(cat "$out")" "0 errors, 0 warnings and 0 notes in 1 file with 1 record"
ends 0 check good other good.profdata
prints "0 errors, 0 warnings and 0 notes in 3 files with 3 records"
ends 0 check - <good
prints "in 1 file with 1 record"
gzip -c good.profdata >packed
ends 0 check packed

# Damage: each record is looked at, and each is found.
printf 'f\n1\nx\n\ng\n1\n1\n5\n\nh\ny\n1\n\n' >bad
ends 1 check bad
silent
is "findings" "$(cat "$out")" "bad: error: malformed instrumentation profile data: \
number of counters is not a valid integer [line 3, text.record.num_counters]
bad: error: malformed instrumentation profile data: function hash is not a valid integer [line 11, text.record.hash]
2 errors, 0 warnings and 0 notes in 1 file with 1 record"
ends 1 check good bad other
prints "2 errors, 0 warnings and 0 notes in 3 files with 3 records"

# Notes are no failure: bytes that belong to no part.
{ cat good.profdata; printf '\0\0\0\0\0'; } >notes
ends 0 check notes
size=$(stat -c %s good.profdata)
note="zeros that belong to no part of the profile"
prints "notes: note: $note [indexed.unclaimed at offset $size: found 5, expected 0]"
prints "0 errors, 0 warnings and 1 note in 1 file with 1 record"

# Warnings are: a whole profile is lost.
cat good.profdata good.profdata >twice
ends 1 check twice
prints "twice: warning: parts of the profile contradict each other: another profile, which no reader reads: \
'anyprof merge' joins profiles [indexed.unclaimed at offset $size: found $size, expected 0]"
prints "0 errors, 1 warning and 0 notes in 1 file with 1 record"

# Only counters of a run cannot be as large as that: these are sums.
profile large main 0x1 72057594037927937
ends 0 merge -o large.profdata large
ends 0 check large large.profdata
prints "0 errors, 0 warnings and 0 notes in 2 files with 2 records"

# JSON and memory profiles, with line and column
ends 0 convert --to=json good.profdata -o good.json
sed 's/"counts": \[7/"counts": [-7/' good.json >bad.json
printf -- '---\nHeapProfileRecords:\n  - GUID: 0x1\n    CallSites: []\n' >good.yaml
sed 's/0x1/17/' good.yaml >bad.yaml
ends 0 check good.json good.yaml
silent
is "nothing found" "$(cat "$out")" "0 errors, 0 warnings and 0 notes in 2 files with 1 record"
ends 1 check bad.json bad.yaml
silent
column=$(awk '/-7/ { print index($0, "-7") }' bad.json)
is "findings" "$(cat "$out")" "bad.json: error: JSON with an error: this is no whole number from 0 to 2^64-1 \
[line $(awk '/-7/ { print NR }' bad.json), column $column, json.functions.counts]
bad.yaml: error: YAML profile with an error: use a hexadecimal GUID or a function instead [line 3, column 11, \
memprof.yaml.HeapProfileRecords.GUID]
2 errors, 0 warnings and 0 notes in 2 files with 0 records"
ends 0 merge -o memory.profdata good good.yaml
ends 0 check memory.profdata
silent

# Findings of a kind have one line.
for ((i = 0; i < 25; i++)); do printf 'f%d\n1\n1\nx\n\n' "$i"; done >many
ends 1 check many
is "lines" "$(wc -l <"$out")" 2
prints "many: error: malformed instrumentation profile data: count is invalid [line 4, text.record.counter] \
(and 24 more, with --all)"
ends 1 check --all many
is "lines" "$(wc -l <"$out")" 26

# JSON
ends 1 check --json bad good
silent
prints '"schema": "anyprof-check/1"'
finding='{"severity": "error", "code": "MALFORMED", "where": "text.record.num_counters", "offset": 4, "line": 3, '
finding+='"column": 1, "found": null, "expected": null, "function": null, "hash": null, "message": "malformed '
finding+='instrumentation profile data: number of counters is not a valid integer [line 3, text.record.num_counters]"}'
prints "$finding"
is "JSON" "$(python3 -c '
import json, sys
d = json.load(sys.stdin)
print([(f["path"], f["errors"], len(f["findings"])) for f in d["files"]], d["totals"])' <"$out")" \
    "[('bad', 2, 2), ('good', 0, 0)] {'files': 2, 'bad_files': 1, 'errors': 2, 'warnings': 0, 'notes': 0, 'records': 2}"

# What cannot be checked is an error, and the rest is checked.
printf '\1\2\3\4\5\6\7\10' >unknown
: >empty
cp "$(command -v bash)" elf # not ours: with coverage it is an instrumented program
ends 1 check missing unknown empty elf good
prints "missing: error: No such file or directory"
prints "unknown: error: unrecognized instrumentation profile encoding format: this is no profile of a \
known kind"
prints "empty: error: empty raw profile file"
prints "elf: error: not supported: this is an ELF file, no profile: give a profile, and a program with \
--against=PROGRAM"
prints "4 errors, 0 warnings and 0 notes in 5 files with 1 record"

# Directories
mkdir -p runs/deep
cp good runs/a
cp bad runs/deep/b
ends 1 check runs
prints "runs/deep/b: error:"
prints "in 2 files with 2 records"
mkdir none
ends 1 check none
says "error: none: there are no files in this directory"

# Where it is written
ends 1 check bad -o report
is "nothing on standard output" "$(cat "$out")" ""
is "the file" "$(tail -n 1 report)" "2 errors, 0 warnings and 0 notes in 1 file with 1 record"
cp good precious
ends 2 check precious -o precious
says "error: precious: the output would replace an input"
same precious good
ends 1 check good -o missing/report
says "error: missing/report: No such file or directory"
no_leftovers

# Limits
ends 1 check --max-records=1 runs/a many
ends 1 check --max-input-size=10 good
prints "good: error: a limit of this run was exceeded"

# Programs: oracle/check.py, too
if clang=$(command -v clang-22 || command -v clang-19); then
    cat >p.c <<'END'
int a(int x) { return x > 2 ? 1 : 2; }
int b(int x) { int s = 0; for (int i = 0; i < x; i++) s += a(i); return s; }
int gone(int x) { return x; }
int main(int c, char **v) { (void)v; return b(c + 5) + gone(c) == 7; }
END
    sed 's/gone/new/g; s/x > 2 /x > 7 ? 5 : x > 2 /; s/i++)/i++) if (i != 9)/' p.c >q.c
    "$clang" -O0 -fprofile-generate p.c -o p.prog
    "$clang" -O0 -fprofile-generate q.c -o q.prog
    LLVM_PROFILE_FILE=p.profraw ./p.prog
    ends 0 check --against=./p.prog p.profraw
    is "the table" "$(cat "$out")" "p.profraw beside the program:
                            functions    share    counts
  found                             4  100.0 %   100.0 %
0 errors, 0 warnings and 0 notes in 1 file with 4 records"
    ends 1 check --against=./q.prog p.profraw
    is "one line for each kind" "$(sed -E 's/0x[0-9a-f]{16}/HASH/g; s/offset [0-9]+/offset N/' "$out")" "\
p.profraw: warning: a: function control flow change detected (hash mismatch): hash HASH, in the program HASH \
[against.hash at offset N] (and 1 more, with --all)
p.profraw: gone: note: a function that the program lacks [against.unknown at offset N]
p.profraw: new: note: a function of the program without counts [against.missing]
p.profraw beside the program:
                            functions    share    counts
  found                             1   25.0 %     5.6 %
  changed                           2   50.0 %    88.9 %
  missing                           1   25.0 %         -
  not in the program                1        -     5.6 %
0 errors, 2 warnings and 2 notes in 1 file with 4 records"
    ends 1 check --all --against=./q.prog p.profraw
    is "all of them" "$(grep -c 'hash mismatch' "$out")" 2
fi
ends 1 check --against=elf good
says "error: elf: unable to correlate profile: could not find section (__llvm_prf_cnts) (it is not instrumented; give \
the build that wrote the profile, which is compiled with -fprofile-generate or -fprofile-instr-generate)"
ends 1 check --against=missing good
says "error: missing: No such file or directory"
ends 1 check --against=missing --against=good other
says "error: missing: No such file or directory"
ends 2 check --against=elf --against=good other -o good
says "error: good: the output would replace an input"
ends 2 check --against=good other -o good
says "error: good: the output would replace an input"

# Sample profiles
mkdir samples
printf 'f:9:1\n 1: 5\n 2: g:4\n  1: 4\n' >samples/good.prof
printf 'f:1:1\n 1: 1\n' | gzip -c >samples/packed.gz
ends 0 check samples
silent
is "samples" "$(cat "$out")" "0 errors, 0 warnings and 0 notes in 2 files with 2 records"
printf 'f:5:1\n 1: 5\n 2: g:4\n  1: 4\n   1: x\ng:1:1\n 3:\n' >damaged.prof
printf 'f:5:1\n 1: 5\n    2: 4\n' >deep.prof
ends 1 check damaged.prof deep.prof
is "findings" "$(cat "$out")" "damaged.prof: error: Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found    1: x \
[line 5, column 7, sample.text.line] (and 1 more, with --all)
deep.prof: warning: f: sample profile text with an error: more blanks than functions are open: LLVM adds the line to \
the innermost one: found 4, expected 1 [line 3, sample.text.line.indentation]
deep.prof: f: note: the total is smaller than the sum of the lines and of what is inlined: found 5, expected at least \
9 [line 1, sample.text.function.total]
2 errors, 1 warning and 1 note in 2 files with 1 record"
ends 1 check --max-records=1 samples/good.prof
prints "samples/good.prof: error: a limit of this run was exceeded"

# Each file of the corpus that LLVM has written and reads has no errors and no warnings, and each rejected one an error.
# These are what LLVM writes and does not read back, or not whole.
if [ -d "$corpus/sample" ]; then
    for file in "$corpus"/sample/v[0-9]*.{afdo,prof} "$corpus"/sample/pg-*.{afdo,prof}; do
        case ${file##*/} in
        v13-csprobe-md5.afdo | v22-cs-split.afdo | v22-md5nested-text.prof) ends 1 check "$file" ;;
        *) ends 0 check "$file" ;;
        esac
    done
    for file in "$corpus"/sample/rej-*.{afdo,prof}; do
        ends 1 check "$file"
        grep -q ': error: ' "$out" && good || bad "no error in $file"
    done
fi

# Wrong usage
ends 2 check
ends 2 check --nonsense good
ends 2 check --against= good
says "anyprof: --against takes the name of a file, not ''"
ends 2 check - - <good
says "error: standard input can be given only once"
# A text that does not even begin like a profile is none; one whose first hash is wrong is damaged.
printf '# Title\n\nSome words.\nAnd more.\nThe end.\n' >readme
ends 1 check readme
prints "readme: error: unrecognized instrumentation profile encoding format: this is no profile \
of a known kind"
prints "1 error, 0 warnings and 0 notes in 1 file with 0 records"
printf 'f\nx\n1\n1\n' >damaged
ends 1 check damaged
prints "damaged: error: malformed instrumentation profile data: function hash is not a valid integer \
[line 2, text.record.hash]"
finish
