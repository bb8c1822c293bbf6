#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# convert into formats of other tools: folded stacks, speedscope, pprof, CSV; what they hold of each kind of profile.
# tests/oracle/exports.py reads pprof's format.
. "$(dirname "$0")/_lib.sh"
jq=$(command -v jq) || printf 'skipped: no jq: JSON for speedscope is not looked into\n'

# prints_all TEXT: the last run printed these lines on standard output, and nothing else.
prints_all() {
    if diff <(printf '%s\n' "$1") "$out" >.diff; then good; else bad "printed otherwise: $(cat .diff)"; fi
}

# --- sample profiles: inlined functions below their callers; lines by offset, discriminators added up ---
cat >plain.prof <<'END'
main:100:5
 1: 10
 1.2: 5
 3: foo:0
 4: 7 callee:3
 3: foo:70
  1: 40
  2: bar:30
   0: 30
_Z3foov:9:1
 1: 9
idle:0:0
END
ends 0 convert --folded plain.prof
prints_all 'main 22
main;foo 40
main;foo;bar 30
_Z3foov 9'
ends 0 convert --to=folded --lines plain.prof
prints_all 'main:1 15
main:4 7
main:3;foo:1 40
main:3;foo:2;bar:0 30
_Z3foov:1 9'
ends 0 convert --csv plain.prof
prints_all 'function,file,line,callers,samples
main,,1,,15
main,,4,,7
foo,,1,"main:3",40
bar,,0,"main:3;foo:2",30
_Z3foov,,1,,9
idle,,,,0'
ends 0 convert --csv --demangle plain.prof
grep -qx 'foo(),,1,,9' "$out" && good || bad "not demangled"
ends 0 convert --speedscope --lines plain.prof
[ -z "$jq" ] || has '.["$schema"] == "https://www.speedscope.app/file-format-schema.json" and
    .shared.frames[0] == {name: "main", line: 1} and .profiles[0].samples[3] == [2, 4, 5] and
    .profiles[0].weights == [15, 7, 40, 30, 9] and .profiles[0].endValue == 101 and
    .profiles[0].type == "sampled" and .profiles[0].unit == "none"'

# --- contexts, also under each other; what a function's own profile has, too, is left out ---
cat >contexts.prof <<'END'
[main:3 @ foo:2 @ bar]:30:1
 1: 30
[main]:10:1
 1: 10
END
ends 0 convert --folded contexts.prof
prints_all 'main;foo;bar 30
main 10'
cat >again.prof <<'END'
bar:30:1
 1: 30
main:40:1
 1: 10
 2: bar:30
  1: 30
  3: baz:9
   1: 9
  !Attributes: 4
END
ends 0 convert --folded again.prof
prints_all 'main 10
bar 30'
says 'note: left out: 2 inlined functions whose samples their own profiles have, too'

# --- instrumentation profiles: the sum of counters, and the first; the file of a static function ---
cat >ir.proftext <<'END'
:ir
main
12
3
5
6
7

a.c;helper
18446744073709551615
2
18446744073709551613
5

b.c:older
7
1
2

idle
9
1
0

END
ends 0 convert --folded ir.proftext
prints_all 'main 18
a.c:helper 18446744073709551615
b.c:older 2'
ends 0 convert --csv ir.proftext
prints_all 'function,file,hash,counts,entries
main,,0x000000000000000c,18,5
helper,a.c,0xffffffffffffffff,18446744073709551615,18446744073709551613
older,b.c,0x0000000000000007,2,2
idle,,0x0000000000000009,0,0'
ends 0 convert --speedscope ir.proftext
[ -z "$jq" ] || has '[.profiles[].name] == ["counts", "entries"] and
    .profiles[1].weights == [5, 18446744073709551616, 2] and
    .profiles[1].samples == [[0], [1], [2]] and .shared.frames[1] == {name: "a.c:helper", file: "a.c"}'
ends 0 convert ir.proftext -o ir.pb.gz
hints "warning: all counts are divided by 4, and rounded up: their sum is above 2^63-1, the largest number of"
ends 0 convert ir.proftext -o again.pb.gz --quiet
silent
same ir.pb.gz again.pb.gz
[ "$(od -An -tx1 -j0 -N10 ir.pb.gz | tr -d ' ')" = 1f8b0800000000000003 ] && good || bad "a time in gzip's header"

