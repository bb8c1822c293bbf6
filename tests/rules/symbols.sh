#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the built libraries import, export and keep. They never print, exit, abort, read the environment or the locale,
# export nothing but apf_*, and have no data that changes. The runtime exports nothing, and writes without memory of
# malloc's and streams, since a signal handler may be what makes it write.
. "$(dirname "$0")/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build: sanitizers and coverage bring symbols of their own"
command -v nm >/dev/null || skip "no nm"
command -v objdump >/dev/null || skip "no objdump"
[ -e "$build/libanyprof.a" ] || skip "no libanyprof.a in $build"

# Each line: names (a regular expression for the whole symbol) and why not.
forbidden='
exit|_exit|_Exit|quick_exit|abort|atexit|__assert_fail|__assert         the caller decides how a program ends
v?f?printf|puts|putchar|putc|_IO_putc|fputs|fputc|fwrite|perror         a library does not print
psignal|stdout|stderr|stdin|__v?f?printf_chk                            a library does not print
getenv|secure_getenv|setenv|putenv|environ|__environ                    the environment is not ours to read
setlocale|newlocale|uselocale|localeconv|nl_langinfo                    no result depends on the locale
strto(l|ul|ll|ull|imax|umax|f|d|ld)(_l)?|__isoc(99|23)_strto.*          our own digit loop: no locale, signs, spaces
ato(i|l|ll|f)|v?f?s?scanf|__isoc(99|23)_.*scanf                         our own digit loop: no locale, signs, spaces
is(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space)         depends on the locale
is(upper|xdigit)|to(lower|upper)|__ctype_.*                             depends on the locale
strerror(_r|_l)?|__xpg_strerror_r                                       follows the locale; strerrordesc_np does not
qsort|qsort_r                                                           not stable; base has a sort that is
strtok|strcpy|strcat|v?sprintf|gets|__(strcpy|strcat|v?sprintf)_chk     no bound
rand|srand|random|srandom|time|gettimeofday|clock                       no result depends on chance or time
signal|sigaction|umask|chdir|system|popen|fork|vfork                    state of the whole process
exec(l|lp|le|v|vp|ve|vpe)|posix_spawnp?                                 state of the whole process
tmpnam|mktemp|tempnam                                                   a race
'
for lib in libanyprof.a libanyprof-elf.a; do
    [ -e "$build/$lib" ] || continue
    # member:symbol of every reference; references that another member satisfies are not filtered, none of them match.
    # double_text.c asks strtod whether the text it printed reads back as the number, in the locale of both.
    undefined=$(nm -A -u "$build/$lib" 2>/dev/null | sed -E 's/^[^:]*:([^:]*):? +U /\1 /; s/@.*//' |
        grep -vx 'double_text\.c\.o strtod')
    while read -r names why; do
        [ -n "$names" ] || continue
        hits=$(awk -v re="^($names)\$" '$2 ~ re { print $1 " uses " $2 }' <<<"$undefined" | sort -u)
        [ -z "$hits" ] || fail "$lib: $hits: $why"
    done <<<"$forbidden"
    # Constant tables of pointers stand in .data.rel.ro; anything in these sections can change.
    changing=$(objdump -t "$build/$lib" | awk '
        / file format / { member = $1; sub(/:$/, "", member) }
        $0 ~ /[ \t](\.data|\.bss|\.tdata|\.tbss|\*COM\*)[^ \t]*\t/ && $0 !~ /[ \t]\.data\.rel\.ro/ &&
            $0 !~ / d  / && $NF !~ /^\./ { print member ": " $NF }')
    [ -z "$changing" ] || fail "$lib: data that changes: $changing"
done
# In a static link, a function of ours would take the place of one that a library we use, or the program, calls.
own=$(for lib in libanyprof.a libanyprof-elf.a; do nm --defined-only "$build/$lib" 2>/dev/null; done |
    awk '$2 ~ /^[TDRBV]$/ { print $3 }' | sort -u)
for lib in $(ldd "$build/anyprof" "$build/libanyprof-elf.so" 2>/dev/null | awk '$3 ~ /^\// { print $3 }' | sort -u); do
    case $lib in *libanyprof*) continue ;; esac
    theirs=$(nm -D --defined-only "$lib" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u)
    twice=$(comm -12 <(echo "$theirs") <(echo "$own"))
    [ -z "$twice" ] || fail "also in $lib: $twice"
done
for lib in libanyprof.so libanyprof-elf.so; do
    [ -e "$build/$lib" ] || continue
    # The nodes of versions are symbols, too; private_symbols.sh has what is in that of the private ones.
    exported=$(nm -D --defined-only "$build/$lib" |
        awk '$NF !~ /^(apf_|ANYPROF_|anyprof_.*@@ANYPROF_PRIVATE_)/ { print $NF }')
    [ -z "$exported" ] || fail "$lib exports what does not start with apf_: $exported"
    [ -n "$(nm -D --defined-only "$build/$lib")" ] || fail "$lib exports nothing"
done

# Capstone is loaded by the name that the run-time linker knows it by: programs are built with other names of it, which
# are installed with its headers.
if [ -e "$build/libanyprof-elf.so" ]; then
    name=$(grep -aoE 'libcapstone\.[a-z0-9.]+' "$build/libanyprof-elf.so" | sort -u)
    path=$("${ANYPROF_CC:-cc}" -print-file-name=libcapstone.so)
    soname=$(readelf -d "$path" 2>/dev/null | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    [ -z "$soname" ] || [ "$name" = "$soname" ] || fail "Capstone is loaded as '$name', its name is '$soname'"
fi

for lib in libanyprof_rt.a libanyprof_rt_core.a; do
    [ -e "$build/$lib" ] || continue
    seen=$(readelf -sW "$build/$lib" |
        awk '$5 ~ /GLOBAL|WEAK/ && $6 != "HIDDEN" && $7 != "UND" && $8 ~ /./ { print $8 }' |
        grep -vx __llvm_write_custom_profile || true)
    [ -z "$seen" ] || fail "$lib: not hidden, so that one image would take it from another: $seen"
    # The linker sees those that are hidden, too. Weak ones give way to the program's.
    foreign=$(nm --defined-only "$build/$lib" 2>/dev/null |
        awk '$2 ~ /[A-UX-Z]/ && $3 !~ /^(aprt_|apf_rt_|__llvm_|lprof|__wrap_|__real_)/ { print $3 }')
    [ -z "$foreign" ] || fail "$lib: a program may have something of its own of this name: $foreign"
    readelf -sW "$build/$lib" |
        grep -w 'HIDDEN .* apf_rt_write' >/dev/null || fail "$lib: no apf_rt_write"
done
# What compiler-rt's interface gives to the program is of malloc, or a stream of the program's.
not_in_handlers='(m|c|re)alloc|free|posix_memalign|f(open|write|read|flush|close)|v?[fs]?n?printf|strerror|syslog'
hits=$(nm -A -u "$build/libanyprof_rt.a" 2>/dev/null | sed -E 's/^[^:]*:([^:]*):? +U /\1 /; s/@.*//' |
    awk -v re="^($not_in_handlers)\$" '$2 ~ re && $1 !~ /^rt_api_file(_object)?\./ { print $1 " uses " $2 }')
[ -z "$hits" ] || fail "libanyprof_rt.a: $hits: not for signal handlers"
finish
