#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON that `cov` writes is what docs/schemas says: of the programs that fuzzing begins with, of those of the
corpus, and of some that clang builds here, with counts, without, and with those of another build; with names that are
strange; in parts. The schemas refuse every document in which something is missing, added, or of another type."""

import json
import os
import shlex
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _coverage as c  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402
import _schemas as s  # noqa: E402

sys.path.insert(0, os.path.join(p.SOURCE, "fuzz"))
import _cov_seeds as seeds  # noqa: E402

CORPUS = os.path.join(p.CORPUS, "cov")
# JSON that cannot hold a name: quotes, a control character, bytes that are no UTF-8, a character beyond 16 bits.
STRANGE = b'/x/"\\\x01\x7f\xff\xf0\x9f\x98\x80<&'
HOSTILE = {"archive-thin", "universal-two", "version-8",
           *(name for name, _ in (*seeds.sections(), *seeds.hostile()))}
VARIANTS = ([], ["--skip-expansions"], ["--summary-only"], ["--skip-functions"], ["--compat=llvm-22"],
            ["--merge-instantiations=union"])
FILES = "/data/*/files/*/"
FUNCTIONS = "/data/*/functions/*/"


class Schemas:
    def __init__(self, report):
        conditions = "mcdc_records/*/10/*/conditions/*"
        self.llvm = s.Schema(report, "llvm-coverage-export-3", optional=(FUNCTIONS[:-3], FILES + "expansions"),
                             other={path + conditions: ("bool", "NoneType") for path in (FILES, FUNCTIONS)})
        self.codecov = s.Schema(report, "codecov", other={"/coverage/*/*": ("number", "str")})
        self.coveralls = s.Schema(report, "coveralls", optional=("/source_files/*/source_digest",),
                                  other={"/source_files/*/coverage/*": ("number", "NoneType")})
        self.report = s.Schema(report, "anyprof-cov-report-1", other={path + "/*/path_hex": ("NoneType",)
                                                                   for path in ("/programs", "/unpaired_markers")})
        self.patch = s.Schema(report, "anyprof-cov-patch-1", other={"/files/*/path_hex": ("NoneType",)})
        self.base = s.Schema(report, "anyprof-cov-diff-1", other={"/files/*/path_hex": ("NoneType",)})

    def all(self):
        return self.llvm, self.codecov, self.coveralls, self.report, self.patch, self.base


class Runs:
    """Every output of a program."""

    def __init__(self, report, schemas, directory):
        self.report, self.schemas, self.directory = report, schemas, directory
        self.patch = os.path.join(directory, "patch")
        self.n = 0
        self.hostile = False  # programs and profiles may be refused

    def run(self, schema, what, words, cwd=None, file=None):
        """Adds a document from standard output, or from a file."""
        done = p.anyprof("cov", *words, cwd=cwd or self.directory)
        if done.code != 0:
            self.report.check(f"{schema.name}: {what}", self.hostile and done.code == 1, done.errors())
            return
        data = done.out
        if file:
            with open(file, "rb") as opened:
                data = opened.read()
        schema.add(what, data)
        self.n += 1

    def exports(self, name, words, cwd=None, variants=VARIANTS):
        for more in variants:
            self.run(self.schemas.llvm, f"{name} {more}", ["export", *words, *more], cwd)
        for schema in (self.schemas.codecov, self.schemas.coveralls):
            self.run(schema, name, ["export", f"--format={schema.name}", *words], cwd)

    def others(self, name, words, bases, cwd=None):
        file = os.path.join(self.directory, "report")
        self.run(self.schemas.report, name, ["show", *words, f"--report={file}", "--quiet"], cwd, file)
        self.run(self.schemas.patch, name, ["diff", *words, f"--patch={self.patch}", "--json"], cwd)
        for base in bases:
            self.run(self.schemas.base, f"{name} {base}", ["diff", *words, f"--base={base}", "--json"], cwd)


def write(directory, name, data):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def check_seeds(runs, directory):
    profile = write(directory, "profile", seeds.PROFILE)
    other = write(directory, "other", seeds.OTHER_PROFILE)
    huge = write(directory, "huge", seeds.HUGE_PROFILE)
    none = write(directory, "none", b"other\n1\n1\n1\n")
    write(directory, "patch", seeds.PATCH.replace(b"+++ doc", b"+++ do\xff\x01c"))
    everything = (*seeds.containers(), *seeds.sections(), *seeds.versions(), *seeds.hostile())
    programs = [(name, write(directory, name, program)) for name, program in everything
                if name != "lines"]  # it has many
    whole = write(directory, "whole", seeds.covtest(seeds.whole()))
    strange = write(directory, "st\udcffra\nnge", seeds.covtest(seeds.whole(
        functions=[(b'f"\\\x02\xfe', 5, seeds.MAIN), (b"main", 5, seeds.MAIN)])))
    markers = os.path.join(directory, "src")
    os.mkdir(markers)
    write(markers, "a.c", b"text\n" * 35 + b"// LCOV_EXCL_START\n" + b"text\n" * 30)
    write(markers, "b.h", b"text // LCOV_EXCL_LINE\n" * 30 + b"// GCOV_EXCL_BR_STOP\n")
    for name, program in programs:
        runs.hostile = name in HOSTILE
        words = [program, f"--profile={profile}", f"--path-equivalence=/src,{markers}"]
        runs.exports(name, words)
        runs.others(name, words, [none])
    runs.hostile = False
    strange_map = "--prefix-map=/src=" + os.fsdecode(STRANGE)
    for name, words in (("whole", [whole, f"--profile={profile}"]), ("nothing", [whole, "--empty-profile"]),
                        ("other", [whole, f"--profile={other}"]), ("huge", [whole, f"--profile={huge}"]),
                        ("twice", [whole, f"--object={whole}", f"--profile={profile}"]),
                        ("strange", [strange, f"--profile={other}", strange_map]),
                        ("markers", [whole, f"--profile={profile}", f"--path-equivalence=/src,{markers}",
                                     "--exclusion-markers"]),
                        ("no file", [whole, f"--profile={profile}", "--ignore-filename-regex=."])):
        runs.exports(name, words)
        runs.others(name, words, [none, profile, other])


def check_values(report, runs):
    """What the documents of the seeds have to say, so that they are not valid for having nothing in them."""
    documents = [document for _, document in runs.schemas.report.documents]
    reasons = {entry["reason"] for document in documents for entry in document["functions"]}
    wanted = {"mismatch", "short_counters", "circular", "damaged", "duplicate", "excluded"}
    report.check("reasons", wanted <= reasons, sorted(wanted - reasons))
    markers = {(entry["path"], entry["line"], entry["marker"]) for document in documents
               for entry in document["unpaired_markers"]}
    report.same("markers", markers, {("/src/a.c", 36, "START"), ("/src/b.h", 31, "BR_STOP")})
    counts = {entry["count"] for _, document in runs.schemas.llvm.documents
              for entry in document["data"][0].get("functions", [])}
    report.check("the largest count", 2**63 - 1 in counts, sorted(counts)[-3:])
    shown = STRANGE.decode("utf-8", "replace") + "/a.c"
    for names in ({name for _, document in runs.schemas.codecov.documents for name in document["coverage"]},
                  {entry["name"] for _, document in runs.schemas.coveralls.documents
                   for entry in document["source_files"]}):
        report.check("a strange name", shown in names, sorted(names)[:9])
    hexes = {entry["path_hex"] for _, document in runs.schemas.patch.documents for entry in document["files"]}
    report.check("a name in a diff", b"do\xff\x01c".hex() in hexes, hexes)


def check_limits(report, schemas):
    """Numbers that readers cannot hold are refused where our formats have strings for them."""
    for schema in (schemas.report, schemas.patch, schemas.base):
        number = s.jsonschema.Draft202012Validator(schema.root["$defs"]["number"])
        got = [number.is_valid(value) for value in (0, 2**53, str(2**53 + 1), str(2**64 - 1), 2**53 + 1, "7", -1, 0.5)]
        report.same(f"{schema.name}: numbers", got, [True] * 4 + [False] * 4)
    for schema, place in ((schemas.codecov, "line"), (schemas.coveralls, "count")):
        number = s.jsonschema.Draft202012Validator(schema.root["$defs"][place])
        report.same(f"{schema.name}: counts", [number.is_valid(value) for value in (0, 2**31 - 1, 2**31)],
                    [True, True, False])


def check_corpus(report, runs):
    runs.hostile = True
    for case in sorted(os.listdir(CORPUS)):
        directory = os.path.join(CORPUS, case)
        if not os.path.exists(os.path.join(directory, "cmd")):
            continue
        with open(os.path.join(directory, "cmd"), encoding="utf-8") as file:
            made = json.load(file)
        profile = f"--instr-profile={made['profile']}" if made["profile"] else "--empty-profile"
        options = [word for word in shlex.split(made["options"])
                   if not word.startswith(("-skip", "-summary", "-unify"))]
        words = [made["objects"][0], *(f"--object={path}" for path in made["objects"][1:]), profile, *options]
        runs.exports(case, words, directory, VARIANTS[:1])
        runs.others(case, words, [made["profile"]] if made["profile"] else [], directory)
        twin = os.path.join(directory, "22.json")
        if os.path.exists(twin):  # what LLVM itself wrote
            with open(twin, "rb") as file:
                runs.schemas.llvm.add(f"{case}: llvm-cov", file.read())
    directory = os.path.join(CORPUS, "hostile")
    for name in sorted(os.listdir(directory)):
        if name not in ("profdata", "llvm22.txt", "hugegap", "hugeline"):  # these two have millions of lines
            runs.exports("hostile/" + name, [name, "--profile=profdata"], directory, VARIANTS[:1])
            runs.others("hostile/" + name, [name, "--profile=profdata"], ["profdata"], directory)
    report.check("the corpus has many cases", runs.n > 500, runs.n)


def check_built(report, runs, directory):
    """Programs of this machine's newest clang, and a diff in which a file was renamed."""
    runs.hostile = False
    clang = c.CLANGS[-1]
    c.write_sources(directory)
    for name, sources, flags, since in c.PROGRAMS:
        made = c.build(report, clang, directory, name, sources, flags) if clang >= since else None
        if not made or not made[2]:
            continue
        words = [made[0], f"--profile={made[2]}"]
        runs.exports(name, words)
        runs.others(name, words, [made[1]])
    git = ["git", "-c", "core.quotePath=true"]
    old = os.path.join(directory, "old")
    os.mkdir(old)
    write(old, "before.c", c.C_SOURCE.replace("x > 4", "x > 5").encode())
    done = p.run([*git, "diff", "--no-index", "old/before.c", "c.c"], cwd=directory)
    report.check("git makes a diff", done.code == 1 and b"@@" in done.out, done.errors())
    runs.patch = write(directory, "renamed", done.out + b"diff --git a/old/same.c b/new/same.c\nsimilarity index 100%\n"
                       b"rename from old/same.c\nrename to new/same.c\n")
    program = os.path.join(directory, f"c-{clang}")
    runs.others("renamed", [program, f"--profile={program}.profdata"], [])
    (entry,) = runs.schemas.patch.documents[-1][1]["files"]
    report.check("the renamed file is found", entry["source"] == os.path.join(directory, "c.c") and entry["code"] == 1,
                 entry)


def main():
    report = p.Report(floor=2000)
    schemas = Schemas(report)
    with p.work_directory() as directory:
        runs = Runs(report, schemas, directory)
        check_seeds(runs, directory)
        check_values(report, runs)
        check_limits(report, schemas)
        if os.path.isdir(CORPUS):
            check_corpus(report, runs)
        if c.CLANGS:
            check_built(report, runs, directory)
    s.all_tried(report, schemas.all(), lambda name: "-cov-" in name or not name.startswith("anyprof-"))
    for schema in schemas.all():
        schema.change_everything()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
