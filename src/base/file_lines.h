/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text of any length, line by line, from a file, standard input, a pipe or memory, packed or not. Memory is bounded by
 * the longest allowed line. */
#ifndef BASE_FILE_LINES_H
#define BASE_FILE_LINES_H

#include "base/file_stream.h"

#define FILE_LINES_LONGEST ((size_t)1 << 20) /* bytes of a line, with its line feed */

struct file_lines {
    const char *line; /* the present line, valid until the next one; line[n] is its line feed */
    size_t n;
    uint64_t number;     /* from 1 */
    uint64_t offset;     /* of the line's first byte, in the unpacked text */
    const char *p, *end; /* text that was read and not returned yet */
    uint8_t *text;       /* FILE_LINES_LONGEST bytes; NULL: the lines are in the caller's memory */
    struct file_stream stream;
};

/* file_lines_close must follow, also after a failure. */
int file_lines_open(struct file_lines *l, const struct apf_input *input, uint64_t max_bytes,
                    struct apf_error *error);
/* Reads the next line: APF_OK, or APF_END after the last one. APF_BAD_SAMPLES: the last line has no line feed, so the
 * text may have been cut off. APF_LIMIT: a line is too long, or the text exceeds max_bytes. */
int file_lines_next(struct file_lines *l, struct apf_error *error);
void file_lines_close(struct file_lines *l);
/* Reports an error at a byte of the present line. */
int file_lines_wrong(const struct file_lines *l, const char *p, int code, const char *where,
                     const char *detail, struct apf_error *error);

#endif
