/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions inlined in each function of a profile, in the order of output: for walks that keep a list while they go
 * down into its entries. */
#ifndef SAMPLE_TREE_H
#define SAMPLE_TREE_H

#include "sample/model/sample_profile.h"

/* All zero: empty. */
struct sample_tree {
    uint32_t *first;   /* callees of node i are callees[first[i] .. first[i + 1]) */
    uint32_t *callees; /* numbers of nodes, by place, then by the rank of their names */
};

/* `ranks` has the place of each name of the profile, as sample_names_rank finds it. sample_tree_free must follow, also
 * after a failure. */
int sample_tree_make(struct sample_tree *t, const struct apf_sample *s, const uint32_t *ranks,
                     struct apf_error *error);
void sample_tree_free(struct sample_tree *t);

/* A depth-first visit of what is inlined in a function, which is the first node. */
struct sample_tree_walk {
    const struct sample_tree *tree;
    uint32_t node;  /* the current one */
    uint32_t depth; /* 0: at the top level */
    VEC(struct sample_walk_frame) stack;
};
void sample_tree_begin(struct sample_tree_walk *w, const struct sample_tree *tree, uint32_t node);
/* Moves to the next node; *more is false after the last one. Fails with APF_NO_MEMORY only. */
int sample_tree_next(struct sample_tree_walk *w, bool *more, struct apf_error *error);
void sample_tree_walk_free(struct sample_tree_walk *w);

#endif
