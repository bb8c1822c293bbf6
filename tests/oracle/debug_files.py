#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof profgen` of stripped programs, whose debug information is in files beside them as objcopy, llvm-objcopy,
eu-strip, dwz, dwp and llvm-dwp make them: the profile is that of the whole program, and where llvm-profgen-22 can make
it, with --debug-binary or --dwp, its profile, too. Damaged and hostile files give no crash, and no other profile."""

import os
import random
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _bolt  # noqa: E402
from _bolt import ANYPROF, run  # noqa: E402

tally = _bolt.Tally()
check, count = tally.check, tally.count

HEADER = r"""
struct shared_numbers { int first_number; int second_number; long total_of_numbers; };
static inline int shared_inline_step(struct shared_numbers *numbers, int x) {
    if (x & 1) numbers->first_number += x;
    else numbers->second_number ^= x;
    return numbers->first_number; }
static inline int shared_inline_walk(struct shared_numbers *numbers, int n) { int sum = 0;
    for (int i = 0; i < n; i++) sum += shared_inline_step(numbers, i);
    return sum; }
"""
SOURCE = r"""
#include "shared.h"
__attribute__((noinline)) int leaf_function(int x) { return x * 3 + 1; }
__attribute__((noinline)) int middle_function(int x) { struct shared_numbers numbers = {0, 0, 0};
    return x > 2 ? leaf_function(x) + shared_inline_walk(&numbers, x & 7) : leaf_function(x + 1); }
int main(int argc, char **argv) { struct shared_numbers numbers = {argc, 0, 0}; int s = 0; (void)argv;
    for (int i = 0; i < 60; i++) s += middle_function(i) + shared_inline_walk(&numbers, i & 3);
    return s == 12345; }
"""
OTHER = r"""
#include "shared.h"
int main(int argc, char **argv) { struct shared_numbers numbers = {argc, 2, 3}; (void)argv;
    return shared_inline_walk(&numbers, 40) & 1; }
