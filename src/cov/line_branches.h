/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The branches of a source file by lines: those that are written in it, at their own lines, and those in what macros
 * expand to, at the lines where the macros are used. */
#ifndef COV_LINE_BRANCHES_H
#define COV_LINE_BRANCHES_H

#include "cov/file_view.h"
#include "cov/place_tree.h"

/* A branch. Its path is the places of the expansions that it is in, and its own place; for LLVM, branches in expansions
 * have the path without their own place. */
struct line_branch {
    uint32_t path;  /* a node */
    uint32_t line;  /* set when the list is complete */
    bool folded[2]; /* the side, false or true, is a constant */
    uint64_t counts[2];
    uint64_t position; /* among the branches of the file, or among those in expansions */
};

enum {
    BRANCHES_LLVM = 1,    /* LLVM's paths */
    BRANCHES_NO_UNIFY = 2 /* branches with one path, which instantiations have, are not added up */
};

/* All zero = empty; reused from file to file. */
struct line_branches {
    VEC(struct line_branch) list; /* by lines; without those that are folded on both sides */
    struct cov_work work;
    struct place_tree paths;
    VEC(uint32_t) expansions; /* for each file of the function that is open, the region that expands it */
    VEC(uint32_t) nodes;      /* and the path to it */
    VEC(uint32_t) by_path;    /* for each path, the branch of it in the list; HASH_INDEX_NONE: none */
};

/* Collects the branches of a file. */
int line_branches_make(struct line_branches *b, const struct coverage *c, const struct file_view *v,
                       unsigned flags, struct apf_error *error);
void line_branches_free(struct line_branches *b);

#endif
