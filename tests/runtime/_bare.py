# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building the freestanding core and programs for a Cortex-M3, and running them in qemu."""

import os
import re
import shutil
import subprocess

ROOT = os.environ["ANYPROF_SOURCE_DIR"]
BUILD = os.environ["ANYPROF_BUILD_DIR"]
ANYPROF = os.environ["ANYPROF"]
RELEASES = [v for v in (13, 14, 15, 16, 19, 22)
            if shutil.which("clang-%d" % v) and shutil.which("llvm-profdata-%d" % v)]
EXAMPLE = os.path.join(ROOT, "examples", "bare_metal")
PROGRAMS = os.path.join(ROOT, "tests", "runtime", "programs")
INCLUDES = ["-I" + os.path.join(ROOT, d) for d in ("include", "src", "examples/bare_metal", "tests/runtime/programs")]
# As examples/bare_metal/build.sh has them.
SMALL = ["-std=c11", "-Oz", "-ffreestanding", "-ffunction-sections", "-fdata-sections",
         "-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]
CORTEX_M3 = ["--target=thumbv7m-none-eabi", "-mcpu=cortex-m3"]

checks = 0


def check(ok, what):
    global checks
    checks += 1
    if not ok:
        raise SystemExit("FAILED: %s" % what)


def run(*command, cwd=None, codes=(0,)):
    p = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                       errors="replace")
    check(p.returncode in codes, "%s: %d\n%s" % (" ".join(command), p.returncode, p.stdout))
    return p.stdout


def core_parts():
    """The core's sources, as CMake has them."""
    with open(os.path.join(ROOT, "runtime", "CMakeLists.txt")) as f:
        text = f.read()
    always = re.search(r"set\(apf_rt_core\s+([^)]*)\)", text).group(1).split()
    more = re.search(r"add_library\(anyprof_rt_core STATIC \$\{apf_rt_core\}([^)]*)\)", text).group(1).split()
    return sorted(always + more)


def compile_core(where, compiler, *flags):
    """Its objects. One command for all: compilers take several files with -c."""
    os.makedirs(where, exist_ok=True)
    sources = [os.path.join(ROOT, "runtime", part) for part in core_parts()]
    run(compiler, *flags, "-Wall", "-Werror", *INCLUDES, "-c", *sources, cwd=where)
    return [os.path.join(where, part[:-1] + "o") for part in core_parts()]


def archive(name, objects):
    if os.path.exists(name):
        os.unlink(name)
    run("llvm-ar-22", "rcs", name, *objects)
    return name


def compile_to(where, compiler, source, name, *flags):
    os.makedirs(where, exist_ok=True)
    target = os.path.join(where, name + ".o")
    # Names of static functions begin with the path as it is given.
    run(compiler, *flags, *INCLUDES, "-c", os.path.basename(source), "-o", target, cwd=os.path.dirname(source))
    return target


def port_objects(where, compiler):
    """The start of a program, its way out, memcpy and memset."""
    objects = []
    for part in ("start", "semihosting", "memory"):
        source = os.path.join(EXAMPLE, "bare_%s.c" % part)
        # -fno-builtin: else the loops in memset become calls of memset.
        objects.append(compile_to(where, compiler, source, "bare_" + part, *CORTEX_M3, *SMALL, "-fno-builtin"))
    return objects


def link(linker, target, script, *inputs):
    run(linker, "-T", script, "--gc-sections", *inputs, "-o", target)
    return target


def emulate(program, where, codes=(0,)):
    run("qemu-system-arm", "-M", "mps2-an385", "-nographic", "-monitor", "none", "-serial", "none",
        "-semihosting-config", "enable=on,target=native", "-kernel", program, cwd=where, codes=codes)


def merged(release, profile):
    """A profile's records as that release's llvm-profdata and anyprof see them: the same."""
    theirs = run("llvm-profdata-%d" % release, "merge", "--text", "-o", "-", profile)
    ours = run(ANYPROF, "merge", "--text", "-o", "-", profile)
    check(records(theirs) == records(ours), "%s: %s\n%s" % (profile, theirs, ours))
    return records(ours)


def numbers(lines, at):
    """The list whose length is in lines[at], with a comment between; and what comes behind it."""
    n = int(lines[at].lstrip("$"))
    return [int(x, 0) for x in lines[at + 2:at + 2 + n]], at + 2 + n


def values_of(lines, at):
    """{kind: [sorted values of each site]}; lines[at] is how many kinds there are."""
    values = {}
    kinds, at = int(lines[at]), at + 1
    for _ in range(kinds):
        kind, sites, at = int(lines[at + 1]), int(lines[at + 3]), at + 4
        values[kind] = []
        for _ in range(sites):
            n = int(lines[at])
            pairs = (line.rsplit(":", 1) for line in lines[at + 1:at + 1 + n])
            values[kind].append(sorted((value.replace(";", ":"), int(count)) for value, count in pairs))
            at += 1 + n
    return values


def records(text):
    """{name: (counters, bitmap, values)} of a text profile."""
    lines = text.split("\n")
    found = {}
    for at, line in enumerate(lines):
        if line != "# Func Hash:":
            continue
        name = lines[at - 1]
        counters, at = numbers(lines, at + 3)
        bitmap, values = [], {}
        if lines[at] == "# Num Bitmap Bytes:":
            bitmap, at = numbers(lines, at + 1)
        if lines[at] == "# Num Value Kinds:":
            values = values_of(lines, at + 1)
        found[name.replace(";", ":")] = (counters, bitmap, values)
    return found
