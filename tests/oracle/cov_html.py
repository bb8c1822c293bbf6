#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cov show --format=html` in a real browser, headless: what stands on the pages is what `cov export` has, files can
be sorted and found, lines that never ran are reached by keys, pages are dark where the system is, hostile names and
sources stay text, no page asks for anything, and none says anything on its console.

    cov_html.py --pictures DIR    also writes pictures of the pages"""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _browser  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402

CLANG = "clang-22"
MARKUP = "</script><script>document.title='broken'</script><img src=x onerror=document.title='broken'>"
HEADER = """
template <class T> T largest(T a, T b) { if (a > b) return a; return b; }
template <class T> T smallest(T a, T b)
{
    if (a < b)
        return a;
    return b;
}
"""
SOURCE = f"""
#include "inc/shared.h"
#define TWICE(x) ((x) > 3 ? (x) * 2 : (x))
const char *text = "{MARKUP}"; // <b>&amp;</b>
static int between(int x)
{{
    if (x > 2 && x < 9)
        return TWICE(x);
    return -x;
}}
int never(int x)
{{
    return x ? 1 : 2;
}}

int never_either(int x)
{{
    return x;
}}
int main(int argc, char **)
{{
    int s = 0;
    for (int i = 0; i < 7; i++)
        s += between(i) + largest(i, 3) + (int)largest(i * 1.5, 2.0) + smallest(9, i) + (int)smallest(1.0, i * 1.0);
    if (argc > 9) {{ s = never(s); }}
    return s == argc;
}}
"""
OTHER = "int other(int x) { return x; }\n"
HOSTILE = "<img src=x onerror=alert(1)>&'.cc"


def build(report, directory):
    os.mkdir(os.path.join(directory, "inc"))
    for name, text in (("inc/shared.h", HEADER), ("main.cc", SOURCE), (HOSTILE, OTHER)):
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)
    built = p.run([CLANG, "-x", "c++", "-std=c++17", "-fprofile-instr-generate", "-fcoverage-mapping",
                   "-fcoverage-mcdc", "main.cc", HOSTILE, "-o", "program"], cwd=directory)
    os.environ["LLVM_PROFILE_FILE"] = os.path.join(directory, "raw")
    return (report.check("it is built", built.code == 0, built.errors()) and
            report.check("it runs", p.run([os.path.join(directory, "program")]).code == 0))


def show(report, directory, *options):
    made = p.anyprof("cov", "show", "program", "--profile=raw", "--format=html", "--project-title=A <project>",
                     *options, cwd=directory)
    report.check(f"pages are made {options}", made.code == 0 and not made.err, made.errors())


def quiet(report, browser, what):
    report.same(f"{what}: nothing is said", browser.messages, [])
    report.same(f"{what}: nothing is asked for", [url for url in browser.requests if not url.startswith("file:")], [])
    report.check(f"{what}: only pages", all(url.split("#")[0].endswith(".html") for url in browser.requests),
                 str(browser.requests))
    report.check(f"{what}: no script of others ran", browser.value("document.title") != "broken")
    report.same(f"{what}: no pictures", browser.value("document.images.length"), 0)
    browser.messages.clear()
    browser.requests.clear()


NAMES = "[...document.querySelectorAll('table.files tr[data-name]:not([hidden])')].map(row => row.dataset.name)"
ROW = "document.querySelector('table.files tr[data-name=\"%s\"]')"


def check_index(report, browser, numbers):
    report.same("title", browser.value("document.querySelector('h1').textContent"), "A <project>")
    report.same("files", sorted(browser.value(NAMES)), sorted(numbers))
    columns = browser.value("[...document.querySelectorAll('table.files thead th')].map(cell => cell.textContent)")
    report.same("columns", columns, ["File", "Lines", "Functions", "Regions", "Branches", "MC/DC"])
    for name, summary in numbers.items():
        if "<" in name:
            continue
        cells = browser.value(f"[...{ROW % name}.cells].map(cell => cell.textContent)")
        for i, key in enumerate(("lines", "functions", "regions", "branches", "mcdc")):
            share = f"({summary[key]['covered']}/{summary[key]['count']})"
            report.check(f"{name}: {key}", cells[i + 1].endswith(share), f"{cells[i + 1]}, not {share}")
    browser.press("/")
    report.same("/ goes to the filter", browser.value("document.activeElement.id"), "filter")
    find = "filter.value = '%s'; filter.dispatchEvent(new Event('input')); " + NAMES
    report.same("found", browser.value("const filter = document.getElementById('filter'); " + find % "SHARED"),
                ["inc/shared.h"])
    report.same("none", browser.value(find % "nothing"), [])
    report.same("all", len(browser.value(find % "")), 3)
    browser.value("document.activeElement.blur()")
    click = "document.querySelectorAll('table.files thead button')[1].click(); " + NAMES
    up, down = browser.value(click), browser.value(click)
    report.same("sorted by lines", up, sorted(up, key=lambda name: percent(numbers[name]["lines"])))
    report.same("and the other way", [percent(numbers[name]["lines"]) for name in down],
                sorted((percent(numbers[name]["lines"]) for name in up), reverse=True))
    report.same("which is said", browser.value(
        "document.querySelectorAll('table.files thead th')[1].getAttribute('aria-sort')"), "descending")


def percent(share):
    return share["covered"] / share["count"] if share["count"] else -1


def check_source(report, browser, name, counts):
    """`counts` are the counts of lines, by number."""
    table = "[...document.querySelectorAll('section.file')].find(one => one.dataset.title === '%s')" % name
    rows = browser.value(f"[...({table}).querySelector('table.code').tBodies[0].rows].filter(row => row.id)"
                         ".map(row => [row.cells[0].textContent, row.cells[1].textContent, row.className])")
    got = {int(line): int(count) for line, count, _ in rows if count}
    report.same(f"{name}: counts", got, counts)
    for line, count, kind in rows:
        report.check(f"{name}:{line}: {kind}", (kind == "u") == (count == "0") and (kind == "") == (count == ""))
    text = browser.value(f"[...({table}).querySelector('table.code').tBodies[0].rows].filter(row => row.id)"
                         ".map(row => row.cells[2].textContent).join('')")
    with open(os.path.join(os.environ["COV_HTML_SOURCES"], name), encoding="ascii") as file:
        report.same(f"{name}: its text", text, file.read())


def check_details(report, browser):
    folded = browser.value("[...document.querySelectorAll('section.file details summary')].map(one => one.textContent)")
    for words in ("Branches: 75.00% (3/4)", "MC/DC of the decision at 7:9: 50.00% (1/2)", "Expands at column 16",
                  "Instantiations"):
        report.check(f"folded: {words}", words in folded, str(folded))
    items = browser.value("[...document.querySelectorAll('section.file details li')].map(one => one.textContent)")
    report.check("a side that was never taken", any("false 0 (never)" in item for item in items), str(items))
    vectors = browser.value("document.querySelector('table.vectors').innerText")
    report.check("test vectors", "true" in vectors and "never" in vectors, vectors)


def check_keys(report, browser):
    """n and p go to the lines that never ran, f unfolds, d makes it dark, u goes back."""
    here = "document.querySelector('tr.here')?.cells[0].textContent"
    starts = []
    for _ in range(3):
        browser.press("n")
        starts.append(browser.value(here))
    report.same("n", starts, ["12", "17", "12"])
    browser.press("p")
    report.same("p", browser.value(here), "17")
    opened = "document.querySelectorAll('.open details[open]').length"
    browser.press("f")
    report.check("f", browser.value(opened) > 5)
    browser.press("f")
    report.same("f again", browser.value(opened), 0)
    before = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.press("d")
    report.check("d", browser.value("getComputedStyle(document.body).backgroundColor") != before)
    browser.press("d")


def check_dark(report, browser):
    colours = []
    for is_dark in (False, True):
        browser.dark(is_dark)
        browser.value("delete document.documentElement.dataset.theme")
        colours.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    report.same("light and dark", colours, ["rgb(255, 255, 255)", "rgb(13, 17, 23)"])
    browser.dark(False)


def check_one(report, browser, directory, numbers, counts, pictures):
    show(report, directory, "-o", "one.html")
    page = os.path.join(directory, "one.html")
    browser.open(page)
    report.same("only the table is shown", browser.value(
        "[...document.querySelectorAll('section')].filter(one => one.offsetParent).map(one => one.className)"),
                ["index open"])
    if pictures:
        browser.picture(os.path.join(pictures, "cov-index.png"), 1100, 360)
    check_index(report, browser, numbers)
    for name, lines in counts.items():
        check_source(report, browser, name, lines)
    check_details(report, browser)
    check_dark(report, browser)
    browser.value(f"{ROW % 'main.cc'}.querySelector('a').click()")
    browser.value("new Promise(done => setTimeout(done, 200))")
    report.same("a file is shown", browser.value("document.querySelector('section.open h2').textContent"), "main.cc")
    report.same("and named", browser.value("document.title"), "main.cc")
    if pictures:
        browser.picture(os.path.join(pictures, "cov-source.png"), 1100, 700)
    check_keys(report, browser)
    browser.press("u")
    report.same("back", browser.value("new Promise(done => setTimeout(done, 200))") or browser.value(
        "document.querySelector('section.open').className"), "index open")
    quiet(report, browser, "one page")


def check_pages(report, browser, directory, numbers):
    show(report, directory, "--output-dir=pages")
    pages = sorted(os.listdir(os.path.join(directory, "pages")))
    report.same("pages", pages, sorted(["_img_src_x_onerror_alert_1____.cc.html", "inc-shared.h.html", "index.html",
                                         "main.cc.html"]))
    browser.open(os.path.join(directory, "pages", "index.html"))
    links = browser.value("[...document.querySelectorAll('table.files a')].map(link => link.getAttribute('href'))")
    report.same("links", sorted(links + ["index.html"]), pages)
    report.same("files", sorted(browser.value(NAMES)), sorted(numbers))
    browser.open(os.path.join(directory, "pages", "main.cc.html"), "#L12")
    report.same("the line is there", browser.value("document.querySelector(':target').className"), "u")
    report.same("the way back", browser.value("document.querySelector('a.up').getAttribute('href')"), "index.html")
    quiet(report, browser, "pages")


def main():
    for tool in (CLANG, "llvm-cov-22"):
        if not shutil.which(tool):
            p.skip(f"no {tool}")
    if not _browser.BROWSER:
        p.skip("no chromium")
    pictures = sys.argv[2] if sys.argv[1:2] == ["--pictures"] else None
    report = p.Report(floor=60)
    with p.work_directory() as directory:
        if not build(report, directory):
            return report.finish()
        os.environ["COV_HTML_SOURCES"] = directory
        export = p.anyprof("cov", "export", "program", "--profile=raw", f"--prefix-map={directory}/=", cwd=directory)
        numbers = {entry["filename"]: entry["summary"] for entry in json.loads(export.out)["data"][0]["files"]}
        codecov = p.anyprof("cov", "export", "program", "--profile=raw", f"--prefix-map={directory}/=",
                            "--format=lcov", cwd=directory)
        counts, name = {}, None
        for line in codecov.out.decode().splitlines():
            key, _, rest = line.partition(":")
            name = rest if key == "SF" else name
            if key == "DA" and "<" not in name:
                number, count = rest.split(",")
                counts.setdefault(name, {})[int(number)] = int(count)
        with _browser.Browser() as browser:
            check_one(report, browser, directory, numbers, counts, pictures)
            check_pages(report, browser, directory, numbers)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
