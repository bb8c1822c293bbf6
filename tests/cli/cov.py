#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof cov`: what users do wrong, where profiles are found, and how much has to run. What is written about real
programs is compared in oracle/cov.py; here the program is one of three functions in LLVM's testing format."""

import json
import os
import pty
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _cov import (ANYPROF, PATCH, expect, make_program,  # noqa: E402  (found through the line before)
                  run, run_tests, says, touch)


def test_usage(where):
    rows = [(["cov", "report"], 2, "a PROGRAM is required"),
            (["cov", "report", "program"], 2, "--profile=FILE is required, or --empty-profile"),
            (["cov", "report", "program", "--profile=counts", "--empty-profile"], 2, "exclude each other"),
            (["cov", "report", "program", "--profile=none"], 1, "error: none: No such file or directory"),
            (["cov", "report", "none", "--profile=counts"], 1, "error: none: No such file or directory"),
            (["cov", "report", "counts", "--profile=counts"], 1, "counts: The file was not recognized"),
            (["cov", "report", "program", "--profile=program"], 1, "error: program: "),
            (["cov", "report", ".", "--profile=counts"], 1, "this is a directory, and here programs are named"),
            (["cov", "report", "counts", f"--profile={ANYPROF}"], 1,
             f"mixed up: give {ANYPROF} as PROGRAM, and --profile=counts"),
            (["cov", "report", "program", f"--profile={ANYPROF}"], 1, "is an ELF file: "),
            (["cov", "report", "program", "counts"], 2, "Did you mean '--profile=counts'?"),
            (["cov", "report", "program", "runs"], 2, "Did you mean '--profile=runs'?"),
            (["cov", "report", "program", "--profile=counts", "--ignore-filename-regex=."], 0,
             "--ignore-filename-regex leaves out all source files"),
            (["cov", "why", ANYPROF, "--object=program", "--profile=counts"], 1,
             f"{ANYPROF} is a program, and here functions are named"),
            (["cov", "report", "program", "--profile=cut"], 1, "cut: invalid instrumentation profile data"),
            (["cov", "report", "program", "--profile=cut"], 1, "merge --salvage PROFILES -o FILE'"),
            (["cov", "report", "program", "--profile=counts", "/src/b.c"], 1, "the nearest names are '/src/a.c' and"),
            (["cov", "report", "program", "--profile=counts", "old/b.h"], 1, "the nearest name is '/src/b.h'"),
            (["cov", "report", "program", "--profile=counts", "a::b"], 1, "functions are selected with --name=a::b"),
            (["cov", "report", "program", "--profile=counts", "--name=none"], 0, "no function is selected"),
            (["cov", "export", "program", "--profile=counts", "-o", "x.info"], 0, "usually those of --format=lcov"),
            (["cov", "export", "program", "--profile=counts", "-o", "x.xml"], 0, "usually those of --format=cobertura"),
            (["cov", "export", "program", "--profile=counts", "-o", "x.html"], 0, "--format=html of cov show"),
            (["cov", "show", "program", "--profile=counts", "-o", "x.html"], 0, "usually those of --format=html"),
            (["cov", "why", "program", "mian", "--profile=counts"], 1, "the nearest name is 'main'"),
            (["cov", "why", "program", "nothing", "--profile=counts"], 1, ""),
            (["cov", "report", "program", "--profile=counts", "other.c"], 1, "no source file that was named is"),
            (["cov", "report", "program", "--profile=counts", "--show-functions"], 2, "source files must be specified"),
            (["cov", "report", "program", "--profile=empty.d"], 1, "there is no profile in this directory"),
            (["cov", "export", "program", "--profile=counts", "--ignore-filename-regex=("], 2, "ignore-filename-regex"),
            (["cov", "export", "program", "--profile=counts", "--compat=llvm-3"], 2, "compat"),
            (["cov", "show", "program", "--profile=counts", "--path-equivalence=x"], 2, "FROM,TO has two names"),
            (["cov", "show", "program", "--profile=counts"], 0, "the source file '/src/a.c' cannot be read"),
            (["cov", "report", "program", "--profile=counts", "counts"], 1, "counts: this is a profile, and here"),
            (["cov", "report", "program", "--profile=counts", ANYPROF], 1, "use --object="),
            (["cov", "report", "program", "--profile=counts", "lib.a"], 1, "use --object=lib.a"),
            (["cov", "report", "a.c", "--profile=counts", "--debug-file-directory=."], 1,
             "counts: no coverage data found"),
            (["cov", "report", "program", "--profile=counts", "--name=none", "--fail-under-lines=1"], 1,
             "no function is shown"),
            (["cov", "report", "program", "--profile=counts", "--dump"], 2, "--dump is not supported: --report=FILE"),
            (["cov", "report", "program", "--profile=counts", "--tab-size=2"], 2, "--tab-size"),
            (["cov", "show", "program", "--profile=counts", "--tab-size=2"], 0, "--tab-size has no effect: pages"),
            (["cov", "report", "--profile=counts", "--debug-file-directory=."], 1, "counts: no coverage data found"),
            (["cov", "report", "--empty-profile", "--debug-file-directory=."], 1, "there is no program"),
            (["cov", "report", "program", "--profile=counts", "--check-binary-ids", "--debug-file-directory=none"], 0,
             ""),
            (["cov", "nothing"], 2, "cov nothing"),
            (["cov", "html", "program"], 2, "Did you mean 'cov show --format=html'?"),
            (["cov", "summary", "program"], 2, "Did you mean 'cov report'?"),
            (["cov", "program", "--profile=counts"], 2, "'program' is a file: a command comes before it"),
            (["coverage", "report", "program"], 2, "Did you mean 'cov'?"),
            (["cov", "export", "--html", "program"], 2, "Did you mean 'cov show --format=html'?"),
            (["cov", "export", "--format=html", "program"], 2, "Did you mean 'cov show --format=html'?"),
            (["cov", "export", "--json", "program"], 2, "Did you mean '--format=json'?"),
            (["cov", "export", "--format=xml", "program"], 2, "Did you mean '--format=cobertura'?"),
            (["cov", "show", "--lcov", "program"], 2, "Did you mean 'cov export --format=lcov'?")]
    os.mkdir(os.path.join(where, "empty.d"))
    os.mkdir(os.path.join(where, "runs"))
    shutil.copy(os.path.join(where, "counts"), os.path.join(where, "runs", "a.proftext"))
    with open(os.path.join(where, "lib.a"), "wb") as file:
        file.write(b"!<arch>\n")
    with open(os.path.join(where, "cut"), "wb") as file: # a raw profile of LLVM 22, in its header
        file.write(b"\x81rforpl\xff" + b"\x0a" + bytes(23))
    for words, code, text in rows:
        says(" ".join(words), run(where, *words), code, text)
    done = run(where, "cov", "report", "program", "--profile=counts", "-o", "report")
    expect("into a file", (done.returncode, done.stdout, os.path.getsize(os.path.join(where, "report")) > 300),
           (0, b"", True))
    done = run(where, "report", "program", name="llvm-cov")
    expect("llvm-cov's exit code", done.returncode, 1)
    os.rename(os.path.join(where, "counts"), os.path.join(where, "default.profraw"))
    says("the usual profile", run(where, "cov", "report", "program"), 2, "Did you mean '--profile=default.profraw'?")
    says("llvm-cov without a command", run(where, name="llvm-cov"), 1, "Usage: llvm-cov COMMAND")
    says("llvm-cov gcov", run(where, "gcov", name="llvm-cov"), 1, "Unrecognized command: gcov.")


