/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How control goes from one address of the original of a program to another one, where BOLT's output has no branch, or
 * another one. */
#ifndef PROFGEN_PROFGEN_PATHS_H
#define PROFGEN_PROFGEN_PATHS_H

#include "base/hash_index.h"
#include "object/pair_counts.h"
#include "profgen/profgen_bolted.h"

/* Branches of the original, in the order in which they are taken. Calls are those that BOLT inlined; if it is not known
 * what ran in one, it is a branch to PROFGEN_OUTSIDE and one from there. */
struct profgen_path {
    uint64_t from, to;
    uint64_t first; /* of its branches, in profgen_paths.branches */
    uint32_t n;
    uint32_t jumps; /* of its branches */
    uint32_t calls; /* of which it is not known what ran in them */
    bool found;
};

/* All zero = empty. */
struct profgen_paths {
    VEC(struct profgen_path) list;
    VEC(struct address_pair) branches; /* of all paths */
    struct hash_index index;
};

void profgen_paths_free(struct profgen_paths *paths);
/* Finds the way from the instruction at `from` to the one at `to`, which does not pass the beginning of a block that
 * the program has, too: the samples would have it. Valid until the next call. */
int profgen_paths_find(struct profgen_paths *paths, const struct profgen_bolted *b, uint64_t from,
                       uint64_t to, struct profgen_path *path, struct apf_error *error);

#endif
