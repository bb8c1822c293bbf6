# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the Python package share: finding the package in the build directory, inputs, and main().

The tests are of the standard module unittest. With sanitizers in the library, the interpreter, which has none, is
started again with the sanitizer's runtime loaded first."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("ANYPROF_BUILD_DIR", os.path.join(SOURCE, "build", "release"))
CORPUS = os.path.abspath(os.environ.get("ANYPROF_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus")))
COMMAND = os.environ.get("ANYPROF", os.path.join(BUILD, "anyprof"))
PACKAGE = os.path.join(BUILD, "python")
PROFILES = os.path.join(SOURCE, "examples", "profiles")
IR = [os.path.join(PROFILES, f"clang-{n}-ir.profraw") for n in (13, 14, 15, 16, 19, 22)]
SAMPLES = [os.path.join(PROFILES, f"server-{n}.prof") for n in (1, 2)]

# A profile with what the examples lack: two hashes of a name, values, a bitmap, a pseudo count, an odd name.
TEXT = b"""\
:ir
twice
1
2
5
7

twice
2
1
9

targets
3
1
100
1
0
1
2
twice:60
unknown_function:40

"""
# Profiles of BOLT: each kind of record of fdata, names that are odd; a call, a successor, and hashes in YAML.
FDATA = b"""\
boltedcollection
1 worker 13 1 worker 3c 0 3
1 main d4 1 worker 0 1 3
1 main d4 1 worker 0 1 4
0 [unknown] 0 1 main 0 0 1
2 a\\ b\\\\c/1 0 1 caf\xc3\xa9\xff ffffffffffffffff 0 9223372036854775807
4 worker 3 4 table 8 5
"""
BOLT_YAML = b"""\
---
header:
  profile-version: 1
  binary-name:     app
  binary-build-id: f00d
  profile-flags:   [ lbr ]
  profile-origin:  perf data aggregator
  profile-events:  ''
  dfs-order:       false
  hash-func:       xxh3
functions:
  - name:            'work/app.c/1'
    fid:             7
    hash:            0x12
    exec:            4
    nblocks:         3
    blocks:
      - bid:             0
        insns:           2
        hash:            0xA
        exec:            4
        calls:           [ { off: 0x4, fid: 3, cnt: 4, mis: 1 }, { off: 0x9, fid: 0, disc: 2, cnt: 1 } ]
        succ:            [ { bid: 2, cnt: 3, mis: 1 } ]
      - bid:             2
        insns:           1
        hash:            0xB
        events:          5
  - name:            main
    fid:             3
    hash:            0xFFFFFFFFFFFFFFFF
    exec:            1
    extern:          1
    nblocks:         1
...
"""


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def _sanitizer():
    """The runtime that must be loaded first; None: none."""
    if "address" not in os.environ.get("ANYPROF_SANITIZE", "").split(","):
        return None
    compiler = os.environ.get("ANYPROF_CC", "cc")
    name = "libclang_rt.asan-x86_64.so" if "clang" in os.path.basename(compiler) else "libasan.so"
    names = [name, "libclang_rt.asan.so"] if "clang" in name else [name]
    for candidate in names:
        found = subprocess.run([compiler, f"-print-file-name={candidate}"], capture_output=True, text=True, check=True)
        if os.path.isabs(found.stdout.strip()):
            return found.stdout.strip()
    skip(f"{compiler} has no {name}")


def _load():
    if not os.path.exists(os.path.join(PACKAGE, "anyprof", "_anyprof.abi3.so")):
        skip("built without -DANYPROF_PYTHON=ON")
    if "thread" in os.environ.get("ANYPROF_SANITIZE", "").split(","):
        skip("ThreadSanitizer cannot be loaded into the interpreter")
    runtime = _sanitizer()
    if runtime and runtime not in os.environ.get("LD_PRELOAD", ""):
        # The interpreter itself does not free everything; tests/python/memory.py looks for leaks.
        options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        environment = dict(os.environ, LD_PRELOAD=runtime, ASAN_OPTIONS=options, PYTHONMALLOC="malloc")
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    if runtime:
        del os.environ["LD_PRELOAD"]  # other programs have the runtime in them, or do without
    sys.path.insert(0, PACKAGE)


_load()
INSTRUMENTED = os.environ.get("ANYPROF_INSTRUMENTED", "0") != "0"
TEMPORARY = tempfile.mkdtemp(prefix="anyprof-python-")
atexit.register(shutil.rmtree, TEMPORARY, ignore_errors=True)


def path(name):
    """A path in the temporary directory."""
    return os.path.join(TEMPORARY, name)


def file(name, contents):
    """A new file in the temporary directory."""
    with open(path(name), "wb") as f:
        f.write(contents)
    return path(name)


def read(name):
    with open(name, "rb") as f:
        return f.read()


def command(*words, code=0):
    """Runs anyprof; its standard output."""
    result = subprocess.run([COMMAND, *words], capture_output=True, check=False)
    if result.returncode != code:
        raise AssertionError(f"anyprof {words}: {result.returncode}, {result.stderr.decode()}")
    return result.stdout


def pack(target):
    """The inputs that fuzzing found for a target."""
    sys.path.insert(0, os.path.join(SOURCE, "fuzz"))
    import pack as packs  # pylint: disable=import-outside-toplevel

    return list(packs.decode(read(os.path.join(SOURCE, "fuzz", "corpus", target + ".pack"))).values())


def main():
    result = unittest.main(exit=False, verbosity=1).result
    for test, why in result.skipped:
        print(f"skipped: {test.id()}: {why}")
    sys.exit(not result.wasSuccessful())
