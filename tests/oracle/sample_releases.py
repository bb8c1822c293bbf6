#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Called by the name of a release's llvm-profdata, merge --sample writes what that tool writes, in each format that it
has: the same bytes, but for the order of the records of FunctionMetadata, which is that of a hash table there. What
the compared profiles hold is what the release can hold.

    ANYPROF=command sample_releases.py [WORD...]    comparisons that a word is found in"""

import os
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _sample_tools as t  # noqa: E402
import _samples as s  # noqa: E402
from _identity import ANYPROF, profdata  # noqa: E402
from sample_merge import difference, same  # noqa: E402

SEEDS = 2
# A change of this test must not make it compare less.
FLOORS = {"llvm 13": 210, "llvm 14": 275, "llvm 15": 275, "llvm 16": 275, "llvm 19": 250, "llvm 22": 370}


class Writes:
    def __init__(self, work):
        self.work = work

    def scratch(self, name):
        return os.path.join(self.work, "%d.%s" % (threading.get_ident(), name))

    def compare(self, release, kind, number, form):
        base, runs = s.make_profile("release %s" % kind, kind), []
        for i in range(number):
            profile = s.vary(base, "release %s %d" % (kind, i), kind) if i else base
            runs.append((t.write(self.scratch("%d.prof" % i), s.render(profile)), 1 + 2 * i))
        options = list(t.FORMATS[form])
        if form == "symbols":
            options.append("--prof-sym-list=" + t.write(self.scratch("symbols"), s.symbol_list(kind, base)))
        tool = profdata(release)
        want = t.merge(tool, options, runs, self.scratch("out"))
        other = t.merge(tool, options, runs[::-1], self.scratch("out"))
        if want.code or not same(want, other):
            return t.Suite.UNMADE
        got = t.merge(ANYPROF, options, runs, self.scratch("out"), "llvm-profdata-%d" % release)
        if got.code:
            return got.brief()
        return None if same(want, got) else difference(want.data, got.data)


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
