/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The differences between two sample profiles, by function. sample_diff.c pairs functions and sums the differences,
 * sample_diff_names.c finds names that mean one function although they differ, sample_diff_function.c compares two
 * functions, sample_diff_print.c and sample_diff_json.c print. */
#ifndef SAMPLE_DIFF_H
#define SAMPLE_DIFF_H

#include <anyprof/sample_views.h>

#include "base/arena.h"
#include "base/file.h"
#include "sample/views/sample_folded.h"

struct apf_sample_diff {
    struct apf_sample_diff_options options;
    struct apf_sample_diff_totals totals;
    VEC(struct apf_sample_diff_function) functions; /* those that differ, from the largest effect down */
    struct arena arena;                             /* names of the profiles */
};

struct sample_diff_maker {
    struct apf_sample_diff *diff;
    struct sample_pair pair;
    uint32_t *other; /* of a name of the first profile, the name in the second one; most often the same */
    uint32_t *same;  /* of a name of the pair, the one that stands for it: of the first profile, if any */
    struct sample_folded folded[2];
    double scale[2]; /* factors that turn counts into shares; 1 with APF_SAMPLE_DIFF_ABSOLUTE */
    double whole;    /* sum of all counts of both profiles, scaled */
};

/* Fills m->same and m->other. */
int sample_diff_names(struct sample_diff_maker *m, struct apf_error *error);
/* Compares a function of both profiles, at least one of which has it. */
void sample_diff_compare(const struct sample_diff_maker *m, uint32_t function,
                         struct apf_sample_diff_function *f);

/* The number of functions that are printed. */
static inline size_t sample_diff_shown(const struct apf_sample_diff *diff)
{
    uint64_t most = diff->options.max_functions;
    return most && most < diff->functions.n ? (size_t)most : diff->functions.n;
}

/* The side whose name stands for a function: B if only B has the function. */
static inline const struct apf_sample_diff_side *sample_diff_side(const struct apf_sample_diff_function *f)
{
    return &f->side[f->changes & APF_SAMPLE_DIFF_ONLY_B ? 1 : 0];
}

/* Prints a document of anyprof-sample-diff/1. */
int sample_diff_json(const struct apf_sample_diff *diff, struct file_out *out, struct apf_error *error);

#endif
