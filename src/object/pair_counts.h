/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of pairs of addresses: branches, ranges of code. */
#ifndef OBJECT_PAIR_COUNTS_H
#define OBJECT_PAIR_COUNTS_H

#include "base/hash_index.h"
#include "base/vec.h"

struct address_pair {
    uint64_t a, b;
    uint32_t context; /* what the pair belongs to, a number of the caller's; 0: nothing in particular */
};

struct pair_count {
    struct address_pair pair;
    uint64_t count; /* saturates at 2^64 - 1 */
};

/* All zero = empty. */
struct pair_counts {
    VEC(struct pair_count) list; /* in the order in which each came first, or sorted */
    struct hash_index index;
};

/* Pairs that are added at a time, at most: the memory that all of them need is loaded at once. */
#define PAIR_COUNTS_BATCH 32u

void pair_counts_free(struct pair_counts *c);
/* Adds the counts of n pairs. */
int pair_counts_add(struct pair_counts *c, const struct pair_count *more, size_t n, struct apf_error *error);
/* Sorts by context, then by pair. Nothing can be added afterwards. */
int pair_counts_sort(struct pair_counts *c, struct apf_error *error);

#endif
