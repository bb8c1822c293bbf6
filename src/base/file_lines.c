/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int file_lines_open(struct file_lines *l, const struct apf_input *input, uint64_t max_bytes,
                    struct apf_error *error)
{
    size_t n = 0;
    *l = (struct file_lines){.line = NULL};
    int code = file_stream_open(&l->stream, input, max_bytes, error);
    if (code != APF_OK)
        return code;
    l->p = (const char *)file_stream_take(&l->stream, &n);
    if (!l->p && !(l->p = (const char *)(l->text = malloc(FILE_LINES_LONGEST))))
        return error_memory(error);
    l->end = l->p + n;
    return APF_OK;
}

void file_lines_close(struct file_lines *l)
{
    file_stream_close(&l->stream);
    free(l->text);
    l->text = NULL;
}

/* Reads more text after the rest of the buffer; *got is 0 only at the end of the text. */
static int refill(struct file_lines *l, size_t *got, struct apf_error *error)
{
    size_t left = (size_t)(l->end - l->p);
    *got = 0;
    if (!l->text)
        return APF_OK;
    if (left)
        memmove(l->text, l->p, left);
    l->p = (const char *)l->text;
    l->end = l->p + left;
    int code = file_stream_read(&l->stream, l->text + left, FILE_LINES_LONGEST - left, got, error);
    l->end += *got;
    return code;
}

/* ---- lines ---- */

int file_lines_wrong(const struct file_lines *l, const char *p, int code, const char *where,
                     const char *detail, struct apf_error *error)
{
    uint64_t column = (uint64_t)(p - l->line) + 1;
    error_set_column(error, code, where, l->offset + column - 1,
                     l->number < UINT32_MAX ? (uint32_t)l->number : UINT32_MAX, (uint32_t)column, detail);
    return code;
}

/* The result at the end of the text, or of the room for a line. */
static int no_line_feed(struct file_lines *l, struct apf_error *error)
{
    l->n = (size_t)(l->end - l->p);
    if (l->n == 0)
        return APF_END;
    if (l->n == FILE_LINES_LONGEST)
        return file_lines_wrong(l, l->line, APF_LIMIT, "text.line", "a line has more than 1048575 bytes",
                                error);
    return file_lines_wrong(l, l->end, APF_BAD_SAMPLES, "text.line",
                            "the last line has no end: the text may have been cut off", error);
}

int file_lines_next(struct file_lines *l, struct apf_error *error)
{
    size_t searched = 0;
    l->offset += l->line ? l->n + 1 : 0;
    l->number++;
    for (;;) {
        size_t there = (size_t)(l->end - l->p), got = 0;
        const char *feed = there > searched ? memchr(l->p + searched, '\n', there - searched) : NULL;
        l->line = l->p;
        if (feed) {
            l->n = (size_t)(feed - l->p);
            l->p = feed + 1;
            return APF_OK;
        }
        searched = there;
        int code = there < FILE_LINES_LONGEST ? refill(l, &got, error) : APF_OK;
        l->line = l->p;
        if (code != APF_OK)
            return code;
        if (there == FILE_LINES_LONGEST || got == 0)
            return no_line_feed(l, error);
    }
}
