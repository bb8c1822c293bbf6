#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the documents point to exists: links of the Markdown files, headings that they name, and tests, by their paths
# below tests/.
# Lines of docs/formats have at most 120 characters; every finding about a file has its heading there.
. "$(dirname "$0")/_lib.sh"

# Sets anchors[PAGE] to those of a page, as web sites make them of its headings, with a line feed around each.
declare -A anchors=()
find_anchors() {
    [ -z "${anchors[$1]:-}" ] || return 0
    anchors[$1]=$'\n'$(awk '/^```/ { code = !code } !code && /^#+ /' "$1" |
        sed -E 's/^#+ //; s/[^A-Za-z0-9 _-]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]')$'\n'
}

mapfile -t pages < <(tree README.md NEWS.md CONTRIBUTING.md SECURITY.md docs src -- -name '*.md')
for page in "${pages[@]}"; do
    case $page in */*) directory=${page%/*} ;; *) directory=. ;; esac
    while read -r link; do
        case $link in http*: | http*//* | mailto:*) continue ;; esac
        file=$page
        [ -z "${link%%#*}" ] || file=$directory/${link%%#*}
        [ -e "$file" ] || fail "$page links to $link, which does not exist"
        case $link in *.md#* | '#'*) ;; *) continue ;; esac
        find_anchors "$file"
        [[ ${anchors[$file]} == *$'\n'"${link#*#}"$'\n'* ]] || fail "$page: no heading $link"
    done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//')
    while read -r test; do
        # shellcheck disable=SC2206  # a pattern
        matches=(tests/$test)
        [ -e "${matches[0]}" ] || fail "$page names tests/$test, which does not exist"
    done < <(grep -oE '\b(unit|oracle|cli|cost)/[a-z0-9_./*]+\.(c|py|sh)\b' "$page" | sort -u)
done

# docs/README.md, which is also the navigation of the site, lists every document; commands have a list of their own.
for page in docs/*.md docs/formats/*.md; do
    [ "$page" = docs/README.md ] || grep -qF "](${page#docs/})" docs/README.md ||
        fail "docs/README.md does not list ${page#docs/}: add a line to the section of its readers"
done

# Every room of src/ has a README.md, and so has each folder of src/instr and src/sample; the files that they name
# exist.
for room in src/*/ src/instr/*/ src/sample/*/; do
    [ -e "$room/README.md" ] || fail "$room has no README.md"
done
declare -A names=()
while read -r file; do
    names[${file##*/}]=1
done < <(tree src include tests -- -name '*.[ch]')
while IFS=: read -r page file; do
    [ -n "${names[$file]:-}" ] || fail "$page names $file, which does not exist"
done < <(tree src -- -name README.md | xargs grep -oHE '[a-z0-9_]+\.[ch]\b' | sort -u)

long=$(LC_ALL=C.UTF-8 awk 'length($0) > 120 { print FILENAME ":" FNR ": " length($0) }' docs/formats/*.md)
[ -z "$long" ] || fail "$long"
quirks=$(sed -n '/^#define QUIRKS(X)/,/^$/s/^ *X(\([A-Z0-9_]*\),.*/\1/p' src/instr/model/quirks.h | sort)
headings=$(grep -hoE '^### [A-Z0-9_]+' docs/formats/*.md | cut -c 5- | grep -E '[A-Z]{2}' | sort -u)
[ "$quirks" = "$headings" ] || fail "findings and headings of docs/formats differ:" \
    "$(diff <(printf '%s\n' "$quirks") <(printf '%s\n' "$headings") | grep '^[<>]' | tr '\n' ' ')"
finish
