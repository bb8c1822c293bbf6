/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/value_gather.h"

#include <string.h>

void value_gather_clear(struct value_gather *g)
{
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        g->values[k].n = g->sites[k].n = 0;
}

void value_gather_free(struct value_gather *g)
{
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        VEC_FREE(&g->values[k]);
        VEC_FREE(&g->sites[k]);
    }
}

bool value_gather_fits(const struct value_gather *g)
{
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        if (g->sites[k].n > UINT32_MAX)
            return false;
    return true;
}

bool value_gather_store(const struct value_gather *g, struct apf_instr *instr, struct record *out)
{
    size_t n_sites = 0, n_values = 0;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        n_sites += g->sites[k].n;
        n_values += g->values[k].n;
    }
    if (n_sites == 0)
        return true;
    struct apf_site *site = arena_array(&instr->arena, n_sites, sizeof *site);
    struct apf_value *value = arena_array(&instr->arena, n_values, sizeof *value);
    if (!site || !value)
        return false;
    out->sites = site;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        size_t n = g->sites[k].n;
        if (n == 0)
            continue;
        out->n_sites[k] = (uint32_t)n;
        if (instr->max_kinds < k + 1)
            instr->max_kinds = k + 1;
        if (g->values[k].n)
            memcpy(value, g->values[k].data, g->values[k].n * sizeof *value);
        for (size_t i = 0; i < n; i++, site++) {
            site->values = value;
            site->n = (size_t)g->sites[k].data[i];
            value += site->n;
        }
    }
    return true;
}
