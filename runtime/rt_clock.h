/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timestamps of temporal profiles: the order in which functions ran first. */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include "rt_image.h"

/* Compilers call this at the start of each function; `at` is the function's first counter. */
RT_HIDDEN void __llvm_profile_set_timestamp(uint64_t *at);

/* Resets the clock: the next timestamp is 1. */
RT_HIDDEN RT_WEAK void aprt_clock_reset(void);

#endif
