#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen --for=gcc-N` beside create_gcov 0.19 on branch stacks of real runs.

Programs of GCC run instruction by instruction under branch_trace. Both tools get the same branches. Every count of
every place, inlined or not, has to be the same, but for these differences, each of which is checked by itself:

- a function with at most 10 counts, which create_gcov leaves out
- lines of a part of a function (.cold, .part) that did not run: create_gcov, for which it is another function, has no
  counts for them, anyprof zeros; what create_gcov has by part and clone is added up here
- a place with instructions that begin no statement: anyprof takes the largest count of those that do. Half of the
  programs have no such instruction; of the others, places that differ must have one in the table of lines, and less
- call targets: create_gcov keeps one of several calls at a place. anyprof's sums are compared with the branches
- lambdas that were inlined: debug information has no line of theirs, and create_gcov counts their lines from the
  beginning of the file, anyprof from the lambda
- functions that are in assembler (_start), which create_gcov has, too
- how often functions were entered: create_gcov counts branches that are followed by no range, and jumps to the
  beginning from within. anyprof's numbers are compared with the ranges"""

import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _profgen_gcc as g  # noqa: E402
import _share  # noqa: E402

MOST_LOST = 10  # counts of functions that create_gcov leaves out
tally = _bolt.Tally()
check, count = tally.check, tally.count

OPTIONS = (["-O1", "-no-pie", "-fno-pie"], ["-O2", "-pie", "-fpie"], ["-O3", "-no-pie", "-fno-pie"],
           ["-Os", "-pie", "-fpie"])


def cases():
    return [(compiler, source, options, bare) for compiler in g.COMPILERS
            for source in ("afdo_calls.c", "afdo_shapes.cpp") for options in OPTIONS for bare in (True, False)
            if g.installed(compiler, source)]


# ---- what must be the same ---------------------------------------------------------------------------------------

def other_lines(ran):
    """The lines of the source that have a row that begins no statement."""
    rows = g.run(["objdump", "--dwarf=decodedline", ran.path]).stdout.decode()
    return {int(line) for line, rest in re.findall(r"^\S+ +(\d+) +0x[0-9a-f]+(.*)$", rows, re.M)
            if not rest.rstrip().endswith("x")}


def first_lines(source):
    """The lines of the functions of a C file."""
    with open(os.path.join(g.SOURCES, source), encoding="utf-8") as f:
        lines = f.read().splitlines()
    return {m[1]: i + 1 for i, m in enumerate(re.match(r"[a-z_].*?(\w+)\([^()]*\)$", line) for line in lines) if m}


def without_lines(theirs, source):
    """create_gcov's profile with the lines of lambdas as anyprof counts them, and without _start."""
    with open(os.path.join(g.SOURCES, source), encoding="utf-8") as f:
        first = next((i + 1 for i, line in enumerate(f) if "[&]" in line), 0)
    table = g.Table()
    for old, new in ((theirs.counts, table.counts), (theirs.targets, table.targets)):
        for path, value in old.items():
            if "operator()" in path:
                path = (*path[:-1], (path[-1][0] - first, path[-1][1]))
            if path[0] != "_start":
                new[path] = value
    return table


def check_count(path, theirs, ours, others, starts, what):
    if theirs == ours:
        count("equal counts")
        return
    function = path[0] if len(path) < 4 else path[-2]
    line = (starts.get(function, 0) + path[-1][0]) & 0xffff
    moved = others is not None and ours < theirs and (not starts or line in others)
    count("counts of statements only")
    check(moved, "%s: %s: create_gcov has %d, anyprof %d" % (what, path, theirs, ours))


