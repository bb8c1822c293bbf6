#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example of docs/bolt.md as a whole: a program is built, optimized by llvm-bolt-22 from samples that anyprof made
a profile of, the result is sampled, anyprof brings these samples home, and the program is optimized again from them: it
becomes the same code, byte for byte, with the same fewer taken branches. As fdata and as YAML."""

import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
from _bolt import ANYPROF, check_run  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = ["--enable-bat", "--reorder-blocks=ext-tsp", "--reorder-functions=hfsort", "--split-functions"]


def optimize(program, profile, output):
    check_run(["llvm-bolt-22", program, "-data", profile, "-o", output] + OPTIONS)
    check_run(["objcopy", "-O", "binary", "-j", ".text", output, output + ".text"])
    with open(output + ".text", "rb") as f:
        return f.read()


def branches_taken(program, where):
    files = _bolt.trace(program, os.path.join(where, "taken"))
    with open(files["B"], encoding="ascii") as f:
        return sum(int(line.split()[3]) for line in f if line.startswith("B "))


def main():
    why = _bolt.can_trace()
    tools = ("gcc", "objcopy", "llvm-bolt-22", "perf2bolt-22")
    if why or not all(shutil.which(tool) for tool in tools):
        print("skipped: " + (why or "one of these is not there: " + " ".join(tools)))
        return 77
    with tempfile.TemporaryDirectory() as where:
        app, first, second, third = (os.path.join(where, n) for n in ("app", "first", "second", "third"))
        check_run(["gcc", "-O2", "-Wl,-q", "-o", app, os.path.join(HERE, "../../examples/scanner.c")])
        samples = _bolt.trace(app, app)
        check_run([ANYPROF, "bolt", "convert", app, "--pa=" + samples["T"], "-o", app + ".fdata"])
        code = optimize(app, app + ".fdata", first)
        samples = _bolt.trace(first, first)
        said = check_run([ANYPROF, "bolt", "convert", first, "--pa=" + samples["T"], "-o", first + ".fdata",
                          "-w", first + ".yaml"])
        from_fdata, from_yaml = (optimize(app, first + kind, path)
                                 for kind, path in ((".fdata", second), (".yaml", third)))
        taken = [branches_taken(path, where) for path in (app, first, second)]
        outputs = [check_run([path]) for path in (app, first, second, third)]
    print("branches taken: %d, by samples of the program %d, by samples of what BOLT made of it %d; %d bytes of code"
          % (*taken, len(code)))
    print(said)
    failures = [what for what, holds in (
        ("the code is the same", code == from_fdata and code == from_yaml and len(code) > 300),
        ("fewer branches are taken", taken[1] == taken[2] < taken[0] * 9 // 10),
        ("the programs do the same", len(set(outputs)) == 1 and "blanks" in outputs[0])) if not holds]
    print("\n".join("FAILED: " + what for what in failures))
    return 1 if failures else 0


sys.exit(main())
