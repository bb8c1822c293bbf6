# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Larger programs of cov_releases.py, all beside llvm-cov-22, byte for byte: Rust, the headers of C++'s library, and
ways to compile and link. The profiles are those that `merge` writes."""

import os
import shutil

import _coverage as c
import _profiles as p

RUST_SOURCE = """
use std::collections::BTreeMap;
use std::fmt::Debug;

#[derive(Debug, Clone, PartialEq)]
enum Shape { Circle(f64), Rect { w: f64, h: f64 }, Unit }

trait Area { fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2.0 } }

impl Area for Shape {
    fn area(&self) -> f64 {
        match self {
            Shape::Circle(r) if *r > 10.0 => 314.0,
            Shape::Circle(r) => r * r * 3.0,
            Shape::Rect { w, h } => w * h,
            Shape::Unit => 1.0,
        }
    }
}

fn parse(s: &str) -> Result<i32, String> {
    let n: i32 = s.parse().map_err(|_| format!("bad {}", s))?;
    if n < 0 && n > -5 || n == 77 { return Err("negative".to_string()); }
    Ok(n)
}

fn largest<T: PartialOrd + Copy>(values: &[T]) -> Option<T> {
    let mut found = *values.first()?;
    for &v in values { if v > found { found = v; } }
    Some(found)
}

struct Guard<'a>(&'a mut u32);
impl Drop for Guard<'_> { fn drop(&mut self) { *self.0 += 1; } }

macro_rules! square { ($x:expr) => { if $x > 3 { $x * $x } else { 0 } }; }
macro_rules! make { ($name:ident) => { fn $name(x: u32) -> u32 { if x > 1 { x } else { 1 } } }; }
make!(made);
make!(made_and_unused);

#[allow(dead_code)]
fn unused(x: i32) -> i32 { if x > 0 { x } else { -x } }
#[allow(dead_code)]
fn unused_generic<T: Debug>(x: T) -> String { format!("{:?}", x) }
const fn power(n: u32) -> u32 { if n == 0 { 1 } else { 2 * power(n - 1) } }

mod tests {
    pub fn all() -> usize { let tests: [fn() -> bool; 2] = [first, || square!(4) == 16]; run(&tests) }
    fn first() -> bool { assert!(super::parse("5").is_ok(), "of {}", 5); super::largest::<u8>(&[]).is_none() }
    fn run(tests: &[fn() -> bool]) -> usize { tests.iter().filter(|t| t()).count() }
}

fn main() {
    let shapes = vec![Shape::Circle(1.0), Shape::Rect { w: 2.0, h: 3.0 }];
    let sum: f64 = shapes.iter().map(|s| s.twice()).filter(|a| *a > 3.5).sum();
    let mut n = 0;
    for s in ["1", "x", "-3"] { match parse(s) { Ok(k) => n += k, Err(_) => n -= 1 } }
    let closure = |k: i32| { square!(k) };
    while n < 5 { n += 2; if n == 4 { continue; } }
    let mut dropped = power(3);
    { let _guard = Guard(&mut dropped); }
    let mut words = BTreeMap::new();
    for w in "a b a".split(' ') { *words.entry(w).or_insert(0) += 1; }
    let most = match largest(&[3, 9, 2]) { Some(most) if most > 1 => most, _ => panic!("nothing") };
    if let Some(0) = words.get("z") { unreachable!() }
    println!("{} {} {} {:?} {}", sum, n, closure(2) + closure(5), largest(&[0.5, 0.1]), made(dropped));
    println!("{:?} {} {}", words, most, tests::all());
}
"""
STD_SOURCE = """
#include <algorithm>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

struct Visitor {
    int operator()(int x) const { return x; }
    int operator()(const std::string &s) const { return static_cast<int>(s.size()); }
};
template <class C> int total(const C &c) { return std::accumulate(c.begin(), c.end(), 0); }

