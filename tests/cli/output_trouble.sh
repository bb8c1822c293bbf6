#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Outputs of merge and show that cannot be written, or not to the end: the reason is said, the exit code is 1, the old
# file is as it was and nothing is left beside it.
. "$(dirname "$0")/_lib.sh"

seq 1 20000 | awk '{ print "f" $1; print $1; print 1; print $1; print "" }' >big.proftext
"$anyprof" merge big.proftext -o big.profdata || bad "the input"
forms=("merge --for=llvm-23 --binary big.proftext" "merge --text big.profdata"
    "show --all-functions --counts big.profdata"
    "show --all-functions --text big.profdata")

# trouble REASON PATH [COMMAND...]: what each form says of an output at PATH; COMMAND runs it.
trouble() {
    local reason=$1 path=$2
    shift 2
    for form in "${forms[@]}"; do
        # shellcheck disable=SC2086
        "$@" timeout 60 "$anyprof" $form -o "$path" >"$out" 2>"$err" </dev/null
        is "exit code of $form -o $path" $? 1
        says "error: $path: $reason"
        is "standard output of $form" "$(cat "$out")" ""
    done
}

# complete PATH FILE: every form writes PATH, and FILE is what was written.
complete() {
    for form in "${forms[@]}"; do
        rm -f want
        # shellcheck disable=SC2086
        "$anyprof" $form -o want 2>"$err" || bad "the reference of $form"
        # shellcheck disable=SC2086
        ends 0 $form -o "$1"
        silent
        [ -z "${2:-}" ] || same "$2" want
    done
}

# Places where there can be no file.
mkdir dir closed
ln -s nowhere/x dangling-into-nothing
ln -s loop loop
trouble "No such file or directory" none/x
trouble "No such file or directory" dangling-into-nothing
trouble "Not a directory" big.proftext/x
trouble "Is a directory" dir
trouble "Is a directory" .
trouble "Too many levels of symbolic links" loop
trouble "File name too long" "$(printf '%0300d' 0)"
gone nowhere
no_leftovers

# A link to nothing makes what it names; one to a file replaces that file.
ln -s new dangling
complete dangling new
test -L dangling || bad "the link was replaced"
complete dangling new
# A name as long as it can be.
long=$(printf '%0255d' 0)
complete "$long" "$long"
rm "$long"
no_leftovers

# The output is the input, by another name: LLVM's tool only knows the same one.
cp big.profdata x
ln -sf x link
for command in "show link" "lookup link f"; do
    # shellcheck disable=SC2086
    ends 2 $command -o x
    says "error: x: the output would replace an input"
    same x big.profdata
done

# What could not be made again is not replaced, as by `merge -o *.profraw`; an input is, whose counts are in the output.
cp "$profiles/clang-16-ir.profraw" raw
gzip -c raw >raw.gz
cp /bin/true program
printf 'PERFILE2' >recording
head -c 200 /dev/zero >>recording
for name in "raw raw profile" "raw.gz raw profile" "program program, or debug information" \
    "recording recording of perf"; do
    file=${name%% *}
    cp "$file" before
    for command in "merge profile" "convert output --to=json" "show output" "check output" \
        "report output --markdown"; do
        read -r command what options <<<"$command"
        ends 2 "$command" $options big.profdata -o "$file"
        says "error: $file: the $what would replace a ${name#* }; remove the file if that is meant"
        same "$file" before
    done
done
for command in "show output" "report output --markdown" "info output" "diff output big.profdata"; do
    read -r command what options <<<"$command"
    ends 2 "$command" $options want -o x
    says "error: x: the $what would replace a profile; remove the file if that is meant"
    same x big.profdata
done
for option in html report; do
    ends 2 merge raw --$option=x -o never
    hints " would replace a profile; remove the file if that is meant"
    gone never
done
cp raw again
ends 0 merge raw again -o again
ends 0 show again
cp raw again
"$anyprof" merge - -o again <again 2>"$err" || bad "standard input is no input"
ends 0 show again
ends 2 convert raw --csv -o x
says "error: x: the output would replace a profile; remove the file if that is meant"
truncate -s 20G again # no more than its beginning is read
ends 0 merge raw -o again
ends 2 merge raw -o raw.gz # no input
rm again

# Devices and pipes.
complete /dev/null
if test -c /dev/null; then good; else bad "/dev/null was replaced"; fi
[ ! -w /dev/full ] || trouble "No space left on device" /dev/full
mkfifo pipe
for form in "${forms[@]}"; do
    timeout 20 cat pipe >x &
    # shellcheck disable=SC2086
    ends 0 $form -o pipe
    wait
    # shellcheck disable=SC2086
    "$anyprof" $form -o want
    same x want
done
# The reader goes away: merge says so, also under the signal's default, which ends show without a word. What is written
# is more than a pipe holds.
for form in "${forms[@]:0:2}"; do
    timeout 20 head -c 10 pipe >x &
    # shellcheck disable=SC2086
    ends 1 $form -o pipe
    wait
    says "error: pipe: Broken pipe"
    # shellcheck disable=SC2086
    "$anyprof" $form 2>"$err" | head -c 10 >x
    is "exit code of $form without a reader" "${PIPESTATUS[0]}" 1
    says "error: standard output: Broken pipe"