def test_profiles(where):
    """Profiles in a directory, by a pattern, and named twice are added up."""
    def count(*profiles):
        done = run(where, "cov", "export", "--format=lcov", "program", *(f"--profile={name}" for name in profiles))
        return [line for line in done.stdout.split(b"\n") if line == b"FNDA:7,main" or line.startswith(b"FNDA:14,")]
    os.mkdir(os.path.join(where, "runs"))
    for name in ("a.proftext", "b.proftext"):
        with open(os.path.join(where, "counts"), "rb") as source, open(os.path.join(where, "runs", name), "wb") as to:
            to.write(source.read())
    expect("one", count("counts"), [b"FNDA:7,main"])
    for profiles in (["runs"], ["runs/*.proftext"], ["runs/a.proftext", "runs/b.proftext"], ["counts", "runs/[b]*"]):
        expect(" ".join(profiles), count(*profiles), [b"FNDA:14,main"])
    with open(os.path.join(where, "runs", "killed.profraw"), "wb"):
        pass
    expect("with an empty one", count("runs"), [b"FNDA:14,main"])
    says("an empty one", run(where, "cov", "report", "program", "--profile=runs"), 0, "note: 1 profile is empty")


def test_gates(where):
    def code(*words):
        return run(where, "cov", "report", "program", "--profile=counts", *words).returncode
    expect("enough", code("--fail-under-lines=80", "--fail-under-functions=66.66", "--fail-under-branches=100"), 0)
    for name, least in (("lines", "81.9"), ("functions", "66.7"), ("regions", "80.1"), ("branches", "100")):
        expect(name, code(f"--fail-under-{name}={least}"), 0 if name == "branches" else 3)
    expect("no share", code("--fail-under-lines=101"), 2)
    done = run(where, "cov", "export", "program", "--profile=counts", "--fail-under-lines=99")
    expect("the output is complete", (done.returncode, done.stdout.endswith(b"}")), (3, True))
    says("a fraction", run(where, "cov", "report", "program", "--profile=counts", "--fail-under-lines=0.5"), 0,
         "note: 0.5 per cent of the lines are demanded: shares go up to 100")


