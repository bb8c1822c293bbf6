/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/run_counts.h"

#include <anyprof/bolt.h>

struct run_change {
    uint64_t low, high;
};

static void add(struct run_change *to, struct run_change more)
{
    to->low += more.low;
    to->high += more.high + (to->low < more.low);
}

bool run_counts_open(struct run_counts *r, struct arena *arena, size_t n)
{
    r->n = n;
    r->changes = n < SIZE_MAX ? arena_zeros(arena, n + 1, sizeof *r->changes) : NULL;
    return r->changes;
}

void run_counts_add(struct run_counts *r, size_t first, size_t end, uint64_t count)
{
    struct run_change more = {count, 0}, less = {0 - count, count ? UINT64_MAX : 0};
    if (first >= end)
        return;
    add(&r->changes[first], more);
    add(&r->changes[end], less);
}

void run_counts_settle(struct run_counts *r)
{
    struct run_change sum = {0, 0};
    for (size_t i = 0; i < r->n; i++) {
        add(&sum, r->changes[i]);
        r->changes[i].low = sum.high || sum.low > APF_FDATA_MOST ? APF_FDATA_MOST : sum.low;
    }
}

uint64_t run_counts_at(const struct run_counts *r, size_t step)
{
    return r->changes[step].low;
}
