#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof collect: what is taken from the spool and what is not, sums, limits, metrics, signals, errors, units."""

import fcntl
import gzip
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _collect import (ANYPROF, STATE, check, counts, expect, files, kept, metrics, once,  # noqa: E402
                      profile, read, run, run_tests, write)

SOURCE = os.environ["ANYPROF_SOURCE_DIR"]
BUILD = os.environ["ANYPROF_BUILD_DIR"]
PROFILES = os.path.join(SOURCE, "examples", "profiles")
DAY = 86400


# ---- what is taken ----


def test_sums(t):
    spool, out = t + "/spool", t + "/spool.out"
    for i in range(10):
        write(spool + "/%d.proftext" % i, profile(i, 100))
        write(spool + "/deep/er/%d.proftext" % i, profile(7, i, 3, build="other"))
    write(spool + "/packed.proftext.gz", gzip.compress(profile(1000, 1000)))
    for name in os.listdir(PROFILES):
        if name.endswith("-ir.profraw"):
            shutil.copy(os.path.join(PROFILES, name), spool)
    write(spool + "/README", b"Drop profiles here.\n")
    write(spool + "/program", b"\x7fELF and so on")
    write(spool + "/a.prof", b"main:10:1\n 1: 10\n")
    write(spool + "/.hidden.profraw", profile(1))
    os.symlink(SOURCE + "/examples/profiles", spool + "/link")
    os.symlink(SOURCE + "/examples/profiles/clang-16-fe.profraw", spool + "/link.profraw")
    shutil.copytree(spool, t + "/same", symlinks=True)
    expect("a first round", once(spool, "--metrics", t + "/m.prom"), 0,
           "profiles merged: 27, rejected: 0, empty: 0, waiting: 0; in the output: builds: 8")
    want = [t + "/same/packed.proftext.gz"] + [t + "/same/deep"] + [t + "/same/%d.proftext" % i for i in range(10)]
    want += [os.path.join(PROFILES, f) for f in os.listdir(PROFILES) if f.endswith("-ir.profraw")]
    run("merge", *want, "-o", t + "/want")
    check("the output is one merge of all", read(out) == read(t + "/want"))
    check("what is left in the spool", [f for f in files(spool) if not f.startswith(STATE + "/sums")],
          [".hidden.profraw", "README", "a.prof", "link.profraw", "program"])
    check("links lead nowhere", os.path.exists(PROFILES + "/clang-16-fe.profraw"))
    m = metrics(t + "/m.prom")
    check("merged", m["profiles_total", 'result="merged"'], 27)
    check("ignored", m["ignored_files", ""], 5)
    check("builds", m["builds", 'in="output"'], 8)

    before = os.stat(out)
    expect("a round without profiles", once(spool), 0, "profiles merged: 0")
    check("the output is as it was", (os.stat(out).st_mtime_ns, os.stat(out).st_ino),
          (before.st_mtime_ns, before.st_ino))
    write(spool + "/more.proftext", profile(5, 5))
    once(spool, "--metrics", t + "/m.prom")
    check("sums grow", counts(out)["a0"], 45 + 1000 + 5)
    check("totals go on", metrics(t + "/m.prom")["profiles_total", 'result="merged"'], 28)
    check("for an old compiler", run("collect", "--once", "--spool", spool, "-o", out, "--for=llvm-13").returncode, 0)
    check("its version", b"version 7" in run("info", out).stdout)


def test_rejected(t):
    spool = t + "/spool"
    write(spool + "/good.proftext", profile(1))
    write(spool + "/cut.profraw", read(PROFILES + "/clang-16-ir.profraw")[:-100])
    write(spool + "/no.profraw", b"this is no profile")
    write(spool + "/set.aside.profraw.bad", b"what the runtime set aside")
    write(spool + "/fe.profraw", read(PROFILES + "/clang-16-fe.profraw"))
    expect("rejected files", once(spool, "--metrics", t + "/m.prom"), 0, "profiles merged: 2, rejected: 3",
           "rejected: ", "-cut.profraw: ", "-no.profraw: ", "-set.aside.profraw.bad: ")
    check("they are kept", sorted(f.split("-", 2)[2] for f in kept(spool, "rejected")),
          ["cut.profraw", "no.profraw", "set.aside.profraw.bad"])
    check("and counted", metrics(t + "/m.prom")["rejected_files", ""], 3)
    expect("not again", once(spool), 0, "profiles merged: 0, rejected: 0")
    check("quiet", once(spool, "--quiet").stderr, "")


