/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text of any length, line by line, from a file, standard input, a pipe or memory, packed or not. It needs no more
 * memory than the longest line may take. */
#ifndef BASE_FILE_LINES_H
#define BASE_FILE_LINES_H

#include "base/file.h"

#define FILE_LINES_LONGEST ((size_t)1 << 20) /* bytes of a line, with its line feed */

struct file_lines {
    const char *line; /* the present one, valid until the next one; line[n] is its line feed */
    size_t n;
    uint64_t number;     /* from 1 */
    uint64_t offset;     /* of its first byte, in what a packed file unpacks to */
    const char *p, *end; /* what is there, and was not given yet */
    uint64_t total, max_bytes;
    uint8_t *text, *packed;             /* FILE_LINES_LONGEST each; NULL: there is none */
    const uint8_t *source, *source_end; /* packed bytes that were not unpacked yet */
    struct decompressor *decompressor;
    int fd; /* -1: none, or all of it was read */
    bool close_fd;
};

/* What was opened must be closed, also after a failure. */
int file_lines_open(struct file_lines *l, const struct apf_input *input, uint64_t max_bytes,
                    struct apf_error *error);
/* The next line: APF_OK, or APF_END behind the last one. APF_BAD_SAMPLES where that has no line feed: the text may have
 * been cut off. APF_LIMIT: a line is too long. APF_TOO_LARGE: there is more than max_bytes. */
int file_lines_next(struct file_lines *l, struct apf_error *error);
void file_lines_close(struct file_lines *l);
/* An error at a byte of the present line. */
int file_lines_wrong(const struct file_lines *l, const char *p, int code, const char *where,
                     const char *detail, struct apf_error *error);

#endif
