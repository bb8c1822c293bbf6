/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The formats of sample profiles, one row for each, and functions that read any of them. */
#ifndef SAMPLE_FORMATS_H
#define SAMPLE_FORMATS_H

#include "base/file.h"
#include "sample/model/sample_profile.h"

struct sample_format {
    uint32_t format; /* enum apf_sample_format */
    /* Whether the first bytes are of this format. */
    bool (*begins)(const uint8_t *data, size_t n);
    /* Fills an empty profile, which borrows nothing from the bytes and stays unfinished after a failure. */
    int (*read)(struct apf_sample *s, const uint8_t *data, size_t n,
                const struct sample_read_options *options, struct apf_error *error);
};

/* The row of the format that the bytes begin with; NULL: none. */
const struct sample_format *sample_format_find(const uint8_t *data, size_t n);

/* Options with their defaults filled in. */
int sample_read_options_resolve(struct sample_read_options *to, const struct apf_sample_read_options *from,
                                struct apf_options *common, struct apf_error *error);

/* Reads bytes of any format into an empty profile, which stays unfinished after a failure. */
int sample_read_any(struct apf_sample *s, const uint8_t *data, size_t n,
                    const struct sample_read_options *options, struct apf_error *error);
/* Reads a file that was read, or whose packed bytes could only in part be unpacked, as `why` says: with
 * APF_FLAG_SALVAGE the functions before the damage, which sets s->salvage. Returns `why`'s code if nothing is kept,
 * with *error set from it. `s` must be empty. */
int sample_salvage_file(struct apf_sample *s, const struct file_bytes *file,
                        const struct sample_read_options *options, const struct apf_error *why,
                        struct apf_error *error);

#endif
