/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_flat.h"

#include <stdlib.h>

#include "base/error.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_share.h"

struct flattening {
    const struct apf_sample *from;
    struct apf_sample *flat;
    uint64_t *estimates; /* of entries, of the nodes of `from` */
    uint8_t *left_out;   /* see sample_find_duplicates */
    struct sample_order order;
};

/* ---- without contexts ---- */

/* Attributes are of a function in its context. */
static void forget_attributes(struct apf_sample *s)
{
    for (size_t i = 0; i < s->top.n; i++)
        s->nodes.data[s->top.data[i]].attributes = 0;
}

static int drop_contexts(const struct apf_sample *from, struct apf_sample *flat, struct apf_error *error)
{
    int code = sample_add_plain(flat, from, false, error);
    forget_attributes(flat);
    return code;
}

/* ---- without inlined functions ---- */

static int copy_body(struct flattening *w, const struct sample_node *f, uint32_t to, struct apf_error *error)
{
    int code = sample_reserve_lines(w->flat, to, (uint64_t)f->lines.n + f->callees.n, error);
    if (code == APF_OK)
        code = sample_reserve_targets(w->flat, to, (uint64_t)f->targets.n + f->callees.n, error);
    return code == APF_OK ? sample_copy_lists(w->flat, to, f, NULL, true, error) : code;
}

/* Appends calls in place of what is inlined in a node. *total, that of the node, becomes that without the samples in
 * inlined functions, one after the other as in LLVM: it never falls below 0. */
static int add_calls(struct flattening *w, uint32_t node, uint32_t to, uint64_t *total,
                     struct apf_error *error)
{
    const struct sample_node *nodes = w->from->nodes.data, *f = &nodes[node];
    const uint32_t *callees = sample_order_callees(&w->order, w->from, node);
    int code = f->callees.n && !callees ? error_memory(error) : APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < f->callees.n; i++) {
        const struct sample_node *callee = &nodes[callees[i]];
        uint64_t count = w->estimates[callees[i]];
        *total = *total >= callee->total ? *total - callee->total : 0;
        *total = sample_sum(*total, count, 1, &w->flat->n_saturated);
        code = sample_append_line(w->flat, to, callee->at, count, error);
        if (code == APF_OK)
            code = sample_append_target(w->flat, to, callee->at, callee->name, count, error);
    }
    return code;
}

static int flatten_node(struct flattening *w, uint32_t node, struct apf_error *error)
{
    const struct sample_node *f = &w->from->nodes.data[node];
    uint64_t total = f->total, unused = 0, n_saturated = w->flat->n_saturated;
    uint32_t context, to;
    int code = sample_contexts_base(&w->flat->contexts, f->name, &context, error);
    if (code == APF_OK)
        code = sample_sum_top(w->flat, context, f->checksum, &to, error);
    if (code == APF_OK)
        code = copy_body(w, f, to, error);
    if (code == APF_OK)
        code = add_calls(w, node, to, &total, error);
    if (code != APF_OK)
        return code;
    struct sample_node *sum = &w->flat->nodes.data[to];
    sum->total = sample_sum(sum->total, total, 1, &w->flat->n_saturated);
    sum->votes = sample_sum(sum->votes, f->votes, 1, &unused);
    sum->input = sum->input < f->input ? sum->input : f->input;
    sum->attributes |= f->attributes;
    sum->state |= f->state & SAMPLE_SATURATED;
    sum->state |= w->flat->n_saturated != n_saturated ? SAMPLE_SATURATED : 0;
    return APF_OK;
}

static int flatten_nodes(struct flattening *w, struct apf_error *error)
{
    size_t n = w->from->nodes.n;
    int code = sample_order_make(&w->order, w->from, error);
    if (code == APF_OK)
        code = sample_entry_estimates(w->from, &w->estimates, error);
    w->left_out = sample_find_duplicates(w->from);
    if (code == APF_OK && !w->left_out)
        code = error_memory(error);
    for (uint32_t i = 0; code == APF_OK && i < n; i++)
        if (!w->left_out[i])
            code = flatten_node(w, i, error);
    return code == APF_OK ? sample_seal(w->flat, error) : code;
}

/* LLVM derives the entries of a function from its first line again. */
static void estimate_heads(struct apf_sample *flat)
{
    for (size_t i = 0; i < flat->top.n; i++) {
        struct sample_node *f = &flat->nodes.data[flat->top.data[i]];
        f->head = f->lines.n ? f->lines.data[0].count : 0;
        f->head = f->head ? f->head : f->total > 0;
    }
}

int sample_flatten(const struct apf_sample *from, struct apf_sample **flat, struct sample_losses *losses,
                   struct apf_error *error)
{
    struct flattening w = {.from = from, .flat = sample_share_names(&from->names)};
    bool contexts = from->info.flags & APF_SAMPLE_CONTEXTS;
    *flat = NULL;
    if (!w.flat)
        return error_memory(error);
    int code = contexts ? drop_contexts(from, w.flat, error) : flatten_nodes(&w, error);
    sample_order_free(&w.order);
    free(w.estimates);
    free(w.left_out);
    if (code == APF_OK)
        code = sample_resolve(w.flat, losses, error);
    if (code != APF_OK) {
        sample_share_free(w.flat);
        return code;
    }
    if (!contexts)
        estimate_heads(w.flat);
    w.flat->info.flags = from->info.flags & ~APF_SAMPLE_CONTEXTS;
    *flat = w.flat;
    return APF_OK;
}
