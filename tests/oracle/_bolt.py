# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that BOLT wrote with address translation tables, samples of their runs, and what BOLT makes of these, for
tests. Nothing here is code of anyprof, but the disassembler in branch_trace.

A test of profiles traces a program, has some tool make fdata or YAML of the samples, and asks `load` what llvm-bolt
sees in that for the program before BOLT; `compare` two answers."""

import os
import platform
import re
import shutil
import subprocess
import threading

ANYPROF = os.environ.get("ANYPROF", "anyprof")
BUILD = os.environ.get("ANYPROF_BUILD_DIR", os.path.dirname(ANYPROF))
TRACER = os.path.join(BUILD, "tests", "branch_trace")
HERE = os.path.dirname(os.path.abspath(__file__))
RELEASES = (15, 16, 19, 22)

MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include "shared.h"
static int twice(int x) { return x & 1 ? 2 * x + 1 : 2 * x; }
static __attribute__((noinline)) int local(int x) {
    int s = 0; for (int i = 0; i < x; i++) s += twice(i) ^ x; return s; }
__attribute__((noinline)) int pick(int kind, int x) {
    switch (kind) {
    case 0: return local(x); case 1: return other(x) + 1; case 2: return x * 7; case 3: return local(other(x));
    case 4: return twice(x) - x; case 5: return x ^ 0x55; case 6: return other(local(x) & 15);
    default: if (kind > 100) { fprintf(stderr, "kind %d\n", kind); if (x > 7) abort(); } return -x; } }
__attribute__((noinline)) int work(int n, int (*f)(int)) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 13 == 5) sum -= f(i); else sum += pick(i % 9, i);
        if (__builtin_expect(sum == 123456789, 0)) { fputs("never\n", stderr); exit(3); } }
    return sum; }
__attribute__((noinline)) int deep(int n) { return n < 2 ? n + far(n) : deep(n - 1) - deep(n - 2) / 2; }
__attribute__((noinline)) int hop(int x) { if (x % 3 == 0) return far(x + 1); return x > 20 ? other(x) : deep(x & 3); }
static int order(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    if (x == y) return 0;
    return x % 4 != y % 4 ? x % 4 - y % 4 : x < y ? -1 : 1; }
static int (*const steps[])(int) = {other, far, hop, deep};
__attribute__((noinline)) int walk(int n) {
    int a[24], s = 0;
    for (int i = 0; i < 24; i++) a[i] = steps[(i * 7 + n) % 5 % 4](i % 9);
    qsort(a, 24, sizeof *a, order);
    for (int i = 0; i < 24; i++) s = s * 3 + a[i];
    return s; }
int main(int argc, char **argv) {
    (void)argv; printf("%d %d\n", work(argc * 90, argc > 5 ? other : local), walk(argc) + hop(argc * 25)); return 0; }
"""
OTHER = r"""
#include "shared.h"
static __attribute__((noinline)) int local(int x) { return x > 3 ? x * x - 1 : x + 9; }
int other(int x) { int s = x; while (s > 20) s = s % 3 ? s / 2 : local(s) / 9; return s + local(x & 7); }
"""
# A file with the name of the one before, in another directory, with a function of the same name.
FAR = r"""
#include "../shared.h"
static __attribute__((noinline)) int local(int x) { int s = 1; while (x-- > 0) s += x & 2 ? s : -3; return s; }
int far(int x) { return x & 8 ? local(x) : local(x + 2) + 1; }
"""
SHARED = "int other(int);\nint far(int);\n"
# An interpreter with computed jumps, whose targets only relocations tell, and calls through a stub whose target another
# function chooses.
GOTO = r"""
#include <stdio.h>
__attribute__((noinline)) int step(const unsigned char *p, int n) {
    static void *const ops[] = {&&inc, &&dec, &&dbl, &&skip, &&loop, &&end};
    int a = 1; const unsigned char *s = p;
    goto *ops[*p];
inc: a++; p++; if (a > 1000000) a = 0; goto *ops[*p];
dec: a -= 3; p++; goto *ops[*p];
dbl: a *= 2; p++; goto *ops[*p];
skip: p += 1 + (a & 1); if (a == 77) puts("x"); goto *ops[*p];
loop: if (n-- > 0) { p = s; goto *ops[*p]; } p++; goto *ops[*p];
end: return a; }
static int once(int n) { return n * 3; }
static int (*choose(void))(int) { return once; }
int chosen(int) __attribute__((ifunc("choose")));
int main(int argc, char **argv) { static const unsigned char p[] = {0, 0, 2, 1, 3, 0, 2, 4, 5};
    (void)argv; printf("%d\n", step(p, argc * 50) + chosen(argc)); return 0; }
"""
CPP = r"""
#include <cstdio>
#include <stdexcept>
#include <string>
struct guard { int *p; ~guard() { ++*p; } };
static __attribute__((noinline)) int thrower(int x) { if (x % 7 == 3) throw std::runtime_error("x"); return x * 3; }
static __attribute__((noinline)) int local(int x, int *n) { guard g{n}; try { return thrower(x) + thrower(x + 1); }
    catch (const std::runtime_error &) { return -1; } }
template <class T> __attribute__((noinline)) T most(T a, T b) { return a > b ? a : b; }
struct shape { virtual int area(int x) { return thrower(x * 7); } virtual ~shape() {} };
struct square : shape { int area(int x) override { return x < 0 ? thrower(3) : x * x; } };
static __attribute__((noinline)) int total(shape *s, int n) {
    int sum = 0;
    for (int i = -2; i < n; i++) try { sum += s[0].area(i); } catch (const std::exception &) { sum += 1000; }
    return sum; }
static __attribute__((noinline)) int climb(int n, int *p) { /* calls itself where it may throw */
    guard g{p};
    if (n < 1) return thrower(n + 10);
    try { return climb(n - 1, p) + (n > 4 ? climb(n - 3, p) : 0); } catch (const std::runtime_error &) { return n; } }
static __attribute__((noinline)) int digits(int n, int *p) { /* libstdc++ calls that may throw, or do */
    guard g{p};
    try { std::string s = std::to_string(n) + "0123456789abc"; return s.at(n) + (int)s.size(); }
    catch (const std::out_of_range &) { return -n; } }
int main(int argc, char **) { int s = 0, n = 0; shape one; square two;
    for (int i = 0; i < 100 * argc; i++) s = most(s, local(i, &n)) + most<long>(i, s) % 3;
    for (int i = 0; i < 20 * argc; i++) s += digits(i, &n) + climb(1 + i % 6, &n);
    std::printf("%d %d %d\n", s, n, total(&one, argc * 5) + total(&two, argc * 9)); return 0; }
"""

