/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the parts of a report that are tables, on the page and in Markdown. */
#include "report/report_parts.h"

#include "base/text_append.h"
#include "page/markdown.h"
#include "page/markup.h"
#include "report/report_cells.h"
#include "report/report_words.h"

static size_t count_rows(const struct report_table *t)
{
    return t->cells.n / t->n_columns;
}

static bool is_number(enum report_cell_kind kind)
{
    return kind == REPORT_CELL_NUMBER || kind == REPORT_CELL_OFFSET || kind == REPORT_CELL_HASH ||
           kind == REPORT_CELL_SHARE;
}

/* Writes what both forms have of a cell that is no name. */
static void put_value(struct file_out *out, const struct report_cell *cell, enum report_cell_kind kind)
{
    if (kind == REPORT_CELL_NUMBER) {
        report_put_number(out, cell->value);
    } else if (kind == REPORT_CELL_OFFSET) {
        text_append(out, "0x");
        text_hex(out, cell->value, 0);
    } else if (kind == REPORT_CELL_HASH) {
        text_hash(out, cell->value);
    } else {
        text_share(out, cell->value, cell->whole, 0);
        text_append(out, " %");
    }
}

/* ---- the page ---- */

static void put_call(struct file_out *out, const struct apf_report *r, const struct report_call *call)
{
    cells_put_name(out, r, call->name);
    text_append(out, " <span class=\"soft\">+");
    text_decimal(out, call->line, 0);
    text_append(out, ":");
    text_decimal(out, call->column, 0);
    text_append(out, call->is_inline ? ", inlined in</span>" : "</span>");
}

/* Writes the innermost call, with all of them in a fold. */
static void put_stack(struct file_out *out, const struct apf_report *r, const struct report_cell *cell)
{
    const struct report_call *calls = ENTRY_AT(r->calls.data, cell->value);
    if (cell->whole == 0) {
        text_append(out, "unknown");
        return;
    }
    text_append(out, "<details><summary>");
    cells_put_name(out, r, calls[0].name);
    text_append(out, "</summary><ol>");
    for (size_t i = 0; i < cell->whole; i++) {
        text_append(out, "<li>");
        put_call(out, r, &calls[i]);
        text_append(out, "</li>");
    }
    text_append(out, "</ol>");
    markup_text(out, cell->text);
    text_append(out, "</details>");
}

static void put_cell(struct file_out *out, const struct apf_report *r, const struct report_cell *cell,
                     enum report_cell_kind kind)
{
    text_append(out, is_number(kind) ? "<td class=\"n\">" : "<td>");
    if (kind == REPORT_CELL_STACK)
        put_stack(out, r, cell);
    else if (cell->text.n || kind == REPORT_CELL_TEXT)
        markup_text(out, cell->text);
    else if (kind != REPORT_CELL_NAME)
        put_value(out, cell, kind);
    else if (cell->value == UINT64_MAX)
        text_append(out, "unknown");
    else
        cells_put_name(out, r, (uint32_t)cell->value);
    text_append(out, "</td>");
}

static void put_table(struct file_out *out, const struct apf_report *r, const struct report_table *t)
{
    if (t->title) {
        text_append(out, "<h3>");
        text_append(out, t->title);
        text_append(out, "</h3>\n");
    }
    if (t->n_all > count_rows(t)) {
        text_append(out, "<p class=\"soft\">These are the first ");
        report_put_number(out, count_rows(t));
        text_append(out, " of ");
        report_put_number(out, t->n_all);
        text_append(out, ".</p>\n");
    }
    text_append(out, "<div class=\"scroll\"><table><thead><tr>");
    for (size_t i = 0; i < t->n_columns; i++) {
        text_append(out, is_number(t->columns[i].kind) ? "<th class=\"n\">" : "<th>");
        text_append(out, t->columns[i].title);
        text_append(out, "</th>");
    }
    text_append(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < t->cells.n; i += t->n_columns) {
        text_append(out, "<tr>");
        for (size_t k = 0; k < t->n_columns; k++)
            put_cell(out, r, &t->cells.data[i + k], t->columns[k].kind);
        text_append(out, "</tr>\n");
    }
    text_append(out, "</tbody></table></div>\n");
}

