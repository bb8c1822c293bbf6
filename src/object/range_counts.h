/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often each item of a sequence is covered by counted ranges of items. Adding a range costs as much as its two
 * ends, whatever lies between them. */
#ifndef OBJECT_RANGE_COUNTS_H
#define OBJECT_RANGE_COUNTS_H

#include <stdbool.h>

#include "base/arena.h"

struct range_change; /* modulo 2^128 */

struct range_counts {
    struct range_change *changes; /* changes of the count from item to item; after settling the counts */
    size_t n;
};

/* Opens a sequence of n items; the counts are in the arena. False: allocation failed. */
bool range_counts_open(struct range_counts *r, struct arena *arena, size_t n) MUST_USE;
/* Counts the items [first, end); an empty range counts none. */
void range_counts_add(struct range_counts *r, size_t first, size_t end, uint64_t count);
/* Computes the counts after all ranges were added. Counts above `most` become `most`. */
void range_counts_settle(struct range_counts *r, uint64_t most);
uint64_t range_counts_at(const struct range_counts *r, size_t item);

#endif
