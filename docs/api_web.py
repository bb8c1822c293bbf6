# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference of the public headers in Markdown, for the site: a page for each header, and one that lists them."""
import os
import re

from api_text import facts, marked, prose, summary, upper

KINDS = {"struct": "struct ", "enum": "enum ", "handle": "struct "}


def escape(text):
    return re.sub(r"([\\`*_<>\[\]#|$])", r"\\\1", text)


def title(item):
    if len(item.names) > 1:
        prefix = os.path.commonprefix(item.names)
        return f"{prefix[:prefix.rfind('_') + 1]}*"
    return KINDS.get(item.kind, "") + item.name


def slug(text):
    return re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")


class Links:
    """Where the things are that comments name: {name: page#anchor}."""

    def __init__(self, api):
        self.targets = {f"APF_{name}": "error.md#apf_codes" for name in api.codes}
        for header in api.headers:
            self.targets[header.name] = f"{header.name[:-2]}.md"
            # functions first: the name of a function may be that of a structure, too
            for item in header.functions() + [i for i in header.items if i.kind not in ("function", "section")]:
                for name in item.names:
                    target = f"{header.name[:-2]}.md#{slug(title(item))}"
                    self.targets.setdefault(name, target)
                    self.targets.setdefault(KINDS.get(item.kind, "") + name, target)

    def code(self, text):
        """`text` as code, and as a link if it is the name of something."""
        if text.startswith("docs/"):
            return f"[{text}](..{text[4:]})"
        name = re.match(r"\*?(?:anyprof/)?((?:struct |enum )?\w+(?:\.h$)?)", text)
        target = self.targets.get(name[1]) if name else None
        return f"[`{text}`]({target})" if target else f"`{text}`"


def function_lines(api, item, links):
    out = ["", "```c", item.code, "```", ""] + prose(item.doc, escape, links.code)
    for heading, lines in facts(api, item, links.code):
        first, *rest = lines
        out += ["", f"**{heading}:** {first}"] + rest
    example = api.example(item)
    if example:
        path, lines = example
        out += ["", f"**Example**, from [{path}](../../{path}):", "", "```c", *lines, "```"]
    return out


def type_lines(item, links):
    out = [""] + prose(item.doc, escape, links.code) if item.doc else []
    return out if item.kind == "handle" else out + ["", "```c", item.code, "```"]


def listed(item, links):
    """The summary of an item of a list."""
    return marked(summary(item), escape, links.code)


def header_page(api, header, links):
    out = [f"# anyprof/{header.name}", "", "```c", f"#include <anyprof/{header.name}>", "```", "",
           "```sh", api.link_line(header), "```", ""] + prose(header.doc, escape, links.code)
    level = "##"
    for item in header.items:
        if item.kind == "section":
            out += ["", f"## {upper(escape(item.name))}"]
            level = "###"
            continue
        out += ["", f"{level} {escape(title(item))}"]
        out += function_lines(api, item, links) if item.kind == "function" else type_lines(item, links)
    return "\n".join(out) + "\n"


def index_page(api, links):
    out = ["# API", "", "The functions of libanyprof, libanyprof-elf and the runtime, by their headers. The man pages have "
           "the same text: `man apf_merge_files`, `man anyprof_merge.h`. Complete programs are in "
           "[examples](../../examples).", ""]
    for header in api.headers:
        out.append(f"- [{header.name}]({header.name[:-2]}.md): {upper(listed(header, links))}")
    out += ["", "## All functions", ""]
    for header in api.headers:
        for item in header.functions():
            out.append(f"- {links.code(item.name)}: {listed(item, links)}")
    return "\n".join(out) + "\n"


def make(api):
    """{name of a page: its text}"""
    links = Links(api)
    pages = {f"{header.name[:-2]}.md": header_page(api, header, links) for header in api.headers}
    pages["README.md"] = index_page(api, links)
    return {name: text + "\n<!-- Made by docs/api_pages.py -->\n" for name, text in pages.items()}
