#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof report` about memory profiles, BOLT's profiles, programs and their probes: with programs of clang 22 and
the corpus, in a real browser where there is one; every profile of the corpus, damaged ones too; hostile names;
profiles of a million records and 100,000 contexts."""

import glob
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _browser  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402
import report_html as page  # noqa: E402

CLANG = shutil.which("clang-22")
SOURCE = """
#include <stdio.h>
#include <stdlib.h>
static int local(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 3; return s; }
__attribute__((noinline)) int edited(int n) {
#ifdef NEW
    if (n > 3) return 7;
#endif
    int s = 0; while (n) { s += n & 1; n >>= 1; } return s; }
#ifndef NEW
__attribute__((noinline)) int gone(int n) { return n - 1; }
#else
#define gone(n) (n)
__attribute__((noinline)) int fresh(int n) { return n * 3; }
#endif
int main(int argc, char **argv) {
    int s = 0; for (int i = 0; i < 1000; i++) s += local(i) + edited(i);
    printf("%d\\n", gone(s)); return 0; }
"""
TABLES = """Object.fromEntries([...document.querySelectorAll('#ID h3')].map(title => {
    let one = title;
    while (!one.querySelector('tbody'))
        one = one.nextElementSibling;
    return [title.textContent,
        [...one.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))];
}))"""


def tables(browser, name):
    return browser.value(TABLES.replace("ID", name))


def build(directory, name, *options):
    done = p.run([CLANG, "-O1", "-g", *options, "source.c", "-o", name], cwd=directory)
    if done.code:
        p.skip(f"clang-22 cannot build: {done.errors()[:200]}")


def number(text):
    return int(text.replace(",", ""))


# --- instrumented programs ----------------------------------------------------------------------------------------


def check_instrumented(report, browser, directory):
    build(directory, "old", "-fprofile-generate")
    build(directory, "new", "-fprofile-generate", "-DNEW")
    os.environ["LLVM_PROFILE_FILE"] = "old.profraw"
    p.run([os.path.join(directory, "old")], cwd=directory)
    del os.environ["LLVM_PROFILE_FILE"]
    text = p.anyprof("merge", "--text", "old.profraw", "-o", "-", cwd=directory).out
    total = sum(count for record in text.split(b"\n\n") for count in counters(record))
    page.make(report, directory, "fits.html", "old.profraw", "--binary=old")
    page.ready(browser, directory, "fits.html")
    fits = tables(browser, "program")
    report.same("all of it fits", [row[1] for row in fits["Functions of the program"]][1:], ["3", "0", "0"])
    report.same("all counts", [number(row[1]) for row in fits["Counts of the profile"]], [total, 0, 0])
    report.check("nothing is stale", "Stale functions" not in fits, str(fits))
    page.quiet(report, browser, "a program that fits")
    with open(os.path.join(directory, "foreign.proftext"), "w", encoding="ascii") as file:
        file.write(":ir\nmain\n1\n1\n5\n\nelsewhere\n2\n1\n7\n\n")
    for profile, foreign in (("old.profraw", False), ("foreign.proftext", True)):
        made = p.anyprof("report", "--markdown", profile, "--binary=old", cwd=directory)
        words = b"- no function of the profile fits the program, which may be another one, or another build\n"
        report.same(f"{profile} is of another program", words in made.out, foreign)
    page.make(report, directory, "stale.html", "old.profraw", "--binary=new")
    page.ready(browser, directory, "stale.html")
    stale = tables(browser, "program")
    lists = {title: [row[0] for row in rows] for title, rows in stale.items()}
    report.check("edited is stale", "edited" in lists["Stale functions"], str(lists))
    report.same("gone is not in it", lists["Functions that the program lacks"], ["gone"])
    report.same("fresh has no counts", lists["Functions without counts"], ["fresh"])
    lost = [number(row[1]) for row in stale["Stale functions"]]
    report.same("the largest first", lost, sorted(lost, reverse=True))
    report.same("what is lost", number(stale["Counts of the profile"][1][1]), sum(lost))
    said = p.anyprof("check", "--json", "--against=new", "old.profraw", cwd=directory).out.decode()
    report.same("as check says", number(stale["Functions of the program"][2][1]),
                int(re.search(r'"changed": *(\d+)', said).group(1)))
    chosen = browser.value(page.change("[data-table=\"functions\"] select", 5, "change") + page.rows("functions"))
    report.same("the filter of stale functions", sorted(row[0] for row in chosen), sorted(lists["Stale functions"]))
    report.check("their state", all(row[-1] == "stale" for row in chosen), str(chosen))
    page.quiet(report, browser, "a program that was changed")
    short = p.anyprof("report", "--markdown", "--binary=new", "old.profraw", cwd=directory).out.decode()
    report.check("Markdown", "Stale functions:" in short and "| `edited` |" in short, short)
    page.write(directory, "bad.profraw", "bad")
    lost = p.anyprof("report", "--markdown", "old.profraw", "--against=old.profraw", "--against=bad.profraw",
                     cwd=directory).out.decode()
    report.check("a bad base", "| `bad.profraw` (compared with) | not used |" in lost and
                 "0.00 % of all counts moved" in lost,
                 lost)
    wrong = p.anyprof("report", "--markdown", f"--binary={CLANG}", "old.profraw", cwd=directory)
    report.check("a program that is not instrumented", wrong.code == 1 and b"instrument" in wrong.err, wrong.errors())


def counters(record):
    lines = [line for line in record.split(b"\n") if line and not line.startswith((b"#", b":"))]
    at = 2  # name, hash, number of counters
    return [int(line) for line in lines[at + 1:at + 1 + int(lines[at])]] if len(lines) > at else []


def check_mappings(report, directory):
    """Programs of which only the coverage mapping is there: as many functions are stale as `cov report` says, for which
    llvm-cov's own output is the oracle."""
    corpus, compared, facts = p.need("cov"), 0, os.path.join(directory, "facts.json")
    for case in sorted(os.listdir(corpus)):
        path, command = (os.path.join(corpus, case, name) for name in ("profdata", "cmd"))
        if not os.path.isfile(path) or not os.path.isfile(command) or case.startswith("bad-"):
            continue
        with open(command, encoding="utf-8") as file:
            objects = [os.path.join(corpus, case, name) for name in json.load(file)["objects"]]
        made = p.anyprof("report", "--markdown", path, *(f"--binary={name}" for name in objects))
        said = p.anyprof("cov", "report", objects[0], *(f"--object={name}" for name in objects[1:]),
                         f"--profile={path}", f"--report={facts}")
        if made.code or said.code:
            report.skip(case, "its objects cannot be read: " + made.errors()[:120])
            continue
        row = re.search(r"\| stale: their counts are of another hash \| ([\d,]+) ", made.out.decode())
        with open(facts, encoding="utf-8") as file:
            wanted = json.load(file)["counts"]["mismatch"]
        report.same(f"{case}: stale functions", number(row.group(1)), wanted)
        compared += wanted != 0
    report.check("mismatches", compared > 1, str(compared))


