/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branch stacks of a program, added up: branches, and what ran from the target of one to the next one; with call
 * stacks, by the chain of calls. */
#ifndef PROFGEN_PROFGEN_TRACES_H
#define PROFGEN_PROFGEN_TRACES_H

#include "profgen/profgen_counts.h"
#include "profgen/profgen_functions.h"
#include "profgen/profgen_hops.h"
#include "profgen/profgen_space.h"

/* What became of branch stacks: sums of the samples' counts. */
struct profgen_trace_counts {
    uint64_t stacks;       /* that were added; of them: */
    uint64_t empty;        /* with no branch in the program */
    uint64_t branches;     /* entries; of them: */
    uint64_t outside;      /* neither end is an instruction of the program */
    uint64_t into_program; /* only the target is */
    uint64_t out_of_it;    /* only the branch is: they are not in the profile, but end a range */
    uint64_t in_kernel;    /* an end is in the kernel, which is not the program */
    uint64_t misplaced;    /* an end is in code of the program, but no instruction begins there */
    uint64_t ranges; /* pairs of a target and the next branch, after the former were left out; of them: */
    uint64_t ranges_outside; /* an end is outside, or both */
    uint64_t ranges_broken;  /* the end is before the start, or what lies between does not run through */
    /* as in struct apf_profgen_funnel */
    uint64_t ranges_misplaced, ranges_nowhere, ranges_named, ranges_crossing, ranges_jumping;
    /* Of call stacks: */
    uint64_t calls;            /* call stacks; of them: */
    uint64_t calls_none;       /* empty: the sample is not used */
    uint64_t calls_unready;    /* taken where a function begins or ends: the sample is not used */
    uint64_t calls_cut;        /* a return address that does not follow a call ends them */
    uint64_t calls_long;       /* have more than PROFGEN_LONGEST_CHAIN frames */
    uint64_t calls_elsewhere;  /* taken outside of the program */
    uint64_t calls_broken;     /* do not fit the branches: what is older than the misfit has no context */
    uint64_t calls_mismatched; /* branches: calls that the call stack does not have */
};

/* All zero = empty. */
struct profgen_traces {
    /* ranges may be broken or outside (PROFGEN_OUTSIDE); profgen_traces_finish leaves those that ran */
    struct profgen_counts found;
    struct profgen_trace_counts counts;
    struct profgen_hops hops; /* not in `found` and `counts` yet */
    /* pairs that wait to be added to `found`: of one stack, and of hops that left the cache */
    VEC(struct pair_count) more_branches, more_ranges;
    /* of one stack, the branches that have an end in the program; of a recording while the cache is off, all of them */
    VEC(struct address_pair) kept;
    /* of each branch of a stack, as code_map_has_pairs gives it: with call stacks, and while the cache is off */
    VEC(uint8_t) inside;
    VEC(uint64_t) calls; /* of one call stack */
};

/* The context of a pair among the branches of a sample that is no branch: what ran after its first address and before
 * the second one is not known. PROFGEN_OUTSIDE: nor is that address. */
#define PROFGEN_GAP UINT32_MAX

/* A sample. */
struct profgen_sample {
    /* pairs of addresses of the program as it is linked, or any others: the newest branch first. Contexts are 0, or
     * PROFGEN_GAP */
    const struct address_pair *branches;
    size_t n_branches;
    const uint64_t *frames; /* likewise: the innermost first */
    size_t n_frames;
    uint64_t count;
};

void profgen_traces_free(struct profgen_traces *t);
/* Adds a branch stack without a call stack. */
int profgen_traces_add(struct profgen_traces *t, const struct profgen_program *p,
                       const struct profgen_sample *sample, struct apf_error *error);
/* Adds a branch stack of a recording, with the addresses of its process, the newest branch first. It counts once. */
int profgen_traces_add_recorded(struct profgen_traces *t, const struct profgen_program *p,
                                struct profgen_space *space, const struct apf_perf_branch *branches, size_t n,
                                struct apf_error *error);
/* Adds a sample that should have a call stack, by the rules of llvm-profgen. With `ignore` it counts as one without,
 * but is not used where it could not be with it. */
int profgen_traces_add_called(struct profgen_traces *t, struct profgen_program *p,
                              const struct profgen_sample *sample, bool ignore, struct apf_error *error);
/* Completes `found` and `counts`, which lack what is in the cache. */
int profgen_traces_update(struct profgen_traces *t, const struct profgen_program *p, struct apf_error *error);
/* Adds what becomes of counts that were read, and are sorted, to `counts`. `read` stays as it is. */
int profgen_traces_count(struct profgen_traces *t, const struct profgen_program *p,
                         const struct profgen_counts *read, struct apf_error *error);
/* To be called once, after the last sample: leaves ranges that ran. */
int profgen_traces_finish(struct profgen_traces *t, const struct profgen_program *p, struct apf_error *error);

#endif
