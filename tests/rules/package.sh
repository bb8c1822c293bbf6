#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What gets installed is enough, wherever it is moved to: a program in C and in C++ is built against it through
# pkg-config and through the CMake package, with the shared and the static libraries, and does its work. All of
# libanyprof linked statically makes a program of less than 1.3 MB.
. "$(dirname "$0")/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build: a program without its flags cannot link it"
[ -e "$build/libanyprof.so" ] || skip "no libraries in $build"
# Archives of clang's LTO hold bitcode: only a linker with that LLVM in it takes them, and cc's need not be one.
readelf -h "$build/libanyprof.a" >/dev/null 2>&1 || skip "libanyprof.a holds bitcode of clang's LTO"
command -v pkg-config >/dev/null || skip "no pkg-config"
cc=${ANYPROF_CC:-cc}
cxx=$(command -v "${cc/clang/clang++}" "${cc/gcc/g++}" c++ | grep '++' | head -n 1 || true)
[ -n "$cxx" ] || printf 'note: no C++ compiler beside %s\n' "$cc"
warn=(-Wall -Wextra -Wpedantic -Werror)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cmake --install "$build" --prefix "$tmp/first" >"$tmp/log" 2>&1 || fail "install: $(cat "$tmp/log")"
mv "$tmp/first" "$tmp/usr"
version=$(sed -nE 's/.*define +APF_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' include/anyprof/anyprof.h | paste -sd.)
lib=$(dirname "$(find "$tmp/usr" -name libanyprof.a)")
input=examples/profiles/clang-22-ir.profraw
LD_LIBRARY_PATH='' "$tmp/usr/bin/anyprof" merge -o "$tmp/expected" "$input" || fail "the installed command does not run"

# Man pages and completions lie where man and the shells look for them.
for page in docs/man/*.1; do
    [[ $page != */anyprof-mpi.1 || -e $tmp/usr/bin/anyprof-mpi ]] || continue
    cmp -s "$page" "$tmp/usr/share/man/man1/${page##*/}" || fail "${page##*/} is not installed"
done
if [ -e "$build/man3/made" ]; then
    for page in apf_merge_files anyprof_merge.h apf_error; do
        cmp -s "$build/man3/$page.3" "$tmp/usr/share/man/man3/$page.3" || fail "$page.3 is not installed"
    done
else
    printf 'note: no man pages of the headers: python3 was not found\n'
fi
for schema in docs/schemas/*.schema.json; do
    cmp -s "$schema" "$tmp/usr/share/anyprof/schemas/${schema##*/}" || fail "${schema##*/} is not installed"
done
cmp -s docs/man/anyprof_rt.7 "$tmp/usr/share/man/man7/anyprof_rt.7" || fail "anyprof_rt.7 is not installed"
for file in bash-completion/completions/anyprof:anyprof.bash zsh/site-functions/_anyprof:_anyprof \
    fish/vendor_completions.d/anyprof.fish:anyprof.fish; do
    cmp -s "cli/completions/${file#*:}" "$tmp/usr/share/${file%:*}" || fail "${file#*:} is not installed as ${file%:*}"
done
[ ! -e "$tmp/usr/bin/llvm-profdata" ] || fail "llvm-profdata is installed, which was not asked for"

# Merges, writes, opens what it wrote; with BINARIES it uses the other library too.
cat >"$tmp/user.c" <<'END'
#include <anyprof/anyprof.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct apf_error error;
    struct apf_merge *merge;
    struct apf_instr *result;
    if (argc != 3)
        return 2;
    struct apf_input input = apf_input_file(argv[1]);
    struct apf_output output = apf_output_file(argv[2]);
    if (apf_merge_new(&merge, NULL, &error) != APF_OK || apf_merge_add(merge, &input, 1, &error) != APF_OK ||
        apf_merge_write(merge, NULL, &output, &error) != APF_OK)
        return 1;
    apf_merge_free(merge);
    input.path = argv[2];
    if (apf_instr_open(&result, &input, NULL, &error) != APF_OK)
        return 1;
    apf_instr_close(result);
#ifdef BINARIES
    struct apf_file_info info;
    info.size = sizeof info;
    input.path = argv[0];
    if (apf_file_detect(&input, NULL, &info, &error) != APF_OK || info.kind != APF_KIND_ELF)
        return 1;
#endif
    return puts(apf_version()) < 0;
}
END
cp "$tmp/user.c" "$tmp/user.cpp"

