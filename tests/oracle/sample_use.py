#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers use the sample profiles that anyprof writes for them exactly as what their own tools write.

A program is compiled by every clang that is installed with profiles made up here: merged by its own llvm-profdata, and
by anyprof for that release. The LLVM IR has to be the same: metadata of branches, entry counts, the summary. For GCC,
whose profiles no tool merges that works, the other file is written here by the tables of its format; GCC's dumps of
what it read, and of what came of it, have to be the same.

    ANYPROF=command sample_use.py [WORD...]    comparisons that a word is found in"""

import functools
import glob
import os
import re
import shutil
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _gcc_afdo as afdo  # noqa: E402
import _pgo  # noqa: E402
import _sample_model as m  # noqa: E402
import _sample_tools as t  # noqa: E402
import _samples as s  # noqa: E402
from _identity import ANYPROF, profdata  # noqa: E402

PROGRAM = os.path.join(_pgo.HERE, "samples", "sample_calls.c")
SEEDS, GCC_SEEDS = 2, 6
# A change of this test must not make it compare less.
FLOORS = {"clang 13": 50, "clang 14": 80, "clang 15": 80, "clang 16": 80, "clang 19": 92, "clang 22": 92,
          "other clang 13": 10, "other clang 14": 12, "other clang 15": 12, "other clang 16": 12,
          "other clang 19": 12, "other clang 22": 12, "gcc-11": 12, "gcc-12": 12}

# ---- profiles of the program ------------------------------------------------------------------------------------

# Functions, their lines, and the lines of their calls with what is called there.
FUNCTIONS = {
    "small": (6, {}),
    "middle": (7, {4: ["small", "outside"]}),
    "alone": (10, {3: ["outside"], 5: ["middle"], 7: ["small"]}),
    "rare": (6, {2: ["outside"]}),
    "often": (15, {5: ["small", "middle"], 6: ["rare", "alone"], 7: ["alone"], 9: ["small"], 11: ["rare"]}),
    "start": (5, {3: ["often", "middle"]}),
}
KINDS = ["flat", "nested", "huge", "cs", "probe", "csprobe", "attributes"]


class Maker:
    def __init__(self, seed, kind, checksums):
        self.rng, self.kind, self.checksums = s.g.Random(seed), kind, checksums
        self.probe = "probe" in kind
        self.nests = kind in ("nested", "probe", "attributes", "huge")

    def count(self):
        if self.kind == "huge":
            return self.rng.below(1 << 62)
        return self.rng.below(1 << self.rng.between(1, 20))

    def samples(self, name, depth=0):
        rng = self.rng
        lines, calls = FUNCTIONS[name]
        one = m.Samples()
        one.checksum = self.checksums.get(name, 0)
        if self.kind == "attributes" and depth:
            one.attributes = rng.pick([0, 1, 2, 3])
        for line in range(1 if self.probe else 0, lines + 1):
            one.lines[(line, 0)] = [self.count(), {}]
            if not self.probe and rng.chance(20):
                one.lines[(line, rng.pick([1, 2, 3, 5]))] = [self.count(), {}]
        for line, callees in calls.items():
            at = (line, 0)
            one.lines[at][1] = {callee: self.count() for callee in callees if rng.chance(70)}
            inlined = [callee for callee in callees if callee in FUNCTIONS and rng.chance(60)]
            if self.nests and depth < 3 and inlined:
                one.calls[at] = {callee: self.samples(callee, depth + 1) for callee in inlined}
        one.head = self.count() if depth == 0 else 0
        one.total = s.sum_of_counts(one)
        return one

    def contexts(self):
        """The base contexts and chains of calls."""
        chains = [((name, 0, 0),) for name in FUNCTIONS]
        for chain in chains:
            name = chain[-1][0]
            for line, callees in FUNCTIONS[name][1].items() if len(chain) < 4 else ():
                chains += [(*chain[:-1], (name, line, 0), (callee, 0, 0)) for callee in callees
                           if callee in FUNCTIONS and self.rng.chance(60)]
        return chains

    def profile(self):
        profile = m.Profile()
        keys = self.contexts() if self.kind.startswith("cs") else FUNCTIONS
        for key in keys:
            profile.functions[key] = self.samples(key if isinstance(key, str) else key[-1][0])
        return profile


# ---- clang ------------------------------------------------------------------------------------------------------

WAYS = {"default": [], "text": ["--text"], "md5": ["--extbinary", "--use-md5"],
        "z": ["--extbinary", "--compress-all-sections"], "partial": ["--extbinary", "--gen-partial-profile"],
        "raw": ["--binary"], "ext": ["--extbinary"]}


class Clang:
    def __init__(self, work, release):
        self.work, self.release = work, release
        self.clang, self.profdata = "clang-%d" % release, profdata(release)
        self.lock = threading.Lock()

    def scratch(self, name):
        return os.path.join(self.work, "%d.%d.%s" % (self.release, threading.get_ident(), name))

    def compile(self, profile, options=()):
        """An _pgo.Annotated, or what clang says."""
        out = self.scratch("ll")
        use = ["-fprofile-sample-use=" + profile] if profile else []
        done = _pgo.run([self.clang, "-O2", *use, *options, "-S", "-emit-llvm", PROGRAM, "-o", out], may_fail=True)
        if done.returncode:
            return done.stderr
        return _pgo.Annotated({"": t.read(out).decode().replace(profile or "-", "PROFILE")}, done.stderr)

    @functools.cached_property
    def checksums(self):
        """Of probes: {function: checksum}."""
        text = self.compile(None, ["-fpseudo-probe-for-profiling"]).texts[""]
        return {name: int(value) & m.U64
                for value, name in re.findall(r'^!\d+ = !\{i64 -?\d+, i64 (-?\d+), !"(\w+)"\}', text, re.M)}

    def inputs(self, kind, seed):
        """Two runs as text, the second with a weight; what they are together."""
        with self.lock:
            checksums = self.checksums if "probe" in kind else {}
        paths = []
        for i in range(2):
            profile = Maker("use %s %s %d" % (kind, seed, i), kind, checksums).profile()
            paths.append(t.write(self.scratch("%d.prof" % i), s.render(profile)))
        return [(paths[0], 1), (paths[1], 3)]

    def compare(self, kind, way, seed):
        """What comes of our file beside what comes of that of the release's tool."""
        inputs = self.inputs(kind, seed)
        return self.compare_merges(kind, inputs, self.explicit(kind, way), inputs, WAYS[way])

    def explicit(self, kind, way):
        """The default of old releases is raw, which cannot hold everything."""
        return WAYS[way] or ["--extbinary"] * (self.release < 19 and kind in ("cs", "probe", "csprobe", "attributes"))

    def compare_other(self, kind, release, form):
        """Our merge of files of another release, which this one's tool may be unable to read."""
        inputs, others = self.inputs(kind, form), []
        for path, weight in inputs:
            made = t.merge(profdata(release), t.FORMATS[form], [path], self.scratch("made"))
            if made.code:
                return "llvm-profdata-%d does not write it: %s" % (release, made.brief())
            others.append((t.write("%s.%s" % (path, form), made.data), weight))
        return self.compare_merges(kind, inputs, self.explicit(kind, "default"), others, [])

    def compare_hashed_contexts(self, seed):
        """Why anyprof refuses to write these: LLVM 13 writes hashes of contexts, and its compiler finds no function."""
        made = t.merge(self.profdata, WAYS["md5"], self.inputs("cs", seed), self.scratch("profile"))
        if made.code:
            return made.brief()
        annotated = self.compile(t.write(self.scratch("profile"), made.data))
        if isinstance(annotated, str):
            return "clang says %s" % annotated
        return "the profile is used" if annotated.count("branch_weights") else None

    def compare_merges(self, kind, inputs, options, our_inputs, our_options):
        out = self.scratch("profile")
        theirs = t.merge(self.profdata, options, inputs, out)
        ours = t.merge(ANYPROF, [*self.target, *our_options], our_inputs, out, os.path.basename(ANYPROF))
        if theirs.code or ours.code:
            return "not merged: ours %s, theirs %s" % (ours.brief(), theirs.brief())
        flags = ["-fpseudo-probe-for-profiling"] if "probe" in kind else []
        annotated = []
        for data in (theirs.data, ours.data):
            annotated.append(self.compile(t.write(out, data), flags))
            if isinstance(annotated[-1], str) or annotated[-1].messages:
                return "clang says %s" % getattr(annotated[-1], "messages", annotated[-1])
        if annotated[0].count("branch_weights") < 8 or not annotated[0].summary[""]:
            return "the profile is not used: %d branches" % annotated[0].count("branch_weights")
        if kind != "huge" and any(annotated[0].entry(("", name)) in (None, -1) for name in ("rare", "often", "start")):
            return "the profile is not used: no entry counts"
        return annotated[1].difference(annotated[0]) or None

    @property
    def target(self):
        return ["--for=llvm-%d" % self.release] if ANYPROF != t.LLVM else []


