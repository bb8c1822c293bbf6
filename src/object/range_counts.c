/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/range_counts.h"

struct range_change {
    uint64_t low, high;
};

static void add_change(struct range_change *to, struct range_change more)
{
    to->low += more.low;
    to->high += more.high + (to->low < more.low);
}

bool range_counts_open(struct range_counts *r, struct arena *arena, size_t n)
{
    r->n = n;
    r->changes = n < SIZE_MAX ? arena_zeros(arena, n + 1, sizeof *r->changes) : NULL;
    return r->changes;
}

void range_counts_add(struct range_counts *r, size_t first, size_t end, uint64_t count)
{
    struct range_change more = {count, 0}, less = {0 - count, count ? UINT64_MAX : 0};
    if (first >= end)
        return;
    add_change(&r->changes[first], more);
    add_change(&r->changes[end], less);
}

void range_counts_settle(struct range_counts *r, uint64_t most)
{
    struct range_change sum = {0, 0};
    for (size_t i = 0; i < r->n; i++) {
        add_change(&sum, r->changes[i]);
        r->changes[i].low = sum.high || sum.low > most ? most : sum.low;
    }
}

uint64_t range_counts_at(const struct range_counts *r, size_t item)
{
    return r->changes[item].low;
}
