#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings that are made up, as anyprof reads them beside perf: what perf records only on other machines, or seldom.

By chance: events told apart by ids of either kind, all that samples can have, branch stacks with all flags, call
chains, mappings over each other, processes that fork and run other programs, records out of order. Each is one file of
either byte order, a stream for a pipe, and packed; perf prints the same of most. Then single things: names of events,
records of old perfs, what is lost, and damage, where perf reads nothing and anyprof says what it has."""

import concurrent.futures
import os
import random
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _perf_write as w  # noqa: E402
import _share  # noqa: E402
from _bolt import Tally  # noqa: E402
from _perf import real_perf  # noqa: E402
from _perf_compare import (DUMP, as_perf, branches_as_perf, branches_of_perf, chains_as_perf,  # noqa: E402
                           chains_of_perf, dump, events_of, first_difference, info, of_perf, parts_of, perf, run)
from _perf_write import BIG, LITTLE, Event, Made, branch  # noqa: E402

TEXT, CODE = 0xffffffff81000000, 0x400000
SECOND = 10 ** 9
tally = Tally()
check, failures, count = tally.check, tally.failures, tally.count


def write(where, name, data):
    path = os.path.join(where, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


# ---- by chance ----

def make_events(chance):
    """Events that one recording can have: their ids stand at one place."""
    scheme = chance.choice(("identifier", "id", "alone"))
    n = 1 if scheme == "alone" else chance.choice((1, 2, 3, 4))
    base = w.IP | w.TID | w.TIME | {"identifier": w.IDENTIFIER, "id": w.ID, "alone": 0}[scheme]
    if chance.random() < .5:
        base |= w.ADDR
    optional = (w.CPU, w.PERIOD, w.STREAM_ID, w.RAW, w.BRANCH_STACK, w.REGS_USER, w.STACK_USER, w.WEIGHT, w.DATA_SRC,
                w.TRANSACTION, w.REGS_INTR, w.PHYS_ADDR, w.AUX, w.CGROUP, w.DATA_PAGE_SIZE, w.CODE_PAGE_SIZE)
    common = sum(bit for bit in (w.CALLCHAIN, w.BRANCH_STACK) if chance.random() < .6)
    if scheme == "id":  # what comes after the id in records that are no samples
        common |= sum(bit for bit in (w.CPU, w.STREAM_ID) if chance.random() < .5)
        optional = optional[3:] + (w.PERIOD,)
    read_format = w.FORMAT_ID | chance.randrange(4) | chance.choice((0, w.FORMAT_GROUP, w.FORMAT_LOST))
    events = []
    for i in range(n):
        own = sum(bit for bit in optional if chance.random() < .4) & ~(0 if common & w.BRANCH_STACK else w.BRANCH_STACK)
        reading = w.READ if scheme != "alone" and chance.random() < .3 else 0
        events.append(Event(
            "event %d" % i, base | common | own | reading, config=i, period=chance.choice((1, 1000)),
            ids=[] if scheme == "alone" else range(10 * i + 1, 10 * i + 1 + chance.randrange(1, 4)),
            read_format=read_format,
            branch_type=w.ANY | chance.choice((0, w.HW_INDEX)), regs_user=chance.randrange(256),
            regs_intr=chance.randrange(256), size=chance.choice((112, 120, 128)) if n == 1 else 128))
    return events


class World:
    """Processes and what is mapped in them, so that samples are in places that both tools know alike: perf keeps
    mappings of before a process ran another program, so the new ones are elsewhere."""

    def __init__(self, made, chance):
        self.made, self.chance, self.time = made, chance, SECOND
        self.zones, self.generation, self.sums = {}, 1, {}
        self.marks = []  # of each record: its time

    def add(self, name, *words, timed=True, **v):
        alone = name in ("fork", "comm")  # nothing else is at the same time
        self.time += 1 if alone else self.chance.choice((0, 1, 1000, 12345))
        self.marks.append(self.time if timed else 0)
        self.time += alone
        event = self.chance.randrange(len(self.made.events)) if timed else 0  # perf's own records are of the first
        ids = self.made.events[event].ids
        v["id"] = self.chance.choice(ids) if ids and timed else 0
        getattr(self.made, name)(*words, event=event, time=self.marks[-1], **v)

    def map(self, pid, timed=True):
        zone = self.zones.setdefault(pid, self.generation << 36)
        start = zone + 0x1000 * self.chance.randrange(64)
        path = self.chance.choice(("/usr/bin/a", "/usr/lib/b c.so", "/opt/ünïcode", "//anon", "[vdso]", "/x" * 50))
        offset = {"//anon": start, "[vdso]": 0}.get(path, 0x1000 * self.chance.randrange(100))
        place = (pid, start, 0x1000 * self.chance.randrange(1, 40), offset)
        if self.chance.random() < .3:
            misc = w.USER | (w.DATA_MAPPING if self.chance.random() < .3 else 0)
            self.add("mmap", *place, path, misc=misc, timed=timed)
        else:
            build_id = self.chance.choice((None, None, bytes(range(20)), b"\1" * 8))
            if path != "/usr/bin/a":
                build_id = None
            self.add("mmap2", *place, path, build_id=build_id, prot=self.chance.choice((5, 5, 7, 1)), timed=timed)

    def address(self, pid):
        roll = self.chance.random()
        if roll < .1:
            return TEXT + self.chance.randrange(0x100000), w.KERNEL
        if roll < .15:
            return self.chance.randrange(1, 0x10000), w.USER
        return self.zones.get(pid, 1 << 35) + self.chance.randrange(0x68000), w.USER

    def branches(self, pid):
        stack = []
        for _ in range(self.chance.randrange(33) if self.chance.random() < .9 else 0):
            flags = {name: self.chance.randrange(1 << width) for name, width in w.BRANCH_FIELDS}
            flags.update(not_taken=0, speculation=self.chance.choice((0, 2, 3)))
            stack.append(branch(self.address(pid)[0], self.chance.randrange(1 << 64), **flags))
        return stack

    def chain(self, pid):
        entries = [w.MARKERS["kernel"]] + [TEXT + self.chance.randrange(0x100000)
                                           for _ in range(self.chance.randrange(1, 5))]
        entries = entries if self.chance.random() < .4 else []
        user = [a for a, mode in (self.address(pid) for _ in range(self.chance.randrange(8))) if mode == w.USER]
        return entries + ([w.MARKERS["user"]] + user if user else [])

    def sample(self, pid):
        chance = self.chance
        ip, mode = self.address(pid)
        period = chance.randrange(1, 10 ** 6)
        self.time += chance.choice((0, 1, 1000, 12345))
        self.marks.append(self.time)
        number = chance.randrange(len(self.made.events))
        event = self.made.events[number]
        ident = chance.choice(event.ids) if event.ids else 0
        if event.has(w.READ):  # perf takes periods from the values of the event
            period = period if event.has(w.PERIOD) else event.period
            self.sums[ident] = self.sums.get(ident, 0) + period
        self.made.sample(
            event=number, mode=mode, ip=ip, pid=pid, tid=pid + chance.choice((0, 0, 1000)), time=self.time,
            addr=chance.randrange(1 << 64), id=ident, stream_id=99, cpu=chance.randrange(4), period=period,
            value=self.sums.get(ident, 0), chain=self.chain(pid), raw=bytes(chance.randrange(4) * 8 + 4),
            branches=self.branches(pid), hw_index=chance.randrange(1 << 32), user_abi=chance.choice((0, 2)),
            stack=bytes(8 * chance.randrange(20)), intr_abi=chance.choice((0, 2)), aux=bytes(8 * chance.randrange(3)))

    def step(self):
        pid, roll = self.chance.choice(list(self.zones)), self.chance.random()
        if roll < .12:
            self.map(pid)
        elif roll < .16:
            child = self.chance.randrange(200, 300)
            if child not in self.zones:
                self.add("fork", pid, child)
                self.zones[child] = self.zones[pid]
        elif roll < .18:
            self.add("comm", pid, "other", execute=True)
            self.generation += 1
            self.zones[pid] = self.generation << 36
            self.map(pid)
        elif roll < .2:
            self.add("comm", pid, "named")
        elif roll < .22:
            self.add(self.chance.choice(("lost", "lost_samples")), 5)
        elif roll < .23:
            self.add("exit", pid)
        else:
            self.sample(pid)


def put_out_of_order(made, marks, chance):
    """Records of two processors, in rounds; some come a round later, which is as late as they may."""
    timed = list(zip(marks, made.records))
    made.records = [record for mark, record in timed if not mark]
    rest, late = [record for mark, record in timed if mark], []
    while rest:
        n = chance.randrange(1, 40)
        now, rest = rest[:n], rest[n:]
        parts = [[], [], []]
        for record in now:
            parts[chance.choices((0, 1, 2), (10, 10, 1))[0]].append(record)
        made.records += late + parts[0] + parts[1]
        late = parts[2]
        made.finished_round()
    made.records += late


def make_recording(seed):
    chance = random.Random(seed)
    made = Made(*make_events(chance))
    world = World(made, chance)
    world.add("mmap", w.NO_PID, TEXT, 0x200000, TEXT, "[kernel.kallsyms]_text", misc=w.KERNEL, timed=False)
    for pid in (100, 101, 102):
        world.generation += 1
        world.map(pid, timed=False)
        world.map(pid)
    for _ in range(400):
        world.step()
    if chance.random() < .7 and not any(event.has(w.READ) for event in made.events):
        put_out_of_order(made, world.marks, chance)
    made.names()
    made.text("hostname", "höst")
    made.text("arch", "x86_64")
    made.command("/usr/bin/perf", "record", "a b")
    return made


def compare(what, path, big=False):
    """The samples of a recording beside perf's."""
    events = events_of(path)
    parts = parts_of(events)
    theirs, ours = of_perf(path, parts), as_perf(dump(path), parts)
    check(theirs == ours, "%s: %s" % (what, first_difference(theirs, ours)))
    count("samples", len(ours))
    if path.endswith("pipe"):  # of which perf prints more than it is asked for
        return
    if "BRANCH_STACK" in parts:
        stacks = [branches_as_perf(row[0], big) for row in dump(path, "brstack")]
        theirs = branches_of_perf(path)
        check(theirs == stacks, "%s: branches: %s" % (what, first_difference(theirs, stacks)))
        count("branches", sum(map(len, stacks)))
    unwound = any({"REGS_USER", "STACK_USER"} <= set(e["sample_type"].split("|")) for e in events.values())
    if "CALLCHAIN" in parts and not unwound:  # else perf makes chains of its own
        rows = [(pid, time, [word.rstrip("?") for word in words])
                for pid, time, words in chains_as_perf(dump(path, "pid,time,chain"))]
        theirs = chains_of_perf(path)
        check(theirs == rows, "%s: call chains: %s" % (what, first_difference(theirs, rows)))
        count("addresses in chains", sum(len(row[2]) for row in rows))


