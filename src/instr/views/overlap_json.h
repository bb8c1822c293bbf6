/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef INSTR_OVERLAP_JSON_H
#define INSTR_OVERLAP_JSON_H

#include <anyprof/compare.h>

struct file_out;

/* Compares two profiles as overlap_find does and writes what it finds as JSON, schema anyprof-overlap/1
 * (docs/json.md). */
int overlap_json(const struct apf_instr *base, const struct apf_instr *test,
                 const struct apf_overlap_options *options, struct file_out *out, struct apf_overlap *found,
                 struct apf_error *error);

#endif
