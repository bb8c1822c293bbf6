/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_preinline.h"

#include <stdlib.h>
#include <string.h>

#include <anyprof/profgen.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sort.h"
#include "profgen/profgen_call_order.h"
#include "profgen/profgen_finish.h"
#include "profgen/profgen_sizes.h"
#include "sample/model/sample_summary.h"

#define HOT_CUTOFF 100000u /* counts of the hottest tenth are hot wholly */

/* States of nodes. */
#define STATE_INLINED 1u
#define STATE_MERGED 2u

struct candidate {
    uint32_t node; /* of the profile */
    uint32_t size;
    uint64_t count, hash;
};

/* The nodes of a function, in LLVM's order, are list[first .. end). */
struct function_nodes {
    uint32_t first, end;
};

/* A function with its place in LLVM's order. */
struct keyed {
    uint64_t key;
    uint32_t function;
};

struct preinliner {
    struct apf_sample *s;
    const struct profgen_context_options *options;
    struct profgen_tree tree;
    struct profgen_sizes sizes;
    struct arena arena;
    uint64_t cold, hottest;
    uint8_t *states;                  /* of nodes */
    struct function_nodes *functions; /* of names */
    uint32_t *nodes;
    VEC(struct candidate) queue; /* a heap: the first one is the best */
    VEC(struct keyed) calls;     /* of one function */
    struct sample_scratch scratch;
    struct apf_error *error;
};

/* ---- the nodes of each function ---- */

static bool key_before(const void *context, const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    (void)context;
    return x->key < y->key;
}

/* Makes p->calls of the functions that one calls, of which `first` is the first, or of those at the top level;
 * in LLVM's order. */
static int sort_calls(struct preinliner *p, uint32_t first)
{
    const struct profgen_tree *t = &p->tree;
    bool good = true;
    p->calls.n = 0;
    for (uint32_t i = first; good && i != PROFGEN_NOWHERE; i = t->list.data[i].next) {
        struct keyed keyed = {profgen_call_key(p->s, t->list.data[i].name, t->list.data[i].at), i};
        good = VEC_PUSH(&p->calls, keyed);
    }
    for (uint32_t i = 0; good && first == PROFGEN_NOWHERE && i < t->list.n; i++) {
        struct keyed keyed = {profgen_call_key(p->s, t->list.data[i].name, 0), i};
        good = t->list.data[i].caller != PROFGEN_NOWHERE || VEC_PUSH(&p->calls, keyed);
    }
    return good && SORT_VEC(&p->calls, key_before, NULL) ? APF_OK : error_memory(p->error);
}

static int append_calls(struct preinliner *p, uint32_t first, uint32_t *walk, size_t *n)
{
    int code = sort_calls(p, first);
    for (size_t i = 0; code == APF_OK && i < p->calls.n; i++)
        walk[(*n)++] = p->calls.data[i].function;
    return code;
}

/* Groups nodes by function; those of one are in the order of a walk by distance from the top level. */
static int group_nodes(struct preinliner *p)
{
    const struct profgen_tree *t = &p->tree;
    uint32_t *walk = arena_array(&p->arena, t->list.n, sizeof *walk);
    size_t n = 0, sum = 0;
    p->functions = arena_zeros(&p->arena, p->s->names.list.n, sizeof *p->functions);
    p->nodes = arena_array(&p->arena, t->list.n, sizeof *p->nodes);
    if (!walk || !p->functions || !p->nodes)
        return error_memory(p->error);
    int code = t->list.n ? append_calls(p, PROFGEN_NOWHERE, walk, &n) : APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++)
        if (t->list.data[walk[i]].first != PROFGEN_NOWHERE)
            code = append_calls(p, t->list.data[walk[i]].first, walk, &n);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n; i++)
        p->functions[t->list.data[walk[i]].name].end += t->list.data[walk[i]].node != SAMPLE_NONE;
    for (size_t i = 0; i < p->s->names.list.n; i++) {
        struct function_nodes *f = &p->functions[i];
        f->first = (uint32_t)sum;
        sum += f->end;
        f->end = f->first;
    }
    for (size_t i = 0; i < n; i++) {
        const struct profgen_call *f = &t->list.data[walk[i]];
        if (f->node != SAMPLE_NONE)
            p->nodes[p->functions[f->name].end++] = f->node;
    }
    return APF_OK;
}

/* ---- candidates ---- */

