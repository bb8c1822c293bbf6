#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# No source of src, cli or runtime uses a function or object of a source that uses it, directly or through others.
. "$(dirname "$0")/_lib.sh"

for tool in nm tsort; do
    command -v $tool >/dev/null || skip "no $tool"
done
mapfile -t commands < <(find "$build/CMakeFiles/anyprof.dir/cli" -name '*.o')
[ ${#commands[@]} -gt 0 ] || skip "no command in $build"
for lib in libanyprof.a libanyprof-elf.a libanyprof_rt.a; do
    [ -e "$build/$lib" ] || skip "no $lib in $build"
done

# uses DIRECTORY FILE...: "user used" for the sources of a directory, from its object files or archives.
uses() {
    nm -A "${@:2}" 2>/dev/null | awk -v directory="$1" 'NF > 2 {
        path = $1; sub(/:[0-9a-f]*$/, "", path); sub(/.*[\/:]/, "", path); sub(/\.c\.o$/, "", path)
        if ($(NF - 1) ~ /^[A-TV-Z]$/) definer[$NF] = path
        else if ($(NF - 1) ~ /^[Uvw]$/) { user[++n] = path; symbol[n] = $NF }
    } END {
        for (i = 1; i <= n; i++) {
            d = definer[symbol[i]]
            if (d && d != user[i]) print directory "/" user[i], directory "/" d
        }
    }' | sort -u
}

all=$(
    uses src "$build/libanyprof.a" "$build/libanyprof-elf.a"
    uses cli "${commands[@]}"
    uses runtime "$build/libanyprof_rt.a"
)
[ -n "$all" ] || skip "no symbols in the archives: they are of link-time optimization"
loops=$(tsort <<<"$all" 2>&1 >/dev/null) || fail "a circle: $(sed 's/^tsort: //; s/^-: .*//' <<<"$loops" | xargs)"
finish
