#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Comments and documents do not use retired words: things in the code are their subjects, and "after" is their word for
# what follows.
. "$(dirname "$0")/_lib.sh"
command -v python3 >/dev/null || skip "no python3"

{
    tree README.md NEWS.md CONTRIBUTING.md SECURITY.md docs src python -- -name '*.md'
    tree include src cli mpi python runtime tests fuzz bench examples docs -- -name '*.[chsS]' -o -name '*.py' \
        -o -name '*.sh'
} | python3 <(
    cat <<'END'
import io, re, sys, tokenize

WORDS = {
    r"who(m)?(ever|soever)": "name the thing or the role",
    r"nobody|somebody": "name the thing or the role",
    r"heed(s|ed)?": "use, check",
    r"(is|are|been) told (?!apart|from)": "reported, passed, receives",
    r"behind": "after",
}
ALLOWED = re.compile(r"\b(leav(e|es|ing)|left) (\w+ )?behind\b|\bbehind standard\b|\bthe user nobody\b", re.I)


def comments_of_c(text):
    for found in re.finditer(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', text, re.S):
        if found.group().startswith("/"):
            yield text.count("\n", 0, found.start()) + 1, found.group()


def comments_of_python(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or token.type == tokenize.STRING and token.string.startswith('"""'):
            yield token.start[0], token.string


def comments_of_shell(text):
    for number, line in enumerate(text.split("\n"), 1):
        found = re.search(r"(^|\s)#\s.*", line)
        if found:
            yield number, found.group()


def prose(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        return [(1, text)]
    kinds = {"py": comments_of_python, "sh": comments_of_shell}
    return kinds.get(path.rsplit(".", 1)[1], comments_of_c)(text)


pattern = re.compile(r"\b(" + "|".join(WORDS) + r")\b", re.I)
code = 0
for path in sys.stdin.read().split():
    if path == "tests/rules/words.sh":
        continue
    for line, text in prose(path):
        text = ALLOWED.sub("", text)
        for found in pattern.finditer(text):
            instead = next(v for k, v in WORDS.items() if re.match(k, found.group(), re.I))
            at = line + text.count("\n", 0, found.start())
            print(f"{path}:{at}: '{found.group().strip()}': rather {instead}")
            code = 1
sys.exit(code)
END
) || broken=1
finish
