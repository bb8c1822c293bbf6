#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The packages of debian/: dpkg-buildpackage makes them of a copy of the tree, and again of another copy, with the same
# bytes; lintian finds neither errors nor warnings; the profiles nodoc, pkg.anyprof.nompi and pkg.anyprof.nopython leave
# out what they say. With root and debootstrap, autopkgtest runs debian/tests in a root directory of Debian 12.
. "$(dirname "$0")/../rules/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build; the release build makes packages"
grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null || skip "the packages are for Debian 12"
for tool in dpkg-buildpackage dh lintian fakeroot ninja; do
    command -v $tool >/dev/null || skip "no $tool"
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
version=$(dpkg-parsechangelog -S Version)
header=$(sed -nE 's/.*define +APF_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' include/anyprof/anyprof.h | paste -sd.)
[ "$version" = "$header" ] || fail "debian/changelog has version $version, the header $header"

# build_packages DIRECTORY PROFILES OPTIONS DPKG-OPTION...: of a copy of the tree in the directory.
build_packages() {
    mkdir -p "$1/anyprof-$version"
    if [ -e .git ]; then
        git -c safe.directory="$root" ls-files -co --exclude-standard -z
    else
        find . -path ./build -prune -o -path './obj-*' -prune -o -type f -print0
    fi | tar c --null -T - | tar x -C "$1/anyprof-$version"
    (cd "$1/anyprof-$version" && DEB_BUILD_PROFILES=$2 DEB_BUILD_OPTIONS="parallel=2 $3" \
        dpkg-buildpackage -us -uc "${@:4}") >"$1/log" 2>&1 || {
        fail "dpkg-buildpackage ($2 $3): $(grep -E 'error|Failed|dpkg-checkbuilddeps' "$1/log" | tail -n 20)"
        finish
    }
}

dpkg-checkbuilddeps >"$tmp/log" 2>&1 || skip "$(cat "$tmp/log")"
build_packages "$tmp/first" '' '' -F
lintian -EviIL +pedantic "$tmp/first"/*.changes >"$tmp/lintian" 2>&1 || true
! grep -E '^[EW]: ' "$tmp/lintian" || fail "lintian finds errors or warnings"
grep -q '^N: ' "$tmp/lintian" || fail "lintian did not run: $(head -n 5 "$tmp/lintian")"
cp -R examples/profiles "$tmp/profiles"

# Without tests, the packages are the same: nothing in them comes from the directory, the time, git or the tests.
build_packages "$tmp/second/below" nocheck nocheck -b
for package in "$tmp"/second/below/*.deb; do
    cmp "$package" "$tmp/first/${package##*/}" || fail "${package##*/} is not the same when it is built again"
done
# dpkg-buildpackage alone would build everything again: the rules say what the profiles leave out.
for left_out in nodoc:anyprof-doc pkg.anyprof.nompi:anyprof-mpi pkg.anyprof.nopython:python3-anyprof; do
    ! (cd "$tmp/first/anyprof-$version" && DEB_BUILD_PROFILES=${left_out%:*} dh_listpackages) |
        grep -x "${left_out#*:}" || fail "the profile ${left_out%:*} leaves ${left_out#*:} in"
done

for package in anyprof libanyprof0 libanyprof-dev libanyprof-rt-dev python3-anyprof anyprof-mpi anyprof-collect \
    anyprof-doc; do
    [ -e "$(echo "$tmp/first/${package}"_*.deb)" ] || fail "no package $package"
done
dpkg-deb -c "$tmp/first"/anyprof_*.deb >"$tmp/list"
! grep -E ' \./usr/(local/)?bin/(llvm-|merge-fdata|profile_merger|dump_gcov)' "$tmp/list" ||
    fail "anyprof has names of LLVM's tools, which were not asked for"

# --- autopkgtest --------------------------------------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null || ! command -v autopkgtest >/dev/null; then
    printf 'note: not root, no debootstrap or no autopkgtest: debian/tests are not run\n'
elif ! debootstrap --variant=minbase bookworm "$tmp/debian" >"$tmp/log" 2>&1; then
    printf 'note: debootstrap fails: %s\n' "$(tail -n 1 "$tmp/log")"
else
    cp /etc/resolv.conf "$tmp/debian/etc/resolv.conf"
    code=0
    autopkgtest --apt-upgrade -o "$tmp/results" "$tmp/first"/*.deb "$tmp/first"/*.dsc -- chroot "$tmp/debian" \
        >"$tmp/log" 2>&1 || code=$?
    cat "$tmp/results/summary" 2>/dev/null
    [ $code = 0 ] || fail "autopkgtest ends with $code: $(tail -n 40 "$tmp/log")"
fi
finish
