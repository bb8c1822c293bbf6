#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# convert: formats by option and by name, what is left out, JSON as an input of the other commands, errors.
. "$(dirname "$0")/_lib.sh"

ir=$profiles/clang-22-ir.profraw
fe=$profiles/clang-16-fe.profraw

# The same bytes as merge, by the name of the output and by --to.
for input in "$ir" "$fe"; do
    ends 0 merge "$input" -o want.profdata
    ends 0 merge --text "$input" -o want.proftext
    ends 0 convert "$input" -o x.profdata
    same x.profdata want.profdata
    ends 0 convert "$input" -o x.proftext
    same x.proftext want.proftext
    ends 0 convert "$input" -o x.json
    grep -q '"schema": "anyprof-profile/1"' x.json || bad "no schema"
    for to in indexed text json; do
        ends 0 convert --to=$to "$input" -o x.any
        case $to in
        indexed) same x.any want.profdata ;;
        text) same x.any want.proftext ;;
        json) same x.any x.json ;;
        esac
    done
    # Through JSON nothing changes, whatever it becomes.
    ends 0 convert x.json -o y.profdata
    same y.profdata want.profdata
    ends 0 convert x.json -o y.proftext
    same y.proftext want.proftext
    ends 0 convert x.json -o y.json
    same y.json x.json
    ends 0 merge x.json -o y.profdata
    same y.profdata want.profdata
    ends 0 merge x.json "$input" -o twice1
    ends 0 merge "$input" "$input" -o twice2
    same twice1 twice2
    ends 0 show --all-functions --counts --ic-targets --memop-sizes x.json
    cp "$out" shown
    ends 0 show --all-functions --counts --ic-targets --memop-sizes "$input"
    same "$out" shown
    ends 0 convert --for=indexed-3 x.json -o y.profdata
    ends 0 merge --for=indexed-3 "$input" -o z.profdata
    same y.profdata z.profdata
done

# From standard input, to standard output, compressed, onto itself.
ends 0 convert "$ir" --to=json -o want.json
ends 0 convert --to=json - <"$ir"
same "$out" want.json
gzip -c want.json >want.json.gz
ends 0 convert want.json.gz -o x.json
same x.json want.json
ends 0 convert x.json -o x.json
same x.json want.json
no_leftovers

# What the target cannot hold is said.
printf ':ir\n:temporal_prof_traces\n1\n1\n1\nf,g\nf\n1\n1\n5\n$1\n3\n\n' >all.proftext
printf 'g\n1\n1\n6\n1\n2\n1\n1\n_ZTV1A:4\n\n' >>all.proftext
ends 0 convert --for=llvm-16 all.proftext -o x.profdata
says "note: left out of the output (indexed version 9): 1 value site, 1 bitmap, 1 temporal trace, 1 vtable name"
ends 0 convert --for=llvm-19 all.proftext -o x.profdata
says "note: left out of the output (indexed version 12): 1 vtable name; --keep-vtable-symbols keeps vtable names"
ends 0 convert --quiet --for=llvm-16 all.proftext -o x.profdata
silent
no_ir="warning: the output is no IR profile any more: indexed version"
ends 0 convert --for=llvm-3.6 all.proftext -o x.profdata
hints "$no_ir"
ends 0 merge --for=llvm-3.8 all.proftext -o x.profdata
hints "$no_ir"
ends 0 convert --for=llvm-3.9 all.proftext -o x.profdata
if grep -qF "$no_ir" "$err"; then bad "an IR profile"; else good; fi
ends 0 convert all.proftext -o x.json
silent
is "functions in JSON" "$(grep -cE '"(bitmap|vtables)"' x.json)" 2
ends 0 convert --for=llvm-23 --keep-vtable-symbols x.json -o x.profdata
silent
ends 0 merge --keep-vtable-symbols all.proftext -o y.profdata
same x.profdata y.profdata