int main()
{
    std::vector<int> v(40);
    std::iota(v.begin(), v.end(), -7);
    std::reverse(v.begin(), v.end());
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 5 != b % 5 ? a % 5 < b % 5 : a < b; });
    std::stable_sort(v.begin(), v.end(), std::greater<int>());
    std::list<int> l(v.begin(), v.end());
    l.sort();
    std::set<int> s(v.begin(), v.end());
    std::multimap<int, std::string> m;
    std::unordered_map<std::string, std::shared_ptr<int>> u;
    for (int x : v) {
        m.emplace(x % 3, std::to_string(x));
        u[std::to_string(x)] = std::make_shared<int>(x);
    }
    std::deque<int> d;
    std::priority_queue<int> q;
    for (int x : s) {
        if (x & 1) d.push_front(x); else d.push_back(x);
        q.push(-x);
    }
    std::ostringstream out;
    for (auto &[key, word] : m) out << key << word << ' ';
    std::variant<int, std::string> either = out.str();
    std::optional<int> none;
    std::regex digits("([0-9]+) (-?)");
    int found = std::regex_search(out.str(), digits) ? 1 : 0;
    return total(v) + total(l) + total(d) + q.top() + std::visit(Visitor(), either) + none.value_or(found) == 1;
}
"""
# name, flags of a program of main.c and dso.c
LINKS = [
    ("lto-thin", ["-flto=thin", "-fuse-ld=lld"]),
    ("lto", ["-flto", "-fuse-ld=lld", "-O2"]),
    ("sections", ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-O1"]),
    ("lld-sections", ["-ffunction-sections", "-Wl,--gc-sections", "-fuse-ld=lld"]),
    ("prefix-map", ["-fcoverage-prefix-map={}=/elsewhere"]),
    ("compilation-dir", ["-fcoverage-compilation-dir=/elsewhere"]),
    ("static", ["-static", "-fcoverage-mcdc"]),
    ("no-pie", ["-no-pie", "-Wl,--icf=all", "-fuse-ld=lld"]),
]


def run(report, words, directory, profile="none"):
    os.environ["LLVM_PROFILE_FILE"] = profile
    done = p.run(words, cwd=directory, timeout=100)
    return report.check(" ".join(words[:2]) + " ... " + words[-1], done.code == 0, done.errors())


def check_program(report, name, program, directory, kinds=c.OUTPUTS):
    """Runs a program that is built, and compares all that is shown of it."""
    raw, indexed = name + ".profraw", name + ".profdata"
    if not run(report, [os.path.join(directory, program)], directory, raw):
        return
    merged = p.anyprof("merge", raw, "-o", indexed, cwd=directory)
    report.same(f"{name} is merged", merged.code, 0)
    c.compare(report, name, c.outputs(program, indexed, kinds=kinds), cwd=directory)


def check_rust(report, directory):
    rustc = shutil.which("rustc") or shutil.which(os.path.expanduser("~/.cargo/bin/rustc"))
    if not rustc:
        return report.skip("Rust", "there is no rustc")
    version = p.run([rustc, "-vV"]).out.decode().rpartition("LLVM version: ")[2]
    if int(version.partition(".")[0] or 99) > 22:
        return report.skip("Rust", "rustc is of an LLVM after 22")
    where = os.path.join(directory, "rust")
    os.mkdir(where)
    with open(os.path.join(where, "shapes.rs"), "w", encoding="ascii") as file:
        file.write(RUST_SOURCE)
    for name, flags in (("plain", []), ("optimized", ["-O", "-Ccodegen-units=1"]), ("test", ["--cfg", "test"])):
        built = p.run([rustc, "-Cinstrument-coverage", "--edition=2021", *flags, "shapes.rs", "-o", name], cwd=where)
        if b"profiler_builtins" in built.err:
            return report.skip("Rust", "rustc has no profiler runtime")
        if report.check(f"rust-{name} is built", built.code == 0, built.errors()):
            check_program(report, f"rust-{name}", name, where)


def check_std(report, directory):
    """Mappings of several hundred functions that refer to one another's headers."""
    with open(os.path.join(directory, "std.cc"), "w", encoding="ascii") as file:
        file.write(STD_SOURCE)
    flags = ["-std=c++17", "-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm", "-system-headers-coverage"]
    if run(report, ["clang-22", *flags, "std.cc", "-lstdc++", "-lm", "-o", "std"], directory):
        check_program(report, "std", "std", directory)


def check_links(report, directory):
    flags = ["-fprofile-instr-generate", "-fcoverage-mapping"]
    for name, more in LINKS:
        if "-fuse-ld=lld" in more and not (shutil.which("ld.lld") or shutil.which("ld.lld-22")):
            report.skip(name, "there is no lld")
            continue
        more = [flag.format(directory) for flag in more]
        if run(report, ["clang-22", *flags, *more, "main.c", "dso.c", "-o", name], directory):
            check_program(report, name, name, directory, c.WHOLE_OUTPUTS)


def check_versions(report, directory):
    """A library of the oldest clang and a program of 22: one profile of two versions, which only anyprof merges."""
    oldest = c.CLANGS[0]
    flags = ["-fprofile-instr-generate", "-fcoverage-mapping"]
    if oldest == 22:
        return report.skip("a program of two versions", "there is no older clang")
    with open(os.path.join(directory, "exported"), "w", encoding="ascii") as file:
        file.write("{ global: from_library; local: *; };\n") # else the two have one runtime
    for words in ([f"clang-{oldest}", *flags, "-shared", "-fPIC", "-Wl,--version-script=exported", "dso.c", "-o",
                   "libold.so"],
                  ["clang-22", *flags, "main.c", "-L.", "-lold", "-Wl,-rpath," + directory, "-o", "new"]):
        if not run(report, words, directory):
            return None
    # each writes a file of its own version
    run(report, [os.path.join(directory, "new")], directory, "versions-%m.profraw")
    raw = sorted(name for name in os.listdir(directory) if name.startswith("versions-"))
    report.same("files of a program of two versions", len(raw), 2)
    merged = p.anyprof("merge", "--for=llvm-22", *raw, "-o", "versions.profdata", cwd=directory)
    report.same("two versions are merged", (merged.code, merged.errors()), (0, ""))
    c.compare(report, "two versions", c.outputs("new", "versions.profdata", ["-object=libold.so"]), cwd=directory)
    return None


def check(report, directory):
    if not c.LLVM_COV or 22 not in c.CLANGS:
        return report.skip("languages", "clang 22 or llvm-cov-22 is not installed")
    check_rust(report, directory)
    check_std(report, directory)
    check_links(report, directory)
    return check_versions(report, directory)
