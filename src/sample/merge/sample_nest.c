/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_nest.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/model/sample_share.h"

/* A context whose function becomes an inlined one, with its call. */
struct nested_call {
    uint64_t at;
    uint32_t caller, name; /* caller: a context */
};

struct nesting {
    const struct apf_sample *from;
    bool merged_base;
    struct apf_sample *trees; /* functions with what is nested in them, by the contexts of `from`: a sum */
    struct apf_sample *to;    /* the trees by function */
    uint32_t *source;         /* the node of `from` of each context; SAMPLE_NONE: none */
    uint32_t *tree;           /* the node of `trees` of such a context */
    uint64_t *added;          /* samples of what is nested in the function of a context ... */
    uint64_t *removed;        /* ... and those of the calls that it replaces */
    VEC(struct nested_call) calls;
};

/* The context whose function the function of a context is nested in; SAMPLE_NONE: none. */
static uint32_t outer_of(const struct nesting *w, uint32_t context)
{
    uint32_t caller = w->from->contexts.list.data[context].caller;
    return caller == SAMPLE_NONE || w->source[caller] == SAMPLE_NONE ? SAMPLE_NONE : caller;
}

/* ---- the trees ---- */

/* Copies the function of a context to its place in the trees. */
static int place_function(struct nesting *w, uint32_t context, struct apf_error *error)
{
    const struct sample_context *c = &w->from->contexts.list.data[context];
    const struct sample_node *f = &w->from->nodes.data[w->source[context]];
    uint32_t outer = outer_of(w, context), *node = &w->tree[context];
    int code = outer == SAMPLE_NONE ? sample_sum_top(w->trees, context, f->checksum, node, error)
                                    : sample_inlined(w->trees, w->tree[outer], c->at, c->name, node, error);
    if (code != APF_OK)
        return code;
    w->trees->nodes.data[*node].checksum = f->checksum;
    w->trees->nodes.data[*node].input = f->input;
    code = sample_add_node(w->trees, *node, w->from, w->source[context], error);
    if (outer == SAMPLE_NONE)
        return code;
    struct sample_node *made = &w->trees->nodes.data[*node];
    struct nested_call call = {c->at, outer, c->name};
    made->head = 0;
    made->attributes |= w->merged_base ? APF_SAMPLE_DUPLICATED : 0;
    return code == APF_OK && !VEC_PUSH(&w->calls, call) ? error_memory(error) : code;
}

/* A caller's context has a smaller number. */
static int place_functions(struct nesting *w, struct apf_error *error)
{
    const struct apf_sample *from = w->from;
    size_t n = from->contexts.list.n;
    int code = APF_OK;
    memset(w->source, 0xff, n * sizeof *w->source);
    for (size_t i = 0; i < from->top.n; i++)
        w->source[from->nodes.data[from->top.data[i]].context] = from->top.data[i];
    for (uint32_t i = 0; code == APF_OK && i < n; i++)
        if (w->source[i] != SAMPLE_NONE)
            code = place_function(w, i, error);
    return code;
}

/* ---- calls that nested functions replace ---- */

static bool call_before(const void *context, const void *a, const void *b)
{
    const struct nested_call *x = a, *y = b;
    (void)context;
    if (x->caller != y->caller)
        return x->caller < y->caller;
    return x->at != y->at ? x->at < y->at : x->name < y->name;
}

/* A place in a function while its calls are removed: lists are compacted. */
struct removal {
    struct sample_node *f;
    uint32_t next, kept; /* targets that were looked at, and those that stay */
};

/* Removes the targets at a place that are among n calls there. Returns their count, saturating; *left: some stay whose
 * counts are not 0. */
static uint64_t remove_targets(struct removal *r, const struct nested_call *calls, size_t n, bool *left)
{
    struct sample_targets *list = &r->f->targets;
    uint64_t at = calls->at, count = 0;
    *left = false;
    for (; r->next < list->n && list->data[r->next].at == at; r->next++) {
        const struct sample_target *t = &list->data[r->next];
        while (n && calls->name < t->name) {
            calls++;
            n--;
        }
        if (n && calls->name == t->name) {
            count = sample_sum(count, t->count, 1, &(uint64_t){0});
        } else {
            *left = *left || t->count != 0;
            list->data[r->kept++] = *t;
        }
    }
    return count;
}

static void keep_targets_below(struct removal *r, uint64_t at)
{
    struct sample_targets *list = &r->f->targets;
    while (r->next < list->n && list->data[r->next].at < at)
        list->data[r->kept++] = list->data[r->next++];
}

static void keep_other_targets(struct removal *r)
{
    struct sample_targets *list = &r->f->targets;
    while (r->next < list->n)
        list->data[r->kept++] = list->data[r->next++];
}

/* Removes n calls, which are sorted, from a function: the targets, their counts from the lines, and lines that are
 * empty then. Returns the counts that the lines lost, saturating. */
static uint64_t remove_calls(struct sample_node *f, const struct nested_call *calls, size_t n)
{
    struct removal r = {f, 0, 0};
    struct sample_lines *lines = &f->lines;
    uint64_t removed = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lines->n; i++) {
        struct sample_line line = lines->data[i];
        while (n && calls->at < line.at) { /* there is no such line */
            calls++;
            n--;
        }
        bool left = true;
        if (n && calls->at == line.at) {
            size_t here = 1;
            while (here < n && calls[here].at == line.at)
                here++;
            keep_targets_below(&r, line.at);
            const uint32_t kept_below = r.kept;
            uint64_t count = remove_targets(&r, calls, here, &left);
            count = count < line.count ? count : line.count;
            line.count -= count;
            removed = sample_sum(removed, count, 1, &(uint64_t){0});
            left |= line.count != 0;
            r.kept = left ? r.kept : kept_below;
        }
        if (left)
            lines->data[kept++] = line;
    }
    keep_other_targets(&r);
    lines->n = kept;
    f->targets.n = r.kept;
    return removed;
}

