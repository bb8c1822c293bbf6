# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The oracle tests share this file: paths, runners, a strict parser of text profiles, the corpus's twins, and
the report at the end. Exit 0 = passed, 1 = failed, 77 = not possible here.

Names and other texts of profiles are any bytes; as Python strings they are "surrogateescape"d UTF-8.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("ANYPROF_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ANYPROF = os.path.abspath(os.environ.get("ANYPROF", os.path.join(SOURCE, "build", "anyprof")))
BUILD = os.environ.get("ANYPROF_BUILD_DIR", os.path.dirname(ANYPROF))
CORPUS = os.path.abspath(os.environ.get("ANYPROF_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus")))
DUMP = os.path.join(BUILD, "tests", "dump_profile")
THREADS = max(2, os.cpu_count() or 1)
RELEASES = (13, 14, 15, 16, 19, 22)  # of llvm-profdata, if installed

COUNT_MAX = 2**64 - 3  # the two larger numbers are LLVM's pseudo counts
VALUE_MAX = 2**64 - 1
PSEUDO = (2**64 - 2, 2**64 - 1)
SITE_MAX_VALUES = 255
EXTERNAL = "** External Symbol **"
KINDS = 3
CALL, MEMOP, VTABLE = range(KINDS)

LOOP_ENTRIES, IR, CS, ENTRY_FIRST = 1 << 55, 1 << 56, 1 << 57, 1 << 58
BYTE_COVERAGE, ENTRY_ONLY, TEMPORAL = 1 << 60, 1 << 61, 1 << 63


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def need(*parts):
    """The path of a part of the corpus; the test is skipped when it is not there."""
    path = os.path.join(CORPUS, *parts)
    if not os.path.isdir(path):
        skip(f"no corpus at {path}")
    if not os.access(ANYPROF, os.X_OK):
        skip(f"no command at {ANYPROF}")
    return path


# --- the report -------------------------------------------------------------------------------------------------


class Report:
    """Counts what was compared and what was not, and why. `floor` is how many comparisons there have to be: a test that
    silently compares less is a failure."""

    def __init__(self, floor):
        self.floor = floor
        self.compared = 0
        self.failed = 0
        self.skips = {}

    def fail(self, what, detail=""):
        self.failed += 1
        if self.failed <= 40:
            print(f"FAILED: {what}" + (f"\n    {detail}" if detail else ""))

    def check(self, what, good, detail=""):
        self.compared += 1
        if not good:
            self.fail(what, detail)
        return good

    def same(self, what, got, want):
        return self.check(what, got == want, "" if got == want else difference(got, want))

    def skip(self, what, why):
        self.skips.setdefault(why, []).append(what)

    def finish(self):
        skipped = sum(len(names) for names in self.skips.values())
        print(f"compared {self.compared} (at least {self.floor}), skipped {skipped}, failed {self.failed}")
        for why, names in sorted(self.skips.items()):
            print(f"  skipped {len(names)} because {why}: {' '.join(names[:6])}{' ...' if len(names) > 6 else ''}")
        if self.compared < self.floor:
            print(f"FAILED: only {self.compared} comparisons, there have to be {self.floor}")
            sys.exit(1)
        sys.exit(1 if self.failed else 0)


def difference(got, want):
    """Where two values begin to differ, in a line or two."""
    if isinstance(got, bytes) and isinstance(want, bytes):
        got, want = got.splitlines(), want.splitlines()
    if isinstance(got, (list, tuple)) and isinstance(want, (list, tuple)):
        for i, (a, b) in enumerate(zip(got, want)):
            if a != b:
                return f"entry {i}: got {clip(a)}, want {clip(b)}"
        longer = got if len(got) > len(want) else want
        extra = longer[min(len(got), len(want))] if len(got) != len(want) else None
        return f"{len(got)} entries, want {len(want)}; the first extra one: {clip(extra)}"
    if isinstance(got, dict) and isinstance(want, dict):
        for key in sorted(set(got) | set(want), key=str):
            if got.get(key) != want.get(key):
                return f"{clip(key)}: got {clip(got.get(key))}, want {clip(want.get(key))}"
    return f"got {clip(got)}, want {clip(want)}"


