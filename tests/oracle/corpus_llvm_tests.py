# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of LLVM's own tests are shown, merged and refused as llvm-profdata does it: the same text, the same bytes,
the same exit code, and LLVM's words in our message.

Raw profiles are compared with the releases that read their version; text and indexed ones with the release whose test
it is (or the nearest that is installed) and with LLVM 22. Sample profiles are what these commands refuse by the name
llvm-profdata, and anyprof shows by its own name.
"""

import os
import re

from _profiles import (
    ANYPROF,
    RELEASES,
    Crash,
    Report,
    Result,
    anyprof,
    in_parallel,
    is_sample_profile,
    need,
    parse_text,
    profdata,
    run,
    skip,
    work_directory,
)

NEAREST = {11: 13, 13: 13, 15: 15, 18: 19}  # release of the tests -> that of the tool
NEWEST = 22
EXTRA = {"FUnique.proftext": (16,), "NoFUnique.proftext": (16,)}  # an older release finds more in these
RAW_READERS = {7: (13,), 8: (14, 15, 16), 10: (19, 22)}  # raw version -> releases
RAW_MAGICS = (b"\x81rforpl\xff", b"\xfflprofr\x81", b"\x81Rforpl\xff", b"\xfflprofR\x81")

COMMANDS = {
    "show": ("show", "--all-functions", "--counts", "--ic-targets", "--memop-sizes"),
    "show --text": ("show", "--all-functions", "--text"),
    "merge --text": ("merge", "--text", "-o", "-"),
}
MERGE = "merge"  # to a file, for the release

# Programs whose profile several files hold, one compiled by another release or with compressed names.
SAME_CONTENT = (
    ("11/c-general.profraw", "11/compressed.profraw"),
    (
        "13/c-general.profraw",
        "13/compressed.profraw",  # version 7 with relative pointers, which LLVM 13 rejects
        "15/c-general.profraw",
        "15/compressed.profraw",
        "18/c-general.profraw",
        "18/compressed.profraw",
    ),
    ("15/basic.profraw", "18/basic.profraw"),
)

OURS = {"no profile can be merged": "nothing is written: "}  # docs/differences.md
HINT = "Make sure that all profile data to be merged is generated from the same binary."  # ours is in other words


# --- known differences ------------------------------------------------------------------------------------------


def check_majority(release, theirs, ours):
    """One foo has 1 counter and one has 5: LLVM keeps the one it reads first."""
    del release
    return theirs.code == ours.code == 0 and b"counter mismatch" in ours.err


def check_majority_text(release, theirs, ours):
    kept, want = parse_text(ours.out).by_key(), parse_text(theirs.out).by_key()
    lengths = sorted(len(r["counts"]) for r in kept.values())
    return check_majority(release, theirs, ours) and set(kept) == set(want) and lengths == [5]


def check_empty(release, theirs, ours):
    del release
    return (theirs.code, ours.code) == (0, 1) and b"every input is empty" in ours.err and not ours.out


def check_coverage_flag(release, theirs, ours):
    del release
    flag = b"# Instrument block coverage\n:single_byte_coverage\n"
    return flag in ours.out and ours.out.replace(flag, b"") == theirs.out


def check_renamed(release, theirs, ours):
    """The records are the same when `file;name` is `file:name`, as that release's compilers call it."""
    want = parse_text(as_text(release, theirs.out)).by_key()
    got = parse_text(as_text(release, ours.out)).by_key()
    renamed = {(re.sub(r"^([^:;]+);", r"\1:", name), hash_): r for (name, hash_), r in want.items()}
    return got == renamed and got != want


def check_read(release, theirs, ours):
    del release
    return (theirs.code, ours.code) == (1, 0)  # what is read is in SAME_CONTENT


class Difference:
    """From LLVM, in some commands and for some releases; `check` says whether it is as it should be."""

    def __init__(self, name, commands, releases, check, reason):
        self.name, self.commands, self.releases = name, commands, releases
        self.check, self.reason = check, reason
        self.seen = 0


MAJORITY = "of records with other numbers of counters the heavier is kept, of equals the larger; LLVM keeps the first"
EMPTY = "merging nothing but empty files is an error; LLVM writes an empty profile"
COVERAGE_FLAG = "the text writers of LLVM 13 to 16 do not know the coverage flag"
LOCAL_NAMES = "local functions are renamed to what the target's compiler looks for"
RELATIVE_V7 = "version 7 with relative pointers is read; LLVM 13 rejects it"

