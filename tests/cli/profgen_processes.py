#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of processes whose mappings differ, overlap or are missing: profgen counts those of the program, whatever the
order. And recordings that end early: only a recorder that was killed leaves what is no record. The recordings are made
up record by record, in this byte order."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile

ANYPROF = os.path.abspath(os.environ.get("ANYPROF", "build/anyprof"))
CODE = """
        .text
        .globl leaf, main
        .type leaf,@function
        .type main,@function
leaf:   leal 1(%rdi), %eax
        retq
        .size leaf, .-leaf
        .p2align 4
main:   movl $9, %ebx
.Ll:    callq leaf
        decl %ebx
        jne .Ll
        retq
        .size main, .-main
"""
# leaf 401000 (return 401003), main 401010: call 401015, jne 40101c
LOOP = [(0x40101c, 0x401015), (0x401003, 0x40101a), (0x401015, 0x401000)]
START, SIZE = 0x401000, 0x1000
SAMPLE_TYPE = 1 | 2 | 4 | 0x100 | 0x800  # IP, TID, TIME, PERIOD, BRANCH_STACK
NO_PID = 2 ** 32 - 1
KERNEL, USER = 1, 2


def attr_words():
    words = [112 << 32, 0, 4000, SAMPLE_TYPE] + [0] * 10
    words[5] = 1 << 5 | 1 << 8 | 1 << 18 | 1 << 23  # exclude_kernel, mmap, sample_id_all, mmap2
    words[9] = 1 | 8  # branches: user, any
    return words


class Recording:
    def __init__(self):
        self.data, self.time = b"", 1000

    def add(self, kind, misc, body):
        self.data += struct.pack("=IHH", kind, misc, 8 + len(body)) + body

    def map(self, pid, start, size, path, offset=0, code=True, misc=USER):
        name = path.encode() + b"\0"
        name += b"\0" * (-len(name) % 8)
        where = struct.pack("=IIQQQIIQQII", pid, pid, start, size, offset, 0, 0, 0, 0, 5 if code else 1, 2)
        self.add(10, misc, where + name + struct.pack("=IIQ", pid, pid, self.time))
        return self

    def sample(self, pid, branches):
        self.time += 1
        self.add(9, USER, struct.pack("=QIIQQQ", branches[0][0], pid, pid, self.time, 1, len(branches)) +
                 b"".join(struct.pack("=QQQ", a, b, 2) for a, b in branches))
        return self

    def write(self, path, finished=True, tail=b""):
        """`tail` stands in place of the last records; a recording that is not finished does not know its size."""
        attrs = struct.pack("=16Q", *attr_words(), 0, 0)
        data = self.data + tail
        size = len(data) if finished else 0
        head = struct.pack("=8Q", 104, len(attrs), 104, len(attrs), 104 + len(attrs), size, 0, 0)
        with open(path, "wb") as f:
            f.write(b"PERFILE2" + head + b"\0" * 32 + attrs + data)


