#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Help and version go to standard output with exit code 0, and fail when that cannot be written.
. "$(dirname "$0")/_lib.sh"

probes=("probes desc" "probes list" "probes tree" "probes stats" "probes verify" "probes diff"
    "probes asm" "probes emit")
commands=(merge show help "bolt merge" "${probes[@]}")

for arguments in "help" "--help" "-help" "-h"; do
    # shellcheck disable=SC2086
    ends 0 $arguments
    silent
    prints "Usage: $(basename "$anyprof") COMMAND"
    for command in merge show probes bolt help; do
        prints "    $command "
    done
    if grep -q "probes list" "$out"; then bad "a command of a group is listed"; else good; fi
done

# A group of commands.
ends 0 help probes
cp "$out" group
prints "Usage: $(basename "$anyprof") probes COMMAND"
for command in desc list tree stats verify diff asm emit; do
    prints "    probes $command "
done
for option in --help -help -h --help-hidden; do
    ends 0 probes $option
    silent
    same "$out" group
done

# shellcheck disable=SC2086  # commands of two words
for command in "${commands[@]}"; do
    ends 0 help $command
    cp "$out" by-help
    prints "Usage: $(basename "$anyprof") $command"
    silent
    for option in --help -help -h --h; do
        ends 0 $command $option
        same "$out" by-help
    done
    # Help wins over what is wrong after it.
    ends 0 $command --help --bogus
    same "$out" by-help
done

# The manual page is named.
ends 0 help merge
prints "More: man anyprof-merge"
ends 0 help bat
prints "More: man anyprof-bat"
ends 0 help
prints "More: man anyprof"

# No line is wider than a terminal of 100 columns.
# shellcheck disable=SC2086
for command in "${commands[@]}" probes bolt; do
    ends 0 $command --help-hidden
    is "wide lines of $command" "$(awk 'length($0) > 100' "$out")" ""
done

ends 0 merge --help
prints "-o, --output=FILE"
prints "--max-loss=PCT"
prints "=warn"
if grep -q -- --write-prev-version "$out"; then bad "a hidden option is shown"; else good; fi
ends 0 merge --help-hidden
prints "--write-prev-version"
prints "--supplement-instr-with-sample"

# Every option that help names exists: what it says of a missing or a bad value shows that it was recognised.
# shellcheck disable=SC2086
for command in merge show "bolt merge" "${probes[@]}"; do
    run $command --help-hidden
    while read -r option; do
        run $command "--$option=@@"
        if grep -q "Unknown command line argument" "$err"; then bad "help names --$option"; else good; fi
    done < <(grep -oE -- '^ +(-., )?--[a-z0-9-]+' "$out" | sed 's/.*--//')
done

version=$(sed -nE 's/^#define APF_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' \
    "$source_dir/include/anyprof/anyprof.h" | paste -sd .)
for arguments in "--version" "-version" "version" "merge --version" "show --version"; do
    # shellcheck disable=SC2086
    ends 0 $arguments
    is "$arguments" "$(head -n 1 "$out")" "anyprof $version"
done

# What a report of a bug should have.
ends 0 --version
has_line() {
    if grep -qE -- "$1" "$out"; then good; else bad "--version has no line like $1"; fi
}
has_line '^  reads: raw profiles 1 to [0-9]+, indexed profiles 1 to [0-9]+, text, JSON$'
has_line '^  reads and writes sample profiles: of LLVM up to [0-9]+, of GCC up to [0-9]+, JSON$'
has_line '^  writes: indexed profiles 1 to [0-9]+, text, JSON, for LLVM up to [0-9]+$'
has_line '^  libraries: zlib [0-9.]+, libdeflate [0-9.]+, zstd [0-9.]+'
# Debian's packages are built without git, also in a checkout.
if ! grep -qs '^CMAKE_DISABLE_FIND_PACKAGE_Git:[A-Z]*=ON' "${ANYPROF_BUILD_DIR:-}/CMakeCache.txt" &&
    [ -e "$source_dir/.git" ] && revision=$(git -C "$source_dir" rev-parse --short=12 HEAD 2>"$err"); then
    has_line "^  revision: $revision\$"
fi

if [ -w /dev/full ]; then
    for arguments in "help" "--version" "help merge" "help --table"; do
        # shellcheck disable=SC2086
        "$anyprof" $arguments >/dev/full 2>"$err"
        is "exit code of $arguments to a full disk" $? 1
        says "error: standard output: No space left on device"
    done
fi
"$anyprof" --version >&- 2>"$err"
is "exit code without standard output" $? 1
says "error: standard output: Bad file descriptor"
finish
