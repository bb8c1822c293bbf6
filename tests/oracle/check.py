#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof check` beside LLVM: a profile that LLVM reads has no finding above note, one that LLVM refuses has an error.

Raw profiles of the corpus by their twins; inputs of LLVM's tests by the installed tools; indexed profiles that the
tools and anyprof make of generated text; profiles of programs that each clang builds here, also beside these programs.
Whatever is an exception stands below, with the reason. Then damage: each kind of it is found at its place, by its name.
"""

import json
import os
import shutil
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402
from _profiles import (  # noqa: E402
    ANYPROF,
    CORPUS,
    RELEASES,
    SOURCE,
    WITHOUT_METADATA,
    Crash,
    Report,
    anyprof,
    in_parallel,
    load_twin,
    profdata,
    run,
    skip,
    twin_names,
    work_directory,
)

# Sample profiles that tools read and compilers do not: they lack the summary and the table of places.
FOR_TOOLS_ONLY = ("sample-nametable-after-samples.profdata", "sample-multiple-nametables.profdata")

FLOOR = 340  # comparisons without tools and corpus
FLOOR_CORPUS = 300  # more with the corpus
FLOOR_RELEASE = 30  # more for each release of LLVM that is installed

def check(paths):
    """{path: findings}"""
    if not paths:
        return {}
    result = anyprof("check", "--json", *paths)
    document = json.loads(result.out)
    assert document["schema"] == "anyprof-check/1" and not result.err
    return {f["path"]: f["findings"] for f in document["files"]}


def serious(findings):
    return [f for f in findings if f["severity"] != "note"]


def words(findings):
    return "; ".join("%s %s" % (f["severity"], f["message"]) for f in serious(findings)[:3])


def judge(report, path, findings, accepted):
    """One file: whether LLVM accepts it, and what we say."""
    name = os.path.basename(path)
    bare = [f for f in findings if f["code"] == "MISSING_CORRELATION"]
    if accepted:
        report.check("valid %s" % path, not serious(findings), words(findings))
        report.same("%s: needs its program" % path, bool(bare), os.path.splitext(name)[0] in WITHOUT_METADATA)
    else:
        errors = [f for f in findings if f["severity"] == "error"]
        report.check("refused %s" % path, errors, "no error")


# --- files that are there ---------------------------------------------------------------------------------------


def corpus_raw(report):
    raw = os.path.join(CORPUS, "raw")
    if not os.path.isdir(raw):
        report.skip("corpus/raw", "there is no corpus")
        return
    names = twin_names(raw)
    found = check([os.path.join(raw, n + ".profraw") for n in names])
    for name in names:
        path = os.path.join(raw, name + ".profraw")
        judge(report, path, found[path], not load_twin(raw, name).get("rejected"))


def contents(root):
    """Each content of LLVM's test inputs once."""
    seen = {}
    for directory, _, files in os.walk(root):
        for name in files:
            path = os.path.join(directory, name)
            with open(path, "rb") as f:
                data = f.read()
            if data and name.endswith((".profraw", ".profdata", ".proftext", ".v1", ".v2", ".v4", ".v10")):
                seen.setdefault(data, path)
    return sorted(seen.values())


def readable(path):
    """Whether an installed tool reads it. None: no tool is there that knows its version."""
    known = False
    for release in reversed(RELEASES):
        if not profdata(release):
            continue
        try:
            shown = run([profdata(release), "show", "--all-functions", "--counts", path])
        except Crash:
            return False
        if shown.code == 0:
            return True
        text = shown.errors()
        known = known or not ("version" in text and ("raw profile" in text or "unsupported" in text))
    return False if known else None


def is_sample(path):
    """Whether an installed tool reads it as a sample profile."""
    for release in reversed(RELEASES):
        try:
            if profdata(release) and run([profdata(release), "show", "--sample", path]).code == 0:
                return True
        except Crash:
            pass
    return False


