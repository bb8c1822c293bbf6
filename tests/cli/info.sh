#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof info: its text, its JSON, groups, exit codes and wrong usage. Numbers: unit/jobs/test_info.c.
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
  format of:         LLVM 16
  read by:           LLVM 16 to 23
  build digest:      99c7beeba357826f

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

# Packed, and what LLVM refuses besides; the JSON says it, too
prints_line() {
    grep -qxF "$1" "$out" && good || bad "no such line: $1"
}
gzip -nc "$profiles/clang-14-ir.profraw" >packed.profraw
ends 0 info packed.profraw
prints_line "  read by:           none: LLVM reads no compressed files"
cat "$profiles/clang-14-ir.profraw" "$profiles/clang-22-ir.profraw" >mixed.profraw
ends 0 info mixed.profraw
prints_line "  read by:           none: LLVM reads files of one version only"
ends 0 info --json mixed.profraw
is "refusal" "$(python3 -c '
import json, sys
f = json.load(sys.stdin)["files"][0]
print(f["read_by"], f["refusal"])' <"$out")" "[] LLVM reads files of one version only"

# Damaged: what the header says, and the error
head -c 700 "$profiles/clang-14-ir.profraw" >cut.profraw
ends 1 info cut.profraw
is "cut" "$(cat "$out")" "cut.profraw
  kind:              raw instrumentation profile, version 8
  variant:           IR
  byte order:        little-endian
  pointers:          64 bits
  size:              700 bytes
  functions:         12, by its header
  counters:          $("$anyprof" info "$profiles/clang-14-ir.profraw" | awk '/counters:/ { print $2 }'), by its header
  written by:        LLVM 14 to 17
  binary id:         8e8323e96fd898ac8602fb9e8cdb3fa670509bea
  unreadable:        invalid instrumentation profile data (file header is corrupt): cut off at 700 of at least 1400 \
bytes, unless the sizes in the header are wrong [raw.header.num_counters at offset 40: found 70, expected at most 0]"
ends 1 info --json cut.profraw
is "cut, JSON" "$(python3 -c '
import json, sys
f = json.load(sys.stdin)["files"][0]
print(f["error"]["code"], f["kind"], f["version"], f["variant"], f["byte_order"], f["pointer_bits"], f["written_by"])
print(f["binary_ids"], f["numbers"], f["profile"], f["group"], f["build_digest"], f["parts"])' <"$out")" \
    "BAD_HEADER raw 8 ['ir'] little 64 ['14', '15', '16', '17']
['8e8323e96fd898ac8602fb9e8cdb3fa670509bea'] {'functions': 12, 'counters': 70} None None None []"
head -c 300 a.profdata >cut.profdata
ends 1 info cut.profdata
prints "  kind:              indexed instrumentation profile, version 9
  variant:           front-end
  size:              300 bytes
  format of:         LLVM 16
  unreadable:        "

# No profile at all
ends 1 info /etc/passwd
is "any text" "$(tail -n 1 "$out")" \
    "  unreadable:        unrecognized instrumentation profile encoding format: no kind of text that anyprof knows"
cat >script.txt <<'END'
 12 1.000001: cycles:u:  0x400100/0x400200/P/-/-/0/
 12 1.000002: PERF_RECORD_MMAP2 12/12: [0x400000(0x2000) @ 0x1000 08:01 77 0]: r-xp /opt/app
END
ends 0 info script.txt
is "perf script" "$(tail -n +2 "$out" | grep -v size:)" "  kind:              text of perf script
  samples:           1
  mappings:          1
  other lines:       0"

# Sample profiles
printf 'f:9:1\n 1: 5 h:2\n 2: g:4\n  1: 4\nf:1:0\n 3: 1\n' >a.prof
ends 0 info a.prof
silent
is "sample text" "$(tail -n +2 "$out" | grep -v size:)" "  kind:              text sample profile
  functions:         1
  inlined functions: 1
  inline depth:      1
  lines:             3
  call targets:      1
  names:             3
  read by:           LLVM 3.8 to 23
  note:              functions that are in the file more than once were added up (1)"
