#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/formats/gcc-afdo.md says what the code does: its tables of layouts, of mislabelled files and of releases are
those of src/sample/layout/gcc_layout.c, and its example is the profile that stands below it.

    gcc_docs.py"""

import os
import re
import struct
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import _gcc_afdo as afdo  # noqa: E402

SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(HERE, "..", ".."))
CAPS = [("BYTE_STRINGS", afdo.BYTES), ("FILES", afdo.FILES), ("SUMMARY", afdo.SUMMARY), ("TIMES", afdo.TIMES)]
SUFFIXES = {"GCC_SUFFIXES_ALL": "from the first dot on", "GCC_SUFFIXES_CLONES": "those of clones"}

failures = []


def check(what, found, expected):
    if found != expected:
        failures.append("%s: %r, not %r" % (what, found, expected))


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as f:
        return f.read()


def rows(text, heading):
    """The cells of the first table after a row of headings."""
    lines = text[text.index("| " + heading):].split("\n")[2:]
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def code_layouts(code):
    """The rows of the table in the code: (name, word, form, mislabelled)."""
    macros = {name: body for name, body in re.findall(r"^#define (\w+) (.+)$", code, re.M)}
    for name, word, caps in re.findall(r'^    \{"(\w+)", "\w*", (\w+), \d+, ([^}]+)\},?$', code, re.M):
        while any(re.search(r"\b%s\b" % macro, caps) for macro in macros):
            for macro, body in macros.items():
                caps = re.sub(r"\b%s\b" % macro, body, caps)
        form = sum(bit for cap, bit in CAPS if "GCC_CAP_" + cap in caps)
        yield name, afdo.WORD_704 if word == "GCC_WORD_704" else int(word), form, "MISLABELLED" in caps


def code_releases(code):
    """The rows of the table of releases, of which equal ones become one: (releases, layout, discriminators ignored,
    suffixes)."""
    knows = dict(re.findall(r"^#define (G\d+) (.+)$", code, re.M))
    found = []
    for release, knowledge, form, suffixes in re.findall(
            r'^    \{"(\d+)", BIT\(GCC_\w+\), (G\d+), NONE, SAMPLE_FORM_GCC_(\w+), UP, (\w+), USUAL, \w+\},$',
            code, re.M):
        words = knows[knowledge]
        while re.search(r"\bG\d+\b", words):
            words = re.sub(r"\bG\d+\b", lambda match: knows[match[0]], words)
        row = form, "SAMPLE_HAS_DISCRIMINATORS" not in words, SUFFIXES["GCC_SUFFIXES_" + suffixes]
        if found and found[-1][1] == row:
            found[-1][0].append(release)
        else:
            found.append(([release], row))
    for names, row in found:
        yield (names[0] if len(names) == 1 else "%s to %s" % (names[0], names[-1]), *row)


def check_tables(document, code, releases):
    layouts = list(code_layouts(code))
    check("layouts of the code", {name: (word, form) for name, word, form, wrong in layouts if not wrong}, afdo.LAYOUTS)
    documented = {}
    for name, word, strings, *cells in rows(document, "layout | version word"):
        form = (strings == "bytes") + sum(bit for cell, (_, bit) in zip(cells, CAPS[1:]) if cell == "yes")
        documented[name] = (int(word, 0), form)
    check("layouts of the document", documented, afdo.LAYOUTS)
    wrong = sorted((int(word, 0), name) for word, names, _ in rows(document, "version word | layout of the file")
                   for name in names.split(", "))
    check("mislabelled layouts of the document", wrong, sorted((word, name) for name, word, _, bad in layouts if bad))
    for name, word, form, bad in layouts:
        check("form of the mislabelled layout " + name, form, afdo.LAYOUTS[name][1])
    of_code = list(code_releases(releases))
    of_document = [(gcc, layout, discriminators == "ignored", suffixes)
                   for gcc, layout, discriminators, suffixes in rows(document, "GCC | layout")]
    check("releases", of_document, of_code)
    check("number of releases", len(of_code), 4)


def example_bytes(document):
    data = b""
    for line in re.search(r"^```hex v2\n(.*?)^```", document, re.S | re.M)[1].splitlines():
        at, rest = line.split(None, 1)
        check("offset " + at, len(data), int(at, 16))
        for word in rest.split("|")[0].split():
            byte, _, times = word.partition("*")
            data += bytes.fromhex(byte) * int(times or 1)
    return data


def text_of(node, depth=0):
    lines = []
    blanks = " " * (depth + 1)
    for (line, discriminator), (count, targets) in node.lines.items():
        lines.append("%s%d%s: %d%s" % (blanks, line, ".%d" % discriminator if discriminator else "", count,
                                       "".join(" %s:%d" % (name.decode(), n) for name, n in targets.items())))
    for line, discriminator, callee in node.calls:
        lines.append("%s%d%s: %s:%d" % (blanks, line, ".%d" % discriminator if discriminator else "",
                                        callee.name.decode(), total_of(callee)))
        lines += text_of(callee, depth + 1)
    return lines


def total_of(node):
    return sum(count for count, _ in node.lines.values()) + sum(total_of(callee) for _, _, callee in node.calls)


def check_example(document):
    data = example_bytes(document) + struct.pack("<2I", 0xAF000000, 384) + bytes(1536)
    profile = afdo.decode(data, "2")
    lines = []
    for function in profile.functions:
        lines.append("%s:%d:%d" % (function.node.name.decode(), total_of(function.node), function.head))
        lines += text_of(function.node)
    check("example", lines, re.search(r"^```text v2\n(.*?)\n```", document, re.S | re.M)[1].split("\n"))
    zeros = afdo.encode(profile, "2")
    check("bytes of the example", data[:16] + data[20:0x3C] + data[0x40:], zeros[:16] + zeros[20:0x3C] + zeros[0x40:])


def main():
    document = read("docs", "formats", "gcc-afdo.md")
    room = "src", "sample", "layout"
    check_tables(document, read(*room, "gcc_layout.c"), read(*room, "sample_releases.c"))
    check_example(document)
    for failure in failures:
        print("FAILED: " + failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