DIFFERENCES = [
    Difference("counter-mismatch-1.proftext", ["merge --text"], RELEASES, check_majority_text, MAJORITY),
    Difference("counter-mismatch-1.proftext", [MERGE], RELEASES, check_majority, MAJORITY),
    Difference("empty.proftext", ["merge --text", MERGE], RELEASES, check_empty, EMPTY),
    Difference(
        "function-entry-coverage.profdata", ["merge --text"], (13, 14, 15, 16), check_coverage_flag, COVERAGE_FLAG
    ),
    Difference("FUnique.proftext", [MERGE], (13, 14, 15, 16), check_renamed, LOCAL_NAMES),
    Difference("NoFUnique.proftext", [MERGE], (13, 14, 15, 16), check_renamed, LOCAL_NAMES),
    Difference("compressed.profraw", [*COMMANDS, MERGE], (13,), check_read, RELATIVE_V7),
]


def difference_of(file, what, release):
    for difference in DIFFERENCES:
        if difference.name == file.name and what in difference.commands and release in difference.releases:
            return difference
    return None


def as_release(release, what, data):
    """Removes from our output the lines that releases before 22 do not print yet."""
    if what != "show" or release >= NEWEST:
        return data
    data = data.replace(b"  instrument_loop_entries = 0\n", b"\n")
    return re.sub(rb"(?m)^Total number of blocks: \d+\nTotal count: \d+\n", b"", data)


# --- the files --------------------------------------------------------------------------------------------------


class File:
    """One content and all places where it is."""

    def __init__(self, root, places, data):
        self.places = places
        self.path = os.path.join(root, places[0])
        self.name = os.path.basename(places[0])
        self.releases = sorted({int(place.split("/")[0]) for place in places})
        self.empty = not data
        self.raw = None
        if data[:8] in RAW_MAGICS:
            self.raw = int.from_bytes(data[8:12], "little" if data[0] == 0x81 else "big")
        self.ours = {}  # by command, and by (MERGE, release)
        self.sample = is_sample_profile(self.path)

    def tools(self):
        if self.raw is not None:
            wanted = RAW_READERS.get(self.raw, ())
        else:
            wanted = {NEAREST[r] for r in self.releases} | {NEWEST, *EXTRA.get(self.name, ())}
        return [r for r in sorted(wanted) if profdata(r)]

    def tasks(self):
        """Yields each comparison with each release. Older ones print a text they show as the text they merge."""
        for release in self.tools():
            for what in [*COMMANDS, MERGE]:
                if what != "show --text" or release == NEWEST or self.raw is not None:
                    yield (self, what, release)


def collect(root):
    by_content = {}
    for release in sorted(os.listdir(root)):
        for name in sorted(os.listdir(os.path.join(root, release))):
            with open(os.path.join(root, release, name), "rb") as file:
                by_content.setdefault(file.read(), []).append(f"{release}/{name}")
    return [File(root, places, data) for data, places in sorted(by_content.items(), key=lambda item: item[1])]


# --- running ----------------------------------------------------------------------------------------------------


def merge_to_file(command, path, options, name=None):
    """`out` of the result is what was written; None: no file."""
    with work_directory() as directory:
        output = os.path.join(directory, "out.profdata")
        result = run([command, "merge", path, *options, "-o", output], name=name)
        data = None
        if os.path.exists(output):
            with open(output, "rb") as file:
                data = file.read()
        left = [name for name in os.listdir(directory) if name != "out.profdata"]
        if left:
            raise Crash(f"{command} left {left}")
    return Result(result.code, data, result.err)


def as_text(release, data):
    """How a release reads the bytes."""
    with work_directory() as directory:
        path = os.path.join(directory, "in.profdata")
        with open(path, "wb") as file:
            file.write(data)
        result = run([profdata(release), "merge", "--text", path, "-o", "-"])
    if result.code:
        raise Crash(f"LLVM {release} does not read it: {result.errors()}")
    return result.out


VERSIONS = {13: 7, 14: 7, 15: 8, 16: 9, 19: 12, 22: 13}


def read_file(file):
    """All of ours."""
    name = "llvm-profdata" if file.sample else None
    for what in COMMANDS:
        file.ours[what] = run([ANYPROF, *COMMANDS[what], file.path], name=name)
    for release in file.tools() if file.raw is None else [r for r in RELEASES if profdata(r)]:
        if file.sample:
            file.ours[MERGE, release] = merge_to_file(ANYPROF, file.path, [], f"{name}-{release}")
            continue
        # By version: for a release, front-end profiles of another one are written so that its compiler finds them all.
        file.ours[MERGE, release] = merge_to_file(ANYPROF, file.path, [f"--for=indexed-{VERSIONS[release]}"])
    return file


def llvm_result(task):
    file, what, release = task
    tool = profdata(release)
    try:
        if what == MERGE:
            return merge_to_file(tool, file.path, [])
        return run([tool, *COMMANDS[what], file.path])
    except Crash:
        return None


# --- checking ---------------------------------------------------------------------------------------------------