# --- probes -------------------------------------------------------------------------------------------------------


def check_probes(report, browser, directory):
    build(directory, "probes.old", "-O2", "-fpseudo-probe-for-profiling")
    build(directory, "probes.new", "-O2", "-fpseudo-probe-for-profiling", "-DNEW")
    listed = p.anyprof("probes", "desc", "probes.old", cwd=directory).out.decode().split("\n")[1:-1]
    checksums = {line.split()[-1]: line.split()[1] for line in listed}
    nodes = p.anyprof("probes", "list", "probes.old", cwd=directory).out.decode()
    page.make(report, directory, "probes.html", "--binary=probes.old")
    page.ready(browser, directory, "probes.html")
    report.same("sections of probes", page.sections(browser), ["program", "hotness", "functions", "stacks", "files"])
    rows = {row[0]: row[1:] for row in tables(browser, "program")["The program's probes"]}
    report.same("functions", number(rows["functions with a descriptor"][0]), len(checksums))
    report.check("probes", 0 < number(rows["probes"][0]) <= len(nodes.split("\n")), str(rows))
    labels = browser.value("[...document.querySelectorAll('[data-chart=\"flame\"] g.box')].map(box => "
                           "box.getAttribute('aria-label'))")
    report.check("a flame graph of inlining", labels[0].startswith("all: 100.00 %"), str(labels))
    page.quiet(report, browser, "probes")
    report.same("two programs", p.anyprof("report", "probes.old", "--against=probes.new", "--markdown",
                                          cwd=directory).code, 0)
    text = "".join(f"{name}:{100 * i + 100}:1\n 1: {100 * i + 100}\n !CFGChecksum: {checksum}\n"
                   for i, (name, checksum) in enumerate(checksums.items()))
    page.write(directory, "samples.prof", text + "elsewhere:7:1\n 1: 7\n !CFGChecksum: 5\n")
    page.make(report, directory, "samples.html", "samples.prof", "--binary=probes.new")
    page.ready(browser, directory, "samples.html")
    found = tables(browser, "program")
    report.check("stale by checksum", "edited" in [row[0] for row in found["Stale functions"]], str(found))
    report.same("no descriptor", sorted(row[0] for row in found["Functions that the program lacks"]),
                ["elsewhere", "gone"])
    samples = [number(row[1]) for row in found["Samples of the profile"]]
    report.same("all samples", sum(samples), sum(100 * i + 100 for i in range(len(checksums))) + 7)
    report.same("samples that are stale", samples[1], sum(number(row[1]) for row in found["Stale functions"]))
    page.quiet(report, browser, "samples and probes")


