#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Options and names that do nothing with a sample profile: a message says so.
# shellcheck source=tests/cli/_lib.sh disable=SC2154  # what _lib.sh sets
. "$(dirname "$0")/_lib.sh"

printf 'main:100:7\n 1: 100\n 2: bar:30\n  1: 30\nfoo:9:3\n 0: 9\n' >a.prof
printf '[main:1 @ foo]:50:7\n 1: 50\n[main]:20:1\n 1: 20\n' >cs.prof
"$anyprof" merge -o cs.afdo cs.prof

# warns WORDS ARGUMENT...: the command says this about each of its options, and ends well.
warns() {
    local words=$1
    shift
    ends 0 "$@"
    is "what it says" "$(cat "$err")" "$words"
}

# ---- options ----

warns 'warning: --sparse has no effect on sample profiles
warning: --memprof-version has no effect on sample profiles
warning: --write-prev-version has no effect on sample profiles' \
    merge --memprof-version=4 --write-prev-version --sparse a.prof -o z
warns '' merge --quiet --memprof-version=4 --sparse --profile-summary-cold-count=1 a.prof -o z
warns 'warning: --sample-frame-depth-for-cold-context has no effect without --sample-merge-cold-context
warning: --profile-summary-cold-count has no effect without --sample-merge-cold-context or --sample-trim-cold-context
warning: --profile-summary-cutoff-cold has no effect without --sample-merge-cold-context or --sample-trim-cold-context
warning: --generate-merged-base-profiles has no effect without --convert-sample-profile-layout=nest' \
    merge --profile-summary-cold-count=5 --profile-summary-cutoff-cold=5 --sample-frame-depth-for-cold-context=2 \
    --generate-merged-base-profiles cs.prof -o z
warns 'warning: --sample-merge-cold-context has no effect: no input has contexts' \
    merge --sample-merge-cold-context a.prof -o z
warns '' merge --sample-merge-cold-context --profile-summary-cold-count=5 cs.prof -o z
warns 'note: 1 cold function was left out because of --sample-trim-cold-context' \
    merge --sample-trim-cold-context --profile-summary-cold-count=50 a.prof -o z
ends 0 merge --use-md5 --for=gcc-12 a.prof -o z
says "warning: -use-md5 is ignored: GCC's format cannot express it"
warns 'warning: -use-md5 is ignored. Specify -extbinary to enable it' merge --use-md5 --text a.prof -o z
warns 'warning: --sparse has no effect on sample profiles
warning: --drop-memprof has no effect on sample profiles' convert --sparse --drop-memprof a.prof --to=text -o z
warns 'warning: --covered has no effect on sample profiles
warning: --counts has no effect on sample profiles' show --counts --covered --topn=3 a.prof
warns '' show --hot-func-list --topn=1 a.prof
warns 'warning: --cs has no effect on sample profiles' overlap --cs --value-cutoff=3 a.prof a.prof

# ---- outputs that a release does not read ----

ends 1 convert a.prof --for=gcc-12 -o x.prof
says "error: x.prof: not supported: GCC 12 does not read text, which LLVM 3.8 to 23 read; of what is written it reads \
GCC's version 2
note: the name of the output asks for its format; --to=FORMAT says another one"
ends 1 merge --compbinary --for=llvm-22 a.prof -o z
hints 'LLVM 22 does not read compact binary, which LLVM 7 to 16 read; of what is written it reads text, raw binary'
ends 0 merge --gcc --for=12 a.prof -o z
says "note: --for=12 is LLVM 12, which reads GCC's version 4.07; compilers of GCC are --for=gcc-N"
ends 2 merge --profile-summary-cutoff-cold=1000001 --sample-trim-cold-context a.prof -o z
says 'error: --profile-summary-cutoff-cold takes millionths of all counts: at most 1000000'
ends 2 merge --weighted-input=x,a.prof -o z
says "note: 'x,a.prof' is to be WEIGHT,FILE"

# A limit is no reason to doubt the kind of a file.
ends 1 merge --max-records=1 a.prof -o z
is "what it says" "$(cat "$err")" "warning: a.prof: a limit of this run was exceeded: too many functions [line 3, \
sample.text.functions]
error: nothing is written: the only input is bad"

