#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cov export` as Cobertura, Codecov's and Coveralls' JSON: their lines and branches are those of the tracefile that
llvm-cov-22 writes, their sums are those of their entries, and xmllint validates the XML with its DTD, also where names
of files and functions are hostile."""

import hashlib
import json
import os
import shutil
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _profiles as p  # noqa: E402  (found through the line before)

CLANG = "clang-22"
LLVM_COV = "llvm-cov-22"
DTD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cov", "coverage-04.dtd")

HEADER = """
#define TWICE(x) ((x) > 3 ? (x) * 2 : (x))
template <class T> T largest(T a, T b) { if (a > b) return a; return b; }
template <int N> int power(int x) { if constexpr (N == 0) return 1; else return x ? x * power<N - 1>(x) : 0; }
"""
SOURCE = """
#include "inc/shared.h"
static int between(int x)
{
    if (x > 2 && x < 9)
        return TWICE(x);
    return -x;
}
int never(int x) { return x ? 1 : 2; }
int main(int argc, char **)
{
    int s = 0;
    for (int i = 0; i < 7; i++)
        s += between(i) + largest(i, 3) + (int)largest(i * 1.5, 2.0) + power<3>(i);
    return s == argc;
}
"""


def build(report, directory):
    os.mkdir(os.path.join(directory, "inc"))
    for name, text in (("inc/shared.h", HEADER), ("a&b <'>.cc", SOURCE)):
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)
    built = p.run([CLANG, "-x", "c++", "-std=c++17", "-fprofile-instr-generate", "-fcoverage-mapping", "a&b <'>.cc",
                   "-o", "program"], cwd=directory)
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, "raw")
    return (report.check("it is built", built.code == 0, built.errors()) and
            report.check("it runs", p.run([os.path.join(directory, "program")]).code == 0) and
            report.check("it is merged", p.run(["llvm-profdata-22", "merge", "raw", "-o", "profile"],
                                               cwd=directory).code == 0))


def tracefile(text):
    """For each file: counts of lines, and of sides of branches by lines."""
    files, name = {}, None
    for line in text.decode().splitlines():
        key, _, rest = line.partition(":")
        if key == "SF":
            name = rest
            files[name] = ({}, {})
        elif key == "DA":
            number, count = rest.split(",")
            files[name][0][int(number)] = int(count)
        elif key == "BRDA":
            number, _, _, count = rest.split(",")
            files[name][1].setdefault(int(number), []).append(0 if count == "-" else int(count))
    return files


def export(directory, form, *options):
    return p.anyprof("cov", "export", "program", "--profile=profile", f"--format={form}", *options, cwd=directory).out


def check_tracefile(report, directory, files):
    """Lines as in LLVM's; branches in macros are not added up to one pair, and constants are no branches."""
    own = tracefile(export(directory, "lcov"))
    report.same("files", sorted(own), sorted(files))
    for name, (lines, sides) in own.items():
        report.same(f"{name}: lines", lines, files[name][0])
        report.same(f"{name}: lines with branches", sorted(sides), sorted(files[name][1]))
    sums = [line for line in export(directory, "lcov").decode().splitlines()
            if line[:3] in ("LF:", "LH:", "BRF", "BRH")]
    want = [f"{key}:{n}" for name in sorted(own) for key, n in (
        ("BRF", sum(map(len, own[name][1].values()))),
        ("BRH", sum(count > 0 for counts in own[name][1].values() for count in counts)),
        ("LF", len(own[name][0])), ("LH", sum(count > 0 for count in own[name][0].values())))]
    report.same("sums of the tracefile", sums, want)
    return own


def share(counts):
    return sum(count > 0 for count in counts), len(counts)


def check_cobertura(report, directory, files):
    path = os.path.join(directory, "cobertura.xml")
    with open(path, "wb") as file:
        file.write(export(directory, "cobertura"))
    if shutil.which("xmllint"):
        valid = p.run(["xmllint", "--noout", "--nonet", "--dtdvalid", DTD, path])
        report.check("Cobertura's DTD", valid.code == 0, valid.errors())
    else:
        report.skip("Cobertura's DTD", "no xmllint")
    root = xml.etree.ElementTree.parse(path).getroot()
    source = root.find("sources/source").text
    report.same("the directory", source, directory + "/")
    found = {}
    for package in root.iter("package"):
        for one in package.iter("class"):
            found[source + one.get("filename")] = one
            report.same("package", package.get("name"), os.path.dirname(one.get("filename")) or ".")
    report.same("files of Cobertura", sorted(found), sorted(files))
    for name, (lines, sides) in files.items():
        got = {int(line.get("number")): line for line in found[name].findall("lines/line")}
        report.same(f"{name}: hits", {number: int(line.get("hits")) for number, line in got.items()}, lines)
        for number, counts in sides.items():
            taken, n = share(counts)
            report.same(f"{name}:{number}", got[number].get("condition-coverage"), f"{taken * 100 // n}% ({taken}/{n})")
        taken, n = share(lines.values())
        report.same(f"{name}: rate", found[name].get("line-rate"), f"{(taken * 10000 + n // 2) // n / 10000:.4f}")
    total = share([count for lines, _ in files.values() for count in lines.values()])
    report.same("lines in all", (int(root.get("lines-covered")), int(root.get("lines-valid"))), total)
    total = share([count for _, sides in files.values() for counts in sides.values() for count in counts])
    report.same("branches in all", (int(root.get("branches-covered")), int(root.get("branches-valid"))), total)
    profile = os.stat(os.path.join(directory, "profile")).st_mtime
    report.same("the time is the profile's", root.get("timestamp"), str(int(profile)))


