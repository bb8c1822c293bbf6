/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile summary, by the rules of LLVM's InstrProfSummaryBuilder. Records are added one by one, in any order. */
#ifndef INSTR_SUMMARY_H
#define INSTR_SUMMARY_H

#include "instr/profile.h"

/* Rows of the summary in an indexed file: what part of the total, in millionths. */
#define SUMMARY_CUTOFFS 16
extern const uint32_t summary_cutoffs[SUMMARY_CUTOFFS];

/* LLVM 13 to 15 knew no pseudo counts: such a record is a function as others are; a counter of 2^64-1 is invalid
 * and passed over, 2^64-2 is a number. */
#define SUMMARY_NO_PSEUDO 1u

struct summary_builder {
    struct apf_summary sum;
    int cs; /* as in apf_instr_summary */
    uint32_t flags;
    uint64_t *small;     /* how often each count below the limit occurs */
    VEC(uint64_t) large; /* the other counts */
};

/* `cs`: which records count, as in apf_instr_summary. Nothing is allocated yet. */
void summary_init(struct summary_builder *b, int cs, uint32_t flags);
/* Adds a record, if it is one that counts. False when memory is out. */
bool summary_add(struct summary_builder *b, const struct record *r) MUST_USE;
/* The summary, in the arena, with a row for each cutoff (they ascend; NULL: summary_cutoffs). Then only
 * summary_free may follow. NULL when memory is out. */
struct apf_summary *summary_finish(struct summary_builder *b, const uint32_t *cutoffs, size_t n_cutoffs,
                                   struct arena *arena) MUST_USE;
void summary_free(struct summary_builder *b);

#endif
