#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site that docs/site/build.py makes of the documents: it has a page for each of them, no page asks for anything
from elsewhere or says anything on the console of a real browser, the search finds words, pages are dark where the
system is. Links and anchors that do not exist, and pictures from elsewhere, make it fail.

    site.py --pictures DIR    also writes pictures of pages"""

import functools
import glob
import http.server
import os
import shutil
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _browser  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("ANYPROF_SOURCE_DIR") or os.path.dirname(os.path.dirname(HERE))
VISITED = ("index.html", "docs/README.html", "docs/commands/merge.html", "docs/coverage.html", "docs/formats/raw.html",
           "docs/api/README.html", "docs/api/merge.html", "NEWS.html")
MISSING = 77


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def build(out, root=ROOT):
    return p.run([sys.executable, os.path.join(ROOT, "docs", "site", "build.py"), out, "--root", root])


def check_pages(report, site):
    """Each document is a page, and each header."""
    wanted = [name for name in glob.glob("**/*.md", root_dir=ROOT + "/docs", recursive=True)
              if not name.startswith(("prose/", "site/"))]
    for name in wanted:
        path = os.path.join(site, "docs", name[:-3] + ".html")
        report.check(f"page of docs/{name}", os.path.exists(path))
    for name in glob.glob("*.h", root_dir=ROOT + "/include/anyprof"):
        report.check(f"page of {name}", os.path.exists(os.path.join(site, "docs", "api", name[:-2] + ".html")))
    for name in os.listdir(os.path.join(ROOT, "docs", "images")) if os.path.isdir(ROOT + "/docs/images") else []:
        found = any(name in names for _, _, names in os.walk(os.path.join(site, "_images")))
        report.check(f"picture {name}", found)


def quiet(report, browser, origin, what):
    report.same(f"{what}: nothing is said", browser.messages, [])
    outside = [url for url in browser.requests if not url.startswith((origin, "data:"))]
    report.same(f"{what}: nothing is asked for elsewhere", outside, [])
    browser.messages.clear()
    browser.requests.clear()


def background(browser):
    return browser.value("getComputedStyle(document.body).backgroundColor")


def check_dark(report, browser, origin):
    browser.visit(origin + "index.html")
    light = background(browser)
    browser.dark(True)
    report.check("dark where the system is", background(browser) != light, light)
    browser.dark(False)
    report.same("light again", background(browser), light)
    browser.value("document.querySelector('.theme-toggle-content button').click()")
    report.check("dark on request", background(browser) != light, light)
    browser.messages.clear()  # the theme says that it has changed
    browser.value("localStorage.clear()")


def check_search(report, browser, origin):
    browser.visit(origin + "search.html?q=salvage")
    links = "[...document.querySelectorAll('ul.search a')].map(link => link.getAttribute('href').split('?')[0])"
    end = time.monotonic() + _browser.PATIENCE
    while not browser.value("document.querySelector('.search-summary')?.textContent.includes('finished')"):
        if time.monotonic() > end:
            break
        time.sleep(0.1)
    found = browser.value(links)
    report.check("a word of an option", any(link.startswith("docs/commands/merge.html") for link in found), str(found))


def check_browser(report, site, pictures):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}/"
    with _browser.Browser() as browser:
        for page in VISITED:
            browser.visit(origin + page)
            quiet(report, browser, origin, page)
            if pictures:
                browser.picture(os.path.join(pictures, page.replace("/", "-")[:-5] + ".png"))
        check_search(report, browser, origin)
        quiet(report, browser, origin, "search")
        check_search(report, browser, f"file://{site}/")
        quiet(report, browser, "file://", "search, opened from disk")
        check_dark(report, browser, origin)
    server.shutdown()


def small_tree(directory):
    """A tree of which a site is made quickly."""
    for name in ("include/anyprof/anyprof.h", "include/anyprof/error.h", "src/rooms.txt"):
        os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), os.path.join(directory, name))
    os.makedirs(os.path.join(directory, "examples"))
    os.makedirs(os.path.join(directory, "docs", "commands"))
    for name, text in (("README.md", "# A\n\n[all](docs/README.md#use-it)\n"), ("NEWS.md", "# News\n"),
                       ("docs/README.md", "# All\n\n## Use it\n\n- [one](one.md)\n- [news](../NEWS.md)\n"),
                       ("docs/commands/anyprof.md", "# anyprof\n"), ("docs/one.md", "# One\n\n## A `heading`\n"),
                       ("docs/two.md", "# Two\n\n[one](one.md#a-heading), [file](../src/rooms.txt)\n")):
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)


def check_strict(report, directory):
    tree, site = os.path.join(directory, "tree"), os.path.join(directory, "small")
    os.mkdir(tree)
    small_tree(tree)
    made = build(site, tree)
    report.check("a small site", made.code == 0, made.errors() + made.out.decode())
    with open(os.path.join(site, "index.html"), encoding="utf-8") as file:
        report.check("a page that no list has is in the navigation", "docs/two.html" in file.read())
    os.mkdir(os.path.join(tree, "docs", "images"))
    shutil.copy(os.path.join(ROOT, "docs", "site", "static", "icon.svg"), os.path.join(tree, "docs", "images", "a.svg"))
    with open(os.path.join(tree, "docs", "two.md"), "a", encoding="ascii") as file:
        file.write("\n![a picture](images/a.svg)\n")
    report.check("a picture", build(site, tree).code == 0 and os.path.exists(os.path.join(site, "_images", "a.svg")))
    # Sphinx reports all links at once; what is loaded from elsewhere is looked for in a site that it has made.
    for wrong in ({"[x](three.md)": "docs/two.md: three.md does not exist",
                   "[x\ny](four.md)": "docs/two.md: four.md does not exist",
                   "[x](one.md#nothing)": "nothing", "[x](#nowhere)": "nowhere", "![x](images/x.png)": "images/x.png"},
                  {"![x](https://example.org/x.png)": "loads https://example.org/x.png",
                   "<script src='//example.org/x.js'></script>": "loads //example.org/x.js",
                   "<style>@import url(//example.org/x.css);</style>": "loads //example.org/x.css"}):
        with open(os.path.join(tree, "docs", "two.md"), "w", encoding="ascii") as file:
            file.write("# Two\n\n" + "\n\n".join(wrong) + "\n")
        made = build(site, tree)
        said = made.out.decode() + made.err.decode()
        report.same("the exit code", made.code, 1)
        for text, wanted in wrong.items():
            report.check(f"{text!r} is wrong", wanted in said, said)
    report.check("another directory", build(tree, tree).code == 1 and os.path.exists(os.path.join(tree, "README.md")))


def main():
    pictures = sys.argv[2] if sys.argv[1:2] == ["--pictures"] else None
    if os.environ.get("ANYPROF_INSTRUMENTED") == "1":
        p.skip("the site has nothing of the build: the release build has this test")
    report = p.Report(floor=60)
    with p.work_directory() as directory:
        site = os.path.join(directory, "site")
        made = build(site)
        if made.code == MISSING:
            p.skip(made.out.decode().strip())
        if not report.check("the site is built", made.code == 0, made.errors() + made.out.decode()):
            return report.finish()
        check_pages(report, site)
        check_strict(report, directory)
        if _browser.BROWSER:
            check_browser(report, site, pictures)
        else:
            report.skip("pages", "there is no chromium")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
