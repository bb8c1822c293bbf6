#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""anyprof bat inject, extract and strip in files with so many sections that the ELF header cannot count them: from
0xff00 on it says 0, and section 0 has the number in sh_size; likewise the number of the section with the names, in
sh_link. Files are made here and read here, by the ELF specification, in both sizes and byte orders, and one by GNU as;
readelf must see the same."""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ANYPROF = os.environ.get("ANYPROF", "")
LIMIT = 0xff00
XINDEX = 0xffff
NAME = b".note.bolt_bat"
# One function in one piece.
PAYLOAD = bytes.fromhex("01 80808003 39f0ed6c9db4c959 01 00 02 02 02 00 000040ff65670000 00 1b 00")
NOTE = struct.pack("<III8s", 5, len(PAYLOAD), 1, b"BOLT") + PAYLOAD + bytes(-len(PAYLOAD) % 4)
checks, failures = 0, []


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        failures.append(text)
        print("FAILED: " + text)


class Format:
    def __init__(self, wide, big):
        self.wide, self.order = wide, ">" if big else "<"
        self.head = self.order + ("16sHHIQQQIHHHHHH" if wide else "16sHHIIIIIHHHHHH")
        self.section = self.order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII")
        self.size = struct.calcsize(self.section)

    def __str__(self):
        return "%d bits, %s endian" % (64 if self.wide else 32, "big" if self.order == ">" else "little")


def make(form, n, names):
    """A file with n section headers, that of the names at `names`, or none; others are .text (1) and empty ones."""
    text, table = b"\x90" * 16, b"\0.text\0.shstrtab\0.empty\0"
    start = struct.calcsize(form.head)
    at_names = start + len(text)
    at_headers = (at_names + len(table) + 7) // 8 * 8
    headers = []
    for i in range(n):
        fields = [17, 1, 0, 0, at_names, 0, 0, 0, 1, 0]
        if i == 0:
            fields = [0] * 10
            fields[5] = n if n >= LIMIT else 0
            fields[6] = names if names >= LIMIT else 0
        elif i == 1:
            fields = [1, 1, 6, 0x1000, start, len(text), 0, 0, 1, 0]
        elif i == names:
            fields = [7, 3, 0, 0, at_names, len(table), 0, 0, 1, 0]
        headers.append(struct.pack(form.section, *fields))
    ident = b"\x7fELF" + bytes([2 if form.wide else 1, 2 if form.order == ">" else 1, 1]) + bytes(9)
    machine = {"<": 62 if form.wide else 3, ">": 21 if form.wide else 20}[form.order]
    count, index = n if n < LIMIT else 0, names if names < LIMIT else XINDEX
    head = struct.pack(form.head, ident, 1, machine, 1, 0, 0, at_headers, 0, start, 0, 0, form.size, count, index)
    body = head + text + table
    return body + bytes(at_headers - len(body)) + b"".join(headers)


def read(data):
    """(format, e_shnum, e_shstrndx, headers, {name: number of the last one so called})."""
    form = Format(data[4] == 2, data[5] == 2)
    head = struct.unpack_from(form.head, data)
    offset, count, index = head[6], head[12], head[13]
    first = struct.unpack_from(form.section, data, offset)
    n, names = count or first[5], first[6] if index == XINDEX else index
    headers = [struct.unpack_from(form.section, data, offset + i * form.size) for i in range(n)]
    table = data[headers[names][4]:headers[names][4] + headers[names][5]]
    called = {}
    for i, h in enumerate(headers):
        if h[1] and names:
            called[table[h[0]:table.index(b"\0", h[0])]] = i
    return form, count, index, headers, called


def contents(data, header):
    return data[header[4]:header[4] + header[5]]


def command(*words):
    done = subprocess.run([ANYPROF, "bat"] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def file_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def check_readelf(path, n, names, what):
    """The numbers that GNU readelf finds."""
    if not shutil.which("readelf"):
        return
    said = subprocess.run(["readelf", "-hW", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                          check=False, env=dict(os.environ, LC_ALL="C")).stdout.decode()
    count = re.search(r"Number of section headers: +(\d+)(?: \((\d+)\))?\n", said)
    index = re.search(r"Section header string table index: +(\d+)(?: \((\d+)\))?\n", said)
    check(count and int(count[2] or count[1]) == n, "%s: readelf counts %s" % (what, count and count[0]))
    check(index and int(index[2] or index[1]) == names, "%s: readelf: names in %s" % (what, index and index[0]))
    listed = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                            check=False, env=dict(os.environ, LC_ALL="C"))
    check(not listed.stderr, "%s: readelf: %s" % (what, listed.stderr[:200]))
    listing = listed.stdout.decode()
    check(len(re.findall(r"^ +\[ *\d+\] ", listing, re.M)) == n, "%s: readelf lists other sections" % what)
    return listing


def check_counts(data, path, n, names, what):
    _, count, index, headers, called = read(data)
    check(len(headers) == n, "%s: %d headers, not %d" % (what, len(headers), n))
    check(count == (n if n < LIMIT else 0), "%s: e_shnum is %d" % (what, count))
    check(index == (names if names < LIMIT else XINDEX), "%s: e_shstrndx is %d" % (what, index))
    check(headers[0][5] == (n if n >= LIMIT else 0), "%s: sh_size of section 0 is %d" % (what, headers[0][5]))
    check(headers[0][6] == (names if names >= LIMIT else 0), "%s: sh_link of section 0 is %d" % (what, headers[0][6]))
    listing = check_readelf(path, n, names, what)
    check(listing is None or (NAME.decode() in listing) == (NAME in called), "%s: readelf and the name" % what)
    return headers, called


def check_same(before, after, names, what):
    """Sections that were there: their headers, and what is in them; names may have grown. Where there were none, what
    headers said about them must not become the name that is added."""
    no_names = names >= len(before[1])
    for i, (a, b) in enumerate(zip(before[1], after[1])):
        if i not in (0, names) and ((0,) + a[1:] if no_names else a) != b:
            check(False, "%s: header %d: %s and %s" % (what, i, a, b))
            return
    check(contents(before[0], before[1][1]) == contents(after[0], after[1][1]), "%s: .text" % what)


def run_case(original, where, what):
    """Into the file, out of it, once more over what is there, and away."""
    path, table, injected, again, out, stripped = (
        os.path.join(where, name) for name in ("file", "table", "injected", "again", "out", "stripped"))
    for name, data in ((path, original), (table, NOTE)):
        with open(name, "wb") as f:
            f.write(data)
    form, _, _, before, _ = read(original)
    no_names = struct.unpack_from(form.head, original)[13] == 0
    n, names = len(before), len(before)
    if not no_names:
        names = next(i for i in range(n) if contents(original, before[i])[:1] == b"\0" and before[i][1] == 3
                     and b".shstrtab\0" in contents(original, before[i]))
    n += no_names
    check(command("inject", path, table, "-o", injected) == (0, b"", ""), "%s: inject" % what)
    data = file_bytes(injected)
    headers, called = check_counts(data, injected, n + 1, names, what + ": injected")
    check(called.get(NAME) == n and contents(data, headers[n]) == NOTE, "%s: the table is not there" % what)
    check_same((original, before), (data, headers), names, what)
    check(command("extract", injected, "-o", out)[0] == 0 and file_bytes(out) == NOTE, "%s: extract" % what)
    check(command("inject", injected, injected, "-o", again) == (0, b"", ""), "%s: again" % what)
    check_counts(file_bytes(again), again, n + 1, names, what + ": again")
    check(command("extract", again, "-o", out)[0] == 0 and file_bytes(out) == NOTE, "%s: extract again" % what)
    check(command("strip", injected, "-o", stripped) == (0, b"", ""), "%s: strip" % what)
    data = file_bytes(stripped)
    headers, called = check_counts(data, stripped, n, names, what + ": stripped")
    check(NAME not in called and NOTE not in data, "%s: the table is still there" % what)
    check_same((original, before), (data, headers), names, what)
    code, _, said = command("extract", stripped, "-o", out)
    check(code == 1 and "no BAT table found" in said, "%s: extract of the stripped: %s" % (what, said))


def assembled(where):
    """An object of GNU as with 66,000 sections; None: there is no as."""
    if not shutil.which("as"):
        return None
    source, path = os.path.join(where, "many.s"), os.path.join(where, "many.o")
    with open(source, "w", encoding="ascii") as f:
        f.write(".text\n.byte 1, 2, 3\n")
        f.writelines(".section .data.%d\n.byte %d\n" % (i, i & 255) for i in range(66000))
    subprocess.run(["as", source, "-o", path], check=True, timeout=300)
    return file_bytes(path)


def main():
    if not os.access(ANYPROF, os.X_OK):
        print("skipped: no command at '%s'" % ANYPROF)
        return 77
    with tempfile.TemporaryDirectory() as where:
        wide = Format(True, False)
        for n, names in ((LIMIT - 2, 2), (LIMIT - 1, LIMIT - 2), (LIMIT, LIMIT - 1), (LIMIT + 1, LIMIT), (66000, 2)):
            run_case(make(wide, n, names), where, "%d sections, names in %d" % (n, names))
        for n in (LIMIT - 2, LIMIT - 1, LIMIT):
            run_case(make(wide, n, 0), where, "%d sections, no names" % n)
        for form in (Format(False, False), Format(True, True), Format(False, True)):
            for n, names in ((LIMIT - 1, 2), (LIMIT + 700, LIMIT + 699)):
                run_case(make(form, n, names), where, "%s: %d sections" % (form, n))
        made = assembled(where)
        if made is None:
            print("not checked: an object of GNU as: there is none")
        else:
            run_case(made, where, "an object of GNU as")
    if not shutil.which("readelf"):
        print("not checked: what readelf sees: there is none")
    print("%d checks, %d failures" % (checks, len(failures)))
    return 1 if failures else 0


sys.exit(main())
