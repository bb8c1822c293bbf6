/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The value data of a profile. Part of the freestanding core. */
#ifndef RT_VALUES_WRITE_H
#define RT_VALUES_WRITE_H

#include "rt_out.h"

/* Writes the value data of all records. */
RT_HIDDEN void aprt_write_values(struct aprt_out *out, const struct aprt_image *image);

#endif
