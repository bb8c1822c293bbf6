#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of objects in profiles: `anyprof profgen --data-access-perftrace` beside llvm-profgen-22.

A C++ program with virtual calls is traced for its branches; reads of vtables by its indirect calls are made up, some of
other data and by other code among them. llvm-profgen reads what perf, if it is installed, prints of the recording of
these reads; anyprof reads that text and the recording."""

import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _bolt import run  # noqa: E402
from _perf import real_perf  # noqa: E402
from _perf_write import ADDR, IP, PERIOD, TID, TIME, Event, Made  # noqa: E402
from _profgen import ANYPROF, Built, both, check, count, first_difference, missing, tally, trace, write_text  # noqa

SOURCE = """
struct base { virtual int run(int x) { return x + 1; } virtual ~base() {} };
struct one : base { int run(int x) override { return x * 3; } };
struct two : base { int run(int x) override { return x ^ 5; } };
namespace { struct hidden : base { int run(int x) override { return x - 7; } }; }
__attribute__((noinline)) int call(base *b, int n) { int s = 0; for (int i = 0; i < n; i++) s += b->run(i); return s; }
static inline int twice(base *b) { return b->run(2) + b->run(3); }
__attribute__((noinline)) int use(base *a, base *b) { return twice(a) + call(b, 40) + call(a, 3); }
int main() { one o; two t; hidden h; int r = 0; for (int i = 0; i < 50; i++) r += use(&o, i % 3 ? (base *)&t : &h);
             return r & 1; }
