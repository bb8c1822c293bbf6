/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes an output in pieces that several threads make at once, such as one for each source file. */
#ifndef COV_OUTPUT_PIECES_H
#define COV_OUTPUT_PIECES_H

#include "base/file.h"

struct pieces {
    size_t n;
    uint32_t threads; /* 0: one for each processor */
    /* Writes a piece. Several threads call this at once, each with a `thread` of its own below pieces_threads. */
    int (*write)(void *context, size_t piece, unsigned thread, struct file_out *out, struct apf_error *error);
    void *context;
};

/* The number of threads that pieces_write uses. */
unsigned pieces_threads(const struct pieces *p);
/* Writes all pieces, in order. A piece waits for those before it in a buffer, and when that is full, its thread waits;
 * the first piece that is not complete is written at once. So memory does not grow with the output. Returns the code of
 * the first piece that failed; a failure of `out` is sticky, as always, and ends the work. */
int pieces_write(const struct pieces *p, struct file_out *out, struct apf_error *error);

#endif
