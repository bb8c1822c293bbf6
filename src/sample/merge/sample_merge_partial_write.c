/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes what a merge knows as a partial profile, before anything is decided. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "inputs/inputs_listing.h"
#include "inputs/inputs_output.h"
#include "inputs/inputs_verdict.h"
#include "inputs/partial_rosters.h"
#include "sample/merge/sample_merge_partial.h"
#include "sample/partial/sample_partial_profiles.h"

/* ---- inputs ---- */

static bool was_read(const void *merge, size_t i)
{
    return sample_merge_was_read(((const struct apf_sample_merge *)merge)->kept.list.data[i].code);
}

/* What inputs have in common that are listed without names. */
static int compare_kinds(const void *merge, size_t a, size_t b)
{
    const struct sample_input *list = ((const struct apf_sample_merge *)merge)->inputs.data;
    const struct apf_sample_info *x = list[a].result.info, *y = list[b].result.info;
    const uint64_t pairs[][2] = {{list[a].class, list[b].class},
                                 {list[a].hollow, list[b].hollow},
                                 {list[a].result.weight, list[b].result.weight},
                                 {x->format, y->format},
                                 {x->version, y->version},
                                 {x->flags, y->flags},
                                 {x->origin, y->origin},
                                 {x->big_endian, y->big_endian}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return strcmp(x->layout ? x->layout : "", y->layout ? y->layout : "");
}

static struct inputs_lister lister_of(const struct apf_sample_merge *m)
{
    const bool unnamed = m->options.flags & APF_SAMPLE_MERGE_FORGET_INPUTS;
    return (struct inputs_lister){m, was_read, unnamed ? compare_kinds : NULL};
}

static void add_number(uint64_t *to, uint64_t more)
{
    *to = more < UINT64_MAX - *to ? *to + more : UINT64_MAX;
}

static void add_info(struct apf_sample_info *to, const struct apf_sample_info *from)
{
    add_number(&to->n_functions, from->n_functions);
    add_number(&to->n_inlined, from->n_inlined);
    add_number(&to->n_lines, from->n_lines);
    add_number(&to->n_targets, from->n_targets);
    add_number(&to->n_vtables, from->n_vtables);
    add_number(&to->n_names, from->n_names);
    add_number(&to->n_hashes, from->n_hashes);
    add_number(&to->n_symbols, from->n_symbols);
    to->max_depth = from->max_depth > to->max_depth ? from->max_depth : to->max_depth;
    to->max_context = from->max_context > to->max_context ? from->max_context : to->max_context;
}

/* Whether rosters are written: into slice 0, if it is known of which input each is. */
static bool has_rosters(const struct apf_sample_merge *m, bool first)
{
    return first && !(m->options.flags & APF_SAMPLE_MERGE_FORGET_INPUTS);
}

static void write_group(struct partial_writer *file, const struct apf_sample_merge *m,
                        struct inputs_listing *inputs, const struct inputs_group *group, bool first)
{
    const struct inputs_lister lister = lister_of(m);
    const struct sample_input *from = &m->inputs.data[group->entries[0]];
    struct sample_partial_input sum = {.kept = inputs_listing_kept(inputs, &lister, group),
                                       .info = *from->result.info,
                                       .salvage = from->salvage,
                                       .class = from->class,
                                       .hollow = from->hollow};
    sum.roster = has_rosters(m, first) ? from->roster : ROSTER_NONE;
    for (size_t i = 0; i < group->n; i++) {
        const struct apf_sample_input_result *r = &m->inputs.data[group->entries[i]].result;
        uint64_t findings[SAMPLE_FINDING_COUNT];
        if (i)
            add_info(&sum.info, r->info);
        add_number(&sum.sum_of_counts, r->sum_of_counts);
        finding_table_counts(&sample_finding_table, r->findings, r->n_findings, findings);
        for (unsigned k = 0; k < SAMPLE_FINDING_COUNT; k++)
            add_number(&sum.findings[k], findings[k]);
    }
    sample_partial_write_input(file, &sum);
}

/* ---- the whole ---- */

/* Writes the sections up to the inputs. */
static void write_head(struct partial_writer *file, const struct apf_sample_merge *m,
                       struct inputs_listing *inputs, bool first)
{
    const struct sample_partial_whole whole = {m->read.fs, m->read.discriminator};
    partial_section(file, PARTIAL_SAMPLE_WHOLE);
    sample_partial_write_whole(file, &whole);
    if (has_rosters(m, first))
        partial_write_rosters(file, &m->rosters);
    partial_section(file, PARTIAL_INPUTS);
    for (size_t i = 0; i < inputs->groups.n; i++)
        write_group(file, m, inputs, &inputs->groups.data[i], first);
}

static int write_all(struct partial_slices *files, const struct apf_sample_merge *m, struct apf_error *error)
{
    struct inputs_listing inputs = {.inputs = NULL};
    const struct inputs_lister lister = lister_of(m);
    struct sample_partial_sums sums = {.names = m->sums.names}; /* which stay the merge's */
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++) {
        sums.profiles[c] = m->sums.classes[c].profile;
        sums.weights[c] = m->weights[c];
    }
    sums.profiles[SAMPLE_CLASS_COUNT] = m->sums.hollow.profile;
    int code = inputs_listing_make(&inputs, &m->kept, &lister, error);
    for (uint32_t i = 0; code == APF_OK && i < files->n; i++)
        write_head(&files->files[i], m, &inputs, partial_slice_is_first(files, i));
    if (code == APF_OK)
        code = sample_partial_write_sums(files, &sums, &inputs, error);
    inputs_listing_free(&inputs);
    return code;
}

int apf_sample_merge_write_slices(struct apf_sample_merge *m, const struct apf_output *outputs, uint32_t n,
                                  struct apf_error *error)
{
    struct partial_slices files;
    int code = inputs_check_whole(&m->kept, error);
    if (code == APF_OK && m->options.flags & APF_SAMPLE_MERGE_REMOVE_INPUTS)
        code = error_plain(error, APF_ARGUMENT, "merge.slice", "inputs are removed: there is one output");
    if (code != APF_OK)
        return code;
    code = partial_slices_open(&files, outputs, n, PARTIAL_SAMPLE, &m->options.slice, error);
    if (code == APF_OK)
        code = write_all(&files, m, error);
    return partial_slices_close(&files, code, error);
}

/* ---- the one file of a merge that removes its inputs ---- */

static int count_inputs(void *merge, struct apf_error *error)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)merge;
    return inputs_count_all(&m->kept, error);
}

static int write_file(void *merge, struct file_out *out, struct apf_error *error)
{
    const struct apf_sample_merge *m = (const struct apf_sample_merge *)merge;
    struct partial_slices files;
    int code = partial_slices_begin(&files, out, PARTIAL_SAMPLE, &m->options.slice, error);
    if (code == APF_OK)
        code = write_all(&files, m, error);
    return partial_slices_close(&files, code, error);
}

int apf_sample_merge_write_partial(struct apf_sample_merge *m, const struct apf_output *output,
                                   struct apf_error *error)
{
    const struct inputs_writer writer = {m, true, count_inputs, write_file};
    if (!(m->options.flags & APF_SAMPLE_MERGE_REMOVE_INPUTS))
        return apf_sample_merge_write_slices(m, output, 1, error);
    int code = output_check(output, error);
    return code == APF_OK ? inputs_write(&m->kept, &writer, output, error) : code;
}
