/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a raw profile as a stream. Part of the freestanding core. */
#ifndef RT_WRITE_H
#define RT_WRITE_H

#include "rt_image.h"

#include <anyprof/rt.h>

/* Where the bytes go. Without `write` they are only counted. */
struct aprt_out {
    apf_rt_write_fn *write;
    void *context;
    uint64_t size; /* so far */
    int code;      /* the first that `write` returned which is not 0; nothing is written behind it */
};

RT_HIDDEN void aprt_put(struct aprt_out *out, const void *bytes, size_t n);
RT_HIDDEN void aprt_put_zeros(struct aprt_out *out, size_t n);

/* An apf_rt_write_fn whose context is a char *: where the bytes go, and moves on. */
RT_HIDDEN int aprt_put_to_memory(void *at, const void *bytes, size_t n);

/* Header, sections, value data. */
RT_HIDDEN void aprt_write_profile(struct aprt_out *out, const struct aprt_image *image);

/* The binary ids of this image as the version lays them out. */
RT_HIDDEN void aprt_write_binary_ids(struct aprt_out *out, const struct aprt_layout *layout);

/* Gives the first build id of this image to `take`; nothing, if there is none. */
RT_HIDDEN void aprt_first_build_id(apf_rt_write_fn *take, void *context);

/* The addresses that this image was loaded to. 0: they are not known. */
RT_HIDDEN int aprt_image_range(const uint8_t **start, size_t *size);

/* The first word of a profile. */
static inline uint64_t aprt_magic(void)
{
    return UINT64_C(0xff6c70726f660081) | (uint64_t)(sizeof(void *) == 8 ? 'r' : 'R') << 8;
}

/* The value data of all records; in rt_values_write.c. */
RT_HIDDEN void aprt_write_values(struct aprt_out *out, const struct aprt_image *image);

#endif