static int remove_all_calls(struct nesting *w, struct apf_error *error)
{
    if (!SORT_VEC(&w->calls, call_before, NULL))
        return error_memory(error);
    for (size_t i = 0, end; i < w->calls.n; i = end) {
        uint32_t caller = w->calls.data[i].caller;
        for (end = i; end < w->calls.n && w->calls.data[end].caller == caller;)
            end++;
        w->removed[caller] = remove_calls(&w->trees->nodes.data[w->tree[caller]], &w->calls.data[i], end - i);
    }
    return APF_OK;
}

/* Adds the samples of nested functions to those they are nested in, from the innermost on. */
static void sum_totals(struct nesting *w)
{
    for (size_t i = w->from->contexts.list.n; i-- > 0;) {
        if (w->source[i] == SAMPLE_NONE)
            continue;
        struct sample_node *f = &w->trees->nodes.data[w->tree[i]];
        uint32_t outer = outer_of(w, (uint32_t)i);
        uint64_t n_saturated = w->to->n_saturated;
        f->total = sample_sum(f->total, w->added[i], 1, &w->to->n_saturated);
        f->state |= w->to->n_saturated != n_saturated ? SAMPLE_SATURATED : 0;
        f->total = f->total > w->removed[i] ? f->total - w->removed[i] : 0;
        if (outer != SAMPLE_NONE)
            w->added[outer] = sample_sum(w->added[outer], f->total, 1, &w->to->n_saturated);
    }
}

/* ---- by function ---- */

/* The node of a context, after sealing: it may have become part of one that was inlined at its place before. */
static uint32_t sealed_tree(const struct nesting *w, uint32_t context)
{
    uint32_t node = w->tree[context];
    while (w->trees->nodes.data[node].state & SAMPLE_PART)
        node = w->trees->nodes.data[node].caller;
    return node;
}

/* Adds the tree of a context to its function without a context, as it would be there. */
static int add_to_base(struct nesting *w, uint32_t context, struct apf_error *error)
{
    const struct sample_node *source = &w->from->nodes.data[w->source[context]];
    uint32_t tree = sealed_tree(w, context);
    struct sample_node *f = &w->trees->nodes.data[tree];
    uint32_t base, to;
    int code = sample_contexts_base(&w->to->contexts, f->name, &base, error);
    if (code == APF_OK)
        code = sample_sum_top(w->to, base, f->checksum, &to, error);
    if (code != APF_OK)
        return code;
    struct sample_node as_nested = *f;
    f->head = source->head;
    f->attributes = source->attributes;
    code = sample_add_node(w->to, to, w->trees, tree, error);
    f->head = as_nested.head;
    f->attributes = as_nested.attributes;
    return code;
}

static int add_trees(struct nesting *w, struct apf_error *error)
{
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < w->from->contexts.list.n; i++)
        if (w->source[i] != SAMPLE_NONE && (w->merged_base || outer_of(w, i) == SAMPLE_NONE))
            code = add_to_base(w, i, error);
    return code;
}

static int check_depth(const struct apf_sample *s, struct apf_error *error)
{
    uint32_t *depths = malloc((s->nodes.n + 1) * sizeof *depths), most = 0;
    if (!depths)
        return error_memory(error);
    for (size_t i = 0; i < s->nodes.n; i++) {
        uint32_t caller = s->nodes.data[i].caller;
        depths[i] = caller == SAMPLE_NONE ? 0 : depths[caller] + 1;
        most = most < depths[i] ? depths[i] : most;
    }
    free(depths);
    return most <= SAMPLE_MAX_DEPTH
               ? APF_OK
               : error_plain(error, APF_LIMIT, "sample.depth",
                             "functions that are nested would be inlined %lu deep, and %u is the most",
                             (unsigned long)most, SAMPLE_MAX_DEPTH);
}

static int nest_functions(struct nesting *w, struct sample_losses *losses, struct apf_error *error)
{
    size_t n = w->from->contexts.list.n + 1;
    w->source = malloc(n * sizeof *w->source);
    w->tree = malloc(n * sizeof *w->tree);
    w->added = calloc(n, sizeof *w->added);
    w->removed = calloc(n, sizeof *w->removed);
    w->trees = NULL;
    bool ok = w->source && w->tree && w->added && w->removed;
    int code = ok ? sample_share_contexts(w->from, &w->trees, error) : error_memory(error);
    if (code == APF_OK)
        code = place_functions(w, error);
    if (code == APF_OK)
        code = remove_all_calls(w, error);
    if (code == APF_OK) {
        sum_totals(w);
        code = sample_seal(w->trees, error);
    }
    if (code == APF_OK)
        code = add_trees(w, error);
    if (code == APF_OK)
        code = check_depth(w->to, error);
    return code == APF_OK ? sample_resolve(w->to, losses, error) : code;
}

int sample_nest(const struct apf_sample *from, bool merged_base, struct apf_sample **nested,
                struct sample_losses *losses, struct apf_error *error)
{
    struct nesting w = {.from = from, .merged_base = merged_base, .to = sample_share_names(&from->names)};
    *nested = NULL;
    int code = w.to ? nest_functions(&w, losses, error) : error_memory(error);
    sample_share_free(w.trees);
    free(w.source);
    free(w.tree);
    free(w.added);
    free(w.removed);
    VEC_FREE(&w.calls);
    if (code != APF_OK) {
        sample_share_free(w.to);
        return code;
    }
    w.to->info.flags = from->info.flags & ~APF_SAMPLE_CONTEXTS;
    *nested = w.to;
    return APF_OK;
}