# Static functions of one name stay apart where readers join functions by their names.
printf '%s\n1\n1\n%s\n\n' 'a.c;_ZL1hv' 10 'b.c;_ZL1hv' 20 'dir/a b.c;_ZL1hv' 30 >static.proftext
ends 0 convert --folded --demangle static.proftext
prints_all 'a.c:h() 10
b.c:h() 20
dir/a b.c:h() 30'
ends 0 convert --speedscope static.proftext
[ -z "$jq" ] || has '[.shared.frames[].name] == ["a.c:_ZL1hv", "b.c:_ZL1hv", "dir/a b.c:_ZL1hv"]'

# --- BOLT ---
cat >x.fdata <<'END'
1 main 1 1 main 5 2 10
1 main 7 1 with\ blank 0 1 4
1 helper/a.c/1 3 1 main 0 0 6
1 helper/a.c/2 3 1 main 0 0 1
0 [unknown] 0 1 main 0 1 9
4 main 2 5 data 8 100
END
ends 0 convert --csv x.fdata
prints_all 'function,file,branches,mispredictions
helper,a.c,6,0
helper/a.c/2,,1,0
main,,14,3
[unknown],,9,1'
says 'warning: left out: 1 records without counts of code'
ends 0 convert --folded x.fdata
prints_all 'a.c:helper 6
helper/a.c/2 1
main 14
[unknown] 9'

# Context-sensitive records count the same runs as the others, so an export writes one of the two kinds. A warning names
# sums that do not fit into 64 bits.
printf ':csir\nmain\n1152921504606846977\n1\n5\n\nmain\n1\n2\n10\n20\n\n' >both.proftext
ends 0 convert --folded both.proftext
prints_all 'main 30'
says 'note: left out: 1 context-sensitive record; --cs writes those instead'
ends 0 convert --folded --cs both.proftext
prints_all 'main 5'
says 'note: left out: 1 not context-sensitive record; without --cs they are written'
printf ':csir\nmain\n1152921504606846977\n1\n5\n\n' >only.proftext
ends 0 convert --folded only.proftext
prints_all 'main 5'
silent
ends 2 convert --cs --to=text both.proftext
hints '--lines, --demangle, --cs and --max-output-size are for folded, speedscope, pprof and csv'
ends 0 convert --cs --folded x.fdata
says 'warning: --cs has no effect on profiles of BOLT'
printf ':ir\nmain\n1\n2\n18446744073709551000\n2000\n\n' >large.proftext
for format in folded csv speedscope; do
    ends 0 convert --to=$format large.proftext
    says 'warning: 1 number is at 18446744073709551615, the largest one: the sum may be more'
done

for words in '--to=indexed' '-o x.prof' ''; do
    # shellcheck disable=SC2086  # words
    ends 2 convert x.fdata $words
    hints "a profile of BOLT is converted to folded, speedscope, pprof or csv; 'anyprof bolt merge' writes fdata"
done
printf 'no_lbr cycles\n1 main 5 12\n1 wi\\ th 1 3\n' >samples.fdata
ends 0 convert --folded - <samples.fdata
prints_all 'main 12
wi th 3'
cat >x.yaml <<'END'
---
header:
  profile-version: 1
  binary-name:     'x'
  binary-build-id: '<unknown>'
  profile-flags:   [ lbr ]
  profile-origin:  perf data aggregator
  profile-events:  ''
  dfs-order:       false
  hash-func:       xxh3
functions:
  - name:            main
    fid:             3
    hash:            0x12
    exec:            1
    nblocks:         2
    blocks:
      - bid:             0
        insns:           2
        hash:            0x1
        exec:            1
        calls:           [ { off: 0x2, fid: 0, cnt: 5, mis: 1 } ]
        succ:            [ { bid: 1, cnt: 7, mis: 2 } ]
...
END
ends 0 convert --csv x.yaml
prints_all 'function,file,branches,mispredictions
main,,12,3'

# --- names with odd bytes: each line is a stack, and \xNN gives the byte back ---
printf 'a;b\\xc\\d\xff\x01 e"f,g:5:1\n 1: 5\n' >odd.prof
ends 0 convert --folded odd.prof
prints_all 'a\x3bb\x5cxc\x5cd\xff\x01 e"f,g 5'
ends 0 convert --csv odd.prof
prints_all 'function,file,line,callers,samples
"a;b\x5cxc\d\xff\x01 e""f,g",,1,,5'
ends 0 convert --speedscope odd.prof
python3 -c 'import json,sys
print(json.load(open(sys.argv[1]))["shared"]["frames"][0]["name"].encode("utf-8","surrogateescape"))' "$out" >name
[ "$(cat name)" = "b'a;b\\\\xc\\\\d\\xff\\x01 e\"f,g'" ] && good || bad "another name: $(cat name)"

