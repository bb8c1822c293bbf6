#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compilers use what anyprof merges exactly as what their own llvm-profdata merges.

Programs are instrumented with every clang there is, run, and merged three ways: by that release's own tool, by anyprof
with its automatic target, and by anyprof for that release, which has to give the bytes of the tool. The LLVM IR that
the compiler makes with each must be the same, and right: the entry count of a function is how often it was called,
which the program itself has counted. Then profiles cross releases, and profiles of several releases are merged into
one.

    ANYPROF=command pgo_use.py [--only=WORD] [--keep]"""
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _identity  # noqa: E402  (found through the line before)
import _pgo  # noqa: E402
import _share  # noqa: E402

ANYPROF = os.environ.get("ANYPROF") or os.path.join(_pgo.HERE, "../../build/release/anyprof")
WORKERS = 2
UNREADABLE = "unsupported instrumentation profile format version"

C = _pgo.Program("c", ["pgo_main.c", "pgo_other.c"], [("40", "3"), ("7", "1"), ("120", "5")],
                 never=[("pgo_main.c", "never")])
CPP = _pgo.Program("c++", ["pgo_shapes.cpp"], [("30", "4"), ("101", "1"), ("64", "2")])
SMALL = _pgo.Program("small", ["pgo_small.c"], [("9",), ("4",)])
PROGRAMS = (C, CPP, SMALL)
# Functions that a profile must give counts, at least; how many of them are local.
LEAST = {"c": (24, 14), "c++": (15, 3), "small": (3, 1)}

FE, FE_USE = ["-fprofile-instr-generate"], "-fprofile-instr-use="
IR, IR_USE = ["-fprofile-generate"], "-fprofile-use="
MAPPED = [*FE, "-fcoverage-mapping"]
TARGETS, SIZES, VTABLES = 0, 1, 2


def hidden(*options):
    return [word for option in options for word in ("-mllvm", option)]


# Leaves value profiles where they were put, and entry counts as they were counted.
AS_COUNTED = hidden("-disable-icp", "-disable-memop-opt", "-pgo-fix-entry-count=false")
AS_IS = ((), AS_COUNTED)

FLAVOURS = [_pgo.Flavour(name, program, generate, use, **options) for name, program, generate, use, options in [
    ("fe", C, FE, FE_USE, {"opt": "-O1", "marks": ["branch_weights"]}),
    ("fe-c++", CPP, FE, FE_USE, {"marks": ["branch_weights"]}),
    ("fe-small", SMALL, FE, FE_USE, {}),
    ("fe-coverage", C, MAPPED, FE_USE, {"coverage": '"segments"'}),
    ("fe-mcdc", C, [*MAPPED, "-fcoverage-mcdc"], FE_USE, {"since": 19, "coverage": '"mcdc_records":[['}),
    ("ir", C, IR, IR_USE, {"ways": AS_IS, "marks": ["branch_weights"], "values": [TARGETS, SIZES]}),
    ("ir-c++", CPP, IR, IR_USE, {"ways": AS_IS, "marks": ["branch_weights"], "values": [TARGETS]}),
    ("ir-small", SMALL, IR, IR_USE, {"ways": [AS_COUNTED]}),
    ("ir-entry", C, [*IR, *hidden("-pgo-instrument-entry")], IR_USE,
     {"ways": [AS_COUNTED], "marks": ["branch_weights"], "flag": ":entry_first"}),
    ("ir-loops", C, [*IR, *hidden("-pgo-instrument-loop-entries")], IR_USE,
     {"since": 22, "ways": [AS_COUNTED], "marks": ["branch_weights"], "flag": ":instrument_loop_entries"}),
    ("ir-temporal", C, [*IR, *hidden("-pgo-temporal-instrumentation")], IR_USE,
     {"since": 19, "ways": [AS_COUNTED], "marks": ["branch_weights"], "flag": ":temporal_prof_traces"}),
    ("ir-vtables", CPP, [*IR, *hidden("-enable-vtable-value-profiling")], IR_USE,
     {"since": 19, "ways": [hidden("-enable-vtable-value-profiling", "-enable-vtable-profile-use"),
                            [*hidden("-enable-vtable-value-profiling"), *AS_COUNTED]],
      "marks": ["branch_weights"], "values": [TARGETS, VTABLES]}),
    # A byte for each function or block: it has run or not. No clang optimizes with those of functions.
    ("ir-entry-coverage", C, [*IR, *hidden("-pgo-function-entry-coverage")], IR_USE,
     {"since": 14, "exact": False, "refused": "for optimization", "flag": ":single_byte_coverage", "flag_since": 19}),
    ("ir-block-coverage", C, [*IR, *hidden("-pgo-block-coverage")], IR_USE,
     {"since": 19, "exact": False, "marks": ["branch_weights"], "flag": ":single_byte_coverage"}),
]]
FLAVOUR = {f.name: f for f in FLAVOURS}


def version_word(profile):
    """(indexed version, variant bits) of an indexed profile."""
    with open(profile, "rb") as f:
        word = int.from_bytes(f.read(16)[8:], "little")
    return word & 0xffffffff, word >> 32


class Made:
    """An instrumented program of one release, and the raw profiles of its runs."""

    def __init__(self, flavour, release, directory, extra=()):
        self.flavour = flavour
        self.release = release
        self.directory = directory
        self.program = flavour.build(release, directory, extra)
        self.raws = flavour.profile(self.program, directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def own(self):
        """Merges them by the release's own tool; returns the text form."""
        return _pgo.TextProfile(_pgo.run([self.release.profdata, "merge", "--text", *self.raws]).stdout)


