/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef JOBS_CHECK_FILE_H
#define JOBS_CHECK_FILE_H

#include <anyprof/jobs.h>

#include "base/file.h"

/* Checks one of several files. *f is a buffer for its bytes, reused between files. */
int check_file(const struct apf_input *input, uint64_t number, const struct apf_check_programs *against,
               const struct apf_options *options, struct file_bytes *f, struct apf_check_verdict *verdict,
               struct apf_error *error);

#endif