def test_mismatch(where):
    with open(os.path.join(where, "counts"), "rb") as file:
        text = file.read()
    with open(os.path.join(where, "old"), "wb") as file:
        file.write(text.replace(b"main\n5\n", b"main\n4\n"))
    says("another hash", run(where, "cov", "report", "program", "--profile=old"), 0,
         "warning: 1 function counted as not executed: the profile is of other source code")
    for time, stale in ((2000, True), (3000, False)):
        touch(os.path.join(where, "program"), 2001)
        touch(os.path.join(where, "old"), time)
        done = run(where, "cov", "report", "program", "--profile=old")
        expect(f"a program after the profile of {time}", b"newer than the profile: run it again" in done.stderr, stale)
    says("as LLVM", run(where, "cov", "report", "program", "--profile=old", "--compat=llvm-22"), 0,
         "warning: 1 function left out")
    says("under LLVM's name", run(where, "report", "program", "-instr-profile=old", name="llvm-cov"), 0,
         "warning: 1 functions have mismatched data")


def test_diff(where):
    lines = 30
    with open(os.path.join(where, "patch"), "w", encoding="ascii") as file:
        file.write(PATCH % (lines, "+x\n" * lines))
    words = ["cov", "diff", "program", "--profile=counts", "--patch=patch"]
    document = json.loads(run(where, *words, "--json").stdout)
    (whole, other), total = document["files"], document["total"]
    expect("schema", document["schema"], "anyprof-cov-patch/1")
    expect("files", [(entry["path"], entry["source"]) for entry in (whole, other)],
           [("src/a.c", "/src/a.c"), ("doc", None)])
    expect("not code", (other["code"], other["covered"], other["missed"]), (None, None, []))
    tracefile = run(where, "cov", "export", "program", "--profile=counts", "--format=lcov", "/src/a.c").stdout.decode()
    counts = [line[3:].split(",") for line in tracefile.splitlines() if line.startswith("DA:")]
    missed = [int(number) for number, count in counts if count == "0"]
    expect("as in the tracefile", (whole["code"], whole["covered"]), (len(counts), len(counts) - len(missed)))
    expect("missed", [line for first, last in whole["missed"] for line in range(first, last + 1)], missed)
    expect("total", (total["added"], total["code"], total["covered"]), (lines + 1, whole["code"], whole["covered"]))
    text, markdown = run(where, *words).stdout, run(where, *words, "--markdown").stdout
    expect("text", (b"of the changed lines ran" in text, b"in no program" in text), (True, True))
    expect("Markdown", markdown.startswith(b"### ") and b"| `src/a.c` | 30 |" in markdown, True)
    share = 100.0 * whole["covered"] / whole["code"]
    for least, code in ((share - 1, 0), (share + 1, 3)):
        expect(f"at least {least}", run(where, *words, f"--fail-under-patch={least:.2f}").returncode, code)
    done = subprocess.run([ANYPROF, *words[:-1]], cwd=where, capture_output=True, check=False, input=b"")
    expect("nothing changed", (done.returncode, b"No line of the change is code" in done.stdout), (0, True))
    says("no diff", run(where, *words[:-1], "--patch=counts"), 1, "counts: unified diff with an error")
    says("both", run(where, *words, "--base=counts"), 2, "--base and --patch exclude each other")
    says("both", run(where, *words, "--json", "--markdown"), 2, "--markdown and --json exclude each other")
    says("no diff for a share", run(where, *words[:-1], "--base=counts", "--fail-under-patch=1"), 2, "is about a diff")


