/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words that the page and the Markdown share. */
#ifndef REPORT_REPORT_WORDS_H
#define REPORT_REPORT_WORDS_H

#include "report/report.h"

/* Static words. */
const char *report_fate_word(uint32_t fate);
const char *report_site_word(uint32_t kind);
/* Writes a number with a comma after each three digits. */
void report_put_number(struct file_out *out, uint64_t n);
/* Writes what enum report_change bits say, such as "grew, edited". */
void report_put_changes(struct file_out *out, uint32_t changes);
/* Writes the most important facts in one or two sentences, without markup. */
void report_put_lead(struct file_out *out, const struct apf_report *r);

#endif