# Without a libc: a program of another machine can be linked without a sysroot.
AARCH64 = r"""
#define APART __attribute__((noinline))
static int table[64]; static volatile int seed;
static APART int twice(int x) { return x & 1 ? 2 * x + seed : 2 * x; }
static APART int local(int x) { int s = 0; for (int i = 0; i < x; i++) s += twice(i) ^ table[i & 63]; return s; }
APART int many(int x) { switch (x) { case 0: return seed; case 1: return 7 * seed; case 2: seed += 3; return 1;
    case 3: return local(5); case 4: return twice(seed); case 5: seed = 0; return 9; case 6: return seed ^ 0x55;
    case 7: return table[seed & 63]; case 8: return seed / 3; default: return -x; } }
APART int pick(int kind, int x) {
    switch (kind) { case 0: return local(x & 15); case 1: seed += 3; return x + 1; case 2: return x * seed;
    case 3: return x ^ 0x55; default: return kind > 100 ? -x : twice(kind) + 1; } }
APART int deep(int n) { return n < 2 ? n + local(n) : deep(n - 1) - deep(n - 2) / 2; }
APART int hop(int x) { if (x % 3 == 0) return many(x & 7); return x > 20 ? local(x & 31) : deep(x & 3); }
APART int search(int n) { int low = 0, high = 63;
    while (low < high) { int m = (low + high) / 2; if (table[m] < n) low = m + 1; else high = m; }
    return table[low] == n ? low : -1; }
static int (*const steps[])(int) = {many, deep, hop, search};
APART int walk(int n) { int s = 0; for (int i = 0; i < n; i++) {
    if (i % 13 == 5) s -= steps[(i * 7 + n) & 3](i % 9); else s += pick(i & 7, i);
    if (__builtin_expect(s == 123456789, 0)) { seed = s; __builtin_trap(); } } return s; }
__asm__(".globl _start\n.type _start, %function\n_start: ldr x0, [sp]\n add x0, x0, #50\n bl walk\n"
        "mov x8, #93\n svc #0\n.size _start, . - _start");
"""
# Instructions that AArch64 got after version 8.0: atomic ones, vectors of any length, authenticated branches, branches
# with hints and comparisons; and computed jumps.
AARCH64_NEWER = AARCH64 + r"""
APART int change(int *p, int n) { int old = __atomic_fetch_add(p, n, __ATOMIC_SEQ_CST); if (old & 1)
    __atomic_compare_exchange_n(p, &old, n, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    return old > 3 ? __atomic_exchange_n(p, 5, __ATOMIC_RELEASE) : old; }
APART void scale(float *to, const float *from, int n) { for (int i = 0; i < n; i++) if (from[i] > 0)
    to[i] = from[i] * 3; else to[i] += 1; }
APART int step(const unsigned char *p, int n) {
    static void *const ops[] = {&&inc, &&dec, &&dbl, &&skip, &&loop, &&end};
    int a = 1; const unsigned char *s = p;
    goto *ops[*p];
inc: a++; p++; if (a > 1000000) a = 0; goto *ops[*p];
dec: a -= 3; p++; goto *ops[*p];
dbl: a *= 2; p++; goto *ops[*p];
skip: p += 1 + (a & 1); if (a == 77) a = hop(a); goto *ops[*p];
loop: if (n-- > 0) { p = s; goto *ops[*p]; } p++; goto *ops[*p];
end: return a; }
__asm__(".arch armv9.5-a+hbc+cmpbr\n.globl newer, tail\n.type newer, %function\nnewer: paciasp\n cmp w0, #3\n"
        "bc.eq 1f\n add w0, w0, #1\n blraaz x1\n1: blraa x2, x3\n cbgt w0, #5, 2f\n sub w0, w0, #1\n"
        "cbeq w0, w1, 1b\n swpal w4, w5, [x6]\n2: retaa\n.size newer, . - newer\n.type tail, %function\n"
        "tail: cbz x0, 1f\n braa x1, x2\n1: add w0, w0, #1\n nop\n braaz x3\n.size tail, . - tail");
"""


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False, **more)


