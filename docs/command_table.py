# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the command, as 'anyprof help --table' prints them, and the prose in docs/prose: what man pages and web
pages are made from."""
import os
import re

# Headings of options that stand after the others, in this order.
LAST_HEADINGS = (
    "Output", "Format of output profile", "Bad inputs", "Limits of each input", "Profile kind",
    "Profile kind supported by show", "General options",
)

# Documents in docs that explain more about a command, by its page. What they are about, docs/README.md says.
GUIDES = {
    "anyprof": ("tutorial", "who_uses_what", "differences"),
    "merge": ("tutorial", "report", "scale", "mpi", "reliability", "differences"),
    "collect": ("scale", "runtime", "reliability"),
    "show": ("tutorial", "differences"),
    "overlap": ("differences",),
    "order": ("differences",),
    "diff": ("tutorial", "json"),
    "convert": ("json",),
    "lookup": ("json",),
    "info": ("tutorial", "json"),
    "check": ("reliability", "json"),
    "report": ("report",),
    "probes": ("probes", "json"),
    "bat": ("bolt", "json"),
    "bolt": ("bolt", "json"),
    "profgen": ("profgen", "bolt", "json"),
    "perf": ("profgen", "json"),
    "cov": ("coverage", "json", "differences"),
}

# Commands that the page of the program explains.
OVERVIEW = ("help", "version")


class Table:
    def __init__(self, data):
        self.version = data["version"]
        self.targets = data["targets"]
        self.sample_targets = data["sample_targets"]
        self.groups = data["groups"]
        self.commands = data["commands"]
        self.options = data["options"]
        for option in self.options:
            option["heading"] = (option["heading"] or "").rstrip(":")
        every = set(range(len(self.options)))
        for command in self.commands:
            every &= set(command["options"])
        self.common = sorted(every)  # options of all commands

    def without_elf(self):
        """The table of a build with -DANYPROF_ELF=OFF."""
        commands = [
            dict(c, options=[n for n in c["options"] if not self.options[n]["elf"]])
            for c in self.commands if not c["elf"]
        ]
        groups = [g for g in self.groups if any(c["name"].startswith(g["name"] + " ") for c in commands)]
        return Table(dict(version=self.version, targets=self.targets, sample_targets=self.sample_targets, groups=groups,
                          commands=commands, options=self.options))

    def visible(self):
        return [c for c in self.commands if not c["hidden"]]

    def group(self, name):
        return next((g for g in self.groups if g["name"] == name), None)

    def commands_of(self, page):
        """The commands that a page is about: one, or those of a group."""
        return [c for c in self.visible() if c["name"] == page or c["name"].startswith(page + " ")]

    def words_of(self, page):
        return [c["name"].split(" ")[1] for c in self.commands_of(page) if " " in c["name"]]

    def pages(self):
        """A page for each command or group, in the order of the table."""
        names = []
        for command in self.visible():
            first = command["name"].split(" ")[0]
            if first not in names and first not in OVERVIEW:
                names.append(first)
        return names

    def numbers_of(self, page):
        """Numbers of the options of a page, but those of all commands."""
        numbers = {n for c in self.commands_of(page) for n in c["options"]}
        return sorted(numbers - set(self.common))

    def summary_of(self, page):
        group = self.group(page)
        return group["summary"] if group else self.commands_of(page)[0]["summary"]

    def headings_of(self, page):
        """(heading, numbers of its options) of a page, in order, but for options that do nothing."""
        found = {}
        for number in self.numbers_of(page):
            if not self.options[number]["later"] and not self.options[number]["no_effect"]:
                found.setdefault(self.options[number]["heading"], []).append(number)
        return sorted(found.items(), key=lambda h: LAST_HEADINGS.index(h[0]) if h[0] in LAST_HEADINGS else -1)

    def idle_options(self, page):
        """(heading, explanation, names) of LLVM's options that do nothing here."""
        for flag, heading, text in (
            ("later", "Options of LLVM's tool that are not supported", "They are errors:"),
            (
                "no_effect", "Options of LLVM's tool without effect",
                "They are about other kinds of profiles; each prints a warning:",
            ),
        ):
            names = [f"`--{self.options[n]['name']}`" for n in self.numbers_of(page) if self.options[n][flag]]
            if names:
                yield heading, text, names

    def note_of(self, page, number, notes):
        """The prose on an option: under its name with the name of a command, or under its name alone, once."""
        name = self.options[number]["name"]
        words = [c["name"].split(" ")[-1] for c in self.commands_of(page) if number in c["options"]]
        keys = [f"{word} --{name}" for word in words] + [f"--{name}"]
        key = next((k for k in keys if k in notes and (k not in notes["used"] or " " in k)), None)
        if key:
            notes["used"].add(key)
        return notes.get(key)

    def option_keys(self, page):
        """What prose may call the options of a page."""
        keys = set()
        for command in self.commands_of(page):
            for number in set(command["options"]) - set(self.common):
                name = "--" + self.options[number]["name"]
                keys |= {name, f"{command['name'].split(' ')[-1]} {name}"}
        return keys

    def names_of(self, command):
        options = [self.options[n] for n in command["options"]]
        return {o["name"] for o in options} | {o["alias"] for o in options if o["alias"]}

    def find(self, words):
        """The command that words begin with, and what follows its name."""
        n = 2 if words and self.group(words[0]) else 1
        for command in self.commands:
            if command["name"].split(" ") == words[:n]:
                return command, words[n:]
        return None, words


