# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sample profiles made from a seed: the same seed makes the same bytes, whatever the Python."""

import hashlib

import _generate as g
import _sample_model as m

U64 = m.U64
WORDS = "alpha beta Buffer core Engine flush Hash index Joiner kernel Lexer map Node open Parser queue Reader".split()
SUFFIXES = [".llvm.%d", ".part.%d", ".__uniq.%d", ".__uniq.%d.llvm.77", ".part.%d.llvm.3", ".cold.%d", ".llvm.%d.1",
            ".constprop.%d.isra.0", ".resume.%d"]
ODD_NAMES = ["operator()(int, char) const", "ns::f(ns::T const&)", "-[Class method:with:]", "naïve", "$dollar", "a",
             "~dtor", "x" * 255, "y" * 3000, "tab\tinside", "<T>::g", "0", "7seven"]

# Of local functions, for names with a hash of the file, as -funique-internal-linkage-names makes them.
FILES = ["f.c", "dir/g.cpp", "a b.cc", "x.H", "z.rs"]

# What a kind of profile is made of; options of make_profile.
KINDS = {
    "plain": {},
    "small": {"counts": "small", "lines": 3, "targets": 30},
    "long": {"names": "long", "targets": 70, "most_targets": 40},
    "static": {"names": "suffixed"},
    "odd": {"names": "odd"},
    "deep": {"chain": 40, "functions": 6, "inlined": 30},
    "wide": {"inlined": 60, "depth": 3, "functions": 40},
    "fs": {"discs": 32},
    "probe": {"probe": True, "inlined": 30, "depth": 6},
    "probeattr": {"probe": True, "attributes": [0, 0, 1, 2, 3], "inlined": 30, "depth": 6},
    "attr": {"attributes": [0, 1, 2, 3], "inlined": 30, "depth": 4},
    "base": {"attributes": [0, 4, 5], "inlined": 30, "depth": 4, "no_attributes": [0]},
    "huge": {"counts": "huge"},
    "empty": {"empty": 40, "functions": 20},
    "far": {"offsets": 65535, "discs": 16},
    "cs": {"cs": True, "attributes": [0, 0, 1]},
    "csdeep": {"cs": True, "functions": 40, "frames": 12},
    "csrecursive": {"cs": True, "callees": 2, "frames": 9},
    "csprobe": {"cs": True, "probe": True, "attributes": [0, 1, 2, 3], "functions": 30},
    "vtables": {"vtables": 40, "names": "long"},
}
PLAIN = tuple(kind for kind, options in KINDS.items() if not options.get("cs"))
CS = tuple(kind for kind, options in KINDS.items() if options.get("cs"))
PROBE = tuple(kind for kind, options in KINDS.items() if options.get("probe"))


