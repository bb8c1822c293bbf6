/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles as profiles: what a merge of the file alone would write. */
#ifndef SAMPLE_PARTIAL_OPEN_H
#define SAMPLE_PARTIAL_OPEN_H

#include <anyprof/sample_merge.h>

#include "sample/model/sample_profile.h"

/* Opens the partial profile in these bytes; apf_sample_close closes it. It does not refer to them, and its `owner` is
 * the merge. `read`, or NULL: what is wanted of discriminators. `tolerance` says how many of its inputs may be lost; if
 * more are, the error is that of the first one. */
int sample_partial_open(struct apf_sample **sample, const void *data, size_t n,
                        const struct apf_sample_read_options *read, const struct apf_options *options,
                        const struct apf_tolerance *tolerance, struct apf_error *error);

#endif
