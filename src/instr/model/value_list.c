/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/value_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"

/* A list up to this length is kept sorted; new values of a longer one are appended. */
#define SHORT_LIST 256u
/* Up to so many entries are sorted without an allocation. */
#define LOCAL_SCRATCH 32u

/* Makes room for n values; the old array stays in the arena, unused. */
static bool reserve_values(struct value_list *l, struct arena *arena, size_t n)
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
    if (!reserve_values(l, arena, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        l->values[i].value = values[i].value;
        l->values[i].count = sum_saturating(0, values[i].count, weight, UINT64_MAX, saturated);
    }
    l->n = (uint32_t)n;
    return true;
}

static bool value_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct apf_value *)a)->value < ((const struct apf_value *)b)->value;
}

static bool sort_values(struct apf_value *v, uint32_t n)
{
    struct apf_value local[LOCAL_SCRATCH];
    struct apf_value *scratch = n <= LOCAL_SCRATCH ? local : malloc(n * sizeof *scratch);
    if (!scratch)
        return false;
    if (n)
        sort_merge(v, scratch, n, sizeof *v, value_before, NULL);
    if (scratch != local)
        free(scratch);
    return true;
}

/* Sums neighbours with the same value. Returns the number of entries that are left. */
static uint32_t sum_repeated(struct apf_value *v, uint32_t n, bool *saturated)
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

bool value_list_normalise(struct value_list *l, bool *saturated)
{
    if (l->sorted)
        return true;
    if (!sort_values(l->values, l->n))
        return false;
    l->sorted = l->n = sum_repeated(l->values, l->n, saturated);
    return true;
}

/* Merges n sorted entries into the sorted ones of the list, from the back, so that no entry is overwritten before it
 * has moved. */
static void merge_sorted(struct value_list *l, const struct apf_value *from, uint32_t n)
{
    uint32_t have = l->sorted, at = have + n;
    while (n) {
        if (have && l->values[have - 1].value > from[n - 1].value)
            l->values[--at] = l->values[--have];
        else
            l->values[--at] = from[--n];
    }
}

bool value_list_settle(struct value_list *l, bool *saturated)
{
    uint32_t n = l->n - l->sorted;
    if (n == 0 || l->sorted == 0)
        return true;
    struct apf_value *appended = malloc(n * sizeof *appended);
    if (!appended)
        return false;
    memcpy(appended, l->values + l->sorted, n * sizeof *appended);
    bool ok = sort_values(appended, n);
    if (ok) {
        merge_sorted(l, appended, n);
        l->sorted = l->n = sum_repeated(l->values, l->n, saturated);
    }
    free(appended);
    return ok;
}

/* The position of the first sorted entry that is not below `value`. */
static uint32_t find_value(const struct value_list *l, uint64_t value)
{
    uint32_t low;
    SEARCH(low, 0, l->sorted, l->values[low].value < value);
    return low;
}

static bool add_value(struct value_list *l, struct arena *arena, uint32_t at, struct apf_value v,
                      bool *saturated)
{
    if (!reserve_values(l, arena, (size_t)l->n + 1))
        return false;
    if (l->sorted == l->n && l->n < SHORT_LIST) {
        memmove(l->values + at + 1, l->values + at, (l->n - at) * sizeof v);
        l->values[at] = v;
        l->sorted = ++l->n;
        return true;
    }
    l->values[l->n++] = v;
    return l->n - l->sorted < l->sorted || value_list_settle(l, saturated);
}

bool value_list_add(struct value_list *l, struct arena *arena, const struct apf_value *values, size_t n,
                    uint64_t weight, bool *saturated)
{
    for (size_t i = 0; i < n; i++) {
        struct apf_value v = values[i];
        /* Sites with one target are the most common by far. */
        uint32_t at = i < l->sorted && l->values[i].value == v.value ? (uint32_t)i : find_value(l, v.value);
        if (at < l->sorted && l->values[at].value == v.value) {
            uint64_t *count = &l->values[at].count;
            *count = sum_saturating(*count, v.count, weight, UINT64_MAX, saturated);
            continue;
        }
        v.count = sum_saturating(0, v.count, weight, UINT64_MAX, saturated);
        if (!add_value(l, arena, at, v, saturated))
            return false;
    }
    return true;
}

bool value_count_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct apf_value *)a)->count > ((const struct apf_value *)b)->count;
}
