#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON of `info` and `check` is what docs/schemas says: of the profiles of the examples and of the corpus, of cut
and changed ones, of programs, of files of other kinds and with strange names. The schemas refuse every document in
which something is missing, added, or of another type."""

import glob
import gzip
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _coverage as c  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402
import _schemas as s  # noqa: E402

EXAMPLES = os.path.join(p.SOURCE, "examples", "profiles")
MAGICS = {"zip": b"PK\3\4", "page": b"<!DOCTYPE html>", "pointer": b"version https://git-lfs.github.com/spec/v1\n"}
FILE, GROUP = "/files/*/", "/groups/*/"
# What may be null, by the type that it has else; numbers may be strings, too.
INFO = {
    "number": [FILE + key for key in (
        "group", "version", "pointer_bits", "profile/memprof_version", "error/offset", "error/line", "error/found",
        "error/expected", "error/errno")] + [GROUP + "functions", GROUP + "version"],
    "str": [FILE + key for key in (
        "path_hex", "kind", "compression", "origin", "schema", "correlation", "byte_order", "refusal", "build_digest",
        "words/*", "error/where", "profile/findings/*/where", "profile/findings/*/message", "sample/findings/*/where",
        "sample/findings/*/message")] + [GROUP + key for key in (
            "kind", "origin", "build_digest", "build_by", "programs_by")],
    "dict": [FILE + key for key in ("error", "profile", "sample")]}
CHECK = {
    "number": [FILE + "findings/*/" + key for key in ("offset", "line", "column", "found", "expected")],
    "str": [FILE + "path_hex", FILE + "findings/*/function", FILE + "findings/*/hash"],
    "dict": [FILE + "against"]}


def schemas(report):
    return [s.Schema(report, name, other={path: ("NoneType", kind) for kind, paths in null.items() for path in paths})
            for name, null in (("anyprof-info-1", INFO), ("anyprof-check-1", CHECK))]


def write(directory, name, data):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def made_files(directory):
    """Damaged profiles, and files of other kinds."""
    for path in sorted(glob.glob(os.path.join(EXAMPLES, "*.profraw"))):
        with open(path, "rb") as file:
            data = file.read()
        name = os.path.basename(path)
        yield write(directory, "cut-" + name, data[:len(data) * 2 // 3])
        yield write(directory, "changed-" + name, data[:300] + b"\x80\xff\7" + data[303:])
        yield write(directory, "long-" + name, data + b"??")
    with open(os.path.join(EXAMPLES, "clang-14-ir.profraw"), "rb") as file:
        yield write(directory, "odd.profraw", file.read() + bytes(4) + data)
    yield write(directory, "packed\udcff\n.gz", gzip.compress(data, mtime=0))
    yield write(directory, "cut.gz", gzip.compress(data, mtime=0)[:99])
    yield write(directory, "cut.proftext", b":ir\nmain\n5\n2\n1\n")
    yield write(directory, "large.proftext",
                b"main\n5\n2\n9007199254740993\n18446744073709551613\n\nmain\n5\n2\n1\n2\n")
    yield write(directory, "sample.prof", b"main:184467440737095516150:7\n 1: 5 f:3\n 2: x\n")
    yield write(directory, "good.prof", b"main:8:7\n 1: 5 f:3\n 2: inner:3\n  1: 3\n")
    yield write(directory, "hashes.prof", b"123456789:8:7\n 1: 5\n")
    yield write(directory, "empty", b"")
    for name, magic in MAGICS.items():
        yield write(directory, name, magic + b"text\n" * 9)
    yield os.path.join(directory, "none")
    yield p.ANYPROF


def corpus_files():
    for room, pattern in (("raw", "*"), ("sample", "*"), ("afdo", "*"), ("bolt", "*")):
        found = [path for path in sorted(glob.glob(os.path.join(p.CORPUS, room, pattern))) if os.path.isfile(path)]
        yield from found[::1 + len(found) // 150]


def add(report, schema, what, command):
    done = p.anyprof(*command)
    if report.check(f"{what}: exit code", done.code in (0, 1), done.errors()) and done.out:
        schema.add(what, done.out)


def check_against(report, check, info, directory):
    """A program, its profile, and that of another program."""
    if not c.CLANGS:
        report.skip("--against", "there is no clang")
        return
    c.write_sources(directory)
    made = [c.build(report, c.CLANGS[-1], directory, *program[:3]) for program in c.PROGRAMS[:3]]
    for _, _, profile in made:
        add(report, check, f"against: {profile}", ["check", "--json", profile, f"--against={made[0][0]}"])
    add(report, info, "programs", ["info", "--json", *(path for files in made for path in files)])


def main():
    report = p.Report(floor=800)
    info, check = schemas(report)
    with p.work_directory() as directory:
        examples = sorted(glob.glob(os.path.join(EXAMPLES, "*.prof*")))
        for path in (*examples, *made_files(directory), *corpus_files()):
            name = os.path.basename(path)
            add(report, info, name, ["info", "--json", path])
            add(report, check, name, ["check", "--json", path])
        add(report, info, "all", ["info", "--json", *examples, directory])
        add(report, check, "all", ["check", "--json", *examples])
        check_against(report, check, info, directory)
    s.all_tried(report, (info, check), lambda name: name.startswith(("anyprof-info", "anyprof-check")))
    info.change_everything(() if c.CLANGS else (FILE + "contents", GROUP + "programs"))
    check.change_everything(() if c.CLANGS else (FILE + "against",))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
