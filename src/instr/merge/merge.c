/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes, queries and frees a merge. */
#include "instr/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "inputs/inputs_verdict.h"
#include "partial/partial_slices.h"

#define ALL_FLAGS                                                                                            \
    (APF_MERGE_GENERAL | APF_MERGE_NO_TRACES | APF_MERGE_REMOVE_INPUTS | APF_MERGE_FIND_LOSSES |             \
     APF_MERGE_FORGET_TRACES | APF_MERGE_PARTIAL | APF_MERGE_FORGET_INPUTS)

/* ---- for the inputs ---- */

static void show_input(void *merge, size_t i)
{
    struct apf_merge *m = (struct apf_merge *)merge;
    merge_show(m, i);
}

static void show_counts(void *merge)
{
    struct apf_merge *m = (struct apf_merge *)merge;
    const struct input_counts *c = &m->kept.counts;
    struct apf_merge_stats *s = &m->stats;
    s->n_inputs = c->n_inputs;
    s->n_merged = c->n_merged;
    s->n_empty = c->n_empty;
    s->n_rejected = c->n_rejected;
    s->n_salvaged = c->n_salvaged;
    s->n_held = c->n_held;
    s->n_removed = c->n_removed;
    s->removed_bytes = c->removed_bytes;
    s->n_not_removed = c->n_not_removed;
    s->n_undeletable = c->n_undeletable;
}

static enum input_held how_held(const void *merge, size_t i, struct apf_error *why)
{
    const struct apf_merge *m = (const struct apf_merge *)merge;
    const struct apf_input_result *r = &m->inputs.data[i].result;
    if (m->options.flags & APF_MERGE_PARTIAL)
        return INPUT_HELD;
    if (!r->losses_known)
        return INPUT_HELD_UNKNOWN;
    if (!lost_anything(r))
        return INPUT_HELD;
    if (why)
        error_set_plain(
            why, APF_NOT_REMOVED, "input.remove",
            "left out are %llu functions, %llu bitmaps, %llu kinds of values that do not go with the "
            "others",
            (unsigned long long)r->lost_functions, (unsigned long long)r->lost_bitmaps,
            (unsigned long long)r->lost_values);
    return INPUT_HELD_IN_PART;
}

/* Whether all salvaged records are lost after all, because no input has their names. */
static bool is_void(const void *merge)
{
    const struct apf_merge *m = (const struct apf_merge *)merge;
    return m->last && m->stats.n_functions == 0 && m->stats.salvage_lost_names;
}

static int open_inputs(struct apf_merge *m, const struct apf_tolerance *tolerance, struct apf_error *error)
{
    static const struct inputs_room room = {show_input, show_counts, how_held, is_void};
    const struct inputs_setup setup = {.room = &room,
                                       .merge = m,
                                       .common = &m->common,
                                       .arena = &m->arena,
                                       .tolerance = tolerance,
                                       .output = m->options.output,
                                       .undecided = (m->options.flags & APF_MERGE_PARTIAL) != 0,
                                       .remove = (m->options.flags & APF_MERGE_REMOVE_INPUTS) != 0,
                                       .read_again = (m->options.flags & APF_MERGE_FIND_LOSSES) != 0};
    return inputs_open(&m->kept, &setup, error);
}

/* ---- a merge ---- */

int apf_merge_new(struct apf_merge **merge, const struct apf_merge_options *options, struct apf_error *error)
{
    struct apf_merge_options o;
    struct apf_options common;
    *merge = NULL;
    int code = OPTIONS_READ_BOTH(apf_merge_options, &o, options, &common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, ALL_FLAGS, "apf_merge_options.flags", error);
    if (code == APF_OK)
        code = partial_check_slice(&o.slice, o.flags & APF_MERGE_PARTIAL, error);
    if (code == APF_OK)
        code = inputs_tolerance_check(o.tolerance, error);
    if (code != APF_OK)
        return code;
    struct apf_merge *m = calloc(1, sizeof *m);
    *merge = m;
    if (!m)
        return error_memory(error);
    pthread_mutex_init(&m->lock, NULL);
    pthread_mutex_init(&m->memprof_lock, NULL);
    m->stats.memprof_version = APF_MEMPROF_NO_VERSION;
    m->streamed_bytes = MERGE_STREAMED_BYTES;
    m->options = o;
    m->common = common;
    m->options.options = NULL; /* the caller's memory */
    m->read = read_options_resolve(&m->common);
    m->read.pulse = &m->kept.pulse;
    if (code == APF_OK &&
        (o.flags & (APF_MERGE_PARTIAL | APF_MERGE_FORGET_INPUTS)) == APF_MERGE_FORGET_INPUTS)
        code = error_plain(error, APF_ARGUMENT, "merge.options.flags",
                           "inputs are forgotten in a partial profile only");
    if (code == APF_OK)
        code = name_rules_copy(&m->rules, &m->options, &m->arena, error);
    m->options.remaps = m->options.prefix_maps = NULL; /* the caller's memory */
    m->options.tolerance = NULL;
    if (code == APF_OK && m->options.filter && m->options.flags & APF_MERGE_REMOVE_INPUTS)
        code = error_plain(error, APF_ARGUMENT, "merge.options.filter",
                           "inputs are removed: a filter loses functions");
    if (code == APF_OK)
        code = open_inputs(m, o.tolerance, error);
    if (code != APF_OK) {
        apf_merge_free(m);
        *merge = NULL;
    }
    return code;
}

