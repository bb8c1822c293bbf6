#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# show against text that llvm-profdata 22 has printed (kept here, so that it need not be installed), its output file,
# and its errors.
. "$(dirname "$0")/_lib.sh"

# prints_all ARGUMENT... <WANT: show prints exactly this.
prints_all() {
    sed 's/ counts:$/ counts: /' >want # the blank is LLVM's
    run show "$@" </dev/null
    if [ "$code" = 0 ] && cmp -s want "$out"; then
        good
    else
        bad "show $* ($code): $(diff want "$out" | head -n 10)"
    fi
}

printf 'main\n17\n1\n1\n\nfoo\n10\n3\n100\n50\n7\n\nbar\n20\n2\n0\n0\n\n' >fe.proftext
prints_all fe.proftext --all-functions --counts <<'END'
Counters:
  main:
    Hash: 0x0000000000000011
    Counters: 1
    Function count: 1
    Block counts: []
  foo:
    Hash: 0x000000000000000a
    Counters: 3
    Function count: 100
    Block counts: [50, 7]
  bar:
    Hash: 0x0000000000000014
    Counters: 2
    Function count: 0
    Block counts: [0]
Instrumentation level: Front-end
Functions shown: 3
Total functions: 3
Maximum function count: 100
Maximum internal block count: 50
Total number of blocks: 6
Total count: 158
END
prints_all fe.proftext --value-cutoff=60 --topn=2 <<'END'
Instrumentation level: Front-end
Total functions: 3
Maximum function count: 100
Maximum internal block count: 50
Total number of blocks: 6
Total count: 158
Number of functions with maximum count (< 60): 2
Number of functions with maximum count (>= 60): 1
Top 2 functions with the largest internal block counts:
  foo, max count = 100
END
prints_all fe.proftext --value-cutoff=60 --list-below-cutoff <<'END'
The list of functions with the maximum counter less than 60:
  main: (Max = 1 Sum = 1)
  bar: (Max = 0 Sum = 0)
Instrumentation level: Front-end
Total functions: 3
Maximum function count: 100
Maximum internal block count: 50
Total number of blocks: 6
Total count: 158
Number of functions with maximum count (< 60): 2
Number of functions with maximum count (>= 60): 1
END
printf 'main\nfoo\n' | prints_all fe.proftext --covered
printf '' | prints_all fe.proftext --text
{
    printf 'foo\n# Func Hash:\n10\n# Num Counters:\n3\n# Counter Values:\n100\n50\n7\n\n'
} | prints_all fe.proftext --text --function=fo

printf ':ir\n:entry_first\nfoo\n10\n3\n100\n50\n7\n2\n0\n2\n2\nbar:40\n** External Symbol **:10\n0\n' >ir.proftext
printf '1\n1\n3\n0:5\n8:4\n513:1\n\n' >>ir.proftext
printf 'bar\n1152921504606846996\n1\n18446744073709551615\n\nbar\n20\n1\n3\n\n' >>ir.proftext
prints_all ir.proftext --function=o --counts --ic-targets --memop-sizes --show-vtables --profile-version <<'END'
Counters:
  foo:
    Hash: 0x000000000000000a
    Counters: 3
    Indirect Call Site Count: 2
    Number of instrumented vtables: 0
    Number of Memory Intrinsics Calls: 1
    Block counts: [100, 50, 7]
    Indirect Target Results:
	[  0, bar,         40 ] (80.00%)
	[  0, ,         10 ] (20.00%)
    VTable Results:
    Memory Intrinsic Size Results:
	[  0,    0,          5 ] (50.00%)
	[  0,    8,          4 ] (40.00%)
	[  0,  513,          1 ] (10.00%)
Instrumentation level: IR  entry_first = 1  instrument_loop_entries = 0
Functions shown: 1
Total functions: 2
Maximum function count: 100
Maximum internal block count: 50
Total number of blocks: 4
Total count: 160
Statistics for indirect call sites profile:
  Total number of sites: 2
  Total number of sites with values: 1
  Total number of profiled values: 2
  Value sites histogram:
	NumTargets, SiteCount
	2, 1
Statistics for vtable profile:
  Total number of sites: 0
  Total number of sites with values: 0
  Total number of profiled values: 0
  Value sites histogram:
	NumTargets, SiteCount
Statistics for memory intrinsic calls sizes profile:
  Total number of sites: 1
  Total number of sites with values: 1
  Total number of profiled values: 3
  Value sites histogram:
	NumTargets, SiteCount
	3, 1
Profile version: 0
END
prints_all ir.proftext --showcs --all-functions <<'END'
Counters:
  bar:
    Hash: 0x1000000000000014
    Counters: 1    <PseudoHot>
