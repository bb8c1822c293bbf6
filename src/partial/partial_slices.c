/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "partial/partial_slices.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/options.h"

int partial_check_slice(const struct apf_slice *slice, bool partial, struct apf_error *error)
{
    if (slice->n > APF_MOST_SLICES || (slice->n ? slice->number >= slice->n : slice->number != 0))
        return error_plain(error, APF_ARGUMENT, "merge.slice", "there is no slice %u of %u", slice->number,
                           slice->n);
    return slice->n <= 1 || partial ? APF_OK
                                    : error_plain(error, APF_ARGUMENT, "merge.slice",
                                                  "a merge of slices writes a partial profile");
}

static int open_file(struct partial_slices *s, enum partial_kind kind, struct apf_error *error)
{
    const uint32_t i = s->n_open;
    const struct apf_slice slice = {s->first.number + i, s->n > 1 ? s->n : s->first.n};
    const struct apf_output *output = output_at(s->outputs, i);
    if (output->size != s->outputs->size)
        return error_plain(error, APF_ARGUMENT, "apf_output.size",
                           "outputs of an array have different sizes");
    int code = file_out_open(&s->outs[i], output, error);
    if (code != APF_OK)
        return error_output(error, code, output->path);
    s->n_open++;
    partial_begin(&s->files[i], s->outs[i], kind, slice);
    s->files[i].packer = &s->files[0].own; /* they take turns */
    return APF_OK;
}

int partial_slices_open(struct partial_slices *s, const struct apf_output *outputs, uint32_t n,
                        enum partial_kind kind, const struct apf_slice *own, struct apf_error *error)
{
    *s = (struct partial_slices){.outputs = outputs, .first = {own->number, own->n ? own->n : 1}};
    if (n == 0 || n > APF_MOST_SLICES || (n > 1 && own->n > 1))
        return error_plain(error, APF_ARGUMENT, "merge.slice",
                           "a partial profile cannot be written as %u slices%s", n,
                           own->n > 1 ? ": it is a slice itself" : "");
    s->files = calloc(n, sizeof *s->files);
    s->outs = calloc(n, sizeof *s->outs);
    if (!s->files || !s->outs)
        return error_memory(error);
    s->n = n;
    int code = APF_OK;
    while (code == APF_OK && s->n_open < n)
        code = open_file(s, kind, error);
    return code;
}

void partial_slices_section(struct partial_slices *s, uint8_t section)
{
    for (uint32_t i = 0; i < s->n; i++)
        partial_section(&s->files[i], section);
}

int partial_slices_close(struct partial_slices *s, int code, struct apf_error *error)
{
    for (uint32_t i = 0; code == APF_OK && i < s->n; i++)
        code = error_output(error, partial_finish(&s->files[i], error), output_at(s->outputs, i)->path);
    for (uint32_t i = 0; i < s->n_open; i++) {
        partial_writer_close(&s->files[i]);
        const int closed = file_out_finish(s->outs[i], code, error);
        code = code == APF_OK ? error_output(error, closed, output_at(s->outputs, i)->path) : code;
    }
    free(s->outs);
    free(s->files);
    return code;
}
