#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Man pages, web pages and completions are those that docs/generate.py makes of the command's tables and of docs/prose;
# every visible command has its prose and an example, every option its help, and every example in the documents a
# command and options that exist. groff and mandoc find nothing wrong with the pages; what is installed is complete.
. "$(dirname "$0")/_lib.sh"
command -v python3 >/dev/null || skip "no python3"

generate() {
    python3 "$1/docs/generate.py" --check "$2" >"$out" 2>"$err"
}

if generate "$source_dir" "$anyprof"; then good; else bad "docs/generate.py --check"; fi
is "what is not current" "$(cat "$out")" ""

# What it must find.
copy() {
    rm -rf tree
    mkdir -p tree/cli
    cp -R "$source_dir/docs" "$source_dir/README.md" tree
    cp -R "$source_dir/cli/completions" tree/cli
}
finds() { # finds TEXT
    if generate tree "$anyprof"; then bad "nothing was found"; else good; fi
    prints "$1"
    copy
}
copy
rm tree/docs/prose/merge.md
finds "docs/prose/merge.md is missing"
sed -i 's/^anyprof probes stats/true/' tree/docs/prose/probes.md
finds "docs/prose: no example of anyprof probes stats"
sed -i '/^### tree/d' tree/docs/prose/probes.md
finds "docs/prose/probes.md: no heading for 'tree' under Commands"
sed -i 's/^### --for/### --four/' tree/docs/prose/merge.md
finds "docs/prose/merge.md: Options has '--four', which does not exist"
printf '\n```sh\nmake && anyprof show --nothing x | less\n```\n' >>tree/docs/json.md
finds "show has no option --nothing"
printf '\n```console\n$ anyprof shw x\n```\n' >>tree/README.md
finds "no such command: anyprof shw x"
echo >>tree/docs/man/anyprof-bat.1
finds "docs/man/anyprof-bat.1 is not current"
: >tree/docs/man/anyprof-nothing.1
finds "docs/man/anyprof-nothing.1 is not generated"
sed -i 's/--sparse/--dense/' tree/docs/commands/merge.md
finds "docs/commands/merge.md is not current"
sed -i 's/sparse/dense/' tree/cli/completions/anyprof.bash
finds "cli/completions/anyprof.bash is not current"
sed -i 's/for heading, numbers in table.headings_of(page):/for heading, numbers in []:/' tree/docs/web_pages.py
finds "docs/commands/merge.md lacks --sparse"
sed -i '/^    "merge": (/s/"scale"/"scales"/' tree/docs/command_table.py
finds "docs/scales.md is missing, which GUIDES of command_table.py names"
# An option without help, and a command without prose: of a table that is not ours.
cat >other <<END
#!/bin/sh
"$anyprof" "\$@" | sed -e 's/"help": "Leave out functions that never ran"/"help": ""/' \
    -e 's/{"name": "show", "hidden": false/{"name": "shows", "hidden": false/'
END
chmod +x other
generate tree ./other
prints "--sparse has no help
docs/prose/shows.md is missing
docs/prose/show.md belongs to no command"

# The pages.
for page in "$source_dir"/docs/man/*.[17]; do
    name=$(basename "$page")
    parts=(NAME SYNOPSIS DESCRIPTION "SEE ALSO")
    [[ $name = *.7 ]] || parts+=(EXAMPLES "EXIT STATUS")
    for part in "${parts[@]}"; do
        is "$part of $name" "$(grep -cxF ".SH $part" "$page")" 1
    done
    if command -v groff >/dev/null; then
        groff -ww -man -Tascii "$page" 2>&1 >formatted | head -n 5 >"$err"
        silent
        if grep -qE '\\f[BIR]|\*\*|`' formatted; then bad "markup is left in $name"; else good; fi
    fi
    if command -v mandoc >/dev/null; then
        # A date would be one more thing that is not current.
        mandoc -T lint -W warning "$page" 2>&1 | grep -v 'missing date' >"$err"
        silent
    fi
done
# Pages for the web have links to other documents.
grep -n 'of the project' "$source_dir"/docs/commands/*.md >"$err"
silent
command -v groff >/dev/null || printf 'skipped: no groff\n'
command -v mandoc >/dev/null || printf 'skipped: no mandoc\n'

# What is installed under the names of other tools: nothing of it has to be built first.
if command -v cmake >/dev/null && [ "${ANYPROF_INSTRUMENTED:-0}" = 0 ]; then
    cmake -S "$source_dir" -B names -DANYPROF_LLVM_NAMES=ON >"$out" 2>"$err" &&
        cmake --install names --component llvm-names --prefix "$tmp/usr" >"$out" 2>"$err" || bad "cmake"
    for name in llvm-profdata llvm-profgen merge-fdata llvm-bat-dump profile_merger dump_gcov; do
        is "$name" "$(readlink usr/bin/$name)" anyprof
        there usr/share/man/man1/$name.1
        there "$source_dir/docs/man/$(sed 's|.so man1/||' usr/share/man/man1/$name.1)"
    done
    same usr/share/bash-completion/completions/llvm-profdata "$source_dir/cli/completions/anyprof.bash"
    same usr/share/fish/vendor_completions.d/llvm-profdata.fish "$source_dir/cli/completions/llvm-profdata.fish"
fi
finish
