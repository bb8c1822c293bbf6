#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof profgen: a small program, errors, what is said of samples. Profiles of real runs are compared with those of
# llvm-profgen by oracle/profgen.py.
. "$(dirname "$0")/_lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "assembles x86-64 code"
command -v clang-22 >/dev/null || skip "no clang-22, which assembles pseudo probes"
cat >mini.s <<'END_OF_CODE'
        .text
        .globl leaf, main
        .type leaf,@function
        .type main,@function
leaf:   .pseudoprobe 7399155579282764986 1 0 0 leaf
        leal 1(%rdi), %eax
        retq
        .size leaf, .-leaf
        .p2align 4
main:   .pseudoprobe 15822663052811949562 1 0 0 main
        movl $9, %ebx
.Ll:    .pseudoprobe 15822663052811949562 2 2 0 main
        callq leaf
        decl %ebx
        jne .Ll
        .pseudoprobe 15822663052811949562 3 0 0 main
        retq
        .size main, .-main
        .section .pseudo_probe_desc,"",@progbits
        .quad 7399155579282764986, 4294967295
        .byte 4
        .ascii "leaf"
        .quad -2624081020897602054, 281479271677951
        .byte 4
        .ascii "main"
END_OF_CODE
id=00112233445566778899aabbccddeeff00112233
clang-22 -c mini.s -o mini.o && ld -e main -Ttext=0x401000 --build-id=0x$id mini.o -o mini &&
    ld -e main -Ttext=0x401000 mini.o -o without && objcopy -R .pseudo_probe -R .pseudo_probe_desc mini bare &&
    cp mini other || skip "the assembler or linker fails"
# leaf 401000 (ret 401003), main 401010: call 401015, jne 40101c, ret 40101e
offset=0x$(readelf -lW mini | awk '/LOAD.* R E / { print $2; exit }' | sed 's/^0x0*//')
map() { printf 'PERF_RECORD_MMAP2 100/100: [0x401000(0x1000) @ %s 08:01 1 1]: r-xp /x/%s\n' "$offset" "${1:-mini}"; }
stack='0x40101c/0x401015/P/-/-/0 0x401003/0x40101a/P/-/-/0 0x401015/0x401000/P/-/-/0 0x77/0x401010/P/-/-/0'
{ map; echo " 401015  $stack"; echo 10; echo " 401015  $stack"; } >text
profile="main:22:11
 1: 11
 2: 11 leaf:11
 3: 0
 !CFGChecksum: 281479271677951
leaf:11:11
 1: 11
 !CFGChecksum: 4294967295"
ends 0 profgen --binary=mini --perfscript=text --format=text -o out
is "profile" "$(cat out)" "$profile" # as llvm-profgen's
is "what became of it" "$(grep -v ^warning "$err")" "            11           branch stacks
            44           branches
            11   25.0 %      from outside into it
            33           runs from a branch to the next one
            33           counts of probes or instructions
            22           calls
            11   50.0 %      from where no probe or function is known"
hints "warning: Sample PGO is estimated to optimize better with"
ends 0 profgen --binary=mini --ps text --format=text -o out2 --quiet --report=report.json --show-density
same out out2
is "quiet" "$(cat "$err")" ""
is "report" "$(grep '^  "branches"' report.json)" \
    '  "branches": {"left_out": 0, "seen": 44, "elsewhere": 0, "in": 11, "out": 0, "kernel": 0, "misplaced": 0},'
hints_out() { grep -qE -- "$1" "$out" && good || bad "not printed: $1: $(cat "$out")"; }
density='^Functions with density >= [0-9.]+ account for 99.00% total sample counts.$'
hints_out "$density" # it was asked for
ends 0 profgen --binary=mini --perfscript=text --format=text -o out2 --show-density
hints_out "$density"
ends 0 profgen --binary=mini --perfscript=text --format=text -o out2 --quiet
is "density that was not asked for" "$(cat "$out")" ""

