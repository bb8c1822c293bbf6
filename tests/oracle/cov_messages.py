#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `cov` says under the name llvm-cov beside llvm-cov-22: of stale profiles, source files that are missing, and bad
limits of shares. And `cov diff` of many lines that did not run, and of sources that were changed after the build."""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _profiles as p  # noqa: E402  (found through the line before)

CLANG = "clang-22"
LLVM_COV = "llvm-cov-22"
FILES = 12
LINES = 30 # of a function that does not run


def build(report, directory):
    for i in range(FILES):
        with open(os.path.join(directory, f"part{i}.c"), "w", encoding="ascii") as file:
            body = "".join(f"    x += {line};\n" for line in range(LINES - 3))
            file.write(f"int part{i}(int x)\n{{\n{body}    return x;\n}}\n")
    with open(os.path.join(directory, "main.c"), "w", encoding="ascii") as file:
        file.write("int _ZN5outer5innerEi(int x) { return x; }\nint main(void) { return 0; }\n")
    sources = [f"part{i}.c" for i in range(FILES)]
    built = p.run([CLANG, "-fprofile-instr-generate", "-fcoverage-mapping", "main.c", *sources, "-o", "program"],
                  cwd=directory)
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, "raw")
    return (report.check("it is built", built.code == 0, built.errors()) and
            report.check("it runs", p.run([os.path.join(directory, "program")]).code == 0) and
            report.check("it is merged", p.run(["llvm-profdata-22", "merge", "raw", "-o", "profile"],
                                               cwd=directory).code == 0))


def said(output):
    """The lines on standard error, without colours."""
    return re.sub(rb"\033\[[0-9;]*m", b"", output.err).decode().splitlines()


def compare(report, directory, tool, what, *words):
    theirs = p.run([LLVM_COV, *words], cwd=directory)
    ours = p.run([tool, *words], cwd=directory)
    report.same(f"{what}: exit code", ours.code, theirs.code)
    report.same(f"{what}: standard error", said(ours), said(theirs))


def check_messages(report, directory):
    tool = os.path.join(directory, "llvm-cov")
    os.symlink(os.environ["ANYPROF"], tool)
    with open(os.path.join(directory, "program"), "rb") as source, open(os.path.join(directory, "copy"), "wb") as to:
        to.write(source.read())
    program, profile = "program", "-instr-profile=profile"
    for times in ((1000, 1000, 1000), (2000, 1000, 1000), (1000, 2000, 1000), (2000, 2000, 1000), (1000, 1000, 3000)):
        for name, time in zip(("program", "copy", "profile"), times):
            os.utime(os.path.join(directory, name), (time, time))
        for command in ("show", "report", "export"):
            compare(report, directory, tool, f"{command} {times}", command, program, "-object=copy", profile)
    compare(report, directory, tool, "a source that is no source", "report", program, profile, "none.c", "main.c")
    page = ["show", program, profile, "-format=html", "-output-dir=pages"]
    for limits in ("80", "80,90", "a,b", "101,5", "90,80x", "90,", ",5", "50,50", "90,80,70", " 90,80", "90 ,80",
                   "-1,5", "5,-1", "0,0", "1,0", "100,99.5", "", ","):
        compare(report, directory, tool, f"limits '{limits}'", *page, f"-coverage-watermark={limits}")
    os.rename(os.path.join(directory, "main.c"), os.path.join(directory, "moved.c"))
    compare(report, directory, tool, "a source is missing", "show", program, profile)
    os.rename(os.path.join(directory, "moved.c"), os.path.join(directory, "main.c"))


def check_diff(report, directory):
    """10 lines of a file are shown, and 100 of all."""
    text = ""
    for i in range(FILES):
        with open(os.path.join(directory, f"part{i}.c"), encoding="ascii") as file:
            lines = file.readlines()
        text += f"--- /dev/null\n+++ b/part{i}.c\n@@ -0,0 +1,{len(lines)} @@\n" + "".join("+" + line for line in lines)
    with open(os.path.join(directory, "patch"), "w", encoding="ascii") as file:
        file.write(text)
    words = ["cov", "diff", "program", "--profile=profile", "--patch=patch"]
    done = p.anyprof(*words, cwd=directory)
    shown = [line for line in done.out.decode().splitlines() if re.match(r" *\d+\| ", line)]
    report.same("lines", len(shown), 100)
    report.same("of one file", shown[:10],
                ["       2| {"] + [f"{line:8}|     x += {line - 3};" for line in range(3, 12)])
    report.same("more of each", done.out.decode().count(f"        and {LINES - 10} more lines\n"), 10)
    report.check("more files", f"        and {2 * LINES} more lines in 2 more files\n" in done.out.decode())
    os.utime(os.path.join(directory, "program"))
    now = os.stat(os.path.join(directory, "program")).st_mtime
    os.utime(os.path.join(directory, "part3.c"), (now + 10, now + 10))
    done = p.anyprof(*words, "--json", cwd=directory)
    report.check("one was changed", b"part3.c' is newer than the program" in done.err, done.errors())


def check_names(report, directory):
    """Functions are selected, and found, by their names in the source code, too; as llvm-cov, in the program only."""
    def functions(*words):
        done = p.anyprof("cov", "export", "program", "--profile=profile", "--format=lcov", *words, cwd=directory)
        return [line for line in done.out.decode().splitlines() if line.startswith("FN:")]
    wanted = ["FN:1,_ZN5outer5innerEi"]
    for words in (["--name=outer::inner"], ["--name-regex=^outer::inner\\(int\\)$"], ["--name=5inner"]):
        report.same(f"{words}", functions(*words), wanted)
    shown = [p.anyprof("cov", "show", "program", "--profile=profile", *words, cwd=directory).out
             for words in (["--name=5inner", "--compat=llvm-22"], ["--name=outer::inner", "--compat=llvm-22"])]
    report.check("as llvm-cov", b"return x" in shown[0] and b"return x" not in shown[1])
    for wrong in ("outer::inenr", "iner", "_ZN5outer5inenrEi"):
        done = p.anyprof("cov", "why", "program", wrong, "--profile=profile", cwd=directory)
        report.check(f"near {wrong}", b"the nearest name is 'outer::inner(int)'" in done.err, done.errors())


def main():
    for tool in (CLANG, LLVM_COV, "llvm-profdata-22"):
        if not shutil.which(tool):
            p.skip(f"no {tool}")
    report = p.Report(floor=80)
    with p.work_directory() as directory:
        if build(report, directory):
            check_messages(report, directory)
            check_diff(report, directory)
            check_names(report, directory)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
