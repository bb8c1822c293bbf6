/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the overlap of two profiles, in total and of single functions; overlap_print.c prints it. */
#ifndef INSTR_OVERLAP_H
#define INSTR_OVERLAP_H

#include <anyprof/compare.h>

#include "instr/views/record_table.h"

/* One function. */
struct overlap_function {
    struct apf_str name;
    uint64_t hash;
    struct apf_overlap sums;
};

/* Called for each function that the options ask for, in the order of the second profile. */
typedef void overlap_report_fn(void *user, const struct overlap_function *function);
/* `report` may be NULL. */
int overlap_find(const struct apf_instr *base, const struct apf_instr *test,
                 const struct apf_overlap_options *options, overlap_report_fn *report, void *user,
                 struct apf_overlap *overlap, struct apf_error *error);

#endif
