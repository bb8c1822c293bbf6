#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof probes disasm` beside llvm-profgen-22, on programs of tests/oracle/disasm that clang 13 to 22 compile.

Every line that is no instruction must be equal byte for byte, of instructions the addresses, and after them the source
locations. Of programs of clang 13 to 15 the probes at each address are also those that llvm-profgen of that release
shows. An object file shows at each symbol what the program that is linked of it shows there."""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _pgo as pgo  # noqa: E402
import _share  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
SOURCES = os.path.join(pgo.HERE, "disasm")
PROFGEN = "llvm-profgen-22"
OLD = (13, 14, 15)  # their probes have addresses, and their readers are those to compare with
RELEASES = OLD + (16, 19, 22)
FLAGS = ["-O2", "-g", "-fpseudo-probe-for-profiling"]
COLD = ["-mllvm", "-hot-cold-split", "-mllvm", "-hotcoldsplit-threshold=0"]
SECTIONS = ["-ffunction-sections", "-fdata-sections"]
FREESTANDING = ["-ffreestanding", "-fno-builtin", "-fno-stack-protector"]
RENAME = ["llvm-objcopy-22", "--redefine-sym=main=main.part.1.llvm.22"]
DISCARD = ["llvm-objcopy-22", "--discard-all"]
NO_PROBES = "-fno-pseudo-probe-for-profiling"
PACKAGE = ["llvm-dwp-22", "-e"]  # and then there are no .dwo files
RESULTS = pgo.Results()


class Case:
    """A program: source, compiler, its flags, the linker and its flags, and what is done to the result."""

    def __init__(self, source, release, flags=(), linker="lld", link=(), target=None, after=()):
        self.source, self.release, self.flags, self.linker = source, release, list(flags), linker
        self.link, self.target, self.after = list(link), target, list(after)

    def __str__(self):
        words = [self.source, f"clang-{self.release}", self.linker, self.target] + self.flags + self.link + self.after
        return " ".join(w for w in words if w)

    def missing(self):
        tools = [self.compiler(), PROFGEN, "llvm-objcopy-22", "llvm-symbolizer-22", *self.after[:1],
                 "ld.lld-22" if self.linker == "lld" else "ld"]
        if self.release in OLD:
            tools.append(f"llvm-profgen-{self.release}")
        return [t for t in tools if not shutil.which(t)]

    def compiler(self):
        return ("clang++-%d" if self.source.endswith(".cpp") else "clang-%d") % self.release

    def build(self, directory):
        base = os.path.join(directory, hashlib.md5(str(self).encode()).hexdigest()[:12])
        target = ["--target=" + self.target] if self.target else []
        standard = ["-std=c++20"] if self.source == "coroutine.cpp" else []
        pgo.run([self.compiler(), *FLAGS, *standard, *target, *self.flags, "-c", os.path.join(SOURCES, self.source),
                 "-o", base + ".o"])
        if self.target:
            pgo.run(["ld.lld-22", "-e", "main", *self.link, base + ".o", "-o", base])
        else:
            linker = ["--ld-path=" + shutil.which("ld.lld-22")] if self.linker == "lld" else []
            pgo.run(["clang++-22", *linker, *self.link, base + ".o", "-o", base])
        if self.after == PACKAGE:
            pgo.run([*PACKAGE, base, "-o", base + ".dwp"])
            os.unlink(base + ".dwo")
        elif self.after:
            pgo.run([*self.after, base])
        return base


def cases():
    for release in RELEASES:
        link = ["-no-pie"] if release == 13 else []  # its code is not position-independent by default
        yield Case("plain.c", release, link=link)
        yield Case("plain.c", release, SECTIONS, "gnu", ["-Wl,--gc-sections", "-no-pie"])
        yield Case("objects.cpp", release, link=link)
        yield Case("objects.cpp", release, SECTIONS, "lld", link + ["-Wl,--gc-sections"])
        yield Case("cold.c", release, COLD, link=link)
        if release >= 16:
            yield Case("coroutine.cpp", release)
            yield Case("coroutine.cpp", release, [], "gnu")
    yield Case("objects.cpp", 22, [], "gnu", ["-pie"])
    yield Case("objects.cpp", 22, ["-O1", "-fno-inline"], "lld", ["-no-pie"])
    yield Case("objects.cpp", 22, SECTIONS + ["-fPIC"], "lld", ["-shared"])
    yield Case("objects.cpp", 22, ["-gdwarf-4"])
    yield Case("objects.cpp", 22, ["-gz=zlib"])
    yield Case("objects.cpp", 22, ["-gz=zstd"])
    for dwarf in ("-gdwarf-4", "-gdwarf-5"):
        for release in (14, 22):
            yield Case("objects.cpp", release, [dwarf, "-gsplit-dwarf"], link=["-no-pie"])
            yield Case("objects.cpp", release, [dwarf, "-gsplit-dwarf", *SECTIONS], after=PACKAGE, link=["-no-pie"])
    yield Case("plain.c", 22, [NO_PROBES])
    yield Case("objects.cpp", 14, [NO_PROBES, "-gsplit-dwarf"], link=["-no-pie"])
    yield Case("plain.c", 22, ["-funique-internal-linkage-names"], after=RENAME)
    yield Case("plain.c", 22, SECTIONS, "lld", ["-Wl,--emit-relocs"])
    yield Case("plain.c", 22, ["-fPIC"], "gnu", ["-Wl,--emit-relocs", "-shared"])
    yield Case("plain.c", 22, [], "lld", ["-Wl,--icf=all"])
    yield Case("plain.c", 22, ["-march=x86-64-v4", "-fcf-protection=full"])
    yield Case("plain.c", 22, after=["llvm-objcopy-22", "--strip-debug"])
    yield Case("plain.c", 22, after=DISCARD)
    yield Case("plain.c", 22, after=["strip", "-s"])
    yield Case("plain.c", 22, ["-mllvm", "-enable-fs-discriminator=true"])
    for target in ("aarch64-linux-gnu", "i386-linux-gnu", "powerpc64le-linux-gnu"):
        for release in (16, 22):
            yield Case("plain.c", release, FREESTANDING, target=target)
            yield Case("plain.c", release, FREESTANDING + SECTIONS, link=["--gc-sections", "-pie"], target=target)
    yield Case("plain.c", 14, FREESTANDING, target="aarch64-linux-gnu")


# ---- listings ----------------------------------------------------------------------------------------------------

INSTRUCTION = re.compile(r"( *[0-9a-f]+):\t(.*)", re.S)
LOCATION = r"[^\s:@]+:[0-9]+(?:\.[0-9]+)?"
LOCATIONS = re.compile(rf"{LOCATION}(?: @ {LOCATION})*$")


# A function without symbol is nowhere; llvm-profgen shows its probes after those of another function, which depends on
# the order of functions in the section: with clang it differs from run to run.
LOST = {"discard": re.compile(r" \[Probe\]:.* _ZL(4tail|7recurse)"),
        "rename": re.compile(r" \[Probe\]:.*(FUNC: main |@ main:)")}


def lines(text, locations, lost=None):
    """Returns the lines that must be equal."""
    for line in text.split("\n"):
        found = INSTRUCTION.fullmatch(line)
        if not found and not (lost and lost.match(line)):
            yield line
        elif not found:
            continue
        elif locations:
            where = LOCATIONS.search(found.group(2))
            yield found.group(1) + " " + (where.group(0) if where else "")
        else:
            yield found.group(1)


def difference(ours, theirs):
    a, b = list(ours), list(theirs)
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"line {i + 1}: {x!r}, llvm-profgen: {y!r}"
    return f"{len(a)} lines, llvm-profgen: {len(b)}" if len(a) != len(b) else None


def ours(program, *options):
    return pgo.run([ANYPROF, "probes", "disasm", *options, program]).stdout


def theirs(program, *options, profgen=PROFGEN):
    if profgen.endswith("-13"):  # which needs the name of a trace that it does not read
        options += ("--perfscript=/dev/null",)
    command = [profgen, "--binary=" + program, "--show-disassembly-only", "-o", "/dev/null", *options]
    done = pgo.run(command, may_fail=True)
    return done.stdout if done.returncode == 0 else None


def probes_by_address(text):
    """The probe lines before each instruction, in no order."""
    found, waiting = {}, []
    for line in text.split("\n"):
        if line.startswith(" [Probe]:"):
            waiting.append(line)
        elif waiting and INSTRUCTION.fullmatch(line):
            found[line.split(":")[0].strip()] = sorted(waiting)
            waiting = []
    return found


def by_symbol(text):
    """Symbol -> its lines, with addresses as distances from the first one."""
    symbols, name, first = {}, None, None
    for line in text.split("\n"):
        found = INSTRUCTION.fullmatch(line)
        if re.fullmatch(r"<.*>:", line):
            name, first = line, None
            symbols[name] = []
        elif found and name:
            first = int(found.group(1), 16) if first is None else first
            symbols[name].append(int(found.group(1), 16) - first)
        elif line.startswith(" [Probe]") and name:
            symbols[name].append(line)
    return symbols


# ---- unknown GUIDs -----------------------------------------------------------------------------------------------

def guid(name):
    return hashlib.md5(name.encode()).digest()[:8]


def with_descriptors(program, names):
    """A copy with descriptors for these functions: without them llvm-profgen crashes."""
    section, patched = program + ".desc", program + ".patched"
    pgo.run(["llvm-objcopy-22", f"--dump-section=.pseudo_probe_desc={section}", program, "/dev/null"])
    with open(section, "ab") as f:
        for name in names:
            f.write(guid(name) + struct.pack("<Q", 0) + bytes([len(name)]) + name.encode())
    pgo.run(["llvm-objcopy-22", f"--update-section=.pseudo_probe_desc={section}", program, patched])
    return patched


def without_descs(text):
    return text[text.index("\nDisassembly of section"):]


# ---- comparing ---------------------------------------------------------------------------------------------------

def compare(case, kind, program, our_options, their_options, locations=False):
    expected = theirs(program, *their_options)
    if not RESULTS.check(expected is not None, "runs", case, f"llvm-profgen fails ({kind})"):
        return
    lost = LOST["discard"] if case.after == DISCARD else LOST["rename"] if case.after == RENAME else None
    wrong = difference(lines(ours(program, *our_options), locations, lost), lines(expected, locations, lost))
    RESULTS.check(wrong is None, kind, case, f"{kind}: {wrong}")
    with RESULTS.lock:
        RESULTS.compared["lines"] += expected.count("\n")


SOME = ("main", "top", "work", "leaf", "_Z4worki", "_Z5counti")


def check_some(case, program):
    """Of some functions llvm-profgen leaves out probes that it shows there in the whole listing: those of records with
    another GUID. So what we show is compared with a part of the whole. In C of clang 22 there are no such probes."""
    option = "--disassemble-functions=" + ",".join(SOME)
    if case.source == "plain.c" and case.release == 22 and not case.after:
        compare(case, "some functions", program, [option], ["--show-pseudo-probe", option])
    part, keep = [], True
    for line in theirs(program, "--show-pseudo-probe").split("\n"):
        label = re.fullmatch(r"<(.*)>:", line)
        if label:
            keep = label.group(1) in SOME
        if keep or line.startswith("Disassembly"):
            part.append(line)
        if line == "" or line.startswith("Disassembly"):
            keep = True
    lost = LOST["discard"] if case.after == DISCARD else LOST["rename"] if case.after == RENAME else None
    wrong = difference(lines(ours(program, option), False, lost), lines("\n".join(part), False, lost))
    RESULTS.check(wrong is None, "parts", case, f"some functions: {wrong}")


def check_lookup(case, program):
    """Lines and inline stacks are those of llvm-symbolizer, which without debug information shows names of symbols, and
    for a function with two names the other one."""
    addresses = [line.split(":")[0].strip() for line in ours(program).split("\n") if INSTRUCTION.fullmatch(line)][::5]
    words = ["0x" + a for a in addresses]
    found = json.loads(pgo.run([ANYPROF, "probes", "lookup", "--json", program, *words], may_fail=True).stdout)
    command = ["llvm-symbolizer-22", "-e", program, "--no-demangle", "--output-style=JSON", *words]
    for a, t in zip(found["addresses"], json.loads(pgo.run(command).stdout)):
        theirs_ = [(f["FunctionName"].replace("another_top", "top"), os.path.basename(f["FileName"]), f["Line"])
                   for f in t["Symbol"]]
        ours_ = [(f["function"] or "", os.path.basename(f["file"] or ""), f["line"] or 0) for f in a["frames"]]
        RESULTS.check(ours_ == theirs_ or (not ours_ and (not theirs_ or theirs_[0][2] == 0)), "addresses", case,
                      f"{a['address']}: {ours_}, llvm-symbolizer: {theirs_}")


def check_object(case, program):
    whole, object_file = by_symbol(ours(program)), by_symbol(ours(program + ".o"))
    for name, content in object_file.items():
        same = name not in whole or name.startswith("<.") or content == whole[name][: len(content)] or \
            not any(isinstance(c, str) for c in content)
        RESULTS.check(same, "symbols of objects", case, f"{name} of the object has other probes or instructions")


def check(case, directory):
    program = case.build(directory)
    if "work.cold.1" in pgo.run(["nm", program]).stdout and case.release >= 16:
        RESULTS.check(theirs(program, "--show-pseudo-probe") is None, "crashes", case,
                      "llvm-profgen does not crash any more: no detour is needed")
        patched = with_descriptors(program, ["work.cold.1", "main.cold.1", "main.cold.2"])
        same = without_descs(ours(program)) == without_descs(ours(patched))
        RESULTS.check(same, "unknown GUIDs", case, "the names of functions without descriptors are not shown")
        os.rename(program + ".o", patched + ".o")
        program = patched
    probes, places, plain_names = "--show-pseudo-probe", "--show-source-locations", "--show-canonical-fname"
    compare(case, "plain names", program, [places, plain_names, probes + "=false"], [places, plain_names], True)
    if NO_PROBES in case.flags:
        compare(case, "no probes", program, [], [])
        compare(case, "lines without probes", program, [places], [places], True)
        return
    compare(case, "probes", program, [], [probes])
    compare(case, "locations as probes", program, [places], [probes, places], True)
    compare(case, "locations", program, [places, probes + "=false"], [places], True)
    if case.target in (None, "i386-linux-gnu"):
        compare(case, "Intel", program, ["--x86-asm-syntax=intel"], [probes, "--x86-asm-syntax=intel"])
    check_some(case, program)
    if case.release == 22 and "symtab" in pgo.run(["readelf", "-SW", program]).stdout and not case.after:
        check_lookup(case, program)
    if case.release in OLD and not case.target:
        release = theirs(program, probes, profgen=f"llvm-profgen-{case.release}")
        if release is None:
            RESULTS.note(f"llvm-profgen-{case.release} fails on {case}")
        else:
            RESULTS.check(probes_by_address(ours(program)) == probes_by_address(release), "own release", case,
                          f"other probes than llvm-profgen-{case.release}")
    if "-shared" not in case.link:
        check_object(case, program)


def main():
    if not os.access(ANYPROF, os.X_OK):
        print(f"skipped: no command at '{ANYPROF}'")
        return 77
    skipped = []
    with tempfile.TemporaryDirectory() as directory, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        possible = []
        for case in cases():
            missing = case.missing()
            if missing:
                skipped.append(f"{case}: no {', '.join(missing)}")
            else:
                possible.append(case)
        chosen = _share.pick(possible, lambda case: "%s %s" % (case.source, case.target))
        jobs = {pool.submit(check, case, directory): case for case in chosen}
        for job in concurrent.futures.as_completed(jobs):
            try:
                job.result()
            except pgo.ToolFailed as e:
                RESULTS.check(False, "runs", jobs[job], str(e))
    for text in RESULTS.failures:
        print("FAILED:", text)
    for text in RESULTS.notes + ["skipped: " + s for s in skipped]:
        print(text)
    print(", ".join(f"{n} {kind}" for kind, n in sorted(RESULTS.compared.items())), "compared,",
          len(RESULTS.failures), "failures,", len(skipped), "skipped")
    if RESULTS.failures:
        return 1
    return 77 if not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
