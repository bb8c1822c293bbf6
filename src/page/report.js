// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the charts and tables of a report of its data.
"use strict";
(async () => {
    const { count, percent, charts } = report;
    const figure = (name) => document.querySelector(`[data-chart="${name}"]`);
    const host = (name) => document.querySelector(`[data-table="${name}"]`);
    const data = await report.load();
    const shown = (i) => data.shown[i] ?? data.names[i];
    const names = (i) => (data.shown[i] === null ? [data.names[i]] : [data.shown[i], data.names[i]]);
    const redraw = []; // what is drawn for a width
    const facts = (i, ...more) => [...names(i), ...more];

    // --- functions
    const functions = data.functions, totals = functions.total.map(Number), all = Number(data.total);
    let find = null;
    if (totals.length && host("functions")) {
        let sum = 0;
        const { words } = data, state = (i) => data.states[functions.state[i]];
        const called = (i) => shown(functions.name[i]) + (functions.twin?.[i] ? ` ${functions.hash[i]}` : "");
        const before = totals.map((total) => { const at = sum; sum += total; return at; });
        const column = (title, list) => ({ title, numeric: true, text: (i) => count(list[i]), key: (i) => Number(list[i]) });
        find = report.table(host("functions"), {
            label: "functions", n: totals.length, names: (i) => [...names(functions.name[i]), functions.hash[i]],
            facts: (i) => facts(functions.name[i], `hash ${functions.hash[i]}`),
            columns: [
                { title: "Function", text: called, key: called },
                { title: "Share", numeric: true, text: (i) => percent(all ? totals[i] / all : 0), key: (i) => totals[i] },
                column(words.total, functions.total), column(words.most, functions.most),
                column(words.entries, functions.entries), column(words.n, functions.n),
                ...(functions.state ? [{ title: "In the program", numeric: true, text: state, key: state }] : []),
            ],
            filters: [
                { words: "all" }, { words: "that hold 99 %", shows: (i) => before[i] < 0.99 * sum },
                { words: `with ${words.unit}`, shows: (i) => totals[i] > 0 },
                { words: `that ${words.never}`, shows: (i) => totals[i] === 0 },
                ...(functions.state ? data.states.flatMap((word, k) => (word
                    ? [{ words: `in the program: ${word}`, shows: (i) => functions.state[i] === k }] : [])) : []),
            ],
        });
        redraw.push(() => find.draw(), () => charts.curve(figure("curve"), totals, words.unit),
            () => charts.powers(figure("powers"), data.powers, words.powers));
    }

    // --- what changed
    const d = data.differences;
    if (d && host("differences")) {
        const kinds = data.changes.slice(0, -1), classes = ["new", "gone", "grew", "shrank"];
        const has = (bit) => (i) => (d.changes[i] & (1 << bit)) !== 0;
        const words = (i) => kinds.filter((_, bit) => has(bit)(i)).join(", ") || data.changes.at(-1);
        const share = (title, list) => ({ title, numeric: true, text: (i) => percent(list[i]), key: (i) => list[i] });
        const table = report.table(host("differences"), {
            label: "differences", n: d.name.length, names: (i) => names(d.name[i]), facts: (i) => facts(d.name[i]),
            columns: [
                { title: "Function", text: (i) => shown(d.name[i]), key: (i) => shown(d.name[i]) },
                { title: "Change", numeric: true, text: words, key: words },
                share("Before", d.before), share("After", d.after), share("Effect", d.effect),
            ],
            filters: [{ words: "all" }, ...kinds.map((kind, bit) => ({ words: kind, shows: has(bit) }))],
        });
        const dots = d.name.map((name, i) => ({ name: shown(name), before: d.before[i], after: d.after[i],
            kind: classes.find((_, bit) => has(bit)(i)) || "" }));
        redraw.push(() => table.draw(), () => charts.scatter(figure("scatter"), dots));
    }

    // --- trees
    const places = () => report.places.tree(totals.length, { total: (i) => totals[i],
        name: (i) => shown(functions.name[i]), file: (i) => data.files[functions.name[i]] });
    if (all && figure("map"))
        redraw.push(charts.map(figure("map"), places()));
    const flame = (name, frames, label) => {
        if (!frames.name.length || !figure(name))
            return;
        const nodes = frames.name.map((number, i) => ({ name: i ? shown(number) : "all", value: Number(frames.total[i]),
            exact: frames.total[i], children: [] }));
        nodes.forEach((node, i) => {
            node.parent = i ? nodes[frames.parent[i]] : null;
            node.parent?.children.push(node);
        });
        for (const node of nodes)
            node.children.sort((a, b) => (a.name < b.name ? -1 : 1));
        redraw.push(charts.flame(figure(name), nodes[0], label));
    };
    flame("flame", data.frames, "Flame graph of callers and inlining");
    flame("memory", data.memory, "Flame graph of allocated bytes by call stack");

    const draw = () => redraw.forEach((one) => one());
    draw();
    requestAnimationFrame(draw); // a chart that was not there before may have taken room from others
    let width = innerWidth;
    addEventListener("resize", () => {
        if (innerWidth !== width)
            requestAnimationFrame(draw);
        width = innerWidth;
    });
    page.add({ find: () => find?.search.focus() }, { "/": "find" });
    document.documentElement.dataset.ready = "yes";
})();