class Test:
    def __init__(self, work, releases):
        self.work = work
        self.releases = releases
        self.results = _pgo.Results()
        self.made = {}
        self.owned = {}

    def check(self, *arguments):
        return self.results.check(*arguments)

    def anyprof(self, out, inputs, options=()):
        done = _pgo.run([ANYPROF, "merge", *options, "-o", out, *inputs], may_fail=True)
        if done.returncode != 0:
            raise _pgo.ToolFailed(f"anyprof merge {' '.join(options)}: exit {done.returncode}: {done.stderr[-1500:]}")
        return done.stderr

    # ---- a release's profile for that release

    def make(self, flavour, release):
        directory = os.path.join(self.work, f"{flavour.name}.{release.number}")
        self.made[(flavour.name, release.number)] = made = Made(flavour, release, directory)
        self.owned[(flavour.name, release.number)] = made.own()

    def native(self, flavour, release):
        made = self.made[(flavour.name, release.number)]
        profiles = self.three_ways(made, made.raws)
        where = f"{flavour.name} of {release}"
        if flavour.refused:
            self.refused(made, profiles, where)
        else:
            self.compare_uses(made, profiles, where)
        if flavour.coverage:
            self.compare_coverage(made, profiles, where)
        self.compare_heads(made, profiles, where)

    def three_ways(self, made, inputs, first=None):
        """The profiles: by the release's own tool, by anyprof, by anyprof for the release. `first` gives each an input
        of its own."""
        ways = {"own": None, "auto": [], "for": [f"--for={made.release}"]}
        for tag, options in ways.items():
            out = made.path(f"{tag}{'.second' if first else ''}.profdata")
            all_inputs = [*([first[tag]] if first else []), *inputs]
            if options is None:
                _pgo.run([made.release.profdata, "merge", "-j=1", "-o", out, *all_inputs])
            else:
                self.anyprof(out, all_inputs, options)
            ways[tag] = out
        self.compare_bytes(made, ways)
        return ways

    def compare_bytes(self, made, profiles):
        """Compares the profiles made for the release; traces may be in another order."""
        data = {}
        for tag in ("own", "for"):
            with open(profiles[tag], "rb") as f:
                data[tag] = f.read()
        same = data["own"] == data["for"] or _identity.same_but_traces(data["own"], data["for"])
        self.check(same, "bytes", f"{made.flavour.name} of {made.release}", "other bytes than those of its own tool")

    def compare_uses(self, made, profiles, where):
        flavour, release = made.flavour, made.release
        for way in flavour.ways:
            used = {}
            for tag, profile in profiles.items():
                used[tag] = flavour.compile(release, profile, made.directory, tag, way, may_fail=tag != "own")
            own = used.pop("own")
            for tag, other in used.items():
                if isinstance(other, str):
                    self.check(False, "IR", where, f"{release.clang} refuses anyprof's ({tag}): {other[:300]}")
                    continue
                self.check(own.texts == other.texts, "IR", where,
                           lambda o=other, t=tag: f"own tool and anyprof ({t}) differ: {own.difference(o)}")
                self.check("warning:" not in other.messages, "messages", where, other.messages[:400])
        self.judge(flavour, own, where)
        return own

    def judge(self, flavour, annotated, where):
        """Checks that there was something to compare, and that it is right."""
        program = flavour.program
        calls = program.calls
        for key, n in calls.items():
            entry = annotated.entry(key)
            good = entry == n if flavour.exact else entry is not None and (entry > 0) == (n > 0)
            self.check(good, "entry counts", where, f"{key[0]} {key[1]}: called {n} times, entry count {entry}")
        least, least_local = LEAST[program.name]
        local = sum(program.is_local(key) for key in calls)
        self.check(len(calls) >= least and local >= least_local, "entry counts", where,
                   f"only {len(calls)} functions with counts, {local} of them local")
        for mark in flavour.marks:
            n = annotated.count(mark)
            self.check(n >= 20, "metadata", where, f"only {n} {mark}")
        kinds = annotated.value_kinds()
        for kind in flavour.values:
            self.check(kinds[kind] > 0, "metadata", where, f"no value profile of kind {kind}")

    def refused(self, made, profiles, where):
        """No compiler uses it; so what the release's own tool reads in it is compared."""
        shown = {}
        for tag, profile in profiles.items():
            used = made.flavour.compile(made.release, profile, made.directory, tag, may_fail=True)
            self.check(isinstance(used, str) and made.flavour.refused in used, "refusals", where,
                       f"{tag}: not refused as expected: {used if isinstance(used, str) else 'used'}")
            done = _pgo.run([made.release.profdata, "show", "--covered", profile])
            shown[tag] = sorted(done.stdout.splitlines())
        ran = sorted(_pgo.profile_name(key, made.flavour.program.is_local(key), made.release.separator)
                     for key, n in made.flavour.program.calls.items() if n)
        for tag, lines in shown.items():
            missing = sorted(set(ran) - set(lines))
            self.check(lines == shown["own"] and not missing, "covered", where,
                       f"{tag}: functions that ran: {missing[:5]} are missing of {len(ran)}, {len(lines)} shown")

    def compare_coverage(self, made, profiles, where):
        if not shutil.which(made.release.cov):
            self.results.note(f"no {made.release.cov}: coverage of {where} not compared")
            return
        reports = {tag: _pgo.run([made.release.cov, "export", made.program, f"-instr-profile={profile}"],
                                 cwd=_pgo.SOURCES).stdout for tag, profile in profiles.items()}
        for tag in ("auto", "for"):
            self.check(reports[tag] == reports["own"], "coverage", where, f"llvm-cov export differs ({tag})")
        self.check(made.flavour.coverage in reports["own"] and '"percent":9' in reports["own"], "coverage", where,
                   "llvm-cov's report has not what it should")
        if made.release.number >= 19:  # raw profiles of 19 and later say that LLVM 16 and later use them
            self.compare_coverage_by_id(made, profiles, reports["own"], where)

    def compare_coverage_by_id(self, made, profiles, report, where):
        """llvm-cov finds the program by its build id, which the profile has."""
        for tag, profile in profiles.items():
            shown = _pgo.run([made.release.profdata, "show", "--binary-ids", profile]).stdout.split("Binary IDs:")[-1]
            ids = shown.split()
            self.check(len(ids) == 1, "coverage", where, f"{tag}: binary ids: {ids}")
            files = profile + ".debug"
            for name in ids:
                place = os.path.join(files, ".build-id", name[:2])
                os.makedirs(place, exist_ok=True)
                shutil.copy(made.program, os.path.join(place, name[2:] + ".debug"))
            found = _pgo.run([made.release.cov, "export", f"-instr-profile={profile}", "-debug-file-directory", files],
                             cwd=_pgo.SOURCES).stdout
            self.check(found == report, "coverage", where, f"{tag}: llvm-cov finds other coverage by the binary id")

    def compare_heads(self, made, profiles, where):
        """The variant bits of the version words; the flags of the text form, and the traces."""
        bits = {tag: version_word(profile)[1] for tag, profile in profiles.items()}
        text = {tag: _pgo.TextProfile(_pgo.run([made.release.profdata, "merge", "--text", profile]).stdout)
                for tag, profile in profiles.items()}
        self.check(bool(bits["own"]) != made.flavour.front_end, "heads", where, f"variant bits {bits['own']:#x}")
        for tag in ("auto", "for"):
            self.check(bits[tag] == bits["own"], "heads", where, f"{bits[tag]:#x}, not {bits['own']:#x} ({tag})")
            self.check(text[tag].flags == text["own"].flags, "heads", where, f"{text[tag].flags} ({tag})")
            self.check(text[tag].traces == text["own"].traces, "traces", where, f"other traces ({tag})")
        if made.flavour.flag and made.release.number >= made.flavour.flag_since:
            self.check(made.flavour.flag in text["own"].flags, "heads", where, f"no {made.flavour.flag}")
        if made.flavour.flag == ":temporal_prof_traces":
            self.check(len(text["own"].traces) == len(made.raws), "traces", where, "not a trace for each run")

    # ---- two stages

    def two_stages(self, release):
        """Context-sensitive instrumentation of a program that is compiled with a first profile."""
        first = self.made[("ir", release.number)]
        profiles = self.three_ways(first, first.raws)
        # What the first stage makes of value profiles must not be turned off in the second.
        flavour = _pgo.Flavour("ir-contexts", C, ["-fcs-profile-generate"], IR_USE,
                               ways=((), hidden("-pgo-fix-entry-count=false")), marks=["branch_weights"])
        where = f"{flavour.name} of {release}"
        directory = os.path.join(self.work, f"{flavour.name}.{release.number}")
        made = Made(flavour, release, directory, [f"-fprofile-use={profiles['own']}"])
        second = self.three_ways(made, made.raws, profiles)
        own = self.compare_uses(made, second, where)
        without = flavour.compile(release, profiles["own"], directory, "without")
        self.check(own.texts != without.texts, "metadata", where, "the second stage changes nothing")
        shown = {tag: _pgo.run([release.profdata, "show", "--showcs", "--all-functions", "--counts", profile]).stdout
                 for tag, profile in second.items()}
        self.check(shown["own"].count("Hash: 0x1") >= 10, "metadata", where, "few records with context")
        for tag in ("auto", "for"):
            self.check(sorted(shown[tag].splitlines()) == sorted(shown["own"].splitlines()), "contexts", where,
                       f"records with context differ ({tag})")

    # ---- across releases

    def keys(self, flavour, consumer):
        """(key, is local, hash and counters of the consumer's own compiler)."""
        own = self.owned[(flavour.name, consumer.number)]
        for key in flavour.program.calls:
            local = flavour.program.is_local(key)
            name = _pgo.profile_name(key, local, self.separator(flavour, consumer))
            code, counts = own.only(name)
            yield key, local, name, (code, len(counts))

    @staticmethod
    def separator(flavour, release):
        return ":" if flavour.front_end else release.separator

    def sums(self, flavour, producers, separator):
        """Returns the counters that a merge must hold, by (name, hash). With a separator, all local names have it."""
        total = {}
        for p in producers:
            for (name, code), counts in self.owned[(flavour.name, p.number)].counts.items():
                key = (_pgo.renamed(name, separator) if separator else name, code)
                if key in total and len(total[key]) != len(counts):
                    raise _pgo.ToolFailed(f"{key}: {len(counts)} counters of {p}")
                total[key] = tuple(a + b for a, b in zip(total.get(key, (0,) * len(counts)), counts))
        return total

    def expected(self, flavour, producers, consumer, separator, wide_hashes=True):
        """{key: entry count or None}: a function gets the sum of those whose name and hash its compiler asks for."""
        width = (1 << 64) - 1 if wide_hashes else (1 << 60) - 1
        for key, local, name, (code, n) in self.keys(flavour, consumer):
            # From 18 on compilers look for the older name of a local function when the newer one is not there.
            older = _pgo.renamed(name, ":")
            found = {name: 0, older: 0}
            for p in producers:
                theirs = _pgo.profile_name(key, local, self.separator(flavour, p))
                their_code, counts = self.owned[(flavour.name, p.number)].only(theirs)
                if separator and not flavour.front_end:
                    theirs = _pgo.renamed(theirs, separator)
                same = their_code is not None and code is not None and (their_code ^ code) & width == 0
                if same and len(counts) == n and theirs in found:
                    found[theirs] += 1
            times = found[name] or found[older]
            yield key, local, flavour.program.calls[key] * times if times else None

    def merged(self, flavour, producers, options, separator, version=None):
        """A merge of the raw profiles of several releases; checks its records."""
        name = f"{flavour.name}.{'+'.join(str(p.number) for p in producers)}.{'.'.join(options) or 'auto'}.profdata"
        out = os.path.join(self.work, name)
        where = f"{flavour.name} of {' '.join(map(str, producers))} {' '.join(options) or 'auto'}"
        if not os.path.exists(out):
            self.anyprof(out, [raw for p in producers for raw in self.made[(flavour.name, p.number)].raws], options)
        found = version_word(out)[0]
        if version is not None:
            self.check(found == version, "versions", where, f"indexed version {found}, not {version}")
        reader = max(self.releases.values(), key=lambda r: r.number)
        text = _pgo.TextProfile(_pgo.run([reader.profdata, "merge", "--text", out]).stdout)
        want = self.sums(flavour, producers, None if flavour.front_end else separator)
        wrong = [key for key in set(want) | set(text.counts) if want.get(key) != text.counts.get(key)]
        self.check(not wrong and want, "sums", where, f"{len(wrong)} of {len(want)} records, as {sorted(wrong)[:2]}")
        return out, where

    def use_across(self, flavour, profile, consumer, expected, where, least):
        """Compiles with it; `least`: how many functions, and how many local ones, must get counts. Returns how many."""
        where = f"{where}, used by {consumer.clang}"
        used = flavour.compile(consumer, profile, self.work, f"{os.path.basename(profile)}.{consumer.number}",
                               may_fail=True)
        if isinstance(used, str):
            self.check(False, "across", where, f"refused: {used[:300]}")
            return
        counted = local_counted = 0
        for key, local, entry in expected:
            got = used.entry(key)
            self.check(got == entry, "across", where, f"{key[0]} {key[1]}: entry count {got}, not {entry}")
            counted += entry is not None
            local_counted += local and entry is not None
        self.check(counted >= least[0] and local_counted >= least[1], "across", where,
                   f"only {counted} functions have counts, {local_counted} of them local")

    def mixed(self, name, producers, consumers, target, version=None, least=None):
        """Profiles of some releases merged into one, for `target` (a release or None), used by others."""
        flavour = FLAVOUR[name]
        producers = [self.releases[n] for n in producers]
        options = [f"--for=llvm-{target}"] if target else []
        separator = self.releases[target].separator if target else None
        profile, where = self.merged(flavour, producers, options, separator, version)
        for n in consumers:
            consumer = self.releases[n]
            # A compiler whose own hashes are cut to 60 bits makes whole ones for a profile of an older version.
            wide = not (flavour.front_end and n >= 22 and (version or 13) < 13)
            self.use_across(flavour, profile, consumer,
                            self.expected(flavour, producers, consumer, separator, wide), where,
                            least or LEAST[flavour.program.name])

    def without_for(self, producer, consumer):
        """Local functions lose their profile when names stay as they are, which is the reason for --for."""
        flavour = FLAVOUR["ir"]
        producer, consumer = self.releases[producer], self.releases[consumer]
        profile, where = self.merged(flavour, [producer], [], None)
        where += f", used by {consumer.clang} without --for"
        used = flavour.compile(consumer, profile, self.work, "refused", may_fail=True)
        self.check(isinstance(used, str) and UNREADABLE in used, "refusals", where, "not refused")
        # Only the version changed, by way of the text form that every release reads.
        text = os.path.join(self.work, f"without.{producer.number}.{consumer.number}.proftext")
        indexed = text + ".profdata"
        _pgo.run([producer.profdata, "merge", "--text", "-o", text, profile])
        _pgo.run([consumer.profdata, "merge", "-o", indexed, text])
        used = flavour.compile(consumer, indexed, self.work, os.path.basename(indexed))
        lost = kept = 0
        for key, local, entry in self.expected(flavour, [producer], consumer, consumer.separator):
            got = used.entry(key)
            self.check(got == (None if local else entry), "names", where, f"{key[0]} {key[1]}: entry count {got}")
            lost += local and entry is not None
            kept += not local and got is not None
        self.check(lost >= 8 and kept >= 5, "names", where, f"{lost} local ones lost, {kept} others kept")

    def small_beside_large(self, number):
        """Nothing in the hashes of a small program says which release made it; beside a large one it must not
        make the output one that their compiler cannot read."""
        release = self.releases[number]
        small, large = (self.made[(name, number)] for name in ("fe-small", "fe-c++"))
        out = os.path.join(self.work, f"small.and.large.{number}.profdata")
        where = f"fe-small and fe-c++ of {release} auto, used by {release.clang}"
        self.anyprof(out, [*small.raws, *large.raws])
        version = 13 if number >= 22 else 12 if number >= 19 else 7
        self.check(version_word(out)[0] == version, "versions", where, f"{version_word(out)[0]}, not {version}")
        used = large.flavour.compile(release, out, self.work, f"small.and.large.{number}", may_fail=True)
        if self.check(not isinstance(used, str), "across", where, lambda: f"refused: {used[:300]}"):
            for key, n in CPP.calls.items():
                if key[1] != "main":
                    self.check(used.entry(key) == n, "across", where, f"{key[1]}: {used.entry(key)}, not {n}")