"""
PROBES = ["-fpseudo-probe-for-profiling"]
FOR_PROFILES = ["-fdebug-info-for-profiling"]
# (name, compiler, flags)
BUILDS = (("probes", "clang-22", ["-g", *PROBES]), ("lines", "clang-22", ["-g", *FOR_PROFILES]),
          ("lines-4", "clang-22", ["-gdwarf-4", *FOR_PROFILES]), ("gcc", "gcc-12", ["-g"]),
          ("gcc-4", "gcc-12", ["-gdwarf-4"]))
# Split DWARF in the object files: skeletons and units are in one file.
SINGLE_BUILDS = (("single", "clang-22", ["-g", "-gsplit-dwarf=single", *FOR_PROFILES]),
                 ("single-4", "clang-22", ["-gdwarf-4", "-gsplit-dwarf=single", *FOR_PROFILES]))
SPLIT_BUILDS = (("split", "clang-22", ["-g", "-gsplit-dwarf", *FOR_PROFILES], "llvm-dwp-22"),
                ("split-4", "clang-22", ["-gdwarf-4", "-gsplit-dwarf", *FOR_PROFILES], "llvm-dwp-22"),
                ("split-gcc-4", "gcc-12", ["-gdwarf-4", "-gsplit-dwarf"], "dwp"))


def do(where, *command):
    done = run([str(word) for word in command], cwd=where)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(map(str, command)), done.stderr[-300:]))
    return done.stdout.decode(errors="replace")


def build(where, compiler, flags):
    os.makedirs(where)
    for name, text in (("shared.h", HEADER), ("main.c", SOURCE), ("other.c", OTHER)):
        with open(os.path.join(where, name), "w", encoding="ascii") as f:
            f.write(text)
    for source, program in (("main", "program"), ("other", "other")):
        do(where, compiler, "-O2", *flags, "-c", source + ".c", "-o", source + ".o")
        do(where, compiler, "-no-pie", "-Wl,--build-id", source + ".o", "-o", program)


def build_id(where, file):
    return re.search(r"Build ID: ([0-9a-f]+)", do(where, "readelf", "-n", file))[1]


def write_text(where):
    """Branch stacks of a run, as the text of perf script."""
    do(where, _bolt.TRACER, "-P", "traced", "-d", "16", "-n", "11", "--", "./program")
    with open(os.path.join(where, "traced"), encoding="ascii") as f:
        stacks = [line.split()[1:] for line in f][:600]
    with open(os.path.join(where, "text"), "w", encoding="ascii") as f:
        for line in do(where, "readelf", "-lW", "program").splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in words[6:8]:
                offset, address, size = int(words[1], 16), int(words[2], 16), int(words[5], 16)
                pad = address & 4095
                f.write("PERF_RECORD_MMAP2 42/42: [0x%x(0x%x) @ %s 08:01 7 0]: r-xp /x/program\n"
                        % (address - pad, (size + pad + 4095) & ~4095, hex(offset - pad) if offset - pad else "0"))
        for stack in filter(None, stacks):
            entries = [[int(part, 16) for part in entry.split("/")[:2]] for entry in stack]
            f.write(" %x  %s\n" % (entries[0][1] or 1, "  ".join(
                "0x%x/0x%x/P/-/-/0" % (a or 0x7f0000001000, b or 0x7f0000002000) for a, b in entries)))


def profile(where, program, *options, tool=None):
    """(exit code, the profile, messages)"""
    out = os.path.join(where, "out")
    if os.path.exists(out):
        os.remove(out)
    done = run([*(tool or [ANYPROF, "profgen"]), "--binary=" + program, "--perfscript=text", "--format=text",
                "-o", "out", *options], cwd=where)
    data = b""
    if os.path.exists(out):
        with open(out, "rb") as f:
            data = f.read()
    return done.returncode, data, done.stderr.decode(errors="replace")


class Built:
    """A program, its debug files, and the profile that all ways to them must give."""

    def __init__(self, where, what):
        self.where, self.what = where, what
        write_text(where)
        code, self.whole, messages = profile(where, "program")
        check(code == 0 and self.whole.count(b"\n") > 12, "%s: no profile: %s" % (what, messages[-300:]))
        self.llvm = profile(where, "program", tool=["llvm-profgen-22"])[1]
        check(self.whole == self.llvm, "%s: llvm-profgen makes another profile" % what)

    def do(self, *command):
        return do(self.where, *command)

    def put(self, source, target):
        target = os.path.join(self.where, target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(self.where, source), target)

    def stripped(self, name, *command):
        """NAME/program, made by a command that ends with the program's path."""
        self.put("program", name + "/program")
        self.do(*command, name + "/program")
        return name + "/program"

    def same(self, how, program, *options, used=None):
        code, data, messages = profile(self.where, program, *options)
        count("profiles")
        check(code == 0 and data == self.whole, "%s: %s: exit code %d, %s" % (self.what, how, code, messages[-500:]))
        if used:
            check("debug information: " + used in messages or
                  "debug information: " + os.path.join(self.where, used) in messages,
                  "%s: %s: another debug file was used: %s" % (self.what, how, messages[-500:]))
        return messages

    def same_as_llvm(self, how, program, *options):
        self.same(how, program, *options)
        theirs = profile(self.where, program, *options, tool=["llvm-profgen-22"])[1]
        count("profiles of llvm-profgen")
        check(theirs == self.llvm, "%s: %s: llvm-profgen makes another profile" % (self.what, how))

    def fails(self, how, program, *options, says):
        code, data, messages = profile(self.where, program, *options)
        count("refusals")
        check(code == 1 and not data and says in messages, "%s: %s: exit code %d, %s, not %s"
              % (self.what, how, code, messages[-500:], says))


# ---- ways to a debug file ----


