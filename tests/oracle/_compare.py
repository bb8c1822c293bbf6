# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What parity_overlap.py and parity_order.py share: both tools with the same words, profiles of programs that several
releases of clang build, and files of the corpus."""

import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

ANYPROF = os.environ.get("ANYPROF", "")
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LLVM = shutil.which("llvm-profdata-22")
RELEASES = (16, 19, 22)

PROGRAM = r"""
#include <stdlib.h>
#include <string.h>
typedef int f(int);
static char from[400], to[400];
#define LOCAL static __attribute__((noinline))
%(functions)s
static f *table[] = {%(names)s};
int main(int argc, char **argv) {
    int x = atoi(argv[1]), k = atoi(argv[argc - 1]), sum = 0;
    for (int i = 0; i < x; i++) sum += table[(i * k + i / 3) %% %(n)d](i + k);
    return sum == 12345;
}
"""
FUNCTION = r"""
%(local)s int function_%(i)d(int x) {
    for (int i = 0; i < x %% %(a)d; i++) x ^= i;
    if (x %% %(b)d == 1) memcpy(to, from, (unsigned)x %% %(c)d);
    switch (x & 3) { case 0: return x + 1; case 1: return x - %(a)d; default: return x > %(c)d ? -x : x; }
}
"""


def run(command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120,
                       **more)
    return p.returncode, p.stdout, p.stderr


def program(shift, n=60):
    """`shift` changes some functions: the same program a day later."""
    functions = []
    for i in range(n):
        changed = i % 11 == shift
        functions.append(FUNCTION % {"i": i, "local": "LOCAL" if i % 3 == 0 else "__attribute__((noinline))",
                                     "a": 3 + i % 5, "b": 2 + i % 4, "c": 20 + 7 * i}
                         if not changed else "LOCAL int function_%d(int x) { return x > %d ? x : 7; }" % (i, i))
    return PROGRAM % {"functions": "".join(functions), "n": n, "names": ", ".join("function_%d" % i for i in range(n))}


WAYS = {
    "front-end": ["-fprofile-instr-generate"],
    "IR": ["-fprofile-generate", "-mllvm", "-disable-vp=false"],
    "temporal": ["-fprofile-generate", "-mllvm", "-pgo-temporal-instrumentation"],
}


def build(clang, directory, name, shift, options):
    source, binary = os.path.join(directory, "program.c"), os.path.join(directory, name)
    with open(source, "w", encoding="ascii") as f:
        f.write(program(shift))
    code, _, err = run([clang, "-O1", *options, "program.c", "-o", binary], cwd=directory)
    if code != 0:
        raise RuntimeError("%s: %s" % (clang, err.decode(errors="replace")[-600:]))
    return binary


def profile(binary, words, release, merge=()):
    """A run's counts; of other releases than 22, and with `merge`, as the indexed file of its own llvm-profdata."""
    raw = "%s.%s.profraw" % (binary, "-".join(words))
    run([binary, *words], env=dict(os.environ, LLVM_PROFILE_FILE=raw))
    if release == 22 and not merge:
        return raw
    indexed = raw[:-3] + "data"
    code, _, err = run(["llvm-profdata-%d" % release, "merge", "-o", indexed, raw, *merge])
    if code != 0:
        raise RuntimeError(err.decode(errors="replace"))
    return indexed


def built(release, work, way):
    """Profiles of two builds of a program, three runs; [] if that release is not there, or cannot do it."""
    clang = shutil.which("clang-%d" % release)
    if not clang or not shutil.which("llvm-profdata-%d" % release):
        print("skipped: no clang-%d" % release)
        return []
    if way == "temporal" and release < 19:
        return []
    directory = os.path.join(work, "%d-%s" % (release, way))
    os.mkdir(directory)
    runs = (("300", "7"), ("5000", "3"), ("40", "11"))
    if way == "contexts":
        first = build(clang, directory, "first", 0, WAYS["IR"])
        base = profile(first, runs[0], release, ["--sparse=false"])
        second = build(clang, directory, "second", 0, ["-fprofile-use=" + base, "-fcs-profile-generate"])
        return [profile(second, words, release, [base]) for words in runs[:2]]
    old, new = (build(clang, directory, "build%d" % shift, shift, WAYS[way]) for shift in (0, 5))
    return [profile(old, runs[0], release), profile(old, runs[1], release), profile(new, runs[1], release),
            profile(new, runs[2], release)]


