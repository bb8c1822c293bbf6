#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory profiles (MemProf) beside llvm-profdata: of programs that are built here with clang 15, 16, 19 and 22, and in
YAML that is made by chance.

- a single profile in YAML becomes the bytes that llvm-profdata 22 writes, in versions 2 to 4, few fields and all;
- `show --memory` prints what llvm-profdata 22 prints, of files of either of us; of versions 0 and 1, and of all others,
  what tests/oracle/_memprof.py makes of their description;
- files of every version, written again in every version, hold the same, and llvm-profdata 22 shows it;
- merges hold the sums that _memprof.py computes, and are the same bytes in any order and with any number of threads.

    ANYPROF=command memprof.py"""

import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _memprof  # noqa: E402

ANYPROF = os.environ.get("ANYPROF", "")
TOOL = shutil.which("llvm-profdata-22")
LEAST, LEAST_ALONE = 460, 230  # compared outputs; where a clang has no runtime for it
PROGRAM = """#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char text[50]; };
__attribute__((noinline)) static char *make(int n) { char *p = (char *)malloc(n); memset(p, 1, n); return p; }
static inline char *wrap(int n) { return make(2 * n); }
__attribute__((noinline)) static char *deep(int d, int n) {
    if (!d) return wrap(n);
    char *r = deep(d - 1, n);
    r[0]++;
    return r;
}
int main(void) {
    long sum = 0;
    for (int i = 0; i < 20; i++) {
        char *a = make(10 + i), *b = wrap(30), *c = deep(i % 6, 8);
        struct node *n = (struct node *)calloc(1, sizeof *n);
        sum += a[0] + b[0] + c[0] + n->text[3];
        free(a); free(c); free(n);
        if (i % 2) free(b);
    }
    return sum == 0;
}
"""
failures = []
compared = 0


def check(good, what):
    global compared
    compared += 1
    if not good:
        failures.append(what)
        print("FAILED: %s" % what)


def run(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def merge(out, *arguments):
    code, _, said = run(ANYPROF, "merge", "--quiet", *arguments, "-o", out)
    if code:
        print("merge %s: %s" % (arguments, said))
    return code == 0


def shown(path):
    return run(ANYPROF, "show", "--memory", path)[1].decode()


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def section(path):
    return _memprof.Section(bytes_of(path))


def content(*sections):
    total = _memprof.Sum()
    for s in sections:
        total.add(s)
    return total.state()


def yaml_tests(directory, rng):
    """Bytes, and text."""
    for i in range(8):
        path = os.path.join(directory, "one%d.yaml" % i)
        with open(path, "w", encoding="utf-8") as f:
            f.write(_memprof.make_yaml(rng, rng.choice([1, 3, 20, 90]), data=i % 3 != 0))
        for version in "234":
            for schema in ([], ["--memprof-full-schema"]):
                what = "YAML %d as version %s %s" % (i, version, schema)
                theirs, mine = os.path.join(directory, "theirs"), os.path.join(directory, "mine")
                options = ["--memprof-version=" + version] + schema
                code, _, said = run(TOOL, "merge", path, *options, "-o", theirs)
                check(code == 0, "%s: llvm-profdata says %s" % (what, said))
                check(merge(mine, path, "--for=llvm-22", *options) and bytes_of(mine) == bytes_of(theirs),
                      "%s: other bytes" % what)
                text = run(TOOL, "show", "--memory", theirs)[1].decode()
                check(shown(theirs) == text, "%s: other text" % what)
                check(_memprof.show(section(theirs)) == text, "%s: the decoder here is wrong" % what)


def rewrite(path, what, directory):
    """A file as every version: what it holds stays."""
    before, out = section(path), os.path.join(directory, "again")
    for version in range(5):
        release = 19 if version < 2 else 22
        check(merge(out, path, "--for=llvm-%d" % release, "--memprof-version=%d" % version),
              "%s as %d" % (what, version))
        after = section(out)
        check(after.version == version, "%s: not version %d" % (what, version))
        wanted = _memprof.Sum()
        wanted.add(before)
        if version < 4:
            wanted.sites = {k: set() for k in wanted.sites}
            wanted.samples, wanted.cold, wanted.cold_hashes = {}, set(), set()
        if version < 2:
            for block in wanted.allocs.values():
                block.update({f: 0 for f in range(1, 28) if f not in block})
        else:
            for block in wanted.allocs.values():
                block.update({f: 0 for f in _memprof.HOT_COLD if f not in block})
        check(content(after) == wanted.state(), "%s as version %d holds something else" % (what, version))
        check(shown(out) == _memprof.show(after), "%s as version %d is shown in another way" % (what, version))
        if version >= 2:
            check(run(TOOL, "show", "--memory", out)[1].decode() == shown(out),
                  "%s as version %d: llvm-profdata shows something else" % (what, version))


def program_tests(directory):
    source, n = os.path.join(directory, "program.c"), 0
    with open(source, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    for release in (15, 16, 19, 22):
        clang, tool = shutil.which("clang-%d" % release), shutil.which("llvm-profdata-%d" % release)
        program = os.path.join(directory, "program%d" % release)
        if not clang or not tool:
            print("skipped: no clang %d" % release)
            continue
        code, _, said = run(clang, "-g", "-O1", "-fdebug-info-for-profiling", "-fmemory-profile", "-no-pie",
                            "-mno-omit-leaf-frame-pointer", "-fno-omit-frame-pointer", "-Wl,--build-id", source, "-o",
                            program)
        if code:
            print("skipped: clang %d has no runtime for it: %s" % (release, said[:100]))
            continue
        subprocess.run([program], env=dict(os.environ, MEMPROF_OPTIONS="log_path=" + program), timeout=60, check=True,
                       stderr=subprocess.DEVNULL)
        raw = glob.glob(program + ".[0-9]*")[0]
        choices = {19: ["0", "1", "2", "3"], 22: ["2", "3", "4"]}.get(release, [None])
        for version in choices:
            out = os.path.join(directory, "p%d.%s" % (release, version))
            options = ["--memprof-version=" + version, "--memprof-full-schema"] if version else []
            code, _, said = run(tool, "merge", raw, "--profiled-binary", program, *options, "-o", out)
            check(code == 0, "llvm-profdata %d: %s" % (release, said))
            check(shown(out) == _memprof.show(section(out)), "program of clang %d, version %s" % (release, version))
            rewrite(out, "program of clang %d, version %s" % (release, version), directory)
            n += 1
        code, _, said = run(ANYPROF, "merge", raw, "-o", os.path.join(directory, "none"))
        check(code == 1 and "a raw memory profile" in said and "--profiled-binary" in said, "raw file: %s" % said)
    return n


def merge_tests(directory, rng):
    """Sums, in any order and with any number of threads."""
    for trial in range(4):
        parts = []
        for i in range(4):
            part, path = os.path.join(directory, "m%d" % i), os.path.join(directory, "m.yaml")
            with open(path, "w", encoding="utf-8") as f:
                text = _memprof.make_yaml(random.Random(trial), 12, fields=range(1, 28)) if i % 2 else \
                    _memprof.make_yaml(rng, 12, fields=_memprof.HOT_COLD if trial % 2 else range(1, 28))
                f.write(text.replace("0x1,", "0x%x," % rng.randrange(1, 99)))
            options = ["--memprof-full-schema"] if trial % 2 == 0 or i % 2 else []
            check(merge(part, path, "--for=llvm-22", "--memprof-version=4", *options), "part %d" % i)
            parts.append(part)
        weights = [1, 3, 1, 7]
        total = _memprof.Sum()
        for part, weight in zip(parts, weights):
            total.add(section(part), weight)
        total.state()
        outputs = set()
        for threads in ("1", "2", "8"):
            order = list(zip(parts, weights))
            rng.shuffle(order)
            out = os.path.join(directory, "sum")
            arguments = ["--weighted-input=%d,%s" % (w, p) for p, w in order]
            check(merge(out, "-j", threads, "--for=llvm-22", *arguments), "merge")
            outputs.add(bytes_of(out))
        check(len(outputs) == 1, "trial %d: the order of the inputs, or threads, can be seen" % trial)
        mine = section(out)
        wanted = total.state()
        for block in wanted[1].values():
            block.update({f: 0 for f in mine.schema if f not in block})
        check(mine.version == 4 and content(mine) == wanted, "trial %d: not the sum" % trial)
        text = run(TOOL, "show", "--memory", out)[1].decode()
        check(shown(out) == text and _memprof.show(mine) == text, "trial %d: other text" % trial)
        again = os.path.join(directory, "again.yaml")
        with open(again, "w", encoding="utf-8") as f:
            f.write(text)
        check(merge(out, again, "--for=llvm-22", "--memprof-full-schema") and content(section(out)) == wanted,
              "trial %d: read from the text that was shown, it is something else" % trial)


def main():
    if not TOOL:
        print("skipped: no llvm-profdata-22")
        return 77
    rng = random.Random(20)
    with tempfile.TemporaryDirectory() as directory:
        yaml_tests(directory, rng)
        merge_tests(directory, rng)
        made = program_tests(directory)
    least = LEAST if made == 9 else LEAST_ALONE
    print("%d outputs compared, %d differ" % (compared, len(failures)))
    if compared < least:
        print("FAILED: these were to be at least %d" % least)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
