#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof report`, `merge --html` and `diff --markdown`: what is asked for, mistakes, damaged and empty profiles,
several profiles and directories, Markdown with hostile names, and that the same inputs give the same bytes."""

import json
import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _cov import ANYPROF, expect, run, run_tests, says  # noqa: E402  (found through the line before)

NOW = ":ir\nmain\n1\n2\n10\n90\n\nhot\n2\n1\n900\n\nnever\n3\n1\n0\n\n"
BEFORE = ":ir\nmain\n1\n2\n10\n90\n\nold\n4\n1\n100\n\n"
SAMPLES = "main:100:1\n 1: 60\n 2: leaf:40\n  1: 40\n"


def write(where, name, text):
    with open(os.path.join(where, name), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def profiles(where):
    write(where, "now.proftext", NOW)
    write(where, "before.proftext", BEFORE)
    write(where, "main.prof", SAMPLES)
    write(where, "damaged.proftext", NOW + "cut\n1\n")
    write(where, "empty.profraw", "")


def read(where, name):
    with open(os.path.join(where, name), "rb") as file:
        return file.read()


def test_mistakes(where):
    profiles(where)
    page = ["-o", "page.html"]
    says("no profile", run(where, "report"), 2, "a PROFILE is required")
    says("no such file", run(where, "report", "none", *page), 1, "none: No such file")
    says("a program", run(where, "report", ANYPROF, *page), 1, "no pseudo probe sections")
    says("two families", run(where, "report", "now.proftext", "--against=main.prof", *page), 1, "main.prof: ")
    says("standard input twice", run(where, "report", "-", "-", *page), 2, "standard input can be given only once")
    says("also for the base", run(where, "report", "-", "--against=-", *page), 2, "can be given only once")
    says("an input", run(where, "report", "now.proftext", "-o", "now.proftext"), 2, "would replace an input")
    says("the base", run(where, "report", "now.proftext", "--against=before.proftext", "-o", "before.proftext"), 2,
         "would replace an input")
    says("the program", run(where, "report", "now.proftext", "--binary=program", "-o", "program"), 2,
         "would replace an input")
    says("no directory", run(where, "report", "now.proftext", "-o", "no/page.html"), 1, "no/page.html: ")
    says("damaged alone", run(where, "report", "damaged.proftext", *page), 1, "damaged.proftext: ")
    says("empty alone", run(where, "report", "empty.profraw", *page), 1, "empty.profraw: ")
    says("all of them bad", run(where, "report", "damaged.proftext", "empty.profraw", *page), 1, "damaged.proftext: ")
    says("two formats", run(where, "diff", "now.proftext", "before.proftext", "--json", "--markdown"), 2, "two formats")
    expect("nothing was written", sorted(os.listdir(where)),
           ["before.proftext", "counts", "damaged.proftext", "empty.profraw", "main.prof", "now.proftext", "program"])


MEMORY = """---
HeapProfileRecords:
  - GUID: _Z4makev
    AllocSites:
      - Callstack: [ { Function: _Z4makev.llvm.7, LineOffset: 1, Column: 2, IsInlineFrame: false } ]
        MemInfoBlock: { AllocCount: 1, TotalSize: 64 }
"""


def test_memory_names(where):
    """YAML may have names in place of hashes; several files are merged."""
    write(where, "a.yaml", MEMORY)
    write(where, "b.yaml", MEMORY.replace("_Z4makev", "0xc7b67d7a7a584ca0").replace(".llvm.7", ""))
    for words in (["a.yaml"], ["a.yaml", "b.yaml"], ["b.yaml", "--against=a.yaml"]):
        done = run(where, "report", *words, "--markdown")
        expect(f"names of {words}", (done.returncode, b"| `make()` |" in done.stdout), (0, True))
    done = run(where, "report", "b.yaml", "--markdown")
    expect("no names", (done.returncode, b"| `0xc7b67d7a7a584ca0` |" in done.stdout), (0, True))


def test_terminal(where):
    """A page is not written to a terminal, Markdown is."""
    profiles(where)
    for words, code in (([], 2), (["--markdown"], 0)):
        master, slave = pty.openpty()
        done = subprocess.run([ANYPROF, "report", "now.proftext", *words], cwd=where, stdout=slave,
                              stderr=subprocess.PIPE, check=False)
        os.close(slave)
        os.close(master)
        expect(f"exit code {words}", done.returncode, code)
        expect(f"what to do {words}", b"-o report.html" in done.stderr, code == 2)


MARKDOWN = """### `now.proftext, compared with before.proftext`

