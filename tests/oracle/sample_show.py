#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""show --sample and overlap --sample with each option, and what is said of wrong command lines and bad files, as
llvm-profdata-22 does: the same bytes on standard output, the same exit code, and its lines on standard error.

Rows of equal rank in lists of hot functions and of overlaps have the order of a hash table there. The files are those
of the corpus and made from seeds. No file is shown with every pair of options, but every pair is used for some files:
each file has the next few of one long list. Where anyprof means to differ, as docs/differences.md says, what it prints
is in MEANT, and the entries of --detailed-summary-cutoffs are computed by _sample_model.py.

    ANYPROF=command sample_show.py [WORD...]    comparisons that a word is found in"""

import itertools
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _sample_model as m  # noqa: E402
import _sample_tools as t  # noqa: E402
import _samples as s  # noqa: E402
from _identity import ANYPROF  # noqa: E402

# A change of this test must not make it compare less.
FLOORS = {"corpus": 1040, "generated": 740, "overlap": 920, "lines": 116, "texts": 98}
DEALT = 7

WHOLE = "--all-functions --detailed-summary --hot-func-list --topn=5".split()
OPTIONS = [
    "--all-functions",
    "--function=NAME",
    "--function=no_such_function",
    "--counts",
    "--text",
    "--json",
    "--show-format=json",
    "--show-format=text",
    "--detailed-summary",
    "--detailed-summary-cutoffs=800000,901000,999999",
    "--topn=1",
    "--topn=3",
    "--topn=1000",
    "--topn=0",
    "--hot-func-list",
    "--show-sec-info-only",
    "--show-prof-sym-list",
    "--value-cutoff=100",
    "--list-below-cutoff",
    "--ic-targets",
    "--binary-ids",
    "--profile-version",
    "--covered",
    "--profile-isfs",
    "--fs-discriminator-pass=Base",
]
OVERLAPS = [line.split() for line in """

--value-cutoff=0
--value-cutoff=1000
--value-cutoff=1000000000
--similarity-cutoff=1000000
--similarity-cutoff=500000
--similarity-cutoff=1
--function=o
--function=NAME
--function=no_such_function
--cs
--cs --value-cutoff=0
--value-cutoff=5000 --similarity-cutoff=300000 --function=_1
--profile-isfs --fs-discriminator-pass=Base --value-cutoff=0
""".split("\n")[1:-1]]


def word_of(option):
    return option.lstrip("-").split("=")[0]


def option_sets():
    """Single options and all pairs of different ones."""
    yield []
    for option in OPTIONS:
        yield [option]
    for a, b in itertools.combinations(OPTIONS, 2):
        if word_of(a) != word_of(b):
            yield [a, b]
    for option in OPTIONS:
        yield [*WHOLE, option]


SETS = list(option_sets())

# ---- comparing ---------------------------------------------------------------------------------------------------

HOT = re.compile(rb" (\d+) \(\d+\.\d+%\) ")
OVERLAP = re.compile(rb"(\d+\.\d+%) ")


def ranked(out, topn):
    """The lines, those of equal rank sorted. Of the last rank in a list that --topn has cut, only their number."""
    result, run, of = [], [], None
    lines = out.split(b"\n")
    for i, line in enumerate([*lines, b""]):
        match = HOT.match(line) or OVERLAP.match(line)
        rank = match and match.group(1)
        if run and rank != of:
            ends_list = topn and not match and HOT.match(run[0])
            result += [b"a row"] * len(run) if ends_list else sorted(run)
            run = []
        of = rank
        if match:
            run.append(line)
        elif i < len(lines):
            result.append(line)
    return result


def with_names(out, path):
    """LLVM's output with the names that the list of all functions has for hashes, as anyprof prints them."""
    names = t.listed_names(path) if os.path.isfile(path) else {}
    if not names:
        return out
    out = re.sub(rb"\b\d{15,20}\b", lambda match: names.get(match[0].decode(), match[0].decode()).encode(), out)
    # Of equal counts, hashes come first.
    return re.sub(rb"(?<=, calls:)(?: \S+:\d+)+",
                  lambda match: b"".join(sorted(re.findall(rb" \S+", match[0]), key=rank)), out)


def rank(target):
    name, _, count = target[1:].rpartition(b":")
    return -int(count), not name.isdigit(), int(name) if name.isdigit() else 0, name


NUMBERED = re.compile(rb"(error|warning): ([^:]+):(\d+): (.*)")


