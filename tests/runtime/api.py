#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that programs call: the same objects with compiler-rt's runtime and ours do the same calls, and print
and write the same. Where ours does something else on purpose, the test says what and why.

And their symbols: each of compiler-rt's is defined by ours, hidden, or called by no program."""

import os
import re
import subprocess

import _lib
from _lib import ANYPROF, OURS, run

FE, IR = ["-fprofile-instr-generate"], ["-O1", "-fprofile-generate"]
RELOCATED = ["-mllvm", "-runtime-counter-relocation"]
UNREADABLE, EMPTY = "unreadable", "empty"


class Calls:
    """A case: the calls, and the environment they are made in. then: what ours leaves behind (files and how often
    step() ran, as counts() has it), where that is not what compiler-rt leaves. {}: the directory. `modes`: of what it
    is true."""

    def __init__(self, name, calls, ours=None, why="", modes=("FE", "IR"), since=13, until=99, file="{}/a.profraw",
                 before=(), prints=None, own=False, options=(), environment=None):
        self.name, self.calls, self.ours, self.why, self.modes = name, calls.split(), ours, why, modes
        self.releases, self.file, self.before, self.own = range(since, until + 1), file, before, own
        self.prints, self.options, self.environment = prints, list(options), environment or {}
        if (ours or prints) and not why:
            raise ValueError(name)

    def __str__(self):
        return self.name


