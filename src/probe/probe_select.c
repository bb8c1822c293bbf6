/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selects the probes and nodes that a view shows, and finds their names. */
#include "probe/probe_print.h"

const char *probe_type_name(uint8_t type)
{
    static const char *const names[] = {"Block", "IndirectCall", "DirectCall"};
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

bool probe_wants_guid(const struct probe_printer *pr, uint64_t guid)
{
    return !(pr->options.flags & APF_PROBES_PRINT_ONE_FUNCTION) || guid == pr->options.guid;
}

uint32_t probe_tree_probes(const struct apf_probes *p, uint32_t node)
{
    size_t behind = (size_t)node + p->nodes.data[node].n_nodes;
    size_t end = behind < p->nodes.n ? p->nodes.data[behind].first_probe : p->probes.n;
    return (uint32_t)(end - p->nodes.data[node].first_probe);
}

/* ---- names ---- */

bool probe_name_nodes(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    pr->desc_of = arena_array(&pr->arena, p->nodes.n, sizeof *pr->desc_of);
    for (size_t i = 0; pr->desc_of && i < p->nodes.n; i++) {
        const struct apf_probe_desc *desc = apf_probes_find_desc(p, p->nodes.data[i].guid);
        pr->desc_of[i] = desc ? (uint32_t)(desc - p->descs.data) : APF_PROBE_NONE;
    }
    return pr->desc_of != NULL;
}

struct apf_str probe_node_name(const struct probe_printer *pr, uint32_t node)
{
    uint32_t desc = pr->desc_of[node];
    return desc != APF_PROBE_NONE ? pr->probes->descs.data[desc].name
                                  : apf_probes_name(pr->probes, pr->probes->nodes.data[node].guid);
}

/* ---- which probes ---- */

static void select_probe(struct probe_printer *pr, uint32_t i)
{
    const struct apf_probes *p = pr->probes;
    if (probe_wants_guid(pr, p->nodes.data[p->probes.data[i].node].guid))
        pr->order[pr->n_order++] = i;
}

bool probe_select(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    size_t first = 0, n = p->n_placed;
    bool range = (pr->options.flags & APF_PROBES_PRINT_RANGE) != 0;
    if (range)
        n = apf_probes_find_range(p, pr->options.low, pr->options.high, &first);
    pr->order = arena_array(&pr->arena, range ? n : p->probes.n, sizeof *pr->order);
    if (!pr->order)
        return false;
    for (size_t i = first; i < first + n; i++)
        select_probe(pr, p->by_address[i]);
    for (size_t i = 0; !range && n < p->probes.n && i < p->probes.n; i++) {
        if (p->probes.data[i].flags & APF_PROBE_FLAG_UNPLACED)
            select_probe(pr, (uint32_t)i);
    }
    return !p->info.relocatable || probe_sort_by_text(p, pr->order, pr->n_order);
}

/* ---- which nodes ---- */

const uint8_t *probe_mark_list(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    uint8_t *wanted = arena_zeros(&pr->arena, p->nodes.n, 1);
    bool all = !(pr->options.flags & (APF_PROBES_PRINT_ONE_FUNCTION | APF_PROBES_PRINT_RANGE));
    if (wanted && all)
        memset(wanted, 1, p->nodes.n);
    for (size_t i = 0; wanted && !all && i < pr->n_order; i++) {
        uint32_t node = p->probes.data[pr->order[i]].node;
        for (; node != APF_PROBE_NONE && !wanted[node]; node = p->nodes.data[node].parent)
            wanted[node] = 1;
    }
    return wanted;
}

const uint8_t *probe_mark_tree(struct probe_printer *pr)
{
    const struct apf_probes *p = pr->probes;
    bool one = (pr->options.flags & APF_PROBES_PRINT_ONE_FUNCTION) != 0;
    if (pr->options.flags & APF_PROBES_PRINT_RANGE)
        return probe_select(pr) ? probe_mark_list(pr) : NULL;
    uint8_t *wanted = arena_zeros(&pr->arena, p->nodes.n, 1);
    for (size_t i = 0; wanted && i < p->nodes.n; i++) { /* a node follows its parent */
        const struct apf_probe_node *node = &p->nodes.data[i];
        bool below = one && node->parent != APF_PROBE_NONE && wanted[node->parent];
        wanted[i] = below || probe_wants_guid(pr, node->guid);
    }
    return wanted;
}
