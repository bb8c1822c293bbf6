# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building the freestanding core and programs for a Cortex-M3, and running them in qemu."""

import os
import re
import shutil
import subprocess

from _shared import ANYPROF, BUILD, PROGRAMS, SOURCE, TIMEOUT, functions  # noqa: F401

RELEASES = [v for v in (13, 14, 15, 16, 19, 22)
            if shutil.which("clang-%d" % v) and shutil.which("llvm-profdata-%d" % v)]
EXAMPLE = os.path.join(SOURCE, "examples", "bare_metal")
INCLUDES = ["-I" + os.path.join(SOURCE, d) for d in ("include", "src", "examples/bare_metal", "tests/runtime/programs")]
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
    p = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT,
                       errors="replace")
    check(p.returncode in codes, "%s: %d\n%s" % (" ".join(command), p.returncode, p.stdout))
    return p.stdout


def core_parts():
    """The core's sources, as CMake has them."""
    with open(os.path.join(SOURCE, "runtime", "CMakeLists.txt")) as f:
        text = f.read()
    always = re.search(r"set\(apf_rt_core\s+([^)]*)\)", text).group(1).split()
    more = re.search(r"add_library\(anyprof_rt_core STATIC \$\{apf_rt_core\}([^)]*)\)", text).group(1).split()
    return sorted(always + more)


def compile_core(where, compiler, *flags):
    """Its objects. One command for all: compilers take several files with -c."""
    os.makedirs(where, exist_ok=True)
    sources = [os.path.join(SOURCE, "runtime", part) for part in core_parts()]
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


def records(text):
    """{name: (counters, bitmap, values)} of a text profile. Up to LLVM 16 names have a colon after their file."""
    return {f.name.replace(";", ":"): (f.counters, f.bitmap, {
        kind: [[(value.replace(";", ":"), n) for value, n in site] for site in sites]
        for kind, sites in f.values.items()}) for f in functions(text)}