def build(where):
    """Programs that BOLT can move functions of: {name: path}. Empty where no compiler or linker is there."""
    os.makedirs(os.path.join(where, "far"), exist_ok=True)
    for name, text in (("main.c", MAIN), ("other.c", OTHER), ("far/other.c", FAR), ("shared.h", SHARED),
                       ("exceptions.cpp", CPP)):
        with open(os.path.join(where, name), "w", encoding="utf-8") as f:
            f.write(text)
    compiler = next((c for c in ("clang-22", "clang-19", "clang-16", "clang") if shutil.which(c)), None)
    if not compiler or not shutil.which("ld.lld-22"):
        return {}
    common = ["-O2", "-g", "-Wl,-q", "--ld-path=" + shutil.which("ld.lld-22")]
    sources = ["main.c", "other.c", "far/other.c"]
    plans = {"fixed": (compiler, sources + ["-no-pie"]),
             "pie": (compiler, sources + ["-pie", "-fPIE"]),
             "exceptions": (compiler.replace("clang", "clang++"), ["exceptions.cpp", "-no-pie"])}
    programs = {}
    for name, (tool, words) in plans.items():
        path = os.path.join(where, name)
        done = run([tool] + common + words + ["-o", path], cwd=where)
        if done.returncode == 0:
            programs[name] = path
        else:
            print("not built: %s: %s" % (name, done.stderr.decode(errors="replace")[-300:]))
    return programs


