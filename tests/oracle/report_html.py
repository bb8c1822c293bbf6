#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`anyprof report` in a real browser, headless: what stands on the page, sorting, searching, filtering, charts by
keyboard, dark and light, hostile names, pages without scripts, and profiles of 100,000 functions. No page asks for
anything, and none says anything on its console.

    report_html.py --pictures DIR    also writes the pictures that are in the documentation"""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import _browser  # noqa: E402  (found through the line before)
import _profiles as p  # noqa: E402

HOSTILE = ["</script><script>document.title='broken'</script>", "<img src=x onerror=document.title='broken'>",
           "-->]]><b>&amp;\"'`", "a\\u202eb"]
MANGLED = "_ZN4wine6Cellar4findERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
PLAIN = "wine::Cellar::find(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)"
MANY = [[i * 7 % 1000, i * i % 100000] for i in range(100000)]  # counts of functions


def function(name, counts, number=1, values=""):
    lines = [name, str(number), str(len(counts)), *map(str, counts)]
    return "\n".join(lines) + "\n" + values + "\n"


def write(directory, name, text):
    with open(os.path.join(directory, name), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def profiles(directory):
    targets = "1\n0\n1\n2\n_ZN4wine4poolEi:700\nsrc/deep/one.c;local:300\n\n"
    now = ":ir\n" + function(MANGLED, [1000, 2000, 3000]) + function("main", [1, 1000], 2, targets)
    now += function("src/deep/one.c;local", [300], 3) + function("_ZN4wine4poolEi", [700, 5], 4)
    now += function("never", [0, 0], 5) + "".join(function(name, [3 + i], 6) for i, name in enumerate(HOSTILE))
    before = ":ir\n" + function(MANGLED, [1000, 1000, 1000]) + function("main", [1, 1000], 2)
    before += function("src/deep/one.c;local", [300], 33) + function("old", [50], 4)
    write(directory, "now.proftext", now)
    write(directory, "before.proftext", before)
    write(directory, "many.proftext", "".join(
        function(f"_ZN2ns5Class7method{i}Ev" if i % 3 else f"dir{i % 50}/file{i % 500}.c;f{i}",
                 counts) for i, counts in enumerate(MANY)))
    write(directory, "narrow.prof", "a_narrow:1:1\n 1: 1\nwide:1000000:9\n 1: 1000000\n")
    write(directory, "calls.prof", "main:1000:10\n 1: 10\n 2: work:8\n 3: mid:900\n  1: 400\n  2: leaf:500\n   1: 500\n"
          " 4: 90 work:60 rest:30\nwork:300:30\n 1: 100\n 2: 200\n")


# --- what is on every page --------------------------------------------------------------------------------------


def quiet(report, browser, what):
    report.same(f"{what}: nothing is said", browser.messages, [])
    report.same(f"{what}: nothing is asked for", [url for url in browser.requests if not url.startswith("file:")], [])
    report.check(f"{what}: one page", all(url.split("#")[0].endswith(".html") for url in browser.requests),
                 str(browser.requests))
    report.check(f"{what}: no script of others ran", browser.value("document.title") != "broken")
    report.same(f"{what}: no pictures", browser.value("document.images.length"), 0)
    browser.messages.clear()
    browser.requests.clear()


def make(report, directory, page, *words):
    made = p.anyprof("report", *words, "-o", page, cwd=directory)
    report.check(f"{page} is made", made.code == 0 and not made.err, made.errors())


def ready(browser, directory, page):
    browser.open(os.path.join(directory, page))
    browser.value("new Promise(done => { const look = () => document.documentElement.dataset.ready ? done(1) : "
                  "setTimeout(look, 10); look(); })")


def browser_open(browser, directory, page):
    browser.open(os.path.join(directory, page))


def rows(name):
    return (f"[...document.querySelectorAll('[data-table=\"{name}\"] tbody tr[aria-rowindex]')]"
            ".map(row => [...row.cells].map(cell => cell.title.split('\\n')[0] || cell.textContent))")


def change(selector, value, event):
    return (f"{{ const one = document.querySelector('{selector}'); one.value = '{value}'; "
            f"one.dispatchEvent(new Event('{event}')); }}")


def sections(browser):
    return browser.value("[...document.querySelectorAll('main > section')].map(one => one.id)")


# --- one profile ------------------------------------------------------------------------------------------------


def check_functions(report, browser):
    table = browser.value(rows("functions"))
    report.same("functions by their counts", [row[0] for row in table],
                [PLAIN, "main", "wine::pool(int)", "src/deep/one.c;local", *reversed(HOSTILE), "never"])
    report.same("a row", table[0][1:], ["74.78 %", "6,000", "3,000", "1,000", "3"])
    host = "[data-table=\"functions\"] "
    browser.press("/")
    report.same("/ goes to the search", browser.value("document.activeElement.type"), "search")
    for word, wanted in ((" cellar ", [PLAIN]), ("_zn4wine", [PLAIN, "wine::pool(int)"]),
                         ("no such", [])):
        browser.value(change(host + "input", word, "input"))
        report.same(f"search {word}", [row[0] for row in browser.value(rows("functions"))], wanted)
    report.check("that nothing is found", "Nothing is found." in browser.value(
        f"document.querySelector('{host}tbody').textContent"))
    report.same("how many are found", browser.value(f"document.querySelector('{host}[role=status]').textContent"),
                "0 of 9")
    browser.value(change(host + "input", "", "input"))
    check_rows(report, browser, host)
    for choice, wanted in ((3, ["never"]), (1, [PLAIN, "main", "wine::pool(int)", "src/deep/one.c;local"]), (0, None)):
        browser.value(change(host + "select", choice, "change"))
        shown = [row[0] for row in browser.value(rows("functions"))]
        report.check(f"filter {choice}", shown == wanted or (wanted is None and len(shown) == 9), str(shown))
    browser.value("document.activeElement.blur()")
    for column, title in ((0, "Function"), (3, "Largest")):
        click = f"document.querySelectorAll('{host}thead button')[{column}].click()"
        first = browser.value(click + "; " + rows("functions"))
        report.same(f"sorted by {title}", browser.value(
            f"document.querySelectorAll('{host}thead th')[{column}].getAttribute('aria-sort')"),
                    "descending" if column else "ascending")
        second = browser.value(click + "; " + rows("functions"))
        keys = [[float(row[3].replace(",", "")) if column else row[0] for row in table] for table in (first, second)]
        report.same(f"{title}, once", keys[0], sorted(keys[0], reverse=bool(column)))
        report.same(f"{title}, twice", keys[1], sorted(keys[1], reverse=not column))


def check_rows(report, browser, host):
    """What a row shows of a long name, and what stands below the table when it is chosen."""
    report.same("a long name", browser.value(f"document.querySelector('{host}tr[aria-rowindex] code').textContent"),
                "wine::Cellar::find(std::__cxx11::basic_string<\u2026> const&)"
                if browser.value("innerWidth") > 1000 else "wine::Cellar::find(\u2026)")
    details = f"[...document.querySelectorAll('{host}.details code')].map(one => one.textContent)"
    report.same("no row is chosen", browser.value(details), [])
    browser.value(f"document.querySelector('{host}tr[aria-rowindex]').click()")
    report.same("all of a row", browser.value(details), [PLAIN, MANGLED, "hash 0x0000000000000001"])
    browser.value(f"document.querySelector('{host}.window').focus()")
    chosen = f"document.querySelector('{host}tr[aria-current]')?.getAttribute('aria-rowindex')"
    walk = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp"):
        browser.press(key)
        walk.append(browser.value(chosen))
    report.same("rows by keys", walk, ["3", "4", "3", "2", "2"])


def check_map(report, browser):
    """A box is shown alone, and all of them again, by keys and by clicks; the focus stays in the map."""
    boxes = "[...document.querySelectorAll('[data-chart=\"map\"] g.box')]"
    names = boxes + ".map(box => box.getAttribute('aria-label').split(': ')[0])"
    everything = browser.value(names)
    here = "document.activeElement.getAttribute('aria-label')?.split(': ')[0]"
    browser.value(boxes + "[0].focus()")
    browser.press("ArrowDown")
    report.same("the largest box", browser.value(here), "wine")
    browser.press("Enter")
    report.same("alone", browser.value(names)[:2], ["wine", "wine::Cellar"])
    report.same("it has the focus", browser.value(here), "wine")
    browser.press("Escape")
    report.same("all again", browser.value(names), everything)
    report.check("what has the focus", browser.value(here) in everything)
    click = ".find(box => box.getAttribute('aria-label').startsWith('wine: ')).dispatchEvent(new MouseEvent('click'))"
    browser.value(boxes + click)
    report.check("a way back", "; back to all" in browser.value(boxes + "[0].getAttribute('aria-label')"))
    browser.value(boxes + click)
    report.same("all again by a click", browser.value(names), everything)


def check_charts(report, browser):
    for name in ("curve", "powers", "map"):
        report.check(f"chart {name}", browser.value(
            f"document.querySelector('[data-chart=\"{name}\"] svg').getBoundingClientRect().height") > 100)
        report.check(f"chart {name} has a label", browser.value(
            f"document.querySelector('[data-chart=\"{name}\"] svg').getAttribute('aria-label')"))
    labels = browser.value("[...document.querySelectorAll('[data-chart=\"map\"] g.box')].map(box => "
                           "box.getAttribute('aria-label'))")
    report.check("a namespace", any(label.startswith("wine: ") for label in labels), str(labels))
    report.check("a directory", any(label.startswith("src: ") for label in labels), str(labels))
    bars = browser.value("[...document.querySelectorAll('[data-chart=\"powers\"] rect title')].map(one => "
                         "one.textContent)")
    report.check("counters that never counted", "2: 0" in bars, str(bars))


def check_one(report, browser, directory):
    make(report, directory, "one.html", "now.proftext", "--title=A <title>")
    ready(browser, directory, "one.html")
    report.same("title", browser.value("document.title"), "A <title>")
    report.same("heading", browser.value("document.querySelector('h1').textContent"), "A <title>")
    report.same("sections", sections(browser), ["hotness", "functions", "sites", "files"])
    report.same("in short", browser.value("document.querySelector('.lead').textContent"),
                "9 functions, 1 of them never ran. 3 functions hold 90 % of all 8,024 counts.")
    check_functions(report, browser)
    check_charts(report, browser)
    check_map(report, browser)
    site = browser.value("document.querySelector('#sites tbody').innerText")
    report.check("targets of a call", all(word in site for word in ("70.0 % wine::pool(int)", "src/deep/one.c;local")),
                 site)
    facts = browser.value("document.querySelector('#files dl').innerText")
    report.check("what it is", "text instrumentation profile" in facts and "IR" in facts, facts)
    colours = []
    for is_dark in (False, True):
        browser.dark(is_dark)
        colours.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    report.check("dark and light", colours[0] != colours[1], str(colours))
    browser.press("d")
    report.same("d", browser.value("getComputedStyle(document.body).backgroundColor"), colours[0])
    browser.press("d")
    browser.dark(False)
    quiet(report, browser, "one profile")


# --- two profiles -----------------------------------------------------------------------------------------------


def check_two(report, browser, directory):
    make(report, directory, "two.html", "now.proftext", "--against=before.proftext")
    ready(browser, directory, "two.html")
    report.same("title of files", browser.value("document.title"), "now.proftext, compared with before.proftext")
    report.same("sections of two", sections(browser), ["differences", "hotness", "functions", "sites", "files"])
    table = {row[0]: row[1:] for row in browser.value(rows("differences"))}
    report.same("grew", table[PLAIN][:1], ["hotter"])
    report.same("gone", table["old"][:1], ["gone"])
    report.same("new", table["wine::pool(int)"][:1], ["new"])
    report.check("edited", "edited" in table["src/deep/one.c;local"][0], str(table))
    browser.value(change("[data-table=\"differences\"] select", 2, "change"))
    report.same("only what is gone", [row[0] for row in browser.value(rows("differences"))], ["old"])
    dots = browser.value("[...document.querySelectorAll('[data-chart=\"scatter\"] circle title')].map(one => "
                         "one.textContent)")
    report.same("dots", len(dots), len(table))
    quiet(report, browser, "two profiles")
    make(report, directory, "same.html", "now.proftext", "--against=now.proftext")
    ready(browser, directory, "same.html")
    report.check("nothing changed", "0.00 % of all counts moved; the overlap is 100.00 %" in
                 browser.value("document.querySelector('#differences').textContent"))
    report.same("no empty table", browser.value("document.querySelectorAll('#differences table').length"), 0)
    quiet(report, browser, "equal profiles")


# --- stacks -----------------------------------------------------------------------------------------------------


def check_stacks(report, browser, directory):
    make(report, directory, "stacks.html", "calls.prof")
    ready(browser, directory, "stacks.html")
    labels = ("[...document.querySelectorAll('[data-chart=\"flame\"] g.box')].map(box => "
              "box.getAttribute('aria-label'))")
    report.same("boxes", browser.value(labels),
                ["all: 100.00 %, 1,300", "main: 76.92 %, 1,000", "work: 23.08 %, 300", "mid: 69.23 %, 900",
                 "leaf: 38.46 %, 500"])
    here = "document.activeElement.getAttribute('aria-label').split(':')[0]"
    browser.value("document.querySelector('[data-chart=\"flame\"] g.box').focus()")
    walk = []
    for key in ("ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowUp"):
        browser.press(key)
        walk.append(browser.value(here))
    report.same("keys", walk, ["main", "work", "main", "mid", "leaf", "mid"])
    browser.press("Enter")
    report.same("one box", [label.split(":")[0] for label in browser.value(labels)], ["all", "main", "mid", "leaf"])
    report.same("it keeps the focus", browser.value(here), "mid")
    browser.press("Escape")
    report.same("all boxes", len(browser.value(labels)), 5)
    make(report, directory, "narrow.html", "narrow.prof")
    ready(browser, directory, "narrow.html")
    browser.value("document.querySelector('[data-chart=\"flame\"] g.box').focus()")
    browser.press("ArrowDown")
    report.same("boxes that are too small to be drawn are passed over", browser.value(here), "wide")
    quiet(report, browser, "stacks")


# --- many functions, and no script ------------------------------------------------------------------------------


def check_many(report, browser, directory):
    make(report, directory, "many.html", "many.proftext")
    ready(browser, directory, "many.html")
    area = "document.querySelector('[data-table=\"functions\"] .window')"
    seen = set()
    for part in range(11):
        browser.value(f"{area}.scrollTop = ({area}.scrollHeight - {area}.clientHeight) * {part} / 10")
        browser.value("new Promise(done => setTimeout(done, 50))")
        numbers = browser.value("[...document.querySelectorAll('[data-table=\"functions\"] tr[aria-rowindex]')].map("
                                "row => Number(row.getAttribute('aria-rowindex')))")
        report.check(f"few rows at {part}", 10 < len(numbers) < 100, str(len(numbers)))
        seen |= set(numbers)
    report.check("from the first to the last", {2, 100001} <= seen, f"{min(seen)} to {max(seen)}")
    report.same("and their number", browser.value(
        "document.querySelector('[data-table=\"functions\"] table').getAttribute('aria-rowcount')"), "100001")
    labels = browser.value("[...document.querySelectorAll('[data-chart=\"map\"] g.box')].map(box => "
                           "box.getAttribute('aria-label'))")
    shares = {label.split(": ")[0]: label.split(": ")[1] for label in labels}
    totals = sorted(map(sum, MANY), reverse=True)
    rest = f"{sum(map(bool, totals[20000:])):,} other functions"
    report.same("the rest of the map", shares.get(rest), f"{100 * sum(totals[20000:]) / sum(totals):.2f} %")
    words = browser.value("document.querySelector('[data-chart=\"map\"] .remark').textContent")
    report.check("what the map leaves out", words.endswith("boxes are too small to be drawn"), words)
    check_places(report, browser)
    check_brief(report, browser)
    check_cut(report, browser)
    quiet(report, browser, "many functions")


# Names as they are shown, the file that they begin with, and the places that they are in.
PLACES = (
    ("main", None, ["main"]),
    ("a::b<c::d>::e(f::g)", None, ["a", "b<c::d>", "e(f::g)"]),
    ("void ns::foo<int>(int)", None, ["ns", "void foo<int>(int)"]),
    ("std::vector<int, std::allocator<int> > ns::make<int>(std::pair<int, int>)", None,
     ["ns", "std::vector<int, std::allocator<int> > make<int>(std::pair<int, int>)"]),
    ("decltype(auto) ns::any<int>(int)", None, ["ns", "decltype(auto) any<int>(int)"]),
    ("decltype ((f)(0)) ns::any<int>(int)", None, ["decltype ((f)(0)) ns::any<int>(int)"]),
    ("std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", None,
     ["std", "operator<< <std::char_traits<char> >(std::ostream&, char const*)"]),
    ("ns::A::operator->(std::a)", None, ["ns", "A", "operator->(std::a)"]),
    ("ns::A::operator std::string() const", None, ["ns", "A", "operator std::string() const"]),
    ("ns::operators::f()", None, ["ns", "operators", "f()"]),
    ("(anonymous namespace)::A::f()", None, ["(anonymous namespace)", "A", "f()"]),
    ("non-virtual thunk to ns::A::f()", None, ["ns", "A", "non-virtual thunk to f()"]),
    ("main::{lambda(int)#1}::operator()(int) const", None, ["main", "{lambda(int)#1}", "operator()(int) const"]),
    ("<alloc::vec::Vec<T> as core::ops::Drop>::drop", None, ["<alloc::vec::Vec<T> as core::ops::Drop>", "drop"]),
    ("core::ops::FnOnce<fn(i32) -> i32>::call", None, ["core", "ops", "FnOnce<fn(i32) -> i32>", "call"]),
    ("-[Foo setX:y::]", None, ["-[Foo setX:y::]"]),
    ("src/a.m;-[Foo setX:y:]", "src/a.m", ["src", "a.m", "-[Foo setX:y:]"]),
    ("src/deep/one.c;local", "src/deep/one.c", ["src", "deep", "one.c", "local"]),
    ("ns::f(int)", None, ["ns", "f(int)"]),
    ("f(int) const::Local::g()", None, ["f(int) const", "Local", "g()"]),
    ("ns::f(int) const", None, ["ns", "f(int) const"]),
    ("local/file.c/1", None, ["file.c", "local"]),
    ("local/2", None, ["local/2"]),
)


def check_cut(report, browser):
    """What is said of a box with a name of any length is short, and ends with its numbers."""
    said = browser.value("report.cut(`${'x'.repeat(300000)}: 5.00 %, 7`)")
    report.check("a long name of a box", len(said) == 1000 and said.endswith("x: 5.00 %, 7"), str(len(said)))
    report.same("a short one", browser.value("report.cut('f: 5.00 %')"), "f: 5.00 %")


def check_places(report, browser):
    for name, file, wanted in PLACES:
        report.same(f"places of {name}", browser.value(f"report.places.parts({json.dumps(name)}, {json.dumps(file)})"),
                    wanted)


# --- long names -------------------------------------------------------------------------------------------------

MAKE = "std::vector<int, A<int> > ns::Type<int>::make<int>(std::pair<int, int>) const"
# Names, how many characters there are for them, and what they are then.
BRIEF = (
    (MAKE, 77, MAKE),
    (MAKE, 76, "std::vector<\u2026> ns::Type<\u2026>::make<\u2026>(std::pair<\u2026>) const"),
    (MAKE, 52, "std::vector<\u2026> ns::Type<\u2026>::make<\u2026>(\u2026) const"),
    (MAKE, 40, "ns::Type<\u2026>::make<\u2026>(\u2026) const"),
    (MAKE, 26, "ns::Type<\u2026>::make\u2026"),
    (MAKE, 10, "\u2026::make\u2026"),
    (MAKE, 6, "make\u2026"),
    (MAKE, 4, "make"),
    (MAKE, 3, "m\u2026e"),
    ("int module_1230<int, int>(int)", 16, "module_1230\u2026"),
    ("int module_1230<int, int>(int)", 8, "mod\u20261230"),
    ("std::ostream& std::operator<< <char>(std::ostream&, char)", 40, "std::ostream& std::operator<< <\u2026>(\u2026)"),
    ("std::ostream& std::operator<< <char>(std::ostream&, char)", 16, "std::operator<<\u2026"),
    ("ns::A::operator std::vector<int>() const", 26, "\u2026::operator std::vector\u2026"),
    ("ns::A::operator->(int) const", 15, "\u2026::operator->\u2026"),
    ("bool ns::Less::operator()(int, int)", 20, "\u2026::Less::operator()\u2026"),
    ("main::{lambda(int)#1}::operator()(int) const", 31, "main::{lambda(\u2026)#1}::operator()"),
    ("main::{lambda(int)#1}::operator()(int) const", 24, "main::{\u2026}::operator()"),
    ("(anonymous namespace)::f(int, int)", 30, "(anonymous namespace)::f(\u2026)"),
    ("f(int, int)::Local::g(int)", 25, "f(\u2026)::Local::g(\u2026)"),
    ("<alloc::vec::Vec<a::B> as core::ops::Drop>::drop", 46, "<alloc::vec::Vec<\u2026> as core::ops::Drop>::drop"),
    ("<alloc::vec::Vec<a::B> as core::ops::Drop>::drop", 30, "<Vec<\u2026> as Drop>::drop"),
    ("<[u8; 4] as core::fmt::Debug>::fmt", 20, "\u2026::fmt"),
    ("core::iter::for_each::{{closure}}::h0123456789abcdef", 30, "\u2026::for_each::{{closure}}\u2026"),
    ("-[Controller table:didSelect:]", 25, "-[\u2026 table:didSelect:]"),
    ("-[Controller table:didSelect:]", 16, "table:didSelect:"),
    ("src/deep/a.m;-[Foo setX:y:]", 24, "\u2026/a.m;-[Foo setX:y:]"),
    ("src/deep/one.c;local", 16, "\u2026/one.c;local"),
    ("src/deep/one.c;local", 8, "\u2026;local"),
    ("src/a.cc;void ns::f<int>(int)", 14, "\u2026/a.cc;ns::f\u2026"),
    (MANGLED, 40, "_ZN4wine6Cellar4find\u2026"),
    (MANGLED, 20, "\u2026find\u2026"),
    (MANGLED, 5, "find"),
    ("_Z11module_1001ISt4pairIiiEEiiT_", 20, "_Z11module_1001\u2026"),
    ("_ZN4wine3BoxIiE3getEv", 20, "_ZN4wine3\u2026xIiE3getEv"),
    ("_ZN99999999999", 10, "\u2026999999\u2026"),
    ("src/deep/a.cc;_ZN1a1fEi", 18, "\u2026/a.cc;_ZN1a1fEi"),
    ("src/deep/a.cc;_ZN1a1fEi", 8, "_ZN1a1f\u2026"),
    ("a::b\u2026c<d>", 6, "b\u2026c\u2026"),
)


def check_brief(report, browser):
    for name, room, wanted in BRIEF:
        report.same(f"{name} of {room}", browser.value(f"report.brief({json.dumps(name)}, {room})"), wanted)
    names = [name for name, _, _ in BRIEF] + [name for name, _, _ in PLACES] + HOSTILE + [PLAIN, MANGLED]
    wrong = browser.value(f"{json.dumps(names)}.flatMap(name => [...name].map((_, i) => [name, i + 1, "
                          "report.brief(name, i + 1)])).filter(([name, room, text]) => !text || text.length > room "
                          "|| /\u2026\u2026/.test(text) || report.brief(text, room) !== text)")
    report.same("no name is longer than its room, or shortened twice", wrong, [])
    # Time with the square of their length would be that of the test.
    parts = ("<a>", "::", "a::", "(", "<", "{a}::", "f()::", "f() const::", "decltype()", "operator<", " const", "/1",
             "/a", "a;", "a ", "operator()::", "< as ", "\U0001f600")
    wrong = browser.value(f"{json.dumps(parts)}.flatMap(part => ['', 'x', '<', 'f(', 'f() ', '-[a '].map(begin => {{"
                          " const name = begin + part.repeat(1e5 / part.length); report.places.parts(name, null);"
                          " return [part, begin, report.brief(name, 20)]; })).filter(([,, text]) => !text "
                          "|| text.length > 20 || !text.isWellFormed())".replace("{{", "{"))
    report.same("names of 100 KB", wrong, [])


def templates(directory):
    """Names of many widths and kinds, all of them hot."""
    names = [f"_Z{len(f'module_{i}')}module_{i}ISt4pairIiiEEi{('', 'i', 'PKc')[i % 3]}" for i in range(1000, 1060)]
    names += [f"_ZN{len('W' * n)}{'W' * n}{len('i' * n)}{'i' * n}Ev" for n in range(4, 30)]
    names += [f"src/{'directory' * (i % 4)}/file{i}.c;local_function_{i}" for i in range(40)]
    names += [f"-[Controller{i} tableView:didSelect{i}:]" for i in range(20)]
    names += ["\u6f22" * n for n in range(4, 20)] + ["\ufdfd" * 9, "\U00012031" * 9, "e\u0301\u0302" * 9]
    write(directory, "templates.proftext", ":ir\n" + "".join(
        function(name, [10**6 // (i % 30 + 1)]) for i, name in enumerate(names)))
    lines = []
    for i, name in enumerate(name for name in names if name.isascii() and " " not in name):
        lines.append(f"{name}:{10**4}:9\n 1: {10**3}\n 2: {names[(i + 7) % 60]}:{10**4}\n  1: {10**4}\n")
    write(directory, "templates.prof", "".join(lines))


# Labels of boxes with something of theirs beyond their boxes.
OUTSIDE = """[...document.querySelectorAll('g.box')].flatMap(box => {
    const text = box.querySelector('text'), rect = box.querySelector('rect').getBBox(), at = text?.getBBox();
    return !text || (at.x >= 0 && at.y >= 0 && at.x + at.width <= rect.width && at.y + at.height <= rect.height)
        || (/[^\\0-\u2e7f]/u.test(text.textContent) && getComputedStyle(text.parentNode).overflow === 'hidden')
        ? [] : [[text.textContent, at.x + at.width, rect.width, at.y + at.height, rect.height]];
})"""


def check_labels(report, browser, directory):
    templates(directory)
    for profile in ("templates.proftext", "templates.prof"):
        make(report, directory, "labels.html", profile)
        for width in (1280, 400):
            browser.wide(width)
            ready(browser, directory, "labels.html")
            labels = browser.value("[...document.querySelectorAll('g.box text')].map(one => one.textContent)")
            report.check(f"{profile}, {width}: labels", len(labels) > 15, str(labels))
            report.same(f"{profile}, {width}: labels are in their boxes", browser.value(OUTSIDE), [])
            report.same(f"{profile}, {width}: labels say something",
                        [one for one in labels if "\u2026" in one and len(one) < 4], [])
            report.same(f"{profile}, {width}: labels are shortened once",
                        [one for one in labels if "\u2026\u2026" in one], [])
            shown = browser.value("[...document.querySelectorAll('[data-table=\"functions\"] tbody code')].map(one => "
                                  "one.textContent)")
            modules = [one for one in shown if "module_10" in one]
            report.check(f"{profile}, {width}: names differ", len(modules) > 5 and len(set(modules)) == len(modules),
                         str(shown))
    quiet(report, browser, "labels")


def check_narrow(report, browser, directory):
    """No page is wider than its window; what is, scrolls in a box of its own."""
    deep = os.path.join(directory, *["a_directory_with_a_long_name"] * 5)
    os.makedirs(deep)
    for name in ("now", "before"):
        shutil.copy(os.path.join(directory, name + ".proftext"), os.path.join(deep, name + ".profdata"))
    write(deep, "damaged.profdata", ":ir\nmain\n1\n")
    now, before, damaged = (os.path.join(deep, name + ".profdata") for name in ("now", "before", "damaged"))
    for page, code, words in (
            ("n1.html", 0, ("report", now, "-o", "n1.html")),
            ("n2.html", 0, ("report", now, "--against", before, "-o", "n2.html")),
            ("n3.html", 0, ("report", deep, "-o", "n3.html")),
            ("n4.html", 0, ("merge", now, before, damaged, "-o", "n4.profdata", "--failure-mode=all",
                           "--html=n4.html")),
            ("n5.html", 1, ("merge", damaged, now, "--failure-mode=any", "-o", "n5.profdata", "--html=n5.html"))):
        made = p.anyprof(*words, cwd=directory)
        report.same(f"{page}: exit code", (made.code, made.errors() if made.code != code else ""), (code, ""))
        for has_script in (True, False):
            browser.call("Emulation.setScriptExecutionDisabled", value=not has_script)
            for width in (1280, 400, 320):
                browser.wide(width)
                (ready if has_script else browser_open)(browser, directory, page)
                report.same(f"{page}, {width}, {has_script}: as wide as the window",
                            browser.value("[innerWidth, document.documentElement.scrollWidth]"), [width, width])
                report.same(f"{page}, {width}, {has_script}: inputs",
                            browser.value("document.querySelectorAll('#inputs td').length > 0"), page > "n3")
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    browser.messages.clear()


def check_scriptless(report, browser, directory):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(os.path.join(directory, "two.html"))
    text = browser.value("document.querySelector('main').innerText")
    for words in (PLAIN, "What changed", "hotter", "6,000", "text instrumentation profile"):
        report.check(f"without a script: {words}", words in text, text[:400])
    report.same("no dead buttons", browser.value("[...document.querySelectorAll('button')].filter(one => "
                                                 "one.offsetParent).length"), 0)
    report.same("no empty charts", browser.value("[...document.querySelectorAll('figure')].filter(one => "
                                                 "one.offsetParent).length"), 0)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


# --- pictures of the documentation ------------------------------------------------------------------------------


def take_pictures(report, browser, directory, to):
    """Of profiles that look like those of real programs, made of formulas."""
    spaces = ("storage::Table", "storage::Page", "net::Server", "net::http::Parser", "query::Plan", "query::Parser")
    verbs = ("find", "insert", "split", "accept", "read_header", "next", "evaluate", "merge", "write")

    def mangled(i):
        parts = [*spaces[i % 6].split("::"), verbs[i // 6 % 9]]
        return "_ZN" + "".join(f"{len(part)}{part}" for part in parts) + f"E{'im'[i // 54 % 2]}"
    many = {mangled(i): [int(4e9 / (i + 1) ** 1.2), int(9e8 / (i + 2) ** 1.1), 1000 // (i + 1)] for i in range(72)}
    many.update({f"_ZN4base{len(name)}{name}Ev": [0, 0] for name in ("dump", "verify", "usage", "help")})
    older = {name: [count * (7 + i % 5) // 8 for count in counts] for i, (name, counts) in enumerate(many.items())
             if i % 17 != 3}
    older.update({"_ZN3net6Server4pollEi": [8 * 10**8], "_ZN7storage5Table6verifyEi": [9 * 10**7]})
    for name, functions in (("app.proftext", many), ("release.proftext", older)):
        write(directory, name, ":ir\n" + "".join(function(key, counts) for key, counts in functions.items()))
    lines, names = [], list(many)
    for i in range(12):
        lines.append(f"{names[i]}:{10**6 // (i + 1)}:9\n 1: {10**5 // (i + 1)}\n")
        for k in range(1 + i % 3, 6):
            lines.append(f" {k}: {names[(7 * k + i) % 40]}:{10**5}\n  1: {10**5 // (i + k)}\n")
            lines += [f"  {n}: {names[(11 * k + n) % len(names)]}:{10**4}\n   1: {9 * 10**4 // (n + k)}\n"
                      for n in range(2, 5)]
    write(directory, "app.prof", "".join(lines))
    make(report, directory, "app.html", "app.proftext", "--against=release.proftext")
    make(report, directory, "flame.html", "app.prof")
    for page, part, name, is_dark in (("app.html", "differences", "report-differences", False),
                                      ("app.html", "hotness", "report-functions", False),
                                      ("flame.html", "stacks", "report-stacks", True)):
        browser.dark(is_dark)
        browser.call("Emulation.setDeviceMetricsOverride", width=1100, height=760, deviceScaleFactor=1, mobile=False)
        ready(browser, directory, page)
        browser.value("delete document.documentElement.dataset.theme; localStorage.clear()")
        browser.value(f"document.getElementById('{part}').scrollIntoView()")
        browser.picture(os.path.join(to, name + ".png"), 1100, 760)


def main():
    if not _browser.BROWSER:
        p.skip("no chromium")
    pictures = sys.argv[2] if sys.argv[1:2] == ["--pictures"] else None
    report = p.Report(floor=230)
    with p.work_directory() as directory:
        profiles(directory)
        with _browser.Browser() as browser:
            check_one(report, browser, directory)
            check_two(report, browser, directory)
            check_stacks(report, browser, directory)
            check_many(report, browser, directory)
            check_scriptless(report, browser, directory)
            check_labels(report, browser, directory)
            check_narrow(report, browser, directory)
            if pictures:
                take_pictures(report, browser, directory, pictures)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
