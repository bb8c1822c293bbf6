#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that are small for what they could cost: many structures of one function, sites with very many values,
hashes and names chosen to collide, sizes that are announced only. Each has a limit of processor time (generous: what
grows with the square of the input takes minutes) and, without sanitizers, of memory.
"""

import gzip
import hashlib
import itertools
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
INSTRUMENTED = os.environ.get("ANYPROF_INSTRUMENTED", "0") == "1"
SLOWER = 8 if INSTRUMENTED else 1
BASE_MB = 60  # the program itself, and what this one has before it becomes the other
# MD5 of both begins with the same 8 bytes.
COLLIDING = ("khdbkigidoeejblk", "jddkacglddeaceof")


def record(name="f", hash_=1, counts=(1,), bitmap=None, sites=None):
    lines = [name, str(hash_), str(len(counts))] + [str(c) for c in counts]
    if bitmap is not None:
        lines += ["$%d" % bitmap] + ["1"] * bitmap
    if sites:
        lines.append(str(len(sites)))
        for kind, values in sites:
            lines += [str(kind), str(len(values))]
            for site in values:
                lines += [str(len(site))] + site
    return "\n".join(lines) + "\n"


def variants(n):
    """One name and hash with n structures."""
    for counts, bitmap, a, b, c in itertools.islice(itertools.product(*[range(10)] * 5), n):
        sites = [(kind, [[]] * number) for kind, number in enumerate((a, b, c)) if number]
        yield record(counts=[1] * (counts + 1), bitmap=bitmap, sites=sites)


def unmix(y):
    """The hash that LLVM's hash map mixes into y."""
    x = y
    for _ in range(3):
        x = y ^ (x >> 31)
    return x * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & g.U64


def colliding_hashes(n, old):
    for i in range(n):
        yield record(hash_=i << 32 | 5 if old else unmix((i + 1) << 33 | 7), counts=[i + 1])


def numbers(n, start=0):
    return ["%d:%d" % (start + i, 7 * i % 1000) for i in range(n)]


def scattered(n, each):
    """One site that gets n * each values, so many at a time, in no order."""
    for k in g.Random("scattered").shuffled(range(n)):
        yield record(sites=[(1, [numbers(each, k * each)])])


