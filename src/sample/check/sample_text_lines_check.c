/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/check/sample_text_lines_check.h"

#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "sample/text/sample_text_line.h"
#include "sample/text/sample_text_lines.h"

/* A function whose lines are being checked. */
struct level {
    /* offset of the line with attributes other than 0 that no other metadata has followed yet; NO_OFFSET:
     * none */
    uint64_t attributes_at;
    uint64_t attributes, checksum;
    bool flat, has_inlined;
};

struct walk {
    struct sample_checker *k;
    struct sample_text_lines lines;
    struct sample_text_line line;
    VEC(struct level) open;
    VEC(struct apf_str) targets; /* of a line */
    struct apf_str header;       /* the name in the last header */
    uint64_t n_unindented, unindented_at;
};

/* ---- findings ---- */

static uint64_t offset_of(const struct walk *w, const char *p)
{
    return (uint64_t)(p - w->lines.base);
}

/* Reports a finding about the current line. */
static void report_line(struct walk *w, uint32_t severity, const char *where, const char *detail)
{
    struct check *c = w->k->c;
    int code = severity == APF_SEVERITY_NOTE ? APF_NOTE : APF_BAD_SAMPLE_TEXT;
    sample_check_name(w->k, w->header);
    check_place(c, severity, code, where, offset_of(w, w->lines.p), detail);
    check_no_function(c);
}

/* As report_line, with numbers that the detail does not have. */
static void report_numbers(struct walk *w, const char *where, uint64_t offset, uint64_t found,
                           uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    sample_check_name(w->k, w->header);
    sample_check_numbers(w->k, APF_SEVERITY_WARNING, APF_BAD_SAMPLE_TEXT, at, detail);
    check_no_function(w->k->c);
}

/* ---- headers ---- */

/* Whether a text is LINE or LINE.DISCRIMINATOR; LLVM reads other texts, and parts of them, as 0. */
static bool is_place(const char *p, const char *end)
{
    unsigned dots = 0;
    for (const char *s = p; s < end; s++) {
        bool dot = *s == '.' && s > p && s + 1 < end && dots++ == 0;
        if (!dot && !number_is_digit(*s))
            return false;
    }
    return p < end;
}

static void check_frame(struct walk *w, const char *p, const char *end, bool last)
{
    const char *colon = p < end ? memchr(p, ':', (size_t)(end - p)) : NULL;
    if (last && colon)
        report_line(w, APF_SEVERITY_NOTE, "sample.text.context.leaf",
                    "a place in the last frame of a context, which means nothing");
    else if (!last && !colon)
        report_line(w, APF_SEVERITY_WARNING, "sample.text.context.place",
                    "a frame without the place of its call, which is read as 0");
    else if (!last && !is_place(colon + 1, end))
        report_line(w, APF_SEVERITY_WARNING, "sample.text.context.place",
                    "the place of a call is no number: LLVM reads something else");
}

static void check_frames(struct walk *w)
{
    struct apf_str name = w->line.name, frames = sample_text_frames(name), function;
    uint64_t at;
    if (name.p[name.n - 1] != ']')
        report_line(w, APF_SEVERITY_WARNING, "sample.text.context.end",
                    "a context does not end with a bracket: LLVM drops its last byte");
    while (frames.n) {
        const char *p = frames.p, *end = p + frames.n;
        sample_text_frame(&frames, &function, &at);
        bool last = frames.n == 0;
        check_frame(w, p, last ? end : frames.p - 3, last);
    }
}

static void check_header(struct walk *w)
{
    struct apf_str name = w->line.name;
    struct level top = {.attributes_at = NO_OFFSET};
    w->header = name;
    if (name.n && name.p[0] == '[') {
        w->header.p++;
        w->header.n -= name.n > 1 ? 2 : 1;
        check_frames(w);
    } else if (w->k->s->info.flags & APF_SAMPLE_CONTEXTS) {
        report_line(w, APF_SEVERITY_WARNING, "sample.text.header.context",
                    "a function without a context among those that have one");
    }
    if (name.p + name.n == w->line.end)
        report_line(w, APF_SEVERITY_WARNING, "sample.text.header.colons",
                    "a line with less than two colons, which LLVM takes for a function");
    else if (name.n == 0)
        report_line(w, APF_SEVERITY_NOTE, "sample.text.header.name", "a function without a name");
    else if (name.p[0] == '\t')
        report_line(w, APF_SEVERITY_WARNING, "sample.text.header.tab",
                    "a tab, which is no indentation: LLVM takes it for a part of a name");
    w->open.n = 0;
    if (!VEC_PUSH(&w->open, top))
        check_memory(w->k->c);
}

/* ---- lines of functions ---- */

/* Checks what follows the place of a line: LLVM skips one byte after the colon, whatever it is. */
static void check_separator(struct walk *w, const char *text)
{
    const char *end = w->line.end, *colon = text;
    while (colon < end && *colon != ':')
        colon++;
    if (colon == end)
        report_line(w, APF_SEVERITY_WARNING, "sample.text.line.place",
                    "a number without a colon: LLVM reads it as the line and as the count");
    else if (end - colon > 1 && colon[1] != ' ')
        report_line(w, APF_SEVERITY_WARNING, "sample.text.line.separator",
                    "no blank after the place of a line: LLVM skips the byte there");
}

