/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The overlap of two profiles: overlap.c finds it, overlap_print.c prints it. */
#ifndef INSTR_OVERLAP_H
#define INSTR_OVERLAP_H

#include <anyprof/compare.h>

#include "instr/record_table.h"

/* One function. */
struct overlap_function {
    struct apf_str name;
    uint64_t hash;
    struct apf_overlap sums;
};

/* Finds the overlap; `take` (which may be NULL) is told of each function to be printed, in order. */
typedef void overlap_take(void *user, const struct overlap_function *function);
int overlap_find(const struct apf_instr *base, const struct apf_instr *test,
                 const struct apf_overlap_options *options, overlap_take *take, void *user,
                 struct apf_overlap *overlap, struct apf_error *error);

#endif