TWICE = "P4: what was written before is replaced, and counters are not changed"
NO_EMPTY = "P6: no empty file at the start"
REBASED = "P9: the targets of all runs keep their names; parity_images.py compares them"
VALUES = "value data is in buffers, so that they can be read"
A = "a.profraw"
ALL = [
    Calls("exit", "step=5 atexit atexit"),
    Calls("write, exit", "step=5 write", {A: 5}, TWICE),
    Calls("write, more, exit", "step=5 write step=2", {A: 7}, TWICE),
    Calls("dump, more, exit", "step=5 dump step=2"),
    Calls("dump, write", "step=5 dump step=2 write"),
    Calls("set_dumped", "step=5 dumped", {}, NO_EMPTY),
    Calls("set_dumped, write", "step=5 dumped write", {}, NO_EMPTY),
    Calls("reset", "step=5 reset step=2"),
    Calls("write, reset", "step=5 write reset step=2"),
    Calls("dump, reset", "step=5 dump reset step=2"),
    Calls("_exit", "step=5 leave", {}, NO_EMPTY),
    Calls("write, _exit", "step=5 write step=1 leave"),
    Calls("set_filename", "set={}/b.profraw name step=5", {"b.profraw": 5}, NO_EMPTY),
    Calls("set_filename, write, set_filename", "step=5 write set={}/b.profraw step=1 write leave"),
    Calls("set_filename: NULL", "set= step=5", {"default.profraw": 5}, NO_EMPTY),
    Calls("set_filename: beats the environment", "set={}/b.profraw initialize_file name step=5", {"b.profraw": 5},
          NO_EMPTY),
    Calls("set_filename: new directory", "set={}/new/b.profraw step=5 write leave", {"new/b.profraw": 5},
          "P6: directories are made whenever a file is written", prints="write 0\n"),
    Calls("get_filename", "name step=1"),
    Calls("get_filename: pool", "name step=1", file="{}/x/%m.profraw"),
    Calls("get_filename: relative", "name step=1", None, "P6: names are absolute from the start", file="a.profraw",
          prints="name {}/a.profraw prefix {}/\n"),
    Calls("pool, write, exit", "step=5 write step=1", {"0.profraw": 6}, TWICE, file="{}/%m.profraw"),
    Calls("pool, three runs", "step=5", file="{}/%m.profraw", before=["step=5", "step=5"], modes=["FE"]),
    Calls("pool, three runs with values", "step=5", {"0.profraw": 15}, REBASED, file="{}/%m.profraw",
          before=["step=5", "step=5"], modes=["IR"]),
    Calls("pool, reset", "step=5 write reset step=2", file="{}/%m.profraw"),
    Calls("pool, dump", "step=5 dump step=2", file="{}/%m.profraw", before=["step=1"], modes=["FE"]),
    Calls("pool, dump with values", "step=5 dump step=2", {"0.profraw": 6}, REBASED, file="{}/%m.profraw",
          before=["step=1"], modes=["IR"]),
    Calls("directories", "mode=0700 mkdir={}/new/deep/file mode=0755"),
    Calls("set_file_object", "step=5 object={}/b.profraw", {"b.profraw": 5}, NO_EMPTY),
    Calls("set_file_object: merging", "step=5 merged={}/b.profraw", {"b.profraw": 8}, NO_EMPTY,
          before=["set={}/b.profraw step=3"]),
    Calls("set_file_object: continuous", "step=5 merged={}/b step=3", {A: 5, "b": 6},
          "compiler-rt's new file also has what is counted in the old one", file="{}/%ca.profraw", options=RELOCATED,
          before=["step=1 merged={}/b step=3"], modes=["FE"], prints="object 0\n"),
    Calls("set_file_object: continuous, by pages", "step=5 merged={}/b step=3", {A: 5, "b": 6},
          "compiler-rt counts in no file that is mapped over the counters", file="{}/%ca.profraw",
          options=["-Wl,-u,apf_rt_live"], before=["step=1 merged={}/b step=3"], modes=["FE"], prints="object 0\n"),
    Calls("set_file_object: continuous, not merging", "step=5 object={}/b", {A: 5, "b": "empty"}, NO_EMPTY,
          file="{}/%ca.profraw", options=RELOCATED, modes=["FE"], prints="object 1\n"),
    Calls("set_file_object: continuous, another's", "step=5 merged={}/b step=3", {A: 8, "b": "unreadable"}, NO_EMPTY,
          file="{}/%ca.profraw", options=RELOCATED, before=["open={}/b"], modes=["FE"], prints="object 1\n"),
    Calls("buffer", "step=5 buffer={}/b check", modes=["FE"]),
    Calls("buffer with values", "step=5 buffer={}/b check", {A: 5, "b": 5}, VALUES, modes=["IR"]),
    Calls("check_compatibility: short", "step=5 buffer={}/b cut=64 check merge", {A: 5, "b": 5},
          "compiler-rt's 13 says it is compatible, and all of them merge what is past the end",
          prints="check 1\nmerge 1\n"),
    Calls("check_compatibility: magic", "step=5 buffer={}/b break=7 check", {A: 5, "b": 5}, VALUES),
    Calls("check_compatibility: version", "step=5 buffer={}/b break=8 check", {A: 5, "b": 5}, VALUES),
    Calls("check_compatibility: number of records", "step=5 buffer={}/b break=24 check", {A: 5, "b": 5}, VALUES,
          prints="check 1\n"),
    Calls("merge_from_buffer", "step=5 buffer={}/b merge step=1", modes=["FE"]),
    Calls("merge_from_buffer with values", "step=5 buffer={}/b merge step=1", {A: 11, "b": 5}, VALUES, modes=["IR"]),
    Calls("merge_from_buffer: broken", "step=5 buffer={}/b break=0 merge", {A: 5, "b": 5},
          "compiler-rt leaves it to the caller to check", prints="merge 1\n"),
    Calls("parts", "step=5 parts save={}/b check", modes=["FE"]),
    Calls("parts with value sites", "step=5 parts save={}/b check", {A: 5, "b": 5}, VALUES, modes=["IR"]),
    Calls("bounds", "bounds"),
    Calls("continuous", "continuous", since=18),
    Calls("values of no record", "values step=5"),
    Calls("set_num_value_sites", "step=5 sites=2", modes=["FE"]),
    Calls("set_num_value_sites: many", "step=5 sites=300", modes=["FE"]),
    Calls("set_num_value_sites: fewer", "step=5 sites=3 sites=2", modes=["FE"]),
    Calls("set_num_value_sites: more", "step=5 sites=2 sites=9000", {A: 5}, "compiler-rt writes past its lists",
          modes=["FE"]),
    Calls("set_num_value_sites: more than compilers reserve", "step=5 sites=9000", {A: 5},
          "compiler-rt writes past the reserved lists", modes=["IR"]),
    Calls("set_num_value_sites after a write", "step=5 write sites=9000 step=1 buffer={}/b", {A: 6, "b": 6}, TWICE,
          modes=["FE"]),
    Calls("set_num_value_sites, write_buffer", "step=5 sites=2 buffer={}/b", {A: 5, "b": 5}, VALUES, modes=["FE"]),
    Calls("lprofMergeValueProfData", "step=5 sites=2 merge_values", modes=["FE"]),
    Calls("lprofMergeValueProfData: other numbers of sites", "step=5 sites=3 merge_values", {A: 5},
          "compiler-rt counts at the sites that there are", modes=["FE"]),
    Calls("lprofOpenFileEx", "open={}/b open={}/b open={}/none/b"),
    Calls("SetMaxValsPerSite", "most=2 step=20", modes=["IR"]),
    Calls("LLVM_VP_MAX_NUM_VALS_PER_SITE", "step=20", modes=["IR"],
          environment={"LLVM_VP_MAX_NUM_VALS_PER_SITE": "1"}),
    Calls("LLVM_VP_MAX_NUM_VALS_PER_SITE: negative", "step=20", modes=["IR"],
          environment={"LLVM_VP_MAX_NUM_VALS_PER_SITE": "-1"}),
    Calls("offload", "step=5 offload=amdgcn", {A: 5, "amdgcn.a.profraw": 5},
          "22 writes the names where those of vtables belong, and no value data", since=22),
    Calls("order", "order", until=19, options=["-O1", "-forder-file-instrumentation"], modes=["FE"]),
    Calls("order: none", "order step=5", {A: 5}, "where there is none, no empty file", until=19, modes=["FE"]),
    Calls("own runtime", "step=5", own=True),
    Calls("own runtime, initialize", "initialize step=5", own=True),
    Calls("own runtime, write", "step=5 write", own=True),
    Calls("own runtime, file, write", "step=5 initialize_file write", own=True),
    Calls("own runtime, file, atexit", "initialize_file atexit step=5", own=True),
    Calls("own runtime, set, atexit", "set={}/b.profraw atexit step=5", own=True),
    Calls("own runtime, atexit", "atexit step=5", own=True),
]

