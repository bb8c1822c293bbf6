# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pgo_use.py stands on this file: compilers, programs to profile, their builds and runs, and the profile in LLVM IR.

A key of a function is (file, name) here, `file` being that of its source: local functions of two files may share a
name. Nothing in this file knows a profile format but LLVM's text form."""
import collections
import functools
import os
import re
import shutil
import subprocess
import tempfile
import threading

import _bits32

RELEASES = (13, 14, 15, 16, 19, 22)
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "pgo")


class ToolFailed(Exception):
    """A program that must not fail has failed."""


def run(args, cwd=None, env=None, may_fail=False):
    done = subprocess.run(args, cwd=cwd, env=dict(os.environ, **(env or {})), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape",
                          timeout=600)
    if done.returncode != 0 and not may_fail:
        raise ToolFailed(f"exit {done.returncode}: {' '.join(args)}\n{done.stderr[-1500:]}")
    return done


# ---- results -----------------------------------------------------------------------------------------------------

class Results:
    """Counts comparisons; keeps what went wrong. For several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.compared = collections.Counter()
        self.failures = []
        self.notes = []

    def check(self, good, kind, where, what):
        with self.lock:
            self.compared[kind] += 1
            if not good:
                self.failures.append(f"{where}: {what() if callable(what) else what}")
        return good

    def note(self, text):
        with self.lock:
            self.notes.append(text)


# ---- releases ----------------------------------------------------------------------------------------------------

class Release:
    def __init__(self, number):
        self.number = number
        self.clang = f"clang-{number}"
        self.clangxx = f"clang++-{number}"
        self.profdata = f"llvm-profdata-{number}"
        self.cov = f"llvm-cov-{number}"
        # The separator between file and name of a local function in the names of IR profiles.
        self.separator = ";" if number >= 18 else ":"

    def __str__(self):
        return f"llvm-{self.number}"

    def missing(self, scratch):
        """Why it cannot be used, or None."""
        for tool in (self.clang, self.clangxx, self.profdata):
            if not shutil.which(tool):
                return f"no {tool}"
        source = os.path.join(scratch, "empty.cpp")
        with open(source, "w", encoding="ascii") as f:
            f.write("int main() { return 0; }\n")
        for compiler in (self.clang, self.clangxx):
            done = run([compiler, "-fprofile-instr-generate", "-x", "c++" if "++" in compiler else "c", source, "-o",
                        os.path.join(scratch, f"empty.{self.number}")], may_fail=True)
            if done.returncode != 0:
                return f"{compiler} makes no instrumented program (no runtime?)"
        return None


@functools.cache
def builds_32_bits(number):
    """Whether clang is here and has what 32-bit programs of this processor need, and they run. If not, that is
    printed."""
    if not shutil.which(f"clang++-{number}"):
        return False
    with tempfile.TemporaryDirectory() as scratch:
        source, program = os.path.join(scratch, "empty.cpp"), os.path.join(scratch, "empty")
        with open(source, "w", encoding="ascii") as f:
            f.write("#include <stdlib.h>\nint main() { return 0; }\n")
        done = run([f"clang++-{number}", "-m32", "-fprofile-generate", source, "-o", program], may_fail=True)
        env = {"LLVM_PROFILE_FILE": os.path.join(scratch, "raw")}
        if done.returncode == 0 and _bits32.runner() is not None and \
                run(_bits32.command(["-m32"], program), env=env, may_fail=True).returncode == 0:
            return True
    print(f"skipped: 32 bits with clang {number}: {(done.stderr.splitlines() or ['they do not run'])[0]}")
    return False


def find_releases(scratch):
    """(releases, reasons for the absent ones)"""
    found, absent = {}, []
    for number in RELEASES:
        release = Release(number)
        why = release.missing(scratch)
        if why:
            absent.append(f"{release} ({why})")
        else:
            found[number] = release
    return found, absent


# ---- programs ----------------------------------------------------------------------------------------------------

class Program:
    """Sources, and the command lines of the runs that are profiled."""

    def __init__(self, name, files, runs, never=()):
        self.name = name
        self.files = files
        self.runs = runs
        self.never = never  # functions that no run calls
        self.cpp = files[0].endswith(".cpp")
        self.calls = None  # (file, name) -> calls, over all runs
        self.outputs = None  # what each run prints

    def compiler(self, release):
        return release.clangxx if self.cpp else release.clang

    def is_local(self, key):
        """By reading the source: `static` before the name, or in an unnamed namespace."""
        if self.cpp:
            return "_GLOBAL__N_" in key[1]
        with open(os.path.join(SOURCES, key[0]), encoding="ascii") as f:
            return re.search(rf"^static .*\b{re.escape(key[1])}\(", f.read(), re.M) is not None

    def count_calls(self, release, directory):
        """Lets the program count its own calls: what profiles are held against, made without any profile."""
        os.makedirs(directory)
        objects = []
        for file in self.files + ["pgo_count.c"]:
            objects.append(os.path.join(directory, file + ".o"))
            compiler = release.clang if file.endswith(".c") else release.clangxx
            run([compiler, "-O0", "-DPGO_COUNT", "-c", file, "-o", objects[-1]], cwd=SOURCES)
        program = os.path.join(directory, "counting")
        run([self.compiler(release), *objects, "-o", program])
        self.calls = collections.Counter({key: 0 for key in self.never})
        self.outputs = []
        for arguments in self.runs:
            lines = run([program, *arguments]).stdout.splitlines()
            self.outputs.append([line for line in lines if not line.startswith("count ")])
            for line in lines:
                word = line.split()
                if word[0] == "count":
                    self.calls[(word[1], word[2])] += int(word[3])


# ---- builds ------------------------------------------------------------------------------------------------------

class Flavour:
    """A way of instrumenting, and of using what comes of it."""

    def __init__(self, name, program, generate, use, *, since=13, opt="-O2", ways=((),), exact=True,
                 refused=None, marks=(), values=(), coverage=None, flag=None, flag_since=0):
        self.name = name
        self.program = program
        self.generate = generate
        self.use = use  # the option that takes the profile, with its '='
        self.since = since
        self.opt = opt
        self.ways = ways  # options for using it; each way is compared, the last one is judged
        self.exact = exact  # entry counts are numbers of calls
        self.refused = refused  # why clang uses no such profile
        self.marks = marks  # kinds of metadata that must be there
        self.values = values  # kinds of value profiles that must be there
        self.coverage = coverage  # what llvm-cov's report must have
        self.flag = flag  # what the profile in text form must begin with
        self.flag_since = flag_since  # the tool that writes it there

    @property
    def front_end(self):
        return self.use.startswith("-fprofile-instr-use")

    def build(self, release, directory, extra=()):
        objects = []
        os.makedirs(directory, exist_ok=True)
        for file in self.program.files:
            objects.append(os.path.join(directory, file + ".o"))
            run([self.program.compiler(release), self.opt, *self.generate, *extra, "-c", file, "-o", objects[-1]],
                cwd=SOURCES)
        program = os.path.join(directory, "program")
        run([self.program.compiler(release), *self.generate, "-Wl,--build-id", *objects, "-o", program])
        return program

    def profile(self, program, directory, prefix="run"):
        """Runs it; the names of the raw profiles."""
        raws = []
        for i, arguments in enumerate(self.program.runs):
            raws.append(os.path.join(directory, f"{prefix}{i}.profraw"))
            done = run([program, *arguments], env={"LLVM_PROFILE_FILE": raws[-1]})
            if done.stdout.splitlines() != self.program.outputs[i]:
                raise ToolFailed(f"{program} {' '.join(arguments)} computes something else: {done.stdout!r}")
        return raws

    def compile(self, release, profile, directory, tag, way=None, may_fail=False):
        """Uses a profile: an Annotated, or the stderr of the compiler that refused it."""
        texts, errors = {}, ""
        way = self.ways[-1] if way is None else way
        for file in self.program.files:
            out = os.path.join(directory, f"{tag}.{file}.ll")
            option = [self.use + profile] if profile else []
            done = run([self.program.compiler(release), self.opt, *option, *way, "-S", "-emit-llvm", file,
                        "-o", out], cwd=SOURCES, may_fail=may_fail)
            errors += done.stderr
            if done.returncode != 0:
                return errors
            with open(out, encoding="utf-8", errors="surrogateescape") as f:
                texts[file] = f.read()
            os.unlink(out)
        return Annotated(texts, errors)


# ---- LLVM IR -----------------------------------------------------------------------------------------------------

DEFINE = re.compile(r'^define .*?@("[^"]*"|[-\w.$]+)\(')
PROF = re.compile(r"!prof !(\d+)")
NODE = re.compile(r"^!(\d+) = (?:distinct )?(!\{.*\})$", re.M)
ENTRY = re.compile(r'^!\{!"function_entry_count", i64 (-?\d+)')


class Annotated:
    """The rest of a profile in the IR of all files: per function the entry count and the other metadata, in
    order; and the module's summary of the profile."""

    def __init__(self, texts, messages=""):
        self.texts = texts
        self.messages = messages
        self.functions = {}
        self.summary = {}
        for file, text in texts.items():
            nodes = dict(NODE.findall(text))
            for name, lines in self._bodies(text):
                marks = [nodes[n] for line in lines for n in PROF.findall(line)]
                self.functions[(file, name)] = marks
            self.summary[file] = self._summary(nodes)

    @staticmethod
    def _bodies(text):
        lines = iter(text.splitlines())
        for line in lines:
            match = DEFINE.match(line)
            if not match:
                continue
            body = [line]
            for inner in lines:
                body.append(inner)
                if inner == "}":
                    break
            yield match.group(1).strip('"'), body

    @staticmethod
    def _summary(nodes):
        """The ProfileSummary flags with everything they refer to written out."""
        def spell(text, depth=0):
            if depth > 8:
                return text
            return re.sub(r"!(\d+)", lambda m: spell(nodes.get(m.group(1), "?"), depth + 1), text)
        return sorted(spell(text) for text in nodes.values() if 'Summary"' in text and not text.startswith('!{!"'))

    def entry(self, key):
        """The entry count of a function, or None."""
        marks = self.functions.get(key, [])
        for mark in marks:
            match = ENTRY.match(mark)
            if match:
                return int(match.group(1))
        return None

    def count(self, kind):
        return sum(mark.startswith(f'!{{!"{kind}"') for marks in self.functions.values() for mark in marks)

    def value_kinds(self):
        """How many value profiles there are of each kind."""
        kinds = collections.Counter()
        for marks in self.functions.values():
            for mark in marks:
                match = re.match(r'!\{!"VP", i32 (\d+)', mark)
                if match:
                    kinds[int(match.group(1))] += 1
        return kinds

    def difference(self, other):
        """The first differences, as text; '' when nothing differs."""
        found = []
        for key in sorted(set(self.functions) | set(other.functions)):
            mine, theirs = self.functions.get(key), other.functions.get(key)
            if mine != theirs:
                found.append(f"{key[0]} {key[1]}: {mine} against {theirs}"[:600])
        if self.summary != other.summary:
            found.append("the summaries differ")
        if not found and self.texts != other.texts:
            found.append("the IR differs elsewhere")
        return "; ".join(found[:3])


