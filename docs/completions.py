# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completions for bash, zsh and fish. Under the names llvm-profdata and llvm-profgen they offer the options of LLVM's
own tools of these names, so that they are right for both."""
import re

LLVM = "llvm-profdata"
PROFGEN = "llvm-profgen"
COMMANDS_OF = {LLVM: ("merge", "show", "overlap", "order"), PROFGEN: ("profgen",)}
# Operands of options that are files.
FILES = ("FILE", "OTHER", "PROGRAM", "BINARY", "DIR", "DIRECTORY")
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
MADE = "Made by docs/generate.py of the command's own tables: do not edit."


class View:
    """What a name of the program offers."""

    def __init__(self, table, name):
        self.table, self.name = table, name
        self.llvm = name in COMMANDS_OF
        self.alone = name == PROFGEN  # its only command is not typed
        self.commands = [c for c in table.visible() if not self.llvm or c["name"] in COMMANDS_OF[name]]
        self.groups = [] if self.llvm else table.groups

    def options(self, command):
        for number in command["options"]:
            option = self.table.options[number]
            if option["later"] or option["no_effect"] or option["hidden"] or (self.llvm and option["ours"]):
                continue
            yield option

    def firsts(self):
        """(word, explanation) of each possible first word."""
        firsts = [(c["name"], c["summary"]) for c in self.commands if " " not in c["name"]]
        return firsts + [(g["name"], g["summary"]) for g in self.groups]

    def seconds(self, group):
        """(word, explanation) of each possible word after the name of a group."""
        return [(c["name"].split(" ")[1], c["summary"]) for c in self.commands if c["name"].startswith(group + " ")]

    def values(self, option):
        """The values of an option: a list of words, "files", or None if unknown; "" if it has no value."""
        if option["kind"] in ("flag", "choice"):
            return ""
        if option["choices"]:
            return [c["name"] for c in option["choices"]]
        if option["operand"] == "TARGET":
            return self.table.targets
        if option["operand"] == "COMPILER":
            return self.table.sample_targets
        return "files" if option["operand"] in FILES else None


def spellings(option):
    """An option's names with their dashes, the long one last."""
    dashes = "-" if len(option["name"]) == 1 else "--"
    return (["-" + option["alias"]] if option["alias"] else []) + [dashes + option["name"]]


def short(text):
    """The first part of an explanation, short enough for a menu."""
    return re.split(r"(?<=[a-z0-9)]{2})[;.] | \(default", text)[0].rstrip(".:")


def function_name(name):
    return re.sub(r"[^a-z]", "_", name)


# ---- bash ----

BASH = r'''# shellcheck shell=bash
# {spdx}
#
# Completion for bash. {made}

# Sets options to those of a command, as they may be typed; those with a value end with '='.
_anyprof_options() {{
    case $1 in
{options}
    *) options="" ;;
    esac
}}

# Sets values to the possible values of an option of a command; to '/' if the value is a file, to '?' if it is unknown,
# to nothing if the option has none.
_anyprof_values() {{
    case $1 in
{values}
    *) values="" ;;
    esac
}}

# Sets words to what may stand first, after a group, or after 'help'.
_anyprof_words() {{
    case $1 in
{words}
    *) words="" ;;
    esac
}}

_anyprof_files() {{ # BEFORE WORD: of a name that begins after BEFORE; else readline does it
    COMPREPLY=()
    if [ -n "${{1:-}}" ]; then
        compopt -o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -P "$1" -f -- "$2")
    else
        compopt -o default 2>/dev/null
    fi
}}

_anyprof() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} first=1 name=anyprof command="" word option="" before="" options values words
    case ${{COMP_WORDS[0]##*/}} in
    {llvm}*) name={llvm} ;;{profgen}
    esac
    COMPREPLY=()

    # The command: one word, or two after a group; 'help' is followed by one.
    if [ "${{COMP_WORDS[1]:-}}" = help ] && [ "$COMP_CWORD" -gt 1 ] && [[ $cur != -* ]]; then
        first=2
    fi
    for word in "${{COMP_WORDS[@]:first:COMP_CWORD-first}}"; do
        _anyprof_words "$name${{command:+ $command}}"
        [ -n "$words" ] || break
        command+="${{command:+ }}$word"
    done
    _anyprof_words "$name${{command:+ $command}}"
    if [ -n "$words" ]; then
        [[ $cur != -* ]] || words="--help --version"
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        return
    fi
    [ "$first" = 1 ] || return

    # A value: after '=', which is a word of its own here, or after its option.
    if [[ $cur == -*=* ]]; then # COMP_WORDBREAKS lacks '='
        option=${{cur%%=*}} cur=${{cur#*=}} before=$option=
    elif [ "$cur" = = ]; then
        option=${{COMP_WORDS[COMP_CWORD - 1]}} cur=""
    elif [ "${{COMP_WORDS[COMP_CWORD - 1]}}" = = ]; then
        option=${{COMP_WORDS[COMP_CWORD - 2]}}
    else
        option=${{COMP_WORDS[COMP_CWORD - 1]}}
    fi
    [[ $option != -* ]] || option=-${{option#-}}
    [[ $option != -[^-]?* ]] || option=-$option
    _anyprof_values "$name $command $option"
    case $values in
    "") ;;
    /)
        _anyprof_files "$before" "$cur"
        return
        ;;
    '?') return ;;
    *)
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "$values" -- "$cur")
        return
        ;;
    esac

    if [[ $cur != -* ]]; then
        _anyprof_files
        return
    fi
    _anyprof_options "$name $command"
    [[ $cur == --* || $cur == - ]] || options=${{options//--/-}} # one dash is as good as two
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    if [ ${{#COMPREPLY[@]}} = 1 ] && [[ ${{COMPREPLY[0]}} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}}

complete -F _anyprof anyprof {names}
'''


