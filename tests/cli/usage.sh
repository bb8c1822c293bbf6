#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Wrong command lines: exit code 2 (1 under the name llvm-profdata, and LLVM's words), nothing on standard output.
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
u64="a number from 0 to 18446744073709551615"
ends 2 # without a command, the help is printed
"$anyprof" --help >help
same "$out" help
is "complaints" "$(cat "$err")" ""
wrong "Unknown command 'foo'.  $try" foo
wrong "Unknown command 'mrge'.  $try" mrge
says "$program: Did you mean 'merge'?"
for words in "MERGE merge" "compare diff" "validate check" "Probes probes"; do
    wrong "Unknown command '${words% *}'.  $try" "${words% *}"
    says "$program: Did you mean '${words#* }'?"
done
wrong "Did you mean '--num-threads=2'?" merge --threads=2 a.proftext
wrong "Did you mean '--output=x'?" merge --output-file=x a.proftext
wrong "Unknown command line argument '--bogus'.  $try" --bogus
wrong "Unknown command line argument '--bogus'.  Try: '$anyprof merge --help'" merge --bogus
wrong "probes: a COMMAND is required.  Try: '$anyprof probes --help'" probes
wrong "Unknown command 'probes lst'.  Try: '$anyprof probes --help'" probes lst
says "$program: Did you mean 'probes list'?"
wrong "Unknown command 'prbes'.  $try" prbes list
says "$program: Did you mean 'probes'?"
wrong "Unknown command 'list'.  $try" list a.proftext
wrong "Unknown command 'probes nothing'.  Try: '$anyprof probes --help'" help probes nothing
wrong "Unknown command line argument '--bogus'.  Try: '$anyprof probes --help'" probes --bogus
wrong "Did you mean '--function=x'?" probes list --functoin=x p
wrong "Unknown command line argument '--bogus'.  Try: '$anyprof bolt merge --help'" bolt merge --bogus
wrong "Unknown command line argument '--bogus'.  Try: '$anyprof merge --help'" merge --bogus
if grep -q "Did you mean" "$err"; then bad "a far-fetched suggestion"; else good; fi
wrong "Did you mean '--counts'?" show --cnts a.proftext
wrong "Did you mean '--counts'?" show --count a.proftext
wrong "Did you mean '--failure-mode=any'?" merge --failure-mod=any a.proftext
wrong "Unknown command line argument '---text'.  Try: '$anyprof merge --help'" merge ---text
wrong "Unknown command line argument '--text'.  Try: '$anyprof help --help'" help --text

# What may have been meant: letters in each other's place, beginnings, other commands' words and options.
# suggests LINE ARGUMENT...: the last line that is said; it does not say twice what it means.
suggests() {
    local line=$1
    shift
    ends 2 "$@"
    is "of: $*" "$(tail -n +2 "$err")" "$program: $line"
}
suggests "Did you mean 'merge'?" mrege
suggests "Did you mean 'merge'?" mer
suggests "Did you mean 'merge'?" --merge a.proftext
suggests "Did you mean 'show'?" -shwo
suggests "Did you mean 'bat'?" bta
suggests "Did you mean 'probes list'?" list
suggests "Did you mean 'probes verify' or 'bat verify'?" verify a
suggests "Did you mean 'probes list'?" probes lsit
suggests "Did you mean 'probes list'?" probes --list
suggests "Did you mean 'probes'?" help porbes
suggests "Did you mean '--all-functions'?" show --all
suggests "Did you mean '--sparse=0'?" merge --no-sparse
suggests "Did you mean '--all-functions'?" show --all-funcitons
suggests "Did you mean '--function=x'?" show --func=x
suggests "Did you mean '--function=x'?" show -functoin=x
suggests "Did you mean '--temporal-profile-traces'?" show --temporal
suggests "--counts is an option of 'show'" merge --counts
suggests "--counts is an option of 'show'" merge -counts
suggests "--original is an option of 'bat translate', 'bat verify' and 'profgen'" probes list --original=app
suggests "Did you mean '--failure-mode=warn'?" merge --failure-mode=wran
# Of more than three commands the others have no names. Which they are changes with the table.
ends 2 merge --json
hints "$program: --json is an option of '"
hints "' and others"
ends 2 --text show
hints "$program: --text is an option of 'merge'"
hints "; put it after the command"
for arguments in "xyzzy" "merge --xyzzy" "--xyzzy" "probes xyzzy" "show --te" "show --s"; do
    # shellcheck disable=SC2086
    ends 2 $arguments
    is "lines of: $arguments" "$(wc -l <"$err")" 1
