#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Under the name llvm-cov beside llvm-cov-22: options and wrong calls, with what is printed and the exit code; programs
found by build ids; and damaged programs and profiles, of which llvm-cov-22 may crash, but not anyprof. What differs is
in docs/differences.md."""

import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _coverage as c  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402

CLANG = shutil.which("clang-22")
# Calls that print the same, also about what is wrong. PROFILE stands for -instr-profile=p.
SAME = """
COMMAND
COMMAND t
COMMAND PROFILE
COMMAND t PROFILE -empty-profile
COMMAND t -instr-profile=none
COMMAND none PROFILE
COMMAND . PROFILE
COMMAND t PROFILE -object=none
COMMAND t PROFILE -name
COMMAND t PROFILE -name=main -name=f
COMMAND t PROFILE -num-threads=2
COMMAND t PROFILE -j 2
COMMAND t PROFILE -num-threads=x
COMMAND t PROFILE -color
COMMAND t PROFILE -use-color=false
COMMAND t PROFILE -path-equivalence=a
COMMAND t PROFILE -path-equivalence=/a,/b
COMMAND t PROFILE -Xdemangler=no-such-program
COMMAND newer PROFILE
COMMAND t PROFILE -debuginfod
COMMAND t PROFILE -check-binary-ids
COMMAND t PROFILE -compilation-dir=/x
COMMAND t PROFILE -show-region-summary=false
COMMAND t PROFILE -show-mcdc-summary -show-instantiation-summary -show-branch-summary=0
COMMAND t PROFILE -format=text
COMMAND t PROFILE -object t
COMMAND t PROFILE -arch=x86_64
COMMAND t PROFILE none.c
COMMAND t PROFILE none.c t.c
COMMAND t PROFILE -- t.c
COMMAND t PROFILE -debug-file-directory=none
COMMAND m PROFILES
COMMAND m PROFILES -debug-file-directory=ids
COMMAND PROFILES -debug-file-directory=ids
COMMAND m PROFILES -debug-file-directory=ids -check-binary-ids
COMMAND m PROFILES -object=lib.so -check-binary-ids
report t PROFILE -summary-only
export t PROFILE -summary-only
report t PROFILE -show-functions
show t PROFILE -show-regions=x
show t PROFILE -show-branches
show t PROFILE -tab-size=4
show t PROFILE -tab-size=x
show t PROFILE -project-title=T
show t PROFILE -coverage-watermark=80,50
show t PROFILE -show-created-time
show t PROFILE -summary-only
"""
# Calls with the same exit code, and other words.
SAME_CODE = """
COMMAND t PROFILE -zzz
COMMAND t PROFILE -format=foo
COMMAND t PROFILE -format=html -summary-only=x
COMMAND m PROFILES -check-binary-ids
COMMAND t PROFILE -region-coverage-lt=x
COMMAND t t
COMMAND p PROFILE
COMMAND t -instr-profile=t
COMMAND t -instr-profile=empty
COMMAND t PROFILE -name-whitelist=x
COMMAND empty PROFILE
show t PROFILE -o t.c
show t PROFILE -format=lcov
show t PROFILE -skip-branches
report t PROFILE -format=html
report t PROFILE -skip-functions
export t PROFILE -format=html
export t PROFILE -show-branches=count
export t PROFILE -show-functions
"""
SOURCE = """
#define TWICE(x) ((x) > 3 ? (x) * 2 : (x))
static int local(int x) { return x > 2 && x < 9 ? TWICE(x) : -x; }
int f(int x) { for (int i = 0; i < x; i++) if (local(i) == 4) return i; return 0; }
int main(int argc, char **argv) { return argv[0] ? f(argc + 7) == 99 : 1; }
"""


def build(report, directory):
    """The program t with the profile p; m and lib.so with the profile pp, and both in ids/.build-id."""
    def do(*words):
        done = p.run(list(words), cwd=directory)
        report.check(" ".join(words[:4]), done.code == 0, done.errors())
        return done
    files = {"t.c": SOURCE, "lib.c": "int g(int x) { return x > 2 ? 1 : 2; }\n", "empty": "",
             "m.c": "int g(int); int main(int argc, char **argv) { return argv[0] ? g(argc) == 99 : 1; }\n"}
    for name, text in files.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)
    flags = [CLANG, "-fprofile-instr-generate", "-fcoverage-mapping", "-Wl,--build-id"]
    do(*flags, "t.c", "-o", "t")
    do(*flags, "-shared", "-fPIC", "lib.c", "-o", "lib.so")
    do(*flags, "m.c", "./lib.so", "-o", "m")
    for program, profile in (("t", "p"), ("m", "pp")):
        os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, program + "-%m.profraw")
        do("./" + program)
        raw = [name for name in os.listdir(directory) if name.startswith(program + "-")]
        do("llvm-profdata-22", "merge", *raw, "-o", profile)
    shutil.copy(os.path.join(directory, "t"), os.path.join(directory, "newer"))
    for name in ("m", "lib.so"):
        notes = do("llvm-readelf-22", "-n", name).out.decode()
        number = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
        where = os.path.join(directory, "ids", ".build-id", number[:2])
        os.makedirs(where, exist_ok=True)
        shutil.copy(os.path.join(directory, name), os.path.join(where, number[2:] + ".debug"))


def calls(text):
    for line in text.strip().splitlines():
        for command in ("show", "report", "export") if line.startswith("COMMAND") else (line.split()[0],):
            words = [command, *line.split()[1:]]
            yield [{"PROFILE": "-instr-profile=p", "PROFILES": "-instr-profile=pp"}.get(word, word) for word in words]


def named(done, tool):
    """What was printed, with one name for both programs. Before llvm-cov knows whether it has colours, it ends some of
    its messages, by chance, with what switches them off."""
    err = done.err.replace(b"\033[0m", b"").replace(tool.encode(), b"TOOL")
    err = err.replace(os.path.basename(tool).encode(), b"TOOL")
    return done.code, done.out, err


def check_calls(report, directory, tool):
    for words in calls(SAME):
        got, want = (named(p.run([program, *words], cwd=directory), program) for program in (tool, c.LLVM_COV))
        report.same(" ".join(words), got, want)
    for words in calls(SAME_CODE):
        got, want = (p.run([program, *words], cwd=directory) for program in (tool, c.LLVM_COV))
        report.same(" ".join(words) + ": exit code", got.code, want.code)
        report.check(" ".join(words) + ": there are words", got.code == 0 or got.err)
    found = p.anyprof("cov", "report", "--profile=pp", "--debug-file-directory=" + directory, cwd=directory)
    named_both = p.anyprof("cov", "report", "m", "--object=lib.so", "--profile=pp", cwd=directory)
    report.same("all ELF files below a directory", (found.code, sorted(found.out.splitlines())),
                (0, sorted(named_both.out.splitlines())))


def limited(command, directory):
    """Exit code and output, within ten seconds; else the code is None."""
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        return None, b""
    return done.returncode, done.stdout


def damage(data, source, n):
    """Copies of a file: cut off, and with a bit changed."""
    for i in range(n):
        yield data[:len(data) * i // n]
    for _ in range(2 * n):
        changed = bytearray(data)
        at = source.randrange(len(data))
        changed[at] ^= 1 << source.randrange(8)
        yield bytes(changed)


def sections(directory):
    """Where the sections about coverage are in the program."""
    text = p.run(["llvm-readelf-22", "-SW", "t"], cwd=directory).out.decode()
    for name, offset, size in re.findall(r"(__llvm_cov\w+|__llvm_prf_names)\s+\w+\s+\w+ (\w+) (\w+)", text):
        yield name, int(offset, 16), int(size, 16)


def check_damage(report, directory, tool):
    """Where llvm-cov reads a damaged program, it prints the same, or anyprof refuses the file; where llvm-cov refuses
    it, so does anyprof."""
    source = random.Random(7)
    original = {}
    for name in ("t", "p"):
        with open(os.path.join(directory, name), "rb") as file:
            original[name] = file.read()
    cases = [("p", bytes_) for bytes_ in damage(original["p"], source, 10)]
    cases += [("t", bytes_) for bytes_ in damage(original["t"], source, 10)]
    for _, offset, size in sections(directory):
        for part in damage(original["t"][offset:offset + size], source, 6):
            cases.append(("t", original["t"][:offset] + part.ljust(size, b"\0") + original["t"][offset + size:]))
    for number, (which, data) in enumerate(cases):
        with open(os.path.join(directory, "damaged"), "wb") as file:
            file.write(data)
        program, profile = ("damaged", "p") if which == "t" else ("t", "damaged")
        words = ["export", program, f"-instr-profile={profile}"]
        got, want = (limited([name, *words], directory) for name in (tool, c.LLVM_COV))
        report.check(f"damage {number} of {which}: {got[0]}", got[0] in (0, 1))
        if want[0] == 0 and got[0] == 0 and which == "t":
            report.same(f"damage {number} of {which}: output", got, want)
        if want[0] == 1 and which == "t":
            report.same(f"damage {number} of {which}: exit code", got[0], 1)


def main():
    if not c.LLVM_COV or not CLANG:
        p.skip("no llvm-cov-22, or no clang-22")
    report = p.Report(floor=200)
    with p.work_directory() as directory:
        build(report, directory)
        tool = os.path.join(directory, "llvm-cov")
        os.symlink(os.environ["ANYPROF"], tool)
        check_calls(report, directory, tool)
        check_damage(report, directory, tool)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
