/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a raw profile as a stream. Part of the freestanding core. */
#ifndef RT_WRITE_H
#define RT_WRITE_H

#include "rt_image.h"

#include <anyprof/rt.h>

/* A destination of bytes. With write NULL, bytes are only counted. */
struct aprt_out {
    apf_rt_write_fn *write;
    void *context;
    uint64_t size; /* bytes so far */
    int code;      /* the first non-zero result of `write`; nothing is written after it */
};

RT_HIDDEN void aprt_write_bytes(struct aprt_out *out, const void *bytes, size_t n);
RT_HIDDEN void aprt_write_zeros(struct aprt_out *out, size_t n);

/* An apf_rt_write_fn whose context is a char **: the destination, which it advances. */
RT_HIDDEN int aprt_write_to_memory(void *at, const void *bytes, size_t n);

/* Writes header, sections and value data. */
RT_HIDDEN void aprt_write_profile(struct aprt_out *out, const struct aprt_image *image);

/* Writes the binary ids of this image as the version lays them out. */
RT_HIDDEN void aprt_write_binary_ids(struct aprt_out *out, const struct aprt_layout *layout);

/* Calls `write` with the first build id of this image, if there is one. */
RT_HIDDEN void aprt_write_first_build_id(apf_rt_write_fn *write, void *context);

/* Sets the address range to which this image was loaded. 0: the range is not known. */
RT_HIDDEN int aprt_image_range(const uint8_t **start, size_t *size);

/* The first word of a profile. */
static inline uint64_t aprt_magic(void)
{
    return UINT64_C(0xff6c70726f660081) | (uint64_t)(sizeof(void *) == 8 ? 'r' : 'R') << 8;
}

/* Writes the value data of all records; in rt_values_write.c. */
RT_HIDDEN void aprt_write_values(struct aprt_out *out, const struct aprt_image *image);

#endif