3 functions, 1 of them never ran. 1 function holds 90 % of all 1,000 counts.

90.00 % of all counts moved; the overlap is 10.00 %. 4 functions differ, 0 are equal.

| Function | Change | Before | After | Effect |
|---|---|--:|--:|--:|
| `hot` | new | 0.00 % | 90.00 % | 45.00 % |
| `old` | gone | 50.00 % | 0.00 % | 25.00 % |
| `main` | colder | 50.00 % | 10.00 % | 20.00 % |
| `never` | new | 0.00 % | 0.00 % | 0.00 % |

| Hottest functions | Share | Counts |
|---|--:|--:|
| `hot` | 90.0 % | 900 |
| `main` | 10.0 % | 100 |
| `never` | 0.0 % | 0 |
"""


def test_markdown(where):
    profiles(where)
    done = run(where, "report", "now.proftext", "--against=before.proftext", "--markdown")
    expect("Markdown", (done.returncode, done.stderr), (0, b""))
    expect("its text", sorted(done.stdout.decode().split("\n\n\n")[0].strip().splitlines()),
           sorted(MARKDOWN.strip().splitlines()))
    done = run(where, "diff", "before.proftext", "now.proftext", "--markdown", "--fail-above=1", "--topn=1")
    expect("diff: rows", [line for line in done.stdout.decode().splitlines() if line.startswith("| `")],
           ["| `hot` | new | 0.00 % | 90.00 % | 45.00 % |"])
    says("diff: exit code", done, 3, "of the counts moved")
    write(where, "whole.proftext", ":ir\na\n1\n1\n99999\n\n")
    write(where, "halves.proftext", ":ir\na\n1\n1\n19\n\nb\n2\n1\n13\n\n")
    write(where, "small.proftext", ":ir\na\n1\n1\n99999\n\nb\n2\n1\n1\n\n")
    outputs = [run(where, "diff", "whole.proftext", f"{name}.proftext", "--markdown") for name in ("halves", "small")]
    rows = [line for done in outputs for line in done.stdout.decode().splitlines() if line.startswith("| `b`")]
    expect("diff: rounded as on the page", rows,  # 13 of 32 are 40.625 %
           ["| `b` | new | 0.00 % | 40.63 % | 20.31 % |", "| `b` | new | 0.00 % | 0.001 % | 0.001 % |"])
    write(where, "front.proftext", "main\n1\n1\n1\n\n")
    done = run(where, "diff", "front.proftext", "now.proftext", "--markdown")
    expect("of two kinds", b"- one of the compared profiles is an IR profile, and one of the front end" in done.stdout,
           True)
    done = run(where, "diff", "main.prof", "main.prof", "--markdown")
    expect("samples", (done.returncode, b"the overlap is 100.00 %" in done.stdout, b"| `" in done.stdout),
           (0, True, False))
    write(where, "hostile.proftext", ":ir\na|b`c``d\n1\n1\n5\n\n<b>x\n2\n1\n4\n\n")
    rows = [line for line in run(where, "report", "hostile.proftext", "--markdown").stdout.decode().splitlines()
            if line.startswith("| `")]
    expect("names that are markup", rows, ["| ``` a\\|b`c``d ``` | 55.6 % | 5 |", "| `<b>x` | 44.4 % | 4 |"])
    write(where, "long.proftext", ":ir\n%s\n1\n1\n5\n\n" % ("a" * 150 + "\u00e9" * 150))
    text = run(where, "report", "long.proftext", "--markdown").stdout.decode()
    expect("long names", "`" + "a" * 120 + "\u2026" + "\u00e9" * 40 + "`" in text, True)


def test_several(where):
    profiles(where)
    done = run(where, "report", "now.proftext", "damaged.proftext", "empty.profraw", "--markdown")
    says("a damaged one", done, 0, "damaged.proftext: not used, or only in part: ")
    expect("it is listed", "| `damaged.proftext` | not used |" in done.stdout.decode(), True)
    os.mkdir(os.path.join(where, "dir"))
    for name in ("now.proftext", "before.proftext"):
        os.link(os.path.join(where, name), os.path.join(where, "dir", name))
    one, two = (run(where, "report", *names, "--markdown", "--title=T").stdout.decode()
                for names in (["dir"], ["before.proftext", "now.proftext"]))
    expect("a directory", one, two)
    expect("is a sum", "`main` | 16.7 % | 200" in one, True)
    stdin = subprocess.run([ANYPROF, "report", "-", "--markdown"], input=NOW.encode(), capture_output=True, check=False)
    expect("standard input", (stdin.returncode, b"`hot` | 90.0 % | 900" in stdin.stdout), (0, True))
    words = '"$0" report now.proftext --against=<(cat before.proftext) --markdown'
    pipe = subprocess.run(["bash", "-c", words, ANYPROF], capture_output=True, check=False, cwd=where)
    expect("a pipe", (pipe.returncode, b"| `old` | gone" in pipe.stdout), (0, True))
    program = subprocess.run([ANYPROF, "report", "now.proftext", "--binary=-", "--markdown"], capture_output=True,
                             check=False, cwd=where, stdin=subprocess.DEVNULL)
    expect("an empty program", (program.returncode, program.stderr.count(b"standard input: ")), (1, 1))


def test_merge(where):
    profiles(where)
    done = run(where, "merge", "now.proftext", "damaged.proftext", "-o", "m.profdata", "--html=page.html")
    expect("a merge that fails has a page", (done.returncode, b"damaged.proftext" in read(where, "page.html"),
                                             os.path.exists(os.path.join(where, "m.profdata"))), (1, True, False))
    page = read(where, "page.html")
    expect("which says so first",
           page.index(b"The merge failed: nothing was written<") < page.index(b"3 functions"), True)
    expect("and calls nothing merged", (b"m.profdata: not written</title>" in page, b">merged<" in page,
                                        b">good, but not written<" in page), (True, False, True))
    run(where, "merge", "now.proftext", "-o", "/dev/full", "--html=page.html")
    expect("a full disk", b"The merge failed: nothing was written<" in read(where, "page.html"), True)
    write(where, "old", NOW)
    run(where, "merge", "damaged.proftext", "-o", "old", "--html=page.html", "--failure-mode=warn")
    expect("an older result", (b"an older file stays<" in read(where, "page.html"), read(where, "old")),
           (True, NOW.encode()))
    done = run(where, "merge", "now.proftext", "damaged.proftext", "-o", "m.profdata", "--html=page.html",
               "--max-loss=50")
    page = read(where, "page.html")
    expect("one that accepts it", (done.returncode, b"not used" in page, b"m.profdata</title>" in page),
           (0, True, True))
    expect("it did not fail", b"nothing was written" in page, False)
    expect("losses come first", page.index(b"damaged.proftext</code>") < page.index(b"now.proftext</code>"), True)
    done = run(where, "merge", "main.prof", "-o", "m.afdo", "--html=samples.html")
    expect("samples", (done.returncode, b"Callers and inlining" in read(where, "samples.html")), (0, True))
    write(where, "damaged.prof", "main:100:1\n x: 60\n")
    done = run(where, "merge", "main.prof", "damaged.prof", "-o", "no.afdo", "--html=samples.html")
    expect("samples that fail", (done.returncode, b"nothing was written<" in read(where, "samples.html")), (1, True))
    for page in ("/dev/full", "none/page.html"):
        done = run(where, "merge", "now.proftext", "-o", "whole.profdata", f"--html={page}")
        says(f"{page}: no page", done, 1, "note: the profile is written, the page is not")
        expect(f"{page}: but the profile", run(where, "show", "whole.profdata").returncode, 0)
        os.remove(os.path.join(where, "whole.profdata"))
    done = run(where, "merge", "damaged.proftext", "-o", "whole.profdata", "--html=/dev/full")
    expect("neither", (done.returncode, b"profile is written" in done.stderr), (1, False))
    says("one place", run(where, "merge", "now.proftext", "-o", "x", "--html=x"), 2, "cannot both be written")
    says("an input", run(where, "merge", "now.proftext", "-o", "x", "--html=now.proftext"), 2, "would replace an input")
    expect("which stays", read(where, "now.proftext"), NOW.encode())


def test_merge_result(where):
    """What the result of a merge is, and the messages of the merge, are on its page."""
    profiles(where)
    words = ["merge", "--for=indexed-4", "temporal.proftext", "-o", "old.profdata", "--html=page.html"]
    write(where, "temporal.proftext", ":ir\n:temporal_prof_traces\n1\n1\n1\nmain\n" + NOW[4:])
    done = run(where, *words)
    left = "left out of the output (indexed version 4): 1 temporal trace"
    says("what is left out", done, 0, left)
    page = read(where, "page.html").decode()
    expect("is on the page", f"<li>{left}" in page, True)
    facts = page[page.index('<section id="files">'):]
    expect("what it is", ("<summary><code>old.profdata</code>" in facts, "version 4</dd>" in facts,
                          "<dt>read by</dt>" in facts, "<dt>variant</dt>" in facts), (True, True, True, True))
    run(where, *words, "--quiet")
    expect("not with --quiet", f"<li>{left}" in read(where, "page.html").decode(), False)
    run(where, "merge", "main.prof", "-o", "m.afdo", "--html=page.html")
    page = read(where, "page.html").decode()
    expect("samples", "<summary><code>m.afdo</code>" in page, True)
    run(where, "merge", "now.proftext", "-o", "-", "--html=page.html")
    page = read(where, "page.html").decode()
    expect("standard output is no file", ('<section id="files">' in page, "<title>standard output" in page),
           (False, True))
    done = run(where, "merge", "damaged.proftext", "now.proftext", "-o", "m.profdata", "--html=page.html")
    page = read(where, "page.html").decode()
    expect("a failure", ("<li>nothing is written: 1 of 2 inputs is bad</li>" in page,
                         '<section id="files">' in page), (True, False))


def test_words(where):
    """Titles of directories, names of other formats, nothing about losses where there are none."""
    profiles(where)
    os.mkdir(os.path.join(where, "dir"))
    for name in ("now.proftext", "before.proftext"):
        os.link(os.path.join(where, name), os.path.join(where, "dir", name))
    for words, title in ((["dir"], "dir (2 profiles)"), (["now.proftext", "dir"], "now.proftext and 2 more"),
                         (["now.proftext", "--against=dir"], "now.proftext, compared with dir (2 profiles)"),
                         (["dir", "--include=now*"], "dir (1 profile)"), (["dir", "--title=T"], "T"),
                         (["dir", "--title="], "dir (2 profiles)")):
        done = run(where, "report", *words, "--markdown")
        expect(f"title of {words}", done.stdout.decode().split("\n")[0], f"### `{title}`")
        expect(f"no losses: {words}", b"losses" in done.stdout, False)
    for name, words, what in (("r.pdf", [], "a page"), ("r.html", ["--markdown"], "Markdown"), ("r.html", [], ""),
                              ("r.md", [], ""), ("r.txt", ["--markdown"], ""), ("r", [], "")):
        done = run(where, "report", "now.proftext", "-o", name, *words)
        expect(f"{name} {words}", (done.returncode, done.stderr.decode()),
               (0, what and f"note: {name} is {what}: reports are pages (.html) or Markdown (.md)\n"))


def test_entries(where):
    """The first counter of IR profiles is that of any edge, unless they say that it is the entry."""
    for header, title in ((":ir\n", "First counter"), (":ir\n:entry_first\n", "Entries"), ("", "Entries")):
        write(where, "p.proftext", header + "main\n1\n2\n0\n90\n\n")
        run(where, "report", "p.proftext", "-o", "p.html")
        page = read(where, "p.html").decode()
        expect(f"{header!r}: title", [f'<th class="n">{word}</th>' in page for word in ("Entries", "First counter")],
               [title == "Entries", title != "Entries"])


def test_kinds(where):
    """Of IR and front-end profiles in one report, and of functions of one name with several hashes."""
    write(where, "ir.proftext", ":ir\nmain\n1\n2\n10\n90\n\n")
    write(where, "fe.proftext", ":fe\nmain\n2\n1\n50\n\nother\n2\n1\n5\n\n")
    for name in ("ir", "fe"):
        run(where, "merge", "--for=llvm-19", f"{name}.proftext", "-o", f"{name}.profdata")
    words = "1 front-end profile was merged with IR profiles: a compiler uses only one of the two kinds"
    merged = run(where, "merge", "ir.profdata", "fe.profdata", "-o", "sum.profdata")
    done = run(where, "report", "ir.profdata", "fe.profdata", "--markdown")
    says("as merge says it", merged, 0, f"note: {words}")
    says("said", done, 0, f"note: {words}")
    expect("in Markdown", f"- {words}\n" in done.stdout.decode(), True)
    run(where, "report", "ir.profdata", "fe.profdata", "-o", "both.html")
    expect("on the page", f"<li>{words}</li>".encode() in read(where, "both.html"), True)
    write(where, "twins.proftext", ":ir\nmain\n1\n1\n10\n\nmain\n2\n1\n30\n\nother\n2\n1\n5\n\n")
    short = run(where, "report", "twins.proftext", "--markdown").stdout.decode()
    rows = [line.split(" | ")[0] for line in short.splitlines() if line.startswith("| `")]
    expect("their hashes", rows, ["| `main` 0x0000000000000002", "| `main` 0x0000000000000001", "| `other`"])
    run(where, "report", "twins.proftext", "-o", "twins.html")
    expect("on the page", read(where, "twins.html").count(b"<code>main</code> <span class=\"soft\">0x"), 2)


def test_levels(where):
    """Context-sensitive counts are of the same runs as the others: reports and comparisons are about one kind."""
    write(where, "p.proftext", ":csir\nmain\n1152921504606846977\n1\n5\n\nmain\n1\n2\n10\n20\n\n"
                               "f\n1\n1\n5\n\n")
    words = "left out: 1 record of functions with context-sensitive counts; 'anyprof report --cs' is about those"
    done = run(where, "report", "p.proftext", "--markdown")
    says("said", done, 0, f"note: {words}")
    expect("the others", "2 functions, 0 of them never ran. 2 functions hold 90 % of all 35 counts." in
           done.stdout.decode(), True)
    short = run(where, "report", "--cs", "p.proftext", "--markdown", "--against=p.proftext").stdout.decode()
    expect("these", "1 function, 0 of them never ran. 1 function holds 90 % of all 5 counts." in short, True)
    expect("compared", "0 functions differ, 1 is equal." in short, True)
    write(where, "plain.proftext", ":ir\nmain\n1\n1\n10\n\n")
    says("none", run(where, "report", "--cs", "plain.proftext", "--markdown"), 1,
         "the profile has no context-sensitive counts")
    done = run(where, "report", "--cs", "--against=plain.proftext", "p.proftext", "--markdown")
    says("none to compare with", done, 0,
         "note: the profile that it is compared with has no context-sensitive counts")
    says("none to convert", run(where, "convert", "--cs", "plain.proftext", "--csv"), 1,
         "error: plain.proftext: invalid argument: the profile has no context-sensitive counts")
    write(where, "p.prof", "main:5:1\n 1: 5\n")
    says("of samples", run(where, "report", "--cs", "p.prof", "--markdown"), 1,
         "only instrumentation profiles have context-sensitive counts")


def test_base_inputs(where):
    """What became of the inputs that are compared with is said, too."""
    os.mkdir(os.path.join(where, "base"))
    for name, text in (("good", ":ir\nmain\n1\n1\n10\n\n"), ("cut", ":ir\nmain\n1\n"), ("empty", "")):
        write(where, f"base/{name}.proftext", text)
    write(where, "p.proftext", ":ir\nmain\n1\n1\n30\n\n")
    short = run(where, "report", "--against=base", "p.proftext", "--markdown").stdout.decode()
    expect("their number", "\n3 inputs, 1 of them with losses, 1 empty.\n" in short, True)
    expect("their role", "| `base/cut.proftext` (compared with) | not used |" in short, True)
    run(where, "report", "--against=base", "p.proftext", "-o", "p.html")
    expect("on the page", read(where, "p.html").count(b"proftext</code> (compared with)</td>"), 3)


def test_mixed_up(where):
    """A program is given as the profile, and the profile as the program."""
    write(where, "p.proftext", ":ir\nmain\n1\n1\n30\n\n")
    done = run(where, "report", ANYPROF, "--binary=p.proftext", "-o", "p.html")
    says("mixed up", done, 1, "this is a program, and p.proftext is none: they are mixed up")
    says("a hint", done, 1, "note: give the program with --binary=PROGRAM")
    done = run(where, "report", ANYPROF, f"--binary={ANYPROF}", "-o", "p.html")
    says("two programs", done, 1, "give the other one as a profile to compare with")
    expect("no hint", b"give the program with" in done.stderr, False)


DUPLICATED = "main:50:1\n 1: 10\n 2: foo:40\n  1: 30\n  3: bar:10\n   1: 10\n  !Attributes: 4\n" \
             "foo:40:1\n 1: 30\n 3: bar:10\n  1: 10\n"


def test_nothing_in_common(where):
    """The overlap is a number also where rounding makes the sum of all differences more than everything."""
    names = "".join(f"f{i}\n{{}}{i}\n1\n{i**3 + 7}\n\n" for i in range(1, 77))
    write(where, "a.proftext", ":ir\n" + names.replace("{}", "1"))
    write(where, "b.proftext", ":ir\n" + names.replace("{}", "2"))
    short = run(where, "report", "a.proftext", "--against=b.proftext", "--markdown").stdout.decode()
    expect("nothing in common", "100.00 % of all counts moved; the overlap is 0.00 %" in short, True)
    for name, n in (("a.fdata", 300), ("b.fdata", 200)):
        write(where, name, "".join(f"1 {name}{i} 0 1 {name}{i} 8 0 {i**3 + 7}\n" for i in range(n)))
    short = run(where, "report", "a.fdata", "--against=b.fdata", "--markdown").stdout.decode()
    wanted = "100.00 % of all branches moved; the overlap is 0.00 %. 500 functions differ, 0 are equal."
    expect("of BOLT", wanted in short, True)


def test_backquotes(where):
    """Code of Markdown is between more backquotes than what is shown of a name has."""
    write(where, "p.proftext", ":ir\n" + "`" * 70000 + "\n1\n1\n10\n\n")
    short = run(where, "report", "p.proftext", "--markdown").stdout.decode()
    fence, name = "`" * 41, "`" * 40
    expect("bounded", (len(short) < 3000, fence + "`" in short), (True, False))
    expect("cut", f"| {fence} {name}\u2026" in short, True)


def test_duplicated(where):
    """Inlined functions whose samples their own profiles have, too, count once: in all commands alike."""
    write(where, "p.prof", DUPLICATED)
    write(where, "once.prof", DUPLICATED.replace("\n 2: foo:40\n  1: 30\n  3: bar:10\n   1: 10\n  !Attributes: 4", ""))
    done = run(where, "report", "p.prof", "--markdown")
    words = "left out: 2 inlined functions whose samples their own profiles have, too"
    says("said", done, 0, f"note: {words}")
    short = done.stdout.decode()
    expect("in Markdown", f"- {words}\n" in short, True)
    once = run(where, "report", "once.prof", "--markdown").stdout.decode()
    tables = [[line for line in text.splitlines() if line.startswith("| `")] for text in (short, once)]
    expect("the functions", tables[0], tables[1])
    expect("their samples", "| `foo` | 60.0 % | 30 |" in short, True)
    expect("show", b"Total count: 50\n" in run(where, "show", "--sample", "--detailed-summary", "p.prof").stdout, True)
    stacks = run(where, "convert", "--folded", "p.prof").stdout.decode().split()
    expect("stacks", sum(map(int, stacks[1::2])), 50)
    diff = json.loads(run(where, "diff", "--json", "p.prof", "once.prof").stdout)
    expect("diff", (diff["a"]["samples"], diff["b"]["samples"], diff["equal"], diff["differ"]), (50, 50, 3, 0))


def test_contradictions(where):
    """Why an input is not in the result as a whole, also if no error says it."""
    write(where, "one.proftext", ":ir\nf\n1\n1\n5\n\n")
    write(where, "two.proftext", ":ir\nf\n1\n2\n5\n1\n\ng\n1\n1\n4\n\n")
    words = "1 function left out: contradicted by others, or without a name"
    done = run(where, "report", "one.proftext", "two.proftext", "--markdown")
    says("a warning", done, 0, f"one.proftext: not used, or only in part: {words}")
    expect("in Markdown", f"| `one.proftext` | merged, with losses | `{words}` |\n" in done.stdout.decode(), True)
    run(where, "merge", "one.proftext", "two.proftext", "-o", "sum.profdata", "--html=page.html")
    expect("on the page of a merge", f"<td>{words}</td>".encode() in read(where, "page.html"), True)


def test_same_bytes(where):
    profiles(where)
    for name in ("1.html", "2.html"):
        run(where, "report", "now.proftext", "before.proftext", "-o", name)
    expect("twice", read(where, "1.html"), read(where, "2.html"))
    run(where, "report", "before.proftext", "now.proftext", "-o", "3.html", "--title=T")
    run(where, "report", "now.proftext", "before.proftext", "-o", "4.html", "--title=T")
    expect("another order: the same data", *(read(where, name).split(b"id=\"data\">")[1].split(b"<")[0]
                                             for name in ("3.html", "4.html")))


sys.exit(run_tests([test_mistakes, test_memory_names, test_terminal, test_markdown, test_several, test_merge,
                    test_merge_result, test_words, test_entries, test_kinds, test_nothing_in_common, test_backquotes,
                    test_levels, test_base_inputs, test_mixed_up,
                    test_duplicated, test_contradictions, test_same_bytes]))
