/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

/* Sorts functions of equal totals by their contexts; `keys` are sorted by total. */
static void sort_equals(const struct apf_sample *s, struct sort_key *keys, struct sort_key *scratch, size_t n,
                        const uint32_t *contexts)
{
    for (size_t i = 0, end; i < n; i = end) {
        uint64_t total = keys[i].key;
        for (end = i; end < n && keys[end].key == total; end++)
            keys[end].key = contexts[s->nodes.data[keys[end].value].context];
        sort_keys(keys + i, scratch, end - i);
    }
}

static int sort_tops(struct sample_order *o, const struct apf_sample *s, struct apf_error *error)
{
    size_t n = s->top.n;
    struct sort_key *keys = malloc((2 * n + 1) * sizeof *keys);
    o->tops = malloc((n + 1) * sizeof *o->tops);
    if (!keys || !o->tops) {
        free(keys);
        return error_memory(error);
    }
    for (size_t i = 0; i < n; i++) {
        struct sort_key key = {~s->nodes.data[s->top.data[i]].total, s->top.data[i]};
        keys[i] = key;
    }
    sort_keys(keys, keys + n, n);
    sort_equals(s, keys, keys + n, n, o->contexts);
    for (size_t i = 0; i < n; i++)
        o->tops[i] = (uint32_t)keys[i].value;
    o->n_tops = n;
    free(keys);
    return APF_OK;
}

int sample_order_make(struct sample_order *o, const struct apf_sample *s, struct apf_error *error)
{
    static const struct sample_order empty;
    *o = empty;
    int code = sample_names_rank(&s->names, &o->names, error);
    if (code == APF_OK)
        code = sample_contexts_rank(&s->contexts, o->names, &o->contexts, error);
    return code == APF_OK ? sort_tops(o, s, error) : code;
}

void sample_order_free(struct sample_order *o)
{
    free(o->names);
    free(o->contexts);
    free(o->tops);
    VEC_FREE(&o->targets);
    VEC_FREE(&o->callees);
}

void sample_order_reverse_equals(struct sample_order *o, const struct apf_sample *s)
{
    const struct sample_node *nodes = s->nodes.data;
    for (size_t i = 0, end; i < o->n_tops; i = end) {
        for (end = i + 1; end < o->n_tops && nodes[o->tops[end]].total == nodes[o->tops[i]].total;)
            end++;
        for (size_t a = i, b = end - 1; a < b; a++, b--) {
            uint32_t top = o->tops[a];
            o->tops[a] = o->tops[b];
            o->tops[b] = top;
        }
    }
}

/* ---- targets and callees ---- */

static bool target_before(const void *context, const void *a, const void *b)
{
    const uint32_t *ranks = context;
    const struct sample_target *x = a, *y = b;
    return x->count != y->count ? x->count > y->count : ranks[x->name] < ranks[y->name];
}

static bool vtable_before(const void *context, const void *a, const void *b)
{
    const uint32_t *ranks = context;
    const struct sample_target *x = a, *y = b;
    return ranks[x->name] < ranks[y->name];
}

static const struct sample_target *sort_targets_at(struct sample_order *o, const struct sample_targets *list,
                                                   uint64_t at, uint32_t *next, uint32_t *n,
                                                   sort_before *before)
{
    uint32_t begin = *next;
    while (begin < list->n && list->data[begin].at < at)
        begin++;
    uint32_t end = begin;
    while (end < list->n && list->data[end].at == at)
        end++;
    *next = end;
    *n = end - begin;
    if (*n < 2)
        return *n ? &list->data[begin] : NULL;
    o->targets.n = 0;
    if (!VEC_RESERVE(&o->targets, 2 * (size_t)*n))
        return NULL;
    memcpy(o->targets.data, &list->data[begin], *n * sizeof *list->data);
    sort_merge(o->targets.data, o->targets.data + *n, *n, sizeof *list->data, before, o->names);
    return o->targets.data;
}

const struct sample_target *sample_order_targets(struct sample_order *o, const struct sample_targets *list,
                                                 uint64_t at, uint32_t *next, uint32_t *n)
{
    return sort_targets_at(o, list, at, next, n, target_before);
}

const struct sample_target *sample_order_vtables(struct sample_order *o, const struct sample_targets *list,
                                                 uint64_t at, uint32_t *next, uint32_t *n)
{
    return sort_targets_at(o, list, at, next, n, vtable_before);
}

static bool callee_before(const void *context, const void *a, const void *b)
{
    const struct sample_callee_order *by = context;
    uint32_t i, k;
    memcpy(&i, a, sizeof i);
    memcpy(&k, b, sizeof k);
    const struct sample_node *x = &by->nodes[i], *y = &by->nodes[k];
    return x->at != y->at ? x->at < y->at : by->ranks[x->name] < by->ranks[y->name];
}

bool sample_callees_sorted(const struct sample_callee_order *by, const struct sample_callees *list)
{
    bool sorted = true;
    for (uint32_t i = 1; i < list->n; i++)
        sorted &= callee_before(by, &list->data[i - 1], &list->data[i]);
    return sorted;
}

void sample_callees_copy(const struct sample_callee_order *by, const struct sample_callees *list,
                         uint32_t *sorted, uint32_t *scratch)
{
    memcpy(sorted, list->data, list->n * sizeof *list->data);
    sort_merge(sorted, scratch, list->n, sizeof *list->data, callee_before, by);
}

const uint32_t *sample_order_callees(struct sample_order *o, const struct apf_sample *s, uint32_t node)
{
    const struct sample_callees *list = &s->nodes.data[node].callees;
    const struct sample_callee_order by = {s->nodes.data, o->names};
    if (sample_callees_sorted(&by, list))
        return list->data;
    o->callees.n = 0;
    if (!VEC_RESERVE(&o->callees, 2 * (size_t)list->n))
        return NULL;
    sample_callees_copy(&by, list, o->callees.data, o->callees.data + list->n);
    return o->callees.data;
}
