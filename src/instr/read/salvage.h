/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the intact part of damaged profiles. */
#ifndef INSTR_SALVAGE_H
#define INSTR_SALVAGE_H

#include "instr/model/profile.h"

/* Whether a part of a file that failed with this code may be of use. */
bool salvage_may(int code);
/* Fills an empty profile with the intact part of a file that could not be read or unpacked because of `why`;
 * instr->salvage says how much is intact. If nothing is, the error is `why`. */
int profile_salvage_file(struct apf_instr *instr, const struct file_bytes *f,
                         const struct read_options *options, const struct apf_error *why,
                         struct apf_error *error);

#endif
