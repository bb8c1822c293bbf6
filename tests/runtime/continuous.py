#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters that are a part of a file: %c, with objects that were compiled for it, and ANYPROF_RT_OPTIONS=live, with
those that were not. However a process ends, and at any moment before, the file is a whole profile with what was
counted.

By design: a process that is killed between the last write of a live program and the removal of the file beside it is in
both. With %c, processes that were forked count in one file: exactly, if they count with atomics. Values cannot be kept
in a file while they come: their lists are empty there."""

import collections
import os
import random
import re
import shutil
import subprocess
import time

import _faults
from _faults import KILLED, check, environment, run, wait_until_ready

RELOCATED = ["-mllvm", "-runtime-counter-relocation"]
LIVE = ["-Wl,-u,apf_rt_live"]
figures = collections.Counter()


class Mode:
    """A way to be continuous: how programs are built, and what names and options they run with."""

    def __init__(self, clang, what, compile_flags, link_flags, name, options):
        self.clang, self.what, self.flags = clang, "%s, %s" % (clang, what), compile_flags + link_flags
        self.name, self.options = name, options
        self.live = options == "live"

    def build(self, name, source="actor.c", mode=None):
        mode = _faults.FRONT_END if mode is None else mode
        # clang 13 crashes when it optimizes counters of the IR that are relocated.
        more = ["-O0"] if self.clang == "clang-13" and "-fprofile-generate" in mode else []
        return _faults.compile_program(name, self.flags + more, clang=self.clang, source=source, mode=mode)

    def start(self, program, acts, at, name=None):
        return _faults.start(program, acts, os.path.join(at, name or self.name), self.options)


def modes():
    for n in _faults.clangs():
        clang = "clang-%d" % n
        if n != 14 and n != 15:
            yield Mode(clang, "relocation", RELOCATED, [], "p%c.profraw", "")
        yield Mode(clang, "live", [], LIVE, "p.profraw", "live")
        if n >= 22:
            yield Mode(clang, "-fprofile-continuous", ["-fprofile-continuous"], [], "p%c.profraw", "")


def end(process, code=KILLED):
    if code == KILLED:
        process.kill()
        figures["kills"] += 1
    out, errors = process.stdout.read(), process.stderr.read()
    check((process.wait(), errors), (code, ""), "its end")
    process.stdout.close()
    process.stderr.close()
    return out


def exact(mode, program):
    """The program says where it stands: so much is in the file, before it is killed and afterwards."""
    for acts, expected in (("marks:1:5 ready:1", {1: 5}), ("marks:1:5 threads:3:100 mark:2 ready:1", {1: 305, 2: 1}),
                           ("marks:1:5 reset marks:2:3 ready:1", {2: 3}),
                           ("mark:1 write dump mark:1 ready:1", {1: 1 if mode.live else 2})):
        at = _faults.fresh("exact")
        process = mode.start(program, acts + " pause", at)
        wait_until_ready(process.stdout)
        what = "%s, %s" % (mode.what, acts)
        check(_faults.sums(_faults.profiles(at)), expected, what)
        end(process)
        check(_faults.sums(_faults.profiles(at)), expected, what + ", killed")
        _faults.read_by_llvm(_faults.profiles(at) if mode.clang == _faults.newest() else [])
    for ends, code in (("_exit:3", 3), ("exit:4", 4), ("abort", -6), ("mark:2", 0)):
        at = _faults.fresh("exact")
        end(mode.start(program, "marks:1:5 " + ends, at), code)
        expected = {1: 5, 2: 1} if code == 0 else {1: 5}
        check(_faults.sums(_faults.profiles(at)), expected, "%s, %s" % (mode.what, ends))
        check(len(_faults.profiles(at)), 1, "files, " + ends)
        check(_faults.others(at), [], "what is left, " + ends)
        if mode.live and code in (0, 4):
            check([os.path.basename(f) for f in _faults.profiles(at)], ["p.profraw"], "the file beside it is gone")


def at_random(mode, program, chance, rounds):
    """It counts as long as it lives. What is read meanwhile only grows; what is there then is what it last said, at
    least."""
    for _ in range(rounds):
        at, to = _faults.fresh("random"), _faults.fresh("copies")
        process = mode.start(program, "count:1000", at)
        process.stdout.readline()
        until = time.monotonic() + chance.random() * 0.004
        copies = []
        while time.monotonic() < until:
            for f in _faults.profiles(at):
                copies.append(shutil.copyfile(f, os.path.join(to, "%d.profraw" % len(copies))))
        out = end(process)
        lines = [s for s in out.split("\n")[:-1] if s]
        last = int(lines[-1].split()[1]) if lines else 1000
        found = [_faults.sums([f], strictly=False).get(0, 0) for f in copies[:4]]
        final = _faults.sums(_faults.profiles(at)).get(0, 0)
        check(found + [final], sorted(found + [final]), "sums only grow")
        check(last <= final <= last + 1000, True, "%s: %d, and it said %d" % (mode.what, final, last))
        figures["files read meanwhile"] += len(copies[:4])


def forks(mode, program):
    acts = "marks:1:5 fork marks:2:2 fork mark:3 end marks:2:2 end mark:4"
    expected = {1: 5, 2: 4, 3: 1, 4: 1}
    at = _faults.fresh("forks")
    end(mode.start(program, acts, at), 0)
    check(_faults.sums(_faults.profiles(at)), expected, mode.what + ", forks")
    check(len(_faults.profiles(at)), 1, mode.what + ", files of forks")
    at = _faults.fresh("forks")
    # The child ends by itself, at once; its parent is killed.
    process = mode.start(program, "marks:1:5 fork marks:2:2 raise:9 end mark:4 ready:1 pause", at)
    wait_until_ready(process.stdout)
    check(_faults.sums(_faults.profiles(at)), {1: 5, 2: 2, 4: 1}, mode.what + ", a child that was killed")
    end(process)
    check(_faults.sums(_faults.profiles(at)), {1: 5, 2: 2, 4: 1}, mode.what + ", both killed")
    check(len(_faults.profiles(at)), 2 if mode.live else 1, mode.what + ", files of both")


def pools(mode, program):
    """Several processes at once, and one after the other; half of them are killed."""
    at = _faults.fresh("pool")
    name = mode.name.replace("p", "%m", 1)
    for turn in (1, 2):
        acts = "threads:2:1000 marks:2:3 ready:1 "
        processes = [mode.start(program, acts + ("pause" if i % 2 else "mark:3"), at, name) for i in range(6)]
        for i, process in enumerate(processes):
            wait_until_ready(process.stdout)
            if i % 2 == 0:
                end(process, 0)
        for process in processes[1::2]:
            end(process)
        check(_faults.sums(_faults.profiles(at)), {1: 12000 * turn, 2: 18 * turn, 3: 3 * turn}, mode.what + ", a pool")
        if not mode.live:
            check(len(_faults.profiles(at)), 1, mode.what + ", one file")


def joins(mode, program):
    """Processes that begin to count in a file in which another counts do not write over its counts."""
    at = _faults.fresh("joins")
    name, times, n = mode.name.replace("p", "%m", 1), 20000000, 0
    first = mode.start(program, "marks:0:%d ready:1 pause" % times, at, name)
    while not _faults.profiles(at):
        time.sleep(0.001)
    while _faults.sums(_faults.profiles(at), strictly=False).get(0, 0) < times and n < 60:
        n += 1
        end(mode.start(program, "mark:2", at, name), 0)
    wait_until_ready(first.stdout)
    end(first)
    check(_faults.sums(_faults.profiles(at)), {0: times, 2: n}, mode.what + ", processes that join")
    figures["joined"] += n


def as_at_exit(mode):
    """The same counts, bitmaps and records as are written at exit."""
    kinds = {"front end": ["-fprofile-instr-generate"], "coverage": ["-fprofile-instr-generate", "-fcoverage-mapping"],
             "IR": ["-fprofile-generate", "-mllvm", "-disable-vp=true"]}
    version = int(mode.clang.split("-")[1])
    if version >= 19 and (version >= 22 or mode.live):
        kinds["MC/DC"] = ["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"]
        kinds["MC/DC"] += ["-Wl,-u,apf_rt_live_bitmaps"] if mode.live else []
    for kind, flags in kinds.items():
        program = mode.build("kinds", mode=flags)
        acts = "marks:1:5 chdir:/ marks:2:7 fork end write"
        texts = []
        for name, options in ((mode.name, mode.options), ("p.profraw", "")):
            at = _faults.fresh("kinds")
            done = run(program, acts, os.path.join(at, name), options)
            check(done.stderr, "", "messages, " + kind)
            files = _faults.profiles(at)
            _faults.whole(files)
            texts.append(_faults.text_of(files))
        if kind == "MC/DC":
            check("Num Bitmap Bytes" in texts[0], True, "bitmaps")
            at = _faults.fresh("kinds")
            process = mode.start(program, "marks:1:5 ready:1 pause", at)
            wait_until_ready(process.stdout)
            end(process)
            bitmaps = re.findall(r"^0x[0-9a-f]*[1-9a-f]$", _faults.text_of(_faults.profiles(at)), re.M)
            check(len(bitmaps) > 0, True, mode.what + ": bitmaps of a killed process")
        # With %c the child of fork counts where its parent does; without, it counts what is its own: the same.
        check(texts[0] == texts[1] and len(texts[0]) > 500, True, "%s: as at exit, %s" % (mode.what, kind))
        figures["kinds"] += 1


def values(mode):
    program = mode.build("values", source="values.c", mode=["-fprofile-generate", "-mllvm",
                                                               "-instrprof-atomic-counter-update-all"])
    at = _faults.fresh("values")
    process = mode.start(program, "800", at)
    check(process.communicate()[1], "", "messages, values")
    files = _faults.profiles(at)
    _faults.whole(files)
    found = _faults.counts(files)
    check(found.get("target_1"), 800, mode.what + ", values")
    check(("target_1:800" in _faults.text_of(files)), mode.live, mode.what + ", values are written at exit only")


def two_images(mode):
    """An executable and its library, with one name."""
    source = _faults.path("library.c")
    with open(source, "w", encoding="ascii") as f:
        f.write("void mark_6(void) {}\n")
    library = _faults.path("library.so")
    command = [mode.clang, "-O1", "-shared", "-fPIC", source, "-o", library, "-L", _faults.BUILD] + _faults.FRONT_END
    subprocess.run(command + mode.flags + ["-lanyprof_rt"], check=True)
    source = _faults.path("user.c")
    with open(source, "w", encoding="ascii") as f:
        f.write("#include <unistd.h>\nvoid mark_6(void); void mark_1(void) {}\n"
                "int main(int argc, char **argv) { for (int i = 0; i < 9; i++) mark_6(), mark_1();\n"
                "  if (argc > 1) { if (write(1, \"ready\\n\", 6) == 6) pause(); } return argv == 0; }\n")
    program = _faults.compile_program("user", mode.flags + [library], clang=mode.clang, source=source)
    for killed in (True, False):
        at = _faults.fresh("images")
        process = mode.start(program, "wait" if killed else "", at)
        if killed:
            wait_until_ready(process.stdout)
            process.kill()
            figures["kills"] += 1
        errors = process.communicate()[1]
        files = _faults.profiles(at)
        check(_faults.sums(files), {1: 9, 6: 9}, mode.what + ", two images")
        if mode.live:
            check((errors, len(files)), ("", 2 if killed else 1), mode.what + ", files of two images")
        else:
            check((errors.count("LLVM Profile Warning: "), len(files)), (1, 2), mode.what + ", files of two images")


def at_calls(mode, program):
    """Killed at the k-th call, for all k, also while the file is made."""
    for exists in (False, True):
        saved = _faults.fresh("saved")
        pool = mode.name.replace("p", "%m", 1)
        if exists:
            run(program, "marks:1:5", os.path.join(saved, pool), mode.options)
        old = {1: 5} if exists else {}
        for k in range(1, 200):
            at = _faults.fresh("calls")
            shutil.copytree(saved, at, dirs_exist_ok=True)
            done = run(program, "mark:2", os.path.join(at, pool), mode.options, code=None,
                       fault={"at": k, "do": "kill"})
            found = _faults.sums(_faults.profiles(at))
            names = " ".join(_faults.profiles(at))
            if mode.live and ".live." in names and found.get(2) == 2:
                figures["in both files"] += 1  # by design
                found[2] = 1
            check(found in (old, {**old, 2: 1}), True, "%s, killed at call %d: %s" % (mode.what, k, found))
            if done.returncode != KILLED:
                check((done.returncode, found), (0, {**old, 2: 1}), "the last run")
                break
            figures["kills"] += 1


def troubles(mode, program):
    """No standard streams: what the program says does not get into the file. No directory: the program goes on."""
    at = _faults.fresh("closed")
    env = environment(os.path.join(at, mode.name), mode.options)
    acts = "marks:1:5 ready:0 ready:1 ready:2 write _exit"
    subprocess.run(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", program] + acts.split(), env=env, check=True)
    check(_faults.sums(_faults.profiles(at)), {1: 5}, mode.what + ", no standard streams")
    done = run(program, "mark:1", "/proc/no/where/" + mode.name, mode.options)
    check((done.stderr.count("LLVM Profile Error: "), done.stderr.count("\n")), (2, 2), "no directory: " + done.stderr)
    at = _faults.fresh("closed")
    unfit = _faults.compile_program("unfit", clang=mode.clang)
    done = run(unfit, "mark:1", os.path.join(at, mode.name), mode.options)
    check(("LLVM Profile Warning: counters cannot be kept in a file" in done.stderr,
           _faults.sums(_faults.profiles(at))), (True, {1: 1}), "a program that was not built for it")
    done = run(program, "mark:1", os.path.join(at, mode.name), mode.options + ":nals:wait=abc,live")
    said = [line.rsplit(" ", 1)[1] for line in done.stderr.splitlines() if "ANYPROF_RT_OPTIONS knows" in line]
    check(said, ["nals", "wait=abc"], "unknown options are named one by one")


def main():
    chance = random.Random(_faults.seed())
    with _faults.directory():
        for mode in modes():
            program = mode.build("actor")
            exact(mode, program)
            at_random(mode, program, chance, 10)
            forks(mode, program)
            pools(mode, program)
            as_at_exit(mode)
            values(mode)
            two_images(mode)
            troubles(mode, program)
            if mode.clang == _faults.newest():
                at_calls(mode, program)
                if not mode.live:
                    joins(mode, program)
            figures["modes"] += 1
    _faults.finish(", ".join("%d %s" % (n, what) for what, n in figures.items()))


main()
