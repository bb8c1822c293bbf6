/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of records, whatever file they come from.
 *
 * An entry is a (name, hash) with one structure: number of counters, bitmap bytes and sites. Records that differ in
 * structure are kept apart here and decided between when everything is in (resolve.h), so that no result depends on
 * what came first. Sums saturate, and saturated sums of unsigned numbers do not depend on order either.
 *
 * The table is divided by id; each part has a lock, so that several threads can add at a time. */
#ifndef INSTR_ACCUM_H
#define INSTR_ACCUM_H

#include <pthread.h>

#include "instr/profile.h"
#include "instr/value_list.h"

/* Uniform counters of GPU code. LLVM 23 adds them as long as both sides have them, and else falls back to ANDing
 * the bits it makes of them; both are kept, since which one holds is known at the end only. */
struct uniform_sum {
    uint64_t *counters; /* as many as there are counts */
    uint8_t *bits;      /* AND of all bit vectors there were; NULL: none yet */
    uint64_t adds;      /* additions that had uniform counters */
    uint32_t n_bits;    /* bytes */
    bool mixed;         /* vectors of different lengths: no bits */
};

struct sum {
    uint64_t id, hash;
    uint64_t *counts;
    uint8_t *bitmap;
    struct value_list *sites; /* of all kinds; NULL: no values yet */
    struct uniform_sum *uniform;
    uint64_t adds;   /* how many records were added */
    uint64_t weight; /* sum of their weights, saturating: which structure is in the majority */
    uint32_t n_counts, n_bitmap;
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t flags; /* APF_RECORD_* */
};

#define ACCUM_SHARDS 16u

struct accum_shard {
    pthread_mutex_t lock;
    struct arena arena;
    VEC(struct sum) sums;
    struct hash_index index;
};

struct accum {
    struct accum_shard shards[ACCUM_SHARDS];
};

struct accum *accum_new(void);
void accum_free(struct accum *a);

/* Adds every record of a profile, counts multiplied by weight. May be called from several threads. */
int accum_add_profile(struct accum *a, const struct record *records, size_t n, uint64_t weight,
                      struct apf_error *error);
/* Adds what another path has summed: `from` stands for from->adds records. Its arrays are taken over, not copied,
 * when there is no entry yet: they must live as long as the table and must not be changed any more. */
int accum_add_sum(struct accum *a, const struct sum *from, struct apf_error *error);

/* Adds `from` to `to`, both complete sums with equally many counters. A bitmap of another size and the values of a
 * kind with another number of sites are left out. New memory comes from the arena. */
int sum_add(struct sum *to, const struct sum *from, struct arena *arena, struct apf_error *error);
/* Bits that say which counts their uniform counters agree with: n_counts bits, in (n_counts + 7) / 8 bytes. */
void uniformity_bits(const uint64_t *counts, const uint64_t *uniform, uint32_t n_counts, uint8_t *bits);

static inline size_t sum_site_count(const struct sum *s)
{
    return (size_t)s->n_sites[0] + s->n_sites[1] + s->n_sites[2];
}

#endif