done
# A group alone names its commands.
for group in probes bat bolt; do
    ends 2 $group
    cp "$err" listed
    ends 0 help $group
    is "commands of $group" "$(tail -n +2 listed)" "$(grep "^    $group " "$out")"
done

wrong "--topn takes a number from 0 to 4294967295, not '-1'" show --topn=-1 a.proftext
wrong "--topn takes a number from 0 to 4294967295, not '-1'" show --topn -1 a.proftext
wrong "--topn takes a number from 0 to 4294967295, not ''" show --topn= a.proftext
wrong "--topn takes a number from 0 to 4294967295, not '4294967296'" show -topn 4294967296 a.proftext
wrong "--topn takes a number from 0 to 4294967295, not '08'" show --topn=08 a.proftext
wrong "--topn takes a number from 0 to 4294967295, not '1 '" show "--topn=1 " a.proftext
wrong "--num-threads takes a number from 0 to 4294967295, not 'x'" merge -j=x a.proftext
wrong "--temporal-profile-max-trace-length takes $u64, not 'x'" \
    merge --temporal-profile-max-trace-length=x a.proftext
wrong "--temporal-profile-max-trace-length takes $u64, not '18446744073709551616'" \
    merge --temporal-profile-max-trace-length 18446744073709551616 a.proftext
wrong "show: --topn needs a value.  Try: '$anyprof show --help'" show --topn
wrong "merge: -o needs a value.  Try: '$anyprof merge --help'" merge -o
wrong "--failure-mode takes one of any, all, warn, not 'foo'" merge --failure-mode=foo a.proftext
ends 1 cov show none --profile=none -Xdemangler c++filt -Xdemangler --version
as="takes it as the value.  Try: '$anyprof merge --help'"
wrong "merge: -o needs a value, and --html=x is an option; -o=--html=x $as" merge -o --html=x y
wrong "merge: --html needs a value, and -o is an option; --html=-o $as" merge --html -o x y
wrong "merge: --failure-mode needs a value.  Try: '$anyprof merge --help'" merge --failure-mode
wrong "--counts takes true or false, not 'maybe'" \
    show --counts=maybe a.proftext
wrong "--help takes no value, not '1'" merge --help=1
wrong "--text takes no value, not '1'" merge --text=1 a.proftext
percentage="a percentage from 0 to 100 with at most 6 decimals, such as 2.5 or 2.5%"
for value in "" 101 100.0000001 -1 x 1. .5 1.1234567 100.1 100.000001 18446744073709551616 1e1 +1 " 1" "1 " 1,5 \
    50%% "50 %" % 0x10 1.2.3 .; do
    wrong "--max-loss takes $percentage, not '$value'" \
        merge --max-loss="$value" a.proftext
done
wrong "show: too many arguments, it takes FILE.  Try: '$anyprof show --help'" show a.proftext a.proftext
wrong "lookup: too many arguments, it takes FILE NAME.  Try: '$anyprof lookup --help'" lookup f main helper
wrong "convert: too many arguments, it takes FILE -o OUT.  Try: '$anyprof convert --help'" convert f out.json
wrong "version: too many arguments, it takes none.  Try: '$anyprof version --help'" version 1
wrong "Unknown command 'nothing'.  $try" help nothing
wrong "Unknown command after 'merge', which has none of its own.  Try: '$anyprof help merge'" help merge show
wrong "Unknown command after 'probes list', which has none of its own.  Try: '$anyprof help probes list'" \
    help probes list extra
for command in diff overlap "probes diff" "bat inject -o out"; do
    # shellcheck disable=SC2086  # two words
    refuses "error: standard input can be given only once" $command - - <a.proftext
done
# All that is wrong is said, not only the first.
wrong "Unknown command line argument '--bogus'.  Try: '$anyprof merge --help'" merge --bogus --max-loss=x
hints "$program: --max-loss takes $percentage, not 'x'"

# Options that LLVM has and we lack are never taken in silence.
ends 2 merge --memprof-random-hotness a.proftext -o never.profdata
hints " is not supported: "
gone never.profdata
ends 2 show --hot-func-list --detailed-summary-cutoffs=1,2 a.proftext
says "error: --hot-func-list needs one of --detailed-summary-cutoffs to be at least 990000"
for value in "" x 1, ,1 1,,2 -1 4294967296 "1 2" "$(printf '%070d' 1)"; do
    bad_number=$value
    case $value in
    1,* | ,1) bad_number="" ;;
    0*) bad_number="" ;;
    esac
    wrong "--detailed-summary-cutoffs takes numbers from 0 to 4294967295, not '$bad_number'" \
        show --detailed-summary-cutoffs="$value" a.proftext
