/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes what a merge knows as a partial profile, before anything is decided. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/merge/merge_partial.h"
#include "instr/merge/merge_sources.h"
#include "instr/partial/partial_memprof.h"
#include "instr/partial/partial_traces.h"

/* ---- inputs ---- */

/* Only slice 0 has rosters. */
static void write_input(struct partial_writer *file, const struct apf_merge *m, size_t i, bool first)
{
    const struct merge_input *from = &m->inputs.data[i];
    struct partial_input input = {.kept = m->kept.list.data[i],
                                  .result = from->result,
                                  .class = from->class,
                                  .hollow = from->hollow,
                                  .digests = from->digests,
                                  .roster = first ? from->roster : ROSTER_NONE,
                                  .salvage = from->salvage,
                                  .nameless = from->nameless};
    if (merge_was_read(from)) { /* whether it goes with the others is decided when all are there */
        input.kept.code = APF_OK;
        input.kept.error = NULL;
    }
    finding_table_counts(&quirk_table, from->result.findings, from->result.n_findings, input.quirks);
    partial_write_input(file, &input);
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
                         struct apf_error *error)
{
    int code = APF_OK;
    partial_slices_section(files, PARTIAL_CLASSES);
    for (uint32_t i = 0; i < files->n; i++)
        for (uint32_t c = 0; code == APF_OK && c < CLASS_COUNT; c++)
            if (is_used(&m->classes[c]))
                code = write_class(&files->files[i], &m->classes[c], c, error);
    if (code == APF_OK)
        code = merge_streams_sums(streams, files);
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
static void write_head(struct partial_writer *file, const struct apf_merge *m, bool first)
{
    struct trace_set limits = {.reservoir = 0};
    merge_trace_limits(m, &limits);
    const struct partial_whole whole = {m->variant, limits.reservoir, limits.length};
    partial_section(file, PARTIAL_WHOLE);
    partial_write_whole(file, &whole);
    if (first)
        partial_write_rosters(file, &m->rosters);
    partial_section(file, PARTIAL_INPUTS);
    for (size_t i = 0; i < m->inputs.n; i++)
        write_input(file, m, i, first);
}

static int write_all(struct partial_slices *files, struct apf_merge *m, struct merge_streams *streams,
                     struct apf_error *error)
{
    for (uint32_t i = 0; i < files->n; i++)
        write_head(&files->files[i], m, partial_slice_is_first(files, i));
    int code = merge_streams_names(streams, files, false);
    if (code == APF_OK)
        code = merge_streams_names(streams, files, true);
    return code == APF_OK ? write_classes(files, m, streams, error) : code;
}

int apf_merge_write_slices(struct apf_merge *m, const struct apf_output *outputs, uint32_t n,
                           struct apf_error *error)
{
    struct partial_slices files;
    struct merge_streams streams;
    int code = inputs_check_whole(&m->kept, error);
    if (code != APF_OK)
        return code;
    code = merge_streams_open(&streams, m, error);
    if (code == APF_OK) {
        code = partial_slices_open(&files, outputs, n, PARTIAL_INSTR, &m->options.slice, error);
        if (code == APF_OK)
            code = write_all(&files, m, &streams, error);
        code = partial_slices_close(&files, code, error);
    }
    merge_streams_close(&streams);
    return code;
}

int apf_merge_write_partial(struct apf_merge *m, const struct apf_output *output, struct apf_error *error)
{
    return apf_merge_write_slices(m, output, 1, error);
}
