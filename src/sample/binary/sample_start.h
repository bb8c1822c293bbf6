/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The beginning and the end of reading a binary file. */
#ifndef SAMPLE_START_H
#define SAMPLE_START_H

#include "sample/binary/sample_decode.h"

/* Whether a file begins with a magic, SAMPLE_MAGIC_*. */
bool sample_start_is(const uint8_t *data, size_t n, uint64_t magic);
/* A decoder at the beginning of a file. */
struct sample_decoder sample_start(struct apf_sample *s, const uint8_t *data, size_t n,
                                   const struct sample_read_options *o);
/* Reads magic and version. The decoder's profile may be NULL. */
int sample_start_read(struct sample_decoder *d, uint32_t format, const struct sample_version **version,
                      struct apf_error *error);
/* Finishes the profile, or copies the progress to the options after a failure; frees the decoder. Returns the code. */
int sample_start_end(struct sample_decoder *d, int code, struct apf_error *error);

#endif
