/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "profgen/profgen_tree.h"

/* A context, as a call of the context of its caller. */
struct called_context {
    uint64_t key;    /* LLVM's order of calls */
    uint32_t caller; /* the number of its context plus 1; 0: none */
    uint32_t context;
};

/* A context whose function is at a node of the nested profile. */
struct nested_place {
    uint32_t context, node;
};

struct attribute_walk {
    const struct apf_sample *from;
    struct apf_sample *nested;
    bool merged_base;
    uint32_t *source;             /* the node of `from` of each context; SAMPLE_NONE: none */
    uint32_t *tops;               /* the node of `nested` of each name; SAMPLE_NONE: none */
    uint32_t *first;              /* the calls of caller i are calls[first[i] .. first[i + 1]) */
    struct called_context *calls; /* by caller, then key */
    VEC(uint32_t) contexts;       /* still to come in the walk */
    VEC(struct nested_place) places;
};

static bool called_before(const void *context, const void *a, const void *b)
{
    const struct called_context *x = a, *y = b;
    (void)context;
    return x->caller != y->caller ? x->caller < y->caller : x->key < y->key;
}

static int open_walk(struct attribute_walk *w, struct apf_error *error)
{
    const struct apf_sample *from = w->from, *nested = w->nested;
    const size_t n = from->contexts.list.n, n_names = nested->names.list.n;
    w->source = malloc((n + 1) * sizeof *w->source);
    w->tops = malloc((n_names + 1) * sizeof *w->tops);
    w->first = calloc(n + 2, sizeof *w->first);
    w->calls = malloc((2 * n + 1) * sizeof *w->calls); /* half of it to sort the other one */
    if (!w->source || !w->tops || !w->first || !w->calls)
        return error_memory(error);
    memset(w->source, 0xff, (n + 1) * sizeof *w->source);
    memset(w->tops, 0xff, (n_names + 1) * sizeof *w->tops);
    for (size_t i = 0; i < from->top.n; i++)
        w->source[from->nodes.data[from->top.data[i]].context] = from->top.data[i];
    for (size_t i = 0; i < nested->top.n; i++)
        w->tops[nested->nodes.data[nested->top.data[i]].name] = nested->top.data[i];
    for (uint32_t i = 0; i < n; i++) {
        const struct sample_context *c = &from->contexts.list.data[i];
        const uint32_t caller = c->caller == SAMPLE_NONE ? 0 : c->caller + 1;
        w->calls[i] = (struct called_context){profgen_call_key(from, c->name, c->at), caller, i};
        w->first[caller + 1]++;
    }
    for (size_t i = 0; i <= n; i++)
        w->first[i + 1] += w->first[i];
    sort_merge(w->calls, w->calls + n, n, sizeof *w->calls, called_before, NULL);
    return APF_OK;
}

static void close_walk(struct attribute_walk *w)
{
    free(w->source);
    free(w->tops);
    free(w->first);
    free(w->calls);
    VEC_FREE(&w->contexts);
    VEC_FREE(&w->places);
}

/* Copies the attributes of a context's function, and those of what is nested in it, to where they were added up at the
 * top level. */
static int copy_attributes(struct attribute_walk *w, uint32_t context, struct apf_error *error)
{
    const uint32_t duplicated = w->merged_base ? APF_SAMPLE_DUPLICATED : 0;
    const struct sample_node *sources = w->from->nodes.data;
    struct sample_node *nodes = w->nested->nodes.data;
    struct nested_place place = {context, w->tops[w->from->contexts.list.data[context].name]};
    if (place.node == SAMPLE_NONE)
        return APF_OK;
    nodes[place.node].attributes = sources[w->source[context]].attributes;
    bool good = VEC_PUSH(&w->places, place);
    while (good && w->places.n) {
        place = w->places.data[--w->places.n];
        for (uint32_t i = w->first[place.context + 1]; good && i < w->first[place.context + 2]; i++) {
            const struct sample_context *c = &w->from->contexts.list.data[w->calls[i].context];
            struct nested_place inner = {w->calls[i].context, SAMPLE_NONE};
            if (w->source[inner.context] != SAMPLE_NONE)
                inner.node = sample_find_inlined(w->nested, place.node, c->at, c->name);
            if (inner.node == SAMPLE_NONE)
                continue;
            nodes[inner.node].attributes = sources[w->source[inner.context]].attributes | duplicated;
            good = VEC_PUSH(&w->places, inner);
        }
    }
    return good ? APF_OK : error_memory(error);
}

/* Whether the function of a context is added up at the top level. */
static bool is_added(const struct attribute_walk *w, uint32_t context)
{
    const uint32_t caller = w->from->contexts.list.data[context].caller;
    return w->source[context] != SAMPLE_NONE &&
           (w->merged_base || caller == SAMPLE_NONE || w->source[caller] == SAMPLE_NONE);
}

static bool push_calls(struct attribute_walk *w, uint32_t caller)
{
    bool good = true;
    for (uint32_t i = w->first[caller]; good && i < w->first[caller + 1]; i++)
        good = VEC_PUSH(&w->contexts, w->calls[i].context);
    return good;
}

int profgen_first_attributes(const struct apf_sample *from, struct apf_sample *nested, bool merged_base,
                             struct apf_error *error)
{
    struct attribute_walk w = {.from = from, .nested = nested, .merged_base = merged_base};
    int code = open_walk(&w, error);
    if (code == APF_OK && !push_calls(&w, 0))
        code = error_memory(error);
    /* This is LLVM's walk from its end: what is copied last stays. */
    while (code == APF_OK && w.contexts.n) {
        const uint32_t context = w.contexts.data[--w.contexts.n];
        code = is_added(&w, context) ? copy_attributes(&w, context, error) : APF_OK;
        if (code == APF_OK && !push_calls(&w, context + 1))
            code = error_memory(error);
    }
    close_walk(&w);
    return code;
}
