/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps profiled values that are addresses from the process that wrote a file to this one. The image, and the images
 * it points to, may have been loaded at other addresses then. */
#ifndef RT_SLIDE_H
#define RT_SLIDE_H

#include "rt_image.h"
#include "rt_profile.h"

struct aprt_slide {
    uintptr_t by, first,
        size; /* by: distance from there to here; first, size: the image in the file's process */
    /* Functions with records whose code belonged to another image, in either process: a hash table from address there
     * to address here. */
    struct aprt_elsewhere {
        uintptr_t there, here;
    } *elsewhere;
    size_t n_elsewhere;
    const struct aprt_image *image;
    const struct aprt_profile *file;
};

/* Initialises a slide for a profile of the same program; freed by aprt_slide_free. */
RT_HIDDEN void aprt_slide_find(struct aprt_slide *slide, const struct aprt_image *image,
                               const struct aprt_profile *file);
RT_HIDDEN void aprt_slide_free(struct aprt_slide *slide);

/* Returns the file's value as one of this process; 0 for every address that no reader can name. */
RT_HIDDEN uint64_t aprt_slid(const struct aprt_slide *slide, uint32_t kind, uint64_t value);

#endif