def bash_case(pattern, variable, words):
    return f"    {pattern}) {variable}='{words}' ;;"


def bash_values(view, command):
    """A row for each kind of values."""
    rows = {}
    for option in view.options(command):
        values = view.values(option)
        if values == "":
            continue
        text = " ".join(values) if isinstance(values, list) else "/" if values == "files" else "?"
        rows.setdefault(text, []).extend(spellings(option))
    for text, names in rows.items():
        # An option that is typed with one dash is looked for with two, but for those of one letter.
        names = ["-" + n if len(n) > 2 and n[1] != "-" else n for n in names]
        patterns = " | ".join(f"'{view.name} {command['name']} {name}'" for name in names)
        yield bash_case(patterns, "values", text)


def bash(table, views):
    options, values, words = [], [], []
    for view in views:
        if not view.alone:
            words.append(bash_case(view.name, "words", " ".join(w for w, _ in view.firsts())))
        for group in view.groups:
            seconds = " ".join(w for w, _ in view.seconds(group["name"]))
            words.append(bash_case(f"'{view.name} {group['name']}'", "words", seconds))
        for command in view.commands:
            names = []
            for option in view.options(command):
                names += [n + ("=" if view.values(option) != "" and n[:2] == "--" else "") for n in spellings(option)]
            options.append(bash_case(f"'{view.name} {command['name']}'", "options", " ".join(dict.fromkeys(names))))
            values += bash_values(view, command)
    releases = [t[5:] for t in table.targets if re.fullmatch(r"llvm-\d\d+", t)]
    names = " ".join(v.name + end for v in views if v.llvm for end in ["", *("-" + r for r in releases)])
    profgen = f"\n    {PROFGEN}*) name={PROFGEN} command=profgen ;;" if any(v.alone for v in views) else ""
    return BASH.format(
        spdx=SPDX, made=MADE, llvm=LLVM, profgen=profgen, names=names, options="\n".join(options),
        values="\n".join(values), words="\n".join(words)
    )


# ---- zsh ----

ZSH = r'''#compdef anyprof {names}
# {spdx}
#
# Completion for zsh. {made}

_anyprof_command() {{ # the words begin with the last one of the command's name
    case $1 in
{commands}
    esac
}}

_anyprof_words() {{
    local -a words_known
    case $1 in
{words}
    *) return 1 ;;
    esac
    _describe -t commands command words_known
}}

_anyprof() {{
    local name=anyprof command=""
    [[ $service != {llvm}* ]] || name={llvm}
{profgen}    if [[ $words[2] == help ]] && (( CURRENT > 2 )) && [[ $words[CURRENT] != -* ]]; then
        shift words
        (( CURRENT-- ))
    fi
    if (( CURRENT == 2 )); then
        if [[ $PREFIX == -* ]]; then
            _arguments '--help[explain the program]' '--version[version of the program]'
        else
            _anyprof_words $name
        fi
        return
    fi
    command=$words[2]
    shift words
    (( CURRENT-- ))
    case $name' '$command in
    {groups})
        if (( CURRENT == 2 )); then
            _anyprof_words "$name $command"
            return
        fi
        command+=" $words[2]"
        shift words
        (( CURRENT-- ))
        ;;
    esac
    _anyprof_command "$name $command"
}}

_anyprof "$@"
'''


ZSH_ALONE = f"""    if [[ $service == {PROFGEN}* ]]; then
        _anyprof_command '{PROFGEN} profgen'
        return
    fi
"""


