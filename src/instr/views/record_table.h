/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table of the records of a profile by name and hash. Records with the same pair, as in a raw file of several
 * profiles, are joined as llvm-profdata's merge joins the records of one input. */
#ifndef INSTR_RECORD_TABLE_H
#define INSTR_RECORD_TABLE_H

#include "instr/model/profile.h"

struct record_table {
    const struct record **records; /* in the order in which their pairs first came in the profile */
    size_t n;
    struct record **joined; /* records[i] if it was joined from several, else NULL; NULL if none was joined */
    struct hash_index index; /* of pairs, and of names: see record_table.c */
    struct arena arena;
    uint64_t left_out;  /* number of records that could not be joined, or not in all members */
    uint64_t saturated; /* number of sums that were cut at the largest count */
};

/* Makes a table of the records of a level, see record_is_of. */
int record_table_make(struct record_table *t, const struct apf_instr *instr, int cs, struct apf_error *error);
void record_table_free(struct record_table *t);
/* The number of a record, or HASH_INDEX_NONE. */
uint32_t record_table_find(const struct record_table *t, uint64_t id, uint64_t hash);
/* The number of the first record with a name, or HASH_INDEX_NONE. */
uint32_t record_table_find_name(const struct record_table *t, uint64_t id);
/* Prefetches memory for a record_table_find some time later. */
static inline void record_table_fetch(const struct record_table *t, uint64_t id, uint64_t hash)
{
    if (t->n)
        hash_index_fetch(&t->index, hash_index_mix(&t->index, id, hash));
}

/* Sorts values by value, and equal values from the highest count down if `by_count` is set; else they keep their order.
 * `scratch` has room for n values. */
void record_sort_values(struct apf_value *values, struct apf_value *scratch, size_t n, bool by_count);
/* The sum of all counts, which wraps like LLVM's sum. */
static inline uint64_t record_sum(const struct record *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n_counts; i++)
        sum += r->counts[i];
    return sum;
}

#endif