def test_example(where):
    """The example prints the lines that a tracefile has with the count 0."""
    example = os.path.join(os.environ.get("ANYPROF_BUILD_DIR", ""), "examples", "missed_lines")
    if not os.path.exists(example):
        print("skipped: no example", example)
        return
    done = subprocess.run([example, "program", "counts"], cwd=where, capture_output=True, check=False)
    tracefile = run(where, "cov", "export", "program", "--profile=counts", "--format=lcov").stdout.decode()
    wanted = [line[3:-2] for line in tracefile.splitlines() if line.startswith("DA:") and line.endswith(",0")]
    got = [number for line in done.stdout.decode().splitlines()
           if line.startswith("    ") and "never ran" not in line for number in line.strip().split(", ")]
    expect("the example", (done.returncode, got), (0, wanted))
    done = subprocess.run([example, "program", "none"], cwd=where, capture_output=True, check=False)
    expect("the example, without a profile", (done.returncode, b"none: No such file" in done.stderr), (1, True))


def test_example_of_regions(where):
    """The example prints the sides of branches that were never taken."""
    example = os.path.join(os.environ.get("ANYPROF_BUILD_DIR", ""), "examples", "untaken_branches")
    if not os.path.exists(example):
        print("skipped: no example", example)
        return
    with open(os.path.join(where, "counts"), "rb") as file:
        text = file.read()
    for count, wanted in ((b"3", []), (b"7", ["never false"]), (b"0", ["never true"])):
        with open(os.path.join(where, "changed"), "wb") as file:
            file.write(text.replace(b"main\n5\n2\n7\n3\n", b"main\n5\n2\n7\n" + count + b"\n"))
        done = subprocess.run([example, "program", "changed"], cwd=where, capture_output=True, check=False)
        expect(f"sides with {count}", (done.returncode, done.stdout.decode().splitlines()),
               (0, [f"/src/a.c:2:7: {words} in main" for words in wanted]))


def test_base(where):
    with open(os.path.join(where, "counts"), "rb") as file:
        text = file.read()
    with open(os.path.join(where, "none"), "wb") as file:
        file.write(b"other\n1\n1\n1\n")
    for now, then, key in (("counts", "none", "gained"), ("none", "counts", "lost"), ("counts", "counts", None)):
        done = run(where, "cov", "diff", "program", f"--profile={now}", f"--base={then}", "--json")
        document = json.loads(done.stdout)
        expect("schema", document["schema"], "anyprof-cov-diff/1")
        total = document["total"]
        for name in ("gained", "lost"):
            ranges = [pair for entry in document["files"] for pair in entry[name]]
            expect(f"{now} {then} {name}", sum(last - first + 1 for first, last in ranges), total[name])
            expect(f"{now} {then} {name} is there", total[name] > 0, name == key)
        expect(f"{now} {then} covered", total["now"]["covered"] - total["before"]["covered"],
               total["gained"] - total["lost"])
    with open(os.path.join(where, "old"), "wb") as file:
        file.write(text.replace(b"main\n5\n", b"main\n4\n"))
    says("a base of other source code", run(where, "cov", "diff", "program", "--profile=counts", "--base=old"), 0,
         "1 function counted as not executed")
    text = run(where, "cov", "diff", "program", "--profile=none", "--base=counts").stdout
    expect("text", b"of the lines ran before, 0.00% now" in text, True)


