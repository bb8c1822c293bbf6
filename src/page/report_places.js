// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where functions are, as a tree: directories and files of those whose names have one, namespaces and classes of others.
"use strict";
report.places = (() => {
    const MOST_FUNCTIONS = 20000; // in boxes of their own: those with the most counts
    const MOST_PARTS = 40; // what a name has beyond them is one part: drawing takes time with their square

    // "dir/file.c;f" is in dir, and in file.c there; `file` is what comes before the separator, or null.
    const parts = (name, file) => {
        if (file !== null)
            return [...file.split("/").filter(Boolean), name.slice(file.length + 1)];
        const local = /^(.+)\/([^/]+)(?:\/\d+)$/.exec(name); // BOLT's "f/file.c/1"
        if (local)
            return [local[2], local[1]];
        if (/^[-+]\[/.test(name)) // a method of Objective-C
            return [name];
        const { before, scopes, own, after } = report.dissect(name);
        return [...scopes, before + own + after];
    };

    const grow = (parent, name, value) => {
        const path = parent?.parent ? `${parent.path}::${name}` : name;
        const node = { name, path, parent, value, children: [], inner: new Map() };
        parent?.children.push(node);
        return node;
    };
    // The tree of n functions, the ones with the most counts first: `total`, `name` and `file` say these of each.
    const tree = (n, { total, name, file }) => {
        const root = grow(null, "all", 0);
        let others = 0, rest = 0;
        for (let i = 0; i < n; i++) {
            const value = total(i);
            root.value += value;
            if (i >= MOST_FUNCTIONS) {
                others += value > 0;
                rest += value;
            } else if (value) {
                const list = parts(name(i), file(i));
                if (list.length > MOST_PARTS)
                    list.splice(MOST_PARTS - 1, list.length, list.slice(MOST_PARTS - 1).join("::"));
                let node = root;
                for (const part of list) {
                    if (!node.inner.has(part))
                        node.inner.set(part, grow(node, part, 0));
                    node = node.inner.get(part);
                    node.value += value;
                }
            }
        }
        if (others)
            grow(root, `${report.count(others)} other functions`, rest);
        return root;
    };
    return { parts, tree };
})();
