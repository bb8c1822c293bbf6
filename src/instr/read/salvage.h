/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading what is intact of damaged profiles. */
#ifndef INSTR_SALVAGE_H
#define INSTR_SALVAGE_H

#include "instr/model/profile.h"

/* Whether a file that is not read for this reason may be of use in part. */
bool salvage_may(int code);
/* Fills an empty profile with what is intact of a file that could not be read, or whose bytes could not, because of
 * `why`: instr->salvage says how much that is. When that is nothing, the error is `why`. */
int profile_salvage_file(struct apf_instr *instr, const struct file_bytes *f,
                         const struct read_options *options, const struct apf_error *why,
                         struct apf_error *error);

#endif
