#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same objects, linked once with compiler-rt's runtime and once with ours, and run the same way: the profiles say
the same. Each clang that is installed, each way of instrumenting that it has; read by that release's llvm-profdata and
by anyprof."""

import os
import re

import _lib
from _lib import ANYPROF, OURS, must

FE, IR = ["-fprofile-instr-generate"], ["-O1", "-fprofile-generate"]
MAPPED = [*FE, "-fcoverage-mapping"]


def llvm(*options):
    return [word for option in options for word in ("-mllvm", option)]


class Mode:
    """A way of instrumenting: which releases have it, which program, and what its text profile has to say at least
    (a regular expression; `step` is the name of a function, `N` how often it ran)."""

    def __init__(self, name, releases, options, program="counts.c", mark=r"\nstep\n(?:.+\n)+?# Counter Values:\n50\n",
                 arguments=(), link=(), correlate=None):
        self.name, self.releases, self.options, self.program = name, releases, options, program
        self.mark, self.arguments, self.link, self.correlate = mark, list(arguments), list(link), correlate


ALL, OLD, NEW = range(13, 99), range(13, 17), range(19, 99)
# IR instrumentation counts edges: 50 is not the first of them. Single bytes say that a function ran, not how often.
RAN = r"\nstep\n(?:.+\n)+?# Counter Values:\n(?:\d+\n)*50\n"
BYTE = r"\nstep\n(?:.+\n)+?# Counter Values:\n1\n"
BLOCKS = r"\nstep\n(?:.+\n)+?# Counter Values:\n0\n1\n"
TARGETS = r"(?:plus_one:20\n|negative:10\n)"
MODES = [
    Mode("front-end", ALL, FE),
    Mode("coverage", ALL, MAPPED),
    Mode("front-end values", ALL, [*FE, *llvm("-enable-value-profiling")], mark=TARGETS),
    Mode("front-end atomic threads", ALL, [*FE, "-fprofile-update=atomic"], "threads.c",
         r"\nstep\n(?:.+\n)+?200000\n", link=["-pthread"]),
    Mode("front-end groups", range(15, 99),
         [*FE, "-fprofile-function-groups=3", "-fprofile-selected-function-group=1"], mark=r"# Counter Values:"),
    Mode("front-end debug info", range(19, 99), ["-g", *FE, *llvm("-profile-correlate=debug-info")],
         correlate="--debug-info="),
    Mode("front-end binary", range(19, 99), [*FE, *llvm("-profile-correlate=binary")], correlate="--binary-file="),
    Mode("MC/DC", NEW, [*MAPPED, "-fcoverage-mcdc"], mark=r"\ndecide\n(?:.+\n)+\$[1-9]"),
    Mode("front-end bytes", NEW, [*MAPPED, *llvm("-enable-single-byte-coverage")], mark=BYTE),
    Mode("continuous objects", ALL, [*FE, *llvm("-runtime-counter-relocation")]),
    Mode("IR", ALL, IR, mark=TARGETS),
    Mode("IR without values", ALL, [*IR, *llvm("-disable-vp")], mark=RAN),
    Mode("IR atomic threads", ALL, [*IR, "-fprofile-update=atomic", *llvm("-instrprof-atomic-counter-update-all")],
         "threads.c", r"\n200000\n", link=["-pthread"]),
    Mode("IR entry", ALL, [*IR, *llvm("-pgo-instrument-entry=true")]),
    Mode("IR loop entries", range(22, 99), [*IR, *llvm("-pgo-instrument-loop-entries=true")], mark=RAN),
    Mode("IR groups", range(15, 99), [*IR, "-fprofile-function-groups=3", "-fprofile-selected-function-group=2"],
         mark=r"# Counter Values:"),
    Mode("IR function bytes", range(14, 99), [*IR, *llvm("-pgo-function-entry-coverage")], mark=BYTE),
    Mode("IR block bytes", NEW, [*IR, *llvm("-pgo-block-coverage")], mark=BLOCKS),
    Mode("IR temporal", NEW, [*IR, *llvm("-pgo-temporal-instrumentation")], mark=r"\n:temporal_prof_traces\n"),
    Mode("IR debug info", range(14, 17), ["-g", *IR, *llvm("-debug-info-correlate", "-disable-vp")],
         mark=RAN, correlate="--debug-info="),
    Mode("IR debug info", NEW, ["-g", *IR, *llvm("-profile-correlate=debug-info", "-disable-vp")],
         mark=RAN, correlate="--debug-info="),
    Mode("IR binary", NEW, [*IR, *llvm("-profile-correlate=binary", "-disable-vp")], mark=RAN,
         correlate="--binary-file="),
    Mode("IR vtables", NEW, [*IR, *llvm("-enable-vtable-value-profiling")], "vtables.cpp",
         r"# ValueKind = IPVK_VTableTarget:\n", link=["-lstdc++"]),
    Mode("long lists", ALL, IR, "many_values.c", r"\n24\ntarget_"),
    Mode("short lists", ALL, [*IR, *llvm("-vp-counters-per-site=0.1")], "many_values.c", r"\n24\ntarget_"),
    Mode("lists at run time", ALL, [*IR, *llvm("-vp-static-alloc=false")], "many_values.c", r"\n40\ntarget_", ["all"]),
    Mode("CS", ALL, ["-O1", "-fcs-profile-generate"], mark=r":csir\n"),
]


class Case:
    """A mode of a release."""

    def __init__(self, clang, mode):
        self.clang, self.mode = clang, mode

    def __str__(self):
        return "%s %s" % (self.clang, self.mode.name)


def link(case, shop, objects, ours, extra=()):
    """The same command twice; with ours, its archive is in front of the one that the driver adds."""
    exe = shop.path("program")
    form = ["-pie"] if case.clang.number == 13 else []
    flags = [x for x in case.mode.options if x.startswith("-f") and "profile-generate" in x or x in FE]
    command = [case.clang.path, *form, *flags, "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567", *objects]
    must([*command, *(OURS if ours else []), *case.mode.link, *extra, "-o", exe])
    return exe


class Read:
    """The texts that the tools make of a raw profile."""

    def __init__(self, case, exe, raw):
        shop = os.path.dirname(raw)
        correlate = [case.mode.correlate + exe] if case.mode.correlate else []
        self.texts = {}
        show = ["show", "--all-functions", "--counts", "--ic-targets", "--memop-sizes", raw]
        new = case.clang.number > 16
        for tool, name in ((case.clang.profdata, "llvm-profdata"), (ANYPROF, "anyprof")):
            out = os.path.join(shop, name + ".proftext")
            # Since 13 does not know the option, it merges no correlated profiles.
            must([tool, "merge", "--text", *correlate, raw, "-o", out])
            with open(out, encoding="utf-8") as file:
                self.texts[name + " merge"] = _lib.text_profile(file.read())
            if not correlate:
                extra = ["--show-vtables", "--temporal-profile-traces"] if new or tool == ANYPROF else []
                extra += ["--binary-ids"] if case.clang.number > 14 or tool == ANYPROF else []
                self.texts[name + " show"] = _lib.shown(must([tool, *show, *extra]))


def profile(case, exe, arguments=None):
    """Runs the program; its raw profile. Nothing else may be in the directory then."""
    raw = os.path.join(os.path.dirname(exe), "out", "p.profraw")
    must([exe, *(case.mode.arguments if arguments is None else arguments)], profile=raw)
    left = os.listdir(os.path.dirname(raw))
    if left != ["p.profraw"]:
        raise _lib.Failed("files are left: %s" % left)
    return raw


def earlier_profile(case, shop):
    """For context-sensitive instrumentation: a profile of the program."""
    first = Case(case.clang, Mode("earlier", ALL, IR))
    raw = profile(first, link(first, shop, [shop.compile(case.clang, "counts.c", IR)], ours=False))
    indexed = shop.path("first.profdata")
    must([case.clang.profdata, "merge", raw, "-o", indexed])
    return indexed


def check(case, shop, checks):
    options = list(case.mode.options)
    if case.mode.name == "CS":
        options.append("-fprofile-use=" + earlier_profile(case, shop))
    objects = [shop.compile(case.clang, case.mode.program, options)]
    exes = [link(case, shop, objects, ours) for ours in (False, True)]
    theirs, ours = (Read(case, exe, profile(case, exe)).texts for exe in exes)
    marked = re.search(case.mode.mark, theirs["llvm-profdata merge"])
    checks.that(marked, "%s: what it is about is not in the profile" % case, theirs["llvm-profdata merge"][:2000])
    for tool in theirs:
        checks.equal(ours[tool], theirs[tool], "%s: %s" % (case, tool))


def sites(text):
    """{function: its sites that have values}."""
    return {f.name: [dict(site) for kind in f.values.values() for site in kind if site] for f in _lib.functions(text)}


def check_used_up(clang, shop, checks):
    """compiler-rt drops the values for which it has no node; ours has all of them, with the same counts."""
    case = Case(clang, Mode("used up", ALL, IR, "many_values.c", arguments=["all"]))
    objects = [shop.compile(clang, "many_values.c", IR)]
    exes = [link(case, shop, objects, ours) for ours in (False, True)]
    theirs, ours = (sites(Read(case, exe, profile(case, exe)).texts["llvm-profdata merge"]) for exe in exes)
    checks.equal(sorted(ours), sorted(theirs), "%s: functions" % case)
    lost = 0
    for name, them in theirs.items():
        mine = ours[name]
        if not name.startswith("site_"):
            continue
        want = {"target_%d" % n: 2 for n in [*range(10, 18), *range(20, 28), *range(30, 34)]}
        checks.equal(mine, [want], "%s: %s" % (case, name))
        lost += len(want) - sum(map(len, them))
        checks.that(all(one.items() <= want.items() for one in them), "%s: %s: compiler-rt's" % (case, name), str(them))
    checks.that(lost > 0, "%s: compiler-rt has room for all: the program is too small" % case)


def main():
    checks, shop, clangs = _lib.Checks(), _lib.Workshop(), _lib.clangs()
    cases = [Case(c, m) for m in MODES for c in clangs if c.number in m.releases]
    checks.each(cases, lambda case: check(case, shop, checks))
    checks.each(clangs, lambda clang: check_used_up(clang, shop, checks))
    checks.finish("%d ways of instrumenting by %s" % (len(cases) + len(clangs), ", ".join(map(str, clangs))))


if __name__ == "__main__":
    main()
