# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Man pages of the public headers: anyprof_HEADER.h(3) for each header, with its types; a page for each function; and
for each type a page that is that of its header."""
from api_text import facts, marked, mentioned, prose, summary, upper
from man_pages import body, bold, escape, fill, inline


def plain(text):
    return text


def code(text):
    return f"`{text}`"


def head(api, name, line):
    return [
        '.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception',
        '.\\" Made by docs/api_pages.py of include/anyprof and examples: do not edit.',
        f'.TH {escape(name.upper(), True)} 3 "" "anyprof {api.version}" "Library Functions"',
        ".SH NAME",
        f"{escape(name, True)} \\- {escape(line.replace('`', ''))}",
        ".SH SYNOPSIS",
    ]


def literal(lines):
    """Lines as they stand; one that begins like a request is guarded."""
    out = []
    for line in lines:
        text = escape(line, True)
        out.append("\\&" + text if text[:1] in (".", "'") else text)
    return out


def synopsis(api, header, item=None):
    lines = [f"#include <anyprof/{header.name}>"]
    if item:
        lines += [""] + item.code.split("\n")
    return [".nf"] + literal(lines) + [".PP", escape(api.link_line(header, item), True), ".fi"]


def see_also(names):
    return [".SH SEE ALSO"] + fill(", ".join(f"{bold(name)}(3)" for name in names) + ", " + bold("anyprof") + "(1)")


def header_page_name(header):
    return f"anyprof_{header.name}"


def function_page(api, header, item):
    out = head(api, item.name, summary(item)) + synopsis(api, header, item)
    out += [".SH DESCRIPTION"] + body(prose(item.doc, plain, code), True)
    for title, lines in facts(api, item, code):
        out += [f".SH {title.upper()}"] + body(lines, True)
    example = api.example(item)
    if example:
        path, lines = example
        out += [".SH EXAMPLES"] + fill(inline(f"From `{path}` of the project:"))
        out += [".PP", ".nf", ".RS 4"] + literal(lines) + [".RE", ".fi"]
    return "\n".join(out + see_also([header_page_name(header)] + mentioned(api, item))) + "\n"


def type_section(item):
    kind = {"callback": "", "handle": "struct ", "macros": ""}.get(item.kind, item.kind + " ")
    title = item.name if len(item.names) == 1 else f"{item.names[0]}, ..."
    out = [f".SS {kind}{escape(title, True)}"] + body(prose(item.doc, plain, code), True)
    if item.kind == "handle":
        return out
    return out + ([".PP"] if item.doc else []) + [".nf"] + literal(item.code.split("\n")) + [".fi"]


def header_page(api, header, functions):
    name = header_page_name(header)
    out = head(api, name, summary(header)) + synopsis(api, header)
    out += [".SH DESCRIPTION"] + body(prose(header.doc, plain, code), True)
    if functions:
        out += [".SH FUNCTIONS"]
        for item in functions:
            text = marked(upper(summary(item)) + ".", plain, code)
            out += [".TP", f"{bold(item.name)}(3)"] + fill(inline(text))
    types = [item for item in header.items if item.kind not in ("function", "section")]
    if types:
        out += [".SH TYPES AND CONSTANTS"]
        for item in types:
            out += type_section(item)
    others = [header_page_name(h) for h in api.headers if h is not header and f"<anyprof/{h.name}>" in header.includes]
    return "\n".join(out + see_also(others or ["anyprof_anyprof.h"])) + "\n"


def make(api):
    """{name of a page: its text}"""
    pages = {}
    for header in api.headers:
        functions = [item for item in header.functions() if api.is_built(item)]
        if header.functions() and not functions:
            continue
        pages[f"{header_page_name(header)}.3"] = header_page(api, header, functions)
        for item in functions:
            pages[f"{item.name}.3"] = function_page(api, header, item)
    for header in api.headers:
        target = f"{header_page_name(header)}.3"
        for item in header.items if target in pages else []:
            if item.kind not in ("function", "section", "macros"):
                pages.setdefault(f"{item.name}.3", f".so man3/{target}\n")
    return pages
