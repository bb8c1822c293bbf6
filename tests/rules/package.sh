#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What gets installed is enough: a program is built against it through pkg-config and through the CMake package, with
# the shared and the static libraries, and the installed command runs.
. "$(dirname "$0")/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build: a program without its flags cannot link it"
[ -e "$build/libanyprof.so" ] || skip "no libraries in $build"
command -v pkg-config >/dev/null || skip "no pkg-config"
cc=${ANYPROF_CC:-cc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$build" --prefix "$tmp/usr" >"$tmp/log" 2>&1 || fail "install: $(cat "$tmp/log")"
version=$(sed -nE 's/.*define +APF_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' include/anyprof/anyprof.h | paste -sd.)

cat >"$tmp/user.c" <<'END'
#include <anyprof/anyprof.h>
#include <stdio.h>
int main(void)
{
    return puts(apf_version()) < 0;
}
END
say_version() { # say_version PROGRAM
    local said
    said=$(LD_LIBRARY_PATH=$lib "$1") || fail "$1 does not run"
    [ "$said" = "$version" ] || fail "$1 says version '$said', the header says '$version'"
}

pc=$(dirname "$(find "$tmp/usr" -name anyprof.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH=$pc
[ "$(pkg-config --modversion anyprof)" = "$version" ] || fail "pkg-config has another version"
for name in anyprof anyprof-elf; do
    [ -e "$pc/$name.pc" ] || continue
    # shellcheck disable=SC2046  # flags are words
    "$cc" "$tmp/user.c" -o "$tmp/$name" $(pkg-config --cflags --libs $name) || fail "$name.pc, shared"
    say_version "$tmp/$name"
    # shellcheck disable=SC2046
    "$cc" "$tmp/user.c" -o "$tmp/$name-s" $(pkg-config --cflags $name) "$lib/lib$name.a" \
        "$lib/libanyprof.a" $(pkg-config --static --libs-only-l --libs-only-other $name |
            sed -E 's/-lanyprof(-elf)?//g') || fail "$name.pc, static"
    say_version "$tmp/$name-s"
done

cat >"$tmp/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(anyprof REQUIRED)
foreach(name anyprof anyprof_static anyprof-elf anyprof-elf_static)
    if(TARGET anyprof::${name})
        add_executable(cmake_${name} user.c)
        target_link_libraries(cmake_${name} anyprof::${name})
    endif()
endforeach()
END
if cmake -S "$tmp" -B "$tmp/b" -DCMAKE_PREFIX_PATH="$tmp/usr" -DCMAKE_C_COMPILER="$cc" >"$tmp/log" 2>&1 &&
    cmake --build "$tmp/b" >>"$tmp/log" 2>&1; then
    for program in "$tmp"/b/cmake_anyprof*; do
        say_version "$program"
    done
    [ -e "$tmp/b/cmake_anyprof_static" ] || fail "the CMake package has no anyprof::anyprof_static"
else
    fail "CMake package: $(tail -n 20 "$tmp/log")"
fi
if [ -e "$build/anyprof" ]; then
    LD_LIBRARY_PATH='' "$tmp/usr/bin/anyprof" --version >/dev/null || fail "the installed command does not run"
fi
finish