/* Checks for targets that are there twice. LLVM takes the last count. */
static void check_targets(struct walk *w)
{
    struct apf_str name;
    uint64_t count;
    bool more = true;
    w->targets.n = 0;
    while (more && sample_text_target(&w->line, &name, &count, &more))
        if (more && !VEC_PUSH(&w->targets, name)) {
            check_memory(w->k->c);
            return;
        }
    if (!SORT_VEC(&w->targets, sort_text_before, NULL)) {
        check_memory(w->k->c);
        return;
    }
    for (size_t i = 1; i < w->targets.n; i++)
        if (!sort_text_before(NULL, &w->targets.data[i - 1], &w->targets.data[i])) {
            report_line(w, APF_SEVERITY_WARNING, "sample.text.line.targets",
                        "a call target is there twice: LLVM reads the last count only");
            return;
        }
}

static void check_inlined(struct walk *w, struct level *in)
{
    struct level new = {.attributes_at = NO_OFFSET};
    in->has_inlined = true;
    if (w->line.name.n && number_is_digit(w->line.name.p[0]))
        report_line(w, APF_SEVERITY_ERROR, "sample.text.line.hash",
                    "an inlined function whose name begins with a digit: LLVM takes the name for a count");
    if (in->flat) {
        report_line(w, APF_SEVERITY_WARNING, "sample.text.metadata.flat",
                    "a function is inlined in one that is marked with !Flat");
        in->flat = false;
    }
    if (!VEC_PUSH(&w->open, new))
        check_memory(w->k->c);
}

/* Each line of metadata sets the attributes of its function: to 0 unless it has them. */
static void check_metadata(struct walk *w, struct level *in)
{
    uint64_t value = w->line.count;
    if (in->attributes_at != NO_OFFSET && w->line.kind != SAMPLE_TEXT_ATTRIBUTES)
        report_numbers(w, "sample.text.metadata.attributes", in->attributes_at, in->attributes, 0,
                       "other metadata follows the attributes, which LLVM forgets");
    in->attributes_at = NO_OFFSET;
    if (w->line.kind == SAMPLE_TEXT_ATTRIBUTES) {
        in->attributes_at = value ? offset_of(w, w->lines.p) : NO_OFFSET;
        in->attributes = value;
    } else if (w->line.kind == SAMPLE_TEXT_CHECKSUM) {
        if (value && in->checksum && value != in->checksum)
            report_numbers(w, "sample.text.metadata.checksum", offset_of(w, w->lines.p), value, in->checksum,
                           "a second checksum, which counts");
        in->checksum = value ? value : in->checksum;
    } else {
        in->flat = !in->has_inlined;
        if (in->has_inlined)
            report_line(w, APF_SEVERITY_WARNING, "sample.text.metadata.flat",
                        "!Flat, although functions are inlined: compilers skip the function when they link");
    }
}

static void check_indented(struct walk *w, const char *text)
{
    size_t depth = (size_t)(text - w->lines.p);
    struct sample_text_line *l = &w->line;
    if (!sample_text_indented(l, depth, text, w->lines.line_end) || w->open.n == 0)
        return; /* the reader accepts the text, so this cannot be */
    if (depth > w->open.n)
        report_numbers(w, "sample.text.line.indentation", offset_of(w, w->lines.p), depth, w->open.n,
                       "more blanks than functions are open: LLVM adds the line to the innermost one");
    w->open.n = w->open.n > depth ? depth : w->open.n;
    struct level *in = &w->open.data[w->open.n - 1];
    if (l->kind >= SAMPLE_TEXT_CHECKSUM) {
        check_metadata(w, in);
        return;
    }
    check_separator(w, text);
    if (l->kind == SAMPLE_TEXT_INLINED)
        check_inlined(w, in);
    else if (l->kind == SAMPLE_TEXT_BODY && w->k->s->findings[SAMPLE_FINDING_REPLACED_TARGETS])
        check_targets(w);
}

static void check_unindented(struct walk *w)
{
    if (w->n_unindented++ == 0)
        w->unindented_at = offset_of(w, w->lines.p);
    if (sample_text_old_body(&w->line, w->lines.p, w->lines.line_end) &&
        w->k->s->findings[SAMPLE_FINDING_REPLACED_TARGETS])
        check_targets(w);
}

/* ---- the whole text ---- */

static void check_end(struct walk *w)
{
    struct check *c = w->k->c;
    if (w->n_unindented)
        check_place(c, APF_SEVERITY_NOTE, APF_NOTE, "sample.text.unindented", w->unindented_at,
                    "body lines without indentation, which only LLVM 3.5 to 3.7 read");
    if (w->k->n && w->k->data[w->k->n - 1] != '\n')
        check_place(c, APF_SEVERITY_WARNING, APF_SAMPLE_TRUNCATED, "sample.text.end", w->k->n,
                    "the last line has no line feed: the text may have been cut off");
}

void sample_text_lines_check(struct sample_checker *k, const uint8_t *text)
{
    struct walk w = {.k = k, .lines = sample_text_lines_make(text, k->n)};
    while (k->c->code == APF_OK && sample_text_next_line(&w.lines)) {
        const char *p = w.lines.p;
        if (*p != ' ') {
            if (sample_text_header(&w.line, p, w.lines.line_end))
                check_header(&w);
            else
                check_unindented(&w);
            continue;
        }
        while (p < w.lines.line_end && *p == ' ')
            p++;
        if (p < w.lines.line_end && *p != '#')
            check_indented(&w, p);
    }
    check_end(&w);
    VEC_FREE(&w.open);
    VEC_FREE(&w.targets);
}
