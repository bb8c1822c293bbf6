/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of the records of all files.
 *
 * An entry is a (name, hash) with one structure: number of counters, bitmap bytes and sites, and how the bitmap is
 * numbered. Records that differ in
 * structure are kept apart, and sum_resolve.h decides between them when all are in, so that no result depends on order.
 * Sums saturate, and saturated sums of unsigned numbers do not depend on order either.
 *
 * The table is divided by id; each part has a lock, so that several threads can add at a time. */
#ifndef INSTR_SUM_TABLE_H
#define INSTR_SUM_TABLE_H

#include <pthread.h>

#include <anyprof/merge.h>

#include "inputs/inputs.h"
#include "instr/model/profile.h"
#include "instr/model/value_list.h"

/* Uniform counters of GPU code. LLVM 23 adds them as long as both sides have them, and else ANDs the bits made of them;
 * both are kept, since the choice is known only at the end. */
struct uniform_sum {
    uint64_t *counters; /* one for each count */
    uint8_t *bits;      /* AND of all bit vectors; NULL: none yet */
    uint64_t adds;      /* additions that had uniform counters */
    uint32_t n_bits;    /* bytes */
    bool mixed;         /* vectors of different lengths: no bits */
};

struct sum {
    uint64_t id, hash;
    uint64_t *counts;
    uint8_t *bitmap;
    const struct apf_site *first; /* values of the only addition so far, in their order; else NULL */
    struct value_list *sites;     /* of all kinds; NULL: no values, or they are in `first` */
    struct uniform_sum *uniform;
    uint64_t adds;   /* number of added records */
    uint64_t weight; /* sum of their votes, saturating: decides which structure has the majority */
    uint32_t n_counts, n_bitmap;
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t flags;  /* APF_RECORD_* */
    uint32_t symbol; /* number of its name in the merge's symbols, or HASH_INDEX_NONE: not looked up yet */
    uint32_t place;  /* with rank: where the record was first seen */
    uint64_t rank;
    uint64_t input; /* the first input that has it (input_member), or INPUT_NONE */
};

/* The flags that keep records of one (name, hash) apart. */
#define SUM_FLAGS (APF_RECORD_PSEUDO | BITMAP_FLAGS)

/* What keeps records of one (name, hash) apart. */
struct sum_structure {
    uint32_t n_counts, n_bitmap;
    const uint32_t *n_sites; /* APF_VALUE_KINDS numbers */
    uint32_t flags;          /* of these only SUM_FLAGS count */
};

/* The hash of an (id, hash) with one structure, for an index of such. */
uint64_t structure_hash(const struct hash_index *index, uint64_t id, uint64_t hash,
                        const struct sum_structure *of);

/* The digest of an (id, hash) with one structure, for rosters. It is part of the format of partial profiles. */
uint64_t structure_digest(uint64_t id, uint64_t hash, const struct sum_structure *of);

#define SUM_SHARDS 16u

/* Sums keep their addresses: a table that moves whenever it grows touches three times the memory. */
#define SUM_BLOCK 128u

struct sum_shard {
    pthread_mutex_t lock;
    struct arena arena;
    VEC(struct sum *) blocks; /* of SUM_BLOCK sums each */
    size_t n_sums;
    struct hash_index index;
};

struct sum_table {
    struct sum_shard shards[SUM_SHARDS];
};

struct sum_table *sum_table_new(void);
void sum_table_free(struct sum_table *a);

/* The arguments of sum_table_add. */
struct sum_table_input {
    const struct record *records;
    size_t n;
    uint64_t weight;         /* multiplies the counts */
    uint64_t input;          /* input_member of it, or INPUT_NONE */
    uint64_t votes;          /* for its structures, where those of other inputs differ */
    const uint32_t *symbols; /* maps the records' numbers of names to those of the merge; NULL: equal */
    /* NULL, or the arena of the records, which lives as long as the table: the table may adopt their arrays, and
     * allocates new sums in it. The weight must be 1 then. */
    struct arena *keeper;
    struct pulse *pulse; /* NULL, or what may end the addition half-way */
};

/* Adds every record of a profile. May be called from several threads. */
int sum_table_add(struct sum_table *a, const struct sum_table_input *in, struct apf_error *error);

/* Adds copies of sums, of each structure one. May be called from several threads. */
int sum_table_join(struct sum_table *a, const struct sum *sums, size_t n, struct apf_error *error);

/* A sum of nothing with the structure of `like`, in the arena; NULL: an allocation failed. */
struct sum *sum_empty(const struct sum *like, struct arena *arena);
/* Adds `from` to `to`, both complete sums with equally many counters. Leaves out a bitmap of another size, and the
 * values of a kind with another number of sites. Allocates in the arena. */
int sum_add(struct sum *to, const struct sum *from, struct arena *arena, struct apf_error *error);
/* Bits that say which counts their uniform counters agree with: n_counts bits, in (n_counts + 7) / 8 bytes. */
void uniformity_bits(const uint64_t *counts, const uint64_t *uniform, uint32_t n_counts, uint8_t *bits);

static inline struct first_seen sum_seen(const struct sum *s)
{
    struct first_seen seen = {s->rank, s->place};
    return seen;
}

/* Records another input that has the sum. */
static inline void sum_record_input(struct sum *s, uint64_t input)
{
    if (input < s->input)
        s->input = input;
}

/* Records another place where the sum was seen. */
static inline void sum_record_seen(struct sum *s, struct first_seen seen)
{
    struct first_seen first = sum_seen(s);
    first_seen_min(&first, seen);
    s->rank = first.rank;
    s->place = first.place;
}

/* The values of a site in either form. */
static inline struct apf_site sum_site(const struct sum *s, size_t i)
{
    struct apf_site site = {NULL, 0};
    if (s->first)
        return s->first[i];
    if (s->sites) {
        site.values = s->sites[i].values;
        site.n = s->sites[i].n;
    }
    return site;
}

/* Below, equal to or above 0: the order by id, hash and structure. */
int sum_compare(const struct sum *a, const struct sum *b);

static inline size_t sum_site_count(const struct sum *s)
{
    return (size_t)s->n_sites[0] + s->n_sites[1] + s->n_sites[2];
}

#endif
