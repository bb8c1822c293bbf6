#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# probes asm and probes emit: files in and out, what is said, the assembler that AS names, exit codes.
. "$(dirname "$0")/_lib.sh"
unset AS TMPDIR

cat >in.s <<'END'
	.text
	.type	leaf,@function
leaf:
	.pseudoprobe	7399155579282764986 1 0 0 leaf
	.addrsig
END
cat >made.s <<'END'
	.text
	.type	leaf,@function
leaf:
	.Lapf_probe0:
BLANK
	.section	.pseudo_probe,"o",@progbits,.Lapf_probe0
	.quad	0x66af14cc04ffb4ba
	.uleb128	1
	.uleb128	0
	.uleb128	1
	.byte	128
	.sleb128	.Lapf_probe0-leaf+.Lapf_probezero
	.set	.Lapf_probezero, 0
END
sed -i 's/^BLANK$/\t/' made.s # where .addrsig was

ends 0 probes asm in.s -o out.s
same out.s made.s
says "note: left out: 1 of .addrsig, .addrsig_sym, .cg_profile, which only LLVM's assembler knows"
ends 0 probes asm --quiet in.s
silent
same "$out" made.s
ends 0 probes asm --quiet - <in.s
same "$out" made.s
cp in.s both.s
ends 0 probes asm --quiet both.s -o both.s
same both.s made.s
ends 0 probes asm both.s -o again.s # nothing is left to do
silent
same again.s made.s

cp in.s kept.s
ends 2 probes asm -c kept.s -o kept.s # an object is no assembly
says "error: kept.s: the output would replace an input"
same kept.s in.s
printf '{}' >list.json
ends 2 probes emit missing.json list.json -o list.json
says "error: list.json: the output would replace an input"
is "kept" "$(cat list.json)" "{}"

printf 'f:\n nop\n.data\n.pseudoprobe 5 1 0 0 f\n' >split.s
ends 0 probes asm split.s -o out.s
hints "note: parts of functions in other sections than the function: 1; they have probe records of their own"
says "note: parts of functions without a symbol: 1; they got the symbols FUNCTION.probes.N"

# Errors: nothing is written, and what was there stays.
printf 'f:\n\t.pseudoprobe 5 1 0 0 g\n' >bad.s
echo old >kept
ends 1 probes asm bad.s -o kept
says "error: bad.s: assembly with an error: unknown function symbol [line 2, column 23, pseudoprobe.function]"
is "kept" "$(cat kept)" old
ends 1 probes asm bad.s -o new.s
gone new.s
ends 1 probes asm nothing.s -o new.s
says "error: nothing.s: No such file or directory"
ends 1 probes asm in.s -o no/such/place
says "error: no/such/place: No such file or directory"
ends 2 probes asm
hints "a FILE is required"
ends 2 probes asm -c in.s
hints "-c needs -o OUT.o"

# The assembler: a script that keeps its arguments and input.
mkdir temp
cat >assembler <<'END'
#!/bin/sh
for last; do :; done
printf '%s\n' "$@" >arguments
cp "$last" assembled.s
echo "message of the assembler" >&2
case $1 in
fail) printf part >"$4"; exit 7 ;;
kill) kill -9 $$ ;;
none) exit 0 ;;
esac
shift
printf object >"$3"
END
chmod +x assembler
export TMPDIR=$tmp/temp
AS="./assembler  one two" ends 0 probes asm --quiet -c in.s -o out.o
says "message of the assembler"
is "object" "$(cat out.o)" object
same assembled.s made.s
is "arguments" "$(sed "s|$tmp||" arguments | sed 's|anyprof-[A-Za-z0-9]*|X|' | tr '\n' ' ')" \
    "one two -o /temp/X/object.o /temp/X/in.s "
echo old >out.o
AS="./assembler fail" ends 7 probes asm --quiet -c in.s -o out.o
is "kept" "$(cat out.o)" old
AS="./assembler kill" ends 1 probes asm --quiet -c in.s -o out.o
hints "ended by signal 9"
AS="./assembler none" ends 1 probes asm --quiet -c in.s -o out.o
hints "made no object"
AS="no-such-assembler" ends 1 probes asm --quiet -c in.s -o out.o
says "error: no-such-assembler: the assembler cannot be run: No such file or directory"
ends 1 probes asm --quiet -c bad.s -o out.o
is "kept" "$(cat out.o)" old
AS="./assembler x y" ends 0 probes asm -c - -o out.o <in.s
same assembled.s made.s
is "nothing is left" "$(ls temp)" ""
if command -v as >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    AS=" " ends 0 probes asm --quiet -c in.s -o real.o # blanks are no name
    ends 0 probes list real.o
    prints "leaf"
    ends 0 probes list --json real.o -o list.json
    ends 0 probes emit list.json -o emitted.o
    ends 0 probes list --json emitted.o -o emitted.json
    is "probes" "$(grep -c '"id": 1' emitted.json)" 1
fi

# emit
cat >list.json <<'END'
{"schema": "anyprof-probe-list/1", "nodes": [{"guid": "0x66af14cc04ffb4ba"}],
 "probes": [{"node": 0, "id": 1, "distance": 0}]}
