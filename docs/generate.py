#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the man pages (docs/man), the web pages (docs/commands) and the completions (cli/completions) from the command's
own tables and the prose in docs/prose, and the man pages of the runtime and of anyprof-mpi from
docs/runtime.md and docs/mpi.md. The results are committed,
so that nothing has to run when anyprof is built or installed, perhaps for another machine; cli/man.sh checks that they
are current.

  docs/generate.py build/anyprof            write them
  docs/generate.py --check build/anyprof    say what is not current or wrong; exit code 1 if anything is

A new command needs docs/prose/NAME.md (or a part of its group's), with an example that runs it:

  text                                      the description, after what the table says
  ## Commands, ### WORD                     of a group: more on its command WORD
  ## Options, ### --NAME or ### WORD --NAME more on an option than the table's help, which stands in front of it
  ## Examples, ## Exit status, ...          sections of the page
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import completions  # noqa: E402
import man_pages  # noqa: E402
import web_pages  # noqa: E402
from command_table import GUIDES, OVERVIEW, Prose, Table, read_prose  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROSE = os.path.join(ROOT, "docs", "prose")


def load(command):
    out = subprocess.run([command, "help", "--table"], stdout=subprocess.PIPE, check=True).stdout
    return Table(json.loads(out))


def complaints_about_table(table, prose):
    for option in table.options:
        if not option["help"] and not option["later"] and not option["no_effect"]:
            yield f"--{option['name']} has no help"
        for choice in option["choices"]:
            if not choice["help"]:
                yield f"--{option['name']}={choice['name']} has no help"
    for page in table.pages():
        if page not in prose:
            yield f"docs/prose/{page}.md is missing"
            continue
        if "Examples" not in prose[page].sections:
            yield f"docs/prose/{page}.md has no examples"
        for notes, known in (("Options", table.option_keys(page)), ("Commands", table.words_of(page))):
            for key in prose[page].notes(notes):
                if key not in known:
                    yield f"docs/prose/{page}.md: {notes} has '{key}', which does not exist"
        for word in table.words_of(page):
            if word not in prose[page].notes("Commands"):
                yield f"docs/prose/{page}.md: no heading for '{word}' under Commands"
    for name in sorted({name for names in GUIDES.values() for name in names}):
        if not os.path.exists(os.path.join(ROOT, "docs", f"{name}.md")):
            yield f"docs/{name}.md is missing, which GUIDES of command_table.py names"
    for page in prose:
        if page != "anyprof" and page not in table.pages():
            yield f"docs/prose/{page}.md belongs to no command"


def commands_in(line):
    """The simple commands of a line of shell, as words."""
    words = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    for word in lexer:
        if word and all(c in "|&;()<>" for c in word):
            if word[0] not in "<>":
                yield words
                words = []
        else:
            words.append(word)
    yield words


def example_lines(text):
    """Lines of code blocks that are shell; of a console only what is typed."""
    language = None
    for number, line in enumerate(text.split("\n"), 1):
        fence = re.match(r"\s*```(\w*)", line)
        if fence:
            language = None if language is not None else fence[1] or "none"
        elif language in ("sh", "bash") or (language == "console" and line.startswith("$ ")):
            yield number, line[2:] if line.startswith("$ ") else line


def check_example(table, words):
    """What is wrong with a command line of ours, and which command it is of."""
    command, rest = table.find(words[1:])
    if not command:
        return None, None if words[1:2] in (["--version"], []) else f"no such command: {' '.join(words)}"
    known = table.names_of(command)
    for word in rest:
        if word == "--":
            break
        name = re.match(r"--?([A-Za-z][\w-]*)", word)
        if name and name[1] not in known:
            return command, f"{command['name']} has no option {word}"
    return command, None


def complaints_about_examples(table, pages):
    shown = set()
    for path in pages:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for number, line in example_lines(text):
            if "anyprof" not in line:
                continue
            try:
                commands = [w for w in commands_in(line) if w and re.search(r"(^|/)anyprof$", w[0])]
            except ValueError:
                continue  # a quotation over several lines
            for words in commands:
                command, wrong = check_example(table, words)
                if wrong:
                    yield f"{os.path.relpath(path, ROOT)}:{number}: {wrong}"
                elif command and path.startswith(PROSE):
                    shown.add(command["name"])
    for command in table.visible():
        if command["name"] not in shown and command["name"] not in OVERVIEW:
            yield f"docs/prose: no example of anyprof {command['name']}"


def markdown_pages():
    pages = [os.path.join(ROOT, "README.md")]
    for directory, _, files in os.walk(os.path.join(ROOT, "docs")):
        pages += [os.path.join(directory, name) for name in sorted(files) if name.endswith(".md")]
    return pages


def make(table, prose):
    """What there should be: {path in the tree: text}."""
    files = {}
    with open(os.path.join(ROOT, "docs", "README.md"), encoding="utf-8") as file:
        subjects = web_pages.subjects_of(file.read())
    for page in ["anyprof"] + table.pages():
        name = "anyprof" if page == "anyprof" else f"anyprof-{page}"
        files[f"docs/man/{name}.1"] = man_pages.make(table, page, prose[page])
        files[f"docs/commands/{page}.md"] = web_pages.make(table, page, prose[page], subjects)
    with open(os.path.join(ROOT, "docs", "runtime.md"), encoding="utf-8") as file:
        files["docs/man/anyprof_rt.7"] = man_pages.make_topic(
            table, "anyprof_rt", "profile runtime of instrumented programs",
            ["clang -fprofile-instr-generate ... -lanyprof_rt", "#include <anyprof/rt.h>"], Prose(file.read()),
        )
    with open(os.path.join(ROOT, "docs", "mpi.md"), encoding="utf-8") as file:
        files["docs/man/anyprof-mpi.1"] = man_pages.make_topic(
            table, "anyprof-mpi", "merge profiles on several machines",
            ["mpirun [...] anyprof-mpi merge --work-dir=DIR [OPTIONS] -o FILE INPUTS..."], Prose(file.read()), 1)
    for directory, offered in (("", table), ("without_elf/", table.without_elf())):
        for name, text in completions.make(offered).items():
            files[f"cli/completions/{directory}{name}"] = text
    return files


def complaints_about_pages(table, files):
    """Options of a command that its page in docs/commands does not explain, or list if they do nothing."""
    for command in table.visible():
        path = f"docs/commands/{command['name'].split(' ')[0]}.md"
        for option in [table.options[number] for number in command["options"]] if path in files else []:
            item = "" if option["later"] or option["no_effect"] else "^- (?:`-[^`]+`, )?"
            if not re.search(rf"{item}`--?{re.escape(option['name'])}[=`]", files[path], re.M):
                yield f"{path} lacks --{option['name']}"


def existing():
    for directory in ("docs/man", "docs/commands", "cli/completions", "cli/completions/without_elf"):
        path = os.path.join(ROOT, directory)
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            if os.path.isfile(os.path.join(path, name)):
                yield f"{directory}/{name}"


def read(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("anyprof", help="the command, built for this machine")
    args = parser.parse_args()
    table = load(args.anyprof)
    prose = read_prose(PROSE)
    wrong = list(complaints_about_table(table, prose))
    wrong += complaints_about_examples(table, markdown_pages())
    files = make(table, prose) if not any("is missing" in text for text in wrong) else {}
    wrong += complaints_about_pages(table, files)
    for path, text in files.items():
        if read(path) == text:
            continue
        if args.check:
            wrong.append(f"{path} is not current: run docs/generate.py {os.path.relpath(args.anyprof, ROOT)}")
            continue
        os.makedirs(os.path.join(ROOT, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(text)
        print("written:", path)
    for path in existing() if files else []:
        if path not in files:
            wrong.append(f"{path} is not generated: remove it")
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
