#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles whose metadata stayed in the program, of programs that each installed clang builds here: what anyprof makes
of them is what that release's llvm-profdata makes of them, and the same as of an ordinary build of the program.

show --debug-info is compared with llvm-profdata 22, warnings included. Programs for other processors cannot be run
here: their profiles are made of their counter sections, with counters that are all different."""

import concurrent.futures
import os
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bits32  # noqa: E402
import _pgo  # noqa: E402
import _profiles as p  # noqa: E402
import _share  # noqa: E402

RELEASES = (14, 15, 16, 19, 22)
FLOOR, FLOORS_32_BITS = 715, {14: 16, 15: 16, 16: 16, 19: 24, 22: 24}
SHOW = 22
REFERENCE = shutil.which(f"llvm-profdata-{SHOW}")

SOURCES = {
    "shared.h": """
template <int N> struct Shape { __attribute__((noinline)) int area(int x) { return x % (N + 2) ? x + N : x / 3; } };
inline int both(int x) { return x > 4 && x < 9 ? x : -x; }
int other(int);
""",
    "main.cpp": """
#include <stdlib.h>
#include "shared.h"
int plain(int, int);
namespace { __attribute__((noinline)) int hidden(int x) { return x & 1 ? x : x * 3; } }
static int twice(int x) { for (int i = 0; i < x; i++) x -= i & 2; return x; }
__attribute__((noinline)) int never(int x) { return x > 100 ? twice(x) : x; }
int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < 40; i++) {
        Shape<3> s; Shape<7> t;
        sum += s.area(i) + t.area(i) + both(i) + hidden(i) + twice(i & 7) + plain(i, sum) + other(i);
    }
    if (argc > 5 && (argc < 9 || atoi(argv[1]))) return never(sum);
    return sum == 12345;
}
""",
    "other.cpp": """
#include "shared.h"
namespace { __attribute__((noinline)) int hidden(int x) { return x & 2 ? x : x * 5; } }
int other(int x) { Shape<7> s; return s.area(x) + both(x) + hidden(x) + (x && x % 3 ? 1 : 2); }
""",
    "plain.cpp": """
