#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tests/helpers/sweep.c (see there for what is checked) over the example profiles, text profiles and indexed ones
of every version made from generated text, compressed ones, JSON, memory profiles, and, where there is a corpus, raw
profiles of every version and LLVM's own test inputs; and sweep_commands.c, what the other commands do, over some of
them. Seeds are fixed: a failure can be repeated with the command line that is printed.
"""

import concurrent.futures
import glob
import gzip
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _generate as g  # noqa: E402
import _share  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.environ.get("ANYPROF_BUILD_DIR", os.path.dirname(ANYPROF))
CORPUS = os.environ.get("ANYPROF_CORPUS", "")
SWEEP = os.path.join(BUILD, "tests", "sweep")
FLIPS = int(os.environ.get("ANYPROF_SWEEP_FLIPS", "150"))
FLOOR = 100000  # openings, without a corpus
COMMANDS = os.path.join(BUILD, "tests", "sweep_commands")
CUTS = 150  # of each file, for all commands
CHANGES = int(os.environ.get("ANYPROF_SWEEP_CHANGES", "350"))
COMMANDS_FLOOR = 6000  # files that were made for them
VERSIONS = range(1, 15)
LARGEST = 20000  # of LLVM's test inputs


def texts():
    """Small, but with all there is."""
    yield "values", g.make_profile("sweep 1", functions=4, header=["ir"], values=90, n_vtables=3, several_hashes=60)
    yield "coverage", g.make_profile("sweep 2", functions=5, values=0, bitmaps=70, odd=True)
    yield "traces", g.make_profile(
        "sweep 3", functions=6, header=["csir", "entry_first"], traces=3, values=30, counts="huge", pseudo=20
    )
    yield "zeros", g.make_profile("sweep 4", functions=3, header=["single_byte_coverage"], counts="zero")
    header = ["ir", "instrument_loop_entries"]
    yield "many", g.make_profile("sweep 5", functions=120, header=header, values=20, bitmaps=10)


def generated(directory):
    for name, profile in texts():
        text = os.path.join(directory, name + ".proftext")
        with open(text, "wb") as f:
            f.write(g.render(profile, "sweep " + name))
        yield text
        for version in VERSIONS:
            indexed = os.path.join(directory, "%s.%d.profdata" % (name, version))
            command = [ANYPROF, "merge", "--quiet", "--keep-vtable-symbols", "--for=indexed-%d" % version]
            subprocess.run(command + [text, "-o", indexed], check=True, stdin=subprocess.DEVNULL)
            yield indexed
        if name == "values":
            for path, data in packed(text, indexed):
                with open(path, "wb") as f:
                    f.write(data)
                yield path


FRAME = "{ Function: %s, LineOffset: %d, Column: 7, IsInlineFrame: %s }"
ALLOC = """      - Callstack: [ %s ]
        MemInfoBlock: { AllocCount: %d, TotalSize: %d, TotalLifetime: 300000, TotalLifetimeAccessDensity: %d }
