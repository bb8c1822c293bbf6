/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text profiles that the reader refuses. Writers end a record with an empty line: from there it is read on. */
#include <string.h>

#include "instr/check.h"

#define MOST_ERRORS 1000u

/* Behind the next empty line, or the end; counts the lines that are passed. */
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

/* Reads what the reader refuses, from one damaged record to the next. */
static void read_on(struct check *c, struct apf_instr *intact, const uint8_t *data, size_t n)
{
    const char *text = (const char *)data, *nul = memchr(text, 0, n);
    size_t from = 0, end = nul ? (size_t)(nul - text) : n; /* LLVM reads up to a NUL */
    uint64_t line = 1;
    for (unsigned found = 0; found < MOST_ERRORS && c->code == APF_OK; found++) {
        struct apf_error error;
        int code = text_read_from(intact, data, n, from, line, c->options, &error);
        if (code == APF_OK)
            return;
        check_failure(c, &error);
        if (code == APF_LIMIT || error.offset >= end)
            return;
        line = error.line;
        from = next_record(text, end, (size_t)error.offset, &line);
    }
}

void text_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n)
{
    p->records_lost = !p->whole;
    if (!p->whole)
        read_on(c, p->instr, data, n);
}
