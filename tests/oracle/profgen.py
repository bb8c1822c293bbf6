#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen` beside llvm-profgen-22 on branch stacks of real runs: the same profiles.

Programs of every clang from 16 on, with pseudo probes and without, run instruction by instruction under branch_trace,
which writes branch stacks. They are made into the text that llvm-profgen reads, and into perf.data, in which several
processes run the program at different addresses."""

import os
import random
import re
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _probes  # noqa: E402
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _perf import Recording  # noqa: E402

LIBRARY = 0x7ffff7c00000
VERSIONS = (16, 19, 22)
# c-no-g has probes without contexts; of these llvm-profgen leaves most functions out.
NAMES = ("c", "c-bfd", "c-sections-gc", "c-sections", "c-traps", "c-pie", "c-split", "c-discriminators", "cpp",
         "cpp-sections-gc", "cpp-bfd", "coroutines", "thin-lto")
OPTIONS = ([], ["--use-dwarf-correlation"], ["--load-function-from-symbol=0"], ["--format=binary"],
           ["--use-md5"], ["--format=text", "--use-dwarf-correlation", "--load-function-from-symbol=0"])
tally = _bolt.Tally()
check, count = tally.check, tally.count


class Built:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            data = f.read()
        self.movable = data[16] == 3
        self.segments, self.build_id = _segments(data), None


def _segments(data):
    """Of code: (address, bytes, offset), whole pages."""
    at, = struct.unpack_from("<Q", data, 32)
    size, n = struct.unpack_from("<HH", data, 54)
    found = []
    for i in range(n):
        kind, flags, offset, address, _, in_file, _, _ = struct.unpack_from("<IIQQQQQQ", data, at + i * size)
        if kind == 1 and flags & 1:
            pad = address % 4096
            found.append((address - pad, (in_file + pad + 4095) & ~4095, offset - pad))
    return found


def read_stacks(path):
    """Lists of (from, to, flag), as branch_trace has written them; 0 is outside."""
    stacks = []
    with open(path, encoding="ascii") as f:
        for line in f:
            entries = [entry.split("/")[:3] for entry in line.split()[1:]]
            stacks.append([(int(a, 16), int(b, 16), flag) for a, b, flag in entries])
    return [s for s in stacks if s]


def moved(stack, base):
    return [(a + base if a else LIBRARY + 64, b + base if b else LIBRARY, flag) for a, b, flag in stack]


def write_text(path, program, stacks, base):
    with open(path, "w", encoding="ascii") as f:
        for address, size, offset in program.segments:
            f.write("PERF_RECORD_MMAP2 4242/4242: [0x%x(0x%x) @ %s 08:01 77 0]: r-xp %s\n"
                    % (address + base, size, "0x%x" % offset if offset else "0", program.path))
        for stack in stacks:
            stack = moved(stack, base)
            f.write(" %x  %s\n" % (stack[0][1], "  ".join("0x%x/0x%x/%s/-/-/0/" % e for e in stack)))


def write_recording(path, program, stacks, chance):
    """Several processes, which run the program elsewhere each, in turns; one forks, one runs another program later."""
    recording, bases = Recording(), {}
    for pid in (100, 101, 102):
        bases[pid] = chance.randrange(0x550000000, 0x560000000) << 12 if program.movable else 0
        for address, size, offset in program.segments:
            recording.mmap(pid, address + bases[pid], size, offset, program.path)
        recording.mmap(pid, LIBRARY, 0x200000, 0x26000, "/usr/lib/libc.so.6")
    recording.fork(100, 103)
    bases[103] = bases[100]
    for stack in stacks:
        pid = chance.choice(list(bases))
        stack = moved(stack, bases[pid])
        recording.sample(pid, stack[0][1], stack)
    recording.execute(101, "other")
    recording.mmap(101, 0x400000, 0x100000, 0, "/usr/bin/other")
    recording.sample(101, 0x400100, [(0x400100, 0x400200, "P")])
    recording.write(path)


def both(program, words, where, format_, what):
    """Runs both tools; their outputs as bytes, None if a tool fails."""
    outputs = []
    for tool, name in ((["llvm-profgen-22"], "theirs"), ([ANYPROF, "profgen", "--quiet"], "ours")):
        out = os.path.join(where, name)
        if os.path.exists(out):
            os.remove(out)
        done = run([*tool, "--binary=" + program.path, "-o", out, *words] + format_)
        data = None
        if done.returncode == 0 and os.path.exists(out):
            with open(out, "rb") as f:
                data = f.read()
        elif name == "ours" and outputs[0] is not None:
            check(False, "%s: %s: %s" % (what, words, done.stderr[-300:]))
        outputs.append(data)
    return outputs


def without_dropped(text):
    """What llvm-profgen says of the address 1 is left out.

    It stands for all that is outside, but llvm-profgen also looks it up in debug information, which has functions that
    the linker has dropped at 0: then main seems to be called from there. docs/differences.md.
    """
    kept, dropped = [], False
    text = re.sub(rb"^( .*) (?:main|15822663052811949562):[0-9]+$", rb"\1", text, flags=re.M)
    for line in text.splitlines(keepends=True):
        if not line.startswith(b" "):
            dropped = line.startswith((b"dead:0:0", b"3241596039377620725:0:0"))
        if not dropped:
            kept.append(line)
    return b"".join(kept)


def first_difference(a, b):
    a, b = a.splitlines(), b.splitlines()
    at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
    return "line %d: llvm-profgen has %s, anyprof %s" % (at + 1, a[at:at + 2], b[at:at + 2])


def as_text(path, where):
    """What llvm-profdata-22 reads of a profile."""
    done = run(["llvm-profdata-22", "merge", "--sample", "--text", path, "-o", os.path.join(where, "read")])
    if done.returncode != 0:
        return None
    with open(os.path.join(where, "read"), "rb") as f:
        return f.read()


def check_script(program, text, where, what):
    theirs, ours = both(program, ["--perfscript=" + text, "--skip-symbolization"], where, [], what)
    check(theirs == ours, "%s: unsymbolized: %s" % (what, first_difference(theirs or b"", ours or b"")))
    count("unsymbolized")
    raw = os.path.join(where, "raw")
    with open(raw, "wb") as f:
        f.write(theirs)
    for options in OPTIONS:
        format_ = [] if any("format" in o or "md5" in o for o in options) else ["--format=text"]
        theirs, ours = both(program, ["--perfscript=" + text, *options], where, format_, what)
        if theirs is None:
            count("refused by llvm-profgen")
            continue
        count("profiles")
        count("bytes", len(theirs))
        theirs = without_dropped(theirs) if format_ or "--format=text" in options else theirs
        if format_ or "--format=text" in options:
            check(theirs == ours, "%s %s: %s" % (what, options, first_difference(theirs, ours or b"")))
            check(both(program, ["--unsymbolized-profile=" + raw, *options], where, format_, what)[1] == ours,
                  "%s %s: of unsymbolized counts" % (what, options))
        else:
            read = [as_text(os.path.join(where, name), where) for name in ("theirs", "ours")]
            read[0] = read[0] and without_dropped(read[0])
            check(read[0] == read[1], "%s %s: read back: %s"
                  % (what, options, first_difference(read[0] or b"", read[1] or b"")))


def check_recording(program, data, text, where, what):
    """perf.data gives the profile that the text of one process gives."""
    profiles = []
    for source in ("--perfscript=" + text, "--perfdata=" + data):
        out = os.path.join(where, "ours")
        done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, source, "--format=text", "-o", out])
        check(done.returncode == 0, "%s: %s: %s" % (what, source, done.stderr[-300:]))
        with open(out, "rb") as f:
            profiles.append(f.read())
    check(profiles[0] == profiles[1], "%s: perf.data: %s" % (what, first_difference(*profiles)))
    count("recordings")


def check_program(path, where, what, seed):
    program, traced, chance = Built(path), os.path.join(where, "traced"), random.Random(seed)
    done = run([_bolt.TRACER, "-P", traced, "-d", "32", "-n", "11", "--", path, *["x"] * 40])
    stacks = read_stacks(traced)
    if len(stacks) < 20:
        check(False, "%s: %d stacks (exit %d: %s)" % (what, len(stacks), done.returncode, done.stderr[-200:]))
        return
    count("programs")
    count("stacks", len(stacks))
    base = 0x555555000000 if program.movable else 0
    text, data = os.path.join(where, "text"), os.path.join(where, "perf.data")
    write_text(text, program, stacks, base)
    write_recording(data, program, stacks, chance)
    check_script(program, text, where, what)
    check_recording(program, data, text, where, what)


def cases():
    found = []
    for program in _probes.PROGRAMS:
        for version in VERSIONS:
            for probes in (True, False):
                if program.name in NAMES and version >= program.first and shutil.which("clang-%d" % version):
                    found.append((program, version, probes))
    return found


def build(program, version, probes, where):
    if probes:
        return _probes.build(program, version, where)
    plain = _probes.Program(program.name, program.sources,
                            [*program.flags, "-fno-pseudo-probe-for-profiling", "-fdebug-info-for-profiling"],
                            program.link, program.first, program.freestanding)
    return _probes.build(plain, version, where)


def main():
    why = _bolt.can_trace()
    if why or not shutil.which("llvm-profgen-22") or not shutil.which("llvm-profdata-22"):
        print("skipped: %s" % (why or "needs llvm-profgen-22 and llvm-profdata-22"))
        return 77
    plans = _share.pick(cases(), lambda case: case[0].name)
    with tempfile.TemporaryDirectory() as where:
        for i, (program, version, probes) in enumerate(plans):
            what = "%s, clang %d, %s" % (program.name, version, "probes" if probes else "lines")
            built = build(program, version, probes, os.path.join(where, str(i)))
            if isinstance(built, str):
                print("not built: %s: %s" % (what, built))
                count("not built")
                continue
            check_program(built[1], where, what, i)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("profiles", 0) >= _share.least(150, plans), "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