def corpus_tests(report):
    root = os.path.join(CORPUS, "llvm-tests")
    if not os.path.isdir(root):
        report.skip("corpus/llvm-tests", "there is no corpus")
        return
    paths = contents(root)
    found = check(paths)
    for path, accepted in zip(paths, in_parallel(readable, paths)):
        if accepted is None:
            report.skip(path, "no installed tool knows its version")
        elif not accepted and is_sample(path):
            if os.path.basename(path) in FOR_TOOLS_ONLY:
                continue
            errors = [f for f in found[path] if f["severity"] == "error"]
            report.check("valid sample profile %s" % path, not errors, words(found[path]))
        else:
            judge(report, path, found[path], accepted)


# --- files that are made here -----------------------------------------------------------------------------------


def texts(release):
    old = release <= 16
    limits = {"kinds": (0, 1), "local": ":", "bitmaps": 0} if old else {"local": ";", "bitmaps": 20}
    cases = [
        ("ir", dict(header=["ir"], values=40, several_hashes=20)),
        ("cs", dict(header=["csir", "entry_first"], values=20, several_hashes=60)),
        ("fe", dict(header=["fe"], values=0)),
        ("zero", dict(header=["ir"], counts="zero")),
        ("one", dict(header=["ir"], functions=1)),
        ("none", dict(header=["ir"], functions=0)),
        ("many", dict(header=["ir"], functions=400, values=10, wide=20, most_values=300)),
        ("pseudo", dict(header=["ir"], pseudo=30)),
    ]
    if release >= 19:
        cases.append(("traces", dict(header=["ir"], traces=5)))
    for name, options in cases:
        yield name, g.make_profile("check %s" % name, **dict(limits, **options))


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def merge_one(job):
    tool, arguments, text, out = job
    done = run([tool, "merge", *arguments, "-o", out, text])
    return out if done.code == 0 else None


def generated(report, directory):
    jobs = []
    for release in RELEASES:
        for name, profile in texts(release):
            path = os.path.join(directory, "%s.%d.proftext" % (name, release))
            text = write(path, g.render(profile, "check " + name))
            out = os.path.join(directory, "%s.%d" % (name, release))
            if profdata(release):
                jobs.append((profdata(release), [], text, out + ".profdata"))
                if release >= 19 and name == "ir":
                    jobs.append((profdata(release), ["--write-prev-version"], text, out + ".prev.profdata"))
            if release in (16, 22) and name in ("ir", "cs", "many", "one", "zero"):
                for version in range(1, 15):
                    ours = "%s.our%d.profdata" % (out, version)
                    jobs.append((ANYPROF, ["--quiet", "--for=indexed-%d" % version], text, ours))
    made = in_parallel(merge_one, jobs)
    report.check("all merges are done", all(made), str([j for j, m in zip(jobs, made) if not m][:2]))
    found = check([m for m in made if m])
    for path, findings in found.items():
        judge(report, path, findings, True)


MODES = {
    "fe": ["-fprofile-instr-generate", "-fcoverage-mapping"],
    "ir": ["-fprofile-generate"],
    "cs": ["-fprofile-generate", "-mllvm", "-pgo-instrument-entry"],
}


def build(job):
    """A program of a clang, run twice; its raw profile, and what the release's tool makes of it."""
    release, mode, directory = job
    clang = shutil.which("clang-%d" % release)
    source = os.path.join(SOURCE, "tests", "oracle", "pgo")
    stem = os.path.join(directory, "%s%d" % (mode, release))
    command = [clang, "-O1", "-w", *MODES[mode], "-I", source, os.path.join(source, "pgo_small.c"), "-o", stem]
    if not clang or run(command).code != 0:
        return release, mode, [], []
    raw = stem + ".profraw"
    environment = dict(os.environ, LLVM_PROFILE_FILE=raw)
    if run(["env", "LLVM_PROFILE_FILE=" + environment["LLVM_PROFILE_FILE"], stem, "7"]).code != 0:
        return release, mode, [], []
    merged = merge_one((profdata(release), [], raw, stem + ".profdata")) if profdata(release) else None
    own = anyprof("check", "--json", "--against=" + stem, raw, *([merged] if merged else []))
    compared = [f["against"] for f in json.loads(own.out)["files"]]
    return release, mode, [raw] + ([merged] if merged else []), compared


