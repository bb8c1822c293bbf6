# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text profiles made from a seed: the same seed makes the same bytes, whatever the Python."""

import hashlib

U64 = (1 << 64) - 1
HOT, WARM = U64, U64 - 1
CS_BIT = 1 << 60
EXTERNAL = "** External Symbol **"


class Random:
    """SplitMix64; the library's generator may change between versions."""

    def __init__(self, seed):
        self.state = int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "little")

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & U64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & U64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & U64
        return z ^ (z >> 31)

    def below(self, n):
        return self.bits() % n

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, items):
        return items[self.below(len(items))]

    def shuffled(self, items, most=None):
        """All of them, or the first of them only, which costs less."""
        items = list(items)
        n = len(items) if most is None else min(most, len(items))
        for i in range(n):
            j = i + self.below(len(items) - i)
            items[i], items[j] = items[j], items[i]
        return items[:n]


class Record:
    def __init__(self, name, hash_, counts, bitmap=None, sites=None):
        self.name, self.hash, self.counts = name, hash_, counts
        self.bitmap = bitmap  # None, or a list of bytes
        self.sites = sites or {}  # kind -> list of sites, each a list of (target, count)

    def copy(self):
        sites = {k: [list(s) for s in v] for k, v in self.sites.items()}
        bitmap = None if self.bitmap is None else list(self.bitmap)
        return Record(self.name, self.hash, list(self.counts), bitmap, sites)


class Profile:
    def __init__(self):
        self.header = []  # words without the colon
        self.traces = None  # None, or (stream size, [(weight, [names])])
        self.records = []

    def copy(self):
        p = Profile()
        p.header = list(self.header)
        p.traces = self.traces
        p.records = [r.copy() for r in self.records]
        return p


MEMOP_SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257, 512, 513]
ODD_NAMES = [
    "naïve_größe",
    "функция",
    "関数",
    "with space",
    "ends with space ",
    "tab\tinside",
    "a",
    "operator()(int) const",
    "~dtor",
    "\u20acuro",
    "** External Symbol **x",
    "x" * 255,
    "y" * 256,
    "long_" + "z" * 9000,
    "f.cold.1",
    "_ZN1a1bEv",
    "$dollar",
    "semi;",
]


def make_name(rng, i, local, odd):
    if odd and rng.chance(30):
        return "odd_name_%d_" % i + rng.pick(ODD_NAMES)
    if rng.chance(15):
        return rng.pick(["f.c", "dir/g.cpp", "a b.c", "x"]) + local + "static_%d" % i
    if rng.chance(5):
        return "_ZN" + "5outerI" * rng.between(1, 20) + "%d" % i + "E" * rng.between(1, 20)
    return "function_%d" % i


def make_count(rng, how):
    if how == "huge" and rng.chance(30):
        return U64 - 2 - rng.pick([0, 1, 2, 3, rng.below(1000), rng.below(1 << 62)])
    if how == "zero" and rng.chance(90):
        return 0
    shape = rng.below(10)
    if shape < 3:
        return rng.below(3)
    if shape < 8:
        return rng.below(10000)
    return rng.below(1 << rng.between(1, 48))


def make_site(rng, targets, kind, most, huge, unknown):
    """One site: (target, count) pairs, each value once."""
    n = rng.below(most + 1) if rng.chance(70) else rng.below(min(most, 4) + 1)
    if kind == 1:
        pool = MEMOP_SIZES if n <= len(MEMOP_SIZES) else range(n)
        values = rng.shuffled(pool, n)
    else:
        values = rng.shuffled(targets, n)
        if len(values) < n:
            values += ["target_%d_%d" % (kind, i) for i in range(n - len(values))]
        if unknown and values and rng.chance(30):
            values[rng.below(len(values))] = EXTERNAL
    site = []
    for value in values:
        count = rng.below(50) if rng.chance(60) else rng.below(1 << 40)  # many ties
        if huge and rng.chance(10):
            count = U64 - rng.below(3)
        site.append((value, count))
    return site


def make_sites(rng, options, targets):
    sites = {}
    for kind in options.get("kinds", (0, 1, 2)):
        if not rng.chance(options.get("values", 0)):
            continue
        n = rng.between(1, 4)
        if rng.chance(3):
            n = rng.between(5, 70)
        most = options.get("most_values", 6) if rng.chance(options.get("wide", 5)) else 4
        pool = options["vtables"] if kind == 2 else targets
        sites[kind] = [
            make_site(rng, pool, kind, most, options.get("huge_values"), options.get("unknown", True))
            for _ in range(n)
        ]
    return sites


def make_records(rng, options, names):
    records = []
    targets = names[:400]
    for name in names:
        hashes = [rng.bits() >> 4 if rng.chance(80) else rng.below(100)]
        if options.get("several_hashes") and rng.chance(options["several_hashes"]):
            hashes += [rng.bits() >> 4 for _ in range(rng.between(1, options.get("most_hashes", 2)))]
        if options.get("cs"):
            # A function's hash is that of its context-free record, or has the bit besides.
            hashes = [h & ~CS_BIT for h in hashes]
            if rng.chance(50):
                hashes += [h | CS_BIT for h in hashes]
            elif rng.chance(30):
                hashes = [h | CS_BIT for h in hashes]
        elif options.get("plain_hashes", True):
            hashes = [h & (CS_BIT - 1) for h in hashes]
        for h in sorted(set(hashes)):
            n = rng.between(1, 6) if rng.chance(90) else rng.between(7, 60)
            counts = [make_count(rng, options.get("counts")) for _ in range(n)]
            pseudo = rng.chance(options.get("pseudo", 0))
            if pseudo:
                counts[0] = rng.pick([HOT, WARM])
            if options.get("huge_inside") and n > 1 and rng.chance(20):
                counts[1] = rng.pick([HOT, WARM])
            bitmap = None
            if rng.chance(options.get("bitmaps", 0)):
                size = rng.pick([1, 2, 7, 8, 9, 255]) if rng.chance(90) else 0
                bitmap = [rng.below(256) if rng.chance(50) else 0 for _ in range(size)]
            sites = make_sites(rng, options, targets)
            if pseudo and options.get("bare_pseudo"):
                sites = {}
            records.append(Record(name, h, counts, bitmap, sites))
    return records


