/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of branches that jumped and of ranges of code that ran, from samples: equal samples become one with their
 * sum. */
#ifndef OBJECT_BRANCH_COUNTS_H
#define OBJECT_BRANCH_COUNTS_H

#include "base/hash_index.h"
#include "base/vec.h"

#define BRANCH_COUNT_MOST ((uint64_t)INT64_MAX) /* greater sums become this number, as in BOLT's profiles */

/* A branch, the range of code that ran after it, or both. */
struct branch_sample {
    uint64_t branch;   /* address of the branch */
    uint64_t from, to; /* the range: the target of the branch, and the next branch that jumped */
    uint64_t kind;     /* what the addresses mean, set by the reader: only samples of one kind are equal */
    uint64_t count, mispredictions;
};

struct branch_counts {
    VEC(struct branch_sample) list; /* different samples, in the order in which each came first */
    struct hash_index index;
    uint32_t *recent; /* a cache: the number of the sample that was added last with a quick_hash */
};

/* Makes room for `more` samples. APF_LIMIT: there would be too many different samples. */
int branch_counts_reserve(struct branch_counts *c, size_t more, struct apf_error *error);
/* Adds the counts of a sample. branch_counts_reserve made the room. */
void branch_counts_add(struct branch_counts *c, const struct branch_sample *sample);
/* Frees the index, which only adding needs; the list stays. */
void branch_counts_finish(struct branch_counts *c);
void branch_counts_free(struct branch_counts *c);

/* a + b, at most `most`; neither a nor b is above `most`. */
static inline uint64_t add_up_to(uint64_t most, uint64_t a, uint64_t b)
{
    return a > most - b ? most : a + b;
}

#endif
