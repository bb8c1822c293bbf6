#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""show, and what is said of wrong command lines and bad files, as llvm-profdata-22 does: the same bytes on standard
output, the same exit code, and on standard error its lines in its order, with ours at their end or after them.

The profiles are made from seeds, found in the examples and the corpus, and made by programs that are built here with
each clang that is installed: these with every option, each kind also with the options that are made for it. A run of
that tool takes 40 ms whatever it does. So no file is shown with every pair of options, but every pair is used for some
files: each file takes the next few of one long list, which the profiles of clangs go through as a whole.
"""

import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _built  # noqa: E402
import _generate as g  # noqa: E402
import _share  # noqa: E402
from _identity import ANYPROF, profdata  # noqa: E402

LLVM = profdata(22)
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
NAME = "llvm-profdata-22"  # what both are called by: then anyprof's exit codes are those of that tool

# A change of this test must not make it compare less. Without a clang, or what it needs for 32 bits, there is nothing
# of that group; without the corpus nothing of it.
FLOORS = {"lines": 66, "generated": 504, "examples": 28, "corpus": 376,
          "clang 13": 83, "clang 13, 32 bits": 48, "clang 14": 111, "clang 14, 32 bits": 48,
          "clang 15": 111, "clang 15, 32 bits": 48, "clang 16": 111, "clang 16, 32 bits": 48,
          "clang 19": 510, "clang 19, 32 bits": 96, "clang 22": 510, "clang 22, 32 bits": 96}
MOST_CRASHES = 10  # of that tool
DEALT = 7

# ---- options -----------------------------------------------------------------------------------------------------

WHOLE = ("--all-functions --counts --ic-targets --memop-sizes --show-vtables --detailed-summary --binary-ids "
         "--profile-version --temporal-profile-traces").split()
OPTIONS = [
    "--all-functions",
    "--function=o",
    "--function=main",
    "--function=no-such-function",
    "--counts",
    "--ic-targets",
    "--memop-sizes",
    "--show-vtables",
    "--detailed-summary",
    "--detailed-summary-cutoffs=800000,901000,999999",
    "--detailed-summary-cutoffs=990000,1,500000,0x7a120,4294967295,1000001,3",
    "--topn=1",
    "--topn=3",
    "--topn=1000",
    "--hot-func-list",
    "--value-cutoff=1",
    "--value-cutoff=10",
    "--value-cutoff=100000",
    "--list-below-cutoff",
    "--covered",
    "--showcs",
    "--text",
    "--binary-ids",
    "--profile-version",
    "--temporal-profile-traces",
    "--show-format=text",
    "--json",
    "--counts=false",
    "-instr",
]


def name_of(option):
    return option.lstrip("-").split("=")[0]


def option_sets():
    """Single options and all pairs of different ones, those that say most first."""
    yield []
    for option in OPTIONS:
        yield [option]
    for a, b in itertools.combinations(OPTIONS, 2):
        if name_of(a) != name_of(b):
            yield [a, b]
    for option in OPTIONS:
        if name_of(option) not in ("all-functions", "json"):
            yield ["--all-functions", "--counts", "--detailed-summary", "--hot-func-list", "--topn=5", option]


SETS = list(option_sets())

# ---- profiles ----------------------------------------------------------------------------------------------------

HEADERS = [[], ["ir"], ["ir", "entry_first"], ["csir"], ["fe"], ["single_byte_coverage"],
           ["csir", "entry_first", "instrument_loop_entries"], ["ir", "instrument_loop_entries"]]


def generated(work):
    """Text profiles, and every other one as an indexed one."""
    for n in range(48):
        header = HEADERS[n % len(HEADERS)]
        profile = g.make_profile(
            "parity %d" % n, functions=[0, 1, 4, 13, 40, 90, 400][n % 7], header=header,
            values=[0, 30, 60][n % 3], bitmaps=[0, 0, 100][n % 3 if n % 8 else 2],
            counts=[None, "zero", "huge"][n // 2 % 3], pseudo=[0, 0, 8][n % 3], huge_inside=n % 4 == 0,
            huge_values=n % 5 == 0, several_hashes=[0, 0, 20][n // 3 % 3], plain_hashes=n % 7 != 0, odd=n % 3 == 1,
            most_values=300 if n % 11 == 3 else 6, wide=30, mixed=n % 2 == 0, traces=[None, None, 0, 3, 20][n % 5])
        path = os.path.join(work, "generated%d.proftext" % n)
        with open(path, "wb") as f:
            f.write(g.render(profile, "parity %d" % n if n % 4 else None))
        yield path
        if n % 2:
            indexed = path[:-4] + "data"
            made = subprocess.run([LLVM, "merge", path, "-o", indexed], stderr=subprocess.DEVNULL, check=False)
            if made.returncode == 0:
                yield indexed


class Found:
    """A file that is there, and what must not be asked about it."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.facts = {}
        facts = os.path.splitext(path)[0] + ".json"
        if path.endswith(".profraw") and os.path.exists(facts):
            with open(facts, encoding="utf-8") as f:
                self.facts = json.load(f)

    def several(self):
        """Several raw profiles in one file. LLVM's lists of hottest functions name freed memory then, and --showcs
        asks each profile anew whether it is IR."""
        return json.dumps(self.facts).count('"version"') > 1

    def repeats_bitmaps(self):
        """From text, LLVM prints a bitmap again for the functions after it that have none."""
        return self.path.endswith("text") and b"\n$" in self.bytes

    def can_be_asked(self, options):
        names = {name_of(o) for o in options}
        if self.several() and names & {"topn", "hot-func-list", "showcs"}:
            return False
        return not (self.repeats_bitmaps() and "text" in names)


