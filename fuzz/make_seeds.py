#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_seeds.py BUILD-DIRECTORY: writes the seeds of the fuzz targets, fuzz/corpus/<target>/, from examples/profiles,
generated text profiles, and generated raw profiles (tests/helpers/raw_seeds.c). What else is there (inputs that once
failed) stays. The same program writes the same seeds."""

import glob
import gzip
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

VERSIONS = range(1, 15)


def read(path):
    with open(path, "rb") as f:
        return f.read()


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


def both(a, b, weights=0):
    """An input of fuzz_merge."""
    head = weights << 12 | len(a)
    return bytes([head >> 8, head & 255]) + a + b


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


def make_raws(build, directory):
    subprocess.run([os.path.join(build, "tests", "raw_seeds"), directory], check=True)
    return {os.path.basename(p): read(p) for p in sorted(glob.glob(os.path.join(directory, "v*")))}


def make_texts(build, directory):
    """Text profiles, and what they are as indexed files of some versions, or of all."""
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


def example_profiles():
    for path in sorted(glob.glob(os.path.join(SOURCE, "examples", "profiles", "*.profraw"))):
        yield os.path.basename(path)[: -len(".profraw")], read(path)


def forms(version):
    """Widths and byte orders: of each version two of the four."""
    return ["64le", "32be"] if version % 2 else ["32le", "64be"]


def packed(raw, indexed, text):
    """Seeds of fuzz_packed: streams of every kind, one and several."""
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
    with tempfile.TemporaryDirectory() as directory:
        raws = make_raws(build, directory)
        texts, indexed = make_texts(build, directory)
    examples = dict(example_profiles())
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
    for name, data in names_seeds():
        write("names", name, data)
    for name, data in values_seeds():
        write("values", name, data)
    for name, data in indexed.items():
        version, flags = int(name.split("-v")[1]), 8 if name.startswith("traces") else 4
        write("table", name, table_seed(data, version, flags | version % 4))


if __name__ == "__main__":
    main()
