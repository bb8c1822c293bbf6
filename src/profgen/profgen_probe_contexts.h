/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Context-sensitive profiles of pseudo probes: of each function for each chain of calls, inlined or not, that led to
 * it. */
#ifndef PROFGEN_PROFGEN_PROBE_CONTEXTS_H
#define PROFGEN_PROFGEN_PROBE_CONTEXTS_H

#include "profgen/profgen_probes.h"
#include "profgen/profgen_settle.h"
#include "profgen/profgen_tail_calls.h"

/* Fills an empty profile with contexts, by sorted counts. `tail_calls` may be NULL: callers that have left no frame
 * are not inferred. The profile is sealed. */
int profgen_probe_contexts_make(struct apf_sample *s, struct profgen_probe_counts *counts,
                                const struct profgen_program *p, struct profgen_tail_calls *tail_calls,
                                const struct profgen_counts *c, const struct profgen_depths *depths,
                                struct apf_error *error);

#endif
