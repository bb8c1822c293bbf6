# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparing what anyprof writes for a release with what that release's llvm-profdata merge -j=1 writes: byte for byte.

LLVM's bytes can depend on the order of its inputs; anyprof's do not. So one of these has to hold, and is counted:
- the bytes are the same;
- they are those that LLVM writes for the inputs in another order, and the records are the same;
- they differ in the order of the names of vtables only, or of traces, of several inputs;
- LLVM's content changes with the order of its inputs too, and the case says why (`varies`).
"""

import concurrent.futures
import itertools
import os
import shutil
import subprocess
import tempfile
import zlib

import _generate as g
import _share

ANYPROF = os.environ.get("ANYPROF", "")
RELEASES = (13, 14, 15, 16, 19, 22)
MOST_PERMUTATIONS = 720
HOW = ("same", "other order", "other vtable order", "other trace order", "varies")


def profdata(release):
    return shutil.which("llvm-profdata-%d" % release)


def run(command):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=300)
    return p.returncode, p.stdout, p.stderr


def merge(tool, release, options, inputs, out):
    """inputs: (path, weight) pairs. The bytes, or a string that says what went wrong."""
    command = [tool, "merge", "-j=1"] + options
    if tool == ANYPROF:
        command += ["--for=llvm-%d" % release, "--quiet"]
    if any(weight != 1 for _, weight in inputs):
        command += ["--weighted-input=%d,%s" % (weight, path) for path, weight in inputs]
    else:
        command += [path for path, _ in inputs]
    if os.path.exists(out):
        os.unlink(out)
    code, _, err = run(command + ["-o", out])
    if code != 0:
        return "exit code %d: %s" % (code, err.decode(errors="replace")[:300])
    with open(out, "rb") as f:
        return f.read()


def show(tool, options, path):
    code, out, err = run([tool, "show"] + options + [path])
    return out if code == 0 else "exit code %d: %s" % (code, err.decode(errors="replace")[:300])


def keeps_bitmaps(profile):
    """show --text of LLVM 22 prints the bitmap of a text profile's record for the next one too, if that has none."""
    bitmaps = [r.bitmap is not None for r in profile.records]
    return (True, False) in zip(bitmaps, bitmaps[1:])