done
# shellcheck disable=SC2086
"$anyprof" ${forms[2]} 2>"$err" | head -c 10 >x
is "exit code of show without a reader" "${PIPESTATUS[0]}" 141
silent
# Messages without a reader: the file is made all the same.
for i in $(seq 2000); do
    printf 'f%d\n%d\n2\n1\n1\n\n' "$i" "$i"
done >other.proftext
rm -f x
{
    sleep 0.2
    "$anyprof" merge big.proftext other.proftext -o x
    printf '%d\n' $? >code
} 2>&1 | true
is "exit code when the messages have no reader" "$(cat code)" 0
"$anyprof" merge big.proftext other.proftext -o want 2>"$err"
hints "function basic block count change detected"
same x want

# A limit on the size of files, with its signal's default and without: 64 KiB are not enough for any form.
profile old.proftext foo 10 1 2
old=$(md5sum <old.proftext)
cp old.proftext full
limited() {
    ulimit -f 64
    "$@"
}
unlimited_signal() {
    trap '' XFSZ
    limited "$@"
}
export -f limited unlimited_signal
for how in limited unlimited_signal; do
    trouble "File too large" full bash -c "$how"' "$@"' _
    is "the old file" "$(md5sum <full)" "$old"
    # shellcheck disable=SC2086
    bash -c "$how"' "$@"' _ "$anyprof" ${forms[0]} >x 2>"$err"
    is "exit code of standard output" $? 1
    says "error: standard output: File too large"
done
no_leftovers

# Where we may not write.
if can_be_nobody; then
    cp old.proftext closed/old
    chmod 666 closed/old
    chmod 555 closed
    for path in closed/new closed/old; do
        trouble "Permission denied" "$path" as_nobody
    done
    is "the old file" "$(md5sum <closed/old)" "$old"
    is "files" "$(ls closed)" "old"
fi

# A file system that is full, and one that is read-only, if we may mount one that no other process sees.
how=(unshare --mount)
[ "$(id -u)" = 0 ] || how=(unshare --map-root-user --mount)
mkdir mounted
if "${how[@]}" mount -t tmpfs none mounted 2>/dev/null; then
    export forms_text
    forms_text=$(printf '%s\n' "${forms[@]}")
    # shellcheck disable=SC2016
    "${how[@]}" bash -c '
        mount -t tmpfs -o size=64k none mounted || exit 1
        cp old.proftext mounted/old && head -c 30000 /dev/zero >mounted/rest || exit 1
        mapfile -t forms <<<"$forms_text"
        for form in "${forms[@]}"; do
            "$1" $form -o mounted/old; printf "full %d\n" $?
            "$1" $form -o mounted/new; printf "full %d\n" $?
        done
        md5sum <mounted/old
        ls mounted
        mount -o remount,ro mounted || exit 1
        for form in "${forms[@]}"; do
            "$1" $form -o mounted/old; printf "read-only %d\n" $?
            "$1" $form -o mounted/new; printf "read-only %d\n" $?
        done
        ls mounted
    ' _ "$anyprof" >"$out" 2>"$err"
    is "mounting" $? 0
    codes=$(sort "$out" | uniq -c | grep -E 'full|only' | tr -s ' ' | tr '\n' ';')
    is "exit codes" "$codes" " 8 full 1; 8 read-only 1;"
    is "the old file" "$(grep -c "^$old$" "$out")" 1
    is "files" "$(grep -cE '^(old|rest)$' "$out") $(grep -vcE '^(old|rest|full.*|read-only.*)$' "$out")" "4 1"
    for path in old new; do
        is "full" "$(grep -cxF "error: mounted/$path: No space left on device" "$err")" 4
        is "read-only" "$(grep -cxF "error: mounted/$path: Read-only file system" "$err")" 4
    done
else
    printf 'skipped: cannot mount, full and read-only file systems are not tested\n'
fi
# Errors end with the next step, unless the message is one.
profile good.proftext f 1 2 3
mkdir -p directory
ends 1 merge -o missing/x good.proftext
says "note: the directory of the output does not exist: create it first"
ends 1 merge -o directory good.proftext
says "note: give the name of a file in this directory"
ends 1 show directory
says "note: merge, bolt merge, info, check, report and cov --profile take directories; perf info, profgen --perfdata \
and bolt convert -p take those that perf record --threads wrote"
ends 0 merge --text -o x.proftext good.proftext
ends 0 merge -o x.profdata good.proftext
ends 1 probes list x.profdata
says "note: x.profdata is an indexed instrumentation profile: give a program, a shared library or an object file"
ends 1 bat dump x.profdata
says "note: x.profdata is an indexed instrumentation profile: give a program that BOLT wrote, or a section \
.note.bolt_bat"
printf '<!DOCTYPE html>\n\n<html><body>Sign in</body></html>\n' >page.profraw
ends 1 merge -o never page.profraw
if grep -q salvage "$err"; then bad "advice that does not help"; else good; fi
finish