Instrumentation level: IR  entry_first = 1  instrument_loop_entries = 0
Functions shown: 1
Total functions: 0
Maximum function count: 0
Maximum internal block count: 0
Total number of blocks: 0
Total count: 0
END
prints_all ir.proftext --hot-func-list --detailed-summary --function=none <<'END'
Instrumentation level: IR  entry_first = 1  instrument_loop_entries = 0
Functions shown: 0
Total functions: 2
Maximum function count: 100
Maximum internal block count: 50
Total number of blocks: 4
Total count: 160
# Hot count threshold: 3
foo
bar
Detailed summary:
1 blocks (25.00%) with count >= 100 account for 1% of the total counts.
1 blocks (25.00%) with count >= 100 account for 10% of the total counts.
1 blocks (25.00%) with count >= 100 account for 20% of the total counts.
1 blocks (25.00%) with count >= 100 account for 30% of the total counts.
1 blocks (25.00%) with count >= 100 account for 40% of the total counts.
1 blocks (25.00%) with count >= 100 account for 50% of the total counts.
1 blocks (25.00%) with count >= 100 account for 60% of the total counts.
2 blocks (50.00%) with count >= 50 account for 70% of the total counts.
2 blocks (50.00%) with count >= 50 account for 80% of the total counts.
2 blocks (50.00%) with count >= 50 account for 90% of the total counts.
3 blocks (75.00%) with count >= 7 account for 95% of the total counts.
4 blocks (100.00%) with count >= 3 account for 99% of the total counts.
4 blocks (100.00%) with count >= 3 account for 99.9% of the total counts.
4 blocks (100.00%) with count >= 3 account for 99.99% of the total counts.
4 blocks (100.00%) with count >= 3 account for 99.999% of the total counts.
4 blocks (100.00%) with count >= 3 account for 99.9999% of the total counts.
END

printf ':ir\n:temporal_prof_traces\n1\n3\n2\na,b\na\n1\n1\n1\n\nb\n1\n1\n1\n\n' >traces.proftext
ends 0 show traces.proftext --temporal-profile-traces
is "traces" "$(tail -n 4 "$out")" "Temporal Profile Traces (samples=1 seen=3):
  Temporal Profile Trace 0 (weight=2 count=2):
    a
    b"

# Every format of every version shows the same functions.
for level in fe ir; do
    for release in 13 14 15 16 19 22; do
        file=$profiles/clang-$release-$level.profraw
        ends 0 show --all-functions --counts "$file"
        sort "$out" >raw
        ends 0 merge --for=llvm-$release "$file" -o x.profdata
        ends 0 show --all-functions --counts x.profdata
        sort "$out" >indexed
        same raw indexed
        ends 0 merge --text "$file" -o x.proftext
        ends 0 show --all-functions --counts x.proftext
        sort "$out" >text
        is "text of $file" "$(grep -v Instrumentation text)" "$(grep -v Instrumentation raw)"
    done
done

# Where it comes from and goes to.
ends 0 show fe.proftext
cp "$out" want
ends 0 show - <fe.proftext
same "$out" want
ends 0 show <(cat fe.proftext)
same "$out" want
for option in "-o x" "-o=x" "--output=x"; do
    rm -f x
    # shellcheck disable=SC2086
    ends 0 show fe.proftext $option
    same x want
done
ends 0 show - -o x <fe.proftext
same x want
cp fe.proftext y
ln -s y link
ends 2 show y -o link
says "error: link: the output would replace an input"
same y fe.proftext
ends 2 show y -o ./y
same y fe.proftext
printf 'show fe.proftext -o words\n' >words
cp words words.was
ends 2 @words
says "error: words: the output would replace the list of inputs or of arguments"
same words words.was
ends 0 show fe.proftext -o /dev/null
ends 1 show fe.proftext -o none/x
says "error: none/x: No such file or directory"
ends 1 show none
says "error: none: No such file or directory"
ends 1 show .
says "error: .: Is a directory"
ends 1 show /dev/null
hints "error: /dev/null: empty raw profile file"
printf '\377\377\377\377\377\377\377\377' >alien
ends 1 show alien -o never
hints "error: alien: unrecognized instrumentation profile encoding format"
hints "note: instrumentation profiles are .profraw, .profdata and .proftext files"
gone never
printf 'foo\n1\n1\n1\n\nbar\nx\n' >late.proftext
ends 1 show --all-functions late.proftext
hints "error: late.proftext: malformed instrumentation profile data: function hash is not a valid integer"
is "output before an error" "$(cat "$out")" ""
if [ -w /dev/full ]; then
    ends 1 show fe.proftext -o /dev/full
    says "error: /dev/full: No space left on device"
    ends 1 show --text --all-functions fe.proftext -o /dev/full
    says "error: /dev/full: No space left on device"
    "$anyprof" show fe.proftext >/dev/full 2>"$err"
    is "exit code on a full disk" $? 1
    says "error: standard output: No space left on device"
fi
ends 0 show --function foo --all-functions fe.proftext
says "warning: -function argument ignored: showing all functions"
# A name that no function has is warned of, but not under the name of LLVM's tool.
ends 0 show --function=no-such fe.proftext
says "warning: --function='no-such' matches no name"
ends 0 show --function=foo fe.proftext
is "said" "$(cat "$err")" ""
ln -s "$anyprof" llvm-profdata
is "said as LLVM's tool" "$(./llvm-profdata show --function=no-such fe.proftext 2>&1 >x)" ""
finish
