# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion for bash. Made by docs/generate.py of the command's own tables: do not edit.

# Sets options to those of a command, as they may be typed; those with a value end with '='.
_anyprof_options() {
    case $1 in
    'anyprof merge') options='-f --input-files= --weighted-input= --drop-memprof --delete-inputs -o --output= --partial --forget-inputs --for= --binary --extbinary --text --gcc --compbinary --sparse --memprof-version= --memprof-full-schema --temporal-profile-trace-reservoir-size= --temporal-profile-max-trace-length= --report= --function= --no-function= -r --remapping-file= --prefix-map= --use-md5 --compress-all-sections --gen-partial-profile --split-layout --prof-sym-list= --drop-profile-symbol-list --output-size-limit= --convert-sample-profile-layout= --sample-merge-cold-context --sample-trim-cold-context --sample-frame-depth-for-cold-context= --supplement-instr-with-sample= --suppl-min-size-threshold= --zero-counter-threshold= --instr-prof-cold-threshold= --failure-mode= --max-loss= --salvage --quiet -v --verbose --demangle --no-demangle --instr --sample --include= --max-input-size= --max-records= -j --num-threads= --progress= --color -h --help --help-hidden --version' ;;
    'anyprof collect') options='-o --output= --for= --spool= --settle= --every= --once --metrics= --state= --keep= --max-disk= --max-input-size= --max-records= --quiet -j --num-threads= --color -h --help --help-hidden --version' ;;
    'anyprof show') options='-o --output= --instr --sample --memory --all-functions --demangle --no-demangle --function= --value-cutoff= --list-below-cutoff --covered --showcs --topn= --hot-func-list --counts --ic-targets --show-vtables --memop-sizes --text --detailed-summary --detailed-summary-cutoffs= --binary-ids --profile-version --temporal-profile-traces --show-format= --json --show-prof-sym-list --show-sec-info-only --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof overlap') options='-o --output= --demangle --no-demangle --cs --function= --value-cutoff= --instr --sample --similarity-cutoff= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof order') options='-o --output= --demangle --no-demangle --num-test-traces= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof diff') options='-o --output= --demangle --no-demangle --instr --sample --function= --cs --exact-names --topn= --absolute --fail-above= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof convert') options='-o --output= --memprof-version= --memprof-full-schema --instr --sample --to= --folded --speedscope --pprof --csv --lines --cs --demangle --no-demangle --max-output-size= --for= --sparse --keep-vtable-symbols --drop-memprof --max-input-size= --max-records= --quiet --color -h --help --help-hidden --version' ;;
    'anyprof lookup') options='-o --output= --demangle --no-demangle --instr --sample --hash= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof info') options='-o --output= --json --include= --max-input-size= --max-records= --quiet -j --num-threads= --progress= --color -h --help --help-hidden --version' ;;
    'anyprof check') options='-o --output= --json --all --include= --max-input-size= --max-records= --quiet --progress= --color -h --help --help-hidden --version' ;;
    'anyprof help') options='--color -h --help --help-hidden --version' ;;
    'llvm-profdata merge') options='-f --input-files= --weighted-input= -o --output= --binary --extbinary --text --gcc --compbinary --sparse --memprof-version= --memprof-full-schema --temporal-profile-trace-reservoir-size= --temporal-profile-max-trace-length= --function= --no-function= -r --remapping-file= --use-md5 --compress-all-sections --gen-partial-profile --split-layout --prof-sym-list= --drop-profile-symbol-list --output-size-limit= --convert-sample-profile-layout= --sample-merge-cold-context --sample-trim-cold-context --sample-frame-depth-for-cold-context= --supplement-instr-with-sample= --suppl-min-size-threshold= --zero-counter-threshold= --instr-prof-cold-threshold= --failure-mode= --instr --sample -j --num-threads= --color -h --help --help-hidden --version' ;;
    'llvm-profdata show') options='-o --output= --instr --sample --memory --all-functions --function= --value-cutoff= --list-below-cutoff --covered --showcs --topn= --hot-func-list --counts --ic-targets --show-vtables --memop-sizes --text --detailed-summary --detailed-summary-cutoffs= --binary-ids --profile-version --temporal-profile-traces --show-format= --json --show-prof-sym-list --show-sec-info-only --color -h --help --help-hidden --version' ;;
    'llvm-profdata overlap') options='-o --output= --cs --function= --value-cutoff= --instr --sample --similarity-cutoff= --color -h --help --help-hidden --version' ;;
    'llvm-profdata order') options='-o --output= --num-test-traces= --color -h --help --help-hidden --version' ;;
    *) options="" ;;
    esac
}

