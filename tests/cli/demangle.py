#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of C++ and Rust as in the source code: --demangle, and functions that are named so."""

import hashlib
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from _cov import expect, run, run_tests, says  # noqa: E402

# Symbols, and what they are in the source code.
NAMES = {
    "main": "main",
    "_ZN2ns5Class6methodEi": "ns::Class::method(int)",
    "_ZN2ns5Class6methodEc": "ns::Class::method(char)",
    "_ZN2ns5ClassC1Ev": "ns::Class::Class()",
    "_ZN2ns5ClassC2Ev": "ns::Class::Class()",
    "_ZNK2ns5Class4sizeEv": "ns::Class::size() const",
    "_ZN2ns5ClasscvbEv": "ns::Class::operator bool()",
    "_ZNK2ns5ClassclEii": "ns::Class::operator()(int, int) const",
    "_ZN2nslsERSoRKNS_5ClassE": "ns::operator<<(std::ostream&, ns::Class const&)",
    "_Z7largestIiET_S0_S0_": "int largest<int>(int, int)",
    "_ZN3BoxISt6vectorIiSaIiEEE3putEOS2_": "Box<std::vector<int, std::allocator<int> > >::put(std::vector<int, "
                                           "std::allocator<int> >&&)",
    "_ZN12_GLOBAL__N_16hiddenEv": "(anonymous namespace)::hidden()",
    "_ZZ4callvENKUlvE_clEv": "call()::{lambda()#1}::operator()() const",
    "a.cpp;_ZL5localv": "a.cpp;local()",
    "c.cpp:_ZL5earlyv": "c.cpp:early()",
    "d.cpp:_ZL4bothv": "d.cpp:both()",
    "d.cpp;_ZL4bothv": "d.cpp;both()",
    "r.1.cgu.0;_RNvXCs1234_7mycrateNtB2_5OtherNtB2_5Trait3run": "r.1.cgu.0;<mycrate::Other as mycrate::Trait>::run",
    "_ZL6boltedv/1": "bolted()/1",
    "_ZL6boltedv/d/e.cpp/2": "bolted()/d/e.cpp/2",
    "dir/b.cpp;_ZL5otherv": "dir/b.cpp;other()",
    "_ZN2ns4coldEv.cold": "ns::cold() [clone .cold]",
    "_ZN2ns4partEv.part.0": "ns::part() [clone .part.0]",
    "_ZN2ns4thinEv.llvm.1234": "ns::thin() [clone .llvm.1234]",
    "_ZL6uniquev.__uniq.331462858953374216696338578510248294164":
        "unique() [clone .__uniq.331462858953374216696338578510248294164]",
    "__ZN3mac4nameEv": "mac::name()",
    "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE": "core::fmt::Formatter::write_str",
    "_ZN49_$LT$app..Thing$u20$as$u20$core..fmt..Display$GT$3fmt17hfedcba9876543210E":
        "<app::Thing as core::fmt::Display>::fmt",
    "_ZN3app4work17h0123456789abcdefE.llvm.77": "app::work [clone .llvm.77]",
    "_RNvCs1234_7mycrate3foo": "mycrate::foo",
    "_RINvCs1234_7mycrate7genericlE": "mycrate::generic::<i32>",
    "_RNvXCs1234_7mycrateNtB2_5ThingNtB2_5Trait3run": "<mycrate::Thing as mycrate::Trait>::run",
    "_RNCNvCs1234_7mycrate3foo0B3_": "mycrate::foo::{closure#0}",
    "_RNvC03foo": "::foo",
    "_Z5aboveILi3EE1AIXgtT_Li0EEEv": "A<((3)>(0))> above<3>()",
    "_RNvCs1234_7mycrate3bar.llvm.9": "mycrate::bar [clone .llvm.9]",
    "_ZN" + "3abc" * 900 + "Ev": "::".join(["abc"] * 900) + "()",
}
# Names of neither, or that are broken.
PLAIN = ["plain_c", "_Z", "__Z", "_R", "_ZN3foo", "_Z3fo", "_RNvC", "_RNvCs1234_7mycrate3fo", "Z3foov", "?f@@YAXXZ",
         "-[Foo bar:]", "_ZN3foo17h0123E", "a.c;", "_Z1fi\x1b[31m"]


