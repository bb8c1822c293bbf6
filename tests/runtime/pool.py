#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many writes into one name: 16 processes that merge 200 times each into one file, and into %4m; threads; one process
that writes again and again; files that were damaged by others; locks that are held too long, or left over; a program
that goes from name to name. Sums are exact."""

import collections
import os
import re
import shutil
import struct
import subprocess
import fcntl

import _faults
from _faults import check, run

PROCESSES, TIMES = 16, 200
figures = {"merges": 0, "damaged files": 0}


def read(at):
    with open(at, "rb") as f:
        return f.read()


def write(at, what):
    with open(at, "wb") as f:
        f.write(what)


def one_file(at):
    files = _faults.profiles(at)
    check(len(files), 1, "files in " + at)
    return files[0]


def all_at_once(program, name, n_files):
    at = _faults.fresh("pool")
    # With a plain name what is there when a run begins is an earlier run's: all of these begin first.
    with _faults.Gate() as gate:
        started = [gate.start(program, "mark:1 ready:2 {} writes:%d" % TIMES, os.path.join(at, name), "wait=120")
                   for _ in range(PROCESSES)]
        for process in started:
            _faults.wait_until_ready(process.stderr)
        gate.open(PROCESSES)
        for process in started:
            check((process.communicate()[0], process.returncode), ("", 0), "a process of many")
    files = _faults.profiles(at)
    check(len(files) <= n_files and len(files) > 0, True, "%d files of %s" % (len(files), name))
    check(_faults.sums(files), {0: PROCESSES * TIMES, 1: PROCESSES}, "%d processes, %d times, %s" % (PROCESSES, TIMES,
                                                                                                  name))
    check(_faults.others(at), [], "what is left")
    _faults.read_by_llvm(files)
    figures["merges"] += PROCESSES * (TIMES + 1)


def of_one_process(program, name):
    """Threads that write; a process that writes often. The file does not grow."""
    at = _faults.fresh("one")
    run(program, "mark:2 writes:2", os.path.join(at, name))
    size = os.path.getsize(one_file(at))
    for acts, expected in (("marks:1:7 writers:8:50", {1: 7}), ("mark:2 writes:300 write write", {0: 300, 2: 1}),
                           ("dump mark:1 write", {}), ("mark:0 dump mark:1 reset mark:2", {0: 1, 2: 1}),
                           ("writes:50 reset writes:50", {0: 100})):
        at = _faults.fresh("one")
        done = run(program, acts, os.path.join(at, name))
        check([s for s in done.stdout.split() if s not in ("write", "dump", "0")] + [done.stderr], [""], acts)
        check(_faults.sums(_faults.profiles(at)), expected, "%s, %s" % (acts, name))
        check(os.path.getsize(one_file(at)), size, "size after " + acts)
    figures["merges"] += 8 * 50 + 300 + 100


def set_back(program):
    """Counters of a pool that threads made smaller count nothing; those that the program set to 0 count whole."""
    for acts, expected in (("marks:1:5 write divide:2 write marks:2:3", {1: 5, 2: 3}),
                           ("marks:1:5 write divide:2 marks:1:1", {1: 5}),
                           ("marks:1:5 write divide:0 marks:1:7", {1: 12}),
                           ("marks:1:5 marks:2:2 write divide:0 marks:1:3 write marks:1:1", {1: 9, 2: 2})):
        at = _faults.fresh("back")
        run(program, acts, os.path.join(at, "%m.profraw"))
        check(_faults.sums(_faults.profiles(at)), expected, acts)


def names(program):
    """From name to name, and back."""
    for kind in ("%s.profraw", "%s%%m.profraw"):
        at = _faults.fresh("names")
        a, b = (os.path.join(at, kind % n) for n in "ab")
        acts = "marks:1:3 name:{a} mark:1 write reset name:{b} marks:2:2 write reset name:{a} mark:1 write reset " \
               "mark:3 name:{b} mark:3"
        run(program, acts.format(a=a, b=b), os.path.join(at, "never.profraw"))
        found = {os.path.basename(f)[0]: _faults.sums([f]) for f in _faults.profiles(at)}
        check(found, {"a": {1: 5}, "b": {2: 2, 3: 2}}, "names a, b, a, b; " + kind)
    at = _faults.fresh("names")
    run(program, "mark:1 name:sub/x.profraw mark:2", os.path.join(at, "y.profraw"), cwd=at)
    check([os.path.relpath(f, at) for f in _faults.profiles(at)], ["sub/x.profraw"], "a relative name of later")


# --- files that others damaged ---------------------------------------------------------------------------------


def with_version(profile, version):
    return profile[:8] + struct.pack("<Q", version) + profile[16:]


def damaged(profile):
    """Returns files that may be there instead of a profile: {what: bytes}."""
    found = {"one byte": b"\x81", "garbage": bytes(range(256)) * 9, "text": b"main\n0\n1\n1\n\n",
             "of a version to come": with_version(profile, 12), "of version 6": with_version(profile, 6),
             "of 32 bits": profile[:1] + b"R" + profile[2:], "of the other byte order": profile[7::-1] + profile[8:],
             "with a tail": profile + b"\x81rest", "twice, the second cut": profile + profile[:-8]}
    for cut in (1, 7, 8, 16, 100, 128, 200, len(profile) // 2, len(profile) - 8, len(profile) - 1):
        found["cut to %d" % cut] = profile[:cut]
    record = 128 + struct.unpack_from("<Q", profile, 16)[0]  # the first one
    found["a function without counters"] = profile[:record + 48] + bytes(4) + profile[record + 52:]
    found["counters elsewhere"] = profile[:record + 20] + b"\x01" + profile[record + 21:]
    for word in (2, 3, 4, 5, 6, 7, 8, 9, 13, 14):  # sizes in the header of version 10
        large = struct.pack("<Q", struct.unpack_from("<Q", profile, 8 * word)[0] | 1 << 40)
        found["word %d too large" % word] = profile[:8 * word] + large + profile[8 * word + 8:]
    return found


def after_damage(program, name):
    at = _faults.fresh("damage")
    run(program, "mark:1", os.path.join(at, name))
    there = one_file(at)
    whole = read(there)
    for what, contents in damaged(whole).items():
        for f in os.listdir(at):
            os.unlink(os.path.join(at, f))
        write(there, contents)
        done = run(program, "mark:2", os.path.join(at, name))
        check(done.stderr.count("\n"), 1, "one message: " + what + done.stderr)
        check("it is now %s.bad\n" % there in done.stderr, True, "the message: " + done.stderr)
        check(_faults.sums([there]), {2: 1}, "the new run's counts: " + what)
        check(read(there + ".bad"), contents, "what was there: " + what)
        figures["damaged files"] += 1
    # A second one does not replace the first.
    write(there, b"again")
    run(program, "mark:2", os.path.join(at, name))
    check((read(there + ".bad.1"), sorted(os.listdir(at))),
          (b"again", sorted(os.path.basename(there) + s for s in ("", ".bad", ".bad.1"))), "set aside once more")
    # No bytes are no profile, and no harm.
    for f in os.listdir(at):
        os.unlink(os.path.join(at, f))
    write(there, b"")
    done = run(program, "mark:2", os.path.join(at, name))
    check((_faults.sums([there]), done.stderr, len(os.listdir(at))), ({2: 1}, "", 1), "an empty file")


def flipped(program, name):
    """Flips of single bits: the file stays whole and the new run's counts are in it, or it is set aside."""
    at = _faults.fresh("flips")
    run(program, "mark:1", os.path.join(at, name))
    there = one_file(at)
    whole = read(there)
    for bit in range(0, len(whole) * 8, 97):
        for f in os.listdir(at):
            os.unlink(os.path.join(at, f))
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        write(there, bytes(changed))
        done = run(program, "mark:2", os.path.join(at, name))
        if os.path.exists(there + ".bad"):
            check(read(there + ".bad"), bytes(changed), "set aside, bit %d" % bit)
            check(_faults.sums([there]), {2: 1}, "a new file, bit %d" % bit)
        elif len(_faults.profiles(at)) > 1:  # it says that it is of another version or kind
            own = [f for f in _faults.profiles(at) if f != there]
            check((_faults.sums(own), read(there)), ({2: 1}, bytes(changed)), "a file of its own, bit %d" % bit)
        elif read(there).startswith(bytes(changed)):
            # It looks like another program's profile, or its names are damaged, which only a reader of them sees.
            new = os.path.join(at, "new.profraw")
            write(new, read(there)[len(changed):])
            check((_faults.sums([new]), done.stderr), ({2: 1}, ""), "appended, bit %d" % bit)
        else:
            old = _faults.counts([there], strictly=False).get("mark_2", 0) - 1  # or a bit of it, that was flipped
            check((old >= 0 and old & (old - 1) == 0, done.stderr), (True, ""), "added, bit %d" % bit)
        figures["damaged files"] += 1


