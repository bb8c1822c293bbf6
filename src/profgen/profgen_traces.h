/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branch stacks of a program, added up: branches, and what ran from the target of one to the next one. */
#ifndef PROFGEN_PROFGEN_TRACES_H
#define PROFGEN_PROFGEN_TRACES_H

#include "object/pair_counts.h"
#include "profgen/profgen_program.h"

/* In place of all addresses where the program has no instruction. */
#define PROFGEN_OUTSIDE ((uint64_t)1)

/* What became of branch stacks: sums of the samples' counts. */
struct profgen_trace_counts {
    uint64_t stacks;       /* that were added */
    uint64_t empty;        /* of them: with no branch in the program */
    uint64_t branches;     /* entries; of them: */
    uint64_t outside;      /* neither end is an instruction of the program */
    uint64_t into_program; /* only the target is */
    uint64_t out_of_it;    /* only the branch is: they are not in the profile, but end a range */
    uint64_t ranges; /* pairs of a target and the next branch, after the former were left out; of them: */
    uint64_t ranges_outside; /* an end is outside, or both */
    uint64_t ranges_broken;  /* the end is before the start, or what lies between does not run through */
};

/* All zero = empty. */
struct profgen_traces {
    struct pair_counts branches; /* from a branch, or PROFGEN_OUTSIDE, to an instruction */
    /* from an instruction, or PROFGEN_OUTSIDE, to the branch that ended it, or PROFGEN_OUTSIDE; after
     * profgen_traces_finish ranges that ran, from their first to their last instruction */
    struct pair_counts ranges;
    struct profgen_trace_counts counts;
    VEC(struct address_pair) branch_pairs, range_pairs; /* of one stack */
};

void profgen_traces_free(struct profgen_traces *t);
/* Adds a branch stack, the newest first: pairs of addresses of the program as it is linked, or any others. */
int profgen_traces_add(struct profgen_traces *t, const struct profgen_program *p,
                       const struct address_pair *stack, size_t n, uint64_t count, struct apf_error *error);
/* To be called once, after the last stack: leaves ranges that ran, and sorts both lists by address. */
int profgen_traces_finish(struct profgen_traces *t, const struct profgen_program *p, struct apf_error *error);

#endif
