#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GCC and autofdo use what anyprof writes for them.

Every installed gcc-N, for N from 5 on, compiles a program with a profile that anyprof made for it: the compiler says
nothing, and the counts are those of the basic blocks. It also accepts every profile of the corpus. autofdo's dump_gcov
and profile_merger read layout 1, and agree about the sums of two profiles, and llvm-profdata 22 reads layout 704.

    ANYPROF=command sample_gcc.py"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _gcc_afdo as afdo  # noqa: E402
from _gcc_afdo import Function, Node, Profile  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
GCC = {n: shutil.which("gcc-%d" % n) for n in range(5, 17) if shutil.which("gcc-%d" % n)}
LAYOUT_OF = {**{n: "1" for n in range(5, 12)}, **{n: "2" for n in range(12, 16)}, 16: "3"}
DUMP, MERGER, LLVM = (shutil.which(tool) for tool in ("dump_gcov", "profile_merger", "llvm-profdata-22"))
# How anyprof is asked for a layout that no compiler of GCC reads.
LLVM_LAYOUT = "--for=gcc-704"

failures, compared = [], 0


def check(what, found, expected=True):
    global compared
    compared += 1
    if found != expected:
        failures.append("%s: %r, not %r" % (what, found, expected))


def run(*command, cwd=None):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                          timeout=120, check=False)


def merge(target, out, *files):
    return run(ANYPROF, "merge", "--sample", target, *files, "-o", out)


def is_supported(directory):
    probe = os.path.join(directory, "probe.afdo")
    with open(probe, "wb") as f:
        f.write(afdo.encode(Profile([]), "704"))
    return merge("--for=gcc-12", os.path.join(directory, "probe.out"), probe).returncode == 0


# ---- a program ----

# Line numbers count from the one with the name `run`.
PROGRAM = r"""
static int twice(int x) { return 2 * x + 1; }
static int triple(int x) { return x * 3 ^ 5; }
int (*volatile step)(int) = twice;
__attribute__((noinline)) int run(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 4 == 0)
            s ^= triple(i);
        else
            s += step(i);
    }
    return s;
}
"""


def program_profile():
    """800 rounds, of which 200 call triple, which was inlined, and 600 call twice. Discriminators, which GCC ignores
    up to 12, and a part of the function with a name of its own, are there to be brought together."""
    triple = Node(b"triple", {(0, 0): (200, {})}, [])
    body = {(2, 0): (1, {}), (3, 0): (800, {}), (4, 0): (800, {}), (7, 0): (1, {b"twice": 1}), (9, 0): (1, {})}
    hot = {(7, 0): (599, {b"twice": 599})}
    return Profile([Function(600, Node(b"twice", {(0, 0): (600, {})}, [])),
                    Function(1, Node(b"run", body, [(5, 0, triple)])),
                    Function(0, Node(b"run.part.0", hot, []))])


def with_discriminators(profile):
    """The same profile as GCC up to 12 sees it: line 4 in two blocks, the cold one last."""
    functions = []
    for function in profile.functions:
        lines = dict(function.node.lines)
        if function.node.name == b"run":
            lines[4, 3] = (200, {})
        functions.append(function._replace(node=function.node._replace(
            lines=lines, calls=[(line, 2, callee) for line, _, callee in function.node.calls])))
    return profile._replace(functions=functions)


def blocks_of_run(gcc, directory, profile):
    """The counts of the basic blocks of run, in order, and what the compiler said."""
    dump = os.path.join(directory, "dump")
    done = run(gcc, "-O2", "-g", "-fauto-profile=" + profile, "-fdump-tree-optimized-all=" + dump, "-c", "program.c",
               "-o", os.devnull, cwd=directory)
    if done.returncode:
        return [], done.stderr
    with open(dump, encoding="utf-8", errors="replace") as f:
        text = f.read().split(";; Function run ", 1)[-1].split(";; Function ", 1)[0]
    blocks = re.findall(r"^;;   basic block \d+, loop depth \d+(?:, count (\d+) \(auto FDO\))?", text, re.M)
    return [int(count or -1) for count in blocks], done.stderr


