#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every example of docs/python.md and of the docstrings does what it says."""

import doctest
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import unittest

import _package as p

import anyprof

FLAGS = doctest.ELLIPSIS


def run(examples, name, globs):
    """Runs the examples of a text; the number of them."""
    test = doctest.DocTestParser().get_doctest(examples, dict(globs, anyprof=anyprof), name, name, 0)
    out = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=out.append)
    if runner.failures:
        raise AssertionError("".join(out))
    return runner.tries


APP = """\
static int twice(int n)
{
    return 2 * n;
}
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        return twice(argc);
    }
    return twice(argc) + twice(1) - 4;
}
"""


def build_app():
    """Builds the program of the chapter about coverage here, and runs it. False: there is no compiler for it."""
    with open("app.c", "w", encoding="ascii") as file:
        file.write(APP)
    for clang in ("clang-22", "clang-19", "clang-16", "clang-15", "clang-14", "clang"):
        words = [clang, "-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-compilation-dir=.", "app.c", "-o",
                 "app"]
        if shutil.which(clang) and subprocess.run(words, capture_output=True, check=False).returncode == 0:
            subprocess.run(["./app"], env=dict(os.environ, LLVM_PROFILE_FILE="coverage.profraw"), check=True)
            return True
    return False


class Examples(unittest.TestCase):
    def setUp(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)

    def test_guide(self):
        where = p.path("guide")
        os.makedirs(os.path.join(where, "profiles"))
        for i in range(3):  # three runs of one program
            shutil.copy(p.IR[3], os.path.join(where, "profiles", f"{i}.profraw"))
        for path in p.SAMPLES:
            shutil.copy(path, where)
        os.chdir(where)
        text = p.read(os.path.join(p.SOURCE, "docs", "python.md")).decode()
        if not build_app():
            print("skipped: the chapter about coverage: no clang with its profile runtime")
            text = re.sub(r"\n## Coverage\n.*?(?=\n## )", "", text, flags=re.S)
        self.assertGreater(run(text, "docs/python.md", {"print_nothing": lambda finding: None}), 25)

    def test_docstrings(self):
        os.chdir(p.SOURCE)
        tries = 0
        modules = [anyprof] + [importlib.import_module(m.name) for m in
                               pkgutil.iter_modules(anyprof.__path__, "anyprof.") if m.name != "anyprof._anyprof"]
        for module in modules:
            for test in doctest.DocTestFinder().find(module):
                if test.examples:
                    tries += run(test.docstring, test.name, {})
        self.assertGreater(tries, 10)


if __name__ == "__main__":
    p.main()
