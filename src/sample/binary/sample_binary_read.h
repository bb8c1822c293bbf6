/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readers of LLVM's binary formats of sample profiles. */
#ifndef SAMPLE_BINARY_READ_H
#define SAMPLE_BINARY_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample/model/sample_profile.h"

/* Whether the first bytes are those of the format. */
bool sample_binary_begins(const uint8_t *data, size_t n);
bool sample_compact_begins(const uint8_t *data, size_t n);
bool sample_ext_begins(const uint8_t *data, size_t n);

/* Fill an empty profile, which refers to no byte of the file and stays unfinished after a failure. */
int sample_binary_read(struct apf_sample *s, const uint8_t *data, size_t n,
                       const struct sample_read_options *o, struct apf_error *error);
int sample_compact_read(struct apf_sample *s, const uint8_t *data, size_t n,
                        const struct sample_read_options *o, struct apf_error *error);
int sample_ext_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                    struct apf_error *error);

#endif
