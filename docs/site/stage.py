# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies the Markdown of the tree to where Sphinx reads it, in the same folders. The pages in the tree are for GitHub
as they are; what is different on the site is made here: README.md is the first page, links to headers lead to the
reference of the API, links to other files and to directories lead to pages that show them, and docs/README.md, whose
lists are the navigation, becomes tables of contents."""
import os
import posixpath
import re
import shutil

# Pages of the tree; those of docs/prose are parts of docs/commands.
ROOT_PAGES = ("README.md", "NEWS.md", "CONTRIBUTING.md", "SECURITY.md")
LEFT_OUT = ("docs/prose/", "docs/site/")
API = "docs/api"
GUIDE = "docs/README.md"
COMMANDS = "docs/commands/anyprof.md"
# The other pages of their directories stand below these.
FIRST = (f"{API}/README.md", COMMANDS)
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".sh": "sh", ".json": "json", ".ld": "none", ".md": "markdown"}
LINK = re.compile(r"(!?\[(?:`[^`]*`|[^\[\]`]|\[[^\]]*\])*\])\(([^)\s]+)\)")
LINK_OR_CODE = re.compile(rf"`[^`]+`|({LINK.pattern})")
LARGEST = 200000


def markdown_pages(root):
    pages = [name for name in ROOT_PAGES if os.path.exists(os.path.join(root, name))]
    for directory, _, names in os.walk(os.path.join(root, "docs")):
        found = [posixpath.join(os.path.relpath(directory, root), name) for name in names if name.endswith(".md")]
        pages += [page for page in found if not page.startswith(LEFT_OUT)]
    return sorted(pages)


def is_short_text(path):
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    try:
        return len(data) <= LARGEST and b"\0" not in data and data.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False


def staged(page):
    """Where a page of the tree is on the site."""
    return "index.md" if page == "README.md" else page


def outside_code(text, change):
    """Text whose links outside of blocks of code, and of code in lines, are changed; a link may go on in the next
    line."""
    out, paragraph, fence = [], [], None

    def end():
        out.append(LINK_OR_CODE.sub(lambda match: change(match) if match[3] else match[0], "\n".join(paragraph)))
        paragraph.clear()

    for line in text.split("\n"):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if not mark and fence is None and line:
            paragraph.append(line)
            continue
        if paragraph:
            end()
        out.append(line)
        if mark and fence is None:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = None
    if paragraph:
        end()
    return "\n".join(out)


class Stage:
    def __init__(self, root, directory):
        self.root, self.directory = root, directory
        self.pages = markdown_pages(root)
        self.shown = {}  # files and directories of the tree that need a page: {path: page}
        self.wrong = []

    def write(self, page, text):
        path = os.path.join(self.directory, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, page):
        with open(os.path.join(self.root, page), encoding="utf-8") as file:
            return file.read()

    def target_of(self, path):
        """Where a link to a path of the tree leads on the site; None: there is no such path."""
        header = re.fullmatch(r"include/anyprof/(\w+)\.h", path)
        if header:
            return f"{API}/{header[1]}.md"
        if path == "include/anyprof":
            return f"{API}/README.md"
        if path in self.pages or path.startswith(API + "/"):
            return staged(path)
        if posixpath.join(path, "README.md") in self.pages:
            return posixpath.join(path, "README.md")
        if path.startswith("docs/images/"):
            return path
        if not os.path.exists(os.path.join(self.root, path)):
            return None
        return self.shown.setdefault(path, f"files/{path}.md")

    def link(self, page, match):
        words, target = match[2], match[3]
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        found = self.target_of(posixpath.normpath(posixpath.join(posixpath.dirname(page), path)))
        if not found:
            self.wrong.append(f"{page}: {target} does not exist")
            return match[0]
        new = posixpath.relpath(found, posixpath.dirname(staged(page)) or ".")
        return f"{words}({new}{'#' + anchor if anchor else ''})"

    def page(self, page, text):
        text = outside_code(text, lambda match: self.link(page, match))
        self.write(staged(page), text)

    def show(self, path, page):
        """A page of a file, or of what is in a directory."""
        lines = ["---", "orphan: true", "---", "", f"# {path}", ""]
        full = os.path.join(self.root, path)
        if os.path.isdir(full):
            for name in sorted(os.listdir(full)):
                one = os.path.join(full, name)
                has_page = (name != "__pycache__") if os.path.isdir(one) else is_short_text(one)
                target = self.target_of(f"{path}/{name}") if has_page else None
                relative = posixpath.relpath(target, posixpath.dirname(page)) if target else None
                lines.append(f"- [{name}]({relative})" if target else f"- {name}")
        elif is_short_text(full):
            with open(full, encoding="utf-8") as file:
                text = file.read()
            fence = "`" * 6
            lines += [fence + LANGUAGES.get(os.path.splitext(path)[1], "none"), text.rstrip("\n"), fence]
        else:
            lines.append(f"A file of {os.path.getsize(full)} bytes.")
        self.write(page, "\n".join(lines) + "\n")

    def show_files(self):
        done = set()
        while set(self.shown) - done:  # a directory names files that need pages, too
            for path in sorted(set(self.shown) - done):
                done.add(path)
                self.show(path, self.shown[path])

    def copy_images(self):
        images = os.path.join(self.root, "docs", "images")
        if os.path.isdir(images):
            shutil.copytree(images, os.path.join(self.directory, "docs", "images"), dirs_exist_ok=True)

    def navigation(self):
        """[(caption, pages)] of the sections of docs/README.md; pages that it does not name come last."""
        sections, known = [], {"README.md", GUIDE}
        below = (API + "/", "docs/commands/")
        for part in re.split(r"^## ", self.read(GUIDE), flags=re.M)[1:]:
            caption, _, text = part.partition("\n")
            pages = []
            for _, target in LINK.findall(text):
                path = posixpath.normpath(posixpath.join("docs", target.partition("#")[0]))
                page = self.target_of(path) if not re.match(r"[a-z]+:|#", target) else None
                if page and page not in known and (page in FIRST or not page.startswith(below + ("files/",))):
                    known.add(page)
                    pages.append(page)
            sections.append((caption, pages))
        rest = [page for page in self.pages + [f"{API}/README.md"] if page not in known and
                (page in FIRST or not page.startswith(below))]
        return sections + ([("More", rest)] if rest else [])


def toctree(pages, caption=None):
    lines = ["", "```{toctree}", ":hidden:"] + ([f":caption: {caption}"] if caption else []) + [""]
    return "\n".join(lines + ["/" + page[:-3] for page in pages] + ["```", ""])


def stage(root, directory, api_pages):
    """Writes the pages to a directory. Returns what is wrong with their links."""
    made = Stage(root, directory)
    commands = [p for p in made.pages if p.startswith("docs/commands/") and p != COMMANDS]
    below = {COMMANDS: toctree(commands),
             f"{API}/README.md": toctree([f"{API}/{name}" for name in sorted(api_pages) if name != "README.md"]),
             "README.md": toctree([GUIDE]) + "".join(toctree(p, caption) for caption, p in made.navigation() if p)}
    for page in made.pages:
        made.page(page, made.read(page) + below.get(page, ""))
    for name, text in api_pages.items():
        made.page(f"{API}/{name}", text + below.get(f"{API}/{name}", ""))
    made.show_files()
    made.copy_images()
    return made.wrong
