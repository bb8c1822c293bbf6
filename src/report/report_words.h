/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words that the page and the Markdown share. */
#ifndef REPORT_REPORT_WORDS_H
#define REPORT_REPORT_WORDS_H

#include "report/report_model.h"

/* What the counts of a family are: they follow a number, or are titles of columns. */
struct report_words {
    const char *unit;                       /* "counts" */
    const char *never;                      /* of functions that have none: "never ran" */
    const char *total, *most, *entries, *n; /* titles */
    const char *powers;                     /* what the chart of counts by size shows */
};
/* Whether counts say how hot code is. */
static inline bool report_is_hot(const struct apf_report *r)
{
    return r->family != REPORT_MEMORY && r->family != REPORT_PROBES;
}
const struct report_words *report_words(const struct apf_report *r);
/* The parts that are tables. */
struct report_part_words {
    const char *id, *title;
};
extern const struct report_part_words report_part_words[REPORT_PARTS];
/* What programs have of a function; "" if it was not compared. */
const char *report_state_word(uint32_t state);

/* Static words. */
const char *report_fate_word(const struct apf_report *r, uint32_t fate);
const char *report_site_word(uint32_t kind);
/* Writes a share from 0 to 1 in per cent. */
void report_put_percent(struct file_out *out, double share);
/* Writes a number with a comma after each three digits. */
void report_put_number(struct file_out *out, uint64_t n);
/* Writes what a comparison has found, in sentences. */
void report_put_comparison(struct file_out *out, const struct apf_report *r);
/* The words of enum report_change, of one bit after the other, and of a difference that has none of them. */
extern const char *const report_change_words[REPORT_CHANGES + 1];
/* Writes what enum report_change bits say, such as "hotter, edited". */
void report_put_changes(struct file_out *out, uint32_t changes);
/* Write what has failed, and the notes, on the page and in Markdown. */
void report_put_failure(struct file_out *out, const struct apf_report *r);
void report_put_notes(struct file_out *out, const struct apf_report *r);
void report_put_short_failure(struct file_out *out, const struct apf_report *r);
void report_put_short_notes(struct file_out *out, const struct apf_report *r);
/* Writes the most important facts in one or two sentences, without markup. */
void report_put_lead(struct file_out *out, const struct apf_report *r);

#endif
