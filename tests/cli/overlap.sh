#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# overlap against text that llvm-profdata 22 has printed (more in oracle/parity_overlap.py), its output file, and its
# errors.
. "$(dirname "$0")/_lib.sh"

# prints_all ARGUMENT... <WANT: overlap prints exactly this.
prints_all() {
    cat >want
    run overlap "$@" </dev/null
    if [ "$code" = 0 ] && cmp -s want "$out"; then
        good
    else
        bad "overlap $* ($code): $(diff want "$out" | head -n 10)"
    fi
}

{
    printf ':ir\nfoo\n1\n3\n100\n50\n25\n2\n0\n1\n2\nbar:30\nbaz:10\n1\n1\n1\n8:4\n\n'
    printf 'bar\n2\n2\n10\n20\n\nbaz\n3\n1\n7\n\n'
} >a
cp a copy
printf ':ir\nfoo\n1\n3\n10\n5\n0\n2\n0\n1\n2\nbaz:2\nbar:2\n1\n1\n1\n8:1\n\nbar\n9\n2\n10\n20\n\nnew\n4\n1\n5\n\n' >b
cat >full <<'END'
Function level:
  Function: foo (Hash=1)
  # of edge counters overlap: 3
  Edge profile overlap: 85.714%
  Edge profile base count sum: 175
  Edge profile test count sum: 15
  IndirectCall profile overlap: 75.000%
  IndirectCall profile base count sum: 40
  IndirectCall profile test count sum: 4
  MemOP profile overlap: 100.000%
  MemOP profile base count sum: 4
  MemOP profile test count sum: 1
Profile overlap information for base_profile: a and test_profile: b
Program level:
  # of functions overlap: 1
  # of functions mismatch: 1
  # of functions only in test_profile: 1
  Edge profile overlap: 30.000%
  Mismatched count percentage (Edge): 60.000%
  Percentage of Edge profile only in test_profile: 10.000%
  Edge profile base count sum: 212
  Edge profile test count sum: 50
  IndirectCall profile overlap: 75.000%
  Mismatched count percentage (IndirectCall): 0.000%
  Percentage of IndirectCall profile only in test_profile: 0.000%
  IndirectCall profile base count sum: 40
  IndirectCall profile test count sum: 4
  MemOP profile overlap: 100.000%
  Mismatched count percentage (MemOP): 0.000%
  Percentage of MemOP profile only in test_profile: 0.000%
  MemOP profile base count sum: 4
  MemOP profile test count sum: 1
END
grep -n Profile full >/dev/null && sed -n '/^Profile overlap/,$p' full >short
prints_all a b --value-cutoff=10 <full
prints_all a b --function=oo -instr <full
prints_all a b --value-cutoff=11 <short
prints_all a b <short
prints_all a b --function=new <short

# Where LLVM ends without a word.
printf 'f\n1\n1\n0\n\n' >zero
printf 'Sum of edge counts for profile zero is 0.\n' | prints_all zero a
printf 'Sum of edge counts for profile zero is 0.\n' | prints_all a zero
printf 'Sum of edge counts for profile a is 0.\n' | prints_all --cs a a

# Any formats, also of different releases: with itself it is all.
for level in fe ir; do
    for release in 13 14 15 16 19 22; do
        file=$profiles/clang-$release-$level.profraw
        ends 0 merge --text "$file" -o x.proftext
        ends 0 overlap "$file" x.proftext
        is "overlap of $file" "$(grep -c 'Edge profile overlap: 100.000%' "$out")" 1
        is "mismatches of $file" "$(grep -c 'mismatch\|only in' "$out")" 0
    done
done

# Records that come repeatedly in the base.
printf 'f\n1\n1\n3\n\nf\n1\n2\n3\n4\n\nf\n1\n1\n18446744073709551613\n\n' >twice
ends 0 overlap twice a
hints "warning: twice: function basic block count change detected (counter mismatch): repeated records "
says "warning: twice: counter overflow: sums of repeated records: 1"

