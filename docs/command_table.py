# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the command, as 'anyprof help --table' prints them, and the prose in docs/commands."""
import os
import re

# Commands that the page of the program explains.
OVERVIEW = ("help", "version")


class Table:
    def __init__(self, data):
        self.version = data["version"]
        self.targets = data["targets"]
        self.groups = data["groups"]
        self.commands = data["commands"]
        self.options = data["options"]
        every = set(range(len(self.options)))
        for command in self.commands:
            every &= set(command["options"])
        self.common = sorted(every)  # options of all commands

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
    """A page of docs/commands: its text in front of the first heading, and sections by their headings, in order. A
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
