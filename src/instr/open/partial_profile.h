/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles as profiles: what a merge of the file alone would write. */
#ifndef INSTR_OPEN_PARTIAL_PROFILE_H
#define INSTR_OPEN_PARTIAL_PROFILE_H

#include "instr/model/profile.h"

/* Opens the partial profile in these bytes; apf_instr_close closes it. It does not refer to them, and its `owner` is
 * the merge. `tolerance` says how many of its inputs may be lost; if more are, the error is that of the first one. */
int partial_profile_open(struct apf_instr **instr, const void *data, size_t n,
                         const struct apf_options *options, const struct apf_tolerance *tolerance,
                         struct apf_error *error);

#endif
