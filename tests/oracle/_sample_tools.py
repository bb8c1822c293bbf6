# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of sample profiles share this: the tools, formats that each release's llvm-profdata writes, twins of the
corpus, and counts of comparisons."""

import collections
import concurrent.futures
import functools
import glob
import os
import re
import struct
import subprocess
import sys

import _built
import _sample_model as m
import _samples as s
import _share
from _identity import ANYPROF, RELEASES, profdata

CORPUS = os.environ.get("ANYPROF_CORPUS", "")
NAME = "llvm-profdata-22"  # what both are called by: then anyprof writes for LLVM 22, with that tool's exit codes
LLVM = profdata(22)
INSTALLED = tuple(release for release in RELEASES if profdata(release))


class Ran:
    """What a tool did. `data`: the file it wrote, or None."""

    def __init__(self, code, out, err, data=None):
        self.code, self.out, self.err, self.data = code, out, err, data

    @property
    def crashed(self):
        """Ended by a signal, or by an exit code of a sanitizer or of a handler of signals."""
        return self.code not in (0, 1)

    def brief(self):
        if self.code:
            return "exit code %d: %s" % (self.code, self.err[:200].decode(errors="replace"))
        return "%d bytes" % len(self.out if self.data is None else self.data)


def run(tool, arguments, cwd=None, name=None):
    """anyprof is called by the name of LLVM 22's tool unless there is another; others by their own."""
    name = name or (NAME if tool == ANYPROF else os.path.basename(tool))
    p = subprocess.run([name, *arguments], executable=tool, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, cwd=cwd, timeout=300, check=False)
    return Ran(p.returncode, p.stdout, p.stderr)


def merge(tool, options, inputs, out, name=None):
    """merge --sample of inputs, paths or (path, weight) pairs, into the file `out`."""
    words = [path if isinstance(path, str) or path[1] == 1 else "--weighted-input=%d,%s" % path[::-1]
             for path in (i if isinstance(i, str) or i[1] != 1 else i[0] for i in inputs)]
    if os.path.exists(out):
        os.unlink(out)
    done = run(tool, ["merge", "--sample", *options, *words, "-o", out], name=name)
    if os.path.exists(out):
        with open(out, "rb") as f:
            done.data = f.read()
        os.unlink(out)
    return done


def to_text(tool, path, out):
    return merge(tool, ["--text"], [path], out)


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


def first_difference(want, got):
    a, b = want.split(b"\n"), got.split(b"\n")
    for i in range(max(len(a), len(b))):
        x, y = (lines[i] if i < len(lines) else b"(end)" for lines in (a, b))
        if x != y:
            return "line %d is %r, not %r" % (i + 1, y[:100], x[:100])
    return "the same"


# ---- formats -----------------------------------------------------------------------------------------------------

EXT = ["--extbinary"]
FORMATS = {
    "default": [],
    "text": ["--text"],
    "raw": ["--binary"],
    "ext": EXT,
    "md5": [*EXT, "--use-md5"],
    "z": [*EXT, "--compress-all-sections"],
    "zmd5part": [*EXT, "--compress-all-sections", "--use-md5", "--gen-partial-profile"],
    "compact": ["--compbinary"],
    "split": [*EXT, "--split-layout"],
    "splitz": [*EXT, "--split-layout", "--compress-all-sections", "--use-md5"],
    "symbols": EXT,  # and a list of symbols
    "vtable": [*EXT, "--extbinary-write-vtable-type-prof"],
    "flat": ["--text", "--split-layout"],
}


def formats_of(release, kind):
    """What the release's llvm-profdata can write a kind of profile in."""
    names = ["text", "ext", "md5", "z", "zmd5part", "symbols"]
    if kind not in s.CS + s.PROBE:
        names += ["default"] if kind not in ("vtables", "base") else []
        names += ["raw", *(["compact"] if release <= 16 else [])]
    if release >= 22:
        # LLVM's split layout loses contexts.
        names.append("flat")
        names += ["split", "splitz"] if kind not in s.CS else []
        names += ["vtable"] if kind == "vtables" else []
    return names


