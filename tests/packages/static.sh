#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The static command, from the tarball that cpack makes: it needs nothing of the system that it runs on, not even a
# directory, and does what the command of the release build does. The tarball is the same each time, and has the
# licences of what is in the command. If there are a cross compiler and qemu, the tarball for aarch64 is made and tried,
# too.
. "$(dirname "$0")/../rules/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build; the release build makes packages"
[ "$(uname -m)" = x86_64 ] || skip "written for x86-64"
for tool in cmake cpack ninja gcc readelf; do
    command -v $tool >/dev/null || skip "no $tool"
done
for library in dw capstone; do
    [[ $(gcc -print-file-name=lib$library.a) = */* ]] || skip "no static lib$library"
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export SOURCE_DATE_EPOCH=1700000000

make_tarball() { # make_tarball PRESET ARCHITECTURE OPTION...: sets $tarball, and $top, what it unpacks to
    local dir=$build/packages/$1
    { cmake --preset "$1" -B "$dir" -DANYPROF_WERROR=ON "${@:3}" && cmake --build "$dir" -j 2; } >"$tmp/log" 2>&1 || {
        fail "the build of $1: $(tail -n 20 "$tmp/log")"
        finish
    }
    ! grep -E 'statically linked applications requires' "$tmp/log" || fail "$1: it would load libraries"
    rm -f "$dir"/*.tar.gz
    (cd "$dir" && cpack) >"$tmp/log" 2>&1 || fail "cpack of $1: $(cat "$tmp/log")"
    tarball=$(echo "$dir"/anyprof-*-linux-"$2".tar.gz)
    [ -e "$tarball" ] || {
        fail "no tarball for $2 in $dir"
        finish
    }
    cp "$tarball" "$tmp/first.tar.gz"
    (cd "$dir" && cpack) >"$tmp/log" 2>&1
    cmp "$tmp/first.tar.gz" "$tarball" || fail "cpack of $1 makes another tarball the second time"
    mkdir "$tmp/$2"
    tar xzf "$tarball" -C "$tmp/$2"
    top=$(echo "$tmp/$2"/anyprof-*)
    ! readelf -lWd "$top/bin/anyprof" | grep -E 'INTERP|NEEDED' || fail "$2: the command is not static"
    for file in share/man/man1/anyprof-merge.1 share/man/man7/anyprof_rt.7 share/zsh/site-functions/_anyprof \
        share/bash-completion/completions/anyprof share/doc/anyprof/LICENSE lib/libanyprof_rt.a include/anyprof/rt.h \
        share/doc/anyprof/licences/README.md; do
        [ -s "$top/$file" ] || fail "$2: no $file in the tarball"
    done
    ! grep -rlF "$dir" "$top" || fail "$2: these files name the directory of the build"
    grep -q '^ExecStart=anyprof collect ' "$top/lib/systemd/system/anyprof-collect.service" ||
        fail "$2: the service does not look for the command"
    for library in zlib1g libdeflate libzstd libmd libxxhash libyaml libprotobuf-c libelf libdw libcapstone libc6 \
        libiberty node-d3 gcc-; do
        [ -n "$(find "$top/share/doc/anyprof/licences" -name "$library*.txt" -size +500c)" ] ||
            fail "$2: no licence of $library in the tarball"
    done
}

# --- x86-64 -------------------------------------------------------------------------------------------------------

make_tarball static x86_64
command=$top/bin/anyprof
# Tests of the command that preload no library.
for test in merge_inputs.sh merge_output.sh merge_options.sh merge_report.sh show.sh info.sh check.sh convert.sh \
    lookup.sh overlap.sh order.sh diff.sh compressed.sh salvage.sh kinds.sh sample_options.sh memprof.sh \
    bat.sh bolt_merge.sh probes.sh probes_asm.sh probes_disasm.sh profgen.sh profgen_debug.sh cov.py cov_users.py \
    perf_info.sh; do
    runner=bash
    [[ $test = *.sh ]] || runner=python3
    code=0
    ANYPROF=$command ANYPROF_SOURCE_DIR=$root $runner "$root/tests/cli/$test" >"$tmp/log" 2>&1 || code=$?
    [ $code = 0 ] || [ $code = 77 ] || fail "tests/cli/$test with the static command: $(tail -n 20 "$tmp/log")"
done

# Where the static command lacks a feature, a message names it.
printf 'main\n0\n1\n1\n' >"$tmp/a.proftext"
said=$("$command" merge -o "$tmp/never" --weighted-input="1,~no-such-user/a" 2>&1) && fail "a user that is not there"
grep -q "looks in /etc/passwd only, where there is no user 'no-such-user'" <<<"$said" || fail "users: $said"
home=$(awk -F: '$1 == "root" { print $6 }' /etc/passwd)
said=$("$command" merge -o "$tmp/never" --weighted-input="1,~root/no-such-profile" 2>&1) && fail "~root"
grep -q "^error: $home/no-such-profile: No such file" <<<"$said" || fail "~root: $said"

# --- a root directory with the command and its inputs alone: no libraries, no /etc, no /proc, no /tmp -------------

bare=$tmp/bare
emulator=() # what runs a command of another architecture there
in_bare() { # in_bare ARGUMENT...
    if [ "$(id -u)" = 0 ]; then
        env -i "$(PATH=$PATH:/usr/sbin command -v chroot)" "$bare" "${emulator[@]}" /anyprof "$@"
    else
        env -i "$(command -v unshare)" --map-root-user --root="$bare" "${emulator[@]}" /anyprof "$@"
    fi
}
same() { # same OUTPUT ARGUMENT...: both commands print the same and make the same file OUTPUT, or none (-)
    rm -f "$bare/$1" "$tmp/expected"
    in_bare "${@:2}" >"$tmp/out" 2>"$tmp/err" || fail "anyprof ${*:2} in an empty root: $(cat "$tmp/err")"
    [ "$1" = - ] || mv "$bare/$1" "$tmp/got"
    (cd "$bare" && "$build/anyprof" "${@:2}") >"$tmp/out2" 2>"$tmp/err2" || fail "anyprof ${*:2}: $(cat "$tmp/err2")"
    cmp "$tmp/out" "$tmp/out2" && cmp "$tmp/err" "$tmp/err2" || fail "anyprof ${*:2} prints something else"
    [ "$1" = - ] || cmp "$tmp/got" "$bare/$1" || fail "anyprof ${*:2} makes another file"
}

# What commands that read programs are tried on.
make_programs() {
    local clang start
    clang=$(command -v clang-22) || {
        printf 'note: no clang-22: cov, probes and profgen are not tried in an empty root\n'
        return 0
    }
    printf 'int f(int n)\n{\n    return n > 2 ? n : 0;\n}\nint main(void)\n{\n    return f(1);\n}\n' >"$bare/a.c"
    (cd "$bare" && "$clang" -O1 -g -fprofile-instr-generate -fcoverage-mapping -fcoverage-compilation-dir=. a.c \
        -o measured && LLVM_PROFILE_FILE=a.profraw ./measured) || fail "the program to measure"
    (cd "$bare" && "$clang" -O1 -g -fpseudo-probe-for-profiling -no-pie a.c -o probed) || fail "the probed program"
    start=$(nm "$bare/probed" | awk '$3 == "main" { print $1 }')
    readelf -lW "$bare/probed" | awk '/LOAD.* R E / {
        print "PERF_RECORD_MMAP2 1/1: [" $3 "(0x1000) @ " $2 " 08:01 1 1]: r-xp /x/probed" }' >"$bare/samples"
    printf ' %s  0x%s/0x%s/P/-/-/0 0x%s/0x%s/P/-/-/0\n' "$start" "$start" "$start" "$start" "$start" >>"$bare/samples"
}

try_in_bare() { # try_in_bare COMMAND
    local format profiles
    cp "$1" "$bare/anyprof"
    in_bare --version >"$tmp/log" 2>&1 || {
        printf 'note: no change of the root directory: %s\n' "$(head -n 1 "$tmp/log")"
        return 0
    }
    profiles=$(cd examples/profiles && echo clang-*-ir.profraw)
    # shellcheck disable=SC2086  # names of files without spaces
    same all.profdata merge -j 2 -o all.profdata $profiles
    same server.prof merge -o server.prof server-1.prof server-2.prof
    same - show --all-functions --counts --ic-targets all.profdata
    same - show --all-functions --demangle names.proftext
    grep -qxF '  a::f:' "$tmp/out" && grep -qxF '  n::f(int):' "$tmp/out" || fail "names: $(cat "$tmp/out")"
    same - info all.profdata server.prof
    same - check clang-22-fe.profraw
    same - report --markdown all.profdata
    same report.html report -o report.html all.profdata
    for format in indexed text json folded speedscope pprof csv; do
        same "all.$format" convert --to=$format -o "all.$format" all.profdata
    done
    for format in extbinary binary compbinary gcc text json folded speedscope pprof csv; do
        same "server.$format" convert --to=$format -o "server.$format" server.prof
    done
    [ -e "$bare/measured" ] || return 0
    same - cov export measured --profile=a.profraw
    same - cov report measured --profile=a.profraw
    same lines.html cov show measured --profile=a.profraw --format=html -o lines.html
    same - probes list probed
    same - probes disasm probed
    same samples.prof profgen --binary=probed --perfscript=samples --format=text -o samples.prof
}
mkdir "$bare"
cp examples/profiles/*.prof* "$bare"
printf '%s\n1\n1\n7\n\n' _ZN1n1fEi _RNvC1a1f >"$bare/names.proftext"
make_programs
try_in_bare "$command"

# --- aarch64 ------------------------------------------------------------------------------------------------------

if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    printf 'note: no cross compiler for aarch64, or no qemu-aarch64\n'
elif ! tests/cross/libraries.sh arm64 "$build/packages/arm64" >"$tmp/log" 2>&1; then
    printf 'note: no libraries for aarch64: %s\n' "$(tail -n 1 "$tmp/log")"
else
    make_tarball static-aarch64 aarch64 -DANYPROF_CROSS_ROOT="$build/packages/arm64"
    printf '#!/bin/sh\nexec qemu-aarch64 -L /nonexistent -0 "$0" %s "$@"\n' "$top/bin/anyprof" >"$tmp/anyprof"
    chmod +x "$tmp/anyprof"
    for test in merge_inputs.sh show.sh probes_disasm.sh profgen.sh convert.sh; do
        code=0
        ANYPROF=$tmp/anyprof ANYPROF_SOURCE_DIR=$root bash "$root/tests/cli/$test" >"$tmp/log" 2>&1 || code=$?
        [ $code = 0 ] || [ $code = 77 ] || fail "tests/cli/$test on aarch64: $(tail -n 20 "$tmp/log")"
    done
    # The emulator in an empty root: with its libraries in a directory of its own.
    mkdir "$bare/qemu"
    ldd "$(command -v qemu-aarch64)" | grep -oE '/[^ ]+' | while read -r library; do
        cp -L "$library" "$bare/qemu"
    done
    cp "$(command -v qemu-aarch64)" "$bare/qemu"
    emulator=("/qemu/$(basename "$(echo "$bare"/qemu/ld-*)")" --library-path /qemu /qemu/qemu-aarch64)
    try_in_bare "$top/bin/anyprof"
fi
finish