def test_several(t):
    """Files with profiles of one build, once and twice, and of two builds."""
    spool, raw = t + "/spool", read(PROFILES + "/clang-22-ir.profraw")
    write(spool + "/1.profraw", raw)
    write(spool + "/2.profraw", raw + raw)
    once(spool)
    names = kept(spool, "sums")
    check("one build", len(names), 1)
    own = bytes.fromhex(names[0].split(".")[0])
    other = bytes(255 - b for b in own)
    write(spool + "/3.profraw", raw + raw.replace(own, other))
    write(spool + "/4.profraw", raw.replace(own, other) + raw)
    write(spool + "/5.profraw", raw.replace(own, other))
    once(spool)
    more = sorted(set(kept(spool, "sums")) - set(names))
    check("two more", sorted(f[:8] for f in more), sorted([other.hex()[:8], "several-"]))
    run("merge", "--weighted-input=8,%s/clang-22-ir.profraw" % PROFILES, "-o", t + "/want")
    check("all counts", counts(t + "/spool.out"), counts(t + "/want"))


def test_journal_without_sum(t):
    """A sum was removed, or its removal was interrupted: its journal means nothing."""
    spool = t + "/spool"
    write(spool + "/1.proftext", profile(1))
    once(spool)
    name = kept(spool, "sums")[0]
    journal = write(os.path.join(spool, STATE, "sums", "." + name + ".anyprof-merged"), b"")
    os.unlink(os.path.join(spool, STATE, "sums", name))
    old = read(t + "/spool.out")
    expect("a journal without its sum", once(spool), 0, "in the output: builds: 0")
    check("it is gone", (os.path.exists(journal), kept(spool, "sums"), read(t + "/spool.out")), (False, [], old))


def test_damaged_sum(t):
    spool = t + "/spool"
    write(spool + "/1.proftext", profile(1))
    once(spool)
    sum_file = os.path.join(spool, STATE, "sums", kept(spool, "sums")[0])
    write(sum_file, read(sum_file)[:-8])
    expect("a damaged sum, and no profile of its build", once(spool), 1, "the sum of this build begins anew")
    expect("once", once(spool), 0)
    write(spool + "/2.proftext", profile(2))
    once(spool)
    write(sum_file, read(sum_file)[:-8])
    write(spool + "/3.proftext", profile(3))
    expect("a damaged sum", once(spool), 0, "the sum of this build begins anew")
    check("a new one", counts(t + "/spool.out"), {"a0": 3})
    check("the old ones are kept", len(kept(spool, "rejected")), 2)


def has_leases(t):
    with open(write(t + "/lease", b"x"), "rb") as f:
        try:
            fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return True
        except OSError:
            return False