def forms_of(made):
    """(name, bytes, whether perf reads it) of every form that a recording has. The first is a plain file."""
    yield "file", made.file(), True
    yield "big-endian file", made.file(BIG), True
    yield "pipe", made.pipe(), True
    yield "big-endian pipe", made.pipe(BIG), False
    made.with_packed()
    yield "packed file", made.file(data=made.packed()), False
    yield "packed file for perf", made.file(data=made.packed(each=True)), True
    yield "packed pipe", made.pipe(data=made.packed(seed=2)), False
    yield "packed big-endian file", made.file(BIG, made.packed(BIG, seed=3)), False
    yield "newer packed file", made.file(data=made.packed(kind=83)), False


def check_chance(seed, where):
    made, whole = make_recording(seed), None
    columns = "pid,cpu,time,period,addr,ip,file,build,brstack,chain"
    for name, data, readable in forms_of(made):
        path, what = write(where, name, data), "seed %d, %s" % (seed, name)
        samples = dump(path, columns)
        whole = whole or samples
        check(samples == whole, "%s: %s" % (what, first_difference(whole, samples)))
        if readable and (name in ("file", "big-endian file") or seed % 4 == 0):
            compare(what, path, name == "big-endian file")
        check(dump("-", columns, stdin=data) == whole, "%s: through a pipe" % what)
        zipped = run(["gzip" if seed % 2 else "zstd", "-c"], data).stdout
        check(dump(write(where, "zipped", zipped), columns) == whole, "%s: packed as a whole" % what)
        count("forms", 3)
    check(len(whole) > 200, "seed %d: only %d samples" % (seed, len(whole)))
    count("recordings")


