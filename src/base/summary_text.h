/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The detailed summary of a profile in the words of LLVM's ProfileSummary, which all kinds of profiles have. */
#ifndef BASE_SUMMARY_TEXT_H
#define BASE_SUMMARY_TEXT_H

#include "base/file.h"

/* A row: that many of `n_counts` counts are at least `min_count` and hold `cutoff` millionths of the total. */
void text_summary_row(struct file_out *out, uint64_t n_blocks, uint64_t n_counts, uint64_t min_count,
                      uint64_t cutoff);

#endif
