#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the site: README.md, all of docs and the reference of the API, with Sphinx, MyST and the theme furo.

  docs/site/build.py DIRECTORY    DIRECTORY/index.html is the first page

The programs are packages of Debian (python3-sphinx, python3-myst-parser, furo); nothing is fetched, and the pages load
nothing from elsewhere. A link or an anchor that does not exist, and every warning of Sphinx, is an error; then the exit
code is 1. It is 77 if Sphinx or one of the other two is not installed."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
sys.dont_write_bytecode = True
import api_web  # noqa: E402
import check  # noqa: E402
from api_text import Api  # noqa: E402
from header_reader import read_headers  # noqa: E402
from stage import stage  # noqa: E402

MODULES = "import sphinx, myst_parser, furo"
PACKAGES = "python3-sphinx python3-myst-parser furo"


def interpreter():
    """A Python that has Sphinx and the other two: packages of Debian are those of its own Python, which need not be the
    first one in PATH. None if there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and not subprocess.run([python, "-I", "-c", MODULES], capture_output=True, check=False).returncode:
            return python
    return None


def build(python, root, out, pages, version):
    """Runs Sphinx. Returns its exit code."""
    environment = dict(os.environ, ANYPROF_SITE_VERSION=version, ANYPROF_SITE_STATIC=os.path.join(HERE, "static"),
                       PYTHONDONTWRITEBYTECODE="1")
    with tempfile.TemporaryDirectory(prefix="site.") as doctrees:
        command = [python, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", HERE, "-d", doctrees,
                   pages, out]
        return subprocess.run(command, env=environment, cwd=root, check=False).returncode


def repair_theme(out):
    """Debian's furo lacks a step of its build: a style imports another one from where Debian's web servers have it, and
    a script another script, as only modules may. The text of the imported file takes the place of the import."""
    imports = ((".css", r"@import url\((/javascript/[\w./-]+)\);?", lambda _, name: shared_style(name)),
               (".js", r"^import \w+ from \"(\./[\w./-]+)\";", lambda path, name: check.read(
                   os.path.join(os.path.dirname(path), name))))
    for end, pattern, imported in imports:
        for path in check.files_below(out, end):
            text = check.read(path)
            new = re.sub(pattern, lambda m, at=path: imported(at, m[1]), text, flags=re.M)
            if new != text:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(new)


def shared_style(name):
    path = "/usr/share" + name
    return check.read(path) if os.path.exists(path) else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("directory", help="where to write; a site that is there is replaced")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(HERE)), help="the tree with the pages")
    args = parser.parse_args()
    python = interpreter()
    if not python:
        print(f"the site needs Sphinx with MyST and furo: sudo apt-get install {PACKAGES}")
        return 77
    out = os.path.abspath(args.directory)
    if os.path.isdir(out) and os.listdir(out) and not os.path.exists(os.path.join(out, "searchindex.js")):
        print(f"{out} holds something that is not the site: name another directory")
        return 1
    shutil.rmtree(out, ignore_errors=True)
    api = Api(args.root, read_headers(os.path.join(args.root, "include", "anyprof")))
    with tempfile.TemporaryDirectory(prefix="site.") as pages:
        wrong = stage(args.root, pages, api_web.make(api))
        failed = build(python, args.root, out, pages, api.version)
    if not failed:
        repair_theme(out)
        wrong += check.complaints(out)
    for text in wrong:
        print(text)
    if failed or wrong:
        return 1
    print(f"the site is {out}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