def build(directory):
    source, path = os.path.join(directory, "code.s"), os.path.join(directory, "mini")
    with open(source, "w") as f:
        f.write(CODE)
    try:
        subprocess.run(["cc", "-c", source, "-o", path + ".o"], check=True)
        subprocess.run(["ld", "-e", "main", "-Ttext=0x401000", path + ".o", "-o", path], check=True)
        lines = subprocess.run(["readelf", "-lW", path], check=True, capture_output=True, text=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        print("skipped: no compiler, linker or readelf")
        sys.exit(77)
    return path, next(int(l.split()[1], 16) for l in lines if "LOAD" in l and "R E" in l)


class Test:
    def __init__(self, directory):
        self.directory, self.checks, self.failures = directory, 0, 0
        self.program, self.offset = build(directory)

    def check(self, what, good, seen):
        self.checks += 1
        if not good:
            self.failures += 1
            print("FAILED: %s:\n%s" % (what, seen))

    def place(self, name):
        return os.path.join(self.directory, name)

    def program_at(self, recording, pid, start=START, **more):
        return recording.map(pid, start, SIZE, "/x/mini", self.offset, **more)

    def counts(self, recording):
        """The counts of a recording, unsymbolized, or what profgen says instead."""
        path, out = self.place("perf.data"), self.place("out")
        recording.write(path)
        p = subprocess.run([ANYPROF, "profgen", "--quiet", "--binary=" + self.program, "--perfdata=" + path,
                            "--skip-symbolization", "-o", out], capture_output=True, text=True)
        if p.returncode:
            return p.stderr
        with open(out) as f:
            return f.read()

    def info(self, path):
        p = subprocess.run([ANYPROF, "perf", "info", path], capture_output=True, text=True)
        return p.stdout + p.stderr

    def same(self, what, recording, wanted):
        seen = self.counts(recording)
        self.check(what, seen == wanted, "%s\nnot\n%s" % (seen, wanted))


def check_processes(t):
    alone = t.program_at(Recording(), 7)
    for _ in range(50):
        alone.sample(7, LOOP)
    wanted = t.counts(alone)
    t.check("the loop", ":50\n" in wanted, wanted)

    turns = t.program_at(Recording(), 7).map(8, START, SIZE, "/x/other", t.offset)
    for i in range(100):
        turns.sample(7 + i % 2, LOOP)
    t.same("another process at the same addresses", turns, wanted)

    moved = t.program_at(Recording(), 7)
    for _ in range(25):
        moved.sample(7, LOOP)
    t.program_at(moved, 8, START + 0x10000)
    for _ in range(25):
        moved.sample(8, [(a + 0x10000, b + 0x10000) for a, b in LOOP])
    t.same("the program at another address", moved, wanted)

    data = t.program_at(t.program_at(Recording(), 7), 7, 0x701000, code=False)
    for _ in range(50):
        data.sample(7, LOOP + [(a + 0x300000, b + 0x300000) for a, b in LOOP])
    seen = t.counts(data)
    t.check("a mapping that is no code", ":100\n" not in seen and ":50\n" in seen, seen)


def check_order(t):
    """Samples at an address where nothing is mapped, or the kernel, beside the program."""
    stray = [(START - 16, START + 0x10)]
    for what, kernel in ("nothing below the program", False), ("the kernel below the program", True):
        results = []
        for order in (LOOP, stray), (stray, LOOP):
            r = Recording()
            if kernel:
                r.map(NO_PID, 0, 1 << 47, "[kernel.kallsyms]_text", misc=KERNEL)
            t.program_at(r, 7)
            for branches in order:
                r.sample(7, branches)
            results.append(t.counts(r))
        t.check(what, results[0] == results[1] and "15-" in results[0], "%s\nand\n%s" % tuple(results))
    both = [t.counts(t.program_at(Recording(), 7).sample(7, branches))
            for branches in (LOOP + stray, stray + LOOP)]
    t.check("within a stack", "10-15:1" in both[0] and "1c->15:1" in both[1], "\n".join(both))


def check_ends(t):
    r = t.program_at(Recording(), 7)
    for _ in range(20):
        r.sample(7, LOOP)
    path = t.place("perf.data")
    r.write(path, tail=b"\0" * 4096)
    t.check("zeros in a finished recording", "ends" in t.info(path), t.info(path))
    r.write(path, finished=False, tail=b"\0" * 4096)
    t.check("zeros after a recorder was killed", "ends" not in t.info(path), t.info(path))
    parts = t.place("parts")
    for finished in True, False:
        shutil.rmtree(parts, ignore_errors=True)
        os.mkdir(parts)
        t.program_at(Recording(), 7).write(os.path.join(parts, "data"), finished)
        with open(os.path.join(parts, "data.0"), "wb") as f:
            f.write(r.data + b"\0" * 4096)
        t.check("zeros in a part", ("ends" in t.info(parts)) == finished, t.info(parts))
    pipe = struct.pack("=IHH14Q", 64, 0, 8 + 112, *attr_words())
    with open(path, "wb") as f:
        f.write(b"PERFILE2" + struct.pack("=Q", 16) + pipe + r.data + b"\0" * 4096)
    t.check("zeros in what came through a pipe", "ends" in t.info(path), t.info(path))


def check_trace(t):
    """A recording with a trace alone."""
    r = t.program_at(Recording(), 7)
    r.add(70, 0, struct.pack("=II8Q", 1, 0, *[0] * 8))  # AUXTRACE_INFO of Intel PT
    r.add(71, 0, struct.pack("=QQQIIII", 64, 0, 0, 0, 7, 0, 0))  # AUXTRACE, and its data
    r.data += b"\1" * 64
    seen = t.counts(r)
    t.check("a trace alone", "the recording has a trace: perf inject" in seen, seen)


def check_outputs(t):
    """No output replaces a part of a recording, through a link either, or becomes one."""
    parts = t.place("parts")
    shutil.rmtree(parts, ignore_errors=True)
    os.mkdir(parts)
    t.program_at(Recording(), 7).write(os.path.join(parts, "data"))
    part = os.path.join(parts, "data.0")
    with open(part, "wb") as f:
        f.write(Recording().sample(7, LOOP).data)
    link = t.place("link")
    os.symlink(part, link)
    before = open(part, "rb").read()
    profgen = [ANYPROF, "profgen", "--quiet", "--binary=" + t.program, "--perfdata=" + parts, "--skip-symbolization"]
    for what, words in (("a link to a part", ["-o", link]), ("a report", ["-o", t.place("out"), "--report", link]),
                        ("a new part", ["-o", os.path.join(parts, "data.1")])):
        p = subprocess.run(profgen + words, capture_output=True, text=True)
        t.check(what, p.returncode == 1 and open(part, "rb").read() == before and len(os.listdir(parts)) == 2, p.stderr)


def main():
    if os.uname().machine != "x86_64":
        print("skipped: assembles x86-64 code")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as directory:
        t = Test(directory)
        for check in check_processes, check_order, check_ends, check_trace, check_outputs:
            check(t)
        print("%d checks, %d failures" % (t.checks, t.failures))
    sys.exit(t.failures != 0)


if __name__ == "__main__":
    main()
