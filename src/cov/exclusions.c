/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/exclusions.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

#define MARK "_EXCL_"

#define NONE SIZE_MAX

/* What is being left out, up to a line: the number, in e->unpaired, of the marker that began it, or NONE. */
struct marker_state {
    struct excluded_lines *e;
    uint64_t line;
    size_t lines, branches;
    bool this_line, these_branches; /* a marker is about the line alone */
    bool ok;                        /* else an allocation failed */
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

/* Adds a marker whose counterpart was not seen. */
static void add_unpaired(struct marker_state *s, bool stops, bool branches)
{
    const struct unpaired_marker marker = {s->line, stops, branches};
    s->ok = s->ok && VEC_PUSH(&s->e->unpaired, marker);
}

static void begin_part(struct marker_state *s, size_t *began, bool branches)
{
    add_unpaired(s, false, branches);
    *began = s->e->unpaired.n - 1;
}

/* Ends a part, whose begin has its counterpart now; `other` is the begin of the other kind of parts. */
static void end_part(struct marker_state *s, size_t *began, size_t *other, bool branches)
{
    if (*began == NONE) {
        add_unpaired(s, true, branches);
        return;
    }
    struct unpaired_marker *list = s->e->unpaired.data;
    s->e->unpaired.n--;
    for (size_t i = *began; i < s->e->unpaired.n; i++)
        list[i] = list[i + 1];
    *other -= *other != NONE && *other > *began;
    *began = NONE;
}

/* Applies a marker, of which `what` is what follows "_EXCL_". */
static void apply(struct marker_state *s, struct apf_str what)
{
    if (text_starts_with(what, "LINE"))
        s->this_line = true;
    else if (text_starts_with(what, "START"))
        begin_part(s, &s->lines, false);
    else if (text_starts_with(what, "STOP"))
        end_part(s, &s->lines, &s->branches, false);
    else if (text_starts_with(what, "BR_LINE"))
        s->these_branches = true;
    else if (text_starts_with(what, "BR_START"))
        begin_part(s, &s->branches, true);
    else if (text_starts_with(what, "BR_STOP"))
        end_part(s, &s->branches, &s->lines, true);
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
static void apply_all(struct marker_state *s, struct apf_str text)
{
    const size_t n = sizeof MARK - 1;
    const char *end = ENTRY_AT(text.p, text.n), *at = text.p;
    while ((at = find_mark(at, (size_t)(end - at))) != NULL) {
        const struct apf_str what = {at + n, (size_t)(end - at) - n};
        if (ends_with_tool(text.p, (size_t)(at - text.p)))
            apply(s, what);
        at += n;
    }
}

bool excluded_lines_find(struct excluded_lines *e, const struct source_text *text)
{
    struct source_lines lines = source_lines_of(text);
    struct marker_state s = {.e = e, .lines = NONE, .branches = NONE, .ok = true};
    struct apf_str line;
    if (!find_mark(text->bytes.p, text->bytes.n))
        return true;
    while (s.ok && source_lines_next(&lines, &line)) {
        s.line++;
        s.this_line = s.these_branches = false;
        apply_all(&s, line);
        if (s.ok && (s.this_line || s.lines != NONE))
            s.ok = line_ranges_add(&e->lines, 0, s.line);
        if (s.ok && (s.these_branches || s.branches != NONE))
            s.ok = line_ranges_add(&e->branches, 0, s.line);
    }
    return s.ok;
}

void excluded_lines_free(struct excluded_lines *e)
{
    VEC_FREE(&e->lines.list);
    VEC_FREE(&e->branches.list);
    VEC_FREE(&e->unpaired);
}

int exclusions_read(struct exclusions *e, const struct text_set *names, struct source_texts *texts,
                    struct apf_error *error)
{
    int code = APF_OK;
    for (uint32_t i = 0; i < names->list.n && code == APF_OK; i++) {
        struct excluded_lines lines = {.lines = {{NULL, 0, 0}}};
        struct source_text text;
        code = source_texts_read(texts, i, names->list.data[i], &text, error);
        lines.there = code == APF_OK && text.there;
        lines.sys_errno = code == APF_OK ? text.sys_errno : 0;
        if (code == APF_OK && !(excluded_lines_find(&lines, &text) && VEC_PUSH(&e->files, lines)))
            code = error_memory(error);
        source_texts_drop(texts);
        if (code != APF_OK)
            excluded_lines_free(&lines);
    }
    return code;
}

void exclusions_free(struct exclusions *e)
{
    for (size_t i = 0; i < e->files.n; i++)
        excluded_lines_free(&e->files.data[i]);
    VEC_FREE(&e->files);
}
