/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/value_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* Lists up to this length are sorted by insertion; longer ones, which only text profiles have, by merging. */
#define SHORT_LIST 32u

/* Room for n values; what was there before stays in the arena, unused. */
static bool reserve(struct value_list *l, struct arena *arena, size_t n)
{
    if (n <= l->capacity)
        return true;
    size_t capacity = l->capacity ? 2 * (size_t)l->capacity : 4;
    if (capacity < n)
        capacity = n;
    if (capacity > UINT32_MAX)
        return false;
    struct apf_value *grown = arena_array(arena, capacity, sizeof *grown);
    if (!grown)
        return false;
    if (l->n)
        memcpy(grown, l->values, l->n * sizeof *grown);
    l->values = grown;
    l->capacity = (uint32_t)capacity;
    return true;
}

bool value_list_copy(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                     uint64_t weight, bool *saturated)
{
    if (n == 0)
        return true;
    if (!reserve(l, arena, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        l->values[i].value = values[i].value;
        l->values[i].count = sum_saturating(0, values[i].count, weight, UINT64_MAX, saturated);
    }
    l->n = (uint32_t)n;
    return true;
}

/* Position of the first entry that is not below `value`. */
static uint32_t lower_bound(const struct value_list *l, uint64_t value)
{
    uint32_t low = 0, high = l->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->values[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_one(struct value_list *l, struct arena *arena, struct apf_value v, uint64_t weight,
                    bool *saturated)
{
    uint32_t at = lower_bound(l, v.value);
    if (at < l->n && l->values[at].value == v.value) {
        l->values[at].count = sum_saturating(l->values[at].count, v.count, weight, UINT64_MAX, saturated);
        return true;
    }
    if (!reserve(l, arena, (size_t)l->n + 1))
        return false;
    memmove(l->values + at + 1, l->values + at, (l->n - at) * sizeof v);
    l->values[at].value = v.value;
    l->values[at].count = sum_saturating(0, v.count, weight, UINT64_MAX, saturated);
    l->n++;
    return true;
}

static bool value_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct apf_value *)a)->value < ((const struct apf_value *)b)->value;
}

/* Adds up what stands next to each other with the same value; the number of entries that are left. */
static uint32_t unite(struct apf_value *v, uint32_t n, bool *saturated)
{
    uint32_t kept = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (v[kept].value == v[i].value)
            v[kept].count = sum_saturating(v[kept].count, v[i].count, 1, UINT64_MAX, saturated);
        else
            v[++kept] = v[i];
    }
    return n ? kept + 1 : 0;
}

static bool normalise_long(struct value_list *l, bool *saturated)
{
    struct apf_value *scratch = malloc(l->n * sizeof *scratch);
    if (!scratch)
        return false;
    sort_merge(l->values, scratch, l->n, sizeof *scratch, value_before, NULL);
    free(scratch);
    l->n = unite(l->values, l->n, saturated);
    return true;
}

bool value_list_normalise(struct value_list *l, struct arena *arena, bool *saturated)
{
    struct value_list sorted = {l->values, 0, l->capacity};
    if (l->n > SHORT_LIST)
        return normalise_long(l, saturated);
    for (uint32_t i = 0; i < l->n;
         i++) /* insertion: the part in front of i is sorted; never needs more room */
        if (!add_one(&sorted, arena, l->values[i], 1, saturated))
            return false;
    l->n = sorted.n;
    return true;
}

/* Merges n sorted entries into the list, from the back, so that nothing is overwritten that is still to be moved. */
static void merge_in(struct value_list *l, const struct apf_value *from, uint32_t n)
{
    uint32_t have = l->n, at = have + n;
    l->n = at;
    while (n) {
        if (have && l->values[have - 1].value > from[n - 1].value)
            l->values[--at] = l->values[--have];
        else
            l->values[--at] = from[--n];
    }
}

/* The list is sorted, each value in it once. */
static bool add_many(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                     uint64_t weight, bool *saturated)
{
    if (n > UINT32_MAX - l->n || !reserve(l, arena, l->n + n))
        return false;
    struct apf_value *sorted = malloc(2 * n * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < n; i++) {
        sorted[i].value = values[i].value;
        sorted[i].count = sum_saturating(0, values[i].count, weight, UINT64_MAX, saturated);
    }
    sort_merge(sorted, sorted + n, n, sizeof *sorted, value_before, NULL);
    merge_in(l, sorted, (uint32_t)n);
    free(sorted);
    l->n = unite(l->values, l->n, saturated);
    return true;
}

bool value_list_add(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                    uint64_t weight, bool *saturated)
{
    if (n > SHORT_LIST)
        return add_many(l, arena, values, n, weight, saturated);
    for (size_t i = 0; i < n; i++)
        if (!add_one(l, arena, values[i], weight, saturated))
            return false;
    return true;
}