def test_losses(where):
    with open(os.path.join(where, "counts"), "rb") as file:
        text = file.read()
    with open(os.path.join(where, "old"), "wb") as file:
        file.write(text.replace(b"main\n5\n", b"main\n4\n"))
    done = run(where, "cov", "report", "program", "--profile=old", "--report=losses")
    with open(os.path.join(where, "losses"), "rb") as file:
        document = json.load(file)
    expect("report", (done.returncode, document["schema"], document["counts"]["mismatch"]),
           (0, "anyprof-cov-report/1", 1))
    expect("the function", [(f["name"], f["reason"], f["left_out"], f["hash"], f["profile_hashes"])
                            for f in document["functions"]],
           [("main", "mismatch", False, "0x0000000000000005", ["0x0000000000000004"])])
    done = run(where, "cov", "show", "program", "--profile=counts", "--report=losses", "--quiet")
    with open(os.path.join(where, "losses"), "rb") as file:
        expect("missing sources", (done.stderr, json.load(file)["missing_sources"]), (b"", ["/src/a.c", "/src/b.h"]))
    done = run(where, "cov", "why", "program", "main", "--profile=old")
    expect("why", (done.returncode, b"hash 0x0000000000000005" in done.stdout, b"other source code" in done.stdout,
                   b"profile: hash 0x0000000000000004" in done.stdout), (0, True, True, True))
    done = run(where, "cov", "why", "program", "main", "--profile=counts")
    expect("it ran", b": it ran 7 times" in done.stdout, True)
    says("without a function", run(where, "cov", "why", "program", "--profile=old"), 2, "a FUNCTION is required")
    done = run(where, "cov", "why", "program", "nothing", "--profile=old")
    expect("no such function", (done.returncode, b"no program has a function of this name" in done.stdout), (1, True))


def test_colors(where):
    with open(os.path.join(where, "a.c"), "wb") as file:
        file.write(b"int f(void)\t{ /* \033[2J */ }\n" * 40)
    words = ["cov", "show", "program", "/src/a.c", "--profile=counts", "--path-equivalence=/src/,"]
    plain = run(where, *words).stdout
    colored = run(where, *words, "--color").stdout
    expect("no colours into a pipe", (b"\033[1;31m" in plain, b"\033[2J" in plain), (False, True))
    expect("in red", b"\033[1;31m      0\033[0m|" in colored, True)
    expect("the source changes no colours", (b"\033[2J" in colored, b"\\x1b[2J" in colored), (False, True))
    shown = colored.replace(b"\033[1;31m", b"").replace(b"\033[0m", b"").replace(b"\\x1b", b"\033")
    expect("the same text", shown, plain)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(where)
        os.environ["TERM"] = "xterm"
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execv(ANYPROF, [ANYPROF, *words])
    screen = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError: # the end
            part = b""
        if not part:
            break
        screen += part
    os.waitpid(pid, 0)
    expect("a terminal has colours", screen.replace(b"\r\n", b"\n"), colored)
    expect("off again", run(where, *words, "--color", "--use-color=false").stdout, plain)