def compare_counts(theirs, ours, others, starts, what):
    known = {path[0] for path in theirs.counts}
    for path in sorted({*theirs.counts, *ours.counts}, key=repr):
        if path not in theirs.counts and path[0] not in known:
            check(ours.sum_of(path[0]) <= MOST_LOST, "%s: create_gcov has no %s" % (what, path[0]))
            count("counts of rare functions")
        elif path not in theirs.counts:
            check(ours.counts[path] == 0, "%s: create_gcov has no %s, anyprof %d" % (what, path, ours.counts[path]))
            count("zeros of parts")
        elif path not in ours.counts:
            check(False, "%s: anyprof has no %s" % (what, path))
        elif not theirs.counts[path] and path in ours.targets:
            check(ours.counts[path] == max(ours.targets[path].values()),
                  "%s: %s: a call without a range" % (what, path))
            count("calls without a range")
        else:
            check_count(path, theirs.counts[path], ours.counts[path], others, starts, what)


def compare_targets(theirs, ours, what):
    lost = {path[0] for path in ours.counts} - {path[0] for path in theirs.counts}
    for path, targets in theirs.targets.items():
        for name, n in targets.items():
            if name == path[0] and name not in ours.targets[path]:
                continue  # a jump back to the beginning
            check(n <= ours.targets[path][name], "%s: %s: %d calls of %s, anyprof has %d"
                  % (what, path, n, name, ours.targets[path][name]))
            count("equal targets" if n == ours.targets[path][name] else "targets that were added up")
    for path, targets in ours.targets.items():
        for name in targets:
            check(name in theirs.targets[path] or name in lost or path[0] in lost,
                  "%s: %s: create_gcov has no call of %s" % (what, path, name))


def check_sums(ran, ours, what):
    """All calls are in the profile, and functions are entered as often as ranges begin at them."""
    starts = {start: names for start, names in ran.by_start.items() if any(g.stem(n) in ours.heads for n in names)}
    heads, calls = {}, {}
    for start, names in starts.items():
        if all(map(g.is_split, names)):
            continue
        entered, every = ran.entered(start)
        n = sum(entered.values())
        follow = sum(k for (a, _), k in ran.ranges.items() if a == start)
        outside = sum(1 for entries, _ in ran.stacks for a, b, _ in entries if b == start and not a)
        total, n_all = n + outside, sum(every.values()) + outside
        head = total if not follow or not total else follow * total // n_all
        for name in {g.stem(name) for name in names}:
            heads[name] = heads.get(name, 0) + head
        names = frozenset(map(g.stem, names))
        calls[names] = calls.get(names, 0) + n
    copies = {g.stem(n) for names in ran.by_start.values() for n in names if g.stem(n) != g.stem(names[0])}
    for name, head in ours.heads.items():
        check(abs(heads.get(name, 0) - head) <= 1, "%s: %s was entered %d times, not %d"
              % (what, name, heads.get(name, 0), head))
        count("heads")
    for names, n in calls.items():
        found = sum(targets[name] for path, targets in ours.targets.items() if path[0] not in copies for name in names)
        check(found == n, "%s: %d calls of %s are in the profile, of %d" % (what, found, sorted(names), n))
        count("sums of calls")


# ---- releases ----------------------------------------------------------------------------------------------------

def check_plain_lines(ran, newer, what):
    """GCC up to 12 gets lines without discriminators: the largest count of their places."""
    path, text = g.profgen(ran, "gcc-12", "--quiet")
    check(path, "%s: --for=gcc-12: %s" % (what, text))
    older = g.read_table(path, "2")
    check(not any(d for path in older.counts for d in [path[-1][1]] + [at[1] for at in path[1:-1:2]]),
          "%s: discriminators are in a profile for gcc-12" % what)
    most = {}
    for path, n in newer.counts.items():
        if len(path) == 2:
            most[path[0], path[1][0]] = max(n, most.get((path[0], path[1][0]), 0))
    for (function, line), n in most.items():
        check(older.counts[function, (line, 0)] == n, "%s: line %d of %s has %d, for gcc-12 %d"
              % (what, line, function, n, older.counts[function, (line, 0)]))
        count("plain lines")


def check_newest(ran, newer, source, what):
    path, text = g.profgen(ran, "gcc-16", "--quiet")
    check(path, "%s: --for=gcc-16: %s" % (what, text))
    table = g.read_table(path, "3")
    check(table.counts == newer.counts and table.targets == newer.targets and table.heads == newer.heads,
          "%s: the profile for gcc-16 differs from that for gcc-13" % what)
    names = {path[0] for path in table.counts}
    wrong = {name: table.files.get(name) for name in names if table.files.get(name) != source}
    check(not wrong, "%s: files of functions: %s" % (what, wrong))
    count("profiles for gcc-16")


