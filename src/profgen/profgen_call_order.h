/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order in which functions are looked at that may be inlined: callers first. */
#ifndef PROFGEN_PROFGEN_CALL_ORDER_H
#define PROFGEN_PROFGEN_CALL_ORDER_H

#include "profgen/profgen_tree.h"

/* The names of all functions of the tree, in LLVM's order: by calls that were made more than `cold` times, callers
 * before what they call; of functions that call each other in circles, the ends of the hottest calls are the last ones
 * that are parted. *order has *n names, which the caller frees. The lists of all nodes must be sorted. */
int profgen_call_order(const struct profgen_tree *t, uint64_t cold, uint32_t **order, size_t *n,
                       struct apf_error *error);
/* How often a function was called in its context: as its caller says, or as its own counts do. */
uint64_t profgen_call_count(const struct profgen_tree *t, uint32_t function);

#endif
