#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BAT tables that BOLT 15 to 22 write: what anyprof dumps is what llvm-bat-dump prints, where it is installed, and what
_bat.py reads; sections are written again byte for byte; addresses are translated by BOLT's rule; and every block is
found again."""

import bisect
import json
import os
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bat  # noqa: E402
import _bolt  # noqa: E402
import _share  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.environ.get("ANYPROF_CORPUS", os.path.join(HERE, "../../../shared/corpus"))
DUMPS = {16: "/usr/lib/llvm-16/bin/llvm-bat-dump"}
counts = {"tables": 0, "dumps of LLVM": 0, "entries": 0, "addresses": 0, "blocks found again": 0, "not made": 0,
          "functions verified": 0, "translations of LLVM": 0, "programs changed": 0, "of AArch64": 0}
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED: " + text)
    return condition


def dump_of(fragments):
    """As llvm-bat-dump of LLVM 22 prints it."""
    blocks = {}
    for i, f in enumerate(fragments):
        for _, start, branch, digest, _ in f["entries"]:
            if not branch:
                blocks.setdefault((f.get("hot", i), start), digest)
    out = ["BOLT-INFO: Parsed %d BAT entries" % len(fragments), "BAT tables for %d functions:" % len(fragments)]
    for i, f in sorted(enumerate(fragments), key=lambda p: p[1]["address"]):
        out.append("Function Address: 0x%x" % f["address"] + ("" if f["cold"] else ", hash: 0x%x" % f["hash"]))
        out.append("BB mappings:")
        for output, start, branch, _, _ in f["entries"]:
            mark = " (branch)" if branch else " hash: 0x%x" % blocks[f.get("hot", i), start]
            out.append("0x%x -> 0x%x%s" % (output, start, mark))
        if not f["cold"]:
            out.append("NumBlocks: %d" % f["blocks"])
        if f["secondary"]:
            out.append("%d secondary entry points:" % len(f["secondary"]))
            out += ["0x%x" % s for s in f["secondary"]]
        out.append("")
    cold = sorted((f for f in fragments if f["cold"]), key=lambda f: f["address"])
    if cold:
        out.append("%d cold mappings:" % len(cold))
        out += ["0x%x -> %x" % (f["address"], fragments[f["hot"]]["address"]) for f in cold] + [""]
    return "\n".join(out) + "\n"


def ours(*words):
    done = run([ANYPROF, "bat"] + list(words))
    check(done.returncode == 0, "%s: %s" % (" ".join(words), done.stderr.decode(errors="replace")[:300]))
    return done.stdout.decode()


def translate(f, offset, branch_source):
    """BOLT's rule."""
    before = [e for e in f["entries"] if e[0] <= offset]
    if not before:
        return offset
    last = before[-1]
    return last[1] if branch_source else (offset - last[0] + last[1]) & _bat.MASK32


def check_translation(path, fragments, doc, what):
    """Every address of every fragment."""
    starts = sorted(f["address"] for f in fragments) + [1 << 64]
    for source in (False, True):
        words, expected = [], []
        for i, f in enumerate(fragments):
            size = doc["fragments"][i]["size"] or (f["entries"][-1][0] + 1 if f["entries"] else 1)
            hot = f.get("hot", i)
            size = min(size, 4000, starts[bisect.bisect_right(starts, f["address"])] - f["address"])
            for offset in range(size):
                words.append("0x%x" % (f["address"] + offset))
                real = {**f, "entries": [e for e in f["entries"] if f["cold"] or e[2] or e[0] != size]}
                expected.append((hot, translate(real, offset, source)))
        done = run([ANYPROF, "bat", "translate", "--json", path] + (["--branch-source"] if source else []),
                   input="\n".join(words).encode())
        places = json.loads(done.stdout)["places"]
        got = [(p["function"], p["offset"]) for p in places]
        wrong = [(w, g, e) for w, g, e in zip(words, got, expected) if g != e]
        check(not wrong and len(got) == len(expected), "%s: translate: %s" % (what, wrong[:2]))
        counts["addresses"] += len(places)


