/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_cover.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"

void profgen_cover_close(struct profgen_cover *c)
{
    VEC_FREE(&c->steps);
}

/* A change at an address: a range begins (ranges 1) or ends (ranges -1, modulo 2^64). */
static bool add_change(struct profgen_cover *c, uint64_t address, uint64_t count, uint64_t ranges)
{
    struct profgen_step change = {address, count, ranges};
    return VEC_PUSH(&c->steps, change);
}

static bool add_range(struct profgen_cover *c, uint64_t start, uint64_t end, uint64_t count)
{
    return add_change(c, start, count, 1) && add_change(c, end, count, UINT64_MAX);
}

static bool step_before(const void *context, const void *a, const void *b)
{
    const struct profgen_step *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

/* Adds up the changes; sums are at most 2^64 - 1. */
static void settle(struct profgen_cover *c)
{
    size_t kept = 0;
    uint64_t count = 0, over = 0, ranges = 0; /* over * 2^64 + count: the sum */
    struct profgen_step *steps = c->steps.data;
    for (size_t i = 0; steps && i < c->steps.n; i++) {
        struct profgen_step step = steps[i];
        if (step.ranges == 1) {
            count += step.count;
            over += count < step.count;
        } else {
            over -= count < step.count;
            count -= step.count;
        }
        ranges += step.ranges;
        if (kept == 0 || steps[kept - 1].address != step.address)
            kept++;
        steps[kept - 1] = (struct profgen_step){step.address, over ? UINT64_MAX : count, ranges};
    }
    c->steps.n = kept;
}

/* Covers each function in which a range begins with the count 0. */
static bool add_hit_functions(struct profgen_cover *c, const struct pair_count *ranges, size_t n,
                              const struct profgen_functions *functions)
{
    uint8_t *whole = calloc(functions->list.n + 1, 1); /* functions that are covered */
    bool good = whole != NULL;
    const struct profgen_range *in = NULL;
    for (size_t i = 0; good && i < n; i++) {
        in = profgen_range_near(functions, in, ranges[i].pair.a);
        if (!in || whole[in->function])
            continue;
        whole[in->function] = 1;
        const struct profgen_range *all = profgen_ranges_of(functions, in->function);
        for (size_t k = 0; good && k < functions->list.data[in->function].n_ranges; k++)
            good = add_range(c, all[k].start, all[k].end, 0);
    }
    free(whole);
    return good;
}

int profgen_cover_open(struct profgen_cover *c, const struct pair_count *ranges, size_t n,
                       const struct profgen_functions *functions, bool all, struct apf_error *error)
{
    *c = (struct profgen_cover){.steps = {0}};
    bool good = n < SIZE_MAX / 4 && VEC_RESERVE(&c->steps, 4 * n); /* both ends, and room to sort them */
    for (size_t i = 0; good && i < n; i++)
        good = add_range(c, ranges[i].pair.a, ranges[i].pair.b + 1, ranges[i].count);
    for (size_t i = 0; good && functions && all && i < functions->all.n; i++)
        good = add_range(c, functions->all.data[i].start, functions->all.data[i].end, 0);
    if (good && functions && !all)
        good = add_hit_functions(c, ranges, n, functions);
    if (!good || !SORT_VEC(&c->steps, step_before, NULL)) {
        profgen_cover_close(c);
        return error_memory(error);
    }
    settle(c);
    VEC_TRIM(&c->steps);
    return APF_OK;
}
