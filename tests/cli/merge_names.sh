#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --function, --no-function, --remapping-file and --prefix-map. oracle/parity_merge.py compares with LLVM's tool.
. "$(dirname "$0")/_lib.sh"

{
    printf ':ir\nmain\n1\n1\n5\n1\n0\n1\n2\n/b/x.c;f:3\nfoo:4\n\n'
    printf '%s\n' foo 2 1 7 "" '/b/x.c;f' 3 1 9 "" '/c/x.c;f' 3 1 1 ""
} >in.proftext

# names ARGUMENT...: of the functions that the merge has.
names() {
    run merge --text -o out.proftext "$@" in.proftext
    [ "$code" = 0 ] || bad "exit code $code: $*"
    "$anyprof" show --all-functions out.proftext | sed -n 's/^  \(.*\):$/\1/p' | paste -sd ' '
}

is "all" "$(names)" "/b/x.c;f /c/x.c;f foo main"
is "some" "$(names --function='^(foo|main)$')" "foo main"
names --function='^(foo|main)$' >/dev/null
says "2 of 4 functions in the original profile are filtered."
is "others" "$(names --no-function='[;:]')" "foo main"
is "both" "$(names --function=o --no-function='^f')" ""
is "anything" "$(names --function='.' --no-function=zzz)" "/b/x.c;f /c/x.c;f foo main"
names --function='.' >/dev/null
says "0 of 4 functions in the original profile are filtered."
is "plain text" "$(names --function='?foo')" ""
is "the last one" "$(names --function=foo --function=main)" "main"
is "none" "$(names --function= --no-function=)" "/b/x.c;f /c/x.c;f foo main"
names --function= >/dev/null
silent
names --quiet --function=foo >/dev/null
silent
for pattern in '(' '[' 'a{2' '*' '[z-a]' '[[:foo:]]' 'a{3,1}' 'x\'; do
    ends 2 merge --text --function="$pattern" in.proftext -o never
    hints "--function takes a regular expression, not '$pattern': "
    gone never
done
ends 2 merge --no-function='(' in.proftext -o never
hints "--no-function takes a regular expression, not '(': parentheses not balanced"
ln -s "$anyprof" llvm-profdata
./llvm-profdata merge --function='(' in.proftext -o never 2>"$err"
is "LLVM's exit code" $? 1
says "error: parentheses not balanced"
says "note: the regular expression is '('"

# Renamed functions: values keep the old name.
printf '# a comment\n\nfoo bar\r\nfoo never\nabsent main\n' >map
is "renamed" "$(names -r map)" "/b/x.c;f /c/x.c;f bar main"
names -r map >/dev/null
says "note: renamed by --remapping-file and --prefix-map: 1 record"
is "the value" "$(grep -c '^\*\* External Symbol \*\*:4$' out.proftext)" 1
is "filter of the new name" "$(names --remapping-file map --function=bar)" "bar"
for line in 'foo' 'foo  bar' ' foo bar' 'foo bar baz' 'foo bar ' '   '; do
    printf '#\n\n%s\n' "$line" >bad.map
    ends 1 merge -r bad.map in.proftext -o never
    says "error: bad.map:3: unexpected line in remapping file"
    says "note: expected 'old_symbol new_symbol'"
    gone never
done
ends 1 merge -r nothing in.proftext -o never
says "error: nothing: No such file or directory"
ends 1 merge -r . in.proftext -o never
says "error: .: Is a directory"
run merge --text -r - in.proftext -o out.proftext <map
is "from standard input" "$(grep -c '^bar$' out.proftext)" 1
run merge --text -r - - -o never <map
is "exit code" "$code" 2
says "error: standard input cannot be both an input and the remapping file"

# Paths.
is "one path" "$(names --prefix-map=/b=/c)" "/c/x.c;f foo main"
names --prefix-map=/b=/c >/dev/null
says "note: renamed by --remapping-file and --prefix-map: 1 record (1 added to one of the same name)"
is "its sum" "$("$anyprof" show --all-functions --counts out.proftext | grep -A3 '/c/x.c;f:' | tail -n 1)" \
    "    Block counts: [10]"
is "its value" "$(grep -c '^/c/x.c;f:3$' out.proftext)" 1
is "several" "$(names --prefix-map=/=/s/ --prefix-map=/c=t)" "/s/b/x.c;f foo main t/x.c;f"
is "in front of all" "$(names --prefix-map==../)" "..//b/x.c;f ..//c/x.c;f foo main"
is "shorter" "$(names --prefix-map /b/=)" "/c/x.c;f foo main x.c;f"
ends 0 merge --prefix-map=/nowhere=/c --for=llvm-22 in.proftext -o out.profdata
says "warning: --prefix-map changes nothing: in no name of a local function does the path begin so"
ends 0 merge --function=nothing --for=llvm-22 in.proftext -o out.profdata
says "warning: no function is left: --function='nothing' matches no name"
ends 0 merge --function=main --no-function=main --for=llvm-22 in.proftext -o out.profdata
says "warning: no function is left: --function='main' matches no name that --no-function keeps"
ends 2 merge --prefix-map=nothing in.proftext -o never
hints "--prefix-map takes FROM=TO, not 'nothing'"
gone never
# A text is for a release, if that is said; the name that the command has says it only of what compilers read.
printf ':ir\na.c;f\n1\n1\n3\n\n' >semicolon.proftext
ln -sf "$anyprof" llvm-profdata-16
for how in "merge --text --for=llvm-16" "convert --to=text --for=llvm-16" "merge --text --for=indexed-8"; do
    # shellcheck disable=SC2086
    ends 0 $how semicolon.proftext
    prints a.c:f
    says "note: renamed as the target's compiler names them: 1 local function"
done
for how in "merge --text" "merge --text --for=llvm-22" "merge --text --write-prev-version"; do
    # shellcheck disable=SC2086
    ends 0 $how semicolon.proftext
    prints "a.c;f"
    silent
done
anyprof=./llvm-profdata-16 ends 0 merge --text semicolon.proftext
prints "a.c;f"
ends 0 merge --prefix-map=/b=/c --for=llvm-16 in.proftext -o out.profdata
says "note: renamed as the target's compiler names them: 2 local functions"
is "and the separator" "$("$anyprof" show --all-functions out.profdata | grep -c '^  /c/x.c:f:$')" 1

# What became of it is in the report.
ends 0 merge --prefix-map=/b=/c --function='[;b]' -r map in.proftext -o out.profdata --report=report
for line in '"remapped": 2' '"remapped_merged": 1' '"names": 3' '"filtered": 1' '"functions": 2'; do
    if grep -q "^ *$line,\$" report; then good; else bad "the report lacks $line"; fi
done

# Inputs that would be lost for good.
cp in.proftext removed.proftext
ends 2 merge --delete-inputs --function=foo removed.proftext -o never
says "error: --delete-inputs would lose what --function and --no-function leave out"
there removed.proftext
gone never

# Neither the order nor threads matter.
sed 's|/b/|/c/|' in.proftext >in2.proftext
for order in "in.proftext in2.proftext map.proftext" "map.proftext in2.proftext in.proftext"; do
    printf ':ir\nbar\n2\n1\n70\n' >map.proftext
    for threads in 1 4; do
        # shellcheck disable=SC2086
        ends 0 merge -j $threads -r map --prefix-map=/b=/c --no-function=main $order -o now
        [ -e first ] || cp now first
        same first now
    done
done
finish
