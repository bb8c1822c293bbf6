#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# anyprof profgen of stripped programs: which debug file is used, and the warnings of files that are not used.
# oracle/debug_files.py has the tools that strip programs, dwz, and split DWARF.
. "$(dirname "$0")/_lib.sh"

[ "$(uname -m)" = x86_64 ] || skip "makes x86-64 programs"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip "no C compiler"
command -v objcopy >/dev/null || skip "no objcopy"
id=00112233445566778899aabbccddeeff00112233
other=ff112233445566778899aabbccddeeff00112233
echo 'int leaf(int x) { return x + 1; }
int main(void) { return leaf(2); }' >mini.c
make_program() { # make_program OUT FLAG...
    local out=$1
    shift
    "$cc" -O0 -fno-pie -no-pie -nostdlib -static -fcf-protection=none -fno-asynchronous-unwind-tables -e main "$@" \
        -Wl,-Ttext=0x401000 mini.c -o "$out"
}
make_program whole -g -Wl,--build-id=0x$id && make_program another -g -Wl,--build-id=0x$other &&
    make_program nameless -g -Wl,--build-id=none && objcopy --only-keep-debug whole mini.debug &&
    objcopy --only-keep-debug another another.debug && objcopy --only-keep-debug nameless nameless.debug &&
    objcopy --strip-all whole mini || skip "the compiler or objcopy fails"
