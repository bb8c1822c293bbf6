#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other processors: 32 bits, other byte orders, other page sizes. The runtime is compiled for each, programs of each
clang run on the emulated processor, and their profiles say what those of the same program on this machine say, of a new
file and of a pool."""

import glob
import os
import shutil

import _lib
from _lib import ANYPROF, must

FE, IR = ["-fprofile-instr-generate"], ["-O1", "-fprofile-generate"]


class Machine:
    """A kind of processor: who compiles for it, and who runs its programs."""

    def __init__(self, name, triple, emulator):
        self.name, self.triple = name, triple
        self.emulator = shutil.which(emulator) if emulator else None
        gcc = shutil.which(triple + "-gcc")
        self.gcc = [gcc] if gcc else []
        self.clang_flags = ["--target=" + triple, "--sysroot=/usr/" + triple, "-isystem", "/usr/%s/include" % triple]

    def __str__(self):
        return self.name

    def is_there(self):
        return bool(self.gcc and self.emulator)


class I386(Machine):
    """Runs as it is, or by an emulator where the kernel cannot."""

    def __init__(self):
        super().__init__("i386", "i386-linux-gnu", next(iter(_lib.bits32.runner() or ()), None))
        newest = max((c for c in _lib.clangs()), key=lambda c: c.number)
        self.gcc = [newest.path, *_lib.BITS32]
        self.clang_flags = _lib.BITS32

    def is_there(self):
        return _lib.bits32.runner() is not None and os.path.exists("/usr/lib32/libc.so")


def run(case, program, raw, *arguments):
    emulator = [case.machine.emulator] if case.machine.emulator else []
    must([*emulator, program, *arguments], profile=raw)


def text(case, *raw):
    """Returns the text of the profile, which is the same by the release's tool and by anyprof."""
    theirs, ours = _lib.merged(case.clang.profdata, *raw), _lib.merged(ANYPROF, *raw)
    case.checks.that(theirs is not None, "%s: llvm-profdata cannot read it" % case)
    # Up to 16 it finds no targets of indirect calls in profiles of the other byte order.
    if case.machine.name != "s390x" or case.clang.number > 16 or case.options is FE:
        case.checks.equal(ours, theirs, "%s: anyprof and llvm-profdata" % case)
    return ours


class Case:
    """A way of instrumenting, of a release, for a machine."""

    def __init__(self, checks, clang, machine, library, options, program):
        self.checks, self.clang, self.machine, self.library = checks, clang, machine, library
        self.options, self.program = options, program

    def __str__(self):
        return "%s %s %s %s" % (self.machine, self.clang, self.options[-1], self.program)

    def check(self, shop):
        native = shop.path("native")
        must([self.clang.path, *self.options, "-fPIE", "-pie", self.source(), "-o", native])
        objects = shop.path("program.o")
        must([self.clang.path, *self.machine.clang_flags, *self.options, "-fPIE", "-c", self.source(), "-o", objects])
        program = shop.path("program")
        static = ["-static"] if self.machine.emulator else []
        must([*self.machine.gcc, *static, objects, "-Wl,-u,__llvm_profile_runtime", self.library, "-o", program])
        raws = {name: os.path.join(os.path.dirname(program), name) for name in ("native", "new", "pool")}
        must([native, "50"], profile=raws["native"])
        run(self, program, raws["new"], "50")
        wanted = text(self, raws["native"])
        self.checks.that(wanted and "\n50\n" in wanted, "%s: nothing is counted" % self)
        self.checks.equal(text(self, raws["new"]), wanted, "%s: new file" % self)
        pool = os.path.join(os.path.dirname(program), "pool%m")
        for _ in range(3):
            run(self, program, pool, "50")
        pools = glob.glob(os.path.join(os.path.dirname(program), "pool*"))
        self.checks.equal(len(pools), 1, "%s: one pool" % self)
        thrice = text(self, raws["native"], raws["native"], raws["native"])
        self.checks.equal(text(self, *pools), thrice, "%s: pool" % self)

    def source(self):
        return os.path.join(_lib.PROGRAMS, self.program)


def main():
    checks, shop, clangs = _lib.Checks(), _lib.Workshop(), _lib.clangs()
    known = [I386(), Machine("aarch64", "aarch64-linux-gnu", "qemu-aarch64"),
             Machine("arm", "arm-linux-gnueabihf", "qemu-arm"), Machine("s390x", "s390x-linux-gnu", "qemu-s390x"),
             Machine("riscv64", "riscv64-linux-gnu", "qemu-riscv64"),
             Machine("ppc64le", "powerpc64le-linux-gnu", "qemu-ppc64le")]
    machines = [m for m in known if m.is_there()]
    for machine in known:
        if machine not in machines:
            print("skipped: no compiler or no emulator for", machine)
    if not machines:
        _lib.skip("no other processor")
    cases = []
    for machine in machines:
        library = _lib.build_runtime(shop, machine.gcc)
        cases += [Case(checks, c, machine, library, options, "counts.c") for c in clangs for options in (FE, IR)]
    checks.each(cases, lambda case: case.check(shop))
    checks.finish("%d programs for %s" % (len(cases), ", ".join(map(str, machines))))


if __name__ == "__main__":
    main()