def test_pages(where):
    """Text pages; names of source files do not lead out of their directory."""
    def files(below):
        return sorted(os.path.relpath(os.path.join(path, name), where)
                      for path, _, names in os.walk(os.path.join(where, below)) for name in names)
    os.mkdir(os.path.join(where, "src"))
    for name in ("a.c", "b.h"):
        with open(os.path.join(where, "src", name), "w", encoding="ascii") as file:
            file.write("line\n" * 40)
        touch(os.path.join(where, "src", name), 10 ** 9)
    words = ["show", "program", "--instr-profile=counts", "--path-equivalence=/src/,src/"]
    done = run(where, "cov", *words, "--output-dir=new/pages", "--project-title=Some title")
    expect("pages", (done.returncode, done.stdout, done.stderr), (0, b"", b""))
    wanted = ["coverage/src/a.c.txt", "coverage/src/b.h.txt", "index.txt"]
    expect("their names", files("new"), ["new/pages/" + name for name in wanted])
    with open(os.path.join(where, "new", "pages", wanted[0]), "rb") as file:
        text = file.read()
    whole = run(where, "cov", *words, "/src/a.c").stdout
    head, _, shown = text.partition(b"/src/a.c:\n")
    expect("the source", shown, whole)
    expect("the head", (head.startswith(b"Some title\nCoverage Report\nCreated: 2"), head.count(b"\n")), (True, 3))
    with open(os.path.join(where, "new", "pages", "index.txt"), "rb") as file:
        table = file.read()
    expect("the table", table, run(where, "cov", "report", "program", "--profile=counts").stdout +
           b"\nGenerated by anyprof\n")
    run(where, *words, "-show-created-time=false", "-o", "llvm", name="llvm-cov")
    expect("LLVM's -o", files("llvm"), ["llvm/" + name for name in wanted])
    with open(os.path.join(where, "llvm", wanted[0]), "rb") as file:
        expect("without a time", file.read().startswith(b"Coverage Report\n/src/a.c:\n"), True)
    before = files("src")
    up = "../" * 9
    done = run(where, "cov", *words[:-1], f"--prefix-map=/src/={up}", f"--path-equivalence={up},src/",
               "--output-dir=out")
    expect("names that lead up", (done.returncode, files("out")),
           (0, ["out/coverage/" + "__/" * 9 + name for name in ("a.c.txt", "b.h.txt")] + ["out/index.txt"]))
    expect("nothing else", files("src"), before)
    says("no directory", run(where, "cov", *words, "--output-dir=src/a.c/x"), 1, "src/a.c: Not a directory")
    os.mkdir(os.path.join(where, "taken"))
    with open(os.path.join(where, "taken", "coverage"), "w", encoding="ascii"):
        pass
    says("no directory of a page", run(where, "cov", *words, "--output-dir=taken"), 1,
         "taken/coverage: Not a directory")


def test_changed(where):
    """A source file that is shorter than when the program was built is another one."""
    words = ["cov", "show", "program", "/src/a.c", "--profile=counts", "--path-equivalence=/src/,"]
    for n, wanted in ((40, False), (3, True)):
        with open(os.path.join(where, "a.c"), "w", encoding="ascii") as file:
            file.write("line\n" * n)
        for more in ([], ["--format=html"]):
            done = run(where, *words, *more)
            expect(f"{n} lines {more}", (done.returncode, b"has fewer lines than" in done.stderr), (0, wanted))


def test_names(where):
    with open(os.path.join(where, "counts"), "rb") as file:
        profile = file.read()
    expect("there is main", b"main" in profile, True)
    words = ["cov", "report", "program", "/src/a.c", "--profile=counts", "--show-functions"]
    upper = run(where, *words, "-Xdemangler=tr", "-Xdemangler=a-z", "-Xdemangler=A-Z")
    expect("by a program", (upper.returncode, b"MAIN" in upper.stdout), (0, True))
    says("no program", run(where, *words, "-Xdemangler=./none"), 1, "./none: could not run the demangler: No such file")
    says("which fails", run(where, *words, "-Xdemangler=false"), 1, "false: could not run the demangler")
    says("too few", run(where, *words, "-Xdemangler=true"), 1, "demangler did not provide expected number of symbols")
    plain = run(where, *words, "--demangle")
    expect("a name of C stays", (plain.returncode, b"main" in plain.stdout, plain.stderr), (0, True, b""))


def test_exact_shares(where):
    """A share of 11 lines out of 12 is enough for what it is, to the last digit that can be asked for."""
    def code(least):
        return run(where, "cov", "report", "program", "--profile=counts", f"--fail-under-lines={least}").returncode
    lines = json.loads(run(where, "cov", "export", "program", "--profile=counts",
                           "--summary-only").stdout)["data"][0]["totals"]["lines"]
    millionths = lines["covered"] * 10**8 // lines["count"]
    for least, wanted in ((millionths, 0), (millionths + 1, 3)):
        expect(f"{least} millionths", code(f"{least // 10**6}.{least % 10**6:06}"), wanted)


