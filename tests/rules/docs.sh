#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the documents point to is there: links of the Markdown files, and the tests named in docs/differences.md.
. "$(dirname "$0")/_lib.sh"

mapfile -t pages < <(tree README.md NEWS.md CONTRIBUTING.md SECURITY.md docs -- -name '*.md')
for page in "${pages[@]}"; do
    while read -r link; do
        case $link in http*: | http*//* | '#'* | mailto:*) continue ;; esac
        [ -e "$(dirname "$page")/${link%%#*}" ] || fail "$page links to $link, which does not exist"
    done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//')
done
while read -r test; do
    [ -e "tests/$test" ] || fail "docs/differences.md names tests/$test, which does not exist"
done < <(grep -oE '\| (unit|oracle|cli)/[A-Za-z0-9_./]* \|' docs/differences.md | tr -d '| ' | sort -u)
finish
