/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Paths of places in the source: where a macro is used, where another one is used in it, and so on. Equal paths have
 * one node, and nodes have an order: that of their places, a path before those that go on from it. */
#ifndef COV_PLACE_TREE_H
#define COV_PLACE_TREE_H

#include "base/hash_index.h"
#include "base/vec.h"

#define PLACE_ROOT 0u /* the empty path */

struct place_node {
    uint32_t parent, line; /* line of the first place of the path */
    uint64_t place;        /* the last one: line << 32 | column */
    uint32_t rank;         /* set by place_tree_rank */
};

/* All zero = empty. */
struct place_tree {
    VEC(struct place_node) nodes;
    struct hash_index index;
    VEC(uint32_t) order; /* scratch memory */
};

/* Drops all paths but the empty one. False: an allocation failed. */
bool place_tree_reset(struct place_tree *t);
/* The node of the path that goes on from another one's with a place; HASH_INDEX_NONE: an allocation failed. */
uint32_t place_tree_add(struct place_tree *t, uint32_t parent, uint64_t place);
/* Sets the ranks of all nodes. False: an allocation failed. */
bool place_tree_rank(struct place_tree *t);
void place_tree_free(struct place_tree *t);

#endif
