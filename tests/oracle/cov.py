#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cov export` and `cov report --compat=llvm-22` beside llvm-cov-22, byte for byte: on programs that each clang builds
here, in C and C++, with macros, templates, exceptions, headers, MC/DC, single-byte counters, optimization, shared
libraries, objects and archives; and on the twins of the corpus. The same profile, raw, gives the same."""

import json
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _coverage as c  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402

sys.path.insert(0, os.path.join(p.SOURCE, "fuzz"))
import _cov_seeds as seeds  # noqa: E402

# Those that fuzzing begins with that llvm-cov-22 neither refuses for their containers nor crashes or hangs on.
SEEDS = ("coff-big", "names-of-correlation", "version-1", "version-2", "version-3", "version-4", "version-5",
         "version-1-32", "version-2-big", "version-8", "covtest-old", "counters", "nested", "no-main-file", "lines",
         "overlap", "empty-names", "other-word", "ends", "no-files", "file-99", "decision-in-macro", "many-conditions",
         "loop")
CORPUS = os.path.join(os.environ.get("ANYPROF_CORPUS", ""), "cov")


def check_programs(report, directory):
    for clang in c.CLANGS:
        for name, sources, flags, since in c.PROGRAMS:
            made = c.build(report, clang, directory, name, sources, flags) if clang >= since else None
            if not made:
                continue
            program, raw, indexed = made
            if not indexed:
                c.compare(report, f"{name}-{clang}",
                          [[command, program, "-empty-profile"] for command in ("export", "report")])
                continue
            c.compare(report, f"{name}-{clang}", c.outputs(program, indexed), cwd=directory)
            source = os.path.join(directory, sources[0])
            if "-fcoverage-compilation-dir=." not in flags: # its names are not those of llvm-cov's arguments
                c.compare(report, f"{name}-{clang}",
                          [["report", program, f"-instr-profile={indexed}", "-show-functions", source]], cwd=directory)
            functions = p.anyprof("cov", "report", program, f"--profile={indexed}", "--show-functions", sources[0],
                                  cwd=directory)
            report.check(f"{name}-{clang}: by a relative name", functions.code == 0 and b"TOTAL" in functions.out)
            straight = [p.anyprof("cov", "export", program, f"--profile={path}", cwd=directory).out
                        for path in (raw, indexed)]
            report.same(f"{name}-{clang}: raw", straight[0], straight[1])


def check_library(report, directory):
    """A program with a shared library; objects; archives: llvm-cov reads none that has a member without coverage."""
    clang = c.CLANGS[-1]
    flags = ["-fprofile-instr-generate", "-fcoverage-mapping"]
    run = lambda *words: report.check(" ".join(words[:3]), p.run(list(words), cwd=directory).code == 0)  # noqa: E731
    run(f"clang-{clang}", *flags, "-shared", "-fPIC", "dso.c", "-o", "libdso.so")
    run(f"clang-{clang}", *flags, "main.c", "-L.", "-ldso", "-Wl,-rpath," + directory, "-o", "whole")
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, "whole.profraw")
    run(os.path.join(directory, "whole"))
    run(f"llvm-profdata-{clang}", "merge", "whole.profraw", "-o", "whole.profdata")
    c.compare(report, "program and library", c.outputs("whole", "whole.profdata", ["-object=libdso.so"]), cwd=directory)
    for source in ("main", "dso"):
        run(f"clang-{clang}", *flags, "-c", source + ".c", "-o", source + ".o")
    run(f"clang-{clang}", "-c", "-x", "c", "/dev/null", "-o", "none.o")
    run(f"llvm-ar-{clang}", "rc", "both.a", "main.o", "dso.o")
    run(f"llvm-ar-{clang}", "rcT", "thin.a", "main.o", "dso.o")
    run(f"llvm-ar-{clang}", "rc", "mixed.a", "main.o", "none.o", "dso.o")
    for archive in ("main.o", "both.a", "thin.a"):
        c.compare(report, archive, c.outputs(archive, "whole.profdata"), cwd=directory)
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
        got, want = (p.run([program, *command], cwd=directory) for program in (tool, c.LLVM_COV))
        report.same(f"llvm-cov {words}", (got.code, got.out, got.err), (want.code, want.out, want.err))
    for words in ([], ["nothing"], ["report"], ["report", "whole"], ["report", "whole", "-instr-profile=none"]):
        report.same(f"llvm-cov {words}: exit code", p.run([tool, *words], cwd=directory).code, 1)
    report.same("llvm-cov --help", p.run([tool, "--help"]).code, 0)
    report.check("llvm-cov --version", b"works as llvm-cov" in p.run([tool, "--version"]).out)


def tree(directory):
    """The files below a directory, and their text; LLVM 22 has several releases."""
    found = {}
    for where, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, directory)] = re.sub(rb"llvm version 22\.[0-9.]+$", b"", file.read())
    return found


def check_pages(report, directory):
    """`show -o DIRECTORY`: the same files with the same text, under llvm-cov's name, and with --compat."""
    tool = os.path.join(directory, "llvm-cov")
    words = ["show", "whole", "-object=libdso.so", "-instr-profile=whole.profdata"]
    for i, options in enumerate((["-o"], ["-show-regions", "-project-title=T", "-output-dir"], ["-name=main", "-o"],
                                 ["-show-created-time=false", "-show-instantiation-summary", "-o"],
                                 ["-show-mcdc-summary", "-show-region-summary=false", "-name=none", "-o"],
                                 ["main.c", "-show-branch-summary=false", "-o"], ["none.c", "-o"], ["none.o", "-o"],
                                 ["main.c", "-ignore-filename-regex=main", "-o"])):
        trees = []
        for program in (tool, c.LLVM_COV):
            made = os.path.join(directory, f"pages{i}", os.path.basename(program))
            done = p.run([program, *words, *options, made], cwd=directory)
            trees.append((done.code, done.out, done.err, tree(made)))
        report.same(f"pages with {options}", trees[0], trees[1])
        report.check(f"pages with {options}: there are some", "index.txt" in trees[0][3])
    done = p.anyprof("cov", *words, "--compat=llvm-22", "--output-dir=pages/compat", cwd=directory)
    report.same("pages with --compat", (done.code, tree(os.path.join(directory, "pages", "compat"))),
                (0, tree(os.path.join(directory, "pages0", os.path.basename(c.LLVM_COV)))))


