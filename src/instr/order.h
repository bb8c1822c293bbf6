/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An order of functions in which those that start together stand together. order_units.c turns traces into functions
 * with units, each a time span of a trace that a function was there in; order_bisect.c orders the functions so that
 * those with common units are near; order.c prints them. The order is LLVM's, so arithmetic in single precision,
 * the order of additions and how ties are broken are part of the format. */
#ifndef INSTR_ORDER_H
#define INSTR_ORDER_H

#include <anyprof/compare.h>

#include "instr/profile.h"

/* A function. Its units are units[first .. first + n) of the set. */
struct order_node {
    uint64_t first;
    uint32_t n;
};

/* The functions in the traces, by the earliest place that they have in any, of equals by id. */
struct order_set {
    uint64_t *ids;
    struct order_node *nodes;
    uint32_t *units;
    uint32_t n, n_units; /* functions; units are below n_units */
    struct arena arena;
};

struct apf_order {
    struct apf_instr *instr;
    uint64_t *ids;
    uint32_t n;
    uint32_t area;
    uint32_t n_test_traces;
};

/* The functions and units of n traces. */
int order_set_make(struct order_set *set, const struct apf_trace *traces, size_t n, struct apf_error *error);
/* places[i] becomes the number of the function that is i-th in the order. Units are used up. */
int order_bisect(struct order_set *set, uint32_t *places, struct apf_error *error);

/* The logarithm of v, which is not 0, to base 2: the float that is nearest to it. */
float order_log2(uint32_t v);

#endif
