# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `cov` share: programs with coverage, how each clang builds and runs them, and the comparison with
llvm-cov-22, byte for byte."""

import os
import shutil

import _profiles as p

CLANGS = [c for c in p.RELEASES if all(shutil.which(f"{tool}-{c}") for tool in ("clang", "llvm-profdata"))]
LLVM_COV = shutil.which("llvm-cov-22")

HEADER = """
#define TWICE(x) ((x) > 3 ? (x) * 2 : (x))
#define BOTH(a, b) (TWICE(a) && (b) ? 1 : TWICE(b))
static inline int shared(int x) { return x > 2 && x < 9 ? x : -x; }
static inline int unused(int x) { if (x) return 1; return 2; }
"""
C_SOURCE = """
#include "shared.h"
int choose(int x)
{
    switch (x) {
    case 0: return 1;
    case 1:
    case 2: x += 2; /* fallthrough */
    default:
        if (x > 4 || x == 3) return x;
    }
    return 0;
}
#if 0
int skipped(void) { return 1; }
#endif
static int loop(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) { if (i % 3 == 0) continue; if (i > 7) break; s += i ? TWICE(i) : BOTH(i, n); }
    while (n-- > 0) { s ^= n & 1 ? 3 : 5; do { s++; } while (s % 7); }
    return s;
}
int never(int x) { return x ? TWICE(x) : 0; }
#line 100 "made.y"
int made(int x) { return x && 1 ? x : 2; }
int main(int argc, char **argv)
{
    int s = 0;
    for (int i = 0; i < 12; i++) s += choose(i) + loop(i) + shared(i) + made(argc - 1);
    return s == 1 ? 7 : (argv[0] != 0 ? 0 : 1);
}
"""
CXX_SOURCE = """
#include "shared.h"
template <class T> T largest(T a, T b) { if (a > b) return a; return b; }
template <int N> int power(int x) { if constexpr (N == 0) return 1; else return x * power<N - 1>(x); }
struct Base { virtual ~Base() {} virtual int f(int x) { return x; } };
struct Derived : Base { int f(int x) override { try { if (x > 2) throw x; return x; } catch (int y) { return -y; } } };
static int apply(int (*g)(int), int x) { return g ? g(x) : 0; }
namespace { int hidden(int x) { return x > 1 ? x : 1; } }
int main()
{
    Derived d;
    Base b;
    int s = 0;
    for (int i = 0; i < 5; ++i) {
        Base &r = i % 2 ? static_cast<Base &>(d) : b;
        s += r.f(i) + largest(i, 3) + static_cast<int>(largest(1.5 * i, 2.0)) + power<3>(i);
        s += apply([](int x) { return x > 2 || x == 1 ? x : 0; }, i) + hidden(i) + shared(i);
    }
    return s == -1;
}
"""
DSO_SOURCE = """
#include "shared.h"
int from_library(int x) { return shared(x) > 0 || x == 5 ? TWICE(x) : 0; }
"""
MAIN_SOURCE = """
#include "shared.h"
int from_library(int);
int main(int argc, char **argv) { (void)argv; return from_library(argc) + shared(4) == 99; }
"""
COMMENTS_SOURCE = """
#define SKIP() /* in a macro */ \\
    do { /* of a loop */ if (0) {} } while (0)
