#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Inputs that fuzzing found are committed in packs (fuzz/pack.py), each of a target, each as pack.py writes it. Packs
# that were cut off or changed anywhere are refused by pack.py and by the programs that replay packs.
. "$(dirname "$0")/_lib.sh"
command -v python3 >/dev/null || skip "no python3"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

while read -r file; do
    fail "$file: add it to the pack (fuzz/pack.py add), or give it a name that says what it is"
done < <(find fuzz/corpus -mindepth 2 -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}')
for pack in fuzz/corpus/*.pack; do
    target=${pack##*/}
    target=${target%.pack}
    [ -f "fuzz/fuzz_$target.c" ] || fail "$pack: no fuzz/fuzz_$target.c"
done
fuzz/pack.py check fuzz/corpus/*.pack || broken=1

# Pack, unpack, pack: the same bytes, in whatever order inputs were added.
printf 'one' >"$work/1" && : >"$work/2" && printf 'anyprof corpus\n' >"$work/3"
fuzz/pack.py add "$work/good.pack" "$work/1" "$work/2" "$work/3"
fuzz/pack.py add "$work/other.pack" "$work/3" "$work/1" && fuzz/pack.py add "$work/other.pack" "$work/2" "$work/3"
fuzz/pack.py unpack "$work/good.pack" "$work/unpacked"
fuzz/pack.py pack "$work/third.pack" "$work/unpacked"
cmp "$work/good.pack" "$work/other.pack" && cmp "$work/good.pack" "$work/third.pack" || broken=1
[ "$(fuzz/pack.py list "$work/good.pack" | awk '{ print $2 }' | sort -n | xargs)" = "0 3 15" ] || broken=1

# Damaged packs: every prefix, every byte changed; sizes that lead past the end of the pack, with a right checksum; an
# order that is not pack.py's.
python3 - "$work" <<'END'
import struct, sys, zlib

work = sys.argv[1]
with open(f"{work}/good.pack", "rb") as f:
    good = f.read()
MAGIC = b"anyprof corpus\n"


def write(name, data):
    with open(f"{work}/{name}.pack", "wb") as f:
        f.write(data)


def with_checksum(data):
    return data + struct.pack("<I", zlib.crc32(data))


for n in range(len(good)):
    write(f"bad-cut-{n}", good[:n])
    write(f"bad-byte-{n}", good[:n] + bytes([good[n] ^ 0x20]) + good[n + 1:])
for size in (2, 0x7fffffff, 0xfffffffb, 0xfffffffc, 0xffffffff):
    write(f"bad-size-{size}", with_checksum(MAGIC + struct.pack("<I", size) + b"x"))
for n in (1, 2, 3):
    write(f"bad-half-size-{n}", with_checksum(MAGIC + bytes(n)))
write("wrong-order", with_checksum(MAGIC + struct.pack("<I", 1) + b"b" + struct.pack("<I", 1) + b"a"))
write("wrong-twice", with_checksum(MAGIC + 2 * (struct.pack("<I", 1) + b"a")))
END
for pack in "$work"/wrong-*.pack; do
    ! fuzz/pack.py check "$pack" 2>/dev/null || fail "pack.py check accepts ${pack##*/}"
done

refuses() { # refuses COMMAND...: exit code 1, and a line about each damaged pack
    local code=0 packs=("$work"/bad-*.pack)
    "$@" "${packs[@]}" >"$work/out" 2>"$work/err" || code=$?
    [ "$code" = 1 ] || fail "$*: exit code $code for damaged packs: $(tail -n 3 "$work/err")"
    cmp <(printf '%s\n' "${packs[@]}") <(sed 's/: .*//' "$work/err") || fail "$*: not a line for each damaged pack"
}
refuses fuzz/pack.py check
replay=$build/fuzz/fuzz_text
if [ ! -x "$replay" ] || ! "$replay" "$work/good.pack" 2>&1 | grep -q '^3 inputs replayed'; then
    [ "$broken" = 0 ] || finish
    skip "no program in $build/fuzz that replays packs"
fi
refuses "$replay"
finish