def leb(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def raw(functions, names, sites=0):
    """Version 9, 64 bits: functions with one counter each, and `sites` announced value sites of two kinds."""
    data = b""
    for i in range(functions):
        ref = struct.unpack("<Q", hashlib.md5(b"f%d" % i).digest()[:8])[0]
        data += struct.pack("<QQqqQQIHHIi", ref, 1, 8 * i - 64 * i, 0, 0, 0, 1, sites, sites, 0, 0)
    header = struct.pack("<14Q", 0xFF6C70726F667281, 9, 0, functions, 0, functions, 0, 0, 0, len(names), 0, 0, 0, 1)
    return header + data + struct.pack("<Q", 1) * functions + names + bytes(-len(names) % 8)


def plain_names(n):
    text = b"\1".join(b"f%d" % i for i in range(n))
    return leb(len(text)) + leb(0) + text


def bomb(pattern, size):
    text = pattern * (size // len(pattern)) + b"x"
    packed = zlib.compress(text, 9)
    return leb(len(text)) + leb(len(packed)) + packed


def traces(n, stream):
    lines = ["1\nf%d,\n" % i for i in range(n)]
    return ":ir\n:temporal_prof_traces\n%d\n%d\n%s" % (n, stream, "".join(lines)) + record("f0")


def text(records, header=":ir\n"):
    return header + "".join(records)


def cases():
    """name, files, seconds, MB, options."""
    yield "60,000 structures of one function", [text(variants(60000))], 3, 150, []
    many = [record(bitmap=n) for n in range(2000)] + [record(bitmap=1000000)]
    yield "2,000 sizes of a bitmap and a large one", [text(many)], 3, 150, []
    for old, target in ((False, "llvm-22"), (True, "llvm-16")):
        hashes = text(colliding_hashes(100000, old))
        yield "100,000 hashes of one name that collide, %s" % target, [hashes], 2, 150, ["--for=" + target]
    yield "100,000 values of a site", [text([record(sites=[(1, [numbers(100000)])])])], 2, 100, []
    targets = ["target_%d:%d" % (i, i) for i in range(100000)]
    yield "100,000 targets of a site", [text([record(sites=[(0, [targets])])])], 2, 150, []
    yield "1,000,000 values of a site, 32 at a time", [text(scattered(31250, 32))], 5, 200, []
    few = [text([record(sites=[(1, [numbers(33, 33 * k)])])]) for k in range(200)]
    one = text([record(sites=[(1, [numbers(100000, 10**6)])])])
    yield "33 values 200 times to 100,000", [one] + few, 3, 100, []
    yield "stream of 2^64-1 traces", [traces(101, g.U64)], 3, 60, []
    yield "200,000 traces", [traces(200000, g.U64), traces(200000, g.U64)], 5, 300, []
    yield "65,535 sites announced without data", [raw(1, plain_names(1), 65535)], 2, 60, []
    yield "200 million sites announced without data", [raw(1500, plain_names(1500), 65535)], 2, 60, []
    yield "a name of 64 MB in 64 KB", [raw(1, bomb(b"a", 64 << 20))], 5, 300, []
    bombs = [raw(1, bomb(b"%06d" % i, 4 << 20)) for i in range(200)]
    yield "a name of 4 MB in 6 KB in each of 20 profiles", [b"".join(bombs[:20])], 5, 60, []
    yield "the same in each of 200 profiles, compressed again", [gzip.compress(b"".join(bombs), 9)], 5, 60, []
    yield "8 million names of a letter in 16 KB", [raw(1, bomb(b"a\1", 16 << 20))], 8, 150, []
    yield "100,000 chunks of names", [raw(1, bomb(b"f", 1) * 100000)], 5, 100, []
    yield "two names with one id, in one file", [text([record(COLLIDING[0]), record(COLLIDING[1])])], 2, 60, []
    yield "two names with one id, in two files", [text([record(name)]) for name in COLLIDING], 2, 60, []
    yield "a name in 100,000 records", [text(record() for _ in range(100000))], 2, 100, []


def fdata(*lines):
    return "".join(line + "\n" for part in lines for line in part)


def fdata_cases():
    """The same of `bolt merge`."""
    record = ["1 f 0 1 f 8 0 1"]
    names = "no_lbr " + " ".join("e%d" % i for i in range(500000))
    yield "500,000 names of events, twice", [fdata([names]), fdata([names])], 3, 100, []
    yield "200,000 functions", [fdata("1 f%d 0 1 g%d %x 0 1" % (i, i, i) for i in range(100000))], 3, 60, []
    yield "a name of 4 MB", [fdata(["1 %s 0 1 f 0 0 1" % ("f" * 4000000)] * 2)], 3, 60, []
    long = "f" * 4000
    yield "1,000 names with 4,000 letters in common", [
        fdata("1 %s%d 0 1 %s%d 0 0 1" % (long, i, long, 1000 - i) for i in range(1000))
    ], 5, 60, []
    yield "3 million blanks in a line", [fdata(["1 f 0 1 f 8" + " " * 3000000 + "0 1"] * 2)], 3, 60, []
    yield "3 million digits in a line", [fdata(["1 f 0 1 f 8 0 " + "0" * 3000000 + "1"] * 2)], 3, 60, []
    yield "200,000 lines in another form", [fdata(["1  f 0  1 f 8 0 1 "] * 200000)], 3, 60, []
    yield "a last line of 5 MB without its end", [fdata(record * 1000) + "1 f " + "0" * 5000000], 3, 60, []
    yield "a million zero bytes", [bytes(1000000)], 1, 20, []


def yaml(functions, events="''"):
    return ("---\nheader: { profile-version: 1, binary-name: a, profile-flags: [ lbr ], profile-events: %s }\n"
            "functions: %s\n" % (events, functions))


def yaml_cases():
    """The same of YAML."""
    function = "{ name: f%d, fid: %d, hash: 1, exec: 1, nblocks: 4000000000 }"
    yield "100,000 functions in one line", [
        yaml("[" + ", ".join(function % (i, i) for i in range(100000)) + "]")
    ], 5, 120, []
    for what, deep in (("lists", "["), ("mappings", "{ a: "), ("items", "- "), ("keys", "? ")):
        yield "100,000 " + what + " in each other", [yaml("[]") + "more: " + deep * 100000], 5, 100, []
    yield "2,000 lists below each other", [
        yaml("[]") + "more:\n" + "".join(" " * i + "-\n" for i in range(2000))
    ], 5, 100, []
    block = "[ { name: f, fid: 1, hash: 1, exec: 1, nblocks: 400000, blocks: [ %s ] } ]"
    blocks = ["{ bid: %d, insns: 0 }" % i for i in range(100000)]
    yield "100,000 blocks, backwards, and others", [
        yaml(block % ", ".join(reversed(blocks))), yaml(block % ", ".join(blocks[::2]))], 8, 200, []
    lists = ["[ { bid: 1, insns: 0, succ: [ %s ] } ]" % ", ".join(
        "{ bid: %d, cnt: 1 }" % (i * step) for i in range(100000)) for step in (1, 2, 3)]
    yield "other lists of 100,000 successors in each file", [yaml(block % one[2:-2]) for one in lists], 8, 200, []
    yield "500,000 names of events, twice", [
        yaml("[]", "'%s'" % ",".join("%s%d" % (letter, i) for i in range(500000))) for letter in "eg"
    ], 8, 300, []
    yield "200,000 unknown keys", [yaml("[]") + "".join("k%d: 1\n" % i for i in range(200000))], 5, 100, []
    yield "a list of 200,000 nodes that is kept", [
        yaml("[ { name: f, fid: 1, hash: 1, exec: 1, nblocks: 1, inline_tree: [" + "{ g: 1 }," * 200000 + "] } ]")
    ], 5, 120, []
    yield "a plain text of 4 MB", [yaml("[]", "x" * 4000000)], 5, 120, []
    yield "a text of 100,000 lines", [yaml("[]", '"%s"' % "\n   x" * 100000)], 5, 120, []
    yield "a million aliases", [yaml("[]") + "a: &a [ x ]\nb: [" + "*a," * 1000000 + "]\n"], 3, 100, []


# What other commands do. {0} is the first file, and so on.


def md5_id(name):
    return struct.unpack("<Q", hashlib.md5(name).digest()[:8])[0]


def item(name, targets=()):
    """A name in an indexed profile of version 3, with one record: of one counter, and sites of 255 targets each."""
    sites = -(-len(targets) // 255)
    numbers = [255] * (sites - 1) + [len(targets) - 255 * (sites - 1)] if sites else []
    values = b"".join(struct.pack("<QQ", t, 1) for t in targets)
    kinds = struct.pack("<II", 0, sites) + bytes(numbers) + bytes(-sites % 8) + values if sites else b""
    data = struct.pack("<QQQII", 1, 1, 1, 8 + len(kinds), 1 if sites else 0) + kinds
    return struct.pack("<3Q", md5_id(name), len(name), len(data)) + name + data


def indexed(payload, n_items, slots):
    """Version 3 with any table; slots count from the beginning of the payload."""
    payload += bytes(-len(payload) % 8)
    header = struct.pack("<5Q", 0x8169666F72706CFF, 3, 0, 0, 40 + len(payload))
    table = struct.pack("<%dQ" % (2 + len(slots)), len(slots), n_items, *(40 + s for s in slots))
    return header + payload + table


def chain(n, targets, slots=1):
    """All items in one bucket, which is that of each slot; main has so many targets that are not there."""
    items = [item(b"main", [(0x123456789 * (i + 1)) & g.U64 for i in range(targets)])]
    items += [item(b"f%d" % i) for i in range(n)]
    return indexed(struct.pack("<H", n + 1) + b"".join(items), n + 1, [0] * slots)


def long_name(size, values):
    """One target with a long name, and very many values that name it."""
    name = b"g" * size
    return indexed(struct.pack("<H", 2) + item(b"main", [md5_id(name)] * values) + item(name), 2, [0])


def nested_names(n):
    """Buckets of one item each, all of whose names run to the end of the table; main has all of them as targets."""
    main = item(b"main", [n * n + i for i in range(n)])
    payload, slots = struct.pack("<H", 1) + main, [0] * n
    end = len(payload) + 26 * n + 1000
    for i in range(n):
        if i != md5_id(b"main") % n:
            slots[i] = len(payload)
        payload += struct.pack("<HQQQ", 1, n * n + i, end - len(payload) - 26, 0)
    return indexed(payload + bytes(1000), n + 1, slots)


def elf(body, names, sections):
    """64 bits, x86-64: sections of (number of a name, offset, size) over the bytes."""
    text, places = b"", []
    for name in names:
        places.append(len(text))
        text += name + b"\0"
    at = 64 + len(body)
    headers = bytes(64) + struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, at, len(text), 0, 0, 1, 0)
    for name, offset, size in sections:
        headers += struct.pack("<IIQQQQIIQQ", places[name], 1, 0, 0, 64 + offset, size, 0, 0, 1, 0)
    head = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 0, at + len(text), 0, 64, 56, 0, 64, 2 + len(sections), 1)
    return head + body + text + headers


def overlapping_elf(n, names):
    """Sections that all are over the same MB, after the counters."""
    sections = [(0, 0, 16)] + [(1 + i % len(names), 0, 1 << 20) for i in range(n)]
    return elf(bytes(1 << 20), [b"__llvm_prf_cnts"] + names, sections)


def many_texts(n_sections, n_variables):
    """Debug information with many sections of a byte of text, and many variables of a function that have names."""
    abbrev = bytes.fromhex("01 11 01 00 00  02 2e 01 00 00  03 34 00 03 08 00 00  00")
    entries = b"\1\2" + b"\3x\0" * n_variables + b"\0\0"
    unit = struct.pack("<IHIB", 7 + len(entries), 4, 0, 8) + entries
    body = b"\0" * n_sections + abbrev + unit
    sections = [(0, 0, 16)] + [(1, i, 1) for i in range(n_sections)]
    sections += [(2, n_sections, len(abbrev)), (3, n_sections + len(abbrev), len(unit))]
    return elf(body, [b"__llvm_prf_cnts", b".debug_str", b".debug_abbrev", b".debug_info"], sections)


def heap(n, stack):
    frame = "{ Function: f%d, LineOffset: 1, Column: 2, IsInlineFrame: false }"
    one = "      - { Callstack: [ %s ], MemInfoBlock: { AllocCount: 1 } }\n"
    stacks = (", ".join(frame % ((i * 7 + k) % 1000) for k in range(stack)) for i in range(n))
    return "---\nHeapProfileRecords:\n  - GUID: f\n    AllocSites:\n" + "".join(one % s for s in stacks)


def json_functions(functions, more=""):
    return '{"schema": "anyprof-profile/1", "variant": ["ir"], %s"functions": [%s]}' % (more, ",\n".join(functions))


def command_cases():
    """name, files, seconds, MB, words."""
    lookup, diff = ["lookup", "{0}", "main"], ["diff", "-o", "{out}", "{0}", "{1}"]
    info, check = ["info", "{0}"], ["check", "{0}"]
    deep = chain(60000, 102000)
    yield "60,000 items in a bucket, 102,000 targets", [deep], 3, 60, lookup
    yield "the same for every one of 131,072 buckets", [chain(60000, 20000, 1 << 17)], 3, 60, lookup
    yield "a name of 40,000 bytes for 25,500 values", [long_name(40000, 25500)], 5, 20, lookup
    yield "16,384 names over the same bytes", [nested_names(1 << 14)], 2, 60, lookup
    yield "60,000 items in a bucket", [deep], 3, 100, check
    yield "60,000 items in a bucket", [deep], 3, 100, info
    debug = [b".debug_info", b".debug_abbrev", b".debug_str", b".gnu.debuglto_.debug_info"]
    many = overlapping_elf(8000, debug)
    yield "8,000 sections of debug information over a MB", [many], 2, 60, ["show", "--debug-info={0}"]
    merge = ["merge", "--debug-info={0}", "-o", "{out}", "{1}"]
    yield "8,000 sections of debug information over a MB", [many, raw(1, plain_names(1))], 2, 60, merge
    data = [b"__llvm_prf_data", b"__llvm_prf_names", b"__llvm_prf_cnts", b".note.gnu.build-id", b".symtab"]
    programs = overlapping_elf(8000, data)
    text_profile = text([record()])
    yield "8,000 sections of a program over a MB", [programs, text_profile], 3, 60, ["check", "--against={0}", "{1}"]
    yield "8,000 sections of a program over a MB", [programs], 3, 60, info
    texts = many_texts(60000, 300000)
    for form in ("text", "yaml"):
        words = ["show", "--debug-info={0}", "--show-format=" + form]
        yield "300,000 texts in 60,000 sections, %s" % form, [texts], 5, 200, words
    structures = text(variants(60000))
    yield "60,000 structures of one function, against one", [structures, text_profile], 5, 200, diff
    hashes = text(colliding_hashes(60000, False))
    yield "60,000 hashes of a name on both sides", [hashes, hashes], 5, 250, diff
    values = [text([record(sites=[(1, [numbers(100000, start)])])]) for start in (0, 50000)]
    yield "100,000 values of a site on both sides", values, 5, 150, diff
    targets = text([record(sites=[(0, [["target_%d:%d" % (i, i) for i in range(100000)]])])])
    yield "100,000 targets of a site on both sides", [targets, targets], 5, 200, diff
    yield "8 million names of a letter in 16 KB", [raw(1, bomb(b"a\1", 16 << 20)), text_profile], 8, 200, diff
    for words in (info, check):
        yield "60,000 structures of one function", [structures], 5, 200, words
        yield "60,000 hashes of a name", [hashes], 5, 200, words
        yield "100,000 targets of a site", [targets], 5, 200, words
        yield "8 million names of a letter in 16 KB", [raw(1, bomb(b"a\1", 16 << 20))], 8, 250, words
        yield "200 million sites announced without data", [raw(1500, plain_names(1500), 65535)], 2, 60, words
        yield "200,000 traces", [traces(200000, g.U64)], 5, 300, words
        yield "2,000 profiles in a file", [raw(1, plain_names(1)) * 2000], 3, 60, words
        yield "5,000 allocation contexts of 20 frames", [heap(5000, 20)], 5, 100, words
    functions = ['{"name": "f", "hash": %d, "counts": [1]}' % i for i in range(100000)]
    convert, show = ["convert", "--to=indexed", "-o", "{out}", "{0}"], ["show", "{0}"]
    yield "JSON: 100,000 hashes of a name", [json_functions(functions)], 5, 150, convert
    yield "JSON: 100,000 lists in each other", [json_functions([], '"x": %s, ' % ("[" * 100000))], 1, 20, show
    keys = "".join('"k%d": 1, ' % i for i in range(1000000))
    yield "JSON: 1,000,000 keys that are not known", [json_functions([], keys)], 5, 60, show


def limit(seconds):
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def main():
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command at '%s'" % ANYPROF)
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        instr, bolt = ["merge", "-j=1", "--quiet", "-o", "{out}"], ["bolt", "merge", "-o", "{out}"]
        groups = (instr, cases), (bolt, fdata_cases), (bolt, yaml_cases), (None, command_cases)
        all_cases = ((words, case) for words, group in groups for case in group())
        for words, (name, files, seconds, megabytes, options) in all_cases:
            paths = []
            for i, data in enumerate(files):
                paths.append(os.path.join(directory, "%d" % i))
                with open(paths[-1], "wb") as f:
                    f.write(data if isinstance(data, bytes) else data.encode())
            if words:
                words = words + options + ["{%d}" % i for i in range(len(paths))]
            else:
                words = options
                name = "%s: %s" % (words[0], name)
            command = [ANYPROF] + [word.format(*paths, out=os.path.join(directory, "out")) for word in words]
            start = time.time()
            with open(os.devnull, "wb") as null:
                p = subprocess.Popen(command, stdout=null, stderr=null, preexec_fn=limit(seconds * SLOWER))
                _, status, used = os.wait4(p.pid, 0)
                p.returncode = status
            cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
            code = os.waitstatus_to_exitcode(status)
            good = code in (0, 1) and (INSTRUMENTED or memory < megabytes + BASE_MB)
            failed += not good
            size = sum(os.path.getsize(path) for path in paths) / 1e6
            print(
                "%s%s: %.2f MB, %.2f s, %.0f MB, exit code %d (%.1f s)"
                % ("" if good else "FAILED: ", name, size, cpu, memory, code, time.time() - start)
            )
    print("%d failures" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
