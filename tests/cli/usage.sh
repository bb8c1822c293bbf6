#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Wrong command lines: LLVM's words, exit code 2 (1 under the name llvm-profdata), nothing on standard output.
. "$(dirname "$0")/_lib.sh"

profile a.proftext foo 10 1 2
program=$(basename "$anyprof")

# wrong LINE ARGUMENT...: exit code 2 and this line, after the program's name.
wrong() {
    local line=$1
    shift
    ends 2 "$@"
    says "$program: $line"
    is "standard output of: $*" "$(cat "$out")" ""
}

# refuses LINE ARGUMENT...: exit code 2 and this line.
refuses() {
    local line=$1
    shift
    ends 2 "$@"
    says "$line"
}

try="Try: '$anyprof --help'"
wrong "No subcommand specified! Run $program --help for usage."
wrong "Unknown subcommand 'foo'.  $try" foo
wrong "Unknown subcommand 'mrge'.  $try" mrge
says "$program: Did you mean 'merge'?"
wrong "Unknown command line argument '--bogus'.  $try" --bogus
wrong "Unknown command line argument '--bogus'.  $try" merge --bogus
wrong "No subcommand of 'probes' specified.  Try: '$anyprof probes --help'" probes
wrong "Unknown subcommand 'probes lst'.  Try: '$anyprof probes --help'" probes lst
says "$program: Did you mean 'probes list'?"
wrong "Unknown subcommand 'prbes'.  $try" prbes list
says "$program: Did you mean 'probes'?"
wrong "Unknown subcommand 'list'.  $try" list a.proftext
wrong "Unknown subcommand 'probes nothing'.  Try: '$anyprof probes --help'" help probes nothing
wrong "Unknown command line argument '--bogus'.  Try: '$anyprof probes --help'" probes --bogus
wrong "Did you mean '--function=x'?" probes list --functoin=x p
wrong "Unknown command line argument '--bogus'.  $try" merge --bogus
if grep -q "Did you mean" "$err"; then bad "a far-fetched suggestion"; else good; fi
wrong "Did you mean '--counts'?" show --cnts a.proftext
wrong "Did you mean '--counts'?" show --count a.proftext
wrong "Did you mean '--failure-mode=any'?" merge --failure-mod=any a.proftext
wrong "Unknown command line argument '---text'.  $try" merge ---text
wrong "Unknown command line argument '--text'.  $try" help --text
wrong "Did you mean '-o x'?" merge -ox a.proftext
wrong "Did you mean '-j 4'?" merge -j4 a.proftext

wrong "for the --topn option: '-1' value invalid for uint argument!" show --topn=-1 a.proftext
wrong "for the --topn option: '-1' value invalid for uint argument!" show --topn -1 a.proftext
wrong "for the --topn option: '' value invalid for uint argument!" show --topn= a.proftext
wrong "for the --topn option: '4294967296' value invalid for uint argument!" show -topn 4294967296 a.proftext
wrong "for the --topn option: '08' value invalid for uint argument!" show --topn=08 a.proftext
wrong "for the --topn option: '1 ' value invalid for uint argument!" show "--topn=1 " a.proftext
wrong "for the --num-threads option: 'x' value invalid for uint argument!" merge -j=x a.proftext
wrong "for the --temporal-profile-max-trace-length option: 'x' value invalid for ulong argument!" \
    merge --temporal-profile-max-trace-length=x a.proftext
wrong "for the --temporal-profile-max-trace-length option: '18446744073709551616' value invalid for ulong argument!" \
    merge --temporal-profile-max-trace-length 18446744073709551616 a.proftext
wrong "for the --topn option: requires a value!" show --topn
wrong "for the -o option: requires a value!" merge -o
wrong "for the --failure-mode option: Cannot find option named 'foo'!" merge --failure-mode=foo a.proftext
wrong "for the --failure-mode option: requires a value!" merge --failure-mode
wrong "for the --counts option: 'maybe' is invalid value for boolean argument! Try 0 or 1" \
    show --counts=maybe a.proftext
wrong "for the --help option: does not allow a value! '1' specified." merge --help=1
refuses "Format of output profile option: does not allow a value! '1' specified." merge --text=1 a.proftext
percentage="value invalid for percentage argument! Try 0 to 100, with at most 6 decimals"
for value in "" 101 100.0000001 -1 x 1. .5 1.1234567 100.1 100.000001 18446744073709551616 1e1 +1 " 1" "1 " 1,5 50% \
    0x10 1.2.3 .; do
    wrong "for the --max-loss option: '$value' $percentage" \
        merge --max-loss="$value" a.proftext
