/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/probe_walk.h"

#include "base/search.h"

/* Walks the probes of a node, each after the sentinels before it; *sentinel is the next one. */
static void walk_node(struct probe_walk *walk, uint32_t number, size_t *sentinel, probe_walk_each *each,
                      void *user)
{
    const struct apf_probes *p = walk->probes;
    const struct apf_probe_node *node = &p->nodes.data[number];
    uint32_t end = node->first_probe + node->n_probes;
    if (node->parent == APF_PROBE_NONE)
        probe_walk_record(walk, number);
    for (uint32_t at = node->first_probe; at <= end; at++) {
        while (*sentinel < p->sentinels.n && p->sentinels.data[*sentinel].node == number &&
               p->sentinels.data[*sentinel].next <= at)
            probe_walk_sentinel(walk, &p->sentinels.data[(*sentinel)++]);
        if (at < end)
            each(user, walk, at);
    }
}

void probe_walk_all(const struct apf_probes *p, probe_walk_each *each, void *user)
{
    struct probe_walk walk = {.probes = p};
    for (size_t k = 0; k < p->sections.n; k++) {
        const struct probe_section *s = &p->sections.data[k];
        size_t sentinel;
        if (s->has_descs)
            continue;
        walk.section = s;
        walk.address = 0;
        SEARCH(sentinel, 0, p->sentinels.n, p->sentinels.data[sentinel].node < s->first);
        for (size_t i = s->first; i < s->first + s->count; i++)
            walk_node(&walk, (uint32_t)i, &sentinel, each, user);
    }
}
