#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings that perf makes here, as anyprof reads them beside `perf script`: the same samples in the same order, in
the same files, with the same call chains; and what `perf info` says beside perf's own lists and numbers.

They are recorded in every way that needs no more than a clock, of a program that has threads, forks, runs itself
again, maps its code once more and runs code that it copied. What perf cannot read itself, such as the file of a
recorder that was killed, is first mended for it. perf_made.py has recordings that are made up."""

import collections
import concurrent.futures
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _share  # noqa: E402
from _bolt import Tally  # noqa: E402
from _perf import real_perf  # noqa: E402
from _perf_compare import (DUMP, as_perf, chains_as_perf, chains_of_perf, dump, events_of,  # noqa: E402
                           first_difference, info, of_perf, parts_of, perf, run, settle_chains)

PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline, aligned(64))) unsigned spin(unsigned n) {
    unsigned s = 1; while (n--) s = s * 3 + n; return s; }
__attribute__((noinline)) static void leaf(unsigned n) { for (unsigned i = 0; i < n; i++) sink = sink * 3 + i; sink++; }
__attribute__((noinline)) static void middle(unsigned n) { leaf(n); leaf(n / 2); sink++; }
__attribute__((noinline)) static void work(unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        char *p = malloc(1 << 18);
        middle(20000); memset(p, i, 1 << 18); free(p);
        if (i % 4 == 0) close(open("/dev/null", O_RDONLY)); }
    sink++; }
static void *thread(void *p) { work(60); return p; }
static void *map_code(const char *self, void *at) { /* maps the code of this program once more; its `spin` */
    unsigned long start, end, offset, here = (unsigned long)&spin;
    char line[512], *found = NULL;
    FILE *f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && here >= start && here < end) {
            int fd = open(self, O_RDONLY);
            found = mmap(at, end - start, PROT_READ | PROT_EXEC, MAP_PRIVATE | (at ? MAP_FIXED : 0), fd, offset);
            close(fd); found += here - start; break; }
    fclose(f); return found; }
static void elsewhere(const char *self) {
    unsigned (*copy)(unsigned) = (unsigned (*)(unsigned))map_code(self, NULL);
    sink += copy(9000000);
    char *own = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(own + 32768, (void *)&spin, 64);
    copy = (unsigned (*)(unsigned))(own + 32768);
    sink += copy(9000000);
    unsigned (*above)(unsigned) = (unsigned (*)(unsigned))map_code(self, own); /* over a part of it */
    sink += above(9000000) + copy(9000000); }
int main(int argc, char **argv) {
    pthread_t t;
    work(argc > 1 ? atoi(argv[1]) : 60);
    if (argc > 1) return 0;
    pthread_create(&t, NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            if (i == 0) { work(60); execl(argv[0], argv[0], "60", NULL); }
            if (i == 1) elsewhere(argv[0]);
            if (i == 2 && fork() == 0) { work(40); _exit(0); }
            work(40); _exit(0); }
    pthread_join(t, NULL);
    while (wait(NULL) > 0) {}
    return 0; }
"""
CLOCK = ["-e", "cpu-clock", "-F", "4000"]
ALONE = ["2000"]  # words for the program: it is one process
# Options of perf record, and words for the program.
RECORDINGS = {
    "plain": (CLOCK, []),
    "user": (["-e", "cpu-clock:u", "-F", "4000"], []),
    "kernel": (["-e", "cpu-clock:k", "-F", "20000"], []),
    "chains": (CLOCK + ["-g"], []),
    "packed": (CLOCK + ["-z"], []),
    "packed chains": (CLOCK + ["-g", "-z"], []),
    "build ids of mappings": (CLOCK + ["--buildid-mmap"], []),
    "all processors": (CLOCK + ["-a"], []),
    "events": (["-e", "cpu-clock,task-clock:u,page-faults", "-F", "4000"], []),
    "group": (["-e", "{cpu-clock,task-clock}:S", "-F", "4000"], ALONE),
    "more records": (CLOCK + ["--switch-events", "--namespaces", "--all-cgroups"], []),
    "stacks": (CLOCK + ["--call-graph", "dwarf"], []),
    "packed stacks": (CLOCK + ["--call-graph", "dwarf", "-z"], []),
    "directory": (CLOCK + ["--threads"], []),
    "packed directory": (CLOCK + ["--threads=core", "-g", "-z"], []),
    "ids and another clock": (["-e", "cpu-clock,task-clock", "--sample-identifier", "--clockid", "monotonic"], []),
    "data": (CLOCK + ["-d", "--phys-data", "--sample-cpu"], []),
    "last": (CLOCK + ["--tail-synthesize", "--overwrite"], []),
    "faults": (["-e", "page-faults", "-c", "1"], []),
    "faults and data": (["-e", "page-faults,minor-faults", "-c", "1", "-d"], []),
    "registers": (CLOCK + ["-I", "--user-regs=ip,sp,ax", "--weight", "-W"], []),
    "a thread": (CLOCK + ["--no-inherit", "-s"], ALONE),
    "no buffering": (CLOCK + ["--no-buffering", "--no-buildid", "-m", "1"], []),
}
PIPED = {"plain": CLOCK, "chains": CLOCK + ["-g"], "packed": CLOCK + ["-z"],
         "events": ["-e", "cpu-clock,task-clock:u,page-faults", "-F", "4000"], "build ids": CLOCK + ["--buildid-mmap"]}
