/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a report that are tables, as text. */
#ifndef REPORT_REPORT_PARTS_H
#define REPORT_REPORT_PARTS_H

#include "report/report_model.h"

/* Writes what is in the section of a part, for a page. */
void report_put_part(struct file_out *out, const struct apf_report *r, enum report_part_kind kind);
/* Writes what is missing in a flame graph, and what is there without the script. */
void report_put_tree_notes(struct file_out *out, const struct report_tree *tree);
/* Writes all parts as Markdown. */
void report_put_short_parts(struct file_out *out, const struct apf_report *r);

#endif
