#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --supplement-instr-with-sample. oracle/supplement.py compares with LLVM's tool.
. "$(dirname "$0")/_lib.sh"

cat >in.proftext <<'END'
:ir
foo
1
3
0
0
0

bar.c;stat
2
3
50
20
10

hot
3
1
100000

END
cat >in.prof <<'END'
foo:20000:4000
 1: 5000
 2: 3
hot:10000:9000
 1: 9000
stat:1000:900
 1: 900
END
one=--suppl-min-size-threshold=1
with=--supplement-instr-with-sample=in.prof

# counts FILE FUNCTION: of the first record of the function.
counts() {
    awk -v name="$2" '$0 == name { on = 1 } on && /^# Counter V/ { list = 1; next } list && /^(#|$)/ { exit }
        list { printf "%s%s", sep, $0; sep = " " }' "$1"
}

ends 0 merge --text "$one" "$with" in.proftext -o out.proftext
is "a function without counts" "$(counts out.proftext foo)" "18446744073709551615 0 0"
is "a cold local function" "$(counts out.proftext 'bar.c;stat')" "50 20 10"
is "a hot function" "$(counts out.proftext hot)" "100000"
says "note: functions that are in in.prof, too: 3; marked as hot: 1, as warm: 0; with larger counts: 0"
ends 0 merge "$one" "$with" in.proftext -o out.profdata
run show --all-functions --counts out.profdata
prints "    Counters: 3    <PseudoHot>"

# Thresholds.
ends 0 merge --text "$one" --instr-prof-cold-threshold=200000 "$with" in.proftext -o out.proftext
is "scaled" "$(counts out.proftext 'bar.c;stat')" "300000 120000 60000"
is "the hottest" "$(counts out.proftext hot)" "300000"
says "note: functions that are in in.prof, too: 3; marked as hot: 1, as warm: 0; with larger counts: 2"
ends 0 merge --text --instr-prof-cold-threshold=200000 "$with" in.proftext -o out.proftext
is "small" "$(counts out.proftext foo)" "0 0 0"
ends 0 merge --text --suppl-min-size-threshold=3 --instr-prof-cold-threshold=60 --zero-counter-threshold=-1 "$with" \
    in.proftext -o out.proftext
is "any share of zeros" "$(counts out.proftext 'bar.c;stat')" "18446744073709551615 20 10"
is "too small" "$(counts out.proftext hot)" "100000"

# Profiles in the sample profile's other formats, also with hashes for names, say the same.
ends 0 merge --text "$one" "$with" in.proftext -o want.proftext
for format in "--extbinary" "--extbinary --use-md5" "--extbinary --compress-all-sections" "--binary" "--text"; do
    # shellcheck disable=SC2086
    ends 0 merge --sample $format in.prof -o other.prof
    ends 0 merge --text "$one" --supplement-instr-with-sample=other.prof in.proftext -o out.proftext
    same out.proftext want.proftext
done
gzip -k in.prof
ends 0 merge --text "$one" --supplement-instr-with-sample=in.prof.gz in.proftext -o out.proftext
same out.proftext want.proftext
run merge --text "$one" --supplement-instr-with-sample=- in.proftext -o out.proftext <in.prof
same out.proftext want.proftext
ends 0 merge --text "$one" "$with" in.proftext
same "$out" want.proftext

# Several inputs, with weights: their sum is supplemented, in any order and by any number of threads.
printf ':ir\nfoo\n1\n3\n0\n0\n0\n\nbar.c;stat\n2\n3\n50\n20\n10\n' >more.proftext
ends 0 merge --text --weighted-input=2,in.proftext more.proftext -o sum.proftext
ends 0 merge --text "$one" --instr-prof-cold-threshold=200 "$with" sum.proftext -o want.proftext
is "the sum" "$(counts want.proftext 'bar.c;stat')" "600000 240000 120000"
for order in "--weighted-input=2,in.proftext more.proftext" "more.proftext in.proftext in.proftext"; do
    for threads in 1 4; do
        # shellcheck disable=SC2086
        ends 0 merge --text "$one" -j "$threads" --instr-prof-cold-threshold=200 "$with" $order -o out.proftext
        same out.proftext want.proftext
    done
done

# After the names were changed and functions left out. The separator of old compilers is one, too.
printf 'foo other\n' >map
printf 'other:10:9\n 1: 9000\n' >other.prof
ends 0 merge --text "$one" -r map --function='^other$' --supplement-instr-with-sample=other.prof in.proftext \
    -o out.proftext
is "renamed" "$(counts out.proftext other)" "18446744073709551615 0 0"
ends 0 merge --text "$one" --instr-prof-cold-threshold=60 "$with" <(tr ';' ':' <in.proftext) -o out.proftext
is "with a colon" "$(counts out.proftext 'bar.c:stat')" "300000 120000 60000"
ends 0 merge "$one" --for=llvm-16 --instr-prof-cold-threshold=60 "$with" in.proftext -o out.profdata
ends 0 convert --to=text out.profdata -o out.proftext
is "for LLVM 16" "$(counts out.proftext 'bar.c:stat')" "300000 120000 60000"

