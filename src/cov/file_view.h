/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All that is to be said about one source file: the regions of all functions in it, added up. */
#ifndef COV_FILE_VIEW_H
#define COV_FILE_VIEW_H

#include "base/sort.h"
#include "cov/union_summary.h"

/* A branch, or a region that is expanded, and the function that it is of. */
struct view_region {
    struct region region;
    uint32_t function;
};

/* Reused from file to file; all zero = empty. */
struct file_view {
    uint32_t file; /* number of its name */
    struct cov_work work;
    struct segments segments;
    VEC(struct region) branches;        /* also folded ones, in the order of the functions */
    VEC(struct view_region) expansions; /* in the main files of functions */
    VEC(uint32_t) with_decisions;       /* functions that have decisions in the file */
    struct cov_summary summary;
    VEC(struct sort_key) groups;
    struct union_summary group; /* while one is added up */
};

/* Sets the summary alone. */
int file_view_summarize(struct file_view *v, const struct coverage *c, uint32_t file,
                        struct apf_error *error);
/* Collects all of a file, the summary included. */
int file_view_make(struct file_view *v, const struct coverage *c, uint32_t file, struct apf_error *error);
void file_view_free(struct file_view *v);

void summary_add(struct cov_summary *to, const struct cov_summary *from);

#endif
