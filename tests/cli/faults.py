#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every call that can fail is made to fail, one at a time: each allocation, read, write, rename, stat ... of a set of
commands (LD_PRELOAD, see tests/helpers/preload/fault_preload.c). Either nothing changes, where the call does not
matter, or the command says why it failed, with exit code 1, and leaves the old output as it was and nothing beside it.

Sanitizers have allocators of their own, so allocations are left to unit/instr/merge/test_merge_faults.c."""

import concurrent.futures
import errno
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _elf  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LIBRARY = os.path.join(os.environ.get("ANYPROF_BUILD_DIR", ""), "tests", "helpers", "libfault_preload.so")
SEEDS = os.path.join(os.environ.get("ANYPROF_BUILD_DIR", ""), "tests", "correlate_seeds")
SANITIZE = os.environ.get("ANYPROF_SANITIZE", "")
PROFILES = os.path.join(SOURCE, "examples", "profiles")
OLD = b"the old output\n"
ABOVE = 3  # the exit code of diff --fail-above
FLOOR = 3400 if SANITIZE else 20000  # faults; some less than there are: libraries differ

FILES = "open read pread write close rename stat lstat fstat access readlink fchmod fchown opendir readdir".split()
INPUT_STREAMS = ["fopen", "fread"]  # lists and response files
OUTPUT_STREAMS = ["fflush"]  # standard output
OTHERS = ["thread"]
# What else than the call's usual error may happen to it.
MORE_ERRORS = {"read": ["EISDIR"], "write": ["EIO", "EPIPE", "EFBIG"], "rename": ["EXDEV"], "open": ["EACCES"],
               "fchown": ["EPERM"]}
HARMLESS = {"thread"}  # with fewer of them the work is done, too
DEFAULT_ERRORS = {"open": "EMFILE", "opendir": "EMFILE", "fopen": "EMFILE", "write": "ENOSPC", "fflush": "ENOSPC",
                  "memory": "ENOMEM", "thread": "EAGAIN"}

TEXT = """:ir
:temporal_prof_traces
1
2
2
foo,bar
foo
1
2
3
4
1
0
2
2
foo:5
bar:6
1
bar:9

bar
2
1
7

