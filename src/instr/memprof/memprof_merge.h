/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds memory profiles. */
#ifndef INSTR_MEMPROF_MERGE_H
#define INSTR_MEMPROF_MERGE_H

#include "instr/model/memprof_model.h"

/* Adds a profile to a sum. Allocation contexts of one function and stack become one. */
int memprof_add(struct apf_memprof *sum, const struct apf_memprof *from, uint64_t weight,
                struct apf_error *error);
/* Removes from a sum the cold data for which it has access counts: an input that called the data cold did not see it.
 * */
void memprof_drop_warm(struct apf_memprof *sum);
/* The number of allocation contexts and data access profiles with a sum that is the largest its field can hold. */
uint64_t memprof_saturated(const struct apf_memprof *sum);

#endif