# Every key is described, those of a function included.
python3 - "$source_dir/docs/json.md" x.json >"$err" <<'END' || bad "keys of docs/json.md"
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
page = page[page.index("## A profile:") : page.index("## Pseudo probes")]
missing = []
def look(value):
    for key, entry in value.items() if isinstance(value, dict) else []:
        missing.extend([key] * (not key.isupper() and f"`{key}`" not in page and f'"{key}"' not in page))
        look(entry)
    for entry in value if isinstance(value, list) else []:
        look(entry)
look(json.load(open(sys.argv[2], encoding="utf-8")))
print(missing)
sys.exit(bool(missing))
END

# All traces stay, of which merge keeps some.
{
    printf ':ir\n:temporal_prof_traces\n150\n150\n'
    for i in $(seq 150); do printf '%d\nf\n' "$i"; done
    printf 'f\n1\n1\n5\n\n'
} >traces.proftext
ends 0 convert traces.proftext -o x.profdata
ends 0 show --temporal-profile-traces x.profdata
prints "Temporal Profile Traces (samples=150 seen=150):"
ends 0 convert traces.proftext -o x.json
is "traces in JSON" "$(grep -c '"weight"' x.json)" 150

# A record without a name goes where names are not needed, and is missed where they are.
printf '{"schema":"anyprof-profile/1","functions":[{"id":"0x123","hash":1,"counts":[5]},' >nameless.json
printf '{"name":"f","hash":1,"counts":[6]}]}' >>nameless.json
ends 0 convert nameless.json -o x.json
hints "warning: nameless.json: no profile data available for function: records whose name is not in the file (1)"
grep -q '{"name": null, "id": "0x0000000000000123", "hash": "0x0000000000000001", "counts": \[5\]}' x.json ||
    bad "the record is not there"
ends 0 convert nameless.json -o x.profdata
says "note: 1 record was lost, because no input has the name"

# A memory profile in the version that is asked for; what is known of it is all there.
cat >memory.yaml <<'EOF'
---
HeapProfileRecords:
  - GUID: f
    AllocSites:
      - Callstack:
          - { Function: f, LineOffset: 1, Column: 2, IsInlineFrame: false }
        MemInfoBlock: { AllocCount: 3, TotalSize: 24, TotalLifetime: 7, TotalLifetimeAccessDensity: 2, MinLifetime: 2 }
EOF
for version in 0 1 2 3 4; do
    for_release=--for=llvm-$((version < 2 ? 19 : 22))
    ends 0 convert $for_release --memprof-version=$version --memprof-full-schema memory.yaml -o x.profdata
    ends 0 merge $for_release --memprof-version=$version --memprof-full-schema memory.yaml -o y.profdata
    same x.profdata y.profdata
    ends 0 convert x.profdata -o memory.json
    grep -q '"version": '$version memory.json || bad "no MemProf version $version"
done

# A release that is not known yet is said to be, as by merge.
ln -sf "$anyprof" llvm-profdata-99
anyprof=$PWD/llvm-profdata-99 ends 0 convert "$ir" -o x.profdata
says "warning: llvm-profdata-99: this release is not known yet: writing what LLVM 23 reads"
anyprof=$PWD/llvm-profdata-99 ends 0 convert --quiet "$ir" -o x.profdata
silent
anyprof=$PWD/llvm-profdata-99 ends 0 convert --for=llvm-22 "$ir" -o x.profdata
silent

# Errors.
ends 2 convert
hints "convert: a FILE is required."
ends 2 convert "$ir" -o x.out
hints "the format of the output is unknown"
ends 2 convert "$ir"
hints "the format of the output is unknown"
ends 2 convert "$ir" --to=yaml -o x
hints "yaml"
ends 2 convert --for=llvm-16 "$ir" -o x.json
hints "--for is not for JSON"
for option in --memprof-version=3 --memprof-full-schema; do
    ends 2 convert $option "$ir" -o x.proftext
    hints "--memprof-version and --memprof-full-schema are for indexed profiles only"
