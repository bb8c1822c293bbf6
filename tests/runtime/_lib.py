# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of the runtime share this file: the compilers that are there, objects that are compiled once in a run,
programs that run with nothing of our environment, and comparing."""

import concurrent.futures
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback

from _shared import ANYPROF, BUILD, OURS, PROGRAMS, RUNTIME, SOURCE, TIMEOUT, functions, skip  # noqa: F401

sys.path.insert(0, os.path.join(SOURCE, "tests", "oracle"))
import _bits32 as bits32  # noqa: E402,F401

RELEASES = (13, 14, 15, 16, 17, 18, 19, 20, 21, 22)


class Failed(Exception):
    """A command did not do what it had to."""


class Clang:
    """A release of clang, with its llvm-profdata and compiler-rt's runtimes."""

    def __init__(self, number):
        self.number = number
        self.path = shutil.which("clang-%d" % number)
        self.profdata = "/usr/lib/llvm-%d/bin/llvm-profdata" % number
        if not os.access(self.profdata, os.X_OK):
            self.profdata = shutil.which("llvm-profdata-%d" % number)

    def __repr__(self):
        return "clang-%d" % self.number

    def runtime(self, machine="x86_64"):
        """The archive of compiler-rt's profile runtime; None: it is not installed."""
        found = run([self.path, "-print-resource-dir"]).stdout.strip()
        paths = glob.glob(os.path.join(found, "lib", "*", "libclang_rt.profile*%s*.a" % machine))
        paths += glob.glob(os.path.join(found, "lib", machine + "*", "libclang_rt.profile.a"))
        return paths[0] if paths else None


def clangs():
    """Those that are installed whole."""
    found = [c for c in map(Clang, RELEASES) if c.path and c.profdata]
    found = [c for c in found if c.runtime()]
    if not os.path.exists(RUNTIME):
        skip("no libanyprof_rt.a in " + BUILD)
    return found or skip("no clang with compiler-rt's profile runtime and llvm-profdata")


def run(command, directory=None, profile=None, errors=None, **environment):
    """Runs it with a clean environment. profile: LLVM_PROFILE_FILE."""
    clean = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C", **environment}
    if profile is not None:
        clean["LLVM_PROFILE_FILE"] = profile
    return subprocess.run(command, cwd=directory, env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False, encoding="utf-8",
                          errors=errors or "backslashreplace")


def must(command, directory=None, profile=None, **environment):
    """Runs it; it has to succeed. What it wrote to standard output."""
    result = run(command, directory, profile, **environment)
    if result.returncode:
        raise Failed("%s: exit code %d\n%s" % (" ".join(command), result.returncode, result.stderr[-2000:]))
    return result.stdout


class Workshop:
    """A directory for all that a test makes; the same object is compiled once."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="anyprof-runtime-")
        self.directory = self.temporary.name
        self.objects, self.n, self.lock = {}, 0, threading.Lock()

    def path(self, name):
        """A new path that ends with this name."""
        with self.lock:
            self.n += 1
            directory = os.path.join(self.directory, str(self.n))
        os.mkdir(directory)
        return os.path.join(directory, name)

    def compile(self, clang, program, options=()):
        """An object of programs/PROGRAM, or of a path."""
        # 13 makes code for fixed addresses where it is not asked, which other drivers link no more.
        key = (clang.path, program, "-fPIE", *options)
        with self.lock:
            mine = key not in self.objects
            future = self.objects.setdefault(key, concurrent.futures.Future())
        if mine:
            try:
                path = self.path(os.path.splitext(os.path.basename(program))[0] + ".o")
                # Names of local functions have the path of their file in them as it is given.
                must([*key[:1], *key[2:], "-c", os.path.basename(program), "-o", path],
                     os.path.dirname(os.path.join(PROGRAMS, program)))
                future.set_result(path)
            except Exception as error:
                future.set_exception(error)
        return future.result()


HOSTED = ["-std=c11", "-O2", "-fPIC", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-DANYPROF_RT_HOSTED",
          "-fvisibility=hidden", "-fno-stack-protector", "-ffunction-sections", "-fdata-sections",
          "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
          *("-I" + os.path.join(SOURCE, d) for d in ("include", "src", "runtime"))]


# Where Debian has what the headers of both widths share.
BITS32 = ["-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"]


def build_runtime(shop, compiler):
    """An archive of the runtime, compiled with these words."""
    library = shop.path("libanyprof_rt.a")
    directory = os.path.dirname(library)
    for source in glob.glob(os.path.join(SOURCE, "runtime", "*.c")):
        must([*compiler, *HOSTED, "-c", source, "-o", os.path.join(directory, os.path.basename(source) + ".o")])
    must(["ar", "rcs", library, *glob.glob(os.path.join(directory, "*.o"))])
    return library


# --- what profiles say, without what is by chance ------------------------------------------------------------------


def text_profile(text):
    """The text form of a profile, its value sites with their values in order. Sites are the last of a record: `count`
    and as many lines `name:count` after a comment that says so."""
    out, values = [], []
    for line in text.split("\n"):
        if re.fullmatch(r".+:\d+", line) and not line.startswith("#"):
            values.append(line)
            continue
        out += sorted(values) + [line]
        values = []
    return "\n".join(out + sorted(values))


def merged(tool, *profiles):
    """Merges the profiles to text by a tool; None: it cannot read them."""
    result = run([tool, "merge", "--text", *profiles, "-o", "-"])
    return None if result.returncode else text_profile(result.stdout)


def shown(text):
    """Returns the lines of `show`, the values of a site sorted."""
    out, values = [], []
    for line in text.split("\n"):
        if line.startswith("\t["):
            values.append(line)
            continue
        out += sorted(values) + [line]
        values = []
    return "\n".join(out + sorted(values))


class Checks:
    """Counts what was compared, and keeps what differed."""

    def __init__(self):
        self.n, self.failures, self.lock = 0, [], threading.Lock()

    def that(self, ok, what, detail=""):
        with self.lock:
            self.n += 1
            if not ok:
                self.failures.append(what + ("\n" + detail if detail else ""))
        return ok

    def equal(self, ours, theirs, what):
        """Texts, or anything else."""
        detail = ""
        if ours != theirs and isinstance(ours, str) and isinstance(theirs, str):
            lines = list(difflib.unified_diff(theirs.split("\n"), ours.split("\n"), "wanted", "ours", lineterm=""))
            detail = "\n".join(lines[:40])
        elif ours != theirs:
            detail = "wanted: %r\nours:   %r" % (theirs, ours)
        return self.that(ours == theirs, what, detail)

    def each(self, cases, check):
        """check(case) for all of them, a few at a time. What goes wrong is a failure of its case."""
        def one(case):
            try:
                check(case)
            except Failed as error:
                self.that(False, "%s: %s\n%s" % (case, error, traceback.format_exc(limit=4)))
            except Exception:  # whatever it is: the other cases are of interest too
                self.that(False, "%s: %s" % (case, traceback.format_exc()))
        with concurrent.futures.ThreadPoolExecutor(max(2, min(4, os.cpu_count() or 2))) as pool:
            list(pool.map(one, cases))

    def finish(self, figures):
        for failure in self.failures:
            print("FAILED:", failure)
        print("%s; %d comparisons, %d failed" % (figures, self.n, len(self.failures)))
        sys.exit(1 if self.failures or not self.n else 0)
