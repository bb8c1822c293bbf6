# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the package against an anyprof that is installed: pip install ./python

pkg-config finds the libraries; PKG_CONFIG_PATH says where anyprof-elf.pc is if they are not where pkg-config looks.
Without pkg-config, ANYPROF_PREFIX is the directory that has include/anyprof and lib.
"""

import glob
import os
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from wheel.bdist_wheel import bdist_wheel

API = 0x030B0000  # buffers belong to the stable ABI since 3.11


def from_pkg_config(option):
    name = os.environ.get("PKG_CONFIG", "pkg-config")
    result = subprocess.run([name, option, "anyprof-elf"], capture_output=True, text=True, check=True)
    return shlex.split(result.stdout)


def find_library():
    """Options for the compiler and for the linker, and the version."""
    prefix = os.environ.get("ANYPROF_PREFIX")
    if prefix:
        include = os.path.join(prefix, "include")
        with open(os.path.join(include, "anyprof", "anyprof.h"), encoding="utf-8") as file:
            parts = re.findall(r"define APF_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", file.read())
        lib = os.path.join(prefix, "lib")
        return ["-I" + include], ["-L" + lib, "-lanyprof-elf", "-lanyprof"], ".".join(parts)
    try:
        return from_pkg_config("--cflags"), from_pkg_config("--libs"), from_pkg_config("--modversion")[0]
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(
            f"setup.py: anyprof-elf is not found: {getattr(error, 'stderr', None) or error}\n"
            "Install anyprof first (cmake --install), then set PKG_CONFIG_PATH to the directory of anyprof-elf.pc, or\n"
            "ANYPROF_PREFIX to the directory that anyprof was installed in."
        )


class StableWheel(bdist_wheel):
    """One wheel for all versions of Python from 3.11 on."""

    def get_tag(self):
        return "cp311", "abi3", super().get_tag()[2]


def main():
    cflags, libs, version = find_library()
    # Where the libraries are found when the module is loaded, if the linker does not look there by itself.
    directories = [word[2:] for word in libs if word.startswith("-L")]
    rpaths = ["-Wl,-rpath," + d for d in directories if not d.startswith(("/usr/lib", "/lib"))]
    module = Extension(
        "anyprof._anyprof",
        sources=sorted(glob.glob("native/*.c")),
        depends=sorted(glob.glob("native/*.h")),
        define_macros=[("Py_LIMITED_API", hex(API)), ("_POSIX_C_SOURCE", "200809L")],
        extra_compile_args=["-std=c11", "-fvisibility=hidden", *cflags],
        extra_link_args=[*libs, *rpaths],
        py_limited_api=True,
    )
    setup(version=version, ext_modules=[module], cmdclass={"bdist_wheel": StableWheel})


main()
