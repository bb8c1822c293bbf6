#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON about programs and recordings is what docs/schemas says: of probes, of bat verify, bolt convert, perf info
and profgen. The inputs are those of the corpus and of the fuzz targets, made recordings, and programs that clang builds
where it is installed. The schemas refuse every document in which something is missing, added, or of another type, and
their lists of words are those of the source. json_schemas_views.py has what reads and merges profiles write."""

import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bat  # noqa: E402  (found through the line before)
import _probes  # noqa: E402
import _profgen  # noqa: E402
import _profiles as p  # noqa: E402
import _schemas as s  # noqa: E402
from _perf import Recording  # noqa: E402
from _perf_write import ANY, BRANCH_STACK, CALLCHAIN, FLAGS, IP, TID, TIME, Event, Made  # noqa: E402

SEEDS = os.path.join(p.SOURCE, "fuzz", "corpus")
SCRIPT = ("lines_of_events", "lines_of_losses", "lines_other", "first_other_line")
DATA = ("cut_at", "lost", "damaged_samples")
HAS_CLANG = bool(shutil.which("clang-22") and _probes.linker_of(22))
BUILT = ("c", "c-no-g", "c-split", "c-sections", "c-discriminators", "cpp")
# What documents lack where clang is not installed: it takes debug information to know lines.
WITHOUT_CLANG = {
    "anyprof-probe-lookup-1": ("/addresses/*/frames", "/addresses/*/probes/*/inlined_at/*"),
}
# Lists of words: schema, the list of objects that have the member (None: the document), the member, the file of the
# source, what the table of words there begins with, and the pattern of a word in it.
ROW, WORD = r'= \{"(\w+)"', r'"([^"]+)"'
WORDS = (
    ("anyprof-probe-verification", "findings", "kind", "probe/probe_verify_print.c", "kinds[FINDING_KINDS] = {", ROW),
    ("anyprof-bat-verification", "findings", "kind", "bolt/bat_verify_print.c", "kinds[BAT_FINDINGS] = {", ROW),
    ("anyprof-bolt-conversion", "losing_functions", "reason", "bolt/convert_report.c", "reasons[] = {", WORD),
    ("anyprof-perf-info", None, "end", "perf/perf_info_print.c", "words[] = {", WORD),
    ("anyprof-perf-info", None, "tracer", "perf/perf_info_print.c", "names[] = {", WORD),
)


def made_here(directory, name, data):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def seeds(target, directory, skipped=1):
    """The inputs of a fuzz target without the bytes that choose options."""
    for path in sorted(glob.glob(os.path.join(SEEDS, target, "*"))):
        with open(path, "rb") as file:
            yield made_here(directory, f"{target}-{skipped}-{os.path.basename(path)}", file.read()[skipped:])


def json_of(*command):
    done = p.anyprof(*command)
    return done.out if done.out[:1] == b"{" else b""


def report_of(directory, *command):
    made = os.path.join(directory, "report.json")
    if os.path.exists(made):
        os.remove(made)
    p.anyprof(*command, f"--report={made}")
    if not os.path.exists(made):
        return b""
    with open(made, "rb") as file:
        return file.read()


# ---- probes ----


def of_probes(path, *options):
    for names in ((), ("--demangle",)):
        for command in ("list", "tree", "stats", "verify"):
            going_on = ("--keep-going",) if command != "verify" else ()
            yield json_of("probes", command, "--json", path, *options, *going_on, *names)


def of_sections(directory):
    """Single sections: of the corpus, and of the fuzz targets."""
    corpus = os.path.join(p.CORPUS, "probes")
    descriptors = sorted(glob.glob(os.path.join(corpus, "d*.bin"))) + list(seeds("probe_desc", directory))
    sections = sorted(glob.glob(os.path.join(corpus, "p*.bin")))
    for path in descriptors:
        for options in ((), ("--demangle",), ("--big-endian",)):
            yield json_of("probes", "desc", "--json", "--desc-section", path, "--keep-going", *options)
    for path in sections:
        yield from of_probes(path, "--section", f"--desc-section={descriptors[0]}")
    for path in seeds("probes", directory):
        yield from of_probes(path)
        yield from of_probes(path, "--section")
        yield from of_probes(path, "--section", "--big-endian")
        yield json_of("probes", "desc", "--json", path, "--keep-going")


def another_build(directory, path):
    """The program in which the first descriptor has another hash."""
    found = s.parse(json_of("probes", "desc", "--json", path))["descriptors"][0]
    stored = [int(found[key], 16).to_bytes(8, "little") for key in ("guid", "hash")]
    with open(path, "rb") as file:
        changed = file.read().replace(b"".join(stored), stored[0] + bytes(8), 1)
    return made_here(directory, "another-build", changed)


def without_names(directory):
    """ELF files of the fuzz target, some of which have neither descriptors nor symbols."""
    for path in seeds("probes", directory, 1):
        with open(path, "rb") as file:
            if file.read(4) == b"\x7fELF":
                yield path


def emitted(directory):
    """An object that is made from JSON: code of another symbol, whose GUID begins with zeros."""
    text = (b'{"schema": "anyprof-probe-list/1", "nodes": [{"guid": 7, "symbol": 31}], '
            b'"probes": [{"id": 1, "distance": 5}]}')
    made = os.path.join(directory, "emitted.o")
    p.anyprof("probes", "emit", made_here(directory, "emitted.json", text), "-o", made)
    return made


def of_programs(programs):
    for path in programs:
        yield from of_probes(path)
        yield json_of("probes", "desc", "--json", "--demangle", path)
        found = json_of("probes", "list", "--json", path)
        probes = s.parse(found)["probes"] if found else []
        addresses = [probe["address"] for probe in probes if probe["address"]]
        for options in ((), ("--demangle",)):
            yield json_of("probes", "lookup", "--json", path, *addresses[::1 + len(addresses) // 40], "0x1", *options)
    for a, b in zip(programs, programs[1:]):
        for options in ((), ("--demangle",)):
            yield json_of("probes", "verify", "--json", a, f"--against={b}", *options)
            yield json_of("probes", "diff", "--json", a, b, "--moved", *options)
        yield json_of("probes", "diff", "--json", a, b, "--topn=1")


def built_programs(report, directory):
    """Programs that clang makes of C and of C++, and of changed sources; then their objects."""
    if not HAS_CLANG:
        report.skip("programs with lines", "clang-22 is not installed")
        return []
    changed = [(name, text.replace("x > 40", "x > 40 && x < 90")) for name, text in _probes.CPP]
    wanted = [program for program in _probes.PROGRAMS if program.name in BUILT]
    wanted.append(_probes.Program("cpp-changed", changed, ["-O2", "-g"]))
    made, objects = [], []
    for program in wanted:
        built = _probes.build(program, 22, os.path.join(directory, program.name))
        if report.check(f"{program.name} is built", not isinstance(built, str), built):
            made.append(built[1])
            objects += built[0]
    return made + objects


# ---- BOLT ----


def of_tables(directory):
    """What is wrong with tables: of programs, of changed ones, and of sections with bytes after the tables."""
    program, original = (os.path.join(p.CORPUS, "bolt", name) for name in ("prog.b22", "prog"))
    yield json_of("bat", "verify", "--json", program, f"--original={original}")
    sections = sorted(glob.glob(os.path.join(p.CORPUS, "bat", "*.sec")))
    programs = sorted(glob.glob(os.path.join(SEEDS, "bolt_program", "*")))
    for path in (program, *programs, *sections, *seeds("bat", directory, 0)):
        yield json_of("bat", "verify", "--json", path)
    for path in sections:
        with open(path, "rb") as file:
            payload = _bat.payload_of(file.read())
        yield json_of("bat", "verify", "--json", made_here(directory, "rest", _bat.note(payload + b"rest")))
        for at in range(8, min(len(payload), 400), 9):
            changed = payload[:at] + bytes([payload[at] ^ 2]) + payload[at + 1:]
            yield json_of("bat", "verify", "--json", made_here(directory, "changed", _bat.note(changed)))


def recordings_of_preagg(program, samples):
    """Recordings of the branches that follow each other in a file of pre-aggregated samples: with branch stacks, and
    with addresses alone."""
    stacks, basic = Recording(), Recording(branches=False)
    for made in (stacks, basic):
        for start, size, offset in _profgen.Built(program).segments:
            made.mmap(100, start, size, offset, "/x/" + os.path.basename(program))
        made.mmap(101, 0x400000, 0x1000, 0, "/x/other")
        made.sample(101, 0x400010, [(0x400010, 0x400020, "P")] if made.branches else ())
    for line in samples:
        _, _, target, source, _ = line.split()
        stacks.sample(100, int(source, 16), [(int(source, 16), int(target, 16), "P"), (0x77, int(target, 16), "-")])
        basic.sample(100, int(target, 16))
    return stacks, basic


def of_conversions(directory):
    bolt = os.path.join(p.CORPUS, "bolt")
    program, samples = os.path.join(bolt, "prog.b22"), os.path.join(bolt, "b22.preagg")
    to = ("-o", os.path.join(directory, "fdata"), "--ignore-build-id")
    yaml = ("-w", os.path.join(directory, "yaml"))
    with open(samples, encoding="ascii") as file:
        lines = file.read().splitlines()
    shifted = [re.sub(r"^T (\w+) (\w+) (\w+)", lambda m: f"T {m[1]} {int(m[2], 16) + 3:x} {m[3]}", line)
               for line in lines]
    odd = made_here(directory, "shifted", "\n".join([*shifted, f"B 600094 600019 {2**62} 0"]).encode() + b"\n")
    for given in (samples, odd, *seeds("preagg", directory, 0), *seeds("preagg", directory, 1)):
        yield report_of(directory, "bolt", "convert", program, f"--pa={given}", *to)
        yield report_of(directory, "bolt", "convert", program, f"--pa={given}", *yaml)
    for recording in recordings_of_preagg(program, lines):
        basic = () if recording.branches else ("--basic-events",)
        path = os.path.join(directory, "perf.data")
        recording.write(path)
        text = made_here(directory, "perf.text", recording.text().encode() + b"what is this\n")
        with open(path, "rb") as file:
            cut = made_here(directory, "perf.cut", file.read()[:-300])
        for option in (f"-p={path}", f"-p={cut}", f"--perf-script={text}"):
            yield report_of(directory, "bolt", "convert", program, option, *to, *basic)
            yield report_of(directory, "bolt", "convert", program, option, *to, "--max-samples=5", "--basic-events")


# ---- perf ----


def odd_recordings(directory):
    """Recordings with all facts, call stacks, numbers above 2^53, names that are no text, and files of a directory."""
    flags = FLAGS | 1 << 10  # a frequency, not a period
    made = Made(Event("cycles:u", IP | TID | TIME | CALLCHAIN | BRANCH_STACK, flags=flags, branch_type=1 | 1 << 11),
                Event("", IP | TID | TIME | CALLCHAIN | BRANCH_STACK, period=2**63, branch_type=1 | ANY))
    for fact in ("hostname", "release", "version", "arch", "cpu", "cpu id"):
        made.text(fact, "a " + fact)
    made.command("perf", "record", "app")
    made.mmap2(100, 0x400000, 0x1000, 0, "/x/app", build_id=bytes(range(20)), time=2**60)
    made.sample(ip=0x400010, pid=100, time=2**60 + 1, chain=[0x400010])
    yield made_here(directory, "facts", made.file())
    named = Recording()
    named.mmap(100, 0x400000, 0x1000, 0, "/x/?odd?")
    named.sample(100, 0x400010, [(0x400010, 0x400020, "P")])
    yield made_here(directory, "names", named.made().file().replace(b"?odd?", b"\xff\n\xfe\"e"))
    parts = os.path.join(directory, "parts")
    os.makedirs(parts)
    named.write(os.path.join(parts, "data"))
    made_here(parts, "data.0", b"")
    yield parts


def of_recordings(directory):
    for path in (*seeds("perf_data", directory, 0), *seeds("perf_data", directory), *odd_recordings(directory),
                 *seeds("profgen_perf", directory)):
        yield json_of("perf", "info", "--json", path)


# ---- profgen ----


def of_profgen(directory):
    """Of the small programs of the fuzz targets, with recordings that call them /x/program."""
    recordings = [f"--perfdata={path}" for path in seeds("profgen_perf", directory)]
    recordings += [f"--perfscript={path}" for path in seeds("profgen_script", directory)]
    to = ("-o", os.path.join(directory, "profile"), "--ignore-build-id", "--quiet")
    for name in ("probed-0", "lined-0"):
        place = os.path.join(directory, name)
        os.makedirs(place)
        program = shutil.copy(os.path.join(SEEDS, "profgen_program", name), os.path.join(place, "program"))
        for recording in recordings:
            yield report_of(directory, "profgen", f"--binary={program}", recording, *to)
        apart = shutil.copy(program, os.path.join(place, "program.debug"))
        for recording in recordings[:9]:
            yield report_of(directory, "profgen", f"--binary={program}", f"--debug-binary={apart}", recording, *to)
    yield of_several(directory)


def of_several(directory):
    """Of two programs, in a process each."""
    recording, binaries, outputs = Recording(), [], []
    for pid, name in ((100, "probed-0"), (101, "lined-0")):
        binaries.append(shutil.copy(os.path.join(SEEDS, "profgen_program", name), os.path.join(directory, name)))
        outputs += ["-o", os.path.join(directory, f"{name}.prof")]
        start, size, offset = _profgen.Built(binaries[-1]).segments[0]
        recording.mmap(pid, start, size, offset, f"/x/{name}")
        recording.sample(pid, 0x20113c, [(0x201152, 0x20113c, "P"), (0x201148, 0x20114d, "P")])
    recording.write(os.path.join(directory, "several"))
    return report_of(directory, "profgen", *(f"--binary={path}" for path in binaries), "--quiet", "--ignore-build-id",
                     f"--perfdata={os.path.join(directory, 'several')}", *outputs)


def mix_kinds(schema):
    """What was read of perf script and of perf.data has no members of each other."""
    for _, document in schema.documents:
        perf = document["perf"]
        for key in (*SCRIPT, *DATA) if perf else ():
            if key not in perf:
                perf[key] = 0
                schema.refuses(f"/perf/{key} of another kind", document)
                del perf[key]


def compare_words(report, schemas):
    """The lists of words in schemas are those that the source writes."""
    for name, members, key, path, start, pattern in WORDS:
        root = schemas[name].root
        described = (root["properties"][members]["items"] if members else root)["properties"][key]["enum"]
        with open(os.path.join(p.SOURCE, "src", path), encoding="utf-8") as file:
            table = file.read().split(start)[1].split("};")[0]
        listed = [word for word in described if word not in (None, "unknown tracer")]
        report.same(f"{name}: the words of {key}", listed, re.findall(pattern, table))


def compare_documents(report):
    """Each document that docs/json.md describes has a schema, and each schema of anyprof's JSON a description."""
    with open(os.path.join(p.SOURCE, "docs", "json.md"), encoding="utf-8") as file:
        described = {name.replace("/", "-") for name in re.findall(r"`(anyprof-[a-z-]+/\d+)`", file.read())}
    files = glob.glob(os.path.join(s.DIRECTORY, "anyprof-*.schema.json"))
    report.same("documents that have a schema", sorted(os.path.basename(path).split(".")[0] for path in files),
                sorted(described))