# ---- what to do --------------------------------------------------------------------------------------------------

def plan(test):
    """[(title, function, arguments)] for the releases there are."""
    there = test.releases
    everyone = sorted(there)
    tasks = []
    for number, release in there.items():
        for flavour in FLAVOURS:
            if number >= flavour.since:
                tasks.append((f"{flavour.name} {release}", test.native, (flavour, release)))
        tasks.append((f"ir-contexts {release}", test.two_stages, (release,)))
        tasks.append((f"small-beside-large {release}", test.small_beside_large, (number,)))

    def mixed(name, producers, consumers, target, *more):
        if set(producers) | set(consumers) | ({target} if target else set()) <= set(there):
            tasks.append((f"mixed {name} {producers} for {target or 'auto'}", test.mixed,
                          (name, producers, consumers, target, *more)))

    # Releases optimize differently before they count, so that not all hashes agree.
    some = {"ir": (12, 8), "ir-c++": (12, 3)}
    for producer, consumer in ((19, 16), (22, 13), (22, 15), (19, 14)):
        if producer in there and consumer in there:
            tasks.append((f"without --for {producer} {consumer}", test.without_for, (producer, consumer)))
        mixed("ir", [producer], [consumer], consumer, None, some["ir"])
        mixed("ir", [consumer], [producer], producer, None, some["ir"])
        mixed("ir-c++", [producer], [consumer], consumer, None, some["ir-c++"])
        mixed("ir-c++", [consumer], [producer], producer, None, some["ir-c++"])
        mixed("ir", [consumer], [producer], None, 7, some["ir"])
    # Each compiler finds its own.
    for name in ("ir", "ir-c++"):
        mixed(name, [16, 19], [16, 19], None, 7)
        mixed(name, [16, 19], [16], 16, 9)
        mixed(name, [16, 19], [19], 19, 12)
        mixed(name, [13, 22], [13, 22], None, 7)
        mixed(name, [13, 22], [22], 22, 13)
        mixed(name, [13, 22], [13], 13, 7)
        mixed(name, everyone, everyone, None, 7)
    # Front ends: 13 to 19 share their hashes, those of 22 are cut to 60 bits.
    for name in ("fe", "fe-c++"):
        mixed(name, [16, 19], [16, 19], None, 7)
        mixed(name, [13], [14, 15, 16, 19, 22], None, 7)
        mixed(name, [19], [19, 22], None, 12)  # the newest version that all possible producers, 19 to 22, read
        mixed(name, [19], [13, 16, 22], 13, 7)
        mixed(name, [13, 19], [13, 16, 19, 22], None, 7)
        mixed(name, [13, 22], [22], None, 13)
        mixed(name, [13, 22], [22], 22, 13)
        mixed(name, [22], [19], 19, 12, (1, 1))
        mixed(name, [16], [13], 13, 7)
    mixed("fe-small", everyone, [22], 22, 13)
    return tasks


