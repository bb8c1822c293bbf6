/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/probe_trie.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sort.h"

#define NONE APF_PROBE_NONE
#define MOST_TYPE 15u
#define MOST_ATTRIBUTES 7u
#define ATTRIBUTE_SHIFT 4
#define IS_DISTANCE 0x80u
#define SENTINEL_PACKED (APF_PROBE_TYPE_BLOCK | APF_PROBE_ATTRIBUTE_SENTINEL << ATTRIBUTE_SHIFT)

int trie_add_function(struct probe_trie *t, uint64_t guid, uint64_t place, uint32_t *function,
                      struct apf_error *error)
{
    struct trie_function f = {guid, place, NONE};
    if (t->functions.n >= NONE)
        return error_plain(error, APF_LIMIT, "probes.functions", "more than 2^32 functions");
    *function = (uint32_t)t->functions.n;
    return VEC_PUSH(&t->functions, f) ? APF_OK : error_memory(error);
}

/* ---- nodes ---- */

static bool is_node(const struct trie_node *n, uint64_t guid, uint32_t site, uint32_t parent, bool top)
{
    return n->guid == guid && n->site == site && n->parent == parent && n->top == top;
}

/* Finds the node for a function at a call probe of its parent, or adds it. The caller has made room. */
static uint32_t find_node(struct probe_trie *t, uint64_t guid, uint32_t site, uint32_t parent, bool top)
{
    uint64_t hash = hash_index_mix(&t->index, guid, (uint64_t)site << 32 | parent);
    uint32_t e;
    HASH_INDEX_FIND(e, &t->index, hash, is_node(&t->nodes.data[e], guid, site, parent, top));
    if (e != HASH_INDEX_NONE)
        return e;
    struct trie_node n = {guid, site, parent, NONE, NONE, 0, NONE, NONE, 0, top};
    e = (uint32_t)t->nodes.n;
    t->nodes.data[t->nodes.n++] = n;
    hash_index_add(&t->index, hash, e);
    return e;
}

/* Finds the node of a probe, from the outermost function, which has no call probe, inwards. */
static uint32_t find_path(struct probe_trie *t, uint32_t function, const struct apf_probe_entry *entry)
{
    uint32_t parent = function, site = 0;
    for (size_t i = 0; i < entry->n_inlined; i++) {
        parent = find_node(t, entry->inlined[i].guid, site, parent, i == 0);
        site = entry->inlined[i].call_probe;
    }
    return find_node(t, entry->guid, site, parent, entry->n_inlined == 0);
}

/* Makes room for a probe and its path before any part is added: a path without its probe would be written. */
static int make_room(struct probe_trie *t, const struct apf_probe_entry *entry, struct apf_error *error)
{
    size_t n = entry->n_inlined + 1;
    if (n > NONE - t->nodes.n)
        return error_plain(error, APF_LIMIT, "probes.nodes", "more than 2^32 inlined functions");
    return VEC_RESERVE(&t->probes, 1) && VEC_RESERVE(&t->nodes, n) && hash_index_reserve(&t->index, n)
               ? APF_OK
               : hash_index_error(&t->index, error);
}

/* Checks a probe before any part is added, so that a refused one leaves nothing behind. */
static int check_limit(const struct probe_trie *t, uint32_t function, const struct apf_probe_entry *entry,
                       struct apf_error *error)
{
    if (function >= t->functions.n)
        return error_plain(error, APF_ARGUMENT, "probes.function", "no function has that number");
    if (entry->type > MOST_TYPE || entry->attributes > MOST_ATTRIBUTES)
        return error_plain(error, APF_ARGUMENT, "probes.probe", "the type or attributes do not fit");
    if (entry->attributes & APF_PROBE_ATTRIBUTE_SENTINEL)
        return error_plain(error, APF_ARGUMENT, "probes.probe", "sentinels are made where they are needed");
    bool zero = entry->guid == 0;
    for (size_t i = 0; i < entry->n_inlined; i++)
        zero |= entry->inlined[i].guid == 0;
    if (zero)
        return error_plain(error, APF_ARGUMENT, "probes.guid", "a GUID of 0 stands for no function");
    if (t->probes.n >= NONE)
        return error_plain(error, APF_LIMIT, "probes.probes", "more than 2^32 probes");
    return APF_OK;
}

