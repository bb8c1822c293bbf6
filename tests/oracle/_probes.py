# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pseudo probes in real programs: programs to build, what llvm-profgen prints of them, sections of ELF files, and
sections made from the JSON of `probes list` and `probes desc`. Nothing here is code of anyprof."""

import os
import re
import shutil
import struct
import subprocess

ANYPROF = os.environ.get("ANYPROF", "anyprof")
BUILD = os.environ.get("ANYPROF_BUILD_DIR", ".")
VERSIONS = (13, 14, 15, 16, 19, 22)

C_SOURCE = r"""
typedef int (*fn)(int);
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
static inline int mid(int x) { if (x & 1) return leaf(x); return x + 2; }
int top(int n, fn f) { int s = 0;
    for (int i = 0; i < n; i++) { s += mid(i); if (i % 7 == 3) s += f(i); } return s; }
int fact(int n) { return n < 2 ? 1 : n * fact(n - 1) + mid(n); }
__attribute__((noinline)) int even(int n);
__attribute__((noinline)) int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) int tail(int x, fn f) { if (x > 9) return f(x); return leaf(x + 1); }
int pick(int x) { switch (x & 7) { case 0: return leaf(x); case 1: return tail(x, leaf);
    case 2: return mid(x) + mid(x + 1); case 3: return fact(x); case 5: return odd(x); default: return x; } }
__attribute__((cold, noinline)) void complain(int x) { static volatile int seen; seen = x; }
int work(int x) { if (__builtin_expect(x < 0, 0)) { complain(x); complain(leaf(x)); complain(mid(x) + 7);
    complain(x * 2); return -1; } return pick(x) + top(x, tail == 0 ? leaf : fact); }
static int unused_here(int x) { return x + leaf(x); }
int dead(int x) { return unused_here(x) + work(x); }
int main(int argc, char **argv) { (void)argv; int s = 0; for (int i = 0; i < argc * 50; i++) s += work(i - 1);
    return (s + top(argc * 10, leaf)) & 1; }
"""
CPP_SOURCE = r"""
#include "both.h"
template <typename T> struct list { T items[8]; int n = 0; void add(T v) { if (n < 8) items[n++] = v; }
    T sum() const { T s{}; for (int i = 0; i < n; i++) s += items[i]; return s; } };
namespace { int local(int x) { return x > 3 ? shared(x) : shared(x) * 2; } }
struct base { virtual ~base() {} virtual int run(int x) { return shared(x); } };
struct derived : base { int run(int x) override { return local(x) + biggest(x, 4); } };
__attribute__((noinline)) int thrower(int x) { if (x > 40) throw x; return biggest(x, 2); }
int use(int x) { list<int> l; for (int i = 0; i < x; i++) l.add(shared(i)); derived d; base *b = &d;
    auto f = [&](int y) { return y % 3 ? l.sum() : b->run(y); };
    try { return f(x) + thrower(x) + biggest(1.5, 2.5 + x); } catch (int y) { return y; } }
int other(int);
int main(int argc, char **) { int s = 0; for (int i = 0; i < argc * 20; i++) s += use(i) + other(i); return s & 1; }
"""
CPP_OTHER = r"""
#include "both.h"
int other(int x) { return shared(x + 1) + biggest(x, 3); }
"""
# Where main is the last function of .text and ends in a call, llvm-profgen takes calls of _init for returns to it.
CPP_LAST = r"""
__attribute__((used)) int last(int x) { return x; }
"""
CPP_HEADER = r"""
template <typename T> __attribute__((noinline)) T biggest(T a, T b) { return a > b ? a : b; }
inline __attribute__((noinline)) int shared(int x) { int s = 0; for (int i = 0; i < x; i++) s += i ^ x; return s; }
"""
COROUTINES = r"""
#include <coroutine>
struct task { struct promise_type { int value = 0; task get_return_object() {
        return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; } std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {} void unhandled_exception() {} };
    std::coroutine_handle<promise_type> h; };
