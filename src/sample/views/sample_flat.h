/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile by function: all copies of a function, wherever they are inlined and in whatever context, added up. */
#ifndef SAMPLE_FLAT_H
#define SAMPLE_FLAT_H

#include "sample/views/sample_pair.h"

enum sample_flat_kind {
    SAMPLE_FLAT_LINES,   /* counts by place */
    SAMPLE_FLAT_TARGETS, /* by place and name */
    SAMPLE_FLAT_VTABLES,
    SAMPLE_FLAT_CALLERS,   /* sums of own lines by the name of the caller; SAMPLE_NONE: not inlined */
    SAMPLE_FLAT_CHECKSUMS, /* sums of own lines by checksum, which is `at` */
    SAMPLE_FLAT_KINDS
};

/* Lists of all functions: of function i n[i] entries from first[i] on, by `at`, then by name, each pair once. Every
 * function of the profile has a caller in this sense. */
struct sample_flat_lists {
    size_t *first;
    uint32_t *n;
    struct sample_target *data;
};

/* All zero: empty. Functions and names have the numbers that the caller of sample_flat_make gives them. */
struct sample_flat {
    struct sample_flat_lists lists[SAMPLE_FLAT_KINDS];
    uint64_t *heads;
    uint32_t *attributes;
};

/* An entry list of a function. */
struct sample_flat_list {
    const struct sample_target *data;
    uint32_t n;
};
static inline struct sample_flat_list sample_flat_list(const struct sample_flat *f,
                                                       enum sample_flat_kind kind, uint32_t function)
{
    const struct sample_flat_lists *l = &f->lists[kind];
    struct sample_flat_list list = {l->data + l->first[function], l->n[function]};
    return list;
}

/* Adds up a profile. `names` has the number of each name of the profile, below n. sample_flat_free must follow, also
 * after a failure. */
int sample_flat_make(struct sample_flat *f, const struct apf_sample *s, const uint32_t *names, size_t n,
                     struct apf_error *error);
void sample_flat_free(struct sample_flat *f);

#endif
