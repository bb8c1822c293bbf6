# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All tests of the runtime share the paths here, and the reader of a profile's text form."""

import collections
import os
import re
import sys

SOURCE = os.path.abspath(os.environ.get("ANYPROF_SOURCE_DIR",
                                        os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")))
BUILD = os.path.abspath(os.environ.get("ANYPROF_BUILD_DIR", "build"))
ANYPROF = os.path.abspath(os.environ.get("ANYPROF", os.path.join(BUILD, "anyprof")))
PROGRAMS = os.path.join(SOURCE, "tests", "runtime", "programs")
RUNTIME = os.path.join(BUILD, "libanyprof_rt.a")
OURS = ["-L" + BUILD, "-lanyprof_rt"]
TIMEOUT = 120


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def profiles(directory):
    """All files below a directory whose names say that they are raw profiles."""
    return sorted(os.path.join(d, f) for d, _, files in os.walk(directory) for f in files if f.endswith(".profraw"))


# Numbers; values: {kind: [sorted pairs of value and count, for each site]}.
Function = collections.namedtuple("Function", "name hash counters bitmap values")


def numbers(lines, at):
    """The list whose length is in lines[at], with a comment between; and the place after it."""
    n = int(lines[at].lstrip("$"))
    return [int(x, 0) for x in lines[at + 2:at + 2 + n]], at + 2 + n


def values_of(lines, at):
    """The values; lines[at] is how many kinds there are."""
    values = {}
    kinds, at = int(lines[at]), at + 1
    for _ in range(kinds):
        kind, sites, at = int(lines[at + 1]), int(lines[at + 3]), at + 4
        values[kind] = []
        for _ in range(sites):
            n = int(lines[at])
            pairs = (line.rsplit(":", 1) for line in lines[at + 1:at + 1 + n])
            values[kind].append(sorted((value, int(count)) for value, count in pairs))
            at += 1 + n
    return values


def functions(text):
    """The functions of a text profile that llvm-profdata or anyprof wrote, which has comments."""
    lines = text.split("\n") + [""]
    found = []
    for start in (i for i, line in enumerate(lines) if line == "# Func Hash:"):
        counters, at = numbers(lines, start + 3)
        bitmap, values = [], {}
        if lines[at] == "# Num Bitmap Bytes:":
            bitmap, at = numbers(lines, at + 1)
            at += lines[at] == ""
        if lines[at:at + 1] == ["# Num Value Kinds:"]:
            values = values_of(lines, at + 1)
        found.append(Function(lines[start - 1], int(lines[start + 1]), counters, bitmap, values))
    return found


def first_counts(text):
    """{name without its file: the sum of the first counters} of the functions of a text profile."""
    found = collections.Counter()
    for function in functions(text):
        found[re.split("[:;]", function.name)[-1]] += function.counters[0]
    return dict(found)
