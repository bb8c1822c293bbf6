/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of what an image has counted, and their arithmetic. The counters themselves are never changed by writing:
 * what is new since a write or a fork is a difference of two copies, and a merge adds to a copy. */
#ifndef RT_COUNTS_H
#define RT_COUNTS_H

#include "rt_image.h"
#include "rt_profile.h"

/* Counters, bitmaps and value lists. All in one piece of memory; memory NULL: there is none. */
struct aprt_counts {
    uint8_t *counters, *bitmap;
    struct aprt_node **lists; /* a head for each site, in the order of the records */
    struct aprt_node *nodes;
    size_t n_sites, n_nodes;
    void *memory;
    size_t size;
};

/* Copies what the image has counted by now. 0, or ENOMEM. */
RT_HIDDEN int aprt_counts_take(struct aprt_counts *counts, const struct aprt_image *image);

/* sum = live - before + file; before.memory and file may be NULL. If the program has set its counters back, they count
 * whole; a single one that is smaller than before has been written over by another thread, and counts nothing. 0, or
 * ENOMEM. */
RT_HIDDEN int aprt_counts_combine(struct aprt_counts *sum, const struct aprt_image *image,
                                  const struct aprt_counts *live, const struct aprt_counts *before,
                                  const struct aprt_profile *file);

/* Sets the counts of the values in `counts` to what they are now; other values stay out. */
RT_HIDDEN void aprt_counts_update(struct aprt_counts *counts, const struct aprt_counts *now);

/* May what was counted between `before` and `counts` be in the file's profile? Not, if a counter is smaller. */
RT_HIDDEN int aprt_counts_are_in(const struct aprt_profile *file, const struct aprt_image *image,
                                 const struct aprt_counts *counts, const struct aprt_counts *before);

RT_HIDDEN void aprt_counts_drop(struct aprt_counts *counts);

/* Lets the image be written with these counts. */
RT_HIDDEN void aprt_counts_show(struct aprt_image *image, const struct aprt_counts *counts);

#endif
