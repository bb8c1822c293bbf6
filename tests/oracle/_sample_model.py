# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sample profiles as Python has them: read from text, merged by the rules of anyprof, summarised, printed as
llvm-profdata-22 prints them.

An id is a name, a str whose characters are the bytes (latin-1), or a GUID, an int: the MD5 of a name that is not
known. A key is an id, or in a context-sensitive profile a tuple of frames (id, line, discriminator), outermost first.

The rules of a merge, where LLVM's result depends on the order of the inputs or loses counts:
- a function has one checksum: that of most weight, which is the sum of the weights of the inputs that have it, then
  that of the largest total, then the smallest. Instances with another are left out, with what is inlined in them; 0 is
  no checksum and goes with the others.
- attributes are those of all instances that are counted;
- sums saturate at 2^64-1;
- a name and its GUID are the same function, target and inlinee.
"""

import hashlib
import itertools
import re
import struct

U64 = (1 << 64) - 1
CUTOFFS = (10000, 100000, 200000, 300000, 400000, 500000, 600000, 700000, 800000, 900000, 950000, 990000, 999000,
           999900, 999990, 999999)


def guid(name):
    return int.from_bytes(hashlib.md5(name.encode("latin-1")).digest()[:8], "little")


def add(a, b, weight=1):
    return min(a + b * weight, U64)


def id_order(of):
    """GUIDs before names."""
    return (0, of, "") if isinstance(of, int) else (1, 0, of)


def key_order(key):
    if isinstance(key, tuple):
        return tuple((id_order(name), line, disc) for name, line, disc in key)
    return id_order(key)


class Samples:
    """A function or an inlinee. lines: {location: [count, {target: count}]}; calls: {location: {callee: Samples}};
    vtables: {location: {symbol: count}}; a location is (line, discriminator)."""

    __slots__ = ("total", "head", "lines", "calls", "vtables", "checksum", "attributes", "votes")

    def __init__(self, total=0, head=0):
        self.total, self.head, self.checksum, self.attributes = total, head, 0, 0
        self.votes = 1  # the weight of the inputs that it is in
        self.lines, self.calls, self.vtables = {}, {}, {}

    def copy(self):
        other = Samples(self.total, self.head)
        other.checksum, other.attributes = self.checksum, self.attributes
        other.lines = {at: [line[0], dict(line[1])] for at, line in self.lines.items()}
        other.calls = {at: {callee: s.copy() for callee, s in callees.items()} for at, callees in self.calls.items()}
        other.vtables = {at: dict(symbols) for at, symbols in self.vtables.items()}
        return other

    def inlinees(self):
        for callees in self.calls.values():
            yield from callees.values()

    def walk(self):
        """This one, and all that are inlined in it."""
        todo = [self]
        while todo:
            one = todo.pop()
            yield one
            todo += one.inlinees()

    def depth(self):
        """How many levels of inlinees there are."""
        level, depth = list(self.inlinees()), 0
        while level:
            depth, level = depth + 1, [inner for one in level for inner in one.inlinees()]
        return depth


class Profile:
    """functions: {key: Samples}."""

    def __init__(self):
        self.functions = {}

    def copy(self):
        other = Profile()
        other.functions = {key: s.copy() for key, s in self.functions.items()}
        return other

    @property
    def is_cs(self):
        return any(isinstance(key, tuple) for key in self.functions)

    @property
    def is_probe(self):
        return any(s.checksum for s in self.functions.values())

    @property
    def has_attributes(self):
        return any(one.attributes for s in self.functions.values() for one in s.walk())

    @property
    def has_vtables(self):
        return any(one.vtables for s in self.functions.values() for one in s.walk())

    def names(self):
        """All ids, as they are found."""
        for key, s in self.functions.items():
            if isinstance(key, tuple):
                yield from (name for name, _, _ in key)
            else:
                yield key
            for one in s.walk():
                for _, targets in one.lines.values():
                    yield from targets
                for callees in one.calls.values():
                    yield from callees
                for symbols in one.vtables.values():
                    yield from symbols

    def renamed(self, new, strip=False):
        """Each id replaced by new(id); what becomes equal is added. `strip`: without checksums and attributes."""
        parts = [(renamed_key(key, new), renamed_samples(s, new, strip)) for key, s in self.functions.items()]
        return merge([(single(key, s), 1) for key, s in parts])

    def hashed(self):
        """With GUIDs only."""
        return self.renamed(lambda name: name if isinstance(name, int) else guid(name))


def single(key, samples):
    profile = Profile()
    profile.functions[key] = samples
    return profile


def renamed_key(key, new):
    return tuple((new(name), line, disc) for name, line, disc in key) if isinstance(key, tuple) else new(key)


def renamed_samples(samples, new, strip):
    result = Samples(samples.total, samples.head)
    if not strip:
        result.checksum, result.attributes = samples.checksum, samples.attributes
    for at, (count, targets) in samples.lines.items():
        line = result.lines[at] = [count, {}]
        for target, n in targets.items():
            line[1][new(target)] = add(line[1].get(new(target), 0), n)
    for at, symbols in samples.vtables.items():
        result.vtables[at] = {new(symbol): n for symbol, n in symbols.items()}
    for at, callees in samples.calls.items():
        of = result.calls[at] = {}
        for callee, inner in callees.items():
            inner = renamed_samples(inner, new, strip)
            of[new(callee)] = sum_of([(of[new(callee)], 1), (inner, 1)]) if new(callee) in of else inner
    return result


# ---- merging -----------------------------------------------------------------------------------------------------


def winner(instances):
    """The checksum that the instances, (Samples, weight) pairs, have together."""
    weights, totals = {}, {}
    for samples, weight in instances:
        if samples.checksum:
            weights[samples.checksum] = weights.get(samples.checksum, 0) + weight * samples.votes
            totals[samples.checksum] = add(totals.get(samples.checksum, 0), samples.total, weight)
    if not weights:
        return 0
    return min(weights, key=lambda checksum: (-weights[checksum], -totals[checksum], checksum))


def sum_of(instances):
    result = Samples()
    result.checksum, result.votes = winner(instances), 0
    inner = {}
    for samples, weight in instances:
        if samples.checksum not in (0, result.checksum):
            continue
        result.total = add(result.total, samples.total, weight)
        result.head = add(result.head, samples.head, weight)
        result.votes += weight * samples.votes
        result.attributes |= samples.attributes
        for at, (count, targets) in samples.lines.items():
            line = result.lines.setdefault(at, [0, {}])
            line[0] = add(line[0], count, weight)
            for target, n in targets.items():
                line[1][target] = add(line[1].get(target, 0), n, weight)
        for at, symbols in samples.vtables.items():
            of = result.vtables.setdefault(at, {})
            for symbol, n in symbols.items():
                of[symbol] = add(of.get(symbol, 0), n, weight)
        for at, callees in samples.calls.items():
            for callee, found in callees.items():
                several = found if isinstance(found, list) else [found]
                inner.setdefault(at, {}).setdefault(callee, []).extend((s, weight) for s in several)
    result.calls = {at: {callee: sum_of(found) for callee, found in callees.items()} for at, callees in inner.items()}
    return result


def merge(inputs):
    """inputs: (Profile, weight) pairs; names are found for GUIDs before."""
    found = {}
    for profile, weight in inputs:
        for key, samples in profile.functions.items():
            found.setdefault(key, []).append((samples, weight))
    result = Profile()
    result.functions = {key: sum_of(instances) for key, instances in found.items()}
    return result


def with_names(profiles):
    """The profiles with names in place of the GUIDs that a name of any of them has."""
    known = {guid(name): name for profile in profiles for name in profile.names() if isinstance(name, str)}
    return [profile.renamed(lambda name: known.get(name, name)) for profile in profiles]


def conflicts(profiles):
    """Whether instances of a function have different checksums, or none beside one."""
    def clash(instances):
        if len({s.checksum for s in instances}) > 1:
            return True
        inner = {}
        for samples in instances:
            for at, callees in samples.calls.items():
                for callee, s in callees.items():
                    inner.setdefault((at, callee), []).append(s)
        return any(map(clash, inner.values()))

    found = {}
    for profile in profiles:
        for key, samples in profile.functions.items():
            found.setdefault(key, []).append(samples)
    return any(map(clash, found.values()))


def attributes_last(text):
    """A text with the metadata of each function in the order that LLVM reads without loss: the attributes last."""
    lines = []
    for _, run in itertools.groupby(text.split(b"\n"), lambda line: re.match(rb" *!", line) and line.index(b"!")):
        lines += sorted(run, key=lambda line: line.lstrip().startswith(b"!Attributes"))
    return b"\n".join(lines)


# ---- without inlined functions ----------------------------------------------------------------------------------


def entry_estimate(samples):
    """How often the function was entered: the count of its first line, or of what is inlined there."""
    first_line, first_call = min(samples.lines, default=None), min(samples.calls, default=None)
    count = 0
    if first_call is not None and (first_line is None or first_call <= first_line):
        for inner in samples.calls[first_call].values():
            count = add(count, entry_estimate(inner))
    elif first_line is not None:
        count = samples.lines[first_line][0]
    return count or int(samples.total > 0)


def flat_instance(samples):
    """The samples without what is inlined in them: calls are in its place."""
    result = Samples(samples.total)
    result.checksum, result.attributes, result.votes = samples.checksum, samples.attributes, samples.votes
    result.lines = {at: [line[0], dict(line[1])] for at, line in samples.lines.items()}
    result.vtables = samples.vtables
    for at in sorted(samples.calls):
        for callee in sorted(samples.calls[at], key=id_order):
            inner, line = samples.calls[at][callee], result.lines.setdefault(at, [0, {}])
            count = entry_estimate(inner)
            result.total = add(max(result.total - inner.total, 0), count)
            line[0] = add(line[0], count)
            line[1][callee] = add(line[1].get(callee, 0), count)
    return result


def flatten(profile):
    """What --convert-sample-profile-layout=flat makes of a profile without contexts. Inlined functions that the base
    profile has a copy of are left out."""
    found, todo = {}, list(profile.functions.items())
    while todo:
        name, samples = todo.pop()
        found.setdefault(name, []).append((flat_instance(samples), 1))
        todo += [(callee, inner) for callees in samples.calls.values() for callee, inner in callees.items()
                 if not inner.attributes & 4]
    result = Profile()
    result.functions = {name: sum_of(instances) for name, instances in found.items()}
    for samples in result.functions.values():
        first = min(samples.lines, default=None)
        samples.head = samples.lines[first][0] if first is not None else 0
        samples.head = samples.head or int(samples.total > 0)
    return result


# ---- contexts as inlined functions -------------------------------------------------------------------------------


def without_calls(samples, calls):
    """Removes calls, (location, name) pairs, and the counts of their lines; returns the sum of these counts."""
    removed = 0
    for at in {at for at, _ in calls if at in samples.lines}:
        line, count = samples.lines[at], 0
        for name in [name for name in line[1] if (at, name) in calls]:
            count = add(count, line[1].pop(name))
        count = min(count, line[0])
        removed, line[0] = add(removed, count), line[0] - count
        if not line[0] and not line[1]:
            del samples.lines[at]
    return removed


def nest(profile, merged_base):
    """What --convert-sample-profile-layout=nest makes of a context-sensitive profile: a function whose caller has a
    profile in its context becomes an inlined one of it, in place of the calls there; others are added to their base
    profiles, which decide about checksums together. With `merged_base`, inlined ones are added there, too."""
    trees = {key if isinstance(key, tuple) else ((key, 0, 0),): s.copy() for key, s in profile.functions.items()}
    bases = []
    inner = {}  # the keys of what is nested in a key
    for key in trees:
        caller = (*key[:-2], (key[-2][0], 0, 0)) if len(key) > 1 else None
        inner.setdefault(caller if caller in trees else None, []).append(key)
    for key in sorted(trees, key=len, reverse=True):
        tree, nested = trees[key], inner.get(key, [])
        removed = without_calls(tree, {(child[-2][1:], child[-1][0]) for child in nested})
        for child in nested:
            at, name = child[-2][1:], child[-1][0]
            callees = tree.calls.setdefault(at, {})
            callees[name] = [*([callees[name]] if name in callees and not isinstance(callees[name], list)
                               else callees.get(name, [])), trees[child]]
            tree.total = add(tree.total, trees[child].total)
        tree.total = max(tree.total - removed, 0)
        is_nested = key not in inner.get(None, [])
        if merged_base or not is_nested:
            base = Samples(tree.total, tree.head)
            for name in ("checksum", "attributes", "votes", "lines", "calls", "vtables"):
                setattr(base, name, getattr(tree, name))
            bases.append((key[-1][0], base))
        if is_nested:
            tree.head = 0
            tree.attributes |= 4 if merged_base else 0
    found = {}
    for name, base in bases:
        found.setdefault(name, []).append((base, 1))
    result = Profile()
    result.functions = {name: sum_of(instances) for name, instances in found.items()}
    return result


# ---- summary -----------------------------------------------------------------------------------------------------


class Summary:
    """entries: (cutoff, least count, number of lines). Contexts of a function are added before."""

    def __init__(self, profile, cutoffs=CUTOFFS):
        if profile.is_cs:
            profile = without_contexts(profile)
        self.functions = len(profile.functions)
        self.max_head = max([s.head for s in profile.functions.values()], default=0)
        counts = sorted((count for s in profile.functions.values() for count in counted_lines(s)), reverse=True)
        self.lines, self.max_count = len(counts), counts[0] if counts else 0
        self.total = sum(counts) & U64
        self.entries = [(cutoff, *reach(counts, self.total * cutoff // 1000000)) for cutoff in cutoffs]

    def text(self):
        """As show --detailed-summary ends."""
        out = ["Total functions: %d" % self.functions, "Maximum function count: %d" % self.max_head,
               "Maximum internal block count: 0", "Total number of blocks: %d" % self.lines,
               "Total count: %d" % self.total, "Detailed summary:"]
        for cutoff, least, lines in self.entries:
            of_all = float32(float32(100.0 * lines) / float32(self.lines)) if self.lines else 0
            part = float32(100.0 * cutoff / 1000000)
            out.append("%d blocks (%.2f%%) with count >= %d account for %0.6g%% of the total counts." %
                       (lines, of_all, least, part))
        return "\n".join(out) + "\n"


def without_contexts(profile):
    """The contexts of each function added up."""
    bases = ((key[-1][0] if isinstance(key, tuple) else key, s) for key, s in profile.functions.items())
    return merge([(single(name, s), 1) for name, s in bases])


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def counted_lines(samples):
    """Counts of all lines but those of inlinees that are in a base profile, too."""
    todo = [samples]
    while todo:
        one = todo.pop()
        yield from (line[0] for line in one.lines.values())
        todo += [inner for inner in one.inlinees() if not inner.attributes & 4]


def reach(counts, desired):
    """How small a count gets, and how many lines there are, until their sum is `desired`."""
    total = at = 0
    least = 0
    while total < desired and at < len(counts):
        least = counts[at]
        while at < len(counts) and counts[at] == least:
            total, at = total + least, at + 1
    return least, at


# ---- printing ----------------------------------------------------------------------------------------------------


def location(at):
    return "%d.%d" % at if at[1] else "%d" % at[0]


def context_text(key):
    """The frames without brackets."""
    frames = ["%s:%s" % (name, location((line, disc))) for name, line, disc in key[:-1]]
    return " @ ".join([*frames, "%s" % key[-1][0]])


def key_text(key):
    return "[%s]" % context_text(key) if isinstance(key, tuple) else "%s" % key


def print_line(at, line):
    targets = sorted(line[1].items(), key=lambda pair: (-pair[1], id_order(pair[0])))
    return "%s: %d%s" % (location(at), line[0], "".join(" %s:%d" % pair for pair in targets))


def print_vtables(at, symbols):
    listed = sorted(symbols.items(), key=lambda pair: id_order(pair[0]))
    return "%s: vtables %s " % (location(at), " ".join("%s:%d" % pair for pair in listed))


def print_body(samples, out, blanks, is_cs, is_probe):
    for at in sorted(samples.lines):
        out.append(blanks + print_line(at, samples.lines[at]))
        if at in samples.vtables:
            out.append(blanks + print_vtables(at, samples.vtables[at]))
    for at in sorted(samples.calls):
        for callee in sorted(samples.calls[at], key=id_order):
            inner = samples.calls[at][callee]
            out.append("%s%s: %s:%d" % (blanks, location(at), "[%s]" % callee if is_cs else callee, inner.total))
            print_body(inner, out, blanks + " ", is_cs, is_probe)
        if at in samples.vtables:
            out.append(blanks + print_vtables(at, samples.vtables[at]))
    if is_probe:
        out.append("%s!CFGChecksum: %d" % (blanks, samples.checksum))
    if samples.attributes:
        out.append("%s!Attributes: %d" % (blanks, samples.attributes))


def to_text(profile):
    """The bytes, as llvm-profdata-22 merge --sample --text writes them."""
    out, is_cs, is_probe = [], profile.is_cs, profile.is_probe
    for key in sorted(profile.functions, key=lambda k: (-profile.functions[k].total, key_order(k))):
        samples = profile.functions[key]
        key = ((key, 0, 0),) if is_cs and not isinstance(key, tuple) else key
        out.append("%s:%d:%d" % (key_text(key), samples.total, samples.head))
        print_body(samples, out, " ", is_cs, is_probe)
    return "".join(line + "\n" for line in out).encode("latin-1")


# ---- reading -----------------------------------------------------------------------------------------------------

TARGET = re.compile(r" +(.+?):(\d+)(?= |$)")
HASHED = re.compile(r"\d+:\d+$")  # an inlinee of which only the hash is known
LOCATED = re.compile(r"(\d+)(?:\.(\d+))?:.(.*)$")


def read_key(text):
    """The key that a header has: a context in brackets, or a name."""
    if not text.startswith("["):
        return text
    frames = []
    for frame in text[1:-1].split(" @ "):
        name, _, at = frame.partition(":")
        line, _, disc = at.partition(".")
        frames.append((name, int(line or 0), int(disc or 0)))
    return tuple(frames)


def read_line(samples, at, text):
    count, targets = re.match(r"(\d+)(.*)$", text).groups()
    line = samples.lines.setdefault(at, [0, {}])
    line[0] = add(line[0], int(count))
    for target, n in dict(TARGET.findall(targets)).items():
        line[1][target] = add(line[1].get(target, 0), int(n))


def read_metadata(samples, text):
    word, _, number = text.partition(": ")
    samples.attributes = int(number) if word == "!Attributes" else 0
    if word == "!CFGChecksum" and int(number):
        samples.checksum = int(number)


def parse(data):
    """The profile in a text that is right."""
    profile, stack = Profile(), []
    for text in data.decode("latin-1").replace("\r\n", "\n").split("\n"):
        depth = len(text) - len(text.lstrip(" "))
        line = text[depth:]
        if not line or line.startswith("#"):
            continue
        if depth == 0:
            name, total, head = line.rsplit(":", 2)
            samples = profile.functions.setdefault(read_key(name), Samples())
            samples.total, samples.head = add(samples.total, int(total)), add(samples.head, int(head))
            stack = [samples]
            continue
        del stack[depth:]
        if line.startswith("!"):
            read_metadata(stack[-1], line)
            continue
        number, disc, rest = LOCATED.match(line).groups()
        at = (int(number), int(disc or 0))
        if rest[0].isdigit() and not HASHED.match(rest):
            read_line(stack[-1], at, rest)
        elif rest.startswith("vtables "):
            symbols = stack[-1].vtables.setdefault(at, {})
            for symbol, n in TARGET.findall(rest[len("vtables"):]):
                symbols[symbol] = add(symbols.get(symbol, 0), int(n))
        else:
            callee, total = rest.rsplit(":", 1)
            callee = callee[1:-1] if callee.startswith("[") else callee
            inner = stack[-1].calls.setdefault(at, {}).setdefault(callee, Samples())
            inner.total = add(inner.total, int(total))
            stack.append(inner)
    return profile
