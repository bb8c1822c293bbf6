#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The names of AutoFDO's tools, profile_merger and dump_gcov: what they take and print; and what show, merge and info
# make of profiles of GCC.
. "$(dirname "$0")/_lib.sh"

main=$anyprof
ln -s "$anyprof" profile_merger
ln -s "$anyprof" dump_gcov

# as TOOL CODE ARGUMENT...: runs the tool and checks the exit code.
as() {
    anyprof=./$1
    ends "${@:2}"
    anyprof=$main
}

# version FILE WANT: the version of GCC's format that a file has.
version() {
    ends 0 info "$1"
    is "version of $1" "$(sed -n 2p "$out")" "  kind:              sample profile of GCC's AutoFDO, version $2"
}

# ---- dump_gcov ----

cat >work.prof <<'END'
work:3002:1
 2: 1
 7.3: 900 add:600 mul:300 sub:300
 9: 2000
 5: mul:100
  0: 60
  1: add:40
   0: 40
main:2:1
 3: 2 work:1
empty:0:0
aside:2:0
 1: 2
END
for release in 5 13 16; do
    ends 0 convert --sample --for=gcc-$release work.prof -o $release.afdo
done
cat >want <<'END'
work total:3001 head:1
  2: 1
  7.3: 900  add:600  sub:300  mul:300
  9: 2000
  5: mul total:100
    0: 60
    1: add total:40
      0: 40
aside total:2 head:0
  1: 2
main total:2 head:1
  3: 2  work:1
END
as dump_gcov 0 13.afdo
same "$out" want
silent
as dump_gcov 0 -gcov_version 1 13.afdo # the file says its version
same "$out" want
as dump_gcov 0 --gcov_version=2 - <13.afdo
same "$out" want
ends 0 show --show-format=gcov 13.afdo
same "$out" want
ends 0 show --sample --show-format=gcov -o dump 13.afdo
same dump want
# GCC 5 has no discriminators.
sed 's/7\.3/7/' want >want5
as dump_gcov 0 5.afdo
same "$out" want5
# Of GCC 16: source files, here unknown, and times.
as dump_gcov 0 16.afdo
is "of GCC 16" "$(sed -n '1p; 3p; 11p' "$out")" "work: total:3001 head:1 timestamp: 0
  7.3: 900  add::600  sub::300  mul::300
main: total:2 head:1 timestamp: 0"
cat >files.json <<'END'
{"schema": "anyprof-sample/1", "source": {"kind": "gcc", "version": 3, "layout": "3"}, "functions": [
 {"name": "work", "file": "src/work.c", "total": 7, "head": 3, "first_time": 5,
  "lines": [{"line": 1, "count": 4, "targets": [{"name": "add", "file": "add.c", "count": 4}]}],
  "inlined": [{"depth": 1, "line": 2, "name": "mul", "total": 3, "lines": [{"line": 0, "count": 3}]}]}]}
END
ends 0 convert --for=auto files.json -o files.afdo
as dump_gcov 0 files.afdo
is "with source files" "$(cat "$out")" "work:src/work.c total:7 head:3 timestamp: 5
  1: 4  add:add.c:4
  2: mul: total:3
    0: 3"
# What is no profile of GCC is printed, too.
as dump_gcov 0 "$source_dir/examples/profiles/server-1.prof"
is "of clang" "$(head -n 1 "$out")" "$(head -n 1 "$source_dir/examples/profiles/server-1.prof" |
    sed -E 's/^([^:]*):([0-9]*):([0-9]*)$/\1 total:\2 head:\3/')"

# What is wrong.
as dump_gcov 1
says "dump_gcov: a FILE is required.  Try: './dump_gcov --help'"
as dump_gcov 1 a b
says "dump_gcov: too many arguments, it takes FILE.  Try: './dump_gcov --help'"
as dump_gcov 1 --gcov 13.afdo
says "dump_gcov: Unknown command line argument '--gcov'.  Try: './dump_gcov --help'"
as dump_gcov 1 --gcov_version=two 13.afdo
says "dump_gcov: --gcov_version takes a number from 0 to 18446744073709551615, not 'two'"
as dump_gcov 1 missing
says "error: missing: No such file or directory"
as dump_gcov 1 .
says "error: .: Is a directory"
head -c 150 13.afdo >cut.afdo
as dump_gcov 1 cut.afdo
hints "error: cut.afdo: Truncated profile data [sample.gcc."
is "output of a cut file" "$(cat "$out")" ""
: >nothing
as dump_gcov 1 nothing
says "error: nothing: Unrecognized sample profile encoding format: the file is empty"
if [ -e /dev/full ]; then
    ./dump_gcov 13.afdo >/dev/full 2>"$err"
    is "full output" $? 1
    says "error: standard output: No space left on device"
