/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds an order of functions in which functions that start at the same time are neighbours. order_units.c gives each
 * function its units, the time spans of a trace in which the function runs; order_bisect.c orders the functions so that
 * those with common units are near; order.c prints them. The order is LLVM's, so arithmetic in single precision, the
 * order of additions and the breaking of ties are part of the format. */
#ifndef INSTR_ORDER_H
#define INSTR_ORDER_H

#include <anyprof/compare.h>

#include "instr/model/profile.h"

/* A function, whose units are units[first .. first + n) of the set. */
struct order_node {
    uint64_t first;
    uint32_t n;
};

/* The functions of the traces, sorted by their earliest place in any trace, then by id. */
struct order_set {
    uint64_t *ids;            /* of n functions */
    struct order_node *nodes; /* of n functions */
    uint32_t *units;          /* numbers below n_units */
    uint32_t n, n_units;
    struct arena arena; /* holds the arrays; the caller frees it */
};

struct apf_order {
    const struct apf_instr *instr;
    uint64_t *ids; /* of n functions, in their order */
    uint32_t n;
    uint32_t area; /* under the page fault curve; 0 without test traces */
    uint32_t n_test_traces;
    bool json; /* it is printed as JSON */
};

/* Finds the functions of n traces and their units. */
int order_set_make(struct order_set *set, const struct apf_trace *traces, size_t n, struct apf_error *error);
/* Sets places[i] to the number of the i-th function in the order. The units of the set are lost. */
int order_bisect(struct order_set *set, uint32_t *places, struct apf_error *error);

/* The float that is nearest to the logarithm of v to base 2; v is not 0. */
float order_log2(uint32_t v);

#endif
