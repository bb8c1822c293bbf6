/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unsymbolized profiles: counts of ranges and branches as text, which llvm-profgen --skip-symbolization writes and
 * --unsymbolized-profile reads. */
#ifndef PROFGEN_PROFGEN_RAW_H
#define PROFGEN_PROFGEN_RAW_H

#include "base/file.h"
#include "profgen/profgen_traces.h"

/* Writes finished traces; addresses count from `base`, modulo 2^64. */
void profgen_raw_write(const struct profgen_traces *t, uint64_t base, struct file_out *out);
/* Reads such a profile without contexts, and adds it to traces. APF_BAD_SAMPLES, with line and column. */
int profgen_raw_read(struct profgen_traces *t, const struct apf_input *input, uint64_t max_bytes,
                     uint64_t base, struct apf_error *error);

#endif
