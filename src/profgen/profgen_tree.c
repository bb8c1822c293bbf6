/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_tree.h"

#include <stdlib.h>

#include "base/error.h"
#include "profgen/profgen_finish.h"

/* ---- links ---- */

static int add_to_index(struct profgen_tree *t, uint32_t function, struct apf_error *error)
{
    const struct profgen_call *f = &t->list.data[function];
    if (!hash_index_reserve(&t->index, 1))
        return hash_index_error(&t->index, error);
    hash_index_add(&t->index, hash_index_mix(&t->index, f->at, (uint64_t)f->caller << 32 | f->name),
                   function);
    return APF_OK;
}

static int link_call(struct profgen_tree *t, uint32_t function, uint32_t caller, uint64_t at,
                     struct apf_error *error)
{
    struct profgen_call *f = &t->list.data[function];
    f->caller = caller;
    f->at = at;
    f->before = f->next = PROFGEN_NOWHERE;
    if (caller != PROFGEN_NOWHERE) {
        struct profgen_call *c = &t->list.data[caller];
        f->next = c->first;
        if (f->next != PROFGEN_NOWHERE)
            t->list.data[f->next].before = function;
        c->first = function;
    }
    return add_to_index(t, function, error);
}

static void unlink_call(struct profgen_tree *t, uint32_t function)
{
    const struct profgen_call *f = &t->list.data[function];
    if (f->next != PROFGEN_NOWHERE)
        t->list.data[f->next].before = f->before;
    if (f->before != PROFGEN_NOWHERE)
        t->list.data[f->before].next = f->next;
    else if (f->caller != PROFGEN_NOWHERE)
        t->list.data[f->caller].first = f->next;
}

uint32_t profgen_tree_find(const struct profgen_tree *t, uint32_t caller, uint64_t at, uint32_t name)
{
    uint32_t i;
    uint64_t hash = hash_index_mix(&t->index, at, (uint64_t)caller << 32 | name);
    HASH_INDEX_FIND(i, &t->index, hash,
                    t->list.data[i].at == at && t->list.data[i].caller == caller &&
                        t->list.data[i].name == name);
    return i == HASH_INDEX_NONE ? PROFGEN_NOWHERE : i;
}

/* ---- opening ---- */

int profgen_tree_open(struct profgen_tree *t, struct apf_sample *s, struct apf_error *error)
{
    const size_t n = s->contexts.list.n;
    *t = (struct profgen_tree){.s = s};
    t->places = malloc((s->nodes.n + 1) * sizeof *t->places);
    if (!t->places || !VEC_RESERVE(&t->list, n))
        return error_memory(error);
    for (size_t i = 0; i < s->nodes.n; i++)
        t->places[i] = PROFGEN_NOWHERE;
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < n; i++) {
        const struct sample_context *c = &s->contexts.list.data[i];
        const uint32_t none = PROFGEN_NOWHERE, node = sample_find_top(s, i);
        t->list.data[t->list.n++] = (struct profgen_call){c->at, c->name, none, none, none, none, node};
        if (node != SAMPLE_NONE)
            t->places[node] = i;
        code = link_call(t, i, c->caller == SAMPLE_NONE ? none : c->caller, c->at, error);
    }
    return code;
}

void profgen_tree_close(struct profgen_tree *t)
{
    VEC_FREE(&t->list);
    hash_index_free(&t->index);
    free(t->places);
}

uint64_t profgen_call_key(const struct apf_sample *s, uint32_t name, uint64_t at)
{
    uint64_t place = (uint64_t)sample_place_discriminator(at) << 32 | sample_place_line(at);
    return sample_names_hash(&s->names, name) + (place << 5) + place;
}

/* ---- moving ---- */

static int add_counts(struct apf_sample *s, uint32_t to, uint32_t from, struct apf_error *error)
{
    const struct sample_node *f = &s->nodes.data[from];
    struct sample_node *sum = &s->nodes.data[to];
    sum->total = profgen_sum(sum->total, f->total);
    sum->head = profgen_sum(sum->head, f->head);
    sum->checksum = sum->checksum ? sum->checksum : f->checksum;
    sum->attributes |= f->attributes & APF_SAMPLE_SHOULD_BE_INLINED;
    int code = sample_copy_lines(s, to, &f->lines, error);
    return code == APF_OK ? sample_copy_targets(s, to, &s->nodes.data[from].targets, NULL, error) : code;
}

