/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words about recordings. */
#ifndef PERF_PERF_INFO_H
#define PERF_PERF_INFO_H

#include <anyprof/perf.h>

/* "whole", "cut", ...: of enum apf_perf_end. */
const char *perf_end_word(uint32_t end);
/* "Intel PT", ...; NULL: none. */
const char *perf_tracer_name(uint32_t tracer);
/* Which branches the samples of an event have: "any", "call stack" (the processor's stack of calls, no jumps), or
 * "some"; NULL: none. */
const char *perf_branch_words(const struct apf_perf_event *event);

#endif