def begins(own, line):
    """Whether our line says what the other one says; ours may go on, and has the number of a line at its end."""
    match = NUMBERED.match(line)
    if own.startswith(line) or not match:
        return own.startswith(line)
    word, path, number, text = match.groups()
    return own.startswith(b"%s: %s: %s [line %s," % (word, path, text.replace(b"\t", b"\\x09"), number))


def lines_missing(want, have):
    """The first line of `want` that none of `have` says, in this order. What may have been meant is found in another
    way, with another result."""
    have = iter(have.splitlines())
    for line in want.splitlines():
        if b"Did you mean" not in line and not any(begins(own, line) for own in have):
            return line
    return None


SUMMARY = re.compile(rb"(?<=Detailed summary:\n)(\d+ blocks .*\n)+")


def with_cutoffs(out, words):
    """What LLVM prints, with the entries of the detailed summary that were asked for: it ignores the option."""
    option = next((word for word in words if word.startswith("--detailed-summary-cutoffs=")), None)
    if not option or not SUMMARY.search(out):
        return out
    with tempfile.TemporaryDirectory() as work:
        text = t.to_text(t.LLVM, words[-1], os.path.join(work, "text")).data
    summary = m.Summary(m.parse(text), [int(number) for number in option.partition("=")[2].split(",")])
    return SUMMARY.sub(summary.text().partition("Detailed summary:\n")[2].encode(), out)


def compare(words, cwd=None):
    theirs = t.run(t.LLVM, words, cwd)
    if theirs.crashed:
        return t.Suite.UNMADE
    theirs.out = with_cutoffs(theirs.out, words)
    ours = t.run(ANYPROF, words, cwd)
    if ours.code != theirs.code:
        return "exit code %d, not %d: %r, not %r" % (ours.code, theirs.code, ours.err[:200], theirs.err[:200])
    if ours.out != theirs.out:
        topn = any(word.startswith("--topn") for word in words)
        want, got = (b"\n".join(ranked(out, topn)) for out in (with_names(theirs.out, words[-1]), ours.out))
        if want != got:
            return t.first_difference(want, got)
    line = lines_missing(theirs.err, ours.err)
    return None if line is None else "does not say %r but %r" % (line, ours.err[:300])


def compare_meant(words, cwd):
    """anyprof prints what it should, and that is something else than what LLVM prints."""
    ours = t.run(ANYPROF, words, cwd)
    want = MEANT[" ".join(words)]
    if (ours.code, ours.out, ours.err) != want:
        return "%r, not %r" % ((ours.code, ours.out, ours.err), want)
    return None if compare(words, cwd) else "it is not different from what LLVM prints"


