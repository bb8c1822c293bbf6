# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Man pages, in the man macros that groff and mandoc know, of the table and of prose in a small part of Markdown:
paragraphs, `code`, *emphasis*, **strong**, lists of "- `term`: text" and "- text", tables, and blocks of code."""
import re
import textwrap

from command_table import EXIT_STATUS, details, help_text, lower, option_text, sentence, sentences

WIDTH = 78
# In this order; what prose has besides stands before the exit status.
LAST = ("Exit status", "Environment", "Files", "Examples", "See also")

def escape(text, code=False):
    text = text.replace("\\", "\\e")
    if code:
        for plain, name in (("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
            text = text.replace(plain, name)
    return text


def bold(text):
    return f"\\fB{escape(text, True)}\\fR"


def italic(text):
    return f"\\fI{escape(text, True)}\\fR"


INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^]]+)\]\([^)]*\)|\b([a-z][\w-]*)\((\d)\)")


def inline(text):
    out, at = [], 0
    for m in INLINE.finditer(text):
        out.append(escape(text[at:m.start()]))
        if m[1] or m[2]:
            out.append(bold(m[1] or m[2]))
        elif m[3]:
            out.append(italic(m[3]))
        elif m[4]:
            out.append(escape(m[4]))
        else:
            out.append(f"{bold(m[5])}({m[6]})")
        at = m.end()
    out.append(escape(text[at:]))
    return "".join(out)


def guard(line):
    """A line of text must not begin like a request."""
    return "\\&" + line if line[:1] in (".", "'") else line


def fill(text):
    """Lines of a paragraph; each sentence begins one."""
    lines = []
    for line in sentences(text):
        lines += textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
    return [guard(line) for line in lines]


def blocks(lines):
    """(kind, text) of each paragraph, item, table and block of code."""
    kind, held, found = None, [], []

    def end():
        nonlocal kind, held
        if held:
            found.append((kind, "\n".join(held) if kind in ("code", "table") else " ".join(held)))
        kind, held = None, []

    for line in lines:
        if line.startswith("```"):
            code = kind == "code"
            end()
            kind = None if code else "code"
        elif kind == "code":
            held.append(line)
        elif not line.strip():
            end()
        elif line.startswith("|"):
            if kind != "table":
                end()
            kind = "table"
            held.append(line)
        elif line.startswith("- "):
            end()
            kind, held = "item", [line[2:]]
        else:
            kind = kind or "text"
            held.append(line.strip())
    end()
    return found


def table_items(text):
    """The rows of a table as tagged paragraphs: the first cell, then the others with the heading of their column."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.split("\n")]
    heads, out = rows[0], []
    for row in rows[2:]:
        out += [".TP", inline(row[0])]
        for head, cell in zip(heads[1:], row[1:]):
            out += fill(inline(f"{head}: {cell}")) + [".br"]
        out.pop()
    return out


def body(lines, first=False):
    """Prose as lines of a man page; `first`: no text precedes it."""
    out = []
    for kind, text in blocks(lines):
        term = re.match(r"((?:`[^`]+`|\*[^*]+\*)(?:, (?:`[^`]+`|\*[^*]+\*))*): (.*)", text)
        if kind == "code":
            out += ([] if first else [".PP"]) + [".nf", ".RS 4"]
            out += [guard(escape(line, True)) for line in text.split("\n")] + [".RE", ".fi"]
        elif kind == "table":
            out += table_items(text)
        elif kind == "item" and term:
            out += [".TP", inline(term[1])] + fill(inline(term[2]))
        elif kind == "item":
            out += [".IP \\(bu 2"] + fill(inline(text))
        else:
            out += ([] if first else [".PP"]) + fill(inline(text))
        first = False
    return out


# ---- options and commands ----

def option_tag(option):
    dashes = "-" if len(option["name"]) == 1 else "--"
    long = bold(f"{dashes}{option['name']}")
    if option["operand"]:
        operand = "".join(
            italic(part) if part[0].isalpha() else escape(part, True)
            for part in re.findall(r"[A-Za-z]+|[^A-Za-z]+", option["operand"])
        )
        long = bold(f"{dashes}{option['name']}=") + operand
    return (bold("-" + option["alias"]) + ", " if option["alias"] else "") + long


def option_item(table, page, number, notes):
    option = table.options[number]
    out = [".TP", option_tag(option)] + fill(inline(option_text(table, page, number)))
    if option["choices"]:
        out.append(".RS")
        for choice in option["choices"]:
            out += [".TP", bold(choice["name"])] + fill(inline(sentence(help_text(choice["help"]))))
        out.append(".RE")
    more = table.note_of(page, number, notes)
    if more:
        out += [".IP"] if option["choices"] else []
        for i, (_, paragraph) in enumerate(blocks(more)):
            out += ([".IP"] if i else []) + fill(inline(paragraph))
    return out


def option_sections(table, page, prose):
    notes = dict(prose.notes("Options"), used=set())
    out = body(prose.intro("Options"), True)
    out += ([".PP"] if out else []) + fill(inline("The options of all commands are in anyprof(1)."))
    for heading, numbers in table.headings_of(page):
        out.append(f".SS {escape(heading)}")
        for number in numbers:
            out += option_item(table, page, number, notes)
    for heading, text, names in table.idle_options(page):
        out += [f".SS {escape(heading)}", text] + fill(inline(", ".join(names) + "."))
    return out


