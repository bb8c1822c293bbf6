#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof probes disasm` on damaged programs: cut, and with bytes changed in headers, code, symbols, probes and debug
information. It ends with exit code 0 or 1, soon; in the build with sanitizers they find nothing. Damage is the same in
every run; the file of a failure is named, and kept with ANYPROF_KEEP=1."""
import concurrent.futures
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _pgo as pgo  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
EACH = int(os.environ.get("ANYPROF_SWEEP_FLIPS", "150"))  # damaged files of each program
SECONDS = 60
FOUND = (5000682, 5000835)  # names of functions that do not end in their section, which libdw accepts
FLAGS = ["-O2", "-g", "-fpseudo-probe-for-profiling", "-ffreestanding", "-fno-builtin"]
PROGRAMS = {
    "x86-64": (["--target=x86_64-linux-gnu"], True),
    "DWARF 4": (["--target=x86_64-linux-gnu", "-gdwarf-4", "-ffunction-sections"], True),
    "compressed": (["--target=x86_64-linux-gnu", "-gz=zlib"], True),
    "AArch64": (["--target=aarch64-linux-gnu"], True),
    "i386": (["--target=i386-linux-gnu"], True),
    "s390x": (["--target=s390x-linux-gnu"], True),
    "object": (["--target=x86_64-linux-gnu", "-ffunction-sections"], False),
}


def build(name, directory):
    flags, linked = PROGRAMS[name]
    path = os.path.join(directory, name.replace(" ", ""))
    source = os.path.join(pgo.HERE, "disasm", "plain.c")
    pgo.run(["clang-22", *FLAGS, *flags, "-c", source, "-o", path + ".o"])
    if linked:
        packed = ["--compress-debug-sections=zlib"] if name == "compressed" else []
        pgo.run(["ld.lld-22", "-e", "main", *packed, path + ".o", "-o", path])
    return path if linked else path + ".o"


def places(data):
    """(offset, size) of the header of the file, those of its sections, and the sections."""
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    table = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    size, count = struct.unpack_from(order + "HH", data, 58 if wide else 46)
    found = [(0, 64), (table, size * count)]
    for i in range(count):
        at = table + i * size + (24 if wide else 16)
        found.append(struct.unpack_from(order + ("QQ" if wide else "II"), data, at))
    return [(at, n) for at, n in found if n and at + n <= len(data)]


def damaged(data, number):
    chance = random.Random(number)
    if number % 8 == 0:
        return data[: chance.randrange(len(data))]
    out = bytearray(data)
    spots = places(data)
    for _ in range(chance.choice((1, 1, 2, 8, 40))):
        at, n = chance.choice(spots)
        at += chance.randrange(n)
        if chance.random() < 0.5:
            out[at] ^= 1 << chance.randrange(8)
        else:
            out[at] = chance.choice((0, 0xff, 0x80, 0x7f, chance.randrange(256)))
    return bytes(out)


OPTIONS = (["--show-source-locations"], [], ["--show-source-locations", "--show-pseudo-probe=false", "--keep-going"])


def run(job):
    path, data, number = job
    name = f"{path}.{number}"
    with open(name, "wb") as f:
        f.write(damaged(data, number))
    command = [ANYPROF, "probes", "disasm", *OPTIONS[number % 3], name]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=SECONDS)
        wrong = None if done.returncode in (0, 1) and b"Sanitizer" not in done.stderr else (
            f"exit code {done.returncode}: {done.stderr.decode(errors='replace')[-3000:]}")
        code = done.returncode
    except subprocess.TimeoutExpired:
        wrong, code = f"not done after {SECONDS} s", -1
    if not wrong:
        os.unlink(name)
    return command, wrong, code


def main():
    if not os.access(ANYPROF, os.X_OK) or not shutil.which("clang-22") or not shutil.which("ld.lld-22"):
        print(f"skipped: no command at '{ANYPROF}', or no clang-22 or ld.lld-22")
        return 77
    directory = tempfile.mkdtemp()
    failed, codes, jobs = 0, {0: 0, 1: 0}, []
    for i, name in enumerate(PROGRAMS):
        path = build(name, directory)
        with open(path, "rb") as f:
            data = f.read()
        numbers = {i * 1000000 + k for k in range(EACH)} | {n for n in FOUND if n // 1000000 == i}
        jobs += [(path, data, n) for n in sorted(numbers)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for command, wrong, code in pool.map(run, jobs):
            codes[code] = codes.get(code, 0) + 1
            if wrong:
                failed += 1
                print("FAILED:", " ".join(command), wrong)
    if not os.environ.get("ANYPROF_KEEP"):
        shutil.rmtree(directory)
    print(f"{len(jobs)} damaged files: {codes[0]} shown, {codes[1]} refused, {failed} failures")
    if not codes[0] or not codes[1]:
        print("FAILED: all are shown, or all are refused")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
