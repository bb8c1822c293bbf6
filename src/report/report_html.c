/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a report as a page. What is most important is written as tables, which need no script; the script makes
 * charts, and a table of all functions, of the data that follow them. */
#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/options.h"
#include "base/text_append.h"
#include "page/markup.h"
#include "page/page.h"
#include "report/report.h"
#include "report/report_words.h"

/* Functions in the table that is there without the script. */
#define PLAIN_FUNCTIONS 100u

static const struct page_kind report_page = {
    .styles = {&report_style},
    .scripts = {&d3_script, &report_tables, &report_charts, &report_script},
    .credit = ", with charts by D3 (d3js.org, copyright Mike Bostock, BSD-3-Clause)"};

/* ---- cells ---- */

static void put_text(struct file_out *out, const char *element, struct apf_str text)
{
    text_append(out, "<");
    text_append(out, element);
    text_append(out, ">");
    markup_text(out, text);
    text_append(out, "</");
    text_append(out, element);
    text_append(out, ">");
}

static void put_name(struct file_out *out, const struct apf_report *r, uint32_t name)
{
    put_text(out, "code", r->names.data[name].shown);
}

static void put_number_cell(struct file_out *out, uint64_t n)
{
    text_append(out, "<td class=\"n\">");
    report_put_number(out, n);
    text_append(out, "</td>");
}

static void begin_section(struct file_out *out, const char *id, const char *title)
{
    text_append(out, "<section id=\"");
    text_append(out, id);
    text_append(out, "\"><h2>");
    text_append(out, title);
    text_append(out, "</h2>\n");
}

static void end_section(struct file_out *out)
{
    text_append(out, "</section>\n");
}

/* Writes an empty element that the script fills; without it, nothing of it is seen. */
static void put_chart(struct file_out *out, const char *name, const char *label)
{
    text_append(out, "<figure class=\"chart\" data-chart=\"");
    text_append(out, name);
    text_append(out, "\" hidden><figcaption>");
    text_append(out, label);
    text_append(out, "</figcaption></figure>\n");
}

/* ---- sections ---- */

static void put_files(struct file_out *out, const struct apf_report *r)
{
    begin_section(out, "files", "Files");
    for (size_t i = 0; i < r->files.n; i++) {
        const struct report_file *file = &r->files.data[i];
        text_append(out, "<details");
        text_append(out, r->files.n <= 2 ? " open><summary>" : "><summary>");
        put_text(out, "code", file->name);
        text_append(out, file->is_base ? " (compared with)</summary><dl>\n" : "</summary><dl>\n");
        for (size_t k = file->first_fact; k < file->first_fact + file->n_facts; k++) {
            const struct report_fact *fact = &r->facts.data[k];
            put_text(out, "dt", (struct apf_str){fact->label, strlen(fact->label)});
            put_text(out, "dd", fact->text);
            text_append(out, "\n");
        }
        text_append(out, "</dl></details>\n");
    }
    end_section(out);
}

static void put_inputs(struct file_out *out, const struct apf_report *r)
{
    begin_section(out, "inputs", "Inputs");
    text_append(out, "<table><thead><tr><th>File</th><th>Result</th><th class=\"n\">Functions</th>"
                     "<th class=\"n\">Counts</th><th>Why</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->inputs.n; i++) {
        const struct report_input *input = &r->inputs.data[i];
        text_append(out, input->fate < REPORT_EMPTY ? "<tr class=\"poor\"><td>" : "<tr><td>");
        put_text(out, "code", input->name);
        text_append(out, "</td><td>");
        text_append(out, report_fate_word(input->fate));
        text_append(out, "</td>");
        put_number_cell(out, input->functions);
        put_number_cell(out, input->counts);
        put_text(out, "td", input->why);
        text_append(out, "</tr>\n");
    }
    text_append(out, "</tbody></table>\n");
    end_section(out);
}

static void put_hotness(struct file_out *out, const struct apf_report *r)
{
    begin_section(out, "hotness", "How hot is the code?");
    text_append(out,
                "<table><thead><tr><th>Share of all counts</th><th class=\"n\">Functions that hold it</th>"
                "</tr></thead><tbody>\n");
    for (size_t i = 0; i < REPORT_QUANTILES; i++) {
        text_append(out, "<tr>");
        put_text(out, "td", (struct apf_str){r->quantiles[i].share, strlen(r->quantiles[i].share)});
        put_number_cell(out, r->quantiles[i].functions);
        text_append(out, "</tr>\n");
    }
    text_append(out, "<tr><td>none</td>");
    put_number_cell(out, r->n_cold);
    text_append(out, "</tr>\n</tbody></table>\n<div class=\"charts\">\n");
    put_chart(out, "curve", "Share of all counts that the hottest functions hold");
    put_chart(out, "powers", "Counters by how much they have counted");
    text_append(out, "</div>\n");
    end_section(out);
}