# --- in folded stacks, readers would cut blanks at the ends of a name, take a number at its end for one of the stack's,
# and end a line at white space that is no blank ---
printf '%s\n1\n1\n5\n\n' ' f ' 'f 12' 'f 1 2.' 'f +3' 'array<int, 4ul>' $'f \xd9\xa3' $'f\xc2\xa05' $'f\xe2\x80\xa8g' \
    $'\xef\xbb\xbff' "f\\'" >blanks.proftext
ends 0 convert --folded blanks.proftext
prints_all '\x20f\x20 5
f\x2012 5
f 1\x202. 5
f\x20+3 5
array<int, 4ul> 5
f\x20'$'\xd9\xa3'' 5
f\xc2\xa05 5
f\xe2\x80\xa8g 5
\xef\xbb\xbff 5
f\x5c'"'"' 5'
ends 0 convert --csv blanks.proftext
for row in ' f ' 'f 12' "f\\'" 'f\xe2\x80\xa8g'; do
    grep -qxF "$row,,0x0000000000000001,5,5" "$out" && good || bad "no row for '$row'"
done

# --- the end of the name chooses the format, and --to comes before it ---
for end in folded speedscope.json pb.gz csv; do
    to=${end%.json}
    ends 0 convert plain.prof -o "x.$end"
    ends 0 convert --to="${to/pb.gz/pprof}" plain.prof -o x.any
    same "x.$end" x.any
done
ends 0 convert --to=text plain.prof -o x.folded
grep -q '^main:100:5$' x.folded && good || bad "--to=text does not write text"

# --- an output that is too large: 1,000 levels of one function, and a line in the last of them for each of many ---
python3 - >deep.prof <<'END'
name = "f" * 400
print(f"{name}:1:0")
for depth in range(1, 999):
    print(" " * depth + f"1: {name}:1")
print("\n".join(" " * 999 + f"{line}: 1" for line in range(700)))
END
ends 0 convert --to=extbinary deep.prof -o deep.afdo
[ "$(stat -c %s deep.afdo)" -lt 20000 ] && good || bad "the input is large"
ends 1 convert --csv deep.afdo -o /dev/null
says 'error: /dev/null: a limit of this run was exceeded: the output is larger than 268435456 bytes
note: --max-output-size=SIZE allows more; speedscope and pprof have each name only once'
for option in --csv "--folded --lines" "--speedscope --lines" --pprof; do
    ends 1 convert $option --max-output-size=600K deep.afdo -o large
    hints 'the output is larger than 614400 bytes'
    [ ! -e large ] && good || bad "half an output was left"
done
hints '--max-output-size=SIZE allows more; folded stacks without --lines have no lines of code'
for option in --csv --folded; do # also within a stack, which has 400 KB
    n=$("$anyprof" convert $option --max-output-size=64K deep.afdo 2>err | wc -c)
    [ "$n" -lt 200000 ] && good || bad "$option: $n bytes"
    grep -q 'the output is larger than 65536 bytes' err && good || bad "$option: no error"
done
ends 0 convert --folded --max-output-size=600K deep.afdo -o large
ends 0 convert --pprof --max-output-size=2M deep.afdo -o large
ends 1 convert --csv --max-output-size=1000G deep.afdo -o /dev/full
says 'error: /dev/full: No space left on device'
ends 2 convert --to=text --max-output-size=1G deep.afdo
hints '--lines, --demangle, --cs and --max-output-size are for folded, speedscope, pprof and csv'

# --- mistakes ---
for option in --for=llvm-16 --sparse --keep-vtable-symbols; do
    ends 2 convert --csv $option ir.proftext
    hints "are for profiles that compilers read, not for folded, speedscope, pprof and csv"
done
for words in '--to=text plain.prof' '--to=json ir.proftext' 'ir.proftext -o x.profdata'; do
    # shellcheck disable=SC2086  # words
    ends 2 convert $words --lines
    hints '--lines, --demangle, --cs and --max-output-size are for'
done
mkdir directory
ends 2 convert ir.proftext -o directory/
hints 'the output is a directory: give the name of a file in it'
ends 2 convert --csv
hints 'a FILE is required'
cp plain.prof plain.csv
ends 2 convert --sample plain.csv -o plain.csv
same plain.csv plain.prof
ends 1 convert --csv missing.prof
printf 'main:0:0\n' >none.prof
ends 0 convert --folded none.prof
says 'warning: no function has a count: the output has no stack'
printf 'broken' >broken
ends 1 convert --folded broken

finish
