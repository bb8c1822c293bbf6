#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Bad and empty inputs: who fails, who only warns, and at which share of losses.
. "$(dirname "$0")/_lib.sh"

profile good.proftext foo 10 1 2
printf 'f\nx\n1\n1\n' >bad.proftext
: >empty.profraw
text="malformed instrumentation profile data: function hash is not a valid integer"

# fails ARGUMENT...: exit code 1, no output file, and the verdict.
fails() {
    rm -f x
    ends 1 merge -o x "$@"
    hints "error: nothing is written: "
    gone x
}

# loses "N of ALL" ARGUMENT...: the same where something could be merged, and the share of losses is the reason.
loses() {
    local share=$1
    shift
    rm -f x
    ends 1 merge -o x "$@"
    says "error: more inputs are lost than --max-loss allows: $share"
    gone x
}

# works ARGUMENT...: exit code 0 and an output file.
works() {
    rm -f x
    ends 0 merge -o x "$@"
    there x
}

fails bad.proftext good.proftext
hints "warning: bad.proftext: $text"
remedy="note: --max-loss=PCT or --failure-mode=all merges the other inputs"
says "$remedy; --salvage also keeps the intact parts of damaged ones"
printf 'x' >rejected
fails good.proftext rejected --salvage
says "$remedy"
fails bad.proftext bad.proftext
if grep -q "^$remedy" "$err"; then bad "advice that does not help"; else good; fi
fails --failure-mode=any good.proftext bad.proftext
fails --failure-mode any good.proftext bad.proftext bad.proftext
is "warnings" "$(grep -c '^warning: bad.proftext: ' "$err")" 2
works --failure-mode=all good.proftext bad.proftext
hints "warning: bad.proftext: $text"
says "note: 1 of 2 inputs was rejected"
fails --failure-mode=all bad.proftext bad.proftext
works --failure-mode=warn good.proftext bad.proftext
works --failure-mode=warn bad.proftext bad.proftext
says "note: 2 of 2 inputs were rejected"
ends 0 show x
prints "Total functions: 0"
works --failure-mode=any --failure-mode=warn bad.proftext
says "note: the only input was rejected"
works --failure-mode=warn empty.profraw
says "note: the only input was empty"
fails --failure-mode=warn --failure-mode=any bad.proftext

# What is accepted does not depend on the bad ones.
works --for=llvm-23 good.proftext
silent
cp x want
works --failure-mode=warn bad.proftext good.proftext bad.proftext empty.profraw
same x want
says "note: 2 of 4 inputs were rejected, 1 was empty"

# Empty files are runs that did nothing.
works good.proftext empty.profraw
same x want
says "note: 1 of 2 inputs was empty"
fails empty.profraw
says "error: nothing is written: every input is empty"
fails empty.profraw empty.profraw --failure-mode=all
fails /dev/null
fails empty.profraw bad.proftext --failure-mode=all
works empty.profraw bad.proftext --failure-mode=warn

# Shares: the limit itself is allowed, and there is no rounding.
works --max-loss=50 good.proftext bad.proftext
loses "1 of 2" --max-loss=49 good.proftext bad.proftext
loses "1 of 2" --max-loss=49.999999 good.proftext bad.proftext
loses "1 of 2" --max-loss=0 good.proftext bad.proftext
works --max-loss=0 good.proftext
loses "1 of 3" --max-loss=33.333333 good.proftext good.proftext bad.proftext
says "note: nothing is written; --max-loss=34 accepts that"
works --max-loss=34 good.proftext good.proftext bad.proftext
works --max-loss=33.333334 good.proftext good.proftext bad.proftext
works --max-loss=33.4 good.proftext good.proftext bad.proftext
works --max-loss 66.7 good.proftext bad.proftext bad.proftext
loses "2 of 3" --max-loss 66.6 good.proftext bad.proftext bad.proftext
works --max-loss=100 good.proftext bad.proftext
works --max-loss=100 bad.proftext
fails --max-loss=99.999999 bad.proftext
for i in $(seq 199); do
    printf 'good.proftext\n'
done >list
works --max-loss=0.5 -f list bad.proftext
loses "1 of 200" --max-loss=0.499999 -f list bad.proftext
# Empty inputs are losses here.
loses "1 of 2" --max-loss=49 good.proftext empty.profraw
works --max-loss=50 good.proftext empty.profraw
loses "2 of 3" --max-loss=50 good.proftext empty.profraw bad.proftext
# The last one counts.
works --max-loss=0 --failure-mode=warn good.proftext bad.proftext
loses "1 of 2" --failure-mode=warn --max-loss=0 good.proftext bad.proftext
fails --max-loss=50 --failure-mode=any good.proftext bad.proftext
works --failure-mode=any --max-loss=50 good.proftext bad.proftext
works --max-loss=0 --failure-mode=any good.proftext empty.profraw

