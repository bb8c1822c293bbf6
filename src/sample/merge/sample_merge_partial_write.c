/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes what a merge knows as a partial profile, before anything is decided. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "inputs/inputs_listing.h"
#include "inputs/inputs_output.h"
#include "inputs/inputs_removal.h"
#include "inputs/inputs_verdict.h"
#include "inputs/partial_rosters.h"
#include "sample/merge/sample_merge_partial.h"
#include "sample/partial/sample_partial_profiles.h"
#include "sample/partial/sample_partial_streams.h"

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
    const int order = inputs_compare_numbers(pairs, sizeof pairs / sizeof *pairs);
    return order ? order : strcmp(x->layout ? x->layout : "", y->layout ? y->layout : "");
}

static struct inputs_lister lister_of(const struct apf_sample_merge *m)
{
    const bool unnamed = m->options.flags & APF_SAMPLE_MERGE_FORGET_INPUTS;
    return (struct inputs_lister){m, was_read, unnamed ? compare_kinds : NULL};
}

static void add_number(uint64_t *to, uint64_t more)
{
    *to = sample_sum(*to, more, 1, &(uint64_t){0});
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

static void write_group(struct partial_writer *file, const struct apf_sample_merge *m,
                        struct inputs_listing *inputs, const struct inputs_group *group, bool first)
{
    const struct sample_input *from = &m->inputs.data[group->entries[0]];
    struct sample_partial_input sum = {.kept = inputs_listing_kept(inputs, group),
                                       .info = *from->result.info,
                                       .salvage = from->salvage,
                                       .class = from->class,
                                       .hollow = from->hollow};
    sum.roster = first && inputs_listing_has_names(inputs) ? from->roster : ROSTER_NONE;
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

/* ---- sums that wait in files ---- */

/* The streams of a merge: one for each source, and the sums in memory last, as a file in memory. */
struct stream_files {
    struct partial_stream *streams;
    struct partial_reader *readers;
    uint32_t n;
    struct apf_buffer own;
    struct sample_read_options limits; /* none: those of the merge are for inputs, which were within them */
};

/* A partial_stream.fails. */
static int source_fails(const void *source, int code, struct apf_error *error)
{
    return inputs_source_error((const struct inputs_source *)source, code, error);
}

/* Appends a stream whose file was opened. */
static struct partial_stream *add_stream(struct stream_files *f, uint64_t n_inputs, struct apf_error *error)
{
    struct partial_stream *s = &f->streams[f->n];
    s->records = (struct partial_records){
        .file = &f->readers[f->n++], .limits = &f->limits, .n_inputs = n_inputs, .error = error};
    return s;
}

/* Writes the sums in memory into a file in memory. */
static int write_own(struct stream_files *f, const struct sample_partial_sums *sums,
                     const struct inputs_listing *inputs, struct apf_error *error)
{
    const struct apf_output output = apf_output_buffer(&f->own);
    const struct apf_slice whole = {0, 1};
    struct partial_slices file;
    int code = partial_slices_open(&file, &output, 1, PARTIAL_SAMPLE, &whole, error);
    if (code == APF_OK)
        code = sample_partial_write_sums(&file, sums, inputs, error);
    code = partial_slices_close(&file, code, error);
    if (code == APF_IO) /* the buffer did not grow */
        code = error_memory(error);
    const struct apf_input input = apf_input_memory(f->own.data, f->own.n, NULL);
    if (code == APF_OK)
        code = partial_open(&f->readers[f->n], &input, PARTIAL_SAMPLE, UINT64_MAX, error);
    if (code == APF_OK)
        add_stream(f, inputs->groups.n, error)->numbered = true;
    return code;
}

static int open_streams(struct stream_files *f, const struct apf_sample_merge *m,
                        const struct sample_partial_sums *sums, const struct inputs_listing *inputs,
                        struct apf_error *error)
{
    const size_t n = m->sources.list.n + 1;
    f->streams = calloc(n, sizeof *f->streams);
    f->readers = calloc(n, sizeof *f->readers);
    if (!f->streams || !f->readers)
        return error_memory(error);
    for (size_t i = 0; i < m->sources.list.n; i++) {
        const struct inputs_source *source = &m->sources.list.data[i];
        int code = inputs_source_open(&f->readers[f->n], source, PARTIAL_SAMPLE, PARTIAL_SAMPLE_FILES,
                                      m->read.max_bytes, error);
        struct partial_stream *s = add_stream(f, source->n_inputs, error);
        s->given = source->given;
        s->fails = source_fails;
        s->owner = source;
        if (code != APF_OK)
            return inputs_source_error(source, code, error);
    }
    return write_own(f, sums, inputs, error);
}

static int write_streams(struct partial_writer *to, const struct apf_sample_merge *m,
                         const struct sample_partial_sums *sums, const struct inputs_listing *inputs,
                         struct apf_error *error)
{
    struct stream_files f = {.limits = m->read};
    f.limits.max_records = UINT64_MAX;
    int code = open_streams(&f, m, sums, inputs, error);
    if (code == APF_OK)
        code = partial_streams_write(f.streams, f.n, to, inputs, sums->weights, error);
    for (uint32_t i = 0; code == APF_OK && i + 1 < f.n; i++)
        code = inputs_source_error(&m->sources.list.data[i], inputs_source_end(&f.readers[i], error), error);
    for (size_t i = 0; f.readers && i <= m->sources.list.n; i++)
        partial_reader_close(&f.readers[i]);
    for (size_t i = 0; f.streams && i <= m->sources.list.n; i++)
        partial_stream_free(&f.streams[i]);
    apf_buffer_free(&f.own);
    free(f.streams);
    free(f.readers);
    return code;
}

/* ---- the whole ---- */

/* Writes the sections up to the inputs. */
static void write_head(struct partial_writer *file, const struct apf_sample_merge *m,
                       struct inputs_listing *inputs, bool first)
{
    const struct sample_partial_whole whole = {m->read.fs, m->read.discriminator};
    partial_section(file, PARTIAL_SAMPLE_WHOLE);
    sample_partial_write_whole(file, &whole);
    if (first && inputs_listing_has_names(inputs))
        partial_write_rosters(file, &m->rosters);
    partial_section(file, PARTIAL_INPUTS);
    for (size_t i = 0; i < inputs->groups.n; i++)
        write_group(file, m, inputs, &inputs->groups.data[i], first);
}

static struct sample_partial_sums sums_of(const struct apf_sample_merge *m)
{
    struct sample_partial_sums sums = {.names = m->sums.names}; /* which stay the merge's */
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++)
        sums.profiles[c] = m->sums.classes[c].profile;
    sums.profiles[SAMPLE_CLASS_COUNT] = m->sums.hollow.profile;
    return sums;
}

static int write_all(struct partial_slices *files, struct apf_sample_merge *m, struct apf_error *error)
{
    struct inputs_listing inputs = {.inputs = NULL};
    int code = inputs_listing_make(&inputs, &m->kept, lister_of(m), error);
    for (uint32_t i = 0; code == APF_OK && i < files->n; i++)
        write_head(&files->files[i], m, &inputs, partial_slice_is_first(files, i));
    const bool streams = m->sources.list.n && files->n == 1 && !m->sums.names.hashed;
    if (code == APF_OK && !streams)
        code = sample_merge_load_sources(m, error);
    struct sample_partial_sums sums = sums_of(m);
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++)
        sums.weights[c] = m->weights[c];
    if (code == APF_OK)
        code = streams ? write_streams(&files->files[0], m, &sums, &inputs, error)
                       : sample_partial_write_sums(files, &sums, &inputs, error);
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

/* ---- one file ---- */

static int count_inputs(void *merge, struct apf_error *error)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)merge;
    if (!inputs_all_are_taken(&m->kept))
        return APF_OK;
    m->class = SAMPLE_CLASS_COUNT + 1; /* none: a later view decides anew */
    return inputs_count_all(&m->kept, error);
}

static int write_file(void *merge, struct file_out *out, struct apf_error *error)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)merge;
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
    int code = output_check(output, error);
    return code == APF_OK ? inputs_write(&m->kept, &writer, output, error) : code;
}
