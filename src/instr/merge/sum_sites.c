/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/sum_sites.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"

/* Whether the values of the only addition can be written unchanged: few enough, with the highest count first. */
static bool is_settled(const struct sum_sites *f, const struct apf_site *site, unsigned kind)
{
    bool targets = kind != APF_VALUE_MEMOP_SIZE;
    for (size_t i = 1; i < site->n; i++)
        if (site->values[i].count > site->values[i - 1].count)
            return false;
    for (size_t i = 0; targets && f->renames->list.n && i < site->n; i++)
        if (renames_apply(f->renames, site->values[i].value) != site->values[i].value)
            return false;
    return site->n <= SITE_MAX_VALUES;
}

static bool all_settled(const struct sum_sites *f, const struct sum *s)
{
    const struct apf_site *site = s->first;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (uint32_t i = 0; i < s->n_sites[k]; i++, site++)
            if (!is_settled(f, site, k))
                return false;
    return true;
}

static void count_unknown(struct sum_sites *f, const struct apf_value *values, size_t n, unsigned kind)
{
    for (size_t i = 0; kind != APF_VALUE_MEMOP_SIZE && i < n; i++)
        f->stats->unknown_targets += values[i].value == 0;
}

/* Renames targets. Two targets that now have one name become one value. */
static bool rename_targets(struct sum_sites *f, struct value_list *l, bool *saturated)
{
    bool renamed = false;
    for (uint32_t i = 0; i < l->n; i++) {
        uint64_t old = l->values[i].value;
        l->values[i].value = renames_apply(f->renames, old);
        renamed |= l->values[i].value != old;
    }
    if (renamed)
        l->sorted = 0; /* by their old ids */
    return !renamed || value_list_normalise(l, saturated);
}

/* Sorts values by count, highest first, and cuts those that do not fit in a file. Equal counts keep their order: the
 * profile's if there was one addition, else by value. */
static int finish_site(struct sum_sites *f, const struct apf_site *from, uint32_t sorted, unsigned kind,
                       struct apf_site *site, bool *saturated, struct apf_error *error)
{
    f->values.n = 0;
    if (!VEC_RESERVE(&f->values, 2 * from->n))
        return error_memory(error);
    struct apf_value *v = f->values.data;
    struct value_list l = {v, (uint32_t)from->n, sorted, (uint32_t)from->n};
    memcpy(v, from->values, from->n * sizeof *v);
    if (!value_list_settle(&l, saturated))
        return error_memory(error);
    count_unknown(f, v, l.n, kind);
    if (kind != APF_VALUE_MEMOP_SIZE && !rename_targets(f, &l, saturated))
        return error_memory(error);
    sort_merge(v, v + l.n, l.n, sizeof *v, value_count_before, NULL);
    site->n = l.n < SITE_MAX_VALUES ? l.n : SITE_MAX_VALUES;
    f->stats->truncated_sites += site->n < l.n;
    f->stats->truncated_values += l.n - site->n;
    struct apf_value *copy = arena_array(f->arena, site->n, sizeof *copy);
    if (!copy)
        return error_memory(error);
    memcpy(copy, v, site->n * sizeof *copy);
    site->values = copy;
    return APF_OK;
}

/* Keeps the sites of the only addition unchanged. */
static void keep_sites(struct sum_sites *f, const struct sum *s, struct record *out)
{
    const struct apf_site *site = out->sites = s->first;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (uint32_t i = 0; i < s->n_sites[k]; i++, site++)
            count_unknown(f, site->values, site->n, k);
}

int sum_sites_finish(struct sum_sites *f, const struct sum *s, struct record *out, struct apf_error *error)
{
    size_t n = sum_site_count(s);
    if (n == 0)
        return APF_OK;
    if (s->first && all_settled(f, s)) {
        keep_sites(f, s, out);
        return APF_OK;
    }
    struct apf_site *sites = arena_zeros(f->arena, n, sizeof *sites);
    if (!sites)
        return error_memory(error);
    int code = APF_OK;
    bool saturated = false;
    out->sites = sites;
    for (size_t k = 0, at = 0; k < APF_VALUE_KINDS; at += s->n_sites[k++])
        for (uint32_t i = 0; code == APF_OK && i < s->n_sites[k]; i++) {
            struct apf_site from = sum_site(s, at + i);
            uint32_t sorted = s->sites ? s->sites[at + i].sorted : 0;
            if (from.n)
                code = finish_site(f, &from, sorted, (unsigned)k, &sites[at + i], &saturated, error);
        }
    if (saturated)
        out->flags |= APF_RECORD_SATURATED;
    return code;
}
