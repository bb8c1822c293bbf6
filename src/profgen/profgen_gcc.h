/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a profile for GCC (-fauto-profile) of what ran in a program. */
#ifndef PROFGEN_PROFGEN_GCC_H
#define PROFGEN_PROFGEN_GCC_H

#include "profgen/profgen_counts.h"
#include "profgen/profgen_gcc_hits.h"
#include "profgen/profgen_line_counts.h"
#include "profgen/profgen_lines.h"

struct profgen_gcc_samples {
    const struct profgen_counts *counts; /* ranges and branches */
    const struct profgen_hits *hits;     /* where samples were taken, if that is known */
    bool plain;                          /* there are no ranges: samples count for where they were taken */
};

/* Fills an empty profile, which is sealed then. The program is loaded. */
int profgen_gcc_make(struct apf_sample *s, struct profgen_line_counts *counts,
                     const struct profgen_program *p, const struct profgen_gcc_samples *samples,
                     const struct sample_release *release, struct apf_error *error);

#endif
