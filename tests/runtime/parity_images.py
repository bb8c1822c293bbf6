#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compiler-rt's runtime and ours with the same objects, as parity.py: shared libraries, libraries that are opened and
closed, pools of several runs, static programs, other linkers, 32 bits, objects of --coverage in the same program. And
programs for which there can be no profile: those that mix LLVM versions, or are of an unknown one."""

import os
import re
import shutil

import _lib
from _lib import ANYPROF, OURS, must, run

FE, IR = ["-fprofile-instr-generate", "-fcoverage-mapping"], ["-O1", "-fprofile-generate"]
# Of a length that 13 need not pad: its profiles with others cannot be read when they are one after the other.
ID = "-Wl,--build-id=0x0123456789abcdef0123456789abcdef"


def kind(options):
    return "IR" if options is IR else "FE"


def driver(clang, options):
    """Returns the command that links, as users write it."""
    return [clang.path, *(["-pie"] if clang.number == 13 else []), "-fprofile-instr-generate" if options is FE
            else "-fprofile-generate", ID]


def link(shop, command, ours, name="program"):
    path = shop.path(name)
    must([*command, *(OURS if ours else []), "-o", path])
    return path


class Out:
    """A directory that a program's runs leave profiles in, and nothing else."""

    def __init__(self, shop, runs, pattern, code=0):
        self.directory = os.path.dirname(shop.path("out"))
        self.errors = ""
        for command in runs:
            result = run(command, self.directory, os.path.join(self.directory, pattern))
            if result.returncode != code:
                raise _lib.Failed("%s: exit code %d: %s" % (command, result.returncode, result.stderr))
            self.errors = result.stderr
        self.names = sorted(os.listdir(self.directory))

    def path(self, name):
        return os.path.join(self.directory, name)

    def number(self):
        """Names that say nothing but the order."""
        for i, name in enumerate(self.names):
            os.rename(self.path(name), self.path(str(i)))
        self.names = sorted(os.listdir(self.directory))

    def texts(self, clang):
        """The text of each file, by both tools."""
        return {(name, tool): _lib.merged(tool, self.path(name)) for name in self.names
                for tool in (clang.profdata, ANYPROF)}


def same(checks, clang, theirs, ours, what, files):
    """As many files, of the same names, that say the same."""
    checks.equal(ours.names, theirs.names, what + ": names")
    checks.equal(len(ours.names), files, what + ": how many files")
    theirs, ours = theirs.texts(clang), ours.texts(clang)
    for key, text in theirs.items():
        checks.that(text and "Counter Values" in text, "%s: compiler-rt's profile is empty" % what)
        checks.equal(ours.get(key), text, "%s: %s" % (what, os.path.basename(key[1])))


# --- several images ------------------------------------------------------------------------------------------------


def library(shop, clang, options, ours, extra=()):
    objects = shop.compile(clang, "library.c", (*options, "-fPIC"))
    path = shop.path("liblibrary.so")
    must([*(x for x in driver(clang, options) if x != "-pie"), "-shared", *extra, objects, *(OURS if ours else []),
          "-o", path])
    return path


def check_library(case, shop, checks):
    clang, options = case
    objects = shop.compile(clang, "uses_library.c", options)
    programs = []
    for ours in (False, True):
        made = library(shop, clang, options, ours)
        programs.append(link(shop, [*driver(clang, options), objects, made,
                                    "-Wl,-rpath," + os.path.dirname(made)], ours))
    for pattern, files in (("%m.profraw", 2), ("plain.profraw", 1), ("%4m.profraw", 2)):
        theirs, ours = (Out(shop, [[program]], pattern) for program in programs)
        if "4" in pattern:  # the number in the pool is the process's
            for out in (theirs, ours):
                for name in out.names:
                    os.rename(out.path(name), out.path(name.split("_")[0]))
                out.names = sorted(os.listdir(out.directory))
        what = "%s %s library %s" % (clang, kind(options), pattern)
        same(checks, clang, theirs, ours, what, files)


