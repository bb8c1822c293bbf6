# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that BOLT wrote with address translation tables, for tests. Nothing here is code of anyprof."""

import os
import shutil
import subprocess

ANYPROF = os.environ.get("ANYPROF", "anyprof")
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
# Of the same name as the file before, in another directory, with a function of the same name.
FAR = r"""
#include "../shared.h"
static __attribute__((noinline)) int local(int x) { int s = 1; while (x-- > 0) s += x & 2 ? s : -3; return s; }
int far(int x) { return x & 8 ? local(x) : local(x + 2) + 1; }
"""
SHARED = "int other(int);\nint far(int);\n"
CPP = r"""
#include <cstdio>
#include <stdexcept>
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
int main(int argc, char **) { int s = 0, n = 0; shape one; square two;
    for (int i = 0; i < 100 * argc; i++) s = most(s, local(i, &n)) + most<long>(i, s) % 3;
    std::printf("%d %d %d\n", s, n, total(&one, argc * 5) + total(&two, argc * 9)); return 0; }
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


OPTIONS = {
    "plain": [],
    "reordered": ["--reorder-blocks=reverse", "--reorder-functions=none"],
    "split": ["--split-functions", "--split-strategy=randomN", "--bolt-seed=7"],
    "split in two": ["--split-functions", "--split-strategy=random2", "--bolt-seed=3", "--split-eh"],
    "all": ["--split-functions", "--split-strategy=all"],
    "in place": ["--relocs=0"],
    "folded": ["--icf=1", "--inline-small-functions"],
}


def bolt(release, program, options, output):
    """Whether BOLT made it; else why not."""
    done = run(["llvm-bolt-%d" % release, program, "-o", output, "--enable-bat"] + options)
    if done.returncode != 0:
        return (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()[-1:]
    return None
