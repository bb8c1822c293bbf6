/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of a profile by name and hash, each pair once: those that come repeatedly, as in a raw file of several
 * profiles, are joined as llvm-profdata's merge joins the records of one input. */
#ifndef INSTR_RECORD_TABLE_H
#define INSTR_RECORD_TABLE_H

#include "instr/profile.h"

struct record_table {
    const struct record **records; /* in the order of the profile, by which of a pair came first */
    size_t n;
    struct record **joined;  /* those that were joined, by number, if there are any */
    struct hash_index index; /* of pairs, and of names: see record_table.c */
    struct arena arena;
    uint64_t left_out;  /* how often records of a pair could not be joined, or not in all */
    uint64_t saturated; /* how often a sum was cut at the largest one there is */
};

/* All records (cs < 0), or those with or without the bit for context-sensitive ones in their hash. */
int record_table_make(struct record_table *t, const struct apf_instr *instr, int cs, struct apf_error *error);
void record_table_free(struct record_table *t);
/* The number of a record, or HASH_INDEX_NONE. */
uint32_t record_table_find(const struct record_table *t, uint64_t id, uint64_t hash);
/* The first one of a name, or HASH_INDEX_NONE. */
uint32_t record_table_find_name(const struct record_table *t, uint64_t id);
/* To be called some time before record_table_find. */
static inline void record_table_fetch(const struct record_table *t, uint64_t id, uint64_t hash)
{
    if (t->n)
        hash_index_fetch(&t->index, hash_index_mix(&t->index, id, hash));
}

/* Sorts values by value; of equal ones, those with higher counts come first if that is wanted, else all stay in order.
 * `scratch` has room for as many. */
void record_sort_values(struct apf_value *values, struct apf_value *scratch, size_t n, bool by_count);
/* The sum of all counts, which wraps as LLVM's does. */
static inline uint64_t record_sum(const struct record *r)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->n_counts; i++)
        sum += r->counts[i];
    return sum;
}

#endif