# LLVM's tool is silent.
ln -s "$anyprof" llvm-profdata
as() { # as ARGUMENT...: runs the command by the name llvm-profdata, under which it must print no message
    ./llvm-profdata "$@" >"$out" 2>"$err"
    is "what it says" "$(cat "$err")" ""
}
as merge --sample --memprof-version=4 --sparse --profile-summary-cold-count=1 a.prof -o z
as show --sample --counts --topn=3 a.prof
as show --sample --function=none a.prof

# ---- remapping files ----

: >none
printf 'x y\n' >other
printf 'foo fo\n' >map
warns "warning: --remapping-file renames nothing: the file has no line 'OLD NEW'" merge -r none a.prof -o z
warns '' merge -r other a.prof -o z
warns '' merge -r map a.prof -o z
printf 'main\n17\n1\n100\n\n' >i.proftext
warns 'warning: --remapping-file renames nothing: no function has one of its old names' \
    merge --text -r other i.proftext -o z

# ---- lines that LLVM's words do not explain ----

printf 'foo:1:1\n 65536: 1\n' >line.prof
ends 1 merge line.prof -o z
says "warning: line.prof: Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found  65536: 1 [line 2, column 2, \
sample.text.line: found 65536, expected at most 65535]"

# ---- names ----

missing='no profile data available for function'
for file in a.prof cs.prof cs.afdo; do
    ends 1 lookup "$file" fooo
    is "what it says" "$(cat "$err")" "error: $file: $missing: fooo
note: the nearest name is 'foo'"
    warns "warning: $file: no function has the name that --function gives
note: the nearest name is 'foo'" show --function=fooo "$file"
done
ends 1 lookup a.prof bar
says "note: it has no samples of its own: it is inlined in 'main'"
warns "warning: a.prof: no function has the name that --function gives
note: it has no samples of its own: it is inlined in 'main'" show --function=bar a.prof
printf 'a:1:1\n 1: bar:1\n  1: 1\nb:2:1\n 1: bar:2\n  1: 1\n 2: bar:1\n  1: 1\n' >two.prof
ends 1 lookup two.prof bar
says "note: it has no samples of its own: it is inlined in 2 functions, such as 'b'"
# A misspelt name of a function that is only inlined, or of several, of which some have samples of their own.
ends 1 lookup two.prof barr
is "a near name that is inlined" "$(cat "$err")" "error: two.prof: $missing: barr
note: the nearest name is 'bar'
note: 'bar' has no samples of its own: it is inlined in 2 functions, such as 'b'"
printf 'outer:5:1\n 1: _ZN2ns5innerEv:4\n  1: 4\n 2: outher:1\n  1: 1\n' >inner.prof
ends 1 lookup inner.prof ns::iner
is "a name of C++" "$(tail -n 2 "$err")" "note: the nearest name is 'ns::inner()' (_ZN2ns5innerEv)
note: '_ZN2ns5innerEv' has no samples of its own: it is inlined in 'outer'"
ends 1 lookup inner.prof ouher
is "several" "$(tail -n 2 "$err")" "note: the nearest names are 'outer' and 'outher'
note: 'outher' has no samples of its own: it is inlined in 'outer'"
warns "warning: inner.prof: no function has the name that --function gives
note: the nearest name is 'ns::inner()' (_ZN2ns5innerEv)
note: '_ZN2ns5innerEv' has no samples of its own: it is inlined in 'outer'" show --function=ns::iner inner.prof
"$anyprof" merge --use-md5 -o md5.afdo a.prof
warns '' show --function=main md5.afdo
warns "warning: md5.afdo: no function has the name that --function gives
note: no name is like it; '$anyprof show --all-functions md5.afdo' lists all names" show --function=mainn md5.afdo

mkfifo pipe
"$anyprof" merge --text -o - a.prof >pipe &
ends 1 lookup pipe zzzzzzzzzzzzz
is "what it says" "$(cat "$err")" "error: pipe: $missing: zzzzzzzzzzzzz"

