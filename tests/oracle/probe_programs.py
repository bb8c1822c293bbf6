#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pseudo probes of programs that clang 13 to 22 build: what anyprof lists is what llvm-profgen shows, probe by probe,
and each section is made again, byte for byte, by the library and from the JSON."""

import json
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _probes as p  # noqa: E402
import _share  # noqa: E402

# What must at least be compared if all versions are installed: programs with profgen, sections, probes.
FLOOR = {"programs": 75, "sections": 750, "probes": 8000}
HELPER = os.path.join(p.BUILD, "tests", "probe_sections")
counts = {"programs": 0, "sections": 0, "probes": 0, "copies": 0, "starts": 0, "mixed": 0, "crashes": 0, "not built": 0}
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED: " + text)


def ours(command, path):
    done = p.run([p.ANYPROF, "probes", command, "--json", path])
    check(done.returncode == 0 and not done.stderr, "probes %s %s: %s" % (command, path, done.stderr[:200]))
    return json.loads(done.stdout) if done.returncode == 0 else None


def name_of(known, node):
    """As llvm-profgen: a function without descriptor has no name, where the tool does not crash."""
    return node["function"] if node["guid"] in known else ""


def context_of(nodes, node, known):
    frames = []
    while nodes[node]["parent"] is not None:
        parent = nodes[node]["parent"]
        frames.append("@ %s:%d" % (name_of(known, nodes[parent]), nodes[node]["call_probe"]))
        node = parent
    return " ".join(reversed(frames)).encode()


WORDS = {"block": b"Block", "indirect_call": b"IndirectCall", "direct_call": b"DirectCall"}


def our_probes(doc, descs):
    known = {d["guid"] for d in descs["descriptors"]}
    nodes = {n["node"]: n for n in doc["nodes"]}
    return sorted((int(q["address"], 16), p.from_json(name_of(known, nodes[q["node"]])), q["id"], q["discriminator"],
                   WORDS[q["type"]], context_of(nodes, q["node"], known)) for q in doc["probes"] if q["address"])


def check_sections(path, what, literal):
    """The library and a reader of the JSON make the same bytes as the file has."""
    names = (".pseudo_probe", ".pseudo_probe_desc")
    sections = {k: v for k, (name, v) in p.elf_sections(path).items() if name in names}
    done = p.run([HELPER, path])
    check(done.returncode == 0, "%s: probe_sections: %s" % (what, done.stderr[:200]))
    written = dict(line.split(b" ") for line in done.stdout.splitlines())
    check(sorted(int(k) for k in written) == sorted(sections), "%s: which sections there are" % what)
    for number, text in written.items():
        if text == b"unsupported":
            check(literal, "%s: section %s cannot be written" % (what, number.decode()))
        else:
            check(bytes.fromhex(text.decode()) == sections[int(number)], "%s: section %s" % (what, number.decode()))
            counts["sections"] += 1
    descs, probes = ours("desc", path), ours("list", path)
    made = p.descriptor_sections(descs)
    if not (probes["file"]["old_encoding"] and probes["file"]["relocatable"]):
        made.update(p.probe_sections(probes))
    for number, text in made.items():
        check(text == sections[number], "%s: section %d from JSON" % (what, number))
    return descs, probes


def check_verdict(path, what):
    """Nothing is wrong with what compilers make, but that after splitting some GUIDs have no descriptor, or with
    LLVM 13 are those of the function's other part; and all probes with addresses are where instructions begin."""
    done = p.run([p.ANYPROF, "probes", "verify", "--json", path])
    verdict = json.loads(done.stdout)
    found = verdict["findings"]
    expected = [f for f in found if "split" in what and f["kind"] in ("no_descriptor", "outside")]
    check(found == expected, "%s: verify: %s" % (what, found))
    check(done.returncode == (1 if found else 0), "%s: verify ends with %d" % (what, done.returncode))
    starts = verdict["instruction_starts"]
    check(starts["unchecked"] == 0 and starts["reason"] is None, "%s: verify: %s" % (what, starts))
    counts["starts"] += starts["checked"]


