/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes what a merge knows as a partial profile, before anything is decided. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "inputs/inputs_listing.h"
#include "inputs/inputs_output.h"
#include "inputs/inputs_removal.h"
#include "inputs/inputs_verdict.h"
#include "instr/merge/merge_partial.h"
#include "instr/merge/merge_sources.h"
#include "instr/partial/partial_memprof.h"
#include "instr/partial/partial_traces.h"

/* ---- inputs ---- */

static bool was_read(const void *merge, size_t i)
{
    return merge_was_read(&((const struct apf_merge *)merge)->inputs.data[i]);
}

/* What inputs have in common that are listed without names. */
static int compare_kinds(const void *merge, size_t a, size_t b)
{
    const struct merge_input *list = ((const struct apf_merge *)merge)->inputs.data;
    const struct apf_input_result *x = &list[a].result, *y = &list[b].result;
    const uint64_t pairs[][2] = {
        {list[a].class, list[b].class}, {list[a].hollow, list[b].hollow}, {list[a].digests, list[b].digests},
        {x->weight, y->weight},         {x->format, y->format},           {x->version, y->version},
        {x->variant, y->variant},       {x->producers, y->producers},     {x->pointer_bits, y->pointer_bits},
        {x->big_endian, y->big_endian}};
    return inputs_compare_numbers(pairs, sizeof pairs / sizeof *pairs);
}

static struct inputs_lister lister_of(const struct apf_merge *m)
{
    const bool unnamed = m->options.flags & APF_MERGE_FORGET_INPUTS;
    return (struct inputs_lister){m, was_read, unnamed ? compare_kinds : NULL};
}

static void add_number(uint64_t *to, uint64_t more)
{
    bool cut = false;
    *to = sum_saturating(*to, more, 1, UINT64_MAX, &cut);
}

/* Adds up what the inputs of a group have, but for their ids. */
static struct partial_input add_up(const struct apf_merge *m, const struct inputs_group *group)
{
    struct partial_input sum = {.quirks = {0}};
    for (size_t i = 0; i < group->n; i++) {
        const struct merge_input *from = &m->inputs.data[group->entries[i]];
        const struct apf_input_result *r = &from->result;
        uint64_t quirks[QUIRK_COUNT];
        if (i == 0) {
            sum.result = *r;
            sum.class = from->class;
            sum.hollow = from->hollow;
            sum.digests = from->digests;
            sum.roster = from->roster;
            sum.salvage = from->salvage;
            sum.nameless = from->nameless;
        } else {
            add_number(&sum.result.n_profiles, r->n_profiles);
            add_number(&sum.result.n_records, r->n_records);
            add_number(&sum.result.n_counters, r->n_counters);
            add_number(&sum.result.sum_of_counts, r->sum_of_counts);
        }
        finding_table_counts(&quirk_table, r->findings, r->n_findings, quirks);
        for (unsigned q = 0; q < QUIRK_COUNT; q++)
            add_number(&sum.quirks[q], quirks[q]);
    }
    return sum;
}

/* Makes a sorted list of the ids of inputs, each once, for free(). NULL: an allocation failed. */
static struct apf_str *join_ids(const struct apf_merge *m, const struct inputs_group *group, size_t *n)
{
    size_t most = 0, at = 0;
    for (size_t i = 0; i < group->n; i++)
        most += m->inputs.data[group->entries[i]].result.n_binary_ids;
    struct apf_str *ids = malloc(2 * most * sizeof *ids + 1);
    for (size_t i = 0; ids && i < group->n; i++) {
        const struct apf_input_result *r = &m->inputs.data[group->entries[i]].result;
        if (r->n_binary_ids)
            memcpy(ids + at, r->binary_ids, r->n_binary_ids * sizeof *ids);
        at += r->n_binary_ids;
    }
    if (ids)
        sort_merge(ids, ids + most, most, sizeof *ids, sort_text_before, NULL);
    *n = 0;
    for (size_t i = 0; ids && i < most; i++)
        if (i == 0 || sort_compare_bytes(ids[*n - 1].p, ids[*n - 1].n, ids[i].p, ids[i].n) != 0)
            ids[(*n)++] = ids[i];
    return ids;
}

