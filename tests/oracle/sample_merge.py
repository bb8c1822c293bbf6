#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""merge --sample with each of its options makes what llvm-profdata-22 makes: the same bytes, but for the order of the
records of FunctionMetadata, which is that of a hash table in LLVM; the same exit code, errors and warnings.

LLVM's result may depend on the order of its inputs, or lose counts: then it is compared with what LLVM makes of one
text that holds the merge by the rules of _sample_model.py. Each other difference is a row of docs/differences.md, and
`explain` knows precisely what may differ.

    ANYPROF=command sample_merge.py [WORD...]    comparisons that a word is found in"""

import collections
import functools
import itertools
import os
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _sample_model as m  # noqa: E402
import _sample_tools as t  # noqa: E402
import _samples as s  # noqa: E402
from _identity import ANYPROF, profdata  # noqa: E402

# A change of this test must not make it compare less.
FLOORS = {"one input": 2420, "two inputs": 1120, "many inputs": 1120, "conflicts": 1090, "raw": 810}
LEAST = {"LLVM's": 6200, "the model's": 290}
# Differences that are meant, by the result of LLVM that is right. Fewer would be as wrong as more: LLVM loses these.
EXPLAINED = {"flat": (10, 27), "attributes": (150, 200), "order of metadata": (8, 12), "vtables": (80, 110)}
PERMUTATIONS = 4
EXT = t.EXT

# ---- options -----------------------------------------------------------------------------------------------------

# FILE.map, FILE.symbols and others are made beside the inputs.
FORMATS = [line.split() for line in """
--text
--extbinary

