/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes what a merge knows as a partial profile, before anything is decided. */
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "inputs/partial_rosters.h"
#include "sample/merge/sample_merge_partial.h"
#include "sample/partial/sample_partial_profiles.h"

/* Only slice 0 has rosters. */
static void write_input(struct partial_writer *file, const struct apf_sample_merge *m, size_t i, bool first)
{
    const struct sample_input *from = &m->inputs.data[i];
    struct sample_partial_input input = {.kept = m->kept.list.data[i],
                                         .info = *from->result.info,
                                         .sum_of_counts = from->result.sum_of_counts,
                                         .salvage = from->salvage,
                                         .class = from->class,
                                         .hollow = from->hollow,
                                         .roster = first ? from->roster : ROSTER_NONE};
    if (sample_merge_was_read(input.kept.code)) { /* which class wins is decided when all are there */
        input.kept.code = APF_OK;
        input.kept.error = NULL;
    }
    finding_table_counts(&sample_finding_table, from->result.findings, from->result.n_findings,
                         input.findings);
    sample_partial_write_input(file, &input);
}

/* Writes the sections up to the inputs. */
static void write_head(struct partial_writer *file, const struct apf_sample_merge *m, bool first)
{
    const struct sample_partial_whole whole = {m->read.fs, m->read.discriminator};
    partial_section(file, PARTIAL_SAMPLE_WHOLE);
    sample_partial_write_whole(file, &whole);
    if (first)
        partial_write_rosters(file, &m->rosters);
    partial_section(file, PARTIAL_INPUTS);
    for (size_t i = 0; i < m->inputs.n; i++)
        write_input(file, m, i, first);
}

static int write_all(struct partial_slices *files, const struct apf_sample_merge *m, struct apf_error *error)
{
    struct sample_partial_sums sums = {.names = m->sums.names}; /* which stay the merge's */
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++) {
        sums.profiles[c] = m->sums.classes[c].profile;
        sums.weights[c] = m->weights[c];
    }
    sums.profiles[SAMPLE_CLASS_COUNT] = m->sums.hollow.profile;
    for (uint32_t i = 0; i < files->n; i++)
        write_head(&files->files[i], m, partial_slice_is_first(files, i));
    return sample_partial_write_sums(files, &sums, &m->kept, error);
}

int apf_sample_merge_write_slices(struct apf_sample_merge *m, const struct apf_output *outputs, uint32_t n,
                                  struct apf_error *error)
{
    struct partial_slices files;
    int code = inputs_check_whole(&m->kept, error);
    if (code != APF_OK)
        return code;
    code = partial_slices_open(&files, outputs, n, PARTIAL_SAMPLE, &m->options.slice, error);
    if (code == APF_OK)
        code = write_all(&files, m, error);
    return partial_slices_close(&files, code, error);
}

int apf_sample_merge_write_partial(struct apf_sample_merge *m, const struct apf_output *output,
                                   struct apf_error *error)
{
    return apf_sample_merge_write_slices(m, output, 1, error);
}