def readable(release, kind):
    """Whether the release's llvm-profdata reads the text of a kind."""
    if kind == "vtables":
        return release >= 22
    return release >= 14 or kind not in ("probe", "probeattr", "attr", "base")  # metadata of inlinees


# ---- twins of the corpus -----------------------------------------------------------------------------------------


class Twin:
    """What a twin in corpus/sample says: the text, why the file is refused, the lines of its header."""

    def __init__(self, path):
        lines = read(path).split(b"\n")
        self.header = [line[2:].decode().split() for line in lines if line.startswith(b"# ")]
        self.text = b"\n".join(line for line in lines if not line.startswith(b"# "))
        self.rejected = self.header[0][0] == "rejected:"

    def first(self, word):
        return next((words[1:] for words in self.header if words[0] == word), [])

    def summary_text(self):
        """The end of show --detailed-summary."""
        total, _, max_head, lines, functions = map(int, self.first("summary"))
        summary = m.Summary(m.Profile())
        summary.total, summary.max_head, summary.lines, summary.functions = total, max_head, lines, functions
        summary.entries = [tuple(map(int, words[1:])) for words in self.header if words[0] == "cutoff"]
        return summary.text()


@functools.lru_cache(maxsize=1024)
def listed_names(path):
    """{hash in decimal: name} of the list of all functions of a profile of hashes."""
    if not any(kind == 2 and flags & MD5 for kind, flags, _ in sections(read(path)) or ()):
        return {}
    shown = run(LLVM, ["show", "--sample", "--show-prof-sym-list", path]).out.decode("latin-1")
    return {str(m.guid(name)): name for name in shown.rpartition("list ========\n")[2].split()}


def corpus_files(*parts):
    """The files of a directory of the corpus, without twins and programs."""
    found = glob.glob(os.path.join(CORPUS, *parts, "*"))
    return sorted(path for path in found if path.endswith((".afdo", ".prof")))


def twin_of(path):
    return os.path.splitext(path)[0] + ".txt"


AFDO_LINE = re.compile(r'( *)(?:function|([\d.]+): call) \d+ "(.*?)"(?: head (\d+))?|( +)([\d.]+): (\d+)(.*)$')


