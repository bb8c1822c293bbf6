/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads sample profiles from JSON. */
#ifndef SAMPLE_JSON_READ_H
#define SAMPLE_JSON_READ_H

#include "sample/model/sample_profile.h"

/* The format's functions for the table of formats. */
bool sample_json_begins(const uint8_t *data, size_t n);
int sample_json_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                     struct apf_error *error);

#endif
