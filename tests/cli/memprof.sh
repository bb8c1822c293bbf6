#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Memory profiles: show --memory, and merges of YAML and of indexed profiles that have one.
. "$(dirname "$0")/_lib.sh"

cat >a.yaml <<'EOF'
---
HeapProfileRecords:
  - GUID: foo
    AllocSites:
      - Callstack:
          - { Function: foo, LineOffset: 1, Column: 2, IsInlineFrame: false }
        MemInfoBlock:
          AllocCount: 3
          MinSize: 4
    CallSites:
      - Frames:
          - { Function: 0xff, LineOffset: 3, Column: 4, IsInlineFrame: true }
        CalleeGuids: [ 0x5 ]
...
EOF
printf ':ir\nmain\n1\n1\n7\n' >counts.proftext

# Shown from YAML, from a file of ours, and from several inputs.
expected() { # expected CONTEXTS COUNT LINES...
    cat <<EOF
---
# MemProfSummary:
#   Total contexts: $1
#   Total cold contexts: 0
#   Total hot contexts: 0
#   Maximum cold context total size: 0
#   Maximum warm context total size: 0
#   Maximum hot context total size: 0
---
HeapProfileRecords:
  - GUID:            0x5cf8c24cdb18bdac
    AllocSites:
      - Callstack:
          - { Function: 0x5cf8c24cdb18bdac, LineOffset: 1, Column: 2, IsInlineFrame: false }
        MemInfoBlock:
          AllocCount:      $2
$3    CallSites:
      - Frames:
          - { Function: 0xff, LineOffset: 3, Column: 4, IsInlineFrame: true }
$4...
EOF
}
is() { # is WHAT: the output is that of expected, the exit code 0, and nothing is said
    if [ "$code" = 0 ] && [ ! -s "$err" ] && cmp -s "$out" want; then good; else bad "$1"; diff "$out" want | head; fi
}
few='          TotalSize:       0
          TotalLifetime:   0
          TotalLifetimeAccessDensity: 0
'
callees='        CalleeGuids:     [ 0x5 ]
'
expected 1 3 '          MinSize:         4
' "$callees" >want
run show --memory a.yaml
is "YAML"
run merge --quiet a.yaml counts.proftext -o both.profdata
[ "$code" = 0 ] && good || bad "merge"
expected 1 3 "$few" "$callees" >want
run show --memory both.profdata
is "a merge"
run show --memory both.profdata -o shown.yaml
[ "$code" = 0 ] && cmp -s shown.yaml want && good || bad "into a file"
run merge --quiet both.profdata --weighted-input=2,shown.yaml -o again.profdata
run show --memory again.profdata
expected 1 9 "$few" "$callees" >want
is "added up"
run show --counts --all-functions again.profdata
if grep -q 'Block counts: \[7\]' "$out"; then good; else bad "the counts are there"; fi

# Versions, and what they cannot hold.
left_out='note: left out of the output (indexed version 13): 1 callee of a call site, 1 field of allocation contexts;'
left_out+=' --memprof-full-schema keeps fields'
run merge a.yaml --for=llvm-22 --memprof-version=3 -o v3.profdata
if [ "$code" = 0 ] && grep -qF "$left_out" "$err"; then
    good
else
    bad "version 3"
fi
run show --memory v3.profdata
expected 1 3 "$few" "" >want
is "version 3 without callees"
run merge --quiet a.yaml --for=llvm-16 -o v0.profdata
run show --memory v0.profdata
if [ "$code" = 0 ] && grep -q '  MinSize:         4$' "$out" && grep -q '  MaxLifetimeAccessDensity: 0$' "$out"; then
    good
else
    bad "version 0 has all fields"
fi
run merge --quiet a.yaml --for=llvm-16 --memprof-version=2 -o none.profdata
if [ "$code" != 0 ] && [ ! -e none.profdata ] &&
    grep -q 'reads MemProf version 2' "$err"; then
    good
else
    bad "llvm-16 has no version 2"
fi
run merge a.yaml --memprof-version=9 -o none.profdata
if [ "$code" = 2 ] &&
    grep -q "memprof-version takes one of .*, not '9'" "$err"; then
    good
else
    bad "no version 9"
fi
run merge a.yaml --for=llvm-14 -o none.profdata
if [ "$code" = 0 ] && grep -q '1 memory profile of a function' "$err"; then good; else bad "llvm-14"; fi
run merge --quiet a.yaml --write-prev-version -o prev.profdata
run show --memory prev.profdata
is "--write-prev-version writes what LLVM 22 reads"

# Data access profiles are counted, whatever has no place for them.
cat >data.yaml <<'END'
---
DataAccessProfiles:
  SampledRecords:
    - Symbol:          abcde
      AccessCount:     100
  KnownColdSymbols:
    - foo
