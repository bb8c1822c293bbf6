#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembly with pseudo probes goes through `anyprof probes asm` and GNU as, and beside it through clang 22.

Both sections have to be those of clang 22: byte for byte with -ffunction-sections, else by record, since the order is
one of clang's hash tables there. Linked programs run the same, and llvm-profgen 22 lists them the same. Where clang 22
gives up, each probe has to be where its directive stood, which symbols in place of the local labels show. What
`anyprof probes emit` makes of the JSON of objects and programs has their sections.

    ANYPROF=command probes_asm.py [--only=WORD] [--keep]"""
import collections
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _pgo  # noqa: E402  (found through the line before)
import _probe_sections as ps  # noqa: E402
import _share  # noqa: E402

ANYPROF = os.environ.get("ANYPROF") or os.path.join(_pgo.HERE, "../../build/release/anyprof")
SOURCES = os.path.join(_pgo.HERE, "probes")
PROBES = ["-g", "-fpseudo-probe-for-profiling"]
SHAPES, TEMPLATES, COROUTINE = "probes_shapes.c", "probes_templates.cpp", "probes_coroutine.cpp"
THIN = ["probes_thin_main.c", "probes_thin_part.c"]  # each imports functions of the other one

# Assemblers fill gaps in different ways, which can also move data and stubs that operands name.
PADDING = re.compile(r"^ +[0-9a-f]+:\t(?:nop|data16|int3|cs\t).*\n", re.M)
OPERANDS = re.compile(r"^( +[0-9a-f]+:\t\S+).*", re.M)
HEADS = re.compile(r"^Disassembly of .*\n", re.M)

Target = collections.namedtuple("Target", "name options assembler runs")
X86_64 = Target("x86-64", [], "as", True)
I386 = Target("i386", ["--target=i386-linux-gnu", "-fno-pic"], "as --32", False)
AARCH64 = Target("aarch64", ["--target=aarch64-linux-gnu"], "aarch64-linux-gnu-as", False)

Case = collections.namedtuple("Case", "release source target options name")


def hidden(*options):
    return [word for option in options for word in ("-mllvm", option)]


def make_cases():
    """Every release and source with and without sections for functions, and what only some can do."""
    flavours = [("O2", ["-O2"]), ("O2 sections", ["-O2", "-ffunction-sections"]), ("O1", ["-O1"])]
    for release in _pgo.RELEASES:
        for source in (SHAPES, TEMPLATES, COROUTINE):
            for name, options in flavours if release in (14, 22) else flavours[:2]:
                yield Case(release, source, X86_64, options, name)
        yield Case(release, SHAPES, X86_64, ["-O2", "-ffunction-sections", *hidden("-hot-cold-split=true",
                   "-hotcoldsplit-threshold=-1")], "cold parts")
        yield Case(release, TEMPLATES, X86_64, ["-O2", "-fbasic-block-sections=all"], "blocks")
        yield Case(release, SHAPES, X86_64, ["-O2", "-fbasic-block-sections=all"], "blocks")
        yield Case(release, TEMPLATES, X86_64, ["-O2", "-fsplit-machine-functions", *hidden("-mfs-split-ehcode")],
                   "split blocks")
        for target in (I386, AARCH64):
            yield Case(release, SHAPES, target, ["-O2", "-ffunction-sections"], target.name)
            yield Case(release, TEMPLATES, target, ["-O2"], target.name)
        if release >= 19:
            yield Case(release, SHAPES, X86_64, ["-O2", *hidden("-enable-fs-discriminator=true")], "discriminators")
            yield Case(release, SHAPES, X86_64, ["-O3", "-ffunction-sections", "-funroll-loops",
                       *hidden("-enable-fs-discriminator=true")], "discriminators")
    for target in (X86_64, AARCH64):
        yield Case(22, SHAPES, target, ["-O0"], f"O0 {target.name}")
    yield Case(22, SHAPES, X86_64, ["-O2", "-gdwarf-4", "-fPIC", "-fno-asynchronous-unwind-tables"], "PIC")
    yield Case(22, SHAPES, X86_64, ["-O2", "-masm=intel"], "intel")
    yield Case(22, SHAPES, X86_64, ["-O2", "-g0"], "without debug information")
    for source in THIN:
        yield Case(22, source, X86_64, ["-O2", "-flto=thin"], "ThinLTO")
        yield Case(22, source, X86_64, ["-O2", "-flto=thin", "-ffunction-sections"], "ThinLTO")


class Build:
    """The files of one case."""

    def __init__(self, case, directory):
        self.case, self.directory = case, directory
        self.rest = []  # objects that the program has besides
        self.where = f"clang {case.release}, {case.source}, {case.name}"

    def path(self, name):
        return os.path.join(self.directory, name)

    def compile(self):
        case = self.case
        cxx = case.source.endswith(".cpp")
        compiler = ("clang++-" if cxx else "clang-") + str(case.release)
        if case.source in THIN:
            return self.compile_thin(compiler)
        words = [compiler, *PROBES, *case.options, *case.target.options, "-S"]
        if case.source == COROUTINE:
            words += ["-std=c++20", *(["-fcoroutines-ts"] if case.release < 15 else [])]
        words += [os.path.join(SOURCES, case.source), "-o", self.path("in.s")]
        return _pgo.run(words, may_fail=True).returncode == 0

    def compile_thin(self, compiler):
        """Both modules, linked as far as assembly; the other one's becomes an object as clang makes it."""
        objects = [self.path(source.replace(".c", ".o")) for source in THIN]
        for source, made in zip(THIN, objects):
            _pgo.run([compiler, *PROBES, *self.case.options, "-c", os.path.join(SOURCES, source), "-o", made])
        sections = ["-Wl,-mllvm,-function-sections"] if "-ffunction-sections" in self.case.options else []
        _pgo.run([compiler, "--ld-path=/usr/bin/ld.lld-22", "-flto=thin", "-O2", *sections, *objects,
                  "-Wl,--lto-emit-asm", "-o", self.path("thin")])
        for source in THIN:
            made = self.path("thin.lto." + source.replace(".c", ".s"))
            if source == self.case.source:
                os.rename(made, self.path("in.s"))
            else:
                self.rest.append(self.path("rest.o"))
                _pgo.run([compiler, "-c", made, "-o", self.rest[0]])
        return True

    def text(self, name="in.s"):
        with open(self.path(name), encoding="utf-8", errors="surrogateescape") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def assemble_by_clang(self):
        self.write("llvm.s", ps.for_llvm_22(self.text()))
        return _pgo.run(["clang-22", *self.case.target.options, "-c", self.path("llvm.s"), "-o", self.path("llvm.o")],
                        may_fail=True)

    def assemble_by_anyprof(self, source="in.s", output="ours.o"):
        return _pgo.run([ANYPROF, "probes", "asm", "-c", self.path(source), "-o", self.path(output)],
                        env={"AS": self.case.target.assembler}, may_fail=True)

    def link(self, name):
        compiler = "clang++-22" if self.case.source.endswith(".cpp") else "clang-22"
        _pgo.run([compiler, "--ld-path=/usr/bin/ld.lld-22", "-no-pie", self.path(f"{name}.o"), *self.rest,
                  "-o", self.path(name)])


