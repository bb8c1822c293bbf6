#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof collect, where something stands against it: profiles that contradict others, kinds that do not go together,
targets, a full disk, too little memory, false locks, and what a user may do to the profiles of others."""

import fcntl
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _collect import (ANYPROF, STATE, check, counts, expect, files, kept, metrics, once,  # noqa: E402
                      profile, read, run, run_tests, write)

SOURCE = os.environ["ANYPROF_SOURCE_DIR"]
PROFILES = os.path.join(SOURCE, "examples", "profiles")


# ---- profiles that contradict each other ----


def test_contradictions(t):
    """The first profile of a build has another counter in a function than those that follow."""
    spool, raw = t + "/spool", PROFILES + "/clang-22-ir.profraw"
    run("convert", "--to=json", raw, "-o", t + "/a.json")
    document = json.loads(read(t + "/a.json"))
    function = next(f for f in document["functions"] if len(f["counts"]) > 1)
    function["counts"].append(1)
    write(t + "/b.json", json.dumps(document).encode())
    os.mkdir(spool)
    run("convert", "--to=indexed", t + "/b.json", "-o", t + "/b.profdata")
    shutil.copy(t + "/b.profdata", spool)
    expect("the other one comes first", once(spool), 0, "profiles merged: 1, rejected: 0")
    check("a build by its id", [bool(re.fullmatch(r"[0-9a-f]{40}\.part", f)) for f in kept(spool, "sums")], [True])
    for i in range(2):
        shutil.copy(raw, "%s/%d.profraw" % (spool, i))
        expect("profile %d" % i, once(spool, "--metrics", t + "/m.prom"), 0, "profiles merged: 1, rejected: 0")
    check("one sum", len(kept(spool, "sums")), 1)
    check("what is left out is counted", metrics(t + "/m.prom")["output_lost", 'what="functions"'], 1)
    check("no journal", [f for f in kept(spool, "sums") if f.startswith(".")], [])
    run("merge", t + "/b.profdata", raw, raw, "-o", t + "/want")
    check("the profile of a merge of all", read(spool + ".out"), read(t + "/want"))


def test_kinds(t):
    """What does not go together is decided by the number of profiles, and reported once."""
    spool, out = t + "/spool", t + "/spool.out"
    entry = profile(1).replace(b":ir\n", b":ir\n:entry_first\n")
    for i in range(5):
        write("%s/%d.proftext" % (spool, i), entry)
    once(spool)
    for build in "bcd":
        coverage = profile(1, build=build).replace(b":ir\n", b":ir\n:single_byte_coverage\n")
        write("%s/%s.proftext" % (spool, build), coverage)
    done = once(spool, "--metrics", t + "/m.prom")
    expect("three builds with a profile each", done, 0, "left out of the output: ", ": 1 of its profiles",
           "in the output: builds: 1")
    check("five profiles win", counts(out), {"a0": 5})
    check("builds", metrics(t + "/m.prom")["builds", 'in="none"'], 3)
    check("no round fails for that", metrics(t + "/m.prom")["failed_rounds_total", ""], 0)


def test_kinds_of_a_build(t):
    """Profiles of one build of two kinds: nothing is rejected, and the majority is in the output."""
    spool = t + "/spool"
    coverage = profile(1).replace(b":ir\n", b":ir\n:single_byte_coverage\n")
    for i in range(3):
        write("%s/%d.proftext" % (spool, i), coverage)
    write(spool + "/x.proftext", profile(1))
    expect("two kinds at once", once(spool), 0, "profiles merged: 4, rejected: 0", ": 1 of its profiles")
    check("one build", len(kept(spool, "sums")), 1)
    for i in range(3):
        write("%s/y%d.proftext" % (spool, i), profile(1))
    expect("more of the other kind", once(spool), 0, "profiles merged: 3, rejected: 0", ": 3 of its profiles")
    check("they win", counts(spool + ".out"), {"a0": 4})


def test_targets(t):
    """--for=auto goes by the compilers of the profiles, whatever was written before."""
    spool, raw = t + "/spool", PROFILES + "/clang-16-ir.profraw"
    os.mkdir(spool)
    shutil.copy(raw, spool)
    run("merge", raw, "-o", t + "/want")
    run("merge", "--for=llvm-22", raw, "-o", t + "/new")
    once(spool, "--for=llvm-22")
    check("--for=llvm-22", read(spool + ".out"), read(t + "/new"))
    once(spool)
    check("--for=auto", read(spool + ".out"), read(t + "/want"))
    check("they differ", read(t + "/want") != read(t + "/new"))


def test_values(t):
    """More values of one place than a profile can hold, in profiles that come one after the other, are all counted."""
    spool, inputs = t + "/spool", []
    for i in range(3):
        targets = "".join("f%d:%d\n" % (k, 1000 + k * (i + 1)) for k in range(i * 100, i * 100 + 250))
        text = ":ir\nmain\n1\n1\n1\n1\n0\n1\n250\n%s\n" % targets
        inputs.append(write("%s/%d.proftext" % (t, i), text.encode()))
        shutil.copy(write("%s/%d.proftext" % (t, i), text.encode()), write(spool + "/x.proftext", b""))
        once(spool)
    run("merge", *inputs, "-o", t + "/want")
    check("the values of a merge of all", read(spool + ".out"), read(t + "/want"))


def test_partial(t):
    """A partial profile may claim any number of votes."""
    spool = t + "/spool"
    write(t + "/a.proftext", profile(1))
    os.mkdir(spool)
    run("merge", "--partial", "--weighted-input=99999," + t + "/a.proftext", "-o", spool + "/a.profdata")
    write(spool + "/b.profraw", profile(1))
    expect("a partial profile", once(spool), 0, "a partial profile may claim", "profiles merged: 1, rejected: 1")


# ---- what is scarce ----


def test_memory(t):
    """A profile for which there is no memory is rejected, and takes none of the others with it."""
    if os.environ.get("ANYPROF_SANITIZE"):
        print("note: sanitizers take address space: a limit of it is not tried")
        return
    spool = t + "/spool"
    names = "".join("%d%s\n1\n1\n1\n\n" % (i, "n" * 200) for i in range(400000))
    write(spool + "/large.proftext", (":ir\n" + names).encode())
    for i in range(20):
        write("%s/%d.proftext" % (spool, i), profile(1))

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))

    done = run("collect", "--once", "--spool", spool, "-o", spool + ".out", "-j1", preexec_fn=limit)
    expect("too little memory", done, 0, "profiles merged: 20, rejected: 1")
    check("the others", counts(spool + ".out"), {"a0": 20})
    name = os.path.join(spool, STATE, "rejected", kept(spool, "rejected")[0])
    os.rename(name, spool + "/large.proftext")
    expect("enough memory", once(spool), 0, "profiles merged: 1, rejected: 0")


def test_memory_of_sum(t):
    """No profile is rejected because there is too little memory for the sums."""
    if os.environ.get("ANYPROF_SANITIZE"):
        return
    spool = t + "/spool"
    names = "".join("%d%s\n1\n1\n1\n\n" % (i, "n" * 200) for i in range(400000))
    write(spool + "/large.proftext", (":ir\n" + names).encode())
    once(spool)
    write(spool + "/small.proftext", profile(1))

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))

    words = ["collect", "--once", "--spool", spool, "-o", spool + ".out", "-j1"]
    check("the output does not fit", run(*words, preexec_fn=limit).returncode, 1)
    check("nothing is rejected", kept(spool, "rejected"), [])
    expect("with memory", run(*words), 0, "builds: 2")


def test_limits(t):
    """Limits are for profiles, not for what they become together."""
    spool, inputs = t + "/spool", []
    for i in range(6):
        values = "".join("%d:%d\n" % (10**15 + i * 1000003 * 7919 + k * 7777777777, k + 1) for k in range(200))
        text = (":ir\nf\n123\n1\n5\n1\n1\n1\n200\n%s\n" % values).encode()
        inputs.append(write("%s/%d.proftext" % (t, i), text))
        write("%s/%d.proftext" % (spool, i), text)
    expect("six profiles", once(spool, "--max-input-size=8K"), 0, "profiles merged: 6, rejected: 0")
    check("the sum is larger", os.path.getsize(os.path.join(spool, STATE, "sums", kept(spool, "sums")[0])) > 8192)
    write(spool + "/more.proftext", b":ir\n" + b"\n" * 9000)
    expect("a large one", once(spool, "--max-input-size=8K", "--max-records=1"), 0, "rejected: 1", "builds: 1")
    run("merge", *inputs, "-o", t + "/want")
    check("the output", read(spool + ".out"), read(t + "/want"))
    write(spool + "/two.proftext", profile(1, 2, build="two"))
    expect("more functions", once(spool, "--max-records=1"), 0, "rejected: 1", "builds: 1")


def test_foreign_sum(t):
    """A partial profile that was put among the sums by hand, and of which an input was lost."""
    spool = t + "/spool"
    write(spool + "/a.proftext", profile(1))
    once(spool)
    write(t + "/b.proftext", profile(2, build="b"))
    write(t + "/bad.proftext", b":ir\nf\n1\n1\n")
    subprocess.run([ANYPROF, "merge", "--quiet", "--partial", "-o", os.path.join(spool, STATE, "sums", "x.part"),
                    "b.proftext", "bad.proftext"], cwd=t, check=True)
    expect("a foreign sum", once(spool), 0, "in the output: builds: 2")
    check("both", counts(spool + ".out"), {"a0": 1, "b0": 2})


def test_places(t):
    """The collector must not take what it writes."""
    spool = t + "/spool"
    write(spool + "/a.proftext", profile(1))
    os.symlink(spool + "/out.profdata", t + "/link")
    os.symlink("link", t + "/second")
    for link in "/link", "/second":
        expect("an output that leads into the spool", run("collect", "--once", "--spool", spool, "-o", t + link), 1,
               "the output must be outside of the spool and the state")
    for state in spool, t:
        expect("a state that has the spool", run("collect", "--once", "--spool", spool, "--state", state, "-o",
               "/tmp/none"), 1, "the spool must be neither this directory nor in it")
    os.chdir(t)
    os.symlink("new", t + "/third")
    expect("a link that leads elsewhere", run("collect", "--once", "--spool", spool, "-o", "third"), 0)
    check("the output", counts(t + "/new"), {"a0": 1})
    os.chdir("/")


def fill(path):
    """Takes all of the room that is left on a disk."""
    with open(path, "wb", buffering=0) as f:
        try:
            for size in 65536, 4096, 1:
                while True:
                    f.write(b"\1" * size)
        except OSError:
            pass


def test_full_disk(t):
    """Profiles fill the disk: they are merged all the same, which makes room."""
    spool = t + "/disk"
    os.mkdir(spool)
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "none", spool],
                                           capture_output=True, check=False).returncode != 0:
        print("note: no disk can be mounted here: a full one is not tried")
        return
    try:
        out = ["-o", t + "/out", "--metrics", t + "/m.prom"]
        expect("an empty disk", run("collect", "--once", "--spool", spool, *out), 0)
        data = profile(*range(20000))
        for i in range(30):
            write("%s/%02d.proftext" % (spool, i), data)
        fill(spool + "/other")
        check("no room", os.statvfs(spool).f_bavail, 0)
        done = run("collect", "--once", "--spool", spool, *out)
        check("a full disk: " + done.stderr, counts(t + "/out").get("a1"), 30)
        check("the profiles are gone", [f for f in files(spool) if f.endswith("proftext")], [])
        os.unlink(spool + "/other")
        once_more = run("collect", "--once", "--spool", spool, *out)
        expect("room again", once_more, 0)
        check("the reserve is filled", os.stat(os.path.join(spool, STATE, "reserve")).st_blocks > 0)
    finally:
        subprocess.run(["umount", "-l", spool], check=True)


def test_no_inodes(t):
    """A disk that can have no more files."""
    spool = t + "/disk"
    os.mkdir(spool)
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,nr_inodes=100", "none", spool],
                                           capture_output=True, check=False).returncode != 0:
        return
    try:
        words = ["collect", "--once", "--spool", spool, "-o", t + "/out"]
        run(*words)
        n = 0
        try:
            for n in range(200):
                write("%s/%d.proftext" % (spool, n), profile(1))
        except OSError:
            pass
        check("no room", os.statvfs(spool).f_favail, 0)
        done = run(*words)
        check("no inodes: " + done.stderr, counts(t + "/out"), {"a0": n})
        check("the profiles are gone", [f for f in files(spool) if f.endswith("proftext")], [])
    finally:
        subprocess.run(["umount", "-l", spool], check=True)


# ---- other users ----


def test_false_locks(t):
    """What is no lock of the runtime holds nothing back; one that is held for long is reported."""
    spool = t + "/spool"
    os.mkdir(spool)
    os.mkfifo(spool + "/.fifo.profraw.anyprof-lock")
    os.mkdir(spool + "/.dir.profraw.anyprof-lock")
    os.symlink("/dev/null", spool + "/.link.profraw.anyprof-lock")
    for name in "fifo", "dir", "link", "held":
        write("%s/%s.profraw" % (spool, name), profile(1))
    lock = open(write(spool + "/.held.profraw.anyprof-lock", b""), "rb")
    fcntl.flock(lock, fcntl.LOCK_EX)
    expect("false locks", once(spool), 0, "profiles merged: 3, rejected: 0, empty: 0, waiting: 1")
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        print("note: not root, or no setpriv: locks and links of other users are not tried")
        return
    os.chmod(t, 0o755)
    os.chmod(spool, 0o1777)
    os.chown(spool + "/.held.profraw.anyprof-lock", 65534, 65534)
    expect("a lock of another user in a sticky directory", once(spool), 0, "profiles merged: 1")
    lock.close()
    # A user keeps a second name of a file, which the collector cannot make its own.
    path = write(spool + "/twice.profraw", profile(1))
    os.chown(path, 65534, 65534)
    os.link(path, t + "/second")
    expect("a file with two names", once(spool), 1, "twice.profraw: cannot be taken from the spool: Too many links")
    os.unlink(t + "/second")
    expect("one name", once(spool), 0, "profiles merged: 1")


def test_held_for_long(t):
    """A lock that a process holds for ever."""
    spool = t + "/spool"
    path = write(spool + "/x.profraw", profile(1))
    lock = open(write(spool + "/.x.profraw.anyprof-lock", b""), "rb")
    fcntl.flock(lock, fcntl.LOCK_EX)
    faketime = shutil.which("faketime")
    if not faketime or os.environ.get("ANYPROF_SANITIZE"):
        print("note: no faketime, or a sanitizer, which goes before it: a lock that is held for long is not tried")
        return
    done = subprocess.run([faketime, "-f", "+20m", ANYPROF, "collect", "--once", "--spool", spool, "-o", t + "/out"],
                          capture_output=True, check=False)
    check("held for long", (done.returncode, b"Device or resource busy" in done.stderr, os.path.exists(path)),
          (1, True, True))


run_tests(globals())
