/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of perf become samples of a program that BOLT wrote. */
#ifndef JOBS_BOLT_PERF_H
#define JOBS_BOLT_PERF_H

#include "bolt/convert.h"

struct bolt_perf_inputs {
    const struct apf_bolt_convert_options *options;
    const struct apf_input *samples;
    size_t n;
    const char *program; /* its path */
};

/* A read_samples; user: a struct bolt_perf_inputs. */
int bolt_perf_read(void *user, struct conversion *c, struct preagg_events *events, struct apf_error *error);

#endif
