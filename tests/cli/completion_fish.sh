#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion in a real fish.
. "$(dirname "$0")/_lib.sh"
command -v fish >/dev/null || skip "no fish"
completions=$source_dir/cli/completions
: >first.profraw
export HOME=$tmp

# offers LINE WORD...: what fish offers for this line, without explanations.
offers() {
    local line=$1 want
    shift
    want=$(printf '%s\n' "$@" | sort)
    fish --no-config -c "source '$completions/anyprof.fish'; source '$completions/llvm-profdata.fish'
        source '$completions/llvm-profgen.fish'
        complete -C '$line'" >"$out" 2>"$err"
    is "$line" "$(cut -f 1 "$out" | sort)" "$want"
    silent
}

offers "anyprof mer" merge
offers "anyprof prob" probes
offers "anyprof probes t" tree
offers "anyprof help prob" probes
offers "anyprof help probes dis" disasm
offers "anyprof help merge "
offers "anyprof --v" --version
offers "anyprof merge --fail" --failure-mode
offers "anyprof merge --failure-mode=" --failure-mode={all,any,warn}
offers "anyprof merge --for llvm-16" llvm-16
offers "anyprof merge fi" first.profraw
offers "anyprof merge -o fi" first.profraw
offers "anyprof merge --report=fi" --report=first.profraw
offers "anyprof show --topn fi"
offers "anyprof bat stats --js" --json
offers "llvm-profdata sh" show
offers "llvm-profdata pro"
offers "llvm-profdata merge --progr"
offers "llvm-profdata merge --spa" --sparse
offers "llvm-profgen --skip" --skip-symbolization
offers "llvm-profgen --format te" text
offers "llvm-profgen --perfdata=fi" --perfdata=first.profraw
offers "llvm-profgen -p" -pd -ps
offers "llvm-profgen --ignore-b"
finish