def programs(report, directory):
    jobs = [(r, m, directory) for r in RELEASES if shutil.which("clang-%d" % r) for m in MODES]
    paths = []
    for release, mode, files, compared in in_parallel(build, jobs):
        if not files:
            report.skip("clang-%d %s" % (release, mode), "the program cannot be built or run")
        paths += files
        for against in compared:
            whole = against["found"] == against["functions"] >= 3 and against["changed"] + against["unknown"] == 0
            report.check("clang-%d %s: against its program" % (release, mode), whole, str(against))
    for path, findings in check(paths).items():
        judge(report, path, findings, True)


FIRST = """int a(int x) { if (x > 2) return 1; return 2; }
int b(int x) { int s = 0; for (int i = 0; i < x; i++) s += a(i); return s; }
int gone(int x) { return x; }
int main(int c, char **v) { (void)v; return b(c + 5) + gone(c) == 7; }
"""


def another_build(report, directory):
    """The profile of a program beside another version of it: a has other control flow, gone is called new."""
    releases = [r for r in RELEASES if shutil.which("clang-%d" % r)]
    if not releases:
        report.skip("another build", "there is no clang")
        return
    changed = FIRST.replace("if (x > 2)", "if (x > 7) return 5; if (x > 2)").replace("gone", "new")
    clang, stems = "clang-%d" % releases[-1], []
    for name, text in (("before", FIRST), ("after", changed)):
        stem = os.path.join(directory, name)
        write(stem + ".c", text.encode())
        if run([clang, "-O0", "-fprofile-generate", stem + ".c", "-o", stem]).code != 0:
            report.skip("another build", "it cannot be built")
            return
        stems.append(stem)
    raw = stems[0] + ".profraw"
    run(["env", "LLVM_PROFILE_FILE=" + raw, stems[0]])
    document = json.loads(anyprof("check", "--json", "--against=" + stems[1], raw).out)["files"][0]
    want = {"functions": 4, "found": 2, "changed": 1, "missing": 1, "unknown": 1}
    want.update({"found_weight": 8, "changed_weight": 6, "unknown_weight": 1})
    want.update({"other_path": 0, "other_build": 0, "other_build_weight": 0})
    report.same("another build", document["against"], want)
    found = sorted((f["where"], f["severity"], f["function"]) for f in document["findings"])
    want = [("against.hash", "warning", "a"), ("against.missing", "note", "new"), ("against.unknown", "note", "gone")]
    report.same("functions of another build", found, want)


USE = b"""int lib(int);
static __attribute__((noinline)) int own(int x) { return x > 1 ? lib(x) : 2; }
int main(int c, char **v) { (void)v; return own(c) + own(c + 3) == 0; }
"""