KILLED = {"plain": CLOCK, "chains": CLOCK + ["-g"], "packed": CLOCK + ["-z"],
          "events": ["-e", "cpu-clock,task-clock:u"]}
tally = Tally()
check, failures, count = tally.check, tally.failures, tally.count


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


# ---- samples ----

def compare(what, path, events, of_ours=None, stdin=None):
    """The samples of a recording beside those that perf prints of it, or of a copy that perf can read; perf's."""
    parts, group = parts_of(events), {}
    ours = as_perf(dump(of_ours or path, stdin=stdin), parts)
    if "READ" in parts:  # perf makes a sample for each event of a group of one, and periods of what they counted
        group = {row[4] for row in ours}
        ours = [row[:3] + ("",) + row[4:] for row in ours]
    theirs = of_perf(path, parts, group)
    if group:
        theirs = [row[:3] + ("",) + row[4:] for row in theirs]
    check(theirs == ours, "%s: %s" % (what, first_difference(theirs, ours)))
    count("samples", len(ours))
    count("in several files", len({row[7] for row in ours}) > 1)
    if "CALLCHAIN" in parts and "STACK_USER" not in parts:
        chains = chains_of_perf(path)
        rows, stale = settle_chains(chains, chains_as_perf(dump(of_ours or path, "pid,time,chain", stdin=stdin)))
        check(chains == rows, "%s: call chains: %s" % (what, first_difference(chains, rows)))
        check(stale < 10, "%s: %d addresses in mappings of before" % (what, stale))
        count("call chains", len(rows))
        count("addresses in chains", sum(len(row[2]) for row in rows))
    return theirs


# ---- what perf info says ----

def header_of(path):
    """What perf says of the machine."""
    lines = re.findall(r"^# ([a-z ]+?) : (.*)$", perf("report", "--header-only", "-i", path), re.M)
    return {key: value.strip() for key, value in lines}


def stats_of(path):
    """{EVENT or "": {KIND: records}} of perf report --stats."""
    stats, event = collections.defaultdict(dict), ""
    for line in perf("report", "--stats", "-f", "-i", path).splitlines():
        if line.endswith("stats:"):
            event = line[:-len(" stats:")]
        match = re.match(r"\s+(\w+) events:\s+(\d+)", line)
        if match:
            stats["" if event == "Aggregated" else event][match[1]] = int(match[2])
    return stats


