/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translates samples of perf to samples of a program that BOLT wrote. */
#ifndef PROGRAMS_BOLT_PERF_H
#define PROGRAMS_BOLT_PERF_H

#include "bolt/convert.h"

/* A read_samples; user: the struct bolt_work. */
int bolt_perf_read(void *user, struct conversion *c, struct text_set *events, struct apf_error *error);

#endif
