/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The programs that profiles are checked against. */
#ifndef JOBS_CHECK_PROGRAMS_H
#define JOBS_CHECK_PROGRAMS_H

#include <anyprof/correlate.h>
#include <anyprof/jobs.h>

/* A function of a program. */
struct check_function {
    const struct apf_function *f;
    const struct apf_binary_functions_info *program;
};

struct apf_check_programs {
    struct apf_binary_functions **list;
    size_t n;
    struct check_function *functions; /* of all programs, in their order */
    size_t n_functions;
    /* Correlators for profiles whose metadata is in a program: [0] debug information, [1] binary correlation. */
    struct apf_correlator *correlators[2];
    struct apf_correlation_source source;
};

#endif
