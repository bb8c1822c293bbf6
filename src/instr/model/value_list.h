/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A list of the values of one site, into which a merge sums the values of many inputs. */
#ifndef INSTR_VALUE_LIST_H
#define INSTR_VALUE_LIST_H

#include <stdbool.h>

#include <anyprof/instr.h>

#include "base/arena.h"

/* All zero = empty. After the first addition the list keeps the profile's order and its repeated values, as LLVM does
 * (sorted == 0). From the second addition on, the first `sorted` entries are sorted by value and each value stands
 * there once. Values that are new to a long list are appended after these, in any order and perhaps repeated; there
 * are never more appended entries than sorted ones, so that the cost of an addition does not grow with the list. */
struct value_list {
    struct apf_value *values;
    uint32_t n, sorted, capacity;
};

/* The functions return false when an allocation failed. *saturated is set when a sum was cut at the largest count. */

/* The first addition: copies values and multiplies their counts by the weight. */
bool value_list_copy(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                     uint64_t weight, bool *saturated) MUST_USE;
/* Must come before the second addition: sorts the list and sums repeated values. */
bool value_list_normalise(struct value_list *l, bool *saturated) MUST_USE;
/* A further addition to a normalised list. */
bool value_list_add(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                    uint64_t weight, bool *saturated) MUST_USE;

/* Must come before the list is read: merges the appended values into the sorted ones. */
bool value_list_settle(struct value_list *l, bool *saturated) MUST_USE;

/* The order of two struct apf_value for sort_merge: the higher count first. */
bool value_count_before(const void *context, const void *a, const void *b);

/* a + b * weight, at most `limit`; *cut is set when the sum was larger. */
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
