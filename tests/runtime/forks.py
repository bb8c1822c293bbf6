#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fork: what was counted before it is in the files once, what the parent and the children count afterwards is, too;
under a plain name, %p, %m, %2m; with exit and with _exit as --wrap has it; of a child of a child; of a program with
threads; after vfork, where a child must not write what is its parent's; before exec. Beside handlers for forks that a
constructor of the program registers, beside libraries that another thread loads and unloads, and by many threads at
once.

By design: a process that was made by clone or _Fork, past the handlers of fork, says so and counts again what its
parent counted, if it comes to its exit. What exec starts is a run of its own: under a plain name it replaces what is
there when it begins, a profile of its parent or of another child too (compiler-rt prevents that with a variable)."""

import itertools
import os

import _faults
from _faults import check, run

NAMES = ["p.profraw", "p%p.profraw", "p%m.profraw", "p%2m.profraw", "p%p_%m.profraw"]
# What is done, and what is counted. END: how children end.
PROGRAMS = {
    "a child": ("marks:0:5 fork mark:1 END end marks:2:3", {0: 5, 1: 1, 2: 3}),
    "a child that goes on where the parent was": ("marks:0:5 fork marks:0:2 END end marks:0:3", {0: 10}),
    "no count of its own": ("marks:0:5 fork END end", {0: 5}),
    "children one after the other": ("mark:0 fork mark:1 END end fork mark:1 END end mark:2 fork mark:3 END end",
                                     {0: 1, 1: 2, 2: 1, 3: 1}),
    "children at once": ("mark:0 forkbg mark:1 END end forkbg mark:2 END end forkbg mark:0 END end waitall mark:4",
                         {0: 2, 1: 1, 2: 1, 4: 1}),
    "a child of a child": ("mark:0 fork mark:1 fork mark:2 END end mark:3 END end mark:4",
                           {0: 1, 1: 1, 2: 1, 3: 1, 4: 1}),
    "writes before": ("marks:0:2 write mark:1 fork mark:1 END end mark:1 write mark:2", {0: 2, 1: 3, 2: 1}),
    "writes in the child": ("mark:0 fork mark:1 write mark:1 write mark:2 END end mark:0", {0: 2, 1: 2, 2: 1}),
    "writes on both sides": ("mark:0 write fork mark:1 write fork mark:2 write END end mark:1 END end write "
                             "mark:0 write", {0: 2, 1: 2, 2: 1}),
    "a reset before": ("marks:0:9 write reset mark:0 fork mark:1 END end mark:2", {0: 10, 1: 1, 2: 1}),
    "a reset in the child": ("marks:0:9 fork mark:1 write reset mark:1 END end mark:2", {0: 9, 1: 2, 2: 1}),
    "a reset in both": ("marks:0:9 fork mark:1 write reset mark:3 END end write reset mark:2",
                        {0: 9, 1: 1, 2: 1, 3: 1}),
    "after threads": ("threads:4:1000 fork mark:2 END end threads:2:10", {1: 4020, 2: 1}),
    "threads in the child": ("threads:4:1000 fork threads:3:100 END end mark:0", {0: 1, 1: 4300}),
    "vfork": ("marks:0:5 vfork_exit mark:1", {0: 5, 1: 1}),
}


def results(program, at, name, acts):
    done = run(program, acts, os.path.join(at, name))
    lines = [s for s in done.stdout.splitlines() if s not in ("write 0", "child 768")]
    check((lines, done.stderr), ([], ""), "what was said: " + acts)
    return done


def all_programs(program, name, how):
    for what, (acts, expected) in PROGRAMS.items():
        at = _faults.fresh("forks")
        results(program, at, name, acts.replace("END", how))
        files = _faults.profiles(at)
        check(_faults.sums(files), expected, "%s, %s, %s" % (what, name, how))
        check(_faults.others(at), [], "what else is there")
        processes = 1 + acts.count("fork ") + acts.count("forkbg ")
        if name == "p%p.profraw":
            check(len(files), processes, "a file of each process: " + what)
        elif name == "p.profraw" or name == "p%m.profraw":
            check(len(files), 1, "one file: " + what)


def twice(program, name):
    """A second run adds to a pool, and replaces a plain name."""
    at = _faults.fresh("twice")
    for _ in range(2):
        results(program, at, name, "mark:0 fork mark:1 end mark:2")
    times = 1 if name == "p.profraw" else 2
    check(_faults.sums(_faults.profiles(at)), {0: times, 1: times, 2: times}, "two runs, " + name)


def execs(program, name):
    """A process that becomes another loses its counts unless it wrote them; its children's counts stay."""
    for acts, expected in (("mark:0 fork mark:1 exec mark:2 end mark:3", {0: 1, 2: 1, 3: 1}),
                           ("mark:0 fork mark:1 write exec mark:2 end mark:3", {0: 1, 1: 1, 2: 1, 3: 1}),
                           ("mark:0 write exec mark:1", {0: 1, 1: 1})):
        at = _faults.fresh("exec")
        # What exec starts is a run of its own, and replaces what is there when it begins, but for pools.
        if "write exec" in acts and "m.profraw" not in name:
            expected = {1: 1} if acts.endswith("exec mark:1") else {0: 1, 2: 1, 3: 1}
        results(program, at, name, acts)
        check(_faults.sums(_faults.profiles(at)), expected, "%s, %s" % (acts, name))