def test_several(where):
    """Functions that are not selected are in no way there; of two programs, what fits counts in any case."""
    with open(os.path.join(where, "program"), "rb") as source, open(os.path.join(where, "other"), "wb") as to:
        to.write(source.read())
    words = ["cov", "export", "program", "--object=other", "--profile=counts", "--format=lcov"]
    expect("nothing", (run(where, *words, "--name=nothing").returncode, run(where, *words, "--name=nothing").stdout),
           (0, b""))
    one = run(where, *[word for word in words if word != "--object=other"], "--name-regex=^mai").stdout
    expect("once", run(where, *words, "--name-regex=^mai").stdout, one)


def test_filters(where):
    def functions(*words):
        done = run(where, "cov", "export", "program", "--profile=counts", "--format=lcov", *words)
        return sorted(line.split(",")[1] for line in done.stdout.decode().splitlines() if line.startswith("FN:"))
    everything = functions()
    expect("there are several", len(everything) > 2 and "main" in everything, True)
    with open(os.path.join(where, "list"), "w", encoding="ascii") as file:
        file.write("# a list\nfun:x\nallowlist_fun:mai*\r\n")
    for words, wanted in ((["--name=main"], ["main"]), (["--name=mai", "--name=nothing"], ["main"]),
                          (["--name-regex=^ma.n$"], ["main"]), (["--name-allowlist=list"], ["main"]),
                          (["--name=nothing"], []), (["--name-regex="], everything), (["--ignore-filename-regex="], []),
                          (["--name="], everything), (["--name=", "--line-coverage-gt=100"], []),
                          (["--region-coverage-gt=0", "--region-coverage-lt=1"], everything)):
        expect(" ".join(words), functions(*words), wanted)
    words = ["cov", "report", "program", "--profile=counts"]
    says("no list", run(where, *words, "--name-allowlist=none"), 1, "none: No such")
    says("no file", run(where, *words, "--name-allowlist=."), 1, ".: Is a directory")
    says("a bad expression", run(where, *words, "--name-regex=("), 2, "name-regex")


def test_markers(where):
    """Lines that comments leave out; the sources are made here."""
    def lines(*words):
        done = run(where, "cov", "export", "program", "--profile=counts", "--format=lcov", "/src/a.c", *words)
        return [int(line[3:].split(",")[0]) for line in done.stdout.decode().splitlines() if line.startswith("DA:")]
    all_lines = lines()
    second = "\n" * (all_lines[1] - 1) + "x // GCOVR_EXCL_LINE\n"
    from_third = "\n\n// LCOV_EXCL_START\n" + "\n" * 50
    says("no sources", run(where, "cov", "report", "program", "--profile=counts", "--exclusion-markers"), 0,
         "no source file that can be read has a marker")
    for text, wanted in (("", all_lines), (from_third, [n for n in all_lines if n < 3]),
                         (second, all_lines[:1] + all_lines[2:])):
        with open(os.path.join(where, "a.c"), "w", encoding="ascii") as file:
            file.write(text)
        expect(f"markers in {text!r}", lines("--exclusion-markers", "--path-equivalence=/src/,"), wanted)
        expect("not asked for", lines("--path-equivalence=/src/,"), all_lines)
        done = run(where, "cov", "report", "program", "--profile=counts", "--path-equivalence=/src/,",
                   "--exclusion-markers")
        expect("said", b"has a marker" in done.stderr, text == "")
    with open(os.path.join(where, "a.c"), "w", encoding="ascii") as file:
        file.write("// LCOV_EXCL_START\n" * 50)
    run(where, "cov", "report", "program", "--profile=counts", "--exclusion-markers", "--path-equivalence=/src/,",
        "--report=losses")
    with open(os.path.join(where, "losses"), "rb") as file:
        document = json.load(file)
    expect("functions", document["counts"]["excluded"] > 0 and
           {f["reason"] for f in document["functions"]} == {"excluded"}, True)
    expect("markers without an end", [(m["path"], m["line"], m["marker"]) for m in document["unpaired_markers"]],
           [("/src/a.c", line, "START") for line in range(1, 51)])
    words = ["cov", "report", "program", "--profile=counts", "--path-equivalence=/src/,"]
    done = run(where, *words, "--exclusion-markers")
    expect("some are named", (done.stderr.count(b"START has no _EXCL_STOP after it"), b"45 more" in done.stderr),
           (5, True))
    expect("not asked for", run(where, *words).stderr, b"")
    with open(os.path.join(where, "a.c"), "w", encoding="ascii") as file:
        file.write("\n// LCOV_EXCL_BR_STOP\n")
    says("a stop", run(where, *words, "--exclusion-markers"), 0,
         "/src/a.c:2: this marker _EXCL_BR_STOP has no _EXCL_BR_START before it")