text() { # text PROGRAM: leaf runs from its beginning to its return
    local start end offset
    read -r start end <<<"$(nm -S "$1" | awk '$4 == "leaf" { print $1, $2 }')"
    offset=0x$(readelf -lW "$1" | awk '/LOAD.* R E / { print $2; exit }' | sed 's/^0x0*//')
    end=$((16#$start + 16#$end - 1)) start=$((16#$start))
    printf 'PERF_RECORD_MMAP2 1/1: [0x401000(0x1000) @ %s 08:01 1 1]: r-xp /x/mini\n' "$offset"
    printf '7\n 401000  0x%x/0x77/P/-/-/0  0x77/0x%x/P/-/-/0\n' "$end" "$start"
}
text whole >text
gen() { # gen EXIT PROGRAM OPTION...
    local code=$1 program=$2
    shift 2
    rm -f out
    ends "$code" profgen --binary="$program" --perfscript=text --format=text -o "${output:-out}" "$@"
}
fits() { # fits: the profile is that of the whole program
    same expected out
}
matches() { # matches REGEX: the last run printed such a line
    if grep -qE -- "$1" "$err"; then good; else bad "did not say: $1"; fi
}
mkdir w && cp whole w/mini
gen 0 w/mini
cp out expected
is "profile" "$(sed 's/:.*//' out)" "leaf
 0"
[[ $(cat "$err") != *"debug information:"* ]] || bad "a debug file of a whole program: $(cat "$err")"

# A file that is named.
gen 0 mini --debug-binary=mini.debug --report=report
fits
matches "^debug information: mini.debug$"
is "report" "$(grep debug_file report)" '  "debug_file": "mini.debug",'
gen 0 mini --debug-binary=mini.debug --quiet
is "quiet" "$(cat "$err")" ""
gen 1 mini --debug-binary=another.debug
says "error: another.debug: a debug file that is not of this program: its build id is $other, not $id"
gone out
gen 0 mini --debug-binary=another.debug --ignore-build-id
fits
says "warning: another.debug: a debug file that is not of this program: its build id is $other, not $id; it is used \
nevertheless"
gen 0 mini --debug-binary=nameless.debug
fits
gen 1 mini --debug-binary=absent
says "error: absent: No such file or directory"
gen 1 mini --debug-binary=text
matches "^error: text: The file was not recognized as a valid object file"
gen 1 mini --debug-binary=.
matches "^error: [.]: "
gen 1 mini --debug-binary=mini
says "error: mini: not supported: neither it nor mini has symbols (.symtab)"
objcopy --strip-debug whole symbols
gen 1 symbols --debug-binary=symbols
says "error: symbols: not supported: it has no pseudo probes, and symbols has no debug information"
printf '\177ELF' >header
gen 1 mini --debug-binary=header
matches "^error: header: "
"$cc" -m32 -c mini.c -o small.o 2>/dev/null && {
    gen 1 mini --debug-binary=small.o
    says "error: small.o: a debug file that is not of this program: it is of another kind of program"
}
output=mini.debug gen 1 mini --debug-binary=mini.debug
says "error: mini.debug: the profile would replace a program, or debug information; remove the file if that is meant"
output=text gen 1 mini --dwp=text
says "error: text: the profile would replace an input"

# Nothing is found.
gen 1 mini
says "error: mini: not supported: it was stripped of its symbols (.symtab), and no debug file was found (build id $id, \
in /usr/lib/debug)"
says "note: --debug-binary=FILE names the debug file; --debug-dir=DIR is searched as /usr/lib/debug is, for \
DIR/.build-id/XX/YYYY.debug by the build id XXYYYY and for DIR/DIRECTORY-OF-THE-PROGRAM/LINK"
gen 1 symbols --debug-dir=one --debug-dir=text --debug-dir=two
says "warning: one: No such file or directory: no debug file is searched for there"
says "warning: text: Not a directory: no debug file is searched for there"
says "error: symbols: not supported: it has neither pseudo probes nor debug information, and no debug file was found \
(build id $id, in one, text, two, /usr/lib/debug); build it with -g, or -fpseudo-probe-for-profiling"

# By the build id.
in_ids=.build-id/00/${id:2}.debug
mkdir -p ids/.build-id/00 wrong/.build-id/00 pipes/.build-id/00
cp mini.debug ids/$in_ids
cp another.debug wrong/$in_ids
mkfifo pipes/$in_ids
gen 0 mini --debug-dir=ids
fits
matches "^debug information: ids/$in_ids$"
gen 0 mini --debug-dir=wrong --debug-dir=pipes --debug-dir=ids
fits
says "warning: wrong/$in_ids: a debug file that is not of this program: its build id is $other, not $id"
says "warning: pipes/$in_ids: a debug file that is not of this program: it is no regular file"
head -c 900 mini.debug >wrong/$in_ids
gen 1 mini --debug-dir=wrong
matches "^warning: wrong/$in_ids: The file was not recognized as a valid object file"

gzip -c mini.debug >wrong/$in_ids
gen 1 mini --debug-dir=wrong
says "warning: wrong/$in_ids: a debug file that is not of this program: it is no ELF file"

# By a link.
here=$(pwd -P)
linked() { # linked DIRECTORY BYTES: DIRECTORY/mini with these bytes (of printf) as its link
    mkdir -p "$1"
    printf "$2" >link
    objcopy --add-section=.gnu_debuglink=link mini "$1/mini"
}
mkdir link-to && objcopy --add-gnu-debuglink=mini.debug mini link-to/mini
cp mini.debug link-to/
gen 0 link-to/mini
fits
matches "^debug information: $here/link-to/mini.debug$"
mkdir link-to/.debug && mv link-to/mini.debug link-to/.debug/
gen 0 link-to/mini
fits
matches "^debug information: $here/link-to/.debug/mini.debug$"
mkdir -p "global$here/link-to" && mv link-to/.debug/mini.debug "global$here/link-to/"
gen 0 link-to/mini --debug-dir=global
fits
matches "^debug information: global$here/link-to/mini.debug$"
{ cat mini.debug; echo; } >link-to/mini.debug
gen 1 link-to/mini
matches "^warning: $here/link-to/mini.debug: a debug file that is not of this program: its CRC is 0x[0-9a-f]{8}, but \
[.]gnu_debuglink says 0x[0-9a-f]{8}$"
says "error: link-to/mini: not supported: it was stripped of its symbols (.symtab), and no debug file was found (build \
id $id, link mini.debug, in its directory, .debug there, /usr/lib/debug)"
linked self 'mini\0\0\0\0abcd'
gen 1 self/mini
says "warning: $here/self/mini: a debug file that is not of this program: it is the program itself"
for link in '../mini.debug\0\0\0abcd' '..\0\0abcd' 'mini.debug' 'mini.debug\0\0ab' '\0\0\0\0abcd'; do
    linked hostile "$link"
    gen 1 hostile/mini
    says "warning: .gnu_debuglink: a debug file that is not of this program: the link is damaged, or not the name of a \
file alone: it is not followed"
done

# A file of dwz that is missing, or not the right one.
printf 'common\0abcdefgh' >link
objcopy --add-section=.gnu_debugaltlink=link whole alternate
gen 0 alternate
says "warning: common: not supported: dwz has moved a part of the debug information to this file, which was not found \
(build id 6162636465666768); --debug-dir=DIR is searched for it"
cp another common
gen 0 alternate
says "warning: $here/common: a debug file that is not of this program: its build id is $other, not 6162636465666768"
gen 0 alternate --debug-dir=ids --quiet
is "quiet" "$(cat "$err")" ""

# Version 2 has no lists of ranges: its units do not say where the functions of other sections are.
sed 's/^int leaf/__attribute__((section(".other"))) &/' mini.c >mini2.c
if "$cc" -O0 -g -gdwarf-2 -gstrict-dwarf -fno-pie -no-pie -nostdlib -static -fcf-protection=none -e main mini2.c \
    -o second; then
    text second >text
    gen 0 second
    is "version 2" "$(grep -c leaf out)" 1
    text whole >text
fi

# Split DWARF: of two units one is found, then none.
mkdir split && (cd split && cp ../mini.c . && echo 'int other(int x) { return x * 3; }' >other.c &&
    "$cc" -O0 -g -gsplit-dwarf -c other.c && make_program mixed -g other.o && make_program whole -g -gsplit-dwarf) &&
    [ -n "$(ls split/*.dwo)" ] && {
    gen 0 split/whole --report=report
    is "split" "$(grep units_missing report)" '  "units_missing": 0,'
    rm split/*.dwo
    text split/mixed >text
    gen 0 split/mixed --report=report
    matches "^warning: .*[.]dwo: not supported: split debug information was not found: lines and inlined functions are \
not known \(units without it: 1\); --dwp names its package$"
    is "split" "$(grep units_missing report)" '  "units_missing": 1,'
    text split/whole >text
    gen 1 split/whole
    says "error: split/whole: no samples of this program: no sample is in a function that is known, since split debug \
information was not found: --dwp names its package"
    gone out
    gen 1 split/whole --dwp=absent
    says "error: absent: No such file or directory"
    gen 1 split/whole --dwp=split
    says "error: split: not supported: it is no regular file"
    gen 1 split/whole --dwp=text
    matches "^error: text: The file was not recognized as a valid object file"
    gen 1 split/whole --dwp=whole
    says "error: whole: not supported: it has no split debug information"
}
# Tables of lines that are missing, or damaged.
objcopy -R .debug_line whole no_lines
gen 0 no_lines --ignore-build-id --report=report
says "warning: no_lines: not supported: tables of lines (.debug_line) that are damaged or missing: 1; the lines of \
their code are not known"
is "tables" "$(grep tables_damaged report)" '  "tables_damaged": 1'
gen 0 whole --ignore-build-id --report=report
is "tables" "$(grep tables_damaged report)" '  "tables_damaged": 0'

# A debug file in the place of the program.
gen 1 mini.debug
says "error: mini.debug: not supported: the file has debug information, but not the code: it is not the program that \
ran"
finish