# Traces are kept; LLVM's tool loses them.
printf ':ir\n:temporal_prof_traces\n1\n1\n1\nfoo,hot\n' | cat - <(sed 1d in.proftext) >traces.proftext
ends 0 merge --text "$one" "$with" traces.proftext -o out.proftext
is "traces" "$(grep -c '^foo,hot,$' out.proftext)" 1

# A summary without the rows of the thresholds, at which LLVM's tool aborts: the lines decide.
printf '\377\345\320\261\364\311\224\250\123g\361\007\350\007\1\2\1\1\240\302\036\274\005\1' >few.prof
printf '\1foo\0\1\0\361\007\2\1\0\011\0\2\0\350\007\0\0' >>few.prof
ends 0 merge --text "$one" --supplement-instr-with-sample=few.prof in.proftext -o out.proftext
is "without rows" "$(counts out.proftext foo)" "18446744073709551615 0 0"

# Local functions of several files.
printf ':ir\na.c;dup\n1\n1\n0\n\nb.c;dup\n1\n1\n0\n\nbig\n1\n1\n7\n' >dup.proftext
printf 'dup:10:9\n 1: 9\n' >dup.prof
ends 0 merge --text "$one" --supplement-instr-with-sample=dup.prof dup.proftext -o out.proftext
says "warning: Static function dup has multiple promoted names, cannot adjust profile."
says "warning: dup.prof: no function of the profile is in the sample profile"
is "one of two" "$(counts out.proftext 'a.c;dup')" "0"
ends 0 merge --quiet --text "$one" --supplement-instr-with-sample=dup.prof dup.proftext -o out.proftext
silent

# Front-end profiles.
sed 1d in.proftext >fe.proftext
ends 0 merge --text "$one" "$with" fe.proftext -o out.proftext
is "front end" "$(counts out.proftext foo)" "18446744073709551615 0 0"
hints "warning: the output is a front-end profile: clang uses the marks as counts"

# The report.
ends 0 merge --text "$one" --report=report.json "$with" in.proftext -o out.proftext
python3 - >"$out" <<'END'
import json
s = json.load(open("report.json"))["result"]["supplement"]
print(" ".join("%s=%d" % entry for entry in s.items()))
END
prints "functions=3 marked_hot=1 marked_warm=0 scaled=0 ambiguous=0 hot_count=100000 cold_count=10 hot_samples=900 \
warm_samples=3"

# What does not go together.
ends 2 merge --sample "$with" in.prof -o never
says "error: -supplement-instr-with-sample can only work with -instr. "
ends 2 merge "$with" in.prof -o never
says "error: -supplement-instr-with-sample can only work with -instr. "
cp in.proftext removed.proftext
ends 2 merge --delete-inputs "$with" removed.proftext -o never
says "error: --delete-inputs would lose the counts that --supplement-instr-with-sample replaces"
there removed.proftext
run merge --supplement-instr-with-sample=- - -o never <in.proftext
is "exit code" "$code" 2
says "error: standard input cannot be both an input and the sample profile"
ends 2 merge "$with" in.proftext -o in.prof
says "error: in.prof: the profile would replace the sample profile"
ends 1 merge --supplement-instr-with-sample=absent in.proftext -o never
says "error: absent: No such file or directory"
ends 1 merge --supplement-instr-with-sample=in.proftext in.proftext -o never
hints "error: in.proftext: Unrecognized sample profile encoding format"
head -c 60 other.prof >cut.prof
printf 'x:1' >>cut.prof
ends 1 merge --supplement-instr-with-sample=cut.prof in.proftext -o never
hints "error: cut.prof: "
ends 2 merge --zero-counter-threshold=half "$with" in.proftext -o never
hints "--zero-counter-threshold takes a number such as 0.5, not 'half'"
gone never
# An empty name is none, as in LLVM; other options have an effect with a sample profile only.
ends 0 merge --supplement-instr-with-sample= "$one" in.proftext -o out.profdata
says "warning: --suppl-min-size-threshold has no effect without --supplement-instr-with-sample"
ends 0 merge --profile-isfs --use-md5 "$with" in.proftext -o out.profdata
says "warning: --use-md5 has no effect on instrumentation profiles"
is "warnings" "$(grep -c '^warning' "$err")" 1

# Under LLVM's name: one input, no weight, a file as output.
ln -s "$anyprof" llvm-profdata
refused() { # refused TEXT ARGUMENT...
    local text=$1
    shift
    ./llvm-profdata merge "$with" "$@" >"$out" 2>"$err"
    is "exit code" $? 1
    says "error: $text"
}
refused "expect one input to be an instr profile" in.proftext more.proftext -o never
refused "expect instr profile doesn't have weight" --weighted-input=2,in.proftext -o never
refused "cannot write indexed profdata format to stdout" in.proftext
./llvm-profdata merge "$one" "$with" in.proftext -o out.profdata 2>"$err"
is "exit code" $? 0
is "LLVM's tool says nothing" "$(grep -c 'has samples' "$err")" 0
finish