# Counts.
ends 0 profgen --binary=mini --perfscript=text --skip-symbolization -o counts --quiet
is "counts" "$(cat counts)" "3
0-3:11
10-15:11
1a-1c:11
4
ffffffffffbff001->10:11
3->1a:11
15->0:11
1c->15:11"
ends 0 profgen --binary=mini --up counts --format=text -o out2 --quiet
same out out2
ends 0 profgen --binary=mini --up counts --up counts --format=text -o out2 --quiet
is "twice" "$(sed -n 1p out2)" "main:44:22"
for flag in --use-offset=0 --use-first-loadable-segment-as-base; do
    ends 0 profgen --binary=mini --perfscript=text --skip-symbolization $flag -o counts2 --quiet
    ends 0 profgen --binary=mini --up counts2 $flag --format=text -o out2 --quiet
    same out out2
done
printf '1\n0-3:1\n' >short
ends 1 profgen --binary=mini --up short -o new
hints "error: short: samples with an error: the profile ends too early"
printf '1\n0-3\n0\n' >bad
ends 1 profgen --binary=mini --up bad -o new
says "error: bad: samples with an error: expected START-END:COUNT [line 2, column 4, profgen.raw]"

# Formats and targets.
ends 0 profgen --binary=mini --perfscript=text -o out.ext --quiet
ends 0 convert out.ext --to=text -o out2 --quiet
same out out2
ends 1 profgen --binary=mini --perfscript=text --format=binary -o new --quiet
hints "Profile encoding format unsupported for writing operations"
ends 0 profgen --binary=mini --perfscript=text --for=llvm-14 -o out14 --quiet
ends 0 info out14
hints_out 'read by: +LLVM 1[0-4] to'

# perf.data
oracle=$(cd "$(dirname "$0")/../oracle" && pwd)
record() { # record FILE STATEMENT...
    local file=$1
    shift
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$oracle python3 - "$file" "$offset" "$id" "$@" <<'END_OF_PYTHON'
import sys
from _perf import Recording

r = Recording()
stack = [(0x40101c, 0x401015, "P"), (0x401003, 0x40101a, "P"), (0x401015, 0x401000, "P"), (0x77, 0x401010, "P")]
r.mmap(100, 0x401000, 0x1000, int(sys.argv[2], 0), "/x/mini")
r.build_ids = [(sys.argv[3], "/x/mini")]
for _ in range(11):
    r.sample(100, 0x401015, stack)
for statement in sys.argv[4:]:
    exec(statement)
r.write(sys.argv[1])
END_OF_PYTHON
}
record recorded
ends 0 profgen --binary=mini --perfdata=recorded --format=text -o out2
same out out2
hints "            11           samples"
gzip -k recorded
ends 0 profgen --binary=mini --pd recorded.gz --format=text -o out2 --quiet
same out out2
ends 0 profgen --binary=mini --pd - --format=text -o out2 --quiet <recorded
same out out2
ends 0 profgen --binary=mini --pd recorded --pd recorded --format=text -o out2 --quiet
is "twice" "$(sed -n 2p out2)" " 1: 22"
ends 0 profgen --binary=other --pd recorded --format=text -o out2 --quiet # by its build id
same out out2
# A kernel with pages of 64 KiB maps code together with what is before it in the file.
record pages 'samples = r.records[1:]' 'r.records.clear()' \
    'r.mmap(100, 0x401000 - int(sys.argv[2], 0), 0x10000, 0, "/x/mini", timed=False)' 'r.records += samples'
ends 0 profgen --binary=mini --pd pages --format=text -o out2
same out out2
record another 'r.build_ids = [("11" * 20, "/x/mini")]'
ends 1 profgen --binary=mini --pd another -o new
says "error: mini: no samples of this program: its build id is $id, but 1111111111111111111111111111111111111111 was \
recorded; --ignore-build-id takes it nevertheless"
gone new
ends 0 profgen --binary=mini --pd another --ignore-build-id --format=text -o out2
same out out2
says "warning: mini: another build of it was recorded"
# The kernel marks a file that was replaced while it ran.
record deleted 'r.records.clear()' 'r.build_ids = []' \
    'r.mmap(100, 0x401000, 0x1000, int(sys.argv[2], 0), "/x/mini (deleted)")' \
    'for _ in range(11): r.sample(100, 0x401015, stack)'
