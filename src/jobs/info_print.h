/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef JOBS_INFO_PRINT_H
#define JOBS_INFO_PRINT_H

#include "jobs/info.h"

/* Whether functions and counters of a file are known; whether it has a byte order and pointers. */
bool info_is_profile(const struct apf_file_facts *f);
bool info_is_ordered(const struct apf_file_facts *f);
/* The document anyprof-info/1. */
int info_put_json(const struct apf_info *info, struct file_out *out, struct apf_error *error);

#endif
