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