ends 0 profgen --binary=mini --pd deleted --format=text -o out2
same out out2
says "warning: mini: it was recognised by its name: the recording, or the program, has no build id"
# Texts have build ids where perf recorded them with the mappings.
for name in "$id mini" "$id other" "1111111111111111111111111111111111111111 mini"; do
    sed "s/08:01 1 1/<${name% *}>/; s/mini/${name#* }/" text >named
    [ "$name" = "${name#1}" ] || break
    ends 0 profgen --binary=mini --ps named --format=text -o out2
    same out out2
done
ends 1 profgen --binary=mini --ps named -o new
says "error: mini: no samples of this program: its build id is $id, but 1111111111111111111111111111111111111111 was \
recorded; --ignore-build-id takes it nevertheless"
ends 0 profgen --binary=mini --ps named --ignore-build-id --format=text -o out2
same out out2
record nameless 'r.build_ids = []'
ends 0 profgen --binary=mini --pd nameless --format=text -o out2
says "warning: mini: it was recognised by its name: the recording, or the program, has no build id"
ends 1 profgen --binary=without --pd recorded -o new
hints "error: without: no samples of this program: no file without was mapped; files with samples: mini"
# Counts that are read again may be of another program.
ends 0 profgen --binary=mini --pd recorded --skip-symbolization -o counts
ends 0 profgen --binary=mini --up counts --format=text -o out2
same out out2
grep -q 'outside: not used' "$err" && bad "counts are outside: $(cat "$err")" || good
sed 's/^\([0-9a-f][0-9a-f]*\)-\([0-9a-f]*:\)/7\1-7\2/' counts >far
ends 0 profgen --binary=mini --up far --format=text -o out2
hints "  partly or wholly outside: not used"
# Nothing is written if another output cannot be.
ends 1 profgen --binary=mini --pd recorded --report=nowhere/report -o new
says "error: nowhere/report: the report cannot be written there: its directory does not exist"
gone new
cp mini kept.elf
ends 1 profgen --binary=mini --pd recorded -o kept.elf
hints "would replace a program, or debug information"
same mini kept.elf
# A profile of nothing does not take the place of a good one.
echo good >kept
ends 1 profgen --binary=mini --pd recorded --pid=7 --format=text -o kept
says "error: mini: no samples of this program: no sample is of process 7"
hints "    of other processes: not used"
head -c -100 recorded >cut
ends 0 profgen --binary=mini --pd cut --format=text -o out2
says "warning: cut: the recording is cut off or damaged; what comes before is used ('anyprof perf info' says more)"
# Samples without branches.
record plain 'r.records = r.records[:1]' 'r.sample(100, 0x401015, [])'
ends 1 profgen --binary=mini --pd plain -o kept
says "error: mini: no samples of this program: no sample has branches: 'perf record -j any,u' records them, if the \
processor can; without branches, --for=gcc-N makes profiles for GCC"
{ map; echo ' 401015'; } >plain.text
ends 1 profgen --binary=mini --ps plain.text --for=gcc-12 -o kept
hints "; samples without branches are read of recordings (--perfdata) only"

# Of several recordings, messages name the one that they are about.
ends 0 profgen --binary=mini --pd recorded --pd cut --pd nameless --format=text -o out2
says "warning: cut: the recording is cut off or damaged; what comes before is used ('anyprof perf info' says more)"
says "warning: mini: in nameless it was recognised by its name: the recording, or the program, has no build id"
is "one warning for each" "$(grep -c "^warning: [a-z]*: " "$err")" 3 # build ids were in the part that is cut off
ends 1 profgen --binary=mini --pd recorded --pd another --pd nameless -o kept
hints "error: mini: no samples of this program: its build id is"
says "note: the input that this is about: another"

