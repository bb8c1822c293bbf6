#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""merge beside llvm-profdata-22. What it does to names: --function, --no-function and --remapping-file give the same
bytes, exit code and lines; for --prefix-map, which that tool lacks, it merges profiles in which the names are changed
here. Of profiles of programs that each installed clang has built in each way that it has, all that merge can do, as
indexed files and as text.
"""

import concurrent.futures
import itertools
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _built  # noqa: E402
import _generate as g  # noqa: E402
import _share  # noqa: E402
from _identity import ANYPROF, profdata, same_but_traces  # noqa: E402
from parity_show import lines_missing, run  # noqa: E402

LLVM = profdata(22)
# A change of this test must not make it compare less. Without a clang, or what it needs for 32 bits, there is nothing
# of that group.
FLOORS = {"generated": 357, "prefix": 60, "lines": 27,
          "clang 13": 88, "clang 13, 32 bits": 60, "clang 14": 116, "clang 14, 32 bits": 60,
          "clang 15": 116, "clang 15, 32 bits": 60, "clang 16": 116, "clang 16, 32 bits": 60,
          "clang 19": 328, "clang 19, 32 bits": 68, "clang 22": 328, "clang 22, 32 bits": 68}
MOST_OTHER_ORDERS = 8

FILTERS = [
    ["--function=function_1"],
    ["--function=^function_[0-9]$"],
    ["--no-function=[13579]$"],
    ["--function=static", "--no-function=_1"],
    ["--function=(odd|static)_", "--sparse"],
    ["--function=zzz"],
    ["--no-function=."],
    ["--function=^.{11,12}$"],
    ["--no-function=^(.*/)?g[.]cpp[;:]"],
    ["--function=?unction_1"],
    ["--function=[[:digit:]]{2}"],
    ["--function=_ZN.*E$", "--no-function="],
    ["-function", "first", "--function", "\\(|_3", "-no-function=3[0-4]"],
    ["--function="],
]


def run_merge(tool, target, options, inputs, out, work):
    # Without a target no name of a text changes, as in that tool.
    own = ["--for=" + target] if tool == ANYPROF and "--text" not in options else []
    if not any("-threads" in option or option == "-j" for option in options):
        own.append("-j=1")
    code, text, said = run(tool, ["merge", *own, *options, *inputs, "-o", out], work)
    data = None
    if os.path.exists(os.path.join(work, out)):
        with open(os.path.join(work, out), "rb") as f:
            data = f.read()
        os.unlink(os.path.join(work, out))
    return code, text, said, data


class Case:
    def __init__(self, group, options, inputs, theirs=None, target="llvm-22", traces=False):
        self.group, self.options, self.inputs, self.target, self.traces = group, options, inputs, target, traces
        self.theirs = theirs or (options, inputs)  # what that tool is given in its place
        self.other_order = False

    def failure(self, number, work):
        theirs = run_merge(LLVM, self.target, *self.theirs, "theirs%d" % number, work)
        ours = run_merge(ANYPROF, self.target, self.options, self.inputs, "ours%d" % number, work)
        where = "merge %s %s: " % (" ".join(self.options), " ".join(self.inputs))
        if theirs[0] != ours[0] or theirs[1] != ours[1]:
            return where + "exit code %d, not %d: %r" % (ours[0], theirs[0], ours[2][:300])
        line = lines_missing(theirs[2], ours[2])
        if line is not None:
            return where + "does not say %r but %r" % (line, ours[2][:300])
        if theirs[3] == b"" and ours[3] == b"# No functions\n":  # docs/differences.md
            return None
        if theirs[3] == ours[3] or self.traces and same_in_order(theirs[3], ours[3]):
            return None
        options, inputs = self.theirs
        for order in itertools.permutations(inputs):  # that tool's bytes may depend on it
            if run_merge(LLVM, self.target, options, order, "theirs%d" % number, work)[3] == ours[3]:
                self.other_order = True
                return None
        return where + "other bytes"


def same_in_order(theirs, ours):
    """Traces of several inputs come in the order of the inputs there, in that of their contents from us."""
    if theirs is None or ours is None or theirs[:1] == b"\xff":
        return theirs is not None and ours is not None and same_but_traces(theirs, ours)
    return sorted_traces(theirs) == sorted_traces(ours)


def sorted_traces(text):
    """Returns the lines before the traces, the traces in an order of their own, and the lines after them."""
    lines = text.split(b"\n")
    at = lines.index(b":temporal_prof_traces") + 5  # a comment, the number, a comment, the size of the stream
    end = at + 3 * int(lines[at - 3])  # a comment, the weight, the names
    return lines[:at], sorted(lines[at + i: at + i + 3] for i in range(0, end - at, 3)), lines[end:]


def write(work, name, data):
    with open(os.path.join(work, name), "wb") as f:
        f.write(data)
    return name


def profile_of(n):
    header = [["ir"], [], ["ir", "entry_first"], ["csir"], ["ir"]][n % 5]
    return g.make_profile("names %d" % n, functions=[1, 4, 13, 60, 250][n % 5 if n else 3], header=header,
                          values=[30, 0, 60][n % 3], bitmaps=[0, 100][n % 2], counts=[None, "zero"][n // 3 % 2],
                          several_hashes=[0, 15][n // 2 % 2], odd=n % 4 == 1, traces=[None, 3, 12][n % 3])


def make_remapping(profile, n, seed):
    """Lines for some of the names: new ones, and those of other functions, never in a way that records of one name and
    hash come together which have other counters: then it is the order that decides in LLVM."""
    rng, lines, shapes = g.Random(seed), ["# names", ""], {}
    names = sorted({r.name for r in profile.records if " " not in r.name and not r.name.startswith("#")})
    for r in profile.records:
        shapes.setdefault(r.name, set()).add(r.hash)
    for name in names:
        if not rng.chance(40):
            continue
        to = rng.pick(names) if rng.chance(30) else "new_%d_%d" % (n, rng.below(1000))
        if shapes[name] & shapes.get(to, set()):
            continue
        shapes.setdefault(to, set()).update(shapes[name])
        lines.append("%s %s" % (name, to))
        if rng.chance(10):
            lines.append("%s never" % name)
    lines.append("not_there %s" % (names[0] if names else "x"))
    return ("\r\n" if n % 3 == 0 else "\n").join(lines).encode()


def add_twin(profile):
    """A function of the same structure under another name; the line that makes it the same one."""
    twin = next((r for r in profile.records if r.counts[0] < g.WARM), None)
    if twin is None:
        return b""
    twin = twin.copy()
    old, twin.name = twin.name, "twin"
    twin.counts = [min(c, 1 << 40) + 3 for c in twin.counts]
    profile.records.append(twin)
    return b"" if " " in old else b"twin %s\n" % old.encode()


def generated_cases(work):
    for n in range(30):
        profile = profile_of(n)
        line = add_twin(profile)
        path = write(work, "names%d.proftext" % n, g.render(profile))
        text = [["--text"], []][n % 2]
        for k in range(6):
            yield Case("generated", text + FILTERS[(6 * n + k) % len(FILTERS)], [path])
        for k in range(4):
            remapping = write(work, "remap%d.%d" % (n, k), make_remapping(profile, n + k, "remap %d %d" % (n, k)))
            option = [["-r", remapping], ["--remapping-file=" + remapping]][k % 2]
            more = [[], ["--text"], FILTERS[(n + k) % len(FILTERS)], ["--sparse", "--text"]][k]
            yield Case("generated", option + more, [path])
        if line:
            yield Case("generated", ["-r", write(work, "twin%d" % n, line), *text], [path])
        if n % 2:
            other = g.vary(profile, "other %d" % n)
            other.traces = None  # several inputs of traces
            profile.traces = None
            inputs = [write(work, "a%d.proftext" % n, g.render(profile)),
                      write(work, "b%d.proftext" % n, g.render(other))]
            yield Case("generated", text + FILTERS[n % len(FILTERS)], inputs)
            yield Case("generated", ["-r", remapping, *text], inputs)


# ---- --prefix-map ------------------------------------------------------------------------------------------------

MAPS = [
    ["dir/=/src/"],
    ["f.c=", "dir=/very/long/path/to/dir"],
    ["=/root/"],
    ["dir/=other/", "dir/g=third/h"],
    ["dir/g=third/h", "dir/=other/"],
    ["a b=a c", "x=f.c", "nothing=x"],
    ["f.c=x"],
]


def mapped(name, maps):
    """A local name has something on both sides of its first semicolon, or else colon: those of _generate.py."""
    for separator in ";:":
        path, found, rest = name.partition(separator)
        if found and path and rest and "static_" in rest and path in ("f.c", "dir/g.cpp", "a b.c", "x"):
            for old, new in reversed([m.split("=", 1) for m in maps]):
                if path.startswith(old):
                    return new + path[len(old):] + separator + rest
            break
    return name


def map_site(site, maps):
    """Targets that have one name now are one."""
    counts = {}
    for target, count in site:
        target = mapped(target, maps)
        counts[target] = min(counts.get(target, 0) + count, g.U64 - 2) if target in counts else count
    return list(counts.items())


def map_profile(profile, maps):
    p = profile.copy()
    for r in p.records:
        r.name = mapped(r.name, maps)
        for kind, sites in r.sites.items():
            if kind != 1:
                r.sites[kind] = [map_site(site, maps) for site in sites]
    if p.traces is not None:
        stream, traces = p.traces
        p.traces = (stream, [(weight, [mapped(n, maps) for n in names]) for weight, names in traces])
    return p


def prefix_cases(work):
    for n in range(30):
        profile = profile_of(n)
        # Sites whose values change are sorted by value, those of equal counts; that tool does so from the second input
        # on. Of traces of two inputs the order is a matter of their own.
        inputs = 2 if profile.traces is None else 1
        if inputs == 1:
            for r in profile.records:
                r.sites = {}
        elif n % 2:  # a target that will have the name of another one of the site
            for r in profile.records[:5]:
                r.sites[0] = [[("f.c;static_%d" % n, 5), ("x;static_%d" % n, 6), ("function_0", 2)]]
        for k in range(2):
            maps = MAPS[(2 * n + k) % len(MAPS)]
            ours = write(work, "ours%d.%d.proftext" % (n, k), g.render(profile))
            theirs = write(work, "theirs%d.%d.proftext" % (n, k), g.render(map_profile(profile, maps)))
            more = [["--text"], [], ["--keep-vtable-symbols"]][(n + k) % 3]
            yield Case("prefix", more + ["--prefix-map=" + m for m in maps], inputs * [ours],
                       (more, inputs * [theirs]))


# ---- the rest ----------------------------------------------------------------------------------------------------

LINES = """
--function=(
--function=[
--function=a{2
--function=*
--function=[z-a]
--function=[[:foo:]]
--function=a\\
--function=a{3,1}
--function=()
--function=+
--no-function=( --function=[
--no-function=(
--function=?fo[o
--function=foo --no-function=foo
-r nope
-r=.
--remapping-file nope
-r one
-r two
-r three
-r four
-r five
-r six
-r seven
-r empty
-r nope nope.proftext
--function=( nope.proftext
""".split("\n")[1:-1]
REMAPPINGS = {"one": b"foo\n", "two": b"#\n\nfoo  x\n", "three": b" foo x\n", "four": b"foo x y\n", "five": b"foo x \n",
              "six": b"foo\tx\n", "seven": b"main x\n   \n", "empty": b""}


def line_cases(work):
    for name, data in REMAPPINGS.items():
        write(work, name, data)
    write(work, "a.proftext", b":ir\nmain\n17\n2\n100\n5\n\nfoo\n10\n1\n100\n")
    for line in LINES:
        words = line.split()
        yield Case("lines", words, [] if words[-1].endswith(".proftext") else ["a.proftext"])


# ---- programs ------------------------------------------------------------------------------------------------------

# Options, and of which of the three profiles.
MERGES = [
    ([], "first"),
    ([], "first second later"),
    (["--function=_1"], "first"),
    (["--no-function=^(main|_ZN1A)"], "first later"),
    (["--function=_Z|go", "--no-function=D[02]Ev"], "first second"),
    (["-r", "remapping"], "first"),
    (["--remapping-file=remapping", "--function=o"], "first second"),
    (["--sparse"], "first later"),
    (["--sparse", "--no-function=_1", "-r", "remapping"], "second first"),
    (["--weighted-input=3,FIRST", "--weighted-input=7,SECOND"], ""),
    (["--weighted-input=1000,LATER", "--sparse"], ""),
    (["--num-threads=2"], "first second later"),
    (["-j", "3", "--sparse"], "later second first"),
    (["--failure-mode=all"], "later first"),
]
# Values of a site that only an input with a weight has, LLVM adds without the weight: where there are none.
WEIGHTS = [(["--weighted-input=1000,FIRST"], "later"),
           (["--weighted-input=123456789012,LATER", "--function=o"], "first")]
# LLVM chooses by chance from more traces than a reservoir holds.
TRACES = [
    (["--temporal-profile-max-trace-length=%d" % n], runs)
    for n, runs in ((0, "first"), (1, "first second"), (3, "first"), (9, "first second later"), (20, "first later"))
] + [
    (["--temporal-profile-trace-reservoir-size=%d" % n], runs)
    for n, runs in ((0, "first"), (1, "first"), (2, "first second"), (3, "first second later"), (9, "first second"))
] + [
    (["--temporal-profile-max-trace-length=5", "--temporal-profile-trace-reservoir-size=4", "--sparse"], "first later"),
    (["--temporal-profile-max-trace-length=7", "--function=_1"], "first"),
]
FITTING = {
    "fe": WEIGHTS,
    "fe-byte": WEIGHTS,
    "mcdc": WEIGHTS,
    "bits32-fe": WEIGHTS,
    "temporal": TRACES,
    "vtables": [(["--keep-vtable-symbols"], "first"), (["--keep-vtable-symbols", "--sparse"], "first second")],
}


def inputs_of(profiles, work):
    """The paths of the three; what is merged to an indexed file; and what LLVM is given in place of that. For an older
    release it renames no local function; so it gets texts in which they have the names that clang 22 looks for."""
    paths = {run: getattr(profiles, run) for run in ("first", "second", "later")}
    if not profiles.old_names:
        return paths, paths, paths
    texts, renamed = {}, {}
    for run, path in paths.items():
        text = subprocess.run([LLVM, "merge", "--text", path, "-o", "-"], stdout=subprocess.PIPE, check=True).stdout
        name = "%d-%s-%s.proftext" % (profiles.number, profiles.name, run)
        texts[run] = write(work, name, text)
        renamed[run] = write(work, "renamed-" + name, re.sub(rb"(program|later)[.]cpp:", rb"\1.cpp;", text))
    return paths, texts, renamed


def clang_cases(work, every):
    """Older front-end profiles are written for no release in particular: for LLVM 22 it would be another version. Text
    keeps the names that there are."""
    write(work, "remapping", b"main principal\n_ZN1A1fEi _ZN1B1fEi\nfunction_1 function_101\ngo go\n")
    for profiles in every:
        group, target = profiles.group, "llvm-22" if profiles.number == 22 else "indexed-13"
        paths, texts, renamed = inputs_of(profiles, work)

        def words(options, runs, of):
            given = [re.sub("(?<=,)(FIRST|SECOND|LATER)$", lambda m: of[m[0].lower()], o) for o in options]
            return given, [of[run] for run in runs.split()]

        for options, runs in MERGES + FITTING.get(profiles.name, []):
            yield Case(group, *words(["--text", *options], runs, paths), None, target, True)
            if profiles.old_names and len(runs.split()) + len(re.findall("-input=", "".join(options))) == 1:
                options = [*options, "--no-function=^go$"]  # of one input LLVM does not sort targets of other names
            yield Case(group, *words(options, runs, texts), words(options, runs, renamed), target, True)
        if profiles.number in _built.RAW:
            for text in ([], ["--text"]):
                yield Case(group, text, [profiles.raw, profiles.later], None, target, True)
                yield Case(group, text + ["--sparse"], [profiles.raw], None, target)


def main():
    if not ANYPROF or not LLVM:
        print("skipped: no anyprof or no llvm-profdata-22")
        return 77
    compared, failures = {}, []
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, \
            _built.built() as every:
        cases = _share.pick([*generated_cases(work), *prefix_cases(work), *line_cases(work), *clang_cases(work, every)],
                            lambda case: case.group)
        for case, failure in zip(cases, pool.map(lambda c: c[1].failure(c[0], work), enumerate(cases))):
            compared[case.group] = compared.get(case.group, 0) + 1
            failures += [failure] if failure else []
        few = _built.too_few(compared, FLOORS, every.absent, cases.left_out)
    for failure in failures[:30]:
        print("FAILED:", failure)
    others = sum(case.other_order for case in cases)
    print("%d comparisons (%s), in %d as if LLVM had the inputs in another order; %d failures" %
          (sum(compared.values()), ", ".join("%s: %d" % c for c in compared.items()), others, len(failures)))
    if others > MOST_OTHER_ORDERS:
        failures.append("other orders")
        print("FAILED: that is more than %d" % MOST_OTHER_ORDERS)
    if few:
        print("FAILED: too few comparisons: %s" % "; ".join(few))
    return 1 if failures or few else 0


if __name__ == "__main__":
    sys.exit(main())