END
cat >desc.json <<'END'
{"schema": "anyprof-probe-descriptors/1",
 "descriptors": [{"guid": "0x66af14cc04ffb4ba", "hash": "0xffffffff", "function": "leaf"}]}
END
ends 0 probes emit list.json desc.json -o both.o
silent
ends 0 probes desc both.o
prints " 7399155579282764986           4294967295      0      0  ffffffff  leaf"
ends 0 probes list both.o
prints "leaf"
ends 1 probes emit list.json list.json -o new.o
says "error: list.json: JSON with an error: there was such a document already [line 1, column 12, json.schema]"
gone new.o
ends 1 probes emit list.json in.s -o new.o
hints "error: in.s: JSON with an error: "

# Bytes that are no UTF-8 come back, by way of the JSON that is printed.
printf '{"schema": "anyprof-probe-descriptors/1",
 "descriptors": [{"guid": 5, "hash": 1, "function": "a\\udcffb"}]}' >bytes.json
ends 0 probes emit bytes.json -o bytes.o
ends 0 probes desc --json bytes.o -o printed.json
ends 0 probes emit printed.json -o again.o
same again.o bytes.o
is "name" "$(LC_ALL=C grep -ac "$(printf 'a\xffb')" again.o)" 1

# What was printed with a filter has other distances.
ends 0 probes list --json --function=leaf both.o -o part.json
ends 1 probes emit part.json -o new.o
hints "error: part.json: JSON with an error: the document does not hold all that the sections did [line "
gone new.o

# Errors name the file they are about.
echo '{"schema": "anyprof-probe-descriptors/1", "descriptors": [{}]}' >bad.json
ends 1 probes emit list.json bad.json -o new.o
says "error: bad.json: JSON with an error: a number is missing [line 1, column 59, json.descriptors.guid]"
: >empty
ends 1 probes emit empty -o new.o
says "error: empty: JSON with an error: the document ends here [line 1, column 1, json]"
ends 1 probes emit list.json -o no/such/place
says "error: no/such/place: No such file or directory"

# Probes in the group of code: with it they are dropped, or the code is.
cat >code.s <<'END'
	.section .text.leaf,"axG",@progbits,leaf,comdat
	.weak leaf
	.type leaf,@function
leaf:
	ret
	.text
	.globl _start
_start:
	call leaf
	.section .note.GNU-stack,"",@progbits
END
sed 's/"nodes"/"sections": [{"section": 1, "group": "leaf", "comdat": true}], &/' list.json >grouped.json
ends 0 probes emit grouped.json desc.json -o grouped.o
hints "note: sections in COMDAT groups of code: 1 of 2; linked with that code, these probes or the code are dropped"
ends 0 probes emit --quiet grouped.json -o grouped.o
silent
ends 0 probes emit --no-code-groups grouped.json -o free.o
silent
for linker in ld ld.lld-22; do
    if ! command -v as >/dev/null || ! command -v "$linker" >/dev/null || [ "$(uname -m)" != x86_64 ]; then continue; fi
    as code.s -o code.o
    "$linker" grouped.o code.o -o program 2>/dev/null # the linker need not complain
    is "$linker: code" "$(nm program 2>/dev/null | grep -c ' W leaf')" 0
    if "$linker" code.o grouped.o -o program; then good; else bad "$linker"; fi
    ends 1 probes list program
    hints "no pseudo probe sections"
    for order in "free.o code.o" "code.o free.o"; do
        # shellcheck disable=SC2086
        if "$linker" $order -o program; then good; else bad "$linker $order"; fi
        is "$linker: code" "$(nm program | grep -c ' W leaf')" 1
        ends 0 probes list program
        prints "leaf"
    done
done

ends 2 probes emit list.json
hints "-o OUT.o is required"
ends 2 probes emit -o new.o
hints "a FILE is required"
ends 0 help probes emit
is "needed" "$(grep -c "(required)" "$out")" 1
is "no default" "$(grep -c "the default, is standard output" "$out")" 0
no_leftovers
# A signal leaves nothing behind, and ends the assembler, too. Who ignores SIGCHLD learns how that ended all the same.
cat >slow.sh <<'END'
#!/bin/sh
echo $$ >slow.pid
exec sleep 30
END
cat >half.sh <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo partial >"$2"
exit 3
END
chmod +x slow.sh half.sh
mkdir temporary
TMPDIR=$PWD/temporary AS=$PWD/slow.sh "$anyprof" probes asm -c in.s -o late.o 2>/dev/null &
while [ ! -s slow.pid ]; do sleep 0.05; done
kill -TERM $!
wait $! 2>/dev/null && fail "a signal is no success"
is "left behind" "$(ls temporary)" ""
gone late.o
for ((i = 0; i < 100; i++)); do kill -0 "$(cat slow.pid)" 2>/dev/null || break; sleep 0.05; done
[ "$i" -lt 100 ] || fail "the assembler goes on"
if env --ignore-signal=CHLD true 2>/dev/null; then
    AS=$PWD/half.sh env --ignore-signal=CHLD "$anyprof" probes asm -c in.s -o late.o 2>/dev/null
    is "the assembler's exit code" "$?" 3
    gone late.o
fi
finish
