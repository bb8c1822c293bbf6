/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Raw profiles in an existing file, validated before anything is added to it. A file may hold several, one after the
 * other. */
#ifndef RT_PROFILE_H
#define RT_PROFILE_H

#include "rt_image.h"

/* One profile, all of it inside the file's bytes. */
struct aprt_profile {
    size_t offset, size; /* in the file */
    uint64_t version;
    uint64_t words[RAW_HEADER_FIELD_COUNT];
    const struct aprt_layout *layout;
    const uint8_t *ids, *data, *counters, *bitmap, *names, *vtables, *vtable_names, *end;
    const uint8_t *values; /* NULL: the profile is damaged before them */
    size_t counters_size;
    int same_program; /* the image's program: their counts can be added */
};

enum aprt_next { RT_NEXT_NONE, RT_NEXT_FOUND, RT_NEXT_DAMAGED };

/* Finds the profile at `at` or after zeros from there and compares it with the image, if that is not NULL. Damaged:
 * the bytes are no whole profile of this target's pointer width and byte order and of a known raw version. */
RT_HIDDEN enum aprt_next aprt_profile_next(struct aprt_profile *profile, const struct aprt_image *image,
                                           const uint8_t *file, size_t size, size_t at);

/* The value data of one kind in a record. */
struct aprt_kind_lists {
    const uint8_t *lengths, *pairs; /* NULL: no sites */
    uint32_t sites;
};

enum { RT_MOST_KINDS = 3 };

/* Reads the value data of a record, at *at inside `left` bytes, and moves *at after it. 0: the data is damaged. */
RT_HIDDEN int aprt_profile_values(const struct aprt_layout *layout, const uint8_t *record, const uint8_t **at,
                                  size_t left, struct aprt_kind_lists kinds[RT_MOST_KINDS]);

#endif