def build_aarch64(where):
    """The same, for a machine that most likely is not this one: these cannot run."""
    source, path = os.path.join(where, "aarch64.c"), os.path.join(where, "aarch64")
    compiler = next((c for c in ("clang-22", "clang-19", "clang-16", "clang") if shutil.which(c)), None)
    linker = shutil.which("ld.lld-22")
    if not compiler or not linker:
        return {}
    with open(source, "w", encoding="utf-8") as f:
        f.write(AARCH64)
    words = ["--target=aarch64-linux-gnu", "-O2", "-ffreestanding", "-fno-stack-protector", "-nostdlib", "-static",
             "-Wl,-q", "--ld-path=" + linker, source, "-o", path]
    done = run([compiler] + words)
    if done.returncode != 0:
        print("not built: aarch64: %s" % done.stderr.decode(errors="replace")[-300:])
    return {"aarch64": path} if done.returncode == 0 else {}


def build_newer(where):
    """Programs with newer instructions of AArch64: {kind: path}."""
    source, linker, programs = os.path.join(where, "newer.c"), shutil.which("ld.lld-22"), {}
    with open(source, "w", encoding="utf-8") as f:
        f.write(AARCH64_NEWER)
    words = ["--target=aarch64-linux-gnu", "-O3", "-march=armv9-a", "-mbranch-protection=pac-ret+leaf",
             "-ffreestanding", "-fno-stack-protector", "-nostdlib", "-Wl,-q", "--ld-path=%s" % linker, source]
    for kind, more in (("fixed", ["-static"]), ("movable", ["-fPIE", "-pie"])):
        path = os.path.join(where, "newer-" + kind)
        if linker and shutil.which("clang-22") and run(["clang-22"] + words + more + ["-o", path]).returncode == 0:
            programs[kind] = path
        else:
            print("not built: newer AArch64, " + kind)
    return programs


def assemble(where):
    """A program of functions whose blocks are hard to find, which cannot be run: its path. None: not built."""
    compiler = next((c for c in ("clang-22", "clang-19", "clang") if shutil.which(c)), None)
    if platform.machine() != "x86_64" or not compiler or not shutil.which("ld.lld-22"):
        return None
    path = os.path.join(where, "assembly")
    check_run([compiler, os.path.join(HERE, "bolt", "flow.s"), "-nostdlib", "-no-pie", "-Wl,-q",
               "--ld-path=" + shutil.which("ld.lld-22"), "-o", path])
    return path


def build_whole(where):
    """Programs that BOLT has not changed: {compiler, kind, relocations: path}."""
    programs = {}
    build(where)  # for the sources
    sources = [os.path.join(where, name) for name in ("main.c", "other.c", "far/other.c")]
    with open(os.path.join(where, "goto.c"), "w", encoding="utf-8") as f:
        f.write(GOTO)
    kinds = {"computed, fixed": ([os.path.join(where, "goto.c")], ["-no-pie"]),
             "computed, movable": ([os.path.join(where, "goto.c")], ["-pie", "-fPIE"]),
             "fixed": (sources, ["-no-pie"]), "movable": (sources, ["-pie", "-fPIE"]),
             "exceptions": ([os.path.join(where, "exceptions.cpp")], ["-pie", "-fPIE"])}
    for compiler in ("gcc", "clang-22"):
        for kind, (files, words) in kinds.items():
            tool = compiler.replace("gcc", "g++").replace("clang", "clang++") if kind == "exceptions" else compiler
            for relocations in ("with relocations", "without relocations"):
                what = "%s, %s, %s" % (compiler, kind, relocations)
                more = ["-Wl,-q"] if relocations == "with relocations" else []
                path = os.path.join(where, what.replace(", ", "-").replace(" ", "-"))
                if shutil.which(tool) and run([tool, "-O2"] + words + more + files + ["-o", path]).returncode == 0:
                    programs[what] = path
                else:
                    print("not built: " + what)
    for what, path in build_aarch64(where).items():
        programs["clang, AArch64, with relocations"] = path
    for kind, path in build_newer(where).items():
        programs["clang, newer AArch64, %s, with relocations" % kind] = path
    if assemble(where):
        programs["clang, assembly, with relocations"] = os.path.join(where, "assembly")
    return programs


