/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/check_report.h"

#include <string.h>

void check_memory(struct check *c)
{
    if (c->code == APF_OK)
        c->code = error_memory(c->error);
}

/* ---- lines of text ---- */

void check_text(struct check *c, const uint8_t *data, size_t n, bool columns)
{
    check_text_end(c);
    c->lines.text = data;
    c->lines.n = n;
    c->lines.columns = columns;
}

void check_text_end(struct check *c)
{
    const struct check_lines none = {0};
    VEC_FREE(&c->lines.list);
    c->lines = none;
}

#define LINE_BLOCK 4096u

/* Counts the line feeds between two offsets. */
static struct check_line pass_feeds(const struct check_lines *l, struct check_line line, uint64_t at,
                                    uint64_t to)
{
    const uint8_t *feed;
    while (at < to && (feed = memchr(l->text + at, '\n', to - at)) != NULL) {
        at = line.from = (uint64_t)(feed - l->text) + 1;
        line.number++;
    }
    return line;
}

static bool find_blocks(struct check_lines *l)
{
    struct check_line line = {1, 0};
    if (l->list.n)
        return true;
    if (!VEC_RESERVE(&l->list, l->n / LINE_BLOCK + 1))
        return false;
    for (uint64_t at = 0; at <= l->n; at += LINE_BLOCK) {
        l->list.data[l->list.n++] = line;
        line = pass_feeds(l, line, at, l->n - at < LINE_BLOCK ? l->n : at + LINE_BLOCK);
    }
    return true;
}

/* Replaces offset and numbers by a line in text. */
static void set_line(struct check *c, struct apf_error *e, const char *detail)
{
    struct apf_error before = *e;
    if (!c->lines.text || e->offset > c->lines.n || e->line)
        return;
    if (!find_blocks(&c->lines)) {
        check_memory(c);
        return;
    }
    uint64_t block = e->offset / LINE_BLOCK;
    struct check_line line = pass_feeds(&c->lines, c->lines.list.data[block], block * LINE_BLOCK, e->offset);
    if (c->lines.columns)
        error_set_column(e, before.code, before.where, before.offset, (uint32_t)line.number,
                         (uint32_t)(before.offset - line.from + 1), detail);
    else
        error_set_line(e, before.code, before.where, before.offset, (uint32_t)line.number, detail);
    e->found = before.found;
    e->expected = before.expected;
}

/* ---- findings ---- */

/* Remembers a reported place: the reader's error is about one place only. */
static void record_place(struct check *c, const struct apf_error *e)
{
    if (c->refused && e->offset == c->refused->offset && strcmp(e->where, c->refused->where) == 0)
        c->refusal_reported = true;
}

static void report_finding(struct check *c, uint32_t severity, struct apf_error *e)
{
    if (c->code != APF_OK)
        return;
    e->input = c->input;
    c->n[severity]++;
    if (severity == APF_SEVERITY_ERROR)
        record_place(c, e);
    struct apf_diag d = {severity, e->code, c->input, c->source, c->function, c->hash, e};
    c->code = error_report_diag(c->diag, c->user, &d, c->error);
}

/* Sets a place. NO_OFFSET: the finding has no place, but a dotted path. */
static void set_place(struct apf_error *e, int code, const char *where, uint64_t offset, const char *detail)
{
    if (offset == NO_OFFSET)
        error_set_plain(e, code, where, "%s [%s]", detail, where);
    else
        error_set_place(e, code, where, offset, detail);
}

void check_at(struct check *c, uint32_t severity, int code, struct error_at at, const char *detail)
{
    struct apf_error e;
    error_set_at(&e, code, at, "%s", detail);
    set_line(c, &e, detail);
    report_finding(c, severity, &e);
}

void check_with_numbers(struct check *c, uint32_t severity, int code, struct error_at at, const char *detail)
{
    struct apf_error e;
    set_place(&e, code, at.where, at.offset, detail);
    e.found = at.found;
    e.expected = at.expected;
    set_line(c, &e, detail);
    report_finding(c, severity, &e);
}

void check_bound(struct check *c, uint32_t severity, int code, struct error_at at, const char *detail)
{
    struct apf_error e;
    error_set_bound(&e, code, at, "%s", detail);
    set_line(c, &e, detail);
    report_finding(c, severity, &e);
}

void check_place(struct check *c, uint32_t severity, int code, const char *where, uint64_t offset,
                 const char *detail)
{
    struct apf_error e;
    set_place(&e, code, where, offset, detail);
    set_line(c, &e, detail);
    report_finding(c, severity, &e);
}

void check_failure_as(struct check *c, uint32_t severity, const struct apf_error *error)
{
    struct apf_error e = *error;
    record_place(c, &e);
    if (e.code == APF_NO_MEMORY)
        check_memory(c);
    else
        report_finding(c, severity, &e);
}

void check_failure(struct check *c, const struct apf_error *error)
{
    check_failure_as(c, APF_SEVERITY_ERROR, error);
}

void check_function(struct check *c, struct apf_str name, uint64_t hash)
{
    c->function = name;
    c->hash = hash;
}

void check_no_function(struct check *c)
{
    struct apf_str none = {NULL, 0};
    check_function(c, none, 0);
}

void check_count(struct check_tally *t, const struct check *c, const char *where, uint64_t offset)
{
    if (t->n++)
        return;
    t->at.where = where;
    t->at.offset = offset;
    t->function = c->function;
    t->hash = c->hash;
}

void check_tally_report(struct check *c, const struct check_tally *t, uint32_t severity, int code,
                        const char *detail)
{
    struct apf_error e;
    if (t->n == 0)
        return;
    check_function(c, t->function, t->hash);
    set_place(&e, code, t->at.where, t->at.offset, detail);
    set_line(c, &e, detail);
    e.found = t->n;
    if (t->n > 1)
        error_add(&e, " (and %llu more)", (unsigned long long)t->n - 1);
    report_finding(c, severity, &e);
    check_no_function(c);
}
