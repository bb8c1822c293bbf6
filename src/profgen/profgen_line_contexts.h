/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Context-sensitive profiles of lines: of each function for each chain of calls, inlined or not, that led to it. */
#ifndef PROFGEN_PROFGEN_LINE_CONTEXTS_H
#define PROFGEN_PROFGEN_LINE_CONTEXTS_H

#include "profgen/profgen_lines.h"
#include "profgen/profgen_settle.h"

/* Adds finished traces to counts whose contexts are names: ranges are divided where inlined functions begin and end.
 * Where a function of a context is not known, the context is 0. */
int profgen_line_contexts_settle(struct profgen_counts *counts, const struct profgen_program *p,
                                 const struct profgen_traces *t, const struct profgen_depths *depths,
                                 struct apf_error *error);
/* Fills an empty profile with contexts, by sorted counts. The profile is sealed. */
int profgen_line_contexts_make(struct apf_sample *s, struct profgen_line_counts *counts,
                               const struct profgen_program *p, const struct profgen_counts *c,
                               struct apf_error *error);

#endif
