#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cov --compat=llvm-22` beside the llvm-cov of the release that built a program, from 13 on: every number is the same.
What releases changed is in DIFFERENCES: each entry makes the output of the older release from that of 22, so that no
number is left out, and must be needed for each older release that is installed. Then programs of 22 that llvm-cov-19
reads with a profile that `merge --for=llvm-19` wrote; programs of rustc; one C++ program with the headers of its
standard library; and the ways to link that cov.py does not have, all beside llvm-cov-22, byte for byte."""

import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _cov_differences as differences  # noqa: E402  (found through the line before)
import _cov_languages as languages  # noqa: E402
import _coverage as c  # noqa: E402
import _profiles as p  # noqa: E402

EXPORTS = (["-skip-expansions"], ["-skip-functions"], ["-summary-only"], ["-ignore-filename-regex=shared"], [])
LCOVS = ([], ["-skip-functions"], ["-summary-only"], ["-ignore-filename-regex=shared"])
REPORTS = ([], ["-show-instantiation-summary"], ["-show-branch-summary=false", "-show-region-summary=false"])
SHOWS = ([], ["-show-regions"], ["-show-branches=percent"],
         ["-show-line-counts-or-regions", "-show-instantiations=false"],
         ["-show-branches=count", "-show-expansions", "-show-regions", "-show-line-counts"])


class Pair:
    """A program and its profile, as an older llvm-cov and anyprof read them. Paths are relative to `directory`."""

    def __init__(self, report, release, name, directory, program, profiles, ours=None):
        self.report, self.release, self.name, self.directory = report, release, name, directory
        self.program, self.profile, self.ours = program, profiles, ours or profiles

    def both(self, kind, command, options):
        """What the two print: (ours, theirs), parsed if it is JSON."""
        want = p.run([f"llvm-cov-{self.release}", command, *self.program, f"-instr-profile={self.profile}", *options],
                     cwd=self.directory)
        got = p.anyprof("cov", command, *self.program, f"-instr-profile={self.ours}", "--compat=llvm-22", *options,
                        cwd=self.directory)
        if (got.code, want.code) != (0, 0):
            raise p.Crash(f"{self.what(command, options)}: {got.code}, {want.code}: {got.errors()} {want.errors()}")
        return tuple(json.loads(output) if kind == "export" else output.decode() for output in (got.out, want.out))

    def what(self, command, options):
        return f"{self.name}: {command} {' '.join(options)}"

    def compare(self, used, one_byte=False, newer=False, dots=False):
        """Everything that both show; `used` collects the differences that were needed."""
        context = differences.Context(self.release, used, one_byte)
        context.whole = self.both("export", "export", [])[0]
        if dots:
            above = os.path.dirname(self.directory) + os.sep
            context.dots = (above, os.path.join(self.directory, os.pardir, ""))
        if newer:
            folded = ["-show-branches=count", "-show-expansions", "-show-instantiations=false", "-show-mcdc"]
            context.folded = differences.folded_sides(context, self.both("show", "show", folded)[0])
        commands = list(self.commands(newer))
        outputs = p.in_parallel(lambda command: self.both(*command), commands)
        for (kind, command, options), (got, want) in zip(commands, outputs):
            got, want = differences.older(kind, context, options, got, want)
            if kind != "export":
                got, want = got.splitlines(), want.splitlines()
            self.report.same(self.what(command, options), got, want)

    def commands(self, newer):
        yield from (("export", "export", options) for options in EXPORTS)
        if newer:
            return
        yield from (("lcov", "export", ["-format=lcov", *options]) for options in LCOVS)
        yield from (("report", "report", options) for options in REPORTS)
        yield from (("show", "show", options) for options in SHOWS)
        if self.release >= 18:
            yield "report", "report", ["-show-mcdc-summary"]
            yield "show", "show", ["-show-mcdc"]


def check_programs(report, directory, release, used):
    made = {}
    for name, sources, flags, since in c.PROGRAMS:
        built = c.build(report, release, directory, name, sources, flags) if release >= since else None
        if not built:
            continue
        program, _, indexed = (built[0], None, built[2] or made["c"])
        made[name] = indexed # the 32-bit object has the functions of the program "c"
        pair = Pair(report, release, f"{name}-{release}", directory, [program], indexed)
        pair.compare(used, one_byte="enable-single-byte-coverage" in "".join(flags))
        if "-fcoverage-compilation-dir=." not in flags:
            got, want = pair.both("functions", "report", ["-show-functions", os.path.join(directory, sources[0])])
            report.same(f"{name}-{release}: report -show-functions", got, want)


def check_library(report, directory, release, used):
    """A program with a shared library, the objects of both, and an archive: llvm-cov before 20 reads only those that
    are thin, where sections are aligned. The sources are in another directory than the compiler."""
    flags = ["-fprofile-instr-generate", "-fcoverage-mapping"]
    where = os.path.join(directory, f"library-{release}")
    os.mkdir(where)
    for words in ([f"clang-{release}", *flags, "-shared", "-fPIC", "../dso.c", "-o", "libdso.so"],
                  [f"clang-{release}", *flags, "../main.c", "-L.", "-ldso", "-Wl,-rpath," + where, "-o", "whole"],
                  [f"clang-{release}", *flags, "-c", "../main.c", "-o", "main.o"],
                  [f"clang-{release}", *flags, "-c", "../dso.c", "-o", "dso.o"],
                  [f"llvm-ar-{release}", "rcT", "both.a", "main.o", "dso.o"]):
        report.check(" ".join(words[:2] + words[-2:]), p.run(words, cwd=where).code == 0)
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(where, "whole.profraw")
    report.check(f"library-{release} runs", p.run([os.path.join(where, "whole")], cwd=where).code == 0)
    p.run([f"llvm-profdata-{release}", "merge", "whole.profraw", "-o", "whole.profdata"], cwd=where)
    for program in (["whole", "-object=libdso.so"], ["main.o", "-object=dso.o"], ["both.a"]):
        Pair(report, release, f"{program[0]}-{release}", where, program, "whole.profdata").compare(used, dots=True)


def check_newer(report, directory, used):
    """Programs of clang 22 that llvm-cov-19 reads: branches with one constant side are only there."""
    for name in ("comments", "c", "mcdc-constants", "mcdc"):
        sources, flags = next((sources, flags) for program, sources, flags, _ in c.PROGRAMS if program == name)
        program, raw, indexed = c.build(report, 22, directory, name, sources, flags)
        converted = program + ".19.profdata"
        merged = p.anyprof("merge", "--for=llvm-19", raw, "-o", converted)
        report.same(f"{name}: merge --for=llvm-19", merged.code, 0)
        pair = Pair(report, 19, f"{name}-22 by 19", directory, [program], converted, indexed)
        pair.compare(used, newer=True)


def main():
    releases = [release for release in c.CLANGS if release < 22 and shutil.which(f"llvm-cov-{release}")]
    if not c.LLVM_COV and not releases:
        p.skip("no llvm-cov")
    report = p.Report(floor=100 * len(releases) + 100 * bool(c.LLVM_COV))
    used = set()
    with p.work_directory() as directory:
        c.write_sources(directory)
        for release in releases:
            check_programs(report, directory, release, used)
            check_library(report, directory, release, used)
        if 19 in releases and 22 in c.CLANGS:
            check_newer(report, directory, used)
        else:
            report.skip("programs of 22 as 19 reads them", "clang 22 or llvm-cov-19 is not installed")
        for release in releases:
            for name in differences.expected(release, 22 in c.CLANGS):
                report.check(f"a difference of {release} that is listed is there: {name}", (name, release) in used)
        languages.check(report, directory)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