def check_facts(what, path, doc):
    header = header_of(path)
    for key, theirs in (("hostname", "hostname"), ("release", "os release"), ("perf_version", "perf version"),
                        ("arch", "arch"), ("cpu", "cpudesc"), ("cpu_id", "cpuid"), ("command", "cmdline")):
        said = doc[key].strip() if doc[key] else ""
        check(said == header.get(theirs, ""), "%s: %s: perf has %r, anyprof %r" % (what, key, header.get(theirs), said))
        count("facts")


def check_events(what, events, doc, stats):
    check(list(events) == [e["name"] for e in doc["events"]], "%s: events: %s" % (what, list(events)))
    for e in doc["events"]:
        theirs = events.get(e["name"], {})
        check(int(theirs.get("type", "0")) == e["type"] and int(theirs.get("config", "0"), 0) == int(e["config"], 0),
              "%s: type of %s" % (what, e["name"]))
        period = theirs.get("{ sample_period, sample_freq }", theirs.get("sample_period", "0"))
        check(int(period) == (e["frequency"] if e["frequency"] is not None else e["period"]),
              "%s: period of %s: %s" % (what, e["name"], period))
        found = stats[e["name"]].get("SAMPLE", 0)
        if "READ" not in theirs["sample_type"].split("|"):
            check(found == e["samples"], "%s: %s: %d samples, not %d" % (what, e["name"], found, e["samples"]))
        count("facts", 4)


def check_files(what, path, doc, rows):
    found, said = collections.Counter(row[7] for row in rows), collections.Counter()
    for file in doc["files"]:
        said[file["path"]] += file["samples"]
    check(found.pop("[unknown]", 0) == doc["unmapped"], "%s: unmapped: %d" % (what, doc["unmapped"]))
    said = {name: n for name, n in said.items() if n}
    check(found == said, "%s: samples of files: perf has %s, anyprof %s" % (what, found, said))
    count("files", len(said))
    ids = {(f["build_id"], f["path"]) for f in doc["files"]}
    for line in perf("buildid-list", "-i", path).splitlines():
        pair = tuple(line.split(" ", 1))
        if not pair[0] or pair[1].startswith("/tmp/perf-"):  # not known, or code that was copied
            continue
        check(pair in ids, "%s: build id %s" % (what, line))
        count("build ids")


def check_info(what, path, events, rows):
    code, doc = info(path)
    if not check(code == 0, "%s: perf info: %s" % (what, doc)):
        return
    stats = stats_of(path)
    check_facts(what, path, doc)
    check_events(what, events, doc, stats)
    check_files(what, path, doc, rows)
    every = stats[""]
    check(doc["records"] == every["TOTAL"] - every.get("COMPRESSED", 0), "%s: %d records" % (what, doc["records"]))
    check(doc["samples"] == len(rows), "%s: %d samples" % (what, doc["samples"]))
    check(doc["processes"] == len({row[0].split("/")[0] for row in rows}), "%s: processes" % what)
    times = [int(row[2].replace(".", "")) for row in rows]
    check((doc["first_time"], doc["last_time"]) == (min(times), max(times)), "%s: times" % what)
    if "mmap_data" not in next(iter(events.values())):  # mappings that are no code are not counted
        check(sum(f["mappings"] for f in doc["files"]) == every.get("MMAP", 0) + every.get("MMAP2", 0),
              "%s: mappings: perf has %s" % (what, every))
    check((doc["end"], doc["unfinished"], doc["lost"]["late"]) == ("whole", False, 0), "%s: its end" % what)
    for key, kind in (("throttled", "THROTTLE"), ("records", "LOST"), ("samples", "LOST_SAMPLES")):
        check((doc["lost"][key] > 0) == (kind in every), "%s: lost: %s" % (what, doc["lost"]))
    check(doc["lost"]["throttled"] == every.get("THROTTLE", 0), "%s: throttled" % what)
    check((doc["packed"] > 0) == ("packed" in what), "%s: packed" % what)
    unknown = {k: n for k, n in doc["lost"].items() if n and k not in ("throttled", "records", "samples")}
    check(not unknown, "%s: %s" % (what, unknown))


