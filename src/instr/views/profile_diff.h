/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The differences between two profiles. profile_diff.c pairs records and sums the differences, diff_names.c finds names
 * that mean one function although they differ, diff_record.c compares two records, profile_diff_print.c prints. */
#ifndef INSTR_PROFILE_DIFF_H
#define INSTR_PROFILE_DIFF_H

#include <anyprof/compare.h>

#include "instr/views/record_table.h"

struct apf_diff {
    struct apf_diff_options options;
    const struct apf_instr *instr[2];
    struct record_table table[2];
    double scale[2]; /* factors that turn counts into shares; 1 with APF_DIFF_ABSOLUTE */
    double whole;    /* sum of all counts of both profiles, scaled */
    VEC(struct apf_diff_function) functions; /* those that differ, from the largest effect down */
    struct apf_diff_totals totals;
};

/* The ids of one function in both profiles. */
struct name_pair {
    uint64_t a, b;
};

struct name_pairs {
    VEC(struct name_pair) list; /* ascending by a */
};

/* Pairs names that only one of the profiles has, where the pair is unambiguous. */
int diff_pair_names(struct name_pairs *pairs, const struct apf_diff *diff, struct apf_error *error);
/* The id in the second profile of a function of the first one; `a` itself if there is no pair. */
uint64_t diff_paired_name(const struct name_pairs *pairs, uint64_t a);

/* The sum of all counts; 0 for pseudo records. */
double diff_sum(const struct record *r);
/* Compares two records, of which one may be NULL, by diff->scale and diff->whole. False: allocation failed. */
bool diff_record(const struct apf_diff *diff, const struct record *a, const struct record *b,
                 struct apf_diff_function *f);

/* The side whose name and id stand for a function: B if only B has the function. */
static inline const struct apf_diff_side *diff_side(const struct apf_diff_function *f)
{
    return &f->side[f->changes & APF_DIFF_ONLY_B ? 1 : 0];
}

#endif
