/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_contexts.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"

void sample_contexts_free(struct sample_contexts *c)
{
    VEC_FREE(&c->list);
    VEC_FREE(&c->base);
    hash_index_free(&c->index);
}

void sample_contexts_reset(struct sample_contexts *c)
{
    c->list.n = c->base.n = 0;
    hash_index_free(&c->index);
}

static int push_context(struct sample_contexts *c, struct sample_context new, uint32_t *context,
                        struct apf_error *error)
{
    if (c->list.n >= SAMPLE_NONE)
        return error_plain(error, APF_LIMIT, "contexts", "more than 2^32 contexts");
    if (!VEC_PUSH(&c->list, new))
        return error_memory(error);
    *context = (uint32_t)(c->list.n - 1);
    return APF_OK;
}

int sample_contexts_base(struct sample_contexts *c, uint32_t name, uint32_t *context, struct apf_error *error)
{
    if (name >= c->base.n) {
        if (!VEC_RESERVE(&c->base, (size_t)name + 1 - c->base.n))
            return error_memory(error);
        while (c->base.n <= name)
            c->base.data[c->base.n++] = SAMPLE_NONE;
    }
    *context = c->base.data[name];
    if (*context != SAMPLE_NONE)
        return APF_OK;
    struct sample_context new = {0, SAMPLE_NONE, name, 0};
    int code = push_context(c, new, context, error);
    c->base.data[name] = code == APF_OK ? *context : SAMPLE_NONE;
    return code;
}

static uint64_t hash_call(const struct sample_contexts *c, uint32_t caller, uint64_t at, uint32_t name)
{
    return hash_index_mix(&c->index, (uint64_t)caller << 32 | name, at);
}

static bool is_call(const struct sample_context *have, uint32_t caller, uint64_t at, uint32_t name)
{
    return have->caller == caller && have->at == at && have->name == name;
}

uint32_t sample_contexts_find(const struct sample_contexts *c, uint32_t caller, uint64_t at, uint32_t name)
{
    uint32_t e;
    if (caller == SAMPLE_NONE)
        return name < c->base.n ? c->base.data[name] : SAMPLE_NONE;
    HASH_INDEX_FIND(e, &c->index, hash_call(c, caller, at, name),
                    is_call(&c->list.data[e], caller, at, name));
    return e;
}

int sample_contexts_add(struct sample_contexts *c, uint32_t caller, uint64_t at, uint32_t name,
                        uint32_t *context, struct apf_error *error)
{
    if (caller == SAMPLE_NONE)
        return sample_contexts_base(c, name, context, error);
    if (!hash_index_reserve(&c->index, 1))
        return hash_index_error(&c->index, error);
    *context = sample_contexts_find(c, caller, at, name);
    if (*context != SAMPLE_NONE)
        return APF_OK;
    struct sample_context new = {at, caller, name, c->list.data[caller].depth + 1};
    int code = push_context(c, new, context, error);
    if (code == APF_OK)
        hash_index_add(&c->index, hash_call(c, caller, at, name), *context);
    return code;
}

/* The order of contexts is that of functions in a file, which differs from that of names. */
static void fetch_base(const struct sample_contexts *c, uint32_t name)
{
    if (name < c->base.n)
        PREFETCH(&c->base.data[name]);
}

int sample_contexts_adopt(struct sample_contexts *to, const struct sample_contexts *from,
                          const uint32_t *names, uint32_t *map, struct apf_error *error)
{
    int code = APF_OK;
    size_t n = from->list.n;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct sample_context *c = &from->list.data[i];
        if (i + FETCH_AHEAD < n)
            fetch_base(to, names[from->list.data[i + FETCH_AHEAD].name]);
        uint32_t caller = c->caller == SAMPLE_NONE ? SAMPLE_NONE : map[c->caller];
        code = sample_contexts_add(to, caller, c->at, names[c->name], &map[i], error);
    }
    return code;
}

/* ---- order ---- */

