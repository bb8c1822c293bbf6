/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the one profile that is shown and written from the sums of a merge. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/layout/llvm_order.h"
#include "instr/merge/merge.h"
#include "instr/merge/sum_resolve.h"

/* ---- the parts of the view ---- */

static bool bytes_before(const void *context, const void *a, const void *b)
{
    const struct apf_str *x = (const struct apf_str *)a, *y = (const struct apf_str *)b;
    (void)context;
    return sort_compare_bytes(x->p, x->n, y->p, y->n) < 0;
}

/* Collects the binary ids, sorted by bytes, each once. */
static int finish_ids(const struct apf_merge *m, struct merge_view *v, struct apf_error *error)
{
    size_t n = 0, kept = 0;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        n += m->accepted >> c & 1 ? m->classes[c].ids.n : 0;
    struct apf_str *ids = arena_array(&v->profile->arena, 2 * n, sizeof *ids);
    if (!ids)
        return error_memory(error);
    n = 0;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        for (size_t i = 0; m->accepted >> c & 1 && i < m->classes[c].ids.n; i++)
            ids[n++] = m->classes[c].ids.data[i];
    sort_merge(ids, ids + n, n, sizeof *ids, bytes_before, NULL);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || bytes_before(NULL, &ids[kept - 1], &ids[i]))
            ids[kept++] = ids[i];
    v->profile->info.binary_ids = ids;
    v->profile->info.n_binary_ids = kept;
    return APF_OK;
}

static bool has_extra_records(const struct apf_merge *m)
{
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        if (m->classes[c].extra_records)
            return true;
    return false;
}

/* Sorts names as LLVM's writer walks its map, which the reader's map filled. Names of a single input went there in the
 * order of the file; with several inputs, the order of arrival must not matter. */
static bool order_names(const struct apf_merge *m, struct apf_str *names, struct apf_str *scratch, size_t n)
{
    uint32_t *order = malloc(n * sizeof *order + 1);
    bool ok = order != NULL;
    if (m->stats.n_merged + m->stats.n_salvaged + has_extra_records(m) > 1)
        sort_merge(names, scratch, n, sizeof *names, bytes_before, NULL);
    for (unsigned map = 0; ok && map < 2; map++) {
        ok = llvm_string_map_order(names, n, STRING_HASH_XXH3, order);
        memcpy(scratch, names, n * sizeof *names);
        for (size_t i = 0; ok && i < n; i++)
            names[i] = scratch[order[i]];
    }
    free(order);
    return ok;
}

/* Collects the present names of vtables, each once: *n names, with room for as many again. NULL: an allocation
 * failed. */
static struct apf_str *gather_vtables(const struct apf_merge *m, struct merge_view *v, size_t *n)
{
    const struct symbols *all = &m->vtables;
    struct apf_str *names = arena_array(&v->profile->arena, 2 * all->list.n, sizeof *names);
    bool *listed = calloc(all->list.n + 1, sizeof *listed);
    *n = 0;
    for (uint32_t i = 0; names && listed && i < all->list.n; i++) {
        const struct symbol *s = &all->list.data[i];
        const struct rename *rename = renames_find(&v->renames, s->id);
        uint32_t e = rename ? symbols_find(all, rename->to) : i;
        if (!s->n || !(s->flags & m->accepted) || e == HASH_INDEX_NONE || listed[e])
            continue;
        struct apf_str name = {all->list.data[e].p, all->list.data[e].n};
        listed[e] = true;
        names[(*n)++] = name;
    }
    names = listed ? names : NULL;
    free(listed);
    return names;
}

static int finish_vtables(const struct apf_merge *m, struct merge_view *v, struct apf_error *error)
{
    size_t n;
    struct apf_str *names = gather_vtables(m, v, &n);
    if (!names || (n && !order_names(m, names, names + n, n)))
        return error_memory(error);
    v->profile->info.vtable_names = names;
    v->profile->info.n_vtable_names = n;
    return APF_OK;
}

