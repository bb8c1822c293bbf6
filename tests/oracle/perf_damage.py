#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged recordings, and those with what perf 6.1 fails on: what anyprof reads of them, and what it says. Where perf
reads such a recording, it must have the same samples.

Of each there is what `perf info --json` says, key by key, and which of the samples of the whole recording are there."""

import os
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _perf_write as w  # noqa: E402
from _bolt import Tally  # noqa: E402
from _perf import real_perf  # noqa: E402
from _perf_compare import DUMP, dump, events_of, info, perf, run, text  # noqa: E402
from _perf_write import BIG, LITTLE, Event, Made, record  # noqa: E402

SECOND, CODE, N = 10 ** 9, 0x400000, 100
NO_LOSS = dict.fromkeys(("records", "samples", "throttled", "damaged_samples", "damaged_records", "damaged_features",
                         "of_unknown_events", "of_unknown_kinds", "incomplete_maps", "late", "not_taken"), 0)
PLAIN = w.IP | w.TID | w.TIME
tally = Tally()
check, failures, count = tally.check, tally.failures, tally.count


def write(where, data):
    path = os.path.join(where, "damaged")
    with open(path, "wb") as f:
        f.write(data)
    return path


def samples_of_perf(path):
    """(exit code, samples)"""
    done = run(["perf", "script", "-f", "--ns", "-F", "tid,time,ip", "-G", "-i", path])
    return done.returncode, [line.split()[2] for line in text(done.stdout).splitlines()]


def expect(what, where, data, kept=range(N), code=0, theirs=None, events=True, **said):
    """Reads a recording. kept: numbers of its samples, which are their addresses; said: what differs in perf info from
    what it says of a whole recording; lost numbers by their names; theirs: "same" if perf reads the same samples,
    "fails" if it does not, None if that does not matter."""
    path = write(where, data)
    for stdin in (None, data):
        got, doc = info("-" if stdin else path, stdin)
        if not check(got == code, "%s: exit %d, not %d: %s" % (what, got, code, doc)):
            return
        count("damaged")
        if code:
            check(not isinstance(doc, dict) and said.get("message", "") in doc, "%s: message: %s" % (what, doc))
            continue
        wanted = {"unfinished": False, "end": "whole", "end_at": None}
        wanted.update((key, value) for key, value in said.items() if key not in NO_LOSS)
        lost = dict(NO_LOSS, **{key: value for key, value in said.items() if key in NO_LOSS})
        differs = {key: (value, doc[key]) for key, value in wanted.items() if doc[key] != value}
        differs.update((key, (n, doc["lost"][key])) for key, n in lost.items() if doc["lost"][key] != n)
        check(not differs, "%s: expected and found: %s" % (what, differs))
        ours = [row[0] for row in dump("-" if stdin else path, "ip", stdin=stdin)]
        check(ours == ["%x" % (CODE + i) for i in kept], "%s: samples: %d, not %d" % (what, len(ours), len(kept)))
        check(doc["samples"] == len(ours), "%s: number of samples" % what)
        count("samples", len(ours))
    if theirs is not None:
        exit_code, found = samples_of_perf(path)
        check((exit_code == 0) == (theirs == "same"), "%s: perf: exit %s" % (what, exit_code))
        if theirs == "same":
            check(found == ["%x" % (CODE + i) for i in kept], "%s: perf has %d samples" % (what, len(found)))
            count("as perf")


def make(event=None, before=None, n=N):
    """A recording of n samples; before(made, i) may add records before a sample. Its features need to be there."""
    made = Made(*([event] if isinstance(event, Event) else event or [Event("cycles", PLAIN, kind=0, size=112)]))
    made.text("hostname", "host")
    made.mmap(7, CODE, 0x1000, 0, "/usr/bin/a", time=SECOND)
    for i in range(n):
        if before:
            before(made, i)
        made.sample(ip=CODE + i, pid=7, time=SECOND + i, id=made.events[0].ids[0] if made.events[0].ids else 0)
    return made


def patch(data, at, pattern, *values):
    return data[:at] + struct.pack(pattern, *values) + data[at + struct.calcsize(pattern):]


# ---- the header ----

def check_header(where):
    for order, word in ((LITTLE, "<"), (BIG, ">")):
        data = make().file(order)
        expect("whole", where, data, theirs="same", hostname="host", big_endian=order == BIG)
        for size in (0, 1, 7, 8, 15, 16, 17, 71, 103):
            cut = data[:size]
            expect("header cut at %d" % size, where, cut, code=1, theirs=None)
        for size in (0, 15, 17, 64, 88, 112, 1 << 40):
            expect("size of the header %d" % size, where, patch(data, 8, word + "Q", size), code=1, theirs="fails")
        for size in (0, 16, 79, 1 << 40):
            expect("size of an event %d" % size, where, patch(data, 16, word + "Q", size), code=1)
        for at, size in ((1 << 40, 128), (104, 1 << 40), (2 ** 64 - 8, 128), (104, 0)):
            expect("events at %d, %d" % (at, size), where, patch(data, 24, word + "QQ", at, size), code=1)
        for size in (1, 63, 113, 1 << 31):
            expect("struct of %d" % size, where, patch(data, 108, word + "I", size), code=1)
        for at, size in ((1 << 40, 8), (8, 1 << 40), (2 ** 64 - 8, 16)):
            expect("ids at %d, %d" % (at, size), where, patch(data, 216, word + "QQ", at, size), code=1)
    expect("a perf before 2009", where, b"PERFFILE" + data[8:], code=1, theirs="fails", message="2009")
    expect("no recording", where, b"PERFILE3" + data[8:], code=1, theirs="fails")
    expect("empty", where, b"", code=1, message="empty")


def check_ends(where):
    """Recorders that were killed; files and streams that are cut off."""
    for order, word in ((LITTLE, "<"), (BIG, ">")):
        made = make()
        data, at = made.file(order), 104 + 128
        size = len(made.data(order))
        first, each = at + size - N * 32, 32  # where the samples are
        killed = made.file(order, unfinished=True)
        expect("killed", where, killed, theirs="fails", unfinished=True, hostname=None)
        for cut in (0, 8, 31, 40 * each, 40 * each + 7, 40 * each + 8, 41 * each - 1):
            more, whole = dict(end="cut", end_at=first + cut // each * each), cut % each == 0
            expect("killed, cut at %d" % cut, where, killed[:first + cut], range(cut // each), unfinished=True,
                   **({} if whole else more))
            expect("cut at %d" % cut, where, data[:first + cut], range(cut // each), hostname=None, **more)
            pipe = made.pipe(order)
            start = len(pipe) - N * each
            expect("pipe, cut at %d" % cut, where, pipe[:start + cut], range(cut // each), form="pipe",
                   theirs="same" if order == LITTLE and cut >= each else None,
                   **({} if whole else dict(more, end_at=start + cut // each * each)))
        for odd in range(1, 8):
            expect("pipe, and %d bytes" % odd, where, made.pipe(order) + b"\1" * odd, form="pipe", end="cut",
                   end_at=len(made.pipe(order)), theirs="same" if order == LITTLE else None)
        broken = patch(data, first + 50 * each + 6, word + "H", 7)
        expect("a record of 7 bytes", where, broken, range(50), end="broken", end_at=first + 50 * each, theirs="fails")
        table = at + size
        bad = patch(data, table, word + "QQ", 1 << 40, 8)
        expect("a feature outside", where, bad, hostname=None, damaged_features=1)
        expect("no table of features", where, data[:table + 8], hostname=None, damaged_features=1)


# ---- records ----

def check_samples(where):
    ids, kind = w.IDENTIFIER, dict(kind=0, size=112)
    short = make(before=lambda made, i: made.add(9, w.USER, ("QI", 1, 2)) if i == 30 else None)
    expect("a sample that is too short", where, short.file(), damaged_samples=1, theirs="fails")
    chain = Event("cycles", PLAIN | w.CALLCHAIN | w.BRANCH_STACK, branch_type=w.ANY | w.HW_INDEX, **kind)
    for name, tail in (("chain", ("Q", 1 << 60)), ("chain of 2 ** 61 + 1", ("Q", (1 << 61) + 1)),
                       ("branches", ("QQQ", 0, 1 << 61, 0)), ("part of a branch", ("QQQQQ", 0, 2, 0, 1, 2)),
                       ("no index", ("QQ", 0, 0))):
        long = make(chain, lambda made, i, tail=tail: made.add(9, w.USER, ("QIIQ", 1, 7, 7, SECOND), tail)
                    if i % 50 == 30 else None)
        for order in (LITTLE, BIG):
            expect(name + " that are too many", where, long.file(order), damaged_samples=2)
    only = make(before=lambda made, i: made.add(9, w.USER, ("QI", 1, 2)), n=99)
    expect("half of the samples are too short", where, only.file(), range(99), damaged_samples=99)
    only.add(9, w.USER, ("Q", 1))
    expect("most samples are too short", where, only.file(), code=1, message="most samples")
    two = [Event("cycles", PLAIN | ids, ids=[1], **kind), Event("branches", PLAIN | ids, config=4, ids=[2], **kind)]
    unknown = make(two, lambda made, i: made.sample(ip=1, pid=7, time=SECOND, id=99) if i % 10 == 5 else None)
    expect("an id of no event", where, unknown.file(), of_unknown_events=10, theirs="fails")
    expect("an id of no event, in a pipe", where, unknown.pipe(), of_unknown_events=10, form="pipe")
    late = Made(two[0])
    late.records = make().records
    expect("a sample before any event", where, b"PERFILE2" + struct.pack("<Q", 16) + late.data(), code=1,
           message="before any event")


def check_other_records(where):
    def odd(made, i):
        if i == 20:
            for kind in (23, 40, 63, 87, 120, 1 << 31):
                made.add(kind, 0, ("QQ", 1, 2))
        if i == 40:
            made.add(10, w.USER, ("Q", 1))  # a mapping that is cut off
            made.kernel(7, 0, ("Q", 1), time=SECOND + 40)

    expect("records of unknown kinds, and short ones", where, make(before=odd).file(), of_unknown_kinds=6,
           damaged_records=2, theirs="fails")

    def loses(made, i):
        if i % 10 == 0:
            made.lost(3, time=SECOND + i)
            made.lost_samples(4, time=SECOND + i)
            made.throttle(time=SECOND + i)
            made.kernel(6, 0, ("QQQ", SECOND + i, 0, 0), time=SECOND + i)
            made.mmap(8, CODE, 16, 0, "/usr/bin/b", misc=w.USER | 1 << 12, time=SECOND + i)

    made = make(before=loses)
    said = dict(records=30, samples=40, throttled=10, incomplete_maps=10)
    for name, data in (("file", made.file()), ("big-endian file", made.file(BIG)), ("pipe", made.pipe())):
        expect("what is lost, " + name, where, data, theirs="same", **said)
    known = make(before=lambda made, i: [made.kernel(kind, 0, ("QQQQ", 1, 2, 3, 4), time=SECOND + i) for kind in
                                         (8, 11, 12, 14, 15, 17, 18, 19, 20, 21, 22)] if i == 9 else None)
    expect("records that say nothing of samples", where, known.file())


def check_traces(where):
    tracers = {1: "Intel PT", 2: "Intel BTS", 3: "Arm CoreSight", 4: "Arm SPE", 77: "unknown tracer"}
    for tracer, name in tracers.items():
        made = make(before=lambda made, i, tracer=tracer: made.auxtrace(tracer, b"\1" * 70001) if i == 50 else None)
        for data in (made.file(), made.file(BIG)):
            expect(name, where, data, tracer=name, tracer_bytes=70001)
        expect(name + ", in a pipe", where, made.pipe(), tracer=name, tracer_bytes=70001, form="pipe")
    made = make(before=lambda made, i: made.add(70, 0, ("II", 1, 0)) if i == 50 else None)
    expect("a trace without its facts", where, made.file(), tracer="Intel PT", theirs="fails")
    alone = make(before=lambda made, i: made.add(71, 0, ("QQQIIII", 16, 0, 0, 0, 0, 0, 0), after=b"\1" * 16)
                 if i == 50 else None)
    expect("a trace of no tracer", where, alone.file(), tracer=None, tracer_bytes=16)
    made = make(before=lambda made, i: made.add(71, 0, ("QQQIIII", 1 << 63, 0, 0, 0, 0, 0, 0)) if i == 50 else None)
    at = made.file().index(struct.pack("<IHHQ", 71, 0, 48, 1 << 63))
    code, doc = info(write(where, made.file()))
    check(code == 0 and doc["end"] == "cut" and doc["samples"] == 50 and doc["end_at"] >= at, "a trace beyond the end")
    made = make(before=lambda made, i: made.add(66, 0, ("I", 24), ("I", 0), after=b"\1" * 24) if i == 50 else None)
    expect("data of tracepoints", where, made.pipe(), form="pipe")


def check_packed(where):
    made = make()
    made.with_packed()
    packed, order = made.packed(each=True), LITTLE
    expect("packed", where, made.file(data=packed), theirs="same")
    pieces = []
    at = 0
    while at < len(packed):
        size, = struct.unpack_from("<H", packed, at + 6)
        pieces.append(packed[at:at + size])
        at += size
    wrong = pieces[0][:12] + b"\xff" * (len(pieces[0]) - 12)
    code, doc = info(write(where, made.file(data=b"".join([wrong] + pieces[1:]))))
    check(code == 0 and doc["end"] == "damaged" and doc["samples"] == 0, "packed and damaged: %s" % doc)
    inner = record(81, w.zstd(record(81, w.zstd(made.data()), order)), order)
    code, doc = info(write(where, made.file(data=inner)))
    check(code == 0 and doc["end"] == "damaged" and doc["samples"] == 0, "packed twice: %s" % doc)
    zeros = record(81, w.zstd(record(120, bytes(60000)) * 2000), order)
    code, doc = info(write(where, made.file(data=made.data() + zeros)))
    check(code == 0 and doc["samples"] == N and doc["end"] in ("endless", "whole"), "packed zeros: %s" % doc["end"])
    count("damaged", 3)


# ---- what is known of a recording ----

def check_facts(where):
    facts = {"hostname": "hostname", "release": "os release", "version": "perf version", "arch": "arch",
             "cpu": "cpudesc", "cpu id": "cpuid"}
    ids = [("11" * 20, "/usr/bin/a"), ("ab" * 8, "/usr/lib/b c.so"), ("cd" * 20, "/unused")]
    for order in (LITTLE, BIG):
        for full in (True, False):
            event = Event("my event", PLAIN | w.ID, kind=1, ids=[5, 6], size=112)
            made = make(event)
            for key in facts:
                made.text(key, "the %s" % key)
            made.command("/usr/bin/perf", "record", "-e", "a b")
            made.names()
            made.build_ids(*(ids if full else [ids[0], ids[2]]), misc=w.USER | (w.BUILD_ID_SIZE if full else 0))
            path = write(where, made.file(order))
            _, doc = info(path)
            head = text(run(["perf", "report", "--header-only", "-i", path]).stdout)
            for key, theirs in facts.items():
                said = doc[{"version": "perf_version", "cpu id": "cpu_id"}.get(key, key)]
                check(said == "the %s" % key and "# %s : %s\n" % (theirs, said) in head, "facts: %s: %s" % (key, said))
                count("facts")
            check("# cmdline : %s" % doc["command"] in head and doc["command"].endswith("record -e a b"), "the command")
            check([e["name"] for e in doc["events"]] == list(events_of(path)) == ["my event"], "name of the event")
            theirs = sorted(line.split(None, 1) for line in perf("buildid-list", "-i", path).splitlines())
            ours = sorted([f["build_id"], f["path"]] for f in doc["files"] if f["build_id"])
            check(theirs == ours and len(ours) == (3 if full else 2), "build ids: perf has %s, not %s" % (theirs, ours))


def main():
    if not real_perf() or not shutil.which("zstd") or not os.path.exists(DUMP):
        print("skipped: needs perf, zstd and dump_perf")
        return 77
    with tempfile.TemporaryDirectory() as where:
        for step in (check_header, check_ends, check_samples, check_other_records, check_traces, check_packed,
                     check_facts):
            step(where)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts["damaged"] > 200 and tally.counts["as perf"] > 15, "too little was compared")
    return 1 if failures else 0


sys.exit(main())
