/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading what is intact of damaged profiles, format by format. */
#ifndef INSTR_SALVAGE_H
#define INSTR_SALVAGE_H

#include "instr/profile.h"

/* Whether a file that is not read for this reason may be of use in part. */
bool salvage_may(int code);
/* Fills an empty profile with what is intact of a file that could not be read, or whose bytes could not, because of
 * `why`: instr->salvage says how much that is. When that is nothing, the error is `why`. */
int profile_salvage_file(struct apf_instr *instr, const struct file_bytes *f,
                         const struct read_options *options, const struct apf_error *why,
                         struct apf_error *error);

/* What each reader does for it: fills the profile, and notes what is lost. They fail when memory is out or a limit is
 * exceeded, and never because of the damage. */
int raw_salvage(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                struct apf_salvage *salvage, struct apf_error *error);
int indexed_salvage(struct apf_instr *instr, const uint8_t *data, size_t n,
                    const struct read_options *options, struct apf_salvage *salvage, struct apf_error *error);
int text_salvage(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_error *error);

#endif
