/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_hops.h"

#include <stdlib.h>

/* Hops after which it is decided again whether the cache is used. PHASE is long enough to fill it; PHASE_OFF makes new
 * attempts rare. */
#define PHASE ((uint64_t)2 * PROFGEN_HOPS)
#define PHASE_OFF (32 * PHASE)

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

void profgen_hops_count(struct profgen_hops *s, size_t n)
{
    s->n += n;
    if (s->n <= (s->off ? PHASE_OFF : PHASE))
        return;
    s->off = !s->off && s->n_missed > s->n / 2;
    s->n = s->n_missed = 0;
}
