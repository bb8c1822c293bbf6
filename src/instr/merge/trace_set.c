/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/trace_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mt19937.h"
#include "base/sort.h"

/* ---- ranks ---- */

static uint64_t mix_hash(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return h ^ (h >> 32);
}

static uint64_t content_of(const struct apf_trace *t)
{
    uint64_t h = mix_hash(t->weight, t->n);
    for (size_t i = 0; i < t->n; i++)
        h = mix_hash(h, t->ids[i]);
    return h;
}

/* Counts a content; *before is how often it was seen before. */
static bool count_content(struct trace_set *t, uint64_t content, uint64_t *before)
{
    if (!hash_index_reserve(&t->index, 1) || !VEC_RESERVE(&t->contents, 1))
        return false;
    uint64_t hash = hash_index_mix(&t->index, content, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &t->index, hash, t->contents.data[e].content == content);
    if (e != HASH_INDEX_NONE) {
        *before = t->contents.data[e].seen++;
        return true;
    }
    struct content_count first = {content, 1};
    hash_index_add(&t->index, hash, (uint32_t)t->contents.n);
    t->contents.data[t->contents.n++] = first;
    *before = 0;
    return true;
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

static bool rank_before(const void *context, const void *pa, const void *pb)
{
    const struct ranked_trace *a = (const struct ranked_trace *)pa, *b = (const struct ranked_trace *)pb;
    (void)context;
    return a->rank != b->rank ? a->rank < b->rank : compare_content(&a->trace, &b->trace) < 0;
}

static bool content_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return compare_content(&((const struct ranked_trace *)a)->trace,
                           &((const struct ranked_trace *)b)->trace) < 0;
}

/* Drops the highest ranks beyond the reservoir. */
static bool prune_traces(struct trace_set *t)
{
    if (t->kept.n <= t->reservoir)
        return true;
    struct ranked_trace *scratch = malloc(t->kept.n * sizeof *scratch);
    if (!scratch)
        return false;
    sort_merge(t->kept.data, scratch, t->kept.n, sizeof *scratch, rank_before, NULL);
    free(scratch);
    while (t->kept.n > t->reservoir)
        free((void *)(uintptr_t)t->kept.data[--t->kept.n].trace.ids);
    return true;
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

/* Adopts the ids of `trace`. */
static bool keep_ranked(struct trace_set *t, struct apf_trace trace)
{
    uint64_t content = content_of(&trace), before = 0;
    struct ranked_trace ranked = {trace, 0};
    if (!count_content(t, content, &before) || !VEC_RESERVE(&t->kept, 1)) {
        free((void *)(uintptr_t)trace.ids);
        return false;
    }
    ranked.rank = mix_hash(content, before);
    t->kept.data[t->kept.n++] = ranked;
    return t->kept.n < 2 * t->reservoir + 16 || prune_traces(t);
}

/* Ranks the traces of the first input when a second one comes. */
static bool rank_only(struct trace_set *t)
{
    bool ok = true;
    for (size_t i = 0; i < t->only.n; i++) {
        if (ok)
            ok = keep_ranked(t, t->only.data[i]);
        else
            free((void *)(uintptr_t)t->only.data[i].ids);
    }
    VEC_FREE(&t->only);
    return ok;
}

int trace_set_add(struct trace_set *t, const struct apf_trace *traces, size_t n, uint64_t stream_size,
                  struct apf_error *error)
{
    bool any = false, ok = true;
    for (size_t i = 0; i < n; i++)
        any |= traces[i].n != 0 && t->length != 0;
    if (!any)
        return APF_OK;
    if (t->inputs++ == 1)
        ok = rank_only(t);
    for (size_t i = 0; ok && i < n; i++) {
        struct apf_trace copy;
        if (!traces[i].n)
            continue;
        ok = copy_trace(&traces[i], t->length, &copy);
        if (!ok)
            break;
        if (t->inputs > 1) {
            ok = keep_ranked(t, copy);
        } else if (!VEC_PUSH(&t->only, copy)) {
            free((void *)(uintptr_t)copy.ids);
            ok = false;
        }
    }
    t->only_stream = stream_size;
    uint64_t sum = t->stream_size + stream_size;
    t->stream_size = sum < stream_size ? UINT64_MAX : sum;
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

int trace_set_finish(const struct trace_set *t, const struct renames *renames, struct arena *arena,
                     struct apf_trace **traces, size_t *n, uint64_t *stream_size, struct apf_error *error)
{
    size_t count = t->inputs > 1 ? t->kept.n : t->only.n;
    struct apf_trace *list = arena_array(arena, count, sizeof *list);
    struct ranked_trace *ranked = arena_array(arena, 2 * count, sizeof *ranked);
    *traces = arena_array(arena, count, sizeof **traces);
    *stream_size = t->stream_size;
    if (!list || !ranked || !*traces)
        return error_memory(error);
    if (t->inputs > 1) {
        memcpy(ranked, t->kept.data, count * sizeof *ranked);
        sort_merge(ranked, ranked + count, count, sizeof *ranked, rank_before, NULL);
        if (count > t->reservoir)
            count = (size_t)t->reservoir;
        sort_merge(ranked, ranked + t->kept.n, count, sizeof *ranked, content_before, NULL);
        for (size_t i = 0; i < count; i++)
            list[i] = ranked[i].trace;
    } else if (count) {
        memcpy(list, t->only.data, count * sizeof *list);
        sample_one(list, &count, t->reservoir, t->only_stream);
    }
    *n = count;
    return copy_out(list, count, renames, arena, *traces, error);
}

void trace_set_free(struct trace_set *t)
{
    for (size_t i = 0; i < t->kept.n; i++)
        free((void *)(uintptr_t)t->kept.data[i].trace.ids);
    for (size_t i = 0; i < t->only.n; i++)
        free((void *)(uintptr_t)t->only.data[i].ids);
    VEC_FREE(&t->kept);
    VEC_FREE(&t->only);
    VEC_FREE(&t->contents);
    hash_index_free(&t->index);
}
