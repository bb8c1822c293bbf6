# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings as perf 6.1 prints them, and as the public interface gives them, for tests: lists to be compared."""

import json
import os
import re
import subprocess

ANYPROF = os.environ.get("ANYPROF", "anyprof")
BUILD = os.environ.get("ANYPROF_BUILD_DIR", os.path.dirname(ANYPROF))
DUMP = os.path.join(BUILD, "tests", "dump_perf")
TYPES = ("", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET",
         "IRQ", "SERROR", "NO_TX")
NEW_TYPES = ("FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5")
LINE = re.compile(r"\s*(-?\d+)/(-?\d+)\s+(?:\[(\d+)\]\s+)?(\d+\.\d{9}):\s+(\d+)\s+(.*?):\s+"
                  r"(?:([0-9a-f]+)(?: \(.*?\))?\s+)?([0-9a-f]+) \((.*?)\)$")


def run(command, data=None, **options):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          stdin=None if data is not None else subprocess.DEVNULL, **options)


def text(data):
    return data.decode("utf-8", "surrogateescape")


def dump(path, fields=None, stdin=None, code=0):
    """Lines of the samples of a recording, as lists of columns."""
    done = run([DUMP] + (["-F", fields] if fields else []) + [path], stdin)
    if done.returncode != code:
        raise AssertionError("dump_perf %s: exit %d: %s" % (path, done.returncode, text(done.stderr)))
    return [line.split("\t") for line in text(done.stdout).split("\n")[:-1]]


def info(path, stdin=None):
    """(exit code, what `perf info` says as JSON or the message)."""
    done = run([ANYPROF, "perf", "info", "--json", path], stdin)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else text(done.stderr)


# ---- what perf says ----

def perf(*words, code=0):
    done = run(["perf", *words])
    if done.returncode != code:
        raise AssertionError("perf %s: exit %d: %s" % (" ".join(words), done.returncode, text(done.stderr)[-400:]))
    return text(done.stdout)


def events_of(path):
    """{NAME: {KEY: VALUE}} as perf evlist -v prints them."""
    found = {}
    for line in perf("evlist", "-v", "-i", path).splitlines():
        if line.startswith("#"):
            continue
        name, _, rest = re.match(r"(.*?)(: )((?:type|size): .*)$", line).groups()
        found[name] = dict(re.findall(r"([\w{}, ]+?): ([\w|]+)(?:, |$)", rest))
    return found


def parts_of(events):
    """Names of what samples of all events have."""
    return set.intersection(*(set(e["sample_type"].split("|")) for e in events.values()))


def of_perf(path, parts, events=None):
    """Samples as perf prints them: rows of pid/tid, cpu, time, period, event, address of data, address, file. `events`:
    only samples of these."""
    names = ["pid", "tid", "time", "period", "event", "ip", "dso"]
    names += [name for name, part in (("cpu", "CPU"), ("addr", "ADDR")) if part in parts]
    rows = []
    for line in perf("script", "-f", "--ns", "-G", "-F", ",".join(names), "-i", path).splitlines():
        match = LINE.match(line)
        if not match:
            raise AssertionError("a line of perf script: %r" % line)
        pid, tid, cpu, time, period, event, data, address, file = match.groups()
        if not events or event in events:
            file = re.sub(r"^/tmp/perf-\d+\.map$", "//anon", file)  # where perf looks for its symbols
            rows.append(("%s/%s" % (pid, tid), str(int(cpu or 0)), time, period, event, data or "-", address, file))
    return rows


def as_perf(rows, parts):
    """Rows of `dump` as those of of_perf."""
    result = []
    for row in rows:
        pid, cpu, time, period, event, data, address, place = row[:8]
        file = place.split(" ", 2)[2] if place != "-" else "[unknown]"
        shown = data if "ADDR" in parts else "-"
        result.append((pid, cpu if "CPU" in parts else "0", time, period, event, shown, address, file))
    return result


def chains_of_perf(path):
    """Call chains as perf prints them: (pid/tid, time, addresses). perf 6.1 prints offsets in files of user code."""
    rows = []
    for line in perf("script", "-f", "--ns", "-F", "pid,tid,time,ip", "-i", path).splitlines():
        head = re.match(r"\s*(-?\d+/-?\d+)\s+(\d+\.\d{9}):", line)
        if head:
            rows.append((head[1], head[2], []))
        elif line.strip():
            rows[-1][2].append(line.split()[0])
    return rows


def chains_as_perf(rows):
    """Of `dump -F pid,time,chain`. User code that is mapped nowhere has a "?" after its address."""
    result = []
    for pid, time, chain in rows:
        shown, user = [], False
        for word in chain.split():
            if word.startswith("-"):
                user = word == "-512"
            else:
                address, _, offset = word.partition("@")
                shown.append(offset or address + "?" if user else address)
        result.append((pid, time, shown))
    return result


def settle_chains(theirs, ours):
    """Returns our chains without "?", and how many of these perf finds in a mapping. perf keeps the mappings that a
    process had before it ran another program, in which a system call to run it began."""
    stale, settled = 0, []
    for (pid, time, there), (_, _, here) in zip(theirs, ours):
        words = [word.rstrip("?") for word in here]
        if len(there) == len(here):
            known = [b.endswith("?") and a != b[:-1] for a, b in zip(there, here)]
            words = [a if stale_one else b for a, b, stale_one in zip(there, words, known)]
            stale += sum(known)
        settled.append((pid, time, words))
    return settled + ours[len(theirs):], stale


def branches_as_perf(column, big=False):
    """A column of `dump -F brstack`, as words of perf script -F brstack. perf 6.1 loses newer types in files of
    big-endian machines."""
    shown = []
    for word in column.split():
        *front, kind, newer, _, _ = word.split("/")
        kind, newer = int(kind), int(newer)
        name = TYPES[kind] if kind < 15 else NEW_TYPES[0] if big else NEW_TYPES[newer] if newer < 8 else "(null)"
        shown.append("/".join(front + [name]))
    return shown


def branches_of_perf(path):
    lines = perf("script", "-f", "-F", "pid,brstack", "-i", path).splitlines()
    return [line.split()[1:] for line in lines]


def first_difference(expected, got):
    """The first rows that differ, in words; "" if none do."""
    for i, (a, b) in enumerate(zip(expected, got)):
        if a != b:
            return "row %d: perf has %s, anyprof %s" % (i, a, b)
    return "" if len(expected) == len(got) else "perf has %d rows, anyprof %d" % (len(expected), len(got))