def test_files_in_use(t):
    spool = t + "/spool"
    for name in "written.profraw", "mapped.profraw", "locked.profraw", "a.live.123.profraw":
        write("%s/%s" % (spool, name), profile(1, build=name[0]))
    written = open(spool + "/written.profraw", "r+b")
    with open(spool + "/mapped.profraw", "r+b") as f:
        mapped = mmap.mmap(f.fileno(), 0)
    live = open(spool + "/a.live.123.profraw", "r+b")
    lock = open(write(spool + "/.locked.profraw.anyprof-lock", b""), "rb")
    fcntl.flock(lock, fcntl.LOCK_EX)
    empty = open(spool + "/empty.profraw", "wb")
    empty.close()
    expect("files in use", once(spool, settle="1h"), 0, "profiles merged: 0, rejected: 0, empty: 0, waiting: 5")
    check("they stay", len(files(spool)), 6)
    written.write(profile(2, build="w"))
    written.close()
    mapped.close()
    lock.close()
    live.close()
    time.sleep(2.1)
    expect("files that were in use", once(spool), 0, "profiles merged: 4, rejected: 0, empty: 1, waiting: 0")
    check("their counts", sorted(counts(t + "/spool.out").values()), [1, 1, 1, 2])
    check("the lock is gone", [f for f in files(spool) if "lock" in f], [])

    # A file that is opened before it is taken, and written to after it.
    late = write(spool + "/late.profraw", profile(1))
    claimed = os.path.join(spool, STATE, "claimed")
    os.rename(late, claimed + "/1-late")
    with open(claimed + "/1-late", "r+b") as f:
        expect("taken, and open", once(spool), 0, "profiles merged: 0, rejected: 0, empty: 0, waiting: 1")
        f.write(profile(3))
    expect("taken, and closed", once(spool), 0, "profiles merged: 1")
    check("the last counts", counts(t + "/spool.out")["a0"], 4)

    # What may be about to get its name has to settle.
    write(spool + "/x.profraw.tmp", profile(4))
    expect("another name", once(spool, settle="1h"), 0, "profiles merged: 0, rejected: 0, empty: 0, waiting: 1")
    time.sleep(2.1)
    expect("it has settled", once(spool), 0, "profiles merged: 1")
    # A lock that was left by a kill is no obstacle.
    write(spool + "/.y.profraw.anyprof-lock", b"")
    write(spool + "/y.profraw", profile(5))
    write(spool + "/.z.profraw.anyprof-lock", b"")
    expect("old locks", once(spool), 0, "profiles merged: 1")
    # The runtime cuts long names in the names of locks.
    long = "l" * 232 + ".profraw"
    write(spool + "/" + long, profile(6))
    lock = open(write(spool + "/.%s.anyprof-lock" % long[:204], b""), "rb")
    fcntl.flock(lock, fcntl.LOCK_EX)
    expect("the lock of a long name", once(spool), 0, "profiles merged: 0, rejected: 0, empty: 0, waiting: 1")
    lock.close()
    expect("it is free", once(spool), 0, "profiles merged: 1")
    check("they are gone", [f for f in files(spool) if "lock" in f], [])


# ---- what is forgotten ----


def age_sums(spool, days):
    for name in kept(spool, "sums"):
        os.utime(os.path.join(spool, STATE, "sums", name), (time.time() - days * DAY,) * 2)


def age_rejects(spool, days):
    """Their age is in their names."""
    for name in kept(spool, "rejected"):
        path = os.path.join(spool, STATE, "rejected", name)
        os.rename(path, os.path.join(os.path.dirname(path), "%010x" % int(time.time() - days * DAY) + name[10:]))


def test_keep(t):
    spool = t + "/spool"
    write(spool + "/old.profraw", profile(1, build="old"))
    write(spool + "/no.profraw", b"no")
    write(spool + "/.x.profraw.anyprof-1-1", b"left by a process that was killed")
    os.utime(spool + "/.x.profraw.anyprof-1-1", (1, 1))
    write(spool + "/.other", b"not ours")
    os.utime(spool + "/.other", (1, 1))
    once(spool)
    age_sums(spool, 8)
    age_rejects(spool, 8)
    write(spool + "/new.profraw", profile(2, build="new"))
    expect("a week later", once(spool, "--metrics", t + "/m.prom"), 0, "this build was forgotten", "(--keep)")
    check("one build is left", counts(t + "/spool.out"), {"new0": 2})
    check("no rejected file", kept(spool, "rejected"), [])
    m = metrics(t + "/m.prom")
    check("reasons", (m["forgotten_builds_total", 'reason="age"'], m["removed_rejects_total", 'reason="age"']), (1, 1))
    check("hidden files", [f for f in files(spool) if f.startswith(".") and not f.startswith(STATE)], [".other"])
    age_sums(spool, 7.5)
    old = read(t + "/spool.out")
    expect("not old enough", once(spool, "--keep=8d", "--quiet"), 0)
    check("with --keep=8d it stays", len(kept(spool, "sums")), 1)
    # A rejected file is as old as its rejection, not as its bytes; a profile too.
    for name in "no.profraw", "last.profraw":
        os.utime(write(spool + "/" + name, b"no" if name[0] == "n" else profile(1, build="new")), (1, 1))
    once(spool)
    check("rejected just now", (len(kept(spool, "rejected")), counts(t + "/spool.out")), (1, {"new0": 3}))
    old = read(t + "/spool.out")
    age_sums(spool, 9)
    expect("the last build", once(spool), 0, "in the output: builds: 0")
    check("the output stays", read(t + "/spool.out"), old)