TWIN = """int main(int argc, char **argv) { for (; argc > 1; argc--) mark_%d(); return argv == 0; }"""


def other_programs():
    """Profiles of other programs with the same signature, in one file: all stay."""
    twins = []
    for i in range(2):
        source = _faults.path("twin_%d.c" % i)
        write(source, ("void mark_%d(void);" % i + TWIN % i + "void mark_%d(void) {}\n" % i).encode())
        flags = ["-mllvm", "-enable-name-compression=false"]
        twins.append(_faults.compile_program("twin_%d" % i, flags, source=source))
    at = _faults.fresh("others")
    for _ in range(3):
        run(twins[0], "a b", os.path.join(at, "p.profraw"))
        run(twins[1], "a b c", os.path.join(at, "p.profraw"))
    check(_faults.sums([one_file(at)]), {1: 3}, "plain names")
    at = _faults.fresh("others")
    for _ in range(3):
        run(twins[0], "a b", os.path.join(at, "%m.profraw"))
        run(twins[1], "a b c", os.path.join(at, "%m.profraw"))
    check(_faults.sums([one_file(at)]), {0: 6, 1: 9}, "two programs of one signature")


def temporal():
    """Temporal profiles cannot be added: each run has a file, none of them is lost."""
    flags = ["-fprofile-generate", "-mllvm", "-pgo-temporal-instrumentation"]
    if _faults.clangs()[-1] < 19:
        return
    source = _faults.path("temporal.c")
    write(source, (TWIN % 0).replace("int main", "__attribute__((noinline)) void mark_0(void) {} int main", 1).encode())
    program = _faults.compile_program("temporal", source=source, mode=flags)
    at = _faults.fresh("traces")
    for _ in range(3):
        run(program, "a", os.path.join(at, "%m.profraw"))
    check((len(_faults.profiles(at)), _faults.sums(_faults.profiles(at))), (3, {0: 3}), "temporal profiles in a pool")


