/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unsymbolized profiles: counts of ranges and branches as text, which llvm-profgen --skip-symbolization writes and
 * --unsymbolized-profile reads. A context stands in brackets before its counts: addresses of calls, or names of
 * functions with the places of calls, the outermost first. */
#ifndef PROFGEN_PROFGEN_RAW_H
#define PROFGEN_PROFGEN_RAW_H

#include "base/file.h"
#include "profgen/profgen_counts.h"

/* Writes sorted counts; addresses count from `base`, modulo 2^64. */
int profgen_raw_write(const struct profgen_counts *c, uint64_t base, struct file_out *out,
                      struct apf_error *error);
/* Reads such a profile, and adds it to counts. With c->named, contexts must be names, else addresses. APF_BAD_SAMPLES,
 * with line and column. */
int profgen_raw_read(struct profgen_counts *c, const struct apf_input *input, uint64_t max_bytes,
                     uint64_t base, struct apf_error *error);

#endif
