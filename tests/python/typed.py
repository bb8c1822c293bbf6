#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types that the package declares: mypy --strict accepts the package and a program that uses it, finds the mistakes
of another one, and stubtest finds nothing of the module in C missing in _anyprof.pyi."""

import os
import shutil
import subprocess
import unittest

import _package as p

GOOD = """\
import anyprof

profile = anyprof.open("x")
if isinstance(profile, anyprof.InstrProfile):
    for record in profile:
        hottest: int = max(record.counts)
        name: str | None = record.name
result = anyprof.merge(["a", b"b", anyprof.Contents(b"")], "out", max_loss=1.5)
for row in result.inputs:
    print(row.code, row.weight + 1)
with anyprof.coverage(["app"], "runs", prefix_map={"/src": "."}) as coverage:
    counts: list[int] = [line.count for line in coverage.lines(coverage.files[0])]
    share: float = coverage.totals().lines.covered / coverage.totals().lines.n
    text: bytes | None = coverage.write(format="lcov")
with anyprof.merge_bolt(["a", "b"], "out", weights=[1, 2]) as bolt:
    if isinstance(bolt, anyprof.FdataProfile):
        offsets: list[int] = [r.target.offset for r in bolt if r.target is not None]
    else:
        hottest_block: int = max(block.exec for function in bolt for block in function.blocks)
        called: anyprof.BoltYamlFunction | None = bolt.function(bolt["main"].blocks[0].calls[0].fid)
    data: bytes | None = bolt.write()
try:
    pass
except anyprof.Error as error:
    offset: int | None = error.offset
"""
BAD = """\
import anyprof

anyprof.merge(1)
anyprof.open("x", threads="many")
anyprof.detect("x").no_such_field
"""
# What Python adds to tuples with named fields for `match`, the type that iter() returns, and how Python 3.12 and later
# call the buffer protocol.
ALLOWED = rb"""
anyprof\._anyprof\.[A-Za-z]+\.__match_args__
anyprof\._anyprof\.Iterator
anyprof\._anyprof\.Array\.__buffer__
"""


class Types(unittest.TestCase):
    def run_tool(self, *words):
        cache = p.path("mypy-cache")
        environment = dict(os.environ, MYPYPATH=p.PACKAGE, PYTHONPATH=p.PACKAGE, MYPY_CACHE_DIR=cache)
        environment.pop("LD_PRELOAD", None)
        if not shutil.which(words[0]):
            self.skipTest(f"no {words[0]}")
        result = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=p.TEMPORARY, check=False)
        return result.returncode, result.stdout + result.stderr

    def test_package(self):
        code, text = self.run_tool("mypy", "--strict", os.path.join(p.PACKAGE, "anyprof"))
        self.assertEqual(code, 0, text)

    def test_programs(self):
        good, bad = p.file("good.py", GOOD.encode()), p.file("bad.py", BAD.encode())
        code, text = self.run_tool("mypy", "--strict", good)
        self.assertEqual(code, 0, text)
        code, text = self.run_tool("mypy", "--strict", bad)
        self.assertEqual(code, 1)
        self.assertEqual([line.split(":")[1] for line in text.splitlines() if ": error:" in line], ["3", "4", "5"])

    @unittest.skipIf(p.INSTRUMENTED, "instrumented build: stubtest cannot load the module")
    def test_stubs(self):
        code, text = self.run_tool("stubtest", "--allowlist", p.file("allow", ALLOWED), "anyprof._anyprof")
        self.assertEqual(code, 0, text)


if __name__ == "__main__":
    p.main()