static int write_group(struct partial_writer *file, const struct apf_merge *m, struct inputs_listing *inputs,
                       const struct inputs_group *group, bool first, struct apf_error *error)
{
    struct partial_input input = add_up(m, group);
    input.kept = inputs_listing_kept(inputs, group);
    if (!(first && inputs_listing_has_names(inputs)))
        input.roster = ROSTER_NONE;
    struct apf_str *ids = NULL;
    if (input.kept.unnamed) {
        ids = join_ids(m, group, &input.result.n_binary_ids);
        if (!ids)
            return error_memory(error);
        input.result.binary_ids = ids;
    }
    partial_write_input(file, &input);
    free(ids);
    return APF_OK;
}

/* ---- classes ---- */

static int write_class(struct partial_writer *file, const struct merge_class *c, uint32_t number,
                       struct apf_error *error)
{
    struct apf_str *ids = malloc(2 * c->ids.n * sizeof *ids + 1);
    if (!ids)
        return error_memory(error);
    if (c->ids.n)
        memcpy(ids, c->ids.data, c->ids.n * sizeof *ids);
    sort_merge(ids, ids + c->ids.n, c->ids.n, sizeof *ids, sort_text_before, NULL);
    const struct partial_class class = {number, c->hollow, c->weight, c->extra_records, ids, c->ids.n};
    partial_write_class(file, &class);
    free(ids);
    return APF_OK;
}

/* Whether there is anything in a class. */
static bool is_used(const struct merge_class *c)
{
    return c->sum_table != NULL;
}

static int write_classes(struct partial_slices *files, struct apf_merge *m, struct merge_streams *streams,
                         const struct inputs_listing *inputs, struct apf_error *error)
{
    int code = APF_OK;
    partial_slices_section(files, PARTIAL_CLASSES);
    for (uint32_t i = 0; i < files->n; i++)
        for (uint32_t c = 0; code == APF_OK && c < CLASS_COUNT; c++)
            if (is_used(&m->classes[c]))
                code = write_class(&files->files[i], &m->classes[c], c, error);
    if (code == APF_OK)
        code = merge_streams_sums(streams, files, inputs);
    if (code != APF_OK || !partial_slice_is_first(files, 0))
        return code;
    struct partial_writer *first = &files->files[0];
    partial_section(first, PARTIAL_TRACES);
    for (uint32_t c = 0; code == APF_OK && c < CLASS_COUNT; c++)
        if (m->classes[c].traces.inputs)
            code = partial_write_traces(first, c, &m->classes[c].traces, error);
    partial_section(first, PARTIAL_MEMPROF);
    if (code == APF_OK && m->memprof)
        code = partial_write_memprof(first, PARTIAL_HOLLOW, m->memprof, error);
    for (uint32_t c = 0; code == APF_OK && c < CLASS_COUNT; c++)
        if (m->classes[c].memprof)
            code = partial_write_memprof(first, c, m->classes[c].memprof, error);
    return code;
}

/* ---- the whole ---- */

/* Writes the sections up to the inputs. */
static int write_head(struct partial_writer *file, const struct apf_merge *m, struct inputs_listing *inputs,
                      bool first, struct apf_error *error)
{
    struct trace_set limits = {.reservoir = 0};
    merge_trace_limits(m, &limits);
    const struct partial_whole whole = {m->variant, limits.reservoir, limits.length};
    int code = APF_OK;
    partial_section(file, PARTIAL_WHOLE);
    partial_write_whole(file, &whole);
    if (first && inputs_listing_has_names(inputs))
        partial_write_rosters(file, &m->rosters);
    partial_section(file, PARTIAL_INPUTS);
    for (size_t i = 0; code == APF_OK && i < inputs->groups.n; i++)
        code = write_group(file, m, inputs, &inputs->groups.data[i], first, error);
    return code;
}

