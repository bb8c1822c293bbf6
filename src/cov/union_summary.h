/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What several functions that begin at one place cover together: a line, region, side of a branch or condition is
 * covered if one of them covers it. */
#ifndef COV_UNION_SUMMARY_H
#define COV_UNION_SUMMARY_H

#include "base/sort.h"
#include "cov/coverage.h"

/* A thing that functions cover or not; those with one key are one. */
struct union_item {
    uint64_t begin, end; /* places, or a place and a number */
    uint32_t file;       /* among the files of the functions, which are alike in instantiations */
    uint8_t what;        /* see union_summary.c */
    bool covered;
};

/* Reused; all zero = empty. */
struct union_summary {
    struct cov_work work;
    struct segments segments;               /* of a function */
    VEC(struct line_range) mapped, covered; /* lines of all functions */
    VEC(struct union_item) items;
};

/* Sets regions, lines, branches and MC/DC of the n functions, whose numbers are the values of `group`. */
int union_summarize(struct union_summary *u, const struct coverage *c, const struct sort_key *group, size_t n,
                    struct cov_summary *sum, struct apf_error *error);
void union_summary_free(struct union_summary *u);

#endif
