/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From traces to counts: chains of calls without what is outside of the program, and without recursion. */
#ifndef PROFGEN_PROFGEN_SETTLE_H
#define PROFGEN_PROFGEN_SETTLE_H

#include "profgen/profgen_traces.h"

/* How much of contexts stays; UINT32_MAX: all. */
struct profgen_depths {
    uint32_t recursion; /* the longest sequence of calls, repeated, of which one stays; 0: all stay */
    uint32_t chain;     /* the last calls that stay in chains of addresses */
    uint32_t context;   /* the last frames that stay in contexts, the function itself not counted */
};

/* Leaves of the frames of a context, or calls of a chain, what `depths` says, and at most PROFGEN_LONGEST_CHAIN.
 * Returns whether that was less. */
bool profgen_limit(struct profgen_frames *frames, const struct profgen_depths *depths, bool names);
/* Adds finished traces, which may become empty, to counts, whose contexts are chains. */
int profgen_settle(struct profgen_counts *counts, struct profgen_traces *t,
                   const struct profgen_depths *depths, struct apf_error *error);

#endif
