/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The values of one site while they are being summed. */
#ifndef INSTR_VALUE_LIST_H
#define INSTR_VALUE_LIST_H

#include <stdbool.h>

#include <anyprof/instr.h>

#include "base/arena.h"

/* All zero = empty. A list that was filled once keeps the profile's order and its repeated values, since LLVM keeps
 * them too; from the second addition on it is sorted by value and every value stands once. */
struct value_list {
    struct apf_value *values;
    uint32_t n, capacity;
};

/* First addition: a copy, counts multiplied by weight. */
bool value_list_copy(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                     uint64_t weight, bool *saturated) MUST_USE;
/* Before the second addition: sorts and sums what is repeated. */
bool value_list_normalise(struct value_list *l, struct arena *arena, bool *saturated) MUST_USE;
/* Further additions; the list must be normalised. */
bool value_list_add(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                    uint64_t weight, bool *saturated) MUST_USE;

/* a + b * weight, at most `limit`; *cut is set when that was less. */
static inline uint64_t sum_saturating(uint64_t a, uint64_t b, uint64_t weight, uint64_t limit, bool *cut)
{
    uint64_t product, sum;
    if (UNLIKELY(MUL_OVERFLOWS(b, weight, &product) || ADD_OVERFLOWS(a, product, &sum) || sum > limit)) {
        *cut = true;
        return limit;
    }
    return sum;
}

#endif