...
END
"$anyprof" merge data.yaml -o data.profdata || bad "a data access profile"
for options in "merge --text" "merge --for=llvm-13" "merge --for=llvm-16" "convert --to=text"; do
    # shellcheck disable=SC2086
    ends 0 $options -o less data.profdata
    hints ": 2 data access profiles"
done
ends 0 merge --quiet --for=llvm-13 --report=less.json -o less data.yaml
left_out=$(python3 -c 'import json; print(json.load(open("less.json"))["output"]["left_out"]["memprof_data"])')
if [ "$left_out" = 2 ]; then good; else bad "the report: $left_out"; fi
ends 0 info data.profdata
prints "  memprof data profiles: 1"
prints "  memprof cold data: 1"

# Nothing is no front-end profile.
printf ':ir\nf\n1\n1\n3\n\n' >ir.proftext
ends 0 merge --drop-memprof a.yaml ir.proftext -o less
if grep -q 'front-end' "$err"; then bad "a memory profile is of no front end"; else good; fi

# Versions and the releases that read them.
ends 2 merge a.yaml --memprof-version=0 -o none.profdata
hints "name the LLVM that is to read it by --for=llvm-N: 15 to 19 read version 0"
ends 0 merge --quiet a.yaml --memprof-version=0 --for=llvm-19 -o old.profdata

# Left out, and refused.
run merge a.yaml counts.proftext --drop-memprof -o dropped.profdata
if [ "$code" = 0 ] && grep -q 'MemProf data of 1 input was left out' "$err"; then good; else bad "--drop-memprof"; fi
run show --memory dropped.profdata
if [ "$code" = 1 ] && [ ! -s "$out" ] &&
    grep -q '^error: dropped.profdata: no memprof data available in profile$' "$err"; then
    good
else
    bad "nothing to show"
fi
run show --memory counts.proftext
if [ "$code" = 1 ] &&
    grep -q '^error: counts.proftext: invalid instrumentation profile data (bad magic)' "$err"; then
    good
else
    bad "text"
fi
run show a.yaml
if [ "$code" = 1 ] &&
    grep -q 'this is a memory profile: use --memory' "$err"; then
    good
else
    bad "YAML has no counts"
fi
run convert --to=json both.profdata
if [ "$code" = 0 ] && grep -q '^  "memprof": {$' "$out"; then good; else bad "JSON of convert"; fi
run show --memory --json both.profdata
if [ "$code" = 2 ] &&
    grep -q '^error: show has no JSON for memory profiles: use convert --to=json$' "$err"; then
    good
else
    bad "JSON"
fi
printf '\x81rforpm\xff%064d' 0 >raw
for words in "show --memory raw" "merge raw -o none"; do
    # shellcheck disable=SC2086
    run $words
    if [ "$code" = 1 ] &&
        grep -q 'raw is a raw memory profile: .*llvm-profdata merge --profiled-binary=PROGRAM' "$err"; then
        good
    else
        bad "$words"
    fi
done
sed 's/Column: 2/Column: x/' a.yaml >bad.yaml
run merge bad.yaml -o none
if [ "$code" = 1 ] && grep -q 'bad.yaml: .*\[line 6, column 53, memprof.yaml.frame.Column\]$' "$err" &&
    ! grep -q drop-memprof "$err"; then
    good
else
    bad "bad YAML"
fi

printf '\x05' | dd of=both.profdata bs=1 seek="$(($(od -A n -t u8 -j 40 -N 8 both.profdata)))" conv=notrunc 2>/dev/null
run merge both.profdata -o none
if [ "$code" = 1 ] && grep -q 'indexed.memprof.version' "$err" &&
    grep -q '^note: --drop-memprof accepts it' "$err"; then
    good
else
    bad "a version that is not known"
fi

# What is shown is YAML anyway.
run show --memory a.yaml
cp "$out" shown
run show --memory --show-format=yaml a.yaml
if [ "$code" = 0 ] && cmp -s "$out" shown; then good; else bad "--show-format=yaml"; fi

# An indexed memory profile is no front-end profile: it goes with IR profiles without a word, and as YAML does.
printf ':ir\nf\n1\n1\n5\n\n' >ir.proftext
run merge --for=llvm-22 a.yaml -o memory.profdata
run merge --for=llvm-22 memory.profdata ir.proftext -o indexed.profdata
if [ "$code" = 0 ] && ! grep -q front-end "$err"; then good; else bad "a memory profile is taken for a front-end's"; fi
run merge --for=llvm-22 a.yaml ir.proftext -o yaml.profdata
if cmp -s indexed.profdata yaml.profdata; then good; else bad "YAML and indexed memory profiles"; fi

# Under LLVM's name.
ln -s "$anyprof" llvm-profdata
tool=./llvm-profdata
"$tool" merge a.yaml -o tool.profdata 2>/dev/null && "$tool" show --memory tool.profdata >"$out" 2>"$err"
code=$?
expected 1 3 "$few" "$callees" >want
is "llvm-profdata"
finish
