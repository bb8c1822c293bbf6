/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the sections of a page are written with. */
#ifndef REPORT_REPORT_CELLS_H
#define REPORT_REPORT_CELLS_H

#include "report/report_model.h"

/* Write an element with a text, a name as code, or a cell with a number. */
void cells_put_text(struct file_out *out, const char *element, struct apf_str text);
void cells_put_name(struct file_out *out, const struct apf_report *r, uint32_t name);
void cells_put_cell(struct file_out *out, uint64_t n);
/* Writes an empty element that the script fills; without it, nothing of it is seen. */
void cells_put_chart(struct file_out *out, const char *name, const char *label);
/* The same, with a label of three parts. */
void cells_put_chart_of(struct file_out *out, const char *name, const char *before, const char *word,
                        const char *after);

#endif
