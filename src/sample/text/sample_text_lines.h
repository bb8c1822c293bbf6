/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines of a text profile. */
#ifndef SAMPLE_TEXT_LINES_H
#define SAMPLE_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sample/text/sample_text_line.h"

struct sample_text_lines {
    const char *base, *end;   /* of the text; LLVM ends it at the first NUL */
    const char *p, *line_end; /* the current line, without its line feed */
    const char *next;         /* the line after it */
    uint64_t number;          /* of the current line, from 1 */
};

static inline struct sample_text_lines sample_text_lines_make(const uint8_t *data, size_t n)
{
    const char *base = n ? (const char *)data : "";
    const char *nul = n ? (const char *)memchr(base, 0, n) : NULL;
    struct sample_text_lines lines = {base, nul ? nul : base + n, base, base, base, 0};
    return lines;
}

/* Moves to the next line that is neither empty nor a comment. False: there is none. */
static inline bool sample_text_next_line(struct sample_text_lines *l)
{
    for (const char *p = l->next; p < l->end; p = l->next) {
        const char *feed = (const char *)memchr(p, '\n', (size_t)(l->end - p));
        const char *line_end = feed ? feed : l->end;
        if (feed && feed > p && feed[-1] == '\r')
            line_end--;
        l->number++;
        l->next = feed ? feed + 1 : l->end;
        if (line_end > p && *p != '#') {
            l->p = p;
            l->line_end = line_end;
            return true;
        }
    }
    return false;
}

/* Whether the next line is the header of a function. */
static inline bool sample_text_has_header(struct sample_text_lines lines)
{
    struct sample_text_line line;
    return sample_text_next_line(&lines) && sample_text_header(&line, lines.p, lines.line_end);
}

#endif
