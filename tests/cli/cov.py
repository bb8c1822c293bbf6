#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof cov`: what users do wrong, where profiles are found, and how much has to run. What is written about real
programs is compared in oracle/cov.py; here the program is one of three functions in LLVM's testing format."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios

ANYPROF = os.environ["ANYPROF"]
PLAIN = os.path.join(os.environ["ANYPROF_SOURCE_DIR"], "fuzz", "corpus", "cov", "plain")
FAILURES = []
CHECKS = 0


def expect(what, got, wanted):
    global CHECKS
    CHECKS += 1
    if got != wanted:
        FAILURES.append(what)
        print("FAILED: %s: %r, not %r" % (what, got, wanted))


def run(where, *words, name=None):
    return subprocess.run([name or ANYPROF, *words], executable=ANYPROF, cwd=where, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)


def says(what, done, code, text):
    expect(what, (done.returncode, text in done.stderr.decode()), (code, True))


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
            (["cov", "report", "program", f"--profile={ANYPROF}"], 1, "is an ELF file: it was not built with"),
            (["cov", "report", "program", "counts"], 2, "Did you mean '--profile=counts'?"),
            (["cov", "report", "program", "--profile=cut"], 1, "cut: invalid instrumentation profile data"),
            (["cov", "report", "program", "--profile=cut"], 1, "merge --salvage PROFILES -o FILE'"),
            (["cov", "report", "program", "--profile=counts", "/src/b.c"], 1, "the nearest names are '/src/a.c' and"),
            (["cov", "report", "program", "--profile=counts", "old/b.h"], 1, "the nearest name is '/src/b.h'"),
            (["cov", "report", "program", "--profile=counts", "a::b"], 1, "functions are selected with --name=a::b"),
            (["cov", "report", "program", "--profile=counts", "--name=none"], 0, "no function is selected"),
            (["cov", "export", "program", "--profile=counts", "-o", "x.info"], 0, "usually those of --format=lcov"),
            (["cov", "export", "program", "--profile=counts", "-o", "x.xml"], 0, "usually those of --format=cobertura"),
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
            (["cov", "report", "program", "--profile=counts", "--name=none", "--fail-under-lines=1"], 1,
             "no function is shown"),
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


def test_object(where):
    """With --object, the first argument is a program only if it is a binary file; as in llvm-cov, it always is."""
    for name, content in (("zeros", bytes(100)), ("text", b"text\n")):
        with open(os.path.join(where, name), "wb") as file:
            file.write(content)
    plain = run(where, "cov", "report", "program", "/src/a.c", "--profile=counts").stdout
    words = ["--object=program", "--profile=counts"]
    expect("a source", run(where, "cov", "report", *words, "/src/a.c").stdout, plain)
    expect("a program", run(where, "cov", "report", *words, "program", "/src/a.c").stdout, plain)
    says("nothing", run(where, "cov", "report", *words, "none"), 1, "the first argument is a program only if it is a")
    says("a binary file that is none", run(where, "cov", "report", *words, "zeros"), 1, "zeros: The file was not recog")
    expect("why", run(where, "cov", "why", *words, "main").stdout,
           run(where, "cov", "why", "program", "main", "--profile=counts").stdout)
    says("why of nothing", run(where, "cov", "why", *words), 2, "a FUNCTION is required")
    says("as llvm-cov", run(where, "report", "-object=program", "-instr-profile=counts", "text", name="llvm-cov"), 1,
         "failed to load coverage: 'text': The file was not recog")


def test_sources(where):
    """A source file is named as programs have it, by the only end of such a name, or by where it was moved to."""
    os.mkdir(os.path.join(where, "now"))
    for name in ("a.c", "now/a.c", "now/b.h"):
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write("line\n" * 40)
    words = ["cov", "report", "program", "--profile=counts"]
    a, b, both = (run(where, *words, *names).stdout
                  for names in (["/src/a.c"], ["/src/b.h"], ["/src/a.c", "/src/b.h"]))
    expect("three tables", len({a, b, both}), 3)
    moved, elsewhere = "--path-equivalence=/src,now", "--path-equivalence=/src/," + os.path.join(where, "now/")
    for names, wanted in ((["b.h"], b), (["src/b.h"], b), (["now/a.c", moved], a), (["now/b.h", moved], b),
                          (["now", moved], both), (["now/a.c", elsewhere], a), (["./now/../now/a.c", moved], a)):
        done = run(where, *words, *names)
        expect(f"{names}", (done.returncode, done.stdout), (0, wanted))
    for names in (["a.c"], ["now/a.c"], [".h"], ["rc/b.h"], ["b.h", "--compat=llvm-22"]):
        says(f"{names}", run(where, *words, *names), 0 if len(names) > 1 else 1,
             f"the file '{names[0]}' is not covered")