needed() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

works() { # works PROGRAM LIBRARY shared|static
    local said want
    [ -x "$1" ] || return 0 # its linking failed, which was said
    rm -f "$tmp/result"
    said=$(LD_LIBRARY_PATH=$lib "$1" "$input" "$tmp/result") || fail "$1 fails"
    [ "$said" = "$version" ] || fail "$1 says version '$said', the header says '$version'"
    cmp -s "$tmp/result" "$tmp/expected" || fail "$1 writes other bytes than the command"
    want=0
    [ "$3" = static ] || want=1
    [ "$(needed "$1" | grep -c "^lib$2\\.so")" = $want ] || fail "$1 ($3) needs: $(needed "$1" | paste -sd' ')"
    [ "$3" = shared ] || ! needed "$1" | grep -q libanyprof || fail "$1 is not linked statically"
}

# --- pkg-config: where only static libraries are, they are what -lanyprof means -----------------------------------

cp -R "$tmp/usr" "$tmp/usr-static"
find "$tmp/usr-static" -name 'lib*.so*' -exec rm {} +
pkg() { # pkg PREFIX OPTION...
    PKG_CONFIG_PATH=$(dirname "$(find "$1" -name anyprof.pc)") pkg-config "${@:2}"
}
[ "$(pkg "$tmp/usr" --modversion anyprof anyprof-elf | uniq)" = "$version" ] || fail "pkg-config has another version"

with_pkg_config() { # with_pkg_config COMPILER SOURCE STANDARD
    local name define program
    for name in anyprof anyprof-elf; do
        define=()
        [ $name = anyprof ] || define=(-DBINARIES)
        program=$tmp/$name-${2##*.}
        # shellcheck disable=SC2046  # flags are words
        "$1" -std="$3" "${warn[@]}" "${define[@]}" "$2" -o "$program-shared" \
            $(pkg "$tmp/usr" --cflags --libs $name) || fail "$name.pc, shared, $3"
        works "$program-shared" $name shared
        # shellcheck disable=SC2046
        "$1" -std="$3" "${warn[@]}" "${define[@]}" "$2" -o "$program-static" \
            $(pkg "$tmp/usr-static" --static --cflags --libs $name) || fail "$name.pc, static, $3"
        works "$program-static" $name static
    done
}
with_pkg_config "$cc" "$tmp/user.c" c11
[ -z "$cxx" ] || with_pkg_config "$cxx" "$tmp/user.cpp" c++17

# libanyprof-elf.so is not loaded with libanyprof.so of another build: the node of its private symbols is missing.
mkdir "$tmp/other"
soname=$(needed "$tmp/anyprof-elf-c-shared" | grep '^libanyprof\.so')
printf 'ANYPROF_%s { };\nANYPROF_PRIVATE_0 { };\n' "${soname##*.}" >"$tmp/other.map"
"$cc" -shared -x c /dev/null -Wl,-soname,"$soname" -Wl,--version-script="$tmp/other.map" -o "$tmp/other/$soname" ||
    fail "no libanyprof.so of another build"
said=$(LD_LIBRARY_PATH=$tmp/other:$lib "$tmp/anyprof-elf-c-shared" 2>&1 || true)
case $said in
*ANYPROF_PRIVATE_*"not found"*) ;;
*) fail "libanyprof.so of another build: $said" ;;
esac

# --- the CMake package ------------------------------------------------------------------------------------------

