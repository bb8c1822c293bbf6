/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report in short, as Markdown. */
#include "base/options.h"
#include "base/text_append.h"
#include "page/markdown.h"
#include "report/report_parts.h"
#include "report/report_words.h"

/* Says how many inputs have losses, and how many are empty, if any are. */
static void put_sums(struct file_out *out, const struct apf_report *r, uint64_t lost)
{
    uint64_t empty = 0;
    for (size_t i = 0; i < r->inputs.n; i++)
        empty += r->inputs.data[i].fate == REPORT_EMPTY;
    if (!lost && !empty)
        return;
    report_put_number(out, r->inputs.n);
    text_append(out, r->inputs.n == 1 ? " input, " : " inputs, ");
    report_put_number(out, lost ? lost : empty);
    text_append(out, lost ? " of them with losses" : " of them empty");
    if (lost && empty) {
        text_append(out, ", ");
        report_put_number(out, empty);
        text_append(out, " empty");
    }
    text_append(out, ".\n\n");
}

static void put_inputs(struct file_out *out, const struct apf_report *r)
{
    const size_t lost = apf_report_losses(r);
    put_sums(out, r, lost);
    if (!lost)
        return;
    text_append(out, "| Input | Result | Why |\n|---|---|---|\n");
    for (size_t i = 0; i < lost && i < r->max_rows; i++) {
        text_append(out, "| ");
        markdown_code(out, r->inputs.data[i].name);
        text_append(out, r->inputs.data[i].is_base ? " (compared with) | " : " | ");
        text_append(out, report_fate_word(r, r->inputs.data[i].fate));
        text_append(out, " | ");
        markdown_code(out, r->inputs.data[i].why);
        text_append(out, " |\n");
    }
    text_append(out, "\n");
}

static void put_differences(struct file_out *out, const struct apf_report *r)
{
    const struct report_comparison *c = &r->comparison;
    report_put_comparison(out, r);
    text_append(out, "\n\n");
    if (!c->list.n)
        return;
    text_append(out, "| Function | Change | Before | After | Effect |\n|---|---|--:|--:|--:|\n");
    for (size_t i = 0; i < c->list.n && i < r->max_rows; i++) {
        const struct report_difference *d = &c->list.data[i];
        text_append(out, "| ");
        markdown_code(out, r->names.data[d->name].shown);
        text_append(out, " | ");
        report_put_changes(out, d->changes);
        text_append(out, " | ");
        report_put_percent(out, d->share[0]);
        text_append(out, " | ");
        report_put_percent(out, d->share[1]);
        text_append(out, " | ");
        report_put_percent(out, d->effect);
        text_append(out, " |\n");
    }
    text_append(out, "\n");
}

static void put_functions(struct file_out *out, const struct apf_report *r)
{
    text_append(out,
                report_is_hot(r) ? "| Hottest functions | Share | " : "| Functions with the most | Share | ");
    text_append(out, report_words(r)->total);
    text_append(out, " |\n|---|--:|--:|\n");
    for (size_t i = 0; i < r->functions.n && i < r->max_rows; i++) {
        const struct report_function *f = &r->functions.data[i];
        text_append(out, "| ");
        markdown_code(out, r->names.data[f->name].shown);
        text_append(out, f->is_twin ? " " : "");
        if (f->is_twin)
            text_hash(out, f->hash);
        text_append(out, " | ");
        text_share(out, f->total, r->total, 0);
        text_append(out, " % | ");
        report_put_number(out, f->total);
        text_append(out, " |\n");
    }
    text_append(out, "\n");
}

int apf_report_write_markdown(const struct apf_report *r, const struct apf_output *output,
                              struct apf_error *error)
{
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    if (r->title.n) {
        text_append(out, "### ");
        markdown_code(out, r->title);
        text_append(out, "\n\n");
    }
    report_put_short_failure(out, r);
    if (r->functions.n || !r->comparison.made) {
        report_put_lead(out, r);
        text_append(out, "\n\n");
    }
    report_put_short_notes(out, r);
    if (r->inputs.n)
        put_inputs(out, r);
    if (r->comparison.made)
        put_differences(out, r);
    if (r->functions.n)
        put_functions(out, r);
    report_put_short_parts(out, r);
    return file_out_finish(out, APF_OK, error);
}
