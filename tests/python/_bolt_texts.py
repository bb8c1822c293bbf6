# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of BOLT that the tests of bolt_*.py share."""

import _package as p

import anyprof

FDATA, YAML = p.FDATA, p.BOLT_YAML
WRITTEN = b"""\
boltedcollection
2 a\\ b\\\\c/1 0 1 caf\xc3\xa9\xff ffffffffffffffff 0 9223372036854775807
1 main d4 1 worker 0 2 7
0 [unknown] 0 1 main 0 0 1
1 worker 13 1 worker 3c 0 3
4 worker 3 4 table 8 5
"""
TWO = b"".join(FDATA.splitlines(True)[:3])
SAMPLES = b"no_lbr instructions:u cycles:u\n1 f 0 2\n1 f 4 3\n"
HEADER, FUNCTIONS = p.BOLT_YAML.decode().removesuffix("...\n").split("functions:\n")


def yaml(build_id="f00d", flags="lbr", events="", functions=FUNCTIONS):
    """The profile with another header, or other functions."""
    header = HEADER.replace("f00d", build_id).replace("[ lbr ]", f"[ {flags} ]").replace("''", f"'{events}'")
    return f"{header}functions:\n{functions}...\n".encode()


def contents(*texts):
    return [anyprof.Contents(text, f"input {i}") for i, text in enumerate(texts)]


def merged(*texts, **options):
    return anyprof.merge_bolt(contents(*texts), **options)


def command_merges(*texts):
    """What `anyprof bolt merge` writes of some texts."""
    paths = [p.file(f"merged-{i}", text) for i, text in enumerate(texts)]
    return p.command("bolt", "merge", *paths)