# Text.
{ echo " 401015  $stack"; } >unmapped
ends 0 profgen --binary=mini --perfscript=unmapped --format=text -o out2
says "warning: mini: the text does not say where it was mapped: its addresses are taken as they are"
{ map; echo " 401015  0x40101c/main/P $stack"; echo 'something else'; } >bad
ends 1 profgen --binary=mini --perfscript=bad --format=text -o kept
says "error: mini: no samples of this program: no branch can be read, as in line 2; 'perf script \
--show-mmap-events -F ip,brstack' prints what is expected"
says "warning: bad: lines with an address that cannot be read: 2, the first one is line 2"
cp bad worse
{ map; echo " 401015  0x40101c/main/P $stack"; } >bad
ends 0 profgen --binary=mini --ps text --ps worse --ps bad --format=text -o out2
says "warning: worse: lines with an address that cannot be read: 2, the first one is line 2"
says "warning: bad: lines with an address that cannot be read: 1"
{ map; echo '          401015'; echo '          401030'; echo " $stack"; } >frames
ends 1 profgen --binary=mini --perfscript=frames --format=text -o kept
says "error: mini: no samples of this program: no branch is in it: is this the program that was recorded?"
hints "call stacks"
hints "where a function sets up or gives up its frame: the sample is not used"
{ map; echo '          15'; echo " $stack"; } >offsets
ends 0 profgen --binary=mini --perfscript=offsets --format=text -o new
hints "warning: mini: hardly any call stack is in the program, though branches are"
rm new
ends 1 profgen --binary=mini --perfscript=frames --skip-symbolization -o kept
says "error: mini: no samples of this program: no branch is in it: is this the program that was recorded?"
hints "where a function sets up or gives up its frame: the sample is not used"
ends 1 profgen --binary=mini --perfscript=text --pid=7 -o kept
says "error: mini: no samples of this program: process 7 has not mapped it"
# Two processes at once, of which the text says nothing but their mappings; and one after the other.
moved() { sed 's/\[0x401000/[0x501000/' <<<"$(map)"; }
warning="warning: mini: several processes have it at different places, and the text does not say which one a branch is \
of: those of all but the last mapping are taken to be outside; --perfdata reads the recording itself"
{ map; moved; for _ in 1 2 3; do echo " 401015  $stack"; done; echo " 501015  ${stack//0x40/0x50}"; } >moved.text
ends 0 profgen --binary=mini --perfscript=moved.text --format=text -o out --report=report
says "$warning"
is "moved" "$(grep moved_mappings report | sed 's/.*"moved/"moved/')" '"moved_mappings": 1},'
{ map; echo " 401015  $stack"; moved; echo " 501015  ${stack//0x40/0x50}"; } >moved.text
ends 0 profgen --binary=mini --perfscript=moved.text --format=text -o out
if grep -qF "$warning" "$err"; then bad "warned of processes that ran one after the other"; else good; fi
# Bytes 0, with which a file system fills what was lost.
zeros='\0\0\0\0-/-/0 0x401003/0x40101a/P/-/-/0\n'
{ map; echo " 401015  $stack"; printf " 401015  %s$zeros" "${stack%/-/-/0}"; } >zeros.text
ends 0 profgen --binary=mini --perfscript=zeros.text --format=text -o out
hints "zeros.text: lines with an address that cannot be read: 1"
ends 0 profgen --binary=mini --perfscript=text --skip-symbolization --for=gcc-12 -o out
says "warning: --for has no effect with --skip-symbolization: no compiler reads its text"
objcopy -N leaf -N main --add-symbol other=.text:0x10,function,global mini unnamed
for options in "" --quiet; do
    ends 1 profgen --binary=unnamed --perfscript=text --ignore-build-id $options -o kept
    hints "error: unnamed: no samples of this program: no sample is in a function with pseudo probes"
