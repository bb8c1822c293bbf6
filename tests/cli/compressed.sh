#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Inputs compressed with gzip or zstd, and what is said about those that are damaged.
. "$(dirname "$0")/_lib.sh"

raw=$profiles/clang-16-ir.profraw
packed=$source_dir/fuzz/corpus/packed
profile a.proftext foo 10 1 2
profile b.proftext foo 10 100 200
cp "$raw" raw
gzip -9n <a.proftext >a.gz
gzip -1 <b.proftext >b.proftext.gz
gzip <raw >raw.gz
"$anyprof" merge -o want.profdata a.proftext b.proftext || bad "the reference"
"$anyprof" merge --quiet -o want-raw.profdata raw raw || bad "the reference"

# Whatever the name, in any mix, from files, directories, lists, standard input and pipes.
ends 0 merge --for=llvm-23 -o x a.gz b.proftext.gz
same x want.profdata
silent
ends 0 merge -o x a.gz b.proftext
same x want.profdata
mkdir dir
cp a.gz dir/1
cp b.proftext dir/2
ends 0 merge -o x dir
same x want.profdata
echo dir >list
ends 0 merge -o x -f list
same x want.profdata
ends 0 merge -o x - b.proftext <a.gz
same x want.profdata
ends 0 merge -o x <(cat a.gz) b.proftext.gz
same x want.profdata
ends 0 merge -o x raw raw.gz
same x want-raw.profdata
ends 0 merge -o y --weighted-input=2,raw.gz
same y want-raw.profdata
ends 0 show --all-functions --counts raw
cp "$out" want
ends 0 show --all-functions --counts raw.gz
same "$out" want
ends 0 show --all-functions --counts - <raw.gz
same "$out" want

# Several streams in a file, zeros after them.
{
    head -c 10 a.proftext | gzip
    tail -c +11 a.proftext | gzip -1
    head -c 1000 /dev/zero
} >many.gz
ends 0 merge -o x many.gz b.proftext
same x want.profdata

# Others are said to be what they are.
for tool in bzip2 xz; do
    if ! command -v $tool >/dev/null; then
        printf 'skipped: no %s\n' $tool
        continue
    fi
    $tool <raw >raw.$tool
    a=a
    [ $tool = bzip2 ] || a=an
    for command in "merge -o x" show; do
        # shellcheck disable=SC2086
        ends 1 $command raw.$tool
        says "note: raw.$tool is $a $tool file: unpack it first; only gzip and zstd files are read directly"
    done
done
printf 'BZh91AY&SY and more' >raw.bzip2 # every build has this test
ends 1 show raw.bzip2
says "note: raw.bzip2 is a bzip2 file: unpack it first; only gzip and zstd files are read directly"

# zstd: files that are here, and what the command makes.
ends 0 show "$packed/zstd-raw"
cp "$out" want
ends 0 show "$packed/gzip-raw"
same "$out" want
for name in zstd-two zstd-skip gzip-two; do
    ends 0 merge --text -o x "$packed/$name"
    [ "$name" = zstd-two ] || same x y
    cp x y
done
if command -v zstd >/dev/null; then
    for level in -1 -19 "--ultra -22 --long=27" --long=28 --no-check; do
        # shellcheck disable=SC2086
        zstd -q $level <raw >raw.zst
        ends 0 merge -o x raw raw.zst
        same x want-raw.profdata
    done
    # A frame that ends early is unpacked piece by piece, for which a window of 256 MiB is refused.
    zstd -q --long=28 <raw | head -c -1 >cut.zst
    ends 1 show cut.zst
    hints "error: cut.zst: not supported: it needs more than 128 MiB of memory to unpack"
else
    printf 'skipped: no zstd(1)\n'
fi
for tool in pigz bgzip; do
    if command -v $tool >/dev/null; then
        $tool -c <raw >raw.other
        ends 0 merge -o x raw raw.other
        same x want-raw.profdata
    else
        printf 'skipped: no %s(1)\n' $tool
    fi
done

# Nothing in it: an empty input.
gzip </dev/null >empty.gz
ends 0 merge -o x empty.gz a.gz b.proftext
same x want.profdata
says "note: 1 of 3 inputs was empty"
ends 1 merge -o x empty.gz "$packed/zstd-nothing"
says "error: nothing is written: every input is empty"

# Damage: the whole input is rejected, with the place in the compressed file.
# rejected FILE TEXT
rejected() {
    rm -f x
    ends 1 merge -o x "$1" b.proftext
    hints "warning: $1: $2"
    gone x
    ends 1 show "$1"
    hints "error: $1: $2"
}
head -c 100 raw.gz >cut.gz
rejected cut.gz "truncated profile data: the compressed data end too early [gzip.stream at offset 100]"
size=$(stat -c %s raw.gz)
{
    head -c $((size - 8)) raw.gz
    printf 'XXXX'
    tail -c 4 raw.gz
} >crc.gz
rejected crc.gz "failed to unpack a compressed file: incorrect data check [gzip.stream at offset "
{
    cat raw.gz
    echo more
} >more.gz
after="other bytes follow the compressed data [gzip.end at offset $size]"
rejected more.gz "failed to unpack a compressed file: $after"
gzip <raw.gz >twice.gz
rejected twice.gz "not supported: the file is compressed twice: gzip inside gzip; unpack it once"
printf '\x28\xb5\x2f\xfd\x20\x05\x07\0\0main\n' >block.zst
rejected block.zst "failed to unpack a compressed file: "
# What is in it is bad: places are those in what it unpacks to, beyond the end of the compressed file.
head -c 500 raw | gzip -9 >cut-inside.gz
run show cut-inside.gz
cp "$err" got
head -c 500 raw >cut-inside
ends 1 show cut-inside
is "the same words" "$(sed 's/cut-inside.gz/cut-inside/' got)" "$(cat "$err")"

# Other kinds of files.
printf 'main:184019:0\n 4: 534\n' | gzip >sample.gz
ends 0 show sample.gz
prints "Function: main: 184019, 0, 1 sampled lines"
ends 1 show --instr sample.gz
says "note: sample.gz is a text sample profile in a gzip file: leave out --instr"
printf '\177ELF\2\1\1' | gzip >elf.gz
ends 1 show elf.gz
hints "note: elf.gz is an ELF file in a gzip file: "
finish
