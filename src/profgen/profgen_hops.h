/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hops of branch stacks that come again and again: a small table counts them before they are looked up and added
 * to all others, so that the bulk of a recording needs neither. */
#ifndef PROFGEN_PROFGEN_HOPS_H
#define PROFGEN_PROFGEN_HOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* The number of hops in the table: 32 bytes each, which the second cache of a processor holds. */
#define PROFGEN_HOPS ((size_t)16384)

/* From the target of a branch to the next branch, and to its target. A place that is free has the hop between two
 * addresses where no instruction can begin, with a count of 0. */
struct profgen_hop {
    uint64_t start, from, to;
    uint32_t count;
    uint8_t inside; /* what the owner knows of the hop; 0: nothing in it is in the program */
};

/* All zero = empty. */
struct profgen_hops {
    struct profgen_hop *table;
    uint64_t n, n_met; /* hops of the present phase, and those of them that were not in the table */
    bool unused;       /* the phase is one without the table */
};

bool profgen_hops_open(struct profgen_hops *s);
void profgen_hops_free(struct profgen_hops *s);
/* Whether the table is worth looking at for the next n hops: it is not for a while after most hops were not in it. */
bool profgen_hops_begin(struct profgen_hops *s, size_t n);

static inline bool profgen_hop_is(const struct profgen_hop *hop, uint64_t start, uint64_t from, uint64_t to)
{
    return ((hop->start ^ start) | (hop->from ^ from) | (hop->to ^ to)) == 0;
}

/* The place of a hop, one of two, of which the first has what was met more often. If the hop is at neither, what is at
 * the second one has to leave. The hash is not keyed: hops that share a place cost no more than hops that never come
 * again. */
static inline struct profgen_hop *profgen_hops_at(const struct profgen_hops *s, uint64_t start, uint64_t from,
                                                  uint64_t to)
{
    const uint64_t hash = (from ^ (start << 24 | start >> 40) ^ to << 44) * 0x9E3779B97F4A7C15u;
    struct profgen_hop *pair = s->table + (hash >> 40) % (PROFGEN_HOPS / 2) * 2;
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