# A name finds a function of which only the hash is known; a hash is explained where the name is known.
ends 0 merge --text --function=main md5.afdo -o -
says '1 of 2 functions in the original profile are filtered.'
prints '15822663052811949562:'
ends 0 merge --text --no-function=main md5.afdo -o -
says '1 of 2 functions in the original profile are filtered.'
prints '6699318081062747564:'
ends 1 lookup a.prof 6699318081062747564
says "note: it is the MD5 hash of 'foo'"

# A number is a hash; a name that begins with one is not.
printf '12345:10:1\n 1: 10\n' >hash.prof
warns '' show --function=12345 hash.prof
ends 0 show --function=12345abc hash.prof
says 'warning: hash.prof: no function has the name that --function gives'

# Brackets may be part of a name.
ends 0 convert a.prof --to=json -o a.json
sed 's/"name": "foo"/"name": "[foo]"/' a.json >b.json
for to in binary extbinary; do
    ends 0 convert b.json --to=$to -o b.afdo
    ends 0 lookup b.afdo '[foo]'
    prints 'Function: [foo]: 9, 3, 1 sampled lines'
done

# Contexts of functions of several files differ, and have one text.
cat >files.json <<'END'
{"schema": "anyprof-sample/1", "functions": [{"name": "foo", "file": "a.c", "total": 7, "head": 1},
  {"name": "foo", "file": "b.c", "total": 3, "head": 1}]}
END
for name in foo '[foo]'; do
    ends 0 lookup files.json "$name"
    is "functions" "$(grep -c '^Function: foo' "$out")" 2
done

# A context, in brackets or not, is one function of several with its name.
for file in cs.prof cs.afdo; do
    ends 0 lookup "$file" '[main:1 @ foo]'
    prints 'Function: main:1 @ foo: 50, 7, 1 sampled lines'
    ends 0 lookup "$file" 'main:1 @ foo'
    prints 'Function: main:1 @ foo: 50, 7, 1 sampled lines'
    warns '' show --function='[main:1 @ foo]' "$file"
    warns '' show --function='main:1 @ foo' "$file"
    warns "warning: $file: no function has the name that --function gives
note: the function is there in other contexts; its name alone finds all of them" \
        show --function='[main:1.2 @ foo]' "$file"
    ends 1 lookup "$file" '[main:2 @ foo]'
    is "what it says" "$(cat "$err")" "error: $file: $missing: [main:2 @ foo]
note: the function is there in other contexts; its name alone finds all of them"
    ends 0 lookup --json "$file" '[main]'
    if grep -q '"foo"' "$out"; then bad "another context"; else good; fi
done
ends 1 lookup a.prof 'main:1 @ foo'
says "note: the profile has no contexts; the function's name alone finds it"

# What the format that the target gets has no word for.
warns 'warning: -compress-all-section is ignored. Specify -extbinary to enable it
warning: -use-md5 is ignored. Specify -extbinary to enable it' \
    merge --for=llvm-12 --use-md5 --compress-all-sections -o raw.afdo a.prof
printf 'f:9:1\n 1.2: 5\n 3: 4\n' >places.prof
warns 'note: the output cannot hold this: discriminators left out: the compiler ignores them (1)' \
    merge --for=gcc-12 -o gcc.afdo places.prof
ends 1 merge --for=llvm-12 --text -o - cs.prof
hints 'error: standard output: Profile encoding format unsupported for writing operations: '
ends 2 convert --to=indexed -o z.profdata a.prof
hints 'indexed is a format of instrumentation profiles, and this is none'
ends 1 show --memory a.prof
says 'note: a.prof is a text sample profile: it has no memory profile; leave out --memory'
printf '{"schema":"anyprof-sample/9","functions":[]}' >newer.json
ends 1 convert --to=text newer.json
place='[line 1, column 11, json.document.schema]'
is "what it says" "$(cat "$err")" "error: newer.json: JSON with an error: expected anyprof-sample/1 $place"

# A text that was cut in a number: 11 of 1180.
mkdir cut
printf 'f:9:1\n 1: 9\ng:3540:1180\n 1: 11' >cut/run.prof
cp a.prof total.prof
ends 1 merge --salvage --max-loss=0 --delete-inputs -o total.prof total.prof cut
there cut/run.prof
ends 0 merge --salvage --text -o - cut/run.prof
is "what is kept" "$(cat "$out")" "f:9:1
 1: 9"
finish