# ---- what is compared ----------------------------------------------------------------------------------------------

def shape(section):
    return section.flags & (ps.LINK_ORDER | ps.GROUPED), section.group, section.linked


def check_sections(build, results):
    """Those of clang 22 and ours."""
    theirs, ours = ps.Elf(build.path("llvm.o")), ps.Elf(build.path("ours.o"))
    for name in (".pseudo_probe", ".pseudo_probe_desc"):
        a, b = theirs.named(name), ours.named(name)
        results.check([shape(s) for s in a] == [shape(s) for s in b], "flags, links and groups", build.where,
                      lambda: f"{name}: {[shape(s) for s in a]} != {[shape(s) for s in b]}")
        if name == ".pseudo_probe_desc" or "-ffunction-sections" in build.case.options:
            results.check([s.data for s in a] == [s.data for s in b], f"{name}: bytes", build.where, f"{name} differs")
        else:
            results.check([sorted(ps.records(s.data)) for s in a] == [sorted(ps.records(s.data)) for s in b],
                          f"{name}: records", build.where, f"{name} differs")


def check_programs(build, results):
    """They print the same, and llvm-profgen shows the same of them, addresses included."""
    shown = []
    for name in ("llvm", "ours"):
        build.link(name)
        printed = _pgo.run([build.path(name)], may_fail=True)
        listed = _pgo.run(["llvm-profgen-22", f"--binary={build.path(name)}", "--show-disassembly-only",
                           "--show-pseudo-probe", "-o", "/dev/null"], may_fail=True)
        probes = sorted(ps.placed_probes(ps.Elf(build.path(name))))
        text = OPERANDS.sub(r"\1", PADDING.sub("", HEADS.sub("", listed.stdout)))
        shown.append((printed.returncode, printed.stdout, listed.returncode, text, probes))
    results.check(shown[0][:2] == shown[1][:2], "output of programs", build.where, "the program prints other things")
    results.check(shown[0][4] == shown[1][4], "probes of programs", build.where, "the programs have other probes")
    if shown[0][2] == 0:
        results.check(shown[0][3].count("[Probe]") > 0 and shown[0][2:4] == shown[1][2:4], "llvm-profgen's listing",
                      build.where, "llvm-profgen lists other things")
    else:
        results.note(f"{build.where}: llvm-profgen fails on clang's own program")


