/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_cold.h"

#include <stdlib.h>

#include "base/error.h"
#include "sample/model/sample_share.h"
#include "sample/model/sample_summary.h"

struct trimming {
    const struct sample_cold *cold;
    struct sample_cold_result *result;
    struct sample_losses *losses;
    struct apf_sample *cut; /* sums of cold functions by their last frames */
    struct apf_sample *to;
};

int sample_cold_threshold(const struct apf_sample *s, uint32_t cutoff, uint64_t *threshold,
                          struct apf_error *error)
{
    struct arena arena = {0};
    struct sample_summary summary;
    int code = sample_summary_compute(s, sample_cutoffs, SAMPLE_N_CUTOFFS, &arena, &summary, error);
    const struct sample_summary_row *row = code == APF_OK ? sample_summary_row(&summary, cutoff) : NULL;
    *threshold = row ? row->min_count : 0;
    arena_free(&arena);
    return code;
}

/* The context of the last frames of one of another table, in that of `to`. */
static int add_context(struct sample_contexts *to, const struct sample_contexts *from, uint32_t context,
                       uint32_t frames, uint32_t *added, struct apf_error *error)
{
    VEC(uint32_t) chain = {NULL, 0, 0}; /* innermost frame first */
    int code = APF_OK;
    for (uint32_t c = context; code == APF_OK && c != SAMPLE_NONE && chain.n < frames;
         c = from->list.data[c].caller)
        if (!VEC_PUSH(&chain, c))
            code = error_memory(error);
    uint32_t caller = SAMPLE_NONE;
    for (size_t i = chain.n; code == APF_OK && i-- > 0;) {
        const struct sample_context *c = &from->list.data[chain.data[i]];
        code = sample_contexts_add(to, caller, c->at, c->name, &caller, error);
    }
    *added = caller;
    VEC_FREE(&chain);
    return code;
}

/* Adds a function to another profile, with the last frames of its context. Attributes are of a whole context: what
 * loses frames loses them. */
static int move_top(struct apf_sample *to, const struct apf_sample *from, uint32_t node, uint32_t frames,
                    struct apf_error *error)
{
    const struct sample_node *f = &from->nodes.data[node];
    bool whole = from->contexts.list.data[f->context].depth < frames;
    uint32_t context, sum;
    int code = add_context(&to->contexts, &from->contexts, f->context, frames, &context, error);
    if (code == APF_OK)
        code = sample_sum_top(to, context, f->checksum, &sum, error);
    if (code != APF_OK)
        return code;
    uint32_t attributes = to->nodes.data[sum].attributes;
    code = sample_add_node(to, sum, from, node, error);
    if (!whole)
        to->nodes.data[sum].attributes = attributes;
    return code;
}

static void count_trimmed(struct trimming *w, const struct sample_node *f)
{
    w->result->trimmed++;
    w->result->samples = sample_sum(w->result->samples, f->total, 1, &(uint64_t){0});
}

/* Resolves the sums of cold functions. Losses get contexts of the result, in which the caller finds them. */
static int resolve_cut(struct trimming *w, struct apf_error *error)
{
    size_t before = w->losses->list.n;
    int code = sample_resolve(w->cut, w->losses, error);
    for (size_t i = before; code == APF_OK && i < w->losses->list.n; i++) {
        struct sample_loss *loss = &w->losses->list.data[i];
        code = add_context(&w->to->contexts, &w->cut->contexts, loss->context, UINT32_MAX, &loss->context,
                           error);
    }
    return code;
}

/* Adds hot functions to the result, and cold ones, if they are to be merged, to their sums. */
static int divide_functions(struct trimming *w, const struct apf_sample *from, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < from->top.n; i++) {
        uint32_t node = from->top.data[i];
        const struct sample_node *f = &from->nodes.data[node];
        bool called = from->contexts.list.data[f->context].caller != SAMPLE_NONE;
        if (f->total >= w->cold->threshold || (called && w->cold->base_only)) {
            code = move_top(w->to, from, node, UINT32_MAX, error);
        } else if (w->cold->merge) {
            w->result->merged += from->contexts.list.data[f->context].depth >= w->cold->frames;
            code = move_top(w->cut, from, node, w->cold->frames, error);
        } else {
            count_trimmed(w, f);
        }
    }
    return code == APF_OK && w->cold->merge ? resolve_cut(w, error) : code;
}

/* The context of another table in that of the profile, or SAMPLE_NONE. */
static uint32_t find_context(const struct sample_contexts *in, const struct sample_contexts *from,
                             const uint32_t *map, uint32_t context)
{
    const struct sample_context *c = &from->list.data[context];
    if (c->caller == SAMPLE_NONE)
        return sample_contexts_find(in, SAMPLE_NONE, 0, c->name);
    return map[c->caller] == SAMPLE_NONE ? SAMPLE_NONE
                                         : sample_contexts_find(in, map[c->caller], c->at, c->name);
}

/* Whether each context of the sums has a hot function in the result, before any sum is added. */
static int find_hot(const struct trimming *w, bool *hot, struct apf_error *error)
{
    const struct sample_contexts *cut = &w->cut->contexts, *to = &w->to->contexts;
    uint32_t *map = malloc((cut->list.n + 1) * sizeof *map);
    bool *is_top = calloc(to->list.n + 1, sizeof *is_top);
    int code = map && is_top ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < w->to->top.n; i++)
        is_top[w->to->nodes.data[w->to->top.data[i]].context] = true;
    for (uint32_t i = 0; code == APF_OK && i < cut->list.n; i++) {
        map[i] = find_context(to, cut, map, i);
        hot[i] = map[i] != SAMPLE_NONE && is_top[map[i]];
    }
    free(map);
    free(is_top);
    return code;
}

/* Adds the sums of cold functions to the result. */
static int add_cut(struct trimming *w, struct apf_error *error)
{
    const struct apf_sample *cut = w->cut;
    bool *hot = malloc(cut->contexts.list.n + 1);
    int code = hot ? find_hot(w, hot, error) : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < cut->top.n; i++) {
        uint32_t node = cut->top.data[i];
        const struct sample_node *f = &cut->nodes.data[node];
        if (w->cold->trim && f->total < w->cold->threshold && !hot[f->context])
            count_trimmed(w, f);
        else
            code = move_top(w->to, cut, node, UINT32_MAX, error);
    }
    free(hot);
    return code;
}

int sample_trim_cold(const struct apf_sample *from, const struct sample_cold *cold, struct apf_sample **to,
                     struct sample_cold_result *result, struct sample_losses *losses, struct apf_error *error)
{
    static const struct sample_cold_result none;
    struct trimming w = {cold, result, losses, sample_share_names(&from->names),
                         sample_share_names(&from->names)};
    *result = none;
    *to = NULL;
    int code = w.cut && w.to ? divide_functions(&w, from, error) : error_memory(error);
    if (code == APF_OK && cold->merge)
        code = add_cut(&w, error);
    if (code == APF_OK)
        code = sample_resolve(w.to, losses, error);
    sample_share_free(w.cut);
    if (code != APF_OK) {
        sample_share_free(w.to);
        return code;
    }
    w.to->info.flags = from->info.flags;
    *to = w.to;
    return APF_OK;
}
