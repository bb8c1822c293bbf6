#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A million probes, in 50,400 functions and copies of them, take at most 150 MB, whatever is done with them.
. "$(dirname "$0")/_lib.sh"

most=$((150 * 1024))
python3 - <<'END' || skip "no python3"
import hashlib
import struct


def uleb(v):
    return bytes([v]) if v < 128 else bytes([v & 127 | 128]) + uleb(v >> 7)


def probes(kind):
    return b"".join(uleb(k + 1) + bytes([kind, k % 50]) for k in range(20))


names = [b"_ZN9namespace%d30function_with_rather_long_name%dEv" % (i % 100, i) for i in range(5600)]
guids = [hashlib.md5(name).digest()[:8] for name in names]
with open("p", "wb") as out:
    for i, guid in enumerate(guids):
        out.write(guid + uleb(20) + uleb(4) + probes(0x80))
        for k in range(4):
            out.write(uleb(3 * k + 1) + guids[(13 * i + 7 * k) % 5600] + uleb(20) + uleb(1) + probes(0x80))
            out.write(uleb(2) + guids[(17 * i + k) % 5600] + uleb(20) + uleb(0) + probes(0x82))
with open("d", "wb") as out:
    for i, guid in enumerate(guids):
        out.write(guid + struct.pack("<Q", 7919 * i) + uleb(len(names[i])) + names[i])
END

run probes stats --section p --desc-section d
prints "     1008000  probes"
for command in "list" "list --json" "tree" "stats" "verify"; do
    kb=$("$compare" 1 "'$anyprof' probes $command --section p --desc-section d -o result")
    printf '%s: %s KB\n' "$command" "$kb"
    if [ "$kb" -le $most ]; then good; else bad "$command: $kb KB, more than $most"; fi
done
finish
