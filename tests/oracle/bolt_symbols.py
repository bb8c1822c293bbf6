#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which symbols are functions: of a sample at each byte of a program's code, `anyprof bolt convert` and perf2bolt-22
name the same function and offset. The programs have symbols without types and sizes, of data, aliases, labels and
frames. A function of assembly without `.type` is also one for `bat translate` and `bat verify`."""

import os
import re
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
from _bolt import ANYPROF, check_run, run  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bolt")
UNTYPED = r"""
        .text
        .globl untyped
untyped: testl $1,%edi
        je 1f
        movl %edi,%eax
        cmpl $7,%eax
        jg 2f
        addl $1,%eax
        ret
1:      movl $1,%eax
        ret
2:      movl $2,%eax
        ret
        .size untyped,.-untyped
        .section .note.GNU-stack,"",@progbits
"""
CALLER = r"""
#include <stdio.h>
int untyped(int);
int __attribute__((noinline)) other(int x) { return x % 3 ? x + 1 : x * 2; }
int main(int argc, char **argv) { (void)argv; int sum = 0;
    for (int i = 0; i < 200 * argc; i++) sum += untyped(i) + other(i);
    printf("%d\n", sum); return 0; }
"""
VARIANTS = {"few moved": ["--funcs=_start,main"], "moved": [], "in place": ["--relocs=0"]}
tally = _bolt.Tally()
check = tally.check
counts = {"programs": 0, "bytes": 0, "lines": 0}


def compile_labels(where):
    """{name: path} of programs of assembly that are never run."""
    plans = {"x86_64": ("x86_64-linux-gnu", ("labels.s", "labels_second.s")),
             "aarch64": ("aarch64-linux-gnu", ("labels_aarch64.s",))}
    programs = {}
    for name, (target, sources) in plans.items():
        objects = []
        for source in sources:
            objects.append(os.path.join(where, source + "." + name + ".o"))
            check_run([compiler(), "--target=" + target, "-c", os.path.join(HERE, source), "-o", objects[-1]])
        programs[name] = os.path.join(where, name)
        check_run(["ld.lld-22", "-q", "-o", programs[name]] + objects)
    return programs


def compiler():
    return next((c for c in ("clang-22", "clang-19", "clang-16", "clang") if shutil.which(c)), None)


def code_of(program):
    """The address and size of each section with code."""
    for line in check_run(["readelf", "-SW", program]).splitlines():
        found = re.match(r" *\[ *\d+\] (\S+) +\w+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \w+ +(\w*X\w*) ", line)
        if found:
            yield int(found[2], 16), int(found[3], 16)


def check_bytes(program, what, where):
    """A sample of instructions at each byte of code."""
    samples, theirs, ours = (os.path.join(where, n) for n in ("samples", "theirs", "ours"))
    with open(samples, "w", encoding="ascii") as f:
        for address, size in code_of(program):
            for k in range(size):
                f.write("S %x %d\n" % (address + k, k + 1))
                counts["bytes"] += 1
    _bolt.perf2bolt(22, program, samples, theirs, options=["--ba"])
    check_run([ANYPROF, "bolt", "convert", program, "--basic-events", "--pa=" + samples, "-o", ours, "--quiet"])
    lines = []
    for path in (theirs, ours):
        with open(path, "rb") as f:
            lines.append(set(f.read().splitlines()))
    check(lines[0] == lines[1], "%s: perf2bolt has %s, anyprof %s" %
          (what, sorted(lines[0] - lines[1])[:4], sorted(lines[1] - lines[0])[:4]))
    counts["programs"] += 1
    counts["lines"] += len(lines[0])


def remove_names(path, names):
    """Makes these symbols nameless."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    offset, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    symbols = next(s for s in sections if s[1] == 2)
    texts = sections[symbols[6]][4]
    for at in range(symbols[4], symbols[4] + symbols[5], 24):
        name, = struct.unpack_from("<I", data, at)
        if bytes(data[texts + name:data.index(b"\0", texts + name)]).decode() in names:
            struct.pack_into("<I", data, at, 0)
    with open(path, "wb") as f:
        f.write(data)


