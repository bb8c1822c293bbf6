# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion for bash. Made by docs/generate.py of the command's own tables: do not edit.

# Sets options to those of a command, as they may be typed; those with a value end with '='.
_anyprof_options() {
    case $1 in
    'anyprof merge') options='-f --input-files= --weighted-input= --drop-memprof --delete-inputs -o --output= --partial --forget-inputs --for= --binary --extbinary --text --gcc --compbinary --sparse --memprof-version= --memprof-full-schema --temporal-profile-trace-reservoir-size= --temporal-profile-max-trace-length= --report= --function= --no-function= -r --remapping-file= --prefix-map= --use-md5 --compress-all-sections --gen-partial-profile --split-layout --prof-sym-list= --drop-profile-symbol-list --output-size-limit= --convert-sample-profile-layout= --sample-merge-cold-context --sample-trim-cold-context --sample-frame-depth-for-cold-context= --supplement-instr-with-sample= --suppl-min-size-threshold= --zero-counter-threshold= --instr-prof-cold-threshold= --failure-mode= --max-loss= --salvage --quiet -v --verbose --demangle --no-demangle --instr --sample --include= --html= --debug-info= --binary-file= --debug-file-directory= --correlate= --max-debug-info-correlation-warnings= --max-input-size= --max-records= -j --num-threads= --progress= --color -h --help --help-hidden --version' ;;
    'anyprof collect') options='-o --output= --for= --debug-info= --binary-file= --debug-file-directory= --correlate= --max-debug-info-correlation-warnings= --spool= --settle= --every= --once --metrics= --state= --keep= --max-disk= --max-input-size= --max-records= --quiet -j --num-threads= --color -h --help --help-hidden --version' ;;
    'anyprof show') options='-o --output= --instr --sample --memory --all-functions --demangle --no-demangle --function= --value-cutoff= --list-below-cutoff --covered --showcs --topn= --hot-func-list --counts --ic-targets --show-vtables --memop-sizes --text --detailed-summary --detailed-summary-cutoffs= --binary-ids --profile-version --temporal-profile-traces --show-format= --json --max-debug-info-correlation-warnings= --debug-info= --show-prof-sym-list --show-sec-info-only --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof overlap') options='-o --output= --demangle --no-demangle --cs --function= --value-cutoff= --instr --sample --similarity-cutoff= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof order') options='-o --output= --demangle --no-demangle --num-test-traces= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof diff') options='-o --output= --demangle --no-demangle --instr --sample --function= --cs --exact-names --topn= --absolute --fail-above= --markdown --debug-info= --binary-file= --debug-file-directory= --correlate= --max-debug-info-correlation-warnings= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof convert') options='-o --output= --memprof-version= --memprof-full-schema --instr --sample --to= --folded --speedscope --pprof --csv --lines --cs --demangle --no-demangle --max-output-size= --for= --sparse --keep-vtable-symbols --drop-memprof --debug-info= --binary-file= --debug-file-directory= --correlate= --max-debug-info-correlation-warnings= --max-input-size= --max-records= --quiet --color -h --help --help-hidden --version' ;;
    'anyprof lookup') options='-o --output= --demangle --no-demangle --instr --sample --hash= --debug-info= --binary-file= --debug-file-directory= --correlate= --max-debug-info-correlation-warnings= --json --max-input-size= --max-records= --color -h --help --help-hidden --version' ;;
    'anyprof info') options='-o --output= --json --include= --max-input-size= --max-records= --quiet -j --num-threads= --progress= --color -h --help --help-hidden --version' ;;
    'anyprof check') options='-o --output= --json --all --include= --against= --max-input-size= --max-records= --quiet --progress= --color -h --help --help-hidden --version' ;;
    'anyprof report') options='-o --output= --include= --against= --binary= --cs --title= --markdown --demangle --no-demangle --max-input-size= --max-records= --quiet --progress= --color -h --help --help-hidden --version' ;;
    'anyprof probes desc') options='-o --output= --demangle --no-demangle --section --desc-section= --big-endian --keep-going --function= --json --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes list') options='-o --output= --demangle --no-demangle --section --desc-section= --big-endian --keep-going --function= --address= --json --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes tree') options='-o --output= --demangle --no-demangle --section --desc-section= --big-endian --keep-going --function= --address= --json --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes stats') options='-o --output= --demangle --no-demangle --section --desc-section= --big-endian --keep-going --json --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes verify') options='-o --output= --demangle --no-demangle --section --desc-section= --big-endian --function= --against= --max-stale= --json --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes diff') options='-o --output= --demangle --no-demangle --function= --summary --moved --topn= --json --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes disasm') options='-o --output= --demangle --no-demangle --keep-going --disassemble-functions= --function= --address= --x86-asm-syntax= --show-pseudo-probe --show-source-locations --show-canonical-fname --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes lookup') options='-o --output= --demangle --no-demangle --json --max-input-size= --max-records= --max-depth= --color -h --help --help-hidden --version' ;;
    'anyprof probes asm') options='-o --output= -c --assemble --max-input-size= --quiet --color -h --help --help-hidden --version' ;;
    'anyprof probes emit') options='-o --output= --no-code-groups --max-input-size= --quiet --color -h --help --help-hidden --version' ;;
    'anyprof bat dump') options='-o --output= --json --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof bat translate') options='-o --output= --branch-source --reverse --original= --json --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof bat stats') options='-o --output= --json --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof bat verify') options='-o --output= --original= --json --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof bat extract') options='-o --output= --convert --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof bat inject') options='-o --output= --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof bat strip') options='-o --output= --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof bolt convert') options='-o --output= --pa= -w --write-yaml= --perf-script= -p --perfdata= --basic-events --pid= --max-samples= --build-ids= --ignore-build-id --ignore-interrupt-lbr --report= --max-lost= --skip-funcs= --max-input-size= --quiet --color -h --help --help-hidden --version' ;;
    'anyprof bolt merge') options='-o --output= --include= --print= -q --max-input-size= --max-records= --progress= --color -h --help --help-hidden --version' ;;
    'anyprof profgen') options='--binary= --original= --debug-binary= --debug-dir= --dwp= -pd --perfdata= -ps --perfscript= -up --unsymbolized-profile= --llvm-sample-profile= --data-access-perftrace= --pid= --ignore-stack-samples --kernel --ignore-build-id -o --output= --format= --for= --skip-symbolization --use-offset --use-first-loadable-segment-as-base --use-dwarf-correlation --load-function-from-symbol --infer-missing-frames --csprof-merge-cold-context --csprof-max-cold-context-depth= --csprof-max-context-depth= --csprof-max-unsymbolized-context-depth= --trim-cold-profile --update-total-samples --show-density --profile-density-threshold= --profile-density-cutoff-hot= --report= --quiet --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof perf info') options='-o --output= --json --max-input-size= --color -h --help --help-hidden --version' ;;
    'anyprof cov report') options='-o --output= --demangle --no-demangle --profile= --instr-profile= --arch= --empty-profile --object= --compat= --report= --merge-instantiations= --compilation-dir= --prefix-map= --exclusion-markers --ignore-filename-regex= --sources= --format= --check-binary-ids --debug-file-directory= --show-functions --width= --show-region-summary --show-branch-summary --show-instantiation-summary --show-mcdc-summary --fail-under-lines= --fail-under-functions= --fail-under-regions= --fail-under-branches= --Xdemangler= --name= --name-regex= --name-allowlist= --region-coverage-lt= --region-coverage-gt= --line-coverage-lt= --line-coverage-gt= --path-equivalence= --max-input-size= --quiet -j --num-threads= --color -h --help --help-hidden --version' ;;
    'anyprof cov show') options='-o --output= --demangle --no-demangle --profile= --instr-profile= --arch= --empty-profile --object= --compat= --report= --merge-instantiations= --compilation-dir= --prefix-map= --exclusion-markers --ignore-filename-regex= --sources= --format= --use-color --output-dir= --project-title= --show-created-time --check-binary-ids --debug-file-directory= --coverage-watermark= --show-region-summary --show-branch-summary --show-instantiation-summary --show-mcdc-summary --Xdemangler= --name= --name-regex= --name-allowlist= --region-coverage-lt= --region-coverage-gt= --line-coverage-lt= --line-coverage-gt= --show-line-counts --binary-counters --show-regions --show-line-counts-or-regions --show-branches= --show-mcdc --show-expansions --show-instantiations --path-equivalence= --max-input-size= --quiet -j --num-threads= --color -h --help --help-hidden --version' ;;
    'anyprof cov export') options='-o --output= --demangle --no-demangle --profile= --instr-profile= --arch= --empty-profile --object= --compat= --report= --merge-instantiations= --compilation-dir= --prefix-map= --exclusion-markers --ignore-filename-regex= --sources= --format= --summary-only --check-binary-ids --debug-file-directory= --skip-expansions --skip-functions --skip-branches --unify-instantiations --fail-under-lines= --fail-under-functions= --fail-under-regions= --fail-under-branches= --Xdemangler= --name= --name-regex= --name-allowlist= --region-coverage-lt= --region-coverage-gt= --line-coverage-lt= --line-coverage-gt= --path-equivalence= --max-input-size= --quiet -j --num-threads= --color -h --help --help-hidden --version' ;;
    'anyprof cov diff') options='-o --output= --profile= --instr-profile= --arch= --empty-profile --object= --compat= --report= --base= --patch= --markdown --compilation-dir= --prefix-map= --exclusion-markers --ignore-filename-regex= --fail-under-patch= --path-equivalence= --json --max-input-size= --quiet -j --num-threads= --color -h --help --help-hidden --version' ;;
    'anyprof cov why') options='--profile= --instr-profile= --arch= --empty-profile --object= --compat= --compilation-dir= --prefix-map= --exclusion-markers --path-equivalence= --max-input-size= --quiet -j --num-threads= --color -h --help --help-hidden --version' ;;
    'anyprof help') options='--color -h --help --help-hidden --version' ;;
    'llvm-profdata merge') options='-f --input-files= --weighted-input= -o --output= --binary --extbinary --text --gcc --compbinary --sparse --memprof-version= --memprof-full-schema --temporal-profile-trace-reservoir-size= --temporal-profile-max-trace-length= --function= --no-function= -r --remapping-file= --use-md5 --compress-all-sections --gen-partial-profile --split-layout --prof-sym-list= --drop-profile-symbol-list --output-size-limit= --convert-sample-profile-layout= --sample-merge-cold-context --sample-trim-cold-context --sample-frame-depth-for-cold-context= --supplement-instr-with-sample= --suppl-min-size-threshold= --zero-counter-threshold= --instr-prof-cold-threshold= --failure-mode= --instr --sample --debug-info= --binary-file= --debug-file-directory= --correlate= --max-debug-info-correlation-warnings= -j --num-threads= --color -h --help --help-hidden --version' ;;
    'llvm-profdata show') options='-o --output= --instr --sample --memory --all-functions --function= --value-cutoff= --list-below-cutoff --covered --showcs --topn= --hot-func-list --counts --ic-targets --show-vtables --memop-sizes --text --detailed-summary --detailed-summary-cutoffs= --binary-ids --profile-version --temporal-profile-traces --show-format= --json --max-debug-info-correlation-warnings= --debug-info= --show-prof-sym-list --show-sec-info-only --color -h --help --help-hidden --version' ;;
    'llvm-profdata overlap') options='-o --output= --cs --function= --value-cutoff= --instr --sample --similarity-cutoff= --color -h --help --help-hidden --version' ;;
    'llvm-profdata order') options='-o --output= --num-test-traces= --color -h --help --help-hidden --version' ;;
    'llvm-profgen profgen') options='--binary= --debug-binary= --dwp= -pd --perfdata= -ps --perfscript= -up --unsymbolized-profile= --llvm-sample-profile= --data-access-perftrace= --pid= --ignore-stack-samples --kernel -o --output= --format= --skip-symbolization --use-offset --use-first-loadable-segment-as-base --use-dwarf-correlation --load-function-from-symbol --infer-missing-frames --csprof-merge-cold-context --csprof-max-cold-context-depth= --csprof-max-context-depth= --csprof-max-unsymbolized-context-depth= --trim-cold-profile --update-total-samples --show-density --profile-density-threshold= --profile-density-cutoff-hot= --color -h --help --help-hidden --version' ;;
    *) options="" ;;
    esac
}