def together(report, directory):
    """A program and its shared library; local functions in the profile of an older clang."""
    releases = [r for r in RELEASES if shutil.which("clang-%d" % r)]
    old, new = [r for r in releases if r < 18], [r for r in releases if r >= 18]
    if not old or not new:
        report.skip("programs together", "there is no clang before or since 18")
        return
    path = lambda name: os.path.join(directory, name)  # noqa: E731
    write(path("lib.c"), b"int lib(int x) { if (x > 2) return 3; return x; }\n")
    write(path("use.c"), USE)
    flags, raws = ["-O0", "-w", "-fprofile-generate"], {}
    for release in (old[-1], new[-1]):
        clang = "clang-%d" % release
        library, program = path("libl%d.so" % release), path("use%d" % release)
        build_library = [clang, *flags, "-shared", "-fPIC", path("lib.c"), "-o", library]
        build_program = [clang, *flags, path("use.c"), library, "-Wl,-rpath," + directory, "-o", program]
        if run(build_library).code or run(build_program).code:
            report.skip("programs together", "they cannot be built")
            return
        run(["env", "LLVM_PROFILE_FILE=" + path("use%d-%%m.profraw" % release), program])
        mine = [path(n) for n in os.listdir(directory) if n.startswith("use%d-" % release)]
        raws[release] = path("use%d.profdata" % release)
        merged = anyprof("merge", "--quiet", "-o", raws[release], *mine)
        report.same("clang-%d: a program and its library are merged" % release, (merged.code, len(mine)), (0, 2))
    program, library = "--against=" + path("use%d" % new[-1]), "--against=" + path("libl%d.so" % new[-1])
    both = json.loads(anyprof("check", "--json", program, library, raws[new[-1]]).out)["files"][0]["against"]
    report.same("both have all", [both[k] for k in ("functions", "found", "unknown")], [3, 3, 0])
    one = json.loads(anyprof("check", "--json", program, raws[new[-1]]).out)["files"][0]["against"]
    report.same("the program alone has not", [one[k] for k in ("functions", "found", "unknown")], [2, 2, 1])
    # What the compiler takes: it warns of functions without counts.
    before = json.loads(anyprof("check", "--json", program, library, raws[old[-1]]).out)["files"][0]["against"]
    use = ["-O0", "-fprofile-use=" + raws[old[-1]], "-S", "-emit-llvm", "-o", "-", path("use.c")]
    used = run(["clang-%d" % new[-1], *use])
    defined = [line for line in used.out.split(b"\n") if line.startswith(b"define") and b"@own(" in line]
    takes = len(defined) == 1 and b"!prof" in defined[0]
    report.same("own of clang-%d in clang-%d" % (old[-1], new[-1]), takes, before["missing"] == 0)
    report.check("and it is there", takes, str(before))


def lightweight(report):
    """Profiles whose functions are described in their program: nothing is wrong with them, beside it or without it."""
    root = os.path.join(CORPUS, "correlate")
    if not os.path.isdir(root):
        report.skip("corpus/correlate", "there is no corpus")
        return
    for name in ("14_dbg", "19_cbinary", "19_cdebug-info"):
        raw, program = os.path.join(root, name + ".profraw"), os.path.join(root, "bin_" + name)
        done = anyprof("check", "--json", "--against=" + program, raw)
        found = json.loads(done.out)["files"][0]
        report.same("%s beside its program" % name, (done.code, found["findings"]), (0, []))
        whole = found["against"]["found"] == found["against"]["functions"] == found["records"] > 0
        report.check("%s: all functions" % name, whole, str(found["against"]))
        other = "bin_14_dbg" if name != "14_dbg" else "bin_19_cbinary"
        wrong = anyprof("check", "--json", "--against=" + os.path.join(root, other), raw)
        codes = [(f["severity"], f["code"]) for f in json.loads(wrong.out)["files"][0]["findings"]]
        report.same("%s beside another program" % name, (wrong.code, codes), (1, [("warning", "UNABLE_TO_CORRELATE")]))


# --- damage -----------------------------------------------------------------------------------------------------


def put(data, at, value, size=8):
    return data[:at] + (value % (1 << 8 * size)).to_bytes(size, "little") + data[at + size :]


