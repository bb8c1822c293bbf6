#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Where the output of a merge goes: files, links, standard output, pipes, devices; and what is left when that fails.
. "$(dirname "$0")/_lib.sh"

profile a.proftext foo 10 1 2
profile b.proftext foo 10 100 200
"$anyprof" merge a.proftext b.proftext -o want.profdata || bad "the reference"
"$anyprof" merge --text a.proftext b.proftext -o want.proftext || bad "the reference"

# is_still L|p|c FILE: a link, pipe or device was not replaced.
is_still() {
    if test "-$1" "$2"; then good; else bad "$2 was replaced"; fi
}

# Names of the option, and the last one wins.
for option in "-o x" "-o=x" "--o=x" "-output x" "--output=x" "--output never -o x"; do
    rm -f x
    # shellcheck disable=SC2086
    ends 0 merge --for=llvm-23 a.proftext b.proftext $option
    same x want.profdata
    silent
done
gone never

# Standard output, redirected and piped; text and binary.
ends 0 merge a.proftext b.proftext
same "$out" want.profdata
ends 0 merge a.proftext b.proftext -o - --text
same "$out" want.proftext
"$anyprof" merge a.proftext b.proftext | cat >x
is "exit codes of a pipe" "${PIPESTATUS[*]}" "0 0"
same x want.profdata

# The output is one of the inputs.
cp a.proftext x
ends 0 merge x b.proftext -o x
same x want.profdata
cp a.proftext x
ends 0 merge --text b.proftext x -o x
same x want.proftext
cp a.proftext x
cp b.proftext y
ln -sf x link
ends 0 merge link y -o x
same x want.profdata
is_still L link

# Links are followed, modes kept.
: >x
chmod 640 x
ends 0 merge a.proftext b.proftext -o link
same x want.profdata
is_still L link
is "mode" "$(stat -c %a x)" 640
ln -s new dangling
ends 0 merge a.proftext b.proftext -o dangling
same new want.profdata

# Devices and pipes.
ends 0 merge a.proftext b.proftext -o /dev/null
is_still c /dev/null
mkfifo pipe
timeout 20 cat pipe >x &
ends 0 merge a.proftext b.proftext -o pipe
wait
same x want.profdata
is_still p pipe
ends 0 merge a.proftext b.proftext -o /dev/stdout
same "$out" want.profdata

if [ -w /dev/full ]; then
    for format in --binary --text; do
        ends 1 merge $format a.proftext -o /dev/full
        says "error: /dev/full: No space left on device"
        "$anyprof" merge $format a.proftext >/dev/full 2>"$err"
        is "exit code on a full disk" $? 1
        says "error: standard output: No space left on device"
    done
fi
"$anyprof" merge a.proftext >&- 2>"$err"
is "exit code without standard output" $? 1
says "error: standard output: Bad file descriptor"

# A file that cannot be made; a file that was there stays as it was.
for place in none/x a.proftext/x; do
    ends 1 merge a.proftext -o="$place"
    hints "error: "
done
ends 1 merge a.proftext -o none/x
says "error: none/x: No such file or directory"
mkdir dir
ends 1 merge a.proftext -o dir
says "error: dir: Is a directory"
# Places where we may not write: no change, and no leftover.
# denied FILE: exit code 1 and the reason.
denied() {
    as_nobody "$anyprof" merge a.proftext -o "$1" 2>"$err" >"$out"
    is "exit code for $1" $? 1
    says "error: $1: Permission denied"
}
if can_be_nobody; then
    mkdir closed open
    chmod 777 open
    cp b.proftext closed/old
    cp b.proftext open/old
    chmod 666 closed/old
    chmod 444 open/old
    chmod 555 closed
    denied closed/new
    gone closed/new
    denied closed/old
    same closed/old b.proftext
    denied open/old
    same open/old b.proftext
    no_leftovers closed
    no_leftovers open
fi
# A limit on the size of files stands for a full disk.
seq 1 20000 | awk '{ print "f" $1; print $1; print 1; print $1; print "" }' >big.proftext
cp want.profdata x
for format in --binary --text; do
    (trap '' XFSZ && ulimit -f 64 && exec timeout 60 "$anyprof" merge $format big.proftext -o x 2>"$err")
    is "exit code at a size limit" $? 1
    says "error: x: File too large"
    same x want.profdata
done
# Bad inputs leave it as it was, too.
printf 'foo\nx\n' >bad.proftext
ends 1 merge bad.proftext a.proftext -o x
same x want.profdata
no_leftovers
no_leftovers dir

# A terminal gets text only.
if command -v script >/dev/null; then
    # shellcheck disable=SC2016
    ANYPROF=$anyprof script -qec '"$ANYPROF" merge a.proftext; echo "code $?"' /dev/null >typescript </dev/null
    tr -d '\r' <typescript >"$err"
    hints "cannot write a non-text format profile to the terminal"
    hints "code 2"
    ANYPROF=$anyprof script -qec '"$ANYPROF" merge -o /dev/tty a.proftext; echo "code $?"' /dev/null \
        >typescript </dev/null
    tr -d '\r' <typescript >"$err"
    hints "cannot write a non-text format profile to the terminal"
    ANYPROF=$anyprof script -qec '"$ANYPROF" merge --text a.proftext; echo "code $?"' /dev/null \
        >typescript </dev/null
    tr -d '\r' <typescript >"$err"
    says "# Func Hash:"
    says "code 0"
else
    printf 'skipped: no script(1), terminals are not tested\n'
fi
# -v: one line about what was merged into what.
profile v1.proftext f 1 2 3
profile v2.proftext g 1 2 3
ends 0 merge -v --for=llvm-22 -o v.profdata v1.proftext v2.proftext
says "note: merged 2 inputs into v.profdata: indexed version 13, 2 functions"
ends 0 merge --verbose --text -o v.out v1.proftext
says "note: merged v1.proftext into v.out: text, 1 function"
finish
