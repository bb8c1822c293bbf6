#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""_profgen_growth.py FAMILY N: writes assembly for x86-64 to program.s, and samples of the program, linked at 0x401000,
to `samples`, of a size that grows as N. Prints their kind: the option of anyprof profgen, or --perf-script,
which is one of anyprof bolt convert.

The functions have pseudo probes. f<i> is 16 bytes long: push, mov, nop, at 5 a call of leaf, at 10 nop, pop, ret. leaf
is the first function: push, mov, nop, pop, at 6 ret."""

import hashlib
import os
import random
import struct
import subprocess
import sys

BASE = 0x401000
CALL, AFTER, LEAF_END = 5, 10, 6
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
sys.dont_write_bytecode = True


def guid(name):
    return struct.unpack("<Q", hashlib.md5(name.encode()).digest()[:8])[0]


class Program:
    def __init__(self):
        self.text, self.names = ["\t.text"], []
        self.add("leaf", ["pushq %rbp; movq %rsp, %rbp; nop; popq %rbp; retq"])

    def describe(self, name):
        if name not in self.names:
            self.names.append(name)

    def add(self, name, lines, label=None, size=None, align=4):
        label = label or name
        self.describe(name)
        self.text += ["\t.p2align %d" % align, "\t.type %s,@function" % label, "%s:" % label,
                      self.probe(name, 1, at=label), *lines, "\t.size %s, %s" % (label, size or ".-" + label)]

    @staticmethod
    def probe(name, number, kind=0, inside=(), at=None):
        where = "".join(" @ %d:%d" % (guid(caller), call) for caller, call in inside)
        return ".pseudoprobe %d %d %d 0%s %s" % (guid(name), number, kind, where, at or name)

    def caller(self, name, label=None, **more):
        self.add(name, ["pushq %rbp; movq %rsp, %rbp; nop", self.probe(name, 2, 2, at=label), "callq leaf",
                        "nop; popq %rbp; retq"], label, **more)

    def write(self):
        lines = self.text + ['\t.section .pseudo_probe_desc,"",@progbits']
        lines += ['.quad %d, 7; .uleb128 %d; .ascii "%s"' % (guid(name), len(name), name) for name in self.names]
        with open("program.s", "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")


def callers(n, name="f%d"):
    program = Program()
    for i in range(n):
        program.caller(name % i)
    program.write()


def place(i):
    """The address of f<i>."""
    return BASE + 16 * (i + 1)


def write_script(stacks):
    """Samples in leaf, which was called by the last function of a list, which was called by the one before."""
    with open("samples", "w", encoding="ascii") as f:
        for stack in stacks:
            last = place(stack[-1])
            f.write("".join("\t%x\n" % (place(i) + AFTER) for i in reversed(stack)))
            f.write(" 0x%x/0x%x/P 0x%x/0x%x/P\n\n" % (BASE + LEAF_END, last + AFTER, last + CALL, BASE))
    return "--perfscript"


def write_raw(contexts):
    """Contexts: their calls, ranges, and branches; all of them addresses."""
    with open("samples", "w", encoding="ascii") as f:
        for calls, ranges, branches in contexts:
            f.write("[%s]\n%d\n" % (" @ ".join("0x%x" % (a - BASE) for a in calls), len(ranges)))
            f.write("".join("%x-%x:5\n" % (a - BASE, b - BASE) for a, b in ranges))
            f.write("%d\n" % len(branches) + "".join("%x->%x:5\n" % (a - BASE, b - BASE) for a, b in branches))
    return "--unsymbolized-profile"


# ---- call stacks ----

def deep_stacks(n):
    chance = random.Random(1)
    callers(200)
    return write_script([chance.sample(range(200), 200) for _ in range(n // 16)])


def cyclic_stacks(n):
    chance = random.Random(2)
    callers(50)
    return write_script([[(start + k % 7) % 50 for k in range(300)]
                         for start in (chance.randrange(50) for _ in range(n // 16))])


def long_periods(n):
    """Recursion of functions in circles of n / 4; contexts have at most 998 calls."""
    callers(n // 4)
    return write_script([2 * list(range(n // 4)) for _ in range(8)])


def one_context_each(n):
    chance = random.Random(3)
    callers(n)
    return write_script([[chance.randrange(n) for _ in range(5)] for _ in range(n)])


def calls_and_returns(n):
    """One sample, whose branches are calls and returns in turn."""
    callers(n)
    with open("samples", "w", encoding="ascii") as f:
        f.write("\t%x\n " % (place(0) + AFTER))
        f.write(" ".join("0x%x/0x%x/P 0x%x/0x%x/P" % (BASE + LEAF_END, place(i) + AFTER, place(i) + CALL, BASE)
                         for i in range(n)) + "\n")
    return "--perfscript"


# ---- ranges ----

def nops(n, extra=()):
    program = Program()
    program.add("f", ["pushq %rbp; movq %rsp, %rbp", "nop\n" * n, "callq leaf", *extra, "popq %rbp; retq"])
    program.write()
    return BASE + 16


def overlapping_ranges(n):
    start = nops(4 * n)
    ranges = [(start + 4 + i, start + 4 + 4 * n - i) for i in range(n)]
    return write_raw([([], [(start, start + 4), *ranges], [])])


def huge_ranges(n):
    """Each sample has run through all of a function."""
    start = nops(64 * n)
    end = start + 4 + 64 * n
    with open("samples", "w", encoding="ascii") as f:
        for _ in range(n):
            f.write("\t%x\n 0x%x/0x%x/P 0x%x/0x%x/P\n\n" % (start + 8, end, BASE, BASE + LEAF_END, start))
    return "--perfscript"


def undecodable_code(n):
    start = nops(1, [".fill %d, 1, 0x06" % (64 * n), "nop"])
    last = start + 4 + 1 + 5 + 64 * n
    with open("samples", "w", encoding="ascii") as f:
        # One sample has a probe.
        f.write("\t%x\n\t%x\n" % (last, last) + " 0x%x/0x%x/P 0x77/0x%x/P\n\n" % (BASE + LEAF_END, last, BASE))
        for _ in range(n):
            f.write("\t%x\n\t%x\n" % (last, last) + " 0x%x/0x%x/P 0x%x/0x%x/P\n\n" % (2 * (BASE + LEAF_END, last)))
    return "--perfscript"


def overlapping_line_ranges(n):
    """Ranges in a call, in a program that has lines instead of probes."""
    with open("program.c", "w", encoding="ascii") as f:
        for name, code in (("leaf", "nop"), ("f", ".fill %d, 1, 0x90; callq leaf; nop" % (16 * n)),
                           ("caller", "nop; callq f; nop")):
            f.write("__attribute__((naked)) void %s(void) {\n" % name +
                    '    asm("pushq %rbp; movq %rsp, %rbp; {}; popq %rbp; retq");\n}}\n'.format(code))
    subprocess.run(["clang-22", "-O1", "-g", "-fno-omit-frame-pointer", "-S", "program.c"], check=True)
    first = BASE + 16 + 4
    call = first + 16 * n
    caller = (call + 8 + 15) // 16 * 16
    with open("samples", "w", encoding="ascii") as f:
        for i in range(n):
            f.write("\t%x\n\t%x\n\t%x\n" % (BASE + 4, call + 5, caller + 10))
            f.write(" 0x%x/0x%x/P 0x%x/0x%x/P\n\n" % (call, BASE, first, first + i))
    return "--perfscript"


def deep_line_inlining(n):
    """A range in which each function is inlined into the one before, in a program that has lines instead of probes."""
    info = "".join(".uleb128 3; .long g - unit; .quad body; .long end - body; .byte 1\n" for _ in range(2 * n))
    text = """
    .text
    .type leaf,@function
    .file 1 "x.c"
