// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The charts of a report, drawn with D3. Each can be read without seeing it: it has a label, and so do its parts.
"use strict";
report.charts = (() => {
    const MOST_DOTS = 2000, MOST_LEAVES = 1500, ROW = 20, LEAST_WIDTH = 0.5;
    const BESIDE = 4, LEAST_ROOM = 15, LEAST_HEIGHT = 18; // of labels: what is free beside them, and what they need
    const LEAST_TEXT = 4; // characters of a shortened label
    const WIDE = "\u2e80"; // the first character of scripts whose characters are all about as wide
    const { count, percent } = report;

    // An empty drawing in place of the last one.
    const drawing = (figure, height, label) => {
        figure.hidden = false;
        const width = Math.max(320, figure.clientWidth);
        d3.select(figure).select("svg").remove();
        const svg = d3.select(figure).append("svg").attr("width", width).attr("height", height)
            .attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", label);
        return { svg, width, height };
    };
    // Adds a sentence to the caption, in place of the last one.
    const remark = (figure, text) => {
        const caption = figure.querySelector("figcaption");
        const line = caption.querySelector(".remark") || caption.appendChild(report.make("span", { class: "remark" }));
        line.textContent = text && `. ${text}`;
    };
    const axes = (svg, x, y, { width, height, left, bottom }) => {
        svg.append("g").attr("transform", `translate(0,${height - bottom})`).attr("aria-hidden", "true").call(x);
        svg.append("g").attr("transform", `translate(${left},0)`).attr("aria-hidden", "true").call(y);
    };

    // --- which share of all counts the hottest functions hold
    const curve = (figure, totals, unit) => {
        const all = d3.sum(totals), points = [];
        let sum = 0, next = 1;
        totals.forEach((total, i) => {
            sum += total;
            if (i + 1 === Math.floor(next) || i + 1 === totals.length) {
                points.push([i + 1, sum / all]);
                next = Math.max(next + 1, next * 1.05);
            }
        });
        if (!all)
            return;
        const frame = { ...drawing(figure, 260, `Share of all ${unit} by number of functions`), left: 50, bottom: 40 };
        const x = d3.scaleLog([1, Math.max(2, totals.length)], [frame.left, frame.width - 15]);
        const y = d3.scaleLinear([0, 1], [frame.height - frame.bottom, 10]);
        frame.svg.append("path").attr("class", "line")
            .attr("d", d3.area().x((p) => x(p[0])).y1((p) => y(p[1])).y0(y(0))(points));
        axes(frame.svg, d3.axisBottom(x).ticks(6, "~s"), d3.axisLeft(y).ticks(5, "%"), frame);
        frame.svg.append("text").attr("x", frame.width - 15).attr("y", frame.height - 6).attr("text-anchor", "end")
            .text(`functions with the most ${unit}`);
    };

    // --- counts by their size
    const powers = (figure, numbers, label) => {
        const last = d3.max(numbers.map((n, i) => (Number(n) ? i : 0)));
        const words = (i) => (i === 0 ? "0" : `from 2^${i - 1}`);
        const list = numbers.slice(0, last + 1).map(Number);
        const frame = { ...drawing(figure, 260, label), left: 60, bottom: 40 };
        const x = d3.scaleBand(d3.range(list.length), [frame.left, frame.width - 10]).padding(0.15);
        const y = d3.scaleLinear([0, d3.max(list) || 1], [frame.height - frame.bottom, 10]);
        frame.svg.selectAll("rect").data(list).join("rect").attr("class", "bar").attr("x", (_, i) => x(i))
            .attr("width", x.bandwidth()).attr("y", (n) => y(n)).attr("height", (n) => y(0) - y(n))
            .append("title").text((n, i) => `${count(n)}: ${words(i)}`);
        const step = Math.ceil(list.length / 10);
        axes(frame.svg, d3.axisBottom(x).tickValues(d3.range(0, list.length, step))
            .tickFormat((i) => (i === 0 ? "0" : `2^${i - 1}`)), d3.axisLeft(y).ticks(5, "~s"), frame);
    };

    // --- share before and after
    const scatter = (figure, dots) => {
        const list = dots.slice(0, MOST_DOTS);
        remark(figure, dots.length > MOST_DOTS ? `The ${count(MOST_DOTS)} with the largest effect of ` +
            `${count(dots.length)} are shown` : "");
        const least = d3.min(list.flatMap((d) => [d.before, d.after]).filter((v) => v > 0)) || 1e-6;
        const frame = { ...drawing(figure, 420, "Share of each function before and after"), left: 70, bottom: 45 };
        const at = (v) => Math.max(v, least / 2), share = (v) => `${Number((100 * v).toPrecision(1))}%`;
        const x = d3.scaleLog([least / 2, 1], [frame.left, frame.width - 15]);
        const y = d3.scaleLog([least / 2, 1], [frame.height - frame.bottom, 10]);
        frame.svg.append("line").attr("class", "diagonal").attr("x1", x(least / 2)).attr("y1", y(least / 2))
            .attr("x2", x(1)).attr("y2", y(1));
        frame.svg.selectAll("circle").data(list).join("circle").attr("class", (d) => `dot ${d.kind}`).attr("r", 4)
            .attr("cx", (d) => x(at(d.before))).attr("cy", (d) => y(at(d.after)))
            .append("title").text((d) => `${d.name}: ${percent(d.before)} before, ${percent(d.after)} after`);
        axes(frame.svg, d3.axisBottom(x).ticks(5, share), d3.axisLeft(y).ticks(5, share), frame);
        frame.svg.append("text").attr("x", frame.width - 15).attr("y", frame.height - 6).attr("text-anchor", "end")
            .text("before");
        frame.svg.append("text").attr("x", frame.left + 6).attr("y", 16).text("after");
    };

    // --- boxes in boxes: a tree of { name, value, children }, one of whose nodes is drawn
    // The width of a text in the font of drawings is the sum of its characters', each of which is measured once.
    const widths = new Map();
    const measure = (character) => {
        const shown = character === " " ? "\u00a0" : character;
        const svg = d3.select(document.body).append("svg").attr("class", "ruler").attr("aria-hidden", "true");
        const width = svg.append("text").text(shown).node().getComputedTextLength();
        svg.remove();
        return width;
    };
    const textWidth = (text, most) => {
        let sum = 0;
        for (const character of text) {
            const like = character < WIDE ? character : WIDE;
            if (!widths.has(like))
                widths.set(like, measure(like));
            sum += widths.get(like);
            if (sum > most)
                break; // the rest may be long
        }
        return sum;
    };
    // Writes as much of a name, after a mark, as has room in a box. A drawing of its own cuts what characters have
    // beyond their widths.
    const label = (group, { x0, x1, y0, y1 }, name, mark = "") => {
        const room = x1 - x0 - 2 * BESIDE - textWidth(mark, Infinity);
        if (room < LEAST_ROOM || y1 - y0 < LEAST_HEIGHT)
            return;
        const text = report.brief(name, room, (part) => textWidth(part, room));
        if (text !== name && text.length < LEAST_TEXT)
            return;
        group.append("svg").attr("width", x1 - x0).attr("height", y1 - y0).attr("aria-hidden", "true").append("text")
            .attr("x", BESIDE).attr("y", 14).text(mark + text);
    };
    const hint = (figure) => {
        const caption = figure.querySelector("figcaption");
        if (!caption.querySelector(".keys"))
            caption.append(report.make("span", { class: "keys" }, ". A click, or Enter, shows a box alone, and Escape all " +
                "of them again; arrow keys go from box to box"));
    };
    // Keys go from box to box: to siblings, parents and children; Enter and a click draw one alone. Returns the groups,
    // and a function that gives the focus to the box of a node, or to the first one.
    const boxes = (svg, nodes, { open, all, words: whole }) => {
        const words = (d) => report.cut(whole(d)); // there are thousands, and two copies of each
        const groups = svg.selectAll("g.box").data(nodes).join("g").attr("class", (d) => `box${d.depth % 2 ? " deep" : ""}`)
            .attr("transform", (d) => `translate(${d.x0},${d.y0})`).attr("role", "button")
            .attr("tabindex", (d, i) => (i ? -1 : 0)).attr("aria-label", words);
        groups.append("rect").attr("width", (d) => Math.max(0, d.x1 - d.x0)).attr("height", (d) => Math.max(0, d.y1 - d.y0));
        groups.append("title").text(words);
        const elements = new Map();
        groups.each(function keep(d) { elements.set(d.node, this); });
        const focus = (node) => {
            const element = elements.get(node) || groups.node();
            groups.attr("tabindex", -1);
            element.setAttribute("tabindex", 0);
            element.focus();
        };
        const drawn = (list) => list.find((node) => elements.has(node)); // the smallest boxes are left out
        const press = (event, node) => {
            const siblings = node.parent ? node.parent.children : [node], at = siblings.indexOf(node);
            const to = { ArrowUp: () => node.parent, ArrowDown: () => drawn(node.children || []),
                ArrowLeft: () => drawn(siblings.slice(0, at).reverse()),
                ArrowRight: () => drawn(siblings.slice(at + 1)) }[event.key]?.();
            if (event.key === "Enter" || event.key === " ")
                open(node);
            else if (event.key === "Escape")
                open(all);
            else if (to && elements.has(to))
                focus(to);
            else if (to) // the parent of the one that is shown alone
                open(to);
            else
                return;
            event.preventDefault();
        };
        groups.each(function listen(d) { // D3's own listeners get other arguments since version 6
            this.addEventListener("click", () => open(d.node));
            this.addEventListener("keydown", (event) => press(event, d.node));
        });
        return { groups, focus };
    };

    const flame = (figure, root, title) => {
        let shown = root;
        const draw = () => {
            const list = [], width = Math.max(320, figure.clientWidth);
            const lay = [[shown, 0, width, 0]];
            for (let node = shown.parent, up = 1; node; node = node.parent, up++)
                lay.unshift([node, 0, width, -up]);
            const above = lay.length - 1; // the parents of the one that is shown, over the whole width
            while (lay.length) {
                const [node, x0, x1, row] = lay.pop();
                list.push({ node, depth: row + above, x0, x1, y0: (row + above) * ROW, y1: (row + above + 1) * ROW });
                if (row < 0)
                    continue;
                let x = x0;
                const all = Math.max(node.value, d3.sum(node.children, (child) => child.value)); // sums may be cut
                for (const child of node.children) {
                    const end = x + (x1 - x0) * (all ? child.value / all : 0);
                    if (end - x >= LEAST_WIDTH)
                        lay.push([child, x, end, row + 1]);
                    x = end;
                }
            }
            list.sort((a, b) => a.y0 - b.y0 || a.x0 - b.x0);
            const { svg } = drawing(figure, (d3.max(list, (d) => d.depth) + 1) * ROW, title);
            svg.attr("role", "group");
            const words = (d) => `${d.node.name}: ${percent(d.node.value / (root.value || 1))}, ${count(d.node.exact)}`;
            const open = (node) => { shown = node; draw().focus(node); };
            const drawn = boxes(svg, list, { all: root, words, open });
            drawn.groups.each(function name(d) { label(d3.select(this), d, d.node.name); });
            return drawn;
        };
        hint(figure);
        return draw;
    };

    const map = (figure, root) => {
        let shown = root;
        const draw = () => {
            const { svg, width, height } = drawing(figure, 380, "Treemap of counts");
            svg.attr("role", "group");
            const parts = (d) => (d.top ? shown.children.map((node) => ({ node }))
                : d.leaf ? null : d.node.children.map((node) => ({ node, leaf: true })));
            // What a box has beside the boxes in it, which D3 adds up.
            const own = (d) => (d.leaf ? d.node.value : d.node.value - d3.sum(d.node.children, (node) => node.value));
            const tree = d3.hierarchy({ node: shown, top: true }, parts).sum((d) => Math.max(0, own(d)))
                .sort((a, b) => b.value - a.value);
            const isNamed = (d) => (d.depth === 0 ? shown !== root : d.depth === 1 && d.children);
            d3.treemap().size([width, height]).paddingTop((d) => (isNamed(d) ? ROW : 1)).paddingInner(1)(tree);
            const all = tree.descendants();
            const list = all.filter((d) => d.x1 - d.x0 > 1 && d.y1 - d.y0 > 1).slice(0, MOST_LEAVES)
                .map((d) => ({ node: d.data.node, depth: d.depth, x0: d.x0, x1: d.x1, y0: d.y0, y1: d.y1 }));
            const small = all.length - list.length;
            remark(figure, small ? `${count(small)} ${small === 1 ? "box is" : "boxes are"} too small to be drawn` : "");
            const isBack = (node) => node === shown && node !== root; // a click on it shows what it is in
            const words = (d) => `${d.node.path}: ${percent(d.node.value / (root.value || 1))}` +
                (isBack(d.node) ? `; back to ${d.node.parent.path}` : "");
            const open = (node) => {
                shown = isBack(node) || !node.children?.length ? node.parent || root : node;
                draw().focus(node);
            };
            const drawn = boxes(svg, list, { all: root, words, open });
            drawn.groups.each(function name(d) {
                const isScope = d.node === shown && shown !== root;
                label(d3.select(this), d, isScope ? d.node.path : d.node.name, isScope ? "\u2039 " : "");
            });
            return drawn;
        };
        hint(figure);
        return draw;
    };
    return { curve, powers, scatter, flame, map };
})();