def text(names, count=1):
    return ":ir\n" + "".join("%s\n1\n1\n%d\n\n" % (name, count) for name in names)


def write(where, name, content):
    with open(os.path.join(where, name), "w", encoding="utf-8") as file:
        file.write(content)


def functions(done):
    """The names that show, lookup and their like print."""
    return [line[2:-1] for line in done.stdout.decode().split("\n")
            if line.startswith("  ") and not line.startswith("   ") and line.endswith(":")]


def test_names(where):
    write(where, "p", text(list(NAMES) + PLAIN))
    shown = run(where, "show", "--all-functions", "--demangle", "p")
    expect("no message", shown.stderr, b"")
    names = {**NAMES, **{name: name for name in PLAIN}}
    expect("how many", len(functions(shown)), len(names))
    for name, got in zip(names, functions(shown)):
        expect(name, got, names[name])
    for words in ([], ["--no-demangle"], ["--demangle", "--no-demangle"]):
        plain = run(where, "show", "--all-functions", *words, "p")
        expect("plain %s" % words, functions(plain), list(NAMES) + PLAIN)
    expect("the last one counts", run(where, "show", "--all-functions", "--no-demangle", "--demangle", "p").stdout,
           shown.stdout)
    expect("text stays text", run(where, "show", "--all-functions", "--demangle", "--text", "p").stdout,
           run(where, "show", "--all-functions", "--text", "p").stdout)
    expect("under LLVM's name", run(where, "show", "--all-functions", "--demangle", "p", name="llvm-profdata").stdout,
           shown.stdout)


def substitution(number):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if number == 0:
        return "S_"
    number, name = number - 1, ""
    while True:
        name, number = digits[number % 36] + name, number // 36
        if not number:
            return "S" + name + "_"


def doubled(depth, kind):
    """A type that is made of the one before, twice, and so on."""
    name = "_Z1f1AIiiE"
    for i in range(depth):
        inner = substitution(2 * i + 1)
        name += "1%sI%s%sE" % (chr(ord("B") + i % 24), inner, inner)
    return name + kind + substitution(2 * depth + 1)


