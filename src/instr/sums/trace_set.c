/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/sums/trace_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mt19937.h"
#include "base/sort.h"
#include "instr/model/value_list.h"

/* ---- groups ---- */

static uint64_t mix_hash(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 32);
}

static uint64_t digest_of(const struct trace_group *g)
{
    uint64_t h = mix_hash(mix_hash(g->source, g->trace.weight), g->trace.n);
    for (size_t i = 0; i < g->trace.n; i++)
        h = mix_hash(h, g->trace.ids[i]);
    return h;
}

static int compare_content(const struct apf_trace *a, const struct apf_trace *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (a->ids[i] != b->ids[i])
            return a->ids[i] < b->ids[i] ? -1 : 1;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

static void free_ids(const struct apf_trace *trace)
{
    free((void *)(uintptr_t)trace->ids);
}

static bool same_group(const struct trace_group *a, const struct trace_group *b)
{
    return a->source == b->source && compare_content(&a->trace, &b->trace) == 0;
}

/* Makes the index of the groups anew. */
static bool index_groups(struct trace_set *t)
{
    hash_index_free(&t->index);
    if (!hash_index_reserve(&t->index, t->groups.n))
        return false;
    for (size_t i = 0; i < t->groups.n; i++)
        hash_index_add(&t->index, hash_index_mix(&t->index, digest_of(&t->groups.data[i]), 0), (uint32_t)i);
    return true;
}

/* ---- the choice ---- */

/* A trace of a group, and its rank. */
struct ranked_trace {
    const struct apf_trace *trace;
    uint64_t rank;
    size_t group;
};

struct ranked_traces {
    VEC(struct ranked_trace) list;
};

/* The distance from one rank of a group to the next. */
static uint64_t next_step(uint64_t digest, uint64_t number)
{
    return mix_hash(digest, number) >> 16;
}

static bool rank_before(const void *context, const void *pa, const void *pb)
{
    const struct ranked_trace *a = (const struct ranked_trace *)pa, *b = (const struct ranked_trace *)pb;
    (void)context;
    return a->rank != b->rank ? a->rank < b->rank : compare_content(a->trace, b->trace) < 0;
}

static bool content_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return compare_content(((const struct ranked_trace *)a)->trace, ((const struct ranked_trace *)b)->trace) <
           0;
}

/* Ranks the traces of each group up to the rank `last`, and no more than `most` of them. */
static bool rank_groups(const struct trace_set *t, uint64_t most, uint64_t last, struct ranked_traces *ranked)
{
    bool ok = true;
    ranked->list.n = 0;
    for (size_t i = 0; ok && i < t->groups.n; i++) {
        const struct trace_group *g = &t->groups.data[i];
        const uint64_t digest = digest_of(g);
        struct ranked_trace r = {&g->trace, 0, i};
        for (uint64_t k = 0; ok && k < g->n && k < most; k++) {
            const uint64_t step = next_step(digest, k);
            r.rank = step < UINT64_MAX - r.rank ? r.rank + step : UINT64_MAX;
            if (r.rank > last)
                break;
            ok = VEC_PUSH(&ranked->list, r);
        }
    }
    return ok;
}

/* The lowest ranks, as many as the reservoir has places. The first ranks of the groups alone say which ones are too
 * high. */
static bool choose_traces(const struct trace_set *t, struct ranked_traces *chosen)
{
    uint64_t last = UINT64_MAX;
    bool ok = rank_groups(t, t->reservoir != 0, last, chosen);
    if (ok && t->reservoir && chosen->list.n > t->reservoir) {
        ok = SORT_VEC(&chosen->list, rank_before, NULL);
        last = ok ? chosen->list.data[t->reservoir - 1].rank : last;
    }
    ok = ok && rank_groups(t, t->reservoir, last, chosen) && SORT_VEC(&chosen->list, rank_before, NULL);
    if (chosen->list.n > t->reservoir)
        chosen->list.n = (size_t)t->reservoir;
    return ok;
}

