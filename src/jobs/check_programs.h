/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The programs that profiles are checked against. */
#ifndef JOBS_CHECK_PROGRAMS_H
#define JOBS_CHECK_PROGRAMS_H

#include <anyprof/correlate.h>
#include <anyprof/jobs.h>

/* One of their functions. */
struct check_function {
    const struct apf_function *f;
    const struct apf_binary_functions_info *program;
};

struct apf_check_programs {
    struct apf_binary_functions **list;
    size_t n;
    struct check_function *functions; /* of all of them, in their order */
    size_t n_functions;
    /* For profiles whose metadata is in a program: those with debug information, and those for binary correlation. */
    struct apf_correlator *correlators[2];
    struct apf_correlation_source source;
};

#endif
