/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_hops.h"

#include <stdlib.h>

/* Hops of a phase. The table is tried again now and then, long enough to be filled. */
#define PHASE ((uint64_t)2 * PROFGEN_HOPS)
#define PHASE_UNUSED (32 * PHASE)

bool profgen_hops_open(struct profgen_hops *s)
{
    static const struct profgen_hop none = {0, UINT64_MAX, UINT64_MAX, 0, 0};
    if (s->table)
        return true;
    s->table = malloc(PROFGEN_HOPS * sizeof *s->table);
    for (size_t i = 0; s->table && i < PROFGEN_HOPS; i++)
        s->table[i] = none;
    return s->table;
}

void profgen_hops_free(struct profgen_hops *s)
{
    free(s->table);
    s->table = NULL;
}

bool profgen_hops_begin(struct profgen_hops *s, size_t n)
{
    if (s->n > (s->unused ? PHASE_UNUSED : PHASE)) {
        s->unused = !s->unused && s->n_met > s->n / 2;
        s->n = s->n_met = 0;
    }
    s->n += n;
    return !s->unused;
}
