/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes of an input of any length, piece by piece: from a file, standard input, a pipe or memory, packed or not. Memory
 * does not grow with the input. */
#ifndef BASE_FILE_STREAM_H
#define BASE_FILE_STREAM_H

#include "base/file.h"

struct file_stream {
    uint64_t total, max_bytes;          /* unpacked bytes so far, and the most there may be */
    const uint8_t *source, *source_end; /* bytes of the input that are still to be unpacked or returned */
    uint8_t *buffer;                    /* where `source` is; NULL: the input is in memory */
    struct decompressor *decompressor;  /* NULL: the input is not packed */
    int fd;                             /* -1: no file, or it was read to its end */
    bool close_fd;
};

/* file_stream_close must follow, also after a failure. */
int file_stream_open(struct file_stream *s, const struct apf_input *input, uint64_t max_bytes,
                     struct apf_error *error);
/* Reads up to n bytes, n not 0; *got is 0 only at the end. APF_LIMIT: the input exceeds max_bytes. */
int file_stream_read(struct file_stream *s, uint8_t *to, size_t n, size_t *got, struct apf_error *error);
/* What is left of an input in memory that is not packed, without copying it: nothing is left then. NULL: the input is
 * of another kind. */
const uint8_t *file_stream_take(struct file_stream *s, size_t *n);
void file_stream_close(struct file_stream *s);

#endif
