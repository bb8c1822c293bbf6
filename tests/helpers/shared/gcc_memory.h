/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes GCC's profiles in memory. */
#ifndef HELPERS_SHARED_GCC_MEMORY_H
#define HELPERS_SHARED_GCC_MEMORY_H

#include "sample/gcc/sample_gcc_write.h"

/* Limits that no test reaches by itself. */
extern const struct sample_read_options gcc_read_limits;
/* Reads a copy of bytes that ends where they end; *s is NULL after an error. */
int gcc_read_bytes(struct apf_sample **s, const void *p, size_t n, const struct sample_read_options *o,
                   struct apf_error *error);
/* Fails the test unless the bytes are read. */
struct apf_sample *gcc_read_buffer(const struct apf_buffer *buffer);
int gcc_write_buffer(const struct apf_sample *s, const struct sample_gcc_options *o,
                     struct apf_buffer *buffer, struct sample_gcc_losses *losses, struct apf_error *error);
/* The options of a layout, which must be known. */
struct sample_gcc_options gcc_options_of(const char *layout);

#endif
