#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A build for instrumentation profiles alone, -DANYPROF_ELF=OFF, needs zlib, libdeflate, zstd, libmd, xxhash and
# libiberty (to build the command) and nothing else, and builds no tests. Its command does with such profiles what that
# of the whole build does, offers nothing else, and names what it lacks.
. "$(dirname "$0")/_lib.sh"

command -v cmake >/dev/null || skip "no cmake"
[ -x "$build/anyprof" ] || skip "no command in $build"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A required package that is disabled is an error.
without=()
for package in LibElf LibDw Capstone LibYaml; do
    without+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=TRUE")
done
{ cmake -S . -B "$tmp/b" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="${ANYPROF_CC:-cc}" -DANYPROF_ELF=OFF \
    -DANYPROF_WERROR=ON -DANYPROF_LLVM_NAMES=ON "${without[@]}" && cmake --build "$tmp/b" -j 2; } >"$tmp/log" 2>&1 ||
    fail "the build: $(tail -n 20 "$tmp/log")"
cmake --install "$tmp/b" --prefix "$tmp/usr" >"$tmp/log" 2>&1 || fail "install: $(tail -n 20 "$tmp/log")"
alone=$tmp/usr/bin/anyprof
[ -x "$alone" ] || { fail "no command"; finish; }
grep -E '^(CMOCKA|JANSSON)' "$tmp/b/CMakeCache.txt" && fail "a plain build looks for what only tests need"
find "$tmp/b" -name 'unit_*' -o -name 'fuzz_*' -o -name 'test_*' | grep . && fail "a plain build builds tests"
if command -v readelf >/dev/null; then
    readelf -d "$alone" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(libz|libdeflate|libzstd|libmd|libc|ld-linux.*)\.so' && fail "the command needs these libraries, too"
fi

# same ARGUMENT...: both commands do the same. OUT stands for an output.
same() {
    local code=0 other=0
    "$build/anyprof" "${@/OUT/$tmp/whole}" >"$tmp/out" 2>"$tmp/err" || code=$?
    "$alone" "${@/OUT/$tmp/alone}" >"$tmp/out2" 2>"$tmp/err2" || other=$?
    sed -i "s|$tmp/whole|OUT|g" "$tmp/out" "$tmp/err"
    sed -i "s|$tmp/alone|OUT|g" "$tmp/out2" "$tmp/err2"
    [ "$code" = "$other" ] && cmp -s "$tmp/out" "$tmp/out2" && cmp -s "$tmp/err" "$tmp/err2" ||
        fail "$*: exit code $other, not $code, or another output: $(head -n 5 "$tmp/out2" "$tmp/err2")"
    [ ! -e "$tmp/whole" ] || cmp "$tmp/whole" "$tmp/alone" || fail "$*: another result"
    [ ! -e "$tmp/whole" ] || mv "$tmp/whole" "$tmp/last"
}

old=examples/profiles/clang-13-ir.profraw new=examples/profiles/clang-22-ir.profraw
same merge -o OUT examples/profiles/*.profraw
cp "$tmp/last" "$tmp/all.profdata"
same merge --text -o OUT --report="$tmp/report" $old $new
same show --all-functions --counts --ic-targets "$tmp/all.profdata"
same overlap $old $new
same order "$tmp/all.profdata"
same diff --json $old $new
same convert --to=json -o OUT "$tmp/all.profdata"
cp "$tmp/last" "$tmp/all.json"
same convert --to=text -o OUT "$tmp/all.json"
same lookup "$tmp/all.profdata" main
same show --all-functions --demangle "$tmp/all.profdata"
same info $old "$tmp/all.profdata" "$tmp/all.json"
same check $old $new
head -c 700 $new >"$tmp/cut.profraw"
same merge -o OUT --salvage "$tmp/cut.profraw" $old

# refuses CODE WORDS ARGUMENT...: ends with this code, and says how to build what is missing.
refuses() {
    local code=0
    "$alone" "${@:3}" >"$tmp/out" 2>&1 || code=$?
    [ "$code" = "$1" ] && grep -qF -- "$2" "$tmp/out" && grep -q 'build it with -DANYPROF_ELF=ON' "$tmp/out" ||
        fail "${*:3}: exit code $code: $(cat "$tmp/out")"
}
refuses 2 "'probes list' is not" probes list "$alone"
refuses 2 "'bat' is not" bat
refuses 2 "'bolt merge' is not" help bolt merge
refuses 2 "--debug-info is not" merge --debug-info="$alone" -o "$tmp/no" $old
refuses 2 "--debug-info is not" show --debug-info="$alone"
refuses 2 "--against is not" check --against="$alone" $old
refuses 1 "built for instrumentation profiles alone" info "$alone"
printf -- '---\nHeapProfileRecords:\n  - GUID: 1\n' >"$tmp/memory.yaml"
refuses 1 "built without libyaml" show --memory "$tmp/memory.yaml"
said=$("$alone" show "$alone" 2>&1 || true)
[[ $said = *'is an ELF file: if it is an instrumented program, run it'* ]] || fail "a program as a profile: $said"
for page in '' merge show check convert lookup diff; do
    # shellcheck disable=SC2086  # no word is the overview
    ! "$alone" help $page | grep -E '^ +(probes|bat|bolt|--debug-info|--binary-file|--against|--correlate)\>' ||
        fail "help $page offers what this build lacks"
done

# What is installed offers nothing else, either.
share=$tmp/usr/share
for file in bash-completion/completions/anyprof:anyprof.bash zsh/site-functions/_anyprof:_anyprof \
    fish/vendor_completions.d/anyprof.fish:anyprof.fish; do
    cmp -s "cli/completions/without_elf/${file#*:}" "$share/${file%:*}" || fail "${file#*:} is not installed"
done
grep -lE 'against|debug-info|pseudo' cli/completions/without_elf/* && fail "completions offer what this build lacks"
[ -e "$share/man/man1/anyprof-merge.1" ] || fail "no man page of merge"
find "$tmp/usr" -name 'anyprof-b*.1' -o -name 'anyprof-probes.1' -o -name llvm-bat-dump -o -name merge-fdata \
    -o -name llvm-profgen | grep . &&
    fail "installed, though this build lacks it"
[ -L "$tmp/usr/bin/llvm-profdata" ] || fail "no llvm-profdata"
finish
