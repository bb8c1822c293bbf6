/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every call to the operating system about files is made here. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

#include "base/compiler.h"

/* Bytes of an input: owned and reused from file to file, or borrowed from memory. All zero = empty. */
struct file_bytes {
    const uint8_t *data;
    size_t n;
    uint8_t *owned;
    size_t capacity;
};

/* Reads the whole of an input. The bytes are valid until the next call with the same file_bytes, and while the
 * input's memory is. Inputs larger than max_bytes are refused with APF_TOO_LARGE. */
int file_read(struct file_bytes *f, const struct apf_input *input, uint64_t max_bytes,
              struct apf_error *error);
void file_bytes_free(struct file_bytes *f);
/* The name messages use for an input. */
struct apf_str file_name(const struct apf_input *input);

/* An output that is being written. Bytes go through a buffer; a failed write is sticky and reported by close. */
struct file_out;
int file_out_open(struct file_out **result, const struct apf_output *output, struct apf_error *error);
/* Appends bytes; returns false after a failure (which close will report). */
bool file_out_write(struct file_out *out, const void *p, size_t n);
/* Completes the output (flush, sync of errors by close, rename) or, when `keep` is false, removes it. Frees. */
int file_out_close(struct file_out *out, bool keep, struct apf_error *error);

#endif
