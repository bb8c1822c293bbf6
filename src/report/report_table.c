/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report/report_table.h"

#include <string.h>

const struct report_column report_count_columns[3] = {
    {"What", REPORT_CELL_TEXT}, {"Count", REPORT_CELL_NUMBER}, {"Share", REPORT_CELL_SHARE}};

struct report_table *report_table(struct apf_report *r, enum report_part_kind part, const char *title,
                                  const struct report_column *columns, size_t n_columns)
{
    const struct report_table made = {.title = title, .columns = columns, .n_columns = n_columns};
    struct report_part *p = &r->parts[part];
    return VEC_PUSH(&p->tables, made) ? &p->tables.data[p->tables.n - 1] : NULL;
}

bool report_row(struct report_table *t)
{
    return t->n_all++ < REPORT_ROWS;
}

bool report_cell(struct report_table *t, uint64_t value)
{
    return VEC_PUSH(&t->cells, ((struct report_cell){.value = value}));
}

bool report_cell_share(struct report_table *t, uint64_t part, uint64_t whole)
{
    return VEC_PUSH(&t->cells, ((struct report_cell){.value = part, .whole = whole}));
}

bool report_cell_text(struct report_table *t, const char *text)
{
    return VEC_PUSH(&t->cells, ((struct report_cell){.text = {text, strlen(text)}}));
}

bool report_count_row(struct report_table *t, const char *words, uint64_t count, uint64_t whole)
{
    return !report_row(t) ||
           (report_cell_text(t, words) && report_cell(t, count) && report_cell_share(t, count, whole));
}