# ---- single things ----

def check_flags(where):
    """All values of all flags. Entries that were speculated only, or not taken, are no jumps: perf 6.1 prints them."""
    kept, every = [], []
    made = Made(Event("cycles", w.IP | w.TID | w.TIME | w.BRANCH_STACK, kind=0, branch_type=w.ANY))
    for i in range(1, 400):
        stack = []
        for k in range(i % 33):
            word = i * 33 + k
            flags = {"mispredicted": word & 1, "predicted": word >> 1 & 1, "transaction": word >> 2 & 1,
                     "abort": word >> 3 & 1, "cycles": word * 7919 & 0xffff, "type": word % 17 % 16,
                     "new_type": word // 17 % 16, "speculation": word % 5 % 4, "privilege": word % 7,
                     "not_taken": word % 11 == 0}
            stack.append((flags, branch(CODE + word, CODE - word, **flags)))
        made.sample(ip=CODE, pid=5, time=SECOND + i, branches=[entry for _, entry in stack])
        every.append(["0x%x" % entry[0] for _, entry in stack])
        kept.append([(entry[0], flags) for flags, entry in stack if not flags["not_taken"] and
                     flags["speculation"] != 1])
    for name, data in (("file", made.file()), ("big-endian file", made.file(BIG))):
        path, big = write(where, name, data), name != "file"
        ours = [row[0] for row in dump(path, "brstack")]
        theirs = branches_of_perf(path)
        check([[word.split("/")[0] for word in row] for row in theirs] == every, "flags, %s: perf's entries" % name)
        taken = [{"0x%x" % at for at, _ in row} for row in kept]
        theirs = [[word for word in row if word.split("/")[0] in at] for row, at in zip(theirs, taken)]
        shown = [branches_as_perf(row, big) for row in ours]
        check(shown == theirs, "flags, %s: %s" % (name, first_difference(theirs, shown)))
        rest = [[tuple(map(int, word.split("/")[-3:])) for word in row.split()] for row in ours]
        expected = [[(f["new_type"], f["speculation"], f["privilege"]) for _, f in row] for row in kept]
        check(rest == expected, "flags, %s: %s" % (name, first_difference(expected, rest)))
        left_out = sum(map(len, every)) - sum(map(len, kept))
        check(info(path)[1]["lost"]["not_taken"] == left_out, "flags, %s: those left out" % name)
        count("branches", sum(map(len, kept)))


