#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rustc and cargo: programs with the runtime that rustc brings and with ours say the same. rustc links its own unless
ours is in front of it, which `-l static=anyprof_rt` does."""

import glob
import os
import re
import shutil

import _lib
from _lib import ANYPROF, BUILD, must, run

MAIN = """
mod part;
fn twice(x: u32) -> u32 { x * 2 }
#[inline(never)]
fn step(i: u32, f: fn(u32) -> u32) -> u32 { if i % 3 == 0 { f(i) } else { part::other(i) } }
fn main() {
    let targets: [fn(u32) -> u32; 2] = [twice, part::other];
    let mut sum = 0u32;
    for i in 0..50 {
        let f = std::hint::black_box(targets)[(i % 2) as usize];
        sum = sum.wrapping_add(step(std::hint::black_box(i), f));
    }
    if sum == 12345678 { std::process::exit(3); }
}
#[test]
fn adds() { assert_eq!(step(1, twice), 2); }
#[test]
fn doubles() { assert_eq!(step(3, twice), 6); }
"""
PART = "#[inline(never)]\npub fn other(x: u32) -> u32 { match x { 0 => 7, 1..=20 => x + 1, _ => x } }\n"
LIBRARY = ["-L", "native=" + BUILD, "-l", "static:-bundle=anyprof_rt"]
MODES = {"coverage": ["-C", "instrument-coverage"], "PGO": ["-O", "-C", "profile-generate"]}
CARGO = """[package]
name = "counted"
version = "0.1.0"
edition = "2021"

[[bin]]
name = "counted"
path = "main.rs"
"""


def source(shop):
    path = shop.path("main.rs")
    for name, text in (("main.rs", MAIN), ("part.rs", PART), ("Cargo.toml", CARGO)):
        with open(os.path.join(os.path.dirname(path), name), "w", encoding="utf-8") as file:
            file.write(text)
    return path


def rust(command, directory, **more):
    """With what rustup wants of the environment."""
    kept = {name: os.environ[name] for name in ("RUSTUP_HOME", "CARGO_HOME") if name in os.environ}
    return must(command, directory, **kept, **more)


def readers():
    """llvm-profdata of the newest clang, and anyprof: rustc's profiles are of a raw version that both read."""
    return [_lib.clangs()[-1].profdata, ANYPROF]


def is_ours(program):
    return "aprt_store_write" in must(["nm", program]).split()


def same(checks, theirs, ours, what, count="(?:17|33)"):
    """count: how often step() took one of its ways."""
    for tool in readers():
        text = _lib.merged(tool, *theirs)
        checks.that(text and re.search(r"4step.*\n(?:.+\n)+?# Counter Values:\n(?:\d+\n)*%s\n" % count, text),
                    what + ": compiler-rt's profile", str(text)[:1000])
        checks.equal(_lib.merged(tool, *ours), text, "%s: %s" % (what, os.path.basename(tool)))


def check_rustc(mode, shop, checks):
    """One object, linked twice."""
    main = source(shop)
    made, raw = [], []
    for ours in (False, True):
        program = shop.path("program")
        # The same crate name and metadata: only what is linked differs.
        rust(["rustc", "--edition=2021", *MODES[mode], "-C", "metadata=same", main, "-o", program,
              *(LIBRARY if ours else [])], os.path.dirname(main))
        made.append(program)
        raw.append(os.path.join(os.path.dirname(program), "a.profraw"))
        must([program], profile=raw[-1])
    checks.equal([is_ours(program) for program in made], [False, True], "rustc %s: whose runtime" % mode)
    same(checks, raw[:1], raw[1:], "rustc %s" % mode)
    pool = os.path.join(os.path.dirname(raw[1]), "pool")
    for _ in range(3):
        must([made[1]], profile=os.path.join(pool, "%m.profraw"))
    same(checks, raw[:1] * 3, glob.glob(os.path.join(pool, "*")), "rustc %s: three runs" % mode, "(?:51|99)")


def check_cargo(what, shop, checks):
    """RUSTFLAGS, as docs/runtime.md has it."""
    found = []
    directory = os.path.dirname(source(shop))  # the same for both: its name is in the hashes of functions
    for ours in (False, True):
        flags = " ".join([*MODES["coverage"], *(LIBRARY if ours else [])])
        profiles = os.path.dirname(shop.path("profiles"))
        rust(["cargo", what, "--offline", "--quiet"], directory, RUSTFLAGS=flags, CARGO_INCREMENTAL="0",
             LLVM_PROFILE_FILE=os.path.join(profiles, "%m.profraw"), CARGO_TARGET_DIR=shop.path("target"))
        found.append(glob.glob(os.path.join(profiles, "*.profraw")))
    checks.equal(len(found[1]), len(found[0]), "cargo %s: how many files" % what)
    same(checks, *found, "cargo %s" % what, "1" if what == "test" else "17")


def main():
    if not shutil.which("rustc"):
        _lib.skip("no rustc")
    checks, shop = _lib.Checks(), _lib.Workshop()
    if run(["rustc", "--version"], HOME=os.environ.get("HOME", "/")).returncode:
        _lib.skip("rustc does not run")
    checks.each(MODES, lambda mode: check_rustc(mode, shop, checks))
    cargo = shutil.which("cargo") is not None
    if cargo:
        checks.each(["run", "test"], lambda what: check_cargo(what, shop, checks))
    checks.finish("rustc: %s%s" % (" and ".join(MODES), "; cargo run, cargo test" if cargo else "; no cargo"))


if __name__ == "__main__":
    main()