# Every mode with every mix: good, bad and empty inputs, and who accepts it.
while read -r files any all warn half; do
    inputs=()
    for ((i = 0; i < ${#files}; i++)); do
        case ${files:i:1} in
        g) inputs+=(good.proftext) ;;
        b) inputs+=(bad.proftext) ;;
        e) inputs+=(empty.profraw) ;;
        esac
    done
    for mode in any:$any all:$all warn:$warn; do
        ${mode#*:} --failure-mode="${mode%:*}" "${inputs[@]}"
    done
    case $half in
    loses:*) loses "${half:6:1} of ${half:7:1}" --max-loss=50 "${inputs[@]}" ;;
    *) $half --max-loss=50 "${inputs[@]}" ;;
    esac
    works --max-loss=100 "${inputs[@]}"
done <<'END'
g works works works works
gb fails works works works
gbb fails works works loses:23
ge works works works works
gee works works works loses:23
gbe fails works works loses:23
ggbe fails works works works
b fails fails works fails
bb fails fails works fails
e fails fails works fails
ee fails fails works fails
be fails fails works fails
END
# No files at all is a wrong command line, whatever may be lost.
for tolerance in --failure-mode=any --failure-mode=all --failure-mode=warn --max-loss=0 --max-loss=100; do
    ends 2 merge -o none $tolerance
    hints "merge: a FILE is required."
    gone none
done

# That all is lost may be tolerated; but nothing does not take the place of something, and not in silence.
for tolerance in --failure-mode=warn --max-loss=100 "--failure-mode=warn --quiet" "--sparse --max-loss=100 --quiet"; do
    for lost in bad.proftext empty.profraw "empty.profraw bad.proftext"; do
        cp want x
        # shellcheck disable=SC2086
        ends 0 merge -o x $tolerance $lost --report=r
        says "error: x: left as it was: no input can be merged"
        [ "$lost" = empty.profraw ] || hints "bad.proftext: $text"
        same x want
        is "verdict" "$(grep -c '"verdict": "not_written"' r)" 1
        # shellcheck disable=SC2086
        works $tolerance $lost
        : >x
        # shellcheck disable=SC2086
        ends 0 merge -o x $tolerance $lost
        there x
    done
done
cp want x
ln -s x link
ends 0 merge -o link --failure-mode=warn bad.proftext
says "error: link: left as it was: no input can be merged"
same x want
ends 0 merge --failure-mode=warn bad.proftext
there "$out"
ends 0 merge -o /dev/null --failure-mode=warn bad.proftext
ends 0 merge -o x --failure-mode=warn bad.proftext good.proftext

# Quiet: nothing but errors, and those with their reasons.
works --quiet --failure-mode=warn good.proftext bad.proftext empty.profraw
silent
fails --quiet good.proftext bad.proftext
hints "error: bad.proftext: $text"
is "errors only" "$(grep -vc '^error: ' "$err")" 0

# Every kind of bad file is named, with its own words.
head -c 100 "$profiles/clang-22-fe.profraw" >cut.profraw
printf '\xff\xff\xff\xff\xff\xff\xff\xff' >alien
fails cut.profraw alien good.proftext
hints "warning: cut.profraw: "
says "warning: alien: unrecognized instrumentation profile encoding format [magic at offset 0: found \
ff ff ff ff ff ff ff ff \"........\", expected ff 6c 70 72 6f 66 69 81 \".lprofi.\"]"

# Kinds that exclude each other: the heavier one stays, of equals always the same.
printf ':ir\nfoo\n1\n1\n1\n\n' >ir.proftext
printf ':fe\nfoo\n1\n1\n1\n\n' >fe.proftext
fails ir.proftext fe.proftext
hints "warning: fe.proftext: Merge IR generated profile with Clang generated profile."
fails fe.proftext ir.proftext
hints "warning: fe.proftext: Merge IR generated profile with Clang generated profile."
works --failure-mode=all ir.proftext fe.proftext
loses "1 of 2" --max-loss=49 ir.proftext fe.proftext

# Mismatches are warnings, at most ten lines of a kind, then a count.
for i in $(seq 1 25); do
    printf 'f%d\n1\n2\n1\n2\n\n' "$i"
done >two.proftext
for i in $(seq 1 25); do
    printf 'f%d\n1\n1\n1\n\n' "$i"
done >one.proftext
works two.proftext one.proftext two.proftext
is "mismatch lines" "$(grep -c '^warning: .*function basic block count change detected (counter mismatch)' "$err")" 10
hints "note: 15 more: function basic block count change detected (counter mismatch)"
hints "25 sets of counters"
hints "make sure that all inputs are of the same build"
works --quiet two.proftext one.proftext two.proftext
silent

# ---- files that are cut off ----