# ---- LLVM's text form --------------------------------------------------------------------------------------------

class TextProfile:
    """A profile as `llvm-profdata merge --text` prints it."""

    def __init__(self, text):
        self.counts = {}  # (name, hash) -> counters
        self.rest = {}  # (name, hash) -> the lines after them: bitmap and values
        self.flags = []
        self.traces = []
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        at = 0
        while at < len(lines) and lines[at].startswith(":"):
            self.flags.append(lines[at])
            at += 1
            if self.flags[-1] == ":temporal_prof_traces":
                n = int(lines[at])
                at += 2  # and the size of the stream
                self.traces = sorted((lines[at + 2 * i], lines[at + 2 * i + 1]) for i in range(n))
                at += 2 * n
        while at < len(lines):
            at = self._record(lines, at) if lines[at] else at + 1

    def _record(self, lines, at):
        key = (lines[at], int(lines[at + 1], 0))
        end = at + 3 + int(lines[at + 2])
        if key in self.counts:
            raise ToolFailed(f"{key} is twice in a text profile")
        self.counts[key] = tuple(int(word) for word in lines[at + 3:end])
        at = end
        while end < len(lines) and lines[end]:
            end += 1
        self.rest[key] = tuple(lines[at:end])
        return end

    def only(self, name):
        """Hash and counters of a name that has one record; (None, ()) when there is none."""
        found = [(key[1], counts) for key, counts in self.counts.items() if key[0] == name]
        return found[0] if len(found) == 1 else (None, ())


def profile_name(key, local, separator):
    """The name of a function in profiles."""
    return f"{key[0]}{separator}{key[1]}" if local else key[1]


def renamed(name, separator):
    """With this separator between file and name, if it is local; for the names of these tests only."""
    return re.sub(r"^(pgo_\w+\.c(?:pp)?)[:;]", rf"\1{separator}", name)