def clip(value, most=600):
    text = repr(value)
    return text if len(text) <= most else text[:most] + "..."


# --- running ----------------------------------------------------------------------------------------------------


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def errors(self):
        return self.err.decode("utf-8", "surrogateescape")


def run(command, timeout=300, cwd=None, name=None):
    """Runs it, by another name if there is one; standard input is empty. An end by a signal or a sanitizer is an
    exception: never an expected result of anyprof, and to be caught where another tool may crash."""
    environment = dict(os.environ, LC_ALL="C")
    environment.pop("NO_COLOR", None)
    done = subprocess.run(
        [name or command[0], *command[1:]],
        executable=command[0],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        cwd=cwd,
        env=environment,
    )
    if done.returncode < 0 or done.returncode >= 124 or b"Sanitizer" in done.stderr or b"runtime error:" in done.stderr:
        said = done.stderr[:4000].decode("utf-8", "replace")
        raise Crash(f"{clip(command, 300)} ended with {done.returncode}\n{said}")
    return Result(done.returncode, done.stdout, done.stderr)


class Crash(Exception):
    pass


def anyprof(*arguments, cwd=None):
    return run([ANYPROF, *arguments], cwd=cwd)


def is_sample_profile(path):
    """Whether our command takes a file for a sample profile, by its first bytes."""
    facts = json.loads(run([ANYPROF, "info", "--json", path]).out)["files"][0]
    return (facts["kind"] or "").startswith("sample_")


def profdata(release):
    """The llvm-profdata of a release, or None."""
    return shutil.which(f"llvm-profdata-{release}")


def in_parallel(function, items):
    """[function(item) for item in items], in order; the processes these start run side by side."""
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(function, items))


def work_directory():
    """A directory that goes when the test ends."""
    return tempfile.TemporaryDirectory(prefix="anyprof-oracle-")


def dump(paths):
    """Returns the output of tests/helpers/dump_profile.c for each file: {path: object}."""
    if not os.access(DUMP, os.X_OK):
        skip(f"no helper at {DUMP}")
    result = run([DUMP, *paths])
    objects = [json.loads(line) for line in result.out.decode("utf-8").splitlines()]
    if result.code or [o["file"] for o in objects] != list(paths):
        raise Crash(f"dump_profile: exit code {result.code}, {len(objects)} of {len(paths)} files")
    return {o["file"]: o for o in objects}


# --- text profiles ----------------------------------------------------------------------------------------------


def to_text(data):
    return data.decode("utf-8", "surrogateescape")


def name_ref(name):
    """The id of a name: the first 8 bytes of its MD5."""
    if not name:
        return 0
    return int.from_bytes(hashlib.md5(name.encode("utf-8", "surrogateescape")).digest()[:8], "little")


class TextRecord:
    """`sites[kind]` is a list of sites, each a list of (target, count): the target is a number for sizes, else a name
    or EXTERNAL."""

    def __init__(self, name, hash_):
        self.name, self.hash = name, hash_
        self.counts, self.bitmap = [], []
        self.sites = [[] for _ in range(KINDS)]

    def key(self):
        return (self.name, self.hash)

    def content(self):
        return {"counts": self.counts, "bitmap": self.bitmap, "sites": self.sites}


class TextProfile:
    def __init__(self):
        self.flags = []  # of the header, such as "ir"
        self.traces = []  # (weight, [name])
        self.stream_size = None  # of traces; None: no traces header
        self.records = []

    def by_key(self):
        """{(name, hash): content}; a pair that is there twice is an error."""
        found = {r.key(): r.content() for r in self.records}
        if len(found) != len(self.records):
            raise TextError("a function is there twice")
        return found


class TextError(Exception):
    pass


