/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of an image's counts, and their arithmetic. Writing never changes the counters themselves: the counts since
 * a write or a fork are a difference of two copies, and a merge adds to a copy. */
#ifndef RT_COUNTS_H
#define RT_COUNTS_H

#include "rt_image.h"
#include "rt_profile.h"

/* Counters, bitmaps and value lists, all in one allocation; memory NULL: no counts. */
struct aprt_counts {
    uint8_t *counters, *bitmap;
    struct aprt_node **lists; /* a head for each site, in the order of the records */
    struct aprt_node *nodes;
    size_t n_sites, n_nodes;
    unsigned site_changes; /* counts of the same image have the same sites if this is equal */
    void *memory;
    size_t size;
};

/* Copies the current counts of the image. Returns 0 or ENOMEM. */
RT_HIDDEN int aprt_counts_copy(struct aprt_counts *counts, const struct aprt_image *image);

/* sum = live - before + file; before.memory and file may be NULL. If the program has reset its counters since
 * `before`, nothing is subtracted; a single counter that is smaller than before was overwritten by another thread and
 * adds nothing. Returns 0 or ENOMEM. */
RT_HIDDEN int aprt_counts_combine(struct aprt_counts *sum, const struct aprt_image *image,
                                  const struct aprt_counts *live, const struct aprt_counts *before,
                                  const struct aprt_profile *file);

/* Sets the counts of the values in `counts` to those in `now`; values that are only in `now` are not added. */
RT_HIDDEN void aprt_counts_update(struct aprt_counts *counts, const struct aprt_counts *now);

/* Returns whether the file's profile may include what was counted between `before` and `counts`: no counter is
 * smaller. */
RT_HIDDEN int aprt_counts_are_in(const struct aprt_profile *file, const struct aprt_image *image,
                                 const struct aprt_counts *counts, const struct aprt_counts *before);

RT_HIDDEN void aprt_counts_free(struct aprt_counts *counts);

/* Makes the image refer to these counts, so that they are written instead of the live ones. */
RT_HIDDEN void aprt_counts_apply(struct aprt_image *image, const struct aprt_counts *counts);

#endif
