#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_seeds.py BUILD-DIRECTORY: writes the seeds of the fuzz targets, fuzz/corpus/<target>/, from examples/profiles,
generated text profiles, and generated raw profiles (tests/helpers/raw_seeds.c). What else is there (inputs that once
failed) stays. The same program writes the same seeds."""

import glob
import os
import subprocess
import sys
import tempfile

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
    yield "values", g.make_profile("seed 1", functions=3, header=["ir"], values=90, n_vtables=3, several_hashes=60)
    yield "bitmaps", g.make_profile("seed 2", functions=3, bitmaps=70)
    yield "traces", g.make_profile("seed 3", functions=4, header=["csir", "entry_first"], traces=3, values=30)
    yield "coverage", g.make_profile("seed 4", functions=3, header=["single_byte_coverage"], counts="zero")
    yield "huge", g.make_profile("seed 5", functions=3, header=["fe"], counts="huge", pseudo=40, values=20)
    yield "loops", g.make_profile("seed 6", functions=2, header=["ir", "instrument_loop_entries"], values=40)
    yield "locals", g.make_profile("seed 7", functions=12, header=["ir", "not_entry_first"], values=20)
    yield "empty", g.make_profile("seed 8", functions=0, header=["ir"])


def both(a, b, weights=0):
    """An input of fuzz_merge."""
    head = weights << 12 | len(a)
    return bytes([head >> 8, head & 255]) + a + b


def main():
    build = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([os.path.join(build, "tests", "raw_seeds"), directory], check=True)
        raws = {os.path.basename(p): read(p) for p in sorted(glob.glob(os.path.join(directory, "v*")))}
        examples = {
            os.path.basename(p)[: -len(".profraw")]: read(p)
            for p in sorted(glob.glob(os.path.join(SOURCE, "examples", "profiles", "*.profraw")))
        }
        texts, indexed = {}, {}
        for name, profile in text_profiles():
            texts[name] = g.render(profile, name)
            path = os.path.join(directory, name)
            with open(path, "wb") as f:
                f.write(texts[name])
            for version in VERSIONS if name in ("values", "traces") else [7, 13]:
                command = [os.path.join(build, "anyprof"), "merge", "--quiet", "--keep-vtable-symbols"]
                subprocess.run(command + ["--for=indexed-%d" % version, path, "-o", path + ".out"], check=True)
                indexed["%s-v%d" % (name, version)] = read(path + ".out")
    for name, data in list(raws.items()) + list(examples.items()):
        if not name.startswith("v") or name.endswith("-0"):
            write("raw", name, data)
    for name, data in indexed.items():
        write("indexed", name, data)
    for name, data in texts.items():
        write("text", name, data)
    for number, name in enumerate(sorted(raws)):
        if name.endswith("-0") and len(raws[name]) < 4096:
            write("merge", name[:-2], both(raws[name], raws[name[:-2] + "-1"], number // 2 % 16))
    # Two names whose MD5 begin with the same 8 bytes.
    colliding = [b"khdbkigidoeejblk\n1\n1\n5\n", b"jddkacglddeaceof\n1\n1\n7\n"]
    write("text", "collision", b":ir\n" + colliding[0] + colliding[1])
    write("merge", "collision", both(colliding[0], colliding[1]))
    for name in ("values", "traces", "huge"):
        write("merge", name, both(texts[name], indexed[name + "-v13"], 3))
    everything = list(raws.items()) + list(indexed.items()) + list(texts.items()) + list(examples.items())
    for number, (name, data) in enumerate(everything):
        if number % 3 == 0 and len(data) < 3000:
            write("roundtrip", name, bytes([number // 3 % 15]) + data)


if __name__ == "__main__":
    main()