def past_the_handlers(program):
    at = _faults.fresh("raw")
    acts = "marks:0:5 rawfork mark:1 exit end mark:2"
    done = run(program, acts, os.path.join(at, "p%m.profraw"))
    check("made without fork" in done.stderr, True, "a warning")
    check(_faults.sums(_faults.profiles(at)), {0: 10, 1: 1, 2: 1}, acts)


def beside_others():
    program = _faults.compile_program("handlers", source="fork_handlers.c")
    library = _faults.compile_program("library", ["-DLIBRARY", "-fPIC", "-shared"], source="fork_handlers.c")
    large = _faults.compile_program("large", ["-DLIBRARY", "-fPIC", "-shared", _faults.many(1500)],
                                    source="fork_handlers.c")
    child = _faults.path("child.profraw")
    # What is tried, how often, with which file, and what is counted then, if that is known.
    for acts, options, expected in (("count 5 -", "", {0: 5, 1: 5, 2: 5}), ("lock 100 -", "", {}),
                                    ("threads 10 -", "wait=0", {2: 160}), ("load 1000 " + library, "", {}),
                                    ("load 300 " + large, "", None), ("name 1 " + child, "", {})):
        at = _faults.fresh("beside")
        name = "p%p.profraw" if "wait=0" in options else "p%m.profraw"  # then no process waits for a lock
        done = run(program, acts, os.path.join(at, name), options)
        check(done.stderr, "", "what was said: " + acts)
        found = _faults.sums(_faults.profiles(at))
        check(found if expected is not None else None, expected, acts)
        check(_faults.others(at), [], "what else is there: " + acts)
    check(os.path.exists(child), True, "the name that a handler gives")


def main():
    with _faults.directory():
        program = _faults.compile_program("plain")
        wrapped = _faults.compile_program("wrapped", _faults.WRAP)
        values = _faults.compile_program("values", _faults.WRAP, mode=["-fprofile-generate", "-fprofile-update=atomic"])
        for name, how in itertools.product(NAMES, ("exit", "_exit", "quick")):
            all_programs(program if how == "exit" else values if how == "quick" else wrapped, name, how)
        for name in NAMES:
            twice(program, name)
            execs(program, name)
        past_the_handlers(program)
        beside_others()
    _faults.finish("%d programs, %d names" % (len(PROGRAMS), len(NAMES)))


main()
