# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `anyprof profgen --for=gcc-N` have in common: programs of GCC, their runs, and profiles of these by
both tools as tables."""

import bisect
import collections
import os
import re
import shutil

import _bolt
import _gcc_afdo as afdo
import _profgen
from _bolt import ANYPROF, HERE, run

COMPILERS = ("gcc-11", "gcc-12")  # of Debian 12
RELEASES = tuple("gcc-%d" % n for n in range(11, 17))
SOURCES = os.path.join(HERE, "afdo")
DEPTH = 32
LAYOUTS = {"gcc-11": "1", **{"gcc-%d" % n: "2" for n in range(12, 16)}, "gcc-16": "3"}
MOST_SPAN = 1 << 20  # create_gcov takes no longer ranges

Symbol = collections.namedtuple("Symbol", "start end name")


def driver(compiler, source):
    return compiler.replace("gcc", "g++") if source.endswith(".cpp") else compiler


def installed(compiler, source):
    return shutil.which(driver(compiler, source)) is not None


def build(compiler, source, options, where, bare=False, edit=lambda text: text, debug="-gdwarf-4"):
    """Builds a program; `bare`: no row of its table of lines says that it is no statement. `edit` may change the
    assembler text. None: it cannot be built."""
    program = os.path.join(where, "app")
    text = os.path.join(where, "app.s")
    command = [driver(compiler, source), debug, *options]
    done = run([*command, "-S", os.path.join(SOURCES, source), "-o", text])
    if done.returncode:
        return None
    with open(text, encoding="utf-8") as f:
        lines = f.read()
    with open(text, "w", encoding="utf-8") as f:
        f.write(edit(re.sub(r"( is_stmt [01])", "", lines) if bare else lines))
    done = run([command[0], *[o for o in options if "pie" in o], text, "-o", program])
    return program if done.returncode == 0 else None


class Run:
    """A program that has run: every range between its branches is in one of the stacks."""

    def __init__(self, program, where):
        self.path, self.where = program, where
        self.program = _profgen.Built(program)
        traced = os.path.join(where, "traced")
        done = run([_bolt.TRACER, "-P", traced, "-d", str(DEPTH), "-n", str(DEPTH - 1), "--", program])
        self.output, self.code = done.stdout.decode(), done.returncode
        self.stacks = _profgen.read_stacks(traced)
        self.base = 0x555555000000 if self.program.movable else 0
        self.text = os.path.join(where, "text")
        _profgen.write_text(self.text, self.program, self.stacks, self.base)
        self.branches, self.ranges = self.count()
        self.symbols, self.by_start = self.read_symbols()
        self.jumps = self.read_jumps()

    def count(self):
        """Of the stacks, as create_gcov counts: {(from, to): n} and {(first, last): n}."""
        branches, ranges = collections.Counter(), collections.Counter()
        for entries, _ in self.stacks:
            for i, (start, to, _) in enumerate(entries):
                if start and to:
                    branches[start, to] += 1
                end = entries[i - 1][0] if i else 0
                if to and end and to <= end <= to + MOST_SPAN:
                    ranges[to, end] += 1
        return branches, ranges

    def read_symbols(self):
        symbols = []
        for line in run(["nm", "-S", "--defined-only", self.path]).stdout.decode().splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwW":
                start, size = int(words[0], 16), int(words[1], 16)
                symbols.append(Symbol(start, start + size, words[3]))
        symbols.sort()
        by_start = collections.defaultdict(list)
        for symbol in symbols:
            by_start[symbol.start].append(symbol.name)
        return symbols, by_start

    def read_jumps(self):
        """The addresses of jumps, which are no calls."""
        code = run(["objdump", "-d", "--no-show-raw-insn", self.path]).stdout.decode()
        return {int(a, 16) for a in re.findall(r"^ *([0-9a-f]+):\t(?:bnd |notrack )*j", code, re.M)}

    def function_at(self, address):
        """The name of the function that has an address; "": none."""
        i = bisect.bisect_right(self.symbols, (address, 1 << 64, "")) - 1
        return stem(self.symbols[i].name) if i >= 0 and address < self.symbols[i].end else ""

    def names_at(self, address):
        """All names of the function that has an address."""
        i = bisect.bisect_right(self.symbols, (address, 1 << 64, "")) - 1
        inside = i >= 0 and address < self.symbols[i].end
        return {stem(name) for name in self.by_start[self.symbols[i].start]} if inside else set()

    def offset(self, address):
        for start, size, offset in self.program.segments:
            if start <= address < start + size:
                return address - start + offset
        raise ValueError("no code at %x" % address)

    def entered(self, start):
        """The branches to a function that enter it, and all of them: {from: n}."""
        every = {a: n for (a, b), n in self.branches.items() if b == start}
        name = self.function_at(start)
        return {a: n for a, n in every.items() if not (a in self.jumps and self.function_at(a) == name)}, every


# ---- profiles ----------------------------------------------------------------------------------------------------

def stem(name):
    """What GCC up to 15 looks a function up by."""
    name = re.sub(r"(C|D)4(Ev|EPKc|EPKcRKS2_)$", r"\g<1>2\2", name)
    return name if name.startswith(".") else name.split(".")[0]


def is_split(name):
    return re.search(r"\.(cold|part\.\d+)(\.|$)", name) is not None


class Table:
    """A profile: {path of a place: count}, {path: {callee: count}}, {function: head}, {function: first time}. A path is
    the function, then places and functions that are inlined there, then the place of the count."""

    def __init__(self):
        self.counts, self.targets = collections.Counter(), collections.defaultdict(collections.Counter)
        self.heads, self.times, self.files = collections.Counter(), {}, {}

    def add(self, node, path):
        for at, (count, targets) in node.lines.items():
            self.counts[(*path, at)] += count
            for name, n in targets.items():
                if not is_split(name.decode()):
                    self.targets[(*path, at)][stem(name.decode())] += n
        for line, discriminator, callee in node.calls:
            self.add(callee, (*path, (line, discriminator), stem(callee.name.decode())))

    def sum_of(self, function):
        return sum(n for path, n in self.counts.items() if path[0] == function)


def read_table(path, layout):
    table = Table()
    with open(path, "rb") as f:
        profile = afdo.decode(f.read(), layout)
    table.files = {name.decode(): file.decode() for name, file in profile.files.items()}
    for function in profile.functions:
        name = function.node.name.decode()
        table.add(function.node, (stem(name),))
        table.times[stem(name)] = function.time
        if not is_split(name):
            table.heads[stem(name)] += function.head
    return table


def create_gcov(ran):
    """What create_gcov makes of a run; None: it fails."""
    maps, out = os.path.join(ran.where, "maps"), os.path.join(ran.where, "theirs.afdo")
    with open(maps, "w", encoding="ascii") as f:
        f.write("%d\n" % len(ran.ranges))
        for (a, b), n in sorted(ran.ranges.items()):
            f.write("%x-%x:%d\n" % (ran.offset(a), ran.offset(b), n))
        f.write("0\n%d\n" % len(ran.branches))
        for (a, b), n in sorted(ran.branches.items()):
            f.write("%x->%x:%d\n" % (ran.offset(a), ran.offset(b), n))
    done = run(["create_gcov", "--binary=" + ran.path, "--profiler=text", "--profile=" + maps, "--gcov_version=1",
                "--gcov=" + out])
    return read_table(out, "1") if done.returncode == 0 else None


def profgen(ran, target, *words, source=None):
    """The path of what anyprof makes of a run, and what it says; (None, message): it fails."""
    out = os.path.join(ran.where, "ours.afdo")
    done = run([ANYPROF, "profgen", "--binary=" + ran.path, source or "--perfscript=" + ran.text, "--for=" + target,
                "-o", out, *words])
    return out if done.returncode == 0 else None, done.stderr.decode()


def missing():
    why = _bolt.can_trace()
    if not why and not any(shutil.which(compiler) for compiler in RELEASES):
        why = "needs a GCC from 11 to 16"
    return why
