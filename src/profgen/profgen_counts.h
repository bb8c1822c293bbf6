/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often ranges of code and branches ran, as unsymbolized profiles have it. */
#ifndef PROFGEN_PROFGEN_COUNTS_H
#define PROFGEN_PROFGEN_COUNTS_H

#include "base/error.h"
#include "object/pair_counts.h"
#include "profgen/profgen_chains.h"
#include "sample/model/sample_profile.h"

/* In place of all addresses where the program has no instruction. */
#define PROFGEN_OUTSIDE ((uint64_t)1)
/* Addresses from here on are the kernel's. This one stands for all that are not in the program. */
#define PROFGEN_KERNEL ((uint64_t)1 << 63)
/* Whether an address is one of the two. */
static inline bool profgen_is_outside(uint64_t address)
{
    return address == PROFGEN_OUTSIDE || address == PROFGEN_KERNEL;
}

/* The context of a pair is the number of a chain of calls or, with `named`, 0 for none, or that of one of its contexts
 * plus 1. All zero = empty. */
struct profgen_counts {
    struct pair_counts branches; /* from a branch, or PROFGEN_OUTSIDE, to an instruction */
    struct pair_counts ranges;   /* that ran, from their first to their last instruction */
    struct profgen_chains chains;
    struct apf_sample *named; /* NULL, or contexts by names and places, and nothing else */
    uint64_t ranges_cut;      /* counts of ranges whose context begins after a caller that is not known */
    uint64_t contexts_long;   /* of `named`: functions in contexts that are cut, since they are too long */
    bool divided; /* instructions of no known function are ranges of their own, as llvm-profgen writes them */
    bool sensitive; /* there were call stacks: the profile is context-sensitive */
};

static inline void profgen_counts_free(struct profgen_counts *c)
{
    pair_counts_free(&c->branches);
    pair_counts_free(&c->ranges);
    profgen_chains_free(&c->chains);
    sample_free(c->named);
}

/* Makes the lists of both. */
static inline int profgen_counts_sort(struct profgen_counts *c, struct apf_error *error)
{
    int code = pair_counts_sort(&c->ranges, error);
    return code == APF_OK ? pair_counts_sort(&c->branches, error) : code;
}

#endif
