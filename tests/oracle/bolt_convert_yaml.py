#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof bolt convert -w` beside perf2bolt: the same YAML, key by key, numbers of functions included, for programs of
BOLT 19 and 22, of samples of real runs and of such that were mixed up; and llvm-bolt-22 sees in it what it sees in
perf2bolt's. Basic samples, which perf2bolt leaves out, are compared with what llvm-bolt sees in fdata. Of functions
without a table, anyprof says that it leaves them out."""

import concurrent.futures
import os
import random
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
tally = _bolt.Tally()
counts, failures, count, check = tally.counts, tally.failures, tally.count, tally.check


def read(path):
    """{function: its keys}, where "blocks" is {number: its keys}; lists are sorted, as their order says nothing, and
    what is there twice is added up."""
    functions, name, block = {}, None, None
    with open(path, encoding="utf-8") as f:
        for line in f:
            key, _, value = line.strip().removeprefix("- ").strip().partition(":")
            value = value.strip()
            if line.startswith("  - name:"):
                name = value
                functions[name] = {"blocks": {}}
            elif line.startswith("      ") and key == "bid":
                block = functions[name]["blocks"].setdefault(int(value), {})
            elif line.startswith("      "):
                block[key] = merged(value) if key in ("succ", "calls") else value
            elif line.startswith("    ") and key != "blocks":
                functions[name][key] = value
    return functions


def merged(text):
    table = {}
    for r in _bolt._records(text):
        key = tuple(sorted((k, v) for k, v in r.items() if k not in ("cnt", "mis")))
        n, mis = table.get(key, (0, 0))
        table[key] = (n + r["cnt"], mis + r.get("mis", 0))
    return table


def head(path):
    with open(path, encoding="utf-8") as f:
        return f.read().split("functions:")[0]


def mix(path, output, seed):
    """Branches of a run with the code that ran after others: into the middle of functions, and out of it."""
    chance, lines = random.Random(seed), []
    with open(path, encoding="ascii") as f:
        traces = [line.split() for line in f if line[0] in "TR"]
    for _ in range(600):
        a, b, c = (chance.choice(traces) for _ in range(3))
        if chance.random() < .6:
            lines.append("%s %s %s %s %d" % (a[0], a[1], b[2], b[3], chance.randint(1, 40)))
        else:
            n = chance.randint(1, 40)
            lines.append("B %s %s %d %d" % (a[1], chance.choice((b[2], c[3])), n, chance.randint(0, n)))
    with open(output, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


def convert(program, samples, prefix, *options):
    done = run([ANYPROF, "bolt", "convert", program, "--pa=" + samples, "-w", prefix + ".ours.yaml",
                "-o", prefix + ".ours.fdata", *options])
    check(done.returncode == 0, "%s: %s" % (prefix, done.stderr[-300:]))
    return done.stderr.decode()


def plain(name):
    return name.strip("'").split("/")[0]


def check_loads(original, what, left, right, but=()):
    """Compares two profiles of the program before BOLT as llvm-bolt reads them, without some functions."""
    seen = []
    for path in (left, right):
        _bolt.load(original, path, path + ".seen")
        functions = read(path + ".seen")
        seen.append({name: f for name, f in functions.items() if plain(name) not in but})
    differ = [(name, [s.get(name) for s in seen]) for name in {**seen[0], **seen[1]}
              if seen[0].get(name) != seen[1].get(name)]
    check(not differ, "%s: llvm-bolt sees another profile: %s" % (what, differ[:1]))
    count("profiles loaded by llvm-bolt-22")
    count("functions equal in llvm-bolt-22", len(seen[0]))


def check_samples(original, program, samples, prefix, what, loads):
    _bolt.perf2bolt(22, program, samples, prefix + ".theirs.fdata", prefix + ".theirs.yaml")
    said = convert(program, samples, prefix)
    theirs, ours = read(prefix + ".theirs.yaml"), read(prefix + ".ours.yaml")
    check(head(prefix + ".theirs.yaml") == head(prefix + ".ours.yaml"), what + ": header")
    left_out = set(theirs) - set(ours)
    number = [line.split()[0] for line in said.splitlines() if "not in the YAML" in line]
    check(number == ([str(len(left_out))] if left_out else []), "%s: %s left out, said: %s" % (what, left_out, number))
    check(not set(ours) - set(theirs), "%s: only here: %s" % (what, set(ours) - set(theirs)))
    # perf2bolt knows the blocks of functions without a table; their block hashes are those of what BOLT wrote.
    differ = [(name, f, theirs[name]) for name, f in ours.items() if theirs.get(name) != f]
    check(not differ, "%s: %s" % (what, differ[:1]))
    count("profiles equal", not differ)
    count("functions equal", len(ours) - len(differ))
    count("functions without a table", len(left_out))
    if loads and not left_out:
        check_loads(original, what, prefix + ".theirs.yaml", prefix + ".ours.yaml")


def check_basic(original, program, samples, prefix, what):
    convert(program, samples, prefix, "--basic-events")
    yaml = prefix + ".ours.yaml"
    check("[ sample ]" in head(yaml) and "events:" in open(yaml, encoding="utf-8").read(), what + ": no samples")
    in_fdata = {key.split()[1].split("/")[0] for key in _bolt.read_fdata(prefix + ".ours.fdata")[1]}
    check_loads(original, what, prefix + ".ours.fdata", yaml, in_fdata - {plain(name) for name in read(yaml)})


def check_program(where, name, original, release, kind):
    what = "BOLT %d, %s, %s" % (release, name, kind)
    program = os.path.join(where, "%s.%d.%s" % (name, release, kind.replace(" ", "-")))
    if _bolt.bolt(release, original, _bolt.OPTIONS[kind], program) is not None:
        count("not made")
        print("not made: " + what)
        return
    samples = _bolt.trace(program, program + ".run")
    samples["mixed"] = program + ".run.mixed"
    mix(samples["T"], samples["mixed"], release)
    for records in ("T", "B", "old", "mixed"):
        # Of several records of one call, as mixed ones have, perf2bolt makes several entries, and llvm-bolt uses one.
        loads = release == 22 and records != "mixed"
        check_samples(original, program, samples[records], "%s.%s" % (program, records),
                      "%s, %s" % (what, records), loads)
    if release == 22:
        check_basic(original, program, samples["basic"], program + ".basic", what + ", basic")
    for path in os.listdir(where):
        if path.startswith(os.path.basename(program) + "."):
            os.remove(os.path.join(where, path))


def check_corpus(where):
    base = os.path.join(CORPUS, "bolt")
    if not os.path.isdir(base):
        print("skipped: no corpus")
        return
    for name in ("b22", "ex"):
        prefix = os.path.join(where, name)
        convert(os.path.join(base, "prog.b22"), os.path.join(base, name + ".preagg"), prefix)
        check(read(prefix + ".ours.yaml") == read(os.path.join(base, name + ".yaml")), "corpus: " + name)
        count("of the corpus")


def main():
    with tempfile.TemporaryDirectory() as where:
        check_corpus(where)
        why = _bolt.can_trace()
        if not why and not all(shutil.which(t) for t in ("llvm-bolt-22", "perf2bolt-22")):
            why = "no llvm-bolt-22 or perf2bolt-22"
        programs = {} if why else _bolt.build(where)
        if not programs:
            print("skipped: " + (why or "no clang or ld.lld-22: no programs are made"))
            return 1 if failures else 77
        releases = [r for r in (19, 22) if shutil.which("llvm-bolt-%d" % r)]
        plans = [(where, name, path, r, kind) for r in releases for name, path in programs.items()
                 for kind in _bolt.OPTIONS]
        plans = _share.pick(plans, lambda plan: "%s %d" % (plan[1], plan[3]))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda plan: check_program(*plan), plans))
    print("\n".join("%d %s" % (n, what) for what, n in sorted(counts.items())))
    if len(programs) == 3:
        check(counts.get("profiles equal", 0) >= _share.least(70 * len(releases), plans) and
              counts.get("functions equal", 0) >= _share.least(1300 * len(releases), plans) and
              counts.get("profiles loaded by llvm-bolt-22", 0) >= _share.least(70, plans), "too little was compared")
    return 1 if failures else 0


sys.exit(main())
