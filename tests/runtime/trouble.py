#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Things go wrong around a runtime: libraries that are unloaded, or loaded late and often; cancelled threads;
sanitizers; other users' locks and files; linkers that drop what is unused; names that are absolute after `%c`."""

import os
import subprocess
import time

import _lib
from _lib import OURS, must, run
from _shared import first_counts, profiles

FLAGS = ["-fprofile-instr-generate"]


class Programs:
    """The program and its libraries, by a release."""

    def __init__(self, clang, shop):
        self.clang, self.shop = clang, shop
        self.a, self.b = self.library(), self.library()

    def source(self, name):
        return os.path.join(_lib.PROGRAMS, name)

    def library(self, *options):
        path = self.shop.path("library.so")
        must([self.clang.path, *FLAGS, "-fPIC", "-shared", self.source("troubled.c"), *OURS, *options, "-o", path])
        return path

    def program(self, *options):
        path = self.shop.path("program")
        must([self.clang.path, *FLAGS, "-fPIE", "-pie", "-pthread", self.source("trouble.c"), *OURS, *options, "-ldl",
              "-o", path])
        return path

    def run(self, program, what, name, **environment):
        """In a directory of its own, which is returned with the result."""
        directory = os.path.dirname(self.shop.path("here"))
        libraries = {"A": self.a, "B": self.b}
        return directory, run([program, what], directory, name, **{**libraries, **environment})


def counts(directory):
    """{function: how often} of all profiles there."""
    raws = profiles(directory)
    if not raws:
        return {}
    found = first_counts(must([_lib.ANYPROF, "merge", "--text", *raws, "-o", "-"]))
    return {name: n for name, n in found.items() if name in ("main", "counted", "counted_there")}


ALONE, BOTH = {"main": 1, "counted": 1}, {"main": 1, "counted": 1, "counted_there": 1}


def check_libraries(p, checks):
    program = p.program()
    for name in ("p.profraw", "%m.profraw"):
        directory, done = p.run(program, "unload the first, crash", name, ANYPROF_RT_OPTIONS="signals")
        checks.equal((done.returncode, done.stderr), (-6, ""), "%s: the signal of the process" % p.clang)
        checks.equal(counts(directory), {**BOTH, "counted_there": 2}, "%s: all images" % p.clang)
        directory, done = p.run(program, "fork, load", name)
        # The child counted nothing of its own but the way out of main.
        checks.equal(counts(directory), {**BOTH}, "%s: forked, then loaded" % p.clang)
        directory, done = p.run(program, "load often", name)
        descriptors, maps = (int(n) for n in done.stdout.split())
        checks.that(descriptors <= 8 and maps <= 80, "%s: descriptors and mappings are left" % p.clang, done.stdout)
        checks.equal(counts(directory), {**BOTH, "counted_there": 200}, "%s: loaded often" % p.clang)
    p.a = p.library("-Wl,-u,apf_rt_live")
    directory, done = p.run(program, "load often", "p.profraw", ANYPROF_RT_OPTIONS="live")
    descriptors, maps = (int(n) for n in done.stdout.split())
    checks.that(descriptors <= 8 and maps <= 80, "%s: live leaves descriptors and mappings" % p.clang, done.stdout)
    checks.equal(counts(directory), {**BOTH, "counted_there": 200}, "%s: loaded often, live" % p.clang)


def check_linked(p, checks):
    """Checks what a forked process counts when the library is there from the start, with a dump in between."""
    for options, name, environment in (([], "p.profraw", ""), ([], "%m.profraw", ""),
                                       (["-mllvm", "-runtime-counter-relocation"], "p.profraw", "live"),
                                       (["-Wl,-u,apf_rt_live"], "p.profraw", "live")):
        library, program = p.library(*options), p.shop.path("linked")
        must([p.clang.path, *FLAGS, "-fPIE", "-pie", p.source("linked.c"), library, *OURS, *options,
              "-Wl,-rpath," + os.path.dirname(library), "-o", program])
        for what in ([], ["dump"]):
            directory = os.path.dirname(p.shop.path("here"))
            done = run([program, *what], directory, name, ANYPROF_RT_OPTIONS=environment)
            checks.equal((done.returncode, done.stderr), (0, ""), "%s: linked, %s" % (p.clang, environment))
            checks.equal(counts(directory), {"main": 1, "counted": 3, "counted_there": 3},
                         "%s: linked, %s, %s, %s, %s" % (p.clang, options, name, environment, what))


def check_threads(p, checks):
    directory, done = p.run(p.program(), "cancel", "p.profraw", ANYPROF_RT_OPTIONS="wait=2")
    checks.equal((done.returncode, done.stderr, counts(directory)), (0, "", ALONE), "%s: cancelled" % p.clang)
    checks.equal(os.listdir(directory), ["p.profraw"], "%s: cancelled: what is left" % p.clang)
    for sanitizer in ("thread", "address"):
        directory, done = p.run(p.program("-fsanitize=" + sanitizer), "threads write", "p.profraw")
        checks.equal((done.returncode, done.stderr, counts(directory)), (0, "", ALONE),
                     "%s: -fsanitize=%s" % (p.clang, sanitizer))