ends 0 info --json a.prof
is "sample, JSON" "$(python3 -c '
import json, sys
f = json.load(sys.stdin)["files"][0]
print(f["kind"], f["sample"]["functions"], len(f["sample"]["findings"]), f["numbers"]["lines"], f["words"])' <"$out")" \
    "sample_text 1 1 3 {'read_by': 'LLVM 3.8 to 23'}"
cp a.prof b.prof
ends 0 info a.prof b.prof
prints "      2 $(printf %14d $((2 * $(stat -c %s a.prof))))          2  text sample profile; first a.prof"
if [ -d "$corpus/sample" ]; then
    ends 0 info "$corpus/sample/v22-csprobe-ext.afdo"
    prints "  form:              extbinary
  written by:        LLVM 14 or later
  read by:           LLVM 14 to 23"
    prints "  metadata"
    ends 1 info "$corpus/sample/rej-ext-trunc.afdo"
    prints "  kind:              binary sample profile, version 103
  functions:         14, by its header"
fi

# Profiles without metadata, and their programs
if [ -d "$corpus/correlate" ]; then
    ends 0 info "$corpus/correlate/14_dbg.profraw"
    silent
    is "lightweight" "$(tail -n +2 "$out" | head -n 11)" "  kind:              raw instrumentation profile, version 8
  variant:           IR, correlated by debug information
  byte order:        little-endian
  pointers:          64 bits
  size:              256 bytes
  functions:         in the debug information of the program with build id 0e848c194ddd60d95e56ae4b03a5594e50ec793b
  counters:          17
  written by:        LLVM 14 to 17
  read by:           LLVM 14 to 17
  binary id:         0e848c194ddd60d95e56ae4b03a5594e50ec793b"
    ends 0 info --json "$corpus/correlate/19_cbinary.profraw" "$corpus/correlate/bin_19_cbinary"
    is "binary correlation" "$(python3 -c '
import json, sys
d = json.load(sys.stdin)
print([(f["correlation"], f["numbers"], f["profile"] and f["profile"]["bare"]) for f in d["files"]])
print([(g["programs"], g["programs_by"], g["build_by"]) for g in d["groups"]])' <"$out")" \
        "[('binary', {}, 1), ('binary', {'functions': 10, 'counters': 17}, None)]
[([1], 'binary_ids', 'binary_ids'), ([], None, 'binary_ids')]"
    ends 0 info "$corpus/correlate/bin_19_cbinary" "$corpus/correlate/19_cbinary.profraw"
    prints "$corpus/correlate/19_cbinary.profraw
                                    of $corpus/correlate/bin_19_cbinary, by id"
    prints "          -  raw 10, IR, correlated by the program's sections; id "
fi

# JSON of a profile, and memory profiles
ends 0 convert --to=json "$profiles/clang-14-ir.profraw" -o a.json
ends 0 info a.json
silent
is "JSON profile" "$(grep -v "build digest" "$out")" "a.json
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
prints "  JSON, of a raw profile, version 8, IR; id 8e8323e96fd898ac8602fb9e8cdb3fa670509bea; \
build digest 3a8b0f59f7d9cea0; a.json"
echo '{"schema": "other"}' >other.json
ends 1 info other.json
is "other JSON" "$(cat "$out")" "other.json
  size:              20 bytes
  unreadable:        unrecognized instrumentation profile encoding format: JSON without a schema that anyprof knows"
echo '{"schema": "anyprof-profile/2"}' >newer.json
ends 1 info newer.json
prints "  unreadable:        JSON with an error: expected anyprof-profile/1 [line 1, column 12, json.schema]"
"$anyprof" lookup --json a.profdata main >lookup.json
ends 0 info lookup.json
is "a document" "$(cat "$out")" "lookup.json
  kind:              JSON document of anyprof, anyprof-lookup/1
  size:              $(stat -c %s lookup.json) bytes"
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
      2           3568         12  raw 8, IR; id 8e8323e96fd898ac8602fb9e8cdb3fa670509bea; \
