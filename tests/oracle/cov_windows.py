#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Coverage of objects and images of Windows, which clang and lld make here, and of names of source files as Windows has
them: with --compat=llvm-22 as llvm-cov-22 has it, which takes "C:\\src\\a.c" for a relative name here; else
with '/'."""

import json
import os
import shutil
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _coverage as c  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402

CLANG = shutil.which("clang-22")
LINK = shutil.which("lld-link-22") or shutil.which("lld-link")
FLAGS = ["--target=x86_64-pc-windows-msvc", "-fprofile-instr-generate", "-fcoverage-mapping"]
SOURCE = """#include "sub/h.h"
int __llvm_profile_runtime;
static int local(int x) { return x ? 1 : 2; }
int f(int x)
{
    if (x > 2)
        return h(x);
    return local(x);
}
"""
HEADER = "static inline int h(int x) { return x > 3; }\n"
# what the runtime puts before the names of an image
FIRST = '__attribute__((section(".lprfn$A"), used)) static const char first = 0;\n'
DIFF = "--- a/sub/h.h\n+++ b/sub/h.h\n@@ -0,0 +1 @@\n+x\n"


def same(report, name, program, directory):
    c.compare(report, name, [[*words, program, "-empty-profile"] for words in
                             (["export"], ["export", "-format=lcov"], ["report"])], cwd=directory)


def names(program, directory, *options):
    done = p.anyprof("cov", "export", program, "--empty-profile", "--format=lcov", *options, cwd=directory)
    return [line[3:] for line in done.out.decode().splitlines() if line.startswith("SF:")]


def compile_object(report, directory, name, *options, source="a.c"):
    done = p.run([CLANG, *FLAGS, *options, "-c", source, "-o", name], cwd=directory)
    report.check(f"{name} is built", done.code == 0, done.errors())
    return name


def check_objects(report, directory):
    plain = compile_object(report, directory, "plain.obj")
    same(report, "object", plain, directory)
    report.same("names of this system", names(plain, directory),
                [os.path.join(directory, name) for name in ("a.c", "sub/h.h")])
    drive = compile_object(report, directory, "drive.obj", "-fcoverage-compilation-dir=C:\\src\\.")
    same(report, "directory of Windows", drive, directory)
    report.same("names with a drive", names(drive, directory), ["C:/src/a.c", "C:/src/sub/h.h"])
    whole = compile_object(report, directory, "whole.obj", f"-fcoverage-prefix-map={directory}=C:\\src",
                           source=os.path.join(directory, "a.c"))
    same(report, "absolute names of Windows", whole, directory)
    report.same("absolute names", names(whole, directory), ["C:/src/a.c", "C:/src/sub/h.h"])
    elf = compile_object(report, directory, "drive.o", "--target=x86_64-linux", "-fcoverage-compilation-dir=C:\\src")
    same(report, "ELF of Windows", elf, directory)
    report.same("names in ELF", names(elf, directory), ["C:/src/a.c", "C:/src/sub/h.h"])
    for given in ("C:\\src\\", "C:/src/"):
        report.same(f"relative names by {given}", names(elf, directory, f"--prefix-map={given}="), ["a.c", "sub/h.h"])
        report.same(f"only those in {given}sub", names(elf, directory, f"--sources={given}sub"), ["C:/src/sub/h.h"])
        shown = p.anyprof("cov", "show", elf, "--empty-profile", f"--path-equivalence={given},./", given + "sub",
                          cwd=directory)
        report.check(f"sources in {given}", shown.code == 0 and HEADER.encode() in shown.out, shown.errors())
    diff = p.anyprof("cov", "diff", elf, "--empty-profile", "--patch=diff", "--json", cwd=directory)
    report.same("a diff", [entry["source"] for entry in json.loads(diff.out)["files"]], ["C:/src/sub/h.h"])
    table = p.anyprof("cov", "report", elf, "--empty-profile", cwd=directory)
    report.check("a table, without the directory of all", b"\nsub/h.h " in table.out, table.out)
    p.anyprof("cov", "show", elf, "--empty-profile", "--path-equivalence=C:/src/,./", "--output-dir=pages",
              cwd=directory)
    report.check("text pages", os.path.exists(os.path.join(directory, "pages", "coverage", "src", "sub", "h.h.txt")))


def check_strings(report, directory):
    """Names of sections in the table of strings: decimal, and, as after ten million bytes, in base 64."""
    digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    with open(os.path.join(directory, "plain.obj"), "rb") as file:
        data = bytearray(file.read())
    sections, at = struct.unpack_from("<H", data, 2)[0], struct.unpack_from("<I", data, 8)[0]
    strings = at + 18 * struct.unpack_from("<I", data, 12)[0]
    renamed = 0
    for wide in (False, True):
        for i in range(sections):
            header = 20 + 40 * i
            name = bytes(data[header:header + 8])
            if name[:1] == b"/" and wide:
                offset = int(name[1:].rstrip(b"\0"))
                text = bytes([digits[offset >> 6 * k & 63] for k in range(5, -1, -1)])
                data[header:header + 8] = b"//" + text
                renamed += 1
        path = f"strings{int(wide)}.obj"
        with open(os.path.join(directory, path), "wb") as file:
            file.write(data)
        same(report, path, path, directory)
    report.check("names in base 64", renamed >= 2 and strings < len(data))
    data[data.index(b"//")+2] = 0x21 # no digit
    with open(os.path.join(directory, "bad.obj"), "wb") as file:
        file.write(data)
    bad = p.anyprof("cov", "export", "bad.obj", "--empty-profile", cwd=directory)
    report.check("no digit of base 64", bad.code in (0, 1), bad.errors())


def check_image(report, directory):
    with open(os.path.join(directory, "image.c"), "w", encoding="ascii") as file:
        file.write(SOURCE + FIRST)
    made = compile_object(report, directory, "image.obj", "-fcoverage-compilation-dir=C:\\src", source="image.c")
    done = p.run([LINK, "/dll", "/noentry", "/nodefaultlib", "/force:unresolved", "/out:image.dll", made],
                 cwd=directory)
    report.check("a library is linked", done.code == 0, done.errors())
    same(report, "library", "image.dll", directory)
    report.same("its names", names("image.dll", directory), ["C:/src/image.c", "C:/src/sub/h.h"])


def old_image():
    """An image with a mapping of version 1, in which functions have addresses of names, that of the image included."""
    base, names_at, map_at, step = 0x140000000, 0x1000, 0x2000, 0x200
    mapping = bytes([1, 0, 0, 1, 1, 1, 1, 3, 2])
    files = b"\x01\x08/src/a.c"
    header = struct.pack("<IIII", 1, len(files), len(mapping), 0)
    record = struct.pack("<QIIQ", base + names_at, 4, len(mapping), 5)
    covmap = header + record + files + mapping
    covmap += bytes(-len(covmap) % 8)
    image = bytearray(b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0")
    image += struct.pack("<HHIIIHH", 0x8664, 2, 0, 0, 0, 240, 0x2022)
    image += struct.pack("<H22xQII", 0x20b, base, 0x1000, step).ljust(108, b"\0") + struct.pack("<I128x", 16)
    for i, (name, at, text) in enumerate(((b".lprfn", names_at, b"\0main"), (b".lcovmap", map_at, covmap))):
        image += struct.pack("<8sIIIIIIHHI", name, len(text), at, step, step * (2 + i), 0, 0, 0, 0, 0x40000040)
    image = image.ljust(2 * step, b"\0") + b"\0main".ljust(step, b"\0")
    return bytes(image + covmap.ljust(step, b"\0"))


def check_old_image(report, directory):
    with open(os.path.join(directory, "old.exe"), "wb") as file:
        file.write(old_image())
    with open(os.path.join(directory, "old.proftext"), "w", encoding="ascii") as file:
        file.write("main\n5\n1\n7\n")
    p.run(["llvm-profdata-22", "merge", "old.proftext", "-o", "old.profdata"], cwd=directory)
    for words in (["export"], ["export", "-format=lcov"], ["report"]):
        c.compare(report, "version 1", [[*words, "old.exe", "-instr-profile=old.profdata"]], cwd=directory)
    lines = p.anyprof("cov", "export", "old.exe", "--profile=old.profdata", "--format=lcov", cwd=directory)
    report.check("version 1 has its count", b"FNDA:7,main\n" in lines.out, lines.errors())


def main():
    if not c.LLVM_COV or not CLANG:
        p.skip("no llvm-cov-22, or no clang-22")
    report = p.Report(floor=40)
    with p.work_directory() as directory:
        directory = os.path.realpath(directory)
        os.mkdir(os.path.join(directory, "sub"))
        for name, text in (("a.c", SOURCE), ("sub/h.h", HEADER), ("diff", DIFF)):
            with open(os.path.join(directory, name), "w", encoding="ascii") as file:
                file.write(text)
        check_objects(report, directory)
        check_strings(report, directory)
        if LINK:
            check_image(report, directory)
        check_old_image(report, directory)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
