# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of `anyprof profgen` is compared with llvm-profgen-22 for the samples of a program: on samples of branches, and
on samples of branches and calls, which make profiles by context. With each option, and with some by chance."""

import itertools
import os
import random
import re

from _bolt import ANYPROF, run
from _profgen import as_text, both, check, count, first_difference, without_dropped, write_recording, write_text

OPTIONS = ([], ["--use-dwarf-correlation"], ["--load-function-from-symbol=0"], ["--format=binary"],
           ["--use-md5"], ["--format=text", "--use-dwarf-correlation", "--load-function-from-symbol=0"])
# Of these each program gets some.
MORE = (["--trim-cold-profile"], ["--trim-cold-profile", "--profile-summary-cold-count=70"], ["--update-total-samples"],
        ["--trim-cold-profile", "--profile-summary-cutoff-cold=800000"], ["--fill-zero-for-all-funcs"],
        ["--mark-all-context-preinlined"], ["--update-total-samples", "--use-dwarf-correlation"],
        ["--fill-zero-for-all-funcs", "--load-function-from-symbol=0", "--use-dwarf-correlation"])


def check_symbol_list(program, text, where, what):
    lists = []
    for data in both(program, ["--perfscript=" + text, "--populate-profile-symbol-list"], where, [], what):
        if data is None:  # llvm-profgen crashes where the names of probes differ from those of debug information
            count("refused by llvm-profgen")
            return
        with open(os.path.join(where, "profile"), "wb") as f:
            f.write(data or b"")
        shown = run(["llvm-profdata-22", "show", "--sample", "--show-prof-sym-list", os.path.join(where, "profile")])
        lists.append(shown.stdout.partition(b"Dump profile symbol list")[2])
    check(lists[0] and lists[0] == lists[1], "%s: lists of symbols" % what)
    count("lists of symbols")


def check_script(program, text, where, what, chance):
    theirs, ours = both(program, ["--perfscript=" + text, "--skip-symbolization"], where, [], what)
    check(theirs == ours, "%s: unsymbolized: %s" % (what, first_difference(theirs or b"", ours or b"")))
    count("unsymbolized")
    first = ["--use-first-loadable-segment-as-base"]
    theirs_first, ours_first = both(program, ["--perfscript=" + text, "--skip-symbolization", *first], where, [], what)
    check(theirs_first == ours_first, "%s: unsymbolized, from the first segment" % what)
    raw = os.path.join(where, "raw")
    with open(raw, "wb") as f:
        f.write(theirs)
    for options in (*OPTIONS, *chance.sample(MORE, 3)):
        format_ = [] if any("format" in o or "md5" in o for o in options) else ["--format=text"]
        theirs, ours = both(program, ["--perfscript=" + text, *options], where, format_, what)
        if theirs is None:
            count("refused by llvm-profgen")
            continue
        count("profiles")
        count("bytes", len(theirs))
        theirs = without_dropped(theirs, program) if format_ or "--format=text" in options else theirs
        if format_ or "--format=text" in options:
            # With this option, there are functions that did not run in both.
            alike = without_dropped(ours or b"", program) if "--fill-zero-for-all-funcs" in options else ours
            check(theirs == alike, "%s %s: %s" % (what, options, first_difference(theirs, alike or b"")))
            check(both(program, ["--unsymbolized-profile=" + raw, *options], where, format_, what)[1] == ours,
                  "%s %s: of unsymbolized counts" % (what, options))
        else:
            read = [as_text(os.path.join(where, name), where) for name in ("theirs", "ours")]
            read[0] = read[0] and without_dropped(read[0], program)
            check(read[0] == read[1], "%s %s: read back: %s"
                  % (what, options, first_difference(read[0] or b"", read[1] or b"")))


def check_properties(program, text, where, what):
    """The flags of the sections of binary profiles, which say what the compiler may expect."""
    found = []
    for data in both(program, ["--perfscript=" + text], where, [], what):
        if data is None:
            count("refused by llvm-profgen")
            return
        with open(os.path.join(where, "profile"), "wb") as f:
            f.write(data)
        shown = run(["llvm-profdata-22", "show", "--sample", "--show-sec-info-only", os.path.join(where, "profile")])
        found.append(dict(re.findall(rb"^(\w+Section) .*Flags: (\{.*\})", shown.stdout, re.M)))
    theirs, ours = ({name: flags[name] for name in found[0].keys() & found[1].keys()} for flags in found)
    check(theirs and theirs == ours, "%s: flags of sections: %s, not %s" % (what, ours, theirs))
    count("binary profiles")


def check_recording(program, data, text, where, what):
    """perf.data gives the profile that the text of one process gives."""
    profiles = []
    for source in ("--perfscript=" + text, "--perfdata=" + data):
        out = os.path.join(where, "ours")
        done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, source, "--format=text", "-o", out])
        check(done.returncode == 0, "%s: %s: %s" % (what, source, done.stderr[-300:]))
        with open(out, "rb") as f:
            profiles.append(f.read())
    check(profiles[0] == profiles[1], "%s: perf.data: %s" % (what, first_difference(*profiles)))
    count("recordings")


def check_warnings(program, text, where, what):
    """Under its name, the warnings of llvm-profgen about ranges, also of samples with places between instructions."""
    link, damaged = os.path.join(where, "llvm-profgen"), text + ".damaged"
    if not os.path.lexists(link):
        os.symlink(os.path.abspath(ANYPROF), link)
    with open(text, encoding="ascii") as whole, open(damaged, "w", encoding="ascii") as f:
        for line in whole:
            f.write(line if line.startswith("PERF") else re.sub("(0x[0-9a-f]*)[37b]/", r"\g<1>1/", line))
    for source in (text, damaged):
        found = []
        for tool in ("llvm-profgen-22", link):
            done = run([tool, "--binary=" + program.path, "--perfscript=" + source, "-o", os.path.join(where, "out")])
            found.append([line for line in done.stderr.decode().splitlines() if "are from ranges" in line])
        check(found[0] == found[1], "%s: warnings of %s: %s" % (what, source, found))
        count("warnings", len(found[0]))


def compare_branches(program, stacks, where, what, seed):
    """Everything that is compared of samples without calls. stacks: of _profgen.read_stacks, without frames."""
    text, data, chance = os.path.join(where, "text"), os.path.join(where, "perf.data"), random.Random(seed)
    write_text(text, program, stacks, 0x555555000000 if program.movable else 0)
    write_recording(data, program, stacks, chance)
    check_script(program, text, where, what, chance)
    check_symbol_list(program, text, where, what)
    check_warnings(program, text, where, what)
    check_properties(program, text, where, what)
    check_recording(program, data, text, where, what)


# ---- by context ---------------------------------------------------------------------------------------------------

FLAT = ["--csspgo-preinliner=0", "--gen-cs-nested-profile=0"]
ALL = [*FLAT, "--profile-summary-hot-count=0"]
# With its preinliner, llvm-profgen loses counts of recursive functions whose contexts are not compressed.
DEEP = ["--csspgo-preinliner=0", "--compress-recursion=0"]
SINGLE = (["--infer-missing-frames=0"], ["--csspgo-preinliner=0"], ["--gen-cs-nested-profile=0"],
          ["--use-context-cost-for-preinliner=0"], ["--csspgo-replay-preinline"], ["--trim-cold-profile"],
          ["--csprof-merge-cold-context=1"], ["--compress-recursion=1"],
          ["--csprof-max-context-depth=2"], ["--csprof-max-unsymbolized-context-depth=1"],
          ["--csprof-max-cold-context-depth=2"], ["--profile-summary-hot-count=0"], ["--profile-summary-cold-count=7"],
          ["--use-dwarf-correlation"], ["--load-function-from-symbol=0"], ["--ignore-stack-samples"],
          ["--generate-merged-base-profiles"])
# Of these each program gets some. Other depths, with which LLVM's profile depends on the order of samples, are those of
# profgen_tail_calls.py.
MORE_BY_CONTEXT = (
    ["--max-search-depth=0"], ["--max-search-depth=1000"],
    ["--update-total-samples"], ["--mark-all-context-preinlined"], ["--sample-profile-hot-inline-threshold=0"],
    ["--sample-profile-hot-inline-threshold=0", "--csspgo-preinliner-multiplier-for-previous-inlining=40"],
    ["--sample-profile-hot-inline-threshold=0", "--sample-profile-cold-inline-threshold=50"],
    ["--sample-profile-cold-inline-threshold=500"], ["--sample-profile-inline-limit-max=150"],
    ["--sample-profile-inline-growth-limit=1", "--sample-profile-inline-limit-min=5"],
    ["--profile-summary-cutoff-cold=500000"], ["--profile-summary-cutoff-hot=500000", "--trim-cold-profile"])
RAW = (["--compress-recursion=0"], ["--csprof-max-context-depth=2"], ["--csprof-max-unsymbolized-context-depth=1"],
       ["--use-dwarf-correlation"], ["--ignore-stack-samples"])


def names_of(options):
    return {option.partition("=")[0] for option in options}


def options_of(chance):
    """Each alone, and some pairs."""
    pairs = [a + b for a, b in itertools.combinations(SINGLE + MORE_BY_CONTEXT, 2) if not names_of(a) & names_of(b)]
    return [[], FLAT, ALL, DEEP, *SINGLE, *chance.sample(MORE_BY_CONTEXT, 3), *chance.sample(pairs, 6)]


def alike(text, words, lines, program):
    """Without what differs on purpose, see docs/differences.md: attributes of contexts that are cold, entries of
    recursive functions that llvm-profgen's preinliner loses, and what it takes the address 1 for."""
    inlines = "--csspgo-preinliner=0" not in words
    if "--ignore-stack-samples" in words:
        text = without_dropped(text, program)
    if lines and inlines:
        text = re.sub(rb"^(\S.*):[0-9]+$", rb"\1", text, flags=re.M)
    if (any("cold-" in w for w in words) or (not inlines and "--profile-summary-hot-count=0" not in words)):
        text = b"".join(line for line in text.splitlines(keepends=True) if b"!Attributes:" not in line)
    return text


