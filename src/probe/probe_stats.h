/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the entries of both sections, and their bytes. */
#ifndef PROBE_PROBE_STATS_H
#define PROBE_PROBE_STATS_H

#include "base/arena.h"
#include "probe/probe_model.h"

#define STATS_TYPES 16u   /* a type has 4 bits */
#define STATS_LARGEST 20u /* number of functions shown */
#define STATS_COPIES 33u  /* classes of copies: 1, 2, 3 to 4, 5 to 8, ... */

/* Nodes at one depth. */
struct stats_level {
    uint64_t nodes, probes, bytes;
};

/* A function with all of its inlined copies; the bytes exclude nodes inlined into them. */
struct stats_function {
    uint64_t guid, bytes, probes;
    uint32_t copies, inlined;
};

struct probe_stats {
    uint64_t types[STATS_TYPES];
    uint64_t unplaced, discriminators;
    uint64_t functions;      /* with probe records */
    uint64_t without_descs;  /* of these */
    uint64_t without_probes; /* descriptors */
    uint64_t inlined;        /* nodes */
    uint64_t unknown_sites;  /* of these, with call probe 0 */
    uint64_t no_probes;      /* nodes that only lead to others */
    struct stats_level *levels;
    size_t n_levels;
    uint64_t ids;                        /* distinct (function, id) */
    uint64_t copies[STATS_COPIES];       /* number of ids by class of their probes, in all code */
    uint64_t copies_local[STATS_COPIES]; /* in single nodes: copies made after inlining */
    struct stats_function largest[STATS_LARGEST];
    size_t n_largest;
};

/* Fills *stats, whose arrays are in the arena. False: an allocation failed. */
bool probe_count(struct probe_stats *stats, const struct apf_probes *probes, struct arena *arena);

/* The least number of copies in a class. */
static inline uint64_t stats_class_start(size_t i)
{
    return i < 2 ? i + 1 : ((uint64_t)1 << (i - 1)) + 1;
}

#endif