done
ends 2 convert --memprof-version=9 "$ir" -o x.profdata
ends 2 convert --for=llvm-99 "$ir" -o x.profdata
hints "unknown target 'llvm-99'"
ends 2 convert --sparse "$ir" -o x.json
hints "--sparse and --keep-vtable-symbols are not for JSON"
ends 2 convert "$ir" "$fe" -o x.json
echo old >kept.json
ends 2 convert "$ir" --csv --to=json -o x.csv
hints "two formats are named for the output"
ends 0 convert "$ir" --to=text --to=json -o as.json # the last value of an option
ends 0 convert "$ir" --csv --to=csv -o as.json
says "note: as.json is written as csv: the option decides, not the end of the name"
ends 0 convert "$ir" --to=text -o as.profdata
hints "note: as.profdata is written as text: the option decides, not the end of the name"
ends 2 convert "$ir" -o x.prof
hints "the output is named as a sample profile, and this is none"
ends 1 convert none -o kept.json
says "error: none: No such file or directory"
ends 1 convert "" -o kept.json
says "error: '': No such file or directory"
is "the old output" "$(cat kept.json)" old
head -c 1000 "$ir" >cut.profraw
for to in kept.json kept.profdata; do
    echo old >$to
    ends 1 convert cut.profraw -o $to
    hints "error: cut.profraw: "
    is "the old output" "$(cat $to)" old
done
: >empty
ends 1 convert empty -o kept.json
hints "error: empty: empty raw profile file"
ends 1 convert empty -o kept.profdata
hints "error: empty: empty raw profile file"
printf '{"schema": "anyprof-profile/1",\n "functions": [\n  {"name": "f", "hash": 1, "counts": [1, -2]}]}\n' >bad.json
ends 1 convert bad.json -o kept.profdata
says "error: bad.json: JSON with an error: this is no whole number from 0 to 2^64-1 [line 3, column 42, \
json.functions.counts]"
ends 1 show bad.json
hints "line 3, column 42"
ends 0 merge --failure-mode=all bad.json "$ir" -o x.profdata
hints "warning: bad.json: JSON with an error"
ends 1 convert --max-records=1 x.json -o kept.profdata
hints "error: x.json: a limit of this run was exceeded"
ends 1 convert --max-input-size=100 "$ir" -o kept.json
hints "a limit of this run was exceeded"
if [ -w /dev/full ]; then
    ends 1 convert --to=json "$ir" -o /dev/full
    says "error: /dev/full: No space left on device"
    ends 1 convert --to=indexed "$ir" -o /dev/full
    says "error: /dev/full: No space left on device"
fi
no_leftovers

# A memory profile is in the JSON, and is left out when that is asked for.
printf -- '---\nHeapProfileRecords:\n  - GUID: 0x1\n    CallSites:\n      - Frames:\n          %s\n' \
    '- { Function: 0xa, LineOffset: 1, Column: 2, IsInlineFrame: false }' >memory.yaml
ends 0 merge "$ir" memory.yaml -o memory.profdata
ends 0 convert --to=json memory.profdata -o memory.json
silent
is "in JSON" "$(grep -c '"guid": "0x0000000000000001"' memory.json)" 1
ends 0 convert --to=indexed memory.json -o back.profdata
ends 0 convert --to=indexed memory.profdata -o direct.profdata
same back.profdata direct.profdata
ends 0 convert --to=json --drop-memprof memory.profdata -o without.json
is "not in JSON" "$(grep -c '"memprof": {' without.json)" 0
ends 0 convert --to=json memory.yaml -o yaml.json
ends 1 show yaml.json
says "error: yaml.json: this is a memory profile: use --memory"
ends 0 show --memory yaml.json
ends 0 merge "$ir" yaml.json -o other.profdata
same other.profdata memory.profdata

# show --show-format=json: what to do.
ends 2 show --show-format=json "$ir"
says "error: LLVM has no JSON for instrumentation profiles: give --json, or use convert --to=json"
finish
