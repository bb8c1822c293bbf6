#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the completion for bash offers, in full: every command, group and option that is shown by help.
. "$(dirname "$0")/_lib.sh"
# shellcheck source=/dev/null
. "$source_dir/cli/completions/anyprof.bash"

asked=""
compopt() { # of the shell, which knows it during a completion only
    asked="$*"
}

# offers WORD... -- OFFER...: after these words, of which the last one is being typed.
offers() {
    COMP_WORDS=()
    while [ "$1" != :: ]; do
        COMP_WORDS+=("$1")
        shift
    done
    shift
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    asked=""
    _anyprof
    is "${COMP_WORDS[*]}" "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" "$(printf '%s\n' "$@" | sort)"
}

# Commands and groups, of help's own list.
ends 0 help
mapfile -t firsts < <(sed -n '/^Commands:/,/^$/s/^    \([a-z]*\) .*/\1/p' "$out")
offers anyprof "" :: "${firsts[@]}"
offers anyprof help "" :: "${firsts[@]}"
offers /usr/bin/anyprof "" :: "${firsts[@]}"
commands=()
for first in "${firsts[@]}"; do
    ends 0 help "$first"
    mapfile -t words < <(sed -n "/^Commands:/,/^\$/s/^    $first \\([a-z]*\\) .*/\\1/p" "$out")
    if [ ${#words[@]} = 0 ]; then
        commands+=("$first")
        continue
    fi
    offers anyprof "$first" "" :: "${words[@]}"
    offers anyprof help "$first" "" :: "${words[@]}"
    for word in "${words[@]}"; do
        commands+=("$first $word")
    done
done
if [ ${#commands[@]} -gt 20 ]; then good; else bad "only ${#commands[@]} commands"; fi

# Options, of help's list of each command.
# shellcheck disable=SC2086
for command in "${commands[@]}"; do
    ends 0 help $command
    mapfile -t options < <(sed -nE 's/^    ((-., )?--?[a-zA-Z].*)$/\1/p' "$out" | sed -E 's/  .*//; s/=.*/=/' |
        tr ',' '\n' | tr -d ' ' | sed 's/^--\(.\)\(=\{0,1\}\)$/-\1\2/' | sort -u)
    offers anyprof $command - :: "${options[@]}"
done

# Values.
offers anyprof merge --failure-mode = "" :: any all warn
offers anyprof merge --failure-mode = w :: warn
offers anyprof merge --failure-mode w :: warn
offers anyprof merge -failure-mode = w :: warn
offers anyprof merge --for = llvm-2 :: llvm-20 llvm-21 llvm-22 llvm-23
offers anyprof profgen --for = llvm-2 :: llvm-20 llvm-21 llvm-22 llvm-23
offers anyprof profgen --for = indexed :: ""
offers anyprof merge --failure-mode=w :: --failure-mode=warn
offers anyprof merge -failure-mode=w :: -failure-mode=warn
: >first.profraw
offers anyprof merge --report=fi :: --report=first.profraw
offers anyprof probes disasm --x86-asm-syntax = :: att intel
offers anyprof merge --fail :: --failure-mode=
is "after an option with a value" "$asked" "-o nospace"
offers anyprof merge -fail :: -failure-mode=
offers anyprof merge --spar :: --sparse
is "after an option without one" "$asked" ""
offers anyprof show --topn = :: ""
is "of a number" "$asked" ""
for option in --output -o --report --input-files -f -report; do
    offers anyprof merge $option "" :: ""
    is "files of $option" "$asked" "-o default"
done
offers anyprof merge --output = "" :: ""
is "files" "$asked" "-o default"
offers anyprof merge "" :: ""
is "files" "$asked" "-o default"
offers anyprof help merge "" :: ""
is "after help of a command" "$asked" ""

# Each compiler that is offered can be meant.
_anyprof_values "anyprof profgen --for"
for compiler in $values; do
    ends 1 profgen --binary=absent --perfscript=absent -o new --for="$compiler"
    hints "error: absent: No such file"
done

# LLVM's tool, whichever it is: what both have.
for name in llvm-profdata llvm-profdata-16 /usr/bin/llvm-profdata; do
    offers $name mer :: merge
    offers $name pro :: ""
    offers $name merge --for :: ""
    offers $name merge --sparse --fail :: --failure-mode=
done
offers llvm-profgen --format = b :: binary
offers llvm-profgen -pd absent :: ""
is "a file" "$asked" "-o default"
# Without ELF there is no profgen, and LLVM's own tool is left alone.
if grep -q llvm-profgen "$source_dir"/cli/completions/without_elf/*; then bad "llvm-profgen without ELF"; else good; fi
finish
