#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bolt merge, and the same under the name merge-fdata: inputs, output, what is said, exit codes.
. "$(dirname "$0")/_lib.sh"

printf '%s\n' '1 main d4 1 worker 0 0 3' '1 worker 0 1 worker 13 1 3' '4 worker 3 4 table 8 5' >a
printf '%s\n' '1 worker  0  1 worker 13 1 4 ' '0 [unknown] 0 1 main 0 0 1' >b
printf '%s\n' '1 main d4 1 worker 0 0 3' '0 [unknown] 0 1 main 0 0 1' '1 worker 0 1 worker 13 2 7' \
    '4 worker 3 4 table 8 5' >want
printf '%s\n' boltedcollection '1 f 0 1 f 8 0 1' >bolted
printf '%s\n' 'no_lbr cycles:u' '1 f 0 2' >samples
printf '%s\n' 'no_lbr branches' '1 f 0 3' >branches
printf '1 f 0 1 f 8 0 1\n\n' >bad
: >empty
mkdir dir dir/sub none
cp a dir/a
gzip <b >dir/sub/b.gz

# Files, directories, standard input, pipes, compressed or not, in any order.
ends 0 bolt merge a b
silent
same "$out" want
ends 0 bolt merge -o x b a
silent
same x want
ends 0 bolt merge -o x dir
same x want
ends 0 bolt merge --output=x - b <a
same x want
ends 0 bolt merge -o x <(cat a) dir/sub/b.gz
same x want
if command -v zstd >/dev/null; then
    zstd -q b
    ends 0 bolt merge a b.zst
    same "$out" want
fi
cp a x
ends 0 bolt merge -o x x b # the output may be an input
same x want
ends 0 bolt merge -q a b
silent
is "output with -q" "$(cat "$out")" ""
ends 1 bolt merge -q a bad
no_leftovers

# Errors name the file and the place; the old output stays.
ends 1 bolt merge -o x a bad
says "error: bad: fdata with an error: expected a record, which begins with 0 to 5 [line 2, column 1, fdata.symbol]"
same x want
ends 1 bolt merge -o x missing
says "error: missing: No such file or directory"
ends 1 bolt merge none
says "error: none: there are no files in this directory"
ends 2 bolt merge - - <a
hints "standard input can be given only once"
ends 1 bolt merge -o no/such/place a
says "error: no/such/place: No such file or directory"
if [ -w /dev/full ]; then
    ends 1 bolt merge -o /dev/full a
    says "error: /dev/full: No space left on device"
fi
printf -- '---\nheader:\n' >yaml
ends 1 bolt merge a yaml
says "error: yaml: not supported: profiles in YAML together with fdata: this file is YAML, those before are not"
printf 'PERFILE2' >perf
ends 1 bolt merge perf
says "error: perf: not supported: a file of perf: 'bolt convert' or perf2bolt makes fdata of it"
ends 1 bolt merge "$anyprof"
says "note: $anyprof is an ELF file: give a profile of BOLT, fdata or YAML"
ends 1 bolt merge "$profiles/clang-22-ir.profraw"
hints "clang-22-ir.profraw: fdata with an error: expected a record"
same x want

# What does not go together.
ends 1 bolt merge -o x a bolted
says "error: bolted: fdata that do not go together: cannot mix profile with and without boltedcollection: \
this one has that line, a has not"
ends 1 bolt merge -o x samples a
says "error: a: fdata that do not go together: cannot mix profile with and without no_lbr: \
samples has that line, this one has not"
same x want
ends 0 bolt merge samples branches
says "warning: branches: fdata that do not go together: counts of other events than those of samples are added to them"
is "samples of two events" "$(cat "$out")" "no_lbr branches cycles:u
1 f 0 5"

# Files without a byte are runs without samples.
ends 0 bolt merge empty a b
says "warning: empty: empty fdata: the file is empty and adds nothing"
same "$out" want
ends 1 bolt merge -o x empty empty
says "error: no profile can be merged: every input is empty"
same x want

# Counts that are too large stay at the largest number.
printf '1 f 0 1 f 8 0 9223372036854775807\n' >most
ends 0 bolt merge most most a b
says "warning: counts cut at 2^63 - 1, the largest that llvm-bolt reads: those of 1 records"
prints "1 f 0 1 f 8 0 9223372036854775807"

# YAML: in the same places, in any order; a warning for what differs and is merged all the same.
yaml() { # yaml FILE FID EXEC [KEY: VALUE]
    printf '%s\n' --- header: '  profile-version: 1' '  binary-name:     app' "  binary-build-id: '<unknown>'" \
        '  profile-flags:   [ lbr ]' '  profile-origin:  perf data aggregator' "  profile-events:  ''" ${4:+"  $4"} \
        '  dfs-order:       false' '  hash-func:       xxh3' functions: "  - name:            'f/a.c/1'" \
        "    fid:             $2" '    hash:            0xABC' "    exec:            $3" '    nblocks:         4' \
        '    blocks:' '      - bid:             1' '        insns:           9' \
        "        succ:            [ { bid: 3, cnt: $3 }, { bid: 2, cnt: 0 } ]" ... >"$1"
}
yaml 1.yaml 3 5
yaml 2.yaml 3 6
yaml sum.yaml 3 11
mkdir yamls
cp 1.yaml yamls
gzip <2.yaml >yamls/2.gz
for inputs in "1.yaml 2.yaml" "2.yaml 1.yaml" yamls "- 2.yaml"; do
    # shellcheck disable=SC2086 # words
    ends 0 bolt merge $inputs <1.yaml
    silent
    same "$out" sum.yaml