def check_sources(report, directory):
    """Source files that are named, and are not covered, are not there or cannot be read, in LLVM's words."""
    tool = os.path.join(directory, "llvm-cov")
    with open(os.path.join(directory, "uncovered.c"), "w", encoding="ascii") as file:
        file.write("int x;\n")
    for sources in (["uncovered.c"], ["uncovered.c", "main.c"], ["none.c"], ["uncovered.c", "none.c"],
                    ["main.c", "-ignore-filename-regex=main"], [f"-path-equivalence={directory},/none"]):
        for command in ("show", "report", "export"):
            words = [command, "whole", "-object=libdso.so", "-instr-profile=whole.profdata", *sources]
            got, want = (p.run([program, *words], cwd=directory) for program in (tool, c.LLVM_COV))
            report.same(f"{command} {sources}", (got.code, got.out, got.err), (want.code, want.out, want.err))


def check_seeds(report, directory):
    """Programs that no compiler writes."""
    text, profile = (os.path.join(directory, name) for name in ("seeds.proftext", "seeds.profdata"))
    with open(text, "wb") as file:
        file.write(seeds.PROFILE)
    report.check("the profile", p.run(["llvm-profdata-22", "merge", text, "-o", profile]).code == 0)
    programs = dict((*seeds.containers(), *seeds.sections(), *seeds.versions(), *seeds.hostile()))
    for name in SEEDS:
        path = os.path.join(directory, "seed-" + name)
        with open(path, "wb") as file:
            file.write(programs[name])
        c.compare(report, name, c.outputs(path, profile, kinds=[["export"], ["export", "-format=lcov"], ["report"]]))


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
    if not c.LLVM_COV or not c.CLANGS:
        p.skip("no llvm-cov-22, or no clang")
    report = p.Report(floor=60 * len(c.CLANGS))
    with p.work_directory() as directory:
        c.write_sources(directory)
        check_programs(report, directory)
        check_library(report, directory)
        check_name(report, directory)
        check_pages(report, directory)
        check_sources(report, directory)
        check_seeds(report, directory)
    if os.path.isdir(CORPUS):
        check_twins(report)
        check_hostile(report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
