/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What changed from one profile to another. profile_diff.c makes pairs of records and adds up, diff_names.c finds names
 * that mean one function although they differ, diff_record.c compares two records, profile_diff_print.c prints. */
#ifndef INSTR_PROFILE_DIFF_H
#define INSTR_PROFILE_DIFF_H

#include <anyprof/compare.h>

#include "instr/record_table.h"

struct apf_diff {
    struct apf_diff_options options;
    struct apf_instr *instr[2];
    struct record_table table[2];
    double scale[2]; /* what counts are multiplied by: then they are shares, or stay as they are */
    double whole;    /* sum of all counts of both, scaled */
    VEC(struct apf_diff_function) functions;
    struct apf_diff_totals totals;
};

/* Two ids of one function. */
struct name_pair {
    uint64_t a, b;
};

/* Ascending by a. */
struct name_pairs {
    VEC(struct name_pair) list;
};

/* Pairs names that only one of the profiles has, where that is certain. */
int diff_pair_names(struct name_pairs *pairs, const struct apf_diff *diff, struct apf_error *error);
/* The id in the second profile for one of the first: the same if there is no pair. */
uint64_t diff_paired_name(const struct name_pairs *pairs, uint64_t a);

/* The sum of all counts that are no markers. */
double diff_sum(const struct record *r);
/* Compares two records, of which one may be NULL, by diff->scale and diff->whole. False: memory is out. */
bool diff_record(const struct apf_diff *diff, const struct record *a, const struct record *b,
                 struct apf_diff_function *f);

/* By whose name and id a function is known: B's, if only B has it. */
static inline const struct apf_diff_side *diff_side(const struct apf_diff_function *f)
{
    return &f->side[f->changes & APF_DIFF_ONLY_B ? 1 : 0];
}

#endif
