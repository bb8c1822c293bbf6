# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `anyprof collect` share: profiles in text, and what is in a directory after it has run."""

import os
import subprocess
import sys

ANYPROF = os.environ["ANYPROF"]
STATE = ".anyprof-collect"


def profile(*counts, build="a"):
    """A profile of a build, whose functions have names of their own. The build is known by its functions."""
    names = ("%s%d" % (build, i) for i in range(len(counts)))
    return "".join([":ir\n"] + ["%s\n%d\n1\n%d\n\n" % (name, len(build), n) for name, n in zip(names, counts)]).encode()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


def run(*words, **how):
    done = subprocess.run([ANYPROF, *words], capture_output=True, check=False, timeout=120, **how)
    done.stderr = done.stderr.decode(errors="replace")
    if "Sanitizer" in done.stderr or "runtime error" in done.stderr or done.returncode not in (0, 1, 2):
        sys.exit("FAILED: %s ended with %d\n%s" % (" ".join(words), done.returncode, done.stderr))
    return done


def counts(path):
    """The counts of a profile, a dictionary from names."""
    lines = run("merge", "--text", path, "-o", "-").stdout.decode().split("\n")
    found = {}
    for i in range(len(lines) - 6):
        if lines[i].startswith("# Func Hash"):
            found[lines[i - 1]] = int(lines[i + 5])
    return found


def files(where):
    """The files below a directory, except for the lock and the totals of the state."""
    found = []
    for directory, _, names in os.walk(where):
        found += [os.path.relpath(os.path.join(directory, name), where) for name in names]
    return sorted(f for f in found if f not in (os.path.join(STATE, "lock"), os.path.join(STATE, "totals")))


def kept(spool, place):
    return sorted(os.listdir(os.path.join(spool, STATE, place)))