def tuples(depth):
    """A type of Rust that is made of the one before, three times."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name, last = "_RINvC1a1b", None
    for _ in range(depth):
        at = len(name) - 2
        if last is None:
            name += "TlllE"
        else:
            number, back = last - 1, ""
            while True:
                back, number = digits[number % 62] + back, number // 62
                if not number:
                    break
            name += "T" + ("B%s_" % back) * 3 + "E"
        last = at
    return name + "E"


HOSTILE = {
    "long in C++": "_Z1f" + "P" * 100000 + "i",
    "long in Rust": "_R" + "Nv" * 50000 + "C1a1b",
    "long with an end": "_ZN" + "1a" * 50000 + "17h0123456789abcdefE",
    "deep in Rust": "_RINvC1a1b" + "R" * 15000 + "lE",
    "exponential": doubled(60, ""),
    "exponential, packs": doubled(60, "Dp"),
    "exponential in Rust": tuples(60),
    "lifetimes": "_RNvMIC1aFGzzzzzzzzz_EuEu1f",
    "lifetimes, of a crate": "_RNvC1a1fIC1aFGzzzzzzzzz_EuE",
    "lifetimes, of a path": "_RNvMIC1aFGzzzzzzzzz_EuE1b1f",
    "lifetimes and Punycode": "_RNvMIC1aFGzzzzzzzzz_EuE1bu5f_abc",
    "large parts": "_ZN999999999999999999999a",
    "Punycode": "_RNvC1au900000_" + "a" * 100,
    "many templates and references": "_Z1f" + "1AIiE" * 100 + "RT_" * 160,
    "local names in local names": "_Z" + "ZN1a1fEvEN" * 90 + "1b" + "E" * 90,
}


def test_hostile(where):
    """Names that are meant to take all memory, the stack or time; they stay as they are."""
    write(where, "p", text(HOSTILE.values()))
    shown = run(where, "show", "--all-functions", "--demangle", "p")
    expect("hostile", (shown.returncode, len(functions(shown))), (0, len(HOSTILE)))
    for (what, name), got in zip(HOSTILE.items(), functions(shown)):
        expect(f"hostile: {what}", got == name, True)
    says("long ones", shown, 0, "names that are too long to demangle are shown as they are: of C++ with more than ")
    slow = ["_ZcvT_" + "IT_" * n + "Ii" + "E" * (n + 1) for n in range(60, 90)] # each part is read twice
    write(where, "q", text(slow + ["_Z1fv"]))
    shown = run(where, "show", "--all-functions", "--demangle", "q")
    expect("slow", (shown.returncode, functions(shown)), (0, slow + ["_Z1fv"]))
    says("some are given up", shown, 0,
         "names that took too long to demangle are shown as they are: 16; and all that followed")
    long = ["_Z7f%06d1AIiiE" % n + "".join("S_IS%d_S%d_E" % (k, k) for k in range(9)) for n in range(500)]
    write(where, "t", text(long + ["_Z1fv"]))
    shown = run(where, "show", "--all-functions", "--demangle", "t")
    expect("the first of many: 8 KB for 90 bytes", functions(shown)[0] != long[0], True)
    expect("the last of many", functions(shown)[-1], "_Z1fv")
    says("all that followed", shown, 0, "demangling was given up: ")
    write(where, "r", text(slow[:1] + ["_Z1fv"]))
    shown = run(where, "show", "--all-functions", "--demangle", "r")
    expect("the next one", functions(shown), slow[:1] + ["f()"])
    says("one is given up", shown, 0, "names that took too long to demangle are shown as they are: 1\n")


TOO_LONG = b"names that are too long to demangle are shown as they are: of C++ with more than 4096 bytes, of Rust " \
           b"with more than 16384 or with thousands of lifetimes, or of more than 32768 as in the source code\n"


def test_long(where):
    """Names at the bounds, and beyond: one warning for a command, whatever looks at how many names how often."""
    longest, longer = ("_ZN" + "3abc" * 1000 + "%d" % n + "a" * n + "Ev" for n in (87, 88))
    expect("the bound", (len(longest), len(longer)), (4094, 4095))
    longest, longer = longest.replace("_ZN", "_ZN2xy"), longer.replace("_ZN", "_ZN2xy")
    expect("beyond the bound", (len(longest), len(longer)), (4097, 4098))
    within = "_ZN" + "3abc" * 1000 + "87" + "a" * 87 + "Eii"
    rust = "_R" + "Nv" * 9000 + "C1a" + "1b" * 9000
    write(where, "p", text([within, "_Z1fv"]))
    shown = run(where, "show", "--all-functions", "--demangle", "p")
    expect("within", (functions(shown)[0][:10], shown.stderr), ("abc::abc::", b""))
    for names in ([longest], [longest, longer], [rust], [rust, longer, longest, within]):
        write(where, "q", text([*names, "_Z1fv"]))
        shown = run(where, "show", "--all-functions", "--demangle", "q")
        got = [name for name in functions(shown) if not name.startswith("abc::")]
        expect("they stay", got, [name for name in names if name != within] + ["f()"])
        expect("one warning", shown.stderr, b"warning: " + TOO_LONG)
        for words in (["lookup", "q", "ns::none"], ["lookup", "--demangle", "q", "ns::none"],
                      ["diff", "--demangle", "q", "p"], ["diff", "--markdown", "q", "p"],
                      ["overlap", "--function=ns::none", "q", "q"], ["report", "q", "--markdown"]):
            expect(f"one warning of {words[0]}", run(where, *words).stderr.count(TOO_LONG), 1)
    expect("none without need", run(where, "show", "--all-functions", "q").stderr, b"")


# What lookup is asked for, and what it finds.
FOUND = [
    (["ns::Class::method(int)"], ["_ZN2ns5Class6methodEi"]),
    (["Class::method(char)"], ["_ZN2ns5Class6methodEc"]),
    (["--demangle", "method(int)"], ["ns::Class::method(int)"]),
    (["ns::Class::size"], ["_ZNK2ns5Class4sizeEv"]),
    (["ns::Class::size() const"], ["_ZNK2ns5Class4sizeEv"]),
    (["--demangle", "size"], ["ns::Class::size() const"]),
    (["ns::Class::operator bool"], ["_ZN2ns5ClasscvbEv"]),
    (["Class::operator()"], ["_ZNK2ns5ClassclEii"]),
    (["Class::operator()(int,int)"], ["_ZNK2ns5ClassclEii"]),
    (["ns::operator<<"], ["_ZN2nslsERSoRKNS_5ClassE"]),
    (["ns::Class::Class"], ["_ZN2ns5ClassC1Ev", "_ZN2ns5ClassC2Ev"]),
    (["largest<int>"], ["_Z7largestIiET_S0_S0_"]),
    (["largest<int>(int, int)"], ["_Z7largestIiET_S0_S0_"]),
    (["int largest<int>(int, int)"], ["_Z7largestIiET_S0_S0_"]),
    (["--no-demangle", "largest(int, int)"], ["_Z7largestIiET_S0_S0_"]),
    (["above<3>()"], ["_Z5aboveILi3EE1AIXgtT_Li0EEEv"]), # with an operator in its type
    (["Box::put"], ["_ZN3BoxISt6vectorIiSaIiEEE3putEOS2_"]),
    (["(anonymous namespace)::hidden"], ["_ZN12_GLOBAL__N_16hiddenEv"]),
    (["{lambda()#1}::operator()"], ["_ZZ4callvENKUlvE_clEv"]),
    (["local()"], ["a.cpp;_ZL5localv"]),
    (["--demangle", "local"], ["a.cpp;local()"]),
    (["a.cpp:local()"], ["a.cpp;_ZL5localv"]),
    (["early()"], ["c.cpp:_ZL5earlyv"]),
    (["--demangle", "early"], ["c.cpp:early()"]),
    (["c.cpp;early()"], ["c.cpp:_ZL5earlyv"]),
    (["both()"], ["d.cpp:_ZL4bothv", "d.cpp;_ZL4bothv"]),
    (["d.cpp:both()"], ["d.cpp:_ZL4bothv", "d.cpp;_ZL4bothv"]),
    (["Other::run"], ["r.1.cgu.0;_RNvXCs1234_7mycrateNtB2_5OtherNtB2_5Trait3run"]),
    (["r.1.cgu.0:<mycrate::Other as mycrate::Trait>::run"],
     ["r.1.cgu.0;_RNvXCs1234_7mycrateNtB2_5OtherNtB2_5Trait3run"]),
    (["dir/b.cpp;other()"], ["dir/b.cpp;_ZL5otherv"]),
    (["ns::thin"], ["_ZN2ns4thinEv.llvm.1234"]),
    (["mac::name()"], ["__ZN3mac4nameEv"]),
    (["Formatter::write_str"], ["_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE"]),
    (["Thing::fmt"], ["_ZN49_$LT$app..Thing$u20$as$u20$core..fmt..Display$GT$3fmt17hfedcba9876543210E"]),
    (["core::fmt::Display::fmt"], ["_ZN49_$LT$app..Thing$u20$as$u20$core..fmt..Display$GT$3fmt17hfedcba9876543210E"]),
    (["mycrate::foo"], ["_RNvCs1234_7mycrate3foo"]),
    (["mycrate::generic"], ["_RINvCs1234_7mycrate7genericlE"]),
    (["mycrate::generic::<i32>"], ["_RINvCs1234_7mycrate7genericlE"]),
    (["mycrate::Thing::run"], ["_RNvXCs1234_7mycrateNtB2_5ThingNtB2_5Trait3run"]),
    (["<mycrate::Thing as mycrate::Trait>::run"], ["_RNvXCs1234_7mycrateNtB2_5ThingNtB2_5Trait3run"]),
    (["--demangle", "_ZN2ns5Class6methodEi"], ["ns::Class::method(int)"]),
    (["--demangle", "main"], ["main"]),
]


def test_lookup(where):
    write(where, "p", text(NAMES))
    run(where, "merge", "-o", "i", "p")
    for profile in ("p", "i"):
        for words, wanted in FOUND:
            done = run(where, "lookup", profile, *words)
            expect("lookup %s %s" % (profile, words), (done.returncode, sorted(functions(done)), done.stderr),
                   (0, sorted(wanted), b""))
        several = run(where, "lookup", profile, "Class::method")
        says("several", several, 1, "several functions are called 'Class::method'; give the whole name of one")
        says("the first", several, 1, "note: 'ns::Class::method(int)' (_ZN2ns5Class6methodEi)")
        says("the second", several, 1, "note: 'ns::Class::method(char)' (_ZN2ns5Class6methodEc)")
        expect("both", several.stderr.count(b"note: "), 2)
        for wrong in ("ns::Class::metod(int)", "lass::size()", "size", "ns::Class::method(long)", "s::foo"):
            says("not %s" % wrong, run(where, "lookup", profile, wrong), 1, "no profile data available for function")
        says("near", run(where, "lookup", profile, "Class::siez"), 1,
             "the nearest name is 'ns::Class::size() const' (_ZNK2ns5Class4sizeEv)")
        found = json.loads(run(where, "lookup", "--json", "--demangle", profile, "Class::size").stdout)
        expect("JSON", [(f["name"], f["demangled"]) for f in found["functions"]],
               [("_ZNK2ns5Class4sizeEv", "ns::Class::size() const")])
        found = json.loads(run(where, "lookup", "--json", "--demangle", profile, "main").stdout)
        expect("JSON of C", [(f["name"], f["demangled"]) for f in found["functions"]], [("main", None)])
        found = json.loads(run(where, "lookup", "--json", profile, "main").stdout)
        expect("JSON without it", "demangled" in found["functions"][0], False)
        says("no such hash", run(where, "lookup", profile, "Class::size", "--hash=7"), 1, "0x0000000000000007")
    many = ["_ZN1a1fE" + "i" * n for n in range(1, 13)]
    write(where, "m", text(many))
    says("no more than ten", run(where, "lookup", "m", "a::f"), 1, "note: ... and others")
    write(where, "w", text(["_ZN1a1fEi", "_Z1fi"]))
    expect("the whole name first", functions(run(where, "lookup", "w", "f(int)")), ["_Z1fi"])


def test_values(where):
    """Call targets are functions, too."""
    write(where, "p", ":ir\n_Z4callv\n1\n1\n9\n1\n0\n1\n1\n_ZN2ns5Class6methodEi:9\n\n"
                      "_ZN2ns5Class6methodEi\n1\n1\n9\n\n")
    shown = run(where, "show", "--function=call", "--ic-targets", "--demangle", "p").stdout.decode()
    expect("a target", "[  0, ns::Class::method(int),          9 ]" in shown, True)
    found = json.loads(run(where, "lookup", "--json", "--demangle", "p", "call()").stdout)
    expect("in JSON", found["functions"][0]["indirect_calls"][0][0]["demangled"], "ns::Class::method(int)")


def test_parts(where):
    """--function: a part of a name, also of the demangled one."""
    write(where, "a", text(NAMES))
    write(where, "b", text(NAMES, 2).replace("\n2\n", "\n3\n", 1))
    methods = ["_ZN2ns5Class6methodEi", "_ZN2ns5Class6methodEc"]
    shown = run(where, "show", "--function=Class::meth", "a")
    expect("show", (functions(shown), shown.stderr), (methods, b""))
    expect("show, plain part", functions(run(where, "show", "--function=5Class6m", "a")), methods)
    expect("a word alone is a part of symbols", functions(run(where, "show", "--function=Class", "a")),
           functions(run(where, "show", "--function=5Class", "a")))
    says("none", run(where, "show", "--function=Class::none", "a"), 0, "'Class::none' matches no name")
    llvm = run(where, "show", "--function=Class::meth", "a", name="llvm-profdata")
    expect("LLVM's tool knows symbols only", functions(llvm), [])
    diff = run(where, "diff", "--function=Class::method", "a", "b").stdout.decode()
    expect("diff", [name for name in methods if name in diff] + ["_ZN2ns5ClassC1Ev" in diff], methods + [False])
    diff = run(where, "diff", "--function=Class::method", "--demangle", "a", "b").stdout.decode()
    expect("diff, demangled", ["ns::Class::method(int)" in diff, "_ZN" in diff], [True, False])
    diff = json.loads(run(where, "diff", "--json", "--demangle", "--function=Class::method(int)", "a", "b").stdout)
    expect("diff in JSON", [(f["function"], f["demangled"], f["a"]["name"], f["a"]["demangled"], f["b"]["demangled"])
                            for f in diff["functions"]],
           [(methods[0], NAMES[methods[0]], methods[0], NAMES[methods[0]], NAMES[methods[0]])])
    overlap = run(where, "overlap", "--function=Class::size", "a", "b")
    expect("overlap", (b"Function: _ZNK2ns5Class4sizeEv (" in overlap.stdout, overlap.stderr), (True, b""))
    overlap = run(where, "overlap", "--function=Class::size", "--demangle", "a", "b")
    expect("overlap, demangled", b"Function: ns::Class::size() const (" in overlap.stdout, True)


SAMPLES = """_ZN2ns5Class6methodEi:100:10
 1: 60 _ZN2ns5ClassC1Ev:20
 2: _ZN2ns5countEv:40
  1: 40