def found_files():
    """Files that LLVM 22 may read."""
    paths = glob.glob(os.path.join(SOURCE, "examples", "profiles", "clang-22-*"))
    paths += glob.glob(os.path.join(CORPUS, "llvm-tests", "22", "*.prof*"))
    for path in glob.glob(os.path.join(CORPUS, "raw", "*.profraw")):
        with open(path, "rb") as f:
            head = f.read(16)
        if len(head) == 16 and 10 in (int.from_bytes(head[8:12], "little"), int.from_bytes(head[12:16], "big")):
            paths.append(path)
    # Entry coverage with traces: LLVM takes counters for timestamps.
    return sorted(path for path in paths if "tempcov" not in path)


class Comparer:
    """Runs both tools with lists of words; the text and the exit code have to be the same."""

    def __init__(self, command):
        self.command, self.compared, self.unread, self.failures = command, 0, 0, []

    def one(self, words):
        return words, run([ANYPROF, self.command, *words]), run([LLVM, self.command, *words])

    def judge(self, words, ours, theirs, files):
        """`files`: the inputs are files that one tool may refuse, and of which LLVM reads some in part."""
        if files and (ours[0] or theirs[0]):
            self.unread += 1
            return
        if self.command == "overlap" and theirs[:2] == (0, b"") and ours[1].endswith(b" is 0.\n"):
            theirs = (0, ours[1], b"")  # it forgets to flush
        if ours[0] == theirs[0] and ours[1] == theirs[1] and self.says(ours[2], theirs[2]):
            self.compared += 1
        elif files and any(run([LLVM, "show", w])[0] for w in words if not w.startswith("-")):
            self.unread += 1
        else:
            self.failures.append("%s: exit codes %d, %d; %s" % (" ".join(words), ours[0], theirs[0],
                                                                self.first_difference(ours, theirs)))

    @staticmethod
    def says(ours, theirs):
        """Of errors, LLVM's words come first. Findings it says in another way."""
        return not theirs.startswith(b"error: ") or ours.startswith(theirs.split(b"\n", maxsplit=1)[0])

    @staticmethod
    def first_difference(ours, theirs):
        a, b = ours[1].split(b"\n"), theirs[1].split(b"\n")
        for i in range(max(len(a), len(b))):
            x, y = (lines[i] if i < len(lines) else b"(end)" for lines in (a, b))
            if x != y:
                return "line %d: %r, not %r" % (i + 1, x[:100], y[:100])
        return "errors: %r, not %r" % (ours[2][:200], theirs[2][:200])

    def run_all(self, jobs):
        """jobs: (words, files) pairs"""
        jobs = list(jobs)
        with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            for (words, ours, theirs), (_, files) in zip(pool.map(lambda job: self.one(job[0]), jobs), jobs):
                self.judge(words, ours, theirs, files)

    def finish(self, floor):
        for text in self.failures[:20]:
            print("FAILED:", text)
        print("%d outputs of %s are those of llvm-profdata-22, %d are not; %d inputs that one of them does not read" %
              (self.compared, self.command, len(self.failures), self.unread))
        if self.compared < floor:
            print("FAILED: fewer than %d comparisons" % floor)
        sys.exit(1 if self.failures or self.compared < floor else 0)


def need_tools():
    for what, path in (("command", ANYPROF), ("llvm-profdata-22", LLVM)):
        if not path or not os.access(path, os.X_OK):
            print("skipped: no", what)
            sys.exit(77)
