# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""parity_overlap.py and parity_order.py share this: both tools with the same words, and files of the corpus."""

import collections
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys

import _built
import _share

ANYPROF = os.environ.get("ANYPROF", "")
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LLVM = shutil.which("llvm-profdata-22")


def run(command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120,
                       **more)
    return p.returncode, p.stdout, p.stderr


def found_files(where):
    """Files that LLVM 22 may read, of the examples or the corpus."""
    if where == "examples":
        return sorted(glob.glob(os.path.join(SOURCE, "examples", "profiles", "clang-22-*")))
    paths = glob.glob(os.path.join(CORPUS, "llvm-tests", "22", "*.prof*"))
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
        self.command, self.compared, self.unread, self.failures = command, {}, 0, []
        self.left_out = collections.Counter()

    def one(self, words):
        return words, run([ANYPROF, self.command, *words]), run([LLVM, self.command, *words])

    def judge(self, group, words, ours, theirs, files):
        """`files`: the inputs are files that one tool may refuse, and of which LLVM reads some in part."""
        if files and (ours[0] or theirs[0]):
            self.unread += 1
            return
        if self.command == "overlap" and theirs[:2] == (0, b"") and ours[1].endswith(b" is 0.\n"):
            theirs = (0, ours[1], b"")  # it forgets to flush
        if ours[0] == theirs[0] and ours[1] == theirs[1] and self.says(ours[2], theirs[2]):
            self.compared[group] = self.compared.get(group, 0) + 1
        elif files and any(run([LLVM, "show", w])[0] for w in words if not w.startswith("-")):
            self.unread += 1
        else:
            self.failures.append("%s: exit codes %d, %d; %s" % (" ".join(words), ours[0], theirs[0],
                                                                self.first_difference(ours, theirs)))

    @staticmethod
    def says(ours, theirs):
        """Whether an error begins with LLVM's words; findings have words of their own."""
        return not theirs.startswith(b"error: ") or ours.startswith(theirs.split(b"\n", maxsplit=1)[0])

    @staticmethod
    def first_difference(ours, theirs):
        a, b = ours[1].split(b"\n"), theirs[1].split(b"\n")
        for i in range(max(len(a), len(b))):
            x, y = (lines[i] if i < len(lines) else b"(end)" for lines in (a, b))
            if x != y:
                return "line %d: %r, not %r" % (i + 1, x[:100], y[:100])
        return "errors: %r, not %r" % (ours[2][:200], theirs[2][:200])

    def run_all(self, group, jobs):
        """jobs: (words, files) pairs, or triples that begin with a group of their own"""
        jobs = _share.pick([(group, *job) if len(job) == 2 else job for job in jobs], lambda job: job[0])
        self.left_out += jobs.left_out
        with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            for (words, ours, theirs), job in zip(pool.map(lambda job: self.one(job[1]), jobs), jobs):
                self.judge(job[0], words, ours, theirs, job[2])

    def finish(self, floors, without):
        for text in self.failures[:20]:
            print("FAILED:", text)
        print("%d outputs of %s are those of llvm-profdata-22 (%s), %d are not; "
              "%d inputs that one of them does not read" %
              (sum(self.compared.values()), self.command, ", ".join("%s: %d" % c for c in self.compared.items()),
               len(self.failures), self.unread))
        few = _built.too_few(self.compared, floors, without, self.left_out)
        if few:
            print("FAILED: too few comparisons: %s" % "; ".join(few))
        sys.exit(1 if self.failures or few else 0)


def without(every):
    """The groups of comparisons that cannot be made here."""
    if os.path.isdir(os.path.join(CORPUS, "raw")):
        return every.absent
    print("skipped: no corpus")
    return every.absent | {"corpus"}


def need_tools():
    for what, path in (("command", ANYPROF), ("llvm-profdata-22", LLVM)):
        if not path or not os.access(path, os.X_OK):
            print("skipped: no", what)
            sys.exit(77)