def afdo_profile(twin):
    """The profile of a lossless dump in corpus/afdo; records of equal location are added. None: it is refused."""
    text = twin.decode()
    if text.startswith("malformed"):
        return None
    names = dict(re.findall(r'^  name (\d+) "(.*?)"', text, re.M))
    parts, stack = [], []
    body = text.partition("\nfunctions")[2].partition("\n")[2]
    for line in body.split("\n"):
        match = AFDO_LINE.match(line)
        if not match:
            break
        blanks, at, name, head, deep, where, count, targets = match.groups()
        if name is None:
            del stack[len(deep) // 2 - 1:]
            number = int(count)
            for samples in stack:
                samples.total = m.add(samples.total, number)
            target = {names[n]: int(of) for n, of in re.findall(r" (\d+)#(?:type\d+)?:(\d+)", targets)}
            of = stack[-1].lines.setdefault(place(where), [0, {}])
            of[0] = m.add(of[0], number)
            for callee, n in target.items():
                of[1][callee] = m.add(of[1].get(callee, 0), n)
        elif at is None:
            stack = [m.Samples(0, int(head))]
            parts.append((name, stack[0]))
        else:
            del stack[len(blanks) // 2 - 1:]
            callees = stack[-1].calls.setdefault(place(at), {})
            stack.append(callees.setdefault(name, m.Samples()))
    return m.merge([(m.single(name, samples), 1) for name, samples in parts])


def place(at):
    line, _, disc = at.partition(".")
    return int(line), int(disc or 0)


# ---- sections of extbinary files ---------------------------------------------------------------------------------


MD5, UNIQ = 1 << 32, 4 << 32  # flags of the table of names


def sections(data):
    """(type, flags, bytes) of each section of an extbinary file, in the order of its table."""
    if data[:9] != b"\x84\xe4\xd0\xb1\xf4\xc9\x94\xa8\x53" or data[9:10] != b"\x67":
        return None
    number = struct.unpack_from("<Q", data, 10)[0]
    table = [struct.unpack_from("<4Q", data, 18 + 32 * i) for i in range(number)]
    return [(kind, flags, data[offset:offset + size]) for kind, flags, offset, size in table]


def same_but_metadata_order(want, got):
    """Whether extbinary files differ in nothing but the order of the records of section 5, which in LLVM is that of a
    hash table. Compressed ones have another size then, so their sections after it may begin elsewhere."""
    a, b = sections(want), sections(got)
    if a is None or b is None or len(a) != len(b):
        return False
    return all(x[0] == y[0] and flags_of(x) == flags_of(y) and (x[2] == y[2] or x[0] == 5 and same_bytes(x, y))
               for x, y in zip(a, b))


def flags_of(section):
    """LLVM 19 and 22 forget to say that names with `.__uniq.` are in a table of GUIDs."""
    kind, flags, _ = section
    return flags & ~UNIQ if kind == 2 and flags & MD5 else flags


def same_bytes(x, y):
    if x[1] & 1:
        return bool(x[2]) == bool(y[2])
    return sorted(x[2]) == sorted(y[2])


# ---- counting ----------------------------------------------------------------------------------------------------


class Suite:
    """jobs: (group, function, *arguments); the function returns None if the comparison is right, else what is wrong,
    or UNMADE if there is nothing to compare."""

    UNMADE = object()

    def __init__(self):
        self.compared, self.unmade, self.failures = collections.Counter(), collections.Counter(), []
        self.left_out, self.picked = collections.Counter(), []
        self.only = sys.argv[1:]

    @staticmethod
    def name(job):
        return " ".join(str(word) for word in (job[0], *job[2:]))

    def run(self, jobs):
        jobs = list(jobs)
        if self.only:
            jobs = [job for job in jobs if any(o in self.name(job) for o in self.only)]
        else:
            jobs = _share.pick(jobs, lambda job: job[0])
            self.left_out += jobs.left_out
            self.picked.append(jobs)
        with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            for job, what in zip(jobs, pool.map(lambda job: job[1](*job[2:]), jobs)):
                if what is self.UNMADE:
                    self.unmade[job[0]] += 1
                    continue
                self.compared[job[0]] += 1
                if what:
                    self.failures.append("%s: %s" % (self.name(job), what))

    def least(self, floor):
        """The floor of this share."""
        return 0 if self.only else _share.least(floor, *self.picked)

    def finish(self, floors, without=()):
        for text in self.failures[:20]:
            print("FAILED: " + text[:400].replace("\n", " "))
        print("%d comparisons (%s), %d failures" %
              (sum(self.compared.values()), ", ".join("%s: %d" % c for c in self.compared.items()),
               len(self.failures)))
        if self.unmade:
            print("not to be compared: %s" % ", ".join("%s: %d" % c for c in self.unmade.items()))
        few = [] if self.only else _built.too_few(self.compared, floors, without, self.left_out)
        if few:
            print("FAILED: too few comparisons: %s" % "; ".join(few))
        sys.exit(1 if self.failures or few else 0)


def need_tools():
    for what, path in (("command", ANYPROF), (NAME, LLVM)):
        if not path or not os.access(path, os.X_OK):
            print("skipped: no", what)
            sys.exit(77)


@functools.lru_cache(maxsize=4096)
def made(kind, seed):
    """A profile, and its bytes as text in LLVM's form and in another."""
    profile = s.make_profile("%s %s" % (kind, seed), kind)
    return profile, s.render(profile), s.render(profile, "style %s %s" % (kind, seed))
