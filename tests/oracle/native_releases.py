#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raw profiles as each release's own clang makes them: what anyprof writes `--for` that release is what its
llvm-profdata merge -j=1 writes, byte for byte. _identity.py says what is claimed of several inputs.

The programs are made here: hundreds of functions, local ones whose names two files share, C++ names, calls through
pointers and copies of variable size. Then all raw profiles that the release reads, of the examples and of the corpus.
pgo_use.py has more ways of instrumenting, of small programs.
"""

import collections
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bits32  # noqa: E402
import _built  # noqa: E402
import _generate as g  # noqa: E402
import _pgo  # noqa: E402
import _share  # noqa: E402
from _identity import ANYPROF, FilesCase, choose, merge, profdata, report, run, run_cases  # noqa: E402

SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
# Comparisons of each release. Without a clang, or what it needs for 32 bits, there is nothing of that group; without
# the corpus nothing of it.
FLOORS = {
    "clang 13": 36, "clang 13, 32 bits": 16, "clang 14": 36, "clang 14, 32 bits": 16,
    "clang 15": 36, "clang 15, 32 bits": 16, "clang 16": 36, "clang 16, 32 bits": 16,
    "clang 19": 40, "clang 19, 32 bits": 16, "clang 22": 40, "clang 22, 32 bits": 16,
    "examples, LLVM 13": 2, "examples, LLVM 14": 6, "examples, LLVM 15": 6,
    "examples, LLVM 16": 6, "examples, LLVM 19": 4, "examples, LLVM 22": 3,
    "corpus, LLVM 13": 10, "corpus, LLVM 14": 31, "corpus, LLVM 15": 31,
    "corpus, LLVM 16": 26, "corpus, LLVM 19": 49, "corpus, LLVM 22": 46,
}
MOST = {"other order": 0.25, "other vtable order": 0, "other trace order": 0.05, "varies": 0}
MERGES = [[], ["--sparse"]]
# Ways of instrumenting a program of each release, and how many comparisons there are of it.
WAYS = {"front end": 16, "IR": 20, "IR, 32 bits": 16, "traces": 4}
RUNS = (("3", "11"), ("40", "5"), ("7", "190"))


# --- programs ---------------------------------------------------------------------------------------------------


def c_file(rng, number, names):
    """Functions that call each other through a table; `names` are taken, others are local to the file."""
    n, out = 60, ["#include <string.h>", "static char from[600], to[600];", "typedef int f(int);"]
    own = []
    for i in range(n):
        local = rng.chance(40)
        name = "local_%d" % rng.below(500) if local else names.pop()
        if name in own:
            continue
        own.append(name)
        body = [
            "if (x %% %d == %d) x += %d;" % (rng.between(2, 5), rng.below(2), i),
            "for (int i = 0; i < x %% %d; i++) x ^= i;" % rng.between(2, 9),
            "memcpy(to, from, (unsigned)x %% %d);" % rng.pick([9, 40, 500]),
            "switch (x & 3) { case 0: x++; break; case 1: x--; break; default: x += 2; }",
            "return x > %d && (x & 1 || x < %d) ? x : -x;" % (rng.below(50), rng.below(400)),
        ]
        text = " ".join(body[rng.below(5) :])
        qualifier = "static " if local else ""
        out.append("%s__attribute__((noinline)) int %s(int x) { %s return x; }" % (qualifier, name, text))
    out.append("static f *table[] = {%s};" % ", ".join(own))
    out.append("int run_%d(int x, int k) {" % number)
    out.append("    int sum = 0;")
    out.append("    for (int i = 0; i < x; i++) sum += table[(i * k) %% %d](i + k);" % len(own))
    out.append("    return sum + table[k % 3](x);\n}")
    return "\n".join(out) + "\n"


def cpp_file(rng):
    out = ["namespace n { template <int N> struct S { virtual int f(int x) { return x % (N + 2) ? x + N : x / 3; }"]
    out.append("    virtual ~S() {} }; namespace {")
    for i in range(20):
        out.append("__attribute__((noinline)) int hidden_%d(int x) { return x > %d ? x : %d; }" % (i, rng.below(9), i))
    out.append("} }")
    out.append('extern "C" int run_cpp(int x, int k) { int sum = 0; for (int i = 0; i < x; i++) switch (i * k % 20) {')
    for i in range(20):
        out.append("    case %d: { n::S<%d> s; sum += s.f(i) + n::hidden_%d(i); break; }" % (i, rng.below(60), i))
    out.append("} return sum; }")
    return "\n".join(out) + "\n"


def write_program(directory, seed, files):
    """The paths of its sources. Programs share many names of functions."""
    rng = g.Random("program %s" % seed)
    names = rng.shuffled(["function_%d" % i for i in range(400)] + ["do_%d_things" % i for i in range(200)])
    texts = {"part%d.c" % i: c_file(rng, i, names) for i in range(files)}
    texts["shapes.cpp"] = cpp_file(rng)
    calls = " + ".join("run_%d(x, k)" % i for i in range(files))
    texts["main.c"] = "#include <stdlib.h>\nint run_cpp(int, int);\n" + "".join(
        "int run_%d(int, int);\n" % i for i in range(files)
    )
    texts["main.c"] += "int main(int argc, char **argv) {\n    int x = atoi(argv[1]), k = atoi(argv[argc - 1]);\n"
    texts["main.c"] += "    return (run_cpp(x, k) + %s) == 12345;\n}\n" % calls
    os.makedirs(directory)
    for name, text in texts.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as f:
            f.write(text)
    return sorted(texts)


def build_and_run(release, sources, directory, options, out):
    """Compiled in the directory of the sources, since names of local functions have the path; the raw profiles."""
    os.makedirs(out)
    objects = []
    for source in sources:
        objects.append(os.path.join(out, source + ".o"))
        compiler = release.clangxx if source.endswith(".cpp") else release.clang
        _pgo.run([compiler, "-O1", *options, "-c", source, "-o", objects[-1]], cwd=directory)
    program = os.path.join(out, "program")
    _pgo.run([release.clangxx, *options, *objects, "-o", program])
    raws = []
    for i, arguments in enumerate(RUNS):
        raws.append(os.path.join(out, "run%d.profraw" % i))
        _pgo.run(_bits32.command(options, program, *arguments), env={"LLVM_PROFILE_FILE": raws[-1]})
    return raws


def built_cases(release, way, work):
    """One program instrumented in a way, and another one that shares names with it."""
    number, directory = release.number, os.path.join(work, "%d %s" % (release.number, way))

    def case(name, inputs, merges=MERGES):
        return FilesCase("%s of clang %d" % (name, number), inputs, merges, release=number)

    def path(name):
        return os.path.join(directory, name)

    def plain(paths):
        return [(p, 1) for p in paths]

    one, other = path("one"), path("other")
    sources, fewer = write_program(one, 1, 4), write_program(other, 2, 2)
    front_end = ["-fprofile-instr-generate", "-fcoverage-mapping"] + (["-fcoverage-mcdc"] if number >= 19 else [])
    options = {"front end": front_end, "IR": ["-fprofile-generate"], "IR, 32 bits": ["-m32", "-fprofile-generate"],
               "traces": ["-fprofile-generate", "-mllvm", "-pgo-temporal-instrumentation"]}[way]
    raws = build_and_run(release, sources, one, options, path("raw"))
    yield case(way + ", one run", plain(raws[:1]))
    yield case(way + ", three runs", plain(raws))
    if way == "traces":
        return
    others = build_and_run(release, fewer, other, options, path("other raw"))
    yield case(way + ", weighted", [(raws[0], 5)])
    yield case(way + ", two programs", plain([raws[0], others[0], raws[1]]))
    yield case(way + ", two programs, the smaller first", plain([others[0], raws[0]]))
    own, text = path("own.profdata"), path("own.proftext")
    _pgo.run([release.profdata, "merge", "-o", own, *raws[:2]])
    _pgo.run([release.profdata, "merge", "--text", "-o", text, *raws[1:]])
    yield case(way + ", indexed", plain([own]))
    yield case(way + ", text", plain([text]))
    yield case(way + ", indexed and raw", plain([own, raws[2]]))
    if way == "IR":
        contexts = ["-fprofile-use=" + own, "-fcs-profile-generate"]
        contexts = build_and_run(release, sources, one, contexts, path("contexts"))
        yield case("second stage", plain(contexts))
        yield case("both stages", plain([own, *contexts]))


# --- raw profiles that are there ---------------------------------------------------------------------------------

COUNTS, TEXT = ["show", "--all-functions", "--counts"], ["merge", "--text", "-o", "-"]
OLD, NEW = (13, 14, 15, 16), (19, 22)
# Reasons, and what that release's tool has to print of both files all the same.
IDS = ("LLVM 16 keeps the binary ids of one profile of a file only", TEXT)
SCHEME = ("front-end hashes of LLVM 19 make a version that clang 22 finds them in", TEXT)
TARGETS = ("call targets in the other byte order are unknown to LLVM 13 to 16", COUNTS)
TRACES = ("LLVM 14 to 16 take the timestamps for counters", None)
MISMATCH = ("of records with other numbers of counters the larger is kept; LLVM keeps the first", None)
ENTRIES = ("no timestamps: counts in place of a trace of garbage", None)
DIFFERENCES = {
    **dict.fromkeys(("14_bedsosha1", "14_dsosha1", "16_bedsosha1", "16_dsosha1"), ((16,), IDS)),
    **dict.fromkeys(("16_fenone", "16_nonefe"), ((16,), IDS)),
    **dict.fromkeys(("clang-19-fe", "19_bemcdc", "19_bemcdc32", "19_mcdc32"), ((22,), SCHEME)),
    **dict.fromkeys(("13_beir", "13_beir32", "14_beir32", "14_beird", "16_beird"), (OLD, TARGETS)),
    **dict.fromkeys(("17_temp", "17_tempbcov"), (OLD, TRACES)),
    "cat9": (NEW, MISMATCH),
    "22_tempcov": (NEW, ENTRIES),
}
# Without the binary LLVM 19 and later read no record of these.
REFUSED = ("22_cbinary", "22_cdebug-info")


def check_difference(release, path, reason, work):
    """Returns what is wrong with a known difference, or None."""
    why, command = reason
    tool, said = profdata(release), []
    for who in (tool, ANYPROF):
        out = os.path.join(work, "other.profdata")
        data = merge(who, release, [], [(path, 1)], out)
        if isinstance(data, str):
            return data
        code, shown, error = run([tool, *(command or COUNTS), out])
        said.append((data, shown if code == 0 else error))
    if said[0][0] == said[1][0]:
        return "no difference any more: " + why
    return None if command is None or said[0][1] == said[1][1] else "more than that differs: " + why


def found_cases(release, place, failures, work):
    """A case for every raw profile of a directory that the release reads."""
    for file in sorted(f for f in os.listdir(place) if f.endswith(".profraw")):
        name, path = file[: -len(".profraw")], os.path.join(place, file)
        readable = merge(profdata(release), release, [], [(path, 1)], os.path.join(work, "want"))
        if isinstance(readable, str) or name in REFUSED:
            continue
        releases, reason = DIFFERENCES.get(name, ((), None))
        if release not in releases:
            yield FilesCase("%s for LLVM %d" % (file, release), [(path, 1)], [[]], release=release)
            continue
        wrong = check_difference(release, path, reason, work)
        if wrong:
            failures.append("%s for LLVM %d: %s" % (file, release, wrong))


def grouped_cases(work, failures):
    """(group, cases, how many comparisons are in other shares) of all there is; what is not is printed."""
    clangs, absent = _pgo.find_releases(work)
    for why in absent:
        print("skipped: " + why)
    plans = [(number, way) for number in clangs for way in WAYS
             if (way != "traces" or number >= 19) and ("32" not in way or _pgo.builds_32_bits(number))]
    chosen = _share.pick(plans, lambda plan: str(plan[0]), "ways of instrumenting")
    for number, way in plans:
        group = "clang %d%s" % (number, ", 32 bits" if "32" in way else "")
        if (number, way) in chosen:
            yield group, list(built_cases(clangs[number], way, work)), 0
        else:
            yield group, [], WAYS[way]
    corpus = os.path.join(CORPUS, "raw")
    if not os.path.isdir(corpus):
        print("skipped: no corpus")
    for number in _pgo.RELEASES:
        if not profdata(number):
            print("skipped: no llvm-profdata-%d" % number)
            continue
        examples = os.path.join(SOURCE, "examples", "profiles")
        yield "examples, LLVM %d" % number, list(found_cases(number, examples, failures, work)), 0
        if os.path.isdir(corpus):
            yield "corpus, LLVM %d" % number, list(found_cases(number, corpus, failures, work)), 0


def main():
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command at '%s'" % ANYPROF)
        return 77
    if not any(profdata(number) for number in _pgo.RELEASES):
        print("skipped: no llvm-profdata")
        return 77
    with tempfile.TemporaryDirectory() as work:
        failures, compared, left_out = [], collections.Counter(), collections.Counter()
        groups = list(grouped_cases(work, failures))
        cases = [case for _, group, _ in groups for case in group]
        if sys.argv[1:]:
            cases, _ = choose(cases, sys.argv[1:])
        run_cases(cases)
    for name, group, others in groups:
        compared[name] += sum(sum(case.counts.values()) for case in group)
        left_out[name] += others
    print(", ".join("%s: %d" % pair for pair in compared.items()))
    few = _built.too_few(compared, FLOORS, set(FLOORS) - set(compared), left_out)
    for text in few if not sys.argv[1:] else ():
        failures.append("too few comparisons: " + text)
    return report(cases, [], failures, sys.argv[1:], 0, MOST if _share.WHOLE else {})


if __name__ == "__main__":
    sys.exit(main())
