/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked by -Wl,-u,apf_rt_live: makes the counters fill whole pages with nothing else in them. As the last part of
 * the section, this page-aligned page ends it at a page boundary; the section is as aligned as its parts, so it also
 * begins at one. */
#include "rt_continuous.h"

static uint8_t counters[RT_LIVE_PAGE]
    __attribute__((section("__llvm_prf_cnts"), aligned(RT_LIVE_PAGE), used));

/* The reference keeps the page when the linker drops unused sections. */
const void *const apf_rt_live = counters;
