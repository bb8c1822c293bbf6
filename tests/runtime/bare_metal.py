# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The freestanding core: its sources compile for small processors, it is small, and programs of every clang that run
on an emulated Cortex-M3 write profiles with the exact counts. What examples/bare_metal/build.sh says works."""

import concurrent.futures
import itertools
import os
import re
import shutil
import sys

import _bare
from _bare import ANYPROF, BUILD, CORTEX_M3, EXAMPLE, PROGRAMS, RELEASES, SMALL, check, run

WORK = os.path.join(BUILD, "tests", "bare_metal")
SCRIPT = os.path.join(EXAMPLE, "mps2_an385.ld")
FOLDED = os.path.join(PROGRAMS, "bare_folded.ld")
NOLOAD = os.path.join(PROGRAMS, "bare_noload.ld")
LARGEST = 3072  # bytes of the core without value profiling
UPSTREAM = "4.9 KiB of text and 8.5 KiB of bss"  # compiler-rt 22's, -Os, without its value profiling
FRONT = ["-fprofile-instr-generate"]
COVERAGE = FRONT + ["-fcoverage-mapping"]
IR = ["-fprofile-generate"]

# mode: (flags, first release)
MODES = {
    "front": (FRONT, 13),
    "coverage": (COVERAGE, 13),
    "ir": (IR, 13),
    "entry": (IR + ["-mllvm", "-pgo-function-entry-coverage"], 14),
    "bytes": (COVERAGE + ["-mllvm", "-enable-single-byte-coverage=true"], 19),
    "mcdc": (COVERAGE + ["-fcoverage-mcdc"], 19),
    "temporal": (IR + ["-mllvm", "-pgo-temporal-instrumentation"], 19),
}
TRACE = "counted apply twice copy negative same decide"

TARGETS = [
    # flags of clang-22; what the compiler may call beside memcpy and memset
    (CORTEX_M3, r"__aeabi_mem(clr|cpy|set)[48]?"),
    (["--target=thumbv6m-none-eabi", "-mcpu=cortex-m0"], r"__aeabi_(mem(clr|cpy|set)[48]?|uidiv)|__clzsi2"),
    (["--target=riscv32-unknown-elf", "-march=rv32imac", "-mabi=ilp32"], r"no other"),
    (["--target=riscv64-unknown-elf", "-march=rv64imac", "-mabi=lp64", "-mcmodel=medany"], r"no other"),
]
SECTIONS = "data cnts bits names vtab vns vnds".split()
FROM_LINKER = ["__%s___llvm_prf_%s" % (side, s) for side in ("start", "stop") for s in SECTIONS]
FROM_ELSEWHERE = FROM_LINKER + ["__ehdr_start", "_DYNAMIC", "__llvm_profile_raw_version", "aprt_memory_permanent",
                                "memcpy", "memset"]


def expected(mode, release):
    """{function: (counters, bitmap, values)} of one run of counted()."""
    entries = {"apply": [10], "copy": [10], "twice": [6], "negative": [3], "same": [1]}
    found = {"bare_counted.c:" + name: (counters, [], {}) for name, counters in entries.items()}
    found.update({"other": ([0], [], {}), "uncommon": ([0], [], {})})
    if mode in ("entry", "bytes"):
        found = {name: ([min(c[0], 1)], [], {}) for name, (c, _, _) in found.items()}
    if mode in ("front", "coverage", "mcdc"):
        found["counted"] = ([1, 10, 6, 3, 6, 3], [], {})
        # (a && b) || c: of its tests TT-, TFF, F-F and F-T the bits 0, 1, 2 and 4.
        found["decide"] = ([4, 2, 3, 2, 2, 1], [0x17] if mode == "mcdc" else [], {})
    elif mode == "entry":
        found.update({"counted": ([1], [], {}), "decide": ([1], [], {})})
    elif mode == "bytes":
        found["counted"] = ([1] * 7 + [0] + [1] * 5 + [0] + [1] * 3, [], {})
        found["decide"] = ([1] * 7, [], {})
    else:
        of = "bare_counted.c:"
        targets = [(of + "negative", 3), (of + "same", 1), (of + "twice", 6)]
        found[of + "apply"] = ([10], [], {0: [targets]})
        # Of sizes the class: 17 to 31, 33 to 63.
        found[of + "copy"] = ([10], [], {1: [[("17", 3), ("3", 6), ("33", 1)]]})
        found["counted"] = ([10, 1, 1, 6, 1, 6], [], {})
        found["decide"] = ([4, 2, 1] if release == 13 else [4], [], {})
    return found


def met(found):
    """Without the values that were not met again after a reset."""
    return {name: (counters, bitmap, {kind: [[v for v in site if v[1]] for site in sites]
                                      for kind, sites in values.items()})
            for name, (counters, bitmap, values) in found.items()}


# --- without an emulator ---------------------------------------------------------------------------------------------

def test_list_of_parts():
    with open(os.path.join(EXAMPLE, "build.sh")) as f:
        listed = re.search(r"^core=\(([^)]*)\)", f.read(), re.M).group(1).split()
    check(sorted("rt_%s.c" % part for part in listed) == _bare.core_parts(), "build.sh has the parts CMake has")


def undefined(objects):
    together = os.path.join(WORK, "together.o")
    run("ld.lld-22", "-r", *objects, "-o", together)
    return [line.split()[-1] for line in run("llvm-nm-22", "-u", together).splitlines() if line.split()[1:]]


def large_objects(objects):
    """[name] of what lies in memory and has more than 256 bytes."""
    lines = [line.split() for line in run("llvm-nm-22", "-S", *objects).splitlines()]
    return [line[3] for line in lines if len(line) == 4 and line[2].lower() in "bdrvg" and int(line[1], 16) > 256]


def pool_size(objects):
    text = run("llvm-size-22", "-A", *[o for o in objects if o.endswith("rt_values.o")])
    size = re.search(r"^__llvm_prf_vnds\s+(\d+)", text, re.M)
    return int(size.group(1)) if size else 0


def test_targets():
    for number, (flags, builtins) in enumerate(TARGETS):
        where = os.path.join(WORK, "target%d" % number)
        for variant in ([], ["-DANYPROF_RT_NO_ATOMICS", "-DANYPROF_RT_RAW_VERSION=10", "-DANYPROF_RT_NODES=0"]):
            objects = _bare.compile_core(where, "clang-22", *flags, *SMALL, *variant)
            for name in undefined(objects):
                check(name in FROM_ELSEWHERE or re.fullmatch(builtins, name), "%s wants %s" % (flags, name))
            nodes = 0 if variant else 1024
            check(pool_size(objects) == 24 * nodes, "%s: %d bytes of nodes" % (flags, pool_size(objects)))
            check(large_objects(objects) == (["spare_nodes"] if nodes else []), large_objects(objects))
    if not shutil.which("arm-none-eabi-gcc"):
        print("note: no arm-none-eabi-gcc, not compiled with it")
        return
    for cpu in ("cortex-m0", "cortex-m3"):
        flags = ["-mthumb", "-mcpu=" + cpu] + SMALL
        objects = _bare.compile_core(os.path.join(WORK, "gcc"), "arm-none-eabi-gcc", *[
            "-Os" if flag == "-Oz" else flag for flag in flags])
        check(large_objects(objects) == ["spare_nodes"], "gcc: %s" % large_objects(objects))


def size_of(name, *flags):
    """{section: bytes} of a program that does almost nothing."""
    where = os.path.join(WORK, "size")
    source = os.path.join(PROGRAMS, "bare_size.c")
    parts = _bare.compile_core(where, "clang-22", *CORTEX_M3, *SMALL)
    core = _bare.archive(os.path.join(where, "core.a"), parts)
    start = _bare.port_objects(where, "clang-22")
    main = _bare.compile_to(where, "clang-22", source, name, *CORTEX_M3, *SMALL, *flags)
    counted = _bare.compile_to(where, "clang-22", os.path.join(PROGRAMS, "bare_counted.c"), "counted", *CORTEX_M3,
                               *SMALL, "-fprofile-instr-generate")
    program = _bare.link("ld.lld-22", os.path.join(where, name), SCRIPT, main, counted, *start, core)
    sizes = re.findall(r"^(\S+)\s+(\d+)\s+\d+$", run("llvm-size-22", "-A", program), re.M)
    return {section: int(size) for section, size in sizes if section != "Total"}


def test_size():
    without, with_it = size_of("without"), size_of("with", "-DWRITE")
    for section in ("__llvm_prf_data", "__llvm_prf_cnts", "__llvm_prf_names"):
        check(with_it[section] == without[section] > 0, "the same program beside it: %s" % section)
    cost = {section: n - without.get(section, 0) for section, n in with_it.items() if n != without.get(section, 0)}
    check(set(cost) <= {".text", ".rodata", ".data", ".bss"}, "%s" % cost)
    total = sum(cost.values())
    check(0 < total < LARGEST, "the core takes %d bytes" % total)
    # As it is today; raise these with a reason.
    check(cost[".bss"] <= 16 and cost.get(".data", 0) == 0, "memory: %s" % cost)
    parts = ", ".join("%s %d" % item for item in sorted(cost.items()))
    print("size: %d bytes on a Cortex-M3 with clang-22 -Oz (%s); compiler-rt's: %s" % (total, parts, UPSTREAM))


# --- in an emulator --------------------------------------------------------------------------------------------------

class Release:
    """A release of clang, with all that its programs share."""

    def __init__(self, number):
        self.number, self.clang = number, "clang-%d" % number
        self.where = os.path.join(WORK, "clang-%d" % number)
        self.port = _bare.port_objects(self.where, self.clang)
        self.main = self.make_main("checks")
        self.core = self.make_core("core")

    def make_main(self, name, *flags):
        source = os.path.join(PROGRAMS, "bare_checks.c")
        return _bare.compile_to(self.where, self.clang, source, name, *CORTEX_M3, *SMALL, *flags)

    def make_core(self, name, *flags):
        parts = _bare.compile_core(os.path.join(self.where, name), self.clang, *CORTEX_M3, *SMALL, *flags)
        return _bare.archive(os.path.join(self.where, name + ".a"), parts)

    def run(self, name, flags, script, core=None, linker="ld.lld-22", main=None):
        """The directory with its profiles."""
        where = os.path.join(self.where, name)
        shutil.rmtree(where, ignore_errors=True)
        counted = _bare.compile_to(where, self.clang, os.path.join(PROGRAMS, "bare_counted.c"), "counted", *CORTEX_M3,
                                   *SMALL, *flags)
        program = os.path.join(where, "program.elf")
        _bare.link(linker, program, script, counted, main or self.main, *self.port, core or self.core)
        _bare.emulate(program, where)
        return where


def profile(where, name):
    return os.path.join(where, name + ".profraw")


def check_profiles(release, mode, where):
    want = expected(mode, release)
    what = "clang-%d %s: " % (release, mode)
    once = _bare.merged(release, profile(where, "once"))
    check(once == want, what + "%s, not %s" % (once, want))
    with open(profile(where, "once"), "rb") as f, open(profile(where, "buffer"), "rb") as g:
        check(f.read() == g.read(), what + "the buffer has the same bytes")
    # What was met between the two calls is counted, but has no room as a value.
    between = _bare.merged(release, profile(where, "between"))
    for name, (counters, bitmap, values) in want.items():
        if name in ("other", "uncommon") or name.endswith((":apply", ":copy")):
            counters = [1] if mode in ("entry", "bytes") else [counters[0] + 1]
        check(between[name] == (counters, bitmap, values), what + "between: %s %s" % (name, between[name]))
    reset = _bare.merged(release, profile(where, "reset"))
    check(sorted(reset) == sorted(want), what + "reset: %s" % reset)
    for name, (counters, bitmap, values) in reset.items():
        check(not any(counters) and not any(bitmap), what + "reset: %s" % name)
        check(not any(v[1] for sites in values.values() for site in sites for v in site), what + "reset: %s" % name)
        check(len(counters) == len(want[name][0]), what + "reset: %s" % name)
    again = _bare.merged(release, profile(where, "again"))
    check(met(again) == want, what + "again: %s" % again)
    if mode == "temporal":
        for name in ("once", "again"):
            text = run("llvm-profdata-%d" % release, "merge", "--text", "-o", "-", profile(where, name))
            trace = text.split("# Weight:\n", 1)[1].split("\n")[1].rstrip(",").replace("bare_counted.c;", "")
            check(trace.split(",") == TRACE.split(), what + trace)


def test_release(number):
    release = Release(number)
    for mode, (flags, first) in MODES.items():
        if number < first:
            continue
        where = release.run(mode, flags, SCRIPT)
        check_profiles(number, mode, where)
        constructors = re.search(r"^\.init_array\s+(\d+)", run("llvm-size-22", "-A", where + "/program.elf"), re.M)
        check(int(constructors.group(1)) == (4 if number <= 16 else 0), "clang-%d: constructors" % number)
        if mode in ("front", "ir", "mcdc"):
            check_profiles(number, mode, release.run(mode + "-folded", flags, FOLDED))
    # Without spare nodes there are those of the compiler, if it makes any.
    where = release.run("no-nodes", IR, SCRIPT, release.make_core("no-nodes", "-DANYPROF_RT_NODES=0"))
    once = _bare.merged(number, profile(where, "once"))
    check(once["counted"] == expected("ir", number)["counted"], "no nodes: %s" % once)
    values = once["bare_counted.c:apply"][2].get(0, [])
    check(any(values) == (number >= 19), "no nodes: %s" % values)
    # Three nodes: the lists of apply, those of copy, one value.
    where = release.run("few-nodes", IR, SCRIPT, release.make_core("few-nodes", "-DANYPROF_RT_NODES=3"))
    values = _bare.merged(number, profile(where, "once"))["bare_counted.c:apply"][2].get(0, [])
    if number <= 16:
        check(values == [[("bare_counted.c:twice", 6)]], "few nodes: %s" % values)
    plain = release.make_core("plain", "-DANYPROF_RT_NO_ATOMICS")
    check_profiles(number, "ir", release.run("plain", IR, SCRIPT, plain))


def test_pinned():
    """The core of one raw version reads that one and refuses others."""
    release = Release(22)
    core = release.make_core("pinned", "-DANYPROF_RT_RAW_VERSION=10")
    check_profiles(22, "ir", release.run("pinned", IR, SCRIPT, core))
    wrong = release.make_core("wrong", "-DANYPROF_RT_RAW_VERSION=8")
    try:
        release.run("wrong", FRONT, SCRIPT, wrong)
    except SystemExit as error:
        # 11: apf_rt_size is 0 and apf_rt_write refuses.
        check(": 11\n" in str(error), "%s" % error)
    else:
        check(False, "records of version 10 are not of version 8")


def test_refused():
    """Nothing is written where the script hides the sections, or the objects say they are of another version."""
    clang, where = "clang-22", os.path.join(WORK, "refused")
    core = _bare.archive(where + ".a", _bare.compile_core(where, clang, *CORTEX_M3, *SMALL))
    port = _bare.port_objects(where, clang)
    with open(FOLDED) as f, open(where + ".ld", "w") as hidden:
        hidden.write(re.sub(r"__(start|stop)___llvm_prf_\w+ = \.;", "", f.read()))
    newer = ["-DSAYS=((uint64_t)1<<56|12)"]
    for script, flags, code in ((where + ".ld", [], -4), (SCRIPT, newer, -3), (SCRIPT, ["-DSAYS=8"], -2)):
        objects = [_bare.compile_to(where, clang, os.path.join(PROGRAMS, name + ".c"), name, *CORTEX_M3, *SMALL, *more)
                   for name, more in (("bare_counted", FRONT), ("bare_refused", flags + ["-DCODE=(%d)" % code]))]
        program = _bare.link("ld.lld-22", where + "/program.elf", script, *objects, *port, core)
        _bare.emulate(program, where)


def loaded(program, section):
    """The bytes of a section that lie in flash."""
    line = re.search(r"\s%s\s+(\w+)\s+\w+\s+\w+\s+(\w+)" % section, run("llvm-readelf-22", "-SW", program))
    return 0 if line.group(1) == "NOBITS" else int(line.group(2), 16)


def test_without_copies():
    """Checks what runtime_bare_metal.md says about flash; records are not written to from 17 on."""
    for number in RELEASES:
        if number < 17:
            continue
        release = Release(number)
        main = release.make_main("resets", "-DRESET_FIRST")
        for mode in ("front", "ir", "bytes", "mcdc"):
            where = release.run("noload-" + mode, MODES[mode][0], NOLOAD, main=main)
            check_profiles(number, mode, where)
            program = os.path.join(where, "program.elf")
            for section, some in (("__llvm_prf_cnts", False), ("__llvm_prf_data", True)):
                check((loaded(program, section) > 0) == some, "%s in flash" % section)


def test_gnu_linker():
    if not shutil.which("arm-none-eabi-ld"):
        print("note: no arm-none-eabi-ld, not linked with it")
        return
    release = Release(22)
    for script, mode in itertools.product((SCRIPT, FOLDED), ("front", "ir", "mcdc")):
        where = release.run("gnu-" + mode, MODES[mode][0], script, linker="arm-none-eabi-ld")
        check_profiles(22, mode, where)


def test_example():
    where = os.path.join(WORK, "example")
    shutil.rmtree(where, ignore_errors=True)
    run(os.path.join(EXAMPLE, "build.sh"), where)
    found = _bare.merged(22, profile(where, "bare_metal"))
    want = {"run_filter": ([1, 10], [], {}), "bare_program.c:smooth": ([10], [], {}),
            "bare_program.c:alarm": ([10, 7, 8, 5, 1], [], {})}
    check(found == want, "the example: %s" % found)


def main():
    missing = [tool for tool in ("clang-22", "ld.lld-22", "llvm-ar-22", "llvm-nm-22", "llvm-size-22")
               if not shutil.which(tool)]
    if missing or not os.path.exists(ANYPROF):
        print("skipped: no %s" % " ".join(missing or ["anyprof"]))
        return 77
    test_list_of_parts()
    test_targets()
    test_size()
    if not shutil.which("qemu-system-arm"):
        print("skipped: no qemu-system-arm; compiled and measured only, %d checks" % _bare.checks)
        return 77
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(test_release, RELEASES))
    test_pinned()
    test_refused()
    test_without_copies()
    test_gnu_linker()
    test_example()
    print("bare metal: %d checks, clang %s" % (_bare.checks, " ".join(str(r) for r in RELEASES)))
    return 0


sys.exit(main())
