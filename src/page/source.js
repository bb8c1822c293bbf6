// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pages of source code can do besides being read: without it, everything is on the page, in one piece.
"use strict";
(() => {
    const root = document.documentElement, all = page.all;

    // --- one file at a time, if all of them are on this page
    const sections = all("section.file"), index = document.querySelector(".index");
    const shown = () => (sections.length > 1 ? document.querySelector(".open.file") : sections[0]) || null;
    const show = () => {
        if (!index || !sections.length)
            return;
        const id = location.hash.slice(1); // which has letters and digits only
        const target = id && document.getElementById(id);
        const section = (target && target.closest("section.file")) || index;
        root.classList.add("one");
        for (const one of [index, ...sections])
            one.classList.toggle("open", one === section);
        document.title = section.dataset.title || index.dataset.title;
        if (target)
            target.scrollIntoView({ block: target.matches("tr") ? "center" : "start" });
        else
            scrollTo(0, 0);
    };
    addEventListener("hashchange", show);
    show();

    // --- lines that never ran
    const starts = () => { // the first ones of each row of them
        const section = shown(), list = section ? all(":scope > .part > table > tbody > tr[id]", section) : [];
        return list.filter((row, i) => row.classList.contains("u") && !(i && list[i - 1].classList.contains("u")));
    };
    let here = null;
    const go = (step) => {
        const list = starts();
        if (!list.length)
            return;
        let at = list.indexOf(here);
        at = at < 0 ? (step > 0 ? 0 : list.length - 1) : (at + step + list.length) % list.length;
        if (here)
            here.classList.remove("here");
        here = list[at];
        here.classList.add("here");
        here.scrollIntoView({ block: "center" });
        here.querySelector("a").focus({ preventScroll: true });
    };
    const fold = () => {
        const list = all("details", shown() || document), open = !list.every((one) => one.open);
        for (const one of list)
            one.open = open;
    };

    // --- the table of files
    const table = document.querySelector("table.files"), filter = document.getElementById("filter");
    const apply = () => {
        const word = filter.value.toLowerCase();
        for (const body of table.tBodies) {
            let any = false;
            for (const row of body.querySelectorAll("tr[data-name]")) {
                row.hidden = !row.dataset.name.toLowerCase().includes(word);
                any = any || !row.hidden;
            }
            for (const row of body.querySelectorAll("tr.dir"))
                row.hidden = !any || table.classList.contains("flat");
        }
    };
    const sort = (header) => {
        const column = [...header.parentElement.children].indexOf(header);
        const down = header.getAttribute("aria-sort") === "ascending";
        for (const other of header.parentElement.children)
            other.removeAttribute("aria-sort");
        header.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => column ? Number(row.cells[column].dataset.v ?? -1) : row.dataset.name;
        const compare = (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * (down ? -1 : 1);
        const list = all("tbody tr[data-name]", table).map((row) => ({ row, key: key(row) }));
        table.classList.add("flat"); // directories are no longer together
        table.tBodies[0]?.append(...list.sort(compare).map((entry) => entry.row));
        for (const entry of list)
            entry.row.cells[0].firstElementChild.textContent = entry.row.dataset.name;
        apply();
    };
    if (table && filter) {
        filter.addEventListener("input", apply);
        all("thead th button", table).forEach((button) =>
            button.addEventListener("click", () => sort(button.closest("th"))));
    }

    page.add({
        fold, next: () => go(1), previous: () => go(-1),
        top: () => { if (index) location.hash = ""; else document.querySelector("a.up")?.click(); },
        find: () => { if (filter && filter.offsetParent) filter.focus(); },
    }, { n: "next", p: "previous", f: "fold", u: "top", "/": "find" });
})();
