#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llvm-cov reads MC/DC bitmaps as they were meant, whichever release numbered their test vectors.

LLVM 18 numbers test vectors by the conditions that were true, LLVM 19 and later by the paths to the result; llvm-cov
takes the numbering of 18 in version 11, the other one in later versions. A program is built and run with each clang
that has MC/DC. The bits that it set are then set again where LLVM 18 would have set them, as an input of version 11,
and merged by anyprof for each release and automatically: llvm-cov must show for that what it shows for the profile
which the program wrote. A merge of both inputs must show the same, too, whichever numbering is left out, and whatever
the order."""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _profiles as p  # noqa: E402  (found through the line before)

# Functions with one decision each.
SOURCE = """
int both(int a, int b) { return a && b ? 1 : 2; }
int three(int a, int b, int c) { return (a && b) || c ? 1 : 2; }
int main(void)
{
    both(1, 1), both(1, 0);
    three(1, 1, 0), three(0, 0, 1), three(1, 0, 0);
    return 0;
}
"""
# Of each function: its number of test vectors, which is the index of its decision, and the vectors that ran, as sums of
# 2^id over the conditions that were true. The ids in `three` are 0 (a), 2 (b) and 1 (c).
RAN = {"both": (3, (3, 1)), "three": (5, (5, 2, 1))}
TARGETS = ("auto", "llvm-19", "llvm-22", "indexed-11")
CLANGS = (19, 22)
DENSE = ("more dense", "equal", "dense")  # inputs of which the bitmaps of 19 and later win


def covered(clang, program, profile):
    """What llvm-cov says about each decision, and its totals."""
    try:
        result = p.run([f"llvm-cov-{clang}", "export", program, f"-instr-profile={profile}"])
    except p.Crash as crash:
        return str(crash)
    if result.code != 0:
        return f"exit code {result.code}: {result.errors()}"
    data = json.loads(result.out)["data"][0]
    return ({f["name"]: f["mcdc_records"] for f in data["functions"]}, data["totals"]["mcdc"])


def renumbered(text):
    """A text profile with the bits where LLVM 18 has them, if the decision has the same index in bytes."""
    lines = []
    for record in p.parse_text(text).records:
        lines += [record.name, str(record.hash), str(len(record.counts)), *map(str, record.counts)]
        if record.name in RAN:
            index, vectors = RAN[record.name]
            bits = sum(1 << (8 * index + vector) for vector in vectors)
            lines += [f"${index + 1}", *(hex(byte) for byte in bits.to_bytes(index + 1, "little"))]
        lines.append("")
    return "\n".join(lines)


def check_clang(report, clang, directory):
    program, raw, dense, text, sparse = (os.path.join(directory, f"{clang}.{end}")
                                         for end in ("out", "profraw", "dense", "proftext", "sparse"))
    source = os.path.join(directory, "mcdc.c")
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    built = p.run([f"clang-{clang}", "-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc", source, "-o",
                   program])
    report.check(f"clang-{clang}", built.code == 0, built.errors())
    os.environ["LLVM_PROFILE_FILE"] = raw
    report.check(f"clang-{clang} runs", p.run([program]).code == 0)
    tool = f"llvm-profdata-{clang}"
    report.check(f"{tool} merges", p.run([tool, "merge", raw, "-o", dense]).code == 0)
    want = covered(clang, program, dense)
    report.check(f"llvm-cov-{clang} sees decisions", want[1]["covered"] > 0, str(want))
    p.anyprof("merge", "--text", raw, "-o", text)
    with open(text, "rb") as file:
        old = renumbered(file.read())
    with open(text, "w", encoding="ascii") as file:
        file.write(old)
    report.check("version 11", p.anyprof("merge", "--for=indexed-11", text, "-o", sparse).code == 0)
    out = os.path.join(directory, f"{clang}.merged")
    inputs = {"sparse": [sparse], "sparse twice": [sparse, sparse], "more sparse": [sparse, raw, sparse],
              "more sparse, otherwise": [raw, sparse, sparse], "more dense": [sparse, raw, raw], "equal": [sparse, raw],
              "dense": [raw]}
    for what, files in inputs.items():
        for target in TARGETS:
            # Dense bitmaps are misread in version 11, which a note says; and 19 does not read what is for 22.
            if what in DENSE and (target == "indexed-11" or (target, clang) == ("llvm-22", 19)):
                continue
            name = f"clang-{clang}, {what}, --for={target}"
            result = p.anyprof("merge", f"--for={target}", *files, "-o", out)
            report.check(name, result.code == 0, result.errors())
            report.same(name, covered(clang, program, out), want)
            report.same(f"{name}: left out", "were left out" in result.errors(), len(set(files)) > 1)
    # Without this, llvm-cov shows something else: that the comparison can fail.
    p.anyprof("merge", "--for=indexed-12", sparse, "-o", out)
    report.check(f"clang-{clang}: version 12 is misread", covered(clang, program, out) != want)


def main():
    clangs = [c for c in CLANGS if all(shutil.which(f"{t}-{c}") for t in ("clang", "llvm-cov", "llvm-profdata"))]
    if not clangs:
        p.skip("no clang with MC/DC")
    report = p.Report(floor=70 * len(clangs))
    with p.work_directory() as directory:
        for clang in clangs:
            check_clang(report, clang, directory)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