def check_services(report, directory, files):
    codecov = json.loads(export(directory, "codecov"))["coverage"]
    want = {name: {str(number): count if not count or share(sides.get(number, [1]))[0] == len(sides.get(number, [1]))
                   else "%d/%d" % share(sides[number]) for number, count in lines.items()}
            for name, (lines, sides) in files.items()}
    report.same("Codecov", codecov, want)
    for entry in json.loads(export(directory, "coveralls"))["source_files"]:
        lines, sides = files[entry["name"]]
        with open(entry["name"], "rb") as file:
            text = file.read()
        report.same("Coveralls: digest", entry["source_digest"], hashlib.md5(text).hexdigest())
        report.same("Coveralls: lines", entry["coverage"],
                    [lines.get(number) for number in range(1, text.count(b"\n") + 1)])
        got = entry["branches"]
        by_line = {}
        for i in range(0, len(got), 4):
            by_line.setdefault(got[i], []).append(got[i + 3])
        report.same("Coveralls: branches", by_line, sides)
    relative = export(directory, "coveralls", f"--prefix-map={directory}/=")
    report.same("relative names", [entry["name"] for entry in json.loads(relative)["source_files"]],
                ["a&b <'>.cc", "inc/shared.h"])
    other = p.anyprof("cov", "export", "program", "--profile=profile", "--format=coveralls",
                      f"--prefix-map={directory}/=moved/", "--path-equivalence=moved/,./", cwd=directory)
    report.same("and files elsewhere", (json.loads(other.out)["source_files"][0]["source_digest"] is not None,
                                        other.err), (True, b""))


def check_markers(report, directory):
    """A marker at the use of a macro is about what the macro expands to; an unreadable source is reported."""
    source = os.path.join(directory, "macro.c")
    text = """#define CHECK(x) do { if (!(x)) return 1; } while (0)
int main(int argc, char **argv)
{
    CHECK(argc > 0); // LCOV_EXCL_BR_LINE
    CHECK(argc > 0); // LCOV_EXCL_LINE
    CHECK(argv[0] != 0);
    return 0;
}
"""
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    built = p.run([CLANG, "-fprofile-instr-generate", "-fcoverage-mapping", "macro.c", "-o", "macro"], cwd=directory)
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, "macro.raw")
    report.check("macro.c", built.code == 0 and p.run([os.path.join(directory, "macro")]).code == 0, built.errors())
    words = ["cov", "export", "macro", "--profile=macro.raw", "--format=lcov"]
    _, sides = tracefile(p.anyprof(*words, cwd=directory).out)[source]
    report.same("branches of macros", sorted(sides), [1, 4, 5, 6])
    lines, sides = tracefile(p.anyprof(*words, "--exclusion-markers", cwd=directory).out)[source]
    report.same("without those at markers", (sorted(sides), 4 in lines, 5 in lines), ([1, 6], True, False))
    os.remove(source)
    missing = p.anyprof(*words, "--exclusion-markers", cwd=directory)
    report.check("the source is missing", b"cannot be read" in missing.err, missing.errors())
    for name in ("raw", "macro.raw"):  # several profiles through a pipe
        with open(os.path.join(directory, name), "rb") as file, open(os.path.join(directory, "both"), "ab") as both:
            both.write(file.read())
    words = [p.ANYPROF, "cov", "export", "program", "--object=macro", "--summary-only"]
    piped = p.run(["bash", "-c", 'cat both | "$@" --profile=/dev/stdin', "bash", *words], cwd=directory)
    report.same("through a pipe", (piped.code, piped.out),
                (0, p.run([*words, "--profile=both"], cwd=directory).out))


