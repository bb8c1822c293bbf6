/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides which functions should be inlined, as llvm-profgen's preinliner does: contexts of these stay, all others are
 * added up by function. */
#ifndef PROFGEN_PROFGEN_PREINLINE_H
#define PROFGEN_PROFGEN_PREINLINE_H

#include "profgen/profgen_contexts.h"
#include "sample/model/sample_profile.h"

/* Changes a sealed profile with contexts, and seals it again. */
int profgen_preinline(struct apf_sample *s, struct profgen_context_counts *counts,
                      const struct profgen_context_options *options, const struct profgen_program *p,
                      const struct profgen_counts *c, struct apf_error *error);

#endif