--text --extbinary
--use-md5
--compress-all-sections
--gen-partial-profile
--use-md5 --compress-all-sections
--compress-all-sections --gen-partial-profile --use-md5
--use-md5 --text
--compress-all-sections --text
--gen-partial-profile --use-md5 --text
--prof-sym-list=FILE.symbols
--prof-sym-list=FILE.symbols --compress-all-sections --use-md5
--prof-sym-list=FILE.symbols --text
--prof-sym-list=FILE.blank
--drop-profile-symbol-list
--drop-profile-symbol-list --prof-sym-list=FILE.symbols
--function=o
--function=^f.*[0-4]$
--no-function=[13579]$
--function=_[1-9] --no-function=[5-9]$
--function=zzz
--no-function=. --text
--function=?unction_1
--function=FIRST
--function=NAME
--no-function=NAME --text
--output-size-limit=60%
--output-size-limit=30% --text
--output-size-limit=95% --compress-all-sections
--output-size-limit=10000000 --text
--profile-isfs
--profile-isfs --fs-discriminator-pass=Base
--profile-isfs --fs-discriminator-pass=Pass1 --text
--profile-isfs --fs-discriminator-pass=Pass2
--profile-isfs --fs-discriminator-pass=Pass3 --text
--profile-isfs --fs-discriminator-pass=PassLast --text
--fs-discriminator-pass=Base --text
""".split("\n")[1:-1]]
ONCE = [line.split() for line in """
--output-size-limit=100
--remapping-file=FILE.none
--prof-sym-list=FILE.none
--function=(
--failure-mode=any
--supplement-instr-with-sample=FILE.map
--sparse --text
-j 2
""".split("\n")[1:-1]]
NAMED = [line.split() for line in """
--remapping-file=FILE.map
-r FILE.map --text
--remapping-file=FILE.map --use-md5 --function=new
""".split("\n")[1:-1]]
LAYOUTS = [line.split() for line in """
--convert-sample-profile-layout=nest
--convert-sample-profile-layout=nest --text
--convert-sample-profile-layout=flat
--convert-sample-profile-layout=flat --text
""".split("\n")[1:-1]]
NOT_CS = [line.split() for line in """
--split-layout
--split-layout --text
--split-layout --compress-all-sections --use-md5
--split-layout --prof-sym-list=FILE.symbols --gen-partial-profile
--sample-trim-cold-context --text
--sample-trim-cold-context --profile-summary-cold-count=5000
--generate-merged-base-profiles
--extbinary-write-vtable-type-prof
--extbinary-write-vtable-type-prof --use-md5 --compress-all-sections
""".split("\n")[1:-1]]
NOT_PROBE = [line.split() for line in """
--binary
--binary --use-md5
--binary --compress-all-sections --gen-partial-profile
--binary --prof-sym-list=FILE.symbols
--binary --split-layout
--binary --output-size-limit=50%
""".split("\n")[1:-1]]
ONLY_CS = [line.split() for line in """
--sample-merge-cold-context --text
--sample-trim-cold-context
--sample-merge-cold-context --sample-trim-cold-context --text
--sample-merge-cold-context --profile-summary-cold-count=200
--sample-trim-cold-context --profile-summary-cold-count=3000 --text
--sample-merge-cold-context --sample-trim-cold-context --profile-summary-cold-count=200 --text
--sample-merge-cold-context --sample-frame-depth-for-cold-context=2 --profile-summary-cold-count=5000 --text
--sample-merge-cold-context --sample-frame-depth-for-cold-context=3 --profile-summary-cold-count=5000
--profile-summary-cutoff-cold=1000001
--sample-trim-cold-context --profile-summary-cutoff-cold=900000 --text
--convert-sample-profile-layout=nest --generate-merged-base-profiles --text
--convert-sample-profile-layout=nest --generate-merged-base-profiles=0
--convert-sample-profile-layout=nest --function=f.*1
--function=@ --text
--no-function=^[^@]*$ --text
""".split("\n")[1:-1]]


def option_lists(kind, case):
    lists = FORMATS + LAYOUTS + (ONLY_CS if kind in s.CS else NOT_CS) + (ONCE if case == "text" else [])
    # A renaming drops checksums, attributes, vtables and contexts there.
    if not {"probe", "attributes", "vtables", "cs"} & set(s.KINDS[kind]):
        lists = lists + NAMED
    if kind not in s.CS + s.PROBE:
        lists = lists + NOT_PROBE
    if kind in ("base", "vtables"):
        # LLVM leaves attributes and vtables out of binary files, so that more functions fit.
        lists = [words for words in lists if not {"--output-size-limit=95%", "--output-size-limit=60%"} & {*words}]
    return lists


# ---- inputs ------------------------------------------------------------------------------------------------------


class Inputs:
    """Some runs of one program, as files of several formats and releases, and what they hold."""

    def __init__(self, work, kind, case, **options):
        name = "%s-%s" % (kind, case)
        self.name, self.path = name, os.path.join(work, name)
        # Releases before 22 do not read vtables.
        formats = [(release if kind != "vtables" else 22, form) for release, form in CASES[case][1]]
        rng = s.g.Random(name)
        base = s.make_profile(name, kind)
        self.paths, self.profiles, self.weights, lists = [], [], [], []
        for i in range(NUMBERS[case] if case != "many" else 4 + len(kind) % 7):
            profile = base if i == 0 else s.vary(base, "%s %d" % (name, i), kind, **options)
            how = formats[i % len(formats)]
            self.paths.append(self.write(profile, i, how, rng))
            self.profiles.append(self.held(i, profile, how))
            self.weights.append(rng.pick([1, 1, 2, 17, 1000000007]) if options.get("weighted") else 1)
            if how[1] == "symbols":
                lists.append(t.read(self.path + "-%d.symbols" % i))
        self.symbols = b"".join(lists)
        self.write_helpers(base, rng)
        self.lock, self.lossy = threading.Lock(), None

    def write(self, profile, i, how, rng):
        release, form = how
        path, seed = "%s-%d" % (self.path, i), "%s-%d" % (self.name, i)  # paths are others in each run
        # Earlier releases refuse some of the texts that 22 reads.
        t.write(path, s.render(profile, None if release < 22 or rng.chance(30) else seed))
        if form == "text":
            return path
        options = list(t.FORMATS[form])
        if form == "symbols":
            t.write(path + ".symbols", s.symbol_list(seed, profile))
            options.append("--prof-sym-list=" + path + ".symbols")
        made = t.merge(profdata(release), options, [path], path + ".made")
        if made.code:
            raise AssertionError("llvm-profdata-%d does not write %s: %s" % (release, path, made.brief()))
        return t.write(path + ".afdo", made.data)

    def held(self, i, profile, how):
        """What LLVM 22 finds in the file: some formats hold less."""
        if "md5" in how[1]:
            return profile.hashed()
        return m.parse(t.to_text(t.LLVM, self.paths[i], self.path + ".text").data)

    def write_helpers(self, base, rng):
        names = sorted({name for name in base.names() if isinstance(name, str) and " " not in name})
        self.first = names[0]
        moved = ["%s %s" % (name, rng.pick(names) if rng.chance(30) else "new_%d" % rng.below(9))
                 for name in names if rng.chance(40)]
        t.write(self.path + ".map", "\n".join(["# names", "", *moved, "not_there x", ""]).encode("latin-1"))
        t.write(self.path + ".symbols", s.symbol_list(self.name, base))
        t.write(self.path + ".blank", b"\n  name_1  \n\n# no comment\n\tname_2\r\n")

    def options(self, words):
        words = [word.replace("FILE", self.path).replace("FIRST", "^%s$" % self.first.replace("$", "."))
                 .replace("NAME", self.first) for word in words]
        return [self.limit(word, words) if word.endswith("%") else word for word in words]

    @functools.lru_cache(maxsize=100)
    def size(self, options):
        return len(t.merge(t.LLVM, options, self.inputs(), self.scratch("size")).data)

    def limit(self, word, words):
        name, _, part = word[:-1].partition("=")
        rest = tuple(w for w in words if "limit" not in w)
        return "%s=%d" % (name, self.size(rest) * int(part) // 100)

    def inputs(self, order=None):
        pairs = list(zip(self.paths, self.weights))
        return pairs if order is None else [pairs[i] for i in order]

    def scratch(self, name):
        return "%s-%d.%s" % (self.path, threading.get_ident(), name)

    @functools.cached_property
    def merged(self):
        return m.merge(list(zip(m.with_names(self.profiles), self.weights)))

    def orders(self):
        number = len(self.paths)
        if number <= 3:
            return list(itertools.permutations(range(number)))
        rng = s.g.Random(self.name)
        order = list(range(number))
        return [order, order[::-1], *(rng.shuffled(order) for _ in range(PERMUTATIONS - 2))]


def same(a, b):
    """Whether two results are the same, but for an order that LLVM leaves to a hash table. LLVM leaves an empty file
    there when it fails."""
    if a.code != b.code:
        return False
    if a.code:
        return not b.data
    return a.data == b.data or None not in (a.data, b.data) and t.same_but_metadata_order(a.data, b.data)


NEST = "--convert-sample-profile-layout=nest"
FLAT = "--convert-sample-profile-layout=flat"
MERGED_BASE = "--generate-merged-base-profiles"
MERGE_COLD = "--sample-merge-cold-context"


def same_but_attributes(a, b):
    """Whether samples, or dictionaries of them, differ in nothing but attributes that b has and a has not."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_but_attributes(a[key], b[key]) for key in a)
    if not isinstance(a, m.Samples):
        return a == b
    return not a.attributes & ~b.attributes and all(
        same_but_attributes(getattr(a, name), getattr(b, name))
        for name in ("total", "head", "checksum", "lines", "vtables", "calls"))


FORMAT_OPTIONS = {"--extbinary", "--use-md5", "--compress-all-sections", "--gen-partial-profile"}


def has_many_checksums(profile):
    """Whether contexts of a function have different checksums. Then LLVM nests them in the order of a hash table."""
    found = {}
    for key, samples in profile.functions.items():
        if profile.is_cs and samples.checksum:
            found.setdefault(key[-1][0] if isinstance(key, tuple) else key, set()).add(samples.checksum)
    return any(len(checksums) > 1 for checksums in found.values())


def nested(inputs, options):
    """The other options, and the profile that the merge becomes by --convert-sample-profile-layout=nest."""
    rest = [word for word in options if word != NEST and not word.startswith(MERGED_BASE)]
    return rest, m.nest(inputs.merged, MERGED_BASE in options)


def all_but_metadata(data):
    """The sections of an extbinary file without FunctionMetadata; of a text, none."""
    return [section for section in t.sections(data) or [] if section[0] != 5]


SPEAKS = (b"error: ", b"warning: ")


def said(err):
    """The lines that matter: errors, warnings, what was filtered."""
    return [line for line in err.splitlines() if line.startswith(SPEAKS) or b" functions in the original " in line]


class Merges:
    def __init__(self, work):
        self.work, self.how, self.explained = work, collections.Counter(), collections.Counter()
        self.lock, self.cases = threading.Lock(), {}

    def inputs(self, case):
        with self.lock:
            if case not in self.cases:
                self.cases[case] = Inputs(self.work, *case.split(), **CASES[case.split()[1]][2])
            return self.cases[case]

    def reference(self, inputs, options):
        """(how, result): LLVM's, where the order of the inputs is nothing to it and nothing is lost."""
        out = inputs.scratch("out")
        orders = inputs.orders()
        first = t.merge(t.LLVM, options, inputs.inputs(), out)
        if first.crashed:
            return None, first
        if NEST in options and has_many_checksums(inputs.merged):
            return self.model(inputs, *nested(inputs, options))
        lossy = b"Function hash mismatch" in first.err or b"cannot merge" in first.err or self.loses_attributes(inputs)
        others = (t.merge(t.LLVM, options, inputs.inputs(order), out) for order in orders[1:])
        if not lossy and all(same(first, other) for other in others):
            return "LLVM's", first
        return self.model(inputs, options, inputs.merged)

    def loses_attributes(self, inputs):
        """Whether LLVM does not or the attributes of the inputs."""
        if not inputs.merged.has_attributes:
            return False
        with inputs.lock:
            if inputs.lossy is None:
                theirs = t.merge(t.LLVM, ["--text"], inputs.inputs(), inputs.scratch("out")).data or b""
                model = m.parse(m.to_text(inputs.merged)).functions
                inputs.lossy = theirs != m.to_text(inputs.merged) and same_but_attributes(
                    m.parse(theirs).functions, model)
        return inputs.lossy

    def model(self, inputs, options, profile):
        """(how, result): what LLVM makes of a text of the profile, whatever its order."""
        if inputs.symbols and "--drop-profile-symbol-list" not in options:
            own = [word.partition("=")[2] for word in options if word.startswith("--prof-sym-list=")]
            every = inputs.symbols + b"".join(map(t.read, own))
            options = [*options, "--prof-sym-list=" + t.write(inputs.scratch("symbols"), every)]
        out, results = inputs.scratch("out"), []
        for style in (None, "a", "b"):
            text = t.write(inputs.scratch("model"), s.render(profile, style))
            results.append(t.merge(t.LLVM, options, [text], out))
        if all(same(results[0], other) for other in results):
            return "the model's", results[0]
        return None, results[0]

    def compare(self, case, words):
        inputs = self.inputs(case)
        options = inputs.options(words)
        how, want = self.reference(inputs, options)
        if how is None:
            return t.Suite.UNMADE
        wrong = how == "LLVM's" and self.model_differs(inputs, options, want)
        if wrong:
            return "the model is wrong: %s" % wrong
        self.how[how] += 1
        got = t.merge(ANYPROF, options, inputs.inputs(), inputs.scratch("out"))
        if got.code != want.code:
            return "%s, not %s" % (got.brief(), want.brief())
        if not same(want, got):
            row = got.code == 0 and self.explain(inputs, options, want, got)
            if not row:
                return "not %s bytes: %s" % (how, difference(want.data, got.data))
            with self.lock:
                self.explained[row.strip()] += 1
        if how == "LLVM's":
            # anyprof names the file that it cannot write.
            told = got.err.splitlines() + got.err.replace(inputs.scratch("out").encode() + b": ", b"").splitlines()
            missing = [line for line in said(want.err) if not any(own.startswith(line) for own in told)
                       and (line.startswith(b"error: ") or want.code == 0)]
            if missing:
                return "does not say %r but %r" % (missing[0], got.err[:300])
        return None

    def model_differs(self, inputs, options, want):
        """How the model of a text differs from LLVM's text, if there is one. LLVM loses attributes when it nests."""
        if options == ["--text"]:
            text = m.to_text(inputs.merged)
            return text != want.data and t.first_difference(want.data, text)
        if {NEST, "--text"} <= {*options} and inputs.merged.is_cs and {*options} <= {NEST, MERGED_BASE, "--text"}:
            text = m.to_text(nested(inputs, options)[1])
            return not same_but_attributes(m.parse(want.data).functions, m.parse(text).functions) and \
                t.first_difference(want.data, text)
        return None

    def explain(self, inputs, options, want, got):
        """What a difference is that is meant; None if it is not."""
        for row, result in self.meant(inputs, options, want):
            if same(result, got):
                return row
            if not t.sections(result.data) and m.attributes_last(result.data) == got.data:
                return row + " order of metadata"
            if inputs.merged.has_attributes and all_but_metadata(result.data) == all_but_metadata(got.data):
                text = self.text(inputs, got)
                if MERGE_COLD in options:  # the model has no contexts that are cut: attributes are no fewer
                    good = same_but_attributes(*(m.parse(one).functions for one in (self.text(inputs, result), text)))
                else:
                    good = self.whole(inputs, options, row) == m.to_text(m.parse(text))
                if good:
                    return row + " attributes"
        return None

    def whole(self, inputs, options, row):
        """The text of what is meant with all attributes, which LLVM loses in binary files, but not in text."""
        words, profile = options, inputs.merged
        if NEST in options and profile.is_cs:
            words, profile = nested(inputs, options)
        elif row == "flat":
            words, profile = [word for word in options if word != FLAT], m.flatten(profile)
        words = [word for word in words if word not in FORMAT_OPTIONS]
        whole = m.parse(self.model(inputs, [*words, "--text"], profile)[1].data)
        return m.to_text(m.parse(m.to_text(whole.hashed() if "--use-md5" in options else whole)))

    def meant(self, inputs, options, want):
        """(name, result) of LLVM's results that are right where anyprof does not lose what LLVM loses."""
        yield "", want
        if inputs.merged.has_vtables:
            options = [*options, "--extbinary-write-vtable-type-prof"]
            yield "vtables", self.reference(inputs, options)[1]
        if FLAT in options and not inputs.merged.is_cs:
            rest = [word for word in options if word != FLAT]
            yield "flat", self.model(inputs, rest, m.flatten(inputs.merged))[1]

    def text(self, inputs, result):
        path = t.write(inputs.scratch("result"), result.data)
        return t.to_text(t.LLVM, path, inputs.scratch("text")).data


def difference(want, got):
    if want is None or got is None:
        return "a file is missing"
    if want[:1].isalnum() or want[:1] in b"[_":
        return t.first_difference(want, got)
    a, b = t.sections(want), t.sections(got)
    if a and b:
        if [x[:2] for x in a] != [x[:2] for x in b]:
            return "sections %s, not %s" % tuple([(hex(k), hex(f)) for k, f, _ in x] for x in (b, a))
        for x, y in zip(a, b):
            if x[2] != y[2]:
                return "section %d is %r, not %r" % (x[0], y[2][:80], x[2][:80])
    return "%r, not %r" % (got[:80], want[:80])


# (group, formats of the inputs: a release and how its tool writes them; options of what is made).
RELEASED = [(22, "text"), (22, "ext"), (19, "z"), (16, "text"), (22, "symbols"), (14, "ext")]
CASES = {
    "text": ("one input", [(22, "text")], {}),
    "ext": ("one input", [(22, "symbols")], {}),
    "two": ("two inputs", [(22, "text"), (16, "ext")], {}),
    "many": ("many inputs", RELEASED, {"weighted": True}),
    "conflicts": ("conflicts", [(22, "text"), (22, "ext"), (22, "z")], {"conflicts": 30, "flags": True}),
    "raw": ("raw", [(22, "raw"), (16, "raw")], {}),
}
NUMBERS = {"text": 1, "ext": 1, "two": 2, "conflicts": 3, "raw": 3}


def jobs(merges):
    for kind in s.KINDS:
        for name, (group, _, _) in CASES.items():
            if name == "raw" and kind in s.CS + s.PROBE:
                continue
            for words in option_lists(kind, name):
                yield group, merges.compare, "%s %s" % (kind, name), words


def main():
    t.need_tools()
    suite = t.Suite()
    with tempfile.TemporaryDirectory() as work:
        merges = Merges(work)
        suite.run(jobs(merges))
    print("explained: %s" % ", ".join("%s: %d" % pair for pair in merges.explained.items()))
    print("the result is %s" % ", ".join("%s: %d" % pair for pair in merges.how.items()))
    for row, (least, most) in EXPLAINED.items():
        if not suite.only and not suite.least(least) <= merges.explained[row] <= most:
            suite.failures.append("%d results are explained by '%s'" % (merges.explained[row], row))
    if set(merges.explained) - set(EXPLAINED):
        suite.failures.append("unknown explanations: %s" % ", ".join(set(merges.explained) - set(EXPLAINED)))
    for how, floor in LEAST.items():
        if merges.how[how] < suite.least(floor):
            suite.failures.append("%d results are %s, fewer than %d" % (merges.how[how], how, suite.least(floor)))
    suite.finish(FLOORS)


if __name__ == "__main__":
    main()
