#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debug information whose parts are shared by so many others that reading them takes the square of the file: tables of
abbreviations and of lines, lists of ranges, names, files with split DWARF; and trees that are deep. What no program has
is refused, and everything else takes time and memory in proportion to the file. Files are made here, by the
specifications of ELF and DWARF."""

import os
import resource
import struct
import subprocess
import sys
import tempfile

ANYPROF = os.environ.get("ANYPROF", "")
MOST_SECONDS, MOST_BYTES = 20, 500 << 20  # with sanitizers; what is wrong takes minutes or gigabytes
CODE = 0x10000
COMPILE, SUBPROGRAM, BLOCK, VARIABLE = 0x11, 0x2e, 0x0b, 0x34
NAME, LINES, LOW, HIGH, RANGES, DWO_NAME, COMP_DIR = 0x03, 0x10, 0x11, 0x12, 0x55, 0x76, 0x1b
ADDRESS, DATA4, STRING, STRP, SEC_OFFSET, PRESENT = 0x01, 0x06, 0x08, 0x0e, 0x17, 0x19
checks, failures = 0, []


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        failures.append(text)
        print("FAILED: " + text)


def uleb(v):
    out = b""
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])


def abbreviation(number, tag, children, *attributes):
    return uleb(number) + uleb(tag) + bytes([children]) + b"".join(uleb(a) + uleb(f) for a, f in attributes) + b"\0\0"


def unit(entries, table=0):
    """A unit of DWARF 4."""
    body = struct.pack("<HIB", 4, table, 8) + entries
    return struct.pack("<I", len(body)) + body


def skeleton(kind, number, entries):
    """A skeleton (4) or a split unit (5) of DWARF 5."""
    body = struct.pack("<HBBIQ", 5, kind, 8, 0, number) + entries
    return struct.pack("<I", len(body)) + body


def write(path, sections, code=16):
    """An executable for x86-64, with a symbol for its code."""
    text = [(".text", 1, 6, CODE, b"\x90" * code, 0, 0)]
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, CODE, code)
    table = [(n, 1, 0, 0, d, 0, 0) for n, d in sections.items()]
    everything = text + table
    everything += [(".symtab", 2, 0, 0, symbols, len(table) + 3, 24), (".strtab", 3, 0, 0, b"\0f\0", 0, 0)]
    names, body, headers = b"\0", b"", bytes(64)
    for name, kind, flags, address, data, link, entry in everything + [(".shstrtab", 3, 0, 0, None, 0, 0)]:
        at, names = len(names), names + name.encode() + b"\0"
        data = names if data is None else data
        headers += struct.pack("<IIQQQQIIQQ", at, kind, flags, address, 64 + len(body), len(data), link, 1, 1, entry)
        body += data
    n = len(headers) // 64
    at = 64 + len(body)
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, CODE, 0, at, 0, 64, 0, 0, 64, n, n - 1)
    with open(path, "wb") as f:
        f.write(head + body + headers)


def spent():
    """Seconds of the processor that ended children took."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(what, path, code, words, *command):
    """Runs a command, which must take little, end with that code and say these words."""
    before = spent()
    child = subprocess.Popen([ANYPROF, *command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = child.communicate(timeout=5 * MOST_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        check(False, what + ": no end")
        return ""
    seconds = spent() - before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024  # of all until now, which is enough
    check(child.returncode == code, f"{what}: exit code {child.returncode}: {err[:300]}")
    check(words.encode() in err and (words or not err), f"{what}: {err[:500]}")
    check(seconds < MOST_SECONDS, f"{what}: {seconds:.1f} s")
    check(peak < MOST_BYTES, f"{what}: {peak >> 20} MB")
    return out.decode(errors="replace")


LISTING = ("probes", "disasm", "--show-source-locations")


def listing(what, sections, code=0, words="", size=16):
    write("x", sections, size)
    return run(what, "x", code, words, *LISTING)


def correlation(what, sections, words):
    write("x", dict(sections, __llvm_prf_cnts=bytes(8)))
    before = spent()
    command = [ANYPROF, "show", "--debug-info=x"]
    done = subprocess.run(command, capture_output=True, timeout=5 * MOST_SECONDS, check=False)
    seconds = spent() - before
    check(done.returncode == 1 and words.encode() in done.stderr, f"{what}: {done.returncode} {done.stderr[:500]}")
    check(seconds < MOST_SECONDS, f"{what}: {seconds:.1f} s")
    check(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MOST_BYTES >> 10, what + ": memory")


# ---- tables of abbreviations -------------------------------------------------------------------------------------

def shared_table(units, abbreviations):
    """Units that use the last abbreviation of one table."""
    table = b"".join(abbreviation(i, SUBPROGRAM, 0) for i in range(1, abbreviations))
    table += abbreviation(abbreviations, COMPILE, 0) + b"\0"
    return {".debug_abbrev": table, ".debug_info": unit(uleb(abbreviations)) * units}


def test_abbreviations():
    words = "too many units share a table of abbreviations, which libdw reads for each of them " \
        "[dwarf.abbreviations at offset 0: found 256000000, expected at most 11"
    listing("16,000 units", shared_table(16000, 16000), 1, words)
    correlation("16,000 units", shared_table(16000, 16000), words)
    listing("units as with link-time optimisation", shared_table(200, 3000))
    types = shared_table(16000, 16000)
    types[".debug_types"], types[".debug_info"] = types[".debug_info"], unit(uleb(16000))
    listing("16,000 units in .debug_types", types, 1, "too many units share a table of abbreviations")
    many = abbreviation(1, COMPILE, 0, *[(LOW + 256 + i, PRESENT) for i in range(1000)]) + b"\0"
    listing("1,000 attributes", {".debug_abbrev": many, ".debug_info": unit(b"\1")}, 1,
            "an abbreviation has too many attributes [dwarf.abbreviations at offset 1: found 1000, expected at most 5")
    overlap = b"".join(abbreviation(1, COMPILE, 0) for i in range(20000)) + b"\0"
    info = b"".join(unit(b"\1", 5 * i) for i in range(20000))
    listing("a table in each place", {".debug_abbrev": overlap, ".debug_info": info}, 1,
            "tables of abbreviations overlap [dwarf.abbreviations at")


# ---- what units and entries refer to ------------------------------------------------------------------------------

PLAIN = abbreviation(1, COMPILE, 1, (LOW, ADDRESS), (HIGH, DATA4), (LINES, SEC_OFFSET))


def compile_unit(children, low=CODE, size=16, lines=0):
    return unit(b"\1" + struct.pack("<QII", low, size, lines) + children + b"\0")


def line_table(rows):
    """Line 1 at CODE, then a row for each byte."""
    head = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 13) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b"\0\0"
    program = b"\0\x09\x02" + struct.pack("<Q", CODE) + b"\x01" + b"\x20" * rows + b"\0\1\1"
    body = struct.pack("<HI", 4, len(head)) + head + program
    return struct.pack("<I", len(body)) + body


def test_lines():
    units = 8000
    info = b"".join(compile_unit(b"", CODE + i, 1) for i in range(units))
    listing("units that share a table of lines",
            {".debug_abbrev": PLAIN + b"\0", ".debug_info": info, ".debug_line": line_table(units)}, size=units)
    info = b"".join(compile_unit(b"", CODE + i, 1, 30 + i) for i in range(2000))
    inner = b"".join(struct.pack("<IHI", 100000, 4, 0) for i in range(20000))  # something like a table in many places
    listing("tables of lines that overlap",
            {".debug_abbrev": PLAIN + b"\0", ".debug_line": inner + bytes(100000),
             ".debug_info": b"".join(compile_unit(b"", CODE + i, 1, 10 * i) for i in range(2000))}, 1,
            "tables of lines overlap [dwarf.lines at offset", size=2000)


def test_ranges():
    table = PLAIN + abbreviation(2, SUBPROGRAM, 0, (RANGES, SEC_OFFSET)) + b"\0"
    info = compile_unit((b"\2" + struct.pack("<I", 0)) * 50000)
    for what, entry in (("", (1, 2)), (" without addresses", (1 << 64) - 1)):
        pairs = struct.pack("<QQ", *entry) if isinstance(entry, tuple) else struct.pack("<QQ", entry, 1)
        listing("entries that share a list of ranges" + what,
                {".debug_abbrev": table, ".debug_info": info, ".debug_ranges": pairs * 50000 + bytes(16)}, 1,
                "lists of ranges are shared by too many entries")


def test_depth():
    table = PLAIN + abbreviation(2, BLOCK, 1) + b"\0"
    listing("a deep tree", {".debug_abbrev": table, ".debug_info": compile_unit(b"\2" * 300000 + bytes(300000))})


def test_names():
    table = PLAIN + abbreviation(2, SUBPROGRAM, 0, (NAME, STRP), (LOW, ADDRESS), (HIGH, DATA4)) + b"\0"
    entry = b"\2" + struct.pack("<IQI", 0, CODE, 16)
    text = b"n" * 1000000 + b"\0"
    sections = {".debug_abbrev": table, ".debug_str": text, ".debug_info": compile_unit(entry * 50000)}
    listing("entries that share a name", sections, 1, "long names are shared by too many entries")
    sections = {".debug_abbrev": table, ".debug_str": text[-5001:], ".debug_info": compile_unit(entry)}
    shown = listing("a long name at each instruction", sections, size=16)
    check(shown.count("n" * 5000 + ":0\n") == 16, "a long name at few instructions")
    sections[".debug_info"] = compile_unit(b"\2" + struct.pack("<IQI", 0, CODE, 20000), size=20000)
    shown = listing("a long name at each instruction", sections, size=20000)
    check(shown.count("n" * 5000 + ":0\n") > 100, "a long name at the first instructions")
    check(shown.endswith("n" * 256 + "...:0\n\n"), "a long name at the last instruction: " + shown[-300:])
    check(len(shown) < 16 << 20, f"long names: {len(shown)} bytes")


def test_split():
    table = abbreviation(1, COMPILE, 0, (DWO_NAME, STRING), (LOW, ADDRESS), (HIGH, DATA4)) + b"\0"
    units = 5000
    blocks = abbreviation(1, COMPILE, 1) + abbreviation(2, BLOCK, 0) + b"\0"
    split = skeleton(5, 1 << 40, b"\1" + b"\2" * 2000000 + b"\0")
    for name in (b"a.dwo", b"b.dwo"):
        write(name, {".debug_abbrev.dwo": blocks, ".debug_info.dwo": split})
    info = b"".join(skeleton(4, i, b"\1" + (b"a.dwo", b"b.dwo")[i % 2] + b"\0" + struct.pack("<QI", CODE + i, 1))
                    for i in range(units))
    sections = {".debug_abbrev": table, ".debug_info": info}
    listing("skeletons that name two files", sections, 0,
            "split debug information cannot be read: a.dwo (units without it: 5000)", size=units)
    correlation("skeletons that name two files", sections, "5000 units is in .dwo files that cannot be read: a.dwo")
    same = b"".join(skeleton(4, 1 << 40, b"\1a.dwo\0" + struct.pack("<QI", CODE + i, 1)) for i in range(500))
    listing("skeletons of one split unit", {".debug_abbrev": table, ".debug_info": same}, 1,
            "split units are shared by too many skeletons", size=500)
    correlation("skeletons of one split unit", {".debug_abbrev": table, ".debug_info": same},
                "split units are shared by too many skeletons")


def test_split_paths():
    table = abbreviation(1, COMPILE, 0, (DWO_NAME, STRING), (LOW, ADDRESS), (HIGH, DATA4)) + b"\0"
    blocks = abbreviation(1, COMPILE, 1) + abbreviation(2, BLOCK, 0) + b"\0"
    split = skeleton(5, 1 << 40, b"\1" + b"\2" * 500000 + b"\0")
    write("c.dwo", {".debug_abbrev.dwo": blocks, ".debug_info.dwo": split})
    units = 3000
    info = b"".join(skeleton(4, i, b"\1" + b"".join((b"./", b".//")[i >> k & 1] for k in range(12)) + b"c.dwo\0" +
                             struct.pack("<QI", CODE + i, 1)) for i in range(units))
    sections = {".debug_abbrev": table, ".debug_info": info}
    listing("a file by 3,000 paths", sections, 0, "c.dwo (units without it: 3000)", size=units)
    correlation("a file by 3,000 paths", sections, "3000 units is in .dwo files that cannot be read")


def test_split_names():
    table = abbreviation(1, COMPILE, 0, (DWO_NAME, STRING), (LOW, ADDRESS), (HIGH, DATA4)) + b"\0"
    functions = abbreviation(1, COMPILE, 1) + abbreviation(2, SUBPROGRAM, 0, (NAME, STRING), (LOW, ADDRESS),
                                                           (HIGH, DATA4)) + b"\0"
    entries = b"".join(b"\2" + b"%0300d" % i + b"\0" + struct.pack("<QI", CODE + i, 1) for i in range(20000))
    write("d.dwo", {".debug_abbrev.dwo": functions, ".debug_info.dwo": skeleton(5, 7, b"\1" + entries + b"\0")})
    info = skeleton(4, 7, b"\1d.dwo\0" + struct.pack("<QI", CODE, 16))
    shown = listing("a small program with many names in its .dwo file", {".debug_abbrev": table, ".debug_info": info})
    check("%0300d:0\n" % 15 in shown, "names in a .dwo file")


def main():
    if not os.path.exists(ANYPROF):
        print("skipped: no command")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for name, test in sorted(globals().items()):
            if name.startswith("test_"):
                test()
        os.chdir("/")
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
