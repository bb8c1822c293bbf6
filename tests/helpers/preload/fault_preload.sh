#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fault_preload.sh LIBRARY VICTIM: does the library do what its first comment says?
set -euo pipefail
library=$1 victim=$2
dir=$(mktemp -d "${TMPDIR:-/tmp}/anyprof-test-XXXXXX")
trap 'rm -rf "$dir"' EXIT
printf 'some bytes' >"$dir/from"
broken=0

expect() { # expect WHAT WANT GOT
    [ "$2" = "$3" ] || { printf '%s:\n  want %s\n  got  %s\n' "$1" "$2" "$3"; broken=1; }
}

what=some
run() { # run VARIABLE=VALUE...
    rm -f "$dir/to" "$dir/to.link" "$dir/renamed" "$dir/report"
    env LD_PRELOAD="$library" FAULT_REPORT="$dir/report" "$@" \
        "$victim" "$dir/from" "$dir/to" "$dir/renamed" "$what" >"$dir/out" 2>&1 || return
    cat "$dir/out"
}

# The report, without the functions that were not called.
report() {
    { head -n 2 "$dir/report"; tail -n +3 "$dir/report" | grep -v ' 0$'; } | tr '\n' ' '
}

all=' malloc=ok calloc=ok realloc=ok open=ok read=ok close=ok open=ok write=ok ftruncate=ok fsync=ok close=ok'
all+=' rename=ok unlink=ok'
each='malloc 1 calloc 1 realloc 1 open 2 read 1 write 1 close 2 rename 1 unlink 1 fsync 1 ftruncate 1 '
expect 'nothing chosen' "$all" "$(run)"
expect 'its report' "calls 0 failed 0 $each" "$(report)"
expect 'the file' 'some bytes' "$(cat "$dir/renamed")"
expect 'its mode' 640 "$(umask 0; run >/dev/null; stat -c %a "$dir/renamed")"
expect 'only counted' "$all" "$(run FAULT_CALL=memory,write)"
expect 'its report' "calls 4 failed 0 $each" "$(report)"

while read -r call k changed; do
    want=${all/ ${changed%=*}=ok/ $changed}
    expect "$call $k" "$want" "$(run FAULT_CALL="$call" FAULT_AT="$k")"
    expect "the failures of $call $k" "failed 1" "$(sed -n 2p "$dir/report")"
done <<'END'
malloc 1 malloc=ENOMEM
calloc 1 calloc=ENOMEM
realloc 1 realloc=ENOMEM
memory 2 calloc=ENOMEM
memory 3 realloc=ENOMEM
close 1 close=EIO
write 1 write=ENOSPC
rename 1 rename=EIO
unlink 1 unlink=EACCES
fsync 1 fsync=EIO
ftruncate 1 ftruncate=EIO
read,write 2 write=ENOSPC
END

expect 'the second close' "${all% close=ok*} close=EIO rename=ok unlink=ok" "$(run FAULT_CALL=close FAULT_AT=2)"
expect 'beyond the last' "$all" "$(run FAULT_CALL=close FAULT_AT=3)"
expect 'its report' "calls 2 failed 0 $each" "$(report)"
expect 'from the first on' "${all//close=ok/close=EIO}" "$(run FAULT_CALL=close FAULT_AT=1+)"
expect 'its report' "calls 2 failed 2 $each" "$(report)"
expect 'another error' "${all/close=ok/close=EINTR}" "$(run FAULT_CALL=close FAULT_AT=1 FAULT_ERRNO=4)"
got=$(run FAULT_CALL=open FAULT_AT=2)
case $got in
*' open=ok '*' open=EMFILE '*) ;;
*) expect 'the second open' 'open=EMFILE' "$got" ;;
esac
expect 'no file was made' no "$([ -e "$dir/to" ] || [ -e "$dir/renamed" ] && echo yes || echo no)"

# The end of the process at each call: open read close open write ftruncate fsync close rename unlink.
killed() { # killed K HOW: the status, and what is in the files then
    local status=0
    run FAULT_CALL=changes FAULT_AT="$1" FAULT_KILL="$2" >/dev/null 2>&1 || status=$?
    printf '%s:%s:%s' $status "$(cat "$dir/to" 2>/dev/null)" "$(cat "$dir/renamed" 2>/dev/null)"
}
expect 'killed before the second open' 137:: "$(killed 4 before)"
expect 'killed before the write' 137:: "$(killed 5 before)"
expect 'killed in the write' '137:some :' "$(killed 5 half)"
expect 'killed after the write' '137:some bytes:' "$(killed 6 half)"
expect 'killed before the renaming' '137:some bytes:' "$(killed 9 before)"
expect 'killed after the renaming' '137::some bytes' "$(killed 10 before)"
expect 'not killed' '0::some bytes' "$(killed 11 before)"

run FAULT_CALL=changes FAULT_LOG="$dir/log" >/dev/null
want="open $dir/to fsync $dir/to rename $dir/to $dir/renamed unlink $dir/to.link "
expect 'the log' "$want" "$(tr '
' ' ' <"$dir/log")"

# The others. The C library's own use of memory in them is seen, and not counted here.
what=all
all+=' stat=ok lstat=ok fstat=ok access=ok readlink=ok fchmod=ok opendir=ok readdir=ok'
all+=' fopen=ok fread=ok fflush=ok fclose=ok thread=ok'
expect 'nothing chosen' "$all" "$(run)"
while read -r call k changed; do
    expect "$call $k" "${all/ ${changed%=*}=ok/ $changed}" "$(run FAULT_CALL="$call" FAULT_AT="$k")"
    expect "the failures of $call $k" "failed 1" "$(sed -n 2p "$dir/report")"
done <<'END'
stat 1 stat=EIO
lstat 1 lstat=EIO
fstat 1 fstat=EIO
access 1 access=EIO
readlink 1 readlink=EIO
fchmod 1 fchmod=EIO
readdir 1 readdir=EIO
fread 1 fread=EIO
fflush 1 fflush=ENOSPC
streams 2 fread=EIO
fclose 1 fclose=EIO
thread 1 thread=EAGAIN
files 3 close=EIO
stat,files 11 stat=EIO
END
expect 'opendir' "${all/opendir=ok readdir=ok/opendir=EMFILE readdir=EMFILE}" "$(run FAULT_CALL=opendir FAULT_AT=1)"
expect 'fopen' "${all/fopen=ok fread=ok fflush=ok fclose=ok/fopen=EMFILE}" "$(run FAULT_CALL=fopen FAULT_AT=1)"

for bad in FAULT_KILL=never FAULT_CALL=wrote FAULT_AT=1 'FAULT_CALL=read FAULT_AT=0' 'FAULT_CALL=read FAULT_AT=x'; do
    status=0
    # shellcheck disable=SC2086 # several settings in one word
    run $bad >/dev/null || status=$?
    expect "$bad" 125 "$status"
done
exit "$broken"
