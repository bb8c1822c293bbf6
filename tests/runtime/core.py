# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The freestanding core in programs of this system: the same profiles as with compiler-rt's runtime. What it needs of
others: nothing but memcpy, memset and what the linker defines."""

import os
import re
import shutil
import sys

import _bare
from _bare import ANYPROF, BUILD, PROGRAMS, RELEASES, SOURCE, check, run

WORK = os.path.join(BUILD, "tests", "core")
CORE = os.path.join(BUILD, "libanyprof_rt_core.a")
HOSTED = os.path.join(BUILD, "libanyprof_rt.a")
FRONT = ["-fprofile-instr-generate"]
IR = ["-fprofile-generate"]
MODES = {
    "front": (FRONT, 13),
    "coverage": (FRONT + ["-fcoverage-mapping"], 13),
    "ir": (IR, 13),
    "lists": (IR + ["-mllvm", "-vp-static-alloc=false"], 13),
    "entry": (IR + ["-mllvm", "-pgo-function-entry-coverage"], 14),
    "mcdc": (FRONT + ["-fcoverage-mapping", "-fcoverage-mcdc"], 19),
    "temporal": (IR + ["-mllvm", "-pgo-temporal-instrumentation"], 19),
}
ALLOWED = {"memcpy", "memset", "__ehdr_start", "_DYNAMIC", "__llvm_profile_raw_version", "_GLOBAL_OFFSET_TABLE_",
           "aprt_memory_permanent"}  # the last is weak: memory, which the core does without


def test_needs():
    symbols = [line.split() for line in run("nm", CORE).splitlines()]
    defined = {s[2] for s in symbols if len(s) == 3 and s[1] not in "Uw"}
    for kind, name in (s for s in symbols if len(s) == 2):
        section = re.fullmatch(r"__(start|stop)___llvm_prf_(data|cnts|bits|names|vtab|vns|vnds)", name)
        check(name in defined or name in ALLOWED or section, "the core needs %s" % name)
        check(name != "aprt_memory_permanent" or kind == "w", "aprt_memory_permanent is weak")
    check({"apf_rt_write", "apf_rt_size", "apf_rt_reset", "__llvm_profile_runtime"} <= defined, "%s" % defined)


def headers_of(source):
    """[<header>] that a source and the headers of ours that it includes want."""
    found, todo, seen = set(), [source], set()
    while todo:
        path = todo.pop()
        seen.add(path)
        with open(path) as f:
            for name in re.findall(r'^\s*#\s*include\s*([<"][^>"]*[>"])', f.read(), re.M):
                places = [os.path.join(SOURCE, d, name[1:-1]) for d in ("runtime", "src", "include")]
                ours = [place for place in places if os.path.exists(place)]
                if ours:
                    todo += [place for place in ours if place not in seen]
                else:
                    found.add(name)
    return found


def test_headers():
    for part in _bare.core_parts():
        found = headers_of(os.path.join(SOURCE, "runtime", part))
        check(found == {"<stddef.h>", "<stdint.h>"}, "%s includes %s" % (part, found))


def build(release, mode, flags):
    """One program with compiler-rt's runtime, one with the core."""
    clang, where = "clang-%d" % release, os.path.join(WORK, "%d-%s" % (release, mode))
    pie = ["-fPIE"]
    counted = _bare.compile_to(where, clang, os.path.join(PROGRAMS, "bare_counted.c"), "counted", "-O1", *pie, *flags)
    programs = []
    for name, more, runtime in (("theirs", [], flags[:1]), ("ours", ["-DCORE"], [CORE, "-Wl,--build-id=sha1"])):
        main = _bare.compile_to(where, clang, os.path.join(PROGRAMS, "core_host.c"), name, "-O1", *pie, *more)
        program = os.path.join(where, name)
        run(clang, "-pie", counted, main, *runtime, "-o", program)
        programs.append(program)
    return programs


def build_id(profile):
    ids = re.findall(r"^\s*([0-9a-f]{40})$", run(ANYPROF, "show", "--binary-ids", profile), re.M)
    return ids[0] if len(ids) == 1 else ids


def test_release(release):
    for mode, (flags, first) in MODES.items():
        if release < first:
            continue
        theirs, ours = build(release, mode, flags)
        os.environ["LLVM_PROFILE_FILE"] = theirs + ".profraw"
        run(theirs)
        os.environ["LLVM_PROFILE_FILE"] = "/dev/null"
        run(ours, ours + ".profraw")
        want, got = (_bare.merged(release, name + ".profraw") for name in (theirs, ours))
        check(want == got, "clang-%d %s: %s, not %s" % (release, mode, got, want))
        check(want["bare_counted.c:twice"][0] == [1 if mode == "entry" else 6], "%s" % want)
        if mode in ("ir", "lists"):
            check(len(want["bare_counted.c:apply"][2][0][0]) == 3, "%s" % want)
        # Version 7 has no place for ids that are not a multiple of 8 bytes long.
        note = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", ours)).group(1)
        check(build_id(ours + ".profraw") == ([] if release == 13 else note), "clang-%d: build id" % release)


def test_nodes_are_kept():
    """Only the linker's bounds refer to the spare nodes; lld drops what is not referred to."""
    if not shutil.which("ld.lld-22") or 22 not in RELEASES:
        print("note: no lld 22, its garbage collection is not tried")
        return
    build(22, "ir", IR)
    where = os.path.join(WORK, "22-ir")
    for library in (CORE, HOSTED):
        if not os.path.exists(library):
            continue
        program = os.path.join(where, "collected")
        run("clang-22", "--ld-path=ld.lld-22", "-Wl,--gc-sections", "-pie", *(os.path.join(where, o) for o in (
            "counted.o", "ours.o")), library, "-o", program)
        sizes = re.search(r"^__llvm_prf_vnds\s+(\d+)", run("size", "-A", program), re.M)
        check(int(sizes.group(1)) > 24 * 1024, "%s: %s" % (library, sizes.group(0)))
        run(program, program + ".profraw")
        check(len(_bare.merged(22, program + ".profraw")) == 9, "all functions")


def main():
    if not RELEASES or not os.path.exists(CORE):
        print("skipped: no %s" % ("clang with its llvm-profdata" if os.path.exists(CORE) else CORE))
        return 77
    test_needs()
    test_headers()
    for release in RELEASES:
        test_release(release)
    test_nodes_are_kept()
    print("core: %d checks, clang %s" % (_bare.checks, " ".join(str(r) for r in RELEASES)))
    return 0


sys.exit(main())
