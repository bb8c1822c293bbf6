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
            return 10, USER, struct.pack("<IIQQQIIQQII", pid, pid, start, size, offset, 8, 1, 77, 0, 5, 2) + _padded(path)
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
