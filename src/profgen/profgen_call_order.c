/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_call_order.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "profgen/profgen_finish.h"

/* Functions by the order of their names. */
struct call_edge {
    uint32_t from, to;
    uint64_t count;
};

struct order_node {
    uint32_t name;
    uint32_t first, end; /* its edges */
    uint32_t visit, low; /* numbers of the search, from 1; 0: not visited */
    uint32_t next;       /* the next edge to look at */
    uint32_t group;      /* of functions that kept edges connect */
    uint32_t incoming;   /* kept edges that lead to it and are not done */
    bool done, queued;
    uint32_t circle; /* which circle it belongs to */
};

struct ordering {
    struct order_node *nodes;
    size_t n_nodes;
    VEC(struct call_edge) edges; /* by from, to */
    bool *kept;                  /* edges that are in the tree of the hottest calls */
    VEC(uint32_t) path, stack;   /* of the search */
    VEC(uint32_t) circle;        /* functions that call each other, as they were found */
    VEC(uint32_t) hottest;       /* edges of a circle, by count */
    VEC(uint32_t) queue;
    uint32_t *order; /* last ones first */
    size_t n;
    struct apf_error *error;
};

/* ---- counts ---- */

/* LLVM's estimate of how often a function was entered. */
static uint64_t entries(const struct sample_node *f)
{
    if (f->head)
        return f->head;
    uint64_t first = f->lines.n ? f->lines.data[0].count : 0;
    return first ? first : f->total != 0;
}

static uint64_t target_count(const struct sample_targets *list, uint64_t at, uint32_t name)
{
    size_t low;
    SEARCH(low, 0, list->n,
           list->data[low].at < at || (list->data[low].at == at && list->data[low].name < name));
    return low < list->n && list->data[low].at == at && list->data[low].name == name ? list->data[low].count
                                                                                     : 0;
}

uint64_t profgen_call_count(const struct profgen_tree *t, uint32_t function)
{
    const struct profgen_call *f = &t->list.data[function];
    const uint32_t caller = t->list.data[f->caller].node;
    if (f->node == SAMPLE_NONE || caller == SAMPLE_NONE)
        return 0;
    uint64_t own = entries(&t->s->nodes.data[f->node]);
    uint64_t called = target_count(&t->s->nodes.data[caller].targets, f->at, f->name);
    return own > called ? own : called;
}

/* ---- the graph ---- */

static bool edge_before(const void *context, const void *a, const void *b)
{
    const struct call_edge *x = a, *y = b;
    (void)context;
    return x->from != y->from ? x->from < y->from : x->to < y->to;
}

/* Adds up equal edges, and leaves those that are hot. */
static void settle_edges(struct ordering *o, uint64_t cold)
{
    size_t sums = 0, kept = 0;
    for (size_t i = 0; i < o->edges.n; i++) {
        struct call_edge edge = o->edges.data[i];
        struct call_edge *last = sums ? &o->edges.data[sums - 1] : NULL;
        if (last && last->from == edge.from && last->to == edge.to)
            last->count = profgen_sum(last->count, edge.count);
        else
            o->edges.data[sums++] = edge;
    }
    for (size_t i = 0; i < sums; i++)
        if (cold == 0 || o->edges.data[i].count > cold)
            o->edges.data[kept++] = o->edges.data[i];
    o->edges.n = kept;
    for (size_t i = 0, next = 0; i < o->n_nodes; i++) {
        o->nodes[i].first = (uint32_t)next;
        while (next < kept && o->edges.data[next].from == i)
            next++;
        o->nodes[i].end = (uint32_t)next;
        o->nodes[i].next = o->nodes[i].first;
    }
}