def check_builds(report, directory):
    """A program of another build than the profile is reported, where both have an id."""
    flags = ["-x", "c++", "-std=c++17", "-fprofile-instr-generate", "-fcoverage-mapping", "a&b <'>.cc"]
    for name, build_id in (("first", "0x11"), ("second", "0x22")):
        built = p.run([CLANG, *flags, f"-Wl,--build-id={build_id}", "-o", name], cwd=directory)
        report.check(f"{name} is built", built.code == 0, built.errors())
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, "first.raw")
    report.check("it runs", p.run([os.path.join(directory, "first")]).code == 0)
    for name, wanted in (("first", False), ("second", True)):
        done = p.anyprof("cov", "report", name, "--profile=first.raw", cwd=directory)
        report.same(f"{name} with the profile of the first", b"of no build that the profile is of" in done.err, wanted)


def check_many_files(report, directory):
    """A function may have 1,024 source files, which are included in its body; one of more is damaged."""
    for n, wanted in ((1023, b""), (1024, b"1 function left out: its mapping is damaged")):
        lines = ["int main(void)", "{"] + [f'#include "part{i}.inc"' for i in range(n)] + ["}", ""]
        with open(os.path.join(directory, "many.c"), "w", encoding="ascii") as file:
            file.write("\n".join(lines))
        for i in range(n):
            with open(os.path.join(directory, f"part{i}.inc"), "w", encoding="ascii") as file:
                file.write("(void)0;\n")
        built = p.run([CLANG, "-fprofile-instr-generate", "-fcoverage-mapping", "many.c", "-o", "many"], cwd=directory)
        report.check(f"{n} parts are built", built.code == 0, built.errors())
        done = p.anyprof("cov", "report", "many", "--empty-profile", cwd=directory)
        report.check(f"{n} parts: it says so", wanted in done.err and bool(wanted) == bool(done.err), done.errors())
        regions = done.out.split(b"TOTAL")[1].split()[0]
        report.same(f"{n} parts: regions", regions, b"0" if wanted else b"%d" % (n + 1))
        done = p.anyprof("cov", "report", "many", "--empty-profile", "--compat=llvm-22", cwd=directory)
        report.same(f"{n} parts as llvm-cov", (done.code, b"too many source files" in done.err),
                    (int(bool(wanted)), bool(wanted)))


def check_names(report, directory):
    """--demangle, where the C++ runtime is: as llvm-cxxfilt has it."""
    words = ["cov", "report", "program", "--profile=profile", "--show-functions",
             os.path.join(directory, "inc", "shared.h")]
    own = p.anyprof(*words, "--demangle", cwd=directory)
    report.same("--demangle", own.out, p.anyprof(*words, "-Xdemangler=llvm-cxxfilt-22", cwd=directory).out)
    for name in ("largest", "largest<double>", "double largest<double>(double, double)", "between"):
        why = p.anyprof("cov", "why", "program", name, "--profile=profile", cwd=directory)
        report.check(f"why {name}", why.code == 0 and b": it ran " in why.out, why.errors())
    report.check("a template", b"int largest<int>(int, int)" in own.out, own.errors())


def check_union(report, directory, files):
    """Templates: with --merge-instantiations=union, a line is covered if any instantiation covers it, as in a
    tracefile, in which each line is once, and so is each region of the source."""
    def summary(*options):
        done = p.anyprof("cov", "export", "program", "--profile=profile", "--skip-expansions", *options, cwd=directory)
        data = json.loads(done.out)["data"][0]
        return {entry["filename"]: entry["summary"] for entry in data["files"]}, data["functions"]
    header = os.path.join(directory, "inc", "shared.h")
    united, functions = summary("--merge-instantiations=union")
    largest, _ = summary("--merge-instantiations=max")
    report.same("max is the default", largest, summary()[0])
    counts = files[header][0]
    # lines 3 and 4 have one template each
    report.same("lines", (united[header]["lines"]["count"], united[header]["lines"]["covered"]),
                (len([n for n in counts if n > 2]), len([n for n in counts if n > 2 and counts[n]])))
    regions = {}
    for function in functions:
        for region in function["regions"]:
            if function["filenames"][0] == header and region[7] == 0:
                key = tuple(region[:4])
                regions[key] = regions.get(key, False) or region[4] > 0
    report.same("regions", (united[header]["regions"]["count"], united[header]["regions"]["covered"]),
                (len(regions), sum(regions.values())))
    report.check("more than the largest", united[header]["regions"]["covered"] > largest[header]["regions"]["covered"],
                 str(united[header]))


def main():
    for tool in (CLANG, LLVM_COV, "llvm-profdata-22"):
        if not shutil.which(tool):
            p.skip(f"no {tool}")
    report = p.Report(floor=30)
    with p.work_directory() as directory:
        if build(report, directory):
            theirs = p.run([LLVM_COV, "export", "program", "-instr-profile=profile", "-format=lcov"], cwd=directory)
            own = check_tracefile(report, directory, tracefile(theirs.out))
            check_cobertura(report, directory, own)
            check_services(report, directory, own)
            check_union(report, directory, own)
            check_names(report, directory)
            check_builds(report, directory)
            check_many_files(report, directory)
            check_markers(report, directory)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