def check_stack_forms(where):
    """What comes before and after the entries of a stack: the entries are the same."""
    seen = []
    for more in (0, w.HW_INDEX, w.COUNTERS, w.HW_INDEX | w.COUNTERS):
        made = Made(Event("cycles", w.IP | w.TID | w.TIME | w.BRANCH_STACK | w.WEIGHT, kind=0,
                          branch_type=w.ANY | more))
        for i in range(70):
            made.sample(ip=CODE, pid=5, time=SECOND + i, hw_index=2 ** 64 - 1, branches=[
                branch(CODE + k, CODE - k, predicted=1) for k in range(i % 35)])
        for order in (LITTLE, BIG):
            path = write(where, "stacks", made.file(order))
            seen.append(dump(path))
            if not more & w.COUNTERS:  # which perf 6.1 does not know
                compare("stacks %x" % more, path)
    check(all(rows == seen[0] for rows in seen) and len(seen[0]) == 70, "stacks: they differ")


def check_old(where):
    """Events as old versions of perf describe them: short, without times, without ids in records."""
    for size in (64, 0, 72, 80, 96, 104):
        for flags in (w.FLAGS, w.FLAGS & ~w.SAMPLE_ID_ALL):
            for bits in (w.IP, w.IP | w.TID, w.IP | w.TID | w.PERIOD, w.IP | w.TID | w.TIME | w.CPU):
                made = Made(Event("cycles", bits, kind=0, size=size, flags=flags))
                made.mmap(7, CODE, 0x1000, 0x2000, "/usr/bin/a")
                for i in range(20):
                    made.sample(ip=CODE + i, pid=7, time=SECOND + i, period=i, cpu=1)
                for order in (LITTLE, BIG):
                    path, what = write(where, "old", made.file(order)), "old, size %d, bits %x" % (size, bits)
                    names = ["ip", "dso"] + (["pid", "tid"] if bits & w.TID else [])
                    if size or order == LITTLE:  # else perf reads nonsense; it is the same as the one before
                        lines = perf("script", "-f", "-F", ",".join(names), "-i", path).splitlines()
                        theirs = [line.split() for line in lines]
                    ours = []
                    for pid, ip, place in dump(path, "pid,ip,file"):
                        file = place.split(" ", 2)[2] if place != "-" else "[unknown]"
                        ours.append(([pid] if bits & w.TID else []) + [ip, "(%s)" % file])
                    check(theirs == ours, "%s: %s" % (what, first_difference(theirs, ours)))
                    count("samples", len(ours))


