/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables and percentages as LLVM's formatted_raw_ostream and "%.*f%%" print them. */
#ifndef SAMPLE_COLUMNS_H
#define SAMPLE_COLUMNS_H

#include "base/file.h"

/* Appends v and '%': a minus sign before a negative number, and "-nan" for 0 / 0. Returns how many bytes that is. */
size_t sample_write_percent(struct file_out *out, double v, unsigned decimals);

/* A line of a table that is being printed. The last cell of a line is appended to `out`. */
struct sample_columns {
    struct file_out *out;
    size_t at; /* bytes of the line so far */
};
/* Fills up with blanks to a column: one blank at least, so that long cells push the next ones to the right. */
void sample_column(struct sample_columns *c, size_t column);
void sample_cell_text(struct sample_columns *c, const char *text);
void sample_cell_decimal(struct sample_columns *c, uint64_t v);
void sample_cell_percent(struct sample_columns *c, double v, unsigned decimals);

#endif
