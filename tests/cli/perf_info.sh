#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof perf info: what it prints. What it reads is compared with perf by oracle/perf_data.py.
. "$(dirname "$0")/_lib.sh"

oracle=$(cd "$(dirname "$0")/../oracle" && pwd)
record() { # record FILE STATEMENT...: a recording, made by statements of Python
    local file=$1
    shift
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$oracle python3 - "$file" "$@" <<'END_OF_PYTHON'
import sys
from _perf import Recording

r = Recording()
r.mmap(100, 0x400000, 0x2000, 0x1000, "/opt/app")
r.mmap(100, 0x7f0000000000, 0x2000, 0, "/lib/libc.so.6")
for statement in sys.argv[2:]:
    exec(statement)
r.write(sys.argv[1])
END_OF_PYTHON
}
record made 'r.sample(100, 0x400010, [(0x400010, 0x400020, "P"), (0x400030, 0x400000, "M")])' \
    'r.sample(100, 0x7f0000000010, [])' 'r.sample(101, 0x10, [])' \
    'r.build_ids = [("0102030405060708090a0b0c0d0e0f1011121314", "/opt/app")]' || skip "no Python"
ends 0 perf info made
is "text" "$(cat "$out")" "  form:         file
  samples:      3 of 2 processes in 0.000 s

     samples     branches  call chains  event
           3            2            0  cycles:u, every 1000 events, branches: any

     samples    share  build id                                  file
           1     33.3  0102030405060708090a0b0c0d0e0f1011121314  /opt/app
           1     33.3  -                                         /lib/libc.so.6
           1     33.3  -                                         (in no file that was mapped)

Branches: 'anyprof profgen --binary=PROGRAM --perfdata=PERF.DATA -o OUT' makes a profile for
clang of them, with --for=gcc-N one for GCC, and 'anyprof bolt convert PROGRAM -p PERF.DATA
-o OUT' one for BOLT."
ends 0 perf info --json made
is "JSON" "$(python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
print(d["schema"], d["form"], d["end"], d["samples"], d["unmapped"], d["events"][0]["branch_entries"])
for f in d["files"]: print(f["path"], f["build_id"], f["samples"], f["mappings"])
' "$out")" "anyprof-perf-info/1 file whole 3 1 2
/opt/app 0102030405060708090a0b0c0d0e0f1011121314 1 1
/lib/libc.so.6 None 1 1"
cp "$out" json
ends 0 perf info --json - <made
same "$out" json
ends 0 perf info --json made -o text
same text json

# 'anyprof info' describes a directory of perf record as one recording, and others file by file.
mkdir parts && cp made parts/data && : >parts/data.0 && : >parts/data.1
ends 0 info parts
is "a directory" "$(cat "$out")" "parts
  kind:              perf.data file
  byte order:        little-endian
  size:              $(stat -c %s made) bytes
  files:             3
  events:            1
  samples:           3
  mappings:          2"
ends 0 info made
is "a file" "$(grep -c files: "$out")" 0
mkdir others && cp text others/data && cp made others/data.0
ends 0 info others
grep -q 'perf.data file; others/data.0$' "$out" && good || bad "not file by file: $(cat "$out")"
ends 1 info parts --max-input-size=100
grep -q 'unreadable: *a limit of this run was exceeded' "$out" && good || bad "no limit: $(cat "$out")"

# Names are shown safely.
record names $'r.mmap(100, 0x500000, 0x1000, 0, "/tmp/\\x1b[31m\\u202ebad")' 'r.sample(100, 0x500000, [])'
ends 0 perf info names
grep -q $'\x1b' "$out" && bad "an escape character is printed" || good
hints_out() { grep -qF -- "$1" "$out" && good || bad "not printed: $1: $(cat "$out")"; }
hints_out '/tmp/\x1b[31m\xe2\x80\xaebad'

# What it can be used for.
record plain 'r.branches = False' 'r.sample(100, 0x400010)'
ends 0 perf info plain
hints_out "No branches were recorded"
record none
ends 0 perf info none
hints_out "There are no samples."