class Shows:
    def __init__(self, work):
        self.work, self.at = work, 0

    # ---- files

    def files(self):
        """(group, path, a function, whether it has a list of symbols)."""
        for path in t.corpus_files("sample") + t.corpus_files("afdo"):
            if t.run(t.LLVM, ["merge", "--sample", path, "-o", os.devnull]).code == 0:
                if "/afdo/" in path:
                    yield "corpus", path, "work", False
                    continue
                twin = t.Twin(t.twin_of(path))
                # A GUID finds nothing there, though that tool prints it; nor is anything found that has a context.
                name = re.match(rb"(?!\d+:)([^:\[]+)", twin.text)
                yield "corpus", path, name and name.group(1).decode("latin-1"), "symlist" in twin.first("flags")
        for kind in s.KINDS:
            name, texts, lists = self.texts(kind)
            for form, path in self.formats(kind, texts[0], lists):
                yield "generated", path, None if kind in s.CS else name, form == "symbols"

    def texts(self, kind):
        """A name, texts of two runs of a program, of another program, and a list of symbols."""
        base = s.make_profile("show " + kind, kind)
        name = min(n for n in base.names() if isinstance(n, str) and n.isprintable() and n.isascii())
        lists = t.write(os.path.join(self.work, kind + ".symbols"), s.symbol_list(kind, base))
        texts = [t.write(os.path.join(self.work, "%s%d.prof" % (kind, i)), s.render(profile)) for i, profile in
                 enumerate([base, s.vary(base, "show " + kind, kind, conflicts=10), s.make_profile("b " + kind, kind)])]
        return name, texts, lists

    def formats(self, kind, text, lists):
        yield "text", text
        for form in ("symbols", "md5", "splitz" if kind not in s.CS else "z", "raw"):
            if form == "raw" and kind in s.CS + s.PROBE:
                continue
            path = "%s.%s" % (text, form)
            more = ["--prof-sym-list=" + lists] if form == "symbols" else []
            made = t.merge(t.LLVM, [*t.FORMATS[form], *more], [text], path)
            yield form, t.write(path, made.data)

    # ---- comparisons

    def jobs(self):
        for group, path, name, has_list in self.files():
            for words in ([*WHOLE], *self.dealt(has_list)):
                if name is None and "--function=NAME" in words:
                    continue
                yield group, compare, ["show", "--sample", *self.named(words, name), path]
        for kind in s.KINDS:
            name, (base, test, other), lists = self.texts(kind)
            indexed = [dict(self.formats(kind, path, lists)) for path in (base, test)]
            for words in OVERLAPS:
                words = ["overlap", "--sample", *self.named(words, name)]
                yield "overlap", compare, [*words, base, test]
                yield "overlap", compare, [*words, indexed[0]["symbols"], indexed[1]["symbols"]]
                yield "overlap", compare, [*words, indexed[0]["md5"], indexed[1]["md5"]]
            for words in OVERLAPS[:2]:
                yield "overlap", compare, ["overlap", "--sample", *words, base, base]
                yield "overlap", compare, ["overlap", "--sample", *words, base, other]
        self.write_files()
        for line in LINES:
            yield "lines", compare_meant if line in MEANT else compare, line.split(), self.work
        for i in range(len(TEXTS)):
            for command in ("show --sample", "merge --sample --text -o -"):
                line = "%s text%d.prof" % (command, i)
                yield "texts", compare_meant if line in MEANT else compare, line.split(), self.work

    def dealt(self, has_list):
        taken = 0
        while taken < DEALT:
            words = SETS[self.at % len(SETS)]
            self.at += 1
            if has_list or "--show-prof-sym-list" not in words:  # without a list LLVM crashes
                taken += 1
                yield words

    @staticmethod
    def named(words, name):
        return [word.replace("NAME", name or "") for word in words]

    def write_files(self):
        files = {"a.prof": b"main:100:7\n 1: 60 foo:20\n 2: foo:40\n  1: 40\nfoo:9:3\n 0: 9\n",
                 "b.prof": b"main:50:7\n 1: 30 foo:20\nbar:9:3\n 0: 9\n",
                 "zero.prof": b"main:0:0\n 1: 0\n", "none.prof": b"main:5:0\n",
                 "probe.prof": b"main:50:7\n 1: 30 foo:20\n !CFGChecksum: 77\n",
                 "cs.prof": b"[main:1 @ foo]:50:7\n 1: 50\n[main]:20:1\n 1: 20\n",
                 "csprobe.prof": b"[main]:50:7\n 1: 30\n !CFGChecksum: 77\n", "overflow.prof": OVERFLOW,
                 "empty": b"", "blank": b"\n\n", "comment": b"# nothing\n", "program": b"\x7fELF" + bytes(100),
                 "instr.proftext": b":ir\nmain\n17\n1\n100\n", "options": b"--sample a.prof --topn=2",
                 "names": b"one\ntwo\n", "list": b"# inputs\n\n2,a.prof\n b.prof \n", "badlist": b"x,a.prof\n",
                 "map": b"main new\n", "badmap": b"main\n", "badmap2": b"# x\nmain  new\n"}
        files.update(("text%d.prof" % i, text) for i, text in enumerate(TEXTS))
        for name, data in files.items():
            t.write(os.path.join(self.work, name), data)
        for name, form in (("a.raw", "raw"), ("a.ext", "ext"), ("a.md5", "md5"), ("a.z", "z")):
            path = os.path.join(self.work, name)
            made = t.merge(t.LLVM, t.FORMATS[form], [os.path.join(self.work, "a.prof")], path)
            t.write(path, made.data)
        ext = t.read(os.path.join(self.work, "a.ext"))
        raw = t.read(os.path.join(self.work, "a.raw"))
        t.write(os.path.join(self.work, "short.ext"), ext[:15])
        t.write(os.path.join(self.work, "version.ext"), ext[:9] + b"\x69" + ext[10:])
        t.write(os.path.join(self.work, "version.raw"), raw[:9] + b"\x69" + raw[10:])
        t.write(os.path.join(self.work, "cut.raw"), raw[:-1])
        t.write(os.path.join(self.work, "cut2.raw"), raw[:12])
        t.write(os.path.join(self.work, "magic.raw"), raw[:9])


OVERFLOW = b"main:18446744073709551615:7\n 1: 18446744073709551615\nmain:1:1\n"