build digest 3a8b0f59f7d9cea0; first runs/1
      1            608          1  indexed 9, front-end; build digest 99c7beeba357826f; runs/3
3 files of 4176 bytes in 2 groups, 0 unreadable"
printf '\1\2\3\4\5\6\7\10' >runs/bad
ends 1 info runs missing
silent
prints "unreadable: runs/bad: unrecognized instrumentation profile encoding format: no kind of file that anyprof knows
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
print([(g["files"], g["kind"], g["version"], g["variant"], g["binary_ids"], g["build_digest"], g["build_by"])
    for g in d["groups"]])
print([(f["path"], f["group"], f["error"] and f["error"]["code"]) for f in d["files"]])
f = d["files"][0]
print(f["kind"], f["byte_order"], f["pointer_bits"], f["written_by"], f["profile"]["functions"])
print(f["profile"]["values"], sum(p["bytes"] for p in f["parts"]) == f["bytes"])
' <"$out")" "anyprof-info/1 {'files': 4, 'bytes': 4184, 'groups': 2, 'unreadable': 1}
[(2, 'raw', 8, ['ir'], ['8e8323e96fd898ac8602fb9e8cdb3fa670509bea'], '0x3a8b0f59f7d9cea0', 'binary_ids'), \
(1, 'indexed', 9, [], [], '0x99c7beeba357826f', 'build_digest')]
[('runs/1', 0, None), ('runs/3', 1, None), ('runs/bad', None, 'UNRECOGNIZED_FORMAT'), ('runs/deep/2', 0, None)]
raw little 64 ['14', '15', '16', '17'] 12
{'indirect_calls': {'sites': 1, 'values': 1}, 'memory_operations': {'sites': 2, 'values': 20}, \
'vtables': {'sites': 0, 'values': 0}} True"

# Where it is written
ends 0 info a.profdata -o report
is "the file" "$(cat report)" "$(cat before)"
cp a.profdata precious
ends 2 info precious -o precious
says "error: precious: the output would replace an input"
ends 1 info ""
says "error: the name of an input is empty"
same precious a.profdata
no_leftovers

# Limits and wrong usage
ends 1 info --max-records=1 "$profiles/clang-14-ir.profraw"
prints "unreadable:        a limit of this run was exceeded"
ends 1 info --max-input-size=10 a.profdata
prints "unreadable:        a limit of this run was exceeded"
ends 2 info
ends 2 info --all a.profdata
ends 2 info - - <text
# Programs: what BOLT says of itself, how probes are encoded, whether there are symbols.
if command -v as >/dev/null && command -v ld >/dev/null; then
    cat >tools.s <<'END'
        .globl _start
_start: .byte 0
        .globl __gcov_exit
__gcov_exit: .byte 0
        .section .note.bolt_info, "", %note
        .long 4, 2f - 1f, 4
        .asciz "GNU"
1:      .asciz "BOLT revision: abc, command line: llvm-bolt in -o out"
2:      .balign 4
        .section .bolt.instr.counters, "", %progbits
        .quad 0
        .section .pseudo_probe, "", %progbits
        .quad 7
        .byte 1, 0, 1, 0x80, 0
END
    if as tools.s -o tools.o && ld -e _start tools.o -o tools; then
        ends 0 info tools
        prints "  contents:          pseudo probes, instrumented for gcov, code of BOLT, instrumented by BOLT"
        prints "  bolt:              BOLT revision: abc, command line: llvm-bolt in -o out"
        prints "  probe encoding:    that of LLVM 16 and later"
        is "symbols" "$(grep -c stripped "$out")" 0
        ends 0 info --json tools
        prints '"bolt": "BOLT revision: abc, command line: llvm-bolt in -o out"'
        prints '"bolt_instrumented"'
        strip -s -o stripped tools
        ends 0 info stripped
        prints "  symbols:           stripped"
        prints "  contents:          pseudo probes, code of BOLT, instrumented by BOLT"
    fi
fi

finish
