#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof cov` for people: how programs and source files are named, which source files are newer or cannot be read,
the code below a comparison, tables that fit a terminal, and the limits of colours."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _cov import ANYPROF, PATCH, expect, run, run_tests, says, touch  # noqa: E402  (found through the line before)


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


def test_ir_profile(where):
    """A profile of a program that was not built for coverage."""
    hint = "the profile is of an IR build (-fprofile-generate), whose counts fit no coverage mapping"
    for header, wanted in ((":ir\n", True), ("", False)):
        with open(os.path.join(where, "other"), "w", encoding="ascii") as file:
            file.write(header + "main\n1\n1\n7\n")
        done = run(where, "cov", "report", "program", "--profile=other")
        expect(f"{header!r}: hint", (done.returncode, hint in done.stderr.decode()), (0, wanted))


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


if __name__ == "__main__":
    sys.exit(run_tests((test_object, test_sources, test_newer, test_unreadable, test_diff_lines, test_width,
                        test_terminal, test_ir_profile, test_watermark)))