class Prose:
    """A page of docs/prose: its text in front of the first heading, and sections by their headings, in order. A
    section is a list of (heading of the third level or None, lines)."""

    def __init__(self, text):
        self.sections = {"": [(None, [])]}
        section, code = self.sections[""], False
        for line in text.split("\n"):
            if line.startswith("```"):
                code = not code
            heading = None if code else re.match(r"(#{1,3}) (.*)", line)
            if heading and heading[1] == "##":
                section = self.sections.setdefault(heading[2], [(None, [])])
            elif heading and heading[1] == "###":
                section.append((heading[2].strip("`"), []))
            elif not heading:
                section[-1][1].append(line)

    def notes(self, section):
        """{heading of the third level: lines} of a section."""
        return {title: lines for title, lines in self.sections.get(section, []) if title}

    def intro(self, section):
        return self.sections.get(section, [(None, [])])[0][1]


def read_prose(directory):
    prose = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".md"):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                prose[name[:-3]] = Prose(file.read())
    return prose


# ---- text of the table, with the markup of prose ----

OPTION = re.compile(r"(?<![\w'-])(--?[A-Za-z][\w-]*(?:=[\w.-]*\w)?)")


def help_text(text, operand=None):
    """Help of the table is plain text: what it names gets markup."""
    text = OPTION.sub(r"`\1`", text.replace("`", "'"))
    text = re.sub(r"'([^' ]+)'", r"`\1`", text)
    if operand and re.fullmatch(r"[A-Z]+", operand):
        text = re.sub(rf"\b{operand}\b(?![^`]*`)", f"*{operand}*", text)
    return text


def details(command):
    # A line that ends with a dash is cut inside a word.
    text = re.sub(r"-\n", "-", command["details"] or "").replace("\n", " ")
    return [help_text(text)] if text else []


def option_text(table, page, number):
    """The help of an option, after the names of the commands that have it unless all commands of the page do."""
    option = table.options[number]
    before = with_which(table, page, number)
    text = help_text(option["help"], option["operand"])
    return sentence(before + (lower(text) if before else text))


def sentence(text):
    return text if text.endswith((".", ":", "?")) else text + "."


def lower(text):
    return text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def listing(words):
    words = [f"`{w}`" for w in words]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def with_which(table, page, number):
    """"With `a` and `b`: ", unless all commands of a page have the option."""
    commands = table.commands_of(page)
    have = [c["name"].split(" ")[-1] for c in commands if number in c["options"]]
    lack = [c["name"].split(" ")[-1] for c in commands if number not in c["options"]]
    if not lack:
        return ""
    if len(lack) < 3 <= len(have):
        return f"With all but {listing(lack)}: "
    return f"With {listing(have)}: "


EXIT_STATUS = """- `0`: Done; there may have been warnings.
- `1`: An input is bad, or an output could not be written.
- `2`: The command line is wrong.""".split("\n")


def sentences(text):
    return re.split(r"(?<=[a-z0-9)\]R`*][.:?!]) (?=[A-Z`\\*-])", text)
