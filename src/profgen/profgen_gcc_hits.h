/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses at which samples were taken, and what they say of the code around where samples have no branches. */
#ifndef PROFGEN_PROFGEN_GCC_HITS_H
#define PROFGEN_PROFGEN_GCC_HITS_H

#include "object/pair_counts.h"
#include "profgen/profgen_gcc_functions.h"

struct profgen_hit {
    uint64_t address;
    uint64_t count; /* of samples, at most 2^64 - 1 */
    uint64_t time;  /* of the first sample; 0: not known */
};

/* All zero = empty. */
struct profgen_hits {
    VEC(struct profgen_hit) list;
    struct hash_index index;
};

void profgen_hits_free(struct profgen_hits *h);
/* Adds samples at an address. The count may be 0: then the code there only ran by that time. */
int profgen_hits_add(struct profgen_hits *h, uint64_t address, uint64_t count, uint64_t time,
                     struct apf_error *error);

/* Ranges of code, from the first to the last instruction. */
struct profgen_gcc_ranges {
    VEC(struct pair_count) list;
    uint64_t unknown; /* samples in no function that debug information knows */
};

/* What a sample counts for, so that the shares of instructions are whole numbers. */
#define PROFGEN_HIT_WEIGHT 100u

/* Adds the basic blocks of the functions that ran: the samples of a block are shared by its instructions, since all of
 * them ran equally often, but slow ones have more samples. */
int profgen_gcc_blocks(struct profgen_gcc_ranges *ranges, const struct profgen_hits *h,
                       const struct profgen_gcc_functions *functions, struct code_map *code,
                       struct apf_error *error);

#endif
