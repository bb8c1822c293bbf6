#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof bolt convert -p` and `--perf-script` beside perf2bolt-22 on recordings of programs that BOLT wrote, and of
others: the same fdata.

Recordings are made up: processes that map the program anywhere it may be, fork, run other programs; branch stacks of
places that the table has, elsewhere, in the kernel; and stacks of a real run, from branch_trace. A `perf` of ours
prints them; where perf is there, it reads the same recordings as files, and must print the same. Some are recorded by
perf."""

import json
import os
import random
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402
from _perf import Recording, real_perf  # noqa: E402

KERNEL = 0xffff800000000000
LIBRARY = 0x7ffff7c00000
counts = {"recordings": 0, "samples": 0, "lines": 0, "texts of perf": 0, "runs": 0, "lines of runs": 0,
          "recorded by perf": 0, "not made": 0}
tally = _bolt.Tally()
failures, check = tally.failures, tally.check


# ---- a program ----

class Program:
    def __init__(self, path, bolted=True):
        self.path = path
        with open(path, "rb") as f:
            data = f.read()
        self.movable = struct.unpack_from("<H", data, 16)[0] == 3
        at, = struct.unpack_from("<Q", data, 32)
        size, n = struct.unpack_from("<HH", data, 54)
        self.segments = []  # of code: where they are mapped, how large, from which offset
        for i in range(n):
            kind, flags, offset, address, _, in_file, _, _ = struct.unpack_from("<IIQQQQQQ", data, at + i * size)
            if kind == 1 and flags & 1:
                pad = address % 4096
                self.segments.append((address - pad, (in_file + pad + 4095) & ~4095, offset - pad))
        self.cold, self.places = set(), []
        if bolted:
            self.read_table(path)
        else:
            functions, _ = _bolt.read_code(path)
            self.places = [(address, i) for i, function in enumerate(functions) for address in function]
        self.build_id = read_build_id(data)

    def read_table(self, path):
        doc = json.loads(run([ANYPROF, "bat", "dump", "--json", path]).stdout)
        starts = [int(f["address"], 16) for f in doc["fragments"]]
        self.cold = {f["fragment"] for f in doc["fragments"] if f["cold"]}
        self.places = [(starts[e["fragment"]] + e["output"], e["fragment"]) for e in doc["entries"]
                       if e["output"] < 1 << 31 and not e["deleted"]]

    def map_into(self, recording, pid, base, path=None):
        for address, size, offset in self.segments:
            recording.mmap(pid, address + base, size, offset, path or self.path)


def read_build_id(data):
    at = data.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
    return data[at + 16:at + 36].hex() if at >= 0 else None


# ---- recordings ----

def make_stack(program, chance, base, n):
    """Branches, the newest first: mostly the code from where one went to the next one is of one function."""
    stack, fragment, target = [], None, None
    for _ in range(n):
        after = [a for a, f in program.places if f == fragment and a >= target] if fragment is not None else []
        source = chance.choice(after) if after and chance.random() < .9 else chance.choice(program.places)[0]
        target, fragment = chance.choice(program.places)
        ends = [source + base, target + base]
        roll = chance.random()
        if roll < .04:
            ends[chance.randrange(2)] = KERNEL + chance.randrange(1 << 20)
        elif roll < .12:
            ends[chance.randrange(2)] = LIBRARY + chance.randrange(1 << 12)
        elif roll < .14 and not program.movable:  # of one that is movable perf2bolt loses what is left: differences.md
            ends[chance.randrange(2)] = chance.choice((0, 0x1234))
        stack.append((*ends, chance.choice("PPPPM-")))
    return stack[::-1]


def add_stack(recording, program, chance, pid, base, n):
    stack = make_stack(program, chance, base, n)
    recording.sample(pid, stack[0][1] if stack else base, stack)


def make_processes(recording, program, chance):
    """{pid: base}, of those that get samples."""
    bases = {pid: chance.randrange(0x550000000, 0x560000000) << 12 if program.movable else 0 for pid in (100, 101)}
    name = os.path.join(os.path.dirname(program.path), "other")
    for pid, base in bases.items():
        program.map_into(recording, pid, base)
        recording.mmap(pid, LIBRARY, 0x200000, 0x26000, "/usr/lib/libc.so.6")
        recording.mmap(pid, 0x7ffff7ff0000, 0x2000, 0, "[vdso]")
        recording.mmap(pid, 0x7fff00000000, 0x2000, 0, "//anon")
    recording.mmap(99, 0x400000, 0x1000, 0, name)
    recording.execute(101, "worker 1:2/3")
    recording.fork(100, 102)
    recording.fork(100, 103)
    recording.execute(103, "other")
    recording.fork(100, 104, timed=False)
    recording.fork(100, 100)
    recording.fork(102, 105)
    recording.fork(99, 106)
    recording.fork(101, 107)
    recording.execute(107, "other")
    recording.fork(101, 107)
    recording.exits(102)
    for child, parent in ((102, 100), (103, 100), (104, 100), (105, 100), (106, 100), (107, 101)):
        bases[child] = bases[parent]
    return bases


def make_recording(program, seed, full):
    """full: some samples have 32 entries."""
    chance, recording = random.Random(seed), Recording()
    bases = make_processes(recording, program, chance)
    for i in range(150):
        pid = chance.choice((100, 100, 101, 102, 103, 104, 105, 106, 107))
        n = 32 if full and i > 40 and chance.random() < .5 else chance.randrange(32)
        add_stack(recording, program, chance, pid, bases[pid], n if chance.random() < .95 else 0)
    if full == "elsewhere":  # a process that the program is not in has one first
        recording.records.insert(len(recording.records) - 100, ("sample", 103, recording.time - 100500, 1,
                                                                make_stack(program, chance, bases[103], 32), []))
    recording.build_ids = [("00" * 20, "/usr/lib/libc.so.6"), (program.build_id, program.path)]
    return recording


def make_basic(program, seed):
    """perf2bolt translates those in cold fragments wrongly: docs/differences.md."""
    chance, recording = random.Random(seed), Recording(branches=False)
    bases = make_processes(recording, program, chance)
    places = [a for a, f in program.places if f not in program.cold]
    for _ in range(150):
        pid = chance.choice(list(bases))
        recording.sample(pid, chance.choice(places) + bases[pid] if chance.random() < .9 else LIBRARY)
    recording.build_ids = [(program.build_id, program.path)]
    return recording


# ---- both tools ----

def with_path(directory):
    return dict(os.environ, PATH=directory + ":" + os.environ["PATH"])


def read(path):
    with open(path, "rb") as f:
        return f.read()


def sorted_lines(data):
    """Headers come in another order, and samples of instructions are not sorted by perf2bolt."""
    return sorted(data.splitlines())


def perf2bolt(program, data, output, options, path):
    if os.path.exists(output):
        os.remove(output)
    done = run(["perf2bolt-22", program.path, "-p", data, "-o", output, *options], env=with_path(path))
    if done.returncode != 0:
        raise _bolt.Failed("perf2bolt: %s" % (done.stdout + done.stderr).decode(errors="replace")[-300:])
    return read(output)


def anyprof(program, words, output, path=None, code=0):
    done = run([ANYPROF, "bolt", "convert", program.path, "--quiet", "-o", output, *words],
               env=with_path(path) if path else None)
    check(done.returncode == code, "%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr[-300:]))
    return read(output) if done.returncode == 0 else b""


def differences(expected, got):
    return [sorted(set(a.splitlines()) - set(b.splitlines()))[:3] for a, b in ((expected, got), (got, expected))]


def check_recording(program, recording, what, where, options=()):
    data, fake = os.path.join(where, "made.data"), recording.fake(os.path.join(where, "fake"))
    recording.write(data)
    theirs, ours = os.path.join(where, "theirs"), os.path.join(where, "ours")
    expected = perf2bolt(program, data, theirs, options, fake)
    got = anyprof(program, ["-p", data, *options], ours, fake)
    same = got == expected if recording.branches else sorted_lines(got) == sorted_lines(expected)
    check(same, "%s %s: perf2bolt has %s, anyprof %s" % (what, options, *differences(expected, got)))
    texts = ["--perf-script=" + os.path.join(fake, "both"), "--build-ids=" + os.path.join(fake, "ids")]
    check(anyprof(program, texts + list(options), ours) == got, "%s: the text alone" % what)
    counts["recordings"] += 1
    counts["samples"] += sum(r[0] == "sample" for r in recording.records)
    counts["lines"] += got.count(b"\n")
    return got


def check_parts(program, recording, what, where):
    """The four texts that perf2bolt asks perf for, whatever their order."""
    fake, ours = os.path.join(where, "fake"), os.path.join(where, "ours")
    whole = anyprof(program, ["--perf-script=" + os.path.join(fake, "both")], ours)
    for order in (("mmap", "task", "main"), ("main", "task", "mmap")):
        words = ["--perf-script=" + os.path.join(fake, name) for name in order]
        check(anyprof(program, words + ["--build-ids=" + os.path.join(fake, "ids")], ours) == whole,
              "%s: parts: %s" % (what, order))


def check_real_perf(program, recording, what, where):
    """perf prints what ours does, and its own print makes the same profile."""
    data, fake, ours = (os.path.join(where, name) for name in ("made.data", "fake", "ours"))
    field = "brstack" if recording.branches else "ip"
    done = run(["perf", "script", "-F", "pid,time,event," + field, "--show-mmap-events", "--show-task-events", "-f",
                "-i", data] + ([] if recording.branches else ["-G"]))
    plain = [line.split() for line in done.stdout.splitlines()]
    check(plain == [line.split() for line in recording.text().encode().splitlines()], "%s: what perf prints" % what)
    basic = [] if recording.branches else ["--ba"]
    got = anyprof(program, ["-p", data, *basic], ours)
    check(got == anyprof(program, ["-p", data, *basic], ours, fake), "%s: perf itself" % what)
    expected = perf2bolt(program, data, os.path.join(where, "theirs"), basic, where)
    check(sorted_lines(got) == sorted_lines(expected), "%s: perf itself, and perf2bolt" % what)
    counts["texts of perf"] += 1


def check_program(program, what, where):
    for seed, full in ((1, False), (2, True), (3, "elsewhere")):
        recording = make_recording(program, seed, full)
        check_recording(program, recording, what, where)
        if seed == 3:
            continue
        check_parts(program, recording, what, where)
        if real_perf():
            check_real_perf(program, recording, what, where)
        for options in (["--ignore-interrupt-lbr=0"], ["--pid=102"], ["--max-samples=60"]):
            check_recording(program, recording, what, where, options)
    recording = make_basic(program, 4)
    check_recording(program, recording, what, where, ["--ba"])
    if real_perf():
        check_real_perf(program, recording, what, where)


def check_renamed(program, where):
    """The program was recorded under another name; another build was."""
    recording, base = Recording(), 0x560000000000 if program.movable else 0
    program.map_into(recording, 100, base, "/somewhere/renamed")
    add_stack(recording, program, random.Random(5), 100, base, 20)
    recording.build_ids = [(program.build_id, "/somewhere/renamed")]
    check(check_recording(program, recording, "renamed", where).count(b"\n") > 5, "renamed: too little")
    recording.build_ids = [("11" * 20, program.path)]
    recording.write(os.path.join(where, "made.data"))
    fake = recording.fake(os.path.join(where, "fake"))
    ours = os.path.join(where, "ours")
    anyprof(program, ["-p", os.path.join(where, "made.data")], ours, fake, code=1)
    done = run(["perf2bolt-22", program.path, "-p", os.path.join(where, "made.data"), "-o", ours], env=with_path(fake))
    check(done.returncode == 1, "perf2bolt takes another build")


# ---- samples of runs ----

def check_run(path, what, where, depth):
    """Every 97th branch with those before it."""
    program, traced = Program(path), os.path.join(where, "traced")
    _bolt.check_run([_bolt.TRACER, "-P", traced, "-d", str(depth), "-n", "97", "--", path])
    recording, base = Recording(), 0x560000000000 if program.movable else 0
    program.map_into(recording, 4242, base)
    with open(traced, encoding="ascii") as f:
        for line in f:
            stack = [entry.split("/")[:3] for entry in line.split()[1:]]
            stack = [(int(a, 16) + base if int(a, 16) else LIBRARY + 64,
                      int(b, 16) + base if int(b, 16) else LIBRARY, c) for a, b, c in stack]
            recording.sample(4242, stack[0][1], stack)
    recording.build_ids = [(program.build_id, path)]
    fake, data = recording.fake(os.path.join(where, "fake")), os.path.join(where, "made.data")
    recording.write(data)
    expected = perf2bolt(program, data, os.path.join(where, "theirs"), [], fake)
    got = anyprof(program, ["-p", data], os.path.join(where, "ours"), fake)
    check(got == expected,
          "%s: a run, depth %d: perf2bolt has %s, anyprof %s" % (what, depth, *differences(expected, got)))
    check(got.count(b"\n") > 50, "%s: a run, depth %d: %d lines" % (what, depth, got.count(b"\n")))
    counts["runs"] += 1
    counts["lines of runs"] += got.count(b"\n")


def check_recorded(path, what, where):
    """By perf itself, without branches: samples of a clock."""
    program, data = Program(path), os.path.join(where, "perf.data")
    done = run(["perf", "record", "-e", "cpu-clock:u", "-F", "20000", "-o", data, "--"] + [path] + ["x"] * 40)
    if done.returncode != 0:
        print("skipped: perf cannot record here: %s" % done.stderr.decode(errors="replace")[-200:])
        return
    expected = perf2bolt(program, data, os.path.join(where, "theirs"), ["--ba"], where)
    got = anyprof(program, ["-p", data, "--ba"], os.path.join(where, "ours"))
    check(sorted_lines(got) == sorted_lines(expected), "%s: recorded: %s" % (what, differences(expected, got)))
    counts["recorded by perf"] += 1


def main():
    missing = [t for t in ("llvm-bolt-22", "perf2bolt-22") if not shutil.which(t)]
    with tempfile.TemporaryDirectory() as where:
        programs = {} if missing else _bolt.build(where)
        if not programs:
            print("skipped: needs llvm-bolt-22, perf2bolt-22, clang and ld.lld-22")
            return 77
        if not real_perf():
            print("skipped: no perf: only what it would print is compared")
        bolted = os.path.join(where, "bolted")
        kinds = ("not bolted", "plain", "reordered", "split", "all")
        plans = _share.pick([(name, kind) for name in programs for kind in kinds], lambda plan: plan[0])
        for name, kind in plans:
            what = "%s, %s" % (name, kind)
            if kind == "not bolted":
                check_program(Program(programs[name], bolted=False), what, where)
                continue
            if _bolt.bolt(22, programs[name], _bolt.OPTIONS[kind], bolted) is not None:
                counts["not made"] += 1
                continue
            check_program(Program(bolted), what, where)
            if not _bolt.can_trace():
                for depth in (16, 32):
                    check_run(bolted, what, where, depth)
            if kind == "reordered" and real_perf():  # no cold fragments: see make_basic
                check_recorded(bolted, what, where)
            if (name, kind) == [plan for plan in plans if plan[0] == name][-1]:
                check_renamed(Program(bolted), where)
    print(", ".join("%d %s" % (n, what) for what, n in counts.items()))
    check(counts["recordings"] >= _share.least(100, plans) and counts["lines"] > _share.least(10000, plans),
          "too little was compared")
    return 1 if failures else 0


sys.exit(main())