def usage(command):
    out = [f"\\fBanyprof {escape(command['name'], True)}\\fR"]
    for part in re.findall(r"-{1,2}[\w-]+=?|[A-Z]+(?:\.[a-z]+)?|options|[^-A-Za-z]+|.", command["usage"]):
        if part[0] == "-":
            out.append(bold(part))
        elif part[0].isalpha():
            out.append(italic(part))
        else:
            out.append(escape(part, True))
    return (out[0] + " " + "".join(out[1:])).rstrip()


def command_items(table, page, prose):
    out = []
    notes = prose.notes("Commands")
    for command in table.commands_of(page):
        word = command["name"].split(" ")[1]
        texts = [t for _, t in blocks(details(command) + [""] + notes.get(word, []))]
        out += [f".SS {escape(page)} {escape(word)}"] + fill(inline(sentence(help_text(command["summary"]))))
        for text in texts:
            out += [".PP"] + fill(inline(text))
    return out


# ---- pages ----

def head(table, name, summary, chapter=1, about="User Commands"):
    return [
        '.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception',
        '.\\" Made by docs/generate.py of the tables of the command and of docs/prose: do not edit.',
        f'.TH {escape(name.upper(), True)} {chapter} "" "anyprof {table.version}" "{about}"',
        ".SH NAME",
        f"{escape(name, True)} \\- {escape(summary)}",
        ".SH SYNOPSIS",
    ]


def lines_of(rows):
    out = []
    for row in rows:
        out += [row, ".br"]
    return out[:-1]


def section(title, parts):
    out = [f".SH {escape(title.upper())}"]
    for i, (heading, lines) in enumerate(parts):
        out += [f".SS {escape(heading)}"] if heading else []
        out += body(lines, i == 0 or heading is not None)
    return out


def see_also(table, page, prose):
    own = [f"anyprof-{p}(1)" for p in table.pages() if p != page]
    if page != "anyprof":
        own = ["anyprof(1)"] + own
    others = " ".join(prose.intro("See also")).strip()
    return section("See also", [(None, [", ".join(own) + (", " + others if others else "")])])


def overview(table):
    """The commands, each with its line of the table."""
    out = [".SH COMMANDS"]
    for page in table.pages():
        for command in table.commands_of(page):
            out += [".TP", bold(command["name"])] + fill(inline(sentence(help_text(command["summary"]))))
    for name in ("help",):
        command = next(c for c in table.commands if c["name"] == name)
        out += [".TP", bold(name)] + fill(inline(sentence(help_text(command["summary"]))))
    last = "Each has a page of its own, or one with the others of its group: see **SEE ALSO**."
    return out + [".PP"] + fill(inline(last))


def overview_options(table):
    out = []
    for number in table.common:
        option = table.options[number]
        out += [".TP", option_tag(option)] + fill(inline(sentence(help_text(option["help"], option["operand"]))))
    return out


def make_topic(table, name, summary, synopsis, prose, number=7):
    """A page about something that is no command of the table, all of it prose."""
    out = head(table, name, summary, number, "Miscellaneous" if number == 7 else "User Commands") + [".nf"] + [bold(line) for line in synopsis] + [".fi"]
    out += [".SH DESCRIPTION"] + body(prose.intro(""), True)
    for title, parts in prose.sections.items():
        if title:
            out += section(title, parts)
    return "\n".join(out + [".SH SEE ALSO", bold("anyprof") + "(1), " + bold("clang" if number == 7 else "mpirun") + "(1)"]) + "\n"


def make(table, page, prose):
    """The text of a page."""
    if page == "anyprof":
        out = head(table, "anyprof", "read, merge, check and convert LLVM profiles of every version")
        rows = [usage(c) for p in table.pages() for c in table.commands_of(p)]
        rows += ["\\fBanyprof help\\fR [\\fICOMMAND\\fR]", "\\fBanyprof \\-\\-version\\fR"]
        out += lines_of(rows) + [".SH DESCRIPTION"] + body(prose.intro(""), True) + overview(table)
    else:
        commands = table.commands_of(page)
        group, summary = table.group(page), table.summary_of(page)
        out = head(table, f"anyprof-{page}", lower(summary))
        out += lines_of([usage(c) for c in commands]) + [".SH DESCRIPTION"]
        out += body(([] if group else details(commands[0]) + [""]) + prose.intro(""), True)
        if out[-1] == ".SH DESCRIPTION":
            out += fill(inline(sentence(help_text(summary))))
        if group:
            out += [".SH COMMANDS"] + command_items(table, page, prose)
        out += [".SH OPTIONS"] + option_sections(table, page, prose)
    for title, parts in prose.sections.items():
        if title not in ("", "Options", "Commands") + LAST:
            out += section(title, parts)
            if title == "Options of all commands":
                out += overview_options(table)
    for title in LAST[:-1]:
        if title in prose.sections:
            out += section(title, prose.sections[title])
        elif title == "Exit status":
            out += section(title, [(None, EXIT_STATUS)])
    return "\n".join(out + see_also(table, page, prose)) + "\n"
