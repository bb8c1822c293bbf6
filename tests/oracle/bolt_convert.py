#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof bolt convert` beside perf2bolt: the same fdata of the same samples, for programs of BOLT 15, 16, 19 and 22,
split and not; 22 reads tables of 19, too, those of older releases only they themselves. The samples are made up from
places that the tables have, of every kind of record, the ends of some of them elsewhere; the corpus has those of real
runs."""

import bisect
import json
import os
import random
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.environ.get("ANYPROF_CORPUS", os.path.join(HERE, "../../../shared/corpus"))
counts = {"programs": 0, "records": 0, "lines": 0, "of the corpus": 0, "runs": 0,
          "lines of runs": 0, "not made": 0}
tally = _bolt.Tally()
failures, check = tally.failures, tally.check


def untouched(program, tables):
    """Where instructions begin in functions without a table: a list for each."""
    sizes, found = {}, {}
    for line in run(["readelf", "-sW", program]).stdout.decode().splitlines():
        words = line.split()
        if len(words) > 7 and words[3] == "FUNC" and words[6].isdigit():
            address, size = int(words[1], 16), int(words[2], 0)
            if size and address not in tables and words[7] != "unseen":
                sizes[address] = max(size, sizes.get(address, 0))
    starts = sorted(sizes)
    for line in run(["llvm-objdump-22", "-d", "--no-show-raw-insn", program]).stdout.decode().splitlines():
        words = line.strip().split(":")
        if line.startswith(" ") and re.fullmatch("[0-9a-f]+", words[0]):
            address = int(words[0], 16)
            at = bisect.bisect_right(starts, address) - 1
            if at >= 0 and address < starts[at] + sizes[starts[at]]:
                found.setdefault(starts[at], []).append(address)
    return [found[start] for start in sorted(found)]


def make_code_samples(program, seed, n):
    """Samples of functions without a table, whose control flow perf2bolt finds: from any address to a later one. Where
    a function ends, perf2bolt knows of more functions, from .eh_frame: no sample is there."""
    doc = json.loads(run([ANYPROF, "bat", "dump", "--json", program]).stdout)
    functions = untouched(program, {int(f["address"], 16) for f in doc["fragments"]})
    chance, lines = random.Random(seed), []
    for _ in range(n if functions else 0):
        code = chance.choice(functions)
        branch = 0 if chance.random() < .1 else chance.choice(chance.choice(functions))
        at = 0 if chance.random() < .1 else chance.randrange(len(code))
        to, end = code[at], code[min(at + chance.choice((0, 1, 1, 2, 3, 5, 9, 20)), len(code) - 1)]
        kind, count = chance.choice("TTTTRBFFfr"), chance.randint(1, 50)
        if kind == "B":
            lines.append("B %x %x %d %d" % (branch, to, count, chance.randint(0, count)))
        elif kind in "TR":
            lines.append("%s %x %x %x %d" % (kind, branch, to, end, count))
        else:
            lines.append("%s %x %x %d" % (kind, to, end, count))
    return lines


def make_samples(program, seed, n, kinds):
    """Samples of functions with tables, which any release of BOLT made."""
    doc = json.loads(run([ANYPROF, "bat", "dump", "--json", program]).stdout)
    starts = [int(f["address"], 16) for f in doc["fragments"]]
    places = [(starts[e["fragment"]] + e["output"], e["fragment"]) for e in doc["entries"]
              if e["output"] < 1 << 31 and not e["deleted"]]
    chance, lines = random.Random(seed), []
    for _ in range(n):
        branch = 0 if chance.random() < .05 else chance.choice(places)[0]
        to, fragment = chance.choice(places)
        after = [a for a, f in places if f == fragment and a >= to]
        end = chance.choice(after) if chance.random() < .9 else chance.choice(places)[0]
        kind, count = chance.choice(kinds), chance.randint(1, 50)
        if kind == "B":
            lines.append("B %x %x %d %d" % (branch, to, count, chance.randint(0, count)))
        elif kind in "TR":
            said = kind == "T" or chance.random() < .05
            lines.append("%s %x %x %x %d" % (kind, branch if said else 0, to, end, count))
        else:
            lines.append("%s %x %x %d" % (kind, to, end, count))
    return lines


def convert(program, samples, output, *options):
    done = run([ANYPROF, "bolt", "convert", program, "--pa=" + samples, "-o", output, *options])
    check(done.returncode == 0, "%s: %s" % (program, done.stderr[-300:]))
    with open(output, "rb") as f:
        return f.read()


def same_without_returns(ours, theirs):
    """Up to BOLT 18, perf2bolt wrote returns, too, which are few."""
    extra = set(theirs) - set(ours)
    return not set(ours) - set(theirs) and len(extra) * 5 < len(theirs)


INTENDED = (b"split", b"split.cold/1")


def check_intended(got, expected):
    """Both without the edges within functions of the assembly that differ on purpose, which they must."""
    def edges(text, name):
        return {line for line in text.splitlines() if line.split()[1:5:3] == [name, name]}

    for name, more, less in zip(INTENDED, (got, got, expected), (expected, expected, got)):
        check(edges(more, name) - edges(less, name), "%s: not what differences.md says" % name.decode())
    dropped = [{line for name in INTENDED for line in edges(text, name)} for text in (got, expected)]
    return [b"".join(line + b"\n" for line in text.splitlines() if line not in drop)
            for text, drop in zip((got, expected), dropped)]


def check_program(program, release, what, where):
    tool, kinds = "perf2bolt-22", "TTTTTRBFfr"
    if release < 19:  # these ask for their name
        tool, kinds = os.path.join(where, "perf2bolt"), "BFf"
        if os.path.lexists(tool):
            os.remove(tool)
        os.symlink(shutil.which("perf2bolt-%d" % release), tool)
    samples, theirs, ours = (os.path.join(where, n) for n in ("samples", "theirs", "ours"))
    lines = make_samples(program, 5, 800, kinds)
    if release >= 19:  # those of older ones are not translated by the same tool
        lines += make_code_samples(program, 6, 2500 if what.endswith(tuple(_bolt.UNTOUCHED)) else 200)
    with open(samples, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    done = run([tool, program, "--pa", "-p", samples, "-o", theirs])
    if done.returncode != 0:
        counts["not made"] += 1
        print("not made: %s: perf2bolt: %s" % (what, done.stderr[-200:]))
        return
    with open(theirs, "rb") as f:
        expected = f.read()
    got = convert(program, samples, ours, "--quiet")
    if ", assembly, " in what:
        got, expected = check_intended(got, expected)
    only = [sorted(set(a.splitlines()) - set(b.splitlines()))[:3] for a, b in ((expected, got), (got, expected))]
    same = got == expected if release >= 19 else same_without_returns(got.splitlines(), expected.splitlines())
    check(same, "%s: perf2bolt has %s, anyprof %s" % (what, *only))
    counts["programs"] += 1
    counts["records"] += len(lines)
    counts["lines"] += expected.count(b"\n")


def check_traced(program, what, where):
    """Samples of a real run."""
    theirs, ours = os.path.join(where, "theirs"), os.path.join(where, "ours")
    try:
        samples = _bolt.trace(program, os.path.join(where, "traced"))
        _bolt.perf2bolt(22, program, samples["T"], theirs)
    except _bolt.Failed as error:
        counts["not made"] += 1
        print("not made: %s: traced: %s" % (what, error))
        return
    with open(theirs, "rb") as f:
        expected = f.read()
    got = convert(program, samples["T"], ours, "--quiet")
    only = [sorted(set(a.splitlines()) - set(b.splitlines()))[:3] for a, b in ((expected, got), (got, expected))]
    check(got == expected, "%s: samples of a run: perf2bolt has %s, anyprof %s" % (what, *only))
    counts["lines of runs"] += expected.count(b"\n")
    counts["runs"] += 1


def check_corpus(where):
    names = ("b22", "ex") if os.path.isdir(os.path.join(CORPUS, "bolt")) else ()
    for name in names:
        base = os.path.join(CORPUS, "bolt")
        with open(os.path.join(base, name + ".fdata"), "rb") as f:
            expected = f.read()
        got = convert(os.path.join(base, "prog.b22"), os.path.join(base, name + ".preagg"), os.path.join(where, "out"))
        check(got == expected, "corpus: %s" % name)
        counts["of the corpus"] += 1
    if not names:
        print("skipped: no corpus")


def check_kind(release, name, path, kind, where):
    what = "BOLT %d, %s, %s" % (release, name, kind)
    if release < 19 and kind == "in place":  # tables of code that was not written: bat_tables.py
        return
    bolted = os.path.join(where, "bolted")
    options = {**_bolt.OPTIONS, **_bolt.UNTOUCHED}[kind]
    if _bolt.bolt(release, path, options, bolted) is not None:
        counts["not made"] += 1
        print("not made: %s" % what)
        return
    check_program(bolted, release, what, where)
    if release == 22 and name not in ("assembly", "aarch64") and not _bolt.can_trace():
        check_traced(bolted, what, where)


def plans_of(releases, programs):
    for release in releases:
        for name, path in programs.items():
            kinds = list(_bolt.OPTIONS) + (list(_bolt.UNTOUCHED) if release >= 19 else [])
            if name == "assembly":
                kinds = list(_bolt.UNTOUCHED) if release >= 19 else []
            for kind in kinds:
                yield release, name, path, kind


def main():
    with tempfile.TemporaryDirectory() as where:
        check_corpus(where)
        releases = [r for r in _bolt.RELEASES if shutil.which("llvm-bolt-%d" % r)]
        programs = _bolt.build(where) if releases and shutil.which("perf2bolt-22") else {}
        if programs:
            programs.update(_bolt.build_aarch64(where))
        if programs and _bolt.assemble(where):
            programs["assembly"] = os.path.join(where, "assembly")
        if not programs:
            print("skipped: no llvm-bolt, perf2bolt-22, clang or ld.lld-22: no programs are made")
        plans = _share.pick(plans_of(releases, programs), lambda plan: "%d %s" % plan[:2])
        for plan in plans:
            check_kind(*plan, where)
    print(", ".join("%d %s" % (n, what) for what, n in counts.items()))
    if not counts["programs"] and not counts["of the corpus"]:
        return 77
    if len(releases) == len(_bolt.RELEASES) and programs:
        check(counts["programs"] >= _share.least(90, plans) and counts["lines"] > _share.least(40000, plans),
              "too little was compared")
    return 1 if failures else 0


sys.exit(main())
