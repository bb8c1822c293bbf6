#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SIGKILL in the middle of writing and merging: at each call that the runtime makes, and at random moments, of one
process and of several at once. Each file whose name ends in .profraw is a whole profile afterwards, and their sum is
that of the runs which came to their end, and of such of the others as had renamed their file: each whole, none twice.

Each process counts a function of its own besides those that all count, so the files say who is in them."""

import collections
import os
import random
import shutil
import time

import _faults
from _faults import KILLED, check, run

FUNCTIONS = 3000
KILLS = 1000  # in the middle of writing, at least
ROUNDS = 240
AT_ONCE = 8
figures = collections.Counter()

# What a file system may lack, and what is there already.
REFUSED = ["", "descriptor renameat2", "tmpfile", "tmpfile link"]
NAMES = {"plain": "p.profraw", "pool": "p%m.profraw"}


def who_is_in(files, n):
    """The processes whose counts the files hold: whole, and once. n: how many there may be."""
    sums = _faults.sums(files)
    inside = [i for i in range(n) if sums.get(8 + i, 0) >= 1000]
    # Each is counted once in all that are in the file, and a thousand times more in its own.
    expected = {8 + i: len(inside) + (1000 if i in inside else 0) for i in range(FUNCTIONS)}
    check(sums, {k: v for k, v in expected.items() if v}, "functions of all")
    return inside


def acts(i):
    return "all marks:%d:1000" % (8 + i)


def one_by_one(program, kind, refuse, exists, sync):
    """Killed at the k-th call, for all k until it comes through."""
    at = _faults.fresh("one")
    name = os.path.join(at, NAMES[kind])
    if exists:
        run(program, acts(0), name)
    saved = _faults.fresh("saved")
    shutil.copytree(at, saved, dirs_exist_ok=True)
    before = [0] if exists else []
    after = [0, 1] if exists and kind == "pool" else [1]
    was_in = False
    for k in range(1, 500):
        _faults.fresh("one")
        shutil.copytree(saved, at, dirs_exist_ok=True)
        done = run(program, acts(1), name, sync, code=None, fault={"at": k, "do": "kill", "refuse": refuse})
        inside = check_inside(at, 2)
        is_in = inside == after
        if not is_in or was_in:
            check(inside, after if was_in else before, "%s, without %s, killed at call %d" % (kind, refuse, k))
        was_in = was_in or is_in
        if done.returncode != KILLED:
            check((done.returncode, is_in), (0, True), "the last run")
            break
        figures["at calls"] += 1
        if k % 2:
            continue
        # What it left does not disturb later runs.
        run(program, acts(2), name, fault={"refuse": refuse})
        expected = [2] if kind == "plain" else inside + [2]
        check(check_inside(at, 3), expected, "%s, the run after the one killed at call %d" % (kind, k))


def check_inside(at, n):
    return who_is_in(_faults.profiles(at), n)


def start(gate, program, name, fault):
    """Processes that have counted, and wait."""
    started = [gate.start(program, acts(i) + " ready:2 {}", name, "wait=60", fault) for i in range(AT_ONCE)]
    for process in started:
        _faults.wait_until_ready(process.stderr)
    return started


def how_long(program, name, fault):
    """The median time, in seconds, in which all processes exit."""
    times = []
    for _ in range(5):
        with _faults.Gate() as gate:
            started = start(gate, program, name, fault)
            began = time.monotonic()
            gate.open(AT_ONCE)
            for process in started:
                process.communicate()
            times.append(time.monotonic() - began)
    return sorted(times)[2]


def kill_some(started, span, chance):
    """Nine of ten, each at some moment of the span; by when each would be killed."""
    began = time.monotonic()
    plan = sorted((chance.random() * span, i) for i in range(len(started)) if chance.random() < 0.9)
    for when, i in plan:
        time.sleep(max(0, when - (time.monotonic() - began)))
        started[i].kill()
        figures["at random"] += 1


def narrower(span, in_time, turn):
    """Where most come through, they are killed earlier."""
    return span * 0.8 if in_time < AT_ONCE * (turn + 1) * 0.45 else span


def at_random(program, kind, fault, rounds, chance):
    """Some processes at once into one file; most are killed while they write."""
    at = _faults.fresh("random")
    name = os.path.join(at, NAMES[kind])
    span = how_long(program, name, fault) * 0.6
    before = figures["killed in time"]
    for turn in range(rounds):
        _faults.fresh("random")
        with _faults.Gate() as gate:
            started = start(gate, program, name, fault)
            gate.open(AT_ONCE)
            kill_some(started, span, chance)
        seen = []
        for i, process in enumerate(started):
            check(process.communicate()[1], "", "messages")
            if process.returncode == 0:
                seen.append(i)
            else:
                check(process.returncode, KILLED, "its end")
                figures["killed in time"] += 1
        span = narrower(span, figures["killed in time"] - before, turn)
        inside = check_inside(at, AT_ONCE)
        figures["came through"] += len(seen)
        figures["renamed, then killed"] += len(inside) - len(seen)
        missing = [i for i in seen if i not in inside]
        check(missing, [], "%s, turn %d: those that are missing of %s" % (kind, turn, seen))
    _faults.read_by_llvm(_faults.profiles(at))


def main():
    chance = random.Random(_faults.seed())
    with _faults.directory():
        program = _faults.compile_program("large", [_faults.many(FUNCTIONS)])
        for kind in NAMES:
            for refuse in REFUSED:
                for exists in (False, True):
                    one_by_one(program, kind, refuse, exists, "sync" if exists else "")
        for _ in range(10):
            for kind in NAMES:
                for refuse in REFUSED:
                    at_random(program, kind, {"refuse": refuse} if refuse else {}, ROUNDS // 8, chance)
            kills = figures["at calls"] + figures["killed in time"]
            if kills >= KILLS:
                break
        check(kills >= KILLS, True, "%d: as many kills in the middle as were promised" % kills)
    _faults.finish("kills: " + ", ".join("%d %s" % (n, what) for what, n in figures.items()))


main()
