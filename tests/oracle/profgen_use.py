#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang uses the profiles of `anyprof profgen`: a program with a hot path, of probes and of lines, with call stacks and
without, in each format, is compiled again with the profiles of anyprof and of llvm-profgen-22. The weights of branches
and the counts of functions in its code are the same, and they are those of the path that is hot."""

import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _bolt import ANYPROF, run  # noqa: E402
from _profgen import Built, both, check, count, missing, tally, trace, write_text  # noqa: E402

SOURCE = """
int sink;
__attribute__((noinline)) int cold(int x) { sink += x; return x * 3; }
__attribute__((noinline)) int hot(int x) { return x ^ (x >> 3); }
__attribute__((noinline)) int work(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 16 == 5)
            s += cold(i);
        else
            s += hot(i);
    }
    return s;
}
int main(void) { int s = 0; for (int i = 0; i < 40; i++) s += work(40); return s & 1; }
"""
COMMON = ["-O2", "-g", "-fdebug-info-for-profiling", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"]
MODES = {"probes": ["-fpseudo-probe-for-profiling"], "lines": []}


def build(version, flags, source, path):
    return run(["clang-%d" % version, *COMMON, *flags, source, "-o", path])


def code_with(version, flags, source, profile, where):
    """What clang says of branches and functions, without names of metadata."""
    out = os.path.join(where, "code.ll")
    done = run(["clang-%d" % version, *COMMON, *flags, "-fprofile-sample-use=" + profile, source, "-S", "-emit-llvm",
                "-o", out])
    check(done.returncode == 0 and not done.stderr, "%s: %s" % (profile, done.stderr[-300:]))
    with open(out, encoding="utf-8") as f:
        text = f.read()
    metadata = dict(re.findall(r"^(!\d+) = (?:distinct )?(!\{.*\})$", text, flags=re.M))
    found = []
    for line in text.splitlines():
        m = re.search(r"!prof (!\d+)", line)
        if m:
            start = re.match(r"define .*@(\w+)\(|\s*(?:%\S+ = )?(?:tail )?(\w+)", line)
            found.append(((start[1] or start[2]) if start else "", metadata.get(m[1])))
    return found


def check_hot(found, what):
    """The branch to cold is the unlikely one, and the functions have entry counts."""
    weights = [list(map(int, re.findall(r"i32 (\d+)", data))) for word, data in found
               if word == "br" and data and "branch_weights" in data]
    skewed = [w for w in weights if len(w) == 2 and min(w) and 8 <= max(w) / min(w) <= 30]
    check(bool(skewed), "%s: no branch is taken once in 16 times: %s" % (what, weights))
    entries = {word for word, data in found if data and "function_entry_count" in data}
    check({"work", "hot", "cold"} <= entries, "%s: entry counts of %s" % (what, entries))


def check_mode(version, mode, source, where):
    path, flags = os.path.join(where, "program"), MODES[mode]
    done = build(version, flags, source, path)
    if done.returncode != 0:
        print("not built: clang %d, %s: %s" % (version, mode, done.stderr[-200:]))
        return
    program = Built(path)
    for calls in (False, True):
        stacks, _ = trace(path, where, calls)
        text = os.path.join(where, "text")
        write_text(text, program, stacks, 0x555555000000 if program.movable else 0)
        for format_ in ([], ["--format=text"], ["--format=binary"]):
            if calls and format_ == ["--format=binary"] and mode == "probes":
                continue  # that format has no checksums
            what = "clang %d, %s, %s, %s" % (version, mode, "call stacks" if calls else "branches", format_)
            if None in both(program, ["--perfscript=" + text], where, format_, what):
                continue
            codes = [code_with(version, flags, source, os.path.join(where, name), where) for name in ("theirs", "ours")]
            check(codes[0] == codes[1], "%s: %s, not %s" % (what, codes[1], codes[0]))
            if mode == "probes" or not calls:  # lines of llvm-profgen's contexts lack counts of branches
                check_hot(codes[1], what)
            count("profiles")
            count("weights", len(codes[1]))


def check_older(version, mode, source, where):
    """What --for=llvm-N writes is, for clang N, the text that llvm-profgen writes."""
    path, flags = os.path.join(where, "program"), MODES[mode]
    if not shutil.which("clang-%d" % version) or build(version, flags, source, path).returncode != 0:
        print("not built: clang %d, %s" % (version, mode))
        return
    program, text = Built(path), os.path.join(where, "text")
    write_text(text, program, trace(path, where, False)[0], 0x555555000000 if program.movable else 0)
    words, ours = ["--perfscript=" + text], os.path.join(where, "for")
    what = "clang %d, %s" % (version, mode)
    both(program, words, where, ["--format=text"], what)
    done = run([ANYPROF, "profgen", "--quiet", "--binary=" + path, *words, "--for=llvm-%d" % version, "-o", ours])
    check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:]))
    codes = [code_with(version, flags, source, name, where) for name in (os.path.join(where, "theirs"), ours)]
    check(codes[0] == codes[1], "%s: %s, not %s" % (what, codes[1], codes[0]))
    check_hot(codes[1], what)
    count("profiles for older releases")


def main():
    if missing():
        print("skipped: %s" % missing())
        return 77
    with tempfile.TemporaryDirectory() as where:
        source = os.path.join(where, "program.c")
        with open(source, "w", encoding="ascii") as f:
            f.write(SOURCE)
        for mode in MODES:
            check_mode(22, mode, source, where)
            for version in (16, 19):
                check_older(version, mode, source, where)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("profiles", 0) >= 8, "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