/* Lists the ids of the names that the view's renames made, and which flags other names of the view have. */
static int finish_names(const struct apf_merge *m, struct merge_view *v, struct apf_error *error)
{
    size_t n = v->renames.list.n + v->keys.list.n;
    uint64_t *ids = arena_array(&v->profile->arena, n, sizeof *ids);
    uint64_t *scratch = malloc(n * sizeof *scratch + 1);
    bool ok = ids && scratch;
    n = 0;
    for (size_t i = 0; ok && i < v->renames.list.n; i++)
        ids[n++] = v->renames.list.data[i].to;
    for (size_t i = 0; ok && i < v->keys.list.n; i++)
        ids[n++] = v->keys.list.data[i].to;
    if (ok)
        sort_numbers(ids, scratch, n);
    free(scratch);
    v->profile->name_flags = m->accepted;
    v->profile->made_names = ids;
    v->profile->n_made_names = n;
    return ok ? APF_OK : error_memory(error);
}

/* Joins the traces of several classes as if their inputs were of one. */
static int join_traces(const struct apf_merge *m, struct trace_set *joined, struct apf_error *error)
{
    int code = APF_OK;
    merge_trace_limits(m, joined);
    for (unsigned c = 0; code == APF_OK && c < CLASS_COUNT; c++)
        if (m->accepted >> c & 1)
            code = trace_set_join(joined, &m->classes[c].traces, error);
    return code;
}

static int finish_traces(const struct apf_merge *m, struct merge_view *v, struct apf_error *error)
{
    struct apf_instr_info *info = &v->profile->info;
    struct apf_trace *traces = NULL;
    const struct trace_set *set = NULL;
    struct trace_set joined = {0};
    unsigned with_traces = 0;
    for (unsigned c = 0; c < CLASS_COUNT; c++)
        if (m->accepted >> c & 1 && m->classes[c].traces.inputs) {
            set = &m->classes[c].traces;
            with_traces++;
        }
    int code = with_traces > 1 ? join_traces(m, &joined, error) : APF_OK;
    if (with_traces > 1)
        set = &joined;
    if (code == APF_OK && set)
        code = trace_set_finish(set, &v->renames, &v->profile->arena, &traces, &info->n_traces,
                                &info->trace_stream_size, error);
    info->traces = traces;
    trace_set_free(&joined);
    return code;
}

bool merge_is_solid(const struct apf_merge *m)
{
    bool solid = has_extra_records(m);
    for (size_t i = 0; i < m->inputs.n; i++)
        solid |= m->inputs.data[i].result.code == APF_OK && !m->inputs.data[i].hollow;
    return solid;
}

/* Debug-info correlation is left out: it is a property of raw files. Hollow inputs count, as in LLVM, unless their
 * class contradicts the others. */
uint64_t merge_variant(const struct apf_merge *m)
{
    uint64_t variant = m->variant;
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct merge_input *input = &m->inputs.data[i];
        if (input->result.code == APF_OK && (!input->hollow || m->accepted >> input->class & 1))
            variant |= input->result.variant;
    }
    variant &= ~(APF_VARIANT_MEMPROF | APF_VARIANT_DEBUG_CORRELATE);
    return merge_has_memprof(m) ? variant | APF_VARIANT_MEMPROF : variant;
}

/* ---- the view ---- */

static void drop_view(struct merge_view *v)
{
    profile_free(v->profile);
    v->profile = NULL;
    renames_free(&v->renames);
    renames_free(&v->keys);
}

void merge_drop_views(struct apf_merge *m)
{
    drop_view(&m->plain);
    drop_view(&m->renamed);
    m->last = NULL;
    inputs_outdate(&m->kept);
}

static int make_renames(struct apf_merge *m, struct merge_view *v, struct apf_error *error)
{
    struct rename_causes causes = {&m->rules, false, v->separator, m->accepted};
    if (!rename_causes_any(&causes))
        return APF_OK;
    int code = renames_make(&v->renames, &m->symbols, &causes, error);
    if (code == APF_OK)
        code = renames_make(&v->renames, &m->vtables, &causes, error);
    causes.remap = m->rules.remaps.n != 0;
    if (code == APF_OK && causes.remap)
        code = renames_make(&v->keys, &m->symbols, &causes, error);
    return code;
}