def check_places(build, results):
    """Every probe is at the label that stands for its directive."""
    made = _pgo.run([ANYPROF, "probes", "asm", build.path("in.s")]).stdout
    build.write("named.s", made.replace(".Lapf_probe", "apf_probe"))
    _pgo.run([*build.case.target.assembler.split(), build.path("named.s"), "-o", build.path("named.o")])
    build.link("named")
    elf = ps.Elf(build.path("named"))
    places = {int(s.name[9:]): s.value for s in elf.symbols if re.fullmatch(r"apf_probe\d+", s.name)}
    expected = [(places[i], probe) for i, (_, probe, _) in enumerate(ps.directives(build.text()))]
    found = ps.placed_probes(elf)
    missing = list((collections.Counter(expected) - collections.Counter(found)).elements())
    rest = sum(len(ps.placed_probes(ps.Elf(file))) for file in build.rest)
    results.check(not missing and len(found) == len(expected) + rest > 0, "places", build.where,
                  lambda: f"{len(found)} probes, {len(expected)} and {rest} expected; {missing[:4]}")


def check_emitted(build, name, results):
    """JSON of the file, and an object made of that: the same sections, in the same groups."""
    for view in ("list", "desc"):
        _pgo.run([ANYPROF, "probes", view, "--json", build.path(name), "-o", build.path(f"{view}.json")])
    documents = [build.path("list.json"), build.path("desc.json")]
    _pgo.run([ANYPROF, "probes", "emit", *documents, "-o", build.path("emitted.o")])
    files = [ps.Elf(build.path(file)) for file in (name, "emitted.o")]
    found = [[(s.name, s.data, s.group) for s in elf.sections if s.name.startswith(".pseudo_probe")] for elf in files]
    results.check(found[0] == found[1] and found[0], "emitted objects", build.where, f"{name}: emitted is another one")


def check(case, directory, results):
    build = Build(case, directory)
    if not build.compile():
        results.note(f"{build.where}: not compiled")
        return
    theirs, ours = build.assemble_by_clang(), build.assemble_by_anyprof()
    if not results.check(ours.returncode == 0, "assembled", build.where, lambda: ours.stderr[-500:]):
        return
    check_emitted(build, "ours.o", results)
    gives_up = theirs.returncode != 0
    if gives_up:
        known = "expression is not absolute" in theirs.stderr and "blocks" in case.name
        results.check(known, "clang gives up", build.where, lambda: theirs.stderr[-500:])
        results.check("records of their own" in ours.stderr, "anyprof says so", build.where, lambda: ours.stderr[-500:])
    else:
        check_sections(build, results)
    if case.target.runs and not gives_up:
        check_programs(build, results)
    if case.target.runs:
        check_places(build, results)
        check_emitted(build, "named", results)


def check_many(directory, results):
    """Many probes in one function: GNU as 2.40 gets some differences of labels wrong when it is not kept from that."""
    build = Build(Case(22, "many probes", X86_64, ["-ffunction-sections"], "generated"), directory)
    lines = [f"\t.pseudoprobe\t5 {i} 0 0 f\n\tcall g" for i in range(1, 5001)]
    build.write("in.s", "\t.text\n\t.type\tf,@function\nf:\n" + "\n".join(lines) + "\n")
    theirs, ours = build.assemble_by_clang(), build.assemble_by_anyprof()
    if results.check(theirs.returncode == ours.returncode == 0, "assembled", build.where, theirs.stderr + ours.stderr):
        check_sections(build, results)


def main():
    only = next((a[7:] for a in sys.argv[1:] if a.startswith("--only=")), "")
    needed = ["as", "clang-22", "ld.lld-22", "llvm-profgen-22", ANYPROF]
    missing = [tool for tool in needed if not shutil.which(tool)]
    if missing:
        print(f"skipped: no {', '.join(missing)}")
        return 77
    results, temp = _pgo.Results(), tempfile.mkdtemp(prefix="anyprof-probes-")
    cases = []
    for case in make_cases():
        lacks = [tool for tool in (f"clang-{case.release}", case.target.assembler.split()[0]) if not shutil.which(tool)]
        if lacks:
            results.note(f"no {lacks[0]}: {case.source}, {case.name} skipped")
        elif only in f"clang-{case.release} {case.source} {case.name}":
            cases.append(case)

    def one(numbered):
        number, case = numbered
        directory = os.path.join(temp, str(number))
        os.mkdir(directory)
        try:
            check(case, directory, results)
        except _pgo.ToolFailed as error:
            results.check(False, "tools", f"{case}", str(error))

    if not only:
        cases = _share.pick(cases, lambda case: "%s %s" % (case.source, case.target.name))
    if not only:
        cases = _share.pick(cases, lambda case: "%s %s" % (case.source, case.target.name))
    os.mkdir(os.path.join(temp, "many"))
    check_many(os.path.join(temp, "many"), results)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(one, enumerate(cases)))
    for note in results.notes:
        print("note:", note)
    for kind, count in sorted(results.compared.items()):
        print(f"{count:6} {kind}")
    for failure in results.failures:
        print("FAILED:", failure)
    if "--keep" in sys.argv:
        print(temp)
    else:
        shutil.rmtree(temp)
    return 1 if results.failures or not results.compared else 0


if __name__ == "__main__":
    sys.exit(main())
