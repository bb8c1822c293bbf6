/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of lines: of each the largest one of its instructions. */
#ifndef PROFGEN_PROFGEN_LINE_COUNTS_H
#define PROFGEN_PROFGEN_LINE_COUNTS_H

#include "base/hash_index.h"
#include "base/vec.h"

struct line_count {
    uint64_t at, count;
    uint32_t of; /* a number of the caller's: whose line it is */
};

/* All zero = empty. */
struct line_counts {
    VEC(struct line_count) list;
    struct hash_index index;
};

void line_counts_free(struct line_counts *c);
/* Raises the count of a line to `count`, if it is smaller. */
int line_counts_raise(struct line_counts *c, uint32_t of, uint64_t at, uint64_t count,
                      struct apf_error *error);

#endif
