// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of a report, numbers for people, and elements.
"use strict";
const report = (() => {
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

    // --- numbers: those above 2^53 are strings in the data; percents are rounded as report_put_percent() does
    const count = (n) => (typeof n === "string" ? BigInt(n) : n).toLocaleString("en-US");
    const percent = (share) => `${(100 * share).toFixed(share >= 0.000005 && share < 0.001 ? 3 : 2)} %`;

    const make = (name, attributes = {}, ...children) => {
        const element = document.createElement(name);
        for (const [key, value] of Object.entries(attributes))
            if (value !== null)
                element.setAttribute(key, value);
        element.append(...children);
        return element;
    };

    return { load, count, percent, make };
})();
