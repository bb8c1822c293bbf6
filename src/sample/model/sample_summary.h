/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* LLVM's summary of a sample profile: how many lines, the hottest ones, hold which share of all counts. */
#ifndef SAMPLE_SUMMARY_H
#define SAMPLE_SUMMARY_H

#include "sample/model/sample_profile.h"

/* The cutoffs that LLVM writes, in millionths. */
#define SAMPLE_N_CUTOFFS 16u
extern const uint32_t sample_cutoffs[SAMPLE_N_CUTOFFS];
#define SAMPLE_CUTOFF_HOT 990000u
#define SAMPLE_CUTOFF_COLD 999999u

/* Computes the summary of a sealed profile over the lines of all its functions, inlined ones included, except those of
 * sample_find_duplicates; with contexts, functions are added up without them, whatever their checksums, first. The
 * total wraps at 2^64, as in LLVM. summary->rows, which `arena` holds, has one row for each of the n cutoffs, which
 * ascend. */
int sample_summary_compute(const struct apf_sample *s, const uint32_t *cutoffs, size_t n, struct arena *arena,
                           struct sample_summary *summary, struct apf_error *error);
/* The summary in the file if it has one, as LLVM's readers prefer it; else the computed one. */
int sample_summary_of(const struct apf_sample *s, struct arena *arena, struct sample_summary *summary,
                      struct apf_error *error);
/* The row of a cutoff, or of the next larger one; NULL: none. */
const struct sample_summary_row *sample_summary_row(const struct sample_summary *summary, uint64_t cutoff);

#endif
