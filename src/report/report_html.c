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
#include "report/report_cells.h"
#include "report/report_model.h"
#include "report/report_parts.h"
#include "report/report_words.h"

/* Functions in the table that is there without the script. */
#define PLAIN_FUNCTIONS 100u

static const struct page_kind report_page = {
    .styles = {&report_style},
    .scripts = {&d3_script, &report_data, &report_names, &report_rows, &report_places, &report_charts,
                &report_script},
    .credit = ", with charts by D3 (d3js.org, copyright Mike Bostock, BSD-3-Clause)"};

/* ---- sections ---- */

static void put_files(struct file_out *out, const struct apf_report *r)
{
    for (size_t i = 0; i < r->files.n; i++) {
        const struct report_file *file = &r->files.data[i];
        text_append(out, "<details");
        text_append(out, r->files.n <= 2 ? " open><summary>" : "><summary>");
        cells_put_text(out, "code", file->name);
        text_append(out, file->role == REPORT_BASE      ? " (compared with)"
                         : file->role == REPORT_PROGRAM ? " (program)"
                                                        : "");
        text_append(out, "</summary><dl>\n");
        for (size_t k = file->first_fact; k < file->first_fact + file->n_facts; k++) {
            const struct report_fact *fact = &r->facts.data[k];
            cells_put_text(out, "dt", (struct apf_str){fact->label, strlen(fact->label)});
            cells_put_text(out, "dd", fact->text);
            text_append(out, "\n");
        }
        text_append(out, "</dl></details>\n");
    }
}

static void put_inputs(struct file_out *out, const struct apf_report *r)
{
    text_append(
        out, "<div class=\"scroll\"><table><thead><tr><th>File</th><th>Result</th>"
             "<th class=\"n\">Functions</th><th class=\"n\">Counts</th><th>Why</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->inputs.n; i++) {
        const struct report_input *input = &r->inputs.data[i];
        text_append(out, input->fate < REPORT_EMPTY ? "<tr class=\"poor\"><td>" : "<tr><td>");
        cells_put_text(out, "code", input->name);
        text_append(out, input->is_base ? " (compared with)</td><td>" : "</td><td>");
        text_append(out, report_fate_word(r, input->fate));
        text_append(out, "</td>");
        cells_put_cell(out, input->functions);
        cells_put_cell(out, input->counts);
        cells_put_text(out, "td", input->why);
        text_append(out, "</tr>\n");
    }
    text_append(out, "</tbody></table></div>\n");
}

static void put_hotness(struct file_out *out, const struct apf_report *r)
{
    text_append(out, "<table><thead><tr><th>Share of all ");
    text_append(out, report_words(r)->unit);
    text_append(out, "</th><th class=\"n\">Functions that hold it</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < REPORT_QUANTILES; i++) {
        text_append(out, "<tr>");
        cells_put_text(out, "td", (struct apf_str){r->quantiles[i].share, strlen(r->quantiles[i].share)});
        cells_put_cell(out, r->quantiles[i].functions);
        text_append(out, "</tr>\n");
    }
    text_append(out, "<tr><td>none</td>");
    cells_put_cell(out, r->n_cold);
    text_append(out, "</tr>\n</tbody></table>\n<div class=\"charts\">\n");
    cells_put_chart_of(out, "curve", "Share of all ", report_words(r)->unit,
                       report_is_hot(r) ? " that the hottest functions hold"
                                        : " that the functions with the most hold");
    cells_put_chart(out, "powers", report_words(r)->powers);
    text_append(out, "</div>\n");
}

/* Says that a table which is there without the script has the first of n functions only. */
static void put_rest(struct file_out *out, const char *which, uint64_t n)
{
    if (n <= PLAIN_FUNCTIONS)
        return;
    text_append(out, "<p class=\"soft\">");
    text_append(out, which);
    text_append(out, " ");
    report_put_number(out, PLAIN_FUNCTIONS);
    text_append(out, " of ");
    report_put_number(out, n);
    text_append(out, " functions. The page's script shows all of them.</p>\n");
}

