#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That the samples tests make are right, without anyprof: programs are traced before and after BOLT 15 to 22, perf2bolt
makes profiles of both, and llvm-bolt-22 sees the same counts in them. What differs, differs for a reason given here."""

import concurrent.futures
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _share  # noqa: E402

# Those that move code, and merge or copy none: then each block has one place, and counts come back exactly.
KINDS = ("plain", "reordered", "split", "split in two", "all", "in place")
tally = _bolt.Tally()
counts, failures, count, check = tally.counts, tally.failures, tally.count, tally.check


def profiles_of(release, program, original, samples, prefix):
    """Returns the profiles of a program's samples: {kind: Profile}. Tables of BOLT 15 and 16 go to their perf2bolt."""
    seen = {}
    for kind in ("T", "B", "old") if release >= 19 else ("old",):
        path = "%s.%s.fdata" % (prefix, kind)
        with_table = program != original and kind != "old"
        yaml = "%s.%s.perf2bolt.yaml" % (prefix, kind) if with_table else None
        said = _bolt.perf2bolt(release if kind == "old" else 22, program, samples[kind], path, yaml)
        check(kind == "old" or "function contents: 0 (" in said, "%s: %s: traces that cannot be" % (prefix, kind))
        seen[kind] = _bolt.load(original, path, path + ".yaml")
        if yaml:
            check_pair(seen[kind], _bolt.load(original, yaml, yaml + ".yaml"), "YAML", prefix + ": YAML and fdata",
                       entries=False, secondary=False)
            count("profiles as YAML too")
    return seen


def reason(difference, profile, records):
    """Why BOLT's own conversion differs; None: it should not. All is about the place after a call, where the block
    ends with that; on the left is the program before BOLT, or fdata where on the right is YAML."""
    what, key, before, after = difference
    if what not in ("edges", "blocks"):
        return None
    name, block = key[0], key[-1]
    callees = [profile.names.get(k[3], "") for k in profile.calls if k[:2] == (name, block - 1)]
    if not callees:
        return None
    if what == "edges" and key[1] == block - 1:
        if records == "old" and after == 0:
            return "returns written as f: the edge after the call is lost with a table"
        if records == "T" and name in callees and before < after:
            return "returns of functions that call themselves: the edge after the call is lost without a table"
    elif what == "blocks" and records == "YAML" and before == 0:
        return "returns written as B from outside: executions of the block after the call are only in YAML"
    return None


def check_pair(before, after, records, what, **options):
    result = _bolt.compare(before, after, layouts_differ=records != "YAML", **options)
    for name, n in result.equal.items():
        count(name + " equal", n)
    count("mispredictions of edges taken in one layout only", result.one_sided)
    explained = [(reason(d, before, records), d) for d in result.differ]
    for why in [why for why, _ in explained if why]:
        count("differ: " + why)
    result.differ = [d for why, d in explained if not why]
    check(not result.differ, "%s: %s" % (what, result))


def entry_samples(program, samples, prefix):
    """How often the first instruction of each function ran, by basic samples of all instructions; not of functions
    whose name others have too: with a table, perf2bolt numbers them in another way."""
    path = prefix + ".basic.fdata"
    _bolt.perf2bolt(22, program, samples["basic"], path, options=["--ba"])
    found = [(key.split()[1].split("/")[0], n) for key, n in _bolt.read_fdata(path)[1].items() if key.endswith(" 0")]
    names = [name for name, _ in found]
    return {name: n for name, n in found if names.count(name) == 1}


def check_basic(original, program, samples, prefix, what):
    before = original.basic
    after = entry_samples(program, samples, prefix)
    check(before == after, "%s: basic samples: %s" % (what, sorted(set(before.items()) ^ set(after.items()))[:4]))
    executions = {name.split("/")[0]: n for name, n in original.seen[22]["T"].executions.items()}
    wrong = [name for name in after if executions.get(name) not in (None, after[name])]
    check(not wrong, "%s: basic samples and traces: %s" % (what, wrong[:4]))
    count("functions by basic samples", len(after))


class Original:
    """A program before BOLT, its samples and what each release sees in them."""

    def __init__(self, name, path, where):
        self.name, self.path = name, path
        self.prefix = os.path.join(where, name)
        self.output = _bolt.run([path]).stdout
        self.samples = _bolt.trace(path, self.prefix)
        self.seen = {}
        self.basic = entry_samples(path, self.samples, self.prefix)

    def learn(self, release):
        if release not in self.seen:
            self.seen[release] = profiles_of(release, self.path, self.path, self.samples,
                                             "%s.%d" % (self.prefix, release))