OPTIONS = {
    "plain": [],
    "reordered": ["--reorder-blocks=reverse", "--reorder-functions=none"],
    "split": ["--split-functions", "--split-strategy=randomN", "--bolt-seed=7"],
    "split in two": ["--split-functions", "--split-strategy=random2", "--bolt-seed=3", "--split-eh"],
    "all": ["--split-functions", "--split-strategy=all"],
    "in place": ["--relocs=0"],
    "folded": ["--icf=1", "--inline-small-functions"],
}


ASSEMBLY = "[tpnx][0-9],split.*,reached,unseen,unres,ctc,loopy,past,inner,mid.*,pops,bad,sizeless"
# BOLT leaves some functions alone: they have no table.
UNTOUCHED = {
    "skipped": ["--skip-funcs=work,deep,walk,local.*,order.*,_ZL.*,_ZN.*," + ASSEMBLY],
    "all but few": ["--funcs=pick,main,_ZL5total.*,other,_start", "--reorder-blocks=reverse"],
    "skipped, in place": ["--relocs=0", "--skip-funcs=pick,hop,far,_ZL[a-f0-9].*," + ASSEMBLY],
}

# What BOLT 15 has for --split-strategy.
COLD_15 = ["--split-functions", "--split-all-cold", "--split-eh", "--reorder-blocks=reverse"]


def options_of(release, kind):
    """The words of OPTIONS for a release; None where it knows no such thing."""
    if release < 16 and kind.startswith(("split", "all")):
        return COLD_15 if kind == "split" else None
    return OPTIONS[kind]