leaf: .loc 1 1; pushq %%rbp; nop; popq %%rbp; retq
    .size leaf, .-leaf
    .p2align 4
    .type f,@function
f:  .loc 1 2; pushq %%rbp
body: .loc 1 3; nop
end: callq leaf; popq %%rbp; retq
last: .size f, .-f
    .section .debug_abbrev,"",@progbits
    .byte 1, 0x11, 1, 0x11, 1, 0x12, 6, 0x10, 0x17, 0, 0
    .byte 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 6, 0x3b, 11, 0, 0
    .byte 3, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 6, 0x59, 11, 0, 0
    .byte 4, 0x2e, 0, 3, 8, 0x3b, 11, 0, 0
    .byte 0
    .section .debug_info,"",@progbits
unit: .long unit_end - unit_start
unit_start: .short 4; .long .debug_abbrev; .byte 8
    .uleb128 1; .quad leaf; .long last - leaf; .long .debug_line
g:  .uleb128 4; .asciz "g"; .byte 1
    .uleb128 2; .asciz "f"; .quad f; .long last - f; .byte 1
%s  .zero %d
unit_end:
""" % (info, 2 * n + 2)
    with open("program.s", "w", encoding="ascii") as f:
        f.write(text)
    with open("samples", "w", encoding="ascii") as f:
        f.write(" 0x%x/0x%x/P 0x%x/0x%x/P\n" % (place(0) + 2, BASE, BASE + 3, place(0)))
    return "--perfscript"


# ---- functions ----

def same_names(n):
    program = Program()
    for i in range(n):
        program.caller("f", "f.llvm.%d" % i)
    program.write()
    return write_raw([([place(i) + CALL], [(BASE, BASE + LEAF_END)], [(place(i) + CALL, BASE)]) for i in range(n)])


def overlapping_functions(n):
    """Each function ends where the last one does."""
    program = Program()
    for i in range(n):
        program.caller("f%d" % i, size="end - f%d" % i)
    program.text.append("end:")
    program.write()
    return write_raw([([], [(place(i), place(i) + CALL)], []) for i in range(n)] +
                     [([place(0) + CALL], [(BASE, BASE + LEAF_END)], [])])


def deep_inlining(n):
    """A probe that is inlined 2 n times."""
    program = Program()
    inside = [("g%d" % i, 3) for i in range(2 * n)]
    for name, _ in inside:
        program.describe(name)
    program.add("g0", ["pushq %rbp; movq %rsp, %rbp; nop", program.probe("leaf", 1, 0, inside, "g0"), "nop",
                       program.probe("g0", 2, 2), "callq leaf", "nop; popq %rbp; retq"])
    program.write()
    return write_raw([([], [(place(0), place(0) + 6)], []), ([place(0) + 6], [(BASE, BASE + LEAF_END)], [])])


def probes_at_one_place(n):
    """Many probes at a call."""
    program = Program()
    program.add("f", ["pushq %rbp; movq %rsp, %rbp; nop", *[program.probe("f", 3 + i) for i in range(n)],
                      program.probe("f", 2, 2), "callq leaf", "nop; popq %rbp; retq"])
    for i in range(n):
        program.caller("g%d" % i)
    program.write()
    return write_raw([([place(0) + CALL], [], [(place(1 + i) + CALL, BASE) for i in range(n)])] +
                     [([place(1 + i) + CALL, place(0) + CALL], [(BASE, BASE + LEAF_END)],
                       [(place(0) + CALL, place(1 + i))]) for i in range(n)])


def scattered_probes(n):
    """The probes of one function are in many others."""
    program = Program()
    for i in range(n):
        program.add("f%d" % i, ["pushq %rbp; movq %rsp, %rbp; nop", program.probe("f", 2 + i, at="f0"), "callq leaf",
                                "nop; popq %rbp; retq"])
    program.describe("f")
    program.write()
    return write_raw([([place(0) + CALL], [(place(i), place(i) + CALL) for i in range(n)], [])])


# ---- the preinliner and tail calls ----

def wide_tree(n):
    program = Program()
    lines = ["pushq %rbp; movq %rsp, %rbp"]
    for i in range(n):
        lines += [program.probe("main", 2 + i, 2), "callq leaf"]
    program.add("main", lines + ["nop; popq %rbp; retq"])
    program.write()
    first = BASE + 16 + 4
    return write_raw([([first + 5 * i], [(BASE, BASE + LEAF_END)], [(first + 5 * i, BASE)]) for i in range(n)] +
                     [([], [], [(first + 5 * i, BASE) for i in range(n)])])


def calls_in_circles(n):
    chance = random.Random(4)
    callers(n)
    edges = [(i, (i + 1) % n) for i in range(n)] + [(chance.randrange(n), chance.randrange(n)) for _ in range(n)]
    return write_raw([([place(a) + CALL], [(place(b), place(b) + CALL)], [(place(a) + CALL, place(b))])
                      for a, b in edges])


def tail_call_program(n, probes=False):
    program = Program()
    program.caller("main")
    for i in range(n):
        jump = ".byte 0xe9; .long t%d-.-4" % ((i + 1) % n)
        program.add("t%d" % i, ["pushq %rbp; movq %rsp, %rbp; nop; popq %rbp",
                                *([program.probe("t%d" % i, 2, 2)] if probes else []), jump])
    for i in range(n):
        program.caller("f%d" % i)
    program.write()
    return [place(1 + i) for i in range(n)]


def chain_of_tail_calls(n):
    tails = tail_call_program(n)
    ranges = [(t, t + 6) for t in tails]
    branches = [(t + 6, u) for t, u in zip(tails, tails[1:])]
    return write_raw([([], [], [(place(0) + CALL, tails[0])]), ([place(0) + CALL], ranges, branches)])


def tail_calls_of_one(n):
    """A call that goes to many functions, all of which jump to one; it has many callers."""
    tails = tail_call_program(n)
    branches = [(t + 6, tails[-1]) for t in tails[:-1]] + [(place(0) + CALL, t) for t in tails[:-1]]
    ran = [(tails[-1], tails[-1] + 6)]
    return write_raw([([], [], branches)] + [([place(1 + n + i) + CALL, place(0) + CALL], ran, []) for i in range(n)])


def hub_of_tail_calls(n):
    """A call that goes to one function, which jumps to a function to which all others jump, too."""
    tails = tail_call_program(n, True)
    branches = [(t + 6, tails[-1]) for t in tails[:-1]] + [(place(0) + CALL, tails[0])]
    return write_raw([([], [], branches), ([place(0) + CALL], [(tails[-1], tails[-1] + 6)], [])])


def deep_tail_calls(n):
    """n functions call the first one of a chain of 900; samples are in the last 100 of these."""
    tails = tail_call_program(900, True)
    calls = [place(1 + len(tails) + i) + CALL for i in range(n)]
    branches = [(t + 6, u) for t, u in zip(tails, tails[1:])] + [(call, tails[0]) for call in calls]
    ranges = [(t, t + 6) for t in tails[-100:]]
    return write_raw([([], [], branches)] + [([call], ranges, []) for call in calls])


# ---- recordings ----

def many_processes(n):
    from _perf import Recording  # pylint: disable=import-outside-toplevel
    callers(1)
    recording = Recording()
    for pid in range(100, 100 + n):
        recording.mmap(pid, BASE, 0x1000, 0x1000, "/x/program")
        recording.sample(pid, BASE, [(BASE + LEAF_END, place(0) + AFTER, "P"), (place(0) + CALL, BASE, "P")])
    recording.write("samples")
    return "--perfdata"


def many_maps(n):
    from _perf import Recording  # pylint: disable=import-outside-toplevel
    callers(1)
    recording = Recording()
    for i in range(n):
        at = 0x10000000 + 0x2000 * i
        recording.mmap(100, at, 0x1000, 0x1000, "/x/program" if i % 2 else "/x/other%d" % i)
        recording.sample(100, at, [(at + LEAF_END, at + 16 + AFTER, "P"), (at - 0x2000 + 16 + CALL, at, "P")])
    recording.write("samples")
    return "--perfdata"


def many_text_maps(n):
    callers(1)
    with open("samples", "w", encoding="ascii") as f:
        for i in range(n):
            f.write("PERF_RECORD_MMAP2 %d/1: [0x%x(0x1000) @ 0x1000 08:01 1 1]: r-xp /x/program\n" % (i, BASE))
        f.write(" 0x%x/0x%x/P 0x%x/0x%x/P\n" % (BASE + LEAF_END, place(0) + AFTER, place(0) + CALL, BASE))
    return "--perfscript"


# ---- for anyprof bolt convert, which reads the same recordings ----

def event_names(n):
    """Each sample is of another event; names begin alike."""
    callers(1)
    with open("samples", "w", encoding="ascii") as f:
        f.write("PERF_RECORD_MMAP2 100/100: [0x%x(0x1000) @ 0x1000 08:01 1 1]: r-xp /x/program\n" % BASE)
        f.write("".join("100 %s%04d%s: %x\n" % ("e" * 100, i, "e" * 900, BASE + 1) for i in range(n)))
    return "--perf-script"


FAMILIES = [deep_stacks, cyclic_stacks, long_periods, one_context_each, calls_and_returns, overlapping_ranges,
            overlapping_line_ranges, deep_line_inlining, huge_ranges, undecodable_code,
            same_names, overlapping_functions, deep_inlining,
            probes_at_one_place, scattered_probes, wide_tree, calls_in_circles, chain_of_tail_calls, tail_calls_of_one,
            hub_of_tail_calls, deep_tail_calls,
            many_processes, many_maps, many_text_maps, event_names]

if __name__ == "__main__":
    if len(sys.argv) == 1:
        print("\n".join(family.__name__ for family in FAMILIES))
    else:
        print({family.__name__: family for family in FAMILIES}[sys.argv[1]](int(sys.argv[2])))