static int twice(int x) { return x > 3 ? x + 1 : x * 2; }
static int unused(int x) { return x ? x : 1; }
int plain(int x, int y) {
    switch (x & 3) { case 0: return twice(y); case 1: return x < y || x > 7; default: return y; }
}
int (*table[])(int) = {twice, unused};
""",
}
FREESTANDING = """
static __attribute__((noinline)) int twice(int x) { return x > 3 ? x + 1 : x * 2; }
__attribute__((noinline)) int plain(int x, int y) { return x && (y > 3 || x < 8) ? twice(y) : x; }
int _start(void) { int s = 0; for (int i = 0; i < 9; i++) s += plain(i, s); return s; }
"""

report = p.Report(FLOOR + sum(n for number, n in FLOORS_32_BITS.items() if _pgo.builds_32_bits(number)))
IR, FE = ["-fprofile-generate"], ["-fprofile-instr-generate", "-fcoverage-mapping"]
VALUES = ["-mllvm", "-disable-vp"]  # value profiling is off where there are no data records


class Variant:
    """One way of building. `ordinary` builds the same functions with data records; `kind` is the option of merge."""

    def __repr__(self):
        return self.name

    def __init__(self, name, kind, options, ordinary, since=14, bitmaps=False, prepare=None, show=True):
        self.name, self.kind, self.options, self.ordinary = name, kind, options, ordinary
        self.since, self.bitmaps, self.prepare, self.show = since, bitmaps, prepare, show


def debug_info(release):
    new = ["-mllvm", "-profile-correlate=debug-info"]
    return new if release >= 19 else ["-mllvm", "-debug-info-correlate"]


def only_debug(directory, program):
    """The debug information alone, as distributions ship it."""
    target = os.path.join(directory, "only.debug")
    p.run(["llvm-objcopy-22", "--only-keep-debug", program, target])
    return target


def stripped(directory, program):
    target = os.path.join(directory, "stripped")
    p.run(["llvm-objcopy-22", "--strip-all", "--keep-section=__llvm_cov*", program, target])
    return target


def variants(release):
    info = debug_info(release)
    yield Variant("IR", "--debug-info", [*IR, "-g", "-O2", *info], [*IR, "-O2", *VALUES])
    yield Variant("IR, DWARF 4", "--debug-info", [*IR, "-gdwarf-4", "-O1", *info], [*IR, "-O1", *VALUES])
    yield Variant("IR, packed", "--debug-info", [*IR, "-g", "-gz=zlib", "-O1", *info], [*IR, "-O1", *VALUES])
    yield Variant("IR, debug file", "--debug-info", [*IR, "-g", "-O1", *info], [*IR, "-O1", *VALUES],
                  prepare=only_debug)
    yield Variant("front end", "--debug-info", ["-fprofile-instr-generate", "-g", "-O1", *info],
                  ["-fprofile-instr-generate", "-O1"], since=19)
    if _pgo.builds_32_bits(release):
        yield Variant("IR, 32 bits", "--debug-info", [*IR, "-m32", "-g", "-O1", *info], [*IR, "-m32", "-O1", *VALUES])
    if release < 19:
        return
    binary = ["-mllvm", "-profile-correlate=binary"]
    temporal = ["-mllvm", "-pgo-temporal-instrumentation"]
    covered = ["-mllvm", "-pgo-block-coverage"]
    yield Variant("traces", "--debug-info", [*IR, "-g", "-O1", *temporal, *info], [*IR, "-O1", *temporal, *VALUES])
    yield Variant("coverage", "--debug-info", [*IR, "-g", "-O1", *covered, *info], [*IR, "-O1", *covered, *VALUES])
    yield Variant("binary, IR", "--binary-file", [*IR, "-O2", *binary], [*IR, "-O2", *VALUES], show=False)
    yield Variant("binary, stripped", "--binary-file", [*IR, "-O1", *binary], [*IR, "-O1", *VALUES], show=False,
                  prepare=stripped)
    yield Variant("binary, front end", "--binary-file", [*FE, "-O1", *binary], [*FE, "-O1"], show=False)
    yield Variant("binary, coverage", "--binary-file", [*IR, "-O1", *covered, *binary],
                  [*IR, "-O1", *covered, *VALUES], show=False)
    if _pgo.builds_32_bits(release):
        yield Variant("binary, 32 bits", "--binary-file", [*FE, "-m32", "-O1", *binary], [*FE, "-m32", "-O1"],
                      show=False)
    mcdc = [*FE, "-O1", "-fcoverage-mcdc"]
    yield Variant("binary, MC/DC", "--binary-file", [*mcdc, *binary], mcdc, bitmaps=True, show=False)


# --- building ---------------------------------------------------------------------------------------------------


def build(release, directory, name, options):
    """The program, and the raw profile of a run of it."""
    program, raw = os.path.join(directory, name), os.path.join(directory, name + ".profraw")
    sources = [s for s in SOURCES if not s.endswith(".h")]
    done = p.run([f"clang++-{release}", *options, "-fuse-ld=lld-22", "-Wl,--build-id", *sources,
                  "-o", program], cwd=directory)
    if done.code:
        raise p.Crash(f"clang++-{release} {options}: {done.errors()[:2000]}")
    subprocess.run(_bits32.command(options, program), env=dict(os.environ, LLVM_PROFILE_FILE=raw), check=True,
                   timeout=60)
    return program, raw


def without_bitmaps(text):
    profile = p.TextParser(text).parse()
    content = profile.by_key()
    for record in content.values():
        record["bitmap"] = []
    return profile.flags, profile.traces, content


def records(text):
    profile = p.TextParser(text).parse()
    return profile.flags, profile.traces, profile.by_key()


def warnings(result):
    return [line for line in result.errors().splitlines() if not line.startswith("note: ")]


# --- comparisons ------------------------------------------------------------------------------------------------


def same_output(what, ours, theirs):
    report.same(what + ": exit code", ours.code, theirs.code)
    report.same(what + ": output", ours.out, theirs.out)
    report.same(what + ": messages", warnings(ours), warnings(theirs))


def compare_show(what, program):
    for options in (["--detailed-summary", "--show-prof-sym-list", "--max-debug-info-correlation-warnings=0"],
                    ["--show-format=yaml"], ["--max-debug-info-correlation-warnings=1"]):
        command = ["show", f"--debug-info={program}", *options]
        same_output(f"{what}, {' '.join(command[2:])}", p.anyprof(*command), p.run([REFERENCE, *command]))


def compare_merge(what, release, variant, program, raw, ordinary):
    arguments = ["merge", f"{variant.kind}={program}", raw, "--text", "-o", "-"]
    ours = p.anyprof(*arguments)
    theirs = p.run([p.profdata(release), *arguments])
    if variant.bitmaps:  # LLVM leaves them out
        report.same(what + ": merge without bitmaps", without_bitmaps(ours.out), without_bitmaps(theirs.out))
        report.check(what + ": bitmaps", any(r["bitmap"] for r in records(ours.out)[2].values()))
    else:
        same_output(what + ": merge", ours, theirs)
    whole = p.anyprof("merge", ordinary, "--text", "-o", "-")
    report.same(what + ": as an ordinary build", records(ours.out), records(whole.out))
    report.check(what + ": something was counted", any(any(r["counts"]) for r in records(ours.out)[2].values()))
    weighted = ["merge", f"{variant.kind}={program}", f"--weighted-input=3,{raw}", raw, "-j=1"]
    for extra in ([], ["--sparse"]):
        out = [os.path.join(os.path.dirname(raw), f"{tool}.profdata") for tool in ("ours", "theirs")]
        a = p.anyprof(*weighted, *extra, f"--for=llvm-{release}", "-o", out[0])
        b = p.run([p.profdata(release), *weighted, *extra, "-o", out[1]])
        report.same(f"{what}: exit code of an indexed profile", a.code, b.code)
        if not variant.bitmaps and a.code == 0 and b.code == 0:
            report.same(f"{what}: indexed profile", *[open(path, "rb").read() for path in out])


def guarded(job):
    """A file that cannot be built or read is a failure, and no reason to compare nothing else."""
    try:
        return job[0](job[1:])
    except (p.Crash, p.TextError, subprocess.SubprocessError) as problem:
        report.fail(str(job[1:3]), str(problem))
        return None


def compare(job):
    release, variant, work = job
    what = f"clang {release}, {variant.name}"
    directory = os.path.join(work, what.replace(" ", "_").replace(",", "").replace("/", ""))
    os.makedirs(directory)
    for name, text in SOURCES.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as f:
            f.write(text)
    program, raw = build(release, directory, "lean", variant.options)
    _, ordinary = build(release, directory, "ordinary", variant.ordinary)
    given = variant.prepare(directory, program) if variant.prepare else program
    compare_merge(what, release, variant, given, raw, ordinary)
    if variant.show:
        compare_show(what, given)
    return directory


# --- other processors ------------------------------------------------------------------------------------------------


def raw_header(bits, big, n_counters, variant):
    """Version 10; counters are 1, 2, ..."""
    order = ">" if big else "<"
    magic = 0xFF6C70726F667281 if bits == 64 else 0xFF6C70726F665281
    words = [magic, 10 | variant << 56, 0, 0, 0, n_counters, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    return struct.pack(f"{order}16Q{n_counters}Q", *words, *range(1, n_counters + 1))


def counter_slots(program):
    lines = p.run(["llvm-readelf-22", "-SW", program]).out.decode().splitlines()
    row = next(line.split("__llvm_prf_cnts")[1].split() for line in lines if "__llvm_prf_cnts" in line)
    return int(row[3], 16) // 8


def compare_foreign(job):
    target, emulation, bits, big, kind, work = job
    what = f"{target}, {kind}"
    directory = os.path.join(work, f"{target}_{kind}")
    os.makedirs(directory)
    source, program, raw = (os.path.join(directory, name) for name in ("a.c", "program", "a.profraw"))
    with open(source, "w", encoding="ascii") as f:
        f.write(FREESTANDING)
    p.run([f"clang-{SHOW}", f"--target={target}", "-g", "-O1", "-ffreestanding", "-fPIC", *IR, "-mllvm",
           f"-profile-correlate={kind}", "-c", source, "-o", source + ".o"])
    linked = p.run(["ld.lld-22", "-m", emulation, "--unresolved-symbols=ignore-all", "-z", "nostart-stop-gc",
                    source + ".o", "-o", program])
    if linked.code:
        raise p.Crash(linked.errors())
    with open(raw, "wb") as f:
        f.write(raw_header(bits, big, counter_slots(program), 9 if kind == "debug-info" else 1))
    option = "--debug-info" if kind == "debug-info" else "--binary-file"
    ours = p.anyprof("merge", f"{option}={program}", raw, "--text", "-o", "-")
    if kind == "debug-info":
        compare_show(what, program)
    if not big or kind == "debug-info":  # LLVM swaps the records of a big-endian binary twice
        same_output(what, ours, p.run([REFERENCE, "merge", f"{option}={program}", raw, "--text", "-o", "-"]))
    else:
        other = [path.replace("_binary", "_debug-info") for path in (program, raw, directory)]
        theirs = p.anyprof("merge", f"--debug-info={other[0]}", other[1], "--text", "-o", "-")
        report.same(what, ours.out, theirs.out.replace(other[2].encode(), directory.encode()))
    names = sorted(os.path.basename(name) for name, _ in records(ours.out)[2])
    report.same(what + ": functions", names, ["_start", "a.c;twice", "plain"])


FOREIGN = (("i386-linux-gnu", "elf_i386", 32, False), ("aarch64-linux-gnu", "aarch64linux", 64, False),
           ("arm-linux-gnueabihf", "armelf_linux_eabi", 32, False), ("s390x-linux-gnu", "elf64_s390", 64, True),
           ("powerpc-linux-gnu", "elf32ppc", 32, True))


# --- what LLVM cannot do ------------------------------------------------------------------------------------------


def compare_library(job):
    """A program and its library write into one file; each profile finds its own metadata."""
    release, kind, work = job
    what = f"clang {release}, library, {kind}"
    option = "--debug-info" if kind == "debug-info" else "--binary-file"
    texts = []
    for name, more in (("lean", ["-mllvm", f"-profile-correlate={kind}"]), ("whole", VALUES)):
        directory = os.path.join(work, f"library_{release}_{kind}", name)
        os.makedirs(directory)
        for source, text in SOURCES.items():
            with open(os.path.join(directory, source), "w", encoding="ascii") as f:
                f.write(text)
        clang = [f"clang++-{release}", *IR, "-g", "-O1", *more, "-fuse-ld=lld-22", "-Wl,--build-id"]
        library, program, raw = (os.path.join(directory, n) for n in ("libplain.so", "program", "all.profraw"))
        for command in ([*clang, "-shared", "-fPIC", "plain.cpp", "-o", library],
                        [*clang, "main.cpp", "other.cpp", library, f"-Wl,-rpath,{directory}", "-o", program]):
            done = p.run(command, cwd=directory)
            if done.code:
                raise p.Crash(done.errors()[:2000])
        subprocess.run([program], env=dict(os.environ, LLVM_PROFILE_FILE=raw), check=True, timeout=60)
        given = [f"{option}={path}" for path in (library, program)] if name == "lean" else []
        done = p.anyprof("merge", *given, raw, "--text", "-o", "-")
        texts.append(records(done.out))
        if name == "lean":
            alone = p.anyprof("merge", given[0], raw, "-o", os.path.join(directory, "x"))
            report.check(what + ": one of the two", alone.code == 1 and b"another build" in alone.err, alone.errors())
    report.same(what, *texts)


def compare_split(job):
    """Split DWARF, whose .dwo files LLVM does not read here: the same as without it."""
    release, dwarf, work = job
    what = f"clang {release}, split DWARF {dwarf}"
    directory = os.path.join(work, f"split_{release}_{dwarf}")
    os.makedirs(directory)
    for source, text in SOURCES.items():
        with open(os.path.join(directory, source), "w", encoding="ascii") as f:
            f.write(text)
    options = [*IR, "-g", f"-gdwarf-{dwarf}", "-O1", *debug_info(release)]
    program, raw = build(release, directory, "split", [*options, "-gsplit-dwarf"])
    whole, _ = build(release, directory, "whole", options)
    a, b = (p.anyprof("merge", f"--debug-info={path}", raw, "--text", "-o", "-")
            for path in (program, shutil.copy(program, os.path.join(directory, "copy"))))
    theirs = p.run([p.profdata(release), "merge", f"--debug-info={whole}",
                    os.path.join(directory, "whole.profraw"), "--text", "-o", "-"])
    for ours in (a, b):
        report.same(what + ": merge", records(ours.out), records(theirs.out))
    shown = p.anyprof("show", f"--debug-info={program}", "--show-format=yaml").out
    report.same(what + ": show", shown, p.run([REFERENCE, "show", f"--debug-info={whole}", "--show-format=yaml"]).out)
    package, packed = program + ".dwp", os.path.join(directory, "packed")
    p.run(["llvm-dwp-22", "-e", program, "-o", package])
    for name in os.listdir(directory):
        if name.endswith(".dwo"):
            os.unlink(os.path.join(directory, name))
    report.same(what + ": a package", p.anyprof("show", f"--debug-info={program}", "--show-format=yaml").out, shown)
    os.unlink(package)
    for how in ("zlib", "zstd"):
        p.run(["llvm-objcopy-22", f"--compress-debug-sections={how}", whole, packed])
        report.same(f"{what}: {how}", p.anyprof("show", f"--debug-info={packed}", "--show-format=yaml").out, shown)
    lost = p.anyprof("merge", f"--debug-info={program}", raw, "-o", os.path.join(directory, "x"))
    report.check(what + ": without its files", lost.code == 1 and b".dwo" in lost.err, lost.errors())


# --- errors ------------------------------------------------------------------------------------------------------


def compare_usage(work):
    """LLVM's words about wrong options; ours may say more after them."""
    info = os.path.join(p.CORPUS, "correlate", "bin_19_cdebug-info")
    raw = os.path.join(p.CORPUS, "correlate", "19_cdebug-info.profraw")
    binary = os.path.join(p.CORPUS, "correlate", "bin_19_cbinary")
    empty = os.path.join(work, "empty")
    os.makedirs(empty)
    out = ["-o", os.path.join(work, "x.profdata")]
    merges = [
        [f"--debug-info={info}", f"--binary-file={binary}"],
        [f"--debug-info={info}", "--debug-file-directory=x"],
        [f"--binary-file={binary}", "--debug-file-directory=x"],
        ["--debug-file-directory=x"],
        ["--correlate=binary"],
        ["--debug-info=/bin/sh"],
        ["--binary-file=/bin/sh"],
        [f"--binary-file={info}"],
        ["--debug-info=/nonexistent"],
        ["--debug-info=/etc/passwd"],
        [f"--debug-info={binary}"],
        [f"--debug-file-directory={empty}", "--correlate=debug-info"],
    ]
    for options in merges:
        compare_words(["merge", raw, *options, *out])
    whole = os.path.join(p.SOURCE, "examples", "profiles")
    for path in sorted(os.listdir(whole)):
        if path.endswith(".profraw"):
            compare_words(["merge", os.path.join(whole, path), f"--debug-info={info}", *out], complete=True)
    for options in (["--json"], ["--show-format=json"]):
        compare_words(["show", f"--debug-info={info}", *options])
    for path in ("/bin/sh", "/nonexistent", "/etc/passwd", binary):
        compare_words(["show", f"--debug-info={path}"])
        compare_words(["show", f"--debug-info={path}", "--show-format=yaml"])
    # Under its own name the command has its own words for a missing file.
    under_llvm_name = os.path.join(work, "llvm-profdata-22")
    os.symlink(p.ANYPROF, under_llvm_name)
    ours, theirs = p.run([under_llvm_name, "show"]), p.run([REFERENCE, "show"])
    report.same("show: words", ours.err, theirs.err)
    report.same("show: exit code", ours.code, theirs.code)


