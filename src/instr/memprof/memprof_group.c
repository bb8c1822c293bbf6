/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof/memprof_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

struct grouping {
    struct apf_memprof *m;
    bool sorted;
    uint32_t *ranks; /* the rank of each frame in an order by content; set if `sorted` */
};

/* Sorts items unless they are sorted already, as those of a file that LLVM wrote. */
static bool sort_items(void *items, size_t n, size_t size, sort_before *before, const void *context)
{
    bool ready = true;
    for (size_t i = 1; ready && i < n; i++)
        ready = !before(context, (const char *)items + i * size, (const char *)items + (i - 1) * size);
    if (ready)
        return true;
    void *scratch = malloc(n * size); /* n > 1 */
    if (!scratch)
        return false;
    sort_merge(items, scratch, n, size, before, context);
    free(scratch);
    return true;
}

/* ---- functions ---- */

/* Sorts the functions. map[old number] becomes the new one; the caller frees it, also after a failure. */
static bool order_functions(struct grouping *g, uint32_t **map)
{
    struct apf_memprof *m = g->m;
    size_t n = m->functions.n;
    struct sort_key *keys = malloc(2 * n * sizeof *keys + 1);
    *map = malloc(n * sizeof **map + 1);
    bool ok = keys && *map;
    for (size_t i = 0; ok && i < n; i++) {
        keys[i].key = m->functions.data[i].guid;
        keys[i].value = i;
    }
    if (ok && g->sorted)
        sort_keys(keys, keys + n, n);
    for (size_t i = 0; ok && i < n; i++) {
        (*map)[keys[i].value] = (uint32_t)i;
        m->functions.data[i].guid = keys[i].key;
    }
    free(keys);
    return ok;
}

/* ---- frames and stacks ---- */

static bool frame_before(const void *context, const void *a, const void *b)
{
    const struct apf_memprof *m = context;
    const uint32_t *number_a = a, *number_b = b;
    const struct apf_memprof_frame *x = &m->frames.data[*number_a], *y = &m->frames.data[*number_b];
    if (x->function != y->function)
        return x->function < y->function;
    if (x->line_offset != y->line_offset)
        return x->line_offset < y->line_offset;
    if (x->column != y->column)
        return x->column < y->column;
    return x->is_inline < y->is_inline;
}

static bool rank_frames(struct grouping *g)
{
    size_t n = g->m->frames.n;
    uint32_t *order = malloc(n * sizeof *order + 1);
    g->ranks = malloc(n * sizeof *g->ranks + 1);
    bool ok = order && g->ranks;
    for (size_t i = 0; ok && i < n; i++)
        order[i] = (uint32_t)i;
    ok = ok && sort_items(order, n, sizeof *order, frame_before, g->m);
    for (size_t i = 0; ok && i < n; i++)
        g->ranks[order[i]] = (uint32_t)i;
    free(order);
    return ok;
}

/* Compares two stacks from the innermost frame outwards. Returns a number below, equal to or above 0. */
static int compare_stacks(const struct grouping *g, uint32_t a, uint32_t b)
{
    const struct memprof_node *nodes = g->m->nodes.data;
    while (a != b && a && b) {
        uint32_t x = g->ranks[nodes[a].frame], y = g->ranks[nodes[b].frame];
        if (x != y)
            return x < y ? -1 : 1;
        a = nodes[a].parent;
        b = nodes[b].parent;
    }
    return a == b ? 0 : a == 0 ? -1 : 1;
}

/* ---- allocations ---- */

static bool alloc_before(const void *context, const void *a, const void *b)
{
    const struct grouping *g = context;
    const struct memprof_alloc *x = a, *y = b;
    if (x->function != y->function || !g->sorted)
        return x->function < y->function;
    return compare_stacks(g, x->stack, y->stack) < 0;
}

static bool group_allocs(struct grouping *g, const uint32_t *map)
{
    struct apf_memprof *m = g->m;
    for (size_t i = 0; i < m->allocs.n; i++)
        m->allocs.data[i].function = map[m->allocs.data[i].function];
    if (!sort_items(m->allocs.data, m->allocs.n, sizeof *m->allocs.data, alloc_before, g))
        return false;
    for (size_t i = m->allocs.n; i-- > 0;) {
        struct memprof_function *f = &m->functions.data[m->allocs.data[i].function];
        f->first_alloc = i;
        f->n_allocs++;
    }
    return true;
}

/* ---- call sites ---- */

struct numbered_site {
    struct memprof_site site;
    uint32_t number;
};

static bool site_before(const void *context, const void *a, const void *b)
{
    const struct grouping *g = context;
    const struct memprof_site *x = &((const struct numbered_site *)a)->site;
    const struct memprof_site *y = &((const struct numbered_site *)b)->site;
    if (x->function != y->function || !g->sorted)
        return x->function < y->function;
    return compare_stacks(g, x->stack, y->stack) < 0;
}

static bool callee_before(const void *context, const void *a, const void *b)
{
    const struct grouping *g = context;
    const struct memprof_callee *x = a, *y = b;
    if (x->site != y->site || !g->sorted)
        return x->site < y->site;
    return x->guid < y->guid;
}

static bool group_callees(struct grouping *g)
{
    struct apf_memprof *m = g->m;
    if (!sort_items(m->callees.data, m->callees.n, sizeof *m->callees.data, callee_before, g) ||
        !VEC_RESERVE(&m->callee_guids, m->callees.n))
        return false;
    for (size_t i = m->callees.n; i-- > 0;) {
        struct memprof_site *s = &m->sites.data[m->callees.data[i].site];
        m->callee_guids.data[i] = m->callees.data[i].guid;
        s->first_callee = i;
        s->n_callees++;
    }
    m->callee_guids.n = m->callees.n;
    VEC_FREE(&m->callees);
    return true;
}

