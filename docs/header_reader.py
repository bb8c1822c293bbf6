# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the public headers: each declaration with the comment that documents it.

The headers are formatted by clang-format and documented in one way, so this needs no parser of C: a declaration begins
in the first column, `/**` documents what follows it, `/**<` what stands in front of it. tests/rules/api_pages.sh has
a compiler compare the prototypes that come out of this with those of the headers."""
import os
import re

TOKEN = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|[{};]", re.S)
SKIPPED = re.compile(r"APF_API|ANYPROF_\w+_H")
SECTION = re.compile(r"/\* -{3,} (.*?) -{3,} \*/")
NAME = re.compile(r"\b(apf_\w+)\(")


class Item:
    """A declaration: `kind` is function, struct, enum, callback, handle, macros or section; `names` has more than one
    name for macros that share a comment; `code` is C as it stands in the header, without bodies of functions."""

    def __init__(self, kind, names, code, doc, inline=False):
        self.kind, self.names, self.code, self.doc, self.inline = kind, names, code, doc, inline

    @property
    def name(self):
        return self.names[0]


class Header:
    def __init__(self, name, doc, items, includes):
        self.name, self.doc, self.items, self.includes = name, doc, items, includes

    def functions(self):
        return [item for item in self.items if item.kind == "function"]


def comment_lines(comment):
    """The lines of a comment without its stars; code and lists keep their indentation."""
    lines = [re.sub(r"^ ?\* ?", "", line.strip()) for line in re.sub(r"^/\*\*?<?|\*/$", "", comment).split("\n")]
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def without_cplusplus(text):
    return re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)


def end_of_declaration(text, start):
    """Where the declaration that begins at `start` ends, and where the body of an inline function begins, or None."""
    depth, body = 0, None
    for token in TOKEN.finditer(text, start):
        if token[0] == "{":
            if depth == 0 and text[start:token.start()].rstrip().endswith(")"):
                body = token.start()
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0 and body is not None:
                return token.end(), body
        elif token[0] == ";" and depth == 0:
            return token.end(), None
    raise ValueError(f"a declaration does not end: {text[start:start + 60]!r}")


def declaration(code, doc):
    """The item of a declaration; None for those of types that another header documents."""
    named = re.match(r"(struct|enum) (apf_\w+) \{", code)
    if named:
        return Item(named[1], [named[2]], code, doc)
    if code.startswith("typedef"):
        return Item("callback", [NAME.search(code)[1]], code, doc)
    handle = re.match(r"struct (apf_\w+);$", code)
    if handle:
        return Item("handle", [handle[1]], code, doc) if doc else None
    function = NAME.search(code)
    if not function:
        raise ValueError(f"neither a type nor a function: {code!r}")
    before = re.match(r"(APF_API |static inline )?", code)[0]
    code = code[len(before):].replace("\n" + " " * len(before), "\n")
    return Item("function", [function[1]], code, doc, before.startswith("static"))


def macro_end(text, start):
    end = start
    while True:
        end = text.find("\n", end)
        if end < 0:
            return len(text)
        opened = text.rfind("/*", start, end)
        inside = opened >= 0 and text.find("*/", opened, end) < 0
        if text[end - 1] != "\\" and not inside:
            return end
        end += 1


def add_macro(items, code, doc, joined):
    """Macros in successive lines are one item: that of the comment in front of the first."""
    name = re.match(r"#define (\w+)", code)[1]
    if SKIPPED.fullmatch(name):
        return
    if joined and items and items[-1].kind == "macros" and doc is None:
        items[-1].names.append(name)
        items[-1].code += "\n" + code
    else:
        items.append(Item("macros", [name], code, doc or []))


def read_header(name, text):
    text = without_cplusplus(text)
    items, about, doc, at = [], [], None, 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = at
        if text.startswith("/*", at):
            at = text.index("*/", at) + 2
            comment = text[start:at]
            section = SECTION.fullmatch(comment)
            if section:
                items.append(Item("section", [section[1]], "", []))
            elif comment.startswith("/** @file"):
                about = comment_lines(comment)[1:]
            elif comment.startswith("/**<") and items and text[:start].endswith("; "):
                items[-1].doc = items[-1].doc or comment_lines(comment)
            elif comment.startswith("/**"):
                doc = comment_lines(comment)
            continue
        if text[at] == "#":
            at = macro_end(text, at)
            if text.startswith("#define", start):
                add_macro(items, text[start:at], doc, text[:start].endswith("\n") and not text[:start].endswith("\n\n"))
        else:
            at, body = end_of_declaration(text, at)
            code = text[start:at] if body is None else text[start:body].rstrip() + ";"
            item = declaration(code, doc or [])
            items += [item] if item else []
        doc = None
    return Header(name, about, items, re.findall(r"#include (<anyprof/\w+\.h>)", text))


def read_headers(directory):
    headers = []
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            headers.append(read_header(name, file.read()))
    return headers
