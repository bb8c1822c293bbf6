/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/place_tree.h"

#include "base/sort.h"

bool place_tree_reset(struct place_tree *t)
{
    static const struct place_node root;
    t->nodes.n = 0;
    hash_index_free(&t->index);
    return VEC_PUSH(&t->nodes, root);
}

uint32_t place_tree_add(struct place_tree *t, uint32_t parent, uint64_t place)
{
    uint32_t e;
    if (!hash_index_reserve(&t->index, 1) || !VEC_RESERVE(&t->nodes, 1))
        return HASH_INDEX_NONE;
    const uint64_t hash = hash_index_mix(&t->index, place, parent);
    HASH_INDEX_FIND(e, &t->index, hash, t->nodes.data[e].place == place && t->nodes.data[e].parent == parent);
    if (e != HASH_INDEX_NONE)
        return e;
    e = (uint32_t)t->nodes.n;
    const uint32_t line = parent == PLACE_ROOT ? (uint32_t)(place >> 32) : t->nodes.data[parent].line;
    t->nodes.data[t->nodes.n++] = (struct place_node){.parent = parent, .line = line, .place = place};
    hash_index_add(&t->index, hash, e);
    return e;
}

/* By parents, and then by places; the root comes first. */
static bool node_before(const void *context, const void *a, const void *b)
{
    const struct place_node *nodes = (const struct place_node *)context;
    const uint32_t *i = a, *k = b;
    const struct place_node *x = &nodes[*i], *y = &nodes[*k];
    if (*i == PLACE_ROOT || *k == PLACE_ROOT)
        return *i == PLACE_ROOT && *k != PLACE_ROOT;
    return x->parent != y->parent ? x->parent < y->parent : x->place < y->place;
}

/* Ranks the nodes in the order of a walk: `first` has for each node the first of its children in the list of nodes, and
 * `stack` has room for all nodes. */
static void walk(struct place_tree *t, const uint32_t *children, const uint32_t *first, uint32_t *stack)
{
    struct place_node *nodes = t->nodes.data;
    size_t n_stack = 1;
    uint32_t rank = 0;
    stack[0] = PLACE_ROOT;
    while (n_stack) {
        const uint32_t node = stack[--n_stack];
        nodes[node].rank = rank++;
        for (uint32_t i = first[node + 1]; i > first[node]; i--) /* the last one is walked last */
            stack[n_stack++] = children[i - 1];
    }
}

bool place_tree_rank(struct place_tree *t)
{
    const uint32_t n = (uint32_t)t->nodes.n;
    t->order.n = 0;
    if (!VEC_RESERVE(&t->order, 3 * (size_t)n + 2))
        return false;
    uint32_t *children = t->order.data, *scratch = children + n, *first = scratch + n;
    for (uint32_t i = 0; i < n; i++)
        children[i] = i;
    sort_merge(children, scratch, n, sizeof *children, node_before, t->nodes.data);
    for (uint32_t node = 0, i = 1; node <= n; node++) { /* children[0] is the root */
        while (i < n && node && t->nodes.data[children[i]].parent < node)
            i++;
        first[node] = i;
    }
    walk(t, children, first, scratch);
    return true;
}

void place_tree_free(struct place_tree *t)
{
    VEC_FREE(&t->nodes);
    VEC_FREE(&t->order);
    hash_index_free(&t->index);
}