done
wrong "Too many positional arguments specified!" show a.proftext a.proftext
says "Can specify at most 1 positional arguments: See: $anyprof --help"
wrong "Unknown subcommand 'nothing'.  $try" help nothing
# All that is wrong is said, not only the first.
wrong "Unknown command line argument '--bogus'.  $try" merge --bogus --max-loss=x
hints "$program: for the --max-loss option: 'x' value invalid for percentage argument! Try 0 to 100, with"

# Options that LLVM has and we lack are never taken in silence.
for option in --remapping-file=x -r=x --function=x --no-function=x --debug-info=x --binary-file=x --debuginfod \
    --correlate=binary --debug-file-directory=x --profiled-binary=x --memprof-version=3 --memprof-full-schema \
    --memprof-random-hotness --supplement-instr-with-sample=x --instr-prof-cold-threshold=3; do
    ends 2 merge "$option" a.proftext -o never.profdata
    hints " is not supported yet"
    gone never.profdata
done
ends 2 show --detailed-summary-cutoffs=1,2 a.proftext
hints "--detailed-summary-cutoffs is not supported yet"
ends 0 merge --use-md5 --output-size-limit=9 --text a.proftext
says "warning: --use-md5 has no effect on instrumentation profiles"
says "warning: --output-size-limit has no effect on instrumentation profiles"

refuses "error: no input files specified. See $program merge -help" merge
refuses "error: no input files specified. See $program merge -help" merge -o never.profdata
refuses "error: unknown format is specified" merge --gcc a.proftext
refuses "error: unknown format is specified" merge --text --gcc a.proftext
ends 0 merge --gcc --text a.proftext
refuses "error: --sample is not supported yet: use llvm-profdata for sample profiles" merge --sample a.proftext
refuses "error: --sample is not supported yet: use llvm-profdata for sample profiles" show --sample a.proftext
ends 0 merge --sample --instr --text a.proftext
json="error: JSON output is not supported for instr profiles: use convert --to=json"
refuses "$json" show --json a.proftext
refuses "$json" show --show-format=json a.proftext
refuses "error: YAML output is not supported for instr profiles" show --show-format yaml a.proftext
ends 2 show
hints "error: the positional argument '<profdata-file>' is required"
refuses "$program show: Input file name cannot be the same as the output file name!" show -o a.proftext a.proftext
there a.proftext
for weight in 0 -1 +1 "" x 1x " 1" 0x1 18446744073709551616; do
    refuses "error: input weight must be a positive integer" merge --weighted-input="$weight,a.proftext"
done
refuses "error: input weight must be a positive integer" merge --weighted-input=a.proftext
for option in -o= --output= -o --report --report=; do
    case $option in
    *=) words=("$option") ;;
    *) words=("$option" "") ;;
    esac
    name=$([ "${option#--r}" = "$option" ] && echo output || echo report)
    wrong "for the --$name option: '' value invalid for file name argument! '-' is standard output" \
        merge a.proftext "${words[@]}"
done
wrong "for the --output option: '' value invalid for file name argument! '-' is standard output" show a.proftext -o ""
for weight in 3 3, 18446744073709551615,; do
    refuses "error: '$weight' is a weight without a file: give WEIGHT,FILE" merge --weighted-input="$weight"
done
refuses "error: the name of an input is empty" merge a.proftext ""
ends 2 merge --for=llvm-99 a.proftext -o never.profdata
hints "'llvm-99' is no target"
gone never.profdata

# Colour only on demand here, where nothing is a terminal.
ends 2 merge
if grep -q "$(printf '\033')" "$err"; then bad "colour"; else good; fi
ends 2 merge --color
if grep -q "$(printf '\033')" "$err"; then good; else bad "no colour"; fi

# Under a name of LLVM's.
for name in llvm-profdata llvm-profdata-16; do
    ln -sf "$anyprof" $name
    ./$name show --cnts a.proftext 2>"$err" >"$out"
    is "exit code as $name" $? 1
    says "$name: Unknown command line argument '--cnts'.  Try: './$name --help'"
    says "$name: Did you mean '--counts'?"
    ./$name merge 2>"$err" >"$out"
    is "exit code as $name" $? 1
    says "error: no input files specified. See $name merge -help"
done
finish
