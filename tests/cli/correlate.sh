#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Profiles whose metadata stayed in their program: the options that name the program, the words about wrong ones
# (LLVM's, where it has them), and what is left as it was. oracle/correlate.py compares with llvm-profdata.
. "$(dirname "$0")/_lib.sh"

seeds=${ANYPROF_BUILD_DIR:-}/tests/correlate_seeds
[ -x "$seeds" ] || skip "no helper at $seeds"
"$seeds" . || exit 1
program=${anyprof##*/}

cat >want <<'END'
# IR level Instrumentation Flag
:ir
file.c;local
# Func Hash:
8738
# Num Counters:
1
# Counter Values:
103
# Num Bitmap Bytes:
$2
# Bitmap Byte Values:
0x1
0x2


last
# Func Hash:
5
# Num Counters:
2
# Counter Values:
105
106
# Num Bitmap Bytes:
$1
# Bitmap Byte Values:
0x3


main
# Func Hash:
4369
# Num Counters:
3
# Counter Values:
100
101
102

END

# merges OPTION NAME: the profile of that program.
merges() {
    ends 0 merge "$1=$2.elf" "$2.profraw" --text -o got.proftext
    same got.proftext want
}
for name in binary binary9 binary32 binarybe; do
    merges --binary-file "$name"
    hints "warning: CounterPtr out of range for function: Actual=0x10 Expected=[0x4000, 0x4038) at data offset="
done
for name in debug4 debug5 debug32 debugbe; do
    merges --debug-info "$name"
    says "warning: CounterPtr out of range for function outside: Actual=0x10 Expected=[0x4000, 0x4038)"
done
ends 0 merge --quiet --debug-info=debug4.elf debug4.profraw -o quiet.profdata
silent

# Without a program they are refused, and it is said what helps.
ends 1 merge binary.profraw -o never.profdata
hints "warning: binary.profraw: debug info/binary for correlation is required: 7 counters without function data"
hints "note: its functions are described in the program that wrote it: give --debug-info=PROGRAM"
gone never.profdata
# As LLVM shows them: its header, and no functions.
ends 0 show --binary-ids --all-functions debug4.profraw
prints "Total functions: 0"
prints "Binary IDs: "
hints "note: its functions are described in the program that wrote it, and so not shown"
# Other commands read them with the program.
for command in "convert --to=json debug4.profraw" "lookup debug4.profraw main" "diff debug4.profraw want"; do
    # shellcheck disable=SC2086
    ends 1 $command
    hints "debug4.profraw: debug info/binary for correlation is required"
done
ends 0 convert --debug-info=debug4.elf --to=text debug4.profraw -o got.proftext
same got.proftext want
ends 0 convert --debug-info=debug4.elf debug4.profraw -o got.json
ends 0 convert got.json --to=text -o got.proftext
same got.proftext want
ends 0 convert --binary-file=binary.elf --to=text binary.profraw -o got.proftext
same got.proftext want
ends 0 lookup --debug-info=debug4.elf debug4.profraw main
prints "    Counters: 3"
ends 0 diff --debug-info=debug4.elf --fail-above=0 debug4.profraw got.proftext
ends 0 diff --correlate=debug-info --debug-file-directory=. --fail-above=0 debug4.profraw got.proftext
# The program is no place for the output.
cp debug4.elf program.elf
for command in "convert --to=text --debug-info=program.elf debug4.profraw" \
    "lookup --debug-info=program.elf debug4.profraw main" \
    "diff --debug-info=program.elf debug4.profraw got.proftext"; do
    # shellcheck disable=SC2086
    ends 2 $command -o program.elf
    same program.elf debug4.elf
done
ends 2 convert --debug-info=debug4.elf --binary-file=binary.elf --to=text debug4.profraw -o got2.proftext
gone got2.proftext

# Of another build.
ends 0 merge --binary-file=binary9.elf debug4.profraw -o got.profdata # it has no id, but as many counters
ends 1 merge --binary-file=binary.elf binary32.profraw -o never.profdata
hints "warning: binary32.profraw: unable to correlate profile: the program is of another processor"
sed 's/build id/built ID/' binary.profraw >other.profraw
ends 1 merge --binary-file=binary.elf other.profraw -o never.profdata
hints "warning: other.profraw: unable to correlate profile: the profile is of build ID 6275696c74204944"
hints "the program has 6275696c64206964: it is of another build"
gone never.profdata

# Several programs: each profile finds its own, and others may have their metadata.
ends 0 merge --binary-file=binary.elf --binary-file=binary32.elf binary.profraw binary32.profraw \
    "$profiles/clang-14-ir.profraw" -o all.profdata
hints "warning: binary.elf: CounterPtr out of range"
ends 1 merge --binary-file=binary.elf binary.profraw "$profiles/clang-22-ir.profraw" -o never.profdata
hints "warning: $profiles/clang-22-ir.profraw: debug info/binary for correlation is not necessary"

# Directories: by build id, as LLVM names the files, and as they are.
mkdir -p ids/.build-id/62 any/deep
cp debug4.elf ids/.build-id/62/75696c64206964.debug
cp debug4.elf any/deep/program
echo "no program" >any/notes
for directory in ids any; do
    ends 0 merge --correlate=debug-info --debug-file-directory=$directory debug4.profraw --text -o got.proftext
    same got.proftext want
    hints "CounterPtr out of range for function outside"
done
ends 0 merge --correlate=binary --debug-file-directory=nowhere --debug-file-directory=. binary.profraw --text \
    -o got.proftext
same got.proftext want
ends 1 merge --correlate=binary --debug-file-directory=any binary.profraw -o never.profdata
hints "warning: binary.profraw: unable to correlate profile: could not find section (__llvm_covdata)"
hints "(any/deep/program)"
ends 1 merge --correlate=binary --debug-file-directory=ids/none binary.profraw -o never.profdata
hints "warning: binary.profraw: unable to correlate profile: Missing build ID: 6275696c64206964"
hints "(ids/none: No such file or directory)"
ends 1 merge --correlate=binary --debug-file-directory=any binary9.profraw -o never.profdata
hints "unsupported profile binary correlation when there is no build ID in a profile"

# wrong TEXT ARGUMENT...: LLVM's words about options.
wrong() {
    local text=$1
    shift
    ends 2 merge binary.profraw "$@" -o never.profdata
    says "error: $text"
    gone never.profdata
}
wrong "Expected only one of -debug-info, -binary-file, -debuginfod or -debug-file-directory" \
    --debug-info=debug4.elf --binary-file=binary.elf
wrong "Expected only one of -debug-info, -binary-file, -debuginfod or -debug-file-directory" --debug-info=x --debuginfod
wrong "Expected only one of -binary-file, -debuginfod or -debug-file-directory" --binary-file=x --debug-file-directory=.
wrong "Expected --correlate when --debuginfod is provided" --debuginfod
wrong "Expected --correlate when --debug-file-directory is provided" --debug-file-directory=.
wrong "Expected --debuginfod or --debug-file-directory when --correlate is provided" --correlate=binary
ends 2 merge binary.profraw --debuginfod --correlate=binary -o never.profdata
hints "error: --debuginfod is not supported: anyprof does not use the network"
ends 2 merge binary.profraw --correlate=dwarf -o never.profdata
hints "$program: --correlate takes one of "
hints ", not 'dwarf'"

# What is no such program.
ends 1 merge --binary-file=debug4.elf debug4.profraw -o never.profdata
says "error: debug4.elf: unable to correlate profile: could not find section (__llvm_covdata)"
ends 1 merge --debug-info=binary.elf binary.profraw -o never.profdata
hints "error: binary.elf: unable to correlate profile: could not find any profile data metadata in correlated file"
hints "(the program was built for binary correlation)"
ends 1 merge --debug-info=loaded.elf binary.profraw -o never.profdata
hints "(its profiles hold their metadata: merge them without a program)"
ends 1 merge --debug-info=/bin/sh binary.profraw -o never.profdata
says "error: /bin/sh: unable to correlate profile: could not find section (__llvm_prf_cnts) \
(it is not instrumented; give the build that wrote the profile, which is compiled with -fprofile-generate or \
-fprofile-instr-generate)"
ends 1 merge --debug-info=nowhere binary.profraw -o never.profdata
says "error: nowhere: No such file or directory"
ends 1 merge --debug-info=want binary.profraw -o never.profdata
hints "error: want: The file was not recognized as a valid object file"
gone never.profdata

# Neither a program nor a profile is overwritten by mistake.
cp binary.elf before
ends 2 merge --binary-file=binary.elf binary.profraw -o binary.elf
hints "error: binary.elf: the profile would replace a program"
same binary.elf before
ends 2 show --debug-info=debug4.elf -o debug4.elf
hints "error: debug4.elf: the output would replace an input"

# show --debug-info: text of llvm-profdata 22.
ends 0 show --debug-info=debug5.elf --show-prof-sym-list --detailed-summary
is "text" "$(cat "$out")" "file.c;local
last
main
Counters section size: 0x38 bytes
Found 3 functions"
ends 0 show --debug-info=debug4.elf debug4.profraw # the profile plays no part
is "with a profile" "$(cat "$out")" "Found 3 functions"
ends 0 show --debug-info=debug4.elf --show-format=yaml -o got.yaml
cat >want.yaml <<'END'
---
Probes:
  - Function Name:   main
    Linkage Name:    main
    CFG Hash:        0x1111
    Counter Offset:  0x0
    Num Counters:    3
    Line:            7
  - Function Name:   'file.c;local'
    Linkage Name:    'file.c;local'
    CFG Hash:        0x2222
    Counter Offset:  0x18
    Num Counters:    1
    Line:            8
  - Function Name:   last
    Linkage Name:    last
    CFG Hash:        0x5
    Counter Offset:  0x28
    Num Counters:    2
    Line:            10
...
END
same got.yaml want.yaml
ends 0 show --debug-info=debug4.elf --max-debug-info-correlation-warnings=1
says "warning: CounterPtr out of range for function outside: Actual=0x10 Expected=[0x4000, 0x4038)"
ends 2 show --debug-info=debug4.elf --json
says "error: JSON output is not supported for debug info correlation"
ends 1 show --debug-info=binary.elf --show-format=yaml
hints "error: binary.elf: unable to correlate profile: could not find any profile data metadata in debug info"
ends 2 show
hints "show: a FILE is required, or --debug-info=PROGRAM."

# A program or a profile that is cut off is an error, whereever it ends.
size=$(stat -c %s debug5.elf)
for ((n = 0; n < size; n += 97)); do
    head -c "$n" debug5.elf >cut.elf
    ends 1 merge --debug-info=cut.elf debug5.profraw -o never.profdata
done
size=$(stat -c %s binary.profraw)
for ((n = 8; n < size; n += 8)); do
    head -c "$n" binary.profraw >cut.profraw
    ends 1 merge --binary-file=binary.elf cut.profraw -o never.profdata
done
gone never.profdata
no_leftovers
finish