static void put_functions(struct file_out *out, const struct apf_report *r)
{
    const struct report_words *words = report_words(r);
    text_append(out, "<div class=\"table\" data-table=\"functions\">\n<table><thead><tr><th>Function</th>"
                     "<th class=\"n\">Share</th>");
    const char *const titles[] = {words->total, words->most, words->entries};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        text_append(out, "<th class=\"n\">");
        text_append(out, titles[i]);
        text_append(out, "</th>");
    }
    text_append(out,
                r->has_states ? "<th>In the program</th></tr></thead><tbody>\n" : "</tr></thead><tbody>\n");
    for (size_t i = 0; i < r->functions.n && i < PLAIN_FUNCTIONS; i++) {
        const struct report_function *f = &r->functions.data[i];
        text_append(out, "<tr><td>");
        cells_put_name(out, r, f->name);
        if (f->is_twin) {
            text_append(out, " <span class=\"soft\">");
            text_hash(out, f->hash);
            text_append(out, "</span>");
        }
        text_append(out, "</td><td class=\"n\">");
        text_share(out, f->total, r->total, 0);
        text_append(out, " %</td>");
        cells_put_cell(out, f->total);
        cells_put_cell(out, f->most);
        cells_put_cell(out, f->entries);
        if (r->has_states) {
            text_append(out, "<td>");
            text_append(out, report_state_word(f->state));
            text_append(out, "</td>");
        }
        text_append(out, "</tr>\n");
    }
    text_append(out, "</tbody></table>\n");
    put_rest(out, "These have the most:", r->functions.n);
    text_append(out, "</div>\n");
    cells_put_chart_of(out, "map", "", words->total, " by namespace, or by source file of local functions");
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
            cells_put_name(out, r, (uint32_t)v->value);
    }
    if (site->n_values > REPORT_VALUES)
        text_append(out, "<br>&hellip;");
}

/* Writes where a site is in its function. */
static void put_place(struct file_out *out, const struct report_site *site)
{
    if (site->kind == REPORT_OFFSET_CALLS || site->kind == REPORT_BLOCK_CALLS) {
        text_append(out, site->kind == REPORT_BLOCK_CALLS ? "block " : "0x");
        if (site->kind == REPORT_OFFSET_CALLS)
            text_hex(out, site->line, 0);
        else
            text_decimal(out, site->line, 0);
        text_append(out, site->discriminator ? "+0x" : "");
        if (site->discriminator)
            text_hex(out, site->discriminator, 0);
        return;
    }
    text_decimal(out, site->line, 0);
    if (site->discriminator) {
        text_append(out, ".");
        text_decimal(out, site->discriminator, 0);
    }
}

static void put_sites(struct file_out *out, const struct apf_report *r)
{
    if (r->family == REPORT_BOLT)
        text_append(
            out,
            "<p>Profiles of BOLT do not say which calls are indirect; those with several values are.</p>\n");
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
        cells_put_name(out, r, site->function);
        text_append(out, "</td><td class=\"n\">");
        put_place(out, site);
        text_append(out, "</td><td>");
        text_append(out, report_site_word(site->kind));
        text_append(out, "</td>");
        cells_put_cell(out, site->total);
        text_append(out, "<td>");
        put_values(out, r, site);
        text_append(out, "</td></tr>\n");
    }
    text_append(out, "</tbody></table></div>\n");
}

static void put_stacks(struct file_out *out, const struct apf_report *r)
{
    cells_put_chart(out, "flame",
                    "Each box is a function, called or inlined in the one above it; its width is its share");
    report_put_tree_notes(out, &r->stacks);
}