def test_forged_names(where):
    """A name with a line feed would forge a line of a table or of a tracefile."""
    for names, source, shown in (([b"f", b"g\nSF:x"], b"a.c", [b"FN:1,f"]), ([b"f", b"g"], b"a\nSF:x", []),
                                 ([b"f", b"g"], b"a.c", [b"FN:1,f", b"FN:1,g"])):
        with open(os.path.join(where, "forged"), "wb") as file:
            file.write(make_program(names, source))
        words = ["cov", "export", "forged", "--empty-profile", "--format=lcov"]
        done = run(where, *words)
        lines = done.stdout.split(b"\n")
        expect(f"{names}: functions", [line for line in lines if line.startswith(b"FN:")], shown)
        expect(f"{names}: files", [line for line in lines if line.startswith(b"SF:")], [b"SF:/a.c"] if shown else [])
        expect(f"{names}: it is said", b"damaged" in done.stderr, len(shown) < 2)
        expect(f"{names}: as LLVM", b"SF:x" in run(where, *words, "--compat=llvm-22").stdout, len(shown) < 2)


def test_outputs(where):
    """No output takes the place of what is read."""
    def content(name):
        with open(os.path.join(where, name), "rb") as file:
            return file.read()
    os.mkdir(os.path.join(where, "runs"))
    os.mkdir(os.path.join(where, "src"))
    for name, text in (("runs/one.profraw", content("counts")), ("src/a.c", b"int x;\n"), ("b.diff", PATCH.encode())):
        with open(os.path.join(where, name), "wb") as file:
            file.write(text)
    os.link(os.path.join(where, "program"), os.path.join(where, "link"))
    program = ["program", "--profile=counts"]
    for words, place in ((["report", *program], "program"), (["report", *program], "counts"),
                         (["export", *program], "src/../program"), (["show", *program, "--format=html"], "link"),
                         (["report", "program", "--profile=runs"], "runs/one.profraw"),
                         (["report", "--object=program", "--profile=counts"], "program"),
                         (["diff", *program, "--patch=b.diff"], "b.diff"),
                         (["diff", "program", "--profile=runs", "--base=counts"], "counts"),
                         (["show", *program, "--path-equivalence=/src/,src/"], "src/a.c"),
                         (["show", *program, "--path-equivalence=/src,src"], "src/a.c"),
                         (["diff", *program, "--patch=b.diff", "--path-equivalence=/src,src"], "src/a.c")):
        for option in ("-o", "--report="):
            if option == "--report=" and words[0] == "why":
                continue
            before = content(place)
            done = run(where, "cov", *words, *(["-o", place] if option == "-o" else [option + place]))
            says(f"{words} {option} {place}", done, done.returncode or 1, " would replace ")
            expect(f"{words} {option} {place}: the file", content(place) == before, True)
    says("two outputs", run(where, "cov", "report", *program, "-o", "x", "--report=./x"), 2, "cannot both be written")
    expect("another place", run(where, "cov", "report", *program, "-o", "x").returncode, 0)
    expect("again", run(where, "cov", "report", *program, "-o", "x").returncode, 0)


if __name__ == "__main__":
    sys.exit(run_tests((test_usage, test_profiles, test_gates, test_mismatch, test_diff, test_example,
                        test_example_of_regions, test_base, test_losses, test_colors, test_pages, test_changed,
                        test_names, test_exact_shares, test_several, test_filters, test_markers,
                        test_forged_names, test_outputs)))