def touch(path, time):
    os.utime(path, (time, time))


def test_newer(where):
    """Source files that are newer than all programs, and under llvm-cov's name, programs newer than the profile."""
    for name in ("a.c", "b.h"):
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write("line\n" * 40)
    touch(os.path.join(where, "program"), 2000)
    words = ["program", "--profile=counts", "--path-equivalence=/src/,"]
    says_newer = b"newer than the program"
    for times, wanted in (((1000, 2000), b""), ((1000, 2001), b"the source file '/src/b.h' is newer than the program"),
                          ((2001, 2001), b"2 source files are newer than the program, such as '/src/a.c'")):
        touch(os.path.join(where, "a.c"), times[0])
        touch(os.path.join(where, "b.h"), times[1])
        for command in (["show"], ["show", "--format=html"], ["export", "--format=coveralls"],
                        ["report", "--exclusion-markers"]):
            done = run(where, "cov", *command, *words)
            expect(f"{command} {times}", (done.returncode, done.stderr.count(says_newer), wanted in done.stderr),
                   (0, 1 if wanted else 0, True))
        expect("no source is read", run(where, "cov", "report", *words).stderr, b"")
        expect("quiet", run(where, "cov", "show", *words, "--quiet").stderr, b"")
    with open(os.path.join(where, "program"), "rb") as source, open(os.path.join(where, "new"), "wb") as to:
        to.write(source.read())
    expect("a newer program", run(where, "cov", "show", *words, "--object=new").stderr, b"")
    stale = b"warning: program: profile data may be out of date - object is newer\n"
    for time, wanted in ((2000, b""), (1999, stale)):
        touch(os.path.join(where, "counts"), time)
        done = run(where, "report", "program", "-instr-profile=counts", name="llvm-cov")
        expect(f"llvm-cov {time}", (done.returncode, done.stderr), (0, wanted))
        expect(f"as llvm-cov {time}", run(where, "cov", "report", *words[:2], "--compat=llvm-22").stderr, wanted)
        expect(f"ours {time}", run(where, "cov", "report", *words[:2]).stderr, b"")


def test_unreadable(where):
    """A source file that is missing, and those that cannot be read for other reasons."""
    words = ["cov", "show", "program", "/src/a.c", "--profile=counts"]
    says("missing", run(where, *words), 0, "'/src/a.c' cannot be read: --path-equivalence=FROM,TO says where")
    words.append("--path-equivalence=/src/,")
    says("missing elsewhere", run(where, *words), 0, "'/src/a.c' cannot be read at a.c: No such file or directory")
    os.symlink("a.c", os.path.join(where, "a.c"))
    says("a circle", run(where, *words), 0, "cannot be read at a.c: Too many levels of symbolic links")
    os.unlink(os.path.join(where, "a.c"))
    os.mkfifo(os.path.join(where, "a.c"))
    says("a pipe", run(where, *words), 0, "cannot be read at a.c: it is no regular file")
    touch(os.path.join(where, "program"), 1)
    done = run(where, "show", "program", "/src/a.c", "-instr-profile=counts", name="llvm-cov")
    expect("as llvm-cov", done.stderr, b"error: /src/a.c: No such file or directory\n"
           b"warning: The file '/src/a.c' isn't covered.\n")


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


def test_gates(where):
    def code(*words):
        return run(where, "cov", "report", "program", "--profile=counts", *words).returncode
    expect("enough", code("--fail-under-lines=80", "--fail-under-functions=66.66", "--fail-under-branches=100"), 0)
    for name, least in (("lines", "81.9"), ("functions", "66.7"), ("regions", "80.1"), ("branches", "100")):
        expect(name, code(f"--fail-under-{name}={least}"), 0 if name == "branches" else 3)
    expect("no share", code("--fail-under-lines=101"), 2)
    done = run(where, "cov", "export", "program", "--profile=counts", "--fail-under-lines=99")
    expect("the output is complete", (done.returncode, done.stdout.endswith(b"}")), (3, True))


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


PATCH = """diff --git a/src/a.c b/src/a.c
--- a/src/a.c
+++ b/src/a.c
@@ -0,0 +1,%d @@
%sdiff --git a/doc b/doc
--- a/doc
+++ b/doc
@@ -0,0 +1 @@
+text
"""


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