def kind_of(task):
    """The kind of a task of plan(): the words of its title before the releases."""
    return re.match(r"[^0-9\[]*", task[0])[0]


def in_parallel(test, tasks):
    def one(task):
        title, function, arguments = task
        begun = time.monotonic()
        try:
            function(*arguments)
        except _pgo.ToolFailed as error:
            test.check(False, "programs", title, str(error))
        return title, time.monotonic() - begun

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, tasks))


def report(test, absent, seconds):
    results = test.results
    for note in results.notes:
        print("note:", note)
    for failure in results.failures[:60]:
        print("FAILED", failure)
    if len(results.failures) > 60:
        print(f"and {len(results.failures) - 60} more")
    total = sum(results.compared.values())
    print(f"pgo_use: {total} comparisons, {len(results.failures)} failed, {seconds:.0f} s: "
          + ", ".join(f"{kind} {n}" for kind, n in sorted(results.compared.items())))
    print("clangs:", " ".join(str(n) for n in sorted(test.releases)) + ";", "absent:", ", ".join(absent) or "none")
    return 1 if results.failures or not total else 0


def main(arguments):
    only = next((a[len("--only="):] for a in arguments if a.startswith("--only=")), "")
    work = tempfile.mkdtemp(prefix="pgo_use.")
    begun = time.monotonic()
    try:
        releases, absent = _pgo.find_releases(work)
        if not os.access(ANYPROF, os.X_OK) or not releases:
            print(f"skipped: no command at {ANYPROF}" if releases else f"skipped: no clang: {', '.join(absent)}")
            return 77
        test = Test(work, releases)
        for program in PROGRAMS:
            program.count_calls(releases[max(releases)], os.path.join(work, f"counting.{program.name}"))
        in_parallel(test, [(f"{f.name} {r}", test.make, (f, r)) for f in FLAVOURS for n, r in releases.items()
                           if n >= f.since])
        if not test.results.failures:
            tasks = plan(test)
            tasks = [task for task in tasks if only in task[0]] if only else _share.pick(tasks, kind_of)
            times = in_parallel(test, tasks)
            if only:
                for title, took in times:
                    print(f"{took:6.2f} s  {title}")
        return report(test, absent, time.monotonic() - begun)
    finally:
        if "--keep" in arguments:
            print("kept:", work)
        else:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