# Sets values to the possible values of an option of a command; to '/' if the value is a file, to '?' if it is unknown,
# to nothing if the option has none.
_anyprof_values() {
    case $1 in
    'anyprof merge -f' | 'anyprof merge --input-files' | 'anyprof merge -o' | 'anyprof merge --output' | 'anyprof merge --report' | 'anyprof merge -r' | 'anyprof merge --remapping-file' | 'anyprof merge --prof-sym-list' | 'anyprof merge --supplement-instr-with-sample') values='/' ;;
    'anyprof merge --weighted-input' | 'anyprof merge --temporal-profile-trace-reservoir-size' | 'anyprof merge --temporal-profile-max-trace-length' | 'anyprof merge --function' | 'anyprof merge --no-function' | 'anyprof merge --prefix-map' | 'anyprof merge --output-size-limit' | 'anyprof merge --sample-frame-depth-for-cold-context' | 'anyprof merge --suppl-min-size-threshold' | 'anyprof merge --zero-counter-threshold' | 'anyprof merge --instr-prof-cold-threshold' | 'anyprof merge --max-loss' | 'anyprof merge --include' | 'anyprof merge --max-input-size' | 'anyprof merge --max-records' | 'anyprof merge -j' | 'anyprof merge --num-threads') values='?' ;;
    'anyprof merge --for') values='auto llvm-3.5 llvm-3.6 llvm-3.7 llvm-3.8 llvm-3.9 llvm-4 llvm-5 llvm-6 llvm-7 llvm-8 llvm-9 llvm-10 llvm-11 llvm-12 llvm-13 llvm-14 llvm-15 llvm-16 llvm-17 llvm-18 llvm-19 llvm-20 llvm-21 llvm-22 llvm-23 gcc-5 gcc-6 gcc-7 gcc-8 gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16 indexed-1 indexed-2 indexed-3 indexed-4 indexed-5 indexed-6 indexed-7 indexed-8 indexed-9 indexed-10 indexed-11 indexed-12 indexed-13 indexed-14' ;;
    'anyprof merge --memprof-version') values='0 1 2 3 4' ;;
    'anyprof merge --convert-sample-profile-layout') values='nest flat' ;;
    'anyprof merge --failure-mode') values='any all warn' ;;
    'anyprof merge --progress') values='auto always never' ;;
    'anyprof collect -o' | 'anyprof collect --output' | 'anyprof collect --spool' | 'anyprof collect --metrics' | 'anyprof collect --state') values='/' ;;
    'anyprof collect --for') values='auto llvm-3.5 llvm-3.6 llvm-3.7 llvm-3.8 llvm-3.9 llvm-4 llvm-5 llvm-6 llvm-7 llvm-8 llvm-9 llvm-10 llvm-11 llvm-12 llvm-13 llvm-14 llvm-15 llvm-16 llvm-17 llvm-18 llvm-19 llvm-20 llvm-21 llvm-22 llvm-23 gcc-5 gcc-6 gcc-7 gcc-8 gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16 indexed-1 indexed-2 indexed-3 indexed-4 indexed-5 indexed-6 indexed-7 indexed-8 indexed-9 indexed-10 indexed-11 indexed-12 indexed-13 indexed-14' ;;
    'anyprof collect --settle' | 'anyprof collect --every' | 'anyprof collect --keep' | 'anyprof collect --max-disk' | 'anyprof collect --max-input-size' | 'anyprof collect --max-records' | 'anyprof collect -j' | 'anyprof collect --num-threads') values='?' ;;
    'anyprof show -o' | 'anyprof show --output') values='/' ;;
    'anyprof show --function' | 'anyprof show --value-cutoff' | 'anyprof show --topn' | 'anyprof show --detailed-summary-cutoffs' | 'anyprof show --max-input-size' | 'anyprof show --max-records') values='?' ;;
    'anyprof show --show-format') values='text json yaml gcov' ;;
    'anyprof overlap -o' | 'anyprof overlap --output') values='/' ;;
    'anyprof overlap --function' | 'anyprof overlap --value-cutoff' | 'anyprof overlap --similarity-cutoff' | 'anyprof overlap --max-input-size' | 'anyprof overlap --max-records') values='?' ;;
    'anyprof order -o' | 'anyprof order --output') values='/' ;;
    'anyprof order --num-test-traces' | 'anyprof order --max-input-size' | 'anyprof order --max-records') values='?' ;;
    'anyprof diff -o' | 'anyprof diff --output') values='/' ;;
    'anyprof diff --function' | 'anyprof diff --topn' | 'anyprof diff --fail-above' | 'anyprof diff --max-input-size' | 'anyprof diff --max-records') values='?' ;;
    'anyprof convert -o' | 'anyprof convert --output') values='/' ;;
    'anyprof convert --memprof-version') values='0 1 2 3 4' ;;
    'anyprof convert --to') values='indexed extbinary binary compbinary gcc text json folded speedscope pprof csv' ;;
    'anyprof convert --max-output-size' | 'anyprof convert --max-input-size' | 'anyprof convert --max-records') values='?' ;;
    'anyprof convert --for') values='auto llvm-3.5 llvm-3.6 llvm-3.7 llvm-3.8 llvm-3.9 llvm-4 llvm-5 llvm-6 llvm-7 llvm-8 llvm-9 llvm-10 llvm-11 llvm-12 llvm-13 llvm-14 llvm-15 llvm-16 llvm-17 llvm-18 llvm-19 llvm-20 llvm-21 llvm-22 llvm-23 gcc-5 gcc-6 gcc-7 gcc-8 gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16 indexed-1 indexed-2 indexed-3 indexed-4 indexed-5 indexed-6 indexed-7 indexed-8 indexed-9 indexed-10 indexed-11 indexed-12 indexed-13 indexed-14' ;;
    'anyprof lookup -o' | 'anyprof lookup --output') values='/' ;;
    'anyprof lookup --hash' | 'anyprof lookup --max-input-size' | 'anyprof lookup --max-records') values='?' ;;
    'anyprof info -o' | 'anyprof info --output') values='/' ;;
    'anyprof info --include' | 'anyprof info --max-input-size' | 'anyprof info --max-records' | 'anyprof info -j' | 'anyprof info --num-threads') values='?' ;;
    'anyprof info --progress') values='auto always never' ;;
    'anyprof check -o' | 'anyprof check --output') values='/' ;;
    'anyprof check --include' | 'anyprof check --max-input-size' | 'anyprof check --max-records') values='?' ;;
    'anyprof check --progress') values='auto always never' ;;
    'llvm-profdata merge -f' | 'llvm-profdata merge --input-files' | 'llvm-profdata merge -o' | 'llvm-profdata merge --output' | 'llvm-profdata merge -r' | 'llvm-profdata merge --remapping-file' | 'llvm-profdata merge --prof-sym-list' | 'llvm-profdata merge --supplement-instr-with-sample') values='/' ;;
    'llvm-profdata merge --weighted-input' | 'llvm-profdata merge --temporal-profile-trace-reservoir-size' | 'llvm-profdata merge --temporal-profile-max-trace-length' | 'llvm-profdata merge --function' | 'llvm-profdata merge --no-function' | 'llvm-profdata merge --output-size-limit' | 'llvm-profdata merge --sample-frame-depth-for-cold-context' | 'llvm-profdata merge --suppl-min-size-threshold' | 'llvm-profdata merge --zero-counter-threshold' | 'llvm-profdata merge --instr-prof-cold-threshold' | 'llvm-profdata merge -j' | 'llvm-profdata merge --num-threads') values='?' ;;
    'llvm-profdata merge --memprof-version') values='0 1 2 3 4' ;;
    'llvm-profdata merge --convert-sample-profile-layout') values='nest flat' ;;
    'llvm-profdata merge --failure-mode') values='any all warn' ;;
    'llvm-profdata show -o' | 'llvm-profdata show --output') values='/' ;;
    'llvm-profdata show --function' | 'llvm-profdata show --value-cutoff' | 'llvm-profdata show --topn' | 'llvm-profdata show --detailed-summary-cutoffs') values='?' ;;
    'llvm-profdata show --show-format') values='text json yaml gcov' ;;
    'llvm-profdata overlap -o' | 'llvm-profdata overlap --output') values='/' ;;
    'llvm-profdata overlap --function' | 'llvm-profdata overlap --value-cutoff' | 'llvm-profdata overlap --similarity-cutoff') values='?' ;;
    'llvm-profdata order -o' | 'llvm-profdata order --output') values='/' ;;
    'llvm-profdata order --num-test-traces') values='?' ;;
    *) values="" ;;
    esac
}

