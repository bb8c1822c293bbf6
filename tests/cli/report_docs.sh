#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# docs/json.md is true: its example is what the command writes, and it describes the keys that there are, no more and no
# less. report_docs.sh --fix writes the example anew.
. "$(dirname "$0")/_lib.sh"
command -v python3 >/dev/null || skip "no python3"
page=$source_dir/docs/json.md

mkdir runs
cp "$profiles/clang-14-ir.profraw" runs/a.profraw
head -c 1000 "$profiles/clang-16-ir.profraw" >runs/b.profraw
: >runs/c.profraw
command=$(grep -m 1 '^anyprof merge .*--report=' "$page")
# shellcheck disable=SC2086
ends 0 ${command#anyprof }
there report.json
there app.profdata

[ "${1:-}" != --fix ] || python3 - "$page" report.json <<'END'
import re, sys
page, report = (open(p, encoding="utf-8").read() for p in sys.argv[1:])
new = re.sub(r"(?s)(```json\n).*?(```)", lambda m: m[1] + report + m[2], page, count=1)
open(sys.argv[1], "w", encoding="utf-8").write(new)
END

# The version is that of the program, not that of the day the page was written.
version='s/^    "version": "[0-9.]*"$/    "version": "N"/'
sed -n '/^```json$/,/^```$/p' "$page" | sed '/^```$/q' | sed '1d;$d' | sed "$version" >want
sed "$version" report.json >got
same got want

# With the report of a merge that is refused, that of a file with something odd and that of a merge with a sample
# profile, every key has been there.
ends 1 merge --max-loss=0 -o none --report=refused.json runs
{
    cat "$profiles/clang-14-ir.profraw"
    printf '\0\0\0\0'
    cat "$profiles/clang-22-fe.profraw"
} >odd.profraw
ends 0 merge -o none --report=odd.json odd.profraw
head -c 1700 "$profiles/clang-22-ir.profraw" >cut.profraw
ends 0 merge --salvage -o none --report=cut.json cut.profraw
printf 'main:9:1\n 1: 9\n' >samples.prof
ends 0 merge --supplement-instr-with-sample=samples.prof -o none --report=samples.json \
    "$profiles/clang-14-ir.profraw"
python3 - "$page" report.json refused.json odd.json cut.json samples.json >"$err" <<'END'
import json, re, sys

def keys(value):
    if isinstance(value, dict):
        for key, entry in value.items():
            yield key
            yield from keys(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from keys(entry)

described = set()
inside = False  # the chapter about this document
for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith("## "):
        inside = "anyprof-merge-report/" in line
    if inside and line.startswith("| `"):
        described.update(re.findall(r"`(\w+)`", line.split("|")[1]))
there = {"name"}
for path in sys.argv[2:]:
    there.update(keys(json.load(open(path, encoding="utf-8"))))
described.add("name")  # of the generator
for key in sorted(there - described):
    print("not described:", key)
for key in sorted(described - there):
    print("described, but not there:", key)
END
silent
finish