/* Adds the counts of a function to another one, which gets them if it has none. */
static int join(struct profgen_tree *t, uint32_t to, uint32_t from, struct apf_error *error)
{
    struct profgen_call *f = &t->list.data[from], *sum = &t->list.data[to];
    int code = APF_OK;
    if (f->node == SAMPLE_NONE)
        return APF_OK;
    if (sum->node == SAMPLE_NONE) {
        sum->node = f->node;
        t->places[f->node] = to;
    } else {
        code = add_counts(t->s, sum->node, f->node, error);
        t->places[f->node] = PROFGEN_NOWHERE;
    }
    f->node = SAMPLE_NONE;
    return code;
}

/* A function that moves to another caller. */
struct move {
    uint32_t function, caller;
};

int profgen_tree_raise(struct profgen_tree *t, uint32_t function, uint32_t *to, struct apf_error *error)
{
    VEC(struct move) moves = {0};
    struct move first = {function, PROFGEN_NOWHERE};
    int code = VEC_PUSH(&moves, first) ? APF_OK : error_memory(error);
    *to = PROFGEN_NOWHERE;
    while (code == APF_OK && moves.n) {
        struct move move = moves.data[--moves.n];
        const struct profgen_call *f = &t->list.data[move.function];
        uint64_t at = move.caller == PROFGEN_NOWHERE ? 0 : f->at;
        uint32_t there = profgen_tree_find(t, move.caller, at, f->name), next;
        unlink_call(t, move.function);
        if (there == PROFGEN_NOWHERE) {
            there = move.function;
            code = link_call(t, move.function, move.caller, at, error);
        } else {
            code = join(t, there, move.function, error);
            for (uint32_t i = f->first; code == APF_OK && i != PROFGEN_NOWHERE; i = next) {
                struct move called = {i, there};
                next = t->list.data[i].next;
                code = VEC_PUSH(&moves, called) ? APF_OK : error_memory(error);
            }
            t->list.data[move.function].caller = move.function; /* it is nowhere any more */
        }
        *to = *to == PROFGEN_NOWHERE ? there : *to;
    }
    VEC_FREE(&moves);
    return code;
}

/* ---- the profile ---- */

/* The context of a function; those of its callers are made first. */
static int make_context(struct profgen_tree *t, uint32_t function, uint32_t *context, struct apf_error *error)
{
    VEC(uint32_t) chain = {NULL, 0, 0};
    int code = APF_OK;
    for (uint32_t i = function; code == APF_OK && i != PROFGEN_NOWHERE; i = t->list.data[i].caller)
        code = VEC_PUSH(&chain, i) ? APF_OK : error_memory(error);
    *context = SAMPLE_NONE;
    for (size_t i = chain.n; code == APF_OK && i-- > 0;) {
        const struct profgen_call *f = &t->list.data[chain.data[i]];
        code = sample_contexts_add(&t->s->contexts, *context, f->at, f->name, context, error);
    }
    VEC_FREE(&chain);
    return code;
}

int profgen_tree_finish(struct profgen_tree *t, struct apf_error *error)
{
    struct apf_sample *s = t->s;
    VEC(uint32_t) kept = {NULL, 0, 0};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < s->top.n; i++) {
        uint32_t node = s->top.data[i];
        if (t->places[node] == PROFGEN_NOWHERE)
            continue;
        code = make_context(t, t->places[node], &s->nodes.data[node].context, error);
        if (code == APF_OK && !VEC_PUSH(&kept, node))
            code = error_memory(error);
    }
    if (code == APF_OK)
        code = sample_keep_tops(s, kept.data, kept.n, error);
    VEC_FREE(&kept);
    return code == APF_OK ? sample_seal(s, error) : code;
}