def is_garbage(text):
    """Whether names in a profile are addresses in llvm-profgen, other ones in each run: of functions whose probes have
    no descriptor, as of code that was split off."""
    return re.search(rb"^\[?[0-9]+[]: ]", text, re.M) is not None


def compare(program, words, where, format_, what):
    theirs, ours = both(program, words, where, format_, what)
    if theirs is None or (format_ and is_garbage(theirs)):
        count("refused by llvm-profgen")
        return None
    if format_:
        lines = "lines" in what or "--use-dwarf-correlation" in words
        theirs, ours = (alike(text, words, lines, program) for text in (theirs, ours or b""))
    count("profiles" if format_ else "unsymbolized")
    count("bytes", len(theirs))
    check(theirs == ours, "%s %s: %s" % (what, words[1:], first_difference(theirs, ours or b"")))
    return ours


def check_counts(program, text, where, what):
    """Counts by context, and what is made of them."""
    for options in ([], *RAW):
        words = ["--perfscript=" + text, "--skip-symbolization", *options]
        ours = compare(program, words, where, [], what)
        if ours is None or options not in ([], ["--use-dwarf-correlation"]):
            continue
        raw, profiles = os.path.join(where, "raw"), []
        with open(raw, "wb") as f:
            f.write(ours)
        for source in ("--perfscript=" + text, "--unsymbolized-profile=" + raw):
            out = os.path.join(where, "ours")
            done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, source, "--format=text", *ALL,
                        *options, "-o", out])
            check(done.returncode == 0, "%s: %s: %s" % (what, source, done.stderr[-300:]))
            with open(out, "rb") as f:
                profiles.append(f.read())
        check(profiles[0] == profiles[1],
              "%s: of counts: %s" % (what, first_difference(profiles[0], profiles[1])))
        count("profiles of counts")


def check_given(program, text, where, what):
    """The last steps of a profile that was written before them."""
    given = os.path.join(where, "given")
    done = run([ANYPROF, "profgen", "--quiet", "--binary=" + program.path, "--perfscript=" + text, "--format=text",
                *ALL, "-o", given])
    check(done.returncode == 0, "%s: %s" % (what, done.stderr[-300:]))
    for options in ([], ["--trim-cold-profile"], ["--gen-cs-nested-profile=0"]):
        compare(program, ["--llvm-sample-profile=" + given, *options], where, ["--format=text"], what)
        count("profiles of profiles")


def compare_calls(program, stacks, where, what, seed):
    """Everything that is compared of samples with calls."""
    text, data, chance = os.path.join(where, "text"), os.path.join(where, "perf.data"), random.Random(seed)
    write_text(text, program, stacks, 0x555555000000 if program.movable else 0)
    write_recording(data, program, stacks, chance)
    check_counts(program, text, where, what)
    check_given(program, text, where, what)
    for options in options_of(chance):
        compare(program, ["--perfscript=" + text, *options], where, ["--format=text"], what)
    check_warnings(program, text, where, what)
    check_properties(program, text, where, what)
    check_recording(program, data, text, where, what)
