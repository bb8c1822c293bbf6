/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Folded stacks: "main;foo;bar 12" for each stack. */
#include "base/text_append.h"
#include "export/escaped_text.h"
#include "export/writers.h"

/* An apf_export_stack_fn. */
static int write_stack(void *writer, const struct apf_export_stack *stack)
{
    struct export_run *run = (struct export_run *)writer;
    const uint64_t value = stack->values[run->options->value];
    if (value == 0) { /* flamegraph.pl warns of such lines */
        run->result->n_zero++;
        return APF_OK;
    }
    for (size_t i = 0; i < stack->n_frames; i++) {
        struct apf_str shown;
        int code = export_joined_name(run, &stack->frames[i], &shown);
        if (code == APF_OK)
            code = export_check_output(run, 0);
        if (code != APF_OK)
            return code;
        text_append(run->out, i ? ";" : "");
        escaped_append(run->out, shown, ESCAPED_IN_STACK);
        export_put_line(run, &stack->frames[i]);
    }
    text_append(run->out, " ");
    text_decimal(run->out, value, 0);
    text_append(run->out, "\n");
    export_count_stack(run, stack);
    return APF_OK;
}

int folded_write(struct export_run *run)
{
    return export_walk(run, run->options->flags & APF_EXPORT_BY_LINE, write_stack, run);
}