"""


def words_of(number):
    """What a message may say about an error. A directory that cannot be opened is read as a file, which says why,
    unless it is permitted again by then."""
    more = {errno.ENOMEM: ["out of memory"], errno.EACCES: [os.strerror(errno.EISDIR)]}
    return [os.strerror(number), *more.get(number, [])]


class Command:
    """Arguments, with OUT for the output's path; `stdin` is a file of the inputs; `link`: OUT is a symbolic link;
    `wrong` is the exit code when the file "words" cannot be read; `finds`: that a file cannot be read is no failure but
    what it prints; `reports`: OUT is a report, which is also written, whole, of what failed; `keeps`: what cannot be
    read is kept in OUT as an input that is lost, with a warning; `capstone`: how many allocations of Capstone's there
    are that end the process by a signal when they fail, for we cannot help it; `libdw`: how many of libdw's end it by a
    signal or with libdw's own message."""

    def __init__(self, name, arguments, stdin=None, link=False, wrong=1, capstone=0, libdw=0, finds=False,
                 reports=False, keeps=False):
        self.name, self.arguments, self.stdin, self.link, self.wrong = name, arguments, stdin, link, wrong
        self.capstone, self.libdw, self.crashes = capstone, libdw, 0
        self.finds, self.reports, self.keeps = finds, reports, keeps
        self.has_file = "OUT" in arguments

    def run(self, inputs, directory, fault):
        """In a directory that has the old output and nothing else: (exit code, stdout, stderr, what is there then)."""
        out = os.path.join(directory, "out")
        with open(os.path.join(directory, "real" if self.link else "out"), "wb") as f:
            f.write(OLD)
        if self.link:
            os.symlink("real", out)
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, LC_ALL="C", **fault)
        if SANITIZE:
            # The leak checker needs calls that fail here; gcc's sanitizer wants to come first.
            environment["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0"
        arguments = [out if a == "OUT" else a for a in self.arguments]
        stdin = open(os.path.join(inputs, self.stdin), "rb") if self.stdin else subprocess.DEVNULL
        p = subprocess.run([ANYPROF] + arguments, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           cwd=inputs, env=environment, timeout=60)
        if self.stdin:
            stdin.close()
        there = {}
        for name in sorted(os.listdir(directory)):
            path = os.path.join(directory, name)
            if os.path.islink(path):
                there[name] = "-> " + os.readlink(path)
            else:
                with open(path, "rb") as f:
                    there[name] = f.read()
            os.unlink(path)
        return p.returncode, p.stdout, p.stderr.decode(errors="replace"), there


def is_report(data):
    try:
        return json.loads(data)["schema"] == "anyprof-merge-report/1"
    except (KeyError, ValueError):
        return False


def merge(name, *arguments, **more):
    return Command("merge " + name, ["merge", "-j", "1"] + list(arguments), **more)


def show(name, *arguments, **more):
    return Command("show " + name, ["show"] + list(arguments), **more)


def tool(*words, **more):
    """A command about BOLT or probes."""
    return Command(" ".join(w for w in words if w[:1] != "-" and w != "OUT"), list(words), **more)


YAML = ("---\nheader: { profile-version: 1, binary-name: a, profile-flags: [ lbr ], profile-events: %s }\n"
        "functions: [ { name: f, fid: 1, hash: 1, exec: 1, nblocks: 3, blocks: [ { bid: 0, insns: 1, succ: "
        "[ { bid: %d, cnt: 5 } ] } ] } ]\n")
HEAP = ("---\nHeapProfileRecords:\n  - { GUID: f, AllocSites: [ { Callstack: [ { Function: f, LineOffset: 1, "
        "Column: 2, IsInlineFrame: false } ], "
        "MemInfoBlock: { AllocCount: 1 } } ], CallSites: [ { Frames: [ { Function: g, "
        "LineOffset: 3, Column: 4, IsInlineFrame: true } ], CalleeGuids: [ f ] } ] }\nDataAccessProfiles:\n"
        "  SampledRecords: [ { Symbol: %s, AccessCount: 1, Locations: [ { FileName: a.h, Line: 5 } ] } ]\n"
        "  KnownColdSymbols: [ c ]\n  KnownColdStrHashes: [ 1 ]\n")
THREE = ["raw.profraw", "indexed.profdata", "traces.proftext"]
LIGHT = ["small.profraw", "traces.proftext"]
CUT = ["cut.profraw", "cut.profdata", "cut.proftext", "cut.gz"]
COMMANDS = [
    merge("three formats", *THREE, "-o", "OUT"),
    merge("to a link", *LIGHT, "-o", "OUT", link=True),
    merge("as text", "--text", *THREE, "-o", "OUT"),
    merge("sparse, for LLVM 16", "--sparse", "--for=llvm-16", *LIGHT, "-o", "OUT"),
    merge("for LLVM 22", "--for=llvm-22", "--keep-vtable-symbols", *LIGHT, "-o", "OUT"),
    merge("version 2", "--for=indexed-2", *LIGHT, "-o", "OUT"),
    merge("version 10", "--for=indexed-10", *LIGHT, "-o", "OUT"),
    merge("version 14", "--for=indexed-14", *LIGHT, "-o", "OUT"),
    merge("files of one binary", "small.profraw", "small.profraw", "again.profraw", "-o", "OUT"),
    Command("merge by two threads", ["merge", "-j", "2"] + THREE + ["small.profraw", "again.profraw", "-o", "OUT"]),
    merge("standard input", "-", "traces.proftext", "-o", "OUT", stdin="small.profraw"),
    merge("standard output", *LIGHT),
    merge("kept as a partial profile", "--partial", *THREE, "-o", "OUT", keeps=True),
    merge("partial profiles", "light.part", "small.profraw", "-o", "OUT"),
    merge("partial profiles into one", "--partial", "light.part", "small.profraw", "light.part", "-o", "OUT",
          keeps=True),
    show("a partial profile", "light.part"),
    merge("sample profiles kept as a partial one", "--sample", "--partial", "a.prof", "b.prof", "-o", "OUT",
          keeps=True),
    merge("partial sample profiles", "samples.part", "a.prof", "-o", "OUT"),
    show("a partial sample profile", "samples.part"),
    Command("info of a partial sample profile", ["info", "samples.part"], finds=True),
    Command("info of a partial profile", ["info", "light.part"], finds=True),
    merge("a directory and a list", "dir", "-f", "list", "-o", "OUT"),
    merge("weights", "--weighted-input=3,small.profraw", "-o", "OUT"),
    merge("few traces", "--temporal-profile-trace-reservoir-size=1", *LIGHT, "-o", "OUT"),
    merge("bad files", "--failure-mode=all", "traces.proftext", "bad.profraw", "binary", "empty", "-o", "OUT"),
    merge("what can be salvaged", "--salvage", *CUT, "-o", "OUT"),
    merge("one of a binary that is salvaged", "--salvage", "small.profraw", "again.profraw", CUT[0], "-o", "OUT"),
    merge("arguments from a file", "@words", "-o", "OUT", wrong=2),
    # Plain text: where memory is out inside regexec, glibc says that nothing matches.
    merge("names", "--no-function=?x", "-r", "names", "--prefix-map=a=b", *LIGHT, "-o", "OUT"),
    merge("what can be salvaged, with a binary", "--salvage", "--binary-file=binary.elf", *CUT, "-o", "OUT"),
    merge("with a report", "--report", "OUT", *LIGHT, "-o", "/dev/null", reports=True),
    merge("with a report of what is bad", "--failure-mode=all", "--report", "OUT", "bad.profraw", "empty", *LIGHT, "-o",
          "/dev/null", reports=True),
    merge("memory profiles", "heap.profdata", "heap.yaml", "-o", "OUT"),
    merge("memory profiles, for LLVM 19", "--for=llvm-19", "--memprof-version=2", "heap.yaml", "-o", "OUT"),
    merge("memory profiles, for LLVM 16", "--for=llvm-16", "heap.profdata", "-o", "OUT"),
    show("memory profiles", "--memory", "heap.profdata"),
    show("memory profiles in YAML", "--memory", "heap.yaml", "-o", "OUT"),
    merge("limits", "--max-records=100", "--max-input-size=1M", *LIGHT, "-o", "OUT"),
    merge("with debug information", "--debug-info=debug5.elf", "debug5.profraw", "-o", "OUT", libdw=3),
    merge("with a binary", "--binary-file=binary.elf", "binary.profraw", "-o", "OUT"),
    merge("with binaries", "--binary-file=binary.elf", "--binary-file=binary32.elf", "binary.profraw",
          "binary32.profraw", "-o", "OUT"),
    merge("with a directory", "--debug-file-directory=programs", "--correlate=debug-info", "debug4.profraw", "-o",
          "OUT", libdw=3),
    merge("without its binary", "binary.profraw", "-o", "OUT"),
    Command("bolt merge", ["bolt", "merge", "a.fdata", "b.fdata", "-o", "OUT"]),
    Command("bolt merge of standard input", ["bolt", "merge", "-", "dir2"], stdin="a.fdata"),
    Command("bolt merge of YAML", ["bolt", "merge", "a.yaml", "b.yaml", "-o", "OUT"]),
    Command("bolt merge --print", ["bolt", "merge", "--print=exec", "-q", "a.yaml"]),
    Command("bolt merge of a bad file", ["bolt", "merge", "a.fdata", "traces.proftext", "-o", "OUT"]),
    Command("help", ["help", "merge"]),
    Command("the tables", ["help", "--table"]),
    Command("version", ["version"]),
    tool("bolt", "convert", "program", "--pa=samples", "-w", "OUT", capstone=2),
    tool("bolt", "convert", "program", "--pa=samples", "-o", "OUT", capstone=2),
    tool("bolt", "convert", "program", "--pa=samples", "--pa=-", stdin="samples", capstone=2),
    tool("bolt", "convert", "program", "--pa=traces.proftext", "-o", "OUT", capstone=2),
    tool("bat", "dump", "program", "-o", "OUT"),
    tool("bat", "dump", "--json", "-", stdin="table"),
    tool("bat", "dump", "binary", "-o", "OUT"),
    tool("bat", "stats", "program", "-o", "OUT"),
    tool("bat", "translate", "program", "0x10003", "0x10005", "-o", "OUT"),
    tool("bat", "translate", "--json", "program", "--original=original", stdin="addresses"),
    tool("bat", "translate", "--reverse", "--original=original", "program", "0x10004", "f+2", "-o", "OUT"),
    tool("bat", "verify", "table", "-o", "OUT"),
    tool("bat", "verify", "--original=original", "program", "-o", "OUT", capstone=4),
    tool("bat", "extract", "program", "-o", "OUT"),
    tool("bat", "extract", "--convert", "table", "-o", "OUT", link=True),
    tool("bat", "inject", "original", "table", "-o", "OUT"),
    tool("bat", "inject", "program", "program", "-o", "OUT", link=True),
    tool("bat", "strip", "program", "-o", "OUT"),
    tool("probes", "desc", "program"),
    tool("probes", "list", "program", "-o", "OUT"),
    tool("probes", "list", "--json", "--section", "-", "--desc-section=desc", "-o", "OUT", stdin="section"),
    tool("probes", "tree", "--function=f", "program"),
    tool("probes", "stats", "program", "-o", "OUT"),
    tool("probes", "verify", "--section", "section", "--desc-section=desc", "-o", "OUT"),
    tool("probes", "verify", "program", "-o", "OUT", capstone=2),
    tool("probes", "diff", "program", "program", "-o", "OUT"),
    tool("probes", "disasm", "program", "-o", "OUT", capstone=2),
    tool("probes", "asm", "--quiet", "f.s", "-o", "OUT"),
    tool("probes", "asm", "-", stdin="f.s"),
    tool("probes", "asm", "bad.s", "-o", "OUT"),
    tool("probes", "emit", "list.json", "desc.json", "-o", "OUT"),
    tool("probes", "emit", "traces.proftext", "-o", "OUT"),
    Command("info of a raw file", ["info", "small.profraw"], finds=True),
    Command("info of several", ["info", "-", "traces.proftext", "indexed.profdata", "a.fdata", "samples", "a.yaml",
                                "program", "bad.profraw", "empty", "dir2", "-o", "OUT"], stdin="small.profraw",
            finds=True),
    Command("info of programs", ["info", "-j", "2", "binary.elf", "binary.profraw", "debug4.elf", "binary32.elf",
                                 "small.profraw", "list.json", "-o", "OUT"], finds=True),
    Command("info as JSON", ["info", "--json", "small.profraw", "program"], finds=True),
    Command("check of a raw file", ["check", "small.profraw"], finds=True),
    Command("check of several", ["check", "--all", "indexed.profdata", "traces.proftext", "bad.profraw", "a.fdata",
                                 "-o", "OUT"], finds=True),
    Command("check as JSON", ["check", "--json", "indexed.profdata", "a.fdata"], finds=True),
    Command("check against programs", ["check", "--against=binary.elf", "--against=loaded.elf", "binary.profraw",
                                       "traces.proftext", "-o", "OUT"], finds=True),
    Command("check against a program", ["check", "--against=binary.elf", "indexed.profdata", "-o", "OUT"], finds=True),
    # It is read twice: for its functions, and for profiles that need it.
    Command("check against debug information", ["check", "--json", "--against=debug5.elf", "traces.proftext"],
            finds=True, libdw=6),
    Command("check of memory profiles", ["check", "heap.profdata", "heap.yaml", "heap.json"], finds=True),
    Command("info of memory profiles", ["info", "--json", "heap.profdata", "heap.yaml", "heap.json"], finds=True),
    Command("info of a program", ["info", "binary.elf", "-o", "OUT"], finds=True),
    show("a raw file", "small.profraw"),
    show("an indexed file", "indexed.profdata"),
    show("text", "traces.proftext"),
    show("all", "--all-functions", "--counts", "--ic-targets", "--memop-sizes", "--show-vtables", "small.profraw"),
    show("into a file", "--all-functions", "--counts", "indexed.profdata", "-o", "OUT"),
    show("as text", "--text", "--all-functions", "traces.proftext"),
    show("as text, into a file", "--text", "--all-functions", "indexed.profdata", "-o", "OUT"),
    show("lists", "--topn=3", "--hot-func-list", "--detailed-summary", "--binary-ids", "--profile-version",
         "--temporal-profile-traces", "indexed.profdata"),
    show("covered", "--covered", "small.profraw"),
    show("covered, and text", "--covered", "--text", "--function=foo", "traces.proftext"),
    show("cutoffs", "--detailed-summary", "--hot-func-list", "--detailed-summary-cutoffs=1,999999,5", "small.profraw"),
    show("below", "--list-below-cutoff", "--value-cutoff=5", "small.profraw"),
    show("context", "--showcs", "--all-functions", "traces.proftext"),
    show("standard input", "-", stdin="indexed.profdata"),
    tool("overlap", "traces.proftext", "indexed.profdata", "-o", "OUT"),
    tool("overlap", "--value-cutoff=0", "small.profraw", "indexed.profdata"),
    tool("order", "traces.proftext", "-o", "OUT"),
    tool("order", "--num-test-traces=1", "two.proftext", "-o", "OUT"),
    tool("diff", "small.profraw", "indexed.profdata", "-o", "OUT"),
    tool("diff", "--json", "traces.proftext", "-", stdin="indexed.profdata"),
    tool("diff", "--fail-above=100", "small.profraw", "indexed.profdata", "-o", "OUT"),
    tool("diff", "--fail-above=0", "small.profraw", "indexed.profdata"),
    show("JSON", "--all-functions", "small.json"),
    Command("convert to JSON", ["convert", "small.profraw", "-o", "OUT", "--to=json"]),
    Command("convert to JSON on standard output", ["convert", "traces.proftext", "--to=json"]),
    Command("convert from JSON", ["convert", "small.json", "-o", "OUT", "--to=indexed"]),
    Command("convert from JSON to text", ["convert", "-", "-o", "OUT", "--to=text"], stdin="traces.json"),
    Command("convert a memory profile to JSON", ["convert", "heap.profdata", "-o", "OUT", "--to=json"]),
    Command("convert a memory profile from JSON", ["convert", "heap.json", "-o", "OUT", "--to=indexed"]),
    Command("convert bad JSON", ["convert", "bad.json", "-o", "OUT", "--to=indexed"]),
    Command("lookup", ["lookup", "indexed.profdata", "foo", "-o", "OUT"]),
    Command("lookup by hash", ["lookup", "--json", "--hash=1", "indexed.profdata", "foo"]),
    Command("lookup of nothing", ["lookup", "indexed.profdata", "none", "-o", "OUT"]),
    Command("lookup in text", ["lookup", "-", "bar", "-o", "OUT"], stdin="traces.proftext"),
    show("debug information", "--debug-info=debug4.elf", "--show-prof-sym-list", "-o", "OUT", libdw=3),
    show("debug information as YAML", "--debug-info=debug5.elf", "--show-format=yaml", libdw=3),
]


# A table of two functions, without one; f's is what it was; two probes of f, one of them inlined.
PAYLOAD = bytes.fromhex("01 808004 8877665544332211 03 00 04 04 02 00 0100000000000000 00 02 02 0200000000000000 01"
                        "01 0300000000000000 01 00")
TABLE = struct.pack("<III8s", 5, len(PAYLOAD), 1, b"BOLT") + PAYLOAD + bytes(-len(PAYLOAD) % 4)
F, G = (hashlib.md5(name).digest()[:8] for name in (b"f", b"g"))
PROBES = F + bytes.fromhex("0101 01 00 0000010000000000 02") + G + bytes.fromhex("0100 01 80 04")
DESCS = F + struct.pack("<QB", 7, 1) + b"f" + G + struct.pack("<QB", 8, 1) + b"g"
CODE = bytes.fromhex("85ff 7401 90 c3  e8f5ffffff c3")


def make_programs(directory):
    """f: test, je, nop, ret; g: call f, ret. With a table and probes; and before BOLT."""
    text = (".text", _elf.PROGBITS, _elf.CODE, 0x10000, CODE)
    probes = [(".pseudo_probe", _elf.PROGBITS, 0, 0, PROBES), (".pseudo_probe_desc", _elf.PROGBITS, 0, 0, DESCS)]
    functions = [("f", 1, 0x10000, 6), ("g", 1, 0x10006, 6)]
    files = {
        "program": _elf.build([text, (".note.bolt_bat", _elf.NOTE, 0, 0, TABLE)] + probes, functions),
        "original": _elf.build([text], functions),
        "table": TABLE, "section": PROBES, "desc": DESCS,
    }
    for name, data in files.items():
        with open(os.path.join(directory, name), "wb") as f:
            f.write(data)
    for view in "list", "desc":
        subprocess.run([ANYPROF, "probes", view, "--json", "program", "-o", view + ".json"], cwd=directory, check=True)


def make_inputs(directory):
    make_programs(directory)
    subprocess.run([SEEDS, directory], check=True)
    os.mkdir(os.path.join(directory, "programs"))
    shutil.copy(os.path.join(directory, "debug4.elf"), os.path.join(directory, "programs", "program"))
    for name, source in [("raw.profraw", "clang-22-ir"), ("small.profraw", "clang-14-ir")]:
        shutil.copy(os.path.join(PROFILES, source + ".profraw"), os.path.join(directory, name))
    shutil.copy(os.path.join(directory, "small.profraw"), os.path.join(directory, "again.profraw"))
    os.mkdir(os.path.join(directory, "dir"))
    os.mkdir(os.path.join(directory, "dir", "below"))
    os.mkdir(os.path.join(directory, "dir2"))
    shutil.copy(os.path.join(directory, "small.profraw"), os.path.join(directory, "dir", "below", "x"))
    texts = {
        "traces.proftext": TEXT,
        "two.proftext": TEXT.replace("1\n2\n2\nfoo,bar\n", "2\n2\n2\nfoo,bar\n1\nbar,foo\n"),
        "dir/y": TEXT,
        "list": "# a list\n2,traces.proftext\nsmall.profraw\n",
        "words": "small.profraw --for=llvm-16\n",
        "names": "# of functions\nfoo other\na b\n",
        "empty": "",
        "a.yaml": YAML % ("x", 1),
        "b.yaml": YAML % ("y", 2),
        "heap.yaml": HEAP % "s",
        "a.fdata": "no_lbr cycles:u\n1 main 0 5\n1 main 4 6\n",
        "b.fdata": "no_lbr branches\n1 f 0 5\n1 main 4 6\n4 f 8 4 x 0 1\n",
        "a.prof": "foo:10:1\n 1: 5 bar:3\n 2: bar:4\n  1: 4\n  !CFGChecksum: 77\n !CFGChecksum: 5\n",
        "b.prof": "foo:9:1\n 1: 9\n !CFGChecksum: 6\n !Attributes: 1\n",
        "samples": "T 10002 10005 10005 7\nB 1000b 10000 3 1\nF 10004 10005 2\n",
        "addresses": "0x10003\n0x10009\n5\n",
        "f.s": "\t.text\n\t.type f,@function\nf:\n\t.pseudoprobe 5 1 0 0 f\n\tret\n\t.addrsig\n",
        "bad.s": "f:\n\t.pseudoprobe 5 1 0 0 g\n",
        "dir2/c.fdata": "no_lbr cycles:u\n1 main 0 5\n1 main 4 6\n",
    }
    for name, text in texts.items():
        with open(os.path.join(directory, name), "w") as f:
            f.write(text)
    with open(os.path.join(directory, "raw.profraw"), "rb") as f:
        data = f.read()
    with open(os.path.join(directory, "bad.profraw"), "wb") as f:
        f.write(data[: len(data) // 2])
    make_cut(directory)
    with open("/bin/sh", "rb") as f, open(os.path.join(directory, "binary"), "wb") as g:
        g.write(f.read(1 << 20))
    subprocess.run([ANYPROF, "merge", "raw.profraw", "traces.proftext", "-o", "indexed.profdata"], cwd=directory,
                   check=True, stderr=subprocess.DEVNULL)
    for name in "small.profraw", "traces.proftext", "heap.profdata":
        subprocess.run([ANYPROF, "convert", name, "-o", name.split(".")[0] + ".json"], cwd=directory, check=True)
    with open(os.path.join(directory, "small.json")) as f, open(os.path.join(directory, "bad.json"), "w") as g:
        g.write(f.read()[:-10])


def make_cut(directory):
    """Damaged files of every format, of which something can be taken."""
    def read(name):
        with open(os.path.join(directory, name), "rb") as f:
            return f.read()

    small = read("small.profraw")
    indexed = subprocess.run([ANYPROF, "merge", "small.profraw", "traces.proftext"], cwd=directory, check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    cut = {"cut.profraw": small[:-300], "cut.profdata": indexed[: len(indexed) * 2 // 3],
           "cut.proftext": TEXT.encode()[:-3],
           "cut.gz": gzip.compress(small[:1400], mtime=0) + gzip.compress(small[1400:], mtime=0)[:-9]}
    for name, data in cut.items():
        with open(os.path.join(directory, name), "wb") as f:
            f.write(data)
    subprocess.run([ANYPROF, "merge", "--partial", *LIGHT, "heap.yaml", "-o", "light.part"], cwd=directory, check=True)
    subprocess.run([ANYPROF, "merge", "--sample", "--partial", "a.prof", "b.prof", "-o", "samples.part"], cwd=directory,
                   check=True)
    subprocess.run([ANYPROF, "merge", "heap.yaml", "traces.proftext", "-o", "heap.profdata"], cwd=directory, check=True,
                   stderr=subprocess.DEVNULL)


class Sweep:
    def __init__(self, inputs, work):
        self.inputs, self.work = inputs, work
        self.faults = self.harmless = 0
        self.failures = []

    def directory(self):
        return tempfile.mkdtemp(dir=self.work)

    def run(self, command, fault):
        directory = self.directory()
        try:
            return command.run(self.inputs, directory, fault)
        finally:
            os.rmdir(directory)

    def counts(self, command):
        """How often each function is called."""
        report = os.path.join(self.work, "%d.counts" % COMMANDS.index(command))
        result = self.run(command, {"FAULT_REPORT": report})
        with open(report) as f:
            return result, {name: int(n) for name, n in (line.split() for line in f)}

    def judge(self, command, reference, result, number):
        """What is wrong with a run; None: nothing."""
        code, out, err, there = result
        want_code, want_out, want_err, want_there = reference
        if code < 0:
            return "ended by signal %d" % -code
        if "Sanitizer" in err or "runtime error: " in err:
            return "a sanitizer found something"
        if command.finds and code == 1:
            if result == reference:
                return None
            if not err:
                printed = (there.get("out", b"") if command.has_file else out).decode()
                good = any(words in printed for words in words_of(number))
                return None if good and sorted(there) == sorted(want_there) else "the reason is not printed"
        elif code == want_code:
            kept = command.keeps and any("warning: " in line and words in line for words in words_of(number)
                                         for line in err.splitlines())
            if there != want_there and not kept and not (command.reports and is_report(there.get("out", b""))):
                return "other files: %s" % sorted(there)
            if out != want_out:
                return "other output"
            if code in (0, ABOVE):
                return None
        if code != (command.wrong if "words: " in err else 1):
            return "exit code %d" % code
        if not re.search("^error: ", err, re.M):
            return "no error was printed"
        if (code != want_code or command.finds) and not any(words in err for words in words_of(number)):
            return "the reason is not named"
        if command.reports and is_report(there.get("out", b"")):
            return None
        if there != ({"out": "-> real", "real": OLD} if command.link else {"out": OLD}):
            return "the old output is not as it was: %s" % sorted(there)
        return None

    def fail(self, command, reference, call, at, name):
        number = getattr(errno, name)
        result = self.run(command, {"FAULT_CALL": call, "FAULT_AT": at, "FAULT_ERRNO": str(number)})
        why = self.judge(command, reference, result, number)
        self.faults += 1
        self.harmless += result[0] == reference[0]
        ended = (result[0] == -signal.SIGSEGV and (command.capstone or command.libdw)
                 or ": libdw: Cannot allocate memory" in result[2] and command.libdw)
        if ended and call == "memory":
            command.crashes += 1
            return
        if not why and call in HARMLESS and result[0] != reference[0]:
            why = "it fails, although that call does not matter"
        if why:
            self.failures.append("%s, %s %s %s: %s\n    %s" % (command.name, call, at, name, why, result[2].strip()))

    def tasks(self, command, reference, counts):
        """What is made to fail: the k-th call; of memory also all that follow."""
        if reference[0] not in (0, 1, ABOVE) or counts["calls"]:
            self.failures.append("%s: %d, %s" % (command.name, reference[0], reference[2]))
        # Nothing is printed besides a file, so flushing nothing cannot fail.
        for call in FILES + INPUT_STREAMS + OTHERS + ([] if command.has_file else OUTPUT_STREAMS):
            for name in [DEFAULT_ERRORS.get(call, "EIO")] + MORE_ERRORS.get(call, []):
                for k in range(1, counts[call] + 1):
                    yield command, reference, call, "%d" % k, name
        allocations = 0 if SANITIZE else counts["malloc"] + counts["calloc"] + counts["realloc"]
        for k in range(1, allocations + 1):
            yield command, reference, "memory", "%d" % k, "ENOMEM"
            yield command, reference, "memory", "%d+" % k, "ENOMEM"


def main():
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command at '%s'" % ANYPROF)
        return 77
    if not os.path.exists(LIBRARY):
        print("skipped: no %s" % LIBRARY)
        return 77
    if "thread" in SANITIZE:
        print("skipped: ThreadSanitizer does not go with it")
        return 77
    commands = [c for c in COMMANDS if not sys.argv[1:] or any(a in c.name for a in sys.argv[1:])]
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as work:
        inputs = os.path.join(work, "inputs")
        os.mkdir(inputs)
        make_inputs(inputs)
        sweep = Sweep(inputs, work)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            references = list(pool.map(sweep.counts, commands))
            tasks = [t for c, (r, n) in zip(commands, references) for t in sweep.tasks(c, r, n)]
            for _ in pool.map(lambda task: sweep.fail(*task), tasks):
                pass
    for command in commands:  # once each alone, and once with all that follow
        if command.crashes > 2 * (command.capstone + command.libdw):
            sweep.failures.append("%s: ended by a signal %d times" % (command.name, command.crashes))
    for failure in sweep.failures[:60]:
        print("FAILED: " + failure)
    print("%d faults in %d commands, %d of them without consequences, %d failures"
          % (sweep.faults, len(commands), sweep.harmless, len(sweep.failures)))
    if not sys.argv[1:] and sweep.faults < FLOOR:
        print("FAILED: fewer faults than %d" % FLOOR)
        return 1
    return 1 if sweep.failures else 0


if __name__ == "__main__":
    sys.exit(main())
