/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MC/DC: which combinations of its conditions a decision had, and which conditions decided it by themselves. */
#ifndef COV_MCDC_H
#define COV_MCDC_H

#include "base/arena.h"
#include "cov/mapping.h"

/* A combination of conditions that was executed; a bit for each position. */
struct test_vector {
    uint64_t index; /* by which those with one result are sorted */
    bool result;
    const uint64_t *known; /* the condition was evaluated ... */
    const uint64_t *value; /* ... and was true */
};
static inline bool vector_bit(const uint64_t *bits, uint32_t position)
{
    return bits[position / 64] >> position % 64 & 1;
}

/* A decision with its conditions in their positions: the one with the id 0 first, the others in record order. */
struct decision {
    const struct region *region;
    uint32_t n_conditions;
    const struct region **conditions;
    bool *folded; /* a constant */
    /* for each position the vectors that show it decides, from 1, false first; 0: none do */
    uint32_t (*pairs)[2];
    struct test_vector *vectors; /* false ones first */
    uint32_t n_vectors, n_false;
};

struct decisions {
    VEC(struct decision) list; /* those that got all of their conditions, in the order in which they did */
    struct arena arena;
    /* conditions without a decision, or that contradict each other: LLVM's behaviour is undefined */
    bool wrong;
    uint64_t words_left, compared_left; /* of the work that a function may make */
};

/* How bits of the bitmap are numbered. */
enum mcdc_numbering {
    MCDC_NONE,   /* the profile has no bitmaps */
    MCDC_SPARSE, /* LLVM 18: a bit for each combination of conditions */
    MCDC_DENSE   /* LLVM 19 and later: a bit for each path */
};

/* Finds the decisions of a mapping. `bitmap` has n bytes. What `d` had is dropped. False: an allocation failed. */
bool mcdc_find(struct decisions *d, const struct mapping *m, const uint8_t *bitmap, size_t n,
               enum mcdc_numbering numbering);
void mcdc_free(struct decisions *d);
/* How many conditions of a decision count, and how many of them are covered. */
void mcdc_count(const struct decision *d, uint32_t *n, uint32_t *covered);

#endif
