/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiled values that are addresses: what they are in this process, if a file of another one has them. The image may
 * have been loaded somewhere else then, and so may what it points to. */
#ifndef RT_SLIDE_H
#define RT_SLIDE_H

#include "rt_image.h"
#include "rt_profile.h"

struct aprt_slide {
    uintptr_t by, first, size; /* first, size: of the image, as it was in the file's process */
    /* Functions with records that were taken from another image, here or there: a hash table. */
    struct aprt_elsewhere {
        uintptr_t there, here;
    } *elsewhere;
    size_t n_elsewhere;
    const struct aprt_image *image;
    const struct aprt_profile *file;
};

/* Of a profile of the same program. What it holds is given back by aprt_slide_drop. */
RT_HIDDEN void aprt_slide_find(struct aprt_slide *slide, const struct aprt_image *image,
                               const struct aprt_profile *file);
RT_HIDDEN void aprt_slide_drop(struct aprt_slide *slide);

/* A value of the file. 0: an address that no reader can name, one as good as the other. */
RT_HIDDEN uint64_t aprt_slid(const struct aprt_slide *slide, uint32_t kind, uint64_t value);

#endif
