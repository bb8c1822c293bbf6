#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# libraries.sh ARCHITECTURE DIRECTORY: unpacks Debian's packages of the libraries that anyprof and its tests need, for
# another architecture (arm64, s390x), into the directory. Nothing is installed, so neither root nor a foreign
# architecture of dpkg is needed, and packages of this machine's architecture may have other versions. The C library
# comes with the cross compiler. A directory that has all of them is left as it is. All are there as static libraries,
# too.
set -euo pipefail
arch=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
packages=(zlib1g zlib1g-dev libdeflate0 libdeflate-dev libzstd1 libzstd-dev libmd0 libmd-dev libxxhash-dev
    libcmocka0 libcmocka-dev libyaml-0-2 libyaml-dev libelf1 libelf-dev libdw1 libdw-dev libcapstone4 libcapstone-dev
    libprotobuf-c1 libprotobuf-c-dev libiberty-dev libjansson4 libjansson-dev liblzma5
    libbz2-1.0)
[ "$(cat "$dir/complete" 2>/dev/null)" != "${packages[*]}" ] || exit 0
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/apt/sources"
# Debian's own sources only: others need not know the architecture.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    if [ -e "$file" ] && grep -qE '^[^#]*debian\.org/debian' "$file"; then
        cp "$file" "$dir/apt/sources/"
    fi
done
cat >"$dir/apt/apt.conf" <<END
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
Acquire::Languages "none";
Dir::State::Lists "$dir/apt/lists";
Dir::State::Status "/dev/null";
Dir::Cache "$dir/apt/cache";
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$dir/apt/sources";
END
export APT_CONFIG=$dir/apt/apt.conf
apt-get -q update
cd "$dir/apt/cache"
apt-get -q download "${packages[@]}"
for package in *.deb; do
    dpkg-deb -x "$package" "$dir"
done
# Links to /lib would lead to this machine's libraries, or nowhere, and static libraries would be linked instead.
find "$dir" -type l -lname '/*' -printf '%p %l\n' | while read -r link to; do
    ln -sf "$dir$to" "$link"
done
rm -r "$dir/apt"
echo "${packages[*]}" >"$dir/complete"