def check_program(case, where):
    compiler, source, options, bare = case
    what = "%s %s %s%s" % (compiler, source, " ".join(options), " bare" if bare else "")
    program = g.build(compiler, source, options, where, bare)
    if not program:
        check(False, "%s: not built" % what)
        return
    ran = g.Run(program, where)
    path, text = g.profgen(ran, "gcc-13")
    check(path and text.count("warning") == 1 and "than GNU" in text, "%s: %s" % (what, text))
    ours = g.read_table(path, "2")
    count("programs")
    check_sums(ran, ours, what)
    if bare and source.endswith(".c"):
        check_plain_lines(ran, ours, what)
    check_newest(ran, ours, source, what)
    if not shutil.which("create_gcov"):
        return
    theirs = g.create_gcov(ran)
    if not check(theirs and theirs.counts, "%s: create_gcov makes nothing" % what):
        return
    others = None if bare else other_lines(ran)
    starts = first_lines(source) if source.endswith(".c") else {}
    theirs = without_lines(theirs, source)
    compare_counts(theirs, ours, others, starts, what)
    compare_targets(theirs, ours, what)


def check_case(case):
    with tempfile.TemporaryDirectory() as where:
        check_program(case, where)


# ---- discriminators of GCC 16 --------------------------------------------------------------------------------------

SOURCE, COPIES, COPY = 0xff, 8, 15  # the mask of the first number, and where the others begin


def check_packed(compiler):
    """Discriminators get the numbers that GCC 16 packs into them: how often an instruction stands for one of the
    source, and the number of a copy of it. Copies are added up, of one copy the largest count stays."""
    numbers = iter(range(1 << 30))

    def pack(match):
        n = next(numbers)
        return "discriminator %d" % (int(match[1]) | n % 3 << COPIES | n % 2 << COPY)

    with tempfile.TemporaryDirectory() as where:
        program = g.build(compiler, "afdo_calls.c", ["-O2"], where, True,
                          lambda text: re.sub(r"discriminator (\d+)", pack, text))
        ran = g.Run(program, where)
        raw = g.read_table(g.profgen(ran, "gcc-13", "--quiet")[0], "2")
        got = g.read_table(g.profgen(ran, "gcc-16", "--quiet")[0], "3")
    copies, wanted = {}, {}
    for path, n in raw.counts.items():
        line, d = path[-1]
        at = (*path[:-1], (line, d & SOURCE), d >> COPY)
        copies[at] = max(copies.get(at, 0), n * max(d >> COPIES & (1 << COPY - COPIES) - 1, 1))
    for (*path, _), n in copies.items():
        wanted[tuple(path)] = wanted.get(tuple(path), 0) + n
    wrong = {path: (wanted.get(path), got.counts.get(path)) for path in {*wanted, *got.counts}
             if wanted.get(path) != got.counts.get(path)}
    check(not wrong and len(wanted) < len(raw.counts), "packed discriminators: wanted, got: %s" % wrong)
    count("packed places", len(raw.counts) - len(wanted))


# ---- link-time optimization --------------------------------------------------------------------------------------

MAIN = """int runs(int);
static __attribute__((noinline)) int same(int x) { return x % 10 ? x - 1 : x * 3; }
int main(void) { int s = 0; for (int i = 0; i < 300; i++) s += same(i) + runs(i); return s == 1; }
"""
PART = """static __attribute__((noinline)) int same(int x)
{
    return x % 4 ? x + 5 : x * 7;
}
int runs(int x) { return same(x) + same(x + 1); }
"""


