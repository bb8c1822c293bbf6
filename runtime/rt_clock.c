/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_clock.h"

#include "rt_atomic.h"

static uint32_t ticks;

/* NOLINTNEXTLINE(readability-non-const-parameter): what RT_STORE64 does is not seen */
void __llvm_profile_set_timestamp(uint64_t *at)
{
    uint64_t has = RT_LOAD64(at);
    /* Counters of byte coverage begin as all ones. */
    if (has == 0 || has == UINT64_MAX)
        RT_STORE64(at, (uint64_t)RT_ADD(&ticks, 1) + 1);
}

void aprt_clock_reset(void)
{
    RT_STORE(&ticks, 0);
}