# The other functions that compiler-rt defines, and why programs do not need them.
ELSEWHERE = [
    (r"llvm_gcov_init|llvm_gcda_.*|llvm_(delete|register)_.*|llvm_reset_counters|llvm_writeout_files|__gcov_.*|"
     r"(reset|writeout)_fn_list", "of --coverage: its object wants nothing that ours lacks"),
    (r"__llvm_profile_(filename|raw_version)", "compilers define them; alone in their objects, for those that do not"),
    (r"__llvm_profile_(counter|bitmap)_bias(_default)?", "compilers define them; ours are weak references"),
    (r"lprof(Buffer.*|CreateBufferIO.*|DeleteBufferIO|WriteData.*|WriteOneBinaryId|GetVPDataReader|ValueProfNodes|"
     r"SetupValueProfiler|GetLoadModuleSignature|(Set)?ProfileDumped|DirMode|"
     r"Find(First|Last)DirSeparator|GetFileContentBuffer|ReleaseBuffer|GetHostName|(Unl|L)ockFileHandle|"
     r"ReleaseMemoryPagesToOS|(Restore|Suspend)SigKill|RuntimeCounterRelocation)", "internal"),
    (r"CurrentVNode|EndVNode|DynamicBufferIOBuffer|FreeHook|VPBufferSize|VPMaxNumValsPerSite|VPMergeHook|"
     r"InstProf\w+|InstrProf\w+|(get(First)?|serialize)ValueProf(?!RecordValueData$)\w+|initBufferWriter", "internal"),
]
# Hidden in compiler-rt's as in ours, but for this one.
NOT_HIDDEN = ["__llvm_write_custom_profile"]


class Program:
    """api.c of a release and a mode, linked with one runtime."""

    def __init__(self, shop, clang, mode, own, options, ours):
        flags = FE if mode == "FE" else IR
        source = shop.compile(clang, "api.c", [*flags, *options, *(["-DOWN_RUNTIME"] if own else [])])
        self.path = shop.path("api")
        form = ["-pie"] if clang.number == 13 else []
        links = [option for option in options if option.startswith("-Wl,")]
        _lib.must([clang.path, *form, flags[-1], *links, source, *(OURS if ours else []), "-o", self.path])


def record(path):
    """How often step() ran, and its values, in a profile."""
    if os.path.getsize(path) == 0:
        return EMPTY
    if not path.endswith(".order"):
        result = run([ANYPROF, "merge", "--text", path, "-o", "-"])
        if result.returncode:
            return UNREADABLE
        found = [function for function in _lib.functions(result.stdout) if function.name == "step"]
        return found[0][2:] if found else "no step"
    with open(path, "rb") as file:
        return file.read().rstrip(b"\0")  # compiler-rt writes half of the buffer, ours all of it


class Left:
    """The output and the files of a run."""

    def __init__(self, calls, program, directory):
        os.mkdir(directory)
        for words in [*(w.split() for w in calls.before), calls.calls]:
            result = run([program.path, *(w.replace("{}", directory) for w in words)], directory,
                         calls.file.replace("{}", directory), **calls.environment)
        self.code, self.printed = result.returncode, result.stdout.replace(directory, "{}")
        self.files, self.directories = {}, {}
        for root, directories, names in os.walk(directory):
            for name in names:
                path = os.path.join(root, name)
                self.files[os.path.relpath(path, directory)] = record(path)
            for name in directories:
                path = os.path.join(root, name)
                self.directories[os.path.relpath(path, directory)] = oct(os.stat(path).st_mode)


