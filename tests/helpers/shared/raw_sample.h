/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A good raw file of two functions with all kinds of data, which tests damage. */
#ifndef HELPERS_SHARED_RAW_SAMPLE_H
#define HELPERS_SHARED_RAW_SAMPLE_H

#include "helpers/shared/raw_build.h"

struct raw_sample {
    struct rb_profile p;
    struct rb_file file;
    struct rb_places at;
    size_t record; /* size of a data record */
};

extern const struct rb_function raw_sample_functions[2];

/* The caller frees s->file with rb_free. */
void make_raw_sample(struct raw_sample *s, unsigned version, unsigned bytes, bool big);
/* Calls f with a sample of every version, pointer size and byte order. */
void for_all_raw_samples(void (*f)(struct raw_sample *s));
/* Offset of a field of record i. */
size_t raw_sample_field(const struct raw_sample *s, size_t i, enum rb_field f);

#endif