static void put_differences(struct file_out *out, const struct apf_report *r)
{
    const struct report_comparison *c = &r->comparison;
    text_append(out, "<p>");
    report_put_comparison(out, r);
    text_append(out, "</p>\n");
    if (!c->list.n)
        return;
    text_append(
        out, "<div class=\"table\" data-table=\"differences\"><table><thead><tr><th>Function</th>"
             "<th>Change</th><th class=\"n\">Before</th><th class=\"n\">After</th><th class=\"n\">Effect</th>"
             "</tr></thead><tbody>\n");
    for (size_t i = 0; i < c->list.n && i < PLAIN_FUNCTIONS; i++) {
        const struct report_difference *d = &c->list.data[i];
        text_append(out, "<tr><td>");
        cells_put_name(out, r, d->name);
        text_append(out, "</td><td>");
        report_put_changes(out, d->changes);
        text_append(out, "</td><td class=\"n\">");
        report_put_percent(out, d->share[0]);
        text_append(out, "</td><td class=\"n\">");
        report_put_percent(out, d->share[1]);
        text_append(out, "</td><td class=\"n\">");
        report_put_percent(out, d->effect);
        text_append(out, "</td></tr>\n");
    }
    text_append(out, "</tbody></table>\n");
    put_rest(out, "These have the largest effect:", c->list.n);
    text_append(out, "</div>\n");
    cells_put_chart(out, "scatter", "Each dot is a function: its share before, and after");
}

/* ---- the data ---- */

/* Writes the data of the script, compressed. */
static int put_data(struct file_out *out, const struct apf_report *r, struct apf_error *error)
{
    struct apf_buffer text = {NULL, 0, 0};
    int code = report_write_data(r, &text, error);
    if (code == APF_IO) /* that of a buffer */
        code = error_memory(error);
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

#define PART(kind)                                                                                           \
    {r->parts[kind].tables.n != 0,                                                                           \
     report_part_words[kind].id,                                                                             \
     report_part_words[kind].title,                                                                          \
     NULL,                                                                                                   \
     NULL,                                                                                                   \
     kind}

/* The sections of a report, in order; those that are empty are left out. */
static void put_sections(struct file_out *out, const struct apf_report *r)
{
    const char *const hotness = r->family == REPORT_MEMORY   ? "Where is memory allocated?"
                                : r->family == REPORT_PROBES ? "Where are the probes?"
                                                             : "How hot is the code?";
    const struct {
        bool there;
        const char *id, *word, *title; /* of the section; the word is for links; no title: the word */
        void (*put)(struct file_out *out, const struct apf_report *r); /* NULL: `part` is what is there */
        enum report_part_kind part;
    } rows[] = {{r->inputs.n != 0, "inputs", "Inputs", NULL, put_inputs, REPORT_PARTS},
                {r->comparison.made, "differences", "What changed", NULL, put_differences, REPORT_PARTS},
                PART(REPORT_PART_PROGRAM),
                PART(REPORT_PART_SAMPLES),
                {r->functions.n != 0, "hotness", "Hotness", hotness, put_hotness, REPORT_PARTS},
                {r->functions.n != 0, "functions", "Functions", report_is_hot(r) ? "Hot functions" : NULL,
                 put_functions, REPORT_PARTS},
                {r->stacks.frames.n > 1, "stacks", "Callers and inlining", NULL, put_stacks, REPORT_PARTS},
                {r->sites.n != 0, "sites", r->family == REPORT_BOLT ? "Calls" : "Calls, sizes and types",
                 NULL, put_sites, REPORT_PARTS},
                PART(REPORT_PART_BRANCHES),
                PART(REPORT_PART_MEMORY),
                {r->files.n != 0, "files", "Files", NULL, put_files, REPORT_PARTS}};
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
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].there)
            continue;
        text_append(out, "<section id=\"");
        text_append(out, rows[i].id);
        text_append(out, "\"><h2>");
        text_append(out, rows[i].title ? rows[i].title : rows[i].word);
        text_append(out, "</h2>\n");
        if (rows[i].put)
            rows[i].put(out, r);
        else
            report_put_part(out, r, rows[i].part);
        text_append(out, "</section>\n");
    }
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
    report_put_failure(out, r);
    text_append(out, "<p class=\"lead\">");
    report_put_lead(out, r);
    text_append(out, "</p>\n");
    report_put_notes(out, r);
    put_sections(out, r);
    code = put_data(out, r, error);
    page_end(out, &report_page);
    return file_out_finish(out, code, error);
}
