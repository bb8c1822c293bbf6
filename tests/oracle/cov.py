#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cov export` and `cov report --compat=llvm-22` beside llvm-cov-22, byte for byte: on programs that each clang builds
here, in C and C++, with macros, templates, exceptions, headers, MC/DC, single-byte counters, optimization, shared
libraries, objects and archives; and on the twins of the corpus. The same profile, raw, gives the same."""

import json
import os
import shlex
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _profiles as p  # noqa: E402  (found through the line before)

CORPUS = os.path.join(os.environ.get("ANYPROF_CORPUS", ""), "cov")
CLANGS = [c for c in (13, 14, 15, 16, 19, 22)
          if all(shutil.which(f"{tool}-{c}") for tool in ("clang", "llvm-profdata"))]
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
# name, sources, flags, from which clang on
PROGRAMS = [
    ("c", ["c.c"], [], 13),
    ("optimized", ["c.c"], ["-O2"], 13),
    ("cxx", ["cxx.cc"], ["-std=c++17"], 13),
    ("mcdc", ["c.c"], ["-fcoverage-mcdc"], 19),
    ("mcdc-cxx", ["cxx.cc"], ["-std=c++17", "-fcoverage-mcdc"], 19),
    ("relative", ["c.c"], ["-fcoverage-compilation-dir=."], 13),
    ("one-byte", ["cxx.cc"], ["-std=c++17", "-mllvm", "-enable-single-byte-coverage"], 19),
    ("32-bit", ["c.c"], ["-m32"], 13),
]


def outputs(program, profile, options=()):
    """Commands of llvm-cov, and what is the same of anyprof's."""
    base = [program, f"-instr-profile={profile}", *options]
    for words in (["export"], ["export", "-skip-expansions"], ["export", "-summary-only"],
                  ["export", "-skip-functions"], ["export", "-format=lcov"],
                  ["export", "-format=lcov", "-summary-only"],
                  ["export", "-format=lcov", "-unify-instantiations=false", "-skip-branches"],
                  ["export", "-ignore-filename-regex=shared"],
                  ["report"], ["report", "-show-instantiation-summary", "-show-mcdc-summary"],
                  ["report", "-show-branch-summary=false", "-show-region-summary=false"],
                  ["show"], ["show", "-show-regions"], ["show", "-show-branches=percent"],
                  ["show", "-show-line-counts-or-regions", "-show-instantiations=false"],
                  ["show", "-show-branches=count", "-show-expansions", "-show-regions", "-show-line-counts",
                   "-show-mcdc"]):
        yield [words[0], *base, *words[1:]]


def compare(report, name, command, cwd=None):
    want = p.run([LLVM_COV, *command], cwd=cwd)
    got = p.anyprof("cov", *command, "--compat=llvm-22", cwd=cwd)
    report.same(f"{name}: {' '.join(command[:1] + command[3:])}", (got.code, got.out), (want.code, want.out))
    return got


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


def check_programs(report, directory):
    for clang in CLANGS:
        for name, sources, flags, since in PROGRAMS:
            made = build(report, clang, directory, name, sources, flags) if clang >= since else None
            if not made:
                continue
            program, raw, indexed = made
            if not indexed:
                for words in (["export"], ["report"]):
                    compare(report, f"{name}-{clang}", [words[0], program, "-empty-profile"])
                continue
            for command in outputs(program, indexed):
                compare(report, f"{name}-{clang}", command, cwd=directory)
            source = os.path.join(directory, sources[0])
            if name != "relative": # its names are not those of llvm-cov's arguments
                compare(report, f"{name}-{clang}",
                        ["report", program, f"-instr-profile={indexed}", "-show-functions", source], cwd=directory)
            functions = p.anyprof("cov", "report", program, f"--profile={indexed}", "--show-functions", sources[0],
                                  cwd=directory)
            report.check(f"{name}-{clang}: by a relative name", functions.code == 0 and b"TOTAL" in functions.out)
            straight = [p.anyprof("cov", "export", program, f"--profile={path}", cwd=directory).out
                        for path in (raw, indexed)]
            report.same(f"{name}-{clang}: raw", straight[0], straight[1])


def check_library(report, directory):
    """A program with a shared library; objects; archives: llvm-cov reads none that has a member without coverage."""
    clang = CLANGS[-1]
    flags = ["-fprofile-instr-generate", "-fcoverage-mapping"]
    run = lambda *words: report.check(" ".join(words[:3]), p.run(list(words), cwd=directory).code == 0)  # noqa: E731
    run(f"clang-{clang}", *flags, "-shared", "-fPIC", "dso.c", "-o", "libdso.so")
    run(f"clang-{clang}", *flags, "main.c", "-L.", "-ldso", "-Wl,-rpath," + directory, "-o", "whole")
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, "whole.profraw")
    run(os.path.join(directory, "whole"))
    run(f"llvm-profdata-{clang}", "merge", "whole.profraw", "-o", "whole.profdata")
    for command in outputs("whole", "whole.profdata", ["-object=libdso.so"]):
        compare(report, "program and library", command, cwd=directory)
    for source in ("main", "dso"):
        run(f"clang-{clang}", *flags, "-c", source + ".c", "-o", source + ".o")
    run(f"clang-{clang}", "-c", "-x", "c", "/dev/null", "-o", "none.o")
    run(f"llvm-ar-{clang}", "rc", "both.a", "main.o", "dso.o")
    run(f"llvm-ar-{clang}", "rcT", "thin.a", "main.o", "dso.o")
    run(f"llvm-ar-{clang}", "rc", "mixed.a", "main.o", "none.o", "dso.o")
    for archive in ("main.o", "both.a", "thin.a"):
        for command in outputs(archive, "whole.profdata"):
            compare(report, archive, command, cwd=directory)
    whole = p.anyprof("cov", "export", "both.a", "--profile=whole.profdata", cwd=directory).out
    mixed = p.anyprof("cov", "export", "mixed.a", "--profile=whole.profdata", cwd=directory)
    report.same("an archive with a member without coverage", mixed.out, whole)
    report.check("which is noted", b"1 object has no coverage" in mixed.err, mixed.errors())
    refused = p.anyprof("cov", "export", "mixed.a", "--profile=whole.profdata", "--compat=llvm-22", cwd=directory)
    report.check("as llvm-cov reads it", refused.code == 1 and b"no coverage data found" in refused.err,
                 refused.errors())