# Files of others, by kind: each release has to get what it reads of each of them.
OTHERS = {"flat": [(13, "raw"), (16, "compact"), (22, "ext"), (19, "md5")],
          "nested": [(14, "z"), (22, "split"), (13, "ext")],
          "cs": [(13, "ext"), (16, "z"), (22, "ext")],
          "probe": [(14, "ext"), (22, "split")]}


def ways_of(release, kind):
    """Whether a release's clang uses such a profile as the tool of that release writes it."""
    for way in WAYS:
        if way == "raw" and (kind.startswith("cs") or kind == "probe"):
            continue
        if "md5" in way and release < 19 and kind not in ("flat",):
            continue  # inlinees with GUIDs are lost, contexts are not found
        yield way


def clang_jobs(work):
    for release in t.INSTALLED:
        if not shutil.which("clang-%d" % release):
            continue
        clang = Clang(work, release)
        for kind in KINDS:
            # Of inlinees, LLVM 13 has neither attributes nor checksums; its probes need other flags.
            if release == 13 and ("probe" in kind or kind == "attributes"):
                continue
            for way in ways_of(release, kind):
                for seed in range(SEEDS):
                    yield "clang %d" % release, clang.compare, kind, way, seed
            for seed in range(SEEDS if release == 13 and kind == "cs" else 0):
                yield "clang 13", clang.compare_hashed_contexts, seed
            for written, form in OTHERS.get(kind, []):
                if written in t.INSTALLED:
                    yield "other clang %d" % release, clang.compare_other, kind, written, form


