# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings that are made up, as files of `perf record` and as what `perf script` prints of them, for tests.

Times go up by one microsecond for each record. Samples of the two kinds do not go into one recording."""

import os
import shutil
import struct

IP, TID, TIME, ADDR, BRANCH_STACK = 1, 2, 4, 8, 0x800
USER, FORKED_EXEC, BUILD_ID_SIZE = 2, 1 << 13, 1 << 15


def _padded(text):
    data = os.fsencode(text) + b"\0"
    return data + b"\0" * (-len(data) % 8)


class Recording:
    """Records in the order of time. Branches are (from, to, flag), the newest first; flag is P, M or -."""

    def __init__(self, branches=True, event="cycles:u"):
        self.branches, self.event = branches, event
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

    def sample(self, pid, ip, branches=()):
        self._add("sample", pid, ip, list(branches))

    # ---- perf.data ----

    def _body(self, kind, pid, time, rest):
        if kind == "mmap":
            start, size, offset, path = rest
            body = struct.pack("<IIQQQIIQQII", pid, pid, start, size, offset, 8, 1, 77, 0, 5, 2)
            return 10, USER, body + _padded(path)
        if kind == "fork":
            return 7, 0, struct.pack("<IIIIQ", pid, rest[0], pid, rest[0], time)
        if kind == "exit":
            return 4, 0, struct.pack("<IIIIQ", pid, 1, pid, 1, time)
        if kind == "exec":
            return 3, FORKED_EXEC, struct.pack("<II", pid, pid) + _padded(rest[0])
        ip, branches = rest
        body = struct.pack("<QIIQ", ip, pid, pid, time)
        if self.branches:
            body += struct.pack("<Q", len(branches))
            for source, target, flag in branches:
                body += struct.pack("<QQQ", source, target, {"P": 2, "M": 1, "-": 0}[flag])
        return 9, USER, body

    def write(self, path):
        """A file as of perf record."""
        sample_type = IP | TID | TIME | (BRANCH_STACK if self.branches else 0)
        kind, config = (1, 0) if self.event.startswith("cpu-clock") else (0, 0)
        # inherit, exclude_kernel, exclude_hv, mmap, comm, task, sample_id_all, mmap2, comm_exec
        flags = 1 << 1 | 1 << 5 | 1 << 6 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24
        attr = struct.pack("<IIQQQQQIIQQQ", kind, 112, config, 1000, sample_type, 0, flags, 0, 0, 0, 0,
                           9 if self.branches else 0).ljust(112, b"\0")
        data = b""
        for name, pid, time, *rest in self.records:
            number, misc, body = self._body(name, pid, time, rest)
            if number != 9:
                body += struct.pack("<IIQ", pid, pid, time)
            data += struct.pack("<IHH", number, misc, 8 + len(body)) + body
        ids = b""
        for build_id, file in self.build_ids:
            name = _padded(file)
            ids += struct.pack("<IHHi20sBBH", 0, USER | BUILD_ID_SIZE, 36 + len(name), -1,
                               bytes.fromhex(build_id), len(build_id) // 2, 0, 0) + name
        attrs_at, data_at = 104, 104 + 128
        table_at = data_at + len(data)
        features = 1 << 2 if ids else 0
        table = struct.pack("<QQ", table_at + 16, len(ids)) + ids if ids else b""
        header = b"PERFILE2" + struct.pack("<QQQQQQQQQQQQ", 104, 128, attrs_at, 128, data_at, len(data), 0, 0,
                                           features, 0, 0, 0)
        with open(path, "wb") as f:
            f.write(header + attr + struct.pack("<QQ", 0, 0) + data + table)

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
        ip, branches = rest
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
