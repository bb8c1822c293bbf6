# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What llvm-cov shows otherwise from release to release, for cov_releases.py. Each difference is a function that makes
the output of the older release from that of 22, exactly where its first lines do not say that it drops something."""

import collections
import re

DIFFERENCES = [] # in the order in which they are applied
Difference = collections.namedtuple("Difference", "name since kinds only change")


class Context:
    """What a difference may use: the whole JSON document of ours, and which sides of branches are constant."""

    def __init__(self, release, used, one_byte):
        self.release, self.used, self.one_byte = release, used, one_byte
        self.whole = None
        self.dots = None # names of files begin with the first; as the compiler wrote them, with the second
        self.folded = None # {file: (sides of branches, conditions)}; None: the program is not of 22

    def file(self, name):
        return next(file for file in self.whole["data"][0]["files"] if file["filename"] == name)


def since(release, *kinds, only=0):
    """A difference between the releases before and since `release` in outputs of some kinds; `only`: from which on."""

    def add(function):
        DIFFERENCES.append(Difference(function.__name__, release, kinds, only, function))
        return function

    return add


def expected(release, newer):
    """The names of the differences that outputs of a release have to have."""
    for difference in DIFFERENCES:
        if difference.only <= release < difference.since and (newer or not difference.name.startswith("folding")):
            yield difference.name


def older(kind, context, options, got, want):
    """Both outputs after all differences that concern this release: those that change anything are used."""
    for difference in DIFFERENCES:
        if kind in difference.kinds and difference.only <= context.release < difference.since:
            before = repr((got, want))
            got, want = difference.change(context, options, got, want)
            if repr((got, want)) != before:
                context.used.add((difference.name, context.release))
    return got, want


# --- JSON -------------------------------------------------------------------------------------------------------


@since(21, "export")
def version_of_json(_, __, got, want):
    """The version is that of the format."""
    got["version"] = {"3.1.0": "2.0.1"}[got["version"]]
    return got, want


@since(18, "export")
def no_mcdc_in_json(_, __, got, want):
    """There is no MC/DC: neither records nor sums."""

    def without(value):
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if k not in ("mcdc", "mcdc_records")}
        return [without(v) for v in value] if isinstance(value, list) else value

    return without(got), want


@since(20, "export")
def branches_of_files(_, __, got, want):
    """A file's branches are those of functions that begin in it: its other parts of functions, the bodies of its
    macros and what is included, have theirs only in expansions."""
    for file in got["data"][0]["files"]:
        if "branches" in file:
            file["branches"] = [branch for branch in file["branches"] if branch[6] == 0]
    return got, want


@since(21, "export", only=18)
def fields_of_mcdc_records(_, __, got, want):
    """A record has no counts of vectors, no file id, and since 22 only the vectors themselves."""
    data = got["data"][0]
    for owner in data["files"] + data.get("functions", []):
        if "mcdc_records" in owner:
            owner["mcdc_records"] = [record[:4] + record[7:10] for record in owner["mcdc_records"]]
    return got, want


@since(20, "export", only=18)
def one_byte_sums(context, _, got, want):
    """Of instantiations and uses of macros that are counted with one byte each, any is shown, not their sum."""
    for file in got["data"][0]["files"] if context.one_byte else []:
        for segment in file.get("segments", []):
            segment[2] = min(segment[2], 1)
    return got, want


@since(20, "export", only=19)
def folding_of_branches(context, _, got, want):
    """A branch with one constant side has two sides: it is left out only if both are constant."""
    return add_folded(context, got, "branches", 0), want


@since(20, "export", only=19)
def folding_of_conditions(context, _, got, want):
    """A condition of MC/DC with one constant side counts."""
    return add_folded(context, got, "mcdc", 1), want


def add_folded(context, got, key, item):
    if not context.folded:
        return got
    data = got["data"][0]
    extra = {file["filename"]: context.folded[file["filename"]][item] for file in data["files"]}
    for summary, n in [(file["summary"], extra[file["filename"]]) for file in data["files"]] + [
            (data["totals"], sum(extra.values()))]:
        numbers = summary[key]
        numbers["count"] += n
        numbers["notcovered"] += n
        if n:
            numbers["percent"] = numbers["covered"] / numbers["count"] * 100
    return got


def folded_sides(context, shown):
    """{file: (sides of branches that alone are constant, constant conditions of MC/DC)} of `show`."""
    counts = {}
    for name, text in sections(branches_in_show(context, [], shown, "")[0]):
        sides = len(re.findall(r"\[Folded, F|\d, Folded\]", text))
        conditions = len(re.findall(r"-Pair: constant folded", text))
        counts[name] = (sides, conditions)
    return Sections(counts)


class Sections(dict):
    """By the name of a file. llvm-cov names the file only if it shows several."""

    def __missing__(self, name):
        return self[None]


def sections(shown):
    """(name of a file, its part of the output of `show`)."""
    parts = re.split(r"^(/.*|[\w.]+):$", shown, flags=re.M)
    if parts[0]:
        yield None, parts[0]
    yield from zip(parts[1::2], parts[2::2])


# --- lcov -------------------------------------------------------------------------------------------------------


@since(20, "lcov")
def branches_in_lcov(context, options, got, want):
    """Branches that begin at the same place are not joined; those of expansions are all at the line of the outermost
    one; of a file are those that it has in JSON. Their order on a line is undefined: a sort that is not stable."""
    if "-summary-only" in options:
        return got, want
    lines = []
    for line in got.splitlines():
        if line.startswith("SF:"):
            name = line[3:]
        elif line.startswith("BRF:"):
            lines += branch_lines(older_branches(context, name))
        if not line.startswith("BRDA:"):
            lines.append(line)
    return "\n".join(lines), "\n".join(in_order(want.splitlines()))


def older_branches(context, name):
    """(line, times true, times false) of a file."""
    file = context.file(name)
    taken = set()
    for function in context.whole["data"][0]["functions"]:
        taken |= {tuple(branch[:4]) for branch in function["branches"] if function["filenames"][branch[6]] == name}
    for branch in file["branches"]:
        if branch[6] == 0 and tuple(branch[:4]) in taken: # no others have a side that is not constant
            yield branch[0], branch[4], branch[5]
    for expansion in file["expansions"]:
        for branch in expansion["branches"]:
            yield expansion["source_region"][0], branch[4], branch[5]


def branch_lines(branches):
    pair, last = 0, None
    for line, true, false in sorted(branches):
        pair = pair + 1 if line == last else 0
        last = line
        for side, count in enumerate((true, false)):
            yield f"BRDA:{line},{pair},{pair * 2 + side},{count if true or false else '-'}"


def in_order(lines):
    """The same lines with the branches of a source line by their counts, which are numbered as they come."""
    waiting = []
    for i, line in enumerate(lines):
        if line.startswith("BRDA:"):
            waiting.append(line[5:].split(","))
            continue
        pairs = list(zip(waiting[::2], waiting[1::2]))
        numbers = collections.Counter()
        for true, false in pairs:
            at = true[0]
            n = numbers[at]
            assert [true[:3], false[:3]] == [[at, str(n), str(2 * n)], [at, str(n), str(2 * n + 1)]], (true, false)
            numbers[at] += 1
        yield from branch_lines((int(true[0]), *(0 if side[3] == "-" else int(side[3]) for side in (true, false)))
                                for true, false in pairs)
        waiting = []
        yield line


@since(20, "lcov", only=18)
def one_byte_lines(context, _, got, want):
    """As one_byte_sums."""
    if context.one_byte:
        got = re.sub(r"^(DA:\d+),[1-9]\d*$", r"\1,1", got, flags=re.M)
    return got, want


# --- report -----------------------------------------------------------------------------------------------------


@since(18, "report")
def dashes(_, options, got, want):
    """A line of dashes is as wide as all columns but those of MC/DC, also if some are not shown."""
    hidden = 0 if "-show-instantiation-summary" in options else 42
    hidden += 40 * sum(f"-show-{what}-summary=false" in options for what in ("branch", "region"))
    return re.sub(r"^-+$", lambda found: found.group() + "-" * hidden, got, flags=re.M), want


# --- show -------------------------------------------------------------------------------------------------------


@since(20, "show")
def branches_in_show(context, _, got, want):
    """As branches_of_files. Branches of a line that come one after the other are one block."""
    out = []
    for name, text in sections(got):
        file = context.file(name) if name else context.whole["data"][0]["files"][0]
        for line in {branch[0] for branch in file["branches"]}:
            text = re.sub(rf"(?:  -+\n(?:  \|  Branch \({line}:.*\n)+)+  -+\n",
                          lambda blocks: older_blocks(file["branches"], line, blocks.group()), text)
        out += [name + ":" if name else "", text]
    return "".join(out), want


def older_blocks(branches, at, text):
    """The blocks of the branches of a line of which `text` is those of 22."""
    lines = text.splitlines()
    shown = iter(lines[i] for i in range(len(lines)) if "Branch" in lines[i])
    out, last = [], None
    for branch in branches:
        line = next(shown) if branch[0] == at else ""
        if branch[6]:
            continue
        if branch[0] == at:
            out += [line] if last == at else [lines[0], line]
        last = branch[0]
    return "".join(line + "\n" for line in [*out, lines[0]]) if out else ""


@since(22, "show", only=18)
def order_of_vectors(_, __, got, want):
    """The executed vectors of a decision are in the order of a walk over its conditions, not of their index: in both
    they are sorted here, and a pair that shows the independence of a condition names its vectors, not their numbers."""
    return vectors_in_order(got), vectors_in_order(want)


def vectors_in_order(shown):
    out, vectors, waiting = [], {}, False
    for line in shown.splitlines():
        vector = re.match(r"([ |]+) (\d+) (\{.*\}) *$", line)
        if vector:
            vectors[vector[2]] = vector[1] + vector[3]
            waiting = True
            continue
        if waiting:
            out += sorted(vectors.values())
            waiting = False
        pair = re.search(r"-Pair: covered: \((\d+),(\d+)\)", line)
        out.append(line[:pair.start(1)] + vectors[pair[1]] + vectors[pair[2]] if pair else line)
        if "Coverage for Decision" in line:
            vectors = {}
    return "\n".join(out) + "\n"


@since(20, "show", only=18)
def one_byte_markers(context, _, got, want):
    """As one_byte_sums: a line's count is then more often that of its regions, which are not marked. All those that are
    left are ours, too."""
    if not context.one_byte:
        return got, want
    marker = re.compile(r"^[ |]*(\^\d+ *)+$")
    ours = iter([line for line in got.splitlines() if marker.match(line)])
    assert all(line in ours for line in want.splitlines() if marker.match(line))
    return tuple("\n".join(line for line in text.splitlines() if not marker.match(line)) for text in (got, want))


# --- names, after all that looks files up -------------------------------------------------------------------------


@since(15, "export", "lcov")
def dots_in_names(context, _, got, want):
    """Where the compiler joins its directory with "../", the name keeps that."""

    def renamed(value):
        if isinstance(value, dict):
            return {k: renamed(v) for k, v in value.items()}
        if isinstance(value, list):
            return [renamed(v) for v in value]
        return value.replace(*context.dots) if isinstance(value, str) else value

    return renamed(got) if context.dots else got, want
