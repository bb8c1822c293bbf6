/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many samples of each function are lost, and why. */
#ifndef BOLT_CONVERT_LOSS_H
#define BOLT_CONVERT_LOSS_H

#include <anyprof/bolt.h>

#include "base/arena.h"

struct bolt_functions;

/* Sums of samples of one function. */
struct function_tally {
    uint64_t seen;
    uint64_t lost[APF_BOLT_LOSSES];
};

/* Counts samples of a function; `lost` is an enum apf_bolt_loss_reason, or APF_BOLT_LOSSES: they are in the profile.
 * tallies NULL, and a function BOLT_NONE: they are not counted. */
void tally_add(struct function_tally *tallies, uint32_t function, uint64_t count, uint32_t lost);
/* All samples of a function are lost that were not lost before. */
void tally_leave_out(struct function_tally *tallies, uint32_t function);
/* Adds the losses of the functions to those of the funnel, and finds the functions that lose most. */
void tally_finish(const struct function_tally *tallies, const struct bolt_functions *functions,
                  struct apf_bolt_funnel *funnel);

#endif