def word(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def split_vtables(data):
    """An indexed file of version 13: what is not the section of vtable names, and the names in any order."""
    start = word(data, 64)
    size = word(data, start)
    blob, sizes = data[start + 8 : start + 8 + size], []
    for _ in range(2 if size else 0):
        value = shift = 0
        while True:
            byte, blob = blob[0], blob[1:]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        sizes.append(value)
    names = sorted(zlib.decompress(blob).split(b"\1")) if size and sizes[1] else [blob]
    end = start + 8 + (size + 7) // 8 * 8
    return data[:56] + data[64:start] + data[end:], names


def same_but_vtables(want, got):
    """Names that collide in LLVM's map come in the order of their arrival there, and sorted from us."""
    if isinstance(want, str) or isinstance(got, str):
        return False
    return want[:8] == b"\xfflprofi\x81" == got[:8] and split_vtables(want) == split_vtables(got)


def split_traces(data):
    """An indexed file with traces: what is before them, and the traces in any order."""
    at = word(data, 56)
    start, n = at, word(data, at)
    at += 16
    traces = []
    for _ in range(n):
        end = at + 16 + 8 * word(data, at + 8)
        traces.append(data[at:end])
        at = end
    return data[: start + 16], sorted(traces)


def same_but_traces(want, got):
    """Traces of several inputs come in the order of the inputs there, in that of their contents from us."""
    both = (want, got)
    return all(d[:8] == b"\xfflprofi\x81" and d[15] & 0x80 for d in both) and split_traces(want) == split_traces(got)


class Case:
    """Some inputs: profiles of the generator, each written as text or as LLVM's indexed file of that text."""

    def __init__(
        self, name, profiles, merges, formats=None, weights=None, style=None, shows=(), varies=None, release=22
    ):
        self.name, self.profiles, self.style, self.release = name, profiles, style, release
        self.formats = formats or ["text"] * len(profiles)
        self.weights = weights or [1] * len(profiles)
        self.merges, self.shows, self.varies = merges, shows, varies
        self.llvm = profdata(release)
        self.counts = dict.fromkeys(HOW, 0)
        self.failures = []

    def write(self, directory):
        paths = []
        for i, (profile, kind) in enumerate(zip(self.profiles, self.formats)):
            path = os.path.join(directory, "%d.proftext" % i)
            with open(path, "wb") as f:
                f.write(g.render(profile, None if self.style is None else "%s %d" % (self.style, i)))
            if kind == "indexed":
                keep = ["--keep-vtable-symbols"] if self.release >= 19 else []
                text, path = path, os.path.join(directory, "%d.profdata" % i)
                made = merge(self.llvm, self.release, keep, [(text, 1)], path)
                if isinstance(made, str):
                    raise RuntimeError("%s: %s does not take its input: %s" % (self.name, self.llvm, made))
            paths.append(path)
        return list(zip(paths, self.weights))

    def judge(self, directory, options, inputs, want, got):
        """Which of the things above holds, or None."""
        if "--text" in options and want == b"":  # no reader takes a file of 0 bytes
            want = b"# No functions\n"
        if want == got and isinstance(want, bytes):
            return "same"
        if isinstance(want, str) or isinstance(got, str) or len(inputs) < 2:
            return None
        if "--keep-vtable-symbols" in options and same_but_vtables(want, got):
            return "other vtable order"
        if same_but_traces(want, got):
            return "other trace order"
        out, orders = os.path.join(directory, "permuted"), itertools.permutations(inputs)
        others = set()
        for order in itertools.islice(orders, MOST_PERMUTATIONS):
            other = merge(self.llvm, self.release, options, list(order), out)
            others.add(other)
            same = other == got or "--keep-vtable-symbols" in options and same_but_vtables(other, got)
            if same and self.text(directory, want) == self.text(directory, got):
                return "other order"
            if len(others) > 1 and self.varies:
                return "varies"
        return None

    def text(self, directory, data):
        """The records, as the release has them."""
        path = os.path.join(directory, "to.text")
        with open(path, "wb") as f:
            f.write(data)
        text = merge(self.llvm, self.release, ["--text"], [(path, 1)], path + ".proftext")
        if isinstance(text, str):
            raise RuntimeError("%s: %s does not read its file: %s" % (self.name, self.llvm, text))
        return text

    def run(self):
        with tempfile.TemporaryDirectory() as directory:
            inputs = self.write(directory)
            for options in self.merges:
                want = merge(self.llvm, self.release, options, inputs, os.path.join(directory, "want"))
                got = merge(ANYPROF, self.release, options, inputs, os.path.join(directory, "got"))
                how = self.judge(directory, options, inputs, want, got)
                if how:
                    self.counts[how] += 1
                else:
                    self.fail(options, inputs, want, got)
            for options, i in self.shown():
                path = inputs[i][0]
                want, got = show(self.llvm, options, path), show(ANYPROF, options, path)
                self.counts["same"] += 1
                if want != got or isinstance(want, str):
                    self.fail(["show"] + options, [(path, 1)], want, got)
        return self

    def shown(self):
        """(options, number of an input) of each comparison of show."""
        for options in self.shows:
            for i, (profile, kind) in enumerate(zip(self.profiles, self.formats)):
                if "--text" not in options or kind != "text" or not keeps_bitmaps(profile):
                    yield options, i

    def planned(self):
        """How many comparisons run() makes."""
        return len(self.merges) + len(list(self.shown()))

    def kind(self):
        """The release, and the name without its numbers."""
        return "%d %s" % (self.release, " ".join(word for word in self.name.split() if not word.isdigit()))

    def fail(self, options, inputs, want, got):
        def brief(x):
            return x if isinstance(x, str) else "%d bytes" % len(x)

        at = ""
        if isinstance(want, bytes) and isinstance(got, bytes):
            first = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
            at = ", first difference at %d: %r, not %r" % (first, got[first : first + 40], want[first : first + 40])
        names = " ".join("%s*%d" % (os.path.basename(p), w) for p, w in inputs)
        self.failures.append(
            "%s for LLVM %d: %s %s: %s, not %s%s"
            % (self.name, self.release, " ".join(options), names, brief(got), brief(want), at)
        )
        keep = os.environ.get("ANYPROF_KEEP")
        if keep:
            target = os.path.join(keep, self.name.replace(" ", "_"))
            os.makedirs(target, exist_ok=True)
            for path, _ in inputs:
                shutil.copy(path, target)


class FilesCase(Case):
    """Inputs that are there: (path, weight) pairs."""

    def __init__(self, name, inputs, merges, **more):
        super().__init__(name, [None] * len(inputs), merges, **more)
        self.inputs = inputs

    def write(self, directory):
        return self.inputs


def choose(cases, only):
    """The cases whose names begin with one of `only`, or else those of this share; and the other cases."""
    cases = list(cases)
    chosen = [c for c in cases if any(c.name.startswith(o) for o in only)] if only else _share.pick(cases, Case.kind)
    return chosen, [c for c in cases if c not in chosen]


def run_cases(cases):
    """Several at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(Case.run, cases))


def report(cases, others, failures, only, floor, most):
    """The exit code. `others`: cases of other shares, whose comparisons count as made. `most`: of the comparisons of
    several inputs, what part may be other than the same."""
    failures = failures + [f for c in cases for f in c.failures]
    for failure in failures[:200]:
        print("FAILED: " + failure)
    for what in ("one input", "several inputs"):
        counts = {}
        for c in cases:
            for how, n in c.counts.items() if (len(c.profiles) == 1) == (what == "one input") else ():
                counts[how] = counts.get(how, 0) + n
        print("%s: %s" % (what, ", ".join("%s: %d" % pair for pair in counts.items() if pair[1])))
    compared = sum(n for c in cases for n in c.counts.values())
    for how, part in most.items():
        n, of = sum(c.counts[how] for c in cases), sum(sum(c.counts.values()) for c in cases if len(c.profiles) > 1)
        of += sum(c.planned() for c in others if len(c.profiles) > 1)
        if n > part * of and not only:
            failures.append("%s: %d of %d, which is more than %d %%" % (how, n, of, 100 * part))
            print("FAILED: " + failures[-1])
    for why in sorted({c.varies for c in cases if c.counts["varies"]}):
        names = [c.name for c in cases if c.counts["varies"] and c.varies == why]
        print("varies because of %s: %s" % (why, ", ".join(names)))
    print("%d comparisons of %d cases, %d failures" % (compared, len(cases), len(failures)))
    if compared + sum(c.planned() for c in others) < floor and not only:
        print("FAILED: fewer comparisons than %d" % floor)
        return 1
    return 1 if failures else 0
