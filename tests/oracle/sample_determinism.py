#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result of a merge of sample profiles depends neither on the number of threads nor on the order of the inputs:
the same bytes and the same report for 1, 2 and 8 threads and for permuted inputs, also where LLVM's tool depends on
the order: checksums and attributes that differ, names beside GUIDs, profiles of different kinds, weights, sums beyond
2^64, damaged inputs. And what is merged is what _sample_model.py says.

    ANYPROF=command sample_determinism.py [WORD...]    comparisons that a word is found in"""

import glob
import json
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

THREADS = (1, 2, 8)
ORDERS = 20
# A change of this test must not make it compare less. One comparison is that of all orders and numbers of threads.
FLOORS = {"conflicts": 152, "kinds": 30, "damaged": 16, "model": 40, "corpus": 37}

OUTPUTS = [line.split() for line in """

--text
--extbinary --use-md5 --compress-all-sections
--for=llvm-16 --extbinary
--for=llvm-22 --text --convert-sample-profile-layout=flat
--text --output-size-limit=70%
--text --function=[0-4]$
""".split("\n")[1:-1]]
OUTPUTS_CS = [line.split() for line in """
--text --convert-sample-profile-layout=nest
--text --convert-sample-profile-layout=nest --generate-merged-base-profiles
--sample-merge-cold-context --sample-trim-cold-context --profile-summary-cold-count=5000
""".split("\n")[1:-1]]

FORMS = [(22, "text"), (22, "symbols"), (22, "md5"), (19, "z"), (16, "ext"), (22, "text"), (22, "splitz"), (16, "raw"),
         (14, "compact")]


class Pairs(list):
    """(path, weight) of inputs; what they hold; a label."""

    def __init__(self, pairs, label):
        super().__init__(pairs)
        self.label, self.profiles = label, []

    def __str__(self):
        return self.label


def inputs_of(work, kind, seed, number, with_guids=True, **options):
    """Runs of one program in several formats."""
    name = "%s-%s" % (kind, seed)
    rng, base = s.g.Random(name), s.make_profile(name, kind)
    pairs = Pairs([], name)
    forms = [form for form in FORMS if possible(kind, *form) and (with_guids or not is_hashed(form[1]))]
    for i in range(number):
        profile = s.vary(base, "%s %d" % (name, i), kind, **options) if i else base
        release, form = forms[i % len(forms)]
        own = "%s-%d" % (name, i)
        path = t.write(os.path.join(work, own), s.render(profile))
        if form != "text":
            words = list(t.FORMATS[form])
            if form == "symbols":
                words.append("--prof-sym-list=" + t.write(path + ".names", s.symbol_list(own, profile)))
            made = t.merge(profdata(release), words, [path], path + ".made")
            path = t.write(path + ".afdo", made.data)
        pairs.profiles.append(held(profile, form))
        pairs.append((path, rng.pick([1, 1, 2, 3, 1000]) if options.get("weighted") else 1))
    return pairs


def is_hashed(form):
    return form in ("md5", "splitz", "compact")


def possible(kind, release, form):
    if release not in t.INSTALLED:
        return False
    if kind == "vtables":
        return form == "text"  # other files hold none
    if kind in s.CS and form in ("splitz", "raw", "compact") or kind in s.PROBE and form in ("raw", "compact"):
        return False
    # Attributes without a preinliner are not in binary files.
    return not s.KINDS[kind].get("attributes") or kind in s.CS or form == "text"


def held(profile, form):
    return profile.hashed() if is_hashed(form) else profile


class Determinism:
    def __init__(self, work):
        self.work = work

    def scratch(self, name):
        return os.path.join(self.work, "%d.%s" % (threading.get_ident(), name))

    def merge(self, pairs, threads, options):
        """The bytes, what was said, and the report; paths are long, so they go into a list."""
        listing = t.write(self.scratch("list"), "".join("%d,%s\n" % pair[::-1] for pair in pairs).encode())
        out, report = self.scratch("out"), self.scratch("report")
        done = t.run(ANYPROF, ["merge", "--sample", "-j", str(threads), "--failure-mode=warn", "-f", listing, "-o", out,
                               "--report=" + report, *options], name=os.path.basename(ANYPROF))
        if done.code:
            raise AssertionError("exit code %d: %s" % (done.code, done.err[:300]))
        with open(report, encoding="utf-8") as f:
            told = json.load(f)
        return t.read(out), done.err, told

    def compare(self, pairs, options):
        rng = s.g.Random(pairs.label)
        try:
            options = [self.limit(pairs, word) for word in options]
            data, err, told = self.merge(pairs, 1, options)
            for threads in THREADS[1:]:
                got = self.merge(pairs, threads, options)
                if got != (data, err, told):
                    return "with -j %d %s" % (threads, what_differs((data, err, told), got))
            for number in range(ORDERS):
                order = pairs[::-1] if number == 0 else rng.shuffled(pairs)
                for threads in THREADS:
                    got = self.merge(order, threads, options)
                    if got[0] != data or sorted_inputs(got[2]) != sorted_inputs(told):
                        return "in order %d with -j %d %s" % (
                            number, threads, what_differs((data, b"", sorted_inputs(told)),
                                                          (got[0], b"", sorted_inputs(got[2]))))
        except AssertionError as error:
            return str(error)
        return None

    def limit(self, pairs, word):
        """A size in per cent as one in bytes."""
        if not word.endswith("%"):
            return word
        name, _, part = word[:-1].partition("=")
        return "%s=%d" % (name, len(self.merge(pairs, 1, ["--text"])[0]) * int(part) // 100)

    def model(self, pairs):
        profiles = pairs.profiles
        want = m.to_text(m.merge(list(zip(m.with_names(profiles), [weight for _, weight in pairs]))))
        data = self.merge(pairs, 1, ["--text"])[0]
        return None if want == data else t.first_difference(want, data)

    def inputs(self, kind, seed, number, **options):
        directory = tempfile.mkdtemp(dir=self.work)
        return inputs_of(directory, kind, seed, number, **options)

    def damaged(self, pairs):
        """Some of them cut, one empty, one of another kind of file."""
        rng = s.g.Random(pairs.label)
        result = Pairs(pairs, "damaged " + pairs.label)
        for path, weight in pairs[::2]:
            data = t.read(path)
            result.append((t.write(path + ".cut", data[:rng.below(len(data))]), weight))
        empty, other = (t.write(pairs[0][0] + name, data) for name, data in ((".empty", b""), (".other", b"\x7fELF")))
        result += [(empty, 1), (other, 5)]
        return result


def sorted_inputs(report):
    """Without the numbers of inputs and in the order of the paths."""
    report = dict(report)
    report["inputs"] = sorted(({k: v for k, v in i.items() if k != "index"} for i in report.get("inputs", [])),
                              key=lambda i: json.dumps(i, sort_keys=True))
    return report


def what_differs(want, got):
    if want[0] != got[0]:
        return "other bytes: %s" % t.first_difference(want[0], got[0])
    if want[1] != got[1]:
        return "other words: %r, not %r" % (got[1][:200], want[1][:200])
    differing = sorted(key for key in want[2] if want[2][key] != got[2].get(key))
    return "other %s of the report: %s, not %s" % (differing, *("%s" % [part[k] for k in differing][:300]
                                                               for part in (got[2], want[2])))


def jobs(tests):
    for kind in s.KINDS:
        pairs = tests.inputs(kind, "d", 5 + len(kind), conflicts=30, flags=True, weighted=True)
        for options in OUTPUTS + (OUTPUTS_CS if kind in s.CS else []):
            yield "conflicts", tests.compare, pairs, options
        yield "model", tests.model, pairs
        names = tests.inputs(kind, "n", 4, with_guids=False, conflicts=30, flags=True, weighted=True)
        yield "model", tests.model, names
        if kind in ("plain", "probe", "csprobe", "small"):
            for options in OUTPUTS[:4]:
                yield "damaged", tests.compare, tests.damaged(names), options
    # Profiles of kinds that are not to be merged with each other: that of more weight is.
    for a, b in (("probe", "plain"), ("cs", "plain"), ("csprobe", "probe"), ("csprobe", "cs"), ("fs", "probeattr")):
        for counts in ((3, 2), (1, 4), (2, 2)):
            both = [tests.inputs(kind, "k", number) for kind, number in zip((a, b), counts)]
            pairs = Pairs(both[0] + both[1], "%d %s, %d %s" % (counts[0], a, counts[1], b))
            for options in OUTPUTS[:2]:
                yield "kinds", tests.compare, pairs, options
    if t.CORPUS and os.path.isdir(os.path.join(t.CORPUS, "sample")):
        for pattern in ("v*-plain-*", "v*-cs-*", "v*-csprobe-*", "v*-probe*", "pg-*", "enc-*", "txt-*", "v*", "*"):
            pairs = Pairs([(path, 1) for path in sorted(glob.glob(os.path.join(t.CORPUS, "sample", pattern)))
                           if not path.endswith(".txt")], pattern)
            for options in OUTPUTS[:4]:
                yield "corpus", tests.compare, pairs, options
        pairs = Pairs([(path, 1) for path in t.corpus_files("afdo")], "afdo")
        yield "corpus", tests.compare, pairs, ["--text"]


def main():
    t.need_tools()
    suite, without = t.Suite(), set()
    if not os.path.isdir(os.path.join(t.CORPUS, "sample")):
        print("skipped: no corpus")
        without.add("corpus")
    with tempfile.TemporaryDirectory() as work:
        suite.run(jobs(Determinism(work)))
    suite.finish(FLOORS, without)


if __name__ == "__main__":
    main()
