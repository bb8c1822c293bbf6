/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/text_table.h"

#include <string.h>

#include "base/error.h"
#include "base/text_append.h"
#include "cov/share_text.h"
#include "page/markdown.h"

#define GAP 2u /* blanks between columns */
/* Cells that are longer are not made room for in the other rows. */
#define WIDEST 100u

int text_table_init(struct text_table *t, size_t n_columns, size_t n_left, bool markdown,
                    struct apf_error *error)
{
    *t = (struct text_table){.n_columns = n_columns, .n_left = n_left, .markdown = markdown};
    const struct apf_output output = apf_output_buffer(&t->text);
    return file_out_open(&t->cells, &output, error);
}

void text_table_free(struct text_table *t)
{
    if (t->cells)
        (void)file_out_close(t->cells, true, NULL);
    apf_buffer_free(&t->text);
    VEC_FREE(&t->ends);
    VEC_FREE(&t->widths);
}

/* ---- cells ---- */

int text_table_end(struct text_table *t, struct apf_error *error)
{
    (void)file_out_spill(t->cells, NULL, 0);
    return !t->cells->sys_errno && VEC_PUSH(&t->ends, t->text.n) ? APF_OK : error_memory(error);
}

int text_table_words(struct text_table *t, const char *words, struct apf_error *error)
{
    text_append(t->cells, words);
    return text_table_end(t, error);
}

int text_table_head(struct text_table *t, const char *const *names, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < t->n_columns && code == APF_OK; i++)
        code = text_table_words(t, names[i], error);
    return code;
}

int text_table_name(struct text_table *t, struct apf_str name, struct apf_error *error)
{
    if (t->markdown)
        markdown_code(t->cells, name);
    else
        text_name(t->cells, name);
    return text_table_end(t, error);
}

int text_table_number(struct text_table *t, uint64_t v, struct apf_error *error)
{
    text_decimal(t->cells, v, 0);
    return text_table_end(t, error);
}

int text_table_share(struct text_table *t, const struct apf_cov_share *s, struct apf_error *error)
{
    share_write(t->cells, s);
    return text_table_end(t, error);
}

/* ---- printing ---- */

static struct apf_str cell(const struct text_table *t, size_t i)
{
    const size_t from = i ? t->ends.data[i - 1] : 0;
    return (struct apf_str){(const char *)t->text.data + from, t->ends.data[i] - from};
}

/* How many characters a cell has. */
static size_t width(struct apf_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += ((uint8_t)text.p[i] & 0xC0) != 0x80;
    return n;
}

static size_t column_width(const struct text_table *t, size_t column)
{
    size_t most = 0;
    for (size_t i = column; i < t->ends.n; i += t->n_columns) {
        const size_t n = width(cell(t, i));
        most = n > most && n <= WIDEST ? n : most;
    }
    return most;
}

/* The last cell of the row with cell i that is not empty; nothing is printed after it. */
static size_t row_end(const struct text_table *t, size_t i)
{
    size_t end = i - i % t->n_columns + t->n_columns;
    while (end > i + 1 && cell(t, end - 1).n == 0)
        end--;
    return end;
}

static void print_text(const struct text_table *t, struct file_out *out)
{
    for (size_t row = 0; row < t->ends.n; row += t->n_columns) {
        const size_t end = row_end(t, row);
        for (size_t i = row; i < end; i++) {
            const struct apf_str text = cell(t, i);
            const size_t column = i - row, length = width(text), room = t->widths.data[column];
            const size_t blanks = room > length ? room - length : 0;
            const bool last_column = column + 1 == t->n_columns, right = column >= t->n_left && !last_column;
            text_blanks(out, right ? blanks : 0);
            (void)file_out_write(out, text.p, text.n);
            text_blanks(out, i + 1 == end ? 0 : (right ? 0 : blanks) + GAP);
        }
        text_append(out, "\n");
    }
}

/* Writes which columns are aligned to the right. */
static void print_rule(const struct text_table *t, struct file_out *out)
{
    text_append(out, "|");
    for (size_t i = 0; i < t->n_columns; i++)
        text_append(out, i >= t->n_left && i + 1 < t->n_columns ? " ---: |" : " --- |");
    text_append(out, "\n");
}

static void print_markdown(const struct text_table *t, struct file_out *out)
{
    for (size_t i = 0; i < t->ends.n; i++) {
        const struct apf_str text = cell(t, i);
        const bool last = (i + 1) % t->n_columns == 0;
        text_append(out, i % t->n_columns == 0 ? "| " : " ");
        (void)file_out_write(out, text.p, text.n);
        text_append(out, last ? " |\n" : " |");
        if (i + 1 == t->n_columns)
            print_rule(t, out);
    }
}

int text_table_print(struct text_table *t, struct file_out *out, struct apf_error *error)
{
    if (!t->n_columns)
        return APF_OK;
    if (t->markdown) {
        print_markdown(t, out);
        return APF_OK;
    }
    for (size_t i = 0; i < t->n_columns; i++)
        if (!VEC_PUSH(&t->widths, column_width(t, i)))
            return error_memory(error);
    print_text(t, out);
    return APF_OK;
}
