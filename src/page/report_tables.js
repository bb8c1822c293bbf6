// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of a report, numbers for people, and tables of any length of which only the rows in sight exist.
"use strict";
const report = (() => {
    const ROW = 28; // the height that the style gives to rows
    const BEYOND = 10; // rows that exist above and below those in sight
    const MOST_ROWS = 18; // in sight
    const LEAST_ROOM = 18; // characters of a name
    const NARROW = 640; // pixels of a telephone

    // --- the data: JSON, packed by zlib, as base64
    // As in markup.c: control characters, and marks of direction, with which a name looks other than it is.
    const harmless = (text) =>
        text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
    const bytes = (text) => {
        if (Uint8Array.fromBase64) // in browsers since 2025
            return Uint8Array.fromBase64(text);
        const characters = atob(text), list = new Uint8Array(characters.length);
        for (let i = 0; i < list.length; i++)
            list[i] = characters.charCodeAt(i);
        return list;
    };
    const load = async () => {
        const packed = bytes(document.getElementById("data").textContent);
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
        const data = JSON.parse(await new Response(stream).text());
        data.names = data.names.map(harmless);
        data.shown = data.shown.map((name) => name && harmless(name));
        data.files = data.files.map((name) => name && harmless(name));
        return data;
    };

    // --- numbers: those above 2^53 are strings in the data
    const count = (n) => (typeof n === "string" ? BigInt(n) : n).toLocaleString("en-US");
    const percent = (share) => `${(100 * share).toFixed(share && share < 0.001 ? 3 : 2)} %`;

    const make = (name, attributes = {}, ...children) => {
        const element = document.createElement(name);
        for (const [key, value] of Object.entries(attributes))
            if (value !== null)
                element.setAttribute(key, value);
        element.append(...children);
        return element;
    };

    // A column: its title; `text` and `key` (what it is sorted by) of a row; `numeric`. A filter: its words and what
    // rows it shows. `names` of a row are what is searched; `facts` is a list of all that is known of it, which stands
    // below the table when the row is chosen, by a click or arrow keys.
    const table = (host, { label, columns, n, names, facts, filters }) => {
        let order = Uint32Array.from({ length: n }, (_, i) => i), rows = order, sorted = null, down = true;
        let lower = null; // names in lower case, made when they are first searched

        const search = make("input", { type: "search", placeholder: "Part of a name", "aria-label": `Search ${label}` });
        const choice = make("select", { "aria-label": `Which ${label}` },
            ...filters.map((filter, i) => make("option", { value: i }, filter.words)));
        const status = make("span", { class: "soft", role: "status" });
        const head = make("tr"), body = make("tbody");
        const area = make("div", { class: "window", tabindex: 0, role: "region", "aria-label": label },
            make("table", { "aria-rowcount": n + 1 }, make("thead", {}, head), body));
        const details = make("p", { class: "details", role: "status" });
        let chosen = -1; // the row whose facts are shown, as a number in `rows`

        // How many characters each column of names has room for, by the width of the area.
        let rooms = [], measured = 0;
        const measure = () => {
            const probe = make("code", { class: "probe" }, "0".repeat(100));
            body.replaceChildren(make("tr", {}, make("td", {}, probe)));
            const wide = probe.offsetWidth / 100 || 1;
            measured = area.clientWidth;
            rooms = columns.map((_, i) => Math.max(10, Math.floor((head.children[i].clientWidth - 16) / wide)));
        };

        const draw = () => {
            const top = area.scrollTop;
            const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
            const last = Math.min(rows.length, Math.ceil((top + area.clientHeight) / ROW) + BEYOND);
            const space = (height) => {
                const row = make("tr", { "aria-hidden": "true" });
                row.style.height = `${height}px`;
                return row;
            };
            const list = [space(first * ROW)];
            if (area.clientWidth !== measured)
                measure();
            if (first % 2)
                list.push(space(0)); // stripes stay with their rows
            for (let i = first; i < last; i++) {
                const row = make("tr", { "aria-rowindex": i + 2, "aria-current": i === chosen ? "true" : null });
                columns.forEach((column, k) => {
                    const text = column.text(rows[i]);
                    row.append(column.numeric ? make("td", { class: "n" }, text)
                        : make("td", { title: facts(rows[i]).join("\n") },
                            make("code", {}, report.brief(text, rooms[k]))));
                });
                row.addEventListener("click", () => show(i));
                list.push(row);
            }
            if (!rows.length)
                list.push(make("tr", {}, make("td", { colspan: columns.length, class: "soft" }, "Nothing is found.")));
            list.push(space((rows.length - last) * ROW));
            body.replaceChildren(...list);
            if (area.scrollTop !== top) // without rows, while it was measured, there was nothing to scroll
                area.scrollTop = top;
        };
        // Shows all that is known of a row, and the row.
        const show = (i) => {
            chosen = i;
            details.replaceChildren(...facts(rows[i]).flatMap((fact) => [make("code", {}, fact), make("br")]));
            if (area.scrollTop > i * ROW)
                area.scrollTop = i * ROW;
            const below = (i + 3) * ROW - area.clientHeight; // the heading is a row, too
            if (area.scrollTop < below)
                area.scrollTop = below;
            draw();
        };
        const choose = () => {
            const word = search.value.trim().toLowerCase(), shows = filters[choice.value].shows;
            if (word && !lower)
                lower = Array.from({ length: n }, (_, i) => names(i).join("\n").toLowerCase());
            rows = word || shows ? order.filter((i) => (!word || lower[i].includes(word)) && (!shows || shows(i)))
                : order;
            status.textContent = `${count(rows.length)} of ${count(n)}`;
            area.style.height = `${Math.min(MOST_ROWS, rows.length + 1) * ROW + 20}px`;
            area.scrollTop = 0;
            chosen = -1;
            details.replaceChildren();
            draw();
            draw(); // the area has only now the height of its rows
        };
        const sort = (column, header) => {
            down = sorted === column ? !down : Boolean(column.numeric);
            sorted = column;
            const keys = Array.from({ length: n }, (_, i) => column.key(i)), sign = down ? -1 : 1;
            order = Uint32Array.from({ length: n }, (_, i) => i)
                .sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b));
            for (const other of head.children)
                other.removeAttribute("aria-sort");
            header.setAttribute("aria-sort", down ? "descending" : "ascending");
            choose();
        };
        // Columns of numbers are as wide as the largest one, others as what the first rows have.
        const widest = (column) => {
            let most = column.title.length + 2, largest = 0;
            for (let i = 0; i < n; i++)
                if (column.key(i) > column.key(largest))
                    largest = i;
            for (let i = 0; i < n && i < 200; i++)
                most = Math.max(most, column.text(i).length);
            return n ? Math.max(most, column.text(largest).length) : most;
        };
        let all = 0;
        for (const column of columns) {
            const button = make("button", { type: "button" }, column.title);
            const header = make("th", { scope: "col", class: column.numeric ? "n" : null }, button);
            const width = widest(column);
            if (column.numeric)
                header.style.width = `calc(${width}ch + 1.25rem)`;
            all += column.numeric ? width + 3 : innerWidth < NARROW ? LEAST_ROOM : 32; // characters of a name to be seen
            button.addEventListener("click", () => sort(column, header));
            head.append(header);
        }
        area.firstElementChild.style.minWidth = `${all}ch`;
        let waits = false;
        area.addEventListener("scroll", () => {
            if (!waits)
                requestAnimationFrame(() => { waits = false; draw(); });
            waits = true;
        });
        area.addEventListener("keydown", (event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            const next = chosen < 0 ? Math.ceil(area.scrollTop / ROW) : chosen + step;
            if (!step || event.target !== area || next < 0 || next >= rows.length)
                return;
            event.preventDefault();
            show(next);
        });
        search.addEventListener("input", choose);
        choice.addEventListener("change", choose);
        host.replaceChildren(make("div", { class: "tools" }, search, choice, status), area, details);
        choose();
        return { search, draw };
    };
    return { load, count, percent, make, table };
})();
