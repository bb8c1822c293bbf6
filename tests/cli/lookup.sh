#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lookup: what show prints of one function, in every version and format; names, hashes, JSON, errors.
. "$(dirname "$0")/_lib.sh"

ir=$profiles/clang-22-ir.profraw
show=(show --all-functions --counts --ic-targets --show-vtables --memop-sizes)

# shown NAME: what the last run of show printed of a function.
shown() {
    awk -v name="  $1:" '/^Counters:$/ { print; next } /^  [^ ]/ { on = $0 == name } /^[^ \t]/ { on = 0 } on' "$out"
}

# hashes NUMBER...: as messages show them
hashes() {
    printf '0x%016x' "$1"
    shift
    [ $# = 0 ] || printf ', 0x%016x' "$@"
}

for version in 1 2 3 4 7 8 9 10 11 12 13 14; do
    "$anyprof" merge --quiet --for=indexed-$version "$ir" -o "$version.profdata"
done
cp "$ir" raw.profraw
"$anyprof" merge --quiet --text "$ir" -o text.proftext
"$anyprof" convert "$ir" -o json.json
gzip -c 13.profdata >packed.profdata
for file in ./*.prof*; do
    for name in main "word_order.c;by_text" words_add; do
        ends 0 "${show[@]}" "$file"
        case $file in ./[1-9].profdata | ./10.profdata) own=${name/;/:} ;; *) own=$name ;; esac
        shown "$own" >want
        [ "$(wc -l <want)" -gt 3 ] || bad "$file has no $own"
        ends 0 lookup "$file" "$name"
        sed '/^    Bitmap bytes/d' "$out" >got
        same got want
    done
done

# One with everything.
printf ':ir\nf\n0x10\n2\n100\n50\n$2\n1\n0xff\n3\n0\n1\n2\ng:40\n** External Symbol **:10\n1\n1\n1\n8:5\n' >all.proftext
printf '2\n1\n1\n_ZTV1A:4\n\nf\n0x1000000000000010\n1\n18446744073709551615\n\ng\n1\n1\n1\n\n' >>all.proftext
ends 0 merge --keep-vtable-symbols --for=indexed-14 all.proftext -o all.profdata
cat >want <<'END'
Counters:
  f:
    Hash: 0x0000000000000010
    Counters: 2
    Indirect Call Site Count: 1
    Number of instrumented vtables: 1
    Number of Memory Intrinsics Calls: 1
    Block counts: [100, 50]
    Indirect Target Results:
	[  0, g,         40 ] (80.00%)
	[  0, ,         10 ] (20.00%)
    VTable Results:
	[  0, _ZTV1A,          4 ] (100.00%)
    Memory Intrinsic Size Results:
	[  0,    8,          5 ] (100.00%)
    Bitmap bytes: [0x01, 0xff]
END
for file in all.proftext all.profdata; do
    ends 0 lookup $file f
    is "records of f" "$(grep -c 'Hash: ' "$out")" 2
    ends 0 lookup $file f --hash=0x10
    same "$out" want
    ends 0 lookup $file f --hash=0x1000000000000010
    is "the other record" "$(cat "$out")" "Counters:
  f:
    Hash: 0x1000000000000010
    Counters: 1    <PseudoHot>"
    ends 0 lookup --json $file f --hash=16
    grep -q '"schema": "anyprof-lookup/1"' "$out" || bad "no schema"
    prints '"counts": [100, 50], "bitmap": "01ff", '
    prints '"indirect_calls": [[{"id": '
    prints '"name": "g", "count": 40}'
    ends 1 lookup $file f --hash=17
    says "error: $file: function control flow change detected (hash mismatch): f has $(hashes 0x10), not $(hashes 0x11)"
    ends 1 lookup $file g --hash=0x1000000000000001
    says "error: $file: no profile data available for function: g"
    ends 1 lookup $file h
    says "error: $file: no profile data available for function: h"
    ends 1 lookup $file ''
    hints "no profile data available for function"
done

# The message names all hashes of the name that a compiler may have meant, up to five.
mismatch="function control flow change detected (hash mismatch)"
many_hashes() {
    for hash in "$@"; do printf 'f\n%s\n1\n1\n\n' "$hash"; done >hashes.proftext
    ends 0 merge --for=indexed-13 hashes.proftext -o hashes.profdata
}
many_hashes 1 2
ends 1 lookup hashes.profdata f --hash=3
says "error: hashes.profdata: $mismatch: f has $(hashes 0x1 0x2), not $(hashes 0x3)"
many_hashes 1 0x1000000000000002 4
ends 1 lookup hashes.proftext f --hash=3
says "error: hashes.proftext: $mismatch: f has $(hashes 0x1 0x4), not $(hashes 0x3)"
ends 1 lookup hashes.proftext f --hash=0x1000000000000003
says "error: hashes.proftext: $mismatch: f has $(hashes 0x1000000000000002), not $(hashes 0x1000000000000003)"
many_hashes 1 2 3 4 5
ends 1 lookup hashes.profdata f --hash=9
says "error: hashes.profdata: $mismatch: f has $(hashes 0x1 0x2 0x3 0x4 0x5), not $(hashes 0x9)"
many_hashes 1 2 3 4 5 6 7
ends 1 lookup hashes.profdata f --hash=9
says "error: hashes.profdata: $mismatch: f has $(hashes 0x1 0x2 0x3 0x4 0x5) and 2 more, not $(hashes 0x9)"

# Static functions are found by their plain names, in every file that has one, unless a function has that very name.
printf ':ir\nb.c;f\n2\n1\n20\n\ndir/a.c;f\n1\n1\n10\n\nb.c;f\n3\n1\n30\n\n' >static.proftext
printf 'c.c;g\n1\n1\n40\n\ng\n1\n1\n50\n\n' >>static.proftext
printf '_ZN2ns5countEv\n1\n1\n60\n\n_ZN2ns8discountEv\n1\n1\n70\n\nd.c;word_count\n1\n1\n1\n' >>static.proftext
ends 0 merge --for=indexed-13 static.proftext -o static.profdata
ends 0 merge --for=indexed-9 static.proftext -o colons.profdata
for file in static.proftext static.profdata colons.profdata; do
    case $file in colons*) between=':' ;; *) between=';' ;; esac
    ends 0 lookup $file f
    silent
    is "the functions f" "$(grep -o '^  [^ ][^ ]*' "$out" | paste -sd ' ' | tr -s ' ')" \
        " b.c${between}f: b.c${between}f: dir/a.c${between}f:"
    ends 0 lookup $file f --hash=3
    is "the hash of f" "$(grep -c 'Hash: ' "$out"), $(grep 'Hash: ' "$out")" "1,     Hash: 0x0000000000000003"
    prints "  b.c${between}f:"
    ends 0 lookup --json $file f --hash=3
    prints "\"name\": \"b.c${between}f\", "
    ends 1 lookup $file f --hash=4
    says "error: $file: $mismatch: f has $(hashes 1 2 3), not $(hashes 4)"
    ends 0 lookup $file g
    is "the functions g" "$(grep '^  [^ ]' "$out" | paste -sd ' ')" "  g:"
    ends 0 lookup $file 'c.c;g'
    # What is not found: the nearest names.
    ends 1 lookup $file word_cuont
    says "error: $file: no profile data available for function: word_cuont"
    says "note: the nearest name is 'd.c${between}word_count'"
    ends 1 lookup $file x.c:WORD_COUNT
    says "note: the nearest name is 'd.c${between}word_count'"
    ends 1 lookup $file e.c:word_count
    says "note: the nearest name is 'd.c${between}word_count'"
    ends 1 lookup $file ns::coutn
    says "note: the nearest name is 'ns::count()' (_ZN2ns5countEv)"
    near="'ns::count()' (_ZN2ns5countEv), 'ns::discount()' (_ZN2ns8discountEv) and 'd.c${between}word_count'"
    ends 1 lookup $file 'ns::count(int, void (*)(int)) const' # the parameters are others
    says "note: the nearest names are $near"
    ends 1 lookup $file '(f)'
    ends 1 lookup $file unlike
    says "note: no name is like it; '$anyprof show --all-functions $file' lists all names"
    ends 1 lookup $file g --hash=0x1000000000000001 # it is there, in another pass
    is "messages" "$(wc -l <"$err")" 1
done
# Of several near names, the nearest is the one whose scopes are, too; outer ones may be missing.
for name in _ZN3ns06Class0C2Ev _ZN3ns16Class1C2Ev _ZN3ns39Class3003C2Ev _ZN3geo5shape2Ci4areaEv \
    _ZN3geo5shape2Sq4areaEv; do
    printf '%s\n1\n1\n1\n\n' $name
done >scopes.proftext
nearest() {
    ends 1 lookup scopes.proftext "$1"
    is "the name nearest to $1" "$(sed -n "s/^note: the nearest name[^']*'\([^(]*\)().*/\1/p" "$err")" "$2"
}
nearest ns3::Class3003::Clas ns3::Class3003::Class3003
nearest ns1::Class1::Clas ns1::Class1::Class1
nearest geo::shape::Sq::aera geo::shape::Sq::area
nearest 'geo::shape::Sq::aera()' geo::shape::Sq::area
nearest Sq::aera geo::shape::Sq::area
nearest Ci::aera geo::shape::Ci::area
printf 'a.c:scan_b\n1\n1\n1\n\nb.c:scan_a\n1\n1\n1\n\nscan_x\n1\n1\n1\n' >files.proftext
ends 1 lookup files.proftext b.c:scan_c
says "note: the nearest names are 'b.c:scan_a', 'a.c:scan_b' and 'scan_x'"

