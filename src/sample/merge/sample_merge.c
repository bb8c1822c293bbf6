/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes, queries and frees a merge. */
#include "sample/merge/sample_merge.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "inputs/inputs_verdict.h"
#include "partial/partial_slices.h"
#include "sample/model/sample_share.h"
#include "sample/read/sample_formats.h"

#define ALL_FLAGS                                                                                            \
    (APF_SAMPLE_MERGE_REMOVE_INPUTS | APF_SAMPLE_MERGE_FIND_LOSSES | APF_SAMPLE_MERGE_NO_SYMBOLS |           \
     APF_SAMPLE_MERGE_COLD | APF_SAMPLE_MERGE_TRIM_COLD | APF_SAMPLE_MERGE_COLD_COUNT |                      \
     APF_SAMPLE_MERGE_BASE | APF_SAMPLE_MERGE_FS | APF_SAMPLE_MERGE_PARTIAL |                                \
     APF_SAMPLE_MERGE_FORGET_INPUTS)

/* ---- for the inputs ---- */

static void show_input(void *merge, size_t i)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)merge;
    sample_merge_show(m, i);
}

static void show_counts(void *merge)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)merge;
    const struct input_counts *c = &m->kept.counts;
    struct apf_sample_merge_stats *s = &m->stats;
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

/* Whether an input has bytes that were not read. */
static bool has_rest(const struct apf_sample_input_result *r)
{
    bool found = false;
    for (size_t i = 0; i < r->n_findings; i++)
        found |= r->findings[i].where == sample_finding_table.rows[SAMPLE_FINDING_UNREAD_END].where ||
                 r->findings[i].where == sample_finding_table.rows[SAMPLE_FINDING_TRAILING].where;
    return found;
}

static enum input_held how_held(const void *merge, size_t i, struct apf_error *why)
{
    const struct apf_sample_merge *m = (const struct apf_sample_merge *)merge;
    const struct apf_sample_input_result *r = &m->inputs.data[i].result;
    if (has_rest(r)) {
        if (why)
            error_set_plain(why, APF_NOT_REMOVED, "input.remove",
                            "it has bytes after its end that were not read");
        return INPUT_HELD_IN_PART;
    }
    if (m->options.flags & APF_SAMPLE_MERGE_PARTIAL)
        return INPUT_HELD;
    if (!sample_merge_losses_known(m, r))
        return INPUT_HELD_UNKNOWN;
    if (!r->lost_functions)
        return INPUT_HELD;
    if (why)
        error_set_plain(why, APF_NOT_REMOVED, "input.remove",
                        "left out: %llu function%s whose checksums contradict those of others",
                        (unsigned long long)r->lost_functions, r->lost_functions == 1 ? "" : "s");
    return INPUT_HELD_IN_PART;
}

static int open_inputs(struct apf_sample_merge *m, const struct apf_sample_merge_options *o,
                       struct apf_error *error)
{
    static const struct inputs_room room = {show_input, show_counts, how_held, NULL};
    const struct inputs_setup setup = {.room = &room,
                                       .merge = m,
                                       .common = &m->common,
                                       .arena = &m->arena,
                                       .tolerance = o->tolerance,
                                       .output = o->output,
                                       .undecided = (o->flags & APF_SAMPLE_MERGE_PARTIAL) != 0,
                                       .remove = (o->flags & APF_SAMPLE_MERGE_REMOVE_INPUTS) != 0,
                                       .read_again = (o->flags & APF_SAMPLE_MERGE_FIND_LOSSES) != 0};
    return inputs_open(&m->kept, &setup, error);
}

void sample_merge_drop_view(struct apf_sample_merge *m)
{
    sample_share_free(m->view);
    m->view = NULL;
    inputs_outdate(&m->kept);
}

/* ---- options ---- */

static int check_options(const struct apf_sample_merge_options *o, struct apf_error *error)
{
    int code = flags_check(o->flags, ALL_FLAGS, "apf_sample_merge_options.flags", error);
    if (code == APF_OK)
        code = partial_check_slice(&o->slice, o->flags & APF_SAMPLE_MERGE_PARTIAL, error);
    if (code == APF_OK)
        code = inputs_tolerance_check(o->tolerance, error);
    if (code == APF_OK && APF_SAMPLE_FLAT < o->conversion)
        code = error_plain(error, APF_ARGUMENT, "apf_sample_merge_options.conversion", "no such conversion");
    if (code == APF_OK && o->cold_cutoff > 1000000)
        code = error_plain(error, APF_ARGUMENT, "apf_sample_merge_options.cold_cutoff",
                           "it is %u, and 1000000 is all", o->cold_cutoff);
    const uint32_t forget = APF_SAMPLE_MERGE_FORGET_INPUTS, partial = APF_SAMPLE_MERGE_PARTIAL;
    if (code == APF_OK && (o->flags & (partial | forget)) == forget)
        code = error_plain(error, APF_ARGUMENT, "apf_sample_merge_options.flags",
                           "inputs are forgotten in a partial profile only");
    if (code == APF_OK && o->reserved)
        code = error_plain(error, APF_ARGUMENT, "apf_sample_merge_options.reserved", "it must be 0");
    bool lossy = o->filter || o->size_limit || o->flags & APF_SAMPLE_MERGE_TRIM_COLD;
    if (code == APF_OK && lossy && o->flags & APF_SAMPLE_MERGE_REMOVE_INPUTS)
        code = error_plain(error, APF_ARGUMENT, "apf_sample_merge_options.flags",
                           "inputs are removed: a filter, a size limit or trimming loses functions");
    return code;
}