def files_below(*parts):
    top = os.path.join(*parts)
    for directory, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            if not name.endswith((".json", ".md", ".sh", ".c")):
                yield os.path.join(directory, name)


def deliberate(path):
    """Whether an independent decoder refuses the file, of which LLVM shows nonsense, or the file has counters without
    the functions they belong to, of which LLVM shows nothing."""
    if Found(path).facts.get("rejected") is True:
        return True
    done = subprocess.run([ANYPROF, "show", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode == 1 and b"debug info/binary for correlation is required" in done.stderr


# Of each profile of a clang, and of each kind besides.
EVERY = [line.split() for line in """
--function=main --counts
--function=o --ic-targets --memop-sizes
--all-functions --counts
--all-functions --show-vtables --value-cutoff=10
--counts --function=_1 --value-cutoff=10
--list-below-cutoff --value-cutoff=10
--text
--topn=3
--hot-func-list
--detailed-summary
--detailed-summary-cutoffs=990000,1,500000
--covered
--showcs --all-functions --counts
--binary-ids --profile-version
--temporal-profile-traces
--json
""".split("\n")[1:-1]]
COVERED = ["--covered --function=o", "--covered --all-functions --counts", "--covered --text", "--covered --topn=3"]
FITTING = {kind: [line.split() for line in lines] for kind, lines in {
    "cs": ["--showcs --text", "--showcs --topn=3 --detailed-summary", "--showcs --function=o --counts --ic-targets",
           "--showcs --all-functions --memop-sizes --value-cutoff=5", "--showcs --covered", "--showcs --hot-func-list",
           "--showcs --list-below-cutoff --value-cutoff=20"],
    "byte": COVERED,
    "blocks": COVERED,
    "fe-byte": COVERED,
    "fe": COVERED,
    "mcdc": [*COVERED, "--text --function=o", "--all-functions --counts --text --showcs"],
    "vtables": ["--show-vtables --ic-targets --all-functions", "--show-vtables --function=go --counts",
                "--show-vtables --text", "--show-vtables --memop-sizes --function=o --value-cutoff=20",
                "--show-vtables --all-functions --showcs"],
    "temporal": ["--temporal-profile-traces --text", "--temporal-profile-traces --all-functions --counts",
                 "--temporal-profile-traces --function=main --binary-ids", "--temporal-profile-traces --covered",
                 "--temporal-profile-traces --topn=2 --profile-version"],
}.items()}


# ---- comparing ---------------------------------------------------------------------------------------------------


def run(tool, arguments, cwd=None):
    p = subprocess.run([NAME] + arguments, executable=tool, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, cwd=cwd, timeout=120, check=False)
    return p.returncode, p.stdout, p.stderr


def lines_missing(want, have):
    """The first line of `want` that is not the beginning of one of `have`, in this order. What may have been meant is
    found in another way, with another result."""
    have = iter(have.splitlines())
    for line in want.splitlines():
        if b"Did you mean" not in line and not any(own.startswith(line) for own in have):
            return line
    return None


class Suite:
    def __init__(self):
        self.compared, self.crashes, self.failures = {}, 0, []

    def check(self, group, arguments, theirs, ours):
        if theirs[0] not in (0, 1):
            self.crashes += 1
            return
        self.compared[group] = self.compared.get(group, 0) + 1
        shown = " ".join(arguments)
        if theirs[0] != ours[0]:
            self.failures.append("%s: exit code %d, not %d: %s" % (shown, ours[0], theirs[0], ours[2][:300]))
        elif theirs[1] != ours[1]:
            at = next((i for i, (a, b) in enumerate(zip(theirs[1], ours[1])) if a != b), None)
            at = min(len(theirs[1]), len(ours[1])) if at is None else at
            self.failures.append("%s: byte %d: %r, not %r" % (shown, at, ours[1][max(at - 30, 0):at + 60],
                                                              theirs[1][max(at - 30, 0):at + 60]))
        else:
            line = lines_missing(theirs[2], ours[2])
            if line is not None:
                self.failures.append("%s: does not say %r but %r" % (shown, line, ours[2][:300]))


def comparisons(group, paths, each, first=0):
    """For each path, once for each content, everything and the next few sets."""
    seen, at = set(), first
    for path in paths:
        found = Found(path)
        if found.bytes in seen:
            continue
        seen.add(found.bytes)
        yield group, ["show", *WHOLE, path]
        taken = 0
        while taken < each:
            options = SETS[at % len(SETS)]
            at += 1
            if found.can_be_asked(options):
                taken += 1
                yield group, ["show", *options, path]


def built_comparisons(every):
    """Of programs: the indexed profile, and those that the programs wrote, if their version is that of LLVM 22."""
    at = 0
    for profiles in every:
        for path in [profiles.first] + [profiles.raw] * (profiles.number in _built.RAW):
            dealt = [SETS[(at + i) % len(SETS)] for i in range(DEALT)]
            for options in [WHOLE, *EVERY, *FITTING.get(profiles.name, []), *dealt]:
                yield profiles.group, ["show", *options, path]
            at += DEALT
    if at < len(SETS) and not every.absent:
        raise AssertionError("only %d of %d sets are used" % (at, len(SETS)))


# Command lines that are wrong, and files that are bad.
LINES = """

foo
--bogus
merge
show
show nope
show .
show program
show empty
show short.profdata
show a.proftext a.proftext a.proftext
show -detailed-sum a.proftext
show --all a.proftext
show --all-functions=2 a.proftext
show --topn a.proftext
show --topn= a.proftext
show a.proftext --topn
show -c a.proftext
show -o
show --show-format=foo a.proftext
show --text=maybe a.proftext
show --instr=1 a.proftext
show --sample --instr a.proftext
show -o nope/x a.proftext
show -o a.proftext a.proftext
show --show-prof-sym-list a.proftext
show --show-sec-info-only a.proftext
show --profiled-binary=x a.proftext
show --show-format=yaml a.proftext
show --json --show-format=text a.proftext
show --function=fo --all-functions a.proftext
show --function= a.proftext
show nope1 nope2
show --bogus --bogus2 nope1 nope2
show --counts=maybe --topn=x -- a.proftext b
show --color nope
show --text --text a.proftext --function --counts
show --value-cutoff=-1 a.proftext
show --topn=4294967296 a.proftext
show --topn=+2 a.proftext
show --topn=0x2 a.proftext
show --topn=02 a.proftext
show --detailed-summary --detailed-summary-cutoffs=5,x a.proftext
show --detailed-summary --detailed-summary-cutoffs= a.proftext
show --detailed-summary --detailed-summary-cutoffs=5, a.proftext
show --detailed-summary --detailed-summary-cutoffs=4294967296 a.proftext
show --detailed-summary --detailed-summary-cutoffs=0 --detailed-summary-cutoffs 7,07,0b1,0o7 a.proftext
show -o - a.proftext
show @options
show bad1.proftext
show bad2.proftext
show bad3.proftext
show bad4.proftext
show bad5.proftext
show bad6.proftext
show bad7.proftext
show bad8.proftext
merge nope -o x
merge a.proftext -o nope/x
merge --failure-mode=foo a.proftext -o x
merge --instr=1 a.proftext -o x
merge --text=1 a.proftext -o x
merge --weighted-input=0,a.proftext -o x
merge --sparse=3 a.proftext -o x
merge -j x a.proftext -o x
merge -o
""".splitlines()[1:]

BAD = [":nothing\n", ":ir\nf\nx\n1\n1\n", "f\n1\nx\n", "f\n1\n0\n", "f\n1\n2\n1\n", "f\n1\n1\n-1\n",
       "f\n1\n1\n1\n9\n0\n", "f\n1\n1\n1\n1\n0\n1\n1\n:5\n"]


def make_files(work):
    files = {"a.proftext": b":ir\nmain\n17\n2\n100\n5\n\nfoo\n10\n4\n100\n50\n7\n1\n\nc.c;bar\n12\n1\n0\n",
             "empty": b"", "short.profdata": b"\xfflprofi\x81\x0d\0\0\0\0", "options": b"--counts a.proftext --topn=2",
             "program": b"\x7fELF" + bytes(100)}
    files.update(("bad%d.proftext" % (i + 1), text.encode()) for i, text in enumerate(BAD))
    for name, text in files.items():
        with open(os.path.join(work, name), "wb") as f:
            f.write(text)


def readable(paths, pool):
    """Those that the other tool reads and that are not shown in another way on purpose."""
    paths = list(paths)
    good = pool.map(lambda p: run(LLVM, ["show", p])[0] == 0 and not deliberate(p), paths)
    return [path for path, is_good in zip(paths, good) if is_good]


def collect(pool, work, every):
    """(group, arguments) of everything to be compared. `every`: the profiles of programs."""
    found = list(comparisons("generated", generated(work), 6))
    examples = readable(files_below(SOURCE, "examples", "profiles"), pool)
    found += comparisons("examples", examples, 6, 100)
    if os.path.isdir(os.path.join(CORPUS, "raw")):
        paths = itertools.chain(files_below(CORPUS, "raw"), files_below(CORPUS, "llvm-tests"))
        found += comparisons("corpus", readable(paths, pool), 3, 200)
    else:
        print("skipped: no corpus")
    found += built_comparisons(every)
    make_files(work)
    found += [("lines", line.split()) for line in LINES]
    return found


def main():
    if not ANYPROF or not LLVM:
        print("skipped: no anyprof or no llvm-profdata-22")
        return 77
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, \
            _built.built() as every:
        suite, found = Suite(), _share.pick(collect(pool, work, every), lambda comparison: comparison[0])
        both = pool.map(lambda c: (run(LLVM, c[1], work), run(ANYPROF, c[1], work)), found)
        for (group, arguments), (theirs, ours) in zip(found, both):
            suite.check(group, arguments, theirs, ours)
        without = every.absent | (set() if os.path.isdir(os.path.join(CORPUS, "raw")) else {"corpus"})
    for failure in suite.failures[:30]:
        print("FAILED:", failure)
    print("%d comparisons (%s); %d crashes of LLVM's; %d failures" %
          (sum(suite.compared.values()), ", ".join("%s: %d" % c for c in suite.compared.items()), suite.crashes,
           len(suite.failures)))
    few = _built.too_few(suite.compared, FLOORS, without, found.left_out)
    if few or suite.crashes > MOST_CRASHES:
        print("FAILED: too few comparisons: %s" % "; ".join(few))
        return 1
    return 1 if suite.failures else 0


if __name__ == "__main__":
    sys.exit(main())
