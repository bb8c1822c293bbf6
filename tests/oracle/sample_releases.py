#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Called by the name of a release's llvm-profdata, merge --sample writes what that tool writes, in each format that it
has: the same bytes, but for the order of the records of FunctionMetadata, which is that of a hash table there. What
the compared profiles hold is what the release can hold.

Where LLVM loses something, anyprof's file is compared with what keeps it: docs/differences.md has these cases.

    ANYPROF=command sample_releases.py [WORD...]    comparisons that a word is found in"""

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
from sample_merge import difference, same  # noqa: E402

SEEDS = 2
# A change of this test must not make it compare less.
FLOORS = {"llvm 13": 210, "llvm 14": 275, "llvm 15": 275, "llvm 16": 275, "llvm 19": 250, "llvm 22": 370}


MD5_OF_CONTEXTS = b"LLVM 13 finds no function by the hash of a context; write names"
HAS_ATTRIBUTES = 2 << 32  # a flag of section 5


def same_but_attributes(want, got):
    """Whether extbinary files differ in section 5 alone, which has attributes in `got` only."""
    a, b = t.sections(want), t.sections(got)
    if len(a) != len(b):
        return False
    for (kind, flags, data), (our_kind, our_flags, ours) in zip(a, b):
        more = HAS_ATTRIBUTES if kind == 5 else 0
        if our_kind != kind or flags & more or our_flags != flags | more or (ours == data) == (kind == 5):
            return False
    return True


def metadata(data):
    return [body for kind, _, body in t.sections(data) if kind == 5]


class Writes:
    def __init__(self, work):
        self.work = work

    def scratch(self, name):
        return os.path.join(self.work, "%d.%s" % (threading.get_ident(), name))

    def inputs(self, kind, number):
        base, runs = s.make_profile("release %s" % kind, kind), []
        for i in range(number):
            profile = s.vary(base, "release %s %d" % (kind, i), kind) if i else base
            runs.append((t.write(self.scratch("%d.prof" % i), s.render(profile)), 1 + 2 * i))
        return base, runs

    def reference(self, release, kind, options, runs):
        """What the release's tool writes; None if that depends on the order of the inputs. LLVM 22 has a hidden option
        without which it loses vtables; LLVM 14 counts lines twice that attributes say are in two functions."""
        if kind == "vtables" and "--extbinary" in options:
            options = [*options, "--extbinary-write-vtable-type-prof"]
        tool = profdata(15 if kind == "base" and release == 14 else release)
        if not tool:
            return None
        want, other = (t.merge(tool, options, some, self.scratch("out")) for some in (runs, runs[::-1]))
        return None if want.code or not same(want, other) else want

    def ours(self, release, options, runs):
        return t.merge(ANYPROF, options, runs, self.scratch("out"), "llvm-profdata-%d" % release)

    def compare(self, release, kind, number, form):
        base, runs = self.inputs(kind, number)
        options = list(t.FORMATS[form])
        if form == "symbols":
            options.append("--prof-sym-list=" + t.write(self.scratch("symbols"), s.symbol_list(kind, base)))
        want = self.reference(release, kind, options, runs)
        if want is None:
            return t.Suite.UNMADE
        if form == "flat":
            want.data = m.attributes_last(want.data)
        got = self.ours(release, options, runs)
        if release == 13 and kind in s.CS and "--use-md5" in options:
            right = got.code == 1 and got.data is None and MD5_OF_CONTEXTS in got.err
            return None if right else "hashes of contexts are not refused: %s" % got.brief()
        if got.code:
            return got.brief()
        if kind == "base" and "--extbinary" in options:
            return self.compare_attributes(release, options, runs, want.data, got.data)
        return None if same(want, got) else difference(want.data, got.data)

    def compare_attributes(self, release, options, runs, want, got):
        """LLVM loses attributes unless one of them says that a function should be inlined; its reader knows them."""
        if not same_but_attributes(want, got):
            return "not only attributes differ: %s" % difference(want, got)
        if "--use-md5" in options:  # section 5 has numbers of names, in an order that is that of names also with hashes
            hashed, options = got, [word for word in options if word != "--use-md5"]
            got = self.ours(release, options, runs).data
            if metadata(hashed) != metadata(got):
                return "hashes have other attributes than names"
        tool, out = profdata(release), self.scratch("out")
        text = t.merge(tool, ["--text"], runs, out)
        again = t.to_text(tool, t.write(self.scratch("got"), got), out)
        if text.code or again.code:
            return "not read: %s, %s" % (text.brief(), again.brief())
        return None if text.data == again.data else t.first_difference(text.data, again.data)


def jobs(writes):
    for release in t.INSTALLED:
        for kind in s.KINDS:
            for form in t.formats_of(release, kind) if t.readable(release, kind) else ():
                # That release's text has attributes of all functions, its contexts are names.
                if release == 13 and form == "text" and kind in s.CS + s.PROBE:
                    continue
                for number in range(1, SEEDS + 1):
                    yield "llvm %d" % release, writes.compare, release, kind, number, form


def main():
    t.need_tools()
    suite, without = t.Suite(), {"llvm %d" % release for release in t.RELEASES if release not in t.INSTALLED}
    with tempfile.TemporaryDirectory() as work:
        suite.run(jobs(Writes(work)))
    suite.finish(FLOORS, without)


if __name__ == "__main__":
    main()
