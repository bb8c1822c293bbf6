/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines of a text profile and their values; for text_read.c and text_check.c. */
#ifndef INSTR_TEXT_LINES_H
#define INSTR_TEXT_LINES_H

#include <anyprof/error.h>

#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "base/number.h"

/* The current line is never an empty line or a comment: these are skipped everywhere, also inside a record. */
struct lines {
    const char *p;   /* the current line; == end: no line */
    const char *end; /* of the file, or the first NUL, where LLVM stops reading */
    uint64_t number; /* of the current line, from 1 */
};

static inline void skip_unseen(struct lines *l)
{
    while (l->p < l->end) {
        const char *p = l->p;
        if (*p == '#') {
            p = (const char *)memchr(p, '\n', (size_t)(l->end - p));
            if (!p) /* the last line */
                p = l->end - 1;
        } else if (*p == '\r' && l->end - p > 1 && p[1] == '\n') {
            p++;
        } else if (*p != '\n') {
            return;
        }
        l->number += *p == '\n';
        l->p = p + 1;
    }
}

/* The current line without its line feed; *next is the start of the next line. */
static inline struct apf_str current_line(const struct lines *l, const char **next)
{
    size_t left = (size_t)(l->end - l->p);
    const char *feed = left ? (const char *)memchr(l->p, '\n', left) : NULL;
    struct apf_str line = {l->p, feed ? (size_t)(feed - l->p) : left};
    *next = feed ? feed + 1 : l->end;
    if (feed && line.n && feed[-1] == '\r')
        line.n--;
    return line;
}

static inline void pass_line(struct lines *l, const char *next)
{
    l->number += next[-1] == '\n'; /* the last line may have no line feed */
    l->p = next;
    skip_unseen(l);
}

/* An upper bound of the lines that follow: a line has a character and a line feed, which the last one may lack. */
static inline uint64_t most_lines(const struct lines *l)
{
    return ((uint64_t)(l->end - l->p) + 1) / 2;
}

/* Reads the current line as a decimal number and moves to the next line. False: no number, or no line. */
static inline bool read_decimal(struct lines *l, uint64_t max, uint64_t *out)
{
    const char *p = l->p, *next;
    const char *stop = l->end - p > 19 ? p + 19 : l->end; /* 19 digits cannot overflow */
    uint64_t v = 0;
    for (; p < stop && *p >= '0' && *p <= '9'; p++)
        v = 10 * v + (uint64_t)(*p - '0');
    if (LIKELY(p > l->p && p < l->end && *p == '\n')) {
        next = p + 1;
    } else {
        struct apf_str line = current_line(l, &next);
        if (!number_decimal(line.p, line.n, &v))
            return false;
    }
    if (v > max)
        return false;
    *out = v;
    pass_line(l, next);
    return true;
}

/* read_decimal with LLVM's base 0. */
static inline bool read_auto(struct lines *l, uint64_t max, uint64_t *out)
{
    const char *next;
    struct apf_str line = current_line(l, &next);
    if (!number_auto(line.p, line.n, out) || *out > max)
        return false;
    pass_line(l, next);
    return true;
}

static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline struct apf_str trim(struct apf_str s)
{
    for (; s.n && is_space(s.p[0]); s.n--)
        s.p++;
    while (s.n && is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

#endif
