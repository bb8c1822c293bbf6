/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/export_run.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/text_append.h"

int export_check_output(struct export_run *run, uint64_t ahead)
{
    uint64_t n = file_out_position(run->out);
    const uint64_t most = run->options->max_bytes;
    if (file_out_failed(run->out))
        return APF_IO;
    if (n < run->packed)
        n = run->packed;
    if (!most || (n <= most && ahead <= most - n))
        return APF_OK;
    const int code = error_plain(run->error, APF_LIMIT, "output.size",
                                 "the output is larger than %" PRIu64 " bytes", most);
    return error_subject(run->error, code, APF_SUBJECT_OUTPUT);
}

/* A walk of a writer. */
struct checked_walk {
    struct export_run *run;
    apf_export_stack_fn *stack;
    void *writer;
};

/* An apf_export_stack_fn. */
static int pass_stack(void *writer, const struct apf_export_stack *stack)
{
    const struct checked_walk *w = (const struct checked_walk *)writer;
    const int code = w->stack(w->writer, stack);
    return code == APF_OK ? export_check_output(w->run, 0) : code;
}

int export_walk(struct export_run *run, bool by_line, apf_export_stack_fn *stack, void *writer)
{
    struct checked_walk walk = {run, stack, writer};
    return run->source->walk(run->source->user, by_line, pass_stack, &walk, run->error);
}

bool export_is_zero(const struct export_run *run, const struct apf_export_stack *stack)
{
    uint64_t any = 0;
    for (size_t i = 0; i < run->source->n_values; i++)
        any |= stack->values[i];
    return any == 0;
}

int export_joined_name(struct export_run *run, const struct apf_export_frame *frame, struct apf_str *shown)
{
    return run->source->flags & APF_EXPORT_LOCAL ? export_local_name(&run->names, frame, shown, run->error)
                                                 : export_name(&run->names, frame, shown, run->error);
}

void export_count_stack(struct export_run *run, const struct apf_export_stack *stack)
{
    bool any = false;
    for (size_t i = 0; i < run->source->n_values; i++)
        any |= stack->values[i] == UINT64_MAX &&
               (run->options->format != APF_EXPORT_FOLDED || i == run->options->value);
    run->result->n_stacks++;
    run->result->n_saturated += any;
}

void export_put_line(struct export_run *run, const struct apf_export_frame *frame)
{
    if (!frame->line_known)
        return;
    text_append(run->out, ":");
    text_decimal(run->out, frame->line, 0);
}