def bolt(release, program, options, output):
    """Whether BOLT made it; else why not."""
    done = run(["llvm-bolt-%d" % release, program, "-o", output, "--enable-bat"] + options)
    if done.returncode != 0:
        return (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()[-1:]
    return None


class Failed(Exception):
    """A tool that had to work did not."""


def check_run(command, **more):
    done = run(command, **more)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
        raise Failed("%s: exit %d: %s" % (" ".join(command), done.returncode, " | ".join(said[-3:])))
    return (done.stdout + done.stderr).decode(errors="replace")


# ---- samples ----

# Kinds of samples: traces of LLVM 22, branches and fall-throughs, the same for older releases, basic ones (for --ba).
KINDS = {"T": "-T", "B": "-B", "old": "-O", "basic": "-S"}


def can_trace():
    """None, or why not."""
    if not os.path.exists(TRACER):
        return "no branch_trace in this build"
    done = run([TRACER, "/bin/true"])
    return "no process may be traced here" if done.returncode == 77 else None


def trace(program, prefix, words=(), every=1):
    """Runs a program and writes its samples beside `prefix`: {kind of KINDS: path}. Basic samples are of every so many
    instructions. The file is the same each time."""
    files = {kind: "%s.%s" % (prefix, kind) for kind in KINDS}
    options = [word for kind, option in KINDS.items() for word in (option, files[kind])]
    check_run([TRACER, "-n", str(every)] + options + ["--", program] + list(words))
    return files


def sample_kind(release):
    """The newest kind of branch samples that perf2bolt of a release reads."""
    return "T" if release >= 22 else "old"


def elsewhere(path, output, address=0x7ffff7c29d90, returns=True):
    """The same samples with addresses for code outside the program's file, as a recorder of branches has them:
    `output`. Returns have another one than calls: for perf2bolt-22 a branch that returns once always does. Without
    `returns`, they are T, as of a recorder that knows nothing of what is outside."""
    with open(path, encoding="ascii") as f, open(output, "w", encoding="ascii") as g:
        for line in f:
            letter, *words = line.split()
            places = {"T": 3, "R": 3, "S": 1}.get(letter, 2)
            here = address + 16 if letter == "R" and returns else address
            if letter == "R" and words[0] == "0" and not returns:
                letter = "T"
            words[:places] = ["%x" % here if word == "0" else word for word in words[:places]]
            g.write(" ".join([letter] + words) + "\n")
    return output


# ---- BOLT's own conversion ----

BRANCHES = ("j", "call", "ret", "b", "cbz", "cbnz", "tbz", "tbnz")


def read_code(program):
    """The addresses of the instructions of each function, and (address, target or None) of the branches."""
    functions, branches, current = [], [], None
    said = run(["llvm-objdump-22", "-d", "--no-show-raw-insn", program]).stdout.decode(errors="replace")
    for line in said.splitlines():
        if re.match("[0-9a-f]+ <", line):
            current = []
            functions.append(current)
            continue
        found = re.match(r" *([0-9a-f]+):\s*(\S+)\s*(.*)$", line)
        if not found or current is None:
            continue
        current.append(int(found[1], 16))
        if found[2].startswith(BRANCHES):
            target = re.search("0x([0-9a-f]+) <", found[3])
            branches.append((current[-1], int(target[1], 16) if target else None))
    return [f for f in functions if f], branches


def perf2bolt(release, program, samples, fdata, yaml=None, options=()):
    """fdata of pre-aggregated samples, and YAML (22). What was printed."""
    words = [program, "--pa", "-p", samples, "-o", fdata] + (["-w", yaml] if yaml else []) + list(options)
    # Older ones are llvm-bolt under any other name, perf2bolt-16 among them.
    return check_run(["perf2bolt"] + words, executable=shutil.which("perf2bolt-%d" % release))


def load(original, profile, yaml):
    """Returns the Profile that llvm-bolt-22 reads from fdata or YAML for a program that BOLT has not changed. Its own
    YAML stays in the file `yaml`."""
    check_run(["llvm-bolt-22", original, "-data", profile, "-w", yaml, "-o", "/dev/null"])
    return read_yaml(yaml)


class Profile:
    """Counts of one program. Functions by name; edges by (function, block, block), calls by (function, block, offset in
    the block, number of the callee, its entry): (count, mispredictions). No zero counts. Numbers of callees (`names`
    has their names) are of one program: before BOLT and after they differ."""

    def __init__(self):
        self.executions, self.entries, self.edges, self.calls, self.blocks = {}, {}, {}, {}, {}
        self.names, self.hashes = {}, {}


def _records(text):
    """`[ { bid: 1, cnt: 3 }, ... ]`"""
    for body in re.findall(r"\{([^}]*)\}", text):
        yield {k: v if v in ("true", "false") else int(v, 0) for k, v in re.findall(r"(\w+): *(\w+)", body)}


def _add(table, key, record):
    count, wrong = record.get("cnt", 0), record.get("mis", 0)
    if count or wrong:
        before = table.get(key, (0, 0))
        table[key] = (before[0] + count, before[1] + wrong)


def read_yaml(path):
    """A Profile of BOLT's YAML. Numbers of blocks, functions and offsets as they are in the file."""
    profile, name, block = Profile(), None, 0
    with open(path, encoding="utf-8") as f:
        for line in f:
            # One key a line, and no line is broken: BOLT writes it so.
            key, _, value = line.strip().removeprefix("- ").strip().partition(":")
            value = value.strip()
            if line.startswith("  - name:"):
                name = value[1:-1].replace("''", "'") if value[:1] == "'" else value
            elif line.startswith("    ") and name is not None:
                inside = line.startswith("      ")
                if key == "bid":
                    block = int(value)
                elif key == "fid":
                    profile.names[int(value)] = name
                elif key == "hash" and not inside:
                    profile.hashes[name] = int(value, 16)
                elif key in ("exec", "extern") and int(value):
                    table = profile.blocks if inside else profile.executions if key == "exec" else profile.entries
                    table[(name, block) if inside else name] = int(value)
                elif key == "succ":
                    for r in _records(value):
                        _add(profile.edges, (name, block, r["bid"]), r)
                elif key == "calls":
                    for r in _records(value):
                        _add(profile.calls, (name, block, r["off"], r["fid"], r.get("disc", 0)), r)
    return profile


# ---- two results ----

class Comparison:
    """`equal`: how many are, by what is compared (the keys below). `differ`: (what, key as in Profile, left, right).
    `one_sided`: how many edges have mispredictions in one profile only, where that is allowed."""

    def __init__(self, names):
        self.equal = {"functions": 0, "entries": 0, "blocks": 0, "edges": 0, "calls": 0, "mispredictions": 0}
        self.differ = []
        self.one_sided = 0
        self.names = names

    def __str__(self):
        texts = ["%s: %s: %s and %s" % (what, place(key, self.names), x, y) for what, key, x, y in self.differ]
        return "%d differ: %s" % (len(texts), "; ".join(texts[:6])) if texts else "equal"


def place(key, names):
    if isinstance(key, str):
        return key
    if len(key) == 2:
        return "%s block %d" % key
    if len(key) == 3:
        return "%s %d->%d" % key
    name, block, offset, callee, entry = key
    to = names.get(callee, "function %d" % callee) if callee else "unknown"
    return "%s block %d+0x%x calls %s%s" % (name, block, offset, to, " entry %d" % entry if entry else "")


def compare(a, b, layouts_differ=False, entries=True, secondary=True):
    """Two Profiles of one program, exactly: a Comparison.

    layouts_differ: the samples are of runs of different layouts. An edge can be a taken branch in one, which may be
      mispredicted, and be fallen through in the other, where it cannot: mispredictions may be 0 on one side.
    entries: also how often functions were entered from outside, which BOLT does not keep when it reads YAML.
    secondary: also which entry of a function is called, which fdata does not say."""
    result = Comparison({**a.names, **b.names})

    def table(what, left, right):
        for key in sorted(set(left) | set(right)):
            x, y = left.get(key, 0), right.get(key, 0)
            if x == y:
                result.equal[what] += 1
            else:
                result.differ.append((what, key, x, y))

    def merged(calls):
        out = {}
        for key, value in calls.items():
            key = key if secondary else key[:4] + (0,)
            out[key] = tuple(map(sum, zip(value, out.get(key, (0, 0)))))
        return out

    table("functions", a.executions, b.executions)
    table("blocks", a.blocks, b.blocks)
    if entries:
        table("entries", a.entries, b.entries)
    for what, left, right in (("edges", a.edges, b.edges), ("calls", merged(a.calls), merged(b.calls))):
        table(what, {k: v[0] for k, v in left.items() if v[0]}, {k: v[0] for k, v in right.items() if v[0]})
        for key in sorted(set(left) | set(right)):
            x, y = left.get(key, (0, 0))[1], right.get(key, (0, 0))[1]
            if x == y:
                result.equal["mispredictions"] += bool(x)
            elif layouts_differ and what == "edges" and 0 in (x, y):
                result.one_sided += 1
            else:
                result.differ.append(("mispredictions", key, x, y))
    return result


def read_fdata(path):
    """The headers, and {(from, to) as text: (mispredictions, count)}, {place: count} where there are no branches."""
    headers, records = [], {}
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f.read().splitlines():
            if line.split(" ")[0] in ("boltedcollection", "no_lbr"):
                headers.append(line)
                continue
            fields = re.findall(r"(?:\\.|[^ \\])+", line)
            branch = len(fields) > 4 and fields[0] in "012"
            key = (" ".join(fields[:3]), " ".join(fields[3:6])) if len(fields) > 4 else " ".join(fields[:3])
            value = (int(fields[-2]), int(fields[-1])) if branch else int(fields[-1])
            if key in records:
                value = tuple(map(sum, zip(value, records[key]))) if branch else value + records[key]
            records[key] = value
    return headers, records


def compare_fdata(left, right):
    """Two fdata files record by record, in whatever order: how many are equal, and what differs as texts."""
    (headers, a), (others, b) = read_fdata(left), read_fdata(right)
    differ = [] if headers == others else ["headers: %s and %s" % (headers, others)]
    for key in sorted(set(a) | set(b), key=str):
        if a.get(key) != b.get(key):
            what = key if isinstance(key, str) else " -> ".join(key)
            differ.append("%s: %s and %s" % (what, a.get(key), b.get(key)))
    return sum(b.get(key) == value for key, value in a.items()), differ


# ---- the test itself ----

class Tally:
    """Counts of comparisons, and failures, of all threads."""

    def __init__(self):
        self.counts, self.failures, self.lock = {}, [], threading.Lock()

    def count(self, what, n=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + n

    def check(self, condition, text):
        if not condition:
            with self.lock:
                self.failures.append(text)
                print("FAILED: " + text)
        return condition
