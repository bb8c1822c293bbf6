#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen` beside llvm-profgen-22 on programs of AArch64: the same profiles as bytes.

Programs of C and C++ without a library, of every clang from 16 on, run in qemu-aarch64, which says of each instruction
that it runs. What branched is made into branch and call stacks, and compared as those of x86-64 programs are."""

import collections
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _probes  # noqa: E402
import _qemu  # noqa: E402
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _profgen import VERSIONS, Built, check, count, first_difference, tally, write_text  # noqa: E402
from _profgen_compare import compare_branches, compare_calls  # noqa: E402

# Begins the program, ends it, and relocates one that may be anywhere.
START = r"""
int main(int, char **);
void *memset(void *p, int c, unsigned long n) {
    for (volatile char *s = p; n-- > 0; s++) *s = (char)c;
    return p; }
void *memcpy(void *p, const void *from, unsigned long n) {
    volatile char *s = p;
    for (const char *f = from; n-- > 0; s++, f++) *s = *f;
    return p; }
#ifdef __PIE__
struct relocation { unsigned long offset, info; long addend; };
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern const unsigned long _DYNAMIC[] __attribute__((visibility("hidden")));
static void relocate(void) {
    const struct relocation *r = 0; unsigned long size = 0;
    for (const unsigned long *d = _DYNAMIC; *d; d += 2) {
        if (d[0] == 7) r = (const struct relocation *)(__ehdr_start + d[1]);
        if (d[0] == 8) size = d[1]; }
    for (const struct relocation *end = r + size / sizeof *r; r < end; r++)
        if (r->info == 1027) *(char **)(__ehdr_start + r->offset) = __ehdr_start + r->addend; }
#else
static void relocate(void) {}
#endif
void _start(void) {
    relocate();
    register long number __asm__("x8") = 93;
    register long code __asm__("x0") = main(1, 0);
    __asm__ volatile("svc #0" : : "r"(number), "r"(code));
    __builtin_unreachable(); }
"""
CPP_SOURCE = r"""
#include "both.h"
template <typename T> struct list { T items[8]; int n = 0; void add(T v) { if (n < 8) items[n++] = v; }
    T sum() const { T s{}; for (int i = 0; i < n; i++) s += items[i]; return s; } };
namespace { __attribute__((noinline)) int local(int x) { return x > 3 ? shared(x) : shared(x) * 2; } }
struct base { virtual int run(int x) { return shared(x); } };
struct derived : base { int run(int x) override { return local(x) + biggest(x, 4); } };
struct twice : derived { int run(int x) override { return derived::run(x) - base::run(x / 2); } };
static base one; static derived two; static twice three; static base *const all[] = {&one, &two, &three};
int kind(int x) { switch (x % 6) { case 0: return shared(x); case 1: return all[x % 3]->run(x); case 2: return x * 3;
    case 3: return biggest(x, 7) + local(x); case 4: return x > 20 ? -1 : kind(x / 2); default: return x ^ 5; } }
int use(int x) { list<int> l; for (int i = 0; i < x; i++) l.add(shared(i % 5));
    auto f = [&](int y) { return y % 3 ? l.sum() : all[y % 2]->run(y); };
    return f(x) + biggest<double>(1.5, 2.5 + x) + kind(x); }
int other(int);
extern "C" int main(int argc, char **) { int s = 0;
    for (int i = 0; i < argc * 30; i++) s += use(i) + other(i); return s & 1; }
"""
C = (("start.c", START), ("main.c", _probes.C_SOURCE))
CPP = (("start.c", START), ("use.cpp", CPP_SOURCE), ("other.cpp", _probes.CPP_OTHER))
PIE = ["-fPIE", "-static-pie"]
# Name, sources, options, the first clang.
PROGRAMS = (
    ("c -O1", C, ["-O1"], 0), ("c -O2", C, ["-O2"], 0), ("c -O3", C, ["-O3", "-ffunction-sections"], 0),
    ("c, PIE", C, ["-O2", *PIE], 0), ("c, split", C, ["-O2", *_probes.SPLIT], 0),
    ("c, discriminators", C, ["-O3", "-mllvm", "-enable-fs-discriminator=true"], 17),
    ("c, returns authenticated", C, ["-O2", "-mbranch-protection=standard"], 0),
    ("c, linker drops", C, ["-O2", "-ffunction-sections", "-Wl,--gc-sections"], 0),
    ("cpp -O1", CPP, ["-O1"], 0), ("cpp -O2", CPP, ["-O2"], 0), ("cpp -O3", CPP, ["-O3"], 0),
    ("cpp, PIE", CPP, ["-O2", *PIE], 0), ("cpp, split", CPP, ["-O2", *_probes.SPLIT, *PIE], 0),
    ("cpp, LTO", CPP, ["-O2", "-flto"], 22), ("cpp, thin LTO", CPP, ["-O2", "-flto=thin", *PIE], 22),
)
# Instructions of later versions of AArch64 than 8.0, which llvm-profgen does not know, returns among them.
NEWER = ("c, newer instructions", C, ["-O3", "-march=armv9-a", "-mbranch-protection=standard"], 0)
WORDS = ["--target=aarch64-linux-gnu", "-w", "-g", "-ffreestanding", "-fno-stack-protector", "-fno-exceptions",
         "-fno-rtti", "-fno-omit-frame-pointer", "-fno-pie"]
KINDS = {True: "-fpseudo-probe-for-profiling", False: "-fdebug-info-for-profiling"}


def build(sources, options, version, probes, where, bare=False):
    """The program's path, or why there is none."""
    objects, path = [], os.path.join(where, "program")
    os.makedirs(where, exist_ok=True)
    linking = ("-Wl,", "-static", "-flto")
    for name, text in (*sources, ("both.h", _probes.CPP_HEADER)):
        with open(os.path.join(where, name), "w", encoding="utf-8") as f:
            f.write(text)
    for name, _ in sources:
        objects.append(os.path.join(where, name.split(".")[0] + ".o"))
        # llvm-profgen loses contexts below what has no debug information.
        words = [KINDS[probes]] if name != "start.c" else ["-g0"] if bare else []
        command = ["clang-%d" % version, *WORDS, *[o for o in options if not o.startswith(("-Wl,", "-static"))], *words,
                   "-c", os.path.join(where, name), "-o", objects[-1]]
        done = run(command)
        if done.returncode:
            return done.stderr.decode(errors="replace")[-300:]
    done = run(["clang-%d" % version, WORDS[0], "-nostdlib", "--ld-path=" + _probes.linker_of(version),
                *[o for o in options if o.startswith(linking)], *([] if "-static-pie" in options else ["-static"]),
                *objects, "-o", path])
    if done.returncode:
        return done.stderr.decode(errors="replace")[-300:]
    program = Built(path)
    program.calls_main = not bare
    return program


