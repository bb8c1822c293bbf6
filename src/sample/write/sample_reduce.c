/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/write/sample_reduce.h"

#include <stdlib.h>

#include "base/error.h"
#include "sample/model/sample_resolve.h"

struct reducer {
    const struct apf_sample *s;
    struct apf_sample *to;
    uint32_t without;
    bool joins; /* functions may become equal: `to` is a sum until that is resolved */
    struct sample_losses losses;
    struct apf_error *error;
    uint32_t *names, *contexts, *nodes; /* numbers in `to` of those of `s`; nodes without one: SAMPLE_NONE */
};

static int copy_names(const struct reducer *r)
{
    const struct sample_names *from = &r->s->names;
    if (!(r->without & SAMPLE_HAS_FILES))
        return sample_names_adopt(&r->to->names, from, false, r->names, r->error);
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        struct apf_str text = sample_names_text(from, (uint32_t)i);
        code = text.p ? sample_names_add(&r->to->names, text, SAMPLE_NONE, false, &r->names[i], r->error)
                      : sample_names_add_hash(&r->to->names, from->list.data[i].hash, &r->names[i], r->error);
    }
    return code;
}

static int copy_contexts(const struct reducer *r)
{
    const struct sample_contexts *from = &r->s->contexts;
    int code = APF_OK;
    if (!(r->without & SAMPLE_HAS_CONTEXTS))
        return sample_contexts_adopt(&r->to->contexts, from, r->names, r->contexts, r->error);
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++)
        code = sample_contexts_base(&r->to->contexts, r->names[from->list.data[i].name], &r->contexts[i],
                                    r->error);
    return code;
}

/* ---- nodes ---- */

/* The node that a node of `s` is added to; of functions at the top level that become equal, the same one unless their
 * checksums differ. */
static int make_node(const struct reducer *r, const struct sample_node *f, uint32_t *node)
{
    if (f->caller != SAMPLE_NONE)
        return sample_inlined(r->to, r->nodes[f->caller], f->at, r->names[f->name], node, r->error);
    if (r->joins)
        return sample_sum_top(r->to, r->contexts[f->context], f->checksum, node, r->error);
    return sample_top(r->to, r->contexts[f->context], node, r->error);
}

static int copy_node(const struct reducer *r, size_t i)
{
    const struct sample_node *f = &r->s->nodes.data[i];
    bool top = f->caller == SAMPLE_NONE;
    uint32_t *node = &r->nodes[i];
    uint64_t unused = 0;
    *node = SAMPLE_NONE;
    if (f->state & SAMPLE_GONE || (!top && r->nodes[f->caller] == SAMPLE_NONE))
        return APF_OK;
    int code = make_node(r, f, node);
    if (code != APF_OK)
        return code;
    struct sample_node *to = &r->to->nodes.data[*node];
    to->total = sample_sum(to->total, f->total, 1, &r->to->n_saturated);
    to->head = sample_sum(to->head, f->head, 1, &r->to->n_saturated);
    to->votes = sample_sum(to->votes, f->votes, 1, &unused);
    if (!(r->without & SAMPLE_HAS_INNER_METADATA) || top)
        to->checksum = f->checksum;
    if (!(r->without & (top ? SAMPLE_HAS_ATTRIBUTES : SAMPLE_HAS_INNER_METADATA)))
        to->attributes |= f->attributes;
    return sample_copy_lists(r->to, *node, f, r->names, !(r->without & SAMPLE_HAS_VTABLES), r->error);
}

static int copy_nodes(const struct reducer *r)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < r->s->nodes.n; i++)
        code = copy_node(r, i);
    return code;
}

/* ---- the profile ---- */

static int copy_symbols(const struct reducer *r)
{
    const struct apf_sample *s = r->s;
    if (!VEC_RESERVE(&r->to->symbols, s->symbols.n))
        return error_memory(r->error);
    for (size_t i = 0; i < s->symbols.n; i++)
        r->to->symbols.data[r->to->symbols.n++] = s->symbols.data[i];
    r->to->has_symbols = s->has_symbols;
    return APF_OK;
}

/* sample_complete sets flags that the copy still needs. */
static void copy_info(const struct reducer *r)
{
    r->to->info = r->s->info;
    if (r->without & SAMPLE_HAS_CONTEXTS)
        r->to->info.flags &= ~APF_SAMPLE_CONTEXTS;
    if (r->without & SAMPLE_HAS_VTABLES)
        r->to->info.flags &= ~APF_SAMPLE_VTABLES;
    if (r->without & (SAMPLE_HAS_ATTRIBUTES | SAMPLE_HAS_INNER_METADATA))
        r->to->info.flags &= ~APF_SAMPLE_ATTRIBUTES;
    /* The attributes that are left set it again. A file without any may have it, too. */
    if (r->without & SAMPLE_HAS_ATTRIBUTES ||
        (r->without & SAMPLE_HAS_INNER_METADATA && r->s->info.flags & APF_SAMPLE_ATTRIBUTES))
        r->to->info.flags &= ~APF_SAMPLE_PREINLINED;
}

static int reduce_profile(struct reducer *r)
{
    const struct apf_sample *s = r->s;
    r->to->is_sum = r->joins = r->without & (SAMPLE_HAS_CONTEXTS | SAMPLE_HAS_FILES);
    r->names = malloc((s->names.list.n + 1) * sizeof *r->names);
    r->contexts = malloc((s->contexts.list.n + 1) * sizeof *r->contexts);
    r->nodes = malloc((s->nodes.n + 1) * sizeof *r->nodes);
    int code = r->names && r->contexts && r->nodes ? copy_names(r) : error_memory(r->error);
    if (code == APF_OK)
        code = copy_contexts(r);
    if (code == APF_OK)
        code = copy_nodes(r);
    if (code == APF_OK)
        code = copy_symbols(r);
    if (code == APF_OK)
        code = sample_seal(r->to, r->error);
    if (code == APF_OK && r->joins)
        code = sample_resolve(r->to, &r->losses, r->error);
    copy_info(r);
    free(r->names);
    free(r->contexts);
    free(r->nodes);
    return code == APF_OK ? sample_complete(r->to, r->error) : code;
}

int sample_reduce(const struct apf_sample *s, uint32_t without, struct apf_sample **reduced,
                  uint64_t *left_out, struct apf_error *error)
{
    struct reducer r = {.s = s, .to = sample_new(), .without = without, .error = error};
    *reduced = r.to;
    int code = r.to ? reduce_profile(&r) : error_memory(error);
    *left_out = r.losses.functions + r.losses.inlined;
    sample_losses_free(&r.losses);
    return code;
}