def make_debug_files(b):
    """{name: debug file}, and {name: stripped program}, one by each tool."""
    debug, programs = {"objcopy": "objcopy.debug"}, {}
    b.do("objcopy", "--only-keep-debug", "program", "objcopy.debug")
    programs["objcopy"] = b.stripped("objcopy", "objcopy", "--strip-all")
    programs["strip"] = b.stripped("strip", "strip", "--strip-all")
    programs["strip-debug"] = b.stripped("strip-debug", "objcopy", "--strip-debug")
    programs["llvm-strip"] = b.stripped("llvm-strip", "llvm-strip-22", "--strip-all")
    programs["without-probes"] = b.stripped("without", "objcopy", "--strip-all", "-R", ".pseudo_probe", "-R",
                                            ".pseudo_probe_desc")
    b.do("llvm-objcopy-22", "--only-keep-debug", "program", "llvm.debug")
    debug["llvm"] = "llvm.debug"
    for kind, tool in (("zlib", "objcopy"), ("zlib-gnu", "objcopy"), ("zstd", "llvm-objcopy-22")):
        debug[kind] = kind + ".debug"
        b.do(tool, "--compress-debug-sections=" + kind, "objcopy.debug", debug[kind])
    if shutil.which("eu-strip"):
        programs["eu-strip"] = b.stripped("eu", "eu-strip", "-f", "eu.debug")
        debug["eu-strip"] = "eu.debug"
    return debug, programs


def check_given(b, debug, programs):
    for name, program in programs.items():
        for kind, file in debug.items():
            b.same("%s, %s" % (name, kind), program, "--debug-binary=" + file, used=file)
    b.same("the program itself", "program", "--debug-binary=program")
    b.same("the program's own is as good", "program", "--debug-binary=objcopy.debug", used="objcopy.debug")
    b.same_as_llvm("--debug-binary", programs["strip-debug"], "--debug-binary=objcopy.debug")
    b.do("objcopy", "--only-keep-debug", "other", "other.debug")
    b.fails("another build", "objcopy/program", "--debug-binary=other.debug",
            says="error: other.debug: a debug file that is not of this program: its build id is ")
    b.fails("no file", "objcopy/program", "--debug-binary=absent", says="error: absent: No such file")


def check_lines(b):
    """Other commands find the lines of stripped programs in the same way."""
    program = b.stripped("lines", "objcopy", "--strip-debug", "--add-gnu-debuglink=objcopy.debug")
    b.put("objcopy.debug", "lines/objcopy.debug")
    addresses = re.findall(r"^([0-9a-f]+) T (?:main|leaf_function)$", b.do("nm", "program"), re.M)
    listing = ["disasm", "--show-source-locations"]
    for words, after, part in ((listing, [], "leaf_function:"), (["lookup"], ["0x" + a for a in addresses], "main.c:")):
        texts = [b.do(ANYPROF, "probes", *words, path, *after).replace(path, "") for path in ("program", program)]
        count("listings")
        check(part in texts[0] and texts[0] == texts[1], "%s: probes %s: other lines" % (b.what, words[0]))


def check_found(b):
    link = b.stripped("link", "objcopy", "--strip-all", "--add-gnu-debuglink=objcopy.debug")
    b.fails("nothing", link, says="no debug file was found (build id %s, link objcopy.debug, in its directory, "
            ".debug there, /usr/lib/debug)" % build_id(b.where, "program"))
    b.put("objcopy.debug", "link/.debug/objcopy.debug")
    b.same("a link to .debug/", link, used="link/.debug/objcopy.debug")
    b.put("objcopy.debug", "link/objcopy.debug")
    b.same("a link", link, used="link/objcopy.debug")
    os.symlink("link/program", os.path.join(b.where, "to-link"))
    b.same("a link of a program behind a link", "to-link", used="link/objcopy.debug")
    shutil.rmtree(os.path.join(b.where, "link", ".debug"))
    os.remove(os.path.join(b.where, "link", "objcopy.debug"))
    b.put("objcopy.debug", "global%s/link/objcopy.debug" % b.where)
    b.same("a link below a directory", link, "--debug-dir=global", used="global%s/link/objcopy.debug" % b.where)
    number = build_id(b.where, "program")
    in_ids = "ids/.build-id/%s/%s.debug" % (number[:2], number[2:])
    b.put("objcopy.debug", in_ids)
    b.same("a build id", "objcopy/program", "--debug-dir=none", "--debug-dir=ids", used=in_ids)
    check_lines(b)
    b.put("zlib.debug", "link/objcopy.debug")
    messages = b.same("a wrong CRC, then a build id", link, "--debug-dir=ids", used=in_ids)
    check("link/objcopy.debug: a debug file that is not of this program: its CRC is 0x" in messages,
          "%s: a wrong CRC is not told: %s" % (b.what, messages))
    return in_ids