# --- locks ------------------------------------------------------------------------------------------------------


VALUE = re.compile(r"^\t\[ +(\d+), ([^,]*), +(\d+) \]", re.MULTILINE)


def moved_targets(clang, at, programs):
    """{target: how often it was called} after runs of these, of the library's pool; and how many values there are."""
    for raw in _faults.profiles(at):
        os.unlink(raw)
    for program in programs:
        run(os.path.join(at, str(program)), "", os.path.join(at, "p%m.profraw"))
    found, entries = collections.Counter(), 0
    for raw in _faults.profiles(at):
        shown = subprocess.run(["llvm-profdata-%d" % clang, "show", "--all-functions", "--ic-targets", raw],
                               stdout=subprocess.PIPE, text=True, check=True).stdout
        for _, target, count in VALUE.findall(shown):
            found[re.sub("^.*[:;]", "", target)] += int(count)
            entries += 1
    return found, entries


def moved(clang):
    """Targets of calls keep their names, though each process is loaded elsewhere: those of the library, and those that
    its linker took from the executable. What has no name is one value, however many processes there were."""
    at = _faults.fresh("moved")
    source, runs = os.path.join(_faults.PROGRAMS, "moved.cc"), 5
    compiler = ["clang++-%d" % clang, "-O1", "-fprofile-generate", "-fPIC"]
    if not shutil.which(compiler[0]):
        return
    ours = ["-L", _faults.BUILD, "-lanyprof_rt"]
    objects = [os.path.join(at, "%d.o" % part) for part in (1, 2)]
    for part, name in enumerate(objects, 1):
        subprocess.run([*compiler, "-DPART=%d" % part, "-c", source, "-o", name], check=True)
    subprocess.run([*compiler, "-shared", *objects, *ours, "-o", os.path.join(at, "libmoved.so")], check=True)
    for part in (3, 4):
        subprocess.run([*compiler, "-fPIE", "-pie", "-DPART=%d" % part, source, *ours, "-L", at, "-lmoved",
                        "-Wl,-rpath," + at, "-o", os.path.join(at, str(part))], check=True)
    found, entries = moved_targets(clang, at, [3] * runs)
    check((found["_ZL3owni"], found["_Z4seeni"]), (20 * runs, 10 * runs), "clang %d: the library's own" % clang)
    # By each process: the library's call of first and of theirs, and twice its own of first. In clang 19 and later such
    # a function's address is not in its record, where another image may have it.
    named = 3 * runs if clang <= 16 else 0
    check((found["_Z5firsti"], found[""]), (named, 4 * runs - named), "clang %d: from the executable" % clang)
    check(entries <= 8, True, "clang %d: %d values" % (clang, entries))
    found, _ = moved_targets(clang, at, [3, 4] * runs)
    check((found["_ZL3owni"], found["_Z4seeni"]), (40 * runs, 20 * runs), "clang %d: by two programs" % clang)


