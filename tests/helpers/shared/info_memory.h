/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls apf_info for files in memory. */
#ifndef HELPERS_SHARED_INFO_MEMORY_H
#define HELPERS_SHARED_INFO_MEMORY_H

#include <anyprof/jobs.h>

#include "helpers/shared/unit.h"

/* Fails the test if a file cannot be read. */
struct apf_info *info_of_inputs(const struct apf_input *inputs, size_t n);
struct apf_input input_in_memory(const void *p, size_t n, const char *name);
/* The set of releases from one to another. */
uint64_t releases_from_to(const char *first, const char *last);

#endif
