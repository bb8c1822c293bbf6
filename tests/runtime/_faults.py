# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of faults share this file: programs linked with our runtime, runs of them, and what is on the disk then.

programs/actor.c does what its arguments say, so that each count is known; programs/failing_calls.c, preloaded, kills a
process or lets a call fail at the n-th of its calls. Profiles are read by `anyprof check`, which must find nothing, and
counted in `anyprof merge --text`."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from _shared import ANYPROF, BUILD, PROGRAMS, RUNTIME, SOURCE, TIMEOUT, first_counts, profiles, skip  # noqa: F401

CC = os.environ.get("ANYPROF_CC", "cc")
ALL_CLANGS = (13, 14, 15, 16, 19, 22)
WRAP = ["-Wl,--wrap=_exit", "-Wl,--wrap=_Exit", "-Wl,--wrap=quick_exit"]
FRONT_END = ["-fprofile-instr-generate", "-fprofile-update=atomic"]
KILLED = -signal.SIGKILL

checked = failed = 0
work = ""


def check(got, expected, what):
    """Counts a comparison; says what is wrong."""
    global checked, failed
    checked += 1
    if got != expected:
        failed += 1
        print("%s: %s instead of %s" % (what, got, expected))
    return got == expected


def seed():
    """The seed of random choices: ANYPROF_SEED, which test.sh sets by the commit, or 1. Printed at once."""
    chosen = int(os.environ.get("ANYPROF_SEED", "1"))
    print("seed: ANYPROF_SEED=%d" % chosen, flush=True)
    return chosen


def clangs():
    return [n for n in ALL_CLANGS if shutil.which("clang-%d" % n)]


def newest():
    return "clang-%d" % clangs()[-1]


def needs():
    """Skips the test where a tool that all of these tests need is missing."""
    if not sys.platform.startswith("linux"):
        skip("the faults are Linux's")
    if not clangs():
        skip("no clang-N")
    if not os.path.exists(RUNTIME):
        skip("no libanyprof_rt.a")


@contextlib.contextmanager
def directory():
    """The work directory; figures and the exit code at its end."""
    global work
    needs()
    with tempfile.TemporaryDirectory(prefix="anyprof-rt-") as work:
        os.chmod(work, 0o755)
        yield work


def finish(figures):
    print("%s; %d comparisons, %d failed" % (figures, checked, failed))
    sys.exit(failed != 0)


def path(name):
    return os.path.join(work, name)


def fresh(name):
    """An empty directory."""
    at = path(name)
    shutil.rmtree(at, ignore_errors=True)
    os.mkdir(at)
    return at


def compile_program(name, flags=(), clang=None, source="actor.c", mode=None):
    """A program linked with our runtime."""
    clang = clang or newest()
    program = path(name + ".program")
    command = [clang, "-O1", "-g0"] + list(FRONT_END if mode is None else mode)
    if clang == "clang-13":
        command += ["-fPIE", "-pie"]
    source = source if os.path.isabs(source) else os.path.join(PROGRAMS, source)
    command += [source, "-o", program, "-L", BUILD, "-lanyprof_rt", "-pthread"]
    subprocess.run(command + list(flags), check=True)
    return program


def many(n):
    """The flag that gives actor.c n functions more."""
    at = path("many_%d.h" % n)
    with open(at, "w", encoding="ascii") as f:
        f.write("\n".join("F(%d)" % i for i in range(n)))
    return '-DMANY="%s"' % at


def fault_library():
    at = path("fault.so")
    if not os.path.exists(at):
        source = os.path.join(PROGRAMS, "failing_calls.c")
        subprocess.run([CC, "-shared", "-fPIC", "-o", at, source, "-ldl"], check=True)
    return at


def environment(profile, options="", **fault):
    """fault: at=3, do="kill", calls="write", refuse="tmpfile" and so on, of programs/failing_calls.c."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LLVM_PROFILE", "ANYPROF_RT", "FAULT_", "__LLVM"))}
    if profile:
        env["LLVM_PROFILE_FILE"] = profile
    if options:
        env["ANYPROF_RT_OPTIONS"] = options
    if fault:
        env["LD_PRELOAD"] = fault_library()
        env.update(("FAULT_" + k.upper(), str(v)) for k, v in fault.items())
    return env


def run(program, acts, profile, options="", cwd=None, code=0, fault=None, **more):
    """Runs it; code: what its exit code must be, None: any."""
    done = subprocess.run([program] + acts.split(), env=environment(profile, options, **(fault or {})), cwd=cwd,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=TIMEOUT, check=False, **more)
    if code is not None and done.returncode != code:
        check((done.returncode, done.stderr), (code, ""), "%s %s" % (os.path.basename(program), acts))
    return done


def start(program, acts, profile, options="", fault=None, **more):
    """Starts it; its output and errors come through pipes, unless `more` says otherwise."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen([program] + acts.split(), env=environment(profile, options, **(fault or {})), text=True,
                            **pipes)


def wait_until_ready(stream):
    """Reads up to the line that a process writes at `ready:` among its acts."""
    line = stream.readline()
    while line not in ("ready\n", ""):
        line = stream.readline()
    return check(line, "ready\n", "the line of `ready:`")


class Gate:
    """A pipe at which processes wait."""

    def __enter__(self):
        self.read_end, self.write_end = os.pipe()
        return self

    def __exit__(self, *_):
        os.close(self.read_end)
        os.close(self.write_end)

    def start(self, program, acts, profile, options="", fault=None):
        """Starts it; it waits where {} stands in its acts."""
        return start(program, acts.replace("{}", "await:%d" % self.read_end), profile, options, fault,
                     pass_fds=[self.read_end])

    def open(self, processes=1):
        """Lets so many on."""
        os.write(self.write_end, b"1" * processes)


def lock_of(profile):
    """Returns the path of the lock beside a profile that is being changed."""
    return os.path.join(os.path.dirname(profile), ".%s.anyprof-lock" % os.path.basename(profile))


def others(at):
    """Returns the files that are no profiles."""
    return sorted(f for _, _, files in os.walk(at) for f in files if not f.endswith(".profraw"))


def whole(files):
    """Is each a whole profile, with nothing to say about?"""
    if not files:
        return True
    done = subprocess.run([ANYPROF, "check"] + files, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr)
    return check(done.returncode, 0, "anyprof check of %s" % " ".join(files))


def text_of(files):
    done = subprocess.run([ANYPROF, "merge", "--failure-mode=any", "--text", "-o", "-"] + files, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        print(done.stderr)
    check(done.returncode, 0, "anyprof merge of %s" % " ".join(files))
    return done.stdout


def counts(files, strictly=True):
    """The first counter of each function, in all files together."""
    if not files or (strictly and not whole(files)):
        return {}
    return first_counts(text_of(files))


def sums(files, strictly=True):
    """The counts of functions mark_N and many_N: {N: count}, without zeros; many_0 is 8."""
    found = counts(files, strictly)
    result = {int(k[5:]): v for k, v in found.items() if k.startswith("mark_") and v}
    result.update((int(k[5:]) + 8, v) for k, v in found.items() if k.startswith("many_") and v)
    return result


def read_by_llvm(files):
    """llvm-profdata of the newest clang reads it, too."""
    tool = shutil.which("llvm-profdata-" + newest().split("-")[1])
    if not tool or not files:
        return
    done = subprocess.run([tool, "merge", "--failure-mode=any", "-o", path("llvm.profdata")] + files,
                          capture_output=True, text=True, check=False)
    check((done.returncode, done.stderr), (0, ""), "llvm-profdata of %s" % " ".join(files))