"""


def memory():
    """YAML of two functions with contexts, call sites, and data."""
    inner, outer = FRAME % ("hot", 3, "true"), FRAME % ("main", 40000, "false")
    text = "---\nHeapProfileRecords:\n"
    for name in ("main", "hot"):
        text += "  - GUID: %s\n    AllocSites:\n" % name
        for i, stack in enumerate((inner, outer, inner + ", " + outer)):
            text += ALLOC % (stack, i + 1, 1000 << i, 5 * i)
        text += "    CallSites:\n      - { Frames: [ %s ], CalleeGuids: [ hot, 0x1234 ] }\n" % inner
    text += "DataAccessProfiles:\n  SampledRecords:\n"
    text += "    - { Symbol: table, AccessCount: 9, Locations: [ { FileName: a.h, Line: 5 } ] }\n"
    return text + "    - { Hash: 77, AccessCount: 1 }\n  KnownColdSymbols: [ cold ]\n  KnownColdStrHashes: [ 1, 2 ]\n"


def other_kinds(directory):
    """Files that nothing but anyprof makes, or that are no profiles of counts."""
    yaml, text = (os.path.join(directory, name) for name in ("memory.yaml", "values.proftext"))
    with open(yaml, "w", encoding="ascii") as f:
        f.write(memory())
    both = os.path.join(directory, "both.profdata")
    quiet = [ANYPROF, "merge", "--quiet", "--for=indexed-14"]
    subprocess.run(quiet + [yaml, text, "-o", both], check=True, stdin=subprocess.DEVNULL)
    yield yaml
    for version in (0, 1, 2, 3, 4):
        path = os.path.join(directory, "memory.%d.profdata" % version)
        command = [ANYPROF, "merge", "--quiet", "--for=indexed-12", "--memprof-version=%d" % version, yaml, "-o", path]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        yield path
    for name, source in (("both", both), ("traces", os.path.join(directory, "traces.proftext"))):
        path = os.path.join(directory, name + ".json")
        subprocess.run([ANYPROF, "convert", source, "-o", path], check=True, stdin=subprocess.DEVNULL)
        yield path


def for_commands(directory, examples):
    """Some of each kind."""
    names = ["values.proftext", "coverage.proftext", "traces.proftext", "values.3.profdata", "values.13.profdata",
             "traces.14.profdata", "coverage.12.profdata", "memory.yaml", "memory.2.profdata", "memory.4.profdata",
             "both.json", "traces.json"]
    return [os.path.join(directory, name) for name in names] + examples[::5]


def packed(text, indexed):
    with open(text, "rb") as f, open(indexed, "rb") as h:
        text_bytes, indexed_bytes = f.read(), h.read()
    yield text + ".gz", gzip.compress(text_bytes, 9, mtime=0)
    parts = [gzip.compress(part, 9, mtime=0) for part in (indexed_bytes[:100], indexed_bytes[100:])]
    yield indexed + ".gz", b"".join(parts)
    yield indexed + ".zst", g.zstd_frame(indexed_bytes, blocks=4)


def inputs(directory):
    files = list(generated(directory))
    examples = sorted(glob.glob(os.path.join(SOURCE, "examples", "profiles", "*.profraw")))
    files += examples + list(other_kinds(directory))
    own = len(files)
    files += sorted(glob.glob(os.path.join(CORPUS, "raw", "*.profraw")))
    for path in sorted(glob.glob(os.path.join(CORPUS, "llvm-tests", "*", "*"))):
        if 0 < os.path.getsize(path) <= LARGEST and path.endswith((".profraw", ".profdata", ".proftext")):
            files.append(path)
    return files, own, for_commands(directory, examples)


def kind_of(job, own):
    """Returns the kind of a job: commands, or a file of our own or of the corpus, and its format."""
    number, path, flips = job
    what = "commands" if flips is None else "own" if number < own else "corpus"
    return "%s %s" % (what, os.path.splitext(path)[1])


def run(job):
    number, path, flips = job
    command = [SWEEP, "-s", str(1000 + number), "-f", str(flips), path]
    if flips is None:
        command = [COMMANDS, "-s", str(2000 + number), "-c", str(CUTS), "-f", str(CHANGES), path]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=900)
    return command, p.returncode, p.stdout.decode(errors="replace")


def main():
    if not all(os.access(program, os.X_OK) for program in (SWEEP, COMMANDS, ANYPROF)):
        print("skipped: no command at '%s' or no helper at '%s'" % (ANYPROF, SWEEP))
        return 77
    failed = opened = most = made = 0
    with tempfile.TemporaryDirectory() as directory:
        files, own, some = inputs(directory)
        # One file a job: the seed is that of the file, whatever else there is.
        jobs = [(i, path, FLIPS if i < own else FLIPS // 3) for i, path in enumerate(files)]
        jobs += [(i, path, None) for i, path in enumerate(some)]
        chosen = _share.pick(jobs, lambda job: kind_of(job, own))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            for command, code, out in pool.map(run, chosen):
                words = out.splitlines()[-1].split() if out else []
                if code == 0 and "opened," in words and "use," in words:
                    opened += int(words[words.index("opened,") - 1])
                    most = max(most, int(words[words.index("KB") - 1]))
                if code == 0 and "tried," in words:
                    made += int(words[words.index("tried,") - 1])
                if code != 0:
                    failed += 1
                    print("FAILED with %d: %s\n%s" % (code, " ".join(command), out[-4000:]))
    print("%d files, %d openings, at most %d KB in use, %d files failed" % (len(chosen), opened, most, failed))
    print("%d changed files for other commands" % made)
    if opened < _share.least(FLOOR, chosen) or made < _share.least(COMMANDS_FLOOR, chosen):
        print("FAILED: fewer openings than %d, or files for commands than %d" % (FLOOR, COMMANDS_FLOOR))
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