# --- memory -------------------------------------------------------------------------------------------------------


def frame(function, line):
    return f"          - {{ Function: {function:#x}, LineOffset: {line}, Column: 1, IsInlineFrame: false }}\n"


def context(frames, size, life=5):
    return ("      - Callstack:\n" + "".join(frame(function, line) for function, line in frames) +
            "        MemInfoBlock:\n"
            f"          AllocCount: 2\n          TotalSize: {size}\n          TotalLifetime: {life}\n"
            "          TotalLifetimeAccessDensity: 1\n")


def memory(contexts, data=""):
    return (f"---\nHeapProfileRecords:\n  - GUID: 0x1\n    AllocSites:\n{contexts}    CallSites: []\n"
            f"{data}...\n")


def check_memory(report, browser, directory):
    data = ("DataAccessProfiles:\n  SampledRecords:\n    - Symbol: '<b>table</b>'\n      AccessCount: 70\n"
            "      Locations:\n        - { FileName: 'src/<i>.c', Line: 12 }\n")
    text = memory(context([(0x11, 5), (0x22, 7)], 4096, 500000) + context([(0x33, 1), (0x22, 8)], 1024), data)
    page.write(directory, "memory.yaml", text)
    page.write(directory, "names.proftext", ":ir\n" + page.function("<script>alert(1)</script>", [5]))
    page.make(report, directory, "memory.html", "memory.yaml")
    page.ready(browser, directory, "memory.html")
    report.same("sections of a memory profile", page.sections(browser), ["hotness", "functions", "memory", "files"])
    found = tables(browser, "memory")
    rows = found["Allocation contexts with the most bytes"]
    report.same("contexts", [row[1:] for row in rows],
                [["4,096", "80.0 %", "2", "unknown", "250,000", "cold"],
                 ["1,024", "20.0 %", "2", "unknown", "2", "not cold"]])
    report.check("the stack", rows[0][0].startswith("0x0000000000000011") and "0x0000000000000022 +7:1" in rows[0][0],
                 rows[0][0])
    report.same("data", found["Data with the most accesses"], [["<b>table</b>", "variable", "70", "src/<i>.c:12"]])
    labels = browser.value("[...document.querySelectorAll('[data-chart=\"memory\"] g.box')].map(box => "
                           "box.getAttribute('aria-label'))")
    report.same("boxes by bytes", labels, ["all: 100.00 %, 5,120", "0x0000000000000022: 100.00 %, 5,120",
                                           "0x0000000000000011: 80.00 %, 4,096", "0x0000000000000033: 20.00 %, 1,024"])
    page.quiet(report, browser, "a memory profile")
    merged = p.anyprof("merge", "memory.yaml", "names.proftext", "-o", "both.profdata", cwd=directory)
    report.same("a profile with both", merged.code, 0)
    page.make(report, directory, "both.html", "both.profdata")
    page.ready(browser, directory, "both.html")
    report.same("sections of both", page.sections(browser), ["hotness", "functions", "memory", "files"])
    report.same("functions are those with counts", [row[0] for row in browser.value(page.rows("functions"))],
                ["<script>alert(1)</script>"])
    page.quiet(report, browser, "counts and memory")
    size = 1000
    many = memory("".join(context([(0x1000 + i % 70000, i % 50), (0x900000 + i % 3000, 2)], 1000 + i % 100)
                          for i in range(100000)))
    page.write(directory, "many.yaml", many)
    page.make(report, directory, "many_memory.html", "many.yaml")
    report.check("100,000 contexts", os.path.getsize(os.path.join(directory, "many_memory.html")) < 5 << 20,
                 str(os.path.getsize(os.path.join(directory, "many_memory.html"))))
    page.ready(browser, directory, "many_memory.html")
    said = browser.value("document.querySelector('#memory').textContent")
    report.check("what is left out", "first 500 of 100,000" in said and
                 "smallest boxes are left out" in said, said[:300])
    page.quiet(report, browser, "many contexts")


