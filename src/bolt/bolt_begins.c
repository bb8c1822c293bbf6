/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bolt_begins.h"

#include <string.h>

#include "bolt/fdata_line.h"
#include "bolt/preagg_read.h"

static bool line_is(const char *line, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(line, word, n) == 0;
}

static bool line_begins(const char *line, size_t n, const char *word)
{
    return n >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

bool fdata_begins(const uint8_t *data, size_t n)
{
    const char *p = (const char *)data, *end = n ? p + n : p;
    bool no_lbr = false;
    for (unsigned i = 0; i < 3 && p < end; i++) {
        struct apf_fdata_record record;
        struct fdata_fault fault;
        const char *feed = (const char *)memchr(p, '\n', (size_t)(end - p));
        if (!feed)
            return false;
        const char *last = feed > p && feed[-1] == '\r' ? feed - 1 : feed;
        const size_t length = (size_t)(last - p);
        if (line_is(p, length, "no_lbr") || line_begins(p, length, "no_lbr "))
            no_lbr = true;
        else if (!line_is(p, length, "boltedcollection"))
            return fdata_line_parse(&record, p, last, no_lbr, &fault);
        p = feed + 1;
    }
    return n != 0 && p == end; /* there are no records */
}

/* The bytes in which the first sample must be. */
#define PREAGG_HEAD ((size_t)4 << 10)

/* A read_sample. */
static int stop_at_sample(void *user, const struct branch_sample *sample, struct apf_error *error)
{
    (void)user;
    (void)sample;
    (void)error;
    return APF_END;
}

bool preagg_begins(const uint8_t *data, size_t n)
{
    struct text_set events = {.list = {.data = NULL}};
    struct apf_error error;
    uint64_t n_records = 0;
    const char *text = n ? (const char *)data : "";
    const int code = preagg_read(text, n < PREAGG_HEAD ? n : PREAGG_HEAD, &events, stop_at_sample, NULL,
                                 &n_records, &error);
    text_set_free(&events);
    return code == APF_END || (code == APF_BAD_SAMPLES && strcmp(error.where, PREAGG_CARRIAGE_RETURN) == 0);
}