static size_t find_input(const void *inputs, uint64_t input, struct apf_str *name)
{
    const struct apf_merge *m = (const struct apf_merge *)inputs;
    const size_t number = inputs_entry(&m->kept, input);
    *name = m->inputs.data[number].result.name;
    return number;
}

static int gather_sums(struct apf_merge *m, struct merge_view *v, struct apf_error *error)
{
    struct sum_runs runs = {0};
    bool ok = true;
    for (unsigned c = 0; ok && c < CLASS_COUNT; c++)
        if (m->accepted >> c & 1)
            ok = merge_class_runs(&m->classes[c], &runs);
    struct sum_resolve_input in = {.runs = runs.list.data,
                                   .n_runs = runs.list.n,
                                   .symbols = &m->symbols,
                                   .keys = m->rules.remaps.n ? &v->keys : &v->renames,
                                   .values = &v->renames,
                                   .classes = m->accepted,
                                   .filter = m->options.filter,
                                   .filter_user = m->options.filter_user,
                                   .scratch = merge_scratch(m),
                                   .lost = &m->lost,
                                   .pulse = &m->kept.pulse};
    struct sum_findings findings = {in.symbols, in.keys, m->common.diag, m->common.user, find_input, m};
    in.findings = findings;
    int code = ok ? make_renames(m, v, error) : error_memory(error);
    struct apf_merge_stats *s = &m->stats;
    s->count_mismatches = s->bitmap_mismatches = s->numbering_mismatches = s->site_mismatches = 0;
    s->saturated = 0;
    s->truncated_sites = s->truncated_values = s->unknown_targets = s->nameless = 0;
    s->renamed = s->renamed_merged = s->remapped = s->remapped_merged = s->names = s->filtered = 0;
    m->lost.list.n = 0;
    if (code == APF_OK)
        code = sum_resolve(v->profile, &in, s, error);
    VEC_FREE(&runs.list);
    return code;
}

static int make_view(struct apf_merge *m, struct merge_view *v, struct apf_error *error)
{
    v->profile = profile_new();
    if (!v->profile)
        return error_memory(error);
    struct apf_instr_info *info = &v->profile->info;
    info->format = APF_FORMAT_MERGED;
    info->n_profiles = 1;
    v->profile->symbols = &m->symbols;
    v->profile->vtables = &m->vtables;
    merge_lend_records(m, v->profile);
    const struct supplement_input supplement = {&m->supplement, m->common.diag, m->common.user};
    int code = gather_sums(m, v, error);
    if (code == APF_OK)
        code = supplement_apply(v->profile, &supplement, &m->stats, error);
    if (code == APF_OK)
        code = finish_names(m, v, error);
    if (code == APF_OK)
        code = finish_ids(m, v, error);
    if (code == APF_OK)
        code = finish_vtables(m, v, error);
    if (code == APF_OK)
        code = finish_traces(m, v, error);
    if (code == APF_OK)
        code = merge_finish_memprof(m, v->profile, error);
    info->variant = info->last_variant = info->version_word = merge_variant(m);
    return code;
}

int merge_finish(struct apf_merge *m, char separator, struct apf_instr **view, struct apf_error *error)
{
    struct merge_view *v = separator ? &m->renamed : &m->plain;
    *view = NULL;
    m->last = NULL;
    int code = inputs_check_whole(&m->kept, error);
    if (code == APF_OK)
        code = merge_load_sources(m, error);
    if (code != APF_OK)
        return code;
    if (!v->profile || v->separator != separator) {
        drop_view(v);
        v->separator = separator;
        code = merge_settle(m, error);
        if (code == APF_OK)
            code = make_view(m, v, error);
        if (code == APF_OK)
            code = merge_find_losses(m, error);
        if (code == APF_OK)
            merge_find_names(m);
    }
    if (code != APF_OK) {
        drop_view(v);
        return code;
    }
    m->stats.n_functions = v->profile->records.n;
    m->last = v;
    *view = v->profile;
    return APF_OK;
}

int apf_merge_view(struct apf_merge *m, struct apf_instr **view, struct apf_error *error)
{
    inputs_begin_pulse(&m->kept);
    const int code = merge_finish(m, '\0', view, error);
    pulse_end(&m->kept.pulse);
    return code;
}
