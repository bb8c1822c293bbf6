# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages in Markdown for readers on the web, of the table and of prose: what the man pages say, with links."""
import re

from command_table import EXIT_STATUS, GUIDES, details, help_text, option_text, sentence, sentences

# Sections in this order stand after the others.
LAST = ("Exit status", "Environment", "Files", "Examples", "See also")
MADE = "<!-- Made by docs/generate.py of the tables of the command and of docs/prose: do not edit. -->"


def link(lines):
    """Prose with links in place of man pages of the project and names of its documents."""
    out, code = [], False
    for line in lines:
        code ^= line.startswith("```")
        if not code:
            line = re.sub(r"\banyprof-(\w+)\(1\)", r"[anyprof \1](\1.md)", line)
            line = re.sub(r"\banyprof\(1\)", "[anyprof](anyprof.md)", line)
            line = re.sub(r"\bdocs/([\w/]+\.md) of the project", r"[docs/\1](../\1)", line)
        out.append(line)
    # The same where a line ends within it.
    broken = r"\bdocs/([\w/]+\.md)(?: of\nthe project| of the\nproject)[ ]?"
    return re.sub(broken, r"[docs/\1](../\1)\n", "\n".join(out)).split("\n") if out else []


def paragraph(text):
    return ["", *link(sentences(text))]


def trimmed(lines):
    lines = list(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines


def prose_lines(lines):
    lines = trimmed(lines)
    return ["", *link(lines)] if lines else []


def indented(lines):
    return ["  " + line if line else "" for line in lines]


def option_names(option):
    dashes = "-" if len(option["name"]) == 1 else "--"
    value = "=" + option["operand"] if option["operand"] else ""
    alias = f"`-{option['alias']}`, " if option["alias"] else ""
    return f"{alias}`{dashes}{option['name']}{value}`"


def option_item(option, text, more):
    first, *rest = sentences(text)
    out = [f"- {option_names(option)}: {first}"] + indented(link(rest))
    for choice in option["choices"]:
        out.append(f"  - `{choice['name'] or chr(34) * 2}`: {sentence(help_text(choice['help']))}")
    more = trimmed(more or [])
    return out + ([""] if more and option["choices"] else []) + indented(link(more))


def options(table, page, prose):
    notes = dict(prose.notes("Options"), used=set())
    out = prose_lines(prose.intro("Options"))
    for heading, numbers in table.headings_of(page):
        out += ["", f"### {heading}", ""]
        for number in numbers:
            text = option_text(table, page, number)
            out += option_item(table.options[number], text, table.note_of(page, number, notes))
    for heading, text, names in table.idle_options(page):
        out += ["", f"### {heading}", "", f"{text} {', '.join(names)}."]
    out += ["", "### Options of all commands"] + common_options(table)
    return out + paragraph("How options are written is in [anyprof](anyprof.md#options-of-all-commands).")


def commands(table, page, prose):
    out = []
    for command in table.commands_of(page):
        out += ["", f"### anyprof {command['name']}"] + paragraph(sentence(help_text(command["summary"])))
        for text in details(command):
            out += paragraph(text)
        out += prose_lines(prose.notes("Commands").get(command["name"].split(" ")[1], []))
    return out


def overview(table):
    out = ["", "## Commands", ""]
    for page in table.pages():
        for command in table.commands_of(page):
            anchor = "#anyprof-" + command["name"].replace(" ", "-") if " " in command["name"] else ""
            out.append(f"- [{command['name']}]({page}.md{anchor}): {sentence(help_text(command['summary']))}")
    command = next(c for c in table.commands if c["name"] == "help")
    return out + [f"- `help`: {sentence(help_text(command['summary']))}"]


def section(title, parts):
    out = ["", f"## {title}"]
    for heading, lines in parts:
        out += (["", f"### {heading}"] if heading else []) + prose_lines(lines)
    return out


def common_options(table):
    out = [""]
    for number in table.common:
        option = table.options[number]
        out += option_item(option, sentence(help_text(option["help"], option["operand"])), None)
    return out


def subjects_of(text):
    """{document: what it is about} of the lists of docs/README.md."""
    found = re.findall(r"^- \[(\w+)\.md\]\(\1\.md\): ((?:.+\n)(?:  .+\n)*)", text, re.M)
    return {name: " ".join(subject.split()).replace("](", "](../") for name, subject in found}


def guides(page, subjects):
    """Documents that explain more, with what docs/README.md says of them."""
    names = [name for name in GUIDES.get(page, ()) if name in subjects]
    return ["", "## Guides", ""] + [f"- [{name}.md](../{name}.md): {subjects[name]}" for name in names] if names else []


def see_also(table, page, prose):
    own = [f"[anyprof {p}]({p}.md)" for p in table.pages() if p != page]
    if page != "anyprof":
        own = ["[anyprof](anyprof.md)"] + own
    others = " ".join(prose.intro("See also")).strip()
    return ["", "## See also", "", ", ".join(own + ([others] if others else []))]


def make(table, page, prose, subjects):
    """The text of a page."""
    if page == "anyprof":
        out = [MADE, "# anyprof"] + prose_lines(prose.intro("")) + overview(table)
    else:
        group, found = table.group(page), table.commands_of(page)
        out = [MADE, f"# anyprof {page}"] + paragraph(sentence(help_text(table.summary_of(page))))
        out += ["", "```none"] + [f"anyprof {c['name']} {c['usage']}".rstrip() for c in found] + ["```"]
        for text in [] if group else details(found[0]):
            out += paragraph(text)
        out += prose_lines(prose.intro(""))
        out += ["", "## Commands"] + commands(table, page, prose) if group else []
        out += ["", "## Options"] + options(table, page, prose)
    for title, parts in prose.sections.items():
        if title not in ("", "Options", "Commands") + LAST:
            out += section(title, parts)
            out += common_options(table) if title == "Options of all commands" else []
    for title in LAST[:-1]:
        if title in prose.sections or title == "Exit status":
            out += section(title, prose.sections.get(title, [(None, EXIT_STATUS)]))
    return "\n".join(out + guides(page, subjects) + see_also(table, page, prose)) + "\n"