# Command lines that are wrong, and files that are bad.
LINES = """
show --sample
show --sample nope
show --sample empty
show --sample blank
show --sample comment
show --sample program
show --sample .
show --sample a.prof b.prof
show --sample instr.proftext
show --sample --topn=x a.prof
show --sample --topn=-1 a.prof
show --sample --bogus a.prof
show --sample --show-format=yaml a.prof
show --sample --show-format=foo a.prof
show --sample --json --function=main a.prof
show --sample --json --function=main --all-functions a.prof
show --sample --function=main --all-functions a.prof
show --sample --function= a.prof
show --sample --function a.prof
show -sample -json=0 a.prof
show --sample --instr a.prof
show --sample=1 a.prof
show --sample -o nope/x a.prof
show --sample -o a.prof a.prof
show --sample -o -
show --sample -
show --sample --show-sec-info-only a.prof
show --sample --show-sec-info-only a.raw
show --sample --show-sec-info-only a.z
show --sample --show-sec-info-only --json a.md5
show --sample --show-sec-info-only nope
show --sample --fs-discriminator-pass=Foo a.prof
show --sample --fs-discriminator-pass=Pass2 a.prof
show --sample --detailed-summary zero.prof
show --sample --detailed-summary none.prof
show --sample --hot-func-list zero.prof
show --sample --hot-func-list none.prof
show --sample --topn=2 cs.prof
show --sample --json cs.prof
show --sample --json probe.prof
show --sample overflow.prof
show --sample short.ext
show --sample version.ext
show --sample version.raw
show --sample cut.raw
show --sample cut2.raw
show --sample magic.raw
show @options
overlap --sample
overlap --sample a.prof
overlap --sample a.prof b.prof
overlap --sample a.prof nope
overlap --sample nope a.prof
overlap --sample a.prof empty
overlap --sample instr.proftext a.prof
overlap --sample a.prof probe.prof
overlap --sample probe.prof a.prof
overlap --sample a.prof cs.prof
overlap --sample cs.prof a.prof
overlap --sample cs.prof csprobe.prof
overlap --sample zero.prof a.prof
overlap --sample a.prof zero.prof
overlap --sample zero.prof none.prof
overlap --sample none.prof none.prof
overlap --sample --value-cutoff=x a.prof b.prof
overlap --sample --similarity-cutoff=-1 a.prof b.prof
overlap --sample -o nope/x a.prof b.prof
overlap --sample a.prof b.prof a.prof
overlap --sample overflow.prof a.prof
overlap --sample --value-cutoff=0 a.raw a.ext
merge --sample
merge --sample nope -o x
merge --sample empty -o x
merge --sample program -o x
merge --sample instr.proftext -o x
merge --sample a.prof -o nope/x
merge --sample a.prof -o a.raw/x
merge --sample overflow.prof -o x
merge --sample a.prof overflow.prof -o x
merge --sample --failure-mode=warn --text a.prof overflow.prof -o -
merge --sample --failure-mode=all --text a.prof empty program -o -
merge --sample --failure-mode=any --text a.prof empty -o x
merge --sample --failure-mode=warn --text empty -o -
merge --sample --failure-mode=foo a.prof -o x
merge --sample --weighted-input=0,a.prof -o x
merge --sample --weighted-input=x,a.prof -o x
merge --sample --weighted-input=3 -o x
merge --sample --weighted-input=3,a.prof --text -o -
merge --sample --weighted-input=3,nope -o x
merge --sample --text -f list -o -
merge --sample --text -f badlist -o x
merge --sample --text -f nope -o x
merge --sample --text a.prof --weighted-input=2,b.prof -f list -o -
merge --sample --gcc a.prof -o x
merge --sample --binary probe.prof -o x
merge --sample --binary cs.prof -o x
merge --sample --use-md5 --binary a.prof -o x
merge --sample --split-layout --binary a.prof -o x
merge --sample --gen-partial-profile --compress-all-sections --use-md5 --text a.prof -o -
merge --sample --prof-sym-list=names --text a.prof -o -
merge --sample --prof-sym-list=names --binary a.prof -o x
merge --sample --prof-sym-list=nope a.prof -o x
merge --sample --remapping-file=map --text a.prof -o -
merge --sample --remapping-file=badmap --text a.prof -o x
merge --sample --remapping-file=badmap2 --text a.prof -o x
merge --sample --remapping-file=nope --text a.prof -o x
merge --sample --function=( --text a.prof -o x
merge --sample --no-function=[ --text a.prof -o x
merge --sample --function=main --text a.prof -o -
merge --sample --output-size-limit=1 a.prof -o x
merge --sample --output-size-limit=x a.prof -o x
merge --sample --convert-sample-profile-layout=foo a.prof -o x
merge --sample --supplement-instr-with-sample=b.prof a.prof -o x
merge --sample --fs-discriminator-pass=Foo a.prof -o x
merge --sample --dump-input-file-list a.prof --weighted-input=3,b.prof
merge --sample --text nope empty -o x
""".splitlines()[1:]

