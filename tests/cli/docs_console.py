#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documents of PAGES are true: each command of a block of ```console runs, and prints what stands below it. A line
"..." stands for any lines, "..." in a line for any text. The blocks of a page run one after the other in one directory,
in which examples/ is that of the tree; -lanyprof_rt is that of the build. Each section begins in that directory,
without the variables of the others. A command that needs a program that is not installed is not run; neither is what
follows in its section.

    docs_console.py PAGE    runs one page and shows what the commands print"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("ANYPROF_SOURCE_DIR") or os.path.dirname(os.path.dirname(HERE))
ANYPROF = os.environ.get("ANYPROF") or os.path.join(ROOT, "build", "anyprof")
BUILD = os.environ.get("ANYPROF_BUILD_DIR") or os.path.dirname(ANYPROF)
PAGES = ("README.md", "docs/tutorial.md", "docs/who_uses_what.md")
CLANG = "clang-22"  # what the pages call clang: its numbers of regions are those that are shown
FORGOTTEN = ("RUSTFLAGS", "CARGO_", "LLVM_PROFILE", "NO_COLOR", "ANYPROF_RT")  # variables that change what is printed
NEEDS = {"examples/bare_metal/build.sh": ("clang-22", "ld.lld-22", "llvm-ar-22", "qemu-system-arm")}
SHELL = {"cd", "export", "printf", "command", "echo", "true"}


def console_blocks(text):
    """(section, [(command, lines of output)]) of each block."""
    section, commands = "", None
    for line in text.split("\n"):
        if commands is None and line.startswith("## "):
            section = line[3:]
        elif line.startswith("```") and commands is not None:
            yield section, commands
            commands = None
        elif line.startswith("```console"):
            commands = []
        elif commands is not None and line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands is not None and commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
            commands[-1] = (commands[-1][0] + "\n" + line, [])
        elif commands is not None:
            commands[-1][1].append(line)


def programs(command):
    """The names of the programs that a line of shell runs."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    first = True
    for word in lexer:
        if word and all(c in "|&;()" for c in word):
            first = ")" not in word
        elif first and not re.match(r"\w+=", word):
            first = False
            yield word


def missing_program(command, path):
    for word in programs(command):
        for program in NEEDS.get(word, (CLANG if word == "clang" else word,)):
            if "/" not in program and program not in SHELL and not shutil.which(program, path=path):
                return program
    return None


def expected(lines):
    """A regular expression for the output."""
    out = ""
    for line in lines:
        out += r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n"
    return out


class Page:
    def __init__(self, name, environment, directory, verbose):
        self.name, self.first, self.verbose = name, environment, verbose
        self.environment = dict(environment)
        self.here = directory
        self.ran, self.failed, self.left_out = 0, 0, {}
        for part in ("examples", "include", "runtime", "src"):  # the last three are what examples are built of
            os.symlink(os.path.join(ROOT, part), os.path.join(directory, part))

    def fail(self, command, why):
        self.failed += 1
        print(f"FAILED: {self.name}: $ {command}\n{why}")

    def run(self, command, lines):
        """Runs a command in the directory, and with the variables, that the one before has left."""
        state = os.path.join(os.path.dirname(self.here), "state")
        script = f"{command}\ncode=$?\n{{ pwd && export -p; }} >'{state}'\nexit $code\n"
        done = subprocess.run(["bash", "-c", script], cwd=self.environment.get("PWD", self.here), env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=300)
        with open(state, encoding="utf-8") as file:
            where, _, variables = file.read().partition("\n")
        for name, value in re.findall(r'^declare -x (\w+)="(.*)"$', variables, re.M):
            self.environment[name] = value
        self.environment["PWD"] = where
        out = done.stdout.decode(errors="replace")
        self.ran += 1
        if self.verbose:
            print(f"$ {command}\n{out}", end="")
        if not re.fullmatch(expected(lines), out if out.endswith("\n") or not out else out + "\n"):
            shown = "\n".join("    " + line for line in lines)
            self.fail(command, f"  the page shows:\n{shown}\n  it prints:\n" + re.sub("^", "    ", out, flags=re.M))
        elif done.returncode and not any(line.startswith("error:") for line in lines):
            self.fail(command, f"  exit code {done.returncode}")

    def run_blocks(self, text):
        lost = {}
        for section, commands in console_blocks(text):
            if section not in lost:
                lost[section] = None
                self.environment = dict(self.first)
            for command, lines in commands:
                lost[section] = lost[section] or missing_program(command, self.environment["PATH"])
                if lost[section]:
                    self.left_out.setdefault(lost[section], []).append(section)
                else:
                    self.run(command, lines)


def run_page(name, verbose=False):
    with tempfile.TemporaryDirectory(prefix="docs.") as top:
        tools, directory = os.path.join(top, "bin"), os.path.join(top, "work")
        os.mkdir(tools)
        os.mkdir(directory)
        os.symlink(ANYPROF, os.path.join(tools, "anyprof"))
        os.symlink(shutil.which(CLANG) or "/missing", os.path.join(tools, "clang"))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(FORGOTTEN)}
        kept.update(PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C", LIBRARY_PATH=BUILD, PWD=directory)
        page = Page(name, kept, directory, verbose)
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            page.run_blocks(file.read())
        return page


def main():
    if not os.access(ANYPROF, os.X_OK):
        print(f"skipped: no command at {ANYPROF}")
        return 77
    pages = [run_page(name, len(sys.argv) > 1) for name in sys.argv[1:] or PAGES]
    for page in pages:
        for program, sections in sorted(page.left_out.items()):
            print(f"note: {page.name}: {len(sections)} commands are not run, because {program} is not installed")
    ran, failed = sum(page.ran for page in pages), sum(page.failed for page in pages)
    left_out = sum(len(sections) for page in pages for sections in page.left_out.values())
    print(f"{ran} commands ran, {left_out} did not, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
