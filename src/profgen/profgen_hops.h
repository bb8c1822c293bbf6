/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A cache of hops: from the target of a branch to the next branch, and to its target. Most branches of a recording are
 * in few hops. These are counted here, and looked up in the code and added to all pairs only when they leave the
 * cache. */
#ifndef PROFGEN_PROFGEN_HOPS_H
#define PROFGEN_PROFGEN_HOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/quick_hash.h"

/* The number of hops in the cache: 512 KiB, which the second-level cache of a processor holds. */
#define PROFGEN_HOPS ((size_t)16384)

/* A free place has the hop between two addresses where no instruction can begin, with a count of 0. */
struct profgen_hop {
    uint64_t start, from, to;
    uint32_t count;
    uint8_t inside; /* flags of the owner: which of its addresses are in the program */
};

/* All zero = empty. */
struct profgen_hops {
    struct profgen_hop *table;
    uint64_t n, n_missed; /* hops of the present phase, and those of them that were not in the cache */
    bool off;             /* the phase is one without the cache */
};

bool profgen_hops_open(struct profgen_hops *s);
void profgen_hops_free(struct profgen_hops *s);
/* Counts n hops that were passed, and decides whether further ones go through the cache. They do not for a while after
 * most hops were missing from it. */
void profgen_hops_count(struct profgen_hops *s, size_t n);

static inline bool profgen_hop_is(const struct profgen_hop *hop, uint64_t start, uint64_t from, uint64_t to)
{
    return ((hop->start ^ start) | (hop->from ^ from) | (hop->to ^ to)) == 0;
}

/* The place of a hop, one of two, of which the first has what was met more often. If the hop is at neither, what is at
 * the second one has to leave. */
static inline struct profgen_hop *profgen_hops_at(struct profgen_hop *table, uint64_t start, uint64_t from,
                                                  uint64_t to)
{
    struct profgen_hop *pair = table + quick_hash(from, start, to) % (PROFGEN_HOPS / 2) * 2;
    if (LIKELY(profgen_hop_is(pair, start, from, to)))
        return pair;
    if (pair[1].count <= pair->count)
        return pair + 1;
    const struct profgen_hop hop = pair[1];
    pair[1] = *pair;
    *pair = hop;
    return profgen_hop_is(pair, start, from, to) ? pair : pair + 1;
}

#endif
