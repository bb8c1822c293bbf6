// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all of anyprof's pages can do besides being read: dark and light, and keys for the buttons. Scripts of single
// kinds of pages come after this one and add what theirs can do.
"use strict";
const page = (() => {
    const root = document.documentElement;
    const all = (selector, from = document) => [...from.querySelectorAll(selector)];

    // --- dark and light: as the system has it, until it is chosen
    const stored = { // no storage in some browsers for pages from disk
        get() { try { return localStorage.getItem("anyprof-theme"); } catch { return null; } },
        set(value) { try { localStorage.setItem("anyprof-theme", value); } catch { /* only for this page then */ } },
    };
    const isDark = () => root.dataset.theme === "dark" ||
        (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    if (stored.get() === "dark" || stored.get() === "light")
        root.dataset.theme = stored.get();
    const changeTheme = () => {
        root.dataset.theme = isDark() ? "light" : "dark";
        stored.set(root.dataset.theme);
    };

    // --- buttons and keys
    const actions = { theme: changeTheme }, keys = { d: "theme" };
    addEventListener("DOMContentLoaded", () => {
        for (const button of all("button[data-do]")) {
            button.hidden = false;
            button.addEventListener("click", () => actions[button.dataset.do]());
        }
    });
    addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select"))
            return;
        const action = actions[keys[event.key]];
        if (action) {
            event.preventDefault();
            action();
        }
    });
    // Adds what a kind of pages can do, by name, and the keys for it.
    const add = (moreActions, moreKeys) => {
        Object.assign(actions, moreActions);
        Object.assign(keys, moreKeys);
    };
    return { all, add };
})();
