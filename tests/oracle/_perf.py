# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings that are made up, as files of `perf record` and as what `perf script` prints of them, for tests.

Times go up by one microsecond for each record. Samples of the two kinds do not go into one recording."""

import os
import shutil

from _perf_write import ANY, BRANCH_STACK, CALLCHAIN, IP, TID, TIME, Event, Made, branch


class Recording:
    """Records in the order of time. Branches are (from, to, flag), the newest first; flag is P, M or -."""

    def __init__(self, branches=True, event="cycles:u", chains=False):
        self.branches, self.event, self.chains = branches, event, chains
        self.records, self.build_ids = [], []
        self.time = 1_000_000_000

    def _add(self, kind, pid, *rest, timed=True):
        self.time += 1000
        self.records.append((kind, pid, self.time if timed else 0, *rest))

    def mmap(self, pid, start, size, offset, path, timed=True):
        self._add("mmap", pid, start, size, offset, path, timed=timed)

    def fork(self, parent, child, timed=True):
        self._add("fork", child, parent, timed=timed)

    def execute(self, pid, name):
        self._add("exec", pid, name)

    def exits(self, pid):
        self._add("exit", pid)

    def sample(self, pid, ip, branches=(), chain=()):
        self._add("sample", pid, ip, list(branches), list(chain))

    # ---- perf.data ----

    def made(self):
        """The records, as of perf record."""
        kind = 1 if self.event.startswith("cpu-clock") else 0
        wanted = IP | TID | TIME | (BRANCH_STACK if self.branches else 0) | (CALLCHAIN if self.chains else 0)
        event = Event(self.event, wanted, kind=kind, size=112, branch_type=1 | ANY if self.branches else 0)
        made = Made(event)
        for name, pid, time, *rest in self.records:
            if name == "mmap":
                made.mmap2(pid, *rest, time=time)
            elif name == "fork":
                made.fork(rest[0], pid, time=time)
            elif name == "exit":
                made.exit(pid, time=time)
            elif name == "exec":
                made.comm(pid, rest[0], execute=True, time=time)
            else:
                made.sample(ip=rest[0], pid=pid, time=time, chain=rest[2], branches=[
                    branch(*ends, mispredicted=flag == "M", predicted=flag == "P") for *ends, flag in rest[1]])
        if self.build_ids:
            made.build_ids(*self.build_ids)
        return made

    def write(self, path):
        """A file as of perf record."""
        with open(path, "wb") as f:
            f.write(self.made().file())

    # ---- what perf 6.1 prints of it ----

    def _prefix(self, pid, time):
        return "%5d %5d.%06d: " % (pid, time // 10 ** 9, time % 10 ** 9 // 1000)

    def _default_prefix(self, pid, time):
        return "%16s " % (":%d" % pid) + self._prefix(pid, time)

    def _event(self, kind, pid, rest):
        if kind == "mmap":
            start, size, offset, path = rest
            at = "0x%x" % offset if offset else "0"
            return "PERF_RECORD_MMAP2 %d/%d: [0x%x(0x%x) @ %s 08:01 77 0]: r-xp %s" % (pid, pid, start, size, at, path)
        if kind == "fork":
            return "PERF_RECORD_FORK(%d:%d):(%d:%d)" % (pid, pid, rest[0], rest[0])
        if kind == "exit":
            return "PERF_RECORD_EXIT(%d:%d):(1:1)" % (pid, pid)
        return "PERF_RECORD_COMM exec: %s:%d/%d" % (rest[0], pid, pid)

    def _in_order(self):
        """perf prints records without a time before the others."""
        return sorted(self.records, key=lambda r: r[2] != 0)

    def samples(self, time=True, event=True):
        """-F pid,time,event,brstack (or ip) without events of processes: a line each."""
        for kind, pid, when, *rest in self._in_order():
            if kind == "sample":
                yield self._sample(pid, when, rest, time, event)

    def _sample(self, pid, when, rest, time, event):
        ip, branches, _ = rest
        head = self._prefix(pid, when) if time else "%5d " % pid
        head += self.event + ": " if event else ""
        if not self.branches:
            return head + "%16x" % ip
        return head + "".join(" 0x%x/0x%x/%s/-/-/0/ " % branch for branch in branches)

    def text(self):
        """-F pid,time,event,brstack (or ip) --show-mmap-events --show-task-events"""
        lines = []
        for kind, pid, when, *rest in self._in_order():
            if kind == "sample":
                lines.append(self._sample(pid, when, rest, True, True))
            else:
                lines.append(self._prefix(pid, when) + self._event(kind, pid, rest))
        return "".join(line + "\n" for line in lines)

    def events(self, *kinds):
        """--show-mmap-events or --show-task-events, as perf2bolt asks for them."""
        lines = []
        for kind, pid, when, *rest in self._in_order():
            if kind in kinds:
                lines.append(self._default_prefix(pid, when) + self._event(kind, pid, rest))
            elif kind == "sample":
                lines.append(self._default_prefix(pid, when) + "%10d %s: %19x [unknown] ([unknown])" %
                             (1000, self.event, rest[0]))
        return "".join(line + "\n" for line in lines)

    def fake(self, directory):
        """A `perf` in a directory, for PATH, that prints what perf would, whatever its file."""
        os.makedirs(directory, exist_ok=True)
        main = "".join(line + "\n" for line in self.samples(time=False, event=not self.branches))
        texts = {"main": main, "mmap": self.events("mmap"), "task": self.events("fork", "exec", "exit"),
                 "ids": "".join("%s %s\n" % pair for pair in self.build_ids), "both": self.text()}
        for name, text in texts.items():
            with open(os.path.join(directory, name), "w", encoding="utf-8", errors="surrogateescape") as f:
                f.write(text)
        path = os.path.join(directory, "perf")
        with open(path, "w", encoding="ascii") as f:
            f.write(FAKE.replace("HERE", directory))
        os.chmod(path, 0o755)
        return directory


FAKE = """#!/bin/sh
echo "$*" >>'HERE/asked'
case "$*" in
buildid-list*) file=ids ;;
*--show-mmap-events*--show-task-events*) file=both ;;
*--show-mmap-events*) file=mmap ;;
*--show-task-events*) file=task ;;
*addr*) echo "Samples for 'x' event do not have ADDR attribute set. Cannot print 'addr' field." >&2; exit 1 ;;
*) file=main ;;
esac
exec cat "HERE/$file"
"""


def real_perf():
    """perf, or None."""
    return shutil.which("perf")
