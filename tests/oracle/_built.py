# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of real programs, for the parity tests: of each clang that is installed, each way of instrumenting that it
has, three runs: two of one program, with other arguments, and one of the program as it might be a day later.

They are built once, in a directory below the build tree that the tests share; the first test makes what is
missing, the others wait. What is there stays as long as this file, the compiler and its llvm-profdata are the same.
"""

import collections
import concurrent.futures
import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import tempfile

import _bits32
import _pgo

BUILD = os.environ.get("ANYPROF_BUILD_DIR", "")
RAW = (19, 22)  # those whose raw profiles LLVM 22 reads
# Makes 16 targets at one site. Of more, LLVM's overlap compares repeated ones in the order of an unstable sort.
N_FUNCTIONS = 14
HEAD = """
extern "C" int atoi(const char *);
static char from[300] = {1}, to[300];
struct A { virtual int f(int x) { return x % 3 ? x + 1 : 2; } virtual ~A() {} };
struct B : A { int f(int x) override { return x > 7 && (x & 1 || x < 90) ? x : -x; } };
static int hidden(int x) { __builtin_memcpy(to, from, (unsigned)x % 300); return to[0] + x; }
static int other(int x) { return x * 2; }
"""
FUNCTION = """%(local)s int function_%(i)d(int x) {
    for (int i = 0; i < x %% %(a)d; i++) x ^= i;
    if (x %% %(b)d == 1 && (x > 9 || x & 4)) __builtin_memcpy(to, from, (unsigned)x %% %(c)d);
    switch (x & 3) { case 0: return x + 1; case 1: return x - %(a)d; default: return x > %(c)d ? -x : x; }
}
"""
CHANGED = """__attribute__((noinline)) static int function_%(i)d(int x) { return x > %(i)d ? x : 7; }
"""
TAIL = """
__attribute__((noinline)) static int (*pick(unsigned x))(int) {
    switch (x) { case 0: return hidden; case 1: return other; %(cases)s }
    return 0;
}
extern "C" __attribute__((noinline)) int go(int x) {
    A a; B b; A *p = x %% 4 ? &a : &b; return p->f(x) + pick((x + x / 9) %% %(n)d)(x);
}
int main(int argc, char **argv) { int s = 0; for (int i = 0; i < atoi(argv[1]); i++) s += go(i); return s == 1; }
"""


def source(later):
    """The program; a day later some functions are others, and one is gone."""
    ids = range(N_FUNCTIONS - later)
    text = HEAD
    for i in ids:
        local = "static" if i % 3 == 0 else 'extern "C"'
        of = {"i": i, "local": local, "a": 3 + i % 5, "b": 2 + i % 4, "c": 20 + 7 * i}
        text += (CHANGED if later and i % 7 == 5 else FUNCTION) % of
    cases = " ".join("case %d: return function_%d;" % (2 + i, i) for i in ids)
    return text + TAIL % {"cases": cases, "n": 2 + len(ids)}


IR, FRONT_END = ["-O1", "-fprofile-generate"], ["-O0", "-fprofile-instr-generate", "-fcoverage-mapping"]
GO = r"(?:.|\n)*?\ngo\n(?:.+\n)+?# Counter Values:\n"  # and then its first counter


class Kind:
    """A way of instrumenting, from which release on, and what is in the text form of its profiles."""

    def __init__(self, name, since, options, mark, arguments=("50", "20")):
        self.name, self.since, self.options, self.mark, self.arguments = name, since, options, mark, arguments

    @property
    def bits32(self):
        return "-m32" in self.options

    @property
    def front_end(self):
        return "-fprofile-instr-generate" in self.options


# What is single bytes counts fifty calls as one. An indexed profile of a 32-bit program is that of the 64-bit one:
# other arguments make it another.
KINDS = [
    Kind("fe", 13, FRONT_END, r"\A(?!:|# IR)" + GO + "50\n"),
    Kind("ir", 13, IR, r"\A(# IR.*\n)?:ir\n" + GO + r"\d\d\n"),
    Kind("cs", 13, ["-O1", "-fcs-profile-generate"], r":csir\n"),
    Kind("byte", 14, [*IR, "-mllvm", "-pgo-function-entry-coverage"], GO + "1\n"),
    Kind("blocks", 19, [*IR, "-mllvm", "-pgo-block-coverage"], GO + "1\n"),
    Kind("fe-byte", 19, [*FRONT_END, "-mllvm", "-enable-single-byte-coverage"], GO + "1\n"),
    Kind("temporal", 19, [*IR, "-mllvm", "-pgo-temporal-instrumentation"], r":temporal_prof_traces\n"),
    Kind("mcdc", 19, [*FRONT_END, "-fcoverage-mcdc"], r"\n\$[1-9]"),
    Kind("vtables", 19, [*IR, "-mllvm", "-enable-vtable-value-profiling"], r"# ValueKind = IPVK_VTableTarget:\n"),
    Kind("bits32", 13, ["-m32", *IR], r"\A(# IR.*\n)?:ir\n", ("47", "19")),
    Kind("bits32-fe", 13, ["-m32", *FRONT_END], r"\A(?!:|# IR)", ("47", "19")),
]


class Profiles:
    """Of one release and kind: indexed files `first`, `second` (two runs of a program) and `later` (of the program a
    day later), as its llvm-profdata makes them, and the raw profile of `first`."""

    def __init__(self, release, kind, directory):
        self.release, self.number, self.kind, self.name = release, release.number, kind, kind.name
        self.directory = directory
        self.first, self.second, self.later = (self.path(run + ".profdata") for run in ("first", "second", "later"))
        self.raw = self.path("first.profraw")

    def path(self, name):
        return os.path.join(self.directory, name)

    @property
    def group(self):
        return group(self.number, self.kind.bits32)

    @property
    def old_names(self):
        """Whether local functions have names that clangs from 18 on do not look for."""
        return self.number < 18 and not self.kind.front_end

    @property
    def three(self):
        return self.first, self.second, self.later

    def make(self, work, base=None):
        """`base`: the Profiles that the second round of contexts starts from."""
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        for program in ("program", "later"):
            options = list(self.kind.options)
            if self.old_names:
                options.append("-Wl,--build-id=none")  # so that a text holds all of it
            if base:
                options.append("-fprofile-use=" + (base.first if program == "program" else base.later))
            _pgo.run([self.release.clangxx, "-w", *options, program + ".cpp", "-o", self.path(program)], cwd=work)
        most, fewer = self.kind.arguments
        for program, run, argument in (("program", "first", most), ("program", "second", fewer),
                                       ("later", "later", most)):
            raw, indexed = self.path(run + ".profraw"), self.path(run + ".profdata")
            _pgo.run(_bits32.command(self.kind.options, self.path(program), argument), env={"LLVM_PROFILE_FILE": raw})
            bases = [getattr(base, run)] if base else []
            keep = ["--keep-vtable-symbols"] if self.name == "vtables" else []
            _pgo.run([self.release.profdata, "merge", *keep, *bases, raw, "-o", indexed])
        self.judge()

    def judge(self):
        """Is it what its kind says?"""
        text = _pgo.run([self.release.profdata, "merge", "--text", self.first, "-o", "-"]).stdout
        if not re.search(self.kind.mark, text):
            raise _pgo.ToolFailed("%s of %s: no profile of its kind:\n%s" % (self.name, self.release, text[:400]))
        with open(self.path("program"), "rb") as f:
            if (f.read(5)[4] == 1) != self.kind.bits32:
                raise _pgo.ToolFailed("%s of %s: the program is of the other class" % (self.name, self.release))


def stamped(path, key):
    if not os.path.exists(path):
        return False
    with open(path, encoding="ascii") as f:
        return f.read() == key


def stamp(path, key):
    with open(path, "w", encoding="ascii") as f:
        f.write(key)


def key_of(release):
    """Returns a digest of all that its profiles depend on; '' if its tools are not there."""
    key = hashlib.sha256()
    with open(os.path.abspath(__file__), "rb") as f:
        key.update(f.read())
    for tool in (release.clang, release.clangxx, release.profdata):
        path = os.path.realpath(shutil.which(tool) or "")
        if not os.path.isfile(path):
            return ""
        key.update(("%s %d" % (path, os.stat(path).st_mtime_ns)).encode())
    return key.hexdigest()


def usable(release, scratch):
    reason = release.missing(scratch)
    if reason:
        print("skipped: %s: %s" % (release, reason))
    return not reason


def works(what, key, top, tried):
    """Whether `what` works, which `tried()` finds out; it prints why not. Only success is remembered."""
    path = os.path.join(top, what + ".works")
    if stamped(path, key):
        return True
    if not tried():
        return False
    stamp(path, key)
    return True


def make_chain(chain, key, work):
    """Some that need each other, in order."""
    base = None
    for profiles in chain:
        done = profiles.path("done")
        if not stamped(done, key):
            profiles.make(work, base)
            stamp(done, key)
        base = profiles
    return chain


def group(number, bits32):
    """Returns the name under which comparisons are counted."""
    return "clang %d%s" % (number, ", 32 bits" if bits32 else "")


class Every(list):
    """All Profiles, by release and kind. `absent`: the groups of which there is nothing, because of a tool that is
    missing; that has been printed."""

    def __init__(self):
        super().__init__()
        self.absent = set()


def chains(top, absent):
    """Yields the chains of profiles, each with its key; the missing ones are printed and go to `absent`."""
    for number in _pgo.RELEASES:
        release = _pgo.Release(number)
        key = key_of(release)
        if not works(str(number), key, top, lambda r=release: usable(r, top)):
            absent |= {group(number, False), group(number, True)}
            continue
        with_32 = works("%d-32" % number, key, top, lambda n=number: _pgo.builds_32_bits(n))
        if not with_32:
            absent.add(group(number, True))
        of = {k.name: Profiles(release, k, os.path.join(top, "%d-%s" % (number, k.name)))
              for k in KINDS if k.since <= number and (with_32 or not k.bits32)}
        yield [of.pop("ir"), of.pop("cs")], key
        for one in of.values():
            yield [one], key


@contextlib.contextmanager
def built():
    """Every one that can be had here, made if it is not there. Without a build tree they are gone afterwards."""
    every = Every()
    with contextlib.ExitStack() as stack:
        top = os.path.join(BUILD, "tests", "built_profiles") if BUILD else stack.enter_context(
            tempfile.TemporaryDirectory())
        os.makedirs(top, exist_ok=True)
        with open(os.path.join(top, "lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for later in (0, 1):
                with open(os.path.join(top, ("program.cpp", "later.cpp")[later]), "w", encoding="ascii") as f:
                    f.write(source(later))
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                jobs = [pool.submit(make_chain, chain, key, top) for chain, key in chains(top, every.absent)]
                every += [p for job in jobs for p in job.result()]
        every.sort(key=lambda p: (p.number, KINDS.index(p.kind)))
        yield every


def too_few(compared, floors, without=(), left_out=None):
    """The groups of which less was compared than the floors say, or for which there is none. `without`: those of which
    there can be nothing here. `left_out`: how many comparisons of each group are in other shares only."""
    found = collections.Counter(compared) + collections.Counter(left_out)
    few = ["%s: %d, not %d" % (name, found[name], floor) for name, floor in floors.items()
           if found[name] < floor and name not in without]
    return few + ["%s: no floor" % name for name in compared if name not in floors]
