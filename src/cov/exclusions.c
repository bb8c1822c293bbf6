/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/exclusions.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

#define MARK "_EXCL_"

/* What is being left out, up to a line. */
struct marker_state {
    bool lines, branches;
};

static bool ends_with_tool(const char *p, size_t n)
{
    static const char *const tools[] = {"LCOV", "GCOV", "GCOVR"};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        const size_t length = strlen(tools[i]);
        if (n >= length && memcmp(p + n - length, tools[i], length) == 0)
            return true;
    }
    return false;
}

/* Applies a marker, of which `what` is what follows "_EXCL_"; *line and *branches are set if it is about this line. */
static void apply(struct marker_state *s, struct apf_str what, bool *line, bool *branches)
{
    if (text_starts_with(what, "LINE"))
        *line = true;
    else if (text_starts_with(what, "START"))
        s->lines = true;
    else if (text_starts_with(what, "STOP"))
        s->lines = false;
    else if (text_starts_with(what, "BR_LINE"))
        *branches = true;
    else if (text_starts_with(what, "BR_START"))
        s->branches = true;
    else if (text_starts_with(what, "BR_STOP"))
        s->branches = false;
}

/* Where MARK is in n bytes; NULL: nowhere. */
static const char *find_mark(const char *p, size_t n)
{
    const size_t length = sizeof MARK - 1;
    const char *end = ENTRY_AT(p, n);
    while (p && (size_t)(end - p) >= length &&
           (p = memchr(p, MARK[0], (size_t)(end - p) - length + 1)) != NULL) {
        if (memcmp(p, MARK, length) == 0)
            return p;
        p++;
    }
    return NULL;
}

/* Applies the markers in a line. */
static void apply_all(struct marker_state *s, struct apf_str text, bool *line, bool *branches)
{
    const size_t n = sizeof MARK - 1;
    const char *end = ENTRY_AT(text.p, text.n), *at = text.p;
    while ((at = find_mark(at, (size_t)(end - at))) != NULL) {
        const struct apf_str what = {at + n, (size_t)(end - at) - n};
        if (ends_with_tool(text.p, (size_t)(at - text.p)))
            apply(s, what, line, branches);
        at += n;
    }
}

bool excluded_lines_find(struct excluded_lines *e, const struct source_text *text)
{
    struct source_lines lines = source_lines_of(text);
    struct marker_state state = {false, false};
    struct apf_str line;
    bool ok = true;
    if (!find_mark(text->bytes.p, text->bytes.n))
        return true;
    for (uint64_t number = 1; ok && source_lines_next(&lines, &line); number++) {
        bool this_line = false, these_branches = false;
        apply_all(&state, line, &this_line, &these_branches);
        if (this_line || state.lines)
            ok = line_ranges_add(&e->lines, 0, number);
        if (ok && (these_branches || state.branches))
            ok = line_ranges_add(&e->branches, 0, number);
    }
    return ok;
}

int exclusions_read(struct exclusions *e, const struct file_names *names, struct source_texts *texts,
                    struct apf_error *error)
{
    int code = APF_OK;
    for (uint32_t i = 0; i < names->list.n && code == APF_OK; i++) {
        struct excluded_lines lines = {.lines = {{NULL, 0, 0}}};
        struct source_text text;
        code = source_texts_read(texts, i, names->list.data[i], &text, error);
        lines.there = code == APF_OK && text.there;
        if (code == APF_OK && !(excluded_lines_find(&lines, &text) && VEC_PUSH(&e->files, lines)))
            code = error_memory(error);
        source_texts_drop(texts);
        if (code != APF_OK) {
            VEC_FREE(&lines.lines.list);
            VEC_FREE(&lines.branches.list);
        }
    }
    return code;
}

void exclusions_free(struct exclusions *e)
{
    for (size_t i = 0; i < e->files.n; i++) {
        VEC_FREE(&e->files.data[i].lines.list);
        VEC_FREE(&e->files.data[i].branches.list);
    }
    VEC_FREE(&e->files);
}