fi
as dump_gcov 0 --version
prints "  works as dump_gcov of AutoFDO"
as dump_gcov 0 --help
prints "Usage: dump_gcov [options] FILE"
ends 2 show --show-format=gcov --function=work 13.afdo
says "error: --show-format=gcov prints all functions and nothing else"
ends 2 show --show-format=gcov --topn=1 13.afdo
profile ir f 1 5
ends 2 show --show-format=gcov ir
says "error: --show-format=gcov is for sample profiles"

# ---- profile_merger ----

as profile_merger 0 13.afdo 13.afdo
silent
is "output" "$(wc -c <"$out")" 0
version fbdata.afdo 2
cat >want2 <<'END'
work total:6002 head:2
  2: 2
  7.3: 1800  add:1200  sub:600  mul:600
  9: 4000
  5: mul total:200
    0: 120
    1: add total:80
      0: 80
aside total:4 head:0
  1: 4
main total:4 head:2
  3: 4  work:2
END
as dump_gcov 0 fbdata.afdo
same "$out" want2
# The output: its name, and its version, of which the flag decides, or else the newest input.
as profile_merger 0 --output_file=o 13.afdo 13.afdo
same o fbdata.afdo
as profile_merger 0 -output_file o 13.afdo 13.afdo
same o fbdata.afdo
as profile_merger 0 --output_file - 13.afdo 13.afdo
same "$out" fbdata.afdo
mkdir runs
cp 13.afdo runs/a.afdo
cp 13.afdo runs/b.afdo
as profile_merger 0 --output_file o runs
same o fbdata.afdo
as profile_merger 0 --output_file o 13.afdo - <13.afdo
same o fbdata.afdo
for row in 1:1 2:2 3:3 875575082:704; do
    as profile_merger 0 --gcov_version=${row%:*} --output_file=o 13.afdo 16.afdo 5.afdo
    silent
    version o ${row#*:}
done
as profile_merger 0 --output_file=o 5.afdo 13.afdo
version o 2
as profile_merger 0 --output_file=o 5.afdo
version o 1
as profile_merger 0 --output_file=o 16.afdo 5.afdo
version o 3
as profile_merger 0 --gcov_version=875575082 --output_file=704.afdo 5.afdo
as profile_merger 0 --output_file=o 704.afdo
version o 704
as profile_merger 0 --output_file=o 704.afdo 5.afdo
version o 1
as profile_merger 0 --output_file=o 13.afdo work.prof # clang's text, and what it has not in common with GCC's
version o 2
as dump_gcov 0 o
same "$out" want2
as profile_merger 0 --output_file=o work.prof
version o 3
# The output may be an input.
cp 13.afdo o
as profile_merger 0 --output_file=o o 13.afdo
same o fbdata.afdo

# What is wrong: nothing is written, and the old file stays.
rm fbdata.afdo
cp 5.afdo o
as profile_merger 1
says "profile_merger: a FILE is required.  Try: './profile_merger --help'"
as profile_merger 1 --gcov_version=4 13.afdo
says "profile_merger: --gcov_version takes one of 1, 2, 3, 875575082, not '4'"
as profile_merger 1 --gcov_version
says "profile_merger: --gcov_version needs a value.  Try: './profile_merger --help'"
as profile_merger 1 --output_file= 13.afdo
says "profile_merger: --output_file takes the name of a file, or '-' for standard output, not ''"
as profile_merger 1 --output=o 13.afdo
hints "profile_merger: Unknown command line argument '--output=o'.  Try: './profile_merger --help'"
as profile_merger 1 --logtostderr 13.afdo
hints "profile_merger: Unknown command line argument '--logtostderr'."
as profile_merger 1 --output_file=o 13.afdo missing
says "error: missing: No such file or directory"
as profile_merger 1 --output_file=o 13.afdo cut.afdo
hints "error: cut.afdo: Truncated profile data [sample.gcc."
as profile_merger 1 --output_file=o nothing
says "error: no profile can be merged: every input is empty"
as profile_merger 1 --output_file=o work.c 13.afdo
as profile_merger 1 --output_file=o ir
hints "error: ir: "
as profile_merger 1 --output_file=no/dir/o 13.afdo
says "error: no/dir/o: No such file or directory
note: the directory of the output does not exist: create it first"
as profile_merger 1 --output_file=runs 13.afdo
says "error: runs: Is a directory"
same o 5.afdo
gone fbdata.afdo
if can_be_nobody; then
    cp 13.afdo secret.afdo
    chmod 0 secret.afdo
    as_nobody ./dump_gcov secret.afdo 2>"$err"
    is "unreadable" $? 1
    says "error: secret.afdo: Permission denied"
fi
no_leftovers
as profile_merger 0 --version
prints "  works as profile_merger of AutoFDO"
as profile_merger 0 --help
prints "Usage: profile_merger [options] FILE...
    --output_file=FILE        Where to write (default fbdata.afdo); '-' is standard output
      =875575082              LLVM"
ln -s "$main" x86_64-linux-gnu-dump_gcov
as x86_64-linux-gnu-dump_gcov 0 13.afdo
same "$out" want

# ---- info: the sections of a file ----

# parts FILE: offset, bytes and name of each part.
parts() {
    ends 0 info "$1"
    sed -n '/^ *offset/,$p' "$out" | sed '1d' | awk '{ print $1, $2, $5, $6 }' | sed 's/ $//'
}
is "parts of GCC 13's" "$(parts 13.afdo)" "0 12 header
12 79 names
91 316 functions
407 12 modules
419 1544 working sets"
is "parts of GCC 16's" "$(parts 16.afdo)" "0 12 header
12 372 summary
384 115 names
499 348 functions
847 12 modules
859 1544 working sets"
{
    head -c 407 13.afdo
    printf tail
} >tail.afdo
is "parts with a tail" "$(parts tail.afdo)" "0 12 header
12 79 names
91 316 functions
407 4 unclaimed"

# ---- texts and sums of AutoFDO 0.19 itself ----

if [ -d "$corpus/afdo" ]; then
    as profile_merger 0 --gcov_version=1 --output_file=o "$corpus/afdo/simple.v1.afdo" "$corpus/afdo/simple.v1.afdo"
    as dump_gcov 0 o
    # As AutoFDO's text of its own sum, but for targets, of which it takes the last one.
    is "against AutoFDO" "$(cat "$out")" "work total:6004 head:2
  2: 2
  3: 2000
  4: 2000
  7: 1800  add:1800
  9: 2
  5: mul total:200
    0: 200
add total:1800 head:1800
  0: 1800
main total:4 head:2
  2: 2  work:2
  3: 2"
    for file in "$corpus"/afdo/bad_{count,header,magic,trunc_body,trunc_names}.afdo; do
        as dump_gcov 1 "$file"
        hints "error: $file: "
        as profile_merger 1 --output_file=never "$file"
        hints "error: $file: "
    done
    gone never
else
    printf 'skipped: no corpus at %s\n' "$corpus"
fi

# ---- merge of GCC's profiles ----

ends 0 merge 13.afdo 5.afdo -o o
silent
version o 2
ends 0 merge 5.afdo files.afdo -o o
silent
version o 3
ends 0 merge --for=auto 5.afdo 5.afdo -o o
version o 1
ends 0 merge 13.afdo work.prof -o o --sample --report=report.json
says "note: the inputs are of GCC and of LLVM: the output is for LLVM, and --for=gcc-N is for GCC"
ends 0 info o
prints "extbinary"
ends 0 merge --gcc 13.afdo work.prof -o o --sample
version o 2
ends 0 merge --for=gcc-16 13.afdo work.prof -o o --sample
version o 3
ends 0 merge --text --sample 13.afdo -o -
prints "work:3001:1"
# llvm-profdata writes LLVM's default, and --gcc is GCC's format.
ln -s "$main" llvm-profdata
ln -s "$main" llvm-profdata-13
as llvm-profdata 0 merge --sample 13.afdo -o o
ends 0 info o
prints "extbinary"
as llvm-profdata 0 merge --sample --extbinary 13.afdo -o asked
same asked o
as llvm-profdata-13 0 merge --sample --extbinary 13.afdo -o o
ends 0 info o
prints "extbinary as of LLVM 13"
# Up to LLVM 16 raw binary was the default; another target has another one.
as llvm-profdata-13 0 merge --sample 13.afdo -o o
as llvm-profdata-13 0 merge --sample --binary 13.afdo -o asked
same asked o
ends 0 info o
prints "raw binary"
as llvm-profdata-13 0 merge --sample --for=llvm-22 13.afdo -o o
ends 0 info o
prints "extbinary"
as llvm-profdata 0 merge --sample --gcc 13.afdo -o o
version o 2
# A function whose source file one input does not know.
cat >nofile.json <<'END'
{"schema": "anyprof-sample/1", "source": {"kind": "gcc", "version": 2}, "functions": [
 {"name": "work", "total": 9, "lines": [{"line": 1, "count": 9}]}]}
END
ends 0 convert --for=auto nofile.json -o nofile.afdo
for order in "nofile.afdo files.afdo" "files.afdo nofile.afdo"; do
    # shellcheck disable=SC2086
    ends 0 merge $order -o o
    as dump_gcov 0 o
    is "source files in $order" "$(cat "$out")" "work:src/work.c total:16 head:3 timestamp: 5
  1: 13  add:add.c:4
  2: mul: total:3
    0: 3"
done
finish