def check_late(where):
    """Records that come after perf has passed on later ones: both pass them on at the next chance."""
    for seed in range(4):
        chance, made = random.Random(seed), Made(Event("cycles", w.IP | w.TID | w.TIME, kind=0, branch_type=0))
        latest = late = passed = mark = 0
        for i in range(500):
            time = SECOND + i * 10 - chance.choice((0, 0, 0, 20, 600))
            late += time < passed
            latest = max(latest, time)
            made.sample(ip=CODE + i, pid=7, time=time)
            if i % 20 == 0:
                made.finished_round()
                passed, mark = max(passed, min(mark, latest)), latest
        path = write(where, "late", made.file())
        compare("late, seed %d" % seed, path)
        found = info(path)[1]["lost"]["late"]
        check(found > 0 and found <= late, "late, seed %d: %d of %d" % (seed, found, late))


def check_names(where):
    """Names that are not recorded are made of numbers and flags, as perf does. It has names for caches, too."""
    events = []

    def add(kind, config, flags=0):
        events.append(Event("", w.IP | w.TID | w.TIME | w.ID, kind=kind, config=config, ids=[len(events) + 1],
                            flags=w.SAMPLE_ID_ALL | flags))

    for config in range(10):
        add(0, config, 1 << 20)
        add(1, config, 1 << 20)
        add(4, config * 0x1111)
    for bits in range(1 << 7):  # user, kernel, hypervisor, precise (2 bits), host, guest
        add(0, 0, (bits & 7) << 4 | (bits >> 3 & 3) << 15 | (bits >> 5 & 3) << 19)
    made = Made(*events)
    path = write(where, "names", made.file())
    lines = perf("evlist", "-v", "-i", path).splitlines()
    theirs = [line.split(": type:")[0].split(": size:")[0] for line in lines if not line.startswith("#")]
    ours = [e["name"] for e in info(path)[1]["events"]]
    check(theirs == ours and len(ours) == 158, "names: %s" % first_difference(theirs, ours))
    count("names", len(ours))


SINGLE = {"flags": check_flags, "stacks": check_stack_forms, "old": check_old, "late": check_late,
          "names": check_names}


def main():
    if not real_perf() or not shutil.which("zstd") or not shutil.which("gzip") or not os.path.exists(DUMP):
        print("skipped: needs perf, zstd, gzip and dump_perf")
        return 77
    plans = _share.pick([("chance", seed) for seed in range(24)] + [(name, 0) for name in SINGLE],
                        lambda plan: plan[0] if plan[0] == "chance" else "single")
    with tempfile.TemporaryDirectory() as where:
        def try_plan(plan):
            name, seed = plan
            with tempfile.TemporaryDirectory(dir=where) as own:
                try:
                    if name == "chance":
                        check_chance(seed, own)
                    else:
                        SINGLE[name](own)
                except AssertionError as e:
                    check(False, "%s %d: %s" % (name, seed, e))

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(try_plan, plans))
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("samples", 0) >= _share.least(15000, plans), "too little was compared")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
