#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ci_install.sh [--llvm-names] [--tarball=FILE|URL] [--sha256=SUM] PREFIX: puts the static command into PREFIX/bin, for
# machines that run CI jobs. It is unpacked from a tarball that cpack has made, or built from the sources around this
# script; what the build needs is installed with apt-get if it is missing and apt-get is there. A tarball that is
# downloaded must have the SHA-256 sum given.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
names='llvm-profdata llvm-cov llvm-profgen merge-fdata llvm-bat-dump profile_merger dump_gcov'
packages='gcc libc6-dev cmake ninja-build zlib1g-dev libdeflate-dev libzstd-dev libmd-dev libxxhash-dev libyaml-dev
    libprotobuf-c-dev protobuf-c-compiler libiberty-dev libelf-dev libdw-dev libcapstone-dev node-d3'
with_names=0 tarball='' sum='' prefix=''

refuse() {
    echo "ci_install.sh: $*" >&2
    exit 1
}

for argument in "$@"; do
    case $argument in
    --llvm-names) with_names=1 ;;
    --tarball=*) tarball=${argument#*=} ;;
    --sha256=*)
        sum=$(printf '%s' "${argument#*=}" | tr -d '[:space:]' | tr A-F a-f)
        [ -n "$sum" ] || refuse "--sha256 has no sum"
        ;;
    --tarball | --sha256) refuse "$argument needs a value: $argument=VALUE" ;;
    -*) refuse "unknown option '$argument'" ;;
    *)
        [ -z "$prefix" ] || refuse "'$argument': only one PREFIX, and that is '$prefix'"
        prefix=$argument
        ;;
    esac
done
[ -n "$prefix" ] || refuse "a PREFIX is required"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT # dash runs the trap of EXIT only if the script ends by itself
trap 'exit 143' TERM HUP

install_packages() {
    missing=''
    for package in $packages; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    root=''
    [ "$(id -u)" = 0 ] || root=sudo
    $root apt-get -q update
    # shellcheck disable=SC2086  # the missing packages are words
    $root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing
}

unpack() {
    case $tarball in
    *://*)
        [ -n "$sum" ] || refuse "--tarball=$tarball is downloaded: give its sum, --sha256=SUM"
        if command -v curl >/dev/null; then
            curl -fsSL -o "$tmp/tarball" "$tarball"
        else
            wget -q -O "$tmp/tarball" "$tarball"
        fi
        tarball=$tmp/tarball
        ;;
    esac
    if [ -n "$sum" ]; then
        found=$(sha256sum <"$tarball")
        [ "${found%% *}" = "$sum" ] || refuse "$tarball has another SHA-256 sum than $sum"
    fi
    tar xz -C "$prefix" --strip-components=1 <"$tarball"
}

if [ $with_names = 1 ]; then
    for name in $names; do
        link=$prefix/bin/$name
        if [ -e "$link" ] || [ -L "$link" ]; then
            [ "$(readlink "$link" || :)" = anyprof ] || refuse "$link is there, and is no link to anyprof"
        fi
    done
fi
mkdir -p "$prefix"
if [ -n "$tarball" ]; then
    unpack
else
    ! command -v apt-get >/dev/null || install_packages
    cmake -S "$source" -B "$tmp/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DANYPROF_STATIC=ON
    cmake --build "$tmp/build"
    cmake --install "$tmp/build" --strip --prefix "$prefix"
fi
if [ $with_names = 1 ]; then
    for name in $names; do
        ln -sf anyprof "$prefix/bin/$name"
    done
fi
"$prefix/bin/anyprof" --version
