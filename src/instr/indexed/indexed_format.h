/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The indexed format as read/formats.h wants it: versions 1 to INDEXED_MAX_VERSION. */
#ifndef INSTR_INDEXED_FORMAT_H
#define INSTR_INDEXED_FORMAT_H

#include "instr/model/profile.h"

/* The functions of the row of the indexed format in read/formats.c. */
bool indexed_begins(const uint8_t *data, size_t n);
void indexed_glance(struct apf_instr_info *info, const uint8_t *data, size_t n);
int indexed_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_error *error);
int indexed_salvage(struct apf_instr *instr, const uint8_t *data, size_t n,
                    const struct read_options *options, struct apf_salvage *salvage, struct apf_error *error);

#endif
