/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text profiles: contradictions in their header and, if the reader refuses the file, the records after damage. Writers
 * end a record with an empty line, from which reading continues. */
#include <string.h>

#include "base/md5.h"
#include "instr/check/check_formats.h"
#include "instr/text/text_lines.h"
#include "instr/text/text_read.h"

#define MOST_ERRORS 1000u

/* The offset after the next empty line, or the end; counts the lines up to it. */
static size_t next_record(const char *text, size_t n, size_t at, uint64_t *line)
{
    while (at < n) {
        const char *p = text + at, *feed = memchr(p, '\n', n - at);
        if (!feed)
            return n;
        bool blank = feed == p || (feed == p + 1 && *p == '\r');
        at = (size_t)(feed - text) + 1;
        ++*line;
        if (blank)
            break;
    }
    return at;
}

/* Reads a text that the reader refuses, from one damaged record to the next. */
static void read_on(struct check *c, struct check_profile *p, const uint8_t *data, size_t n)
{
    const char *text = (const char *)data, *nul = memchr(text, 0, n);
    size_t from = 0, end = nul ? (size_t)(nul - text) : n; /* LLVM reads up to a NUL */
    uint64_t line = 1;
    for (unsigned found = 0; found < MOST_ERRORS && c->code == APF_OK; found++) {
        struct apf_error error;
        int code = text_read_from(p->instr, data, n, from, line, p->options, &error);
        if (code == APF_OK)
            return;
        check_failure(c, &error);
        if (code == APF_LIMIT || error.offset >= end)
            return;
        line = error.line;
        from = next_record(text, end, (size_t)error.offset, &line);
    }
}

/* ---- header ---- */

static bool is_word(struct apf_str line, const char *word)
{
    bool same = line.n == strlen(word);
    for (size_t i = 0; same && i < line.n; i++) {
        char c = line.p[i];
        same = (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) == word[i];
    }
    return same;
}

/* Finds the offsets up to the traces, which writers write last. */
static void find_places(struct check_profile *p, const char *text, size_t n)
{
    struct lines l = {text, text + n, 1};
    uint64_t ir = NO_OFFSET, fe = NO_OFFSET;
    const char *next;
    for (skip_unseen(&l); l.p < l.end && *l.p == ':' && p->traces_at == NO_OFFSET; pass_line(&l, next)) {
        struct apf_str line = current_line(&l, &next);
        uint64_t at = (uint64_t)(l.p - text);
        if (is_word(line, ":ir") || is_word(line, ":csir"))
            ir = at;
        else if (is_word(line, ":fe"))
            fe = at;
        else if (is_word(line, ":temporal_prof_traces"))
            p->traces_at = at;
    }
    if (ir != NO_OFFSET && fe != NO_OFFSET)
        p->kind_at = ir > fe ? ir : fe;
}

struct apf_str text_trace_name(const uint8_t *data, size_t n, uint64_t id, uint64_t *at)
{
    const char *text = (const char *)data, *next;
    struct apf_str none = {NULL, 0};
    struct lines l = {text + *at, text + n, 1};
    for (skip_unseen(&l); l.p < l.end; pass_line(&l, next)) {
        struct apf_str line = current_line(&l, &next);
        while (line.n) {
            const char *comma = memchr(line.p, ',', line.n);
            struct apf_str name = {line.p, comma ? (size_t)(comma - line.p) : line.n};
            line.p += name.n + (comma != NULL);
            line.n -= name.n + (comma != NULL);
            name = trim(name);
            if (!name.n || md5_name_ref(name.p, name.n) != id)
                continue;
            *at = (uint64_t)(name.p - text);
            return name;
        }
    }
    return none;
}

void text_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n)
{
    p->records_lost = !p->whole;
    find_places(p, (const char *)data, n);
    if (!p->whole)
        read_on(c, p, data, n);
}
