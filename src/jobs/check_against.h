/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile beside the functions of programs. */
#ifndef JOBS_CHECK_AGAINST_H
#define JOBS_CHECK_AGAINST_H

#include <anyprof/jobs.h>

#include "base/compiler.h"
#include "instr/check/check_report.h"
#include "jobs/check_programs.h"

/* Weights stay at 2^64 - 1. */
static inline void check_add_weight(uint64_t *to, uint64_t weight)
{
    if (ADD_OVERFLOWS(*to, weight, to))
        *to = UINT64_MAX;
}

/* Reads the profile in these bytes, which is known to be readable or not to matter, and tells of each function that
 * does not go with the programs. Adds to the verdict. Returns c->code. */
int check_against(struct check *c, const uint8_t *data, size_t n, const struct apf_check_programs *programs,
                  struct apf_check_verdict *verdict);

#endif
