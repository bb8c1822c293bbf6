#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How processes end: _exit and quick_exit where they are wrapped, fatal signals with ANYPROF_RT_OPTIONS=signals, in the
middle of a write too. The profile is there, and the status of the process is what it is without us. And what a process
changes before it ends: its directory, its mask, its environment, which we leave alone.

By design: signals have a stack of their own in the first thread only, so a stack that overflows in another thread ends
the process without a profile."""

import collections
import os
import random
import signal
import stat
import subprocess
import time

import _faults
from _faults import check, environment, run

NAMES = {"plain": "p.profraw", "pool": "p%m.profraw", "process": "p%p.profraw"}
FATAL = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGPIPE",
         "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGVTALRM", "SIGPROF", "SIGSYS"]
figures = collections.Counter()


def ended(program, acts, name, options, code, expected, **more):
    at = _faults.fresh("ends")
    what = "%s, %s, %s" % (acts, name, options)
    done = run(program, acts, os.path.join(at, name), options, code=None, **more)
    check((done.returncode, done.stderr), (code, ""), "status: " + what)
    check(_faults.sums(_faults.profiles(at)), expected, what)
    check(_faults.others(at), [], "what is left: " + what)
    figures["ends"] += 1
    return done


def calls(plain, wrapped):
    for name in NAMES.values():
        for end in ("_exit:3", "_Exit:4", "quick:5"):
            code = int(end[-1])
            ended(wrapped, "marks:1:5 " + end, name, "", code, {1: 5})
            ended(wrapped, "marks:1:5 write reset mark:1 " + end, name, "", code, {1: 6})
            ended(wrapped, "marks:1:5 threads:4:100 " + end, name, "signals", code, {1: 405})
            ended(plain, "marks:1:5 " + end, name, "signals", code, {})
        ended(wrapped, "mark:1 dump mark:1 _exit:6", name, "", 6, {1: 1})


def signals(program):
    for name in NAMES.values():
        for word in FATAL:
            number = getattr(signal, word)
            ended(program, "marks:1:5 raise:%d" % number, name, "signals", -number, {1: 5})
        ended(program, "marks:1:5 raise:15", name, "", -signal.SIGTERM, {})
        ended(program, "marks:1:5 abort", name, "signals", -signal.SIGABRT, {1: 5})
        ended(program, "marks:1:5 segv", name, "signals", -signal.SIGSEGV, {1: 5})
        ended(program, "marks:1:5 overflow", name, "signals", -signal.SIGSEGV, {1: 5})
        ended(program, "mark:1 fork marks:2:2 raise:6 end mark:3", name, "signals", 0, {1: 1, 2: 2, 3: 1})
        # What the program does about a signal is its own affair.
        ended(program, "handler:15 mark:1 raise:15 mark:2", name, "signals", 42, {1: 1, 7: 1})
        ended(program, "handler:11 mark:1 segv", name, "signals", 42, {1: 1, 7: 1})
        ended(program, "ignore:2 mark:1 raise:2 mark:2", name, "signals", 0, {1: 1, 2: 1})
        done = ended(program, "handler:15 write disposition:15 mark:1", name, "signals", 0, {1: 1})
        check(done.stdout, "write 0\ndisposition 1\n", "the handler stays")
        # What it was started with, as nohup does.
        ended(program, "mark:1 raise:1 mark:2", name, "signals", 0, {1: 1, 2: 1},
              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))


def amidst(program):
    """A signal at the k-th call of a write. What ends the process at once leaves what was there; others wait."""
    for kind, number in ((k, n) for k in ("plain", "pool") for n in (signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM)):
        marked = _faults.path("mark")
        for k in range(1, 60):
            if os.path.exists(marked):
                os.unlink(marked)
            at = _faults.fresh("amidst")
            name = os.path.join(at, NAMES[kind])
            done = run(program, "mark:1 write reset mark:2", name, "signals", code=None,
                       fault={"at": k, "do": "signal:%d" % number, "mark": marked})
            if not os.path.exists(marked):
                break
            found = _faults.sums(_faults.profiles(at))
            # The runtime is at its start for the first call: then its handler is not there yet.
            check(done.returncode, -number, "status, %s, signal %d at call %d" % (kind, number, k))
            if not check(found in ({}, {1: 1}, {1: 1, 2: 1}), True, "signal %d at call %d: %s" % (number, k, found)):
                continue
            if number == signal.SIGTERM and done.stdout:
                check(found.get(1), 1, "what was counted, signal at call %d" % k)
            figures["signals in the middle"] += 1


def threads(program, chance):
    """SIGTERM while threads write."""
    for kind in ("plain", "pool"):
        for _ in range(10):
            at = _faults.fresh("threads")
            process = _faults.start(program, "marks:1:5 ready:1 writers:4:1000000", os.path.join(at, NAMES[kind]),
                                    "signals")
            _faults.wait_until_ready(process.stdout)
            time.sleep(chance.random() * 0.01)
            process.terminate()
            errors = process.communicate(timeout=60)[1]
            check((errors, process.returncode), ("", -signal.SIGTERM), "threads that write")
            check(_faults.sums(_faults.profiles(at)), {1: 5}, "threads that write, " + kind)
            figures["signals in the middle"] += 1


def surroundings(program, wrapped):
    at = _faults.fresh("around")
    os.mkdir(os.path.join(at, "deep"))
    done = run(program, "mark:1 chdir:deep mark:1 write chdir:/ mark:1", "sub/r.profraw", cwd=at)
    check((done.stderr, [os.path.relpath(f, at) for f in _faults.profiles(at)]), ("", ["sub/r.profraw"]), "chdir")
    check(_faults.sums(_faults.profiles(at)), {1: 3}, "chdir")
    run(wrapped, "mark:1 chdir:deep _exit", "%m.profraw", cwd=at)
    check(len([f for f in os.listdir(at) if f.endswith(".profraw")]), 1, "chdir, a pool")
    run(program, "mark:1 chdir:deep mark:1", None, cwd=at)
    check(_faults.sums([os.path.join(at, "default.profraw")]), {1: 2}, "chdir, no name")
    for mask, refuse in ((m, r) for m in (0o022, 0o077, 0o007, 0) for r in ("", "tmpfile")):
        at = _faults.fresh("mask")
        name = os.path.join(at, "d", "m.profraw")
        run(program, "umask:%o mark:1" % mask, name, fault={"refuse": refuse})
        modes = [stat.S_IMODE(os.stat(f).st_mode) for f in (name, os.path.dirname(name))]
        check(modes, [0o666 & ~mask, 0o755 & ~mask], "modes with mask %o" % mask)
    os.chmod(name, 0o640)
    run(program, "umask:0 mark:1", name)
    check(stat.S_IMODE(os.stat(name).st_mode), 0o640, "the mode of a file that is replaced")
    for options in ("", "signals", "sync", "live", "compatible"):
        at = _faults.fresh("env")
        env = environment(os.path.join(at, "e%p.profraw"), options)
        if options == "live":
            env["LLVM_PROFILE_VERBOSE"] = "1"
        said = subprocess.run([program, "mark:1", "environ"], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True).stdout
        more = [s.split("=")[0] for s in said.splitlines() if s.split("=")[0] not in env and "=" in s]
        check(more, ["__LLVM_PROFILE_RT_INIT_ONCE"] if options == "compatible" else [], "variables, " + options)


def main():
    chance = random.Random(_faults.seed())
    with _faults.directory():
        plain = _faults.compile_program("plain")
        wrapped = _faults.compile_program("wrapped", _faults.WRAP)
        calls(plain, wrapped)
        signals(plain)
        amidst(plain)
        threads(plain, chance)
        surroundings(plain, wrapped)
    _faults.finish(", ".join("%d %s" % (n, what) for what, n in figures.items()))


main()
