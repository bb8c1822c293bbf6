#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof profgen of several programs in one pass, and of programs that BOLT wrote: errors, outputs, reports. Profiles
# are compared by oracle/profgen_several.py and oracle/profgen_bolted.py.
. "$(dirname "$0")/_lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "assembles x86-64 code"
command -v clang-22 >/dev/null || skip "no clang-22, which assembles pseudo probes"
oracle=$(cd "$(dirname "$0")/../oracle" && pwd)
assemble() { # assemble NAME ADDRESS ID: a program of one function
    cat >"$1.s" <<END_OF_CODE
        .text
        .globl $1
        .type $1,@function
$1:     .pseudoprobe 7399155579282764986 1 0 0 $1
        nop
        retq
        .size $1, .-$1
        .section .pseudo_probe_desc,"",@progbits
        .quad 7399155579282764986, 4294967295
        .byte 4
        .ascii "leaf"
END_OF_CODE
    clang-22 -c "$1.s" -o "$1.o" && ld -e "$1" -Ttext="$2" --build-id=0x"$3" "$1.o" -o "$1"
}
id=00112233445566778899aabbccddeeff0011223
assemble app 0x401000 ${id}3 && assemble lib 0x501000 ${id}5 && assemble odd 0x601000 ${id}7 ||
    skip "the assembler or linker fails"
offset() { echo "0x$(readelf -lW "$1" | awk '/LOAD.* R E / { print $2; exit }' | sed 's/^0x0*//')"; }
map() { printf 'PERF_RECORD_MMAP2 100/100: [%s(0x1000) @ %s 08:01 1 1]: r-xp /x/%s\n' "$2" "$(offset "$1")" "$1"; }
both='0x501001/0x401000/P/-/-/0 0x401001/0x501000/P/-/-/0 0x77/0x401000/P/-/-/0'
{ map app 0x401000; map lib 0x501000; echo 5; echo " 501001  $both"; } >text
record() { # record FILE PROGRAM...: with their mappings
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$oracle python3 - "$@" <<'END_OF_PYTHON'
import subprocess
import sys
from _perf import Recording

r = Recording()
for name, start, digit in (("app", 0x401000, "3"), ("lib", 0x501000, "5")):
    if name in sys.argv[2:]:
        lines = subprocess.run(["readelf", "-lW", name], capture_output=True, text=True).stdout.splitlines()
        offset = next(int(line.split()[1], 16) for line in lines if "LOAD" in line and " R E " in line)
        r.mmap(100, start, 0x1000, offset, "/x/" + name)
        r.build_ids.append(("00112233445566778899aabbccddeeff0011223" + digit, "/x/" + name))
for _ in range(5):
    r.sample(100, 0x501001, [(0x501001, 0x401000, "P"), (0x401001, 0x501000, "P"), (0x77, 0x401000, "P")])
r.write(sys.argv[1])
END_OF_PYTHON
}
record recorded app lib
two=(--binary=app --binary=lib)

# One pass, and one for each.
ends 0 profgen --binary=app --perfscript=text --format=text -o app.one --quiet
ends 0 profgen --binary=lib --perfscript=text --format=text -o lib.one --quiet
is "app" "$(head -2 app.one)" "leaf:5:5
 1: 5"
for input in --perfscript=text --perfdata=recorded; do
    ends 0 profgen "${two[@]}" $input --format=text -o app.prof -o lib.prof
    same app.one app.prof
    same lib.one lib.prof
    is "headings" "$(grep -E '^(app|lib):$' "$err")" "app:
lib:"
    hints "warning: app: Sample PGO is estimated"
done
ends 0 profgen "${two[@]}" --perfdata=- --format=text -o app.prof -o lib.prof --quiet --report=report <recorded
same app.one app.prof
same lib.one lib.prof
is "quiet" "$(cat "$err")" ""
is "report" "$(grep -E '"(schema|program|original)"|"branches"' report)" '  "schema": "anyprof-profgen-programs/1",
      "program": "app",
      "original": null,
      "branches": {"left_out": 0, "seen": 15, "elsewhere": 0, "in": 10, "out": 5, "kernel": 0, "misplaced": 0},
      "program": "lib",
      "original": null,
      "branches": {"left_out": 0, "seen": 15, "elsewhere": 5, "in": 5, "out": 5, "kernel": 0, "misplaced": 0},'
