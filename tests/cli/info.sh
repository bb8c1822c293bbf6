#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof info: its text, its JSON, groups, exit codes and wrong usage. Numbers: unit/test_info.c.
. "$(dirname "$0")/_lib.sh"

profile text main 0x1 7 8
ends 0 merge --for=llvm-16 -o a.profdata text
ends 0 info a.profdata
silent
is "indexed" "$(cat "$out")" "a.profdata
  kind:              indexed instrumentation profile, version 9
  variant:           front-end
  size:              608 bytes
  functions:         1
  counters:          2
  written by:        LLVM 16
  read by:           LLVM 16 to 23
  shape:             312ef1c8d208a497

      offset        bytes   share  part
           0           56   9.2 %  header
          56          448  73.7 %  summary
         504           72  11.8 %  functions
         576           24   3.9 %  buckets
         600            8   1.3 %  binary_ids"
cp "$out" before
ends 0 info - <a.profdata
is "from standard input" "$(tail -n +2 "$out")" "$(tail -n +2 before)"
gzip -nc a.profdata >packed
ends 0 info packed
prints "  size:              $(stat -c %s packed) bytes, gzip: 608 bytes unpacked"
ends 0 info text
prints "  kind:              text instrumentation profile"
prints "  read by:           all"
ends 0 info "$profiles/clang-14-ir.profraw"
silent
prints "  kind:              raw instrumentation profile, version 8
  variant:           IR
  byte order:        little-endian
  pointers:          64 bits
  size:              1784 bytes
  functions:         12 (3 never ran)
  written by:        LLVM 14 to 17
  read by:           LLVM 14 to 17
  binary id:         8e8323e96fd898ac8602fb9e8cdb3fa670509bea"
prints "  data"
prints "  value_data"

# JSON of a profile, and memory profiles
ends 0 convert --to=json "$profiles/clang-14-ir.profraw" -o a.json
ends 0 info a.json
silent
is "JSON profile" "$(grep -v shape "$out")" "a.json
  kind:              JSON instrumentation profile, of a raw profile, version 8
  variant:           IR
  byte order:        little-endian
  pointers:          64 bits
  size:              $(stat -c %s a.json) bytes
  functions:         12 (3 never ran)
  counters:          $("$anyprof" info "$profiles/clang-14-ir.profraw" | awk '/counters:/ { print $2 }')
$("$anyprof" info "$profiles/clang-14-ir.profraw" | grep -e 'calls:' -e 'operations:')
  written by:        LLVM 14 to 17
  read by:           none
  binary id:         8e8323e96fd898ac8602fb9e8cdb3fa670509bea"
ends 0 info a.json text
prints "  JSON, of a raw profile, version 8, IR; id 8e8323e96fd898ac8602fb9e8cdb3fa670509bea; a.json"
echo '{"schema": "other"}' >other.json
ends 1 info other.json
prints "  unreadable:        JSON with an error: expected anyprof-profile/1 [line 1, column 12, json.schema]"
printf -- '---\nHeapProfileRecords:\n  - GUID: 0x1\n    CallSites:\n      - Frames:\n          %s\n' \
    '- { Function: 0xa, LineOffset: 1, Column: 2, IsInlineFrame: false }' >memory.yaml
ends 0 info memory.yaml
silent
is "memory profile" "$(cat "$out")" "memory.yaml
  kind:              memory profile in YAML
  size:              $(stat -c %s memory.yaml) bytes
  memprof functions: 1
  memprof contexts:  0
  memprof frames:    1"
ends 0 merge -o memory.profdata text memory.yaml
ends 0 info memory.profdata
silent
prints "  memprof functions: 1
  memprof contexts:  0
  memprof frames:    1"

# Programs
cp "$anyprof" program
ends 0 info program
prints "  kind:              ELF file
  contents:"

# Several: a line for each build
mkdir -p runs/deep
cp "$profiles/clang-14-ir.profraw" runs/1
cp "$profiles/clang-14-ir.profraw" runs/deep/2
cp a.profdata runs/3
ends 0 info runs
silent
is "groups" "$(cat "$out")" "  files          bytes  functions  build
      2           3568         12  raw 8, IR; id 8e8323e96fd898ac8602fb9e8cdb3fa670509bea; first runs/1
      1            608          1  indexed 9, front-end; shape 312ef1c8d208a497; runs/3
3 files of 4176 bytes in 2 groups, 0 unreadable"
printf '\1\2\3\4\5\6\7\10' >runs/bad
ends 1 info runs missing
silent
prints "unreadable: runs/bad: unrecognized instrumentation profile encoding format: nothing that anyprof knows
unreadable: missing: No such file or directory
5 files of 4184 bytes in 2 groups, 2 unreadable"
ends 1 info missing
prints "  unreadable:        No such file or directory"

# JSON
ends 1 info --json runs
silent
is "JSON" "$(python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["schema"], d["totals"])
print([(g["files"], g["kind"], g["version"], g["variant"], g["binary_ids"], g["shape"]) for g in d["groups"]])
print([(f["path"], f["group"], f["error"] and f["error"]["code"]) for f in d["files"]])
f = d["files"][0]
print(f["kind"], f["byte_order"], f["pointer_bits"], f["written_by"], f["profile"]["functions"])
print(f["profile"]["values"], sum(p["bytes"] for p in f["parts"]) == f["bytes"])
' <"$out")" "anyprof-info/1 {'files': 4, 'bytes': 4184, 'groups': 2, 'unreadable': 1}
[(2, 'raw', 8, ['ir'], ['8e8323e96fd898ac8602fb9e8cdb3fa670509bea'], None), \
(1, 'indexed', 9, [], [], '0x312ef1c8d208a497')]
[('runs/1', 0, None), ('runs/3', 1, None), ('runs/bad', None, 'UNRECOGNIZED_FORMAT'), ('runs/deep/2', 0, None)]
raw little 64 ['14', '15', '16', '17'] 12
{'indirect_calls': {'sites': 1, 'values': 1}, 'memory_operations': {'sites': 2, 'values': 20}, \
'vtables': {'sites': 0, 'values': 0}} True"

# Where it is written
ends 0 info a.profdata -o report
is "the file" "$(cat report)" "$(cat before)"
cp a.profdata precious
ends 1 info precious -o precious
says "error: precious: the output would replace an input"
same precious a.profdata
no_leftovers

# Limits and wrong usage
ends 1 info --max-records=1 "$profiles/clang-14-ir.profraw"
prints "unreadable:        a limit of this run was exceeded"
ends 1 info --max-input-size=10 a.profdata
prints "unreadable:        too much profile data"
ends 2 info
ends 2 info --all a.profdata
ends 2 info - - <text
finish
