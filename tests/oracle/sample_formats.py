#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sample profiles of every format are read as llvm-profdata-22 reads them: what merge --sample --text makes of a file
are the bytes of that tool, or of the file's twin where that tool cannot read it; what is damaged is refused with exit
code 1. The files are those of the corpus, and made here from seeds by each llvm-profdata that is installed. MEANT has
the files of the corpus of which anyprof reads more than LLVM: rows of docs/differences.md.

    ANYPROF=command sample_formats.py [WORD...]    comparisons that a word is found in"""

import concurrent.futures
import functools
import gzip
import os
import re
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _sample_model as m  # noqa: E402
import _sample_tools as t  # noqa: E402
import _samples as s  # noqa: E402
from _identity import ANYPROF, profdata  # noqa: E402

SEEDS = 2
# A change of this test must not make it compare less.
FLOORS = {"corpus": 150, "summary": 150, "rejected": 16, "afdo": 47, "bad afdo": 7, "llvm tests": 30, "packed": 40,
          "llvm 13": 208, "llvm 14": 280, "llvm 15": 280, "llvm 16": 280, "llvm 19": 254, "llvm 22": 374}


class Formats:
    def __init__(self, work):
        self.work, self.local = work, threading.local()

    def scratch(self, name):
        """A path for this thread's files."""
        return os.path.join(self.work, "%d.%s" % (threading.get_ident(), name))

    def ours(self, path):
        return t.to_text(ANYPROF, path, self.scratch("ours"))

    def read_as(self, path, want):
        got = self.ours(path)
        if got.code != 0:
            return got.brief()
        return None if got.data == want else t.first_difference(want, got.data)

    # ---- files that are there

    def corpus(self, path):
        want = t.Twin(t.twin_of(path)).text
        meant = MEANT.get(os.path.basename(path))
        return self.read_as(path, meant(self, path, want) if meant else want)

    def attributes_kept(self, path, _):
        text = t.write(self.scratch("meant"), m.attributes_last(t.read(path)))
        return t.to_text(t.LLVM, text, self.scratch("theirs")).data

    def vtables_once(self, _, want):
        """LLVM prints the vtables of a place twice if it has a line and an inlined function."""
        profile = m.parse(want)
        for samples in profile.functions.values():
            for symbols in samples.vtables.values():
                for symbol in symbols:
                    symbols[symbol] //= 2
        return once(m.to_text(profile))

    def named_by_list(self, path, want):
        """Hashes have the names in the list of all functions."""
        names = t.listed_names(path)
        profile = m.parse(want).renamed(lambda name: names.get(name, int(name)))
        return m.to_text(profile)

    def its_own_text(self, path, _):
        return t.read(path)

    def twin_of_another(self, path, _):
        other = os.path.join(os.path.dirname(path), "simple.v1.txt")
        return m.to_text(t.afdo_profile(t.read(other)))

    def summary(self, path):
        want = t.Twin(t.twin_of(path)).summary_text().encode()
        got = t.run(ANYPROF, ["show", "--sample", "--detailed-summary", path])
        if got.code != 0:
            return got.brief()
        at = got.out.rfind(b"Total functions: ")
        return None if got.out[at:] == want else t.first_difference(want, got.out[at:])

    def rejected(self, path):
        meant = MEANT.get(os.path.basename(path))
        if meant:
            return self.read_as(path, meant(self, path, None))
        for got in (self.ours(path), t.run(ANYPROF, ["show", "--sample", path])):
            if got.code != 1 or not got.err.startswith(b"error: ") or got.data is not None:
                return "not refused: %s" % got.brief()
        return None

    def afdo(self, path):
        return self.read_as(path, m.to_text(without_digits(t.afdo_profile(t.read(t.twin_of(path))))))

    def llvm_test(self, path):
        """What that tool does not read is not a sample profile, or damaged; anyprof reads it, or says why not."""
        want = t.to_text(t.LLVM, path, self.scratch("theirs"))
        if want.code == 0:
            return self.read_as(path, want.data)
        got = self.ours(path)
        errors = [line for line in got.err.splitlines() if line.startswith(b"error: ")]
        if got.crashed or len(errors) != got.code or (got.data is None) != (got.code == 1):
            return "no clean outcome: %d errors, %s" % (len(errors), got.brief())
        return None if got.code == 1 else t.Suite.UNMADE

    # ---- files that are made here

    @functools.lru_cache(maxsize=1024)
    def source(self, kind, seed):
        """A text in LLVM's form, and a list of symbols."""
        profile, plain, _ = t.made(kind, seed)
        path = os.path.join(self.work, "%s-%s.prof" % (kind, seed))
        # Two threads may write the same bytes.
        for name, data in ((path, plain), (path + ".symbols", s.symbol_list(kind, profile))):
            temporary = self.scratch("source")
            t.write(temporary, data)
            os.replace(temporary, name)
        return path

    def generated(self, release, kind, seed, form):
        source = self.source(kind, seed)
        options = t.FORMATS[form] + (["--prof-sym-list=" + source + ".symbols"] if form == "symbols" else [])
        made = t.merge(profdata(release), options, [source], self.scratch("made"))
        if made.code != 0:
            return "llvm-profdata-%d does not write it: %s" % (release, made.brief())
        path = t.write(self.scratch("input"), made.data)
        profile = t.made(kind, seed)[0]
        want = self.expected(release, profile, form, path)
        return t.Suite.UNMADE if want is None else self.read_as(path, want)

    def expected(self, release, profile, form, path):
        if form == "compact":
            return m.to_text(profile.renamed(lambda name: name if isinstance(name, int) else m.guid(name), True))
        if release == 13 and profile.is_cs and form != "text":
            # Contexts are names there: only that release reads them, and hashes of them are no use to it.
            if "md5" in form:
                return None
            text = t.to_text(profdata(13), path, self.scratch("theirs")).data
            return m.to_text(m.parse(text.replace(b" !Attributes: 0\n", b"")))
        if form == "flat":
            return self.attributes_kept(path, None)
        return t.to_text(t.LLVM, path, self.scratch("theirs")).data

    def packed(self, kind, how):
        """A text in another form, as a compressed file."""
        profile, _, styled = t.made(kind, 0)
        path = t.write(self.scratch("packed"), gzip.compress(styled) if how == "gzip" else s.g.zstd_frame(styled))
        return self.read_as(path, m.to_text(profile))


