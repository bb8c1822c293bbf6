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

static void begin_file(struct partial_slices *s, uint32_t kind)
{
    const uint32_t i = s->n_open++;
    const struct apf_slice slice = {s->first.number + i, s->n > 1 ? s->n : s->first.n};
    partial_begin(&s->files[i], s->outs[i], kind, slice);
    s->files[i].packer = &s->files[0].own; /* they take turns */
}

static int open_file(struct partial_slices *s, uint32_t kind, struct apf_error *error)
{
    const uint32_t i = s->n_open;
    const struct apf_output *output = output_at(s->outputs, i);
    if (output->size != s->outputs->size)
        return error_plain(error, APF_ARGUMENT, "apf_output.size",
                           "outputs of an array have different sizes");
    int code = file_out_open(&s->outs[i], output, error);
    if (code != APF_OK)
        return error_output(error, code, output->path);
    begin_file(s, kind);
    return APF_OK;
}

static bool make_files(struct partial_slices *s, uint32_t n)
{
    s->files = calloc(n, sizeof *s->files);
    s->outs = calloc(n, sizeof *s->outs);
    s->n = s->files && s->outs ? n : 0;
    return s->n != 0;
}

int partial_slices_open(struct partial_slices *s, const struct apf_output *outputs, uint32_t n,
                        enum partial_kind kind, const struct apf_slice *own, struct apf_error *error)
{
    *s = (struct partial_slices){.outputs = outputs, .first = {own->number, own->n ? own->n : 1}};
    if (n == 0 || n > APF_MOST_SLICES || (n > 1 && own->n > 1))
        return error_plain(error, APF_ARGUMENT, "merge.slice",
                           "a partial profile cannot be written as %u slices%s", n,
                           own->n > 1 ? ": it is a slice itself" : "");
    int code = make_files(s, n) ? APF_OK : error_memory(error);
    while (code == APF_OK && s->n_open < n)
        code = open_file(s, kind, error);
    return code;
}

int partial_slices_begin(struct partial_slices *s, struct file_out *out, uint32_t kind,
                         const struct apf_slice *own, struct apf_error *error)
{
    *s = (struct partial_slices){.first = {own->number, own->n ? own->n : 1}, .given = true};
    if (!make_files(s, 1))
        return error_memory(error);
    s->outs[0] = out;
    begin_file(s, kind);
    return APF_OK;
}

/* Names the output that an error is about; a file that was given is named by its owner. */
static int file_code(const struct partial_slices *s, uint32_t i, int code, struct apf_error *error)
{
    return s->given ? code : error_output(error, code, output_at(s->outputs, i)->path);
}

void partial_slices_section(struct partial_slices *s, uint8_t section)
{
    for (uint32_t i = 0; i < s->n; i++)
        partial_section(&s->files[i], section);
}

int partial_slices_close(struct partial_slices *s, int code, struct apf_error *error)
{
    for (uint32_t i = 0; code == APF_OK && i < s->n; i++)
        code = file_code(s, i, partial_finish(&s->files[i], error), error);
    for (uint32_t i = 0; i < s->n_open; i++) {
        partial_writer_close(&s->files[i]);
        const int closed = s->given ? code : file_out_finish(s->outs[i], code, error);
        code = code == APF_OK ? file_code(s, i, closed, error) : code;
    }
    free(s->outs);
    free(s->files);
    return code;
}