def check_whole(compiler):
    """Static functions of one name are told apart by their files, which other units of the program know."""
    with tempfile.TemporaryDirectory() as where:
        for name, text in (("main.c", MAIN), ("part.c", PART)):
            with open(os.path.join(where, name), "w", encoding="ascii") as f:
                f.write(text)
        done = g.run([compiler, "-O2", "-g", "-flto", "main.c", "part.c", "-o", "app"], cwd=where)
        if not check(done.returncode == 0, "link-time optimization: %s" % done.stderr):
            return
        ran = g.Run(os.path.join(where, "app"), where)
        with open(g.profgen(ran, "gcc-16", "--quiet")[0], "rb") as f:
            newest = g.afdo.Reader(f.read(), "3")
        found = newest.profile()
        older = g.read_table(g.profgen(ran, "gcc-12", "--quiet")[0], "2")
    heads = sorted(f.head for f in found.functions if f.node.name == b"same")
    check(len(heads) == 2 and heads[0] >= 300, "link-time optimization: heads of same: %s" % heads)
    check(older.heads["same"] == sum(heads), "link-time optimization: %d is not the sum" % older.heads["same"])
    count("functions of one name", 2)


# ---- the project's own reference ---------------------------------------------------------------------------------

def check_reference():
    """A program of GCC 15 with its samples, and what the reference of the specification makes of them."""
    corpus = os.path.join(os.environ.get("ANYPROF_CORPUS", ""), "afdo", "gen")
    if not os.path.exists(os.path.join(corpus, "q.gcc15.stmt.txt")):
        print("skipped: ANYPROF_CORPUS has no afdo/gen")
        return
    with tempfile.TemporaryDirectory() as where:
        raw, out = os.path.join(where, "raw"), os.path.join(where, "out")
        with open(os.path.join(corpus, "q.gcc15.samples"), encoding="ascii") as f:
            lines = f.read().splitlines()
        n = int(lines[0]) + 1
        with open(raw, "w", encoding="ascii") as f:  # their ranges and branches, without addresses
            f.write("".join(line + "\n" for line in lines[:n] + lines[n + 1 + int(lines[n]):]))
        done = g.run([g.ANYPROF, "profgen", "--quiet", "--binary=" + os.path.join(corpus, "q.gcc15.bin"),
                      "--unsymbolized-profile=" + raw, "--for=gcc-15", "-o", out])
        check(done.returncode == 0, done.stderr)
        table = g.read_table(out, "2")
    with open(os.path.join(corpus, "q.gcc15.stmt.txt"), encoding="ascii") as f:
        text = f.read()
    names = dict(re.findall(r'^  name (\d+) "(.*)"$', text, re.M))
    path, counts, targets = [], {}, {}
    for indent, line in re.findall(r"^( +)(.*)$", text, re.M):
        if m := re.match(r'function \d+ "(.*)"', line):
            path = [m[1]]
        elif m := re.match(r'(\d+): call \d+ "(.*)"', line):
            path = [path[0], (int(m[1]), 0), m[2]]
        elif path and (m := re.match(r"(\d+)(?:\.(\d+))?: (\d+)(.*)", line)):
            at = (*(path if len(indent) > 4 else path[:1]), (int(m[1]), int(m[2] or 0)))
            counts[at] = int(m[3])
            for name, k in re.findall(r" (\d+)#:(\d+)", m[4]):
                targets[at] = {**targets.get(at, {}), names[name]: int(k)}
    check(dict(table.counts) == counts, "reference: counts %s" % {p: (counts.get(p), table.counts.get(p)) for p in
                                                                 {*counts, *table.counts}
                                                                 if counts.get(p) != table.counts.get(p)})
    check({p: dict(t) for p, t in table.targets.items()} == targets, "reference: targets %s" % dict(table.targets))
    count("reference")


def main():
    if g.missing():
        print("skipped: %s" % g.missing())
        return 77
    if not shutil.which("create_gcov"):
        print("skipped: create_gcov (package autofdo)")
    check_reference()
    newest = next(compiler for compiler in reversed(g.COMPILERS) if shutil.which(compiler))
    check_packed(newest)
    check_whole(newest)
    plans = _share.pick(cases(), lambda case: "%s %s" % case[:2])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(check_case, plans))
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    if shutil.which("create_gcov"):
        check(tally.counts.get("equal counts", 0) >= _share.least(1000, plans), "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
