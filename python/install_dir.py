# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the directory of this Python's packages below a prefix, as a path from there, and whether Python looks into it
by itself: `yes` or `no`. CMake asks when it installs, because only then the prefix is certain.

Debian's Python looks into dist-packages, in /usr of any Python 3, in /usr/local of one; every Python looks into
site-packages below its own prefix and, of the user, below ~/.local."""

import os
import re
import site
import sys

prefix = os.path.realpath(sys.argv[1])
searched = site.getsitepackages() + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])
below = [os.path.relpath(os.path.realpath(path), prefix) for path in searched]
# The package finds its libraries from three directories below the prefix; /usr/local is no part of /usr.
below = [path for path in below if re.fullmatch("lib[^/]*/[^/]+/[^/]+", path)]
print(below[0] if below else "lib/python%d.%d/site-packages" % sys.version_info[:2])
print("yes" if below else "no")
