#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The packages of debian/: dpkg-buildpackage makes them of a copy of the tree, and again of another copy, with the same
# bytes; lintian finds neither errors nor warnings; the profiles nodoc, pkg.anyprof.nompi and pkg.anyprof.nopython leave
# out what they say. With root and debootstrap, an ordinary user builds them in a new root directory of Debian 12 that
# has what debian/control asks for; autopkgtest runs debian/tests in another; and in a third the packages are upgraded,
# removed and purged.
. "$(dirname "$0")/../rules/_lib.sh"
. "$root/tests/packages/_roots.sh"

[ "${ANYPROF_INSTRUMENTED:-0}" = 0 ] || skip "instrumented build; the release build makes packages"
grep -qx 'VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null || skip "the packages are for Debian 12"
for tool in dpkg-buildpackage dh lintian; do
    command -v $tool >/dev/null || skip "no $tool"
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
version=$(dpkg-parsechangelog -S Version)
header=$(sed -nE 's/.*define +APF_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' include/anyprof/anyprof.h | paste -sd.)
[ "$version" = "$header" ] || fail "debian/changelog has version $version, the header $header"

# --- builds -------------------------------------------------------------------------------------------------------

rooted=0
! make_root "$tmp/debian" || rooted=1

# build_packages DIRECTORY SETTING DPKG-OPTION...: of a copy of the tree in $tmp/clean/DIRECTORY, by a user of the root
# directory $tmp/clean if there is one. SETTING is shell code before the command.
build_packages() {
    local dir=$tmp/clean/$1 command
    mkdir -p "$dir/anyprof-$version"
    if [ -e .git ]; then
        git -c safe.directory="$root" ls-files -co --exclude-standard -z
    else
        find . -path ./build -prune -o -path './obj-*' -prune -o -type f -print0
    fi | tar c --null -T - | tar x -C "$dir/anyprof-$version"
    command="$2 dpkg-buildpackage -us -uc ${*:3}"
    if [ $rooted = 1 ]; then
        [ -e "$tmp/clean/usr/bin/dpkg-buildpackage" ] ||
            in_root "$tmp/clean" sh -c "useradd --create-home builder && apt-get -q update &&
                cd /$1/anyprof-$version && apt-get -q build-dep -y --no-install-recommends ./" >"$tmp/log" 2>&1 || {
            fail "apt-get build-dep: $(tail -n 20 "$tmp/log")"
            finish
        }
        in_root "$tmp/clean" chown -R builder: "/$1"
        command="su builder -s /bin/sh -c 'cd /$1/anyprof-$version && $command'"
        in_root "$tmp/clean" sh -c "$command"
    else
        (cd "$dir/anyprof-$version" && sh -c "$command")
    fi >"$dir/log" 2>&1 || {
        awk '/\*\*\*/ { shown = 1 } /^ *Start / { shown = 0 } shown' "$dir/log" | cut -c 1-300 | tail -n 60 # of ctest
        fail "dpkg-buildpackage ($2): $(grep -E 'error|Failed|dpkg-checkbuilddeps' "$dir/log" |
            cut -c 1-300 | tail -n 20)"
        finish
    }
}

if [ $rooted = 1 ]; then
    cp -a "$tmp/debian" "$tmp/clean"
else
    dpkg-checkbuilddeps >"$tmp/log" 2>&1 || skip "$(cat "$tmp/log")"
fi
build_packages home/first 'DEB_BUILD_OPTIONS=parallel=2' -F
first=$tmp/clean/home/first
lintian -EviIL +pedantic "$first"/*.changes >"$tmp/lintian" 2>&1 || true
! grep -E '^[EW]: ' "$tmp/lintian" || fail "lintian finds errors or warnings"
grep -q '^N: ' "$tmp/lintian" || fail "lintian did not run: $(head -n 5 "$tmp/lintian")"

# Without tests, the packages are the same: nothing in them comes from the directory, the time and its zone, the umask,
# the language, git or the tests.
build_packages srv/second/below \
    'umask 0027; DEB_BUILD_OPTIONS="nocheck parallel=3" DEB_BUILD_PROFILES=nocheck TZ=Asia/Kathmandu LC_ALL=C.UTF-8' -b
for package in "$first"/*.deb; do
    again=$tmp/clean/srv/second/below/${package##*/}
    cmp "$package" "$again" || {
        fail "${package##*/} is not the same when it is built again"
        ! command -v diffoscope >/dev/null || diffoscope --max-report-size 5000 "$package" "$again" || true
    }
done
# dpkg-buildpackage alone would build everything again: the rules say what the profiles leave out.
for left_out in nodoc:anyprof-doc pkg.anyprof.nompi:anyprof-mpi pkg.anyprof.nopython:python3-anyprof; do
    ! (cd "$first/anyprof-$version" && DEB_BUILD_PROFILES=${left_out%:*} dh_listpackages) |
        grep -x "${left_out#*:}" || fail "the profile ${left_out%:*} leaves ${left_out#*:} in"
