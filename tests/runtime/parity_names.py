#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of profiles: each form of LLVM_PROFILE_FILE, and each place that a name comes from, beside compiler-rt's
runtime of the newest clang. What ours does in another way on purpose is listed with its reason."""

import os
import re
import subprocess

import _lib
from _lib import OURS, must

FE = ["-fprofile-instr-generate"]
ID = "-Wl,--build-id=0x00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"
LONG_ID = "-Wl,--build-id=0x" + "ab" * 32
DEFAULT = "default.profraw"


class Name:
    """A pattern, and what it says if that is not what compiler-rt makes of it. {}: the directory of the run."""

    def __init__(self, pattern, ours=None, why="", link=(ID,), options=(), **environment):
        self.pattern, self.ours, self.why, self.link, self.options = pattern, ours, why, tuple(link), tuple(options)
        self.environment = environment

    def __str__(self):
        return "%s %s" % (self.pattern, " ".join(self.options))


NAMES = [
    Name("{}/plain.profraw"),
    Name("plain.profraw"),
    Name("new/deep/plain.profraw"),
    Name("{}/new/%m/plain.profraw"),
    Name(None),
    Name(""),
    Name("a b'c.profraw"),
    Name("%p.profraw"),
    Name("%p-%p.profraw"),
    Name("%h.profraw"),
    Name("%h-%p-%h"),
    Name("%t/a.profraw", TMPDIR="{}/tmp"),
    Name("%ta.profraw", TMPDIR="{}"),
    Name("%t%t.profraw", TMPDIR="x"),
    Name("%t/a.profraw"),
    Name("a%t.profraw"),
    Name("%m.profraw"),
    Name("%1m.profraw"),
    Name("%4m.profraw"),
    Name("%0m.profraw"),
    Name("%1000m.profraw"),
    Name("%100000m.profraw", "SIGNATURE_MODULO.profraw", "compiler-rt's has room for 24 characters"),
    Name("%m-%m.profraw"),
    Name("%m-%4m.profraw"),
    Name("%p-%m-%h.profraw"),
    Name("%m/%p/%h"),
    Name("%b.profraw"),
    Name("%b.profraw", link=["-Wl,--build-id=none"]),
    Name("%m%b.profraw"),
    Name("%b.profraw", "ab" * 32 + ".profraw", "compiler-rt's has room for ids of 20 bytes, and writes beyond it",
         link=[LONG_ID]),
    # Not specifiers: alone, they are a part of the name; beside one, they are dropped with the character after them.
    Name("a%%b"),
    Name("a-%q"),
    Name("a%"),
    Name("%"),
    Name("%%p"),
    Name("a%5p"),
    Name("a%5"),
    Name("a%z-%p"),
    Name("a%5z%p"),
    Name("a%12z%p"),
    Name("a%%-%p"),
    Name("a%P%p"),
    Name("a%v%m"),
    Name("%p%", "PID", "compiler-rt's reads past the end of the name"),
    Name("a%p%%"),
    Name("%c%ca.profraw"),
    Name("%ca.profraw", "a.profraw", "compiler-rt's writes nothing where the counters cannot be in the file"),
    Name("%ca.profraw", options=["-fprofile-instr-generate", "-fprofile-continuous"]),
    Name("%c%m.profraw", options=["-fprofile-instr-generate", "-fprofile-continuous"]),
    Name("a.profraw", options=["-fprofile-instr-generate", "-fprofile-continuous"]),
    Name(None, options=["-fprofile-instr-generate", "-fprofile-continuous"]),
    # Names that the compiler puts in.
    Name(None, options=["-fprofile-instr-generate=embedded-%p.profraw"]),
    Name("{}/environment.profraw", options=["-fprofile-instr-generate=embedded.profraw"]),
    Name("", options=["-fprofile-instr-generate=in/side.profraw"]),
    Name(None, options=["-fprofile-generate"]),
    Name(None, options=["-fprofile-generate=in/side"]),
]


class Ran:
    """The files that a run left, their sizes forgotten, the process's number and the directory made the same."""

    def __init__(self, shop, program, name):
        self.directory = os.path.dirname(shop.path("out"))
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        environment.update({k: v.replace("{}", self.directory) for k, v in name.environment.items()})
        if name.pattern is not None:
            environment["LLVM_PROFILE_FILE"] = name.pattern.replace("{}", self.directory)
        process = subprocess.Popen([program], cwd=self.directory, env=environment, stderr=subprocess.PIPE)
        self.warned = b"Warning" in process.communicate(timeout=_lib.TIMEOUT)[1]
        self.code = process.returncode
        pid = re.compile(r"(?<!\d)%d(?!\d)" % process.pid)
        pool = re.search(r"%(\d+)m", name.pattern or "")
        self.names, self.empty = [], []
        for root, _, files in os.walk(self.directory):
            for file in files:
                path = os.path.join(root, file)
                said = os.path.relpath(path, self.directory)
                if pool and int(pool.group(1)) > 1:  # %4m: the process's number modulo 4
                    said = re.sub(r"_%d(?!\d)" % (process.pid % int(pool.group(1))), "_MODULO", said)
                said = pid.sub("PID", said)
                (self.names if os.path.getsize(path) else self.empty).append(said)
        self.names.sort()


def check(name, shop, checks, clang):
    options = [x for x in name.options] or FE
    objects = shop.compile(clang, "counts.c", options)
    programs = []
    for runtime in ([], OURS):
        programs.append(shop.path("program"))
        must([clang.path, options[0].partition("=")[0], *name.link, objects, *runtime, "-o", programs[-1]])
    theirs, ours = (Ran(shop, program, name) for program in programs)
    checks.equal(ours.code, theirs.code, "%s: exit code" % name)
    checks.equal(ours.empty, [], "%s: empty files" % name)
    if name.ours:
        names = [re.sub(r"^\d{10,}_", "SIGNATURE_", x) for x in ours.names]
        checks.equal(names, [name.ours], "%s: file" % name)
    else:
        checks.equal(ours.names, theirs.names, "%s: file" % name)
        checks.equal(ours.warned, theirs.warned, "%s: a warning" % name)
        checks.that(len(theirs.names) == 1, "%s: compiler-rt's writes nothing" % name, str(theirs.names))


def main():
    checks, shop, clangs = _lib.Checks(), _lib.Workshop(), _lib.clangs()
    clang = clangs[-1]
    if clang.number < 22:
        _lib.skip("no clang 22, whose names are the ones that are compared with")
    checks.each(NAMES, lambda name: check(name, shop, checks, clang))
    checks.finish("%d names, by %s" % (len(NAMES), clang))


if __name__ == "__main__":
    main()