# Sets values to the possible values of an option of a command; to '/' if the value is a file, to '?' if it is unknown,
# to nothing if the option has none.
_anyprof_values() {
    case $1 in
    'anyprof merge -f' | 'anyprof merge --input-files' | 'anyprof merge -o' | 'anyprof merge --output' | 'anyprof merge --report' | 'anyprof merge -r' | 'anyprof merge --remapping-file' | 'anyprof merge --prof-sym-list' | 'anyprof merge --supplement-instr-with-sample' | 'anyprof merge --html' | 'anyprof merge --debug-info' | 'anyprof merge --binary-file' | 'anyprof merge --debug-file-directory') values='/' ;;
    'anyprof merge --weighted-input' | 'anyprof merge --temporal-profile-trace-reservoir-size' | 'anyprof merge --temporal-profile-max-trace-length' | 'anyprof merge --function' | 'anyprof merge --no-function' | 'anyprof merge --prefix-map' | 'anyprof merge --output-size-limit' | 'anyprof merge --sample-frame-depth-for-cold-context' | 'anyprof merge --suppl-min-size-threshold' | 'anyprof merge --zero-counter-threshold' | 'anyprof merge --instr-prof-cold-threshold' | 'anyprof merge --max-loss' | 'anyprof merge --include' | 'anyprof merge --max-debug-info-correlation-warnings' | 'anyprof merge --max-input-size' | 'anyprof merge --max-records' | 'anyprof merge -j' | 'anyprof merge --num-threads') values='?' ;;
    'anyprof merge --for') values='auto llvm-3.5 llvm-3.6 llvm-3.7 llvm-3.8 llvm-3.9 llvm-4 llvm-5 llvm-6 llvm-7 llvm-8 llvm-9 llvm-10 llvm-11 llvm-12 llvm-13 llvm-14 llvm-15 llvm-16 llvm-17 llvm-18 llvm-19 llvm-20 llvm-21 llvm-22 llvm-23 gcc-5 gcc-6 gcc-7 gcc-8 gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16 indexed-1 indexed-2 indexed-3 indexed-4 indexed-5 indexed-6 indexed-7 indexed-8 indexed-9 indexed-10 indexed-11 indexed-12 indexed-13 indexed-14' ;;
    'anyprof merge --memprof-version') values='0 1 2 3 4' ;;
    'anyprof merge --convert-sample-profile-layout') values='nest flat' ;;
    'anyprof merge --failure-mode') values='any all warn' ;;
    'anyprof merge --correlate') values='debug-info binary' ;;
    'anyprof merge --progress') values='auto always never' ;;
    'anyprof collect -o' | 'anyprof collect --output' | 'anyprof collect --debug-info' | 'anyprof collect --binary-file' | 'anyprof collect --debug-file-directory' | 'anyprof collect --spool' | 'anyprof collect --metrics' | 'anyprof collect --state') values='/' ;;
    'anyprof collect --for') values='auto llvm-3.5 llvm-3.6 llvm-3.7 llvm-3.8 llvm-3.9 llvm-4 llvm-5 llvm-6 llvm-7 llvm-8 llvm-9 llvm-10 llvm-11 llvm-12 llvm-13 llvm-14 llvm-15 llvm-16 llvm-17 llvm-18 llvm-19 llvm-20 llvm-21 llvm-22 llvm-23 gcc-5 gcc-6 gcc-7 gcc-8 gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16 indexed-1 indexed-2 indexed-3 indexed-4 indexed-5 indexed-6 indexed-7 indexed-8 indexed-9 indexed-10 indexed-11 indexed-12 indexed-13 indexed-14' ;;
    'anyprof collect --correlate') values='debug-info binary' ;;
    'anyprof collect --max-debug-info-correlation-warnings' | 'anyprof collect --settle' | 'anyprof collect --every' | 'anyprof collect --keep' | 'anyprof collect --max-disk' | 'anyprof collect --max-input-size' | 'anyprof collect --max-records' | 'anyprof collect -j' | 'anyprof collect --num-threads') values='?' ;;
    'anyprof show -o' | 'anyprof show --output' | 'anyprof show --debug-info') values='/' ;;
    'anyprof show --function' | 'anyprof show --value-cutoff' | 'anyprof show --topn' | 'anyprof show --detailed-summary-cutoffs' | 'anyprof show --max-debug-info-correlation-warnings' | 'anyprof show --max-input-size' | 'anyprof show --max-records') values='?' ;;
    'anyprof show --show-format') values='text json yaml gcov' ;;
    'anyprof overlap -o' | 'anyprof overlap --output') values='/' ;;
    'anyprof overlap --function' | 'anyprof overlap --value-cutoff' | 'anyprof overlap --similarity-cutoff' | 'anyprof overlap --max-input-size' | 'anyprof overlap --max-records') values='?' ;;
    'anyprof order -o' | 'anyprof order --output') values='/' ;;
    'anyprof order --num-test-traces' | 'anyprof order --max-input-size' | 'anyprof order --max-records') values='?' ;;
    'anyprof diff -o' | 'anyprof diff --output' | 'anyprof diff --debug-info' | 'anyprof diff --binary-file' | 'anyprof diff --debug-file-directory') values='/' ;;
    'anyprof diff --function' | 'anyprof diff --topn' | 'anyprof diff --fail-above' | 'anyprof diff --max-debug-info-correlation-warnings' | 'anyprof diff --max-input-size' | 'anyprof diff --max-records') values='?' ;;
    'anyprof diff --correlate') values='debug-info binary' ;;
    'anyprof convert -o' | 'anyprof convert --output' | 'anyprof convert --debug-info' | 'anyprof convert --binary-file' | 'anyprof convert --debug-file-directory') values='/' ;;
    'anyprof convert --memprof-version') values='0 1 2 3 4' ;;
    'anyprof convert --to') values='indexed extbinary binary compbinary gcc text json folded speedscope pprof csv' ;;
    'anyprof convert --max-output-size' | 'anyprof convert --max-debug-info-correlation-warnings' | 'anyprof convert --max-input-size' | 'anyprof convert --max-records') values='?' ;;
    'anyprof convert --for') values='auto llvm-3.5 llvm-3.6 llvm-3.7 llvm-3.8 llvm-3.9 llvm-4 llvm-5 llvm-6 llvm-7 llvm-8 llvm-9 llvm-10 llvm-11 llvm-12 llvm-13 llvm-14 llvm-15 llvm-16 llvm-17 llvm-18 llvm-19 llvm-20 llvm-21 llvm-22 llvm-23 gcc-5 gcc-6 gcc-7 gcc-8 gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16 indexed-1 indexed-2 indexed-3 indexed-4 indexed-5 indexed-6 indexed-7 indexed-8 indexed-9 indexed-10 indexed-11 indexed-12 indexed-13 indexed-14' ;;
    'anyprof convert --correlate') values='debug-info binary' ;;
    'anyprof lookup -o' | 'anyprof lookup --output' | 'anyprof lookup --debug-info' | 'anyprof lookup --binary-file' | 'anyprof lookup --debug-file-directory') values='/' ;;
    'anyprof lookup --hash' | 'anyprof lookup --max-debug-info-correlation-warnings' | 'anyprof lookup --max-input-size' | 'anyprof lookup --max-records') values='?' ;;
    'anyprof lookup --correlate') values='debug-info binary' ;;
    'anyprof info -o' | 'anyprof info --output') values='/' ;;
    'anyprof info --include' | 'anyprof info --max-input-size' | 'anyprof info --max-records' | 'anyprof info -j' | 'anyprof info --num-threads') values='?' ;;
    'anyprof info --progress') values='auto always never' ;;
    'anyprof check -o' | 'anyprof check --output' | 'anyprof check --against') values='/' ;;
    'anyprof check --include' | 'anyprof check --max-input-size' | 'anyprof check --max-records') values='?' ;;
    'anyprof check --progress') values='auto always never' ;;
    'anyprof report -o' | 'anyprof report --output' | 'anyprof report --binary') values='/' ;;
    'anyprof report --include' | 'anyprof report --against' | 'anyprof report --title' | 'anyprof report --max-input-size' | 'anyprof report --max-records') values='?' ;;
    'anyprof report --progress') values='auto always never' ;;
    'anyprof probes desc -o' | 'anyprof probes desc --output' | 'anyprof probes desc --desc-section') values='/' ;;
    'anyprof probes desc --function' | 'anyprof probes desc --max-input-size' | 'anyprof probes desc --max-records' | 'anyprof probes desc --max-depth') values='?' ;;
    'anyprof probes list -o' | 'anyprof probes list --output' | 'anyprof probes list --desc-section') values='/' ;;
    'anyprof probes list --function' | 'anyprof probes list --address' | 'anyprof probes list --max-input-size' | 'anyprof probes list --max-records' | 'anyprof probes list --max-depth') values='?' ;;
    'anyprof probes tree -o' | 'anyprof probes tree --output' | 'anyprof probes tree --desc-section') values='/' ;;
    'anyprof probes tree --function' | 'anyprof probes tree --address' | 'anyprof probes tree --max-input-size' | 'anyprof probes tree --max-records' | 'anyprof probes tree --max-depth') values='?' ;;
    'anyprof probes stats -o' | 'anyprof probes stats --output' | 'anyprof probes stats --desc-section') values='/' ;;
    'anyprof probes stats --max-input-size' | 'anyprof probes stats --max-records' | 'anyprof probes stats --max-depth') values='?' ;;
    'anyprof probes verify -o' | 'anyprof probes verify --output' | 'anyprof probes verify --desc-section' | 'anyprof probes verify --against') values='/' ;;
    'anyprof probes verify --function' | 'anyprof probes verify --max-stale' | 'anyprof probes verify --max-input-size' | 'anyprof probes verify --max-records' | 'anyprof probes verify --max-depth') values='?' ;;
    'anyprof probes diff -o' | 'anyprof probes diff --output') values='/' ;;
    'anyprof probes diff --function' | 'anyprof probes diff --topn' | 'anyprof probes diff --max-input-size' | 'anyprof probes diff --max-records' | 'anyprof probes diff --max-depth') values='?' ;;
    'anyprof probes disasm -o' | 'anyprof probes disasm --output') values='/' ;;
    'anyprof probes disasm --disassemble-functions' | 'anyprof probes disasm --function' | 'anyprof probes disasm --address' | 'anyprof probes disasm --max-input-size' | 'anyprof probes disasm --max-records' | 'anyprof probes disasm --max-depth') values='?' ;;
    'anyprof probes disasm --x86-asm-syntax') values='att intel' ;;
    'anyprof probes lookup -o' | 'anyprof probes lookup --output') values='/' ;;
    'anyprof probes lookup --max-input-size' | 'anyprof probes lookup --max-records' | 'anyprof probes lookup --max-depth') values='?' ;;
    'anyprof probes asm -o' | 'anyprof probes asm --output') values='/' ;;
    'anyprof probes asm --max-input-size') values='?' ;;
    'anyprof probes emit -o' | 'anyprof probes emit --output') values='/' ;;
    'anyprof probes emit --max-input-size') values='?' ;;
    'anyprof bat dump -o' | 'anyprof bat dump --output') values='/' ;;
    'anyprof bat dump --max-input-size') values='?' ;;
    'anyprof bat translate -o' | 'anyprof bat translate --output' | 'anyprof bat translate --original') values='/' ;;
    'anyprof bat translate --max-input-size') values='?' ;;
    'anyprof bat stats -o' | 'anyprof bat stats --output') values='/' ;;
    'anyprof bat stats --max-input-size') values='?' ;;
    'anyprof bat verify -o' | 'anyprof bat verify --output' | 'anyprof bat verify --original') values='/' ;;
    'anyprof bat verify --max-input-size') values='?' ;;
    'anyprof bat extract -o' | 'anyprof bat extract --output') values='/' ;;
    'anyprof bat extract --max-input-size') values='?' ;;
    'anyprof bat inject -o' | 'anyprof bat inject --output') values='/' ;;
    'anyprof bat inject --max-input-size') values='?' ;;
    'anyprof bat strip -o' | 'anyprof bat strip --output') values='/' ;;
    'anyprof bat strip --max-input-size') values='?' ;;
    'anyprof bolt convert -o' | 'anyprof bolt convert --output' | 'anyprof bolt convert --pa' | 'anyprof bolt convert -w' | 'anyprof bolt convert --write-yaml' | 'anyprof bolt convert --perf-script' | 'anyprof bolt convert -p' | 'anyprof bolt convert --perfdata' | 'anyprof bolt convert --build-ids' | 'anyprof bolt convert --report') values='/' ;;
    'anyprof bolt convert --pid' | 'anyprof bolt convert --max-samples' | 'anyprof bolt convert --max-lost' | 'anyprof bolt convert --skip-funcs' | 'anyprof bolt convert --max-input-size') values='?' ;;
    'anyprof bolt merge -o' | 'anyprof bolt merge --output') values='/' ;;
    'anyprof bolt merge --include' | 'anyprof bolt merge --max-input-size' | 'anyprof bolt merge --max-records') values='?' ;;
    'anyprof bolt merge --print') values='none exec branches' ;;
    'anyprof bolt merge --progress') values='auto always never' ;;
    'anyprof profgen --binary' | 'anyprof profgen --original' | 'anyprof profgen --debug-binary' | 'anyprof profgen --debug-dir' | 'anyprof profgen --dwp' | 'anyprof profgen --pd' | 'anyprof profgen --perfdata' | 'anyprof profgen --ps' | 'anyprof profgen --perfscript' | 'anyprof profgen --up' | 'anyprof profgen --unsymbolized-profile' | 'anyprof profgen --llvm-sample-profile' | 'anyprof profgen --data-access-perftrace' | 'anyprof profgen -o' | 'anyprof profgen --output' | 'anyprof profgen --report') values='/' ;;
    'anyprof profgen --pid' | 'anyprof profgen --csprof-max-cold-context-depth' | 'anyprof profgen --csprof-max-context-depth' | 'anyprof profgen --csprof-max-unsymbolized-context-depth' | 'anyprof profgen --profile-density-threshold' | 'anyprof profgen --profile-density-cutoff-hot' | 'anyprof profgen --max-input-size') values='?' ;;
    'anyprof profgen --format') values='extbinary binary text gcc' ;;
    'anyprof profgen --for') values='auto llvm-3.4 llvm-3.5 llvm-3.6 llvm-3.7 llvm-3.8 llvm-3.9 llvm-4 llvm-5 llvm-6 llvm-7 llvm-8 llvm-9 llvm-10 llvm-11 llvm-12 llvm-13 llvm-14 llvm-15 llvm-16 llvm-17 llvm-18 llvm-19 llvm-20 llvm-21 llvm-22 llvm-23 gcc-5 gcc-6 gcc-7 gcc-8 gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16' ;;
    'anyprof perf info -o' | 'anyprof perf info --output') values='/' ;;
    'anyprof perf info --max-input-size') values='?' ;;
    'anyprof cov report -o' | 'anyprof cov report --output' | 'anyprof cov report --profile' | 'anyprof cov report --instr-profile' | 'anyprof cov report --object' | 'anyprof cov report --report' | 'anyprof cov report --compilation-dir' | 'anyprof cov report --sources' | 'anyprof cov report --debug-file-directory' | 'anyprof cov report --name-allowlist') values='/' ;;
    'anyprof cov report --arch' | 'anyprof cov report --prefix-map' | 'anyprof cov report --ignore-filename-regex' | 'anyprof cov report --width' | 'anyprof cov report --fail-under-lines' | 'anyprof cov report --fail-under-functions' | 'anyprof cov report --fail-under-regions' | 'anyprof cov report --fail-under-branches' | 'anyprof cov report --Xdemangler' | 'anyprof cov report --name' | 'anyprof cov report --name-regex' | 'anyprof cov report --region-coverage-lt' | 'anyprof cov report --region-coverage-gt' | 'anyprof cov report --line-coverage-lt' | 'anyprof cov report --line-coverage-gt' | 'anyprof cov report --path-equivalence' | 'anyprof cov report --max-input-size' | 'anyprof cov report -j' | 'anyprof cov report --num-threads') values='?' ;;
    'anyprof cov report --compat') values='llvm-22' ;;
    'anyprof cov report --merge-instantiations') values='max union' ;;
    'anyprof cov report --format') values='text' ;;
    'anyprof cov show -o' | 'anyprof cov show --output' | 'anyprof cov show --profile' | 'anyprof cov show --instr-profile' | 'anyprof cov show --object' | 'anyprof cov show --report' | 'anyprof cov show --compilation-dir' | 'anyprof cov show --sources' | 'anyprof cov show --output-dir' | 'anyprof cov show --debug-file-directory' | 'anyprof cov show --name-allowlist') values='/' ;;
    'anyprof cov show --arch' | 'anyprof cov show --prefix-map' | 'anyprof cov show --ignore-filename-regex' | 'anyprof cov show --project-title' | 'anyprof cov show --coverage-watermark' | 'anyprof cov show --Xdemangler' | 'anyprof cov show --name' | 'anyprof cov show --name-regex' | 'anyprof cov show --region-coverage-lt' | 'anyprof cov show --region-coverage-gt' | 'anyprof cov show --line-coverage-lt' | 'anyprof cov show --line-coverage-gt' | 'anyprof cov show --path-equivalence' | 'anyprof cov show --max-input-size' | 'anyprof cov show -j' | 'anyprof cov show --num-threads') values='?' ;;
    'anyprof cov show --compat') values='llvm-22' ;;
    'anyprof cov show --merge-instantiations') values='max union' ;;
    'anyprof cov show --format') values='text html' ;;
    'anyprof cov show --show-branches') values='count percent' ;;
    'anyprof cov export -o' | 'anyprof cov export --output' | 'anyprof cov export --profile' | 'anyprof cov export --instr-profile' | 'anyprof cov export --object' | 'anyprof cov export --report' | 'anyprof cov export --compilation-dir' | 'anyprof cov export --sources' | 'anyprof cov export --debug-file-directory' | 'anyprof cov export --name-allowlist') values='/' ;;
    'anyprof cov export --arch' | 'anyprof cov export --prefix-map' | 'anyprof cov export --ignore-filename-regex' | 'anyprof cov export --fail-under-lines' | 'anyprof cov export --fail-under-functions' | 'anyprof cov export --fail-under-regions' | 'anyprof cov export --fail-under-branches' | 'anyprof cov export --Xdemangler' | 'anyprof cov export --name' | 'anyprof cov export --name-regex' | 'anyprof cov export --region-coverage-lt' | 'anyprof cov export --region-coverage-gt' | 'anyprof cov export --line-coverage-lt' | 'anyprof cov export --line-coverage-gt' | 'anyprof cov export --path-equivalence' | 'anyprof cov export --max-input-size' | 'anyprof cov export -j' | 'anyprof cov export --num-threads') values='?' ;;
    'anyprof cov export --compat') values='llvm-22' ;;
    'anyprof cov export --merge-instantiations') values='max union' ;;
    'anyprof cov export --format') values='json text lcov cobertura codecov coveralls' ;;
    'anyprof cov diff -o' | 'anyprof cov diff --output' | 'anyprof cov diff --profile' | 'anyprof cov diff --instr-profile' | 'anyprof cov diff --object' | 'anyprof cov diff --report' | 'anyprof cov diff --base' | 'anyprof cov diff --patch' | 'anyprof cov diff --compilation-dir') values='/' ;;
    'anyprof cov diff --arch' | 'anyprof cov diff --prefix-map' | 'anyprof cov diff --ignore-filename-regex' | 'anyprof cov diff --fail-under-patch' | 'anyprof cov diff --path-equivalence' | 'anyprof cov diff --max-input-size' | 'anyprof cov diff -j' | 'anyprof cov diff --num-threads') values='?' ;;
    'anyprof cov diff --compat') values='llvm-22' ;;
    'anyprof cov why --profile' | 'anyprof cov why --instr-profile' | 'anyprof cov why --object' | 'anyprof cov why --compilation-dir') values='/' ;;
    'anyprof cov why --arch' | 'anyprof cov why --prefix-map' | 'anyprof cov why --path-equivalence' | 'anyprof cov why --max-input-size' | 'anyprof cov why -j' | 'anyprof cov why --num-threads') values='?' ;;
    'anyprof cov why --compat') values='llvm-22' ;;
    'llvm-profdata merge -f' | 'llvm-profdata merge --input-files' | 'llvm-profdata merge -o' | 'llvm-profdata merge --output' | 'llvm-profdata merge -r' | 'llvm-profdata merge --remapping-file' | 'llvm-profdata merge --prof-sym-list' | 'llvm-profdata merge --supplement-instr-with-sample' | 'llvm-profdata merge --debug-info' | 'llvm-profdata merge --binary-file' | 'llvm-profdata merge --debug-file-directory') values='/' ;;
    'llvm-profdata merge --weighted-input' | 'llvm-profdata merge --temporal-profile-trace-reservoir-size' | 'llvm-profdata merge --temporal-profile-max-trace-length' | 'llvm-profdata merge --function' | 'llvm-profdata merge --no-function' | 'llvm-profdata merge --output-size-limit' | 'llvm-profdata merge --sample-frame-depth-for-cold-context' | 'llvm-profdata merge --suppl-min-size-threshold' | 'llvm-profdata merge --zero-counter-threshold' | 'llvm-profdata merge --instr-prof-cold-threshold' | 'llvm-profdata merge --max-debug-info-correlation-warnings' | 'llvm-profdata merge -j' | 'llvm-profdata merge --num-threads') values='?' ;;
    'llvm-profdata merge --memprof-version') values='0 1 2 3 4' ;;
    'llvm-profdata merge --convert-sample-profile-layout') values='nest flat' ;;
    'llvm-profdata merge --failure-mode') values='any all warn' ;;
    'llvm-profdata merge --correlate') values='debug-info binary' ;;
    'llvm-profdata show -o' | 'llvm-profdata show --output' | 'llvm-profdata show --debug-info') values='/' ;;
    'llvm-profdata show --function' | 'llvm-profdata show --value-cutoff' | 'llvm-profdata show --topn' | 'llvm-profdata show --detailed-summary-cutoffs' | 'llvm-profdata show --max-debug-info-correlation-warnings') values='?' ;;
    'llvm-profdata show --show-format') values='text json yaml gcov' ;;
    'llvm-profdata overlap -o' | 'llvm-profdata overlap --output') values='/' ;;
    'llvm-profdata overlap --function' | 'llvm-profdata overlap --value-cutoff' | 'llvm-profdata overlap --similarity-cutoff') values='?' ;;
    'llvm-profdata order -o' | 'llvm-profdata order --output') values='/' ;;
    'llvm-profdata order --num-test-traces') values='?' ;;
    'llvm-profgen profgen --binary' | 'llvm-profgen profgen --debug-binary' | 'llvm-profgen profgen --dwp' | 'llvm-profgen profgen --pd' | 'llvm-profgen profgen --perfdata' | 'llvm-profgen profgen --ps' | 'llvm-profgen profgen --perfscript' | 'llvm-profgen profgen --up' | 'llvm-profgen profgen --unsymbolized-profile' | 'llvm-profgen profgen --llvm-sample-profile' | 'llvm-profgen profgen --data-access-perftrace' | 'llvm-profgen profgen -o' | 'llvm-profgen profgen --output') values='/' ;;
    'llvm-profgen profgen --pid' | 'llvm-profgen profgen --csprof-max-cold-context-depth' | 'llvm-profgen profgen --csprof-max-context-depth' | 'llvm-profgen profgen --csprof-max-unsymbolized-context-depth' | 'llvm-profgen profgen --profile-density-threshold' | 'llvm-profgen profgen --profile-density-cutoff-hot') values='?' ;;
    'llvm-profgen profgen --format') values='extbinary binary text gcc' ;;
    *) values="" ;;
    esac
}

