/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The formats of instrumentation profiles, one row for each, and functions that read any of them. */
#ifndef INSTR_FORMATS_H
#define INSTR_FORMATS_H

#include "base/byte_map.h"
#include "instr/model/profile.h"

struct instr_format {
    uint32_t format; /* enum apf_instr_format */
    /* Whether the first bytes are of this format. */
    bool (*begins)(const uint8_t *data, size_t n);
    /* Fills in version, variant, pointer width and byte order as far as the first bytes have them; NULL: none has. */
    void (*glance)(struct apf_instr_info *info, const uint8_t *data, size_t n);
    /* Fills an empty profile, which borrows nothing from the bytes and stays unfinished after a failure. */
    int (*read)(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                struct apf_error *error);
    /* Fills an empty profile with what is intact of damaged bytes, and *salvage with what is known to be lost. Fails
     * when an allocation fails or a limit is exceeded, and never because of the damage. NULL: nothing can be kept. */
    int (*salvage)(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                   struct apf_salvage *salvage, struct apf_error *error);
    /* Adds the parts of a file that was read with options->profiles. False: allocation failed. NULL: the format has no
     * parts. */
    bool (*map)(struct byte_map *map, const struct raw_profiles *profiles, const uint8_t *data, size_t n);
};

/* The row of the format that the bytes begin with; NULL: none. */
const struct instr_format *instr_format_of(const uint8_t *data, size_t n);
/* Fills in what the first bytes of a file say: format (0: none), version, variant, pointer width and byte order. Other
 * fields stay unchanged. */
void profile_glance(struct apf_instr_info *info, const uint8_t *data, size_t n);

/* Reads bytes of any format into a new profile, which does not refer to them. */
int profile_read(struct apf_instr **instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_error *error);
/* profile_read into an empty profile, which stays unfinished after a failure. */
int profile_read_into(struct apf_instr *instr, const uint8_t *data, size_t n,
                      const struct read_options *options, struct apf_error *error);

#endif