# Damage.
size=$(stat -c %s made)
head -c $((size - 200)) made >cut
ends 0 perf info cut
hints_out "  ends:         in the middle of a record or before the end of the data, at byte"
{ head -c 48 made; printf '\0\0\0\0\0\0\0\0'; tail -c +57 made; } >killed
ends 0 perf info killed
hints_out "perf record was killed; all that is in the file is read"
not_broken() { grep -q 'ends:' "$out" && bad "it does not end well: $(cat "$out")" || good; }
broken() { hints_out "  ends:         with a record that is broken, at byte $size; all before that is read"; }
# A recorder that is killed may leave zeros, or features whose table was not filled in yet; else they are damage.
record bare 'r.sample(100, 0x400010, [])'
{ head -c 48 bare; printf '\0\0\0\0\0\0\0\0'; tail -c +57 bare; } >killed
size=$(stat -c %s killed)
for zeros in 8 4096 100000; do
    { cat killed; head -c $zeros /dev/zero; } >filled
    ends 0 perf info filled
    not_broken
done
{ cat killed; head -c 100000 /dev/zero; printf x; } >filled
ends 0 perf info filled
broken
build_id='\0\0\0\0\2\200d\0rest'
for zeros in 16 368; do
    { cat killed; head -c $zeros /dev/zero; printf "$build_id"; } >filled
    ends 0 perf info filled
    not_broken
done
for zeros in 8 24; do
    { cat killed; head -c $zeros /dev/zero; printf "$build_id"; } >filled
    ends 0 perf info filled
    broken
done
# Without its directory, a file of one lacks the samples of the others.
{ head -c 75 made; printf '\1'; tail -c +77 made; } >parts/marked
ends 1 perf info parts/marked
says "error: parts/marked: recording of perf with an error: it is one file of a directory that perf record --threads \
wrote: give the directory"
for file in /dev/null nothing; do
    ends 1 perf info $file
done
says "error: nothing: No such file or directory"
printf 'PERFFILE%0100d' 0 >old
ends 1 perf info old
says "error: old: not supported: it is of a perf before 2009, which perf does not read either \
[perf.header.magic at offset 0]"
printf 'main:1:2\n' >text
ends 1 perf info text
says "error: text: recording of perf with an error: the file is cut off [perf.header at offset 0: found 9, expected 16]"
mkdir empty
ends 1 perf info empty
says "error: empty: recording of perf with an error: the directory has no file named data"
: >empty/data.0
ends 1 perf info empty
says "error: empty: recording of perf with an error: the directory has no file named data"
rm parts/data.0
ends 1 perf info parts
says "error: parts: recording of perf with an error: data.0 is missing; put an empty file in place of each missing one \
to read the others"
: >parts/data.0
ends 0 perf info parts
mv parts/data.0 parts/data.01
ends 1 perf info parts
says "error: parts: recording of perf with an error: perf gives no file the name data.01"
mv parts/data.01 parts/data.0

# A part that is no regular file would lose its samples; recordings in directories of a directory are not its parts.
special() { # special PART COMMAND...: the recording `parts` after the command made a special file of its part
    local part=$1
    shift
    mv "parts/$part" kept
    "$@"
    ends 1 perf info parts
    says "error: parts: recording of perf with an error: $part is no regular file; links in the directory are not \
followed: put a copy in its place"
    rm -r "parts/$part"
    mv kept "parts/$part"
}
special data ln -s nowhere parts/data
special data mkdir parts/data
special data.0 ln -s ../made parts/data.0
special data.1 ln -s data.1 parts/data.1
special data.1 mkfifo parts/data.1
ln -s ../made parts/data.3
ends 1 perf info parts
says "error: parts: recording of perf with an error: data.3 is no regular file; links in the directory are not \
followed: put a copy in its place"
rm parts/data.3
mkdir parts/inner
ends 0 perf info parts/
ends 0 perf info parts
mkdir several several/one several/two && cp made several/one/data && cp made several/two/data
ends 1 perf info several
says "error: several: recording of perf with an error: recordings are in directories of this one; give each of them by \
its path"
cp made parts/inner/data
ends 1 perf info parts/
says "error: parts/: recording of perf with an error: recordings are in directories of this one, beside its own; give \
each of them by its path"
rm -r parts/inner
printf 'PERF_RECORD_MMAP2 7/7: [0x1000(0x1000) @ 0 08:01 1 0]: r-xp /app\n 1010  0x1000/0x1010/P/-/-/0/ \n' >script
ends 1 perf info script
hints "note: it is the output of perf script, which 'anyprof info' describes"
ends 2 perf info
hints "perf info: a FILE is required."
ends 1 perf info made --max-input-size=100
hints "a limit of this run was exceeded: larger than the limit for one input"
ends 2 perf info made -o made
finish