done
ends 0 bolt merge 1.yaml
same "$out" 1.yaml
ends 0 bolt merge -o x -q --print=exec 1.yaml 2.yaml
is "the list by execution" "$(cat "$err")" "Functions sorted by execution count:
f/a.c/1 : 11"
ends 0 bolt merge --print=branches 1.yaml 2.yaml
says "Functions sorted by total branch count:"
says "f/a.c/1 : 11"
same "$out" sum.yaml
same x want # -q
ends 1 bolt merge 1.yaml a
says "error: a: not supported: profiles in YAML together with fdata: this file is fdata, those before are not"
yaml other.yaml 4 5
ends 1 bolt merge -o x 1.yaml other.yaml
says "error: other.yaml: YAML profiles that do not go together: f/a.c/1: ID mismatch, in 1.yaml and in this one"
same x want
yaml new.yaml 3 6 'new: [ 1 ]'
ends 0 bolt merge 1.yaml new.yaml
says "warning: new.yaml: a key that is not known: new, left out as all of 1 such keys"
same "$out" sum.yaml
sed -i 's/succ: /succ: [/' new.yaml
ends 1 bolt merge new.yaml
hints "error: new.yaml: YAML profile with an error: "
sed "s/profile-events: .*/profile-events:  'a,b'/" 1.yaml >comma.yaml
ends 0 bolt merge comma.yaml
says "warning: llvm-bolt does not read profiles with a comma in profile-events: replace it by a semicolon"
ends 0 bolt merge empty 1.yaml 2.yaml
says "warning: empty: empty fdata: the file is empty and adds nothing"
same "$out" sum.yaml
ends 1 bolt merge --max-input-size=10 1.yaml
hints "error: 1.yaml: a limit of this run was exceeded"

# Limits.
ends 1 bolt merge --max-records=3 a b
says "error: b: a limit of this run was exceeded: more different records than allowed [fdata.records: found 4, \
expected at most 3]"
ends 0 bolt merge --max-records=4 a b
ends 1 bolt merge --max-input-size=10 a
hints "error: a: a limit of this run was exceeded"
ends 2 bolt merge --max-records=512M a
ends 2 bolt merge --max-records=x a

# Wrong command lines.
ends 2 bolt merge
says "$(basename "$anyprof"): bolt merge: a FILE is required.  Try: '$anyprof bolt merge --help'"
ends 2 bolt merge --num-threads=1 a
hints "Unknown command line argument '--num-threads=1'"
ends 2 bolt merge --print=all a
hints "--print takes one of none, exec, branches, not 'all'"
ends 0 bolt merge --print=exec a b
says "warning: --print has no effect on fdata"
same "$out" want
ends 2 bolt
hints "bolt: a COMMAND is required."
ends 2 bolt marge a
hints "Did you mean 'bolt merge'?"

# Under the name of LLVM's tool: what it says, its exit codes, lists with commas.
for name in merge-fdata merge-fdata-22; do
    ln -sf "$anyprof" $name
    tool=$anyprof
    anyprof=./$name
    ends 0 a b
    same "$out" want
    is "what $name says" "$(cat "$err")" "Using legacy profile format.
Profile from 2 files merged."
    ends 0 -o x a,b
    same x want
    ends 0 -q --print=exec dir # of fdata, neither means anything
    same "$out" want
    says "Profile from 2 files merged."
    ends 1
    says "$name: Not enough positional command line arguments specified!"
    ends 1 --no-such-option a
    says "$name: Unknown command line argument '--no-such-option'.  Try: './$name --help'"
    ends 1 a,missing
    says "$name: 'missing': No such file or directory."
    ends 1 bad
    says "$name: 'bad': fdata with an error: expected a record, which begins with 0 to 5 \
[line 2, column 1, fdata.symbol]."
    ends 1 a bolted
    hints "$name: 'bolted': fdata that do not go together: cannot mix profile with and without boltedcollection"
    ends 1 yaml
    hints "$name: 'yaml': YAML profile with an error"
    ends 0 --print=exec -o x 1.yaml,2.yaml
    same x sum.yaml
    is "what $name says of YAML" "$(cat "$err")" "Merging data from 1.yaml...
Merging data from 2.yaml...
Data for 1 unique objects successfully merged.
Functions sorted by execution count:
f/a.c/1 : 11"
    ends 1 - - <a
    says "$name: standard input can be given only once."
    ends 0 --version
    prints "works as merge-fdata of LLVM 22"
    ends 0 --help
    prints "Usage: $name [options] FILE..."
    anyprof=$tool
done
cp a with,comma
ends 0 bolt merge with,comma b
same "$out" want
./merge-fdata with,comma b >"$out" 2>"$err"
same "$out" want
finish