int trie_add(struct probe_trie *t, uint32_t function, const struct apf_probe_entry *entry,
             struct apf_error *error)
{
    uint32_t at = (uint32_t)t->probes.n;
    int code = check_limit(t, function, entry, error);
    if (code == APF_OK)
        code = make_room(t, entry, error);
    if (code != APF_OK)
        return code;
    uint32_t number = find_path(t, function, entry);
    uint32_t attributes = entry->attributes | (entry->discriminator ? APF_PROBE_ATTRIBUTE_DISCRIMINATOR : 0);
    struct trie_probe p = {entry->address, NONE, entry->id, entry->discriminator,
                           (uint8_t)(entry->type | attributes << ATTRIBUTE_SHIFT | IS_DISTANCE)};
    t->probes.data[t->probes.n++] = p;
    struct trie_node *node = &t->nodes.data[number];
    if (node->n_probes++)
        t->probes.data[node->last_probe].next = at;
    else
        node->first_probe = at;
    node->last_probe = at;
    return APF_OK;
}

/* ---- order ---- */

/* Orders records first, by function; then inlined nodes, by parent. */
static bool node_before(const void *context, const void *a, const void *b)
{
    const struct trie_node *nodes = context;
    const uint32_t *i = a, *k = b;
    const struct trie_node *x = &nodes[*i], *y = &nodes[*k];
    if (x->top != y->top)
        return x->top;
    if (x->parent != y->parent)
        return x->parent < y->parent;
    return x->guid != y->guid ? x->guid < y->guid : x->site < y->site;
}

/* Makes the lists of nodes from `order`, which has each list from its end to its start. */
static void link_nodes(struct probe_trie *t, const uint32_t *order)
{
    for (size_t i = 0; i < t->functions.n; i++)
        t->functions.data[i].first = NONE;
    for (size_t i = 0; i < t->nodes.n; i++) {
        t->nodes.data[i].first_child = NONE;
        t->nodes.data[i].n_children = 0;
    }
    for (size_t i = t->nodes.n; i-- > 0;) {
        struct trie_node *n = &t->nodes.data[order[i]];
        uint32_t *first =
            n->top ? &t->functions.data[n->parent].first : &t->nodes.data[n->parent].first_child;
        n->next = *first;
        *first = order[i];
        if (!n->top)
            t->nodes.data[n->parent].n_children++;
    }
}

int trie_order(struct probe_trie *t, struct apf_error *error)
{
    struct arena arena = {0};
    size_t n = t->nodes.n;
    uint32_t *order = arena_array(&arena, 2 * n, sizeof *order);
    if (!order)
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    sort_merge(order, order + n, n, sizeof *order, node_before, t->nodes.data);
    link_nodes(t, order);
    arena_free(&arena);
    return APF_OK;
}

/* ---- writing ---- */

static void write_probe(const struct trie_probe *p, uint64_t before, const struct probe_sink *sink)
{
    sink->number(sink->user, p->id);
    sink->byte(sink->user, p->packed);
    sink->distance(sink->user, before, p->place);
    if (p->packed >> ATTRIBUTE_SHIFT & APF_PROBE_ATTRIBUTE_DISCRIMINATOR)
        sink->number(sink->user, p->discriminator);
}

/* Writes a node without the nodes inlined into it. */
static void write_node(const struct probe_trie *t, const struct trie_function *f, const struct trie_node *n,
                       uint64_t *place, const struct probe_sink *sink)
{
    bool sentinel = n->top && n->guid != f->guid;
    if (!n->top)
        sink->number(sink->user, n->site);
    sink->guid(sink->user, n->guid);
    sink->number(sink->user, n->n_probes + sentinel);
    sink->number(sink->user, n->n_children);
    if (sentinel) {
        sink->number(sink->user, 0);
        sink->byte(sink->user, SENTINEL_PACKED);
        sink->guid(sink->user, f->guid);
    }
    for (uint32_t i = n->first_probe; i != NONE; i = t->probes.data[i].next) {
        write_probe(&t->probes.data[i], *place, sink);
        *place = t->probes.data[i].place;
    }
}

void trie_write(const struct probe_trie *t, uint32_t function, const struct probe_sink *sink)
{
    const struct trie_function *f = &t->functions.data[function];
    uint64_t place = f->place;
    for (uint32_t i = f->first; i != NONE;) {
        const struct trie_node *n = &t->nodes.data[i];
        if (n->top)
            place = f->place;
        write_node(t, f, n, &place, sink);
        i = n->first_child;
        while (i == NONE && n->next == NONE && !n->top)
            n = &t->nodes.data[n->parent];
        if (i == NONE)
            i = n->next;
    }
}

void trie_free(struct probe_trie *t)
{
    VEC_FREE(&t->functions);
    VEC_FREE(&t->nodes);
    VEC_FREE(&t->probes);
    hash_index_free(&t->index);
}
