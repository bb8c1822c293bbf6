#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The packages of debian/: dpkg-buildpackage makes them of a copy of the tree, and again of another copy, with the same
# bytes; lintian finds neither errors nor warnings; the profiles nodoc, pkg.anyprof.nompi and pkg.anyprof.nopython leave
# out what they say. With root and debootstrap, autopkgtest runs debian/tests in a root directory of Debian 12, and in
# another the packages are upgraded, removed and purged.
. "$(dirname "$0")/../rules/_lib.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build; the release build makes packages"
grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null || skip "the packages are for Debian 12"
for tool in dpkg-buildpackage dh lintian ninja; do
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

# Without tests, the packages are the same: nothing in them comes from the directory, the time and its zone, the umask,
# the language, git or the tests.
(
    umask 0027
    export TZ=Asia/Kathmandu LC_ALL=C.UTF-8
    build_packages "$tmp/second/below" nocheck nocheck -b
    finish
) || fail "the packages are not built again"
for package in "$tmp"/first/*.deb; do
    again=$tmp/second/below/${package##*/}
    cmp "$package" "$again" || {
        fail "${package##*/} is not the same when it is built again"
        ! command -v diffoscope >/dev/null || diffoscope --max-report-size 5000 "$package" "$again" || true
    }
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

# --- in root directories of Debian 12 -----------------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null || ! command -v autopkgtest >/dev/null; then
    printf 'note: not root, no debootstrap or no autopkgtest: the packages are not installed\n'
    finish
elif ! debootstrap --variant=minbase bookworm "$tmp/debian" >"$tmp/log" 2>&1; then
    printf 'note: debootstrap fails: %s\n' "$(tail -n 1 "$tmp/log")"
    finish
fi
cp /etc/resolv.conf "$tmp/debian/etc/resolv.conf"
cp -a "$tmp/debian" "$tmp/life"
code=0
unset CMAKE_C_COMPILER_LAUNCHER # the programs of this machine are not there
autopkgtest --apt-upgrade -o "$tmp/results" "$tmp/first"/*.deb "$tmp/first"/*.dsc -- chroot "$tmp/debian" \
    >"$tmp/log" 2>&1 || code=$?
cat "$tmp/results/summary" 2>/dev/null
[ $code = 0 ] || fail "autopkgtest ends with $code: $(tail -n 40 "$tmp/log")"

# The life of the packages: the version before, which is these packages under a lower number; an upgrade, in which the
# names of LLVM's tools and what was collected stay; removal, which takes the names; purging, which leaves nothing.
in_life() { # in_life COMMAND...
    unshare --mount --pid --fork --mount-proc="$tmp/life/proc" \
        env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
        chroot "$tmp/life" "$@" >"$tmp/log" 2>&1
}
live() { # live WHAT COMMAND...
    in_life "${@:2}" || {
        fail "$1: $(tail -n 20 "$tmp/log")"
        finish
    }
}
install=(apt-get -q install -y --no-install-recommends)
files_of_life() { # all files but logs, caches and dpkg's own, with the alternatives and the contents of /etc
    (
        cd "$tmp/life"
        find . \( -path ./proc -o -path ./tmp -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt \
            -o -path ./var/lib/dpkg -o -path ./source -o -path ./etc/ld.so.cache \) -prune -o -print
        find var/lib/dpkg/alternatives var/lib/dpkg/triggers -type f
        find etc -type f ! -name ld.so.cache -exec md5sum {} +
    ) | sort
}
older=0.0.9
names=()
mkdir -p "$tmp/life/source/older" "$tmp/life/source/newer"
for package in "$tmp"/first/*.deb; do
    case $package in *-dbgsym_*) continue ;; esac
    cp "$package" "$tmp/life/source/newer"
    names+=("$(dpkg-deb -f "$package" Package)")
    rm -rf "$tmp/unpacked"
    dpkg-deb -R "$package" "$tmp/unpacked"
    sed -i -E "s/^(Version: )$version$/\\1$older/; s/(anyprof[a-z0-9-]* \([=>]+ )$version\)/\\1$older)/g" \
        "$tmp/unpacked/DEBIAN/control"
    dpkg-deb -b "$tmp/unpacked" "$tmp/life/source/older" >"$tmp/log"
done
cp -R examples/profiles/clang-22-ir.profraw "$tmp/life/source"
if ! in_life true; then
    printf 'note: no namespaces: upgrade and removal are not tried: %s\n' "$(tail -n 1 "$tmp/log")"
    finish
fi
live "apt-get update" apt-get -q update
live "the version before" sh -c "${install[*]} /source/older/*.deb"
live "purging the version before" apt-get -q purge -y "${names[@]}"
files_of_life >"$tmp/before"
! grep -E '(anyprof|llvm-profdata)' "$tmp/before" || fail "what is left when the packages have been purged, above"

live "the version before, again" sh -c "${install[*]} /source/older/*.deb"
live "names" anyprof-llvm-names install llvm-profdata merge-fdata
[ "$(stat -c %a "$tmp/life/var/spool/anyprof")" = 1777 ] || fail "no spool of anyprof-collect"
mkdir "$tmp/life/var/lib/anyprof"
cp examples/profiles/clang-22-ir.profraw "$tmp/life/var/lib/anyprof/collected.profdata"
cp examples/profiles/clang-22-ir.profraw "$tmp/life/var/spool/anyprof"
live "the upgrade" sh -c "${install[*]} /source/newer/*.deb"
live "versions" sh -c "dpkg-query -W -f '\${Package} \${Version} \${db:Status-Status}\n' ${names[*]}"
[ "$(grep -c " $version installed\$" "$tmp/log")" = ${#names[@]} ] || fail "after the upgrade: $(cat "$tmp/log")"
live "the name after the upgrade" llvm-profdata merge -o /tmp/a.profdata /source/clang-22-ir.profraw
live "the module after the upgrade" python3 -c 'import anyprof; assert anyprof.open("/tmp/a.profdata").info'
live "removal" apt-get -q remove -y "${names[@]}"
[ ! -h "$tmp/life/usr/local/bin/llvm-profdata" ] || fail "removing the package leaves a name behind"
[ -s "$tmp/life/var/lib/anyprof/collected.profdata" ] || fail "removing the package deletes what was collected"
live "purging" dpkg --purge "${names[@]}"
files_of_life >"$tmp/after"
rm -f "$tmp/life/tmp/a.profdata"
diff "$tmp/before" "$tmp/after" || fail "removing and purging the packages leaves files behind, or takes others away"
finish