/* Whether x is to be looked at after y. What has no code costs nothing. */
static bool is_worse(const struct candidate *x, const struct candidate *y)
{
    if ((x->size == 0) != (y->size == 0))
        return y->size == 0;
    if (x->count != y->count)
        return x->count < y->count;
    if (x->size != y->size)
        return x->size > y->size;
    return x->hash < y->hash;
}

/* Moves a candidate up from a free place to where it belongs. */
static void sift_up(struct candidate *heap, size_t at, struct candidate c)
{
    for (; at && is_worse(&heap[(at - 1) / 2], &c); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = c;
}

static int push_candidate(struct preinliner *p, struct candidate c)
{
    if (!VEC_PUSH(&p->queue, c))
        return error_memory(p->error);
    sift_up(p->queue.data, p->queue.n - 1, c);
    return APF_OK;
}

/* The steps are those of the C++ library of GNU: where candidates are equal, they decide which of them LLVM inlines. */
static struct candidate pop_candidate(struct preinliner *p)
{
    struct candidate *heap = p->queue.data, best = heap[0], last = heap[--p->queue.n];
    size_t n = p->queue.n, at = 0, child;
    while ((child = 2 * at + 2) < n) {
        child -= is_worse(&heap[child], &heap[child - 1]);
        heap[at] = heap[child];
        at = child;
    }
    if (child == n) {
        heap[at] = heap[child - 1];
        at = child - 1;
    }
    if (n)
        sift_up(heap, at, last);
    return best;
}

static uint32_t size_of(const struct preinliner *p, uint32_t function)
{
    uint32_t node = p->tree.list.data[function].node;
    return p->options->flags & APF_PROFGEN_LINE_COST ? p->s->nodes.data[node].lines.n
                                                     : profgen_sizes_find(&p->sizes, &p->tree, function);
}

static int seal(struct preinliner *p, uint32_t node)
{
    return sample_seal_node(p->s, node, &p->scratch, p->error);
}

static int add_candidate(struct preinliner *p, uint32_t function)
{
    const struct profgen_call *f = &p->tree.list.data[function];
    if (f->node == SAMPLE_NONE)
        return APF_OK;
    int code = seal(p, f->node);
    if (code != APF_OK)
        return code;
    struct candidate c = {f->node, size_of(p, function), profgen_call_count(&p->tree, function),
                          sample_names_hash(&p->s->names, f->name)};
    return push_candidate(p, c);
}

/* Adds what a function calls. */
static int add_candidates(struct preinliner *p, uint32_t node)
{
    const uint32_t first = p->tree.list.data[p->tree.places[node]].first;
    int code = seal(p, node);
    if (code == APF_OK && first != PROFGEN_NOWHERE)
        code = sort_calls(p, first);
    for (size_t i = 0; code == APF_OK && first != PROFGEN_NOWHERE && i < p->calls.n; i++)
        code = add_candidate(p, p->calls.data[i].function);
    return code;
}

/* ---- decisions ---- */

static bool should_inline(const struct preinliner *p, const struct candidate *c)
{
    const bool was_inlined = p->s->nodes.data[c->node].attributes & APF_SAMPLE_WAS_INLINED;
    if (p->options->flags & APF_PROFGEN_REPLAY)
        return was_inlined;
    const struct apf_profgen_inlining *limits = &p->options->inlining;
    if (c->count <= p->cold)
        return c->size < limits->cold;
    double hotness = ((double)c->count - (double)p->cold) / ((double)p->hottest - (double)p->cold);
    hotness = hotness > 1.0 ? 1.0 : hotness > 0 ? hotness : 0;
    const double threshold = (double)limits->hot * hotness * 100 + (double)limits->cold + 1;
    return c->size < (uint64_t)threshold * (was_inlined ? limits->again : 1);
}

/* Adds the contexts of a function that are not inlined to its own profile. Its node is *node, or SAMPLE_NONE. */
static int find_base(struct preinliner *p, uint32_t name, uint32_t *node)
{
    struct profgen_tree *t = &p->tree;
    uint32_t base = profgen_tree_find(t, PROFGEN_NOWHERE, 0, name);
    const struct function_nodes *f = &p->functions[name];
    int code = APF_OK;
    for (uint32_t i = f->first; code == APF_OK && i < f->end; i++) {
        uint32_t from = t->places[p->nodes[i]];
        if (from == PROFGEN_NOWHERE || from == base || p->states[p->nodes[i]] & STATE_INLINED)
            continue;
        code = profgen_tree_raise(t, from, &base, p->error);
    }
    *node = base == PROFGEN_NOWHERE ? SAMPLE_NONE : t->list.data[base].node;
    return code;
}

static uint64_t limit_of(const struct apf_profgen_inlining *limits, uint32_t size)
{
    uint64_t limit = (uint64_t)size * limits->growth;
    limit = limit > limits->most ? limits->most : limit;
    return limit < limits->least ? limits->least : limit;
}

static int decide(struct preinliner *p, uint32_t name)
{
    uint32_t base;
    int code = find_base(p, name, &base);
    p->queue.n = 0;
    if (code != APF_OK || base == SAMPLE_NONE)
        return code;
    code = add_candidates(p, base);
    uint64_t size = size_of(p, p->tree.places[base]);
    const uint64_t limit = limit_of(&p->options->inlining, (uint32_t)size);
    while (code == APF_OK && p->queue.n && size < limit) {
        struct candidate c = pop_candidate(p);
        if (!should_inline(p, &c))
            continue;
        p->states[c.node] |= STATE_INLINED;
        p->s->nodes.data[c.node].attributes |= APF_SAMPLE_SHOULD_BE_INLINED;
        size += c.size;
        code = add_candidates(p, c.node);
    }
    return code;
}

/* Contexts that are neither inlined nor at the top level have been looked at too early, in circles of calls: LLVM drops
 * them. */
static void drop_rest(struct preinliner *p, struct profgen_context_counts *counts)
{
    struct profgen_tree *t = &p->tree;
    for (size_t i = 0; i < t->list.n; i++) {
        struct profgen_call *f = &t->list.data[i];
        if (f->node == SAMPLE_NONE || f->caller == PROFGEN_NOWHERE || p->states[f->node] & STATE_INLINED)
            continue;
        counts->dropped++;
        counts->dropped_counts = profgen_sum(counts->dropped_counts, p->s->nodes.data[f->node].total);
        t->places[f->node] = PROFGEN_NOWHERE;
        f->node = SAMPLE_NONE;
    }
}

static int find_thresholds(struct preinliner *p)
{
    struct sample_summary summary;
    int code = sample_summary_compute(p->s, sample_cutoffs, SAMPLE_N_CUTOFFS, &p->arena, &summary, p->error);
    if (code != APF_OK)
        return code;
    const struct sample_summary_row *cold = sample_summary_row(&summary, p->options->cold_cutoff);
    const struct sample_summary_row *hot = sample_summary_row(&summary, HOT_CUTOFF);
    p->cold = p->options->cold_count != UINT64_MAX ? p->options->cold_count : cold ? cold->min_count : 0;
    p->hottest = hot ? hot->min_count : 0;
    return APF_OK;
}

static int decide_all(struct preinliner *p)
{
    uint32_t *order = NULL;
    size_t n = 0;
    int code = profgen_call_order(&p->tree, p->cold, &order, &n, p->error);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        code = decide(p, order[i]);
    free(order);
    return code;
}

int profgen_preinline(struct apf_sample *s, struct profgen_context_counts *counts,
                      const struct profgen_context_options *options, const struct profgen_program *program,
                      const struct profgen_counts *c, struct apf_error *error)
{
    struct preinliner p = {.s = s, .options = options, .error = error};
    p.states = arena_zeros(&p.arena, s->nodes.n, 1);
    int code = p.states ? find_thresholds(&p) : error_memory(error);
    if (code == APF_OK && !(options->flags & APF_PROFGEN_LINE_COST))
        code = profgen_sizes_open(&p.sizes, program, c, s, error);
    if (code == APF_OK)
        code = profgen_tree_open(&p.tree, s, error);
    if (code == APF_OK)
        code = group_nodes(&p);
    if (code == APF_OK)
        code = decide_all(&p);
    if (code == APF_OK) {
        drop_rest(&p, counts);
        code = profgen_tree_finish(&p.tree, error);
    }
    profgen_tree_close(&p.tree);
    profgen_sizes_close(&p.sizes);
    arena_free(&p.arena);
    VEC_FREE(&p.queue);
    VEC_FREE(&p.calls);
    VEC_FREE(&p.scratch.bytes);
    s->info.flags |= APF_SAMPLE_PREINLINED;
    return code;
}