void apf_merge_free(struct apf_merge *m)
{
    if (!m)
        return;
    merge_drop_views(m);
    inputs_close(&m->kept);
    for (unsigned c = 0; c < CLASS_COUNT; c++) {
        sum_table_free(m->classes[c].sum_table);
        shapes_free(m->classes[c].shapes);
        trace_set_free(&m->classes[c].traces);
        VEC_FREE(&m->classes[c].ids);
        hash_index_free(&m->classes[c].id_index);
        memprof_free(m->classes[c].memprof);
    }
    memprof_free(m->memprof);
    symbols_free(&m->symbols);
    symbols_free(&m->vtables);
    name_rules_free(&m->rules);
    supplement_free(&m->supplement);
    VEC_FREE(&m->inputs);
    VEC_FREE(&m->sources.list);
    rosters_free(&m->rosters);
    VEC_FREE(&m->lost.list);
    VEC_FREE(&m->records);
    arena_free(&m->partials);
    arena_free(&m->scratch);
    arena_free(&m->arena);
    pthread_mutex_destroy(&m->memprof_lock);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

/* ---- one record ---- */

/* Copies the values: the record may be one of a view, which shares its values with the sum it is added to. */
static int copy_sites(struct arena *arena, const struct apf_record *from, struct record *to,
                      struct apf_error *error)
{
    size_t n = 0;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        if (from->n_sites[k] > UINT32_MAX / 4)
            return error_plain(error, APF_TOO_LARGE, "merge.record.sites", NULL);
        to->n_sites[k] = (uint32_t)from->n_sites[k];
        n += from->n_sites[k];
    }
    struct apf_site *site = arena_zeros(arena, n, sizeof *site);
    if (!site)
        return error_memory(error);
    to->sites = site;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (size_t i = 0; i < from->n_sites[k]; i++, site++) {
            if (!from->sites[k] || !from->sites[k][i].n)
                continue;
            struct apf_value *values = arena_array(arena, from->sites[k][i].n, sizeof *values);
            if (!values)
                return error_memory(error);
            memcpy(values, from->sites[k][i].values, from->sites[k][i].n * sizeof *values);
            site->values = values;
            site->n = from->sites[k][i].n;
        }
    return APF_OK;
}

static int add_record(struct apf_merge *m, struct record *r, struct apf_str name, uint64_t weight,
                      struct apf_error *error)
{
    struct merge_class *c = merge_class_get(m, merge_class_of(m->variant, 0));
    if (!c)
        return error_memory(error);
    int code = symbols_add(&m->symbols, name.p, name.n, true, &r->id, &r->symbol, error);
    if (code != APF_OK)
        return code;
    m->symbols.list.data[r->symbol].flags |= (uint32_t)1 << (c - m->classes);
    uint64_t times = weight ? weight : 1;
    struct sum_table_input in = {.records = r, .n = 1, .weight = times, .input = INPUT_NONE, .votes = times};
    code = sum_table_add(c->sum_table, &in, error);
    m->kept.broken = code != APF_OK; /* a part of it may have been added */
    c->extra_records += code == APF_OK;
    return code;
}