# ---- recording ----

def record(program, path, options, words):
    done = run(["perf", "record", "-q", "-o", path, *options, "--", program, *words])
    if done.returncode != 0:
        raise AssertionError("perf record %s: %s" % (options, done.stderr[-300:]))


def check_recording(program, what, where):
    path = os.path.join(where, "perf.data")
    record(program, path, *RECORDINGS[what])
    events = events_of(path)
    rows = compare(what, path, events)
    check(len(rows) > 3, "%s: only %d samples" % (what, len(rows)))
    check_info(what, path, events, rows)
    if what == "chains":
        check_injected(path, events, rows, where)
    if os.path.isdir(path):
        shutil.rmtree(path)
    else:
        check_forms(what, path, where)
    count("recordings")


def check_injected(path, events, rows, where):
    """What perf inject writes, as a file, as a stream, and as a directory of perf record --kcore."""
    for name, words in (("file", ["-b"]), ("stream", ["-b"]), ("switches", ["-s"])):
        out = os.path.join(where, "injected")
        if name == "stream":
            write(out, run(["perf", "inject", *words, "-i", path, "-o", "-"]).stdout)
        else:
            perf("inject", *words, "-i", path, "-o", out)
        check(compare("injected, " + name, out, events) == rows, "injected, %s: other samples" % name)
        count("injected")
    directory = os.path.join(where, "with_kernel")
    os.makedirs(os.path.join(directory, "kcore_dir"))
    shutil.copy(path, os.path.join(directory, "data"))
    write(os.path.join(directory, "kcore_dir", "kallsyms"), b"")
    check(compare("directory with kernel", directory, events) == rows, "directory with kernel: other samples")


def check_forms(what, path, where):
    """The same bytes, packed as a whole, or through a pipe. Names of events and build ids come at their end."""
    columns = "pid,cpu,time,period,addr,ip,file,brstack,chain"
    whole, data = dump(path, columns), read(path)
    for tool, name in (("gzip", "perf.gz"), ("zstd", "perf.zst"), ("cat", "copy")):
        form = write(os.path.join(where, name), run([tool, "-c" if tool != "cat" else "-"], data).stdout)
        check(dump(form, columns) == whole, "%s: %s" % (what, tool))
        check(dump("-", columns, stdin=read(form)) == whole, "%s: %s through a pipe" % (what, tool))
        count("forms", 2)
    (code, doc), (_, piped) = info(path), info("-", stdin=data)
    for said in (doc, piped):
        said["files"].sort(key=lambda file: file["path"])
    check(code == 0 and doc == piped, "%s: perf info through a pipe" % what)


def check_pipe(program, what, where):
    """perf record -o -, read while it records."""
    path = os.path.join(where, "piped")
    command = 'perf record -q -o - "$@" | tee %s | %s -' % (path, DUMP)
    done = run(["bash", "-o", "pipefail", "-c", command, "record", *PIPED[what], "--", program])
    check(done.returncode == 0, "pipe, %s: exit %d: %s" % (what, done.returncode, done.stderr[-300:]))
    rows = [line.split("\t") for line in done.stdout.decode().split("\n")[:-1]]
    check(rows == dump(path), "pipe, %s: read while it was recorded" % what)
    theirs = compare("pipe, " + what, path, events_of(path))
    check(len(theirs) > 10, "pipe, %s: only %d samples" % (what, len(theirs)))
    _, doc = info(path)
    check((doc["form"], doc["end"], doc["samples"]) == ("pipe", "whole", len(theirs)), "pipe, %s: perf info" % what)
    count("pipes")


# ---- recorders that were killed ----

