#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program has surroundings: streams that lead to files, directories with long names, no memory, users, descriptors
that it closes, a parent that daemon(3) ends, more libraries than one thinks of. And files that are mapped to be added
to, since they are large."""

import collections
import os
import shutil
import subprocess
import threading

import _faults
from _faults import check, environment, profiles, run, sums

MAGIC = bytes([0x81, *b"rforpl", 0xff])
figures = collections.Counter()


def streams(program):
    """The output of the program stays, and so does the old contents of the file."""
    for name, flags, number in (("/dev/stdout", os.O_TRUNC, 1), ("/dev/stdout", os.O_APPEND, 1),
                                ("/dev/stderr", os.O_APPEND, 2), ("/dev/fd/1", os.O_TRUNC, 1),
                                ("/proc/self/fd/5", os.O_APPEND, 5)):
        at = _faults.fresh("streams")
        path = os.path.join(at, "out.profraw")
        with open(path, "w", encoding="ascii") as file:
            file.write("what was there\n" if flags == os.O_APPEND else "")
        fd = os.open(path, os.O_WRONLY | flags)
        command = 'exec "$0" mark:1 print:hello %d>&%d' % (number, fd)
        done = subprocess.run(["bash", "-c", command, program], env=environment(name), pass_fds=[fd],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        os.close(fd)
        with open(path, "rb") as file:
            content = file.read()
        what = "%s, %s" % (name, "appended" if flags == os.O_APPEND else "new")
        check((done.returncode, content.count(MAGIC)), (0, 1), what)
        check(content.startswith(b"what was there\n"), flags == os.O_APPEND, what + ": what was there")
        if number == 1:
            check(content.endswith(b"hello\n"), True, what + ": what the program wrote")
            content = content[:-6]
        with open(path, "wb") as file:
            file.write(content[content.index(MAGIC):])
        check(sums([path]), {1: 1}, what + ": the profile")
        check(os.listdir(at), ["out.profraw"], what + ": what is left")
        figures["streams"] += 1


def directories(program):
    top = _faults.fresh("directories")
    done = run("env", "TMPDIR=rel %s mark:1 chdir:/" % program, "%t/t.profraw", cwd=top)
    check((done.stderr, sums([os.path.join(top, "rel", "t.profraw")])), ("", {1: 1}), "a relative TMPDIR")
    if os.getuid() == 0:
        os.mkdir(os.path.join(top, "no"), 0o755)
        os.chmod(top, 0o755)
        done = run("setpriv", "--reuid=65534 --clear-groups %s mark:1" % program,
                   os.path.join(top, "no", "d", "p%m.profraw"))
        check(done.stderr.count("Permission denied"), 1, "a directory that may not be made: " + done.stderr)
    for name in ("", "long.profraw", "long%m.profraw"):
        # getcwd gives 4,095 bytes at most; what is after it does not fit.
        at = _faults.fresh("long")
        part, found = "d" * 200, os.path.join(top, "found.profraw")
        last = "e" * (4085 - len(os.path.realpath(at)) - 20 * 201 - 1)
        command = ('for i in $(seq 20); do mkdir -p "$1"; cd "$1"; done; mkdir -p "$2"; cd "$2"; "$0" mark:1;'
                   'echo $?; cp *.profraw "$3"')
        times = 2 if "%" in name else 1
        for _ in range(times):
            done = subprocess.run(["bash", "-c", command, program, part, last, found], env=environment(name), cwd=at,
                                  capture_output=True, text=True, check=False)
            check((done.stdout, done.stderr), ("0\n", ""), "a long directory, " + name)
        check(sums([found]), {1: times}, "a long directory, " + name)
        figures["directories"] += 1


def memory():
    """All is used up. (Copies of few counters need none: there have to be more.)"""
    program = _faults.compile_program("memory", [_faults.many(300)])
    for name in ("p.profraw", "p%m.profraw", "p%p.profraw"):
        at = _faults.fresh("memory")
        done = run(program, "mark:1 memory mark:1", os.path.join(at, name))
        check((done.stderr, sums(profiles(at))), ("", {1: 2}), "no memory, " + name)
        for acts, wanted in (("mark:1 memory write mark:1 write mark:2", {1: 2, 2: 1}),
                             ("mark:1 memory write memory:1 mark:1 write mark:2", {1: 2, 2: 1})):
            at = _faults.fresh("memory")
            done = run(program, acts, os.path.join(at, name))
            check((done.stderr, sums(profiles(at))), ("", wanted), "%s, %s" % (name, acts))
        # Where it must be added to what is there, that stays, and a message says so.
        at = _faults.fresh("memory")
        done = run(program, "mark:1 write mark:2 memory write memory:1 mark:3", os.path.join(at, name))
        check((done.stdout, done.stderr.count("Cannot allocate memory")), ("write 0\nwrite -1\n", 1),
              "then none, " + name)
        check(sums(profiles(at)), {1: 1, 2: 1, 3: 1}, "then none, " + name)


def users(program):
    """Whose file it is."""
    at = _faults.fresh("users")
    name = os.path.join(at, "p%m.profraw")
    with open(os.path.join(at, "app.lock"), "w", encoding="ascii") as file:
        file.write("mine")
    for _ in range(2):
        run(program, "mark:1", os.path.join(at, "app"))
    check(_faults.others(at), ["app", "app.lock"], "a file called like a lock")
    if os.getuid() != 0:
        print("skipped: users: not root")
        return
    os.chmod(at, 0o777)
    command = "--reuid=65534 --regid=65534 --clear-groups " + program + " mark:1"
    for is_root in (False, True, False, True, True, False):
        run(*((program, "mark:1") if is_root else ("setpriv", command)), name)
    (path,) = profiles(at)
    check((sums([path]), os.stat(path).st_uid, os.stat(path).st_gid), ({1: 6}, 65534, 65534), "root between")
    setuid = os.path.join(at, "setuid")
    shutil.copy(program, setuid)
    os.chmod(setuid, 0o4755)
    os.unlink(path)
    for _ in range(3):
        run("setpriv", command.replace(program, setuid), name)
    check(sums(profiles(at)), {1: 3}, "a setuid program")


def descriptors():
    """Counters are kept in a file, by a program that closes all it has and opens its own."""
    for flags in (["-Wl,-u,apf_rt_live"], ["-mllvm", "-runtime-counter-relocation"]):
        program = _faults.compile_program("closes", flags)
        for acts, wanted in (("mark:1 closes:%s put:a fork mark:2 put:b end put:c mark:1", {1: 2, 2: 1}),
                             ("mark:1 closes:%s put:a dump mark:1 put:b put:c", {1: 1}),
                             ("mark:1 closes:%s put:a mark:1 write put:b put:c mark:3", {1: 2, 3: 1})):
            at = _faults.fresh("closes")
            own = os.path.join(at, "own")
            done = run(program, acts % own, os.path.join(at, "p.profraw"), "live")
            with open(own, encoding="ascii") as file:
                check((file.read(), done.stderr, "opened 3\n" in done.stdout), ("abc", "", True), acts)
            check((sums(profiles(at)), _faults.others(at)), (wanted, ["own"]), "%s, %s" % (acts, flags))
            figures["closed descriptors"] += 1


def daemons(plain):
    wrapped = _faults.compile_program("daemon", ["-Wl,--wrap=daemon"])
    for name in ("p.profraw", "p%m.profraw", "p%p.profraw"):
        for acts, wanted in (("marks:1:3 daemon mark:2", {1: 3, 2: 1}),
                             ("mark:1 write marks:1:2 daemon mark:2 fork mark:3 end mark:2", {1: 3, 2: 2, 3: 1})):
            at = _faults.fresh("daemon")
            run(wrapped, acts, os.path.join(at, name))
            check(sums(profiles(at)), wanted, "daemon, %s: %s" % (name, acts))
        at = _faults.fresh("daemon")
        run(plain, "marks:1:3 daemon mark:2", os.path.join(at, name))
        check(sums(profiles(at)), {2: 1}, "daemon, not wrapped")
    live = _faults.compile_program("daemon_live", ["-Wl,--wrap=daemon", "-Wl,-u,apf_rt_live"])
    for end, code in (("", 0), (" raise:9", 0)):
        at = _faults.fresh("daemon")
        run(live, "marks:1:3 daemon mark:2" + end, os.path.join(at, "p.profraw"), "live", code=code)
        check(sums(profiles(at)), {1: 3, 2: 1}, "daemon, live" + end)


def interrupted_forks():
    """A signal for the whole group, Ctrl-C for example, while a child notes what its parent has counted: at its calls
    of mmap, as there are more counters than need none."""
    program = _faults.compile_program("forks", [_faults.many(300)])
    for name in ("p.profraw", "p%m.profraw"):
        for at_call in range(2, 8):  # the first is before there are handlers
            at = _faults.fresh("forks")
            fault = {"at": at_call, "do": "signal:15", "calls": "mmap", "mark": _faults.path("mark")}
            if os.path.exists(fault["mark"]):
                os.unlink(fault["mark"])
            run(program, "marks:1:3 fork marks:2:3 end", os.path.join(at, name), "signals", code=None, fault=fault)
            if not os.path.exists(fault["mark"]):
                break
            found = sums(profiles(at))
            check((found.get(1), found.get(2, 0) in (0, 3)), (3, True), "signal at call %d, %s" % (at_call, name))
            figures["interrupted forks"] += 1


def statically():
    """An archive has the wrapped functions for programs that need them; linking all its members works, too."""
    whole = ["-Wl,--whole-archive", os.path.join(_faults.BUILD, "libanyprof_rt.a"), "-Wl,--no-whole-archive"]
    wrap = [*_faults.WRAP, "-Wl,--wrap=daemon"]
    actor = os.path.join(_faults.PROGRAMS, "actor.c")
    program = _faults.path("static")
    for linker in ("bfd", "gold", "lld"):
        command = [_faults.newest(), *_faults.FRONT_END, "-pthread", "-fuse-ld=" + linker, "-o", program]
        tried = subprocess.run([*command, "-x", "c", "-"], input=b"int main(){}", capture_output=True, check=False)
        if tried.returncode:
            continue
        plain = ["-L", _faults.BUILD, "-lanyprof_rt"]
        for flags in ([*plain, *wrap], [*plain, *wrap, "-static"], whole, [*whole, *wrap], [*whole, *wrap, "-static"]):
            subprocess.run([*command, actor, *flags], check=True)
            for end, code in (("quick:5", 5), ("_exit:6", 6), ("daemon", 0)):
                at = _faults.fresh("statically")
                run(program, "mark:1 " + end, os.path.join(at, "p.profraw"), code=code)
                check(sums(profiles(at)), {1: 1} if wrap[0] in flags else {}, "%s %s %s" % (linker, flags, end))
            figures["ways of linking"] += 1


def libraries():
    """A hundred of them, and a signal: all write. They are one program to a pool."""
    library = _faults.path("one.so")
    source = os.path.join(_faults.PROGRAMS, "troubled.c")
    subprocess.run([_faults.newest(), *_faults.FRONT_END, "-fPIC", "-shared", source, "-o", library, "-L",
                    _faults.BUILD, "-lanyprof_rt"], check=True)
    program = _faults.compile_program("loads", ["-ldl"], source="loads.c")
    for number, end in ((100, "abort"), (100, "return")):
        at = _faults.fresh("loads")
        copies = [os.path.join(at, "%d.so" % i) for i in range(number)]
        for copy in copies:
            shutil.copy(library, copy)
        done = subprocess.run([program, end, *copies], env=environment(os.path.join(at, "p%m.profraw"), "signals"),
                              capture_output=True, text=True, check=False)
        check((done.returncode, done.stderr), (-6 if end == "abort" else 0, ""), "%d libraries, %s" % (number, end))
        found = _faults.counts(profiles(at))
        check((found.get("main"), found.get("counted_there")), (1, number), "%d libraries, %s" % (number, end))


def large():
    """More than is read into memory, by many at a time; and others that have the file open to write, or cut it."""
    n = 3000
    program = _faults.compile_program("large", [_faults.many(n)])
    at = _faults.fresh("large")
    name = os.path.join(at, "p%m.profraw")
    for _ in range(3):
        run(program, "all write reset all write fork all end", name)
    (path,) = profiles(at)
    check(os.path.getsize(path) > 131072, True, "it is large")
    every = {i + 8: 1 for i in range(n)}
    check(sums([path]), {k: 9 * v for k, v in every.items()}, "large, added up")
    with open(path, "r+b"):  # no lease is given
        run(program, "all", name)
    check(sums([path]), {k: 10 * v for k, v in every.items()}, "large, open to write")

    running = True

    def opens():
        while running:
            with open(path, "r+b") as file:
                file.read(1)
            figures["opened to write meanwhile"] += 1

    thread = threading.Thread(target=opens)
    thread.start()
    processes = [subprocess.Popen([program, *"all write reset all write reset all".split()], env=environment(name),
                                  stdout=subprocess.DEVNULL) for _ in range(10)]
    check([p.wait() for p in processes], [0] * 10, "large, all at once")
    running = False
    thread.join()
    check(sums([path]), {k: 40 * v for k, v in every.items()}, "large, all at once")
    for size in (100000, 65536, 0):
        os.truncate(path, size)
        done = run(program, "all", name)
        check(("it is now" in done.stderr, sums([path])), (size > 0, every), "large, cut")
    plain = os.path.join(at, "plain")
    for _ in range(2):
        run(program, "all write fork all end all", plain)
    os.rename(plain, os.path.join(at, "q.profraw"))
    check(sums([os.path.join(at, "q.profraw")]), {k: 3 * v for k, v in every.items()}, "large, plain")


def opened_under_a_lease():
    """While the runtime reads a file, the kernel delays other opens and signals it; the program sees nothing."""
    program = _faults.compile_program("lease", [_faults.many(3000)], source="fork_handlers.c")
    path = os.path.join(_faults.fresh("lease"), "p.profraw")
    run(program, "lease 2000 " + path, path)
    figures["writes beside opens"] += 2000


def without_links():
    """Counters are kept in a file where the file system has neither files without names nor links."""
    program = _faults.compile_program("live", ["-Wl,-u,apf_rt_live"])
    for name, options in (("p%c.profraw", ""), ("%cp%m.profraw", ""), ("p.profraw", "live")):
        at = _faults.fresh("links")
        done = run(program, "mark:1 raise:9", os.path.join(at, name), options, code=-9,
                   fault={"refuse": "tmpfile link"})
        check((done.stderr, sums(profiles(at))), ("", {1: 1}), "without links: %s %s" % (name, options))
        figures["file systems without links"] += 1


def a_pipe_for_a_lock(program):
    """Another user put a pipe in the place of the lock: no process waits for its bytes."""
    if os.getuid() != 0:
        return
    at = _faults.fresh("pipe")
    os.chmod(os.path.dirname(at), 0o755)
    os.chmod(at, 0o1777)
    path = os.path.join(at, "p.profraw")
    command = ["setpriv", "--reuid=65534", "--clear-groups", program, "mark:1", "write", "mark:1"]
    subprocess.run(command, env=environment(path), check=True, timeout=120, capture_output=True)
    os.mkfifo(_faults.lock_of(path), 0o444)
    os.chmod(_faults.lock_of(path), 0o444)
    done = subprocess.run(command, env=environment(path), check=False, timeout=120, capture_output=True, text=True)
    check((done.returncode, sums([path])), (0, {1: 2}), "a pipe for a lock: " + done.stderr)


def truncated_at_once():
    """Another process empties the file again and again, as compiler-rt does at its start: no process dies of it."""
    program = _faults.compile_program("large", [_faults.many(3000)])
    at = _faults.fresh("truncated")
    name = os.path.join(at, "p%m.profraw")
    run(program, "all", name)
    (path,) = profiles(at)
    with open(path, "rb") as file:
        content = file.read()
    running = True

    def cuts():
        while running:
            with open(path, "wb") as file:
                file.write(content)
            figures["cut meanwhile"] += 1

    thread = threading.Thread(target=cuts)
    thread.start()
    codes = [run(program, "all write reset all write", name, code=None).returncode for _ in range(40)]
    running = False
    thread.join()
    check(codes, [0] * 40, "cut meanwhile")


def main():
    with _faults.directory():
        program = _faults.compile_program("around")
        streams(program)
        directories(program)
        memory()
        users(program)
        descriptors()
        daemons(program)
        interrupted_forks()
        statically()
        libraries()
        large()
        opened_under_a_lease()
        without_links()
        a_pipe_for_a_lock(program)
        truncated_at_once()
    _faults.finish(", ".join("%d %s" % (n, what) for what, n in figures.items()))


main()