def check_all_counted(program, stacks, where, what):
    """Every branch of the samples is counted, and every run from one to the next, and nothing else."""
    ranges, branches = collections.Counter(), collections.Counter()
    for stack, _ in stacks:
        branches.update((a, b) for a, b, _ in stack)
        ranges.update((to, at) for (_, to, _), (at, _, _) in zip(stack[1:], stack))
    text, out = os.path.join(where, "text"), os.path.join(where, "ours")
    write_text(text, program, [(stack, []) for stack, _ in stacks], 0)
    done = run([ANYPROF, "profgen", "--binary=" + program.path, "--perfscript=" + text, "--skip-symbolization",
                "--use-offset=0", "-o", out])
    expected = ["%x-%x:%d" % (*pair, n) for pair, n in sorted(ranges.items())]
    expected = [str(len(expected)), *expected, str(len(branches)),
                *("%x->%x:%d" % (*pair, n) for pair, n in sorted(branches.items()))]
    check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:]))
    with open(out, encoding="ascii") as f:
        found = f.read().split()
    differing = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
    check(found == expected, "%s: counts: %s" % (what, differing[:3]))
    count("counts of newer instructions", len(found) - 2)


def check_bare(program, bare, stacks, where, what):
    """Without debug information of _start, which is code as long, contexts begin after it, and no count is lost."""
    lines = []
    for one in (program, bare):
        text, out = os.path.join(where, "text"), os.path.join(where, "ours")
        write_text(text, one, stacks, 0)
        done = run([ANYPROF, "profgen", "--binary=" + one.path, "--perfscript=" + text, "--csspgo-preinliner=0",
                    "--gen-cs-nested-profile=0", "--format=text", "-o", out])
        check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:]))
        with open(out, encoding="utf-8") as f:
            profile = re.sub(r"^\[_start\].*\n( .*\n)*", "", f.read(), flags=re.M)
        lines.append(sorted(re.sub(r"\[_start:[0-9.]+ @ ", "[", profile).splitlines()))
    check(any(line.startswith("[main:") for line in lines[1]), "%s: no contexts" % what)
    check(lines[0] == lines[1], "%s: without _start: %s" % (what, first_difference(
        *("\n".join(one).encode() for one in lines))))
    count("profiles without _start")


def check_case(case, where):
    (name, sources, options, _), version, probes, seed = case
    what = "%s, clang %d, %s" % (name, version, "probes" if probes else "lines")
    os.makedirs(where)
    program = build(sources, options, version, probes, where)
    if not check(isinstance(program, Built), "%s: not built: %s" % (what, program)):
        return
    stacks, status = _qemu.trace(program, where)
    if not check(len(stacks) >= 50 and status in (0, 1), "%s: %d stacks, exit %d" % (what, len(stacks), status)):
        return
    count("programs")
    count("stacks", len(stacks))
    if name == NEWER[0]:
        check_all_counted(program, stacks, where, what)
        return
    if name == PROGRAMS[0][0] and not probes:
        check_bare(program, build(sources, options, version, probes, os.path.join(where, "bare"), True), stacks, where,
                   what)
    compare_branches(program, [(branches, []) for branches, _ in stacks], where, what, seed)
    compare_calls(program, stacks, where, what, seed)


def missing():
    needed = ("qemu-aarch64", "llvm-profgen-22", "llvm-profdata-22", "ld.lld-22")
    absent = [tool for tool in needed if not shutil.which(tool)]
    return "needs " + " and ".join(absent) if absent else None


def main():
    if missing():
        print("skipped: %s" % missing())
        return 77
    every = [(program, version, probes, i) for i, program in enumerate((*PROGRAMS, NEWER)) for version in VERSIONS
             for probes in (True, False) if version >= program[3] and shutil.which("clang-%d" % version)]
    plans = _share.pick(every, lambda case: "newer" if case[0] == NEWER else case[0][0].split(" ")[0].strip(","))
    with tempfile.TemporaryDirectory() as where, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda i: check_case(plans[i], os.path.join(where, str(i))), range(len(plans))))
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("profiles", 0) >= _share.least(2500, plans), "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