def add_link(b, name, data):
    b.put("program", name + "/program")
    with open(os.path.join(b.where, "section"), "wb") as f:
        f.write(data)
    b.do("objcopy", "--strip-all", "-R", ".pseudo_probe", "-R", ".pseudo_probe_desc",
         "--add-section=.gnu_debuglink=section", name + "/program")
    return name + "/program"


def check_hostile(b, in_ids):
    for name, link in (("self", b"program"), ("up", b"../objcopy.debug"), ("dot", b"."), ("dots", b".."),
                       ("absolute", os.path.join(b.where, "objcopy.debug").encode()), ("fifo", b"pipe")):
        program = add_link(b, "hostile-" + name, link + bytes(8 - len(link) % 4))
        if name == "fifo":
            os.mkfifo(os.path.join(b.where, "hostile-fifo", "pipe"))
        b.fails("a link: " + name, program, says="no debug file was found")
    for name, section in (("empty", b""), ("no-end", b"abc"), ("no-crc", b"abc\0"), ("long", b"a" * 5000 + bytes(8))):
        b.fails("a link: " + name, add_link(b, "hostile-" + name, section), says="no debug file was found")
    b.do("objcopy", "--only-keep-debug", "other", "other.debug")
    b.put("other.debug", "wrong/" + in_ids)
    b.fails("a wrong build id", "without/program", "--debug-dir=wrong/ids", says="no debug file was found")
    with open(os.path.join(b.where, "objcopy.debug"), "rb") as f:
        data = f.read()
    chance = random.Random(b.what)
    for i in range(60):
        damaged = bytearray(data)
        if i % 2:
            del damaged[chance.randrange(len(data)):]
        else:
            for _ in range(chance.randrange(1, 40)):
                damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        with open(os.path.join(b.where, "damaged"), "wb") as f:
            f.write(damaged)
        code, _, messages = profile(b.where, "without/program", "--debug-binary=damaged")
        count("damaged files")
        check(code in (0, 1), "%s: damaged file %d: exit code %d, %s" % (b.what, i, code, messages[-300:]))


# ---- dwz ----


def check_dwz(b, flags):
    """dwz with one file, and with a file that two share, which is found by its path or its build id."""
    b.put("program", "dwz/program")
    if run(["dwz", "dwz/program"], cwd=b.where).returncode != 0: # it does not know .debug_addr
        count("not for dwz")
        return
    b.same("dwz", "dwz/program")
    for name, more in (("shared", []), ("shared-5", ["-5"])):
        files = [name + ".debug", name + "-other.debug"]
        b.do("objcopy", "--only-keep-debug", "program", files[0])
        b.do("objcopy", "--only-keep-debug", "other", files[1])
        b.do("dwz", *more, "-m", name, "-r", *files)
        how = "dwz %s" % more
        given = "--debug-binary=" + files[0]
        b.same(how, "objcopy/program", given)
        with open(os.path.join(b.where, name), "rb") as f:
            data = f.read()
        os.rename(os.path.join(b.where, name), os.path.join(b.where, "moved"))
        messages = profile(b.where, "objcopy/program", given)[2]
        check("warning: %s: not supported: dwz has moved" % name in messages, "%s: %s: %s" % (b.what, how, messages))
        number = re.search(r"build id ([0-9a-f]+)", messages)[1]
        b.put("moved", "%s-ids/.build-id/%s/%s.debug" % (name, number[:2], number[2:]))
        b.same(how + " by build id", "objcopy/program", given, "--debug-dir=%s-ids" % name)
        os.symlink(files[0], os.path.join(b.where, name)) # in a circle
        code, _, messages = profile(b.where, "objcopy/program", given)
        check(code in (0, 1) and "dwz has moved" in messages, "%s: %s: circle: %d" % (b.what, how, code))
        chance = random.Random(name)
        os.remove(os.path.join(b.where, name))
        for _ in range(30):
            damaged = bytearray(data)
            for _ in range(chance.randrange(1, 20)):
                damaged[chance.randrange(64, len(data))] ^= 1 << chance.randrange(8)
            with open(os.path.join(b.where, name), "wb") as f:
                f.write(damaged)
            code, _, messages = profile(b.where, "objcopy/program", given)
            count("damaged files")
            check(code in (0, 1), "%s: %s: damaged: exit code %d, %s" % (b.what, how, code, messages[-300:]))
        os.remove(os.path.join(b.where, name))