def indexed_damage(data):
    """(name, damaged bytes, severity, where)"""
    word = lambda at: struct.unpack_from("<Q", data, at)[0]  # noqa: E731
    table, ids = word(32), word(48)
    n_buckets = word(table)
    summary = 72
    payload = summary + 16 + 8 * word(summary) + 24 * word(summary + 8)
    item = payload + 2
    record = item + 24 + word(item + 8)
    bucket = next(i for i in range(n_buckets) if word(table + 16 + 8 * i) == payload)
    empty = next(i for i in range(n_buckets) if word(table + 16 + 8 * i) == 0)
    yield "version", put(data, 8, 99 | 1 << 56), "error", "indexed.header.version"
    yield "unknown bit", put(data, 8, word(8) | 1 << 40), "note", "indexed.header.version"
    yield "unused word", put(data, 16, 5), "note", "indexed.header.unused"
    yield "hash type", put(data, 24, 1), "error", "indexed.header.hash_type"
    yield "hash offset", put(data, 32, 1 << 40), "error", "indexed.header.hash_offset"
    yield "ids offset", put(data, 48, 1 << 40), "error", "indexed.header.binary_ids_offset"
    yield "vtables offset", put(data, 64, 1 << 40), "error", "indexed.header.vtable_names_offset"
    yield "ids size", put(data, ids, 12), "error", "indexed.binary_ids.size"
    yield "summary fields", put(data, summary, 1 << 60), "error", "indexed.summary.num_fields"
    more = put(data, summary + 16, word(summary + 16) + 1)
    yield "summary functions", more, "warning", "indexed.summary.num_functions"
    yield "summary total", put(data, summary + 56, word(summary + 56) ^ 8), "warning", "indexed.summary.total_count"
    yield "summary row", put(data, summary + 64 + 8, word(summary + 72) + 1), "warning", "indexed.summary.min_count"
    yield "hash of a key", put(data, item, word(item) ^ 1 << 50), "error", "indexed.table.item.hash"
    yield "key size", put(data, item + 8, 1 << 30), "error", "indexed.table.item.key_size"
    yield "data size", put(data, item + 16, 1 << 30), "error", "indexed.table.item.data_size"
    yield "key", put(data, item + 24, 7, 1), "error", "indexed.table.item.hash"
    yield "counters", put(data, record + 8, 1 << 50), "error", "indexed.record.num_counters"
    yield "a count", put(data, record + 16, 1 << 60), "warning", "indexed.summary.max_function_count"
    yield "buckets", put(data, table, n_buckets + 1), "error", "indexed.table.num_buckets"
    yield "entries", put(data, table + 8, 1 << 50), "error", "indexed.table.num_entries"
    yield "fewer entries", put(data, table + 8, word(table + 8) - 1), "error", "indexed.table.buckets"
    yield "a bucket", put(data, table + 16 + 8 * bucket, payload + 2), "error", "indexed.table.buckets"
    yield "a bucket of none", put(data, table + 16 + 8 * empty, payload), "warning", "indexed.table.buckets"
    yield "an entry to nowhere", put(data, table + 16 + 8 * empty, payload + 1), "error", "indexed.table.buckets"
    yield "no buckets", put(data, table + 16 + 8 * bucket, 0), "error", "indexed.table.buckets"
    yield "trailing bytes", data + b"abcdefgh", "warning", "indexed.unclaimed"
    yield "two profiles", data + data, "warning", "indexed.unclaimed"
    yield "trailing zeros", data + bytes(64), "note", "indexed.unclaimed"
    yield "traces that the header does not announce", put(data, 56, ids), "warning", "indexed.header.traces_offset"
    yield "a place of nothing", put(data, 40, 1 << 40), "note", "indexed.header.memprof_offset"
    yield "cut", data[:-4], "error", "indexed.header.vtable_names_offset"


def raw_damage(data):
    """Kinds of damage of a raw profile of version 10 with 64-bit pointers."""
    word = lambda at: struct.unpack_from("<Q", data, at)[0]  # noqa: E731
    records = 128 + word(16)
    counters = records + 64 * word(24) + word(32)
    yield "version", put(data, 8, 99), "error", "raw.header.version"
    yield "unknown bit", put(data, 8, word(8) | 1 << 40), "note", "raw.header.version"
    yield "ids", put(data, 16, word(16) + 1), "error", "raw.header.binary_ids_size"
    yield "records", put(data, 24, 1 << 50), "error", "raw.header.num_data"
    yield "counters", put(data, 40, 1 << 50), "error", "raw.header.num_counters"
    yield "padding", put(data, 48, 1 << 40), "error", "raw.header.padding_after_counters"
    yield "value kind", put(data, 120, 9), "note", "raw.header.value_kind_last"
    yield "no counters of a record", put(data, records + 48, 0, 4), "error", "raw.record.num_counters"
    yield "a counter less", put(data, records + 48, word(records + 48) % (1 << 32) - 1, 4), "warning", "raw.counters"
    yield "a counter in between", put(data, records + 16, word(records + 16) + 4), "warning", "raw.record.counter_ptr"
    yield "padding of a record", put(data, records + 58, 0xFFFF, 2), "note", "raw.record.padding"
    yield "counters beyond", put(data, records + 48, 1 << 30, 4), "error", "raw.record.counter_ptr"
    yield "counter pointer", put(data, records + 16, word(80) + 8 * word(40)), "error", "raw.record.counter_ptr"
    yield "overlap", put(data, records + 64 + 16, word(80) - 64), "warning", "raw.counters"
    yield "name", put(data, records, word(records) ^ 1), "warning", "raw.record.name_ref"
    yield "a count", put(data, counters, 1 << 60), "warning", "raw.counters"
    yield "names", put(data, counters + 8 * word(40) + word(48), 0xFF, 1), "error", "raw.names"
    yield "trailing bytes", data + b"abc", "error", "raw.next_profile"
    yield "trailing zeros", data + bytes(64), "note", "raw.unclaimed"
    yield "cut", data[: counters + 4], "error", "raw.header.num_counters"
    yield "no names", data[: counters + 8 * word(40) + 4], "error", "raw.header.names_size"


