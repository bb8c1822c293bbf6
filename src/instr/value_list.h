/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The values of one site while they are being summed. */
#ifndef INSTR_VALUE_LIST_H
#define INSTR_VALUE_LIST_H

#include <stdbool.h>

#include <anyprof/instr.h>

#include "base/arena.h"

/* All zero = empty. A list that was filled once keeps the profile's order and its repeated values, since LLVM keeps
 * them too (sorted == 0); from the second addition on its first `sorted` entries are sorted by value and each value
 * stands once in them. Behind those, values that were new to a long list wait, in any order and perhaps repeated; there
 * are never more of them than of the others, so that the cost of many additions does not grow with the list. */
struct value_list {
    struct apf_value *values;
    uint32_t n, sorted, capacity;
};

/* First addition: a copy, counts multiplied by weight. */
bool value_list_copy(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                     uint64_t weight, bool *saturated) MUST_USE;
/* Before the second addition: sorts and sums what is repeated. */
bool value_list_normalise(struct value_list *l, bool *saturated) MUST_USE;
/* Further additions; the list must be normalised. */
bool value_list_add(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                    uint64_t weight, bool *saturated) MUST_USE;

/* Before a list is looked at: puts what waits into its place. */
bool value_list_settle(struct value_list *l, bool *saturated) MUST_USE;

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