__attribute__((noinline)) int step(int x) { return x * 5 % 17; }
task f(int n) { for (int i = 0; i < n; i++) { if (i % 3 == 1) co_yield step(i); else co_yield i; } }
int main(int argc, char **) { task t = f(argc * 9); int s = 0;
    while (!t.h.done()) { t.h.resume(); s += t.h.promise().value; }
    t.h.destroy(); return s & 1; }
"""


class Program:
    """How to build one; `objects` are kept, too."""

    def __init__(self, name, sources, flags, link=(), first=0, freestanding=False):
        self.name, self.sources, self.flags, self.link = name, sources, flags, link
        self.first, self.freestanding = first, freestanding


C = (("main.c", C_SOURCE),)
CPP = (("use.cpp", CPP_SOURCE), ("other.cpp", CPP_OTHER))
CPP_WITH_LAST = (*CPP, ("last.cpp", CPP_LAST))
SPLIT = ["-mllvm", "-hot-cold-split=true", "-mllvm", "-hotcoldsplit-threshold=0"]
PROGRAMS = (
    Program("c", C, ["-O2", "-g"]),
    Program("c-bfd", C, ["-O2", "-g"], ["bfd"]),
    Program("c-sections-gc", C, ["-O2", "-g", "-ffunction-sections"], ["-Wl,--gc-sections"]),
    Program("c-sections-gc-bfd", C, ["-O2", "-g", "-ffunction-sections"], ["bfd", "-Wl,--gc-sections"]),
    Program("c-sections", C, ["-O3", "-g", "-ffunction-sections"]),
    Program("c-no-g", C, ["-O2"]),
    Program("c-traps", C, ["-O2", "-g", "-fsanitize=signed-integer-overflow", "-fsanitize-trap=all"]),
    Program("c-pie", C, ["-O2", "-g", "-fPIE"], ["pie"]),
    Program("c-shared", C, ["-O2", "-g", "-fPIC"], ["-shared"]),
    Program("c-split", C, ["-O2", "-g"] + SPLIT),
    Program("c-discriminators", C, ["-O3", "-g", "-mllvm", "-enable-fs-discriminator=true"], first=17),
    Program("c-i386", C, ["-O2", "-g", "-m32", "-ffreestanding"], freestanding=True),
    Program("c-mips64", C, ["-O2", "-g", "--target=mips64-linux-gnu", "-ffreestanding"], ["objects"]),
    Program("c-mips", C, ["-O2", "-g", "--target=mips-linux-gnu", "-ffunction-sections"], ["objects"]),
    Program("c-mips64el", C, ["-O2", "-g", "--target=mips64el-linux-gnu", "-ffreestanding"], ["objects"]),
    Program("c-thumb", C, ["-O2", "-g", "--target=thumbv7em-none-eabi"], ["objects"]),
    Program("c-thumb-sections", C, ["-O2", "-g", "--target=thumbv6m-none-eabi", "-ffunction-sections"], ["objects"]),
    Program("c-aarch64", C, ["-O2", "-g", "--target=aarch64-linux-gnu", "-ffreestanding"], freestanding=True),
    Program("cpp", CPP, ["-O2", "-g"]),
    Program("cpp-sections-gc", CPP, ["-O2", "-g", "-ffunction-sections"], ["-Wl,--gc-sections"]),
    Program("cpp-bfd", CPP, ["-O1", "-g"], ["bfd"]),
    Program("coroutines", (("coro.cpp", COROUTINES),), ["-O2", "-g", "-std=c++20"], first=16),
    Program("thin-lto", CPP, ["-O2", "-g", "-flto=thin"], first=22),
    Program("lto", CPP_WITH_LAST, ["-O2", "-g", "-flto"], first=22),
    Program("lto-pie", CPP_WITH_LAST, ["-O3", "-g", "-flto", "-fPIE"], ["pie"], first=22),
)


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False, **more)


def linker_of(version):
    for name in ("ld.lld-%d" % version, "ld.lld-22", "ld.lld"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def build(program, version, where):
    """(objects, the program, or None if it is not to be linked), or a text that says why not."""
    os.makedirs(where)
    with open(os.path.join(where, "both.h"), "w", encoding="utf-8") as f:
        f.write(CPP_HEADER)
    objects = []
    for name, text in program.sources:
        path = os.path.join(where, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        compiler = "clang%s-%d" % ("++" if name.endswith("pp") else "", version)
        objects.append(os.path.join(where, name.split(".")[0] + ".o"))
        command = [compiler, "-w", "-fpseudo-probe-for-profiling"] + program.flags + ["-c", path, "-o", objects[-1]]
        done = run(command)
        if done.returncode != 0:
            return "%s: %s" % (" ".join(command), done.stderr.decode(errors="replace").strip()[-200:])
    if "objects" in program.link:
        return objects, None
    out = os.path.join(where, "program")
    lld = linker_of(version)
    if program.freestanding:
        command = [lld, "-e", "main"] + objects + ["-o", out]
    else:
        flags = [f for f in program.link if f.startswith("-")]
        command = ["clang++-%d" % version] + objects + ["-o", out] + flags
        if "-shared" not in program.link:
            command += ["-pie"] if "pie" in program.link else ["-no-pie"]
        command += ["-fuse-ld=bfd"] if "bfd" in program.link else ["--ld-path=" + lld]
        command += [f for f in program.flags if f.startswith("-flto")]
    done = run(command) if lld else None
    if not done or done.returncode != 0:
        return "%s: %s" % (" ".join(command), done.stderr.decode(errors="replace").strip()[-200:] if done else "no lld")
    return [] if any(f.startswith("-flto") for f in program.flags) else objects, out


# --- llvm-profgen -----------------------------------------------------------------------------------------------

PROBE = re.compile(rb"^ \[Probe\]:\tFUNC: (\S*) Index: (\d+)  (?:Discriminator: (\d+)  )?Type: (\w+)  "
                   rb"(?:Inlined: (@ .*))?$")
LINE = re.compile(rb"^ *([0-9a-f]+):\t")


def profgen(version, path):
    """(set of (address, function, index, discriminator, type, context), addresses of instructions), or None if it
    crashed or refused."""
    done = run(["llvm-profgen-%d" % version, "--binary=" + path, "--show-disassembly-only", "--show-pseudo-probe",
                "-o", "/dev/null"])
    if done.returncode != 0:
        return None
    probes, addresses, waiting = [], set(), []
    for line in done.stdout.splitlines():
        m = PROBE.match(line.rstrip(b" ") + (b"" if line.rstrip(b" ").endswith(b"@") or b"Inlined" in line else b"  "))
        if m:
            waiting.append((m[1], int(m[2]), int(m[3] or 0), m[4], (m[5] or b"").strip()))
            continue
        m = LINE.match(line)
        if m:
            address = int(m[1], 16)
            addresses.add(address)
            probes += [(address,) + p for p in waiting]
            waiting = []
    return sorted(probes), addresses


def descriptors_of_profgen(version, path):
    done = run(["llvm-profgen-%d" % version, "--binary=" + path, "--show-disassembly-only", "--show-pseudo-probe",
                "-o", "/dev/null"])
    found = re.findall(rb"^GUID: (\d+) Name: (.*)\nHash: (\d+)$", done.stdout, re.M)
    return sorted((int(g), n, int(h)) for g, n, h in found)


# --- ELF --------------------------------------------------------------------------------------------------------


def elf_sections(path):
    """{number: (name, bytes)}"""
    with open(path, "rb") as f:
        data = f.read()
    wide, order = data[4] == 2, "<>"[data[5] - 1]
    at = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    size, n, names = struct.unpack_from(order + "HHH", data, 58 if wide else 46)
    rows = []
    for i in range(n):
        if wide:
            name, kind, _, _, offset, length = struct.unpack_from(order + "IIQQQQ", data, at + i * size)
        else:
            name, kind, _, _, offset, length = struct.unpack_from(order + "IIIIII", data, at + i * size)
        rows.append((name, b"" if kind == 8 else data[offset : offset + length]))
    strings = rows[names][1]
    return {i: (strings[name:].split(b"\0")[0].decode(), text) for i, (name, text) in enumerate(rows)}


# --- sections from JSON -----------------------------------------------------------------------------------------


def uleb(v, width=0):
    out = bytearray()
    while True:
        out.append(v & 0x7F | (0x80 if v >> 7 else 0))
        v >>= 7
        if not v:
            break
    while len(out) < width:
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def sleb(v, width=0):
    out = bytearray()
    while True:
        byte = v & 0x7F
        v >>= 7
        last = (v == 0 and not byte & 0x40) or (v == -1 and byte & 0x40)
        out.append(byte | (0 if last else 0x80))
        if last:
            break
    while len(out) < width:
        out[-1] |= 0x80
        out.append(0x7F if v < 0 else 0)
    return bytes(out)


TYPES = {"block": 0, "indirect_call": 1, "direct_call": 2}


class Writer:
    def __init__(self, doc, section):
        self.out = bytearray()
        self.order = ">" if doc["file"]["big_endian"] else "<"
        self.literal_bytes = doc["file"]["literal_bytes"]
        self.widths = {p["offset"]: p["bytes"] for p in doc["padded"] if p["section"] == section}

    def uleb(self, v):
        self.out += uleb(v, self.widths.get(len(self.out), 0))

    def sleb(self, v):
        self.out += sleb(v, self.widths.get(len(self.out), 0))

    def u64(self, v):
        self.out += struct.pack(self.order + "Q", v)


def from_json(text):
    return text.encode("utf-8", "surrogateescape")


def descriptor_sections(doc):
    """{number: bytes} from the JSON of `probes desc`."""
    result = {}
    for s in doc["sections"]:
        w = Writer(doc, s["section"])
        for d in sorted((d for d in doc["descriptors"] if d["section"] == s["section"]), key=lambda d: d["offset"]):
            w.u64(int(d["guid"], 16))
            w.u64(int(d["hash"], 16))
            name = from_json(d["function"])
            w.uleb(len(name))
            w.out += name
        result[s["section"]] = bytes(w.out)
    return result


def put_probe(w, p):
    kind = TYPES.get(p["type"], p["type"])
    literal = p["distance"] is None
    w.uleb(p["id"])
    w.out.append(kind | p["attributes"] << 4 | (0 if literal else 0x80))
    if literal:
        v = int(p["guid"] if "guid" in p else p["address"], 16)
        w.out += struct.pack("<Q", v)[: 8 if "guid" in p else w.literal_bytes]
    else:
        w.sleb(p["distance"])
    if p["attributes"] & 4:
        w.uleb(p["discriminator"])


def probe_sections(doc):
    """{number: bytes} from the JSON of `probes list`."""
    probes = sorted(doc["probes"], key=lambda p: p["probe"])
    by_node, sentinels = {}, {}
    for p in probes:
        by_node.setdefault(p["node"], []).append(p)
    for s in doc["sentinels"]:
        sentinels.setdefault(s["node"], []).append(s)
    result = {s["section"]: Writer(doc, s["section"]) for s in doc["sections"]}
    for node in doc["nodes"]:
        w = result[node["section"]]
        own, marks = by_node.get(node["node"], []), sentinels.get(node["node"], [])
        if node["parent"] is not None:
            w.uleb(node["call_probe"])
        w.u64(int(node["guid"], 16))
        w.uleb(len(own) + len(marks))
        w.uleb(node["children"])
        for p in own:
            while marks and marks[0]["before_probe"] <= p["probe"]:
                put_probe(w, marks.pop(0))
            put_probe(w, p)
        for s in marks:
            put_probe(w, s)
    return {k: bytes(w.out) for k, w in result.items()}
