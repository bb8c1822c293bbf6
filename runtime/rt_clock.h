/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timestamps of temporal profiles: the order in which functions ran first. */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include "rt_image.h"

/* What compilers call at the start of each function; `at` is its first counter. */
RT_HIDDEN void __llvm_profile_set_timestamp(uint64_t *at);

/* The next timestamp is 1 again. */
RT_HIDDEN RT_WEAK void aprt_clock_reset(void);

#endif