_ZN2ns5countEv:40:4
 1: 40
_ZN2ns5ClassC1Ev:7:1
 1: 7
_ZN2ns5ClassC2Ev:5:1
 1: 5
"""
CONTEXTS = """[main:1 @ _ZN2ns5Class6methodEi:2.3 @ _ZN2ns5countEv]:40:4
 1: 40
[main]:10:1
 1: 10
"""


def test_samples(where):
    write(where, "s", SAMPLES)
    shown = run(where, "show", "--sample", "--demangle", "s").stdout.decode()
    for line in ("Function: ns::Class::method(int): 100, 10, 1 sampled lines", "1: 60, calls: ns::Class::Class():20",
                 "2: inlined callee: ns::count(): 40"):
        expect(line, line in shown, True)
    expect("plain", "ns::" in run(where, "show", "--sample", "s").stdout.decode(), False)
    shown = json.loads(run(where, "show", "--sample", "--json", "--demangle", "s").stdout)
    expect("JSON", tuple(shown["functions"][0][key] for key in ("name", "demangled")),
           ("_ZN2ns5Class6methodEi", "ns::Class::method(int)"))
    shown = run(where, "show", "--sample", "--function=ns::count", "s")
    expect("one", (shown.stdout.count(b"Function: _ZN2ns5countEv"), shown.stdout.count(b"Function: "), shown.stderr),
           (1, 1, b""))
    run(where, "merge", "--sample", "-o", "b", "s")
    for profile in ("s", "b"):
        found = run(where, "lookup", profile, "ns::count")
        expect("lookup", (found.returncode, found.stdout.count(b"Function: _ZN2ns5countEv")), (0, 1))
        found = run(where, "lookup", "--demangle", profile, "Class::Class()")
        expect("both constructors", found.stdout.count(b"Function: ns::Class::Class()"), 2)
        found = json.loads(run(where, "lookup", "--json", "--demangle", profile, "ns::count()").stdout)
        expect("lookup in JSON", (found["functions"][0]["name"], found["functions"][0]["demangled"]),
               ("_ZN2ns5countEv", "ns::count()"))
        says("one document has one", run(where, "lookup", "--json", profile, "Class::Class()"), 1,
             "several functions are called 'Class::Class()'")
        says("near", run(where, "lookup", profile, "ns::cuont"), 1,
             "the nearest name is 'ns::count()' (_ZN2ns5countEv)")
    write(where, "t", SAMPLES.replace("1: 40", "1: 90"))
    expect("diff", b"ns::count()" in run(where, "diff", "--demangle", "s", "t").stdout, True)
    diff = json.loads(run(where, "diff", "--json", "--demangle", "--function=ns::count", "s", "t").stdout)
    expect("diff in JSON", [(f["function"], f["demangled"]) for f in diff["functions"]],
           [("_ZN2ns5countEv", "ns::count()")])
    overlap = run(where, "overlap", "--sample", "--function=ns::count", "--demangle", "s", "t").stdout
    expect("overlap", b" ns::count()\n" in overlap, True)
    write(where, "c", CONTEXTS)
    shown = run(where, "show", "--sample", "--demangle", "c").stdout.decode()
    expect("contexts", "Function: main:1 @ ns::Class::method(int):2.3 @ ns::count(): 40, 4" in shown, True)


TRACES = """:ir
:temporal_prof_traces
1
1
1
_ZN2ns5countEv,a.cpp;_ZL5localv,main

