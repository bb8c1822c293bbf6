/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frames that tail calls have left out of call stacks. */
#ifndef PROFGEN_PROFGEN_TAIL_CALLS_H
#define PROFGEN_PROFGEN_TAIL_CALLS_H

#include "profgen/profgen_counts.h"
#include "profgen/profgen_functions.h"

struct profgen_tail_calls;

/* Learns calls and tail calls, jumps to other functions, from branches that were sampled. Ways are searched through at
 * most `depth` functions. */
int profgen_tail_calls_open(struct profgen_tail_calls **result, const struct profgen_program *p,
                            const struct pair_counts *branches, uint32_t depth, struct apf_error *error);
void profgen_tail_calls_close(struct profgen_tail_calls *t);
/* Adds to frames, which end with a call, the jumps through which it led to the function that has an address, if there
 * is exactly one way. */
int profgen_tail_calls_infer(struct profgen_tail_calls *t, struct profgen_frames *frames, uint64_t address,
                             struct apf_error *error);
/* The number of calls so far whose ways were not searched for to the end, which would have taken too long. t may be
 * NULL. */
uint64_t profgen_tail_calls_ended(const struct profgen_tail_calls *t);

#endif