head -c 1000 "$profiles/clang-22-fe.profraw" >cut.profraw
ends 1 merge -o never cut.profraw good.proftext
hints "warning: cut.profraw: invalid instrumentation profile data (file header is corrupt): cut off at 1000 of at \
least 2184 bytes, unless the sizes in the header are wrong [raw.header."
says "error: nothing is written: 1 of 2 inputs is bad"
ends 1 merge -o never cut.profraw
says "error: nothing is written: the only input is bad"
says "note: --salvage keeps the intact parts of damaged inputs"
# Compressed files, too: what was unpacked before the damage is kept.
gzip -c "$profiles/clang-22-fe.profraw" >broken.gz
size=$(stat -c %s broken.gz)
printf '\377\377\377\377' | dd of=broken.gz bs=1 seek=$((size - 40)) conv=notrunc status=none
ends 1 merge -o never broken.gz
hints "warning: broken.gz: failed to unpack a compressed file: "
says "note: --salvage keeps the intact parts of damaged inputs"
ends 1 merge -o never broken.gz good.proftext
says "$remedy; --salvage also keeps the intact parts of damaged ones"
printf '\1\2\3\4\5\6\7\10' >other
ends 1 merge -o never other good.proftext
says "$remedy"
ends 1 merge -o never other
if grep -q salvage "$err"; then bad "advice that does not help"; else good; fi

# ---- unknown versions: LLVM's words, then ours ----

cp "$profiles/clang-22-fe.profraw" new.profraw
printf '\143' | dd of=new.profraw bs=1 seek=8 conv=notrunc status=none
version="raw profile version mismatch: Profile uses raw profile format version = 99; expected version = "
ends 1 merge -o never new.profraw
says "warning: new.profraw: ${version}11: update anyprof, or regenerate the profile [raw.header.version at offset 8]"
if tool=$(command -v llvm-profdata-22); then
    is "the words of llvm-profdata-22" "$("$tool" merge -o never new.profraw 2>&1 | head -n 1)" \
        "warning: new.profraw: ${version}10"
fi

# ---- files that are among profiles by accident ----

# told FILE TEXT: a merge of only this file fails, and says what it is.
told() {
    ends 1 merge -o never "$1"
    says "note: $1 is $2"
    gone never
}
printf '<!DOCTYPE html>\n\n<html><body>Sign in</body></html>\n' >page.profraw
told page.profraw "a web page: it is for browsers; servers send one instead of a file to ask for a password or to \
report an error"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n' >lfs.profraw
told lfs.profraw "a pointer of Git LFS: the file itself is on a server: 'git lfs pull' fetches it"
tar -cf tar.profraw lfs.profraw
told tar.profraw "a tar archive: extract the files in it, and give those"
printf 'PK\3\4........' >zip.profraw
told zip.profraw "a zip archive: extract the files in it, and give those"
printf 'adcg*22B\0\0\0\0' >app.gcda
told app.gcda "a file of GCC's coverage or profiling (.gcda): gcov and gcov-tool read it"
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\76\0%060d' 0 >core
told core "a core dump: a program crashed, and has written its memory there"
# Any text, and any JSON, might be a profile until it is read. That of other tools is named, too.
instead="it is no profile; give .profraw, .profdata or .proftext files instead"
printf 'int main(void)\n{\n    return 0;\n}\n' >main.profraw
told main.profraw "a text file: $instead"
if grep -q salvage "$err"; then bad "advice that does not help"; else good; fi
ends 1 show main.profraw
says "note: main.profraw is a text file: $instead"
printf '{"a": 1}\n' >a.json
told a.json "a JSON file: $instead"
# A profile in text with an error in its first lines is still one.
printf ':ir\nfoo\nx\n1\n1\n' >typo.proftext
ends 1 merge -o never typo.proftext
says "note: --salvage keeps the intact parts of damaged inputs"
if "$anyprof" help | grep -q '^    bolt '; then
    printf '1 main 4 1 main 8 0 3\n' >main.fdata
    told main.fdata "an fdata profile of BOLT: 'anyprof bolt merge' merges such profiles"
    # Other commands name those that show and compare what they read.
    shows="main.fdata is an fdata profile of BOLT: 'anyprof report' and 'anyprof convert --to=csv' show such profiles"
    compares="main.fdata is an fdata profile of BOLT: 'anyprof report PROFILE --against=OTHER' compares such profiles"
    for words in 'show main.fdata' 'lookup main.fdata main'; do
        # shellcheck disable=SC2086  # words
        ends 1 $words
        says "note: $shows"
    done
    ends 2 convert main.fdata -o never.profdata
    hints "a profile of BOLT is converted to folded, speedscope, pprof or csv; 'anyprof bolt merge' writes fdata"
    for words in 'diff' 'overlap'; do
        ends 1 $words main.fdata main.fdata
        says "note: $compares"
    done
    run bolt merge --html=x main.fdata
    hints "anyprof: 'report PROFILE -o FILE' makes a page about a profile"
    run diff --html=x main.fdata main.fdata
    hints "anyprof: 'report PROFILE --against=OTHER -o FILE' makes a page that compares two profiles"
    printf 'T 1 2 3 4\n' >main.preagg
    told main.preagg "a file of pre-aggregated samples for BOLT: 'anyprof bolt convert' makes a profile of it"
fi
finish