"""


def test_order(where):
    """An order is for linkers, which need symbols: the other names are comments, and beside the symbols in JSON."""
    names = ["_ZN2ns5countEv", "a.cpp;_ZL5localv", "main"]
    write(where, "p", TRACES + text(names)[4:])
    plain = run(where, "order", "p").stdout.decode().splitlines()
    shown = run(where, "order", "--demangle", "p").stdout.decode().splitlines()
    added = {"_ZN2ns5countEv": "# ns::count()", "_ZL5localv": "# local()"}
    wanted = [line for name in plain for line in ([added[name]] if name in added else []) + [name]]
    expect("order", shown, wanted)
    expect("all symbols", sorted(set(plain) & set(added)), sorted(added))
    llvm = run(where, "order", "--demangle", "p", name="llvm-profdata")
    expect("under LLVM's name", llvm.stdout.decode().splitlines(), shown)
    found = json.loads(run(where, "order", "--json", "--demangle", "p").stdout)["functions"]
    expect("JSON", sorted((f["name"], f["demangled"]) for f in found),
           sorted([(names[0], "ns::count()"), (names[1], "a.cpp;local()"), ("main", None)]))
    found = json.loads(run(where, "order", "--json", "p").stdout)["functions"]
    expect("JSON without it", "demangled" in found[0], False)


MISMATCH = "function basic block count change detected (counter mismatch)"


def test_merge(where):
    """Messages name functions; what is merged stays as it is."""
    write(where, "a", text(["_ZN2ns5countEv", "plain"]))
    write(where, "b", ":ir\n_ZN2ns5countEv\n1\n2\n1\n1\n\nplain\n1\n2\n1\n1\n\n")
    for words, name in (([], "_ZN2ns5countEv"), (["--demangle"], "ns::count()"),
                        (["--demangle", "--no-demangle"], "_ZN2ns5countEv")):
        done = run(where, "merge", "a", "b", "--text", "-o", "o", *words)
        says("merge %s" % words, done, 0, "a: %s: %s" % (name, MISMATCH))
        says("merge %s: C" % words, done, 0, "a: plain: " + MISMATCH)
        with open(os.path.join(where, "o"), encoding="utf-8") as file:
            expect("merge %s: symbols" % words, "\n_ZN2ns5countEv\n" in file.read(), True)
    done = run(where, "merge", "a", "b", "-o", "o", "--html=p.html", "--no-demangle")
    with open(os.path.join(where, "p.html"), encoding="utf-8") as file:
        expect("a page without", "ns::count()" in file.read(), False)
    run(where, "merge", "a", "b", "-o", "o", "--html=p.html")
    with open(os.path.join(where, "p.html"), encoding="utf-8") as file:
        expect("a page", "ns::count()" in file.read(), True)
    says("report", run(where, "report", "a", "b", "--markdown"), 0, "ns::count(): " + MISMATCH)
    says("report, plain", run(where, "report", "a", "b", "--markdown", "--no-demangle"), 0,
         "_ZN2ns5countEv: " + MISMATCH)
    # Contexts, and names within the text of a message.
    write(where, "c", "[main:1 @ _ZN2ns5countEv]:40:4\n 1: 40\n !CFGChecksum: 1\n")
    write(where, "d", "[main:1 @ _ZN2ns5countEv]:4:4\n 1: 4\n !CFGChecksum: 2\n")
    says("a context", run(where, "merge", "--demangle", "c", "d", "-o", "o"), 0, ": main:1 @ ns::count(): ")
    write(where, "e", "main:40:4\n 1: 40\n 2: _ZN2ns5countEv:9\n  1: 9\n  !CFGChecksum: 1\n !CFGChecksum: 3\n")
    write(where, "f", "main:40:4\n 1: 40\n 2: _ZN2ns5countEv:4\n  1: 4\n  !CFGChecksum: 2\n !CFGChecksum: 3\n")
    says("an inlined function", run(where, "merge", "--demangle", "e", "f", "-o", "o"), 0, "of ns::count(), which is")


def guid(name):
    return "0x" + hashlib.md5(name.encode()).digest()[:8][::-1].hex()


def test_probes(where):
    names = ["_ZN2ns5Class6methodEi", "_ZN2ns5Class6methodEc", "_RNvCs1234_7mycrate3foo"]
    write(where, "d.json", json.dumps({"schema": "anyprof-probe-descriptors/1", "descriptors": [
        {"guid": guid(name), "hash": "0x1", "function": name} for name in names]}))
    write(where, "l.json", json.dumps({"schema": "anyprof-probe-list/1", "nodes": [
        {"node": i, "parent": None, "guid": guid(name)} for i, name in enumerate(names)], "probes": [
        {"address": hex(4096 + 16 * i), "id": 1, "type": "block", "node": i, "distance": 16}
        for i in range(len(names))]}))
    done = run(where, "probes", "emit", "l.json", "d.json", "-o", "o")
    expect("emit", (done.returncode, done.stderr), (0, b""))
    for view in ("desc", "list", "tree", "verify"):
        shown = run(where, "probes", view, "--demangle", "o").stdout.decode()
        plain = run(where, "probes", view, "o").stdout.decode()
        expect(view, ["ns::Class::method(int)" in shown, "mycrate::foo" in shown, "_ZN" in shown], [True, True, False])
        expect(view + ", plain", "ns::" in plain, False)
    for view, key in (("desc", "descriptors"), ("list", "probes"), ("tree", "nodes")):
        shown = json.loads(run(where, "probes", view, "--json", "--demangle", "o").stdout)[key]
        expect(view + " in JSON", sorted((f["function"], f["demangled"]) for f in shown),
               sorted((name, NAMES[name]) for name in names))
    for name in ("ns::Class::method(int)", "Class::method(int)"):
        shown = run(where, "probes", "desc", "--function=" + name, "o")
        expect(name, (names[0] in shown.stdout.decode(), names[1] in shown.stdout.decode()), (True, False))
    says("several", run(where, "probes", "desc", "--function=Class::method", "o"), 1, "several functions are called")
    wrong = run(where, "probes", "desc", "--function=mycrate::fo", "o")
    says("none", wrong, 1, "no function is called 'mycrate::fo'")
    says("near", wrong, 1, "the nearest name is 'mycrate::foo' (_RNvCs1234_7mycrate3foo)")


if __name__ == "__main__":
    sys.exit(run_tests([test_names, test_hostile, test_long, test_lookup, test_values, test_parts, test_samples,
                        test_order, test_merge, test_probes]))