# Sets words to what may stand first, after a group, or after 'help'.
_anyprof_words() {
    case $1 in
    anyprof) words='merge collect show overlap order diff convert lookup info check report profgen help probes bat bolt perf cov' ;;
    'anyprof probes') words='desc list tree stats verify diff disasm lookup asm emit' ;;
    'anyprof bat') words='dump translate stats verify extract inject strip' ;;
    'anyprof bolt') words='convert merge' ;;
    'anyprof perf') words='info' ;;
    'anyprof cov') words='report show export diff why' ;;
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
    llvm-profgen*) name=llvm-profgen command=profgen ;;
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

complete -F _anyprof anyprof llvm-profdata llvm-profdata-10 llvm-profdata-11 llvm-profdata-12 llvm-profdata-13 llvm-profdata-14 llvm-profdata-15 llvm-profdata-16 llvm-profdata-17 llvm-profdata-18 llvm-profdata-19 llvm-profdata-20 llvm-profdata-21 llvm-profdata-22 llvm-profdata-23 llvm-profgen llvm-profgen-10 llvm-profgen-11 llvm-profgen-12 llvm-profgen-13 llvm-profgen-14 llvm-profgen-15 llvm-profgen-16 llvm-profgen-17 llvm-profgen-18 llvm-profgen-19 llvm-profgen-20 llvm-profgen-21 llvm-profgen-22 llvm-profgen-23
