/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text profiles: reading after damage. A damaged function, up to the next header, becomes a comment in a copy of the
 * text, which then is read and checked as a whole. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sample/check/sample_text_lines_check.h"
#include "sample/text/sample_text_line.h"
#include "sample/text/sample_text_lines.h"
#include "sample/text/sample_text_read.h"

#define MOST_ERRORS 1000u

struct damage {
    struct sample_checker *k;
    uint8_t *copy;                  /* NULL until something is damaged */
    struct sample_text_start start; /* where reading goes on */
    bool end;                       /* nothing after the damage can be read */
};

/* The lines from one on; `offset` is where it begins. */
static struct sample_text_lines lines_from(const struct damage *d, struct sample_text_start from)
{
    struct sample_text_lines lines = sample_text_lines_make(d->k->data, d->k->n);
    lines.next += from.offset;
    lines.number = from.number - 1;
    return lines;
}

/* Finds the last header up to an offset, and the first one after it, if there is one. */
static void find_headers(const struct damage *d, uint64_t offset, struct sample_text_start *before,
                         struct sample_text_start *after)
{
    struct sample_text_lines lines = lines_from(d, d->start);
    struct sample_text_line line;
    *before = d->start;
    while (sample_text_next_line(&lines)) {
        struct sample_text_start here = {(uint64_t)(lines.p - lines.base), lines.number};
        if (!sample_text_header(&line, lines.p, lines.line_end))
            continue;
        if (here.offset > offset) {
            *after = here;
            return;
        }
        *before = here;
    }
}

/* Makes comments of the lines between two offsets of a text of n bytes. */
static void comment_out(uint8_t *text, uint64_t n, uint64_t from, uint64_t to)
{
    bool start = true;
    for (uint64_t i = from; i < to; i++) {
        bool empty = text[i] == '\n' || (text[i] == '\r' && i + 1 < n && text[i + 1] == '\n');
        start = start || (i && text[i - 1] == '\n');
        if (start && !empty)
            text[i] = '#';
        start = false;
    }
}

/* Whether the text after an error can be read: it is about a line. */
static bool is_local(const struct damage *d, const struct apf_error *error)
{
    return error->code == APF_BAD_SAMPLE_TEXT && error->offset < d->k->n &&
           strcmp(error->where, "sample.text.nul") != 0;
}

/* Comments out what an error is about, and finds where to go on. */
static void skip_damage(struct damage *d, const struct apf_error *error, bool last)
{
    struct sample_text_start before = {0, 1}, after = {d->k->n, 0};
    struct sample_checker *k = d->k;
    if (!d->copy) {
        d->copy = malloc(k->n + 1);
        if (!d->copy) {
            check_memory(k->c);
            return;
        }
        memcpy(d->copy, k->data, k->n);
    }
    if (error->offset < k->n) /* else nothing can be left out so that the rest is right */
        find_headers(d, error->offset, &before, &after);
    if (last || !is_local(d, error))
        after.offset = k->n;
    comment_out(d->copy, k->n, before.offset, after.offset);
    d->start = after;
    d->end = after.offset >= k->n;
}

/* Reads the text from one damaged function to the next, and then all that is intact. */
static void read_intact(struct damage *d)
{
    struct sample_checker *k = d->k;
    struct apf_error error;
    int code = APF_BAD_SAMPLE_TEXT;
    for (unsigned found = 0; code != APF_OK && !d->end && k->c->code == APF_OK; found++) {
        sample_reset(k->s);
        code = sample_text_read_from(k->s, k->data, k->n, d->start, k->options, &error);
        k->whole = code == APF_OK && found == 0;
        if (code == APF_OK)
            break;
        check_failure(k->c, &error);
        skip_damage(d, &error, found == MOST_ERRORS);
    }
    if (!d->copy || k->c->code != APF_OK)
        return;
    sample_reset(k->s);
    code = sample_text_read(k->s, d->copy, k->n, k->options, &error);
    if (code == APF_NO_MEMORY)
        check_memory(k->c);
    else if (code != APF_OK)
        sample_reset(k->s);
    k->s->info.format = APF_SAMPLE_TEXT;
}

void sample_text_check(struct sample_checker *k)
{
    struct damage d = {.k = k, .start = {0, 1}};
    read_intact(&d);
    if (k->c->code == APF_OK)
        sample_text_lines_check(k, d.copy ? d.copy : k->data);
    free(d.copy);
}
