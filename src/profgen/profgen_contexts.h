/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The last steps: which functions should be inlined, cold functions, nesting. */
#ifndef PROFGEN_PROFGEN_CONTEXTS_H
#define PROFGEN_PROFGEN_CONTEXTS_H

#include "profgen/profgen_counts.h"
#include "profgen/profgen_functions.h"

struct profgen_context_options {
    uint32_t flags;                       /* APF_PROFGEN_* */
    uint32_t cold_depth;                  /* frames of cold contexts that stay */
    uint64_t hot_count, cold_count;       /* thresholds; UINT64_MAX: by the summary of the profile ... */
    uint32_t hot_cutoff, cold_cutoff;     /* ... at these cutoffs */
    struct apf_profgen_inlining inlining; /* as they are, not plus 1 */
};

/* Functions that were left out, and their counts. */
struct profgen_context_counts {
    uint64_t dropped, dropped_counts; /* by the preinliner, in circles of calls */
    uint64_t cold, cold_counts;
    uint64_t refused, refused_counts; /* their checksums contradict those of others */
};

/* Fills in options as the public ones say, with LLVM's defaults. */
void profgen_context_options_read(struct profgen_context_options *o,
                                  const struct apf_profgen_options *options);
/* Makes the profile that is written of a sealed one with contexts, which it replaces. */
int profgen_contexts_finish(struct apf_sample **s, struct profgen_context_counts *counts,
                            const struct profgen_context_options *options, const struct profgen_program *p,
                            const struct profgen_counts *c, struct apf_error *error);
/* The same, of one without contexts. */
int profgen_plain_finish(struct apf_sample **s, struct profgen_context_counts *counts,
                         const struct profgen_context_options *options, struct apf_error *error);

#endif
