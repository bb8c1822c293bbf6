#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The option `compatible`: programs with our runtime say what those with compiler-rt's say, word for word, and leave
the same counts. Where ours does something else on purpose, the test says what and why."""

import os
import re

import _lib
import api
from _lib import run
from api import RELOCATED

FE, IR = "FE", "IR"
TEMPORAL = ["-mllvm", "-pgo-temporal-instrumentation"]
NO_ID = ["-Wl,--build-id=none"]


class Case:
    """Calls of api.c, of a mode of instrumentation, with these options of the compiler; what was there before; what to
    do to the file {}/b in between; what ours leaves, and how many of the lines it says, where that is not the
    same."""

    def __init__(self, name, calls, mode=FE, file="{}/a.profraw", options=(), before=(), damage=None, since=19,
                 ours=None, lines=None, why="", **environment):
        self.name, self.mode, self.file, self.options, self.since = name, mode, file, list(options), since
        self.calls, self.before, self.damage = calls.split(), list(before), damage
        self.ours, self.lines, self.environment = ours, lines, environment
        if (ours is not None or lines) and not why:
            raise ValueError(name)

    def __str__(self):
        return self.name


def cut_to(size):
    return lambda content: content[:size]


def break_first_counter(content):
    """Its pointer: 16 bytes into the first record, after the header and the ids."""
    at = 16 + 14 * 8 + int.from_bytes(content[16:24], "little") + 16
    return content[:at] + b"\xab" * 8 + content[at + 8:]


CASES = [
    Case("exit", "step=5"),
    Case("write, exit", "step=5 write"),
    Case("dump", "step=5 dump"),
    Case("dump, pool", "step=5 dump", file="{}/p%m.profraw"),
    Case("dump, write", "step=5 dump write"),
    Case("set_dumped", "step=5 dumped"),
    Case("continuous, write", "step=5 write", file="{}/%ca.profraw", options=RELOCATED),
    Case("no such directory", "step=5 write", file="/dev/null/a.profraw"),
    Case("directory", "step=5 write", file="{}/"),
    Case("no TMPDIR", "step=5", file="%t/a.profraw"),
    Case("TMPDIR", "step=5", file="%ta.profraw", TMPDIR="."),
    Case("two %m", "step=5", file="{}/%ma%m.profraw"),
    Case("two %c", "step=5", file="{}/%ca%c.profraw", options=RELOCATED),
    Case("no build id", "step=5", file="{}/%b.profraw", options=NO_ID, since=22),
    Case("no relocation", "step=5", file="{}/%ca.profraw", since=22, ours={"a.profraw": 5},
         why="the profile is written at exit; compiler-rt's is lost"),
    Case("temporal, pool", "step=5", IR, "{}/p%m.profraw", TEMPORAL, before=["step=5"],
         ours={"p.profraw": 5, "p.PID.profraw": 5}, lines=1, why="the second profile has a file of its own"),
    Case("temporal, buffer", "step=5 buffer={}/b merge", IR, options=TEMPORAL,
         ours={"a.profraw": 5, "b": 5}, why="value data is in buffers, so that they can be read"),
    Case("temporal, stream", "step=5 merged={}/b", IR, options=TEMPORAL, before=["step=5 set={}/b"]),
    Case("stream", "step=5 merged={}/b", before=["step=5 set={}/b"]),
    Case("continuous, stream of its own", "step=5 object={}/b", file="{}/%ca.profraw", options=RELOCATED),
    Case("continuous, broken stream", "step=5 merged={}/b", file="{}/%ca.profraw", options=RELOCATED,
         before=["open={}/b"], damage=lambda content: content * 100),
    Case("cut stream", "step=5 merged={}/b", before=["step=5 set={}/b"], damage=cut_to(400)),
    Case("broken stream", "step=5 merged={}/b", before=["step=5 set={}/b"], damage=break_first_counter),
    Case("unknown version", "step=5 write", options=["-DRAW_VERSION=10000"], ours={},
         why="no empty file where no profile can be written"),
    Case("no mapping", "step=5", file="{}/p%m.profraw", before=["step=5"], since=22,
         LLVM_PROFILE_NO_MMAP="1", LLVM_PROFILE_VERBOSE="1"),
    Case("mapping", "step=5", file="{}/p%m.profraw", before=["step=5"], LLVM_PROFILE_VERBOSE="1"),
]


def messages(said):
    """Those that both have: without names of ours and of theirs that notes tell."""
    lines = said.replace("Using the default name.LLVM", "Using the default name.\nLLVM").splitlines()
    # compiler-rt forgets the end of the line in two of them, and the error that it names may be an old one.
    lines = [re.sub(r"(failed|\"): [^:]*$", r"\1", line.rstrip()) for line in lines]
    return [line for line in lines if not re.match(r"LLVM Profile Note: (wrote|Set|Override) ", line)]


class Left:
    """What a program says, and what it leaves."""

    def __init__(self, case, program, directory):
        os.mkdir(directory)
        environment = dict(case.environment, ANYPROF_RT_OPTIONS="compatible")
        for words in [*(w.split() for w in case.before), case.calls]:
            b = os.path.join(directory, "b")
            if case.damage and os.path.exists(b):
                with open(b, "rb") as file:
                    content = file.read()
                with open(b, "wb") as file:
                    file.write(case.damage(content))
            result = run([program, *(w.replace("{}", directory) for w in words)], directory,
                         case.file.replace("{}", directory), **environment)
        self.code, self.printed = result.returncode, result.stdout.replace(directory, "{}")
        self.said = messages(result.stderr.replace(directory, "{}"))
        self.counts = {}
        for name in sorted(os.listdir(directory)):
            found = api.record(os.path.join(directory, name))
            name = re.sub(r"\.\d+\.", ".PID.", re.sub(r"\d{6,}_\d", "", name))
            self.counts[name] = found[0][0] if isinstance(found, tuple) else found


def check(case, shop, checks, programs):
    clang, case = case
    what = "%s: %s" % (clang, case)
    theirs, ours = (Left(case, programs(clang, case.mode, tuple(case.options), o).path, shop.path("out"))
                    for o in (False, True))
    checks.equal(ours.code, theirs.code, what + ": exit code")
    checks.equal(ours.printed, theirs.printed, what + ": prints")
    checks.equal("\n".join(ours.said), "\n".join(theirs.said[:case.lines]), what + ": says")
    checks.equal(ours.counts, theirs.counts if case.ours is None else case.ours, what + ": files")


def check_empty(clang, others, shop, checks):
    """Nothing of a program is instrumented: a profile without functions, the same bytes. It is not in the way of a
    library's profile, of whatever release."""
    main = shop.path("main.o")
    directory = os.path.dirname(shop.path("here"))
    source = os.path.join(directory, "main.c")
    for name, text in (("main.c", "int called(void);int main(void){return USES?called():0;}"),
                       ("called.c", "int called(void){return 0;}")):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    written = []
    for ours in ([], api.OURS):
        program = shop.path("empty")
        _lib.must([clang.path, "-DUSES=0", "-c", source, "-o", main])
        _lib.must([clang.path, *NO_ID, "-fprofile-instr-generate", main, *ours, "-o", program])
        result = run([program], directory, program + ".profraw", ANYPROF_RT_OPTIONS="compatible")
        checks.equal((result.returncode, result.stderr), (0, ""), "%s: nothing instrumented" % clang)
        with open(program + ".profraw", "rb") as file:
            written.append(file.read())
    checks.equal(written[1], written[0], "%s: nothing instrumented: bytes" % clang)
    for other in others:
        library, program = shop.path("libcalled.so"), shop.path("program")
        _lib.must([other.path, "-fPIC", "-shared", "-fprofile-instr-generate", os.path.join(directory, "called.c"),
                   *api.OURS, "-o", library])
        _lib.must([clang.path, "-DUSES=1", "-c", source, "-o", main])
        _lib.must([clang.path, "-fprofile-instr-generate", main, library,
                   "-Wl,-rpath," + os.path.dirname(library), *api.OURS, "-o", program])
        raw = program + ".profraw"
        result = run([program], directory, raw, ANYPROF_RT_OPTIONS="compatible")
        checks.equal((result.returncode, result.stderr), (0, ""), "%s: library of %s" % (clang, other))
        shown = _lib.functions(_lib.merged(other.profdata, raw) or "")
        checks.equal([(f.name, f.counters) for f in shown], [("called", [1])], "%s: library of %s" % (clang, other))


def main():
    checks, shop, clangs = _lib.Checks(), _lib.Workshop(), [c for c in _lib.clangs() if c.number >= 19]
    if not clangs:
        _lib.skip("no clang with the words of today")
    made = {}

    def programs(clang, mode, options, ours):
        key = (clang, mode, options, ours)
        if key not in made:
            made[key] = api.Program(shop, clang, mode, False, list(options), ours)
        return made[key]

    cases = [(clang, case) for clang in clangs for case in CASES if clang.number >= case.since]
    checks.each(cases, lambda case: check(case, shop, checks, programs))
    checks.each(clangs, lambda clang: check_empty(clang, _lib.clangs(), shop, checks))
    checks.finish("%d situations, by programs of %s" % (len(CASES), ", ".join(map(str, clangs))))


if __name__ == "__main__":
    main()
