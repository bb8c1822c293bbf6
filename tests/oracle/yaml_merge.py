#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof bolt merge` of YAML beside merge-fdata 22 and llvm-bolt 15 to 22, on profiles that llvm-bolt writes for
programs that are built here, and on those of the corpus:

- each file, merged alone, keeps its bytes;
- several become what merge-fdata makes of them, but for the calls and the counts `extern` that it loses, and for lists
  that it leaves unsorted; where nothing of that is in the files, the bytes are the same (but for its line breaks);
- llvm-bolt 22 reads the result without a warning, and says the same counts again.

    ANYPROF=command yaml_merge.py"""

import glob
import os
import random
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
import _bolt_merge  # noqa: E402
from _bolt_merge import ANYPROF, BOLT, CORPUS, TOOL, check, run  # noqa: E402


def ours(*arguments):
    done = run([ANYPROF, "bolt", "merge", *arguments])
    check(done.returncode == 0, "bolt merge %s: %s" % (arguments, done.stderr.decode(errors="replace")))
    return done.stdout.decode()


def theirs(*arguments):
    """Its text, without the line breaks in lists."""
    done = run([TOOL, *arguments])
    check(done.returncode == 0, "merge-fdata %s: %s" % (arguments, done.stderr.decode(errors="replace")))
    return re.sub(r" \n +", " ", done.stdout.decode())


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


# ---- a reader of its own, of the layout that LLVM writes ----

def items(line):
    return [dict(re.findall(r"(\w+): (\w+)", item)) for item in re.findall(r"\{ (.*?) \}", line)]


def add(table, key, *counts):
    table[key] = tuple(a + b for a, b in zip(table.get(key, (0,) * len(counts)), counts))


def parse(text):
    """{place: counts}: of functions, blocks, successors and calls."""
    table, name, block = {}, None, None
    for line in text.split("functions:", 1)[1].splitlines():
        found = re.match(r" +(?:- )?([a-z_]+): +(.*)$", line)
        if not found:
            continue
        key, value = found.groups()
        if key == "name":
            name, block = value, None
        elif key == "bid":
            block = int(value)
        elif key in ("succ", "calls"):
            for item in items(value):
                to = [item.get(k) for k in ("bid", "off", "fid", "disc")]
                add(table, (name, block, key, *to), int(item["cnt"]), int(item.get("mis", 0)))
        elif key in ("exec", "events", "extern"):
            add(table, (name, block, key), int(value))
        elif key in ("fid", "hash", "nblocks", "insns"):
            table[name, block, key] = value
    return table


def total(texts):
    """Merges the files by the rules."""
    table = {}
    for text in texts:
        for place, value in parse(text).items():
            if isinstance(value, tuple):
                add(table, place, *value)
            else:
                check(table.setdefault(place, value) == value, "files that do not go together: %s" % (place,))
    return table


# ---- profiles ----

def edges(program):
    """Jumps in functions, and calls between them: (name, offset, name, offset); of functions in OWN."""
    done = run(["llvm-objdump-22", "-d", "--no-show-raw-insn", program])
    found, name, start = set(), None, 0
    for line in done.stdout.decode().splitlines():
        head = re.match(r"([0-9a-f]+) <(.*)>:$", line)
        if head:
            start, name = int(head.group(1), 16), head.group(2)
        jump = re.match(r" *([0-9a-f]+):\s+(?:j\w+|call\w*)\s+0x[0-9a-f]+ <([^+>]+)(?:\+0x([0-9a-f]+))?>", line)
        if jump and name in OWN and jump.group(2) in OWN:
            found.add((name, int(jump.group(1), 16) - start, jump.group(2), int(jump.group(3) or "0", 16)))
    return sorted(found)


OWN = ("main", "work", "pick", "other")


def make_fdata(rng, path, found):
    lines = {}
    for name in rng.sample(OWN, rng.randrange(1, 5)):
        lines["0 [unknown] 0 1 %s 0" % name] = rng.randrange(1, 1000)
    for edge in rng.sample(found, rng.randrange(1, len(found))):
        lines["1 %s %x 1 %s %x" % edge] = rng.randrange(1, 10**9)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines("%s %d %d\n" % (line, rng.randrange(0, 3), lines[line]) for line in sorted(lines))


def bolt(release, program, profile, yaml, *options):
    """Writes the profile as BOLT understands it; False: it could not."""
    done = _bolt.run(["timeout", "100", "llvm-bolt-%d" % release, program, "-data", profile, "-w", yaml,
                      "-o", yaml + ".out", *options])
    said = [line for line in (done.stdout + done.stderr).decode(errors="replace").splitlines()
            if re.search("WARNING|ERROR|stale|mismatch", line) and not re.search("build-id|debug info", line)]
    return done.returncode == 0 and os.path.exists(yaml), said


def compare(paths, rng, what, directory):
    texts = [read(path) for path in paths]
    merged = ours(*paths)
    for path, text in zip(paths, texts):
        functions = [int(fid) for fid in re.findall(r"^    fid: +(\d+)$", text, re.M)]
        if functions == sorted(functions):
            check(ours(path) == text, "%s: %s, merged alone, has other bytes" % (what, path))
        # merge-fdata says a key that LLVM 15 and 16 do not know, so that their tools refuse the file.
        check(ours(path) == theirs(path).replace("  dfs-order:       true\n", "" if "dfs-order" not in text else
                                                 "  dfs-order:       true\n"),
              "%s: %s: not as merge-fdata writes it" % (what, path))
    shuffled = paths[:]
    rng.shuffle(shuffled)
    check(ours(*shuffled) == merged, what + ": the order of the inputs matters")
    expected = total(texts)
    check(parse(merged) == expected, what + ": other counts than the sum")
    lost = {}
    other = parse(theirs(*paths))
    for place, value in expected.items():
        if other.get(place) != value:
            lost[place] = value
    check(all(place[2] in ("extern", "calls") for place in lost) and not set(other) - set(expected),
          "%s: merge-fdata differs in %s" % (what, list(lost)[:3]))
    with open(os.path.join(directory, "merged.yaml"), "w", encoding="utf-8") as f:
        f.write(merged)
    return merged


def program_tests(name, program, directory):
    found = edges(program)
    check(len(found) > 10, name + ": too few branches")
    for seed, (release, options) in enumerate([(22, []), (22, ["--profile-use-dfs"]), (19, []), (16, []), (15, [])]):
        if not shutil.which("llvm-bolt-%d" % release):
            print("skipped: no llvm-bolt-%d" % release)
            continue
        rng = random.Random(seed)
        what = "%s by BOLT %d %s" % (name, release, options)
        paths = []
        for i in range(4):
            fdata, yaml = (os.path.join(directory, "%d.%d.%s" % (seed, i, kind)) for kind in ("fdata", "yaml"))
            make_fdata(rng, fdata, found)
            check(bolt(release, program, fdata, yaml, *options)[0], "%s: no YAML" % what)
            paths.append(yaml)
        merged = compare(paths, rng, what, directory)
        if release != 22:
            continue
        again = os.path.join(directory, "again.yaml")
        good, said = bolt(22, program, os.path.join(directory, "merged.yaml"), again, *options)
        check(good and not said, "%s: llvm-bolt says of the merged profile %s" % (what, said))
        read_back, expected = parse(read(again)), parse(merged)
        different = [(p, expected.get(p), read_back.get(p)) for p in sorted(set(expected) | set(read_back), key=str)
                     if expected.get(p) != read_back.get(p)]
        check(not different, "%s: llvm-bolt reads other counts: %s" % (what, different[:4]))


def corpus_tests(directory):
    paths = sorted(glob.glob(os.path.join(CORPUS, "*.yaml")))
    if not paths:
        print("skipped: no profiles of BOLT in the corpus")
        return
    compare(paths, random.Random(1), "corpus", directory)
    check(ours(*paths) == theirs(*paths), "corpus: not the bytes of merge-fdata")


def main():
    if _bolt_merge.missing(TOOL, BOLT):
        return 77
    with tempfile.TemporaryDirectory() as directory:
        corpus_tests(directory)
        programs = _bolt.build(directory)
        for name in ("fixed", "pie"):
            if name in programs:
                program_tests(name, programs[name], directory)
            else:
                print("skipped: %s is not built" % name)
    return _bolt_merge.verdict()


if __name__ == "__main__":
    sys.exit(main())