def check_reverse(path, fragments, doc, what):
    """The start of every block that is somewhere."""
    names = [f["name"] for f in doc["fragments"]]
    for i, f in enumerate(fragments):
        hot = f.get("hot", i)
        starts = [(e[0], e[1]) for e in f["entries"] if not e[2]]
        if names[hot] is None or names.count(names[hot]) > 1 or not starts:
            continue
        words = ["%s+0x%x" % (names[hot], start) for _, start in starts]
        done = run([ANYPROF, "bat", "translate", "--reverse", "--json", path] + words)
        if not check(done.returncode == 0, "%s: reverse: %s" % (what, done.stderr[:200])):
            continue
        found = {(p["offset"], p["output"]) for p in json.loads(done.stdout)["places"]}
        for output, start in starts:
            removed = not f["cold"] and output == doc["fragments"][i]["size"]
            place = (start, None if removed else "0x%x" % (f["address"] + output))
            check(place in found, "%s: %s+0x%x is at %s" % (what, names[hot], start, place[1]))
            counts["blocks found again"] += 1


def check_verdict(path, original, what, wrong):
    """Nothing is wrong with what BOLT writes: entries are where instructions begin, on both sides, of one kind. Only
    BOLT 15 and 16 leave functions as they were that do not fit in their old place, and write tables for them."""
    done = run([ANYPROF, "bat", "verify", "--json", path, "--original=" + original])
    verdict = json.loads(done.stdout)
    found = verdict["findings"]
    check(wrong or (done.returncode == 0 and not found), "%s: verify: %s" % (what, found[:3]))
    check(verdict["fragments_decoded"] > 5 and verdict["original_functions_decoded"] > 5, "%s: verify: little" % what)
    counts["functions verified"] += verdict["original_functions_decoded"]
    stats = json.loads(ours("stats", "--json", path))
    check(stats["block_entries"] + stats["branch_entries"] == len(json.loads(ours("dump", "--json", path))["entries"]),
          "%s: stats" % what)


def check_put(path, what, where, runs):
    """The program without its table, and with it again: it runs, and nothing that is loaded has changed."""
    stripped, again = os.path.join(where, "stripped"), os.path.join(where, "again")
    wanted = run([path]).stdout if runs else None
    ours("strip", path, "-o", stripped)
    done = run([ANYPROF, "bat", "dump", stripped])
    check(done.returncode == 1 and b"no BAT table found" in done.stderr, "%s: after strip" % what)
    ours("inject", stripped, path, "-o", again)
    check(ours("dump", again) == ours("dump", path), "%s: after inject" % what)
    for copy in (stripped, again):
        if runs:
            check(run([copy]).stdout == wanted and wanted, "%s: %s prints something else" % (what, copy))
        check(segments(copy) == segments(path), "%s: %s: loaded bytes" % (what, copy))
    counts["programs changed"] += 2


def segments(path):
    """Returns the bytes that are loaded, without the ELF header."""
    with open(path, "rb") as f:
        data = f.read()
    start, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    loaded = []
    for i in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
        if kind == 1:
            loaded.append(data[max(offset, 64):offset + length])
    return loaded


def check_tool(path, doc, theirs, ours_as, what):
    """Under the name of the tool: the same words for any address."""
    os.symlink(os.path.abspath(shutil.which(ANYPROF)), ours_as)
    places = [int(f["address"], 16) + k for f in doc["fragments"] for k in (0, 1, 9, 0x30)] + [0, 5]
    words = ["--translate=0x%x" % a for a in places] + ["--dump-all", path]
    check(run([ours_as] + words).stdout == run([theirs] + words).stdout, "%s: as llvm-bat-dump" % what)
    counts["translations of LLVM"] += len(places)


