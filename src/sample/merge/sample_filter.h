/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaves functions out of a profile: by their names, or until its file is small enough. */
#ifndef SAMPLE_FILTER_H
#define SAMPLE_FILTER_H

#include "sample/model/sample_profile.h"

/* Leaves out the functions at the top level whose key, as LLVM prints it (of a context, "main:3.1 @ foo"), the
 * filter does not want. It is asked in the order of output. *left_out: their number. */
int sample_filter(struct apf_sample *s, apf_name_filter_fn *filter, void *user, uint64_t *left_out,
                  struct apf_error *error);

/* Finds the size of a profile's file. */
typedef int sample_size_fn(void *context, const struct apf_sample *s, uint64_t *size,
                           struct apf_error *error);
/* Leaves out functions with the fewest samples until the file of the profile has at most `limit` bytes (not 0), as many
 * at a time as LLVM does. APF_SAMPLE_TOO_LARGE if none is left. *left_out: their number. */
int sample_limit(struct apf_sample *s, uint64_t limit, sample_size_fn *size, void *context,
                 uint64_t *left_out, struct apf_error *error);

#endif