struct by_call {
    const struct sample_contexts *contexts;
    const uint32_t *ranks; /* of names */
};

/* Whether a context comes before another one of the same caller. */
static bool call_before(const void *context, const void *a, const void *b)
{
    const struct by_call *by = context;
    uint32_t i, k;
    memcpy(&i, a, sizeof i);
    memcpy(&k, b, sizeof k);
    const struct sample_context *x = &by->contexts->list.data[i], *y = &by->contexts->list.data[k];
    return x->at != y->at ? x->at < y->at : by->ranks[x->name] < by->ranks[y->name];
}

/* The tree of contexts: callees of context i are callees[first[i] .. first[i + 1]), sorted; those without a caller are
 * of number n. */
struct tree {
    uint32_t *first, *callees, *stack;
};

static void build_tree(const struct sample_contexts *c, struct tree *t)
{
    size_t n = c->list.n;
    memset(t->first, 0, (n + 2) * sizeof *t->first);
    for (size_t i = 0; i < n; i++) {
        uint32_t caller = c->list.data[i].caller;
        t->first[(caller == SAMPLE_NONE ? n : caller) + 1]++;
    }
    for (size_t i = 0; i <= n; i++)
        t->first[i + 1] += t->first[i];
    for (size_t i = n; i-- > 0;) {
        uint32_t caller = c->list.data[i].caller;
        size_t at = caller == SAMPLE_NONE ? n : caller;
        t->callees[--t->first[at + 1]] = (uint32_t)i;
    }
    /* Each first[at + 1] is now where the callees of `at` begin. */
    memmove(t->first, t->first + 1, (n + 1) * sizeof *t->first);
    t->first[n + 1] = (uint32_t)n;
}

/* Numbers the contexts in depth-first order. The stack holds contexts to visit, the next one last. */
static void number_tree(const struct tree *t, size_t n, uint32_t *ranks)
{
    size_t depth = 0;
    uint32_t rank = 0;
    for (size_t at = n;;) {
        for (uint32_t i = t->first[at + 1]; i-- > t->first[at];)
            t->stack[depth++] = t->callees[i];
        if (!depth)
            return;
        at = t->stack[--depth];
        ranks[at] = rank++;
    }
}

/* Sorts contexts without a caller, of which there may be very many, by their names. */
static bool sort_bases(const struct by_call *by, uint32_t *list, size_t n)
{
    struct sort_key *keys = malloc((2 * n + 1) * sizeof *keys);
    for (size_t i = 0; keys && i < n; i++) {
        struct sort_key key = {by->ranks[by->contexts->list.data[list[i]].name], list[i]};
        keys[i] = key;
    }
    if (keys)
        sort_keys(keys, keys + n, n);
    for (size_t i = 0; keys && i < n; i++)
        list[i] = (uint32_t)keys[i].value;
    free(keys);
    return keys != NULL;
}

int sample_contexts_rank(const struct sample_contexts *c, const uint32_t *name_ranks, uint32_t **ranks,
                         struct apf_error *error)
{
    size_t n = c->list.n;
    struct tree t = {malloc((n + 2) * sizeof *t.first), malloc((n + 1) * sizeof *t.callees),
                     malloc((n + 1) * sizeof *t.stack)};
    *ranks = malloc((n + 1) * sizeof **ranks);
    bool ok = t.first && t.callees && t.stack && *ranks;
    if (ok) {
        const struct by_call by = {c, name_ranks};
        build_tree(c, &t);
        for (size_t i = 0; i < n; i++)
            sort_merge(t.callees + t.first[i], t.stack, t.first[i + 1] - t.first[i], sizeof *t.callees,
                       call_before, &by);
        ok = sort_bases(&by, t.callees + t.first[n], t.first[n + 1] - t.first[n]);
    }
    if (ok) {
        number_tree(&t, n, *ranks);
    } else {
        free(*ranks);
        *ranks = NULL;
    }
    free(t.first);
    free(t.callees);
    free(t.stack);
    return ok ? APF_OK : error_memory(error);
}
