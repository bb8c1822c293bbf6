// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What names of functions consist of, and how they are shortened. Names can be hostile: all of this takes time linear
// in their length.
"use strict";
Object.assign(report, (() => {
    const OPERATOR = /operator(?![\w$])(?:\(\)|\[\]|->\*?|<=>|<<=?|<=?|[^\w\s()<"]+)?/y;
    const INSIDE = /(?: (?:const|volatile|noexcept|&&?))*::/y; // after parameters, before a name in the function
    const SUFFIX = /(?:\/[^/;]+)?\/\d+$|::h[\da-f]{16}$/; // of BOLT's "f/file.c/1", and of Rust's older names
    const MANGLED = /^__?Z(L|N[KVr]*)?(?=\d)/, NUMBER = /[1-9]\d{0,4}/y; // of C++, before the names with their lengths
    const UNNAMED = /^(?:[{']|operator\(\)$)/; // names that say little without the function they are in
    const MOST_SCOPES = 40; // the last ones, of which more than these never fit
    const METHOD = /^([-+]\[)([^ ]+) (.*)\]$/; // of Objective-C

    const matchAt = (pattern, text, at) => {
        pattern.lastIndex = at;
        return pattern.exec(text)?.[0].length || 0;
    };

    // Of a name in C++ or Rust, which is shown as in the source: "void a::b<c::d>::e<f>(g)" is `own` "e" in the
    // `scopes` "a" and "b<c::d>", with "void " `before` all of them, and "<f>(g)" `after` it.
    const dissect = (name) => {
        const scopes = [];
        let start = 0, from = 0, depth = 0;
        let end = -1; // of the last part, where its first bracket is
        for (let i = 0; i < name.length; i++) {
            const c = name[i], isColons = c === ":" && name[i + 1] === ":";
            const operator = depth === 0 && i === from ? matchAt(OPERATOR, name, i) : 0;
            if (operator) { // which may have brackets of any kind, blanks and colons
                const bracket = name.slice(i + operator).search(/ ?[<(]/);
                end = bracket < 0 ? name.length : i + operator + bracket;
                break;
            }
            if (depth === 0 && end < 0 && i > from && (c === "<" || (c === "(" && !/(?:^|\W)decltype$/
                .test(name.slice(Math.max(from, i - 9), i)))))
                end = i;
            if (c === "(" && depth === 0 && i === from && !name.startsWith("(anonymous", i))
                break;
            if (c === "<" || c === "(" || c === "{" || c === "[")
                depth++;
            else if (c === ")" || c === "}" || c === "]" || (c === ">" && name[i - 1] !== "-")) {
                depth = Math.max(0, depth - 1);
                if (c === ")" && depth === 0 && end >= 0) {
                    const inside = matchAt(INSIDE, name, i + 1);
                    if (!inside)
                        break; // those were the parameters
                    scopes.push(name.slice(from, i + inside - 1));
                    i += inside;
                    from = i + 1;
                    end = -1;
                }
            } else if (depth === 0 && (c === " " || isColons)) {
                if (c === " ")
                    scopes.length = 0;
                else
                    scopes.push(name.slice(from, i));
                i += isColons;
                from = i + 1;
                start = c === " " ? from : start;
                end = -1;
            }
        }
        end = end < 0 ? name.length : end;
        return { before: name.slice(0, start), scopes, own: name.slice(from, end), after: name.slice(end) };
    };

    // What is in brackets becomes an ellipsis; not if some are no pair.
    const without = (text, open, close) => {
        const list = [];
        let depth = 0, from = 0, at = 0;
        for (let i = 0; i < text.length; i++)
            if (text[i] === open) {
                at = depth++ ? at : i;
            } else if (text[i] === close && depth && !(close === ">" && text[i - 1] === "-")) {
                depth--;
                if (depth || i === at + 1)
                    continue;
                list.push(text.slice(from, at + 1));
                from = i;
            }
        return depth ? text : [...list, text.slice(from)].join("\u2026");
    };
    const withoutTypes = (text) => without(text, "<", ">");
    const withoutParameters = (text) => (text.startsWith("(anonymous") ? text : without(text, "(", ")"));
    // "<a::B<c> as d::E>::" of Rust, without the types of types, and then without paths: "<B<\u2026> as E>::".
    const scopeWithoutTypes = (text) => (text[0] === "<" ? `<${withoutTypes(text.slice(1))}` : withoutTypes(text));
    const scopeWithoutPaths = (text) => (text[0] !== "<" || !text.endsWith(">::") || /[([]/.test(text) ? text
        : `<${text.slice(1, -3).split(" as ").map((type) => type.split("::").pop()).join(" as ")}>::`);

    // The most characters of the beginning and the end of a text that fit, at least an ellipsis.
    const withoutMiddle = (text, fits) => {
        const cut = (n) => `${text.slice(0, n >> 1).replace(/[\ud800-\udbff]$/, "")}\u2026${
            text.slice(text.length - n + (n >> 1)).replace(/^[\udc00-\udfff]/, "")}`;
        let least = 0, most = text.length - 1;
        while (least < most) {
            const n = (least + most + 1) >> 1;
            if (fits(cut(n)))
                least = n;
            else
                most = n - 1;
        }
        return fits(text) ? text : cut(least);
    };
    // As many of the last scopes, which end in their separators, as fit before the text; null: none.
    const withLast = (scopes, text, fits) => {
        let best = null;
        for (let i = scopes.length - 1; i >= 0; i--) {
            const short = `\u2026${scopes[i].endsWith("::") ? "::" : scopes[i].slice(-1)}${text}`;
            if (!fits(short))
                break;
            best = short;
            text = scopes[i] + text;
        }
        return best;
    };

    const shortenMethod = ([, begin, , selector], fits) => {
        const short = `${begin}\u2026 ${selector}]`;
        return fits(short) ? short : withoutMiddle(selector, fits);
    };
    // "_ZN1a1fEi" is "_ZN1a1f...", and then "f". What follows a class template is not searched for names.
    const shortenMangled = (name, fits) => {
        const [begin, kind = ""] = MANGLED.exec(name);
        let own = "", at = begin.length;
        for (let digits; (digits = matchAt(NUMBER, name, at)); at += own.length) {
            const n = Number(name.slice(at, at + digits));
            at += digits;
            own = name.slice(at, at + n);
        }
        if (!own || (kind[0] === "N" && name[at] === "I"))
            return withoutMiddle(name, fits);
        return [`${name.slice(0, at)}\u2026`, `\u2026${own}\u2026`].find(fits) || withoutMiddle(own, fits);
    };
    const shorten = (name, fits) => {
        const semicolon = name.indexOf(";"), hasFile = semicolon > 0 && name[semicolon + 1] !== " "; // as in "[T; 4]"
        const files = hasFile ? name.slice(0, semicolon + 1).split(/(?<=\/)/) : [];
        const inFile = hasFile ? name.slice(semicolon + 1) : name, method = METHOD.exec(inFile);
        if (method || MANGLED.test(inFile))
            return withLast(files, inFile, fits) ||
                (method ? shortenMethod(method, fits) : shortenMangled(inFile, fits));
        const suffix = SUFFIX.exec(inFile)?.[0] || "", parts = dissect(inFile.slice(0, inFile.length - suffix.length));
        if (!parts.own)
            return withoutMiddle(name, fits);
        const begin = parts.scopes.length > MOST_SCOPES ? "\u2026::" : "";
        let before = begin || withoutTypes(parts.before), after = withoutTypes(parts.after) + suffix, { own } = parts;
        let scopes = parts.scopes.slice(-MOST_SCOPES).map((scope) => scopeWithoutTypes(`${scope}::`));
        const text = () => [...files, before, ...scopes, own, after].join("");
        if (fits(text()))
            return text();
        before = withoutParameters(before);
        after = withoutParameters(after);
        scopes = scopes.map((scope) => scopeWithoutPaths(withoutParameters(scope)));
        if (fits(text()))
            return text();
        before = begin;
        if (fits(text()))
            return text();
        let first = scopes.length; // of the scopes that stay with the name, as in "f::{lambda()#1}::operator()"
        while (first > 0 && UNNAMED.test(scopes[first] ?? own))
            first--;
        own = [...scopes.splice(first), own].join("");
        after = after && "\u2026";
        if (fits(text()))
            return text();
        return withLast([...files, ...scopes], own + after, fits) ||
            [own + after, own, without(own, "{", "}")].find(fits) || withoutMiddle(own, fits);
    };
    // A name that is at most so wide, or of so many characters: without the arguments of templates, then without those
    // of functions, what is returned, and the outer scopes, and last without the middle of the function's own name.
    const brief = (name, room, width = (text) => text.length) => {
        const fits = (text) => width(text) <= room;
        return fits(name) ? name : shorten(name, fits).replace(/\u2026+/g, "\u2026");
    };
    // A text of any length for places that are many: its beginning and its end.
    const cut = (text) => (text.length > 1000 ? `${text.slice(0, 500)}\u2026${text.slice(-499)}` : text);
    return { dissect, brief, cut };
})());
