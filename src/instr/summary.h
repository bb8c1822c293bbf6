/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile summary, by the rules of LLVM's InstrProfSummaryBuilder. The order of the records does not matter. */
#ifndef INSTR_SUMMARY_H
#define INSTR_SUMMARY_H

#include "instr/profile.h"

/* Rows of the summary in an indexed file: what part of the total, in millionths. */
#define SUMMARY_CUTOFFS 16
extern const uint32_t summary_cutoffs[SUMMARY_CUTOFFS];

/* LLVM 13 to 15 knew no pseudo counts: such a record is a function as others are; a counter of 2^64-1 is invalid
 * and passed over, 2^64-2 is a number. */
#define SUMMARY_NO_PSEUDO 1u

/* Which records, and what is asked about them. */
struct summary_input {
    const struct record *records;
    const struct record *const *chosen; /* NULL, or these instead */
    size_t n;
    int cs; /* which of them count, as in apf_instr_summary */
    uint32_t flags;
    const uint32_t *cutoffs; /* a row for each; they ascend. NULL: summary_cutoffs */
    size_t n_cutoffs;
};

/* The summary, in the arena; NULL when memory is out. What is in `scratch` afterwards can be dropped, unless that is
 * the same arena. */
struct apf_summary *summary_make(const struct summary_input *in, struct arena *arena,
                                 struct arena *scratch) MUST_USE;

#endif
