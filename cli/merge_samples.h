/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLI_MERGE_SAMPLES_H
#define CLI_MERGE_SAMPLES_H

#include "merge_request.h"

/* anyprof merge of sample profiles: parses the options that only these have, merges and writes. Returns the exit
 * code. */
int merge_samples(struct merge_request *base, const struct arguments *args);
/* Parses those options only. 0, or an exit code after a report; warnings are left to the merge. */
int merge_samples_check(struct merge_request *base, const struct arguments *args);

#endif
