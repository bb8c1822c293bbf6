#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads: they count while another one dumps, and each file that is there at any moment is whole, with sums that only
grow, and are exact at the end; they meet values, whose counts are exact with each clang; and ThreadSanitizer finds
nothing in the runtime (the counters of the program itself are not looked at: the program is compiled without it).

Programs that count without atomics lose counts, which is theirs to choose; dumps of such a one invent none: the pool is
not more than what was counted."""

import collections
import os
import re
import shutil
import subprocess

import _faults
from _faults import check, run

TIMES = 20000  # of each thread, and a multiple of 8
MOST_COPIES = 40
NAMES = {"plain": "p.profraw", "pool": "p%m.profraw"}
figures = collections.Counter()


def copies_while(process, at, to):
    """Copies the files again and again as long as the process runs; files that are renamed over stay whole."""
    kept = []
    while process.poll() is None:
        for f in _faults.profiles(at):
            name = os.path.join(to, "%d.profraw" % len(kept))
            shutil.copyfile(f, name)
            kept.append(name)
    step = max(1, len(kept) // MOST_COPIES)
    return kept[::step]


def dumped(program, kind, exact):
    at, to = _faults.fresh("dumped"), _faults.fresh("copies")
    # Threads that count 4 million times while it writes 400 times.
    process = _faults.start(program, "mark:2 dumping:4:1000000 mark:3", os.path.join(at, NAMES[kind]),
                            stderr=subprocess.STDOUT)
    copies = copies_while(process, at, to)
    check((process.stdout.read(), process.wait()), ("", 0), "threads that count")
    process.stdout.close()
    _faults.whole(copies)
    found = [_faults.sums([f], strictly=False).get(1, 0) for f in copies]
    if exact or kind == "pool":
        check(found, sorted(found), "sums only grow, " + kind)
    final = _faults.sums(_faults.profiles(at))
    check(final.get(2, 0) + final.get(3, 0), 2, "what no thread counts")
    if exact:
        check(final.get(1), 4000000, "the end, " + kind)
    else:
        check(0 < final.get(1, 0) <= 4000000, True, "none is invented: %s, %s" % (final.get(1), kind))
    figures["files read meanwhile"] += len(copies)


def values_of(files):
    """The sums of value counts: {target's number or size: count}."""
    found = collections.Counter()
    for name, n in re.findall(r"^(?:\S*target_)?(\d+):(\d+)$", _faults.text_of(files), re.MULTILINE):
        found[name] += int(n)
    return found


def values(program, what, **more):
    """8 threads, 8 targets, 8 sizes (0 to 8 are sizes of their own): each as often as the other."""
    for kind, name in NAMES.items():
        at = _faults.fresh("values")
        done = run(program, str(TIMES), os.path.join(at, name), **more)
        check(done.stderr, "", "messages, " + what)
        expected = {str(i): TIMES for i in range(1, 9)}
        for i in range(8):
            expected[str(i)] = expected.get(str(i), 0) + TIMES
        check(dict(values_of(_faults.profiles(at))), expected, "values, %s, %s" % (what, kind))
        figures["values counted"] += 16 * TIMES


def sanitized_runtime(clang):
    """The hosted runtime, with ThreadSanitizer."""
    runtime = os.path.join(_faults.SOURCE, "runtime")
    sources = [os.path.join(runtime, f) for f in os.listdir(runtime) if f.endswith(".c")]
    sources = [f for f in sources if not f.endswith(("rt_buffer.c", "rt_exit.c", "rt_live.c"))]
    flags = ["-O1", "-g", "-fsanitize=thread", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-DANYPROF_RT_HOSTED",
             "-I" + os.path.join(_faults.SOURCE, "include"), "-I" + os.path.join(_faults.SOURCE, "src"), "-I" + runtime]
    objects = _faults.fresh("objects")
    subprocess.run([clang, "-c"] + flags + sources, cwd=objects, check=True)
    return [os.path.join(objects, f) for f in os.listdir(objects)]


def sanitized():
    clang = _faults.newest()
    probe = _faults.path("probe.c")
    with open(probe, "w", encoding="ascii") as f:
        f.write("int main(void) { return 0; }\n")
    if subprocess.run([clang, "-fsanitize=thread", probe, "-o", _faults.path("probe")], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        print("no ThreadSanitizer for %s: not run" % clang)
        return
    objects = sanitized_runtime(clang)
    for source, mode in (("values.c", ["-fprofile-generate"]), ("actor.c", _faults.FRONT_END),
                         ("values.c", ["-fprofile-generate", "-mllvm", "-vp-static-alloc=false"])):
        program = _faults.path("sanitized_" + source[:-2])
        made = _faults.path("of_" + source + ".o")
        subprocess.run([clang, "-O1", "-c", os.path.join(_faults.PROGRAMS, source), "-o", made] + mode, check=True)
        subprocess.run([clang, "-fsanitize=thread", made, "-o", program] + objects, check=True)
        if source == "values.c":
            values(program, "with ThreadSanitizer")
            continue
        for name in NAMES.values():
            for acts, expected in (("writers:8:20 mark:2", {2: 1}), ("mark:1 fork writers:4:5 mark:2 end writers:4:5",
                                                                      {1: 1, 2: 1}), ("dumping:4:1000", {1: 4000})):
                at = _faults.fresh("sanitized")
                done = run(program, acts, os.path.join(at, name), "signals")
                check(done.stderr, "", "ThreadSanitizer, " + acts)
                check(_faults.sums(_faults.profiles(at)), expected, "with ThreadSanitizer, " + acts)
    figures["sanitized programs"] += 3


def main():
    with _faults.directory():
        for kind in NAMES:
            dumped(_faults.compile_program("atomic"), kind, True)
            dumped(_faults.compile_program("plain", mode=["-fprofile-instr-generate"]), kind, False)
        for n in _faults.clangs():
            clang = "clang-%d" % n
            for what, more in (("", []), (", lists ours", ["-mllvm", "-vp-static-alloc=false"])):
                program = _faults.compile_program("values", clang=clang, source="values.c",
                                                  mode=["-fprofile-generate"] + more)
                values(program, clang + what)
        sanitized()
    _faults.finish(", ".join("%d %s" % (n, what) for what, n in figures.items()))


main()