def make_traces(rng, names, n, longest):
    traces = []
    names = [name for name in names if "," not in name and name.strip() == name] + ["not_there_1", "not_there_2"]
    for _ in range(n):
        length = rng.below(9) if rng.chance(90) else rng.below(longest + 1)
        line = rng.shuffled(names, length) if length < 50 else [rng.pick(names) for _ in range(length)]
        traces.append((rng.between(1, 9), line))
    stream = n if rng.chance(50) else n + rng.below(1000)
    return stream, traces


def make_profile(seed, **options):
    """options: functions, header, traces (number), longest, local (the separator in names of local functions), mixed
    (the records of a name are not together and not sorted), and what the functions above look at."""
    rng = Random(seed)
    p = Profile()
    p.header = list(options.get("header", []))
    options.setdefault("cs", "csir" in p.header)
    options["vtables"] = ["_ZTV%d_%d" % (i, rng.below(1000)) for i in range(options.get("n_vtables", 40))]
    local = options.get("local", ";") if "ir" in p.header or "csir" in p.header else ":"
    names = [make_name(rng, i, local, options.get("odd")) for i in range(options.get("functions", 10))]
    p.records = make_records(rng, options, rng.shuffled(names))
    if options.get("mixed"):
        p.records = rng.shuffled(p.records)
    if options.get("traces") is not None:
        p.traces = make_traces(rng, names, options["traces"], options.get("longest", 20))
    return p


def vary(profile, seed, **options):
    """Another run of the same program: the same structure; other counts, values, and some functions fewer."""
    rng = Random(seed)
    p = profile.copy()
    if p.traces is not None:
        n = options.get("traces")
        p.traces = None if n is None else make_traces(rng, [r.name for r in p.records], n, 20)
    p.records = [r for r in p.records if rng.chance(options.get("present", 90))]
    for r in p.records:
        if r.counts[0] >= WARM:
            continue  # of two pseudo records LLVM keeps the first, but for the count
        r.counts = [make_count(rng, options.get("counts")) for _ in r.counts]
        if r.bitmap is not None:
            r.bitmap = [rng.below(256) for _ in r.bitmap]
        for kind, sites in r.sites.items():
            for i, site in enumerate(sites):
                kept = [(v, rng.below(1000)) for v, _ in site if rng.chance(options.get("kept_values", 80))]
                sites[i] = rng.shuffled(kept)
                if kind == 1 and rng.chance(options.get("new_values", 0)):
                    sites[i].append((100000 + rng.below(50), rng.below(1000)))
        if rng.chance(options.get("restructure", 0)):
            if rng.chance(50):
                r.counts.append(1)
            elif r.bitmap:
                r.bitmap.append(1)
            elif r.sites:
                r.sites[sorted(r.sites)[0]].append([])
    return p


def render(profile, style=None):
    """The bytes. style: a seed for comments, empty lines, line ends and number bases; None: plain."""
    rng = Random(style) if style is not None else None
    out = []

    def line(text, comment=None):
        if rng and comment and rng.chance(20):
            out.append("# " + comment)
        out.append(text)
        if rng and rng.chance(3):
            out.append("")

    def base(value):
        if not rng or rng.chance(60):
            return str(value)
        return rng.pick(["0x%x" % value, "0X%X" % value, "0o%o" % value, "0" + bin(value)[1:]])

    if rng and not profile.header:
        out.append("# a profile")
    for word in profile.header:
        line(":" + (word.upper() if rng and rng.chance(20) else word))
    if profile.traces is not None:
        stream, traces = profile.traces
        line(":temporal_prof_traces")
        line(base(len(traces)), "number")
        line(base(stream))
        for weight, names in traces:
            line(base(weight))
            line(",".join(names) + "," if names else ",")
    for r in profile.records:
        line(r.name, "name")
        line(base(r.hash), "Func Hash:")
        line(str(len(r.counts)))
        for c in r.counts:
            line(str(c))
        if r.bitmap is not None:
            line("$" + base(len(r.bitmap)))
            for b in r.bitmap:
                line(base(b), "bits")
        if r.sites:
            line(str(len(r.sites)))
            for kind in sorted(r.sites):
                line(str(kind))
                line(str(len(r.sites[kind])))
                for site in r.sites[kind]:
                    line(str(len(site)))
                    for value, count in site:
                        line("%s:%d" % (value, count))
    end = "\r\n" if rng and rng.chance(10) else "\n"
    text = end.join(out) + (end if out and not (rng and rng.chance(10)) else "")
    return text.encode()


def zstd_frame(data, blocks=1, head=b""):
    """A zstd frame of stored blocks without a checksum: a change of the content leaves the frame valid."""
    size = -(-len(data) // blocks) or 1
    frame = bytearray(head + b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little"))
    for at in range(0, len(data) or 1, size):
        block = data[at : at + size]
        last = at + size >= len(data)
        frame += (len(block) << 3 | last).to_bytes(3, "little") + block
    return bytes(frame)
