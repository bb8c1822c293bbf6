#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof bolt convert of programs whose functions have long names, which fdata has twice in each record: a profile
that would have the square of the input is refused. Programs are made here, by the ELF specification."""

import os
import resource
import subprocess
import sys
import tempfile

import _elf

ANYPROF = os.environ.get("ANYPROF", "")
CODE = 0x10000
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED: " + text)


def convert(name_size, records):
    """Branches within one function, all different."""
    text = (".text", _elf.PROGBITS, _elf.CODE, CODE, b"\x90" * (2 * records))
    with open("program", "wb") as f:
        f.write(_elf.build([text], [("f" * name_size, 1, CODE, 2 * records)]))
    with open("samples", "w", encoding="ascii") as f:
        f.write("".join(f"B {CODE + i:x} {CODE + records + i // 2:x} 1 0\n" for i in range(records)))
    command = [ANYPROF, "bolt", "convert", "program", "--pa=samples", "-o", "out"]
    return subprocess.run(command, stderr=subprocess.PIPE, timeout=300, check=False)


def main():
    if not os.path.exists(ANYPROF):
        print("skipped: no command")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        done = convert(5000, 5000)
        check(done.returncode == 0 and os.path.getsize("out") > 5000 * 10000, f"long names: {done.stderr[:300]}")
        os.unlink("out")
        done = convert(200000, 10000)
        check(done.returncode == 1 and b"long names are shared by too many records" in done.stderr,
              f"too long names: {done.returncode} {done.stderr[:300]}")
        check(not os.path.exists("out"), "too long names: an output")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        check(peak < 1000, f"too long names: {peak} MB")
        os.chdir("/")
    print(f"4 checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