def text_damage(data):
    lines = data.split(b"\n")
    blank = lines.index(b"", 4)

    def with_line(number, text):
        return b"\n".join(lines[:number] + [text] + lines[number + 1 :])

    yield "hash", with_line(2, b"x"), "error", "text.record.hash"
    yield "counters", with_line(3, b"99999"), "error", "text.record.counter"
    yield "two records", with_line(2, b"x").replace(b"\n\nlast\n12\n", b"\n\nlast\ny\n"), "error", "text.record.hash"
    yield "header", b":nonsense\n" + data, "error", "text.header"
    yield "NUL", data + b"\0", "error", "text"
    yield "cut", b"\n".join(lines[: blank - 1]), "error", "text.record.counter"


def damage(report, directory):
    text = b":ir\nfirst\n10\n3\n1\n2\n3\n\nmiddle\n11\n1\n4\n\nother\n13\n2\n7\n8\n\nlast\n12\n2\n5\n6\n\n"
    source = write(os.path.join(directory, "golden.proftext"), text)
    indexed = os.path.join(directory, "golden.profdata")
    merge_one((ANYPROF, ["--quiet", "--for=llvm-22"], source, indexed))
    with open(indexed, "rb") as f:
        cases = [("indexed", c) for c in indexed_damage(f.read())]
    cases += [("text", c) for c in text_damage(text)]
    raw = os.path.join(CORPUS, "raw", "22_ird.profraw")
    if os.path.exists(raw):
        with open(raw, "rb") as f:
            cases += [("raw", c) for c in raw_damage(f.read())]
    else:
        report.skip("damaged raw profiles", "there is no corpus")
    paths = []
    for number, (format_, case) in enumerate(cases):
        paths.append(write(os.path.join(directory, "%s-%02d" % (format_, number)), case[1]))
    found = check(paths)
    for path, (format_, (name, _, severity, where)) in zip(paths, cases):
        what = "%s: %s" % (format_, name)
        hits = [f for f in found[path] if f["severity"] == severity and f["where"] == where]
        report.check(what, hits, str([(f["severity"], f["where"]) for f in found[path]]))
        worst = {"note": 0, "warning": 1, "error": 2}
        beyond = [f for f in found[path] if worst[f["severity"]] > worst[severity]]
        report.check(what + ": nothing worse", not beyond, words(beyond))
    two = found[paths[[c[1][0] for c in cases].index("two records")]]
    report.same("both damaged records are found", [f["line"] for f in two], [3, 21])


def main():
    if not os.access(ANYPROF, os.X_OK):
        skip("no command at '%s'" % ANYPROF)
    releases = [r for r in RELEASES if profdata(r)]
    floor = FLOOR + FLOOR_RELEASE * len(releases) + (FLOOR_CORPUS if os.path.isdir(CORPUS) else 0)
    report = Report(floor)
    with work_directory() as directory:
        corpus_raw(report)
        corpus_tests(report)
        generated(report, directory)
        programs(report, directory)
        another_build(report, directory)
        together(report, directory)
        lightweight(report)
        damage(report, directory)
    report.finish()


if __name__ == "__main__":
    main()
