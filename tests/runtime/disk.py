#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Disks that are full, calls that fail, files that are no files. Each call that the runtime makes fails once, and from
then on: write_file says so with its result and with one message, no part of a file is left, the old one is as it was;
and the next write that succeeds has everything."""

import collections
import errno
import os
import shutil
import socket
import stat
import subprocess
import threading

import _faults
from _faults import check, run

# What may happen to which call.
ERRORS = {"open": ["EMFILE", "EACCES"], "read": ["EIO"], "write": ["ENOSPC", "EIO", "EINTR"], "close": ["EDQUOT"],
          "fsync": ["EIO"], "rename": ["ENOSPC"], "renameat2": ["ENOSPC", "EINVAL"], "link": ["EIO"],
          "linkat": ["ENOSPC", "EPERM"],
          "flock": ["ENOLCK", "EIO", "EINTR"], "unlink": ["EACCES"], "stat": ["EIO"], "fstat": ["EIO"],
          "access": ["EACCES"], "readlink": ["EIO"], "mmap": ["ENOMEM"]}
# Calls that it makes in another way where the file system has no files without names, or no links.
OTHERWISE = ["open", "write", "close", "rename", "link", "linkat", "unlink", "access"]
REFUSED = ["", "descriptor renameat2", "tmpfile renameat2", "tmpfile link"]
NAMES = {"plain": "p.profraw", "pool": "p%m.profraw"}
figures = collections.Counter()


def judged(at, kind, exists, done, what, call):
    """After "mark:1 write mark:2" into a file that has 7 once, or none: what its messages say is what is there."""
    all_of_it = {1: 1, 2: 1}
    first = {1: 1}
    old = {7: 1} if exists else {}
    if kind == "pool":
        all_of_it.update(old)
        first.update(old)
    found = _faults.sums(_faults.profiles(at), strictly=False)
    errors = done.stderr.count("LLVM Profile Error: ")
    if call in ("stat", "fstat", "flock", "open") and kind == "plain" and found.get(7):
        all_of_it.update(old)  # what could not be looked at or locked is not replaced
        first.update(old)
    if done.stdout == "write -1\n":
        check(errors >= 1, True, "a message: " + what)
        expected = all_of_it if errors == 1 else old
    else:
        check(done.stdout, "write 0\n", "standard output: " + what)
        expected = first if errors else all_of_it
    check(found, expected, what)
    if call not in ("unlink", "flock", "stat", "fstat"):  # a lock that could not be had may be another process's
        check(_faults.others(at), [], "what is left: " + what)
    figures["writes that failed"] += errors


def failing_calls(program):
    for kind in NAMES:
        for exists in (False, True):
            saved = _faults.fresh("saved")
            if exists:
                run(program, "mark:7", os.path.join(saved, NAMES[kind]))
            for call, errors in ERRORS.items():
                for refuse in REFUSED if call in OTHERWISE else [""]:
                    for error in errors:
                        said = failing_call(program, saved, kind, exists, {"calls": call, "refuse": refuse}, error)
                        if call in ("write", "fsync", "close") and error != "EINTR":
                            check(said > 0, True, "%s of %s is said, without %s" % (error, call, refuse))


def failing_call(program, saved, kind, exists, fault, error):
    """Once, for all k; and from then on, for the first k."""
    marked = _faults.path("mark")
    fault = dict(fault, do="errno:%d" % getattr(errno, error), mark=marked)
    sync = "sync:wait=0" if fault["calls"] == "fsync" else "wait=0"
    before = figures["writes that failed"]
    for ever in (False, True):
        for k in range(1, 5 if ever else 60):
            if ever and error == "EINTR":
                return 0
            if os.path.exists(marked):
                os.unlink(marked)
            at = _faults.fresh("disk")
            shutil.copytree(saved, at, dirs_exist_ok=True)
            done = run(program, "mark:1 write mark:2", os.path.join(at, NAMES[kind]), sync,
                       fault=dict(fault, at=k, ever=1) if ever else dict(fault, at=k))
            if not os.path.exists(marked):
                break
            figures["calls that failed"] += 1
            judged(at, kind, exists, done, "%s, %s, without %s, %s of %s at call %d%s: %s" % (
                kind, "exists" if exists else "new", fault["refuse"], error, fault["calls"], k,
                " and later" if ever else "", done.stderr), fault["calls"])
    return figures["writes that failed"] - before


def limited(large):
    """The size of files has a limit. SIGXFSZ ends no process."""
    for kind in NAMES:
        at = _faults.fresh("limit")
        name = os.path.join(at, NAMES[kind])
        run(large, "mark:7", name)
        done = run(large, "limit:100000 mark:1 write limit:1000000000 mark:2", name)
        check((done.stdout, done.stderr.count("File too large\n"), done.stderr.count("\n")), ("write -1\n", 1, 1),
              "limit, then none: " + done.stderr)
        check(_faults.sums(_faults.profiles(at)), {1: 1, 2: 1} if kind == "plain" else {1: 1, 2: 1, 7: 1}, "all of it")
        at = _faults.fresh("limit")
        name = os.path.join(at, NAMES[kind])
        run(large, "mark:7", name)
        for acts in ("limit:0 mark:1 write", "limit:1 fork mark:1 end", "limit:65536 mark:1", "limit:100000 mark:1"):
            done = run(large, acts, name)
            check("File too large" in done.stderr, True, acts)
            check((_faults.sums(_faults.profiles(at)), _faults.others(at)), ({7: 1}, []), acts)
            figures["writes that failed"] += 1


def full(large):
    """A file system of 1 MiB with a file in it that leaves room for half a profile. Mounting needs root."""
    at = _faults.fresh("full")
    mounted = os.getuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", at],
                                                 stderr=subprocess.DEVNULL, check=False).returncode == 0
    if not mounted:
        print("no mount here: the full file system is left to the calls that fail")
        return
    try:
        for kind in NAMES:
            full_for(large, at, os.path.join(at, NAMES[kind]))
            for f in os.listdir(at):
                os.unlink(os.path.join(at, f))
    finally:
        subprocess.run(["umount", at], check=True)
    figures["full file systems"] += 1


def full_for(large, at, name):
    ballast = os.path.join(at, "ballast")
    with open(ballast, "wb") as f:
        f.write(bytes(900 * 1024))
    with _faults.Gate() as gate:
        process = gate.start(large, "mark:1 write ready:1 {} mark:2", name)
        check([process.stdout.readline(), process.stdout.readline()], ["write -1\n", "ready\n"], "on a full disk")
        check(os.listdir(at), ["ballast"], "nothing is left")
        os.unlink(ballast)
        gate.open()
        errors = process.communicate()[1]
    check((errors.count("No space left on device\n"), errors.count("\n")), (1, 1), "messages: " + errors)
    check(_faults.sums(_faults.profiles(at)), {1: 1, 2: 1}, "all of it, when there is room")
    # An old file stays as it is.
    there = _faults.profiles(at)[0]
    with open(there, "rb") as f:
        before = f.read()
    with open(ballast, "wb") as f:
        f.write(bytes(1024 * 1024 - len(before) - 200 * 1024))
    done = run(large, "mark:3", name)
    with open(there, "rb") as f:
        check(("No space left on device" in done.stderr, f.read() == before, len(os.listdir(at))), (True, True, 2),
              "the old file")
    figures["writes that failed"] += 2


def read_only(program):
    """A directory that may not be written to, by one who is not root."""
    at = _faults.fresh("readonly")
    for name in NAMES.values():
        os.chmod(at, 0o755)
        run(program, "mark:7", os.path.join(at, name))
        before = sorted(os.listdir(at))
        os.chmod(at, 0o555)
        who = {"user": 65534, "group": 65534} if os.getuid() == 0 else {}
        for target in (os.path.join(at, name), os.path.join(at, "new", name)):
            done = run(program, "mark:1 write", target, **who)
            check((done.stdout, done.stderr.count("\n"), done.stderr.count("Error: ")), ("write -1\n", 2, 2),
                  "read-only directory: " + done.stderr)
            check(sorted(os.listdir(at)), before, "what is there")
            figures["writes that failed"] += 2
    check(_faults.sums(_faults.profiles(at)), {7: 2}, "the old ones")
    os.chmod(at, 0o755)


def places(program):
    """Directories that are missing, links, directories, pipes, devices."""
    for kind, name in NAMES.items():
        at = _faults.fresh("places")
        run(program, "mark:1", os.path.join(at, "a", "b", "c", name))
        check(_faults.sums(_faults.profiles(os.path.join(at, "a", "b", "c"))), {1: 1}, "missing directories, " + kind)
        if kind == "pool":
            continue
        os.mkdir(os.path.join(at, "d.profraw"))
        done = run(program, "mark:1", os.path.join(at, "d.profraw"))
        inside = os.listdir(os.path.join(at, "d.profraw"))
        check((done.stderr.count("Is a directory\n"), inside), (1, []), "a directory")
        links(program, at)
        pipes(program, at)
        devices(program, at)


def links(program, at):
    def link(to, name):
        os.symlink(to, os.path.join(at, name))
        return os.path.join(at, name)

    run(program, "mark:1", os.path.join(at, "file.profraw"))
    name = link("file.profraw", "link.profraw")
    run(program, "mark:2", link("link.profraw", "second.profraw"))
    check((os.path.islink(name), _faults.sums([name])), (True, {2: 1}), "a link to a link to a file")
    name = link("e/new.profraw", "dangling.profraw")
    run(program, "mark:3", name)
    new = os.path.join(at, "e", "new.profraw")
    check((os.path.islink(name), _faults.sums([new])), (True, {3: 1}), "a dangling link")
    name = link(os.path.join(at, "absolute.profraw"), "to_absolute.profraw")
    run(program, "mark:4", name)
    check(_faults.sums([os.path.join(at, "absolute.profraw")]), {4: 1}, "an absolute link")
    name = link("loop.profraw", "loop.profraw")
    done = run(program, "mark:1", name)
    check((done.stderr.count("\n"), os.path.islink(name)), (1, True), "a loop: " + done.stderr)
    os.unlink(name)
    os.mkdir(os.path.join(at, "other"))
    link("other", "directory")
    run(program, "mark:5", os.path.join(at, "directory", "x.profraw"))
    check(_faults.sums([os.path.join(at, "other", "x.profraw")]), {5: 1}, "a link to a directory")


def pipes(program, at):
    fifo = os.path.join(at, "fifo")
    os.mkfifo(fifo)
    got = []

    def read():
        with open(fifo, "rb") as f:
            got.append(f.read())

    reader = threading.Thread(target=read)
    reader.start()
    done = run(program, "mark:1", fifo)
    reader.join()
    with open(os.path.join(at, "of_fifo.profraw"), "wb") as f:
        f.write(got[0])
    check((_faults.sums([os.path.join(at, "of_fifo.profraw")]), done.stderr), ({1: 1}, ""), "a pipe")
    check(stat.S_ISFIFO(os.stat(fifo).st_mode), True, "it stays one")
    # A pipe without a reader is waited for, but not for ever.
    done = run(program, "mark:1", fifo, "wait=0")
    check(done.stderr.count("\n"), 1, "a pipe without a reader: " + done.stderr)
    # A pipe whose reader is gone: SIGPIPE ends no process.
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = run(program, "mark:1", "/proc/self/fd/%d" % write_end, pass_fds=[write_end])
    check(done.stderr.count("\n"), 1, "a pipe without a reader: " + done.stderr)
    os.close(write_end)


def devices(program, at):
    done = run(program, "mark:1 write mark:1", "/dev/null")
    check((done.stdout, done.stderr), ("write 0\n", ""), "/dev/null")
    done = run(program, "mark:1 write", "/dev/full")
    check((done.stdout, done.stderr.count("/dev/full: No space left on device\n")), ("write -1\n", 2), "/dev/full")
    for device in ("/dev/full", "/dev/null"):
        check(stat.S_ISCHR(os.stat(device).st_mode), True, device + " is still a device")
    out = os.path.join(at, "out.profraw")
    done = subprocess.run([program, "mark:1"], env=_faults.environment("/dev/stdout"), capture_output=True, check=False)
    with open(out, "wb") as f:
        f.write(done.stdout)
    check((_faults.sums([out]), done.stderr), ({1: 1}, b""), "/dev/stdout, a pipe")
    with open(out, "wb") as f:
        done = subprocess.run([program, "mark:2"], env=_faults.environment("/dev/stdout"), stdout=f,
                              stderr=subprocess.PIPE, check=False)
    check((_faults.sums([out]), done.stderr), ({2: 1}, b""), "/dev/stdout, a file")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        done = run(program, "mark:1", "/proc/self/fd/%d" % theirs.fileno(), pass_fds=[theirs.fileno()])
        check(done.stderr.count("\n"), 1, "a socket: " + done.stderr)


def closed(program):
    """No standard streams: nothing that is said there gets into a file of ours."""
    for name, options in (("p.profraw", ""), ("%m.profraw", ""), ("p.profraw", "signals")):
        at = _faults.fresh("closed")
        env = _faults.environment(os.path.join(at, name), options)
        for acts in ("mark:1 write ready:0 ready:1 ready:2", "mark:2 write ready:0 ready:1 ready:2"):
            command = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", program]
            subprocess.run(command + acts.split(), env=env, check=True)
        check(_faults.sums(_faults.profiles(at)), {1: 1, 2: 1} if "%" in name else {2: 1}, "no streams, " + name)


def long_names(program):
    """As long as the system lets names be."""
    for length in (200, 230, 245, 255):
        at = _faults.fresh("long")
        name = os.path.join(at, "n" * (length - 8) + ".profraw")
        for turn in (1, 2):
            done = run(program, "mark:%d" % turn, name)
            what = "%d bytes, run %d" % (length, turn)
            check((_faults.sums(_faults.profiles(at)), done.stderr), ({turn: 1}, ""), what)
    at = _faults.fresh("long")
    done = run(program, "mark:1", os.path.join(at, "n" * 250 + ".profraw"))
    check((done.stderr.count("File name too long\n"), os.listdir(at)), (1, []), "too long: " + done.stderr)


def main():
    with _faults.directory():
        program = _faults.compile_program("actor")
        large = _faults.compile_program("large", [_faults.many(3000)])
        limited(large)
        full(large)
        read_only(program)
        places(program)
        closed(program)
        long_names(program)
        failing_calls(program)
    _faults.finish(", ".join("%d %s" % (n, what) for what, n in figures.items()))


main()
