/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sample/model/sample_lists.h"
#include "sample/model/sample_share.h"

struct resolver {
    struct apf_sample *s;
    struct sample_losses *losses;
    size_t first_loss;
    VEC(uint32_t) group; /* functions that differ by their checksums only */
    struct sample_scratch scratch;
    struct sample_walk walk;
};

void sample_losses_free(struct sample_losses *l)
{
    VEC_FREE(&l->list);
    l->functions = l->inlined = l->samples = 0;
}

static bool is_better(const struct sample_node *a, const struct sample_node *b)
{
    if (a->votes != b->votes)
        return a->votes > b->votes;
    return a->total != b->total ? a->total > b->total : a->checksum < b->checksum;
}

/* The node of a group that stays: of those with a checksum. */
static uint32_t winner_of(const struct resolver *r)
{
    const struct sample_node *nodes = r->s->nodes.data;
    uint32_t best = SAMPLE_NONE;
    for (size_t i = 0; i < r->group.n; i++) {
        uint32_t node = r->group.data[i];
        if (nodes[node].checksum && (best == SAMPLE_NONE || is_better(&nodes[node], &nodes[best])))
            best = node;
    }
    return best;
}

/* Leaves a node out with all that is inlined in it. name_losses fills in the rest. */
static int leave_out(struct resolver *r, uint32_t node, uint64_t kept, struct apf_error *error)
{
    const struct sample_node *f = &r->s->nodes.data[node];
    struct sample_loss loss = {.checksum = f->checksum,
                               .kept = kept,
                               .total = f->total,
                               .at = f->at,
                               .name = f->name,
                               .input = f->input,
                               .node = node};
    bool more = true;
    int code = APF_OK;
    if (!VEC_PUSH(&r->losses->list, loss))
        return error_memory(error);
    r->losses->functions += f->caller == SAMPLE_NONE;
    r->losses->inlined += f->caller != SAMPLE_NONE;
    r->losses->samples = sample_sum(r->losses->samples, f->total, 1, &(uint64_t){0});
    sample_walk_begin(&r->walk, r->s, node);
    while (more && code == APF_OK) {
        r->s->nodes.data[r->walk.node].state |= SAMPLE_GONE;
        code = sample_walk_next(&r->walk, &more, error);
    }
    return code;
}

/* Resolves the group: *node is what stays. */
static int resolve_group(struct resolver *r, uint32_t *node, struct apf_error *error)
{
    uint32_t winner = winner_of(r), unknown = SAMPLE_NONE;
    uint64_t checksum = r->s->nodes.data[winner].checksum;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < r->group.n; i++) {
        uint32_t other = r->group.data[i];
        if (!r->s->nodes.data[other].checksum)
            unknown = other;
        else if (other != winner)
            code = leave_out(r, other, checksum, error);
    }
    *node = unknown < winner ? unknown : winner;
    if (code != APF_OK || unknown == SAMPLE_NONE)
        return code;
    return sample_join(r->s, *node, unknown < winner ? winner : unknown, error);
}

/* ---- at the top level ---- */

/* Resolves the functions of each context. Tops of one context are a chain: first[context], next[its place] ... */
static int resolve_chains(struct resolver *r, const uint32_t *first, const uint32_t *next,
                          struct apf_error *error)
{
    struct apf_sample *s = r->s;
    uint32_t *tops = s->top.data;
    size_t n = 0;
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < s->top.n; i++) {
        uint32_t node = tops[i];
        if (first[s->nodes.data[node].context] != i)
            continue;
        if (next[i] != SAMPLE_NONE) {
            r->group.n = 0;
            for (uint32_t k = i; code == APF_OK && k != SAMPLE_NONE; k = next[k])
                if (!VEC_PUSH(&r->group, tops[k]))
                    code = error_memory(error);
            if (code == APF_OK)
                code = resolve_group(r, &node, error);
        }
        tops[n++] = node; /* n <= i, and chains lead to larger places */
    }
    s->top.n = n;
    return code;
}

static int resolve_tops(struct resolver *r, struct apf_error *error)
{
    const struct apf_sample *s = r->s;
    size_t n = s->contexts.list.n;
    uint32_t *first = malloc((n + 1) * sizeof *first), *next = malloc((s->top.n + 1) * sizeof *next);
    int code = first && next ? APF_OK : error_memory(error);
    if (code == APF_OK) {
        memset(first, 0xff, n * sizeof *first);
        for (size_t i = s->top.n; i-- > 0;) {
            uint32_t context = s->nodes.data[s->top.data[i]].context;
            next[i] = first[context];
            first[context] = (uint32_t)i;
        }
        code = resolve_chains(r, first, next, error);
    }
    free(first);
    free(next);
    return code;
}

