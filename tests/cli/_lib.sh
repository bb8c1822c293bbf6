# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the tests of the command share. Exit 0 = passed, 1 = failed, 77 = not possible here.
set -uo pipefail
export LC_ALL=C
unset NO_COLOR

source_dir=${ANYPROF_SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
anyprof=${ANYPROF:-$source_dir/build/anyprof}
# shellcheck disable=SC2034  # for the scripts that read these
corpus=${ANYPROF_CORPUS:-$source_dir/../shared/corpus}
# shellcheck disable=SC2034
profiles=$source_dir/examples/profiles
tmp=$(mktemp -d) || exit 1
checks=0
failures=0
# Of what run has run last.
out=$tmp/.out
err=$tmp/.err
code=0

clean_up() {
    chmod -R u+rwX "$tmp" 2>/dev/null
    rm -rf "$tmp"
}
trap clean_up EXIT

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

[ -x "$anyprof" ] || skip "no command at $anyprof"
cd "$tmp" || exit 1

# run ARGUMENT...: anyprof with them; standard input is empty unless it is redirected to.
run() {
    if [ -t 0 ]; then
        timeout 120 "$anyprof" "$@" >"$out" 2>"$err" </dev/null
    else
        timeout 120 "$anyprof" "$@" >"$out" 2>"$err"
    fi
    code=$?
    case $code in
    124 | 13[0-9] | 14[0-9]) bad "anyprof $* ended with $code" ;;
    esac
    if grep -qE 'Sanitizer|runtime error: ' "$err"; then bad "a sanitizer found something: anyprof $*"; fi
}

bad() {
    failures=$((failures + 1))
    printf 'FAILED (line %s): %s\n' "${BASH_LINENO[1]}" "$*"
    sed 's/^/    out: /' "$out" | head -n 20
    sed 's/^/    err: /' "$err" | head -n 20
}

good() {
    checks=$((checks + 1))
}

# ends CODE ARGUMENT...: runs it and checks the exit code.
ends() {
    local want=$1
    shift
    run "$@"
    if [ "$code" = "$want" ]; then good; else bad "exit code $code, not $want: anyprof $*"; fi
}

# says TEXT: the last run printed this line on standard error (a whole line, fixed text), or each of these lines.
says() {
    local line
    while IFS= read -r line; do
        if grep -qxF -- "$line" "$err"; then good; else bad "did not say: $line"; fi
    done <<<"$1"
}

# hints TEXT: the last run printed this text somewhere on standard error.
hints() {
    if grep -qF -- "$1" "$err"; then good; else bad "did not mention: $1"; fi
}

# silent: the last run printed nothing on standard error.
silent() {
    if [ -s "$err" ]; then bad "said something"; else good; fi
}

# prints TEXT: the last run printed this text on standard output.
prints() {
    local line
    while IFS= read -r line; do
        if grep -qF -- "$line" "$out"; then good; else bad "did not print: $line"; fi
    done <<<"$1"
}

# has EXPRESSION: it is true, for jq, of the document that the last run printed.
has() {
    if jq -e "$1" "$out" >/dev/null 2>&1; then good; else bad "not true: $1"; fi
}

# is WHAT A B: two texts are the same.
is() {
    if [ "$2" = "$3" ]; then good; else bad "$1: '$2', not '$3'"; fi
}

# same FILE FILE: two files are the same.
same() {
    if cmp -s "$1" "$2"; then good; else bad "$1 and $2 differ"; fi
}

there() {
    if [ -s "$1" ]; then good; else bad "$1 is not there"; fi
}

gone() {
    if [ -e "$1" ]; then bad "$1 is there"; else good; fi
}

# No temporary file and no journal was left behind in a directory.
no_leftovers() {
    local left
    left=$(find "${1:-.}" -name '.*.anyprof-*')
    is "leftovers" "$left" ""
}

# Permissions do not hold for root, so tests of permissions run their commands as the user nobody.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
    else
        "$@"
    fi
}

can_be_nobody() {
    chmod 755 "$tmp"
    if as_nobody test -x "$anyprof" 2>/dev/null && as_nobody test -x "$tmp"; then
        return 0
    fi
    printf 'skipped: cannot give up privileges, permissions are not tested\n'
    return 1
}

# profile NAME FUNCTION HASH COUNT...: a front-end text profile of one function.
profile() {
    local name=$1 function=$2 hash=$3
    shift 3
    {
        printf '%s\n%s\n%s\n' "$function" "$hash" $#
        printf '%s\n' "$@" ''
    } >"$name"
}

finish() {
    printf '%d checks, %d failures\n' "$checks" "$failures"
    [ "$failures" = 0 ] || exit 1
    exit 0
}
