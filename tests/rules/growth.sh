#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Structures of the public headers can grow without breaking programs that were compiled with others (anyprof.h has the
# rules): what callers make or have room for begins with `size`, what is pointed to is one structure, and all others say
# that their layout is frozen; tests/unit/jobs/test_layout.c has the sizes of these, and the offset of each field. Each
# handle says what several threads may do with it.
. "$(dirname "$0")/_lib.sh"

command -v python3 >/dev/null || skip "no python3"
python3 - include/anyprof/*.h <<'PYTHON' || fail "structures that cannot grow: see above"
import re
import sys

text = "".join(open(path).read() for path in sys.argv[1:])
bodies, frozen = {}, set()
for comment, name, body in re.findall(r"(/\*\*(?:(?!\*/).)*\*/\n)?struct (apf_\w+) \{\n(.*?)\n\};", text, re.S):
    bodies[name] = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    if re.search(r"layout is\s+(\* )?frozen", comment):
        frozen.add(name)
sized = {name for name, body in bodies.items() if re.match(r"\s*size_t size;", body)}
code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
broken = []


def check(name, where):
    if name in bodies and name not in sized and name not in frozen:
        broken.append(f"struct {name} ({where}): neither begins with its size nor has a frozen layout")


calls = re.findall(r"(?:APF_API|static inline|typedef) ([^;{}]*?)\b(?:\(\*?)?(\w+)\)?\(([^;{}]*?)\)\s*[;{]", code)
for result, call, arguments in calls:
    value = re.fullmatch(r"\s*struct (\w+)\s*", result)
    if value:
        check(value[1], f"what {call} returns")
    count = re.search(r"size_t \*|uint64_t \*n\b", arguments)
    if count and re.search(r"const struct \w+ \*$", result.strip()):
        broken.append(f"{call} returns an array of structures")
    for argument in arguments.split(","):
        pointer = re.search(r"(const )?struct (\w+) (\*+)", argument)
        if not pointer:
            continue
        if len(pointer[3]) == 2 and count and pointer[1]:
            broken.append(f"{call} stores an array of structures")
        is_callback = call.endswith("_fn")
        if len(pointer[3]) == 1 and not (is_callback and pointer[1]):
            check(pointer[2], f"an argument of {call}")
for owner, body in bodies.items():
    fields = {word for field in body.split(";") for word in re.findall(r"\w+", field)}
    for field in body.split(";"):
        struct = re.search(r"struct (\w+) (.*)", field.strip(), re.S)
        if not struct:
            continue
        for name in struct[2].split(","):
            name, pointer = name.strip(" *"), "*" in name
            plain = re.sub(r"\[.*", "", name)
            if not pointer and struct[1] in sized:
                broken.append(f"struct {owner} has a struct {struct[1]}, which may grow, as a field")
            elif not pointer or {f"n_{plain}", "n"} & fields:
                if f"{plain[:-1]}_size" not in fields:  # functions: function_size is the distance
                    check(struct[1], f"field {plain} of struct {owner}")
for name in frozen & sized:
    broken.append(f"struct {name} begins with its size, and has a frozen layout")
handles = re.findall(r"(/\*\*(?:(?!\*/).)*\*/\n)?struct (apf_\w+);(?! /\*)", text, re.S)
for comment, name in handles:
    if "thread" not in comment and "at once" not in comment:
        broken.append(f"struct {name}: its comment does not say what several threads may do with it")
layout = open("tests/unit/jobs/test_layout.c").read()
for name in sorted(frozen ^ set(re.findall(r"FROZEN\((apf_\w+),", layout))):
    broken.append(f"struct {name} is frozen in a header or in test_layout.c, not in both")
for name in sorted(frozen):
    declared = {re.findall(r"\w+", re.sub(r"\[.*", "", part))[-1]
                for field in bodies[name].split(";") if field.strip() for part in field.split(",")}
    for field in sorted(declared ^ set(re.findall(rf"FIELD\({name}, (\w+),", layout))):
        broken.append(f"struct {name}: the field {field} is in a header or in test_layout.c, not in both")
if len(sized) < 20 or len(calls) < 100 or len(handles) < 15:
    broken.append(f"found {len(sized)} structures with a size, {len(calls)} functions, {len(handles)} handles")
print(*broken, sep="\n", end="\n" if broken else "")
sys.exit(bool(broken))
PYTHON
finish
