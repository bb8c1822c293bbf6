/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all binary formats begin with: magic, summary, names. */
#include "base/decimal.h"
#include "sample/binary/sample_plan_write.h"
#include "sample/layout/sample_layout.h"

/* Drops bytes, which file_out_position has counted. */
static int drop_bytes(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return 0;
}

int sample_counter_open(struct file_out **counter, struct apf_error *error)
{
    const struct apf_output drop = apf_output_callback(drop_bytes, NULL);
    return file_out_open(counter, &drop, error);
}

void sample_write_magic(struct sample_plan *plan, uint64_t magic)
{
    sample_write_number(plan->out, magic);
    sample_write_number(plan->out, SAMPLE_VERSION);
}

void sample_write_summary(struct sample_plan *plan)
{
    const struct sample_summary *summary = &plan->summary;
    const uint64_t head[] = {summary->total,    summary->max_count,   summary->max_head,
                             summary->n_counts, summary->n_functions, summary->n_rows};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        sample_write_number(plan->out, head[i]);
    for (size_t i = 0; i < summary->n_rows; i++) {
        sample_write_number(plan->out, summary->rows[i].cutoff);
        sample_write_number(plan->out, summary->rows[i].min_count);
        sample_write_number(plan->out, summary->rows[i].n_counts);
    }
}

struct apf_str sample_table_name(const struct sample_plan *plan, size_t i)
{
    return plan->table ? plan->table[i] : sample_names_text(&plan->s->names, plan->names[i]);
}

void sample_write_names(struct sample_plan *plan)
{
    struct file_out *out = plan->out;
    sample_write_number(out, plan->n_names);
    for (size_t i = 0; i < plan->n_names; i++) {
        struct apf_str name = sample_table_name(plan, i);
        if (name.p)
            file_out_write(out, name.p, name.n);
        else
            out->p += decimal_store(file_out_room(out, DECIMAL_MAX),
                                    sample_names_hash(&plan->s->names, plan->names[i]));
        file_out_write(out, "", 1);
    }
}