int apf_merge_add_record(struct apf_merge *m, const struct apf_record *given, uint64_t weight,
                         struct apf_error *error)
{
    struct apf_record copy;
    const struct apf_record *record = &copy;
    int code = inputs_check_whole(&m->kept, error);
    if (code == APF_OK)
        code = OPTIONS_READ(apf_record, &copy, given, error);
    if (code == APF_OK)
        code = flags_check(copy.flags, SUM_FLAGS | APF_RECORD_SATURATED, "apf_record.flags", error);
    if (code != APF_OK)
        return code;
    if (!bitmap_flags_agree(copy.flags, copy.flags))
        return error_plain(error, APF_ARGUMENT, "apf_record.flags", "a bitmap is sparse or dense, not both");
    if (!record->name.n || !record->n_counts || record->n_counts > UINT32_MAX ||
        record->n_bitmap > UINT32_MAX)
        return error_plain(error, APF_ARGUMENT, "merge.record", "a record needs a name and counters");
    struct arena arena = {0};
    struct record r = {0};
    struct record_extra extra = {0, record->n_uniform == record->n_counts ? record->uniform : NULL,
                                 record->uniformity, (uint32_t)record->n_uniformity};
    r.hash = record->hash;
    r.counts = record->counts;
    r.n_counts = (uint32_t)record->n_counts;
    r.bitmap = record->bitmap;
    r.n_bitmap = (uint32_t)record->n_bitmap;
    r.extra = &extra;
    r.flags = record->counts[0] >= PSEUDO_WARM ? APF_RECORD_PSEUDO : 0;
    r.flags |= r.n_bitmap ? record->flags & BITMAP_FLAGS : 0;
    code = copy_sites(&arena, record, &r, error);
    if (code == APF_OK)
        code = add_record(m, &r, record->name, weight, error);
    merge_drop_views(m); /* last, because the record may belong to a view */
    arena_free(&arena);
    return code;
}

/* A name for every class. */
static int add_name(struct symbols *symbols, struct apf_str name, struct apf_error *error)
{
    struct apf_error failure;
    uint32_t e = HASH_INDEX_NONE;
    int code = name.n ? symbols_add(symbols, name.p, name.n, true, NULL, &e, &failure) : APF_OK;
    if (code != APF_OK && code != APF_MALFORMED) {
        if (error)
            *error = failure;
        return code;
    }
    if (e != HASH_INDEX_NONE)
        symbols->list.data[e].flags = UINT32_MAX;
    if (code == APF_MALFORMED)
        symbols->list.data[e].n = 0; /* two names have the id: it means neither */
    return APF_OK;
}

int apf_merge_add_names(struct apf_merge *m, const struct apf_str *names, size_t n, struct apf_error *error)
{
    int code = inputs_check_whole(&m->kept, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; code == APF_OK && i < n; i++)
        code = add_name(&m->symbols, names[i], error);
    merge_drop_views(m); /* last, because the names may belong to a view */
    return code;
}

int apf_merge_set_variant(struct apf_merge *m, uint64_t variant, struct apf_error *error)
{
    uint64_t unknown = variant & ~VARIANT_BITS;
    if (unknown)
        return error_subject(error,
                             error_plain(error, APF_ARGUMENT, "merge.variant", "unknown bits 0x%llx",
                                         (unsigned long long)unknown),
                             APF_SUBJECT_OPTION);
    merge_drop_views(m);
    m->variant = variant;
    return APF_OK;
}

/* ---- samples that correct the sums ---- */

int apf_merge_supplement(struct apf_merge *m, const struct apf_supplement *supplement,
                         const struct apf_supplement_options *options, struct apf_error *error)
{
    int code = inputs_check_whole(&m->kept, error);
    if (code == APF_OK && m->options.flags & APF_MERGE_REMOVE_INPUTS)
        code = error_plain(error, APF_ARGUMENT, "merge.supplement",
                           "inputs are removed: the counts of corrected functions would be lost");
    if (code == APF_OK)
        code = supplement_set(&m->supplement, supplement, options, error);
    if (code == APF_OK)
        merge_drop_views(m);
    return code;
}

/* ---- results ---- */

const struct apf_input_result *apf_merge_input(const struct apf_merge *m, size_t i)
{
    return i < m->inputs.n ? &m->inputs.data[i].result : NULL;
}

size_t apf_merge_first_result(const struct apf_merge *m, size_t given)
{
    return given < m->kept.firsts.n ? m->kept.firsts.data[given] : m->inputs.n;
}

int apf_merge_verdict(struct apf_merge *m, const struct apf_tolerance *tolerance)
{
    return inputs_judge(&m->kept, tolerance);
}

const struct apf_merge_stats *apf_merge_stats(const struct apf_merge *m)
{
    return &m->stats;
}
