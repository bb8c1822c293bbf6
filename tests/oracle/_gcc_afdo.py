# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles of GCC's AutoFDO, written and read from docs/formats/gcc-afdo.md alone."""

import collections
import struct

BYTES, FILES, SUMMARY, TIMES = 1, 2, 4, 8
WORD_704 = 0x3430372A
LAYOUTS = {"1": (1, 0), "704": (WORD_704, 0), "2": (2, BYTES), "3a": (3, BYTES | FILES),
           "3b": (3, BYTES | FILES | SUMMARY), "3": (3, BYTES | FILES | SUMMARY | TIMES)}
NO_FILE = 0xFFFFFFFF

# calls: [(line, discriminator, Node)]; lines: {(line, discriminator): (count, {target: count})}
Node = collections.namedtuple("Node", "name lines calls")
Function = collections.namedtuple("Function", "head node time", defaults=(0,))
# files: {name: file}, of names whose file is known
Profile = collections.namedtuple("Profile", "functions files", defaults=({},))


def node_names(node):
    yield node.name
    for _, targets in node.lines.values():
        yield from targets
    for _, _, callee in node.calls:
        yield from node_names(callee)


class Writer:
    def __init__(self, layout, order="<"):
        self.word, self.form = LAYOUTS[layout]
        self.order = order
        self.out = []

    def words(self, *numbers):
        self.out.append(struct.pack("%s%dI" % (self.order, len(numbers)), *numbers))

    def counter(self, number):
        self.words(number & 0xFFFFFFFF, number >> 32)

    def string(self, text):
        if self.form & BYTES:
            self.words(len(text) + 1)
            self.out.append(text + b"\0")
        else:
            self.words(len(text) // 4 + 1)
            self.out.append(text.ljust(len(text) // 4 * 4 + 4, b"\0"))

    def node(self, node, index):
        self.words(index[node.name], len(node.lines), len(node.calls))
        for (line, discriminator), (count, targets) in sorted(node.lines.items()):
            self.words(line << 16 | discriminator, len(targets))
            self.counter(count)
            for name, of_target in sorted(targets.items()):
                self.words(7)
                self.counter(index[name])
                self.counter(of_target)
        for line, discriminator, callee in node.calls:
            self.words(line << 16 | discriminator)
            self.node(callee, index)

    def profile(self, profile):
        """The summary has no rows, working sets are all zero, and lengths are 0: no reader uses them."""
        names = [b"", *sorted({name for f in profile.functions for name in node_names(f.node)})]
        files = sorted(set(profile.files.values()))
        self.words(0x67636461, self.word, 0)
        if self.form & SUMMARY:
            self.words(0xA8000000, *[0] * 12)
        self.words(0xAA000000, 0)
        if self.form & FILES:
            self.words(len(files))
            for file in files:
                self.string(file)
        self.words(len(names))
        for name in names:
            self.string(name)
            if self.form & FILES:
                self.words(files.index(profile.files[name]) if name in profile.files else NO_FILE)
        self.words(0xAC000000, 0, len(profile.functions))
        index = {name: i for i, name in enumerate(names)}
        for function in profile.functions:
            self.counter(function.head)
            if self.form & TIMES:
                self.counter(function.time)
            self.node(function.node, index)
        self.words(0xAE000000, 0, 0, 0xAF000000, 384, *[0] * 384)
        return b"".join(self.out)


def encode(profile, layout, order="<"):
    return Writer(layout, order).profile(profile)


class Reader:
    """Reads what our writer writes: everything must be as create_gcov writes it."""

    def __init__(self, data, layout, order="<"):
        self.data, self.at, self.order = data, 0, order
        self.word, self.form = LAYOUTS[layout]
        self.names, self.name_files = [], {}

    def words(self, n=1):
        found = struct.unpack_from("%s%dI" % (self.order, n), self.data, self.at)
        self.at += 4 * n
        return found[0] if n == 1 else found

    def counter(self):
        low, high = self.words(2)
        return low | high << 32

    def string(self):
        n = self.words()
        if not self.form & BYTES:
            n *= 4
        text = self.data[self.at:self.at + n]
        self.at += n
        end = text.index(b"\0")
        assert not text[end:].strip(b"\0") and n - end <= (1 if self.form & BYTES else 4)
        return text[:end]

    def node(self):
        name, n_lines, n_calls = self.words(3)
        assert name
        node = Node(self.names[name], {}, [])
        last = -1
        for _ in range(n_lines):
            place, n_targets = self.words(2)
            assert place > last
            last = place
            count, targets = self.counter(), {}
            for _ in range(n_targets):
                assert self.words() == 7
                target = self.names[self.counter()]
                assert target not in targets
                targets[target] = self.counter()
            node.lines[place >> 16, place & 0xFFFF] = (count, targets)
        last = (-1, b"")
        for _ in range(n_calls):
            place = self.words()
            callee = self.node()
            assert (place, callee.name) > last
            last = (place, callee.name)
            node.calls.append((place >> 16, place & 0xFFFF, callee))
        return node

    def profile(self):
        assert self.words(3) == (0x67636461, self.word, 0)
        if self.form & SUMMARY:
            assert self.words() == 0xA8000000
            self.words(10)
            self.words(5 * self.counter())
        assert self.words(2)[0] == 0xAA000000
        files = [self.string() for _ in range(self.words())] if self.form & FILES else []
        assert files == sorted(set(files))
        for _ in range(self.words()):
            self.names.append(self.string())
            file = self.words() if self.form & FILES else NO_FILE
            if file != NO_FILE:
                self.name_files[self.names[-1]] = files[file]
        assert self.names[0] == b"" and self.names == sorted(self.names)
        assert self.words(2)[0] == 0xAC000000
        functions = []
        for _ in range(self.words()):
            head = self.counter()
            time = self.counter() if self.form & TIMES else 0
            functions.append(Function(head, self.node(), time))
        names = [f.node.name for f in functions]
        assert names == sorted(names)
        assert self.form & FILES or len(names) == len(set(names))  # files tell equal names apart
        assert self.words(3)[::2] == (0xAE000000, 0)
        assert self.words(2) == (0xAF000000, 384)
        self.words(384)
        assert self.at == len(self.data)
        return Profile(functions, self.name_files)


def decode(data, layout, order="<"):
    return Reader(data, layout, order).profile()
