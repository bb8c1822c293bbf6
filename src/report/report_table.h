/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fills in the tables of a report, cell by cell. */
#ifndef REPORT_REPORT_TABLE_H
#define REPORT_REPORT_TABLE_H

#include "report/report_model.h"

/* Begins a table of a part; NULL: allocation failed. Valid until the part's next table. */
struct report_table *report_table(struct apf_report *r, enum report_part_kind part, const char *title,
                                  const struct report_column *columns, size_t n_columns);
#define REPORT_TABLE(r, part, title, columns)                                                                \
    report_table(r, part, title, columns, sizeof(columns) / sizeof *(columns))
/* Whether a table has room for one more row, which is counted either way. */
bool report_row(struct report_table *t);
/* Append a cell. False: allocation failed. */
bool report_cell(struct report_table *t, uint64_t value) MUST_USE;
bool report_cell_share(struct report_table *t, uint64_t part, uint64_t whole) MUST_USE;
/* A text that is static, or in the arena. */
bool report_cell_text(struct report_table *t, const char *text) MUST_USE;

/* The columns of tables with a number in each row, and how much of another one it is. */
extern const struct report_column report_count_columns[3];
/* Appends a row of such a table. False: allocation failed. */
bool report_count_row(struct report_table *t, const char *words, uint64_t count, uint64_t whole) MUST_USE;

#endif