MEMORY = """
#include <cstdlib>
#include <cstring>
__attribute__((noinline)) char *make(size_t n) { char *p = (char *)malloc(n); memset(p, 1, n); return p; }
__attribute__((noinline)) char *large() { return make(100000); }
__attribute__((noinline)) char *small() { return make(10); }
int main() { for (int i = 0; i < 100; i++) free(small()); free(large()); return 0; }
"""


def check_profiled(report, browser, directory):
    """A program that clang built with -fmemory-profile: its profile has hashes of names, the program the names."""
    page.write(directory, "memory.cc", MEMORY)
    options = ["-O1", "-g", "-fdebug-info-for-profiling", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
               "-mno-omit-leaf-frame-pointer", "-fmemory-profile", "-Wl,--build-id", "-no-pie"]
    tool = p.profdata(22)
    if not tool or p.run(["clang++-22", *options, "memory.cc", "-o", "allocates"], cwd=directory).code:
        report.skip("a program with -fmemory-profile", "clang 22 or llvm-profdata 22 cannot make one")
        return
    os.environ["MEMPROF_OPTIONS"] = "log_path=" + os.path.join(directory, "raw")
    p.run([os.path.join(directory, "allocates")], cwd=directory)
    del os.environ["MEMPROF_OPTIONS"]
    raw = glob.glob(os.path.join(directory, "raw*"))
    done = p.run([tool, "merge", *raw, "--profiled-binary=allocates", "-o", "allocates.profdata"], cwd=directory)
    report.check("llvm-profdata reads it", done.code == 0, done.errors())
    page.make(report, directory, "allocates.html", "allocates.profdata", "--binary=allocates")
    page.ready(browser, directory, "allocates.html")
    rows = tables(browser, "memory")["Allocation contexts with the most bytes"]
    report.same("bytes and allocations", [row[1:4:2] for row in rows], [["100,000", "1"], ["1,000", "100"]])
    report.check("stacks with names", all(name in rows[0][0] for name in ("make(unsigned long)", "large()", "main")),
                 rows[0][0])
    labels = browser.value("[...document.querySelectorAll('[data-chart=\"memory\"] g.box')].map(box => "
                           "box.getAttribute('aria-label'))")
    report.check("boxes with names", "main: 100.00 %, 101,000" in labels and "large(): 99.01 %, 100,000" in labels,
                 str(labels))
    page.quiet(report, browser, "a program's memory")


# --- BOLT -----------------------------------------------------------------------------------------------------------


def check_bolt(report, browser, directory):
    corpus = p.need("bolt")
    fdata, yaml, samples, program = (os.path.join(corpus, name) for name in
                                     ("b22.fdata", "b22.yaml", "b22.preagg", "prog.b22"))
    own = {}
    with open(fdata, encoding="utf-8") as file:
        for line in file.read().split("\n")[1:-1]:
            kind, name, _, _, _, _, mispredicted, count = line.split(" ")
            if kind == "1":
                own[name] = own.get(name, 0) + int(count)
    page.make(report, directory, "fdata.html", fdata)
    page.ready(browser, directory, "fdata.html")
    rows = {row[0]: row for row in browser.value(page.rows("functions"))}
    for name, count in own.items():
        report.same(f"branches of {name}", number(rows[name][2]), count)
    report.same("all functions", len(rows), 18)
    boxes = browser.value("[...document.querySelectorAll('[data-chart=\"map\"] g.box')].map(box => "
                          "box.getAttribute('aria-label'))")
    report.check("local functions are in their files", any(label.startswith("prog.c: ") for label in boxes) and
                 any(label.startswith("prog.c::classify: ") for label in boxes), str(boxes))
    page.quiet(report, browser, "fdata")
    page.make(report, directory, "yaml.html", yaml, f"--against={fdata}")
    page.ready(browser, directory, "yaml.html")
    report.check("YAML and fdata of the same samples", "0.00 % of all branches moved" in browser.value(
        "document.querySelector('#differences').textContent"))
    again = {row[0]: row for row in browser.value(page.rows("functions"))}
    report.same("the same functions", {name: row[2] for name, row in again.items()},
                {name: row[2] for name, row in rows.items()})
    page.quiet(report, browser, "YAML")
    page.make(report, directory, "funnel.html", samples, f"--binary={program}")
    page.ready(browser, directory, "funnel.html")
    found = tables(browser, "samples")
    funnel = os.path.join(directory, "funnel.json")
    p.anyprof("bolt", "convert", program, f"--pa={samples}", "-o", os.path.join(directory, "made.fdata"),
              f"--report={funnel}")
    with open(funnel, encoding="utf-8") as file:
        wanted = json.load(file)
    rows = {row[0]: number(row[1]) for row in found["How much of the samples was translated"]}
    report.same("branches", rows["branches"], wanted["branches"]["seen"])
    report.same("runs", rows["runs from one branch to the next"], wanted["falls"]["seen"])
    report.check("what is lost is said", "What is lost in the program" in found, str(found))
    page.quiet(report, browser, "samples of a program of BOLT")
    report.same("samples without a program", p.anyprof("report", "--markdown", samples).code, 1)
    page.write(directory, "million.fdata", "".join(
        f"1 f{i % 20000} {i % 997:x} 1 f{i * 7 % 20000} {i % 13:x} {i % 5} {i % 1000 + 1}\n" for i in range(1000000)))
    page.make(report, directory, "million.html", "million.fdata")
    size = os.path.getsize(os.path.join(directory, "million.html"))
    report.check("a million records", size < 5 << 20, str(size))
    page.write(directory, "hostile.fdata", "1 </script><b> 1 1 <img/src=x> 0 3 5\n1 |`*_ 1 1 </script><b> 2 0 5\n")
    page.make(report, directory, "hostile.html", "hostile.fdata")
    page.ready(browser, directory, "hostile.html")
    report.check("names that are markup", {"</script><b>", "<img/src=x>", "|`*_"} ==
                 {row[0] for row in browser.value(page.rows("functions"))})
    page.quiet(report, browser, "hostile names of fdata")


