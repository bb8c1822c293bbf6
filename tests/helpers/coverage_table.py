#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""coverage_table.py SUMMARY PAGE: prints what `llvm-cov export -summary-only` counted, by file and by room, and puts
the rooms into the table of PAGE (rows that begin with "| `src/base`", ...). Exit code 1 if a room is below what is
promised for it."""

import datetime
import json
import os
import re
import sys

ROOMS = ["src/base", "src/instr", "src/object", "src/probe", "src/bolt", "src/jobs", "src/programs", "cli"]
KINDS = ["lines", "branches", "functions"]
PROMISED = {"src/base": (95, 85), "src/instr": (95, 85)}  # per cent of lines and branches
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def percent(count, covered):
    return 100.0 * covered / count if count else 100.0


def main():
    with open(sys.argv[1]) as f:
        files = json.load(f)["data"][0]["files"]
    rooms = {room: {kind: [0, 0] for kind in KINDS} for room in ROOMS}
    print("%-34s %9s %9s  lines and branches that were not reached" % ("", "lines", "branches"))
    for file in sorted(files, key=lambda f: f["filename"]):
        name = os.path.relpath(file["filename"], SOURCE)
        room = next((r for r in ROOMS if name.startswith(r + "/")), None)
        summary = file["summary"]
        if room is None or not summary["lines"]["count"]:
            continue
        for kind in KINDS:
            rooms[room][kind][0] += summary[kind]["count"]
            rooms[room][kind][1] += summary[kind]["covered"]
        numbers = [(summary[kind]["count"], summary[kind]["covered"]) for kind in KINDS[:2]]
        left = ["%d" % (count - covered) for count, covered in numbers]
        print("%-34s %8.1f%% %8.1f%%  %s" % (name, percent(*numbers[0]), percent(*numbers[1]), ", ".join(left)))
    with open(sys.argv[2]) as f:
        page = f.read()
    bad = 0
    for room, kinds in rooms.items():
        shares = [percent(*kinds[kind]) for kind in KINDS]
        print("%-34s %8.1f%% %8.1f%%" % (room, shares[0], shares[1]))
        row = "| `%s` | %d | %.1f %% | %.1f %% | %.1f %% | %s |" % (
            room, kinds["lines"][0], *shares, datetime.date.today().isoformat())
        page = re.sub(r"^\| `%s` \|.*$" % room, row, page, flags=re.M)
        promised = PROMISED.get(room, (0, 0))
        if shares[0] < promised[0] or shares[1] < promised[1]:
            print("FAILED: %s is below %d %% of lines and %d %% of branches" % ((room,) + promised))
            bad = 1
    with open(sys.argv[2], "w") as f:
        f.write(page)
    return bad


if __name__ == "__main__":
    sys.exit(main())
