/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The image's program headers: its build ids and address range. Part of the freestanding core. */
#ifndef RT_ELF_H
#define RT_ELF_H

#include "rt_out.h"

/* Writes the binary ids of this image as the version lays them out. */
RT_HIDDEN void aprt_write_binary_ids(struct aprt_out *out, const struct aprt_layout *layout);

/* Calls `write` with the first build id of this image, if there is one. */
RT_HIDDEN void aprt_write_first_build_id(apf_rt_write_fn *write, void *context);

/* Sets the address range to which this image was loaded. 0: the range is not known. */
RT_HIDDEN int aprt_image_range(const uint8_t **start, size_t *size);

#endif