# --- Markdown ---------------------------------------------------------------------------------------------------


def count_cells(line):
    """As GitHub reads a line of a table: a backslash takes the punctuation after it."""
    return len(re.sub(r"\\[!-/:-@\[-`{-~]", "", line).split("|"))


def check_tables(report, what, text):
    """Each row of each table has as many cells as its head."""
    head, good = 0, True
    for line in text.split("\n"):
        cells = count_cells(line) if line.startswith("|") else 0
        good &= not head or not cells or cells == head
        head = cells if not head or not cells else head
    report.check(f"{what}: tables of Markdown", good, text[:2000])


def check_markdown(report, directory):
    names = ["a|b", "a\\\\|b", "a\\\\\\\\|b", "`|`", "``a`|", "\\\\`|", "<b>", "[x](http://y)", "a\\\\"]
    page.write(directory, "marks.fdata", "".join(f"1 {name} 1 1 {name} 2 {i} {i + 1}\n"
                                                 for i, name in enumerate(names)))
    made = p.anyprof("report", "--markdown", "marks.fdata", cwd=directory)
    report.check("marks are read", made.code == 0, made.errors())
    check_tables(report, "marks", made.out.decode())
    report.check("a row for each", made.out.decode().count("\n| `") >= len(names), made.out.decode())


# --- every file of the corpus -----------------------------------------------------------------------------------


def check_corpus(report, directory):
    """No file makes it crash, and none that it reads leaves a page unwritten; p.run refuses crashes."""
    files = [path for path in glob.glob(os.path.join(p.CORPUS, "**"), recursive=True) if os.path.isfile(path) and
             not path.endswith((".dump", ".json", ".txt", ".lcov", ".report", ".show", ".functions", ".err", ".rc"))]
    pages = os.path.join(directory, "page.html")
    made = p.in_parallel(lambda path: (path, p.anyprof("report", "--markdown", path)), files)
    good = [path for path, result in made if result.code == 0]
    report.check("many can be read", len(good) > 300, f"{len(good)} of {len(files)}")
    for path, result in made:
        report.check(f"{path}: exit code", result.code in (0, 1), result.errors())
        report.check(f"{path}: says why", result.code == 0 or b"error: " in result.err, result.errors())
        check_tables(report, path, result.out.decode("utf-8", "replace"))
    for path in good[::5]:
        result = p.anyprof("report", path, "-o", pages)
        report.check(f"{path}: page", result.code == 0 and os.path.getsize(pages) > 10000, result.errors())


def main():
    p.need("bolt")
    report = p.Report(floor=1000)
    with p.work_directory() as directory:
        check_corpus(report, directory)
        check_mappings(report, directory)
        check_markdown(report, directory)
        if _browser.BROWSER and CLANG:
            page.write(directory, "source.c", SOURCE)
            with _browser.Browser() as browser:
                check_instrumented(report, browser, directory)
                check_probes(report, browser, directory)
                check_memory(report, browser, directory)
                check_profiled(report, browser, directory)
                check_bolt(report, browser, directory)
        else:
            report.skip("pages", "there is no chromium, or no clang 22")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
