# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the man pages and the pages of the site say about a function beside its comment: which library has it, what ends
the handle that it makes, the meaning of the codes that its comment names, and its use in examples/."""
import os
import re
import textwrap

from command_table import lower

TOKEN = re.compile(r"`[^`]+`|(?P<emphasis>\*[a-z][\w ]*\*)|\b(?:struct|enum) apf_\w+"
                   r"|\*?\bapf_\w+(?:(?:\.|->)[a-z]\w*(?:\[\w*\])?)*|\bAPF_[A-Z0-9_]+\*?"
                   r"|\*[a-z]\w*|(?<![\w`-])--?[A-Za-z][\w-]{2,}(?:=[\w.-]*\w)?|\bdocs/[\w/]+\.md\b|\b\w+/\w+\.[ch]\b")
DEFINITION = re.compile(r"^(?:[a-z].*[ *])?(apf_\w+)\([^;]*$", re.M)
LONGEST_EXAMPLE = 45
LONGEST_SUMMARY = 100
CODES_SHOWN = ("OK", "END")


class Api:
    """The headers, and what the rest of the tree says about their functions."""

    def __init__(self, root, headers, elf=True):
        self.headers = headers
        self.libraries = libraries_of_functions(root, elf)
        self.codes = {m[1]: m[2] for h in headers if h.name == "error.h" for i in h.items if i.names[0] == "APF_CODES"
                      for m in re.finditer(r'X\((\w+), \d+, \d, "(.*?)"\)', i.code)}
        self.version = ".".join(re.findall(r"APF_VERSION_\w+ (\d+)", next(
            i.code for h in headers if h.name == "anyprof.h" for i in h.items)))
        self.enders = {}
        for header in headers:
            for item in header.functions():
                ends = re.search(r"_(?:close|free)\(struct (apf_\w+) \*\w+\);", item.code)
                if ends:
                    self.enders[ends[1]] = item.name
        self.examples = read_examples(os.path.join(root, "examples"))
        self.header_of = {i.name: h for h in headers for i in h.functions()}

    def library(self, header):
        """The library of a header's functions; that of the runtime is linked by clang."""
        if header.name == "rt.h":
            return "anyprof_rt"
        found = {self.libraries[i.name] for i in header.functions() if i.name in self.libraries}
        return "anyprof-elf" if found == {"anyprof-elf"} or header.name == "anyprof.h" else "anyprof"

    def is_built(self, item):
        """Whether a build has the function: with -DANYPROF_ELF=OFF some are missing."""
        return item.inline or item.name in self.libraries or self.header_of[item.name].name == "rt.h"

    def link_line(self, header, item=None):
        library = self.libraries.get(item.name) if item else None
        library = library or self.library(header)
        if library == "anyprof_rt":
            return "clang -fprofile-instr-generate program.c -lanyprof_rt"
        return f"cc program.c $(pkg-config --cflags --libs {library})"

    def made_handles(self, item):
        """(parameter, what ends it) of the handles that a function makes."""
        lent = "belongs to" in " ".join(item.doc)
        for kind, name in re.findall(r"(?<!const )struct (apf_\w+) \*\*(\w+)", item.code):
            if kind in self.enders and item.name != self.enders[kind] and not lent:
                yield name, self.enders[kind]

    def named_codes(self, item):
        """(code, LLVM's words) of the codes that a comment names."""
        names = dict.fromkeys(re.findall(r"\bAPF_([A-Z0-9_]+)\b", " ".join(item.doc)))
        return [(f"APF_{name}", self.codes[name]) for name in names if name in self.codes and name not in CODES_SHOWN]

    def example(self, item):
        """(file, lines) of the shortest function in examples/ that calls it; None if there is none."""
        found = [(len(lines), path, lines) for path, lines in self.examples
                 if re.search(rf"\b{item.name}\(", "\n".join(lines))]
        return min(found)[1:] if found else None


def libraries_of_functions(root, elf):
    """{function: library}, from where it is defined; without ELF as that build has them."""
    found, src = {}, os.path.join(root, "src")
    with open(os.path.join(src, "rooms.txt"), encoding="utf-8") as file:
        rooms = [line.split()[:3] for line in file if line.strip() and not line.startswith("#")]
    for room, with_elf, without in rooms:
        library = with_elf if elf else without
        if library == "-":
            continue
        for directory, _, names in os.walk(os.path.join(src, room)):
            for name in sorted(names):
                if name.endswith(".c"):
                    with open(os.path.join(directory, name), encoding="utf-8") as file:
                        found.update((function, library) for function in DEFINITION.findall(file.read()))
    return found