/* Forgets groups that have no trace among those with the lowest ranks. */
static bool prune_groups(struct trace_set *t)
{
    struct ranked_traces chosen = {.list = {NULL, 0, 0}};
    bool *stays = calloc(t->groups.n + 1, sizeof *stays);
    bool ok = stays && choose_traces(t, &chosen);
    size_t kept = 0;
    for (size_t i = 0; ok && i < chosen.list.n; i++)
        stays[chosen.list.data[i].group] = true;
    for (size_t i = 0; ok && i < t->groups.n; i++)
        if (stays[i])
            t->groups.data[kept++] = t->groups.data[i];
        else
            free_ids(&t->groups.data[i].trace);
    if (ok)
        t->groups.n = kept;
    free(stays);
    VEC_FREE(&chosen.list);
    return ok && index_groups(t);
}

static bool group_before(const void *context, const void *a, const void *b)
{
    const struct trace_group *x = (const struct trace_group *)a, *y = (const struct trace_group *)b;
    const int order = compare_content(&x->trace, &y->trace);
    (void)context;
    return order ? order < 0 : x->source < y->source;
}

bool trace_set_settle(struct trace_set *t)
{
    return prune_groups(t) && SORT_VEC(&t->groups, group_before, NULL) && index_groups(t);
}

/* ---- adding ---- */

static bool copy_trace(const struct apf_trace *from, uint64_t length, struct apf_trace *to)
{
    size_t n = from->n < length ? from->n : (size_t)length;
    uint64_t *ids = malloc(n * sizeof *ids + 1);
    if (!ids)
        return false;
    memcpy(ids, from->ids, n * sizeof *ids);
    to->weight = from->weight;
    to->ids = ids;
    to->n = n;
    return true;
}

/* Adds traces of one kind. Adopts the ids of the group. */
static bool add_group(struct trace_set *t, struct trace_group group)
{
    bool cut = false;
    uint32_t e = HASH_INDEX_NONE;
    bool ok = hash_index_reserve(&t->index, 1) && VEC_RESERVE(&t->groups, 1);
    if (ok) {
        const uint64_t hash = hash_index_mix(&t->index, digest_of(&group), 0);
        HASH_INDEX_FIND(e, &t->index, hash, same_group(&t->groups.data[e], &group));
        if (e == HASH_INDEX_NONE) {
            hash_index_add(&t->index, hash, (uint32_t)t->groups.n);
            t->groups.data[t->groups.n++] = group;
        }
    }
    if (!ok || e != HASH_INDEX_NONE)
        free_ids(&group.trace);
    if (ok && e != HASH_INDEX_NONE)
        t->groups.data[e].n = sum_saturating(t->groups.data[e].n, group.n, 1, UINT64_MAX, &cut);
    return ok && (t->groups.n / 2 <= t->reservoir || t->groups.n < 16 || prune_groups(t));
}

/* Makes groups of the traces of the first input when a second one comes. */
static bool group_only(struct trace_set *t)
{
    bool ok = true;
    for (size_t i = 0; i < t->only.n; i++) {
        const struct trace_group group = {t->only.data[i], t->only_source, 1};
        if (ok)
            ok = add_group(t, group);
        else
            free_ids(&group.trace);
    }
    VEC_FREE(&t->only);
    return ok;
}

bool trace_set_push(struct trace_set *t, struct trace_group group)
{
    if (t->inputs > 1)
        return add_group(t, group);
    const bool ok = VEC_PUSH(&t->only, group.trace);
    if (!ok)
        free_ids(&group.trace);
    return ok;
}

static bool add_trace(struct trace_set *t, const struct apf_trace *trace, uint64_t source, uint64_t n)
{
    struct trace_group group = {.source = source, .n = n};
    if (!trace->n)
        return true;
    if (!copy_trace(trace, t->length, &group.trace))
        return false;
    return trace_set_push(t, group);
}

int trace_set_add(struct trace_set *t, const struct apf_trace *traces, size_t n, uint64_t stream_size,
                  uint64_t source, struct apf_error *error)
{
    bool any = false, ok = true, cut = false;
    for (size_t i = 0; i < n; i++)
        any |= traces[i].n != 0 && t->length != 0;
    if (!any)
        return APF_OK;
    if (t->inputs++ == 1)
        ok = group_only(t);
    for (size_t i = 0; ok && i < n; i++)
        ok = add_trace(t, &traces[i], source, 1);
    t->only_stream = stream_size;
    t->only_source = source;
    t->stream_size = sum_saturating(t->stream_size, stream_size, 1, UINT64_MAX, &cut);
    return ok ? APF_OK : error_memory(error);
}