# Arguments in the wrong order.
ends 1 lookup main files.proftext
says "note: the profile comes first: $anyprof lookup files.proftext main"
ends 1 lookup main no.proftext
if grep -q '^note' "$err"; then bad "there is no such profile"; else good; fi

printf ':ir\n' >nothing.proftext
ends 1 lookup nothing.proftext f
says "note: the profile has no functions"

# Only what is needed is read: of a large file, whose other end is garbage, or was never there.
{
    for i in $(seq 20000); do printf 'function_%d\n%d\n1\n%d\n\n' "$i" "$i" "$i"; done
} >many.proftext
ends 0 merge --for=indexed-13 many.proftext -o many.profdata
size=$(stat -c %s many.profdata)
head -c $((size - 16)) many.profdata >cut.profdata # without binary ids and names of vtables
ends 1 show cut.profdata
ends 0 lookup cut.profdata function_77
prints "    Hash: 0x000000000000004d"
if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
    ASAN_OPTIONS=detect_leaks=0 strace -y -o trace -e trace=read,pread64,mmap "$anyprof" lookup many.profdata \
        function_77 >"$out"
    prints "    Function count: 77"
    pages=$(grep -c '^pread64.*many.profdata>' trace)
    if [ "$pages" -ge 3 ] && [ "$pages" -le 6 ]; then good; else bad "$pages pages were read"; fi
    if grep 'many.profdata' trace | grep -qv '^pread64'; then bad "it was read in another way"; else good; fi
