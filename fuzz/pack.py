#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pack.py COMMAND PACK...: the inputs that fuzzing found for a target, in one file fuzz/corpus/TARGET.pack.

  list PACK            the SHA-1 and the size of each input
  unpack PACK DIR      writes each input as DIR/SHA-1, and removes the files of such names that PACK does not hold
  pack PACK DIR...     makes PACK of the files in DIR whose name is the SHA-1 of their bytes, as libFuzzer writes them
  add PACK FILE...     adds the bytes of each file to PACK, which may not exist yet
  check PACK...        reports a pack that is damaged, or that `pack` would write in another way

A pack is MAGIC, then for each input its size (32 bits, little-endian) and its bytes, then the CRC-32 of all bytes
before it (32 bits, little-endian). The inputs ascend by SHA-1, so that a set of inputs has one pack. A pack is not
compressed, because git stores a renewed pack as a small difference from the old one only then."""

import hashlib
import os
import re
import struct
import sys
import tempfile
import zlib

MAGIC = b"anyprof corpus\n"


class Damaged(Exception):
    pass


def read_file(path):
    with open(path, "rb") as f:
        return f.read()


def digest(data):
    return hashlib.sha1(data).hexdigest()


def encode(inputs):
    """The bytes of a pack of {SHA-1: input}."""
    body = MAGIC + b"".join(struct.pack("<I", len(data)) + data for _, data in sorted(inputs.items()))
    return body + struct.pack("<I", zlib.crc32(body))


def decode(pack):
    """{SHA-1: input} of the bytes of a pack."""
    end = len(pack) - 4
    if not pack.startswith(MAGIC) or end < len(MAGIC):
        raise Damaged("it does not begin as a pack does")
    if zlib.crc32(pack[:end]) != struct.unpack_from("<I", pack, end)[0]:
        raise Damaged("its checksum is wrong: it may have been cut off or changed")
    inputs, at = {}, len(MAGIC)
    while at < end:
        if end - at < 4 or struct.unpack_from("<I", pack, at)[0] > end - at - 4:
            raise Damaged(f"the input at offset {at} ends past the end of the pack")
        size = struct.unpack_from("<I", pack, at)[0]
        data = pack[at + 4:at + 4 + size]
        inputs[digest(data)] = data
        at += 4 + size
    return inputs


def read_pack(path):
    try:
        return decode(read_file(path))
    except Damaged as e:
        sys.exit(f"{path}: {e}")


def write_pack(path, inputs):
    """Replaces the file at once, so that an interrupted run leaves the old pack."""
    directory = os.path.dirname(path) or "."
    fd, temporary = tempfile.mkstemp(dir=directory)
    with os.fdopen(fd, "wb") as f:
        f.write(encode(inputs))
    os.chmod(temporary, 0o644)
    os.replace(temporary, path)


def is_digest(name):
    return re.fullmatch("[0-9a-f]{40}", name)


def list_inputs(path):
    for name, data in sorted(read_pack(path).items()):
        print(name, len(data))


def unpack(path, directory):
    inputs = read_pack(path)
    os.makedirs(directory, exist_ok=True)
    for name in filter(is_digest, os.listdir(directory)):
        if name not in inputs:
            os.remove(os.path.join(directory, name))
    for name, data in inputs.items():
        with open(os.path.join(directory, name), "wb") as f:
            f.write(data)


def pack(path, *directories):
    inputs = {}
    for directory in directories:
        for name in filter(is_digest, os.listdir(directory)):
            data = read_file(os.path.join(directory, name))
            if digest(data) != name:
                sys.exit(f"{directory}/{name}: the name is not the SHA-1 of the bytes")
            inputs[name] = data
    write_pack(path, inputs)


def add(path, *files):
    inputs = read_pack(path) if os.path.exists(path) else {}
    for file in files:
        data = read_file(file)
        inputs[digest(data)] = data
    write_pack(path, inputs)


def check(*paths):
    good = True
    for path in paths:
        data = read_file(path)
        try:
            same = encode(decode(data)) == data
            problem = None if same else "not as pack.py writes it: inputs stand there twice, or do not ascend by SHA-1"
        except Damaged as e:
            problem = e
        if problem:
            print(f"{path}: {problem}", file=sys.stderr)
            good = False
    sys.exit(not good)


COMMANDS = {"list": (list_inputs, 1, 1), "unpack": (unpack, 2, 2), "pack": (pack, 2, None), "add": (add, 2, None),
            "check": (check, 1, None)}


def main():
    command, least, most = COMMANDS.get(sys.argv[1] if len(sys.argv) > 1 else None, (None, 0, None))
    arguments = sys.argv[2:]
    if not command or len(arguments) < least or (most and len(arguments) > most):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    try:
        command(*arguments)
    except OSError as e:
        sys.exit(f"{e.filename}: {e.strerror}")


if __name__ == "__main__":
    main()
