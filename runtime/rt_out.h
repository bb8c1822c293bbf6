/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stream of bytes. Part of the freestanding core. */
#ifndef RT_OUT_H
#define RT_OUT_H

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

#endif