def test_max_disk(t):
    spool = t + "/spool"
    for i in range(8):
        write(spool + "/%d.proftext" % i, profile(*range(600), build="b%d" % i))
        write(spool + "/%d.profraw" % i, b"no profile" * 1000)
    once(spool, "--quiet")
    for i, name in enumerate(kept(spool, "sums")):
        os.utime(os.path.join(spool, STATE, "sums", name), (time.time() - 1000 + i,) * 2)
    newest = kept(spool, "sums")[-1]
    check("eight builds", (len(kept(spool, "sums")), len(kept(spool, "rejected"))), (8, 8))
    used = sum(os.stat(os.path.join(spool, STATE, "sums", f)).st_blocks * 512 for f in kept(spool, "sums"))
    expect("room for the sums and a rejected file", once(spool, "--max-disk=%d" % (used + 16000)), 0, "--max-disk")
    check("the builds stay", len(kept(spool, "sums")), 8)
    check("some rejected files go", 0 < len(kept(spool, "rejected")) < 8)
    once(spool, "--max-disk=%d" % (used // 2), "--metrics", t + "/m.prom")
    check("half of the builds go", len(kept(spool, "sums")), 4)
    check("and all rejected files", kept(spool, "rejected"), [])
    check("reasons", metrics(t + "/m.prom")["forgotten_builds_total", 'reason="disk"'], 4)
    once(spool, "--max-disk=1")
    check("the newest build stays", kept(spool, "sums"), [newest])


# ---- a collector that runs ----


def wait_for(what, condition):
    for _ in range(600):
        if condition():
            break
        time.sleep(0.05)
    check(what, bool(condition()))


def test_signals(t):
    spool, out = t + "/spool", t + "/out"
    os.mkdir(spool)
    words = [ANYPROF, "collect", "--spool", spool, "-o", out, "--quiet"]
    p = subprocess.Popen([*words, "--every=1h"], stderr=subprocess.PIPE)
    wait_for("it has begun", lambda: os.path.exists(spool + "/" + STATE + "/totals"))
    expect("a second collector", run(*words[1:], "--once"), 1, "another collector is at work")
    write(spool + "/sub/1.profraw", profile(1))
    p.send_signal(signal.SIGHUP)
    wait_for("SIGHUP begins a round", lambda: os.path.exists(out))
    # More than a batch: these are merged before it is time.
    for i in range(5000):
        write(spool + "/sub/%d.tmp" % i, profile(1))
        os.rename(spool + "/sub/%d.tmp" % i, spool + "/sub/%d.profraw" % i)
    wait_for("many files are merged at once", lambda: len(os.listdir(spool + "/sub")) < 5000 - 4096 + 1)
    p.send_signal(signal.SIGTERM)
    check("SIGTERM", (p.wait(timeout=60), p.stderr.read()), (0, b""))
    p = subprocess.Popen([*words, "--every=1"], stderr=subprocess.PIPE)
    wait_for("the rest", lambda: not os.listdir(spool + "/sub"))
    wait_for("and the output", lambda: counts(out)["a0"] == 5001)
    write(spool + "/2.profraw", profile(1))
    wait_for("it goes on", lambda: counts(out)["a0"] == 5002)
    p.send_signal(signal.SIGINT)
    check("SIGINT", (p.wait(timeout=60), p.stderr.read()), (0, b""))


def peak(spool, n):
    """The memory at the peak, in KB, of a collector that has merged n profiles."""
    data = profile(*range(400))
    os.mkdir(spool)
    for i in range(n):
        with open("%s/%d.proftext" % (spool, i), "wb") as f:
            f.write(data)
    p = subprocess.Popen([ANYPROF, "collect", "--quiet", "--every=1h", "-j1", "--spool", spool, "-o", spool + ".out"])
    wait_for("%d profiles are merged" % n, lambda: os.path.exists(spool + ".out"))
    peak_of = int(re.search(r"VmHWM:\s*(\d+)", read("/proc/%d/status" % p.pid).decode())[1])
    p.terminate()
    check("the collector ends", p.wait(timeout=60), 0)
    check("all are merged", counts(spool + ".out")["a1"], n)
    return peak_of


def test_memory(t):
    if os.environ.get("ANYPROF_SANITIZE"):
        print("note: sanitizers keep what is freed: memory is not measured")
        return
    few, many = peak(t + "/few", 4500), peak(t + "/many", 20000)
    check("20,000 profiles take no more memory than 4,500: %d and %d KB" % (many, few), many < few * 1.25)


def test_huge(t):
    """A sparse file that is larger than the memory takes nothing from the others."""
    spool = t + "/spool"
    os.truncate(write(spool + "/huge.profraw", b""), os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 2)
    write(spool + "/1.profraw", profile(1))
    expect("a huge file", once(spool), 0, "profiles merged: 1, rejected: 1", "a limit of this run was exceeded")


# ---- errors ----


def test_errors(t):
    spool = t + "/spool"
    os.mkdir(spool)
    out = t + "/out"
    expect("no spool", run("collect", "-o", out), 2, "--spool=DIR is required")
    expect("no output", run("collect", "--spool", spool), 2, "-o FILE is required")
    expect("standard output", run("collect", "--spool", spool, "-o", "-"), 2, "-o FILE is required")
    expect("a file", run("collect", "--spool", spool, "-o", out, "x"), 2)
    for wrong in "0", "5x", "m", "-1m", "1.5h", "99999999999999999999", "9999999999999w", "":
        expect("--every=" + wrong, run("collect", "--spool", spool, "-o", out, "--every=" + wrong), 2,
               "takes a time such as 30s, 5m, 12h or 7d")
    expect("--max-disk=0", run("collect", "--spool", spool, "-o", out, "--max-disk=0"), 2)
    expect("an unknown target", run("collect", "--spool", spool, "-o", out, "--for=llvm-99"), 2)
    expect("no such spool", run("collect", "--spool", t + "/none", "-o", out), 1, "No such file or directory")
    expect("a spool that is a file", run("collect", "--spool", ANYPROF, "-o", out), 1, "Not a directory")
    expect("an output in no directory", run("collect", "--spool", spool, "-o", t + "/none/x"), 1)
    expect("a directory", run("collect", "--spool", spool, "-o", t), 1, "it is a directory")
    os.makedirs(spool + "/sub")
    os.symlink(spool, t + "/link")
    os.symlink(spool + "/sub/target", t + "/link.out")
    write(spool + "/sub/target", b"")
    for inside in spool + "/x", spool + "/sub/x", t + "/link/x", t + "/link.out":
        expect("an output in the spool", run("collect", "--spool", spool, "-o", inside), 1,
               "the output must be outside of the spool and the state")
    expect("metrics in the spool", run("collect", "--spool", spool, "-o", out, "--metrics", spool + "/x"), 1,
           "the metrics must be outside of the spool and the state")
    os.mkdir(t + "/own")
    expect("an output in the state", run("collect", "--spool", spool, "--state", t + "/own", "-o", t + "/own/sums/x"),
           1, "the output must be outside of the spool and the state")
    os.mkfifo(t + "/fifo")
    for other in t + "/fifo", "/dev/null":
        expect("an output that is no file", run("collect", "--spool", spool, "-o", other), 1, "must be a file")
    expect("metrics over the output", run("collect", "--spool", spool, "-o", out, "--metrics", out), 1)
    shutil.rmtree(spool + "/" + STATE)
    os.chmod(spool, 0o777)
    expect("an unsafe spool", run("collect", "--spool", spool, "-o", out), 1, "chmod +t")
    os.chmod(spool, 0o1777)
    expect("a sticky spool", once(spool), 0)
    os.chmod(spool, 0o777)
    expect("the state elsewhere", once(spool, "--state", t + "/state"), 0)
    os.chmod(t + "/state", 0o777)
    expect("a state of others", once(spool, "--state", t + "/state"), 1, "a directory of the user that collects")
    os.makedirs(t + "/open/state")
    os.chmod(t + "/open", 0o777)
    expect("a state that others can move", once(spool, "--state", t + "/open/state"), 1, "chmod +t")
    os.makedirs(t + "/real")
    os.makedirs(t + "/linked")
    os.symlink(t + "/real", t + "/linked/" + STATE)
    expect("a state that is a link", once(t + "/linked"), 1, "this is a symbolic link")
    check("nothing is done there", os.listdir(t + "/real"), [])
    os.makedirs(t + "/filed")
    write(t + "/filed/" + STATE, b"")
    expect("a state that is a file", once(t + "/filed"), 1)
    if os.path.isdir("/dev/shm") and os.stat("/dev/shm").st_dev != os.stat(t).st_dev:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as other:
            expect("another file system", once(spool, "--state", other), 1, "on the file system of the spool")


def test_names(t):
    """Names with any bytes, and too long ones."""
    spool = t + '/sp"o\\o\nl'
    os.mkdir(spool)
    for name in b"a\xff\n.profraw", b"x" * 247 + b".profraw", b"- -\x1b[31m.profraw":
        with open(os.path.join(os.fsencode(spool), name), "wb") as f:
            f.write(profile(1))
    deep = spool + "/d" * 40
    write(deep + "/1.profraw", profile(100))
    done = once(spool, "--metrics", t + "/m.prom")
    expect("strange names", done, 0, "profiles merged: 3")
    check("too deep", counts(spool + ".out")["a0"], 3)
    check("it is ignored", metrics(t + "/m.prom")["ignored_files", ""], 1)
    line = read(t + "/m.prom").decode().splitlines()[2]
    check("the label", ('sp\\"o\\\\o\\nl"' in line) or line)
    # Debian's module is that of Debian's Python, which need not be the one that runs this.
    parser = ("import sys\nfrom prometheus_client.parser import text_string_to_metric_families as parse\n"
              "text = open(sys.argv[1], encoding='utf-8').read()\n"
              "print({s.labels['spool'] for f in parse(text) for s in f.samples} == {sys.argv[2]})")
    words = ["/usr/bin/python3", "-c", parser, t + "/m.prom", os.path.realpath(spool)]
    try:
        subprocess.run(["/usr/bin/python3", "-c", "import prometheus_client"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        print("note: python3-prometheus-client is not installed: its parser is not tried")
        return
    check("Prometheus reads it", subprocess.run(words, capture_output=True, check=False).stdout, b"True\n")


def test_other_users(t):
    """Root collects the files of all users from a sticky directory, with the rights that the unit of systemd leaves."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        print("note: not root, or no setpriv: files of other users are not tried")
        return
    spool = t + "/spool"
    os.mkdir(spool)
    os.chmod(spool, 0o1777)
    os.chmod(t, 0o755)
    path = write(spool + "/1.profraw", profile(1))
    os.chmod(path, 0o600)
    os.chown(path, 65534, 65534)
    lock = write(spool + "/.1.profraw.anyprof-lock", b"")
    os.chown(lock, 65534, 65534)
    unit = read(SOURCE + "/cli/systemd/sandbox.conf").decode()
    rights = re.search("CapabilityBoundingSet=(.*)", unit)[1].lower().replace("cap_", "+").replace(" ", ",")
    command = ["setpriv", "--bounding-set", "-all," + rights, "--inh-caps", "-all", "--no-new-privs", ANYPROF,
               "collect", "--once", "--spool", spool, "-o", t + "/out", "--settle=1h"]
    done = subprocess.run(command, capture_output=True, check=False)
    check("with few rights: " + done.stderr.decode(), (done.returncode, counts(t + "/out")), (0, {"a0": 1}))
    # A lease of its owner is not waited for.
    write(spool + "/lease.profraw", profile(1, build="lease"))
    os.chown(spool + "/lease.profraw", 65534, 65534)
    holder = ("import fcntl, sys, time\nf = open(sys.argv[1], 'r+b')\n"
              "fcntl.fcntl(f, fcntl.F_SETSIG, 0)\nimport signal\nsignal.signal(signal.SIGIO, signal.SIG_IGN)\n"
              "fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)\nprint(1, flush=True)\ntime.sleep(100)")
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", holder]
    p = subprocess.Popen([*command, spool + "/lease.profraw"], stdout=subprocess.PIPE)
    p.stdout.readline()
    began = time.monotonic()
    expect("a lease of another user", once(spool), 0, "profiles merged: 0, rejected: 0, empty: 0, waiting: 1")
    check("it is not waited for", time.monotonic() - began < 30)
    p.kill()
    p.communicate()
    expect("the lease is gone", once(spool), 0, "profiles merged: 1")
    # A user that is not root may have no lease of it, and cannot take it.
    path = write(spool + "/2.profraw", profile(1))
    os.mkdir(t + "/mine")
    os.chown(t + "/mine", 65534, 65534)
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ANYPROF, "collect", "--once", "--spool",
               spool, "--state", t + "/mine/state", "-o", t + "/mine/out", "--settle=1s"]
    time.sleep(2.1)
    done = subprocess.run(command, capture_output=True, check=False)
    check("another user's file", (done.returncode, b"cannot be taken from the spool: " in done.stderr or done.stderr),
          (1, True))
    os.chmod(spool, 0o777)
    done = subprocess.run([*command[:-1], "--settle=1h"], capture_output=True, check=False)
    check("it has to settle: " + done.stderr.decode(), b"waiting: 1" in done.stderr)
    for _ in range(2):  # once in the spool, and once after it was taken
        time.sleep(2.1)
        done = subprocess.run(command, capture_output=True, check=False)
    check("it has settled: " + done.stderr.decode(), (done.returncode, counts(t + "/mine/out")), (0, {"a0": 1}))


def test_units(t):
    if not shutil.which("systemd-analyze") or not shutil.which("cmake"):
        print("note: systemd-analyze or cmake is missing: units are not tried")
        return
    done = subprocess.run(["cmake", "--install", BUILD, "--prefix", t + "/usr"], capture_output=True, check=False)
    check("an installation", done.returncode, 0)
    units = t + "/usr/lib/systemd/system/"
    names = sorted(os.listdir(units))
    check("the units", names, ["anyprof-collect-once.service", "anyprof-collect-once.timer", "anyprof-collect.service"])
    for name in names:
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", units + name], capture_output=True, check=False)
        check("systemd-analyze verify " + name, (done.returncode, done.stderr), (0, b""))
        for line in read(units + name).decode().splitlines():
            if line.startswith("ExecStart="):
                words = line[len("ExecStart="):].replace("$OPTIONS", "--max-disk=20G").replace("/var", t).split()
                os.makedirs(t + "/spool/anyprof", exist_ok=True)
                os.makedirs(t + "/lib/anyprof", exist_ok=True)
                write(t + "/spool/anyprof/x.profraw", profile(1))
                done = subprocess.run(words + ["--once"], capture_output=True, check=False)
                check("%s: %s" % (name, done.stderr.decode()), done.returncode, 0)


def main():
    with tempfile.TemporaryDirectory() as t:
        leases = has_leases(t)
    if not leases:
        print("note: no leases here: files in use are not tried")
    skipped = () if leases else ("test_files_in_use", "test_other_users")
    run_tests({name: test for name, test in globals().items() if name not in skipped})


if __name__ == "__main__":
    main()
