#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Read by the scripts that build real programs.

# fetch DIR PACKAGE: downloads the source of a package of this system to DIR, which is an absolute name, and unpacks it
# to DIR/PACKAGE. Lists of packages and caches are in DIR/apt; the system's own stay as they are.
fetch() {
    local work=$1 package=$2 apt=$1/apt file archives
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial" "$work/$package.new"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
    done
    sed -snE 's/^deb(-src)? /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sort -u >"$apt/parts/all.list" || true
    local get=(apt-get -q -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$apt/parts"
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=")
    "${get[@]}" update || true # package archives without sources do no harm
    (cd "$work" && "${get[@]}" source --download-only "$package") || return
    archives=("$work/${package}"_*.orig.tar.?z)
    tar -xf "${archives[0]}" -C "$work/$package.new" --strip-components=1 && mv "$work/$package.new" "$work/$package"
}
