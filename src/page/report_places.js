// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where functions are, as a tree: directories and files of those whose names have one, namespaces and classes of others.
"use strict";
report.places = (() => {
    const MOST_FUNCTIONS = 20000; // in boxes of their own: those with the most counts
    const MOST_PARTS = 40; // what a name has beyond them is one part: drawing takes time with their square

    // Of a name in C++ or Rust, which is shown as in the source: "void a::b<c::d>::e(f)" is in a, and in b<c::d> there.
    // What is before it, such as the type that it returns, stays with its last part.
    const scopes = (name) => {
        const list = [];
        let start = 0, from = 0, depth = 0;
        for (let i = 0; i < name.length; i++) {
            const c = name[i], rest = (text) => name.startsWith(text, i);
            if (depth === 0 && i === from && /^operator(?![\w$])/.test(name.slice(i, i + 9)))
                break; // which may have brackets of any kind, blanks and colons
            if (c === "(" && depth === 0 && !rest("(anonymous") && !/(^|\W)decltype$/.test(name.slice(from, i)))
                break; // parameters
            if (c === "<" || c === "(" || c === "{" || c === "[")
                depth++;
            else if (c === ")" || c === "}" || c === "]" || (c === ">" && name[i - 1] !== "-"))
                depth = Math.max(0, depth - 1);
            else if (depth === 0 && (c === " " || rest("::"))) {
                if (c === " ")
                    list.length = 0;
                else
                    list.push(name.slice(from, i));
                i += c === " " ? 0 : 1;
                from = i + 1;
                start = c === " " ? from : start;
            }
        }
        return [...list, name.slice(0, start) + name.slice(from)];
    };

    // "dir/file.c;f" is in dir, and in file.c there; `file` is what comes before the separator, or null.
    const parts = (name, file) => {
        if (file !== null)
            return [...file.split("/").filter(Boolean), name.slice(file.length + 1)];
        const local = /^(.+)\/([^/]+)(?:\/\d+)$/.exec(name); // BOLT's "f/file.c/1"
        if (local)
            return [local[2], local[1]];
        return /^[-+]\[/.test(name) ? [name] : scopes(name); // a method of Objective-C
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