done
ends 2 profgen --binary=mini --perfscript=text --pid=0 -o kept
hints "profgen: --pid=0 names no process of a program"
ends 1 profgen --binary=mini --perfscript=text --kernel -o kept
hints "the text maps no [kernel.kallsyms]: --kernel is for a Linux kernel"
ends 1 profgen --binary=mini --perfscript=text --data-access-perftrace=text -o kept
hints "there are no accesses to data: 'perf mem record' records them"
{ map; echo "0 0 0x10 [0x30]: PERF_RECORD_SAMPLE(IP, 0x4002): 100/100: 0x401015 period: 1 addr: 0x401000"; } >accesses
ends 1 profgen --binary=mini --perfscript=text --data-access-perftrace=- -o kept <accesses
says "error: mini: not supported: types of objects are in profiles of lines without contexts, for LLVM, only: \
--use-dwarf-correlation and --ignore-stack-samples make such a profile" # and no byte of a stream was lost before
ends 1 profgen --binary=mini --perfscript=text --data-access-perftrace=<(cat accesses) -o kept
hints "types of objects are in profiles of lines"
ends 1 profgen --binary=mini --perfscript=text --data-access-perftrace={accesses,text} -o kept
says "error: text: no samples of this program: there are no accesses to data: 'perf mem record' records them"
ends 1 profgen --binary=mini --perfscript=text --data-access-perftrace=<(true) -o kept
hints "there are no accesses to data"
{ echo "PERF_RECORD_MMAP -1/0: [0x501000(0x1000) @ 0x501000]: x [kernel.kallsyms]_text"
    echo " 401015  ${stack//0x40/0x50}"; } >kernel
sed 's/0x50/0x60/g; s/0x601000(/0x501000(/' kernel >stranger # what ran is another kernel
ends 1 profgen --binary=mini --perfscript=stranger --kernel -o kept
says "error: mini: no samples of this program: none of its code ran: is this the Linux kernel that was recorded \
(vmlinux)?"
ends 0 profgen --binary=mini --perfscript=kernel --kernel --pid=7 --format=text -o out2 # it is in all processes
ends 1 profgen --binary=mini --perfscript=recorded -o kept
says "note: it is a recording of perf: give it with --perfdata"
ends 2 profgen --binary=mini --perfscript=text --llvm-sample-profile=out -o kept
hints "and \`--llvm-sample-profile\` cannot be used together"
ends 2 profgen --binary=mini --perfscript=text --profile-density-cutoff-hot=1000001 -o kept
hints "at most 1000000"
is "kept" "$(cat kept)" good
{ map; printf ' 401015  %s' "$stack"; } >open
ends 1 profgen --binary=mini --perfscript=open -o new
hints "error: open: samples with an error: the last line has no end: the text may have been cut off"
{ map; echo ' app 12 0x401015/0x401000/P/-/-/0'; } | sed 's,/mini$,/other-program,' >renamed
ends 1 profgen --binary=mini --perfscript=renamed -o new
says "error: mini: no samples of this program: no branch can be read, as in line 2; 'perf script --show-mmap-events \
-F ip,brstack' prints what is expected"
{ map; echo ' 1 0x1/0x2/P/-/-/0'; } | sed 's,/mini$,/other-program,' >renamed
ends 1 profgen --binary=mini --perfscript=renamed -o new
says "error: mini: no samples of this program: no branch is in it; the text maps other files, such as other-program, \
but none of this name"
ends 2 profgen --binary=mini --perfscript=text --format=gcc -o new
hints "--format=gcc needs --for=gcc-N"
ends 0 profgen --binary=mini --perfscript=text --show-detailed-warning -o new
says "warning: --show-detailed-warning has no effect: the report accounts for all samples"
rm new
: >empty
ends 1 profgen --binary=mini --unsymbolized-profile=empty -o new
says "error: mini: no samples of this program: no count is in it"
ends 1 profgen --binary=mini --perfscript=text --dwp=absent -o new
says "error: absent: No such file or directory"
gone new
ends 0 profgen --binary=mini --perfscript=text --skip-symbolization --format=text -o new
says "warning: --format has no effect with --skip-symbolization, which has a text of its own"
rm new
map >nothing
ends 1 profgen --binary=mini --perfscript=nothing -o new
says "error: nothing: samples with an error: Invalid perf script input! No line has branches; 'perf \
script --show-mmap-events -F ip,brstack' prints what is expected"
gone new