def compare_words(arguments, complete=False):
    ours, theirs = p.anyprof(*arguments), p.run([REFERENCE, *arguments])
    if complete and b"version mismatch" in theirs.err:
        return
    want = [line.split("llvm-profdata-22")[-1] for line in warnings(theirs)]
    # docs/differences.md
    want = ["error: nothing is written: " if line == "error: no profile can be merged" else line for line in want]
    got = warnings(ours)
    good = len(got) == len(want) and all(a.startswith(b) for a, b in zip(got, want))
    report.check(f"{' '.join(arguments)}: words", good, f"got {got}, want {want}")
    report.same(f"{' '.join(arguments)}: fails", ours.code != 0, theirs.code != 0)


def compare_build_ids(directories, work):
    """Profiles of several builds in one merge each find their program: given, or in directories."""
    for release in (19, 22):
        places = [os.path.join(work, d) for d in (f"clang_{release}_IR", f"clang_{release}_IR_packed")]
        if not all(place in directories for place in places):
            continue
        raws = [os.path.join(place, "lean.profraw") for place in places]
        programs = [os.path.join(place, "lean") for place in places]
        parts = []
        for raw, program in zip(raws, programs):
            part = raw + ".proftext"
            p.run([p.profdata(release), "merge", f"--debug-info={program}", raw, "--text", "-o", part])
            parts.append(part)
        whole = p.run([p.profdata(release), "merge", *parts, "--text", "-o", "-"])
        lists = [[f"--debug-info={program}" for program in programs],
                 ["--correlate=debug-info", *[f"--debug-file-directory={place}" for place in places]]]
        for options in lists:
            ours = p.anyprof("merge", *options, *raws, "--text", "-o", "-")
            report.same(f"clang {release}: {' '.join(options)}", records(ours.out), records(whole.out))
        identity = p.run(["llvm-readelf-22", "-n", programs[0]]).out.decode().split("Build ID: ")[1].split()[0]
        debug = os.path.join(work, f"debug{release}", ".build-id", identity[:2])
        os.makedirs(debug)
        shutil.copy(programs[0], os.path.join(debug, identity[2:] + ".debug"))
        command = ["merge", "--correlate=debug-info", f"--debug-file-directory={os.path.join(work, f'debug{release}')}",
                   raws[0], "--text", "-o", "-"]
        if release == SHOW:
            same_output(f"clang {release}: by build id", p.anyprof(*command), p.run([REFERENCE, *command]))
        wrong = p.anyprof("merge", f"--debug-info={programs[1]}", raws[0], "-o", os.path.join(work, "wrong"))
        report.check(f"clang {release}: the program of another build",
                     wrong.code == 1 and b"another build" in wrong.err, wrong.errors())