# Sets words to what may stand first, after a group, or after 'help'.
_anyprof_words() {
    case $1 in
    anyprof) words='merge collect show overlap order diff convert lookup info check help' ;;
    llvm-profdata) words='merge show overlap order' ;;
    *) words="" ;;
    esac
}

_anyprof_files() { # BEFORE WORD: of a name that begins after BEFORE; else readline does it
    COMPREPLY=()
    if [ -n "${1:-}" ]; then
        compopt -o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -P "$1" -f -- "$2")
    else
        compopt -o default 2>/dev/null
    fi
}

_anyprof() {
    local cur=${COMP_WORDS[COMP_CWORD]} first=1 name=anyprof command="" word option="" before="" options values words
    case ${COMP_WORDS[0]##*/} in
    llvm-profdata*) name=llvm-profdata ;;
    esac
    COMPREPLY=()

    # The command: one word, or two after a group; 'help' is followed by one.
    if [ "${COMP_WORDS[1]:-}" = help ] && [ "$COMP_CWORD" -gt 1 ] && [[ $cur != -* ]]; then
        first=2
    fi
    for word in "${COMP_WORDS[@]:first:COMP_CWORD-first}"; do
        _anyprof_words "$name${command:+ $command}"
        [ -n "$words" ] || break
        command+="${command:+ }$word"
    done
    _anyprof_words "$name${command:+ $command}"
    if [ -n "$words" ]; then
        [[ $cur != -* ]] || words="--help --version"
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    [ "$first" = 1 ] || return

    # A value: after '=', which is a word of its own here, or after its option.
    if [[ $cur == -*=* ]]; then # COMP_WORDBREAKS lacks '='
        option=${cur%%=*} cur=${cur#*=} before=$option=
    elif [ "$cur" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 1]} cur=""
    elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    else
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    [[ $option != -* ]] || option=-${option#-}
    [[ $option != -[^-]?* ]] || option=-$option
    _anyprof_values "$name $command $option"
    case $values in
    "") ;;
    /)
        _anyprof_files "$before" "$cur"
        return
        ;;
    '?') return ;;
    *)
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" -- "$cur")
        return
        ;;
    esac

    if [[ $cur != -* ]]; then
        _anyprof_files
        return
    fi
    _anyprof_options "$name $command"
    [[ $cur == --* || $cur == - ]] || options=${options//--/-} # one dash is as good as two
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    if [ ${#COMPREPLY[@]} = 1 ] && [[ ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -F _anyprof anyprof llvm-profdata llvm-profdata-10 llvm-profdata-11 llvm-profdata-12 llvm-profdata-13 llvm-profdata-14 llvm-profdata-15 llvm-profdata-16 llvm-profdata-17 llvm-profdata-18 llvm-profdata-19 llvm-profdata-20 llvm-profdata-21 llvm-profdata-22 llvm-profdata-23
