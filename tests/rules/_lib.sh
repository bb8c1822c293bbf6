# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the rule scripts share: the tree, its files, one way to complain. Exit 0 = kept, 1 = broken, 77 = not checkable.
set -euo pipefail
export LC_ALL=C

root=${ANYPROF_SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
# shellcheck disable=SC2034  # for the scripts that read this
build=${ANYPROF_BUILD_DIR:-$root/build}
cd "$root"
broken=0

fail() {
    printf '%s\n' "$*"
    broken=1
}

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

finish() {
    exit "$broken"
}

# tree DIR... -- FIND-EXPRESSION: files under those directories that exist, never those of a build directory.
tree() {
    local dirs=()
    while [ "$1" != -- ]; do
        [ -e "$1" ] && dirs+=("$1")
        shift
    done
    shift
    [ ${#dirs[@]} -gt 0 ] || return 0
    find "${dirs[@]}" \( -name .git -o -name 'build*' -o -name CMakeFiles \) -type d -prune \
        -o -type f \( "$@" \) -print | sed 's|^\./||' | sort
}

# code FILE...: "file:line:text" with comments removed and the contents of strings and characters blanked.
code() {
    [ $# -gt 0 ] || return 0
    awk '
        FNR == 1 { comment = 0 }
        {
            out = ""; n = length($0); i = 1; quote = ""
            while (i <= n) {
                c = substr($0, i, 1); two = substr($0, i, 2)
                if (comment) {
                    if (two == "*/") { comment = 0; i += 2; out = out " " } else i++
                } else if (quote != "") {
                    if (c == "\\") i += 2
                    else { if (c == quote) { quote = ""; out = out c }; i++ }
                } else if (two == "/*") { comment = 1; i += 2 }
                else if (two == "//") break
                else { if ((c == "\"" || c == "\047") && $0 !~ /^[ ]*#[ ]*include/) quote = c; out = out c; i++ }
            }
            if (out ~ /[^ \t]/) print FILENAME ":" FNR ":" out
        }' "$@"
}