"""
PID = 4242
BUILD = "0x11221122"
NON_TEXT = 1 << 13  # PERF_RECORD_MISC_MMAP_DATA


def loads(path):
    """Segments: (address, size, offset, executable)."""
    found = []
    for line in run(["readelf", "-lW", path]).stdout.decode().splitlines():
        words = line.split()
        if words and words[0] == "LOAD":
            found.append((int(words[2], 16), int(words[4], 16), int(words[1], 16), "E" in line.split("0x")[-2]))
    return found


def vtables(path):
    found = []
    for line in run(["nm", "-S", path]).stdout.decode().splitlines():
        m = re.match("([0-9a-f]+) ([0-9a-f]+) . _ZTV", line)
        if m:
            found.append((int(m[1], 16), int(m[2], 16)))
    return found


def make_accesses(program, stacks, chance):
    """(address of an instruction, of data); both in the file."""
    tables = vtables(program.path)
    sites = sorted({branch[0] for branches, _ in stacks for branch in branches if branch[0]})
    found = []
    for _ in range(300):
        start, size = chance.choice(tables)
        data = chance.choice((start + 16, start + size - 1, start + size, start - 1, chance.randrange(1 << 20)))
        found.append((chance.choice(sites), data))
    return found


def made_of(program, accesses, base):
    made, size = Made(Event("mem-loads", IP | TID | TIME | ADDR | PERIOD, size=112)), 4096
    for address, length, offset, executable in loads(program.path):
        pad = address % size
        made.mmap2(PID, address - pad + base, (length + pad + size - 1) & -size, offset - pad, program.path,
                   misc=2 if executable else 2 | NON_TEXT, prot=5 if executable else 1, time=1)
    for i, (instruction, data) in enumerate(accesses):
        made.sample(ip=instruction + base, pid=PID, time=10 + i, addr=data + base, period=7)
    return made


def text_of(program, accesses, base):
    lines, size = [], 4096
    for address, length, offset, executable in loads(program.path):
        pad = address % size
        lines.append("0 0x10 [0x60]: PERF_RECORD_MMAP2 %d/%d: [0x%x(0x%x) @ %s 08:01 77 0]: %s %s"
                     % (PID, PID, address - pad + base, (length + pad + size - 1) & -size,
                        "0x%x" % (offset - pad) if offset - pad else "0", "r-xp" if executable else "r--p",
                        program.path))
    for instruction, data in accesses:
        lines.append("128 0x87b0 [0x60]: PERF_RECORD_SAMPLE(IP, 0x4002): %d/%d: 0x%x period: 7 addr: 0x%x"
                     % (PID, PID, instruction + base, data + base))
    return "".join(line + "\n" for line in lines)


def once(text):
    """llvm-profgen prints the types at a place again after what is inlined there."""
    kept, seen = [], {}
    for line in text.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip(b" "))
        for deeper in [i for i in seen if i > indent]:
            del seen[deeper]
        if b": vtables " in line:
            if line in seen.setdefault(indent, set()):
                continue
            seen[indent].add(line)
        kept.append(line)
    return b"".join(kept)


def check_program(path, where, what, seed):
    program, chance = Built(path), random.Random(seed)
    stacks, _ = trace(path, where, False)
    base = 0x555555000000 if program.movable else 0
    text, data = os.path.join(where, "text"), os.path.join(where, "accesses.data")
    write_text(text, program, stacks, base)
    accesses = make_accesses(program, stacks, chance)
    with open(data, "wb") as f:
        f.write(made_of(program, accesses, base).file())
    texts = {"made": text_of(program, accesses, base)}
    if real_perf():
        texts["perf"] = run([real_perf(), "report", "-D", "-i", data]).stdout.decode(errors="replace")
    for name, content in texts.items():
        printed = os.path.join(where, name)
        with open(printed, "w", encoding="utf-8") as f:
            f.write(content)
        for options in ([], ["--pid=%d" % PID]):
            words = ["--perfscript=" + text, *options, "--data-access-perftrace=" + printed]
            theirs, ours = both(program, words, where, ["--format=text"], what)
            theirs = once(theirs or b"")
            check(theirs == ours, "%s: %s of %s: %s" % (what, words, name, first_difference(theirs, ours or b"")))
            count("vtables", theirs.count(b"_ZTV"))
            words[-1] = "--data-access-perftrace=" + data
            recorded = both(program, words, where, ["--format=text"], what)[1]
            check(recorded == ours, "%s: the recording: %s" % (what, first_difference(ours or b"", recorded or b"")))
            count("profiles")
    printed = os.path.join(where, "elsewhere")
    nowhere = re.sub("addr: 0x[0-9a-f]+", "addr: 0x10", texts["made"])
    for name, content in (("elsewhere", nowhere), ("made", texts["made"])):
        with open(printed, "w", encoding="utf-8") as f:
            f.write(content)
        done = run([ANYPROF, "profgen", "--binary=" + path, "--perfscript=" + text, "-o", os.path.join(where, "warned"),
                    "--data-access-perftrace=" + printed])
        warned = b"no access to data is to a vtable" in done.stderr
        check(done.returncode == 0 and warned == (name == "elsewhere"), "%s: %s: %s" % (what, name, done.stderr[-300:]))


def check_build(path, where, what):
    """Accesses that were recorded of another build of the program, or of this one."""
    printed = os.path.join(where, "made")
    with open(printed, encoding="utf-8") as f:
        content = f.read()
    builds = ("33443344", [], True), ("33443344", ["--ignore-build-id"], False), ("11221122", [], False)
    for build, options, wrong in builds:
        with open(printed, "w", encoding="utf-8") as f:
            f.write(content.replace("08:01 77 0", "<%s>" % build))
        out = os.path.join(where, "ours")
        done = run([ANYPROF, "profgen", "--quiet", "--binary=" + path, "--perfscript=" + os.path.join(where, "text"),
                    "--data-access-perftrace=" + printed, "--format=text", "-o", out + ".build", *options])
        said = b"its build id is 11221122, but 33443344 was recorded" in done.stderr
        check((done.returncode == 1) == said == wrong, "%s: build %s %s: %s" % (what, build, options, done.stderr))
        if not wrong:
            with open(out, "rb") as first, open(out + ".build", "rb") as second:
                check(first.read() == second.read(), "%s: build %s %s" % (what, build, options))


def main():
    if missing():
        print("skipped: %s" % missing())
        return 77
    with tempfile.TemporaryDirectory() as where:
        source = os.path.join(where, "v.cpp")
        with open(source, "w", encoding="ascii") as f:
            f.write(SOURCE)
        for version in (16, 19, 22):
            for flags in (["-no-pie"], ["-fPIE", "-pie"], ["-fPIE", "-pie", "-Wl,-z,separate-code"]):
                if not shutil.which("clang++-%d" % version):
                    continue
                path = os.path.join(where, "program")
                done = run(["clang++-%d" % version, "-O1", "-g", "-fdebug-info-for-profiling",
                            "-Wl,--build-id=" + BUILD, *flags, source, "-o",
                            path])
                what = "clang %d %s" % (version, flags)
                check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:]))
                if done.returncode == 0:
                    check_program(path, where, what, version)
                    check_build(path, where, what)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("vtables", 0) >= 50, "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
