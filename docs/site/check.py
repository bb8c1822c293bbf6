#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks through a built site: every link leads to a page and an anchor that exist, and no page, style or script loads
anything from elsewhere.

  docs/site/check.py DIRECTORY    prints what is wrong; exit code 1 if anything is"""
import html.parser
import os
import re
import sys
import urllib.parse

# What a browser loads by itself, as opposed to links that a reader follows.
LOADS = {("script", "src"), ("img", "src"), ("img", "srcset"), ("link", "href"), ("iframe", "src"), ("source", "src"),
         ("video", "src"), ("audio", "src"), ("object", "data"), ("embed", "src"), ("input", "src"),
         ("use", "href"), ("image", "href"), ("form", "action")}
STYLE_LOADS = re.compile(r"@import\s+[\"']([^\"']+)|url\(\s*[\"']?([^\"')]+)")
SCRIPT_LOADS = re.compile(r"(?:fetch|import|importScripts|open|src\s*=|href\s*=)\s*\(?\s*[\"'`]((?:https?:)?//[^\"'`]+)")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.inside = set(), [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        for name, value in attributes:
            value = value or ""
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif (tag, name) in LOADS:
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)
            elif name == "style":
                self.loads += loads_of_style(value)

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "style":
            self.loads += loads_of_style(data)
        elif self.inside == "script":
            self.loads += SCRIPT_LOADS.findall(data)


def loads_of_style(text):
    return [first or second for first, second in STYLE_LOADS.findall(text)]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files_below(directory, *ends):
    for folder, _, names in os.walk(directory):
        for name in sorted(names):
            if name.endswith(ends):
                yield os.path.join(folder, name)


def is_outside(url):
    return bool(re.match(r"[a-z]+:|//", url)) and not url.startswith("data:")


def wrong_loads(directory, pages):
    for path, page in pages.items():
        for url in page.loads:
            yield from wrong_load(directory, path, url)
    for path in files_below(directory, ".css"):
        for url in loads_of_style(read(path)):
            yield from wrong_load(directory, path, url)
    for path in files_below(directory, ".js"):
        for url in SCRIPT_LOADS.findall(read(path)):
            yield f"{os.path.relpath(path, directory)} loads {url}"


def wrong_load(directory, path, url):
    """What is wrong with something that a page or a style loads."""
    name = os.path.relpath(path, directory)
    if is_outside(url):
        yield f"{name} loads {url}"
    elif not url.startswith(("data:", "#")) and url:
        target = os.path.join(os.path.dirname(path), urllib.parse.unquote(re.split("[?#]", url)[0]))
        if not os.path.exists(target):
            yield f"{name} loads {url}, which does not exist"


def wrong_links(directory, pages):
    for path, page in pages.items():
        for url in page.links:
            if is_outside(url):
                continue
            target, _, anchor = url.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(target))) if target else path
            to = os.path.join(to, "index.html") if os.path.isdir(to) else to
            if not os.path.exists(to):
                yield f"{os.path.relpath(path, directory)} links to {url}, which does not exist"
            elif anchor and to in pages and urllib.parse.unquote(anchor) not in pages[to].ids:
                yield f"{os.path.relpath(path, directory)} links to {url}: no such anchor"


def complaints(directory):
    pages = {os.path.normpath(path): Page(read(path)) for path in files_below(directory, ".html")}
    if not pages:
        return [f"{directory} has no pages"]
    return sorted(set(wrong_loads(directory, pages)) | set(wrong_links(directory, pages)))


if __name__ == "__main__":
    found = complaints(sys.argv[1])
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