done

names=(anyprof libanyprof0 libanyprof-dev libanyprof-rt-dev python3-anyprof anyprof-mpi anyprof-collect anyprof-doc)
for package in "${names[@]}"; do
    [ -e "$(echo "$first/${package}"_*.deb)" ] || fail "no package $package"
done
dpkg-deb -c "$first"/anyprof_*.deb >"$tmp/list"
! grep -E ' \./usr/(local/)?bin/(llvm-|merge-fdata|profile_merger|dump_gcov)' "$tmp/list" ||
    fail "anyprof has names of LLVM's tools, which were not asked for"
[ $rooted = 1 ] || finish

# --- debian/tests -------------------------------------------------------------------------------------------------

cp -a "$tmp/debian" "$tmp/life"
if command -v autopkgtest >/dev/null; then
    code=0
    env -u CMAKE_C_COMPILER_LAUNCHER autopkgtest --apt-upgrade -o "$tmp/results" "$first"/*.deb "$first"/*.dsc -- \
        chroot "$tmp/debian" >"$tmp/log" 2>&1 || code=$?
    cat "$tmp/results/summary" 2>/dev/null
    [ $code = 0 ] || fail "autopkgtest ends with $code: $(tail -n 40 "$tmp/log")"
else
    printf 'note: no autopkgtest: debian/tests are not run\n'
fi

# --- the life of the packages -------------------------------------------------------------------------------------

# The version before, which is these packages under a lower number; an upgrade, in which the names of LLVM's tools and
# what was collected stay; removal, which takes the names; purging, which leaves nothing.
live() { # live WHAT COMMAND...
    in_root "$tmp/life" "${@:2}" >"$tmp/log" 2>&1 || {
        fail "$1: $(tail -n 20 "$tmp/log")"
        finish
    }
}
install='apt-get -q install -y --no-install-recommends'
files_of_life() { # all files but logs, caches and dpkg's own, with the alternatives and the contents of /etc
    (
        cd "$tmp/life" || exit
        find . \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
            -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./source -o -path ./etc/ld.so.cache \) -prune \
            -o -print
        find var/lib/dpkg/alternatives var/lib/dpkg/triggers -type f
        find etc -type f ! -name ld.so.cache -exec md5sum {} +
    ) | sort
}
older=0.0.9
mkdir -p "$tmp/life/source/older" "$tmp/life/source/newer"
for package in "${names[@]}"; do
    cp "$first/${package}"_*.deb "$tmp/life/source/newer"
    rm -rf "$tmp/unpacked"
    dpkg-deb -R "$first/${package}"_*.deb "$tmp/unpacked"
    sed -i -E "s/^(Version: )$version$/\1$older/; s/(anyprof[a-z0-9-]* \([=>]+ )$version\)/\1$older)/g" \
        "$tmp/unpacked/DEBIAN/control"
    dpkg-deb -b "$tmp/unpacked" "$tmp/life/source/older" >"$tmp/log"
done
cp examples/profiles/clang-22-ir.profraw "$tmp/life/source"
live "apt-get update" apt-get -q update
live "the version before" sh -c "$install /source/older/*.deb"
live "purging the version before" apt-get -q purge -y "${names[@]}"
files_of_life >"$tmp/before"
! grep -E '(anyprof|llvm-profdata)' "$tmp/before" || fail "what is left when the packages have been purged, above"

live "the version before, again" sh -c "$install /source/older/*.deb"
live "names" anyprof-llvm-names install llvm-profdata merge-fdata
[ "$(stat -c %a "$tmp/life/var/spool/anyprof")" = 1777 ] || fail "no spool of anyprof-collect"
mkdir "$tmp/life/var/lib/anyprof"
cp examples/profiles/clang-22-ir.profraw "$tmp/life/var/lib/anyprof/collected.profdata"
cp examples/profiles/clang-22-ir.profraw "$tmp/life/var/spool/anyprof"
live "the upgrade" sh -c "$install /source/newer/*.deb"
live "versions" sh -c "dpkg-query -W -f '\${Package} \${Version} \${db:Status-Status}\n' ${names[*]}"
[ "$(grep -c " $version installed\$" "$tmp/log")" = ${#names[@]} ] || fail "after the upgrade: $(cat "$tmp/log")"
live "the name after the upgrade" llvm-profdata merge -o /tmp/a.profdata /source/clang-22-ir.profraw
live "the module after the upgrade" python3 -c 'import anyprof; assert anyprof.open("/tmp/a.profdata").info'
live "removal" apt-get -q remove -y "${names[@]}"
[ ! -h "$tmp/life/usr/local/bin/llvm-profdata" ] || fail "removing the package leaves a name behind"
[ -s "$tmp/life/var/lib/anyprof/collected.profdata" ] || fail "removing the package deletes what was collected"
live "purging" dpkg --purge "${names[@]}"
files_of_life >"$tmp/after"
diff "$tmp/before" "$tmp/after" || fail "removing and purging the packages leaves files behind, or takes others away"
finish