def check_linkers(case, shop, checks):
    """A library by each linker, and optimized as a whole."""
    clang, options = case
    own, lto = (shop.compile(clang, "uses_library.c", [*options, *more]) for more in ([], ["-flto"]))
    for linker in ("bfd", "gold", "lld"):
        if not shutil.which("ld." + linker):
            continue
        extra = ["-fuse-ld=" + linker, "-Wl,--gc-sections"]
        programs = []
        for ours in (False, True):
            made = library(shop, clang, options, ours, extra)
            objects = lto if linker == "lld" and clang.number == 22 else own
            programs.append(link(shop, [*driver(clang, options), *extra, objects, made,
                                        "-Wl,-rpath," + os.path.dirname(made)], ours))
        theirs, ours = (Out(shop, [[program]], "%m.profraw") for program in programs)
        if linker == "lld":  # drops compiler-rt's own nodes, whose number is a part of the name
            theirs.number()
            ours.number()
        same(checks, clang, theirs, ours, "%s %s library by %s" % (clang, kind(options), linker), 2)


def check_dlopen(case, shop, checks):
    clang, options = case
    objects = shop.compile(clang, "loads_library.c", options)
    made = [library(shop, clang, options, ours) for ours in (False, True)]
    programs = [link(shop, [*driver(clang, options), objects, "-ldl"], ours) for ours in (False, True)]
    for times in ("1", "2", "3"):
        for pattern, files in (("%m.profraw", 2), ("plain.profraw", 1)):
            what = "%s %s dlopen %s times %s" % (clang, kind(options), times, pattern)
            theirs, ours = (Out(shop, [[p, lib, times]], pattern) for p, lib in zip(programs, made))
            if options is FE or times == "1" or files == 1:
                same(checks, clang, theirs, ours, what, files)
            else:  # opened elsewhere each time: compiler-rt's loses the targets' names then
                checks.equal(len(ours.names), files, what)
                for name in ours.names:  # the program's targets are in the library, the library's in itself
                    text = _lib.merged(clang.profdata, ours.path(name))
                    checks.that("half:%d\n" % (25 * int(times)) in text or "\nmain\n" in text,
                                what + ": names of targets", text)


# --- pools of runs -------------------------------------------------------------------------------------------------


POOLS = [
    ("FE", range(13, 99), FE, "counts.c", []),
    ("IR", range(13, 99), IR, "counts.c", []),
    ("many values", range(13, 99), IR, "many_values.c", []),
    ("function bytes", range(14, 99), [*IR, "-mllvm", "-pgo-function-entry-coverage"], "counts.c", []),
    ("MC/DC", range(19, 99), [*FE, "-fcoverage-mcdc"], "counts.c", []),
    ("bytes", range(19, 99), [*FE, "-mllvm", "-enable-single-byte-coverage"], "counts.c", []),
    ("vtables", range(19, 99), [*IR, "-mllvm", "-enable-vtable-value-profiling"], "vtables.cpp", ["-lstdc++"]),
]
# Where lists are full, or targets have addresses: sums of files are better than compiler-rt's pools.
NOT_LIKE_THEIRS = ("IR", "many values", "vtables")
# A pool of single bytes says 1, how many runs it is of.
NOT_A_SUM = ("bytes", "function bytes")


def check_pool(case, shop, checks):
    """Three runs merge what three files say together. The addresses of targets are others in each run."""
    clang, (name, _, options, program, libraries) = case
    objects = shop.compile(clang, program, options)
    command = [*driver(clang, FE if options[0] in FE else IR), objects, *libraries]
    theirs, ours = (link(shop, command, ours) for ours in (False, True))
    runs = ["50", "7", "31"]
    apart = Out(shop, [], "")
    for n in runs:
        must([ours, n], profile=apart.path(n))
    pool, other = (Out(shop, [[p, n] for n in runs], "%m.profraw") for p in (ours, theirs))
    what = "%s pool: %s" % (clang, name)
    checks.equal(pool.names, other.names, what + ": names")
    for tool in (clang.profdata, ANYPROF):
        text = _lib.merged(tool, pool.path(pool.names[0]))
        if name not in NOT_A_SUM:
            checks.equal(text, _lib.merged(tool, *(apart.path(n) for n in runs)), "%s: %s: the sum" % (what, tool))
        checks.that(text and "# Counter Values:" in text, "%s: %s: is empty" % (what, tool))
        if name not in NOT_LIKE_THEIRS:
            checks.equal(text, _lib.merged(tool, other.path(other.names[0])), "%s: %s" % (what, tool))


