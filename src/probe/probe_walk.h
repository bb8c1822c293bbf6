/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes distances as sections store addresses: from the probe before, in the order of the section. */
#ifndef PROBE_PROBE_WALK_H
#define PROBE_PROBE_WALK_H

#include "probe/probe_model.h"

#define PROBE_TYPE_BITS 0x0fu
#define PROBE_ATTRIBUTE_BITS 0x70u
#define PROBE_ATTRIBUTE_SHIFT 4
#define PROBE_IS_DISTANCE 0x80u

struct probe_walk {
    const struct apf_probes *probes;
    const struct probe_section *section;
    uint64_t address; /* of the probe before */
};

/* Begins a top-level record. In the old encoding all addresses follow from a stored one. */
static inline void probe_walk_record(struct probe_walk *walk, uint32_t node)
{
    const struct apf_probes *p = walk->probes;
    if (probe_is_chained(p, node))
        return;
    const struct probe_symbol *symbol = probe_find_symbol(p, p->nodes.data[node].guid, walk->section->text);
    walk->address = probe_start(p, symbol, walk->address);
}

static inline void probe_walk_sentinel(struct probe_walk *walk, const struct probe_sentinel *sentinel)
{
    if (sentinel->packed & PROBE_IS_DISTANCE) {
        walk->address += sentinel->guid;
        return;
    }
    const struct probe_symbol *symbol = probe_find_symbol(walk->probes, sentinel->guid, walk->section->text);
    walk->address = symbol ? symbol->address : sentinel->guid;
}

/* The distance of a probe. */
static inline int64_t probe_walk_probe(struct probe_walk *walk, const struct apf_probe *probe)
{
    uint64_t before = walk->address;
    walk->address = probe->address;
    return (int64_t)(probe->address - before);
}

/* Called for each probe, by its number; calls probe_walk_probe once its address is known. */
typedef void probe_walk_each(void *user, struct probe_walk *walk, uint32_t probe);
/* Walks all probes in the order of the sections, and the records and sentinels before them. */
void probe_walk_all(const struct apf_probes *probes, probe_walk_each *each, void *user);

#endif