def test_diff_lines(where):
    """Text has the code of the lines that did not run; what the terminal would obey is escaped."""
    def lines(done):
        return [line for line in done.stdout.decode().splitlines() if "| " in line]
    with open(os.path.join(where, "patch"), "w", encoding="ascii") as file:
        file.write(PATCH % (30, "+x\n" * 30))
    words = ["cov", "diff", "program", "--profile=counts", "--patch=patch", "--path-equivalence=/src/,"]
    done = run(where, *words)
    expect("no sources", (b"Lines that did not run" in done.stdout, b"'/src/a.c' cannot be read at a.c" in done.stderr),
           (False, True))
    for more in ("--json", "--markdown"):
        expect(f"no sources {more}", run(where, *words, more).stderr, b"")
    with open(os.path.join(where, "a.c"), "w", encoding="ascii") as file:
        file.write("".join(f"line {i}\t\033[2J\r\n" if i != 6 else "x" * 300 + "\n" for i in range(1, 41)))
    touch(os.path.join(where, "a.c"), 1)
    done = run(where, *words)
    expect("lines", (lines(done), done.stderr),
           (["       5| line 5\t\\x1b[2J", "       6| " + "x" * 200 + "..."], b""))
    expect("with their file", done.stdout.count(b"\n\nLines that did not run:\n\nsrc/a.c\n       5|"), 1)
    for more in ("--json", "--markdown"):
        expect(f"not with {more}", b"\\x1b" in run(where, *words, more).stdout, False)
    touch(os.path.join(where, "program"), 1)
    touch(os.path.join(where, "a.c"), 2)
    for more in ([], ["--json"], ["--markdown"]):
        says(f"newer {more}", run(where, *words, *more), 0, "source file '/src/a.c' is newer than the program")
    with open(os.path.join(where, "none"), "wb") as file:
        file.write(b"other\n1\n1\n1\n")
    words = ["cov", "diff", "program", "--path-equivalence=/src/,", "--profile=none", "--base=counts"]
    lost = [pair for entry in json.loads(run(where, *words, "--json").stdout)["files"] for pair in entry["lost"]
            if entry["path"] == "/src/a.c"]
    done = run(where, *words)
    expect("lost lines", [int(line.split("|")[0]) for line in lines(done)],
           [line for first, last in lost for line in range(first, last + 1)])
    expect("their heading", b"\nLines that ran before, and do not now:\n\n/src/a.c\n" in done.stdout, True)


def test_width(where):
    """A table that is too wide for a terminal, or for --width, is narrower: names at the end, no empty columns."""
    words = ["cov", "report", "program", "--profile=counts"]
    wide = run(where, *words).stdout
    columns = len(wide.splitlines()[1])
    narrow = run(where, *words, "--width=80").stdout
    expect("narrow", [line.split() for line in narrow.decode().splitlines()],
           [["Regions", "Functions", "Lines", "Branches", "Filename"],
            ["80.00%", "4/5", "66.67%", "2/3", "81.82%", "9/11", "100.00%", "4/4", "a.c"],
            ["-", "0/0", "-", "0/0", "-", "0/0", "-", "0/0", "b.h"],
            ["80.00%", "4/5", "66.67%", "2/3", "81.82%", "9/11", "100.00%", "4/4", "TOTAL"]])
    expect("it fits", max(map(len, narrow.splitlines())) <= 80, True)
    for width, wanted in ((columns, wide), (columns - 1, narrow), (0, wide)):
        expect(f"--width={width}", run(where, *words, f"--width={width}").stdout, wanted)
    none = run(where, *words, "--width=80", "--show-branch-summary=false", "--show-mcdc-summary").stdout
    expect("without branches and MC/DC", none.split(b"\n")[0].split(),
           [b"Regions", b"Functions", b"Lines", b"Filename"])
    functions = run(where, *words, "--width=60", "--show-functions", "/src/a.c").stdout.decode().splitlines()
    expect("functions", (functions[0], functions[1].split()),
           ("File '/src/a.c':", ["Regions", "Lines", "Branches", "Name"]))
    expect("their names", sorted(line.split()[-1] for line in functions[2:]), ["TOTAL", "mac", "main", "unused"])
    for width, more, wanted in ((80, [], narrow), (300, [], wide), (0, [], wide), (80, ["--compat=llvm-22"], wide),
                                (80, ["--width=300"], wide)):
        expect(f"a terminal of {width} {more}", on_terminal(where, width, *words, *more)[0], wanted)