def check_continuous(p, checks):
    relocated = p.program("-mllvm", "-runtime-counter-relocation")
    for what, status in (("crash", -6), ("", 0), ("kill", -9)):
        for name in ("c%c.profraw", "%c%m.profraw"):
            directory, done = p.run(relocated, what, name, ANYPROF_RT_OPTIONS="signals")
            checks.equal((done.returncode, counts(directory)), (status, ALONE), "%s: %s, %s" % (p.clang, name, what))
    directory = os.path.dirname(p.shop.path("elsewhere"))
    p.run(relocated, "", "%c" + os.path.join(directory, "there.profraw"))
    checks.equal((os.listdir(directory), counts(directory)), (["there.profraw"], ALONE), "%s: %%c/absolute" % p.clang)
    for linker in ("bfd", "lld"):
        options = ["-fuse-ld=" + linker, "-Wl,--gc-sections", "-Wl,-u,apf_rt_live"]
        if run([p.clang.path, "-fuse-ld=" + linker, "-x", "c", "-c", "/dev/null", "-o", "/dev/null"]).returncode:
            continue
        directory, done = p.run(p.program(*options), "kill", "p.profraw", ANYPROF_RT_OPTIONS="live")
        checks.equal((done.returncode, done.stderr, counts(directory)), (-9, "", ALONE),
                     "%s: live, %s --gc-sections" % (p.clang, linker))


def check_streams(p, checks):
    # A program without a stream for errors: the file does not take the place of one of them.
    relocated = p.program("-mllvm", "-runtime-counter-relocation")
    for program, name in ((relocated, "%cp.profraw"), (p.program(), "p.profraw")):
        directory = os.path.dirname(p.shop.path("here"))
        command = 'exec "$0" complain 2>&-'
        done = run(["sh", "-c", command, program], directory, name)
        found = [os.path.join(directory, f) for f in os.listdir(directory)]
        checks.equal((done.returncode, counts(directory)), (3, ALONE), "%s: no streams, %s" % (p.clang, name))
        checks.equal(run([_lib.ANYPROF, "check", *found]).returncode, 0, "%s: no streams, %s: whole" % (p.clang, name))
    # The parent's death would be the child's, which waits for room in a pipe.
    directory = os.path.dirname(p.shop.path("here"))
    pipe = os.path.join(directory, "pipe")
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    filled = 0
    try:
        while True:
            filled += os.write(end, b"x" * 4096)
    except BlockingIOError:
        pass
    nothing = subprocess.DEVNULL
    subprocess.run([p.program(), "parent dies"], env={"LLVM_PROFILE_FILE": pipe}, cwd=directory, check=False,
                   stdin=nothing, stdout=nothing, stderr=nothing)
    got, until = b"", time.monotonic() + 5
    while len(got) < filled + 100 and time.monotonic() < until:
        try:
            got += os.read(end, 65536)
        except BlockingIOError:
            time.sleep(0.01)
    os.close(end)
    raw = os.path.join(directory, "read.profraw")
    with open(raw, "wb") as file:
        file.write(got[filled:])
    checks.equal("main" in counts(directory), True, "%s: a child whose parent dies while it writes" % p.clang)


def check_builds(p, checks):
    """Two builds whose records are the same stay apart in a pool, each with its id."""
    ids = ["11" * 20, "22" * 20]
    directory = os.path.dirname(p.shop.path("here"))
    for build in ids * 2:
        run([p.program("-Wl,--build-id=0x" + build)], directory, "p%m.profraw")
    raws = [os.path.join(directory, f) for f in os.listdir(directory)]
    shown = must([_lib.ANYPROF, "show", "--binary-ids", *raws])
    # clang 13's version has no room for ids of this length.
    wanted = ids if p.clang.number > 13 else []
    checks.equal((len(raws), [i for i in ids if i in shown]), (1, wanted), "%s: two builds" % p.clang)
    checks.equal(counts(directory)["counted"], 4, "%s: two builds, twice each" % p.clang)


def check_others_files(p, checks):
    """As another user, who may write the directory."""
    if os.getuid() != 0:
        print("skipped: other users' files: not root")
        return
    program = p.program()
    os.chmod(p.shop.directory, 0o755)
    for name, mode, wanted in (("p%m.profraw", 0o666, 2), ("q%m.profraw", 0o444, 1)):
        directory, _ = p.run(program, "", name)
        os.chmod(directory, 0o777)
        (file,) = os.listdir(directory)
        path = os.path.join(directory, file)
        os.chmod(path, mode)
        lock = os.path.join(directory, ".%s.anyprof-lock" % file)
        with open(lock, "wb"):
            os.chmod(lock, 0o644)  # a killed process's
        for part in (os.path.dirname(program), os.path.dirname(directory)):
            os.chmod(part, 0o755)
        command = "umask 077; exec " + program
        run(["setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", command], directory,
            os.path.join(directory, name))
        checks.equal(counts(directory).get("counted"), wanted, "another user's file of mode %o" % mode)
        checks.equal(os.stat(path).st_mode & 0o777, mode, "the mode stays")


def main():
    checks, shop, clangs = _lib.Checks(), _lib.Workshop(), _lib.clangs()
    tested = [clangs[0], clangs[-1]]
    for clang in tested:
        programs = Programs(clang, shop)
        for check in (check_libraries, check_linked, check_threads, check_continuous, check_streams,
                      check_builds, check_others_files):
            try:
                check(programs, checks)
            except _lib.Failed as error:
                checks.that(False, "%s %s: %s" % (clang, check.__name__, error))
    checks.finish("trouble by programs of %s" % ", ".join(map(str, tested)))


if __name__ == "__main__":
    main()
