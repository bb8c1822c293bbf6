/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of pairs of addresses: branches, ranges of code. */
#ifndef OBJECT_PAIR_COUNTS_H
#define OBJECT_PAIR_COUNTS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "object/pair_table.h"

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
    VEC(struct pair_count) list; /* all pairs, once they are sorted */
    /* Before that, pairs without context of addresses from `base` to base + 2^32 - 1, such as those of one program, are
     * in `near`, by both addresses less `base`; the others are in the list. */
    struct pair_table near;
    struct hash_index index; /* of the list */
    uint64_t base;
    bool sorted;
};

/* Pairs that are added at a time, at most: the memory that all of them need is loaded at once. */
#define PAIR_COUNTS_BATCH PAIR_TABLE_BATCH

void pair_counts_free(struct pair_counts *c);
/* Adds the counts of n pairs. */
int pair_counts_add(struct pair_counts *c, const struct pair_count *more, size_t n, struct apf_error *error);
/* Whether there is a pair. */
static inline bool pair_counts_any(const struct pair_counts *c)
{
    return c->list.n || c->near.n;
}

/* Makes c->list of all pairs, by context, then by pair. More can be added afterwards, after which the list has to be
 * made again. */
int pair_counts_sort(struct pair_counts *c, struct apf_error *error);

#endif