/* Makes nodes of the names that the tree has: place[name] is the number of its node. */
static int make_nodes(struct ordering *o, const struct profgen_tree *t, struct arena *arena, uint32_t *place)
{
    const size_t n = t->s->names.list.n;
    uint32_t *ranks = NULL, *by_rank = arena_array(arena, n, sizeof *by_rank);
    int code = by_rank ? sample_names_rank(&t->s->names, &ranks, o->error) : error_memory(o->error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        by_rank[ranks[i]] = (uint32_t)i;
        place[i] = PROFGEN_NOWHERE;
    }
    free(ranks);
    for (size_t i = 0; code == APF_OK && i < t->list.n; i++)
        place[t->list.data[i].name] = 0;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        uint32_t name = by_rank[i];
        if (place[name] == PROFGEN_NOWHERE)
            continue;
        place[name] = (uint32_t)o->n_nodes;
        o->nodes[o->n_nodes++].name = name;
    }
    return code;
}

static int make_graph(struct ordering *o, const struct profgen_tree *t, uint64_t cold, struct arena *arena)
{
    const size_t n = t->s->names.list.n;
    uint32_t *place = arena_array(arena, n, sizeof *place);
    o->nodes = arena_zeros(arena, n, sizeof *o->nodes);
    int code = place && o->nodes ? make_nodes(o, t, arena, place) : error_memory(o->error);
    for (uint32_t i = 0; code == APF_OK && i < t->list.n; i++) {
        const struct profgen_call *f = &t->list.data[i];
        if (f->caller == PROFGEN_NOWHERE)
            continue;
        struct call_edge edge = {place[t->list.data[f->caller].name], place[f->name],
                                 profgen_call_count(t, i)};
        code = VEC_PUSH(&o->edges, edge) ? APF_OK : error_memory(o->error);
    }
    if (code == APF_OK && !SORT_VEC(&o->edges, edge_before, NULL))
        code = error_memory(o->error);
    if (code == APF_OK)
        settle_edges(o, cold);
    o->kept = code == APF_OK ? arena_zeros(arena, o->edges.n + 1, sizeof *o->kept) : NULL;
    o->order = code == APF_OK ? calloc(o->n_nodes + 1, sizeof *o->order) : NULL;
    return code != APF_OK || (o->kept && o->order) ? code : error_memory(o->error);
}

/* ---- circles ---- */

static bool hotter(const void *context, const void *a, const void *b)
{
    const struct call_edge *edges = context;
    const uint32_t *x = a, *y = b;
    return edges[*x].count > edges[*y].count;
}

static uint32_t group_of(const struct ordering *o, uint32_t node)
{
    while (o->nodes[node].group != node) {
        o->nodes[node].group = o->nodes[o->nodes[node].group].group;
        node = o->nodes[node].group;
    }
    return node;
}

/* The edges within a circle, the hottest first, and of them those that connect its functions without a circle. */
static int keep_hottest(struct ordering *o, uint32_t circle)
{
    o->hottest.n = 0;
    for (size_t i = 0; i < o->circle.n; i++) {
        struct order_node *node = &o->nodes[o->circle.data[i]];
        node->group = o->circle.data[i];
        node->circle = circle;
    }
    for (size_t i = 0; i < o->circle.n; i++) {
        const struct order_node *node = &o->nodes[o->circle.data[i]];
        for (uint32_t k = node->first; k < node->end; k++)
            if (o->nodes[o->edges.data[k].to].circle == circle && !VEC_PUSH(&o->hottest, k))
                return error_memory(o->error);
    }
    if (!SORT_VEC(&o->hottest, hotter, o->edges.data))
        return error_memory(o->error);
    for (size_t i = 0; i < o->hottest.n; i++) {
        const struct call_edge *edge = &o->edges.data[o->hottest.data[i]];
        uint32_t a = group_of(o, edge->from), b = group_of(o, edge->to);
        o->kept[o->hottest.data[i]] = a != b;
        o->nodes[b].group = a;
        o->nodes[edge->to].incoming += a != b;
    }
    return APF_OK;
}

static bool enqueue(struct ordering *o, uint32_t node)
{
    struct order_node *n = &o->nodes[node];
    if (n->queued || n->incoming)
        return true;
    n->queued = true;
    return VEC_PUSH(&o->queue, node);
}