done
printf 'main:9:1\n 1: 9\n' >cutoffs.prof
for file in a.proftext cutoffs.prof; do
    wrong "--detailed-summary-cutoffs takes shares up to 1000000, all counts, not 1000001" \
        show --detailed-summary --detailed-summary-cutoffs=1000000,1000001 $file
    ends 0 show --detailed-summary-cutoffs=1000000 $file
    says "warning: --detailed-summary-cutoffs has no effect without --detailed-summary or --hot-func-list"
done
ends 0 merge --use-md5 --output-size-limit=9 --text a.proftext
says "warning: --use-md5 has no effect on instrumentation profiles"
says "warning: --output-size-limit has no effect on instrumentation profiles"
# Those without effect have values, too.
wrong "--use-md5 takes true or false, not 'maybe'" \
    merge --use-md5=maybe a.proftext
wrong "--output-size-limit takes $u64, not 'x'" merge --output-size-limit=x a.proftext
wrong "--sample-frame-depth-for-cold-context takes a number from 0 to 4294967295, not '-1'" \
    merge --sample-frame-depth-for-cold-context=-1 a.proftext
wrong "--convert-sample-profile-layout takes one of nest, flat, not 'x'" \
    merge --convert-sample-profile-layout=x a.proftext
wrong "--similarity-cutoff takes $u64, not 'x'" \
    overlap --similarity-cutoff=x a.proftext a.proftext
ends 0 merge --profiled-binary=x --text a.proftext
says "warning: --profiled-binary has no effect on instrumentation profiles"
# An empty name of a program is none; the compiler's option means something together with directories only.
for option in --debug-info= --binary-file= --profile-correlate= --profile-correlate=binary; do
    ends 0 merge "$option" --text a.proftext
    silent
done
ends 2 show --debug-info=
says "$program: show: a FILE is required, or --debug-info=PROGRAM.  Try: '$anyprof show --help'"
wrong "--profile-correlate takes one of debug-info, binary, not 'bin'" merge --profile-correlate=bin a.proftext
says "$program: Did you mean '--profile-correlate=binary'?"
# What a file says does not move the cursor.
printf -- '---\n"a\\e[2J": 1\n' >escape.yaml
ends 1 merge escape.yaml -o never.profdata
hints "unknown key 'a\x1b[2J' [line 2, column 1, memprof.yaml]"
# Neither does the name of a file, and a name of two lines is printed in one.
odd=$(printf 'a\033[2J\n\330\234b')
shown='a\x1b[2J\x0a\xd8\x9cb'
for command in merge show "convert --to=text" check info order "diff a.proftext" "overlap a.proftext"; do
    # shellcheck disable=SC2086
    "$anyprof" $command "$odd" >"$out" 2>&1
    is "name in messages of $command" "$(grep -cF "$shown" "$out")" 1
done
"$anyprof" lookup "$odd" f >"$out" 2>&1
is "name in messages of lookup" "$(grep -cF "$shown" "$out")" 1
printf 'neither\n' >"$odd"
for command in merge check info "diff a.proftext"; do
    # shellcheck disable=SC2086
    "$anyprof" $command "$odd" >"$out" 2>&1
    is "name in reports of $command" "$(grep -c "$(printf '\033')" "$out")" 0
    is "the name is there: $command" "$(grep -qF "$shown" "$out" && echo yes)" yes
done
rm "$odd"

