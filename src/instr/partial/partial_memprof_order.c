/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/partial/partial_memprof_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

static void count_entries(const struct apf_memprof *m, size_t n[MEMPROF_LISTS])
{
    n[FRAMES] = m->frames.n;
    n[NODES] = m->nodes.n;
    n[FUNCTIONS] = m->functions.n;
    n[STRINGS] = m->strings.n;
    n[ALLOCS] = m->allocs.n;
    n[SITES] = m->sites.n;
    n[CALLEES] = m->callees.n;
    n[DATA] = m->data.n;
    n[LOCATIONS] = m->locations.n;
    n[COLD] = m->cold.n;
    n[COLD_HASHES] = m->cold_hashes.n;
}

/* What entries of a list are sorted by. */
struct key {
    uint64_t parts[3];
};

static struct key function_key(const struct memprof_order *o, uint32_t function, uint32_t stack)
{
    return (struct key){{o->places[FUNCTIONS][function], o->places[NODES][stack], 0}};
}

static struct key frame_key(const struct apf_memprof_frame *f)
{
    return (struct key){{f->function, (uint64_t)f->line_offset << 32 | f->column, f->is_inline}};
}

/* Of a node of one depth, not 0. */
static struct key node_key(const struct memprof_order *o, const struct memprof_node *n)
{
    return (struct key){{o->places[NODES][n->parent], o->places[FRAMES][n->frame], 0}};
}

static struct key datum_key(const struct memprof_order *o, const struct memprof_datum *d)
{
    return (struct key){{d->is_literal, d->is_literal ? d->id : o->places[STRINGS][d->id], 0}};
}

static struct key location_key(const struct memprof_order *o, const struct memprof_location *l)
{
    return (struct key){{o->places[DATA][l->datum], o->places[STRINGS][l->file], l->line}};
}

/* The key of entry i of a list but that of strings, with the places of the lists before. */
static struct key key_of(const struct memprof_order *o, enum memprof_list list, uint32_t i)
{
    const struct apf_memprof *m = o->memprof;
    switch (list) {
    case FRAMES:
        return frame_key(&m->frames.data[i]);
    case NODES:
        return node_key(o, &m->nodes.data[i]);
    case FUNCTIONS:
        return (struct key){{m->functions.data[i].guid, 0, 0}};
    case ALLOCS:
        return function_key(o, m->allocs.data[i].function, m->allocs.data[i].stack);
    case SITES:
        return function_key(o, m->sites.data[i].function, m->sites.data[i].stack);
    case CALLEES:
        return (struct key){{o->places[SITES][m->callees.data[i].site], m->callees.data[i].guid, 0}};
    case DATA:
        return datum_key(o, &m->data.data[i]);
    case LOCATIONS:
        return location_key(o, &m->locations.data[i]);
    case COLD:
        return (struct key){{o->places[STRINGS][m->cold.data[i]], 0, 0}};
    default:
        return (struct key){{m->cold_hashes.data[i], 0, 0}};
    }
}

/* The context of a comparison. */
struct sorting {
    const struct memprof_order *order;
    enum memprof_list list;
};

static bool entry_before(const void *context, const void *a, const void *b)
{
    const struct sorting *s = context;
    const uint32_t *first = a, *second = b;
    const struct key x = key_of(s->order, s->list, *first), y = key_of(s->order, s->list, *second);
    size_t i = 0;
    while (i < 2 && x.parts[i] == y.parts[i])
        i++;
    return x.parts[i] < y.parts[i];
}

static bool string_before(const void *context, const void *a, const void *b)
{
    const struct sorting *s = context;
    const struct apf_str *strings = s->order->memprof->strings.data;
    const uint32_t *first = a, *second = b;
    return sort_text_before(NULL, &strings[*first], &strings[*second]);
}

static bool depth_before(const void *context, const void *a, const void *b)
{
    const struct sorting *s = context;
    const struct memprof_node *nodes = s->order->memprof->nodes.data;
    const uint32_t *first = a, *second = b;
    return nodes[*first].depth < nodes[*second].depth;
}

/* Sorts a part of a list, and sets the places of its entries. */
static void sort_part(struct memprof_order *o, enum memprof_list list, size_t first, size_t end,
                      uint32_t *scratch)
{
    const struct sorting s = {o, list};
    uint32_t *sorted = o->sorted[list];
    sort_merge(sorted + first, scratch, end - first, sizeof *sorted,
               list == STRINGS ? string_before : entry_before, &s);
    for (size_t i = first; i < end; i++)
        o->places[list][sorted[i]] = (uint32_t)i;
}

/* Sorts the nodes, depth by depth: a node comes after its caller. */
static void sort_nodes(struct memprof_order *o, uint32_t *scratch)
{
    const struct sorting s = {o, NODES};
    const struct memprof_node *nodes = o->memprof->nodes.data;
    uint32_t *sorted = o->sorted[NODES];
    sort_merge(sorted, scratch, o->n[NODES], sizeof *sorted, depth_before, &s);
    o->places[NODES][sorted[0]] = 0;
    for (size_t first = 1, end = 1; first < o->n[NODES]; first = end) {
        while (end < o->n[NODES] && nodes[sorted[end]].depth == nodes[sorted[first]].depth)
            end++;
        sort_part(o, NODES, first, end, scratch);
    }
}

int memprof_order_open(struct memprof_order *o, const struct apf_memprof *m, struct apf_error *error)
{
    size_t most = 0;
    bool good = true;
    *o = (struct memprof_order){.memprof = m};
    count_entries(m, o->n);
    for (unsigned list = 0; list < MEMPROF_LISTS; list++) {
        o->sorted[list] = malloc((o->n[list] + 1) * sizeof **o->sorted);
        o->places[list] = malloc((o->n[list] + 1) * sizeof **o->places);
        good = good && o->sorted[list] && o->places[list];
        for (size_t i = 0; good && i < o->n[list]; i++)
            o->sorted[list][i] = o->places[list][i] = (uint32_t)i;
        most = o->n[list] > most ? o->n[list] : most;
    }
    uint32_t *scratch = good ? malloc((most + 1) * sizeof *scratch) : NULL;
    const bool sorts = scratch && m->inputs > 1; /* the lists of one input have its order */
    for (unsigned list = 0; sorts && list < MEMPROF_LISTS; list++) {
        if (list == NODES)
            sort_nodes(o, scratch);
        else
            sort_part(o, (enum memprof_list)list, 0, o->n[list], scratch);
    }
    free(scratch);
    return scratch ? APF_OK : error_memory(error);
}

void memprof_order_close(struct memprof_order *o)
{
    for (unsigned list = 0; list < MEMPROF_LISTS; list++) {
        free(o->sorted[list]);
        free(o->places[list]);
    }
}
