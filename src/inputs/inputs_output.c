/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_output.h"

#include <string.h>

#include "base/error.h"
#include "inputs/inputs_removal.h"
#include "inputs/inputs_verdict.h"

static int write_file(struct inputs *in, const struct inputs_writer *writer, const struct apf_output *output,
                      struct apf_error *error)
{
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    out->sync |= inputs_removal_syncs(in);
    out->pulse = &in->pulse;
    code = writer->write(writer->context, out, error);
    if (code == APF_OK)
        code = inputs_removal_prepare(in, output, out, error);
    code = file_out_finish(out, code, error);
    return code == APF_OK ? inputs_removal_finish(in, output, error) : code;
}

static int write_output(struct inputs *in, const struct inputs_writer *writer,
                        const struct apf_output *output, bool *nothing, struct apf_error *error)
{
    int code = inputs_check_whole(in, error);
    if (code == APF_OK && !writer->undecided && inputs_all_are_taken(in)) /* nothing judges what is removed */
        code = error_plain(error, APF_ARGUMENT, "merge.options.flags",
                           "with these flags, inputs are removed when a partial profile is written");
    if (code == APF_OK)
        code = writer->make(writer->context, error);
    if (code == APF_OK && !writer->undecided)
        code = inputs_refuse_losses(in, error);
    if (code == APF_OK)
        code = inputs_removal_begin(in, output, nothing, error);
    return code == APF_OK && !*nothing ? write_file(in, writer, output, error) : code;
}

int inputs_write(struct inputs *in, const struct inputs_writer *writer, const struct apf_output *output,
                 struct apf_error *error)
{
    struct inputs_output *to = &in->output;
    struct apf_str path = {NULL, output->path ? strlen(output->path) : 0};
    if (output->path)
        path.p = arena_text(in->arena, output->path, path.n);
    bool nothing = false;
    inputs_begin_pulse(in);
    int code = output->path && !path.p ? error_memory(&to->error)
                                       : write_output(in, writer, output, &nothing, &to->error);
    pulse_end(&in->pulse);
    to->state = code != APF_OK ? OUTPUT_FAILED : nothing ? OUTPUT_NONE : OUTPUT_WRITTEN;
    to->path = path;
    if (code != APF_OK && error)
        *error = to->error;
    return code;
}
