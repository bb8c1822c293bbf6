/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a raw profile as a stream. Part of the freestanding core. */
#ifndef RT_WRITE_H
#define RT_WRITE_H

#include "rt_out.h"

/* Writes header, sections and value data. */
RT_HIDDEN void aprt_write_profile(struct aprt_out *out, const struct aprt_image *image);

/* The first word of a profile. */
static inline uint64_t aprt_magic(void)
{
    return UINT64_C(0xff6c70726f660081) | (uint64_t)(sizeof(void *) == 8 ? 'r' : 'R') << 8;
}

#endif
