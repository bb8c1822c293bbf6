/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of samples on the way into a profile for BOLT. */
#include <string.h>

#include "report/report_sources.h"
#include "report/report_table.h"

/* A row, with the number that it is a share of. */
struct funnel_row {
    const char *words;
    uint64_t count, whole;
};

/* Appends the rows that are not 0. */
static bool add_rows(struct report_table *t, const struct funnel_row *rows, size_t n)
{
    bool ok = t != NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = !rows[i].count || report_count_row(t, rows[i].words, rows[i].count, rows[i].whole);
    return ok;
}

static const char *const reasons[APF_BOLT_LOSSES] = {
    [APF_BOLT_LOSS_NO_BRANCH] = "branches from where the program has none",
    [APF_BOLT_LOSS_TORN] = "runs from one function to another, or over code that does not run through",
    [APF_BOLT_LOSS_UNRESOLVED] = "runs over indirect jumps whose targets are unknown",
    [APF_BOLT_LOSS_NOT_FOLLOWED] = "runs over code that cannot be followed",
    [APF_BOLT_LOSS_LEFT_OUT] = "functions that the YAML lacks",
    [APF_BOLT_LOSS_NO_SYMBOL] = "code where there is no symbol",
};

static bool add_recording(struct apf_report *r, const struct apf_bolt_funnel *f)
{
    const struct funnel_row rows[] = {
        {"samples", f->samples, f->samples},
        {"of other processes", f->samples_elsewhere, f->samples},
        {"without branches", f->samples_empty, f->samples},
        {"entries of branch stacks", f->entries, f->entries},
        {"from or to the kernel: left out", f->entries_kernel, f->entries},
        {"the newest of stacks of 32, which may be wrong: left out", f->entries_repeated, f->entries},
        {"records that perf lost", f->data_lost, f->data_lost},
    };
    return (!f->perf_data && !f->perf_script) ||
           add_rows(REPORT_TABLE(r, REPORT_PART_SAMPLES, "The recording", report_count_columns), rows,
                    sizeof rows / sizeof *rows);
}

static bool add_mapped(struct apf_report *r, const struct apf_bolt_funnel *f)
{
    const struct funnel_row rows[] = {
        {"branches", f->branches, f->branches},
        {"of them in the profile", f->branches_mapped, f->branches},
        {"returns, which profiles do not hold", f->returns, f->branches},
        {"outside of the program's functions", f->branches_outside, f->branches},
        {"runs from one branch to the next", f->falls, f->falls},
        {"of them in the profile", f->falls_mapped, f->falls},
        {"by the code of functions without a table", f->falls_by_code, f->falls},
        {"outside of the program's functions", f->falls_outside, f->falls},
        {"samples of instructions", f->basic, f->basic},
        {"of them in the profile", f->basic_mapped, f->basic},
        {"outside of the program's functions", f->basic_outside, f->basic},
    };
    return add_rows(
        REPORT_TABLE(r, REPORT_PART_SAMPLES, "How much of the samples was translated", report_count_columns),
        rows, sizeof rows / sizeof *rows);
}

static bool add_losses(struct apf_report *r, const struct apf_bolt_funnel *f)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < APF_BOLT_LOSSES; i++)
        lost = report_sum(lost, f->lost[i]);
    struct report_table *t =
        REPORT_TABLE(r, REPORT_PART_SAMPLES, "What is lost in the program", report_count_columns);
    bool ok = t && report_count_row(t, "samples in the program", f->in_program, f->in_program) &&
              report_count_row(t, "of them lost", lost, f->in_program);
    for (size_t i = 0; ok && i < APF_BOLT_LOSSES; i++)
        ok = !f->lost[i] || report_count_row(t, reasons[i], f->lost[i], f->in_program);
    return ok;
}

static bool add_top(struct apf_report *r, const struct apf_bolt_funnel *f)
{
    static const struct report_column columns[] = {{"Function", REPORT_CELL_NAME},
                                                   {"Samples", REPORT_CELL_NUMBER},
                                                   {"Lost", REPORT_CELL_NUMBER},
                                                   {"Share", REPORT_CELL_SHARE},
                                                   {"Most of them", REPORT_CELL_TEXT}};
    if (!f->n_top)
        return true;
    struct report_table *t =
        REPORT_TABLE(r, REPORT_PART_SAMPLES, "Functions that lose most samples", columns);
    bool ok = t != NULL;
    for (size_t i = 0; ok && i < f->n_top; i++) {
        const struct apf_bolt_loss *loss = &f->top[i];
        const uint32_t name = report_name(r, (struct apf_str){loss->function, strlen(loss->function)});
        ok = name != HASH_INDEX_NONE && report_row(t) && report_cell(t, name) && report_cell(t, loss->seen) &&
             report_cell(t, loss->lost) && report_cell_share(t, loss->lost, loss->seen) &&
             report_cell_text(t, reasons[loss->reason]);
    }
    return ok;
}

bool report_add_funnel(struct apf_report *r, const struct apf_bolt_funnel *f)
{
    return add_recording(r, f) && add_mapped(r, f) && add_losses(r, f) && add_top(r, f);
}
