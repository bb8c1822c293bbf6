/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of a recording: read in order, and, if the input is a file or memory and not packed, also at any place. */
#ifndef PERF_PERF_SOURCE_H
#define PERF_PERF_SOURCE_H

#include "base/file_stream.h"
#include "base/vec.h"

struct perf_source {
    bool seekable;
    uint64_t at;         /* offset of the next byte */
    uint64_t size;       /* seekable: bytes of the input; else UINT64_MAX */
    int fd;              /* seekable: -1: the input is in memory */
    const uint8_t *data; /* that memory */
    struct file_stream stream;
    /* Not seekable: bytes that were read and are kept, because tables are there. */
    uint8_t *held;
    uint64_t held_at;
    size_t n_held;
};

/* Bytes of a table, at most. */
#define PERF_LARGEST_TABLE ((uint64_t)64 << 20)

/* perf_source_close must follow, also after a failure. */
int perf_source_open(struct perf_source *s, const struct apf_input *input, uint64_t max_bytes,
                     struct apf_error *error);
void perf_source_close(struct perf_source *s);
/* Reads up to n bytes, n not 0; *got is less at the end only. */
int perf_source_read(struct perf_source *s, uint8_t *to, size_t n, size_t *got, struct apf_error *error);
/* Goes on at an offset, which must not be before the present one unless the source is seekable. *reached: the input
 * goes so far. */
int perf_source_go(struct perf_source *s, uint64_t offset, bool *reached, struct apf_error *error);
/* Not seekable: keeps the next bytes up to an offset, or to the end, for perf_source_table; those that were kept before
 * are dropped. */
int perf_source_hold(struct perf_source *s, uint64_t end, struct apf_error *error);
/* The offset after the last byte that perf_source_table can find. */
static inline uint64_t perf_source_end(const struct perf_source *s)
{
    return s->seekable ? s->size : s->held_at + s->n_held;
}
/* Copies n bytes at an offset to an arena; for a source that is not seekable they must be held. *p is NULL if they are
 * not in the input, or more than PERF_LARGEST_TABLE. */
int perf_source_table(const struct perf_source *s, uint64_t offset, uint64_t n, struct arena *arena,
                      const uint8_t **p, struct apf_error *error);

#endif
