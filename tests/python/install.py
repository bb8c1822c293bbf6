#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package that CMake installs works where it is moved to, and pip builds and installs one from the source tree,
without a network, as a wheel for all versions of Python."""

import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

import _package as p

PROGRAM = "import anyprof; print(anyprof.__version__, anyprof.merge('%s').totals.n_merged, anyprof.__file__)" % p.IR[0]

# What macros of the stable ABI use: private by its name only.
PRIVATE_IN_NAME = {"_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_Py_NotImplementedStruct",
                   "_PyArg_ParseTuple_SizeT", "_Py_BuildValue_SizeT"}


def built_for():
    """The interpreter for which CMake installs the package."""
    with open(os.path.join(p.BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        found = re.search("^_?Python3_EXECUTABLE:[A-Z]*=(.*)$", file.read(), re.M)
    return found.group(1)


def run(*words, **environment):
    base = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH")}
    result = subprocess.run(words, capture_output=True, text=True, check=False, cwd=p.TEMPORARY,
                            env={**base, **environment})
    if result.returncode:
        raise AssertionError(f"{words}: {result.stdout} {result.stderr}")
    return result.stdout


@unittest.skipIf(p.INSTRUMENTED, "instrumented build: it needs its runtime")
class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = p.path("moved")
        run("cmake", "--install", p.BUILD, "--prefix", p.path("first"))
        os.rename(p.path("first"), cls.prefix)
        cls.pc, = glob.glob(os.path.join(cls.prefix, "lib*", "**", "anyprof-elf.pc"), recursive=True)

    def test_cmake(self):
        where, = glob.glob(os.path.join(self.prefix, "lib*", "python3*", "*-packages"))
        self.assertIn(where, run(sys.executable, "-c", PROGRAM, PYTHONPATH=where))
        program = "import importlib.metadata as m; print(m.version('anyprof'))"
        text = run(sys.executable, "-c", program, PYTHONPATH=where)
        self.assertRegex(text, r"^\d+\.\d+\.\d+\n$")
        self.assertTrue(os.path.exists(os.path.join(where, "anyprof", "py.typed")))

    def test_user(self):
        """Below ~/.local, Python finds the package by itself, whatever prefix the build was made for."""
        home = p.path("home")
        text = run("cmake", "--install", p.BUILD, "--prefix", os.path.join(home, ".local"), HOME=home)
        self.assertNotIn("PYTHONPATH", text)
        self.assertIn(home, run(built_for(), "-c", PROGRAM, HOME=home))

    def test_message(self):
        """Elsewhere, the message of the installation says what to set."""
        prefix = p.path("elsewhere")
        text = run("cmake", "--install", p.BUILD, "--prefix", prefix)
        where, = re.findall("PYTHONPATH=(.*)$", text, re.M)
        self.assertIn(prefix, run(built_for(), "-c", PROGRAM, PYTHONPATH=where))

    def test_directories(self):
        """Debian's Python is asked for each prefix of it: /usr/local is not /usr."""
        python = "/usr/bin/python3"
        asks = ("import sys, sysconfig; "
                "print('deb_system' in sysconfig.get_scheme_names(), 'python%d.%d' % sys.version_info[:2])")
        debian, version = run(python, "-c", asks).split() if os.path.exists(python) else ("False", "")
        if debian != "True":
            self.skipTest("no Python of Debian")
        for prefix, where in (("/usr", "lib/python3/dist-packages"), ("/usr/local", f"lib/{version}/dist-packages")):
            program = os.path.join(p.SOURCE, "python", "install_dir.py")
            self.assertEqual(run(python, program, prefix), f"{where}\nyes\n")

    def source(self):
        """A copy of the source, in which pip leaves its files."""
        where = p.path("source")
        if not os.path.exists(where):
            shutil.copytree(os.path.join(p.SOURCE, "python"), where)
        return where

    def need(self, *modules):
        for module in modules:
            if not importlib.util.find_spec(module):
                self.skipTest(f"no Python module {module}")

    def test_pip(self):
        self.need("pip", "venv", "setuptools", "wheel")
        wheels = p.path("wheels")
        options = ("--no-build-isolation", "--no-index", "--no-deps")
        run(sys.executable, "-m", "pip", "wheel", *options, "-w", wheels, self.source(),
            PKG_CONFIG_PATH=os.path.dirname(self.pc))
        wheel, = os.listdir(wheels)
        self.assertRegex(wheel, r"^anyprof-\d+\.\d+\.\d+-cp311-abi3-linux_\w+\.whl$")
        names = zipfile.ZipFile(os.path.join(wheels, wheel)).namelist()
        for name in ("anyprof/_anyprof.abi3.so", "anyprof/_anyprof.pyi", "anyprof/py.typed", "anyprof/__init__.py"):
            self.assertIn(name, names)
        environment = p.path("venv")
        run(sys.executable, "-m", "venv", environment)
        python = os.path.join(environment, "bin", "python")
        run(python, "-m", "pip", "install", "--no-index", os.path.join(wheels, wheel))
        self.assertIn(environment, run(python, "-c", PROGRAM))

    def test_prefix(self):
        """Without pkg-config, by ANYPROF_PREFIX; and a message where nothing is found."""
        self.need("setuptools", "wheel")
        source = self.source()
        lib = os.path.dirname(os.path.dirname(self.pc))
        if os.path.basename(lib) != "lib":
            os.makedirs(os.path.join(self.prefix, "lib"), exist_ok=True)
            for file in glob.glob(os.path.join(lib, "libanyprof*.so*")):
                os.symlink(file, os.path.join(self.prefix, "lib", os.path.basename(file)))
        built = p.path("built")
        words = (sys.executable, os.path.join(source, "setup.py"), "-q", "build", "--build-base", p.path("base"),
                 "--build-lib", built)
        subprocess.run(words, check=True, cwd=source, capture_output=True,
                       env=dict(os.environ, ANYPROF_PREFIX=self.prefix, PKG_CONFIG="false"))
        self.assertIn(built, run(sys.executable, "-c", PROGRAM, PYTHONPATH=built))
        result = subprocess.run(words, check=False, cwd=source, capture_output=True, text=True,
                                env=dict(os.environ, PKG_CONFIG="false"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("ANYPROF_PREFIX", result.stderr)

    def test_stable_abi(self):
        """The module uses no symbol of CPython that is not of the stable ABI of 3.11."""
        module = os.path.join(p.PACKAGE, "anyprof", "_anyprof.abi3.so")
        if not shutil.which("nm"):
            self.skipTest("no nm")
        used = {line.split()[-1] for line in run("nm", "-D", "--undefined-only", module).splitlines()}
        used = {name for name in used if name.startswith(("Py", "_Py"))}
        self.assertIn("PyBuffer_Release", used)
        private = {name for name in used if name.startswith("_Py")} - PRIVATE_IN_NAME
        self.assertEqual(private, set())
        exported = run("nm", "-D", "--defined-only", module).split()[2::3]
        self.assertEqual([n for n in exported if not n.startswith("_")], ["PyInit__anyprof"])


if __name__ == "__main__":
    p.main()