/* Copies the names that the options have for the list of all functions. */
static int copy_symbols(struct apf_sample_merge *m, const struct apf_sample_merge_options *o,
                        struct apf_error *error)
{
    if (!VEC_RESERVE(&m->symbols, o->n_symbols))
        return error_memory(error);
    for (size_t i = 0; i < o->n_symbols; i++) {
        struct apf_str copy = {arena_text(&m->arena, o->symbols[i].p, o->symbols[i].n), o->symbols[i].n};
        if (!copy.p)
            return error_memory(error);
        m->symbols.data[m->symbols.n++] = copy;
    }
    return SORT_VEC(&m->symbols, sort_text_before, NULL) ? APF_OK : error_memory(error);
}

static int copy_options(struct apf_sample_merge *m, const struct apf_sample_merge_options *o,
                        struct apf_error *error)
{
    struct apf_sample_read_options read = {.size = sizeof read, .options = &m->common, .pass = o->pass};
    struct apf_options common;
    read.flags = o->flags & APF_SAMPLE_MERGE_FS ? APF_SAMPLE_READ_FS : 0;
    int code = sample_read_options_resolve(&m->read, &read, &common, error);
    m->read.pulse = &m->kept.pulse;
    if (code == APF_OK)
        code = sample_remaps_copy(&m->remaps, o->remaps, o->n_remaps, &m->arena, error);
    if (code == APF_OK)
        code = copy_symbols(m, o, error);
    m->options = *o;
    m->options.options = NULL; /* these are the caller's memory */
    m->options.output = NULL;
    m->options.remaps = NULL;
    m->options.symbols = NULL;
    m->options.tolerance = NULL;
    m->options.cold_frames = o->cold_frames ? o->cold_frames : 1;
    return code;
}

/* ---- a merge ---- */

int apf_sample_merge_new(struct apf_sample_merge **merge, const struct apf_sample_merge_options *options,
                         struct apf_error *error)
{
    struct apf_sample_merge_options o;
    struct apf_options common;
    *merge = NULL;
    int code = OPTIONS_READ_BOTH(apf_sample_merge_options, &o, options, &common, error);
    if (code == APF_OK)
        code = check_options(&o, error);
    if (code != APF_OK)
        return code;
    struct apf_sample_merge *m = calloc(1, sizeof *m);
    if (!m)
        return error_memory(error);
    m->common = common;
    m->class = SAMPLE_CLASS_COUNT;
    sample_sums_open(&m->sums);
    pthread_mutex_init(&m->partials_lock, NULL);
    code = copy_options(m, &o, error);
    if (code == APF_OK)
        code = open_inputs(m, &o, error);
    if (code == APF_OK)
        *merge = m;
    else
        apf_sample_merge_free(m);
    return code;
}

void apf_sample_merge_free(struct apf_sample_merge *m)
{
    if (!m)
        return;
    sample_merge_drop_view(m);
    inputs_close(&m->kept);
    sample_sums_free(&m->sums);
    sample_remaps_free(&m->remaps);
    VEC_FREE(&m->symbols);
    VEC_FREE(&m->known);
    VEC_FREE(&m->inputs);
    VEC_FREE(&m->lost_nodes);
    VEC_FREE(&m->sources.list);
    rosters_free(&m->rosters);
    pthread_mutex_destroy(&m->partials_lock);
    arena_free(&m->partials);
    arena_free(&m->arena);
    free(m);
}

int apf_sample_merge_add_names(struct apf_sample_merge *m, const struct apf_str *names, size_t n,
                               struct apf_error *error)
{
    int code = inputs_check_whole(&m->kept, error);
    sample_merge_drop_view(m);
    if (code == APF_OK && !VEC_RESERVE(&m->known, n))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct apf_str copy = {arena_text(&m->arena, names[i].p, names[i].n), names[i].n};
        if (copy.p)
            m->known.data[m->known.n++] = copy;
        else
            code = error_memory(error);
    }
    return code;
}

const struct apf_sample_input_result *apf_sample_merge_input(const struct apf_sample_merge *m, size_t i)
{
    return i < m->inputs.n ? &m->inputs.data[i].result : NULL;
}

const struct apf_sample_merge_stats *apf_sample_merge_stats(const struct apf_sample_merge *m)
{
    return &m->stats;
}

int apf_sample_merge_verdict(struct apf_sample_merge *m, const struct apf_tolerance *tolerance)
{
    return inputs_judge(&m->kept, tolerance);
}

int apf_sample_merge_view(struct apf_sample_merge *m, const struct apf_sample **view, struct apf_error *error)
{
    inputs_begin_pulse(&m->kept);
    int code = sample_merge_finish(m, error);
    pulse_end(&m->kept.pulse);
    *view = code == APF_OK ? m->view : NULL;
    return code;
}