def on_terminal(where, width, *words):
    """What a command prints to a terminal; (standard output, standard error)."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    done = subprocess.run([ANYPROF, *words], cwd=where, stdin=subprocess.DEVNULL, stdout=child, stderr=subprocess.PIPE,
                          check=False)
    os.close(child)
    got = b""
    try:
        while chunk := os.read(parent, 65536):
            got += chunk
    except OSError: # the other end is closed
        pass
    os.close(parent)
    return got.replace(b"\r\n", b"\n"), done.stderr


def test_terminal(where):
    """No page is printed to a terminal, and a diff that is to be typed is asked for."""
    words = ["cov", "show", "program", "--profile=counts", "--format=html"]
    for more, wanted in (([], True), (["-o", "page"], False), (["--output-dir=pages"], False)):
        out, err = on_terminal(where, 80, *words, *more)
        expect(f"a page {more}", (out, b"a page is not for terminals" in err), (b"", wanted))
    parent, child = pty.openpty()
    with subprocess.Popen([ANYPROF, "cov", "diff", "program", "--profile=counts"], cwd=where, stdin=child,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        os.close(child)
        expect("a diff", b"a diff is read from standard input" in process.stderr.readline(), True)
        os.close(parent)
        process.wait()


def test_watermark(where):
    def ranks(*words):
        page = run(where, "cov", "show", "program", "--profile=counts", "--format=html", *words).stdout.decode()
        row = page[page.index("<tr><th scope=row>All"):]
        return [cell.split()[0].split(">")[0] for cell in row[:row.index("</tr>")].split("<td class=")[1:]]
    expect("default", ranks(), ["fair", "fair", "fair", "good"]) # 81.82 %, 66.67 %, 80.00 %, 100 %
    expect("as llvm-cov", ranks("--compat=llvm-22"), ["fair", "poor", "fair", "good"])
    for limits, wanted in (("80,70", ["good", "poor", "good", "good"]),
                           ("81.82,66.67", ["good", "fair", "fair", "good"]),
                           ("100,66.68", ["fair", "poor", "fair", "good"]), ("1,0", ["good"] * 4)):
        expect(limits, ranks(f"--coverage-watermark={limits}"), wanted)
    words = ["cov", "show", "program", "--profile=counts"]
    for limits, wrong in (("80", "invalid argument '80', must be in format 'high,low'"),
                          ("x,1", "invalid number 'x', invalid value for 'high'"),
                          ("2,1x", "invalid number '1x', invalid value for 'low'"),
                          ("80,90", "invalid number range '80,90', must be both high and low should be between 0-100")):
        says(limits, run(where, *words, f"--coverage-watermark={limits}"), 2, "--coverage-watermark: " + wrong)
        says(limits, run(where, "show", "program", "-instr-profile=counts", f"-coverage-watermark={limits}",
                         name="llvm-cov"), 1, "error: -coverage-watermark: " + wrong)


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
    expect("off again", run(where, *words, "--color", "--use-color=false").stdout, plain)


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
    expect("by the runtime, or it is missing", plain.returncode == 0 or b"libstdc++" in plain.stderr, True)


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
    for text, wanted in (("", all_lines), (from_third, [n for n in all_lines if n < 3]),
                         (second, all_lines[:1] + all_lines[2:])):
        with open(os.path.join(where, "a.c"), "w", encoding="ascii") as file:
            file.write(text)
        expect(f"markers in {text!r}", lines("--exclusion-markers", "--path-equivalence=/src/,"), wanted)
        expect("not asked for", lines("--path-equivalence=/src/,"), all_lines)
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


def main():
    with open(PLAIN, "rb") as file:
        profile, _, program = file.read().partition(b"\0")
    tests = (test_usage, test_object, test_sources, test_newer, test_unreadable, test_profiles, test_gates,
             test_mismatch, test_diff, test_diff_lines, test_width, test_terminal, test_watermark, test_example,
             test_base, test_losses, test_colors, test_changed, test_names, test_exact_shares, test_several,
             test_filters, test_markers)
    for test in tests:
        with tempfile.TemporaryDirectory() as where:
            for name, content in (("counts", profile), ("program", program)):
                with open(os.path.join(where, name), "wb") as file:
                    file.write(content)
            test(where)
    print("%d checks, %d failures" % (CHECKS, len(FAILURES)))
    return 1 if FAILURES else 0


sys.exit(main())