/* ---- inlined functions ---- */

static bool is_same_call(const struct sample_node *a, const struct sample_node *b)
{
    return a->at == b->at && a->name == b->name;
}

/* Whether some callees of a node differ by their checksums only. */
static bool has_variants(const struct apf_sample *s, const struct sample_callees *list)
{
    bool found = false;
    for (uint32_t i = 1; i < list->n; i++)
        found |= is_same_call(&s->nodes.data[list->data[i - 1]], &s->nodes.data[list->data[i]]);
    return found;
}

/* Resolves the callees of a node. What is joined is sorted when its turn comes: it has a larger number. */
static int resolve_callees(struct resolver *r, uint32_t caller, struct apf_error *error)
{
    struct apf_sample *s = r->s;
    struct sample_callees *list = &s->nodes.data[caller].callees;
    uint32_t n = 0;
    int code = SAMPLE_LIST_GROW(&s->blocks, list, list->n, error); /* it may be shared */
    for (uint32_t i = 0, end; code == APF_OK && i < list->n; i = end) {
        uint32_t node = list->data[i];
        r->group.n = 0;
        for (end = i; end < list->n; end++) {
            if (!is_same_call(&s->nodes.data[node], &s->nodes.data[list->data[end]]))
                break;
            if (!VEC_PUSH(&r->group, list->data[end]))
                return error_memory(error);
        }
        if (r->group.n > 1)
            code = resolve_group(r, &node, error);
        list->data[n++] = node;
    }
    list->n = n;
    return code;
}

/* A node has a larger number than its caller, so that one pass is enough. */
static int resolve_nodes(struct resolver *r, struct apf_error *error)
{
    struct apf_sample *s = r->s;
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        if (f->state & SAMPLE_GONE)
            continue;
        if (f->state & SAMPLE_UNSORTED)
            code = sample_seal_node(s, i, &r->scratch, error);
        if (code == APF_OK && f->callees.n > 1 && has_variants(s, &f->callees))
            code = resolve_callees(r, i, error);
    }
    return code;
}

/* Fills in the contexts and depths of losses. */
static int name_losses(struct resolver *r, struct apf_error *error)
{
    const struct apf_sample *s = r->s;
    struct sample_loss *list = r->losses->list.data;
    size_t n = r->losses->list.n;
    struct place {
        uint32_t top, depth;
    } *places = n > r->first_loss ? calloc(s->nodes.n + 1, sizeof *places) : NULL;
    if (!places)
        return n > r->first_loss ? error_memory(error) : APF_OK;
    for (uint32_t i = 0; i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        struct place top = {i, 0};
        if (f->caller != SAMPLE_NONE) {
            top = places[f->caller];
            top.depth++;
        }
        places[i] = top;
    }
    for (size_t i = r->first_loss; i < n; i++) {
        struct place p = places[list[i].node];
        list[i].context = s->nodes.data[p.top].context;
        list[i].depth = p.depth;
    }
    free(places);
    return APF_OK;
}

/* Whether there is anything to resolve or to sort: most often all checksums agree. */
static bool is_settled(const struct apf_sample *s)
{
    bool settled = s->top_index.n == 0;
    for (size_t i = 0; settled && i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        settled = f->state & SAMPLE_GONE ||
                  !(f->state & SAMPLE_UNSORTED || (f->callees.n > 1 && has_variants(s, &f->callees)));
    }
    return settled;
}

int sample_resolve(struct apf_sample *s, struct sample_losses *losses, struct apf_error *error)
{
    struct resolver r = {.s = s, .losses = losses, .first_loss = losses->list.n};
    s->is_sum = !is_settled(s);
    if (!s->is_sum)
        return APF_OK;
    int code = sample_share_nodes(s, error);
    if (code == APF_OK)
        code = resolve_tops(&r, error);
    if (code == APF_OK)
        code = resolve_nodes(&r, error);
    if (code == APF_OK)
        code = name_losses(&r, error);
    s->is_sum = false;
    VEC_FREE(&r.group);
    VEC_FREE(&r.scratch.bytes);
    sample_walk_free(&r.walk);
    return code == APF_OK ? sample_index_tops(s, error) : code;
}