def held_lock(program, kind):
    """A lock that another process never releases: after the wait there is another file, and no count is lost."""
    at = _faults.fresh("lock")
    name = os.path.join(at, kind)
    run(program, "mark:1", name)
    there = one_file(at)
    with open(_faults.lock_of(there), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # A plain name: what it finds is of before its run, and stays; only the run's own is of interest.
        done = run(program, "mark:2 write mark:2 write mark:2", name, "wait=0")
        own = [f for f in _faults.profiles(at) if f != there]
        # All of a plain name stays where it is then; what is new for a pool is in a file each time.
        check(done.stderr.count("the lock of the profile is not available"), 1 if kind == "p.profraw" else 3,
              "messages: " + done.stderr)
    if kind == "p.profraw":
        check(_faults.sums(own), {2: 3}, "a file of its own")
        check(len(own), 1, "files of its own")
    else:
        check(_faults.sums(own + [there]), {1: 1, 2: 3}, "the pool, with files of its own")
    check(_faults.sums([there]), {1: 1}, "the file that is locked")
    # The lock's file is still there, and no harm.
    run(program, "mark:3", name)
    check(_faults.sums([there]), {3: 1} if kind == "p.profraw" else {1: 1, 3: 1}, "a lock that is left over")
    check(os.path.exists(_faults.lock_of(there)), False, "it goes")


def stopped(program):
    """One process has the lock, and is stopped; it goes on later."""
    at = _faults.fresh("stopped")
    name = os.path.join(at, "%m.profraw")
    run(program, "mark:1", name)
    there = one_file(at)
    fault = {"at": 1, "do": "signal:19", "calls": "read", "mark": _faults.path("mark")}
    holder = _faults.start(program, "mark:2", name, fault=fault)
    os.waitpid(holder.pid, os.WUNTRACED)
    done = run(program, "mark:3", name, "wait=1")
    check("is not available" in done.stderr, True, "a message")
    check((_faults.sums([there]), len(_faults.profiles(at))), ({1: 1}, 2), "a file of its own")
    holder.send_signal(18)
    holder.communicate()
    check(holder.returncode, 0, "the one that was stopped")
    check(_faults.sums(_faults.profiles(at)), {1: 1, 2: 1, 3: 1}, "all of them")


def comes_free(program):
    """A lock that is held for the first of several writes of a plain name: none is counted twice."""
    at = _faults.fresh("free")
    name = os.path.join(at, "p.profraw")
    run(program, "mark:1", name)
    with _faults.Gate() as gate:
        with open(_faults.lock_of(name), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.utime(name)
            process = gate.start(program, "mark:2 write ready:2 {} mark:3", name, "wait=0")
            _faults.wait_until_ready(process.stderr)
        gate.open()
        process.communicate()
    found = _faults.sums(_faults.profiles(at))
    found.pop(1, None)
    check(found, {2: 1, 3: 1}, "first without the lock, then with it")


def main():
    with _faults.directory():
        program = _faults.compile_program("actor")
        all_at_once(program, "%m.profraw", 1)
        all_at_once(program, "%4m.profraw", 4)
        all_at_once(program, "p.profraw", 1)
        for name in ("p.profraw", "p%m.profraw"):
            of_one_process(program, name)
            held_lock(program, name)
        names(program)
        set_back(program)
        after_damage(program, "%m.profraw")
        flipped(program, "%m.profraw")
        other_programs()
        temporal()
        stopped(program)
        comes_free(program)
        for clang in _faults.clangs():
            moved(clang)
        shutil.rmtree(_faults.path("pool"))
    _faults.finish(", ".join("%d %s" % (n, what) for what, n in figures.items()))


main()
