/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Evaluates the counters of a mapping. */
#ifndef COV_EVALUATE_H
#define COV_EVALUATE_H

#include "base/endian.h"
#include "cov/mapping.h"

/* The counts of a function. */
struct counts {
    const uint8_t *bytes; /* 8 for each, at any address; NULL: all counts are 0 */
    size_t n;
    bool swap; /* they have the other byte order */
};
static inline uint64_t counts_at(const struct counts *c, size_t i)
{
    return load64(c->bytes + 8 * i, c->swap);
}

enum counters_verdict {
    COUNTERS_OK,
    COUNTERS_MISSING, /* a region has a counter that the function has not */
    COUNTERS_CYCLE    /* an expression depends on itself */
};

/* The sum of counts: at most the largest number, or modulo 2^64, as in LLVM. */
static inline uint64_t count_sum(uint64_t a, uint64_t b, bool saturates)
{
    return saturates && a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The sum of the counts of one place in two functions. `one_byte`: they only say whether something ran. */
static inline uint64_t count_add(uint64_t a, uint64_t b, bool one_byte, bool saturates)
{
    return one_byte ? a | b : count_sum(a, b, saturates);
}

/* Sets the counts of all regions. Each expression is evaluated once. Sums and differences saturate: threads that count
 * without atomic instructions lose counts, and then a part may have more of them than the whole. If `saturates` is
 * false, they are modulo 2^64, as in LLVM. False: an allocation failed. */
bool mapping_evaluate(struct mapping *m, const struct counts *counts, bool saturates,
                      enum counters_verdict *verdict);

/* Sets the counts of all regions to 0. */
void mapping_clear(struct mapping *m);

#endif
