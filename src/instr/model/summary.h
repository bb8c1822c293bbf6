/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes profile summaries by the rules of LLVM's InstrProfSummaryBuilder. The order of the records does not matter. */
#ifndef INSTR_SUMMARY_H
#define INSTR_SUMMARY_H

#include "instr/model/profile.h"

/* The cutoffs of the rows of the summary in an indexed file, in millionths of the total count. */
#define SUMMARY_CUTOFFS 16
extern const uint32_t summary_cutoffs[SUMMARY_CUTOFFS];

/* A flag: summarise as LLVM 13 to 15, which knew no pseudo counts. A pseudo record counts like any other; its counter
 * 2^64-1 is invalid and skipped, 2^64-2 is a number. */
#define SUMMARY_NO_PSEUDO 1u

struct summary_input {
    const struct record *records;
    const struct record *const *chosen; /* NULL, or the records to summarise in place of `records` */
    size_t n;                           /* number of records, or of chosen ones */
    int cs;                             /* the level of the records that count, see record_is_of */
    uint32_t flags;
    const uint32_t *cutoffs; /* a row for each, ascending; NULL: summary_cutoffs */
    size_t n_cutoffs;
};

/* Makes a summary in the arena. NULL: allocation failed. Allocations in `scratch` can be dropped afterwards, unless it
 * is the same arena. */
struct apf_summary *summary_make(const struct summary_input *in, struct arena *arena,
                                 struct arena *scratch) MUST_USE;

#endif
