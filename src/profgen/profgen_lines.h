/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a sample profile of what ran in a program, by its debug information. */
#ifndef PROFGEN_PROFGEN_LINES_H
#define PROFGEN_PROFGEN_LINES_H

#include "profgen/profgen_accesses.h"
#include "profgen/profgen_counts.h"
#include "profgen/profgen_cover.h"
#include "profgen/profgen_points.h"
#include "sample/model/sample_profile.h"

/* What became of instructions and branches, in sums of counts. */
struct profgen_line_counts {
    uint64_t instructions;    /* that ran, each as often as it did; of them: */
    uint64_t unknown;         /* those of no function that debug information knows: not in the profile */
    uint64_t samples_unknown; /* the samples among these, where samples have no branches */
    uint64_t calls;           /* branches to entries of functions; of them: */
    uint64_t calls_unknown; /* from where no function is known: only the function that was called has them */
};

/* Fills an empty profile, which is sealed then. */
int profgen_lines_make(struct apf_sample *s, struct profgen_line_counts *counts,
                       const struct profgen_program *p, const struct profgen_counts *t,
                       struct profgen_accesses *accesses, struct apf_error *error);

#endif
