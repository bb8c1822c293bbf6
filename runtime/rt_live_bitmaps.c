/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked by -Wl,-u,apf_rt_live_bitmaps into programs with MC/DC: the same for their bitmaps as rt_live.c for
 * counters. In other programs the page would be bitmaps that no record claims. */
#include "rt_continuous.h"

static uint8_t bitmaps[RT_LIVE_PAGE] __attribute__((section("__llvm_prf_bits"), aligned(RT_LIVE_PAGE), used));

const void *const apf_rt_live_bitmaps = bitmaps;