refuses "$program: merge: a FILE is required.  Try: '$anyprof merge --help'" merge
refuses "$program: merge: a FILE is required.  Try: '$anyprof merge --help'" merge -o never.profdata
refuses "error: unknown format is specified" merge --gcc a.proftext
refuses "error: unknown format is specified" merge --text --gcc a.proftext
ends 0 merge --gcc --text a.proftext
ends 1 merge --sample a.proftext -o never.afdo
hints "Unrecognized sample profile encoding format"
gone never.afdo
ends 1 show --sample a.proftext
hints "Unrecognized sample profile encoding format"
printf 'main:2:1\n 1: 2\n' >samples.prof
ends 1 merge --output-size-limit=1 samples.prof -o never.afdo
hints "error: Too much profile data: the limit is 1 bytes, and the output needs "
gone never.afdo
ends 0 merge --text --use-md5 --gen-partial-profile --compress-all-sections samples.prof
is "ignored options, as LLVM lists them" "$(sed 's/ is ignored.*//' "$err")" "warning: -compress-all-section
warning: -use-md5
warning: -gen-partial-profile"
ends 0 merge --sample --instr --text a.proftext
json="error: LLVM has no JSON for instrumentation profiles: give --json, or use convert --to=json"
refuses "$json" show --show-format=json a.proftext
refuses "error: --json and --text are two formats: give one of them" show --json --text a.proftext
refuses "error: YAML output is not supported for instr profiles" show --show-format yaml a.proftext
ends 2 show
says "$program: show: a FILE is required, or --debug-info=PROGRAM.  Try: '$anyprof show --help'"
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
    wrong "--$name takes the name of a file, or '-' for standard output, not ''" \
        merge a.proftext "${words[@]}"
done
wrong "--output takes the name of a file, or '-' for standard output, not ''" show a.proftext -o ""
for weight in 3 3, 18446744073709551615,; do
    refuses "error: '$weight' is a weight without a file: give WEIGHT,FILE" merge --weighted-input="$weight"
done
refuses "error: the name of an input is empty" merge a.proftext ""
ends 2 merge --for=llvm-99 a.proftext -o never.profdata
hints "unknown target 'llvm-99'"
gone never.profdata

# Colour only on demand here, where nothing is a terminal.
ends 1 merge missing
if grep -q "$(printf '\033')" "$err"; then bad "colour"; else good; fi
ends 1 merge --color missing
if grep -q "$(printf '\033')" "$err"; then good; else bad "no colour"; fi

# A letter's value may follow it at once, but not under LLVM's name; a word that is like an option's name is no value.
ends 0 merge -j2 -oattached a.proftext
ends 0 merge -j 2 -o apart a.proftext
cmp attached apart || bad "another output"
wrong "--num-threads takes a number from 0 to 4294967295, not 'x'" merge -jx a.proftext
wrong "Unknown command line argument '-outptu'.  Try: '$anyprof merge --help'" merge -outptu a.proftext
wrong "Unknown command line argument '--ox'.  Try: '$anyprof merge --help'" merge --ox a.proftext
gone utptu x

# Under a name of LLVM's.
for name in llvm-profdata llvm-profdata-16; do
    ln -sf "$anyprof" $name
    ./$name merge -ox a.proftext 2>"$err" >"$out"
    is "exit code as $name" $? 1
    says "$name: Did you mean '-o x'?"
    ./$name show --cnts a.proftext 2>"$err" >"$out"
    is "exit code as $name" $? 1
    says "$name: Unknown command line argument '--cnts'.  Try: './$name --help'"
    says "$name: Did you mean '--counts'?"
    ./$name show --topn=x a.proftext 2>"$err" >"$out"
    says "$name: for the --topn option: 'x' value invalid for uint argument!"
    ./$name merge --failure-mode=x --text=1 --max-loss=x -o 2>"$err" >"$out"
    is "words as $name" "$(cat "$err")" "$name: for the --failure-mode option: Cannot find option named 'x'!
$name: One of: any, all, warn
Format of output profile option: does not allow a value! '1' specified.
$name: for the --max-loss option: 'x' is not $percentage
$name: for the -o option: requires a value!"
    ./$name merge 2>"$err" >"$out"
    is "exit code as $name" $? 1
    says "error: no input files specified. See $name merge -help"
    ./$name 2>"$err" >"$out"
    is "exit code as $name" $? 1
    says "$name: No subcommand specified! Run llvm-profdata --help for usage."
    ./$name show "$anyprof" 2>"$err" >"$out"
    is "exit code as $name" $? 1
    says "note: Perhaps you forgot to use the --sample or --memory option?"
    ./$name overlap "$anyprof" a.proftext 2>"$err" >"$out"
    says "note: Perhaps you forgot to use the --sample or --memory option?"
    ./$name --help 2>"$err" >"$out"
    is "exit code as $name" $? 0
    is "first line" "$(head -n 1 "$out")" "OVERVIEW: LLVM profile data"
    prints "USAGE: $name [subcommand] [options]"
    prints "  merge   - Merge profiles into one"
    ./$name show --help-list 2>"$err" >"$out"
    is "exit code as $name" $? 0
    prints "SUBCOMMAND 'show': Print what is in a profile"
    prints "USAGE: $name show [options] FILE"
    prints "--all-functions"
done
finish
