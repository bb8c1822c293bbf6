/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw and compact binary. */
#include "sample/binary/sample_binary_write.h"

#include "base/endian.h"
#include "base/error.h"
#include "sample/binary/sample_plan_write.h"
#include "sample/layout/sample_layout.h"

/* ---- raw binary ---- */

static void write_raw(struct sample_plan *plan)
{
    sample_write_magic(plan, SAMPLE_MAGIC_BINARY);
    sample_write_summary(plan);
    sample_write_names(plan);
    for (size_t i = 0; i < plan->n_tops && !plan->failed; i++)
        sample_write_function(plan, i, 0);
}

/* ---- compact binary ---- */

/* Writes the whole file, in which the table of functions is at the offset `table`. Returns that offset. */
static uint64_t write_compact(struct sample_plan *plan, uint64_t table)
{
    struct file_out *out = plan->out;
    sample_write_magic(plan, SAMPLE_MAGIC_COMPACT);
    sample_write_summary(plan);
    sample_write_number(out, plan->n_names);
    for (size_t i = 0; i < plan->n_names; i++)
        sample_write_number(out, sample_names_hash(&plan->s->names, plan->names[i]));
    store64le(file_out_room(out, sizeof table), table);
    out->p += sizeof table;
    for (size_t i = 0; i < plan->n_tops && !plan->failed; i++)
        sample_write_function(plan, i, 0);
    table = file_out_position(out);
    sample_write_number(out, plan->n_tops);
    for (size_t i = 0; i < plan->n_tops; i++) {
        sample_write_number(out, sample_key(plan, plan->tops[i]));
        sample_write_number(out, plan->offsets[i]);
    }
    return table;
}

static int count_and_write_compact(struct sample_plan *plan, struct file_out *out, struct apf_error *error)
{
    int code = sample_counter_open(&plan->out, error);
    if (code != APF_OK)
        return code;
    uint64_t table = write_compact(plan, 0);
    file_out_close(plan->out, false, NULL);
    plan->out = out;
    if (!plan->failed)
        write_compact(plan, table);
    return APF_OK;
}

static int write_planned(struct sample_plan *plan, struct file_out *out, struct apf_error *error)
{
    int code = APF_OK;
    plan->out = out;
    if (plan->options->form == SAMPLE_FORM_BINARY)
        write_raw(plan);
    else if (plan->options->form == SAMPLE_FORM_COMPACT)
        code = count_and_write_compact(plan, out, error);
    else
        code = sample_ext_write(plan, out, error);
    return code == APF_OK && plan->failed ? error_memory(error) : code;
}

int sample_binary_write(const struct apf_sample *s, const struct sample_binary_options *options,
                        struct file_out *out, struct sample_binary_losses *losses, struct apf_error *error)
{
    struct sample_plan plan;
    int code = pulse_step(out->pulse, sample_plan_make(&plan, s, options, losses, error), error);
    if (code == APF_OK)
        code = write_planned(&plan, out, error);
    sample_plan_free(&plan);
    return code;
}