MEANT = {
    "txt-flat-drops-attr.prof": Formats.attributes_kept,
    "txt-meta-order.prof": Formats.attributes_kept,
    "txt-vt-twice.prof": Formats.vtables_once,
    "pg-lbr-md5sym.afdo": Formats.named_by_list,
    "v22-deep-splitzmd5.afdo": Formats.named_by_list,
    "v22-md5nested-text.prof": Formats.its_own_text,
    "bad_words_in_v2.afdo": Formats.twin_of_another,
}


def once(text):
    """The text without the second one of two equal lines of vtables that have an inlined function between them."""
    return re.sub(rb"^( .*: vtables .*\n)((?:(?! .*vtables| ?!|\S).*\n)*)\1", rb"\1\2", text, flags=re.M)


def without_digits(profile):
    """The profile without inlined functions whose names begin with a digit: no text can have them."""
    for samples in profile.functions.values():
        for one in samples.walk():
            one.calls = {at: {callee: inner for callee, inner in callees.items() if not callee[:1].isdigit()}
                         for at, callees in one.calls.items()}
    return profile


def jobs(formats):
    if t.CORPUS and os.path.isdir(os.path.join(t.CORPUS, "sample")):
        for path in t.corpus_files("sample"):
            rejected = t.Twin(t.twin_of(path)).rejected
            yield ("rejected", formats.rejected, path) if rejected else ("corpus", formats.corpus, path)
            if not rejected:
                yield "summary", formats.summary, path
        for path in t.corpus_files("afdo"):
            bad = t.read(t.twin_of(path)).startswith(b"malformed")
            yield ("bad afdo", formats.rejected, path) if bad else ("afdo", formats.afdo, path)
        for path in llvm_tests():
            yield "llvm tests", formats.llvm_test, path
    for kind in s.KINDS:
        for how in ("gzip", "zstd"):
            yield "packed", formats.packed, kind, how
        for release in t.INSTALLED:
            for form in t.formats_of(release, kind) if t.readable(release, kind) else ():
                for seed in range(SEEDS):
                    yield "llvm %d" % release, formats.generated, release, kind, seed, form


def llvm_tests():
    """Once for each content."""
    seen = set()
    for directory, _, names in sorted(os.walk(os.path.join(t.CORPUS, "llvm-tests"))):
        for path in sorted(os.path.join(directory, name) for name in names):
            data = t.read(path)
            if data not in seen and not data.startswith((b"\xffl", b"\x81", b":ir", b"# IR")):
                seen.add(data)
                yield path


def main():
    t.need_tools()
    suite, without = t.Suite(), {"llvm %d" % release for release in t.RELEASES if release not in t.INSTALLED}
    if not os.path.isdir(os.path.join(t.CORPUS, "sample")):
        print("skipped: no corpus")
        without |= {"corpus", "summary", "rejected", "afdo", "bad afdo", "llvm tests"}
    with tempfile.TemporaryDirectory() as work:
        suite.run(jobs(Formats(work)))
    suite.finish(FLOORS, without)


if __name__ == "__main__":
    main()
