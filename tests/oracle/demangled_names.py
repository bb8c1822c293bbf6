#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--demangle beside c++filt and llvm-cxxfilt-22: names of functions of real profiles, of the C++ library, and, if they
are installed, of large programs of C++ and Rust. A few may differ: llvm-cxxfilt-22 knows manglings that are newer than
libiberty, and c++filt contains another libiberty."""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _profiles as p  # noqa: E402  (found through the line before)

FILT, LLVM_FILT = "c++filt", "llvm-cxxfilt-22"
MANGLED = re.compile(rb"_?_[ZR][A-Za-z0-9_.$]{3,}")
MOST = 40000  # names of one file
FEW = 0.01  # share of names that may differ
LIBRARIES = ["/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/llvm-*/lib/libclang-cpp.so.*",
             os.path.expanduser("~/.rustup/toolchains/stable-*/lib/librustc_driver-*.so")]


def names_of_corpus():
    """What looks like a mangled name in the files of the corpus."""
    found = set()
    for directory, _, files in os.walk(os.environ.get("ANYPROF_CORPUS", "")):
        for file in files:
            path = os.path.join(directory, file)
            if os.path.getsize(path) < 1 << 24 and "hostile" not in directory:
                with open(path, "rb") as data:
                    found.update(name.decode() for name in MANGLED.findall(data.read()))
    return sorted(found)


def names_of_library(path):
    names = set()
    for words in (["nm", "--defined-only", path], ["nm", "-D", "--defined-only", path]):
        for line in subprocess.run(words, capture_output=True, text=True, check=False).stdout.split("\n"):
            name = line.rpartition(" ")[2].partition("@")[0]
            if name.startswith(("_Z", "_R")):
                names.add(name)
    return sorted(names)[::max(1, len(names) // MOST)]


def demangle(names, directory):
    path = os.path.join(directory, "names.proftext")
    with open(path, "w", encoding="ascii") as file:
        file.write(":ir\n" + "".join("%s\n1\n1\n1\n\n" % name for name in names))
    out = p.run([os.environ["ANYPROF"], "show", "--all-functions", "--demangle", path]).out.decode().split("\n")
    return [line[2:-1] for line in out if line.startswith("  ") and not line.startswith("   ")]


def filtered(command, names):
    done = subprocess.run(command, input="\n".join(names) + "\n", capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n").split("\n")


def plain(text):
    """With suffixes as llvm-cxxfilt writes them."""
    return re.sub(r"( \[clone [^\]]*\])+$", lambda m: " (%s)" % "".join(re.findall(r"clone ([^\]]*)\]", m[0])), text)


def compare(report, what, names, directory):
    own = demangle(names, directory)
    report.check("%s: all names are shown" % what, len(own) == len(names), "%d of %d" % (len(own), len(names)))
    legacy = re.compile(r"17h[0-9a-f]{16}E")
    old = [i for i, name in enumerate(names) if not name.startswith(("_R", "__R")) and not legacy.search(name)]
    theirs = filtered([FILT, "-i"], [names[i] for i in old])
    different = [(names[i], own[i], other) for i, other in zip(old, theirs) if own[i] != other]
    report.check("%s: C++ as %s" % (what, FILT), len(different) <= FEW * len(old), "%d of %d, such as %s" %
                 (len(different), len(old), different[:3]))
    theirs = filtered([LLVM_FILT], names)
    unread = [(name, other) for name, ours, other in zip(names, own, theirs) if ours == name != other]
    report.check("%s: all that %s reads" % (what, LLVM_FILT), len(unread) <= FEW * len(names), "%d, such as %s" %
                 (len(unread), unread[:3]))
    rust = [(name, ours, other) for name, ours, other in zip(names, own, theirs) if name.startswith("_R")]
    different = [row for row in rust if row[2] != row[0] and plain(row[1]) != row[2]]
    report.check("%s: Rust as %s" % (what, LLVM_FILT), len(different) <= FEW * len(rust), "%d of %d, such as %s" %
                 (len(different), len(rust), different[:3]))


def main():
    for tool in (FILT, LLVM_FILT, "nm"):
        if not shutil.which(tool):
            p.skip("no %s" % tool)
    report = p.Report(floor=4)
    with p.work_directory() as directory:
        corpus = names_of_corpus()
        if corpus:
            compare(report, "the corpus", corpus, directory)
        for pattern in LIBRARIES:
            for path in sorted(glob.glob(pattern))[-1:]:
                compare(report, os.path.basename(path), names_of_library(path), directory)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