class TextParser:
    """Of exactly what `merge --text` prints: every comment has to be there, every number in its one form, and nothing
    else."""

    FLAGS = (
        ("# CSIR level Instrumentation Flag", ":csir"),
        ("# IR level Instrumentation Flag", ":ir"),
        ("# Always instrument the function entry block", ":entry_first"),
        ("# Always instrument the loop entry blocks", ":instrument_loop_entries"),
        ("# Instrument block coverage", ":single_byte_coverage"),
    )
    GUARD = ("# Num Value Kinds:", "# ValueKind = IPVK_IndirectCallTarget:", "# NumValueSites:")
    KIND_NAMES = ("IPVK_IndirectCallTarget", "IPVK_MemOPSize", "IPVK_VTableTarget")

    def __init__(self, data):
        text = to_text(data)
        if text and not text.endswith("\n"):
            raise TextError("no newline at the end")
        self.lines = text.split("\n")[:-1]
        self.at = 0

    def bad(self, why):
        line = self.lines[self.at] if self.at < len(self.lines) else "end of file"
        raise TextError(f"line {self.at + 1} ({clip(line, 80)}): {why}")

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def next(self):
        if self.at == len(self.lines):
            self.bad("more was expected")
        self.at += 1
        return self.lines[self.at - 1]

    def expect(self, text):
        if self.peek() != text:
            self.bad(f"{text!r} was expected")
        self.at += 1

    def number(self, most=2**64 - 1, text=None):
        line = self.next() if text is None else text
        if not re.fullmatch("0|[1-9][0-9]{0,19}", line) or int(line) > most:
            self.at -= text is None
            self.bad("a number was expected")
        return int(line)

    def parse(self):
        profile = TextProfile()
        self.header(profile)
        if self.lines == ["# No functions"]:
            self.at += 1
        while self.peek() is not None:
            self.guards(profile)
            profile.records.append(self.record())
        return profile

    def header(self, profile):
        for comment, flag in self.FLAGS:
            if self.peek() == comment:
                self.at += 1
                self.expect(flag)
                profile.flags.append(flag[1:])
        if "csir" in profile.flags and "ir" in profile.flags:
            self.bad("two levels")
        if self.peek() == ":temporal_prof_traces":
            self.at += 1
            self.traces(profile)

    def traces(self, profile):
        self.expect("# Num Temporal Profile Traces:")
        count = self.number()
        self.expect("# Temporal Profile Trace Stream Size:")
        profile.stream_size = self.number()
        for _ in range(count):
            self.expect("# Weight:")
            weight = self.number()
            names = self.next()
            if not names.endswith(","):
                self.bad("a comma was expected at the end of a trace")
            profile.traces.append((weight, names[:-1].split(",")))
        self.expect("")

    def guards(self, profile):
        """Lines that keep the next name from being misread."""
        if self.peek() == "# Text profile" and not profile.records:
            self.at += 1
        if self.peek() == "# Num Value Kinds:":
            for comment, number in zip(self.GUARD, "100"):
                self.expect(comment)
                self.expect(number)

    def record(self):
        name = self.next()
        if not name or name.startswith("#"):
            self.at -= 1
            self.bad("a name was expected")
        self.expect("# Func Hash:")
        record = TextRecord(name, self.number())
        self.expect("# Num Counters:")
        count = self.number(2**32 - 1)
        self.expect("# Counter Values:")
        record.counts = [self.number() for _ in range(count)]
        if self.peek() == "# Num Bitmap Bytes:":
            self.bitmap(record)
        if self.peek() == "# Num Value Kinds:":
            self.values(record)
        self.expect("")
        return record

    def bitmap(self, record):
        self.at += 1
        size = self.next()
        if not size.startswith("$"):
            self.bad("the size of a bitmap was expected")
        self.expect("# Bitmap Byte Values:")
        for _ in range(self.number(2**32 - 1, size[1:])):
            byte = self.next()
            if not re.fullmatch("0x(0|[1-9a-f][0-9a-f]?)", byte):
                self.bad("a byte was expected")
            record.bitmap.append(int(byte, 16))
        self.expect("")

    def values(self, record):
        self.at += 1
        kinds = self.number(KINDS)
        last = -1
        for _ in range(kinds):
            comment = self.next()
            kind = self.number(KINDS - 1)
            if kind <= last or comment != f"# ValueKind = {self.KIND_NAMES[kind]}:":
                self.bad("another kind was expected")
            last = kind
            self.expect("# NumValueSites:")
            record.sites[kind] = [self.site(kind) for _ in range(self.number(2**32 - 1))]
            if not record.sites[kind]:
                self.bad("a kind without sites")

    def site(self, kind):
        site = []
        for _ in range(self.number(SITE_MAX_VALUES)):
            target, colon, count = self.next().rpartition(":")
            if not colon or not target:
                self.bad("a value was expected")
            site.append((self.number(text=target) if kind == 1 else target, self.number(text=count)))
        return site