int comments(int x)
{
    /* a line of its own */
    int y = 0; /* after code
       and before code */ if (x) y++;
    /* before code */ if (x > 1) { y += 2; }
#if 0
    y = 7;
#endif
    if (x) { y++; } /* c */ /* d */ else { y--; } // e
    return y;
    /* dead code */ y = 3; if (y) return 2; while (x) { y++; }
}
int constants(int x, int y)
{
    SKIP();
    if (x || 0) y += 2;
    return (x && 1) || (y && 0) ? x : /* else */ y;
}
int main(int argc, char **argv)
{
    return comments(argc) + constants(argc, argv[0] != 0) + constants(argc - 1, 0) == 99;
}
"""
SOURCES = {
    "shared.h": HEADER,
    "c.c": C_SOURCE,
    "cxx.cc": CXX_SOURCE,
    "dso.c": DSO_SOURCE,
    "main.c": MAIN_SOURCE,
    "comments.c": COMMENTS_SOURCE,
}
# name, sources, flags, from which clang on
PROGRAMS = [
    ("c", ["c.c"], [], 13),
    ("optimized", ["c.c"], ["-O2"], 13),
    ("cxx", ["cxx.cc"], ["-std=c++17"], 13),
    ("mcdc", ["c.c"], ["-fcoverage-mcdc"], 19),
    ("mcdc-cxx", ["cxx.cc"], ["-std=c++17", "-fcoverage-mcdc"], 19),
    ("relative", ["c.c"], ["-fcoverage-compilation-dir=."], 13),
    ("dots", ["./up/.././comments.c"], ["-fcoverage-compilation-dir=."], 13),
    ("comments", ["comments.c"], [], 13),
    ("mcdc-constants", ["comments.c"], ["-fcoverage-mcdc"], 19),
    ("one-byte", ["cxx.cc"], ["-std=c++17", "-mllvm", "-enable-single-byte-coverage"], 19),
    ("32-bit", ["c.c"], ["-m32"], 13),
]


def write_sources(directory):
    os.mkdir(os.path.join(directory, "up"))
    for name, text in SOURCES.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)


OUTPUTS = [
    ["export"], ["export", "-skip-expansions"], ["export", "-summary-only"], ["export", "-skip-functions"],
    ["export", "-format=lcov"], ["export", "-format=lcov", "-summary-only"],
    ["export", "-format=lcov", "-unify-instantiations=false", "-skip-branches"],
    ["export", "-ignore-filename-regex=shared"],
    ["report"], ["report", "-show-instantiation-summary", "-show-mcdc-summary"],
    ["report", "-show-branch-summary=false", "-show-region-summary=false"],
    ["show"], ["show", "-show-regions"], ["show", "-show-branches=percent"],
    ["show", "-show-line-counts-or-regions", "-show-instantiations=false"],
    ["show", "-show-branches=count", "-show-expansions", "-show-regions", "-show-line-counts", "-show-mcdc"],
    ["show", "-binary-counters", "-show-regions", "-show-line-counts", "-show-branches=count", "-num-threads=2"],
    ["show", "-Xdemangler=llvm-cxxfilt-22", "-Xdemangler=-n"],
    ["show", "-name=main", "-name-regex=^_Z.*l", "-show-expansions"], ["report", "-name=main"],
    ["show", "-line-coverage-lt=60", "-region-coverage-gt=90", "-show-branches=count"],
    ["show", "-name=a", "-line-coverage-gt=50", "-region-coverage-lt=20", "-show-mcdc"],
]
WHOLE_OUTPUTS = [OUTPUTS[0], OUTPUTS[4], OUTPUTS[9], OUTPUTS[-1]]


def outputs(program, profile, options=(), kinds=OUTPUTS):
    """Commands of llvm-cov, and what is the same of anyprof's."""
    for words in kinds:
        yield [words[0], program, f"-instr-profile={profile}", *options, *words[1:]]


def compare(report, name, commands, cwd=None):
    """Commands of llvm-cov-22 and the same of anyprof, with different numbers of threads."""

    def both(command):
        threads = f"-j{1 + commands.index(command) % 3 * 3}"
        return (p.anyprof("cov", *command, "--compat=llvm-22", threads, cwd=cwd), p.run([LLVM_COV, *command], cwd=cwd))

    commands = list(commands)
    for command, (got, want) in zip(commands, p.in_parallel(both, commands)):
        report.same(f"{name}: {' '.join(command[:1] + command[3:])}", (got.code, got.out), (want.code, want.out))


def build(report, clang, directory, name, sources, flags):
    """The program and its profile, raw and indexed; None: it cannot be built or run here."""
    program = os.path.join(directory, f"{name}-{clang}")
    compiler = f"clang{'++' if sources[0].endswith('.cc') else ''}-{clang}"
    if not shutil.which(compiler):
        compiler = f"clang-{clang}"
    flags = [*flags, "-fprofile-instr-generate", "-fcoverage-mapping"]
    if "-m32" in flags:
        flags += ["-nostdinc", "-nostdlib", "-c"]
    libraries = ["-lstdc++"] if sources[0].endswith(".cc") else []
    built = p.run([compiler, *flags, *sources, "-o", program, *libraries], cwd=directory)
    if not report.check(f"{name}-{clang} is built", built.code == 0, built.errors()):
        return None
    if "-m32" in flags:
        return program, None, None
    os.environ["LLVM_PROFILE_FILE"] = raw = program + ".profraw"
    report.check(f"{name}-{clang} runs", p.run([program], cwd=directory).code == 0)
    indexed = program + ".profdata"
    merged = p.run([f"llvm-profdata-{clang}", "merge", raw, "-o", indexed])
    report.check(f"{name}-{clang} is merged", merged.code == 0, merged.errors())
    return program, raw, indexed
