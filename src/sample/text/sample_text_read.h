/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads text profiles of all versions of LLVM. */
#ifndef SAMPLE_TEXT_READ_H
#define SAMPLE_TEXT_READ_H

#include "sample/model/sample_profile.h"

/* Whether the first line that is neither empty nor a comment is a header, and not that of an instrumentation profile.
 * Looks at no more than SAMPLE_TEXT_SNIFFED_BYTES, in which that line must end. */
#define SAMPLE_TEXT_SNIFFED_BYTES ((size_t)1 << 20)
bool sample_text_begins(const uint8_t *data, size_t n);

/* Reads a profile into `s`, which is empty; seals and completes it. Nothing in it points to the data. */
int sample_text_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                     struct apf_error *error);

/* A line of a text, with its number from 1. */
struct sample_text_start {
    uint64_t offset, number;
};
/* As sample_text_read, from a line on, which must be a header. Places in errors are those in the whole text. */
int sample_text_read_from(struct apf_sample *s, const uint8_t *data, size_t n, struct sample_text_start start,
                          const struct sample_read_options *o, struct apf_error *error);

#endif
