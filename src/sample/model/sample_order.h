/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order in which a profile is written and printed. */
#ifndef SAMPLE_ORDER_H
#define SAMPLE_ORDER_H

#include "sample/model/sample_profile.h"

/* Places of names and contexts in LLVM's order, and functions in the order of output. All zero: empty. */
struct sample_order {
    uint32_t *names;    /* rank of each name */
    uint32_t *contexts; /* rank of each context */
    uint32_t *tops;     /* nodes at the top level: by total descending, then by context */
    size_t n_tops;
    /* Scratch memory of the functions below. */
    VEC(struct sample_target) targets;
    VEC(uint32_t) callees;
};

/* Makes the order of a sealed profile; sample_order_free must follow, also after a failure. */
int sample_order_make(struct sample_order *o, const struct apf_sample *s, struct apf_error *error);
void sample_order_free(struct sample_order *o);

/* Reverses the order of functions of equal totals, which LLVM 13 writes by name descending. */
void sample_order_reverse_equals(struct sample_order *o, const struct apf_sample *s);

/* The targets of a place in the order of output (by count descending, then by name), from *next on, which moves to the
 * next place; *n is their number. The result is valid until the next call; NULL with *n > 0: an allocation failed. */
const struct sample_target *sample_order_targets(struct sample_order *o, const struct sample_targets *list,
                                                 uint64_t at, uint32_t *next, uint32_t *n);
/* As sample_order_targets, of vtables, whose order is by name only. */
const struct sample_target *sample_order_vtables(struct sample_order *o, const struct sample_targets *list,
                                                 uint64_t at, uint32_t *next, uint32_t *n);
/* The order of callees: by place, then by name. */
struct sample_callee_order {
    const struct sample_node *nodes;
    const uint32_t *ranks; /* of names */
};
bool sample_callees_sorted(const struct sample_callee_order *by, const struct sample_callees *list);
/* Copies a list in this order; `sorted` and `scratch` have room for it. */
void sample_callees_copy(const struct sample_callee_order *by, const struct sample_callees *list,
                         uint32_t *sorted, uint32_t *scratch);
/* The callees of a node in this order. NULL: an allocation failed, or there are none. The result is valid
 * until the next call. */
const uint32_t *sample_order_callees(struct sample_order *o, const struct apf_sample *s, uint32_t node);

#endif