def zsh_escape(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", r"'\''")


def zsh_option(view, option):
    names = spellings(option)
    values = view.values(option)
    action = ""
    if values != "":
        what = "_files" if values == "files" else f"({' '.join(values)})" if values else ""
        action = f":{zsh_escape(option['operand'])}:{what or ' '}"
    for name in names:
        before = "*" if option["kind"] in ("list", "numbers") else f"({' '.join(names)})" if len(names) > 1 else ""
        form = name + ("=" if values != "" and name.startswith("--") else "")
        yield f"'{before}{form}[{zsh_escape(short(option['help']))}]{action}'"


def zsh(views):
    commands, words = [], []
    for view in views:
        lists = [] if view.alone else [(view.name, view.firsts())]
        lists += [(f"{view.name} {g['name']}", view.seconds(g["name"])) for g in view.groups]
        for name, known in lists:
            words.append(f"    '{name}')\n        words_known=(")
            words += [f"            '{zsh_escape(w)}:{zsh_escape(short(t))}'" for w, t in known]
            words.append("        )\n        ;;")
        for command in view.commands:
            specs = [s for o in view.options(command) for s in zsh_option(view, o)]
            specs = list(dict.fromkeys(specs))
            specs += ["'*:file:_files'"] if command["files"] and command["name"] != "help" else []
            commands.append(f"    '{view.name} {command['name']}')\n        _arguments \\")
            commands.append(" \\\n".join(f"            {s}" for s in specs) + "\n        ;;")
    groups = " | ".join(f"'{v.name} {g['name']}'" for v in views for g in v.groups)
    names = " ".join([v.name for v in views if v.llvm] + [f"-P {v.name}-[0-9.]##" for v in views if v.llvm])
    return ZSH.format(
        spdx=SPDX, made=MADE, names=names, llvm=LLVM, profgen=ZSH_ALONE if any(v.alone for v in views) else "",
        commands="\n".join(commands), words="\n".join(words),
        groups=groups
    )


# ---- fish ----

FISH = r'''# {spdx}
#
# Completion of {name} for fish. {made}

'''
FISH_IS = r'''# Whether the words that were typed begin with these, and with no other ones where --only is given.
function __{function}_is
    set -l only no
    if test "$argv[1]" = --only
        set only yes
        set -e argv[1]
    end
    set -l typed (commandline -opc)
    set -e typed[1]
    for word in $argv
        test "$typed[1]" = "$word"
        or return 1
        set -e typed[1]
    end
    test $only = no -o (count $typed) = 0
end

'''


def quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(view, command, option):
    line = f"complete -c {view.name}"
    line += "" if view.alone else f" -n '__{function_name(view.name)}_is {command['name']}'"
    for name in spellings(option):
        line += f" -l {name[2:]}" if name.startswith("--") else f" -{'s' if len(name) == 2 else 'o'} {name[1:]}"
    values = view.values(option)
    if values == "files":
        line += " -r -F"
    elif values is None:
        line += " -x"
    elif values:
        line += f" -x -a {quote(' '.join(values))}"
    return f"{line} -d {quote(short(option['help']))}"


def fish(view):
    function = function_name(view.name)
    text = FISH.format(spdx=SPDX, made=MADE, name=view.name)
    if view.alone:
        options = dict.fromkeys(fish_option(view, c, o) for c in view.commands for o in view.options(c))
        return text + "\n".join(options) + "\n"
    lines = [text + FISH_IS.format(function=function).rstrip("\n"), ""]

    def offer(condition, known):
        for word, text in known:
            line = f"complete -c {view.name} -f -n '__{function}_is --only{condition}'"
            lines.append(f"{line} -a {word} -d {quote(short(text))}")

    offer("", view.firsts())
    for option, text in (("help", "Explain the program"), ("version", "Version of the program")):
        lines.append(f"complete -c {view.name} -f -n '__{function}_is --only' -l {option} -d {quote(text)}")
    for group in view.groups:
        offer(f" {group['name']}", view.seconds(group["name"]))
        offer(f" help {group['name']}", view.seconds(group["name"]))
    if any(c["name"] == "help" for c in view.commands):
        lines.append(f"complete -c {view.name} -f -n '__{function}_is help'")
        offer(" help", view.firsts())
    for command in view.commands:
        lines += dict.fromkeys(fish_option(view, command, o) for o in view.options(command))
    return "\n".join(lines) + "\n"


def make(table):
    """{name of the file: text}"""
    views = [View(table, name) for name in ("anyprof", LLVM, PROFGEN)]
    views = [view for view in views if view.commands]
    return {"anyprof.bash": bash(table, views), "_anyprof": zsh(views),
            **{view.name + ".fish": fish(view) for view in views}}