languages=(C)
sources=(user.c)
if [ -n "$cxx" ]; then
    languages+=(CXX)
    sources+=(user.cpp)
fi
cat >"$tmp/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user ${languages[*]})
find_package(anyprof 99 QUIET)
if(anyprof_FOUND)
    message(FATAL_ERROR "the package claims to be version 99")
endif()
find_package(anyprof $version REQUIRED)
foreach(source ${sources[*]})
    foreach(name anyprof anyprof_static anyprof-elf anyprof-elf_static)
        add_executable(\${source}-\${name} \${source})
        target_link_libraries(\${source}-\${name} anyprof::\${name})
        if(name MATCHES elf)
            target_compile_definitions(\${source}-\${name} PRIVATE BINARIES)
        endif()
    endforeach()
endforeach()
END
if cmake -S "$tmp" -B "$tmp/b" -DCMAKE_PREFIX_PATH="$tmp/usr" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" >"$tmp/log" 2>&1 && cmake --build "$tmp/b" >>"$tmp/log" 2>&1; then
    for source in "${sources[@]}"; do
        for name in anyprof anyprof-elf; do
            works "$tmp/b/$source-$name" $name shared
            works "$tmp/b/$source-${name}_static" $name static
        done
    done
else
    fail "CMake package: $(tail -n 20 "$tmp/log")"
fi

# --- the runtime: with clang's driver, and through the CMake package ------------------------------------------------

clang=
for n in 22 19 16 15 14 13; do
    [ -n "$clang" ] || clang=$(command -v clang-$n || true)
done
if [ -z "$clang" ]; then
    printf 'note: no clang; the installed runtime is not tried\n'
else
    mkdir "$tmp/rt"
    printf '#include <anyprof/rt.h>\nint main(void)\n{\n    return apf_rt_flush_on_signals();\n}\n' >"$tmp/rt/main.c"
    cat >"$tmp/rt/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(measured C)
find_package(anyprof $version REQUIRED)
add_executable(measured main.c)
target_compile_options(measured PRIVATE -fprofile-instr-generate)
target_link_libraries(measured anyprof::anyprof_rt)
END
    if cmake -S "$tmp/rt" -B "$tmp/rt/b" -DCMAKE_PREFIX_PATH="$tmp/usr" -DCMAKE_C_COMPILER="$clang" >"$tmp/log" 2>&1 &&
        cmake --build "$tmp/rt/b" >>"$tmp/log" 2>&1 &&
        "$clang" -fprofile-instr-generate "$tmp/rt/main.c" -I"$tmp/usr/include" -L"$lib" -lanyprof_rt \
            -o "$tmp/rt/by-hand" >>"$tmp/log" 2>&1; then
        for program in b/measured by-hand; do
            LLVM_PROFILE_FILE=$tmp/rt/main.profraw "$tmp/rt/$program" || fail "$program fails"
            LD_LIBRARY_PATH='' "$tmp/usr/bin/anyprof" show --counts --function=main "$tmp/rt/main.profraw" |
                grep -q 'Function count: 1' || fail "$program wrote no profile of main"
        done
    else
        fail "the installed runtime: $(tail -n 20 "$tmp/log")"
    fi
fi

# --- size: all of libanyprof, whatever a program uses of it -------------------------------------------------------

"$cc" -O2 "$tmp/user.c" -I"$tmp/usr/include" -s -o "$tmp/all" -Wl,--whole-archive "$lib/libanyprof.a" \
    -Wl,--no-whole-archive -lz -ldeflate -lzstd -lmd -lyaml -lprotobuf-c -pthread ||
    fail "libanyprof.a as a whole does not link"
works "$tmp/all" anyprof static
size=$(stat -c %s "$tmp/all")
printf 'all of libanyprof, linked statically and stripped: %s bytes\n' "$size"
[ "$size" -lt 1300000 ] || fail "that is not less than 1.3 MB"
finish
