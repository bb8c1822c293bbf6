/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines of a source file that are code, each with its count and its branches: what outputs show that know lines
 * only. */
#ifndef COV_COVERED_LINES_H
#define COV_COVERED_LINES_H

#include "cov/line_branches.h"

/* Reused from file to file; all zero = empty. */
struct covered_lines {
    struct file_view view;
    struct line_branches branches;
};

/* Collects a file. */
int covered_lines_make(struct covered_lines *t, const struct coverage *c, uint32_t file,
                       struct apf_error *error);
/* Drops branches in lines that are no code, which covered_lines_make does. */
void covered_lines_drop_branches(struct covered_lines *t);
void covered_lines_free(struct covered_lines *t);

/* A line that is code. */
struct code_line {
    uint64_t line, count;
    const struct line_branch *branches;
    size_t n_branches;
    struct apf_cov_share sides; /* those of the branches that are no constants */
};

struct code_lines {
    const struct covered_lines *table;
    struct line_walk walk;
    struct line_run run;
    uint64_t at; /* the next line of the run */
    size_t branch;
};

struct code_lines code_lines_of(const struct covered_lines *t);
/* Goes to the next line; false: there is none. */
bool code_lines_next(struct code_lines *l, struct code_line *line);

struct line_totals {
    struct apf_cov_share lines, sides;
};
/* Adds up the lines of the file that was collected. */
struct line_totals covered_lines_totals(const struct covered_lines *t);

/* Adds the sides of a branch that are no constants. */
void branch_sides_add(struct apf_cov_share *sides, const struct line_branch *b);

#endif
