// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table of any length, of which only the rows in sight exist: sorted, searched, filtered, one of its rows chosen.
"use strict";
report.table = (() => {
    const { count, make } = report;
    const ROW = 28; // the height that the style gives to rows
    const BEYOND = 10; // rows that exist above and below those in sight
    const MOST_ROWS = 18; // in sight
    const LEAST_ROOM = 18; // characters of a name
    const USUAL_ROOM = 32;
    const NARROW = 640; // pixels of a telephone

    const numbers = (n) => Uint32Array.from({ length: n }, (_, i) => i);
    const blank = (height) => {
        const row = make("tr", { "aria-hidden": "true" });
        row.style.height = `${height}px`;
        return row;
    };

    class Table {
        #host;
        #columns;
        #n;
        #names;
        #facts;
        #filters;
        #order; // all rows, as they are sorted
        #rows; // those of them that are found
        #sorted = null; // the column that they are sorted by
        #down = true;
        #lower = null; // names in lower case, made when they are first searched
        #chosen = -1; // the row whose facts are shown, as a number in #rows
        #rooms = []; // how many characters each column of names has room for
        #measured = 0; // at which width of the area
        #waits = false; // for the next frame, in which it is drawn
        #search;
        #choice;
        #status;
        #head;
        #body;
        #area;
        #details;

        constructor(host, { label, columns, n, names, facts, filters }) {
            [this.#host, this.#columns, this.#n, this.#names] = [host, columns, n, names];
            [this.#facts, this.#filters] = [facts, filters];
            this.#order = this.#rows = numbers(n);
            this.#build(label);
            this.#listen();
            this.#choose();
        }

        get search() {
            return this.#search;
        }

        #build(label) {
            this.#search = make("input", { type: "search", placeholder: "Part of a name", "aria-label": `Search ${label}` });
            this.#choice = make("select", { "aria-label": `Which ${label}` },
                ...this.#filters.map((filter, i) => make("option", { value: i }, filter.words)));
            this.#status = make("span", { class: "soft", role: "status" });
            this.#head = make("tr");
            this.#body = make("tbody");
            const table = make("table", { "aria-rowcount": this.#n + 1 }, make("thead", {}, this.#head), this.#body);
            this.#area = make("div", { class: "window", tabindex: 0, role: "region", "aria-label": label }, table);
            this.#details = make("p", { class: "details", role: "status" });
            table.style.minWidth = `${this.#columns.reduce((sum, column) => sum + this.#addHeader(column), 0)}ch`;
            this.#host.replaceChildren(make("div", { class: "tools" }, this.#search, this.#choice, this.#status),
                this.#area, this.#details);
        }

        // Returns how many characters wide the column is at least.
        #addHeader(column) {
            const button = make("button", { type: "button" }, column.title);
            const header = make("th", { scope: "col", class: column.numeric ? "n" : null }, button);
            button.addEventListener("click", () => this.#sort(column, header));
            this.#head.append(header);
            if (!column.numeric)
                return innerWidth < NARROW ? LEAST_ROOM : USUAL_ROOM;
            const width = this.#widest(column);
            header.style.width = `calc(${width}ch + 1.25rem)`;
            return width + 3;
        }

        // The characters of a column's title, its first rows and its largest number.
        #widest(column) {
            let most = column.title.length + 2, largest = 0;
            for (let i = 0; i < this.#n; i++)
                if (column.key(i) > column.key(largest))
                    largest = i;
            for (let i = 0; i < this.#n && i < 200; i++)
                most = Math.max(most, column.text(i).length);
            return this.#n ? Math.max(most, column.text(largest).length) : most;
        }

        #listen() {
            this.#area.addEventListener("scroll", () => {
                if (!this.#waits)
                    requestAnimationFrame(() => { this.#waits = false; this.draw(); });
                this.#waits = true;
            });
            this.#area.addEventListener("keydown", (event) => {
                const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
                const next = this.#chosen < 0 ? Math.ceil(this.#area.scrollTop / ROW) : this.#chosen + step;
                if (!step || event.target !== this.#area || next < 0 || next >= this.#rows.length)
                    return;
                event.preventDefault();
                this.#show(next);
            });
            this.#search.addEventListener("input", () => this.#choose());
            this.#choice.addEventListener("change", () => this.#choose());
        }

        #sort(column, header) {
            this.#down = this.#sorted === column ? !this.#down : Boolean(column.numeric);
            this.#sorted = column;
            const keys = Array.from({ length: this.#n }, (_, i) => column.key(i)), sign = this.#down ? -1 : 1;
            this.#order = numbers(this.#n)
                .sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b));
            for (const other of this.#head.children)
                other.removeAttribute("aria-sort");
            header.setAttribute("aria-sort", this.#down ? "descending" : "ascending");
            this.#choose();
        }

        // Finds the rows that the search and the filter leave.
        #choose() {
            const word = this.#search.value.trim().toLowerCase(), { shows } = this.#filters[this.#choice.value];
            if (word)
                this.#lower ??= Array.from({ length: this.#n }, (_, i) => this.#names(i).join("\n").toLowerCase());
            this.#rows = word || shows
                ? this.#order.filter((i) => (!word || this.#lower[i].includes(word)) && (!shows || shows(i)))
                : this.#order;
            this.#status.textContent = `${count(this.#rows.length)} of ${count(this.#n)}`;
            this.#area.style.height = `${Math.min(MOST_ROWS, this.#rows.length + 1) * ROW + 20}px`;
            this.#area.scrollTop = 0;
            this.#chosen = -1;
            this.#details.replaceChildren();
            this.draw();
            this.draw(); // the area has only now the height of its rows
        }

        // Shows all that is known of a row, and the row.
        #show(i) {
            this.#chosen = i;
            const facts = this.#facts(this.#rows[i]);
            this.#details.replaceChildren(...facts.flatMap((fact) => [make("code", {}, fact), make("br")]));
            const below = (i + 3) * ROW - this.#area.clientHeight; // the heading is a row, too
            this.#area.scrollTop = Math.max(Math.min(this.#area.scrollTop, i * ROW), below);
            this.draw();
        }

        // Finds out how many characters each column of names has room for.
        #measure() {
            const probe = make("code", { class: "probe" }, "0".repeat(100));
            this.#body.replaceChildren(make("tr", {}, make("td", {}, probe)));
            const wide = probe.offsetWidth / 100 || 1;
            this.#measured = this.#area.clientWidth;
            this.#rooms = Array.from(this.#head.children, (header) =>
                Math.max(10, Math.floor((header.clientWidth - 16) / wide)));
        }

        #row(i) {
            const row = make("tr", { "aria-rowindex": i + 2, "aria-current": i === this.#chosen ? "true" : null });
            const facts = this.#facts(this.#rows[i]).join("\n");
            row.append(...this.#columns.map((column, k) => {
                const text = column.text(this.#rows[i]);
                return column.numeric ? make("td", { class: "n" }, text)
                    : make("td", { title: facts }, make("code", {}, report.brief(text, this.#rooms[k])));
            }));
            row.addEventListener("click", () => this.#show(i));
            return row;
        }

        // Makes the rows in sight.
        draw() {
            const top = this.#area.scrollTop, n = this.#rows.length;
            const first = Math.max(0, Math.floor(top / ROW) - BEYOND);
            const last = Math.min(n, Math.ceil((top + this.#area.clientHeight) / ROW) + BEYOND);
            if (this.#area.clientWidth !== this.#measured)
                this.#measure();
            const list = [blank(first * ROW)];
            if (first % 2)
                list.push(blank(0)); // stripes stay with their rows
            for (let i = first; i < last; i++)
                list.push(this.#row(i));
            if (!n)
                list.push(make("tr", {},
                    make("td", { colspan: this.#columns.length, class: "soft" }, "Nothing is found.")));
            list.push(blank((n - last) * ROW));
            this.#body.replaceChildren(...list);
            if (this.#area.scrollTop !== top) // without rows, while it was measured, there was nothing to scroll
                this.#area.scrollTop = top;
        }
    }

    // A column: its title; `text` and `key` (what it is sorted by) of a row; `numeric`. A filter: its words and what
    // rows it shows. `names` of a row are what is searched; `facts` is a list of all that is known of it, which stands
    // below the table when the row is chosen, by a click or arrow keys.
    return (host, options) => new Table(host, options);
})();
