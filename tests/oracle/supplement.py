#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""merge --supplement-instr-with-sample makes what llvm-profdata-22 makes: the same bytes, exit codes, errors, and
warnings. What LLVM's tool does not do follows from that: sample profiles with hashes say what those with names say, and
of several inputs the sum is supplemented.

    ANYPROF=command supplement.py [WORD...]    comparisons that a word is found in"""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402
import _sample_tools as t  # noqa: E402
import _samples as s  # noqa: E402
from _identity import ANYPROF  # noqa: E402

# A change of this test must not make it compare less.
FLOORS = {"one input": 2050, "hashes": 70, "several inputs": 75, "errors": 24}
# Of all pairs, so many have to be changed by some options, and in each of the ways.
LEAST = {"hot": 50, "warm": 40, "scaled": 90, "ambiguous": 20}
PAIRS = 6
MOST_WARNINGS = 10  # of one kind that anyprof prints

SIZE = "--suppl-min-size-threshold=%d"
ONE = SIZE % 1
OPTIONS = [line.split() for line in """
--text
ONE
ONE --text
--suppl-min-size-threshold=0 --sparse
--suppl-min-size-threshold=3 --zero-counter-threshold=0
ONE --zero-counter-threshold=0.25 --text
ONE --zero-counter-threshold=5e-1
ONE --zero-counter-threshold=1
ONE --zero-counter-threshold=-1 --text
ONE --instr-prof-cold-threshold=1 --text
ONE --instr-prof-cold-threshold=30
ONE --instr-prof-cold-threshold=500 --text
ONE --instr-prof-cold-threshold=100000
ONE --instr-prof-cold-threshold=100000 --zero-counter-threshold=0.9 --text
ONE --instr-prof-cold-threshold=4294967295 --zero-counter-threshold=2 --text
ONE --instr-prof-cold-threshold=0x1f4 --sparse --keep-vtable-symbols
ONE --profile-isfs --instr-prof-cold-threshold=200
ONE --profile-isfs --fs-discriminator-pass=Base --instr-prof-cold-threshold=200 --text
""".replace("ONE", ONE).split("\n")[1:-1]]
HEADERS = [["ir"], ["csir"], ["ir", "entry_first"], ["fe"], [], ["ir", "instrument_loop_entries"]]
# Sums of the counts of this kind wrap in LLVM.
KINDS = [kind for kind in s.KINDS if kind != "huge"]


class Pair:
    """An instrumentation profile and a sample profile that have functions in common, under several names."""

    def __init__(self, work, kind, number):
        self.path = os.path.join(work, "%s-%d" % (kind, number))
        self.rng = rng = g.Random("%s %d" % (kind, number))
        more = {"names": "hashed"} if number % 3 == 2 and kind not in ("odd", "static") else {}
        self.samples = s.make_profile(self.path.rpartition("/")[2], kind, **more)
        instr = g.make_profile("%s %d" % (kind, number), functions=rng.between(20, 60), header=HEADERS[number % 6],
                               values=[0, 40][number % 2], several_hashes=[0, 15, 40][number % 3], most_hashes=2,
                               pseudo=[0, 8][number // 2 % 2], odd=number == 3,
                               unknown=False, counts=[None, "zero"][number // 3 % 2])  # LLVM loses traces
        self.shrink(instr)
        self.rename(instr)
        self.instr = t.write(self.path + ".proftext", g.render(instr, self.path if rng.chance(60) else None))
        if rng.chance(40):
            t.run(t.LLVM, ["merge", self.instr, "-o", self.path + ".profdata"])
            self.instr = self.path + ".profdata"
        self.text = t.write(self.path + ".prof", s.render(self.samples, self.path if rng.chance(60) else None))
        form = rng.pick([name for name in t.formats_of(22, kind) if "md5" not in name and name != "splitz"])
        self.given = self.convert(form) if form != "text" else self.text

    def shrink(self, instr):
        """Products of large counts wrap in LLVM. Other counts than the largest are cold."""
        most, small = 1 << self.rng.between(12, 20), 1 << self.rng.between(3, 10)
        for r in instr.records:
            limit = most if self.rng.chance(20) else small
            r.counts = [n if n >= g.WARM else n % limit for n in r.counts]
            r.sites = {kind: [[(value, n % most) for value, n in site] for site in sites]
                       for kind, sites in r.sites.items()}

    def rename(self, instr):
        rng = self.rng
        # Such a line of a text is another thing than a name.
        names = sorted({name for name in self.samples.names() if isinstance(name, str) and name[0] not in "$:#"})
        new, used = {}, {r.name for r in instr.records}
        for old in sorted(used):
            if not rng.chance(75):
                continue
            name = rng.pick(names)
            if ".__uniq." in name and rng.chance(60):
                name = name.partition(".__uniq.")[0]
            elif rng.chance(10):
                name += ".__uniq.%d" % rng.below(3)
            if rng.chance(50):
                name = rng.pick(s.FILES) + ";" + name
            name = name.encode("latin-1").decode("utf-8", "surrogateescape")
            if name not in used:
                new[old] = name
                used.add(name)
        for r in instr.records:
            r.name = new.get(r.name, r.name)

    def convert(self, form):
        options = list(t.FORMATS[form])
        if form == "symbols":
            t.write(self.path + ".symbols", s.symbol_list(self.path, self.samples))
            options.append("--prof-sym-list=" + self.path + ".symbols")
        made = t.merge(t.LLVM, options, [self.text], self.path + ".made")
        if made.code:
            raise AssertionError("llvm-profdata-22 does not write %s: %s" % (self.text, made.brief()))
        return t.write("%s.%s" % (self.path, form), made.data)


def supplement(tool, options, samples, inputs, out, name=None):
    if os.path.exists(out):
        os.unlink(out)
    done = t.run(tool, ["merge", *options, "--supplement-instr-with-sample=" + samples, *inputs, "-o", out], name=name)
    if os.path.exists(out):
        done.data = t.read(out)
        os.unlink(out)
    return done


def difference(want, got):
    if want[:1] != b"\xff" and got[:1] != b"\xff":
        return t.first_difference(want, got)
    return "%d bytes of an indexed profile, not %d, or others" % (len(got), len(want))


SEVERAL = b"warning: Static function ", b" has multiple promoted names, cannot adjust profile."
LONGEST = 167  # bytes of a name that anyprof prints


def said(err):
    """Errors, and the warning that both tools have; as anyprof prints it, with a tab escaped and a long name cut."""
    lines = []
    for line in err.splitlines():
        if line.startswith(SEVERAL[0]) and line.endswith(SEVERAL[1]):
            name = line[len(SEVERAL[0]):-len(SEVERAL[1])].replace(b"\t", b"\\x09")
            line = (name if len(name) <= LONGEST else name[:LONGEST] + b"...").join(SEVERAL)
        if line.startswith((SEVERAL[0], b"error: ")):
            lines.append(line)
    return sorted(lines)


class Pairs:
    def __init__(self, work):
        self.work = work
        self.all = {(kind, n): Pair(work, kind, n) for kind in KINDS for n in range(PAIRS)}
        self.how = {how: set() for how in LEAST}

    def count(self, key, plain, want):
        """What LLVM has done: the supplement against the profile without it, both as text."""
        a, b = plain.split(b"\n"), want.data.split(b"\n")
        for x, y in zip(a, b):
            if x != y:
                how = "hot" if y == b"%d" % g.HOT else "warm" if y == b"%d" % g.WARM else "scaled"
                self.how[how].add(key)
        if b"multiple promoted names" in want.err:
            self.how["ambiguous"].add(key)

    def one(self, kind, n, options):
        pair = self.all[kind, n]
        out = "%s.%d" % (pair.path, OPTIONS.index(options))
        want = supplement(t.LLVM, options, pair.given, [pair.instr], out + ".want")
        got = supplement(ANYPROF, options, pair.given, [pair.instr], out + ".got")
        if want.crashed or got.code != want.code or want.data is None:
            return "%s, not %s" % (got.brief(), want.brief())
        if got.data != want.data:
            return difference(want.data, got.data)
        if "--text" in options:
            t.run(t.LLVM, ["merge", "--text", pair.instr, "-o", out + ".plain"])
            self.count((kind, n), t.read(out + ".plain"), want)
        lines, own = said(want.err), said(got.err)
        if lines != own and not len(lines) > MOST_WARNINGS == len(own):
            return "says %r, not %r" % (own[:3], lines[:3])
        return None

    def hashes(self, kind, n):
        """LLVM looks for functions whose name is the number. In a table of hashes, that names are unique is a flag,
        which LLVM forgets; so it is compared where no name is."""
        pair = self.all[kind, n]
        if any(".__uniq." in name for name in pair.samples.names() if isinstance(name, str)):
            return t.Suite.UNMADE
        options = [ONE, "--text", "--instr-prof-cold-threshold=100"]
        want = supplement(t.LLVM, options, pair.text, [pair.instr], pair.path + ".hashes.want")
        for form in ("md5", "zmd5part"):
            got = supplement(ANYPROF, options, pair.convert(form), [pair.instr], pair.path + ".hashes.got")
            if got.data != want.data:
                return "%s: %s" % (form, difference(want.data, got.data or b""))
        return None

    def several(self, kind, n):
        """The sum of an input and twice the same: what LLVM makes of the sum, and the same file in each way."""
        pair, files = self.all[kind, n], set()
        whole, out = pair.path + ".sum", pair.path + ".sum.out"
        t.run(t.LLVM, ["merge", pair.instr, pair.instr, pair.instr, "-o", whole])
        if b"<Pseudo" in t.run(t.LLVM, ["show", "--all-functions", pair.instr]).out:
            return t.Suite.UNMADE  # LLVM loses them
        options = [ONE, "--instr-prof-cold-threshold=100"]
        want = supplement(t.LLVM, [*options, "--text"], pair.text, [whole], out)
        for inputs in ([pair.instr] * 3, ["--weighted-input=2," + pair.instr, pair.instr]):
            for threads in (["-j", "1"], ["-j", "3"]):
                more = [*options, *threads]
                got = supplement(ANYPROF, [*more, "--text"], pair.text, inputs, out, "anyprof")
                if got.data != want.data:
                    return "%r: %s" % (inputs, difference(want.data, got.data or got.err))
                files.add(supplement(ANYPROF, more, pair.text, inputs, out, "anyprof").data)
        return None if len(files) == 1 and None not in files else "%d different files" % len(files)


BAD = {"cut.afdo": b"\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53\x67\x07", "bad.prof": b"foo:1:1\n 1: y z\n", "blank": b"\n",
       "number.prof": b"foo:1:x\n", "empty": b"", "a.prof": b"foo:9:1\n 1: 9\n", "a.proftext": b":ir\nfoo\n1\n1\n0\n",
       "bad.proftext": b":ir\nfoo\n1\n1\nx\n"}
WITH = "--supplement-instr-with-sample="
ERRORS = [line.replace("WITH", WITH).split() for line in """
--sample WITHa.prof a.prof -o out
--sample WITHa.prof a.prof a.prof
WITHa.prof a.proftext a.proftext -o out
WITHa.prof --weighted-input=2,a.proftext -o out
WITHa.prof a.proftext
WITHabsent a.proftext a.proftext
WITHabsent a.proftext -o out
WITHabsent absent2 -o out
WITHa.proftext a.proftext -o out
WITHa.prof -o out
WITH a.proftext -o out
WITH --sample a.prof -o out
WITHa.prof a.proftext -o absent/out
WITHa.prof --zero-counter-threshold=abc a.proftext -o out
WITHa.prof --zero-counter-threshold=0.5x a.proftext -o out
WITHa.prof --suppl-min-size-threshold=x a.proftext -o out
WITHa.prof --instr-prof-cold-threshold=4294967296 a.proftext -o out
WITHempty a.proftext -o out
WITHblank a.proftext -o out
WITHcut.afdo a.proftext -o out
WITHbad.prof a.proftext -o out
WITHnumber.prof a.proftext -o out
WITH. a.proftext -o out
--zero-counter-threshold=0.5 --suppl-min-size-threshold=4 a.proftext -o out
""".split("\n")[1:-1]]


def errors(work, words):
    place = os.path.join(work, "errors-%d" % ERRORS.index(words))
    ran = []
    for tool in (t.LLVM, ANYPROF):
        os.makedirs(os.path.join(place, os.path.basename(tool)))
        for name, data in BAD.items():
            t.write(os.path.join(place, os.path.basename(tool), name), data)
        ran.append(t.run(tool, ["merge", *words], cwd=os.path.join(place, os.path.basename(tool))))
    want, got = ran
    if want.code != got.code:
        return "%s, not %s" % (got.brief(), want.brief())
    # An error in a text names the line in another way.
    lines = [line.replace(b"bad.prof:2:", b"bad.prof:") for line in want.err.splitlines()]
    missing = [line for line in lines if not any(own.startswith(line) for own in got.err.splitlines())]
    return "does not say %r but %r" % (missing[0], got.err[:300]) if missing else None


def jobs(pairs, work):
    for kind, n in pairs.all:
        for options in OPTIONS:
            yield "one input", pairs.one, kind, n, options
        yield "hashes", pairs.hashes, kind, n
        yield "several inputs", pairs.several, kind, n
    for words in ERRORS:
        yield "errors", lambda words: errors(work, words), words


def main():
    t.need_tools()
    suite = t.Suite()
    with tempfile.TemporaryDirectory() as work:
        pairs = Pairs(work)
        suite.run(jobs(pairs, work))
    print("pairs with functions that become %s" % ", ".join("%s: %d" % (how, len(p)) for how, p in pairs.how.items()))
    for how, floor in LEAST.items():
        if len(pairs.how[how]) < suite.least(floor):
            suite.failures.append("%d pairs have functions that become %s" % (len(pairs.how[how]), how))
    suite.finish(FLOORS)


if __name__ == "__main__":
    main()
