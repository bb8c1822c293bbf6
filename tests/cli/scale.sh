#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# docs/scale.md: the recipes marked as tried, as they stand there, with 10,000 small profiles. A recipe whose program is
# not here is left out, with a note: Slurm in most places.
. "$(dirname "$0")/_lib.sh"
page=$source_dir/docs/scale.md
PATH=$(dirname "$anyprof"):$PATH

# recipe HEADING N: the N-th block of code below a heading.
recipe() {
    awk -v heading="## $1 (tried)" -v wanted="$2" '
        /^## / { inside = $0 == heading; next }
        inside && /^```/ { if (open) open = 0; else { open = 1; n++ } next }
        inside && open && n == wanted' "$page"
}

# tries HEADING COMMANDS: runs the recipe with the profiles; the result is that of one merge.
tries() {
    local here
    here=$PWD/${1// /_}
    mkdir "$here"
    mv profiles "$here"
    recipe "$1" 1 >"$here/first"
    recipe "$1" 2 >"$here/second"
    if [ -s "$here/first" ]; then good; else bad "$page has no recipe for $1"; fi
    (cd "$here" && eval "$2") >"$out" 2>"$err" || bad "$1 failed"
    mv "$here/profiles" .
    same app.profdata "$here/app.profdata"
}

missing() {
    printf 'note: no %s: its recipe is not tried\n' "$1"
}

mkdir profiles
for kind in 1 2 3 4 5 6 7 8; do
    printf ':ir\nf%d\n%d\n2\n%d\n1\n\nmain\n1\n1\n%d\n\n' $((kind % 3)) $((kind % 2)) "$kind" $((kind * 7)) \
        >"$kind.proftext"
    "$anyprof" merge -o "$kind" "$kind.proftext" 2>"$err" || bad "no profile $kind"
    mkdir "profiles/$kind"
done
for ((i = 0; i < 10000; i++)); do
    printf '%s\0' "profiles/$((i % 8 + 1))/$i.profraw"
done | xargs -0 -n 250 sh -c 'for f; do kind=${f#*/}; ln "${kind%/*}" "$f"; done' sh
is "profiles" "$(find profiles -type f | wc -l)" 10000
ends 0 merge -o app.profdata profiles

tries xargs 'sh -e first'
if command -v parallel >/dev/null; then tries "GNU parallel" 'sh -e first'; else missing parallel; fi
if command -v make >/dev/null; then tries make 'make -j 2 -f first && make -q -f first'; else missing make; fi
if timeout 10 sinfo -h 2>/dev/null | grep -q idle; then
    tries Slurm 'mv first merge.sh && timeout 300 sh -e second'
else
    missing "Slurm that is running"
fi
finish