void report_put_tree_notes(struct file_out *out, const struct report_tree *tree)
{
    if (tree->n_small) {
        text_append(out, "<p class=\"soft\">The ");
        report_put_number(out, tree->n_small);
        text_append(out, " smallest boxes are left out.</p>\n");
    }
    if (tree->n_deep) {
        text_append(out, "<p class=\"soft\">What is deeper than ");
        report_put_number(out, REPORT_DEPTH);
        text_append(out, " boxes counts as part of the last one.</p>\n");
    }
    text_append(out, "<noscript><p>The page's script draws this.</p></noscript>\n");
}

void report_put_part(struct file_out *out, const struct apf_report *r, enum report_part_kind kind)
{
    const struct report_part *part = &r->parts[kind];
    for (size_t i = 0; i < part->tables.n; i++)
        put_table(out, r, &part->tables.data[i]);
    if (kind == REPORT_PART_MEMORY && r->memory.frames.n > 1) {
        cells_put_chart(out, "memory",
                        "Each box is a function, called or inlined in the one above it; its width is its "
                        "share of the bytes that were allocated");
        report_put_tree_notes(out, &r->memory);
    }
}

/* ---- Markdown ---- */

static void put_short_cell(struct file_out *out, const struct apf_report *r, const struct report_cell *cell,
                           enum report_cell_kind kind)
{
    text_append(out, " ");
    if (kind == REPORT_CELL_STACK && cell->whole)
        markdown_code(out, r->names.data[r->calls.data[cell->value].name].shown);
    else if (cell->text.n || kind == REPORT_CELL_TEXT)
        markdown_text(out, cell->text);
    else if (kind == REPORT_CELL_STACK || (kind == REPORT_CELL_NAME && cell->value == UINT64_MAX))
        text_append(out, "unknown");
    else if (kind == REPORT_CELL_NAME)
        markdown_code(out, r->names.data[cell->value].shown);
    else
        put_value(out, cell, kind);
    text_append(out, " |");
}

static void put_short_table(struct file_out *out, const struct apf_report *r, const struct report_table *t)
{
    const size_t n = count_rows(t) < r->max_rows ? count_rows(t) : (size_t)r->max_rows;
    if (t->title || t->n_all > n) {
        text_append(out, t->title ? t->title : "In all");
        if (t->n_all > n) {
            text_append(out, " (the first ");
            report_put_number(out, n);
            text_append(out, " of ");
            report_put_number(out, t->n_all);
            text_append(out, ")");
        }
        text_append(out, ":\n\n");
    }
    text_append(out, "|");
    for (size_t i = 0; i < t->n_columns; i++) {
        text_append(out, " ");
        text_append(out, t->columns[i].title);
        text_append(out, " |");
    }
    text_append(out, "\n|");
    for (size_t i = 0; i < t->n_columns; i++)
        text_append(out, is_number(t->columns[i].kind) ? "--:|" : "---|");
    text_append(out, "\n");
    for (size_t i = 0; i < n; i++) {
        text_append(out, "|");
        for (size_t k = 0; k < t->n_columns; k++)
            put_short_cell(out, r, &t->cells.data[i * t->n_columns + k], t->columns[k].kind);
        text_append(out, "\n");
    }
    text_append(out, "\n");
}

void report_put_short_parts(struct file_out *out, const struct apf_report *r)
{
    for (size_t p = 0; p < REPORT_PARTS; p++) {
        const struct report_part *part = &r->parts[p];
        if (!part->tables.n)
            continue;
        text_append(out, "#### ");
        text_append(out, report_part_words[p].title);
        text_append(out, "\n\n");
        for (size_t i = 0; i < part->tables.n; i++)
            put_short_table(out, r, &part->tables.data[i]);
    }
}