def read_examples(directory):
    """(file, lines of a function) of all examples."""
    found = []
    for name in sorted(os.listdir(directory)):
        if not name.endswith(".c"):
            continue
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            for body in re.findall(r"^[a-z][^\n;]*\)\n\{\n.*?^\}$", file.read(), re.M | re.S):
                lines = body.split("\n")
                if len(lines) <= LONGEST_EXAMPLE:
                    found.append((f"examples/{name}", lines))
    return found


def summary(item):
    """The first sentence of a comment, or its beginning, as the line of a list."""
    text = re.split(r"(?<=[a-z0-9)\]`])[.] ", " ".join(" ".join(item.doc).split()))[0]
    if len(text) > LONGEST_SUMMARY:
        text = text[:LONGEST_SUMMARY].rsplit(" ", 1)[0]
        ends = [m.start() for m in re.finditer(r"[:;,](?= )| \(", text)]
        text = text[:ends[-1]] if ends else text + " ..."
    return lower(text.rstrip(".:;,"))


def upper(text):
    return text[:1].upper() + text[1:]


def marked(text, escape, code):
    """Text of a comment: `code` is applied to what names things of C, `escape` to the rest."""
    out, at = [], 0
    for token in TOKEN.finditer(text):
        out += [escape(text[at:token.start()]), token["emphasis"] or code(token[0].strip("`"))]
        at = token.end()
    return "".join(out) + escape(text[at:])


def paragraphs(lines):
    """(kind, text) of the paragraphs, items of lists and blocks of code of a comment."""
    kind, held, found = None, [], []

    def end():
        while held and not held[-1]:
            held.pop()
        if held:
            found.append((kind, "\n".join(held) if kind == "code" else " ".join(line.strip() for line in held)))
        held.clear()

    for line in lines + [""]:
        begins = {"  ": "code", "- ": "item"}.get(line[:2], "text")
        if not line and kind != "code":
            end()
            kind = None
        elif kind is None or begins == "item" or (kind == "code" and line and begins != "code"):
            end()
            kind = begins
        if kind:
            held.append(line)
    end()
    return found


def prose(lines, escape, code):
    """A comment as Markdown: code has a fence, the rest marks."""
    out = []
    for kind, text in paragraphs(lines):
        out += [] if kind == "item" and out and out[-1].startswith("- ") else [""]
        if kind == "code":
            out += ["```c", *textwrap.dedent(text).split("\n"), "```"]
        elif kind == "item":
            out.append("- " + marked(text[2:], escape, code))
        else:
            out.append(marked(text, escape, code))
    return out[1:]


def facts(api, item, code):
    """(heading, lines of Markdown) of what the declaration and the other declarations say of a function."""
    found = []
    if re.match(r"int ", item.code) and "struct apf_error *error" in item.code:
        end = f" {code('APF_END')} past the last one." if "APF_END" in " ".join(item.doc) else ""
        found.append(("Return value", [f"{code('APF_OK')}, or another code of {code('enum apf_code')}, with the "
                                       f"details in {code('*error')}.{end}"]))
    named = api.named_codes(item)
    if named:
        found.append(("Errors", ["The description names these codes:", ""] +
                      [f"- {code(name)}: {words}" for name, words in named]))
    owned = [f"{code('*' + name)} is the caller's. {code(ender)} ends it." for name, ender in api.made_handles(item)]
    if item.code.startswith("const struct"):
        owned.append("The result belongs to the handle, and is valid until that is closed or freed, unless the "
                     "description says otherwise. Do not free it.")
    if owned:
        found.append(("Ownership", [" ".join(owned)]))
    return found


def mentioned(api, item):
    """Functions that a reader of this one looks at next."""
    names = [ender for _, ender in api.made_handles(item)]
    names += re.findall(r"\b(apf_\w+)\b", " ".join(item.doc))
    names += [opener.name for h in api.headers for opener in h.functions()
              if item.name in [ender for _, ender in api.made_handles(opener)]]
    return [n for n in dict.fromkeys(names) if n in api.header_of and n != item.name]
