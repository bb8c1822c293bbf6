/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/probe_stats.h"

/* ---- probes ---- */

static void count_probes(struct probe_stats *stats, const struct apf_probes *p)
{
    for (size_t i = 0; i < p->probes.n; i++) {
        const struct apf_probe *probe = &p->probes.data[i];
        stats->types[probe->type % STATS_TYPES]++;
        stats->unplaced += (probe->flags & APF_PROBE_FLAG_UNPLACED) != 0;
        stats->discriminators += (probe->attributes & APF_PROBE_ATTRIBUTE_DISCRIMINATOR) != 0;
    }
}

/* Counts the copies of each number of a sorted list, by class; returns the number of distinct ones. */
static uint64_t count_copies(uint64_t *classes, const uint64_t *sorted, size_t n)
{
    uint64_t different = 0;
    for (size_t i = 0, next; i < n; i = next, different++) {
        for (next = i + 1; next < n && sorted[next] == sorted[i]; next++)
            continue;
        size_t copies = next - i;
        classes[copies < 2 ? 0 : BIT_WIDTH(copies - 1)]++;
    }
    return different;
}

/* Numbers the function of each node; NULL: an allocation failed. */
static const uint32_t *number_functions(const struct apf_probes *p, struct arena *arena)
{
    uint32_t *numbers = arena_array(arena, p->nodes.n, sizeof *numbers), last = 0;
    for (size_t i = 0; numbers && i < p->nodes.n; i++) {
        if (i && p->nodes.data[p->by_guid[i]].guid != p->nodes.data[p->by_guid[i - 1]].guid)
            last++;
        numbers[p->by_guid[i]] = last;
    }
    return numbers;
}

static bool count_duplicates(struct probe_stats *stats, const struct apf_probes *p, struct arena *arena)
{
    size_t n = p->probes.n;
    const uint32_t *functions = number_functions(p, arena);
    uint64_t *keys = arena_array(arena, 2 * n, sizeof *keys);
    if (!functions || !keys)
        return false;
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint64_t)functions[p->probes.data[i].node] << 32 | p->probes.data[i].id;
    sort_numbers(keys, keys + n, n);
    stats->ids = count_copies(stats->copies, keys, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = (uint64_t)p->probes.data[i].node << 32 | p->probes.data[i].id;
    sort_numbers(keys, keys + n, n);
    (void)count_copies(stats->copies_local, keys, n);
    return true;
}

/* ---- nodes and functions ---- */

/* Computes the bytes of each node without the nodes inlined into it. */
static const uint64_t *own_bytes(const struct apf_probes *p, struct arena *arena)
{
    uint64_t *own = arena_array(arena, p->nodes.n, sizeof *own);
    for (size_t i = 0; own && i < p->nodes.n; i++) { /* inlined nodes follow */
        const struct apf_probe_node *node = &p->nodes.data[i];
        own[i] = node->size;
        if (node->parent != APF_PROBE_NONE)
            own[node->parent] -= node->size;
    }
    return own;
}

static bool count_levels(struct probe_stats *stats, const struct apf_probes *p, const uint64_t *own,
                         struct arena *arena)
{
    for (size_t i = 0; i < p->nodes.n; i++) {
        if (p->nodes.data[i].depth >= stats->n_levels)
            stats->n_levels = (size_t)p->nodes.data[i].depth + 1;
    }
    stats->levels = arena_zeros(arena, stats->n_levels, sizeof *stats->levels);
    for (size_t i = 0; stats->levels && i < p->nodes.n; i++) {
        const struct apf_probe_node *node = &p->nodes.data[i];
        struct stats_level *level = &stats->levels[node->depth];
        level->nodes++;
        level->probes += node->n_probes;
        level->bytes += own[i];
        stats->no_probes += node->n_probes == 0;
        stats->inlined += node->depth > 0;
        stats->unknown_sites += node->depth > 0 && node->call_probe == 0;
    }
    return stats->levels != NULL;
}

/* Keeps a function if it is one of the largest. Functions of equal size keep the order of their GUIDs, in which they
 * come. */
static void offer_function(struct probe_stats *stats, const struct stats_function *f)
{
    size_t at = stats->n_largest;
    if (at == STATS_LARGEST && stats->largest[--at].bytes >= f->bytes)
        return;
    for (; at && stats->largest[at - 1].bytes < f->bytes; at--)
        stats->largest[at] = stats->largest[at - 1];
    stats->largest[at] = *f;
    stats->n_largest += stats->n_largest < STATS_LARGEST;
}

static void count_functions(struct probe_stats *stats, const struct apf_probes *p, const uint64_t *own)
{
    for (size_t i = 0; i < p->nodes.n;) {
        struct stats_function f = {.guid = p->nodes.data[p->by_guid[i]].guid};
        for (; i < p->nodes.n && p->nodes.data[p->by_guid[i]].guid == f.guid; i++) {
            const struct apf_probe_node *node = &p->nodes.data[p->by_guid[i]];
            f.bytes += own[p->by_guid[i]];
            f.probes += node->n_probes;
            f.copies++;
            f.inlined += node->depth > 0;
        }
        stats->functions++;
        stats->without_descs += apf_probes_find_desc(p, f.guid) == NULL;
        offer_function(stats, &f);
    }
    size_t first;
    for (size_t i = 0; i < p->descs.n; i++)
        stats->without_probes += apf_probes_find_nodes(p, p->descs.data[i].guid, &first) == 0;
}

bool probe_count(struct probe_stats *stats, const struct apf_probes *p, struct arena *arena)
{
    memset(stats, 0, sizeof *stats);
    count_probes(stats, p);
    const uint64_t *own = own_bytes(p, arena);
    if (!own || !count_levels(stats, p, own, arena))
        return false;
    count_functions(stats, p, own);
    return count_duplicates(stats, p, arena);
}