static void put_functions(struct file_out *out, const struct apf_report *r)
{
    begin_section(out, "functions", "Hot functions");
    text_append(out, "<div class=\"table\" data-table=\"functions\">\n<table><thead><tr><th>Function</th>"
                     "<th class=\"n\">Share</th><th class=\"n\">Counts</th><th class=\"n\">Largest</th>"
                     "<th class=\"n\">Entries</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->functions.n && i < PLAIN_FUNCTIONS; i++) {
        const struct report_function *f = &r->functions.data[i];
        text_append(out, "<tr><td>");
        put_name(out, r, f->name);
        text_append(out, "</td><td class=\"n\">");
        text_share(out, f->total, r->total, 0);
        text_append(out, " %</td>");
        put_number_cell(out, f->total);
        put_number_cell(out, f->most);
        put_number_cell(out, f->entries);
        text_append(out, "</tr>\n");
    }
    text_append(out, "</tbody></table>\n");
    if (r->functions.n > PLAIN_FUNCTIONS) {
        text_append(out, "<p class=\"soft\">These are the hottest ");
        report_put_number(out, PLAIN_FUNCTIONS);
        text_append(out, " of ");
        report_put_number(out, r->functions.n);
        text_append(out, " functions; the page's script shows all of them.</p>\n");
    }
    text_append(out, "</div>\n");
    put_chart(out, "map", "Counts by namespace, or by source file of local functions");
    end_section(out);
}

static void put_values(struct file_out *out, const struct apf_report *r, const struct report_site *site)
{
    for (size_t i = 0; i < site->n_values && i < REPORT_VALUES; i++) {
        const struct report_value *v = &site->values[i];
        text_append(out, i ? "<br>" : "");
        text_share(out, v->count, site->total, 0);
        text_append(out, " % ");
        if (v->value == UINT64_MAX)
            text_append(out, "unknown");
        else if (site->kind == REPORT_SIZES)
            report_put_number(out, v->value);
        else
            put_name(out, r, (uint32_t)v->value);
    }
    if (site->n_values > REPORT_VALUES)
        text_append(out, "<br>&hellip;");
}

static void put_sites(struct file_out *out, const struct apf_report *r)
{
    begin_section(out, "sites", "Calls, sizes and types");
    if (r->n_sites > r->sites.n) {
        text_append(out, "<p>These are the hottest ");
        report_put_number(out, r->sites.n);
        text_append(out, " of ");
        report_put_number(out, r->n_sites);
        text_append(out, " places.</p>\n");
    }
    text_append(out,
                "<div class=\"scroll\"><table><thead><tr><th>Function</th><th>Place</th><th>Values of</th>"
                "<th class=\"n\">Counts</th><th>Values</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->sites.n; i++) {
        const struct report_site *site = &r->sites.data[i];
        text_append(out, "<tr><td>");
        put_name(out, r, site->function);
        text_append(out, "</td><td class=\"n\">");
        text_decimal(out, site->line, 0);
        if (site->discriminator) {
            text_append(out, ".");
            text_decimal(out, site->discriminator, 0);
        }
        text_append(out, "</td><td>");
        text_append(out, report_site_word(site->kind));
        text_append(out, "</td>");
        put_number_cell(out, site->total);
        text_append(out, "<td>");
        put_values(out, r, site);
        text_append(out, "</td></tr>\n");
    }
    text_append(out, "</tbody></table></div>\n");
    end_section(out);
}

static void put_stacks(struct file_out *out, const struct apf_report *r)
{
    begin_section(out, "stacks", "Callers and inlining");
    put_chart(out, "flame",
              "Each box is a function, called or inlined in the one above it; its width is its share");
    if (r->n_small_frames) {
        text_append(out, "<p class=\"soft\">The ");
        report_put_number(out, r->n_small_frames);
        text_append(out, " smallest boxes are left out.</p>\n");
    }
    text_append(out, "<noscript><p>The page's script draws this.</p></noscript>\n");
    end_section(out);
}