def check_compiler(major, directory):
    path = os.path.join(directory, "in.afdo")
    out = os.path.join(directory, "out.afdo")
    profiles = [("as it is", program_profile())]
    if major <= 12:
        profiles.append(("with discriminators", with_discriminators(program_profile())))
    for what, profile in profiles:
        what = "gcc-%d, %s" % (major, what)
        with open(path, "wb") as f:
            f.write(afdo.encode(profile, "704"))
        done = merge("--for=gcc-%d" % major, out, path)
        check(what + ": merge", done.returncode, 0)
        with open(out, "rb") as f:
            written = afdo.decode(f.read(), LAYOUT_OF[major])
        check(what + ": functions", [f.node.name for f in written.functions], [b"run", b"twice"])
        blocks, said = blocks_of_run(GCC[major], directory, out)
        check(what + ": messages", said, b"")
        check(what + ": every block has a count", bool(blocks) and min(blocks) >= 0)
        if major < 16:  # 16 scales all counts
            check(what + ": counts " + repr(blocks), {1, 200, 600, 800} <= set(blocks) and max(blocks) == 800)
        elif blocks:
            scale = max(blocks) // 800
            check(what + ": counts " + repr(blocks), {200, 600, 800} <= {count // scale for count in blocks})


def check_accepted(major, directory, files):
    """The compiler has nothing to say about any profile of the corpus."""
    out = os.path.join(directory, "out.afdo")
    for path in files:
        what = "gcc-%d, %s" % (major, os.path.basename(path))
        check(what + ": merge", merge("--for=gcc-%d" % major, out, path).returncode, 0)
        check(what + ": messages", blocks_of_run(GCC[major], directory, out)[1], b"")


# ---- tools ----

def check_tools(directory, files):
    out, theirs = (os.path.join(directory, name) for name in ("out.afdo", "theirs.afdo"))
    for i, path in enumerate(files):
        pair = [path, files[(i + 1) % len(files)]]
        plain = []
        for number, one in enumerate(pair):
            plain.append(os.path.join(directory, "plain%d.afdo" % number))
            check("layout 1 of " + one, merge("--for=gcc-9", plain[-1], one).returncode, 0)  # which has call targets
        check("sum of %r" % pair, merge("--for=gcc-9", out, *plain).returncode, 0)
        if MERGER and "big." not in "".join(pair):  # where anyprof saturates, profile_merger wraps
            check("profile_merger of %r" % pair,
                  run(MERGER, "--gcov_version=1", "--output_file=" + theirs, *plain).returncode, 0)
            # Of targets that both have, profile_merger keeps those of the last profile.
            dumps = [re.sub(rb"  [^ ]+:\d+(?=  |\n)", b"", run(DUMP, "--gcov_version=1", each).stdout)
                     for each in (out, theirs)] if DUMP else []
            check("dump_gcov of the sum of %r" % pair, dumps[:1], dumps[1:])
        if LLVM and merge(LLVM_LAYOUT, out, path).returncode == 0:
            texts = [run(LLVM, "merge", "--sample", "--text", out, "-o", "-").stdout,
                     run(ANYPROF, "merge", "--sample", "--text", path, "-o", "-").stdout]
            check("llvm-profdata of layout 704 of " + path, texts[0], texts[1])


def readable_files():
    """Files of the corpus that are profiles, but for those with odd names that all compilers crash on."""
    return [path for path in sorted(glob.glob(os.path.join(CORPUS, "afdo", "*.afdo")))
            if not os.path.basename(path).startswith("bad_")]


def main():
    if not ANYPROF:
        print("skipped: ANYPROF is not set")
        return 77
    if not GCC and not MERGER:
        print("skipped: neither a gcc-N nor autofdo")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        if not is_supported(directory):
            print("skipped: the command does not write profiles for GCC")
            return 77
        with open(os.path.join(directory, "program.c"), "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        files = readable_files() if CORPUS else []
        for major in GCC:
            check_compiler(major, directory)
            check_accepted(major, directory, files)
        check_tools(directory, files)
    for failure in failures[:20]:
        print("FAILED: " + failure)
    print("%d checks with %s, %d files of the corpus" % (
        compared, ", ".join([*("gcc-%d" % n for n in GCC), *(os.path.basename(t) for t in (DUMP, MERGER, LLVM) if t)]),
        len(files)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