static bool group_sites(struct grouping *g, const uint32_t *map)
{
    struct apf_memprof *m = g->m;
    size_t n = m->sites.n;
    struct numbered_site *sites = malloc(n * sizeof *sites + 1);
    uint32_t *moved = malloc(n * sizeof *moved + 1);
    bool ok = sites && moved;
    for (size_t i = 0; ok && i < n; i++) {
        sites[i].site = m->sites.data[i];
        sites[i].site.function = map[sites[i].site.function];
        sites[i].number = (uint32_t)i;
    }
    ok = ok && sort_items(sites, n, sizeof *sites, site_before, g);
    for (size_t i = n; ok && i-- > 0;) {
        struct memprof_function *f = &m->functions.data[sites[i].site.function];
        m->sites.data[i] = sites[i].site;
        moved[sites[i].number] = (uint32_t)i;
        f->first_site = i;
        f->n_sites++;
    }
    for (size_t i = 0; ok && i < m->callees.n; i++)
        m->callees.data[i].site = moved[m->callees.data[i].site];
    free(sites);
    free(moved);
    return ok && group_callees(g);
}

/* ---- data access profiles ---- */

static int compare_strings(const struct apf_memprof *m, uint64_t a, uint64_t b)
{
    const struct apf_str *x = &m->strings.data[a], *y = &m->strings.data[b];
    return sort_compare_bytes(x->p, x->n, y->p, y->n);
}

struct numbered_datum {
    struct memprof_datum datum;
    uint32_t number;
};

static bool datum_before(const void *context, const void *a, const void *b)
{
    const struct memprof_datum *x = &((const struct numbered_datum *)a)->datum;
    const struct memprof_datum *y = &((const struct numbered_datum *)b)->datum;
    if (x->is_literal != y->is_literal)
        return y->is_literal;
    return x->is_literal ? x->id < y->id
                         : compare_strings((const struct apf_memprof *)context, x->id, y->id) < 0;
}

static bool location_before(const void *context, const void *a, const void *b)
{
    const struct grouping *g = context;
    const struct memprof_location *x = a, *y = b;
    if (x->datum != y->datum || !g->sorted)
        return x->datum < y->datum;
    int order = compare_strings(g->m, x->file, y->file);
    return order ? order < 0 : x->line < y->line;
}

static bool order_data(struct grouping *g)
{
    struct apf_memprof *m = g->m;
    size_t n = m->data.n;
    struct numbered_datum *data = malloc(n * sizeof *data + 1);
    uint32_t *moved = malloc(n * sizeof *moved + 1);
    bool ok = data && moved;
    for (size_t i = 0; ok && i < n; i++) {
        data[i].datum = m->data.data[i];
        data[i].number = (uint32_t)i;
    }
    ok = ok && (!g->sorted || sort_items(data, n, sizeof *data, datum_before, m));
    for (size_t i = 0; ok && i < n; i++) {
        m->data.data[i] = data[i].datum;
        moved[data[i].number] = (uint32_t)i;
    }
    for (size_t i = 0; ok && i < m->locations.n; i++)
        m->locations.data[i].datum = moved[m->locations.data[i].datum];
    free(data);
    free(moved);
    return ok;
}

static bool cold_before(const void *context, const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return compare_strings((const struct apf_memprof *)context, *x, *y) < 0;
}

static bool group_data(struct grouping *g)
{
    struct apf_memprof *m = g->m;
    if (!order_data(g) ||
        !sort_items(m->locations.data, m->locations.n, sizeof *m->locations.data, location_before, g))
        return false;
    for (size_t i = m->locations.n; i-- > 0;) {
        struct memprof_datum *d = &m->data.data[m->locations.data[i].datum];
        d->first_location = i;
        d->n_locations++;
    }
    if (g->sorted && !sort_items(m->cold.data, m->cold.n, sizeof *m->cold.data, cold_before, m))
        return false;
    if (!VEC_RESERVE(&m->cold_symbols, m->cold.n))
        return false;
    for (size_t i = 0; i < m->cold.n; i++)
        m->cold_symbols.data[i] = m->strings.data[m->cold.data[i]];
    m->cold_symbols.n = m->cold.n;
    uint64_t *scratch = malloc(m->cold_hashes.n * sizeof *scratch + 1);
    if (scratch && g->sorted)
        sort_numbers(m->cold_hashes.data, scratch, m->cold_hashes.n);
    free(scratch);
    return scratch != NULL;
}

/* ---- the profile ---- */

static bool group_all(struct grouping *g)
{
    uint32_t *map = NULL;
    bool ok = order_functions(g, &map);
    if (ok && g->sorted)
        ok = rank_frames(g);
    ok = ok && group_allocs(g, map) && group_sites(g, map) && group_data(g);
    free(map);
    free(g->ranks);
    return ok;
}

int memprof_group(struct apf_memprof *m, bool sorted, struct apf_error *error)
{
    struct grouping g = {m, sorted, NULL};
    struct apf_memprof_info *info = &m->info;
    int code = memprof_check(m, "memprof", NO_OFFSET, error);
    if (code != APF_OK)
        return code;
    if (!group_all(&g) || (!m->has_summary && memprof_summarise(m, &info->summary) != APF_OK))
        return error_memory(error);
    info->n_functions = m->functions.n;
    info->n_allocs = m->allocs.n;
    info->n_call_sites = m->sites.n;
    info->frames = m->frames.data;
    info->n_frames = m->frames.n;
    info->n_data = m->data.n;
    info->cold_symbols = m->cold_symbols.data;
    info->n_cold_symbols = m->cold_symbols.n;
    info->cold_hashes = m->cold_hashes.data;
    info->n_cold_hashes = m->cold_hashes.n;
    return APF_OK;
}