int trace_set_join(struct trace_set *to, const struct trace_set *from, struct apf_error *error)
{
    bool ok = true, cut = false;
    if (from->inputs <= 1)
        return trace_set_add(to, from->only.data, from->only.n, from->only_stream, from->only_source, error);
    if (to->inputs == 1)
        ok = group_only(to);
    to->inputs += from->inputs;
    for (size_t i = 0; ok && i < from->groups.n; i++) {
        const struct trace_group *g = &from->groups.data[i];
        ok = add_trace(to, &g->trace, g->source, g->n);
    }
    to->stream_size = sum_saturating(to->stream_size, from->stream_size, 1, UINT64_MAX, &cut);
    return ok ? APF_OK : error_memory(error);
}

/* ---- the result ---- */

/* The limit of draws: a stream size is only a number in a file, and could make the sampling last for years. */
#define LONGEST_STREAM ((uint64_t)1 << 24)

/* LLVM's reservoir sampling of one source, with its generator and its default seed. */
static void sample_one(struct apf_trace *traces, size_t *n, uint64_t reservoir, uint64_t stream_size)
{
    struct mt19937 g;
    struct apf_trace *end = traces + *n;
    if (*n <= reservoir)
        return;
    *n = (size_t)reservoir;
    if (reservoir == 0)
        return;
    if (stream_size > LONGEST_STREAM)
        stream_size = LONGEST_STREAM;
    mt19937_seed(&g, MT19937_DEFAULT_SEED);
    struct apf_trace *rest = traces + reservoir;
    for (struct apf_trace *p = rest; end - p > 1; p++) {
        size_t off = mt19937_next(&g) % (uint64_t)(end - p);
        struct apf_trace swap = p[0];
        p[0] = p[off];
        p[off] = swap;
    }
    for (uint64_t i = reservoir; i < stream_size && rest < end; i++) {
        uint64_t j = mt19937_below(&g, (uint32_t)i);
        if (j < reservoir)
            traces[j] = *rest++;
    }
}

static int copy_out(const struct apf_trace *from, size_t n, const struct renames *renames,
                    struct arena *arena, struct apf_trace *to, struct apf_error *error)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t *ids = arena_array(arena, from[i].n, sizeof *ids);
        if (!ids)
            return error_memory(error);
        for (size_t k = 0; k < from[i].n; k++)
            ids[k] = renames_apply(renames, from[i].ids[k]);
        to[i].weight = from[i].weight;
        to[i].ids = ids;
        to[i].n = from[i].n;
    }
    return APF_OK;
}

/* Lists the traces that stay, of several inputs in order of content. The list is in the arena. */
static int list_traces(const struct trace_set *t, struct arena *arena, struct apf_trace **list, size_t *n,
                       struct apf_error *error)
{
    struct ranked_traces chosen = {.list = {NULL, 0, 0}};
    bool ok = t->inputs < 2 || (choose_traces(t, &chosen) && SORT_VEC(&chosen.list, content_before, NULL));
    *n = t->inputs < 2 ? t->only.n : chosen.list.n;
    *list = ok ? arena_array(arena, *n, sizeof **list) : NULL;
    for (size_t i = 0; *list && i < chosen.list.n; i++)
        (*list)[i] = *chosen.list.data[i].trace;
    VEC_FREE(&chosen.list);
    if (!*list)
        return error_memory(error);
    if (t->inputs < 2 && *n) {
        memcpy(*list, t->only.data, *n * sizeof **list);
        sample_one(*list, n, t->reservoir, t->only_stream);
    }
    return APF_OK;
}

int trace_set_finish(const struct trace_set *t, const struct renames *renames, struct arena *arena,
                     struct apf_trace **traces, size_t *n, uint64_t *stream_size, struct apf_error *error)
{
    struct apf_trace *list;
    *stream_size = t->stream_size;
    int code = list_traces(t, arena, &list, n, error);
    *traces = code == APF_OK ? arena_array(arena, *n, sizeof **traces) : NULL;
    if (code == APF_OK && !*traces)
        code = error_memory(error);
    return code == APF_OK ? copy_out(list, *n, renames, arena, *traces, error) : code;
}

void trace_set_free(struct trace_set *t)
{
    for (size_t i = 0; i < t->groups.n; i++)
        free_ids(&t->groups.data[i].trace);
    for (size_t i = 0; i < t->only.n; i++)
        free_ids(&t->only.data[i]);
    VEC_FREE(&t->groups);
    VEC_FREE(&t->only);
    hash_index_free(&t->index);
}
