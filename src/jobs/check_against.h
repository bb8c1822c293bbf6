/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares a profile with the functions of programs. */
#ifndef JOBS_CHECK_AGAINST_H
#define JOBS_CHECK_AGAINST_H

#include <anyprof/jobs.h>

#include "base/compiler.h"
#include "instr/check/check.h"
#include "jobs/check_programs.h"

/* Adds to a weight, saturating. */
static inline void check_add_weight(uint64_t *to, uint64_t weight)
{
    if (ADD_OVERFLOWS(*to, weight, to))
        *to = UINT64_MAX;
}

/* Reads the profile in these bytes, after its format was checked, and reports each function that does not match the
 * programs. Adds to the verdict. Returns c->code. */
int check_against(struct check *c, const struct read_options *limits, const uint8_t *data, size_t n,
                  const struct apf_check_programs *programs, struct apf_check_verdict *verdict);

#endif