def check_elsewhere(original):
    """Where code outside the program's file is makes no difference."""
    prefix = original.prefix + ".elsewhere"
    _bolt.perf2bolt(22, original.path, _bolt.elsewhere(original.samples["T"], prefix), prefix + ".fdata")
    equal, differ = _bolt.compare_fdata(original.prefix + ".22.T.fdata", prefix + ".fdata")
    check(equal > 60 and not differ, "%s: outside at another address: %s" % (original.name, differ[:4]))
    count("records with another address outside", equal)


def check_again(original):
    """Samples are the same each time; one basic sample in 7 is one in 7; and one branch more is seen."""
    again = _bolt.trace(original.path, original.prefix + ".again", every=7)
    texts = {}
    for kind, path in original.samples.items():
        with open(path, encoding="ascii") as f, open(again[kind], encoding="ascii") as g:
            texts[kind] = (f.read(), g.read())
        check(kind == "basic" or texts[kind][0] == texts[kind][1], "%s: %s: traced twice" % (original.name, kind))
    everything, some = (sum(int(line.split()[-1]) for line in text.splitlines()) for text in texts["basic"])
    check(everything // 7 == some, "%s: %d of %d basic samples" % (original.name, some, everything))
    lines = texts["T"][0].splitlines()
    inside = [i for i, line in enumerate(lines) if line.startswith("T") and " 0 " not in line]
    one = inside[len(inside) // 2]
    words = lines[one].split()
    lines[one] = " ".join(words[:-1] + [str(int(words[-1]) + 1)])
    with open(again["T"], "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    _bolt.perf2bolt(22, original.path, again["T"], again["T"] + ".fdata")
    other = _bolt.load(original.path, again["T"] + ".fdata", again["T"] + ".yaml")
    result = _bolt.compare(original.seen[22]["T"], other)
    check(result.differ and all(after - before == 1 for _, _, before, after in result.differ),
          "%s: one branch more: %s" % (original.name, result))
    count("programs traced twice")


def check_bolted(original, release, kind):
    what = "BOLT %d, %s, %s" % (release, original.name, kind)
    prefix = "%s.%d.%s" % (original.prefix, release, kind.replace(" ", "-"))
    why = _bolt.bolt(release, original.path, _bolt.options_of(release, kind), prefix)
    if not check(why is None, "%s: %s" % (what, why)):
        return
    samples = _bolt.trace(prefix, prefix)
    count("programs of BOLT traced")
    for records, profile in profiles_of(release, prefix, original.path, samples, prefix).items():
        if records == "old" and kind == "in place":
            count("not compared: perf2bolt-19 does not follow switches of functions that stayed in place")
            continue
        check_pair(original.seen[release][records], profile, records, "%s, %s" % (what, records))
        count("profiles compared")
    if release == 22 and kind in ("plain", "reordered"):
        check_basic(original, prefix, samples, prefix, what)


def plans_of(originals, releases):
    """Returns the cases to try. BOLT 15 and 16 leave functions as they were that do not fit in their old place, and
    write tables for them: samples of these are lost."""
    return [(o, r, kind) for r in releases for kind in KINDS for o in originals
            if _bolt.options_of(r, kind) is not None and (r >= 19 or kind != "in place")]


def main():
    why = _bolt.can_trace()
    releases = [r for r in _bolt.RELEASES if shutil.which("llvm-bolt-%d" % r) and shutil.which("perf2bolt-%d" % r)]
    if why or 22 not in releases:
        print("skipped: " + (why or "no llvm-bolt-22 or perf2bolt-22"))
        return 77
    with tempfile.TemporaryDirectory() as where:
        programs = _bolt.build(where)
        if not programs:
            print("skipped: no clang or ld.lld-22: no programs are made")
            return 77
        originals = [Original(name, path, where) for name, path in programs.items()]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda p: p[0].learn(p[1]), [(o, r) for o in originals for r in releases]))
            list(pool.map(check_again, originals))
            list(pool.map(check_elsewhere, originals))
            plans = _share.pick(plans_of(originals, releases), lambda plan: "%s %d" % (plan[0].name, plan[1]))
            list(pool.map(lambda p: check_bolted(*p), plans))
    print("\n".join("%d %s" % (n, what) for what, n in sorted(counts.items())))
    if len(releases) == len(_bolt.RELEASES) and len(programs) == 3:
        for what, least in (("programs of BOLT traced", 60), ("profiles compared", 120), ("edges equal", 8000),
                            ("calls equal", 3500), ("functions equal", 2000), ("mispredictions equal", 1000)):
            check(counts.get(what, 0) >= _share.least(least, plans), "too few: %s" % what)
    return 1 if failures else 0


sys.exit(main())