def unpack(data):
    """Records, with those that are compressed unpacked by zstd. What is no whole record at the end stays away."""
    out, at, packed, kinds = [], 0, b"", []
    while at + 8 <= len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if size < 8 or at + size > len(data):
            break
        kinds.append((kind, data[at:at + size]))
        at += size
    packed = b"".join(piece[8:] for kind, piece in kinds if kind == 81)
    plain = b""
    if packed:  # perf ends each piece with a block; an empty last one is what the frame lacks
        done = run(["zstd", "-dc"], packed + b"\1\0\0")
        check(done.returncode == 0, "zstd: %s" % done.stderr)
        plain = done.stdout
    out = [piece for kind, piece in kinds if kind not in (68, 81)]  # perf sorts all at the end
    at = 0
    while at + 8 <= len(plain):
        size, = struct.unpack_from("<H", plain, at + 6)
        if size < 8 or at + size > len(plain):
            break
        out.append(plain[at:at + size])
        at += size
    return b"".join(out)


def mend(path, to):
    """A copy for perf: with the size of the data, and without features, which were not written."""
    data = read(path)
    at, = struct.unpack_from("<Q", data, 40)
    records = unpack(data[at:])
    return write(to, data[:48] + struct.pack("<Q", len(records)) + data[56:72] + b"\0" * 32 + data[104:at] + records)


def check_killed(program, what, where):
    path = os.path.join(where, "killed")
    with subprocess.Popen(["perf", "record", "-q", "-m", "2", "-o", path, *KILLED[what], "--", program, "100000"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as recorder:
        for _ in range(100):
            time.sleep(.1)
            if os.path.exists(path) and os.path.getsize(path) > 30000:
                break
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        os.killpg(recorder.pid, signal.SIGKILL)  # the program
    at, size = struct.unpack_from("<QQ", read(path), 40)
    check(size == 0, "killed, %s: perf has finished" % what)
    mended = mend(path, os.path.join(where, "mended"))
    events = events_of(mended)
    theirs = compare("killed, " + what, mended, events, path)
    check(len(theirs) > 10, "killed, %s: only %d samples" % (what, len(theirs)))
    _, doc = info(path)
    check(doc["unfinished"] and doc["samples"] == len(theirs), "killed, %s: perf info" % what)
    check_cut(what, path, at, events, where)
    count("killed")


def check_cut(what, path, at, events, where):
    """The file of a recorder that was killed, cut off anywhere: what is left of the samples."""
    data = read(path)
    for part in (3, 5, 7):
        cut = write(os.path.join(where, "cut"), data[:at + (len(data) - at) * part // 8 + 3])
        compare("killed, %s, cut at %d/8" % (what, part), mend(cut, os.path.join(where, "mended")), events, cut)
        count("cut")


# ---- all ----

def main():
    compiler = os.environ.get("ANYPROF_CC") or shutil.which("cc")
    missing = [t for t in ("zstd", "gzip", "bash") if not shutil.which(t)]
    if not real_perf() or not compiler or missing or not os.path.exists(DUMP):
        print("skipped: needs perf, a compiler, zstd, gzip, bash and dump_perf")
        return 77
    with tempfile.TemporaryDirectory() as where:
        source, program = write(os.path.join(where, "program.c"), PROGRAM.encode()), os.path.join(where, "program")
        if run([compiler, "-O1", "-fno-omit-frame-pointer", "-pthread", "-o", program, source]).returncode != 0:
            print("skipped: the compiler makes no program with threads")
            return 77
        done = run(["perf", "record", "-q", *CLOCK, "-o", os.path.join(where, "first"), "--", program, "20"])
        if done.returncode != 0:
            print("skipped: perf cannot record here: %s" % done.stderr.decode(errors="replace")[-200:])
            return 77

        def try_step(plan):
            step, what = plan
            with tempfile.TemporaryDirectory(dir=where) as own:
                try:
                    steps[step](program, what, own)
                except AssertionError as e:
                    check(False, "%s: %s" % (what, e))

        steps = {"recorded": check_recording, "piped": check_pipe, "killed": check_killed}
        every = [(step, what) for step, kinds in zip(steps, (RECORDINGS, PIPED, KILLED)) for what in kinds]
        plans = _share.pick(every, lambda plan: plan[0])
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(try_step, plans))
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts["samples"] >= _share.least(2000, plans), "too little was compared")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
