# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the comparisons of `anyprof profgen` with llvm-profgen have in common: programs, samples of them, both tools."""

import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _probes  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _perf import Recording  # noqa: E402

LIBRARY = 0x7ffff7c00000
VERSIONS = (16, 19, 22)
USER_FRAMES = 2 ** 64 - 512  # the kernel's marker before frames of the program
# c-no-g has probes without contexts; of these llvm-profgen leaves most functions out.
NAMES = ("c", "c-bfd", "c-sections-gc", "c-sections", "c-traps", "c-pie", "c-split", "c-discriminators", "cpp",
         "cpp-sections-gc", "cpp-bfd", "coroutines", "thin-lto", "lto", "lto-pie")
LONGER = {"coroutines": ["x"] * 40}  # arguments with which a program runs long enough
tally = _bolt.Tally()
check, count = tally.check, tally.count


class Built:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f:
            data = f.read()
        self.movable = data[16] == 3
        self.segments, self.build_id = _segments(data), None
        self.calls_main = False  # from code that debug information knows


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
    """Lists of (from, to, flag), and lists of frames, as branch_trace has written them; 0 is outside."""
    stacks, frames = [], []
    with open(path, encoding="ascii") as f:
        for line in f:
            if line.startswith("\t"):
                frames.append(int(line, 16))
                continue
            entries = [entry.split("/")[:3] for entry in line.split()[1:]]
            if entries:
                stacks.append(([(int(a, 16), int(b, 16), flag) for a, b, flag in entries], frames))
            frames = []
    return stacks


def trace(path, where, calls, arguments=()):
    """What read_stacks reads of a run of a program, and the exit code."""
    traced = os.path.join(where, "traced")
    done = run([_bolt.TRACER, "-P", traced, *(["-C"] if calls else []), "-d", "32", "-n", "11", "--", path, *arguments])
    return read_stacks(traced), done.returncode


def moved(sample, base):
    """A sample in a process: its branches and frames."""
    branches, frames = sample
    return ([(a + base if a else LIBRARY + 64, b + base if b else LIBRARY, flag) for a, b, flag in branches],
            [a + base if a else LIBRARY for a in frames])


def write_text(path, program, stacks, base):
    with open(path, "w", encoding="ascii") as f:
        for address, size, offset in program.segments:
            f.write("PERF_RECORD_MMAP2 4242/4242: [0x%x(0x%x) @ %s 08:01 77 0]: r-xp %s\n"
                    % (address + base, size, "0x%x" % offset if offset else "0", program.path))
        for branches, frames in (moved(stack, base) for stack in stacks):
            line = "  ".join("0x%x/0x%x/%s/-/-/0/" % e for e in branches)
            if frames:
                f.write("%s %s\n\n" % ("".join("\t%16x\n" % a for a in frames), line))
            else:
                f.write(" %x  %s\n" % (branches[0][1], line))


def write_recording(path, program, stacks, chance):
    """Several processes, which run the program elsewhere each, in turns; one forks, one runs another program later."""
    recording, bases = Recording(chains=any(frames for _, frames in stacks)), {}
    for pid in (100, 101, 102):
        bases[pid] = chance.randrange(0x550000000, 0x560000000) << 12 if program.movable else 0
        for address, size, offset in program.segments:
            # Two mappings of its code, so that the branches of a stack go from one to the other.
            first = size // 2 & ~0xf if pid == 102 else 0
            if first:
                recording.mmap(pid, address + bases[pid], first, offset, program.path)
            recording.mmap(pid, address + bases[pid] + first, size - first, offset + first, program.path)
        recording.mmap(pid, LIBRARY, 0x200000, 0x26000, "/usr/lib/libc.so.6")
    recording.fork(100, 103)
    bases[103] = bases[100]
    for stack in stacks:
        pid = chance.choice(list(bases))
        branches, frames = moved(stack, bases[pid])
        recording.sample(pid, branches[0][1], branches, [USER_FRAMES, *frames] if frames else [])
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


def without_dropped(text, program):
    """What llvm-profgen says of the address 1 is left out.

    It stands for all that is outside, but llvm-profgen also looks it up in debug information, which has functions that
    the linker has dropped at 0: then main seems to be called from there. docs/differences.md.
    """
    kept, dropped = [], False
    if not program.calls_main:
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


def missing():
    """Why nothing can be compared; None: it can."""
    why = _bolt.can_trace()
    if not why and not (shutil.which("llvm-profgen-22") and shutil.which("llvm-profdata-22")):
        why = "needs llvm-profgen-22 and llvm-profdata-22"
    return why
