# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branch and call stacks of AArch64 programs, which qemu-aarch64 runs: real ones, on a machine of another kind.

qemu prints the address of each instruction before it runs. The branches among them are decoded here. Programs are
complete, without a library, so that nothing runs that is not of their file."""

import collections
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _bolt import run  # noqa: E402

PLAIN, JUMP, CONDITIONAL, CALL, RETURN = range(5)
DEPTH = 32


def kind_of(word):
    """Of an instruction."""
    if word >> 26 in (0b000101, 0b100101):
        return CALL if word >> 31 else JUMP
    if word >> 24 == 0x54 or (word >> 25) & 0x3f in (0b011010, 0b011011):
        return CONDITIONAL
    if word >> 25 == 0b1101011:  # to a register, also with an authenticated address
        return {0: JUMP, 1: CALL, 2: RETURN}.get((word >> 21) & 7, PLAIN)
    return PLAIN


class Code:
    """The code of a program's file. program: Built of _profgen."""

    def __init__(self, program):
        self.program, self.kinds = program, {}
        with open(program.path, "rb") as f:
            self.data = f.read()
        self.entry, = struct.unpack_from("<Q", self.data, 24)

    def kind(self, address):
        if address not in self.kinds:
            start, offset = next((start, offset) for start, size, offset in self.program.segments
                                 if start <= address < start + size)
            self.kinds[address] = kind_of(struct.unpack_from("<I", self.data, address - start + offset)[0])
        return self.kinds[address]


def addresses(program, code, where):
    """Of the instructions that ran, in their order, as the program is linked; and the exit code."""
    log = os.path.join(where, "qemu.log")
    done = run(["qemu-aarch64", "-singlestep", "-d", "exec,nochain", "-D", log, program.path])
    with open(log, "rb") as f:
        found = [int(a, 16) for a in re.findall(rb"^Trace \d+: \S+ \[[0-9a-f]*/([0-9a-f]+)/", f.read(), re.M)]
    os.remove(log)
    base = found[0] - code.entry if found else 0
    return [a - base for a in found], done.returncode


def trace(program, where, every=23):
    """At every so many branches: the last branches as (from, to, flag), the newest first, and the call stack, which is
    complete: the target of the newest branch and where calls return to, the innermost first. And the exit code."""
    code = Code(program)
    ran, status = addresses(program, code, where)
    stacks, branches, frames, n = [], collections.deque(maxlen=DEPTH), [], 0
    for at, to in zip(ran, ran[1:]):
        kind = code.kind(at)
        if kind == PLAIN or (kind == CONDITIONAL and to == at + 4):
            if to not in (at, at + 4):  # the same: qemu was interrupted before it
                raise ValueError("%s: no branch at 0x%x, but 0x%x follows" % (program.path, at, to))
            continue
        if kind == CALL:
            frames.append(at + 4)
        elif kind == RETURN and frames.pop() != to:
            raise ValueError("%s: the return at 0x%x is to 0x%x" % (program.path, at, to))
        branches.appendleft((at, to, "P"))
        n += 1
        if n % every == 0:
            stacks.append((list(branches), [to, *frames[::-1]]))
    return stacks, status