def words(result, path):
    """Returns the messages of a tool without their places."""
    lines = [line for line in result.errors().splitlines() if line and not line.startswith("note: ") and line != HINT]
    lines = [re.sub("^(error|warning): ", "", line) for line in lines]
    return [line[len(path) + 2 :] if line.startswith(path + ": ") else line for line in lines]


def check_task(report, task, theirs):
    file, what, release = task
    label = f"{file.places[0]}: {what}, LLVM {release}"
    ours = file.ours[(MERGE, release) if what == MERGE else what]
    if theirs is None:
        report.skip(label, "LLVM's tool crashes")
        return
    own = {} if file.sample else OURS
    missing = [w for w in words(theirs, file.path) if own.get(w, w) not in ours.errors()]
    out = as_release(release, what, ours.out) if ours.out else ours.out
    known = difference_of(file, what, release)
    if known:
        differs = (ours.code, out) != (theirs.code, theirs.out)
        known.seen += 1
        report.check(f"{label}: still differs ({known.reason})", differs)
        report.check(f"{label}: differs as it should ({known.reason})", known.check(release, theirs, ours))
        return
    report.same(f"{label}: exit code", ours.code, theirs.code)
    report.same(f"{label}: output", out, theirs.out)
    report.check(f"{label}: words", not missing, f"missing {missing} in {ours.errors()!r}")


def check_raw(report, file):
    """Every release reads what we write for it."""
    records = parse_text(file.ours["merge --text"].out).by_key()
    for release in (r for r in RELEASES if profdata(r)):
        written = file.ours[MERGE, release]
        label = f"{file.places[0]}: for LLVM {release}"
        if not report.same(f"{label}: exit code", written.code, 0):
            continue
        try:
            got = parse_text(as_text(release, written.out)).by_key()
        except Crash as crash:
            report.check(label, False, str(crash))
            continue
        report.same(f"{label}: records", got, records)
    if not file.tools():
        report.skip(file.places[0], f"no installed release reads raw version {file.raw}")


def show_samples(path):
    """What the newest release that knows the format of a sample profile does with it."""
    for release in sorted((r for r in RELEASES if profdata(r)), reverse=True):
        result = run([profdata(release), "show", "--sample", "--all-functions", path])
        if b"Unrecognized sample profile encoding format" not in result.err:
            break
    return result


def check_sample(report, file):
    """The command by its own name detects the kind of a file, and shows it."""
    want, got = show_samples(file.path), anyprof("show", "--all-functions", file.path)
    report.same(f"{file.places[0]}: exit code of show", got.code, want.code)
    report.same(f"{file.places[0]}: show", got.out, want.out)


def check_same_content(report, files):
    by_place = {place: file for file in files for place in file.places}
    for group in SAME_CONTENT:
        texts = [by_place[place].ours["merge --text"].out for place in group]
        for place, text in zip(group[1:], texts[1:]):
            report.same(f"{place} and {group[0]}", text, texts[0])
    # LLVM 11 gives logical operators no counters, but functions without them have the same ones.
    old, new = (parse_text(by_place[f"{r}/c-general.profraw"].ours["merge --text"].out).by_key() for r in (11, 13))
    both = {k for k in set(old) & set(new) if len(old[k]["counts"]) == len(new[k]["counts"])}
    report.same("c-general of 11 and 13: names", {n for n, _ in old}, {n for n, _ in new})
    report.same("c-general of 11 and 13: counts", {k: old[k] for k in both}, {k: new[k] for k in both})
    report.check("c-general of 11 and 13: functions with the same counters", len(both) >= 4, str(len(both)))


def main():
    root = need("llvm-tests")
    if not any(profdata(r) for r in RELEASES):
        skip("no llvm-profdata")
    files = in_parallel(read_file, collect(root))
    tasks = [task for file in files for task in file.tasks()]
    complete = all(profdata(r) for r in RELEASES)
    report = Report(floor=3500 if complete else 2 * len(tasks))
    for task, theirs in zip(tasks, in_parallel(llvm_result, tasks)):
        check_task(report, task, theirs)
    for file in files:
        if file.raw is not None:
            check_raw(report, file)
        if file.sample:
            check_sample(report, file)
    check_same_content(report, files)
    for difference in DIFFERENCES:
        if not difference.seen:
            report.check(f"{difference.name} is seen: {difference.reason}", not complete)
    samples = sum(f.sample for f in files)
    accepted = sum(f.ours["show"].code == 0 for f in files)
    print(f"{len(files)} files: {accepted} read, {len(files) - accepted} refused, of these {samples} sample profiles")
    print(f"{len(tasks)} runs of llvm-profdata, {sum(d.seen for d in DIFFERENCES)} of them with a known difference")
    report.finish()


if __name__ == "__main__":
    main()
