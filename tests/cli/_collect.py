# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `anyprof collect` share: profiles in text, what is in a directory after it has run, and checks."""

import os
import re
import subprocess
import sys
import tempfile

ANYPROF = os.environ["ANYPROF"]
STATE = ".anyprof-collect"
failures = []
checks = 0


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
    """The files below a directory, except for those that the state always has."""
    found = []
    for directory, _, names in os.walk(where):
        found += [os.path.relpath(os.path.join(directory, name), where) for name in names]
    always = [os.path.join(STATE, name) for name in ("lock", "totals")]
    return sorted(f for f in found if f not in always and not f.startswith(STATE + "/reserve"))


def kept(spool, place):
    return sorted(os.listdir(os.path.join(spool, STATE, place)))


def check(what, got, want=True):
    global checks
    checks += 1
    if got != want:
        failures.append(what)
        print("FAILED: %s: %r, not %r" % (what, got, want))


def expect(what, done, code, *texts):
    """Checks the exit code, and that standard error has each text."""
    check(what + ": exit code", done.returncode, code)
    for text in texts:
        check("%s: says '%s'" % (what, text), text in done.stderr or done.stderr)


def once(spool, *words, settle="1s"):
    return run("collect", "--once", "--spool", spool, "-o", spool + ".out", "--settle", settle, *words)


def metrics(path):
    """Parses the text format of Prometheus, and is strict about it."""
    values, described, last = {}, {}, None
    for line in read(path).decode().splitlines():
        if line.startswith("# "):
            _, kind, name, text = line.split(" ", 3)
            check("%s of %s is given once" % (kind, name), (kind, name) not in described)
            described[kind, name] = text
            continue
        match = re.fullmatch(r'([a-z_]+)\{((?:[a-z]+="(?:[^"\\]|\\[\\n"])*",?)+)\} (\d+)', line)
        check("a line of metrics: " + line, match is not None)
        name = match[1]
        check("%s has a help and a type" % name, {("HELP", name), ("TYPE", name)} <= set(described))
        check("lines of %s follow each other" % name, name == last or name not in [key[0] for key in values])
        check("%s: _total and counter" % name, name.endswith("_total"), described["TYPE", name] == "counter")
        last = name
        labels = re.sub(r'spool="(?:[^"\\]|\\.)*",?', "", match[2])
        values[name, labels] = int(match[3])
    return {(name.replace("anyprof_collect_", ""), labels): n for (name, labels), n in values.items()}


def run_tests(tests):
    """Runs what is named test_..., each with an empty directory, and ends with the number of failures."""
    for name, test in sorted(tests.items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as t:
                test(os.path.realpath(t))
    print("%d checks, %d failures" % (checks, len(failures)))
    sys.exit(bool(failures))