def counts(left):
    """Files, and how often step() ran."""
    found = {}
    for name, what in left.files.items():
        name = re.sub(r"\d{6,}_", "", name)
        found[name] = what[0][0] if isinstance(what, tuple) else what
    return found


def check(case, shop, checks, programs):
    clang, mode, calls = case
    what = "%s %s %s" % (clang, mode, calls)
    left = []
    for ours in (False, True):
        program = programs(clang, mode, calls.own, tuple(calls.options), ours)
        left.append(Left(calls, program, shop.path("out")))
    theirs, ours = left
    checks.equal(ours.code, 0, what + ": exit code")
    if calls.prints:
        checks.that(ours.printed.endswith(calls.prints), what + ": prints", ours.printed)
    else:
        checks.equal(ours.printed, theirs.printed, what + ": prints")
    if calls.ours is not None:
        broken = [name for name in calls.ours if "break" in " ".join(calls.calls) and name == "b"]
        mine = {name: n for name, n in counts(ours).items() if name not in broken}
        checks.equal(mine, {name: n for name, n in calls.ours.items() if name not in broken}, what + ": files of ours")
    else:
        checks.equal(ours.files, theirs.files, what + ": files")
        checks.equal(ours.directories, theirs.directories, what + ": directories")


def check_streams(clang, shop, checks, programs):
    """Processes that merge into the same file at the same time wait for each other."""
    for options, name in (((), "a%p.profraw"), (tuple(RELOCATED), "%ca%p.profraw")):
        program, directory = programs(clang, "FE", False, options, True), os.path.dirname(shop.path("here"))
        raw = os.path.join(directory, "b")
        environment = {"LLVM_PROFILE_FILE": os.path.join(directory, name)}
        with open(raw, "wb"):
            pass
        started = [subprocess.Popen([program.path, "merged=" + raw, "step=2"], env=environment,
                                    stdout=subprocess.DEVNULL) for _ in range(40)]
        for process in started:
            process.wait(_lib.TIMEOUT)
        found = record(raw)
        checks.equal(found[0][0] if isinstance(found, tuple) else found, 80, "%s: 40 processes, %s" % (clang, name))


# --- symbols -------------------------------------------------------------------------------------------------------


def symbols(archive):
    """The global ones that it defines, and their visibility."""
    found = {}
    for line in _lib.must(["readelf", "-sW", archive]).split("\n"):
        words = line.split()
        if len(words) == 8 and words[4] in ("GLOBAL", "WEAK") and words[6] != "UND":
            found[words[7]] = words[5]
    return found


def check_symbols(clangs, checks):
    ours = symbols(_lib.RUNTIME)
    for clang in clangs:
        theirs = symbols(clang.runtime())
        checks.that("__llvm_profile_write_file" in theirs, "%s: its archive has no symbols" % clang)
        for name in theirs:
            elsewhere = any(re.fullmatch(pattern, name) for pattern, _ in ELSEWHERE)
            checks.that((name in ours) != elsewhere, "%s: %s is in ours, or in the list" % (clang, name))
    for name, visibility in ours.items():
        want = "DEFAULT" if name in NOT_HIDDEN else "HIDDEN"
        checks.equal(visibility, want, "visibility of %s" % name)


def check_alone(clang, shop, checks):
    """All is called, and nothing of compiler-rt's archive, which the driver puts after ours, is linked."""
    for mode in ("FE", "IR"):
        path = Program(shop, clang, mode, False, [], True).path
        names = _lib.must(["nm", path]).split()
        checks.that("lprofWriteData" not in names and "lprofBufferIOWrite" not in names, "%s %s: both" % (clang, mode))
        checks.that("apf_rt_write" in names or "aprt_write_profile" in names, "%s %s: not ours" % (clang, mode))


def main():
    checks, shop, clangs = _lib.Checks(), _lib.Workshop(), _lib.clangs()
    made = {}

    def programs(*key):
        with shop.lock:
            found = made.get(key)
        if not found:
            found = made[key] = Program(shop, *key)
        return found

    cases = [(c, m, calls) for calls in ALL for c in clangs for m in calls.modes if c.number in calls.releases]
    checks.each(cases, lambda case: check(case, shop, checks, programs))
    checks.each(clangs, lambda clang: check_streams(clang, shop, checks, programs))
    checks.each(clangs, lambda clang: check_alone(clang, shop, checks))
    check_symbols(clangs, checks)
    checks.finish("%d sequences of calls, by programs of %s" % (len(ALL), ", ".join(map(str, clangs))))


if __name__ == "__main__":
    main()