def check_labels(where):
    for name, path in compile_labels(where).items():
        check_bytes(path, name + ", not optimized", where)
        for variant, options in VARIANTS.items():
            bolted = os.path.join(where, "bolted")
            why = _bolt.bolt(22, path, options, bolted)
            check(why is None, "%s, %s: %s" % (name, variant, why))
            if why is None:
                check_bytes(bolted, "%s, %s" % (name, variant), where)
                remove_names(bolted, ("typed", "after_local", "last"))
                check_bytes(bolted, "%s, %s, some without a name" % (name, variant), where)


def build_untyped(where):
    for name, text in (("caller.c", CALLER), ("untyped.s", UNTYPED)):
        with open(os.path.join(where, name), "w", encoding="utf-8") as f:
            f.write(text)
    return build_caller(where, "untyped")


def build_caller(where, name, level="-O1"):
    path = os.path.join(where, name)
    check_run([compiler(), level, "caller.c", "untyped.s", "-Wl,-q", "-o", path], cwd=where)
    return path


def check_untyped(where):
    """A run: all samples of the function without a type are its own, also in the input that BOLT was given."""
    program, bolted = build_untyped(where), os.path.join(where, "untyped.bolt")
    check(_bolt.bolt(22, program, ["--reorder-blocks=reverse"], bolted) is None, "untyped: not optimized")
    check_bytes(bolted, "untyped", where)
    done = run([ANYPROF, "bat", "verify", bolted, "--original=" + program])
    check(done.returncode == 0 and b"0 findings" in done.stdout, "bat verify: %s" % done.stdout)
    symbols = {}
    for path in (program, bolted):
        for line in check_run(["readelf", "-sW", path]).splitlines():
            words = line.split()
            if words[-1:] == ["untyped"] and words[3] == "NOTYPE":
                symbols[path] = int(words[1], 16)
    check(len(symbols) == 2, "no symbol without a type")
    said = check_run([ANYPROF, "bat", "translate", bolted, "--original=" + program, "0x%x" % symbols[bolted]])
    check(said.split() == ["0x%x" % symbols[bolted], "untyped+0x0", "0x%x" % symbols[program]],
          "bat translate: %s" % said)
    if _bolt.can_trace():
        print("skipped: samples of a run: %s" % _bolt.can_trace())
        return
    files = _bolt.trace(bolted, os.path.join(where, "traced"))
    theirs, ours = os.path.join(where, "theirs"), os.path.join(where, "ours")
    _bolt.perf2bolt(22, bolted, files["T"], theirs)
    check_run([ANYPROF, "bolt", "convert", bolted, "--pa=" + files["T"], "-o", ours, "--quiet", "--max-lost=0.1"])
    with open(theirs, "rb") as f, open(ours, "rb") as g:
        check(f.read() == g.read(), "untyped: samples of a run differ")
    other = os.path.join(where, "another.bolt")
    program = build_caller(where, "another", "-O0")
    check(_bolt.bolt(22, program, ["--reorder-blocks=reverse"], other) is None, "another build: not optimized")
    done = run([ANYPROF, "bolt", "convert", other, "--pa=" + files["T"], "-o", ours, "--quiet", "--max-lost=10"])
    check(done.returncode == 3 and b"are lost, more than 10 %" in done.stderr, "another build: %s" % done.stderr)


def main():
    if not compiler() or not all(shutil.which(t) for t in ("ld.lld-22", "llvm-bolt-22", "perf2bolt-22", "readelf")):
        print("skipped: no clang, ld.lld-22, llvm-bolt-22 or perf2bolt-22")
        return 77
    with tempfile.TemporaryDirectory() as where:
        check_labels(where)
        check_untyped(where)
        for name, path in {**_bolt.build(where), **_bolt.build_aarch64(where)}.items():
            bolted = os.path.join(where, "bolted")
            if _bolt.bolt(22, path, [], bolted) is None:
                check_bytes(bolted, name, where)
    print(", ".join("%d %s" % (n, what) for what, n in counts.items()))
    check(counts["programs"] >= 18 and counts["lines"] > 20000, "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