ends 0 profgen "${two[@]}" --perfscript=- --format=text -o app.prof -o - --quiet <text
same lib.one "$out"
ends 0 profgen "${two[@]}" --ps text --skip-symbolization -o app.raw -o lib.raw --quiet
ends 0 profgen --binary=lib --up lib.raw --format=text -o lib.prof --quiet
same lib.one lib.prof

# What does not go together.
rm -f app.prof lib.prof
wrong() { # wrong CODE TEXT OPTION...: an error, and nothing is written
    local code=$1 text=$2
    shift 2
    ends "$code" profgen "$@"
    hints "$text"
    gone app.prof
    gone lib.prof
}
outputs=(-o app.prof -o lib.prof)
wrong 2 "each --binary needs an -o, in the same order: there are 2 and 1" "${two[@]}" --ps text -o app.prof
wrong 2 "each --binary needs an -o, in the same order: there are 1 and 2" --binary=app --ps text "${outputs[@]}"
wrong 2 "each --binary needs an -o, in the same order: there are 2 and 3" "${two[@]}" --ps text "${outputs[@]}" -o x
wrong 1 "error: lib.prof: the profile of lib and the profile of app cannot both be written there" \
    "${two[@]}" --ps text -o lib.prof -o lib.prof
wrong 1 "error: ./app.prof: the profile of lib and the profile of app cannot both be written there" \
    "${two[@]}" --ps text -o app.prof -o ./app.prof
wrong 1 "error: -: the profile of lib and the profile of app cannot both be written there" \
    "${two[@]}" --ps text -o - -o -
wrong 1 "error: lib.prof: the report and the profile of lib cannot both be written there" \
    "${two[@]}" --ps text "${outputs[@]}" --report=lib.prof
wrong 1 "error: lib: the profile of app would replace an input" "${two[@]}" --ps text -o lib -o lib.prof
wrong 1 "error: text: the profile of lib would replace an input" "${two[@]}" --ps text -o app.prof -o text
wrong 1 "error: app: the report would replace an input" "${two[@]}" --ps text "${outputs[@]}" --report=app
wrong 1 "error: app: this program is given twice; first as app" --binary=app --binary=app --ps text "${outputs[@]}"
ln -s app link
wrong 1 "error: link: this program is given twice; first as app" --binary=app --binary=link --ps text "${outputs[@]}"
wrong 2 "counts of --unsymbolized-profile are of one program" "${two[@]}" --up app.raw "${outputs[@]}"
wrong 2 "a profile of --llvm-sample-profile is of one program" \
    "${two[@]}" --llvm-sample-profile app.one "${outputs[@]}"
wrong 2 "accesses of --data-access-perftrace are of one program" \
    "${two[@]}" --ps text --data-access-perftrace=text "${outputs[@]}"
wrong 2 "debug-binary and --dwp are for one --binary" "${two[@]}" --ps text --debug-binary=app "${outputs[@]}"
wrong 2 "kernel is for one --binary" "${two[@]}" --ps text --kernel "${outputs[@]}"

# What was not recorded.
wrong 1 "error: odd: no samples of this program: no file odd was mapped; files with samples: lib" \
    --binary=app --binary=odd --pd recorded "${outputs[@]}"
wrong 1 "error: odd: no samples of this program: no file odd was mapped" \
    --binary=app --binary=odd --ps text "${outputs[@]}"
record alone app
wrong 1 "error: lib: no samples of this program: no file lib was mapped" "${two[@]}" --pd alone "${outputs[@]}"
wrong 1 "error: lib: no samples of this program" "${two[@]}" --pd recorded --pd alone "${outputs[@]}"
wrong 1 "error: no samples of these programs: no sample is of process 7" \
    "${two[@]}" --pd recorded --pid=7 "${outputs[@]}"
is "what became of both" "$(grep -c 'of other processes: not used' "$err")" 2
wrong 1 "error: no samples of these programs: no sample is of process 7" \
    "${two[@]}" --pd recorded --pid=7 "${outputs[@]}" --quiet --skip-symbolization
sed -E '/MMAP/!s/0x[45]01/0x7701/g' text >outside
wrong 1 "error: no samples of these programs: none is in them; are these the programs that were recorded?" \
    "${two[@]}" --ps outside "${outputs[@]}"