static int write_all(struct partial_slices *files, struct apf_merge *m, struct apf_error *error)
{
    struct inputs_listing inputs = {.inputs = NULL};
    struct merge_streams streams = {.merge = m};
    int code = inputs_listing_make(&inputs, &m->kept, lister_of(m), error);
    for (uint32_t i = 0; code == APF_OK && i < files->n; i++)
        code = write_head(&files->files[i], m, &inputs, partial_slice_is_first(files, i), error);
    if (code == APF_OK)
        code = merge_streams_open(&streams, m, error);
    if (code == APF_OK)
        code = merge_streams_names(&streams, files, false);
    if (code == APF_OK)
        code = merge_streams_names(&streams, files, true);
    if (code == APF_OK)
        code = write_classes(files, m, &streams, &inputs, error);
    merge_streams_close(&streams);
    inputs_listing_free(&inputs);
    return code;
}

int apf_merge_write_slices(struct apf_merge *m, const struct apf_output *outputs, uint32_t n,
                           struct apf_error *error)
{
    struct partial_slices files;
    int code = inputs_check_whole(&m->kept, error);
    if (code == APF_OK && m->options.flags & APF_MERGE_REMOVE_INPUTS)
        code = error_plain(error, APF_ARGUMENT, "merge.slice", "inputs are removed: there is one output");
    if (code != APF_OK)
        return code;
    code = partial_slices_open(&files, outputs, n, PARTIAL_INSTR, &m->options.slice, error);
    if (code == APF_OK)
        code = write_all(&files, m, error);
    return partial_slices_close(&files, code, error);
}

/* ---- one file ---- */

static int count_inputs(void *merge, struct apf_error *error)
{
    struct apf_merge *m = (struct apf_merge *)merge;
    if (!inputs_all_are_taken(&m->kept))
        return APF_OK;
    m->accepted = UINT32_MAX; /* no classes: a later view decides anew */
    return inputs_count_all(&m->kept, error);
}

static int write_kind(struct apf_merge *m, struct file_out *out, uint32_t kind, struct apf_error *error)
{
    struct partial_slices files;
    int code = partial_slices_begin(&files, out, kind, &m->options.slice, error);
    if (code == APF_OK)
        code = write_all(&files, m, error);
    return partial_slices_close(&files, code, error);
}

static int write_file(void *merge, struct file_out *out, struct apf_error *error)
{
    return write_kind((struct apf_merge *)merge, out, PARTIAL_INSTR, error);
}

int apf_merge_write_partial(struct apf_merge *m, const struct apf_output *output, struct apf_error *error)
{
    const struct inputs_writer writer = {m, true, count_inputs, write_file};
    int code = output_check(output, error);
    return code == APF_OK ? inputs_write(&m->kept, &writer, output, error) : code;
}

/* ---- a file of inputs that may be of either kind ---- */

struct undecided {
    struct apf_merge *merge;
    const struct apf_buffer *samples;
    uint32_t names;
};

static int count_undecided(void *context, struct apf_error *error)
{
    return count_inputs(((const struct undecided *)context)->merge, error);
}

static int write_undecided(void *context, struct file_out *out, struct apf_error *error)
{
    const struct undecided *u = (const struct undecided *)context;
    int code = write_kind(u->merge, out, partial_undecided_kind(u->names), error);
    if (code == APF_OK)
        file_out_write(out, u->samples->data, u->samples->n);
    return code;
}

int apf_merge_write_undecided(struct apf_merge *m, const struct apf_buffer *samples, uint32_t names,
                              const struct apf_output *output, struct apf_error *error)
{
    struct undecided u = {m, samples, names};
    const struct inputs_writer writer = {&u, true, count_undecided, write_undecided};
    int code = output_check(output, error);
    if (code == APF_OK &&
        (m->options.slice.n > 1 || names > PARTIAL_NAMES_MOST ||
         !partial_is_of(samples->data, samples->n, PARTIAL_SAMPLE) || partial_is_slice(samples->data)))
        code = error_plain(error, APF_ARGUMENT, "merge.undecided",
                           "names, or a partial sample profile, as no undecided one has them");
    return code == APF_OK ? inputs_write(&m->kept, &writer, output, error) : code;
}
