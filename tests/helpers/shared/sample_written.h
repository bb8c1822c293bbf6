/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles for tests of writers, and outputs of the binary one. */
#ifndef HELPERS_SHARED_SAMPLE_WRITTEN_H
#define HELPERS_SHARED_SAMPLE_WRITTEN_H

#include "sample/binary/sample_binary_write.h"

#include "helpers/shared/sample_random.h"
#include "helpers/shared/unit.h"

/* A profile of n functions, each with a target, and an inlined function in the odd ones. */
struct apf_sample *sample_of_many(unsigned n);
/* Writes a binary profile; `losses` may be NULL. */
int sample_write_output(const struct apf_output *output, const struct apf_sample *s,
                        const struct sample_binary_options *o, struct sample_binary_losses *losses,
                        struct apf_error *error);
/* Writes to memory, which the caller frees. */
struct apf_buffer sample_write_memory(const struct apf_sample *s, const struct sample_binary_options *o,
                                      struct sample_binary_losses *losses);

#endif