static void put_percent(struct file_out *out, double share)
{
    text_fixed(out, 100 * share, 2, 0);
    text_append(out, " %");
}

static void put_differences(struct file_out *out, const struct apf_report *r)
{
    const struct report_comparison *c = &r->comparison;
    begin_section(out, "differences", "What changed");
    text_append(out, "<p>");
    put_percent(out, c->moved);
    text_append(out, " of all counts moved; the overlap is ");
    put_percent(out, c->overlap);
    text_append(out, ".</p>\n");
    if (!c->list.n) {
        end_section(out);
        return;
    }
    text_append(
        out, "<div class=\"table\" data-table=\"differences\"><table><thead><tr><th>Function</th>"
             "<th>Change</th><th class=\"n\">Before</th><th class=\"n\">After</th><th class=\"n\">Effect</th>"
             "</tr></thead><tbody>\n");
    for (size_t i = 0; i < c->list.n && i < PLAIN_FUNCTIONS; i++) {
        const struct report_difference *d = &c->list.data[i];
        text_append(out, "<tr><td>");
        put_name(out, r, d->name);
        text_append(out, "</td><td>");
        report_put_changes(out, d->changes);
        text_append(out, "</td><td class=\"n\">");
        put_percent(out, d->share[0]);
        text_append(out, "</td><td class=\"n\">");
        put_percent(out, d->share[1]);
        text_append(out, "</td><td class=\"n\">");
        put_percent(out, d->effect);
        text_append(out, "</td></tr>\n");
    }
    text_append(out, "</tbody></table></div>\n");
    put_chart(out, "scatter", "Each dot is a function: its share before, and after");
    end_section(out);
}

/* ---- the data ---- */

/* Writes the data of the script, compressed. */
static int put_data(struct file_out *out, const struct apf_report *r, struct apf_error *error)
{
    struct apf_buffer text = {NULL, 0, 0};
    int code = report_write_data(r, &text, error);
    size_t n = code == APF_OK ? deflate_bound(text.n) : 0;
    uint8_t *packed = code == APF_OK ? malloc(n) : NULL;
    if (code == APF_OK &&
        (!packed || !deflate_compress_quickly((const uint8_t *)text.data, text.n, packed, &n)))
        code = error_memory(error);
    if (code == APF_OK) {
        text_append(out, "<script type=\"application/octet-stream\" id=\"data\">");
        page_base64(out, packed, n);
        text_append(out, "</script>\n");
    }
    free(packed);
    apf_buffer_free(&text);
    return code;
}

/* ---- the page ---- */

/* The sections of a report, in order; those that are empty are left out. */
static void put_sections(struct file_out *out, const struct apf_report *r)
{
    const struct {
        bool there;
        const char *id, *word;
        void (*put)(struct file_out *out, const struct apf_report *r);
    } rows[] = {{r->inputs.n != 0, "inputs", "Inputs", put_inputs},
                {r->comparison.made, "differences", "What changed", put_differences},
                {r->functions.n != 0, "hotness", "Hotness", put_hotness},
                {r->functions.n != 0, "functions", "Functions", put_functions},
                {r->frames.n > 1, "stacks", "Callers and inlining", put_stacks},
                {r->sites.n != 0, "sites", "Calls, sizes and types", put_sites},
                {r->files.n != 0, "files", "Files", put_files}};
    text_append(out, "<nav aria-label=\"Sections\"><ul>");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].there) {
            text_append(out, "<li><a href=\"#");
            text_append(out, rows[i].id);
            text_append(out, "\">");
            text_append(out, rows[i].word);
            text_append(out, "</a></li>");
        }
    text_append(out, "</ul></nav>\n<main>\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].there)
            rows[i].put(out, r);
    text_append(out, "</main>\n");
}

int apf_report_write_html(const struct apf_report *r, const struct apf_output *output,
                          struct apf_error *error)
{
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    page_begin(out, &report_page, r->title);
    text_append(out, "<header><h1>");
    markup_text(out, r->title);
    text_append(
        out, "</h1><span><button type=\"button\" data-do=\"find\" hidden>Find a function (/)</button> "
             "<button type=\"button\" data-do=\"theme\" hidden>Dark or light (d)</button></span></header>\n");
    text_append(out, "<p class=\"lead\">");
    report_put_lead(out, r);
    text_append(out, "</p>\n");
    put_sections(out, r);
    code = put_data(out, r, error);
    page_end(out, &report_page);
    return file_out_finish(out, code, error);
}
