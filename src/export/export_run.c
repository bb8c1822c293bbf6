/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/export_run.h"

#include "base/text_append.h"

int export_walk(struct export_run *run, bool by_line, apf_export_stack_fn *stack, void *writer)
{
    return run->source->walk(run->source->user, by_line, stack, writer, run->error);
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

void export_put_line(struct export_run *run, const struct apf_export_frame *frame)
{
    if (!frame->line_known)
        return;
    text_append(run->out, ":");
    text_decimal(run->out, frame->line, 0);
}