def check_shown_twin(report, case, made, profile):
    """The source code of a case, which is in the corpus, too."""
    twin = os.path.join(CORPUS, case, "22.show")
    if not os.path.exists(twin):
        return
    sources = os.path.join(CORPUS, case, "src")
    if not os.path.isdir(sources):
        sources = os.path.join(CORPUS, "src")
    options = [word for word in shlex.split(made["options"]) if not word.startswith(("-skip", "-summary", "-unify"))]
    got = p.anyprof("cov", "show", made["objects"][0], *(f"--object={path}" for path in made["objects"][1:]), profile,
                    "--compat=llvm-22", *options, "--show-branches=count", "--show-expansions", "--show-regions",
                    "--show-line-counts", "--show-mcdc", "--path-equivalence=/src," + sources,
                    cwd=os.path.join(CORPUS, case))
    with open(twin, "rb") as file:
        report.same(f"{case}: show", got.out, file.read())


def check_name(report, directory):
    """The command under the name of LLVM's."""
    tool = os.path.join(directory, "llvm-cov")
    os.symlink(os.environ["ANYPROF"], tool)
    for words in (["export"], ["report"], ["show", "-show-regions"]):
        command = [words[0], "whole", "-object=libdso.so", "-instr-profile=whole.profdata", *words[1:]]
        got, want = (p.run([program, *command], cwd=directory) for program in (tool, LLVM_COV))
        report.same(f"llvm-cov {words}", (got.code, got.out, got.err), (want.code, want.out, want.err))
    for words in ([], ["nothing"], ["report"], ["report", "whole"], ["report", "whole", "-instr-profile=none"]):
        report.same(f"llvm-cov {words}: exit code", p.run([tool, *words], cwd=directory).code, 1)
    report.same("llvm-cov --help", p.run([tool, "--help"]).code, 0)
    report.check("llvm-cov --version", b"works as llvm-cov" in p.run([tool, "--version"]).out)


def check_twins(report):
    for case in sorted(os.listdir(CORPUS)):
        directory = os.path.join(CORPUS, case)
        if not os.path.exists(os.path.join(directory, "cmd")):
            continue
        with open(os.path.join(directory, "cmd"), encoding="utf-8") as file:
            made = json.load(file)
        profile = f"--instr-profile={made['profile']}" if made["profile"] else "--empty-profile"
        words = [made["objects"][0], *(f"--object={path}" for path in made["objects"][1:]), profile,
                 "--compat=llvm-22", *shlex.split(made["options"])]
        check_shown_twin(report, case, made, profile)
        for end, command in (("json", ["export"]), ("lcov", ["export", "--format=lcov"]),
                             ("report", ["report", "--show-instantiation-summary", "--show-mcdc-summary"])):
            twin = os.path.join(directory, f"22.{end}")
            got = p.anyprof("cov", *command, *words, cwd=directory)
            if os.path.exists(twin):
                with open(twin, "rb") as file:
                    report.same(f"{case}: {end}", got.out, file.read())
            elif os.path.exists(os.path.join(directory, "22.err")):
                report.same(f"{case}: {end}: exit code", got.code, 1)


def check_hostile(report):
    """Files on which llvm-cov crashes, hangs or fills the memory."""
    directory = os.path.join(CORPUS, "hostile")
    for name in sorted(os.listdir(directory)):
        if name in ("profdata", "llvm22.txt"):
            continue
        for words in (["export"], ["export", "--format=lcov"], ["report"]):
            for compat in ([], ["--compat=llvm-22"]):
                got = p.run([os.environ["ANYPROF"], "cov", *words, name, "--profile=profdata", *compat], timeout=20,
                            cwd=directory)
                report.check(f"hostile/{name} {words} {compat}", got.code in (0, 1), got.errors())


def main():
    if not LLVM_COV or not CLANGS:
        p.skip("no llvm-cov-22, or no clang")
    report = p.Report(floor=60 * len(CLANGS))
    with p.work_directory() as directory:
        for name, text in (("shared.h", HEADER), ("c.c", C_SOURCE), ("cxx.cc", CXX_SOURCE), ("dso.c", DSO_SOURCE),
                           ("main.c", MAIN_SOURCE)):
            with open(os.path.join(directory, name), "w", encoding="ascii") as file:
                file.write(text)
        check_programs(report, directory)
        check_library(report, directory)
        check_name(report, directory)
    if os.path.isdir(CORPUS):
        check_twins(report)
        check_hostile(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