def check_table(path, what, release=None):
    with tempfile.TemporaryDirectory() as where:
        stored, again = os.path.join(where, "stored"), os.path.join(where, "again")
        ours("extract", path, "-o", stored)
        with open(stored, "rb") as f:
            section = f.read()
        dump, doc = ours("dump", path), json.loads(ours("dump", "--json", path))
        if release in DUMPS and os.path.exists(DUMPS[release]):
            check(run([DUMPS[release], "--dump-all", path]).stdout.decode() == dump, "%s: llvm-bat-dump" % what)
            counts["dumps of LLVM"] += 1
            check_tool(path, doc, DUMPS[release], os.path.join(where, "llvm-bat-dump"), what)
        counts["tables"] += 1
        ours("extract", "--convert", path, "-o", again)
        with open(again, "rb") as f:
            converted = f.read()
        fragments = _bat.decode(_bat.payload_of(converted))
        check(_bat.note(_bat.encode(fragments)) == converted, "%s: _bat.py writes it otherwise" % what)
        if doc["encoding"] == "current":
            check(converted == section, "%s: written again" % what)
            check(dump_of(fragments) == dump, "%s: dump" % what)
        else:
            old = _bat.note(_bat.encode_fixed(fragments))
            check(old == section, "%s: the old section of what was converted" % what)
        entries = [(e["fragment"], e["output"], e["input"], e["branch"]) for e in doc["entries"]]
        expected = [(i, e[0], e[1], e[2]) for i, f in enumerate(fragments) for e in f["entries"]]
        check(entries == expected, "%s: entries as JSON" % what)
        counts["entries"] += len(entries)
        check_translation(path, fragments, doc, what)
        check_reverse(path, fragments, doc, what)


def check_corpus():
    where = os.path.join(CORPUS, "bat")
    names = sorted(n[:-4] for n in os.listdir(where) if n.endswith(".sec")) if os.path.isdir(where) else []
    for name in names:
        path = os.path.join(where, name + ".sec")
        check_table(path, name)
        if os.path.exists(os.path.join(where, name + ".dump")):
            with open(os.path.join(where, name + ".dump"), encoding="utf-8") as f:
                check(ours("dump", path).partition("\n")[2] == f.read(), "%s: dump of the corpus" % name)
    if not names:
        print("skipped: no corpus")


def main():
    check_corpus()
    releases = [r for r in _bolt.RELEASES if shutil.which("llvm-bolt-%d" % r)]
    with tempfile.TemporaryDirectory() as where:
        programs = _bolt.build(where) if releases else {}
        foreign = _bolt.build_aarch64(where) if releases else {}
        programs.update(foreign)
        if not programs:
            print("skipped: no llvm-bolt, clang or ld.lld-22: no tables are made")
        plans = _share.pick([(release, name, kind) for release in releases for name in programs
                             for kind in _bolt.OPTIONS], lambda plan: "%d %s" % plan[:2])
        for release, name, kind in plans:
            what = "BOLT %d, %s, %s" % (release, name, kind)
            why = _bolt.bolt(release, programs[name], _bolt.OPTIONS[kind], os.path.join(where, "bolted"))
            if why is not None:
                counts["not made"] += 1
                print("not made: %s: %s" % (what, why))
                continue
            check_table(os.path.join(where, "bolted"), what, release)
            check_verdict(os.path.join(where, "bolted"), programs[name], what, release < 19 and kind == "in place")
            check_put(os.path.join(where, "bolted"), what, where, name not in foreign)
            counts["of AArch64"] += name in foreign
    print(", ".join("%d %s" % (n, what) for what, n in counts.items()))
    if not counts["tables"]:
        return 77
    if len(releases) == len(_bolt.RELEASES) and programs:
        check(counts["tables"] >= _share.least(60, plans) and counts["entries"] > _share.least(5000, plans),
              "too few tables")
        check(not foreign or counts["of AArch64"] >= _share.least(15, plans), "too few tables of AArch64")
    return 1 if failures else 0


sys.exit(main())