def parse_text(data):
    return TextParser(data).parse()


def parse_shown_text(data):
    """Parses the output of `show --text`: the same, with ":ir" alone as its header."""
    if data.startswith(b":ir\n"):
        profile = parse_text(data[4:])
        profile.flags.append("ir")
        return profile
    return parse_text(data)


# --- twins of the raw corpus ------------------------------------------------------------------------------------


class Reference:
    """A file that LLVM's rules reject and that anyprof reads: profiles of other files' twins, without the
    values if `values` is False. `finding` is the last part of its `where`, or None. Where the binary was another one,
    `ids` is False and the `variant` may be another."""

    def __init__(self, reason, finding, profiles, values=True, ids=False, variant=None):
        self.reason, self.finding, self.profiles = reason, finding, profiles
        self.values, self.ids, self.variant = values, ids, variant

    def load(self, raw):
        profiles = [load_twin(raw, twin)["profiles"][i] for twin, i in self.profiles]
        for profile in profiles:
            profile["variant"] = self.variant or profile["variant"]
            if not self.ids:
                profile["binary_ids"] = None
            for record in profile["records"] if not self.values else []:
                record["values"] = {k: [[] for _ in sites] for k, sites in record.get("values", {}).items()}
        return profiles


NO_VALUES = "the buffer API and continuous mode write no value data; the counts are all there"

READ_ON_PURPOSE = {
    "13_wbir": Reference(NO_VALUES, "MISSING_VALUE_DATA", [("13_wbfileir", 0)], values=False),
    "16_wbir": Reference(NO_VALUES, "MISSING_VALUE_DATA", [("16_wbfileir", 0)], values=False),
    "19_cont_ir": Reference(NO_VALUES, "MISSING_VALUE_DATA", [("cat8", 1)], values=False),
    "22_tempcov": Reference(
        "temporal bit, but function entry coverage stores no timestamp: the one counter is a counter",
        "NO_TIMESTAMP",
        [("22_fonly", 0)],
        variant="0xb100000000000000",
    ),
    "cat3": Reference(
        "cat2 with 4 zero bytes in between: the second profile is whole, only not aligned",
        "UNALIGNED",
        [("cat2", 0), ("cat2", 1)],
        ids=True,
    ),
    "cat6": Reference(
        "a 64-bit profile and a 32-bit one: each has its own magic", None, [("cat1", 0), ("22_fe32", 0)], ids=True
    ),
}

# The twin has 0 records because LLVM 18 and later read none without the binary; the counts would be lost.
WITHOUT_METADATA = ("14_dbg", "16_dbg", "22_cbinary", "22_cdebug-info", "23_cmdebug-info")


def twin_names(raw):
    return sorted(f[: -len(".profraw")] for f in os.listdir(raw) if f.endswith(".profraw"))


def load_twin(raw, name):
    with open(os.path.join(raw, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def expected_profiles(raw, name):
    """The profiles that anyprof should find in a file, as in a twin; None: it rejects the file. Binary ids that no twin
    knows are None."""
    if name in WITHOUT_METADATA:
        return None
    if name in READ_ON_PURPOSE:
        return READ_ON_PURPOSE[name].load(raw)
    return load_twin(raw, name).get("profiles")
