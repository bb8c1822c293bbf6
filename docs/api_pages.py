#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the reference of the public headers of include/anyprof and of their use in examples.

  docs/api_pages.py man DIR         man pages, for man3: CMake makes and installs them where there is a python3
  docs/api_pages.py markdown DIR    pages for the site
  docs/api_pages.py check           prints the functions that have no comment; exit code 1 if there are any

They are not committed: nothing of anyprof has to be built or run for them, so that a build for another machine makes
them, too."""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import api_man  # noqa: E402
import api_web  # noqa: E402
from api_text import Api  # noqa: E402
from header_reader import read_headers  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def is_ours(path):
    """Whether a file is one of those that this script has made."""
    with open(path, "rb") as file:
        return b"Made by docs/api_pages.py" in file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("kind", choices=("man", "markdown", "check"))
    parser.add_argument("directory", nargs="?", help="where to write; pages that are there and are not made are removed")
    parser.add_argument("--without-elf", action="store_true", help="man: of a build with -DANYPROF_ELF=OFF")
    args = parser.parse_args()
    api = Api(ROOT, read_headers(os.path.join(ROOT, "include", "anyprof")), not args.without_elf)
    if args.kind == "check":
        silent = [f"{h.name}: {item.name} has no comment" for h in api.headers for item in h.functions() if not item.doc]
        print("\n".join(silent), end="\n" if silent else "")
        return 1 if silent else 0
    if not args.directory:
        parser.error("the directory is missing")
    pages = api_man.make(api) if args.kind == "man" else api_web.make(api)
    os.makedirs(args.directory, exist_ok=True)
    for name in os.listdir(args.directory):
        path = os.path.join(args.directory, name)
        if name not in pages and name.endswith((".3", ".md")) and is_ours(path):
            os.remove(path)
    for name, text in pages.items():
        with open(os.path.join(args.directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
