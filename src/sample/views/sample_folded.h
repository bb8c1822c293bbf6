/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile by function: all copies of a function, wherever they are inlined and in whatever context, added up, but for
 * those whose counts their own profiles have, too (sample_find_duplicates). */
#ifndef SAMPLE_FOLDED_H
#define SAMPLE_FOLDED_H

#include "sample/views/sample_pair.h"

enum sample_folded_kind {
    SAMPLE_FOLDED_LINES,   /* counts by place */
    SAMPLE_FOLDED_TARGETS, /* by place and name */
    SAMPLE_FOLDED_VTABLES,
    SAMPLE_FOLDED_CALLERS,   /* sums of own lines by the name of the caller; SAMPLE_NONE: not inlined */
    SAMPLE_FOLDED_CHECKSUMS, /* sums of own lines by checksum, which is `at` */
    SAMPLE_FOLDED_KINDS
};

/* Lists of all functions: of function i n[i] entries from first[i] on, by `at`, then by name, each pair once. Every
 * function of the profile has a caller in this sense. */
struct sample_folded_lists {
    size_t *first;
    uint32_t *n;
    struct sample_target *data;
};

/* All zero: empty. Functions and names have the numbers that the caller of sample_folded_make gives them. */
struct sample_folded {
    struct sample_folded_lists lists[SAMPLE_FOLDED_KINDS];
    uint64_t *heads;
    uint32_t *attributes;
};

/* An entry list of a function. */
struct sample_folded_list {
    const struct sample_target *data;
    uint32_t n;
};
static inline struct sample_folded_list sample_folded_list(const struct sample_folded *f,
                                                           enum sample_folded_kind kind, uint32_t function)
{
    const struct sample_folded_lists *l = &f->lists[kind];
    struct sample_folded_list list = {l->data + l->first[function], l->n[function]};
    return list;
}

/* Adds up a profile. `names` has the number of each name of the profile, below n. sample_folded_free must follow, also
 * after a failure. */
int sample_folded_make(struct sample_folded *f, const struct apf_sample *s, const uint32_t *names, size_t n,
                       struct apf_error *error);
void sample_folded_free(struct sample_folded *f);

#endif