else
    printf 'skipped: no strace: system calls are not counted\n'
fi

# Places.
ends 0 lookup many.profdata function_5 -o x
ends 0 lookup many.profdata function_5
same "$out" x
ends 0 lookup - function_5 <many.profdata
same "$out" x
ends 0 lookup <(cat many.profdata) function_5
same "$out" x
# A pipe is opened once: who writes into it would lose its reader otherwise.
mkfifo pipe
cat many.profdata >pipe &
if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
    # Were it opened twice, the writer would have all the time it needs to see that.
    ASAN_OPTIONS=detect_leaks=0 timeout 60 strace -o trace -e trace=openat,open -e inject=close:delay_exit=100000 \
        "$anyprof" lookup pipe function_5 >"$out"
    is "openings of the pipe" "$(grep -c '"pipe"' trace)" 1
else
    ends 0 lookup pipe function_5
fi
wait
same "$out" x
echo old >kept
ends 1 lookup many.profdata none -o kept
is "the old output" "$(cat kept)" old
ends 1 lookup none f
says "error: none: No such file or directory"
ends 1 lookup . f
says "error: .: Is a directory"
: >empty
ends 1 lookup empty f
hints "error: empty: empty raw profile file"
head -c 60 many.profdata >short.profdata
ends 1 lookup short.profdata f
hints "error: short.profdata: truncated profile data"
ends 1 lookup --max-input-size=1K many.profdata f
hints "a limit of this run was exceeded"
ends 2 lookup many.profdata
hints "a FILE and a NAME are required"
ends 2 lookup many.profdata f --hash=x
hints "hash"
if [ -w /dev/full ]; then
    ends 1 lookup many.profdata function_5 -o /dev/full
    says "error: /dev/full: No space left on device"
fi
no_leftovers
finish