def check_temporal(clang, shop, checks):
    """Temporal profiles are not added: each run has its file, and the first has the name."""
    options = [*IR, "-mllvm", "-pgo-temporal-instrumentation"]
    program = link(shop, [*driver(clang, IR), shop.compile(clang, "counts.c", options)], True)
    out = Out(shop, [[program]] * 3, "%m.profraw")
    checks.equal(len(out.names), 3, "%s temporal pool: files: %s" % (clang, out.names))
    for name in out.names:
        checks.equal(_lib.merged(clang.profdata, out.path(name)), _lib.merged(clang.profdata, out.path(out.names[0])),
                     "%s temporal pool: %s" % (clang, name))


def check_nothing(clang, shop, checks):
    """No function is instrumented: compiler-rt's leaves an empty file, or since 15 a profile of no function."""
    source = shop.path("empty.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    objects = shop.compile(clang, source)
    out = Out(shop, [[link(shop, [*driver(clang, FE), objects], True)]], "a.profraw")
    checks.equal((out.names, out.errors), ([], ""), "%s: nothing is instrumented" % clang)


# --- ways of linking -----------------------------------------------------------------------------------------------


def ways(clang, options):
    """Commands without the objects and without a runtime, and what follows the objects for ours."""
    plain = driver(clang, options)
    found = [("gc-sections", [*plain, "-Wl,--gc-sections"], OURS), ("static", [x for x in plain if x != "-pie"] +
                                                                  ["-static"], OURS)]
    # lld is of one release, and what it links 14 to 16 with is -pie.
    for linker in ("bfd", "gold", "lld"):
        if shutil.which("ld." + linker):
            found.append((linker, [*plain, "-fuse-ld=" + linker, "-Wl,--gc-sections"], OURS))
    found.append(("noprofilelib", [*plain, "-noprofilelib", "-Wl,-u,__llvm_profile_runtime"], OURS))
    found.append(("no flag", [clang.path, ID], ["-Wl,-u,__llvm_profile_runtime", *OURS]))
    found.append(("whole archive", [clang.path, ID], ["-Wl,--whole-archive", *OURS, "-Wl,--no-whole-archive"]))
    if shutil.which("gcc"):
        found.append(("gcc", ["gcc", ID], ["-Wl,-u,__llvm_profile_runtime", *OURS]))
    return found


def check_ways(case, shop, checks):
    clang, options = case
    objects = shop.compile(clang, "counts.c", options)
    for name, command, runtime in ways(clang, options):
        programs = []
        for after in (["-Wl,-u,__llvm_profile_runtime", clang.runtime()], runtime):
            programs.append(shop.path("program"))
            must([*command, objects, *after, "-o", programs[-1]])
        theirs, ours = (Out(shop, [[p]], "a.profraw") for p in programs)
        same(checks, clang, theirs, ours, "%s %s %s" % (clang, kind(options), name), 1)


# --- 32 bits -------------------------------------------------------------------------------------------------------


def has_bits32(shop, clang):
    path = shop.path("program")
    built = run([clang.path, "-m32", os.path.join(_lib.PROGRAMS, "counts.c"), "-o", path])
    return built.returncode == 0 and _lib.bits32.runner() is not None and \
        run(_lib.bits32.command(["-m32"], path)).returncode == 0


def check_bits32(case, shop, checks, archive):
    clang, options = case
    objects = shop.compile(clang, "counts.c", [*options, "-m32"])
    what = "%s %s 32 bits" % (clang, kind(options))
    path = shop.path("program")
    must([*driver(clang, options), "-m32", objects, archive, "-o", path])
    command = _lib.bits32.command(["-m32"], path)
    ours = Out(shop, [command], "a.profraw")
    pool = Out(shop, [command] * 3, "%m.profraw")
    text = _lib.merged(clang.profdata, ours.path("a.profraw"))
    counts = [function.counters for function in _lib.functions(text) if function.name == "step"]
    checks.that(counts and 50 in counts[0], what + ": step() ran 50 times", text)
    checks.equal(_lib.merged(ANYPROF, pool.path(pool.names[0])),
                 _lib.merged(ANYPROF, *[ours.path("a.profraw")] * 3), what + ": three runs")
    if clang.runtime("i386"):
        theirs = link(shop, [*driver(clang, options), "-m32", objects], False)
        command = _lib.bits32.command(["-m32"], theirs)
        same(checks, clang, Out(shop, [command], "a.profraw"), ours, what, 1)
        same_name = Out(shop, [command] * 3, "%m.profraw")
        checks.equal(pool.names, same_name.names, what + ": name of the pool")


# --- no profile ----------------------------------------------------------------------------------------------------


def check_mixed(pair, shop, checks):
    """Objects of two releases in one program. Those of one raw version get on with each other."""
    one, other = pair
    raw = {13: 7, 14: 8, 15: 8, 16: 8, 18: 9}
    fits = raw.get(one.number, 10) == raw.get(other.number, 10)
    objects = [shop.compile(one, "uses_library.c", FE), shop.compile(other, "library.c", FE)]
    out = Out(shop, [[link(shop, [*driver(other, FE), *objects], True)]], "a.profraw")
    what = "%s with %s" % pair
    if fits:
        text = _lib.merged(ANYPROF, out.path("a.profraw"))
        checks.that(re.search(r"\nstep\n(.+\n)+50\n", text) and re.search(r"\nlibrary_step\n(.+\n)+25\n", text), what,
                    text)
    else:
        checks.equal(out.names, [], what + ": files")
        checks.equal(out.errors, "LLVM Profile Error: this program has objects of different LLVM versions; no profile "
                     "is written\n", what + ": message")


def check_unknown(clang, shop, checks):
    """The variable that holds the version holds an unknown one."""
    source = shop.path("version.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("const unsigned long long __llvm_profile_raw_version = 99 | 1ull << 56;\n")
    objects = [shop.compile(clang, "counts.c", FE), shop.compile(clang, source)]
    out = Out(shop, [[link(shop, [*driver(clang, FE), *objects], True)]], "a.profraw")
    checks.equal(out.names, [], "%s unknown version: files" % clang)
    checks.equal(out.errors, "LLVM Profile Error: this program was compiled by an LLVM that is newer than its profile "
                 "runtime; no profile is written\n", "%s unknown version: message" % clang)


def check_gcov(clang, shop, checks):
    """An object of --coverage in the same program: both profiles are written, by the two archives."""
    objects = shop.compile(clang, "library.c", ["--coverage"])
    own = shop.compile(clang, "uses_library.c", FE)
    program = link(shop, [*driver(clang, FE), own, objects], True)
    notes = objects[:-1] + "gcda"
    out = Out(shop, [[program]] * 2, "%m.profraw")
    checks.that(os.path.exists(notes), "%s: --coverage beside ours writes nothing" % clang)
    text = _lib.merged(clang.profdata, out.path(out.names[0]))
    checks.that(re.search(r"\nstep\n(.+\n)+100\n", text), "%s: ours beside --coverage" % clang, text)
    must([program], GCOV_PREFIX=out.path("gcov"), GCOV_PREFIX_STRIP="2", profile=out.path("b"))
    stripped = "/".join([""] + notes.split("/")[3:])
    checks.that(os.path.exists(out.path("gcov" + stripped)), "%s: GCOV_PREFIX: %s" % (clang, stripped))


def main():
    checks, shop, clangs = _lib.Checks(), _lib.Workshop(), _lib.clangs()
    both = [(clang, options) for clang in clangs for options in (FE, IR)]
    for check in (check_library, check_linkers, check_dlopen, check_ways):
        checks.each(both, lambda case, check=check: check(case, shop, checks))
    if has_bits32(shop, clangs[-1]):
        archive = _lib.build_runtime(shop, [clangs[-1].path, *_lib.BITS32])
        checks.each(both, lambda case: check_bits32(case, shop, checks, archive))
    else:
        print("no 32 bits: programs with -m32 cannot be linked or run here")
    checks.each([(a, b) for a in clangs for b in clangs if a is not b], lambda pair: check_mixed(pair, shop, checks))
    checks.each([(clang, pool) for pool in POOLS for clang in clangs if clang.number in pool[1]],
                lambda case: check_pool(case, shop, checks))
    for check in (check_unknown, check_nothing):
        checks.each(clangs, lambda clang, check=check: check(clang, shop, checks))
    checks.each([c for c in clangs if c.number > 18], lambda clang: check_temporal(clang, shop, checks))
    checks.each(clangs, lambda clang: check_gcov(clang, shop, checks))
    checks.finish("shared libraries, pools, linkers, 32 bits, mixtures of " + ", ".join(map(str, clangs)))


if __name__ == "__main__":
    main()