/* Sorts a circle along the calls that were kept, callers last. */
static int sort_circle(struct ordering *o, uint32_t circle)
{
    int code = keep_hottest(o, circle);
    bool good = code == APF_OK;
    o->queue.n = 0;
    for (size_t i = 0; good && i < o->hottest.n; i++)
        good = enqueue(o, o->edges.data[o->hottest.data[i]].from);
    for (size_t i = 0; good && i < o->queue.n; i++) {
        const struct order_node *node = &o->nodes[o->queue.data[i]];
        for (uint32_t k = node->first; good && k < node->end; k++) {
            if (!o->kept[k])
                continue;
            o->nodes[o->edges.data[k].to].incoming--;
            good = enqueue(o, o->edges.data[k].to);
        }
    }
    for (size_t i = 0; good && i < o->queue.n; i++)
        o->circle.data[o->queue.n - 1 - i] = o->queue.data[i];
    return good ? APF_OK : code == APF_OK ? error_memory(o->error) : code;
}

/* ---- the search ---- */

static bool visit(struct ordering *o, uint32_t node, uint32_t number)
{
    o->nodes[node].visit = o->nodes[node].low = number;
    return VEC_PUSH(&o->path, node) && VEC_PUSH(&o->stack, node);
}

/* A circle, which may be one function, is complete: it ends the stack from a node on. */
static int take_circle(struct ordering *o, uint32_t node)
{
    uint32_t last;
    o->circle.n = 0;
    do {
        last = o->stack.data[--o->stack.n];
        o->nodes[last].done = true;
        if (!VEC_PUSH(&o->circle, last))
            return error_memory(o->error);
    } while (last != node);
    int code = o->circle.n > 1 ? sort_circle(o, node + 1) : APF_OK;
    for (size_t i = 0; code == APF_OK && i < o->circle.n; i++)
        o->order[o->n++] = o->nodes[o->circle.data[i]].name;
    return code;
}

/* Tarjan's search for circles, without recursion: what is called comes before its callers. */
static int search(struct ordering *o, uint32_t from, uint32_t *number)
{
    int code = visit(o, from, ++*number) ? APF_OK : error_memory(o->error);
    while (code == APF_OK && o->path.n) {
        uint32_t at = o->path.data[o->path.n - 1];
        struct order_node *node = &o->nodes[at];
        if (node->next < node->end) {
            uint32_t to = o->edges.data[node->next++].to;
            if (o->nodes[to].visit == 0)
                code = visit(o, to, ++*number) ? APF_OK : error_memory(o->error);
            else if (!o->nodes[to].done && o->nodes[to].visit < node->low)
                node->low = o->nodes[to].visit;
            continue;
        }
        o->path.n--;
        if (o->path.n && o->nodes[o->path.data[o->path.n - 1]].low > node->low)
            o->nodes[o->path.data[o->path.n - 1]].low = node->low;
        if (node->low == node->visit)
            code = take_circle(o, at);
    }
    return code;
}

int profgen_call_order(const struct profgen_tree *t, uint64_t cold, uint32_t **order, size_t *n,
                       struct apf_error *error)
{
    struct ordering o = {.error = error};
    struct arena arena = {0};
    uint32_t number = 0;
    int code = make_graph(&o, t, cold, &arena);
    for (uint32_t i = 0; code == APF_OK && i < o.n_nodes; i++)
        if (o.nodes[i].visit == 0)
            code = search(&o, i, &number);
    for (size_t a = 0, b = o.n; code == APF_OK && a + 1 < b; a++) {
        uint32_t name = o.order[a];
        o.order[a] = o.order[--b];
        o.order[b] = name;
    }
    VEC_FREE(&o.edges);
    VEC_FREE(&o.path);
    VEC_FREE(&o.stack);
    VEC_FREE(&o.circle);
    VEC_FREE(&o.hottest);
    VEC_FREE(&o.queue);
    arena_free(&arena);
    if (code != APF_OK) {
        free(o.order);
        o.order = NULL;
    }
    *order = o.order;
    *n = code == APF_OK ? o.n : 0;
    return code;
}
