/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_clock.h"
#include "rt_image.h"
#include "rt_values.h"

#include <anyprof/rt.h>

static void fill_bytes(uint8_t *bytes, size_t n, uint8_t with)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = with;
}

void apf_rt_reset(void)
{
    struct aprt_image image;
    aprt_image_find(&image);
    fill_bytes(image.counters_now, image.counters_size, image.version & RT_BYTE_COVERAGE ? 0xff : 0);
    fill_bytes(image.bitmap_now, image.bitmap_size, 0);
    if (RT_LINKED(aprt_clock_reset))
        aprt_clock_reset();
    if (RT_LINKED(aprt_values_reset))
        aprt_values_reset();
}