# (exit code, standard output, standard error) where anyprof means to differ.
MEANT = {
    "show --sample -": (1, b"", b"error: -: Unrecognized sample profile encoding format: the file is empty\n"),
    "merge --sample empty -o x": (1, b"", b"error: no profile can be merged: every input is empty\n"),
    "merge --sample --failure-mode=all --text a.prof empty program -o -": (
        0, b"main:100:7\n 1: 60 foo:20\n 2: foo:40\n  1: 40\nfoo:9:3\n 0: 9\n",
        b"warning: program: Unrecognized sample profile encoding format [magic at offset 0: found "
        b"7f 45 4c 46 00 00 00 00 \".ELF....\", expected 84 e4 d0 b1 f4 c9 94 a8 \"........\"]\n"
        b"note: program is an ELF file: it is no profile\n"
        b"note: 1 of 3 inputs was rejected, 1 was empty\n"),
    "merge --sample --failure-mode=any --text a.prof empty -o x": (0, b"", b"note: 1 of 2 inputs was empty\n"),
    "merge --sample --failure-mode=warn --text empty -o -": (0, b"", b"note: the only input was empty\n"),
    "merge --sample --weighted-input=3 -o x": (
        1, b"", b"error: '3' is a weight without a file: give WEIGHT,FILE\n"),
    "merge --sample --gcc a.prof -o x": (0, b"", b""),
    # vtables at a place without a line, which LLVM loses in text
    "merge --sample --text -o - text34.prof": (0, b"main:1:1\n 1: vtables _ZTV1A:1 _ZTV1B:2 \n", b""),
}

TEXTS = [
    b"main\n 1: 2\n", b"main:1\n 1: 2\n", b"main:x:1\n", b"main:1:x\n", b":1:1\n 1: 2\n", b"main:-1:1\n",
    b"main:18446744073709551616:1\n", b"main:1:1\n x: 2\n", b"main:1:1\n 1: -2\n", b"main:1:1\n 1 2\n",
    b"main:1:1\n 65536: 2\n", b"main:1:1\n 65535: 2\n", b"main:1:1\n 1.4294967296: 2\n", b"main:1:1\n 1: 2 \n",
    b"main:1:1\n 1: 2 foo\n", b"main:1:1\n 1: 2 foo:\n", b"main:1:1\n 1: 2 foo:x\n", b"main:1:1\n 1: 2 foo:3:4\n",
    b"main:1:1\n 1: foo\n", b"main:1:1\n 1: foo:\n", b"main:1:1\n 1: foo:x\n", b"main:1:1\n 1: 99999999999999999999\n",
    b"main:1:1\n 1: 2\n !CFGChecksum: x\n", b"main:1:1\n 1: 2\n !CFGChecksum 5\n", b"main:1:1\n !Attributes: -1\n",
    b"main:1:1\n !Unknown: 5\n", b"main:1:1\n 1: 2\n !CFGChecksum: 5\n 2: 3\n", b"main:1:1\n !Attributes: 1\n 1: f:2\n",
    b"main:1:1\n  !Flat\n", b"main:1:1\n !Flat\n", b"main:1:1\n\t1: 2\n", b"main:1:1\n 1: vtables _ZTV1A:x \n",
    b"main:1:1\n 1: vtables _ZTV1A:1 _ZTV1A:2 \n", b"main:1:1\n 1: vtables \n",
    b"main:1:1\n 1: vtables _ZTV1A:1 _ZTV1B:2\n",
    b"[main:1 @ foo:1:1\n 1: 2\n", b"[main:x @ foo]:1:1\n 1: 2\n", b"[main @ foo]:1:1\n 1: 2\n", b" 1: 2\n",
    b"main:1:1\n 5\n",
    b"  # c\nmain:1:1\n", b"main:1:1\nfoo\n", b"main:1:1\n 1: 2\nmain:1:1:\n", b"123\n", b"123:\n",
    b"main:1:1\n 1: f:1\n  1: 1\n  !CFGChecksum: 4\n  2: 1\n", b"main:1:1\n 1.x: 2\n", b"main:1:1\n .1: 2\n",
    b"a b c:5:5\n 1: 5 x y:3 z:4\n",
]


def main():
    t.need_tools()
    suite, without = t.Suite(), set()
    if not os.path.isdir(os.path.join(t.CORPUS, "sample")):
        print("skipped: no corpus")
        without.add("corpus")
    with tempfile.TemporaryDirectory() as work:
        suite.run(Shows(work).jobs())
    suite.finish(FLOORS, without)


if __name__ == "__main__":
    main()