def main():
    report = p.Report(floor=5000)
    p.need("probes")
    schemas = {}
    for path in sorted(glob.glob(os.path.join(s.DIRECTORY, "*.schema.json"))):
        name = os.path.basename(path)[:-len(".schema.json")]
        if s.is_of_programs(name):
            schema = s.Schema(report, name)
            schema.other, schema.optional = s.facts(schema)
            schemas[name[:-2]] = schema
    compare_documents(report)
    compare_words(report, schemas)
    conversion = schemas["anyprof-bolt-conversion"]  # its members of perf are optional, but only all of a kind
    conversion.optional -= {f"/perf/{key}" for key in (*SCRIPT, *DATA)}
    with p.work_directory() as directory:
        programs = built_programs(report, directory)
        programs += [emitted(directory), *without_names(directory)]
        programs += sorted(glob.glob(os.path.join(SEEDS, "profgen_program", "probed*")))
        programs.append(another_build(directory, programs[-1]))
        for part in (of_sections(directory), of_programs(programs), of_tables(directory), of_conversions(directory),
                     of_recordings(directory), of_profgen(directory)):
            for data in part:
                match = re.match(rb'\{\s*"schema": "(anyprof-[a-z-]+)/1"', data)
                if match and match[1].decode() in schemas:
                    name = match[1].decode()
                    schemas[name].add(f"document {len(schemas[name].documents)}", data)
    mix_kinds(conversion)
    for schema in schemas.values():
        report.check(f"{schema.name}: there are documents", schema.documents)
        schema.change_everything(() if HAS_CLANG else WITHOUT_CLANG.get(schema.name, ()))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