def main():
    p.need("correlate")
    if not REFERENCE or not shutil.which("ld.lld-22"):
        p.skip("llvm-profdata 22 or lld 22 is not installed")
    with p.work_directory() as work:
        jobs = []
        for release in RELEASES:
            if not shutil.which(f"clang++-{release}") or not p.profdata(release):
                report.skip(f"clang {release}", "it is not installed")
                continue
            jobs += [(compare, release, v, work) for v in variants(release) if release >= v.since]
        # compare_build_ids reads what is built for these.
        always = [job for job in jobs if job[1] >= 19 and job[2].name in ("IR", "IR, packed")]
        others = _share.pick([job for job in jobs if job not in always], lambda job: str(job[1]))
        jobs = [job for job in jobs if job in always or job in others]
        report.floor = _share.least(report.floor, others)
        with concurrent.futures.ThreadPoolExecutor(p.THREADS) as pool:
            directories = list(pool.map(guarded, jobs))
            for kind in ("debug-info", "binary"):
                list(pool.map(guarded, [(compare_foreign, *f, kind, work) for f in FOREIGN]))
            more = [(compare_library, r, kind, work) for r in (19, 22) for kind in ("debug-info", "binary")]
            more += [(compare_split, r, dwarf, work) for r in (16, 22) for dwarf in (4, 5)]
            list(pool.map(guarded, [m for m in more if p.profdata(m[1]) and shutil.which(f"clang++-{m[1]}")]))
        compare_usage(work)
        compare_build_ids(directories, work)
    report.finish()


main()