# ---- GCC ---------------------------------------------------------------------------------------------------------

# The layout that a compiler reads.
LAYOUTS = {"gcc-11": "1", "gcc-12": "2"}


def afdo_node(name, samples):
    lines = {at: (count, {target.encode(): n for target, n in targets.items()})
             for at, (count, targets) in samples.lines.items()}
    calls = [(*at, afdo_node(callee, inner)) for at in sorted(samples.calls)
             for callee, inner in sorted(samples.calls[at].items())]
    return afdo.Node(name.encode(), lines, calls)


def afdo_bytes(profile, compiler):
    """The profile as create_gcov writes it."""
    functions = [afdo.Function(s.head, afdo_node(name, s)) for name, s in sorted(profile.functions.items())]
    return afdo.encode(afdo.Profile(functions), LAYOUTS[compiler])


ADDRESS = re.compile(r" @0x[0-9a-f]+")  # of a function in the compiler's memory


class Gcc:
    def __init__(self, work, compiler):
        self.work, self.compiler = work, compiler

    def dumps(self, data):
        """What the compiler says of the file and of the program that comes of it."""
        with tempfile.TemporaryDirectory(dir=self.work) as directory:
            path = t.write(os.path.join(directory, "profile.afdo"), data)
            done = _pgo.run([self.compiler, "-O2", "-fauto-profile=profile.afdo", "-fdump-ipa-afdo-details",
                             "-fdump-tree-optimized-all", "-c", PROGRAM, "-o", "o"], cwd=directory, may_fail=True)
            found = [path for end in ("afdo", "optimized") for path in glob.glob(os.path.join(directory, "*." + end))]
            dumps = [ADDRESS.sub("", t.read(path).decode()) for path in sorted(found)
                     if not path.endswith("profile.afdo")]
            return done.returncode, done.stderr, dumps

    def compare(self, kind, seed):
        profiles = [Maker("gcc %s %s %d" % (kind, seed, i), kind, {}).profile() for i in range(2)]
        for profile in profiles:  # of several records of a line these compilers use one
            for one in (one for top in profile.functions.values() for one in top.walk()):
                one.lines = {at: line for at, line in one.lines.items() if at[1] == 0}
                if self.compiler == "gcc-11":  # which writes past the end of its memory for values of indirect calls
                    one.lines = {at: [line[0], {}] for at, line in one.lines.items()}
        merged = m.merge([(profiles[0], 1), (profiles[1], 3)])
        base = os.path.join(self.work, "%s-%s-%s" % (self.compiler, kind, seed))
        inputs = [(t.write("%s.%d.prof" % (base, i), s.render(p)), w) for i, (p, w) in
                  enumerate(zip(profiles, (1, 3)))]
        target = ["--for=" + self.compiler]
        ours = t.merge(ANYPROF, target, inputs, base + ".out", os.path.basename(ANYPROF))
        if ours.code:
            return ours.brief()
        want, got = self.dumps(afdo_bytes(merged, self.compiler)), self.dumps(ours.data)
        if want[0] or len(want[2]) != 2 or want[2][1].count("(auto FDO)") < 20:
            return "the profile is not used: exit code %d, %s" % (want[0], want[1][:200])
        if want != got:
            return "the compiler makes something else of it: %s" % t.first_difference(
                *("\n".join([made[1], *made[2]]).encode() for made in (want, got)))
        return self.compare_dumps(base, afdo_bytes(merged, self.compiler), ours.data)

    def compare_dumps(self, base, *files):
        """AutoFDO's own tool shows the same; version 0.19 reads layout 1 only."""
        tool = shutil.which("dump_gcov")
        if self.compiler != "gcc-11" or not tool:
            return None
        want, got = (t.run(tool, ["--gcov_version=1", t.write(base + ".dumped", data)], name="dump_gcov").out
                     for data in files)
        return None if want == got else "dump_gcov: %s" % t.first_difference(want, got)


def gcc_jobs(work):
    for compiler in LAYOUTS:
        if shutil.which(compiler):
            for kind in ("flat", "nested"):
                for seed in range(GCC_SEEDS):
                    yield compiler, Gcc(work, compiler).compare, kind, seed


def main():
    t.need_tools()
    suite = t.Suite()
    without = {"clang %d" % n for n in t.RELEASES if n not in t.INSTALLED or not shutil.which("clang-%d" % n)}
    without |= {"other clang %s" % group.split()[1] for group in without}
    without |= {compiler for compiler in LAYOUTS if not shutil.which(compiler)}
    for group in sorted(without):
        print("skipped: no tools for", group)
    with tempfile.TemporaryDirectory() as work:
        suite.run([*clang_jobs(work), *gcc_jobs(work)])
    suite.finish(FLOORS, without)


if __name__ == "__main__":
    main()