# ---- split DWARF ----


def check_split(b, tool):
    b.do("objcopy", "--only-keep-debug", "program", "objcopy.debug")
    b.stripped("objcopy", "objcopy", "--strip-all")
    b.stripped("strip-debug", "objcopy", "--strip-debug")
    given = "--debug-binary=objcopy.debug"
    b.same(".dwo", "objcopy/program", given)
    b.do(tool, "-e", "program", "-o", "package")
    os.rename(os.path.join(b.where, "main.dwo"), os.path.join(b.where, "moved"))
    code, _, messages = profile(b.where, "objcopy/program", given)
    check("main.dwo: not supported: split debug information was not found" in messages,
          "%s: no .dwo: %d: %s" % (b.what, code, messages))
    b.same_as_llvm("--dwp", "program", "--dwp=package")
    b.same_as_llvm("--dwp and --debug-binary", "strip-debug/program", given, "--dwp=package")
    b.same("--dwp of a stripped program", "objcopy/program", given, "--dwp=package")
    b.fails("no package", "program", "--dwp=absent", says="error: absent: No such file")
    b.fails("not a package", "program", "--dwp=text", says="error: text: ")
    b.fails("a package of nothing", "program", "--dwp=program", says="error: program: ")
    b.put("package", "program.dwp")
    b.same("PROGRAM.dwp", "program")
    os.remove(os.path.join(b.where, "program.dwp"))
    b.put("package", "objcopy/program.dwp")
    b.same("PROGRAM.dwp of a stripped program", "objcopy/program", given)
    os.remove(os.path.join(b.where, "objcopy/program.dwp"))
    b.put("package", "objcopy.debug.dwp")
    b.same("DEBUGFILE.dwp", "objcopy/program", given)


def main():
    why = _bolt.can_trace()
    needed = ("clang-22", "llvm-profgen-22", "llvm-objcopy-22", "llvm-strip-22", "objcopy", "readelf")
    missing = [name for name in needed if not shutil.which(name)]
    if why or missing:
        print("skipped: %s" % (why or "needs " + ", ".join(missing)))
        return 77
    with tempfile.TemporaryDirectory() as where:
        where = os.path.realpath(where)
        for name, compiler, flags in BUILDS:
            if not shutil.which(compiler):
                count("compilers that are not there")
                continue
            build(os.path.join(where, name), compiler, flags)
            b = Built(os.path.join(where, name), name)
            check_given(b, *make_debug_files(b))
            check_hostile(b, check_found(b))
            if shutil.which("dwz"):
                check_dwz(b, flags)
            else:
                count("without dwz")
        for name, compiler, flags in SINGLE_BUILDS:
            build(os.path.join(where, name), compiler, flags)
            Built(os.path.join(where, name), name)
            count("profiles")
        for name, compiler, flags, tool in SPLIT_BUILDS:
            if not shutil.which(compiler) or not shutil.which(tool):
                count("compilers that are not there")
                continue
            build(os.path.join(where, name), compiler, flags)
            check_split(Built(os.path.join(where, name), name), tool)
    print(", ".join("%d %s" % (n, what) for what, n in tally.counts.items()))
    check(tally.counts.get("profiles", 0) >= 60, "too little was compared")
    return 1 if tally.failures else 0


sys.exit(main())
