/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/views/order.h"

/* The units of a function in one trace. Units of a trace begin at its places 1, 2, 4, 8 ...; a function has the units
 * from its first call to the end of the trace. */
struct span {
    uint32_t function;    /* place in builder.functions */
    uint32_t first, last; /* units */
};

struct function {
    uint64_t id;
    uint64_t earliest; /* its earliest place in any trace */
    uint32_t trace;    /* the number, from 1, of the last trace that has it */
    uint32_t first;    /* its first unit in that trace */
};

struct builder {
    VEC(struct function) functions; /* in the order of their first call */
    VEC(struct span) spans;         /* trace by trace */
    VEC(uint32_t) in_trace;         /* functions of the current trace */
    struct hash_index index;        /* of functions, by id */
    uint32_t unit;                  /* the current unit, numbered through all traces */
};

/* Adds a call. False: a failure that hash_index_error reports. */
static bool add_call(struct builder *b, uint64_t id, uint64_t place, uint32_t trace)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &b->index, hash_index_mix(&b->index, id, 0), b->functions.data[e].id == id);
    if (e == HASH_INDEX_NONE) {
        struct function new = {id, place, 0, 0};
        e = (uint32_t)b->functions.n;
        if (!hash_index_reserve(&b->index, 1) || !VEC_PUSH(&b->functions, new))
            return false;
        hash_index_add(&b->index, hash_index_mix(&b->index, id, 0), e);
    }
    struct function *f = &b->functions.data[e];
    f->earliest = place < f->earliest ? place : f->earliest;
    if (f->trace == trace)
        return true;
    f->trace = trace;
    f->first = b->unit;
    return VEC_PUSH(&b->in_trace, e);
}

static bool add_trace(struct builder *b, const struct apf_trace *trace, uint32_t number)
{
    uint64_t next = 1;
    b->in_trace.n = 0;
    for (uint64_t place = 0; place < trace->n; place++) {
        if (place >= next) {
            b->unit++;
            next = 2 * place;
        }
        if (!add_call(b, trace->ids[place], place, number))
            return false;
    }
    for (size_t i = 0; i < b->in_trace.n; i++) {
        uint32_t e = b->in_trace.data[i];
        struct span span = {e, b->functions.data[e].first, b->unit};
        if (!VEC_PUSH(&b->spans, span))
            return false;
    }
    b->unit++;
    return true;
}

/* Sorts the functions by earliest place, then by id. ranks[i] becomes the number of the i-th function. */
static bool rank_functions(const struct builder *b, struct order_set *set, uint32_t *ranks)
{
    size_t n = b->functions.n;
    struct sort_key *keys = arena_array(&set->arena, n, 2 * sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct sort_key key = {b->functions.data[i].id, i};
        keys[i] = key;
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        keys[i].key = b->functions.data[keys[i].value].earliest;
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++) {
        ranks[keys[i].value] = (uint32_t)i;
        set->ids[i] = b->functions.data[keys[i].value].id;
    }
    return true;
}

/* Whether a unit does not distinguish functions: one function has it, or more than half of all. */
static bool is_outlier(uint32_t functions, uint32_t all)
{
    return functions <= 1 || 2 * (uint64_t)functions > all;
}

/* Fills the units of each node. `functions` has a 0 for each unit, and becomes the number of functions that have it. */
static bool fill_units(const struct builder *b, struct order_set *set, const uint32_t *ranks,
                       uint32_t *functions)
{
    uint64_t at = 0;
    for (size_t i = 0; i < b->spans.n; i++)
        for (uint32_t u = b->spans.data[i].first; u <= b->spans.data[i].last; u++)
            functions[u]++;
    for (size_t i = 0; i < b->spans.n; i++)
        for (uint32_t u = b->spans.data[i].first; u <= b->spans.data[i].last; u++)
            set->nodes[ranks[b->spans.data[i].function]].n += !is_outlier(functions[u], set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        set->nodes[i].first = at;
        at += set->nodes[i].n;
        set->nodes[i].n = 0;
    }
    set->units = arena_array(&set->arena, (size_t)at, sizeof *set->units);
    for (size_t i = 0; set->units && i < b->spans.n; i++) {
        struct order_node *node = &set->nodes[ranks[b->spans.data[i].function]];
        for (uint32_t u = b->spans.data[i].first; u <= b->spans.data[i].last; u++)
            if (!is_outlier(functions[u], set->n))
                set->units[node->first + node->n++] = u;
    }
    return set->units != NULL;
}

static bool make_nodes(const struct builder *b, struct order_set *set)
{
    size_t n = b->functions.n;
    uint32_t *ranks = arena_array(&set->arena, n, sizeof *ranks);
    uint32_t *functions = arena_zeros(&set->arena, (size_t)b->unit + 1, sizeof *functions);
    set->ids = arena_array(&set->arena, n, sizeof *set->ids);
    set->nodes = arena_zeros(&set->arena, n, sizeof *set->nodes);
    set->n = (uint32_t)n;
    set->n_units = b->unit;
    return ranks && functions && set->ids && set->nodes && rank_functions(b, set, ranks) &&
           fill_units(b, set, ranks, functions);
}

/* The largest number of units of a trace, whose places are below 2^64. */
#define MOST_UNITS_OF_TRACE 65u

/* Whether units and functions can still be numbered in 32 bits after another trace. */
static bool has_numbers(const struct builder *b, const struct apf_trace *trace)
{
    return b->unit <= UINT32_MAX - MOST_UNITS_OF_TRACE && trace->n < HASH_INDEX_NONE &&
           b->functions.n < HASH_INDEX_NONE - trace->n;
}

int order_set_make(struct order_set *set, const struct apf_trace *traces, size_t n, struct apf_error *error)
{
    struct builder b = {.unit = 0};
    int code = APF_OK;
    memset(set, 0, sizeof *set);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        if (!has_numbers(&b, &traces[i]))
            code = error_plain(error, APF_LIMIT, "order.traces", "too many functions in the traces");
        else if (!add_trace(&b, &traces[i], (uint32_t)i + 1))
            code = hash_index_error(&b.index, error);
    }
    if (code == APF_OK && !make_nodes(&b, set))
        code = error_memory(error);
    VEC_FREE(&b.functions);
    VEC_FREE(&b.spans);
    VEC_FREE(&b.in_trace);
    hash_index_free(&b.index);
    return code;
}
