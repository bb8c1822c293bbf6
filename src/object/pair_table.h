/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of numbers other than 0, in a table of as few cache lines as possible: a number and its count lie in one
 * place, which is found without any other. */
#ifndef OBJECT_PAIR_TABLE_H
#define OBJECT_PAIR_TABLE_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/sort.h"

/* All zero = empty. */
struct pair_table {
    struct sort_key *slots; /* numbers and their counts, at the place of their hash or after it; 0 = free */
    void *block;            /* the allocation that holds the slots */
    size_t mask;            /* number of slots - 1; at most half of them are taken */
    size_t n;
    size_t refused; /* number of entries that pair_table_reserve last refused as too many; 0 = none */
    uint64_t key;
};

/* Numbers that are added at a time, at most: the memory that all of them need is loaded at once. */
#define PAIR_TABLE_BATCH 32u

void pair_table_free(struct pair_table *t);
/* Makes room for `more` numbers; hash_refused_error(t->refused) says why it returned false. */
bool pair_table_reserve(struct pair_table *t, size_t more) MUST_USE;
/* Adds n <= PAIR_TABLE_BATCH counts, for which there is room. Sums stay at 2^64 - 1. */
void pair_table_add(struct pair_table *t, const struct sort_key *more, size_t n);
/* Sorts t->slots[0 .. t->n) by number. Nothing can be added afterwards. */
void pair_table_sort(struct pair_table *t);

#endif