# Errors.
ends 1 profgen --binary=bare --perfscript=text -o new
hints "error: bare: not supported: it has neither pseudo probes nor debug information"
gone new
ends 1 profgen --binary=text --perfscript=text -o new
hints "error: text: The file was not recognized as a valid object file"
ends 1 profgen --binary=absent --perfscript=text -o new
says "error: absent: No such file or directory"
ends 1 profgen --binary=mini --perfscript=absent -o new
says "error: absent: No such file or directory"
ends 1 profgen --binary=mini --perfscript=text -o text
says "error: text: the profile would replace an input"
ends 2 profgen --perfscript=text -o new
hints "profgen: --binary=PROGRAM is required."
ends 2 profgen --binary=mini --perfscript=text
hints "profgen: -o OUT is required."
ends 2 profgen --binary=mini -o new
hints "Perf input file is missing, please use one of"
ends 2 profgen --binary=mini --ps text --pd recorded -o new
hints "cannot be used together"
ends 2 profgen --binary=mini --perfscript=text --show-disassembly-only -o new
hints "--show-disassembly-only is not supported: use 'anyprof probes disasm'"
ends 2 profgen --no-csspgo-preinliner
hints "Did you mean '--csspgo-preinliner=0'?"
ends 2 profgen --perf=recorded
hints "Did you mean '--perfdata' or '--perfscript'?"
for option in binary original debug-binary dwp perfdata perfscript; do # as of a variable that is not set
    ends 2 profgen --binary=mini --ps text -o new --$option=
    says "anyprof: --$option takes the name of a file, not ''"
done
ends 2 profgen --binary=mini --ps text -o new --debug-dir=
hints "--debug-dir takes the name of a directory, not ''"
ends 2 profgen --binary=mini --pd - --pd - -o new
hints "profgen: standard input can be given only once."
ends 2 profgen --binary=- --pd - -o new
hints "profgen: standard input can be given only once."
ends 1 profgen --binary=mini --pd - -o new </dev/null
says "error: standard input: recording of perf with an error: the file is empty"
for target in gcc12 GCC-12; do
    ends 2 profgen --binary=mini --ps text --for=$target -o new
    hints "unknown target '$target'"
    hints "Did you mean '--for=gcc-12'?"
done
# Options without effect.
ends 1 profgen --binary=mini --ps text --for=gcc-12 --csspgo-preinliner --update-total-samples --show-density -o new
says "warning: --csspgo-preinliner has no effect on profiles for GCC
warning: --update-total-samples has no effect on profiles for GCC
warning: --show-density has no effect on profiles for GCC"
is "warnings of these" "$(grep -c 'has no effect' "$err")" 3
ends 1 profgen --binary=mini --ps text --for=gcc-12 --ignore-stack-samples --trim-cold-profile --quiet -o new
is "no warning" "$(grep -c 'has no effect' "$err")" 0
gone new

# ---- the name llvm-profgen ----

named() { # named CODE ARGUMENT...
    local code=0
    ./llvm-profgen "${@:2}" >"$out" 2>"$err" || code=$?
    is "llvm-profgen ${*:2}" "$code" "$1"
}
ln -s "$anyprof" llvm-profgen
ln -s "$anyprof" llvm-profgen-16
named 1
is "nothing given" "$(cat "$err")" "llvm-profgen: for the --output option: must be specified at least once!
llvm-profgen: for the --binary option: must be specified at least once!"
named 1 --binary=mini -o named
hints "llvm-profgen: error: Perf input file is missing, please use one of"
named 1 --binary=text --ps text -o named
hints "llvm-profgen: error: text: The file was not recognized as a valid object file"
named 1 --binary=mini --ps text -o named --nothing
hints "llvm-profgen: Unknown command line argument '--nothing'."
named 0 --binary=mini --ps text --format=text -o named
is "the profile" "$(cat named)" "$profile"
is "warnings only" "$(grep -vc '^warning: ' "$err")" 0
named 0 --binary=mini --ps text --format=text --dwp= --debug-binary= -o named
is "nothing named" "$(cat named)" "$profile"
./llvm-profgen-16 --binary=mini --ps text -o named 2>/dev/null
ends 0 info named
grep -q "read by:  *LLVM 14 to 23" "$out" || bad "info of named"
finish
