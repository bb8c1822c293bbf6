#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_seeds.py BUILD-DIRECTORY: writes the seeds of the fuzz targets, fuzz/corpus/<target>/, from examples/profiles,
generated text profiles, and generated raw profiles (tests/helpers/raw_seeds.c). Other files there (inputs that once
failed) stay. The same program writes the same seeds."""

import glob
import gzip
import hashlib
import os
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests", "oracle"))
import _generate as g  # noqa: E402
import _cov_seeds as cov  # noqa: E402
import _perf_seeds as perf  # noqa: E402
import _profgen_seeds as profgen  # noqa: E402
import _sample_seeds as samples  # noqa: E402
from _sample_seeds import both, read  # noqa: E402

VERSIONS = range(1, 15)


def write(target, name, data):
    directory = os.path.join(HERE, "corpus", target)
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "wb") as f:
        f.write(data)


def text_profiles():
    yield "values", g.make_profile("seed 1", functions=2, header=["ir"], values=60, most_values=3, n_vtables=1)
    yield "bitmaps", g.make_profile("seed 2", functions=2, bitmaps=70)
    yield "traces", g.make_profile("seed 3", functions=3, header=["csir", "entry_first"], traces=2, values=20)
    yield "coverage", g.make_profile("seed 4", functions=2, header=["single_byte_coverage"], counts="zero")
    yield "huge", g.make_profile("seed 5", functions=2, header=["fe"], counts="huge", pseudo=40, values=20)
    yield "loops", g.make_profile("seed 6", functions=2, header=["ir", "instrument_loop_entries"], values=20)
    yield "locals", g.make_profile("seed 7", functions=4, header=["ir", "not_entry_first"], values=20)
    yield "empty", g.make_profile("seed 8", functions=0, header=["ir"])


def fdata_seeds():
    """Inputs of fuzz_fdata: one profile of BOLT, or two with a zero between them."""
    branches = (b"1 main d4 1 worker 0 0 3\n1 worker 0 1 worker 13 1 9\n0 [unknown] 0 1 main 0 0 1\n"
                b"4 worker 3 3 [unknown] 7fffdeadbeef 5\n")
    samples = b"1 f/a.c/1 a 5\n1 g\\ x\\\\y 0 7\n"
    yield "branches", branches
    yield "bolted", b"boltedcollection\n" + branches
    yield "samples", b"no_lbr cycles:u instructions\n" + samples
    yield "both", b"boltedcollection\nno_lbr\n" + samples
    yield "forms", b"1  f  0A  1 g 00b   007 9223372036854775807 \n2 f a 0 g b 0 9223372036854775807\n"
    yield "sum", branches + b"\0" + branches.replace(b" 3\n", b" 9223372036854775806\n")
    yield "events", b"no_lbr a\n" + samples + b"\0no_lbr b c\n" + samples
    yield "conflict", branches + b"\0boltedcollection\n" + branches
    yield "cut", branches[:-3]
    yield "many", b"".join(b"1 f%d %x 1 f%d 0 0 %d\n" % (i % 7, i, i % 3, i) for i in range(150))


def preagg_seeds():
    """Inputs of fuzz_preagg, for the program in bolted_program.h."""
    branches = (b"T 10002 10005 10005 5\nT 10006 10000 10002 7\n  f 10000  10005 3\nB 1000b 0 2 1\nB 99999 10000 4 0\n"
                b"R 10005 1000b 1000b 6\nF 10006 1000b 9\nr 10000 10004 2\nT 77 88 99 1\n")
    yield "branches", branches
    yield "samples", b"E cycles:u\nS 10003 7\nS 10005 2\nS 999 1\nE instructions\n"
    yield "both", b"S 10000 9223372036854775807\nS 10000 1\n" + branches
    yield "names", b"T X:10002 0:10005 [heap]:10005 5\n"
    yield "negative", branches + b"B 10002 10005 1 -1\n"
    yield "cut", branches[:-2]


def perf_script_seeds():
    """Inputs of fuzz_perf_script, for the program in bolted_program.h."""
    maps = (b"  100     1.000001: PERF_RECORD_MMAP2 100/100: [0x10000(0x1000) @ 0 08:01 77 0]: r-xp /x/program\n"
            b"  101     1.000002: PERF_RECORD_MMAP2 101/101: [0x10000(0x1000) @ 0 <0011223344556677>]: r-xp "
            b"/x/program\n"
            b"a b 102 1.000003: PERF_RECORD_MMAP -1/0: [0x7f0000(0x1000) @ 0xf]: x [vdso]\n")
    moved = maps.replace(b"[0x10000(", b"[0x555555560000(")
    tasks = (b"  102     1.000004: PERF_RECORD_FORK(102:102):(100:100)\n"
             b"  103     0.000000: PERF_RECORD_FORK(103:103):(100:100)\n"
             b"  102     1.000006: PERF_RECORD_COMM exec: a:b:102/102\n"
             b"  102     1.7: PERF_RECORD_EXIT(102:102):(1:1)\n")
    stack = b"  0x10006/0x10000/P/-/-/0/  0x10002/0x10005/M/-/-/0/  0x10006/0x10000/-/-/-/0/ "
    samples = (b"  100     1.000007: cycles:u:" + stack + b"\n  101 " + stack + b"\n  100 \n   -1 " + stack + b"\n"
               b"  102 " + stack + b" 0xffffffff81000000/0x10000/PN/-/-/0/COND/-\n  100  0x1/0x2/P/-/-/0/\n")
    deep = b"  100 " + 10 * stack + b" 0x10002/0x10005/P/-/-/0/ 0x10002/0x10005/P/-/-/0/\n"
    basic = b"  100 cycles:u:  10003\n  101 cpu/mem-loads/:  7f00 10005\n  102 x:  999\n"
    ids = b"ids\n0011223344556677 /x/program\nffff /x/other\n"
    yield "fixed", maps + tasks + samples
    yield "moved", moved + tasks + samples.replace(b"0x1000", b"0x55555556000")
    yield "late", samples + tasks + maps
    yield "deep", samples + deep + samples + maps + deep
    yield "basic", maps + basic
    yield "moved-basic", moved + basic.replace(b"1000", b"55555556000")
    yield "ids", maps + samples + ids
    yield "renamed", maps.replace(b"/x/program", b"/x/renamed") + samples + ids.replace(b"/x/program", b"/x/renamed")
    yield "another", maps + samples + b"ids\n11 /x/program\n"
    yield "unmapped", samples
    yield "default", maps + b"     x  100     1.0:       1000 cycles:u:      400123 [unknown] (/tmp/b)\n\n" + samples
    yield "cut", maps + samples[:-9]


def yaml_seeds():
    """Inputs of fuzz_bolt_yaml: one profile of BOLT in YAML, or two with a zero between them."""
    head = (b"---\nheader:\n  profile-version: 1\n  binary-name:     prog\n  binary-build-id: '<unknown>'\n"
            b"  profile-flags:   [ lbr ]\n  profile-origin:  perf data aggregator\n  profile-events:  ''\n")
    new = b"  dfs-order:       false\n  hash-func:       xxh3\n"
    function = (b"  - name:            'f/a.c/1'\n    fid:             3\n    hash:            0xABC\n"
                b"    exec:            5\n    nblocks:         4\n")
    blocks = (b"    blocks:\n      - bid:             0\n        insns:           9\n        hash:            0x12\n"
              b"        calls:           [ { off: 0xAB, fid: 4, disc: 2, cnt: 3, mis: 1 }, {off: 1, fid: 0, cnt: 2 }]\n"
              b"        succ:            [ { bid: 3, cnt: 0 }, { bid: 1, cnt: 3 } ]\n")
    probes = b"        probes:          [ { blk: [ 1, 2 ], ids: [ 0, 3 ] }, {  } ]\n    inline_tree:     [ { g: 1 } ]\n"
    desc = b"pseudo_probe_desc:\n  gs: [ 0x1, 0x2 ]\n  gh: [ 0, 1 ]\n  hs: [ 0x5, 0x6 ]\n"
    flow = (b"---\nheader: { profile-version: 1, binary-name: \"p\\x41\", profile-flags: [sample, memevent], new: 1 }\n"
            b"functions: [ { name: a, fid: 1, hash: 1, exec: 18446744073709551615, nblocks: 2, extern: 1 } ]\n")
    whole = head + new + b"functions:\n" + function + blocks
    yield "old", head + b"functions:\n" + function
    yield "new", whole + b"...\n"
    yield "probes", whole + probes + desc
    yield "v19", whole + b"        pseudo_probes: [ { guid: 0x5, id: 1, type: 0 } ]\n    guid: 5\n"
    yield "flow", flow
    yield "sum", flow + b"\0" + flow
    yield "lists", whole + b"\0" + whole.replace(b"bid: 3, cnt", b"bid: 2, cnt").replace(b"fid: 0", b"fid: 7")
    yield "events", (head + b"functions: []\n\0" + head + b"functions: []\n").replace(b"''", b"'a,b'", 1)
    yield "desc", whole + probes + desc + b"\0" + whole + probes
    yield "conflict", whole + b"\0" + whole.replace(b"0xABC", b"0xABD")
    yield "alias", b"---\nheader: &a { x: [ *a ] }\n"


def compare_seeds(texts, indexed, raws):
    """Inputs of fuzz_compare: options, and two profiles."""
    def record(name, hash_, *counts):
        return b"%s\n%d\n%d\n" % (name, hash_, len(counts)) + b"".join(b"%d\n" % c for c in counts)

    old = b":csir\n" + record(b"f", 1, 3, 4) + b"1\n0\n1\n3\ng:5\nh:6\nf:1\n" + record(b"x.c:h", 1, 9)
    old += record(b"f", 2, 7) + record(b"f", 1, 5, 6) + record(b"k.llvm.12", 1 << 60 | 5, 8)
    new = b":csir\n" + record(b"f", 1, 30, 4) + b"1\n0\n1\n2\nh:5\ng:6\n" + record(b"x.c;h", 1, 9)
    new += record(b"f", 3, 7, 1) + record(b"k.llvm.345", 1 << 60 | 5, 2) + record(b"new", 4, (1 << 64) - 1)
    for flags in range(0, 16, 3):
        yield "names-%d" % flags, both(old, new, flags)
    traces = b":ir\n:temporal_prof_traces\n4\n9\n1\na,b,c,d,e,f,g\n2\nc,d,a\n1\ng,e,x\n1\nb,a,b\n"
    traces += b"".join(record(b"%c" % c, 1, 1) for c in b"abcdefg")
    yield "traces", both(traces, texts["traces"][:2000], 2)
    yield "same", both(old, old, 1)
    yield "formats", both(texts["values"], indexed["values-v13"], 0)
    yield "runs", both(raws["v9-64le-0"], raws["v9-64le-1"], 4)


def names_seeds():
    """Inputs of fuzz_names: version, flags, and the names."""
    plain = b"\x08\0main\1foo"
    packed = zlib.compress(b"main\1a.c;f\1_ZN3FooC2Ev")
    packed = bytes([22, len(packed)]) + packed
    names = b"main\1a.c;f\1a.c:f\1_Z3foov.llvm.12\1\xff\x80odd\1#x"
    for version in range(11):
        yield "v%d" % (version + 1), bytes([version, version % 4]) + (plain if version % 3 else names)
    for flags in (0, 1, 2, 4):
        yield "blob-%d" % flags, bytes([9, flags]) + plain + b"\0\0" + packed
    for packing in (1, 2, 3):
        for version in (2, 7, 9, 10):
            yield "pack-%d-%d" % (packing, version), bytes([version, packing << 3 | version % 8]) + names
    yield "empty", bytes([7, 8])
    yield "twice", bytes([9, 16]) + b"foo\1foo\1\1bar"


def value_block(order, kinds):
    """kinds: (kind, sites), a site is a list of pairs."""
    out = b""
    for kind, sites in kinds:
        out += struct.pack(order + "II", kind, len(sites)) + bytes(len(s) for s in sites) + bytes(-len(sites) % 8)
        out += b"".join(struct.pack(order + "QQ", *pair) for site in sites for pair in site)
    return struct.pack(order + "II", 8 + len(out), len(kinds)) + out


def values_seeds():
    """Inputs of fuzz_values: version, flags, and value data for its four functions."""
    main, other, vtable = 0x400000, 0x400010, 0x600008
    for version in range(10):
        order = "><"[version % 2]
        flags = (version + 1) % 2 | (version // 2 % 2) << 1 | (version // 4 % 2) << 2
        calls = [(0, [[(main, 3), (other, 1 << 40)], []])]
        sizes = [(1, [[(8, 2), (0, 1), (513, 1 << 63)]])] if version else []
        tables = [(2, [[(vtable, 5)]])] if version >= 8 else []
        more = [(1, [[], [(2**64 - 1, 2**64 - 1)]])] if version else []
        three = [(2, [[(vtable + 8, 1)], [], [(77, 2)]])] if version >= 8 else []
        data = value_block(order, calls + sizes + tables) + value_block(order, [(0, [[(main, 7)] * 3])])
        if more + three:
            data += value_block(order, more + three)
        yield "v%d" % (version + 2), bytes([version, flags]) + data
    yield "none", bytes([5, 0])
    yield "next", bytes([6, 0]) + bytes(24) + b"\x81rforpl\xff\x08" + bytes(200)


def table_seed(data, version, flags):
    """The hash table of an indexed file, as an input of fuzz_table."""
    at = [0, 40, 40, 40, 40, 40, 40, 40, 48, 56, 64, 64, 72, 72, 72][version]
    offset = struct.unpack_from("<Q", data, 32)[0]
    for _ in range((version >= 4) + (version >= 4 and flags & 8 != 0)):
        fields, cutoffs = struct.unpack_from("<QQ", data, at)
        at += 16 + 8 * fields + 24 * cutoffs
    buckets, items = struct.unpack_from("<QQ", data, offset)
    made = flags & 2
    body = data[at : offset if made else offset + 16 + 8 * buckets]
    return bytes([version - 1, flags | (items & 15) << 4]) + struct.pack("<H", offset - at) + body


MAIN, TOP, MID, LEAF = (bytes.fromhex(h) for h in ("fad58de7366495db", "b28354b543375bfa", "22384709d743fe3c",
                                                   "bab4ff04cc14af66"))
MINI = (MAIN + bytes.fromhex("0200018000028209") + TOP + bytes.fromhex("030101800002800c04801803") + MID
        + bytes.fromhex("0500018068028005038202048007058003") + LEAF + bytes.fromhex("0100018000"))
DESCS = b"".join(guid + struct.pack("<QB", hash, len(name)) + name for guid, hash, name in (
    (LEAF, 0xFFFFFFFF, b"leaf"), (MID, 281547602941152, b"mid"), (TOP, 281509336449023, b"top"),
    (MAIN, 281479271677951, b"main")))


def small_elf(sections, symbols, kind=2):
    """A 64-bit ELF file. Sections: (name, type, flags, link, info, bytes); symbols: (name, value, size, section)."""
    strings, table = b"\0", bytes(24)
    for name, value, size, section in symbols:
        table += struct.pack("<IBBHQQ", len(strings), 0x12, 0, section, value, size)
        strings += name + b"\0"
    n = len(sections) + 1
    rows = [(b"", 0, 0, 0, 0, b"")] + list(sections)
    rows += [(b".symtab", 2, 0, n + 1, 1, table), (b".strtab", 3, 0, 0, 0, strings)]
    names = b"\0".join(row[0] for row in rows) + b"\0.shstrtab\0"
    rows.append((b".shstrtab", 3, 0, 0, 0, names))
    body, headers, at = b"", b"", 64
    for i, (name, type_, flags, link, info, data) in enumerate(rows):
        where = sum(len(r[0]) + 1 for r in rows[:i])
        entry = {2: 24, 4: 24}.get(type_, 0)
        headers += struct.pack("<IIQQQQIIQQ", where, type_, flags, 0, at, len(data), link, info, 1, entry)
        body += data
        at += len(data)
    ident = b"\x7fELF\2\1\1" + bytes(9)
    head = struct.pack("<HHIQQQIHHHHHH", kind, 62, 1, 0, 0, at, 0, 64, 0, 0, 64, len(rows), len(rows) - 1)
    return ident + head + body + headers


def probes_seeds():
    """Inputs of fuzz_probes: flags, and a section or an ELF file."""
    yield "mini", b"\0" + MINI
    yield "mini-one", b"\x08" + MINI
    yield "cut", b"\2" + MINI[:60]
    yield "sentinel", b"\0" + TOP + bytes.fromhex("02000020") + MAIN + bytes.fromhex("018005")
    yield "old", b"\0" + LEAF + bytes.fromhex("0200" "01000010000000000000" "028005")
    yield "odd", b"\0" + LEAF + bytes.fromhex("0300" "02c0009001" "07870a" "81008000")
    yield "big", b"\1" + LEAF[::-1] + bytes.fromhex("0100018001")
    yield "deep", b"\0" + b"".join((b"\2" if i else b"") + LEAF + bytes([1, i < 9]) + b"\1\x80\1" for i in range(10))
    symbols = [(b"leaf", 0x201120, 10, 1), (b"top", 0x201130, 41, 1), (b"main", 0x201160, 16, 1)]
    sections = [(b".text", 1, 6, 0, 0, b""), (b".pseudo_probe_desc", 1, 0, 0, 0, DESCS)]
    sections.append((b".pseudo_probe", 1, 0, 0, 0, MINI))
    yield "elf", b"\4" + small_elf(sections, symbols)
    sections[2] = (b".pseudo_probe", 1, 0x80, 1, 0, MINI)
    group = struct.pack("<III", 1, 2, 3)
    sections.append((b".group", 17, 0, 5, 1, group))
    yield "elf-object", b"\4" + small_elf(sections, symbols, 1)
    old = LEAF + bytes.fromhex("01000100") + bytes(8)
    rela = struct.pack("<QQq", 12, 1 << 32 | 1, 16)
    sections = [(b".text", 1, 6, 0, 0, b""), (b".pseudo_probe", 1, 0, 0, 0, old), (b".rela", 4, 0, 4, 2, rela)]
    yield "elf-old", b"\4" + small_elf(sections, symbols, 1)
    packed = struct.pack("<IIQQ", 1, 0, len(MINI), 1) + zlib.compress(MINI, 9)
    yield "elf-packed", b"\6" + small_elf([(b".pseudo_probe", 1, 0x800, 0, 0, packed)], symbols)


BAT_TABLES = {
    "current": bytes.fromhex(
        "028080800339f0ed6c9db4c959010002020200000040ff65670000001b07887766554433221105020602020001000000"
        "000000000005013503000000000000000302600200000000000000feffffffffffffffff01010517fb00090000000000"
        "000003045c02befffbffffffffffff01013004020200040000000000000002040257030000000000000001eaffffff0f"
        "c3009080c480f0ffffffff01ffffffffffffffffff01000000"),
    "fixed": bytes.fromhex(
        "0400000000005f000000000004000000000000003000000004000000340000800600000020000000f0ffffff41000080"
        "00006000000000000200000000000000000000001b0000001b0000802200600000000000060000000000000000000000"
        "050000000500008006000000200000000800000010000000090000001200008020000000500000000000700000000000"
        "000000000200000000005f0000000000220060000000000000007000000000000000600000000000"),
    "bolt-18": bytes.fromhex(
        "02808080030200001b3707060000050b01350260010517fb0002befffbffffffffffff01000400e00004090257eaffff"
        "ff0fc3009080c480f0ffffffff010100"),
}


def bat_note(payload):
    return struct.pack("<III8s", 5, len(payload), 1, b"BOLT") + payload + bytes(-len(payload) % 4)


def bat_seeds():
    """Inputs of fuzz_bat: a section, or a program with code and symbols."""
    for name, payload in BAT_TABLES.items():
        yield name, bat_note(payload)
    yield "rest", bat_note(b"\0\0\1")
    yield "cut", bat_note(BAT_TABLES["current"])[:80]
    code = bytes.fromhex("89f885ff7502ffc0c3") + b"\x90" * 0x39
    symbols = [(b"one", 0, 0x22, 1), (b"two", 0x22, 0x20, 1)]
    payload = bytes.fromhex("0200" "39f0ed6c9db4c959" "01000202" "02" "000100000000000000" "00" "08"
                            "1a" "8877665544332211" "02000202" "02" "000200000000000000" "00" "02" "00")
    sections = [(b".text", 1, 6, 0, 0, code), (b".note.bolt_bat", 7, 0, 0, 0, bat_note(payload))]
    yield "program", small_elf(sections, symbols)


def bolt_program_seeds():
    """Inputs of fuzz_bolt_program: the program of fuzz_bat, and one in which some functions have no table."""
    for name, data in bat_seeds():
        if name == "program":
            yield name, data
    code = bytes.fromhex("85ff7406e80300000090c3" "0f1f00" "e8edffffff7502ebf9c3" "ff24c500000000" "0f0b")
    code += b"\x90" * 0x40
    symbols = [(b"one", 0, 0xb, 1), (b"other", 0xe, 0xa, 1), (b"three", 0x18, 0x10, 1), (b"one.cold.0", 0x30, 8, 1)]
    payload = bytes.fromhex("01" "00" "8877665544332211" "03000404" "02" "00" "0100000000000000" "00" "02"
                            "02" "0200000000000000" "01" "01" "0300000000000000" "01" "00")
    for kind, table in (("table", payload), ("current", BAT_TABLES["current"]), ("fixed", BAT_TABLES["fixed"])):
        sections = [(b".text", 1, 6, 0, 0, code), (b".note.bolt_bat", 7, 0, 0, 0, bat_note(table))]
        yield "left-alone-" + kind, small_elf(sections, symbols)


def desc_seeds():
    """Inputs of fuzz_probe_desc."""
    yield "mini", b"\0" + DESCS
    yield "cut", b"\2" + DESCS[:50]
    yield "big", b"\1" + LEAF[::-1] + bytes(8) + b"\4leaf"
    yield "odd", b"\0" + LEAF + bytes(8) + b"\x84\0le\x1bf" + LEAF + bytes(8) + b"\0"


def make_raws(build, directory):
    subprocess.run([os.path.join(build, "tests", "raw_seeds"), directory], check=True)
    return {os.path.basename(p): read(p) for p in sorted(glob.glob(os.path.join(directory, "v*")))}


def nameless_profile():
    """A raw profile of version 9, cut off after the counters: the program has the names."""
    records = b""
    for i, (name, hash_) in enumerate(((b"main", 0x1111), (b"file.c;local", 0x2222), (b"gone", 7))):
        ref = struct.unpack("<Q", hashlib.md5(name).digest()[:8])[0]
        records += struct.pack("<QQqqQQIHHIi", ref, hash_, 8 * i - 64 * i, 0, 0, 0, 1, 0, 0, 0, 0)
    header = struct.pack("<14Q", 0xFF6C70726F667281, 9 | 1 << 56, 0, 3, 0, 3, 0, 0, 0, 25, 0, 0, 0, 1)
    return header + records + struct.pack("<3Q", 5, 6, 7)


def correlate_seeds(build, directory):
    """Inputs of fuzz_correlate: a program, the way to read it, and a profile of it."""
    subprocess.run([os.path.join(build, "tests", "correlate_seeds"), directory], check=True)
    for path in sorted(glob.glob(os.path.join(directory, "*.elf"))):
        name, elf = os.path.basename(path)[:-4], read(path)
        raw = path[:-4] + ".profraw"
        kind = 3 if name.startswith("debug") else 2 if name.startswith("binary") else 1
        head = struct.pack("<IB", len(elf), kind) + elf
        yield name, head + (read(raw) if os.path.exists(raw) else b"")
        if kind == 1:
            yield name + "-salvage", head + nameless_profile()
            yield name + "-check", head + b":ir\nmain\n4369\n3\n1\n2\n3\n\nfile.c;local\n5\n1\n1\n\nother\n5\n1\n1\n\n"


def make_texts(build, directory):
    """Text profiles, and their indexed files of some versions or all."""
    texts, indexed = {}, {}
    for name, profile in text_profiles():
        texts[name] = g.render(profile, name)
        path = os.path.join(directory, name)
        with open(path, "wb") as f:
            f.write(texts[name])
        for version in VERSIONS if name == "values" else [14] if name == "traces" else [13]:
            command = [os.path.join(build, "anyprof"), "merge", "--quiet", "--keep-vtable-symbols"]
            subprocess.run(command + ["--for=indexed-%d" % version, path, "-o", path + ".out"], check=True)
            indexed["%s-v%d" % (name, version)] = read(path + ".out")
    return texts, indexed


def json_seeds(build, directory, files):
    """The profiles as JSON."""
    for name, data in files:
        path = os.path.join(directory, "seed")
        with open(path, "wb") as f:
            f.write(data)
        command = [os.path.join(build, "anyprof"), "convert", "--quiet", "--to=json", path, "-o", path + ".json"]
        if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            yield name, read(path + ".json")


def example_profiles():
    for path in sorted(glob.glob(os.path.join(SOURCE, "examples", "profiles", "*.profraw"))):
        yield os.path.basename(path)[: -len(".profraw")], read(path)


def forms(version):
    """Widths and byte orders: two of the four for each version."""
    return ["64le", "32be"] if version % 2 else ["32le", "64be"]


def rt_profile_seeds(raws, examples):
    """Files that the runtime may find: one or two profiles of 64-bit programs without build ids, like the target."""
    for name, data in examples.items():
        if name.endswith(("13-fe", "14-ir", "16-fe", "19-ir", "22-fe", "22-ir")):
            ids = struct.unpack_from("<Q", data, 16)[0]
            words = {7: 11, 8: 11, 9: 14, 10: 16}[struct.unpack_from("<I", data, 8)[0]]
            yield name, data[:16] + bytes(8) + data[24:words * 8] + data[words * 8 + ids:]
    yield "ids", examples["clang-22-ir"]
    for name, data in raws.items():
        if "-64le-0" in name and int(name.split("-")[0][1:]) >= 7:
            yield name + "-twice", data + bytes(-len(data) % 8) + raws[name[:-1] + "1"]


def packed(raw, indexed, text):
    """Seeds of fuzz_packed: one and several streams of every kind."""
    yield "gzip-raw", gzip.compress(raw, 9, mtime=0)
    yield "gzip-two", gzip.compress(text[:40], 9, mtime=0) + gzip.compress(text[40:], 0, mtime=0) + bytes(20)
    yield "gzip-twice", gzip.compress(gzip.compress(text, 9, mtime=0), 9, mtime=0)
    yield "gzip-nothing", gzip.compress(b"", 9, mtime=0)
    yield "zstd-raw", g.zstd_frame(raw)
    yield "zstd-indexed", g.zstd_frame(indexed, blocks=3)
    yield "zstd-two", g.zstd_frame(text[:40]) + g.zstd_frame(text[40:], blocks=2)
    yield "zstd-skip", g.zstd_frame(text, head=b"\x5f\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345")
    run = b"\x28\xb5\x2f\xfd\xa0" + (1000).to_bytes(4, "little")
    yield "zstd-run", run + (1000 << 3 | 3).to_bytes(3, "little") + b"a"
    yield "zstd-nothing", b"\x50\x2a\x4d\x18" + bytes(4)


def main():
    build = sys.argv[1]
    examples = dict(example_profiles())
    with tempfile.TemporaryDirectory() as directory:
        raws = make_raws(build, directory)
        texts, indexed = make_texts(build, directory)
        for name, data in correlate_seeds(build, directory):
            write("correlate", name, data)
        sources = [(n, d) for n, d in raws.items() if n.endswith("-0")][::6] + list(indexed.items())[-8:]
        for name, data in json_seeds(build, directory, sources):
            if len(data) < 3000:
                write("json_profile", name, data)
        memory = sorted(glob.glob(os.path.join(SOURCE, "fuzz", "corpus", "memprof", "*")))
        for name, data in json_seeds(build, directory, [(os.path.basename(p), read(p)) for p in memory]):
            if len(data) < 12000:
                write("json_profile", "memprof-" + name, data)
        for path in memory:
            name = os.path.basename(path)
            if name in ("own.yaml", "i16", "t1.4"):
                write("roundtrip", "memprof-" + name, b"\x0d" + read(path))
                write("salvage", "memprof-" + name, (800).to_bytes(2, "little") + read(path))
    for name in ("clang-13-fe", "clang-14-ir", "clang-22-fe", "clang-22-ir"):
        write("raw", name, examples[name])
    for name, data in indexed.items():
        write("indexed", name, data)
    for name, data in texts.items():
        write("text", name, data)
    for version in range(1, 12):
        for form in forms(version):
            name = "v%d-%s" % (version, form)
            write("raw", name, raws[name + "-0"])
            if len(raws[name + "-0"]) < 1000:
                write("merge", name, both(raws[name + "-0"], raws[name + "-1"], version))
    # Two names whose MD5 begin with the same 8 bytes.
    colliding = [b"khdbkigidoeejblk\n1\n1\n5\n", b"jddkacglddeaceof\n1\n1\n7\n"]
    write("text", "collision", b":ir\n" + colliding[0] + colliding[1])
    write("merge", "collision", both(colliding[0], colliding[1]))
    for name in ("values", "huge"):
        write("merge", name, both(texts[name], indexed[name + "-v13"], 3))
    for name, data in packed(raws["v9-64le-0"], indexed["values-v13"], texts["values"]):
        write("packed", name, data)
        if name.endswith("-raw"):
            write("roundtrip", name, b"\x0d" + data)
    write("merge", "packed", both(gzip.compress(raws["v9-64le-0"], 9, mtime=0), g.zstd_frame(raws["v9-64le-1"])))
    everything = list(raws.items()) + list(indexed.items()) + list(texts.items()) + list(examples.items())
    for number, (name, data) in enumerate(everything):
        if number % 5 == 0 and len(data) < 2000:
            write("roundtrip", name, bytes([number // 5 % 15]) + data)
    for number, (name, data) in enumerate(indexed.items()):
        if number % 2:
            write("lookup", name, bytes([number % 14]) + data)
    for name, data in texts.items():
        write("lookup", name + ".text", b"\x0d" + data)
    for number, (name, data) in enumerate(everything):
        if number % 3 == 0 and len(data) < 2000:
            write("salvage", name, (len(data) * (2 + number % 2) // 4).to_bytes(2, "little") + data)
    two = gzip.compress(texts["values"][:200], 9, mtime=0) + gzip.compress(texts["values"][200:], 9, mtime=0)
    write("salvage", "packed", (len(two) - 9).to_bytes(2, "little") + two)
    for name, data in samples.sample_gcc_seeds():
        write("sample_gcc", name, data)
    for name, data in samples.sample_json_seeds():
        write("sample_json", name, data)
    for name, data in samples.sample_compare_seeds():
        write("sample_compare", name, data)
    for name, data in samples.sample_merge_seeds():
        write("sample_merge", name, data)
    for name, data in fdata_seeds():
        write("fdata", name, data)
    for name, data in preagg_seeds():
        write("preagg", name, data)
    for name, data in perf_script_seeds():
        write("perf_script", name, data)
    for name, data in cov.cov_seeds():
        write("cov", name, data)
    for name, data in perf.perf_data_seeds():
        write("perf_data", name, data)
    for target in ("profgen_perf", "profgen_program", "profgen_raw", "profgen_script"):
        for name, data in getattr(profgen, target + "_seeds")():
            write(target, name, data)
    for name, data in samples.sample_text_seeds():
        write("sample_text", name, data)
    for name, data in yaml_seeds():
        write("bolt_yaml", name, data)
    for name, data in compare_seeds(texts, indexed, raws):
        write("compare", name, data)
    for name, data in rt_profile_seeds(raws, examples):
        write("rt_profile", name, data)
    for name, data in names_seeds():
        write("names", name, data)
    for name, data in values_seeds():
        write("values", name, data)
    for name, data in probes_seeds():
        write("probes", name, data)
    for name, data in bat_seeds():
        write("bat", name, data)
    for name, data in bolt_program_seeds():
        write("bolt_program", name, data)
    for name, data in desc_seeds():
        write("probe_desc", name, data)
    for name, data in indexed.items():
        version, flags = int(name.split("-v")[1]), 8 if name.startswith("traces") else 4
        write("table", name, table_seed(data, version, flags | version % 4))


if __name__ == "__main__":
    main()