def check_program(path, what, version, literal):
    descs, probes = check_sections(path, what, literal)
    check_verdict(path, what)
    shown = p.profgen(22, path)
    if shown is None:
        counts["crashes"] += 1
        return
    theirs, addresses = shown
    mine = our_probes(probes, descs)
    check([q for q in mine if q[0] in addresses] == theirs, "%s: probes" % what)
    wanted = sorted((int(d["guid"], 16), p.from_json(d["function"]), int(d["hash"], 16)) for d in descs["descriptors"])
    check(wanted == p.descriptors_of_profgen(22, path), "%s: descriptors" % what)
    counts["programs"] += 1
    counts["probes"] += len(theirs)
    # The release's own reader, where it reads its own encoding. 19 shows nothing else, older ones only old programs.
    if version in (13, 14, 15, 16) and shutil.which("llvm-profgen-%d" % version):
        own = p.profgen(version, path)
        if own and own[0]:
            check(sorted(set(own[0])) == sorted({q for q in mine if q[0] in own[1]}), "%s: as its own profgen" % what)


MIXED = (("one.c", "int two(int); int one(int x) { int s = 0; while (x > 3) { s += two(x); x -= 2; } return s + x; }\n"
                   "int more(int x) { return x & 1 ? one(x) : two(x); }\n"),
         ("two.c", "int one(int); int two(int x) { return x % 5 ? x * 3 : x + 1; }\n"
                   "int main(int argc, char **argv) { (void)argv; return one(argc * 9) + two(argc); }\n"))


def check_mixed(where, old, new):
    """Objects of an old and a new compiler in one program, in either order: for LLVM, too, some addresses are wrong."""
    os.makedirs(where)
    for versions in ((old, new), (new, old)):
        objects = []
        for (name, text), version in zip(MIXED, versions):
            with open(os.path.join(where, name), "w", encoding="utf-8") as f:
                f.write(text)
            objects.append(os.path.join(where, "%s-%d.o" % (name, version)))
            p.run(["clang-%d" % version, "-O2", "-g", "-fpseudo-probe-for-profiling", "-c", os.path.join(where, name),
                   "-o", objects[-1]])
        path = os.path.join(where, "mixed")
        if p.run([p.linker_of(new), "-e", "main"] + objects + ["-o", path]).returncode == 0:
            verdict = json.loads(p.run([p.ANYPROF, "probes", "verify", "--json", path]).stdout)
            kinds = {f["kind"] for f in verdict["findings"]}
            check("mixed_encodings" in kinds, "objects of clang %d and %d: verify: %s" % (versions + (kinds,)))
            counts["mixed"] += 1


def check_packed(path, what):
    """Compressed sections, and programs without debug info, are the same."""
    wanted = p.run([p.ANYPROF, "probes", "list", path]).stdout
    copy = path + ".copy"
    for flags in (["--compress-sections=.pseudo_probe=zlib", "--compress-sections=.pseudo_probe_desc=zstd"],
                  ["--compress-sections=.pseudo_probe=zstd", "--compress-sections=.pseudo_probe_desc=zlib"], ["-g"]):
        done = p.run(["llvm-objcopy-22"] + flags + [path, copy])
        if done.returncode != 0:
            print("skipped: llvm-objcopy-22 %s" % " ".join(flags))
            continue
        got = p.run([p.ANYPROF, "probes", "list", copy])
        check(got.returncode == 0 and got.stdout == wanted, "%s: after objcopy %s" % (what, " ".join(flags)))
        counts["copies"] += 1


def main():
    versions = [v for v in p.VERSIONS if shutil.which("clang-%d" % v)]
    if not versions or not shutil.which("llvm-profgen-22") or not os.path.exists(HELPER):
        print("skipped: needs clang, llvm-profgen-22 and the test helpers")
        return 77
    with tempfile.TemporaryDirectory() as where:
        plans = _share.pick([(version, program) for version in versions for program in p.PROGRAMS
                             if version >= program.first], lambda plan: plan[1].name)
        for version, program in plans:
            what = "%s of clang %d" % (program.name, version)
            built = p.build(program, version, os.path.join(where, "%s-%d" % (program.name, version)))
            if isinstance(built, str):
                counts["not built"] += 1
                print("not built: %s: %s" % (what, built))
                continue
            objects, path = built
            for o in objects:
                check_sections(o, "%s, %s" % (what, os.path.basename(o)), version < 16)
                check_verdict(o, "%s, %s" % (what, os.path.basename(o)))
            if path:
                check_program(path, what, version, version < 16)
            if program.name in ("c", "cpp"):
                check_packed(path, what)
        old, new = [v for v in versions if v < 16], [v for v in versions if v >= 16]
        if old and new:
            check_mixed(os.path.join(where, "mixed"), old[-1], new[-1])
    print(", ".join("%d %s" % (n, what) for what, n in counts.items()))
    if len(versions) == len(p.VERSIONS):
        for what, least in FLOOR.items():
            check(counts[what] >= _share.least(least, plans), "only %d %s" % (counts[what], what))
    return 1 if failures else 0


sys.exit(main())