sed -E '/MMAP/!s/0x501/0x7701/g' text >outside # of one of them there are samples
ends 0 profgen "${two[@]}" --ps outside "${outputs[@]}"
hints "warning: lib: no branch is in the program; is this the program that was recorded?"
rm app.prof lib.prof
wrong 1 "error: absent: No such file or directory" --binary=app --binary=absent --ps text "${outputs[@]}"
wrong 1 "error: absent: No such file or directory" "${two[@]}" --pd absent "${outputs[@]}"
objcopy -R .pseudo_probe -R .pseudo_probe_desc lib bare
sed 's,/x/lib,/x/bare,' text >text.bare
wrong 1 "error: bare: not supported: it has neither pseudo probes nor debug information" \
    --binary=app --binary=bare --ps text.bare "${outputs[@]}"
{ map app 0x401000; map lib 0x501000; map lib 0x700000 | sed 's/@ 0x1000/@ 0x0/'; echo " 501001  $both"; } >torn
wrong 1 "profgen.mapping]; it is that of /x/lib" "${two[@]}" --ps torn "${outputs[@]}"

# BOLT.
wrong 1 "error: app: no BAT table found: the program was not written by BOLT with --enable-bat" \
    --binary=app --original=lib --ps text -o app.prof
wrong 1 "error: odd: there is no program for this --original" "${two[@]}" --original=odd --ps text "${outputs[@]}"
command -v llvm-bolt-22 >/dev/null && command -v ld.lld-22 >/dev/null || finish
cat >whole.c <<'END_OF_CODE'
__attribute__((noinline)) int leaf(int x) { return x & 3 ? x * 7 : x - 1; }
int main(int argc, char **argv) { int s = 0; for (int i = 0; i < argc * 99; i++) s += leaf(i + s); return s == 1; }
END_OF_CODE
clang-22 -O2 -g -fpseudo-probe-for-profiling -Wl,-q -Wl,--build-id --ld-path="$(command -v ld.lld-22)" whole.c \
    -o whole &&
    llvm-bolt-22 whole -o whole.bolt --enable-bat --reorder-blocks=reverse >/dev/null 2>&1 || skip "BOLT fails"
{
    echo "PERF_RECORD_MMAP2 100/100: [0x401000(0x1000) @ 0x0 08:01 1 1]: r-xp /x/whole.bolt"
    echo " 401015  $both"
} >text.bolt
wrong 1 "error: whole.bolt: not supported: BOLT wrote it; the profile is made of the program before BOLT, which \
--original=FILE names" --binary=whole.bolt --ps text.bolt -o app.prof
wrong 1 "by its build id BOLT did not make whole.bolt of it" \
    --binary=whole.bolt --original=app --ps text.bolt -o app.prof
wrong 1 "its symbol table and that of whole.bolt have no function in common" \
    --binary=whole.bolt --original=app --ignore-build-id --ps text.bolt -o app.prof
wrong 1 "error: absent: No such file or directory" --binary=whole.bolt --original=absent --ps text.bolt -o app.prof
wrong 1 "error: whole: the profile would replace an input" \
    --binary=whole.bolt --original=whole --ps text.bolt -o whole
wrong 1 "such counts are of the program before BOLT" --binary=whole.bolt --original=whole --up app.raw -o app.prof
wrong 1 "such an input cannot be read for a program that BOLT has rewritten" \
    --binary=whole.bolt --original=whole --llvm-sample-profile app.one -o app.prof
wrong 1 "cannot be read from standard input" --binary=- --original=whole --ps text.bolt -o app.prof <whole.bolt
strip whole.bolt -o bare.bolt 2>/dev/null # keeps the table
wrong 1 "its symbol table and that of bare.bolt have no function in common" \
    --binary=bare.bolt --original=whole --ps text.bolt -o app.prof
ends 1 profgen --binary=whole.bolt --original=whole --ps text.bolt --format=text -o app.prof
hints "no branch is in it: is this the program that was recorded?"
hints "warning: whole.bolt: no branch is in code that BOLT moved; was the program before BOLT recorded"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$oracle python3 - <<'END_OF_PYTHON'
import subprocess
from _perf import Recording

said = subprocess.run(["readelf", "-n", "whole"], capture_output=True, text=True).stdout
r = Recording()
r.mmap(100, 0x555555554000, 0x1000, 0, "/x/whole")
r.build_ids = [(said.split("Build ID: ")[1].split()[0], "/x/whole")]
r.sample(100, 0x555555554100, [(0x555555554100, 0x555555554200, "P")])
r.write("before")
END_OF_PYTHON
rm -f app.prof
mkdir -p dir && cp whole.bolt dir/whole
wrong 1 "was recorded: the program before BOLT ran" \
    --binary=dir/whole --original=whole --pd before -o app.prof
finish