def make_name(rng, i, how):
    if how == "long" or how is None and rng.chance(20):
        parts = [rng.pick(WORDS) + (str(rng.below(90)) if rng.chance(40) else "") for _ in range(rng.between(1, 5))]
        nested = "".join("%d%s" % (len(part), part) for part in parts)
        args = "".join(rng.pick(["i", "v", "j", "PKc", "RKT_", "S0_", "St6vectorIiSaIiEE"]) for _ in range(3))
        return "_ZN%s%dEv" % (nested, i) if rng.chance(50) else "_ZNK%sIXadL_Z3f%dEEEE%s" % (nested, i, args)
    if how == "suffixed" and rng.chance(70):
        # Some differ in their suffixes only: they are different keys.
        return "static_%d" % (i // 3) + rng.pick(SUFFIXES) % (i if rng.chance(50) else rng.bits())
    if how == "hashed" and rng.chance(70):
        digest = int.from_bytes(hashlib.md5(rng.pick(FILES).encode()).digest(), "big")
        return "static_%d.__uniq.%d" % (i, digest)
    if how == "odd" and rng.chance(60):
        return rng.pick(ODD_NAMES) + "_%d" % i
    return "function_%d" % i


def make_names(rng, number, how):
    names = []
    while len(names) < number:
        name = make_name(rng, len(names), how).encode("utf-8").decode("latin-1")
        if name not in names:
            names.append(name)
    return names


def make_count(rng, how):
    if how == "huge" and rng.chance(30):
        return U64 - rng.pick([0, 1, 2, rng.below(1000), rng.below(1 << 62)])
    if how == "small":
        return rng.below(4)
    shape = rng.below(10)
    if shape < 2:
        return rng.below(3)
    if shape < 8:
        return rng.below(5000)
    return rng.below(1 << rng.between(1, 40))


class Maker:
    """The program of a profile: names, checksums, and what its options say."""

    def __init__(self, rng, options):
        self.rng, self.options = rng, options
        self.names = make_names(rng, options.get("functions", 15), options.get("names"))
        self.callees = [name for name in self.names if not name[0].isdigit()]  # in text that would be a count
        self.others = ["_ZTV%d%s" % (i, rng.pick(WORDS)) for i in range(options.get("vtables", 0))]
        self.probe, self.cs = options.get("probe"), options.get("cs")
        self.checksums = {name: self.checksum(rng) for name in self.names}

    def checksum(self, rng):
        if not self.probe or rng.chance(self.options.get("no_checksum", 0)):
            return 0
        return 4294967295 if rng.chance(20) else rng.bits() >> rng.pick([0, 4, 16])

    def location(self, calls=False):
        rng = self.rng
        if self.probe:
            return rng.between(1, 40), 0
        line = rng.below(self.options.get("offsets", 200) + 1)
        bits = self.options.get("discs", 3)
        disc = rng.below(1 << bits) if rng.chance(60 if bits > 8 else 25) else 0
        if self.cs and calls:
            disc = rng.below(4) if rng.chance(30) else 0
        return line, disc

    def targets(self):
        rng, most = self.rng, self.options.get("most_targets", 4)
        if not rng.chance(self.options.get("targets", 20)):
            return {}
        same = rng.below(100)
        number = rng.between(1, most) if rng.chance(30) else 1
        return {name: same if rng.chance(40) else make_count(rng, self.options.get("counts"))
                for name in rng.shuffled(self.names, number)}

    def symbols(self):
        return {symbol: self.rng.below(1000) for symbol in self.rng.shuffled(self.others, self.rng.between(1, 4))}

    def samples(self, name, depth=0, top=True):
        rng, options = self.rng, self.options
        s = m.Samples()
        s.checksum = self.checksums[name]
        flags = options.get("attributes") if not top or self.cs else options.get("no_attributes",
                                                                                options.get("attributes"))
        if flags and rng.chance(50):
            s.attributes = rng.pick(flags)
        if not rng.chance(options.get("empty", 3)):
            for _ in range(rng.between(1, options.get("lines", 8))):
                at = self.location()
                s.lines[at] = [make_count(rng, options.get("counts")), self.targets()]
                # A location with an inlinee only has no count for vtables; then LLVM's text loses or doubles them.
                if self.others and rng.chance(30):
                    s.vtables[at] = self.symbols()
        if top:
            s.head = make_count(rng, options.get("counts")) if rng.chance(70) else 0
        if not self.cs:
            self.inline(s, depth)
        s.total = make_count(rng, options.get("counts")) if rng.chance(20) else sum_of_counts(s)
        return s

    def inline(self, s, depth):
        """Inlinees, several at one location now and then; with `chain` there is one that has one, and so on."""
        rng, options = self.rng, self.options
        chain = options.get("chain", 0)
        sites = rng.between(1, 3) if depth < options.get("depth", 2) and rng.chance(options.get("inlined", 25)) else 0
        for i in range(max(sites, depth < chain)):
            at = self.location(calls=True)
            if at in s.vtables:
                continue
            for n, callee in enumerate(rng.shuffled(self.callees, 1 if rng.chance(85) else rng.between(1, 3))):
                below = depth + 1 if i == n == 0 else max(depth + 1, chain)
                s.calls.setdefault(at, {})[callee] = self.samples(callee, below, False)

    def contexts(self):
        """Keys: base contexts, and chains of calls of which longer ones go on from shorter ones."""
        rng, options = self.rng, self.options
        most, sites = options.get("frames", 4), {}
        keys = []
        for name in self.names:
            if rng.chance(70):
                keys.append(((name, 0, 0),))
        for _ in range(2 * len(self.names)):
            key = rng.pick(keys) if keys and rng.chance(80) else ((rng.pick(self.names), 0, 0),)
            while len(key) < most and rng.chance(75):
                caller = key[-1][0]
                if caller not in sites:
                    sites[caller] = [(*self.location(calls=True), rng.pick(self.names[:options.get("callees", 99)]))
                                     for _ in range(rng.between(1, 3))]
                line, disc, callee = rng.pick(sites[caller])
                key = (*key[:-1], (caller, line, disc), (callee, 0, 0))
            if key not in keys:
                keys.append(key)
        return keys


def sum_of_counts(s):
    return min(sum(line[0] for line in s.lines.values()) + sum(inner.total for inner in s.inlinees()), U64)


def make_profile(seed, kind, **options):
    """A profile of one of KINDS; `options` replace those of the kind."""
    options = {**KINDS[kind], **options}
    rng = g.Random(seed)
    maker = Maker(rng, options)
    profile = m.Profile()
    keys = maker.contexts() if maker.cs else maker.names
    for key in keys:
        profile.functions[key] = maker.samples(key[-1][0] if maker.cs else key)
    return profile


def vary(profile, seed, kind, **options):
    """Another run of the program: other counts, some functions, lines, targets and inlinees fewer, heads as they come.
    `conflicts`: percentage of the checksums that are others; `flags`: whether attributes are drawn anew."""
    options = {**KINDS[kind], **options}
    rng = g.Random(seed)
    other = profile.copy()
    kept = [key for key in other.functions if rng.chance(options.get("present", 80))]
    other.functions = {key: vary_samples(other.functions[key], rng, options) for key in kept}
    return other


def vary_samples(s, rng, options):
    how, kept = options.get("counts"), options.get("kept", 85)
    s.head = make_count(rng, how) if s.head else 0
    s.lines = {at: line for at, line in s.lines.items() if rng.chance(kept)}
    for line in s.lines.values():
        line[0] = make_count(rng, how)
        line[1] = {name: make_count(rng, how) for name in line[1] if rng.chance(kept)}
    s.vtables = {at: {symbol: rng.below(1000) for symbol in symbols} for at, symbols in s.vtables.items()
                 if at in s.lines}
    s.calls = {at: callees for at, callees in s.calls.items() if rng.chance(kept)}
    for callees in s.calls.values():
        for callee in callees:
            callees[callee] = vary_samples(callees[callee], rng, options)
    if s.checksum and rng.chance(options.get("conflicts", 0)):
        s.checksum = rng.pick([s.checksum + 1, s.checksum - 1 or 5, 0, s.checksum ^ 6 or 7])
    if options.get("flags") and options.get("attributes"):
        s.attributes = rng.pick(options["attributes"])
    s.total = sum_of_counts(s) if s.total != 0 else 0
    return s


# ---- text --------------------------------------------------------------------------------------------------------


class Style:
    """Text that says the same in another way: order, comments, blanks, ends of lines, functions and lines in two
    pieces, which readers add."""

    def __init__(self, seed, profile):
        self.rng = g.Random(seed)
        self.is_cs, self.is_probe = profile.is_cs, profile.is_probe
        self.pieces = self.rng.chance(50) and not near_end(profile)
        self.out = []

    def line(self, text):
        rng = self.rng
        if rng.chance(3) and self.out:
            self.out.append(rng.pick(["", "  ", "# 1:2:3", "   # f:1"]))
        self.out.append(text)

    def body(self, s, blanks):
        rng = self.rng
        for at in rng.shuffled(s.lines):
            count, targets = s.lines[at]
            pieces = [(count, targets)]
            if self.pieces and rng.chance(20):
                first = rng.below(count + 1)
                pieces = [(first, targets), (count - first, {})]
            for piece, of in pieces:
                listed = "".join("%s%s:%d" % (" " * rng.pick([1, 1, 2]), name, of[name]) for name in rng.shuffled(of))
                self.line("%s%s: %s%s" % (blanks, m.location(at), "0" * rng.chance(5) + str(piece), listed))
            if at in s.vtables:
                self.line(blanks + m.print_vtables(at, s.vtables[at]).rstrip(" "))
        for at in rng.shuffled(s.calls):
            for callee in rng.shuffled(s.calls[at]):
                inner = s.calls[at][callee]
                self.line("%s%s: %s:%d" % (blanks, m.location(at), callee, inner.total))
                self.body(inner, blanks + " ")
        if s.checksum:
            self.line("%s!CFGChecksum: %d" % (blanks, s.checksum))
        if s.attributes:
            self.line("%s!Attributes: %d" % (blanks, s.attributes))

    def function(self, key, s):
        rng = self.rng
        key = ((key, 0, 0),) if self.is_cs and not isinstance(key, tuple) else key
        total, head = (rng.below(n + 1) if self.pieces and rng.chance(20) else 0 for n in (s.total, s.head))
        if total or head:
            self.line("%s:%d:%d" % (m.key_text(key), total, head))
        self.line("%s:%d:%d" % (m.key_text(key), s.total - total, s.head - head))
        self.body(s, " ")


def near_end(profile):
    """Whether counts are so large that sums could be too large: of a text in pieces that is an error."""
    return any(count >= 1 << 63 for s in profile.functions.values() for one in s.walk()
               for count in (one.total, one.head, *(line[0] for line in one.lines.values())))


def render(profile, style=None):
    """The bytes of a text. style: a seed; None: as llvm-profdata-22 writes it."""
    if style is None:
        return m.to_text(profile)
    style = Style(style, profile)
    for key in style.rng.shuffled(profile.functions):
        style.function(key, profile.functions[key])
    end = "\r\n" if style.rng.chance(15) else "\n"
    text = end.join(style.out) + (end if style.out and style.rng.chance(90) else "")
    return text.encode("latin-1")


def symbol_list(seed, profile, number=12):
    """Names for --prof-sym-list: some of the profile, some that have no samples."""
    rng = g.Random(seed)
    names = sorted({name for name in profile.names() if isinstance(name, str)})
    chosen = rng.shuffled(names, number // 2) + ["cold_%d" % rng.below(1000) for _ in range(number // 2)]
    return "".join("%s\n" % name for name in chosen).encode("latin-1")


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]
