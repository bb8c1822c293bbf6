#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What several lists of the packaging have in common is the same in them: the names of other tools, and the libraries
# that the build needs. Each shell script of theirs can be parsed. tests/packages runs them, in full test runs.
. "$(dirname "$0")/_lib.sh"

words() {
    tr -s ' \n\\' '\n' | sed '/^$/d' | sort
}
same() { # same WHAT ONE OTHER
    [ "$2" = "$3" ] || fail "$1: $(diff <(echo "$2") <(echo "$3") | grep '^[<>]' | paste -sd' ')"
}

cmake_names=$(sed -n '/set(apf_tools/,/^    endif/p' CMakeLists.txt | grep -oE '[a-z_-]+:anyprof' | sed 's/:.*//' |
    words)
[ "$(wc -l <<<"$cmake_names")" -ge 7 ] || fail "CMakeLists.txt has no list of names"
for list in packaging/ci_install.sh:names debian/anyprof-llvm-names:known; do
    same "names in ${list%:*}" "$cmake_names" "$(sed -n "s/^${list#*:}='\(.*\)'/\1/p" "${list%:*}" | words)"
done

# Libraries: of the tests' list those of the product; the others are for tests, and in Debian's package, too.
libraries() {
    words | grep -E '^lib.*-dev$|^zlib1g-dev$|^node-|^protobuf-' |
        grep -vE '^(libc6-dev.*|libcmocka-dev|libjansson-dev|libopenmpi-dev)$'
}
without() { # without PACKAGE...: the libraries of standard input but for these
    grep -vxF "$(printf '%s\n' "$@")"
}
installed_by() { # installed_by FILE FIRST-PACKAGE: what the command or loop of the file that begins with it installs
    awk -v first="$2" 'index($0, first) { found = 1 } found { print; if (!/\\$/) exit }' "$1" | tr -d ';' | libraries
}
needed=$(sed -n '/^needed=(/,/)$/p' test.sh | tr -d '()' | sed 's/needed=//' | libraries)
[ "$(wc -l <<<"$needed")" -ge 9 ] || fail "test.sh has no list of what is needed"
same "libraries in debian/control" "$needed" \
    "$(sed -n '/^Build-Depends:/,/^Standards/p' debian/control | sed 's/[(<].*//; s/,//' | libraries)"
for document in README.md docs/tutorial.md docs/packages.md; do
    same "libraries in $document" "$needed" "$(installed_by $document 'apt-get install gcc libc6-dev')"
done
same "libraries in demo.sh" "$needed" "$(installed_by demo.sh 'for package in gcc libc6-dev')"
same "libraries in packaging/ci_install.sh" "$needed" \
    "$(sed -n "/^packages='/,/'\$/p" packaging/ci_install.sh | tr -d "'" | sed 's/^packages=//' | libraries)"
# Another architecture needs neither programs nor files that every machine can read; tests are built for it, too.
same "libraries in tests/cross/libraries.sh" "$(without node-d3 protobuf-c-compiler <<<"$needed")" \
    "$(sed -n '/^packages=(/,/)$/p' tests/cross/libraries.sh | tr -d '()' | sed 's/packages=//' | libraries)"
# What is part of a static command has a licence in its tarball: one list there, of names without -dev in its test.
licences=$(printf '%s\n' "$needed" libc6-dev | sort | without protobuf-c-compiler)
same "licences in cmake/static_command.cmake" "$licences" \
    "$(sed -n '/^function(apf_install_licences)/,/^endfunction/p' cmake/static_command.cmake | tr '()' '  ' | words |
        grep -E '^(lib.*|zlib1g)-dev$|^node-')"
same "licences in tests/packages/static.sh" "${licences//-dev/}" \
    "$(sed -n '/for library in zlib1g /,/; do$/p' tests/packages/static.sh | tr -d ';' | words |
        grep -E '^lib|^zlib1g$|^node-' | without library)"
# Programs that link the static libraries need all but what is of headers alone, loaded, of the command or of builds.
linked=$(without libcapstone-dev libiberty-dev libxxhash-dev node-d3 protobuf-c-compiler <<<"$needed")
same "suggestions of libanyprof-dev" "$linked" \
    "$(sed -n '/^Package: libanyprof-dev/,/^$/p' debian/control | sed -n '/^Suggests:/,/^D/p' | tr -d ',' |
        libraries | without libanyprof-rt-dev)"
same "packages for debian/tests/static" "$linked" \
    "$(sed -n '/^Tests: static/,/^$/p' debian/tests/control | tr -d ',' | libraries | without libanyprof-dev)"

for script in packaging/ci_install.sh debian/anyprof-llvm-names debian/*.p[or][se]* debian/tests/[a-z]*; do
    [ "$script" != debian/tests/control ] || continue
    sh -n "$script" || fail "$script is no shell script"
    head -n 5 "$script" | grep -qF 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' ||
        fail "$script: no licence"
done
for test in $(sed -n 's/^Tests: //p' debian/tests/control); do
    [ -x "debian/tests/$test" ] || fail "debian/tests/control names $test, which is not there"
done
said=$(sh packaging/ci_install.sh --nothing /nowhere 2>&1) && fail "ci_install.sh takes --nothing"
[ "$said" = "ci_install.sh: unknown option '--nothing'" ] || fail "ci_install.sh: $said"
said=$(sh packaging/ci_install.sh 2>&1) && fail "ci_install.sh needs no PREFIX"
[ "$said" = "ci_install.sh: a PREFIX is required" ] || fail "ci_install.sh: $said"
finish