# Where it comes from and goes to.
cp short want
ends 0 overlap a b -o x
same x want
ends 0 overlap a - <b
is "standard input" "$(tail -n +2 "$out")" "$(tail -n +2 want)"
ends 2 overlap a b -o a
hints "error: a: "
same a copy
ends 1 overlap a b -o none/x
says "error: none/x: No such file or directory"
ends 1 overlap a none -o never
says "error: error in getting profile count sums: No such file or directory (none)"
gone never
ends 1 overlap none b
says "error: error in getting profile count sums: No such file or directory (none)"
: >empty
ends 1 overlap empty b
hints "error: error in getting profile count sums: empty raw profile file"
printf 'f\n1\n1\n1\n\nbar\nx\n' >late
ends 1 overlap a late
hints "error: error in getting profile count sums: malformed instrumentation profile data: function hash is"
is "output before an error" "$(cat "$out")" ""
if [ -w /dev/full ]; then
    ends 1 overlap a b -o /dev/full
    says "error: /dev/full: No space left on device"
fi

# Wrong usage.
ends 2 overlap a
says "anyprof: overlap: two profiles are required.  Try: '$anyprof overlap --help'"
ends 2 overlap
ends 2 overlap a b c
hints "overlap: too many arguments, it takes BASE TEST."
ends 2 overlap --value-cutoff=x a b
says "anyprof: --value-cutoff takes a number from 0 to 18446744073709551615, not 'x'"
ends 1 overlap --sample a b
hints "Unrecognized sample profile encoding format"
ends 0 overlap --similarity-cutoff=5 a b
says "warning: --similarity-cutoff has no effect on instrumentation profiles"
ends 1 overlap --max-records=2 a b
hints "error: error in getting profile count sums: a limit of this run was exceeded"

# Counts of different kinds are compared as LLVM does it, with a warning that this means nothing.
printf 'foo\n1\n3\n10\n5\n0\n\n' >front-end
printf ':csir\nfoo\n1152921504606846977\n1\n5\n\n' >cs
differ="their hashes and counters are made in different ways, so that their counts cannot be compared; \
give profiles of one kind"
ends 0 overlap a front-end
says "warning: a is an IR profile, and front-end is one of the front end: $differ"
ends 0 overlap front-end - <a
says "warning: standard input is an IR profile, and front-end is one of the front end: $differ"
ends 0 overlap --cs front-end cs
says "warning: cs is an IR profile, and front-end is one of the front end: $differ"
none='it has context-sensitive counts only, and the other profile has other ones: their counts cannot be compared;'
ends 0 overlap a cs
says "warning: cs: $none --cs compares two context-sensitive profiles"
is "what LLVM intends to print" "$(cat "$out")" 'Sum of edge counts for profile cs is 0.'
none='it has no context-sensitive counts, and the other profile has: their counts cannot be compared;'
ends 0 overlap --cs a cs
says "warning: a: $none give two context-sensitive profiles, or leave out --cs"
printf ':csir\nfoo\n1152921504606846977\n1\n5\n\nfoo\n1\n3\n10\n5\n0\n\n' >both
for words in 'a both' '--cs cs both' 'front-end front-end' '--cs a a' 'front-end zero'; do
    # shellcheck disable=SC2086  # words are several
    ends 0 overlap $words
    silent
done

# A memory profile has nothing to compare, and that is said.
printf -- '---\nHeapProfileRecords:\n  - GUID: 0x1\n' >memory.yaml
ends 0 overlap memory.yaml memory.yaml
says "warning: memory.yaml: this is a memory profile without counts; only counts are compared"
ends 0 overlap --function=no-such a b
says "warning: --function='no-such' matches no name"
# Sample profiles of two kinds: which is which.
printf '[main:3 @ foo]:30:1\n 1: 30\n' >contexts.prof
printf 'main:30:1\n 1: 30\n' >plain.prof
for pair in 'plain.prof contexts.prof' 'contexts.prof plain.prof'; do
    # shellcheck disable=SC2086  # words
    ends 1 overlap $pair
    says "error: cannot compare CS profile with non-CS profile
note: contexts.prof is context-sensitive (CS), plain.prof is not"
done

finish
